#!/usr/bin/env python3
"""The setting `notify`: a command and an address get notifications of pending approvals and of ends, each once.

usage: notify_test.py BUILD_DIR          prints TAP
"""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import delivery_test as base  # noqa: E402

scenario, check = base.scenario, base.check
SCRIPT = """{ "version": 1,
  "tools": [ { "name": "write_file", "policy": "ask", "inputSchema": { "type": "object" }, "result": { "text": "written" } } ],
  "rules": [ { "when": { "afterTool": "write_file" }, "reply": { "text": "It is done." } },
             { "when": { "request": 1 }, "reply": { "toolCalls": [ { "name": "write_file", "args": {} } ] } } ],
  "default": { "text": "nothing to do" } }"""


class Stage(base.Stage):
    def __init__(self, build, receiver):
        self.dir = tempfile.mkdtemp(prefix="thole-notify-")
        self.heard = os.path.join(self.dir, "heard")
        self.options = [f"notify.command=cat >>'{self.heard}'; echo >>'{self.heard}'", f"notify.url={receiver.url}",
                        "notify.secret_env=TEST_RECEIVER_SECRET"]
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), SCRIPT, self.options)
        self.start()

    def lines(self):
        if not os.path.exists(self.heard):
            return []
        with open(self.heard) as f:
            return [json.loads(line) for line in f if line.strip()]

    def restart(self, options):
        self.kill()
        self.daemon.options = options
        self.start()

    def deliveries(self, session):
        """The last state of each delivery."""
        found = {}
        for e in self.events(session):
            if e["type"] == "session.updated" and "delivery" in e["payload"]:
                found[e["payload"]["delivery"]["deliveryId"]] = e["payload"]["delivery"]
        return list(found.values())

    def settled(self, session, count, states=("delivered",)):
        return self.until(f"{count} of {states}", lambda: len([d for d in self.deliveries(session) if d["state"] in states]) == count
                          and self.deliveries(session))

    def ask(self):
        ids = self.call("submit_turn", input="write")
        actions = self.until("a question", lambda: self.call("list_actions", sessionId=ids["sessionId"], status="pending")["actions"])
        return ids["sessionId"], actions[0]

    def allow(self, session, action):
        self.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")


def both(s, r):
    session, action = s.ask()
    s.settled(session, 2)
    heard = [x for x in s.lines() if x["sessionId"] == session]
    told = [json.loads(b) for _, b in r.got if json.loads(b)["sessionId"] == session]
    for x in (heard, told):
        check(len(x) == 1 and x[0]["subject"] == "action" and x[0]["actionId"] == action["actionId"], x)
        check(x[0]["summary"] == action["prompt"] and x[0]["askedAt"] and x[0]["expiresAt"] and "endedAt" not in x[0], x)
    check("x-thole-signature" in r.got[-1][0], "it is signed")
    s.allow(session, action)
    s.settled(session, 4)
    heard = [x for x in s.lines() if x["sessionId"] == session]
    check([x["subject"] for x in heard] == ["action", "turn"], heard)
    check(heard[1]["status"] == "completed" and heard[1]["summary"] == "It is done." and heard[1]["endedAt"], heard)


def once(s, r):
    session, action = s.ask()
    s.settled(session, 2)
    before = len(s.lines()), len(r.got)
    s.restart(s.options)
    view = s.call("list_actions", sessionId=session, status="pending")["actions"]
    check(view[0]["actionId"] == action["actionId"], "the question stands")
    s.allow(session, action)
    s.settled(session, 4)
    check((len(s.lines()), len(r.got)) == (before[0] + 1, before[1] + 1), "the end is delivered, the question not again")


def broken(s, r):
    s.restart(["notify.command=echo no >&2; exit 3", f"notify.url={r.url}", "notify.on=[\"action\"]"])
    session, action = s.ask()
    told = s.settled(session, 1, ("queued",))
    why = [d for d in told if d["to"] == "hook:notify:command"][0]["reason"]
    check("code 3" in why and "no" in why, why)
    s.allow(session, action)
    s.until("the end", lambda: [e for e in s.events(session) if e["type"] == "turn.completed"])
    told = s.until("dropped", lambda: [d for d in s.deliveries(session) if d["state"] == "not_applicable"])
    check("answered" in told[0]["reason"], told)
    check({d["subject"] for d in s.deliveries(session)} == {"action"}, "only what `on` names")


def wrong(s, r):
    s.kill()
    for option, word in (("notify.url=ftp://x", "notify"), ("notify.on=[\"moon\"]", "moon"),
                         ("notify.secret_env=TEST_NO_SUCH_VARIABLE", "TEST_NO_SUCH_VARIABLE")):
        s.daemon.options = [f"notify.url={r.url}", option]
        try:
            s.daemon.start()
        except scenario.Wrong as e:
            check(word in str(e) and "notify" in str(e), e)
        else:
            s.kill()
            raise scenario.Wrong(f"{option} was taken")
    s.daemon.options = s.options
    s.start()


TESTS = [("a command and an address get a notification of a question and of the end", both),
         ("a delivered notification is not repeated after a restart", once),
         ("a failed delivery is recorded, blocks nothing, and is dropped when the question is answered", broken),
         ("settings that cannot be meant are refused at the start", wrong)]


if __name__ == "__main__":
    sys.exit(base.play(TESTS, Stage))
