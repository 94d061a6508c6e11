#!/usr/bin/env python3
"""A call with more than 8 KiB of arguments is evaluated, shown and granted by all of them, whatever its shape.

usage: large_input_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  The tools are the runtime's own; judged by what the files hold afterwards and by the events.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import DEADLINE_S, Fixture, last  # noqa: E402
from tap import play  # noqa: E402
from run import Stdio  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())
PAD = "a" * 9000
RULES = [{"id": "no-rm", "effect": "deny", "command": ["rm", "-rf"]}, {"id": "env", "effect": "deny", "path": ".env"}]
tests = []


def test(f):
    tests.append(f)
    return f


class Place(Fixture):
    def __init__(self, calls, mode="default", rules=RULES, **more):
        options = more.pop("options", [])
        super().__init__(calls=calls, options=[f"permission.rules={json.dumps(rules)}", f"permission.mode={mode}", *options], **more)

    def prepare(self, calls, options):
        (self.work / "src").mkdir()
        (self.work / "src" / "main.c").write_text("kept")
        (self.work / ".env").write_text("kept")
        (self.work / "open.txt").write_text("one\n")
        (self.work / "server.py").write_text((HERE.parent / "mcp" / "server.py").read_text())
        return calls, options

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def is_kept(self):
        return (self.work / "src" / "main.c").exists() and (self.work / ".env").read_text() == "kept"

    def whole(self, ref):
        """All of an output, page by page."""
        text, eof = "", False
        while not eof:
            page = self.call("get_output", outputRef=ref, sessionId=self.session, offset=len(text.encode()))
            text, eof = text + page["text"], page["eof"]
        return text

    def refuses(self, decision, **more):
        code, reply = self.http.call("respond_action", dict(sessionId=self.session, actionId=self.action, decision=decision, **more))
        assert code, reply
        return reply


def shell(command):
    return ("shell", {"command": command})


def patch(*files):
    return ("apply_patch", {"patch": "*** Begin Patch\n" + "\n".join(files) + "\n*** End Patch\n"})


# one call each, that a rule denies and the first 8 KiB do not show
DENIED = {
    "at_the_end_of_a_command": shell(f": {PAD}; rm -rf src"),
    "in_the_middle_of_a_command": shell(f": {PAD}; rm -rf src; : {PAD}"),
    "many_short_commands": shell("true; " * 2000 + "rm -rf src"),
    "behind_a_here_document": shell(f"cat >out.txt <<'E'\n{PAD}\nE\nrm -rf src"),
    "a_here_document_into_it": shell(f"cat >.env <<'E'\n{PAD}\nE\n"),
    "letters_of_two_bytes_over_the_cut": shell(": " + "x" + "é" * 4200 + "; rm -rf src"),
    "letters_of_four_bytes_over_the_cut": shell(": " + "xyz" + "😀" * 2100 + "; rm -rf src"),
    "escaped_letters": shell(": '" + "\u0001\"\\" * 2000 + "'; rm -rf src"),
    "inside_another_shell": shell(f"sh -c ': {PAD}; rm -rf src'"),
    "a_background_process": ("start_process", {"command": f": {PAD}; rm -rf src"}),
    "the_last_file_of_a_patch": patch(f"*** Add File: big.txt\n+{PAD}", "*** Update File: .env\n@@\n-kept\n+lost"),
    "a_file_that_a_patch_deletes": patch(f"*** Add File: big.txt\n+{PAD}", "*** Delete File: .env"),
    "the_last_file_of_a_unified_diff": ("apply_patch", {"patch": f"--- /dev/null\n+++ b/big.txt\n@@ -0,0 +1 @@\n+{PAD}\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-kept\n+lost\n"}),
    "a_long_edit": ("edit_file", {"oldText": "kept", "newText": PAD, "path": ".env"}),
    "a_path_behind_the_content": ("write_file", {"content": PAD, "path": "./src/../.env"}),
}


def denied(name, call, mode):
    def run():
        with Place([call], mode) as p:
            events = p.submit()
            assert not p.action, "no approval is requested for what a rule denies"
            verdict = last(events, "permission.evaluated")["permissionDecision"]
            assert verdict["decision"] == "deny" and set(verdict["ruleRefs"]) & {"rule:user:no-rm", "rule:user:env"}, verdict
            assert last(events, "tool.failed") and p.is_kept() and not (p.work / "big.txt").exists(), name
    run.__name__ = f"{name}_is_denied_in_mode_{mode}"
    return run


for number, (word, one) in enumerate(DENIED.items()):
    test(denied(word, one, ("default", "bypass", "on_request")[number % 3]))


@test
def a_question_shows_all_of_it_on_every_client():
    tail = "make the-very-end"
    with Place([shell(f"make all; : {PAD}; {tail}")]) as p:
        p.submit()
        asked = [a for a in p.call("list_actions", status="pending")["actions"] if a["actionId"] == p.action][0]
        command = json.loads(p.whole(asked["inputRef"]))["command"]
        assert command.endswith(tail) and len(command) > 9000, "over HTTP"
        shown = subprocess.run([BUILD + "/thole", "approvals", "--data", p.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
        detail = subprocess.run([BUILD + "/thole", "show", p.action, "--data", p.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
        assert tail in shown.stdout + shown.stderr + detail.stdout + detail.stderr, ("command line", shown.stdout[-300:], detail.stdout[-600:], detail.stderr[-300:])


@test
def an_edited_input_that_grows_is_evaluated_again():
    with Place([shell("make some")]) as p:
        p.submit()
        p.refuses("allow", input={"command": f"make some; : {PAD}; rm -rf src"})
        p.refuses("allow", input={"command": f"make some; cat >.env <<'E'\n{PAD}\nE\n"})
        assert p.is_kept()
        p.call("respond_action", sessionId=p.session, actionId=p.action, decision="deny")


@test
def an_edited_input_that_shrinks_is_evaluated_again():
    with Place([shell(f"make some; : {PAD}")]) as p:
        p.submit()
        p.refuses("allow", input={"command": "rm -rf src"})
        assert p.is_kept()


@test
def a_grant_for_the_session_covers_this_input_and_no_other():
    calls = [shell(f"cp open.txt a.txt; : {PAD}"), shell(f"cp open.txt a.txt; : {PAD}"), shell(f"cp open.txt a.txt; : {PAD}; cp open.txt b.txt")]
    with Place(calls) as p:
        p.submit()
        assert p.action, "the first one is asked about"
        p.allow(scope="session")
        (p.work / "a.txt").unlink()
        p.submit()
        assert not p.action and (p.work / "a.txt").exists(), "the same again is covered"
        p.submit()
        assert p.action and not (p.work / "b.txt").exists(), "a longer one is asked about"


def lost_input(change, *values):
    """The bytes behind a pending question are others, or gone, when the answer comes."""
    with Place([shell(f"cp open.txt made.txt; : {PAD}")]) as p:
        p.submit()
        asked = [a for a in p.call("list_actions", status="pending")["actions"] if a["actionId"] == p.action][0]
        p.daemon.stop()
        with sqlite3.connect(os.path.join(p.daemon.data, "log.db")) as db:
            assert db.execute(change, (*values, asked["inputRef"])).rowcount == 1, "the input is a row of its own"
        db.close()
        p.daemon.start()
        p.http = type(p.http)(p.daemon)
        code, reply = p.http.call("respond_action", dict(sessionId=p.session, actionId=p.action, decision="allow"))
        events = p.events() if code else p.settle()
        assert not (p.work / "made.txt").exists() and not (p.work / "planted").exists() and p.is_kept(), reply
        assert code or last(events, "tool.failed"), reply


@test
def an_input_that_is_gone_is_not_run():
    lost_input("DELETE FROM blob WHERE ref = ?")


@test
def an_input_that_was_replaced_is_not_run():
    lost_input("UPDATE blob SET data = ? WHERE ref = ?", json.dumps({"command": f"touch planted; : {PAD}"}).encode())


@test
def an_input_that_was_cut_is_not_run():
    lost_input("UPDATE blob SET data = substr(data, 1, 4000) WHERE ref = ?")


@test
def an_input_that_is_longer_than_it_was_is_not_run():
    lost_input("UPDATE blob SET data = ? WHERE ref = ?", json.dumps({"command": f"touch planted; : {PAD * 100}"}).encode())


@test
def a_command_beyond_the_limit_is_refused():
    with Place([shell(f"cp open.txt made.txt; : {PAD * 30}")], "bypass") as p:
        events = p.submit()
        assert not p.action and last(events, "tool.failed")["payload"]["executed"] == "no" and not (p.work / "made.txt").exists()


@test
def a_command_too_long_to_analyze_needs_approval_or_is_denied():
    long = shell(f"cp open.txt made.txt; : {PAD * 10}")
    with Place([long]) as p:
        p.submit()
        assert p.action and not (p.work / "made.txt").exists()
    with Place([long], options=["permission.interactive=false"]) as p:
        p.submit()
        assert not p.action and not (p.work / "made.txt").exists()


@test
def nested_arguments_of_a_tool_server():
    deep = {"text": "x", "more": {"list": [{"n": i, "text": "y" * 100} for i in range(120)]}}
    rules = [{"id": "own", "effect": "deny", "mcp": "own/echo"}]
    for given, allowed in ((rules, False), ([], True)):
        with Place([("mcp__own__echo", deep)], rules=given, servers={"own": {"command": "python3", "args": ["server.py", "plain"]}}) as p:
            p.status("own", "ready")
            events = p.submit()
            if not allowed:
                assert not p.action and last(events, "permission.evaluated")["permissionDecision"]["ruleRefs"] == ["rule:user:own"], events[-3:]
            elif p.action:
                asked = [a for a in p.call("list_actions", status="pending")["actions"] if a["actionId"] == p.action][0]
                assert json.loads(p.whole(asked["inputRef"])) == deep


@test
def without_a_user_to_ask_a_long_call_is_denied():
    with Place([shell(f"make all; : {PAD}")], options=["permission.interactive=false"]) as p:
        events = p.submit()
        assert not p.action and last(events, "permission.evaluated")["permissionDecision"]["decision"] == "deny", events[-3:]


@test
def both_command_lines_show_all_of_it():
    tail = "make the-very-end"
    with Place([shell(f"make all; : {PAD}; {tail}")]) as p:
        p.submit()
        for words in (["approvals"], ["show", p.action]):
            shown = subprocess.run([BUILD + "/thole", *words, "--data", p.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
            assert tail in shown.stdout and PAD in shown.stdout.replace("\n", "").replace(" ", ""), (words, shown.stdout[-600:], shown.stderr[-300:])


@test
def both_transports_show_all_of_it():
    tail = "make the-very-end"
    with Place([shell(f"make all; : {PAD}; {tail}")]) as p:
        p.submit()
        other = Stdio(p.daemon)
        try:
            for transport in (p.http, other):
                code, reply = transport.call("list_actions", {"status": "pending"})
                asked = [a for a in reply["actions"] if a["actionId"] == p.action][0]
                text, eof = "", False
                while not eof:
                    code, page = transport.call("get_output", {"outputRef": asked["inputRef"], "sessionId": p.session, "offset": len(text.encode())})
                    assert not code, page
                    text, eof = text + page["text"], page["eof"]
                assert json.loads(text)["command"].endswith(tail), (transport.name, text[-100:])
        finally:
            other.close()


@test
def a_call_of_the_turns_next_attempt_is_evaluated_whole():
    """The turn is lost while it waits for a person; what is resumed is asked about whole, and denied whole."""
    for call, denied_it in ((shell(f"cp open.txt made.txt; : {PAD}"), False), (shell(f": {PAD}; rm -rf src"), True)):
        with Place([call]) as p:
            p.submit()
            first = p.action
            p.restart()
            events = p.settle()
            assert p.is_kept() and not (p.work / "made.txt").exists()
            if denied_it:
                assert not first and not p.action, events[-3:]
                continue
            asked = [a for a in p.call("list_actions", status="pending")["actions"] if a["actionId"] == p.action][0]
            assert json.loads(p.whole(asked["inputRef"])) == call[1]
            p.refuses("allow", input={"command": f": {PAD}; rm -rf src"})
            p.allow()
            assert (p.work / "made.txt").exists() and p.is_kept()


@test
def a_tasks_call_is_evaluated_whole_and_so_is_its_retry():
    bad = shell(f": {PAD}; rm -rf src")
    with Place([bad, bad], "bypass") as p:
        p.session = p.call("create_session")["sessionId"]

        def verdicts():
            return [e["permissionDecision"] for e in p.events() if e["type"] == "permission.evaluated"]
        # without the artifact it fails, and can be tried again
        task = p.call("create_task", sessionId=p.session, objective="go", acceptance=[{"id": "sums", "kind": "artifact"}], start=True)["taskId"]
        p.until("the end of the task", lambda: [e for e in p.events() if e["type"] == "task.failed"])
        p.call("retry_task", sessionId=p.session, taskId=task, reason="again", input="go")
        p.until("its second end", lambda: len([e for e in p.events() if e["type"] == "task.failed"]) == 2)
        assert [v["decision"] for v in verdicts()] == ["deny", "deny"] and all("rule:user:no-rm" in v["ruleRefs"] for v in verdicts()), verdicts()
        assert p.is_kept()


@test
def a_childs_call_is_evaluated_and_shown_whole():
    for command, denied_it in ((f": {PAD}; rm -rf src", True), (f"cp open.txt made.txt; : {PAD}; make the-very-end", False)):
        with Place([shell(command)]) as p:
            session = p.call("create_session")
            p.session = session["sessionId"]
            thread = p.call("list_threads", sessionId=p.session)["threads"][0]["threadId"]
            child = p.call("spawn_subagent", sessionId=p.session, parentThreadId=thread, role="helper", input="go")
            p.until("the call's verdict", lambda: [e for e in p.events() if e["type"] == "permission.evaluated"])
            if denied_it:
                p.until("its end", lambda: [e for e in p.events() if e["type"] == "tool.failed"])
                assert p.is_kept() and not [e for e in p.events() if e["type"] == "action.required"], child
                continue
            action = p.until("the question", lambda: p.call("list_actions", status="pending")["actions"])[0]
            assert json.loads(p.whole(action["inputRef"]))["command"] == command, action
            p.action = action["actionId"]
            p.refuses("allow", input={"command": f": {PAD}; rm -rf src"})
            assert p.is_kept() and not (p.work / "made.txt").exists()


@test
def a_policy_record_does_not_open_what_a_rule_denies():
    record = {"schema_version": "0.1.0", "decision_id": "pd_1", "evaluated_at": "2026-05-08T10:00:00Z", "subject": {"type": "agent"}, "action": {"type": "tool_call"},
              "resource": {"type": "tool"}, "context": {}, "result": "allow", "reason_codes": [], "scope": {"scope_type": "tool_call", "risk_level": "low"}, "obligations": []}
    hook = {"pre_tool_use": [{"command": f"cat >/dev/null; echo '{json.dumps(record)}'"}]}
    for call, becomes in ((shell(f": {PAD}; rm -rf src"), "deny"), (("write_file", {"content": PAD, "path": ".env"}), "deny"), (shell(f"cp open.txt made.txt; : {PAD}"), None)):
        with Place([call], options=["hooks=" + json.dumps(hook)]) as p:
            events = p.submit()
            assert p.is_kept(), call[0]
            if becomes:
                assert not p.action and last(events, "tool.failed") and last(events, "permission.evaluated")["permissionDecision"]["decision"] == "deny", events[-4:]
            else:
                assert (p.work / "made.txt").exists() or p.action, "the record applies, or a user is asked"


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
