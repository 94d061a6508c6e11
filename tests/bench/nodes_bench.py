#!/usr/bin/env python3
"""Two daemons on one PostgreSQL whose commits reach the disk: how far behind a reader on the other node is, what a forwarded command costs,
how soon the work of a killed node continues, and what nodes at rest do.  Rows for tests/bench/run.

    nodes_bench.py BUILD_DIR
"""
import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "nodes"))
import nodes_test as nodes  # noqa: E402
from nodes_test import Stream, World, ask, count, pending, scenario, submit, until  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
TURNS, CALLS, KILLS, SESSIONS, REST_S = 150, 400, 9, 1000, 20


def row(name, value, floor, target, ok, note=""):
    print("\t".join(["row", name, value, floor, "-", target, "yes" if ok else "no", note]), flush=True)


def share(values, part):
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def behind(w):
    """Both readers follow the same sessions; the clock is the same."""
    a, b = w.two()
    session = submit(a, "hello")
    here, there = Stream(a, session), Stream(b, session)
    until("both readers", lambda: here.has("turn.completed") and there.has("turn.completed"))
    time.sleep(1)
    first, waits = len(here.events), []
    for _ in range(TURNS):
        began = time.monotonic()
        submit(a, "hello", session)
        known = first
        until("the end of the turn", lambda: any(e["type"] == "turn.completed" for e in here.events[known:]))
        first = len(here.events)
        waits.append(here.times[first - 1] - began)
    until("the other reader", lambda: len(there.events) == len(here.events))
    late = [(t - h) * 1000 for h, t in zip(here.times[-first // 2:], there.times[-first // 2:])]
    floor = f"{statistics.median(waits) * 1000:.1f} ms"
    note = "how much later than at a reader on the owner; floor: a turn, from the command to its last event on the owner"
    row("reader on another node, p50", f"{statistics.median(late):.1f} ms", floor, "<= 25 ms", statistics.median(late) <= 25, note)
    row("reader on another node, p99", f"{share(late, 0.99):.1f} ms", floor, "<= 100 ms", share(late, 0.99) <= 100)
    forwarded(a, b, session)


def timed_reads(node, session):
    times, http = [], scenario.Http(node)
    for _ in range(CALLS):
        began = time.monotonic()
        status, data = http.request("POST", "/v1/commands/get_session", json.dumps({"sessionId": session}))
        nodes.check(status == 200, f"get_session: {data[:200]}")
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def forwarded(a, b, session):
    own = timed_reads(a, session)
    other = timed_reads(b, session)
    row("a forwarded command adds, p50", f"{other - own:.2f} ms", f"{own:.2f} ms", "<= 2 ms", other - own <= 2, "floor: the same read at the owner")


def memory(node):
    fields = dict(line.split(":") for line in open(f"/proc/{node.process.pid}/smaps_rollup").read().splitlines()[1:])
    kib = {k: int(v.split()[0]) for k, v in fields.items()}
    return kib["Rss"] / 1024, (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024


def rest(w):
    """Without a reader; each has taken turns."""
    a, b = w.two()
    sessions = [submit(node, "hello") for node in (a, b) * 10]
    until("the turns", lambda: all(count(a, s, "turn.completed") == 1 for s in sessions))
    time.sleep(5)
    w.cluster.log.clear()
    time.sleep(REST_S)
    rate = sum(" execute " in line or " statement: " in line for line in w.cluster.log) / REST_S / 2
    row("statements of a node at rest", f"{rate:.1f} /s", "-", "<= 6 /s", rate <= 6)
    rss, private = memory(a)
    row("memory of a node at rest", f"{rss:.1f} MiB", "-", "<= 20 MiB", rss <= 20)
    row("private memory of a node at rest", f"{private:.1f} MiB", "-", "<= 7 MiB", private <= 7)


def takeover(w):
    took = []
    a, b = w.two()
    for _ in range(KILLS):
        session = submit(a, "approve")
        until("the approval", lambda: pending(b, session))
        stream = Stream(b, session)
        nodes.until_whole(stream, b, session)
        known = len(stream.events)
        a.kill()
        killed = time.monotonic()
        until("the first event of the other node", lambda: len(stream.events) > known)
        took.append(stream.times[known] - killed)
        a.start()
        until("the node that came back to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    note = f"{KILLS} kills; the lease is 1 s"
    row("kill -9 to the first event elsewhere, p50", f"{statistics.median(took):.2f} s", "1.00 s", "<= 1.5 s", statistics.median(took) <= 1.5, note)
    row("kill -9 to the first event elsewhere, most", f"{max(took):.2f} s", "1.00 s", "<= 2 s", max(took) <= 2)


def many(w):
    a, b = w.two()
    sessions = [submit(a, "approve") for _ in range(SESSIONS)]
    until("the last approval", lambda: pending(b, sessions[-1]))
    stream = Stream(b)
    until("all sessions at the reader", lambda: len({e["sessionId"] for e in stream.events} & set(sessions)) == SESSIONS)
    time.sleep(2)
    known = len(stream.events)
    a.kill()
    killed = time.monotonic()
    until("every session to continue", lambda: len({e["sessionId"] for e in stream.events[known:]} & set(sessions)) == SESSIONS)
    seen = {}
    for e, t in zip(stream.events[known:], stream.times[known:]):
        seen.setdefault(e["sessionId"], t)
    last = max(t for s, t in seen.items() if s in set(sessions)) - killed
    row(f"{SESSIONS} open sessions continue elsewhere", f"{last:.2f} s", "1.00 s", "<= 5 s", last <= 5)


def main():
    if not nodes.postgres.find():
        sys.exit(nodes.postgres.WITHOUT)
    durable = {"fsync": "on", "shared_buffers": "128MB"}
    for part, settings in ((behind, durable), (rest, {"log_statement": "all"}), (takeover, durable), (many, durable)):
        with nodes.postgres.Cluster(BUILD, settings) as cluster:
            w = World(BUILD, cluster)
            try:
                part(w)
            finally:
                w.done()


if __name__ == "__main__":
    main()
