#!/usr/bin/env python3
"""Acceptance scenarios against the real daemon, over HTTP and over JSON-RPC on stdio.

usage: run.py BUILD_DIR [--postgres] [NAME...]

A scenario is a text file (*.scn); the format is in README.md beside this file.  Each runs once per
transport, and the events it left must be the same on both.  THOLE_ONE_TRANSPORT=1: each on one of them,
in turn.  --postgres: the log is in a PostgreSQL that is started for it, and the events must be those that the
same scenario leaves in SQLite.  Prints TAP.
"""
import concurrent.futures
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "lib"))
import postgres  # noqa: E402
from wait import DEADLINE_S, Wrong, until  # noqa: E402


# ---- the schema of events -----------------------------------------------------------------------

SCHEMA = os.path.join(ROOT, "docs", "reference", "schemas", "event.schema.json")


def event_faults(build, lines):
    """What is wrong with these events (bytes, one a line) under the schema that the catalogue makes: a list of lines."""
    if not lines.strip():
        return []
    program = os.path.join("tests", "conformance", "schema_check")
    # Beside a build with a sanitizer there is one without, which takes a third of the time.
    places = [os.path.join(os.path.dirname(build), program), os.path.join(build, program)]
    program = next((p for p in places if os.path.exists(p)), places[-1])
    done = subprocess.run([program, SCHEMA, "event", "/dev/stdin"], input=lines, capture_output=True)
    if done.returncode not in (0, 1):
        raise Wrong("the events could not be validated: " + done.stderr.decode(errors="replace"))
    return done.stdout.decode(errors="replace").replace("/dev/stdin:", "event ").splitlines()[:-1] if done.returncode else []


def until_idle(transport, session):
    """Wait until the session's thread has nothing left to do and waits for no answer."""
    replies = []

    def is_idle():
        code, why = transport.call("explain_thread", {"sessionId": session})
        replies[:] = [why]
        return not code and why["waitingFor"] == "nothing"

    until(lambda: f"{session} to be idle: {replies[0]}", is_idle)


# ---- the daemon -------------------------------------------------------------------------------

class Daemon:
    validates = True  # its events, when it is asked to stop; False where a test makes reads fail or logs too large for it

    def __init__(self, build, data, script, options):
        self.build, self.data, self.script, self.options = build, data, script, options
        self.process = None
        self.before = []  # words in front of the program
        self.store = None  # a postgres.Cluster that keeps its log
        self.schema = postgres.schema_of(data)
        self.listen = "127.0.0.1:0"

    def start(self):
        args = [*self.before, os.path.join(self.build, "thole"), "serve", "--data", self.data, "--listen", self.listen]
        if self.script:
            path = os.path.join(self.data + ".json")
            with open(path, "w") as f:
                f.write(self.script)
            args += ["--script", path]
        for option in self.options:
            args += ["-c", option]
        if self.store:
            args += ["--store", self.store.url(), "-c", "store.schema=" + self.schema]
        # The texts of the built-in prompt depend on the machine and would count in every cost; tests that look at them turn it on.
        env = {"THOLE_STRICT": "1", "THOLE_MODE": "default", "THOLE_CONTEXT_PROMPT": "none", "THOLE_DIAGNOSTICS_ENABLED": "false",
               **os.environ, "XDG_CONFIG_HOME": self.data + ".config"}
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=os.path.dirname(self.data), env=env)
        self.log = []
        self.port = None
        ready = threading.Event()

        def drain():
            for line in self.process.stderr:
                text = line.decode(errors="replace")
                self.log.append(text)
                found = re.search(r"127\.0\.0\.1:(\d+)", text)
                if found and not self.port:
                    self.port = int(found.group(1))
                    ready.set()
            ready.set()

        self.reader = threading.Thread(target=drain, daemon=True)
        self.reader.start()
        if not ready.wait(DEADLINE_S) or not self.port:
            raise Wrong("the daemon did not come up: " + "".join(self.log))

    def whole_log(self):
        """All that it logged, after it ended."""
        self.reader.join(DEADLINE_S)
        return "".join(self.log)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def served(self):
        """All events of all sessions, as it serves them."""
        with open(os.path.join(self.data, "token")) as f:
            token = f.read().strip()
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        c.request("GET", "/v1/events?after=0&follow=0", headers={"Authorization": "Bearer " + token, "Accept": "application/x-ndjson"})
        r = c.getresponse()
        lines = r.read()
        c.close()
        if r.status != 200:
            raise Wrong(f"events: {r.status} {lines[:200]}")
        # A gap frame of the stream replaces removed events.
        return b"\n".join(line for line in lines.split(b"\n") if not line.startswith(b'{"gap":'))

    def validate(self):
        faults = event_faults(self.build, self.served())
        if faults:
            raise Wrong("events do not satisfy docs/reference/schemas/event.schema.json:\n" + "\n".join(faults[:12]))
        self.decide_again()

    def decide_again(self):
        """Every decision of every session, from its journal (replay_decisions).  A call without a row in catalog/inputs.json is not recorded."""
        first = {}
        for line in self.served().splitlines():
            if line.strip():
                event = json.loads(line)
                first.setdefault(event["sessionId"], event["sequence"])
        for session, sequence in sorted(first.items()):
            code, reply = Http(self).call("replay_decisions", {"sessionId": session})
            groups = {} if code else reply["groups"]
            # Retention may have cut a group in two: its rest has no record.
            unrecorded = groups.get("not_recorded", 0) - (sequence > 1) if "journal.enabled=false" not in self.options else 0
            if code or groups["differs"] or groups["damaged"] or unrecorded > 0:
                raise Wrong(f"{session} is not decided the same again: {json.dumps(reply)[:6000]}")

    def stop(self):
        wrong = None
        if self.validates and self.process and self.process.poll() is None:
            try:
                self.validate()
            except Wrong as e:
                wrong = e
        self.end()
        if wrong:
            raise wrong

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Wrong("the daemon did not stop when asked")
        code = self.process.returncode if self.process else 0
        if code not in (0, -signal.SIGTERM, -signal.SIGKILL):
            raise Wrong(f"the daemon ended with {code}: " + "".join(self.log[-5:]))


# ---- transports -------------------------------------------------------------------------------

class Http:
    name = "http"

    def __init__(self, daemon):
        self.daemon = daemon
        with open(os.path.join(daemon.data, "token")) as f:
            self.token = f.read().strip()

    def request(self, method, path, body=None, headers=()):
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        h = {"Authorization": "Bearer " + self.token, **dict(headers)}
        if body is not None:
            h["Content-Type"] = "application/json"
        c.request(method, path, body, h)
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, data

    def call(self, command, params):
        status, data = self.request("POST", "/v1/commands/" + command, json.dumps(params))
        return (None if status < 400 else json.loads(data)["code"]), json.loads(data)

    def events(self, session, after):
        status, data = self.request("GET", f"/v1/events?session={session}&after={after}&follow=0",
                                    headers={"Accept": "application/x-ndjson"})
        if status != 200:
            raise Wrong(f"events: {status} {data[:200]}")
        return data.decode().removesuffix("\n").split("\n") if data else []  # text may contain other line ends

    def close(self):
        pass


class Stdio:
    name = "stdio"

    def __init__(self, daemon):
        self.process = subprocess.Popen([os.path.join(daemon.build, "thole"), "rpc", "--data", daemon.data],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.next = 0

    def rpc(self, method, params):
        self.next += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        while True:
            raw = self.process.stdout.readline()
            if not raw:
                raise Wrong("the connection on stdio ended")
            answer = json.loads(raw)
            if answer.get("id") == self.next:
                return answer

    def call(self, command, params):
        answer = self.rpc(command, params)
        if "error" in answer:
            return answer["error"]["data"]["code"], answer["error"]["data"]
        return None, answer["result"]

    def events(self, session, after):
        lines = []
        while True:
            code, page = self.call("list_events", {"sessionId": session, "after": after, "limit": 256})
            if code:
                raise Wrong(f"list_events: {page}")
            lines += [json.dumps(e, separators=(",", ":"), ensure_ascii=False) for e in page["events"]]
            if not page["more"]:
                return lines
            after = page["lastSequence"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(DEADLINE_S)


# ---- a server outside ---------------------------------------------------------------------------

class Server:
    """Answers every GET with its path, or with a configured answer; keeps the requests."""

    def __init__(self):
        self.asked, self.answers = [], {}
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                status, headers, body = outer.answers.get(self.path, (200, {}, "you asked for " + self.path))
                self.send_response(status)
                for name, value in {"Content-Type": "text/plain", "Content-Length": str(len(body)), **headers}.items():
                    if value is not None:
                        self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body.encode())
                except OSError:
                    pass  # the client has closed the connection

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


# ---- scenarios --------------------------------------------------------------------------------

def read_scenario(path):
    """Lines of (number, verb, rest); `verb <<END` takes the lines up to END."""
    steps, lines = [], open(path).read().splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip() or line.startswith("#"):
            continue
        verb, _, rest = line.partition(" ")
        rest = rest.strip()
        number = at
        if rest.endswith("<<END"):
            body = []
            while lines[at] != "END":
                body.append(lines[at])
                at += 1
            at += 1
            rest = rest[:-5].strip() + "\n" + "\n".join(body)
        while at < len(lines) and lines[at].startswith("        "):
            rest += " " + lines[at].strip()
            at += 1
        steps.append((number, verb, rest.strip()))
    return steps


def dig(value, path):
    for part in path.split("."):
        if isinstance(value, list):
            value = value[int(part)] if part.lstrip("-").isdigit() and -len(value) <= int(part) < len(value) else \
                len(value) if part == "length" else None
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


class Run:
    def __init__(self, build, transport, path, store=None):
        self.build, self.kind, self.path, self.store = build, transport, path, store
        self.dir = tempfile.mkdtemp(prefix="thole-scn-")
        self.vars, self.events, self.seen = {"dir": self.dir}, [], 0
        self.script, self.options, self.daemon, self.transport = None, [], None, None
        self.calls, self.apart = [], False
        self.servers = {}

    # -- moving parts

    def connect(self):
        if not self.daemon:
            self.daemon = Daemon(self.build, os.path.join(self.dir, "data"), self.script, self.options)
            self.daemon.store = self.store
        if not self.daemon.process or self.daemon.process.poll() is not None:
            self.daemon.start()
            self.transport = None
        if not self.transport:
            self.transport = self.kind(self.daemon)

    def fill(self, text):
        def value(m):
            if m.group(1) not in self.vars:
                raise Wrong(f"${m.group(1)} is not known yet")
            return str(self.vars[m.group(1)])
        return re.sub(r"\$(\w+)", value, text)

    def place(self, text):
        """What is known before anything is sent."""
        for name, server in self.servers.items():
            text = text.replace("$port_" + name, str(server.port))
        return text.replace("$dir", self.dir)

    def note(self, reply):
        for key, value in reply.items():
            if key.endswith("Id") and isinstance(value, str):
                self.vars[key[:-2]] = value
        if "sequence" in reply:
            self.vars["sequence"] = reply["sequence"]

    def pull(self):
        if "session" not in self.vars:
            return
        for line in self.transport.events(self.vars["session"], len(self.events)):
            e = json.loads(line)
            if e["sequence"] != len(self.events) + 1:
                raise Wrong(f"sequence {e['sequence']} after {len(self.events)}")
            self.events.append(e)
            if "actionId" in e and e["type"] == "action.required":
                self.vars["action"] = e["actionId"]
            if "toolCallId" in e and e["type"] == "tool.started":
                self.vars["tool"] = e["toolCallId"]
            if "outputRef" in e:
                self.vars["output"] = e["outputRef"]
            for key, ref in e.get("refs", {}).items():
                self.vars["ref_" + key] = ref

    # -- steps

    def call(self, command, params):
        code, reply = self.transport.call(command, params)
        self.calls.append({"call": command, "params": params, "code": code, "reply": reply})
        return code, reply

    def do_call(self, rest, expected):
        command, _, body = rest.partition(" ")
        self.connect()
        params = json.loads(self.fill(body) or "{}")
        code, reply = self.call(command, params)
        self.vars["_reply"] = reply
        if expected is None and code:
            raise Wrong(f"{command} was refused with {code}: {reply.get('detail')}")
        if expected is not None and code != expected:
            raise Wrong(f"{command} should be refused with {expected}, was {code or reply}")
        if not code:
            self.note(reply)
        return reply

    def do_then(self, rest):
        wanted = rest.split()

        def have_come():
            self.pull()
            found = self.match(wanted)
            self.seen = self.seen if found is None else found
            return found is not None

        until(lambda: f"{' '.join(wanted)}\n  came: {' '.join(e['type'] for e in self.events[self.seen:])}", have_come)

    def match(self, wanted):
        """From self.seen on: adjacent unless `...` is between; the first may be anywhere after `...`"""
        at, loose = self.seen, False
        for word in wanted:
            if word == "...":
                loose = True
                continue
            while at < len(self.events) and loose and self.events[at]["type"] != word:
                at += 1
            if at >= len(self.events) or self.events[at]["type"] != word:
                return None
            at, loose = at + 1, False
        return at

    def do_check(self, value, rest, what):
        for pair in rest.split():
            path, op, wanted = re.match(r"([\w.\-\[\]]+)(!=|!~|=|~|>)(.*)", pair).groups()
            wanted = self.fill(wanted.replace("%20", " ").replace("%0D", "\r").replace("%0A", "\n"))
            found = dig(value, path)
            text = json.dumps(found) if not isinstance(found, str) else found
            ok = {"=": lambda: text == wanted, "!=": lambda: text != wanted, "~": lambda: wanted in (text or ""),
                  "!~": lambda: wanted not in (text or ""),
                  ">": lambda: found is not None and float(text) > float(wanted)}[op]()
            if not ok:
                raise Wrong(f"{what}: {path} is {text}, wanted {op}{wanted}")

    def step(self, verb, rest):
        if verb == "script":
            self.script = self.place(rest)
        elif verb == "option":
            self.options.append(self.place(rest.replace("$source", ROOT)))
        elif verb == "server":
            # server NAME: one outside, on the host's loopback at $port_NAME
            self.servers[rest] = Server()
            self.vars["port_" + rest] = self.servers[rest].port
        elif verb == "answers":
            # answers NAME PATH STATUS {headers} text; *N stands for so many letters
            name, path, status, headers, text = (rest.split(" ", 4) + [""])[:5]
            text = "x" * int(text[1:]) if re.fullmatch(r"\*\d+", text) else text
            self.servers[name].answers[path] = (int(status), json.loads(self.place(headers)), text)
        elif verb == "asked":
            # asked NAME PATH...: all that it was asked for
            name, _, paths = rest.partition(" ")
            if self.servers[name].asked != paths.split():
                raise Wrong(f"{name} was asked for {self.servers[name].asked}")
        elif verb == "file":
            # file PATH TEXT: below $dir
            path, _, text = rest.partition(" ")
            path = os.path.join(self.dir, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text + "\n")
        elif verb == "link":
            # link NAME TARGET: a symbolic link in the directory where tools work
            name, target = rest.split()
            at = os.path.join(self.dir, name)
            if os.path.islink(at):
                os.unlink(at)
            os.symlink(target, at)
        elif verb == "apart":
            # apart: threads run side by side, so both transports are compared thread by thread
            self.apart = True
        elif verb == "when":
            self.do_call(rest, None)
        elif verb == "refused":
            code, _, rest = rest.partition(" ")
            before = len(self.events)
            self.do_call(rest, code)
            self.pull()
            if self.vars.get("session") and len(self.events) < before:
                raise Wrong("the log became shorter")
        elif verb == "reply":
            self.do_check(self.vars["_reply"], rest, "reply")
        elif verb == "then":
            self.do_then(rest)
        elif verb == "last":
            # last TYPE path=value...: the newest event of that class
            kind, _, rest = rest.partition(" ")
            self.pull()
            found = [e for e in self.events if e["type"] == kind]
            if not found:
                raise Wrong(f"no {kind} yet")
            self.do_check(found[-1], rest, kind)
        elif verb == "count":
            # count TYPE N
            kind, number = rest.split()
            self.pull()
            have = sum(e["type"] == kind for e in self.events)
            if have != int(number):
                raise Wrong(f"{kind}: {have} times, wanted {number}")
        elif verb == "view":
            command, _, rest = rest.partition(" ")
            body, _, checks = rest.partition("|")
            self.connect()
            code, reply = self.call(command, json.loads(self.fill(body) or "{}"))
            if code:
                raise Wrong(f"{command}: {code}")
            self.do_check(reply, checks, command)
        elif verb == "until":
            # like view, but what it shows may take a moment
            differences = []

            def is_shown():
                try:
                    self.step("view", rest)
                    return True
                except Wrong as e:
                    differences[:] = [str(e)]
                    return False

            until(lambda: differences[0], is_shown)
        elif verb == "restart":
            # kill -9, and start again on what is there
            self.transport.close() if self.transport else None
            self.daemon.kill()
            self.transport = None
            self.connect()
        elif verb == "stop":
            self.transport.close()
            self.daemon.stop()
            self.transport = None
        elif verb == "let":
            # let NAME path: from the last reply
            name, path = rest.split()
            self.vars[name] = dig(self.vars["_reply"], path)
            if self.vars[name] is None:
                raise Wrong(f"the reply has no {path}")
        else:
            raise Wrong(f"no step {verb}")

    def run(self):
        try:
            for number, verb, rest in read_scenario(self.path):
                try:
                    self.step(verb, rest)
                except Wrong as e:
                    raise Wrong(f"line {number}: {e}")
                except (OSError, http.client.HTTPException) as e:
                    raise Wrong(f"line {number}: {type(e).__name__} {e}: " +
                                "".join(self.daemon.log[-5:] if self.daemon else []))
            self.pull()
            if self.transport:
                self.transport.close()
            if self.daemon:
                self.daemon.stop()
            return self.events
        finally:
            if self.daemon and self.daemon.process and self.daemon.process.poll() is None:
                self.daemon.process.kill()
                self.daemon.process.wait()
            for server in self.servers.values():
                server.close()


# ---- comparing transports ---------------------------------------------------------------------

VOLATILE = {"timestamp", "durationMs", "timeToFirstTokenMs", "waitedMs", "startedAt", "endedAt", "createdAt", "since",
            "until", "expiresAt", "lastSeenAt", "resolvedAt", "bodyHash", "keyHash", "via", "source", "runtimeId", "cwd", "resetAt",
            "updatedAt", "leaseUntil", "nextAt", "scheduledFor", "elapsedMs", "durationDeltaMs", "pid", "maxRssBytes", "cpuMs", "outputOffset"}


def by_thread(events):
    order = {}
    for e in events:
        order.setdefault(e.get("threadId"), len(order))
    def alone(x):
        """How many requests were under way beside one's own, and what they had spent, is a matter of timing too."""
        if isinstance(x, dict):
            return {k: alone(v) for k, v in x.items() if k not in ("limitState", "parallel", "childrenUsd", "spentUsd", "reservedUsd")}
        return [alone(v) for v in x] if isinstance(x, list) else x

    return sorted((alone(e) for e in events), key=lambda e: order[e.get("threadId")])


def normal(events, servers={}):
    """The events without what differs between any two runs: ids by order of appearance, no times, no ports."""
    names = {}
    ports = {str(server.port): "#" + name for name, server in servers.items()}

    def walk(x, key=None):
        if key == "port":
            return ports.get(str(x), x)
        if isinstance(x, dict):
            # The note names the directory, the day and the sandbox, which is looked for when a command first needs it.
            hidden = {"sha256", "bytes", "outputRef"} if x.get("ref") == "instruction:environment" else set()
            # An export is named by a hash of all that it holds, times and ids too.
            if "evidence" in (x.get("policy"), x.get("owner")) or x.get("kind") in ("pack", "trial", "replay", "review") and "packRef" in x:
                hidden = {"sha256", "sizeBytes", "headHash"}
            return {k: walk(v, k) for k, v in x.items() if k not in VOLATILE and k not in hidden}
        if isinstance(x, list):
            return [walk(v, key) for v in x]
        if isinstance(x, str):
            x = re.sub(r"/[^ ]*?thole-scn-[^/ ]+", "#dir", x)
            x = re.sub(r"-cache/workspaces/[0-9a-f]{16}", "-cache/workspaces/#", x)  # named by the directory
            x = re.sub(r"attempts in \d+ s ", "attempts in # s ", x)
            for port, name in ports.items():
                x = re.sub(r"(?<=:)" + port + r"\b", name, x)
            return re.sub(r"(?:[a-z]+_|rules:)([0-9a-f]{40}|01[0-9a-z]{24})", lambda m: names.setdefault(m.group(1), f"#{len(names)}"), x)
        return x

    out, last = [], {}
    for e in events:
        # The number of output events depends on timing; the last one has the final offset.
        if e["type"] == "process.output":
            continue
        # So is how many pieces shared one commit: their text is not.
        is_delta = e["type"] in ("model.delta", "reasoning.delta")
        if is_delta and last.get("type") == e["type"] and last.get("stepId") == e.get("stepId"):
            out[-1]["payload"]["text"] += e["payload"]["text"]
            continue
        last = e
        n = walk(e)
        if is_delta:
            n["payload"].pop("chunks", None)
        n.pop("sequence", None)
        n.get("payload", {}).pop("reflectsSequence", None)
        n.get("payload", {}).pop("unchangedSince", None)
        n.get("payload", {}).pop("throughSequence", None)
        n.get("payload", {}).get("history", {}).pop("fromSequence", None)
        for checkpoint in n.get("taskAttempt", {}).get("checkpointRefs", []):
            checkpoint.pop("offset", None)
        n.pop("historyBoundary", None)
        out.append(n)
    return out


def first_difference(a, b, one="http", two="stdio"):
    """Where the events of two runs differ."""
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            a, b = json.dumps(x), json.dumps(y)
            at = max(next((n for n, (p, q) in enumerate(zip(a, b)) if p != q), 0) - 80, 0)
            return f"event {i + 1} ({x['type']}):\n  {one} …{a[at:at + 240]}\n  {two} …{b[at:at + 240]}"
    return f"{len(a)} events over {one}, {len(b)} over {two}"


# ---- all of it --------------------------------------------------------------------------------

class Sqlite(Http):
    """HTTP to a daemon that keeps its log in a file, beside those of --postgres."""
    name = "sqlite"


def play_all(build, names, store, logs, calls):
    files = sorted(f for f in os.listdir(HERE) if f.endswith(".scn") and (not names or any(n in f for n in names)))
    number = failed = 0
    for folder in (logs, calls):
        os.makedirs(folder, exist_ok=True)
        for old in os.listdir(folder):
            if not old.startswith("contract-"):  # the contract may be checked at the same time
                os.unlink(os.path.join(folder, old))

    def tell(ok, name, why=""):
        nonlocal number, failed
        number += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
        if why:
            print("\n".join("# " + line for line in why.splitlines()), flush=True)

    def play(file, transport):
        run = Run(build, transport, os.path.join(HERE, file), None if transport is Sqlite else store)
        try:
            return run, run.run(), ""
        except Wrong as e:
            return run, None, str(e)
        finally:
            shutil.rmtree(run.dir, ignore_errors=True)

    # Both transports at the same time, and two stories: they wait more than they compute.
    pool = concurrent.futures.ThreadPoolExecutor(4)
    both = (Http, Sqlite, Stdio) if store else (Http, Stdio)
    kinds = {file: both if store or not os.environ.get("THOLE_ONE_TRANSPORT") else both[n % 2:n % 2 + 1] for n, file in enumerate(files)}
    played = {(file, kind): pool.submit(play, file, kind) for file in files for kind in kinds[file]}
    for file in files:
        found, servers = {}, {}
        for run, events, why in (played[file, kind].result() for kind in kinds[file]):
            name = run.kind.name
            tell(not why, f"{file[:-4]} over {name}", why)
            if not why:
                found[name], servers[name] = events, run.servers
            with open(os.path.join(logs, f"{file[:-4]}-{name}.jsonl"), "w") as f:
                f.writelines(json.dumps(e, separators=(",", ":"), ensure_ascii=False) + "\n" for e in run.events)
            with open(os.path.join(calls, f"{file[:-4]}-{name}.jsonl"), "w") as f:
                f.writelines(json.dumps(c, ensure_ascii=False) + "\n" for c in run.calls)
        if run.apart:
            found = {name: by_thread(events) for name, events in found.items()}
        found = {name: normal(events, servers[name]) for name, events in found.items()}
        for other, where in (("stdio", "both"), ("sqlite", "SQLite and PostgreSQL")):
            if "http" in found and other in found:
                a, b = found["http"], found[other]
                tell(a == b, f"{file[:-4]} leaves the same events on {where}", "" if a == b else first_difference(a, b, "http", other))
    print(f"1..{number}")
    return 1 if failed else 0


def main():
    build, *names = os.path.abspath(sys.argv[1]), *sys.argv[2:]
    # What every scenario left behind: events for the schemas and laws, calls for the coverage report.
    folders = [os.path.join(build, "scenario-" + name) for name in ("logs", "calls")]
    if "--postgres" not in names:
        return play_all(build, names, None, *folders)
    names.remove("--postgres")
    with postgres.maybe(build, "scenarios on PostgreSQL") as cluster:
        return play_all(build, names, cluster, *(f + "-postgres" for f in folders)) if cluster else 0


if __name__ == "__main__":
    sys.exit(main())
