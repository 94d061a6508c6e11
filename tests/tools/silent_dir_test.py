#!/usr/bin/env python3
"""Directories whose file system does not answer: requests for them wait and are refused, all others continue.

The file system is a real one (FUSE in a user namespace) whose server answers nothing, or all but some files.

usage: silent_dir_test.py BUILD_DIR [WORD ...]          prints TAP
"""
import ctypes
import errno
import json
import os
import pathlib
import struct
import subprocess
import sys
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
SESSIONS = 1000
LIBC = ctypes.CDLL(None, use_errno=True)

if os.environ.get("THOLE_SILENT_INSIDE") != "1":
    probe = subprocess.run(["unshare", "-Urm", "test", "-r", "/dev/fuse"], capture_output=True)
    if probe.returncode:
        print("1..0 # SKIP no FUSE in a user namespace here")
        sys.exit(0)
    os.environ["THOLE_SILENT_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-Urm", sys.executable, *sys.argv])

from tool_fixture import DEADLINE_S, Fixture  # noqa: E402
from run import Http  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, BATCH_FORGET = \
    1, 2, 3, 5, 14, 15, 17, 18, 25, 26, 27, 28, 29, 34, 42


class Fuse:
    """files: path → text.  silent: None: nothing is answered at all; else the paths whose reading is not."""

    def __init__(self, point, files=None, silent=()):
        self.point, self.silent = str(point), silent
        self.nodes = {1: ""}
        self.files = {"": None}
        for path, text in (files or {}).items():
            parts = path.split("/")
            for n in range(1, len(parts)):
                self.files["/".join(parts[:n])] = None
            self.files[path] = text.encode()
        for n, path in enumerate(p for p in self.files if p):
            self.nodes[n + 2] = path
        self.numbers = {p: n for n, p in self.nodes.items()}
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other"
        if LIBC.mount(b"silent", self.point.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "mount")
        if silent is not None:
            threading.Thread(target=self.serve, daemon=True).start()

    def attr(self, path):
        text = self.files[path]
        mode = 0o040755 if text is None else 0o100644
        size = len(text or b"")
        return struct.pack("<QQQQQQIIIIIIIIII", self.numbers[path], size, 1, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 20)
            except OSError:
                return
            size, op, unique, node = struct.unpack_from("<IIQQ", request)
            answer = self.answer(op, self.nodes.get(node), request[40:size])
            if answer is None:
                continue
            code, body = answer if isinstance(answer, tuple) else (0, answer)
            try:
                os.write(self.fd, struct.pack("<IiQ", 16 + len(body), -code, unique) + body)
            except OSError:
                return

    def answer(self, op, path, body):
        if op == INIT:
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 0, 0, 65536, 0, 0, 0, 0)
        if op in (FORGET, BATCH_FORGET):
            return None
        if op == LOOKUP:
            name = body[:-1].decode()
            child = f"{path}/{name}" if path else name
            if child not in self.files:
                return errno.ENOENT, b""
            return struct.pack("<QQQQII", self.numbers[child], 0, 0, 0, 0, 0) + self.attr(child)
        if op == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attr(path)
        if op in (OPEN, OPENDIR):
            return None if path in self.silent and op == OPEN else struct.pack("<QII", 0, 0, 0)
        if op == READ:
            at, = struct.unpack_from("<Q", body, 8)
            length, = struct.unpack_from("<I", body, 16)
            return self.files[path][at:at + length]
        if op == STATFS:
            return struct.pack("<QQQQQIIII24x", 1, 1, 1, 1, 1, 4096, 255, 4096, 0)
        if op in (RELEASE, RELEASEDIR, FLUSH, ACCESS, READDIR):
            return b""
        return errno.ENOSYS, b""

    def close(self):
        """Waiting requests fail because the server is gone."""
        LIBC.umount2(self.point.encode(), 2)
        os.close(self.fd)


class Place(Fixture):
    def __init__(self):
        super().__init__(options=["permission.mode=bypass"])
        self.point = self.dir / "silent"
        self.point.mkdir()


class Background:
    """A call on a thread; its answer, when there is one."""

    def __init__(self, fixture, command, **params):
        self.reply = None
        self.http = Http(fixture.daemon)
        self.thread = threading.Thread(target=self.run, args=(command, params), daemon=True)
        self.thread.start()

    def run(self, command, params):
        self.reply = self.http.call(command, params)

    def wait(self):
        self.thread.join(DEADLINE_S)
        assert self.reply is not None, "the request was never answered"
        return self.reply


def refused(reply, word="does not answer"):
    code, body = reply
    assert code and word in json.dumps(body), reply


def ordinary_turn(fixture):
    reply = fixture.call("submit_turn", input="hello")
    fixture.session, fixture.turn = reply["sessionId"], reply["turnId"]
    fixture.settle()
    fixture.session = None


def a_silent_directory_is_refused_and_others_go_on():
    fixture = Place()
    fuse = Fuse(fixture.point, silent=None)
    try:
        sub = fixture.point / "project"
        asked = [Background(fixture, "create_session", cwd=str(fixture.point)), Background(fixture, "list_hooks", cwd=str(fixture.point)),
                 Background(fixture, "submit_turn", input="hello", cwd=str(sub)), Background(fixture, "create_session", cwd=str(sub))]
        ordinary_turn(fixture)
        assert fixture.http.request("GET", "/healthz")[0] == 200
        for each in asked:
            refused(each.wait())
        refused(fixture.http.call("submit_turn", {"input": "hello", "cwd": str(fixture.point)}))
        ordinary_turn(fixture)
    finally:
        fuse.close()
        fixture.close()


def a_link_that_leads_there_is_refused():
    fixture = Place()
    fuse = Fuse(fixture.point, silent=None)
    try:
        link, far = fixture.dir / "link", fixture.dir / "far"
        os.symlink(fixture.point, far)
        os.symlink("far/project", link)
        asked = Background(fixture, "create_session", cwd=str(link))
        ordinary_turn(fixture)
        refused(asked.wait())
    finally:
        fuse.close()
        fixture.close()


def files_that_do_not_answer():
    """The directory answers, one file of it does not."""
    for name in (".thole/rules.json", ".thole/hooks.json", ".mcp.json", ".git/config"):
        fixture = Place()
        fuse = Fuse(fixture.point, files={name: "{}", "plain.txt": "x"}, silent={name})
        try:
            asked = Background(fixture, "submit_turn", input="hello", cwd=str(fixture.point))
            ordinary_turn(fixture)
            refused(asked.wait())
        finally:
            fuse.close()
            fixture.close()


def a_directory_that_answers_is_worked_in():
    fixture = Place()
    fuse = Fuse(fixture.point, files={"AGENTS.md": "be kind", ".thole/rules.json": json.dumps(
        {"rules": [{"id": "own", "effect": "deny", "tool": "write_file"}]})})
    try:
        fixture.session = fixture.call("create_session", cwd=str(fixture.point))["sessionId"]
        events = fixture.run()
        text = json.dumps(events)
        assert "AGENTS.md" in text, text
        assert "own" in json.dumps(fixture.call("get_session", sessionId=fixture.session)), "the rules of the directory are not seen"
        hooks = fixture.call("list_hooks", cwd=str(fixture.point))
        assert hooks["hooks"] == []
    finally:
        fuse.close()
        fixture.close()


def a_link_in_the_tree_that_leads_there():
    fixture = Place()
    fuse = Fuse(fixture.point, silent=None)
    try:
        repo = fixture.dir / "repo"
        (repo / ".thole").mkdir(parents=True)
        for name in (".thole/rules.json", ".thole/hooks.json", ".mcp.json", "AGENTS.md", ".git"):
            os.symlink(fixture.point / "file", repo / name)
        fixture.session = fixture.call("create_session", cwd=str(repo))["sessionId"]
        fixture.run()
        assert fixture.call("list_hooks", cwd=str(repo))["hooks"] == []
    finally:
        fuse.close()
        fixture.close()


def a_thousand_hostile_sessions():
    """Each in its own directory that does not answer; health is requested between them."""
    fixture = Place()
    fuse = Fuse(fixture.point, silent=None)
    try:
        answers = []

        def ask(first):
            http = Http(fixture.daemon)
            for n in range(first, SESSIONS, 8):
                answers.append(http.call("submit_turn", {"input": "hello", "cwd": f"{fixture.point}/p{n}"}))
        threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(8)]
        for t in threads:
            t.start()
        seen, slowest = 0, 0.0
        end = time.monotonic() + 10 * DEADLINE_S
        while any(t.is_alive() for t in threads) and time.monotonic() < end:
            begin = time.monotonic()
            assert fixture.http.request("GET", "/healthz")[0] == 200
            slowest = max(slowest, time.monotonic() - begin)
            seen += 1
        assert len(answers) == SESSIONS, f"{len(answers)} of {SESSIONS} were answered"
        for reply in answers:
            refused(reply)
        # a loop that waits half a second for each of them answers health twice a second
        assert seen > SESSIONS, f"health was answered {seen} times beside {SESSIONS} sessions"
        print(f"# health: {seen} answers, the slowest after {slowest * 1000:.0f} ms")
        ordinary_turn(fixture)
    finally:
        fuse.close()
        fixture.close()


def it_comes_back():
    """Requests that hung fail because the file system is gone; the directory is an ordinary one then."""
    fixture = Place()
    fuse = Fuse(fixture.point, silent=None)
    try:
        refused(fixture.http.call("create_session", {"cwd": str(fixture.point)}))
        fuse.close()
        fuse = None
        fixture.until("the directory to answer", lambda: not fixture.http.call("create_session", {"cwd": str(fixture.point)})[0])
    finally:
        if fuse:
            fuse.close()
        fixture.close()


def main():
    words = sys.argv[2:]
    every = [a_silent_directory_is_refused_and_others_go_on, a_link_that_leads_there_is_refused, files_that_do_not_answer,
             a_directory_that_answers_is_worked_in, a_link_in_the_tree_that_leads_there, a_thousand_hostile_sessions, it_comes_back]
    chosen = [f for f in every if not words or any(w in f.__name__ for w in words)]
    failed = 0
    print(f"1..{len(chosen)}")
    for k, f in enumerate(chosen, 1):
        try:
            f()
            print(f"ok {k} {f.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {k} {f.__name__}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1200]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
