#!/usr/bin/env python3
"""How fast the chat is: start, echo of keys, processor time and memory, a long thread.  Rows for tests/bench/run.

    chat_bench.py BUILD_DIR

Each figure stands beside a floor from the same run: another program of this build, or `cat`, on the same kind of terminal.
"""
import fcntl
import json
import os
import pathlib
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from cli_fixture import THOLE, Fixture  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402

PROMPT = "What shall it do?".encode()
RUNS, KEYS, TURNS, SECONDS = 15, 200, 2000, 5


class Bare:
    """A program on a terminal; only its bytes are looked at."""

    def __init__(self, args, env, cwd, program=THOLE):
        self.seen = b""
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
                os.chdir(cwd)
                os.execve(program, [program, *args], env)
            finally:
                os._exit(127)

    def until(self, text, after=0):
        """Seconds until this text appears behind this offset."""
        end = time.perf_counter() + DEADLINE_S
        from_ = time.perf_counter()
        while text not in self.seen[after:]:
            if not select.select([self.fd], [], [], 1)[0] and time.perf_counter() > end:
                raise AssertionError(f"{text!r} did not appear")
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                break
        return time.perf_counter() - from_

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mib(self):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024


def start_ms(b, args, text):
    t = Bare(args, b.env, b.work)
    t.until(text)
    ms = (time.perf_counter() - t.began) * 1000
    t.end()
    return ms


def starts(b):
    floor = statistics.median(start_ms(b, ["version"], b"thole") for _ in range(RUNS))
    b.run("ps", code=0)
    warm = statistics.median(start_ms(b, [], PROMPT) for _ in range(RUNS))
    cold = []
    for _ in range(5):
        b.run("serve", "--stop", code=0)
        cold.append(start_ms(b, [], PROMPT))
    return floor, warm, statistics.median(cold)


def echoes(t, count, mark):
    """Milliseconds from a key to the row that shows it.  mark: what precedes the text on its row."""
    took, typed = [], b""
    for n in range(count):
        key = b"abcdefghijklmnopqrstuvwxyz"[n % 26:n % 26 + 1]
        if n % 26 == 0 and n:
            t.type(b"\x15" if mark else b"\n")
            typed = b""
            t.until(b"Enter steers" if mark else b"\n", len(t.seen))
        typed += key
        at = len(t.seen)
        began = time.perf_counter()
        t.type(key)
        t.until(mark + typed if mark else key, at)
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return took[len(took) // 2], took[int(len(took) * 0.99)]


def flood(b, per_second, words):
    return b.script({"default": {"text": {"repeat": "word{{n}} ", "count": words}, "delayMs": 1000 // per_second}})


def streaming(b):
    b.run("serve", "--stop", code=0)  # the next one reads the script
    b.env["NO_COLOR"] = "1"
    b.env["THOLE_SCRIPT"] = flood(b, 1000, 60000)
    cat = Bare([], b.env, b.work, "/bin/cat")
    floor = echoes(cat, KEYS, b"")
    cat.end()
    t = Bare([], b.env, b.work)
    t.until(PROMPT)
    t.type(b"flood\r")
    t.until(b"word100")
    echo = echoes(t, KEYS, "› ".encode())
    t.end()
    b.run("serve", "--stop", code=0)
    b.env["THOLE_SCRIPT"] = flood(b, 200, 60000)
    t = Bare([], b.env, b.work)
    t.until(PROMPT)
    t.type(b"flood\r")
    t.until(b"word100")
    cpu, began = t.cpu_s(), time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        t.until(b"word", len(t.seen))
    share = (t.cpu_s() - cpu) / (time.perf_counter() - began) * 100
    rss = t.rss_mib()
    t.end()
    b.run("serve", "--stop", code=0)
    del b.env["THOLE_SCRIPT"]
    return floor, echo, share, rss


def long_thread(b):
    rpc = subprocess.Popen([THOLE, "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=b.env, cwd=b.work)

    def call(method, **params):
        rpc.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        rpc.stdin.flush()
        while True:
            reply = json.loads(rpc.stdout.readline())
            if "result" in reply or "error" in reply:
                return reply.get("result") or sys.exit(f"{method}: {reply}")

    session = call("submit_turn", input="hello", cwd=str(b.work))["sessionId"]
    for n in range(1, TURNS):
        if n % 32 == 0:
            until("the queue", lambda: not call("list_queue", sessionId=session)["queuedTurns"])
        call("submit_turn", sessionId=session, input=f"turn {n}")
    until("the last turn", lambda: call("list_sessions", limit=1)["sessions"][0]["status"] == "completed")
    rpc.stdin.close()
    rpc.wait()
    opened = statistics.median(start_ms(b, ["-c"], f"turn {TURNS - 1}".encode()) for _ in range(5))
    return opened


def row(name, value, limit, unit, floor, floor_text):
    """One row of tests/bench/run: figure, measured, floor, ratio, target, reached, note."""
    ratio = f"{value / floor:.1f}" if floor else "-"
    print("\t".join(["row", name, f"{value:.2f} {unit}", f"{floor:.2f} {unit}" if floor else "-", ratio, f"<= {limit} {unit}",
                     "yes" if value <= limit else "no", floor_text]), flush=True)


def main():
    b = Fixture()
    try:
        floor, warm, cold = starts(b)
        row("chat: start to prompt, daemon running", warm, 15, "ms", floor, "floor: thole version")
        row("chat: start to prompt, no daemon", cold, 40, "ms", floor, "floor: thole version")
        cat, echo, share, rss = streaming(b)
        row("chat: key to echo at 1000 deltas/s, p50", echo[0], 16, "ms", cat[0], "floor: cat")
        row("chat: key to echo at 1000 deltas/s, p99", echo[1], 16, "ms", cat[1], "floor: cat")
        row("chat: CPU at 200 deltas/s", share, 5, "%", 0, "")
        row("chat: RSS at 200 deltas/s", rss, 12, "MiB", 0, "")
        row(f"chat: opening a thread of {TURNS} turns", long_thread(b), 100, "ms", warm, "floor: a new chat")
    finally:
        b.close()


main()
