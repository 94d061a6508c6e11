#!/usr/bin/env python3
"""A job whose items run on several nodes on one PostgreSQL.

usage: jobs_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
THOLE_ITEMS: how many items the large job has; default 400.
"""
import collections
import os
import random
import sys
import time

import nodes_test as nodes
from nodes_test import ask, call, check, log_of, scenario, until
from wait import slowdown

CONCURRENCY = 12


# ---- helpers --------------------------------------------------------------------------------------

def together(*some):
    """Each has seen the others live: a job leaves shares to those alone."""
    for node in some:
        until("a node to see the others", lambda n=node: nodes.figures(n)["thole_nodes"] == len(some))
    return some


def create_job(node, items, instruction="do", **more):
    more = {"concurrency": CONCURRENCY, "maxAttempts": 30, **more}
    made = ask(node, "create_job", instruction=instruction, items=[f"item {n}" for n in range(items)], **more)
    return made["sessionId"], made["jobId"]


def job_of(node, session, job):
    """What any node says; None while its owner changes."""
    code, reply = call(node, "get_job", {"sessionId": session, "jobId": job})
    return None if code else reply["job"]


def all_items(node, session, job):
    found, cursor = [], {}
    while True:
        page = ask(node, "list_job_items", sessionId=session, jobId=job, limit=200, **cursor)
        found += page["items"]
        if "nextCursor" not in page:
            return found
        cursor = {"cursor": page["nextCursor"]}


def places_of(events):
    """Where each item was begun: node:NAME, or owner."""
    def place(event):
        return (event["payload"].get("worker") or {}).get("workerId", "owner:").rpartition(":")[0]

    return collections.Counter(place(e) for e in events if e["type"] == "job.item.started")


def work_sessions(events):
    return {e["payload"]["worker"]["sessionId"] for e in events if e["type"] == "job.item.started" and "worker" in e["payload"]}


def check_once(events, count):
    """Each item has one output, and no two attempts at it at the same time."""
    running, done = set(), []
    for e in events:
        if e["type"] == "job.item.started":
            check(e["jobItemId"] not in running, f"{e['jobItemId']} was begun twice")
            running.add(e["jobItemId"])
        elif e["type"] in ("job.item.completed", "job.item.failed"):
            running.remove(e["jobItemId"])
            if e["type"] == "job.item.completed":
                done.append(e["jobItemId"])
        check(len(running) <= CONCURRENCY, "more items ran than may")
    check(not running, f"{len(running)} items did not end")
    check(len(done) == count and len(set(done)) == count, f"{len(done)} outputs of {count} items, {len(set(done))} of them of different ones")


# ---- stories --------------------------------------------------------------------------------------

def nodes_share_the_items_of_a_job(w):
    a, b = together(*w.two())
    session, job = create_job(a, 120, "soon")
    until("the job", lambda: job_of(b, session, job)["status"] == "completed")
    events = log_of(b, session)
    check_once(events, 120)
    places = places_of(events)
    check(places["owner"] >= 30 and places["node:b"] >= 30, f"the nodes took {places}")
    reported = sum("reportedBy" in e["payload"] for e in events if e["type"] == "job.item.completed")
    check(reported == places["node:b"], f"the other node began {places['node:b']} items and has output of {reported}")
    for item in all_items(b, session, job):
        text = ask(b, "get_output", outputRef=item["outputRef"], sessionId=session)["text"]
        check(text == "done", f"the output of {item['jobItemId']} is {text}")
    at_b, = work_sessions(events)
    check(ask(a, "get_session", sessionId=at_b)["sessionId"] == at_b, "the session of the other node cannot be read")
    w.verify(a)


def an_item_that_asks_is_answered_in_the_session_where_it_runs(w):
    a, b = together(*w.two())
    session, job = create_job(a, 40, "approve", concurrency=4)
    # Those of the owner wait, so the other half is left.
    until("items at the other node", lambda: places_of(log_of(a, session))["node:b"] >= 2)

    def answer_all():
        events = log_of(a, session)
        for at in {session, *work_sessions(events)}:
            open_actions = {}
            for e in log_of(b, at):
                if e["type"] == "action.required":
                    open_actions[e["actionId"]] = True
                elif e["type"] == "action.resolved":
                    open_actions.pop(e["actionId"], None)
            for action in open_actions:
                call(b, "respond_action", {"sessionId": at, "actionId": action, "decision": "allow", "scope": "once"})
        return job_of(b, session, job)["status"] == "completed"

    until("the job", answer_all)
    events = log_of(b, session)
    check_once(events, 40)
    check(places_of(events)["node:b"] >= 2, f"the nodes took {places_of(events)}")


def a_cancel_stops_the_items_of_the_other_node(w):
    a, b = together(*w.two())
    session, job = create_job(a, 40, "think")
    until("items at the other node", lambda: places_of(log_of(a, session))["node:b"] >= 2)
    ask(b, "cancel_job", sessionId=session, jobId=job)
    at_b, = work_sessions(log_of(a, session))

    def is_at_rest():
        events = log_of(b, at_b)
        begun = sum(e["type"] == "turn.started" for e in events)
        return begun and begun == sum(e["type"] == "turn.failed" for e in events)

    until("the turns of the other node to stop", is_at_rest)


def a_large_job_over_three_nodes_with_kills(w):
    items = int(os.environ.get("THOLE_ITEMS", "400"))
    three = together(*(w.node(name) for name in "abc"))
    session, job = create_job(three[0], items, "soon")
    deadline, kills, last = time.monotonic() + slowdown() * (60 + items / 5), 0, time.monotonic()
    rng = random.Random(items)
    while True:
        live = [n for n in three if n.process and n.process.poll() is None]
        now = job_of(live[0], session, job)
        if now and now["status"] == "completed":
            break
        check(not now or now["status"] == "running", f"the job is {now}")
        check(time.monotonic() < deadline, f"the job did not end: {now}")
        if time.monotonic() - last > 2 and len(live) == 3:
            rng.choice(three).kill()
            kills += 1
            last = time.monotonic()
        elif time.monotonic() - last > 1 and len(live) < 3:
            for node in three:
                if node not in live:
                    node.start()
                    until(f"node {node.name}", lambda n=node: scenario.Http(n).request("GET", "/readyz")[0] == 200)
            last = time.monotonic()
        time.sleep(0.1)
    for node in three:
        if not node.process or node.process.poll() is not None:
            node.start()
            until(f"node {node.name}", lambda n=node: scenario.Http(n).request("GET", "/readyz")[0] == 200)
    events = log_of(three[0], session)
    check_once(events, items)
    places = places_of(events)
    check(len(places) >= 2 and kills >= 3, f"{kills} kills, and {places} took items")
    check(all(i["status"] in ("completed", "reported") for i in all_items(three[1], session, job)), "an item has no output in its row")
    print(f"# {items} items, {kills} kills, begun at {dict(places)}", flush=True)
    for at in work_sessions(events):
        until(f"{at} to be at rest", lambda at=at: is_at_rest(three[2], at))
    w.verify(three[0])


def is_at_rest(node, session):
    code, reply = call(node, "list_threads", {"sessionId": session})
    return not code and all("activeTurnId" not in t for t in reply["threads"])


if __name__ == "__main__":
    sys.exit(nodes.play(nodes.stories_of(globals(), "__main__"), "jobs over several nodes"))
