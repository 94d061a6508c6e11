// A bucket for tests: s3rver from npm keeps the objects, and a receiver in front of it does what s3rver leaves out.
// It recomputes every signature with @smithy/signature-v4, compares the hash of every body, knows uploads, their parts and their
// smallest size, and can lose what it takes.
//
//   node bucket.mjs DIR PORT BUCKET REGION ACCESS_KEY SECRET_KEY [TOKEN]
//
// prints the port when it listens.  What is in DIR survives a restart.  /--keys lists the objects with their sizes, /--seen what
// was asked; a PUT to /--lose with a word in its body loses what is written to keys that contain the word, an empty one nothing.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";

import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import S3rver from "s3rver";

const [dir, port, bucket, region, accessKeyId, secretAccessKey, sessionToken] = process.argv.slice(2);
const PART_LEAST = 5 << 20;
const notes = join(dir, "uploads.json");
mkdirSync(join(dir, "objects"), { recursive: true });
const uploads = existsSync(notes) ? JSON.parse(readFileSync(notes)) : {};
const seen = [];
let lost = "";

class Refusal extends Error {
  constructor(status, code, words) {
    super(words);
    this.status = status;
    this.code = code;
  }
}

// ---- the signature ----

const signer = new SignatureV4({
  service: "s3", region, sha256: Sha256, uriEscapePath: false, applyChecksum: false,
  credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
});

function partsOf(authorization) {
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]*), ?SignedHeaders=([^,]*), ?Signature=([0-9a-f]{64})$/.exec(authorization ?? "");
  if (!parts) throw new Refusal(403, "AccessDenied", "the request is not signed");
  const [id, day, where, service] = parts[1].split("/");
  return { id, day, where, service, names: parts[2].split(";"), signature: parts[3] };
}

// What S3 wants to be signed.
function checkNames(req, names) {
  for (const name of ["host", "x-amz-date", "x-amz-content-sha256"])
    if (!names.includes(name)) throw new Refusal(403, "AccessDenied", `${name} is not signed`);
  for (const name of Object.keys(req.headers))
    if ((name.startsWith("x-amz-") || name === "content-type") && !names.includes(name))
      throw new Refusal(403, "AccessDenied", `${name} is sent and not signed`);
}

const dateOf = (text) => new Date(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));

async function checkSignature(req, url, body) {
  const { id, where, names, signature } = partsOf(req.headers.authorization);
  if (id !== accessKeyId) throw new Refusal(403, "InvalidAccessKeyId", "The access key is not known.");
  if (where !== region)
    throw new Refusal(400, "AuthorizationHeaderMalformed", `the region '${where}' is wrong; expecting '${region}'`);
  checkNames(req, names);
  if ((req.headers["x-amz-security-token"] ?? "") !== (sessionToken ?? ""))
    throw new Refusal(400, "ExpiredToken", "The provided token has expired.");
  const headers = Object.fromEntries(names.map((name) => [name, req.headers[name] ?? ""]));
  const query = Object.fromEntries(url.searchParams);
  const signed = await signer.sign(
    { method: req.method, protocol: "http:", hostname: url.hostname, path: url.pathname, query, headers },
    { signingDate: dateOf(req.headers["x-amz-date"]) });
  if (!signed.headers.authorization.endsWith(`Signature=${signature}`))
    throw new Refusal(403, "SignatureDoesNotMatch", "The signature does not match the one that was computed.");
  if (createHash("sha256").update(body).digest("hex") !== req.headers["x-amz-content-sha256"])
    throw new Refusal(400, "XAmzContentSHA256Mismatch", "The body does not have the hash that was signed.");
}

// ---- uploads ----

const keep = () => writeFileSync(notes, JSON.stringify(uploads));

function uploadOf(id, path) {
  const upload = uploads[id];
  if (!upload || upload.path !== path) throw new Refusal(404, "NoSuchUpload", "The specified upload does not exist.");
  return upload;
}

function checkComplete(upload, body) {
  const parts = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  parts.forEach(([, no, etag], n) => {
    const part = upload.parts[no];
    if (!part || part.etag !== etag.replace(/&quot;/g, '"')) throw new Refusal(400, "InvalidPart", `part ${no} is another one`);
    if (n < parts.length - 1 && part.size < PART_LEAST) throw new Refusal(400, "EntityTooSmall", `part ${no} is too small`);
  });
}

// ---- the objects ----

const store = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: join(dir, "objects"), allowMismatchedSignatures: true,
                           configureBuckets: [{ name: bucket }] });
const { port: inner } = await store.run();

function pass(req, body) {
  const headers = { ...req.headers, host: "localhost", "content-length": body.length };
  for (const name of ["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token", "expect", "transfer-encoding"]) delete headers[name];
  return new Promise((resolve, reject) => {
    const out = request({ host: "127.0.0.1", port: inner, method: req.method, path: req.url, headers }, (res) => {
      const pieces = [];
      res.on("data", (piece) => pieces.push(piece));
      res.on("end", () => resolve({ status: res.statusCode, headers: res.headers, body: Buffer.concat(pieces) }));
    });
    out.on("error", reject);
    out.end(body);
  });
}

const etagOf = (body) => `"${createHash("md5").update(body).digest("hex")}"`;

async function serve(req, url, body) {
  const id = url.searchParams.get("uploadId");
  const isLost = lost && url.pathname.includes(lost);
  if (id) {
    const upload = uploadOf(id, url.pathname);
    if (req.method === "DELETE") {
      delete uploads[id];
      keep();
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    if (req.method === "POST") checkComplete(upload, body);
    const answer = await pass(req, body);
    if (answer.status === 200 && req.method === "PUT")
      upload.parts[url.searchParams.get("partNumber")] = { etag: answer.headers.etag, size: body.length };
    else if (answer.status === 200) delete uploads[id];
    keep();
    return answer;
  }
  if (isLost && req.method === "PUT") {
    const text = req.headers["x-amz-copy-source"] ? "<CopyObjectResult><ETag>lost</ETag></CopyObjectResult>" : "";
    return { status: 200, headers: { etag: etagOf(body) }, body: Buffer.from(text) };
  }
  const answer = await pass(req, body);
  const begun = /<UploadId>([^<]+)<\/UploadId>/.exec(req.method === "POST" && url.searchParams.has("uploads") ? answer.body.toString() : "");
  if (begun) {
    uploads[begun[1]] = { path: url.pathname, parts: {} };
    keep();
  }
  return answer;
}

async function keys() {
  const { body } = await pass({ method: "GET", url: `/${bucket}?list-type=2&max-keys=1000`, headers: {} }, Buffer.alloc(0));
  return Object.fromEntries([...body.toString().matchAll(/<Key>([^<]*)<\/Key>[\s\S]*?<Size>(\d+)<\/Size>/g)].map(([, key, size]) => [key, +size]));
}

// ---- the receiver ----

async function control(req, body) {
  if (req.url === "/--keys") return JSON.stringify(await keys());
  if (req.url === "/--seen") return JSON.stringify({ seen, uploads: Object.keys(uploads).length });
  lost = body.toString();
  return "{}";
}

function refuse(res, e) {
  const status = e.status ?? 500;
  const said = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${e.code ?? "InternalError"}</Code><Message>${e.message}</Message></Error>`;
  res.writeHead(status, { "content-type": "application/xml", "content-length": Buffer.byteLength(said) });
  res.end(said);
}

const server = createServer((req, res) => {
  const pieces = [];
  req.on("data", (piece) => pieces.push(piece));
  req.on("error", () => {});
  req.on("end", async () => {
    const body = Buffer.concat(pieces);
    try {
      if (req.url.startsWith("/--")) return res.end(await control(req, body));
      const url = new URL(req.url, `http://${req.headers.host}`);
      await checkSignature(req, url, body);
      seen.push(`${req.method} ${req.url}`);
      const answer = await serve(req, url, body);
      const headers = { ...answer.headers };
      delete headers.connection;
      delete headers["transfer-encoding"];
      if (req.method !== "HEAD") headers["content-length"] = answer.body.length;
      res.writeHead(answer.status, headers);
      res.end(answer.body);
    } catch (e) {
      refuse(res, e);
    }
  });
});
server.listen(+port, "127.0.0.1", () => console.log(server.address().port));
