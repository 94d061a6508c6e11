#!/usr/bin/env python3
"""Daemons on one PostgreSQL whose commits reach the disk: how long a turn takes, how far behind a reader on the other node is, what a forwarded
command costs, how soon the work of a killed node continues, what nodes at rest do, and what three cost beside one.  Rows for tests/bench/run.

    nodes_bench.py BUILD_DIR
"""
import json
import os
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "nodes"))
import nodes_test as nodes  # noqa: E402
from nodes_test import Stream, World, ask, count, pending, scenario, submit, until  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
TURNS, CALLS, KILLS, SESSIONS, REST_S = 150, 400, 9, 1000, 20
COMMITS, LOAD_S, CLIENTS = 300, 20, 2
FIFTY = json.dumps({"version": 1, "default": {"text": {"repeat": "word {{n}} ", "count": 50}}})


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


def commit_ms(w):
    """One row and a commit, over a connection that stays."""
    file = os.path.join(w.dir, "commits.sql")
    with open(file, "w") as f:
        f.write("CREATE TABLE floor(n int);\n" + "INSERT INTO floor VALUES (1);\n" * COMMITS)
    began = time.monotonic()
    subprocess.run([os.path.join(w.cluster.bin, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", w.cluster.dir, "-U", "thole", "-d", "thole", "-f", file], check=True)
    took = (time.monotonic() - began) * 1000
    w.cluster.sql("DROP TABLE floor")
    return took / COMMITS


def turn(w):
    """Of 50 deltas, as a reader sees it."""
    before, nodes.SCRIPT = nodes.SCRIPT, FIFTY
    a = w.node("a")
    nodes.SCRIPT = before
    session, times = submit(a, "hello"), []
    reader = Stream(a, session)
    until("the first turn", lambda: reader.has("turn.completed"))
    floor = commit_ms(w)
    for _ in range(TURNS):
        known, began = len(reader.events), time.monotonic()
        submit(a, "hello", session)
        until("the end of the turn", lambda: any(e["type"] == "turn.completed" for e in reader.events[known:]), 0.001)
        times.append((next(t for e, t in zip(reader.events[known:], reader.times[known:]) if e["type"] == "turn.completed") - began) * 1000)
    took, most = statistics.median(times), 3 * floor + 2
    row("a turn of 50 deltas, p50", f"{took:.2f} ms", f"{floor:.2f} ms", f"<= {most:.2f} ms", took <= most, "floor: one commit; the target is three of them and 2 ms")


def cpu_s(node):
    fields = open(f"/proc/{node.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def loaded(w, all):
    """Processor milliseconds of the nodes for 1,000 events, and the share of active connections that waited for a lock."""
    end, waits, seen = time.monotonic() + LOAD_S, 0, 0
    schema = f"SET search_path = {w.schema}; "
    before, events = sum(cpu_s(n) for n in all), int(w.cluster.sql(schema + "SELECT sum(last_seq) FROM session")[-1])

    def client(node):
        while time.monotonic() < end:
            submit(node, "hello")

    threads = [threading.Thread(target=client, args=(node,)) for node in all for _ in range(CLIENTS)]
    for t in threads:
        t.start()
    while time.monotonic() < end:
        time.sleep(0.1)
        counts = w.cluster.sql("SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()")[-1].split("|")
        waits, seen = waits + int(counts[0]), seen + int(counts[1])
    for t in threads:
        t.join()
    time.sleep(2)
    events = int(w.cluster.sql(schema + "SELECT sum(last_seq) FROM session")[-1]) - events
    return (sum(cpu_s(n) for n in all) - before) * 1e6 / events, waits / max(seen, 1)


def three(w):
    a = w.node("a")
    submit(a, "hello")
    alone, _ = loaded(w, [a])
    together, waits = loaded(w, [a, w.node("b"), w.node("c")])
    row("processor of three nodes for 1,000 events", f"{together:.1f} ms", f"{alone:.1f} ms", "<= 1.10 of one", together <= 1.1 * alone, "floor: one node with as many clients as each of the three has")
    row("connections that wait for a lock", f"{waits * 100:.2f} %", "-", "< 1 %", waits < 0.01)


def main():
    if not nodes.postgres.find():
        sys.exit(nodes.postgres.WITHOUT)
    durable = {"fsync": "on", "shared_buffers": "128MB"}
    for part, settings in ((turn, durable), (three, durable), (behind, durable), (rest, {"log_statement": "all"}), (takeover, durable), (many, durable)):
        with nodes.postgres.Cluster(BUILD, settings) as cluster:
            w = World(BUILD, cluster)
            try:
                part(w)
            finally:
                w.done()


if __name__ == "__main__":
    main()
