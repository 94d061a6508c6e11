#!/usr/bin/env python3
"""Two nodes on a PostgreSQL that Patroni keeps available: its leader is killed, comes back as a standby, and hands over when it is asked to.

usage: patroni_test.py BUILD_DIR [WORD...]     prints TAP; SKIP without Patroni and etcd
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import nodes_test as nodes
from nodes_test import Through, call, check, everything, postgres, until
from ports import free_port

TTL_S = 20  # the least that Patroni takes: so long after its leader vanished the standby takes over
WITHOUT = "Patroni and etcd are not installed (apt install patroni etcd-server)"


class Service:
    """A program of the test, as an ordinary user."""

    def __init__(self, name, place, args):
        self.name, self.log = name, open(os.path.join(place, name + ".log"), "ab")
        self.process = subprocess.Popen(postgres.as_user(args), stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, cwd=place)

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


class Member:
    def __init__(self, world, name):
        self.world, self.name = world, name
        self.port, self.api = free_port(), free_port()
        self.data = os.path.join(world.place, name)
        self.settings = os.path.join(world.place, name + ".yml")
        # JSON is YAML.
        with open(self.settings, "w") as f:
            json.dump({
                "scope": "thole", "name": name,
                "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
                "etcd3": {"host": f"127.0.0.1:{world.etcd_port}"},
                "bootstrap": {
                    "dcs": {"ttl": TTL_S, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": True,
                            "postgresql": {"use_pg_rewind": False, "parameters": {"max_connections": 60, "fsync": "off"}}},
                    "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "trust"}]},
                "postgresql": {
                    "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}", "data_dir": self.data,
                    "bin_dir": postgres.find(), "pgpass": os.path.join(world.place, name + ".pgpass"),
                    "remove_data_directory_on_diverged_timelines": True,
                    "authentication": {"superuser": {"username": "thole"}, "replication": {"username": "replicator"}},
                    "parameters": {"unix_socket_directories": world.place},
                    "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]}}, f)
        self.service = None

    def start(self):
        self.service = Service(self.name, self.world.place, ["patroni", self.settings])

    def kill(self):
        """The machine is gone: PostgreSQL and what looks after it."""
        with open(os.path.join(self.data, "postmaster.pid")) as f:
            server = int(f.readline())
        self.service.end(signal.SIGKILL)
        os.kill(server, signal.SIGKILL)

    def ask(self, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.api}{path}", json.dumps(body).encode() if body else None,
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status
        except urllib.error.HTTPError as e:
            return e.code
        except OSError:
            return 0

    def leads(self):
        return self.ask("/leader") == 200

    def is_synchronous(self):
        return self.ask("/synchronous") == 200


class Patroni:
    """etcd, and two members; made in a directory of an ordinary user."""

    def __init__(self):
        self.place = tempfile.mkdtemp(prefix="thole-pt-")
        if not os.getuid():
            os.chown(self.place, postgres.ORDINARY, postgres.ORDINARY)
        self.etcd_port, peers = free_port(), free_port()
        self.etcd = Service("etcd", self.place, [
            "etcd", "--data-dir", os.path.join(self.place, "etcd"), "--listen-client-urls", f"http://127.0.0.1:{self.etcd_port}",
            "--advertise-client-urls", f"http://127.0.0.1:{self.etcd_port}", "--listen-peer-urls", f"http://127.0.0.1:{peers}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peers}", "--initial-cluster", f"default=http://127.0.0.1:{peers}"])
        self.members = [Member(self, "one"), Member(self, "two")]

    def __enter__(self):
        try:
            one, two = self.members
            one.start()
            until("the first leader", one.leads, base_s=120)
            two.start()
            until("its synchronous standby", two.is_synchronous, base_s=120)
            done = subprocess.run([os.path.join(postgres.find(), "psql"), "-X", "-h", "127.0.0.1", "-p", str(one.port), "-U", "thole", "-d", "postgres",
                                   "-c", "CREATE DATABASE thole"], capture_output=True, text=True)
            check(done.returncode == 0, "CREATE DATABASE: " + done.stderr)
            return self
        except BaseException:
            self.say()
            self.__exit__()
            raise

    def __exit__(self, *_):
        for member in self.members:
            if member.service:
                member.service.end()
        self.etcd.end()
        shutil.rmtree(self.place, ignore_errors=True)

    def say(self):
        for name in ("etcd", "one", "two"):
            path = os.path.join(self.place, name + ".log")
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    for line in f.readlines()[-6:]:
                        print(f"# {name}: {line.rstrip()}", flush=True)

    def url(self):
        return "postgresql://thole@/thole?" + urllib.parse.urlencode({"host": ",".join("127.0.0.1" for _ in self.members),
                                                                     "port": ",".join(str(m.port) for m in self.members)})

    def other(self, member):
        return self.members[self.members[0] is member]


class Load:
    """Turns on both nodes without a pause; what was acknowledged, and what was not."""

    def __init__(self, both, clients=6):
        self.acknowledged, self.faults, self.is_over = {}, [], threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(n, both)) for n in range(clients)]
        for t in self.threads:
            t.start()

    def run(self, number, both):
        n = 0
        while not self.is_over.is_set():
            n += 1
            node, key = both[n % 2], f"{number}-{n}"
            try:
                code, reply = call(node, "submit_turn", {"input": "hello"}, key)
            except OSError as e:
                self.faults.append(repr(e))
                return
            if code:
                self.faults.append(f"{node.name}: {reply}")
            else:
                self.acknowledged[reply["turnId"]] = reply["sessionId"]

    def grows(self, by):
        before = len(self.acknowledged)
        until(f"{by} more turns", lambda: len(self.acknowledged) >= before + by or self.faults, base_s=120)

    def stop(self):
        self.is_over.set()
        for t in self.threads:
            t.join()


def nodes_follow_the_leader_that_patroni_names(w):
    with Patroni() as cluster:
        w.cluster = Through(cluster.url())
        both = w.two()
        load = Load(both)
        load.grows(100)
        leader, standby = cluster.members
        leader.kill()
        killed = time.monotonic()
        until("the standby to lead", standby.leads, base_s=120)
        led = time.monotonic()
        load.grows(1)
        print(f"# the standby led {led - killed:.1f} s after the kill, and the first turn came {time.monotonic() - led:.1f} s later", flush=True)
        load.grows(100)
        leader.start()
        until("the killed one to be a synchronous standby", leader.is_synchronous, base_s=180)
        load.grows(100)
        check(standby.ask("/switchover", {"leader": standby.name, "candidate": leader.name}) == 200, "the leader does not hand over")
        asked = time.monotonic()
        until("the other one to lead", leader.leads, base_s=120)
        load.grows(1)
        print(f"# a turn {time.monotonic() - asked:.1f} s after the leader was asked to hand over", flush=True)
        load.grows(100)
        load.stop()
        check(not load.faults, f"{len(load.faults)} commands were refused: {load.faults[:3]}")
        kept = {e["turnId"] for e in everything(both[1]) if e["type"] == "turn.submitted"}
        lost = set(load.acknowledged) - kept
        check(not lost, f"{len(lost)} of {len(load.acknowledged)} acknowledged turns are lost")
        print(f"# {len(load.acknowledged)} acknowledged turns, none lost", flush=True)
        w.verify(both[0])
        for node in both:
            node.stop()


if __name__ == "__main__":
    if not shutil.which("patroni") or not shutil.which("etcd"):
        print(f"ok 1 - nodes on Patroni # SKIP {WITHOUT}\n1..1")
        sys.exit(0)
    sys.exit(nodes.play(nodes.stories_of(globals(), "__main__"), "nodes on Patroni"))
