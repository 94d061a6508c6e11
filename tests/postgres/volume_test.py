#!/usr/bin/env python3
"""How a log in PostgreSQL behaves as it grows: what opening a session, a page of a list and an append cost, how large the tables are, and
what packing takes from appending.

usage: volume_test.py BUILD_DIR [WORD...]     prints TAP, and the figures as lines with #

WORD: only stories whose name contains one of them.
THOLE_EVENTS: events that are appended by turns; default 1000000.  THOLE_GROWTH: by how much the log grows then, by copies of its packed
sessions; default 10,100.  Each event needs about 400 bytes of disk; what does not fit is left out, with a SKIP line.
THOLE_PACK_MINUTES: how long is appended with and without packing, together; default 8.
"""
import os
import random
import shutil
import statistics
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "nodes"))
import nodes_test as nodes  # noqa: E402
from nodes_test import Wrong, ask, check, scenario, until  # noqa: E402

EVENTS = int(os.environ.get("THOLE_EVENTS", "1000000"))
GROWTH = [int(word) for word in os.environ.get("THOLE_GROWTH", "10,100").split(",")]
PACK_S = float(os.environ.get("THOLE_PACK_MINUTES", "8")) * 60
EVENT_BYTES = 400
TURNS, OPENS, PAGES, APPENDS = 12, 60, 200, 300
TABLES = ("session", "chunk", "pack", "snapshot", "idx", "blob", "idem")
SCRIPT = """{"version": 1, "tools": [{"name": "work", "policy": "allowed", "result": {"text": "ok", "progress": [%s]}}],
 "rules": [{"when": {"text": "work", "request": 1}, "reply": {"toolCalls": [{"name": "work", "args": {}}]}}], "default": {"text": "done"}}""" % (
    ",".join('{"afterMs": 0, "message": "part %d of what the tool does", "completed": %d, "total": 150}' % (n, n) for n in range(150)))
# What a copy of a session is made of.  Its events keep their bytes: a copy is listed, and never opened.
COPIES = """
CREATE TEMP TABLE original AS SELECT s.session_no FROM session s WHERE s.owner = 0 AND s.id LIKE 'sess\\_%' AND s.id NOT LIKE 'sess\\_system%'
 AND s.id NOT LIKE 'sess\\_node%' AND NOT EXISTS (SELECT FROM chunk c WHERE c.session_no = s.session_no) AND s.session_no <= {last_no};
INSERT INTO session(session_no, id, owner, mark, last_seq, last_hash, floor_seq, floor_hash, floor_ref) OVERRIDING SYSTEM VALUE
 SELECT session_no + {no}, id || '_{n}', 0, 0, last_seq, last_hash, floor_seq, floor_hash, floor_ref FROM session JOIN original USING (session_no);
INSERT INTO pack(session_no, first_seq, last_seq, position, last_position, span, prev_hash, last_hash, head, body, journal)
 SELECT session_no + {no}, first_seq, last_seq, position + {position}, last_position + {position}, span, prev_hash, last_hash, head, body, journal
 FROM pack JOIN original USING (session_no);
INSERT INTO snapshot(session_no, version, seq, hash, body) SELECT session_no + {no}, version, seq, hash, body FROM snapshot JOIN original USING (session_no);
INSERT INTO idx(tbl, key, session_no, status, parent, at, open, body)
 SELECT tbl, key || '_{n}', session_no + {no}, status, parent, at, open, body FROM idx JOIN original USING (session_no);
INSERT INTO blob(ref, session_no, seq, media_type, data)
 SELECT ref || '_{n}', session_no + {no}, seq, media_type, data FROM blob JOIN original USING (session_no);
DROP TABLE original;
"""


def say(text):
    print("# " + text, flush=True)


class Log:
    """One node, and what it has written."""

    def __init__(self, w, *options):
        self.w, self.sessions, self.copies = w, {}, 0
        self.node = w.node("a", *(options or ["session.idle_evict_s=1"]))

    def rows(self, text):
        return self.w.cluster.sql(f"SET search_path = {self.w.schema}; " + text)

    def number(self, text):
        return int(self.rows(text)[-1])

    def restart(self):
        self.node.stop()
        self.node.start()
        until("the node", lambda: scenario.Http(self.node).request("GET", "/readyz")[0] == 200)

    def append(self, goes_on):
        """Clients start sessions until goes_on() is false; what they did not finish then they finish.  Returns the seconds."""
        lock, began, left, wrong = threading.Lock(), time.monotonic(), [True], []

        def client():
            try:
                work()
            except (Wrong, OSError) as e:
                wrong.append(e)
                left[0] = False

        def work():
            while left[0]:
                session = None
                for _ in range(TURNS):
                    session = nodes.submit(self.node, "work", session)
                until("the turns", lambda: all("activeTurnId" not in t for t in ask(self.node, "list_threads", sessionId=session)["threads"]), 0.1)
                with lock:
                    self.sessions[session] = ask(self.node, "get_session", sessionId=session)["sequence"]
                    left[0] = left[0] and goes_on()

        threads = [threading.Thread(target=client) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if wrong:
            raise wrong[0]
        return time.monotonic() - began

    def fill(self):
        took = self.append(lambda: sum(self.sessions.values()) < EVENTS)
        events = sum(self.sessions.values())
        check(events >= EVENTS, f"only {events} events were written")
        say(f"{events} events of {len(self.sessions)} sessions appended in {took:.0f} s, {events / took:.0f} a second with their clients on the same processors")

    def pack(self):
        """Sessions that have left memory are packed."""
        self.restart()
        want = len(self.sessions) // 50
        count = "SELECT count(DISTINCT session_no) FROM chunk"
        until(lambda: f"the sessions to be packed; {self.number(count)} of {len(self.sessions)} are not", lambda: self.number(count) <= want + 5, 1, 600)

    def copy(self, copies):
        """So many more of each session."""
        self.node.stop()
        began = time.monotonic()
        last_no, position = self.number("SELECT max(session_no) FROM session"), self.number("SELECT last_position FROM counter")
        for n in range(self.copies + 1, self.copies + copies + 1):
            self.rows(COPIES.format(last_no=self.first_no, no=self.first_no * n, position=self.first_position * n, n=n))
        self.copies += copies
        self.rows(f"SELECT setval(pg_get_serial_sequence('{self.w.schema}.session', 'session_no'), (SELECT max(session_no) FROM session));"
                  f"UPDATE counter SET last_position = {position + self.first_position * copies}; ANALYZE")
        self.node.start()
        until("the node", lambda: scenario.Http(self.node).request("GET", "/readyz")[0] == 200)
        # The first start reads all of them for the next anchor, because no node has noted them.
        until("the first start to have read them", self.is_quiet, 0.1, 600)
        say(f"{copies} copies of each session in {time.monotonic() - began:.0f} s; session numbers up to {last_no + self.first_no * copies}")

    def is_quiet(self):
        active = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
        return not any(self.number(active) for _ in range(20))

    def mark(self):
        self.first_no, self.first_position = self.number("SELECT max(session_no) FROM session"), self.number("SELECT last_position FROM counter")

    def events(self):
        return self.number("SELECT sum(last_seq) FROM session")

    def sizes(self):
        parts = {t: self.number(f"SELECT pg_total_relation_size('{self.w.schema}.{t}')") for t in TABLES}
        indexes = self.number(f"SELECT sum(pg_indexes_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = '{self.w.schema}' AND relkind = 'r'")
        events = self.events()
        say(f"{events} events: {sum(parts.values()) / 1e6:.0f} MB, {sum(parts.values()) / events:.0f} bytes an event, of them indexes {indexes / events:.0f}: "
            + ", ".join(f"{t} {size / events:.1f}" for t, size in parts.items()))


def timed(work, times):
    found = []
    for n in range(times):
        began = time.monotonic()
        work(n)
        found.append((time.monotonic() - began) * 1000)
    return found


def measure(log, rng):
    """Sessions that are not in memory, the newest and older pages of the list, one event."""
    log.restart()
    some = rng.sample(sorted(log.sessions), min(OPENS, len(log.sessions)))
    cursor = [""]

    def open_one(n):
        seen = ask(log.node, "get_session", sessionId=some[n])["sequence"]
        check(seen >= log.sessions[some[n]], f"{some[n]} has {seen} events")

    def page(_):
        reply = ask(log.node, "list_sessions", limit=50, **({"cursor": cursor[0]} if cursor[0] else {}))
        check(len(reply["sessions"]) == 50 or "nextCursor" not in reply, "a page is not full")
        cursor[0] = reply.get("nextCursor", "")

    def append(n):
        ask(log.node, "update_session", sessionId=some[0], title=f"title {n}")

    opened, paged = timed(open_one, len(some)), timed(page, PAGES)
    appended = timed(append, APPENDS)
    log.sessions[some[0]] += APPENDS
    row = {"open": opened, "page": paged, "append": appended}
    say(f"{log.events()} events, {log.number('SELECT count(*) FROM session')} sessions: " + ", ".join(
        f"{name} {statistics.median(times):.2f} ms (p95 {sorted(times)[int(len(times) * .95)]:.2f})" for name, times in row.items()))
    return {name: statistics.median(times) for name, times in row.items()}


def the_cost_of_a_log_stays_as_it_grows(w):
    log, rng = Log(w), random.Random(7)
    log.fill()
    log.pack()
    log.mark()
    log.sizes()
    first, copies = measure(log, rng), 1
    for growth in GROWTH:
        room = shutil.disk_usage(w.cluster.data if os.path.isdir(w.cluster.data) else "/").free
        need = (growth - copies) * EVENTS * EVENT_BYTES
        if room < 1.2 * need:
            say(f"SKIP {growth} times as many events: {room / 1e9:.0f} GB are free, {1.2 * need / 1e9:.0f} are needed")
            continue
        log.copy(growth - copies)
        copies = growth
        log.sizes()
        now = measure(log, rng)
        say(f"{growth} times as many events: " + ", ".join(f"{name} {now[name] / first[name]:.2f} times the first" for name in now))
    for session, events in rng.sample(sorted(log.sessions.items()), 5):
        check(len(nodes.log_of(log.node, session)) == events, f"{session} has other events than it had")


def append_rate(log, seconds):
    until_s, before = time.monotonic() + seconds, log.events()
    took = log.append(lambda: time.monotonic() < until_s)
    return (log.events() - before) / took


def what_packing_takes_from_appending(w):
    """Two logs on one server, one of which packs what has left memory; they work in turn, so that each meets the same machine."""
    packs, keeps = Log(w), Log(nodes.World(w.build, w.cluster), "session.idle_evict_s=86400", "session.memory_bytes=4294967296")
    try:
        keeps.node.stop()
        rates = {packs: [], keeps: []}
        for log, other in ((packs, keeps), (keeps, packs), (keeps, packs), (packs, keeps)):
            if other.node.process:
                other.node.stop()
            if not log.node.process or log.node.process.poll() is not None:
                log.node.start()
                until("the node", lambda: scenario.Http(log.node).request("GET", "/readyz")[0] == 200)
            rates[log].append(append_rate(log, PACK_S / 4))
        for log, name in ((packs, "with packing"), (keeps, "without")):
            dead = log.rows(f"SELECT n_dead_tup, autovacuum_count, pg_total_relation_size(relid) / 1000000 FROM pg_stat_user_tables WHERE schemaname = '{log.w.schema}' AND relname = 'chunk'")
            say(f"{name}: " + ", ".join(f"{rate:.0f}" for rate in rates[log]) + f" events a second; rows of chunk that are dead, times it was vacuumed, MB: {dead[-1]}")
        say(f"appending beside packing: {sum(rates[packs]) / sum(rates[keeps]):.2f} of appending alone")
        check(packs.number("SELECT count(*) FROM pack") > 0, "nothing was packed")
        check(keeps.number("SELECT count(*) FROM pack") == 0, "the other log was packed, too")
    finally:
        keeps.w.done()


if __name__ == "__main__":
    nodes.SCRIPT = SCRIPT
    sys.exit(nodes.play([the_cost_of_a_log_stays_as_it_grows, what_packing_takes_from_appending], "the volume of a log in PostgreSQL"))
