"""Approvals and questions, answered by commands."""
import datetime
import hashlib
import json
import re
import signal
import subprocess

from cli_fixture import DEADLINE_S, THOLE, test, until


@test
def without_a_person_the_command_to_type_is_printed(b):
    r = b.run("run", "approve", code=4)
    action, = b.pending()
    assert f"thole approve {action}" in r.err and f"thole deny {action}" in r.err
    assert "asks you first" in r.out and action not in r.out
    assert not (b.work / "thole-note.txt").exists()
    assert "waiting_permission" in b.run("ps", code=0).out
    why = b.run("why", code=0).out
    assert "An approval is pending" in why and f"thole approve {action}" in why
    assert action in b.run("approvals", code=0).out
    rows = b.run("approvals", "--json", code=0).json()["actions"]
    assert [a["actionId"] for a in rows] == [action]
    b.run("approve", action, "--scope", "forever", code=2)
    b.run("approve", action[:18], "--reason", "why not", code=0)
    until("the note", (b.work / "thole-note.txt").exists)
    r = b.run("deny", action, code=1)
    assert "answered with allow" in r.err
    assert b.pending() == []
    b.run("approve", "act_none", code=1)


@test
def a_policy_engine_decides_by_its_record(b):
    b.run("run", "approve", code=4)
    action, = b.pending()
    asked, = [json.loads(line) for line in b.run("log", "--as", "agent-policy", "--type", "action.required", code=0).out.split("\n") if line]
    assert asked["type"] == "policy.approval.requested" and asked["approval_id"] == action, asked
    waiver = {"schema_version": "0.1.0", "waiver_id": "w_7", "decision_id": asked["decision_id"], "waived_by": {"type": "user", "id": "ada"},
              "justification": "a drill", "scope": {"scope_type": "filesystem", "risk_level": "low"}, "created_at": "2026-05-08T10:00:00Z"}
    path = b.work / "waiver.json"
    path.write_text(json.dumps({**waiver, "decision_id": "poldec_other"}))
    assert "not about this question" in b.run("decide", action, str(path), code=2).err
    path.write_text("{")
    b.run("decide", action, str(path), code=2)
    b.run("decide", action, str(b.work / "none.json"), code=1)
    assert b.pending() == [action]
    r = b.run("decide", action, stdin=json.dumps(waiver), code=0)
    assert "allow" in r.err, r.err
    until("the note", (b.work / "thole-note.txt").exists)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    told = [json.loads(line) for line in b.run("log", "--as", "agent-policy", code=0).out.split("\n") if line]
    assert [e["type"] for e in told] == ["policy.decision.created", "policy.approval.requested", "policy.approval.responded", "policy.waiver.created",
                                         "policy.trace.linked"], told
    assert {e["decision_id"] for e in told if "decision_id" in e} == {asked["decision_id"]}
    told = [json.loads(line)["event_type"] for line in b.run("log", "--as", "agent-tool", code=0).out.split("\n") if line]
    assert [t for t in told if t in ("tool.invocation.created", "tool.permission.decided", "tool.result.created")] == [
        "tool.invocation.created", "tool.permission.decided", "tool.result.created"], told
    b.run("log", "--as", "agent-tol", code=2)


def asking(b, command):
    """A model that wants to run one command, which asks."""
    return b.script({"tools": [{"name": "shell", "kind": "command", "policy": "allowed", "capabilities": ["shell"],
                                "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}},
                                "result": {"text": "ran", "exitCode": 0}}],
                     "rules": [{"when": {"text": "go"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": command}}]}, {"text": "done"}]}]})


@test
def an_input_is_shown_whole_however_long_it_is(b):
    lines = [f"make target-{n} && echo {'x' * 20}" for n in range(600)]
    b.run("run", "--script", asking(b, "\n".join(lines)), "go", code=4)
    action, = b.pending()
    shown = b.run("show", action, code=0).out
    assert all(line in shown for line in lines), shown[:2000]
    assert "a large input" not in shown
    t = b.terminal("approvals", "-w")
    t.expect("target-599")
    t.expect("? Allow shell")  # shown again, because its beginning is off the screen
    t.expect("[y] once")
    t.end()


@test
def blanks_and_what_looks_like_them_hide_nothing(b):
    b.run("run", "--script", asking(b, "make clean" + " " * 3000 + "# tidy\u3164\ufe0f\u2800"), "go", code=4)
    action, = b.pending()
    for shown in b.run("show", action, code=0).out, b.run("approvals", code=0).out:
        assert "make clean <3000 blanks> # tidy<U+3164><U+FE0F><U+2800>" in shown, shown


@test
def a_turn_behind_a_pending_approval_is_exit_4(b):
    b.run("run", "approve", code=4)
    action, = b.pending()
    r = b.run("run", "-s", "@last", "and then", code=4)
    assert "needs an approval" in r.err and f"thole show {action}" in r.err, r.err
    waiting = b.start("run", "-s", "@last", "--wait", "and wait")
    until("both in the queue", lambda: len(b.run("queue", "@last", "--json", code=0).json()["queuedTurns"]) == 2)
    b.run("deny", action, code=0)
    out, err = waiting.communicate()
    assert waiting.returncode == 0 and "You wrote: and wait" in out, (out, err)


@test
def in_a_terminal_the_approval_of_the_turn_before_is_asked_for(b):
    b.run("run", "approve", code=4)
    t = b.terminal("run", "-s", "@last", "and then")
    t.expect("thole-note.txt")
    t.expect("[y] once")
    t.type("y\n")
    assert t.wait() == 0 and "You wrote: and then" in t.seen, t.seen
    assert (b.work / "thole-note.txt").exists()
    # answered elsewhere, the prompt goes
    b.run("run", "approve", code=4)
    action, = b.pending()
    t = b.terminal("run", "-s", "@last", "and then")
    t.expect("[y] once")
    b.run("deny", action, code=0)
    assert t.wait() == 0 and "You wrote: and then" in t.seen, t.seen


@test
def the_time_of_a_tool_does_not_include_its_approval(b):
    b.run("run", "approve", code=4)
    action, = b.pending()
    b.run("approve", action, code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")

    def at(e):
        return datetime.datetime.fromisoformat(e["timestamp"].replace("Z", "+00:00"))
    events = {e["type"]: e for e in b.run("export", "session", "@last", code=0).lines() if e.get("toolCallId")}
    result, since = events["tool.result"], (at(events["tool.result"]) - at(events["action.resolved"])).total_seconds() * 1000
    assert result["payload"]["durationMs"] <= since + 1, (result, since)


@test
def a_prompt_fits_80_columns(b):
    t = b.terminal("run", "--script", asking(b, "make everything"), "go")
    t.size(80)
    t.expect("›")
    choices = t.before.splitlines()[-1]
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", choices)
    for choice in ("[y]", "[t]", "[s]", "[a]", "[e]", "[n]"):
        assert choice in text, text
    assert len(text) + len("› y") <= 80, (len(text), text)
    t.end()


@test
def only_a_choice_answers_a_prompt(b):
    """The first letter of a line decided: `actually` was a grant for the workspace."""
    t = b.terminal("run", "approve")
    t.expect("\u203a")
    t.type("actually\n")
    t.expect("none of the choices")
    t.expect("\u203a")
    assert len(b.pending()) == 1
    t.type("e\n")
    t.expect("JSON; nothing goes back")
    t.type("{not\n")
    t.expect("That is no JSON object")
    t.type("always\n")
    t.expect("That is no JSON object")
    assert len(b.pending()) == 1
    t.type("\n")
    t.expect("[y] once")
    t.type("yes\n")
    assert t.wait() == 0 and (b.work / "thole-note.txt").exists(), t.seen
    scopes = [e["payload"].get("scope") for e in b.run("log", "--json", "--type", "action.resolved", code=0).lines()]
    assert scopes == ["once"], scopes


@test
def a_denied_tool_does_not_run(b):
    b.run("run", "approve", code=4)
    action, = b.pending()
    b.run("deny", action, "--reason", "not today", code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert "not today" in b.run("log", "--type", "action.resolved", code=0).out
    assert not (b.work / "thole-note.txt").exists()


@test
def decisions_are_watched_and_given_in_a_terminal(b):
    b.run("run", "approve", code=4)
    first, = b.pending()
    t = b.terminal("approvals", "-w", "--no-color")
    t.expect("watching")
    t.expect("\u203a")
    t.type("y\n")
    until("the note", (b.work / "thole-note.txt").exists)
    (b.work / "thole-note.txt").unlink()
    b.run("run", "-d", "approve", code=0)
    t.expect("\u203a")
    second, = b.pending()
    b.run("deny", second, code=0)
    t.expect("settled elsewhere")
    b.run("run", "-d", "approve", code=0)
    t.expect("\u203a")
    t.type("n\n")
    t.expect("why")
    t.type("not today\n")
    until("no questions", lambda: b.pending() == [])
    resolved = [e["payload"] for e in b.run("log", "--json", "--type", "action.resolved", code=0).lines()]
    assert resolved[-1]["decision"] == "deny" and resolved[-1]["reason"] == "not today", resolved
    t.type("\x04")
    assert t.wait() == 0
    assert not (b.work / "thole-note.txt").exists() and first != second


@test
def decisions_are_watched_in_a_pipe_also_over_a_restart(b):
    b.run("run", "approve", code=4)
    first, = b.pending()
    p = subprocess.Popen([THOLE, "approvals", "-w", "-q"], env=b.env, cwd=b.work, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert p.stdout.readline().strip() == first
        b.signal(signal.SIGKILL)
        until("it is gone", lambda: not b.daemon())
        b.run("run", "-d", "approve", code=0)
        second = p.stdout.readline().strip()
        assert second != first and second in b.pending(), (first, second, b.pending(), p.poll(), p.stderr.read() if p.poll() is not None else "")
    finally:
        p.kill()
        p.communicate()


@test
def arguments_can_be_edited(b):
    (b.work / "sub").mkdir()
    b.run("run", "approve", "-C", "sub", code=4)
    action, = b.pending()
    b.run("approve", action, "--input", "{", code=2)
    b.run("approve", action, "--input", '{"path": 5}', code=2)
    b.run("approve", action, "--input", '{"path":"mine.txt","text":"edited"}', code=0)
    until("the file", (b.work / "sub" / "mine.txt").exists)
    assert (b.work / "sub" / "mine.txt").read_text() == "edited"


@test
def questions_are_answered_with_words(b):
    r = b.run("run", "question", code=4)
    assert "down the river" in r.err and "--answer" in r.err
    action, = b.pending()
    b.run("approve", action, code=2)
    b.run("approve", action, "--answer", "sideways", code=2)
    b.run("approve", action, "--payload", '{"answer":"sideways"}', code=2)
    b.run("approve", action, "--answer", "2", code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert "down the river" in b.run("log", "--type", "model.completed", code=0).out
    b.run("run", "question", code=4)
    b.run("deny", b.pending()[0], code=0)


@test
def a_waiting_run_continues_when_another_client_decides(b):
    p = b.start("run", "--wait", "approve")
    action = until("the question", b.pending)[0]
    b.run("approve", action, code=0)
    out, err = p.communicate(timeout=DEADLINE_S)
    assert p.returncode == 0 and "thole-note.txt" in out, (out, err)


def submitted(b):
    """The payloads of turn.submitted of the last session."""
    lines = b.run("log", b.session(), "-o", "jsonl", code=0).lines()
    return [e["payload"] for e in lines if e["type"] == "turn.submitted"]


def record(b, ref):
    """The record behind a ref, which is its hash."""
    text = b.rpc("get_output", {"outputRef": ref})["result"]["text"]
    assert ref.replace(":", "_").split("_")[1] == hashlib.sha256(text.encode()).hexdigest()[:40], ref
    return json.loads(text)


@test
def a_turn_names_the_settings_and_the_rules_of_its_decisions(b):
    providers = {"mine": {"baseUrl": "http://me:hunter2@127.0.0.1:9/v1", "dialect": "compatible", "keyEnv": "TEST_KEY",
                          "models": ["m"]}}
    b.env |= {"TEST_KEY": "hunter2", "THOLE_PROVIDERS": json.dumps(providers), "THOLE_MODEL": "scripted/demo",
              "THOLE_HOOKS": json.dumps({"pre_tool_use": [{"name": "note", "command": "true hunter2"}]}),
              "THOLE_PRICES": json.dumps({"mine/m": {"inputPerMTok": 1.5, "outputPerMTok": 2}})}
    b.run("run", "hello", code=0)
    first = submitted(b)[0]
    text = b.rpc("get_output", {"outputRef": first["configRef"]})["result"]["text"]
    assert "hunter2" not in text and "127.0.0.1" not in text
    settings = record(b, first["configRef"])
    mine, = [m for m in settings["models"] if m["provider"] == "mine"]
    assert mine["hasCredential"] and mine["keyName"] == "TEST_KEY" and mine["prices"][0]["input"] == 1.5, mine
    assert [h["ref"] for h in settings["hooks"]] and settings["environment"]["envRef"] == "self"
    assert any(t["name"] == "shell" and t["inputSchema"]["required"] for t in settings["tools"])
    assert record(b, first["rulesRef"]) == {"rules": []}
    # the same settings have the same ref after a restart; other rules have another one
    b.run("serve", "--stop", code=0)
    (b.work / ".thole").mkdir()
    (b.work / ".thole" / "rules.json").write_text('{"rules":[{"id":"no","effect":"deny","command":["rm"]}]}')
    b.run("run", "-s", b.session(), "hello", code=0)
    second = submitted(b)[-1]
    assert second["configRef"] == first["configRef"], second
    assert record(b, second["rulesRef"])["rules"][0] == {"id": "no", "effect": "deny", "command": ["rm"], "source": "project"}
    # settings that a decision reads make another record
    b.run("serve", "--stop", code=0)
    b.env["THOLE_BUDGET_TURN_USD"] = "3"
    b.run("run", "-s", b.session(), "hello", code=0)
    third = submitted(b)[-1]
    assert third["configRef"] != first["configRef"] and record(b, third["configRef"])["caps"]["turn"] == 3
    # both are part of a backup
    b.run("backup", str(b.dir / "copy"), code=0)
    b.run("serve", "--stop", code=0)
    b.env["THOLE_DATA"], b.data = str(b.dir / "copy"), b.dir / "copy"
    b.run("ps", code=0)
    assert record(b, third["configRef"])["caps"]["turn"] == 3 and record(b, first["rulesRef"]) == {"rules": []}


@test
def the_mode_after_a_plan_is_named(b):
    plan = {"toolCalls": [{"name": "exit_plan", "args": {"plan": "1. read 2. write"}}]}
    b.env["THOLE_SCRIPT"] = b.script({"rules": [{"when": {"text": "plan it"}, "replies": [plan, {"text": "Planned."}]}], "default": {"text": "ok"}})
    b.run("run", "--mode", "on_request", "hello", code=0)
    b.run("policy", "mode", "plan", "@last", code=0)
    b.run("run", "-s", "@last", "plan it", code=4)
    words = "once the plan is accepted, the mode is on_request"
    row, = b.run("approvals", "--json", code=0).json()["actions"]
    assert row["modeAfter"] == "on_request", row
    assert words in " ".join(b.run("approvals", code=0).out.split())
    assert words in " ".join(b.run("show", row["actionId"], code=0).out.split())
    assert words not in b.run("deny", row["actionId"], "--reason", "shorter", code=0).err
    until("the end of the turn", lambda: b.run("ps", "-q", code=0).out == "")
    b.run("run", "-s", "@last", "plan it", code=4)
    row, = b.run("approvals", "--json", code=0).json()["actions"]
    assert words in b.run("approve", row["actionId"], code=0).err
    until("the mode", lambda: b.run("policy", "mode", code=0).out == "on_request\n")
