#!/usr/bin/env python3
"""A tool server that asks for answers of a model, in both revisions.

   sampling_server.py old|modern

   Tool ask: {"requests": [PARAMS, ...], "together": bool, "quit": bool, "withdraw": seconds}
   Its result is the JSON of what it got for each request: a result or an error.  together: all of them are asked at once;
   quit: the call ends without waiting for them; modern: one round for each request, or one for all.
   Tool can: the capabilities of the client.
"""
import json
import sys
import threading
import time

modern = sys.argv[1:] == ["modern"]
lock = threading.Lock()
waiting = {}
capabilities = {}
META = "io.modelcontextprotocol/"
READ = {"readOnlyHint": True}
TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}, "annotations": READ} for name in ("ask", "can")]


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def request(params, key):
    waiting[key] = threading.Event()
    send({"id": key, "method": "sampling/createMessage", "params": params})
    return waiting[key]


def got(event):
    event.wait(100)
    return getattr(event, "got", None)


def text(value):
    return {"resultType": "complete", "content": [{"type": "text", "text": json.dumps(value)}]}


def ask_old(id, args):
    events = []
    for n, params in enumerate(args["requests"]):
        events.append(request(params, f"{id}-{n}"))
        if args.get("withdraw"):
            time.sleep(args["withdraw"])
            send({"method": "notifications/cancelled", "params": {"requestId": f"{id}-{n}"}})
        if not args.get("together"):
            got(events[-1])
    return text("quit") if args.get("quit") else text([got(e) for e in events])


def ask_modern(params):
    args = params["arguments"]
    had = json.loads(params.get("requestState") or "[]")
    given = params.get("inputResponses") or {}
    had += [{"result": given[key]} for key in sorted(given)]
    left = args["requests"][len(had):]
    if not left:
        return text(had)
    now = left if args.get("together") else left[:1]
    return {"resultType": "input_required", "requestState": json.dumps(had),
            "inputRequests": {f"q{n:04}": {"method": "sampling/createMessage", "params": p} for n, p in enumerate(now)}}


def result(id, method, params):
    if method == "initialize":
        capabilities.update(params["capabilities"])
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "asks", "version": "1"}}
    if method == "server/discover" and modern:
        return {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private", "capabilities": {"tools": {}},
                "_meta": {META + "serverInfo": {"name": "asks", "version": "2"}}}
    if method == "tools/list":
        return {"tools": TOOLS, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if method == "tools/call" and params["name"] == "can":
        return text(params["_meta"][META + "clientCapabilities"] if modern else capabilities)
    if method == "tools/call":
        return ask_modern(params) if modern else ask_old(id, params["arguments"])
    return None


def answer(message):
    value = result(message["id"], message["method"], message.get("params", {}))
    send({"id": message["id"], "result": value} if value else {"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


for line in sys.stdin:
    message = json.loads(line)
    if "method" in message and "id" in message:
        threading.Thread(target=answer, args=(message,), daemon=True).start()
    elif "method" not in message and message.get("id") in waiting:
        event = waiting[message["id"]]
        event.got = {k: v for k, v in message.items() if k in ("result", "error")}
        event.set()
