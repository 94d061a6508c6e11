#!/usr/bin/env python3
"""`thole verify` and `thole export` on a data directory that cannot be written: a read-only mount, or one of another user.

usage: read_only_dir.py BUILD_DIR          prints TAP
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scenario"))

if os.environ.get("THOLE_READ_ONLY_INSIDE") != "1":
    if subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode:
        print("1..0 # SKIP no user namespaces here")
        sys.exit(0)
    os.environ["THOLE_READ_ONLY_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-Urm", sys.executable, *sys.argv])

from read_only_parts import picture  # noqa: E402
from run import DEADLINE_S, Daemon, Http, until  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())


def thole(*words, data, **more):
    return subprocess.run([BUILD + "/thole", *words, "--data", data], capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL,
                          cwd="/", **more)


class Dir:
    """A stopped (or killed) daemon's directory with two sessions, one of them open."""

    def __init__(self, killed):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="thole-ro-"))
        self.data = str(self.top / "data")
        self.daemon = Daemon(BUILD, self.data, None, [])
        self.daemon.start()
        http = Http(self.daemon)
        self.session = self.run(http, "hello there")
        self.open = self.run(http, "approve")
        self.events = {s: len(list(http.events(s, 0))) for s in (self.session, self.open)}
        if killed:
            self.daemon.kill()
        else:
            self.daemon.stop()
        subprocess.run(["mount", "--bind", self.data, self.data], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", self.data], check=True)

    @staticmethod
    def run(http, text):
        code, reply = http.call("submit_turn", {"input": text})
        assert not code, reply
        until("the turn to end or ask", lambda: {"turn.completed", "action.required"} &
              {json.loads(e)["type"] for e in http.events(reply["sessionId"], 0)})
        return reply["sessionId"]

    def close(self):
        subprocess.run(["umount", "-l", self.data])
        shutil.rmtree(self.top, ignore_errors=True)


def on_a_read_only_mount(killed):
    d = Dir(killed)
    try:
        before = picture(d.data)
        p = thole("verify", data=d.data)
        assert p.returncode == 0 and "whole" in p.stdout and not p.stderr, p
        for session in (d.session, d.open):
            p = thole("export", "session", session, data=d.data)
            lines = [json.loads(line) for line in p.stdout.splitlines()]
            assert p.returncode == 0, p
            got = len(lines)
            # a daemon that stops may write the end of open work; the copy adds nothing
            assert got >= d.events[session] if not killed else got == d.events[session], (session, got, d.events)
        p = thole("export", "script", d.session, data=d.data)
        assert p.returncode == 0 and "reply" in p.stdout, p
        assert picture(d.data) == before, "something was changed"
        assert not (pathlib.Path(d.data) / "log.db-shm").exists() or "log.db-shm" in before
    finally:
        d.close()


def damage_is_found_there():
    d = Dir(False)
    try:
        subprocess.run(["mount", "-o", "remount,bind,rw", d.data], check=True)
        path = pathlib.Path(d.data) / "log.db"
        body = path.read_bytes()
        assert b"hello there" in body
        path.write_bytes(body.replace(b"hello there", b"hellO there"))
        subprocess.run(["mount", "-o", "remount,bind,ro", d.data], check=True)
        p = thole("verify", data=d.data)
        assert p.returncode != 0, p
    finally:
        d.close()


def others_are_refused():
    """A command that changes something says that the directory cannot be written."""
    d = Dir(False)
    try:
        p = thole("run", "hello", data=d.data)
        assert p.returncode != 0 and "ead-only" in p.stderr, p
    finally:
        d.close()


def main():
    every = {"stopped_daemon": lambda: on_a_read_only_mount(False), "killed_daemon_with_a_wal": lambda: on_a_read_only_mount(True),
             "damage_is_found_there": damage_is_found_there, "others_are_refused": others_are_refused}
    failed = 0
    print(f"1..{len(every)}")
    for k, (name, f) in enumerate(every.items(), 1):
        try:
            f()
            print(f"ok {k} {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {k} {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1500]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
