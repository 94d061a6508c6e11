"""The AsyncAPI document: the streams of events, over SSE and over a WebSocket, from the rows of the catalogue.

outputs(cat) gives {path: text} and writes nothing.  OpenAPI describes requests and replies; here is what the runtime
sends by itself.  Schemas are the same.
"""
import catalog_docs as docs

COMPONENTS = "#/components/"


def ref(kind, name):
    return {"$ref": f"{COMPONENTS}{kind}/{name}"}


def event_message(parts, name, row):
    """The envelope with the payload of one class; in SSE its `event:` is the class."""
    own = {"type": "object", "properties": {"type": {"const": name}, "payload": parts.ref("payload." + name)}}
    required = row.get("scope", []) + row.get("requires", [])
    if required:
        own["required"] = required
    return {"name": name, "title": name, "summary": row["summary"], "contentType": "application/json",
            "payload": {"allOf": [parts.ref("event"), own]}}


def frame(name, summary, properties, required):
    return {"name": name, "title": name, "summary": summary, "contentType": "application/json",
            "payload": {"type": "object", "properties": properties, "required": required}}


def rpc(method, params):
    """A notification of JSON-RPC."""
    return {"jsonrpc": {"const": "2.0"}, "method": {"const": method}, "params": params}


def messages(cat, parts, built):
    text, number = {"type": "string"}, {"type": "integer"}
    gap = {"type": "object", "required": ["from", "to", "reason"], "properties": {
        "from": number, "to": number, "recoveryMode": parts.ref("enum.recovery_mode"), "reason": parts.ref("enum.gap_reason"),
        "sessionId": parts.ref("id"), "snapshot": {"type": "object"}}}
    end = {"type": "object", "required": ["reason"], "properties": {"reason": text}}
    notice = ["jsonrpc", "method", "params"]
    ident = {"type": ["string", "integer"]}
    made = {name: event_message(parts, name, cat.events[name]) for name in built}
    made["stream.gap"] = {**frame("gap", "Events that were removed or are damaged; the stream continues after them.", {}, []), "payload": gap}
    made["stream.end"] = {**frame("end", "The stream ends, and why.", {}, []), "payload": end}
    made["rpc.request"] = frame("request", "A command, by its name.", {
        "jsonrpc": {"const": "2.0"}, "id": ident, "method": {"enum": sorted(cat.commands) + ["initialize", "ping"]},
        "params": {"type": "object"}}, ["jsonrpc", "method"])
    made["rpc.reply"] = frame("reply", "The reply to a command, or the problem in error.data.", {
        "jsonrpc": {"const": "2.0"}, "id": ident, "result": {},
        "error": {"type": "object", "required": ["code", "message"],
                  "properties": {"code": number, "message": text, "data": parts.ref("problem")}}}, ["jsonrpc", "id"])
    made["rpc.event"] = frame("event", "An event; params is the stored envelope.", rpc("event", parts.ref("event")), notice)
    made["rpc.gap"] = frame("gap", "As stream.gap.", rpc("gap", gap), notice)
    made["rpc.stream_end"] = frame("stream_end", "As stream.end.", rpc("stream_end", end), notice)
    return made


def asyncapi(cat):
    parts = docs.Parts(cat, COMPONENTS + "schemas/")
    built = sorted((n for n in cat.events if cat.events[n]["state"] == "built"), key=lambda n: cat.events[n]["number"])
    made = messages(cat, parts, built)
    streamed = built + ["stream.gap", "stream.end"]
    spoken = ["rpc.request", "rpc.reply", "rpc.event", "rpc.gap", "rpc.stream_end"]
    query = {"type": "object", "properties": {
        "session": parts.ref("id"), "thread": parts.ref("id"), "turn": parts.ref("id"),
        "after": {"type": "string", "description": "After this sequence of the session, or after p.CURSOR across sessions; end: what comes."},
        "types": {"type": "string", "description": "Classes with commas between; tool.* means a family."},
        "follow": {"type": "string", "enum": ["0", "1", "false", "true"]},
        "as": parts.ref("enum.event_form")}}

    def on(channel, names):
        return [{"$ref": f"#/channels/{channel}/messages/{n}"} for n in names]

    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Thole", "version": "1",
                 "description": "What the Thole agent runtime sends: events as a stream of server-sent events, and JSON-RPC over a "
                                "WebSocket. Requests and replies over HTTP are in /openapi.json.",
                 "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
                 "tags": [{"name": "events"}, {"name": "json-rpc"}]},
        "id": "urn:thole:runtime",
        "defaultContentType": "application/json",
        "servers": {
            "http": {"host": "127.0.0.1:7433", "protocol": "http", "description": "A daemon on this machine.",
                     "security": [ref("securitySchemes", "bearer")]},
            "ws": {"host": "127.0.0.1:7433", "protocol": "ws", "description": "The same daemon.",
                   "security": [ref("securitySchemes", "bearer")]}},
        "channels": {
            "events": {"address": "/v1/events", "title": "Events", "servers": [{"$ref": "#/servers/http"}],
                       "description": "Server-sent events: id is the place to continue from (Last-Event-ID), event the class, data the stored "
                                      "envelope. Lines that begin with a colon keep the connection alive.",
                       "messages": {n: ref("messages", n) for n in streamed}},
            "rpc": {"address": "/v1/rpc", "title": "JSON-RPC", "servers": [{"$ref": "#/servers/ws"}],
                    "description": "JSON-RPC 2.0; subscribe_events starts a stream of notifications.",
                    "messages": {n: ref("messages", n) for n in spoken},
                    "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}}}},
        "operations": {
            "sendEvents": {"action": "send", "channel": {"$ref": "#/channels/events"}, "summary": "Events, as they become durable.",
                           "messages": on("events", streamed), "bindings": {"http": {"method": "GET", "query": query, "bindingVersion": "0.3.0"}}},
            "receiveCommand": {"action": "receive", "channel": {"$ref": "#/channels/rpc"}, "summary": "A command, and its reply.",
                               "messages": on("rpc", ["rpc.request"]),
                               "reply": {"channel": {"$ref": "#/channels/rpc"}, "messages": on("rpc", ["rpc.reply"])}},
            "sendNotification": {"action": "send", "channel": {"$ref": "#/channels/rpc"}, "summary": "Events of a subscription.",
                                 "messages": on("rpc", ["rpc.event", "rpc.gap", "rpc.stream_end"])}},
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": "`thole token` prints it."}},
            "messages": made,
            "schemas": parts.defs()},
    }


def outputs(cat):
    return {docs.PLACE + "asyncapi.json": docs.pretty(asyncapi(cat))}
