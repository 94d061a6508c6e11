"""A user with an empty home who types commands, and a proxy of a company, for tests of providers.

The build directory is the test's first argument.
"""
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
from fake import Fake  # noqa: E402
from wait import DEADLINE_S  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
THOLE = os.path.join(BUILD, "thole")
KEY = "sk-canary-0123456789abcdef"
FOREIGN = ("THOLE_", "XDG_", "AWS_", "GOOGLE_", "GCE_", "CLOUDSDK_")


class Home:
    """A user with an empty home; providers are turned to loopback by THOLE_PROVIDERS, as a setting would."""

    def __init__(self, more=None, **providers):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-setup-"))
        self.fakes = [p for p in providers.values() if isinstance(p, Fake)]
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(FOREIGN) and not k.endswith(("_API_KEY", "_BASE_URL")) and not k.lower().endswith("_proxy")}
        self.env.update(HOME=str(self.dir), THOLE_DATA=str(self.dir / "data"), THOLE_MODELS_LOCAL="false")
        bases = {"anthropic": "/v1", "gemini": "/v1beta", "ollama": ""}
        settings = {n: {"baseUrl": f"http://127.0.0.1:{p.port}{bases.get(n, '/v1')}", **(more or {})} for n, p in providers.items()}
        if settings:
            self.env["THOLE_PROVIDERS"] = json.dumps(settings)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.type("serve", "--stop")
        for f in self.fakes:
            f.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def type(self, *words, answers=None, **env):
        return subprocess.run([THOLE, *words], input=answers, capture_output=True, text=True, timeout=DEADLINE_S, cwd=self.dir,
                              env={**self.env, **env}, stdin=None if answers is not None else subprocess.DEVNULL)

    def ok(self, *words, **more):
        p = self.type(*words, **more)
        assert p.returncode == 0, f"thole {' '.join(words)}: exit {p.returncode}\n{p.stdout}{p.stderr}"
        return p.stdout

    def fails(self, code, *words, **more):
        p = self.type(*words, **more)
        assert p.returncode == code, f"thole {' '.join(words)}: exit {p.returncode}, expected {code}\n{p.stdout}{p.stderr}"
        return p.stderr

    def start_daemon(self):
        """Without any key."""
        self.ok("ps")

    def sessions(self):
        return [s for s in self.ok("ps", "--all", "-q").split() if s]

    def check_no_canary(self, but=()):
        found = subprocess.run(["grep", "-rl", "canary", str(self.dir)], capture_output=True, text=True).stdout.split()
        assert [f for f in found if not any(f.endswith(b) for b in but)] == [], found


class Proxy:
    """An HTTP proxy that ends every tunnel at a TLS server of its own, for any name."""

    def __init__(self, directory, reply, hosts):
        self.asked, self.seen = [], []
        run = lambda *a: subprocess.run(["openssl", *a], check=True, capture_output=True, cwd=directory)  # noqa: E731
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test-ca")
        run("req", *key, "-keyout", "s.key", "-out", "s.csr", "-subj", "/CN=proxy-test")
        names = ",".join(f"DNS:{n}" for n in hosts)
        (pathlib.Path(directory) / "ext").write_text("subjectAltName=" + names)
        run("x509", "-req", "-in", "s.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext",
            "-out", "s.pem")
        self.ca = str(pathlib.Path(directory) / "ca.pem")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(pathlib.Path(directory) / "s.pem", pathlib.Path(directory) / "s.key")
        self.reply = reply
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                s, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(s,), daemon=True).start()

    def serve(self, s):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += s.recv(1)
            self.asked.append(head.decode().split()[1])
            s.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            t = self.context.wrap_socket(s, server_side=True)
            f = t.makefile("rb")
            line = f.readline().decode()
            headers = {}
            while (h := f.readline().strip()):
                name, value = h.decode().split(":", 1)
                headers[name.lower()] = value.strip()
            body = f.read(int(headers.get("content-length", 0)))
            self.seen.append((line.split()[1], headers, body))
            status, kinds, data = self.reply(line)
            extra = "".join(f"{k}: {v}\r\n" for k, v in kinds.items())
            t.sendall(f"HTTP/1.1 {status} OK\r\n{extra}Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data)
            t.close()
        except (OSError, ssl.SSLError, IndexError):
            s.close()

    def close(self):
        self.listener.close()
