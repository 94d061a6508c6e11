"""Trajectories: `export atif`, `run --atif`, `conform atif`, and what must hold in every one of them."""
import copy
import datetime
import json
import os
import pathlib
import select
import signal
import subprocess
import sys

from cli_fixture import DEADLINE_S, THOLE, Skip, test, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECS = pathlib.Path(os.environ.get("THOLE_SPECS", ROOT / ".." / "shared" / "specs"))
GROUPS = {"input", "model", "context", "tools", "permission", "process", "artifacts", "outcome"}


def official(document):
    """Checks with the schema of Harbor's own models, where that is present."""
    schema = SPECS / "harbor" / "atif-v1.7.schema.json"
    try:
        import jsonschema
    except ImportError:
        return
    if schema.exists():
        jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(document)


def trajectory(b, path):
    """Reads a trajectory, after both checkers."""
    said = b.run("conform", "atif", str(path), code=0).out
    assert said.startswith("conforms"), said
    t = json.loads(pathlib.Path(path).read_text())
    official(t)
    assert GROUPS | {"runtimeCorrelation"} <= set(t["extra"]), t["extra"].keys()
    for step in t["steps"]:
        for call in step.get("tool_calls", []):
            results = [r for r in step.get("observation", {}).get("results", []) if r.get("source_call_id") == call["tool_call_id"]]
            assert len(results) <= 1, step
    return t


def calls(t):
    return {c["function_name"]: (c, r) for s in t["steps"] for c in s.get("tool_calls", [])
            for r in s.get("observation", {}).get("results", []) if r.get("source_call_id") == c["tool_call_id"]}


@test
def a_run_leaves_its_trajectory(b):
    long = "long " * 3000 + "END"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "build"}, "replies": [
        {"reasoning": "Look first.", "text": "I look.", "usage": {"input": 1000, "cached": 600, "output": 50},
         "toolCalls": [{"name": "shell", "args": {"command": "echo out; exit 3"}}, {"name": "list_dir", "args": {"path": "."}}]},
        {"toolCalls": [{"name": "write_file", "args": {"path": "a.txt", "content": "x\n"}}]},
        {"text": "Built."}]}]})
    b.run("run", "--here", "--data", str(b.data), "--mode", "bypass", "--atif", "t.json", "build " + long, code=0)
    t = trajectory(b, b.work / "t.json")
    assert [s["source"] for s in t["steps"]] == ["system", "user", "agent", "agent", "agent"]
    assert t["steps"][1]["message"] == "build " + long, "the whole instruction, not its preview"
    first, last = t["steps"][2], t["steps"][4]
    assert (first["message"], first["reasoning_content"], last["message"]) == ("I look.", "Look first.", "Built.")
    assert [c["function_name"] for c in first["tool_calls"]] == ["shell", "list_dir"]
    call, result = calls(t)["shell"]
    assert call["arguments"] == {"command": "echo out; exit 3"} and result["content"] == "out\n", (call, result)
    assert result["extra"]["exitCode"] == 3 and result["extra"]["isError"] is True
    decision = [e for e in call["extra"]["events"] if e["event"] == "permission.evaluated"][0]
    assert decision["decision"] == "allow" and decision["mode"] == "bypass", decision
    assert any(e["event"] == "sandbox.applied" and e["mode"] for e in call["extra"]["events"])
    steps = [s["metrics"] for s in t["steps"] if "metrics" in s]
    final = t["final_metrics"]
    for total, one in (("total_prompt_tokens", "prompt_tokens"), ("total_completion_tokens", "completion_tokens"),
                       ("total_cached_tokens", "cached_tokens")):
        assert final[total] == sum(m[one] for m in steps), (total, final, steps)
    assert abs(final["total_cost_usd"] - sum(m["cost_usd"] for m in steps)) < 1e-9 and final["total_steps"] == 5
    assert all(m["cached_tokens"] <= m["prompt_tokens"] for m in steps)
    groups = t["extra"]
    assert groups["outcome"]["status"] == "completed" and groups["outcome"]["knownGaps"] == []
    assert groups["tools"]["calls"] == 3 and groups["process"]["exitedNonZero"] == 1 and groups["artifacts"]["changes"] == 1
    ids = groups["runtimeCorrelation"]
    events = b.run("export", "session", "@last", "--here", "--data", str(b.data), code=0).lines()
    turn = next(e for e in events if e["type"] == "turn.completed")
    assert {k: ids[k] for k in ("sessionId", "threadId", "turnId", "taskId", "runId")} == {
        k: turn[k] for k in ("sessionId", "threadId", "turnId", "taskId", "runId")}
    assert t["session_id"] == turn["sessionId"]


@test
def the_same_log_gives_the_same_trajectory(b):
    b.start("serve").stderr.readline()
    b.run("run", "hello", code=0)
    one = b.run("export", "atif", "@last", code=0).out
    b.run("export", "atif", "@last", "-o", "two.json", code=0)
    assert (b.work / "two.json").read_text() == one
    trajectory(b, b.work / "two.json")
    assert sorted(p.name for p in b.work.iterdir()) == ["two.json"], "nothing else is left"
    turn = json.loads(one)["extra"]["runtimeCorrelation"]["turnId"]
    b.run("run", "-s", "@last", "again", code=0)
    b.run("export", "atif", turn, "-o", "turn.json", code=0)
    t = trajectory(b, b.work / "turn.json")
    assert [s["message"] for s in t["steps"] if s["source"] == "user"] == ["hello"] and t["trajectory_id"].startswith("run_"), t["trajectory_id"]


@test
def the_trajectory_of_a_fork_names_what_it_inherited(b):
    b.start("serve").stderr.readline()
    b.run("run", "before", code=0)
    forked = b.run("fork", "@last", "--json", code=0).json()
    b.run("run", "-s", forked["threadId"], "after", code=0)
    b.run("export", "atif", forked["threadId"], "-o", "t.json", code=0)
    t = trajectory(b, b.work / "t.json")
    assert [s["message"] for s in t["steps"] if s["source"] == "user"] == ["after"]
    origin = t["extra"]["runtimeCorrelation"]["forkedFrom"]["threadId"]
    assert t["extra"]["outcome"]["knownGaps"] == ["inherited_turns"]
    b.run("export", "atif", origin, "-o", "origin.json", code=0)
    before = trajectory(b, b.work / "origin.json")
    assert "forkedFrom" not in before["extra"]["runtimeCorrelation"] and before["steps"][1]["message"] == "before", before["steps"]


@test
def subagents_and_compaction_are_embedded(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "I did: {{input}}"}, "rules": [
        {"when": {"purpose": "summary"}, "reply": {"text": "The summary."}},
        {"when": {"text": "go"}, "replies": [
            {"toolCalls": [{"name": "spawn_agent", "args": {"role": "adder", "input": "child one"}},
                           {"name": "spawn_agent", "args": {"role": "adder", "input": "child two"}}]},
            {"toolCalls": [{"name": "wait_agents", "args": {}}]},
            {"text": "all done"}]},
        {"when": {"text": "child two"}, "replies": [
            {"toolCalls": [{"name": "spawn_agent", "args": {"role": "helper", "input": "grandchild"}}]},
            {"toolCalls": [{"name": "wait_agents", "args": {}}]},
            {"text": "two is done"}]}]})
    b.start("serve").stderr.readline()
    b.run("run", "go", code=0)
    b.run("run", "-s", "@last", "more", code=0)
    b.run("compact", "@last", code=0)
    b.run("run", "-s", "@last", "after", code=0)
    b.run("export", "atif", "@last", "-o", "t.json", code=0)
    t = trajectory(b, b.work / "t.json")
    children = {c["agent"]["extra"]["role"]: c for c in t["subagent_trajectories"] if c["agent"]["extra"].get("role")}
    two = [c for c in t["subagent_trajectories"] if c.get("subagent_trajectories")]
    assert set(children) == {"adder"} and len(two) == 1, children
    assert [s["message"] for s in two[0]["subagent_trajectories"][0]["steps"] if s["source"] == "user"] == ["grandchild"]
    spawned = [r for s in t["steps"] for r in s.get("observation", {}).get("results", []) if r.get("source_call_id") and r.get("subagent_trajectory_ref")]
    assert len(spawned) == 2 and len({r["subagent_trajectory_ref"][0]["trajectory_id"] for r in spawned}) == 2, spawned
    at = next(i for i, s in enumerate(t["steps"]) if s.get("extra", {}).get("context_management"))
    system, user = t["steps"][at], t["steps"][at + 1]
    assert system["source"] == "system" and system["extra"]["context_management"] == {"type": "compaction", "boundary": "replace"}
    assert user["source"] == "user" and user["message"] == "The summary.", user
    ref = system["observation"]["results"][0]["subagent_trajectory_ref"][0]["trajectory_id"]
    summary = next(c for c in t["subagent_trajectories"] if c["trajectory_id"] == ref)
    assert summary["steps"][-1]["message"] == "The summary." and summary["steps"][-1]["metrics"]["prompt_tokens"] > 0

    def own(x):
        return sum(s.get("metrics", {}).get("prompt_tokens", 0) for s in x["steps"]) + sum(map(own, x.get("subagent_trajectories", [])))
    for x in [t, *t["subagent_trajectories"]]:
        assert x["final_metrics"]["total_prompt_tokens"] == own(x), "the sums of a parent include its children"
    paid = [e["payload"]["amountUsd"] for e in b.run("log", "@last", "--json", "--type", "cost.recorded", code=0).lines()]
    assert abs(t["final_metrics"]["total_cost_usd"] - sum(paid)) < 1e-9, (t["final_metrics"], paid)


@test
def a_turn_that_fails_or_times_out_has_a_trajectory(b):
    for words, code, status in ((["fail"], 7, "failed"), (["hang", "--timeout", "300ms"], 124, ("cancelled", "timed_out")), (["retry"], 0, "completed")):
        path = b.work / (words[0] + ".json")
        b.run("run", "--here", "--atif", str(path), *words, code=code)
        t = trajectory(b, path)
        assert t["extra"]["outcome"]["status"] in status, (words, t["extra"]["outcome"])
        if words[0] == "fail":
            assert t["extra"]["outcome"]["failureCategory"] != "none" and t["steps"][-1]["source"] == "system", t["steps"][-1]
            assert any(s.get("extra", {}).get("attempts") for s in t["steps"])
        if words[0] == "retry":
            agent = t["steps"][-1]
            assert agent["llm_call_count"] == 3 and [a["httpStatus"] for a in agent["extra"]["attempts"]] == [529, 529], agent


@test
def an_interrupted_turn_has_a_trajectory(b):
    p = b.start("run", "--here", "--data", str(b.data), "--atif", "t.json", "hang", stdout=subprocess.PIPE)
    assert p.stdout.read(1), "the answer has begun"
    p.send_signal(signal.SIGINT)
    assert p.wait(DEADLINE_S) == 130
    t = trajectory(b, b.work / "t.json")
    assert t["extra"]["outcome"]["status"] == "cancelled" and t["steps"][-2]["message"], t["steps"]


@test
def a_trajectory_is_made_from_the_log_of_a_killed_program(b):
    p = b.start("run", "--here", "--data", str(b.data), "--atif", "t.json", "hang", stdout=subprocess.PIPE)
    assert p.stdout.read(1), "the answer has begun"
    p.kill()
    p.wait(DEADLINE_S)
    assert not (b.work / "t.json").exists()
    before = sorted(x.name for x in b.data.iterdir())
    b.run("export", "atif", "@last", "--data", str(b.data), "-o", "t.json", code=0)
    t = trajectory(b, b.work / "t.json")
    assert t["extra"]["outcome"]["status"] == "unknown" and t["extra"]["outcome"]["knownGaps"] == ["turn_not_ended"], t["extra"]["outcome"]
    assert t["steps"][-1]["source"] == "agent" and t["steps"][-1]["message"], t["steps"][-1]
    assert sorted(x.name for x in b.data.iterdir()) == before, "the directory is only read, and no daemon is left"


@test
def approvals_and_answers_are_in_the_trajectory(b):
    b.start("serve").stderr.readline()
    b.run("run", "approve it", code=4)
    action = b.pending()[0]
    b.run("export", "atif", "@last", "-o", "open.json", code=0)
    t = trajectory(b, b.work / "open.json")
    assert t["steps"][-1]["tool_calls"] and "observation" not in t["steps"][-1], "no result yet"
    b.run("approve", action, code=0)
    until("the end of the turn", lambda: b.run("log", "@last", "--json", "--type", "turn.completed", code=0).out)
    b.run("export", "atif", "@last", "-o", "done.json", code=0)
    call, result = calls(trajectory(b, b.work / "done.json"))["write_note"]
    assert [e["event"] for e in call["extra"]["events"]][:3] == ["permission.evaluated", "action.required", "action.resolved"], call
    assert next(e for e in call["extra"]["events"] if e["event"] == "action.resolved")["decision"] == "allow"
    assert result["extra"]["permissionDecision"] == "allow"


@test
def no_key_is_in_a_trajectory(b):
    key = "sk-ant-api03-" + "a1B2" * 20
    (b.work / "secret").write_text(key)
    b.env["ANTHROPIC_API_KEY"] = "sk-ant-api03-" + "c3D4" * 20
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "show"}, "replies": [
        {"toolCalls": [{"name": "shell", "args": {"command": "cat secret; env"}}]}, {"text": "I saw it."}]}]})
    typed, plain = "sk-ant-api03-" + "e5F6" * 20, "hunter2hunter2"
    b.env["MY_PASSWORD"] = plain
    b.run("run", "--here", "--mode", "bypass", "--atif", "t.json", f"show it, with \"{typed}\" and {plain}\n", code=0)
    t = trajectory(b, b.work / "t.json")
    text = (b.work / "t.json").read_text()
    for each in (key, b.env["ANTHROPIC_API_KEY"], typed, plain):
        assert each not in text, each
    assert t["steps"][1]["message"].startswith('show it, with "[redacted]" and [redacted]'), t["steps"][1]
    assert t["extra"]["outcome"]["redactedTexts"] >= 1


@test
def a_key_that_the_model_writes_is_in_no_part_of_a_trajectory(b):
    """After a line break, in the name of an argument, in a command, with a quote in it, and in the answer."""
    key, odd = "sk-ant-api03-" + "a1B2" * 20, 'pa"ss\\word-of-mine'
    b.env["MY_PASSWD"] = odd
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "show"}, "replies": [
        {"reasoning": f"it is\n{key}", "text": f"first\n{key}\t{odd}", "toolCalls": [
            {"name": "shell", "args": {"command": f"true \n{key}"}}, {"name": "nosuch", "args": {key: 1, key + "2": {"x": [f"\n{odd}"]}}}]},
        {"text": f"The key is\n{key}"}]}]})
    b.run("run", "--here", "--mode", "bypass", "--atif", "t.json", "show", code=0)
    t = trajectory(b, b.work / "t.json")
    text = (b.work / "t.json").read_text()
    for each in (key, "a1B2a1B2", odd, json.dumps(odd)[1:-1]):
        assert each not in text, each
    first, last = [s for s in t["steps"] if s["source"] == "agent"]
    assert (first["message"], first["reasoning_content"], last["message"]) == (
        "first\n[redacted]\t[redacted]", "it is\n[redacted]", "The key is\n[redacted]"), t["steps"]
    assert first["tool_calls"][0]["arguments"] == {"command": "true \n[redacted]"}
    assert first["tool_calls"][1]["arguments"] == {"[redacted] 1": 1, "[redacted] 2": {"x": ["\n[redacted]"]}}, first["tool_calls"][1]


@test
def a_command_with_full_access_finds_no_key_in_proc(b):
    key = "canary-" + "q7W8" * 8  # no other test uses it: they run beside this one
    b.env["ANTHROPIC_API_KEY"] = key
    look = "for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done 2>/dev/null | grep -a canary-q7W8 | base64 -w0; echo; echo looked"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "look"}, "replies": [
        {"toolCalls": [{"name": "shell", "args": {"command": look}}]}, {"text": "Done."}]}]})
    b.run("run", "--here", "-c", "sandbox.mode=danger_full_access", "--mode", "bypass", "--atif", "t.json", "look", code=0)
    found = calls(trajectory(b, b.work / "t.json"))["shell"][1]["content"]
    assert found == "\nlooked\n", found


@test
def a_pipe_gets_the_trajectory_and_one_without_a_reader_is_refused(b):
    pipe = b.work / "pipe"
    os.mkfifo(pipe)
    assert "no program reads from it" in b.run("run", "--here", "--atif", str(pipe), "hello", code=2).err
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    p = b.start("run", "--here", "--atif", str(pipe), "hello")
    os.set_blocking(reader, True)
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    assert poll.poll(DEADLINE_S * 1000)
    with os.fdopen(reader) as f:
        t = json.loads(f.read())
    assert p.wait(DEADLINE_S) == 0 and t["steps"][-1]["source"] == "agent"


@test
def a_signal_ends_a_program_whose_trajectory_is_not_read(b):
    pipe = b.work / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    p = b.start("run", "--here", "--atif", str(pipe), "more than a pipe holds " * 5000)
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    assert poll.poll(DEADLINE_S * 1000), "it writes, and waits for a reader"
    p.send_signal(signal.SIGTERM)
    assert p.wait(DEADLINE_S) == 130
    os.close(reader)


@test
def a_trajectory_keeps_a_link_and_the_mode_of_its_file(b):
    target, link = b.work / "target.json", b.work / "link.json"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    b.run("run", "--here", "--atif", str(link), "hello", code=0)
    assert link.is_symlink() and trajectory(b, target) and target.stat().st_mode & 0o777 == 0o640
    b.run("run", "--here", "--atif", "new.json", "hello", code=0)
    assert (b.work / "new.json").stat().st_mode & 0o777 == 0o600
    link.unlink()
    link.symlink_to(b.work / "none")
    r = b.run("run", "--here", "--atif", str(link), "hello", code=2)
    assert "a link to a file that does not exist" in r.err and not r.out, r
    assert "is empty" in b.run("run", "--here", "--atif", "", "hello", code=2).err
    b.run("run", "--here", "--data", str(b.data), "hello", code=0)
    assert "is empty" in b.run("export", "atif", "@last", "--data", str(b.data), "-o", "", code=2).err
    assert sorted(p.name for p in b.work.iterdir()) == ["link.json", "new.json", "target.json"]


@test
def a_program_that_is_killed_leaves_no_part_of_a_trajectory(b):
    p = b.start("run", "--here", "--atif", "t.json", "hang", stdout=subprocess.PIPE)
    assert p.stdout.read(1), "the answer has begun"
    p.kill()
    p.wait(DEADLINE_S)
    assert not list(b.work.iterdir())


@test
def a_trajectory_that_cannot_be_written_is_an_error(b):
    r = b.run("run", "--here", "--atif", "nowhere/t.json", "hello", code=2)
    assert "nowhere/t.json cannot be written" in r.err and not r.out, "before the turn"
    assert "--detach" in b.run("run", "--detach", "--atif", "t.json", "hello", code=2).err
    assert "There is no log" in b.run("export", "atif", "@last", "--data", str(b.work / "none"), code=1).err
    assert "-o is for atif" in b.run("export", "html", "@last", "-o", "x", code=2).err
    b.run("run", "--here", "--data", str(b.data), "hello", code=0)
    full = b.run("export", "atif", "@last", "--data", str(b.data), "-o", "/dev/full", code=1)
    assert "not written: /dev/full: No space left on device." in full.err, full
    b.run("export", "atif", "sess_none", "--data", str(b.data), code=1)


NULL = object()  # of JSON


# Each changes a valid trajectory; the second word is the rule that has to be found first.
def mutants():
    def at(path):
        def walk(t):
            for p in path[:-1]:
                t = t[p]
            return t
        return walk, path[-1]
    agent, user = 2, 1
    return [
        ("step_ids", at(("steps", 0, "step_id")), 2),
        ("timestamp", at(("steps", agent, "timestamp")), "yesterday"),
        ("timestamp", at(("steps", agent, "timestamp")), "2026-13-1x"),
        ("agent_only", at(("steps", user, "model_name")), "m"),
        ("agent_only", at(("steps", user, "metrics")), {}),
        ("dispatch", at(("steps", agent, "llm_call_count")), 0),
        ("call_id", at(("steps", agent, "observation", "results", 0, "source_call_id")), "other"),
        ("content_part", at(("steps", user, "message")), [{"type": "text"}]),
        ("content_part", at(("steps", user, "message")), [{"type": "image", "text": "x"}]),
        ("reference", at(("steps", agent, "observation", "results", 0, "subagent_trajectory_ref")), [{"session_id": "s"}]),
        ("reference", at(("steps", agent, "observation", "results", 0, "subagent_trajectory_ref")), [{"trajectory_id": "s"}]),
        ("embedded_id", at(("subagent_trajectories",)), [{"agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1, "source": "user", "message": ""}]}]),
        ("embedded_id", at(("subagent_trajectories",)), [{"trajectory_id": "x", "agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1, "source": "user", "message": ""}]}] * 2),
        ("total_steps", at(("final_metrics", "total_steps")), 99),
        ("unknown_field", at(("cost",)), 1),
        ("unknown_field", at(("steps", agent, "tool_calls", 0, "name")), "x"),
        ("enum", at(("schema_version",)), "ATIF-v1.8"),
        ("type", at(("schema_version",)), NULL),
        ("minimum", at(("steps", agent, "llm_call_count")), -3),
        ("minimum", at(("final_metrics", "total_steps")), -1),
        ("type", at(("steps", agent, "metrics", "prompt_tokens")), 1.5),
        ("enum", at(("steps", agent, "source")), "robot"),
        ("type", at(("steps", agent, "metrics", "prompt_tokens")), "12"),
        ("type", at(("steps", agent, "tool_calls", 0, "arguments")), "{}"),
        ("type", at(("steps",)), {}),
        ("type", at(("agent",)), []),
        ("required", at(("agent", "name")), None),
    ]


@test
def every_broken_rule_of_a_trajectory_is_found(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "x"}, "rules": [{"when": {"text": "go"}, "replies": [
        {"text": "a", "toolCalls": [{"name": "list_dir", "args": {"path": "."}}]}, {"text": "b"}]}]})
    b.run("run", "--here", "--atif", "t.json", "go", code=0)
    good = trajectory(b, b.work / "t.json")
    path = b.work / "bad.json"
    for rule, (walk, key), value in mutants():
        bad = copy.deepcopy(good)
        if value is None:
            del walk(bad)[key]
        else:
            walk(bad)[key] = None if value is NULL else value
        path.write_text(json.dumps(bad))
        said = b.run("conform", "atif", str(path), "--json", code=1).json()
        assert said["result"] == "fail" and said["findings"][0]["rule"] == rule, (rule, value, said["findings"])
    for text in ("", "{", "[1]", "null", '{"a":1,"a":2}', "[" * 500, "\xff"):
        path.write_text(text)
        assert "fails" in b.run("conform", "atif", str(path), code=1).out, text
    path.write_text(json.dumps({**good, "steps": [{"\x1b[31mred": 1}] * 200}))
    r = b.run("conform", "atif", str(path), code=1)
    assert "\x1b" not in r.out and "more" in r.out
    assert "cannot be read" in b.run("conform", "atif", str(b.work / "none"), code=2).err
    assert "knows log, self, live, atif" in b.run("conform", "nosuch", "x", code=2).err


TIMES = """2026-01-31 20260131 2026-W05-6 2026W056 2026-W05 2026-W53-1 2026-01-31T12 2026-01-31T12:30 2026-01-31T12:30:59 2026-01-31T123059 2026-01-31T12:30:59.25
2026-01-31T12:30:59,25 2026-01-31T12:30:59Z 2026-01-31T12:30:59+01 2026-01-31T12:30:59+01:00 2026-01-31T12:30:59+0100 2026-01-31T12:30Z 2024-02-29 0001-01-01
2026-01-31T12:30:59.123456789Z 2026-01-31T12:30:59-05:30:15 2026-99-99T99:99:99Z 2026-02-29 2026-00-01 2026-01-00 2026-01-32 0000-01-01 2026-01-31T24:30 2026-01-31T12:60
2026-01-31T12:30:60 2026-01-31T12:30:59. 2026-01-31T 2026-01-31T1 2026-01-31T12:3 2026-01-31T12:30:59+25:00 2026-01-31T12:30:59ZZ 2026-1-31 2025-W53-1 2026-W00-1 2026-W05-8
2026-01-31T12:30:59+ 2026-0131 26-01-31 2026 1700000000 2026-01-31T12:3059""".split()


@test
def a_timestamp_is_what_python_reads_as_iso_8601(b):
    if sys.version_info < (3, 11):
        raise Skip("this Python reads fewer forms")
    path = b.work / "t.json"
    for text in TIMES:
        try:
            datetime.datetime.fromisoformat(text)
            code = 0
        except ValueError:
            code = 1
        path.write_text(json.dumps({"agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1, "source": "user", "message": "", "timestamp": text}]}))
        said = b.run("conform", "atif", str(path)).out
        assert said.startswith("fails" if code else "conforms") or code and "timestamp" in said, (text, code, said)


@test
def what_the_schema_of_harbor_accepts_conforms(b):
    """Integers without limit or written with .0, token counts below zero, two calls with one id, and no schema version."""
    call = {"tool_call_id": "a", "function_name": "f", "arguments": {}}
    document = {"agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1.0, "source": "agent", "message": "", "tool_calls": [call, call], "metrics": {
        "prompt_tokens": 10 ** 23, "completion_tokens": -5, "cached_tokens": 2.0}}]}
    official(document)
    path = b.work / "t.json"
    path.write_text(json.dumps(document))
    b.run("conform", "atif", str(path), code=0)


@test
def a_check_of_a_hundred_thousand_calls_ends(b):
    n, path = 100000, b.work / "t.json"
    children = [{"trajectory_id": f"t{i}", "agent": {"name": "a", "version": "1"}, "steps": [{"step_id": 1, "source": "user", "message": ""}]} for i in range(n)]
    path.write_text(json.dumps({"agent": {"name": "a", "version": "1"}, "subagent_trajectories": children, "steps": [{
        "step_id": 1, "source": "agent", "message": "", "tool_calls": [{"tool_call_id": f"c{i}", "function_name": "f", "arguments": {}} for i in range(n)],
        "observation": {"results": [{"source_call_id": f"c{n - 1 - i}", "subagent_trajectory_ref": [{"trajectory_id": f"t{n - 1 - i}"}]} for i in range(n)]}}]}))
    b.run("conform", "atif", str(path), code=0)


@test
def what_has_no_end_is_not_read_by_the_check(b):
    os.mkfifo(b.work / "pipe")
    for path in ("/dev/zero", b.work / "pipe"):
        assert "is no regular file" in b.run("conform", "atif", str(path), code=2).err
    assert "Is a directory" in b.run("conform", "atif", str(b.work), code=2).err
    with open(b.work / "huge", "wb") as f:
        f.truncate(1 << 30)
    assert "too large" in b.run("conform", "atif", str(b.work / "huge"), code=2).err


@test
def the_trajectories_of_harbor_conform(b):
    golden = sorted((SPECS / "harbor" / "golden").glob("*.json"))
    if not golden:
        raise Skip("the examples of Harbor are not here")
    for path in golden:
        b.run("conform", "atif", str(path), code=0)
