"""Tasks: record, status, attempts, relations, limits, delivery."""
import json

from contract_fixture import having, need, one, order, rows, same


def task_of(fixture, reply):
    return fixture.call("get_task", sessionId=reply["sessionId"], taskId=reply["taskId"])["task"]


def until_status(fixture, reply, *words):
    return fixture.until(f"task {' or '.join(words)}", lambda: (t := task_of(fixture, reply))["status"] in words and t)


THREAD_WORDS = {"idle", "queued", "running", "blocked", "completed", "failed", "cancelled", "stale", "unknown"}


@rows("STA-16", "STA-10", "EVT-022")
def check_a_thread_has_nine_words_also_when_time_is_up(fixture):
    reply = fixture.call("create_task", objective="hang", constraints={"timeMs": 300}, start=True)
    task = until_status(fixture, reply, "timed_out")
    events = fixture.wait(reply["sessionId"], "thread.updated", 2)
    for e in events:
        if e["type"] == "thread.updated":
            need(e["status"] in THREAD_WORDS, f"thread.updated says {e['status']}")
    last = one(events, "thread.updated")
    same((last["status"], last["payload"]["profileStatus"]), ("failed", "timed_out"), "the thread's end")
    same(fixture.read(reply["sessionId"])["status"], "failed", "the view")
    same(task["status"], "timed_out", "the task")
    same(one(events, "task.timed_out")["payload"]["limit"], "time", "which limit")


@rows("NEG-37")
def check_a_plain_session_has_no_gaps(fixture):
    reply, events = fixture.turn("hello")
    read = fixture.read(reply["sessionId"])
    same(read["diagnostics"]["contextGaps"], [], "contextGaps")
    same(one(events, "context.resolved")["payload"].get("missing", []), [], "missing")
    wanted, events = fixture.turn("hello", context=[{"kind": "file", "ref": "file:gone.txt"}])
    same([m["ref"] for m in fixture.read(wanted["sessionId"])["diagnostics"]["contextGaps"]], ["file:gone.txt"], "a gap that is one")


@rows("SNP-17", "ACC-09")
def check_old_history_is_read_by_cursor(fixture):
    reply, _ = fixture.turn("number 0")
    session = reply["sessionId"]
    for i in range(1, 30):
        fixture.turn(f"number {i}", sessionId=session)
    fixture.restart()
    page = fixture.call("get_session", sessionId=session, window=4)
    same(len(page["threads"][0]["turns"]), 4, "the window")
    same(page["historyWindow"]["older"], 26, "older")
    seen = [f"number {i}" for i in range(29, 25, -1)]
    while "cursor" in page["historyWindow"]:
        page = fixture.call("get_session", sessionId=session, window=7, cursor=page["historyWindow"]["cursor"])
        need("threads" not in page and page["sessionId"] == session, "an older page has no more than that page")
        need(len(page["history"]) <= 7, f"{len(page['history'])} turns on a page of 7")
        for t in page["history"]:
            same(t["status"], "completed", t["turnId"])
            seen.append(t["inputPreview"])
    same(seen, [f"number {i}" for i in range(29, -1, -1)], "every turn once, newest first")
    events, before = [], None
    while True:
        args = {"before": before} if before else {"before": fixture.call("get_session", sessionId=session)["sequence"] + 1}
        got = fixture.call("list_events", sessionId=session, limit=100, **args)
        events = [e["sequence"] for e in got["events"]] + events
        before = got["firstSequence"]
        if not got["more"]:
            break
    same(events, list(range(1, len(events) + 1)), "all events backwards, no hole, no overlap")
    fixture.refused("expired_cursor", "get_session", sessionId=session, cursor="h.x.1")


@rows("TSK-10")
def check_constraints_bind(fixture):
    """The tool list here; modes, sandbox, network, output and models in tests/scenario/94-task-bounds.scn."""
    reply = fixture.call("create_task", objective="two looks", constraints={"tools": ["save"], "permissionMode": "plan"}, start=True)
    until_status(fixture, reply, "completed", "failed")
    denied = one(fixture.events(reply["sessionId"]), "permission.evaluated")["permissionDecision"]
    same(denied["decision"], "deny", "a tool outside the list")
    need(reply["taskId"] in denied["decisionReason"] and "rule:bounds" in denied["ruleRefs"], f"the constraint is not its source: {denied}")
    same(task_of(fixture, reply)["constraints"]["tools"], ["save"], "the record")
    fixture.refused("invalid_value", "create_task", objective="x", constraints={"sandboxMode": "external_sandbox"})


# ---- the record -------------------------------------------------------------------------------

ERROR = {"category": "tool_failed", "message": "it broke"}
WIRE_ATTEMPT = {"idle", "queued", "preparing", "running", "blocked", "streaming", "retrying", "completed", "failed", "cancelled", "stale",
                "unknown", "unavailable", "not_applicable"}


def kinds_of(fixture, reply):
    return [e["type"] for e in fixture.events(reply["sessionId"]) if e.get("taskId") == reply["taskId"]]


def event_of(fixture, reply, kind):
    return one([e for e in fixture.events(reply["sessionId"]) if e.get("taskId") == reply["taskId"]], kind)


@rows("CTL-08", "TSK-02", "TSK-03", "TSK-04", "TSK-05", "TSK-06", "TSK-07", "TSK-08", "TSK-09", "TSK-12", "TSK-16", both=True)
def check_a_task_is_recorded_as_it_was_created(fixture):
    made = fixture.call("create_task", objective="write the notes", title="Notes", taskKind="artifact_generation", taskFamily="writing",
                    visibility="background", priority="high", assignee={"kind": "user", "principal": "ann"},
                    acceptance=[{"id": "read", "kind": "text", "description": "reads well"}], metadata={"n": 1})
    order(fixture.events(made["sessionId"]), "task.created", "task.accepted")
    task = task_of(fixture, made)
    same((task["taskId"], task["sessionId"], task["threadId"]), (made["taskId"], made["sessionId"], made["threadId"]), "ids")
    same((task["title"], task["objective"]), ("Notes", "write the notes"), "title, objective")
    same((task["taskKind"], task["taskFamily"], task["visibility"]), ("artifact_generation", "writing", "background"), "classification")
    same((task["status"], task["priority"]), ("accepted", "high"), "status, priority")
    for key in ("requestedBy", "owner", "assignee"):
        need(isinstance(task[key], dict) and task[key]["kind"], f"{key} is no object: {task.get(key)}")
    same(task["acceptance"], [{"id": "read", "kind": "text", "description": "reads well"}], "acceptance")
    having(task, "createdAt", "updatedAt")
    need("endedAt" not in task and "startedAt" not in task, "times of what has not happened")
    same(fixture.refused("id_conflict", "create_task", sessionId=made["sessionId"], taskId=made["taskId"], objective="x")["code"], "id_conflict", "twice")
    child = fixture.call("create_task", sessionId=made["sessionId"], objective="child", parentTaskId=made["taskId"])
    deep = fixture.call("create_task", sessionId=made["sessionId"], objective="deep", parentTaskId=child["taskId"])
    record = task_of(fixture, deep)
    same((record["parentTaskId"], record["rootTaskId"]), (child["taskId"], made["taskId"]), "child of a child")
    fixture.call("complete_task", sessionId=made["sessionId"], taskId=deep["taskId"])
    having(task_of(fixture, deep), "endedAt")
    turn, _ = fixture.turn("hello")
    same(task_of(fixture, turn)["turnId"], turn["turnId"], "a task of a turn")


@rows("CTL-09", "EVT-013", both=True)
def check_update_lists_what_changed(fixture):
    made = fixture.call("create_task", objective="a")
    changes = {"title": "T", "objective": "b", "priority": "urgent", "metadata": {"k": 2}, "assignee": {"kind": "user", "principal": "bob"},
               "acceptance": [{"id": "x", "kind": "text"}], "constraints": {"tools": ["look"]}}
    told = fixture.call("update_task", sessionId=made["sessionId"], taskId=made["taskId"], **changes)
    same(sorted(told["changed"]), sorted(changes), "the reply")
    event = event_of(fixture, made, "task.updated")
    same(sorted(event["payload"]["changed"]), sorted(changes), "the event")
    task = task_of(fixture, made)
    for key, value in changes.items():
        need(json.dumps(value)[1:-1] in json.dumps(task[key]) or task[key] == value, f"{key}: {task[key]}")
    fixture.refused("missing_field", "update_task", sessionId=made["sessionId"], taskId=made["taskId"])


@rows("CTL-11", "EVT-014", "TSK-13", "TSK-25", both=True)
def check_progress_is_recorded(fixture):
    made = fixture.call("create_task", objective="a", acceptance=[{"id": "x", "kind": "text"}])
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    fixture.call("append_task_progress", phase="planning", percent=10, summary="reading", counters={"files": 3},
             outputRefs=[{"ref": "out_x", "offset": 10}], **args)
    fixture.call("append_task_progress", phase="delivering", percent=80, outputRefs=[{"ref": "out_x", "offset": 20}],
             deliveryState={"state": "pending", "to": "channel"}, **args)
    told = [e for e in fixture.events(made["sessionId"]) if e["type"] == "task.progress"]
    same([e["phase"] for e in told], ["planning", "delivering"], "phases")
    same(told[0]["payload"]["counters"], {"files": 3}, "counters")
    same([e["payload"]["outputRefs"][0]["offset"] for e in told], [10, 20], "offsets grow")
    same(told[1]["deliveryState"]["state"], "pending", "delivery state")
    progress = task_of(fixture, made)["progress"]
    same((progress["percent"], progress["phase"]), (80, "delivering"), "the record")
    having(progress, "outputRefs", "toolCalls", "modelRequests")
    same((progress["acceptance"], progress["validation"]), ({"covered": 0, "total": 1}, "open"), "acceptance coverage, validation state")
    fixture.call("complete_task", acceptance=["x"], deliveryState={"state": "delivered", "to": "channel"}, **args)
    same(task_of(fixture, made)["progress"]["acceptance"], {"covered": 1, "total": 1}, "covered")
    made = fixture.call("create_task", objective="b")
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    fixture.call("append_task_progress", outputRefs=[{"ref": "out_x", "offset": 20}], **args)
    fixture.refused("invalid_value", "append_task_progress", outputRefs=[{"ref": "out_x", "offset": 5}], **args)


# ---- runs -------------------------------------------------------------------------------------

@rows("CTL-10", "TSK-14", "IDN-05", "IDN-06", "TSK-19", "NEG-02", "ACC-07", "EVT-019", "EVT-023", "CTL-16")
def check_a_retry_keeps_what_was(fixture):
    made = fixture.call("create_task", objective="hang", constraints={"tools": ["look"]})
    other = fixture.call("create_task", sessionId=made["sessionId"], objective="after")
    fixture.call("link_tasks", sessionId=made["sessionId"], fromTaskId=made["taskId"], toTaskId=other["taskId"], relationship="blocks")
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    begun = fixture.call("start_task", **args)
    fixture.wait(made["sessionId"], "model.requested")
    order(fixture.events(made["sessionId"]), "task.started", "task.attempt.started")
    first = task_of(fixture, made)
    same(first["currentRunId"], begun["runId"], "currentRunId")
    fixture.call("fail_task", error={**ERROR, "remedy": "none"}, **args)
    failed = until_status(fixture, made, "failed")
    same((failed["lastError"]["category"], failed["lastError"]["message"]), ("tool_failed", "it broke"), "structured error")
    same(event_of(fixture, made, "task.failed")["payload"]["category"], "tool_failed", "the event")
    again = fixture.call("retry_task", reason="try once more", **args)
    need(again["runId"] != begun["runId"], "the same run")
    retrying = event_of(fixture, made, "task.retrying")
    same(retrying["payload"]["reason"], "try once more", "reason")
    fixture.wait(made["sessionId"], "model.requested", 2)
    task = task_of(fixture, made)
    same([a["runId"] for a in task["attempts"]], [begun["runId"], again["runId"]], "both attempts")
    same(task["attempts"][0]["lastError"]["message"], "it broke", "the first error is kept")
    same((task["constraints"], task["taskId"]), (first["constraints"], made["taskId"]), "inherited")
    need(task["currentRunId"] in [a["runId"] for a in task["attempts"]], "currentRunId is an attempt")
    need(any(r["kind"] == "blocks" and r["targetId"] == other["taskId"] for r in task["relationships"]), "the edge is gone")
    fixture.restart()
    same([a["runId"] for a in task_of(fixture, made)["attempts"]][:2], [begun["runId"], again["runId"]], "after a restart")


ROUTES = json.dumps({"version": 1, "models": [{"provider": "alpha", "model": "large"}, {"provider": "beta", "model": "small"}],
                     "tools": [{"name": "soak", "policy": "allowed", "result": {"text": "x", "hang": True}}],
                     "rules": [{"when": {"provider": "alpha", "text": "limit"}, "reply": {"error": {"status": 429, "message": "later", "retryAfterMs": 120000}}},
                               {"when": {"text": "soak"}, "replies": [{"toolCalls": [{"name": "soak", "args": {}}]}, {"text": "done"}]},
                               {"when": {"text": "never"}, "reply": {"error": {"status": 401, "category": "auth", "message": "no", "retryable": False}}}],
                     "default": {"text": "done"}})


@rows("TSK-18", "TSK-20", script=ROUTES, options=['routing.fallback_chain=["beta/small"]'])
def check_what_makes_a_new_attempt(fixture):
    """After a failure by policy, by a user's rerun, by worker loss, by crash recovery, by another routing decision."""
    def attempts(reply, count):
        return fixture.until(f"{count} attempts", lambda: len(a := task_of(fixture, reply)["attempts"]) >= count and a)
    policy = {"maxAttempts": 3, "backoff": "immediate", "nonRetryable": ["invalid_input"]}
    causes = {}

    def cause(reply):
        return [e["payload"]["cause"] for e in fixture.events(reply["sessionId"]) if e["type"] == "task.attempt.started" and e["taskId"] == reply["taskId"]][-1]

    worker = fixture.call("create_task", objective="outside", retryPolicy=policy)
    args = {"sessionId": worker["sessionId"], "taskId": worker["taskId"]}
    fixture.call("start_task", worker={"kind": "external"}, **args)
    run = fixture.call("claim_task", workerId="w1", leaseMs=60000, **args)["runId"]
    fixture.call("fail_task", runId=run, error={"category": "network", "message": "down"}, **args)
    fixture.until("a claim", lambda: task_of(fixture, worker)["status"] == "waiting_resource")
    fixture.call("claim_task", workerId="w1", leaseMs=100, **args)
    causes["retry_policy"] = cause(worker)
    fixture.until("silence", lambda: len(task_of(fixture, worker)["attempts"]) == 2 and task_of(fixture, worker)["status"] == "waiting_resource")
    run = fixture.call("claim_task", workerId="w2", leaseMs=60000, **args)["runId"]
    causes["worker_loss"] = cause(worker)
    fixture.call("fail_task", runId=run, error={"category": "invalid_input", "message": "bad"}, **args)
    until_status(fixture, worker, "failed")
    same(len(task_of(fixture, worker)["attempts"]), 3, "a category that is not retried ends it")
    fixture.call("retry_task", reason="rerun", worker={"kind": "external"}, **args)
    fixture.call("claim_task", workerId="w3", **args)
    causes["retry_task"] = cause(worker)
    crash = fixture.call("create_task", objective="soak", start=True)
    fixture.wait(crash["sessionId"], "tool.progress")
    fixture.restart()
    fixture.call("resume_thread", sessionId=crash["sessionId"], threadId=crash["threadId"])
    attempts(crash, 2)
    causes["crash_recovery"] = cause(crash)
    turn, _ = fixture.turn("a limit", model="alpha/large")
    causes["fallback"] = cause(turn)
    same(sorted(k for k, v in causes.items() if v != k and not (k == "fallback" and "rout" in v)), [], f"causes: {causes}")
    for reply in (worker, crash, turn):
        runs = [a["runId"] for a in task_of(fixture, reply)["attempts"]]
        same(len(set(runs)), len(runs), "each attempt is a run of its own")


@rows("EVT-017", "EVT-018", "CTL-12", both=True)
def check_pause_and_resume_keep_graph_and_attempts(fixture):
    made = fixture.call("create_task", objective="slowly")
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    other = fixture.call("create_task", sessionId=made["sessionId"], objective="x")
    fixture.call("link_tasks", sessionId=made["sessionId"], fromTaskId=made["taskId"], toTaskId=other["taskId"], relationship="source_task")
    before = task_of(fixture, made)
    fixture.call("pause_task", reason="hold", **args)
    paused = until_status(fixture, made, "paused")
    edges = lambda t: [(e["kind"], e["targetId"], e["status"]) for e in t["relationships"]]  # noqa: E731
    same((edges(paused), paused["attempts"]), (edges(before), before["attempts"]), "while paused")
    same(event_of(fixture, made, "task.paused")["payload"]["reason"], "hold", "task.paused")
    fixture.call("resume_task", **args)
    same(event_of(fixture, made, "task.resumed")["payload"]["from"], "paused", "task.resumed")
    same(edges(task_of(fixture, made)), edges(before), "afterwards")
    fixture.refused("not_resumable", "resume_task", **args)


@rows("CTL-13", "EVT-020", "EVT-021", "TSK-23")
def check_cancel_is_an_intent_first(fixture):
    top = fixture.call("create_task", objective="soak")
    child = fixture.call("create_task", sessionId=top["sessionId"], objective="below", parentTaskId=top["taskId"])
    fixture.call("start_task", sessionId=top["sessionId"], taskId=top["taskId"])
    fixture.wait(top["sessionId"], "tool.progress")
    fixture.call("cancel_task", sessionId=top["sessionId"], taskId=top["taskId"], reason="enough", propagation="children_and_processes")
    code, problem = fixture.transport.call("create_task", {"sessionId": top["sessionId"], "objective": "x", "parentTaskId": top["taskId"]})
    need(code in ("cancelling", "already_ended"), f"new work under a cancelled task: {code}")
    for t in (top, child):
        until_status(fixture, t, "cancelled")
    events = fixture.events(top["sessionId"])
    at = [e["sequence"] for e in events if e["type"] == "task.cancel_requested"]
    ends = [e["sequence"] for e in events if e["type"] in ("tool.failed", "task.cancelled", "turn.failed")]
    need(len(at) == 2 and max(at) < min(ends), f"intent {at}, ends {ends}")
    child_end = [e["sequence"] for e in events if e["type"] == "task.cancelled" and e["taskId"] == child["taskId"]]
    top_end = [e["sequence"] for e in events if e["type"] == "task.cancelled" and e["taskId"] == top["taskId"]]
    need(child_end[0] < top_end[0], "the task ended before what is below it")


@rows("CTL-15", "STA-11", "NEG-04")
def check_completion_is_reconciled(fixture):
    made = fixture.call("create_task", objective="hello", acceptance=[{"id": "sums", "kind": "artifact", "ref": "art_sums"}])
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    problem = fixture.refused("acceptance_unmet", "complete_task", **args)
    need(any("sums" in m for m in problem["missing"]), f"{problem}")
    problem = fixture.refused("acceptance_unmet", "complete_task", artifacts=[{"artifactId": "art_none"}], **args)
    same(task_of(fixture, made)["status"], "accepted", "still open")
    fixture.call("start_task", **args)  # the model says that it is done; the artifact is not there
    fixture.until("the end of the turn", lambda: "turn.failed" in [e["type"] for e in fixture.events(made["sessionId"])]
              or "turn.completed" in [e["type"] for e in fixture.events(made["sessionId"])])
    need(task_of(fixture, made)["status"] != "completed", "completed without its artifact")
    done = fixture.call("create_task", sessionId=made["sessionId"], objective="x")
    fixture.call("complete_task", sessionId=made["sessionId"], taskId=done["taskId"], evidenceRefs=["evidence:1"], summary="fine")
    event = event_of(fixture, done, "task.completed")
    having(event["payload"]["reconciled"], "acceptance", "artifacts", "evidence", "delivery")
    same(event["task"]["evidenceRefs"], ["evidence:1"], "refs")


# ---- graph ------------------------------------------------------------------------------------

@rows("CTL-18", "EVT-081", "TSK-21", "TSK-22", "TSK-15", both=True)
def check_edges_of_every_kind(fixture):
    a = fixture.call("create_task", objective="a")
    b = fixture.call("create_task", sessionId=a["sessionId"], objective="b", parentTaskId=a["taskId"])
    c = fixture.call("create_task", sessionId=a["sessionId"], objective="c")
    tasks = {"blocks": c["taskId"], "source_task": c["taskId"]}
    others = {"source_attempt": "att_x", "produced_artifact": "art_x", "consumed_artifact": "art_y", "evidence": "evd_x"}
    for kind, target in tasks.items():
        fixture.call("link_tasks", sessionId=a["sessionId"], fromTaskId=b["taskId"], toTaskId=target, relationship=kind, reason="why " + kind)
    for kind, target in others.items():
        fixture.call("link_tasks", sessionId=a["sessionId"], fromTaskId=b["taskId"], targetId=target, relationship=kind)
    fixture.call("spawn_subagent", sessionId=a["sessionId"], parentThreadId=a["threadId"], parentTaskId=b["taskId"], role="x")
    edges = task_of(fixture, b)["relationships"]
    kinds = {e["kind"] for e in edges}
    wanted = {"parent", "blocks", "source_task", "source_attempt", "produced_artifact", "consumed_artifact", "evidence", "spawned_subagent",
              "assigned_thread"}
    same(sorted(wanted - kinds), [], f"edges of {sorted(kinds)}")
    need({"child"} <= {e["kind"] for e in task_of(fixture, a)["relationships"]}, "the inverse of parent")
    need({"blocked_by"} <= {e["kind"] for e in task_of(fixture, c)["relationships"]}, "the inverse of blocks")
    for e in edges:
        having(e, "kind", "targetId", "status", "createdAt", "updatedAt")
    same([e["reason"] for e in edges if e["kind"] == "blocks"], ["why blocks"], "reason")
    need(isinstance(task_of(fixture, b)["evidenceRefs"] if "evidenceRefs" in task_of(fixture, b) else [], list), "evidenceRefs")
    count = sum(e["type"] == "task.dependency.updated" for e in fixture.events(a["sessionId"]))
    fixture.call("unlink_tasks", sessionId=a["sessionId"], fromTaskId=b["taskId"], toTaskId=c["taskId"], relationship="blocks")
    same(sum(e["type"] == "task.dependency.updated" for e in fixture.events(a["sessionId"])), count + 1, "one event per change")
    graph = fixture.call("get_task", sessionId=a["sessionId"], taskId=b["taskId"])["graph"]["edges"]
    need(not any(e["kind"] == "blocks" and e["status"] == "active" for e in graph), "the edge is still there")


@rows("TSK-24", "EVT-016", "STA-07", "TSK-29")
def check_a_blocker_gates_the_start(fixture):
    a = fixture.call("create_task", objective="a")
    session = a["sessionId"]
    b = fixture.call("create_task", sessionId=session, objective="b")
    fixture.call("link_tasks", sessionId=session, fromTaskId=a["taskId"], toTaskId=b["taskId"], relationship="blocks")
    same(fixture.call("start_task", sessionId=session, taskId=b["taskId"])["status"], "queued", "behind its blocker")
    fixture.call("fail_task", sessionId=session, taskId=a["taskId"], error=ERROR)
    blocked = until_status(fixture, b, "blocked")
    same(event_of(fixture, b, "task.blocked")["payload"]["blocker"]["taskId"], a["taskId"], "the event names it")
    snapshot = fixture.call("get_session", sessionId=session)
    same([(t["taskId"], t["blocker"]["taskId"]) for t in snapshot["blockedTasks"]], [(b["taskId"], a["taskId"])], "blockedTasks")
    having(snapshot, "tasks", "taskGraph", "taskSummary", "deliveryState")
    need("requiredActionIds" in snapshot["blockedTasks"][0], f"{snapshot['blockedTasks']}")
    need("attempts" in blocked, "attempts")
    fixture.call("retry_task", sessionId=session, taskId=a["taskId"], reason="fixed")
    until_status(fixture, b, "completed")


# ---- reads ------------------------------------------------------------------------------------

@rows("CTL-17", "TSK-28", "SNP-04", "TSK-30", "EVT-026", "STA-17", both=True)
def check_reads_of_mixed_outcomes_survive_a_restart(fixture):
    top = fixture.call("create_task", objective="top", visibility="background")
    session = top["sessionId"]
    make = lambda text, **more: fixture.call("create_task", sessionId=session, objective=text, **more)  # noqa: E731
    done, bad, gone, waits = make("hello"), make("x"), make("y", parentTaskId=top["taskId"]), make("ask me")
    fixture.call("start_task", sessionId=session, taskId=done["taskId"])
    until_status(fixture, done, "completed")
    fixture.call("fail_task", sessionId=session, taskId=bad["taskId"], error=ERROR)
    fixture.call("cancel_task", sessionId=session, taskId=gone["taskId"])
    late = make("slowly", constraints={"timeMs": 100})
    fixture.call("start_task", sessionId=session, taskId=late["taskId"])
    until_status(fixture, late, "timed_out")
    fixture.call("start_task", sessionId=session, taskId=waits["taskId"])
    until_status(fixture, waits, "waiting_input")
    fixture.call("archive_task", sessionId=session, taskId=bad["taskId"], reason="old")
    same(event_of(fixture, bad, "task.archived")["nativeStatus"], "failed", "archived, with the end that stood")
    for a in task_of(fixture, late)["attempts"]:
        need(a["status"] in WIRE_ATTEMPT and a["nativeStatus"] == "timed_out", f"an attempt that ran out of time: {a}")

    def reads():
        rows_ = fixture.call("list_tasks", sessionId=session, limit=200)
        return {
            "by status": {s: [t["taskId"] for t in fixture.call("list_tasks", sessionId=session, status=s)["tasks"]]
                          for s in ("completed", "archived", "cancelled", "timed_out", "waiting_input")},
            "by parent": [t["taskId"] for t in fixture.call("list_tasks", sessionId=session, parentTaskId=top["taskId"])["tasks"]],
            "by visibility": [t["taskId"] for t in fixture.call("list_tasks", sessionId=session, visibility="background")["tasks"]],
            "all": sorted(t["taskId"] for t in rows_["tasks"]),
            "one": {k: v for k, v in task_of(fixture, late).items()},
        }

    before, snapshot = reads(), fixture.call("get_session", sessionId=session)
    same(before["by status"]["completed"], [done["taskId"]], "completed")
    same((before["by parent"], before["by visibility"]), ([gone["taskId"]], [top["taskId"]]), "filters")
    summary = snapshot["taskSummary"]
    having(summary, "active", "waiting", "terminal", "completed", "failed", "lost", "recentTerminal")
    need(summary["waiting"] == 1 and summary["completed"] == 1, f"{summary}")
    fixture.restart()
    same(reads(), before, "after kill -9")


@rows("EVT-024", "NEG-08")
def check_a_silent_worker_is_lost_and_nothing_else(fixture):
    made = fixture.call("create_task", objective="outside")
    args = {"sessionId": made["sessionId"], "taskId": made["taskId"]}
    fixture.call("start_task", worker={"kind": "external"}, **args)
    run = fixture.call("claim_task", workerId="w", leaseMs=100, **args)
    task = until_status(fixture, made, "lost")
    same(event_of(fixture, made, "task.lost")["payload"]["reason"], "lease_expired", "reason")
    same((task["attempts"][0]["status"], task["attempts"][0]["nativeStatus"]), ("unknown", "lost"), "the attempt")
    code, _ = fixture.transport.call("complete_task", {"runId": run["runId"], **args})
    need(code, "a lost worker completed its task")
    need("task.completed" not in kinds_of(fixture, made), "lost counts as success")


@rows("TSK-26", options=['hooks={"delivery":[{"name":"ops","command":"false","match":"task"}]}'])
def check_delivery_states(fixture):
    reply = fixture.call("create_task", objective="hello", start=True)
    until_status(fixture, reply, "completed")
    fixture.until("a delivery that did not arrive", lambda: task_of(fixture, reply)["deliveryState"]["state"] in ("queued", "pending"))
    fixture.until("queued", lambda: task_of(fixture, reply)["deliveryState"]["state"] == "queued")
    fixture.daemon.options = []
    fixture.restart()
    fixture.until("its receiver is gone", lambda: task_of(fixture, reply)["deliveryState"]["state"] == "parent_missing")
    plain = fixture.call("create_task", objective="hello", start=True)
    until_status(fixture, plain, "completed")
    same(task_of(fixture, plain)["deliveryState"]["state"], "not_applicable", "no recipient")
    for state in ("pending", "delivered", "failed"):
        told = fixture.call("create_task", objective=state)
        fixture.call("append_task_progress", sessionId=told["sessionId"], taskId=told["taskId"], deliveryState={"state": state, "to": "channel"})
        same(task_of(fixture, told)["deliveryState"], {"state": state, "to": "channel"}, state)


@rows("NEG-03", options=["recovery.resume=auto"])
def check_work_goes_on_without_its_client(fixture):
    reply = fixture.call("create_task", objective="slowly", visibility="background", start=True)
    fixture.wait(reply["sessionId"], "model.requested")
    fixture.restart()
    until_status(fixture, reply, "completed")


@rows("NEG-06")
def check_a_long_task_tells_before_its_end(fixture):
    reply = fixture.call("create_task", objective="stream", start=True)
    until_status(fixture, reply, "completed")
    events = [e for e in fixture.events(reply["sessionId"]) if e.get("taskId") == reply["taskId"]]
    end = [e["sequence"] for e in events if e["type"] == "task.completed"][0]
    told = [e for e in events if e["sequence"] < end and e["type"] in ("model.delta", "task.progress", "output.spilled", "run.status")]
    need(len(told) >= 3, f"only {len(told)} events before the end")


@rows("NEG-07")
def check_ticks_are_no_tasks(fixture):
    made = fixture.call("create_schedule", everyMs=1000, task={"objective": "hello"})
    session = made["sessionId"]
    fixture.call("pause_schedule", sessionId=session, scheduleId=made["scheduleId"])
    fixture.until("it rests", lambda: all(t["status"] in ("completed", "cancelled") for t in fixture.call("list_tasks", sessionId=session)["tasks"]))
    count, tasks = len(fixture.events(session)), len(fixture.call("list_tasks", sessionId=session)["tasks"])
    for _ in range(3):
        fixture.turn("slowly")  # more than a second each: ticks pass
    same((len(fixture.events(session)), len(fixture.call("list_tasks", sessionId=session)["tasks"])), (count, tasks), "empty ticks leave nothing")


TODO = json.dumps({"version": 1, "rules": [
    {"when": {"text": "finish", "request": 1}, "reply": {"toolCalls": [{"name": "update_todo", "args": {"items": [{"text": "all", "status": "completed"}]}}]}},
    {"when": {"text": "finish", "request": 2}, "reply": {"error": {"status": 400, "category": "invalid_request", "retryable": False, "message": "no"}}}],
    "default": {"text": "done"}})


@rows("TSK-01", "NEG-01", script=TODO)
def check_a_todo_list_is_not_the_task(fixture):
    reply = fixture.call("create_task", objective="finish", start=True)
    task = until_status(fixture, reply, "failed", "completed")
    same(task["status"], "failed", "all todos are done, and the task is not")
    same(fixture.read(reply["sessionId"])["todo"][0]["status"], "completed", "the list")
    need("task.progress" not in kinds_of(fixture, reply), "a todo changed the task")
    job = fixture.call("create_job", instruction="x", items=["a"])
    fixture.until("the job", lambda: fixture.call("get_job", sessionId=job["sessionId"], jobId=job["jobId"])["job"]["status"] == "completed")
    need(job["jobId"] not in [t["taskId"] for t in fixture.call("list_tasks", sessionId=job["sessionId"])["tasks"]], "a job is no task")


@rows("STA-01")
def check_every_status_is_distinct(fixture):
    """stale: promises.py; the others here, each in turn status, thread status or task status."""
    seen = set()

    def note(session):
        for e in fixture.events(session):
            seen.add(e.get("status"))
            seen.add(e["payload"].get("profileStatus") if isinstance(e["payload"], dict) else None)

    first, _ = fixture.turn("stream")
    sessions = [first["sessionId"]]
    busy = fixture.call("submit_turn", input="for hours")
    fixture.call("submit_turn", sessionId=busy["sessionId"], input="queued one")
    sessions.append(busy["sessionId"])
    for text in ("save", "ask me"):
        reply, _ = fixture.asked(text)
        sessions.append(reply["sessionId"])
    failed, _ = fixture.turn("refuse")
    stopped = fixture.call("submit_turn", input="soak")
    fixture.wait(stopped["sessionId"], "tool.progress")
    fixture.call("interrupt_turn", sessionId=stopped["sessionId"])
    fixture.wait(stopped["sessionId"], "turn.failed")
    late = fixture.call("create_task", objective="hang", constraints={"timeMs": 200}, start=True)
    until_status(fixture, late, "timed_out")
    a = fixture.call("create_task", objective="a")
    b = fixture.call("create_task", sessionId=a["sessionId"], objective="b")
    fixture.call("link_tasks", sessionId=a["sessionId"], fromTaskId=a["taskId"], toTaskId=b["taskId"], relationship="blocks")
    fixture.call("start_task", sessionId=a["sessionId"], taskId=b["taskId"])
    fixture.call("fail_task", sessionId=a["sessionId"], taskId=a["taskId"], error=ERROR)
    worker = fixture.call("create_task", objective="w")
    fixture.call("start_task", sessionId=worker["sessionId"], taskId=worker["taskId"], worker={"kind": "external"})
    fixture.call("claim_task", sessionId=worker["sessionId"], taskId=worker["taskId"], workerId="w", leaseMs=100)
    until_status(fixture, worker, "lost")
    fixture.call("retry_task", sessionId=worker["sessionId"], taskId=worker["taskId"], reason="x")
    streaming = fixture.call("submit_turn", input="hang")
    fixture.wait(streaming["sessionId"], "model.delta")
    seen.add(fixture.call("get_session", sessionId=streaming["sessionId"])["threads"][0]["turns"][0]["status"])
    for session in sessions + [r["sessionId"] for r in (failed, stopped, late, a, worker, streaming)]:
        note(session)
    wanted = {"accepted", "queued", "preparing", "running", "waiting_input", "waiting_permission", "waiting_resource", "blocked", "streaming",
              "retrying", "lost", "timed_out", "completed", "failed", "cancelled"}
    same(sorted(wanted - seen), [], "never told")


@rows("IDN-14", options=["permission.mode=bypass"], script=json.dumps({"version": 1, "default": {"text": "done"}, "rules": [
    {"when": {"text": "run it", "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "seq 1 20000"}}]}},
    {"when": {"text": "slowly"}, "reply": {"text": "late", "firstDelayMs": 3600000}}]}))
def check_ids_of_every_family_lead_somewhere(fixture):
    reply, events = fixture.turn("run it")
    session = reply["sessionId"]
    process = one(events, "process.started")["processId"]
    need(any(p["processId"] == process for p in fixture.call("get_execution_environment", sessionId=session)["processes"]), "processId")
    ref = one(events, "output.spilled")["outputRef"]
    need(fixture.output(ref).startswith("1\n2\n"), "outputRef")
    need(one(events, "model.requested")["modelRequestId"] == one(events[:events.index(one(events, "model.completed")) + 1], "model.completed")["modelRequestId"],
         "modelRequestId")
    fixture.call("submit_turn", sessionId=session, input="slowly")
    queued = fixture.call("submit_turn", sessionId=session, input="next")
    changed = one(fixture.wait(session, "queue.changed"), "queue.changed")
    having(changed, "queueId")
    same([q["turnId"] for q in fixture.call("list_queue", sessionId=session)["queuedTurns"]], [changed["payload"]["queuedTurnId"]], "queuedTurnId")
    need(queued["turnId"] == changed["payload"]["queuedTurnId"], "queuedTurnId of the reply")
    fixture.call("reconnect_channel", sessionId=session, channelId="chan_ids")
    need(any(c["channelId"] == "chan_ids" for c in fixture.call("list_channels", sessionId=session)["channels"]), "channelId")
    job = fixture.call("create_job", instruction="x", items=["a"])
    started = one(fixture.wait(job["sessionId"], "job.item.started"), "job.item.started")
    same(started["jobId"], fixture.call("get_job", sessionId=job["sessionId"], jobId=job["jobId"])["job"]["jobId"], "jobId")
    same(started["jobItemId"], fixture.call("list_job_items", sessionId=job["sessionId"], jobId=job["jobId"])["items"][0]["jobItemId"], "jobItemId")
    top = fixture.call("create_task", objective="top")
    child = fixture.call("create_task", sessionId=top["sessionId"], objective="below", parentTaskId=top["taskId"])
    made = event_of(fixture, child, "task.created")
    same((made["payload"]["parentTaskId"], made["task"]["rootTaskId"]), (top["taskId"], top["taskId"]), "parentTaskId, rootTaskId")
    same(task_of(fixture, {**top, "taskId": made["task"]["rootTaskId"]})["taskId"], top["taskId"], "they lead to a task")


@rows("HIS-06")
def check_recovery_brings_everything_back(fixture):
    reply, action = fixture.asked("save")
    session = reply["sessionId"]
    queued = fixture.call("submit_turn", sessionId=session, input="later")
    task = fixture.call("create_task", sessionId=session, objective="open")
    child = fixture.call("spawn_subagent", sessionId=session, parentThreadId=reply["threadId"], role="helper", input="hang")
    job = fixture.call("create_job", sessionId=session, instruction="x", items=["hello", "hang"])
    fixture.until("the job works", lambda: fixture.call("get_job", sessionId=session, jobId=job["jobId"])["job"]["progress"]["running"] == 1)
    fixture.restart()
    s = fixture.call("get_session", sessionId=session)
    need(s["sessionId"] == session and s["title"], "shell")
    need(s["historyWindow"]["toSequence"] > 0 and s["taskSummary"]["active"] >= 1, "window, summaries")
    same(s["permissionState"]["pendingApprovals"], [action["actionId"]], "pending actions")
    same([q["turnId"] for q in fixture.call("list_queue", sessionId=session)["queuedTurns"]], [queued["turnId"]], "queue")
    need(any(t["taskId"] == task["taskId"] for t in s["tasks"]), "tasks")
    need(any(c["subagentId"] == child["subagentId"] for c in s["subagentJobSummary"]["subagents"]), "subagents")
    need(any(j["jobId"] == job["jobId"] for j in s["subagentJobSummary"]["jobs"]), "jobs")


@rows("PRF-04")
def check_reads_follow_from_the_log_alone(fixture):
    reply, _ = fixture.turn("two looks")
    session = reply["sessionId"]
    fixture.turn("broken", sessionId=session)
    task = fixture.call("create_task", sessionId=session, objective="x", acceptance=[{"id": "a", "kind": "text"}])

    def reads():
        s = fixture.call("get_session", sessionId=session)
        return {"tasks": [fixture.call("list_tasks", sessionId=session, limit=200)["tasks"], s["tasks"], s["taskGraph"]],
                "thread": {k: v for k, v in s["threads"][0].items() if k not in ("sequence", "updatedAt", "history")},
                "one": task_of(fixture, task)}

    before = reads()
    fixture.call("rebuild_session", sessionId=session)
    same(reads(), before, "derived data, rebuilt from the log")
    fixture.restart()
    same(reads(), before, "and after a restart")
