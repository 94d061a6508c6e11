#!/usr/bin/env python3
"""A Chat Completions server that behaves as it is told by the path.

    simulator.py [--cert FILE --key FILE]

Listens on a free port of 127.0.0.1 and prints "port N".  It ends when its standard input does.
POST /BEHAVIOUR/v1/chat/completions is answered by the function below that has the behaviour's
name (with - for _), GET /__sim/journal with all requests so far as JSON.

Python's standard library only.  Answers are written to the socket byte by byte as they stand
here, because broken ones are what this is for.
"""
import argparse
import json
import socket
import socketserver
import ssl
import sys
import threading
import time

JOURNAL = []
COUNTS = {}
LOCK = threading.Lock()

SSE = "text/event-stream; charset=utf-8"
USAGE = {
    "prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29,
    "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 4, "audio_tokens": 0},
}


def event(delta=None, finish=None, **more):
    """One chunk as OpenAI sends it."""
    chunk = {
        "id": "chatcmpl-sim", "object": "chat.completion.chunk", "created": 1763200000,
        "model": "sim-1", "service_tier": "default", "system_fingerprint": None,
        "choices": [{"index": 0, "delta": delta or {}, "logprobs": None, "finish_reason": finish}],
        "usage": None,
    }
    chunk.update(more)
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
ROLE = event({"role": "assistant", "content": "", "refusal": None})
LAST = event(choices=[], usage=USAGE)


def call(index, **parts):
    function = {k: parts.pop(k) for k in ("name", "arguments") if k in parts}
    return event({"tool_calls": [{"index": index, **parts, "function": function}]})


def words(text):
    return [event({"content": w}) for w in text.replace(" ", " \0").split("\0")]


HELLO = [ROLE, *words("Hello from the simulator, €uro."), event(finish="stop"), LAST, DONE]


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
        if not how or self.path.split("?")[0] != f"/{parts[1]}/v1/chat/completions":
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
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def stream(self, events, is_open=False):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        for e in events:
            self.chunk(e)
        if not is_open:
            self.send(b"0\r\n\r\n")
        return not is_open

    def plain(self, status, doc, *lines, kind="application/json"):
        data = doc if isinstance(doc, bytes) else json.dumps(doc).encode()
        self.head(status, kind, f"Content-Length: {len(data)}", *lines)
        self.send(data)
        return True

    def error(self, status, message, kind, code, *lines):
        return self.plain(status, {"error": {"message": message, "type": kind, "param": None,
                                             "code": code}}, *lines)

    def wait_for_client(self):
        """Silence, until the client has enough of it."""
        while self.connection.recv(4096):
            pass
        raise Gone

    # ---- good answers ----

    def do_text(self):
        return self.stream(HELLO)

    def do_bytes(self):
        """Every byte is a chunk and a packet of its own."""
        self.head(200, SSE, "Transfer-Encoding: chunked")
        for b in b"".join(HELLO):
            self.chunk(bytes([b]))
        self.send(b"0\r\n\r\n")
        return True

    def do_one_write(self):
        data = b"".join(b"%x\r\n%s\r\n" % (len(e), e) for e in HELLO) + b"0\r\n\r\n"
        self.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  b"x-request-id: req_sim\r\nTransfer-Encoding: chunked\r\n\r\n" + data)
        return True

    def do_tools(self):
        """Two calls in fragments; once their results are there, a text that quotes them."""
        results = [m["content"] for m in self.body["messages"] if m["role"] == "tool"]
        if results:
            return self.stream([ROLE, event({"content": " and ".join(results)}),
                                event(finish="stop"), LAST, DONE])
        return self.stream([
            ROLE, call(0, id="call_1", type="function", name="get_time", arguments=""),
            call(0, arguments='{"zone"'), call(0, arguments=': "UTC"}'),
            call(1, id="call_2", type="function", name="get_place", arguments="{}"),
            event(finish="tool_calls"), LAST, DONE])

    def do_reasoning(self):
        return self.stream([ROLE, event({"reasoning_content": "Hm. "}),
                            event({"reasoning_content": "Yes."}), event({"content": "42"}),
                            event(finish="stop"), LAST, DONE])

    def do_no_done(self):
        return self.stream(HELLO[:-1])

    def do_no_usage(self):
        return self.stream([*HELLO[:-2], DONE])

    def do_open_after_done(self):
        self.stream(HELLO, is_open=True)
        self.wait_for_client()

    def do_comments(self):
        return self.stream([b": OPENROUTER PROCESSING\n\n"] * 3 + HELLO)

    def do_close_delimited(self):
        self.head(200, SSE, "Connection: close")
        self.send(b"".join(HELLO))

    def do_whole(self):
        return self.plain(200, {
            "id": "chatcmpl-sim", "object": "chat.completion", "created": 1, "model": "sim-1",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": "Not streamed."}}],
            "usage": USAGE})

    def do_refusal(self):
        return self.stream([ROLE, event({"refusal": "I will not."}), event(finish="stop"), LAST,
                            DONE])

    def do_length(self):
        return self.stream([ROLE, call(0, id="c", name="write", arguments='{"text": "abc'),
                            event(finish="length"), LAST, DONE])

    def do_content_filter(self):
        return self.stream([ROLE, event({"content": "a"}), event(finish="content_filter"), LAST,
                            DONE])

    def do_bad_args(self):
        return self.stream([ROLE, call(0, id="c", name="write", arguments="{oops"),
                            event(finish="tool_calls"), LAST, DONE])

    def do_count(self):
        """How many characters it was sent."""
        sent = sum(len(m["content"]) for m in self.body["messages"])
        return self.stream([event({"content": str(sent)}), event(finish="stop"), DONE])

    def do_ticks(self, argument):
        """N events, MS apart: ticks=N,MS."""
        n, ms = (int(a) for a in argument.split(","))
        self.head(200, SSE, "Transfer-Encoding: chunked")
        for i in range(n):
            self.chunk(event({"content": f"tick {i} "}))
            time.sleep(ms / 1000)
        self.chunk(event(finish="stop") + LAST + DONE)
        self.send(b"0\r\n\r\n")
        return True

    # ---- silence ----

    def do_silent(self):
        self.wait_for_client()

    def do_head_only(self):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        self.wait_for_client()

    def do_stall(self):
        self.stream(HELLO[:3], is_open=True)
        self.wait_for_client()

    def do_stall_after_finish(self):
        self.stream(HELLO[:-2], is_open=True)
        self.wait_for_client()

    # ---- broken connections ----

    def do_nothing(self):
        pass

    def do_cut(self):
        self.stream(HELLO[:3], is_open=True)

    def do_cut_in_event(self):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        self.chunk(HELLO[0] + HELLO[1] + HELLO[2][:30])

    def do_cut_in_call(self):
        self.stream([ROLE, call(0, id="c", name="rm", arguments='{"path": "/')], is_open=True)

    def do_cut_clean(self):
        """The HTTP message is whole; the stream inside is not."""
        return self.stream(HELLO[:3])

    def do_cut_after_finish(self):
        self.stream(HELLO[:-2], is_open=True)

    def do_reset(self):
        self.stream(HELLO[:3], is_open=True)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.connection.close()

    def do_lies_about_length(self):
        data = b"".join(HELLO[:3])
        self.head(200, SSE, f"Content-Length: {len(data) + 500}")
        self.send(data)

    # ---- errors ----

    def do_error(self, argument):
        """error=STATUS"""
        return self.error(int(argument), f"simulated {argument}", "simulated", None)

    def do_rate_limited(self):
        return self.error(429, "Rate limit reached for sim-1.", "requests", "rate_limit_exceeded",
                          "retry-after: 2", "x-ratelimit-remaining-requests: 0",
                          "x-ratelimit-reset-requests: 1m0s")

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

    def do_echo_key(self):
        return self.error(401, f"Incorrect API key provided: {self.headers.get('authorization')}.",
                          "invalid_request_error", "invalid_api_key")

    def do_should_not_retry(self):
        return self.error(500, "Broken for good.", "server_error", None, "x-should-retry: false")

    def do_error_event(self):
        return self.stream([*HELLO[:3], b'data: {"error": {"message": "The server had an error.", '
                            b'"type": "server_error", "param": null, "code": null}}\n\n'])

    def do_overloaded_event(self):
        return self.stream([*HELLO[:2], b'data: {"error": {"code": 529, "message": "Busy."}}\n\n'])

    def do_garbage(self):
        return self.stream([*HELLO[:2], b"data: }{ not json\n\n", *HELLO[2:]])

    def do_noise(self):
        self.send(bytes(range(256)) * 16)

    def do_html(self):
        return self.plain(200, b"<html><body>It works!</body></html>", kind="text/html")

    def do_redirect(self):
        return self.plain(307, b"", "Location: http://127.0.0.1:1/elsewhere")

    def do_huge_line(self):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        self.chunk(b'data: {"choices": [{"delta": {"content": "')
        while True:
            self.chunk(b"x" * 65536)

    def do_endless_text(self):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        block = event({"content": "x" * 1000}) * 64
        while True:
            self.chunk(block)

    def do_huge_args(self):
        self.head(200, SSE, "Transfer-Encoding: chunked")
        self.chunk(call(0, id="c", name="write", arguments='{"a": "'))
        block = call(0, arguments="x" * 1000) * 64
        while True:
            self.chunk(block)

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
