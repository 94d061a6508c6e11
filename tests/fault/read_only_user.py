#!/usr/bin/env python3
"""`thole verify` and `thole export` by a user who may read a data directory and not write it, and the refusal while a daemon uses it.

The daemon runs as root, the commands as an unprivileged user (setpriv), without a namespace: file modes alone decide.

usage: read_only_user.py BUILD_DIR          prints TAP
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
from run import DEADLINE_S, Daemon, Http  # noqa: E402
from read_only_parts import one_session, picture  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
UNPRIVILEGED = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Place:
    """Data that the unprivileged user cannot reach; on demand every file may be read by all and written by root."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="thole-ro-user-"))
        self.top.chmod(0o755)
        self.home = self.top / "home"
        self.home.mkdir()
        os.chown(self.home, 65534, 65534)
        self.data = str(self.top / "data")
        self.daemon = Daemon(BUILD, self.data, None, [])
        self.daemon.start()
        self.session, self.events = one_session(Http(self.daemon))

    def open_for_reading(self):
        for p in [pathlib.Path(self.data), *pathlib.Path(self.data).rglob("*")]:
            if not p.is_socket():
                p.chmod(0o755 if p.is_dir() else 0o644)

    def thole(self, *words):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.home)}
        return subprocess.run([*UNPRIVILEGED, BUILD + "/thole", *words, "--data", self.data], capture_output=True, text=True,
                              timeout=DEADLINE_S, stdin=subprocess.DEVNULL, cwd="/", env=env)

    def close(self):
        if self.daemon.process.poll() is None:
            self.daemon.process.kill()
            self.daemon.process.wait()
        shutil.rmtree(self.top, ignore_errors=True)


def reads(killed):
    def run(p):
        p.daemon.kill() if killed else p.daemon.stop()
        p.open_for_reading()
        before = picture(p.data)
        done = p.thole("verify")
        assert done.returncode == 0 and "whole" in done.stdout, done
        done = p.thole("export", "session", p.session)
        assert done.returncode == 0 and len(done.stdout.splitlines()) >= p.events, done
        assert all(json.loads(line) for line in done.stdout.splitlines())
        assert picture(p.data) == before, "something was changed"
        assert not [x for x in p.home.rglob("*") if x.is_file()], "a copy was left behind"
    return run


def others_are_refused(p):
    p.daemon.stop()
    p.open_for_reading()
    before = picture(p.data)
    done = p.thole("run", "hello")
    assert done.returncode != 0 and done.stderr, done
    assert picture(p.data) == before, "something was changed"


def a_running_daemon_refuses(p):
    p.open_for_reading()
    (pathlib.Path(p.data) / "token").chmod(0o600)
    for words in (("verify",), ("export", "session", p.session)):
        done = p.thole(*words)
        assert done.returncode != 0 and "daemon" in done.stderr, (words, done)
    p.daemon.kill()
    done = p.thole("verify")
    assert done.returncode == 0, done


def a_lock_that_cannot_be_looked_at_refuses(p):
    """A copy that is taken beside a running daemon may be torn."""
    for stop in (False, True):
        if stop:
            p.daemon.stop()
        p.open_for_reading()
        (pathlib.Path(p.data) / "lock").chmod(0o600)
        done = p.thole("verify")
        assert done.returncode != 0 and "lock" in done.stderr, (stop, done)
    (pathlib.Path(p.data) / "lock").chmod(0o644)
    done = p.thole("verify")
    assert done.returncode == 0, done


def no_rights_at_all(p):
    p.daemon.stop()
    done = p.thole("verify")
    assert done.returncode != 0 and p.data in done.stderr, done


def main():
    every = {"a_stopped_daemon": reads(False), "a_killed_daemon_with_a_wal": reads(True), "others_are_refused": others_are_refused,
             "a_running_daemon_refuses": a_running_daemon_refuses,
             "a_lock_that_cannot_be_looked_at_refuses": a_lock_that_cannot_be_looked_at_refuses, "no_rights_at_all": no_rights_at_all}
    failed = 0
    if os.geteuid() != 0 or not shutil.which("setpriv") or subprocess.run([*UNPRIVILEGED, BUILD + "/thole", "--version"], capture_output=True).returncode:
        print("1..0 # SKIP needs root, setpriv and a build that an unprivileged user can reach")
        return 0
    print(f"1..{len(every)}")
    for k, (name, f) in enumerate(every.items(), 1):
        p = Place()
        try:
            f(p)
            print(f"ok {k} {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {k} {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1500]}")
        finally:
            p.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
