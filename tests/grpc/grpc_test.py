#!/usr/bin/env python3
"""A2A over gRPC: the official client through thole-grpc, and callers that do wrong.

usage: grpc_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.
"""
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

from grpc_fixture import ALLOW, Adapter, DEADLINE_S, H2, HERE, Receiver, World, Wrong, die_with_parent, fields, free_port, message, text_field, until
from outward import tests as outward
from rude import tests as rude
from tap import Skip, long, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
tests = []


def test(f):
    tests.append(f)
    return f


def need_node():
    if not shutil.which("node") or not (HERE / "node_modules/@a2a-js/sdk").exists():
        raise Skip("the official client is not here: npm ci in tests/grpc fetches it")


def node(*args):
    r = subprocess.run(["node", *args], cwd=HERE, capture_output=True, text=True, timeout=DEADLINE_S * 2)
    if r.returncode:
        raise Wrong(r.stderr[-3000:] + r.stdout[-500:])
    return json.loads(r.stdout.splitlines()[-1])


def check_conversation(seen):
    assert seen["binding"] == "GRPC", seen
    assert seen["send"] == ["TASK_STATE_COMPLETED", "answer to hello"], seen
    assert seen["context"] == [True, True], seen
    assert seen["stream"][0] == "task" and seen["last"] == "TASK_STATE_COMPLETED", seen
    assert "one two three four five six seven eight nine ten".endswith(seen["text"]) and len(seen["text"]) > 20, seen
    assert seen["asked"] == "TASK_STATE_INPUT_REQUIRED" and seen["answered"][0] == "TASK_STATE_COMPLETED", seen
    assert seen["answered"][1].endswith("You chose the left one"), seen
    assert seen["busy"] in ("TASK_STATE_WORKING", "TASK_STATE_SUBMITTED") and seen["push"] == [True, True], seen
    assert seen["listed"] == 1 and seen["got"], seen
    assert seen["resubscribed"][0] == "task" and seen["cancel"] == seen["after"] == "TASK_STATE_CANCELED", seen
    assert seen["get"] == "TASK_STATE_COMPLETED" and seen["page"] == [2, 4, True], seen
    assert seen["card"] >= 1, seen
    failures = {f[0]: f[1:] for f in seen["failures"]}
    assert failures["missing"][0] == "GrpcTaskNotFoundError" and failures["ended"][0] == "GrpcTaskNotCancelableError", seen
    assert " 16 " in failures["stranger"][1], seen


@test
def the_official_client_works_over_grpc():
    need_node()
    port = free_port()
    with World(options=[*ALLOW, f"a2a.grpc_url=127.0.0.1:{port}"]) as w, Receiver() as hook, \
            Adapter("--listen", f"127.0.0.1:{port}", "--to", f"http://127.0.0.1:{w.daemon.port}"):
        check_conversation(node("peer.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("sdk"), hook.url))


def doctor(w, *words):
    done = subprocess.run([World.build + "/thole", "doctor", "--json", "--data", w.data, *words], capture_output=True, text=True, timeout=DEADLINE_S * 2,
                          env={**os.environ, "XDG_CONFIG_HOME": w.data + ".config"})
    return {c["id"]: c for c in json.loads(done.stdout)["checks"]}.get("a2a.grpc")


@test
def doctor_tries_the_address_that_the_card_names():
    port = free_port()
    with World(options=[f"a2a.grpc_url=127.0.0.1:{port}"]) as w:
        named = [e for e in w.call("get_capabilities")["endpoints"] if e.get("binding") == "GRPC"]
        assert [(e["protocol"], e["url"], e["isEnabled"]) for e in named] == [("a2a", f"127.0.0.1:{port}", True)], named
        assert "--online" in json.dumps(doctor(w))
        assert "cannot connect" in json.dumps(doctor(w, "--online")) and doctor(w, "--online")["status"] == "bad"
        with Adapter("--listen", f"127.0.0.1:{port}", "--to", f"http://127.0.0.1:{w.daemon.port}"):
            found = doctor(w, "--online")
            assert found["status"] == "ok" and "speaks HTTP/2" in json.dumps(found), found
    with World() as w:
        assert doctor(w) is None and not [e for e in w.call("get_capabilities")["endpoints"] if e.get("binding") == "GRPC"]
    with World() as other, World(options=[f"a2a.grpc_url=127.0.0.1:{other.daemon.port}"]) as w:
        assert "no gRPC server" in json.dumps(doctor(w, "--online"))


@test
@long
def thousands_of_calls_and_streams_leave_nothing_behind():
    need_node()
    with World(options=["limits.principal_streams=5000", "limits.principal_requests=1000"]) as w, Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{w.daemon.port}") as a:
        token = w.token("sdk")
        node("load.mjs", a.address, token, "100", "20")
        before = a.level()
        seen = node("load.mjs", a.address, token, "5000", "1000")
        assert seen["calls"] == [4500, 500] and seen["first"] == seen["ends"] == 1000 and seen["codes"] == {}, seen
        assert seen["cancelled"] == 300 and seen["deadline"] == 4, seen
        until("connections are closed", lambda: a.descriptors() <= before[0] + 8)
        until("memory as before", lambda: a.memory_kib() < before[1] + 6144)
        print(f"# memory before {before[1]} KiB, after {a.memory_kib()} KiB; descriptors {before[0]} and {a.descriptors()}")


@test
def every_caller_is_its_own_principal():
    """A task of one token looks missing to another, byte for byte."""
    with World() as w, Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{w.daemon.port}") as a:
        task = w.rest("first").send("hello")["id"]
        other = ("authorization", "Bearer " + w.token("second")), ("a2a-version", "1.0")
        with H2(a.port) as h:
            foreign = h.call("GetTask", text_field(2, task), *other)
            missing = h.call("GetTask", text_field(2, task[:-1] + ("0" if task[-1] != "0" else "1")), *other)
        assert foreign == missing and foreign[0]["grpc-status"] == "5", (foreign, missing)


@test
def what_the_caller_says_reaches_the_runtime_and_nothing_else_does():
    got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            got.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            self.send_response(200)
            self.send_header("A2A-Extensions", "e1")
            self.send_header("Content-Length", "13")
            self.end_headers()
            self.wfile.write(b'{"tasks": []}')

        def log_message(self, *rest):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{server.server_address[1]}/base/") as a, H2(a.port) as h:
        found, _ = h.call("ListTasks", text_field(1, "red") + text_field(2, "ü &"), ("authorization", "Bearer t"), ("a2a-version", "1.0"), ("a2a-extensions", "a"),
                          ("a2a-extensions", "b"), ("traceparent", "00-1-2-3"), ("x-forwarded-for", "9.9.9.9"), ("cookie", "c=1"), ("origin", "https://evil.example"),
                          ("x-other", "1"))
        assert found["grpc-status"] == "0" and found["a2a-extensions"] == "e1", found
    server.shutdown()
    server.server_close()
    path, headers = got[0]
    assert path == "/base/red/tasks?contextId=%C3%BC%20%26", path
    assert {k: v for k, v in headers.items() if k not in ("host", "accept", "user-agent", "connection", "accept-encoding")} == {
        "authorization": "Bearer t", "a2a-version": "1.0", "a2a-extensions": "a, b", "traceparent": "00-1-2-3", "x-forwarded-for": "9.9.9.9, 127.0.0.1"}, headers


@test
def targets_that_would_make_every_caller_the_owner_are_refused():
    program = pathlib.Path(World.build) / "thole-grpc"
    for to in ("unix:/run/thole.sock", "/run/thole/thole.sock", "http+unix://x", "./thole.sock"):
        r = subprocess.run([program, "--to", to], capture_output=True, text=True, timeout=DEADLINE_S)
        assert r.returncode == 2 and "Unix socket" in r.stderr, (to, r)
    for options in (["--to", "ftp://x"], ["--to", "http://user@x"], ["--to", "http://x/?a"], ["--listen", "0.0.0.0:0"], ["--listen", "nonsense", "--allow-remote"], ["--what"]):
        r = subprocess.run([program, *options], capture_output=True, text=True, timeout=DEADLINE_S)
        assert r.returncode in (1, 2) and r.stderr, (options, r)
    assert subprocess.run([program, "--version"], capture_output=True, text=True).stdout.startswith("thole-grpc ")


@test
def sigterm_lets_calls_end():
    with World() as w, Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{w.daemon.port}") as a, H2(a.port) as h:
        me = ("authorization", "Bearer " + w.token("p")), ("a2a-version", "1.0")
        stream = h.open(fields("SendMessage", *me), message(text_field(2, text_field(1, "m") + b"\x20\x01" + text_field(5, text_field(1, "words")))))
        until("the runtime works", lambda: w.call("list_sessions")["sessions"])
        a.process.terminate()
        found, data = h.answer(stream)
        assert found["grpc-status"] == "0" and b"nine ten" in data, found
        assert a.process.wait(DEADLINE_S) == 0
        assert h.goaway == 0, h.goaway


@test
def the_catalogue_is_that_of_the_protocol():
    definition = HERE.parents[2] / "shared/specs/a2a/a2a-v1.0.1.proto"
    if not definition.exists():
        raise Skip("the definition of the protocol is not here")
    r = subprocess.run([sys.executable, HERE / "proto_definition.py", definition], capture_output=True, text=True)
    assert not r.returncode, r.stdout + r.stderr


@test
def the_program_is_small():
    """200 KB without symbols.  Gaps between segments, whose size depends on the processor, do not count."""
    program = pathlib.Path(World.build).resolve() / "thole-grpc"
    if "asan" in str(program.resolve()) or not shutil.which("readelf"):
        raise Skip("a build with sanitizers, or no readelf")
    said = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
    size = sum(int(line.split()[4], 16) for line in said.splitlines() if line.split()[:1] == ["LOAD"])
    print(f"# {size} bytes are loaded")
    assert size <= 200_000, size


NGINX = """
daemon off; pid {dir}/pid; error_log {dir}/error warn; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  server {{
    listen 127.0.0.1:{port} ssl http2; ssl_certificate {dir}/cert; ssl_certificate_key {dir}/key;
    location / {{ grpc_pass grpc://127.0.0.1:{to}; grpc_set_header X-Forwarded-For $remote_addr; grpc_read_timeout 1h; }}
  }}
}}
"""


@test
def the_official_client_works_through_nginx_with_tls():
    need_node()
    if not shutil.which("nginx") or not shutil.which("openssl"):
        raise Skip("nginx or openssl is not installed")
    port = free_port()
    with World(options=[*ALLOW, f"a2a.grpc_url=localhost:{port}"]) as w, Receiver() as hook, \
            Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{w.daemon.port}") as a:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", w.dir / "key", "-out", w.dir / "cert", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        (w.dir / "nginx.conf").write_text(NGINX.format(dir=w.dir, port=port, to=a.port))
        nginx = subprocess.Popen(["nginx", "-c", w.dir / "nginx.conf", "-e", w.dir / "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            until("nginx listens", lambda: not socket.socket().connect_ex(("127.0.0.1", port)))
            check_conversation(node("peer.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("sdk"), hook.url, str(w.dir / "cert")))
        finally:
            nginx.terminate()
            nginx.wait(DEADLINE_S)


tests += rude + outward
if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
