#!/usr/bin/env python3
"""A tool server whose tools each ask one form and return the answer.

   form_server.py [FIELDS CHOICES BYTES]     with tools that ask so many, and one more
"""
import json
import sys
import threading

FORMS = {
    "consent": {},
    "boolean": {"ok": {"type": "boolean", "title": "Really?"}},
    "numbers": {"year": {"type": "string", "enum": ["3", "2", "1", "10"]}},
    "secret": {"x": {"type": "string", "title": "Your API key"}},
    "several": {"first": {"type": "string", "title": "First"}, "second": {"type": "string", "title": "Second"}},
}
REQUIRED = {"boolean": ["ok"], "numbers": ["year"], "several": ["first"]}
waiting = {}


def of_bytes(size):
    """A form whose schema has so many bytes."""
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": ""}}, "required": []}
    room = size - len(json.dumps(schema, separators=(",", ":")))
    return {"x": {"type": "string", "description": "d" * room}}


if len(sys.argv) > 1:
    fields, choices, size = map(int, sys.argv[1:])
    for more, word in ((0, "most"), (1, "above")):
        FORMS[word + "_fields"] = {f"f{n}": {"type": "string"} for n in range(fields + more)}
        FORMS[word + "_choices"] = {"x": {"type": "string", "enum": [f"c{n}" for n in range(choices + more)]}}
        FORMS[word + "_bytes"] = of_bytes(size + more)
        FORMS[word + "_any"] = {"x": {"type": "string", "anyOf": [{"const": f"c{n}"} for n in range(choices + more)]}}
        FORMS[word + "_values"] = {"x": {"type": "integer", "enum": list(range(choices + more))}}
    REQUIRED.update(most_absent=["x"], above_absent=["x", "y"])
    FORMS["most_absent"] = FORMS["above_absent"] = {"x": {"type": "string"}}
    FORMS["most_items"] = {"x": {"type": "array", "items": {"enum": ["a"]}}}
    FORMS["above_items"] = {"x": {"type": "array", "items": {"enum": ["a"], "not": {}}}}
    FORMS["most_list"] = {"x": {"type": "boolean", "title": "Really?"}}
    FORMS["above_list"] = {"x": {"type": "boolean", "oneOf": [{"const": True, "title": "No"}, {"const": False, "title": "Yes"}]}}


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def call(number, name):
    waiting[name] = threading.Event(), {}
    schema = {"type": "object", "properties": FORMS[name], "required": REQUIRED.get(name, [])}
    send(id=name, method="elicitation/create", params={"mode": "form", "message": "Please fill in.", "requestedSchema": schema})
    waiting[name][0].wait()
    send(id=number, result={"content": [{"type": "text", "text": "got " + json.dumps(waiting[name][1])}]})


for line in sys.stdin:
    got = json.loads(line)
    number, method = got.get("id"), got.get("method")
    if not method and number in waiting:
        waiting[number][1].update(got.get("result") or {"refused": got.get("error", {}).get("message")})
        waiting[number][0].set()
    elif method == "initialize":
        send(id=number, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "forms", "version": "1"}})
    elif method == "tools/list":
        send(id=number, result={"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in FORMS]})
    elif method == "tools/call":
        threading.Thread(target=call, args=(number, got["params"]["name"]), daemon=True).start()
    elif number is not None:
        send(id=number, error={"code": -32601, "message": "no such method"})
