#!/usr/bin/env python3
"""Single derived rows are deleted between the end of a daemon and the next start: tests/fault/lost_rows.py BUILD_DIR.  Prints TAP.

After a kill as after a stop the rows are made again, and lists show what they showed; a kill alone makes nothing again.
(What is not noticed stands in docs/formats/event-log.md, Derived.)
"""
import json
import os
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import Daemon, Http, Wrong, until  # noqa: E402

SCRIPT = json.dumps({"version": 1, "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}}],
                     "rules": [{"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}}],
                     "default": {"text": "done"}})
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[-700:].replace("\n", "\n# "), flush=True)


def call(http, command, **params):
    """Until the rows are there again."""
    def reply():
        code, answer = http.call(command, params)
        return code != "rebuilding" and (code, answer)

    return until("the rows", reply)[1]


def lists(http):
    """What lists show, without what a start changes."""
    return {"sessions": sorted(s["sessionId"] for s in call(http, "list_sessions")["sessions"]),
            "actions": sorted(a["actionId"] for a in call(http, "list_actions", status="pending")["actions"]),
            "tasks": sorted(t["taskId"] for t in call(http, "list_tasks", sessionId="sess_1")["tasks"]),
            "threads": sorted(t["threadId"] for t in call(http, "list_threads", sessionId="sess_1")["threads"])}


def made_again(daemon):
    return any("made again" in line for line in daemon.log)


def main():
    build = os.path.abspath(sys.argv[1])
    where = tempfile.mkdtemp(prefix="thole-rows-")
    data = os.path.join(where, "data")
    daemon = Daemon(build, data, SCRIPT, [])
    try:
        daemon.start()
        http = Http(daemon)
        for n in range(5):
            call(http, "submit_turn", sessionId=f"sess_{n}", input="approve")
            call(http, "create_task", sessionId=f"sess_{n}", taskId=f"task-{n}", objective="o")
        until("five actions", lambda: len(lists(http)["actions"]) == 5)
        before = lists(http)

        for end in (daemon.kill, daemon.kill, daemon.stop):
            end()
            daemon.start()
            http = Http(daemon)
            check(f"after a {end.__name__} alone nothing is made again", lists(http) == before and not made_again(daemon), daemon.log)

        for end in (daemon.kill, daemon.stop):
            for sql in ("DELETE FROM idx_task WHERE key = 'task-1'", "DELETE FROM idx_action WHERE rowid = (SELECT max(rowid) FROM idx_action)",
                        "DELETE FROM idx_session WHERE key = 'sess_3'"):
                end()
                db = sqlite3.connect(data + "/log.db")
                gone = db.execute(sql).rowcount
                db.commit()
                db.close()
                daemon.start()
                http = Http(daemon)
                check(f"after a {end.__name__}: {sql.split(' WHERE')[0]}", gone > 0 and lists(http) == before and made_again(daemon),
                      (gone, lists(http), daemon.log))
        for n in range(5):
            check(f"sess_{n} is whole", call(http, "verify_log", sessionId=f"sess_{n}")["status"] == "whole")
        daemon.stop()
    except Wrong as e:
        check("lost rows", False, e)
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
