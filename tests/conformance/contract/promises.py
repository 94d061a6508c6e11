"""Optional fields of replies, views and events: each has a value that follows from what happened."""
import json
import time

from contract_fixture import having, need, one, rows, same, story
from tasks import task_of

SHELL = story(tools=[{"name": "slow_tool", "policy": "allowed", "result": {"text": "x", "hang": True}},
                     {"name": "risky", "policy": "ask", "result": {"text": "done"}}],
              **{"use slow": ("slow_tool", {}), "use risky": ("risky", {})})


@rows("CTL-06", script=SHELL)
def check_a_resume_token_names_the_interruption(fixture):
    reply = fixture.call("submit_turn", input="use slow")
    session = reply["sessionId"]
    fixture.wait(session, "tool.progress")
    fixture.refused("not_resumable", "resume_thread", sessionId=session, resumeToken="resume.run_x")
    fixture.restart()
    wait = fixture.read(session)["wait"]
    first = one(fixture.events(session), "run.status")["payload"]["wait"]["resumeToken"]
    same(wait["resumeToken"], first, "the read shows the token of the wait")
    fixture.refused("not_resumable", "resume_thread", sessionId=session, resumeToken="resume.run_x")
    same(fixture.call("resume_thread", sessionId=session, resumeToken=first)["status"], "resumed", "with its token")
    fixture.refused("not_resumable", "resume_thread", sessionId=session, resumeToken=first)


@rows("EVT-002")
def check_update_session_names_what_changed(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    told = fixture.call("update_session", sessionId=session, title="A name", archived=True, pinnedThreadIds=[reply["threadId"]])
    same(sorted(told["changed"]), ["archived", "pinnedThreadIds", "title"], "the reply")
    same(sorted(one(fixture.events(session), "session.updated")["payload"]["changed"]), ["archived", "pinnedThreadIds", "title"], "the event")
    fixture.refused("missing_field", "update_session", sessionId=session)


@rows("SUB-07", script=SHELL)
def check_a_childs_question_has_its_lineage(fixture):
    task = fixture.call("create_task", objective="parent work")
    child = fixture.call("spawn_subagent", sessionId=task["sessionId"], parentThreadId=task["threadId"], parentTaskId=task["taskId"],
                     role="helper", input="use risky")
    fixture.wait(task["sessionId"], "action.required")
    row = fixture.call("list_actions", sessionId=task["sessionId"])["actions"][0]
    same((row["parentThreadId"], row["subagentId"], row["parentTaskId"]), (task["threadId"], child["subagentId"], task["taskId"]), "lineage")
    fixture.restart()
    same(fixture.call("list_actions", sessionId=task["sessionId"])["actions"][0]["subagentId"], child["subagentId"], "after a restart")


@rows("PRM-01", script=SHELL, options=['permission.rules=[{"id":"no-rm","effect":"deny","command":["rm"],"reason":"never"}]'])
def check_the_permission_state_shows_its_rules(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    fixture.call("set_policy", sessionId=session, rules=[{"id": "ask-make", "effect": "ask", "command": ["make"]}])
    for state in (fixture.read(session)["permissionState"], fixture.call("get_session", sessionId=session)["permissionState"]):
        same(state["ruleCount"], 2, "how many")
        effects = {(r["effect"], tuple(r["command"])) for r in state["rules"]}
        need(effects == {("deny", ("rm",)), ("ask", ("make",))}, f"rules: {state['rules']}")


@rows("ENV-25")
def check_task_graph_and_correlation_stand_on_events(fixture):
    a = fixture.call("create_task", objective="a")
    b = fixture.call("create_task", sessionId=a["sessionId"], objective="b", parentTaskId=a["taskId"])
    c = fixture.call("create_task", sessionId=a["sessionId"], objective="c")
    fixture.call("link_tasks", sessionId=a["sessionId"], fromTaskId=b["taskId"], toTaskId=c["taskId"], relationship="blocks")
    linked = one(fixture.events(a["sessionId"]), "task.dependency.updated")
    same(linked["taskGraph"]["rootTaskId"], a["taskId"], "root")
    kinds = sorted(e["kind"] for e in linked["taskGraph"]["edges"])
    need("parent" in kinds and "blocks" in kinds, f"edges: {kinds}")
    reply, events = fixture.turn("hello")
    told = one(events, "cost.recorded")["correlation"]
    same((told["turnId"], told["runId"]), (reply["turnId"], reply["runId"]), "correlation")


VALIDATED = [("write_file", {"path": "a.txt", "content": "one"}), ("write_file", {"path": "a.txt", "content": "two"}),
             ("write_file", {"path": "s.json", "content": '{"type":"object","required":["name"]}'}),
             ("write_file", {"path": "good.json", "content": '{"$schema":"./s.json","name":"x"}'}),
             ("write_file", {"path": "lacks.json", "content": '{"$schema":"./s.json"}'}),
             ("write_file", {"path": "broken.json", "content": '{"name":'}),
             ("write_file", {"path": "far.json", "content": '{"$schema":"https://example.invalid/s.json"}'}),
             ("write_file", {"path": "main.c", "content": "int main;"})]


@rows("SNP-06", script=story(**{"write them": VALIDATED}), options=["permission.mode=bypass"])
def check_the_artifact_summary_says_what_was_validated(fixture):
    reply, events = fixture.turn("write them")
    told = fixture.call("get_artifact_checkpoint_summary", sessionId=reply["sessionId"])
    rows_ = {r["path"]: r for r in told["artifacts"]}
    same((rows_["a.txt"]["versions"], bool(rows_["a.txt"]["diffRef"])), (2, True), "versions and a diff")
    same({p: r["validation"] for p, r in rows_.items()},
         {"a.txt": "passed", "s.json": "passed", "good.json": "passed", "lacks.json": "failed", "broken.json": "failed",
          "far.json": "unchecked", "main.c": "not_applicable"}, "states")
    same({p: r.get("issues", r.get("issuesState")) for p, r in rows_.items()},
         {"a.txt": 0, "s.json": 0, "good.json": 0, "lacks.json": 1, "broken.json": 1, "far.json": "unknown",
          "main.c": "not_applicable"}, "issues")
    same(told["validation"], {"passed": 3, "failed": 2, "notApplicable": 1, "unchecked": 1, "issues": 2}, "counts")
    need("name" in rows_["lacks.json"]["messages"][0], f"the issue is not told: {rows_['lacks.json']}")
    failed = [e["payload"] for e in events if e["type"] == "artifact.changed" and e["payload"].get("issues")]
    same([p["path"] for p in failed], ["lacks.json", "broken.json"], "events that tell an issue")
    same(failed[0]["validation"]["checks"], ["json", "schema"], "what was checked")
    fixture.restart()
    same(fixture.call("get_artifact_checkpoint_summary", sessionId=reply["sessionId"])["validation"], told["validation"], "after a restart")


@rows("SNP-16", script=SHELL)
def check_diagnostics_list_stalled_tasks_and_pending_requests(fixture):
    reply = fixture.call("submit_turn", input="use risky")
    session = reply["sessionId"]
    action = one(fixture.wait(session, "action.required"), "action.required")["actionId"]
    d = fixture.read(session)["diagnostics"]
    same(d["pendingRequests"], [{"kind": "action", "id": action}], "pending")
    same(d["stalledTasks"], [], "nothing is stalled")
    need("stalledTasks" not in d.get("unavailable", []), "it is not unavailable")
    slow = fixture.call("submit_turn", input="use slow")
    fixture.wait(slow["sessionId"], "tool.progress")
    fixture.restart()
    same(fixture.read(slow["sessionId"])["diagnostics"]["stalledTasks"], [slow["taskId"]], "a lost one")


@rows("CHN-03")
def check_a_refused_login_leaves_an_event(fixture):
    token, fixture.transport.token = fixture.transport.token, "wrong"
    for _ in range(20):
        fixture.transport.request("POST", "/v1/commands/submit_turn", '{"input":"x"}')
    fixture.transport.token = token
    told = fixture.until("a login that was refused", lambda: [
        e for e in fixture.events("sess_system") if e["type"] == "runtime.warning" and e["payload"]["category"] == "login_refused"])
    need(len(told) == 1, f"{len(told)} events for twenty attempts in a row")
    same(told[0]["payload"]["cause"], "http", "by which way")
    need(told[0]["payload"]["count"] >= 1 and "wrong" not in json.dumps(told), "how often, and never the token")


@rows("STA-18", "STA-09", script=SHELL)
def check_kill_shows_stale_and_unknown(fixture):
    """stale: a lease past and not resolved; unknown: a worker gone with an effect in flight."""
    external = fixture.call("create_task", objective="outside")
    fixture.call("start_task", sessionId=external["sessionId"], taskId=external["taskId"], worker={"kind": "external"})
    run = fixture.call("claim_task", sessionId=external["sessionId"], taskId=external["taskId"], workerId="w1", leaseMs=10000)
    deadline = time.time() + 10.2  # the lease is wall time; after the start the worker has as long again
    agent = fixture.call("create_task", objective="use slow", start=True)
    fixture.wait(agent["sessionId"], "tool.progress")
    fixture.daemon.kill()
    fixture.until("the lease is past", lambda: time.time() > deadline)
    fixture.start()
    task = task_of(fixture, external)
    same((task["status"], task["nativeStatus"]), ("stale", "running"), "a worker that has been silent since")
    same([t["taskId"] for t in fixture.call("list_tasks", sessionId=external["sessionId"], status="stale")["tasks"]], [external["taskId"]], "in the list")
    beat = fixture.call("heartbeat_task", sessionId=external["sessionId"], taskId=external["taskId"], runId=run["runId"], workerId="w1")
    same(beat["status"], "running", "heard again")
    same(task_of(fixture, external)["status"], "running", "and shown so")
    task = task_of(fixture, agent)
    same((task["status"], task["nativeStatus"]), ("unknown", "lost"), "an effect that may have happened")
    same(one(fixture.events(agent["sessionId"]), "task.lost")["payload"]["effectInFlight"], True, "the event")
    fixture.call("resume_thread", sessionId=agent["sessionId"], threadId=agent["threadId"])
    fixture.until("it continues", lambda: task_of(fixture, agent)["status"] not in ("unknown", "lost"))


@rows()
def check_errors_name_the_path(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    wrong = [("create_task", {"objective": "x", "constraints": {"sandboxMode": "strong"}}, "constraints.sandboxMode"),
             ("create_task", {"objective": "x", "acceptance": [{"id": "a", "kind": "text"}, {"id": "b"}]}, "acceptance[1].kind"),
             ("create_task", {"objective": "x", "retryPolicy": {"maxAttempts": "two"}}, "retryPolicy.maxAttempts"),
             ("create_task", {"objective": "x", "scope": {"nowhere": 1}}, "scope.nowhere"),
             ("spawn_subagent", {"parentThreadId": reply["threadId"], "role": "x", "isolation": {"prompt": "own"}}, "isolation.workspace")]
    for command, params, path in wrong:
        code, problem = fixture.transport.call(command, {"sessionId": session, **params})
        need(code and path in problem["detail"], f"{command} {params}: {code}: {problem.get('detail')}")


@rows("TSK-31", both=True)
def check_background_creates_its_own_task(fixture):
    front, _ = fixture.turn("hello")
    session = front["sessionId"]
    reply = fixture.call("submit_turn", sessionId=session, input="work in the background", background=True)
    need(reply["threadId"] != front["threadId"], "it shares the thread of the foreground")
    task = fixture.until("its end", lambda: (t := task_of(fixture, reply))["status"] == "completed" and t)
    same((task["visibility"], task["taskKind"]), ("background", "background_job"), "the record")
    events = fixture.events(session)
    mine = [e for e in events if e.get("taskId") == reply["taskId"]]
    same(next(e for e in mine if e["type"] == "task.created")["payload"]["implicit"], False, "a real task")
    submitted = one(mine, "turn.submitted")
    same((submitted["turnId"], submitted["runId"]), (reply["turnId"], reply["runId"]), "the ids of the reply")
    fixture.refused("not_retryable", "retry_task", sessionId=session, taskId=reply["taskId"], reason="x")
    failed = fixture.call("submit_turn", sessionId=session, input="refuse", options={"background": True, "taskKind": "review"})
    fixture.until("a failure", lambda: task_of(fixture, failed)["status"] == "failed")
    same(fixture.call("retry_task", sessionId=session, taskId=failed["taskId"], reason="again")["status"] in ("retrying", "preparing", "queued"), True, "retried")
    new = fixture.call("submit_turn", input="hello", background=True)
    fixture.until("its end", lambda: task_of(fixture, new)["status"] == "completed")


@rows("CTL-01")
def check_options_of_submit_turn_are_one_object(fixture):
    reply, events = fixture.turn("hello", options={"taskKind": "review", "latency": "batch", "budgetUsd": 2.5, "metadata": {"ticket": 7}})
    options = one(events, "turn.submitted")["payload"]["options"]
    same((options["taskKind"], options["latency"], options["budgetUsd"], options["metadata"]), ("review", "batch", 2.5, {"ticket": 7}), "options")
    same(one(events, "task.profile.resolved")["taskProfile"]["kind"], "review", "they count")
    fixture.refused("invalid_value", "submit_turn", input="x", latency="interactive", options={"latency": "batch"})
    fixture.refused("unknown_field", "submit_turn", input="x", options={"speed": "fast"})


@rows("STA-10", "EVT-022")
def check_an_inactivity_budget_ends_a_silent_run(fixture):
    reply = fixture.call("create_task", objective="hang", constraints={"inactivityMs": 400}, start=True)
    task = fixture.until("its end", lambda: (t := task_of(fixture, reply))["status"] == "timed_out" and t)
    events = fixture.events(reply["sessionId"])
    ended = one(events, "task.timed_out")["payload"]
    same((ended["limit"], ended["limitMs"]), ("inactivity", 400), "which limit")
    need("inactivityMs" in task["statusReason"], task["statusReason"])
    busy = fixture.call("create_task", objective="long stream", constraints={"inactivityMs": 5000}, start=True)
    fixture.until("an end", lambda: task_of(fixture, busy)["status"] == "completed")
    asks = fixture.call("create_task", objective="save", constraints={"inactivityMs": 5000}, start=True)
    fixture.wait(asks["sessionId"], "action.required")
    fixture.call("get_task", sessionId=asks["sessionId"], taskId=asks["taskId"])
    same(task_of(fixture, asks)["status"], "waiting_permission", "who waits for a person is not silent")


@rows("CTL-12", "CTL-14")
def check_pause_resume_and_retry_reach_the_tasks_below(fixture):
    top = fixture.call("create_task", objective="top")
    session = top["sessionId"]
    below = fixture.call("create_task", sessionId=session, objective="below", parentTaskId=top["taskId"])
    deep = fixture.call("create_task", sessionId=session, objective="deep", parentTaskId=below["taskId"])
    other = fixture.call("create_task", sessionId=session, objective="other")
    status = lambda t: task_of(fixture, t)["status"]  # noqa: E731
    fixture.call("pause_task", sessionId=session, taskId=top["taskId"], reason="hold", propagation="children")
    same([status(t) for t in (top, below, deep, other)], ["paused"] * 3 + ["accepted"], "paused")
    fixture.call("resume_task", sessionId=session, taskId=top["taskId"])
    same([status(t) for t in (top, below)], ["accepted", "paused"], "self alone")
    fixture.call("pause_task", sessionId=session, taskId=top["taskId"], reason="hold")
    fixture.call("resume_task", sessionId=session, taskId=top["taskId"], propagation="children")
    same([status(t) for t in (top, below, deep)], ["accepted"] * 3, "resumed")
    error = {"category": "tool_failed", "message": "broke"}
    for t in (deep, below, top):
        fixture.call("fail_task", sessionId=session, taskId=t["taskId"], error=error)
    fixture.call("retry_task", sessionId=session, taskId=top["taskId"], reason="again", propagation="children")
    for t in (top, below, deep):
        fixture.until("an end of each", lambda: status(t) == "completed")
    fixture.refused("invalid_value", "pause_task", sessionId=session, taskId=other["taskId"], propagation="processes")


@rows("CTL-24")
def check_the_inventory_of_a_caller(fixture):
    task = fixture.call("create_task", objective="x", constraints={"tools": ["look"], "permissionMode": "plan"})
    child = fixture.call("spawn_subagent", sessionId=task["sessionId"], parentThreadId=task["threadId"], role="r", isolation={
        "prompt": "own", "workspace": "shared", "tools": ["save"], "permissionMode": "default", "memory": "none"})
    def policies(**args):
        got = fixture.call("get_tool_inventory", sessionId=task["sessionId"], **args)
        return {t["toolName"]: t["policy"] for t in got["tools"]}, got
    plain, _ = policies()
    need(plain["dump"] != "denied" and plain["look"] == "allowed", f"{plain}")
    mine, got = policies(caller=task["taskId"])
    same((mine["look"], mine["dump"], got["caller"]), ("allowed", "denied", task["taskId"]), "of a task")
    childs, _ = policies(caller=child["subagentId"])
    same((childs["save"], childs["look"]), ("ask", "denied"), "of a child agent")
    fixture.refused("not_found", "get_tool_inventory", sessionId=task["sessionId"], caller="task_none")


@rows("TSK-11", "RTE-01")
def check_the_profile_of_a_task_counts_and_tells_continuity(fixture):
    profile = {"kind": "review", "source": "ci", "requiredCapabilities": ["tools"], "latencyTarget": "batch", "budgetClass": "low",
               "fallbackPolicy": "deny", "settingsSource": "x"}
    reply = fixture.call("create_task", objective="hello", taskProfile=profile, start=True)
    fixture.until("its end", lambda: task_of(fixture, reply)["status"] in ("completed", "failed"))
    told = one(fixture.events(reply["sessionId"]), "task.profile.resolved")["taskProfile"]
    same((told["kind"], told["latencyTarget"], told["fallbackPolicy"], told["source"], told["settingsSource"], told["continuity"]),
         ("review", "batch", "deny", "ci", "task", "new"), "the profile")
    first, events = fixture.turn("hello")
    same(one(events, "task.profile.resolved")["taskProfile"]["continuity"], "new", "a first turn")
    _, events = fixture.turn("more", sessionId=first["sessionId"])
    same(one(events, "task.profile.resolved")["taskProfile"]["continuity"], "thread", "a second one")


@rows("TSK-17")
def check_attempts_name_their_checkpoints(fixture):
    reply, _ = fixture.turn("hello")
    _, events = fixture.turn("again", sessionId=reply["sessionId"])
    refs = one(events, "task.attempt.started")["taskAttempt"]["checkpointRefs"]
    log = [r for r in refs if r["kind"] == "log"][0]
    same(log["ref"], reply["sessionId"], "the log")
    need(0 < log["offset"] < one(events, "task.attempt.started")["sequence"], f"{log}")
    same([r["ref"] for r in refs if r["kind"] == "turn"], [reply["turnId"]], "the turn before it")


@rows("CTL-01", files={"src/a.txt": "text of the workspace"})
def check_files_and_resources_are_input(fixture):
    made = fixture.call("create_session", cwd=fixture.dir)
    parts = [{"type": "text", "text": "look at these"}, {"type": "file", "name": "b.txt", "text": "inline words"},
             {"type": "file", "name": "c.txt", "data": "Y29kZWQgd29yZHM="}, {"type": "file", "path": "src/a.txt"},
             {"type": "resource", "resource": {"uri": "mem://note/1", "text": "a note", "mimeType": "text/plain"}},
             {"type": "resource_link", "uri": "https://example.org/x"}]
    reply = fixture.call("submit_turn", sessionId=made["sessionId"], input=parts)
    events = fixture.until("its end", lambda: fixture.ended(reply))
    told = [(p["type"], p.get("name")) for p in one(events, "turn.submitted")["payload"]["input"]]
    same(told, [("text", None), ("file", "b.txt"), ("file", "c.txt"), ("file", "src/a.txt"), ("resource", "mem://note/1"),
                ("resource", "https://example.org/x")], "the parts")
    said = "".join(e["payload"]["text"] for e in events if e["type"] == "model.delta")  # it repeats its input
    for words in ("inline words", "coded words", "a note", "https://example.org/x"):
        need(words in said, f"the model was not sent {words!r}: {said}")
    need("file:src/a.txt" in one(events, "context.resolved")["payload"]["workspaceRefs"], "a file of the workspace is not in the context")
    for wrong in ({"type": "file", "name": "x"}, {"type": "file", "name": "x", "data": "AAEC/w=="}, {"type": "resource", "text": "x"}, {"type": "video"}):
        fixture.refused("invalid_input", "submit_turn", sessionId=made["sessionId"], input=[{"type": "text", "text": "x"}, wrong])
