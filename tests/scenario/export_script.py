#!/usr/bin/env python3
"""Record a session, export it as a script, replay it: the items must be the same.

usage: export_script.py BUILD_DIR        prints TAP
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402

SCRIPT = r'''
{ "version": 1,
  "models": [ { "provider": "alpha", "model": "large" }, { "provider": "beta", "model": "small", "price": "unknown" } ],
  "rules": [
    { "when": { "text": "busy", "attempt": 1 }, "reply": { "error": { "status": 529, "message": "not now" } } },
    { "when": { "text": "away", "provider": "alpha" }, "reply": { "text": "half a", "error": { "cut": true, "retryable": false } } },
    { "when": { "text": "work" }, "replies": [
        { "reasoning": ["Let me ", "see."], "text": "First I look. ",
          "toolCalls": [ { "name": "look", "args": { "at": "one" } }, { "name": "look", "args": { "at": "two" } } ] },
        { "text": "Now I write.", "toolCalls": [ { "name": "write", "args": { "what": "x" } }, { "name": "missing", "args": {} } ] },
        { "text": ["It said {", "{toolResult}} and that is ", "all."], "usage": { "input": 77, "cached": 7, "output": 5 } } ] },
    { "when": { "purpose": "summary" }, "reply": { "text": "Short {and} sweet." } },
    { "when": { "text": "refuse" }, "reply": { "text": "I will not.", "stop": "refusal", "usage": "unknown" } } ],
  "tools": [
    { "name": "look", "readOnly": true, "concurrencySafe": true, "result": { "text": "seen {{args.at}}" } },
    { "name": "write", "policy": "ask", "inputSchema": { "type": "object", "properties": { "what": { "type": "string" } }, "required": ["what"] },
      "result": { "text": "no room for {{args.what}}", "isError": true, "exitCode": 3 } } ],
  "default": { "text": "You said: {{input}}" } }
'''
INPUTS = ["hello", "busy?", "work now", "are you away", "refuse this", "goodbye"]


def play(build, where, script):
    """The session's events after the same inputs and the same decisions."""
    daemon = Daemon(build, os.path.join(where, "data"), script, [])
    daemon.start()
    transport = Http(daemon)
    session = None

    def wait(kind, turn):
        def newest():
            events = [json.loads(line) for line in transport.events(session, 0)]
            return next(((e, events) for e in events if e["type"] in kind and (not turn or e.get("turnId") == turn)), None)

        return until(" or ".join(kind), newest)

    for text in INPUTS:
        code, reply = transport.call("submit_turn", {"input": text, **({"sessionId": session} if session else {})})
        if code:
            raise Wrong(f"{text}: {reply}")
        session, turn = reply["sessionId"], reply["turnId"]
        if text.startswith("work"):
            action, _ = wait(["action.required"], turn)
            code, reply = transport.call("respond_action", {"sessionId": session, "actionId": action["actionId"], "decision": "allow"})
        wait(["turn.completed", "turn.failed"], turn)
        if text.startswith("busy"):
            code, reply = transport.call("compact_thread", {"sessionId": session})
            if code:
                raise Wrong(f"compact_thread: {reply}")
            wait(["context.compaction.completed"], None)
    events = [json.loads(line) for line in transport.events(session, 0)]
    exported = None
    if script == SCRIPT:
        done = subprocess.run([os.path.join(build, "thole"), "export", "script", session, "--data", daemon.data],
                              capture_output=True, timeout=DEADLINE_S)
        if done.returncode:
            raise Wrong(f"export: {done.stderr.decode()}")
        exported = done.stdout.decode()
    daemon.stop()
    return events, exported


def items(events):
    """What a person would compare: texts, calls, results, ends, in order."""
    texts, out, names = {}, [], {}

    def name(i):
        return names.setdefault(i, f"#{len(names)}")

    for e in events:
        p, kind = e["payload"], e["type"]
        if kind in ("model.delta", "reasoning.delta"):
            texts[e["stepId"]] = texts.get(e["stepId"], "") + p["text"]
        if "item" in e and e["item"]["status"] in ("completed", "failed", "cancelled", "queued"):
            out.append((kind, e["item"]["kind"], e["item"]["index"], e["item"]["status"], texts.get(e.get("stepId"))))
        if kind == "tool.args":
            out.append((kind, name(e["toolCallId"]), json.dumps(p.get("safeArgs"), sort_keys=True), p["valid"]))
        if kind in ("tool.result", "tool.failed"):
            out.append((kind, name(e["toolCallId"]), p.get("displayPreview"), p.get("isError"), p.get("exitCode"), p.get("category"),
                        e.get("statusReason")))
        if kind == "tool.started":
            out.append((kind, p["toolName"], p["providerCallId"]))
        if kind == "model.completed":
            out.append((kind, p["stopReason"], json.dumps(p.get("usage"), sort_keys=True)))
        if kind == "model.failed":
            out.append((kind, p["category"], p.get("httpStatus"), p["message"], p["attempt"], p["retryable"]))
        if kind in ("turn.completed", "turn.failed"):
            out.append((kind, e["status"], p.get("category"), p.get("modelRequests")))
        if kind == "cost.recorded":
            out.append((kind, p.get("amountUsd"), p["basis"]))
        if kind == "routing.decided":
            out.append((kind, p["selectedProvider"], p["selectedModel"]))
        if kind == "context.compaction.completed":
            out.append((kind, p["summaryPreview"], len(p["affectedTurns"])))
    return out


SECRET = "tr0ub4dor-and-3"
SECRETS = json.dumps({
    "version": 1,
    "rules": [{"when": {"text": "login"}, "replies": [
        {"toolCalls": [{"name": "login", "args": {"key": SECRET, "text": size * "x"}} for size in (10, 20000)]}, {"text": "done"}]}],
    "tools": [{"name": "login", "result": {"text": "in"}, "inputSchema": {
        "type": "object", "properties": {"key": {"type": "string", "writeOnly": True}, "text": {"type": "string"}}}}],
    "default": {"text": "hello"}})


def keep_secrets(build, where):
    """Secret arguments are in no export, short or too long for the event."""
    daemon = Daemon(build, os.path.join(where, "data"), SECRETS, [])
    daemon.start()
    transport = Http(daemon)
    code, reply = transport.call("submit_turn", {"input": "login"})
    session = reply["sessionId"]
    until("the end", lambda: any(json.loads(line)["type"] == "turn.completed" for line in transport.events(session, 0)))
    done = subprocess.run([os.path.join(build, "thole"), "export", "script", session, "--data", daemon.data],
                          capture_output=True, timeout=DEADLINE_S)
    daemon.stop()
    script = done.stdout.decode()
    if done.returncode or SECRET in script or 20000 * "x" not in script:
        raise Wrong(f"{done.stderr.decode()} the secret is {'in' if SECRET in script else 'not in'} the export: {script[:1000]}")


def main():
    build = os.path.abspath(sys.argv[1])
    title = "a session that was recorded plays again from its exported script with the same items"
    try:
        with tempfile.TemporaryDirectory(prefix="thole-export-") as first, \
                tempfile.TemporaryDirectory(prefix="thole-export-") as second:
            events, script = play(build, first, SCRIPT)
            again, _ = play(build, second, script)
            a, b = items(events), items(again)
            if len(a) < 40:
                raise Wrong(f"only {len(a)} items were recorded")
            for x, y in zip(a, b):
                if x != y:
                    raise Wrong(f"recorded {x}\nplayed   {y}")
            if len(a) != len(b):
                raise Wrong(f"{len(a)} items were recorded, {len(b)} played")
        title = "an exported script has no secret arguments"
        with tempfile.TemporaryDirectory(prefix="thole-export-") as third:
            keep_secrets(build, third)
        print("ok 1 - a session that was recorded plays again from its exported script with the same items")
        print("ok 2 - " + title)
        print("1..2")
        return 0
    except Wrong as e:
        print("not ok 1 - " + title)
        print("# " + str(e).replace("\n", "\n# "))
        print("1..1")
        return 1


if __name__ == "__main__":
    sys.exit(main())
