#!/usr/bin/env python3
"""thole move: a log goes to PostgreSQL and back, byte for byte, also when the move is killed.

usage: move_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import hashlib
import http.client
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

postgres, until, Wrong, DEADLINE_S = scenario.postgres, scenario.until, scenario.Wrong, scenario.DEADLINE_S
SESSIONS = int(os.environ.get("THOLE_SESSIONS", "120"))
SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}},
              {"name": "read_much", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}: the river flows\n", "bytes": 900000}}}],
    "rules": [{"when": {"text": "much", "request": 1}, "reply": {"toolCalls": [{"name": "read_much", "args": {}}]}},
              {"when": {"afterTool": "careful"}, "reply": {"text": "allowed"}},
              {"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}},
              {"when": {"text": "long"}, "reply": {"text": {"repeat": "word {{n}} ", "count": 3000}}},
              {"when": {"text": "think", "request": 1}, "reply": {"firstDelayMs": 60000, "text": "thought"}}],
    "default": {"text": "done"}})


def check(is_so, what):
    if not is_so:
        raise Wrong(what)


class World:
    """Stories share the cluster; each has schemas of its own."""
    number = 0

    def __init__(self, build, cluster):
        World.number += 1
        self.build, self.cluster = build, cluster
        self.prefix = f"move_{os.getpid()}_{World.number}_"
        self.dir = tempfile.mkdtemp(prefix="thole-move-")
        self.daemons = []
        self.env = {**os.environ, "XDG_CONFIG_HOME": self.dir}

    def done(self):
        for daemon in self.daemons:
            if daemon.process and daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def daemon(self, name, schema=None, options=(), fails=False):
        """Starts one on this directory; schema: its log is there."""
        daemon = scenario.Daemon(self.build, self.path(name), SCRIPT, ["session.idle_evict_s=1", *options])
        daemon.validates = False
        if schema:
            daemon.store, daemon.schema = self.cluster, self.prefix + schema
        self.daemons.append(daemon)
        if not fails:
            daemon.start()
            until(f"{name} to be ready", lambda: scenario.Http(daemon).request("GET", "/readyz")[0] == 200)
        return daemon

    def end(self, where):
        """The words that name a directory or, with a colon, a schema."""
        if where.startswith(":"):
            return [self.cluster.url(), self.prefix + where[1:]]
        return [self.path(where), None]

    def words(self, source, target, *more):
        (source, from_schema), (target, to_schema) = self.end(source), self.end(target)
        words = [os.path.join(self.build, "thole"), "move", "--from", source, "--to", target, *more]
        return words + (["--from-schema", from_schema] if from_schema else []) + (["--to-schema", to_schema] if to_schema else [])

    def move(self, source, target, *more):
        done = subprocess.run(self.words(source, target, "--json", *more), capture_output=True, text=True, env=self.env, timeout=DEADLINE_S)
        check(done.returncode == 0, f"the move from {source} to {target} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def refused(self, code, source, target, *more):
        done = subprocess.run(self.words(source, target, *more), capture_output=True, text=True, env=self.env, timeout=DEADLINE_S)
        check(done.returncode != 0 and code + ":" in done.stderr, f"not refused with {code}: {done.returncode} {done.stdout}{done.stderr}")
        return done.stderr

    def not_started(self, code, name, schema=None):
        daemon = self.daemon(name, schema, fails=True)
        try:
            daemon.start()
        except Wrong as e:
            check(code in str(e), f"{code} is not in: {e}")
            daemon.process.wait()
            return
        raise Wrong(f"a daemon started on {name}, although {code}")

    def thole(self, name, *args):
        done = subprocess.run([os.path.join(self.build, "thole"), "--data", self.path(name), *args], capture_output=True, text=True, env=self.env,
                              timeout=DEADLINE_S)
        check(done.returncode == 0, f"thole {args[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout


# ---- a log ----------------------------------------------------------------------------------------

def call(daemon, command, params, key=None):
    status, data = scenario.Http(daemon).request("POST", "/v1/commands/" + command, json.dumps(params), {"Idempotency-Key": key} if key else {})
    return status, json.loads(data)


def ask(daemon, command, **params):
    status, reply = call(daemon, command, params)
    check(status < 400, f"{command}: {reply}")
    return reply


def submit(daemon, text, session=None):
    return ask(daemon, "submit_turn", input=text, **({"sessionId": session} if session else {}))["sessionId"]


def log_of(daemon, session):
    return scenario.Http(daemon).events(session, 0)


def count(daemon, session, type):
    return sum(json.loads(e)["type"] == type for e in log_of(daemon, session))


def until_ended(daemon, session, turns=1):
    until(f"{turns} turns of {session} to end", lambda: count(daemon, session, "turn.completed") == turns)


def first_of(daemon, session, type):
    return next(e for e in map(json.loads, log_of(daemon, session)) if e.get("type") == type)


def rows_of(data, sql, *values):
    """Of a log in SQLite, also while it is in use."""
    db = sqlite3.connect(f"file:{data}/log.db?mode=ro", uri=True)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def pending(daemon, session):
    open = {}
    for e in map(json.loads, log_of(daemon, session)):
        if e["type"] == "action.required":
            open[e["actionId"]] = True
        elif e["type"] == "action.resolved":
            open.pop(e["actionId"], None)
    return next(iter(open), None)


def output_of(daemon, output, session):
    found = b""
    while len(found) < output["sizeBytes"]:
        part = ask(daemon, "get_output", outputRef=output["outputRef"], sessionId=session, offset=len(found), length=1 << 20)
        check(part["bytes"], f"the output ends after {len(found)} bytes")
        found += part["text"].encode()
    return found


def everything(daemon, cursor=None):
    """Events of all sessions in the order of the log, and the cursor behind the first page."""
    events, more, first = [], True, None
    while more:
        page = ask(daemon, "list_events", limit=50, **({"cursor": cursor} if cursor else {}))
        events += page["events"]
        cursor, more = page.get("nextCursor"), page["more"]
        first = first or cursor
    return events, first


class Log:
    """What a directory with every kind of session holds, as its daemon shows it."""

    def __init__(self, w, name):
        self.w = w
        d = w.daemon(name)
        self.sessions = [submit(d, "long" if n % 10 == 0 else "hello") for n in range(SESSIONS)]
        self.big, self.asking = submit(d, "much"), submit(d, "approve")
        self.cut, self.erased, self.deleted = submit(d, "one"), submit(d, "a secret"), submit(d, "gone")
        for session in [*self.sessions, self.big, self.cut, self.erased, self.deleted]:
            until_ended(d, session)
        submit(d, "two", self.cut)
        until_ended(d, self.cut, 2)
        until("the approval", lambda: pending(d, self.asking))
        self.key_reply = call(d, "submit_turn", {"input": "once", "sessionId": self.sessions[0]}, "a-key")
        check(self.key_reply[0] < 400, f"{self.key_reply}")
        until_ended(d, self.sessions[0], 2)
        w.thole(name, "retain", self.cut, "--through", str(first_of(d, self.cut, "turn.completed")["sequence"]))
        w.thole(name, "erase", self.erased, str(first_of(d, self.erased, "turn.submitted")["sequence"]), "--reason", "asked for")
        w.thole(name, "delete", self.deleted, "--reason", "the project has ended")
        self.token = ask(d, "create_token", name="reader", scopes=["read"])["token"]
        until("the beginning to be removed", lambda: json.loads(log_of(d, self.cut)[0]).get("sequence") != 1)
        until("the event to be erased", lambda: "a secret" not in json.dumps(first_of(d, self.erased, "turn.submitted")))
        # Sessions that have left memory are packed.
        until("sessions to be packed", lambda: rows_of(d.data, "SELECT count(*) FROM pack")[0][0] > SESSIONS // 20)
        self.kept = [*self.sessions, self.big, self.asking, self.cut, self.erased]
        self.output = first_of(d, self.big, "output.spilled")["output"]
        self.look_again(d)
        d.stop()

    def look_again(self, d):
        """What has come since."""
        self.events = {s: log_of(d, s) for s in self.kept}
        self.rows = self.listed(d)
        self.all, self.cursor = everything(d)

    def listed(self, d):
        rows = ask(d, "list_sessions", limit=500)["sessions"]
        return sorted(json.dumps(row, sort_keys=True) for row in rows if row["sessionId"] in self.kept and row["sessionId"] != self.asking)

    def check_on(self, d):
        """The same log is served here."""
        for session in self.kept:
            now = log_of(d, session)
            check(now[:len(self.events[session])] == self.events[session], f"the log of {session} differs")
        check(self.listed(d) == self.rows, "the rows of sessions differ")
        status, reply = call(d, "get_session", {"sessionId": self.deleted})
        check(status >= 400, f"a deleted session is there: {reply}")
        status, reply = call(d, "create_session", {"sessionId": self.deleted})
        check(status >= 400, f"the id of a deleted session is used again: {reply}")
        check(hashlib.sha256(output_of(d, self.output, self.big)).hexdigest() == self.output["sha256"], "the large output differs")
        check(call(d, "submit_turn", {"input": "once", "sessionId": self.sessions[0]}, "a-key") == self.key_reply, "the key is not known")
        c = http.client.HTTPConnection("127.0.0.1", d.port, timeout=DEADLINE_S)
        c.request("POST", "/v1/commands/list_sessions", "{}", {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        check(c.getresponse().status == 200, "the token is not known")
        c.close()
        # Cursors over all sessions are those of the old store: nothing is missing, nothing comes twice.
        now, _ = everything(d)
        check(now[:len(self.all)] == self.all, "the order of all events differs")
        rest, _ = everything(d, self.cursor)
        check(rest[:len(self.all) - 50] == self.all[50:], "a cursor from before the move does not continue")

    def works_on(self, d):
        turns = count(d, self.sessions[1], "turn.completed")
        submit(d, "again", self.sessions[1])
        until_ended(d, self.sessions[1], turns + 1)
        self.look_again(d)


# ---- there and back -------------------------------------------------------------------------------

def a_log_moves_to_a_database_works_there_and_moves_back(w):
    log = Log(w, "data")
    moved = w.move("data", ":there")
    check(moved["sessions"] >= len(log.kept) and moved["outputs"] >= 1 and moved["missingOutputs"] == 0 and moved["verified"], f"{moved}")
    check(not os.path.exists(w.path("data/log.db")) and os.path.exists(w.path("data/log.db.moved")), "the old log has not its new name")
    w.not_started("store_directory", "data")
    w.refused("move_source_missing", "data", ":there")
    # The directory is that of a node now.
    node = w.daemon("data", "there")
    log.check_on(node)
    check("whole" in w.thole("data", "verify"), "the chain does not verify")
    ask(node, "respond_action", sessionId=log.asking, actionId=pending(node, log.asking), decision="allow", scope="once")
    until_ended(node, log.asking)
    check(count(node, log.asking, "tool.started") == 1, "the tool did not run once")
    log.works_on(node)
    node.stop()
    # Another machine has no files of it.
    other = w.daemon("other", "there")
    log.check_on(other)
    other.stop()
    moved = w.move(":there", "back")
    check(moved["outputs"] >= 1 and moved["missingOutputs"] == 0, f"{moved}")
    back = w.daemon("back")
    log.check_on(back)
    check("whole" in w.thole("back", "verify"), "the chain does not verify")
    log.works_on(back)
    submit(back, "a new one")
    back.stop()
    # The database says where its log is.
    w.not_started("store_moved", "third", "there")
    w.refused("move_again", ":there", "more")
    w.move(":there", "more", "--force")


def a_log_moves_between_two_directories_and_between_two_databases(w):
    log = Log(w, "data")
    w.move("data", "second")
    w.not_started("store_moved", "data")
    check(w.move("data", "second")["wasComplete"], "a second call is not told that all is done")
    second = w.daemon("second")
    log.check_on(second)
    second.stop()
    w.move("second", ":one")
    w.move(":one", ":two")
    node = w.daemon("node", "two")
    log.check_on(node)
    log.works_on(node)
    check("whole" in w.thole("node", "verify"), "the chain does not verify")


def outputs_that_are_files_of_a_node_are_found_by_its_directory(w):
    node = w.daemon("node", "db", ["store.outputs=files"])
    session = submit(node, "much")
    until_ended(node, session)
    output = first_of(node, session, "output.spilled")["output"]
    node.stop()
    moved = w.move(":db", "without", "--data", w.path("nowhere"))
    check((moved["outputs"], moved["missingOutputs"]) == (0, 1), f"{moved}")
    moved = w.move(":db", "with", "--data", node.data, "--force")
    check((moved["outputs"], moved["missingOutputs"]) == (1, 0), f"{moved}")
    there = w.daemon("with")
    check(hashlib.sha256(output_of(there, output, session)).hexdigest() == output["sha256"], "the large output differs")
    # Bytes that are not those of the log are noticed.
    there.stop()
    content, = [os.path.join(at, f) for at, _, files in os.walk(w.path("with/blobs/sha256")) for f in files]
    with open(content, "r+b") as f:
        f.write(b"!")
    w.refused("move_damaged", "with", ":more")


# ---- kill -9 --------------------------------------------------------------------------------------

def killed_until_done(w, source, target):
    """Kills the move later each time, and lets it end when it is fast enough."""
    kills, delay = 0, 0.02
    while True:
        process = subprocess.Popen(w.words(source, target, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=w.env)
        try:
            out, err = process.communicate(timeout=delay)
            check(process.returncode == 0, f"the move after {kills} kills: {out}{err}")
            print(f"# {kills} kills from {source} to {target}", flush=True)
            return kills, json.loads(out)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            delay += 0.015
            check(kills < 400, "the move never ends")


def a_move_that_is_killed_at_many_points_continues(w):
    log = Log(w, "data")
    kills, moved = killed_until_done(w, "data", ":there")
    check(kills >= 5, f"only {kills} kills")
    check(moved["verified"], f"{moved}")
    other = w.daemon("other", "there")
    log.check_on(other)
    other.stop()
    kills, moved = killed_until_done(w, ":there", "back")
    check(kills >= 5, f"only {kills} kills on the way back")
    back = w.daemon("back")
    log.check_on(back)
    check("whole" in w.thole("back", "verify"), "the chain does not verify")


def value_of(w, target, key):
    """Of the installation; None: it is not there."""
    try:
        if target.startswith(":"):
            rows = [w.cluster.sql(f"SELECT convert_from(value, 'UTF8') FROM {w.prefix}{target[1:]}.meta WHERE key = '{key}'")]
        else:
            rows = rows_of(w.path(target), "SELECT value FROM meta WHERE key = ?", key)
        return rows[0][0]
    except (Wrong, sqlite3.Error, IndexError):
        return None


def half(w, source, target):
    """A move that was killed when it had begun to write."""
    delay = 0.02
    while not value_of(w, target, "move"):
        process = subprocess.Popen(w.words(source, target), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=w.env)
        try:
            out, err = process.communicate(timeout=delay)
            raise Wrong(f"the move ended with {process.returncode}: {out}{err}")
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        delay += 0.005
    check(not value_of(w, target, "move").endswith("complete"), "the move was complete")


# ---- what is refused ------------------------------------------------------------------------------

def hello(w, name, schema=None):
    d = w.daemon(name, schema)
    session = submit(d, "hello")
    until_ended(d, session)
    return d


def what_cannot_be_source_and_target_is_refused(w):
    w.refused("move_source_missing", "nothing", ":t1")
    w.refused("store_missing", ":nothing", "t1")
    check(not w.cluster.sql(f"SELECT 1 FROM pg_namespace WHERE nspname = '{w.prefix}nothing'"), "a schema was made where there is no source")
    d = hello(w, "data")
    w.refused("move_in_use", "data", ":t2")
    d.stop()
    w.refused("move_same", "data", "data")
    os.makedirs(w.path("full"))
    open(w.path("full/notes.txt"), "w").close()
    w.refused("move_target_not_empty", "data", "full")
    hello(w, "other").stop()
    w.refused("move_target_not_empty", "data", "other")
    node = hello(w, "node", "db")
    w.refused("move_in_use", "data", ":db")
    w.refused("move_in_use", ":db", "t3")
    node.stop()
    w.refused("move_target_not_empty", "data", ":db")
    w.refused("move_same", ":db", ":db")
    done = subprocess.run([os.path.join(w.build, "thole"), "move", "--from", w.path("data")], capture_output=True, text=True, env=w.env)
    check(done.returncode == 2 and "--to" in done.stderr, f"{done.returncode}: {done.stderr}")
    # None of that changed the source.
    check(w.move("data", ":t4")["verified"], "the source cannot be moved any more")


def running_sessions_are_refused_until_they_have_ended(w):
    d = w.daemon("data")
    session = submit(d, "think")
    until("the turn to run", lambda: count(d, session, "model.requested") == 1)
    d.kill()
    said = w.refused("move_session_running", "data", ":there")
    check(session in said, f"the session is not named: {said}")
    d.start()
    until("the turn to be recovered", lambda: ask(d, "list_sessions")["sessions"][0]["status"] != "running")
    d.stop()
    check(w.move("data", ":there")["verified"], "a log that was stopped in order is refused")


def a_half_moved_log_is_used_by_nothing_and_a_changed_source_is_noticed(w):
    d = hello(w, "data")
    for session in [submit(d, "long") for _ in range(60)]:
        until_ended(d, session)
    d.stop()
    half(w, "data", ":there")
    w.not_started("store_moving", "node", "there")
    hello(w, "other").stop()
    w.refused("move_target_not_empty", "other", ":there")
    hello(w, "data").stop()
    w.refused("move_source_changed", "data", ":there")


def a_damaged_event_is_named_and_nothing_is_completed(w):
    d = hello(w, "data")
    d.stop()
    db = sqlite3.connect(w.path("data/log.db"))
    at, body = db.execute("SELECT position, body FROM event WHERE seq = 3 ORDER BY position LIMIT 1").fetchone()
    db.execute("UPDATE event SET body = ? WHERE position = ?", (body[:40] + b"!" + body[41:], at))
    db.commit()
    db.close()
    w.refused("move_damaged", "data", "copy")
    w.not_started("store_moving", "copy")
    check(os.path.exists(w.path("data/log.db")) and not value_of(w, "data", "moved"), "the source was given up")


# ---- the page -------------------------------------------------------------------------------------

def the_page_about_moving_can_be_typed(w):
    """Its commands in order, with the address of this test.  A daemon is stopped before the next command."""
    with open(os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "how-to", "move.md")) as f:
        page = f.read()
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()]
    check(len(lines) == 5, f"the page has {len(lines)} commands")
    env = {**w.env, "HOME": w.dir, "XDG_STATE_HOME": w.path(".local/state"), "THOLE_STORE_SCHEMA": w.prefix + "page",
           "PATH": w.build + ":" + os.environ["PATH"]}

    def type_in(line):
        words = shlex.split(line.replace("postgresql:///thole", w.cluster.url()).replace("~/", w.dir + "/"))
        if "serve" in words and "--stop" not in words:
            served = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                check(any("unix:" in said for said in served.stderr), f"{line}: it did not start")
            finally:
                served.terminate()
                served.wait(DEADLINE_S)
            return
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL)
        check(done.returncode == 0, f"{line} ended with {done.returncode}: {done.stdout}{done.stderr}")

    type_in("thole run hello")
    for line in lines:
        type_in(line)


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [f for f in globals().values() if callable(f) and getattr(f, "__module__", "") == "__main__" and "_" in f.__name__
               and f.__code__.co_varnames[:1] == ("w",) and f.__code__.co_argcount == 1]
    stories = [f for f in stories if not words or any(word in f.__name__ for word in words)]
    failed = 0
    with postgres.maybe(build, "a log that is moved") as cluster:
        if not cluster:
            return 0
        for n, story in enumerate(stories, 1):
            w = World(build, cluster)
            try:
                story(w)
                why = ""
            except (Wrong, OSError, subprocess.TimeoutExpired) as e:
                why = (str(e) or repr(e)) + "".join(f"\n{d.data}: {line.rstrip()}" for d in w.daemons for line in getattr(d, "log", [])[-4:])
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
