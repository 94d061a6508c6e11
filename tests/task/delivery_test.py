#!/usr/bin/env python3
"""Notifications are delivered by address and by command, with retries, also after kill -9.

usage: delivery_test.py BUILD_DIR          prints TAP
"""
import hashlib
import hmac
import http.server
import json
import os
import shutil
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
import run as scenario  # noqa: E402

SECRET = "s3cret-of-the-receiver"


class Receiver:
    """A server that answers as configured and keeps its requests."""

    def __init__(self):
        self.got, self.answer = [], 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got.append((dict(self.headers), body))
                self.send_response(outer.answer)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/told"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Stage:
    def __init__(self, build, receiver):
        self.dir = tempfile.mkdtemp(prefix="thole-told-")
        hooks = {"delivery": [{"name": "ops", "url": receiver.url, "secret_env": "TEST_RECEIVER_SECRET", "match": "task|job"},
                              {"name": "bell", "command": "grep -q '\"subject\":\"turn\"'", "match": "turn"}]}
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), None, [f"hooks={json.dumps(hooks)}"])
        self.start()

    def start(self):
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)

    def kill(self):
        self.daemon.process.kill()
        self.daemon.process.wait()

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise scenario.Wrong(f"{command}: {code}: {reply.get('detail')}")
        return reply

    until = staticmethod(scenario.until)

    def events(self, session):
        return [json.loads(e) for e in self.transport.events(session, 0)]

    def states(self, session):
        return [e["payload"]["delivery"]["state"] for e in self.events(session)
                if e["type"] == "session.updated" and "delivery" in e["payload"]]


def check(condition, what):
    if not condition:
        raise scenario.Wrong(what)


def by_address(s, r):
    ids = s.call("create_task", objective="tell me", start=True)
    s.until("delivered", lambda: s.states(ids["sessionId"])[-1:] == ["delivered"])
    headers, body = r.got[-1]
    told = json.loads(body)
    check(told["subject"] == "task" and told["taskId"] == ids["taskId"] and told["status"] == "completed", f"told {told}")
    mac = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    check(headers["x-thole-signature"] == f"sha256={mac}", "the signature is wrong")
    check(headers["x-thole-hook-run"] == told["deliveryId"], "the id is not in the header")
    events = s.events(ids["sessionId"])
    check(s.states(ids["sessionId"]) == ["pending", "delivered"], "pending, then delivered")
    ends = [i for i, e in enumerate(events) if e["type"] == "task.completed" and e["taskId"] == ids["taskId"]]
    notified_at = [i for i, e in enumerate(events) if e["type"] == "session.updated"]
    check(ends[0] < notified_at[0], "notified before it ended")
    view = s.call("get_session", sessionId=ids["sessionId"])
    check(view["deliveryState"]["state"] == "delivered", f"the session shows {view['deliveryState']}")
    thread = s.call("get_thread_read", sessionId=ids["sessionId"], threadId=ids["threadId"])
    check(thread["deliveryState"]["to"] == "hook:user:ops", f"the thread shows {thread.get('deliveryState')}")
    check(SECRET not in json.dumps(events), "the secret is in the log")
    task = s.call("get_task", sessionId=ids["sessionId"], taskId=ids["taskId"])["task"]
    check(task["deliveryState"] == {"state": "delivered", "to": "hook:user:ops"}, f"the task shows {task['deliveryState']}")


def again(s, r):
    r.answer = 503
    before = len(r.got)
    ids = s.call("create_task", objective="tell me again", start=True)
    s.until("queued", lambda: "queued" in s.states(ids["sessionId"]))
    task = s.call("get_task", sessionId=ids["sessionId"], taskId=ids["taskId"])["task"]
    check(task["deliveryState"]["state"] in ("queued", "pending"), f"the task shows {task['deliveryState']}")
    last = [e for e in s.events(ids["sessionId"]) if e["type"] == "session.updated" and e["deliveryState"]["state"] == "queued"][-1]
    check("503" in last["deliveryState"]["reason"] and last["payload"]["delivery"]["nextAt"], f"{last}")
    s.kill()
    r.answer = 200
    s.start()
    s.until("delivered", lambda: s.states(ids["sessionId"])[-1:] == ["delivered"])
    same = {json.loads(b)["deliveryId"] for _, b in r.got[before:]}
    check(len(same) == 1 and len(r.got) - before >= 2, "several attempts of one delivery")


def killed(s, r):
    r.answer = 503
    ids = s.call("create_task", objective="tell me later", start=True)
    s.until("pending", lambda: s.states(ids["sessionId"]))
    s.kill()
    r.answer = 200
    before = len(r.got)
    s.start()
    s.until("delivered", lambda: s.states(ids["sessionId"])[-1:] == ["delivered"])
    check(len(r.got) > before, "sent again after the restart")


def by_command(s, r):
    ids = s.call("submit_turn", input="hello")
    s.until("delivered", lambda: s.states(ids["sessionId"])[-1:] == ["delivered"])


def gone(s, r):
    r.answer = 503
    ids = s.call("create_task", objective="notify no one", start=True)
    s.until("queued", lambda: "queued" in s.states(ids["sessionId"]))
    s.kill()
    s.daemon.options = []
    s.start()
    s.until("parent missing", lambda: s.states(ids["sessionId"])[-1:] == ["parent_missing"])
    view = s.call("get_session", sessionId=ids["sessionId"])
    check(view["deliveryState"]["state"] == "parent_missing", f"the session shows {view['deliveryState']}")
    task = s.call("get_task", sessionId=ids["sessionId"], taskId=ids["taskId"])["task"]
    check(task["deliveryState"]["state"] == "parent_missing", f"the task shows {task['deliveryState']}")


TESTS = [("an end is delivered to an address, signed, and the secret stays private", by_address),
         ("what did not arrive is sent again, also after kill -9, under the same id", again),
         ("what was pending when the runtime died is sent by the next one", killed),
         ("a command gets notifications of turns", by_command),
         ("a receiver that was removed from the settings is reported as missing", gone)]


def play(tests, make_stage):
    """One after the other on one stage; the exit code."""
    os.environ["TEST_RECEIVER_SECRET"] = SECRET
    receiver, failed = Receiver(), 0
    stage = make_stage(os.path.abspath(sys.argv[1]), receiver)
    for number, (name, test) in enumerate(tests, 1):
        try:
            test(stage, receiver)
            print(f"ok {number} - {name}", flush=True)
        except scenario.Wrong as e:
            failed += 1
            print(f"not ok {number} - {name}\n# {e}", flush=True)
    stage.kill()
    shutil.rmtree(stage.dir, ignore_errors=True)
    print(f"1..{len(tests)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(play(TESTS, Stage))
