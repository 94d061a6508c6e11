"""Questions, Ctrl-C and restarts in a terminal."""
import os
import signal
import subprocess
import termios

from cli_fixture import DEADLINE_S, test, until


@test
def in_a_terminal_the_question_comes_inline(b):
    t = b.terminal("run", "approve")
    t.expect("[y] once")
    t.type("y\n")
    assert t.wait() == 0
    assert (b.work / "thole-note.txt").exists()
    assert "\x1b[" in t.seen

    (b.work / "thole-note.txt").unlink()
    t = b.terminal("run", "approve")
    t.expect("[n] no")
    t.type("\n")
    t.expect("why")
    t.type("no reason\n")
    assert t.wait() == 0
    assert "Nothing was written" in t.seen and not (b.work / "thole-note.txt").exists()

    t = b.terminal("run", "approve", EDITOR="sed -i s/thole-note/edited/")
    t.expect("[e] edit")
    t.type("e\n")
    assert t.wait() == 0
    assert (b.work / "edited.txt").exists()

    t = b.terminal("run", "question", NO_COLOR="1")
    t.expect("a number")
    t.type("9\n")
    t.expect("does not fit")
    t.type("up\n")
    assert t.wait() == 0
    assert "Your answer was: up the river" in t.seen and "\x1b[" not in t.seen


@test
def two_terminals_share_one_question(b):
    t = b.terminal("run", "approve")
    t.expect("[y] once")
    action, = b.pending()
    b.run("approve", action, code=0)
    assert t.wait() == 0
    assert "allow" in t.seen and (b.work / "thole-note.txt").exists()


@test
def typing_ahead_is_no_consent(b):
    t = b.terminal("run", "approve")
    t.type("y\n")
    t.expect("[y] once")
    t.type("n\n")
    t.expect("why")
    t.type("\n")
    assert t.wait() == 0
    assert not (b.work / "thole-note.txt").exists()


@test
def leaving_a_question_leaves_it_open(b):
    t = b.terminal("run", "approve")
    t.expect("[y] once")
    t.type("\x04")
    assert t.wait() == 4
    assert "thole approve act_" in t.seen
    assert len(b.pending()) == 1


@test
def ctrl_c_stops_the_turn(b):
    t = b.terminal("run", "hang")
    t.expect("Wait for it")
    t.type("\x03")
    assert t.wait() == 130
    assert b.run("ps", "-q", code=0).out == ""
    assert "cancelled" in b.run("show", code=0).out
    p = b.start("run", "hang")
    until("the turn", lambda: b.run("ps", "-q", code=0).out)
    p.send_signal(signal.SIGINT)
    p.wait(DEADLINE_S)
    assert p.returncode == 130


@test
def a_second_ctrl_c_leaves_at_once(b):
    t = b.terminal("run", "hang")
    t.expect("Wait for it")
    daemon = until("a daemon", b.daemon)
    os.kill(daemon, signal.SIGSTOP)
    try:
        t.type("\x03")
        t.expect("stopping")
        t.type("\x03")
        assert t.wait() == 130
    finally:
        os.kill(daemon, signal.SIGCONT)
    b.run("stop", "@last", code=0)
    until("the end of the turn", lambda: b.run("ps", "-q", code=0).out == "")


@test
def a_restart_in_between_is_survived(b):
    b.env["THOLE_SCRIPT"] = b.rowing()
    p = b.start("run", "slow", stdin=subprocess.DEVNULL)
    until("the tool", lambda: "tool.progress" in b.run("log", code=None).out)
    b.signal(signal.SIGKILL)
    out, err = p.communicate(timeout=DEADLINE_S)
    assert p.returncode == 4 and "thole resume " in err, (out, err)
    assert "lost" in b.run("why", code=0).out
    b.run("resume", "@last", code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert b.run("verify", code=0).out.startswith("whole")


@test
def only_a_yes_goes_on_after_a_restart(b):
    b.env["THOLE_SCRIPT"] = b.rowing()
    t = b.terminal("run", "--no-color", "slow")
    until("the tool", lambda: "tool.progress" in b.run("log", code=None).out)
    b.signal(signal.SIGKILL)
    t.expect("[y] continue")
    t.type("ls -la\n")
    t.expect("[y] continue")
    t.type("\n")
    assert t.wait() == 4
    assert "lost" in b.run("why", code=0).out


@test
def the_question_shows_what_one_has_to_know(b):
    (b.work / "link").symlink_to("/etc/passwd")
    long = "; ".join(["make test"] + [f"echo {n}" for n in range(100)] + ["echo the end"])
    patch = "*** Begin Patch\n*** Add File: a\n+one\n+  two\n" + "+more\n" * 40 + "*** End Patch\n"

    def rule(word, name, args):
        return {"when": {"text": word}, "replies": [{"toolCalls": [{"name": name, "args": args}]}, {"text": "done"}]}

    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        rule("patch", "apply_patch", {"patch": patch}), rule("link", "read_file", {"path": "link"}),
        rule("edit", "edit_file", {"path": "f", "oldText": "a\nb\n", "newText": "c\n"}), rule("long", "shell", {"command": long}),
        rule("deep", "shell", {"command": "make test\n" + long})]})

    def asked(word):
        t = b.terminal("run", "--no-color", "--mode", "default", word)
        t.expect("[n] no")
        t.type("n\n\n")
        t.wait()
        return [line.rstrip() for line in t.before.replace("\r", "").split("\n")]

    lines = asked("patch")
    at = lines.index("    patch:")
    assert lines[at + 1:at + 5] == ["      *** Begin Patch", "      *** Add File: a", "      +one", "      +  two"], lines
    assert "      *** End Patch" in lines and not any("more lines" in line for line in lines), lines  # whole, whatever its length
    lines = asked("edit")
    at = lines.index("    oldText:")
    assert lines[at:at + 5] == ["    oldText:", "      - a", "      - b", "    newText:", "      + c"], lines
    assert any("mode default asks" in line for line in lines), lines
    assert "    command: " + long in asked("long")
    lines = asked("deep")
    assert "      " + long in lines, lines
    b.run("run", "-d", "link", code=0)
    action, = until("the question", b.pending)
    shown = b.run("show", action, code=0).out
    assert "path: link" in shown and "it leads out of the workspace: /etc/passwd" in shown and " asks: read_file link" in shown, shown


@test
def a_signal_gives_the_terminal_back_as_it_was(b):
    """SIGTERM while a list or a hidden line is shown left the terminal without echo and without lines."""
    b.run("run", "apples", code=0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        for words, shown in ((["resume"], "Sessions"), (["auth", "add", "openai"], "it is not shown")):
            t = b.terminal(*words)
            before = termios.tcgetattr(t.fd)[3]
            t.expect(shown)
            assert not termios.tcgetattr(t.fd)[3] & (termios.ECHO | termios.ICANON)
            os.kill(t.pid, number)
            until("its end", lambda t=t: (t.pump(0.02), os.waitid(os.P_PID, t.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))[1])
            after = termios.tcgetattr(t.fd)[3]
            assert after & termios.ECHO and after & termios.ICANON and after & termios.ISIG, (words, number, before, after)
