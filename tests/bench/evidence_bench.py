#!/usr/bin/env python3
"""Evidence packs of a long session: making one, checking it, folding it again.

usage: evidence_bench.py BUILD_DIR [EVENTS]

Prints one line per figure.  The floor of `verify` is a loop that hashes the same bytes, of this run.  On a busy machine processor time
says more than the clock: it is printed beside it.
"""
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402


def memory_kib(pid, key):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(rf"{key}:\s+(\d+)", f.read())[1])


def processor_ms(pid):
    """Of all threads of a process, so far."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total / 1e6


def timed(times, call):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def waits_of(transport, session, stop):
    """How long a read of another session takes, again and again."""
    took = []
    while not stop.is_set():
        began = time.perf_counter()
        transport.call("get_session", {"sessionId": session})
        took.append(time.perf_counter() - began)
    return took


def main():
    build, wanted = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    home = tempfile.mkdtemp(prefix="thole-evidence-bench-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), json.dumps({"version": 1, "default": {"text": "It is done. " * 20}}), [])
    daemon.validates = False
    os.environ["THOLE_STRICT"] = "0"
    daemon.start()
    try:
        http = scenario.Http(daemon)
        other = http.call("submit_turn", {"input": "other"})[1]["sessionId"]
        ids = http.call("submit_turn", {"input": "first"})[1]
        session, sequence = ids["sessionId"], 0
        while sequence < wanted:
            for _ in range(20):
                http.call("submit_turn", {"sessionId": session, "input": "more"})
            scenario.until_idle(http, session)
            sequence = http.call("get_session", {"sessionId": session})[1]["sequence"]
        before = memory_kib(daemon.process.pid, "VmRSS")
        second = scenario.Http(daemon)

        def export():
            """A new turn each time, so that there is a new pack."""
            http.call("submit_turn", {"sessionId": session, "input": "more"})
            scenario.until_idle(http, session)
            began, worked = time.perf_counter(), processor_ms(daemon.process.pid)
            code, reply = http.call("export_evidence", {"sessionId": session})
            assert not code, reply
            return time.perf_counter() - began, processor_ms(daemon.process.pid) - worked, reply

        spans, works, replies = zip(*(export() for _ in range(7)))
        waits = []
        for work in (lambda: time.sleep(0.5), lambda: [export() for _ in range(3)]):
            stop, took = threading.Event(), []
            watcher = threading.Thread(target=lambda: took.extend(waits_of(second, other, stop)))
            watcher.start()
            work()
            stop.set()
            watcher.join()
            waits.append(took)
        idle, took = waits
        after = memory_kib(daemon.process.pid, "VmHWM")
        pack, archive = os.path.join(home, "pack"), os.path.join(home, "pack.tar.zst")
        for target in (pack, archive):
            subprocess.run([os.path.join(build, "thole"), "export", "evidence", session, "-o", target, "--data", daemon.data], check=True,
                           capture_output=True)
        size = sum(os.path.getsize(os.path.join(at, n)) for at, _, names in os.walk(pack) for n in names)
        events = sum(1 for _ in open(os.path.join(pack, "events.jsonl")))

        def bare():
            for at, _, names in os.walk(pack):
                for name in names:
                    with open(os.path.join(at, name), "rb") as f:
                        h = hashlib.sha256()
                        while block := f.read(1 << 16):
                            h.update(block)

        def run_alone(*words):
            subprocess.run([os.path.join(build, "thole"), *words], check=True, capture_output=True)

        def worked(*words):
            """Processor time of the program, the least of five, in ms."""
            took = []
            for _ in range(5):
                child = subprocess.Popen([os.path.join(build, "thole"), *words], stdout=subprocess.DEVNULL)
                used = os.wait4(child.pid, 0)[2]
                child.returncode = 0
                took.append((used.ru_utime + used.ru_stime) * 1e3)
            return min(took)

        nothing = timed(5, lambda: run_alone("version"))
        verify = timed(5, lambda: run_alone("verify", pack)) - nothing
        replay = timed(5, lambda: run_alone("replay", pack)) - nothing - verify  # it checks the pack first
        floor = timed(5, bare)
        print(f"pack of {events} events, {size / 1e6:.1f} MB, {replies[-1]['sizeBytes'] / 1e6:.2f} MB stored: {statistics.median(spans) * 1e3:.0f} ms, {statistics.median(works):.0f} ms of the processor")
        print(f"memory: {before} KiB before, {after} KiB at most: {(after - before) / 1024:.1f} MiB more")
        print(f"another session waits at most {max(took) * 1e3:.1f} ms, of {len(took)} reads; idle at most {max(idle) * 1e3:.1f} ms")
        print(f"verify: {verify * 1e3:.0f} ms, {size / 1e6 / verify:.0f} MB/s; a bare loop {floor * 1e3:.0f} ms: {floor / verify:.2f} of it")
        print(f"replay: {replay * 1e3:.0f} ms, {events / replay:.0f} events/s")
        check, fold = worked("verify", pack) - worked("version"), worked("replay", pack) - worked("verify", pack)
        print(f"of the processor: verify {check:.0f} ms, folding {fold:.0f} ms, {events / fold * 1e3:.0f} events/s")
    finally:
        daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
