#!/usr/bin/env python3
"""Nodes of two neighbouring versions on one PostgreSQL: which of them gets which session, and a rolling upgrade under load.

usage: upgrade_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.  The program of the version before is this one, told by
THOLE_TEST_REV to be of an earlier revision (src/engine/nodes/node_rev.h); the newer one says which classes of events it brought.
"""
import http.client
import json
import os
import subprocess
import sys
import threading
import time

import nodes_test as nodes
from nodes_test import DEADLINE_S, Wrong, approve, ask, call, check, count, everything, log_of, pending, scenario, submit, until

OLD = ["env", "THOLE_TEST_REV=1"]


def new(*classes):
    return ["env", "THOLE_TEST_REV=" + " ".join(("2", *classes))]


# ---- helpers --------------------------------------------------------------------------------------

def rows(w, sql):
    return w.cluster.sql(sql.replace("@", w.schema + "."))


def needs(w, session):
    return int(rows(w, f"SELECT needs_rev FROM @session WHERE id = '{session}'")[0])


def owner(w, session):
    """The name of the node that owns it, or None."""
    found = rows(w, f"SELECT coalesce(n.name, '') FROM @session s LEFT JOIN @node n ON n.incarnation = s.owner WHERE s.id = '{session}'")
    return found[0] or None if found else None


def until_released(w, session):
    until(f"{session} to have no owner", lambda: owner(w, session) is None)


def until_ended(node, session, turns):
    until(f"{turns} turns of {session} to end", lambda: count(node, session, "turn.completed") == turns)


def standing(w):
    """The format and the revision that a program needs."""
    return tuple(int(n) for n in rows(w, "SELECT format || ',' || rev FROM @store, @upgrade")[0].split(","))


def refused(node, command, **params):
    status, data = scenario.Http(node).request("POST", "/v1/commands/" + command, json.dumps(params))
    return status, json.loads(data)


class Watch(threading.Thread):
    """Looks all the time whether a node owns a session that it cannot read."""

    def __init__(self, w):
        super().__init__(daemon=True)
        self.w, self.found, self.looks, self.is_over = w, [], 0, threading.Event()
        self.start()

    def run(self):
        while not self.is_over.is_set():
            self.found += rows(self.w, "SELECT s.id || ' at ' || n.name FROM @session s JOIN @node n ON n.incarnation = s.owner"
                                       " WHERE s.needs_rev > n.rev AND n.ended_at IS NULL")
            self.looks += 1
            self.is_over.wait(0.05)

    def end(self):
        self.is_over.set()
        self.join()
        check(self.looks and not self.found, f"an older node owns a newer session: {self.found[:3]}")


# ---- sessions -------------------------------------------------------------------------------------

def nodes_of_two_versions_show_their_revision(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new())
    for node in (a, b):
        shown = {n["name"]: n["revision"] for n in ask(node, "list_nodes")["nodes"]}
        check(shown == {"a": 1, "b": 2}, f"the revisions are {shown}")
    lines = [line.split() for line in w.thole(a, "node", "ls").splitlines()]
    check("REVISION" in lines[0], f"thole node ls says {lines}")
    at = lines[0].index("REVISION")
    check({line[0]: line[at] for line in lines[1:]} == {"a": "1", "b": "2"}, f"thole node ls says {lines}")


def an_older_node_sends_commands_for_a_newer_session_to_a_newer_node(w):
    a, b = w.node("a", "session.idle_evict_s=1", before=OLD), w.node("b", "session.idle_evict_s=1", before=new("action.required"))
    watch = Watch(w)
    session, plain = submit(b, "approve"), submit(b, "hello")
    until("the approval", lambda: pending(b, session))
    check(needs(w, session) == 2 and needs(w, plain) == 0, f"the sessions need {needs(w, session)} and {needs(w, plain)}")
    approve(a, session)
    until_ended(b, session, 1)
    until_released(w, session)
    until_released(w, plain)
    # It has no owner: the older node may take the one, and sends the other on.
    submit(a, "hello", plain)
    submit(a, "hello", session)
    check(owner(w, session) in ("b", None) and owner(w, plain) in ("a", None), f"they are at {owner(w, session)} and {owner(w, plain)}")
    until_ended(a, session, 2)
    until_ended(a, plain, 2)
    check(ask(a, "get_session", sessionId=session)["sessionId"] == session, "the older node does not answer a read")
    check(log_of(a, session) == log_of(b, session), "the logs differ")
    watch.end()
    w.verify(a)


def without_a_newer_node_the_refusal_says_so_and_lists_work(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new("action.required"))
    session = submit(b, "approve")
    until("the approval", lambda: pending(b, session))
    b.stop()
    code, reply = refused(a, "submit_turn", sessionId=session, input="hello")
    check(code == 503 and reply["code"] == "session_needs_newer" and reply["retryable"] and "revision 2" in reply["detail"], f"{code} {reply}")
    code, reply = refused(a, "get_session", sessionId=session)
    check(code == 503 and reply["code"] == "session_needs_newer", f"{code} {reply}")
    check(session in [s["sessionId"] for s in ask(a, "list_sessions")["sessions"]], "the session is not listed")
    check(pending(a, session), "its events are not read")
    check(session not in json.dumps(ask(a, "get_capabilities")), "it counts as damaged")
    other = submit(a, "hello")
    until_ended(a, other, 1)
    b.start()
    approve(a, session)
    until_ended(a, session, 1)
    w.verify(b)


def an_older_node_leaves_the_work_of_a_killed_newer_one_to_its_next_start(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new("action.required"))
    watch = Watch(w)
    newer, plain = submit(b, "approve"), submit(b, "think")
    until("both to work", lambda: pending(b, newer) and count(b, plain, "model.requested") == 1)
    b.kill()
    until("the plain session to be taken over", lambda: count(a, plain, "model.failed") == 1)
    check(owner(w, newer) != "a", "the older node took the newer session")
    a.stop()
    a.start()
    until("node a to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    check(pending(a, newer), "the approval is not read")
    b.start()
    approve(a, newer)
    until_ended(a, newer, 1)
    check(count(a, newer, "tool.started") == 1, "the tool did not run once")
    watch.end()
    w.verify(b)


# ---- what all nodes have in common ----------------------------------------------------------------

def a_change_for_all_nodes_waits_for_the_last_older_one(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new("session.updated"))
    ask(a, "create_token", name="known", scopes=["read"])
    code, reply = refused(b, "create_token", name="early", scopes=["read"])
    check(code == 503 and reply["code"] == "upgrade_unfinished" and "session.updated" in reply["detail"], f"{code} {reply}")
    check(rows(w, "SELECT needs_rev FROM @session WHERE id = 'sess_system'") in ([], ["0"]), "the session of all nodes has a newer event")
    a.stop()
    until("the revision to be common", lambda: standing(w)[1] == 2)
    until("the command to be taken", lambda: refused(b, "create_token", name="later", scopes=["read"])[0] == 200)
    check(needs(w, "sess_system") == 2, "the event is not there")
    a.before = new("session.updated")
    a.start()
    until("node a to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    w.verify(a)


def an_older_program_cannot_start_any_more_when_all_nodes_are_newer(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new())
    until("the common revision", lambda: standing(w)[1] == 1)
    a.stop()
    until("the next one", lambda: standing(w)[1] == 2)
    try:
        a.start()
    except Wrong as e:
        check("store_format" in str(e) and "Use the newer program" in str(e), f"it says: {e}")
    else:
        raise Wrong("the older program started")
    a.before = new()
    a.start()
    check({n["revision"] for n in ask(b, "list_nodes")["nodes"]} == {2}, "the node is not a newer one")


def three_nodes_are_upgraded_one_after_the_other_under_load(w):
    """Every command is answered, nothing is lost, and no older node works on a session with newer events."""
    all = [w.node(name, "session.idle_evict_s=1", before=OLD) for name in "abc"]
    watch = Watch(w)
    acknowledged, faults, is_over = {}, [], threading.Event()

    def client(number):
        n, session = 0, None
        while not is_over.is_set():
            n += 1
            if n % 5 == 1:
                session = None
            params = {"input": "soon then careful" if n % 2 else "soon", **({"sessionId": session} if session else {})}
            # As a client of several addresses: the next one when a node is not there.
            for k in range(400):
                node = all[(number + n + k) % 3]
                try:
                    code, reply = call(node, "submit_turn", params, f"{number}-{n}")
                    break
                except (OSError, ValueError, http.client.HTTPException):
                    time.sleep(0.02)
            else:
                faults.append("no node answers")
                return
            if code:
                faults.append(f"{node.name}: {reply}")
            else:
                session = reply["sessionId"]
                acknowledged[reply["turnId"]] = session
            time.sleep(0.2)  # fewer than the nodes can take at once

    clients = [threading.Thread(target=client, args=(n,)) for n in range(6)]
    for c in clients:
        c.start()
    for node in all:
        before = len(acknowledged)
        until("turns before the upgrade", lambda: len(acknowledged) > before + 20 or faults)
        node.stop()
        before = len(acknowledged)
        until("turns while it is away", lambda: len(acknowledged) > before + 20 or faults)
        node.before = new("tool.started")
        node.start()
        until("the node to be ready", lambda: scenario.Http(node).request("GET", "/readyz")[0] == 200)
    before = len(acknowledged)
    until("turns after the last upgrade", lambda: len(acknowledged) > before + 20 or faults)
    is_over.set()
    for c in clients:
        c.join()
    watch.end()
    check(not faults, f"{len(faults)} commands were refused: {faults[:3]}")
    a = all[0]
    until("every turn to end", lambda: not set(acknowledged) - {e["turnId"] for e in everything(a) if e["type"] == "turn.completed"})
    events = everything(a)
    lost = sum(e["type"] == "task.lost" for e in events)
    newer = int(rows(w, "SELECT count(*) FROM @session WHERE needs_rev = 2")[0])
    # A chunk of an older node behind one of a newer node that has such an event.
    late = rows(w, "SELECT s.id FROM @session s JOIN @chunk c USING (session_no) JOIN @node n ON n.incarnation = c.writer WHERE n.rev < s.needs_rev"
                   " AND c.first_seq > (SELECT min(o.last_seq) FROM @chunk o JOIN @node m ON m.incarnation = o.writer WHERE o.session_no = s.session_no"
                   " AND m.rev = 2 AND position(convert_to('\"type\":\"tool.started\"', 'UTF8') in o.body) > 0)")
    print(f"# {len(acknowledged)} turns, {lost} lost, {newer} sessions with newer events", flush=True)
    kept = {e["turnId"] for e in events if e["type"] == "turn.submitted"}
    check(not set(acknowledged) - kept and not lost, f"{len(set(acknowledged) - kept)} turns are gone, {lost} effects are lost")
    check(newer and not late, f"{newer} sessions have newer events; an older node wrote to {late[:3]} after them")
    until("the common revision", lambda: standing(w)[1] == 2)
    w.verify(a)


def what_a_node_records_by_itself_for_all_waits_for_the_last_older_node(w):
    a, b = w.node("a", before=OLD), w.node("b", before=new("runtime.warning"))

    def refused_login():
        c = http.client.HTTPConnection("127.0.0.1", b.port, timeout=DEADLINE_S)
        c.request("POST", "/v1/commands/list_sessions", "{}", {"Authorization": "Bearer wrong", "Content-Type": "application/json"})
        check(c.getresponse().status == 401, "a wrong token is taken")
        c.close()
        return True

    ask(b, "create_token", name="first", scopes=["read"])
    refused_login()
    until("the event to be left out", lambda: any("runtime.warning is not recorded in sess_system" in line for line in b.log))
    check(needs(w, "sess_system") == 0 and not count(b, "sess_system", "runtime.warning"), "an older node cannot follow sess_system any more")
    ask(a, "create_token", name="second", scopes=["read"])
    a.stop()
    until("the common revision", lambda: standing(w)[1] == 2)
    b.stop()
    b.start()  # one refused login a minute is recorded
    refused_login()
    until("a refused login to be recorded", lambda: count(b, "sess_system", "runtime.warning"))
    w.verify(b)


# ---- tables ---------------------------------------------------------------------------------------

class Before:
    """A node of a program that knows format 6: its connection, and its heartbeats."""

    def __init__(self, w):
        found = rows(w, "INSERT INTO @node(host, pid, version, name) VALUES ('elsewhere', 1, '0.0.9', 'before') RETURNING incarnation")
        self.incarnation = found[0]
        where = f"host={w.cluster.dir} user=thole dbname=thole application_name=thole/{w.schema}/{self.incarnation}"
        self.psql = subprocess.Popen([os.path.join(w.cluster.bin, "psql"), "-X", "-q", "-d", where], stdin=subprocess.PIPE,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        self.psql.stdin.write(f"UPDATE {w.schema}.node SET heartbeat = clock_timestamp() WHERE incarnation = {self.incarnation} \\watch 0.1\n")
        self.psql.stdin.flush()
        until("its first heartbeat", lambda: rows(w, f"SELECT 1 FROM @node WHERE incarnation = {self.incarnation} AND heartbeat > started_at + interval '50 ms'"))

    def end(self):
        self.psql.kill()
        self.psql.wait()


def downgraded(w):
    """What a program of then leaves, with one session in it."""
    a = w.node("a")
    session = submit(a, "hello")
    until_ended(a, session, 1)
    a.stop()
    known = standing(w)[0]
    w.cluster.sql(f"SET search_path = {w.schema}; DROP TABLE upgrade; ALTER TABLE session DROP COLUMN needs_rev;"
                  " ALTER TABLE node DROP COLUMN rev, DROP COLUMN format; UPDATE store SET format = 6")
    return known, session


def the_tables_only_grow_while_a_node_of_the_version_before_lives(w):
    known, session = downgraded(w)
    columns = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = '" + w.schema + "'"
    before = set(w.cluster.sql(columns))
    old = Before(w)
    try:
        b = w.node("b")
        check(rows(w, "SELECT tables FROM @upgrade") == [str(known)], "the tables were not changed")
        check(before < set(w.cluster.sql(columns)), "a column is missing")
        submit(b, "hello", session)
        until_ended(b, session, 2)
        # As the older program writes; its session is read by the newer one.
        rows(w, f"INSERT INTO @session(id, owner, mark, last_seq, last_hash) VALUES ('sess_old', {old.incarnation}, 1, 0, decode(repeat('00', 32), 'hex'))")
        time.sleep(1)
        check(standing(w) == (6, 0), f"programs need {standing(w)} while an older one lives")
        shown = {n["name"]: n["revision"] for n in ask(b, "list_nodes")["nodes"]}
        check(shown["before"] == 0 and shown["b"] > 0, f"the nodes are {shown}")
    finally:
        old.end()
    until("the format of this program", lambda: standing(w)[0] == known and standing(w)[1] == shown["b"])
    w.verify(b)


def nodes_that_start_at_once_on_older_tables_change_them_once(w):
    known, session = downgraded(w)
    old, faults = Before(w), []

    def start(name):
        try:
            w.node(name)
        except (Wrong, OSError) as e:
            faults.append(f"{name}: {e}")

    threads = [threading.Thread(target=start, args=(name,)) for name in "bcde"]
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check(not faults, f"{len(faults)} of {len(threads)} nodes did not start: {faults[:1]}")
        check(standing(w) == (6, 0), f"programs need {standing(w)} while an older one lives")
    finally:
        old.end()
    until("the format of this program", lambda: standing(w)[0] == known)
    submit(w.daemons[-1], "hello", session)
    until_ended(w.daemons[-1], session, 2)


if __name__ == "__main__":
    sys.exit(nodes.play(nodes.stories_of(globals(), "__main__"), "an upgrade of several nodes"))
