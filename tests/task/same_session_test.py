#!/usr/bin/env python3
"""Commands that create the same new session at the same time, some of them refused while others are still loading it.

usage: same_session_test.py BUILD_DIR          prints TAP
"""
import json
import os
import shutil
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

SCRIPT = json.dumps({"version": 1, "default": {"text": "done"}})
ROUNDS, CALLERS = 60, 6


def refused_together(build):
    """Every command names a task above it that does not exist, which is looked for in the store: the first refusal gives up the session."""
    home = tempfile.mkdtemp(prefix="thole-same-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), SCRIPT, [])
    answers = []
    try:
        daemon.start()

        def send(n):
            transport = scenario.Http(daemon)
            for i in range(ROUNDS):
                answers.append(transport.call("create_task", {"sessionId": f"sess_new_{i}", "taskId": f"task_{n}_{i}", "objective": "x",
                                                         "parentTaskId": "task_nowhere", "create": "if_missing"})[0])

        callers = [threading.Thread(target=send, args=(n,)) for n in range(CALLERS)]
        for c in callers:
            c.start()
        for c in callers:
            c.join()
        if daemon.process.poll() is not None:
            raise scenario.Wrong(f"the daemon ended with {daemon.process.returncode}: " + "".join(daemon.log[-8:]))
        if set(answers) != {"task_not_found"} or len(answers) != ROUNDS * CALLERS:
            raise scenario.Wrong(f"{len(answers)} answers: {set(answers)}")
        return f"{len(answers)} refusals"
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


def main():
    try:
        print(f"# {refused_together(os.path.abspath(sys.argv[1]))}\nok 1 - commands for the same new session are refused each by itself")
    except (scenario.Wrong, OSError) as e:
        print(f"not ok 1 - commands for the same new session are refused each by itself\n# {e}")
        return 1
    finally:
        print("1..1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
