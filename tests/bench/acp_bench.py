#!/usr/bin/env python3
"""What an editor waits for: the start of `thole acp`, the load of a long session, a turn of 50 deltas.  Rows for tests/bench/run.

    acp_bench.py BUILD_DIR

The log for the load is made with relaxed durability, as in trajectory_bench.py; the turns run with the durability of the settings.
"""
import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
STARTS, LONG, LOADS, BLOCKS, BLOCK = 30, 2000, 5, 20, 10
SCRIPT = {"version": 1, "default": {"text": {"repeat": "word {{n}} ", "count": 50}},
          "tools": [{"name": "look", "policy": "allowed", "result": {"text": "a line of output\n" * 20}}],
          "rules": [{"when": {"text": "look"}, "replies": [{"reasoning": "I look.", "text": "Let me look.", "toolCalls": [{"name": "look", "args": {}}]},
                                                           {"text": "It is as it should be. " * 10}]}]}


class Daemon:
    def __init__(self, base, name, *options):
        self.data = str(base / name)
        (base / "s.json").write_text(json.dumps(SCRIPT))
        words = [w for o in options for w in ("-c", o)]
        self.process = subprocess.Popen([BUILD / "thole", "serve", "--data", self.data, "--script", str(base / "s.json"), "--listen", "127.0.0.1:0", *words],
                                        stderr=subprocess.PIPE, text=True, cwd=base)
        port = int(self.process.stderr.readline().split("127.0.0.1:")[1].split()[0].split("/")[0].rstrip("."))
        self.wire = http.client.HTTPConnection("127.0.0.1", port)
        self.head = {"Authorization": "Bearer " + pathlib.Path(self.data, "token").read_text().strip(), "Content-Type": "application/json",
                     "Accept": "application/x-ndjson"}

    def call(self, command, params):
        self.wire.request("POST", "/v1/commands/" + command, json.dumps(params), self.head)
        return json.loads(self.wire.getresponse().read())

    def turn(self, session, text):
        """Milliseconds until the line with turn.completed was here."""
        began = time.perf_counter()
        self.wire.request("POST", "/v1/run", json.dumps({"sessionId": session, "input": text}), self.head)
        reply, ended = self.wire.getresponse(), None
        for line in reply:
            if not ended and b'"turn.completed"' in line[:30]:
                ended = time.perf_counter()
        return (ended - began) * 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Editor:
    def __init__(self, daemon, base):
        self.began = time.perf_counter()
        self.process = subprocess.Popen([BUILD / "thole", "acp", "--data", daemon.data], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=base)
        self.last = 0

    def call(self, method, params):
        """The result, and the number of messages before it."""
        self.last += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        mark, count = b'"id":%d,"result"' % self.last, 0
        for line in self.process.stdout:
            if mark in line[:60]:
                return json.loads(line)["result"], count
            count += 1
        raise SystemExit(f"thole acp ended at {method}")

    def initialize(self):
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        return (time.perf_counter() - self.began) * 1000

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def row(name, measured, floor, ratio, target, reached, note):
    print("\t".join(["row", name, measured, floor, ratio, target, "yes" if reached else "no", note]))


def bench_start(daemon, base):
    took, floor = [], []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run([BUILD / "thole", "--version"], stdout=subprocess.DEVNULL, check=True)
        floor.append((time.perf_counter() - began) * 1000)
        e = Editor(daemon, base)
        took.append(e.initialize())
        e.close()
    ms, bare = statistics.median(took), statistics.median(floor)
    row("thole acp answers initialize: p50", f"{ms:.1f} ms", f"{bare:.1f} ms", f"{ms / bare:.1f}", "<= 30 ms", ms <= 30, "floor: thole --version")


def bench_load(base):
    daemon = Daemon(base, "long", "durability=relaxed")
    try:
        session = daemon.call("create_session", {"cwd": str(base)})["sessionId"]
        for _ in range(LONG):
            daemon.turn(session, "look")
        best, updates, raw = None, 0, None
        for _ in range(LOADS):
            began = time.perf_counter()
            subprocess.run([BUILD / "thole", "export", "session", session, "--data", daemon.data], stdout=subprocess.DEVNULL, check=True)
            one = (time.perf_counter() - began) * 1000
            raw = min(raw, one) if raw else one
            e = Editor(daemon, base)
            e.initialize()
            began = time.perf_counter()
            _, updates = e.call("session/load", {"sessionId": session, "cwd": str(base), "mcpServers": []})
            one = (time.perf_counter() - began) * 1000
            best = min(best, one) if best else one
            e.close()
    finally:
        daemon.stop()
    row(f"session/load of {LONG} turns", f"{best:.0f} ms", f"{raw:.0f} ms", f"{best / raw:.1f}", "<= 500 ms", best <= 500,
        f"{updates} updates; floor: thole export session of the same log")


def bench_turn(daemon, base):
    e = Editor(daemon, base)
    e.initialize()
    own, acp = [], []
    for _ in range(BLOCKS):
        mine = e.call("session/new", {"cwd": str(base), "mcpServers": []})[0]["sessionId"]
        other = daemon.call("create_session", {"cwd": str(base)})["sessionId"]
        for _ in range(BLOCK):
            own.append(daemon.turn(other, "go"))
            began = time.perf_counter()
            e.call("session/prompt", {"sessionId": mine, "prompt": [{"type": "text", "text": "go"}]})
            acp.append((time.perf_counter() - began) * 1000)
        e.call("session/close", {"sessionId": mine})
    e.close()
    a, b = statistics.median(acp), statistics.median(own)
    row("turn of 50 deltas by ACP: p50", f"{a:.2f} ms", f"{b:.2f} ms", f"{a / b:.2f}", "<= floor + 1 ms", a <= b + 1, "floor: the same turn by /v1/run, in turns")


def main():
    with tempfile.TemporaryDirectory(prefix="thole-acp-bench-") as name:
        base = pathlib.Path(name)
        daemon = Daemon(base, "d")
        try:
            bench_start(daemon, base)
            bench_turn(daemon, base)
        finally:
            daemon.stop()
        bench_load(base)


main()
