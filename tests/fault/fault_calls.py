#!/usr/bin/env python3
"""The n-th system call of the real daemon fails, for one n after the other, until a run passes untouched.

usage: fault_calls.py BUILD_DIR [--only KIND] [--from N] [--step N] [--loud]

Descriptors (EMFILE), memory (ENOMEM), disk (EIO, ENOSPC).  The daemon may refuse a request, refuse to start or end, with
words; it may not hang, crash without a word or lose what it acknowledged: the next one, undisturbed, shows all of it, finds its
chains whole and finishes a turn.  With THOLE_DEEP every call fails once, and of the allocations every fourth, beginning with a
random one; with THOLE_SHARE=N one in N of those.  Otherwise some of each kind.  Prints TAP.
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, Wrong, until, until_idle  # noqa: E402

SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "big", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}\n", "bytes": 100000}}}],
    "rules": [{"when": {"afterTool": "big"}, "reply": {"text": "That was a lot."}},
              {"when": {"text": "big", "request": 1}, "reply": {"toolCalls": [{"name": "big", "args": {}}]}}],
    "default": {"text": "word for word"},
})
KINDS = {"emfile": 50, "enomem": 20, "eio": 20, "enospc": 20}  # and how many of each a quick run tries
SHARE = int(os.environ["THOLE_SHARE"]) if os.environ.get("THOLE_SHARE", "all") != "all" else 1
# There are more than ten thousand allocations: each run tries a quarter of them.
DEEP_STEP = {kind: SHARE * (4 if kind == "enomem" else 1) for kind in KINDS}


class Faulty(Daemon):
    """A daemon that is watched for how it ends, and need not come up."""

    def __init__(self, build, data, lib):
        super().__init__(build, data, SCRIPT, [])
        self.lib, self.report = lib, data + ".struck"

    def start_with(self, kind, at):
        os.environ.update(FAIL_KIND=kind, FAIL_AT=str(at), FAIL_REPORT=self.report, LD_PRELOAD=self.lib)
        try:
            self.start()
            return True
        except Wrong:
            return False
        finally:
            for name in ("FAIL_KIND", "FAIL_AT", "FAIL_REPORT", "LD_PRELOAD"):
                del os.environ[name]

    def struck(self):
        if not os.path.exists(self.report):
            return None
        with open(self.report) as f:
            return f.read() or "?"


class Gone(Exception):
    """The daemon ended, or dropped the connection."""


def ask(transport, command, args):
    try:
        return transport.call(command, args)
    except (OSError, ValueError, EOFError) as e:
        raise Gone(str(e))


def work(transport, acked):
    """Turns in an old and a new session; whatever is acknowledged is written down."""
    for session, text in (("sess_old", "hello"), ("sess_new", "big"), ("sess_new", "and again")):
        code, reply = ask(transport, "submit_turn", {"sessionId": session, "input": text})
        if code:
            continue
        acked.append((session, reply["turnId"], reply["sequence"]))
        until(f"{session} to be idle", lambda: is_idle(transport, session), pause_s=0.003)


def is_idle(transport, session):
    code, why = ask(transport, "explain_thread", {"sessionId": session})
    return not code and why["waitingFor"] in ("nothing", "resume", "release")


def answers_or_ended(daemon):
    if daemon.process.poll() is not None:
        return True
    try:
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=1) as s:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return b" 200 " in s.recv(1000)
    except OSError:
        return False


def try_work(daemon, acked):
    """A request whose connection was dropped is sent again, once."""
    for _ in range(2):
        try:
            transport = Http(daemon)
            work(transport, acked)
            return
        except (Gone, OSError):
            until("the daemon to answer or to end", lambda: answers_or_ended(daemon))
            if daemon.process.poll() is not None:
                return


def end(daemon):
    """Checks how it ended: with a message, not with a crash."""
    if daemon.process.poll() is None:
        daemon.process.terminate()
    try:
        code = daemon.process.wait(DEADLINE_S)
    except subprocess.TimeoutExpired:
        daemon.process.kill()
        daemon.process.wait()
        raise Wrong("it does not stop when asked")
    words = daemon.whole_log()
    if code in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE):
        raise Wrong(f"signal {-code}: {words[-300:]}")
    if code == -signal.SIGABRT and not any(w in words for w in ("out of memory", "ended by itself")):
        raise Wrong(f"it aborts without saying why: {words[-300:]}")
    if code not in (0, -signal.SIGTERM) and not words.strip():
        raise Wrong(f"it ends with {code} and says nothing")


def check(build, data, acked):
    daemon = Daemon(build, data, SCRIPT, [])
    daemon.start()
    try:
        transport = Http(daemon)
        for session in sorted({s for s, _, _ in acked}):
            lines = [json.loads(line) for line in transport.events(session, 0)]
            for s, turn, sequence in acked:
                if s == session and (len(lines) < sequence or not any(
                        e["type"] == "turn.submitted" and e.get("turnId") == turn for e in lines)):
                    raise Wrong(f"{turn} of {session} was acknowledged and is gone")

            def verified():  # a start that failed left no -wal
                found = transport.call("verify_log", {"sessionId": session})
                return found[0] != "rebuilding" and found

            code, reply = until("the rows", verified)
            if code or reply["status"] != "whole":
                raise Wrong(f"the chain of {session}: {reply}")
            transport.call("resume_thread", {"sessionId": session})
        code, reply = transport.call("submit_turn", {"sessionId": "sess_after", "input": "hello"})
        until_idle(transport, "sess_after")
        daemon.stop()
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


def one(build, base, lib, kind, at, loud):
    """True when the fault struck."""
    where = tempfile.mkdtemp(prefix="thole-fault-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    data = os.path.join(where, "data")
    shutil.copytree(base, data)
    daemon = Faulty(build, data, lib)
    acked = [("sess_old", *base_turn)]
    try:
        up = daemon.start_with(kind, at)
        if up:
            try_work(daemon, acked)
        end(daemon)
        struck = daemon.struck()
        if loud:
            print(f"# {kind} {at} {struck}: up {up}, {len(acked)} acknowledged, code {daemon.process.returncode}, "
                  f"{daemon.log[-2:] if daemon.process.returncode else ''}", flush=True)
        check(build, data, acked)
        return struck is not None
    except Wrong as e:
        raise Wrong(f"{kind} {at} ({daemon.struck()}): {e}; its last words: {''.join(daemon.log[-3:])}")
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        shutil.rmtree(where, ignore_errors=True)


def make_base(build, where):
    """A directory with one turn in it."""
    global base_turn
    base = os.path.join(where, "data")
    daemon = Daemon(build, base, SCRIPT, [])
    daemon.start()
    transport = Http(daemon)
    _, reply = transport.call("submit_turn", {"sessionId": "sess_old", "input": "hello"})
    base_turn = (reply["turnId"], reply["sequence"])
    until_idle(transport, "sess_old")
    daemon.stop()
    return base


def count_calls(build, base, lib, kind):
    """How many there are, found by doubling: so far that nothing strikes any more."""
    at = 64
    while one(build, base, lib, kind, at, False):
        at *= 2
    return at


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def main():
    build = os.path.abspath(sys.argv[1])
    lib = os.path.join(build, "tests", "fault", "libfail_nth.so")
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    loud = "--loud" in sys.argv
    where = tempfile.mkdtemp(prefix="thole-fault-base-")
    failed = number = 0
    try:
        base = make_base(build, where)
        for kind, some in KINDS.items():
            if only and kind != only:
                continue
            number += 1
            tried, wrong = 0, []
            is_deep = "THOLE_DEEP" in os.environ
            at = option("--from", random.randint(1, DEEP_STEP[kind]) if is_deep else 1)
            first = at
            if loud and "--from" in sys.argv and "--step" not in sys.argv:
                one(build, base, lib, kind, at, True)
                continue
            try:
                step = option("--step", DEEP_STEP[kind] if is_deep
                              else max(1, count_calls(build, base, lib, kind) // some))
                is_struck = True
                while is_struck and len(wrong) < 5:
                    try:
                        is_struck = one(build, base, lib, kind, at, loud)
                        tried += is_struck
                    except Wrong as e:
                        wrong.append(str(e))
                    at += step
            except Wrong as e:
                wrong.append(str(e))
            if not tried and not wrong:
                wrong.append("no call was ever made to fail")
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - {kind}: {tried} calls of some {at} failed one by one, from the {first}. on, nothing was lost",
                  flush=True)
            for text in wrong:
                print("# " + text.replace("\n", "\n# "))
        print(f"1..{number}")
        return 1 if failed else 0
    finally:
        shutil.rmtree(where, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
