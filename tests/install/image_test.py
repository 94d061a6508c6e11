#!/usr/bin/env python3
"""The container image: built by packaging/Dockerfile, run by podman, used as its owner would use it.  Prints TAP.

usage: image_test.py BUILD_DIR

Nothing of it stays, and podman's own images and volumes are not looked at.  Debian is put together from its mirror,
so no registry of images is asked.  Needs root, podman and mmdebstrap, takes fifteen minutes.  The last part, image_compose.py,
runs several nodes and needs podman-compose.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import image_compose  # noqa: E402
from wait import until  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BASE = "localhost/debian:12"
STRONGEST = "namespaces+landlock+seccomp"

SCRIPT = {"version": 1, "default": {"text": "You wrote: {{input}}"}, "rules": [
    {"when": {"text": {"equals": "look"}}, "replies": [
        {"toolCalls": [{"name": "shell", "args": {"command": "touch inside && echo written; cat /data/token; touch /home/agent/escaped; exit 7"}}]},
        {"text": "{{toolResult}}"}]}]}

# As docker's own profile has it: no own namespaces, and no mounts.
NAMESPACES = 0x7E020000
STRICT = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
    {"names": ["unshare", "setns", "mount", "umount2", "pivot_root", "open_tree", "move_mount", "mount_setattr"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
    {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
    *({"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1,
       "args": [{"index": 0, "value": 1 << bit, "valueTwo": 1 << bit, "op": "SCMP_CMP_MASKED_EQ"}]}
      for bit in range(32) if NAMESPACES >> bit & 1)]}

TRY = ("echo x >here && echo written; echo x >/home/agent/escaped; echo x >/data/escaped; "
       "cat /data/token && echo token read; cat /home/agent/private && echo home read; true")

checks = []


def check(f):
    checks.append(f)
    return f


def run(*args, seconds=300, code=0, **options):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds, **options)
    assert code is None or done.returncode == code, f"{' '.join(args)[:400]}: {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


class Place:
    """A store of podman's for this test alone, and one container at a time."""

    def __init__(self, work):
        self.work = work
        self.script, self.strict = os.path.join(work, "script.json"), os.path.join(work, "strict.json")
        for path, value in ((self.script, SCRIPT), (self.strict, STRICT)):
            with open(path, "w") as f:
                json.dump(value, f)

    def command(self):
        return ["podman", "--root", os.path.join(self.work, "store"), "--runroot", os.path.join(self.work, "run"),
                "--network-config-dir", os.path.join(self.work, "networks"), "--cgroup-manager", "cgroupfs"]

    def podman(self, *args, **options):
        return run(*self.command(), *args, **options)

    def run(self, *args, **options):
        return run(*args, **options)

    def start(self, *switches):
        """As podman runs by default, but without what a test machine may lack: cgroups, high limits, a bridge."""
        owner = os.stat(os.devnull)
        self.podman("run", "-d", "--name", "thole", "--cgroups=disabled", "--network=none", "--ulimit=nofile=4096", "--ulimit=nproc=2048", *switches,
                    "-v", "thole-data:/data", "-v", f"{self.script}:/script.json:ro", "-e", "THOLE_SCRIPT=/script.json", "thole")
        # Debian's crun gives the machine's /dev/null, the input of such a container, to the container's user.
        os.chown(os.devnull, owner.st_uid, owner.st_gid)
        self.wait()

    def wait(self):
        until("an answer", lambda: self.inside("thole ps --no-start", code=None).returncode == 0)

    def inside(self, line, **options):
        return self.podman("exec", "thole", "sh", "-c", line, **options)

    def state(self, what):
        return self.podman("inspect", "--format", f"{{{{.State.{what}}}}}", "thole").stdout.strip()

    def get(self, url):
        """From the network of the container, which has no other; a browser's part."""
        return run("nsenter", "-t", self.state("Pid"), "-n", sys.executable, "-c",
                   "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())", url).stdout

    def events(self, kind):
        return [json.loads(line) for line in self.inside(f"thole log @last --type {kind} --json").stdout.splitlines()]

    def remove(self):
        self.podman("rm", "-f", "-t", "0", "thole", code=None)


def tier_of(p):
    return json.loads(p.inside("thole sandbox probe").stdout)["tier"]


def nothing_got_out(p, options=""):
    """Checked from outside of the sandbox."""
    said = p.inside(f"mkdir -p ~/desk && echo canary >~/private && cd ~/desk && thole sandbox run {options} --profile workspace-write -C . -- sh -c '{TRY}'")
    assert said.stdout == "written\n" and "canary" not in said.stderr, said
    p.inside("test -s ~/desk/here && test ! -e ~/escaped && test ! -e /data/escaped")
    return said


# ---- what is checked, in this order ----

@check
def the_image_is_built(p):
    # Certificates that this machine trusts in addition to the usual ones.
    own = "".join(open(path).read() for path in sorted(glob.glob("/usr/local/share/ca-certificates/**/*.crt", recursive=True)))
    p.podman("build", "--isolation=chroot", "--network=host", "--format=docker", "--build-arg", "DEBIAN=" + BASE, "--build-arg", "CA=" + own,
             "-f", os.path.join(ROOT, "packaging", "Dockerfile"), "-t", "thole", ROOT, seconds=3600)


@check
def it_runs_as_an_unprivileged_user_and_is_healthy(p):
    p.start()
    assert p.inside("id -u").stdout == "10001\n"
    p.podman("healthcheck", "run", "thole")
    said = p.inside("thole doctor").stdout
    assert "process 1 takes connections" in said and "✗" not in said, said


@check
def a_turn_is_answered(p):
    assert "You wrote: hello there" in p.inside("thole run --no-start 'hello there'").stdout


@check
def the_console_is_served_where_open_says(p):
    url = p.inside("thole open").stdout.split("#")[0]
    assert url.startswith("http://127.0.0.1:7433"), url
    page = p.get(url)
    assert "function" in p.get(url + re.search(r'src="/?(console/[^"]*\.js)"', page)[1]), page


@check
def the_strongest_sandbox_is_built(p):
    assert tier_of(p) == STRONGEST, p.inside("thole doctor").stdout
    nothing_got_out(p, "--fail-closed")


@check
def so_it_is_for_a_turn_and_the_end_of_the_command_is_reported(p):
    p.inside("mkdir -p ~/look && cd ~/look && thole run --no-start look </dev/null; thole approve $(thole approvals -q)")
    until("the end of the turn", lambda: p.events("turn.completed"))
    applied, result = p.events("sandbox.applied")[0]["payload"], json.dumps(p.events("tool.result") + p.events("process.completed"))
    assert applied["tier"] == STRONGEST and "written" in result and '"exitCode": 7' in result, (applied, result)
    p.inside("test -e ~/look/inside && test ! -e ~/escaped")


@check
def orphans_do_not_stay(p):
    orphan = p.inside("sleep 0.2 >/dev/null 2>&1 & echo $!").stdout.strip()
    until("its end", lambda: p.inside(f"test -e /proc/{orphan}", code=None).returncode)


@check
def stopping_is_in_order_and_starting_goes_on(p):
    p.podman("stop", "-t", "60", "thole")
    assert p.state("ExitCode") == "0"
    p.podman("start", "thole")
    p.wait()
    assert "hello there" in p.inside("thole ps --all").stdout
    assert "the run before: stopped" in p.inside("thole log sess_node_local").stdout


@check
def another_container_goes_on_with_the_volume(p):
    p.remove()
    p.start()
    assert "hello there" in p.inside("thole ps --all").stdout and "whole" in p.inside("thole verify").stdout


@check
def without_namespaces_the_weaker_sandbox_holds_and_says_so(p):
    p.remove()
    p.start("--security-opt", "seccomp=" + p.strict)
    assert tier_of(p) == "landlock+seccomp"
    assert "tier landlock+seccomp because user namespaces cannot be made" in p.inside("thole doctor").stdout
    assert "thole-supervisor: tier landlock+seccomp: no namespaces here" in nothing_got_out(p).stderr
    said = p.inside("thole sandbox run --fail-closed -- echo inside", code=125)
    assert not said.stdout and "(user namespaces cannot be made), and nothing weaker" in said.stderr, said


# ---- running them ----

def skip(reason):
    print(f"ok 1 - the image # SKIP {reason}\n1..1")
    return 0


def make_base(p):
    base = os.path.join(p.work, "base.tar")
    run("mmdebstrap", "--variant=minbase", "bookworm", base, seconds=1200)
    p.podman("import", base, BASE)


def why_not(build):
    if os.geteuid() != 0:
        return "needs root"
    lacks = [tool for tool in ("podman", "mmdebstrap", "unshare", "nsenter") if not shutil.which(tool)]
    if lacks:
        return "needs " + ", ".join(lacks)
    tier = json.loads(run(os.path.join(build, "thole"), "sandbox", "probe").stdout)["tier"]
    return f"this machine has only tier {tier} to give" if tier != STRONGEST else None


def in_a_space_of_our_own():
    """Mounts made here end with this process.  Container runtimes need cgroups of version 2 only."""
    if not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        run("umount", "-l", "/sys/fs/cgroup")
        run("mount", "-t", "cgroup2", "none", "/sys/fs/cgroup")


def main():
    build = os.path.abspath(sys.argv[1])
    reason = why_not(build)
    if reason:
        return skip(reason)
    if sys.argv[2:] != ["--unshared"]:
        return subprocess.call(["unshare", "--mount", sys.executable, __file__, build, "--unshared"])
    in_a_space_of_our_own()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="thole-image-", dir=os.environ.get("TMPDIR"), ignore_cleanup_errors=True) as work:
        p = Place(work)
        try:
            make_base(p)
        except (AssertionError, subprocess.SubprocessError) as e:
            said = str(e).strip().splitlines()
            return skip("Debian cannot be put together here: " + next((line for line in said if re.match("Err|[EW]:", line)), said[-1]))
        lacks = image_compose.why_not()
        for number, f in enumerate(checks + ([] if lacks else image_compose.checks), 1):
            name = f"the image: {f.__name__.replace('_', ' ')}"
            try:
                f(p)
                print(f"ok {number} - {name}", flush=True)
            except (AssertionError, OSError, LookupError, ValueError, TypeError, subprocess.SubprocessError) as e:
                failed += 1
                print(f"not ok {number} - {name}", *("# " + line for line in f"{type(e).__name__}: {e}".splitlines()), sep="\n", flush=True)
                if number <= 2 or f in image_compose.checks[:2]:
                    break  # there is nothing to look at
        p.remove()
        if lacks:
            number += 1
            print(f"ok {number} - several nodes in containers # SKIP {lacks}")
        else:
            image_compose.remove(p)
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
