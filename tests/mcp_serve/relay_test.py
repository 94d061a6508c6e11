#!/usr/bin/env python3
"""What a published tool server asks of the client that called it: its user, its model, its directories; messages; changes of resources.

usage: relay_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Tool server and clients are those of the official SDKs, in both revisions.
"""
import http.client
import json
import sys
import threading

import mcp_serve_test as base
import publish_test
from mcp_serve_test import Wrong, equal, holds, test, until

base.tests.clear()
Fixture, text_of, sessions_of, verify = publish_test.Fixture, publish_test.text_of, publish_test.sessions_of, publish_test.verify
CLIENTS = (("modern", "http"), ("legacy", "http"), ("old", "http"), ("modern", "stdio"), ("legacy", "stdio"))
REVISIONS = ("2025-11-25", "2026-07-28")
ALL = {"elicitation": {}, "sampling": {}, "roots": {}}
SAMPLED = {"role": "assistant", "model": "theirs", "content": {"type": "text", "text": "from their model"}}


def call(w, tool, capabilities=ALL, token=None, **more):
    return w.modern("tools/call", {"name": tool, "arguments": {}, **more}, capabilities=capabilities, token=token)


# ---- official clients

@test
def the_clients_of_both_revisions_answer_with_their_models():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            for era, transport in CLIENTS:
                seen = w.client("relay", era, transport, tools=["test_input_required_result_sampling", "test_input_required_result_list_roots"])
                equal([text_of(r) for r in seen["results"]], ["LLM response: their model on What is the capital of France?", "Roots: file:///their/root"], (revision, era, transport))
                equal(seen["asked"], ["sampling/createMessage", "roots/list"], (revision, era, transport))
            types = [e["type"] for s in sessions_of(w) for e in w.events(s)]
            holds("model.requested" not in types, "the runtime asks no model for that")
            verify(w)


@test
def several_questions_at_once():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        for era, transport in CLIENTS:
            seen = w.client("relay", era, transport, tools=["test_input_required_result_multiple_inputs"])
            equal(text_of(seen["results"][0]), "their model on Generate a greeting Alice of 1", (era, transport))
            equal(sorted(seen["asked"]), ["elicitation/create", "roots/list", "sampling/createMessage"], (era, transport))
        asked = call(w, "test_input_required_result_multiple_inputs")["result"]
        equal(sorted(asked["inputRequests"]), ["client_roots", "greeting", "user_name"], "the keys are those of the server")


@test
def more_than_fits_into_one_question_follows_in_the_next():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            for era, transport in CLIENTS:
                seen = w.client("relay", era, transport, tools=["three_long"])
                equal(text_of(seen["results"][0]), "a b c Alice", (revision, era, transport))
                equal(sorted(seen["asked"]), ["elicitation/create", *["sampling/createMessage"] * 3], (revision, era, transport))


@test
def a_server_on_stdio():
    with Fixture() as w:
        seen = w.client("relay", "legacy", "http", tools=["test_sampling"], args={"prompt": "Say something"})
        equal(text_of(seen["results"][0]), "LLM response: their model on Say something")


@test
def a_late_question_of_an_ended_call_reaches_no_other_caller():
    with Fixture() as w:
        tokens = [w.call("create_token", name=name, scopes=["read", "write"], sessions="own")["token"] for name in ("ann", "bob")]
        equal(text_of(w.client("relay", "legacy", token=tokens[0], tools=["begin_late"], level="debug")["results"][0]), "later")
        for era in ("legacy", "modern"):
            seen = w.client("relay", era, token=tokens[1], tools=["end_late"], level="debug")
            equal((text_of(seen["results"][0]), seen["asked"], seen["logs"]), ("late: cancel", [], []), era)
        holds(any("reached no caller" in line for line in w.daemon.log), "the log says so")
        verify(w)


@test
def a_question_of_a_prompt_reaches_no_call_of_another():
    with Fixture() as w:
        tokens = [w.call("create_token", name=name, scopes=["read", "write"], sessions="own")["token"] for name in ("ann", "bob")]
        got = []
        thread = threading.Thread(target=lambda: got.append(w.client("relay", "legacy", token=tokens[0], tools=["slow_compute"], args={"seconds": 4}, level="debug")))
        thread.start()
        until("the call", lambda: any(e["type"] == "tool.started" for s in sessions_of(w) for e in w.events(s)))
        asked = w.modern("prompts/get", {"name": "test_input_required_result_prompt"}, capabilities=ALL, token=tokens[1])
        thread.join(base.DEADLINE_S)
        equal((text_of(got[0]["results"][0]), got[0]["asked"]), ("computed", []), asked)


@test
def an_unanswered_question_holds_no_other_client():
    with Fixture() as w:
        _, session = begin(w, ALL)
        c, r = send(w, "POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "test_elicitation", "arguments": {"message": "first"}}}, session, stream=True)
        question = json.loads(next(line for line in r if line.startswith(b"data:"))[5:])
        equal(question["params"]["message"], "first")
        seen = w.client("elicit", "legacy", tool="test_input_required_result_elicitation", content={"name": "Ada"})
        equal((text_of(seen["ran"]), seen["asked"]), ("Hello, Ada!", ["What is your name?"]))
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        seen = w.client("elicit", "legacy", token=other, tool="test_input_required_result_elicitation", content={"name": "Eve"})
        equal((text_of(seen["ran"]), seen["asked"]), ("Hello, stranger!", []), "of another principal: it ends at once")
        send(w, "POST", {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"username": "u", "email": "e"}}}, session)
        last = json.loads([line for line in r if line.startswith(b"data:")][-1][5:])
        holds('"username":"u"' in text_of(last["result"]), last)
        verify(w)


@test
def requests_that_come_together():
    for at_address in (False, True):
        with Fixture(at_address=at_address, protocol="2025-11-25") as w:
            for era, transport in CLIENTS:
                seen = w.client("relay", era, transport, tools=["test_input_required_result_multiple_inputs"])
                equal(text_of(seen["results"][0]), "their model on Generate a greeting Alice of 1", (at_address, era, transport))
                if not at_address:
                    break  # over stdio, calls of the program and of the token are of two callers


@test
def a_model_that_is_refused_is_an_error_of_the_tool():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            seen = w.client("relay", "legacy", "http", tools=["test_input_required_result_sampling"], refuses=True)
            equal(seen["results"][0]["isError"], True, seen)


@test
def a_client_without_the_capability():
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        for era in ("legacy", "modern"):
            seen = w.client("relay", era, tools=["test_input_required_result_sampling"], can={"elicitation": {}})
            equal((seen["results"][0]["isError"], seen["asked"]), (True, []), seen)
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        for tool in ("test_missing_capability", "missing_as_stream"):
            got = call(w, tool, capabilities={})
            equal((got["status"], got["error"]["code"], got["error"]["data"]), (400, -32021, {"requiredCapabilities": {"sampling": {}}}), tool)
        equal(text_of(call(w, "test_missing_capability")["result"]), "It can.")


# ---- messages

@test
def messages_at_the_level_of_the_client():
    lines = ["Tool execution started", "Tool processing data", "Tool execution completed"]
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            for era, transport in CLIENTS:
                equal(w.client("relay", era, transport, tools=["test_tool_with_logging"], level="info")["logs"], lines, (revision, era, transport))
                equal(w.client("relay", era, transport, tools=["test_tool_with_logging"], level="warning")["logs"], [], (revision, era, transport))
                equal(w.client("relay", era, transport, tools=["test_tool_with_logging"])["logs"], [], (revision, era, transport))


@test
def a_flood_of_messages_is_cut():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            logs = w.client("relay", "legacy", tools=["many_logs"], level="error")["logs"]
            holds(len(logs) == 200, len(logs))
            holds(isinstance(logs[0], str) and len(logs[0]) < 5000, "a long one is shown as its beginning")
            equal(logs[1]["n"], 2, "debug is below the level")


@test
def a_level_that_does_not_exist():
    with Fixture() as w:
        got = w.modern("tools/call", {"name": "test_simple_text"}, meta={"io.modelcontextprotocol/logLevel": "loud"})
        equal((got["status"], got["error"]["code"]), (400, -32602))
        _, session = begin(w)
        equal(legacy(w, session, "logging/setLevel", {"level": "loud"})["error"]["code"], -32602)
        equal(w.legacy("logging/setLevel", {"level": "info"})["error"]["code"], -32600, "without a session it would be forgotten at once")


# ---- sessions of 2025-11-25

def send(w, method, body=None, session=None, token=None, stream=False):
    c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=base.DEADLINE_S)
    headers = {"Authorization": f"Bearer {token or w.token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    if session:
        headers["Mcp-Session-Id"] = session
    c.request(method, "/mcp", json.dumps(body) if body else None, headers)
    r = c.getresponse()
    if stream:
        return c, r
    return r.status, dict(r.getheaders()), r.read()


def begin(w, capabilities=None, token=None):
    status, headers, body = send(w, "POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": capabilities or {}, "clientInfo": {"name": "t", "version": "1"}}}, token=token)
    equal(status, 200, body)
    return json.loads(body)["result"], {k.lower(): v for k, v in headers.items()}["mcp-session-id"]


def legacy(w, session, method, params, token=None):
    return json.loads(send(w, "POST", {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}, session, token)[2])


@test
def changes_of_resources_reach_the_stream_of_a_session():
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        for era, transport in (("legacy", "http"), ("old", "http"), ("legacy", "stdio")):
            seen = w.client("watch", era, transport, uri="test://watched-resource", tool="change_watched")
            equal(seen, {"first": 1, "seen": ["test://watched-resource"]}, (era, transport))
        ran = w.client("hello")["ran"]["structuredContent"]
        session = ran["thread"].split("~")[0]
        for era, transport in (("legacy", "http"), ("legacy", "stdio")):
            seen = w.client("watch", era, transport, uri=f"thole://sessions/{session}", tool="send", args={"thread": ran["thread"], "message": "more"})
            holds(seen["first"] >= 1 and set(seen["seen"]) == {f"thole://sessions/{session}"}, (era, seen))


@test
def a_session_and_its_stream():
    with Fixture() as w:
        hello, session = begin(w, ALL)
        equal((hello["capabilities"]["resources"], hello["capabilities"]["logging"]), ({"subscribe": True}, {}))
        holds(session.startswith("canESR-"), session)
        equal(send(w, "GET")[0], 405, "without a session there is no stream")
        equal(send(w, "GET", session="canE-0000")[0], 404)
        other = w.call("create_token", name="other", scopes=["read", "write"])["token"]
        equal(send(w, "GET", session=session, token=other)[0], 404, "the session of another")
        first, reply = send(w, "GET", session=session, stream=True)
        equal(reply.status, 200)
        second, again = send(w, "GET", session=session, stream=True)
        equal(again.status, 200)
        equal(reply.read(), b"", "a second stream takes the place of the first")
        equal(legacy(w, session, "resources/subscribe", {"uri": "test://static-text"})["result"], {})
        equal(legacy(w, session, "resources/subscribe", {"uri": "thole://sessions/sess_none"})["result"], {})
        equal(send(w, "DELETE", session=session)[0], 204)
        equal(again.read(), b"")
        equal(send(w, "DELETE", session=session)[0], 404)
        _, full = begin(w)
        for n in range(64):
            equal(legacy(w, full, "resources/subscribe", {"uri": f"thole://sessions/sess_{n}"})["result"], {})
        equal(legacy(w, full, "resources/subscribe", {"uri": "thole://sessions/sess_64"})["error"]["code"], -32602)
        for method in ("tools/list", "resources/subscribe", "ping"):
            equal(send(w, "POST", {"jsonrpc": "2.0", "id": 3, "method": method, "params": {"uri": "test://static-text"}}, session)[0], 404, "after DELETE")
        equal(send(w, "POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)[0], 404)
        equal(legacy(w, session, "ping", {}, token=other)["result"], {}, "the session of another is not known")


@test
def more_watches_than_may_be_are_refused():
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        sessions = [begin(w)[1] for _ in range(2)]
        got = [legacy(w, s, "resources/subscribe", {"uri": f"test://template/{s}-{n}/data"}) for s in sessions for n in range(40)]
        equal([("error" in g) for g in got], [False] * 64 + [True] * 16)
        equal(got[-1]["error"]["data"]["code"], "too_many_open", got[-1])
        equal(legacy(w, sessions[1], "resources/subscribe", {"uri": f"test://template/{sessions[0]}-0/data"})["result"], {}, "one that is watched already")
        equal(legacy(w, sessions[1], "resources/subscribe", {"uri": "thole://sessions/sess_1"})["result"], {}, "one of ours")
        equal(legacy(w, sessions[0], "resources/subscribe", {"uri": "test://" + "x" * 3000})["error"]["data"]["code"], "too_many_open")
        got = w.modern("subscriptions/listen", {"notifications": {"resourceSubscriptions": [f"thole://sessions/sess_{n}" for n in range(65)]}})
        equal((got["status"], got["error"]["code"]), (400, -32602))
    with Fixture(at_address=True, protocol="2026-07-28") as w:  # it reports no changes
        _, session = begin(w)
        equal(legacy(w, session, "resources/subscribe", {"uri": "test://static-text"})["error"]["data"]["code"], "not_found")


@test
def many_waits_for_changes():
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        uri = "test://watched-resource"
        after = w.call("ask_tool_server", server="fixture", method="watch_resources", params={"uris": [uri]})["result"]["after"]
        got = []

        def one():
            got.append(base.Http(w.daemon).call("ask_tool_server", {"server": "fixture", "method": "watch_resources", "params": {"uris": [uri], "after": after}}))

        threads = [threading.Thread(target=one) for _ in range(270)]
        [t.start() for t in threads]
        until("the refusals", lambda: len(got) >= 14)
        w.tool("change_watched")
        [t.join(base.DEADLINE_S) for t in threads]
        equal(len(got), 270)
        equal({code for code, _ in got if code}, {"too_many_open"})
        holds(len([1 for code, reply in got if not code and reply["result"]["uris"] == [uri]]) == 256, "the others learn of the change")


@test
def many_sessions_of_one_evict_none_of_others():
    with Fixture() as w:
        ann, bob = (w.call("create_token", name=name, scopes=["read", "write"])["token"] for name in ("ann", "bob"))
        _, kept = begin(w, token=ann)
        equal(legacy(w, kept, "logging/setLevel", {"level": "info"}, token=ann)["result"], {})
        _, first = begin(w, token=bob)
        for _ in range(1100):
            begin(w, token=bob)
        equal(send(w, "GET", session=first, token=bob)[0], 404, "its own oldest sessions are forgotten")
        c, reply = send(w, "GET", session=kept, token=ann, stream=True)
        equal(reply.status, 200, "that of another is kept")
        c.close()
        _, last = begin(w, token=bob)
        c, reply = send(w, "GET", session=last, token=bob, stream=True)
        equal(reply.status, 200)
        c.close()


@test
def a_request_is_cancelled_by_its_own_client_alone():
    def cancel(w, session, request, token=None):
        equal(send(w, "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}}, session, token)[0], 202)

    with publish_test.world() as w:
        other = w.call("create_token", name="other", scopes=["read", "write"])["token"]
        sessions = [begin(w)[1] for _ in range(2)]
        for progress in ({}, {"_meta": {"progressToken": 1}}):
            before = set(sessions_of(w))
            body = {"jsonrpc": "2.0", "id": "a-1", "method": "tools/call", "params": {"name": "hang", "arguments": {}, **progress}}
            got = []
            thread = threading.Thread(target=lambda body=body, got=got: got.append(send(w, "POST", body, sessions[0])))
            thread.start()
            of = next(iter(until("the turn", lambda: set(sessions_of(w)) - before)))
            until("the call", lambda: any(e["type"] == "tool.started" for e in w.events(of)))
            for session, request, token in ((sessions[1], "a-1", None), (sessions[0], "a-2", None), (sessions[0], 1, None), (sessions[0], None, None), (sessions[0], {"x": 1}, None),
                                            (None, "a-1", None), (sessions[0], "a-1", other)):
                cancel(w, session, request, token)
            equal(publish_test.ended(w, of), [], "none of these was its client")
            cancel(w, sessions[0], "a-1")
            thread.join(base.DEADLINE_S)
            equal(got[0][0], 200)
            holds(b"ancelled" in got[0][2], got[0])
            equal(publish_test.ended(w, of)[0]["payload"]["outcome"], "cancelled")
            cancel(w, sessions[0], "a-1")
        verify(w)


@test
def a_request_whose_connection_has_ended_is_cancelled():
    with publish_test.world() as w:
        _, session = begin(w)
        for n in range(20):
            before = set(sessions_of(w))
            c, r = send(w, "POST", {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "hang", "arguments": {}, "_meta": {"progressToken": 1}}}, session, stream=True)
            of = next(iter(until("the turn", lambda before=before: set(sessions_of(w)) - before)))
            until("the call", lambda of=of: any(e["type"] == "tool.started" for e in w.events(of)))
            r.close()
            c.close()
            until("the end", lambda of=of, n=n: send(w, "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}}, session) and publish_test.ended(w, of))
            equal(publish_test.ended(w, of)[0]["payload"]["outcome"], "cancelled")


@test
def many_requests_are_cancelled_at_once():
    with publish_test.world() as w:
        _, session = begin(w)
        threads = []
        for n in range(40):
            body = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "hang", "arguments": {}}}
            threads.append(threading.Thread(target=send, args=(w, "POST", body, session)))
            threads[-1].start()
        until("the turns", lambda: len(sessions_of(w)) == 40)
        for n in range(40):
            send(w, "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}}, session)
        [t.join(base.DEADLINE_S) for t in threads]
        outcomes = [publish_test.ended(w, s)[0]["payload"]["outcome"] for s in sessions_of(w)]
        equal(outcomes, ["cancelled"] * 40)


# ---- prompts

@test
def a_prompt_that_asks():
    with Fixture(at_address=True, protocol="2026-07-28", twins=("twin",), publish={"servers": ["twin", "fixture"]}) as w:
        name = "test_input_required_result_prompt"
        asked = w.modern("prompts/get", {"name": name}, capabilities=ALL)["result"]
        equal((asked["resultType"], list(asked["inputRequests"])), ("input_required", ["user_context"]))
        holds(asked["requestState"].startswith("twin:"), asked)
        answer = {"user_context": {"action": "accept", "content": {"context": "the harbour"}}}
        got = w.modern("prompts/get", {"name": name, "inputResponses": answer, "requestState": asked["requestState"]}, capabilities=ALL)["result"]
        equal(got["messages"][0]["content"]["text"], "Context: the harbour")
        for state in ("absent:x", ":", "", "twin"):
            got = w.modern("prompts/get", {"name": name, "inputResponses": answer, "requestState": state}, capabilities=ALL)
            holds("error" in got or state == "", (state, got))
        got = w.modern("prompts/get", {"name": name}, capabilities={})
        holds("error" in got, got)


# ---- bad input

@test
def a_prompt_passes_on_what_a_tool_may():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        for name in ("asks_for_much", "asks_for_nothing", "asks_for_nested", "asks_with_ref", "asks_often", "asks_unknown"):
            equal(call(w, name)["result"]["isError"], True, name)
        for name in ("asks_for_a_page", "asks_for_much", "asks_for_nothing", "asks_for_nested", "asks_with_ref", "asks_often", "asks_unknown"):
            holds("error" in w.modern("prompts/get", {"name": name}, capabilities=ALL), name)
        equal(w.modern("prompts/get", {"name": "test_input_required_result_prompt"}, capabilities=ALL)["result"]["resultType"], "input_required")


@test
def a_form_without_and_with_other_schemas():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            seen = w.client("relay", "legacy", tools=["ref_form"])
            equal((seen["results"][0]["isError"], seen["asked"]), (True, []), revision)


@test
def a_key_may_be_empty():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        asked = call(w, "empty_key")["result"]
        equal(list(asked["inputRequests"]), [""])
        equal(text_of(call(w, "empty_key", inputResponses={"": {"action": "accept", "content": {"name": "Ada"}}}, requestState=asked["requestState"])["result"]), "Hello, Ada!")
        for era, transport in CLIENTS:
            seen = w.client("relay", era, transport, tools=["empty_key"])
            equal(text_of(seen["results"][0]), "Hello, Alice!", (era, transport))


@test
def a_state_is_that_of_its_own_tool():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        asked = call(w, "test_input_required_result_elicitation")["result"]
        answer = {"user_name": {"action": "accept", "content": {"name": "Ada"}}}
        for other in ("test_simple_text", "test_streaming_elicitation"):
            equal(call(w, other, inputResponses=answer, requestState=asked["requestState"])["error"]["code"], -32602, other)
        equal(text_of(call(w, "test_input_required_result_elicitation", inputResponses=answer, requestState=asked["requestState"])["result"]), "Hello, Ada!")


@test
def a_state_that_is_too_large():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        equal(call(w, "big_state")["result"]["isError"], True)


@test
def a_server_that_asks_without_end():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            seen = w.client("relay", "legacy", tools=["endless"])
            equal(seen["results"][0]["isError"], True)
            holds(len(seen["asked"]) <= 17, len(seen["asked"]))


@test
def a_question_that_no_event_can_hold():
    for revision in REVISIONS:
        with Fixture(at_address=True, protocol=revision) as w:
            seen = w.client("relay", "legacy", tools=["huge_sampling", "test_simple_text"])
            equal((seen["results"][0]["isError"], seen["asked"]), (True, []))
            equal(text_of(seen["results"][1]), "This is a simple text response for testing.")


@test
def responses_that_are_none():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        tool = "test_input_required_result_multiple_inputs"
        asked = call(w, tool)["result"]
        state = asked["requestState"]
        good = {"user_name": {"action": "accept", "content": {"name": "Bob"}}, "greeting": SAMPLED, "client_roots": {"roots": []}}
        for wrong in ({}, [], "x", {"greeting": SAMPLED}, {**good, "user_name": {"action": "accept"}}, {**good, "user_name": {"action": "accept", "content": {"name": 7}}},
                      {**good, "greeting": "text"}, {**good, "client_roots": {"roots": [{"uri": 7}]}}, {**good, "client_roots": None}):
            got = call(w, tool, inputResponses=wrong, requestState=state)
            equal(got["result"]["resultType"], "input_required", wrong)
            equal(got["result"]["requestState"], state)
        for tampered in (state.replace("keyed", "form"), state[:-1], "~".join(reversed(state.split("~"))), "x" * 5000, "~~~~~"):
            got = call(w, tool, inputResponses=good, requestState=tampered)
            holds("error" in got or got["result"]["resultType"] == "input_required", (tampered, got))
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        holds("error" in call(w, tool, inputResponses=good, requestState=state, token=other), "another principal")
        done = call(w, tool, inputResponses={**good, "more": {"x": 1}}, requestState=state)["result"]
        equal(text_of(done), "from their model Bob of 0")


@test
def an_answer_that_does_not_fit_ends_the_call_with_a_code():
    answers = ({"action": "accept", "content": {"username": 7}}, {"action": "accept"}, {"action": "perhaps"}, {}, {"action": "accept", "content": {"username": "u" * 700_000, "email": "e"}})
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        _, session = begin(w, ALL)
        _, stranger = begin(w, ALL)
        for wrong in answers:
            c, r = send(w, "POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "test_elicitation", "arguments": {"message": "x"}}}, session, stream=True)
            question = json.loads(next(line for line in r if line.startswith(b"data:"))[5:])
            status, _, body = send(w, "POST", {"jsonrpc": "2.0", "id": question["id"], "result": wrong}, session)
            body = json.loads(body)
            equal((status, body["error"]["code"], "id" in body), (400, -32602, False), str(wrong)[:100])
            holds(body["error"]["data"]["code"] in ("invalid_answer", "too_large"), body)
            done = json.loads([line for line in r if line.startswith(b"data:")][-1][5:])["result"]
            equal((done["isError"], done["structuredContent"]["error"]["code"]), (True, body["error"]["data"]["code"]), str(wrong)[:100])
            until("the end", lambda: publish_test.ended(w, sessions_of(w)[0]))
        c, r = send(w, "POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "test_elicitation", "arguments": {"message": "x"}}}, session, stream=True)
        question = json.loads(next(line for line in r if line.startswith(b"data:"))[5:])
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        equal(send(w, "POST", {"jsonrpc": "2.0", "id": question["id"], "result": answers[0]}, session, token=other)[0], 202, "of another: nothing happens")
        equal(publish_test.ended(w, sessions_of(w)[0]), [])
        c.close()
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        for era, transport in (("legacy", "http"), ("old", "http"), ("legacy", "stdio")):
            done = w.client("elicit", era, transport, tool="test_input_required_result_elicitation", content={"name": 7})["ran"]
            equal((done["isError"], done["structuredContent"]["error"]["code"]), (True, "invalid_answer"), (era, transport))


@test
def a_client_that_never_answers_and_goes():
    with Fixture(at_address=True, protocol="2025-11-25") as w:
        _, session = begin(w, ALL)
        c, r = send(w, "POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "test_sampling", "arguments": {"prompt": "x"}}}, session, stream=True)
        line = next(line for line in r if line.startswith(b"data:"))
        question = json.loads(line[5:])
        equal(question["method"], "sampling/createMessage")
        c.close()
        of = sessions_of(w)[0]
        pending = w.call("list_actions", sessionId=of)["actions"]
        equal(len(pending), 1, "the question stays for the client that comes back")
        send(w, "POST", {"jsonrpc": "2.0", "id": question["id"], "result": SAMPLED}, session)
        until("the end of the call", lambda: publish_test.ended(w, of))
        equal(publish_test.ended(w, of)[0]["payload"]["outcome"], "completed")
        send(w, "POST", {"jsonrpc": "2.0", "id": question["id"], "result": SAMPLED}, session)  # a second time: nothing happens
        equal(len(publish_test.ended(w, of)), 1)
        verify(w)


@test
def a_kill_while_the_client_is_asked():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        asked = call(w, "test_input_required_result_sampling")["result"]
        of = sessions_of(w)[0]
        w.daemon.kill()
        w.daemon.start()
        got = call(w, "test_input_required_result_sampling", inputResponses={"capital": SAMPLED}, requestState=asked["requestState"])
        equal(got["result"]["isError"], True, got)
        failed = [e for e in w.events(of) if e["type"] == "tool.failed"]
        equal([e["payload"]["category"] for e in failed], ["lost"])
        verify(w)


@test
def a_question_gives_no_right():
    with Fixture(at_address=True, protocol="2026-07-28", options=["permission.mode=default"]) as w:
        got = call(w, "test_input_required_result_sampling", inputResponses={"capital": SAMPLED})["result"]
        equal(got["isError"], True, "the call waits for an approval, whatever the client answers")
        holds("Waiting" in text_of(got), got)


@test
def many_clients_at_once():
    with Fixture(at_address=True, protocol="2026-07-28") as w:
        wrong = []

        def one():
            try:
                for _ in range(5):
                    asked = call(w, "test_input_required_result_sampling")["result"]
                    done = call(w, "test_input_required_result_sampling", inputResponses={"capital": SAMPLED}, requestState=asked["requestState"])["result"]
                    equal(text_of(done), "LLM response: from their model")
            except Exception as e:  # noqa: BLE001
                wrong.append(e)

        threads = [threading.Thread(target=one) for _ in range(12)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        if wrong:
            raise Wrong(wrong[0])
        verify(w)


if __name__ == "__main__":
    sys.exit(base.main())
