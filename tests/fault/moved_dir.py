#!/usr/bin/env python3
"""The data directory is deleted, moved or replaced under the running daemon: tests/fault/moved_dir.py BUILD_DIR.  Prints TAP.

Nothing may be acknowledged afterwards that the next start does not find: commands are refused, the daemon says which file is
gone and ends with the exit code of a failed store, also without requests.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402

SCRIPT = json.dumps({"version": 1, "rules": [], "default": {"text": "done"}})
CODE_STORE = 70
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so and more:
        print("# " + str(more)[:600].replace("\n", "\n# "), flush=True)


def replace_by_copy(data):
    shutil.copytree(data, data + ".copy", ignore=shutil.ignore_patterns("socket*", "hand"))
    os.rename(data, data + ".old")
    os.rename(data + ".copy", data)


def replace_log(data):
    shutil.copy(data + "/log.db", data + "/new")
    os.rename(data + "/new", data + "/log.db")


def relink(data):
    """The directory is reached by a link, and the link now leads elsewhere."""
    other = data + ".other"
    os.mkdir(other, 0o700)
    os.symlink(other, data + ".link.new")
    os.rename(data + ".link.new", data + ".link")


WAYS = {
    "rm -rf of the directory": lambda d: shutil.rmtree(d, ignore_errors=True),  # the daemon takes its socket away meanwhile
    "the directory moved away": lambda d: os.rename(d, d + ".away"),
    "the directory replaced by a copy": replace_by_copy,
    "log.db deleted": lambda d: os.unlink(d + "/log.db"),
    "log.db replaced by a copy": replace_log,
    "log.db-wal deleted": lambda d: os.unlink(d + "/log.db-wal"),
    "the lock deleted": lambda d: os.unlink(d + "/lock"),
    "a link that leads elsewhere": relink,
}
NOTICED_ONLY_BY_WRITING = {"a link that leads elsewhere"}


def one(build, where, name, way, is_idle):
    room = tempfile.mkdtemp(prefix="moved-", dir=where)
    data = os.path.join(room, "data")
    daemon = Daemon(build, data, SCRIPT, [])
    if way is relink:
        os.mkdir(data, 0o700)
        os.symlink(data, data + ".link")
        daemon.data = data + ".link"
    daemon.start()
    http = Http(daemon)
    code, reply = http.call("submit_turn", {"sessionId": "sess_before", "input": "hello"})
    if code:
        raise Wrong(f"the first turn: {reply}")
    way(data)
    answers = []
    if not is_idle:
        for i in range(5):
            try:
                status, body = http.request("POST", "/v1/commands/submit_turn",
                                            json.dumps({"sessionId": f"sess_{i}", "input": "hello"}))
                answers.append(status)
            except OSError:
                break
    try:
        ended = daemon.process.wait(DEADLINE_S)
    except subprocess.TimeoutExpired:
        ended = "still running"
        daemon.kill()
    words = daemon.whole_log()
    what = name + (", without requests" if is_idle else "")
    if not is_idle:
        check(f"{what}: nothing is acknowledged any more", not any(a < 400 for a in answers), answers)
    check(f"{what}: it ends by itself and says the store failed", ended == CODE_STORE, f"{ended}: {words[-400:]}")
    check(f"{what}: it says which file", "while this process had it open" in words, words[-400:])


def sealed_elsewhere(build, where):
    """blobs/ is replaced: an output that would be lost is not reported as stored."""
    room = tempfile.mkdtemp(prefix="moved-", dir=where)
    data = os.path.join(room, "data")
    script = json.dumps({
        "version": 1,
        "tools": [{"name": "big", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}\n", "bytes": 100000}}}],
        "rules": [{"when": {"afterTool": "big"}, "reply": {"text": "That was a lot."}},
                  {"when": {"text": "big", "request": 1}, "reply": {"toolCalls": [{"name": "big", "args": {}}]}}],
        "default": {"text": "done"}})
    daemon = Daemon(build, data, script, [])
    daemon.start()
    http = Http(daemon)
    os.rename(data + "/blobs", data + "/blobs.old")
    os.makedirs(data + "/blobs/open")
    http.call("submit_turn", {"sessionId": "sess_big", "input": "big"})

    def events_at_the_end():
        events = [json.loads(line) for line in http.events("sess_big", 0)]
        return events if any(e["type"] in ("turn.completed", "turn.failed") for e in events) else None

    spilled = [e for e in until("the end of the turn", events_at_the_end) if e["type"] == "output.spilled" and e["output"]["complete"]]
    check("blobs/ replaced: no output is reported as complete that the next start does not find", spilled == [], spilled)
    daemon.kill()


def main():
    build = os.path.abspath(sys.argv[1])
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    where = tempfile.mkdtemp(prefix="thole-moved-")
    try:
        for name, way in WAYS.items():
            if only not in name:
                continue
            one(build, where, name, way, False)
            if name not in NOTICED_ONLY_BY_WRITING:
                one(build, where, name, way, True)
        if only in "blobs":
            sealed_elsewhere(build, where)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
