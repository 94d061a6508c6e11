#!/usr/bin/env python3
"""The portable tarball runs where nothing is installed: in an empty root, beside musl and busybox, on Debian 12.

usage: portable_test.py BUILD_DIR [WORD...]          prints TAP; WORD: only tests whose name contains it

A root is a directory with the unpacked tarball in /opt/thole; in_root.py runs programs in it with mounts and process ids of its own.
THOLE_ROOTS=DIR adds the roots DIR/debian-12 and DIR/debian-13 (debootstrap --variant=minbase).
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import tap  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402

MAX_BYTES = 20_000_000
KEY = "sk-portable-" + "a1B2" * 8
SCRIPT = {"version": 1, "default": {"text": "x"}, "rules": [{"when": {"text": "go"}, "replies": [
    {"toolCalls": [{"name": "write_file", "args": {"path": "a.txt", "content": "written\n"}}]},
    {"toolCalls": [{"name": "read_file", "args": {"path": "a.txt"}}, {"name": "read_file", "args": {"path": "/outside"}},
                   {"name": "shell", "args": {"command": "cat a.txt; echo x >/outside"}}]},
    {"text": "done"}]}]}
tests = []
shared = {}


def test(f):
    tests.append(f)
    return f


def tarball():
    """Made once for all tests."""
    if "tarball" not in shared:
        out = pathlib.Path(tempfile.mkdtemp(prefix="thole-portable-", dir=shared["work"]))
        done = subprocess.run([ROOT / "scripts" / "portable", BUILD, out], capture_output=True, text=True, timeout=10 * DEADLINE_S)
        assert done.returncode == 0, done.stdout + done.stderr
        shared["tarball"] = next(out.glob("*.tar.gz"))
    return shared["tarball"]


def unpack(into):
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball()) as tar:
        tar.extractall(into)
    top = next(into.glob("thole-*"))
    top.rename(into / "thole")


class Box:
    """A root directory and what runs in it."""

    def __init__(self, name, base=None):
        self.root = pathlib.Path(shared["work"]) / name
        if base:
            subprocess.run(["cp", "-a", base, self.root], check=True)
        for part in ("proc", "dev", "tmp", "root", "srv/app"):
            (self.root / part).mkdir(parents=True, exist_ok=True)
        (self.root / "outside").write_text("not for the agent\n")
        unpack(self.root / "opt")
        (self.root / "srv" / "s.json").write_text(json.dumps(SCRIPT))

    def run(self, *args, code=0, env=(), program="/opt/thole/thole"):
        p = subprocess.run([sys.executable, HERE / "in_root.py", *(f"--env={e}" for e in env), self.root, "/srv/app", program, *args],
                           capture_output=True, text=True, timeout=2 * DEADLINE_S)
        if p.returncode == 125:
            raise tap.Skip(p.stderr.strip())
        assert p.returncode == code, f"wanted exit {code}, got {p.returncode}: {args}\n{p.stdout}\n{p.stderr}"
        return p.stdout

    def turn(self):
        """A turn with tools in the sandbox; returns the results by tool, and the tiers."""
        self.run("run", "--here", "--data", "/tmp/d", "--script", "/srv/s.json", "--mode", "bypass", "--atif", "/tmp/t.json", "go")
        self.run("conform", "atif", "/tmp/t.json")
        t = json.loads((self.root / "tmp" / "t.json").read_text())
        calls = [(c, next(r for r in s["observation"]["results"] if r["source_call_id"] == c["tool_call_id"]))
                 for s in t["steps"] for c in s.get("tool_calls", [])]
        tiers = {e["tier"] for c, _ in calls for e in c["extra"]["events"] if e["event"] == "sandbox.applied"}
        return calls, tiers


def check_sandbox(box, has_shell):
    """The file tools and commands run behind the strongest sandbox that the machine has."""
    best = json.loads(subprocess.run([BUILD / "thole", "sandbox", "--json"], capture_output=True, text=True).stdout or "{}").get("tier")
    calls, tiers = box.turn()
    assert (box.root / "srv/app/a.txt").read_text() == "written\n"
    assert all("namespaces" in t for t in tiers) if best and "namespaces" in best else tiers, (tiers, best)
    write, read, outside, shell = calls
    assert read[1]["content"].endswith("written\n"), read
    assert outside[1]["extra"]["status"] == "failed" and "not for the agent" not in json.dumps(outside), outside
    assert (box.root / "outside").read_text() == "not for the agent\n", "a command wrote outside"
    if has_shell:
        assert "written\n" in shell[1]["content"] and "sandbox_denied" in shell[1]["content"], shell
    else:
        assert shell[1]["extra"]["status"] == "failed", "there is no shell in an empty root"


@test
def the_tarball_is_small_and_deterministic():
    assert tarball().stat().st_size <= MAX_BYTES, tarball().stat().st_size
    again = pathlib.Path(shared["work"]) / "again"
    again.mkdir()
    subprocess.run([ROOT / "scripts" / "portable", BUILD, again], check=True, capture_output=True, timeout=10 * DEADLINE_S)
    digests = {hashlib.sha256(p.read_bytes()).hexdigest() for p in (tarball(), next(again.glob("*.tar.gz")))}
    assert len(digests) == 1, digests
    with tarfile.open(tarball()) as tar:
        members = tar.getmembers()
    assert len({m.name.split("/")[0] for m in members}) == 1 and all(m.isfile() and m.uid == 0 and m.mtime == 0 and not m.uname for m in members)
    assert not any(".." in m.name for m in members)


@test
def the_bridges_of_the_tarball_work():
    into = pathlib.Path(shared["work"]) / "bridges"
    unpack(into)
    done = subprocess.run([sys.executable, ROOT / "tests" / "bridges" / "telegram_test.py", BUILD, "a_message_is_a_turn"], capture_output=True, text=True,
                          env=dict(os.environ, THOLE_BRIDGES=str(into / "thole" / "bridges")), timeout=10 * DEADLINE_S)
    assert done.returncode == 0 and "ok 1 - " in done.stdout, done.stdout + done.stderr


@test
def it_runs_in_an_empty_root_with_its_sandbox():
    box = Box("empty")
    assert re.match(r"thole \d", box.run("version"))
    check_sandbox(box, has_shell=False)


@test
def it_runs_beside_musl_and_busybox():
    busybox = shutil.which("busybox")
    musl = [p for p in pathlib.Path("/lib").glob("ld-musl-*.so.1")]
    if not busybox or not musl:
        raise tap.Skip("busybox-static or musl is not installed")
    box = Box("musl")
    (box.root / "bin").mkdir()
    shutil.copy(busybox, box.root / "bin" / "busybox")
    for name in ("sh", "cat", "echo", "ls"):
        (box.root / "bin" / name).symlink_to("busybox")
    (box.root / "lib").mkdir()
    shutil.copy(musl[0].resolve(), box.root / "lib" / musl[0].name)
    check_sandbox(box, has_shell=True)


def check_debian(version):
    base = pathlib.Path(os.environ.get("THOLE_ROOTS", "/nonexistent")) / f"debian-{version}"
    if base.is_dir():
        check_sandbox(Box(f"debian-{version}", base), has_shell=True)
        return
    here = pathlib.Path("/etc/os-release").read_text() if pathlib.Path("/etc/os-release").exists() else ""
    if "ID=debian" not in here or f'VERSION_ID="{version}"' not in here:
        raise tap.Skip(f"this is not Debian {version}, and THOLE_ROOTS has no debian-{version}")
    work = pathlib.Path(shared["work"]) / "here"
    unpack(work / "opt")
    (work / "app").mkdir()
    (work / "s.json").write_text(json.dumps(SCRIPT))
    done = subprocess.run([work / "opt/thole/thole", "run", "--here", "--data", work / "d", "--script", work / "s.json", "--mode", "bypass", "go"],
                          cwd=work / "app", capture_output=True, text=True, timeout=DEADLINE_S, env={"PATH": os.environ["PATH"], "HOME": str(work)})
    assert done.returncode == 0 and (work / "app/a.txt").read_text() == "written\n", done


@test
def it_runs_on_debian_12():
    check_debian(12)


@test
def it_runs_on_debian_13():
    check_debian(13)


@test
def it_reaches_a_model_with_the_libcurl_that_it_brings():
    box = Box("model")
    sim = subprocess.Popen([sys.executable, ROOT / "tests/provider/simulator.py"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        port = int(sim.stdout.readline().split()[1])
        providers = {"sim": {"dialect": "anthropic", "keyEnv": "SIM_KEY", "models": ["sim-1"], "baseUrl": f"http://127.0.0.1:{port}/text/v1"}}
        said = box.run("run", "--here", "--data", "/tmp/m", "-c", "providers=" + json.dumps(providers), "-m", "sim/sim-1", "hello", env=["SIM_KEY=" + KEY])
        assert said.strip(), said
    finally:
        sim.stdin.close()
        sim.wait(DEADLINE_S)


@test
def a_daemon_is_started_and_stopped_by_the_launcher():
    work = pathlib.Path(shared["work"]) / "daemon"
    unpack(work / "opt")
    thole, data = work / "opt/thole/thole", work / "d"
    env = {"PATH": os.environ["PATH"], "HOME": str(work), "THOLE_DATA": str(data)}

    def call(*args):
        return subprocess.run([thole, *args], cwd=work, env=env, capture_output=True, text=True, timeout=DEADLINE_S)
    try:
        assert call("run", "hello").returncode == 0
        assert call("ps").returncode == 0 and (data / "socket").exists(), "a daemon was started"
    finally:
        call("serve", "--stop")
    until("the end of the daemon", lambda: not (data / "socket").exists() or call("--no-start", "ps").returncode)


def main():
    words = sys.argv[2:]
    chosen = [t for t in tests if not words or any(w in t.__name__ for w in words)]
    with tempfile.TemporaryDirectory(prefix="thole-roots-") as work:
        shared["work"] = work
        return tap.play(chosen)


sys.exit(main())
