#!/usr/bin/env python3
"""A tool server with resources and prompts that speaks 2026-07-28, or misbehaves as its argument says.

   offer_hostile.py KIND     modern; endless, rows, dies_listing, silent_listing, nolist, early, contents, reader;
                             same:METHOD, new:METHOD (that list does not end: with one cursor, or with new ones)
"""
import json
import os
import sys

KIND = sys.argv[1]
LOG = os.environ.get("OFFER_LOG")
MODERN = KIND == "modern"
subscribed, listening = [], [None]
PROMPTS = [{"name": "hello", "arguments": [{"name": "who", "required": True}]}]
FORM = {"method": "elicitation/create", "params": {"message": "Which page?", "requestedSchema": {
    "type": "object", "properties": {"page": {"type": "integer", "minimum": 1}}, "required": ["page"]}}}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(text):
    if LOG:
        with open(LOG, "a") as f:
            f.write(text + "\n")


def rows():
    if KIND == "rows":
        return [{"uri": "x:\u001b[31m", "name": "escape"}, {"uri": "x:" + "a" * 5000, "name": "long"}, {"name": "none"}, 7, None, "text", [],
                {"uri": "x:ok", "name": "fine\nmcp:other | forged", "description": "d" * 100000, "size": -5},
                {"uri": "", "name": "empty"}, *[{"uri": f"x:{n}", "name": "n" * 1000, "description": "d" * 1000} for n in range(6000)]]
    return [{"uri": "x:one", "name": "one"}, {"uri": "x:asks", "name": "asks"}]


def read(params):
    uri = params["uri"]
    if KIND == "contents":
        return {"x:string": {"contents": "words"}, "x:none": {}, "x:base64": {"contents": [{"uri": uri, "blob": "***"}]},
                "x:numbers": {"contents": [7, None, {"uri": 3, "text": 4}]}, "x:huge": {"contents": [{"uri": uri, "text": "y" * (12 << 20)}]},
                "x:list": [1, 2]}[uri]
    if uri == "x:asks" and "inputResponses" not in params:
        return {"resultType": "input_required", "inputRequests": {"p": FORM}, "requestState": "st"}
    if uri == "x:asks":
        return {"contents": [{"uri": uri, "text": json.dumps([params["inputResponses"]["p"], params["requestState"]])}]}
    if uri == "x:sampling":
        return {"resultType": "input_required", "inputRequests": {"s": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}}}
    return {"contents": [{"uri": uri, "text": "text of " + uri}]}


pages = [0]
ROWS = {"tools/list": lambda n: {"tools": [{"name": f"t{n}", "inputSchema": {"type": "object"}}]}, "prompts/list": lambda n: {"prompts": [{"name": f"p{n}"}]},
        "resources/list": lambda n: {"resources": [{"uri": f"x:{n}", "name": "n"}]},
        "resources/templates/list": lambda n: {"resourceTemplates": [{"uriTemplate": f"x:{n}/{{a}}", "name": "n"}]}}


def answer(method, params):
    if KIND.endswith(":" + method):
        pages[0] += 1
        return {**ROWS[method](pages[0]), "nextCursor": "same" if KIND.startswith("same:") else f"c{pages[0]}"}
    able = {"tools": {}, "resources": {"subscribe": True, "listChanged": True}, "prompts": {"listChanged": True}, "logging": {}, "completions": {}}
    if method == "server/discover" and MODERN:
        note("capabilities " + json.dumps(params["_meta"]["io.modelcontextprotocol/clientCapabilities"]))
        return {"supportedVersions": ["2026-07-28"], "capabilities": able}
    if method == "initialize" and not MODERN:
        note("capabilities " + json.dumps(params["capabilities"]))
        return {"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": {"name": "h", "version": "1"}}
    if method == "tools/list":
        names = ["touch", *(["list_resources", "read_resource", "read_server_resource", "list_server_resources"] if KIND == "reader" else [])]
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}
    if method == "tools/call" and KIND == "reader":
        note("tool " + params["name"])
        return {"content": [{"type": "text", "text": "its own " + params["name"]}]}
    if method == "tools/call":
        for uri in subscribed:
            send({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
        return {"content": [{"type": "text", "text": " ".join(subscribed)}]}
    if method == "resources/list":
        if KIND == "dies_listing":
            os._exit(3)
        if KIND == "silent_listing":
            return None
        if KIND == "nolist":
            return {"resources": "no list"}
        cursor = int(params.get("cursor", "0"))
        if KIND == "endless":
            return {"resources": [{"uri": f"x:{cursor}", "name": "n"}], "nextCursor": str(cursor + 1)}
        return {"resources": rows()}
    if method == "resources/templates/list":
        return {"resourceTemplates": []}
    if method == "resources/read":
        note("read " + params["uri"])
        return read(params)
    if method in ("resources/subscribe", "resources/unsubscribe"):
        subscribed.append(params["uri"])
        return {}
    if method == "subscriptions/listen":
        wanted = params["notifications"]
        subscribed[:] = wanted.get("resourceSubscriptions", [])
        note("listen " + json.dumps(wanted, sort_keys=True))
        return None
    if method == "prompts/list":
        return {"prompts": PROMPTS}
    if method == "prompts/get":
        return {"messages": [{"role": "user", "content": {"type": "text", "text": "hello " + params["arguments"]["who"]}}]}
    if method == "completion/complete":
        return {"completion": {"values": ["world"] * 500}}
    if method == "logging/setLevel":
        return {}
    return ("error", -32601)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            note("answer " + json.dumps(message, sort_keys=True))
            continue
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params", {}))
        if isinstance(result, tuple):
            send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": result[1], "message": "no"}})
        elif result is not None:
            if isinstance(result, dict):
                result = {"resultType": "complete", **result}
            send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        if KIND == "early" and message["method"] == "tools/list":
            for n in range(40):  # before any call, with ids that are used twice
                send({"jsonrpc": "2.0", "id": n % 20, "method": "elicitation/create", "params": {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}})
            for method in ("sampling/createMessage", "roots/list", "tasks/list", "nonsense"):
                send({"jsonrpc": "2.0", "id": method, "method": method, "params": {"messages": [], "maxTokens": 1}})
            for params in ([], 7, {"requestId": []}, {"elicitationId": {}}, {"uri": 7}):
                for method in ("notifications/cancelled", "notifications/elicitation/complete", "notifications/resources/updated", "notifications/message"):
                    send({"jsonrpc": "2.0", "method": method, "params": params})


main()
