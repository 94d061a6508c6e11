#!/usr/bin/env python3
"""`thole acp`: editors on the daemon, by the Agent Client Protocol.

usage: acp_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every message of every test is checked against the official schema, where that is present.  The official client
(npm ci in this folder, which tests/acp/run does) plays a whole conversation.
"""
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from acp_fixture import DEADLINE_S, HERE, World, Wrong, text_of, until, updates
from acp_schema import Schema, missing
from tap import Skip, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
schema = None if missing() else Schema()
tests = []


def test(f):
    def run():
        with World() as w:
            f(w)
            for e in w.editors:
                faults = schema.faults(e.lines) if schema else []
                if faults:
                    raise Wrong("\n".join(faults[:8]))
    functools.update_wrapper(run, f)
    tests.append(run)
    return f


def types(events):
    return [e["type"] for e in events]


def one(events, kind):
    found = [e for e in events if e["type"] == kind]
    assert len(found) == 1, f"{len(found)} {kind} in {types(events)}"
    return found[0]


def ended(w, session):
    return until("the end of the turn", lambda: [e for e in w.events(session) if e["type"] in ("turn.completed", "turn.failed")])


# ---- the ordinary way ----------------------------------------------------------------------------

@test
def a_prompt_streams_and_ends(w):
    e = w.editor()
    hello = e.initialize()
    assert hello["protocolVersion"] == 1 and hello["agentInfo"]["name"] == "thole", hello
    session = e.new()
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    messages = e.take()
    assert text_of(messages) == "answer to hello", messages
    assert "session_info_update" in [u["sessionUpdate"] for u in updates(messages)]
    assert text_of(messages, "user_message_chunk") == ""


@test
def the_editor_is_a_channel_and_the_turn_names_it(w):
    e = w.editor()
    session = e.new()
    e.result(e.prompt("hello"))
    events = w.events(session)
    connected = one(events, "channel.connected")
    channel = connected["channel"]
    assert (channel["transport"], channel["peerRole"], channel["nativeProtocol"]) == ("stdio", "client", "acp"), channel
    assert channel["capabilities"] == ["permissions"], channel
    submitted = one(events, "turn.submitted")
    assert submitted["payload"]["source"] == "acp" and submitted["channelId"] == channel["channelId"], submitted
    listed = [c for c in w.call("list_channels", sessionId=session)["channels"] if c["channelId"] == channel["channelId"]]
    assert listed and listed[0]["nativeProtocol"] == "acp", listed
    # The cursor: what the editor has read.
    until("the acknowledgement", lambda: w.call("list_channels", sessionId=session)["channels"][0].get("lastAckedSequence", 0) > 5)
    e.close()
    gone = until("channel.disconnected", lambda: [x for x in w.events(session) if x["type"] == "channel.disconnected"])
    assert gone[0]["payload"]["cause"] == "closed", gone


@test
def an_approval_given_in_the_editor_is_the_decision(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    call = question["params"]["toolCall"]["toolCallId"]
    assert {o["kind"] for o in question["params"]["options"]} == {"allow_once", "allow_always", "reject_once"}, question
    started = [u for u in updates(e.inbox) if u["sessionUpdate"] == "tool_call"]
    assert started and started[0]["toolCallId"] == call and started[0]["status"] == "pending", started
    e.choose(question, "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    messages = e.take()
    ends = [u for u in updates(messages) if u["sessionUpdate"] == "tool_call_update" and u.get("status") == "completed"]
    assert ends and ends[0]["content"][0]["content"]["text"] == "published", updates(messages)
    assert text_of(messages, "agent_thought_chunk") == "I should ask.", messages
    assert text_of(messages).endswith("The tool said: published"), messages
    events = w.events(session)
    forwarded, returned = one(events, "channel.permission_forwarded"), one(events, "channel.permission_returned")
    assert forwarded["channelId"] == returned["channelId"] == one(events, "channel.connected")["channelId"]
    assert returned["payload"]["decision"] == "allow", returned
    assert types(events).index("channel.permission_forwarded") < types(events).index("channel.permission_returned")


@test
def a_rejected_call_does_not_run(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    e.choose(e.asked(), "reject_once")
    e.result(id)
    failed = [u for u in updates(e.take()) if u["sessionUpdate"] == "tool_call_update" and u.get("status") == "failed"]
    assert failed, "the call has no end"
    assert one(w.events(session), "action.resolved")["payload"]["decision"] == "deny"
    assert "tool.result" not in types(w.events(session))


@test
def an_approval_given_elsewhere_is_withdrawn_in_the_editor(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="allow")
    e.withdrawn(question["id"])
    assert e.result(id) == {"stopReason": "end_turn"}
    e.choose(question, "reject_once")  # too late: the log has decided
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    resolved = one(w.events(session), "action.resolved")["payload"]
    assert resolved["decision"] == "allow" and resolved["decidedBy"]["via"] == "http", resolved


@test
def an_answer_that_comes_twice_decides_once(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    e.choose(question, "allow_once")
    e.choose(question, "reject_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert one(w.events(session), "action.resolved")["payload"]["decision"] == "allow"


@test
def an_editor_that_cannot_ask_leaves_the_decision_to_others(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    e.send({"id": question["id"], "error": {"code": -32601, "message": "Method not found"}})
    e.until("a note", lambda m: "thole approve" in json.dumps(m))
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="deny")
    e.result(id)


@test
def a_question_with_a_typed_answer_says_where_to_answer(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("which")
    e.until("a note", lambda m: "Which one?" in json.dumps(m) and "--answer" in json.dumps(m))
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="answer", payload={"answer": "this"})
    assert e.result(id) == {"stopReason": "end_turn"}


@test
def a_cancelled_prompt_ends_as_cancelled_and_nothing_follows(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("slow")
    until("the model request", lambda: "model.requested" in types(w.events(session)))
    e.notify("session/cancel", {"sessionId": session})
    assert e.result(id) == {"stopReason": "cancelled"}
    e.take()
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    assert one(w.events(session), "turn.failed")["payload"]["outcome"] == "cancelled"


@test
def cancelling_while_an_approval_waits_withdraws_it(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    e.notify("session/cancel", {"sessionId": session})
    e.send({"id": question["id"], "result": {"outcome": {"outcome": "cancelled"}}})
    assert e.result(id) == {"stopReason": "cancelled"}
    assert "tool.result" not in types(w.events(session))


@test
def a_prompt_behind_the_turn_of_another_client_can_be_cancelled(w):
    e = w.editor()
    session = e.new()
    other = w.call("submit_turn", sessionId=session, input="slow")
    e.until("the other client's message", lambda m: text_of([m], "user_message_chunk") == "slow")
    id = e.prompt("hello")
    until("the queue", lambda: w.call("list_queue", sessionId=session)["queuedTurns"])
    e.notify("session/cancel", {"sessionId": session})
    assert e.result(id) == {"stopReason": "cancelled"}
    w.call("interrupt_turn", sessionId=session, turnId=other["turnId"])


@test
def a_todo_list_is_a_plan(w):
    e = w.editor()
    e.new()
    e.result(e.prompt("plan"))
    plans = [u for u in updates(e.take()) if u["sessionUpdate"] == "plan"]
    assert plans and [x["status"] for x in plans[0]["entries"]] == ["completed", "pending"], plans


@test
def a_failed_turn_is_an_error_with_its_reason(w):
    e = w.editor()
    e.new()
    error = e.error(e.prompt("broken"))
    assert error["code"] == -32000 and error["data"]["category"] == "auth", error  # auth_required
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}


# ---- sessions ------------------------------------------------------------------------------------

@test
def another_editor_loads_the_session_with_its_history(w):
    first = w.editor()
    session = first.new()
    first.result(first.prompt("hello"))
    first.close()
    second = w.editor()
    second.initialize()
    listed = second.result(second.begin("session/list", {"cwd": str(w.work)}))["sessions"]
    assert [(s["sessionId"], s["title"]) for s in listed] == [(session, "hello")], listed
    second.take()
    opened = second.result(second.begin("session/load", {"sessionId": session, "cwd": str(w.work), "mcpServers": []}))
    assert opened["modes"]["currentModeId"] == "default", opened
    past = second.take()
    assert text_of(past, "user_message_chunk") == "hello" and text_of(past) == "answer to hello", past
    second.session = session
    assert second.result(second.prompt("again")) == {"stopReason": "end_turn"}
    assert text_of(second.take()) == "answer to again"
    assert len({x["channelId"] for x in w.events(session) if x["type"] == "channel.connected"}) == 2


@test
def resume_replays_nothing_and_asks_what_is_pending(w):
    first = w.editor()
    session = first.new()
    first.prompt("publish")
    first.asked()
    first.close()
    second = w.editor()
    second.initialize()
    second.result(second.begin("session/resume", {"sessionId": session, "cwd": str(w.work)}))
    question = second.asked()
    assert not updates(second.take())
    second.choose(question, "allow_once")
    assert ended(w, session)[0]["type"] == "turn.completed"


@test
def two_editors_see_the_same_session_and_one_decides(w):
    first, second = w.editor(), w.editor()
    session = first.new()
    second.initialize()
    second.result(second.begin("session/load", {"sessionId": session, "cwd": str(w.work), "mcpServers": []}))
    id = first.prompt("publish")
    asked_first, asked_second = first.asked(), second.asked()
    second.choose(asked_second, "allow_once")
    first.withdrawn(asked_first["id"])
    assert first.result(id) == {"stopReason": "end_turn"}
    second.until("the end", lambda m: text_of([m]) and "published" in text_of([m]))
    assert text_of(second.take(), "user_message_chunk") == "publish"


@test
def modes_change_in_both_directions(w):
    e = w.editor()
    session = e.new()
    e.result(e.begin("session/set_mode", {"sessionId": session, "modeId": "plan"}))
    e.until("the mode", lambda m: updates([m]) and updates([m])[0].get("currentModeId") == "plan")
    w.call("set_mode", sessionId=session, mode="on_request")
    e.until("the mode", lambda m: updates([m]) and updates([m])[0].get("currentModeId") == "on_request")
    assert e.error(e.begin("session/set_mode", {"sessionId": session, "modeId": "fly"}))["code"] == -32602


@test
def options_change_in_both_directions(w):
    e = w.editor()
    e.initialize()
    opened = e.result(e.begin("session/new", {"cwd": str(w.work), "mcpServers": []}))
    session = e.session = opened["sessionId"]
    # The models may arrive after the session.
    listed = opened if "configOptions" in opened else updates([e.until("the options", lambda m: "configOptions" in json.dumps(m))])[0]
    found = {o["id"]: o for o in listed["configOptions"]}
    assert found["model"]["currentValue"] == found["model"]["options"][0]["value"], found
    changed = e.result(e.begin("session/set_config_option", {"sessionId": session, "configId": "mode", "value": "plan"}))
    assert {o["id"]: o["currentValue"] for o in changed["configOptions"]}["mode"] == "plan", changed
    w.call("set_mode", sessionId=session, mode="default")
    e.until("the options", lambda m: updates([m]) and updates([m])[0]["sessionUpdate"] == "config_option_update"
            and updates([m])[0]["configOptions"][0]["currentValue"] == "default")
    model = found["model"]["currentValue"]
    e.result(e.begin("session/set_config_option", {"sessionId": session, "configId": "model", "value": model}))
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}
    assert e.error(e.begin("session/set_config_option", {"sessionId": session, "configId": "x", "value": "y"}))["code"] == -32602


@test
def a_slash_command_is_offered_and_runs(w):
    file = pathlib.Path(w.data + ".config/thole/commands/greet.md")
    file.parent.mkdir(parents=True)
    file.write_text("---\ndescription: Greets a person.\nargument-hint: name\n---\nSay hello to $ARGUMENTS.\n")
    e = w.editor()
    e.new()
    offered = e.until("the commands", lambda m: updates([m]) and updates([m])[0]["sessionUpdate"] == "available_commands_update")
    assert updates([offered])[0]["availableCommands"] == [
        {"name": "greet", "description": "Greets a person.", "input": {"hint": "name"}}], offered
    assert e.result(e.prompt("/greet Ada")) == {"stopReason": "end_turn"}
    assert text_of(e.take()).strip() == "answer to Say hello to Ada."


@test
def a_prompt_of_a_tool_server_is_a_slash_command(w):
    folder = pathlib.Path(__file__).resolve().parent.parent / "mcp"
    if not (folder / "node_modules" / "@modelcontextprotocol" / "sdk").exists():
        return  # tests/mcp/run says so
    servers = {"own": {"command": shutil.which("node"), "args": [str(folder / "offer_server.mjs")], "read": [str(folder)]}}
    with World([f"mcp.servers={json.dumps(servers)}"]) as own:
        until("the prompt", lambda: "own:review" in json.dumps(own.call("list_extensions", kind="command")))
        e = own.editor()
        e.new()
        offered = e.until("the commands", lambda m: updates([m]) and updates([m])[0]["sessionUpdate"] == "available_commands_update")
        names = {c["name"]: c for c in updates([offered])[0]["availableCommands"]}
        assert names["own:review"] == {"name": "own:review", "description": "Reviews a file", "input": {"hint": "<file> [tone]"}}, names
        assert e.result(e.prompt("/own:review a.c kind")) == {"stopReason": "end_turn"}
        assert text_of(e.take()).strip().startswith("answer to Review a.c in a kind tone."), "the text of the prompt"
        assert e.error(e.prompt("/own:review"))["message"], "a missing argument"


@test
def a_session_that_another_client_deletes_is_closed(w):
    e = w.editor()
    session = e.new()
    e.result(e.prompt("hello"))
    w.call("delete_session", sessionId=session)
    until("the refusal", lambda: e.error(e.prompt("hello"))["code"] == -32002)
    e.new()
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}


# ---- death ---------------------------------------------------------------------------------------

@test
def the_turn_continues_when_the_editor_ends(w):
    e = w.editor()
    session = e.new()
    e.prompt("publish")
    e.asked()
    e.process.stdin.close()
    assert e.process.wait(DEADLINE_S) == 0
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="allow")
    assert ended(w, session)[0]["type"] == "turn.completed"


@test
def the_turn_continues_when_the_editor_is_killed(w):
    e = w.editor()
    session = e.new()
    e.prompt("publish")
    e.asked()
    e.process.send_signal(signal.SIGKILL)
    e.process.wait(DEADLINE_S)
    until("channel.disconnected", lambda: "channel.disconnected" in types(w.events(session)))
    w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="allow")
    assert ended(w, session)[0]["type"] == "turn.completed"


@test
def a_prompt_is_answered_although_the_daemon_was_killed(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("publish")
    question = e.asked()
    w.daemon.kill()
    w.start()
    e.choose(question, "allow_once")
    assert e.result(id) == {"stopReason": "end_turn"}
    events = w.events(session)
    assert types(events).count("turn.submitted") == types(events).count("turn.completed") == 1, types(events)
    connected, resumed = one(events, "channel.connected"), [x for x in events if x["type"] == "channel.resumed"]
    assert resumed and resumed[0]["channelId"] == connected["channelId"], "the channel did not come back"
    assert text_of(e.take()).count("The tool said: published") == 1


@test
def work_that_a_kill_interrupted_continues_when_the_user_says_so(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("slow")
    until("the model request", lambda: "model.requested" in types(w.events(session)))
    w.daemon.kill()
    w.daemon.script = w.daemon.script.replace("600000", "0")
    w.start()
    question = e.asked()
    assert "interrupted" in question["params"]["toolCall"]["title"], question
    e.choose(question, "continue")
    assert e.result(id) == {"stopReason": "end_turn"}
    assert types(w.events(session)).count("turn.submitted") == 1


# ---- bad input -----------------------------------------------------------------------------------

@test
def bad_messages_get_the_right_error_and_change_nothing(w):
    e = w.editor()
    session = e.new()
    before = len(w.events(session))
    e.raw("this is no JSON")
    assert e.answer(None)["error"]["code"] == -32700
    e.raw("[]")
    assert e.answer(None)["error"]["code"] == -32600
    wrong = [
        ("session/prompt", {"sessionId": "sess_unknown", "prompt": [{"type": "text", "text": "x"}]}, -32002),
        ("session/prompt", {"sessionId": session, "prompt": []}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "x"}, {"type": "somethingNew", "data": "x"}]}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "x"}, {"text": "x"}]}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": 7}]}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": [{"type": "resource", "resource": {"uri": "file:///x", "video": "x"}}]}, -32602),
        ("session/prompt", {"sessionId": session, "prompt": ["x"]}, -32602),
        ("session/new", {"cwd": "work", "mcpServers": []}, -32602),
        ("session/new", {"cwd": str(w.work / "missing"), "mcpServers": []}, -32602),
        ("session/new", {"mcpServers": []}, -32602),
        ("session/load", {"sessionId": "sess_unknown", "cwd": str(w.work), "mcpServers": []}, -32002),
        ("session/cancel", {"sessionId": session}, -32600),
        ("authenticate", {"methodId": "x"}, -32602),
        ("initialize", {"protocolVersion": 1}, -32600),
        ("session/fly", {}, -32601),
        ("_thole/x", {"a": 1}, -32601),
    ]
    for method, params, code in wrong:
        error = e.error(e.begin(method, params, is_wrong=True))
        assert error["code"] == code, f"{method}: {error}"
    e.send({"id": 1234, "result": {"outcome": {"outcome": "cancelled"}}}, is_wrong=True)  # nothing was asked
    e.notify("session/cancel", {"sessionId": session})  # nothing runs
    e.notify("_x", {})
    assert len(w.events(session)) == before
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}


@test
def an_open_id_and_a_second_prompt_are_refused(w):
    e = w.editor()
    session = e.new()
    id = e.prompt("slow")
    params = {"sessionId": session, "prompt": [{"type": "text", "text": "x"}]}
    assert e.error(e.begin("session/prompt", params, is_wrong=True))["code"] == -32600
    e.send({"id": id, "method": "session/new", "params": {"cwd": str(w.work), "mcpServers": []}}, is_wrong=True)
    assert e.error(id)["code"] == -32600
    e.notify("$/cancel_request", {"requestId": id})
    assert e.result(id) == {"stopReason": "cancelled"}


@test
def a_prompt_of_ten_megabytes_is_refused_and_the_conversation_continues(w):
    e = w.editor()
    session = e.new()
    big = {"sessionId": session, "prompt": [{"type": "text", "text": "x" * 10_000_000}]}
    assert e.error(e.begin("session/prompt", big, is_wrong=True))["code"] == -32602
    assert e.result(e.prompt("hello")) == {"stopReason": "end_turn"}


@test
def a_line_without_end_ends_the_program(w):
    e = w.editor()
    e.initialize()
    try:
        e.raw("x" * 20_000_000)
    except BrokenPipeError:
        pass
    assert e.answer(None)["error"]["code"] in (-32600, -32700)
    assert e.process.wait(DEADLINE_S) == 1


# ---- the official client -------------------------------------------------------------------------

def official(w, *steps):
    """Lines of editor.mjs as they come, and what went over the wire."""
    if not shutil.which("node") or not (HERE / "node_modules/@agentclientprotocol/sdk").is_dir():
        raise Skip("npm ci was not run in tests/acp")
    wire = w.dir / "wire"
    p = subprocess.Popen(["node", str(HERE / "editor.mjs"), json.dumps(steps), str(w.work), "python3", str(HERE / "tee.py"), str(wire),
                          os.path.join(w.build, "thole"), "acp", "--data", w.data],
                         stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_CONFIG_HOME": w.data + ".config"})
    return p, wire


@test
def the_official_client_holds_a_whole_conversation(w):
    p, wire = official(w, ["new"], ["prompt", "hello"], ["prompt", "publish", "allow_once"], ["prompt", "publish", "reject_once"],
                       ["prompt", "publish", "elsewhere"], ["cancel", "slow"], ["list"], ["load"])
    seen = []
    for line in p.stdout:
        seen.append(json.loads(line))
        if seen[-1].get("waits"):  # approved by another client, as in the console
            session = seen[-1]["waits"]
            w.call("respond_action", sessionId=session, actionId=w.pending(session), decision="allow")
    assert p.wait(DEADLINE_S) == 0, seen[-3:]
    done = {tuple(x["step"]): x for x in seen if "step" in x}
    assert done["prompt", "hello"]["result"] == {"stopReason": "end_turn"} and done["prompt", "hello"]["text"] == "answer to hello", done
    assert done["prompt", "publish", "allow_once"]["calls"] == ["completed"], done
    assert done["prompt", "publish", "reject_once"]["calls"] == ["failed"], done
    assert done["prompt", "publish", "elsewhere"]["calls"] == ["completed"], done
    assert done["prompt", "publish", "elsewhere"]["withdrawn"] is True, done
    assert done["cancel", "slow"]["result"] == {"stopReason": "cancelled"}, done
    assert done["list",]["result"]["sessions"], done
    assert done["load",]["text"].startswith("answer to hello"), done
    lines = [(x["from"] == "editor", x["line"]) for x in map(json.loads, wire.read_text().splitlines())]
    faults = schema.faults(lines) if schema else []
    assert not faults, "\n".join(faults[:8])


if not schema:
    print(f"# SKIP the schema: {missing()}")
sys.exit(play(tests, sys.argv[2:]))
