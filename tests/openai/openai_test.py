#!/usr/bin/env python3
"""Clients of the OpenAI APIs on the real daemon: `openai` and the AI SDK from npm, and requests byte by byte.

usage: openai_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import socket
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from node_host import Failed, Hosts  # noqa: E402
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402
from tap import Skip, long, play  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
PNG = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082")).decode()
SCRIPT = {
    "version": 1,
    "models": [{"provider": "scripted", "model": "demo", "capabilities": ["tool_use", "vision"]}],
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}},
              {"name": "look", "policy": "allowed", "readOnly": True, "result": {"text": "seen"}}],
    "rules": [
        {"when": {"afterTool": "weather"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"text": "weather", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "Oslo"}}]}},
        {"when": {"text": "twice", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "Oslo"}},
                                                                         {"name": "weather", "args": {"city": "Rome"}}]}},
        {"when": {"text": "large", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "x" * 20000}}]}},
        {"when": {"text": "pattern", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "a" * 40 + "!"}}]}},
        {"when": {"text": "publish", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"page": "news"}}]}},
        {"when": {"text": "own", "request": 1}, "reply": {"toolCalls": [{"name": "look", "args": {}}]}},
        {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}
TOOL = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
CHAT_TOOL = {"type": "function", "function": {k: v for k, v in TOOL.items() if k != "type"}}
tests = []
clients = Hosts(HERE / "client.mjs")


def test(f):
    tests.append(f)
    return f


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:600]} instead of {json.dumps(want)[:300]}")


def holds(truth, what):
    if not truth:
        raise Wrong(str(what)[:900])


class World:
    def __init__(self, options=(), enabled=True):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-openai-"))
        self.data = str(self.dir / "data")
        self.daemon = Daemon(BUILD, self.data, json.dumps(SCRIPT),
                             ["tools.enabled=false", "tools.agents=false", "tools.todo=false", *(["openai.enabled=true"] if enabled else []), *options])
        self.start()

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)
        self.token = (pathlib.Path(self.data) / "token").read_text().strip()
        self.url = f"http://127.0.0.1:{self.daemon.port}/openai/v1"

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.http.events(session, 0)]

    def client(self, case, **given):
        """What a client from npm saw."""
        if not (HERE / "node_modules" / "openai").is_dir():
            raise Skip("the clients from npm are not here")
        try:
            return clients.ask({"name": case, "url": self.url, "token": self.token, "given": given}, DEADLINE_S)
        except Failed as e:
            raise Wrong(f"{case}: {e}") from e

    def raw(self, method, path, body=None, headers=(), token=None):
        """(status, headers, body) of one request."""
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        all_headers = {"Authorization": "Bearer " + (token or self.token), **dict(headers)}
        if text is not None:
            all_headers.setdefault("Content-Type", "application/json")
        c.request(method, "/openai/v1/" + path, text, all_headers)
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, dict(r.getheaders()), data

    def post(self, path, body, status=200, **more):
        got, headers, data = self.raw("POST", path, body, **more)
        equal(got, status, data.decode(errors="replace")[:500])
        return json.loads(data)

    def chat(self, *messages, status=200, **more):
        return self.post("chat/completions", {"model": "thole", "messages": list(messages), **more}, status)

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process.poll() is None:
                self.daemon.kill()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


def user(text):
    return {"role": "user", "content": text}


def session_of(answer):
    return answer["id"].split("~")[0].replace("resp_", "").replace("chatcmpl-", "")


# ---- clients from npm

@test
def openai_lists_models_and_chats():
    with World() as w:
        equal([m["id"] for m in w.client("models")], ["scripted/demo"])
        done = w.client("chat")
        equal(done["choices"][0]["message"]["content"], "answer to hello")
        equal((done["choices"][0]["finish_reason"], done["object"], done["model"]), ("stop", "chat.completion", "scripted/demo"))
        holds(done["usage"]["completion_tokens"] > 0, done["usage"])
        chunks = w.client("chat_stream")
        equal("".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"]), "answer to hello")
        equal(chunks[0]["choices"][0]["delta"]["role"], "assistant")
        equal([c["choices"][0]["finish_reason"] for c in chunks if c["choices"]][-1], "stop")
        holds(chunks[-1]["usage"]["total_tokens"] > 0 and not chunks[-1]["choices"], chunks[-1])


@test
def openai_runs_its_own_tools_in_a_chat():
    with World() as w:
        done = w.client("chat_runner")
        equal(done, {"text": "The tool said: dry in Oslo", "calls": ["Oslo"]})


@test
def openai_sends_an_image():
    with World() as w:
        done = w.client("chat_image", url="data:image/png;base64," + PNG)
        sent = next(e for e in w.events(session_of(done)) if e["type"] == "turn.submitted")
        equal([p["type"] for p in sent["payload"]["input"]], ["text", "image"])


@test
def openai_responses_whole_and_as_a_stream():
    with World() as w:
        done = w.client("responses")
        equal((done["text"], done["r"]["status"], done["r"]["object"]), ("answer to hello", "completed", "response"))
        equal(w.client("responses_helper"), {"text": "answer to hello", "status": "completed"})
        parts = w.client("responses_stream")
        equal([p["sequence_number"] for p in parts], list(range(len(parts))))
        kinds = [p["type"] for p in parts]
        equal(kinds[:4], ["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"])
        equal(kinds[-4:], ["response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"])
        equal("".join(p["delta"] for p in parts if p["type"] == "response.output_text.delta"), "answer to hello")


@test
def openai_responses_continue_a_turn_with_results_and_then_the_thread():
    with World() as w:
        done = w.client("responses_tools")
        equal(done["second"]["output"][-1]["content"][0]["text"], "The tool said: dry in Oslo")
        equal(done["third"]["output"][-1]["content"][0]["text"], "answer to hello")
        sessions = {session_of(done[k]) for k in ("first", "second", "third")}
        equal(len(sessions), 1, "one thread")
        turns = [e["turnId"] for e in w.events(sessions.pop()) if e["type"] == "turn.submitted"]
        equal(len(turns), 2, "the result belongs to the first turn")


@test
def openai_responses_with_the_whole_conversation():
    with World() as w:
        done = w.client("responses_tools_whole")
        equal(done["second"]["output"][-1]["content"][0]["text"], "The tool said: dry")
        equal(session_of(done["first"]), session_of(done["second"]))


@test
def openai_answers_an_approval():
    for approve, said in ((True, "The tool said: published"), (False, None)):
        with World() as w:
            done = w.client("responses_approval", approve=approve)
            equal(done["first"]["status"], "completed")
            equal(done["asked"]["name"], "publish")
            resolved = next(e for e in w.events(session_of(done["first"])) if e["type"] == "action.resolved")
            equal(resolved["payload"]["decision"], "allow" if approve else "deny")
            if said:
                equal(done["second"]["output"][-1]["content"][0]["text"], said)


@test
def openai_works_in_the_background():
    with World() as w:
        done = w.client("background", input="hello")
        equal(done["r"]["status"], "completed")
        equal(done["r"]["output"][0]["content"][0]["text"], "answer to hello")
        done = w.client("background", input="slow", cancel=True)
        equal(done["seen"], ["in_progress", "cancelled"])


@test
def openai_continues_a_conversation():
    with World() as w:
        done = w.client("conversation")
        session = session_of(done["first"])
        equal(done["made"]["id"], "conv_" + session)
        equal([session_of(done[k]) for k in ("second",)], [session])
        equal([done[k]["conversation"] for k in ("first", "second")] + [done["last"]["response"]["conversation"]], [{"id": "conv_" + session}] * 3)
        equal(done["shown"], done["made"])
        equal(done["made"]["metadata"], {"topic": "demo"})
        holds(done["made"]["object"] == "conversation" and done["made"]["created_at"] > 1.7e9, done["made"])
        equal(done["second"]["output"][0]["content"][0]["text"], "answer to more")
        equal(len([e for e in w.events(session) if e["type"] == "turn.submitted"]), 3)
        w.daemon.kill()
        w.start()
        equal(session_of(w.post("responses", {"input": "again", "conversation": "conv_" + session})), session)


@test
def openai_reads_the_items_of_a_conversation():
    with World() as w:
        long = "long " * 4000
        done = w.client("items", long=long)
        session = done["made"]["id"].removeprefix("conv_")
        kinds = [(i["type"], i.get("role")) for i in done["ascending"]]
        equal(kinds, [("message", "user"), ("message", "assistant"), ("message", "user"), ("function_call", None), ("function_call_output", None),
                      ("message", "assistant"), ("message", "user"), ("message", "assistant")])
        equal(done["descending"], done["ascending"][::-1], "the other order")
        words = [i["content"][0]["text"] for i in done["ascending"] if i["type"] == "message"]
        equal(words[:3] + [words[4]], ["hello", "answer to hello", "weather", long])
        call, result = done["ascending"][3:5]
        equal((call["call_id"], call["arguments"], result["call_id"], result["output"]), (done["output"][0]["call_id"], done["output"][0]["arguments"], call["call_id"], "dry"))
        equal(call["id"], done["output"][0]["id"], "the id of the response's item")
        equal(done["one"], done["ascending"][1])
        equal((done["empty"], done["first"]), ([], {"ids": [done["ascending"][-1]["id"]], "more": True, "last": done["ascending"][-1]["id"]}))
        equal((done["made"]["metadata"], done["updated"]["metadata"]), ({"topic": "demo"}, {"topic": "other", "by": "me"}))
        equal(done["shown"], done["updated"])
        equal(done["refused"], [[400, "invalid_value", "items"], [409, "item_not_alone", None], [404, "not_found", None], [404, "not_found", None],
                                [400, "invalid_value", "after"], [400, "invalid_value", "limit"], [400, "invalid_value", "order"],
                                [400, "invalid_value", "metadata"], [400, "invalid_value", "metadata"], [404, "session_not_found", None]])
        before = len(w.events(session))
        w.daemon.kill()
        w.start()
        status, _, data = w.raw("GET", "conversations/conv_" + session + "/items?order=asc&limit=100")
        equal((status, json.loads(data)["data"]), (200, done["ascending"]), "after a kill")
        equal(len([e for e in w.events(session) if e["type"] == "session.updated"]), 1)
        holds(before <= len(w.events(session)), before)


@test
def openai_items_of_others_do_not_exist():
    with World() as w:
        made = w.post("responses", {"input": "hello"})
        other = w.call("create_token", name="other", scopes=["read", "write"])["token"]
        path = "conversations/" + made["conversation"]["id"] + "/items"
        read = lambda path, **more: [w.raw("GET", path, **more)[i] for i in (0, 2)]  # noqa: E731
        equal(read(path)[0], 200)
        holds(read(path, token=other) == read("conversations/conv_sess_x/items", token=other), "a foreign conversation looks as a missing one")
        equal(read(path, token=other)[0], 404)


@test
def items_have_no_turns_that_were_removed():
    with World() as w:
        conversation = w.post("responses", {"input": "first"})["conversation"]["id"]
        for text in ("second", "third"):
            w.post("responses", {"input": text, "conversation": conversation})
        session = conversation.removeprefix("conv_")
        turns = [e["turnId"] for e in w.events(session) if e["type"] == "turn.submitted"]
        w.call("rollback_thread", sessionId=session, toTurnId=turns[0])
        w.post("responses", {"input": "fourth", "conversation": conversation})
        words = lambda query: [i["content"][0]["text"] for i in json.loads(w.raw("GET", f"conversations/{conversation}/items?{query}")[2])["data"]]  # noqa: E731
        left = ["first", "answer to first", "fourth", "answer to fourth"]
        equal((words("order=asc"), words("order=desc"), words("order=desc&limit=3")), (left, left[::-1], left[:0:-1]))
        equal(w.raw("GET", f"conversations/{conversation}/items/msg_{turns[1]}")[0], 404)


@test
def openai_deletes_what_stands_alone():
    with World() as w:
        done = w.client("deletion")
        holds(done["alone"] == 200 or done["alone"]["deleted"], done["alone"])
        equal(done["gone"], [404, "not_found"])
        equal(done["notAlone"], [409, "response_not_alone"])
        equal(done["whole"], {"id": done["conversation"], "object": "conversation.deleted", "deleted": True})
        equal([x[0] for x in done["all"]], [404, 410, 410])
        equal(w.call("list_sessions")["sessions"], [])


@test
def deleting_needs_the_scope_admin_and_changes_nothing_without_it():
    with World() as w:
        token = w.call("create_token", name="app", scopes=["read", "write"])["token"]
        made = json.loads(w.raw("POST", "responses", {"input": "hello"}, token=token)[2])
        for path in ("responses/" + made["id"], "conversations/" + made["conversation"]["id"]):
            status, _, data = w.raw("DELETE", path, token=token)
            holds(status == 403 and json.loads(data)["error"]["code"] == "forbidden", (path, status, data))
            equal(w.raw("GET", path, token=token)[0], 200, path)
        other = w.call("create_token", name="other", scopes=["read", "write"])["token"]
        for method, path in (("GET", "conversations/" + made["conversation"]["id"]), ("DELETE", "responses/" + made["id"])):
            equal(w.raw(method, path, token=other)[0], 404, (method, path))


@test
def openai_continues_a_stream_by_number():
    with World() as w:
        done = w.client("resume")
        equal(done["before"] + done["after"], done["whole"])
        equal(done["whole"][-1]["type"], "response.completed")


@test
def the_ai_sdk_runs_its_tools():
    with World() as w:
        done = w.client("ai_generate")
        equal(done, {"text": "The tool said: dry in Oslo", "steps": 2, "calls": ["Oslo"]})
        done = w.client("ai_stream")
        equal((done["text"], done["calls"]), ("The tool said: dry in Oslo", ["Oslo"]))
        holds(done["usage"]["totalTokens"] > 0, done["usage"])


@test
def openai_sees_why_a_turn_failed():
    with World() as w:
        done = w.client("error", input="broken")
        holds("key is not valid" in done["message"], done)
        equal((done["status"], done["code"]), (500, "auth"))


# ---- what happens to a call

@test
def a_call_survives_a_kill_of_the_daemon():
    with World() as w:
        first = w.post("responses", {"model": "thole", "input": "weather", "tools": [TOOL]})
        call = first["output"][-1]
        w.daemon.kill()
        w.start()
        answer = {"previous_response_id": first["id"], "input": [{"type": "function_call_output", "call_id": call["call_id"], "output": "dry"}]}
        second = w.post("responses", answer)
        equal(second["output"][-1]["content"][0]["text"], "The tool said: dry")
        # The same request again, because its answer was lost: the same response.
        equal(w.post("responses", answer), second)
        # Another result for the same call is refused.
        answer["input"][0]["output"] = "wet"
        equal(w.post("responses", answer, 409)["error"]["code"], "idempotency_conflict")
        equal(sum(e["type"] == "tool.result" for e in w.events(session_of(first))), 1)


@test
def two_calls_of_one_answer_need_two_results():
    with World() as w:
        first = w.chat(user("twice"), tools=[CHAT_TOOL])
        message = first["choices"][0]["message"]
        equal((first["choices"][0]["finish_reason"], len(message["tool_calls"]), message["content"]), ("tool_calls", 2, None))
        equal(json.loads(message["tool_calls"][1]["function"]["arguments"]), {"city": "Rome"})
        results = [{"role": "tool", "tool_call_id": c["id"], "content": "dry"} for c in message["tool_calls"]]
        equal(w.chat(user("twice"), message, results[0], status=400)["error"]["code"], "missing_results")
        done = w.chat(user("twice"), message, *results)
        equal(done["choices"][0]["message"]["content"], "The tool said: dry")
        equal(w.chat(user("twice"), message, *reversed(results))["choices"][0]["message"]["content"], "The tool said: dry", "in another order")


@test
def long_arguments_reach_the_client_whole():
    with World() as w:
        first = w.post("responses", {"model": "thole", "input": "large", "tools": [TOOL]})
        equal(json.loads(first["output"][-1]["arguments"]), {"city": "x" * 20000})


@test
def the_tools_of_the_runtime_are_items_of_their_own():
    with World() as w:
        done = w.post("responses", {"model": "thole", "input": "own"})
        equal([(i["type"], i.get("name"), i["status"]) for i in done["output"]][0], ("thole:tool_call", "look", "completed"))
        equal(w.chat(user("own"))["choices"][0]["finish_reason"], "stop")


@test
def an_approval_ends_a_chat_with_a_sentence():
    with World() as w:
        done = w.chat(user("publish"))
        text = done["choices"][0]["message"]["content"]
        holds("Waiting for a decision" in text and "thole approve act_" in text, text)


@test
def earlier_words_are_the_callers():
    with World() as w:
        done = w.chat({"role": "system", "content": "be brief"}, user("first question"), {"role": "assistant", "content": "first answer"}, user("hello"))
        sent = next(e for e in w.events(session_of(done)) if e["type"] == "turn.submitted")
        context = sent["payload"]["options"]["context"]
        equal([(c["kind"], c["ref"]) for c in context], [("instruction", "caller:instructions"), ("memory", "caller:earlier-messages")])
        text = w.call("get_output", outputRef=context[1]["outputRef"])["text"]
        equal(text, "user: first question\nassistant: first answer\n")
        equal(sent["payload"]["input"][0]["preview"], "hello")


@test
def a_header_names_the_session():
    with World() as w:
        status, headers, data = w.raw("POST", "chat/completions", {"model": "thole", "messages": [user("hello")], "temperature": 0.5, "store": False, "a b": 1, "seed": None})
        equal((status, headers["Thole-Ignored"]), (200, "temperature, store"))
        again = {"model": "thole", "messages": [user("hello"), {"role": "assistant", "content": "x"}, user("more")]}
        status, other, data = w.raw("POST", "chat/completions", again, headers={"Thole-Session": headers["Thole-Session"]})
        equal((status, other["Thole-Session"]), (200, headers["Thole-Session"]))
        status, _, data = w.raw("POST", "chat/completions", again, headers={"Thole-Session": "sess_that_is_not_there"})
        equal((status, json.loads(data)["error"]["code"]), (404, "session_not_found"))


@test
def a_client_that_leaves_does_not_end_its_turn():
    with World() as w:
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("POST", "/openai/v1/responses", json.dumps({"model": "thole", "input": "weather", "stream": True, "tools": [TOOL]}),
                  {"Authorization": "Bearer " + w.token, "Content-Type": "application/json"})
        r = c.getresponse()
        session = r.getheader("Thole-Session")
        c.close()
        until("the call", lambda: [e for e in w.events(session) if e["type"] == "tool.progress"])
        equal([e["type"] for e in w.events(session) if e["type"] == "turn.failed"], [])


@test
def a_client_that_closed_keeps_no_connection():
    with World() as w:
        def open_files():
            return len(os.listdir(f"/proc/{w.daemon.process.pid}/fd"))

        before = open_files()
        for n in range(40):
            with socket.create_connection(("127.0.0.1", w.daemon.port)) as s:
                body = json.dumps({"model": "thole", "input": "slow"})
                s.sendall((f"POST /openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {w.token}\r\n"
                           f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
                until("its turn", lambda: len(w.call("list_sessions", limit=256)["sessions"]) > n)
        until("connections are closed", lambda: open_files() <= before + 4)


@test
def the_published_limits_of_conversations_hold():
    limits = {name: row["value"] for name, row in json.loads((HERE.parents[1] / "catalog" / "limits.json").read_text()).items()}
    pairs, key, value = (limits["openai_metadata_" + n] for n in ("pairs", "key_bytes", "value_bytes"))
    with World() as w:
        whole = {"k" * (key - 2) + f"{n:02}": "v" * value for n in range(pairs)}
        made = w.post("conversations", {"metadata": whole})
        equal(made["metadata"], whole)
        for more in ({**whole, "one": "more"}, {"k" * (key + 1): "v"}, {"k": "v" * (value + 1)}):
            for path in ("conversations", "conversations/" + made["id"]):
                error = w.post(path, {"metadata": more}, 400)["error"]
                equal((error["code"], error["param"], f"at most {pairs} texts" in error["message"]), ("invalid_value", "metadata", True))
        equal(json.loads(w.raw("GET", "conversations/" + made["id"])[2])["metadata"], whole, "nothing changed")
        page = limits["openai_page"]
        equal(w.raw("GET", f"conversations/{made['id']}/items?limit={page}")[0], 200)
        for wrong in (page + 1, 0, -1, "all"):
            status, _, data = w.raw("GET", f"conversations/{made['id']}/items?limit={wrong}")
            error = json.loads(data)["error"]
            equal((status, error["code"], error["param"], f"1 to {page}" in error["message"]), (400, "invalid_value", "limit", True))
        equal(len(w.call("list_sessions")["sessions"]), 1)


@test
def items_and_parts_of_unknown_kinds_are_refused_and_change_nothing():
    with World() as w:
        for item in ({"type": "computer_call", "id": "x"}, {"type": "item_reference", "id": "x"}, {"type": "somethingNew"}, {"type": 7, "role": "robot", "content": "x"}, {"role": "robot", "content": "x"}):
            error = w.post("responses", {"input": [{"role": "user", "content": "x"}, item]}, 400)["error"]
            equal((error["code"], error["param"].startswith("input[1]")), ("invalid_value", True), item)
        for part in ({"type": "input_file", "file_id": "x"}, {"type": "input_audio", "input_audio": {}}, {"type": "somethingNew"}, {"text": "x"}, "x", 7):
            error = w.post("responses", {"input": [{"role": "user", "content": [{"type": "input_text", "text": "x"}, part]}]}, 400)["error"]
            equal(error["code"], "invalid_value", part)
            equal(w.chat({"role": "user", "content": [{"type": "text", "text": "x"}, part]}, status=400)["error"]["code"], "invalid_value", part)
        equal(w.chat({"role": "robot", "content": "x"}, status=400)["error"]["code"], "invalid_value")
        equal(w.post("responses", {"input": "x", "tools": [{"type": "web_search"}]}, 400)["error"]["code"], "invalid_value")
        equal(w.call("list_sessions")["sessions"], [])


@test
def what_does_not_fit_into_an_event_is_refused():
    with World() as w:
        large = {"model": "thole", "input": "hello", "metadata": {"a": "x" * 70000}}
        equal(w.post("responses", large, 413)["error"]["code"], "too_large")
        tools = [{"type": "function", "name": f"t{n}", "description": '"' * 8000} for n in range(6)]
        equal(w.post("responses", {"model": "thole", "input": "hello", "tools": tools}, 413)["error"]["code"], "too_large")
        equal(w.call("list_sessions")["sessions"], [])
        equal(w.post("responses", {"model": "thole", "input": "hello", "metadata": {"a": "x" * 40000}})["status"], "completed")


@test
def arguments_that_a_costly_schema_cannot_check_are_refused():
    """The check of each call is bounded; what is not known to fit is not run."""
    nested = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^(a+)+$"}}}
    with World() as w:
        done = w.post("responses", {"model": "thole", "input": "pattern", "tools": [{**TOOL, "parameters": nested}]})
        equal(done["status"], "completed")
        failed = [e for e in w.events(session_of(done)) if e["type"] == "tool.failed"]
        equal(failed[0]["payload"]["category"], "invalid_input")


@test
def a_cancelled_response_says_so():
    with World() as w:
        first = w.post("responses", {"model": "thole", "input": "weather", "tools": [TOOL]})
        equal(w.post("responses/" + first["id"] + "/cancel", "{}")["status"], "cancelled")


@test
def an_approval_finds_its_turn_itself():
    with World() as w:
        asked = w.post("responses", {"model": "thole", "input": "publish"})["output"][-1]
        session, action, turn = asked["id"].split("~")
        done = w.post("responses", {"input": [{"type": "mcp_approval_response", "approval_request_id": f"{session}~{action}~turn_made_up", "approve": True}]})
        equal(done["output"][-1]["content"][0]["text"], "The tool said: published")


# ---- who may do what

@test
def it_is_off_by_default():
    with World(enabled=False) as w:
        for method, path in (("POST", "chat/completions"), ("POST", "responses"), ("GET", "models")):
            equal(w.raw(method, path, "{}" if method == "POST" else None)[0], 404, path)


@test
def tokens_bound_what_a_client_may_do():
    with World() as w:
        mine = w.call("create_token", name="mine", scopes=["read", "write"], sessions="own")["token"]
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        reader = w.call("create_token", name="reader", scopes=["read"], sessions="own")["token"]
        equal(w.raw("POST", "responses", {"input": "hello"}, token="wrong")[0], 401)
        equal(w.raw("POST", "responses", {"input": "hello"}, token=reader)[0], 403)
        first = w.post("responses", {"model": "thole", "input": "weather", "tools": [TOOL]}, token=mine)
        call = first["output"][-1]
        result = {"input": [{"type": "function_call_output", "call_id": call["call_id"], "output": "dry"}]}
        missing = {"input": [{"type": "function_call_output", "call_id": "call_sess_x~tool_x", "output": "dry"}]}
        # A foreign call, response and session look missing.
        foreign, absent = w.raw("POST", "responses", result, token=other), w.raw("POST", "responses", missing, token=other)
        equal((foreign[0], json.loads(foreign[2])["error"]["code"]), (404, "session_not_found"))
        equal(absent[0], 404)
        equal(w.raw("GET", "responses/" + first["id"], token=other)[0], 404)
        equal(w.raw("POST", "responses/" + first["id"] + "/cancel", "{}", token=other)[0], 404)
        equal(w.raw("POST", "responses", {"previous_response_id": first["id"], "input": "hello"}, token=other)[0], 404)
        # Without the scope read nothing is shown, and nothing begins.
        blind = w.call("create_token", name="blind", scopes=["write", "approve"], sessions="all")["token"]
        count = len(w.call("list_sessions")["sessions"])
        equal(w.raw("GET", "responses/" + first["id"], token=blind)[0], 403)
        equal(w.raw("GET", "responses/" + first["id"] + "?stream=true", token=blind)[0], 403)
        equal(w.raw("POST", "responses", {"input": "hello"}, token=blind)[0], 403)
        equal(w.raw("POST", "chat/completions", {"messages": [user("hello")]}, token=blind)[0], 403)
        equal(len(w.call("list_sessions")["sessions"]), count)
        # Without the scope approve an approval cannot be answered.
        asked = w.post("responses", {"model": "thole", "input": "publish"}, token=mine)["output"][-1]
        status, _, data = w.raw("POST", "responses", {"input": [
            {"type": "mcp_approval_response", "approval_request_id": asked["id"], "approve": True}]}, token=mine)
        equal(status, 403, data)
        equal(w.post("responses", result, token=mine)["status"], "completed")


@test
def bad_requests_are_refused_and_change_nothing():
    bad = [
        ("chat/completions", "{", "invalid_json"),
        ("chat/completions", "[]", None),
        ("chat/completions", {"messages": []}, None),
        ("chat/completions", {"messages": [{"role": "robot", "content": "x"}]}, None),
        ("chat/completions", {"messages": [user("x"), {"role": "assistant", "content": "y"}]}, None),
        ("chat/completions", {"messages": [user([{"type": "input_audio"}])]}, None),
        ("chat/completions", {"messages": [user([{"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}])]}, None),
        ("chat/completions", {"messages": [user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,???"}}])]}, None),
        ("chat/completions", {"messages": [user("x")], "n": 2}, None),
        ("chat/completions", {"messages": [user("x")], "stop": ["a"]}, None),
        ("chat/completions", {"messages": [user("x")], "tool_choice": "required"}, None),
        ("chat/completions", {"messages": [user("x")], "tools": [{"type": "web_search"}]}, None),
        ("chat/completions", {"messages": [user("x")], "tools": [{"type": "function", "function": {"name": "a b"}}]}, None),
        ("chat/completions", {"messages": [user("x")], "reasoning_effort": "huge"}, None),
        ("chat/completions", {"messages": [user("x")], "response_format": {"type": "json_object"}}, None),
        ("chat/completions", {"messages": [user("x"), {"role": "tool", "tool_call_id": "call_1", "content": "y"}]}, None),
        ("chat/completions", {"messages": [user("x"), {"role": "tool", "tool_call_id": "call_a~b\n~c", "content": "y"}]}, None),
        ("responses", {"input": 7}, None),
        ("responses", {"input": [{"type": "computer_call"}]}, None),
        ("responses", {"input": "x", "previous_response_id": "resp_1"}, None),
        ("responses", {"input": "x", "conversation": "conv_1"}, None),
        ("responses", {"input": "x", "conversation": 7}, None),
        ("responses", {"input": "x", "conversation": {"id": "conv_a~b"}}, None),
        ("responses", {"input": "x", "conversation": "conv_sess_x", "previous_response_id": "resp_a~b~1"}, None),
        ("chat/completions", {"messages": [user("x")], "conversation": "conv_sess_x"}, None),
        ("conversations", {"items": [{"role": "user", "content": "x"}]}, None),
        ("conversations", "{", "invalid_json"),
        ("responses", {"input": [{"type": "mcp_approval_response", "approval_request_id": "mcpr_a~b", "approve": True}]}, None),
        ("responses", {"input": [{"type": "mcp_approval_response", "approval_request_id": "mcpr_a~b~c", "approve": "yes"}]}, None),
    ]
    with World() as w:
        for path, body, code in bad:
            status, _, data = w.raw("POST", path, body)
            holds(status in (400, 404, 413, 422), (body, status, data))
            error = json.loads(data)["error"]
            holds(error["message"] and (code is None or error["code"] == code), (body, error))
        equal(w.call("list_sessions")["sessions"], [])
        for method, path in (("GET", "responses/resp_1"), ("GET", "responses/resp_a~b~0"), ("GET", "responses/resp_sess_x~turn_x~3"),
                             ("DELETE", "responses/resp_a~b~1"), ("DELETE", "responses/x"), ("DELETE", "conversations/conv_"), ("GET", "conversations/conv_sess_x"),
                             ("PUT", "responses/resp_a~b~1"), ("GET", "files"), ("POST", "embeddings")):
            equal(w.raw(method, path, "{}" if method == "POST" else None)[0], 404, path)
        # Longer than any id: an id of nothing, not a request that is too large.
        long = "x" * 300
        for method, path in (("GET", f"conversations/conv_{long}"), ("GET", f"conversations/conv_{long}/items"), ("DELETE", f"conversations/conv_{long}"),
                             ("GET", f"responses/resp_{long}~turn_x~3"), ("GET", f"responses/resp_sess_x~{long}~3"), ("DELETE", f"responses/resp_{long}~turn_x~3"),
                             ("POST", f"responses/resp_{long}~turn_x~3/cancel")):
            equal(w.raw(method, path, "{}" if method == "POST" else None)[0], 404, path)
        session = session_of(w.post("responses", {"model": "thole", "input": "hello"}))
        for id in (f"resp_{session}~turn_none~3", f"resp_{session}~turn_none~9999"):
            equal(w.raw("GET", "responses/" + id)[0], 404, id)
            try:
                w.raw("GET", f"responses/{id}?stream=true")
                raise Wrong("a stream of no turn ended as if it were one")
            except (http.client.IncompleteRead, ConnectionError):
                pass
        equal(w.raw("POST", "responses", "input=x", headers={"Content-Type": "text/plain"})[0], 415)


@test
@long
def a_thousand_requests_leave_nothing_behind():
    with World() as w:
        def one(n):
            return w.chat(user(f"hello {n}"))["choices"][0]["message"]["content"]

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for n, said in enumerate(pool.map(one, range(1000))):
                equal(said, f"answer to hello {n}")
        before = len(os.listdir(f"/proc/{w.daemon.process.pid}/fd"))
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(one, range(200)))
        until("descriptors as before", lambda: len(os.listdir(f"/proc/{w.daemon.process.pid}/fd")) <= before + 2)


def main():
    return play(tests, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
