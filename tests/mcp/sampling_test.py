#!/usr/bin/env python3
"""Tool servers whose requests for answers of a model are answered by models of the runtime.  Prints TAP.

   sampling_test.py BUILD_DIR [WORD...]
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys

import tool_fixture
from tool_fixture import Wrong, last
from tap import Skip, long, play  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
REVISIONS = ("old", "modern")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24)).decode()
tests = []


def test(f):
    tests.append(f)
    return f


def says(words="Who are you?", **more):
    return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}], "maxTokens": 100, **more}


def script(calls, rules=(), model=None):
    """The agent calls what it is to call in its turns; what a tool server asks is answered by its words."""
    rules = [*rules,
             {"when": {"text": {"equals": "go"}, "request": 1}, "reply": {"toolCalls": calls}},
             {"when": {"text": {"equals": "go"}}, "reply": {"text": "done"}},
             {"when": {"text": "hang"}, "reply": {"text": "some words", "hang": {"afterPieces": 1}}},
             {"when": {"text": "short"}, "reply": {"text": "cut of", "stop": "max_tokens"}},
             {"when": {"text": "tools"}, "reply": {"text": "I call", "toolCalls": [{"name": "shell", "args": {"command": "id"}}]}},
             {"when": {"text": "fail"}, "reply": {"error": {"status": 400, "message": "The model is ill."}}}]
    rules = [r if "replies" in r or not r["reply"].get("toolCalls") or "request" in r["when"] else {**r, "when": {**r["when"], "request": {"min": 1}}} for r in rules]
    return json.dumps({"version": 1, "rules": rules, "default": {"text": "It is {{input}}"}, **(model or {})})


class Fixture(tool_fixture.Fixture):
    def __init__(self, revision="old", requests=(), sampling={"permission": "allow"}, options=(), calls=None, rules=(), model=None, project=None, **more):
        self.calls = calls if calls is not None else [{"name": "mcp__own__ask", "args": {"requests": list(requests), **more}}]
        self.rules, self.model = rules, model
        own = {"command": sys.executable, "args": [str(HERE / "sampling_server.py"), revision], "read": [str(HERE)], "timeout_ms": 20000}
        if sampling is not None:
            own["sampling"] = sampling
        super().__init__({"own": own}, (), options=["permission.mode=bypass", *options], project=project)
        self.status("own", "ready")

    def script_of(self, calls):
        return script(self.calls, self.rules, self.model)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def results(self, events):
        """What the server got, of each call."""
        return [json.loads(e["payload"]["displayPreview"]) for e in events if e["type"] == "tool.result"]

    def got(self, events=None):
        events = events or self.submit()
        return self.results([last(events, "tool.result")])[0]

    def asked(self):
        """The requests to models that were made for the server."""
        return [e for e in self.events() if e["type"] == "model.requested" and e["payload"].get("provenance") == "tool_server"]

    def wait(self, what, looks):
        return self.until(what, lambda: looks(self.events()))

    def has(self, kind, **payload):
        return [e for e in self.events() if e["type"] == kind and all(e["payload"].get(k) == v for k, v in payload.items())]

    def at_rest(self):
        """No child is open, no turn runs, and every decision is the same again."""
        self.wait("the children to close", lambda events: len([e for e in events if e["type"] == "subagent.spawned"]) == len([e for e in events if e["type"] == "subagent.closed"]))
        submitted = {e["turnId"] for e in self.has("turn.submitted")}
        ended = {e["turnId"] for e in self.has("turn.completed") + self.has("turn.failed")}
        assert submitted == ended, submitted - ended
        reply = self.call("replay_decisions", sessionId=self.session)
        assert reply["status"] == "same", reply

    def sent(self, request):
        """The messages of a request, with their whole texts."""
        messages = json.loads(self.output(request["refs"]["input"]))["messages"]
        return [(m["role"], self.output(m["ref"]) if "ref" in m else m["text"]) for m in messages]

    def thole(self, *words, may_fail=False):
        env = {**os.environ, "XDG_CONFIG_HOME": self.daemon.data + ".config", "COLUMNS": "100"}
        done = subprocess.run([f"{self.build}/thole", *words, "--data", self.daemon.data], capture_output=True, text=True, env=env, cwd=self.work, timeout=60)
        assert may_fail or done.returncode == 0, done
        return done.stdout + done.stderr

    def output(self, ref):
        return self.call("get_output", sessionId=self.session, outputRef=ref)["text"]


def answer_of(words, model="demo", stop="endTurn"):
    return {"result": {"role": "assistant", "content": {"type": "text", "text": words}, "model": model, "stopReason": stop}}


# ---- allowed

@test
def a_model_answers_and_everything_is_in_the_log():
    for revision in REVISIONS:
        with Fixture(revision, [says(systemPrompt="You are a parrot.")]) as w:
            assert w.got() == [answer_of("It is Who are you?")], revision
            request, = w.asked()
            child, = w.has("subagent.spawned")
            assert child["payload"]["role"] == "sampling" and child["payload"]["toolServer"] == "own" and child["payload"]["isolation"]["tools"] == [], child
            assert request["threadId"] == child["payload"]["childThreadId"] and request["payload"]["toolCount"] == 0 and request["payload"]["maxOutputTokens"] == 100, request
            submitted = next(e for e in w.events() if e["type"] == "turn.submitted" and e["turnId"] == request["turnId"])["payload"]
            assert submitted["kind"] == "sampling" and submitted["source"] == "tool_server", submitted
            call, = w.has("tool.started")
            assert submitted["options"]["sampling"]["toolCallId"] == call["toolCallId"], submitted
            resolved = next(e for e in w.events() if e["type"] == "context.resolved" and e["turnId"] == request["turnId"])["payload"]
            assert [s["ref"] for s in resolved["sources"]] == ["tool_server:own"], resolved
            assert w.sent(request) == [("system", "You are a parrot."), ("user", "Who are you?")], w.sent(request)
            assert any(e["threadId"] == request["threadId"] for e in w.has("cost.recorded"))
            w.at_rest()


@test
def messages_keep_their_roles_and_long_ones_their_words():
    words = "a long text " * 1000
    messages = [{"role": "user", "content": [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]},
                {"role": "assistant", "content": {"type": "text", "text": words}}, {"role": "user", "content": {"type": "text", "text": "third"}}]
    for revision in REVISIONS:
        with Fixture(revision, [{"messages": messages, "maxTokens": 50}]) as w:
            assert w.got() == [answer_of("It is third")]
            assert w.sent(w.asked()[0]) == [("user", "first\n\nsecond"), ("assistant", words), ("user", "third")]
            w.at_rest()


@test
def requests_do_not_see_each_other():
    for revision in REVISIONS:
        with Fixture(revision, [says(f"word {n}") for n in range(3)]) as w:
            assert w.got() == [answer_of(f"It is word {n}") for n in range(3)]
            assert len(w.has("subagent.spawned")) == 1
            for n, request in enumerate(w.asked()):
                assert w.sent(request) == [("user", f"word {n}")]
            w.at_rest()


@test
def stop_sequences_and_limits_end_an_answer():
    for revision in REVISIONS:
        with Fixture(revision, [says("a STOP b", stopSequences=["never", "STOP"]), says("short"), says("tools"), says(maxTokens=10 ** 9)]) as w:
            assert w.got() == [answer_of("It is a ", stop="stopSequence"), answer_of("cut of", stop="maxTokens"), answer_of("I call"), answer_of("It is Who are you?")], revision
            assert [r["payload"]["maxOutputTokens"] for r in w.asked()] == [100, 100, 100, 2000]
            assert not [e for e in w.has("tool.started") if e["payload"]["toolName"] == "shell"]
            w.at_rest()


@test
def a_model_of_the_settings_sees_images():
    models = {"models": [{"model": "demo"}, {"model": "eyes", "capabilities": ["vision"]}]}
    picture = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, {"type": "image", "data": PNG, "mimeType": "image/png"}]}]
    rules = [{"when": {"images": 1}, "reply": {"text": "a picture"}}]
    with Fixture("old", [{"messages": picture, "maxTokens": 50}], {"permission": "allow", "model": "eyes"}, rules=rules, model=models) as w:
        assert w.got() == [answer_of("a picture", "eyes")]
        w.at_rest()
    with Fixture("old", [{"messages": picture, "maxTokens": 50}], {"permission": "allow", "model": "demo"}, rules=rules, model=models) as w:
        assert w.got()[0]["error"]["code"] == -32603
        assert not w.asked()
        w.at_rest()


@test
def requests_that_come_together_are_answered_one_after_the_other():
    for revision in REVISIONS:
        with Fixture(revision, [says(f"word {n}") for n in range(5)], together=True) as w:
            assert w.got() == [answer_of(f"It is word {n}") for n in range(5)], revision
            w.at_rest()


@test
def two_calls_at_once_share_one_child():
    calls = [{"name": "mcp__own__ask", "args": {"requests": [says(f"call {n}")]}} for n in range(2)]
    with Fixture("modern", calls=calls) as w:
        assert sorted(r[0]["result"]["content"]["text"] for r in w.results(w.submit())) == ["It is call 0", "It is call 1"]
        assert len(w.has("subagent.spawned")) == 1
        w.at_rest()


@long
@test
def two_hundred_in_a_row():
    for revision in REVISIONS:
        with Fixture(revision, [says(f"word {n}", maxTokens=1) for n in range(200)], {"permission": "allow", "budget_usd": 10}) as w:
            w.submit(wait=False)
            w.wait("all answers", lambda events: any(e["type"] == "turn.completed" and e["turnId"] == w.turn for e in events))
            assert len(w.asked()) == 200 and len(w.has("subagent.spawned")) == 1
            w.at_rest()


@long
@test
def one_call_cannot_ask_without_end():
    with Fixture("old", [says("x", maxTokens=1)] * 260, {"permission": "allow", "budget_usd": 10}) as w:
        w.submit(wait=False)
        w.wait("all answers", lambda events: any(e["type"] == "turn.completed" and e["turnId"] == w.turn for e in events))
        assert len(w.asked()) == 256, len(w.asked())
        w.at_rest()


# ---- a person

@test
def a_person_sees_everything_and_allows_it():
    words = "secret plan " * 500
    for revision in REVISIONS:
        with Fixture(revision, [says(words, systemPrompt="Be brief.")], {"permission": "ask", "budget_usd": 0.05, "max_tokens": 64},
                     rules=[{"when": {"text": "secret plan"}, "reply": {"text": "noted"}}]) as w:
            asked = last(w.submit(), "action.required")
            p = asked["payload"]
            assert p["actionType"] == "sampling" and p["onExpiry"] == "deny" and "own" in p["prompt"] and "scripted/demo" in p["prompt"] and "$0.0500" in p["prompt"], p
            assert not w.asked(), "before it is allowed no model is asked"
            whole = json.loads(w.output(p["inputRef"]))
            assert whole["1 user"] == words and whole["system prompt"] == "Be brief." and whole["model"] == "scripted/demo" and whole["most tokens"] == 64, whole
            assert len(w.output(p["inputRef"])) == p["inputBytes"]
            assert w.got(w.allow()) == [answer_of("noted")]
            assert w.sent(w.asked()[0])[1] == ("user", words)
            w.at_rest()


@test
def each_request_is_asked_about():
    with Fixture("old", [says("one"), says("two")], {"permission": "ask"}) as w:
        w.submit()
        w.allow()
        assert w.action and len(w.has("action.required")) == 2 and len(w.asked()) == 1
        assert w.got(w.allow()) == [answer_of("It is one"), answer_of("It is two")]
        w.at_rest()


@test
def a_refusal_is_an_error_of_its_own():
    with Fixture("old", [says()], {"permission": "ask"}) as w:
        w.submit()
        w.call("respond_action", sessionId=w.session, actionId=w.action, decision="deny")
        error, = w.got(w.settle())
        assert error["error"]["code"] == -1 and "did not allow" in error["error"]["message"], error
        assert not w.asked()
        w.at_rest()
    with Fixture("modern", [says()], {"permission": "ask"}) as w:
        w.submit()
        w.call("respond_action", sessionId=w.session, actionId=w.action, decision="deny")
        assert "did not allow" in last(w.settle(), "tool.failed")["statusReason"]
        w.at_rest()


@test
def no_answer_is_no_consent():
    with Fixture("old", [says()], {"permission": "ask"}, options=["action.question_timeout_s=1"]) as w:
        w.submit(wait=False)
        events = w.wait("the end", lambda events: any(e["type"] == "turn.completed" and e["turnId"] == w.turn for e in events) and events)
        error, = w.got(events)
        assert error["error"]["code"] == -32603 and "in time" in error["error"]["message"], error
        assert last(events, "action.resolved")["payload"]["decision"] == "deny" and not w.asked()
        w.at_rest()


@test
def a_run_without_a_person_refuses():
    with Fixture("old", [says()], {"permission": "ask"}, options=["permission.interactive=false"]) as w:
        error, = w.got()
        assert "no person" in error["error"]["message"], error
        assert not w.has("action.required") and not w.asked()


@test
def a_withdrawn_request_needs_no_answer():
    with Fixture("old", [says()], {"permission": "ask"}, withdraw=0.5) as w:
        w.submit(wait=False)
        events = w.wait("the end", lambda events: any(e["type"] == "turn.completed" and e["turnId"] == w.turn for e in events) and events)
        assert last(events, "action.resolved")["status"] == "cancelled"
        w.at_rest()
    with Fixture("old", [says("hang")], withdraw=1.5) as w:
        w.submit(wait=False)
        w.wait("the end", lambda events: any(e["type"] == "turn.completed" and e["turnId"] == w.turn for e in events))
        assert len(w.asked()) == 1
        w.at_rest()


# ---- off

@test
def without_the_setting_it_is_not_offered():
    for revision in REVISIONS:
        with Fixture(revision, sampling=None, calls=[{"name": "mcp__own__can", "args": {}}]) as w:
            assert "sampling" not in w.got(), revision
        with Fixture(revision, calls=[{"name": "mcp__own__can", "args": {}}]) as w:
            assert w.got()["sampling"] == {}, revision
    with Fixture("old", [says()], sampling=None) as w:
        assert w.got()[0]["error"]["code"] == -32601
        assert "sampling" not in w.servers()["own"] and not w.asked()
    with Fixture("modern", [says()], sampling=None) as w:
        assert "does not support" in last(w.submit(), "tool.failed")["statusReason"]


@test
def only_the_users_settings_lend_a_model():
    entry = {"command": sys.executable, "args": [str(HERE / "sampling_server.py"), "old"], "sampling": {"permission": "allow"}}
    with Fixture("old", [], sampling=None, project=json.dumps({"mcpServers": {"theirs": entry, "address": {"url": "https://tools.example/mcp", "sampling": {"permission": "allow"}}}})) as w:
        w.submit()
        for name in ("theirs", "address"):
            row = w.servers()[name]
            assert row["status"] == "unsupported" and "your own settings only" in row["detail"] and "sampling" not in row, row
        code, reply = w.http.call("attach_tool_servers", {"sessionId": w.session, "servers": {"mine": entry}})
        assert code and "own settings only" in json.dumps(reply), reply


@test
def the_settings_are_shown_and_checked():
    with Fixture("old", [], {"permission": "ask", "budget_usd": 0.25, "max_tokens": 500, "model": "demo"}) as w:
        assert w.servers()["own"]["sampling"] == {"permission": "ask", "budgetUsd": 0.25, "maxTokens": 500, "model": "demo"}, w.servers()
    for wrong, words in ((True, "is an object"), ({}, "permission"), ({"permission": "yes"}, "ask or allow"), ({"permission": "ask", "budget_usd": 0}, "above 0"),
                         ({"permission": "ask", "budget_usd": 5000}, "at most"), ({"permission": "ask", "max_tokens": 0}, "from 1 to"), ({"permission": "ask", "tools": 1}, "sampling has")):
        try:
            Fixture("old", [], wrong).close()
        except Wrong as e:
            assert words in str(e), (wrong, str(e)[-500:])
        else:
            raise Wrong(f"{wrong} was taken")


@test
def the_command_line_shows_all_of_it():
    words = "line one\nline two\n" + "and more " * 400 + "the end"
    with Fixture("old", [says(words)], {"permission": "ask", "model": "demo"}) as w:
        w.submit()
        shown = w.thole("approvals")
        assert "line two" in shown and "the end" in shown and "server: own" in shown and "most it may cost: $0.1000" in shown, shown
        assert "you are asked each time; up to $0.10 a turn, 2000 tokens an answer, demo" in w.thole("mcp", "show", "own")
        assert "may ask models" in w.thole("doctor", "--online", may_fail=True)
        w.thole("approve", w.action)
        w.settle()
        assert len(w.asked()) == 1


@test
def a_call_without_a_turn_of_a_model_names_who_would_answer():
    """Such a turn has no model of its own: routing finds one, and the question says which."""
    models = {"models": [{"provider": "alpha", "model": "cheap", "price": {"inputPerMTok": 1, "outputPerMTok": 2}},
                         {"provider": "beta", "model": "gold", "price": {"inputPerMTok": 150, "outputPerMTok": 600}}]}
    with Fixture("old", sampling={"permission": "ask", "budget_usd": 5}, options=["model=beta/gold"], model=models) as w:
        asked = w.thole("call", "mcp__own__ask", json.dumps({"requests": [says()]}), may_fail=True)
        assert "to ask beta/gold?" in " ".join(asked.split()), asked
        shown = w.thole("approvals")
        assert "to ask beta/gold?" in " ".join(shown.split()) and "default model" not in shown, shown
        row, = w.call("list_actions", status="pending")["actions"]
        w.session = row["sessionId"]
        assert '"model":"beta/gold"' in w.output(row["inputRef"]).replace(": ", ":"), w.output(row["inputRef"])
        w.thole("approve", row["actionId"])
        end = w.wait("the end of the call", lambda events: [e for e in events if e["type"] == "turn.completed" and e["turnId"] == row["turnId"]])[0]
        assert [e["payload"]["model"] for e in w.asked()] == ["gold"], w.asked()
        spent = sum(e["payload"]["amountUsd"] for e in w.has("cost.recorded") if e["threadId"] == w.asked()[0]["threadId"])
        assert spent > 0 and end["payload"]["childrenUsd"] == spent, (spent, end)


@test
def the_closing_line_counts_what_servers_spent():
    price = {"models": [{"provider": "alpha", "model": "cheap", "price": {"inputPerMTok": 1000, "outputPerMTok": 1000}}]}
    with Fixture("old", model=price, sampling={"permission": "allow", "budget_usd": 5}) as w:
        told = " ".join(w.thole("call", "mcp__own__ask", json.dumps({"requests": [says()]})).split())
        assert "by child agents and tool servers" in told, told


# ---- published servers

@test
def the_client_of_a_published_server_answers_if_it_can():
    publish = ["mcp.serve=true", 'mcp.publish={"servers":["own"]}']
    for revision in REVISIONS:
        with Fixture(revision, options=publish) as w:
            def call(client):
                reply = w.call("submit_turn", input="call", call={"tool": "mcp__own__ask", "arguments": {"requests": [says()]}, "client": client})
                w.session, w.turn = reply["sessionId"], reply["turnId"]
                return w.settle()
            assert w.got(call({"elicitation": True})) == [answer_of("It is Who are you?")], revision
            w.at_rest()
            asked = last(call({"sampling": True}), "action.required")["payload"]
            assert [r["method"] for r in asked["inputRequests"].values()] == ["sampling/createMessage"], asked
            assert not w.asked(), "the client's own model answers"


# ---- the budget

@test
def a_server_spends_its_share_and_no_more():
    # An answer may cost 100 tokens at 15 dollars a million, and its input at 3.
    with Fixture("old", [says(f"{n}") for n in range(6)], {"permission": "allow", "budget_usd": 0.004}, rules=[{"when": {"text": {"regex": "^[0-9]$"}}, "reply": {"text": "x", "usage": {"input": 100, "output": 50}}}]) as w:
        got = w.got()
        assert "result" in got[0] and "error" in got[-1], got
        spent = sum(e["payload"]["amountUsd"] for e in w.has("cost.recorded") if e["threadId"] == w.asked()[0]["threadId"])
        assert 0 < spent <= 0.004, spent
        assert got[-1]["error"]["code"] == -32603 and "budget" in got[-1]["error"]["message"], got[-1]
        w.at_rest()


@test
def the_cap_of_the_turn_counts_it():
    # 10000 tokens may cost 0.15 dollars; 9000 cost 0.135.
    with Fixture("old", [says(word, maxTokens=10000) for word in "ab"], {"permission": "allow", "budget_usd": 5, "max_tokens": 10000}, options=["budget.turn_usd=0.25"],
                 model={"maxOutputTokens": 10000}, rules=[{"when": {"text": {"regex": "^[ab]$"}}, "reply": {"text": "x", "usage": {"input": 100, "output": 9000}}}]) as w:
        events = w.submit()
        got = w.got(events)
        assert "result" in got[0] and "budget" in got[1]["error"]["message"], got
        blocked = last(events, "quota.blocked")
        assert blocked["payload"]["scope"] == "turn", "the agent has no more left than the server has"
        w.at_rest()
    with Fixture("old", [says(word, maxTokens=10000) for word in "ab"], {"permission": "allow", "budget_usd": 5, "max_tokens": 10000}, options=["budget.task_usd=0.25"],
                 model={"maxOutputTokens": 10000}, rules=[{"when": {"text": {"regex": "^[ab]$"}}, "reply": {"text": "x", "usage": {"input": 100, "output": 9000}}}]) as w:
        events = w.submit()
        got = w.got(events)
        assert "result" in got[0] and "budget" in got[1]["error"]["message"], got
        assert last(events, "quota.blocked")["payload"]["scope"] == "task", events
        w.at_rest()


@test
def a_request_above_the_budget_is_refused_before_a_person_is_asked():
    # 10000 tokens may cost 0.15 dollars; 9000 cost 0.135.
    for share, options in ((0.25, []), (5, ["budget.turn_usd=0.25"]), (5, ["budget.task_usd=0.25"])):
        with Fixture("old", [says(word, maxTokens=10000) for word in "ab"], {"permission": "ask", "budget_usd": share, "max_tokens": 10000}, options=options,
                     model={"maxOutputTokens": 10000}, rules=[{"when": {"text": {"regex": "^[ab]$"}}, "reply": {"text": "x", "usage": {"input": 100, "output": 9000}}}]) as w:
            w.submit()
            got = w.got(w.allow())
            assert "result" in got[0] and got[1]["error"]["code"] == -32603 and "budget" in got[1]["error"]["message"] and "up to $0.15" in got[1]["error"]["message"], got
            assert len(w.has("action.required", actionType="sampling")) == 1 and len(w.asked()) == 1, "no person was asked about the second"
            w.at_rest()


@test
def a_model_without_a_price_has_no_cap_to_keep():
    with Fixture("old", [says()], model={"price": "unknown"}) as w:
        error, = w.got()
        assert "price" in error["error"]["message"] and not w.asked(), error
        w.at_rest()


# ---- trouble

@test
def a_failing_model_is_an_error():
    with Fixture("old", [says("fail"), says("well")]) as w:
        got = w.got()
        assert got[0]["error"]["code"] == -32603 and "ill" in got[0]["error"]["message"] and got[1] == answer_of("It is well"), got
        w.at_rest()
    with Fixture("old", [says()], {"permission": "allow", "model": "nowhere/none"}) as w:
        assert w.got()[0]["error"]["code"] == -32603 and not w.asked()
        w.at_rest()


@test
def an_interrupt_ends_it():
    for revision in REVISIONS:
        with Fixture(revision, [says("hang")]) as w:
            w.submit(wait=False)
            w.until("the request", w.asked)
            w.call("interrupt_turn", sessionId=w.session, turnId=w.turn)
            w.wait("the end", lambda events: any(e["type"] == "turn.failed" and e["turnId"] == w.turn for e in events))
            w.at_rest()


@test
def a_call_that_ends_first_ends_its_request():
    with Fixture("old", [says("hang")], together=True, quit=True) as w:
        assert w.got() == "quit"
        w.at_rest()


@test
def after_a_crash_nothing_runs_on():
    for resume in ("ask", "auto"):
        with Fixture("old", [says("hang")], options=[f"recovery.resume={resume}"]) as w:
            w.submit(wait=False)
            w.until("the request", w.asked)
            asked = w.asked()[0]
            w.restart()
            w.wait("the child to end", lambda events: any(e["type"] == "turn.failed" and e["turnId"] == asked["turnId"] for e in events))
            assert [e["status"] for e in w.has("tool.failed")] == ["lost"], w.has("tool.failed")
            if resume == "ask":
                w.call("interrupt_turn", sessionId=w.session, turnId=w.turn)
            w.wait("the end", lambda events: any(e["type"] in ("turn.failed", "turn.completed") and e["turnId"] == w.turn for e in events))
            assert len(w.asked()) == 1
            w.at_rest()
    with Fixture("old", [says()], {"permission": "ask"}) as w:
        w.submit()
        w.restart()
        w.wait("the question to end", lambda events: any(e["type"] == "action.resolved" for e in events))
        w.call("interrupt_turn", sessionId=w.session, turnId=w.turn)
        w.wait("the end", lambda events: any(e["type"] == "turn.failed" and e["turnId"] == w.turn for e in events))
        assert not w.asked()


@test
def hostile_requests_are_refused():
    bad = [{}, {"messages": []}, {"messages": "x"}, says(tools=[{"name": "x", "inputSchema": {}}]), says(toolChoice={"mode": "auto"}), says(maxTokens=0), says(maxTokens=-5),
           says(maxTokens="many"), says(systemPrompt=7), says(stopSequences=[""]), says(stopSequences=["x"] * 17), says("x" * 300000),
           {"messages": [{"role": "system", "content": {"type": "text", "text": "x"}}]}, {"messages": [{"role": "assistant", "content": {"type": "text", "text": "x"}}]},
           {"messages": [{"role": "user", "content": {"type": "audio", "data": "", "mimeType": "audio/wav"}}]}, {"messages": [{"role": "user", "content": {"type": "tool_result", "toolUseId": "x", "content": []}}]},
           {"messages": [{"role": "user", "content": {"type": "image", "data": "eA==", "mimeType": "image/svg+xml"}}]}, {"messages": [{"role": "user", "content": 7}]}, {"messages": [7]},
           {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}] * 200}]}]
    with Fixture("old", [*bad, says("well")]) as w:
        got = w.got()
        assert [g["error"]["code"] for g in got[:-1]] == [-32602] * len(bad), got
        assert got[-1] == answer_of("It is well") and len(w.asked()) == 1
        w.at_rest()
    with Fixture("modern", [bad[3]]) as w:
        assert "no tools" in last(w.submit(), "tool.failed")["statusReason"]
    broken = [{"role": "user", "content": {"type": "image", "data": "eA==", "mimeType": "image/png"}}]
    with Fixture("old", [{"messages": broken, "maxTokens": 5}]) as w:
        assert "not base64" in w.got()[0]["error"]["message"]
        w.at_rest()


@test
def the_model_of_the_agent_does_not_meet_the_child():
    calls = [{"name": "mcp__own__ask", "args": {"requests": [says()]}}, {"name": "list_agents", "args": {}}]
    with Fixture("old", calls=calls) as w:
        events = w.submit()
        listed = next(e for e in events if e["type"] == "tool.result" and e["payload"]["displayPreview"].startswith("["))
        assert w.results(events)[-1] == [] or listed["payload"]["displayPreview"] == "[]"
        child = w.has("subagent.spawned")[0]["subagentId"]
        code, reply = w.http.call("send_subagent_input", {"sessionId": w.session, "subagentId": child, "input": "hello"})
        assert code in ("invalid_value", "already_ended"), reply


# ---- the official SDK

@test
def a_server_on_the_official_sdk():
    if not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").exists() or not shutil.which("node"):
        raise Skip("npm has not fetched the SDK into tests/mcp")
    own = {"command": shutil.which("node"), "args": [str(HERE / "offer_server.mjs")], "read": [str(HERE)], "timeout_ms": 20000, "sampling": {"permission": "allow"}}

    class Sdk(tool_fixture.Fixture):
        def script_of(self, calls):
            return script([{"name": "mcp__own__sample", "args": {"prompt": "Say it"}}])

    w = Sdk({"own": own}, (), options=["permission.mode=bypass"])
    try:
        w.status("own", "ready")
        got = json.loads(last(w.submit(), "tool.result")["payload"]["displayPreview"])
        assert got == {"role": "assistant", "content": {"type": "text", "text": "It is Say it"}, "model": "demo", "stopReason": "endTurn"}, got
    finally:
        w.close()


def main():
    tool_fixture.Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    return play(tests, sys.argv[2:], "sampling: ")


if __name__ == "__main__":
    sys.exit(main())
