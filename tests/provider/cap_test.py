#!/usr/bin/env python3
"""One dollar for the day, fifty turns in parallel, five times kill -9, against the real daemon.

usage: cap_test.py BUILD_DIR

The models are the simulator's: one that uses ten times what was estimated, one that says nothing about
usage, one that dies in the middle of its answer.  Whenever one looks, what is recorded passes the cap by no
more than one reservation, and no request is settled twice or never.  Prints TAP.
"""
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("acceptance", HERE / "acceptance.py")
acceptance = importlib.util.module_from_spec(spec)
spec.loader.exec_module(acceptance)
scenario = acceptance.scenario

NANO = 10**9
CAP = NANO
ESTIMATE = NANO // 100      # 1,000 tokens out at ten dollars a million
DEAREST = 10 * ESTIMATE     # what one request may turn out to cost
TURNS, RESTARTS = 50, 5
MODELS = ("dear", "silent", "dying")
OVER = {"turn.completed", "turn.failed"}


def provider(port, behaviour):
    return {"dialect": "compatible", "keyEnv": "SIM_KEY", "baseUrl": f"http://127.0.0.1:{port}/{behaviour}/v1",
            "timeouts": {"stallMs": 200},
            "models": [{"model": "sim-1", "windowTokens": 100000, "maxOutputTokens": 1000,
                        "price": {"inputPerMTok": 0, "outputPerMTok": 10}}]}


class World:
    def __init__(self, build, port):
        self.dir = tempfile.mkdtemp(prefix="thole-cap-")
        providers = {"dear": provider(port, "usage=10000"), "silent": provider(port, "no-usage"),
                     "dying": provider(port, "stall")}
        options = ["providers=" + json.dumps(providers), "budget.day_usd=1", "recovery.resume=auto", "routing.fallback=deny"]
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), None, options)
        self.logs = {}

    def start(self):
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)

    def submit(self, n):
        code, reply = self.transport.call("submit_turn", {
            "sessionId": f"sess_{n}", "turnId": f"turn_{n}", "input": "spend it", "model": MODELS[n % 3] + "/sim-1"})
        assert not code, reply

    def look(self):
        """All events of all sessions, as they are on the disk."""
        for n in range(TURNS):
            log = self.logs.setdefault(n, [])
            log += [json.loads(line) for line in self.transport.events(f"sess_{n}", len(log))]
        return [e for log in self.logs.values() for e in log]

    def is_over(self):
        return all(any(e["type"] in OVER for e in log) for log in self.logs.values()) and len(self.logs) == TURNS

    def close(self):
        if self.daemon.process and self.daemon.process.poll() is None:
            self.daemon.process.kill()
            self.daemon.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def recorded(events):
    return [round(e["payload"]["amountUsd"] * NANO) for e in events if e["type"] == "cost.recorded"]


def reserved(events):
    return [round(e["payload"]["reservation"]["amountUsd"] * NANO) for e in events if e["type"] == "cost.estimated"]


def check_sum(events):
    spent, most = sum(recorded(events)), max(reserved(events), default=0)
    assert spent <= CAP + most, f"{spent / NANO} dollars are recorded under a cap of one, the largest reservation was {most / NANO}"


def check_learned(events):
    """One overrun was enough: whatever the dear model was asked after it had its whole price set aside."""
    overruns = [e for e in events if e["type"] == "cost.recorded" and "overrun" in e["payload"]]
    assert len(overruns) == 1 and overruns[0]["payload"]["overrun"]["percent"] == 1000, overruns
    dear = {e["modelRequestId"] for e in events if e["type"] == "model.requested" and e["payload"]["provider"] == "dear"}
    late = [e["payload"] for e in events if e["type"] == "cost.estimated" and e["modelRequestId"] in dear
            and e["timestamp"] > overruns[0]["timestamp"]]
    # All dear requests may have been sent before the overrun; list_models below shows what was learned then, too.
    assert all(p["reckonedPercent"] == 1000 and round(p["estimatedUsd"] * NANO) == DEAREST for p in late), late


def check_once(events):
    """Each request that was paid for in advance is settled once."""
    settled = collections.Counter(e["modelRequestId"] for e in events if e["type"] == "cost.recorded")
    reserved = collections.Counter(e["modelRequestId"] for e in events if e["type"] == "cost.estimated")
    assert settled == reserved and max(settled.values()) == 1, (settled - reserved, reserved - settled)


def check_kinds(events):
    """The run covered what it should: each kind of end occurred, and the cap stopped a request."""
    amounts = recorded(events)
    assert DEAREST in amounts and ESTIMATE in amounts, amounts
    bases = {e["payload"]["basis"] for e in events if e["type"] == "cost.recorded"}
    assert {"provider_usage", "estimate"} <= bases, bases
    kinds = collections.Counter(e["type"] for e in events)
    assert kinds["quota.blocked"] and kinds["quota.low"], kinds
    assert any(e["type"] == "model.failed" and e["payload"]["category"] == "lost" for e in events), "nothing was lost"


def wait_for(world, is_there):
    counts = []

    def looks():
        events = world.look()
        counts[:] = [collections.Counter(e["type"] for e in events)]
        check_sum(events)
        return is_there(events) and events

    return scenario.until(lambda: f"requests to move on: {counts}", looks, base_s=120)


def under_way(events):
    kinds = collections.Counter(e["type"] for e in events)
    return kinds["model.requested"] - kinds["model.completed"] - kinds["model.failed"]


def a_cap_of_one_dollar_holds(world):
    world.start()
    with concurrent.futures.ThreadPoolExecutor(TURNS) as pool:
        list(pool.map(world.submit, range(TURNS)))
    for _ in range(RESTARTS):
        wait_for(world, lambda events: under_way(events) > 0 or world.is_over())
        world.daemon.kill()
        world.start()
    events = wait_for(world, lambda _: world.is_over())
    check_once(events)
    check_kinds(events)
    check_learned(events)
    _, models = world.transport.call("list_models", {})
    day = next(b for b in models["budgets"] if b["scope"] == "day")
    assert round(day["spentUsd"] * NANO) == sum(recorded(events)) and day["reservedUsd"] == 0, day
    reckoned = {m["provider"]: m.get("reckonedPercent") for m in models["models"]}
    assert (reckoned["dear"], reckoned["silent"]) == (1000, None), reckoned
    print(f"# {sum(recorded(events)) / NANO:.2f} dollars in {len(recorded(events))} requests", flush=True)
    world.daemon.stop()


def main():
    os.environ["SIM_KEY"] = acceptance.KEY
    sim = acceptance.Simulator()
    world = World(os.path.abspath(sys.argv[1]), sim.port)
    try:
        a_cap_of_one_dollar_holds(world)
        print("ok 1 - cap: fifty turns in parallel and five restarts keep to one dollar")
        code = 0
    except (AssertionError, scenario.Wrong) as e:
        print("not ok 1 - cap: fifty turns in parallel and five restarts keep to one dollar")
        print("# " + str(e).replace("\n", "\n# "))
        code = 1
    finally:
        world.close()
        sim.close()
    print("1..1")
    return code


if __name__ == "__main__":
    sys.exit(main())
