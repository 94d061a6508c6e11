#!/usr/bin/env python3
"""A day of work in a small repository of each language, at the command line: README.md tells the steps.

usage: day_test.py BUILD_DIR [LANGUAGE ...]      prints TAP; toolchains that are missing are SKIP lines
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.path.insert(0, str(HERE))
from projects import PROJECTS  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
THOLE = str(BUILD / "thole")


def script_of(p):
    """What the model does in each turn, found by the person's words."""
    def call(name, **args):
        return {"toolCalls": [{"name": name, "args": args}]}

    def edit(old, new):
        return call("edit_file", path=p["source"], oldText=old, newText=new)

    turns = {
        "find": [call("search", pattern=p["wrong"][:4].replace("[", ".").replace("(", "."), path="."), call("read_file", path=p["source"]),
                 {"text": "It leaves out the last element."}],
        "fix": [call("shell", command=p["test"]), edit(p["wrong"], p["right"]), call("shell", command=p["test"]), {"text": "Fixed; the tests pass."}],
        "commit": [call("shell", command=f"git add -A && git commit -qm 'Sum all elements' && git log --oneline -1"), {"text": "Committed."}],
        "break": [edit(p["right"], p["breaks"]), call("shell", command=p["test"]), {"text": "That was wrong."}],
        "slow": [call("shell", command="echo began > began.txt; sleep 600; echo never > never.txt"), {"text": "It was cut."}],
        "note": [call("write_file", path="NOTES.md", content="# Notes\n"), {"text": "Noted."}],
        "again": [call("shell", command=p["test"]), {"text": "Still passes."}],
    }
    rules = [{"when": {"text": {"equals": word}}, "replies": replies} for word, replies in turns.items()]
    rules.append({"when": {"purpose": "summary"}, "reply": {"text": "The sum was mended and committed."}})
    return {"version": 1, "rules": rules, "default": {"text": "I heard: {{input}}"}}


class Day:
    def __init__(self, name):
        self.p = PROJECTS[name]
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix=f"thole-day-{name}-")).resolve()
        self.work, home = self.dir / "work", self.dir / "home"
        home.mkdir()
        for file, text in self.p["files"].items():
            (self.work / file).parent.mkdir(parents=True, exist_ok=True)
            (self.work / file).write_text(text)
        (self.dir / "script.json").write_text(json.dumps(script_of(self.p)))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("THOLE_", "XDG_", "GIT_", "npm_"))}
        self.env.update(THOLE_DATA=str(self.dir / "data"), THOLE_SCRIPT=str(self.dir / "script.json"), XDG_CONFIG_HOME=str(home / ".config"))
        self.git("init", "-q", "-b", "main")
        for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
            self.git("config", key, value)
        self.git("add", "-A")
        self.git("commit", "-qm", "Begin")
        self.session = None

    def git(self, *args):
        return subprocess.run(["git", *args], cwd=self.work, env=self.env, check=True, capture_output=True, text=True).stdout

    def thole(self, *args, code=0):
        p = subprocess.run([THOLE, *args], cwd=self.work, env=self.env, capture_output=True, text=True, timeout=DEADLINE_S + 300)
        if code is not None and p.returncode != code:
            raise AssertionError(f"thole {' '.join(args)}: exit {p.returncode}, not {code}\n{p.stdout}\n{p.stderr}")
        return p.stdout

    def say(self, text):
        """One turn; its events."""
        more = ["-s", self.session] if self.session else []
        events = [json.loads(line) for line in self.thole("run", "--json", *more, text, code=None).splitlines()]
        self.session = self.session or events[0]["sessionId"]
        asked = [e["payload"].get("prompt") for e in events if e["type"] == "action.required"]
        assert not asked, f"{text}: it asks: {asked}"
        ends = [e for e in events if e["type"] in ("turn.completed", "turn.failed")]
        assert ends and ends[-1]["type"] == "turn.completed", f"{text}: {[e['type'] for e in events][-6:]} {ends and ends[-1]['payload']}"
        self.turn = ends[-1]["turnId"]
        return events

    def exits(self, events):
        return [e["payload"]["exitCode"] for e in events if e["type"] in ("tool.result", "tool.failed") and "exitCode" in e["payload"]]

    def source(self):
        return (self.work / self.p["source"]).read_text()

    def daemon(self):
        return int((self.dir / "data" / "lock").read_text().split()[0])

    def passes(self):
        return subprocess.run(["sh", "-c", self.p["test"]], cwd=self.work, env=self.env, capture_output=True).returncode == 0

    def close(self):
        self.thole("serve", "--stop", code=None)
        shutil.rmtree(self.dir, ignore_errors=True)


def finds_the_fault(d):
    ends = [e for e in d.say("find") if e["type"] == "tool.result"]
    assert [e["payload"]["toolName"] for e in ends] == ["search", "read_file"], ends
    assert d.p["source"] in json.dumps(ends[0]["payload"]), ends[0]


def fixes_it_and_runs_the_tests(d):
    assert d.p["wrong"] in d.source()
    exits = d.exits(d.say("fix"))
    assert exits[0] != 0 and exits[-1] == 0, exits
    assert d.p["wrong"] not in d.source()
    said = d.thole("diff", d.session)
    assert d.p["wrong"] in said and "+" in said, said


def commits(d):
    assert d.exits(d.say("commit")) == [0]
    assert "Sum all elements" in d.git("log", "--oneline", "-1") and not d.git("status", "--porcelain"), d.git("status")
    assert d.git("log", "-1", "--format=%an <%ae>").strip() == "Ada <ada@example.org>"


def breaks_it_and_is_told(d):
    events = d.say("break")
    assert d.exits(events)[-1] != 0, events[-1]
    said = d.thole("log", d.session)
    assert "tests" in said.lower(), said[-2000:]


def undo_brings_the_fix_back(d):
    d.thole("undo", d.turn)
    assert not d.git("status", "--porcelain"), d.git("diff")
    assert d.passes()


def compacts_and_goes_on(d):
    d.thole("compact", d.session)
    until("the compaction", lambda: "context.compact" in d.thole("log", d.session, "--json") or None)
    assert d.exits(d.say("again")) == [0]
    said = d.thole("context", "show", d.session)
    assert "The sum was mended and committed." in said, said[-1500:]


def survives_kill_9_in_the_middle_of_a_turn(d):
    p = subprocess.Popen([THOLE, "run", "-s", d.session, "slow"], cwd=d.work, env=d.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until("the command", lambda: (d.work / "began.txt").exists() or None)
        before = d.thole("log", d.session, "--json").splitlines()
        os.kill(d.daemon(), signal.SIGKILL)
        p.wait(DEADLINE_S + 60)
    finally:
        if p.poll() is None:
            p.kill()
    after = until("the loss", lambda: (lambda t: t if '"task.lost"' in t else None)(d.thole("log", d.session, "--json"))).splitlines()
    assert after[:len(before)] == before, "events that were read are gone"
    d.thole("resume", d.session)
    until("the rest of the turn", lambda: "It was cut." in d.thole("log", d.session) or None)
    assert not (d.work / "never.txt").exists()
    (d.work / "began.txt").unlink()


def resumes_where_it_was(d):
    assert d.exits(d.say("again")) == [0]
    d.say("note")
    assert (d.work / "NOTES.md").read_text() == "# Notes\n"


def forks_without_changing_the_first(d):
    count = len(d.thole("log", d.session, "--json").splitlines())
    forked = d.thole("fork", d.session)
    assert forked.startswith("thr_"), forked
    assert len(d.thole("log", d.session, "--json").splitlines()) >= count


def nothing_was_lost_or_left_running(d):
    d.thole("verify")
    d.thole("serve", "--stop")
    left = subprocess.run(["pgrep", "-f", str(d.work)], capture_output=True, text=True).stdout.split()
    assert not left, left
    assert d.git("log", "--oneline").count("\n") == 2


STEPS = [finds_the_fault, fixes_it_and_runs_the_tests, commits, breaks_it_and_is_told, undo_brings_the_fix_back, compacts_and_goes_on,
         survives_kill_9_in_the_middle_of_a_turn, resumes_where_it_was, forks_without_changing_the_first, nothing_was_lost_or_left_running]


def prepare(d):
    """Packages that the project needs; what is wrong, or None."""
    if "npm" in d.p:
        p = subprocess.run(["npm", "install", "--no-audit", "--no-fund", d.p["npm"]], cwd=d.work, env=d.env, capture_output=True, text=True)
        if p.returncode:
            return f"npm cannot install {d.p['npm']}"
        d.git("add", "-A")
        d.git("commit", "-q", "--amend", "--no-edit")
    return None


def main():
    number, failed = 0, 0

    def tell(ok, text, why=""):
        nonlocal number, failed
        number, failed = number + 1, failed + (not ok)
        print(f"{'ok' if ok else 'not ok'} {number} - {text}", flush=True)
        for line in why.splitlines():
            print(f"# {line[:600]}", flush=True)

    tier = json.loads(subprocess.run([THOLE, "sandbox", "probe"], capture_output=True, text=True).stdout or "{}").get("tier")
    if tier != "namespaces+landlock+seccomp":
        print(f"1..0 # SKIP the full sandbox is not available here ({tier})")
        return 0
    for name in sys.argv[2:] or PROJECTS:
        p = PROJECTS[name]
        if p.get("long") and not os.environ.get("THOLE_LONG"):
            tell(True, f"{name} # SKIP only in --deep")
            continue
        if subprocess.run(["sh", "-c", p["probe"]], capture_output=True).returncode:
            tell(True, f"{name} # SKIP it is not installed")
            continue
        d = Day(name)
        try:
            missing = prepare(d)
            if missing:
                tell(True, f"{name} # SKIP {missing}")
                continue
            for step in STEPS:
                text = f"{name}: {step.__name__.replace('_', ' ')}"
                try:
                    step(d)
                    tell(True, text)
                except Exception:
                    tell(False, text, traceback.format_exc())
        finally:
            d.close()
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
