"""What the two clouds do, for tests: signatures recomputed from requests as received, event-stream frames, tokens for assertions.

The computation of signatures is independent of the C code and is itself checked against the vendor's published example (check_vector).
"""
import base64
import functools
import hashlib
import hmac
import json
import pathlib
import struct
import subprocess
import tempfile
import urllib.parse
import zlib

from fake import Fake

# ---- AWS ----


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(method, target, headers, names, body, secret, date, region, service):
    """headers: by lower-case name, as received.  The path is encoded once more, the query sorted."""
    path, _, query = target.partition("?")
    members = sorted(m if "=" in m else m + "=" for m in query.split("&") if m)
    canonical = "\n".join([method, urllib.parse.quote(path, safe="/-_.~"), "&".join(members),
                           *[f"{n}:{' '.join(headers[n].split())}" for n in names], "", ";".join(names), hashlib.sha256(body).hexdigest()])
    scope = f"{date[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = mac(mac(mac(mac(b"AWS4" + secret.encode(), date[:8]), region), service), "aws4_request")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def check_vector():
    """The vendor's example: ListUsers, 30 August 2015."""
    got = signature("GET", "/?Action=ListUsers&Version=2010-05-08",
                    {"host": "iam.amazonaws.com", "x-amz-date": "20150830T123600Z",
                     "content-type": "application/x-www-form-urlencoded; charset=utf-8"},
                    ["content-type", "host", "x-amz-date"], b"", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830T123600Z",
                    "us-east-1", "iam")
    assert got == "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7", got


def check_signed(r, access_key, secret, region, token=None):
    """r: a Request of fake.py.  Whatever may change the meaning of a request is signed."""
    parts = dict(p.split("=", 1) for p in r.headers["authorization"].split(" ", 1)[1].split(", "))
    names = parts["SignedHeaders"].split(";")
    assert r.headers["authorization"].startswith("AWS4-HMAC-SHA256 ")
    assert {"host", "x-amz-date", "content-type"} <= set(names) and ("x-amz-security-token" in names) == bool(token), names
    assert r.headers.get("x-amz-security-token") == token
    assert parts["Credential"] == f"{access_key}/{r.headers['x-amz-date'][:8]}/{region}/bedrock/aws4_request", parts
    want = signature(r.method, r.path, r.headers, names, r.raw, secret, r.headers["x-amz-date"], region, "bedrock")
    assert parts["Signature"] == want, (parts, want)


def frame(kind, payload, message="event"):
    """One message of an event stream."""
    headers = b""
    for name, value in ((":exception-type" if message == "exception" else ":event-type", kind), (":content-type", "application/json"),
                        (":message-type", message)):
        headers += bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
    data = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    return prelude + headers + data + struct.pack(">I", zlib.crc32(prelude + headers + data))


def converse(*blocks, stop="end_turn"):
    """An answer of ConverseStream: blocks are texts, or (id, name, arguments as text)."""
    def answer(r):
        out = frame("messageStart", {"role": "assistant"})
        for i, b in enumerate(blocks):
            if isinstance(b, str):
                out += frame("contentBlockDelta", {"contentBlockIndex": i, "delta": {"text": b}, "p": "abc"})
            else:
                out += frame("contentBlockStart", {"contentBlockIndex": i, "start": {"toolUse": {"toolUseId": b[0], "name": b[1]}}})
                out += frame("contentBlockDelta", {"contentBlockIndex": i, "delta": {"toolUse": {"input": b[2]}}})
            out += frame("contentBlockStop", {"contentBlockIndex": i})
        out += frame("messageStop", {"stopReason": stop})
        out += frame("metadata", {"usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}, "metrics": {"latencyMs": 1}})
        return 200, {"Content-Type": "application/vnd.amazon.eventstream", "x-amzn-RequestId": "aws-req-1"}, out
    return answer


# ---- Google ----


def unpad(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@functools.cache
def rsa_key():
    """One for all accounts: to make one takes longer than a test."""
    command = ["openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    return subprocess.run(command, check=True, capture_output=True).stdout


class Google:
    """An account and its token server: assertions are verified with openssl, tokens are numbered."""

    def __init__(self, expires=3600, refuse=None, before=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-google-"))
        self.tokens, self.forms = [], []
        self.expires, self.refuse, self.before = expires, refuse, before
        (self.dir / "key.pem").write_bytes(rsa_key())
        subprocess.run(["openssl", "pkey", "-in", self.dir / "key.pem", "-pubout", "-out", self.dir / "pub.pem"], check=True, capture_output=True)
        self.server = Fake(self.answer)
        self.url = f"http://127.0.0.1:{self.server.port}/token"

    def close(self):
        self.server.close()

    def service_account(self, **more):
        path = self.dir / "account.json"
        path.write_text(json.dumps({
            "type": "service_account", "project_id": "file-project", "private_key_id": "key-1", "private_key": (self.dir / "key.pem").read_text(),
            "client_email": "bot@file-project.iam.gserviceaccount.com", "client_id": "1", "token_uri": self.url, **more}))
        return str(path)

    def user(self, path=None, **more):
        path = path or self.dir / "user.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"type": "authorized_user", "client_id": "id.apps", "client_secret": "canary-client-secret",
                                    "refresh_token": "1//canary-refresh", "token_uri": self.url, "quota_project_id": "user-project", **more}))
        return str(path)

    def answer(self, r):
        if self.before:
            self.before()
        if r.path.startswith("/computeMetadata/"):
            assert r.headers["metadata-flavor"] == "Google" and r.method == "GET", r.headers
        else:
            form = dict(urllib.parse.parse_qsl(r.raw.decode(), strict_parsing=True))
            self.forms.append(form)
            if "assertion" in form:
                self.verify(form)
        if self.refuse:
            return 400, {"Content-Type": "application/json"}, json.dumps(
                {"error": self.refuse, "error_description": "quoting " + r.raw.decode()[-400:]}).encode()
        token = f"ya29.canary-token-{len(self.tokens) + 1}"
        self.tokens.append(token)
        return 200, {"Content-Type": "application/json"}, json.dumps(
            {"access_token": token, "expires_in": self.expires, "token_type": "Bearer"}).encode()

    def verify(self, form):
        assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer", form
        head, claims, mark = form["assertion"].split(".")
        (self.dir / "signature").write_bytes(unpad(mark))
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", self.dir / "pub.pem", "-signature", self.dir / "signature"],
                       input=f"{head}.{claims}".encode(), check=True, capture_output=True)
        assert json.loads(unpad(head)) == {"alg": "RS256", "typ": "JWT", "kid": "key-1"}, head
        self.claims = json.loads(unpad(claims))
        assert self.claims["iss"] == "bot@file-project.iam.gserviceaccount.com" and self.claims["aud"] == self.url, self.claims
        assert self.claims["scope"] == "https://www.googleapis.com/auth/cloud-platform", self.claims
        assert self.claims["exp"] - self.claims["iat"] == 3600, self.claims
