#!/usr/bin/env python3
"""The command line against the real program: verbs, exit codes, autostart, terminals, Ctrl-C.

usage: cli_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory of its own; whatever it started is ended with it.
Nothing sleeps: what has to happen is waited for, with a bound.
"""
import fcntl
import json
import os
import pathlib
import pty
import resource
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback
import urllib.error
import urllib.request

THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
WAIT_S = 20
tests = []


class Skip(Exception):
    """What the test needs is not on this machine."""


def test(f):
    tests.append(f)
    return f


def until(what, done, seconds=WAIT_S):
    """Polls until done() is true, and returns what it said."""
    end = time.monotonic() + seconds
    while True:
        got = done()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for: {what}")
        select.select([], [], [], 0.02)


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    def ids(self):
        return self.out.split()

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, args, env, cwd, program=THOLE):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                os.execve(program, [os.path.basename(program), *args], env)
            finally:
                os._exit(127)

    def pump(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.fd, 65536).decode("utf-8", "replace")
            except OSError:
                return False
        return True

    def expect(self, text, seconds=WAIT_S):
        end = time.monotonic() + seconds
        while text not in self.seen:
            if not self.pump(0.1) or time.monotonic() > end:
                raise AssertionError(f"{text!r} did not appear in:\n{self.seen}")
        self.before, self.seen = self.seen.split(text, 1)

    def size(self, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, seconds=WAIT_S):
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.pump(0):
                    if not select.select([self.fd], [], [], 0)[0]:
                        break
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > end:
                raise AssertionError(f"it does not end; it said:\n{self.seen}")
            self.pump(0.02)

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Box:
    """A home, a data directory and a working directory that go when the test ends."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-cli-"))
        self.data, self.work, self.tmp = self.dir / "data", self.dir / "work", self.dir / "tmp"
        self.work.mkdir()
        self.tmp.mkdir()
        self.started, self.terminals = [], []
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("THOLE_", "XDG_")) and k not in ("NO_COLOR", "EDITOR", "VISUAL")}
        self.env.update(HOME=str(self.dir), THOLE_DATA=str(self.data), TERM="xterm",
                        TMPDIR=str(self.tmp))

    def run(self, *args, stdin="", code=None, **env):
        p = subprocess.run([THOLE, *args], input=stdin, capture_output=True, text=True, timeout=60,
                           env={**self.env, **env}, cwd=self.work)
        r = Result(p)
        if code is not None:
            assert r.code == code, f"wanted exit {code}: thole {' '.join(args)}\n{r}"
        return r

    def start(self, *args, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        p = subprocess.Popen([THOLE, *args], text=True, env=self.env, cwd=self.work, **options)
        self.started.append(p)
        return p

    def terminal(self, *args, program=THOLE, **env):
        t = Terminal(args, {**self.env, **env}, self.work, program)
        self.terminals.append(t)
        return t

    def daemon(self):
        """The process that owns the data directory, or 0."""
        try:
            pid = int((self.data / "lock").read_text())
            return 0 if pathlib.Path(f"/proc/{pid}/status").read_text().split("State:")[1].split()[0] == "Z" else pid
        except (OSError, ValueError):
            return 0

    def signal(self, number):
        """To the daemon, once there is one: kill(0) would reach everybody around us."""
        until("a daemon", self.daemon)
        pid = self.daemon()
        if pid > 0:
            os.kill(pid, number)

    def pending(self):
        return self.run("approvals", "-q", code=0).ids()

    def session(self):
        return self.run("ps", "--all", "-q", code=0).ids()[0]

    def script(self, value):
        path = self.dir / "script.json"
        path.write_text(json.dumps({"version": 1, **value}))
        return str(path)

    def close(self):
        for t in self.terminals:
            t.close()
        for p in self.started:
            p.kill()
            p.communicate()
        pid = self.daemon()
        if pid:
            os.kill(pid, signal.SIGKILL)
            until("the daemon's end", lambda: not self.daemon())
        shutil.rmtree(self.dir, ignore_errors=True)


# ---- words ----

@test
def version_and_help(b):
    assert b.run("version", code=0).out.startswith("thole ")
    assert b.run("--version", code=0).out == b.run("version", code=0).out
    short = b.run("help", code=0).out
    assert len([line for line in short.splitlines() if line.startswith("  thole ")]) == 11
    assert b.run(code=0).out == short
    everything = b.run("help", "all", code=0).out
    for line in everything.splitlines():
        if line.startswith("  thole "):
            verb = line.split()[1]
            assert b.run("help", verb, code=0).out.startswith(f"thole {verb}")
            assert b.run(verb, "--help", code=0).out == b.run("help", verb, code=0).out
    assert "--no-start " in everything and max(map(len, everything.splitlines())) <= 100, everything
    for verb in ("sandbox", "pair", "task"):
        own = b.run("help", verb, code=0).out
        assert "--no-start," in own and max(map(len, own.splitlines())) <= 110, own
    assert not b.data.exists(), "help starts nothing"


@test
def mistakes_are_exit_2_with_a_hint(b):
    r = b.run("shwo", code=2)
    assert "thole show" in r.err and "thole run shwo" in r.err and not r.out
    assert "-f" in b.run("run", "-f", "x", code=2).err
    for noun, form in (("task", "new OBJECTIVE"), ("job", "new INSTRUCTION"), ("schedule", "new OBJECTIVE"),
                       ("process", "ls [SESSION]"), ("policy", "test COMMAND")):
        for words in ([noun], [noun, "dance"]):
            r = b.run(*words, code=2)
            assert form in r.err and f"thole help {noun}" in r.err, r.err
    for noun in ("task", "job", "schedule"):
        r = b.run(noun, "show", code=2)
        assert f"`thole {noun} ls` lists them" in r.err and "new " not in r.err, r.err
    assert "2026-12-24T18:00:00Z" in b.run("schedule", "new", "x", "--at", "soon", code=2).err
    for args in (["ps", "--bogus"], ["log", "--since", "soon"], ["run", "--timeout", "never", "x"],
                 ["run", "--budget", "much", "x"], ["send", "@last", "x", "--delivery", "maybe"],
                 ["approve"], ["export", "session"], ["ps", "extra"], ["completion", "tcsh"],
                 ["run", ""], ["run", "--session"], ["path", "nowhere"], ["-dash it all"]):
        assert b.run(*args, code=2).err, args
    assert not b.data.exists(), "a mistake starts nothing"


@test
def completion_is_a_script(b):
    text = b.run("completion", "bash", code=0).out
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
    out = subprocess.run(["bash"], input=text + "\nCOMP_WORDS=(thole appr); COMP_CWORD=1; _thole\n"
                         'echo "${COMPREPLY[@]}"\n', text=True, capture_output=True, check=True).stdout
    assert out.split() == ["approvals", "approve"]


@test
def completion_of_fish_knows_words_and_options(b):
    fish = b.run("completion", "fish", code=0).out
    if not shutil.which("fish"):
        raise Skip("there is no fish")
    def offers(line):
        out = subprocess.run(["fish", "--no-config", "-c", fish + f"\ncomplete -C '{line}'"], text=True, capture_output=True,
                             check=True, env=b.env, timeout=20).stdout
        return [row.split("\t")[0] for row in out.splitlines()]
    assert offers("thole appr") == ["approvals", "approve"]
    assert offers("thole approve --sc") == ["--scope"]
    assert sorted(offers("thole approve --scope ")) == ["once", "session", "turn", "workspace"]
    assert offers("thole show @l") == ["@last"]
    assert offers("thole sandbox r") == ["run"]
    assert "--budget" not in offers("thole sandbox run --b"), "that is an option of another verb"
    assert "man" in offers("thole help m")


@test
def completion_of_zsh_knows_words_and_options(b):
    script = b.dir / "_thole"
    script.write_text(b.run("completion", "zsh", code=0).out)
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    subprocess.run(["zsh", "-n", str(script)], check=True, timeout=20)
    t = b.terminal("-f", "-i", program=shutil.which("zsh"), TERM="dumb")
    t.type(f"autoload -U compinit; compinit -u -D; . {script}; bindkey -e; setopt no_beep; LISTMAX=0\n"
           "tell() { print -r -- \"<<$BUFFER>>\"; BUFFER=; zle reset-prompt }; zle -N tell; bindkey '^T' tell; echo RE''ADY\n")
    t.expect("READY")
    t.type("thole approv\t")
    t.expect("Decisions that are owed.")
    t.type("\x15")
    for typed, made in (("thole approve --sc", "thole approve --scope"), ("thole approve --scope wor", "thole approve --scope workspace"),
                        ("thole show @l", "thole show @last"), ("thole pair rev", "thole pair revoke"),
                        ("thole sandbox run --prof", "thole sandbox run --profile"), ("thole help comple", "thole help completion")):
        t.type(typed + "\t\x14")
        t.expect("<<")
        t.expect(">>")
        assert made in t.before, (typed, t.before)


@test
def the_manual_is_written_from_the_table(b):
    page = b.run("help", "man", code=0).out
    verbs = [line.split()[1] for line in b.run("help", "all", code=0).out.splitlines() if line.startswith("  thole ")]
    assert re.findall(r"^\.SS thole (\S+)", page, re.M) == verbs
    groff = shutil.which("groff")
    if groff:
        r = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-K", "utf8"], input=page, capture_output=True, text=True)
        assert r.returncode == 0 and not r.stderr, r.stderr
        assert "--budget" in re.sub(r"\x1b\[[0-9;]*m|.\x08", "", r.stdout)


# ---- run ----

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
    assert "does as it is told" in r.err and not r.out
    assert "budget" in b.run("run", "hi", "--budget", "0.000001", code=6).err
    b.run("run", "hi", "-m", "nosuch/model", code=3)
    r = b.run("run", "hang", "--timeout", "300ms", code=124)
    assert "Wait for it" in r.out
    assert b.run("ps", "-q", code=0).out == "", "what timed out was stopped"
    b.run("run", "hi", "-s", "sess_none", code=1)
    b.run("run", "hi", "-C", "/nowhere", code=2)
    b.run("run", "retry", code=0)


@test
def every_end_of_a_turn_has_its_exit_code(b):
    """docs/cli.md has the table; the words are the catalogue's error categories."""
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
    b.run("run", "first", code=0)
    wal = b.data / "log.db-wal"
    resource.prlimit(b.daemon(), resource.RLIMIT_FSIZE, (wal.stat().st_size,) * 2)
    r = b.run("run", "second", code=70)
    assert "disk" in r.err or "store" in r.err, r
    until("the daemon's end", lambda: not b.daemon())
    until("the fact of it", lambda: "previous_run_store_failed" in b.run("log", "sess_node_local", "--json").out)
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
    assert "Nothing was written" in b.run("run", *at, "approve", code=0).out, "nobody can be asked"
    b.run("run", *at, "-c", "permission.interactive=true", "approve", code=4)
    assert b.run("config", "--json", code=0).json()["project"] == {"permission.interactive": False}


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


# ---- the daemon ----

@test
def starters_at_once_end_up_with_one_daemon(b):
    started = [b.start("run", f"number {i}") for i in range(8)]
    out = [p.communicate(timeout=60) for p in started]
    for i, p in enumerate(started):
        assert p.returncode == 0 and f"number {i}" in out[i][0], out[i]
    assert sum("started a daemon" in err for _, err in out) == 1
    assert len(b.run("ps", "--all", "-q", code=0).ids()) == 8
    assert (b.data / "daemon.log").read_text().count("unix:") == 1


@test
def a_dead_daemon_is_replaced(b):
    b.run("run", "one", code=0)
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    b.run("ps", "--no-start", code=1)
    r = b.run("run", "-s", "@last", "two", code=0)
    assert "started a daemon" in r.err and "turn 2" in r.out


@test
def a_daemon_that_is_stopping_is_waited_for(b):
    b.run("run", "one", code=0)
    for _ in range(5):
        b.signal(signal.SIGTERM)
        # The one that stops may still answer; then nobody has started another one.
        until("another daemon", lambda: b.run("ps", code=0) and b.daemon())


@test
def a_daemon_that_cannot_start_says_why(b):
    bad = b.dir / "bad.json"
    bad.write_text("{")
    r = b.run("ps", THOLE_SCRIPT=str(bad), code=3)
    assert "bad.json" in r.err and "daemon.log" in r.err
    b.run("ps", "--data", "/proc/none/data", code=3)


@test
def serve_listens_and_stops_in_order(b):
    p = b.start("serve", "--listen", "127.0.0.1:0")
    line = p.stderr.readline()
    assert "http://127.0.0.1:" in line and str(b.data) in line, line
    url = line.split()[1]
    token = b.run("token", code=0).out.strip()
    assert len(token) >= 32
    import urllib.request
    req = urllib.request.Request(url + "/v1/sessions", headers={"Authorization": "Bearer " + token})
    assert json.load(urllib.request.urlopen(req, timeout=WAIT_S)) == {"sessions": []}
    r = b.run("serve", code=1)
    assert "in use" in r.err and "thole serve --stop" in r.err, r.err
    r = b.run("serve", "--data", str(b.dir / "other"), "--listen", url.split("//")[1], code=1)
    assert "Another program listens there" in r.err and "lock" not in r.err, r.err
    assert "HOST:PORT" in b.run("serve", "--data", str(b.dir / "other"), "--listen", "nowhere", code=3).err
    p.send_signal(signal.SIGTERM)
    p.wait(WAIT_S)
    assert p.returncode == 0
    b.run("serve", "--listen", "0.0.0.0:0", code=3)


@test
def serve_ends_by_itself_when_idle(b):
    p = b.start("serve", "--idle-exit", "200ms")
    p.wait(WAIT_S)
    assert p.returncode == 0, p.stderr.read()


@test
def rpc_is_a_bridge(b):
    ask = '{"jsonrpc":"2.0","id":7,"method":"get_capabilities","params":{}}\n'
    r = b.run("rpc", stdin=ask, code=0)
    reply = json.loads(r.out.splitlines()[0])
    assert reply["id"] == 7 and reply["result"]["name"] == "thole"
    p = b.start("rpc", stdin=subprocess.PIPE)
    p.stdin.write(ask)
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == 7
    b.signal(signal.SIGKILL)
    p.wait(WAIT_S)
    assert p.returncode == 1 and "went away" in p.stderr.read()


# ---- decisions ----

@test
def without_a_person_the_command_to_type_is_printed(b):
    r = b.run("run", "approve", code=4)
    action, = b.pending()
    assert f"thole approve {action}" in r.err and f"thole deny {action}" in r.err
    assert "asks you first" in r.out and action not in r.out
    assert not (b.work / "thole-note.txt").exists()
    assert "waiting_permission" in b.run("ps", code=0).out
    why = b.run("why", code=0).out
    assert "A decision is owed" in why and f"thole approve {action}" in why
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
def a_waiting_run_goes_on_when_somebody_else_decides(b):
    p = b.start("run", "--wait", "approve")
    action = until("the question", b.pending)[0]
    b.run("approve", action, code=0)
    out, err = p.communicate(timeout=WAIT_S)
    assert p.returncode == 0 and "thole-note.txt" in out, (out, err)


# ---- terminals ----

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
    p.wait(WAIT_S)
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
        assert t.wait(5) == 130
    finally:
        os.kill(daemon, signal.SIGCONT)
    b.run("stop", "@last", code=0)
    until("the end of the turn", lambda: b.run("ps", "-q", code=0).out == "")


@test
def a_restart_in_between_is_survived(b):
    p = b.start("run", "slow", stdin=subprocess.DEVNULL)
    until("the tool", lambda: "tool.progress" in b.run("log", code=None).out)
    b.signal(signal.SIGKILL)
    out, err = p.communicate(timeout=60)
    assert p.returncode == 4 and "thole resume " in err, (out, err)
    assert "lost" in b.run("why", code=0).out
    b.run("resume", "@last", code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert b.run("verify", code=0).out.startswith("whole")


# ---- looking ----

@test
def everything_can_be_shown(b):
    b.run("run", "approve", code=4)
    first = b.session()
    b.run("run", "hello", code=0)
    events = b.run("export", "session", first, code=0).lines()
    turn = next(e for e in events if e["type"] == "turn.submitted")
    action, = b.pending()
    for ident in (first, turn["turnId"], turn["threadId"], turn["taskId"], action):
        assert ident in b.run("show", ident, code=0).out, ident
        assert b.run("show", ident, "--json", code=0).json()
    assert first in b.run("show", first[:19], code=0).out
    b.run("run", "-s", "@last", "hello", code=0)
    row = b.run("ps", "--all", "--json", code=0).json()["sessions"][0]
    costs = [e["payload"]["costUsd"] for e in b.run("export", "session", "@last", code=0).lines() if e["type"] == "turn.completed"]
    assert len(costs) == 2 and abs(sum(costs) - row["costUsd"]) < 1e-9, (costs, row)
    shown = re.search(r"^cost +\$([0-9.]+)$", b.run("show", code=0).out, re.M)
    assert float(shown[1]) == row["costUsd"], (shown[0], row)
    assert "several" in b.run("show", "sess_", code=2).err
    b.run("show", "sess_nothing", code=1)
    b.run("show", "no such id", code=2)
    assert b.run("why", "--json", first, code=0).json()["waitingFor"] == "permission"
    assert b.run("ps", "-q", code=0).ids() == [first]
    assert len(b.run("ps", "--all", "--json", code=0).json()["sessions"]) == 2


@test
def the_log_can_be_filtered_and_followed(b):
    b.run("run", "hello", code=0)
    everything = b.run("log", "--json", code=0).lines()
    assert b.run("log", "--json", "--since", "5", code=0).lines() == everything[5:]
    turns = b.run("log", "--json", "--type", "turn.*", code=0).lines()
    assert turns == [e for e in everything if e["type"].startswith("turn.")]
    b.run("log", "--type", "no.such.class", code=2)
    assert len(b.run("log", code=0).out.splitlines()) == len(everything)

    follower = b.start("log", "-f", "--json", "@last")
    for _ in everything:
        follower.stdout.readline()
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    b.run("run", "-s", "@last", "more", code=0)
    seqs = [e["sequence"] for e in everything]
    while json.loads(line := follower.stdout.readline())["type"] != "turn.completed":
        seqs.append(json.loads(line)["sequence"])
    assert seqs == list(range(1, len(seqs) + 1)), "nothing is missed, nothing comes twice"


@test
def turns_wait_in_a_queue(b):
    ids = b.run("run", "-d", "--json", "hang", code=0).json()
    s = ids["sessionId"]
    one = b.run("send", s, "one", "-q", code=0).out.strip()
    two = b.run("send", s[:20], "two", "--json", code=0).json()
    assert two["status"] == "queued"

    def order():
        return [q["turnId"] for q in b.run("queue", s, "--json", code=0).json()["queuedTurns"]]
    assert order() == [one, two["turnId"]]
    b.run("queue", s, "--promote", two["turnId"], code=0)
    assert order() == [two["turnId"], one]
    b.run("queue", s, "--move", "1", "2", code=0)
    assert order() == [one, two["turnId"]]
    b.run("queue", s, "--remove", "2", code=0)
    assert order() == [one]
    b.run("queue", s, "--remove", "turn_none", code=1)
    b.run("send", s, "no", "--delivery", "reject", code=1)
    b.run("stop", s, code=0)
    until("the held queue", lambda: "held" in b.run("why", s, code=0).out)
    b.run("run", "-s", s, "behind it", code=4)
    b.run("resume", s, code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert "nothing" in b.run("resume", s, code=0).err
    assert "nothing" in b.run("stop", s, code=0).err


@test
def an_interrupting_turn_takes_over(b):
    s = b.run("run", "-d", "--json", "hang", code=0).json()["sessionId"]
    r = b.run("run", "-s", s, "--delivery", "interrupt", "now this", code=0)
    assert "now this" in r.out


@test
def doctor_finds_what_is_wrong(b):
    assert b.run("doctor", code=0).out
    assert b.run("doctor", "--json", code=0).json()["ok"] is True
    b.run("ps", code=0)
    checks = {c["id"]: c for c in b.run("doctor", "--json", code=0).json()["checks"]}
    assert checks["daemon.version"]["status"] == "ok"
    os.chmod(b.data, 0o755)
    r = b.run("doctor", code=1)
    assert "chmod 700" in r.out
    b.run("doctor", "--data", "/proc/none", code=1)


@test
def settings_that_a_running_daemon_has_not_read_are_told(b):
    conf = b.dir / ".config" / "thole" / "config.json"
    conf.parent.mkdir(parents=True)
    conf.write_text("{}")
    assert "has changed" not in b.run("models", code=0, XDG_CONFIG_HOME="").err
    conf.write_text(json.dumps({"providers": {"ollama": {"models": ["late"]}}}))
    later = (b.data / "lock").stat().st_mtime + 1
    os.utime(conf, (later, later))
    advice = "thole serve --stop"
    for words, code in ((["models"], 0), (["config"], 0), (["run", "-m", "ollama/late", "hello"], 3)):
        r = b.run(*words, code=code, XDG_CONFIG_HOME="")
        assert f"{conf} has changed since the daemon started" in r.err and advice in r.err, r.err
    rows = b.run("doctor", "--json", code=0, XDG_CONFIG_HOME="").json()["checks"]
    found = next(c for c in rows if c["id"] == "settings")
    assert found["status"] == "note" and advice in found["remedy"], found
    pid = b.daemon()
    assert f"process {pid} has stopped" in b.run("serve", "--stop", code=0).err and b.daemon() != pid
    assert "no daemon runs" in b.run("serve", "--stop", code=0).err
    os.utime(conf)
    r = b.run("models", code=0, XDG_CONFIG_HOME="")
    assert "ollama/late" in r.out and "has changed" not in r.err, (r.out, r.err)


@test
def doctor_looks_at_ports_providers_servers_and_the_log(b):
    def checks(*words, code=0, **env):
        rows = b.run("doctor", "--json", *words, code=code, **env).json()["checks"]
        return {c["id"]: c for c in rows}
    assert not {"providers.key", "tools.servers", "log.chain"} & checks().keys(), "nothing is started"
    assert not b.data.exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        found = checks("--listen", address, code=1)["port"]
        assert found["status"] == "bad" and address in found["detail"] and found["remedy"], found
        # Somebody takes connections at one provider's address, and nobody at the other's.
        with socket.create_server(("127.0.0.1", 0)) as closed:
            away = f"127.0.0.1:{closed.getsockname()[1]}"
        providers = {name: {"baseUrl": f"http://{where}/v1", "dialect": "compatible", "keyEnv": f"TEST_KEY_{name.upper()}",
                            "models": [f"m-{name}"]} for name, where in (("here", address), ("away", away))}
        servers = {"broken": {"command": "/nonexistent/server"}}
        config = b.dir / "c.json"
        config.write_text(json.dumps({"providers": providers, "mcp": {"servers": servers}}))
        b.env["TEST_KEY_HERE"] = "k"
        p = b.start("serve", "--config", str(config), "--listen", "127.0.0.1:0")
        daemon = next(m.group(1) for m in (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in p.stderr) if m)
        b.run("run", "-m", "scripted/demo", "hello", code=0)
        until("the server is given up", lambda: "down" in checks(code=None).get("tools.servers", {}).get("detail", ""))
        found = checks(code=1)
        assert found["providers.key"]["status"] == "note" and "away" in found["providers.key"]["detail"], found
        assert "here" not in found["providers.key"]["detail"] and "providers.reach" not in found
        assert found["tools.servers"]["status"] == "bad" and "broken" in found["tools.servers"]["detail"]
        assert found["log.chain"]["status"] == "ok" and "whole" in found["log.chain"]["detail"]
        assert checks("--listen", f"127.0.0.1:{daemon}", code=1)["port"]["status"] == "ok", "the daemon's own"
        found = checks("--online", code=1)["providers.reach"]
        assert found["status"] == "bad" and away in found["detail"] and address not in found["detail"], found
    assert checks("--listen", "nonsense", code=1)["port"]["status"] == "bad"


@test
def doctor_tells_the_tier_and_why(b):
    def sandbox(code=0, **env):
        return next(c for c in b.run("doctor", "--json", code=code, **env).json()["checks"] if c["id"] == "sandbox")
    host = b.run("sandbox", "probe", code=0).json()
    check = sandbox()
    assert host["tier"] in check["detail"], check
    assert check["status"] == ("note" if "reason" in host else "ok")
    assert all(gap in check["detail"] for gap in next(t for t in host["tiers"] if t["tier"] == host["tier"])["gaps"])
    assert sandbox(1, THOLE_HAND="/nonexistent")["status"] == "bad"


@test
def a_command_runs_in_a_cage(b):
    outside, secret = b.dir / "outside", b.work / "secret"
    outside.mkdir()
    secret.write_text("canary\n")
    (b.work / "hello").write_text("hello\n")
    assert b.run("sandbox", "run", "--", "cat", "hello", code=0).out == "hello\n"
    assert b.run("sandbox", "run", "--", "sh", "-c", "exit 7").code == 7
    assert b.run("sandbox", "run", "--", "no-such-program").code == 127
    assert b.run("sandbox", "run", "--", "cat", stdin="from outside", code=0).out == "from outside"
    # writing: not with read-only, in the workspace, elsewhere only when asked for
    b.run("sandbox", "run", "--profile", "read-only", "--", "sh", "-c", "echo x > made")
    assert not (b.work / "made").exists()
    b.run("sandbox", "run", "--profile", "workspace-write", "-C", str(b.work), "--", "sh", "-c", "echo x > made", code=0)
    assert (b.work / "made").read_text() == "x\n"
    b.run("sandbox", "run", "--", "sh", "-c", f"echo x > {outside}/x")
    assert not (outside / "x").exists()
    b.run("sandbox", "run", "--write", str(outside), "--", "sh", "-c", f"echo x > {outside}/x", code=0)
    assert (outside / "x").exists()
    # reading
    r = b.run("sandbox", "run", "--deny-read", str(secret), "--", "cat", "secret")
    assert r.code != 0 and "canary" not in r.out + r.err
    r = b.run("sandbox", "run", "--env", "WORD=said", "--", "sh", "-c", "echo $WORD$THOLE_DATA", code=0)
    assert r.out == "said\n"


@test
def the_facts_of_a_cage_are_told(b):
    r = b.run("sandbox", "run", "--json", "--net", "off", "--", "true", code=0)
    facts = json.loads(r.err)
    assert r.out == "" and facts["sandboxProfile"]["mode"] == "workspace_write"
    assert facts["sandboxProfile"]["tier"] == b.run("sandbox", "probe", code=0).json()["tier"]
    assert facts["process"]["exitCode"] == 0 and facts["process"]["survivors"] == 0
    r = b.run("sandbox", "run", "--json", "--timeout", "1s", "--", "sleep", "30")
    assert json.loads(r.err)["process"]["cause"] == "timeout"
    with open(b.dir / "facts", "w") as f:
        subprocess.run(["sh", "-c", f"exec {THOLE} sandbox run --json -- true 3>&1 >/dev/null"], stdout=f, env=b.env,
                       cwd=b.work, check=True, timeout=60)
    assert json.loads((b.dir / "facts").read_text())["violations"] == []


@test
def a_cage_that_cannot_be_had_is_refused(b):
    for args in (["sandbox"], ["sandbox", "walk"], ["sandbox", "run"], ["sandbox", "probe", "x"],
                 ["sandbox", "run", "--profile", "anything", "--", "true"]):
        assert b.run(*args, code=2).err, args
    assert b.run("sandbox", "run", "-C", "/nonexistent", "--", "true", code=125).err
    assert "THOLE_HAND" in b.run("sandbox", "run", "--", "true", code=8, THOLE_HAND="/nonexistent").err
    assert not b.data.exists(), "no daemon is needed"


@test
def paths_and_settings_are_told(b):
    assert b.run("path", code=0).out.strip() == str(b.data)
    assert b.run("path", "socket", code=0).out.strip() == str(b.data / "socket")
    assert b.run("path", THOLE_DATA="", code=0).out.strip() == str(b.dir / ".local/state/thole")
    assert b.run("path", THOLE_DATA="", XDG_STATE_HOME="/x", code=0).out.strip() == "/x/thole"
    assert b.run("path", "--data", "rel", code=0).out.strip() == str(b.work / "rel")
    assert not b.data.exists()
    out = b.run("config", code=0).out
    assert str(b.data) in out and "THOLE_DATA" in out
    b.run("channel", "list", code=0)


@test
def a_command_is_judged_without_being_run(b):
    rules = b.work / "rules.json"
    rules.write_text(json.dumps({"rules": [{"id": "no-rm", "effect": "deny", "command": ["rm"]},
                                           {"id": "tests", "effect": "allow", "command": ["make", "test"]}]}))
    marker = b.work / "marker"
    marker.write_text("still here")
    d = b.run("policy", "test", "--rules", str(rules), "-C", str(b.work), "--json", "make test && rm marker", code=0).json()
    assert d["decision"] == "deny" and d["decisionSource"] == "rule" and d["ruleRefs"] == ["rule:user:tests", "rule:user:no-rm"], d
    assert [s["decision"] for s in d["subcommands"]] == ["allow", "deny"] and d["destructive"] is True
    assert d["impact"]["paths"] == [str(marker.resolve())] and marker.exists()
    assert b.run("policy", "test", "--rules", str(rules), "make test", code=0).out.startswith("allow")
    assert b.run("policy", "test", "--rules", "host_policy=" + str(rules), "--json", "rm x", code=0).json()["decisionSource"] == "host_policy"
    assert b.run("policy", "test", "--rules", str(rules), "--mode", "plan", "make test", code=0).out.startswith("deny")
    assert b.run("policy", "test", "--rules", str(rules), "--unattended", "make", code=0).out.startswith("deny")
    out = b.run("policy", "explain", "--rules", str(rules), "ls | xargs rm", code=0).out
    assert "no-rm" in out and "xargs" in out
    assert not b.data.exists(), "no runtime is needed"


@test
def tool_servers_are_listed_and_trusted(b):
    server = pathlib.Path(__file__).resolve().parent.parent / "mcp" / "server.py"
    shutil.copy(server, b.work)
    (b.work / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": {"command": "python3", "args": ["server.py"]}}}))
    b.start("serve").stderr.readline()
    row = b.run("mcp", "ls", "--json", code=0).json()[0]
    assert row["name"] == "own" and row["status"] == "untrusted" and row["toolCount"] == 0, row
    assert "untrusted" in b.run("mcp", "ls", code=0).out
    assert row["contentHash"] in b.run("mcp", "show", "own", code=0).out
    b.run("mcp", "trust", "nobody", code=1)
    b.run("mcp", "trust", code=2)
    b.run("mcp", "dance", code=2)
    b.run("mcp", "trust", "own", "--reason", "read it", code=0)
    end = time.monotonic() + 20
    while b.run("mcp", "show", "own", "--json", code=0).json()["status"] != "ready":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert "11" in b.run("mcp", "ls", code=0).out


@test
def rules_that_cannot_be_read_decide_nothing(b):
    bad = b.work / "bad.json"
    bad.write_text('{"rules": [{"effect": "allow", "comand": ["ls"]}]}')
    r = b.run("policy", "test", "--rules", str(bad), "ls", code=3)
    assert not r.out and "unknown field comand" in r.err
    b.run("policy", "test", "--rules", str(b.work / "none.json"), "ls", code=3)
    b.run("policy", "test", code=2)
    b.run("policy", "test", "ls", "-la", code=2)
    b.run("policy", "dance", code=2)
    b.run("policy", "test", "--mode", "wild", "ls", code=2)


@test
def links_are_followed_before_paths_are_compared(b):
    (b.work / "secret").mkdir()
    os.symlink("secret", b.work / "alias")
    os.symlink("/etc", b.work / "away")
    rules = b.work / "rules.json"
    rules.write_text('{"rules": [{"effect": "deny", "path": "secret"}]}')
    for command in ("cat alias/x", "cat secret/x", "cd alias && cat x", "cat alias/*", "echo hi > alias/new"):
        assert b.run("policy", "test", "--rules", str(rules), command, code=0).out.split()[0] in ("deny", "ask"), command
    assert b.run("policy", "test", "--rules", str(rules), "cat alias/x", code=0).out.startswith("deny")
    for command in ("cat away/passwd", "cat away/*", "cd away; cat passwd"):
        assert b.run("policy", "test", command, code=0).out.startswith("ask"), command


@test
def rules_of_all_layers_add_up_and_a_project_only_forbids(b):
    user = b.dir / ".config" / "thole"
    user.mkdir(parents=True)
    (user / "config.json").write_text('{"permission": {"rules": [{"id": "mine", "effect": "deny", "command": ["curl"]}]}}')
    (b.work / ".thole").mkdir()
    (b.work / ".thole" / "rules.json").write_text(json.dumps({"rules": [
        {"id": "ours", "effect": "deny", "command": ["npm", "publish"]}, {"id": "greedy", "effect": "allow", "command": ["make"]}]}))
    env = {"XDG_CONFIG_HOME": ""}
    out = b.run("policy", "show", code=0, **env).out
    assert "mine" in out and "ours" in out and "project" in out, out
    extra = ["-c", 'permission.rules=[{"id":"more","effect":"allow","command":["make","test"]}]']

    def test(command):
        return b.run("policy", "test", *extra, "--json", command, code=0, **env).json()

    assert test("curl x.test")["ruleRefs"] == ["rule:user:mine"]
    assert test("npm publish")["ruleRefs"] == ["rule:project:ours"]
    assert test("make")["decision"] == "ask" and test("make test")["decision"] == "allow"


@test
def what_was_granted_is_shown_and_taken_back(b):
    script = b.work / "grant.json"
    script.write_text(json.dumps({"version": 1, "tools": [{"name": "save", "policy": "ask"}], "rules": [
        {"when": {"text": "save"}, "replies": [{"toolCalls": [{"name": "save"}]}, {"text": "saved"}]}], "default": {"text": "-"}}))
    b.run("run", "--script", str(script), "save it", code=4)
    action = b.run("approvals", "-q", code=0).ids()[0]
    b.run("approve", action, "--scope", "session", code=0)
    grants = until("the grant", lambda: b.run("policy", "saved", "--json", code=0).json()["grants"])
    assert grants[0]["match"] == {"tool": "save"} and grants[0]["scope"] == "session"
    assert "save" in b.run("policy", "saved", code=0).out
    b.run("policy", "saved", "--revoke", "grant_none", code=1)
    b.run("policy", "saved", "--revoke", grants[0]["grantId"], code=0)
    assert b.run("policy", "saved", "--json", code=0).json()["grants"] == []


@test
def edits_are_shown_and_taken_back(b):
    (b.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    script = b.dir / "edit.json"
    script.write_text(json.dumps({"version": 1, "default": {"text": "done"}, "rules": [
        {"when": {"request": 1, "text": "fix"}, "reply": {"toolCalls": [
            {"name": "edit_file", "args": {"path": "calc.py", "oldText": "a - b", "newText": "a + b"}},
            {"name": "write_file", "args": {"path": "new.txt", "content": "hello\n"}}]}}]}))
    env = {"THOLE_SCRIPT": str(script)}
    b.run("run", "-c", "permission.mode=bypass", "fix it", code=0, **env)
    assert "a + b" in (b.work / "calc.py").read_text() and (b.work / "new.txt").exists()
    out = b.run("diff", code=0).out
    assert "-    return a - b" in out and "+    return a + b" in out and "new.txt" in out, out
    (b.work / "new.txt").write_text("mine now\n")
    assert "stays as it is" in b.run("undo", code=1).err
    assert (b.work / "new.txt").read_text() == "mine now\n" and "a + b" in (b.work / "calc.py").read_text()
    (b.work / "new.txt").write_text("hello\n")
    b.run("undo", code=0)
    assert not (b.work / "new.txt").exists() and "a - b" in (b.work / "calc.py").read_text()
    b.run("run", "hello", code=0, **env)
    assert "no tool changed" in b.run("diff", code=0).err


@test
def processes_are_listed_written_to_and_stopped(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"request": 1, "text": word}, "reply": {"toolCalls": [{"name": "start_process", "args": args}]}}
        for word, args in (("reader", {"command": "while read -r l; do echo heard $l; done; echo bye; exit 3"}),
                           ("stubborn", {"command": "trap '' TERM; echo up; while :; do sleep 1; done"}),
                           ("screen", {"command": "stty size; sleep 1000", "pty": True, "cols": 70, "rows": 20}))]})
    b.start("serve", "-c", "permission.mode=bypass").stderr.readline()
    empty = b.run("process", "ls", code=0)
    assert empty.out == "" and "nothing runs" in empty.err, empty
    for word in ("reader", "stubborn", "screen"):
        b.run("run", word, code=0)
    rows = {r["commandSummary"].split()[0]: r for r in b.run("process", "ls", "--json", code=0).json()["processes"]}
    assert sorted(rows) == ["stty", "trap", "while"] and all(r["status"] == "running" for r in rows.values()), rows
    reader, stubborn, screen = (rows[w]["processId"] for w in ("while", "trap", "stty"))
    table = b.run("process", "ls", code=0).out
    assert table.splitlines()[0].split()[:3] == ["PROCESS", "STATUS", "BYTES"] and len(table.splitlines()) == 4, table
    shown = b.run("process", "show", reader, code=0).out
    assert reader in shown and "running" in shown and rows["while"]["outputRef"] in shown, shown
    b.run("process", "write", reader, "one", "two", code=0)
    until("the line", lambda: b.run("process", "log", reader, code=0).out == "heard one two\n")
    follower = b.start("process", "log", reader, "-f")
    b.run("process", "write", reader, "three", "--eof", code=0)
    out, _ = follower.communicate(timeout=WAIT_S)
    assert out == "heard one two\nheard three\nbye\n" and follower.returncode == 0, out
    ended = until("its end", lambda: [r for r in [b.run("process", "show", reader, "--json", code=0).json()] if r["status"] == "exited"])[0]
    assert ended["exitCode"] == 3, ended
    assert "has ended" in b.run("process", "write", reader, "late", code=1).err
    b.run("process", "resize", screen, "90", "30", code=0)
    b.run("process", "resize", stubborn, "90", "30", code=2)
    b.run("process", "resize", screen, "wide", "30", code=2)
    until("it is up", lambda: b.run("process", "log", stubborn, code=0).out == "up\n")
    b.run("process", "stop", stubborn, "--grace", "100ms", "--reason", "enough", code=0)
    assert b.run("process", "stop", screen, "--json", code=0).json()["status"] == "exited"
    b.run("process", "stop", stubborn, code=1)
    assert b.run("process", "ls", "--json", code=0).json()["processes"] == []
    assert len(b.run("process", "ls", rows["while"]["sessionId"], "--json", code=0).json()["processes"]) == 1
    for args in (("show",), ("write", reader), ("dance",)):
        b.run("process", *args, code=2)
    assert "thole process ls" in b.run("process", "show", "proc_none", code=1).err


@test
def open_gives_an_address_that_works_once(b):
    b.run("run", "hello", code=0)
    r = b.run("open", "@last", "-q")
    if r.code == 1:
        assert "holds no console" in r.err, r
        return
    base, code, to = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#code=([0-9a-f]{32})&to=(\S+)\n", r.out).groups()
    assert to == "/thread/" + b.session() + "/main", r
    assert "works once" in b.run("open", code=0).err

    def sign_in():
        ask = urllib.request.Request(base + "/v1/console/sign-in", json.dumps({"code": code}).encode(),
                                     {"Content-Type": "application/json", "Origin": base})
        return urllib.request.urlopen(ask, timeout=WAIT_S)

    with sign_in() as answer:
        assert "HttpOnly; SameSite=Strict" in answer.headers["Set-Cookie"], answer.headers
        assert json.load(answer)["principal"] == "owner"
    try:
        sign_in()
        raise AssertionError("the code worked twice")
    except urllib.error.HTTPError as e:
        assert e.code == 401, e


# ---- running them ----

def main():
    chosen = [t for t in tests if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
    if not os.access(THOLE, os.X_OK):
        print(f"Bail out! there is no {THOLE}")
        return 1
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for n, t in enumerate(chosen, 1):
        box = Box()
        name = t.__name__.replace("_", " ")
        try:
            t(box)
            print(f"ok {n} - {name}", flush=True)
        except Skip as e:
            print(f"ok {n} - {name} # SKIP {e}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {name}")
            for line in traceback.format_exc().splitlines()[-40:]:
                print(f"# {line}")
            log = box.data / "daemon.log"
            for line in (log.read_text().splitlines()[-10:] if log.exists() else []):
                print(f"# daemon: {line}", flush=True)
        finally:
            box.close()
    return 1 if failed else 0


# ---- the inline view ----

MARKED = "# Head\n\nSome **bold** words and `code` that go on for longer than forty columns do.\n\n- an item\n\n```sh\nmake *test*\n```\n"


def rower(b):
    return b.script({"rules": [{"when": {"text": "row"}, "replies": [
        {"text": "I row.", "toolCalls": [{"name": "row", "args": {"command": "row \x1b[2J hard"}}]}, {"text": "Rowed.", "delayMs": 1}]}],
        "default": {"text": MARKED, "chunk": 5, "delayMs": 2},
        "tools": [{"name": "row", "result": {"text": "there", "progress": [
            {"afterMs": 200, "message": "rowing", "completed": 1, "total": 2}, {"afterMs": 900, "message": "rowing", "completed": 2, "total": 2}]}}]})


def shown(t):
    """What stands on the screen of a terminal that knows no more than lines, returns and blanks."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", t)
    assert "\x1b" not in text, repr(text)
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        row = ""
        for part in line.split("\r"):
            row = part + row[len(part):]
        lines.append(row.rstrip())
    return lines


@test
def markdown_is_shown_in_the_width_of_the_window(b):
    t = b.terminal("run", "--script", rower(b), "say it")
    t.size(40)
    t.wait()
    lines = shown(t.seen)
    at = lines.index("Head")
    assert lines[at:at + 10] == ["Head", "", "Some bold words and code that go on for", "longer than forty columns do.", "",
                                 "• an item", "", "```sh", "make *test*", "```"], lines
    assert "\x1b[1mHead\x1b[0m" in t.seen and "\x1b[36mcode\x1b[0m" in t.seen
    assert re.search(r" · \$0\.\d+ · thole log sess_\S+ · thole open sess_", " ".join(lines)), lines
    # a pipe gets what was said, byte for byte
    assert b.run("run", "say it", code=0).out == MARKED


@test
def what_runs_is_told_on_the_last_line_and_leaves_nothing(b):
    t = b.terminal("run", "--script", rower(b), "row there")
    t.expect("rowing, 1 of 2 · ")
    whole = t.seen
    t.wait()
    lines = shown(t.seen)
    assert [line for line in lines if line][-3:-1] == ["  ✓ row  " + next(x for x in lines if "✓" in x).split("  ")[2] + "  there", "Rowed."], lines
    assert not [line for line in lines if "⋯" in line], (whole, lines)
    out = b.run("run", "row", code=0)
    assert "→ row  row ^[[2J hard" in out.err and "rowing, 1 of 2" in out.err and out.out == "I row.\nRowed.\n"
    plain = b.terminal("run", "--plain", "row")
    plain.wait()
    assert "runs row" in plain.seen and "done row" in plain.seen and not re.search(r"[\x1b→✓⋯]", plain.seen), plain.seen


@test
def a_narrower_window_loses_no_text(b):
    t = b.terminal("run", "--script", rower(b), "row")
    t.size(100)
    t.expect("⋯ row")
    t.size(12)
    assert t.wait() == 0
    assert "✓ row" in t.seen and "Rowed." in t.seen and "\x1b[K" not in t.seen


@test
def a_turn_is_attached_to(b):
    b.run("run", "-d", "approve", code=0)
    assert "asks you first" in b.run("attach", code=4).out
    t = b.terminal("attach", "@last")
    t.expect("[y] once")
    t.type("y\n")
    assert t.wait() == 0
    assert "The note is in" in t.seen
    r = b.run("attach", code=1)
    assert "Nothing runs" in r.err and "thole send" in r.err
    turn = b.run("log", "--json", code=0).lines()[-1]["turnId"]
    r = b.run("attach", turn, code=0)
    assert "The note is in" in r.out and "to allow:" not in r.err, "what was decided is not asked again"
    b.run("attach", "--here", code=2)


@test
def lists_have_four_forms(b):
    for prompt in ("approve", "approve it again"):
        b.run("run", prompt, code=4)
    ids = b.run("approvals", "-o", "id", code=0).ids()
    assert ids == b.run("approvals", "-q", code=0).ids() and len(ids) == 2
    whole = b.run("approvals", "-o", "json", code=0).json()["actions"]
    assert whole == b.run("approvals", "-o", "jsonl", code=0).lines() and [a["actionId"] for a in whole] == ids
    assert b.run("approvals", "-o", "table", code=0).out.startswith("ACTION")
    assert len(b.run("ps", "-o", "jsonl", code=0).lines()) == 2 and len(b.run("ps", "-o", "json", code=0).json()["sessions"]) == 2
    assert b.run("channel", "-o", "jsonl", code=0).out == ""
    b.run("ps", "-o", "xml", code=2)


@test
def it_works_in_tmux(b):
    if not shutil.which("tmux"):
        return
    tmux = ["tmux", "-S", str(b.dir / "tmux"), "-f", "/dev/null"]
    script = rower(b)

    def screen():
        return subprocess.run([*tmux, "capture-pane", "-p", "-S", "-100"], capture_output=True, text=True, check=True).stdout

    subprocess.run([*tmux, "new-session", "-d", "-x", "60", "-y", "20", "sh"], env=b.env, cwd=b.work, check=True)
    try:
        subprocess.run([*tmux, "send-keys", f"{THOLE} run --script {script} row; {THOLE} run say; {THOLE} run --here approve", "Enter"], check=True)
        until("the tool", lambda: "⋯ row" in screen())
        subprocess.run([*tmux, "resize-window", "-x", "30", "-y", "20"], check=True)
        until("the question", lambda: "[y] once" in screen())
        subprocess.run([*tmux, "send-keys", "y", "Enter"], check=True)
        until("the end", lambda: "The note is in" in screen() and (b.work / "thole-note.txt").exists())
        text = screen()
        assert "I row." in text and "Rowed." in text and "• an item" in text and "make *test*" in text, text
        assert text.index("I row.") < text.index("✓ row") < text.index("Rowed.") < text.index("Head"), text
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


# ---- work that outlives a turn ----

@test
def a_task_is_made_started_and_shown(b):
    task = b.run("task", "new", "Write", "the", "notes", "--title", "Notes", "--priority", "high", code=0).out.strip()
    assert task.startswith("task_")
    assert "accepted" in b.run("task", "ls", code=0).out
    why = b.run("why", task, code=0).out
    assert "Nobody has started it." in why and f"thole task start {task}" in why, why
    b.run("task", "pause", task, code=0)
    assert "paused" in b.run("task", "ls", "--status", "paused", code=0).out
    b.run("task", "resume", task, code=0)
    b.run("task", "start", task, code=0)
    until("the end of the task", lambda: "completed" in b.run("task", "show", task, code=0).out)
    shown = b.run("task", "show", task, code=0).out
    assert "attempt 1  completed" in shown and "Notes" in shown
    assert task not in b.run("task", "ls", code=0).out and task in b.run("task", "ls", "--all", code=0).out
    assert "completed" in b.run("task", "retry", task, code=1).err


@test
def tasks_are_linked_and_wait_for_each_other(b):
    first = b.run("task", "new", "first", code=0).out.strip()
    session = json.loads(b.run("task", "show", first, "--json", code=0).out)["task"]["sessionId"]
    second = b.run("task", "new", "second", "-s", session, code=0).out.strip()
    b.run("task", "link", first, "blocks", second, "--reason", "order", code=0)
    assert "depends on" in b.run("task", "link", second, "blocks", first, code=1).err
    assert f"{first} blocks {second}" in b.run("task", "graph", first, code=0).out
    b.run("task", "start", second, code=0)
    assert "waits for  dependency" in b.run("why", second, code=0).out
    b.run("task", "cancel", first, "--reason", "no", code=0)
    until("the block", lambda: "blocked" in b.run("task", "show", second, code=0).out)
    b.run("task", "link", first, "blocks", second, "--remove", code=0)
    until("the end", lambda: "completed" in b.run("task", "show", second, code=0).out)
    for wrong in (["task", "fly", first], ["task", "start"], ["task", "new"], ["task", "link", first],
                  ["task", "new", "x", "--accept", "nothing"]):
        assert b.run(*wrong, code=2).err, wrong


@test
def a_job_runs_its_items(b):
    (b.work / "items").write_text('one\n{"n": 2}\n\nthree\n')
    job = b.run("job", "new", "Say it", "--items", "items", "-j", "2", code=0).out.strip()
    assert job.startswith("job_")
    until("its end", lambda: "3 of 3 items done" in b.run("job", "show", job, code=0).out)
    assert job in b.run("job", "ls", code=0).out
    assert b.run("job", "ls", "-q", code=0).out == job + "\n"
    items = b.run("job", "items", job, code=0).out
    assert items.count("completed") == 3
    said = b.run("show", re.search(r"\bout_\w+", items)[0], code=0).out
    assert "scripted model" in said, said
    assert "out_none" in b.run("show", "out_none", code=1).err
    assert "only what failed" in b.run("job", "retry", job, "1", code=1).err
    assert "has ended" in b.run("job", "cancel", job, code=1).err
    assert "no job" in b.run("job", "show", "job_none", code=1).err
    assert b.run("job", "new", "nothing", stdin="\n", code=2).err
    assert "no child agents" in b.run("agent", "tree", code=0).err


@test
def lists_have_one_shape(b):
    """With --json one object that names its rows, with -o jsonl a line for each, with -o id the ids."""
    task = b.run("task", "new", "mend the roof", code=0).out.strip()
    job = b.run("job", "new", "Say it", stdin="one\n", code=0).out.strip()
    schedule = b.run("schedule", "new", "look", "--every", "1h", code=0).out.strip()
    for noun, rows, key, made in (("task", "tasks", "taskId", task), ("job", "jobs", "jobId", job),
                                  ("schedule", "schedules", "scheduleId", schedule)):
        seen = json.loads(b.run(noun, "ls", "--json", code=0).out)[rows]
        lines = b.run(noun, "ls", "-o", "jsonl", code=0).out.splitlines()
        ids = b.run(noun, "ls", "-o", "id", code=0).out.split()
        assert made in ids and made in [r[key] for r in seen], (noun, ids, seen)
        assert made in [json.loads(line)[key] for line in lines], (noun, lines)
    assert json.loads(b.run("process", "ls", "--json", code=0).out) == {"processes": []}
    assert b.run("process", "ls", "-q", code=0).out == ""


if __name__ == "__main__":
    sys.exit(main())
