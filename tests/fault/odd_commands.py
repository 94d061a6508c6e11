#!/usr/bin/env python3
"""Commands with odd arguments: whatever is accepted leaves events that the log accepts.

usage: odd_commands.py BUILD_DIR [ROUNDS] [SEED]     prints TAP; a failure names the command that came before it

Arguments are made from the catalogue: members are left out or filled with ids that exist, words of their enumeration, and
values at the edge of what their type permits.  The daemon is strict: it ends when an event is refused (THOLE_STRICT).
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "scenario"), str(ROOT / "tests" / "lib")]
import tap  # noqa: E402
from run import Daemon, Http, Wrong  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
RECORDS = json.loads((ROOT / "catalog/records.json").read_text())["records"]
ENUMS = json.loads((ROOT / "catalog/vocab.json").read_text())["enums"]
COMMANDS = {name: row for path in sorted((ROOT / "catalog/commands").glob("*.json")) for name, row in json.loads(path.read_text()).items()
            if row["state"] == "built" and row["kind"] == "mutate" and not row.get("internal") and name != "rotate_token"}
# What ends the session or the pool of ids that the others need is rare. rotate_token would end the token of this test.
RARE = {"delete_session", "trim_log", "erase_event", "interrupt_turn", "archive_task", "create_signing_key", "create_token"}
SCRIPT = json.dumps({"version": 1,
                     "tools": [{"name": "note", "policy": "ask", "result": {"text": "noted"}}],
                     "rules": [{"when": {"request": 1, "text": "note"}, "reply": {"toolCalls": [{"name": "note", "args": {}}]}}],
                     "default": {"text": "done"}})
TEXTS = ["", " ", "x", "note", "é\u202e\u0007", "a/b", "../..", "/", ".", "0" * 64, "out_1", "2026-01-01T00:00:00Z", "*/5 * * * *", "y" * 3000, "{}", "null"]
WORK = "the directory of the work"
NUMBERS = [0, 1, -1, 2, 3, 7, 1000, 2 ** 31, 2 ** 53 - 1, -2 ** 53 + 1]


class Maker:
    """Makes arguments; remembers every id of a session that its events showed."""

    def __init__(self, seed, work):
        self.rng, self.work, self.sessions, self.now = random.Random(seed), work, {}, {}

    def learn(self, session, value):
        ids = self.sessions.setdefault(session, {"sessionId": [session]})
        if isinstance(value, list):
            for v in value:
                self.learn(session, v)
        for key, v in value.items() if isinstance(value, dict) else ():
            if isinstance(v, str) and key.endswith(("Id", "Ref")) and key != "sessionId" and v not in ids.setdefault(key, []):
                ids[key] = ids[key][-40:] + [v]
            self.learn(session, v)

    def id_for(self, name):
        fitting = [key for key in self.now if self.now[key] and name.lower().endswith(key.lower())]
        if fitting and self.rng.random() < (0.97 if name == "sessionId" else 0.85):
            return self.rng.choice(self.now[max(fitting, key=len)][-8:])
        return self.rng.choice([f"own_{self.rng.randrange(1000)}", "nothing"])

    def any_json(self, depth=0):
        r = self.rng
        kind = r.randrange(7 if depth < 2 else 5)
        if kind == 5:
            return [self.any_json(depth + 1) for _ in range(r.randrange(3))]
        if kind == 6:
            return {r.choice(["type", "text", "kind", "ref", "id", "x"]): self.any_json(depth + 1) for _ in range(r.randrange(3))}
        return r.choice([None, True, r.choice(NUMBERS), 1.5, r.choice(TEXTS)])

    def value(self, field):
        r, kind = self.rng, field["type"]
        if kind.startswith("list "):
            return [self.value({**field, "type": kind[5:]}) for _ in range(r.choice([0, 1, 1, 2, 3]))]
        if kind.startswith("rec "):
            return self.record(RECORDS[kind[4:]])
        if kind.startswith("enum "):
            words = ENUMS[kind[5:]]
            words = words if isinstance(words, list) else words.get("words", words)
            return r.choice([w["word"] if isinstance(w, dict) else w for w in words])
        if kind == "id" or field["name"].endswith("Ref"):
            return self.id_for(field["name"])
        if kind == "str":
            if field["name"] == "cwd":
                return r.choice([self.work, self.work, self.work + "/gone", "x"])
            return r.choice(TEXTS) if r.random() < 0.4 else r.choice(["x", "note"])
        if kind == "int" and r.random() < 0.6:
            return r.randrange(1, 5)
        return {"int": lambda: r.choice(NUMBERS), "usd": lambda: r.choice([0, 0.01, 1, -1, 1e12]), "bool": lambda: r.random() < 0.5,
                "time": lambda: r.choice(["2026-01-01T00:00:00Z", "2199-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z"]),
                "num": lambda: r.choice([0, 0.5, -1, 1e300]), "dict": lambda: {r.choice(TEXTS): r.choice(TEXTS)}}.get(kind, self.any_json)()

    def record(self, fields):
        often = self.rng.choice([0.02, 0.1, 0.3, 0.6])
        return {f["name"]: self.value(f) for f in fields if f.get("required") and self.rng.random() < 0.99 or self.rng.random() < often}

    def command(self):
        name = self.rng.choice(sorted(COMMANDS))
        self.now = self.sessions[self.rng.choice(list(self.sessions)[-6:])] if self.sessions else {}
        if name in RARE and self.rng.random() < 0.9:
            name = "submit_turn"
        args = self.record(COMMANDS[name]["args"])
        if name == "submit_turn" and self.rng.random() < 0.7:
            args["input"] = self.rng.choice(["hello", "note", [{"type": "text", "text": "note"}]])
        return name, args


def begin(data):
    daemon = Daemon(BUILD, data, SCRIPT, ["limits.tasks_tenant=100000"])
    daemon.start()
    return daemon, Http(daemon)


TRIAL = {"datasetId": "d", "datasetVersion": "1", "taskId": "t", "configurationId": "c", "trialId": "trial_1"}
# Objects that most commands need.
SEEDS = [("start_benchmark_trial", {"input": "note", "cwd": WORK, "benchmark": TRIAL}), ("submit_turn", {"input": "next", "delivery": "queue"}),
         ("create_task", {"objective": "one"}), ("create_task", {"objective": "two"}), ("create_task", {"objective": "three"}),
         ("start_task", {"taskId": "{taskId}", "worker": {"kind": "external"}}), ("claim_task", {"taskId": "{taskId}", "workerId": "w"}),
         ("spawn_subagent", {"input": "hello", "role": "helper", "parentThreadId": "{threadId}"}),
         ("create_job", {"instruction": "note", "items": ["a", "b"], "cwd": WORK}), ("create_job", {"instruction": "x", "items": [1], "start": False}),
         ("create_schedule", {"cron": "0 0 1 1 *", "task": {"objective": "four"}}),
         ("reconnect_channel", {"channelId": "chan_1"})]


def plant(client, maker):
    """A session with something of each kind."""
    session = ""
    for name, args in SEEDS:
        ids = maker.sessions.get(session, {})
        args = {key: ids[v[1:-1]][-1] if isinstance(v, str) and v[0] == "{" else maker.work if v is WORK else v for key, v in args.items()}
        code, reply = client.call(name, {**args, "sessionId": session} if session else args)
        if code and len(maker.sessions) < 2:  # later, a rule or a mode that was set may refuse it
            raise Wrong(f"{name}: {code} {reply.get('detail')}")
        session = session or reply.get("sessionId", "")
        if not code:
            maker.learn(session, reply)


def look(client, maker):
    """Learns the ids of the newest events; forgets sessions that are gone."""
    for session in list(maker.sessions):
        try:
            maker.learn(session, [json.loads(line) for line in client.events(session, 0)[-80:]])
        except Wrong:
            del maker.sessions[session]


def fault_of(daemon):
    said = [line for line in daemon.whole_log().splitlines() if "error" in line.lower() or "abort" in line.lower()]
    return said[-1] if said else f"it ended with {daemon.process.returncode}: {daemon.log[-3:]}"


def play(where):
    """Returns (counts of replies, faults): a fault is what the daemon said, and the commands before it."""
    work = os.path.join(where, "work")
    os.makedirs(work)
    maker, faults, counts, last = Maker(SEED, work), {}, {}, []
    daemon, client = begin(os.path.join(where, "data"))
    for n in range(ROUNDS):
        try:
            if n % 100 == 0:
                plant(client, maker)
            if n % 25 == 0:
                look(client, maker)
            name, args = maker.command()
            last = last[-3:] + [f"{name} {json.dumps(args)[:1500]}"]
            code, reply = client.call(name, args)
            counts[name, code or "accepted"] = counts.get((name, code or "accepted"), 0) + 1
            if reply.get("sessionId", "").startswith("sess_"):
                maker.learn(reply["sessionId"], reply)
        except (OSError, http.client.HTTPException):
            daemon.process.wait()
            said = fault_of(daemon)
            faults.setdefault(said.split(": ", 1)[-1], (said, last))
            daemon, client = begin(daemon.data)
    daemon.stop()
    return counts, faults


def whatever_is_accepted_leaves_events_that_the_log_accepts():
    where = tempfile.mkdtemp(prefix="thole-odd-")
    try:
        counts, faults = play(where)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    taken = {name: sum(n for (c, code), n in counts.items() if (c, code) == (name, "accepted")) for name in COMMANDS}
    print(f"# {sum(taken.values())} of {sum(counts.values())} were accepted; never: " + ", ".join(n for n in taken if not taken[n]))
    assert not faults, "\n".join(f"{said}\n  " + "\n  ".join(last) for said, last in faults.values())
    assert sum(taken.values()) > ROUNDS / 20, counts


if __name__ == "__main__":
    sys.exit(tap.play([whatever_is_accepted_leaves_events_that_the_log_accepts]))
