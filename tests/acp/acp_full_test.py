#!/usr/bin/env python3
"""`thole acp` with the real tools: sessions, tool servers of the editor, changes of files, questions, unsaved text.

usage: acp_full_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every message of every test is checked against the official schema, where that is present.
"""
import functools
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

from acp_fixture import DEADLINE_S, HERE, World, Wrong, text_of, until, updates
from acp_schema import Schema, missing
from tap import Skip, long, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
schema = None if missing() else Schema()
SERVER = (HERE.parent / "mcp" / "server.py").read_text()
tests = []

CALLS = {
    "write": [("write_file", {"path": "a.txt", "content": "one\ntwo\nthree\n"})],
    "edit": [("edit_file", {"path": "a.txt", "oldText": "two", "newText": "2"})],
    "patch": [("apply_patch", {"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-2\n+zwei\n three\n"})],
    "grow": [("shell", {"command": "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last"})],
    "look": [("read_file", {"path": "a.txt"})],
    "peek": [("read_file", {"path": "secret.txt"})],
    "pixel": [("read_file", {"path": "dot.png"})],
    "todo": [("update_todo", {"items": [{"text": "first", "status": "in_progress"}]})],
    "which": [("ask_user", {"question": "Which one?", "options": ["red", "blue"]})],
    "handle": [("ask_user", {"question": "What name?"})],
    "deep": [("ask_user", {"question": "How?", "schema": {"type": "object", "properties": {"a": {"type": "object"}}}})],
    "echo": [("mcp__My-echo__echo", {"text": "hello there"})],
    "web": [("mcp__web__echo", {"text": "over the wire"})],
}
SCRIPT = {
    "version": 1,
    "rules": [{"when": {"text": word, "request": 1}, "reply": {"toolCalls": [{"name": n, "args": a} for n, a in calls]}}
              for word, calls in CALLS.items()] +
             [{"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}}],
    "default": {"text": "said: {{toolResult}}"},
}
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


def test(f):
    def run():
        with World(["tools.enabled=true", *getattr(f, "options", ())], getattr(f, "script", SCRIPT)) as w:
            f(w)
            for e in w.editors:
                faults = schema.faults(e.lines) if schema else []
                if faults:
                    raise Wrong("\n".join(faults[:8]))
    functools.update_wrapper(run, f)
    tests.append(run)
    return f


def options(*words):
    def mark(f):
        f.options = words
        return f
    return mark


def types(events):
    return [e["type"] for e in events]


def allow_all(w, session):
    w.call("set_mode", sessionId=session, mode="bypass")


def calls_of(messages):
    return [u for u in updates(messages) if u["sessionUpdate"] in ("tool_call", "tool_call_update")]


def contents(messages, kind):
    return [c for u in calls_of(messages) for c in u.get("content") or [] if c["type"] == kind]


def play_prompt(e, text):
    """The messages of a whole prompt."""
    e.take()
    assert e.result(e.prompt(text)) == {"stopReason": "end_turn"}
    return e.take()


# ---- sessions ------------------------------------------------------------------------------------

@test
def close_cancels_the_editors_own_work_and_another_editors_turn_continues(w):
    a, b = w.editor(), w.editor()
    session = a.new()
    prompt = a.prompt("slow")
    until("the model request", lambda: "model.requested" in types(w.events(session)))
    b.load(session)
    assert b.result(b.begin("session/close", {"sessionId": session})) == {}
    assert "turn.failed" not in types(w.events(session)), "closing in one editor stopped the turn of the other"
    close = a.begin("session/close", {"sessionId": session})
    assert a.result(prompt) == {"stopReason": "cancelled"}
    assert a.result(close) == {}
    until("the editors leave", lambda: types(w.events(session)).count("channel.disconnected") == 2)
    assert a.error(a.begin("session/close", {"sessionId": session}))["code"] == -32002
    assert a.error(a.prompt("hello"))["code"] == -32002
    assert a.load(session)[0] is not None
    play_prompt(a, "hello")
    assert "channel.resumed" in types(w.events(session))


@test
def delete_removes_the_session_and_is_silent_about_a_missing_one(w):
    e = w.editor()
    kept = e.new()
    session = e.new()
    play_prompt(e, "hello")
    assert e.result(e.begin("session/delete", {"sessionId": session})) == {}
    assert e.result(e.begin("session/delete", {"sessionId": session})) == {}
    assert e.result(e.begin("session/delete", {"sessionId": "sess_never"})) == {}
    listed = e.result(e.begin("session/list", {}))["sessions"]
    assert [s["sessionId"] for s in listed] == [kept], listed
    assert e.error(e.begin("session/load", {"sessionId": session, "cwd": str(w.work), "mcpServers": []}))["code"] == -32002
    # One that runs is cancelled first.
    session = e.new()
    prompt = e.prompt("slow")
    until("the model request", lambda: "model.requested" in types(w.events(session)))
    gone = e.begin("session/delete", {"sessionId": session})
    assert e.result(prompt) == {"stopReason": "cancelled"} and e.result(gone) == {}


@test
@long
def thousands_of_sessions_are_listed_in_pages_and_by_directory(w):
    other = w.dir / "other"
    other.mkdir()
    first = w.call("create_session", cwd=str(other))["sessionId"]
    made = {w.call("create_session", cwd=str(w.work), title=f"number {i}")["sessionId"] for i in range(2000)}
    e = w.editor()
    e.initialize()
    seen, cursor, pages = [], None, 0
    while True:
        page = e.result(e.begin("session/list", {"cwd": str(w.work), **({"cursor": cursor} if cursor else {})}))
        seen += page["sessions"]
        pages += 1
        cursor = page.get("nextCursor")
        if not cursor:
            break
    assert {s["sessionId"] for s in seen} == made and len(seen) == len(made) and pages > 1, (len(seen), pages)
    assert all(s["cwd"] == str(w.work) and s["title"].startswith("number") for s in seen)
    found = e.result(e.begin("session/list", {"cwd": str(other)}))["sessions"]
    assert [s["sessionId"] for s in found] == [first], "the oldest session of another directory is not found"
    for wrong in ({"cursor": "no cursor"}, {"cwd": "relative"}, {"cwd": 5}, {"cursor": ["x"]}):
        assert e.error(e.begin("session/list", wrong, is_wrong=True))["code"] == -32602, wrong


@test
def load_replays_everything_before_the_reply_and_resume_nothing(w):
    a = w.editor()
    session = a.new()
    long = "x" * 70_000 + " end"
    a.result(a.begin("session/prompt", {"sessionId": session, "prompt": [
        {"type": "text", "text": long}, {"type": "resource_link", "uri": "file:///tmp/notes.md", "name": "notes"},
        {"type": "resource", "resource": {"uri": "file:///tmp/b.txt", "text": "embedded words"}}]}))
    allow_all(w, session)
    for word in ("write", "edit", "hello"):
        play_prompt(a, word)
    b = w.editor()
    _, before = b.load(session)
    users = [u["content"] for u in updates(before) if u["sessionUpdate"] == "user_message_chunk"]
    assert users[0] == {"type": "text", "text": long}, "a long message was cut"
    assert [c.get("uri") for c in users[1:3]] == ["file:///tmp/notes.md", "file:///tmp/b.txt"], users[1:3]
    assert [c["text"] for c in users[3:]] == ["write", "edit", "hello"], users[3:]
    kinds = [u["sessionUpdate"] for u in updates(before)]
    assert kinds.index("user_message_chunk") < kinds.index("tool_call"), kinds
    assert len(contents(before, "diff")) >= 2, calls_of(before)
    c = w.editor()
    _, before = c.load(session, how="resume")
    assert not updates(before), updates(before)[:3]
    assert text_of(play_prompt(c, "hello")).startswith("said:")
    # The other editor sees what this one does.
    b.until("the other editor's message", lambda m: "hello" in text_of([m], "user_message_chunk"))


@test
def a_dead_editor_leaves_the_turn_running_and_another_one_takes_it_over(w):
    a = w.editor()
    session = a.new()
    allow_all(w, session)
    a.prompt("grow")
    a.update("tool_call", lambda u: u["kind"] == "execute")
    a.process.kill()
    b = w.editor()
    _, before = b.load(session)
    assert any(u["sessionUpdate"] == "tool_call" for u in updates(before))
    (w.work / "go").touch()
    b.until("the end of the command", lambda m: any(u.get("status") == "completed" for u in calls_of([m])))
    b.until("the answer", lambda m: "last" in text_of([m]))


# ---- tool calls ----------------------------------------------------------------------------------

@test
def every_change_of_a_file_is_a_diff(w):
    e = w.editor()
    session = e.new()
    allow_all(w, session)
    path = str(w.work / "a.txt")
    messages = play_prompt(e, "write")
    started = [u for u in calls_of(messages) if u["sessionUpdate"] == "tool_call"][0]
    assert started["kind"] == "edit" and started["locations"] == [{"path": path}], started
    assert contents(messages, "diff")[-1] == {"type": "diff", "path": path, "newText": "one\ntwo\nthree\n"}, contents(messages, "diff")
    messages = play_prompt(e, "edit")
    assert contents(messages, "diff")[0] == {"type": "diff", "path": path, "oldText": "two", "newText": "2"}
    assert contents(messages, "diff")[-1] == {"type": "diff", "path": path, "oldText": "one\ntwo\nthree\n", "newText": "one\n2\nthree\n"}
    messages = play_prompt(e, "patch")
    started = [u for u in calls_of(messages) if u["sessionUpdate"] == "tool_call"][0]
    assert started["locations"] == [{"path": path}], started
    assert [d["newText"] for d in contents(messages, "diff")] == ["one\nzwei\nthree\n"] * 2, contents(messages, "diff")
    messages = play_prompt(e, "write")
    assert contents(messages, "diff")[-1]["oldText"] == "one\nzwei\nthree\n", contents(messages, "diff")


@test
def output_is_shown_as_it_grows(w):
    e = w.editor()
    session = e.new()
    allow_all(w, session)
    id = e.prompt("grow")
    shown = e.until("the first line", lambda m: any("first" in c["content"].get("text", "") for c in contents([m], "content")))
    assert calls_of([shown])[0]["status"] == "in_progress", shown
    assert not any("last" in c["content"]["text"] for c in contents(e.inbox, "content"))
    (w.work / "go").touch()
    assert e.result(id) == {"stopReason": "end_turn"}
    ends = [u for u in calls_of(e.take()) if u.get("status") == "completed"]
    assert ends[-1]["content"][0]["content"]["text"] == "first\nlast\n", ends


@test
def an_image_of_a_tool_is_an_image(w):
    import base64
    (w.work / "dot.png").write_bytes(base64.b64decode(PIXEL))
    e = w.editor()
    session = e.new()
    allow_all(w, session)
    messages = play_prompt(e, "pixel")
    images = [c["content"] for c in contents(messages, "content") if c["content"]["type"] == "image"]
    assert images == [{"type": "image", "mimeType": "image/png", "data": PIXEL}], calls_of(messages)


@test
def the_plan_has_the_todo_list_and_the_tasks(w):
    e = w.editor()
    session = e.new()
    play_prompt(e, "todo")
    task = w.call("create_task", sessionId=session, objective="write the manual")["taskId"]
    plan = e.update("plan", lambda u: len(u["entries"]) == 2)
    assert [(x["content"], x["status"]) for x in plan["entries"]] == [("first", "in_progress"), ("write the manual", "pending")], plan
    w.call("cancel_task", sessionId=session, taskId=task)
    e.until("the plan without the task", lambda m: m is not None and [x["content"] for u in updates([m]) if u["sessionUpdate"] == "plan"
                                                                     for x in u["entries"]] == ["first"] and m is e.inbox[-1])


@test
def usage_has_context_and_cost(w):
    e = w.editor()
    e.new()
    messages = play_prompt(e, "hello")
    usage = [u for u in updates(messages) if u["sessionUpdate"] == "usage_update"]
    assert usage[-1]["size"] > 0 and usage[-1]["used"] > 0 and usage[-1]["cost"]["currency"] == "USD", usage
    cost = usage[-1]["cost"]["amount"]
    assert cost > 0
    more = [u for u in updates(play_prompt(e, "again")) if u["sessionUpdate"] == "usage_update"]
    assert more[-1]["cost"]["amount"] > cost, (cost, more)


@test
def a_compaction_is_shown_to_an_editor_that_declared_it(w):
    a, b = w.editor(capabilities={"session": {"compaction": {}}}), w.editor()
    session = a.new()
    for word in ("one", "two", "three"):
        play_prompt(a, word)
    b.load(session)
    w.call("compact_thread", sessionId=session)
    done = a.update("compaction_update", lambda u: u["status"] in ("completed", "failed"))
    begun = a.update("compaction_update", lambda u: u["status"] == "in_progress")
    assert done["compactionId"] == begun["compactionId"], (begun, done)
    play_prompt(b, "hello")
    assert "compaction" not in json.dumps(b.lines)


# ---- questions -----------------------------------------------------------------------------------

FORMS = {"elicitation": {"form": {}}}


@test
def a_typed_question_is_a_form(w):
    e = w.editor(capabilities=FORMS)
    session = e.new()
    id = e.prompt("which")
    asked = e.requested("elicitation/create")
    assert asked["params"]["mode"] == "form" and asked["params"]["message"] == "Which one?", asked
    assert asked["params"]["requestedSchema"]["properties"]["answer"]["enum"] == ["red", "blue"], asked
    e.reply(asked, {"action": "accept", "content": {"answer": "blue"}})
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "blue" in text_of(e.take())
    id = e.prompt("handle")
    e.reply(e.requested("elicitation/create"), {"action": "decline"})
    assert e.result(id) == {"stopReason": "end_turn"}
    resolved = [x for x in w.events(session) if x["type"] == "action.resolved"]
    assert [x["payload"]["decision"] for x in resolved] == ["answer", "decline"], resolved


@test
def a_choice_is_asked_as_a_permission_and_a_text_elsewhere(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("which")
    asked = e.asked()
    assert [o["name"] for o in asked["params"]["options"]] == ["red", "blue", "Do not answer"], asked
    e.choose(asked, "answer_1")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "blue" in text_of(e.take())
    for word in ("handle", "deep"):
        id = e.prompt(word)
        e.until("how to answer", lambda m: any("thole approve" in c["content"]["text"] for c in contents([m], "content")))
        w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="decline")
        assert e.result(id) == {"stopReason": "end_turn"}
        e.take()


@test
def a_form_is_withdrawn_when_another_client_answers_and_a_wrong_answer_decides_nothing(w):
    e = w.editor(capabilities=FORMS)
    session = e.new()
    id = e.prompt("which")
    asked = e.requested("elicitation/create")
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="answer", payload={"answer": "red"})
    e.withdrawn(asked["id"])
    assert e.result(id) == {"stopReason": "end_turn"}
    for answer in ({"action": "accept", "content": {"answer": "green"}}, {"action": "accept", "content": None},
                   {"action": "cancel"}, {"action": "fly"}, {"outcome": {"outcome": "selected", "optionId": "answer_0"}}, "x"):
        id = e.prompt("which")
        asked = e.requested("elicitation/create")
        e.send({"id": asked["id"], "result": answer}, is_wrong=True)
        e.until("how to answer", lambda m: any("thole approve" in c["content"]["text"] for c in contents([m], "content")))
        w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="answer", payload={"answer": "red"})
        assert e.result(id) == {"stopReason": "end_turn"}
        e.take()
    e.lines.clear()  # wrong answers are wrong for the schema too


# ---- options -------------------------------------------------------------------------------------

@test
def a_change_in_another_client_reaches_the_editor_and_the_other_way_round(w):
    e = w.editor()
    session = e.new()
    w.call("set_mode", sessionId=session, mode="plan")
    assert e.update("current_mode_update")["currentModeId"] == "plan"
    shown = e.update("config_option_update")["configOptions"]
    assert [o["currentValue"] for o in shown if o["id"] == "mode"] == ["plan"], shown
    e.take()
    model = [o for o in shown if o["id"] == "model"][0]["options"][0]["value"]
    w.call("update_session", sessionId=session, model=model)
    e.update("config_option_update")
    reply = e.result(e.begin("session/set_config_option", {"sessionId": session, "configId": "mode", "value": "default"}))
    assert [o["currentValue"] for o in reply["configOptions"] if o["id"] == "mode"] == ["default"], reply
    assert [s["permissionMode"] for s in w.call("list_sessions")["sessions"]] == ["default"]
    e.take()
    w.call("update_session", sessionId=session, title="another name")
    assert e.update("session_info_update")["title"] == "another name"


# ---- effort and images ---------------------------------------------------------------------------

THINKING = {**SCRIPT, "models": [{"provider": "scripted", "model": "thinker", "capabilities": ["tool_use", "reasoning", "vision"], "efforts": "low high"},
                                 {"provider": "scripted", "model": "plain", "capabilities": ["tool_use"]}]}


def thinking(f):
    f.script = THINKING
    return test(f)


def option(of, name):
    found = [o for o in of["configOptions"] if o["id"] == name]
    return (found[0]["currentValue"], [v["value"] for v in found[0]["options"]]) if found else None


def efforts(w, session):
    return [e["payload"].get("options", {}).get("effort") for e in w.events(session) if e["type"] == "turn.submitted"]


@thinking
def effort_is_an_option_that_changes_in_both_directions(w):
    e = w.editor()
    e.initialize()
    opened = e.result(e.begin("session/new", {"cwd": str(w.work), "mcpServers": []}))
    session = e.session = opened["sessionId"]
    # The models may arrive after the session.
    shown = opened if "configOptions" in opened else e.update("config_option_update")
    assert option(shown, "effort") == ("default", ["default", "low", "high"]), shown
    # From the editor to the turn.
    reply = e.result(e.begin("session/set_config_option", {"sessionId": session, "configId": "effort", "value": "high"}))
    assert option(reply, "effort")[0] == "high", reply
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    assert efforts(w, session) == ["high"], efforts(w, session)
    # From another client to the editor, and to its next prompt.
    e.take()
    w.call("submit_turn", sessionId=session, input="hello", effort="low")
    assert option(e.update("config_option_update"), "effort")[0] == "low"
    until("the end of that turn", lambda: len([x for x in w.events(session) if x["type"] == "turn.completed"]) == 2)
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    assert efforts(w, session) == ["high", "low", "low"], efforts(w, session)
    # A session that is opened again has the effort of its last prompt.
    other = w.editor()
    loaded, _ = other.load(session)
    shown = loaded if "configOptions" in loaded else other.update("config_option_update")
    assert option(shown, "effort")[0] == "low", shown
    # A model without efforts has no such option, and a word that the model does not have is refused.
    assert e.error(e.begin("session/set_config_option", {"sessionId": session, "configId": "effort", "value": "max"}))["code"] == -32602
    reply = e.result(e.begin("session/set_config_option", {"sessionId": session, "configId": "model", "value": "scripted/plain"}))
    assert option(reply, "effort") is None, reply


@thinking
def images_of_a_prompt_reach_the_model_and_the_next_editor(w):
    e = w.editor()
    assert e.initialize()["agentCapabilities"]["promptCapabilities"]["image"] is True
    session = e.session = e.result(e.begin("session/new", {"cwd": str(w.work), "mcpServers": []}))["sessionId"]
    image = {"type": "image", "mimeType": "image/png", "data": PIXEL}
    reply = e.result(e.begin("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "hello"}, image]}))
    assert reply["stopReason"] == "end_turn", reply
    turn = [x for x in w.events(session) if x["type"] == "turn.submitted"][0]
    part = [p for p in turn["payload"]["input"] if p["type"] == "image"][0]
    stored = w.call("get_output", outputRef=part["ref"], sessionId=session)
    assert stored["base64"] == PIXEL, stored
    _, past = w.editor().load(session)
    shown = [u["content"] for u in updates(past) if u["sessionUpdate"] == "user_message_chunk"]
    assert image in [{k: c[k] for k in image if k in c} for c in shown], shown
    for wrong in ({"type": "image", "mimeType": "image/png", "data": "???"}, {"type": "image", "mimeType": "text/html", "data": PIXEL}, {"type": "image", "data": PIXEL}):
        assert e.error(e.begin("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "x"}, wrong]}, is_wrong=True))["code"] == -32602, wrong
    assert len([x for x in w.events(session) if x["type"] == "turn.submitted"]) == 1


# ---- signing in ----------------------------------------------------------------------------------

@test
def signing_in_and_out(w):
    e = w.editor(capabilities={"auth": {"terminal": True}})
    methods = e.initialize()["authMethods"]
    assert [m["id"] for m in methods] == ["thole-keys", "thole-setup"] and methods[1]["args"] == ["--setup"], methods
    session = e.new()
    assert e.result(e.begin("authenticate", {"methodId": "thole-keys"})) == {}
    assert e.error(e.begin("authenticate", {"methodId": "thole-setup"}))["code"] == -32602
    assert e.result(e.begin("logout", {})) == {}
    assert e.error(e.prompt("hello"))["code"] == -32000
    assert e.error(e.begin("session/new", {"cwd": str(w.work), "mcpServers": []}))["code"] == -32000
    assert e.error(e.begin("session/load", {"sessionId": session, "cwd": str(w.work), "mcpServers": []}))["code"] == -32000
    assert e.result(e.begin("session/list", {}))["sessions"]
    assert e.result(e.begin("authenticate", {"methodId": "thole-keys"})) == {}
    play_prompt(e, "hello")
    other = w.editor()
    assert [m["id"] for m in other.initialize()["authMethods"]] == ["thole-keys"]


# ---- tool servers of the editor ------------------------------------------------------------------

def own_server(w, kind="plain", **more):
    (w.work / "server.py").write_text(SERVER)
    return {"name": "My echo", "command": "/usr/bin/python3", "args": [str(w.work / "server.py"), kind], "env": [], **more}


def servers_of(w, session):
    return {s["name"]: s for s in w.call("list_tool_servers")["servers"] if s.get("sessionId") == session}


@test
def a_server_of_the_editor_has_its_tools_in_this_session_only(w):
    e = w.editor()
    session = e.new([own_server(w)])
    id = e.prompt("echo")
    question = e.asked()  # as every tool of a server
    e.choose(question, "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "hello there" in text_of(e.take())
    events = w.events(session)
    named = [x for x in events if x["type"] == "policy.changed" and x["payload"]["change"] == "trust_recorded"]
    assert named[0]["payload"]["ruleRefs"] == ["mcp:My-echo /usr/bin/python3"], named
    row = servers_of(w, session)["My-echo"]
    assert row["source"] == "client" and row["status"] == "ready" and row["toolCount"] > 0, row
    other = w.editor()
    other.new()
    assert "hello there" not in text_of(play_prompt(other, "echo"))
    # Closed: the server ends.  Loaded: it is there again.
    assert e.result(e.begin("session/close", {"sessionId": session})) == {}
    until("the end of the server", lambda: not servers_of(w, session))
    e.load(session, [own_server(w)])
    id = e.prompt("echo")
    e.choose(e.asked(), "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    # Loaded without servers, there are none.
    e.load(session)
    until("the end of the server", lambda: not servers_of(w, session))


@test
def a_server_of_the_editor_survives_a_kill_of_the_daemon_and_ends_with_the_editor(w):
    e = w.editor()
    # A program that gets a secret may not lie where the agent writes.
    session = e.new([own_server(w), {**own_server(w, env=[{"name": "TOKEN", "value": "s3cr3t-value-of-mine"}]), "name": "writable"}])
    play_prompt(e, "hello")
    until("the refusal", lambda: "which the agent can write" in servers_of(w, session)["writable"].get("detail", ""))
    w.daemon.kill()
    w.start()
    id = e.prompt("echo")
    e.choose(e.asked(), "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "hello there" in text_of(e.take())
    assert "s3cr3t" not in json.dumps(w.events(session)) + json.dumps(w.call("list_tool_servers")), "a value of env is in the log"


def http_echo():
    """A tool server with an address, as small as possible."""
    class Handler(http.server.BaseHTTPRequestHandler):
        seen = []

        def log_message(self, *a):
            pass

        def do_GET(self):
            self.send_error(405)

        def do_POST(self):
            m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            Handler.seen.append((m.get("method"), self.headers.get("X-Key")))
            method = m.get("method")
            if method == "initialize":
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}
            elif method == "tools/list":
                result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
            elif method == "tools/call":
                result = {"content": [{"type": "text", "text": m["params"]["arguments"]["text"]}]}
            elif "id" not in m:
                self.send_response(202)
                self.end_headers()
                return
            else:
                result = None
            body = {"jsonrpc": "2.0", "id": m["id"]}
            body.update({"result": result} if result is not None else {"error": {"code": -32601, "message": "no"}})
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, Handler.seen


@test
@options('peers.allow_hosts=["127.0.0.1:*"]')
def a_server_with_an_address_is_used(w):
    server, seen = http_echo()
    e = w.editor()
    e.new([{"type": "http", "name": "web", "url": f"http://127.0.0.1:{server.server_port}/mcp", "headers": [{"name": "X-Key", "value": "${HOME}"}]}])
    id = e.prompt("web")
    e.choose(e.asked(), "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "over the wire" in text_of(e.take())
    assert all(key == "${HOME}" for _, key in seen), "a variable was expanded for an editor"
    server.shutdown()


@test
def a_private_address_is_not_reached_and_what_is_not_used_is_told(w):
    server, seen = http_echo()
    e = w.editor(capabilities={"session": {"notices": {}}})
    session = e.new([{"type": "http", "name": "web", "url": f"http://127.0.0.1:{server.server_port}/mcp", "headers": []},
                     {"type": "sse", "name": "old", "url": "https://example.org/sse", "headers": []}])
    notice = e.update("notice", lambda u: "old" in u["title"])
    assert "neither stdio nor http" in notice["title"], notice
    play_prompt(e, "hello")
    assert not seen, "an address of this machine was reached"
    assert servers_of(w, session)["web"]["status"] != "ready"
    server.shutdown()


@test
def wrong_servers_are_refused_and_hostile_names_are_plain(w):
    e = w.editor()
    e.initialize()
    good = own_server(w)
    for wrong in ([{"name": "x"}], [{"name": 5, "command": "a", "args": [], "env": []}], [{**good, "args": "no list"}], [{**good, "env": {"A": "b"}}],
                  [{**good, "env": [{"name": "A"}]}], [{**good, "args": [1]}], [{"type": "ws", "name": "a", "url": "ws://x"}], ["x"], [None],
                  [good] * 33, [{"type": "http", "name": "a", "headers": []}]):
        error = e.error(e.begin("session/new", {"cwd": str(w.work), "mcpServers": wrong}, is_wrong=True))
        assert error["code"] == -32602, (wrong, error)
    names = ["a__b", "../../x", "\n\r\0", "x" * 200, "ä ö", "a b", "a-b", "", "mcp__a"]
    session = e.new([{**good, "name": n} for n in names])
    shown = servers_of(w, session)
    assert len(shown) == len(names) and all(n.replace("-", "").replace("_", "").isalnum() and len(n) <= 32 for n in shown), sorted(shown)


# ---- unsaved text --------------------------------------------------------------------------------

READS = {"fs": {"readTextFile": True}}


@test
def a_file_with_unsaved_text_is_read_through_the_editor(w):
    (w.work / "a.txt").write_text("on disk\n")
    e = w.editor(capabilities=READS)
    e.new()
    id = e.prompt("look")
    asked = e.requested("fs/read_text_file")
    assert asked["params"]["path"] == str(w.work / "a.txt"), asked
    e.reply(asked, {"content": "not saved yet\n"})
    assert e.result(id) == {"stopReason": "end_turn"}
    said = text_of(e.take())
    assert said.startswith("said: not saved yet\n[this is the text in the user's editor"), said
    # The same text as on disk is no unsaved text; an error is the text on disk.
    id = e.prompt("look")
    e.reply(e.requested("fs/read_text_file"), {"content": "on disk\n"})
    assert e.result(id) == {"stopReason": "end_turn"}
    assert text_of(e.take()) == "said: on disk\n"
    id = e.prompt("look")
    e.send({"id": e.requested("fs/read_text_file")["id"], "error": {"code": -32603, "message": "no such buffer"}})
    assert e.result(id) == {"stopReason": "end_turn"}
    assert text_of(e.take()) == "said: on disk\n"


@test
def an_editor_that_does_not_answer_delays_one_call_only(w):
    (w.work / "a.txt").write_text("on disk\n")
    e = w.editor(capabilities=READS)
    e.new()
    for _ in range(3):
        assert "on disk" in text_of(play_prompt(e, "look"))
    # Cancelled while it waits.
    b = w.editor(capabilities=READS)
    session = b.new()
    id = b.prompt("look")
    b.requested("fs/read_text_file")
    b.notify("session/cancel", {"sessionId": session})
    assert b.result(id) == {"stopReason": "cancelled"}


@test
def an_editor_without_the_capability_is_never_asked(w):
    (w.work / "a.txt").write_text("on disk\n")
    e = w.editor(capabilities={"fs": {"readTextFile": False, "writeTextFile": True}, "terminal": True})
    session = e.new()
    allow_all(w, session)
    for word in ("look", "edit", "write", "hello"):
        play_prompt(e, word)
    assert not any(method in json.dumps(e.lines) for method in ('"fs/', '"terminal/', '"elicitation/')), "a method was called that is not declared"


@test
def the_editor_opens_no_file_that_the_rules_or_the_sandbox_deny(w):
    (w.work / "secret.txt").write_text("top secret\n")
    e = w.editor(capabilities=READS)
    e.new()
    os.remove(w.work / "secret.txt")
    os.symlink("/etc/shadow", w.work / "secret.txt")
    id = e.prompt("peek")
    e.choose(e.asked(), "reject_once")  # it leads out of the workspace
    assert e.result(id) == {"stopReason": "end_turn"}
    id = e.prompt("peek")
    e.choose(e.asked(), "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert "text from outside" not in text_of(e.take())
    assert sum("fs/read_text_file" in line for _, line in e.lines) <= 1, "the editor was asked about a file that was denied"


# ---- the official client -------------------------------------------------------------------------

@test
def the_official_client_uses_everything(w):
    if not shutil.which("node") or not (HERE / "node_modules/@agentclientprotocol/sdk").is_dir():
        raise Skip("npm ci was not run in tests/acp")
    (w.work / "a.txt").write_text("on disk\n")
    wire = w.dir / "wire"
    steps = [["new", [own_server(w)]], ["prompt", "which", {"answer": "blue"}], ["prompt", "look"], ["prompt", "echo", "allow_once"], ["resume"], ["prompt", "hello"],
             ["logout"], ["authenticate", "thole-keys"], ["close"], ["load", [own_server(w)]], ["prompt", "echo", "allow_once"], ["list"], ["delete"], ["list"]]
    done = subprocess.run(["node", str(HERE / "editor.mjs"), json.dumps(steps), str(w.work), "python3", str(HERE / "tee.py"), str(wire),
                           os.path.join(w.build, "thole"), "acp", "--data", w.data], capture_output=True, text=True, timeout=4 * DEADLINE_S,
                          env={**os.environ, "XDG_CONFIG_HOME": w.data + ".config", "EDITOR_TEXT": "in the editor\n",
                               "EDITOR_CAN": json.dumps({**READS, **FORMS})})
    assert done.returncode == 0, done.stdout[-800:] + done.stderr[-800:]
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    which, look, echo, resume, hello, logout, login, close, load, echo2, listed, deleted, empty = seen
    assert which["asked"] == ["Which one?"] and "blue" in which["text"], which
    assert look["asked"] == [str(w.work / "a.txt")] and "in the editor" in look["text"], look
    assert echo["calls"] == echo2["calls"] == ["completed"] and "hello there" in echo["text"], (echo, echo2)
    assert resume["text"] == "" and "in the editor" in load["text"], (resume, load)
    assert hello["result"] == {"stopReason": "end_turn"} and logout["result"] == login["result"] == close["result"] == deleted["result"] == {}, seen
    assert len(listed["result"]["sessions"]) == 1 and not empty["result"]["sessions"], (listed, empty)
    lines = [(x["from"] == "editor", x["line"]) for x in map(json.loads, wire.read_text().splitlines())]
    faults = schema.faults(lines) if schema else []
    assert not faults, "\n".join(faults[:8])


# ---- bad input -----------------------------------------------------------------------------------

@test
def hostile_lines_get_errors_and_change_nothing(w):
    e = w.editor()
    session = e.new()
    before = len(w.events(session))
    deep = "[" * 5000 + "]" * 5000
    for line in ('{"jsonrpc":"2.0","id":"a\\nb","method":"session/fly","params":{}}', '{"jsonrpc":"2.0","id":1e999,"method":"x"}',
                 '{"jsonrpc":"2.0","id":9,"method":"session/list","params":' + deep + '}', '{"jsonrpc":"2.0","id":{},"method":"x"}',
                 '{"jsonrpc":"2.0","method":5,"id":3}', '{"jsonrpc":"1.0","id":3,"method":"initialize"}', "\x00\x01", "null", "5", '"x"',
                 '{"jsonrpc":"2.0","id":77,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}'):
        e.raw(line)
    for i in range(3000):
        e.raw(json.dumps({"jsonrpc": "2.0", "id": f"flood {i}", "method": "_flood/x", "params": {"n": i}}))
    last = e.answer("flood 2999")
    assert last["error"]["code"] == -32601, last
    for method in ("session/close", "session/delete", "session/load", "session/prompt", "session/set_mode"):
        for bad in ("a\nb", "../x", "sess_\u0000", "x" * 5000, 5, None, {"a": 1}):
            params = {"sessionId": bad, "cwd": str(w.work), "mcpServers": [], "prompt": [{"type": "text", "text": "x"}], "modeId": "plan"}
            e.answer(e.begin(method, params, is_wrong=True))
    e.take()
    assert len(w.events(session)) == before
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    e.lines.clear()


@test
def a_foreign_session_looks_missing(w):
    mine = w.call("create_session", cwd=str(w.work))["sessionId"]
    e = w.editor()
    e.initialize()
    assert e.error(e.begin("session/prompt", {"sessionId": mine, "prompt": [{"type": "text", "text": "x"}]}))["code"] == -32002
    missing_one = e.error(e.begin("session/load", {"sessionId": "sess_missing", "cwd": str(w.work), "mcpServers": []}))
    assert missing_one["code"] == -32002, missing_one


@test
def an_editor_may_die_in_every_phase(w):
    (w.work / "a.txt").write_text("on disk\n")
    for phase in ("raw", "initialize", "new", "prompt", "question", "file", "load"):
        e = w.editor(capabilities={**READS, **FORMS})
        if phase == "raw":
            e.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"meth')
            e.process.stdin.flush()
        else:
            e.initialize()
        if phase not in ("raw", "initialize"):
            session = e.new([own_server(w)])
        if phase == "prompt":
            e.prompt("hello")
        elif phase == "question":
            e.prompt("which")
            e.requested("elicitation/create")
        elif phase == "file":
            e.prompt("look")
            e.requested("fs/read_text_file")
        elif phase == "load":
            e.begin("session/load", {"sessionId": session, "cwd": str(w.work), "mcpServers": []})
        e.process.send_signal(signal.SIGKILL)
        e.process.wait(DEADLINE_S)
    e = w.editor()
    e.new()
    play_prompt(e, "hello")
    # No call waits for an editor that is gone, and its servers have ended.
    until("the end of the read", lambda: all("tool.result" in types(w.events(s["sessionId"])) for s in w.call("list_sessions")["sessions"]
                                             if any(x["type"] == "tool.started" and x["payload"]["toolName"] == "read_file" for x in w.events(s["sessionId"]))))


@test
def sessions_that_are_opened_and_closed_leave_nothing(w):
    e = w.editor()
    e.initialize()
    for _ in range(200):
        session = e.new()
        assert e.result(e.begin("session/close", {"sessionId": session})) == {}
        e.take()
    until("the end of its streams", lambda: len(os.listdir(f"/proc/{e.process.pid}/fd")) < 20 and len(os.listdir(f"/proc/{e.process.pid}/task")) < 8)
    for _ in range(32):
        e.new()
    assert e.error(e.begin("session/new", {"cwd": str(w.work), "mcpServers": []}))["code"] == -32600


if not schema:
    print(f"# SKIP the schema: {missing()}")
sys.exit(play(tests, sys.argv[2:]))
