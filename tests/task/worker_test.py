#!/usr/bin/env python3
"""Workers as real processes: one is stopped past its lease and continued, one is killed.

usage: worker_test.py BUILD_DIR          prints TAP
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
import run as scenario  # noqa: E402

WORKER = os.path.join(ROOT, "examples", "worker.py")
DEADLINE_S = scenario.DEADLINE_S


class Stage:
    def __init__(self, build):
        self.dir = tempfile.mkdtemp(prefix="thole-work-")
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), None, [])
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)
        self.workers = []

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise scenario.Wrong(f"{command}: {code}: {reply.get('detail')}")
        return reply

    def worker(self, pace):
        p = subprocess.Popen([sys.executable, WORKER, f"http://127.0.0.1:{self.daemon.port}", self.transport.token, "count", str(pace)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.workers.append(p)
        return p

    until = staticmethod(scenario.until)

    def task(self, ids):
        return self.call("get_task", sessionId=ids["sessionId"], taskId=ids["taskId"])["task"]

    def types(self, ids):
        return [json.loads(e)["type"] for e in self.transport.events(ids["sessionId"], 0)]

    def make(self, objective, attempts=3):
        ids = self.call("create_task", objective=objective, taskKind="count",
                        retryPolicy={"maxAttempts": attempts, "backoff": "immediate", "nonRetryable": []})
        self.call("start_task", sessionId=ids["sessionId"], taskId=ids["taskId"], worker={"kind": "external"})
        return ids

    def done(self):
        for p in self.workers:
            if p.poll() is None:
                p.send_signal(signal.SIGCONT)
                p.kill()
            p.communicate()
        self.daemon.stop()
        shutil.rmtree(self.dir, ignore_errors=True)


def expect(ok, what):
    if not ok:
        raise scenario.Wrong(what)


def a_worker_counts_the_words(s):
    ids = s.make("one two three")
    out, err = s.worker(0.01).communicate(timeout=DEADLINE_S)
    task = s.task(ids)
    expect(task["status"] == "completed", f"{task['status']}: {out} {err}")
    expect(task["progress"]["percent"] == 100, "its progress was not kept")
    expect(task["attempts"][0]["completionSummary"].startswith("3 words"), "its summary was not kept")


def a_stopped_worker_is_lost_and_refused_when_it_goes_on(s):
    ids = s.make("one two three four five six")
    slow = s.worker(0.2)
    s.until("the claim", lambda: s.task(ids)["status"] == "running")
    slow.send_signal(signal.SIGSTOP)
    s.until("the loss", lambda: "task.lost" in s.types(ids))
    expect(s.task(ids)["status"] == "waiting_resource", "it does not wait for another worker")
    quick, _ = s.worker(0.01).communicate(timeout=DEADLINE_S)
    expect("finished" in quick, f"the second worker: {quick}")
    slow.send_signal(signal.SIGCONT)
    late, _ = slow.communicate(timeout=DEADLINE_S)
    expect("was refused: already_ended" in late and "finished" not in late, f"the first worker: {late}")
    task = s.task(ids)
    expect([a.get("nativeStatus", a["status"]) for a in task["attempts"]] == ["lost", "completed"], str(task["attempts"]))
    expect(f"worker-{slow.pid}" not in task["attempts"][1]["completionSummary"], "the late worker's word was taken")
    expect(s.types(ids).count("task.completed") == 1, "it was completed more than once")


def a_stopped_worker_is_refused_while_another_runs(s):
    ids = s.make("one two three four five six seven eight nine ten")
    first = s.worker(0.2)
    s.until("the claim", lambda: s.task(ids)["status"] == "running")
    first.send_signal(signal.SIGSTOP)
    s.until("the loss", lambda: "task.lost" in s.types(ids))
    second = s.worker(0.2)
    s.until("the second claim", lambda: s.task(ids)["status"] == "running")
    first.send_signal(signal.SIGCONT)
    late, _ = first.communicate(timeout=DEADLINE_S)
    expect("was refused: stale_run" in late, f"the first worker: {late}")
    out, _ = second.communicate(timeout=DEADLINE_S)
    expect("finished" in out, f"the second worker: {out}")


def a_killed_worker_is_lost_never_completed(s):
    ids = s.make("one two three four five six", attempts=1)
    w = s.worker(0.2)
    s.until("the claim", lambda: s.task(ids)["status"] == "running")
    w.kill()
    s.until("the loss", lambda: s.task(ids)["status"] == "lost")
    expect("task.completed" not in s.types(ids), "a dead worker has completed it")
    expect(s.task(ids)["lastError"]["category"] == "worker_lost", "the error does not say so")


def a_worker_goes_on_across_a_restart_of_the_runtime(s):
    ids = s.make("one two three four five six")
    w = s.worker(0.3)
    s.until("the claim", lambda: s.task(ids)["status"] == "running")
    port = s.daemon.port
    w.send_signal(signal.SIGSTOP)
    s.daemon.kill()
    s.daemon.start()
    s.transport = scenario.Http(s.daemon)
    run = s.task(ids)["currentRunId"]
    reply = s.call("heartbeat_task", sessionId=ids["sessionId"], taskId=ids["taskId"], runId=run, workerId=f"worker-{w.pid}")
    expect(reply["status"] == "running", "the run did not survive")
    s.call("complete_task", sessionId=ids["sessionId"], taskId=ids["taskId"], runId=run)
    expect(s.task(ids)["status"] == "completed" and port, "it was not completed")


TESTS = [a_worker_counts_the_words, a_stopped_worker_is_lost_and_refused_when_it_goes_on,
         a_stopped_worker_is_refused_while_another_runs, a_killed_worker_is_lost_never_completed,
         a_worker_goes_on_across_a_restart_of_the_runtime]


def main():
    build = os.path.abspath(sys.argv[1])
    failed = 0
    for number, test in enumerate(TESTS, 1):
        why, stage = "", Stage(build)
        try:
            test(stage)
        except (scenario.Wrong, OSError, subprocess.TimeoutExpired) as e:
            why = f"{type(e).__name__}: {e}"
        finally:
            stage.done()
        failed += bool(why)
        print(f"{'not ok' if why else 'ok'} {number} - {test.__name__.replace('_', ' ')}", flush=True)
        if why:
            print("# " + why.replace("\n", "\n# "))
    print(f"1..{len(TESTS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
