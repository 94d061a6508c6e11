"""nginx with TLS in front of the daemon, as docs/how-to/remote.md configures it: streams, WebSockets, addresses, and a login of an MCP client."""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile

import ports
from run import DEADLINE_S, Daemon, Wrong, until

here = sys.modules["__main__"]
Bearer, Skip, equal, holds, test = here.Bearer, here.Skip, here.equal, here.holds, here.test
HERE = pathlib.Path(__file__).resolve().parent
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


def own_address():
    """An address of this machine that is not loopback; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
            return s.getsockname()[0]
        except OSError:
            return None


class Front:
    """A daemon behind nginx."""

    def __init__(self, options=(), issuers=None, port=None):
        if not os.access(NGINX, os.X_OK):
            raise Skip("nginx is not installed")
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-nginx-"))
        self.port = port or ports.free_port()
        self.url = f"https://localhost:{self.port}"
        self.make_certificate()
        self.daemon = Daemon(here.BUILD, str(self.dir / "data"), json.dumps(here.SCRIPT),
                             ['trusted_proxies=["127.0.0.1"]', *([f"auth.issuers={json.dumps(issuers)}"] if issuers else []), *options])
        self.daemon.start()
        self.token = open(self.daemon.data + "/token").read().strip()
        self.start_nginx()

    def make_certificate(self):
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1" + (f",IP:{own_address()}" if own_address() else "")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tests", "-addext", names,
                        "-keyout", str(self.dir / "key.pem"), "-out", str(self.dir / "cert.pem")], check=True, capture_output=True, timeout=DEADLINE_S)

    def start_nginx(self):
        page = (HERE.parent.parent / "docs" / "how-to" / "remote.md").read_text()
        text = re.search(r"```nginx\n(.*?)```", page, re.S).group(1)
        for old, new in (("127.0.0.1:7433", f"127.0.0.1:{self.daemon.port}"), ("listen 443 ssl", f"listen {self.port} ssl"), ("agents.example.org;", "localhost;"),
                         ("/etc/ssl/certs/agents.example.org.pem", str(self.dir / "cert.pem")), ("/etc/ssl/private/agents.example.org.key", str(self.dir / "key.pem"))):
            if old not in text:
                raise Wrong(f"docs/how-to/remote.md has no {old}")
            text = text.replace(old, new)
        temps = "".join(f"{n}_temp_path {self.dir}/{n};" for n in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (self.dir / "nginx.conf").write_text(f"{user} daemon off; pid {self.dir}/pid; worker_processes 1; error_log {self.dir}/error.log;\n"
                                             f"events {{ worker_connections 1024; }}\nhttp {{ access_log {self.dir}/access.log; {temps}\n{text}\n}}\n")
        self.nginx = subprocess.Popen([NGINX, "-p", str(self.dir), "-c", str(self.dir / "nginx.conf"), "-e", str(self.dir / "error.log")],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("nginx listens", self.listens)

    def listens(self):
        if self.nginx.poll() is not None:
            raise Wrong("nginx: " + (self.dir / "error.log").read_text()[-800:])
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def connection(self, address="localhost"):
        trust = ssl.create_default_context(cafile=str(self.dir / "cert.pem"))
        return http.client.HTTPSConnection(address, self.port, timeout=DEADLINE_S, context=trust)

    def request(self, method, path, body=None, headers=(), token=None, address="localhost"):
        c = self.connection(address)
        h = {"Authorization": f"Bearer {token}"} if token else {}
        c.request(method, path, body, {**h, **({"Content-Type": "application/json"} if body else {}), **dict(headers)})
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, data

    def system(self):
        owner = Bearer(self.daemon, self.token)
        return [json.loads(line) for line in owner.events("sess_system", 0)]

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind:
                print("# " + (self.dir / "error.log").read_text()[-600:].replace("\n", "\n# "))
            self.nginx.terminate()
            self.nginx.wait(DEADLINE_S)
            self.daemon.kill() if kind else self.daemon.stop()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


@test
def events_pass_nginx_at_once():
    with Front() as f:
        c = f.connection()
        c.request("GET", "/v1/events", headers={"Authorization": "Bearer " + f.token, "Accept": "text/event-stream"})
        r = c.getresponse()
        equal(r.status, 200)
        for n in range(5):
            status, headers, data = f.request("POST", "/v1/commands/submit_turn", json.dumps({"input": "hello"}), token=f.token)
            equal(status, 202)
            turn = json.loads(data)["turnId"].encode()
            while True:  # the stream stays open: what is read was not held back
                line = r.readline()
                holds(line, "the stream ended")
                if b"turn.completed" in line and turn in line:
                    break
        c.close()


@test
def a_websocket_passes_nginx():
    with Front() as f:
        trust = ssl.create_default_context(cafile=str(f.dir / "cert.pem"))
        with trust.wrap_socket(socket.create_connection(("localhost", f.port), timeout=DEADLINE_S), server_hostname="localhost") as s:
            s.sendall((f"GET /v1/rpc HTTP/1.1\r\nHost: localhost:{f.port}\r\nAuthorization: Bearer {f.token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                       f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
            stream = s.makefile("rb")
            holds(b" 101 " in stream.readline(), "upgraded")
            while stream.readline().strip():
                pass

            def call(n, method, **params):
                text = json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}).encode()
                mask = os.urandom(4)
                size = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + len(text).to_bytes(2, "big")
                s.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(text)))
                while True:
                    kind, size = stream.read(2)
                    size = int.from_bytes(stream.read(2), "big") if size == 126 else int.from_bytes(stream.read(8), "big") if size == 127 else size
                    said = json.loads(stream.read(size))
                    if kind == 0x81 and said.get("id") == n:
                        return said

            equal(call(1, "initialize")["result"]["principal"], "owner")
            for n in range(2, 200):
                holds("result" in call(n, "list_sessions"), n)


@test
def the_address_of_a_client_is_its_own():
    address = own_address()
    if not address:
        raise Skip("this machine has no address but loopback")
    with Front(options=[f'hosts=["localhost","127.0.0.1","{address}"]', "a2a.enabled=true"]) as f:
        equal(f.request("GET", "/v1/sessions", headers={"X-Forwarded-For": "198.51.100.1", "Forwarded": "for=198.51.100.2"}, address=address)[0], 401)
        found = until("the warning", lambda: [e for e in f.system() if e.get("payload", {}).get("category") == "login_refused"])
        equal(found[0]["payload"]["message"], f"A caller without a valid token was refused (http, from {address}).")
        equal(found[0]["payload"]["cause"], "http")
        card = json.loads(f.request("GET", "/.well-known/agent-card.json", address=address)[2])
        holds(all(i["url"].startswith(f"https://{address}:{f.port}/") for i in card["supportedInterfaces"]), card["supportedInterfaces"])
        direct = json.loads(Bearer(f.daemon, None).whole("GET", "/.well-known/agent-card.json", headers={"X-Forwarded-Proto": "https"})[2])
        holds(all(i["url"].startswith("https://") for i in direct["supportedInterfaces"]), "127.0.0.1 is the proxy")


@test
def without_trusted_proxies_nothing_is_believed():
    dir = tempfile.mkdtemp(prefix="thole-nginx-")
    daemon = Daemon(here.BUILD, dir + "/data", json.dumps(here.SCRIPT), ["a2a.enabled=true"])
    daemon.start()
    try:
        said = {"X-Forwarded-Proto": "https", "Forwarded": "proto=https"}
        card = json.loads(Bearer(daemon, None).whole("GET", "/.well-known/agent-card.json", headers=said)[2])
        holds(all(i["url"].startswith("http://") for i in card["supportedInterfaces"]), card)
    finally:
        daemon.stop()
        shutil.rmtree(dir, ignore_errors=True)


@test
def clients_behind_a_proxy_are_limited_one_by_one():
    dir = tempfile.mkdtemp(prefix="thole-nginx-")
    address = own_address()
    if not address:
        raise Skip("this machine has no address but loopback")
    daemon = Daemon(here.BUILD, dir + "/data", json.dumps(here.SCRIPT), ['trusted_proxies=["127.0.0.1"]'])
    command = daemon.before
    daemon.before = [sys.executable, "-c", "import os, sys; a = sys.argv[1:]; os.execv(a[0], a + ['--allow-remote'])"]
    try:
        daemon.start()
        limit = json.load(open(HERE.parent.parent / "catalog" / "limits.json"))["connections_per_peer"]["value"]
        token = open(daemon.data + "/token").read().strip()
        streams = []

        def begin(client):
            s = socket.create_connection(("127.0.0.1", daemon.port), timeout=DEADLINE_S)
            s.sendall((f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n"
                       f"X-Forwarded-For: {client}\r\n\r\n").encode())
            streams.append(s)
            return s.recv(16)

        for n in range(limit):
            equal(begin("203.0.113.7"), b"HTTP/1.1 200 OK\r", f"{n} of {limit}")
        equal(begin("203.0.113.7")[:12], b"HTTP/1.1 503", "one more of that client")
        equal(begin("203.0.113.8")[:12], b"HTTP/1.1 200", "another client")
        for s in streams[:5]:
            s.close()
        until("places are free again", lambda: begin("203.0.113.7")[:12] == b"HTTP/1.1 200")
        for s in streams:
            s.close()
        daemon.before = command
        daemon.stop()
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.kill()
        shutil.rmtree(dir, ignore_errors=True)


@test
def a_forwarder_on_the_unix_socket_is_not_the_owner():
    dir = tempfile.mkdtemp(prefix="thole-nginx-")
    daemon = Daemon(here.BUILD, dir + "/data", json.dumps(here.SCRIPT), [])
    daemon.start()
    try:
        for header, status in (("", 200), ("X-Forwarded-For: 1.2.3.4\r\n", 401), ("Forwarded: for=x\r\n", 401), ("X-Real-IP: 1.2.3.4\r\n", 401),
                               *((name + ": x\r\n", 401) for name in ("X-Forwarded-Proto", "X-Forwarded-Host", "x-forwarded-port", "X-Forwarded-Server", "Via",
                                                                      "CF-Connecting-IP", "True-Client-IP", "X-Client-IP"))):
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(DEADLINE_S)
                s.connect(daemon.data + "/socket")
                s.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: x\r\n{header}\r\n".encode())
                equal(int(s.recv(12).split()[1]), status, header)
    finally:
        daemon.stop()
        shutil.rmtree(dir, ignore_errors=True)


@test
def an_mcp_client_logs_in_at_the_issuer_and_uses_thole():
    if not (HERE / "node_modules" / "oidc-provider").is_dir():
        raise Skip("the libraries from npm are not here")
    server = subprocess.Popen(["node", "login.mjs", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=HERE)
    try:
        issuer = json.loads(server.stdout.readline())["issuer"]
        port = ports.free_port()
        with Front(["mcp.serve=true"], {"corp": {"issuer": issuer, "audience": f"https://localhost:{port}/mcp"}}, port) as f:
            done = subprocess.run(["node", "login.mjs", "connect", f.url + "/mcp"], capture_output=True, text=True, timeout=DEADLINE_S * 2, cwd=HERE,
                                  env={**os.environ, "NODE_EXTRA_CA_CERTS": str(f.dir / "cert.pem")})
            holds(done.returncode == 0, done.stderr[-1200:])
            seen = json.loads(done.stdout)
            equal((seen["asked"], seen["resource"], seen["aud"], seen["sub"], seen["typ"]), (1, f.url + "/mcp", f.url + "/mcp", "alice", "at+jwt"))
            holds("run" in seen["tools"] and not seen["ran"].get("isError"), seen)
            events = [e for e in f.system() if e["type"] == "channel.connected"]
            holds(any("corp:alice" in json.dumps(e) for e in events), events)
            b = Bearer(f.daemon, seen["token"])
            equal(len(b.do("list_sessions")["sessions"]), 1, "its session, by the same token over HTTP")
    finally:
        server.stdin.close()
        server.wait(DEADLINE_S)
        server.stdout.close()
