#!/usr/bin/env python3
"""What telemetry costs: turns with and without a collector, and the way back to one that was away.  Rows for tests/bench/run.

    telemetry_bench.py BUILD_DIR

Two daemons run beside each other, one with telemetry, and take turns: the median of ten runs of each is compared, so that
other work on the machine meets both.  The collector is a process of its own that answers at once and reads nothing.  While
it is away, it refuses; when it is back, the time from its first batch to its last full one counts.
"""
import http.client
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RUNS, TURNS = 10, 150
AWAY_RUNS = 20
QUIET_S = 8  # longer than a refused sender waits
SCRIPT = {"version": 1, "default": {"text": "x"}, "tools": [{"name": "look", "policy": "allowed", "result": {"text": "a line of output\n" * 20}}],
          "rules": [{"when": {"text": "go"}, "replies": [{"reasoning": "I look.", "text": "Let me look.", "toolCalls": [{"name": "look", "args": {}}]},
                                                         {"text": "It is as it should be. " * 10}]}]}
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
AWAY = b"HTTP/1.1 503 Away\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"


def collect():
    """One connection at a time.  A line of input: "away", "back", or "times", which prints when batches came since it is back."""
    state = {"answer": ANSWER, "times": []}

    def obey():
        for line in sys.stdin:
            if line.strip() == "times":
                print(json.dumps(state["times"]), flush=True)
            else:
                state["times"], state["answer"] = [], AWAY if line.strip() == "away" else ANSWER

    threading.Thread(target=obey, daemon=True).start()
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        wire, _ = listener.accept()
        stream = wire.makefile("rb")
        while first := stream.readline():
            length = 0
            while (line := stream.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            stream.read(length)
            if state["answer"] is ANSWER and b"/v1/traces" in first:
                state["times"].append(time.monotonic())
            wire.sendall(state["answer"])


class Daemon:
    def __init__(self, build, base, name, *options):
        data = base / name
        (base / "s.json").write_text(json.dumps(SCRIPT))
        words = [word for option in ("durability=relaxed", *options) for word in ("-c", option)]
        self.process = subprocess.Popen([build / "thole", "serve", "--data", data, "--script", base / "s.json", "--listen", "127.0.0.1:0", *words],
                                        stderr=subprocess.PIPE, text=True, cwd=base)
        port = int(self.process.stderr.readline().split("127.0.0.1:")[1].split()[0].split("/")[0].rstrip("."))
        self.wire = http.client.HTTPConnection("127.0.0.1", port)
        self.head = {"Authorization": "Bearer " + (data / "token").read_text().strip(), "Content-Type": "application/json"}

    def turn(self, session):
        """A turn in its session, waited for; its events and session."""
        body = {"input": "go", **({"sessionId": session} if session else {})}
        self.wire.request("POST", "/v1/run", json.dumps(body), self.head)
        lines = self.wire.getresponse().read().decode().splitlines()
        return len(lines), session or next(json.loads(line)["sessionId"] for line in lines if '"sessionId"' in line)

    def run(self):
        """(median turn in ms, events): a new session each time, so that all runs are of the same length."""
        took, events, session = [], 0, None
        for _ in range(TURNS):
            began = time.perf_counter()
            count, session = self.turn(session)
            took.append((time.perf_counter() - began) * 1e3)
            events += count
        return statistics.median(took), events

    def cpu_us(self):
        base = f"/proc/{self.process.pid}/task"
        total = 0
        for task in os.listdir(base):
            with open(f"{base}/{task}/schedstat") as f:
                total += int(f.read().split()[0])
        return total / 1e3

    def stop(self):
        self.process.terminate()
        self.process.wait()


def settled(daemon):
    """Processor time when the exporter has sent everything: it does not change any more."""
    before, same = daemon.cpu_us(), 0
    while same < 4:
        time.sleep(0.5)
        now = daemon.cpu_us()
        same = same + 1 if now - before < 2000 else 0
        before = now
    return before


def row(name, measured, floor, ratio, target, reached, note):
    print("\t".join(["row", name, measured, floor, ratio, target, "yes" if reached else "no", note]))


def tell(collector, word):
    collector.stdin.write(word + "\n")
    collector.stdin.flush()


def batches(collector):
    tell(collector, "times")
    return json.loads(collector.stdout.readline())


def private_kib(daemon):
    with open(f"/proc/{daemon.process.pid}/smaps_rollup") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_"))


def grown_kib(daemon, runs):
    """(growth of the daemon during the runs, their events)"""
    before = private_kib(daemon)
    events = sum(daemon.run()[1] for _ in range(runs))
    return private_kib(daemon) - before, events


def catch_up(build, base, collector, port):
    """(events, seconds, KiB by which it grew more than one without telemetry while the collector was away): the last batch
    waits until it is old, and does not count."""
    alone = Daemon(build, base, "alone")
    daemon = Daemon(build, base, "away", f"telemetry.endpoint=http://127.0.0.1:{port}")
    try:
        daemon.run()
        alone.run()
        settled(daemon)
        tell(collector, "away")
        more, events = grown_kib(daemon, AWAY_RUNS)
        more -= grown_kib(alone, AWAY_RUNS)[0]
        tell(collector, "back")
        times = []
        while len(times) < 2 or time.monotonic() - times[-1] < QUIET_S:
            time.sleep(1)
            times = batches(collector)
    finally:
        daemon.stop()
        alone.stop()
    last = times[-2] if times[-1] - times[-2] > 0.3 else times[-1]
    return events, last - times[0], more


def measure(build, base, collector, port):
    daemons = [Daemon(build, base, "off"), Daemon(build, base, "on", f"telemetry.endpoint=http://127.0.0.1:{port}")]
    try:
        for daemon in daemons:
            daemon.run()
        began, times, events = [settled(d) for d in daemons], ([], []), [0, 0]
        for n in range(2 * RUNS):
            which = (n + n // 2) % 2  # off on on off: neither is always the second
            ms, count = daemons[which].run()
            times[which].append(ms)
            events[which] += count
        cpu = [(settled(d) - b) / e for d, b, e in zip(daemons, began, events)]
    finally:
        for daemon in daemons:
            daemon.stop()
    return [statistics.median(t) for t in times], cpu, events


def main():
    if sys.argv[1] == "--collector":
        collect()
    build = pathlib.Path(sys.argv[1]).resolve()
    collector = subprocess.Popen([sys.executable, __file__, "--collector"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = collector.stdout.readline().strip()
        with tempfile.TemporaryDirectory(prefix="thole-telemetry-bench-") as base:
            (off, on), cpu, events = measure(build, pathlib.Path(base), collector, port)
            missed, seconds, growth = catch_up(build, pathlib.Path(base), collector, port)
    finally:
        collector.kill()
        collector.wait()
    more = cpu[1] - cpu[0]
    row("turn with telemetry, p50", f"{on:.2f} ms", f"{off:.2f} ms", f"{on / off:.3f}", "<= 1.05", on <= 1.05 * off,
        f"median of {RUNS} alternating runs of {TURNS} turns each; floor: without a collector")
    row("processor time of it", f"{more:.1f} us an event", f"{cpu[0]:.1f} us", f"{cpu[1] / cpu[0]:.2f}", "<= 15 us", more <= 15,
        f"{events[1]} events; floor: all that the daemon does for an event without telemetry")
    row("collector back after it was away", f"{missed / seconds:,.0f} events/s", "", "", ">= 20,000/s", missed >= 20000 * seconds,
        f"{missed} events; meanwhile the daemon grew by {growth} KiB more than one without telemetry (<= 1024)")


if __name__ == "__main__":
    main()
