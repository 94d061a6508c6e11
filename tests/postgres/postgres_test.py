#!/usr/bin/env python3
"""A daemon with its log in PostgreSQL: turns, kill -9, a server that goes away, and bad input.

usage: postgres_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

postgres, until, Wrong, DEADLINE_S = scenario.postgres, scenario.until, scenario.Wrong, scenario.DEADLINE_S
SCRIPT = json.dumps({"version": 1, "default": {"text": "done"}})
PASSWORD = "p4ss-w0rd-of-a-test"
LOST = 70


def check(is_so, what):
    if not is_so:
        raise Wrong(what)


class World:
    def __init__(self, build, cluster):
        self.build, self.cluster = build, cluster
        self.dir = tempfile.mkdtemp(prefix="thole-pg-")
        self.daemons = []

    def done(self):
        for daemon in self.daemons:
            if daemon.process and daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def daemon(self, name="data"):
        daemon = scenario.Daemon(self.build, os.path.join(self.dir, name), SCRIPT, [])
        daemon.store = self.cluster
        self.daemons.append(daemon)
        return daemon

    def thole(self, *args, data="data", code=0):
        done = subprocess.run([os.path.join(self.build, "thole"), "--data", os.path.join(self.dir, data), *args], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": self.dir}, timeout=DEADLINE_S)
        check(done.returncode == code, f"thole {args[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, url, code, *options, status=3, env=None, name="refused"):
        """A start that must fail with this code of docs/reference/store-errors.md; returns what it said."""
        args = [os.path.join(self.build, "thole"), "serve", "--data", os.path.join(self.dir, name), "--store", url, *options]
        done = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": self.dir, **(env or {})}, timeout=DEADLINE_S)
        check(code in done.stderr, f"{code} is not in: {done.stdout}{done.stderr}")
        check(done.returncode == status, f"{code} ends with {done.returncode}, not {status}: {done.stderr}")
        check(PASSWORD not in done.stdout + done.stderr, f"the password is shown: {done.stderr}")
        return done.stderr


def submit(daemon, text, session=None):
    code, reply = scenario.Http(daemon).call("submit_turn", {"input": text, **({"sessionId": session} if session else {})})
    check(not code, f"submit_turn: {reply}")
    return reply["sessionId"]


def ended(daemon, session):
    return sum(json.loads(e)["type"] == "turn.completed" for e in scenario.Http(daemon).events(session, 0))


# ---- a log that survives ------------------------------------------------------------------------

def a_turn_is_run_followed_verified_and_there_after_kill_9(w):
    daemon = w.daemon()
    daemon.start()
    session = submit(daemon, "hello")
    follow = subprocess.Popen([os.path.join(w.build, "thole"), "--data", daemon.data, "log", "-f", session], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": w.dir})
    try:
        check(any("turn.completed" in line for line in follow.stdout), "log -f does not show the end of the turn")
    finally:
        follow.kill()
        follow.wait()
    before = scenario.Http(daemon).events(session, 0)
    check("whole" in w.thole("verify"), "the chain does not verify")
    daemon.kill()
    daemon.start()
    check(scenario.Http(daemon).events(session, 0) == before, "the log differs after kill -9")
    check("whole" in w.thole("verify"), "the chain does not verify after kill -9")
    submit(daemon, "again", session)
    until("the second turn to end", lambda: ended(daemon, session) == 2)
    daemon.stop()


def what_was_acknowledged_is_there_after_kill_9_at_any_moment(w):
    daemon = w.daemon()
    acknowledged = {}
    for _ in range(6):
        daemon.start()
        stop, lock = threading.Event(), threading.Lock()

        def load():
            session = None
            while not stop.is_set():
                try:
                    code, reply = scenario.Http(daemon).call("submit_turn", {"input": "x", **({"sessionId": session} if session else {})})
                except (OSError, ValueError, scenario.http.client.HTTPException):
                    return
                if not code:
                    session = reply["sessionId"]
                    with lock:
                        acknowledged.setdefault(session, set()).add(reply["turnId"])

        threads = [threading.Thread(target=load) for _ in range(4)]
        target = sum(map(len, acknowledged.values())) + 24
        for t in threads:
            t.start()
        until("enough turns to be acknowledged", lambda: sum(map(len, acknowledged.values())) >= target)
        daemon.kill()
        stop.set()
        for t in threads:
            t.join()
    daemon.start()
    for session, turns in acknowledged.items():
        there = {json.loads(e).get("turnId") for e in scenario.Http(daemon).events(session, 0)}
        check(turns <= there, f"{session} lacks {turns - there}")
    check("whole" in w.thole("verify"), "the chain does not verify")
    daemon.stop()


def events_are_one_chain_and_positions_have_no_gap_in_the_tables(w):
    daemon = w.daemon()
    daemon.start()
    for n in range(5):
        session = submit(daemon, str(n))
        until("the turn to end", lambda: ended(daemon, session) == 1)
    daemon.stop()
    schema = postgres.schema_of(daemon.data)
    rows = [[int(n) for n in line.split("|")] for line in
            w.cluster.sql(f"SELECT position, last_position, last_seq - first_seq FROM {schema}.chunk ORDER BY position")]
    at = 0
    for first, last, length in rows:
        check(first == at + 1 and last == first + length, f"a gap after position {at}: {first} to {last}")
        at = last
    check(w.cluster.sql(f"SELECT count(*) FROM {schema}.node WHERE ended_at IS NULL") == ["0"], "an incarnation did not end in order")


# ---- a server that goes away --------------------------------------------------------------------

def a_server_that_ends_ends_the_daemon_which_continues_with_it(w):
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        before = scenario.Http(daemon).events(session, 0)
        cluster.stop(signal.SIGQUIT)
        check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
        check("store_lost" in daemon.whole_log(), "the log does not name the cause: " + daemon.whole_log())
        w.refused(cluster.url(), "store_unreachable")
        cluster.start()
        daemon.start()
        check(scenario.Http(daemon).events(session, 0)[:len(before)] == before, "the log differs")
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def a_commit_that_is_cut_off_is_never_a_refusal_that_took_place(w):
    """The server ends under load.  A turn that got an answer of its own is there; one that got none may be."""
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.start()
        session = submit(daemon, "first")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        answers, lock = {}, threading.Lock()

        def load(name):
            for n in range(10000):
                key = f"{name}-{n}"
                try:
                    code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": key, "idempotencyKey": key})
                except (OSError, ValueError, scenario.http.client.HTTPException):
                    return
                with lock:
                    answers[key] = code

        threads = [threading.Thread(target=load, args=(n,)) for n in range(3)]
        for t in threads:
            t.start()
        until("some answers", lambda: len(answers) >= 20)
        cluster.stop(signal.SIGQUIT)
        check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
        for t in threads:
            t.join()
        cluster.start()
        daemon.start()
        log = "\n".join(scenario.Http(daemon).events(session, 0))
        for key, code in answers.items():
            is_there = f'"{key}"' in log
            check(is_there or code, f"{key} was accepted and is gone")
            # 503 says that the outcome is not known; any other refusal promises that nothing was written.
            check(not is_there or not code or code in ("store_failed", "shutting_down"), f"{key} was refused with {code} and is there")
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def a_terminated_connection_ends_the_daemon_although_it_is_idle(w):
    daemon = w.daemon()
    daemon.start()
    w.cluster.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'thole/{postgres.schema_of(daemon.data)}/%'")
    check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
    check("store_lost" in daemon.whole_log(), daemon.whole_log())


# ---- one node -----------------------------------------------------------------------------------

def a_second_node_on_the_same_tables_is_refused_while_the_first_lives(w):
    one, two = w.daemon("one"), w.daemon("two")
    one.start()
    schema = "store.schema=" + postgres.schema_of(one.data)
    said = w.refused(w.cluster.url(), "store_in_use", "-c", schema, status=1, name="two")
    check(str(one.process.pid) in said, f"the message does not name the process: {said}")
    submit(one, "still alive")
    one.kill()
    two.options = [schema]
    two.store = None
    two.options.append("store.url=" + json.dumps(w.cluster.url()))
    two.start()
    two.stop()


def a_node_whose_incarnation_has_ended_writes_nothing(w):
    daemon = w.daemon()
    daemon.start()
    session = submit(daemon, "hello")
    until("the turn to end", lambda: ended(daemon, session) == 1)
    schema = postgres.schema_of(daemon.data)
    before = w.cluster.sql(f"SELECT max(last_position) FROM {schema}.chunk")
    w.cluster.sql(f"UPDATE {schema}.node SET ended_at = now()")
    try:
        submit(daemon, "again", session)
        raise Wrong("a node that has ended accepted a turn")
    except (Wrong, OSError, ValueError, scenario.http.client.HTTPException) as e:
        check("accepted a turn" not in str(e), str(e))
    check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
    check("store_taken" in daemon.whole_log(), daemon.whole_log())
    check(w.cluster.sql(f"SELECT max(last_position) FROM {schema}.chunk") == before, "it wrote")


def a_slice_moved_under_a_running_node_is_refused_and_named(w):
    daemon = w.daemon()
    daemon.validates = False
    daemon.start()
    session = submit(daemon, "hello")
    until("the turn to end", lambda: ended(daemon, session) == 1)
    schema = postgres.schema_of(daemon.data)
    w.cluster.sql(f"UPDATE {schema}.session SET last_hash = decode(repeat('ab', 32), 'hex') WHERE id = '{session}'")
    code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": "again"})
    check(code == "session_moved", f"a head that was changed by hand gave {code}: {reply}")
    w.cluster.sql(f"UPDATE {schema}.chunk SET body = overlay(body placing 'X'::bytea from 40) WHERE first_seq = 1 AND session_no ="
                  f" (SELECT session_no FROM {schema}.session WHERE id = '{session}')")
    said = subprocess.run([os.path.join(w.build, "thole"), "--data", daemon.data, "verify", session], capture_output=True, text=True,
                          env={**os.environ, "XDG_CONFIG_HOME": w.dir})
    check(said.returncode and "1" in said.stdout + said.stderr, f"verify does not name the damage: {said.stdout}{said.stderr}")
    daemon.kill()


# ---- bad input ----------------------------------------------------------------------------------

def addresses_with_a_typo_are_refused_without_repeating_the_password(w):
    place = w.cluster.dir
    for url in ("postgre:///thole", "http://localhost/thole", "/thole", f"postgresql://user:{PASSWORD}@[::1/thole",
                f"postgresql://user:{PASSWORD}@localhost/thole?hots={place}", f"postgresql://user:{PASSWORD}%zz@localhost/thole"):
        w.refused(url, "store_url")
    w.refused(f"postgresql://user:{PASSWORD}@localhost:54x2/thole", "store_unreachable")  # libpq reads it when it connects
    w.refused(w.cluster.url(), "store_url", "-c", 'store.schema="a; DROP TABLE x"')
    check(not os.path.exists(os.path.join(w.dir, "refused", "log.db")), "an empty SQLite log was made instead")


def servers_and_databases_that_are_not_there(w):
    w.refused("postgresql:///thole?host=/nonexistent", "store_unreachable")
    w.refused(w.cluster.url("nowhere"), "store_unreachable")


def a_wrong_password_is_named_and_never_shown(w):
    hba = os.path.join(w.cluster.data, "pg_hba.conf")
    w.cluster.sql(f"CREATE ROLE locked LOGIN PASSWORD '{PASSWORD}'")
    with open(hba) as f:
        before = f.read()
    try:
        with open(hba, "w") as f:
            f.write("local all locked scram-sha-256\n" + before)
        w.cluster.sql("SELECT pg_reload_conf()")
        url = w.cluster.url(user="locked", password=PASSWORD + "x")
        until("the new rule", lambda: "fe_sendauth" in psql_error(w.cluster, "locked") or "password" in psql_error(w.cluster, "locked"))
        said = w.refused(url, "store_login")
        check("locked" in said, f"the user is not named: {said}")
        w.refused(w.cluster.url(user="locked"), "store_login")
        w.refused(w.cluster.url(user="locked"), "store_login", env={"PGPASSWORD": PASSWORD + "x"})
        w.cluster.sql("GRANT CREATE ON DATABASE thole TO locked")
        daemon = w.daemon()
        daemon.store = None
        daemon.options = ["store.url=" + json.dumps(w.cluster.url(user="locked", password=PASSWORD)), "store.schema=of_locked", "log.level=debug"]
        daemon.start()
        submit(daemon, "hello")
        shown = w.thole("config", "--json") + w.thole("config")
        daemon.stop()
        check(PASSWORD not in daemon.whole_log() + shown, "the password is in the log or in `thole config`")
    finally:
        with open(hba, "w") as f:
            f.write(before)
        w.cluster.sql("SELECT pg_reload_conf()")


def psql_error(cluster, user):
    try:
        cluster.sql("SELECT 1", user=user)
        return ""
    except Wrong as e:
        return str(e)


def a_role_without_rights_and_a_read_only_database(w):
    w.cluster.sql("CREATE ROLE guest LOGIN")
    said = w.refused(w.cluster.url(user="guest"), "store_rights", "-c", "store.schema=of_guest")
    check("CREATE SCHEMA" in said, f"the message has no remedy: {said}")
    w.cluster.sql("CREATE DATABASE frozen")
    w.cluster.sql("ALTER DATABASE frozen SET default_transaction_read_only = on", "postgres")
    w.refused(w.cluster.url("frozen"), "store_read_only")


def a_database_in_another_encoding(w):
    w.cluster.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    w.refused(w.cluster.url("latin"), "store_encoding")


def a_schema_of_another_program_and_of_a_newer_format(w):
    w.cluster.sql("CREATE SCHEMA shop; CREATE TABLE shop.store(id int); CREATE TABLE shop.event(id int)")
    w.refused(w.cluster.url(), "store_foreign", "-c", "store.schema=shop", status=70)
    check(w.cluster.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'shop'") == ["2"], "tables were made beside those of another program")
    daemon = w.daemon()
    daemon.start()
    daemon.stop()
    schema = postgres.schema_of(daemon.data)
    w.cluster.sql(f"UPDATE {schema}.store SET format = 99")
    said = w.refused(w.cluster.url(), "store_format", "-c", f"store.schema={schema}", status=70)
    check("99" in said, f"the format is not named: {said}")
    check(w.cluster.sql(f"SELECT format FROM {schema}.store") == ["99"], "the format was changed")


def a_server_that_loses_acknowledged_commits_is_refused_unless_durability_is_relaxed(w):
    w.cluster.sql("CREATE ROLE hasty LOGIN; GRANT CREATE ON DATABASE thole TO hasty; ALTER ROLE hasty SET synchronous_commit = off")
    url = w.cluster.url(user="hasty")
    w.refused(url, "store_durability", "-c", "store.schema=of_hasty")
    daemon = w.daemon()
    daemon.store = None
    daemon.options = ["store.url=" + json.dumps(url), "store.schema=of_hasty", "durability=relaxed"]
    daemon.start()
    daemon.stop()


def a_directory_with_a_log_of_sqlite_is_refused_and_keeps_it(w):
    daemon = w.daemon()
    daemon.store = None
    daemon.start()
    session = submit(daemon, "hello")
    until("the turn to end", lambda: ended(daemon, session) == 1)
    with open(f"/proc/{daemon.process.pid}/maps") as f:
        check("libpq" not in f.read(), "libpq is loaded although the log is in SQLite")
    daemon.stop()
    w.refused(w.cluster.url(), "store_directory", name="data")
    daemon.start()
    check(ended(daemon, session) == 1, "the log of SQLite differs")
    daemon.stop()


def a_directory_of_a_log_in_postgresql_gets_no_empty_log_and_no_backup(w):
    daemon = w.daemon()
    daemon.start()
    daemon.stop()
    w.refused("", "store_directory", name="data")
    w.thole("backup", os.path.join(w.dir, "copy"), code=1)
    check(not os.path.exists(os.path.join(daemon.data, "log.db")), "an empty log was made in SQLite")
    daemon.start()
    daemon.stop()


# ---- all of it ----------------------------------------------------------------------------------

def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [f for f in globals().values() if callable(f) and getattr(f, "__module__", "") == "__main__" and "_" in f.__name__
               and f.__code__.co_varnames[:1] == ("w",) and f.__code__.co_argcount == 1]
    stories = [f for f in stories if not words or any(word in f.__name__ for word in words)]
    failed = 0
    with postgres.maybe(build, "a daemon on PostgreSQL") as cluster:
        if not cluster:
            return 0
        for n, story in enumerate(stories, 1):
            w = World(build, cluster)
            try:
                story(w)
                why = ""
            except (Wrong, OSError, subprocess.TimeoutExpired) as e:
                why = str(e) or repr(e)
            finally:
                w.done()
            failed += bool(why)
            print(f"{'not ok' if why else 'ok'} {n} - {story.__name__.replace('_', ' ')}", flush=True)
            for line in why.splitlines():
                print("# " + line, flush=True)
        print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
