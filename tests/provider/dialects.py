"""The simulator's output in each dialect: the frames of a response, and the shape of an error.

A dialect has the same members as the others, so that one behaviour of the simulator serves all:

    words, base            the words of the setting `dialect`, and the path of its base URL
    conversation           the member of a body that holds the conversation
    start                  the frame before any text
    text(s), think(s)      one frame
    calls(*calls)          frames; a call is (id, name, fragment ...)
    finish(why)            the frame that makes the answer whole: stop, tools, length, filter, refusal
    last                   the frame with the usage, empty where finish has it
    done                   the frame that says that nothing follows, empty where nothing does
    state                  frames with what must come back unchanged; came_back(body) tells
    offers(body)           the tools that a request offers
    results(body)          the texts of tool results in a request
    sent(body)             how many characters of conversation a request holds
    whole(text)            an answer that is not streamed
    error(...)             the body of an error
    error_frame(...)       an error inside a stream
    unknown                frames of an unknown type

Usage is always 19 in, 16 of them cached, and 10 out, 4 of them reasoning, where it can be said.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cloud_peers import frame  # noqa: E402


def text_of(doc):
    return json.dumps(doc, ensure_ascii=False).encode()


class Dialect:
    base, conversation = "/v1", "messages"
    kind = "text/event-stream; charset=utf-8"
    last = b""
    done = b""
    limits = []

    def offers(self, body):
        return body.get("tools")

    def split(self, text):
        return [self.text(w) for w in text.replace(" ", " \0").split("\0")]


class Chat(Dialect):
    words = ["openai", "compatible"]
    paths = ["/v1/chat/completions"]
    limits = ["x-ratelimit-limit-requests: 60", "x-ratelimit-remaining-requests: 0",
              "x-ratelimit-reset-requests: 1m0s"]
    usage = {
        "prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29,
        "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 4, "audio_tokens": 0},
    }
    done = b"data: [DONE]\n\n"
    unknown = [b'data: {"object": "novelty", "choices": []}\n\n', b"event: odd\ndata: {}\n\n"]
    state = []

    def event(self, delta=None, finish=None, **more):
        chunk = {
            "id": "chatcmpl-sim", "object": "chat.completion.chunk", "created": 1763200000,
            "model": "sim-1", "service_tier": "default", "system_fingerprint": None,
            "choices": [{"index": 0, "delta": delta or {}, "logprobs": None,
                         "finish_reason": finish}],
            "usage": None,
        }
        chunk.update(more)
        return b"data: " + text_of(chunk) + b"\n\n"

    @property
    def start(self):
        return self.event({"role": "assistant", "content": "", "refusal": None})

    @property
    def last(self):
        return self.event(choices=[], usage=self.usage)

    def text(self, s):
        return self.event({"content": s})

    def think(self, s):
        return self.event({"reasoning_content": s})

    def calls(self, *calls):
        for i, (ident, name, *fragments) in enumerate(calls):
            yield self.event({"tool_calls": [{"index": i, "id": ident, "type": "function",
                                              "function": {"name": name, "arguments": ""}}]})
            for f in fragments:
                yield self.event({"tool_calls": [{"index": i, "function": {"arguments": f}}]})

    def finish(self, why):
        return self.event(finish={"stop": "stop", "tools": "tool_calls", "length": "length",
                                  "filter": "content_filter", "refusal": "stop"}[why])

    def refusal(self, s):
        return self.event({"refusal": s})

    def came_back(self, body):
        return True

    def results(self, body):
        return [m["content"] for m in body["messages"] if m["role"] == "tool"]

    def sent(self, body):
        return sum(len(m["content"]) for m in body["messages"])

    def whole(self, text):
        return {"id": "chatcmpl-sim", "object": "chat.completion", "created": 1, "model": "sim-1",
                "choices": [{"index": 0, "finish_reason": "stop",
                             "message": {"role": "assistant", "content": text}}],
                "usage": self.usage}

    def error(self, status, message, kind=None, code=None):
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def error_frame(self, message, kind, code=None):
        return b"data: " + text_of(self.error(0, message, kind, code)) + b"\n\n"


class Anthropic(Dialect):
    words = ["anthropic"]
    paths = ["/v1/messages"]
    limits = ["anthropic-ratelimit-requests-limit: 60", "anthropic-ratelimit-requests-remaining: 0",
              "anthropic-ratelimit-requests-reset: 2026-01-01T00:01:00Z",
              "date: Thu, 01 Jan 2026 00:00:00 GMT"]
    done = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    thought = {"type": "thinking", "thinking": "Which file? \"a\"", "signature": "c2ln/bmF0dXJl=="}
    hidden = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    blocks = 0

    def event(self, kind, **more):
        return f"event: {kind}\n".encode() + b"data: " + text_of({"type": kind, **more}) + b"\n\n"

    is_open = is_text = is_thought = False

    def open(self, block):
        before = self.close() if self.is_open else b""
        index, self.blocks = self.blocks, self.blocks + 1
        self.is_open = True
        return before + self.event("content_block_start", index=index, content_block=block)

    def grow(self, kind, **more):
        return self.event("content_block_delta", index=self.blocks - 1,
                          delta={"type": kind, **more})

    def close(self):
        self.is_open = False
        return self.event("content_block_stop", index=self.blocks - 1)

    @property
    def start(self):
        return self.event("message_start", message={
            "id": "msg_sim", "type": "message", "role": "assistant", "model": "sim-1",
            "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {"input_tokens": 1, "cache_creation_input_tokens": 2,
                      "cache_read_input_tokens": 16, "output_tokens": 1}})

    def text(self, s):
        head = b"" if self.is_text else self.open({"type": "text", "text": ""}) \
            + self.event("ping")
        self.is_text = True
        return head + self.grow("text_delta", text=s)

    def think(self, s):
        head = b"" if self.is_thought else self.open(
            {"type": "thinking", "thinking": "", "signature": ""})
        self.is_thought = True
        return head + self.grow("thinking_delta", thinking=s)

    @property
    def state(self):
        yield self.open({"type": "thinking", "thinking": "", "signature": ""})
        yield self.grow("thinking_delta", thinking=self.thought["thinking"][:5])
        yield self.grow("thinking_delta", thinking=self.thought["thinking"][5:])
        yield self.grow("signature_delta", signature=self.thought["signature"])
        yield self.close()
        yield self.open(self.hidden) + self.close()

    def came_back(self, body):
        said = [m for m in body["messages"] if m["role"] == "assistant"]
        return [b for b in said[-1]["content"] if "thinking" in b["type"]] == \
            [self.thought, self.hidden] and said[-1]["content"][0] == self.thought

    def calls(self, *calls):
        for ident, name, *fragments in calls:
            yield self.open({"type": "tool_use", "id": ident, "name": name, "input": {}})
            for f in ["", *fragments]:
                yield self.grow("input_json_delta", partial_json=f)
            yield self.close()

    def finish(self, why):
        return (self.close() if self.is_open else b"") + self.event(
            "message_delta",
            delta={"stop_reason": {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens",
                                   "filter": "refusal", "refusal": "refusal"}[why],
                   "stop_sequence": None},
            usage={"output_tokens": 10, "output_tokens_details": {"thinking_tokens": 4}})

    refusal = text
    unknown = [b'event: novelty\ndata: {"type":"novelty","index":0}\n\n',
               b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
               b'"delta":{"type":"novel_delta","x":1}}\n\n']

    def results(self, body):
        return [b.get("content", "") for m in body["messages"] for b in m["content"]
                if isinstance(b, dict) and b["type"] == "tool_result"]

    def sent(self, body):
        return sum(len(b.get("text", "")) for m in body["messages"] for b in m["content"])

    def whole(self, text):
        return {"id": "msg_sim", "type": "message", "role": "assistant", "model": "sim-1",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "cache_creation_input_tokens": 2,
                          "cache_read_input_tokens": 16, "output_tokens": 10}}

    def error(self, status, message, kind=None, code=None):
        kinds = {400: "invalid_request_error", 401: "authentication_error",
                 403: "permission_error", 404: "not_found_error", 413: "request_too_large",
                 429: "rate_limit_error", 529: "overloaded_error"}
        doc = {"type": "error", "error": {"type": kinds.get(status, "api_error"),
                                          "message": message}, "request_id": "req_sim"}
        if code == "insufficient_quota":
            doc["error"]["details"] = {"error_code": "enforced_spend_limit_reached"}
        return doc

    def error_frame(self, message, kind, code=None):
        kind = {"server_error": "api_error"}.get(kind, kind)
        return self.event("error", error={"type": kind, "message": message})


class Responses(Dialect):
    words, conversation = ["responses"], "input"
    paths = ["/v1/responses"]
    limits = Chat.limits
    kind = "text/event-stream; charset=utf-8"
    usage = {"input_tokens": 19, "input_tokens_details": {"cached_tokens": 16},
             "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 4},
             "total_tokens": 29}
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": [],
                 "encrypted_content": "gAAAAB-opaque=="}

    def __init__(self):
        self.number = 0
        self.items = []
        self.is_text = False
        self.start = self.event("response.created", response=self.response("in_progress")) + \
            self.event("response.in_progress", response=self.response("in_progress"))

    def event(self, kind, **more):
        doc = {"type": kind, "sequence_number": self.number, **more}
        self.number += 1
        return f"event: {kind}\n".encode() + b"data: " + text_of(doc) + b"\n\n"

    def response(self, status, **more):
        return {"id": "resp_sim", "object": "response", "created_at": 1763200000, "model": "sim-1",
                "status": status, "error": None, "incomplete_details": None, "instructions": None,
                "metadata": {}, "output": self.items, "parallel_tool_calls": True,
                "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1, "usage": None,
                **more}

    def open(self, item):
        self.items.append(item)
        return self.event("response.output_item.added", output_index=len(self.items) - 1,
                          item=item)

    def close(self, **more):
        item = {**self.items[-1], **more}
        self.items[-1] = item
        return self.event("response.output_item.done", output_index=len(self.items) - 1, item=item)

    def at(self):
        return {"item_id": self.items[-1]["id"], "output_index": len(self.items) - 1}

    def message(self):
        if self.is_text:
            return b""
        self.is_text = True
        self.said = ""
        return self.open({"id": "msg_1", "type": "message", "status": "in_progress",
                          "role": "assistant", "content": []}) + \
            self.event("response.content_part.added", content_index=0, **self.at(),
                       part={"type": "output_text", "text": "", "annotations": []})

    def text(self, s):
        head = self.message()
        self.said += s
        return head + self.event("response.output_text.delta", content_index=0, delta=s,
                                 logprobs=[], **self.at())

    def refusal(self, s):
        return self.message() + self.event("response.refusal.delta", content_index=0, delta=s,
                                           **self.at())

    def think(self, s):
        head = b""
        if not getattr(self, "is_thought", False):
            self.is_thought = True
            head = self.open({"id": "rs_0", "type": "reasoning", "summary": []})
        return head + self.event("response.reasoning_summary_text.delta", summary_index=0, delta=s,
                                 **self.at())

    @property
    def state(self):
        yield self.open({**self.reasoning, "encrypted_content": None})
        yield self.close(**self.reasoning)

    def came_back(self, body):
        at = [i for i, m in enumerate(body["input"]) if m.get("type") == "reasoning"]
        return [body["input"][i] for i in at] == [self.reasoning] and \
            body["input"][at[0] + 1]["type"] == "function_call"

    def calls(self, *calls):
        for ident, name, *fragments in calls:
            yield self.open({"id": "fc_" + ident, "type": "function_call", "call_id": ident,
                             "status": "in_progress", "name": name, "arguments": ""})
            for f in fragments:
                yield self.event("response.function_call_arguments.delta", delta=f, **self.at())
            args = "".join(fragments)
            yield self.event("response.function_call_arguments.done", arguments=args, name=name,
                             **self.at())
            yield self.close(arguments=args, status="completed")

    def finish(self, why):
        head = b""
        if self.is_text:
            head = self.event("response.output_text.done", content_index=0, text=self.said,
                              logprobs=[], **self.at()) + \
                self.close(status="completed", content=[{"type": "output_text", "text": self.said,
                                                         "annotations": []}])
        if why in ("length", "filter"):
            reason = {"length": "max_output_tokens", "filter": "content_filter"}[why]
            return head + self.event("response.incomplete", response=self.response(
                "incomplete", incomplete_details={"reason": reason}, usage=self.usage))
        return head + self.event("response.completed",
                                 response=self.response("completed", usage=self.usage))

    unknown = [b'event: response.novelty\ndata: {"type":"response.novelty","sequence_number":1}\n\n']

    def results(self, body):
        return [m["output"] for m in body["input"]
                if isinstance(m, dict) and m.get("type") == "function_call_output"]

    def sent(self, body):
        return sum(len(m["content"]) for m in body["input"])

    def whole(self, text):
        self.items = [{"id": "msg_1", "type": "message", "status": "completed",
                       "role": "assistant",
                       "content": [{"type": "output_text", "text": text, "annotations": []}]}]
        return self.response("completed", usage=self.usage)

    error = Chat.error

    def error_frame(self, message, kind, code=None):
        return self.event("error", code=code or kind, message=message, param=None)


class Ollama(Dialect):
    words, base = ["ollama"], ""
    paths = ["/api/chat"]
    kind = "application/x-ndjson"
    state = []

    def line(self, message=None, **more):
        return text_of({"model": "sim-1", "created_at": "2026-01-01T00:00:00Z",
                        "message": {"role": "assistant", "content": "", **(message or {})},
                        "done": False, **more}) + b"\n"

    @property
    def start(self):
        return self.line()

    def text(self, s):
        return self.line({"content": s})

    refusal = text

    def think(self, s):
        return self.line({"thinking": s})

    def calls(self, *calls):
        for _, name, *fragments in calls:
            try:
                args = json.loads("".join(fragments) or "{}")
            except ValueError:
                args = "".join(fragments)
            yield self.line({"tool_calls": [{"function": {"name": name, "arguments": args}}]})

    def finish(self, why):
        return self.line(done=True, done_reason="length" if why == "length" else "stop",
                         total_duration=1, load_duration=1, prompt_eval_count=19,
                         prompt_eval_duration=1, eval_count=10, eval_duration=1)

    unknown = [b'{"novelty": 1, "done": false}\n', b"\n"]

    def came_back(self, body):
        return True

    def results(self, body):
        return [m["content"] for m in body["messages"] if m["role"] == "tool"]

    def sent(self, body):
        return sum(len(m["content"]) for m in body["messages"])

    def whole(self, text):
        return json.loads(self.line({"content": text}, done=True, done_reason="stop",
                                    prompt_eval_count=19, eval_count=10))

    def error(self, status, message, kind=None, code=None):
        return {"error": message}

    def error_frame(self, message, kind, code=None):
        return text_of({"error": message}) + b"\n"


class Gemini(Dialect):
    words, base, conversation = ["gemini"], "/v1beta", "contents"
    paths = ["/v1beta/models/sim-1:streamGenerateContent", "/v1beta/models/gemini-x:streamGenerateContent",
             "/v1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-x:streamGenerateContent"]
    usage = {"promptTokenCount": 19, "cachedContentTokenCount": 16, "candidatesTokenCount": 6,
             "thoughtsTokenCount": 4, "totalTokenCount": 29}
    signature = "c2lnbmF0dXJl"
    signed = False

    def event(self, parts, **more):
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **more}
        return b"data: " + text_of({"candidates": [candidate], "usageMetadata": self.usage,
                                    "modelVersion": "sim-1", "responseId": "sim"}) + b"\r\n\r\n"

    @property
    def start(self):
        return self.event([{"text": ""}])

    def text(self, s):
        return self.event([{"text": s}])

    refusal = text

    def think(self, s):
        return self.event([{"text": s, "thought": True}])

    @property
    def state(self):
        self.signed = True
        return []

    def came_back(self, body):
        said = [c for c in body["contents"] if c["role"] == "model"][-1]["parts"]
        return [p.get("thoughtSignature") for p in said if "functionCall" in p][0] == self.signature

    def calls(self, *calls):
        for i, (ident, name, *fragments) in enumerate(calls):
            try:
                args = json.loads("".join(fragments) or "{}")
            except ValueError:
                args = {}
            part = {"functionCall": {"name": name, "args": args}}
            if self.signed and i == 0:
                part["thoughtSignature"] = self.signature
            yield self.event([part])

    def finish(self, why):
        return self.event([], finishReason={
            "stop": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY",
            "refusal": "SAFETY"}[why])

    unknown = [b'data: {"novelty": 1}\r\n\r\n']

    def results(self, body):
        return [p["functionResponse"]["response"].get("result", "") for c in body["contents"]
                for p in c["parts"] if "functionResponse" in p]

    def sent(self, body):
        return sum(len(p.get("text", "")) for c in body["contents"] for p in c["parts"])

    def whole(self, text):
        return {"candidates": [{"index": 0, "finishReason": "STOP",
                                "content": {"role": "model", "parts": [{"text": text}]}}],
                "usageMetadata": self.usage}

    def error(self, status, message, kind=None, code=None):
        words = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
                 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
                 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
        doc = {"error": {"code": status, "message": message,
                         "status": words.get(status, "UNKNOWN")}}
        if code == "insufficient_quota":
            doc["error"]["details"] = [{
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]
        return doc

    def error_frame(self, message, kind, code=None):
        status = {"overloaded_error": 503}.get(kind, 500)
        return b"data: " + text_of(self.error(status, message)) + b"\r\n\r\n"


class Bedrock(Dialect):
    """Frames are binary: cloud_peers.frame()."""
    words, base = ["bedrock"], ""
    paths = ["/model/sim-1/converse-stream", "/model/us.anthropic.claude-x-v1%3A0/converse-stream"]
    kind = "application/vnd.amazon.eventstream"
    usage = {"inputTokens": 1, "cacheReadInputTokens": 16, "cacheWriteInputTokens": 2, "outputTokens": 10, "totalTokens": 29}
    thought = {"reasoningContent": {"reasoningText": {"text": "Which file? \"a\"", "signature": "c2ln/bmF0dXJl=="}}}
    hidden = {"reasoningContent": {"redactedContent": "b3BhcXVl"}}
    block, is_text, is_thought = -1, False, False

    @property
    def start(self):
        return frame("messageStart", {"role": "assistant"})

    def open(self, start=None):
        self.block += 1
        self.is_text = self.is_thought = False
        return frame("contentBlockStart", {"contentBlockIndex": self.block, "start": start}) if start else b""

    def grow(self, delta):
        return frame("contentBlockDelta", {"contentBlockIndex": self.block, "delta": delta, "p": "abcdefgh"})

    def close(self):
        return frame("contentBlockStop", {"contentBlockIndex": self.block})

    def text(self, s):
        if not self.is_text:
            self.open()
        self.is_text = True
        return self.grow({"text": s})

    refusal = text

    def think(self, s):
        if not self.is_thought:
            self.open()
        self.is_thought = True
        return self.grow({"reasoningContent": {"text": s}})

    @property
    def state(self):
        self.open()
        whole = self.thought["reasoningContent"]["reasoningText"]
        yield self.grow({"reasoningContent": {"text": whole["text"][:5]}})
        yield self.grow({"reasoningContent": {"text": whole["text"][5:]}})
        yield self.grow({"reasoningContent": {"signature": whole["signature"]}}) + self.close()
        self.open()
        yield self.grow(self.hidden) + self.close()

    def came_back(self, body):
        said = [m for m in body["messages"] if m["role"] == "assistant"][-1]["content"]
        return said[:2] == [self.thought, self.hidden]

    def calls(self, *calls):
        for ident, name, *fragments in calls:
            yield self.open({"toolUse": {"toolUseId": ident, "name": name}})
            for f in fragments:
                yield self.grow({"toolUse": {"input": f}})
            yield self.close()

    def finish(self, why):
        return frame("messageStop", {"stopReason": {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens",
                                                    "filter": "content_filtered", "refusal": "guardrail_intervened"}[why]})

    @property
    def last(self):
        return frame("metadata", {"usage": self.usage, "metrics": {"latencyMs": 1}})

    unknown = [frame("novelty", {"x": 1}), frame("contentBlockDelta", {"contentBlockIndex": 9, "delta": {"novelty": 1}})]

    def offers(self, body):
        """Tools that were only called before have no description."""
        return [t for t in body.get("toolConfig", {}).get("tools", []) if "description" in t.get("toolSpec", {})]

    def results(self, body):
        return [b["toolResult"]["content"][0]["text"] for m in body["messages"] for b in m["content"] if "toolResult" in b]

    def sent(self, body):
        return sum(len(b.get("text", "")) for m in body["messages"] for b in m["content"])

    def whole(self, text):
        return {"output": {"message": {"role": "assistant", "content": [{"text": text}]}}, "stopReason": "end_turn", "usage": self.usage}

    def error(self, status, message, kind=None, code=None):
        return {"message": message}

    def error_frame(self, message, kind, code=None):
        kind = {"overloaded_error": "serviceUnavailableException", "rate_limit_error": "throttlingException"}.get(kind, "internalServerException")
        return frame(kind, {"message": message}, "exception")


DIALECTS = [Chat, Anthropic, Responses, Ollama, Gemini, Bedrock]
BASES = {word: d.base for d in DIALECTS for word in d.words}


def dialect_for(path):
    """The dialect of a path; a new object for every request."""
    for d in DIALECTS:
        if path in d.paths:
            return d()
    return None
