"""One prompt: answers, exit codes, settings."""
import json
import resource
import signal
import subprocess

from cli_fixture import DEADLINE_S, THOLE, test, until


@test
def a_prompt_is_answered_and_a_daemon_started_once(b):
    r = b.run("say hello", code=0)
    assert r.out.startswith("You wrote: say hello\n"), r
    assert "started a daemon" in r.err and "started a daemon" not in r.out
    first = b.daemon()
    r = b.run("run", "again", code=0)
    assert "started" not in r.err and b.daemon() == first
    assert "turn 2" in b.run("run", "-s", "@last", "more", code=0).out
    assert b.run("run", "-q", "quiet", code=0).err == ""


@test
def json_is_the_envelopes(b):
    events = b.run("run", "--json", "hello", code=0).lines()
    assert [e["sequence"] for e in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "turn.completed"
    stored = b.run("export", "session", "@last", code=0)
    assert stored.out == b.run("log", "--json", code=0).out
    assert stored.lines()[:len(events)] == events
    assert len(stored.out.splitlines()) == stored.lines()[-1]["sequence"]


@test
def exit_codes_tell_the_truth(b):
    r = b.run("run", "fail", code=7)
    assert "fails on this input, as requested" in r.err and not r.out
    assert "budget" in b.run("run", "hi", "--budget", "0.000001", code=6).err
    b.run("run", "hi", "-m", "nosuch/model", code=3)
    r = b.run("run", "hang", "--timeout", "3s", code=124)
    assert "Wait for it" in r.out
    stopped = b.run("log", "@last", "--json", "--type", "run.status", code=0).out
    assert "The time for this turn is over." in stopped and "The owner asked" not in r.err + stopped, (r.err, stopped)
    assert b.run("ps", "-q", code=0).out == "", "what timed out was stopped"
    b.run("run", "hi", "-s", "sess_none", code=1)
    b.run("run", "hi", "-C", "/nowhere", code=2)
    b.run("run", "retry", code=0)


@test
def a_program_that_is_ended_says_that_no_person_stopped_the_turn(b):
    """timeout(1) and a shutdown send SIGTERM; Ctrl-C is the user."""
    for number, reason, words in ((signal.SIGTERM, "client_ended", "stopped because its client program ended"),
                                  (signal.SIGINT, "user", "stopped by the owner")):
        p = b.start("run", "hang")
        until("the answer", lambda: "hang" in b.run("ps", code=0).out)
        p.send_signal(number)
        p.communicate(timeout=DEADLINE_S)
        assert p.returncode == 130, p.returncode
        asked = b.run("log", "@last", "--json", "--type", "run.status", code=0).lines()
        ended = b.run("log", "@last", "--json", "--type", "turn.failed", code=0).lines()
        assert asked[-1]["payload"]["reason"] == reason and ended[-1]["payload"]["message"] == words, (asked, ended)


@test
def every_end_of_a_turn_has_its_exit_code(b):
    """docs/reference/cli.md has the table; the words are the catalogue's error categories."""
    table = {"permission": 5, "hook_blocked": 5, "budget": 6, "quota": 6, "sandbox_denied": 8, "sandbox_unavailable": 8,
             "auth": 3, "server_error": 7, "tool_failed": 1}
    s = b.script({"rules": [{"when": {"text": {"equals": word}}, "reply": {
        "error": {"status": 400, "category": word, "message": "as the script says", "retryable": False}}} for word in table],
        "default": {"text": "no"}})
    for word, code in table.items():
        r = b.run("run", "--here", "--script", s, word, code=code)
        assert "as the script says" in r.err, r


@test
def a_disk_that_fails_is_exit_70(b):
    def fails():
        """Less than one page of the log: the next commit fails.  That may be one that ends the first turn, in the background."""
        b.run("run", "first", code=0)
        resource.prlimit(until("a daemon", b.daemon), resource.RLIMIT_FSIZE, (4096, 4096))
        r = b.run("run", "second")
        return r if r.code == 70 else None
    r = until("a command that meets the failure", fails)
    assert "disk" in r.err or "store" in r.err, r
    until("the daemon's end", lambda: not b.daemon())
    until("its event", lambda: "previous_run_store_failed" in b.run("log", "sess_node_local", "--json").out)
    assert "You wrote: third" in b.run("run", "third", code=0).out
    b.signal(signal.SIGTERM)
    until("the daemon's end", lambda: not b.daemon())
    (b.data / "log.db").write_bytes(b"not a database at all, and long enough to be looked at" * 100)
    b.run("run", "--here", "--data", str(b.data), "fourth", code=70)


@test
def a_project_may_narrow_and_not_widen(b):
    conf = b.work / ".thole" / "config.json"
    conf.parent.mkdir()
    below = b.work / "a" / "b"
    below.mkdir(parents=True)
    at = ["--here", "-C", str(below)]
    conf.write_text('{ // ours\n  "permission": { "mode": "plan" },\n  "nonsense": 1\n}\n')
    assert f"{conf}:3" in b.run("run", *at, "x", code=3).err
    for wide in ({"permission.mode": "bypass"}, {"permission.interactive": True}, {"script": "/etc/passwd"},
                 {"providers": {"evil": {}}}, {"hosts": ["evil.example"]}):
        conf.write_text(json.dumps(wide))
        r = b.run("run", *at, "x", code=3)
        assert str(conf) in r.err and list(wide)[0] in r.err, r
    conf.write_text('{"permission.interactive": false}')
    assert "Nothing was written" in b.run("run", *at, "approve", code=0).out, "no user can be asked"
    b.run("run", *at, "-c", "permission.interactive=true", "approve", code=4)
    assert b.run("config", "--json", code=0).json()["project"] == {"permission.interactive": False}


@test
def a_projects_hooks_are_those_of_where_one_is(b):
    """The daemon that the first command starts works elsewhere; what a hook did is looked up in the directory."""
    (b.work / ".thole").mkdir()
    (b.work / ".thole" / "hooks.json").write_text(json.dumps({"hooks": {"user_prompt_submit": [{"name": "mark", "command": "touch asked"}]}}))
    assert "1 hook of this project is not trusted" in b.run("run", "hello", code=0).err
    assert not (b.work / "asked").exists(), "an untrusted hook ran"
    assert "untrusted" in b.run("hooks", "ls", code=0).out
    assert "hook:project" not in b.run("hooks", "ls", code=0, cwd="/usr").out
    assert ".thole/hooks.json" in b.run("hooks", "trust", code=1, cwd="/usr").err
    b.run("hooks", "trust", code=0)
    assert "not trusted" not in b.run("run", "hello", code=0).err
    assert (b.work / "asked").exists(), "a hook that is trusted did not run"
    (b.work / "asked").unlink()
    b.run("run", "hello", code=0, cwd="/usr")
    assert not (b.work / "asked").exists()


@test
def each_line_of_a_hook_is_shown_before_it_is_trusted(b):
    """A second line of the command was shown as part of the comment that ends the first one."""
    (b.work / ".thole").mkdir()
    (b.work / ".thole" / "hooks.json").write_text(json.dumps({"hooks": {"user_prompt_submit": [
        {"name": "mark", "command": "true # counts prompts\ntouch PWNED\rtrue\u200b"}]}}))
    lines = "in several lines:\n  | true # counts prompts\n  | touch PWNED<U+000D>true<U+200B>\n"
    r = b.run("hooks", "ls", code=0)
    assert lines in r.err and "counts prompts ⏎" in r.out, r
    assert lines in b.run("trust", code=0).err
    good = b.run("hooks", "ls", "--json", code=0).json()["contentHash"]
    assert "thole hooks trust --hash " + good in r.err, "a changed file is not what was listed"
    assert b.run("hooks", "trust", "--hash", "0" * 64).code != 0
    t = b.terminal("hooks", "trust")
    t.expect("touch PWNED")
    t.expect("[y/N]")
    t.type("n\r")
    t.expect("Nothing was changed")
    assert t.wait() == 4
    assert "untrusted" in b.run("hooks", "ls", code=0).out
    r = b.run("hooks", "trust", "--hash", good, code=0)
    assert lines in r.err, r
    assert "untrusted" not in b.run("hooks", "ls", code=0).out


@test
def a_question_about_a_directory_of_programs_disables_no_hook(b):
    """Only what a call may really write is untrusted, and without /opt a shell still starts."""
    (b.work / ".claude").mkdir()
    (b.work / ".claude" / "settings.json").write_text(json.dumps(
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}))
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": line}}]}, {"text": "{{toolResult}}"}]}
        for word, line in (("list", "echo listed"), ("outside", "touch /opt/x"))]})
    b.run("hooks", "trust", code=0)
    b.run("run", "outside", code=4)
    assert "listed" in b.run("run", "list", code=0).out, "while the question is open"
    b.run("deny", b.run("approvals", "-q", code=0).out.split()[0], code=0)
    assert "listed" in b.run("run", "list", code=0).out, "after it was denied"
    b.run("serve", "--stop", code=0)
    assert "listed" in b.run("run", "list", code=0).out, "after a restart"


@test
def tokens_completion_and_exports(b):
    token = b.run("token", code=0).out.strip()
    assert len(token) >= 32 and token == (b.data / "token").read_text().strip()
    assert (b.data / "token").stat().st_mode & 0o777 == 0o600
    b.run("run", "hello there", code=0)
    events = b.run("export", "session", "@last", code=0)
    assert [e["sequence"] for e in events.lines()] == list(range(1, len(events.lines()) + 1))
    assert b.run("export", "session", "@last", code=0).out == events.out, "byte for byte"
    assert b.run("log", "--json", "--since", "3", "--type", "turn.*,task.*", code=0).lines() == [
        e for e in events.lines() if e["sequence"] > 3 and e["type"].startswith(("turn.", "task."))]
    some = b.run("log", "--json", "--match", "You wrote:", code=0).out.splitlines()
    assert some and some == [line for line in events.out.splitlines() if "You wrote:" in line]
    b.run("export", "session", "sess_none", code=1)
    words = b.run("completion", "bash", code=0).out
    for verb in ("approve", "export", "resume", "verify"):
        assert verb in words, verb


@test
def stdin_can_be_the_prompt(b):
    assert "You wrote: from a pipe" in b.run("run", stdin="from a pipe\n", code=0).out
    assert "You wrote: look at\n\nthis" in b.run("run", "look at", "-", stdin="this", code=0).out
    assert "You wrote: -v" in b.run("run", "--", "-v", code=0).out


@test
def text_of_a_pipe_is_sent_with_the_message(b):
    sent = b.run("run", "review this", stdin="MARKER\n", code=0)
    assert 'You wrote: review this\n<file name="stdin">\nMARKER\n</file>' in sent.out and "7 bytes of stdin" in sent.err, sent
    assert "stdin" not in b.run("run", "review this", stdin="", code=0).err
    assert "MARKER" in b.run("send", "@last", "-f", "and this", stdin="MARKER\n", code=0).out
    assert "You wrote: hi" in b.run(stdin="hi\n", code=0).out
    assert "more than 768 KiB" in b.run("run", "x", stdin="x" * (769 << 10), code=2).err
    refused = subprocess.run([THOLE, "run", "x"], input=b"a\0b", capture_output=True, env=b.env, cwd=b.work)
    assert refused.returncode == 2 and b"no text in UTF-8" in refused.stderr, refused


@test
def a_file_that_a_loop_reads_stays_for_the_loop(b):
    (b.work / "list").write_text("one\ntwo\nthree\n")
    said = subprocess.run(["sh", "-c", 'while read -r l; do "$0" run "item $l"; done < list', THOLE], capture_output=True, text=True,
                          env=b.env, cwd=b.work)
    assert all(f"You wrote: item {x}" in said.stdout for x in ("one", "two", "three")), said


@test
def a_pipe_without_data_does_not_hold_the_run_up(b):
    p = b.start("run", "hello", stdin=subprocess.PIPE)
    assert "waiting for the end of stdin" in p.stderr.readline()
    out, err = p.stdout.read(), p.stderr.read()
    assert p.wait() == 0 and "You wrote: hello" in out and "nothing arrived on stdin" in err, (out, err)


@test
def here_needs_no_daemon(b):
    assert "You wrote: x" in b.run("run", "--here", "x", code=0).out
    assert not b.data.exists() and not list(b.tmp.iterdir()), "nothing is left"
    d = str(b.dir / "kept")
    b.run("run", "--here", "--data", d, "kept one", code=0)
    assert "kept one" in b.run("show", "--here", "--data", d, code=0).out
    assert "kept one" in b.run("log", "--here", "--data", d, code=0).out
    b.run("run", "approve", "--here", code=4)
    assert "Nothing was written" in b.run("run", "approve", "--here", "--unattended", code=0).out
    b.run("run", "--here", "--detach", "x", code=2)


@test
def what_models_say_cannot_move_the_cursor(b):
    s = b.script({"default": {"text": "a\x1b[31mred\x07\u202e\nb\tc"}})
    out = b.run("run", "--here", "--script", s, "x", code=0).out
    assert out == "a^[[31mred^G<U+202E>\nb\tc\n", repr(out)


@test
def settings_have_layers_and_say_where_they_came_from(b):
    assert "nosuch" in b.run("run", "--here", "-c", "nosuch=1", "x", code=3).err
    conf = b.dir / ".config" / "thole"
    conf.mkdir(parents=True)
    (conf / "config.json").write_text('{\n  // seconds\n  "action": {\n    "timeout_s": 7,\n  }\n}\n')
    assert b.run("config", "--json", code=0).json() == {
        "files": {"action.timeout_s": 7}, "project": {}, "options": {}}
    assert b.run("config", "--json", "-c", "action.timeout_s=9", code=0).json() == {
        "files": {"action.timeout_s": 7}, "project": {}, "options": {"action.timeout_s": 9}}
    assert "-c" in b.run("run", "--here", "-c", "action.timeout_s=0", "x", code=3).err
    (conf / "config.json").write_text('{\n  "model": "x",\n  "wrong": 1\n}\n')
    assert f"{conf / 'config.json'}:3" in b.run("run", "--here", "x", code=3).err
    r = b.run("run", "x", code=3)
    assert "wrong" in r.err and "daemon.log" in r.err
    (conf / "config.json").unlink()
    b.run("run", "x", code=0)
    b.run("run", "x", "-c", "action.timeout_s=9", code=3)


@test
def a_wait_for_tool_servers_is_reported(b):
    conf = b.dir / "slow.json"
    late = {"command": "/bin/sh", "args": ["-c", f"until [ -e {b.dir}/seen/go ]; do sleep 0.1; done"], "read": [str(b.dir / "seen")]}
    (b.dir / "seen").mkdir()
    conf.write_text(json.dumps({"mcp": {"servers": {"late": late}}}))
    b.start("serve", "--config", str(conf)).stderr.readline()
    p = b.start("run", "hello", stdin=subprocess.DEVNULL)
    said = p.stderr.readline()
    assert "waiting for tool servers to start: late" in said, said + p.stderr.read()
    (b.dir / "seen" / "go").touch()
    assert p.wait(DEADLINE_S) == 0
    assert "waiting for tool servers" not in b.run("run", "hello", code=0).err
