"""A real daemon on a temporary directory, and every transport to it."""
import base64
import copy
import http.client
import json
import os
import shutil
import socket
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SPECS = os.environ.get("THOLE_SPECS", os.path.join(ROOT, "..", "shared", "specs"))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
import mutants  # noqa: E402
from run import DEADLINE_S, Daemon, Http, Stdio, Wrong, until  # noqa: E402,F401

# One script for all stories; the words of its prompt select what a turn does.
STORY = json.dumps({
    "version": 1,
    "tools": [
        {"name": "look", "policy": "allowed", "readOnly": True, "concurrencySafe": True, "result": {"text": "seen", "delayMs": 5}},
        {"name": "save", "policy": "ask", "destructive": True, "result": {
            "text": "saved", "writeFile": {"path": "saved.txt", "text": "by the tool"}}},
        {"name": "dump", "policy": "allowed", "result": {"text": {"repeat": "line {{n}} of a long output\n", "bytes": 10485760}}},
        {"name": "broken", "policy": "allowed", "result": {
            "fail": {"category": "tool_failed", "message": "it broke", "retryable": False}}},
        {"name": "soak", "policy": "allowed", "result": {"text": "soaked", "hang": True}},
    ],
    "rules": [
        {"when": {"text": "two looks"}, "replies": [
            {"reasoning": "two at once", "text": "Looking.", "toolCalls": [{"name": "look", "args": {}}, {"name": "look", "args": {}}]},
            {"text": "Both seen."}]},
        {"when": {"text": "save"}, "replies": [
            {"text": "I want to save.", "toolCalls": [{"name": "save", "args": {"n": 1}}]}, {"text": "Result: {{toolResult}}"}]},
        {"when": {"text": "ask me"}, "replies": [
            {"toolCalls": [{"name": "ask_user", "args": {"question": "Which?", "options": ["a", "b"]}}]}, {"text": "Thanks."}]},
        {"when": {"text": "dump"}, "replies": [{"toolCalls": [{"name": "dump", "args": {}}]}, {"text": "That was long."}]},
        {"when": {"text": "broken then fail"}, "replies": [
            {"toolCalls": [{"name": "look", "args": {}}]}, {"error": {"status": 400, "message": "no"}}]},
        {"when": {"text": "broken"}, "replies": [{"toolCalls": [{"name": "broken", "args": {}}]}, {"text": "It broke."}]},
        {"when": {"text": "soak"}, "replies": [{"toolCalls": [{"name": "soak", "args": {}}]}, {"text": "Done soaking."}]},
        {"when": {"text": "slowly"}, "reply": {"text": "slow is done", "firstDelayMs": 1500}},
        {"when": {"text": "for hours"}, "reply": {"text": "the end", "firstDelayMs": 3600000}},
        {"when": {"text": "long stream"}, "reply": {"text": {"repeat": "word ", "count": 400}, "delayMs": 20}},
        {"when": {"text": "stream"}, "reply": {"text": {"repeat": "word ", "count": 200}, "delayMs": 10}},
        {"when": {"text": "hang"}, "reply": {"text": "a few words", "hang": {"afterPieces": 1}}},
        {"when": {"text": "refuse"}, "reply": {"error": {"status": 400, "message": "no such thing"}}},
        {"when": {"text": "no usage"}, "reply": {"text": "free of charge", "usage": "unknown"}},
    ],
    "default": {"reasoning": "a thought", "text": "answer to {{input}}"},
})


def story(tools=(), **prompts):
    """A script: each prompt, word for word, is answered by these calls (lists: one round each), then by "done"."""
    def reply(calls):
        return {"toolCalls": [{"name": name, "args": args} for name, args in calls]}

    rounds = {text: [[c] if isinstance(c, tuple) else c for c in (calls if isinstance(calls, list) else [calls])]
              for text, calls in prompts.items()}
    return json.dumps({"version": 1, "tools": list(tools), "default": {"text": "done"}, "rules": [
        {"when": {"text": {"equals": text}}, "replies": [reply(c) for c in calls] + [{"text": "done"}]}
        for text, calls in rounds.items()]})


class Socket(Stdio):
    """JSON-RPC lines on the Unix socket; the calls of the one on stdio."""
    name = "socket"

    def __init__(self, daemon):
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.path.join(daemon.data, "socket"))
        s.settimeout(DEADLINE_S)
        self.socket = s
        self.lines = s.makefile("rb")
        self.next = 0
        self.notices = []

    def send(self, message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self):
        line = self.lines.readline()
        if not line:
            raise Wrong("the connection ended")
        return json.loads(line)

    def rpc(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            answer = self.receive()
            if answer.get("id") == self.next:
                return answer
            self.notices.append(answer)

    def notice(self):
        return self.notices.pop(0) if self.notices else self.receive()

    def close(self):
        self.socket.close()
        self.lines.close()


class WebSocket(Socket):
    """The same in WebSocket frames."""
    name = "websocket"

    def __init__(self, daemon, token):
        s = socket.create_connection(("127.0.0.1", daemon.port), DEADLINE_S)
        key = base64.b64encode(os.urandom(16)).decode()
        s.sendall((f"GET /v1/rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nConnection: Upgrade\r\n"
                   f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.socket, self.lines, self.next, self.notices = s, s.makefile("rb"), 0, []
        if b" 101 " not in self.lines.readline():
            raise Wrong("no WebSocket")
        while self.lines.readline().strip():
            pass

    def send(self, message):
        body = json.dumps(message).encode()
        head = bytes([0x81, 0x80 | len(body)]) if len(body) < 126 else struct.pack(">BBH", 0x81, 0xFE, len(body))
        self.socket.sendall(head + b"\0\0\0\0" + body)

    def receive(self):
        text = b""
        while True:
            head = self.lines.read(2)
            if len(head) < 2:
                raise Wrong("the connection ended")
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.lines.read(2 if size == 126 else 8), "big")
            body = self.lines.read(size)
            if head[0] & 0x0F in (0, 1):
                text += body
                if head[0] & 0x80:
                    return json.loads(text)
            elif head[0] & 0x0F == 8:
                raise Wrong("the connection was closed")


class Fixture:
    def __init__(self, build, script=STORY, options=(), over="http", files=None, home=None):
        """home: where its directory is made, for tests that cannot use /tmp because every sandbox has its own."""
        self.build, self.dir, self.over = build, tempfile.mkdtemp(prefix="thole-contract-", dir=home), over
        self.data = os.path.join(self.dir, "data")
        for path, text in (files or {}).items():
            self.write(path, text)
        self.daemon = Daemon(build, self.data, script.replace("$dir", self.dir), [o.replace("$dir", self.dir) for o in options])
        self.calls, self.transport = [], None
        self.start()

    def start(self):
        self.daemon.start()
        self.web = self.noted(Http(self.daemon))
        self.transport = self.web if self.over == "http" else self.stdio()

    def noted(self, transport):
        """The transport, with its calls written down, and without what a mutant takes away."""
        plain, events = transport.call, transport.events
        transport.events = lambda session, after: mutants.without(events(session, after))

        def call(command, params):
            code, reply = mutants.spoiled(command, params, *plain(command, params))
            self.calls.append(copy.deepcopy({"call": command, "params": params, "code": code, "reply": reply}))
            return code, reply

        transport.call = call
        return transport

    def keep(self, name):
        """Leaves its events beside the scenarios' logs: for the schemas, and for the coverage report."""
        logs, calls = os.path.join(self.build, "scenario-logs"), os.path.join(self.build, "scenario-calls")
        for folder in (logs, calls):
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(calls, f"contract-{name}.jsonl"), "w") as f:
            f.writelines(json.dumps(c, ensure_ascii=False) + "\n" for c in self.calls)
        with open(os.path.join(logs, f"contract-{name}.jsonl"), "w") as f:
            for s in self.transport.call("list_sessions", {"system": True, "limit": 256})[1]["sessions"]:
                # A gap is a frame of the stream, not an event.
                f.writelines(line + "\n" for line in self.raw(s["sessionId"]) if not line.startswith('{"gap"'))
                with open(os.path.join(logs, f"contract-{name}-{s['sessionId']}.json"), "w") as out:
                    json.dump(self.transport.call("get_session", {"sessionId": s["sessionId"]})[1], out)

    def restart(self, kill=True, days=0):
        """days: so many have passed for the new daemon, on the clock that also runs while the machine sleeps."""
        self.daemon.before = ["unshare", "-UrT", "--boottime", str(days * 86400)] if days else []
        if self.over != "http":
            self.transport.close()
        if kill:
            self.daemon.kill()
        else:
            self.daemon.stop()
        self.start()

    def close(self):
        try:
            if self.over != "http" and self.transport:
                self.transport.close()
            if self.daemon.process.poll() is None:
                for p in self.web.call("list_processes", {})[1]["processes"]:  # they would outlive it
                    self.web.call("terminate_process", {"sessionId": p["sessionId"], "processId": p["processId"], "graceMs": 0})
            self.daemon.stop()
        finally:
            if self.daemon.process.poll() is None:
                self.daemon.kill()
            shutil.rmtree(self.dir, ignore_errors=True)

    # -- transports

    def stdio(self):
        return self.noted(Stdio(self.daemon))

    def socket(self):
        return self.noted(Socket(self.daemon))

    def websocket(self):
        return self.noted(WebSocket(self.daemon, self.transport.token))

    def channel(self, *capabilities, transport=None, **hello):
        """An enrolled connection, and the reply of initialize."""
        c = transport or self.socket()
        answer = c.rpc("initialize", {"capabilities": list(capabilities), **hello})
        if "error" in answer:
            raise Wrong(f"initialize: {answer['error']}")
        return c, answer["result"]

    # -- calls

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise Wrong(f"{command} was refused with {code}: {reply.get('detail')}")
        return reply

    def refused(self, expected, command, **params):
        code, reply = self.transport.call(command, params)
        if code != expected:
            raise Wrong(f"{command} {params}: should be refused with {expected}, was {code or reply}")
        return reply

    def get(self, path, **headers):
        status, data = self.web.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        return status, data

    # -- events

    def raw(self, session, after=0):
        return self.transport.events(session, after)

    def events(self, session, after=0):
        return [json.loads(line) for line in self.raw(session, after)]

    def wait(self, session, kind, count=1, after=0, **fields):
        """The events of a session once `count` of this class, with these payload fields, follow `after`."""
        def look():
            events = self.events(session)
            found = [e for e in events if e["sequence"] > after and e["type"] == kind
                     and all(e["payload"].get(k) == v for k, v in fields.items())]
            return events if len(found) >= count else None
        return self.until(f"{count} {kind}", look)

    until = staticmethod(until)

    def turn(self, text, **params):
        """Submit, wait for the end; the reply and the events of the session."""
        reply = self.call("submit_turn", input=text, **params)
        events = self.until(f"end of {text}", lambda: self.ended(reply))
        return reply, events

    def ended(self, reply):
        events = self.events(reply["sessionId"])
        ends = [e for e in events if e["type"] in ("turn.completed", "turn.failed") and e["turnId"] == reply["turnId"]]
        # thread.updated and snapshot.updated share its commit
        return events if ends and events[-1]["sequence"] > ends[0]["sequence"] else None

    def asked(self, text, **params):
        """Submit a turn that stops at a question; the reply and the action."""
        reply = self.call("submit_turn", input=text, **params)

        def look():
            events = self.events(reply["sessionId"])
            found = [e for e in events if e["type"] == "action.required" and e["turnId"] == reply["turnId"]]
            # the thread's status follows in the same commit
            return found if found and events[-1]["type"] != "action.required" else None

        return reply, self.until("a question", look)[-1]

    def read(self, session, thread=None):
        return self.call("get_thread_read", sessionId=session, **({"threadId": thread} if thread else {}))

    # -- the disk

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, path, text):
        path = self.path(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def text(self, path):
        """What a file holds; None when it is not there."""
        try:
            with open(self.path(path)) as f:
                return f.read()
        except (FileNotFoundError, IsADirectoryError):  # a placeholder of a sandbox is no written file
            return None

    def remove(self, path):
        os.remove(self.path(path))

    def output(self, ref):
        return self.call("get_output", outputRef=ref, length=1048576)["text"]

    def saved(self):
        return os.path.exists(os.path.join(self.dir, "saved.txt"))

    def connection(self, timeout=DEADLINE_S):
        return http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=timeout)


def one(events, kind, **fields):
    """The newest event of this class."""
    found = [e for e in events if e["type"] == kind and all(e.get(k) == v for k, v in fields.items())]
    if not found:
        raise Wrong(f"no {kind} {fields or ''}")
    return found[-1]


def need(ok, why):
    if not ok:
        raise Wrong(why)


def same(found, wanted, what):
    if found != wanted:
        raise Wrong(f"{what}: {json.dumps(found)[:300]}, wanted {json.dumps(wanted)[:300]}")


def order(events, *kinds):
    """These classes occur in this order (others may be between)."""
    at = 0
    for kind in kinds:
        while at < len(events) and events[at]["type"] != kind:
            at += 1
        need(at < len(events), f"no {kind} in order: {' '.join(kinds)}\n came: {' '.join(e['type'] for e in events)}")
        at += 1


def all_of(events, kind, **fields):
    return [e for e in events if e["type"] == kind and all(e.get(k) == v for k, v in fields.items())]


def having(record, *names):
    """The record has all of these keys."""
    missing = [n for n in names if n not in record]
    need(not missing, f"{', '.join(missing)} missing in {json.dumps(record)[:400]}")


def rows(*names, script=STORY, options=(), files=None, both=False, own=False, deep=False):
    """Which rows of the checklist a check shows.  both: over HTTP and over JSON-RPC on stdio; own: it starts its daemons
    itself; deep: it takes long."""
    def mark(f):
        f.rows, f.own, f.deep = names, own, deep
        f.fixture = {"script": script, "options": options, "files": files}
        f.over = ("http", "stdio") if both else ("http",)
        return f
    return mark
