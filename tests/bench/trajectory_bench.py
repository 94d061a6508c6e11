#!/usr/bin/env python3
"""What the trajectory of a long session costs: time and memory, beside reading the same log.  Rows for tests/bench/run.

    trajectory_bench.py BUILD_DIR

A turn has two requests to the model and one tool call.  The daemon has the log; the exporting process is measured.  The log
is made with relaxed durability: on a busy disk, thousands of turns would spend minutes in syncs that nothing here measures.
"""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
SHORT, LONG, RUNS = 200, 2000, 5
SCRIPT = {"version": 1, "default": {"text": "x"}, "tools": [{"name": "look", "policy": "allowed", "result": {"text": "a line of output\n" * 20}}],
          "rules": [{"when": {"text": "go"}, "replies": [{"reasoning": "I look.", "text": "Let me look.", "toolCalls": [{"name": "look", "args": {}}]},
                                                         {"text": "It is as it should be. " * 10}]}]}


def make(port, token, turns):
    wire = http.client.HTTPConnection("127.0.0.1", port)
    head = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    session = None
    for _ in range(turns):
        body = {"input": "go", **({"sessionId": session} if session else {})}
        wire.request("POST", "/v1/run", json.dumps(body), head)
        first = wire.getresponse().read().decode()
        session = session or next(json.loads(line[5:] if line.startswith("data:") else line)["sessionId"] for line in first.splitlines() if '"sessionId"' in line)
    return session


def timed(args, out):
    """Milliseconds, and the peak of the process's memory in MiB; the best of several."""
    best = None
    for _ in range(RUNS):
        began = time.monotonic()
        with open(out, "wb") as f:
            p = subprocess.Popen([BUILD / "thole", *args], stdout=f)
            _, status, used = os.wait4(p.pid, 0)
        assert status == 0, status
        one = ((time.monotonic() - began) * 1000, used.ru_maxrss / 1024)
        best = min(best, one) if best else one
    return best


def row(name, measured, floor, ratio, target, reached, note):
    print("\t".join(["row", name, measured, floor, ratio, target, "yes" if reached else "no", note]))


def measure(base):
    """{turns: (export, raw export, events)}"""
    (base / "s.json").write_text(json.dumps(SCRIPT))
    data = str(base / "d")
    daemon = subprocess.Popen([BUILD / "thole", "serve", "--data", data, "--script", str(base / "s.json"), "--listen", "127.0.0.1:0", "-c", "durability=relaxed"],
                              stderr=subprocess.PIPE, text=True, cwd=base)
    try:
        port = int(daemon.stderr.readline().split("127.0.0.1:")[1].split()[0].split("/")[0].rstrip("."))
        token = (base / "d" / "token").read_text().strip()
        sizes = {}
        for turns in (SHORT, LONG):
            session = make(port, token, turns)
            export = timed(["export", "atif", session, "--data", data], base / "t.json")
            raw = timed(["export", "session", session, "--data", data], base / "log.jsonl")
            events = sum(1 for _ in open(base / "log.jsonl", "rb"))
            sizes[turns] = (export, raw, events)
            subprocess.run([BUILD / "thole", "conform", "atif", base / "t.json"], check=True, stdout=subprocess.DEVNULL)
    finally:
        daemon.terminate()
        daemon.wait()
    return sizes


def main():
    with tempfile.TemporaryDirectory(prefix="thole-trajectory-") as base:
        sizes = measure(pathlib.Path(base))
    (ms, mib), (raw_ms, _), events = sizes[LONG]
    short_mib = sizes[SHORT][0][1]
    row(f"trajectory of {LONG} turns", f"{ms:.0f} ms", f"{raw_ms:.0f} ms", f"{ms / raw_ms:.1f}", "<= 500 ms", ms <= 500,
        f"{events} events; floor: thole export session of the same log")
    row("memory of it", f"{mib:.1f} MiB", f"{short_mib:.1f} MiB", f"{mib / short_mib:.2f}", "<= 1.1", mib / short_mib <= 1.1, f"floor: that of {SHORT} turns")


main()
