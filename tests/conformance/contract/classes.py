"""Event classes: each is produced as the standard says, and has its required fields."""
import json
import os
import resource

from contract_fixture import DEADLINE_S, need, one, order, rows, same


def carries(events, kind, *paths, **fields):
    """The newest event of this class has these paths (a.b) and these payload values."""
    e = one(events, kind)
    for path in paths:
        value = e
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        need(value is not None, f"{kind} has no {path}: {json.dumps(e)[:400]}")
    for key, wanted in fields.items():
        same(e["payload"].get(key), wanted, f"{kind} {key}")
    return e


@rows("EVT-001", "EVT-002", "EVT-003", "EVT-004")
def check_session_and_thread(fixture):
    made = fixture.call("create_session", title="first", workspaceId="ws_1")
    session = made["sessionId"]
    carries(fixture.events(session), "session.created", "timestamp", title="first", workspaceId="ws_1")
    carries(fixture.events(session), "thread.started", "threadId")
    fixture.call("update_session", sessionId=session, title="second", archived=True)
    e = carries(fixture.events(session), "session.updated")
    need("second" in json.dumps(e["payload"]), "the new title")
    _, events = fixture.turn("hello", sessionId=session)
    carries(events, "thread.updated", "threadId", "payload.profileStatus", "payload.cause")
    fixture.turn("hello", sessionId=session, threadId="thr_new")
    same(one(fixture.events(session), "thread.started")["threadId"], "thr_new", "a second thread")


@rows("EVT-005", "EVT-006", "EVT-007", "EVT-009", "EVT-010", "EVT-012", "EVT-025", "EVT-028", "EVT-029", "EVT-030", "EVT-032", "EVT-033",
      "EVT-034", "EVT-043", "EVT-056", "EVT-074", "EVT-075", "EVT-076", "EVT-079", "EVT-082", "EVT-083")
def check_a_plain_turn(fixture):
    _, events = fixture.turn("two looks")
    carries(events, "turn.submitted", "payload.inputRef", "payload.source", "status", status="accepted")
    carries(events, "turn.started", "executionEnvironment")
    carries(events, "turn.completed", "payload.usage", outcome="completed")
    carries(events, "task.created", "task.objective", objective="two looks")
    carries(events, "task.accepted", "taskId")
    carries(events, "task.started", "taskId", "runId")
    carries(events, "task.completed", "payload.reconciled")
    carries(events, "model.requested", "modelRequestId", "payload.provider", "payload.model", "payload.messageCount", "payload.toolCount")
    carries(events, "model.delta", "payload.text", "payload.textOffset", "payload.chunks")
    carries(events, "model.completed", "payload.usage.inputTokens", "payload.usage.outputTokens", "payload.usage.cachedInputTokens",
            "payload.usage.reasoningTokens", "payload.stopReason", "payload.durationMs", "refs.raw")
    carries(events, "reasoning.delta", "payload.text")
    carries(events, "reasoning.summary", "payload.source")
    catalog = carries(events, "tool.catalog.resolved", "stepId", "toolCallId", "payload.tools")
    for t in catalog["payload"]["tools"]:
        for key in ("toolName", "description", "capabilities", "policy", "runtimeOwner", "isReadOnly"):
            need(key in t, f"tool without {key}")
        need("inputSchemaRef" in t or "inputSchema" in t, "tool without a schema")
    carries(events, "context.resolved", "payload.instructionRefs", "payload.policyFacts", "payload.omissions", "payload.missing",
            "payload.budget")
    carries(events, "snapshot.updated", "payload.reflectsSequence", "payload.recoveryMode")
    carries(events, "task.profile.resolved", *("taskProfile." + k for k in (
        "kind", "source", "requiredCapabilities", "latencyTarget", "budgetClass", "fallbackPolicy", "settingsSource")))
    carries(events, "routing.candidates.resolved", *("candidateModelSet." + k for k in (
        "candidateCount", "candidates", "excluded", "hardConstraints", "gaps")))
    carries(events, "routing.decided", *("routingDecision." + k for k in (
        "routingMode", "decisionSource", "decisionReason", "selectedProvider", "selectedModel", "fallbackChain")))
    carries(events, "routing.single_candidate", "payload.capabilityGap", "payload.costClass", "payload.limitState")
    carries(events, "task.attempt.started", "runId", "attemptId", "worker", "taskAttempt.inputRefs")
    carries(events, "task.attempt.completed", "taskAttempt.outputRefs")
    order(events, "turn.submitted", "task.started", "task.attempt.started", "turn.started", "context.resolved", "tool.catalog.resolved",
          "routing.decided", "model.requested", "model.delta", "model.completed", "tool.started", "tool.args", "tool.result",
          "task.attempt.completed", "task.completed", "turn.completed", "thread.updated", "snapshot.updated")


@rows("EVT-008", "EVT-031", "EVT-084")
def check_a_turn_that_fails(fixture):
    _, events = fixture.turn("refuse")
    carries(events, "model.failed", "payload.category", "payload.httpStatus", "payload.retryable", "payload.attempt")
    carries(events, "task.attempt.failed", "payload.failureCategory", "payload.retryable", "payload.nextAttemptPolicy")
    carries(events, "turn.failed", "payload.category", "payload.retryable", "payload.message", "status")


@rows("EVT-011", "EVT-042")
def check_a_turn_that_waits_its_turn(fixture):
    first = fixture.call("submit_turn", input="for hours")
    second = fixture.call("submit_turn", sessionId=first["sessionId"], input="b")
    events = fixture.events(first["sessionId"])
    carries(events, "task.queued", "taskId")
    e = carries(events, "queue.changed", "payload.order", change="added")
    same(e["payload"]["order"], [second["turnId"]], "order")


@rows("EVT-015", "EVT-035", "EVT-036", "EVT-038", "EVT-040", "EVT-041")
def check_a_call_that_needs_consent(fixture):
    reply, _ = fixture.asked("save")
    session = reply["sessionId"]
    events = fixture.events(session)
    carries(events, "task.waiting", "taskId", "actionId", "statusReason", "payload.for", "payload.until")
    carries(events, "tool.started", "stepId", "toolCallId", "payload.toolName")
    carries(events, "tool.args", "payload.safeArgs")
    action = carries(events, "action.required", "actionId", "toolCallId", "stepId", "payload.actionType", "payload.prompt",
                     "payload.decisions", "payload.wait.until", "payload.onExpiry", "payload.policy")
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    events = fixture.wait(session, "turn.completed")
    carries(events, "action.resolved", "payload.decidedBy", "payload.decision", "payload.scope", "timestamp")
    carries(events, "tool.result", "payload.displayPreview", "payload.durationMs", "payload.artifactRefs")


@rows("EVT-027", "EVT-057", "EVT-110")
def check_a_restart_in_the_middle(fixture):
    reply = fixture.call("submit_turn", input="soak")
    fixture.wait(reply["sessionId"], "tool.progress")
    fixture.restart()
    events = fixture.wait(reply["sessionId"], "snapshot.updated")
    carries(events, "history.reconstructed", "payload.degraded", "payload.lost", cause="restart")
    carries(events, "runtime.warning", "payload.category", "payload.message")
    carries(events, "run.status", "payload.title", "payload.detail", "payload.wait", "status")


@rows("EVT-105", "EVT-106")
def check_a_spilled_output(fixture):
    _, events = fixture.turn("dump")
    e = carries(events, "output.spilled", "outputRef", "payload.sizeBytes", "output.sha256")
    e = carries(events, "output.truncated", "outputRef", "payload.policy")
    need(fixture.call("get_output", outputRef=e["outputRef"], length=1)["output"]["sizeBytes"] > 10 ** 7, "the whole of it")


@rows("EVT-109")
def check_a_window_of_an_old_session(fixture):
    reply, _ = fixture.turn("1")
    session = reply["sessionId"]
    for i in range(2, 6):
        fixture.turn(str(i), sessionId=session)
    # A model is given every turn that fits its window, so only a fork loads a part of the history here.
    third = [e["turnId"] for e in fixture.events(session) if e["type"] == "turn.completed"][2]
    fixture.call("fork_thread", sessionId=session, turnId=third)
    e = carries(fixture.events(session), "history.window.loaded", "payload.fromSequence", "payload.turns")
    same((e["payload"]["turns"], e["payload"]["fromSequence"] > 0, e["payload"]["cause"]), (3, True, "fork"), "what was loaded")


@rows("EVT-058")
def check_a_store_that_fails(fixture):
    """Nothing is acknowledged, readiness ends, the process exits with 70, and the next start records why."""
    reply, events = fixture.turn("hello")
    size = os.path.getsize(os.path.join(fixture.data, "log.db-wal"))
    resource.prlimit(fixture.daemon.process.pid, resource.RLIMIT_FSIZE, (size, size))
    fixture.refused("store_failed", "submit_turn", sessionId=reply["sessionId"], input="again")
    same(fixture.daemon.process.wait(DEADLINE_S), 70, "exit code")
    fixture.start()
    same(fixture.events(reply["sessionId"]), events, "what was acknowledged")
    found = fixture.wait("sess_node_local", "runtime.error")
    e = carries(found, "runtime.error", "payload.category", "payload.message")
    same(e["payload"]["kind"], "previous_run_store_failed", "kind")
