"""Export formats: the same events in another standard's terms, with every id and in the same order."""
import json

from contract_fixture import need, one, rows, same

# Agent UI 0.6.1.
TYPES = set("""session.opened session.hydrated session.updated session.closed run.started run.status run.finished run.failed
plan.delta plan.final text.delta text.final reasoning.delta reasoning.summary tool.started tool.args tool.progress
tool.output.delta tool.result tool.failed action.required action.resolved queue.changed task.changed agent.changed
context.changed context.compaction.started context.compaction.completed permission.changed artifact.created artifact.updated
artifact.preview.ready artifact.version.created artifact.diff.ready artifact.export.started artifact.export.completed
artifact.failed artifact.deleted artifact.changed evidence.changed state.snapshot state.delta messages.snapshot
diagnostic.changed metric.changed agent.spawned agent.completed agent.handoff team.changed worker.notification
review.requested review.completed""".split())
RENAMED = {"type": "runtimeType", "phase": "runtimePhase", "schemaVersion": "runtimeSchemaVersion"}
ADDED = {"type", "owner", "scope", "phase", "surface", "persistence", "control", "runtimeEntity", "runtimeStatus",
         "latestTurnStatus", "queuedTurnCount", "queueReason", "artifactStatus", "artifactKind", "artifactVersionId",
         "artifactReadRef", "artifactDiffRef", "metricName", "partId", "messageId", "agentId", "agentName", "agentRole",
         "parentThreadId", "parentSessionId", "remoteTaskId", "rawEventRef"}


def stop(fixture, text, **params):
    """A turn that is stopped in the middle of its work."""
    reply = fixture.call("submit_turn", input=text, **params)
    fixture.wait(reply["sessionId"], "tool.progress", after=reply["sequence"])
    fixture.call("interrupt_turn", sessionId=reply["sessionId"])
    fixture.until("its end", lambda: fixture.ended(reply))
    return reply


def decide(fixture, decision, **params):
    reply, action = fixture.asked("save", **params)
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision=decision)
    fixture.refused("already_resolved", "respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow")
    fixture.until("its end", lambda: fixture.ended(reply))
    return reply, action


def pages(fixture, session=None, **params):
    """All of it, a few at a time, by the command."""
    found, place = [], {"after": 0} if session else {}
    while True:
        page = fixture.call("list_events", limit=50, **({"sessionId": session} if session else {}), **place, **params)
        found += page["events"]
        if not page["more"]:
            return found
        place = {"after": page["lastSequence"]} if session else {"cursor": page["nextCursor"]}


def frames(fixture, query):
    """(id, event, data) of an SSE stream that does not follow."""
    status, text = fixture.get(f"/v1/events?follow=0&{query}", Accept="text/event-stream")
    same(status, 200, query)
    out = []
    for frame in text.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if ": " in line)
        if "data" in fields:
            out.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return out


def lines(fixture, query):
    status, text = fixture.get(f"/v1/events?follow=0&{query}", Accept="application/x-ndjson")
    same(status, 200, query)
    return [json.loads(line) for line in text.decode().removesuffix("\n").split("\n")]


def of_turn(told, reply):
    return [e for e in told if e.get("turnId") == reply["turnId"]]


def where(told, kind, **fields):
    """Place of the first such event; -1 when there is none."""
    return next((i for i, e in enumerate(told) if e["type"] == kind and all(e.get(k) == v for k, v in fields.items())), -1)


def nothing_lost(plain, told):
    same([e["rawEventRef"] for e in told], [e["eventId"] for e in plain], "every event, in its order")
    for ours, theirs in zip(plain, told):
        kept = {RENAMED.get(k, k): v for k, v in ours.items()}
        same({k: theirs.get(k) for k in kept}, kept, f"{ours['type']}: all that it says")
        same(sorted(set(theirs) - set(kept) - ADDED), [], f"{ours['type']}: and no unknown key")
        need(theirs["type"] in TYPES, f"{theirs['type']} is no class of Agent UI")
        same(theirs.get("partId"), ours.get("stepId"), "a part is a step")
        need(("messageId" in theirs) == ("stepId" in ours), "a part has its message")


@rows("ECO-07", both=True)
def check_events_as_agent_ui(fixture):
    good, _ = fixture.turn("two looks")
    session = good["sessionId"]
    allowed, yes = decide(fixture, "allow", sessionId=session)
    denied, no = decide(fixture, "deny", sessionId=session)
    stopped = stop(fixture, "soak", sessionId=session)
    failed, plain = fixture.turn("refuse", sessionId=session)
    plain = fixture.events(session)
    told = pages(fixture, session, **{"as": "agent_ui"})
    nothing_lost(plain, told)

    # AUI-AR-READ: accepted before the first text, running, waiting, completed, failed
    turn = of_turn(told, good)
    steps = [where(turn, "run.status", phase="accepted"), where(turn, "run.started"), where(turn, "reasoning.delta"),
             where(turn, "text.delta"), where(turn, "text.final"), where(turn, "tool.started"), where(turn, "tool.result"),
             where(turn, "run.finished", phase="completed")]
    need(steps == sorted(steps) and steps[0] >= 0, f"the order of a turn: {steps}")
    need(all(e["owner"] == "model" and e["surface"] == "conversation" for e in turn if e["type"].startswith("text.")), "answers are the model's")
    said = [e for e in turn if e["type"].startswith("text.")]
    asked = turn[steps[0]]["messageId"]
    need(asked and all(e["messageId"] != asked for e in said), "what was asked and what was said are two messages")
    same({e["messageId"] for e in said}, {good["turnId"]}, "one message of the assistant")
    waits = [e for e in told if e.get("latestTurnStatus") == "needs_input"]
    same([e["payload"]["pendingActionIds"] for e in waits], [[yes["actionId"]], [no["actionId"]]], "it says that it waits, and for what")
    end = one(of_turn(told, failed), "run.failed")
    need(end["phase"] == "failed" and end["payload"]["category"] and where(of_turn(told, failed), "run.finished") < 0, "a failure is one")
    end = one(of_turn(told, stopped), "run.finished")
    same((end["phase"], end["runtimeStatus"], end["runtimeType"]), ("cancelled", "cancelled", "turn.failed"), "a stop is no failure")

    # AUI-AR-ACTION: one question, one answer, and nothing runs before it or against it
    for reply, action, control in ((allowed, yes, "approve"), (denied, no, "reject")):
        turn, call = of_turn(told, reply), action["toolCallId"]
        ask, answer = where(turn, "action.required", actionId=action["actionId"]), where(turn, "action.resolved", actionId=action["actionId"])
        same((turn[ask]["control"], turn[ask]["surface"], turn[ask]["phase"], turn[ask]["toolCallId"]), ("approve", "hitl", "waiting", call), "the question")
        same(turn[answer]["control"], control, "the answer")
        same([e["type"] for e in turn].count("action.resolved"), 1, "answered once")
        need(all(e["type"] not in ("tool.progress", "tool.result") for e in turn[:answer]), "nothing runs before the answer")
        same(where(turn, "tool.result", toolCallId=call) >= 0, control == "approve", "it has a result when it was allowed")
        same(where(turn, "tool.failed", toolCallId=call) >= 0, control == "reject", "and failed when it was not")

    # AUI-AR-ID-005: whose child it is
    child = fixture.call("spawn_subagent", sessionId=session, parentThreadId=good["threadId"], role="helper", nickname="Kim", input="help me")
    fixture.wait(session, "subagent.completed")
    told = pages(fixture, session, **{"as": "agent_ui"})
    nothing_lost(fixture.events(session), told)
    born, done = one(told, "agent.spawned"), one(told, "agent.completed")
    same([born[k] for k in ("agentId", "subagentId", "agentName", "agentRole", "parentThreadId", "parentSessionId", "runtimeEntity")],
         [child["subagentId"], child["subagentId"], "Kim", "helper", good["threadId"], session, "subagent_turn"], "a child")
    same((done["agentId"], done["phase"]), (child["subagentId"], "completed"), "its end")

    # what it has no word for is an error, and nothing else
    fixture.refused("invalid_value", "list_events", sessionId=session, **{"as": "agent_tea"})
    fixture.refused("invalid_type", "list_events", sessionId=session, **{"as": 7})


@rows("ECO-07")
def check_agent_ui_on_every_stream(fixture):
    follower = fixture.socket()
    reply = fixture.call("create_session", title="to be followed")
    session = reply["sessionId"]
    follower.rpc("subscribe_events", {"sessionId": session, "as": "agent_ui"})
    fixture.turn("two looks", sessionId=session)
    told = pages(fixture, session, **{"as": "agent_ui"})
    plain = fixture.events(session)
    nothing_lost(plain, told)

    live = []
    while len(live) < len(told):
        notice = follower.notice()
        live.append(notice["params"]) if notice.get("method") == "event" else None
    same(live, told, "as it happens, over JSON-RPC")
    query = f"session={session}&as=agent_ui"
    sse = frames(fixture, query)
    same([f[2] for f in sse], told, "SSE")
    same([f[1] for f in sse], [e["type"] for e in told], "SSE: the class")
    same([f[0] for f in sse], [f[0] for f in frames(fixture, f"session={session}")], "SSE: the place is the same as without")
    half = len(sse) // 2
    same([f[2] for f in frames(fixture, query + f"&after={sse[half][0]}")], told[half + 1:], "and going on from there")
    same(lines(fixture, query), told, "NDJSON")
    status, page = fixture.get(f"/v1/events?{query}&limit=256", Accept="application/json")
    same((status, json.loads(page)["events"]), (200, told), "a page")
    # over all sessions: the cursor moves as it does without
    everything = frames(fixture, "as=agent_ui")
    same([f[0] for f in everything], [f[0] for f in frames(fixture, "")], "all sessions: the places")
    same([f[2] for f in everything if f[2]["sessionId"] == session], told, "all sessions")
    same([e["rawEventRef"] for e in pages(fixture, **{"as": "agent_ui"})], [e["eventId"] for e in pages(fixture)], "all sessions, by pages")
    # filters are of our classes, and stay so
    same(lines(fixture, query + "&types=tool.*"), [e for e in told if e["runtimeType"].startswith("tool.")], "types")
    for bad, code in (("as=agent_tea", "invalid_value"), ("as=agent_ui&as=agent_ui", "invalid_request")):
        for accept in ("text/event-stream", "application/x-ndjson", "application/json"):
            status, problem = fixture.get(f"/v1/events?session={session}&follow=0&{bad}", Accept=accept)
            same((status, json.loads(problem)["code"]), (400, code), bad)
    for bad, code in (("agent_tea", "invalid_value"), (7, "invalid_type")):
        same(follower.rpc("subscribe_events", {"sessionId": session, "as": bad})["error"]["data"]["code"], code, f"subscribe as {bad}")
    follower.close()
