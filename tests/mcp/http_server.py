#!/usr/bin/env python3
"""Our own tool server with an address, for both revisions; its behaviour depends on the tool that is called.

usage: http_server.py PORT REVISION      as a program; as a module: Server(revision)

It remembers every request, and checks headers as the revision's page says.
"""
import base64
import http.server
import json
import sys
import threading

OLD, NEW = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
HUGE = 40 << 20  # more than a message may have


def tool(name, properties=None, **more):
    return {"name": name, "description": name, "inputSchema": {"type": "object", "properties": properties or {}}, **more}


def decode(value):
    if value and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes, and the second would wait for 40 ms

    def log_message(self, *args):
        pass

    def body(self, status, data, kind="application/json", **headers):
        data = data.encode() if isinstance(data, str) else data
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def reply(self, result, status=200, **headers):
        self.body(status, json.dumps({"jsonrpc": "2.0", "id": self.id, "result": result}, indent=1), **headers)

    def error(self, status, code, message, **data):
        self.body(status, json.dumps({"jsonrpc": "2.0", "id": self.id, "error": {"code": code, "message": message, "data": data}}))

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message, id=None, retry=None):
        text = (f"id: {id}\n" if id else "") + (f"retry: {retry}\n" if retry else "")
        data = json.dumps(message) if message else ""
        self.wfile.write(f"{text}data: {data}\n\n".encode())
        self.wfile.flush()

    def note(self, method, **params):
        self.event({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, result, id=None):
        self.event({"jsonrpc": "2.0", "id": id or self.id, "result": result})

    def wait_for_the_client_to_leave(self):
        """Comments until the connection breaks."""
        try:
            while not self.server.released.wait(0.1):
                self.wfile.write(b": waiting\n\n")
                self.wfile.flush()
        except OSError:
            self.server.left.append(getattr(self, "id", None))

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    # ---- requests ----

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(text)
        self.id, self.params = message.get("id"), message.get("params", {})
        self.server.note_request("POST", self.headers, message)
        if self.path == "/redirect":
            self.body(307, "", Location="http://127.0.0.1:9/elsewhere")
        elif self.path.startswith("/status/"):
            self.body(int(self.path.split("/")[2]), "no", "text/plain")
        elif self.path == "/silent":
            self.server.released.wait(60)
        elif self.server.revision == NEW:
            self.post_new(message)
        else:
            self.post_old(message)

    def do_GET(self):
        self.server.note_request("GET", self.headers, None)
        last = self.headers.get("Last-Event-ID")
        if self.server.revision == NEW or self.server.lacks:
            self.body(self.server.lacks or 405, "")
        elif last in self.server.resumable:
            self.stream()
            self.answer({"content": [{"type": "text", "text": f"resumed after {last}"}]}, self.server.resumable.pop(last))
        else:
            self.stream()
            self.server.streams.append(self)
            self.wait_for_the_client_to_leave()

    def do_DELETE(self):
        self.server.note_request("DELETE", self.headers, None)
        self.body(200, "")

    def post_old(self, message):
        method, session = message.get("method"), self.headers.get("Mcp-Session-Id")
        if method == "server/discover":
            self.body(400, "no session", "text/plain")
        elif method == "initialize":
            self.server.sessions += 1
            self.server.session = f"session-{self.server.sessions}"
            self.reply({"protocolVersion": OLD, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "old", "version": "1"}},
                       **{"Mcp-Session-Id": self.server.session})
        elif session != self.server.session or self.headers.get("MCP-Protocol-Version") != OLD:
            self.body(404, "no such session", "text/plain")
        elif self.id is None or method is None:
            self.body(202, "")
        else:
            self.serve(method)

    def post_new(self, message):
        method, meta = message.get("method"), self.params.get("_meta", {})
        wrong = [name for name, value in (("MCP-Protocol-Version", meta.get(META + "protocolVersion")), ("Mcp-Method", method),
                                          ("Mcp-Name", self.params.get("name"))) if decode(self.headers.get(name)) != value]
        if method == "initialize":
            self.error(400, -32022, "no", supported=[NEW])
        elif wrong or "Mcp-Session-Id" in self.headers:
            self.error(400, -32020, f"header mismatch: {wrong}")
        elif method == "server/discover":
            self.reply({"resultType": "complete", "supportedVersions": [NEW], "ttlMs": 0, "cacheScope": "private",
                        "capabilities": {"tools": {"listChanged": True}}, "_meta": {META + "serverInfo": {"name": "new", "version": "2"}}})
        elif method == "subscriptions/listen":
            self.stream()
            self.note("notifications/subscriptions/acknowledged", notifications={"toolsListChanged": True})
            self.server.streams.append(self)
            self.wait_for_the_client_to_leave()
        else:
            self.serve(method)

    def serve(self, method):
        if method == "tools/list":
            if self.server.cut_lists:
                self.server.cut_lists -= 1
                self.stream()
                return
            self.reply({"tools": self.server.tools, "resultType": "complete", "ttlMs": self.server.ttl_ms, "cacheScope": "private"})
        elif method == "tools/call":
            name, args = self.params["name"], self.params.get("arguments", {})
            self.server.ran.append(name)
            getattr(self, "tool_" + name.split(" ")[0])(args)
        else:
            self.error(404, -32601, "Method not found")

    # ---- tools ----

    def text(self, text):
        return {"resultType": "complete", "content": [{"type": "text", "text": text}]}

    def tool_echo(self, args):
        self.reply(self.text(args.get("text", "")))

    def tool_said(self, args):
        """What the request said, in headers and _meta."""
        self.reply(self.text(json.dumps({"headers": {k.lower(): v for k, v in self.headers.items()}, "meta": self.params["_meta"]})))

    def tool_strict(self, args):
        """Wants a header that its definition did not ask for until now."""
        if "Mcp-Param-New" in self.headers:
            return self.reply(self.text(self.headers["Mcp-Param-New"]))
        self.server.tools = [t for t in self.server.tools if t["name"] != "strict"] + [
            tool("strict", {"a": {"type": "string", "x-mcp-header": "New"}})]
        self.error(400, -32020, "Mcp-Param-New is missing")

    def tool_steps(self, args):
        self.stream()
        for n in range(3):
            self.note("notifications/progress", progressToken=self.params["_meta"]["progressToken"], progress=n + 1, total=3, message=f"step {n + 1}")
        self.answer(self.text("done"))

    def tool_cut(self, args):
        self.stream()
        self.note("notifications/progress", progressToken=self.params["_meta"]["progressToken"], progress=1, total=2, message="half")

    def tool_vanish(self, args):
        """The connection closes before any response, as when the server dies after its work."""
        self.close_connection = True

    def tool_resume(self, args):
        self.stream()
        self.server.resumable["event-7"] = self.id
        self.event(None, id="event-7", retry=120)

    def tool_never(self, args):
        self.stream()
        self.note("notifications/progress", progressToken=self.params["_meta"]["progressToken"], progress=1, total=2, message="begun")
        self.wait_for_the_client_to_leave()

    def tool_large(self, args):
        self.reply(self.text("0123456789abcde\n" * (args["bytes"] // 16)))

    def tool_huge(self, args):
        """An answer without end, as JSON or as one event."""
        if args.get("stream"):
            self.stream()
            self.wfile.write(b"data: ")
        else:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(1 << 40))
            self.end_headers()
        self.close_connection = True
        for _ in range(HUGE >> 16):
            self.wfile.write(b"x" * 65536)

    def tool_ask(self, args):
        """A question in the newer revision's way."""
        if "inputResponses" not in self.params:
            question = {"mode": "form", "message": "What colour?", "requestedSchema": {
                "type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}}
            self.reply({"resultType": "input_required", "requestState": 's"1',
                        "inputRequests": {"c": {"method": "elicitation/create", "params": question}}})
        else:
            self.reply(self.text(json.dumps([self.params["inputResponses"]["c"], self.params.get("requestState")])))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    handler = Handler  # of a subclass: another one

    def __init__(self, revision=OLD, port=0, lacks=0, tools=()):
        super().__init__(("127.0.0.1", port), self.handler)
        self.revision, self.lacks = revision, lacks
        self.requests, self.ran, self.left, self.streams, self.resumable = [], [], [], [], {}
        self.released = threading.Event()
        self.sessions, self.session, self.cut_lists = 0, None, 0
        mirrored = {"region": {"type": "string", "x-mcp-header": "Region"}, "deep": {"type": "object", "properties": {
            "n": {"type": "integer", "x-mcp-header": "Number"}}}}
        self.ttl_ms = 0
        self.tools = [tool("echo", {"text": {"type": "string"}}), tool("said", mirrored), *map(tool, (
            "steps", "cut", "resume", "never", "large", "huge", "ask")), *tools]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def note_request(self, verb, headers, message):
        self.requests.append((verb, {k.lower(): v for k, v in headers.items()}, message))

    def methods(self, verb="POST"):
        return [m.get("method") for v, _, m in self.requests if v == verb and m]

    def announce(self):
        """The list has changed; every open stream hears it."""
        for stream in self.streams:
            try:
                stream.note("notifications/tools/list_changed")
            except OSError:
                pass

    def close(self):
        self.released.set()
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    served = Server(sys.argv[2], int(sys.argv[1]))
    print(served.url, flush=True)
    threading.Event().wait()
