#!/usr/bin/env python3
"""Jobs of many items: one per cent fail and the runtime is killed three times; items given by ref.

usage: job_test.py BUILD_DIR [ITEMS]          prints TAP; 600 items when not said, 10,000 with THOLE_DEEP
"""
import collections
import json
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "lines", "policy": "allowed",
               "result": {"text": {"repeat": "\"line {{n}}\"\n", "bytes": 200000}}},
              {"name": "blanks", "policy": "allowed", "result": {"text": {"repeat": "\n", "bytes": 200000}}}],
    "rules": [{"when": {"text": "make blanks", "request": 1}, "reply": {"toolCalls": [{"name": "blanks", "args": {}}]}},
              {"when": {"text": "make lines", "request": 1}, "reply": {"toolCalls": [{"name": "lines", "args": {}}]}},
              {"when": {"text": "bad"}, "reply": {"error": {"category": "server_error", "message": "no", "retryable": False}}}],
    "default": {"text": "done"}})
until = scenario.until


def play(build, count):
    home = tempfile.mkdtemp(prefix="thole-job-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), SCRIPT, [])
    try:
        daemon.start()
        transport = scenario.Http(daemon)

        def call(command, **params):
            code, reply = transport.call(command, params)
            if code:
                raise scenario.Wrong(f"{command}: {code} {reply.get('detail')}")
            return reply

        items = [f"{'bad' if i % 100 == 99 else 'good'} {i}" for i in range(count)]
        began = time.monotonic()
        ids = call("create_job", instruction="Say done.", items=items, concurrency=8, maxAttempts=20)
        where = {"sessionId": ids["sessionId"], "jobId": ids["jobId"]}
        kills = [count // 4, count // 2, 3 * count // 4]
        job = call("get_job", **where)["job"]

        def done():
            return job["progress"]["completed"] + job["progress"]["failed"]

        def progress(before):
            nonlocal job
            job = call("get_job", **where)["job"]
            return done() != before or job["status"] != "running"

        while job["status"] == "running":
            before = done()
            until(lambda: f"progress after {job}", lambda: progress(before))
            if kills and done() >= kills[0] and job["status"] == "running":
                kills.pop(0)
                daemon.kill()
                daemon.start()
                transport = scenario.Http(daemon)
        took = time.monotonic() - began

        def expect(ok, what):
            if not ok:
                raise scenario.Wrong(what)

        bad = sum(item.startswith("bad") for item in items)
        expect(not kills, "it was over before it was killed three times")
        expect(job["status"] == "completed", str(job))
        expect((job["progress"]["completed"], job["progress"]["failed"]) == (count - bad, bad), str(job["progress"]))
        rows, cursor = [], None
        while True:
            page = call("list_job_items", **where, limit=256, **({"cursor": cursor} if cursor else {}))
            rows += page["items"]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        expect([r["index"] for r in rows] == list(range(count)), "the items are not listed once each, in order")
        outputs, starts, tries = collections.Counter(), collections.Counter(), {}
        for line in transport.events(ids["sessionId"], 0):
            e = json.loads(line)
            if e["type"] == "job.item.started":
                starts[e["jobItemId"]] += 1
                tries[e["jobItemId"]] = e["payload"]["attempt"]
            if e["type"] == "job.item.completed":
                outputs[e["jobItemId"]] += 1
        good = {r["jobItemId"] for r in rows if r["status"] == "completed"}
        expect(set(outputs) == good and set(outputs.values()) == {1}, "an item has more or less than one output")
        expect(len({r["outputRef"] for r in rows if "outputRef" in r}) == len(good), "outputs are shared")
        expect(all(r["attemptCount"] == starts[r["jobItemId"]] == tries[r["jobItemId"]] for r in rows),
               "attempt counts differ from the attempts")
        again = sum(n > 1 for n in starts.values())
        return f"{count} items in {took:.1f} s with three restarts, {again} tried again"
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


def items_behind_a_ref(build):
    """A large output of a tool is the input: its lines are counted and read one by one."""
    home = tempfile.mkdtemp(prefix="thole-job-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), SCRIPT, [])
    try:
        daemon.start()
        transport = scenario.Http(daemon)

        def call(command, **params):
            code, reply = transport.call(command, params)
            if code:
                raise scenario.Wrong(f"{command}: {code} {reply.get('detail')}")
            return reply

        session = call("submit_turn", input="make lines")["sessionId"]

        def spilled():
            events = [json.loads(e) for e in transport.events(session, 0)]
            return [e["outputRef"] for e in events if e["type"] == "output.spilled"]

        ref = until("the output", spilled)[0]
        job = call("create_job", sessionId=session, instruction="Say done.", inputRef=ref, concurrency=4)
        text = call("get_output", outputRef=ref, offset=0, length=1000)["text"]
        if job["itemCount"] < 15000:
            raise scenario.Wrong(f"{job['itemCount']} items were counted")

        def some():
            return call("get_job", sessionId=session, jobId=job["jobId"])["job"]["progress"]["completed"] > 20

        until("the first items", some)
        call("cancel_job", sessionId=session, jobId=job["jobId"])
        turns = [json.loads(e) for e in transport.events(session, 0)]
        said = [e["payload"]["input"][0]["preview"] for e in turns if e["type"] == "turn.submitted" and "jobId" in e]
        lines = text.splitlines()
        for n in range(10):
            if said[n] != "Say done.\n\n" + lines[n]:
                raise scenario.Wrong(f"item {n} was given {said[n]!r}")
        return f"{job['itemCount']} items counted"
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


def no_items_behind_a_ref(build):
    """An output without a line is no input: the command is refused, and does not count it again and again."""
    home = tempfile.mkdtemp(prefix="thole-job-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), SCRIPT, [])
    try:
        daemon.start()
        transport = scenario.Http(daemon)
        session = transport.call("submit_turn", {"input": "make blanks"})[1]["sessionId"]
        refs = until("the output", lambda: [e["outputRef"] for e in map(json.loads, transport.events(session, 0)) if e["type"] == "output.spilled"])
        code, reply = transport.call("create_job", {"sessionId": session, "instruction": "Say done.", "inputRef": refs[0]})
        if code != "missing_field":
            raise scenario.Wrong(f"it was answered with {code}: {reply}")
        return reply["detail"]
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


def every_item_is_listed(build):
    """An item that has begun, with an event that is not durable yet, was in neither part of the list."""
    home = tempfile.mkdtemp(prefix="thole-job-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), SCRIPT, [])
    try:
        daemon.start()
        transport = scenario.Http(daemon)
        lists = 0
        for _ in range(60):
            code, ids = transport.call("create_job", {"instruction": "Say done.", "items": [f"good {i}" for i in range(12)], "concurrency": 3})
            where = {"sessionId": ids["sessionId"], "jobId": ids["jobId"]}
            while True:
                items = transport.call("list_job_items", where)[1]["items"]
                lists += 1
                if [i["index"] for i in items] != list(range(12)):
                    raise scenario.Wrong(f"list {lists}: {[(i['index'], i['status']) for i in items]}")
                if all(i["status"] == "completed" for i in items):
                    break
        return f"{lists} lists"
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


def main():
    build = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000 if os.environ.get("THOLE_DEEP") else 600
    tests = [(f"a job of {count} items ends with one output each, whatever dies on the way", lambda: play(build, count)),
             ("items behind a ref are read line by line", lambda: items_behind_a_ref(build)),
             ("a ref without a line is refused", lambda: no_items_behind_a_ref(build)),
             ("every item is listed at every time", lambda: every_item_is_listed(build))]
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        try:
            print(f"# {test()}\nok {number} - {name}", flush=True)
        except (scenario.Wrong, OSError) as e:
            failed += 1
            print(f"not ok {number} - {name}\n# {e}", flush=True)
    print(f"1..{len(tests)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
