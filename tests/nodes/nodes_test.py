#!/usr/bin/env python3
"""Two daemons with two data directories on one PostgreSQL: any node takes any command, and a dead node's work continues on the other.

usage: nodes_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import datetime
import glob
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402
import pg_proxy  # noqa: E402
from ports import free_port  # noqa: E402
from wait import slowdown  # noqa: E402

postgres, until, Wrong, DEADLINE_S = scenario.postgres, scenario.until, scenario.Wrong, scenario.DEADLINE_S
TAKEOVER_S = 2
SCRIPT = json.dumps({
    "version": 1,
    "maxOutputTokens": 300,
    "price": {"inputPerMTok": 3, "outputPerMTok": 15},
    "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}},
              {"name": "quick", "policy": "allowed", "result": {"text": "done"}},
              {"name": "read_much", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}: the river flows\n", "bytes": 3000000}}}],
    "rules": [{"when": {"text": "much", "request": 1}, "reply": {"toolCalls": [{"name": "read_much", "args": {}}]}},
              {"when": {"text": "write", "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "pwd >> lines"}}]}},
              {"when": {"text": "serve", "request": 1}, "reply": {"toolCalls": [{"name": "start_process", "args": {"command": "sleep 600"}}]}},
              {"when": {"afterTool": "careful"}, "reply": {"text": "allowed"}},
              {"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}},
              {"when": {"text": "pay"}, "reply": {"text": "paid", "firstDelayMs": 30, "usage": {"input": 10, "output": 290}}},
              {"when": {"text": "soon then careful", "request": 1}, "reply": {"firstDelayMs": 1500, "toolCalls": [{"name": "quick", "args": {}}]}},
              {"when": {"text": "soon"}, "reply": {"text": "done", "firstDelayMs": 700}},
              {"when": {"text": "think", "request": 1}, "reply": {"firstDelayMs": 60000, "text": "thought"}}],
    "default": {"text": "done"}})


def check(is_so, what):
    if not is_so:
        raise Wrong(what)


class Skipped(Exception):
    pass


class World:
    """Stories share the cluster; each has a schema of its own."""
    number = 0

    def __init__(self, build, cluster):
        World.number += 1
        self.build, self.cluster = build, cluster
        self.schema = f"nodes_{os.getpid()}_{World.number}"
        self.dir = tempfile.mkdtemp(prefix="thole-nodes-")
        self.daemons = []

    def done(self):
        for daemon in self.daemons:
            if daemon.process and daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def node(self, name, *options, before=()):
        port = free_port()
        daemon = scenario.Daemon(self.build, os.path.join(self.dir, name), SCRIPT, [
            "store.url=" + self.cluster.url(), "store.schema=" + self.schema, "node.name=" + name,
            f"node.address=http://127.0.0.1:{port}", *options])
        daemon.listen = f"127.0.0.1:{port}"
        daemon.validates = False
        daemon.name = name
        daemon.before = list(before)
        self.daemons.append(daemon)
        daemon.start()
        until(f"node {name} to be ready", lambda: scenario.Http(daemon).request("GET", "/readyz")[0] == 200)
        return daemon

    def two(self):
        return self.node("a"), self.node("b")

    def machine(self, name, *options):
        """A node that sees other mounts, as on a machine of its own."""
        return self.node(name, *options, before=["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-U", "-r", "-m"])

    def thole(self, node, *args, code=0):
        done = subprocess.run([os.path.join(self.build, "thole"), "--data", node.data, *args], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": self.dir}, timeout=DEADLINE_S)
        check(done.returncode == code, f"thole {args[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def verify(self, node):
        check("whole" in self.thole(node, "verify"), "the chain does not verify")


# ---- asking ---------------------------------------------------------------------------------------

def call(node, command, params, key=None):
    """Like a client that repeats what is retryable."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        status, data = scenario.Http(node).request("POST", "/v1/commands/" + command, json.dumps(params),
                                                   {"Idempotency-Key": key} if key else {})
        reply = json.loads(data)
        if status < 400 or not reply.get("retryable") or time.monotonic() > deadline:
            return (reply["code"] if status >= 400 else None), reply
        time.sleep(min(reply.get("retryAfterMs", 50), 100) / 1000)


def ask(node, command, **params):
    code, reply = call(node, command, params)
    check(not code, f"{command} at {node.name}: {reply}")
    return reply


def submit(node, text, session=None):
    return ask(node, "submit_turn", input=text, **({"sessionId": session} if session else {}))["sessionId"]


def log_of(node, session):
    return [json.loads(e) for e in scenario.Http(node).events(session, 0)]


def count(node, session, type):
    return sum(e["type"] == type for e in log_of(node, session))


def pending(node, session):
    """The action that the session waits for."""
    open = {}
    for e in log_of(node, session):
        if e["type"] == "action.required":
            open[e["actionId"]] = True
        elif e["type"] == "action.resolved":
            open.pop(e["actionId"], None)
    return next(iter(open), None)


def approve(node, session):
    return ask(node, "respond_action", sessionId=session, actionId=until("an approval", lambda: pending(node, session)),
               decision="allow", scope="once")


class Stream(threading.Thread):
    """Follows a session, or all of them, on one node; notes when each event came."""

    def __init__(self, node, session=None):
        super().__init__(daemon=True)
        self.events, self.times, self.ended = [], [], False
        self.connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=DEADLINE_S)
        with open(os.path.join(node.data, "token")) as f:
            token = f.read().strip()
        self.connection.request("GET", "/v1/events?after=0&follow=1" + (f"&session={session}" if session else ""),
                                headers={"Authorization": "Bearer " + token, "Accept": "application/x-ndjson"})
        self.response = self.connection.getresponse()
        check(self.response.status == 200, f"events: {self.response.status}")
        self.start()

    def run(self):
        try:
            for line in self.response:
                if line.strip():
                    event = json.loads(line)
                    if "sequence" in event and "eventId" in event:
                        self.events.append(event)
                        self.times.append(time.monotonic())
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.ended = True

    def has(self, type):
        return any(e["type"] == type for e in self.events)

    def is_whole(self, node, session):
        """Each event of the session once and in order, as many as the log has."""
        seen = [e["sequence"] for e in list(self.events) if e["sessionId"] == session]
        return seen == list(range(1, len(log_of(node, session)) + 1))


def until_whole(stream, node, session):
    until(lambda: f"the stream to have each event of {session} once: {[e['sequence'] for e in stream.events if e['sessionId'] == session]}",
          lambda: stream.is_whole(node, session))


# ---- two nodes that live --------------------------------------------------------------------------

def figures(node):
    """Of /metrics, by their names with labels."""
    status, data = scenario.Http(node).request("GET", "/metrics")
    check(status == 200, f"/metrics: {status}")
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in data.decode().splitlines() if not line.startswith("#"))}


def metrics_say_what_a_node_does(w):
    a, b = w.two()
    session = submit(a, "approve")
    until("the approval", lambda: pending(b, session))
    seen = until("both nodes", lambda: figures(b)["thole_nodes"] == 2 and figures(b))
    check(0 < seen["thole_lease_left_seconds"] <= 1, f"the lease lasts {seen['thole_lease_left_seconds']} s")
    check(abs(seen["thole_clock_off_seconds"]) < 1 and seen["thole_store_away_seconds"] == 0, f"clock and store: {seen}")
    forwarded = 'thole_forward_seconds_count{outcome="answered"}'
    before = seen.get(forwarded, 0)
    ask(b, "get_session", sessionId=session)
    check(figures(b)[forwarded] == before + 1, "a forwarded command is not counted")
    taken = 'thole_sessions_claimed_total{from="dead"}'
    check(taken not in figures(b), "a session of a dead node was counted")
    a.kill()
    until("the session to be taken over", lambda: figures(b).get(taken, 0) >= 1)
    until("the node to be alone", lambda: figures(b)["thole_nodes"] == 1)
    w.cluster.stop(signal.SIGQUIT)
    until("the store to be away", lambda: figures(b)["thole_store_away_seconds"] > 0)
    w.cluster.start()
    until("the store to answer", lambda: figures(b)["thole_store_away_seconds"] == 0)


def a_turn_that_asks_on_one_node_is_approved_on_the_other(w):
    a, b = w.two()
    session = submit(a, "approve")
    stream, all = Stream(b, session), Stream(b)
    until("the approval on the stream of the other node", lambda: stream.has("action.required"))
    approve(b, session)
    until("the end of the turn on the stream of the other node", lambda: stream.has("turn.completed"))
    check(ask(b, "get_session", sessionId=session)["sessionId"] == session, "the other node does not read the session")
    until_whole(stream, b, session)
    until_whole(all, b, session)
    check(count(b, session, "tool.started") == 1, "the tool did not run once")
    w.verify(a)
    w.verify(b)
    for node in (a, b):
        node.stop()


def nodes_that_start_for_the_first_time_at_once_make_the_tables_once(w):
    faults = []

    def start(name):
        try:
            w.node(name)
        except (Wrong, OSError) as e:
            faults.append(f"{name}: {e}")

    threads = [threading.Thread(target=start, args=(name,)) for name in "abcdef"]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(not faults, f"{len(faults)} of {len(threads)} nodes did not start: {faults[:1]}")
    check(len(ask(w.daemons[0], "list_nodes")["nodes"]) == len(threads), "a node is missing")


def a_refusal_is_the_owners_own_on_every_node(w):
    a, b = w.two()
    session = submit(a, "approve")
    replies = []
    for node in (a, b):
        status, data = scenario.Http(node).request("POST", "/v1/commands/respond_action", json.dumps(
            {"sessionId": session, "actionId": "act_none", "decision": "allow"}))
        reply = json.loads(data)
        reply.pop("requestId", None)
        replies.append((status, reply))
    check(replies[0] == replies[1], f"the refusals differ: {replies}")


def a_key_that_is_given_to_both_nodes_has_one_effect(w):
    a, b = w.two()
    session = submit(a, "hello")
    first = call(b, "submit_turn", {"sessionId": session, "input": "once"}, "k1")
    second = call(a, "submit_turn", {"sessionId": session, "input": "once"}, "k1")
    check(first == second and not first[0], f"the replies differ: {first} {second}")
    until("both turns to end", lambda: count(a, session, "turn.completed") == 2)
    check(count(b, session, "turn.submitted") == 2, "the key had two effects")


def a_key_that_reaches_both_nodes_at_the_same_moment_has_one_effect(w):
    """Without a session in it: each node would make one."""
    a, b = w.two()
    replies = {}

    def client(node, key):
        replies[key, node.name] = call(node, "submit_turn", {"input": "once"}, key)

    keys = [f"key-{n}" for n in range(60)]
    for key in keys:
        threads = [threading.Thread(target=client, args=(node, key)) for node in (a, b)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    for key in keys:
        check(replies[key, "a"] == replies[key, "b"] and not replies[key, "a"][0], f"the replies differ: {replies[key, 'a']} {replies[key, 'b']}")
    listed = ask(a, "list_sessions", limit=200)["sessions"]
    check(len(listed) == len(keys), f"{len(keys)} keys made {len(listed)} sessions")


def derived_rows_are_made_again_from_any_node(w):
    """`thole rebuild` at one node, of sessions that it owns, that the other one owns, and that no one does."""
    a, b = w.two()
    sessions = [submit(random.choice((a, b)), "hello") for _ in range(20)] + [submit(a, "approve"), submit(b, "approve")]
    for session in sessions:
        until("the turn", lambda s=session: count(a, s, "turn.completed") or pending(a, s))

    def lists():
        found = {command: ask(a, command, limit=100)[name] for command, name in
                 (("list_sessions", "sessions"), ("list_tasks", "tasks"), ("list_actions", "actions"))}
        # An open session gets an event that says what was made again.
        return {name: sorted(json.dumps({**row, "sequence": 0, "updatedAt": ""}, sort_keys=True) for row in rows) for name, rows in found.items()}

    before = lists()
    # Which sessions there are is read from their rows.
    w.cluster.sql(f"DELETE FROM {w.schema}.idx WHERE tbl NOT IN (0, 5); DELETE FROM {w.schema}.snapshot")
    check(lists() != before, "nothing was removed")
    w.thole(b, "rebuild")
    after = lists()
    for name in before:
        new = [row for row in after[name] if row not in before[name]]
        check(after[name] == before[name], f"{name} has {len(after[name])} rows, and had {len(before[name])}; other than before: {new[:2]} {before[name][:1]}")
    for session in sessions[-2:]:
        approve(b, session)
        until("the end of the turn", lambda s=session: count(a, s, "turn.completed") == 1)


def a_large_output_outlives_its_machine(w):
    a, b = w.two()
    session = submit(a, "much")
    until("the turn to end", lambda: count(b, session, "turn.completed") == 1)
    output, = [e["output"] for e in log_of(b, session) if e["type"] == "output.spilled"]
    a.kill()
    shutil.rmtree(a.data)
    found = b""
    while len(found) < output["sizeBytes"]:
        part = ask(b, "get_output", outputRef=output["outputRef"], sessionId=session, offset=len(found), length=1 << 20)
        check(part["bytes"], f"the output ends after {len(found)} bytes")
        found += part["text"].encode()
    check(hashlib.sha256(found).hexdigest() == output["sha256"], "its content differs")


def twenty_clients_use_both_nodes_in_any_order(w):
    a, b = w.two()
    sessions = [submit(random.choice((a, b)), "hello") for _ in range(40)]
    acknowledged, faults, lock = {}, [], threading.Lock()
    stream = Stream(b)
    turns = int(os.environ.get("THOLE_TURNS", "1000"))

    def client(number):
        for n in range(turns // 20):
            session, node = random.choice(sessions), random.choice((a, b))
            code, reply = call(node, "submit_turn", {"sessionId": session, "input": "x"}, f"{number}-{n}")
            with lock:
                if code:
                    faults.append(f"{node.name}: {reply}")
                else:
                    acknowledged.setdefault(session, []).append(reply["turnId"])

    threads = [threading.Thread(target=client, args=(n,)) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(not faults, f"{len(faults)} commands were refused: {faults[:3]}")
    for session, wanted in acknowledged.items():
        submitted = [e["turnId"] for e in log_of(a, session) if e["type"] == "turn.submitted"]
        check(sorted(submitted[1:]) == sorted(wanted), f"{session} has other turns than those that were acknowledged")
        until_whole(stream, a, session)
    w.verify(a)


# ---- what nodes share -----------------------------------------------------------------------------

def everything(node):
    """The log of all sessions, in the order of commits."""
    status, data = scenario.Http(node).request("GET", "/v1/events?follow=0", headers={"Accept": "application/x-ndjson"})
    check(status == 200, f"events: {status} {data[:200]}")
    return [e for e in map(json.loads, data.decode().removesuffix("\n").split("\n")) if "sequence" in e]


def in_order(events):
    """Sums over cost events: what is spent and reserved in the end and at most, and how many requests ran at once."""
    spent, open, most, running = 0, {}, 0, 0
    for e in events:
        if e["type"] == "cost.estimated":
            open[e["modelRequestId"]] = e["payload"].get("estimatedUsd", 0)
        elif e["type"] == "cost.recorded":
            open.pop(e["modelRequestId"], None)
            spent += e["payload"].get("amountUsd", 0)
        most, running = max(most, spent + sum(open.values())), max(running, len(open))
    return spent + sum(open.values()), most, running


def a_cap_of_a_day_holds_over_both_nodes_and_is_spent_to_its_last_cent(w):
    cap = 0.25
    options = [f"budget.day_usd={cap}", "budget.overrun=1"]
    a, b = w.node("a", *options), w.node("b", *options)
    ends, faults, lock = {}, [], threading.Lock()

    def client(number):
        for n in range(10):
            node = (a, b)[(number + n) % 2] if not is_killed.is_set() else b
            try:
                code, reply = call(node, "submit_turn", {"input": "pay"}, f"{number}-{n}")
            except OSError:
                continue  # the node was killed
            with lock:
                if code:
                    faults.append(f"{node.name}: {reply}")
                ends[reply.get("sessionId")] = None

    is_killed = threading.Event()
    threads = [threading.Thread(target=client, args=(n,)) for n in range(12)]
    for t in threads:
        t.start()
    time.sleep(0.3)
    is_killed.set()
    a.kill()
    for t in threads:
        t.join()
    check(not faults, f"{len(faults)} commands were refused: {faults[:3]}")
    # What the dead node had begun stays reserved until a person decides; the rest ends by itself.
    until("every turn to end", lambda: all(any(e["type"] in ("turn.completed", "turn.failed", "task.lost") for e in log_of(b, s)) for s in ends if s))
    events = everything(b)
    used, most, _ = in_order(events)
    print(f"# of ${cap} {used:.4f} was used, at most {most:.4f} at a time", flush=True)
    check(most <= cap + 1e-9, f"{most} of {cap} was used at a time")
    one = max(e["payload"].get("estimatedUsd", 0) for e in events if e["type"] == "cost.estimated")
    check(used > cap - one, f"only {used} of {cap} was used, and one request needs {one}")
    check(any(e["type"] == "quota.blocked" for e in events), "no turn was refused for money")
    w.verify(b)


def requests_at_once_are_counted_over_both_nodes(w):
    a, b = w.node("a", "limits.parallel_requests=6"), w.node("b", "limits.parallel_requests=6")
    sessions = [submit((a, b)[n % 2], "soon") for n in range(40)]
    until("every turn to end", lambda: all(count(b, s, "turn.completed") == 1 for s in sessions))
    _, _, running = in_order(everything(a))
    print(f"# at most {running} requests at once", flush=True)
    check(running == 6, f"{running} requests at once instead of 6")
    # One node alone may have all of them.
    more = [submit(a, "soon") for n in range(12)]
    until("every turn to end", lambda: all(count(b, s, "turn.completed") == 1 for s in more))
    _, _, running = in_order(e for e in everything(a) if e["sessionId"] in more)
    check(running == 6, f"{running} requests at once on one node instead of 6")
    w.verify(a)


def what_one_node_spends_is_shown_on_the_other(w):
    a, b = w.node("a", "budget.day_usd=5"), w.node("b", "budget.day_usd=5")
    sessions = [submit(a, "pay") for _ in range(5)]
    until("the turns", lambda: all(count(a, s, "turn.completed") == 1 for s in sessions))
    spent, _, _ = in_order(everything(a))
    check(spent > 0, "nothing was spent")
    for node in (a, b):
        until(lambda: f"the sum on {node.name}, {spent}: {ask(node, 'list_models')['budgets']}", lambda: abs(ask(node, "list_models")["budgets"][0]["spentUsd"] - spent) < 1e-9)


# ---- a node that dies -----------------------------------------------------------------------------

def an_approval_of_a_killed_node_is_given_on_the_other(w):
    a, b = w.two()
    session = submit(a, "approve")
    until("the approval", lambda: pending(b, session))
    stream = Stream(b, session)
    until_whole(stream, b, session)
    known = len(stream.events)
    a.kill()
    killed = time.monotonic()
    until("the first event of the other node", lambda: len(stream.events) > known)
    took = stream.times[known] - killed
    print(f"# the other node continued after {took:.2f} s", flush=True)
    check(took <= TAKEOVER_S * slowdown(), f"the other node took {took:.2f} s")
    approve(b, session)
    until("the end of the turn", lambda: stream.has("turn.completed"))
    until_whole(stream, b, session)
    check(count(b, session, "tool.started") == 1, "the tool did not run once")
    w.verify(b)
    a.start()
    until("the node that came back to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    submit(a, "hello", session)
    until("a turn that the node that came back was asked for", lambda: count(b, session, "turn.completed") == 2)
    until_whole(stream, b, session)
    w.verify(a)


def a_model_request_of_a_killed_node_is_lost_once(w):
    a, b = w.two()
    session = submit(a, "think")
    until("the request", lambda: count(b, session, "model.requested") == 1)
    a.kill()
    until("the loss to be recorded", lambda: count(b, session, "task.lost") == 1)
    a.start()
    until("the node that came back to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    ask(a, "interrupt_turn", sessionId=session)
    submit(a, "hello", session)
    until("a later turn", lambda: count(b, session, "turn.completed") == 1)
    check(count(b, session, "task.lost") == 1 and count(b, session, "model.requested") == 2, "the loss was recorded twice, or the request was repeated")
    w.verify(b)


def a_node_that_stops_in_order_hands_its_work_over(w):
    a, b = w.two()
    session = submit(a, "approve")
    until("the approval", lambda: pending(b, session))
    a.stop()
    approve(b, session)
    until("the end of the turn", lambda: count(b, session, "turn.completed") == 1)
    w.verify(b)


def a_node_that_is_to_stop_ends_what_runs_and_hands_over_the_rest(w):
    """A request that runs is waited for, what follows it runs elsewhere, and nothing is lost."""
    a, b = w.two()
    parked = submit(a, "approve")
    until("the approval", lambda: pending(b, parked))
    running = [submit(a, "soon then careful") for _ in range(20)]
    until("the requests", lambda: all(count(b, s, "model.requested") == 1 for s in running))
    a.process.send_signal(signal.SIGTERM)
    # The parked session has no owner at once: the other node takes the answer itself.
    until("the node to say that it leaves", lambda: {n["name"]: n["state"] for n in ask(b, "list_nodes")["nodes"]}.get("a") in ("leaving", None))
    approve(b, parked)
    # A new turn at the node that leaves is carried out by the other one, as long as it listens.
    given = []
    while a.process.poll() is None:
        try:
            status, data = scenario.Http(a).request("POST", "/v1/commands/submit_turn", json.dumps({"input": "hi"}))
        except (OSError, http.client.HTTPException):
            break
        reply = json.loads(data)
        check(status == 202 or reply.get("retryable"), f"a turn at the node that leaves: {status} {reply}")
        given += [reply["sessionId"]] if status == 202 else []
    check(a.process.wait(DEADLINE_S) == 0, f"the node ended with {a.process.returncode}: {a.whole_log()}")
    check(given, "no turn was given to the node that leaves")
    for session in [parked, *running, *given]:
        until("the end of each turn", lambda: count(b, session, "turn.completed") == 1)
        types = [e["type"] for e in log_of(b, session)]
        check("model.failed" not in types and "tool.lost" not in types and "recovery.started" not in types, f"something was lost: {types}")
    for session in running:
        types = [e["type"] for e in log_of(b, session)]
        check(types.count("model.requested") == 2 and types.count("tool.result") == 1, f"a turn did not run as a whole, once: {types}")
    w.verify(b)


def a_node_is_drained_from_another_one(w):
    a, b = w.two()
    session = submit(a, "soon then careful")
    until("the request", lambda: count(b, session, "model.requested") == 1)
    code, reply = call(b, "drain_node", {"name": "c"})
    check(reply.get("code") == "node_not_found", f"a node that does not exist: {code} {reply}")
    told = json.loads(w.thole(b, "node", "drain", "a", "--json"))
    check(told["drainS"] == 20 and told["sequence"] > 0, f"thole node drain says: {told}")
    code, again = call(b, "drain_node", {"name": "a"})
    check(code == "node_not_found" or again["sequence"] == 0, f"a node that leaves got the command again: {again}")
    check(a.process.wait(DEADLINE_S) == 0, f"the node ended with {a.process.returncode}: {a.whole_log()}")
    until("the end of the turn", lambda: count(b, session, "turn.completed") == 1)
    said = [e for e in log_of(b, "sess_node_a") if e["type"] == "session.updated" and e["payload"].get("runtime", {}).get("state") == "leaving"]
    check(len(said) == 1 and "owner" in json.dumps(said[0]), f"who told the node to end is recorded as {said}")
    states = [e["payload"]["runtime"]["state"] for e in log_of(b, "sess_node_a") if "runtime" in e["payload"]]
    check(states == ["started", "leaving", "stopped"], f"the node went through {states}")
    code, reply = call(b, "drain_node", {"name": "b"})
    check(reply.get("code") == "no_other_node", f"the only node: {code} {reply}")
    check(scenario.Http(b).request("GET", "/readyz")[0] == 200, "the only node is not ready any more")
    w.verify(b)


def a_request_that_outlasts_the_time_to_stop_is_lost_once(w):
    a, b = w.node("a", "node.drain_s=1"), w.node("b")
    session = submit(a, "think")
    until("the request", lambda: count(b, session, "model.requested") == 1)
    a.process.send_signal(signal.SIGTERM)
    check(a.process.wait(DEADLINE_S) == 0, f"the node ended with {a.process.returncode}: {a.whole_log()}")
    until("the end of the lost request", lambda: count(b, session, "model.failed") == 1)
    w.verify(b)


def three_nodes_are_restarted_one_after_the_other_under_load(w):
    """Every command is answered, nothing is lost, and what a node had begun ends there."""
    nodes = [w.node(name) for name in "abc"]
    acknowledged, faults, is_over = {}, [], threading.Event()

    def client(number):
        n = 0
        while not is_over.is_set():
            n += 1
            # As a client of several addresses: the next one when a node is not there.
            for k in range(200):
                node = nodes[(number + n + k) % 3]
                try:
                    code, reply = call(node, "submit_turn", {"input": "soon"}, f"{number}-{n}")
                    break
                except (OSError, ValueError, http.client.HTTPException):
                    time.sleep(0.02)
            else:
                faults.append("no node answers")
                return
            if code:
                faults.append(f"{node.name}: {reply}")
            else:
                acknowledged[reply["turnId"]] = reply["sessionId"]
            time.sleep(0.1)  # fewer than the nodes can take at once

    clients = [threading.Thread(target=client, args=(n,)) for n in range(6)]
    for c in clients:
        c.start()
    for node in nodes:
        before = len(acknowledged)
        until("turns before the stop", lambda: len(acknowledged) > before + 20 or faults)
        node.stop()
        before = len(acknowledged)
        until("turns while it is away", lambda: len(acknowledged) > before + 20 or faults)
        node.start()
        until("the node to be ready", lambda: scenario.Http(node).request("GET", "/readyz")[0] == 200)
    is_over.set()
    for c in clients:
        c.join()
    check(not faults, f"{len(faults)} commands were refused: {faults[:3]}")
    a = nodes[0]
    until("every turn to end", lambda: not set(acknowledged) - {e["turnId"] for e in everything(a) if e["type"] == "turn.completed"})
    events = everything(a)
    lost = sum(e["type"] == "task.lost" for e in events)
    print(f"# {len(acknowledged)} turns, {lost} lost", flush=True)
    kept = {e["turnId"] for e in events if e["type"] == "turn.submitted"}
    check(not set(acknowledged) - kept and not lost, f"{len(set(acknowledged) - kept)} turns are gone, {lost} effects are lost")
    w.verify(a)


def a_node_that_was_stopped_past_its_lease_ends(w):
    a, b = w.two()
    session = submit(a, "approve")
    until("the approval", lambda: pending(b, session))
    a.process.send_signal(signal.SIGSTOP)
    approve(b, session)
    until("the end of the turn", lambda: count(b, session, "turn.completed") == 1)
    a.process.send_signal(signal.SIGCONT)
    code = a.process.wait(DEADLINE_S)
    check(code == 70, f"the node ended with {code}: {a.whole_log()}")
    check("store_taken" in a.whole_log() and "Start this node again" in a.whole_log(), f"the node does not say why it ended: {a.whole_log()}")
    check(count(b, session, "tool.started") == 1, "the tool did not run once")
    w.verify(b)


# ---- a network that is cut ------------------------------------------------------------------------

def through(w, proxy, name):
    """A node whose way to the database can be cut."""
    direct = w.cluster
    w.cluster = Through(proxy.url())
    try:
        return w.node(name)
    finally:
        w.cluster = direct


def a_node_that_finds_the_database_first_gives_the_others_the_time_to_find_it(w):
    """The database goes away for both, and is back for one of them more than a lease earlier."""
    with pg_proxy.Proxy(w.cluster) as of_a, pg_proxy.Proxy(w.cluster) as of_b:
        a, b = through(w, of_a, "a"), through(w, of_b, "b")
        session = submit(b, "think")
        until("the request", lambda: count(a, session, "model.requested") == 1)
        for proxy in (of_a, of_b):
            proxy.refuse()
        time.sleep(2)
        of_a.accept_again()
        until("the first node", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
        time.sleep(2)
        of_b.accept_again()
        until("the second node", lambda: scenario.Http(b).request("GET", "/readyz")[0] == 200)
        time.sleep(1)
        check(b.process.poll() is None, "the second node was found dead")
        check(len(ask(a, "list_nodes")["nodes"]) == 2, "the second node is another incarnation")
        check(count(a, session, "history.reconstructed") == 0, "its session was taken over")


def cut_off(w, how, heal):
    """The node that owns a session loses the database and nothing else."""
    with pg_proxy.Proxy(w.cluster) as proxy:
        direct = w.cluster
        w.cluster = Through(proxy.url())
        a = w.node("a")
        w.cluster = direct
        b = w.node("b")
        session = submit(a, "approve")
        action = until("the approval", lambda: pending(b, session))
        stream = Stream(b, session)
        until_whole(stream, b, session)
        known = len(stream.events)
        getattr(proxy, how)()
        cut = time.monotonic()
        # The cut node decides, and what it decided reaches no log: it acknowledges nothing, and begins nothing.
        said = []
        late = threading.Thread(target=lambda: said.append(answer(a, session, action)), daemon=True)
        late.start()
        until("the first event of the other node", lambda: len(stream.events) > known)
        took = stream.times[known] - cut
        print(f"# the other node continued after {took:.2f} s", flush=True)
        check(took <= TAKEOVER_S * slowdown(), f"the other node took {took:.2f} s")
        approve(b, session)
        until("the end of the turn", lambda: stream.has("turn.completed"))
        getattr(proxy, heal)()
        code = a.process.wait(DEADLINE_S)
        check(code == 70 and "store_taken" in a.whole_log(), f"the node that was cut off ended with {code}: {a.whole_log()}")
        late.join(DEADLINE_S)
        check(said and said[0], f"a node that was cut off acknowledged a command: {said}")
        until_whole(stream, b, session)
        check(count(b, session, "tool.started") == 1 and count(b, session, "action.resolved") == 1, "the tool or the answer is there twice")
        w.verify(b)


class Through:
    """Stands for a cluster where a node wants an address."""

    def __init__(self, url):
        self.url = lambda: url


def answer(node, session, action):
    """Once; why it was not acknowledged, or None."""
    try:
        return scenario.Http(node).call("respond_action", {"sessionId": session, "actionId": action, "decision": "allow", "scope": "once"})[0]
    except (OSError, ValueError, http.client.HTTPException) as e:
        return repr(e)


def a_node_whose_connections_to_the_database_break_is_taken_over(w):
    cut_off(w, "refuse", "accept_again")


def a_node_whose_way_to_the_database_is_silent_is_taken_over(w):
    cut_off(w, "stall", "pass_again")


def both_nodes_continue_on_a_standby_and_nothing_acknowledged_is_lost(w):
    """kill -9 of the primary under load; the synchronous standby is promoted."""
    acknowledged, faults, is_over = {}, [], threading.Event()

    def client(number, nodes):
        n = 0
        while not is_over.is_set():
            node, n = nodes[n % 2], n + 1
            try:
                code, reply = call(node, "submit_turn", {"input": "hello"}, f"{number}-{n}")
            except OSError as e:
                faults.append(repr(e))
                return
            if code:
                faults.append(f"{node.name}: {reply}")
            else:
                acknowledged[reply["turnId"]] = reply["sessionId"]

    with postgres.Cluster(w.build) as primary, postgres.Standby(w.build, primary) as standby:
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'follower'")
        primary.sql("SELECT pg_reload_conf()")
        until("the standby to be synchronous", lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"])
        w.cluster = Through(postgres.url_of(primary, standby))
        nodes = w.two()
        clients = [threading.Thread(target=client, args=(n, nodes)) for n in range(8)]
        for c in clients:
            c.start()
        until("turns", lambda: len(acknowledged) > 100)
        primary.stop(signal.SIGKILL)
        before = len(acknowledged)
        standby.promote()
        promoted = time.monotonic()
        until("a turn on the standby", lambda: len(acknowledged) > before or faults)
        print(f"# the first turn {time.monotonic() - promoted:.2f} s after the promotion", flush=True)
        until("turns on the standby", lambda: len(acknowledged) > before + 100 or faults)
        is_over.set()
        for c in clients:
            c.join()
        check(not faults, f"{len(faults)} commands were refused: {faults[:3]}")
        kept = {e["turnId"] for e in everything(nodes[1]) if e["type"] == "turn.submitted"}
        check(not set(acknowledged) - kept, f"{len(set(acknowledged) - kept)} of {len(acknowledged)} acknowledged turns are lost")
        w.verify(nodes[0])
        for node in nodes:
            node.stop()


def an_owner_that_lives_and_cannot_be_reached_is_named_and_its_events_are_read(w):
    """The nodes share the database, and one has an address where none of them listens."""
    a, b = w.node("a", f"node.address=http://127.0.0.1:{free_port()}"), w.node("b")
    session = submit(a, "approve")
    until("the approval", lambda: pending(a, session))
    stream = Stream(b, session)
    until_whole(stream, a, session)
    code, reply = scenario.Http(b).call("submit_turn", {"sessionId": session, "input": "hello"})
    check(code == "node_unreachable" and reply.get("retryable") and reply.get("untilMs"), f"it is not named: {code} {reply}")
    approve(a, session)
    until("the end of the turn", lambda: stream.has("turn.completed"))
    a.kill()
    until("a turn on the other node", lambda: scenario.Http(b).call("submit_turn", {"sessionId": session, "input": "hello"})[0] is None)
    until("its end", lambda: count(b, session, "turn.completed") == 2)
    w.verify(b)


def people_at_a_terminal_use_any_node(w):
    a, b = w.two()
    session = submit(a, "approve")
    until("the approval", lambda: pending(b, session))
    check(session in w.thole(b, "approvals") or pending(b, session) in w.thole(b, "approvals"), "the approval is not listed on the other node")
    w.thole(b, "approve", pending(b, session))
    until("the end of the turn", lambda: count(a, session, "turn.completed") == 1)
    check("turn.completed" in w.thole(b, "log", session), "the log cannot be read on the other node")
    check("whole" in w.thole(b, "verify", session), "the chain cannot be verified on the other node")


def a_session_is_deleted_on_any_node(w):
    a, b = w.two()
    ask(a, "create_token", name="ci", scopes=["read"])  # sess_system is of a
    for owner, asked in ((a, b), (b, a), (b, b), (a, a)):
        session = submit(owner, "hello")
        until("the turn to end", lambda: count(owner, session, "turn.completed") == 1)
        check(ask(asked, "delete_session", sessionId=session)["status"] == "deleted", "the session is not deleted")
        for node in (a, b):
            code, reply = call(node, "get_session", {"sessionId": session})
            check(code == "session_deleted", f"{node.name} says of a deleted session: {code} {reply}")


def all_sessions_of_a_killed_node_continue(w):
    a, b = w.two()
    number = int(os.environ.get("THOLE_SESSIONS", "500"))
    sessions, lock = [], threading.Lock()

    def make():
        for _ in range(number // 10):
            session = submit(a, "approve")
            with lock:
                sessions.append(session)

    threads = [threading.Thread(target=make) for _ in range(10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    stream = Stream(b)
    until("all approvals", lambda: sum(e["type"] == "action.required" for e in list(stream.events)) == number)
    known = len(stream.events)
    a.kill()
    killed = time.monotonic()
    until("all sessions on the other node",
          lambda: len({e["sessionId"] for e in stream.events[known:] if e["sessionId"] in set(sessions)}) == number, pause_s=0.1)
    print(f"# {number} sessions continued after {stream.times[-1] - killed:.2f} s", flush=True)
    for session in sessions:
        approve(b, session)
    until("all turns to end", lambda: sum(e["type"] == "turn.completed" for e in list(stream.events)) == number, pause_s=0.1)
    w.verify(b)


# ---- calls that are not of a node -----------------------------------------------------------------

def sealed(w, to, body, at_ms=None, nonce=None, secret=None):
    """The header of a call from incarnation 99, as src/node/node_seal.h describes it."""
    if secret is None:
        secret = w.cluster.sql(f"SELECT convert_from(value, 'UTF8') FROM {w.schema}.meta WHERE key = 'secret'")[0]
    key = hmac.new(secret.encode(), b"thole calls between nodes v1", hashlib.sha256).digest()
    at_ms = int(time.time() * 1000) if at_ms is None else at_ms
    nonce = nonce or os.urandom(16).hex()
    text = f"call v1\nPOST\n/v1/node/call\n99\n{to}\n{at_ms}\n{nonce}\n{hashlib.sha256(body).hexdigest()}"
    return f"v1,99,{to},{at_ms},{nonce},{hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}"


def post(node, header, body):
    c = http.client.HTTPConnection("127.0.0.1", node.port, timeout=DEADLINE_S)
    c.request("POST", "/v1/node/call", body, {"Content-Type": "application/json", **({"Thole-Node": header} if header else {})})
    r = c.getresponse()
    reply = json.loads(r.read())
    c.close()
    return r.status, reply.get("code"), reply


def incarnations(w, node):
    return {n["name"]: n["incarnation"] for n in ask(node, "list_nodes")["nodes"]}


def calls_that_are_not_of_a_node_are_refused_and_change_nothing(w):
    a, b = w.two()
    session = submit(a, "hello")
    until("the turn to end", lambda: count(a, session, "turn.completed") == 1)
    to = incarnations(w, a)["a"]
    params = json.dumps({"sessionId": session, "input": "forged"})
    body = json.dumps({"command": "submit_turn", "params": params, "isLookup": False, "bodyHash": hashlib.sha256(params.encode()).hexdigest(),
                       "caller": {"principal": "owner", "via": "http", "scopes": 15, "untilMs": 0, "isSampled": False}}).encode()
    now = int(time.time() * 1000)
    wrong = [
        (None, body, "node_call_invalid"),
        (sealed(w, to, body, secret="guessed"), body, "node_call_invalid"),
        (sealed(w, to, body), body.replace(b"forged", b"fooled"), "node_call_invalid"),
        (sealed(w, to, body).replace(f"v1,99,{to}", f"v1,98,{to}"), body, "node_call_invalid"),
        (sealed(w, to, body, now - 60000), body, "node_call_late"),
        (sealed(w, to, body, now + 60000), body, "node_call_late"),
        (sealed(w, to + 1000, body), body, "session_moved"),
        (sealed(w, to, b"{}"), b"{}", "invalid_request"),
    ]
    for header, text, code in wrong:
        found = post(a, header, text)
        check(found[1] == code, f"{header}: {code} was expected: {found}")
    # Two hops: the session is of a, and b is asked as if it owned it.
    submit(a, "approve", session)
    until("the approval", lambda: pending(a, session))
    before = len(log_of(a, session))
    found = post(b, sealed(w, incarnations(w, a)["b"], body), body)
    check(found[1] == "session_moved", f"a call was sent on: {found}")
    check(len(log_of(a, session)) == before, "a refused call changed the session")
    # A good one is taken, and not twice.
    header = sealed(w, to, body)
    check(post(a, header, body)[0] == 202, "a good call is refused")
    check(post(a, header, body)[1] == "node_call_repeated", "a repeated call is not refused")
    check(count(a, session, "turn.submitted") == 3, "a repeated call had an effect")


# ---- what the nodes say of themselves -------------------------------------------------------------

def nodes_are_listed(w):
    a, b = w.two()
    submit(a, "approve")
    nodes = {n["name"]: n for n in ask(b, "list_nodes")["nodes"]}
    check(set(nodes) == {"a", "b"} and nodes["b"]["isSelf"] and not nodes["a"]["isSelf"], f"the nodes are {nodes}")
    check(nodes["a"]["state"] == "lives" and nodes["a"]["address"].startswith("http://"), f"node a is {nodes['a']}")
    check(nodes["a"]["sessions"] >= 1, f"node a owns {nodes['a']['sessions']} sessions")
    text = w.thole(b, "node", "ls")
    check("a" in text.split() and "b" in text.split(), f"thole node ls says: {text}")
    check({n["name"] for n in json.loads(w.thole(b, "node", "ls", "--json"))["nodes"]} == {"a", "b"}, "thole node ls --json has other nodes")
    a.stop()
    until("the node to be gone", lambda: [n["name"] for n in ask(b, "list_nodes")["nodes"]] == ["b"])


def status_with(node, token):
    c = http.client.HTTPConnection("127.0.0.1", node.port, timeout=DEADLINE_S)
    c.request("GET", "/v1/sessions", headers={"Authorization": "Bearer " + token})
    return c.getresponse().status


def a_token_counts_on_every_node_as_soon_as_its_command_is_answered(w):
    """Given and revoked at any node, in turn, without a wait in between."""
    nodes = [*w.two(), w.node("c")]
    for i in range(30):
        token = ask(nodes[i % 3], "create_token", name="ci", scopes=["read"])["token"]
        for node in nodes:
            check(status_with(node, token) == 200, f"round {i}: the token is not valid on {node.name}")
        ask(nodes[(i + 1) % 3], "revoke_token", name="ci")
        for node in nodes:
            check(status_with(node, token) == 401, f"round {i}: the revoked token is valid on {node.name}")


def a_revoked_token_ends_with_the_node_that_stands_still(w):
    a, b = w.two()
    token = ask(a, "create_token", name="ci", scopes=["read"])["token"]
    b.process.send_signal(signal.SIGSTOP)
    ask(a, "revoke_token", name="ci")
    check(next(n for n in ask(a, "list_nodes", withEnded=True)["nodes"] if n["name"] == "b")["state"] == "dead",
          "the command was answered while the node that stands still counts as alive")
    b.process.send_signal(signal.SIGCONT)
    check(b.process.wait(DEADLINE_S) == 70, f"the node did not end: {b.whole_log()}")
    check(status_with(a, token) == 401, "the revoked token is valid")


def parts_of(node, account):
    """What each node that lives may use of it, by name."""
    return {n["name"]: a["amount"] for n in ask(node, "list_nodes")["nodes"] for a in n.get("allotments", []) if a["account"] == account}


def what_each_node_may_use_is_listed_for_the_owner_only(w):
    a, b = w.node("a", "limits.parallel_requests=8"), w.node("b", "limits.parallel_requests=8")
    for node in (a, b):
        submit(node, "hello")
        until(f"the parts of both on {node.name}", lambda: len(parts_of(node, "requests")) == 2)
        parts = parts_of(node, "requests")
        check(0 < sum(parts.values()) <= 8, f"the parts of 8 requests are {parts}")
    token = ask(a, "create_token", name="ci", scopes=["read"], sessions="all")["token"]
    status, data = scenario.Http(b).request("POST", "/v1/commands/list_nodes", "{}", {"Authorization": "Bearer " + token})
    check(status == 200 and len(json.loads(data)["nodes"]) == 2, f"a caller that may read gets {status}: {data}")
    check(b"allotments" not in data, f"a caller that may only read sees {data}")


# ---- clocks ---------------------------------------------------------------------------------------

FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")


def with_clock(path):
    """A wall clock of its own for a daemon: off by what the file says, which may change."""
    return ["env", "LD_PRELOAD=" + FAKETIME[0], "FAKETIME_TIMESTAMP_FILE=" + path, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "DONT_FAKE_MONOTONIC=1"]


def check_times(node, session, since):
    for event in log_of(node, session):
        at = datetime.datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")).timestamp()
        check(since - 2 < at < time.time() + 2, f"an event of {session} has the time {event['timestamp']}")


def a_node_with_a_wrong_clock_goes_by_the_clock_of_the_database(w):
    if not FAKETIME:
        raise Skipped("libfaketime is not installed")
    since = time.time()
    path = os.path.join(w.dir, "clock")

    def set_clock(by):
        with open(path + ".new", "w") as f:
            f.write(by + "\n")
        os.rename(path + ".new", path)

    def off_of(name):
        return next(n["clockOffMs"] for n in ask(b, "list_nodes")["nodes"] if n["name"] == name)

    set_clock("+3600")
    a, b = w.node("a"), w.node("b", before=with_clock(path))
    check(abs(off_of("b") - 3600000) < 2000 and abs(off_of("a")) < 2000, f"the clocks are off by {off_of('a')} and {off_of('b')} ms")
    check("clock +3600 s" in w.thole(a, "node", "ls") or "clock +3599 s" in w.thole(a, "node", "ls"), "thole node ls does not say that a clock is wrong")
    # Others are to have new work; what is asked here is answered all the same.
    until("the node to say that its clock is wrong", lambda: b"clock" in scenario.Http(b).request("GET", "/readyz")[1])
    parked = submit(b, "approve")
    until("the approval", lambda: pending(b, parked))
    # Alone it works: an approval does not expire an hour early, and times are right.
    a.kill()
    until("the other node to have taken over", lambda: pending(b, parked))
    for by in ("+3600", "-86400", "+315360000"):
        set_clock(by)
        session = submit(b, "approve")
        until("the approval", lambda: pending(b, session))
        time.sleep(2.5)  # the node looks at its clock in between
        approve(b, session)
        until("the end of the turn", lambda: count(b, session, "turn.completed") == 1)
        check_times(b, session, since)
    approve(b, parked)
    until("the end of the turn", lambda: count(b, parked, "turn.completed") == 1)
    check_times(b, parked, since)
    token = ask(b, "create_token", name="ci", scopes=["read"], expiresAt=datetime.datetime.fromtimestamp(time.time() + 600, datetime.timezone.utc).isoformat())["token"]
    check(status_with(b, token) == 200, "a token that is valid for ten minutes is refused")
    a.start()
    until("the other node to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    set_clock("+0")
    until("the node with the right clock to be ready", lambda: scenario.Http(b).request("GET", "/readyz")[0] == 200)
    w.verify(b)


# ---- the page -------------------------------------------------------------------------------------

# ---- where the files are ---------------------------------------------------------------------------

def waits_for_node(node, session):
    """The titles of its waits for a node."""
    return [e["payload"]["title"] for e in log_of(node, session) if e["type"] == "run.status" and e["payload"].get("wait", {}).get("for") == "node"]


def work_in(w, node, text, **params):
    work = os.path.join(w.dir, "work")
    os.makedirs(work, exist_ok=True)
    return ask(node, "submit_turn", input=text, cwd=work, **params)["sessionId"], os.path.join(work, "lines")


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def the_tools_of_a_session_wait_for_the_node_with_its_directory(w):
    a, b = w.machine("a"), w.machine("b")
    session, lines = work_in(w, a, "write")
    until("the approval", lambda: pending(b, session))
    a.kill()
    approve(b, session)
    until("the wait for the node", lambda: waits_for_node(b, session))
    check(waits_for_node(b, session) == ["Waiting for node a"], waits_for_node(b, session))
    said = w.thole(b, "why", session)
    check("another node" in said, said)
    listed = ask(b, "explain_thread", sessionId=session)
    check(listed["waitingFor"] == "node" and any("node a" in end for end in listed["endedBy"]), listed)
    submit(b, "second", session)  # is queued
    check(not read(lines) and not count(b, session, "process.started"), "the command ran on another machine")
    a.start()
    until("both turns to end", lambda: count(b, session, "turn.completed") == 2)
    check(read(lines) == os.path.dirname(lines) + "\n", f"the command did not run once in its directory: {read(lines)!r}")
    check(len(waits_for_node(b, session)) == 1, "the wait was said more than once")
    w.verify(b)


def a_person_moves_the_place_of_a_session(w):
    a, b = w.machine("a"), w.machine("b")
    session, lines = work_in(w, a, "write")
    until("the approval", lambda: pending(b, session))
    a.kill()
    approve(b, session)
    until("the wait for the node", lambda: waits_for_node(b, session))
    w.thole(b, "node", "place", session, "b")
    until("the turn to end", lambda: count(b, session, "turn.completed") == 1)
    check(read(lines), "the command did not run")
    w.verify(b)


def as_token(node, token, command, params):
    c = http.client.HTTPConnection("127.0.0.1", node.port, timeout=DEADLINE_S)
    c.request("POST", "/v1/commands/" + command, json.dumps(params), {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    r = c.getresponse()
    return r.status, json.loads(r.read())


def what_a_node_without_the_directory_refuses(w):
    """Edits there, and moves that cannot be right or that the caller may not make."""
    a, b = w.machine("a", "node.workspaces=" + json.dumps(["own=" + w.dir])), w.machine("b", "node.workspaces=" + json.dumps(["own=" + w.dir, "tmp=/tmp/none"]))
    session, lines = work_in(w, a, "serve")
    until("the background process", lambda: count(b, session, "turn.completed") == 1)
    code, reply = call(b, "update_session", {"sessionId": session, "placement": {"node": "b"}})
    check(code == "session_active", reply)
    process = next(e["processId"] for e in log_of(b, session) if e["type"] == "process.started")
    ask(b, "terminate_process", sessionId=session, processId=process)
    token = ask(b, "create_token", name="ci", scopes=["read", "write"], sessions="all", directories=[os.path.dirname(lines)])["token"]
    a.kill()
    until("the end of the first node", lambda: not call(b, "get_session", {"sessionId": session})[0])
    check(as_token(b, token, "update_session", {"sessionId": session, "placement": {"node": "b"}})[0] == 403, "a token of one directory moved a session")
    check(as_token(b, token, "update_session", {"sessionId": session, "title": "t"})[0] == 200, "a token of the directory has no right there")
    status, reply = as_token(b, token, "create_session", {"placement": {"workspace": "own"}})
    check(status == 403, f"a workspace brought a directory that the token does not have: {reply}")
    for placement, code in (({"labels": ["x"]}, "missing_field"), ({"workspace": "own"}, "placement_unmet"), ({"workspace": "tmp", "node": "b"}, "placement_unmet")):
        got, reply = call(b, "update_session", {"sessionId": session, "placement": placement})
        check(got == code, f"{placement}: {reply}")
    got, reply = call(b, "edit_files", {"sessionId": session, "patch": "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+x\n"})
    check(got and "another node" in reply["detail"], f"a file was edited on another machine: {reply}")
    check(not os.path.exists(os.path.join(os.path.dirname(lines), "made")), "a file was made on another machine")
    until("the session to be as it was", lambda: log_of(b, session)[0]["payload"]["placement"]["node"] == "a" and not waits_for_node(b, session))
    w.verify(b)


def nodes_of_one_machine_have_the_same_files(w):
    a, b = w.two()
    session, lines = work_in(w, a, "write")
    until("the approval", lambda: pending(b, session))
    a.kill()
    approve(b, session)
    until("the turn to end", lambda: count(b, session, "turn.completed") == 1)
    check(read(lines) and not waits_for_node(b, session), "the command did not run at once")


def a_session_in_a_shared_workspace_continues_on_any_node_that_names_it(w):
    docs = os.path.join(w.dir, "docs")
    os.mkdir(docs)
    shared = "node.shared_workspaces=" + json.dumps(["docs=" + docs])
    a, b, c = w.machine("a", shared), w.machine("b"), w.machine("c", shared, 'node.labels=["gpu","disk"]')
    listed = {n["name"]: n for n in json.loads(w.thole(b, "node", "ls", "--json"))["nodes"]}
    check(listed["a"]["workspaces"] == [{"name": "docs", "path": docs, "isShared": True}] and listed["c"]["labels"] == ["gpu", "disk"], listed)
    session = ask(a, "submit_turn", input="write", placement={"workspace": "docs"})["sessionId"]
    until("the approval", lambda: pending(b, session))
    a.kill()
    approve(b, session)
    until("the turn to end", lambda: count(b, session, "turn.completed") == 1)
    check(read(os.path.join(docs, "lines")) == docs + "\n", "the command did not run once in the workspace")
    w.verify(b)


def a_new_session_is_made_where_its_placement_is_met(w):
    a, b = w.machine("a"), w.machine("b", 'node.labels=["gpu"]', "node.workspaces=" + json.dumps(["models=" + w.dir]))
    for words in (["--needs", "gpu"], ["--node", "b"], ["--workspace", "models"], ["--workspace", "models", "--needs", "gpu", "--node", "b"]):
        session = json.loads(w.thole(a, "run", "-d", "--json", *words, "hello"))["sessionId"]
        until("the turn to end", lambda: count(a, session, "turn.completed") == 1)
        first = log_of(a, session)[0]["payload"]
        check(("--workspace" in words) == (first["cwd"] == w.dir), first)
        check(first["placement"].get("node") == "b" or first["placement"].get("labels") == ["gpu"], first)
    for bad, code in (({"labels": ["tape"]}, "placement_unmet"), ({"node": "z"}, "placement_unmet"), ({"workspace": "docs"}, "placement_unmet"),
                      ({}, "invalid_value"), ({"node": "a b"}, "invalid_value"), ({"labels": [""]}, "invalid_value"),
                      ({"machine": "m"}, "unknown_field"), ({"labels": ["x"] * 17}, "too_large"), ("a", "invalid_type")):
        before = len(ask(a, "list_sessions")["sessions"])
        got, reply = call(a, "create_session", {"placement": bad})
        check(got == code, f"{bad}: {reply}")
        check(len(ask(a, "list_sessions")["sessions"]) == before, f"{bad} made a session")


def a_session_at_rest_goes_to_the_node_with_its_directory(w):
    a, b = w.machine("a"), w.machine("b")
    session, _ = work_in(w, a, "hello")
    until("the turn to end", lambda: count(b, session, "turn.completed") == 1)
    a.stop()
    submit(b, "for later", session)
    until("the wait for the node", lambda: waits_for_node(b, session))
    a.start()
    until("the turn to end", lambda: count(b, session, "turn.completed") == 2)
    a.stop()
    ask(b, "get_session", sessionId=session)
    a.start()
    submit(b, "again", session)
    until("the turn to end", lambda: count(b, session, "turn.completed") == 3)
    check(len(waits_for_node(b, session)) == 1, "it waited although the node lived")
    w.verify(a)


def settings_of_a_place_that_are_wrong_are_refused(w):
    for setting in ('node.labels=["a b"]', 'node.labels=[""]', "node.labels=" + json.dumps(["x" * 41]), "node.labels=" + json.dumps([f"l{n}" for n in range(17)]),
                    'node.workspaces=["x"]', 'node.workspaces=["x=y"]', 'node.workspaces=["=/x"]', 'node.workspaces=["x=/a/../b"]',
                    'node.workspaces=["x=/a","x=/b"]', "node.workspaces=" + json.dumps([f"w{n}=/w" for n in range(65)])):
        done = subprocess.run([os.path.join(w.build, "thole"), "--data", os.path.join(w.dir, "bad"), "serve", "-c", setting], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": w.dir}, timeout=DEADLINE_S)
        check(done.returncode == 3 and "node." in done.stderr, f"{setting}: {done.returncode} {done.stderr}")


def the_page_about_several_nodes_can_be_typed(w):
    """Its commands in order, with addresses of this test.  A daemon stays in the background."""
    with open(os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "how-to", "several-nodes.md")) as f:
        page = f.read()
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()]
    check(len(lines) == 12, f"the page has {len(lines)} commands")
    changes = {"postgresql:///thole": w.cluster.url(), "~/": w.dir + "/", "4141": str(free_port()), "4142": str(free_port())}
    env = {**os.environ, "XDG_CONFIG_HOME": w.dir, "HOME": w.dir, "THOLE_STORE_SCHEMA": w.schema, "PATH": w.build + ":" + os.environ["PATH"]}
    served = []
    try:
        for line in lines:
            for old, new in changes.items():
                line = line.replace(old, new)
            words = shlex.split(line)
            if words[0] == "createdb":
                continue
            if words[1] == "serve":
                served.append(subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
                check(any("listening" in said or "127.0.0.1:" in said for said in served[-1].stderr), f"{line}: it did not start")
                continue
            if words[3] == "approve":
                until("the approval", lambda: subprocess.run(words[:3] + ["approvals", "-q"], env=env, capture_output=True).stdout)
            done = subprocess.run(line, shell=True, env=env, capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL)
            # A doctor may miss a provider.
            check(done.returncode == 0 or words[3] == "doctor", f"{line} ended with {done.returncode}: {done.stdout}{done.stderr}")
    finally:
        for process in served:
            process.terminate()
        for process in served:
            process.wait(DEADLINE_S)


def stories_of(names, module):
    """The functions of a test that take a world, and nothing else."""
    return [f for f in names.values() if callable(f) and getattr(f, "__module__", "") == module and "_" in f.__name__
            and f.__code__.co_varnames[:1] == ("w",) and f.__code__.co_argcount == 1]


def play(stories, title):
    """Those whose name contains a word of the command line; all without one."""
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [f for f in stories if not words or any(word in f.__name__ for word in words)]
    failed = 0
    with postgres.maybe(build, title) as cluster:
        if not cluster:
            return 0
        for n, story in enumerate(stories, 1):
            w = World(build, cluster)
            skipped = ""
            try:
                story(w)
                why = ""
            except Skipped as e:
                why, skipped = "", f" # SKIP {e}"
            except (Wrong, OSError, subprocess.TimeoutExpired) as e:
                why = (str(e) or repr(e)) + "".join(f"\n{d.name}: {line.rstrip()}" for d in w.daemons for line in getattr(d, "log", [])[-6:])
            finally:
                w.done()
            failed += bool(why)
            print(f"{'not ok' if why else 'ok'} {n} - {story.__name__.replace('_', ' ')}{skipped}", flush=True)
            for line in why.splitlines():
                print("# " + line, flush=True)
        print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(play(stories_of(globals(), "__main__"), "two nodes on PostgreSQL"))
