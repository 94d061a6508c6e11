"""Envelope, order and delivery."""
import json
import re
import time

from contract_fixture import Wrong, need, one, order, rows, same

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")


def walk_null(x):
    if isinstance(x, dict):
        return any(walk_null(v) for v in x.values())
    if isinstance(x, list):
        return any(walk_null(v) for v in x)
    return x is None


@rows("ENV-02", "ENV-03", "ENV-06", "ENV-07", "ENV-13")
def check_ids_times_and_sequence_over_restarts(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    for text in ("two looks", "refuse", "broken"):
        fixture.turn(text, sessionId=session)
    hung = fixture.call("submit_turn", sessionId=session, input="hang")
    fixture.wait(session, "model.delta", after=hung["sequence"] - 1)
    last = fixture.events(session)[-1]["sequence"]
    fixture.restart()
    fresh = fixture.until("recovery", lambda: fixture.events(session, last))
    same(fresh[0]["sequence"], last + 1, "the first one after the cursor")
    fixture.call("interrupt_turn", sessionId=session)
    fixture.restart()
    events = fixture.events(session)
    same([e["sequence"] for e in events], list(range(1, len(events) + 1)), "sequence without gaps")
    same(len({e["eventId"] for e in events}), len(events), "distinct eventIds")
    for before, e in zip([events[0]] + events, events):
        need(TIME.match(e["timestamp"]), e["timestamp"])
        need(e["timestamp"] >= before["timestamp"], f"time runs backwards at {e['sequence']}")
        need(not walk_null(e), f"null in {e['type']}")
    for name in ("get_session", "get_thread_read"):
        need(not walk_null(fixture.call(name, sessionId=session)), f"null in {name}")


@rows("ENV-05")
def check_events_of_the_runtime_have_a_session(fixture):
    c, hello = fixture.channel()

    def told():  # the session is made when there is something to say
        try:
            return [e for e in fixture.events("sess_system")
                    if e["type"] == "channel.connected" and e["channelId"] == hello["channelId"]]
        except Wrong:
            return []
    fixture.until("the channel in the system session", told)
    for e in fixture.events("sess_system"):
        same(e["sessionId"], "sess_system", "sessionId")
        need(e["type"] == "session.created" or e["threadId"] == "thr_system", f"thread of {e['type']}")
    c.close()


@rows("ENV-12", "LIM-10")
def check_refs_lead_to_something(fixture):
    reply, events = fixture.turn("dump")
    reply, more = fixture.turn("two looks", sessionId=reply["sessionId"])
    seen = 0
    for e in more:
        need(isinstance(e.get("refs", {}), dict), f"refs of {e['type']}")
        for name, ref in e.get("refs", {}).items():
            out = fixture.call("get_output", outputRef=ref, length=16)
            same(out["output"]["outputRef"], ref, name)
            seen += 1
    need(seen > 8, f"only {seen} refs")
    submitted = one(more, "turn.submitted")
    same(json.loads(fixture.call("get_output", outputRef=submitted["payload"]["inputRef"])["text"])[0]["text"], "two looks", "input")
    order(more, "turn.submitted", "model.requested")


@rows("ENV-14", "NEG-18", "ACC-02", "OUT-01", "OUT-05")
def check_a_large_result_is_behind_a_ref(fixture):
    reply, events = fixture.turn("dump")
    for line in fixture.raw(reply["sessionId"]):
        need(len(line) <= 65536, f"an event of {len(line)} bytes")
    spilled, result = one(events, "output.spilled"), one(events, "tool.result")
    order(events, "output.spilled", "output.truncated", "tool.result", "model.requested", "turn.completed")
    need(0 < len(result["payload"]["displayPreview"]) <= 4096, "preview")
    ref = result["refs"]["rawOutput"]
    whole = fixture.call("get_output", outputRef=ref, offset=1000000, length=100)
    same((whole["bytes"], whole["offset"], whole["eof"]), (100, 1000000, False), "range")
    need("of a long output" in whole["text"], "text of the range")
    out = spilled["output"]
    for key in ("owner", "mediaType", "encoding", "sizeBytes", "preview", "truncation", "redaction"):
        need(key in out, f"no {key} in the output record: {sorted(out)}")
    same(out["sizeBytes"], 10485760, "size")
    record = fixture.call("get_output", outputRef=ref, length=1)["output"]
    for key in ("owner", "mediaType", "encoding", "sizeBytes", "truncation", "redaction"):
        need(key in record, f"no {key} in get_output: {sorted(record)}")
    status, body = fixture.get("/v1/blobs/" + ref, Range="bytes=1000000-1000099")
    same((status, len(body)), (206, 100), "range over HTTP")
    same(body.decode(), whole["text"], "the two ranges")
    status, body = fixture.get("/v1/blobs/" + ref, Range="bytes=99999999-")
    same(status, 416, "range behind the end")


@rows("ENV-15")
def check_redelivery_is_byte_for_byte(fixture):
    reply, _ = fixture.turn("two looks")
    one_time, again = fixture.raw(reply["sessionId"], 3), fixture.raw(reply["sessionId"], 3)
    fixture.restart()
    same(fixture.raw(reply["sessionId"], 3), one_time, "after a restart")
    same(again, one_time, "the second time")


@rows("ENV-16", "NEG-27", "NEG-29", "ACT-01", "ACT-07")
def check_pending_actions_and_failed_tools_stay(fixture):
    reply, _ = fixture.turn("broken")
    session = reply["sessionId"]
    waiting, action = fixture.asked("save", sessionId=session)
    for _ in range(2):
        fixture.restart()
        read = fixture.read(session)
        same([p["actionId"] for p in read["pendingRequests"]], [action["actionId"]], "pending")
        same(read["profileStatus"], "waiting_permission", "status")
        need([c for c in read["toolCalls"] if c["toolName"] == "broken" and c["status"] == "failed"], "the failed call is gone")
        same([a["actionId"] for a in fixture.call("list_actions", status="pending")["actions"]], [action["actionId"]], "list_actions")
        need(not fixture.saved(), "the tool ran")
    same(fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")["actionId"],
         action["actionId"], "actionId of the reply")
    fixture.wait(session, "turn.completed", 2)
    need(fixture.saved(), "the tool did not run")


def follow(c, session, count, **params):
    answer = c.rpc("subscribe_events", {"sessionId": session, "after": 0, **params})
    if "error" in answer:
        raise Wrong(f"subscribe_events: {answer['error']}")
    out = []
    while len(out) < count:
        notice = c.notice()
        if notice.get("method") == "event":
            out.append(notice["params"])
    return answer["result"], out


@rows("ENV-17", "CHN-02", "CTL-47")
def check_every_transport_carries_the_same_events(fixture):
    reply, events = fixture.turn("two looks")
    session, count = reply["sessionId"], len(events)
    status, body = fixture.get(f"/v1/events?session={session}&after=0&follow=0", Accept="text/event-stream")
    sse = [json.loads(line[6:]) for line in body.decode().split("\n") if line.startswith("data: ")]
    same(sse[:count], events, "SSE")
    ids = [line[4:] for line in body.decode().split("\n") if line.startswith("id: ")]
    same(ids[:count], [str(e["sequence"]) for e in events], "id of SSE")
    status, body = fixture.get(f"/v1/events?session={session}&limit=256", Accept="application/json")
    same(json.loads(body)["events"][:count], events, "page")
    for transport in (fixture.socket(), fixture.websocket()):
        _, got = follow(transport, session, count)
        same(got, events, transport.name)
        transport.close()
    stdio = fixture.stdio()
    same([json.loads(line) for line in stdio.events(session, 0)], events, "stdio")
    stdio.close()


@rows("ENV-18", "SNP-23", "ACC-01")
def check_a_snapshot_and_then_the_rest(fixture):
    reply = fixture.call("submit_turn", input="stream")
    session = reply["sessionId"]
    status = fixture.read(session)["status"]
    need(status not in ("unknown", "idle"), f"the thread read says {status}")
    fixture.wait(session, "model.delta", 2)
    snapshot = fixture.call("get_session", sessionId=session)
    tail = fixture.events(session, snapshot["sequence"])
    if tail:
        same(tail[0]["sequence"], snapshot["sequence"] + 1, "what follows the snapshot")
    events = fixture.until("its end", lambda: fixture.ended(reply))
    order(events, "turn.submitted", "model.requested", "model.delta")
    read = fixture.read(session)
    same(read.get("sequence", fixture.call("get_session", sessionId=session)["sequence"]), events[-1]["sequence"], "sequence of the read")


@rows("ENV-19", "CHN-06")
def check_a_position_outside_the_log_is_reported(fixture):
    """No prefix is ever removed by default; a reader can be ahead, of a log that was put back from a copy."""
    reply, events = fixture.turn("hello")
    session, head = reply["sessionId"], len(events)
    fixture.refused("expired_cursor", "list_events", cursor="p.garbage")
    status, body = fixture.get(f"/v1/events?session={session}&after=999999&follow=0", Accept="text/event-stream")
    frames = [dict(line.split(": ", 1) for line in f.split("\n") if ": " in line) for f in body.decode().split("\n\n")]
    gap = [f for f in frames if f.get("event") == "gap"]
    need(len(gap) == 1, f"no gap in {body[:300]}")
    told = json.loads(gap[0]["data"])
    same((told["from"], told["to"], told["recoveryMode"], told["snapshot"]["sequence"]), (999999, head, "truncation", head), "gap")
    same(gap[0]["id"], str(head), "where to continue")
    status, body = fixture.get(f"/v1/events?session={session}&follow=0", Accept="text/event-stream", Last_Event_ID="999999")
    need(b"event: gap" in body, "Last-Event-ID")
    c = fixture.socket()
    c.rpc("subscribe_events", {"sessionId": session, "after": 999999})
    notice = c.notice()
    same((notice["method"], notice["params"]["to"]), ("gap", head), "over JSON-RPC")
    fixture.turn("again", sessionId=session)
    notice = c.notice()
    same((notice["method"], notice["params"]["sequence"]), ("event", head + 1), "what follows")
    c.close()
    fixture.refused("invalid_value", "reconnect_channel", sessionId=session, channelId="chan_x", lastAckedSequence=999999)


@rows("ENV-24", "STA-13", "CTL-04", "CTL-05")
def check_an_interrupt_says_who_and_why(fixture):
    reply = fixture.call("submit_turn", input="soak")
    session = reply["sessionId"]
    fixture.wait(session, "tool.progress")
    fixture.call("submit_turn", sessionId=session, input="later")
    answer = fixture.call("interrupt_turn", sessionId=session, reason="enough")
    same(answer["status"], "accepted", "reply")
    events = fixture.wait(session, "queue.changed", change="held")
    order(events, "run.status", "task.cancel_requested", "tool.failed", "task.attempt.failed", "task.cancelled", "turn.failed")
    intent = one(events, "run.status")
    same(intent["payload"]["kind"], "interrupt_requested", "intent")
    need("owner" in json.dumps(intent["payload"]), f"who: {intent['payload']}")
    need("enough" in json.dumps(intent), f"why: {intent['payload']}")
    end = one(events, "turn.failed")
    same(end["status"], "cancelled", "status")
    need(end.get("statusReason"), "no statusReason on the cancelled turn")
    same(len(fixture.call("list_queue", sessionId=session)["queuedTurns"]), 1, "the queue under keep")
    count = len(fixture.events(session))
    same(fixture.call("interrupt_turn", sessionId=session)["status"], "no_op", "interrupt of an idle thread")
    same(len(fixture.events(session)), count, "a no-op leaves no event")
    second = fixture.call("submit_turn", input="soak")
    fixture.wait(second["sessionId"], "tool.progress")
    fixture.call("submit_turn", sessionId=second["sessionId"], input="later")
    fixture.call("interrupt_turn", sessionId=second["sessionId"], queuePolicy="clear")
    events = fixture.wait(second["sessionId"], "queue.changed", change="cleared")
    same(fixture.call("list_queue", sessionId=second["sessionId"])["queuedTurns"], [], "the queue under clear")


@rows("LIM-02")
def check_the_log_refuses_what_has_no_scope(fixture):
    """From outside: there is no way to append; the order check itself is in the unit tests (test_order_check)."""
    reply, events = fixture.turn("two looks")
    families = ("turn", "model", "reasoning", "tool", "action", "permission", "sandbox", "hook", "context", "routing", "cost",
                "rate_limit", "quota")
    for e in events:
        family = e["type"].split(".")[0]
        if family in families:
            need(e.get("threadId") and e.get("turnId"), f"{e['type']} without its turn")
        if family == "tool":
            need(e.get("stepId") and e.get("toolCallId"), f"{e['type']} without its call")
        if family == "action":
            need(e.get("actionId"), e["type"])
        if family == "task":
            need(e.get("taskId"), e["type"])
        if e["type"].startswith("task.attempt"):
            need(e.get("runId") and e.get("attemptId"), e["type"])


@rows("LIM-08", "SNP-15", "SNP-16")
def check_what_does_not_apply_says_so(fixture):
    reply, _ = fixture.turn("hello")
    snapshot = fixture.call("get_session", sessionId=reply["sessionId"])
    words = ("unknown", "unavailable", "not_applicable", "stale", "blocked")
    for key in ("subagentJobSummary", "channelSummary", "telemetrySummary"):
        need(snapshot[key].get("status") in words, f"{key}: {snapshot[key]}")
    thread = snapshot["threads"][0]
    diagnostics = thread.get("diagnostics")
    need(diagnostics, f"no diagnostics: {sorted(thread)}")
    missing = diagnostics.get("unavailable", [])
    for key in ("warnings", "failedTools", "failedCommands", "stalledTurns", "lostWorkers", "quotaBlocks", "contextGaps"):
        need(isinstance(diagnostics.get(key), list) or key in missing, f"{key} is neither there nor unavailable: {diagnostics}")
    _, events = fixture.turn("no usage", sessionId=reply["sessionId"])
    done = one(events, "model.completed")
    need("unknown" in json.dumps(done["payload"]), f"usage that is not known: {done['payload']}")
    need("usage" not in done["payload"] or "inputTokens" not in done["payload"]["usage"], "numbers made up")
