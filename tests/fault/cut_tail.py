#!/usr/bin/env python3
"""The newest events of a session are deleted and its record is set back: tests/fault/cut_tail.py BUILD_DIR.  Prints TAP.

The chain of what is left is whole; the heads that are anchored in sess_system show that something is gone.
"""
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, until_idle  # noqa: E402

SCRIPT = json.dumps({"version": 1, "rules": [], "default": {"text": "done"}})
SESSIONS = [f"sess_{i}" for i in range(7)]
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[-700:].replace("\n", "\n# "), flush=True)


def root(leaves):
    """RFC 6962, written once more and another way: level by level."""
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
    while len(level) > 1:
        level = [hashlib.sha256(b"\1" + level[i] + level[i + 1]).digest() if i + 1 < len(level) else level[i]
                 for i in range(0, len(level), 2)]
    return level[0].hex()


def anchors(http):
    found = [json.loads(line) for line in http.events("sess_system", 0)]
    return [e for e in found if "anchor" in e.get("payload", {})]


def run(build, data, what, is_whole=True):
    daemon = Daemon(build, data, SCRIPT, [])
    daemon.validates = is_whole  # what was cut or changed is not decided again
    daemon.start()
    try:
        return what(Http(daemon))
    finally:
        daemon.stop()


def cut(data, session, keep, rows=True):
    """As an attacker would who knows the format but not the checksum: the sum is left out, as in format 3."""
    db = sqlite3.connect(data + "/log.db")
    no = db.execute("SELECT session_no FROM session WHERE id = ?", (session,)).fetchone()[0]
    last = db.execute("SELECT hash FROM event WHERE session_no = ? AND seq = ?", (no, keep)).fetchone()[0]
    db.execute("DELETE FROM event WHERE session_no = ? AND seq > ?", (no, keep))
    db.execute("UPDATE session SET last_seq = ?, last_hash = ?, sum = NULL WHERE session_no = ?", (keep, last, no))
    db.execute("DELETE FROM snapshot WHERE session_no = ?", (no,))
    db.commit()
    db.close()


def work(http):
    for session in SESSIONS:
        http.call("submit_turn", {"sessionId": session, "input": "hello"})
    for session in SESSIONS:
        until_idle(http, session)
    return {s: len(http.events(s, 0)) for s in SESSIONS}


def look(http):
    verified = {s: http.call("verify_log", {"sessionId": s})[1] for s in SESSIONS + ["sess_system"]}
    found = anchors(http)
    texts = [http.call("get_output", {"outputRef": e["payload"]["anchor"]["leavesRef"]})[1].get("text") for e in found]
    return verified, found, texts


def main():
    build = os.path.abspath(sys.argv[1])
    where = tempfile.mkdtemp(prefix="thole-cut-")
    data = os.path.join(where, "data")
    try:
        lengths = run(build, data, work)
        verified, found, texts = run(build, data, look)
        check("the stop anchors the heads, one event with the root and its leaves", len(found) == 1 and texts[0], found)
        anchor, lines = found[0]["payload"]["anchor"], texts[0].splitlines()
        check("every session that changed is a leaf, sorted", set(SESSIONS) <= {x.split()[0] for x in lines} and lines == sorted(lines), lines)
        check("the root is that of RFC 6962", anchor["rootHash"] == root([x.encode() for x in lines]) and anchor["treeSize"] == len(lines), anchor)
        check("what is untouched is whole, and says how far it is anchored",
              all(v["status"] == "whole" for v in verified.values()) and verified["sess_3"]["anchoredSequence"] == lengths["sess_3"], verified)

        copy = os.path.join(where, "cut")
        shutil.copytree(data, copy, ignore=shutil.ignore_patterns("socket*", "hand"))
        cut(copy, "sess_3", lengths["sess_3"] - 5)
        verified = run(build, copy, look, is_whole=False)[0]
        bad = verified["sess_3"]
        check("a tail that was cut off is found", bad["status"] == "broken" and bad["firstBad"]["sequence"] == lengths["sess_3"] - 4, bad)
        check("with the anchor that names it", "sess_system" in bad["firstBad"]["reason"], bad)
        check("the others are whole", all(v["status"] == "whole" for s, v in verified.items() if s not in ("sess_3", "sess_system")), verified)

        copy = os.path.join(where, "cli")
        shutil.copytree(data, copy, ignore=shutil.ignore_patterns("socket*", "hand"))
        cut(copy, "sess_5", lengths["sess_5"] - 1)
        done = subprocess.run([os.path.join(build, "thole"), "verify", "--data", copy], capture_output=True, text=True, timeout=DEADLINE_S)
        check("thole verify says so", done.returncode == 1 and "sess_5" in done.stdout and "broken" in done.stdout, done.stdout + done.stderr)
        subprocess.run([os.path.join(build, "thole"), "serve", "--stop", "--data", copy], capture_output=True, timeout=DEADLINE_S)

        copy = os.path.join(where, "leaves")
        shutil.copytree(data, copy, ignore=shutil.ignore_patterns("socket*", "hand"))
        db = sqlite3.connect(copy + "/log.db")
        db.execute("UPDATE blob SET sum = NULL, data = CAST(replace(CAST(data AS TEXT), 'sess_3', 'sess_x') AS BLOB) WHERE ref = ?", (anchor["leavesRef"],))
        db.commit()
        db.close()
        verified = run(build, copy, look, is_whole=False)[0]
        check("leaves that were changed do not have the root", verified["sess_system"]["status"] == "broken", verified["sess_system"])
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
