#!/usr/bin/env python3
"""Child agents with a worktree work there and not in their parent's directory; SUB-02, NEG-34.

usage: worktree_test.py BUILD_DIR          prints TAP
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
import run as scenario  # noqa: E402


def shell(command):
    return {"toolCalls": [{"name": "shell", "args": {"command": command}}]}


SCRIPT = {"version": 1, "default": {"text": "done"}, "rules": [
    {"when": {"request": 1, "text": "change it"}, "reply": shell("echo changed > file.txt; pwd; git status --short")},
    {"when": {"request": 1, "text": "look where"}, "reply": shell("pwd")},
    {"when": {"request": 1, "text": "reach back"}, "reply": shell("echo no > $PARENT/file.txt; echo no > $PARENT/.git/config")},
    {"when": {"request": 1, "text": "commit it"}, "reply": shell("echo changed > file.txt; git -c user.name=n -c user.email=a@b commit -qam 'by the child'; git log --oneline -1; git branch --show-current")},
    {"when": {"request": 1, "text": "plant it"}, "reply": shell("cd \"$(git rev-parse --git-common-dir)\"; for f in config hooks/pre-commit refs/heads/evil objects/info/alternates packed-refs "
        "HEAD info/attributes worktrees/evil; do echo x > $f; done; cd - >/dev/null; d=$(git rev-parse --git-dir); for f in commondir gitdir config.worktree; do echo x > $d/$f; done; "
        "git update-ref refs/heads/stolen HEAD; git branch -f master HEAD; echo over")},
    {"when": {"request": 1, "text": "read child"}, "reply": shell("cat $CHILD/file.txt")},
    {"when": {"request": 1, "text": "delegate"}, "reply": {"toolCalls": [
        {"name": "spawn_agent", "args": {"role": "helper", "input": "change it", "worktree": True}}]}}]}


class Stage:
    def __init__(self, build):
        self.dir = tempfile.mkdtemp(prefix="thole-worktree-")
        self.repo = os.path.join(self.dir, "it's a repo")
        os.mkdir(self.repo)
        self.git("init", "-q")
        self.write("file.txt", "first\n")
        self.write("planted.sh", f"#!/bin/sh\ntouch '{self.dir}/hook-ran'\n")
        os.makedirs(os.path.join(self.repo, ".git/hooks"), exist_ok=True)
        shutil.copy(os.path.join(self.repo, "planted.sh"), os.path.join(self.repo, ".git/hooks/post-checkout"))
        os.chmod(os.path.join(self.repo, ".git/hooks/post-checkout"), 0o755)
        self.git("add", "-A")
        self.git("-c", "user.email=a@b", "-c", "user.name=n", "commit", "-q", "-m", "first")
        text = json.dumps(SCRIPT).replace("$PARENT", f"'{self.repo}'").replace("$CHILD", "%s/*" % os.path.join(self.dir, "data-worktrees"))
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), text, ["permission.mode=bypass"])
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)

    def git(self, *args):
        return subprocess.run(["git", "-C", self.repo, *args], check=True, capture_output=True, text=True).stdout

    def write(self, name, text):
        with open(os.path.join(self.repo, name), "w") as f:
            f.write(text)

    def read(self, *parts):
        with open(os.path.join(*parts)) as f:
            return f.read()

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise scenario.Wrong(f"{command}: {code}: {reply.get('detail')}")
        return reply

    def events(self, session, kind=None):
        return [e for e in map(json.loads, self.transport.events(session, 0)) if kind in (None, e["type"])]

    until = staticmethod(scenario.until)

    def isolation(self, **more):
        return {"prompt": "own", "workspace": "worktree", "tools": ["shell"], "permissionMode": "bypass", "memory": "none", **more}

    def spawn(self, session, thread, text, **more):
        reply = self.call("spawn_subagent", sessionId=session, parentThreadId=thread, role="helper", input=text,
                          isolation=self.isolation(**more))
        self.until("the end of the child", lambda: [e for e in self.events(session) if e["type"] in ("subagent.completed", "subagent.failed")
                                                    and e["subagentId"] == reply["subagentId"]])
        return reply


def check(condition, what):
    if not condition:
        raise scenario.Wrong(what)


def works_there(s):
    made = s.call("create_session", cwd=s.repo)
    child = s.spawn(made["sessionId"], made["threadId"], "change it")
    events = s.events(made["sessionId"])
    spawned = [e for e in events if e["type"] == "subagent.spawned"][0]["payload"]["isolation"]
    check(spawned["workspace"] == "worktree" and os.path.isdir(spawned["worktree"]), f"no worktree: {spawned}")
    told = [e for e in events if e["type"] == "subagent.status" and e["payload"]["kind"] == "worktree"]
    check([e["payload"]["worktreeState"] for e in told] == ["ready"], f"told {told}")
    started = [e for e in events if e["type"] == "turn.started" and e["threadId"] == child["threadId"]]
    check(started[0]["sequence"] > told[0]["sequence"], "the child began before its directory was there")
    check(s.read(spawned["worktree"], "file.txt") == "changed\n", "the child did not write in its worktree")
    check(s.read(s.repo, "file.txt") == "first\n", "the child wrote in its parent's directory")
    check(spawned["worktree"] in s.git("worktree", "list"), "git does not know the worktree")
    check(not os.path.exists(os.path.join(s.dir, "hook-ran")), "a hook of the repository ran")
    applied = [e for e in events if e["type"] == "sandbox.applied" and e["threadId"] == child["threadId"]][0]["sandboxProfile"]
    check(applied["cwd"] == spawned["worktree"], f"the sandbox is around {applied['cwd']}")
    result = [e for e in events if e["type"] == "tool.result"][-1]["payload"]["displayPreview"]
    check(spawned["worktree"] in result and "M file.txt" in result, f"git in the worktree said {result!r}")
    view = s.call("list_subagents", sessionId=made["sessionId"])["subagents"][0]
    check(view["worktreeState"] == "ready", f"the view shows {view.get('worktreeState')}")
    # the parent reads what its child left there
    s.call("submit_turn", sessionId=made["sessionId"], input="read child")
    s.until("the parent's look", lambda: [e for e in s.events(made["sessionId"], "tool.result") if "changed" in e["payload"]["displayPreview"]
                                          and e["threadId"] == made["threadId"]])


def commits_there(s):
    made = s.call("create_session", cwd=s.repo)
    head, branch = s.git("rev-parse", "HEAD"), s.git("branch", "--show-current")
    child = s.spawn(made["sessionId"], made["threadId"], "commit it")
    own = f"thole/{child['subagentId']}/work"
    out = [e for e in s.events(made["sessionId"]) if e["type"] in ("tool.result", "tool.failed")][-1]["payload"]["displayPreview"]
    check("by the child" in out and own in out, f"the child could not commit: {out}")
    check(s.git("log", "-1", "--format=%s", own) == "by the child\n", "the commit is not in the repository")
    check((s.git("rev-parse", "HEAD"), s.git("branch", "--show-current")) == (head, branch), "the parent's branch moved")
    s.git("fsck", "--strict")


def plants_nothing_there(s):
    made = s.call("create_session", cwd=s.repo)
    child = s.spawn(made["sessionId"], made["threadId"], "commit it")
    git = os.path.join(s.repo, ".git")
    own = os.path.join(git, "worktrees", child["subagentId"])
    names = [os.path.join(git, n) for n in ("config", "hooks/pre-commit", "refs/heads/evil", "refs/heads/stolen", "objects/info/alternates", "packed-refs", "HEAD",
                                            "info/attributes", "worktrees/evil")] + [os.path.join(own, n) for n in ("commondir", "gitdir")]

    def look():
        return [(n, s.read(n) if os.path.isfile(n) else None) for n in names] + [r for r in s.git("show-ref", "--heads").splitlines() if "/thole/" not in r]
    before = look()
    s.call("send_subagent_input", sessionId=made["sessionId"], subagentId=child["subagentId"], input="plant it")
    s.until("the attempt", lambda: [e for e in s.events(made["sessionId"]) if e["type"] in ("tool.result", "tool.failed") and "over" in json.dumps(e["payload"])])
    check(look() == before, f"something was planted: {[x for x, y in zip(look(), before) if x != y]}")
    check(not os.path.isfile(os.path.join(own, "config.worktree")), "settings of the worktree were planted")


def ends(s):
    """Without changes it is removed; with a change or a commit it stays and is named; a command removes it."""
    made = s.call("create_session", cwd=s.repo)

    def state(child):
        told = [e["payload"] for e in s.events(made["sessionId"], "subagent.status")
                if e["payload"]["kind"] == "worktree" and e["subagentId"] == child["subagentId"]]
        return told[-1]["worktreeState"] if told else None
    clean, changed, committed = (s.spawn(made["sessionId"], made["threadId"], t) for t in ("look where", "change it", "commit it"))
    rows = {r["subagentId"]: r for r in s.call("list_subagents", sessionId=made["sessionId"])["subagents"]}
    path = {c["subagentId"]: rows[c["subagentId"]]["isolation"]["worktree"] for c in (clean, changed, committed)}
    check(all(os.path.isdir(p) for p in path.values()), "one is gone although its child may continue")
    for child in (clean, changed, committed):
        s.call("close_subagent", sessionId=made["sessionId"], subagentId=child["subagentId"])
    s.until("the clean one to be removed", lambda: state(clean) in ("removed", "kept"))
    check(state(clean) == "removed", f"it was kept: {s.events(made['sessionId'], 'subagent.status')[-3:]}")
    check(not os.path.exists(path[clean["subagentId"]]), "the directory is still there")
    check(path[clean["subagentId"]] not in s.git("worktree", "list"), "git still knows it")
    check(clean["subagentId"] not in s.git("branch", "--list", "thole/*"), "its branch is still there")
    for child in (changed, committed):
        s.until("the others to be kept", lambda: state(child) == "kept")
        told = [e["payload"] for e in s.events(made["sessionId"], "subagent.status") if e["payload"]["kind"] == "worktree" and e["subagentId"] == child["subagentId"]]
        check(path[child["subagentId"]] in told[-1]["summary"], f"it is not named: {told[-1]}")
        check(os.path.isdir(path[child["subagentId"]]), "what was left is gone")
    # a kept worktree is removed when it is discarded
    for child in (changed, committed):
        s.call("close_subagent", sessionId=made["sessionId"], subagentId=child["subagentId"], discardWorktree=True)
        s.until("it to be discarded", lambda: state(child) == "removed")
        check(not os.path.exists(path[child["subagentId"]]), "the directory is still there")
    s.git("fsck", "--strict")


def cannot_reach_back(s):
    made = s.call("create_session", cwd=s.repo)
    config = s.read(s.repo, ".git/config")
    s.spawn(made["sessionId"], made["threadId"], "reach back")
    check(s.read(s.repo, "file.txt") == "first\n", "the child wrote in its parent's directory")
    check(s.read(s.repo, ".git/config") == config, "the child wrote git's configuration")


def below_a_child(s):
    made = s.call("create_session", cwd=s.repo)
    top = s.spawn(made["sessionId"], made["threadId"], "look where")
    shared = s.spawn(made["sessionId"], top["threadId"], "look where", workspace="shared")
    apart = s.spawn(made["sessionId"], top["threadId"], "look where")
    events = s.events(made["sessionId"])
    dirs = {e["subagentId"]: e["payload"]["isolation"].get("worktree") for e in events if e["type"] == "subagent.spawned"}
    ran = {e["threadId"]: e["sandboxProfile"]["cwd"] for e in events if e["type"] == "sandbox.applied"}
    check(ran[shared["threadId"]] == dirs[top["subagentId"]], "a child that shares does not work where its parent does")
    check(ran[apart["threadId"]] == dirs[apart["subagentId"]] != dirs[top["subagentId"]], "a child's child has no worktree of its own")


def by_the_model(s):
    turn = s.call("submit_turn", input="delegate", cwd=s.repo)
    s.until("the child's end", lambda: s.events(turn["sessionId"], "subagent.completed"))
    spawned = s.events(turn["sessionId"], "subagent.spawned")[0]["payload"]["isolation"]
    check(s.read(spawned["worktree"], "file.txt") == "changed\n", "the model's child did not work in its worktree")


def no_repository(s):
    plain = os.path.join(s.dir, "plain")
    os.mkdir(plain)
    made = s.call("create_session", cwd=plain)
    s.spawn(made["sessionId"], made["threadId"], "change it")
    failed = s.events(made["sessionId"], "subagent.failed")
    check(failed and failed[0]["payload"]["category"] == "environment", f"{failed}")
    check("not the top of a git repository" in failed[0]["payload"]["message"], failed[0]["payload"]["message"])
    check(not os.path.exists(os.path.join(plain, "file.txt")), "it worked in its parent's directory instead")


def refused(s):
    made = s.call("create_session", cwd=s.repo)
    wrong = {"prompt": "inherit", "workspace": "container", "memory": "all", "worktree": "/somewhere", "sandboxMode": "external_sandbox"}
    for word, value in wrong.items():
        code, problem = s.transport.call("spawn_subagent", {"sessionId": made["sessionId"], "parentThreadId": made["threadId"], "role": "x",
                                                       "isolation": s.isolation(**{word: value})})
        check(code == "invalid_value" and f"isolation.{word}" in problem["detail"], f"{word}: {code}: {problem}")
    code, problem = s.transport.call("spawn_subagent", {"sessionId": made["sessionId"], "parentThreadId": made["threadId"], "role": "x",
                                                   "isolation": s.isolation(permissionMode="plan")})
    check(code == "invalid_value", f"a worktree in mode plan: {code}")
    check(not s.events(made["sessionId"], "subagent.spawned"), "a refused child was made")


def leave_half_made(s, child):
    """What git leaves when it is killed in the middle of "worktree add": its own lock, and that of the new branch."""
    for folder, name in ((os.path.join("worktrees", child), "locked"), (os.path.join("refs/heads/thole", child), "work.lock")):
        folder = os.path.join(s.repo, ".git", folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w") as f:
            f.write("initializing")


def killed(s):
    made = s.call("create_session", cwd=s.repo)
    for _ in range(20):
        _, child = s.transport.call("spawn_subagent", {"sessionId": made["sessionId"], "parentThreadId": made["threadId"], "role": "helper",
                                                  "input": "commit it", "isolation": s.isolation()})
        s.daemon.kill()
        leave_half_made(s, child["subagentId"])
        s.daemon.start()
        s.transport = scenario.Http(s.daemon)
        states = s.until("a worktree after the restart", lambda: [e for e in s.events(made["sessionId"], "subagent.status")
                                                                  if e["payload"]["kind"] == "worktree" and e["subagentId"] == child["subagentId"]])
        if states[0]["sequence"] > s.events(made["sessionId"], "history.reconstructed")[-1]["sequence"]:
            break  # otherwise git was done before the kill
    check(states[0]["payload"]["worktreeState"] == "ready", f"it was not made: {states[0]['payload']}")
    thread = lambda: s.call("get_thread_read", sessionId=made["sessionId"], threadId=child["threadId"])  # noqa: E731
    s.until("an end or a reported loss", lambda: thread()["status"] in ("completed", "blocked"))
    if thread()["status"] == "completed":
        check(s.git("log", "-1", "--format=%s", f"thole/{child['subagentId']}/work") == "by the child\n", "the child could not commit there")


TESTS = [("a worktree goes when its child ends without changes, and stays otherwise", ends),
         ("a child commits in its worktree", commits_there), ("and writes nothing else of the repository", plants_nothing_there),
         ("a child with a worktree works there, and its parent reads what it left", works_there),
         ("it cannot write in its parent's directory or in git's own", cannot_reach_back),
         ("children of a child work in its worktree, or in one of their own", below_a_child),
         ("a model gives its child a worktree", by_the_model),
         ("without a repository the child fails and works nowhere else", no_repository),
         ("words that nothing keeps are refused with their path", refused),
         ("kill -9 while it is made: the next runtime makes it", killed)]


def main():
    if not shutil.which("git"):
        print("1..0 # SKIP there is no git")
        return 0
    stage, failed = Stage(os.path.abspath(sys.argv[1])), 0
    for number, (name, test) in enumerate(TESTS, 1):
        try:
            test(stage)
            print(f"ok {number} - {name}", flush=True)
        except (scenario.Wrong, IndexError, KeyError, OSError) as e:
            failed += 1
            print(f"not ok {number} - {name}\n# {type(e).__name__} {e}", flush=True)
    stage.daemon.stop()
    shutil.rmtree(stage.dir, ignore_errors=True)
    print(f"1..{len(TESTS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
