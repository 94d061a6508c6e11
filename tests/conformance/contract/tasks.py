"""Tasks: record, life, attempts, relations, limits, delivery."""
import json

from lab import having, need, one, order, rows, same


def task_of(lab, reply):
    return lab.call("get_task", sessionId=reply["sessionId"], taskId=reply["taskId"])["task"]


def until_status(lab, reply, *words):
    return lab.until(f"task {' or '.join(words)}", lambda: (t := task_of(lab, reply))["status"] in words and t)


THREAD_WORDS = {"idle", "queued", "running", "blocked", "completed", "failed", "cancelled", "stale", "unknown"}


@rows("STA-16", "STA-10", "EVT-022")
def check_a_thread_has_nine_words_also_when_time_is_up(lab):
    reply = lab.call("create_task", objective="hang", constraints={"timeMs": 300}, start=True)
    task = until_status(lab, reply, "timed_out")
    events = lab.wait(reply["sessionId"], "thread.updated", 2)
    for e in events:
        if e["type"] == "thread.updated":
            need(e["status"] in THREAD_WORDS, f"thread.updated says {e['status']}")
    last = one(events, "thread.updated")
    same((last["status"], last["payload"]["profileStatus"]), ("failed", "timed_out"), "the thread's end")
    same(lab.read(reply["sessionId"])["status"], "failed", "the view")
    same(task["status"], "timed_out", "the task")
    same(one(events, "task.timed_out")["payload"]["limit"], "time", "which limit")


@rows("NEG-37")
def check_a_plain_session_has_no_gaps(lab):
    reply, events = lab.turn("hello")
    read = lab.read(reply["sessionId"])
    same(read["diagnostics"]["contextGaps"], [], "contextGaps")
    same(one(events, "context.resolved")["payload"].get("missing", []), [], "missing")
    wanted, events = lab.turn("hello", context=[{"kind": "file", "ref": "file:gone.txt"}])
    same([m["ref"] for m in lab.read(wanted["sessionId"])["diagnostics"]["contextGaps"]], ["file:gone.txt"], "a gap that is one")


@rows("SNP-17", "ACC-09")
def check_old_history_is_read_by_cursor(lab):
    reply, _ = lab.turn("number 0")
    session = reply["sessionId"]
    for i in range(1, 30):
        lab.turn(f"number {i}", sessionId=session)
    lab.restart()
    page = lab.call("get_session", sessionId=session, window=4)
    same(len(page["threads"][0]["turns"]), 4, "the window")
    same(page["historyWindow"]["older"], 26, "older")
    seen = [f"number {i}" for i in range(29, 25, -1)]
    while "cursor" in page["historyWindow"]:
        page = lab.call("get_session", sessionId=session, window=7, cursor=page["historyWindow"]["cursor"])
        need("threads" not in page and page["sessionId"] == session, "an older page has no more than that page")
        need(len(page["history"]) <= 7, f"{len(page['history'])} turns on a page of 7")
        for t in page["history"]:
            same(t["status"], "completed", t["turnId"])
            seen.append(t["inputPreview"])
    same(seen, [f"number {i}" for i in range(29, -1, -1)], "every turn once, newest first")
    events, before = [], None
    while True:
        args = {"before": before} if before else {"before": lab.call("get_session", sessionId=session)["sequence"] + 1}
        got = lab.call("list_events", sessionId=session, limit=100, **args)
        events = [e["sequence"] for e in got["events"]] + events
        before = got["firstSequence"]
        if not got["more"]:
            break
    same(events, list(range(1, len(events) + 1)), "all events backwards, no hole, no overlap")
    lab.refused("expired_cursor", "get_session", sessionId=session, cursor="h.x.1")


@rows("TSK-10")
def check_constraints_bind(lab):
    """The tool list here; modes, sandbox, network, output and models in tests/scenario/94-task-bounds.scn."""
    reply = lab.call("create_task", objective="two looks", constraints={"tools": ["save"], "permissionMode": "plan"}, start=True)
    until_status(lab, reply, "completed", "failed")
    denied = one(lab.events(reply["sessionId"]), "permission.evaluated")["permissionDecision"]
    same(denied["decision"], "deny", "a tool outside the list")
    need(reply["taskId"] in denied["decisionReason"] and "rule:bounds" in denied["ruleRefs"], f"the constraint is not its source: {denied}")
    same(task_of(lab, reply)["constraints"]["tools"], ["save"], "the record")
    lab.refused("invalid_value", "create_task", objective="x", constraints={"sandboxMode": "external_sandbox"})
