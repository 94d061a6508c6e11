#!/usr/bin/env python3
"""`thole trial run`: tasks with two configurations, killed with SIGKILL at many events and continued by the same command.

usage: trial_run_test.py BUILD_DIR          prints TAP; with THOLE_DEEP every event with every victim

No trial that has ended is lost or repeated, each has one reward, and the job completes.
"""
import collections
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_fixture import DEADLINE_S, THOLE, Fixture, until  # noqa: E402

SCRIPT = {"rules": [{"when": {"afterTool": "write_file"}, "reply": {"text": "done"}},
                    {"when": {"text": "answer", "request": {"min": 1, "max": 50}}, "reply": {"text": "I write it.", "toolCalls": [
                        {"name": "write_file", "args": {"path": "answer.txt", "content": "42\n"}}]}}], "default": {"text": "done"}}
VERIFIER = """echo "checks $(pwd)"
[ -e readme.txt ] && [ "$(cat answer.txt)" = 42 ] && echo 1 >"$LOGS_DIR/verifier/reward.txt" || echo 0 >"$LOGS_DIR/verifier/reward.txt"
"""
TOML = 'version = "1.0"\n[agent]\ntimeout_sec = 600.0\n[verifier]\ntimeout_sec = 120\n'
# Which event of which class, and what is killed then.
POINTS = [("job.created", 1), ("job.item.started", 1), ("benchmark.trial.started", 1), ("tool.started", 2), ("turn.completed", 1),
          ("benchmark.trial.completed", 2), ("benchmark.reward.recorded", 1), ("benchmark.reward.recorded", 3), ("evidence.changed", 1),
          ("evidence.changed", 4), ("job.item.completed", 2)]
VICTIMS = ("worker", "daemon", "both")


def make_tasks(b, names=("one", "two"), verifier=VERIFIER, toml=TOML):
    for name in names:
        task = b.work / "tasks" / name
        (task / "environment").mkdir(parents=True)
        (task / "tests").mkdir()
        (task / "task.toml").write_text(toml)
        (task / "instruction.md").write_text(f"Write the answer to {name}.\n")
        (task / "environment" / "readme.txt").write_text("Begin here.\n")
        (task / "tests" / "test.sh").write_text(verifier)
    for name in "AB":
        (b.work / f"{name}.json").write_text(json.dumps({"mode": "bypass", "profiles": {"toolProfile": name}}))


def words(*more):
    return ["trial", "run", "tasks", "--config", "A.json", "--config", "B.json", "--concurrency", "2", *more]


class Watch:
    """Reads events of all sessions on a connection of its own."""

    def __init__(self, b):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(str(b.data / "socket"))
        self.lines = self.socket.makefile()
        self.send("subscribe_events", {"cursor": "end"})
        while json.loads(self.lines.readline()).get("id") != 1:
            pass

    def send(self, method, params):
        self.socket.sendall((json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n").encode())

    def wait(self, name, count):
        for line in self.lines:
            text = json.loads(line)
            if text.get("method") == "event" and json.dumps(text["params"]).find(f'"type": "{name}"') >= 0:
                count -= 1
                if not count:
                    return
        raise AssertionError(f"{name} did not come")

    def close(self):
        self.lines.close()
        self.socket.close()


def all_events(b):
    found, cursor = [], None
    while True:
        reply = b.rpc("list_events", {"types": ["benchmark.*", "job.*"], "limit": 256, **({"cursor": cursor} if cursor else {})})["result"]
        found += reply["events"]
        if not reply["events"] or reply.get("nextCursor") in (None, cursor):
            return found
        cursor = reply["nextCursor"]


def rows(b):
    return {t["trialId"]: t for t in b.run("trial", "ls", "--json", code=0).json()["trials"]}


def kill_at(b, event, count, victim):
    """Starts the run and kills at that event.  Returns the worker."""
    b.run("ps", code=0)
    watch = Watch(b)
    worker = b.start(*words("--repeat", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watch.wait(event, count)
    if victim in ("worker", "both"):
        worker.kill()
        worker.wait()
    if victim in ("daemon", "both"):
        b.signal(signal.SIGKILL)
    watch.close()
    return worker


def check_all(b, before, interrupted):
    """interrupted: how many trials the daemon's end may have interrupted; a call that was lost is not repeated, so their score may be 0."""
    after = rows(b)
    wanted = {f"{task}.{side}.{n}" for task in ("one", "two") for side in "AB" for n in (1, 2)}
    assert {t.rsplit(".", 1)[0] for t in after} == wanted, after.keys()
    for trial, row in before.items():
        if "reward" in row:
            assert after[trial]["reward"] == row["reward"] and after[trial]["endedAt"] == row["endedAt"], (row, after[trial])
    assert all(t["status"] == "completed" and t["reward"]["value"] in (0, 1) and t["evidenceComplete"] for t in after.values()), after
    assert sum(t["reward"]["value"] == 0 for t in after.values()) <= interrupted, after
    events = all_events(b)
    seen = collections.Counter((e["type"], e["benchmark"]["trialId"]) for e in events if "benchmark" in e)
    for trial in after:
        for name in ("benchmark.trial.started", "benchmark.trial.completed", "benchmark.reward.recorded"):
            assert seen[name, trial] == 1, (name, trial, seen)
    ended = collections.Counter(e["jobItemId"] for e in events if e["type"] == "job.item.completed")
    assert len(ended) == 8 and set(ended.values()) == {1}, ended
    assert [e["type"] for e in events if e["type"] in ("job.completed", "job.failed")] == ["job.completed"]


def killed_at(b, event, count, victim):
    make_tasks(b)
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    worker = kill_at(b, event, count, victim)
    if victim == "daemon":
        worker.wait(DEADLINE_S)  # it starts another daemon, or says why not
    before = rows(b)
    interrupted = 0 if victim == "worker" else 2
    b.run(*words("--repeat", "2"), code=0)
    check_all(b, before, interrupted)
    again = b.run(*words("--repeat", "2"), code=0)
    assert "8 trials scored, 0 without a score" in again.out, again
    check_all(b, rows(b), interrupted)
    b.run("verify", code=0)


def a_verifier_without_a_reward_is_tried_again_and_then_fails(b):
    make_tasks(b, ["one"], verifier="echo nothing\n")
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    done = b.run(*words("--attempts", "2"), code=1)
    assert "0 trials scored, 2 without a score" in done.out, done
    assert all("reward" not in t and t["status"] == "completed" for t in rows(b).values())
    events = all_events(b)
    assert collections.Counter(e["type"] for e in events)["job.item.failed"] == 4, events
    assert collections.Counter(e["type"] for e in events)["benchmark.trial.started"] == 2, events


def the_verifier_is_in_the_sandbox_and_its_links_are_not_read(b):
    secret = b.dir / "secret.txt"
    secret.write_text("very secret")
    make_tasks(b, ["one"], verifier=f'echo x >{b.dir}/escaped; rm "$LOGS_DIR/verifier/test-stdout.txt"; '
                                    f'ln -s {secret} "$LOGS_DIR/verifier/test-stdout.txt"; echo 0.5 >"$LOGS_DIR/verifier/reward.txt"\n')
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    b.run("trial", "run", "tasks/one", "--config", "A.json", code=0)
    row, = rows(b).values()
    assert row["reward"]["value"] == 0.5 and "rewardDetailsRef" not in row["refs"], row
    assert not (b.dir / "escaped").exists()
    assert "very secret" not in "".join(p.read_text(errors="replace") for p in (b.work / "jobs").rglob("*") if p.is_file() and not p.is_symlink())


def a_folder_of_the_verifier_that_is_a_link_is_not_read(b):
    other = b.dir / "other"
    other.mkdir()
    (other / "reward.txt").write_text("0.7\n")
    (other / "test-stdout.txt").write_text("very secret")
    make_tasks(b, ["one"], verifier=f'rm -r "$LOGS_DIR/verifier"; ln -s {other} "$LOGS_DIR/verifier"\n')
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    b.run("trial", "run", "tasks/one", "--config", "A.json", "--attempts", "1", code=1)
    row, = rows(b).values()
    assert "reward" not in row, row
    link = b.dir / "link"
    link.symlink_to(other)
    assert "no reward" in b.run("trial", "reward", row["trialId"], str(link), code=2).err
    (other / "reward.txt").unlink()
    (other / "reward.txt").symlink_to("test-stdout.txt")
    assert "no reward" in b.run("trial", "reward", row["trialId"], str(other), code=2).err
    assert "reward" not in next(iter(rows(b).values()))


def what_is_no_task_starts_nothing(b):
    make_tasks(b, ["one"])
    one = b.work / "tasks" / "one"
    for path, text, said in (("task.toml", "timeout = \n", "not TOML"), ("task.toml", "[agent]\ntimeout_sec = -1\n", "timeout_sec"),
                             ("task.toml", "[environment]\ndocker_image = 'x'\n", "Harbor"), ("environment/Dockerfile", "FROM x\n", "Harbor"),
                             ("instruction.md", " \n", "instruction.md")):
        place = one / path
        before = place.read_text() if place.exists() else None
        place.write_text(text)
        assert said in b.run(*words(), code=2).err, (path, text)
        place.write_text(before) if before is not None else place.unlink()
    (b.work / "C.json").write_text('{"colour": "red"}')
    assert "unknown member" in b.run("trial", "run", "tasks", "--config", "C.json", code=2).err
    for bad in ({"mode": "loud"}, {"effort": "much"}, {"effort": 5}, {"fallback": "maybe"}, {"role": "judge"}, {"budgetUsd": "1"}, {"budgetUsd": -1}, {"model": 7}, {"model": ""},
                {"profiles": ["x"]}, {"profiles": {"colour": "red"}}, {"profiles": {"toolProfile": 5}}, {"singleChangedVariable": {}}, {"id": 5}):
        (b.work / "C.json").write_text(json.dumps(bad))
        assert f"not a value for {list(bad)[0]}" in b.run("trial", "run", "tasks", "--config", "A.json", "--config", "C.json", code=2).err, bad
    b.run("trial", "run", "tasks", code=2)
    b.run("trial", "run", "none", "--config", "A.json", code=2)
    shutil.rmtree(one / "tests")
    assert "test.sh" in b.run(*words(), code=2).err
    os.mkfifo(one / "environment" / "pipe")
    assert not (b.work / "jobs").exists() and not b.daemon()


def another_plan_at_the_same_place_is_refused(b):
    make_tasks(b, ["one"])
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    b.run(*words("-o", "place"), code=0)
    assert "another place" in b.run(*words("-o", "place", "--repeat", "2"), code=2).err
    (b.work / "tasks" / "one" / "environment" / "readme.txt").write_text("Changed.\n")
    assert "another place" in b.run(*words("-o", "place"), code=2).err
    assert len(rows(b)) == 2


def a_verifier_that_does_not_end_by_itself_gives_no_score(b):
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    reward = 'echo 1 >"$LOGS_DIR/verifier/reward.txt"\n'
    make_tasks(b, ["slow"], verifier=reward + "sleep 600\n", toml=TOML.replace("120", "1"))
    for name, end in (("crash", "kill -SEGV $$\n"), ("fine", "exit 3\n")):
        shutil.copytree(b.work / "tasks" / "slow", b.work / "tasks" / name)
        (b.work / "tasks" / name / "task.toml").write_text(TOML)
        (b.work / "tasks" / name / "tests" / "test.sh").write_text(reward + end)
    done = b.run("trial", "run", "tasks", "--config", "A.json", "-o", "place", "--attempts", "1", code=1)
    assert "1 trials scored, 2 without a score" in done.out and "did not end within 1 s" in done.err and "SIGSEGV" in done.err, done
    scored = {t["benchmark"]["taskId"]: t.get("reward", {}).get("value") for t in rows(b).values()}
    assert scored == {"slow": None, "crash": None, "fine": 1}, scored
    said = {e["payload"]["message"] for e in all_events(b) if e["type"] == "job.item.failed"}
    assert said == {"The verifier did not end within 1 s.", "The verifier was ended by SIGSEGV."}, said
    aside = {p.parent.name.split(".")[0] for p in (b.work / "place").glob("*/verifier.failed")}
    assert aside == {"slow", "crash"} and not list((b.work / "place").glob("*/*.part*")), aside


def what_the_agent_left_running_is_stopped_before_the_verifier(b):
    """A background process touches a file, and a subagent waits; the verifier sees neither."""
    script = {"rules": [{"when": {"text": "loiter", "request": {"min": 1, "max": 50}}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "while :; do touch beat2; done"}}]}},
                        {"when": {"afterTool": "spawn_agent"}, "reply": {"text": "done"}},
                        {"when": {"afterTool": "start_process"}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": {"role": "w", "input": "loiter"}}]}},
                        {"when": {"text": "answer", "request": 1}, "reply": {"toolCalls": [{"name": "start_process", "args": {"command": "while :; do touch beat; done"}}]}}],
              "default": {"text": "done"}}
    make_tasks(b, ["one"], verifier="""rm -f beat beat2
for i in $(seq 100); do [ -e beat ] || [ -e beat2 ] && break; sleep 0.02; done
[ -e beat ] || [ -e beat2 ] && echo 0 >"$LOGS_DIR/verifier/reward.txt" || echo 1 >"$LOGS_DIR/verifier/reward.txt"
""")
    b.env["THOLE_SCRIPT"] = b.script(script)
    b.run("trial", "run", "tasks/one", "--config", "A.json", code=0)
    row, = rows(b).values()
    assert row["reward"]["value"] == 1, row
    assert not b.rpc("list_processes", {"sessionId": row["sessionId"], "status": "running"})["result"]["processes"]
    threads = b.rpc("list_threads", {"sessionId": row["sessionId"]})["result"]["threads"]
    assert len(threads) == 2 and not [t for t in threads if t["status"] == "running"], threads
    types = [e["type"] for e in b.rpc("list_events", {"sessionId": row["sessionId"], "limit": 256})["result"]["events"]]
    assert "process.terminated" in types and types.index("process.terminated") < types.index("benchmark.reward.recorded"), types


def processes_below(place):
    """Command lines of this machine that name the place."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if str(place).encode() in text and b"test.sh" in text:
            found.append(text)
    return found


def a_verifier_ends_with_the_run_that_was_killed(b):
    """Each attempt waits for a file in its own logs; what the first one did to the workspace is not seen by the second."""
    make_tasks(b, ["one"], verifier="""[ -e spoiled ] || [ "$(cat answer.txt)" != 42 ] && value=0 || value=1
touch spoiled "$LOGS_DIR/begun"; rm -f answer.txt
while [ ! -e "$LOGS_DIR/go" ]; do sleep 0.05; done
echo $value >"$LOGS_DIR/verifier/reward.txt"
""")
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    command = ["trial", "run", "tasks/one", "--config", "A.json", "-o", "place"]
    place = b.work / "place"
    worker = b.start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until("the verifier begins", lambda: list(place.glob("*/logs.part*/begun")))
    worker.kill()
    worker.wait()
    until("the verifier has ended", lambda: not processes_below(b.work))
    before = set(place.glob("*/logs.part*"))
    worker = b.start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    again, = until("it begins again", lambda: [p for p in place.glob("*/logs.part*/begun") if p.parent not in before])
    (again.parent / "go").touch()
    assert worker.wait(DEADLINE_S) == 0
    row, = rows(b).values()
    assert row["reward"]["value"] == 1, row
    trial, = (p for p in place.iterdir() if p.is_dir())
    assert {p.name for p in trial.iterdir()} == {"workspace", "verifier", "export"}, list(trial.iterdir())
    left = {p.name for p in (trial / "workspace").iterdir() if not (p.is_dir() and p.stat().st_mode & 0o777 == 0o555)}  # placeholders of a sandbox
    assert left == {"readme.txt", "answer.txt"}, left


def links_that_leave_a_task_are_refused(b):
    make_tasks(b, ["one"])
    one, outside = b.work / "tasks" / "one", b.dir / "outside"
    shutil.copytree(one / "environment", outside)
    shutil.copy(one / "tests" / "test.sh", outside)
    run = ["trial", "run", "tasks", "--config", "A.json", "-o", "place"]
    for name in ("environment", "tests"):
        (one / name).rename(one / "kept")
        for target in (outside, "kept"):
            (one / name).symlink_to(target)
            assert "no directory " + name in b.run(*run, code=2).err
            (one / name).unlink()
        (one / "kept").rename(one / name)
    (one / "environment" / "here").symlink_to(".")
    for where, target in (("environment/x", outside), ("environment/x", "../instruction.md"), ("tests/x", "../environment/readme.txt"), ("x", "../two"),
                          ("environment/x", "/nowhere"), ("environment/x", "here/../../.."), ("environment/x", "a/../../b")):
        (one / where).symlink_to(target)
        said = b.run(*run, code=2).err
        assert "leaves its folder" in said and str(one / where) in said, (where, target, said)
        (one / where).unlink()
    assert not (b.work / "place").exists() and not b.daemon()
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    for where, target in (("environment/x", "readme.txt"), ("environment/y", "later/file"), ("tests/x", "test.sh"), ("z", "environment/readme.txt")):
        (one / where).symlink_to(target)
    b.run(*run, code=0)
    workspace, = (b.work / "place").glob("*/workspace")
    assert os.readlink(workspace / "x") == "readme.txt" and os.readlink(workspace / "y") == "later/file"


def a_task_that_changes_during_a_run_is_noticed(b):
    """Once in its environment, and once in its tests."""
    make_tasks(b, ["one"])
    one = b.work / "tasks" / "one"
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    for name, path in (("first", one / "environment" / "readme.txt"), ("second", one / "tests" / "test.sh")):
        before = path.read_text()
        b.run("ps", code=0)
        watch = Watch(b)
        worker = b.start(*words("--concurrency", "1", "--repeat", "4", "-o", name), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        watch.wait("job.item.started", 1)
        path.write_text(before + "# changed\n")
        said = worker.communicate(timeout=DEADLINE_S)[1]
        watch.close()
        assert worker.returncode != 0 and "was changed since the run began" in said, said
        path.write_text(before)
        assert "8 trials scored" in b.run(*words("--repeat", "4", "-o", name), code=0).out


def names_with_dots_give_different_trials(b):
    make_tasks(b, ["a", "a.b"])
    for name in ("b.c", "c"):
        (b.work / f"{name}.json").write_text('{"mode": "bypass"}')
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    done = b.run("trial", "run", "tasks", "--config", "b.c.json", "--config", "c.json", "-o", "place", code=0)
    assert "4 trials scored" in done.out, done
    found = rows(b)
    assert {(t["benchmark"]["taskId"], t["benchmark"]["configurationId"]) for t in found.values()} == {(t, c) for t in ("a", "a.b") for c in ("b.c", "c")}
    assert {p.name for p in (b.work / "place").iterdir() if p.is_dir()} == found.keys()


def a_run_of_an_earlier_release_keeps_its_ids(b):
    """Its plan.txt has no number, and its ids end in the job's."""
    make_tasks(b, ["one"])
    b.env["THOLE_SCRIPT"] = b.script(SCRIPT)
    b.run(*words("-o", "today"), code=0)
    plan, number = (b.work / "today" / "plan.txt").read_text().split()
    assert number == "2"
    (b.work / "earlier").mkdir()
    (b.work / "earlier" / "plan.txt").write_text(plan + "\n")
    b.run(*words("-o", "earlier"), code=0)
    ids = {p.name for p in (b.work / "earlier").iterdir() if p.is_dir()}
    assert len({i.rsplit(".", 1)[1] for i in ids}) == 1 and {i.rsplit(".", 1)[0] for i in ids} == {"one.A.1", "one.B.1"}, ids
    assert "2 trials scored" in b.run(*words("-o", "earlier"), code=0).out and len(rows(b)) == 4
    (b.work / "today" / "plan.txt").write_text(plan + " 3\n")
    assert "another place" in b.run(*words("-o", "today"), code=2).err


def main():
    points = list(itertools.product(POINTS, VICTIMS)) if os.environ.get("THOLE_DEEP") else \
        [(p, VICTIMS[n % len(VICTIMS)]) for n, p in enumerate(POINTS[1::2])]
    stories = [(f"killed at {event} {count}: {victim}", lambda b, e=event, n=count, v=victim: killed_at(b, e, n, v))
               for (event, count), victim in points]
    stories += [(f.__name__.replace("_", " "), f) for f in (a_verifier_without_a_reward_is_tried_again_and_then_fails,
                the_verifier_is_in_the_sandbox_and_its_links_are_not_read, a_folder_of_the_verifier_that_is_a_link_is_not_read, what_is_no_task_starts_nothing,
                another_plan_at_the_same_place_is_refused, names_with_dots_give_different_trials, links_that_leave_a_task_are_refused, a_task_that_changes_during_a_run_is_noticed, a_verifier_that_does_not_end_by_itself_gives_no_score, what_the_agent_left_running_is_stopped_before_the_verifier,
                a_verifier_ends_with_the_run_that_was_killed, a_run_of_an_earlier_release_keeps_its_ids)]
    if not os.access(THOLE, os.X_OK):
        print(f"Bail out! there is no {THOLE}")
        return 1
    chosen = [s for s in stories if not sys.argv[2:] or any(w in s[0] for w in sys.argv[2:])]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for n, (name, story) in enumerate(chosen, 1):
        b = Fixture()
        try:
            story(b)
            print(f"ok {n} - {name}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {name}")
            for line in traceback.format_exc().splitlines()[-30:]:
                print(f"# {line[:2000]}", flush=True)
        finally:
            b.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
