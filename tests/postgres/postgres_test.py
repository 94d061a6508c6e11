#!/usr/bin/env python3
"""A daemon with its log in PostgreSQL: turns, kill -9, a server that goes away, and bad input.

usage: postgres_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import base64
import hashlib
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
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402
import pg_proxy  # noqa: E402

postgres, until, Wrong, DEADLINE_S = scenario.postgres, scenario.until, scenario.Wrong, scenario.DEADLINE_S
SCRIPT = json.dumps({"version": 1, "default": {"text": "done"}})
PASSWORD = "p4ss-w0rd-of-a-test"
LOST = 70


def check(is_so, what):
    if not is_so:
        raise Wrong(what)


class Skip(Exception):
    pass


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

def durability(daemon):
    return scenario.Http(daemon).call("get_capabilities", {})[1]["settings"]["durability"]


def a_turn_is_run_followed_verified_and_there_after_kill_9(w):
    daemon = w.daemon()
    daemon.start()
    session = submit(daemon, "hello")
    follow = subprocess.Popen([os.path.join(w.build, "thole"), "--data", daemon.data, "log", "-f", session], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": w.dir})
    try:
        check(any("turn.completed" in line for line in follow.stdout), "log -f does not show the end of the turn")
        check(durability(daemon) == "local", "a commit that is on one server is not called local")
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


# ---- outputs ------------------------------------------------------------------------------------

def output_of(daemon, ref):
    """The bytes of an output, range by range."""
    found = b""
    while True:
        code, reply = scenario.Http(daemon).call("get_output", {"outputRef": ref, "offset": len(found), "length": 1 << 20})
        check(not code, f"get_output: {reply}")
        found += base64.b64decode(reply["base64"]) if "base64" in reply else reply["text"].encode()
        if reply["eof"]:
            return found


def spilled(daemon, session):
    events = [json.loads(e) for e in scenario.Http(daemon).events(session, 0)]
    return [e["output"] for e in events if e["type"] == "output.spilled"]


def a_large_output_is_read_on_another_machine(w):
    one = w.daemon("one")
    one.script = ""  # the model that comes with Thole
    one.start()
    session = submit(one, "big")
    until("the turn to end", lambda: ended(one, session) == 1)
    output, = spilled(one, session)
    ref, digest, size = output["outputRef"], output["sha256"], output["sizeBytes"]
    check(size > 10_000_000, f"{size} bytes are not large")
    schema = postgres.schema_of(one.data)
    check(w.cluster.sql(f"SELECT size FROM {schema}.output WHERE ref = '{ref}'") == [str(size)], "it is not in the database")
    one.kill()
    two = w.daemon("two")
    two.schema = schema
    two.start()
    check(not os.listdir(os.path.join(two.data, "blobs", "ref")), "the other machine has it already")
    check(hashlib.sha256(output_of(two, ref)).hexdigest() == digest, "its content differs")
    check("whole" in w.thole("verify", data="two"), "the chain does not verify")
    two.stop()


def an_output_may_be_kept_in_files_alone(w):
    daemon = w.daemon()
    daemon.script = ""
    daemon.options = ["store.outputs=files"]
    daemon.start()
    session = submit(daemon, "big")
    until("the turn to end", lambda: ended(daemon, session) == 1)
    check(w.cluster.sql(f"SELECT count(*) FROM {postgres.schema_of(daemon.data)}.output_chunk") == ["0"], "a chunk is in the database")
    daemon.stop()


def an_output_waits_for_a_server_that_is_away(w):
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.script = ""
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        for _ in range(3):
            submit(daemon, "big", session)
            cluster.stop(signal.SIGQUIT)
            cluster.start()
        until("the turns to end", lambda: ended(daemon, session) == 4)
        schema, outputs = postgres.schema_of(daemon.data), spilled(daemon, session)
        check(len(outputs) == 3, f"{len(outputs)} outputs")
        for result in outputs:
            parts = cluster.sql(f"SELECT encode(data, 'hex') FROM {schema}.output_chunk WHERE ref = '{result['outputRef']}' ORDER BY no")
            check(hashlib.sha256(bytes.fromhex("".join(parts))).hexdigest() == result["sha256"], "chunks differ from the output")
        submit(daemon, "big", session)
        cluster.stop(signal.SIGQUIT)
        daemon.process.terminate()
        daemon.process.wait(DEADLINE_S)
        cluster.start()
        daemon.start()
        until("the turn to end", lambda: ended(daemon, session) >= 4 and not any(
            t["status"] == "running" for t in scenario.Http(daemon).call("get_session", {"sessionId": session})[1].get("turns", [])))
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


# ---- a server that goes away --------------------------------------------------------------------

class Address:
    """Stands for a cluster where a daemon wants an address."""

    def __init__(self, url):
        self.url = lambda: url


class Load:
    """Clients that submit turns one after the other, each in a session of its own.  A refusal that may be retried is retried with the same key."""

    def __init__(self, daemon, clients=4, name="c"):
        self.daemon, self.stop, self.lock = daemon, threading.Event(), threading.Lock()
        self.turns, self.refused, self.wrong = {}, {}, []
        self.threads = [threading.Thread(target=self.run, args=(f"{name}{n}",), daemon=True) for n in range(clients)]

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.stop.set()
        for t in self.threads:
            t.join(DEADLINE_S)
            if t.is_alive():
                self.wrong.append("a client got no answer")

    def run(self, name):
        n, session = 0, f"sess_load-{name}"
        while not self.stop.is_set():
            key = f"{name}-{n}-end"
            try:
                code, reply = scenario.Http(self.daemon).call("submit_turn", {"sessionId": session, "input": key, "idempotencyKey": key})
            except (OSError, ValueError, scenario.http.client.HTTPException) as e:
                with self.lock:
                    self.wrong.append(f"{key}: {e!r}")
                return
            with self.lock:
                if not code:
                    self.turns[key] = (session, reply["turnId"])
                    n += 1
                else:
                    self.refused[code] = self.refused.get(code, 0) + 1
                    if not reply["retryable"] or "retryAfterMs" not in reply:
                        self.wrong.append(f"{key}: {reply}")
                        return
            if code:
                self.stop.wait(0.05)

    def count(self):
        with self.lock:
            return len(self.turns)

    def grows(self, by, what):
        target = self.count() + by
        until(what, lambda: self.wrong or self.count() >= target, base_s=60)
        check(not self.wrong, f"{what}: {self.wrong[:3]}")


def check_history(daemon, load):
    """What was acknowledged is there, once, and every turn ended once."""
    check(not load.wrong, f"{len(load.wrong)} clients were let down: {load.wrong[:3]}")

    def all_events():
        return [json.loads(line) for line in daemon.served().splitlines() if line.strip()]

    def open_turns():
        seen = {}
        for e in all_events():
            if e["type"] in ("turn.submitted", "turn.completed"):
                seen[e["turnId"]] = seen.get(e["turnId"], 0) + (1 if e["type"] == "turn.submitted" else -1)
        return [t for t, n in seen.items() if n > 0]

    until(lambda: f"the turns to end: {open_turns()[:3]}", lambda: not open_turns(), pause_s=0.2, base_s=60)
    events = all_events()
    submitted, ended_turns = {}, {}
    for e in events:
        if e["type"] == "turn.submitted":
            submitted[e["turnId"]] = submitted.get(e["turnId"], 0) + 1
        if e["type"] == "turn.completed":
            ended_turns[e["turnId"]] = ended_turns.get(e["turnId"], 0) + 1
    for key, (session, turn) in load.turns.items():
        check(submitted.get(turn) == 1 and ended_turns.get(turn) == 1, f"{key}: {turn} was submitted {submitted.get(turn)} and ended {ended_turns.get(turn)} times")
    texts = [e for e in events if e["type"] == "turn.submitted"]
    for key in load.turns:
        times = sum(f'"{key}"' in json.dumps(e) for e in texts) if len(load.turns) < 400 else 1
        check(times == 1, f"{key} is there {times} times")
    check(len(submitted) >= len(load.turns), "turns are missing")


def ready(daemon):
    status, data = scenario.Http(daemon).request("GET", "/readyz")
    return status, json.loads(data)


def is_away(daemon, code=None):
    status, body = ready(daemon)
    return status == 503 and body.get("code") == "store_unavailable" and (not code or code in body["reason"])


class Stream:
    """A reader of the stream of all events, or of a session."""

    def __init__(self, daemon, session=None):
        with open(os.path.join(daemon.data, "token")) as f:
            token = f.read().strip()
        self.http = scenario.http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=DEADLINE_S)
        where = f"session={session}&" if session else ""
        self.http.request("GET", f"/v1/events?{where}after=0&follow=1", headers={"Authorization": "Bearer " + token, "Accept": "application/x-ndjson"})
        self.lines, self.has_ended, self.why, self.socket = [], False, "", self.http.sock
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            answer = self.http.getresponse()
            for line in answer:
                if line.strip():
                    self.lines.append(line)
        except (OSError, ValueError, scenario.http.client.HTTPException) as e:
            self.why = repr(e)
        self.has_ended = True

    def close(self):
        """A close waits for the thread that reads, so that one has to end first."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        until("the reader to end", lambda: self.has_ended)
        self.http.close()


def break_connections(w, daemon, which=""):
    w.cluster.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'thole/{postgres.schema_of(daemon.data)}/%' {which}")


def a_server_that_is_stopped_and_started_again_only_delays(w):
    """In order and as after a crash, under load: the same process continues, streams stay open, nothing is lost and nothing is there twice."""
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.start()
        stream = Stream(daemon)
        with Load(daemon) as load:
            for how, cause in ((signal.SIGINT, "store_"), (signal.SIGQUIT, "store_"), (signal.SIGQUIT, "store_unreachable")):
                load.grows(15, "turns before the server stops")
                cluster.stop(how)
                until("/readyz to name the cause", lambda: is_away(daemon, cause))
                check(ready(daemon)[1]["reason"].startswith("the store is unavailable since 2"), ready(daemon))
                cluster.start()
                load.grows(15, "turns after the server is back")
                until("/readyz", lambda: ready(daemon)[0] == 200)
        check(daemon.process.poll() is None, "the daemon ended")
        check_history(daemon, load)
        check(not stream.has_ended, f"a stream ended: {stream.why} {stream.lines[-1:]}")
        until("the stream to show all events", lambda: len(stream.lines) == len([e for e in daemon.served().splitlines() if e.strip()]), pause_s=0.1)
        stream.close()
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()
        log = daemon.whole_log()
        check("the store is unavailable: store_" in log and "the store is available again after" in log, "the log does not name it: " + log)


def connections_that_the_server_ends_during_commits_lose_and_repeat_nothing(w):
    daemon = w.daemon()
    daemon.start()
    rounds = int(os.environ.get("THOLE_ROUNDS", "150"))
    with Load(daemon, 6) as load:
        load.grows(10, "turns before the first cut")
        for n in range(rounds):
            break_connections(w, daemon)
            if n % 10 == 9:
                load.grows(1, f"a turn after {n} cuts")
        load.grows(20, "turns after the last cut")
    check(daemon.process.poll() is None, "the daemon ended")
    print(f"# {rounds} cuts, {load.count()} turns, refusals {load.refused}")
    check_history(daemon, load)
    check("whole" in w.thole("verify"), "the chain does not verify")
    daemon.stop()


def a_commit_whose_reply_is_cut_off_is_decided_by_the_head(w):
    """Cut right before the server gets the commit, and right after it: both are in doubt for the node."""
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        with Load(daemon, 4) as load:
            for where in ("before", "after", "before", "after"):
                load.grows(5, "turns before a cut")
                proxy.cut(where, 10)
                until("ten cuts", lambda: proxy.done == 10 or load.wrong, base_s=60)
                load.grows(5, f"turns after commits were cut {where} the server had them")
        check_history(daemon, load)
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def five_hundred_readers_wait_ten_seconds_for_a_server_that_is_away(w):
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        count = int(os.environ.get("THOLE_READERS", "500"))
        streams = [Stream(daemon, session) for _ in range(count)]
        until("the readers to have the log", lambda: all(len(s.lines) >= 5 for s in streams), pause_s=0.1)
        proxy.refuse()
        until("/readyz to say so", lambda: is_away(daemon))
        began = time.monotonic()
        code, reply = scenario.Http(daemon).call("list_sessions", {})
        took = time.monotonic() - began
        check(code == "store_unavailable" and reply["retryable"] and reply["retryAfterMs"] > 0, f"a read that needs the store: {reply}")
        check("store_" in reply["detail"], f"the cause is not named: {reply}")
        check(took < 5, f"a read waited {took:.1f} s")
        until("ten seconds to pass", lambda: time.monotonic() - began > 10, pause_s=0.1)
        code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": "later"})
        check(code == "store_unavailable" and reply["retryAfterMs"] > 0, f"a command beyond the bound: {reply}")
        check(not any(s.has_ended for s in streams), "a stream ended")
        said = subprocess.run([os.path.join(w.build, "thole"), "--data", daemon.data, "ps"], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": w.dir}, timeout=DEADLINE_S)
        check(said.returncode and "unavailable since" in said.stderr, f"thole ps does not say why: {said.stdout}{said.stderr}")
        proxy.accept_again()
        until("/readyz", lambda: ready(daemon)[0] == 200)
        submit(daemon, "again", session)
        until("the turn to end", lambda: ended(daemon, session) == 2)
        whole = len(scenario.Http(daemon).events(session, 0))
        until("every reader to have the rest", lambda: all(len(s.lines) == whole for s in streams), pause_s=0.1)
        check(not any(s.has_ended for s in streams), "a stream ended")
        for s in streams:
            s.close()
        daemon.stop()


def two_thousand_sessions_are_under_way_when_the_connection_is_cut(w):
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        count = int(os.environ.get("THOLE_SESSIONS", "2000"))
        turns, wrong, lock = {}, [], threading.Lock()
        names = iter(range(count))

        def client():
            http = scenario.Http(daemon)
            while True:
                with lock:
                    n = next(names, None)
                if n is None:
                    return
                params = {"sessionId": f"sess_many-{n}", "input": f"many {n}", "idempotencyKey": f"many-{n}"}
                while True:
                    try:
                        code, reply = http.call("submit_turn", params)
                    except (OSError, ValueError, scenario.http.client.HTTPException) as e:
                        code, reply = "", {"retryable": False, "why": repr(e)}
                    if code is None or not reply["retryable"]:
                        break
                    time.sleep(0.2)
                with lock:
                    if code is None:
                        turns[n] = reply["turnId"]
                    else:
                        wrong.append(reply)

        threads = [threading.Thread(target=client, daemon=True) for _ in range(64)]
        for t in threads:
            t.start()
        for part in (1, 2, 3):
            until("a part of the sessions", lambda: len(turns) >= count * part // 4 or wrong, base_s=120)
            proxy.cut("after" if part % 2 else "before", 3)
            proxy.close_all()
        until("all sessions", lambda: len(turns) + len(wrong) == count, base_s=240)
        check(not wrong, f"{len(wrong)} commands were let down: {wrong[:2]}")

        def finished():
            done = {}
            for line in daemon.served().splitlines():
                e = json.loads(line) if line.strip() else {}
                if e.get("type") == "turn.completed":
                    done[e["turnId"]] = done.get(e["turnId"], 0) + 1
            return done if len(done) >= count else None

        done = until("all turns to end", finished, pause_s=0.5, base_s=240)
        check(all(done.get(t) == 1 for t in turns.values()), "a turn is missing or ended twice")
        daemon.validates = False  # each session costs a call; verify looks at all of them
        check("whole" in w.thole("verify"), "a chain does not verify")
        daemon.stop()


def a_node_that_stops_while_the_server_is_away_ends_in_time_and_continues_later(w):
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        proxy.refuse()
        until("/readyz to say so", lambda: is_away(daemon))
        daemon.process.terminate()
        began = time.monotonic()
        check(daemon.process.wait(DEADLINE_S) in (0, -signal.SIGTERM), f"it ended with {daemon.process.returncode}: {daemon.whole_log()}")
        check(time.monotonic() - began < 30, "it took too long to end")
        w.refused(proxy.url(), "store_unreachable", name="data", status=70)
        proxy.accept_again()
        daemon.start()
        check(ended(daemon, session) == 1, "the log differs")
        submit(daemon, "again", session)
        until("the second turn to end", lambda: ended(daemon, session) == 2)
        daemon.stop()


def a_server_that_falls_silent_does_not_stop_the_daemon(w):
    """As when a cable is pulled: nothing tells the daemon.  Questions that its loop asks the server itself have a bound."""
    project = os.path.join(w.dir, "project")
    os.makedirs(os.path.join(project, ".thole"))
    with open(os.path.join(project, ".thole", "hooks.json"), "w") as f:
        json.dump({"hooks": {"post_tool_use": [{"match": "shell", "command": "/usr/bin/true"}]}}, f)
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        # Whether the project's hooks are trusted is such a question.
        code, reply = scenario.Http(daemon).call("list_hooks", {"cwd": project})
        check(not code and reply["hooks"], f"the hooks of the project: {reply}")
        proxy.stall()
        asked = [threading.Thread(target=lambda: scenario.Http(daemon).call("list_hooks", {"cwd": project}), daemon=True) for _ in range(4)]
        for t in asked:
            t.start()
        until("/readyz to say that the server is away", lambda: is_away(daemon))
        for t in asked:
            t.join(DEADLINE_S)
        check(not any(t.is_alive() for t in asked), "a question was not answered while the server was silent")
        proxy.pass_again()
        until("the daemon to be ready", lambda: ready(daemon)[0] == 200)
        submit(daemon, "hello", session)
        until("the turn to end", lambda: ended(daemon, session) == 2)
        daemon.stop()


# ---- causes -------------------------------------------------------------------------------------

def refused_when_away(daemon, session):
    """The answer to a command that comes when the store has been away for longer than the bound, 2 s."""
    began = time.monotonic()
    until("the bound to pass", lambda: time.monotonic() - began > 2.5, pause_s=0.1)
    code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": "late"})
    check(code and reply["retryAfterMs"] > 0, f"a command beyond the bound: {reply}")
    return code


def refuse_writes(w, daemon, sqlstate):
    schema = postgres.schema_of(daemon.data)
    w.cluster.sql(f"CREATE OR REPLACE FUNCTION {schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS "
                  f"$$ BEGIN RAISE EXCEPTION 'a fault of the test' USING ERRCODE = '{sqlstate}'; END $$;"
                  f" CREATE TRIGGER refuse BEFORE INSERT ON {schema}.chunk FOR EACH ROW EXECUTE FUNCTION {schema}.refuse()")


def accept_writes(w, daemon):
    schema = postgres.schema_of(daemon.data)
    w.cluster.sql(f"DROP TRIGGER refuse ON {schema}.chunk; DROP FUNCTION {schema}.refuse()")


def faults_of_the_server_that_pass_are_waited_for_and_named(w):
    for sqlstate, code, answer in (("53100", "store_full", "storage_full"), ("53200", "store_resources", "store_unavailable"),
                                   ("57014", "store_timeout", "store_unavailable"), ("40001", "store_busy", "store_unavailable"),
                                   ("58030", "store_server", "store_unavailable"), ("25006", "store_read_only", "store_unavailable")):
        daemon = w.daemon("data" + sqlstate)
        daemon.start()
        session = submit(daemon, "hello")
        until("the turn to end", lambda: ended(daemon, session) == 1)
        refuse_writes(w, daemon, sqlstate)
        with Load(daemon, 2) as load:
            until(f"/readyz to name {code}", lambda: is_away(daemon, code))
            code = refused_when_away(daemon, session)
            check(code == answer, f"commands are refused with {code}, not {answer}, for {sqlstate}")
            check(ended(daemon, session) == 1, "reading does not work")
            check(not load.turns, "a turn was acknowledged")
            accept_writes(w, daemon)
            load.grows(5, f"turns after {code}")
        check_history(daemon, load)
        daemon.stop()


def a_server_without_free_connections_is_waited_for(w):
    with postgres.Cluster(w.build, {"max_connections": "12", "superuser_reserved_connections": "3"}) as cluster:
        w.cluster = cluster
        cluster.sql("CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE thole TO plain")
        daemon = w.daemon()
        daemon.store = Address(cluster.url(user="plain"))
        daemon.start()
        with Load(daemon, 2) as load:
            load.grows(5, "turns")
            cluster.sql("ALTER ROLE plain CONNECTION LIMIT 0")
            break_connections(w, daemon)
            until("/readyz to name it", lambda: is_away(daemon, "store_connections"))
            cluster.sql("ALTER ROLE plain CONNECTION LIMIT -1")
            load.grows(5, "turns when there is room")
        check_history(daemon, load)
        daemon.stop()


def a_server_that_became_read_only_is_waited_for(w):
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.start()
        with Load(daemon, 2) as load:
            load.grows(5, "turns")
            cluster.sql("ALTER DATABASE thole SET default_transaction_read_only = on", "postgres")
            break_connections(w, daemon)
            until("/readyz to name it", lambda: is_away(daemon, "store_read_only"))
            cluster.sql("ALTER DATABASE thole SET default_transaction_read_only = off", "postgres")
            load.grows(5, "turns when it takes writes")
        check_history(daemon, load)
        daemon.stop()


def a_node_that_was_taken_over_while_it_was_cut_off_ends(w):
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        submit(daemon, "hello")
        proxy.refuse()
        until("/readyz to say so", lambda: is_away(daemon))
        w.cluster.sql(f"UPDATE {postgres.schema_of(daemon.data)}.node SET ended_at = now()")
        proxy.accept_again()
        check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
        check("store_taken" in daemon.whole_log(), daemon.whole_log())


def tables_of_a_newer_program_end_a_node_that_comes_back(w):
    with pg_proxy.Proxy(w.cluster) as proxy:
        daemon = w.daemon()
        daemon.store = Address(proxy.url())
        daemon.start()
        proxy.refuse()
        until("/readyz to say so", lambda: is_away(daemon))
        w.cluster.sql(f"UPDATE {postgres.schema_of(daemon.data)}.store SET format = 99")
        proxy.accept_again()
        check(daemon.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {daemon.process.returncode}")
        check("store_format" in daemon.whole_log(), daemon.whole_log())


# ---- another server -----------------------------------------------------------------------------

def the_primary_is_lost_and_a_synchronous_standby_takes_over(w):
    with postgres.Cluster(w.build) as primary, postgres.Standby(w.build, primary) as standby:
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'follower'")
        primary.sql("SELECT pg_reload_conf()")
        until("the standby to be synchronous", lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"])
        w.cluster = primary
        daemon = w.daemon()
        daemon.store = Address(postgres.url_of(primary, standby))
        daemon.start()
        check(durability(daemon) == "full", "a commit that is on two servers is called local")
        stream = Stream(daemon)
        with Load(daemon) as load:
            load.grows(30, "turns on the primary")
            primary.stop(signal.SIGQUIT)
            until("/readyz to say so", lambda: is_away(daemon))
            standby.promote()
            began = time.monotonic()
            load.grows(1, "a turn on the standby")
            took = time.monotonic() - began
            load.grows(30, "turns on the standby")
        for line in daemon.log:
            if "unreadable" in line or "damage" in line or "error" in line:
                print("# " + line.strip())
        print(f"# the first turn {took * 1000:.0f} ms after the promotion, refusals {load.refused}")
        check_history(daemon, load)
        check(not stream.has_ended, f"a stream ended: {stream.why} {stream.lines[-1:]}")
        stream.close()
        check(ready(daemon)[0] == 200, f"not ready: {ready(daemon)}")
        check("whole" in w.thole("verify"), "the chain does not verify")
        daemon.stop()


def a_standby_that_lacks_acknowledged_events_is_reported_and_its_sessions_are_blocked(w):
    with postgres.Cluster(w.build) as primary, postgres.Standby(w.build, primary) as standby:
        w.cluster = primary
        daemon = w.daemon()
        daemon.validates = False
        daemon.store = Address(postgres.url_of(primary, standby))
        daemon.start()
        old, cut = submit(daemon, "old"), submit(daemon, "cut")
        until("the turns to end", lambda: ended(daemon, old) == 1 and ended(daemon, cut) == 1)
        until("the standby to have it", lambda: primary.sql("SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()") == ["1"])
        standby.stop()
        submit(daemon, "again", cut)
        new = submit(daemon, "new")
        until("the turns to end", lambda: ended(daemon, cut) == 2 and ended(daemon, new) == 1)
        had = len(scenario.Http(daemon).events(cut, 0))
        primary.stop(signal.SIGQUIT)
        standby.start()
        standby.promote()
        until("/readyz to name the sessions", lambda: ready(daemon)[1].get("code") == "session_behind")
        status, body = ready(daemon)
        check(status == 503 and cut in body["reason"] and new in body["reason"] and old not in body["reason"], f"/readyz: {body}")
        for session in (cut, new):
            code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": "more"})
            check(code == "session_behind" and not reply["retryable"], f"{session}: {code}: {reply}")
            code, reply = scenario.Http(daemon).call("submit_turn", {"sessionId": session, "input": "more"})
            check(code == "session_behind", f"{session} again: {code}: {reply}")
        submit(daemon, "more", old)
        until("the turn of another session to end", lambda: ended(daemon, old) == 2)
        left = len(scenario.Http(daemon).events(cut, 0))
        check(0 < left < had, f"{left} of {had} events are left")
        said = subprocess.run([os.path.join(w.build, "thole"), "--data", daemon.data, "doctor"], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": w.dir}, timeout=DEADLINE_S)
        check(cut in said.stdout + said.stderr and "acknowledged" in said.stdout + said.stderr, f"doctor does not name it: {said.stdout}{said.stderr}")
        check(f"store_behind: " in "".join(daemon.log) and cut in "".join(daemon.log), "the log does not name it")
        daemon.end()
        daemon.start()  # a restart continues from what is left
        until("/readyz after a restart", lambda: ready(daemon)[0] == 200)
        submit(daemon, "after", cut)
        until("the turn to end", lambda: ended(daemon, cut) == 2)
        daemon.stop()


def a_commit_that_waits_for_a_standby_says_so(w):
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        daemon.start()
        with Load(daemon, 2) as load:
            load.grows(5, "turns")
            cluster.sql("SELECT pg_reload_conf()")
            break_connections(w, daemon)
            until("/readyz to name it", lambda: is_away(daemon, "store_standby"), base_s=60)
            count = load.count()
            check(refused_when_away(daemon, "sess_load-c0") == "store_unavailable", "a command beyond the bound was not refused")
            check(load.count() - count <= 2, "turns were acknowledged without the standby")
            cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
            cluster.sql("SELECT pg_reload_conf()")
            load.grows(5, "turns when no standby is waited for")
        check_history(daemon, load)
        daemon.stop()


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


def tables_of_format_1_are_changed_and_keep_their_log(w):
    daemon = w.daemon()
    daemon.start()
    session = submit(daemon, "hello")
    until("the turn to end", lambda: ended(daemon, session) == 1)
    before = scenario.Http(daemon).events(session, 0)
    daemon.stop()
    schema = postgres.schema_of(daemon.data)
    columns = w.cluster.sql(f"SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '{schema}' ORDER BY 1, 2")
    format = w.cluster.sql(f"SELECT format FROM {schema}.store")
    w.cluster.sql(f"SET search_path = {schema}; DROP TABLE keeping, fence, output, output_chunk, output_growing, output_part, output_gone, allotment, upgrade; ALTER TABLE session DROP COLUMN needs_rev; ALTER TABLE ledger DROP COLUMN is_closed; ALTER TABLE idem DROP COLUMN writer; ALTER TABLE chunk DROP COLUMN writer; DROP INDEX node_by_name, session_by_owner;"
                  " ALTER TABLE node DROP COLUMN name, DROP COLUMN address, DROP COLUMN heartbeat, DROP COLUMN is_dead,"
                  " DROP COLUMN seen, DROP COLUMN is_leaving, DROP COLUMN clock_off_ms, DROP COLUMN place, DROP COLUMN rev, DROP COLUMN format; UPDATE store SET format = 1;"
                  " UPDATE node SET ended_at = NULL")  # as a program of then that was killed leaves it
    # A connection of that program's node, which writes no heartbeat.
    name = f"thole/{schema}/" + w.cluster.sql(f"SELECT max(incarnation) FROM {schema}.node")[0]
    old = subprocess.Popen([os.path.join(w.cluster.bin, "psql"), "-X", "-q", "-d", f"host={w.cluster.dir} user=thole dbname=thole application_name={name}"],
                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until("its connection", lambda: w.cluster.sql(f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{name}'"))
        w.refused(w.cluster.url(), "store_in_use", "-c", f"store.schema={schema}", status=1)
        check(w.cluster.sql(f"SELECT format FROM {schema}.store") == ["1"], "the tables of a living node were changed")
    finally:
        old.stdin.close()
        old.wait()
    daemon.start()
    check(scenario.Http(daemon).events(session, 0) == before, "the log differs")
    check(w.cluster.sql(f"SELECT format FROM {schema}.store") == format, "the format was not changed")
    check(w.cluster.sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema ="
                        f" '{schema}' ORDER BY 1, 2") == columns, "the tables differ from new ones")
    submit(daemon, "again", session)
    until("the second turn to end", lambda: ended(daemon, session) == 2)
    check("whole" in w.thole("verify"), "the chain does not verify")
    daemon.stop()


def two_nodes_with_names_of_their_own_share_the_tables(w):
    one, two = w.daemon("one"), w.daemon("two")
    one.start()
    two.store = None
    two.options = ["store.url=" + json.dumps(w.cluster.url()), "store.schema=" + postgres.schema_of(one.data), "node.name=two"]
    two.start()
    first, second = submit(one, "hello"), submit(two, "hello")
    until("both turns to end", lambda: ended(one, first) == 1 and ended(two, second) == 1)
    two.stop()
    one.stop()


def a_node_that_was_stopped_for_longer_than_its_lease_ends(w):
    one, two = w.daemon("one"), w.daemon("two")
    one.start()
    schema = postgres.schema_of(one.data)
    two.store = None
    two.options = ["store.url=" + json.dumps(w.cluster.url()), f"store.schema={schema}", "node.name=two"]
    two.start()
    time.sleep(1.5)  # until its heartbeats were on time for a lease
    one.process.send_signal(signal.SIGSTOP)
    until("the other to find it dead", lambda: w.cluster.sql(f"SELECT 1 FROM {schema}.node WHERE name = 'local' AND is_dead"))
    one.process.send_signal(signal.SIGCONT)
    check(one.process.wait(DEADLINE_S) == LOST, f"the daemon ended with {one.process.returncode}")
    check("store_taken" in one.whole_log(), one.whole_log())
    submit(two, "still alive")
    two.stop()


def nodes_stay_alive_while_commits_wait_for_a_standby(w):
    """A heartbeat waits for no standby, and not for a commit that does; also after the connections broke."""
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        one, two = w.daemon("one"), w.daemon("two")
        one.start()
        schema = postgres.schema_of(one.data)
        two.store = None
        two.options = ["store.url=" + json.dumps(cluster.url()), f"store.schema={schema}", "node.name=two"]
        two.start()
        cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
        cluster.sql("SELECT pg_reload_conf()")
        load = Load(one, 2)
        with load:
            until("a commit to wait", lambda: cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
            break_connections(w, one)
            oldest, until_s = 0, time.monotonic() + 4
            while time.monotonic() < until_s:
                age = cluster.sql(f"SELECT max(extract(epoch FROM clock_timestamp() - heartbeat)) FROM {schema}.node WHERE ended_at IS NULL")[0]
                oldest = max(oldest, float(age))
                time.sleep(0.05)
            print(f"# the oldest heartbeat was {oldest:.2f} s old", flush=True)
            check(cluster.sql(f"SELECT count(*) FROM {schema}.node WHERE ended_at IS NULL") == ["2"], "a node was found dead")
            cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
            cluster.sql("SELECT pg_reload_conf()")
            load.grows(3, "turns when no standby is waited for")
        two.stop()
        one.stop()


def a_node_needs_six_connections_whatever_it_does(w):
    """Counted under load, with outputs, followers and lists, by a role that may have no more."""
    with postgres.Cluster(w.build) as cluster:
        w.cluster = cluster
        cluster.sql("CREATE ROLE six LOGIN CONNECTION LIMIT 6; GRANT CREATE ON DATABASE thole TO six")
        daemon = w.daemon()
        daemon.store = Address(cluster.url(user="six"))
        daemon.script = ""  # the model that comes with Thole
        daemon.start()
        followed = submit(daemon, "hello")
        streams = [Stream(daemon), Stream(daemon, followed)]
        stop, wrong, done = threading.Event(), [], {"lists": 0, "outputs": 0}

        def repeat(what, name):
            while not stop.is_set():
                try:
                    what()
                    done[name] += 1
                except (Wrong, OSError, ValueError, scenario.http.client.HTTPException) as e:
                    wrong.append(f"{name}: {e}")
                    return

        def ask(command, **params):
            code, reply = scenario.Http(daemon).call(command, params)
            check(not code, f"{command}: {reply}")
            return reply

        def lists():
            ask("list_sessions")
            ask("list_nodes")
            ask("get_session", sessionId=followed)

        def outputs():
            session = submit(daemon, "big")
            until("the turn with an output to end", lambda: ended(daemon, session) == 1)
            output, = spilled(daemon, session)
            check(len(output_of(daemon, output["outputRef"])) == output["sizeBytes"], "an output is not whole")

        threads = [threading.Thread(target=repeat, args=(lists, "lists")), threading.Thread(target=repeat, args=(outputs, "outputs"))]
        counts = []
        with Load(daemon, 4) as load:
            for t in threads:
                t.start()
            until_s = time.monotonic() + 6
            while time.monotonic() < until_s:
                counts.append(int(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'six' AND backend_type = 'client backend'")[0]))
            load.grows(5, "turns")
        stop.set()
        for t in threads:
            t.join()
        print(f"# at most {max(counts)} connections in {len(counts)} looks; {load.count()} turns, {done}", flush=True)
        check(not wrong, f"{wrong[:2]}")
        check(max(counts) == 6 and min(done.values()) > 0, f"{max(counts)} connections, {done}")
        check_history(daemon, load)
        for stream in streams:
            check(not stream.has_ended, f"a stream ended: {stream.why}")
            stream.close()
        break_connections(w, daemon)
        with Load(daemon, 2, "d") as load:
            load.grows(10, "turns over six new connections")
        check_history(daemon, load)
        # Those that broke are opened again when they are needed.
        until("outputs to give theirs back", lambda: int(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'six'")[0]) <= 5)
        daemon.stop()


def an_idle_node_sends_few_statements(w):
    with postgres.Cluster(w.build, {"log_statement": "'all'"}) as cluster:
        w.cluster = cluster
        daemon = w.daemon()
        daemon.start()
        time.sleep(3)  # what follows the start
        began, before = time.monotonic(), len(cluster.log)
        time.sleep(10)
        took = time.monotonic() - began
        rate = sum("LOG:  execute" in line or "LOG:  statement" in line for line in cluster.log[before:]) / took
        print(f"# {rate:.1f} statements a second", flush=True)
        check(rate <= 6, f"an idle node sends {rate:.1f} statements a second")
        daemon.stop()


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
    w.refused(f"postgresql://user:{PASSWORD}@localhost:54x2/thole", "store_unreachable", status=70)  # libpq reads it when it connects
    w.refused(w.cluster.url(), "store_url", "-c", 'store.schema="a; DROP TABLE x"')
    check(not os.path.exists(os.path.join(w.dir, "refused", "log.db")), "an empty SQLite log was made instead")


def servers_and_databases_that_are_not_there(w):
    # 70: a service manager starts it again, because the server may come.
    w.refused("postgresql:///thole?host=/nonexistent", "store_unreachable", status=70)
    w.refused(w.cluster.url("nowhere"), "store_unreachable", status=70)


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
    w.refused(w.cluster.url("frozen"), "store_read_only", status=70)


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


def a_directory_of_a_log_in_postgresql_gets_no_empty_log_and_no_backup_of_none(w):
    daemon = w.daemon()
    daemon.start()
    daemon.stop()
    w.refused("", "store_directory", name="data")
    w.thole("backup", os.path.join(w.dir, "copy"), code=3)
    check(not os.path.exists(os.path.join(w.dir, "copy")), "a backup of nothing was made")
    check(not os.path.exists(os.path.join(daemon.data, "log.db")), "an empty log was made in SQLite")
    daemon.start()
    daemon.stop()


# ---- all of it ----------------------------------------------------------------------------------

def tell_stories(module, name):
    """Runs the stories of a module: its functions with one argument, w."""
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [f for f in vars(module).values() if callable(f) and getattr(f, "__module__", "") == "__main__" and "_" in f.__name__
               and f.__code__.co_varnames[:1] == ("w",) and f.__code__.co_argcount == 1]
    stories = [f for f in stories if not words or any(word in f.__name__ for word in words)]
    failed = 0
    with postgres.maybe(build, name) as cluster:
        if not cluster:
            return 0
        for n, story in enumerate(stories, 1):
            w = World(build, cluster)
            why = skipped = ""
            try:
                story(w)
            except Skip as e:
                skipped = f" # SKIP {e}"
            except (Wrong, OSError, subprocess.TimeoutExpired) as e:
                why = str(e) or repr(e)
            finally:
                w.done()
            failed += bool(why)
            print(f"{'not ok' if why else 'ok'} {n} - {story.__name__.replace('_', ' ')}{skipped}", flush=True)
            for line in why.splitlines():
                print("# " + line, flush=True)
        print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(tell_stories(sys.modules["__main__"], "a daemon on PostgreSQL"))
