#!/usr/bin/env python3
"""Our own tool server: correct by default, hostile as its first argument says.

   server.py [KIND]      plain, modern (2026-07-28), deaf (to the probe), changes and grows (its list),
                         names (odd ones), many (tools); hostile: silent, dies, junk, huge, flood,
                         nolist, endless, badversion
"""
import json
import os
import sys
import threading
import time

kind = sys.argv[1] if len(sys.argv) > 1 else "plain"
lock = threading.Lock()
calls = 0
cancelled = set()
waiting = {}
next_id = [0]


def send(message):
    with lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def note(method, params=None):
    send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})


def tool(name, description="a tool", properties=None, **more):
    return {"name": name, "description": description,
            "inputSchema": {"type": "object", "properties": properties or {}}, **more}


def tools():
    plain = [
        tool("echo", "returns the argument", {"text": {"type": "string"}},
             annotations={"readOnlyHint": True, "title": "Echo"}),
        tool("wipe", "removes things", annotations={"destructiveHint": True}),
        tool("fail", "says that it failed"), tool("refuse", "answers with a protocol error"),
        tool("large", "a large result", {"bytes": {"type": "integer"}}),
        tool("slow", "takes its time and tells", {"steps": {"type": "integer"}}),
        tool("never", "does not answer"), tool("die", "ends the server"),
        tool("ask", "asks a person"), tool("login", "wants a person to sign in"), tool("where", "what it can see"),
        tool("data", "a structured result"), tool("reach", "asks an address", {"url": {"type": "string"}}),
    ]
    if kind == "breaks":
        number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        return [tool("string"), tool("nothing"), tool("fits", outputSchema=number), tool("mismatch", outputSchema=number),
                tool("plain", outputSchema=number), tool("error", outputSchema=number)]
    if kind == "names":
        return [tool("sp ace"), tool("näme/☃"), tool("x" * 100), tool("a" * 500), tool(""), tool("tab\there"),
                tool("twice"), tool("twice"), {"name": "noschema"}, {"name": "list", "inputSchema": {"type": "array"}},
                tool("bad", annotations="no object"), {"name": "ref", "inputSchema": {"type": "object", "$ref": "http://127.0.0.1:1/x"}},
                "no object", 7, tool("good")]
    if kind == "changes":
        count = int(os.environ.get("CHANGES_FROM", "0")) + calls
        return [tool("echo", f"version {count}", {"text": {"type": "string"}})] + [tool(f"extra{n}") for n in range(calls)]
    if kind == "grows":
        return plain + [tool(f"extra{n}") for n in range(calls)]
    if kind == "many":
        return [tool(f"t{n}") for n in range(1000)]
    return plain


def see():
    def can(what, *args):
        try:
            what(*args)
            return True
        except Exception:
            return False
    import socket
    return {"cwd": os.getcwd(), "home_ssh": can(os.listdir, os.path.expanduser("~/.ssh")),
            "passwd_write": can(open, "/etc/passwd", "a"), "env": sorted(os.environ),
            "net": can(lambda: socket.create_connection(("127.0.0.1", int(os.environ.get("PORT", "9"))), 1)),
            "mcp_write": can(open, ".mcp.json", "a"), "pid": os.getpid(), "write": can(open, "made-by-server", "w")}


def text(s, **more):
    return {"resultType": "complete", "content": [{"type": "text", "text": s}], **more}


def ask_old(params):
    next_id[0] += 1
    key = f"q{next_id[0]}"
    waiting[key] = threading.Event()
    send({"jsonrpc": "2.0", "id": key, "method": "elicitation/create", "params": params})
    waiting[key].wait(60)
    return getattr(waiting[key], "result", None)


LOGIN = {"mode": "url", "message": "The tracker wants to know who you are.", "url": "https://tracker.example/login?state=1", "elicitationId": "e1"}
QUESTION = {"mode": "form", "message": "What colour?", "requestedSchema": {
    "type": "object", "properties": {"colour": {"type": "string"}, "shade": {"type": "string", "default": "pale"}}, "required": ["colour", "shade"]}}


def call(id, params):
    global calls
    name, args = params.get("name"), params.get("arguments", {})
    token = params.get("_meta", {}).get("progressToken")
    calls += 1
    if kind == "breaks":
        return {"string": {"content": "just words"}, "nothing": {}, "fits": text("2", structuredContent={"n": 2}),
                "mismatch": text("two", structuredContent={"n": "two"}), "plain": text("two"),
                "error": text("it did not work", isError=True)}[name]
    if name == "echo":
        if kind == "changes":
            note("notifications/tools/list_changed")
        return text(args.get("text", ""))
    if name == "fail":
        return text("it did not work", isError=True)
    if name == "data":
        return text("two", structuredContent={"n": 2})
    if name == "large":
        return text("0123456789abcde\n" * (args.get("bytes", 100000) // 16))
    if name == "slow":
        steps = args.get("steps", 3)
        if kind == "grows":
            note("notifications/tools/list_changed")
        for n in range(steps):
            note("notifications/progress", {"progressToken": token, "progress": n + 1, "total": steps, "message": f"step {n + 1}"})
            time.sleep(0.3)
            if id in cancelled:
                return None
        return text("done")
    if name == "never":
        return None
    if name == "die":
        sys.stderr.write("I am dying\n")
        sys.stderr.flush()
        os._exit(3)
    if name == "where":
        return text(json.dumps(see()))
    if name == "reach":
        import urllib.request
        try:
            with urllib.request.urlopen(args["url"], timeout=20) as r:
                return text(r.read().decode())
        except Exception as e:
            return text(f"not reached: {e}", isError=True)
    if name == "wipe":
        return text("wiped")
    if name == "login":
        if kind == "modern":
            responses = params.get("inputResponses")
            if responses is None:
                return {"resultType": "input_required", "inputRequests": {"c": {"method": "elicitation/create", "params": LOGIN}}, "requestState": "s2"}
            return text(json.dumps(responses["c"]))
        return text(json.dumps(ask_old(LOGIN)))
    if name == "ask":
        if kind == "modern":
            responses = params.get("inputResponses")
            if responses is None:
                return {"resultType": "input_required", "inputRequests": {"c": {"method": "elicitation/create", "params": QUESTION}}, "requestState": "s\"1"}
            if params.get("requestState") != "s\"1":
                return text("state was not given back", isError=True)
            return text(json.dumps(responses["c"]))
        return text(json.dumps(ask_old(QUESTION)))
    return ("error", -32602 if name != "refuse" else -32000, "no such thing")


greeted = [False]  # a server of both protocols speaks the one that it was greeted with


def answer(id, method, params):
    modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
    if method == "server/discover":
        if kind in ("modern", "both") and modern:
            result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                      "capabilities": {"tools": {"listChanged": True}}, "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "own", "version": "2"}}}
        elif kind == "deaf":
            return
        else:
            result = ("error", -32601, "Method not found")
    elif kind == "both" and greeted[0] and modern:
        result = ("error", -32600, "This connection was initialized with 2025-11-25")
    elif method == "initialize":
        greeted[0] = True
        version = "1999-01-01" if kind == "badversion" else params["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "own", "version": "1"}}
    elif method == "tools/list":
        if kind == "nolist":
            result = ("error", -32603, "no list today")
        elif kind == "endless":
            result = {"tools": [tool(f"t{calls_of_list()}")], "nextCursor": "more"}
        else:
            result = {"tools": tools(), "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    elif method == "subscriptions/listen":
        note("notifications/subscriptions/acknowledged", {"notifications": {"toolsListChanged": True}})
        return
    elif method == "tools/call":
        result = call(id, params)
        if result is None:
            return
    else:
        result = ("error", -32601, "Method not found")
    if isinstance(result, tuple):
        send({"jsonrpc": "2.0", "id": id, "error": {"code": result[1], "message": result[2]}})
    else:
        send({"jsonrpc": "2.0", "id": id, "result": result})


listed = [0]


def calls_of_list():
    listed[0] += 1
    return listed[0]


def main():
    time.sleep(float(os.environ.get("MCP_SLEEP", "0")))
    if kind == "dies":
        sys.stderr.write("cannot start\n")
        sys.exit(7)
    if kind == "junk":
        for n in range(1000):
            print("this is no JSON", flush=True)
    if kind == "huge":
        sys.stdout.write('{"jsonrpc":"2.0","method":"' + "x" * (40 << 20))
        sys.stdout.flush()
        time.sleep(60)
    for line in sys.stdin:
        message = json.loads(line)
        if kind == "silent":
            continue
        if "method" not in message:
            w = waiting.get(message.get("id"))
            if w:
                w.result = message.get("result")
                w.set()
        elif message["method"] == "notifications/cancelled":
            cancelled.add(message["params"]["requestId"])
        elif "id" in message:
            threading.Thread(target=answer, args=(message["id"], message["method"], message.get("params", {})), daemon=True).start()
        if kind == "flood" and message.get("method") == "notifications/initialized":
            def flood():
                junk = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1000}}) + "\n"
                while True:
                    note("notifications/tools/list_changed")
                    with lock:
                        sys.stdout.write(junk * 100)
            threading.Thread(target=flood, daemon=True).start()


main()
