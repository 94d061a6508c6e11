"""A model server for tests: each request is answered by the next function of a list, bodies are kept whole.

An answer is a function of the request (a Request) that returns None when it wrote its answer itself, or a
status, headers and the bytes of a body.  The helpers below write whole answers of the dialects.
"""
import http.server
import json
import threading
import time


class Request:
    def __init__(self, handler, number):
        self.handler, self.number = handler, number
        self.path = handler.path
        self.headers = {k.lower(): v for k, v in handler.headers.items()}
        self.names = [k.lower() for k in handler.headers.keys()]
        self.at = time.monotonic()
        self.method = handler.command
        self.raw = handler.rfile.read(int(self.headers.get("content-length", 0)))
        is_form = "form" in self.headers.get("content-type", "")
        self.body = json.loads(self.raw) if self.raw and not is_form else None

    def texts(self):
        """The texts of chat and messages bodies."""
        out = []
        for m in self.body.get("messages", self.body.get("input", [])):
            c = m.get("content")
            out.append(c if isinstance(c, str) else "".join(p.get("text", "") for p in c or []))
        return out


class Fake:
    """answer: a function for every request, or a list of functions, the last of which stays."""

    def __init__(self, answer, port=0, host="127.0.0.1"):
        self.answers = list(answer) if isinstance(answer, (list, tuple)) else [answer]
        self.requests = []
        lock = threading.Lock()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                with lock:
                    r = Request(self, len(fake.requests))
                    fake.requests.append(r)
                    how = fake.answers[min(r.number, len(fake.answers) - 1)]
                result = how(r)
                if result is None:
                    self.close_connection = True
                    return
                status, headers, data = result
                self.send_response(status)
                for k, v in headers.items():
                    self.send_header(k, v)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer((host, port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def provider(self, dialect, **more):
        model = {"model": "m-1", "windowTokens": more.pop("window", 200000), "maxOutputTokens": more.pop("output", 4000),
                 "capabilities": ["tool_use", "structured_output"],
                 "price": {"inputPerMTok": 1, "outputPerMTok": 2}}
        return {"dialect": dialect, "keyEnv": "SIM_KEY", "baseUrl": f"http://127.0.0.1:{self.port}/v1", "models": [model],
                **more}


# ---- answers ----

def sse(*events):
    out = b""
    for e in events:
        name = e.get("type") if isinstance(e, dict) else None
        data = e if isinstance(e, str) else json.dumps(e)
        out += (f"event: {name}\n" if name else "").encode() + b"data: " + data.encode() + b"\n\n"
    return 200, {"Content-Type": "text/event-stream"}, out


def raw_sse(*lines):
    """Data lines unchanged, for JSON that json.dumps does not write."""
    return 200, {"Content-Type": "text/event-stream"}, b"".join(b"data: " + x + b"\n\n" for x in lines)


def failure(status, message="busy", **headers):
    def answer(r):
        body = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": message}}).encode()
        return status, {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}, body
    return answer


def message(*blocks, stop="end_turn", usage=True, finish=True):
    """anthropic: blocks are texts, or (id, name, arguments as text)."""
    def answer(r):
        start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": [], "stop_reason": None,
                 "stop_sequence": None}
        if usage:
            start["usage"] = {"input_tokens": 10, "output_tokens": 1}
        events = [{"type": "message_start", "message": start}]
        for i, b in enumerate(blocks):
            text = isinstance(b, str)
            block = {"type": "text", "text": ""} if text else {"type": "tool_use", "id": b[0], "name": b[1], "input": {}}
            delta = {"type": "text_delta", "text": b} if text else {"type": "input_json_delta", "partial_json": b[2]}
            events += [{"type": "content_block_start", "index": i, "content_block": block},
                       {"type": "content_block_delta", "index": i, "delta": delta},
                       {"type": "content_block_stop", "index": i}]
        end = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}}
        if usage:
            end["usage"] = {"output_tokens": 5}
        if finish:
            events += [end, {"type": "message_stop"}]
        return sse(*events)
    return answer


def chat(text="", calls=(), stop="stop", usage=True, finish=True):
    """openai and compatible: calls are (id, name, arguments as text)."""
    def answer(r):
        def piece(delta, why=None):
            return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
        events = [piece({"role": "assistant", "content": ""})]
        if text:
            events.append(piece({"content": text}))
        for i, c in enumerate(calls):
            events.append(piece({"tool_calls": [{"index": i, "id": c[0], "type": "function",
                                                 "function": {"name": c[1], "arguments": c[2]}}]}))
        if finish:
            events.append(piece({}, stop))
            if usage:
                events.append({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [],
                               "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
            events.append("[DONE]")
        return sse(*events)
    return answer
