#!/usr/bin/env python3
"""Run a program with another root directory, as a container would: own mounts, own process ids, /proc and /dev, nothing else.

    in_root.py [--bind FROM:TO]... ROOT DIR PROGRAM [ARG...]      DIR: where it starts, inside ROOT

Needs root, or user namespaces.  Exit 125: the root could not be made.  The environment is PATH, HOME and what --env NAME=VALUE gives.
"""
import argparse
import ctypes
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWPID, NEWUSER = 0x20000, 0x20000000, 0x10000000
BIND, REC, PRIVATE, DETACH = 4096, 16384, 1 << 18, 2


def check(result, what):
    if result < 0:
        print(f"in_root: {what}: {os.strerror(ctypes.get_errno())}", file=sys.stderr)
        sys.exit(125)


def mount(source, target, kind=None, flags=0):
    check(LIBC.mount(source.encode(), target.encode(), kind and kind.encode(), flags, None), f"mount {target}")


def enter(root, binds):
    mount("none", "/", None, REC | PRIVATE)
    mount(root, root, None, BIND | REC)
    for source, target in binds:
        mount(source, root + target, None, BIND | REC)
    mount("/dev", root + "/dev", None, BIND | REC)
    mount("proc", root + "/proc", "proc")
    os.chdir(root)
    check(LIBC.pivot_root(b".", b"."), "pivot_root")
    check(LIBC.umount2(b".", DETACH), "umount")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bind", action="append", default=[])
    p.add_argument("--env", action="append", default=[])
    p.add_argument("root")
    p.add_argument("dir")
    p.add_argument("command", nargs=argparse.REMAINDER)
    o = p.parse_args()
    uid, gid = os.getuid(), os.getgid()
    check(LIBC.unshare(NEWNS | NEWPID | (NEWUSER if uid else 0)), "unshare")
    if uid:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as f:
                f.write(text)
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
    enter(os.path.realpath(o.root), [b.split(":") for b in o.bind])
    os.chdir(o.dir)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", **dict(e.split("=", 1) for e in o.env)}
    try:
        os.execve(o.command[0], o.command, env)
    except OSError as e:
        print(f"in_root: {o.command[0]}: {e.strerror}", file=sys.stderr)
        sys.exit(127)


main()
