"""A tool server with an address that breaks the rules of HTTP or of the protocol: its session ids, its lists and its streams."""
import json

from http_server import NEW, OLD, Handler, META, Server, tool

LISTS = {"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"}
PIECE = b"x" * 65536


def row(method, n):
    return {"tools/list": tool(f"t{n}"), "resources/list": {"uri": f"x:{n}", "name": "n"}, "prompts/list": {"name": f"p{n}"},
            "resources/templates/list": {"uriTemplate": f"x:{n}/{{a}}", "name": "n"}}[method]


class HostileHandler(Handler):
    def post_old(self, message):
        if message.get("method") == "initialize" and self.server.session_bytes is not None:
            return self.initialize_with(self.server.session_bytes)
        if message.get("method") == "initialize" and self.server.greeting:
            return getattr(self, "stream_" + self.server.greeting)()
        if message.get("method") == "initialize" and self.server.pages:
            self.server.session = "session"
            return self.reply({"protocolVersion": OLD, "capabilities": {"tools": {}, "resources": {}, "prompts": {}}, "serverInfo": {"name": "h", "version": "1"}},
                              **{"Mcp-Session-Id": "session"})
        super().post_old(message)

    def post_new(self, message):
        if message.get("method") == "server/discover" and self.server.pages:
            return self.reply({"resultType": "complete", "supportedVersions": [NEW], "ttlMs": 0, "cacheScope": "private",
                               "capabilities": {"tools": {}, "resources": {}, "prompts": {}}, "_meta": {META + "serverInfo": {"name": "h", "version": "2"}}})
        super().post_new(message)

    def initialize_with(self, session):
        """A head that no library would write."""
        body = json.dumps({"jsonrpc": "2.0", "id": self.id, "result": {"protocolVersion": OLD, "capabilities": {"tools": {}},
                                                                       "serverInfo": {"name": "h", "version": "1"}}}).encode()
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: " + session +
                         b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.server.session = None

    def serve(self, method):
        if method not in LISTS or not self.server.pages:
            return super().serve(method)
        cursor = self.params.get("cursor", "0")
        self.server.listed.setdefault(method, []).append(cursor)
        if method not in self.server.pages and not self.server.pages == "all":
            return self.reply({"resultType": "complete", LISTS[method]: [row(method, 0)]})
        n = len(self.server.listed[method])
        self.reply({"resultType": "complete", LISTS[method]: [row(method, n)], "nextCursor": "same" if self.server.is_same_cursor else f"c{n}"})

    # ---- streams without an end

    def write_forever(self, piece, pause_s):
        """Until the client leaves."""
        try:
            while not self.server.released.wait(pause_s):
                self.wfile.write(piece() if callable(piece) else piece)
                self.wfile.flush()
        except OSError:
            self.server.left.append(self.id)

    def stream_comments(self):
        self.stream()
        self.write_forever(b": still here\n\n", 0.05)

    def tool_comments(self, args):
        self.stream_comments()

    def tool_deltas(self, args):
        """Progress, as often as it is asked for."""
        self.stream()
        count = [0]

        def piece():
            count[0] += 1
            return b"data: " + json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": self.params["_meta"]["progressToken"], "progress": count[0], "message": "more " * 100}}).encode() + b"\n\n"
        self.write_forever(piece, 0.001)

    def tool_messages(self, args):
        """Messages of the log and of other kinds, none of which is the answer."""
        self.stream()
        kinds = [{"method": "notifications/message", "params": {"level": "error", "data": "again " * 100}}, {"method": "notifications/unknown", "params": {"a": [1] * 50}},
                 {"id": 999, "result": {}}, {"id": "words", "error": {"code": 1, "message": "no"}}, {"method": "unknown/method", "id": 5}]
        self.write_forever(b"".join(b"data: " + json.dumps({"jsonrpc": "2.0", **k}).encode() + b"\n\n" for k in kinds), 0.001)

    def tool_line(self, args):
        """One line of 100 MB: data, a comment, or a field that has no meaning."""
        self.stream()
        try:
            self.wfile.write(args["begins"].encode())
            for _ in range((100 << 20) // len(PIECE)):
                self.wfile.write(PIECE)
            self.wfile.flush()
        except OSError:
            self.server.left.append(self.id)

    def tool_kinds(self, args):
        self.reply({"resultType": "complete", "content": args["content"]})

    def tool_event_id(self, args):
        """A stream that breaks after an event whose id is no header's value."""
        self.stream()
        self.wfile.write(b"id: " + bytes(args["bytes"]) * args.get("times", 1) + b"\nretry: 100\ndata:\n\n")


class HostileServer(Server):
    handler = HostileHandler

    def __init__(self, *args, **more):
        self.session_bytes = self.pages = self.greeting = None
        self.is_same_cursor = False
        self.listed = {}
        super().__init__(*args, **more)
