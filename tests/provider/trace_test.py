#!/usr/bin/env python3
"""W3C trace context, from the caller through the daemon to everything that it asks or starts.

usage: trace_test.py BUILD_DIR

A model server, a hook at an address, a hook that is a command, a command of the model, a tool server and two
receivers of notifications record what they receive; the log says what it has to be.  Prints TAP.
"""
import hashlib
import json
import socket
import subprocess
import sys
import traceback

from fake import Fake, chat
from home import DEADLINE_S, THOLE, Home
from wait import until

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
STATE = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"
# A hook reads only; what it got is the reason of its answer.
HOOK = 'cat >/dev/null; printf \'{"decision":"allow","reason":"%s %s"}\' "$TRACEPARENT" "$TRACESTATE"'
SERVER = r'''
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    schema = {"type": "object", "properties": {}}
    result = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "rec", "version": "1"}},
              "tools/list": {"tools": [{"name": "meta", "description": "returns what it got", "inputSchema": schema}]},
              "tools/call": {"content": [{"type": "text", "text": json.dumps(m.get("params", {}).get("_meta", {}))}]}}.get(m["method"])
    error = {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **({"result": result} if result else error)}), flush=True)
'''


def span(trace, object_id):
    return hashlib.sha256((trace + object_id).encode()).hexdigest()[:16]


def hook(r):
    return 200, {"Content-Type": "application/json"}, b"{}"


class World:
    """Everything that may receive a trace context, and a user who types commands."""

    def __init__(self, **env):
        calls = [("call_1", "shell", json.dumps({"command": "env > seen.txt"})), ("call_2", "mcp__rec__meta", "{}")]
        self.model = Fake([chat(calls=calls, stop="tool_calls"), chat("done")])
        self.hooks = Fake(hook)
        self.notified = Fake(hook)
        self.home = Home()
        dir = self.home.dir
        self.work = dir / "work"
        self.work.mkdir()
        (self.work / "server.py").write_text(SERVER)
        servers = {"rec": {"command": "/usr/bin/python3", "args": [str(self.work / "server.py")]}}
        points = {"pre_tool_use": [{"name": "sent", "url": f"http://127.0.0.1:{self.hooks.port}/", "match": "shell"},
                                   {"name": "run", "command": HOOK, "match": "shell"}]}
        self.home.env.update(SIM_KEY="k", THOLE_MODEL="sim/m-1", THOLE_PERMISSION_MODE="bypass", THOLE_CONTEXT_PROMPT="none",
                             THOLE_PERMISSION_RULES=json.dumps([{"id": "rec", "effect": "allow", "mcp": "rec"}]),
                             THOLE_PROVIDERS=json.dumps({"sim": self.model.provider("compatible")}),
                             THOLE_NOTIFY_URL=f"http://127.0.0.1:{self.notified.port}/", THOLE_NOTIFY_COMMAND="env > notified.txt",
                             THOLE_NOTIFY_ON='["turn"]', THOLE_HOOKS=json.dumps(points), THOLE_MCP_SERVERS=json.dumps(servers), **env)
        for name in ("TRACEPARENT", "TRACESTATE"):
            self.home.env.pop(name, None)
        self.daemon = subprocess.Popen([THOLE, "serve"], cwd=self.work, env=self.home.env, stderr=subprocess.DEVNULL)
        until("the daemon", lambda: self.home.type("--no-start", "ps").returncode == 0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.daemon.terminate()
        self.daemon.wait(DEADLINE_S)
        self.home.__exit__()
        self.model.close()
        self.hooks.close()
        self.notified.close()

    def wait_for_notifications(self):
        """Both receivers have theirs."""
        until("the notifications", lambda: sum(e["type"] == "session.updated" and (e["payload"].get("delivery") or {}).get("state") == "delivered"
                                               for e in self.events()) == 2)

    def events(self):
        return [json.loads(line) for line in self.home.ok("log", "@last", "-o", "jsonl").splitlines()]

    def variables(self, name):
        """The variables of a trace that a process wrote into a file."""
        lines = (self.work / name).read_text().splitlines()
        return {k: v for k, v in (line.split("=", 1) for line in lines if "=" in line) if k.startswith("TRACE")}

    def send(self, text):
        """Bytes to the daemon's socket; its whole answer."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(DEADLINE_S)
            s.connect(str(self.home.dir / "data" / "socket"))
            s.sendall(text)
            return s.makefile("rb").readline() if text.startswith(b"{") else b"".join(iter(lambda: s.recv(65536), b""))

    def post(self, headers, input="hello"):
        body = json.dumps({"input": input, "model": "scripted/demo", "cwd": str(self.work)}).encode()
        head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        reply = self.send(f"POST /v1/commands/submit_turn HTTP/1.1\r\nHost: thole\r\nContent-Type: application/json\r\nConnection: close\r\n"
                          f"Content-Length: {len(body)}\r\n{head}\r\n".encode() + body)
        assert b" 202 " in reply.split(b"\r\n")[0], reply
        return self.submitted(json.loads(reply.split(b"\r\n\r\n", 1)[1]))

    def rpc(self, **more):
        reply = json.loads(self.send((json.dumps({"jsonrpc": "2.0", "id": 1, "method": "submit_turn", "params": {
            "input": "hello", "model": "scripted/demo", "cwd": str(self.work), **more}}) + "\n").encode()))
        assert "result" in reply, reply
        return self.submitted(reply["result"])

    def submitted(self, reply):
        lines = self.home.ok("log", reply["sessionId"], "-o", "jsonl").splitlines()
        return next(e for e in map(json.loads, lines) if e["type"] == "turn.submitted")


def first(events, kind):
    return next(e for e in events if e["type"] == kind)


def the_context_of_the_caller_reaches_everything_below():
    with World(THOLE_TRACE="true") as w:
        w.home.ok("run", "-C", str(w.work), "go", TRACEPARENT=f"00-{TRACE}-{PARENT}-00", TRACESTATE=STATE)
        events = w.events()
        turn = first(events, "turn.submitted")
        assert turn["payload"]["trace"] == {"spanId": PARENT, "sampled": False, "state": STATE}, turn
        assert turn["spanId"] == span(TRACE, turn["turnId"])
        assert {e["type"] for e in events if e.get("turnId") and e.get("traceId") != TRACE} == {"thread.updated", "snapshot.updated"}

        def header(object_id):
            return f"00-{TRACE}-{span(TRACE, object_id)}-00"

        requests = [e["modelRequestId"] for e in events if e["type"] == "model.requested"]
        got = [(r.headers.get("traceparent"), r.headers.get("tracestate")) for r in w.model.requests if r.method == "POST"]
        assert got == [(header(r), STATE) for r in requests] and len(got) == 2, (got, requests)
        runs = [e["hookRun"]["hookRunId"] for e in events if e["type"] == "hook.started"]
        got, = [(r.headers.get("traceparent"), r.headers.get("tracestate")) for r in w.hooks.requests]
        assert got == (header(runs[0]), STATE), (got, runs)
        assert f"{header(runs[1])} {STATE}" in json.dumps(events), runs
        process = first(events, "process.started")
        assert w.variables("seen.txt") == {"TRACEPARENT": header(process["processId"]), "TRACESTATE": STATE}
        result = next(e for e in events if e["type"] == "tool.result" and "traceparent" in json.dumps(e["payload"]))
        text = json.dumps(result)
        assert header(result["toolCallId"]) in text and STATE in text, result
        w.wait_for_notifications()
        got, = [(r.headers.get("traceparent"), r.headers.get("tracestate")) for r in w.notified.requests]
        assert got == (header(turn["turnId"]), STATE), got
        assert w.variables("notified.txt") == {"TRACEPARENT": header(turn["turnId"]), "TRACESTATE": STATE}
        # an event carries the span of what it is about
        for e in events:
            if e["type"].startswith("hook."):
                assert e["spanId"] == span(TRACE, e["hookRun"]["hookRunId"]), e
            elif e["type"].startswith("process."):
                assert e["spanId"] == span(TRACE, e["processId"]), e
            elif e.get("toolCallId") and e.get("traceId") and e["type"] != "tool.catalog.resolved":
                assert e["spanId"] == span(TRACE, e["toolCallId"]), e
            elif e.get("modelRequestId") and e.get("traceId"):
                assert e["spanId"] == span(TRACE, e["modelRequestId"]), e
            elif e.get("traceId"):
                assert e["spanId"] == turn["spanId"], e


def without_a_caller_a_trace_begins_and_is_sampled():
    with World(THOLE_TRACE="true") as w:
        w.home.ok("run", "-C", str(w.work), "go")
        turn = first(w.events(), "turn.submitted")
        assert "trace" not in turn["payload"] and len(turn["traceId"]) == 32
        request = first(w.events(), "model.requested")
        sent = w.model.requests[-2].headers
        assert sent["traceparent"] == f"00-{turn['traceId']}-{request['spanId']}-01" and "tracestate" not in sent, sent
        assert set(w.variables("seen.txt")) == {"TRACEPARENT"}


def off_means_no_member_no_header_and_no_variable():
    with World() as w:
        w.home.ok("run", "-C", str(w.work), "go", TRACEPARENT=f"00-{TRACE}-{PARENT}-01", TRACESTATE=STATE)
        w.wait_for_notifications()
        text = json.dumps(w.events())
        assert "traceId" not in text and "spanId" not in text and TRACE not in text and "congo" not in text
        assert not any("trace" in name for r in w.model.requests + w.hooks.requests + w.notified.requests for name in r.names)
        assert w.variables("seen.txt") == w.variables("notified.txt") == {}


def http_and_json_rpc_take_the_same_context():
    with World(THOLE_TRACE="true") as w:
        good = f"00-{TRACE}-{PARENT}-01"
        want = {"spanId": PARENT, "sampled": True, "state": STATE}
        for e in (w.post({"traceparent": good, "tracestate": STATE}), w.rpc(traceparent=good, tracestate=STATE),
                  w.rpc(_meta={"traceparent": good, "tracestate": STATE})):
            assert e["traceId"] == TRACE and e["payload"]["trace"] == want, e
        # several headers are one list
        first, rest = STATE.split(",", 1) if "," in STATE else (STATE, "other=2")
        e = w.post({"traceparent": good, "tracestate": first, "Tracestate": rest})
        assert e["payload"]["trace"]["state"] == f"{first},{rest}", e
        # a later version may say more, of which nothing is taken
        e = w.rpc(_meta={"traceparent": f"01-{TRACE}-{PARENT}-01-more"})
        assert e["traceId"] == TRACE and e["payload"]["trace"] == {"spanId": PARENT, "sampled": True}, e


def a_context_that_is_invalid_begins_a_trace_of_its_own():
    with World(THOLE_TRACE="true") as w:
        zero = "0" * 32
        for bad in (f"ff-{TRACE}-{PARENT}-01", f"00-{zero}-{PARENT}-01", f"00-{TRACE}-{zero[:16]}-01", f"00-{TRACE}-{PARENT}", "",
                    f"00-{TRACE.upper()}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01-more", f"0-{TRACE}-{PARENT}-01", "x" * 5000):
            for e in (w.post({"traceparent": bad, "tracestate": STATE}), w.rpc(_meta={"traceparent": bad, "tracestate": STATE})):
                assert e["traceId"] not in (TRACE, zero) and "trace" not in e["payload"], (bad, e)
        for other in (7, None, ["x"], {}):
            assert "trace" not in w.rpc(_meta={"traceparent": other})["payload"]
            assert "trace" not in w.rpc(_meta=other)["payload"]


def a_state_that_is_long_or_invalid_is_left_out():
    with World(THOLE_TRACE="true") as w:
        good = f"00-{TRACE}-{PARENT}-01"
        for bad in ("a=" + "x" * 10240, "no member", "a=b,,c", "a=b\u00e9", ","):
            e = w.rpc(_meta={"traceparent": good, "tracestate": bad})
            assert e["payload"]["trace"] == {"spanId": PARENT, "sampled": True}, (bad, e)
        longest = "a=" + "x" * 510
        assert w.rpc(_meta={"traceparent": good, "tracestate": longest})["payload"]["trace"]["state"] == longest


TESTS = (the_context_of_the_caller_reaches_everything_below, without_a_caller_a_trace_begins_and_is_sampled,
         off_means_no_member_no_header_and_no_variable, http_and_json_rpc_take_the_same_context,
         a_context_that_is_invalid_begins_a_trace_of_its_own, a_state_that_is_long_or_invalid_is_left_out)


def main():
    chosen = [t for t in TESTS if not sys.argv[2:] or any(word in t.__name__ for word in sys.argv[2:])]
    failed = 0
    print(f"1..{len(chosen)}", flush=True)
    for n, t in enumerate(chosen, 1):
        try:
            t()
            print(f"ok {n} - {t.__name__.replace('_', ' ')}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {t.__name__.replace('_', ' ')}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()[-20:]), end="", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
