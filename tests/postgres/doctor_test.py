#!/usr/bin/env python3
"""`thole doctor` on a PostgreSQL that is well, and on one that is wrong in each way that it looks for.

usage: doctor_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import postgres_test as base  # noqa: E402

postgres, until, check, Wrong, DEADLINE_S = base.postgres, base.until, base.check, base.Wrong, base.DEADLINE_S
PAGE = os.path.join(os.path.dirname(base.HERE), "..", "docs", "reference", "doctor.md")
GOOD = {"fsync": "on"}
BOUND_S = 12  # 3 s for the host and 5 s for replies, on a machine that is busy


def doctor(w, url, *options, env=None):
    """The checks of the store by their ids, and how long it took."""
    args = [os.path.join(w.build, "thole"), "doctor", "--json", "--data", os.path.join(w.dir, "looks"), "--store", url, *options]
    began = time.monotonic()
    done = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": w.dir, **(env or {})}, timeout=DEADLINE_S)
    took = time.monotonic() - began
    check(base.PASSWORD not in done.stdout + done.stderr, f"the password is shown: {done.stdout}{done.stderr}")
    found = {c["id"]: c for c in json.loads(done.stdout)["checks"] if c["id"].startswith("store.")}
    check(found, f"nothing about the store: {done.stdout}{done.stderr}")
    check(done.returncode or all(c["status"] != "bad" for c in found.values()), f"exit code {done.returncode}: {found}")
    return found, took


def words_of(world, *options, data):
    """What doctor prints for people.  The machine of the test may lack other things."""
    done = subprocess.run([os.path.join(world.build, "thole"), "doctor", "--data", os.path.join(world.dir, data), *options], capture_output=True, text=True,
                          env={**os.environ, "XDG_CONFIG_HOME": world.dir}, timeout=DEADLINE_S)
    check(done.returncode in (0, 1), f"doctor ended with {done.returncode}: {done.stderr}")
    return done.stdout


def must_be(found, status, id, detail, remedy=""):
    row = found.get(id, {})
    check(row.get("status") == status and re.search(detail, row["detail"]) and remedy in row.get("remedy", ""), f"{id} is {row}, not {status}: {detail} / {remedy}")
    check(status == "ok" or row.get("remedy"), f"{id} has no remedy")


@contextlib.contextmanager
def session_of(cluster, sql, user="thole", marker="ready"):
    """A connection that has run these statements and stays open."""
    process = subprocess.Popen([os.path.join(cluster.bin, "psql"), "-X", "-q", "-A", "-t", "-h", cluster.dir, "-U", user, "-d", "thole"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        process.stdin.write(f"{sql};\n\\echo {marker}\n")
        process.stdin.flush()
        check(any(marker in line for line in process.stdout), f"{sql} did not run")
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def with_tables(w, cluster):
    """A daemon that has made its tables, and their schema."""
    daemon = w.daemon()
    daemon.store = cluster
    daemon.start()
    session = base.submit(daemon, "hello")
    until("the turn to end", lambda: base.ended(daemon, session) == 1)
    return daemon, postgres.schema_of(daemon.data)


# ---- a server that is well ----------------------------------------------------------------------

def a_good_server_has_every_check_of_the_page_and_none_is_bad(w):
    with open(PAGE) as f:
        page = set(re.findall(r"^\| `(store\.[a-z]+)` \|", f.read(), re.M))
    with postgres.Cluster(w.build, GOOD) as cluster:
        found, _ = doctor(w, cluster.url())
        check({c["status"] for c in found.values()} == {"ok", "note"}, f"before the first start: {found}")
        must_be(found, "note", "store.format", "no tables yet", "first start")
        must_be(found, "ok", "store.rights", "may make the schema")
        daemon, schema = with_tables(w, cluster)
        found, _ = doctor(w, cluster.url(), "-c", f"store.schema={schema}")
        check({c["status"] for c in found.values()} == {"ok"}, f"with a daemon: {[c for c in found.values() if c['status'] != 'ok']}")
        check(set(found) == page, f"checks and page differ: {set(found) ^ page}")
        must_be(found, "ok", "store.connections", "one node needs")
        must_be(found, "ok", "store.clock", r"within \d+ ms")
        must_be(found, "ok", "store.size", "the largest is")
        plain = words_of(w, "--store", cluster.url(), "-c", f"store.schema={schema}", data="looks")
        check("store.version" in plain and "PostgreSQL 1" in plain, plain)
        daemon.stop()
        left = words_of(w, data="data")
        check("store.reach" in left and "thole doctor --store URL" in left, f"a directory whose store is not named: {left}")


def without_a_store_nothing_is_said_of_one(w):
    said = words_of(w, data="plain")
    check("store." not in said, said)


# ---- settings -----------------------------------------------------------------------------------

def settings_that_lose_data_or_let_tables_grow_are_named(w):
    with postgres.Cluster(w.build, {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}) as cluster:
        found, _ = doctor(w, cluster.url())
        must_be(found, "bad", "store.fsync", "fsync = off", "SET fsync = on")
        must_be(found, "bad", "store.vacuum", "grow without end", "SET autovacuum = on")
    with postgres.Cluster(w.build, {**GOOD, "full_page_writes": "off"}) as cluster:
        found, _ = doctor(w, cluster.url())
        must_be(found, "note", "store.fsync", "full_page_writes = off")
        cluster.sql("CREATE ROLE hasty LOGIN; GRANT CREATE ON DATABASE thole TO hasty; ALTER ROLE hasty SET synchronous_commit = off;"
                    " ALTER ROLE hasty SET statement_timeout = '5s'")
        found, _ = doctor(w, cluster.url(user="hasty"))
        must_be(found, "bad", "store.durability", "no node starts", 'ALTER ROLE "hasty" SET synchronous_commit = on')
        must_be(found, "note", "store.timeouts", "statement_timeout = 5s", 'ALTER ROLE "hasty"')
        found, _ = doctor(w, cluster.url(user="hasty"), "-c", "durability=relaxed")
        must_be(found, "ok", "store.durability", "relaxed")
        cluster.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
        found, _ = doctor(w, cluster.url("latin"))
        must_be(found, "bad", "store.encoding", "LATIN1", "--encoding UTF8")


def a_server_with_too_few_connections_names_the_limit(w):
    with postgres.Cluster(w.build, {**GOOD, "max_connections": "9", "superuser_reserved_connections": "3", "max_wal_senders": "0"}) as cluster:
        with session_of(cluster, "SELECT 1"), session_of(cluster, "SELECT 1"):
            found, _ = doctor(w, cluster.url())
        must_be(found, "bad", "store.connections", "max_connections leaves 4; 2 are in use by other programs", "Raise max_connections to")
    cluster = w.cluster
    cluster.sql("CREATE ROLE few LOGIN CONNECTION LIMIT 3; GRANT CREATE ON DATABASE thole TO few")
    found, _ = doctor(w, cluster.url(user="few"))
    must_be(found, "bad", "store.connections", "the limit of the role leaves 3", "CONNECTION LIMIT")


# ---- rights and tables --------------------------------------------------------------------------

def missing_rights_are_named_with_the_statement_that_gives_them(w):
    daemon, schema = with_tables(w, w.cluster)
    daemon.stop()
    options = ("-c", f"store.schema={schema}")
    w.cluster.sql("CREATE ROLE visitor LOGIN")
    found, _ = doctor(w, w.cluster.url(user="visitor"))
    must_be(found, "bad", "store.rights", "no schema thole, and visitor may not make one", 'CREATE SCHEMA "thole" AUTHORIZATION "visitor"')
    found, _ = doctor(w, w.cluster.url(user="visitor"), *options)
    must_be(found, "bad", "store.rights", f"visitor may not use the schema {schema}", "GRANT USAGE, CREATE ON SCHEMA")
    w.cluster.sql(f"GRANT USAGE, CREATE ON SCHEMA {schema} TO visitor; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO visitor;"
                  f" REVOKE UPDATE ON {schema}.chunk FROM visitor")
    found, _ = doctor(w, w.cluster.url(user="visitor"), *options)
    must_be(found, "bad", "store.rights", "visitor may not read and write: chunk$", "ON ALL TABLES IN SCHEMA")
    w.cluster.sql(f"GRANT UPDATE ON {schema}.chunk TO visitor")
    found, _ = doctor(w, w.cluster.url(user="visitor"), *options)
    must_be(found, "note", "store.rights", "tables belong to thole", 'REASSIGN OWNED BY "thole"')


def tables_of_another_program_and_of_other_formats_are_named(w):
    daemon, schema = with_tables(w, w.cluster)
    daemon.stop()
    options = ("-c", f"store.schema={schema}")
    now = int(w.cluster.sql(f"SELECT format FROM {schema}.store")[0])
    w.cluster.sql(f"UPDATE {schema}.store SET format = 99")
    found, _ = doctor(w, w.cluster.url(), *options)
    must_be(found, "bad", "store.format", "format 99", "newer program")
    w.cluster.sql(f"UPDATE {schema}.store SET format = {now - 1}")
    found, _ = doctor(w, w.cluster.url(), *options)
    must_be(found, "note", "store.format", f"nodes that know format {now - 1} may", "with this version")
    w.cluster.sql(f"UPDATE {schema}.upgrade SET tables = {now - 1}")
    found, _ = doctor(w, w.cluster.url(), *options)
    must_be(found, "note", "store.format", f"format {now - 1}, this program writes {now}", "next start")
    w.cluster.sql("CREATE SCHEMA garage; CREATE TABLE garage.store(id int)")
    found, _ = doctor(w, w.cluster.url(), "-c", "store.schema=garage")
    must_be(found, "bad", "store.format", "other tables", "store.schema")


# ---- standbys -----------------------------------------------------------------------------------

def a_standby_that_is_absent_is_named_with_the_time_since_when_commits_wait(w):
    with postgres.Cluster(w.build, GOOD) as cluster, postgres.Standby(w.build, cluster) as standby:
        found, _ = doctor(w, cluster.url())
        must_be(found, "ok", "store.standbys", "commits wait for none; 1 are connected")
        cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (follower, other)'")
        cluster.sql("SELECT pg_reload_conf()")
        until("the standby to count", lambda: cluster.sql("SELECT sync_state FROM pg_stat_replication") == ["quorum"])
        found, _ = doctor(w, cluster.url())
        must_be(found, "note", "store.standbys", "absent: other;", "Start it again")
        must_be(found, "ok", "store.durability", "commits wait for ANY 1")
        # A role without pg_monitor sees the same.
        cluster.sql("CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE thole TO plain")
        found, _ = doctor(w, cluster.url(user="plain"))
        must_be(found, "note", "store.standbys", "absent: other;")
        standby.stop()
        until("it to be gone", lambda: not cluster.sql("SELECT 1 FROM pg_stat_replication"))
        found, _ = doctor(w, cluster.url())
        must_be(found, "bad", "store.standbys", "absent: follower, other; .*wants 1, and 0 are connected; no commit waits", "Start the standby")
        waits = subprocess.Popen([os.path.join(cluster.bin, "psql"), "-X", "-q", "-h", cluster.dir, "-U", "thole", "-d", "thole", "-c", "CREATE TABLE waits()"])
        try:
            until("a commit to wait", lambda: cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
            found, took = doctor(w, cluster.url())
            must_be(found, "bad", "store.standbys", r"commits that wait: 1, since \d+ s", "Start the standby")
            check(took < BOUND_S, f"it took {took:.1f} s")
        finally:
            cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
            cluster.sql("SELECT pg_reload_conf()")
            waits.wait(DEADLINE_S)


# ---- what others do -----------------------------------------------------------------------------

def a_transaction_that_nodes_wait_for_is_named(w):
    daemon, schema = with_tables(w, w.cluster)
    w.cluster.sql("CREATE ROLE report LOGIN")
    w.cluster.sql(f"GRANT USAGE ON SCHEMA {schema} TO report; GRANT SELECT, UPDATE ON {schema}.counter TO report")
    with session_of(w.cluster, f"SET application_name = 'quarterly'; BEGIN; SELECT 1 FROM {schema}.counter FOR UPDATE", user="report"):
        with base.Load(daemon, 1):
            until("a commit to wait", lambda: w.cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name LIKE 'thole/%'"))
            found, _ = doctor(w, w.cluster.url(), "-c", f"store.schema={schema}")
            must_be(found, "bad", "store.transactions", r'a transaction of report \(process \d+, application "quarterly", idle in transaction\) is open for \d+ s, and nodes',
                    "pg_terminate_backend(")
            pid = re.search(r"process (\d+)", found["store.transactions"]["detail"])[1]
            w.cluster.sql(f"SELECT pg_terminate_backend({pid})")
    found, _ = doctor(w, w.cluster.url(), "-c", f"store.schema={schema}")
    must_be(found, "ok", "store.transactions", "no other")
    daemon.stop()


def an_old_transaction_and_a_clock_that_is_off_are_told(w):
    """The server's clock is moved, so that a transaction becomes old without a wait."""
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not library:
        raise base.Skip("faketime is not installed (scripts/setup --test)")
    cluster = postgres.Cluster(w.build, GOOD)
    clock = os.path.join(cluster.dir, "clock")
    with open(clock, "w") as f:
        f.write("+0\n")
    cluster.before = ["env", "LD_PRELOAD=" + library[0], "FAKETIME_TIMESTAMP_FILE=" + clock, "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1"]
    with cluster:
        cluster.sql("CREATE ROLE bob LOGIN; CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE thole TO plain")
        with session_of(cluster, "BEGIN; SELECT pg_current_xact_id()", user="bob"):
            found, _ = doctor(w, cluster.url())
            must_be(found, "ok", "store.transactions", "no other")
            must_be(found, "ok", "store.clock", "within")
            with open(clock, "w") as f:
                f.write("+300\n")
            found, _ = doctor(w, cluster.url())
            must_be(found, "note", "store.transactions", r'a transaction of bob \(process \d+, application "psql", idle in transaction\) is open for 5 min', "pg_terminate_backend(")
            must_be(found, "bad", "store.clock", r"this machine is \d+ ms behind the server", "NTP")
            with open(clock, "w") as f:
                f.write("+3700\n")
            found, _ = doctor(w, cluster.url())
            must_be(found, "bad", "store.transactions", "open for 61 min: rows that were removed since stay")
            found, _ = doctor(w, cluster.url(user="plain"))
            must_be(found, "note", "store.transactions", "bob .*whose age this role is not shown", 'GRANT pg_monitor TO "plain"')


def dead_rows_and_tables_without_autovacuum_are_named(w):
    with postgres.Cluster(w.build, {**GOOD, "autovacuum_naptime": "1d"}) as cluster:
        daemon, schema = with_tables(w, cluster)
        cluster.sql(f"INSERT INTO {schema}.fence SELECT n + 1000000, now() FROM generate_series(1, 60000) n; DELETE FROM {schema}.fence WHERE incarnation > 1000000")
        until("the statistics", lambda: cluster.sql(f"SELECT n_dead_tup > 50000 FROM pg_stat_all_tables WHERE schemaname = '{schema}' AND relname = 'fence'") == ["t"])
        found, _ = doctor(w, cluster.url(), "-c", f"store.schema={schema}")
        must_be(found, "note", "store.vacuum", r"fence 60000 beside \d+ \(cleaned never\)", f'VACUUM "{schema}"."fence"')
        cluster.sql(f"ALTER TABLE {schema}.chunk SET (autovacuum_enabled = false)")
        found, _ = doctor(w, cluster.url(), "-c", f"store.schema={schema}")
        must_be(found, "bad", "store.vacuum", "autovacuum is off for: chunk", "RESET (autovacuum_enabled)")
        daemon.stop()


# ---- a server that does not answer --------------------------------------------------------------

def a_server_that_does_not_answer_is_a_finding_and_no_hang(w):
    with postgres.Cluster(w.build, GOOD) as cluster:
        daemon, schema = with_tables(w, cluster)
        daemon.stop()
        with session_of(cluster, f"SET application_name = 'upgrade'; BEGIN; LOCK TABLE {schema}.chunk"):
            found, took = doctor(w, cluster.url(), "-c", f"store.schema={schema}")
            must_be(found, "bad", "store.reach", "did not answer when asked for the size of the tables", "holds locks")
            check("store.format" in found and "store.size" not in found, f"what was read before is not told: {list(found)}")
            check(took < BOUND_S, f"it took {took:.1f} s")
        cluster.process.send_signal(signal.SIGSTOP)
        try:
            found, took = doctor(w, cluster.url())
            must_be(found, "bad", "store.reach", "store_unreachable")
            check(took < BOUND_S and len(found) == 1, f"it took {took:.1f} s: {found}")
        finally:
            cluster.process.send_signal(signal.SIGCONT)
        cluster.stop()
        found, took = doctor(w, cluster.url())
        must_be(found, "bad", "store.reach", "store_unreachable", "store-errors.md")


def a_wrong_address_and_a_wrong_password_are_findings_without_the_password(w):
    found, _ = doctor(w, f"postgresql://user:{base.PASSWORD}@localhost/thole?hots=x")
    must_be(found, "bad", "store.reach", "store_url", "store-errors.md")
    found, _ = doctor(w, f"postgresql://user:{base.PASSWORD}@localhost:1/thole")
    must_be(found, "bad", "store.reach", "store_unreachable")
    hba = os.path.join(w.cluster.data, "pg_hba.conf")
    w.cluster.sql(f"CREATE ROLE shut LOGIN PASSWORD '{base.PASSWORD}'")
    with open(hba) as f:
        before = f.read()
    try:
        with open(hba, "w") as f:
            f.write("local all shut scram-sha-256\n" + before)
        w.cluster.sql("SELECT pg_reload_conf()")
        until("the new rule", lambda: "password" in base.psql_error(w.cluster, "shut"))
        found, _ = doctor(w, w.cluster.url(user="shut", password=base.PASSWORD + "x"))
        must_be(found, "bad", "store.reach", "store_login.*shut")
        found, _ = doctor(w, w.cluster.url(user="shut", password=base.PASSWORD))
        must_be(found, "ok", "store.reach", "answers")
    finally:
        with open(hba, "w") as f:
            f.write(before)
        w.cluster.sql("SELECT pg_reload_conf()")


if __name__ == "__main__":
    sys.exit(base.tell_stories(sys.modules["__main__"], "thole doctor on PostgreSQL"))
