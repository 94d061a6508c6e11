#!/usr/bin/env python3
"""thole backup and thole restore: under load, after kill -9, packed, damaged.

usage: backup_test.py BUILD_DIR [WORD ...]     THOLE_DEEP: 2,000 sessions instead of 300.  Prints TAP.
"""
import http.client
import json
import os
import pathlib
import signal
import time
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import traceback

from cli_fixture import DEADLINE_S, THOLE, Fixture, until

SESSIONS = 2000 if os.environ.get("THOLE_DEEP") else 300


class Lane:
    """JSON-RPC on the daemon's socket; calls are sent ahead of their replies."""

    def __init__(self, data):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(str(data / "socket"))
        self.file = self.socket.makefile("rw")

    def submit(self, count, cwd, first=0):
        for at in range(first, first + count, 50):
            self.submit_some(range(at, min(at + 50, first + count)), cwd)

    def submit_some(self, numbers, cwd):
        for n in numbers:
            self.file.write(json.dumps({"jsonrpc": "2.0", "id": n, "method": "submit_turn",
                                        "params": {"input": f"turn {n}", "cwd": str(cwd)}}) + "\n")
        self.file.flush()
        for _ in numbers:
            reply = json.loads(self.file.readline())
            assert "result" in reply, reply

    def close(self):
        self.socket.close()


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("thole", timeout=DEADLINE_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE_S)
        self.sock.connect(self.path)


def logs(data):
    """The events of every session as they are stored, without those of the runtime itself."""
    c = Unix(data / "socket")
    c.request("GET", "/v1/events?follow=0", headers={"Accept": "application/x-ndjson"})
    found = {}
    for line in c.getresponse():
        session = json.loads(line).get("sessionId", "")
        if session.startswith("sess_0"):
            found.setdefault(session, []).append(line)
    c.close()
    return found


def heads(backup):
    """The last sequence of each session in a backup."""
    db = sqlite3.connect(f"file:{backup}/log.db?immutable=1", uri=True)
    rows = db.execute("SELECT id, last_seq FROM session WHERE last_seq > 0 AND id LIKE 'sess_0%'").fetchall()
    db.close()
    return dict(rows)


def stop(b, data):
    b.run("--data", str(data), "serve", "--stop", code=0)


def load(b, lane, ended):
    n = SESSIONS
    while not ended.is_set():
        lane.submit(10, b.work, n)
        n += 10


def a_backup_under_load_is_the_log_of_one_moment(b):
    b.run("run", "big", code=0)
    lane = Lane(b.data)
    lane.submit(SESSIONS, b.work)
    ended = threading.Event()
    other = threading.Thread(target=load, args=(b, Lane(b.data), ended))
    other.start()
    try:
        r = b.run("backup", "copy", code=0)
    finally:
        ended.set()
        other.join()
    assert "verified" in r.out and f"backup {b.work}/copy: " in r.out, r
    restored = b.dir / "restored"
    assert "verified" in b.run("--data", str(restored), "restore", "copy", code=0).out
    assert b.run("--data", str(restored), "verify", code=0).out.startswith("whole  ")
    now, then = logs(b.data), logs(restored)
    assert len(then) >= SESSIONS + 1, len(then)
    # Behind the moment of the backup each goes its own way: what ran then is lost in the copy.
    for session, last in heads(b.work / "copy").items():
        assert len(then[session]) >= last and then[session][:last] == now[session][:last], session
    assert len(now) > len(then), "the load went on"
    big = next(s for s, events in then.items() if len(events) > 30)
    for data in (b.data, restored):
        out = b.run("--data", str(data), "export", "session", big, code=0).lines()
        ref = next(e["payload"]["rawOutputRef"] for e in out if e["type"] == "tool.result")
        assert len(b.run("--data", str(data), "show", ref, code=0).out) > 10_000_000
    # the copy continues by itself
    assert "You wrote: more" in b.run("--data", str(restored), "run", "more", code=0).out
    assert "rebuil" not in (restored / "daemon.log").read_text()
    stop(b, restored)


def supervisors():
    """The arguments of all supervisors that run."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith("thole-supervisor"):
            yield " ".join(words)


def a_log_that_no_daemon_uses_is_copied_and_left_alone(b):
    b.run("run", "hello", code=0)
    events = logs(b.data)
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    # The supervisor notices a little later and removes its own files.
    until("the end of the supervisor", lambda: not any(str(b.data) in words for words in supervisors()))
    assert (b.data / "log.db-wal").stat().st_size > 0, "what was written last is in the write-ahead log"

    def files():
        return {str(p): p.read_bytes() for p in b.data.rglob("*") if p.is_file() and not p.is_symlink()}

    def is_still():
        try:
            was = files()
            time.sleep(0.5)
            return files() == was
        except FileNotFoundError:
            return False  # files of the supervisor leave one by one
    until("the directory to be still", is_still)
    before = files()
    b.run("backup", "copy", code=0)
    assert files() == before, "the directory is as it was"
    assert sorted(os.listdir(b.work / "copy")) == ["backup.json", "blobs", "log.db"]
    restored = b.dir / "restored"
    b.run("--data", str(restored), "restore", "copy", code=0)
    b.run("--data", str(restored), "ps", code=0)
    for session, lines in events.items():
        assert logs(restored)[session][:len(lines)] == lines
    stop(b, restored)


def nothing_is_half_after_a_kill(b):
    b.run("run", "big", code=0)
    for moment in ("copy.part", "copy.part/data/log.db", "copy.part/data/backup.json"):
        p = b.start("backup", "copy")
        until(lambda m=moment: m, lambda m=moment: (b.work / m).exists() or p.poll() is not None)
        p.send_signal(signal.SIGKILL)
        p.wait()
        if p.returncode == 0:
            break  # it was faster
        assert not (b.work / "copy").exists(), moment
    if not (b.work / "copy").exists():
        b.run("backup", "copy", code=0)
    assert sorted(os.listdir(b.work)) == ["copy"], os.listdir(b.work)
    place = b.dir / "restored"
    for moment in ("restored.part/data/log.db", "restored.part/data/blobs"):
        p = b.start("--data", str(place), "restore", "copy")
        until(lambda m=moment: m, lambda m=moment: (b.dir / m).exists() or p.poll() is not None)
        p.send_signal(signal.SIGKILL)
        p.wait()
        if p.returncode == 0:
            break
        assert not place.exists(), moment
    if not place.exists():
        b.run("--data", str(place), "restore", "copy", code=0)
    assert not (b.dir / "restored.part").exists() and (place / "log.db").exists()


def a_second_backup_to_the_same_place_is_refused(b):
    b.run("run", "hello", code=0)
    (b.work / "copy.part").mkdir()
    holder = subprocess.Popen(["flock", str(b.work / "copy.part"), "-c", "echo held; cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        assert "another process" in b.run("backup", "copy", code=1).err
    finally:
        holder.communicate("")
    b.run("backup", "copy", code=0)


def modes_are_private_and_keys_stay_behind(b):
    b.run("run", "hello", code=0)
    b.run("auth", "add", "anthropic", stdin="sk-ant-" + "x" * 40 + "\n", code=0)
    os.umask(0o022)
    b.run("backup", "plain", code=0)
    b.run("backup", "whole", "--with-keys", code=0)
    b.run("backup", "packed.tar.gz", code=0)
    b.run("--data", str(b.dir / "r1"), "restore", "packed.tar.gz", code=0)
    b.run("--data", str(b.dir / "r2"), "restore", "whole", code=0)
    for place in (b.work / "plain", b.work / "whole", b.work / "packed.tar.gz", b.dir / "r1", b.dir / "r2"):
        for path in (place, *place.rglob("*")):
            if not path.is_symlink():
                assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert not (b.work / "plain" / "keys").exists() and not (b.work / "plain" / "token").exists()
    assert b"sk-ant-" not in b"".join(p.read_bytes() for p in (b.work / "plain").rglob("*") if p.is_file())
    assert (b.dir / "r2" / "keys" / "anthropic").exists() and not (b.dir / "r1" / "keys").exists()
    assert "anthropic" in b.run("--data", str(b.dir / "r2"), "auth", "ls", code=0).out


def what_cannot_be_done_is_refused(b):
    assert "nothing to back up" in b.run("backup", "copy", code=1).err
    b.run("run", "hello", code=0)
    b.run("backup", "copy", code=0)
    assert "exists" in b.run("backup", "copy", code=2).err
    assert "data directory itself" in b.run("backup", str(b.data / "copy"), code=2).err
    assert "A daemon uses" in b.run("restore", "copy", code=1).err
    stop(b, b.data)
    assert "not empty" in b.run("restore", "copy", code=1).err
    place = b.dir / "elsewhere"
    assert "no backup" in b.run("--data", str(place), "restore", ".", code=2).err
    b.run("--data", str(place), "restore", "nowhere", code=2)
    with open(b.work / "copy" / "log.db", "r+b") as f:
        f.seek(8192)
        f.write(b"damaged")
    assert "damaged or was exchanged" in b.run("--data", str(place), "restore", "copy", code=70).err
    b.run("backup", "linked", code=0)
    (b.work / "linked" / "blobs" / "ref" / "aa").mkdir(parents=True)
    (b.work / "linked" / "blobs" / "ref" / "aa" / "out_1").symlink_to("/etc/passwd")
    assert "a link to /etc/passwd" in b.run("--data", str(place), "restore", "linked", code=2).err
    assert not place.exists() and not pathlib.Path(f"{place}.part").exists()


TESTS = [a_backup_under_load_is_the_log_of_one_moment, a_log_that_no_daemon_uses_is_copied_and_left_alone, nothing_is_half_after_a_kill, a_second_backup_to_the_same_place_is_refused,
         modes_are_private_and_keys_stay_behind, what_cannot_be_done_is_refused]


def main():
    chosen = [t for t in TESTS if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
    assert os.access(THOLE, os.X_OK), THOLE
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for n, t in enumerate(chosen, 1):
        b = Fixture()
        try:
            t(b)
            print(f"ok {n} - backup: {t.__name__.replace('_', ' ')}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - backup: {t.__name__.replace('_', ' ')}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()[-30:]), end="", flush=True)
        finally:
            for other in b.dir.glob("*/lock"):
                b.run("--data", str(other.parent), "serve", "--stop")
            b.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
