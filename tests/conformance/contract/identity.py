"""Profiles and identities."""
import json
import os
import sqlite3
import subprocess
import tempfile

from contract_fixture import DEADLINE_S, ROOT, SPECS, Fixture, need, one, rows, same

KINDS = {"sessionId": "sess_", "threadId": "thr_", "turnId": "turn_", "taskId": "task_", "runId": "run_", "attemptId": "att_",
         "stepId": "step_", "toolCallId": "tool_", "actionId": "act_", "modelRequestId": "mreq_", "requestId": "req_"}


def validate(build, kind, values):
    """The schema that the catalogue makes, and both of the standard where they are (./test says when they are not)."""
    schemas = [os.path.join(ROOT, "docs", "reference", "schemas", kind + ".schema.json")]
    official = os.path.join(SPECS, "agent-runtime", "schemas")
    if os.path.isdir(official):
        schemas.append(official)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as f:
        f.write("\n".join(json.dumps(v) for v in values) + "\n")
    try:
        for schema in schemas:
            done = subprocess.run([os.path.join(build, "tests/conformance/schema_check"), schema, kind, f.name],
                                  capture_output=True, text=True, timeout=DEADLINE_S)
            need(done.returncode == 0, f"{kind}: {done.stdout[:400]} {done.stderr[:200]}")
    finally:
        os.unlink(f.name)


@rows("PRF-01", "PRF-06", "ENV-01", "ENV-04", "ENV-05", "ENV-08", "LIM-03", "LIM-04", "LIM-05", "TSK-27")
def check_every_event_and_snapshot_satisfies_both_schemas(fixture):
    sessions = []
    for text in ("two looks", "refuse", "broken", "hello", "no usage"):
        sessions.append(fixture.turn(text)[0]["sessionId"])
    reply, action = fixture.asked("save")
    validate(fixture.build, "snapshot", [fixture.call("get_session", sessionId=reply["sessionId"])])
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow", scope="session")
    fixture.wait(reply["sessionId"], "turn.completed")
    hung = fixture.call("submit_turn", input="hang")
    fixture.wait(hung["sessionId"], "model.delta")
    validate(fixture.build, "snapshot", [fixture.call("get_session", sessionId=hung["sessionId"])])
    fixture.restart()
    validate(fixture.build, "snapshot", [fixture.call("get_session", sessionId=hung["sessionId"])])
    fixture.call("resume_thread", sessionId=hung["sessionId"])
    fixture.call("interrupt_turn", sessionId=hung["sessionId"])
    c, _ = fixture.channel()
    c.call("submit_turn", {"input": "over a channel"})
    c.close()
    events = []

    def sessions():
        every = [s["sessionId"] for s in fixture.call("list_sessions", system=True, limit=100)["sessions"]]
        return every if "sess_system" in every else None

    every = fixture.until("the system session", sessions)
    for session in every:
        events += fixture.events(session)
        validate(fixture.build, "snapshot", [fixture.call("get_session", sessionId=session)])
    validate(fixture.build, "event", events)
    with open(os.path.join(ROOT, "docs/reference/schemas/event.schema.json")) as f:
        known = json.dumps(json.load(f))
    for e in events:
        need(f'"{e["type"]}"' in known, f"no class {e['type']}")
        same(e["schemaVersion"], "lime-profile-0.4.0", "schemaVersion")
        need(e["runtimeId"] and e["sessionId"] and isinstance(e["payload"], dict), f"envelope of {e['type']}")


@rows("PRF-02")
def check_the_core_works_with_nothing_configured(fixture):
    caps = fixture.call("get_capabilities")
    need(caps.get("layers"), f"no layers in the capability read: {sorted(caps)}")
    same(caps["layers"]["core"], "complete", "core")
    lacks = "unavailable" in [*caps["events"].values(), *caps["commands"].values()]
    same(caps["layers"]["limeProfile"], "partial" if lacks else "complete", "limeProfile")
    for name in ("submit_turn", "interrupt_turn", "resume_thread", "respond_action", "get_session", "get_thread_read"):
        same(caps["commands"][name], "built", name)


@rows("PRF-10")
def check_what_is_supported_is_declared(fixture):
    caps = fixture.call("get_capabilities")
    for key in ("commands", "events", "transports", "sandbox", "providers"):
        need(key in caps, f"no {key} in the capability read: {sorted(caps)}")
    lacking = [n for n, state in caps["commands"].items() if state == "unavailable"]
    for name in lacking[:5]:
        status, data = fixture.transport.request("POST", "/v1/commands/" + name, "{}")
        need(json.loads(data)["code"] in ("unavailable", "missing_field"), f"{name}: {data[:120]}")
    if lacking:
        problem = fixture.refused("unavailable", lacking[0], sessionId="sess_x")
        need(problem["status"] in (501, 503), f"status {problem['status']}")
    same(fixture.refused("unknown_command", "no_such_thing")["status"], 404, "status of an unknown command")


def models(fixture, session):
    """The read models of a session, without when they were read."""
    snapshot = fixture.call("get_session", sessionId=session)
    out = {"session": snapshot, "tasks": fixture.call("list_tasks", sessionId=session), "queue": fixture.call("list_queue", sessionId=session),
           "actions": fixture.call("list_actions", sessionId=session), "threads": fixture.call("list_threads", sessionId=session),
           "tools": fixture.call("get_tool_inventory", sessionId=session)}
    out["thread"] = fixture.read(session)
    for command in ("get_permission_sandbox_summary", "get_artifact_checkpoint_summary", "get_routing_limit_summary",
                    "get_subagent_job_summary", "get_context_boundary"):
        out[command] = fixture.call(command, sessionId=session)
    return out


def forget_snapshots(data):
    db = sqlite3.connect(os.path.join(data, "log.db"))
    db.execute("DELETE FROM snapshot")
    db.commit()
    db.close()


@rows("SNP-14", "ENV-20", "LIM-11", "SNP-24")
def check_read_models_are_the_same_when_folded_again(fixture):
    reply, _ = fixture.turn("two looks")
    session = reply["sessionId"]
    fixture.turn("broken", sessionId=session)
    fixture.asked("save", sessionId=session)
    fixture.call("submit_turn", sessionId=session, input="later")
    before = models(fixture, session)
    fixture.daemon.stop()
    fixture.start()
    after = models(fixture, session)
    for key in before:
        strip(before[key], after[key])
        same(after[key], before[key], key + " after a restart")
    fixture.daemon.stop()
    forget_snapshots(fixture.data)
    fixture.start()
    again = models(fixture, session)
    for key in before:
        strip(before[key], again[key])
        same(again[key], before[key], key + " without snapshots")


def strip(*values):
    """Recovery adds events and changes times: the number of events differs, their content does not."""
    def walk(x):
        if isinstance(x, dict):
            for k in ("updatedAt", "sequence", "toSequence", "lastSequence", "throughSequence", "reconstructions", "lastReconstruction",
                      "events", "fromSequence"):
                x.pop(k, None)
            for v in x.values():
                walk(v)
        elif isinstance(x, list):
            for v in x:
                walk(v)
    for v in values:
        walk(v)


@rows("PRF-07", "PRF-08")
def check_foreign_content_is_behind_refs(fixture):
    reply, events = fixture.turn("dump")
    for e in events:
        need(len(json.dumps(e)) <= 65536, f"{e['type']} has {len(json.dumps(e))} bytes")
    done = one(events, "model.completed")
    raw = fixture.call("get_output", outputRef=done["refs"]["raw"])
    need(raw["bytes"] > 0, "the raw answer is empty")
    need(one(events, "tool.result")["refs"]["rawOutput"], "no ref of the result")


@rows("PRF-09")
def check_every_mutation_leaves_an_event(fixture):
    made = fixture.call("create_session", title="t")
    session = made["sessionId"]
    last = made["sequence"]

    def did(command, **params):
        nonlocal last
        reply = fixture.call(command, sessionId=session, **params)
        now = fixture.events(session)[-1]["sequence"]
        need(now > last, f"{command} left no event")
        need(reply.get("sequence", 0) > last, f"the reply of {command} names sequence {reply.get('sequence')}, before: {last}")
        last = now
        return reply

    did("update_session", title="u")
    did("submit_turn", input="hang")
    fixture.wait(session, "model.delta")
    a, b = did("submit_turn", input="a")["turnId"], did("submit_turn", input="b")["turnId"]
    did("promote_queued_turn", queuedTurnId=b)
    did("move_queued_turn", queuedTurnId=a, position=1)
    did("remove_queued_turn", queuedTurnId=a)
    did("interrupt_turn")
    did("resume_thread")
    did("reconnect_channel", channelId="chan_x")
    last = fixture.turn("hello", sessionId=session)[1][-1]["sequence"]
    _, action = fixture.asked("save", sessionId=session)
    last = fixture.events(session)[-1]["sequence"]
    did("respond_action", actionId=action["actionId"], decision="deny")


@rows("IDN-01", own=True)
def check_the_runtime_keeps_its_id(build):
    ids = []
    for _ in range(2):
        fixture = Fixture(build)
        try:
            first = fixture.turn("hello")[1][0]["runtimeId"]
            fixture.restart()
            again = fixture.turn("hello")[1][0]["runtimeId"]
            same(again, first, "runtimeId after a restart")
            same(fixture.call("get_capabilities")["runtimeId"], first, "runtimeId of the capability read")
            ids.append(first)
        finally:
            fixture.close()
    need(ids[0] != ids[1], "two data directories share a runtimeId")


@rows("IDN-02", "IDN-03")
def check_sessions_and_threads_are_kept_apart(fixture):
    a = fixture.call("create_session", title="a")
    b = fixture.call("create_session", title="b")
    fixture.turn("one", sessionId=a["sessionId"], threadId="thr_p")
    fixture.turn("two", sessionId=a["sessionId"], threadId="thr_q")
    fixture.turn("three", sessionId=a["sessionId"], threadId="thr_p")
    fixture.restart()
    threads = fixture.call("list_threads", sessionId=a["sessionId"])["threads"]
    same(sorted(t["threadId"] for t in threads), sorted([a["threadId"], "thr_p", "thr_q"]), "threads")
    same(len(fixture.read(a["sessionId"], "thr_p")["turns"]), 2, "turns of p")
    same(len(fixture.read(a["sessionId"], "thr_q")["turns"]), 1, "turns of q")
    fixture.refused("thread_not_found", "get_thread_read", sessionId=b["sessionId"], threadId="thr_p")
    fixture.refused("id_conflict", "submit_turn", sessionId=b["sessionId"], threadId="thr_p", input="foreign")
    same(fixture.call("get_session", sessionId=a["sessionId"])["title"], "a", "title")


@rows("IDN-04", "IDN-07", "IDN-08", "IDN-09", "IDN-13", "ENV-09", "ENV-10", "ENV-21")
def check_ids_of_a_turn(fixture):
    reply, events = fixture.turn("two looks")
    for e in events:
        if e["type"].split(".")[0] in ("turn", "model", "tool", "reasoning", "action", "permission", "context", "routing", "cost"):
            same((e["threadId"], e["turnId"]), (reply["threadId"], reply["turnId"]), e["type"])
        if e["type"].startswith("tool."):
            same((e["taskId"], e["runId"]), (reply["taskId"], reply["runId"]), e["type"])
            need(e["attemptId"] and e["stepId"], f"{e['type']} without attempt or step")
        for name, prefix in KINDS.items():
            if name in e:
                need(e[name].startswith((prefix, "catalog_") if name == "toolCallId" else prefix), f"{name} {e[name]}")
        need(None not in e.values(), f"null in {e['type']}")
    calls = {}
    for e in events:
        if e["type"] in ("tool.started", "tool.args", "tool.result"):
            calls.setdefault(e["toolCallId"], []).append(e["type"])
    same(list(calls.values()), [["tool.started", "tool.args", "tool.result"]] * 2, "the two calls")
    steps = fixture.read(reply["sessionId"])["turns"][0]["steps"]
    same([s["index"] for s in steps], list(range(1, len(steps) + 1)), "index of the steps")
    same([s["kind"] for s in steps], ["user_message", "catalog", "reasoning", "agent_message", "tool_call", "tool_call", "agent_message"],
         "kinds of the steps")
    items = [e["item"] for e in events if "item" in e]
    need(all(i["itemId"] and i["kind"] and i["status"] for i in items), "items")

    reply, action = fixture.asked("save")
    same(fixture.read(reply["sessionId"])["pendingRequests"][0]["actionId"], action["actionId"], "pending action")
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    same(one(events, "action.resolved")["actionId"], action["actionId"], "actionId")
    ids = [reply["sessionId"], reply["threadId"], reply["turnId"], reply["taskId"], reply["runId"], action["actionId"],
           action["toolCallId"], action["stepId"]]
    same(len(set(ids)), len(ids), "distinct ids")


@rows("IDN-16", "STA-12")
def check_a_provider_that_fails_at_once(fixture):
    reply, events = fixture.turn("refuse")
    for key in ("sessionId", "threadId", "turnId", "taskId", "runId"):
        need(reply[key], key)
    end = one(events, "turn.failed")
    same(end["status"], "failed", "status")
    same(fixture.read(reply["sessionId"])["status"], "failed", "thread")
    count = len(events)
    code, _ = fixture.transport.call("resume_thread", {"sessionId": reply["sessionId"]})
    need(code or len(fixture.events(reply["sessionId"])) == count, "a failed turn went on by itself")
    fixture.turn("hello", sessionId=reply["sessionId"])
