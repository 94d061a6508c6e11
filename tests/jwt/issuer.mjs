// An issuer of tokens on jose, for tests.
//
//   node issuer.mjs
//
// Prints {"issuer"} when it listens, and ends with its standard input.  POST /control takes {op, ...} and is how tests mint tokens, replace keys
// and make the issuer misbehave; all other paths are what a runtime fetches.
import http from 'node:http';
import crypto from 'node:crypto';
import * as jose from 'jose';

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

const keys = new Map(); // by kid: {alg, pair, jwk}
const figures = { metadata: 0, openid: 0, keys: 0 };
let mode = {}; // {status, redirect, issuer, keysAt, text, hold}
let held = [];

async function add(kid, alg, extra = {}) {
  const options = { extractable: true, ...(alg.startsWith('RS') || alg.startsWith('PS') ? { modulusLength: 2048 } : {}) };
  const pair = await jose.generateKeyPair(alg, options);
  const jwk = { ...(await jose.exportJWK(pair.publicKey)), kid, alg, use: 'sig', ...extra };
  for (const name of Object.keys(jwk)) if (jwk[name] === null) delete jwk[name];
  keys.set(kid, { alg, pair, jwk });
}

const now = () => Math.floor(Date.now() / 1000);
const part = (v) => Buffer.from(typeof v === 'string' ? v : JSON.stringify(v)).toString('base64url');

async function mint({ kid, alg, claims = {}, header = {}, without = [] }) {
  const key = keys.get(kid);
  const body = { iss: issuer, aud: 'thole', sub: 'alice', iat: now(), exp: now() + 3600, jti: crypto.randomUUID(), scope: 'read write', ...claims };
  for (const name of without) delete body[name];
  const head = { alg: alg ?? key.alg, kid, typ: 'at+jwt', ...header };
  for (const name of Object.keys(head)) if (head[name] === null) delete head[name];
  return new jose.SignJWT(body).setProtectedHeader(head).sign(key.pair.privateKey);
}

// Tokens that jose does not make: any header, any claims text, signed by a key with node's crypto, or by a secret.
function forge({ kid, header, claims, secret, sign = true }) {
  const covered = `${part(header)}.${part(claims)}`;
  if (secret === 'spki') secret = crypto.createPublicKey({ key: keys.get(kid).jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  if (secret !== undefined) return `${covered}.${crypto.createHmac('sha256', secret).update(covered).digest('base64url')}`;
  if (!sign) return `${covered}.`;
  const key = crypto.KeyObject.from(keys.get(kid).pair.privateKey);
  const how = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key;
  return `${covered}.${crypto.sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', covered, how).toString('base64url')}`;
}

async function control(op, given) {
  if (op === 'add') return add(given.kid, given.alg, given.extra);
  if (op === 'drop') return void keys.delete(given.kid);
  if (op === 'mint') {
    const all = [];
    for (let i = 0; i < (given.count ?? 1); i += 1) {
      const claims = given.count ? { ...given.claims, ...(given.subject ? { sub: `${given.subject}${i}` } : {}) } : given.claims;
      all.push(await mint({ ...given, claims }));
    }
    return given.count ? all : all[0];
  }
  if (op === 'forge') return forge(given);
  if (op === 'mode') { mode = given; if (!mode.hold) { held.forEach((go) => go()); held = []; } return undefined; }
  if (op === 'figures') return { ...figures, held: held.length };
  throw new Error(op);
}

function respond(res, status, body, headers = {}) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body ?? null));
}

function serve(req, res) {
  if (mode.hold) { held.push(() => serve(req, res)); return; }
  if (req.url === '/jwks') figures.keys += 1;
  else if (req.url.startsWith('/.well-known/openid')) figures.openid += 1;
  else figures.metadata += 1;
  if (mode.redirect) respond(res, 302, {}, { location: mode.redirect });
  else if (mode.status) respond(res, mode.status, {});
  else if (req.url === '/jwks') respond(res, 200, mode.text ?? { keys: [...keys.values()].map((k) => k.jwk) });
  else if (req.url === '/.well-known/openid-configuration' || (req.url === '/.well-known/oauth-authorization-server' && !mode.onlyOpenid)) {
    respond(res, 200, { issuer: mode.issuer ?? issuer, jwks_uri: mode.keysAt ?? `${issuer}/jwks` });
  } else respond(res, 404, {});
}

const server = http.createServer((req, res) => {
  if (req.url !== '/control') { serve(req, res); return; }
  const parts = [];
  req.on('data', (p) => parts.push(p));
  req.on('end', async () => {
    try {
      const { op, ...given } = JSON.parse(Buffer.concat(parts));
      respond(res, 200, JSON.stringify((await control(op, given)) ?? null));
    } catch (e) {
      respond(res, 500, { error: String(e.stack) });
    }
  });
});
const port = await new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server.address().port)); });
const issuer = `http://127.0.0.1:${port}`;
console.log(JSON.stringify({ issuer }));
