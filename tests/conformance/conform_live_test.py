#!/usr/bin/env python3
"""`thole conform live`: our daemon over HTTP, the same behind other names with an adapter, and runtimes that conform to nothing.

usage: conform_live_test.py BUILD_DIR

Prints TAP.
"""
import http.client
import http.server
import json
import os
import pathlib
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import urllib.parse

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "scenario"), str(ROOT / "tests" / "lib")]
import run as scenario  # noqa: E402
import tap  # noqa: E402

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
THOLE = BUILD / "thole"
tests = []


def test(f):
    tests.append(f)
    return f


def live(*words, token="none"):
    with tempfile.TemporaryDirectory(prefix="conform-") as place:
        env = {**os.environ, "TMPDIR": place, "THOLE_CONFORM_TOKEN": token}
        done = subprocess.run([THOLE, "conform", "live", *map(str, words)], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)
        left = os.listdir(place)
    assert not left, f"it left {left}"
    return done


def report(done):
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return json.loads(done.stdout)


def rows(found, *results):
    return {r["id"]: r for r in found["rows"] if r["result"] in results}


class Runtime:
    """Our daemon, with the model of a scenario."""

    def __init__(self, text=""):
        self.dir = tempfile.TemporaryDirectory(prefix="thole-live-")
        steps = []
        if text:
            path = pathlib.Path(self.dir.name) / "story.scn"
            path.write_text(text)
            steps = scenario.read_scenario(path)
        script = next((rest for _, verb, rest in steps if verb == "script"), None)
        options = [rest for _, verb, rest in steps if verb == "option"]
        self.daemon = scenario.Daemon(str(BUILD), os.path.join(self.dir.name, "data"), script, options)

    def __enter__(self):
        self.daemon.start()
        self.url = f"http://127.0.0.1:{self.daemon.port}"
        self.token = pathlib.Path(self.dir.name, "data", "token").read_text().strip()
        return self

    def __exit__(self, *_):
        self.daemon.end()
        self.dir.cleanup()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        pass

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def say(self, status, data, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def adapter(place, value):
    path = pathlib.Path(place) / "adapter.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


# ---- ours ----

@test
def our_daemon_passes_without_an_adapter():
    with Runtime() as r:
        found = report(live("--json", r.url, token=r.token))
    assert not rows(found, "fail"), found.get("first")
    assert "CTL-01" in rows(found, "pass") and found["logs"][0]["events"] > 30, found["logs"]
    assert rows(found, "not_shown").keys() >= {"ACT-07", "CTL-07"}, "nothing was killed"
    assert found["core"] == "incomplete" and "compatible" not in found["verdict"]


@test
def an_adapter_brings_scenarios():
    text = (ROOT / "conform" / "scenarios" / "approval.scn").read_text()
    wrong = text.replace("count tool.result 1", "count tool.result 7", 1)
    with tempfile.TemporaryDirectory() as place, Runtime(text) as r:
        found = report(live("--json", "--adapter", adapter(place, {"scenarios": {"approval": text}}), r.url, token=r.token))
        assert "ACT-09" in rows(found, "pass") and not rows(found, "fail"), found.get("first")
        done = live("--json", "--adapter", adapter(place, {"scenarios": {"approval": wrong}}), r.url, token=r.token)
        assert done.returncode == 1 and set(rows(report(done), "fail")) == {"ACT-09", "CTL-19"}, done.stdout[-500:]


@test
def a_scenario_that_drives_nothing_shows_nothing():
    names = [p.stem for p in (ROOT / "conform" / "scenarios").glob("*.scn")]
    text = (ROOT / "conform" / "scenarios" / "approval.scn").read_text()
    only_reads = 'when submit_turn {"input":"Say hello."}\nthen ... turn.completed\n'
    with tempfile.TemporaryDirectory() as place, Runtime(text) as r:
        for empty in ("# nothing\n", "count turn.submitted 0\n"):
            done = live("--json", "--adapter", adapter(place, {"scenarios": dict.fromkeys(names, empty)}), r.url, token=r.token)
            assert done.returncode == 2 and not done.stdout and "no events" in done.stderr, done
        found = report(live("--json", "--adapter", adapter(place, {"scenarios": {"approval": only_reads, "interrupt": only_reads}}), r.url, token=r.token))
        shown = rows(found, "pass")
        assert "CTL-01" in shown and not {"ACT-09", "CTL-05"} & shown.keys(), shown.keys()
        missing = rows(found, "not_shown")["ACT-09"]["missing"]
        assert "respond_action already_resolved" in missing and "action.resolved" in missing and "submit_turn" not in missing, missing


# ---- the same under other names ----

FIELDS = {"type": "kind", "eventId": "id", "sequence": "n", "timestamp": "at", "sessionId": "run.session"}


def spelt(event):
    """An event as that runtime spells it."""
    out = {k: v for k, v in event.items() if k not in FIELDS}
    out.update(kind=event["type"].replace("turn.", "cycle."), id=event["eventId"], n=event["sequence"], at=event["timestamp"], run={"session": event["sessionId"]})
    return out


def other_names(r):
    class Other(Handler):
        def ours(self, method, path, body=None):
            c = http.client.HTTPConnection("127.0.0.1", r.daemon.port)
            c.request(method, path, body, {"Authorization": "Bearer " + r.token, "Content-Type": "application/json", "Accept": "application/x-ndjson"})
            answer = c.getresponse()
            return answer.status, answer.read()

        def do_POST(self):
            body = json.loads(self.body())
            if self.headers.get("X-Key") != "open sesame" or self.path != "/api/cycles":
                return self.say(404, b'{"code":"not_found"}')
            params = {"input": body["message"]["text"]}
            if "conversation" in body:
                params["sessionId"] = body["conversation"]
            status, reply = self.ours("POST", "/v1/commands/submit_turn", json.dumps(params))
            reply = json.loads(reply)
            self.say(status, json.dumps({"conversation": {"id": reply["sessionId"]}, "cycle": reply["turnId"]}).encode())

        def do_GET(self):
            url = urllib.parse.urlparse(self.path)
            parts = url.path.split("/")
            if url.path.startswith("/api/threads/"):
                params = json.dumps({"sessionId": parts[3]})
                return self.say(200, self.ours("POST", "/v1/commands/get_thread_read", params)[1])
            if not url.path.startswith("/api/log/"):
                return self.say(404, b"{}")
            # It ignores where to begin: everything comes each time.
            _, lines = self.ours("GET", f"/v1/events?session={parts[3]}&after=0&follow=0")
            events = [spelt(json.loads(line)) for line in lines.splitlines() if line.strip()]
            self.say(200, json.dumps({"page": {"items": events}}).encode())
    return Server(Other)


ADAPTER = {
    "name": "other names", "headers": {"X-Key": "open $CONFORM_TEST_KEY"},
    "commands": {
        "submit_turn": {"path": "/api/cycles", "body": {"message": {"text": "$input"}, "conversation": "$sessionId"},
                        "reply": {"sessionId": "conversation.id", "turnId": "cycle"}},
        "get_thread_read": {"method": "GET", "path": "/api/threads/$sessionId"},
    },
    "events": {"path": "/api/log/$session?from=$after", "list": "page.items", "fields": FIELDS,
               "types": {"cycle.submitted": "turn.submitted", "cycle.started": "turn.started", "cycle.completed": "turn.completed", "cycle.failed": "turn.failed"}},
}


@test
def an_adapter_translates_another_wire_format():
    os.environ["CONFORM_TEST_KEY"] = "sesame"
    with tempfile.TemporaryDirectory() as place, Runtime() as r, other_names(r) as other:
        found = report(live("--json", "--profile", "core", "--adapter", adapter(place, ADAPTER), other.url))
        assert not rows(found, "fail"), found.get("first")
        assert "CTL-01" in rows(found, "pass") and found["logs"][0]["events"] > 30
        # A command that it does not have is not shown, and not a fault.
        partly = {**ADAPTER, "commands": {"submit_turn": ADAPTER["commands"]["submit_turn"]}}
        found = report(live("--json", "--profile", "core", "--adapter", adapter(place, partly), other.url))
        assert not rows(found, "fail") and rows(found, "not_shown").keys() >= {"CTL-01"}, found.get("first")
        # Without its words the log is what it is.
        bare = {**ADAPTER, "events": {**ADAPTER["events"], "types": {}}}
        done = live("--json", "--profile", "core", "--timeout", "3s", "--adapter", adapter(place, bare), other.url)
        assert done.returncode == 1 and {"ENV-01", "CTL-01"} <= set(rows(report(done), "fail")), rows(report(done), "fail").keys()


def streamed_by_turn(r, how):
    """Our daemon behind server-sent events of the last turn, with data over several lines, on a connection that stays open."""
    class Streamed(Handler):
        protocol_version = "HTTP/1.1"

        def ours(self, path, body=None):
            c = http.client.HTTPConnection("127.0.0.1", r.daemon.port)
            c.request("POST" if body else "GET", path, body, {"Authorization": "Bearer " + r.token, "Content-Type": "application/json", "Accept": "application/x-ndjson"})
            return c.getresponse().read()

        def stay(self, data, kind):
            self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n".encode())
            if how == "chunks":
                half = len(data) // 2
                self.wfile.write(b"Transfer-Encoding: chunked\r\n\r\n")
                for piece in (data[:half], data[half:], b""):
                    self.wfile.write(f"{len(piece):X}\r\n".encode() + piece + b"\r\n")
            else:
                self.wfile.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
            self.wfile.flush()
            self.rfile.read(1)  # until the other side closes

        def do_POST(self):
            body = json.loads(self.body())
            if self.path == "/log":
                events = [json.loads(line) for line in self.ours(f"/v1/events?session={body['of']}&after=0&follow=0").splitlines()]
                self.stay(b"".join(self.frame(e) for e in events if e.get("turnId", body["turn"]) == body["turn"] or e["type"].startswith("s")), "text/event-stream")
            else:
                self.stay(self.ours("/v1/commands" + self.path, json.dumps(body)), "application/json")

        def frame(self, e):
            data = json.dumps({"body": {k: v for k, v in e.items() if k not in ("type", "sequence")}}, indent=1)
            return f": note\nevent: {e['type']}\nid: {e['sequence']}\nretry: 5\n".encode() + b"".join(b"data: " + line.encode() + b"\n" for line in data.splitlines()) + b"\n"

        def do_GET(self):
            self.stay(b"{}", "application/json")
    return Server(Streamed)


@test
def an_adapter_reads_server_sent_events_of_a_turn():
    names = ("eventId", "timestamp", "schemaVersion", "runtimeId", "sessionId", "threadId", "turnId", "taskId", "runId", "payload")
    value = {"commands": {"submit_turn": {"path": "/submit_turn"}},
             "events": {"method": "POST", "path": "/log", "body": {"of": "$session", "turn": "$turn"},
                        "fields": {"type": "@event", "sequence": "@id", **{n: "body." + n for n in names}, "payload.place": "@id"}},
             "scenarios": {"plain": 'when submit_turn {"input":"Say hello."}\nthen ... turn.submitted ... turn.completed\nlast turn.completed payload.place>3\n'}}
    for how in ("chunks", "length"):
        with tempfile.TemporaryDirectory() as place, Runtime() as r, streamed_by_turn(r, how) as other:
            found = report(live("--json", "--profile", "core", "--adapter", adapter(place, value), other.url))
            held = rows(found, "pass")
            assert {"LOG-01", "ENV-01", "ENV-02", "ENV-03", "ENV-06", "EVT-005"} <= held.keys(), (how, found.get("first"))
            assert "CTL-01" not in rows(found, "fail") and found["logs"][0]["events"] > 10, (how, rows(found, "fail").keys())
    bad = {"events": {"method": "FETCH", "path": "/log"}}
    with tempfile.TemporaryDirectory() as place:
        done = live("--adapter", adapter(place, bad), "http://127.0.0.1:1")
        assert done.returncode == 2 and "method" in done.stderr, done


# ---- runtimes that conform to nothing ----

def stub_handler(post, get):
    class Stub(Handler):
        def do_POST(self):
            self.body()
            post(self)

        def do_GET(self):
            get(self)
    return Stub


def stub(post, get):
    return Server(stub_handler(post, get))


def accepted(h):
    h.say(200, b'{"sessionId":"s 1/?","turnId":"t1"}')


def lines(*events):
    data = b"".join((e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n" for e in events)
    return lambda h: h.say(200, data)


def endless(h):
    h.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n" + b"x" * 1000)


STUBS = {
    "a page for people": (lambda h: h.say(200, b"<html>hello</html>"), lambda h: h.say(200, b"<html>hello</html>")),
    "no HTTP": (lambda h: h.wfile.write(b"hello\r\n\r\n"), lambda h: h.wfile.write(b"hello\r\n\r\n")),
    "an empty answer": (lambda h: h.say(200, b""), lambda h: h.say(200, b"")),
    "a refusal of everything": (lambda h: h.say(500, b'{"code":5}'), lambda h: h.say(500, b"{}")),
    "a list": (lambda h: h.say(200, b"[1,2]"), lines([1], "x", 5)),
    "no session": (lambda h: h.say(200, b'{"sessionId":7,"turnId":null}'), lines({})),
    "no events": (accepted, lambda h: h.say(200, b"")),
    "events that are nothing": (accepted, lines(b"hello", b"[", b"\xff\xfe", {"type": 5}, {"a": 1}, {"type": "x", "sequence": "1"})),
    "events of another standard": (accepted, lines({"event": "message", "data": "hi"}, {"type": "message", "id": 1, "turn": {"id": "t1"}})),
    "an event that is huge": (accepted, lines({"type": "turn.submitted", "payload": "x" * 3_000_000})),
    "chunks that do not end": (accepted, endless),
    "events that are broken off": (accepted, lambda h: h.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{")),
}


@test
def an_address_may_be_one_of_ipv6():
    class Six(Server):
        address_family = socket.AF_INET6

        def __init__(self, handler):
            http.server.HTTPServer.__init__(self, ("::1", 0), handler)
    hosts = []

    def note(h):
        hosts.append(h.headers["Host"])
        h.say(200, b"{}")
    try:
        server = Six(stub_handler(note, note))
    except OSError as e:
        raise tap.Skip(f"no IPv6 here: {e}") from e
    with server as s:
        port = s.server_address[1]
        assert live("--timeout", "100ms", f"http://[::1]:{port}").returncode == 1
        assert set(hosts) == {f"[::1]:{port}"}, hosts
        for bad in ("http://[::1", "http://[]:80", "http://[::1]x", f"http://::1:{port}"):
            assert live(bad).returncode == 2, bad


@test
def the_token_is_not_sent_beside_a_key_of_the_adapter():
    seen = []

    def note(h):
        seen.append(h.headers.get_all("Authorization"))
        h.say(200, b"{}")
    with tempfile.TemporaryDirectory() as place, stub(note, note) as s:
        live("--timeout", "100ms", s.url, token="ours")
        assert seen and set(map(tuple, seen)) == {("Bearer ours",)}, seen
        for name in ("Authorization", "authorization"):
            seen.clear()
            live("--timeout", "100ms", "--adapter", adapter(place, {"headers": {name: "Bearer theirs"}}), s.url, token="ours")
            assert seen and set(map(tuple, seen)) == {("Bearer theirs",)}, seen


@test
def runtimes_that_conform_to_nothing_fail_and_do_no_harm():
    for name, (post, get) in STUBS.items():
        with stub(post, get) as s:
            done = live("--json", "--timeout", "500ms", s.url)
            assert done.returncode == 1, (name, done.returncode, done.stderr)
            found = report(done)
            assert found["core"] == "fails" and "CTL-01" in rows(found, "fail") and "compatible" not in done.stdout, name


@test
def what_cannot_be_checked_ends_with_2():
    bad = ["{", "[]", {"commands": []}, {"constants": {"schemaVersion": "lime-profile-0.4.0"}}, {"commands": {"submit_turn": {"path": "x"}}},
           {"commands": {"submit_turn": {"method": "DROP", "path": "/x"}}}, {"commands": {"submit_turn": {"path": "/x\r\nY: 1"}}}, {"events": {"path": "no"}},
           {"events": {"fields": {"type": 5}}}, {"headers": {"X": "a\r\nY: b"}}, {"events": {"constant": {"type": "turn.started"}}}]
    with tempfile.TemporaryDirectory() as place, stub(accepted, lines({})) as s:
        for value in bad:
            done = live("--adapter", adapter(place, value), s.url)
            assert done.returncode == 2 and done.stderr and not done.stdout, (value, done.returncode, done.stdout[:200])
        for words in ([], ["https://127.0.0.1"], ["127.0.0.1:1"], ["http://"], ["http://127.0.0.1:1"], ["--adapter", place + "/none", s.url], [s.url, s.url]):
            done = live(*words)
            assert done.returncode == 2 and done.stderr and not done.stdout, (words, done.returncode)


if __name__ == "__main__":
    sys.exit(tap.play(tests))
