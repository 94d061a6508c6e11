#!/usr/bin/env python3
"""Hours of steady load: the daemon's memory, descriptors and threads have to stay constant.

usage: soak.py BUILD_DIR [OUTPUT_DIR]      OUTPUT_DIR: build/deep/soak unless given

THOLE_SOAK_MINUTES (120) minutes of THOLE_SOAK_RATE (50) answers a second, over an HTTP provider on
loopback and thousands of sessions: plain answers, file reads, commands with approvals that are allowed
and denied, failing providers, interrupts, and readers that come, read slowly and go.  Every 10 seconds
the private memory (smaps_rollup), descriptors and threads of the daemon go to OUTPUT_DIR/samples.csv.

The first quarter is warm-up.  The run passes when the median of the last quarter is at most 2 % above
the median of the second one, for private memory, descriptors and threads, when no answer was wrong, at most one
of a thousand was refused at first because the disk did not keep up,
and the sampled sessions verify.  Prints TAP.
"""
import asyncio
import collections
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import statistics
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scenario"))
from run import Daemon, Http, Wrong  # noqa: E402

MINUTES = float(os.environ.get("THOLE_SOAK_MINUTES", "120"))
RATE = float(os.environ.get("THOLE_SOAK_RATE", "50"))
SAMPLE_S = min(10.0, MINUTES * 60 / 40)
FLAT = 0.02
WORKERS, READERS = 24, 8
IDLE_S = json.loads((HERE.parent.parent / "catalog" / "limits.json").read_text())["http_idle_s"]["value"]
PIECES = 20  # of text in an answer
PATIENCE = 30  # times that a turn is sent, while the disk does not keep up
SESSION_POOL = max(int(min(4000, MINUTES * 60 * RATE / 80)), 20)
ENDS = ("turn.completed", "turn.failed", "turn.interrupted", "turn.cancelled")
KINDS = {"plain": 90, "read": 5, "allow": 1.5, "deny": 1, "spill": 0.5, "fail": 1, "interrupt": 1}


def beginnings(types):
    """What lines of these events begin with: the type is the first member of an envelope."""
    return tuple(b'{"type":"%s"' % word.encode() for word in types)


LOOKED_AT = {kind: beginnings([*ENDS, "action.required", *(["model.delta"] if kind == "interrupt" else [])]) for kind in KINDS}


# ---- the model, in its own process ----

def chunk(delta, why=None, usage=None):
    doc = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1",
           "choices": [] if usage else [{"index": 0, "delta": delta, "finish_reason": why}]}
    if usage:
        doc["usage"] = usage
    return b"data: " + json.dumps(doc).encode() + b"\n\n"


END = chunk({}, usage={"prompt_tokens": 10, "completion_tokens": PIECES, "total_tokens": 10 + PIECES}) + b"data: [DONE]\n\n"
CALLS = {"read": ("read_file", {"path": "note.txt"}), "allow": ("shell", {"command": "touch made.txt"}),
         "deny": ("shell", {"command": "touch never.txt"}), "spill": ("shell", {"command": "seq 40000; touch made.txt"})}


def answer_to(body, failed):
    """(status, bytes): what the newest message of the user asks for; behind a tool result, text."""
    messages = json.loads(body)["messages"]
    said = next(m["content"] for m in reversed(messages) if m["role"] == "user")
    said = said if isinstance(said, str) else "".join(p.get("text", "") for p in said)
    kind, _, name = said.partition(" ")
    if kind == "fail" and name not in failed:
        failed.append(name)
        return 500, b'{"error":{"message":"not now","type":"server_error"}}'
    out = chunk({"role": "assistant", "content": ""})
    if kind in CALLS and messages[-1]["role"] != "tool":
        tool, args = CALLS[kind]
        call = {"index": 0, "id": "call_" + name, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
        return 200, out + chunk({"tool_calls": [call]}) + chunk({}, "tool_calls") + END
    return 200, out + b"".join(chunk({"content": f"piece {i} "}) for i in range(PIECES)) + chunk({}, "stop") + END


async def visit(reader, writer):
    failed = visit.failed
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(next(line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length:")))
            body = await reader.readexactly(length)
            status, data = answer_to(body, failed)
            kind = "text/event-stream" if status == 200 else "application/json"
            first = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n".encode()
            middle = data.find(b"\n\n", len(data) // 2) + 2
            writer.write(first + data[:middle])
            await writer.drain()
            await asyncio.sleep(1 if b'"interrupt ' in body[-400:] else 0.005)
            writer.write(data[middle:])
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def serve_model(pipe):
    async def main():
        visit.failed = collections.deque(maxlen=1000)
        server = await asyncio.start_server(visit, "127.0.0.1", 0, limit=1 << 26)
        pipe.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()
    asyncio.run(main())


# ---- clients ----

class Soak:
    def __init__(self, build, out):
        self.out = out
        self.place = out / "place"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        (self.place / "note.txt").write_text("a note\n" * 20)
        here, there = multiprocessing.Pipe()
        self.model = multiprocessing.Process(target=serve_model, args=(there,), daemon=True)
        self.model.start()
        provider = {"dialect": "openai", "keyEnv": "SIM_KEY", "baseUrl": f"http://127.0.0.1:{here.recv()}/v1",
                    "models": [{"model": "m-1", "windowTokens": 200000, "maxOutputTokens": 4000,
                                "capabilities": ["tool_use"], "price": {"inputPerMTok": 1, "outputPerMTok": 2}}]}
        os.environ["SIM_KEY"] = "key"
        os.environ["THOLE_STRICT"] = "0"  # as users run it: events are not read back and compared
        # Old events go: two hours of them are more than a test should leave on a disk.
        self.daemon = Daemon(build, str(self.place / "data"), None,
                             ["providers=" + json.dumps({"sim": provider}), "model=sim/m-1", "retention.log_events=300"])
        self.daemon.validates = False  # two hours of events
        self.daemon.start()
        self.token = Http(self.daemon).token
        self.begin = time.monotonic()
        self.end = self.begin + MINUTES * 60
        self.lock = threading.Lock()
        self.turn = 0
        self.sessions = 0
        self.busy = set()
        self.rng = random.Random(13)
        self.count = collections.Counter()
        self.times = []
        self.wrong = []

    def headers(self, accept="application/json"):
        return {"Authorization": "Bearer " + self.token, "Content-Type": "application/json", "Accept": accept}

    def connect(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=timeout)

    def complain(self, text):
        with self.lock:
            self.count["wrong"] += 1
            if len(self.wrong) < 20:
                self.wrong.append(text)

    def next(self):
        """The next turn: (number, due, session, kind); a session has one turn at a time."""
        with self.lock:
            number = self.turn
            self.turn += 1
            kind = self.rng.choices(list(KINDS), list(KINDS.values()))[0]
            while True:
                if not self.sessions or self.rng.random() < 0.05:
                    session = self.sessions
                    self.sessions += 1
                else:
                    session = self.rng.randrange(max(0, self.sessions - SESSION_POOL), self.sessions)
                if session not in self.busy:
                    self.busy.add(session)
                    break
            # A machine that cannot keep the pace does not have to make up for it.
            due = max(self.begin + number / RATE, 0)
            if time.monotonic() - due > 10:
                self.begin += time.monotonic() - due
                self.count["paused"] += 1
            return number, due, session, kind

    def command(self, c, name, params):
        """The runtime closes a connection that was idle for some time, and most turns need no second one."""
        if time.monotonic() - getattr(c, "used", 0) > IDLE_S / 2:
            c.close()  # the next request opens another one
        c.used = time.monotonic()
        c.request("POST", "/v1/commands/" + name, json.dumps(params), self.headers())
        r = c.getresponse()
        return r.status, json.loads(r.read())

    def one(self, run, side, number, session, kind):
        name = f"sess_{session}"
        for _ in range(PATIENCE):
            run.request("POST", "/v1/run", json.dumps({"sessionId": name, "input": f"{kind} {number}"}),
                        self.headers("application/x-ndjson"))
            r = run.getresponse()
            if r.status != 503:
                break
            refusal = json.loads(r.read())
            if refusal["code"] != "overloaded":
                return self.complain(f"{name} {kind}: {refusal}")
            self.count["refused"] += 1
            time.sleep(refusal["retryAfterMs"] / 1000)
        if r.status != 200:
            return self.complain(f"{name} {kind}: {r.status} {r.read()[:200]}")
        ended = text = None
        while line := r.readline():
            # Two thousand events a second: most are read no further than their type.
            if not line.startswith(LOOKED_AT[kind]):
                continue
            e = json.loads(line)
            if e["type"] == "action.required":
                decision = "deny" if kind == "deny" else "allow"
                status, reply = self.command(side, "respond_action", {"sessionId": name, "actionId": e["actionId"], "decision": decision})
                if status >= 400:
                    self.complain(f"{name} {kind}: the answer was refused: {reply}")
            elif e["type"] == "model.delta" and kind == "interrupt" and not text:
                text = True
                self.command(side, "interrupt_turn", {"sessionId": name, "turnId": e["turnId"]})
            elif e["type"] in ENDS:
                ended = e["type"]
        self.count[kind] += 1
        if ended != "turn.completed" and not (kind == "interrupt" and ended):
            self.complain(f"{name} {kind} {number}: ended with {ended}")

    def work(self):
        run, side = self.connect(), self.connect()
        while True:
            number, due, session, kind = self.next()
            try:
                time.sleep(max(0, due - time.monotonic()))
                if time.monotonic() >= self.end:
                    return
                start = time.monotonic()
                self.one(run, side, number, session, kind)
                if kind == "plain":
                    with self.lock:
                        self.times.append(time.monotonic() - start)
            except (OSError, http.client.HTTPException, ValueError) as e:
                self.complain(f"sess_{session} {kind}: {type(e).__name__} {e}")
                if self.daemon.process.poll() is not None:
                    return
                run.close(), side.close()
                run, side = self.connect(), self.connect()
            finally:
                with self.lock:
                    self.busy.discard(session)

    def read(self, rng):
        """A client that connects, follows one session or all, reads quickly, slowly or not at all, and disconnects abruptly."""
        while time.monotonic() < self.end and self.daemon.process.poll() is None:
            c = self.connect(5)
            stay = time.monotonic() + rng.expovariate(1 / 5)
            try:
                session = "" if rng.random() < 0.2 else f"session=sess_{rng.randrange(self.sessions + 1)}&"
                c.request("GET", f"/v1/events?{session}follow=1", headers=self.headers(rng.choice(["text/event-stream", "application/x-ndjson"])))
                r = c.getresponse()
                slow = rng.choice([0, 0, 0.2, 60])
                while r.status == 200 and time.monotonic() < min(stay, self.end):
                    if not r.read1(65536):
                        break
                    time.sleep(min(slow, max(0, stay - time.monotonic())))
            except (OSError, http.client.HTTPException):
                pass
            c.close()
            self.count["readers"] += 1

    def sample(self):
        """One row: seconds, answers, kilobytes private (dirty, clean), anonymous and resident, descriptors, threads, processes, bytes on disk."""
        pid = self.daemon.process.pid
        values = {}
        with open(f"/proc/{pid}/smaps_rollup") as f:
            for line in f:
                word = line.split()
                if word[0].endswith(":"):
                    values[word[0][:-1]] = int(word[1])
        with open(f"/proc/{pid}/status") as f:
            status = dict(line.split(":", 1) for line in f)
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = len(f.read().split())
        disk = sum(p.stat().st_size for p in (self.place / "data").glob("*") if p.is_file())
        private = values["Private_Dirty"] + values["Private_Clean"] + values.get("Private_Hugetlb", 0)
        return [round(time.monotonic() - self.started, 1), sum(self.count[k] for k in KINDS), private, values["Private_Dirty"],
                values["Private_Clean"], values["Anonymous"], values["Rss"], len(os.listdir(f"/proc/{pid}/fd")),
                int(status["Threads"]), children, disk]

    def run(self):
        self.started = time.monotonic()
        threads = [threading.Thread(target=self.work, daemon=True) for _ in range(WORKERS)]
        threads += [threading.Thread(target=self.read, args=(random.Random(n),), daemon=True) for n in range(READERS)]
        for t in threads:
            t.start()
        rows = []
        with open(self.out / "samples.csv", "w") as f:
            print("seconds,answers,privateKb,dirtyKb,cleanKb,anonymousKb,residentKb,descriptors,threads,children,diskBytes", file=f)
            while time.monotonic() < self.end:
                time.sleep(max(0, min(SAMPLE_S, self.end - time.monotonic())))
                if self.daemon.process.poll() is not None:
                    raise Wrong("the daemon ended: " + "".join(self.daemon.log[-5:]))
                rows.append(self.sample())
                print(*rows[-1], sep=",", file=f, flush=True)
        for t in threads:
            t.join(180)
        if any(t.is_alive() for t in threads):
            raise Wrong("a client waits for an answer that does not come")
        return rows

    def close(self):
        try:
            self.daemon.stop()
        finally:
            self.model.terminate()
            shutil.rmtree(self.place, ignore_errors=True)


def quarter(rows, n, column):
    return statistics.median(r[column] for r in rows[len(rows) * (n - 1) // 4:len(rows) * n // 4])


def main():
    build = os.path.abspath(sys.argv[1])
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else os.path.join(build, "deep", "soak"))
    out.mkdir(parents=True, exist_ok=True)
    number = failed = 0

    def tell(ok, name):
        nonlocal number, failed
        number += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)

    soak = Soak(build, out.resolve())
    rows = []
    try:
        rows = soak.run()
        for column, name, slack in ((2, "KiB of private memory", 0), (7, "descriptors", 4), (8, "threads", 0)):
            early, late = quarter(rows, 2, column), quarter(rows, 4, column)
            tell(late <= early * (1 + FLAT) + slack, f"{name}: median {early:.0f} in the second quarter, {late:.0f} in the last "
                                                     f"({100 * (late - early) / early:+.2f} %)")
        tell(not soak.wrong, f"{rows[-1][1]} answers were as asked for")
        tell(soak.count["refused"] <= rows[-1][1] / 1000, f"{soak.count['refused']} turns were refused for a while: overloaded")
        transport, broken = Http(soak.daemon), []
        for session in random.Random(1).sample(range(soak.sessions), min(50, soak.sessions)):
            code, reply = transport.call("verify_log", {"sessionId": f"sess_{session}"})
            # The last ones were drawn and not begun any more.
            if code not in (None, "session_not_found") or (not code and reply["status"] != "whole"):
                broken.append(f"sess_{session}: {reply}")
        tell(not broken, "sampled sessions verify")
        for line in soak.wrong + broken:
            print("# " + line)
    except Wrong as e:
        tell(False, "soak")
        print(f"# {e}")
    finally:
        try:
            soak.close()
        except Wrong as e:
            tell(False, f"the daemon stops: {e}")
    times = sorted(soak.times) or [0]
    print(f"# {MINUTES:g} min, {rows[-1][1] / rows[-1][0] if rows else 0:.1f} answers/s, {soak.sessions} sessions, "
          f"plain answer p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms, "
          f"{dict(soak.count)}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
