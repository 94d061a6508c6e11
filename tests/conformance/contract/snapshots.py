"""Snapshots and status words."""
import json
import os
import sqlite3

from identity import validate
from contract_fixture import ROOT, Wrong, need, one, rows, same

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None  # then only the keys are looked at

THREAD_WORDS = ("idle", "queued", "running", "blocked", "completed", "failed", "cancelled", "stale", "unknown")
TURN_KEYS = {"turnId": str, "status": str, "startedAt": str, "completedAt": str, "steps": list, "taskProfile": dict,
             "routingDecision": dict, "candidateModelSet": dict, "permissionState": dict, "sandboxProfile": dict,
             "executionEnvironment": dict, "costState": dict, "limitState": dict, "hookRuns": list, "processes": list,
             "outputRefs": list, "taskId": str, "runId": str, "attemptId": str, "tasks": list}
THREAD_KEYS = {"actions": list, "toolCalls": list, "processes": list, "permissionState": dict, "sandboxState": dict,
               "modelRouting": dict, "limitState": dict, "costState": dict, "subagents": list, "jobs": list, "channels": list,
               "telemetry": dict, "history": dict, "outputs": list, "tasks": list, "taskGraph": dict, "blockedTasks": list}
SESSION_KEYS = {"executionEnvironment": dict, "permissionState": dict, "sandboxState": dict, "routingLimitSummary": dict,
                "subagentJobSummary": dict, "channelSummary": dict, "telemetrySummary": dict, "outputSummary": dict,
                "historySummary": dict, "taskSummary": dict, "tasks": list, "taskGraph": dict, "blockedTasks": list,
                "deliveryState": dict, "toolInventoryRef": str, "workspaceId": str}


def has_types(value, keys, what, all_of=False):
    for key, kind in keys.items():
        if key in value:
            need(isinstance(value[key], kind), f"{what}: {key} is {json.dumps(value[key])[:80]}")
        elif all_of:
            raise Wrong(f"{what}: no {key}")


def look(fixture, session):
    """The current snapshot, checked against both schemas and the vocabulary of the standard."""
    s = fixture.call("get_session", sessionId=session)
    validate(fixture.build, "snapshot", [s])
    for key in ("runtimeId", "sessionId", "updatedAt", "threads", "tasks", "taskSummary", "routingLimitSummary", "telemetrySummary",
                "evidenceRefs", "sequence"):
        need(key in s, f"no {key}")
    same(s["schemaVersion"], "lime-profile-0.4.0", "schemaVersion")
    has_types(s, SESSION_KEYS, "session")
    for t in s["threads"]:
        need(t["status"] in THREAD_WORDS, f"thread status {t['status']}")
        for key in ("turns", "pendingRequests", "queuedTurns", "incidents", "evidenceSummary"):
            need(key in t, f"thread without {key}")
        has_types(t, THREAD_KEYS, "thread")
        for turn in t["turns"]:
            has_types(turn, TURN_KEYS, "turn")
    return s


@rows("SNP-18", "SNP-19", "SNP-20", "SNP-21", "SNP-22", "STA-16", "STA-05")
def check_snapshots_in_every_state(fixture):
    seen = set()

    def take(session, status):
        s = look(fixture, session)
        same(s["threads"][0]["status"], status, "thread")
        seen.add(s["threads"][0]["profileStatus"])
        return s

    fresh = fixture.call("create_session", title="empty")["sessionId"]
    take(fresh, "idle")
    slow = fixture.call("submit_turn", input="for hours")
    take(slow["sessionId"], "running")
    streaming = fixture.call("submit_turn", input="hang")
    fixture.wait(streaming["sessionId"], "model.delta")
    s = take(streaming["sessionId"], "running")
    same(s["threads"][0]["profileStatus"], "streaming", "while text flows")
    same(s["threads"][0]["turns"][0]["status"], "streaming", "the turn")
    waiting, action = fixture.asked("save")
    take(waiting["sessionId"], "blocked")
    asked, _ = fixture.asked("ask me")
    take(asked["sessionId"], "blocked")
    failed, _ = fixture.turn("refuse")
    take(failed["sessionId"], "failed")
    done, _ = fixture.turn("dump")
    full = take(done["sessionId"], "completed")
    has_types(full, SESSION_KEYS, "session", all_of=True)
    fixture.call("interrupt_turn", sessionId=streaming["sessionId"])
    fixture.wait(streaming["sessionId"], "turn.failed")
    take(streaming["sessionId"], "cancelled")
    lost = fixture.call("submit_turn", input="hang")
    fixture.wait(lost["sessionId"], "model.delta")
    fixture.restart()
    take(lost["sessionId"], "blocked")
    need({"idle", "running", "streaming", "waiting_permission", "waiting_input", "failed", "completed", "cancelled", "lost"} <= seen,
         f"fine words: {seen}")


@rows("SNP-20", "SNP-21")
def check_every_key_of_threads_and_turns_is_there(fixture):
    reply, _ = fixture.turn("two looks")
    thread = fixture.call("get_session", sessionId=reply["sessionId"])["threads"][0]
    missing = [k for k in THREAD_KEYS if k not in thread]
    need(not missing, f"thread without {missing}")
    keys = dict(TURN_KEYS)
    keys.pop("tasks")
    keys.pop("sandboxProfile")
    missing = [k for k in keys if k not in thread["turns"][0]]
    need(not missing, f"turn without {missing}")


SUMMARIES = {"get_permission_sandbox_summary": "permission_sandbox_summary", "get_routing_limit_summary": "routing_limit_summary",
             "get_artifact_checkpoint_summary": "artifact_checkpoint_summary", "get_subagent_job_summary": "subagent_job_summary",
             "get_context_boundary": "context_boundary_snapshot", "get_tool_inventory": "tool_inventory_snapshot",
             "get_execution_environment": "execution_environment_snapshot", "list_queue": "queue_snapshot"}


def summaries(fixture, session):
    """Each read model alone: valid under its own schema, of the same sequence, and without a key that the schema does not name."""
    with open(os.path.join(ROOT, "docs/reference/schemas/snapshot.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    out = {}
    for command, view in SUMMARIES.items():
        reply = out[command] = fixture.call(command, sessionId=session)
        defs = schema["$defs"]
        extra = set(reply) - set(defs["view." + view]["properties"])
        need(not extra, f"{command}: {extra} is not in the schema of {view}")
        whole = {"$schema": schema["$schema"], "$ref": "#/$defs/view." + view, "$defs": defs}
        found = Draft202012Validator(whole).iter_errors(reply) if Draft202012Validator else ()
        wrong = [f"/{'/'.join(map(str, e.absolute_path))} {e.message[:160]}" for e in found]
        need(not wrong, f"{command}: {wrong}")
    same(len({reply["sequence"] for reply in out.values()}), 1, "sequences")
    return out


@rows("SNP-05", "SNP-06", "SNP-08", "SNP-10", "SNP-11", "LIM-07")
def check_summaries_say_what_the_session_says(fixture):
    fresh = fixture.call("create_session", title="empty")["sessionId"]
    summaries(fixture, fresh)
    reply, events = fixture.turn("two looks")
    session = reply["sessionId"]
    decided = one(events, "routing.decided")
    same(summaries(fixture, session)["get_routing_limit_summary"]["routingDecision"], decided["routingDecision"], "the decision")
    fixture.call("spawn_subagent", sessionId=session, parentThreadId=reply["threadId"], role="reader")
    fixture.asked("save", sessionId=session)
    fixture.restart()
    out, whole = summaries(fixture, session), look(fixture, session)
    pending = [a for t in whole["threads"] for a in t["pendingRequests"]]
    same(out["get_permission_sandbox_summary"]["pendingRequests"], pending, "pending approvals")
    same(len(pending), 1, "pending approvals")
    for key in ("permissionState", "sandboxState"):
        same(out["get_permission_sandbox_summary"][key], whole[key], key)
    same(out["get_artifact_checkpoint_summary"]["artifactRefs"], whole["artifactRefs"], "artifacts")
    for key, value in whole["routingLimitSummary"].items():
        same(out["get_routing_limit_summary"][key], value, key)
    same({k: v for k, v in out["get_subagent_job_summary"].items() if k != "sequence"}, whole["subagentJobSummary"], "children and jobs")
    same(len(whole["subagentJobSummary"]["subagents"]), 1, "children")
    main = next(t for t in whole["threads"] if t["threadId"] == reply["threadId"])
    for key in ("contextBoundary", "history"):
        same(out["get_context_boundary"][key], main[key], key)


@rows("SNP-23")
def check_a_snapshot_and_what_follows_make_the_next(fixture):
    """The fold is the same from any snapshot: kept, restarted and read in between."""
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    for text in ("two looks", "broken", "dump"):
        before = fixture.call("get_session", sessionId=session)
        _, events = fixture.turn(text, sessionId=session)
        same([e["sequence"] for e in events if e["sequence"] > before["sequence"]][0], before["sequence"] + 1, "the first that follows")
        live = fixture.call("get_session", sessionId=session)
        fixture.restart()
        again = fixture.call("get_session", sessionId=session)
        same(again, live, "folded from a snapshot on disk")


@rows("SNP-24")
def check_the_end_is_durable(fixture):
    reply, _ = fixture.turn("hello")
    fixture.daemon.kill()
    fixture.start()
    same(fixture.read(reply["sessionId"])["lastOutcome"]["status"], "completed", "after kill -9")


@rows("STA-15")
def check_a_good_tool_is_not_a_good_turn(fixture):
    reply, events = fixture.turn("broken then fail")
    one(events, "tool.result")
    same(one(events, "turn.failed")["status"], "failed", "turn")
    need(not [e for e in events if e["type"] in ("turn.completed", "task.completed")], "something completed")


@rows("STA-14", "HIS-07", "NEG-30")
def check_a_recovery_with_parts_missing_is_degraded(fixture):
    reply, events = fixture.turn("dump")
    session, ref = reply["sessionId"], one(events, "tool.result")["refs"]["rawOutput"]
    fixture.call("submit_turn", sessionId=session, input="hang")
    fixture.wait(session, "model.delta", 2)
    fixture.daemon.kill()
    need(remove_blobs(fixture.data), "no blob was there to remove")
    fixture.start()
    same(fixture.transport.call("get_output", {"outputRef": ref, "length": 10})[0], "output_missing", "a lost output")
    events = fixture.wait(session, "history.reconstructed")
    payload = one(events, "history.reconstructed")["payload"]
    same((payload["degraded"], payload["missing"]), (True, [ref]), "what the recovery says")
    snapshot = fixture.call("get_session", sessionId=session)
    same((snapshot["stale"], snapshot["historySummary"]["degraded"]), (True, True), "what the snapshot says")
    need(ref in json.dumps(snapshot["historySummary"]), f"the missing part is not named: {snapshot['historySummary']}")
    same(snapshot["threads"][0]["status"], "blocked", "the thread")


@rows("EVT-113", "SNP-14", options=("session.snapshot_events=10",))
def check_a_damaged_snapshot_is_rebuilt(fixture):
    reply, _ = fixture.turn("two looks")
    session = reply["sessionId"]
    before = fixture.call("get_session", sessionId=session)
    fixture.daemon.stop()
    db = sqlite3.connect(os.path.join(fixture.data, "log.db"))
    need(db.execute("UPDATE snapshot SET body = x'00'").rowcount, "no snapshot was there to damage")
    db.commit()
    db.close()
    fixture.start()
    after = fixture.call("get_session", sessionId=session)
    events = fixture.wait(session, "snapshot.repaired")
    repaired = one(events, "snapshot.repaired")
    same((repaired["payload"]["recoveryMode"], repaired["payload"]["reflectsSequence"]), ("repair", before["sequence"]), "repair")
    same(after["threads"][0]["turns"], before["threads"][0]["turns"], "what it shows")
    fixture.restart()
    fixture.call("get_session", sessionId=session)
    same(sum(e["type"] == "snapshot.repaired" for e in fixture.events(session)), 1, "once")


def remove_blobs(data):
    count = 0
    for folder, _, files in os.walk(os.path.join(data, "blobs")):
        for f in files:
            path = os.path.join(folder, f)
            if not os.path.islink(path) and os.path.getsize(path) > 100000:
                os.unlink(path)
                count += 1
    return count
