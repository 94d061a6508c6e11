"""Work that outlives a turn."""
import json
import re

from cli_fixture import test, until


@test
def a_task_is_made_started_and_shown(b):
    task = b.run("task", "new", "Write", "the", "notes", "--title", "Notes", "--priority", "high", code=0).out.strip()
    assert task.startswith("task_")
    assert "accepted" in b.run("task", "ls", code=0).out
    why = b.run("why", task, code=0).out
    assert "The task has not been started." in why and f"thole task start {task}" in why, why
    b.run("task", "pause", task, code=0)
    assert "paused" in b.run("task", "ls", "--status", "paused", code=0).out
    b.run("task", "resume", task, code=0)
    b.run("task", "start", task, code=0)
    until("the end of the task", lambda: "completed" in b.run("task", "show", task, code=0).out)
    shown = b.run("task", "show", task, code=0).out
    assert "attempt 1  completed" in shown and "Notes" in shown
    assert task not in b.run("task", "ls", code=0).out and task in b.run("task", "ls", "--all", code=0).out
    assert "completed" in b.run("task", "retry", task, code=1).err


@test
def tasks_are_linked_and_wait_for_each_other(b):
    first = b.run("task", "new", "first", code=0).out.strip()
    session = json.loads(b.run("task", "show", first, "--json", code=0).out)["task"]["sessionId"]
    second = b.run("task", "new", "second", "-s", session, code=0).out.strip()
    b.run("task", "link", first, "blocks", second, "--reason", "order", code=0)
    assert "depends on" in b.run("task", "link", second, "blocks", first, code=1).err
    assert f"{first} blocks {second}" in b.run("task", "graph", first, code=0).out
    b.run("task", "start", second, code=0)
    assert "waits for  dependency" in b.run("why", second, code=0).out
    b.run("task", "cancel", first, "--reason", "no", code=0)
    until("the block", lambda: "blocked" in b.run("task", "show", second, code=0).out)
    b.run("task", "link", first, "blocks", second, "--remove", code=0)
    until("the end", lambda: "completed" in b.run("task", "show", second, code=0).out)
    for wrong in (["task", "fly", first], ["task", "start"], ["task", "new"], ["task", "link", first],
                  ["task", "new", "x", "--accept", "nothing"]):
        assert b.run(*wrong, code=2).err, wrong


@test
def a_job_runs_its_items(b):
    (b.work / "items").write_text('one\n{"n": 2}\n\nthree\n')
    job = b.run("job", "new", "Say it", "--items", "items", "-j", "2", code=0).out.strip()
    assert job.startswith("job_")
    until("its end", lambda: "3 of 3 items done" in b.run("job", "show", job, code=0).out)
    assert job in b.run("job", "ls", code=0).out
    assert b.run("job", "ls", "-q", code=0).out == job + "\n"
    items = b.run("job", "items", job, code=0).out
    assert items.count("completed") == 3
    said = b.run("show", re.search(r"\bout_\w+", items)[0], code=0).out
    assert "scripted model" in said, said
    assert "out_none" in b.run("show", "out_none", code=1).err
    assert "only what failed" in b.run("job", "retry", job, "1", code=1).err
    assert "has ended" in b.run("job", "cancel", job, code=1).err
    assert "no job" in b.run("job", "show", "job_none", code=1).err
    assert b.run("job", "new", "nothing", stdin="\n", code=2).err
    assert "no child agents" in b.run("agent", "tree", code=0).err


@test
def lists_have_one_shape(b):
    """With --json one object that names its rows, with -o jsonl a line for each, with -o id the ids."""
    task = b.run("task", "new", "mend the roof", code=0).out.strip()
    job = b.run("job", "new", "Say it", stdin="one\n", code=0).out.strip()
    schedule = b.run("schedule", "new", "look", "--every", "1h", code=0).out.strip()
    for noun, rows, key, made in (("task", "tasks", "taskId", task), ("job", "jobs", "jobId", job),
                                  ("schedule", "schedules", "scheduleId", schedule)):
        seen = json.loads(b.run(noun, "ls", "--json", code=0).out)[rows]
        lines = b.run(noun, "ls", "-o", "jsonl", code=0).out.splitlines()
        ids = b.run(noun, "ls", "-o", "id", code=0).out.split()
        assert made in ids and made in [r[key] for r in seen], (noun, ids, seen)
        assert made in [json.loads(line)[key] for line in lines], (noun, lines)
    assert json.loads(b.run("process", "ls", "--json", code=0).out) == {"processes": []}
    assert b.run("process", "ls", "-q", code=0).out == ""


@test
def a_task_is_updated_reported_on_and_ended_by_hand(b):
    task = b.run("task", "new", "Write the notes", "--accept", "read:text", code=0).out.strip()
    session = json.loads(b.run("task", "show", task, "--json", code=0).out)["task"]["sessionId"]
    b.run("task", "update", task, "--title", "Other notes", "--priority", "low", code=0)
    b.run("task", "progress", task, "half", "way", "--percent", "50", "--phase", "planning", code=0)
    shown = json.loads(b.run("task", "show", task, "--json", code=0).out)["task"]
    assert (shown["title"], shown["priority"]) == ("Other notes", "low"), shown
    assert (shown["progress"]["percent"], shown["progress"]["summary"]) == (50, "half way"), shown
    assert "read" in b.run("task", "complete", task, code=1).err
    b.run("task", "complete", task, "all", "done", "--accept", "read", code=0)
    assert "completed" in b.run("task", "show", task, code=0).out
    other = b.run("task", "new", "Not to be done", "-s", session, code=0).out.strip()
    b.run("task", "link", task, "source_task", other, code=0)
    b.run("task", "unlink", task, "source_task", other, code=0)
    b.run("task", "fail", other, "no", "access", "--category", "permission", code=0)
    failed = json.loads(b.run("task", "show", other, "--json", code=0).out)["task"]
    assert (failed["status"], failed["lastError"]["category"], failed["lastError"]["message"]) == ("failed", "permission", "no access"), failed
    for wrong in (["task", "fail", other], ["task", "update"], ["task", "unlink", task]):
        assert b.run(*wrong, code=2).err, wrong


@test
def child_agents_are_created_messaged_awaited_and_closed(b):
    task = b.run("task", "new", "parent", code=0).out.strip()
    session = json.loads(b.run("task", "show", task, "--json", code=0).out)["task"]["sessionId"]
    agent = b.run("agent", "spawn", "reader", "look", "around", "-s", session, "--task", task, "--nickname", "Ann", "--read-only", code=0).out.strip()
    assert agent.startswith("sub_"), agent
    assert "completed" in b.run("agent", "wait", "Ann", "--all", "--timeout", "30s", code=0).out
    b.run("agent", "send", agent, "and", "again", code=0)
    assert "completed" in b.run("agent", "wait", agent, "--all", "--timeout", "30s", code=0).out
    second = json.loads(b.run("task", "show", b.run("task", "new", "other", code=0).out.strip(), "--json", code=0).out)["task"]["sessionId"]
    assert second != session
    b.run("agent", "spawn", "reader", "look", "-s", second, "--nickname", "Bob", "--read-only", code=0)
    assert "one session" in b.run("agent", "wait", "Ann", "Bob", "--timeout", "30s", code=2).err
    assert "nothing of" in b.run("agent", "resume", "Ann", code=1).err
    b.run("agent", "close", "Ann", "--reason", "done", code=0)
    assert "closed" in b.run("agent", "tree", session, code=0).out
    assert "no child agent" in b.run("agent", "send", "sub_none", "x", code=1).err
    for wrong in (["agent", "spawn", "x"], ["agent", "send", agent], ["agent", "fly"], ["agent", "wait"]):
        assert b.run(*wrong, code=2).err, wrong


@test
def tools_and_environment_of_a_session_are_shown(b):
    b.run("run", "hello", code=0)
    tools = b.run("tools", code=0).out
    assert "shell" in tools and "spawn_agent" in tools, tools
    assert "denied" in b.run("tools", "--mode", "never", code=0).out or "denied" in b.run("tools", "--mode", "plan", code=0).out
    assert json.loads(b.run("tools", "--json", code=0).out)["toolCount"] > 3
    env = b.run("env", code=0).out
    assert str(b.work) in env and "network" in env, env


@test
def work_runs_where_it_was_typed(b):
    """Not in the data directory, where the daemon lives."""
    made = [json.loads(b.run("task", "show", b.run("task", "new", "x", code=0).out.strip(), "--json", code=0).out)["task"]["sessionId"]]
    b.run("schedule", "new", "look", "--every", "1h", code=0)
    b.run("job", "new", "Say it", "-C", "..", stdin="one\n", code=0)
    sessions = json.loads(b.run("ps", "--all", "--json", code=0).out)["sessions"]
    for row in sessions:
        if row["sessionId"].startswith(("sess_system", "sess_node")):
            continue
        first = b.run("log", row["sessionId"], "--json", "--type", "session.created", code=0).lines()[0]
        wanted = b.work.parent if first["payload"]["title"] == "Say it" else b.work
        assert first["payload"]["cwd"] == str(wanted.resolve()), first
    assert made[0] in [row["sessionId"] for row in sessions]
    for verb in (["run", "hi"], ["task", "new", "x"], ["schedule", "new", "x", "--every", "1h"]):
        assert "-C DIR" in b.run(*verb, "-C", "/nowhere", code=2).err
    moved = b.run("run", "-s", made[0], "-C", "/usr", "hi", code=2).err
    assert "directory_unusable" in moved and "update_session" in moved, moved


@test
def a_command_without_a_directory_is_refused(b):
    """A daemon that a client started has no directory of its own."""
    b.run("run", "hi", code=0)
    said = b.rpc("submit_turn", {"input": "hi"})
    assert said["error"]["data"]["code"] == "directory_unusable" and "Pass cwd" in said["error"]["data"]["detail"], said
    said = b.rpc("submit_turn", {"input": "hi", "cwd": str(b.data)})
    assert "data directory" in said["error"]["data"]["detail"], said
    link = b.work / "link"
    link.symlink_to(b.data)
    assert "data directory" in b.rpc("submit_turn", {"input": "hi", "cwd": str(link)})["error"]["data"]["detail"]
    session = b.rpc("create_session", {})["result"]["sessionId"]
    said = b.rpc("submit_turn", {"sessionId": session, "input": "hi"})
    assert "update_session" in said["error"]["data"]["detail"], said
    assert "result" in b.rpc("update_session", {"sessionId": session, "cwd": str(b.work)})
    assert "result" in b.rpc("submit_turn", {"sessionId": session, "input": "hi"})


@test
def a_job_whose_items_all_failed_says_so(b):
    job = b.run("job", "new", "fail", "--attempts", "1", stdin="one\ntwo\n", code=0).out.strip()
    until("its end", lambda: "failed" in b.run("job", "show", job, code=0).out.splitlines()[0])
    shown = b.run("job", "show", job, code=0).out
    assert "0 of 2 items done, 2 failed" in shown and f"thole job items {job} --status failed" in shown, shown
