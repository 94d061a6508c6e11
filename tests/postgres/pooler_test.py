#!/usr/bin/env python3
"""Nodes with PgBouncer between them and PostgreSQL, in session and in transaction mode.

usage: pooler_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "nodes")]
import nodes_test as nodes  # noqa: E402
import postgres_test as base  # noqa: E402
import pg_proxy  # noqa: E402
import pgbouncer  # noqa: E402
from wait import slowdown  # noqa: E402

postgres, until, check, Wrong, DEADLINE_S = base.postgres, base.until, base.check, base.Wrong, base.DEADLINE_S
scenario = base.scenario
POOLED = ("store.prepare=false", "store.listen=false")


class Pooled(nodes.World):
    """Nodes behind a pool in transaction mode."""
    options = POOLED

    def node(self, name, *options):
        return super().node(name, *self.options, *options)


class Session(Pooled):
    options = ()


def pool(w, mode, **settings):
    if not pgbouncer.find():
        raise base.Skip(pgbouncer.WITHOUT)
    return pgbouncer.Bouncer(w.build, w.cluster, mode, **settings)


def world(w, bouncer, kind):
    """Stories of several nodes, with the pool for their cluster."""
    own = kind(w.build, bouncer)
    os.rmdir(own.dir)
    own.dir, own.daemons = w.dir, w.daemons  # so that they end with the story
    return own


def left_in_sessions(bouncer, database="thole"):
    """What clients of the pool find in the sessions that it hands out."""
    with_psql = [os.path.join(bouncer.cluster.bin, "psql"), "-X", "-A", "-t", "-q", "-h", bouncer.dir, "-U", "thole", "-d", database]
    script = ("SELECT pid, current_setting('search_path'), current_setting('synchronous_commit'), current_setting('statement_timeout'),"
              " (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_listening_channels()) FROM pg_stat_activity WHERE pid = pg_backend_pid();")
    rows = set()
    for _ in range(20):
        done = subprocess.run([*with_psql, "-c", script], capture_output=True, text=True, timeout=DEADLINE_S)
        check(not done.returncode, done.stderr)
        rows.add(tuple(done.stdout.strip().split("|")[1:]))
    return rows


CLEAN = {('"$user", public', "on", "0", "0", "0")}


# ---- transaction mode without the settings ------------------------------------------------------

def a_pool_in_transaction_mode_is_refused_without_the_settings(w):
    with pool(w, "transaction") as bouncer:
        for options in ((), ("-c", "store.prepare=false"), ("-c", "store.listen=false")):
            said = w.refused(bouncer.url(), "store_pool", *options)
            check("store.prepare = false" in said and "store.listen = false" in said and "session mode" in said, f"no remedy: {said}")
        check(left_in_sessions(bouncer) == CLEAN, f"the refused start left something behind: {left_in_sessions(bouncer)}")
        for options, status in (((), "bad"), (("-c", "store.prepare=false", "-c", "store.listen=false"), "ok")):
            done = subprocess.run([os.path.join(w.build, "thole"), "doctor", "--json", "--data", os.path.join(w.dir, "looks"), "--store", bouncer.url(), *options],
                                  capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": w.dir}, timeout=DEADLINE_S)
            row, = [c for c in json.loads(done.stdout)["checks"] if c["id"] == "store.pool"]
            check(row["status"] == status and "transaction mode" in row["detail"], f"doctor: {row}")


def a_pool_of_a_single_connection_is_refused_too(w):
    with pool(w, "statement") as bouncer:
        w.refused(bouncer.url(), "store_pool")


def a_role_with_another_isolation_is_refused_behind_a_pool(w):
    w.cluster.sql("CREATE ROLE strict LOGIN; GRANT CREATE ON DATABASE thole TO strict; ALTER ROLE strict SET default_transaction_isolation = 'repeatable read'")
    options = [word for option in POOLED for word in ("-c", option)]
    with pool(w, "transaction", users=("thole", "strict")) as bouncer:
        said = w.refused(bouncer.url(user="strict"), "store_pool", "-c", "store.schema=of_strict", *options)
        check("ALTER ROLE" in said and "read committed" in said, said)


# ---- one node and two, in both modes ------------------------------------------------------------

def one_node(w, mode, options):
    """run, log, approve, kill -9, start again, verify."""
    with pool(w, mode) as bouncer:
        own = world(w, bouncer, nodes.World)
        a = own.node("a", *options)
        check("done" in own.thole(a, "run", "hello"), "thole run shows no answer")
        check("turn.completed" in own.thole(a, "log", "@last"), "thole log shows no turn")
        session = nodes.submit(a, "approve")
        until("the approval", lambda: nodes.pending(a, session))
        a.kill()
        a.start()
        until("the node to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
        nodes.approve(a, session)
        until("the end of the turn", lambda: nodes.count(a, session, "turn.completed") == 1)
        check(nodes.count(a, session, "tool.started") == 1, "the tool did not run once")
        much = nodes.submit(a, "much")
        until("a large output", lambda: nodes.count(a, much, "turn.completed") == 1)
        nodes.submit(a, "again", session)
        until("a second turn", lambda: nodes.count(a, session, "turn.completed") == 2)
        own.verify(a)
        a.stop()
        return bouncer, left_in_sessions(bouncer)


def one_node_works_behind_a_pool_in_transaction_mode(w):
    bouncer, left = one_node(w, "transaction", POOLED)
    check(left == CLEAN, f"sessions of the pool are not as they were: {left}")


def one_node_works_behind_a_pool_in_session_mode(w):
    one_node(w, "session", ())


def one_node_works_without_a_pool_and_without_sessions(w):
    """The settings cost time, not function, where no pool is between."""
    own = world(w, w.cluster, Pooled)
    a = own.node("a")
    check("done" in own.thole(a, "run", "hello"), "thole run shows no answer")
    own.verify(a)
    a.stop()


def two_nodes_work_behind_a_pool_in_transaction_mode(w):
    with pool(w, "transaction") as bouncer:
        own = world(w, bouncer, Pooled)
        nodes.a_turn_that_asks_on_one_node_is_approved_on_the_other(own)
        check(left_in_sessions(bouncer) == CLEAN, f"sessions of the pool are not as they were: {left_in_sessions(bouncer)}")


def two_nodes_work_behind_a_pool_in_session_mode(w):
    with pool(w, "session") as bouncer:
        nodes.a_turn_that_asks_on_one_node_is_approved_on_the_other(world(w, bouncer, Session))


def a_killed_node_is_taken_over_behind_a_pool_in_transaction_mode(w):
    with pool(w, "transaction") as bouncer:
        nodes.an_approval_of_a_killed_node_is_given_on_the_other(world(w, bouncer, Pooled))


def a_killed_node_is_taken_over_behind_a_pool_in_session_mode(w):
    with pool(w, "session") as bouncer:
        nodes.an_approval_of_a_killed_node_is_given_on_the_other(world(w, bouncer, Session))


def a_cap_holds_over_two_nodes_behind_a_pool(w):
    with pool(w, "transaction") as bouncer:
        nodes.a_cap_of_a_day_holds_over_both_nodes_and_is_spent_to_its_last_cent(world(w, bouncer, Pooled))


def a_large_output_outlives_its_machine_behind_a_pool(w):
    with pool(w, "transaction") as bouncer:
        nodes.a_large_output_outlives_its_machine(world(w, bouncer, Pooled))


def a_node_behind_the_pool_and_one_beside_it_share_the_tables(w):
    with pool(w, "transaction") as bouncer:
        own = world(w, bouncer, nodes.World)
        a = own.node("a", *POOLED)
        own.cluster = w.cluster
        b = own.node("b")
        session = nodes.submit(a, "approve")
        until("the approval on the other node", lambda: nodes.pending(b, session))
        nodes.approve(b, session)
        until("the end of the turn", lambda: nodes.count(b, session, "turn.completed") == 1)
        own.verify(a)
        own.verify(b)


# ---- faults -------------------------------------------------------------------------------------

def behind(w, bouncer):
    daemon = w.daemon()
    daemon.store = base.Address(bouncer.url())
    daemon.options = list(POOLED)
    return daemon


def commits_that_are_cut_off_early_late_and_after_are_there_once(w):
    """A commit may reach the server after its connection was given up: no connection to a backend can be ended behind a pool."""
    with pool(w, "transaction") as bouncer, pg_proxy.Proxy(bouncer) as proxy:
        daemon = behind(w, proxy)
        daemon.start()
        with base.Load(daemon, 4) as load:
            for where, times in (("before", 10), ("late", 40), ("after", 10), ("late", 40)):
                load.grows(5, "turns before a cut")
                proxy.cut(where, times)
                until(f"cuts {where}", lambda: proxy.done == times or load.wrong, base_s=60)
                load.grows(5, f"turns after commits were cut {where}")
        base.check_history(daemon, load)
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def a_commit_that_is_overtaken_by_the_question_what_became_of_it_writes_nothing(w):
    """It was not there when the node asked, so the node sends it again; then the first one must not be carried out."""
    with pool(w, "transaction") as bouncer, pg_proxy.Proxy(bouncer) as proxy:
        daemon = behind(w, proxy)
        daemon.start()
        with base.Load(daemon, 2) as load:
            for _ in range(8):
                load.grows(3, "turns before a cut")
                proxy.cut("overtaken", 1)
                until("the cut and its end", lambda: proxy.is_late_over.is_set() or load.wrong, base_s=30)
                load.grows(3, "turns after the cut")
        print(f"# refused: {load.refused}", flush=True)
        base.check_history(daemon, load)
        check(not set(load.refused) - {"store_unavailable"}, f"commands were refused: {load.refused}")
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def a_pool_that_is_stopped_and_started_again_only_delays(w):
    with pool(w, "transaction") as bouncer:
        daemon = behind(w, bouncer)
        daemon.start()
        with base.Load(daemon, 4) as load:
            for _ in range(3):
                load.grows(10, "turns before the pool stops")
                bouncer.stop()
                until("/readyz to say so", lambda: base.is_away(daemon))
                bouncer.start()
                load.grows(10, "turns after it started")
        base.check_history(daemon, load)
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def heartbeats_wait_for_no_standby_behind_a_pool(w):
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        with pool(w, "transaction") as bouncer:
            daemon = behind(w, bouncer)
            daemon.start()
            schema = postgres.schema_of(daemon.data)
            cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
            cluster.sql("SELECT pg_reload_conf()")
            with base.Load(daemon, 2) as load:
                until("a commit to wait", lambda: cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
                oldest, until_s = 0, time.monotonic() + 4
                while time.monotonic() < until_s:
                    age = cluster.sql(f"SELECT max(extract(epoch FROM clock_timestamp() - heartbeat)) FROM {schema}.node WHERE ended_at IS NULL")[0]
                    oldest = max(oldest, float(age))
                    time.sleep(0.05)
                print(f"# the oldest heartbeat was {oldest:.2f} s old", flush=True)
                check(daemon.process.poll() is None, "the node ended")
                check(oldest < slowdown(), f"a heartbeat waited {oldest:.2f} s")
                cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
                cluster.sql("SELECT pg_reload_conf()")
                load.grows(3, "turns when no standby is waited for")
            base.check_history(daemon, load)
            daemon.stop()


def other_clients_use_the_pool_at_the_same_time(w):
    """Settings of a transaction stay in it, in both directions."""
    with pool(w, "transaction", default_pool_size=8) as bouncer:
        w.cluster.sql("CREATE SCHEMA IF NOT EXISTS shop; CREATE TABLE IF NOT EXISTS shop.session(id int)")
        daemon = behind(w, bouncer)
        daemon.start()
        stop, wrong = threading.Event(), []

        def client():
            args = [os.path.join(w.cluster.bin, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", bouncer.dir, "-U", "thole", "-d", "thole", "-c",
                    "BEGIN; SET LOCAL search_path = shop; INSERT INTO session VALUES (1); COMMIT; SELECT current_setting('search_path')"]
            while not stop.is_set():
                done = subprocess.run(args, capture_output=True, text=True, timeout=DEADLINE_S)
                if done.returncode or done.stdout.split("\n")[0] != '"$user", public':
                    wrong.append(done.stdout + done.stderr)
                    return

        threads = [threading.Thread(target=client) for _ in range(2)]
        for t in threads:
            t.start()
        with base.Load(daemon, 3) as load:
            load.grows(60, "turns beside other clients")
        stop.set()
        for t in threads:
            t.join()
        check(not wrong, f"another client got {wrong[:1]}")
        base.check_history(daemon, load)
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


if __name__ == "__main__":
    sys.exit(base.tell_stories(sys.modules["__main__"], "nodes behind PgBouncer"))
