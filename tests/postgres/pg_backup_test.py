#!/usr/bin/env python3
"""thole backup of a log in PostgreSQL: a dump and a base backup are restored and compared, and what is wrong with a copy is named.

usage: pg_backup_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.  THOLE_SESSIONS: how many the large log has.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("nodes", "lib", "objects")]
import nodes_test as nodes  # noqa: E402
import pgbouncer  # noqa: E402
from bucket import KEY, SECRET, WITHOUT, Bucket, is_there  # noqa: E402
from nodes_test import check, count, log_of, postgres, scenario, submit, until  # noqa: E402
from wait import DEADLINE_S, Wrong  # noqa: E402

SESSIONS = int(os.environ.get("THOLE_SESSIONS", "2000"))
PASSWORD = "p4ss-w0rd-of-a-test"
FAILED, USAGE, STORE = 1, 2, 70


def until_ended(node, session, turns=1):
    until(f"turn {turns} of {session} to end", lambda: count(node, session, "turn.completed") == turns)


def worked(node, text="hello"):
    """A session whose turn has ended."""
    session = submit(node, text)
    until_ended(node, session)
    return session


class Place(nodes.World):
    """A schema for each story, and databases that copies are restored to."""

    def __init__(self, build, cluster):
        super().__init__(build, cluster)
        self.databases = []
        self.env = {**os.environ, "XDG_CONFIG_HOME": self.dir, "HOME": self.dir, "PATH": self.cluster.bin + ":" + os.environ["PATH"]}
        self.bucket = None

    def done(self):
        super().done()
        if self.bucket:
            self.bucket.stop()
        for name in self.databases:
            self.cluster.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", "postgres")

    def path(self, name):
        return os.path.join(self.dir, name)

    def node_on(self, database, name):
        """A node on a copy; all that were on the original count as dead."""
        daemon = scenario.Daemon(self.build, self.path(name), nodes.SCRIPT, ["store.url=" + self.cluster.url(database), "store.schema=" + self.schema])
        daemon.name, daemon.validates = name, False
        self.daemons.append(daemon)
        daemon.start()
        until(f"node {name} to be ready", lambda: scenario.Http(daemon).request("GET", "/readyz")[0] == 200)
        return daemon

    def run(self, *words, code=0, env=None, data="data"):
        done = subprocess.run([os.path.join(self.build, "thole"), "--data", self.path(data), *words], capture_output=True, text=True, timeout=DEADLINE_S,
                              env={**self.env, **(env or {})}, cwd=self.dir)
        check(done.returncode == code, f"thole {' '.join(words)} ended with {done.returncode}, not {code}: {done.stdout}{done.stderr}")
        check(PASSWORD not in done.stdout + done.stderr, f"the password is shown: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def of(self, database="thole", schema=None, **parts):
        """The options that name a database."""
        return ["--store", self.cluster.url(database, **parts), "-c", "store.schema=" + (schema or self.schema)]

    def backup(self, name, *options, data="a", **parts):
        """Makes one, and returns its manifest."""
        return json.loads(self.run("backup", self.path(name), *self.of(**parts), "--json", *options, data=data).splitlines()[0])

    def database(self, like="template0"):
        name = f"copy_{os.getpid()}_{nodes.World.number}_{len(self.databases)}"
        self.cluster.sql(f"CREATE DATABASE {name} TEMPLATE {like}", "postgres")
        self.databases.append(name)
        return name

    def restored(self, name):
        """A new database with the dump of this backup."""
        database = self.database()
        done = subprocess.run(["pg_restore", "--no-owner", "--exit-on-error", "-h", self.cluster.dir, "-U", "thole", "-d", database, self.path(name) + "/log.dump"],
                              capture_output=True, text=True, env=self.env)
        check(done.returncode == 0, f"pg_restore: {done.stderr}")
        return database

    def compare(self, name, database="thole", *options, code=0, data="none", **more):
        """The report of --check; errors are what the command said."""
        said = self.run("backup", "--check", self.path(name), *self.of(database), "--json", *options, code=code, data=data, **more)
        return json.loads(said.splitlines()[0])

    def is_whole(self, name, database="thole", *options, **more):
        report = self.compare(name, database, *options, **more)
        check(report["whole"] and not report["findings"] and report["findingCount"] == 0, f"{report}")
        return report

    def finds(self, name, database, *codes, options=(), **more):
        """Exactly these codes."""
        report = self.compare(name, database, *options, code=FAILED, **more)
        found = sorted({f["code"] for f in report["findings"]})
        check(not report["whole"] and found == sorted(codes), f"{codes} were not found: {report}")
        return report

    def refused(self, code, status, *words, **more):
        said = self.run("backup", *words, code=status, **more)
        check(code + ":" in said, f"{code} is not in: {said}")
        return said

    def rows(self, sql, database="thole"):
        return self.cluster.sql(sql.replace("@", self.schema + "."), database)


def files_of(path):
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]


def load(w, node, ended, sessions):
    while not ended.is_set():
        sessions.append(submit(node, "hello"))


# ---- whole copies -----------------------------------------------------------------------------------

def a_backup_under_load_has_a_dump_of_the_same_moment(w):
    a, b = w.node("a"), w.node("b")
    big = worked(a, "much")
    ended, sessions = threading.Event(), []
    loads = [threading.Thread(target=load, args=(w, node, ended, sessions)) for node in (a, b)]
    for t in loads:
        t.start()
    try:
        until("some work", lambda: len(sessions) > 20)
        manifest = w.backup("copy")
        then = len(sessions)
        until("more work", lambda: len(sessions) > then + 5)
    finally:
        ended.set()
        for t in loads:
            t.join()
    copy = w.restored("copy")
    check(w.rows("SELECT count(*), sum(last_seq - floor_seq) FROM @session WHERE last_seq > 0", copy)
          == [f"{manifest['sessions']}|{manifest['events']}"], "dump and manifest are of two moments")
    check(w.rows("SELECT last_position FROM @counter", copy) == [str(manifest["lastPosition"])], "the position is another one")
    report = w.is_whole("copy", copy)
    check(report["events"] == manifest["events"] and report["continued"] == report["sessions"] == manifest["sessions"], f"{report} {manifest}")
    check(report["outputs"] == 1 and report["dumpCompared"] and not report["isNewer"], f"{report}")
    # The live log contains that moment, too.
    for session in sessions:
        until_ended(a, session)
    report = w.is_whole("copy")
    check(report["isNewer"] and report["events"] > manifest["events"] and report["continued"] == manifest["sessions"], f"{report}")
    check(manifest["nodes"] == ["a", "b"] and manifest["schema"] == w.schema, f"{manifest}")
    check(w.rows("SELECT convert_from(value, 'UTF8') FROM @meta WHERE key = 'runtime_id'") == [manifest["logId"]], f"{manifest}")
    w.verify(a)
    # A node works on the copy.
    a.stop()
    b.stop()
    c = w.node_on(copy, "c")
    check(count(c, big, "turn.completed") == 1, "the session is not in the copy")
    check("whole" in w.run("verify", data="c"), "the chain does not verify")
    submit(c, "again", big)
    until_ended(c, big, 2)
    check(w.is_whole("copy", copy)["isNewer"], "the copy is not newer")


def a_log_of_thousands_of_sessions_is_restored_whole(w):
    a = w.node("a")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        sessions = list(pool.map(lambda n: submit(a, "hello"), range(SESSIONS)))
    for session in sessions[-8:]:
        until_ended(a, session)
    until("all turns to end", lambda: w.rows("SELECT count(*) FROM @idx WHERE tbl = 0 AND status = 'running'") == ["0"])
    a.stop()
    manifest = w.backup("copy")
    check(manifest["sessions"] >= SESSIONS, f"{manifest}")
    with open(w.path("copy/heads")) as f:
        check(len(f.readlines()) == manifest["sessions"], "a session has no line")
    copy = w.restored("copy")
    report = w.is_whole("copy", copy)
    check(report["sessions"] == report["continued"] == manifest["sessions"] and report["events"] == manifest["events"], f"{report}")
    # One event of one of them, somewhere in the middle.
    victim = sessions[SESSIONS // 2]
    w.rows(f"UPDATE @chunk SET body = overlay(body PLACING '\\x5a' FROM 40) WHERE session_no = (SELECT session_no FROM @session WHERE id = '{victim}')"
           " AND first_seq = (SELECT max(first_seq) FROM @chunk c WHERE c.session_no = chunk.session_no)", copy)
    report = w.finds("copy", copy, "backup_damaged")
    check([f["sessionId"] for f in report["findings"]] == [victim], f"{report}")
    # All of them: a report lists a hundred.
    w.rows("UPDATE @session SET last_hash = '\\x" + "00" * 32 + "'", copy)
    report = w.finds("copy", copy, "backup_damaged")
    check(report["findingCount"] == report["sessions"] and len(report["findings"]) == 100, f"{report['findingCount']}")
    check(f"and {report['findingCount'] - 100} more" in w.run("backup", "--check", w.path("copy"), *w.of(copy), code=FAILED), "what is left out is not said")


def sessions_that_were_packed_cut_erased_and_deleted_since_continue(w):
    a = w.node("a", "session.idle_evict_s=1")
    cut, erased, deleted, packed = worked(a), worked(a, "a secret"), worked(a), [worked(a) for _ in range(5)]
    submit(a, "again", cut)
    until_ended(a, cut, 2)
    manifest = w.backup("copy")
    through = next(e["sequence"] for e in log_of(a, cut) if e["type"] == "turn.completed")
    w.thole(a, "retain", cut, "--through", str(through))
    w.thole(a, "erase", erased, str(next(e["sequence"] for e in log_of(a, erased) if e["type"] == "turn.submitted")), "--reason", "asked for")
    w.thole(a, "delete", deleted, "--reason", "the project has ended")
    until("the beginning to be removed", lambda: log_of(a, cut)[0].get("sequence") != 1)
    until("sessions to be packed", lambda: int(w.rows("SELECT count(*) FROM @pack")[0]) >= len(packed))
    report = w.is_whole("copy")
    check(report["removed"] == 1 and report["continued"] + report["removed"] + report["expired"] == manifest["sessions"], f"{report}")
    manifest = w.backup("again")
    copy = w.restored("again")
    report = w.is_whole("again", copy)
    check(report["continued"] == report["sessions"] == manifest["sessions"] and not report["removed"], f"{report}")
    check(w.is_whole("copy", copy)["removed"] == 1, "the copy does not know of the deletion")
    # Without the row that records it, the session is just missing.
    w.rows(f"DELETE FROM @removed WHERE id = '{deleted}'", copy)
    w.finds("copy", copy, "backup_damaged")


# ---- copies that are not whole ------------------------------------------------------------------------

def what_is_wrong_with_a_copy_is_named(w):
    a = w.node("a", "session.idle_evict_s=600")
    victim, other, big = worked(a), worked(a), worked(a, "much")
    submit(a, "again", victim)
    until_ended(a, victim, 2)
    a.stop()
    w.backup("copy")
    good = w.restored("copy")
    w.is_whole("copy", good)
    of = f"session_no = (SELECT session_no FROM @session WHERE id = '{victim}')"
    last = f"{of} AND last_seq = (SELECT max(last_seq) FROM @chunk c WHERE c.{of})"
    ref, = w.rows("SELECT ref FROM @output", good)

    def changed(sql, *codes):
        database = w.database(good)
        w.rows(sql, database)
        report = w.finds("copy", database, *codes)
        w.cluster.sql(f"DROP DATABASE {database}", "postgres")
        return report["findings"]

    found, = changed(f"DELETE FROM @chunk WHERE {last}", "backup_damaged")
    check(found["sessionId"] == victim and "is missing" in found["detail"], f"{found}")
    found, = changed(f"DELETE FROM @chunk WHERE {of} AND first_seq = 1", "backup_damaged")
    check(found["detail"] == "event 1 is missing", f"{found}")
    found, = changed(f"UPDATE @chunk SET body = overlay(body PLACING '\\x5a' FROM 40) WHERE {of} AND first_seq = 1", "backup_damaged")
    check("is not what was written" in found["detail"], f"{found}")
    found, = changed(f"UPDATE @chunk SET head = '\\x00' WHERE {of} AND first_seq = 1", "backup_damaged")
    changed(f"UPDATE @chunk SET prev_hash = '\\x{'11' * 32}' WHERE {last}", "backup_damaged")
    changed(f"DELETE FROM @chunk WHERE {of}", "backup_damaged")
    changed(f"DELETE FROM @chunk WHERE {of}; DELETE FROM @session WHERE id = '{victim}'", "backup_damaged")
    # Cut where a chunk begins, as if it had ended there: every chain is good, and the log is older.
    found, = changed(f"UPDATE @session SET (last_seq, last_hash) = (SELECT first_seq - 1, prev_hash FROM @chunk WHERE {last}) WHERE id = '{victim}';"
                     f" DELETE FROM @chunk WHERE {last}", "backup_older")
    check(found["sessionId"] == victim and "it ends at event" in found["detail"], f"{found}")
    # Two sessions under each other's number: all of it is there, and it is not what was.
    found = changed(f"UPDATE @session SET id = id || '_' WHERE id IN ('{victim}', '{other}')", "backup_differs")
    check(len(found) == 2, f"{found}")
    found, = changed(f"DELETE FROM @output_chunk WHERE ref = '{ref}' AND no = 3", "backup_output_missing")
    check(found["sessionId"] == big and ref in found["detail"], f"{found}")
    changed(f"UPDATE @output_chunk SET data = overlay(data PLACING '\\x5a5a5a' FROM 99) WHERE ref = '{ref}' AND no = 2", "backup_output_missing")
    changed(f"UPDATE @output_chunk SET no = no + 1000 WHERE ref = '{ref}' AND no = 2", "backup_output_missing")
    found, = changed(f"UPDATE @output SET hash = '\\x{'22' * 32}' WHERE ref = '{ref}'", "backup_output_missing")
    check("is another one" in found["detail"], f"{found}")
    found, = changed(f"DELETE FROM @output WHERE ref = '{ref}'", "backup_output_missing")
    changed(f"DELETE FROM @output WHERE ref = '{ref}'; DELETE FROM @chunk WHERE {last}", "backup_damaged", "backup_output_missing")
    # Another history behind a shared beginning: the end of the session is written again, by another node.
    database = w.database(good)
    w.rows(f"UPDATE @session SET (last_seq, last_hash) = (SELECT first_seq - 1, prev_hash FROM @chunk WHERE {last}) WHERE id = '{victim}';"
           f" DELETE FROM @chunk WHERE {last}; DELETE FROM @snapshot; UPDATE @node SET ended_at = now()", database)
    c = w.node_on(database, "c")
    with open(w.path("copy/heads")) as f:
        head, = [int(line.split()[1]) for line in f if line.endswith(f" {victim}\n")]
    for n in range(3):
        submit(c, "something else", victim)
    until("as many events as in the backup", lambda: log_of(c, victim)[-1]["sequence"] > head)
    c.stop()
    report = w.compare("copy", database, code=FAILED)
    check({"code": "backup_differs", "sessionId": victim} in [{k: f[k] for k in ("code", "sessionId")} for f in report["findings"] if "sessionId" in f], f"{report}")


def an_older_copy_and_one_of_another_log_are_refused(w):
    a = w.node("a")
    session = worked(a)
    w.backup("early")
    early = w.restored("early")
    submit(a, "again", session)
    until_ended(a, session, 2)
    late_one = worked(a)
    w.backup("late")
    w.is_whole("early", early)
    report = w.finds("late", early, "backup_older")
    named = {f.get("sessionId") for f in report["findings"]}
    check({session, late_one, None} <= named, f"{report}")
    copy = w.restored("late")
    w.is_whole("early", copy)
    renamed = w.schema + "_copy"
    w.cluster.sql(f"ALTER SCHEMA {w.schema} RENAME TO {renamed}", copy)
    check("whole  " in w.run("backup", "--check", w.path("late"), *w.of(copy, renamed)), "a copy in another schema is not whole")
    said = w.run("backup", "--check", w.path("late"), *w.of(early), code=FAILED)
    check("backup_older" in said and "not whole  " in said, said)
    # The log of another installation, in the same schema of another database.
    other = w.database()
    w.node_on(other, "d").stop()
    w.refused("backup_other_log", USAGE, "--check", w.path("late"), *w.of(other), data="none")


def a_database_that_cannot_be_asked_has_the_code_of_a_start(w):
    a = w.node("a")
    worked(a)
    a.stop()
    w.backup("copy")
    check_it = ["--check", w.path("copy")]
    for words in (check_it, [w.path("new")]):
        w.refused("store_unreachable", STORE, *words, "--store", f"postgresql://thole:{PASSWORD}@/thole?host={w.dir}")
        w.refused("store_unreachable", STORE, *words, *w.of("not_there"))
        w.refused("store_url", USAGE, *words, "--store", f"postgre://thole:{PASSWORD}@localhost/thole")
        w.refused("store_url", USAGE, *words, "--store", w.cluster.url(), "-c", "store.schema=a;b")
        w.refused("store_missing", USAGE, *words, *w.of(schema="nothing_here"))
        check(not os.path.exists(w.path("new")) and not os.path.exists(w.path("new.part")), "something is left")
    w.cluster.sql("CREATE SCHEMA shop_of_b; CREATE TABLE shop_of_b.store(id int)")
    w.refused("store_foreign", STORE, *check_it, *w.of(schema="shop_of_b"))
    w.cluster.sql("CREATE ROLE stranger LOGIN")
    w.refused("store_rights", STORE, *check_it, *w.of(user="stranger"))
    w.cluster.sql(f"GRANT USAGE ON SCHEMA {w.schema} TO stranger")
    w.refused("store_rights", STORE, *check_it, *w.of(user="stranger"))
    w.cluster.sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA {w.schema} TO stranger")
    check("whole  " in w.run("backup", *check_it, *w.of(user="stranger")), "a role that may only read is not enough")
    format, = w.rows("SELECT format FROM @store")
    for other in ("99", "1"):
        w.rows(f"UPDATE @store SET format = {other}")
        w.rows(f"UPDATE @upgrade SET tables = {other}")
        said = w.refused("store_format", STORE, w.path("new"), *w.of())
        check(other in said, said)
    w.rows(f"UPDATE @store SET format = {format}")
    w.rows(f"UPDATE @upgrade SET tables = {format}")
    w.rows("INSERT INTO @meta VALUES ('moved', 'elsewhere')")
    w.refused("store_moved", STORE, w.path("new"), *w.of())


def a_backup_that_cannot_be_read_is_refused(w):
    a = w.node("a")
    worked(a)
    a.stop()
    w.backup("good")

    def damaged(change):
        shutil.copytree(w.path("good"), w.path("bad"))
        change(w.path("bad"))
        said = w.refused("backup_unreadable", USAGE, "--check", w.path("bad"), *w.of())
        shutil.rmtree(w.path("bad"))
        return said

    def cut(name, at):
        return lambda place: os.truncate(os.path.join(place, name), at)

    def replace(name, text):
        def write(place):
            with open(os.path.join(place, name), "w") as f:
                f.write(text)
        return write

    with open(w.path("good/backup.json")) as f:
        text = f.read()
    with open(w.path("good/heads")) as f:
        heads = f.read()
    damaged(lambda place: os.unlink(place + "/backup.json"))
    damaged(lambda place: os.unlink(place + "/heads"))
    for size in (0, 1, len(text) // 2, len(text) - 2):
        damaged(cut("backup.json", size))
    damaged(cut("heads", len(heads) // 2))
    damaged(cut("heads", 0))
    damaged(replace("heads", heads.replace("a", "b")))
    damaged(replace("backup.json", text.replace('"sessions":', '"sessions":"x","was":')))
    damaged(replace("backup.json", "[" * 100000))
    damaged(replace("backup.json", text + " " * 100000))
    w.refused("backup_unreadable", USAGE, "--check", w.path("not-there"), *w.of())
    # A dump that was changed is a finding: the database may be whole.
    shutil.copytree(w.path("good"), w.path("bad"))
    with open(w.path("bad/log.dump"), "r+b") as f:
        f.seek(2000)
        f.write(b"changed")
    found, = w.finds("bad", "thole", "backup_damaged")["findings"]
    check("log.dump" in found["detail"], f"{found}")
    os.unlink(w.path("bad/log.dump"))
    check(not w.is_whole("bad")["dumpCompared"], "a dump that is elsewhere was compared")
    # The backup of a directory is brought back by restore.
    d = scenario.Daemon(w.build, w.path("d"), nodes.SCRIPT, [])
    w.daemons.append(d)
    d.start()
    d.stop()
    w.run("backup", w.path("of-directory"), data="d")
    w.refused("backup_directory", USAGE, "--check", w.path("of-directory"), *w.of())
    check("--store" in w.run("backup", "--check", w.path("of-directory"), code=USAGE, data="d"), "it is not said what is missing")


# ---- outputs elsewhere --------------------------------------------------------------------------------

def outputs_in_a_bucket_are_asked_for(w):
    if not is_there():
        raise nodes.Skipped(WITHOUT)
    w.bucket = Bucket(w.dir)
    keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    os.environ.update(keys)
    w.env.update(keys)
    a = w.node("a", *w.bucket.options())
    worked(a, "much")
    a.stop()
    options = [word for option in w.bucket.options() for word in ("-c", option)]
    manifest = w.backup("copy", *options)
    check(manifest["outputs"]["objectStore"] == 1 and manifest["outputs"]["bucket"] == w.bucket.name and manifest["outputs"]["prefix"] == "test/a", f"{manifest}")
    for path in files_of(w.path("copy")):
        with open(path, "rb") as f:
            check(SECRET.encode() not in f.read(), f"{path} has a secret")
    said = w.run("backup", w.path("shown"), *w.of(), *options, data="a")
    check(f"1 in the bucket {w.bucket.name}" in said, said)
    copy = w.restored("copy")
    shutil.rmtree(a.data)
    check(w.is_whole("copy", copy, *options)["outputs"] == 1, "the output was not looked at")
    w.refused("object_store_settings", USAGE, "--check", w.path("copy"), *w.of(copy), data="none")
    # A copy of the bucket that lacks it, and one that does not answer.
    w.finds("copy", copy, "backup_output_missing", options=[o if "prefix" not in o else "object_store.prefix=test/b" for o in options])
    w.bucket.stop()
    w.refused("object_store_unreachable", STORE, "--check", w.path("copy"), *w.of(copy), *options, data="none")


def outputs_that_are_files_of_a_node_are_in_the_backup(w):
    a = w.node("a", "store.outputs=files")
    worked(a, "much")
    a.stop()
    manifest = w.backup("copy")
    check(manifest["outputs"] == {"database": 0, "objectStore": 0, "files": 1}, f"{manifest}")
    copy = w.restored("copy")
    shutil.rmtree(a.data)
    w.is_whole("copy", copy)
    # In the data directory of the call instead.
    os.makedirs(w.path("none"), exist_ok=True)
    shutil.move(w.path("copy/blobs"), w.path("none/blobs"))
    w.is_whole("copy", copy)
    content, = files_of(w.path("none/blobs/sha256"))
    with open(content, "r+b") as f:
        f.write(b"changed")
    w.finds("copy", copy, "backup_output_missing")
    link, = files_of(w.path("none/blobs/ref"))
    os.unlink(link)
    os.symlink("/dev/zero", link)
    w.finds("copy", copy, "backup_output_missing")
    os.unlink(link)
    w.finds("copy", copy, "backup_output_missing")


# ---- pg_dump, keys and archives -----------------------------------------------------------------------

def a_fake_pg_dump(w, text):
    place = w.path("fake")
    os.makedirs(place, exist_ok=True)
    with open(place + "/pg_dump", "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(place + "/pg_dump", 0o755)
    return {"PATH": place + ":" + w.env["PATH"]}


def a_password_reaches_pg_dump_by_its_environment_alone(w):
    a = w.node("a")
    worked(a)
    env = a_fake_pg_dump(w, f'echo "$@" >{w.path("words")}\necho "$PGPASSWORD" >{w.path("password")}\nexec {w.cluster.bin}/pg_dump "$@"\n')
    said = w.run("backup", w.path("copy"), *w.of(password=PASSWORD), data="a", env=env)
    check("log.dump" in said and "base backup" in said, said)
    with open(w.path("words")) as f:
        words = f.read()
    check(PASSWORD not in words and "--snapshot=" in words and f"--schema={w.schema}" in words, words)
    with open(w.path("password")) as f:
        check(f.read().strip() == PASSWORD, "the password did not arrive")
    for path in files_of(w.path("copy")):
        with open(path, "rb") as f:
            check(PASSWORD.encode() not in f.read(), f"{path} has the password")
        check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, f"{path} can be read by others")
    check(stat.S_IMODE(os.stat(w.path("copy")).st_mode) == 0o700, "the directory can be read by others")
    # A variable of the caller stays when the address has no password.
    w.run("backup", w.path("other"), *w.of(), data="a", env={**env, "PGPASSWORD": "of the caller"})
    with open(w.path("password")) as f:
        check(f.read().strip() == "of the caller", "the variable is gone")


def without_pg_dump_the_backup_says_what_to_type(w):
    a = w.node("a")
    worked(a)
    empty = w.path("empty")
    os.makedirs(empty)
    said = w.run("backup", w.path("copy"), *w.of(), data="a", env={"PATH": empty})
    check("not installed" in said and f"pg_dump --format=custom --schema={w.schema} --file={w.path('copy')}.dump" in said, said)
    check(not os.path.exists(w.path("copy/log.dump")) and os.path.exists(w.path("copy/heads")), "other files are there")
    manifest = w.backup("again", "--no-dump")
    check("dump" not in manifest and sorted(os.listdir(w.path("again"))) == ["backup.json", "heads"], f"{os.listdir(w.path('again'))}")
    w.is_whole("again")
    # One that fails leaves nothing, and one that is killed neither after the next call.
    said = w.refused("backup_dump", FAILED, w.path("third"), *w.of(), data="a", env=a_fake_pg_dump(w, "echo no such thing >&2; exit 1\n"))
    check("no such thing" in said and "--no-dump" in said, said)
    check(not os.path.exists(w.path("third")) and not os.path.exists(w.path("third.part")), "something is left")
    env = {**w.env, **a_fake_pg_dump(w, f"touch {w.path('begun')}; exec sleep 600\n")}
    killed = subprocess.Popen([os.path.join(w.build, "thole"), "--data", a.data, "backup", w.path("third"), *w.of()], env=env, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until("the dump to begin", lambda: os.path.exists(w.path("begun")))
    check("thole backup" in w.cluster.sql("SELECT application_name FROM pg_stat_activity WHERE backend_xmin IS NOT NULL OR state LIKE 'idle in%'"),
          "the transaction does not say whose it is")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    check(not os.path.exists(w.path("third")), "the backup has its name")
    w.backup("third")
    check(not os.path.exists(w.path("third.part")), "what was left is still there")
    # Names that cannot be.
    check("exists" in w.run("backup", w.path("third"), *w.of(), code=USAGE, data="a"), "a backup replaces another")
    check("data directory" in w.run("backup", os.path.join(a.data, "copy"), *w.of(), code=USAGE, data="a"), "a backup in the data directory")


def one_file_has_all_of_it_and_keys_are_in_it_when_asked_for(w):
    a = w.node("a")
    worked(a)
    manifest = w.backup("copy.tar.gz", "--with-keys")
    check(manifest["withKeys"] and manifest["path"] == w.path("copy.tar.gz"), f"{manifest}")
    names = subprocess.run(["tar", "--list", "--file", w.path("copy.tar.gz")], capture_output=True, text=True).stdout.split()
    check({"./backup.json", "./heads", "./log.dump", "./token"} <= set(names), f"{names}")
    w.is_whole("copy.tar.gz")
    check(not [n for n in os.listdir(os.environ.get("TMPDIR", "/tmp")) if n.startswith("thole-check-")], "a directory is left")
    w.backup("plain")
    check("token" not in os.listdir(w.path("plain")), "the token is in a backup without keys")
    said = w.run("restore", w.path("copy.tar.gz"), code=FAILED, data="fresh")
    check("backup_database" in said and "tar --extract" in said and "pg_restore" in said and "/token " in said, said)
    check(not os.path.exists(w.path("fresh/log.db")), "a log was made")


# ---- restoring ------------------------------------------------------------------------------------------

def typed(w, lines, **more):
    """Commands as a person types them, on a machine whose default server is the cluster."""
    env = {**w.env, "PGHOST": w.cluster.dir, "PGUSER": "thole", "PATH": w.build + ":" + w.env["PATH"], "XDG_STATE_HOME": w.path("state"), **more}
    said = []
    for line in lines:
        words = shlex.split(line.replace("~/", w.dir + "/"))
        if words[:2] == ["thole", "serve"]:
            served = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=w.dir)
            try:
                check(any("unix:" in text for text in served.stderr), f"{line}: it did not start")
            finally:
                served.terminate()
                served.wait(DEADLINE_S)
            continue
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL, cwd=w.dir)
        check(done.returncode == 0, f"{line} ended with {done.returncode}: {done.stdout}{done.stderr}")
        said.append(done.stdout)
    return said


def restore_says_what_to_type_and_that_works(w):
    a = w.node("a")
    session = worked(a, "much")
    a.stop()
    w.backup("copy", "--with-keys")
    said = w.run("restore", w.path("copy"), code=FAILED, data="fresh")
    lines = [line.strip() for line in said.splitlines() if line.startswith("  ")]
    check("backup_database" in said and len(lines) == 6, said)
    w.databases.append("thole_restored")
    answers = typed(w, lines)
    check(any(answer.startswith("whole  ") for answer in answers), f"{answers}")
    with open(w.path("fresh/token")) as new, open(os.path.join(a.data, "token")) as old:
        check(new.read() == old.read(), "the token is another one")
    check(w.rows(f"SELECT count(*) FROM @session WHERE id = '{session}'", "thole_restored") == ["1"], "the session is not there")
    # A node that runs, and a directory that is not empty, do not hide it.
    a.start()
    check("backup_database" in w.run("restore", w.path("copy"), code=FAILED, data="a"), "it says something else")


class Restored(postgres.Cluster):
    """A base backup with the archived WAL, up to a place in it; None: as it was made."""

    def __init__(self, build, base, archive, lsn):
        super().__init__(build)
        self.base, self.archive, self.lsn = base, archive, lsn

    def make(self):
        shutil.copytree(self.base, self.data)
        settings = ["restore_command = 'cp %s/%%f %%p'" % self.archive]
        if self.lsn:
            settings += [f"recovery_target_lsn = '{self.lsn}'", "recovery_target_action = 'promote'"]
        else:
            settings += ["recovery_target = 'immediate'", "recovery_target_action = 'promote'"]
        with open(self.data + "/postgresql.auto.conf", "a") as f:
            f.write("\n".join(settings) + "\n")
        with open(self.data + "/recovery.signal", "w"):
            pass
        if not os.getuid():
            subprocess.run(["chown", "-R", f"{postgres.ORDINARY}:{postgres.ORDINARY}", self.dir], check=True)
        os.chmod(self.data, 0o700)

    def __enter__(self):
        super().__enter__()
        until("the promotion", lambda: self.sql("SELECT pg_is_in_recovery()") == ["f"])
        return self


def a_base_backup_with_the_wal_up_to_the_manifest_is_whole(w):
    shared = w.cluster
    archive, base = w.path("archive"), w.path("base")
    os.makedirs(archive)
    os.chmod(w.dir, 0o755)
    os.chmod(archive, 0o777)
    with postgres.Cluster(w.build, {"archive_mode": "on", "archive_command": f"cp %p {archive}/%f", "wal_level": "replica"}) as cluster:
        w.cluster = cluster
        try:
            a = w.node("a")
            first = worked(a)
            made = os.path.join(cluster.dir, "base")
            done = subprocess.run(postgres.as_user([os.path.join(cluster.bin, "pg_basebackup"), "-h", cluster.dir, "-U", "thole", "-D", made, "--checkpoint=fast",
                                                    "--no-sync", "-X", "fetch"]), capture_output=True, text=True, cwd="/")
            check(done.returncode == 0, f"pg_basebackup: {done.stderr}")
            shutil.copytree(made, base)
            second = worked(a, "much")
            manifest = w.backup("copy", "--no-dump")
            server = manifest["server"]
            check(re.fullmatch("[0-9A-F]+/[0-9A-F]+", server["lsn"]) and re.fullmatch("[0-9A-F]{24}", server["walFile"]) and not server["isStandby"], f"{server}")
            check(cluster.sql("SELECT system_identifier FROM pg_control_system()") == [server["systemId"]], f"{server}")
            later = worked(a)
            cluster.sql("SELECT pg_switch_wal()")
            until(f"{server['walFile']} in the archive", lambda: os.path.exists(os.path.join(archive, server["walFile"])))
            a.stop()
        finally:
            w.cluster = shared
    with Restored(w.build, base, archive, server["lsn"]) as copy:
        w.cluster = copy
        try:
            report = w.is_whole("copy")
            check(report["continued"] == manifest["sessions"] and report["outputs"] == 1, f"{report}")
            have = set(w.rows("SELECT id FROM @session WHERE last_seq > 0"))
            check({first, second} <= have and later not in have, f"{have}")
        finally:
            w.cluster = shared
    with Restored(w.build, base, archive, None) as copy:
        w.cluster = copy
        try:
            report = w.finds("copy", "thole", "backup_older")
            check(second in {f.get("sessionId") for f in report["findings"]}, f"{report}")
        finally:
            w.cluster = shared


def a_standby_can_be_asked(w):
    a = w.node("a")
    worked(a)
    w.backup("copy", "--no-dump")
    with postgres.Standby(w.build, w.cluster) as standby:
        until("the standby to follow", lambda: w.rows("SELECT last_position FROM @counter") == standby.sql(f"SELECT last_position FROM {w.schema}.counter"))
        any_server = ["--store", standby.url(target_session_attrs="any"), "-c", "store.schema=" + w.schema]
        manifest = json.loads(w.run("backup", w.path("of-standby"), *any_server, "--json"))
        check(manifest["server"]["isStandby"] and "walFile" not in manifest["server"] and "lsn" in manifest["server"] and "dump" in manifest, f"{manifest}")
        check("whole  " in w.run("backup", "--check", w.path("copy"), *any_server), "the standby is not whole")
        w.refused("store_read_only", STORE, w.path("more"), "--store", standby.url(), "-c", "store.schema=" + w.schema)
    w.is_whole("of-standby", w.restored("of-standby"))


def a_pool_in_transaction_mode_is_no_place_for_pg_dump(w):
    if not pgbouncer.find():
        raise nodes.Skipped(pgbouncer.WITHOUT)
    a = w.node("a")
    worked(a)
    for mode in ("transaction", "session"):
        with pgbouncer.Bouncer(w.build, w.cluster, mode) as pool:
            there = ["--store", pool.url(), "-c", "store.schema=" + w.schema]
            if mode == "transaction":
                said = w.refused("store_pool", USAGE, w.path(mode), *there, data="a")
                check("--no-dump" in said, said)
                w.run("backup", w.path(mode), *there, "--no-dump", data="a")
            else:
                w.run("backup", w.path(mode), *there, data="a")
            check("whole  " in w.run("backup", "--check", w.path(mode), *there), "the check does not work behind the pool")


def a_restored_log_continues_a_checkpoint_that_was_kept_elsewhere(w):
    a = w.node("a")
    session = worked(a)
    w.backup("early")
    w.thole(a, "key", "new")
    w.thole(a, "key", "export", "-o", w.path("thole.pem"))
    w.thole(a, "export", "evidence", session, "-o", w.path("signed"))
    with open(w.path("signed/checkpoint.json")) as f, open(w.path("checkpoint.txt"), "w") as kept:
        kept.write(json.load(f)["checkpoint"])
    w.backup("late")
    a.stop()
    words = ["verify", "--checkpoint", w.path("checkpoint.txt"), "--key", w.path("thole.pem")]
    w.node_on(w.restored("late"), "c")
    check("continues" in w.run(*words, data="c"), "the restored log does not continue the checkpoint")
    w.node_on(w.restored("early"), "d")
    w.run(*words, data="d", code=FAILED)


# ---- the page -------------------------------------------------------------------------------------------

def the_page_about_backups_can_be_typed(w):
    with open(os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "how-to", "backup.md")) as f:
        page = f.read().split("## A log in PostgreSQL")[1].split("\n## ")[0]
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()]
    check(len(lines) == 5, f"the page has {len(lines)} commands")
    w.schema = "thole"
    a = w.node("a")
    worked(a)
    w.databases.append("thole_restored")
    os.makedirs(w.path("backups"))
    said = "".join(typed(w, lines, THOLE_DATA=a.data))
    check("log.dump" in said and re.search(r"\nwhole  \d+ events in (\d+) sessions, 0 large outputs; \1 of \1 sessions of the backup of \S+Z are here\n", said)
          and "base backup  any" in said, said)
    a.stop()
    w.cluster.sql("DROP SCHEMA thole CASCADE")


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [f for f in globals().values() if callable(f) and getattr(f, "__module__", "") == "__main__" and "_" in f.__name__
               and f.__code__.co_varnames[:1] == ("w",) and f.__code__.co_argcount == 1]
    stories = [f for f in stories if not words or any(word in f.__name__ for word in words)]
    failed = 0
    with postgres.maybe(build, "backups of a log in PostgreSQL") as cluster:
        if not cluster:
            return 0
        for n, story in enumerate(stories, 1):
            w = Place(build, cluster)
            why = skipped = ""
            try:
                story(w)
            except nodes.Skipped as e:
                skipped = f" # SKIP {e}"
            except (Wrong, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as e:
                why = (str(e) or repr(e)) + "".join(f"\n{d.data}: {line.rstrip()}" for d in w.daemons for line in getattr(d, "log", [])[-4:])
            finally:
                w.done()
            failed += bool(why)
            print(f"{'not ok' if why else 'ok'} {n} - {story.__name__.replace('_', ' ')}{skipped}", flush=True)
            for line in why.splitlines():
                print("# " + line, flush=True)
        print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
