#!/usr/bin/env python3
"""A model server whose behaviour the path selects, in every dialect.

    simulator.py [--cert FILE --key FILE]

Listens on a free port of 127.0.0.1 and prints "port N".  It ends when its standard input does.
POST /BEHAVIOUR/v1/chat/completions is answered by the function below that has the behaviour's
name (with - for _), and so are /BEHAVIOUR/v1/messages and the paths of the other dialects
(dialects.py).  GET /__sim/journal answers with all requests so far as JSON.

Python's standard library only.  Answers are written to the socket byte by byte as they stand
here, because broken ones are what this is for.
"""
import argparse
import base64
import hashlib
import json
import re
import socket
import socketserver
import ssl
import sys
import threading
import time

from dialects import dialect_for

JOURNAL = []
COUNTS = {}
LOCK = threading.Lock()


class Gone(Exception):
    """The client has hung up."""


class Visit(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    # ---- reading ----

    def handle(self):
        try:
            while self.read_request() and self.answer():
                pass
        except (Gone, OSError, ValueError):
            pass

    def read_request(self):
        line = self.rfile.readline(65536).decode("latin-1").split()
        if len(line) != 3:
            return False
        self.method, self.path, _ = line
        self.headers = {}
        while (h := self.rfile.readline(65536).decode("latin-1").rstrip("\r\n")):
            name, _, value = h.partition(":")
            self.headers[name.lower()] = value.strip()
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.size = len(raw)
        self.body = json.loads(raw) if raw else None
        return True

    def answer(self):
        parts = self.path.split("/")
        if self.path == "/__sim/journal":
            with LOCK:
                self.plain(200, JOURNAL)
            return True
        with LOCK:
            JOURNAL.append({"method": self.method, "path": self.path, "headers": self.headers,
                            "body": self.body if self.size < 65536 else None})
            self.count = COUNTS[parts[1]] = COUNTS.get(parts[1], 0) + 1
        name, _, argument = parts[1].partition("=")
        how = getattr(self, "do_" + name.replace("-", "_"), None)
        self.d = dialect_for(self.path.split("?")[0][len(parts[1]) + 1:])
        if not how or not self.d:
            self.plain(404, {"error": {"message": f"no such path: {self.path}",
                                       "type": "invalid_request_error", "param": None,
                                       "code": "not_found"}})
            return True
        return bool(how(argument) if argument else how())

    # ---- writing ----

    def send(self, data):
        try:
            self.connection.sendall(data)
        except OSError as e:
            raise Gone from e

    def head(self, status, kind, *lines):
        self.send("\r\n".join([f"HTTP/1.1 {status} Simulated", f"Content-Type: {kind}",
                               "x-request-id: req_sim", *lines, "", ""]).encode())

    def chunk(self, data):
        if data:
            self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def open_stream(self, *lines):
        self.head(200, self.d.kind, "Transfer-Encoding: chunked", *lines)

    def stream(self, frames, is_open=False):
        self.open_stream()
        for f in frames:
            self.chunk(f)
        if not is_open:
            self.send(b"0\r\n\r\n")
        return not is_open

    def hello(self):
        """start, five words, finish, last, done"""
        d = self.d
        return [d.start, *d.split("Hello from the simulator, €uro."), d.finish("stop"), d.last,
                d.done]

    def finished(self, *frames, why="stop"):
        """A whole answer around these frames."""
        return self.stream([self.d.start, *frames, self.d.finish(why), self.d.last, self.d.done])

    def plain(self, status, doc, *lines, kind="application/json"):
        data = doc if isinstance(doc, bytes) else json.dumps(doc).encode()
        self.head(status, kind, f"Content-Length: {len(data)}", *lines)
        self.send(data)
        return True

    def error(self, status, message, kind, code, *lines):
        return self.plain(status, self.d.error(status, message, kind, code), *lines)

    def wait_for_client(self):
        """Silence, until the client has enough of it."""
        while self.connection.recv(4096):
            pass
        raise Gone

    # ---- good answers ----

    def do_text(self):
        return self.stream(self.hello())

    def do_bytes(self):
        """Every byte is its own chunk and packet."""
        self.open_stream()
        for b in b"".join(self.hello()):
            self.chunk(bytes([b]))
        self.send(b"0\r\n\r\n")
        return True

    def do_one_write(self):
        data = b"".join(b"%x\r\n%s\r\n" % (len(e), e) for e in self.hello() if e)
        self.send(f"HTTP/1.1 200 OK\r\nContent-Type: {self.d.kind}\r\nx-request-id: req_sim\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n".encode() + data + b"0\r\n\r\n")
        return True

    def do_tools(self):
        """Two calls in fragments; once their results are there, a text that quotes them."""
        results = self.d.results(self.body)
        if results:
            return self.finished(self.d.text(" and ".join(results)))
        return self.finished(*self.d.calls(("call_1", "get_time", '{"zone"', ': "UTC"}'),
                                           ("call_2", "get_place", "{}")), why="tools")

    def do_remember(self):
        """Thinks before its call, and wants every thought back with the result."""
        if self.d.results(self.body):
            return self.finished(self.d.text("unchanged" if self.d.came_back(self.body)
                                             else "changed"))
        return self.finished(*self.d.state, *self.d.calls(("call_1", "get_time", "{}")),
                             why="tools")

    def do_work(self):
        """For whole turns: a call of the first tool that is offered, then its result."""
        results = self.d.results(self.body)
        if results:
            return self.finished(self.d.text("It says: " + results[-1]))
        return self.finished(self.d.text("Let me look. "),
                             *self.d.calls(("call_1", "read_file", '{"path": ', '"note.txt"}')),
                             why="tools")

    def do_agent(self):
        """Looks into a file when asked to look; without tools it is asked for a summary."""
        if self.d.offers(self.body):
            return self.do_work() if "look" in json.dumps(self.body) else self.do_text()
        return self.finished(self.d.text("In short: a file was looked at."))

    def do_reasoning(self):
        return self.finished(self.d.think("Hm. "), self.d.think("Yes."), self.d.text("42"))

    def do_unknown(self):
        hello = self.hello()
        return self.stream([hello[0], *self.d.unknown, *hello[1:3], *self.d.unknown, *hello[3:]])

    def do_no_done(self):
        return self.stream(self.hello()[:-1])

    def do_no_usage(self):
        hello = self.hello()
        return self.stream([*hello[:-2], hello[-1]])

    def do_usage(self, tokens):
        """So many tokens out, whatever was asked for: usage=N.  Chat only."""
        self.d.usage = {**self.d.usage, "completion_tokens": int(tokens)}
        return self.stream(self.hello())

    def do_limits(self):
        self.open_stream(*self.d.limits)
        for f in self.hello():
            self.chunk(f)
        self.send(b"0\r\n\r\n")
        return True

    def do_open_after_done(self):
        self.stream(self.hello(), is_open=True)
        self.wait_for_client()

    def do_comments(self):
        return self.stream([b": OPENROUTER PROCESSING\n\n"] * 3 + self.hello())

    def do_close_delimited(self):
        self.head(200, self.d.kind, "Connection: close")
        self.send(b"".join(self.hello()))

    def do_whole(self):
        return self.plain(200, self.d.whole("Not streamed."))

    def do_refusal(self):
        return self.finished(self.d.refusal("I will not."), why="refusal")

    def do_length(self):
        return self.finished(*self.d.calls(("c", "write", '{"text": "abc')), why="length")

    def do_content_filter(self):
        return self.finished(self.d.text("a"), why="filter")

    def do_bad_args(self):
        return self.finished(*self.d.calls(("c", "write", "{oops")), why="tools")

    def do_count(self):
        """How many characters it was sent."""
        return self.finished(self.d.text(str(self.d.sent(self.body))))

    def do_ticks(self, argument):
        """N events, MS apart: ticks=N,MS."""
        n, ms = (int(a) for a in argument.split(","))
        self.open_stream()
        for i in range(n):
            self.chunk(self.d.text(f"tick {i} "))
            time.sleep(ms / 1000)
        self.chunk(self.d.finish("stop") + self.d.last + self.d.done)
        self.send(b"0\r\n\r\n")
        return True

    # ---- silence ----

    def do_silent(self):
        self.wait_for_client()

    def do_head_only(self):
        self.open_stream()
        self.wait_for_client()

    def do_stall(self):
        self.stream(self.hello()[:3], is_open=True)
        self.wait_for_client()

    def do_stall_after_finish(self):
        self.stream(self.hello()[:-2], is_open=True)
        self.wait_for_client()

    # ---- broken connections ----

    def do_nothing(self):
        pass

    def do_cut(self):
        self.stream(self.hello()[:3], is_open=True)

    def do_cut_in_event(self):
        hello = self.hello()
        self.open_stream()
        self.chunk(hello[0] + hello[1] + hello[2][:30])

    def do_cut_in_call(self):
        """Half of a call's frames, or half of the frame, where there is one."""
        frames = b"".join(self.d.calls(("c", "rm", '{"path": "/', 'tmp"}')))
        self.stream([self.d.start, frames[:len(frames) * 2 // 3]], is_open=True)

    def do_cut_clean(self):
        """The HTTP message is whole; the stream inside is not."""
        return self.stream(self.hello()[:3])

    def do_cut_after_finish(self):
        self.stream(self.hello()[:-2], is_open=True)

    def do_reset(self):
        self.stream(self.hello()[:3], is_open=True)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.connection.close()

    def do_lies_about_length(self):
        data = b"".join(self.hello()[:3])
        self.head(200, self.d.kind, f"Content-Length: {len(data) + 500}")
        self.send(data)

    # ---- errors ----

    def do_error(self, argument):
        """error=STATUS"""
        return self.error(int(argument), f"simulated {argument}", "simulated", None)

    def do_rate_limited(self):
        return self.error(429, "Rate limit reached for sim-1.", "requests", "rate_limit_exceeded",
                          "retry-after: 2", *self.d.limits)

    def do_rate_limited_ms(self):
        return self.error(429, "Slow down.", "requests", "rate_limit_exceeded",
                          "retry-after-ms: 150", "retry-after: 1")

    def do_rate_limited_reset(self):
        return self.error(429, "Slow down.", "tokens", "rate_limit_exceeded",
                          "x-ratelimit-remaining-tokens: 0", "x-ratelimit-reset-tokens: 6m0s")

    def do_rate_limited_bare(self):
        return self.error(429, "Slow down.", "requests", None)

    def do_quota(self):
        return self.error(429, "You exceeded your current quota, please check your plan.",
                          "insufficient_quota", "insufficient_quota", "retry-after: 1")

    def do_context(self):
        return self.error(400, "This model's maximum context length is 8192 tokens.",
                          "invalid_request_error", "context_length_exceeded")

    def do_no_images(self):
        """Refuses each request that has an image, as servers of models without vision do."""
        if "iVBORw0KGgo" in json.dumps(self.body):
            return self.error(400, "Invalid content: this model does not support image inputs.", "invalid_request_error", None)
        return self.do_text()

    def do_image_hash(self):
        """The hash of the longest piece of base64 in the request."""
        longest = max(re.findall(r"[A-Za-z0-9+/]{64,}={0,2}", json.dumps(self.body)), key=len)
        return self.finished(self.d.text(hashlib.sha256(base64.b64decode(longest)).hexdigest()))

    def do_echo_key(self):
        return self.error(401, "Incorrect API key provided: " + (
            self.headers.get("x-api-key") or self.headers.get("x-goog-api-key")
            or self.headers["authorization"].split()[1]) + ".",
                          "invalid_request_error", "invalid_api_key")

    def do_should_not_retry(self):
        return self.error(500, "Broken for good.", "server_error", None, "x-should-retry: false")

    def do_error_event(self):
        return self.stream([*self.hello()[:3],
                            self.d.error_frame("The server had an error.", "server_error")])

    def do_overloaded_event(self):
        return self.stream([*self.hello()[:2],
                            self.d.error_frame("Busy.", "overloaded_error")])

    def do_numbered_event(self):
        """As OpenRouter does it."""
        return self.stream([*self.hello()[:2],
                            b'data: {"error": {"code": 529, "message": "Busy."}}\n\n'])

    def do_garbage(self):
        hello = self.hello()
        return self.stream([*hello[:2], b"data: }{ not json\n\n", *hello[2:]])

    def do_noise(self):
        self.send(bytes(range(256)) * 16)

    def do_html(self):
        return self.plain(200, b"<html><body>It works!</body></html>", kind="text/html")

    def do_redirect(self):
        return self.plain(307, b"", "Location: http://127.0.0.1:1/elsewhere")

    def do_huge_line(self):
        self.open_stream()
        self.chunk(b'data: {"choices": [{"delta": {"content": "')
        while True:
            self.chunk(b"x" * 65536)

    def do_endless_text(self):
        self.open_stream()
        self.chunk(self.d.start + self.d.text("x"))
        block = self.d.text("x" * 1000) * 64
        while True:
            self.chunk(block)

    def do_huge_args(self):
        self.open_stream()
        for f in self.d.calls(("c", "write", '{"a": "', *["x" * 60000] * 20)):
            self.chunk(f)
        self.wait_for_client()

    def do_flaky(self, argument):
        """flaky=N-NONCE: fails N times, in changing ways, then answers."""
        n = int(argument.split("-")[0])
        if self.count > n:
            return self.do_text()
        return [self.do_rate_limited_ms, self.do_cut, self.do_error_event][(self.count - 1) % 3]()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024
    context = None

    def get_request(self):
        sock, peer = super().get_request()
        if self.context:
            sock = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return sock, peer

    def handle_error(self, request, client_address):
        pass  # broken connections are what we do


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cert")
    parser.add_argument("--key")
    args = parser.parse_args()
    threading.stack_size(256 * 1024)
    server = Server(("127.0.0.1", 0), Visit)
    if args.cert:
        server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.context.load_cert_chain(args.cert, args.key)
    print("port", server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
