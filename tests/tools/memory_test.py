#!/usr/bin/env python3
"""Keys are in the daemon's memory: no other process of the same user can read it, and no core dump contains it.

usage: memory_test.py BUILD_DIR      prints TAP

Run as root it starts the daemon as a user who owns nothing, because root may read everything; the daemon must work as before for that user.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from wait import DEADLINE_S, until  # noqa: E402
from tap import play  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
USER = 61991
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if os.getuid() == 0 else []
tests = []

# what a thief of the same user tries on process argv[1]; prints what he got
THIEF = """
import ctypes, os, sys
pid, got = int(sys.argv[1]), []
for name in ("mem", "environ", "maps", "auxv"):
    try:
        if name == "mem" or open(f"/proc/{pid}/{name}", "rb").read(1):
            open(f"/proc/{pid}/{name}", "rb").close()
            got.append(name)
    except OSError:
        pass
try:
    os.listdir(f"/proc/{pid}/fd")
    got.append("fd")
except OSError:
    pass
c = ctypes.CDLL(None, use_errno=True)
if c.ptrace(0x4206, pid, 0, 0) == 0:  # PTRACE_SEIZE
    got.append("ptrace")
room = ctypes.create_string_buffer(8)
class Iov(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
ctypes.set_errno(0)
c.process_vm_readv(pid, ctypes.byref(Iov(ctypes.addressof(room), 8)), 1, ctypes.byref(Iov(4096, 8)), 1, 0)
if ctypes.get_errno() == 14:  # it looked at the address, where nothing is
    got.append("process_vm_readv")
print(" ".join(got))
"""


def test(f):
    tests.append(f)
    return f


class Place:
    """Programs, home and data of the user, and a daemon."""

    def __init__(self, *how):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-memory-", dir="/var/tmp"))
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(self.dir / "home"), "LD_LIBRARY_PATH": str(self.dir / "bin"), "XDG_RUNTIME_DIR": str(self.dir / "run")}
        (self.dir / "bin").mkdir()
        for name in ("thole", "thole-supervisor"):
            shutil.copy(BUILD / name, self.dir / "bin")
            listed = subprocess.run(["ldd", BUILD / name], stdout=subprocess.PIPE, text=True, check=True).stdout
            for line in listed.splitlines():
                if " => /" in line and not line.split()[2].startswith(("/lib", "/usr")):
                    shutil.copy(line.split()[2], self.dir / "bin")
        for name in ("home", "run", "work"):
            (self.dir / name).mkdir(mode=0o700)
            os.chown(self.dir / name, *((USER, USER) if AS_USER else (-1, -1)))
        self.dir.chmod(0o755)
        self.daemon = subprocess.Popen([*AS_USER, self.dir / "bin" / "thole", "serve", *how, "--data", self.dir / "home" / "data"], env=self.env, cwd=self.dir / "work",
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def is_up():
            assert self.daemon.poll() is None, "no daemon"
            return self.thole("ps").returncode == 0

        until("the daemon", is_up)

    def thole(self, *words):
        return subprocess.run([*AS_USER, self.dir / "bin" / "thole", *words, "--data", self.dir / "home" / "data"], env={**self.env, "THOLE_NO_START": "1"}, cwd=self.dir / "work",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S)

    def steal(self, pid):
        return subprocess.run([*AS_USER, "/usr/bin/python3", "-c", THIEF, str(pid)], capture_output=True, text=True, check=True).stdout.split()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait(DEADLINE_S)
        shutil.rmtree(self.dir, ignore_errors=True)  # a supervisor may remove its socket meanwhile


@test
def no_process_of_the_same_user_reads_its_memory():
    with Place() as p:
        other = subprocess.Popen([*AS_USER, "sleep", "60"])
        try:
            until("the other program", lambda: pathlib.Path(f"/proc/{other.pid}/comm").read_text().strip() == "sleep")
            shown = p.steal(other.pid)
        finally:
            other.kill()
            other.wait()
        assert {"mem", "environ", "process_vm_readv"} <= set(shown), ("the thief cannot steal at all", shown)
        assert p.steal(p.daemon.pid) == [], p.steal(p.daemon.pid)


@test
def no_core_is_written():
    with Place() as p:
        limits = pathlib.Path(f"/proc/{p.daemon.pid}/limits").read_text()
        line = next(x for x in limits.splitlines() if x.startswith("Max core file size"))
        assert line.split()[4:6] == ["0", "0"], line


@test
def it_works_for_that_user():
    with Place("--listen", "127.0.0.1:0") as p:
        r = p.thole("run", "hello there")
        assert r.returncode == 0 and r.stdout.strip(), r
        r = p.thole("doctor")
        assert r.returncode == 0 and "✗" not in r.stdout, r
        r = p.thole("verify")
        assert r.returncode == 0, r
        r = subprocess.run([*AS_USER, p.dir / "bin" / "thole", "run", "--here", "hello again"], env=p.env, cwd=p.dir / "work", stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert r.returncode == 0 and r.stdout.strip(), r


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
