#!/usr/bin/env python3
"""Try to escape from the sandbox in every known way; print TAP.

    run.py --hand build/thole-supervisor --attempt build/tests/escape/attempt [--suid-probe FILE] [--gate] [--only TEXT]

Run as root it goes through root, an ordinary user, and both inside another user namespace, and in each
through every tier that is available there, weaker ones included.  Run as a user it does what a user can.
A case counts as blocked only by what is seen outside; a case that a tier admits to leave open (a "gap"
of `thole-supervisor probe`) is listed as open, not hidden.  There are no skips.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

USER = 61990  # owns nothing, is in no group
INHERITED = 200
COMPLETE = "# all cases were tried"
GATE = ("root", "user", "user in a user namespace" if os.getuid() else "user in user, pid and mount namespaces")


def probe(hand):
    return json.loads(subprocess.run([hand, "probe"], stdout=subprocess.PIPE, check=True).stdout)


# ---- one persona, one tier ----

class Runner:
    def __init__(self, args):
        from world import World

        self.args = args
        self.host = probe(args.hand)
        self.tier = args.tier or self.host["tier"]
        self.gaps = next(t["gaps"] for t in self.host["tiers"] if t["tier"] == self.tier)
        self.world = World(args.attempt)
        self.world.tier = self.tier
        self.spaces = self.tier.startswith("namespaces")
        self.open = []
        self.reported, self.unreported, self.silent, self.inside = [], [], [], []
        self.shown = self.unshown = self.bad = 0
        self.evil = None

    def values(self):
        w = self.world
        never = {"aarch64": [104, 273, 105, 106, 224, 60, 142, 294],
                 "x86_64": [246, 313, 175, 176, 167, 179, 169, 320, 154]}.get(os.uname().machine, [])
        return dict(A="{}/attempt".format(w.ws), WS=w.ws, OUT=w.out, HOME=w.home, DATA=w.data, BASE=w.base.name,
                    PID=w.victim.pid, PORT=w.free_port, TCP=w.tcp.port(), UDP=w.udp.port(), ANY=w.any.port(),
                    TCP6=w.tcp6.port() if w.tcp6 else 0, IP=w.addresses() or "127.0.0.1",
                    PTS=os.ttyname(w.pty_slave), SUID=self.args.suid or "/bin/true", HAND=self.args.hand, HANDS=os.path.dirname(os.path.abspath(self.args.hand)),
                    EVIL=self.evil or "", NEVER="; ".join(
                        f"{w.ws}/attempt syscall {n} 1 0 0 0 0 && exit 42; test $? = 42 && exit 42"
                        for n in never) + "; exit 1")

    def shell(self, text):
        return ["sh", "-c", 'got() { "$@"; test $? = 42; }\n' + self.fill(text)]

    def fill(self, text):
        out = str(text)
        for k, v in self.values().items():
            out = out.replace("{" + k + "}", str(v))
        return out

    def result(self, ok, name, why="", note=""):
        self.bad += not ok
        print(("ok" if ok else "not ok") + f" - [{self.args.persona}, {self.tier}] {name}" +
              (f" # {note}" if note else ""))
        if why and not ok:
            for line in why.splitlines()[:12]:
                print("  # " + line)
        sys.stdout.flush()

    def prepare(self, c):
        from world import CANARY

        w = self.world
        w.reset()
        self.evil = None
        if c["needs"] == "evil":
            self.evil = self.build_evil()
        if c["needs"] == "path":
            (w.ws / "bin").mkdir()
            for name in ("true", "sh", "env"):
                (w.ws / "bin" / name).write_text(f"#!/bin/sh\necho escaped > {w.out}/marker\n")
                (w.ws / "bin" / name).chmod(0o755)
        if c["setup"]:
            c["setup"](w)

    def build_evil(self):
        """A library whose constructor writes outside, if it runs outside."""
        w = self.world
        source = w.ws / "evil.c"
        source.write_text('#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void)'
                          '{int n=open("%s/marker",O_CREAT|O_WRONLY,0666);if(n>=0)write(n,"escaped",7);}\n' % w.out)
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", str(w.ws / "evil.so"), str(source)], check=True)
        return str(w.ws / "evil.so")

    def options(self, c):
        o = [self.fill(x) for x in c["options"]]
        if c["network"]:
            o += ["--net", c["network"]]
        return o

    def sandboxed(self, c):
        from world import run_sandboxed

        w = self.world
        command = self.shell(c["command"])
        extra = {}
        if c["needs"] == "inherited":
            fd = os.open(w.out, os.O_RDONLY | os.O_DIRECTORY)
            os.dup2(fd, INHERITED, inheritable=True)
            os.close(fd)
            extra["pass_fds"] = (INHERITED,)
        if c["needs"] == "probe-port":
            return self.sandboxed_server(command)
        if c["needs"] == "stdout-file":
            return self.sandboxed_stdout_file(command)
        if c["needs"] == "flip":
            return self.sandboxed_flip(command)
        return run_sandboxed(w, self.args.hand, self.tier, command, self.options(c), timeout=c["timeout"], **extra)

    def sandboxed_server(self, command):
        """A client outside tries to reach a port that the command listens on."""
        import socket
        import threading

        from world import run_sandboxed
        reached = []

        def try_it():
            for _ in range(20):
                try:
                    socket.create_connection(("127.0.0.1", self.world.free_port), timeout=0.2).close()
                    reached.append(True)
                    return
                except OSError:
                    time.sleep(0.05)
        t = threading.Thread(target=try_it)
        t.start()
        r = run_sandboxed(self.world, self.args.hand, self.tier, command)
        t.join()
        r.escaped = bool(reached)
        return r

    def sandboxed_stdout_file(self, command):
        """Output goes to a file of the caller that already has content."""
        w = self.world
        log = w.out / "log"
        log.write_text("before\n")
        with open(log, "a") as f:
            subprocess.run([self.args.hand, "sandbox-run", "--tier", self.tier, "-C", str(w.ws), "--"] + command,
                           stdout=f, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                           env=dict(os.environ, HOME=str(w.home)))
        from world import Result
        r = Result(0, "", {})
        r.escaped = not log.read_text().startswith("before\n")
        return r

    def sandboxed_flip(self, command):
        """The plan names a directory; while sandboxes are built, it is exchanged with a link to the outside."""
        from world import Hand, Result

        w = self.world
        argv = [self.args.hand, "sandbox-run", "--plan", "--tier", self.tier, "-C", str(w.ws), "--write", str(w.ws / "sub")]
        plan = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True,
                                         env=dict(os.environ, HOME=str(w.home))).stdout)
        plan["writeRoots"] = [str(w.ws / "sub")]
        plan["protectedPaths"] = []
        plan.pop("tmpDir", None)
        os.symlink(w.out / "dir", w.ws / "flipped")
        hand = Hand(self.args.hand)
        flip = subprocess.Popen([self.args.attempt, "flip", str(w.ws / "sub"), str(w.ws / "flipped")])
        said = {"exited": 0, "refused": 0}
        try:
            for _ in range(60):
                said[hand.run(plan, ["/bin/sh", "-c", f"echo x > {w.ws}/sub/x; echo x > {w.ws}/flipped/x"])["type"]] += 1
        finally:
            flip.kill()
            flip.wait()
            hand.close()
        return Result(0, str(said), {})

    def control(self, c):
        from world import run_bare

        if c["control"] is False or (c["control"] in ("root", "mounts") and os.getuid() != 0) or self.args.no_control:
            return
        self.prepare(c)
        command = self.shell(c["command"])
        if c["control"] == "mounts":
            command = ["unshare", "-m"] + command  # so that it happens nowhere else
        r = run_bare(self.world, command)
        if c["escaped"](self.world, r):
            self.shown += 1
        else:
            self.unshown += 1
            if self.args.verbose:
                print(f"# control not shown: {c['name']}: {r.code} {r.out[:200]!r}")

    def attempt(self, c):
        lacks = {"tcp6": not self.world.tcp6, "ip": not self.world.addresses(), "suid": not self.args.suid}
        if lacks.get(c["needs"]):
            print(f"# this machine has no {c['needs']}: {c['name']}")
            return
        self.control(c)
        self.prepare(c)
        r = self.sandboxed(c)
        escaped = getattr(r, "escaped", False) or c["escaped"](self.world, r)
        refused = "refused" in r.report
        if not r.report and c["needs"] not in ("stdout-file", "flip"):
            self.result(False, c["name"], f"the sandbox was not even built\nexit {r.code}\n{r.out}")
            return
        if c["proof"] and not refused and not c["proof"](self.world, r):
            self.result(False, c["name"], f"the attempt itself did not happen\nexit {r.code}\n{r.out}")
            return
        survivors = r.report.get("process", {}).get("survivors", 0)
        why = f"exit {r.code}\n{r.out}\n{json.dumps(r.report.get('refused', {}))}"
        if not escaped and not refused:
            self.note_told(c, r)
        if not escaped and survivors == 0:
            self.result(True, c["name"], note="refused to run" if refused else "")
        elif escaped and c["gap"] in self.gaps:
            self.open.append(c["name"])
            self.result(True, c["name"], note=f"open in this tier, which says so: {c['gap']}")
        else:
            self.result(False, c["name"], why)

    def note_told(self, c, r):
        """Did what was blocked leave a violation, or an end that says why?"""
        from cases import INSIDE, SILENT

        process = r.report.get("process", {})
        ended = process.get("cause", "exit") not in ("exit", "killed") or process.get("processesFull") or r.report.get("droppedBytes") or process.get("droppedBytes")
        if r.report.get("violations") or ended:
            self.reported.append(c["name"])
        elif c["name"] in INSIDE:
            self.inside.append(c["name"])
        elif c["name"] in SILENT:
            self.silent.append(c["name"])
        else:
            self.unreported.append(c["name"])

    def tell_share(self):
        """Of what was refused, which share left an event.  What the sandbox says is not reported counts apart, and not to its favour in the first figure."""
        refused = len(self.reported) + len(self.silent) + len(self.unreported)
        reportable = len(self.reported) + len(self.unreported)
        if not reportable or self.args.only:
            return
        print(f"# [{self.args.persona}, {self.tier}] denied: {refused}, reported: {len(self.reported)} ({100 * len(self.reported) // refused} % of all, "
              f"{100 * len(self.reported) // reportable} % without those that sandbox.applied lists as unreported: {len(self.silent)}); "
              f"happened inside without harm: {len(self.inside)}")
        # weaker tiers have no mounts to compare with, and say so
        if self.spaces and "everything" not in self.gaps:
            # without a /proc some cases end at a path that is not there, which is no refusal
            share = 0.85 if "no_proc" not in self.gaps else 0.8
            self.result(len(self.reported) >= share * refused, f"{100 * share:.0f} of 100 denials are reported", "listed as unreported: " + ", ".join(self.silent))
            self.result(len(self.reported) >= 0.9 * reportable, "nine in ten reportable denials are reported", "not reported: " + ", ".join(self.unreported))

    def residue(self):
        """Nothing of ours stays in the workspace."""
        names = set(os.listdir(self.world.ws))
        left = [n for n in (".thole", ".mcp.json", ".vscode", ".idea", ".claude", ".cursor", "AGENTS.md", "CLAUDE.md")
                if n in names] + [n for n in os.listdir(self.world.ws / ".git") if n == "commondir"]
        self.result(not left, "nothing of ours stays in the workspace", " ".join(left))

    def work(self, name, command, expected, options):
        from world import run_sandboxed

        w = self.world
        w.reset()
        flags = [o for o in options if not o.startswith("-") and not o.startswith("{")]
        if "ns" in flags and not self.spaces or "proc" in flags and "no_proc" in self.gaps:
            return
        if "real-git" in flags:
            shutil.rmtree(w.ws / ".git")
            subprocess.run(["git", "init", "-q", str(w.ws)], check=True)
        opts = [self.fill(o) for o in options if o.startswith("-") or o.startswith("{")]
        stdin = subprocess.DEVNULL
        if "stdin" in flags:
            (w.base / "input").write_text("from outside\n")
            stdin = open(w.base / "input")
        shell = "bash" if "bash" in flags else "sh"
        r = run_sandboxed(w, self.args.hand, self.tier, [shell, "-c", self.fill(command)], opts, stdin=stdin)
        code = 7 if "code7" in flags else 143 if "code143" in flags else 0
        ok = r.code == code and (expected is None or expected in r.out)
        # without its own network, looking up the host's name is an attempt to use the real one
        violations = [v for v in r.report.get("violations", []) if self.spaces or v["syscall"] != "socket"]
        self.result(ok and not violations, "works: " + name, f"exit {r.code}, {violations}\n{r.out}")

    def all(self):
        from cases import CASES, WORKS

        print(f"# {self.args.persona}: tier {self.tier}, uid {os.getuid()}, open by its own word: {' '.join(self.gaps)}")
        for c in CASES:
            if self.args.only and self.args.only not in c["name"]:
                continue
            try:
                self.attempt(c)
            except subprocess.TimeoutExpired:
                self.result(False, c["name"], "did not end")
        if not self.args.only:
            self.world.reset()
            from world import run_sandboxed
            run_sandboxed(self.world, self.args.hand, self.tier, ["true"])
            self.residue()
        for name, command, expected, options in WORKS:
            if self.args.only and self.args.only not in name:
                continue
            try:
                self.work(name, command, expected, options)
            except subprocess.TimeoutExpired:
                self.result(False, "works: " + name, "did not end")
        print(f"# {self.args.persona}, {self.tier}: {self.shown} attempts shown to work without a sandbox, "
              f"{self.unshown} not possible here; open: {', '.join(self.open) or 'none'}")
        self.tell_share()
        print(COMPLETE)


def one(args):
    r = Runner(args)
    try:
        r.all()
    finally:
        r.world.close()
    return 1 if r.bad else 0


# ---- all personas ----

def personas():
    """How to become whom, from the strongest to the weakest."""
    as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    if os.getuid() == 0:
        yield "root", []
        yield "user", as_user
        yield "root in a user namespace", ["unshare", "-Ur"]
        yield "user in a user namespace", as_user + ["unshare", "-Ur"]
        yield "user in user, pid and mount namespaces", as_user + ["unshare", "-Urpmf", "--mount-proc"]
        # As in most containers: the kernel then lets no sandbox mount a /proc of its own.
        yield "user with a masked /proc", ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc/fs && exec "$@"', "sh", *as_user]
    else:
        yield "user", []
        yield "user in a user namespace", ["unshare", "-Ur"]


def tiers(hand, become, env):
    """Every tier with a sandbox that is available there."""
    out = subprocess.run(become + [hand, "probe"], stdout=subprocess.PIPE, env=env)
    return [t["tier"] for t in json.loads(out.stdout)["tiers"] if t["tier"] != "none"] if out.returncode == 0 else []


def own_libraries(program):
    """Those that a copy elsewhere would not find."""
    listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    paths = [line.split()[2] for line in listed.splitlines() if " => /" in line]
    return [p for p in paths if not p.startswith(("/lib", "/usr"))]


def copy_for_all(args):
    """The programs where every persona can read them, the setuid one for the length of the test."""
    d = pathlib.Path(tempfile.mkdtemp(prefix="thole-escape-bin-", dir="/var/tmp"))
    d.chmod(0o755)
    for name in ("hand", "attempt", "suid_probe"):
        source = getattr(args, name)
        if not source:
            continue
        to = d / name
        shutil.copy(source, to)
        to.chmod(0o4755 if name == "suid_probe" and os.getuid() == 0 else 0o755)
    for lib in own_libraries(args.hand):
        shutil.copy(lib, d)
    shutil.copytree(HERE, d / "py", ignore=shutil.ignore_patterns("*.c", "__pycache__"))
    for name in ("ports.py", "wait.py"):
        shutil.copy(HERE.parent / "lib" / name, d / "py")
    return d


def command_line(args, d, persona, become, tier, with_control):
    python = sys.executable if os.getuid() == 0 and not become else "/usr/bin/python3"
    argv = become + [python, str(d / "py" / "run.py"), "--one", "--persona", persona, "--tier", tier,
                     "--hand", str(d / "hand"), "--attempt", str(d / "attempt")]
    if (d / "suid_probe").exists() and os.getuid() == 0:
        argv += ["--suid", str(d / "suid_probe")]
    argv += ["--only", args.only] if args.only else []
    argv += ["--verbose"] if args.verbose else []
    argv += [] if with_control else ["--no-control"]
    return argv


def wanted(args, d, env):
    """What to run: (persona, tier, argv); tier None when a persona gets no sandbox."""
    for persona, become in personas():
        if args.persona and args.persona != persona or args.gate and persona not in GATE:
            continue
        have = tiers(str(d / "hand"), become, env)
        if not have:
            yield persona, None, None
        for i, tier in enumerate(have):
            if args.tier and tier != args.tier or (args.strongest or args.gate) and i:
                continue
            # once per persona is enough, and for the gate what root and a user can do
            with_control = i == 0 and not (args.gate and " in " in persona)
            yield persona, tier, command_line(args, d, persona, become, tier, with_control)


def run_one(job, env):
    persona, tier, argv = job
    if not tier:
        return [f"not ok - [{persona}] no sandbox available"]
    p = subprocess.run(argv, stdout=subprocess.PIPE, text=True, env=env)
    lines = p.stdout.splitlines()
    if p.returncode not in (0, 1) or COMPLETE not in lines:
        lines.append(f"not ok - [{persona}, {tier}] the run itself")
    return [line for line in lines if line != COMPLETE]


def everything(args):
    d = copy_for_all(args)
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", LD_LIBRARY_PATH=str(d))
    number = bad = 0
    summary = []
    try:
        jobs = list(wanted(args, d, env))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for job, lines in zip(jobs, pool.map(lambda j: run_one(j, env), jobs)):
                passed = failed = 0
                for line in lines:
                    if line.startswith(("ok ", "not ok ")):
                        number += 1
                        word, rest = line.split(" - ", 1)
                        line = f"{word} {number} - {rest}"
                        passed += word == "ok"
                        failed += word != "ok"
                    print(line, flush=True)
                bad += failed
                summary.append((job[0], job[1], passed, failed))
    finally:
        shutil.rmtree(d)
    print(f"1..{number}")
    for persona, tier, passed, failed in summary:
        print(f"# {persona}: tier {tier or 'none'}: {passed} passed, {failed} failed")
    return 1 if bad or not number else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--hand", required=True)
    p.add_argument("--attempt", required=True)
    p.add_argument("--suid-probe", dest="suid_probe")
    p.add_argument("--only")
    p.add_argument("--persona")
    p.add_argument("--tier")
    p.add_argument("--strongest", action="store_true", help="only the strongest tier of each persona")
    p.add_argument("--gate", action="store_true", help="the strongest tier of root, a user, and a user in namespaces")
    p.add_argument("--jobs", type=int, default=max(3, os.cpu_count()), help="runs at a time; they often wait")
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--suid", help=argparse.SUPPRESS)
    p.add_argument("--no-control", action="store_true")
    args = p.parse_args()
    sys.exit(one(args) if args.one else everything(args))


if __name__ == "__main__":
    main()
