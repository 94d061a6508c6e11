#!/usr/bin/env python3
"""Limits of one command: size of one file and of the private directories, by default, by setting, by call and by option.

usage: limits_test.py BUILD_DIR          prints TAP; limits that need cgroup controllers are SKIP where there are none
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture, last  # noqa: E402
from tap import Skip, play  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())
tests = []


def test(f):
    tests.append(f)
    return f


def sandbox(*words, options=(), files=None):
    with tempfile.TemporaryDirectory(prefix="thole-limits-") as d:
        for name, text in (files or {}).items():
            pathlib.Path(d, name).write_text(text)
        p = subprocess.run([BUILD + "/thole", "sandbox", "run", *options, "--", *words], cwd=d, capture_output=True, text=True, timeout=120)
        return p, {n: os.stat(os.path.join(d, n)).st_size for n in os.listdir(d) if os.path.isfile(os.path.join(d, n))}


def shell(line, *options, **more):
    return sandbox("sh", "-c", line, options=options, **more)


@test
def one_file_has_four_gibibytes():
    p, sizes = shell("truncate -s 4G fits; truncate -s 5G more; truncate -s 4T much; dd if=/dev/zero of=seek bs=1 count=1 seek=5G 2>&1; true")
    assert sizes["fits"] == 4 << 30 and sizes.get("more", 0) <= 4 << 30 and sizes.get("much", 0) <= 4 << 30 and sizes.get("seek", 0) <= 4 << 30, sizes


@test
def an_option_says_how_large_one_file_is():
    for value, size in (("1M", 1 << 20), ("65536", 65536), ("3K", 3072)):
        p, sizes = shell(f"head -c {size} /dev/zero >fits; head -c {size + 1} /dev/zero >more; true", "--file-size", value)
        assert sizes["fits"] == size and sizes["more"] <= size, (value, sizes, p)
    p, sizes = shell("truncate -s 6G large", "--file-size", "0")
    assert sizes["large"] == 6 << 30, (sizes, p)


@test
def every_way_to_make_a_file_longer_meets_the_limit():
    shapes = {"append": "for i in 1 2 3 4; do head -c 600000 /dev/zero >>f; done", "fallocate": "fallocate -l 2M f",
              "pwrite": "python3 -c \"import os; f=os.open('f',os.O_CREAT|os.O_WRONLY); os.pwrite(f,b'x',3000000)\"",
              "ftruncate": "python3 -c \"open('f','w').truncate(3000000)\"", "copy": "head -c 900000 /dev/zero >g; cat g g >f",
              "sendfile": "head -c 900000 /dev/zero >g; python3 -c \"import os; i=os.open('g',0); o=os.open('f',65); os.sendfile(o,i,0,900000); "
                          "os.sendfile(o,i,0,900000)\"",
              "mmap": "python3 -c \"import mmap,os; f=os.open('f',66); os.ftruncate(f,3000000)\"", "child": "sh -c 'head -c 3000000 /dev/zero >f' &\nwait",
              "ulimit": "ulimit -f unlimited; head -c 3000000 /dev/zero >f", "prlimit": "prlimit --fsize=unlimited head -c 3000000 /dev/zero >f"}
    for name, line in shapes.items():
        _, sizes = shell(line, "--file-size", "1M")
        assert sizes.get("f", 0) <= 1 << 20, (name, sizes)


@test
def private_directories_have_a_size():
    p, _ = shell("head -c 3000000 /dev/zero >/tmp/f; stat -c %s /tmp/f; df -B1 --output=size /tmp | tail -1", "--private-size", "2M")
    size = int(p.stdout.split()[0])
    assert size <= 2 << 20, p
    p, _ = shell("df -B1 --output=size /tmp | tail -1")
    assert int(p.stdout) == 2 << 30, p


@test
def protected_and_denied_paths_are_options():
    p, sizes = shell("echo x >kept; rm -f kept; cat secret.key other.txt; echo y >log; echo z >made", "--protect", "kept", "--deny", "*.key", "--deny",
                     "write:log", files={"kept": "kept", "secret.key": "hidden-content", "other.txt": "open", "log": "log"})
    assert sizes["kept"] == 4 and sizes["log"] == 3 and sizes["made"] == 2, sizes
    assert "hidden-content" not in p.stdout and "open" in p.stdout, p
    p, _ = shell("true", "--deny", "*.key", "--profile", "danger-full-access")
    assert p.returncode != 0, "no mounts to keep it with"


@test
def processes_and_memory_are_options():
    p, _ = shell("for i in $(seq 40); do sleep 5 & done; echo all", "--processes", "10")
    assert "all" not in p.stdout.split(), p
    for size in ("64M", str(64 << 20)):
        p, _ = shell("python3 -c \"x=bytearray(400<<20); print(len(x))\"; echo tried", "--memory", size)
        assert "419430400" not in p.stdout and "not a number" not in p.stderr, p
    p, _ = shell("true", "--memory", str(1 << 62) + "T")
    assert p.returncode == 2, p


@test
def a_call_may_ask_for_less_and_not_for_more():
    def calls(n):
        return [("shell", {"command": "head -c 3000000 /dev/zero >f; true", "maxFileBytes": n})]
    for setting, asked, most in ((2 << 20, 1 << 20, 1 << 20), (1 << 20, 1 << 30, 1 << 20)):
        fixture = Fixture(calls=calls(asked), options=["permission.mode=bypass", f"sandbox.max_file_bytes={setting}"])
        try:
            events = fixture.run()
            assert (fixture.work / "f").stat().st_size <= most, (setting, asked)
            assert last(events, "sandbox.applied")["sandboxProfile"]["processLimits"]["maxFileBytes"] == most
        finally:
            fixture.close()


@test
def a_tree_is_limited_by_its_group():
    controllers = pathlib.Path("/sys/fs/cgroup/cgroup.controllers")
    p = subprocess.run([BUILD + "/thole", "sandbox", "probe"], capture_output=True, text=True, timeout=30)
    if not controllers.exists() or ("memory_by_watch" in p.stdout or "memory_per_process" in p.stdout):
        raise Skip("no cgroup with controllers was delegated; tests/install has the booted guest")
    p, _ = shell("python3 -c \"x=bytearray(400<<20); print(len(x))\"", "--memory", "64M")
    assert p.returncode != 0, p


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
