"""A bucket for tests (bucket.mjs), which can be stopped and started again with what it has."""
import json
import os
import re
import subprocess
import tempfile
import urllib.request

from ports import free_port
from wait import DEADLINE_S, Wrong

HERE = os.path.dirname(os.path.abspath(__file__))
REGION, KEY, SECRET = "eu-test-1", "AKIATESTTESTTEST", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzEXAMPLEKEY"
WITHOUT = "the packages of tests/objects are not there (tests/lib/npm_fetch tests/objects)"


def is_there():
    return os.path.isdir(os.path.join(HERE, "node_modules", "s3rver"))


def options_of(name, port, other):
    """Settings of a daemon that keeps its outputs in the bucket of that name; other: replaced ones."""
    settings = {"store.outputs": "object_store", "object_store.bucket": name, "object_store.prefix": "test/a", "object_store.region": REGION,
                "object_store.endpoint": f"http://localhost:{port}", "object_store.path_style": "true"}
    settings.update({"object_store." + key: value for key, value in other.items()})
    return [f"{key}={value}" for key, value in settings.items()]


class Bucket:
    def __init__(self, dir, token=None):
        self.dir, self.token, self.port, self.process = tempfile.mkdtemp(dir=dir), token, free_port(), None
        self.name = "outputs"
        self.start()

    def start(self):
        args = ["node", os.path.join(HERE, "bucket.mjs"), self.dir, str(self.port), self.name, REGION, KEY, SECRET]
        self.process = subprocess.Popen(args + ([self.token] if self.token else []), stdout=subprocess.PIPE, text=True, cwd=HERE)
        if self.process.stdout.readline().strip() != str(self.port):
            raise Wrong("the bucket did not start")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        self.process = None

    close = stop

    def ask(self, path, body=None):
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, method="PUT" if body is not None else "GET"),
                                    timeout=DEADLINE_S) as r:
            return json.loads(r.read())

    def keys(self):
        """The objects with their sizes."""
        return self.ask("/--keys")

    def seen(self):
        """The requests that were signed well, in their order."""
        return self.ask("/--seen")["seen"]

    def parts_sent(self):
        """The greatest number of a part that was taken."""
        return max((int(number) for line in self.seen() for number in re.findall(r"partNumber=(\d+)", line)), default=0)

    def has_read(self, ref):
        return any(line.startswith("GET") and ref in line for line in self.seen())

    def uploads(self):
        """How many uploads in parts are not over."""
        return self.ask("/--seen")["uploads"]

    def lose(self, word):
        """Loses what is written to keys that contain the word; an empty one: nothing."""
        self.ask("/--lose", word.encode())

    def options(self, **other):
        """Settings of a daemon."""
        return options_of(self.name, self.port, other)
