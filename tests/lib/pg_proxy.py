"""A proxy between a node and its PostgreSQL that cuts a connection at a chosen moment of a commit.

    with pg_proxy.Proxy(cluster) as proxy:
        proxy.url()
        proxy.cut("before", 5)    the next five commits do not reach the server
        proxy.cut("after", 5)     they do, and the reply does not come back
        proxy.cut("late", 5)      the connection breaks, and they reach the server a moment later
        proxy.cut("overtaken", 1) the same, right after the node has asked on its next connection what became of it
        proxy.stall()             connections stay open, and nothing passes any more

It listens on a Unix socket.  A commit is a Sync of the connection that has sent the statement `heads`, by its name or as a text.
"""
import os
import random
import shutil
import socket
import struct
import tempfile
import threading
import time
import urllib.parse

ORDINARY_NAME = ".s.PGSQL.5432"


def read_exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_message(sock):
    """One message with its type, as it came."""
    head = read_exactly(sock, 5)
    return head + read_exactly(sock, struct.unpack(">I", head[1:])[0] - 4)


def is_append(message):
    """A Bind of the statement `heads` to the unnamed portal, or a Parse of its text without a name."""
    if message[:1] == b"P":
        return message[5:6] == b"\0" and b"INSERT INTO chunk(" in message
    return message[:1] == b"B" and message[5:].startswith(b"\0heads\0")


def asks_for_heads(message):
    """A Parse of the question what became of commits in doubt."""
    return message[:1] == b"P" and b"coalesce(s.last_hash, r.last_hash)" in message


class Proxy:
    def __init__(self, cluster):
        self.cluster = cluster
        self.dir = tempfile.mkdtemp(prefix="thole-px-")
        self.path = os.path.join(self.dir, ORDINARY_NAME)
        self.lock = threading.Lock()
        self.where, self.left, self.done = None, 0, 0
        self.is_open = True
        self.passes = threading.Event()
        self.passes.set()
        self.pairs = set()
        self.is_asked, self.is_late_over = threading.Event(), threading.Event()

    def __enter__(self):
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.close()
        self.passes.set()
        self.close_all()
        shutil.rmtree(self.dir, ignore_errors=True)

    def url(self):
        return f"postgresql://thole@/thole?{urllib.parse.urlencode({'host': self.dir})}"

    def cut(self, where, times):
        with self.lock:
            self.where, self.left, self.done = where, times, 0
        self.is_asked.clear()
        self.is_late_over.clear()

    def refuse(self):
        """The network is cut: what is open breaks, and nothing new is accepted."""
        self.is_open = False
        self.close_all()

    def stall(self):
        """As a cable that is pulled: neither side learns of it."""
        self.passes.clear()

    def pass_again(self):
        self.passes.set()

    def accept_again(self):
        self.is_open = True

    def close_all(self):
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            self.close(pair)

    def close(self, pair):
        for sock in pair:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            if not self.is_open:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(os.path.join(self.cluster.dir, ORDINARY_NAME))
            except OSError:
                client.close()
                continue
            pair = (client, server)
            state = {"cut": False}
            with self.lock:
                self.pairs.add(pair)
            threading.Thread(target=self.up, args=(pair, state), daemon=True).start()
            threading.Thread(target=self.down, args=(pair, state), daemon=True).start()

    def take_cut(self):
        with self.lock:
            if not self.left:
                return None
            self.left -= 1
            self.done += 1
            return self.where

    def up(self, pair, state):
        client, server = pair
        try:
            size = read_exactly(client, 4)
            server.sendall(size + read_exactly(client, struct.unpack(">I", size)[0] - 4))
            is_commit, is_question, held = False, False, b""
            while True:
                message = read_message(client)
                is_question = is_question or asks_for_heads(message)
                is_commit = is_commit or is_append(message)
                held += message
                if self.holds() and message[:1] in b"PBDE":
                    continue
                if message[:1] == b"S" and is_commit:
                    is_commit = False
                    where = self.take_cut()
                    if where == "before":
                        break
                    state["cut"] = where in ("after", "late", "overtaken")
                    if where in ("late", "overtaken"):
                        self.send_late(pair, held, where)
                        return
                self.passes.wait()
                server.sendall(held)
                held = b""
                if message[:1] == b"S" and is_question and self.where == "overtaken":
                    is_question = False
                    time.sleep(0.05)  # until the server has answered
                    self.is_asked.set()
                    self.is_late_over.wait(5)
        except (OSError, EOFError):
            pass
        self.close(pair)

    def holds(self):
        """A transaction that may have to be late is held until its end is there."""
        with self.lock:
            return self.where in ("late", "overtaken") and self.left > 0

    def send_late(self, pair, held, where):
        """The client has to do without the reply, which down() drops before it closes the other side."""
        client, server = pair
        client.shutdown(socket.SHUT_RDWR)
        if where == "late":
            time.sleep(random.uniform(0, 0.15))
        else:
            self.is_asked.wait(5)
        server.sendall(held)

    def down(self, pair, state):
        """With a cut after the commit everything up to ReadyForQuery is read and dropped."""
        client, server = pair
        try:
            while True:
                message = read_message(server)
                if state["cut"]:
                    if message[:1] == b"Z":
                        self.is_late_over.set()
                        break
                    continue
                self.passes.wait()
                client.sendall(message)
        except (OSError, EOFError):
            pass
        self.close(pair)
