#!/usr/bin/env python3
"""Write a fixture: a log in the format of this build, left by a daemon that was killed in the middle of its work.

usage: make.py BUILD_DIR > log-format-N.sql

Done once for each format, by the last version that writes it; tests/sim/test_formats.c opens the result.
"""
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scenario"))
from run import Daemon, Http, until  # noqa: E402

SCRIPT = json.dumps({
    "version": 1, "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done with care"}}],
    "rules": [{"when": {"afterTool": "careful"}, "reply": {"text": "it was allowed"}},
              {"when": {"text": "careful", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}},
              {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}}],
    "default": {"text": "hello there"}})


def wait(what):
    until("the expected state", what)


def main():
    place = tempfile.mkdtemp(prefix="thole-format-")
    data = os.path.join(place, "data")
    daemon = Daemon(os.path.abspath(sys.argv[1]), data, SCRIPT, ["session.idle_evict_s=1"])
    daemon.start()
    transport = Http(daemon)

    def call(command, **params):
        code, reply = transport.call(command, params)
        assert not code, reply
        return reply

    def types(session):
        return [json.loads(line)["type"] for line in transport.events(session, 0)]

    def turn(session, text):
        before = types(session).count("turn.completed") if text != "hello 0" else 0
        call("submit_turn", sessionId=session, input=text)
        wait(lambda: types(session).count("turn.completed") > before)

    def rows(sql):
        db = sqlite3.connect(f"file:{data}/log.db?mode=ro", uri=True)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    for session in ("at-rest", "trimmed"):
        turn(session, "hello 0")
        turn(session, "hello 1")
    call("trim_log", sessionId="trimmed", through=30, reason="old")
    call("erase_event", sessionId="trimmed", eventSequence=41, reason="a wish")
    wait(lambda: rows("SELECT 1 FROM pack p JOIN session s USING (session_no) WHERE s.id='at-rest'"))
    call("submit_turn", sessionId="asks", input="careful")
    wait(lambda: "action.required" in types("asks"))
    call("submit_turn", sessionId="asks", input="hello behind it")
    call("create_task", sessionId="tasks", taskId="task-1", objective="to be done")
    call("create_schedule", sessionId="tasks", everyMs=86400000, task={"objective": "daily"})
    call("submit_turn", sessionId="at-work", input="slow")
    wait(lambda: "model.requested" in types("at-work"))
    daemon.kill()

    db = sqlite3.connect(f"{data}/log.db")
    version, application = (db.execute("PRAGMA " + name).fetchone()[0] for name in ("user_version", "application_id"))
    print(f"-- A log of format {version}, written by the code of that time and killed: sessions at rest and packed, one trimmed and erased in,\n"
          "-- and open work.  Run against an empty file.\nPRAGMA page_size=4096;\nPRAGMA auto_vacuum=INCREMENTAL;")
    for line in db.iterdump():
        print(line)
    print(f"PRAGMA application_id={application};\nPRAGMA user_version={version};")
    db.close()
    shutil.rmtree(place)


if __name__ == "__main__":
    main()
