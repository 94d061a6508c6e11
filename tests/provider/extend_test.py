#!/usr/bin/env python3
"""Instruction files, skills, commands and agents as Markdown files: what a model is sent of them.

usage: extend_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

The method is that of answers_test.py: a real daemon, a model server on loopback, and the bodies as they came.  Prints TAP.
"""
import json
import os
import pathlib
import subprocess
import sys

import answers_test as answers
from fake import chat

tests = answers.tests
tests.clear()
test, last = answers.test, answers.last


class Fixture(answers.Fixture):
    """With a home and a repository of its own."""

    def __init__(self, answer, *options, **more):
        super().__init__("openai", answer, *options, **more)
        self.home = pathlib.Path(self.dir, "home")
        self.proj = pathlib.Path(self.dir, "proj")
        self.own = pathlib.Path(self.dir, "data.config", "thole")
        (self.proj / ".git").mkdir(parents=True)
        (self.proj / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.home.mkdir()

    def __enter__(self):
        before = os.environ.get("HOME")
        os.environ["HOME"] = str(self.home)
        try:
            return super().__enter__()
        finally:
            os.environ["HOME"] = before

    def put(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def trust(self):
        listed = self.call("list_extensions", cwd=str(self.proj))
        return self.call("trust_extensions", cwd=str(self.proj), contentHash=listed["contentHash"])

    def say(self, text, **more):
        return self.run(text, cwd=str(self.proj), **more)


def system(body):
    return [m["content"] for m in body["messages"] if m["role"] == "system"]


def skill(name, body="Do it."):
    return f"---\nname: {name}\ndescription: What {name} does.\n---\n{body}\n"


@test
def instructions_come_from_the_user_then_from_the_root_down_with_imports():
    with Fixture(lambda r: chat("yes")(r)) as f:
        f.put(f.own / "AGENTS.md", "Mine.\n@tone.md")
        f.put(f.own / "tone.md", "Kindly.")
        f.put(f.proj / "AGENTS.md", "Top. @docs/style.md `@docs/none.md`")
        f.put(f.proj / "CLAUDE.md", "NOTHERE: AGENTS.md is there")
        f.put(f.proj / "docs" / "style.md", "Tabs. @../AGENTS.md")
        f.put(f.proj / "sub" / "CLAUDE.md", "Below.")
        f.put(f.proj / "sub" / "deeper" / "AGENTS.md", "NOTHERE: below the directory")
        events = f.run("hello", cwd=str(f.proj / "sub"))
        texts = "\n".join(system(f.bodies()[0]))
        order = [texts.index(t) for t in ("Mine.", "tone.md, imported by AGENTS.md:\n\nKindly.", "Top.",
                                          "docs/style.md, imported by AGENTS.md:\n\nTabs.", "Below.")]
        assert order == sorted(order), texts
        assert "NOTHERE" not in texts, texts
        resolved = last(events, "context.resolved")["payload"]
        assert resolved["instructionRefs"][1:6] == ["user:AGENTS.md", "user:tone.md", "file:AGENTS.md", "file:docs/style.md",
                                                    "file:sub/CLAUDE.md"], resolved
        assert resolved["missing"] == [{"ref": "file:AGENTS.md", "reason": "import_cycle"}], resolved
        assert not any(r.startswith("user:") for r in resolved["workspaceRefs"]), resolved


@test
def names_of_skills_are_told_and_bodies_are_read_on_demand():
    def answer(r):
        calls = [("c1", "read_skill", '{"name":"pdf"}'), ("c2", "read_skill", '{"name":"pdf","file":"ref/forms.md"}'),
                 ("c3", "read_skill", '{"name":"pdf","file":"../../../secret"}'), ("c4", "read_skill", '{"name":"nosuch"}'),
                 ("c5", "read_skill", '{"name":"deploy"}')]
        return (chat("done") if r.number % 2 else chat(calls=calls, stop="tool_calls"))(r)

    with Fixture(answer) as f:
        f.put(f.home / ".claude" / "skills" / "pdf" / "SKILL.md", skill("pdf", "Use qpdf."))
        f.put(f.home / ".claude" / "skills" / "pdf" / "ref" / "forms.md", "About forms.")
        f.put(f.home / "secret", "hidden")
        f.put(f.proj / ".claude" / "skills" / "deploy" / "SKILL.md", skill("deploy", "make deploy"))
        f.say("hello")
        texts = "\n".join(system(f.bodies()[0]))
        assert "- pdf: What pdf does." in texts and "qpdf" not in texts and "deploy" not in texts, texts
        assert "read_skill" in [t["function"]["name"] for t in f.bodies()[0]["tools"]]
        results = {m["tool_call_id"]: m["content"] for m in f.bodies()[1]["messages"] if m["role"] == "tool"}
        assert "Use qpdf." in results["c1"] and "ref/forms.md" in results["c1"], results
        assert results["c2"].strip() == "About forms.", results
        assert "hidden" not in results["c3"] and "no text file" in results["c3"], results
        assert "There is no skill nosuch" in results["c4"] and "not trusted" in results["c5"], results
        # Trusted, the project's is listed too; a changed file needs trust again.
        f.trust()
        f.say("again")
        assert "- deploy: What deploy does." in "\n".join(system(f.bodies()[2]))
        results = {m["tool_call_id"]: m["content"] for m in f.bodies()[3]["messages"] if m["role"] == "tool"}
        assert "make deploy" in results["c5"], results
        f.put(f.proj / ".claude" / "skills" / "deploy" / "SKILL.md", skill("deploy", "rm -rf"))
        events = f.say("and again")
        assert "deploy" not in "\n".join(system(f.bodies()[4]))
        assert "skill:index" in last(events, "context.resolved")["payload"]["knowledgeRefs"]


@test
def the_list_of_skills_is_bounded_and_the_same_for_every_request():
    with Fixture(lambda r: chat("yes")(r)) as f:
        for n in range(600):
            f.put(f.home / ".agents" / "skills" / f"s{n:03}" / "SKILL.md", skill(f"s{n:03}", "x") .replace("What", "W" * 60))
        events = f.say("hello")
        f.say("again")
        first, second = (json.dumps(system(b)) for b in f.bodies())
        assert first == second
        told = [t for t in system(f.bodies()[0]) if "- s000: " in t] or system(f.bodies()[0])
        assert "- s000: " in told[0] and len(told[0]) < 40000 and "- s599" not in told[0], len(told[0])
        omitted = [o["ref"] for o in last(events, "context.resolved")["payload"]["omissions"]]
        assert len(omitted) == 33 and omitted[-1].endswith(" more"), omitted
        listed = f.call("list_extensions", cwd=str(f.proj), kind="skill")
        assert len(listed["extensions"]) == 512 and "88 skills are left out" in listed["leftOut"][0], listed["leftOut"]


@test
def trust_is_refused_for_files_that_were_not_shown():
    with Fixture(lambda r: chat("yes")(r)) as f:
        f.put(f.proj / ".thole" / "commands" / "fix.md", "Fix $1.")
        shown = f.call("list_extensions", cwd=str(f.proj))["contentHash"]
        f.put(f.proj / ".thole" / "commands" / "fix.md", "Destroy $1.")
        code, problem = f.transport.call("trust_extensions", {"cwd": str(f.proj), "contentHash": shown})
        assert problem["code"] == "version_mismatch", problem
        code, problem = f.transport.call("expand_command", {"cwd": str(f.proj), "name": "fix", "arguments": "it"})
        assert problem["code"] == "not_trusted" and ".thole/commands/fix.md" in problem["detail"], problem
        code, problem = f.transport.call("expand_command", {"cwd": str(f.proj), "name": "nosuch"})
        assert problem["code"] == "not_found", problem
        code, problem = f.transport.call("list_extensions", {"cwd": "relative"})
        assert problem["code"] == "invalid_value", problem
        f.trust()
        assert f.call("expand_command", cwd=str(f.proj), name="fix", arguments="it")["text"] == "Fix it.".replace("Fix", "Destroy")
        # In a worktree of the repository the same texts are trusted, and no others.
        tree = pathlib.Path(f.dir, "tree")
        f.put(tree / ".git", f"gitdir: {f.proj}/.git/worktrees/tree\n")
        f.put(tree / ".thole" / "commands" / "fix.md", "Destroy $1.")
        f.put(tree / ".thole" / "commands" / "other.md", "Other.")
        rows = f.call("list_extensions", cwd=str(tree), kind="command")["extensions"]
        assert [(r["name"], r["isTrusted"]) for r in rows] == [("fix", True), ("other", False)], rows
        # Trust holds after a restart.
        f.daemon.kill()
        f.daemon.start()
        f.transport = answers.scenario.Http(f.daemon)
        assert f.call("expand_command", cwd=str(f.proj), name="fix")["command"]["isTrusted"]


@test
def an_agent_of_a_file_gets_its_prompt_its_model_and_only_its_tools():
    def answer(r):
        if r.body["model"] == "m-2":
            # The child: a tool of its list, then one outside of it.
            if "Reviewed" in json.dumps(r.body["messages"]):
                return chat("child done")(r)
            return chat("Reviewed.", calls=[("r1", "read_file", '{"path":"a.txt"}'),
                                            ("r2", "write_file", '{"path":"b.txt","content":"x"}')], stop="tool_calls")(r)
        asked = json.dumps(r.body["messages"])
        if '"c9"' in asked:  # with its quotes, because names of directories are random
            return chat("done")(r)
        if '"c1"' in asked:
            return chat(calls=[("c9", "wait_agents", '{"all":true}')], stop="tool_calls")(r)
        return chat(calls=[("c1", "spawn_agent", '{"role":"review","agent":"reviewer","input":"look at it"}'),
                           ("c2", "spawn_agent", '{"role":"x","agent":"nosuch","input":"x"}')], stop="tool_calls")(r)

    with Fixture(answer, models=[{"model": m, "windowTokens": 200000, "maxOutputTokens": 4000, "capabilities": ["tool_use"],
                                  "price": {"inputPerMTok": 1, "outputPerMTok": 2}} for m in ("m-1", "m-2")]) as f:
        f.put(f.proj / "a.txt", "the text\n")
        f.put(f.proj / ".claude" / "agents" / "reviewer.md",
              "---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep, Bash(git *)\nmodel: m-2\n---\nBe strict.\n")
        f.put(f.proj / ".claude" / "agents" / "broken.md", "---\nname: broken\ndescription: x\ntools:\n  write: false\n---\nx\n")
        listed = f.call("list_extensions", cwd=str(f.proj), kind="agent")["extensions"]
        assert [(x["name"], x.get("error")) for x in listed] == [("broken", "Its tools are not a list of names."),
                                                                 ("reviewer", None)], listed
        f.trust()
        events = f.say("review it")
        bodies = f.bodies()
        assert "- reviewer: Reviews changes." in "\n".join(system(bodies[0])), system(bodies[0])
        assert "Be strict." not in "\n".join(system(bodies[0]))
        children = [b for b in bodies if b["model"] == "m-2"]
        assert "Be strict." in "\n".join(system(children[0])), system(children[0])
        assert sorted(t["function"]["name"] for t in children[0]["tools"]) == ["read_file", "search"], children[0]["tools"]
        results = {m["tool_call_id"]: m["content"] for m in children[1]["messages"] if m["role"] == "tool"}
        assert "the text" in results["r1"], results
        assert not (f.proj / "b.txt").exists() and "write_file" in results["r2"], results
        results = {m["tool_call_id"]: m["content"] for m in bodies[-1]["messages"] if m["role"] == "tool"}
        assert "there is no nosuch; known: reviewer" in results["c2"], results
        spawned = last(f.log(), "subagent.spawned")["payload"]
        assert spawned["agent"]["tools"] == ["read_file", "search"] and spawned["isolation"]["tools"] == ["read_file", "search"], spawned
        assert spawned["model"] == "m-2" and spawned["modelPolicy"] == "override", spawned


@test
def extensions_can_be_turned_off():
    with Fixture(lambda r: chat("yes")(r), "context.extensions=false") as f:
        f.put(f.home / ".claude" / "skills" / "pdf" / "SKILL.md", skill("pdf"))
        f.say("hello")
        assert "pdf" not in "\n".join(system(f.bodies()[0]))
        assert "read_skill" not in [t["function"]["name"] for t in f.bodies()[0]["tools"]]
        assert f.call("list_extensions", cwd=str(f.proj))["extensions"] == []


@test
def a_directory_that_was_added_is_part_of_the_workspace():
    def answer(r):
        path = os.path.join(f.dir, "other", "x%d.txt" % r.number)
        calls = [("c1", "write_file", json.dumps({"path": path, "content": "x"})),
                 ("c2", "shell", json.dumps({"command": f"cat {f.dir}/other/there.txt && echo y > {path}.sh"}))]
        return (chat("done") if r.body["messages"][-1]["role"] == "tool" else chat(calls=calls, stop="tool_calls"))(r)

    with Fixture(answer) as f:
        other = pathlib.Path(f.dir, "other")
        f.put(other / "there.txt", "it is there\n")
        os.symlink(other, os.path.join(f.dir, "link"))
        f.call("create_session", sessionId="sess_1", cwd=str(f.proj), mode="on_request")
        code, problem = f.transport.call("add_directory", {"sessionId": "sess_1", "directory": str(other / "there.txt")})
        assert problem["code"] == "directory_unusable" and "is not a directory" in problem["detail"], problem
        code, problem = f.transport.call("add_directory", {"sessionId": "sess_1", "directory": "other"})
        assert problem["code"] == "directory_unusable", problem
        code, problem = f.transport.call("add_directory", {"sessionId": "sess_1", "directory": "/"})
        assert problem["code"] == "invalid_value", problem
        reply = f.call("add_directory", sessionId="sess_1", directory=os.path.join(f.dir, "link"))
        assert reply["directories"] == [str(other)], reply
        events = f.say("write")
        results = {m["tool_call_id"]: m["content"] for m in f.bodies()[-1]["messages"] if m["role"] == "tool"}
        assert not [e for e in events if e["type"] == "action.required"], results
        assert "it is there" in results["c2"], results
        assert (other / "x0.txt").read_text() == "x" and (other / "x0.txt.sh").read_text() == "y\n", results
        note = [m["content"] for m in f.bodies()[-1]["messages"] if "<environment>" in str(m["content"])][-1]
        assert f"also part of the workspace: {other}" in str(note), note
        profile = last(events, "sandbox.applied")["sandboxProfile"]
        assert str(other) in profile["writeRoots"], profile
        reply = f.call("add_directory", sessionId="sess_1", directory=str(other), remove=True)
        assert reply["directories"] == [], reply
        code, problem = f.transport.call("add_directory", {"sessionId": "sess_1", "directory": str(other), "remove": True})
        assert problem["code"] == "not_found", problem
        # Without it the person is asked again.
        f.call("submit_turn", sessionId="sess_1", input="again")
        answers.until(lambda: [e for e in f.log() if e["type"] == "action.required"])
        assert not (other / "x2.txt").exists()


@test
def a_child_in_a_worktree_does_not_write_in_an_added_directory():
    def answer(r):
        asked = json.dumps(r.body["messages"])
        if '"c1"' not in asked and "child work" not in asked:
            return chat(calls=[("c1", "spawn_agent", '{"role":"x","input":"child work","worktree":true}')], stop="tool_calls")(r)
        if '"c1"' in asked:
            return chat(calls=[("c2", "wait_agents", '{"all":true}')] if '"c2"' not in asked else [], stop="tool_calls")(r)
        path = os.path.join(f.dir, "other", "x.txt")
        return chat(calls=[("w1", "write_file", json.dumps({"path": path, "content": "x"}))], stop="tool_calls")(r)

    with Fixture(answer) as f:
        subprocess.run("rm -rf .git; git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x", shell=True,
                       check=True, cwd=f.proj)
        os.mkdir(os.path.join(f.dir, "other"))
        f.call("create_session", sessionId="sess_1", cwd=str(f.proj), mode="on_request")
        f.call("add_directory", sessionId="sess_1", directory=os.path.join(f.dir, "other"))
        f.call("submit_turn", sessionId="sess_1", input="begin")
        answers.until(lambda: [e for e in f.log() if e["type"] in ("action.required", "turn.failed", "turn.completed")])
        action = last(f.log(), "action.required")["payload"]
        assert action["toolName"] == "write_file" and not os.path.exists(os.path.join(f.dir, "other", "x.txt")), action


if __name__ == "__main__":
    sys.exit(answers.main())
