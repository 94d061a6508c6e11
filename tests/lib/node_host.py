"""Programs in node that answer one line for each line (node_host.mjs).

To load an SDK takes half a second of processor time, to play a case milliseconds: a program of tests keeps its hosts.
Threads that ask at the same time get a host each.  A host that failed is not asked again.
"""
import atexit
import json
import select
import subprocess
import tempfile
import threading


class Failed(Exception):
    """What the case threw, or the last words of a host that ended."""


class Host:
    def __init__(self, script):
        self.words = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["node", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.words, cwd=script.parent)

    def ask(self, request, deadline_s):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], deadline_s)[0]:
            raise Failed(f"no answer within {deadline_s} s")
        line = self.process.stdout.readline()
        if not line:
            self.words.seek(0)
            raise Failed("it ended: " + self.words.read().decode(errors="replace")[-1500:])
        reply = json.loads(line)
        if "error" in reply:
            raise Failed(reply["error"][-1500:])
        return reply["seen"]

    def end(self):
        """It ends with its input; one that hangs is killed."""
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.words.close()


class Hosts:
    def __init__(self, script):
        self.script = script
        self.idle = []
        self.lock = threading.Lock()
        atexit.register(self.end)

    def ask(self, request, deadline_s):
        """What the script answers.  Raises Failed."""
        with self.lock:
            host = self.idle.pop() if self.idle else None
        host = host or Host(self.script)
        try:
            seen = host.ask(request, deadline_s)
        except BaseException:
            host.process.kill()
            host.end()
            raise
        with self.lock:
            self.idle.append(host)
        return seen

    def end(self):
        while self.idle:
            self.idle.pop().end()
