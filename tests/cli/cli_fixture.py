"""The fixture of the command-line tests: a private home directory, terminals, and the list of tests."""
import fcntl
import json
import os
import pathlib
import pty
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from tap import Skip  # noqa: E402,F401
from wait import DEADLINE_S, until  # noqa: E402,F401

THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
tests = []


def test(f):
    tests.append(f)
    return f


# Every command says so when an answer takes longer than a second and a half, as on a busy machine.
LATE = "  waiting for an answer of the daemon\n"


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr.replace(LATE, "")

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    def ids(self):
        return self.out.split()

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.split("\n") if line]


class Terminal:
    """A program on its own terminal."""

    unread = b""

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

    def expect(self, text, seconds=DEADLINE_S):
        end = time.monotonic() + seconds
        while text not in self.seen:
            if not self.pump(0.1) or time.monotonic() > end:
                raise AssertionError(f"{text!r} did not appear in:\n{self.seen}")
        self.before, self.seen = self.seen.split(text, 1)

    def size(self, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, seconds=DEADLINE_S):
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.pump(0) and (self.unread or select.select([self.fd], [], [], 0)[0]):
                    pass
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > end:
                raise AssertionError(f"it does not end; it said:\n{self.seen}")
            self.pump(0.02)

    def end(self):
        """Ctrl-C until it ends: what is typed before the prompt takes keys is thrown away."""
        for _ in range(100):
            self.type("\x03")
            try:
                return self.wait(DEADLINE_S / 100)
            except AssertionError:
                pass
        return self.wait()

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Fixture:
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

    def run(self, *args, stdin="", code=None, cwd=None, **env):
        p = subprocess.run([THOLE, *args], input=stdin, capture_output=True, text=True, timeout=DEADLINE_S,
                           env={**self.env, **env}, cwd=cwd or self.work)
        r = Result(p)
        if code is not None:
            assert r.code == code, f"wanted exit {code}: thole {' '.join(args)}\n{r}"
        return r

    def rpc(self, method, params):
        """One JSON-RPC request on the daemon's socket, as a client of its own would send it."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(DEADLINE_S)
            s.connect(str(self.data / "socket"))
            s.sendall((json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n").encode())
            for line in s.makefile():
                if json.loads(line).get("id") == 1:
                    return json.loads(line)
        raise AssertionError("the daemon closed the connection")

    def start(self, *args, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
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
        """Sends a signal to the daemon, once there is one: kill(0) would reach our whole process group."""
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

    def rowing(self):
        """A script whose answer to "slow" lasts until it is stopped, and reports two strokes."""
        strokes = [{"afterMs": 100 * n, "message": f"stroke {n}", "completed": n, "total": 10} for n in (1, 2)]
        return self.script({
            "rules": [{"when": {"text": {"regex": "^slow"}, "request": 1}, "reply": {"text": "I begin to row.", "toolCalls": [{"name": "row"}]}},
                      {"when": {"afterTool": "row"}, "reply": {"text": "We have arrived."}}],
            "default": {"text": "You wrote: {{input}}"},
            "tools": [{"name": "row", "policy": "allowed", "result": {"delayMs": 3600000, "progress": strokes, "text": "the other bank"}}]})

    def last_words(self):
        """What the daemon logged last, for a test that failed."""
        log = self.data / "daemon.log"
        return [f"daemon: {line}" for line in log.read_text().splitlines()[-10:]] if log.exists() else []

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
