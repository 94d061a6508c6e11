#!/usr/bin/env python3
"""Deletion of whole sessions: what leaves, what stays, what verify says, kill -9 at any point.

usage: delete_test.py BUILD_DIR [ROUNDS [WORD ...]]     prints TAP; 6 rounds of kill -9 when not said
"""
import concurrent.futures
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import evidence_test as evidence  # noqa: E402

scenario, thole, expect, until, Wrong = evidence.scenario, evidence.thole, evidence.expect, evidence.until, evidence.Wrong
TABLES = "event pack blob snapshot idx_session idx_thread idx_task idx_action idx_timer idx_id idx_item idx_output".split()


class World(evidence.World):
    def rows(self, sql, *values):
        db = sqlite3.connect(f"file:{self.daemon.data}/log.db?mode=ro", uri=True, timeout=30)
        try:
            return db.execute(sql, values).fetchall()
        finally:
            db.close()

    def left(self):
        """Rows of sessions that are not there."""
        found = {t: self.rows(f"SELECT count(*) FROM {t} WHERE session_no NOT IN (SELECT session_no FROM session) AND session_no > 0")[0][0]
                 for t in TABLES}
        return {t: n for t, n in found.items() if n}

    def is_swept(self):
        return not self.rows("SELECT 1 FROM removed WHERE state < 3") and not self.left()

    def files(self):
        return {os.path.join(d, f) for d, _, names in os.walk(os.path.join(self.daemon.data, "blobs")) for f in names if f != "log.id"}

    def code(self, command, **params):
        return self.transport.call(command, params)[0]

    def new(self, text="hello"):
        self.session = self.thread = None
        self.turn(text)
        return self.session

    def user(self, *words, check=True):
        return thole(self.build, *words, "--data", self.daemon.data, check=check)

    def removals(self):
        """A kill before the first deletion leaves a runtime that has recorded nothing about itself yet."""
        if self.code("get_session", sessionId="sess_system") == "session_not_found":
            return {}
        found = [json.loads(line) for line in self.transport.events("sess_system", 0)]
        return {e["payload"]["removed"]["sessionId"]: e for e in found if "removed" in e.get("payload", {})}


def story_nothing_of_it_stays_but_the_event(build, rounds):
    w = World(build)
    try:
        kept = w.new("large")
        before = w.files()
        gone = w.new("a word of this session alone: quokka")
        evidence.make_rich(w)
        w.user("export", "evidence", gone, "-o", os.path.join(w.home, "pack"))
        expect("no output was stored", len(w.files()) > len(before))
        head = w.rows("SELECT last_seq, hex(last_hash) FROM session WHERE id = ?", gone)[0]
        cost = w.call("get_usage", by="day")
        said = w.user("delete", gone, "--reason", "asked for").stdout
        expect(said, "deleted" in said)
        until("the sweep", w.is_swept)
        event = w.removals()[gone]
        removed = event["payload"]["removed"]
        expect(str(removed), (removed["lastSequence"], removed["headHash"]) == (head[0], head[1].lower()) and removed["reason"] == "asked for")
        expect("who", event["payload"]["updatedBy"]["kind"] == "user")
        expect(f"files: {w.files() - before}", w.files() == before)
        for command in ("get_session", "list_events", "get_thread_read", "export_evidence", "replay_session"):
            expect(command, w.code(command, sessionId=gone) == "session_deleted")
        expect("a new session with its id", w.code("submit_turn", sessionId=gone, input="hello") == "session_deleted")
        expect("a second time", w.call("delete_session", sessionId=gone)["status"] == "already_deleted")
        expect("the list", gone not in [s["sessionId"] for s in w.call("list_sessions")["sessions"]])
        expect("the stream of all", gone not in {json.loads(e).get("sessionId") for e in w.transport.events("", 0)})
        expect(f"the sums fell: {cost} {w.call('get_usage', by='day')}", w.call("get_usage", by="day")["total"] == cost["total"])
        said = w.user("verify").stdout
        expect(said, said.startswith("whole"))
        said = w.user("verify", gone).stdout
        expect(said, "removed, recorded by event %d of sess_system" % event["sequence"] in said)
        said = w.user("audit", "--what", "erasures").stdout
        expect(said, f"session {gone} was deleted" in said)
        until("free pages were returned", lambda: w.rows("PRAGMA freelist_count") == [(0,)])
        w.daemon.stop()
        with open(os.path.join(w.daemon.data, "log.db"), "rb") as f:
            expect("its text is still in the file", b"quokka" not in f.read())
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        expect("after a start", w.code("get_session", sessionId=gone) == "session_deleted")
        # The reason may name a person: it is erased, and what proves the deletion stays.
        w.call("erase_event", sessionId="sess_system", eventSequence=event["sequence"], reason="a name")
        w.restart()
        expect("the reason was erased", w.user("verify").stdout.startswith("whole") and "asked for" not in str(w.removals()[gone]))
        expect("the other", w.call("verify_log", sessionId=kept)["status"] == "whole")
    finally:
        w.end()
    return w


def story_no_row_of_many_sessions_stays(build, rounds):
    w = World(build, ["session.idle_evict_s=1"])
    try:
        gone = [w.new() for _ in range(100)]
        for n in range(5600):
            w.call("update_session", sessionId=gone[0], title=f"name {n}")
        until("packs of many events", lambda: w.rows("SELECT count(*) FROM pack JOIN session USING (session_no) WHERE id = ?", gone[0])[0][0] >= 10)
        w.call("delete_session", sessionId=gone.pop(0))
        until(lambda: f"the sweep: {w.left()}", w.is_swept)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda s: scenario.Http(w.daemon).call("delete_session", {"sessionId": s}), gone))
        until(lambda: f"the sweep: {w.left()}", w.is_swept)
        # A deletion that is repeated by the beginning of another session's id deletes nothing.
        w.call("submit_turn", sessionId="proj2", input="hello")
        expect("a beginning is not an id", w.user("delete", "proj", check=False).returncode != 0)
        expect("another session was deleted", w.code("get_session", sessionId="proj2") is None)
    finally:
        w.end()
    return w


def story_a_deleted_session_is_named_as_such(build, rounds):
    """Not taken for one whose id begins the same way, and not called unknown."""
    w = World(build)
    try:
        for id in ("proj", "proj2"):
            w.call("submit_turn", sessionId=id, input="hello")
            until("its end", lambda id=id: any(b"turn.completed" in (e if isinstance(e, bytes) else e.encode()) for e in w.transport.events(id, 0)))
        expect("the exact id is meant", "session" in w.user("verify", "proj").stdout)
        w.user("delete", "proj")
        event = w.removals()["proj"]
        sentence = f"Session proj was deleted at {event['timestamp']}, as event {event['sequence']} of sess_system records."
        for verb in ("show", "log", "why"):
            done = w.user(verb, "proj", check=False)
            expect(f"{verb}: {done.returncode} {done.stdout} {done.stderr}", done.returncode == 1 and sentence in done.stderr)
            done = w.user(verb, "nothing-like-it", check=False)
            expect(f"{verb}: {done.stderr}", done.returncode == 1 and "nothing called" in done.stderr)
        said = w.user("verify", "proj").stdout
        expect(said, said.startswith(f"proj  removed, recorded by event {event['sequence']} of sess_system"))
        expect("a beginning", "1 session" in w.user("verify", "pro").stdout and "removed" not in w.user("verify", "pro").stdout)
        code, problem = w.transport.call("get_session", {"sessionId": "proj"})
        expect(f"{problem}", code == "session_deleted" and problem["removedBy"] == event["sequence"])
        for command in ("list_jobs", "list_schedules", "list_benchmark_trials", "list_tasks", "list_actions"):
            expect(command, w.code(command, sessionId="proj") == "session_deleted")
            expect(command, w.code(command, sessionId="proj2") is None and w.code(command, sessionId="other") == "session_not_found")
    finally:
        w.end()
    return w


def story_what_runs_or_waits_is_refused(build, rounds):
    w = World(build)
    try:
        w.turn("slow", wait=False)
        code, reply = w.transport.call("delete_session", {"sessionId": w.session})
        expect(f"{code} {reply}", code == "session_active" and "thole stop" in reply["detail"])
        w.call("interrupt_turn", sessionId=w.session, threadId=w.thread)
        until("its end", lambda: w.events("turn.failed") or w.events("turn.completed"))
        w.call("create_schedule", sessionId=w.session, everyMs=3600000, task={"objective": "do it"})
        code, reply = w.transport.call("delete_session", {"sessionId": w.session})
        expect(f"{code} {reply}", code == "session_active" and "schedule" in reply["detail"])
        schedule = w.call("list_schedules")["schedules"][0]["scheduleId"]
        w.call("delete_schedule", sessionId=w.session, scheduleId=schedule)
        task = w.call("create_task", sessionId="other", objective="work elsewhere")["taskId"]
        w.call("start_task", sessionId="other", taskId=task, worker={"kind": "external"})
        w.call("claim_task", sessionId="other", taskId=task, workerId="w")
        code, reply = w.transport.call("delete_session", {"sessionId": "other"})
        expect(f"{code} {reply}", code == "session_active" and "thole task cancel" in reply["detail"])
        w.call("cancel_task", sessionId="other", taskId=task)
        code, reply = w.transport.call("delete_session", {"sessionId": "other"})
        expect(f"{code} {reply}", code == "session_active" and "is being cancelled" in reply["detail"] and "thole task" not in reply["detail"])
        expect("unknown", w.code("delete_session", sessionId="sess_unknown") == "session_not_found")
        expect("system", w.code("delete_session", sessionId="sess_system") == "reserved_id")
        first = w.call("delete_session", sessionId=w.session, idempotencyKey="k1")
        expect("the key", w.call("delete_session", sessionId=w.session, idempotencyKey="k1") == first)
        expect("another body", w.code("delete_session", sessionId=w.session, reason="x", idempotencyKey="k1") == "idempotency_conflict")
    finally:
        w.end()
    return w


def story_a_follower_is_not_left_waiting(build, rounds):
    w = World(build)
    try:
        w.new()
        command = [os.path.join(build, "thole"), "log", "-f", w.session, "--json", "--data", w.daemon.data]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as follower:
            while "turn.completed" not in follower.stdout.readline():
                pass
            w.call("delete_session", sessionId=w.session)
            follower.communicate(timeout=scenario.DEADLINE_S)
    finally:
        w.end()
    return w


def story_a_session_that_vanished_is_named(build, rounds):
    w = World(build)
    try:
        gone, vanished, forged = w.new(), w.new(), w.new()
        w.call("delete_session", sessionId=gone)
        w.daemon.stop()  # anchors all heads
        db = sqlite3.connect(os.path.join(w.daemon.data, "log.db"))
        for id in (vanished, forged):
            no, seq, last = db.execute("SELECT session_no, last_seq, last_hash FROM session WHERE id = ?", (id,)).fetchone()
            for table in TABLES + ["session"]:
                db.execute(f"DELETE FROM {table} WHERE session_no = ?", (no,))
            if id == forged:
                db.execute("INSERT INTO removed VALUES(?, ?, ?, ?, 1, 3)", (no, id, seq, last))
        db.commit()
        db.close()
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        until("rows are there again", lambda: w.code("list_sessions") is None)
        expect("the deleted one", w.call("verify_log", sessionId=gone)["status"] == "removed")
        for id in (vanished, forged):
            expect(f"{id}", w.call("verify_log", sessionId=id)["status"] == "broken")
        expect("all", w.call("verify_log", sessionId="sess_system")["firstBad"]["sessionId"] in (vanished, forged))
    finally:
        w.end()
    return w


def story_a_deleted_session_that_is_put_back_is_broken(build, rounds):
    w = World(build)
    try:
        back = w.new()
        w.daemon.stop()
        copy = os.path.join(w.home, "copy.db")
        shutil.copy(os.path.join(w.daemon.data, "log.db"), copy)
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        w.call("delete_session", sessionId=back)
        until("the sweep", w.is_swept)
        w.daemon.stop()
        db = sqlite3.connect(os.path.join(w.daemon.data, "log.db"))
        db.execute("ATTACH ? AS copy", (copy,))
        for table in ("session", "event", "pack"):
            db.execute(f"INSERT INTO {table} SELECT * FROM copy.{table} WHERE session_no = (SELECT session_no FROM copy.session WHERE id = ?)", (back,))
        db.commit()
        db.close()
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        said = w.call("verify_log", sessionId=back)
        expect(str(said), said["status"] == "broken" and "records its deletion" in str(said))
    finally:
        w.end()
    return w


def story_a_checkpoint_tells_deleted_from_lost(build, rounds):
    w = World(build)
    try:
        w.user("key", "new")
        gone, lost = w.new(), w.new()
        w.user("export", "evidence", lost, "-o", os.path.join(w.home, "pack"))  # anchors
        anchors = [json.loads(line)["payload"].get("anchor") for line in w.transport.events("sess_system", 0)]
        note = os.path.join(w.home, "note")
        with open(note, "w") as f:
            f.write([a for a in anchors if a][-1]["checkpoint"])
        w.call("delete_session", sessionId=gone)
        said = w.user("verify", "--checkpoint", note).stdout
        expect(said, "continues" in said and "1 removed and recorded" in said)
        w.daemon.stop()
        db = sqlite3.connect(os.path.join(w.daemon.data, "log.db"))
        no = db.execute("SELECT session_no FROM session WHERE id = ?", (lost,)).fetchone()[0]
        for table in TABLES + ["session"]:
            db.execute(f"DELETE FROM {table} WHERE session_no = ?", (no,))
        db.commit()
        db.close()
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        until("rows are there again", lambda: w.code("list_sessions") is None)
        done = w.user("verify", "--checkpoint", note, check=False)
        expect(done.stdout, done.returncode == 1 and f"session_removed: {lost}" in done.stdout and gone not in done.stdout)
    finally:
        w.end()
    return w


def story_the_event_of_a_deletion_may_be_trimmed(build, rounds):
    """Anchors behind it do not name the session; a daemon that runs says what one that starts would say."""
    w = World(build)
    try:
        early, late = w.new(), w.new()
        w.user("delete", early)
        w.user("delete", late)
        said = w.call("verify_log", sessionId="sess_system")
        expect(f"{said}", said["status"] == "whole" and said["removedSessions"] == 2)
        expect("all are counted", "2 removed and recorded" in w.user("verify").stdout)
        w.new()
        w.daemon.stop()  # anchors all heads
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        through = w.removals()[early]["sequence"]
        answers = []
        for n in range(2):
            expect("before it is trimmed", w.call("verify_log", sessionId="sess_system")["status"] == "whole")
            until("it is trimmed", lambda: w.code("trim_log", sessionId="sess_system", through=through) is None)
            expect("the event is there", early not in w.removals() and (late in w.removals()) == (n == 0))
            answers.append([w.call("verify_log", sessionId="sess_system")["status"], w.user("verify").stdout.split("session")[1]])
            w.restart()
            answers.append([w.call("verify_log", sessionId="sess_system")["status"], w.user("verify").stdout.split("session")[1]])
            expect(f"{answers}", answers[-1] == answers[-2] and answers[-1][0] == "whole")
            through = max(e["sequence"] for e in w.removals().values()) if n == 0 else 0
        for id in (early, late):
            expect("the ids are free", w.code("get_session", sessionId=id) == "session_deleted")
    finally:
        w.end()
    return w


def story_readers_at_the_same_time_get_an_answer(build, rounds):
    w = World(build)
    try:
        mine = [w.new("large") for _ in range(8)]
        reads = ("get_session", "list_events", "get_thread_read", "verify_log", "get_time_use")
        codes, is_over = set(), threading.Event()

        def read(n):
            own = scenario.Http(w.daemon)
            while not is_over.is_set():
                codes.add(own.call(reads[n % len(reads)], {"sessionId": mine[n % len(mine)]})[0])
                n += 1

        threads = [threading.Thread(target=read, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for id in mine:
            until("the deletion", lambda id=id: w.code("delete_session", sessionId=id) is None)
        is_over.set()
        for t in threads:
            t.join()
        expect(f"codes {codes}", codes <= {None, "session_deleted"})
        expect("events", set(mine) == set(w.removals()))
    finally:
        w.end()
    return w


def story_kill_9_leaves_all_or_nothing(build, rounds):
    """Several callers delete while the daemon is killed; each session is whole afterwards, or gone with its event."""
    w, chance = World(build), random.Random(11)
    try:
        mine = []
        for turn in range(rounds):
            mine += [w.new("large" if n % 4 == 0 else "hello") for n in range(12)]
            wanted = chance.sample(mine, min(len(mine), 16))
            said = []

            def delete(some):
                for id in some:
                    try:
                        said.append((id, w.code("delete_session", sessionId=id)))
                    except (OSError, Wrong, ValueError):
                        return

            threads = [threading.Thread(target=delete, args=(wanted[n::3],)) for n in range(3)]
            for t in threads:
                t.start()
            until("some deletions", lambda: len(said) >= chance.randrange(12))
            w.daemon.kill()
            for t in threads:
                t.join()
            w.daemon.start()
            w.transport = scenario.Http(w.daemon)
            recorded = w.removals()
            for id in mine:
                status = w.call("verify_log", sessionId=id)["status"]
                expect(f"{id}: {status}", status == ("removed" if id in recorded else "whole"))
                expect(f"{id}: read", w.code("get_session", sessionId=id) == ("session_deleted" if id in recorded else None))
            for id, code in said:
                expect(f"{id}: {code}, answered and not kept", code or id in recorded)
            expect("sess_system", w.call("verify_log", sessionId="sess_system")["status"] == "whole")
            until("the sweep", w.is_swept)
        outputs = {r[0] for r in w.rows("SELECT key FROM idx_output WHERE status = 'spilled'")}
        files = {os.path.basename(f) for f in w.files() if "/ref/" in f}
        expect(f"files without a session: {files - outputs}", files <= outputs)
    finally:
        w.end()
    return w


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    wanted = sys.argv[3:]
    stories = [(n[6:].replace("_", " "), f) for n, f in globals().items() if n.startswith("story_")]
    stories = [(n, f) for n, f in stories if not wanted or any(word in n for word in wanted)]
    failed = 0
    for n, (name, story) in enumerate(stories, 1):
        try:
            story(build, rounds)
            print(f"ok {n} - {name}", flush=True)
        except (Wrong, KeyError, subprocess.SubprocessError) as wrong:
            failed += 1
            print(f"not ok {n} - {name}\n# " + repr(wrong)[:1500].replace("\\n", "\n# "), flush=True)
    print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
