#!/usr/bin/env python3
"""Three nodes and PostgreSQL in network namespaces, while ways between them are cut, clocks are set and processes are stopped and killed.

usage: torture_test.py BUILD_DIR [SECONDS [SEED]]     prints TAP

Clients send work to any node, with idempotency keys, and repeat what was not answered.  Afterwards everything is healed, and the history is
checked: what was acknowledged is there once and in order, each decision is there once and is the one that was given, no command ran twice, every
node knows what all have spent, and every chain is whole.  The faults of a run follow from its seed; their timing does not.  With an odd seed each
machine has files of its own, and a session waits for the node that made it.

A run of at least 60 s has two servers, a primary and a synchronous standby, and the nodes have the addresses of both.  The primary is killed
and the standby promoted, several times in a run: the old primary comes back as the new standby, with the data of the new primary.  The standby is
stopped and killed, and the way between the servers is cut; commits wait meanwhile.  A shorter run has one server, because there is no time for that.
"""
import contextlib
import datetime
import glob
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "lib"))
import postgres  # noqa: E402
from wait import DEADLINE_S, Wrong, slowdown, until  # noqa: E402

NET = "10.213.0."
SERVERS = (NET + "251", NET + "252")
CLIENTS_AT = NET + "254"
PORT = 4141
NAMES = "abc"
CLIENTS = 8
MARKS = 2000
TWO_SERVERS_S = 60  # a run of so many seconds has two servers
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
ENDS = ("turn.completed", "turn.failed")
# SIGTERM ends a program that has just begun before it takes signals.
CODES = (0, 70, -signal.SIGKILL, -signal.SIGTERM)


def check(is_so, what):
    if not is_so:
        raise Wrong(what)


def script():
    marks = [{"when": {"text": {"equals": f"mark {n}"}, "request": 1},
              "reply": {"toolCalls": [{"name": "shell", "args": {"command": f"echo mark-{n} >> marks; sleep 0.2"}}]}} for n in range(MARKS)]
    return json.dumps({
        "version": 1,
        "maxOutputTokens": 300,
        "price": {"inputPerMTok": 3, "outputPerMTok": 15},
        "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}}],
        "rules": [{"when": {"afterTool": "careful"}, "reply": {"text": "allowed"}},
                  {"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}},
                  {"when": {"text": "soon"}, "reply": {"text": "done", "firstDelayMs": 500}}, *marks],
        "default": {"text": "done", "usage": {"input": 10, "output": 290}}})


# ---- machines -------------------------------------------------------------------------------------

def run(*args, input=None):
    done = subprocess.run(args, capture_output=True, text=True, input=input)
    check(not done.returncode, f"{' '.join(args)}: {done.stderr}{input or ''}")
    return done.stdout


def state_of(pid):
    """The letter of the kernel, as T for a stopped process; none for one that is gone."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


class Host:
    """A network namespace on the bridge.  What it has of IPC is its own, so what a killed server leaves there goes with it."""

    def __init__(self, place, name, address):
        self.address, self.cuts = address, set()
        self.holder = subprocess.Popen(["unshare", "--net", "--ipc", "sleep", "infinity"])
        place.hosts.append(self)
        self.enter = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", f"--ipc=/proc/{self.holder.pid}/ns/ipc"]
        until("the namespace", lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != os.readlink("/proc/self/ns/net"))
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", name, "master", "thole", "up")
        self.within("ip", "addr", "add", address + "/24", "dev", "eth0")
        self.within("ip", "link", "set", "eth0", "up")
        self.within("ip", "link", "set", "lo", "up")

    def within(self, *args, input=None):
        return run(*self.enter, *args, input=input)

    def cut(self, cuts):
        """Drops what is named: (an address or "db" or "all", "in" or "out").  Returns what heals it."""
        self.cuts |= cuts
        self.filter()

        def heal():
            self.cuts -= cuts
            self.filter()

        return heal

    def filter(self):
        rules = {"in": [], "out": []}
        for whom, way in self.cuts:
            end = "s" if way == "in" else "d"
            rules[way].append("drop" if whom == "all" else f"tcp {end}port 5432 drop" if whom == "db" else f"ip {end}addr {whom} drop")
        chains = "".join(f"chain {way} {{ type filter hook {hook} priority 0; {'; '.join(rules[way])}{';' if rules[way] else ''} }}\n"
                         for way, hook in (("in", "input"), ("out", "output")))
        self.within("nft", "-f", "-", input=f"flush ruleset\ntable inet cut {{\n{chains}}}\n")

    def done(self):
        self.holder.kill()
        self.holder.wait()


class Server(postgres.Standby):
    """A PostgreSQL on a host of its own: the first primary, or one that is made as the standby of `primary`."""

    def __init__(self, place, number, primary=None):
        super().__init__(place.build, primary, {
            "listen_addresses": SERVERS[number], "port": "5432", "max_connections": "100", "dynamic_shared_memory_type": "mmap",
            # A standby that was cut off is back soon, and finds what it missed.
            "wal_sender_timeout": "2s", "wal_receiver_timeout": "2s", "wal_retrieve_retry_interval": "500ms", "wal_keep_size": "256MB"})
        self.at = Host(place, f"server{number}", SERVERS[number])
        self.enter, self.host, self.children = self.at.enter, SERVERS[number], []

    def make(self):
        if self.primary:
            return super().make()
        postgres.Cluster.make(self)
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as f:
            f.write(f"host all,replication all {NET}0/24 trust\n")

    def suspend(self):
        """All of its processes.  The postmaster is first, so no other one begins meanwhile."""
        pid = self.process.pid
        check(self.process.poll() is None, f"the server at {self.host} ended by itself")
        self.process.send_signal(signal.SIGSTOP)
        until("the server to be stopped", lambda: state_of(pid) == "T")
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            self.children = [int(word) for word in f.read().split()]
        for child in self.children:
            os.kill(child, signal.SIGSTOP)

    def resume(self):
        for pid in (*self.children, self.process.pid):
            os.kill(pid, signal.SIGCONT)

    def kill(self):
        """All of its processes, as when its machine is lost: none of them says or writes anything more."""
        self.suspend()
        for child in self.children:
            os.kill(child, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        until("its processes to be gone", lambda: all(state_of(child) in ("", "Z", "X") for child in self.children))

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def wait_for(self, names):
        """Its commits wait for these standbys from now on."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.sql("SELECT pg_reload_conf()")
        until("the server to know it", lambda: self.sql("SHOW synchronous_standby_names") == ([names] if names else [""]))
        self.sql("CHECKPOINT")  # its process is the one that tells the others whether commits wait

    def follow(self, primary):
        """It was killed, and comes back with the data of the server that was promoted."""
        self.primary = primary
        shutil.rmtree(self.data)
        self.make()
        self.start()


class Machine(Host):
    """A network namespace with a clock of its own, in which one node runs, started again as by a service manager."""

    def __init__(self, place, number):
        super().__init__(place, f"node{number}", NET + str(number + 1))
        self.place, self.name = place, NAMES[number]
        self.data = os.path.join(place.dir, self.name)
        self.clock = os.path.join(place.dir, self.name + ".clock")
        self.process, self.starts, self.codes, self.is_wanted = None, 0, [], True
        self.words = []  # the last ones before it ended as it should not
        self.set_clock(0)

    def set_clock(self, by_s):
        with open(self.clock + ".new", "w") as f:
            f.write(f"{by_s:+d}\n")
        os.rename(self.clock + ".new", self.clock)

    def start(self):
        before = ["env", "LD_PRELOAD=" + FAKETIME[0], "FAKETIME_TIMESTAMP_FILE=" + self.clock, "FAKETIME_NO_CACHE=1",
                  "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1"]
        options = {"store.url": self.place.url, "node.name": self.name, "node.address": f"http://{self.address}:{PORT}",
                   "permission.mode": "on_request", "limits.parallel_requests": "100", "budget.day_usd": "10000"}
        words = [w for name, value in options.items() for w in ("-c", f"{name}={value}")]
        self.starts += 1
        self.process = subprocess.Popen(
            [*self.enter, *(["unshare", "-m"] if self.place.has_own_files else []), *before, os.path.join(self.place.build, "thole"), "serve", "--data", self.data, "--listen", f"{self.address}:{PORT}",
             "--allow-remote", "--script", self.place.script, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(os.path.join(self.place.dir, self.name + ".log"), "ab"),
            cwd=self.place.dir, env={**os.environ, "THOLE_STRICT": "1", "THOLE_CONTEXT_PROMPT": "none", "XDG_CONFIG_HOME": self.place.dir})

    def watch(self):
        """Starts it again when it has ended."""
        while self.is_wanted:
            if self.process.poll() is not None:
                self.codes.append(self.process.returncode)
                if self.codes[-1] not in CODES:
                    self.words += self.log()[-4:]
                time.sleep(0.3)
                if self.is_wanted:
                    self.start()
            time.sleep(0.05)

    def log(self):
        path = os.path.join(self.place.dir, self.name + ".log")
        return open(path, errors="replace").readlines() if os.path.exists(path) else []

    def request(self, method, path, body=None, headers=(), timeout=5):
        with open(os.path.join(self.data, "token")) as f:
            token = f.read().strip()
        c = http.client.HTTPConnection(self.address, PORT, timeout=timeout)
        try:
            c.request(method, path, body, {"Authorization": "Bearer " + token, "Content-Type": "application/json", **dict(headers)})
            r = c.getresponse()
            return r.status, r.read()
        finally:
            c.close()

    def is_ready(self):
        try:
            return self.request("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def events(self, session=None):
        status, data = self.request("GET", "/v1/events?follow=0" + (f"&session={session}&after=0" if session else ""),
                                    headers={"Accept": "application/x-ndjson"}, timeout=DEADLINE_S)
        check(status == 200, f"events: {status} {data[:200]}")
        return [e for e in map(json.loads, data.decode().removesuffix("\n").split("\n")) if "sequence" in e] if data else []


class Place:
    def __init__(self, build, has_own_files):
        self.build = os.path.abspath(build)
        self.has_own_files = has_own_files  # other mounts on each machine: a session then waits for the node that made it
        self.dir = tempfile.mkdtemp(prefix="thole-torture-")
        self.work = os.path.join(self.dir, "work")
        os.mkdir(self.work, 0o700)
        self.script = os.path.join(self.dir, "script.json")
        with open(self.script, "w") as f:
            f.write(script())
        self.hosts, self.machines, self.servers = [], [], []  # servers: the primary first
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "thole", "type", "bridge")
        run("ip", "addr", "add", CLIENTS_AT + "/24", "dev", "thole")
        run("ip", "link", "set", "thole", "up")

    def serve(self, until_done, count):
        """Starts so many servers; until_done ends them."""
        for n in range(count):
            self.servers.append(until_done.enter_context(Server(self, n, self.servers[0] if n else None)))
        if count > 1:
            self.synchronize()
        hosts = ",".join(f"{server.host}:5432" for server in self.servers)
        self.url = f"postgresql://thole@{hosts}/thole?connect_timeout=2&target_session_attrs=read-write"

    def synchronize(self):
        """From now on what the primary acknowledges is at the standby, too."""
        primary = self.servers[0]
        until("the standby to follow", lambda: primary.sql("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"))
        primary.wait_for("follower")
        until("the standby to be synchronous", lambda: "sync" in primary.sql("SELECT sync_state FROM pg_stat_replication"))

    def begin(self):
        for n in range(len(NAMES)):
            self.machines.append(Machine(self, n))
        for m in self.machines:
            m.start()
            until(f"node {m.name} to be ready", m.is_ready, base_s=60)
            threading.Thread(target=m.watch, daemon=True).start()

    def done(self):
        for m in self.machines:
            m.is_wanted = False
        for m in self.machines:
            if m.process and m.process.poll() is None:
                m.process.send_signal(signal.SIGCONT)
                m.process.kill()
                m.process.wait()
        for host in self.hosts:
            host.done()
        shutil.rmtree(self.dir, ignore_errors=True)


# ---- faults ---------------------------------------------------------------------------------------

OF_MACHINES = ("database", "database", "one way", "nodes", "alone", "stopped", "killed", "ended", "clock")
OF_SERVERS = ("primary killed", "primary silent", "primary ahead", "standby stopped", "standby killed", "servers cut")


class Faults:
    """One or two at a time; each ends after a while.  They run on the main thread, because a server ends with the thread that started it."""

    def __init__(self, place, seed, is_over):
        self.place, self.random, self.is_over, self.count = place, random.Random(seed), is_over, {}
        self.kinds, self.coming = [*OF_MACHINES, *(OF_SERVERS if len(place.servers) > 1 else ())], []

    def run(self):
        while not self.is_over():
            heal = [self.begin(name) for name in self.choose(self.random.choice((1, 1, 2)))]
            self.pause(self.random.choice((0.2, 0.7, 1.5, 3, 5)))
            self.random.shuffle(heal)
            for h in heal:
                h()
            self.pause(self.random.choice((0.3, 1, 2.5)))

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.is_over():
            time.sleep(0.05)

    def choose(self, count):
        """Each kind comes before one of them comes again.  Of the faults of servers there is one at a time."""
        chosen = []
        for _ in range(count):
            if not self.coming:
                self.coming = self.random.sample(self.kinds, len(self.kinds))
            if self.coming[-1] in OF_SERVERS and any(name in OF_SERVERS for name in chosen):
                break
            chosen.append(self.coming.pop())
        return chosen

    def begin(self, name):
        """What it returns heals it."""
        self.count[name] = self.count.get(name, 0) + 1
        if name in OF_SERVERS:
            return self.begin_at_servers(name)
        m = self.random.choice(self.place.machines)
        others = [o.address for o in self.place.machines if o is not m]
        if name == "database":
            whom = self.random.choice(("db", self.place.servers[0].host))  # or the primary alone
            return m.cut({(whom, "in"), (whom, "out")})
        if name == "one way":
            return m.cut({(self.random.choice(["db", *others]), self.random.choice(("in", "out")))})
        if name == "nodes":
            other = self.random.choice(others)
            return m.cut({(other, "in"), (other, "out")})
        if name == "alone":
            return m.cut({(whom, way) for whom in ["db", *others] for way in ("in", "out")})
        if name == "clock":
            m.set_clock(self.random.choice((-86400, -3600, -5, 5, 3600, 86400, 315360000)))
            return lambda: m.set_clock(0)
        return self.signal(m, name)

    def signal(self, m, name):
        process = m.process
        process.send_signal({"stopped": signal.SIGSTOP, "killed": signal.SIGKILL, "ended": signal.SIGTERM}[name])
        return lambda: process.send_signal(signal.SIGCONT) if name == "stopped" and process.poll() is None else None

    def begin_at_servers(self, name):
        primary, standby = self.place.servers
        if name == "standby stopped":
            standby.suspend()
            return standby.resume
        if name == "standby killed":
            standby.kill()
            return standby.start
        if name == "servers cut":
            ways = self.random.choice((("in", "out"), ("in",), ("out",)))
            return standby.at.cut({(primary.host, way) for way in ways})
        return self.kill_primary(primary, standby, name)

    def kill_primary(self, primary, standby, name):
        """It refuses connections, or says nothing at all; or commits have waited before, which the standby does not have."""
        reconnect = lambda: None
        if name == "primary silent":
            reconnect = primary.at.cut({("all", "in"), ("all", "out")})
        elif name == "primary ahead":
            reconnect = standby.at.cut({(primary.host, "in"), (primary.host, "out")})
            self.pause(self.random.choice((1, 3)))
        primary.kill()
        # Until the new standby is there, commits wait, or one server is enough for them.
        names = self.random.choice(("follower", ""))

        def heal():
            standby.wait_for(names)
            standby.promote()
            self.place.servers.reverse()
            self.pause(self.random.choice((0, 1, 3)))
            reconnect()
            primary.follow(standby)
            self.place.synchronize()

        return heal


# ---- clients --------------------------------------------------------------------------------------

class Client(threading.Thread):
    """Repeats each command, with its key and at any node, until it is answered."""

    def __init__(self, place, number, seed):
        super().__init__(daemon=True)
        self.place, self.number, self.random = place, number, random.Random(seed * 100 + number)
        self.is_over = threading.Event()
        self.turns = {}       # turn -> session, as acknowledged
        self.mine = []        # turns of this client's own session, in order
        self.session = None
        self.decisions = {}   # action -> decision, as acknowledged
        self.fault, self.keys, self.slowest = None, 0, 0

    def call(self, command, params):
        self.keys += 1
        key, began, seen = f"{self.number}-{self.keys}", time.monotonic(), []
        while time.monotonic() - began < DEADLINE_S:
            try:
                status, data = self.random.choice(self.place.machines).request("POST", "/v1/commands/" + command, json.dumps(params),
                                                                               {"Idempotency-Key": key})
                reply = json.loads(data)
            except (OSError, ValueError, http.client.HTTPException) as e:
                seen.append(repr(e))
                time.sleep(0.05)
                continue
            if status < 400 or not reply.get("retryable") or reply["code"] == "queue_full":
                self.slowest = max(self.slowest, time.monotonic() - began)
                return status < 400, reply
            seen.append(reply["code"] + ": " + str(reply.get("detail")))
            time.sleep(min(reply.get("retryAfterMs", 50), 200) / 1000)
        raise Wrong(f"{command} {params} with the key {key} was not answered in {DEADLINE_S:.0f} s, but {len(seen)} times: {seen[:2]} {seen[-6:]}")

    def submit(self, text, session=None):
        is_done, reply = self.call("submit_turn", {"input": text, "cwd": self.place.work, **({"sessionId": session} if session else {})})
        if not is_done:
            check(reply["code"] in ("queue_full", "too_many_open"), f"a turn was refused: {reply}")
            return None
        self.turns[reply["turnId"]] = reply["sessionId"]
        return reply

    def decide(self, session):
        """An approval that may have been given or be gone."""
        is_done, reply = self.call("list_actions", {"sessionId": session})
        for action in reply.get("actions", []) if is_done else []:
            if action.get("status", "pending") != "pending":
                continue
            decision = self.random.choice(("allow", "deny"))
            is_done, reply = self.call("respond_action", {"sessionId": session, "actionId": action["actionId"], "decision": decision,
                                                          **({"scope": "once"} if decision == "allow" else {})})
            if is_done:
                self.decisions[action["actionId"]] = decision

    def run(self):
        try:
            while not self.is_over.is_set():
                self.step()
        except Exception as e:  # noqa: BLE001: the story says it
            self.fault = repr(e)

    def step(self):
        what = self.random.choice(("own", "own", "approve", "mark", "soon"))
        if what == "own":
            reply = self.submit("hello", self.session)
            if reply:
                self.session = reply["sessionId"]
                self.mine.append(reply["turnId"])
            else:  # a turn was lost, and the others wait behind it until a person looks
                self.call("interrupt_turn", {"sessionId": self.session})
        elif what == "approve":
            reply = self.submit("approve")
            if reply:
                time.sleep(0.2)
                self.decide(reply["sessionId"])
        elif what == "mark":
            self.submit(f"mark {self.place.marks.pop()}" if self.place.marks else "hello")
        else:
            self.submit("soon")
        time.sleep(self.random.random() * 0.2)


# ---- afterwards -----------------------------------------------------------------------------------

def by_session(events):
    found = {}
    for e in events:
        found.setdefault(e["sessionId"], []).append(e)
    return found


def finish(place, clients):
    """Answers what waits, and ends what was lost, until no turn is open."""
    node = place.machines[0]
    open = {}

    def words():
        events = node.events()
        return "every turn to end; open are " + "; ".join(
            f"{turn} of {session}, after " + " ".join(e["type"] for e in events if e["sessionId"] == session)[-300:] for turn, session in list(open.items())[:3])

    def ended():
        nonlocal open
        events = node.events()
        over = {e["turnId"] for e in events if e["type"] in ENDS}
        open = {e["turnId"]: e["sessionId"] for e in events if e["type"] == "turn.submitted" and e["turnId"] not in over}
        for session in set(open.values()):
            for client in clients[:1]:
                client.decide(session)
            if any(e["type"] in ("task.lost", "tool.failed", "model.failed") for e in events if e["sessionId"] == session):
                clients[0].call("interrupt_turn", {"sessionId": session})
            queue = [e["payload"]["change"] for e in events if e["sessionId"] == session and e["type"] == "queue.changed"]
            if queue[-1:] == ["held"]:  # as after each turn that a person stops
                clients[0].call("resume_thread", {"sessionId": session})
        return not open

    until(words, ended, pause_s=1, base_s=120)
    return node.events()


def check_history(place, clients, events):
    logs = by_session(events)
    submitted = [e["turnId"] for e in events if e["type"] == "turn.submitted"]
    check(len(submitted) == len(set(submitted)), "a turn is there twice")
    for client in clients:
        gone = set(client.turns) - set(submitted)
        check(not gone, f"{len(gone)} of {len(client.turns)} acknowledged turns of client {client.number} are gone: {list(gone)[:3]}")
        own = [e["turnId"] for e in logs.get(client.session, []) if e["type"] == "turn.submitted"]
        check(own == client.mine, f"client {client.number}: the turns of its session have another order than the answers, or are more")
    every = sum(len(c.turns) for c in clients)
    check(len(submitted) == every, f"{every} turns were acknowledged and {len(submitted)} are there")
    resolved = {}
    for e in events:
        if e["type"] == "action.resolved":
            check(e["actionId"] not in resolved, f"{e['actionId']} was decided twice")
            resolved[e["actionId"]] = e["payload"]
    for client in clients:
        for action, decision in client.decisions.items():
            check(action in resolved and resolved[action].get("decision") == decision,
                  f"{action}: {decision} was acknowledged and {resolved.get(action)} is recorded")
    for session, log in logs.items():
        check([e["sequence"] for e in log] == list(range(1, len(log) + 1)), f"{session} has other sequences than 1 to {len(log)}")
        for kind in ("tool.started", "model.requested"):
            ids = [(e.get("toolCallId"), e.get("modelRequestId")) for e in log if e["type"] == kind]
            check(len(ids) == len(set(ids)), f"{session}: {kind} is there twice")


def check_marks(place, events):
    """The commands left a line each outside the database: none twice, and all that are recorded as done."""
    path = os.path.join(place.work, "marks")
    lines = open(path).read().split() if os.path.exists(path) else []
    check(len(lines) == len(set(lines)), f"commands ran twice: {sorted(line for line in lines if lines.count(line) > 1)[:5]}")
    texts = {e["turnId"]: e["payload"] for e in events if e["type"] == "turn.submitted"}
    done = {e["turnId"] for e in events if e["type"] == "tool.result" and e["turnId"] in texts}
    for turn in done:
        found = re.search(r"mark (\d+)", json.dumps(texts[turn]))
        if found:
            check(f"mark-{found.group(1)}" in lines, f"the log says that mark {found.group(1)} was made")
    return len(lines)


def check_money(place, events):
    """Every node knows what all of them have spent."""
    spent = sum(e["payload"].get("amountUsd", 0) for e in events if e["type"] == "cost.recorded")
    for m in place.machines:
        budgets = lambda: json.loads(m.request("POST", "/v1/commands/list_models", "{}", timeout=DEADLINE_S)[1]).get("budgets", [])
        until(lambda: f"the sum on {m.name} to be {spent}: {budgets()}", lambda: any(abs(b["spentUsd"] - spent) < 1e-6 for b in budgets()), pause_s=0.2)
    return spent


def check_times(events, since):
    for e in events:
        at = datetime.datetime.fromisoformat(e["timestamp"].replace("Z", "+00:00")).timestamp()
        check(since - 2 < at < time.time() + 2, f"an event has the time {e['timestamp']}: {e['type']}")


def story(place, seconds, seed):
    since = time.time()
    place.begin()
    clients = [Client(place, n, seed) for n in range(CLIENTS)]
    faults = Faults(place, seed, lambda: time.time() - since > seconds or any(c.fault for c in clients))
    for c in clients:
        c.start()
    faults.run()
    for c in clients:
        c.is_over.set()
    for c in clients:
        c.join()
    check(not any(c.fault for c in clients), f"clients failed: {[c.fault for c in clients if c.fault][:2]}")
    for m in place.machines:
        until(f"node {m.name} to be ready", m.is_ready, base_s=60)
    events = finish(place, clients)
    check_history(place, clients, events)
    marks = check_marks(place, events)
    check_times(events, since)
    is_one_day = time.gmtime(since).tm_yday == time.gmtime().tm_yday
    spent = check_money(place, events) if is_one_day else 0  # the budget is that of a day
    done = subprocess.run([*place.machines[0].enter, os.path.join(place.build, "thole"), "--data", place.machines[0].data, "verify"],
                          capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": place.dir})
    check(done.returncode == 0 and "whole" in done.stdout, f"verify: {done.stdout}{done.stderr}")
    codes = [c for m in place.machines for c in m.codes]
    check(set(codes) <= set(CODES), f"nodes ended with {sorted(set(codes))}:\n" + "".join(word for m in place.machines for word in m.words))
    waits = sum(e["type"] == "task.waiting" and e["payload"]["for"] == "node" for e in events)
    print(f"# seed {seed}, {seconds} s, servers {len(place.servers)}: {waits} turns waited for their node; {sum(len(c.turns) for c in clients)} turns, {sum(len(c.decisions) for c in clients)} decisions, {marks} commands, ${spent:.2f}, "
          f"{len(events)} events; faults {sum(faults.count.values())} {faults.count}; {len(codes)} ends, {codes.count(70)} of them found dead; "
          f"slowest answer {max(c.slowest for c in clients):.1f} s", flush=True)


def missing():
    if os.getuid():
        return "network namespaces need root here"
    for program in ("ip", "nft", "unshare", "nsenter"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if not FAKETIME:
        return "libfaketime is not installed (scripts/setup --test)"
    if not postgres.find():
        return postgres.WITHOUT
    if subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode:
        return "the kernel gives no network namespaces"
    return None


def main():
    name = "nothing acknowledged is lost and nothing runs twice while machines, ways and clocks fail"
    why = missing()
    if why:
        print(f"ok 1 - {name} # SKIP {why}\n1..1")
        return 0
    # A network of its own: the bridge and the addresses exist nowhere else.
    if os.environ.get("THOLE_TORTURE") != "inside":
        return subprocess.run(["unshare", "--net", sys.executable, *sys.argv], env={**os.environ, "THOLE_TORTURE": "inside"}).returncode
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 31)
    place, fault = Place(sys.argv[1], seed % 2 == 1), ""
    place.marks = list(range(MARKS))
    try:
        with contextlib.ExitStack() as until_done:
            place.serve(until_done, 2 if seconds >= TWO_SERVERS_S else 1)
            story(place, seconds * min(slowdown(), 2), seed)
    except (Wrong, OSError) as e:
        fault = f"seed {seed}: {e}"
        for m in place.machines:
            fault += "".join(f"\n{m.name}: {line.rstrip()}" for line in m.log()[-15:])
        for server in place.servers:
            fault += "".join(f"\n{server.host}: {line.rstrip()}" for line in server.log[-15:])
    finally:
        place.done()
    print(f"{'not ok' if fault else 'ok'} 1 - {name}")
    for line in fault.splitlines():
        print("# " + line)
    print("1..1")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
