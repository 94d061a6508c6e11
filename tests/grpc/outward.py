"""Thole delegates work to an agent that speaks gRPC only: thole-grpc --agent in front of the official SDK's server."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import urllib.request

from a2a_delegate import delegate, ended, reaches, task_of, texts, thole
from a2a_fixture import World
from grpc_fixture import Adapter, DATA, DEADLINE_S, END_HEADERS, END_STREAM, HEADERS, HERE, SETTINGS, Wrong, die_with_parent, frame, literal, message, until
from tap import Skip

tests = []


def test(f):
    tests.append(f)
    return f


@contextlib.contextmanager
def sdk_agent(*certificate):
    if not shutil.which("node") or not (HERE / "node_modules/express").exists():
        raise Skip("the official SDK is not here: npm ci in tests/grpc fetches it")
    node = subprocess.Popen(["node", "agent.mjs", *certificate], cwd=HERE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    try:
        yield node.stdout.readline().split()
    finally:
        node.kill()
        node.wait()
        node.stdout.close()


def ask(a, method, path, body=None, headers=(), host=None):
    c = http.client.HTTPConnection("127.0.0.1", a.port, timeout=DEADLINE_S)
    h = {"A2A-Version": "1.0", **dict(headers)}
    if body is not None:
        h.setdefault("Content-Type", "application/a2a+json")
    if host:
        h["Host"] = host
    c.request(method, path, body if isinstance(body, (str, type(None))) else json.dumps(body), h)
    r = c.getresponse()
    text = r.read().decode()
    c.close()
    return r.status, json.loads(text) if text.startswith("{") else text


@test
def thole_delegates_to_an_agent_that_speaks_grpc_only():
    with sdk_agent() as (address, card), Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card) as a, \
            thole(f"http://127.0.0.1:{a.port}", headers={"Authorization": "Bearer for-the-agent"}) as w:
        at = delegate(w, "echo this")
        task = ended(w, at)
        assert texts(w, at) == ["echo: echo this"] and task["nativeStatus"] == "TASK_STATE_COMPLETED", task
        at = delegate(w, "words")
        ended(w, at)
        assert texts(w, at) == ["one two three"], texts(w, at)
        at = delegate(w, "file")
        ended(w, at)
        assert sorted(texts(w, at)) == sorted(["AAEC/w==", '{"n":7,"list":[1.5,null,true,{"deep":"ü"}]}']), texts(w, at)
        at = delegate(w, "flood 30")
        ended(w, at)
        assert texts(w, at) == ["".join(f"{i:04}" + "x" * 996 for i in range(30))]
        at = delegate(w, "ask")
        action = w.pending(at[0])
        assert "left or right?" in task_of(w, at)["statusReason"]
        w.call("respond_action", sessionId=at[0], actionId=action, decision="answer", payload={"answer": "left"})
        ended(w, at)
        assert texts(w, at) == ["you said left"], texts(w, at)
        at = delegate(w, "reject")
        assert ended(w, at, "failed")["nativeStatus"] == "TASK_STATE_REJECTED"
        at = delegate(w, "fail")
        assert "it broke" in ended(w, at, "failed")["statusReason"]
        at = delegate(w, "hang")
        reaches(w, at, "running")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        w.call("cancel_task", sessionId=at[0], taskId=at[1])
        assert ended(w, at, "cancelled")["nativeStatus"] == "TASK_STATE_CANCELED"
        log = json.load(urllib.request.urlopen(card.replace("/.well-known/agent-card.json", "/log")))
        heads = [m for m in log if "version" in m]
        assert heads and all(m["authorization"] == "Bearer for-the-agent" and m["version"] == "1.0" for m in heads), heads[:3]
        assert [m.get("text") for m in log].count("echo this") == 1, log


@test
def a_delegation_survives_the_death_of_the_adapter():
    with sdk_agent() as (address, card):
        a = Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card)
        with thole(f"http://127.0.0.1:{a.port}") as w:
            at = delegate(w, "hang")
            until("the remote id", lambda: task_of(w, at).get("remoteTask"))
            a.process.kill()
            a.process.wait()
            reaches(w, at, "stale")
            with Adapter("--listen", f"127.0.0.1:{a.port}", "--agent", address, "--card", card):
                reaches(w, at, "running")
                w.call("cancel_task", sessionId=at[0], taskId=at[1])
                ended(w, at, "cancelled")


@test
def the_card_names_this_interface_alone():
    with sdk_agent() as (address, card):
        for options in (["--card", card], []):
            with Adapter("--listen", "127.0.0.1:0", "--agent", address, *options) as a:
                status, got = ask(a, "GET", "/.well-known/agent-card.json")
                assert status == 200 and got["name"] == "foreign" and "signatures" not in got, (status, got)
                assert got["supportedInterfaces"] == [{"url": f"http://127.0.0.1:{a.port}", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}], got


def hello(text="echo", id="m-1"):
    return {"message": {"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}}


@test
def errors_of_the_agent_keep_their_reason():
    with sdk_agent() as (address, card), Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card) as a:
        status, got = ask(a, "GET", "/tasks/no-such-task")
        assert status == 404 and got["error"]["status"] == "NOT_FOUND", (status, got)
        assert got["error"]["details"][0]["reason"] == "TASK_NOT_FOUND", got
        status, got = ask(a, "POST", "/message:send", hello())
        assert status == 200 and got["task"]["status"]["state"] == "TASK_STATE_COMPLETED", got
        status, got = ask(a, "POST", f"/tasks/{got['task']['id']}:cancel", {})
        assert status == 400 and got["error"]["details"][0]["reason"] == "TASK_NOT_CANCELABLE", (status, got)
        status, got = ask(a, "POST", "/message:stream", hello(id="m-2"))
        assert status == 200 and got.count("data: ") >= 3 and "TASK_STATE_COMPLETED" in got, got


@test
def wrong_requests_of_this_side_never_reach_the_agent():
    with sdk_agent() as (address, card), Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card) as a:
        for expected, method, path, body, headers, host in (
                (404, "GET", "/v1/sessions", None, {}, None), (404, "DELETE", "/tasks/x", None, {}, None), (400, "POST", "/message:send", "[]", {}, None),
                (400, "POST", "/message:send", "{\"message\":7}", {}, None), (400, "POST", "/message:send", "{", {}, None),
                (400, "POST", "/message:send", hello(), {"Content-Type": "text/plain"}, None), (403, "POST", "/message:send", hello(), {"Origin": "https://evil.example"}, None),
                (403, "POST", "/message:send", hello(), {}, "evil.example"), (400, "GET", "/tasks?pageSize=many", None, {}, None),
                (400, "POST", "/message:send", "[" * 5000, {}, None), (413, "POST", "/message:send", "x" * 5_000_000, {}, None)):
            try:
                status, got = ask(a, method, path, body, headers, host)
            except (BrokenPipeError, ConnectionResetError):
                status, got = 413, "closed while sending"
            assert status == expected, (expected, method, path, status, got)
        log = json.load(urllib.request.urlopen(card.replace("/.well-known/agent-card.json", "/log")))
        assert not log, log


class Rude:
    """Something that listens instead of an agent and answers each connection with these bytes."""

    def __init__(self, reply):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        self.reply = reply
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                c, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(c,), daemon=True).start()

    def serve(self, c):
        with c:
            c.settimeout(DEADLINE_S)
            try:
                c.recv(65536)
                c.sendall(self.reply)
                while c.recv(65536):
                    pass
            except OSError:
                pass

    def close(self):
        self.server.close()


SETUP = frame(SETTINGS, 0, 0) + frame(SETTINGS, 1, 0)
HEAD = literal(":status", "200") + literal("content-type", "application/grpc")


@test
def agents_that_do_wrong_get_an_error_here():
    ok = literal("grpc-status", "0")
    cases = [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", 503), (b"\0" * 64, 503),
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, literal(":status", "502")), 503),
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, HEAD), 500),
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, HEAD + ok), 500),                                    # no message
        (SETUP + frame(HEADERS, END_HEADERS, 1, HEAD) + frame(DATA, 0, 1, message(b"\x0a\x05ab")) + frame(HEADERS, END_HEADERS | END_STREAM, 1, ok), 500),
        (SETUP + frame(HEADERS, END_HEADERS, 1, HEAD) + frame(DATA, 0, 1, b"\0\0\0\0\x09ab") + frame(HEADERS, END_HEADERS | END_STREAM, 1, ok), 500),
        (SETUP + frame(HEADERS, END_HEADERS, 1, HEAD) + frame(DATA, 0, 1, b"\0\xff\xff\xff\xff"), 429),            # too large
        (SETUP + frame(HEADERS, END_HEADERS, 1, HEAD) + frame(DATA, 0, 1, message(b"x", 1)), 429),                 # compressed
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, HEAD + literal("grpc-status", "99")), 500),
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, HEAD + literal("grpc-status", "16") + literal("grpc-message", "sign%20in%zz")), 401),
        (SETUP + frame(HEADERS, END_HEADERS | END_STREAM, 1, HEAD + literal("grpc-status", "5") + literal("grpc-status-details-bin", "!!!")), 404),
        (SETUP + frame(3, 0, 1, b"\0\0\0\7"), 503), (SETUP + frame(7, 0, 0, b"\0" * 8), 503),
    ]
    for reply, expected in cases:
        rude = Rude(reply)
        with Adapter("--listen", "127.0.0.1:0", "--agent", rude.address) as a:
            before = a.descriptors()
            status, got = ask(a, "GET", "/tasks/x")
            assert status == expected and "error" in got, (reply[-60:], expected, status, got)
            until("descriptors as before", lambda: a.descriptors() <= before + 1)
        rude.close()
    with Adapter("--listen", "127.0.0.1:0", "--agent", "127.0.0.1:1") as a:
        assert ask(a, "GET", "/tasks/x")[0] == 503
        assert ask(a, "GET", "/tasks/x")[0] == 503


@test
def a_reader_that_goes_ends_the_call_of_the_agent():
    with sdk_agent() as (address, card), Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card) as a:
        before = a.descriptors()
        for i in range(200):
            c = http.client.HTTPConnection("127.0.0.1", a.port, timeout=DEADLINE_S)
            c.request("POST", "/message:stream", json.dumps(hello("hang", f"m-{i}")), {"A2A-Version": "1.0", "Content-Type": "application/json"})
            r = c.getresponse()
            if not r.readline().startswith(b"data: "):
                raise Wrong("no item")
            c.close()
            r.close()
        until("descriptors as before", lambda: a.descriptors() <= before + 1)
        assert ask(a, "POST", "/message:send", hello(id="m-last"))[0] == 200


@test
def a_slow_reader_stops_the_agent_and_loses_nothing():
    with sdk_agent() as (address, card), Adapter("--listen", "127.0.0.1:0", "--agent", address, "--card", card) as a:
        c = http.client.HTTPConnection("127.0.0.1", a.port, timeout=DEADLINE_S)
        c.request("POST", "/message:stream", json.dumps(hello("flood 300")), {"A2A-Version": "1.0", "Content-Type": "application/json"})
        items = [json.loads(line[6:]) for line in c.getresponse().read().decode().splitlines() if line.startswith("data: ")]
        c.close()
        pieces = [i["artifactUpdate"]["artifact"]["parts"][0]["text"][:4] for i in items if "artifactUpdate" in i]
        assert pieces == [f"{i:04}" for i in range(300)], pieces[:5]
        assert items[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED", items[-1]


@test
def options_of_the_outward_side_are_checked():
    from grpc_fixture import World
    for options in (["--agent", "nonsense"], ["--agent", "x:99999"], ["--card", "http://x"], ["--agent", "127.0.0.1:1", "--to", "http://127.0.0.1:1"]):
        r = subprocess.run([World.build + "/thole-grpc", *options], capture_output=True, text=True, timeout=DEADLINE_S)
        assert r.returncode == 2 and r.stderr, (options, r)


# ---- TLS -----------------------------------------------------------------------------------------

@contextlib.contextmanager
def certificates(**wanted):
    """A folder with ca.pem and, for each name, NAME.pem and NAME.key: (subjectAltName, days)."""
    if not shutil.which("openssl"):
        raise Skip("openssl is not here")
    with tempfile.TemporaryDirectory(prefix="thole-tls-") as d:
        run = lambda *args: subprocess.run(["openssl", *args], cwd=d, check=True, capture_output=True)  # noqa: E731
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        run("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2")
        for name, (alt, days) in wanted.items():
            run("req", *curve, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
            (pathlib.Path(d) / "alt").write_text("subjectAltName=" + alt)
            run("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", name + ".pem", "-days", str(days), "-extfile", "alt")
        yield pathlib.Path(d)


def said(a):
    return ask(a, "POST", "/message:send", hello())


@test
def an_agent_behind_tls_is_reached_and_its_certificate_is_checked():
    with certificates(good=("IP:127.0.0.1,DNS:localhost", 1), other=("DNS:other.example", 1), old=("IP:127.0.0.1", 0)) as d:
        agent = lambda name: sdk_agent(str(d / (name + ".pem")), str(d / (name + ".key")))  # noqa: E731
        adapter = lambda address, *more: Adapter("--listen", "127.0.0.1:0", "--agent", "https://" + address, *more)  # noqa: E731
        trust = ("--agent-ca", str(d / "ca.pem"))
        with agent("good") as (address, card):
            with adapter(address, *trust, "--card", card) as a, thole(f"http://127.0.0.1:{a.port}", headers={"Authorization": "Bearer for-the-agent"}) as w:
                at = delegate(w, "words")
                ended(w, at)
                assert texts(w, at) == ["one two three"], texts(w, at)
                # Many times the window of a connection, in both directions of the buffers.
                c = http.client.HTTPConnection("127.0.0.1", a.port, timeout=DEADLINE_S)
                c.request("POST", "/message:stream", json.dumps(hello("flood 300", "m-2")), {"A2A-Version": "1.0", "Content-Type": "application/json"})
                items = [line for line in c.getresponse().read().split(b"\n") if b"artifactUpdate" in line]
                c.close()
                assert len(items) == 300, len(items)
            with adapter(address.replace("127.0.0.1", "localhost"), *trust) as a:
                status, reply = said(a)
                assert status == 200, (status, reply)
            seen = len(json.load(urllib.request.urlopen(card.replace("/.well-known/agent-card.json", "/log"), timeout=DEADLINE_S)))
            # Not signed by anybody this machine trusts; and no connection without TLS instead.
            with adapter(address) as a:
                status, reply = said(a)
                assert status == 503 and "certificate of the agent is not accepted" in json.dumps(reply), (status, reply)
            with Adapter("--listen", "127.0.0.1:0", "--agent", address) as a:
                status, reply = said(a)
                assert status == 503, (status, reply)
            after = len(json.load(urllib.request.urlopen(card.replace("/.well-known/agent-card.json", "/log"), timeout=DEADLINE_S)))
            assert after == seen, "a call reached an agent that was not trusted"
        for name in ("other", "old"):
            with agent(name) as (address, _), adapter(address, *trust) as a:
                status, reply = said(a)
                assert status == 503 and "certificate of the agent is not accepted" in json.dumps(reply), (name, status, reply)


@test
def tls_never_becomes_plain():
    with certificates() as d, sdk_agent() as (address, card):
        with Adapter("--listen", "127.0.0.1:0", "--agent", "https://" + address, "--agent-ca", str(d / "ca.pem")) as a:
            status, reply = said(a)
            assert status == 503, (status, reply)
        log = json.load(urllib.request.urlopen(card.replace("/.well-known/agent-card.json", "/log"), timeout=DEADLINE_S))
        assert log == [], log


@test
def wrong_options_for_tls_are_refused():
    for args, words in ((("--agent", "https://"), "--agent must be"), (("--agent", "http://a.example:1"), "--agent must be"),
                        (("--agent", "a.example:1", "--agent-ca", "x"), "--agent-ca needs https"), (("--agent-ca", "x"), "belong to --agent"),
                        (("--agent", "https://a.example", "--agent-ca", "/dev/null"), "no certificates that can be read"),
                        (("--agent", "https://a.example", "--agent-ca", "/does/not/exist"), "no certificates that can be read")):
        r = subprocess.run([os.path.join(World.build, "thole-grpc"), *args], capture_output=True, text=True, timeout=DEADLINE_S)
        assert r.returncode == 2 and words in r.stderr, (args, r.returncode, r.stderr)
