#!/usr/bin/env python3
"""Hostile files in a repository: the daemon continues, the turn ends, and nothing outside of the tree is read.

usage: hostile_repository_test.py BUILD_DIR [WORD ...]          prints TAP
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import DEADLINE_S, Fixture, last  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())
CANARY = "canary-outside-of-the-tree"
# What the daemon and its tools read of a repository, each with what would be believed if it were read.
NAMES = {".thole/rules.json": '{"rules":[{"id":"canary","effect":"deny","tool":"*","reason":"%s"}]}' % CANARY,
         ".thole/hooks.json": '{"hooks":{"stop":[{"name":"canary","command":"true"}]}}',
         ".thole/config.json": '{"model":"%s"}' % CANARY,
         ".mcp.json": '{"mcpServers":{"canary":{"command":"true"}}}',
         "AGENTS.md": CANARY, ".gitignore": CANARY, ".ignore": CANARY, ".rgignore": CANARY, ".git/info/exclude": CANARY, ".git/index": CANARY}


def fifo(path, _):
    os.mkfifo(path)


def link_to(target):
    def make(path, _):
        os.symlink(target, path)
    return make


def outside(path, out):
    os.symlink(out, path)


def outside_by_parent(path, out):
    """The directory itself is a link that leads out."""
    if path.parent.is_symlink():
        (path.parent / path.name).write_text(out.read_text())
    elif path.parent.name in (".thole", "info"):
        path.parent.rmdir()
        os.symlink(out.parent, path.parent)
        (out.parent / path.name).write_text(out.read_text())
    else:
        os.symlink(out, path)


def through_proc(path, out):
    os.symlink(f"/proc/self/root{out}", path)


def sock(path, _):
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        s.bind(path.name)
    finally:
        os.chdir(here)
        s.close()


def sparse(path, _):
    with open(path, "wb") as f:
        f.truncate(1 << 40)


def loop(path, _):
    os.symlink(path.name, path)


def relative_out(path, out):
    os.symlink(os.path.relpath(out, path.parent), path)


def directory(path, _):
    path.mkdir()


def fifo_behind_link(path, _):
    os.mkfifo(path.with_name(path.name + "-p"))
    os.symlink(path.name + "-p", path)


TRAPS = {"fifo": fifo, "dev_zero": link_to("/dev/zero"), "dev_tty": link_to("/dev/tty"), "proc_kmsg": link_to("/proc/kmsg"),
         "proc_environ": link_to("/proc/self/environ"), "sysfs": link_to("/sys/kernel/mm/transparent_hugepage/enabled"),
         "outside": outside, "outside_by_parent": outside_by_parent, "through_proc": through_proc, "socket": sock, "sparse": sparse, "loop": loop,
         "relative_out": relative_out, "directory": directory, "fifo_behind_link": fifo_behind_link, "dangling": link_to("/nowhere/at/all"),
         "fd": link_to("/proc/self/fd/0"), "cgroup": link_to("/sys/fs/cgroup/cgroup.procs")}


class Place(Fixture):
    def __init__(self, trap):
        self.trap = trap
        super().__init__(calls=[("search", {"pattern": "needle"}), ("glob", {"pattern": "**/*"})], options=["permission.mode=bypass"])

    def prepare(self, calls, options):
        self.repo = self.dir / "repo"
        self.repo.mkdir()
        (self.repo / "plain.txt").write_text("needle\n")
        for n, (name, text) in enumerate(NAMES.items()):
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            out = self.dir / f"out{n}" / "file"
            out.parent.mkdir()
            out.write_text(text)
            self.trap(path, out)
        return calls, options


def survives(trap):
    fixture = Place(trap)
    try:
        begin = time.monotonic()
        fixture.session = fixture.call("create_session", cwd=str(fixture.repo))["sessionId"]
        for _ in range(2):
            events = fixture.run()
            assert CANARY not in json.dumps(events), "something outside of the tree was believed"
            assert last(events, "tool.result"), events
            assert "needle" in json.dumps(events) or "plain.txt" in json.dumps(events)
        assert fixture.http.request("GET", "/healthz")[0] == 200
        assert fixture.call("list_hooks", cwd=str(fixture.repo))["hooks"] == []
        assert "canary" not in fixture.servers()
        for words in (["hooks", "ls"], ["policy", "show"], ["doctor"]):
            p = subprocess.run([BUILD + "/thole", *words, "--data", fixture.daemon.data], cwd=fixture.repo, capture_output=True, text=True, timeout=DEADLINE_S,
                               stdin=subprocess.DEVNULL)
            assert CANARY not in p.stdout, (words, p)
        assert time.monotonic() - begin < DEADLINE_S * 4
    finally:
        fixture.close()


def links_inside_are_followed():
    """AGENTS.md is often a link to a file beside it."""
    def inside(path, _):
        if path.name == "AGENTS.md":
            (path.parent / "CLAUDE.md").write_text("inside of the tree\n")
            os.symlink("CLAUDE.md", path)
    fixture = Place(inside)
    try:
        fixture.session = fixture.call("create_session", cwd=str(fixture.repo))["sessionId"]
        events = fixture.run()
        refs = json.dumps(last(events, "context.resolved"))
        assert "AGENTS.md" in refs and "denied" not in refs, refs
    finally:
        fixture.close()


def main():
    words = sys.argv[2:]
    every = [(n, lambda t=t: survives(t)) for n, t in TRAPS.items()] + [("links_inside_are_followed", links_inside_are_followed)]
    chosen = [(n, f) for n, f in every if not words or any(w in n for w in words)]
    failed = 0
    print(f"1..{len(chosen)}")
    for k, (name, f) in enumerate(chosen, 1):
        try:
            f()
            print(f"ok {k} {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {k} {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1200]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
