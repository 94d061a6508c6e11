"""Child agents: lineage, isolation, own threads, and how they end."""
import json

from contract_fixture import having, need, one, order, rows, same
from tasks import task_of

SCRIPT = json.dumps({"version": 1, "default": {"text": "found it"},
                     "models": [{"provider": "alpha", "model": "large"}, {"provider": "beta", "model": "small"}],
                     "tools": [{"name": "look", "policy": "allowed", "readOnly": True, "result": {"text": "seen"}},
                               {"name": "change", "policy": "allowed", "result": {"text": "changed"}},
                               {"name": "risky", "policy": "ask", "result": {"text": "done"}}],
                     "rules": [{"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 3600000}},
                               {"when": {"text": "use change", "request": 1}, "reply": {"toolCalls": [{"name": "change", "args": {}}]}},
                               {"when": {"text": "use risky", "request": 1}, "reply": {"toolCalls": [{"name": "risky", "args": {}}]}},
                               {"when": {"text": "break"}, "reply": {"error": {"category": "auth", "message": "no", "retryable": False}}}]})
NARROW = {"prompt": "own", "workspace": "shared", "tools": ["look", "risky"], "permissionMode": "default", "memory": "none"}
WORDS = {"queued", "running", "blocked", "completed", "failed", "cancelled", "closed"}


def stage(fixture, **more):
    """A task with a child agent that has done something."""
    task = fixture.call("create_task", objective="research")
    child = fixture.call("spawn_subagent", sessionId=task["sessionId"], parentThreadId=task["threadId"], parentTaskId=task["taskId"],
                     role="reader", **more)
    return task, child


def rows_of(fixture, session, **more):
    return fixture.call("list_subagents", sessionId=session, **more)["subagents"]


def until_child(fixture, child, session, *words):
    return fixture.until(f"child {words}", lambda: next((c for c in rows_of(fixture, session) if c["subagentId"] == child["subagentId"]
                                                     and c["status"] in words), None))


@rows("CTL-25", "EVT-049", "EVT-080", "IDN-10", "SUB-01", "NEG-34", "SUB-05", "NEG-31", "EVT-052", "EVT-050", script=SCRIPT, both=True)
def check_a_child_has_lineage_isolation_and_a_thread(fixture):
    task, child = stage(fixture, nickname="Ann", input="look around", isolation=NARROW)
    session = task["sessionId"]
    having(child, "subagentId", "threadId", "turnId")
    row = until_child(fixture, child, session, "completed")
    events = fixture.events(session)
    spawned = one(events, "subagent.spawned")
    same((spawned["subagentId"], spawned["payload"]["parentThreadId"], spawned["payload"]["parentTaskId"], spawned["payload"]["childThreadId"]),
         (child["subagentId"], task["threadId"], task["taskId"], child["threadId"]), "lineage")
    having(spawned["payload"]["isolation"], "prompt", "workspace", "tools", "permissionMode", "memory")
    same(one(events, "task.delegated")["payload"]["subagentId"], child["subagentId"], "task.delegated")
    having(row, "subagentId", "parentThreadId", "parentTaskId", "threadId", "role", "nickname", "isolation", "modelPolicy", "status", "lastMessageRef")
    same(fixture.output(row["lastMessageRef"]), "found it", "its last message")
    same(one(events, "subagent.completed")["payload"]["lastMessageRef"], row["lastMessageRef"], "subagent.completed")
    need([e for e in events if e["type"] == "subagent.status" and e["status"] == "running"], "subagent.status")
    thread = fixture.read(session, child["threadId"])
    same((thread["threadId"], len(thread["turns"])), (child["threadId"], 1), "its own thread")
    plain = fixture.call("spawn_subagent", sessionId=session, parentThreadId=task["threadId"], role="plain")
    need(next(c for c in rows_of(fixture, session) if c["subagentId"] == plain["subagentId"])["isolation"]["tools"], "a child without an isolation")


@rows("SUB-02", script=SCRIPT)
def check_a_child_is_denied_what_its_parent_may(fixture):
    task, child = stage(fixture, input="use change", isolation=NARROW)
    session = task["sessionId"]
    until_child(fixture, child, session, "completed")
    verdict = one(fixture.events(session), "permission.evaluated")["permissionDecision"]
    same(verdict["decision"], "deny", "the child")
    need(child["subagentId"] in verdict["decisionReason"], verdict["decisionReason"])
    _, events = fixture.turn("use change", sessionId=session)
    need(one(events, "tool.result")["threadId"] == task["threadId"], "the parent")
    for word, value in (("prompt", "inherit"), ("workspace", "elsewhere"), ("memory", "all"), ("permissionMode", "bypass"), ("tools", ["rm"])):
        fixture.refused("invalid_value", "spawn_subagent", sessionId=session, parentThreadId=task["threadId"], role="x", isolation={**NARROW, word: value})


@rows("SUB-03", script=SCRIPT)
def check_the_model_policy_of_a_child(fixture):
    task, child = stage(fixture, input="hello", modelPolicy="override", model="beta/small")
    session = task["sessionId"]
    until_child(fixture, child, session, "completed")
    decided = one([e for e in fixture.events(session) if e.get("threadId") == child["threadId"]], "routing.decided")["payload"]
    same((decided["selectedModel"], decided["decisionSource"]), ("small", "explicit"), "override")
    heir = fixture.call("spawn_subagent", sessionId=session, parentThreadId=task["threadId"], role="x", input="hello")
    until_child(fixture, heir, session, "completed")
    same(next(c for c in rows_of(fixture, session) if c["subagentId"] == heir["subagentId"])["modelPolicy"], "inherit", "inherit")
    same(one([e for e in fixture.events(session) if e.get("threadId") == heir["threadId"]], "routing.decided")["payload"]["selectedModel"], "large", "inherited")


@rows("CTL-26", "EVT-051", "CTL-27", "EVT-053", "ACC-06", "STA-20", "EVT-054", "CTL-29", script=SCRIPT)
def check_input_wait_failure_and_close(fixture):
    task, child = stage(fixture, input="look", isolation=NARROW)
    session, ids = task["sessionId"], {"sessionId": task["sessionId"], "subagentId": child["subagentId"]}
    done = fixture.call("wait_subagents", sessionId=session, subagentIds=[child["subagentId"]], timeoutMs=30000)
    same((done["timedOut"], done["subagents"][0]["status"]), (False, "completed"), "waited for")
    told = fixture.call("send_subagent_input", input="break", **ids)
    until_child(fixture, child, session, "failed")
    given = one(fixture.events(session), "subagent.input")
    same((given["subagentId"], given["payload"]["childTurnId"]), (child["subagentId"], told["turnId"]), "subagent.input")
    same(one(fixture.events(session), "subagent.failed")["payload"]["category"], "auth", "error events")
    fixture.call("send_subagent_input", input="slow", **ids)
    until_child(fixture, child, session, "running")
    late = fixture.call("wait_subagents", sessionId=session, subagentIds=[child["subagentId"]], timeoutMs=50)
    same((late["timedOut"], late["subagents"][0]["status"]), (True, "running"), "a timeout is no failure of the child")
    queued = fixture.call("send_subagent_input", input="more", **ids)
    same(queued["status"], "queued", "a busy child")
    fixture.call("close_subagent", reason="done", **ids)
    until_child(fixture, child, session, "closed")
    same(one(fixture.events(session), "subagent.closed")["payload"]["survivors"], 0, "its processes")
    fixture.refused("already_ended", "send_subagent_input", input="x", **ids)
    asks = fixture.call("spawn_subagent", sessionId=session, parentThreadId=task["threadId"], role="y", input="use risky")
    until_child(fixture, asks, session, "blocked")
    for c in rows_of(fixture, session):
        need(c["status"] in WORDS, c["status"])


@rows("CTL-28", "CTL-30", "SUB-04", "NEG-32", script=SCRIPT)
def check_three_levels_survive_a_restart(fixture):
    task = fixture.call("create_task", objective="top")
    session, thread, chain = task["sessionId"], task["threadId"], []
    for level in range(3):
        child = fixture.call("spawn_subagent", sessionId=session, parentThreadId=thread, role=f"level {level}", input="slow" if level == 2 else "look")
        chain.append(child)
        thread = child["threadId"]
    fixture.wait(session, "model.requested", 3)
    fixture.restart()
    same([c["subagentId"] for c in rows_of(fixture, session, parentThreadId=task["threadId"])], [chain[0]["subagentId"]], "direct children")
    all_ = rows_of(fixture, session, parentThreadId=task["threadId"], descendants=True)
    same([c["subagentId"] for c in all_], [c["subagentId"] for c in chain], "descendants")
    same([c.get("parentSubagentId") for c in all_], [None, chain[0]["subagentId"], chain[1]["subagentId"]], "edges")
    history = len(fixture.read(session, chain[2]["threadId"])["turns"])
    fixture.call("resume_subagent", sessionId=session, subagentId=chain[2]["subagentId"])
    fixture.until("it continues", lambda: sum(e["type"] == "task.attempt.started" and e["threadId"] == chain[2]["threadId"] for e in fixture.events(session)) == 2)
    same(len(fixture.read(session, chain[2]["threadId"])["turns"]), history, "on its own thread, the same turn")


@rows("SUB-06", script=SCRIPT)
def check_a_cancelled_parent_takes_its_children_along(fixture):
    task, child = stage(fixture, input="slow walk")
    session = task["sessionId"]
    until_child(fixture, child, session, "running")
    below = fixture.call("spawn_subagent", sessionId=session, parentThreadId=child["threadId"], role="helper", input="slow walk")
    until_child(fixture, below, session, "running")
    fixture.call("cancel_task", sessionId=session, taskId=task["taskId"], reason="no")
    until_child(fixture, child, session, "closed", "cancelled")
    until_child(fixture, below, session, "closed", "cancelled")
    order(fixture.events(session), "task.cancel_requested", "turn.failed", "subagent.closed")
    same(task_of(fixture, task)["status"], "cancelled", "the parent")
