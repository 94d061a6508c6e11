"""Agent Policy records: a policy engine's decision is used and stored, and is one source among others."""
import json
import os

from contract_fixture import SPECS, all_of, need, one, order, rows, same, story
from hooks import hooks, program

CALLS = story(write=("shell", {"command": "touch wrote"}), push=("shell", {"command": "touch pushed"}),
              save=("write_file", {"path": "saved.txt", "content": "by the model\n"}))
ENGINE = hooks(pre_tool_use=program("engine", "print(open(os.path.join(here, 'answer.json')).read())\n"))
RUNS, ASKS, STAYS = "runs", "asks", "stays"


def decision(result, **more):
    return {"schema_version": "0.1.0", "decision_id": "pd_1", "policy_set_id": "house", "policy_version": "7", "evaluated_at": "2026-05-08T10:00:00Z",
            "subject": {"type": "agent"}, "action": {"type": "tool_call"}, "resource": {"type": "workspace"}, "context": {},
            "scope": {"scope_type": "filesystem", "risk_level": "medium"}, "result": result, "reason_codes": ["house_rule"], **more}


def answer(fixture, record):
    fixture.write("answer.json", json.dumps(record))


def outcome(fixture, prompt, name, **params):
    """The outcome of the call: it ran, it asks, or it was denied; judged by the file that it creates, not by our events."""
    reply = fixture.call("submit_turn", input=prompt, **params)

    def look():
        events = [e for e in fixture.events(reply["sessionId"]) if e.get("turnId") == reply["turnId"]]
        return events if any(e["type"] in ("action.required", "turn.completed", "turn.failed") for e in events) else None

    events = fixture.until("an end or a question", look)
    asked = all_of(events, "action.required")
    if asked:
        need(fixture.text(name) is None, "it ran while a user was asked")
        return ASKS, reply, events
    return (RUNS if fixture.text(name) is not None else STAYS), reply, events


@rows("ECO-02", script=CALLS, options=(ENGINE,), both=True)
def check_eight_words(fixture):
    # left to itself it is asked about, so that each word has something to change
    for word, becomes in (("allow", RUNS), ("waive", RUNS), ("deny", STAYS), ("indeterminate", STAYS), ("ask", ASKS), ("escalate", ASKS), ("defer", ASKS),
                          ("not_applicable", ASKS)):
        answer(fixture, decision(word, decision_id="pd_" + word))
        got, reply, events = outcome(fixture, "write", "wrote")
        same(got, becomes, word)
        heard = one(events, "hook.completed")["hookRun"]["policyRecord"]
        same((heard["recordId"], heard["result"], heard["policySetId"], heard["scope"]["risk_level"]), ("pd_" + word, word, "house", "medium"), "the event")
        same(json.loads(fixture.output(heard["recordRef"])), decision(word, decision_id="pd_" + word), "the whole record")
        judged = one(events, "permission.evaluated")["permissionDecision"]
        same([r["recordId"] for r in judged["policyRecords"]], ["pd_" + word], "in the decision")
        need("policy:pd_" + word in judged["ruleRefs"], f"{judged['ruleRefs']}")
        if becomes == ASKS:
            asked = one(events, "action.required")
            same((asked["payload"]["policy"]["decisionId"], asked["payload"]["policy"]["policyRecords"][0]["reasonCodes"]),
                 (judged["decisionId"], ["house_rule"]), "who is asked sees it")
            fixture.call("respond_action", sessionId=reply["sessionId"], actionId=asked["actionId"], decision="deny")
        else:
            same(judged["decisionSource"], "hook", word)
        if becomes == RUNS:
            fixture.remove("wrote")


@rows("ECO-02", script=CALLS, options=(ENGINE, 'permission.rules=[{"effect":"deny","command":["touch","pushed"]},{"effect":"ask","command":["touch","wrote"]}]'))
def check_an_allow_is_no_override(fixture):
    answer(fixture, decision("allow"))
    same(outcome(fixture, "push", "pushed")[0], STAYS, "a deny rule holds")
    same(outcome(fixture, "write", "wrote")[0], ASKS, "an ask rule holds")
    session = fixture.call("create_session")["sessionId"]
    fixture.call("set_mode", sessionId=session, mode="plan")
    same(outcome(fixture, "save", "saved.txt", sessionId=session)[0], STAYS, "mode plan holds")
    fixture.call("set_mode", sessionId=session, mode="bypass")
    for word in ("deny", "indeterminate"):
        answer(fixture, decision(word))
        same(outcome(fixture, "save", "saved.txt", sessionId=session)[0], STAYS, f"{word} holds under bypass")
    answer(fixture, decision("ask"))
    same(outcome(fixture, "save", "saved.txt", sessionId=session)[0], ASKS, "ask holds under bypass")


@rows("ECO-02", script=CALLS, options=(ENGINE,), both=True)
def check_obligations_hold(fixture):
    answer(fixture, decision("allow", obligations=[{"type": "sandbox", "profile": "read_only"}, {"type": "network", "mode": "off"}, {"type": "audit"}]))
    got, _, events = outcome(fixture, "write", "wrote")
    same(got, STAYS, "it wrote in a read-only sandbox")
    profile = one(events, "sandbox.applied")["sandboxProfile"]
    same((profile["mode"], profile["network"]["mode"]), ("read_only", "off"), "the sandbox")
    same(one(events, "tool.failed")["payload"]["category"], "sandbox_denied", "it ran, and could not")
    got, _, events = outcome(fixture, "save", "saved.txt")
    same(got, STAYS, "our own tool wrote")
    answer(fixture, decision("waive", obligations=[{"type": "sandbox", "profile": "workspace-write"}]))
    got, _, events = outcome(fixture, "save", "saved.txt")
    same((got, one(events, "sandbox.applied")["sandboxProfile"]["mode"]), (RUNS, "workspace_write"), "kept")
    fixture.remove("saved.txt")
    # What nothing here can keep is a person's to take on.
    answer(fixture, decision("allow", obligations=[{"type": "redact_before_export", "fields": ["name"]}]))
    got, reply, events = outcome(fixture, "write", "wrote")
    same(got, ASKS, "an obligation that cannot be met")
    asked = one(events, "action.required")
    need("redact_before_export" in asked["payload"]["prompt"], asked["payload"]["prompt"])
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=asked["actionId"], decision="allow")
    events = fixture.until("its end", lambda: fixture.ended(reply))
    need(fixture.text("wrote") is not None, "it did not run")
    same(one(events, "permission.resolved")["permissionDecision"]["policyRecords"][0]["obligations"][0]["type"], "redact_before_export", "kept in the event")


@rows("ECO-02", script=CALLS, options=(ENGINE,))
def check_what_is_unclear_allows_nothing(fixture):
    whole = decision("allow")
    for broken in ({k: v for k, v in whole.items() if k != "scope"}, {**whole, "result": "sure"}, {**whole, "expires_at": "later"},
                   {"policyDecision": whole, "decision": "allow"}, {**whole, "decision": "deny"}, {"result": "deny"}, {"policy_decision": decision("deny")},
                   {k: v for k, v in decision("deny").items() if k != "schema_version"},
                   {"policyDecision": decision("deny"), "hookSpecificOutput": {"policyDecision": whole}}):
        answer(fixture, broken)
        got, _, events = outcome(fixture, "write", "wrote")
        same((got, one(events, "tool.failed")["payload"]["category"]), (STAYS, "hook_failed"), str(broken)[:60])
    answer(fixture, decision("allow", expires_at="2026-05-08T10:00:01Z"))
    got, _, events = outcome(fixture, "write", "wrote")
    same((got, one(events, "tool.failed")["payload"]["category"]), (STAYS, "permission"), "what is over")


def party(kind, name):
    return {"type": kind, "id": name}


def waiver(decided, **more):
    return {"schema_version": "0.1.0", "waiver_id": "w_1", "decision_id": decided, "original_result": "ask", "waived_by": party("user", "ada"),
            "justification": "a drill", "scope": {"scope_type": "filesystem", "risk_level": "low"}, "created_at": "2026-05-08T10:00:00Z", **more}


def approval(action, decided, status, **more):
    return {"schema_version": "0.1.0", "approval_id": action, "decision_id": decided, "requested_action": party("tool_call", "x"),
            "required_approver": party("user", "ada"), "prompt": "?", "choices": [{"id": "deny", "label": "Deny"}], "default_action": "deny",
            "status": status, "created_at": "2026-05-08T10:00:00Z", **more}


def grant(action, **more):
    return {"schema_version": "0.1.0", "grant_id": "g_1", "approval_id": action, "granted_to": party("session", "s"), "capability": party("tool_call", "shell"),
            "constraints": {"scope": "session"}, "issued_by": party("user", "ada"), "issued_at": "2026-05-08T10:00:00Z", "status": "active", **more}


@rows("ECO-02", "CTL-35", script=CALLS, both=True)
def check_answers_as_records(fixture):
    def asked():
        reply, action = fixture.asked("write")
        return reply, action["actionId"], action["payload"]["policy"]["decisionId"], action["toolCallId"]

    rounds = ((lambda a, d, c: waiver(d), "waiver", "waive", RUNS), (lambda a, d, c: approval(a, d, "approved"), "approval", "allow", RUNS),
              (lambda a, d, c: approval(a, d, "denied"), "approval", "deny", STAYS), (lambda a, d, c: grant(a), "grant", "allow", RUNS),
              (lambda a, d, c: decision("allow", action={"type": "tool_call", "id": c}), "decision", "allow", RUNS),
              (lambda a, d, c: decision("indeterminate"), "decision", "indeterminate", STAYS))
    for make, kind, result, becomes in rounds:
        reply, action, decided, call = asked()
        session, record = reply["sessionId"], make(action, decided, call)
        fixture.call("resolve_permission", sessionId=session, actionId=action, record=record)
        events = fixture.until("its end", lambda: fixture.ended(reply))
        d = one(events, "permission.resolved")["permissionDecision"]
        same((d["decisionId"], d["decision"], d["decisionSource"]), (decided, "allow" if becomes == RUNS else "deny", "host_policy"), kind)
        same((d["policyRecords"][-1]["kind"], d["policyRecords"][-1]["result"]), (kind, result), "the record")
        same(json.loads(fixture.output(d["policyRecords"][-1]["recordRef"])), record, "as it came")
        same(fixture.text("wrote") is not None, becomes == RUNS, kind)
        order(events, "permission.requested", "action.required", "action.resolved", "permission.resolved")
        end = [e for e in events if e["type"] in ("tool.result", "tool.failed")][-1]
        same(end["payload"]["decisionId"], decided, "the end names the decision")
        if kind == "grant":
            same(one(events, "policy.changed")["payload"]["scope"], "session", "its reach")
            same(outcome(fixture, "write", "wrote", sessionId=session)[0], RUNS, "the grant holds")
        if becomes == RUNS:
            fixture.remove("wrote")


@rows("ECO-02", script=CALLS)
def check_records_that_settle_nothing(fixture):
    reply, action = fixture.asked("write")
    session, act, decided = reply["sessionId"], action["actionId"], action["payload"]["policy"]["decisionId"]

    def refused(code, **params):
        before = len(fixture.events(session))
        fixture.refused(code, "resolve_permission", sessionId=session, actionId=act, **params)
        same(len(fixture.events(session)), before, "a refusal leaves nothing")

    refused("invalid_value")
    for record in ({}, [], "allow", waiver("poldec_other"), approval("act_other", decided, "approved"), approval(act, "poldec_other", "approved"),
                   grant("act_other"), {k: v for k, v in grant(act).items() if k != "approval_id"}, decision("sure"),
                   decision("allow", action={"type": "tool_call", "id": "call_other"}), decision("allow"), decision("waive"),
                   approval(act, decided, "modified"), approval(act, decided, "modified", response={"updated_input": "x"}),
                   approval(act, decided, "approved", response={"decision": "deny"}), grant(act, capability={"type": "tool_call", "name": "read_file"}),
                   grant(act, constraints={"scope": "session", "max_uses": 0}), decision("deny", reason_codes=["x"] * 65)):
        refused("invalid_value", record=record)
    refused("invalid_value", record=waiver(decided), decision="deny")
    call = {"type": "tool_call", "id": action["toolCallId"]}
    for record in (*(decision(w, action=call) for w in ("ask", "defer", "escalate", "not_applicable")), approval(act, decided, "pending"),
                   grant(act, status="revoked"), decision("allow", action=call, obligations=[{"type": "two_reviewers"}]),
                   waiver(decided, expires_at="2026-05-08T10:00:01Z"), waiver(decided, expires_at="1970-01-01T00:00:00Z")):
        refused("invalid_decision", record=record)
    fixture.call("resolve_permission", sessionId=session, actionId=act, record=approval(act, decided, "cancelled"))
    events = fixture.until("its end", lambda: fixture.ended(reply))
    same((one(events, "permission.resolved")["payload"]["decision"], fixture.text("wrote")), ("deny", None), "the end")
    fixture.refused("already_resolved", "resolve_permission", sessionId=session, actionId=act, record=waiver(decided))


@rows("ECO-02", script=CALLS)
def check_an_edited_approval(fixture):
    reply, action = fixture.asked("save")
    fixture.call("resolve_permission", sessionId=reply["sessionId"], actionId=action["actionId"],
             record=approval(action["actionId"], action["payload"]["policy"]["decisionId"], "modified",
                             response={"updated_input": {"path": "edited.txt", "content": "by a person\n"}}))
    fixture.until("its end", lambda: fixture.ended(reply))
    same((fixture.text("edited.txt"), fixture.text("saved.txt")), ("by a person\n", None), "what was done")


# ---- written

RECORDS = {"decision": "decision", "approval_request": "approval-request", "permission_grant": "permission-grant", "waiver_record": "waiver",
           "policy_trace": "trace"}


def checkers():
    """A schema check for each kind of record and for events, or none where the schemas are not at hand."""
    folder = os.path.join(SPECS, "siblings", "agentpolicy")
    if not os.path.isdir(folder):
        return {}
    import jsonschema
    found = {}
    for name in (*RECORDS.values(), "event"):
        with open(os.path.join(folder, f"agentpolicy-{name}.schema.json")) as f:
            found[name] = jsonschema.Draft202012Validator(json.load(f))
    return found


def told(fixture, session):
    return fixture.call("list_events", sessionId=session, limit=500, **{"as": "agent_policy"})["events"]


@rows("ECO-02", script=CALLS, both=True)
def check_the_log_as_records(fixture):
    schemas, session = checkers(), fixture.call("create_session")["sessionId"]

    def asked(prompt):
        reply, action = fixture.asked(prompt, sessionId=session)
        return reply, action["actionId"], action["payload"]["policy"]["decisionId"]

    def kinds(reply):
        fixture.until("its end", lambda: fixture.ended(reply))
        return [e["type"].removeprefix("policy.") for e in told(fixture, session) if e.get("turn_id") == reply["turnId"]]

    reply, action, decided = asked("push")
    fixture.call("respond_action", sessionId=session, actionId=action, decision="deny", reason="not today")
    same(kinds(reply), ["decision.created", "approval.requested", "approval.responded", "decision.updated", "trace.linked"], "denied")
    reply, action, decided = asked("save")
    fixture.call("respond_action", sessionId=session, actionId=action, decision="allow", input={"path": "other.txt", "content": "x"})
    same(kinds(reply)[2:4], ["approval.responded", "decision.updated"], "modified")
    reply, action, decided = asked("write")
    fixture.call("respond_action", sessionId=session, actionId=action, decision="allow", scope="session")
    same(kinds(reply), ["decision.created", "approval.requested", "approval.responded", "decision.updated", "grant.issued", "trace.linked"], "granted")
    held = fixture.call("list_grants", sessionId=session)["grants"]
    fixture.call("revoke_grant", sessionId=session, grantId=held[0]["grantId"], reason="enough")
    reply, action, decided = asked("write")
    fixture.call("resolve_permission", sessionId=session, actionId=action, record=waiver(decided))
    same(kinds(reply), ["decision.created", "approval.requested", "approval.responded", "waiver.created", "trace.linked"], "waived")

    records, events = told(fixture, session), {e["eventId"]: e for e in fixture.events(session)}
    same([r["sequence"] for r in records], sorted({r["sequence"] for r in records}), "the order of the log")
    ids = {"session_id": "sessionId", "thread_id": "threadId", "turn_id": "turnId", "task_id": "taskId", "run_id": "runId", "attempt_id": "attemptId",
           "step_id": "stepId", "tool_call_id": "toolCallId", "action_id": "actionId"}
    for r in records:
        source = events[r["event_id"]]
        same({k: r.get(k) for k in ids}, {k: source.get(v) for k, v in ids.items()}, "ids of " + r["type"])
        for name, schema in ((None, "event"), *((n, s) for n, s in RECORDS.items() if n in r["payload"])):
            wrong = [e.message for e in schemas[schema].iter_errors(r["payload"][name] if name else r)] if schemas else []
            need(not wrong, f"{r['type']} {name}: {wrong[:2]}")

    def of(kind):
        return [r for r in records if r["type"] == "policy." + kind]

    same([r["payload"]["status"] for r in of("approval.responded")], ["denied", "modified", "approved", "approved"], "answers")
    same(of("approval.responded")[0]["payload"]["response"]["reason"], "not today", "why")
    same([r["payload"]["decision"]["result"] for r in of("decision.created")], ["ask", "ask", "allow", "ask", "ask"], "the first decisions, and a new one for an edited input")
    same([r["payload"]["decision"]["result"] for r in of("decision.updated")], ["deny", "allow", "allow"], "and then")
    by_decision = {r["decision_id"] for r in of("decision.created")}
    same({r["decision_id"] for r in of("approval.requested") + of("trace.linked") + of("waiver.created")}, by_decision, "all are joined by the decision")
    grants = of("grant.issued") + of("grant.revoked")
    same([r["grant_id"] for r in grants], [held[0]["grantId"]] * 2, "the grant")
    same((grants[0]["payload"]["permission_grant"]["constraints"]["scope"], grants[1]["payload"]["grant_change"]["revocation_reason"]),
         ("session", "enough"), "its reach and its end")
    w = of("waiver.created")[0]["payload"]["waiver_record"]
    same((w["waiver_id"], w["original_result"], w["justification"], w["waived_by"]["id"]), ("w_1", "ask", "a drill", "ada"), "the waiver")


@rows("ECO-02", script=CALLS)
def check_an_approval_goes_there_and_back(fixture):
    """What we wrote as a request, answered as a record, is an answer to us."""
    reply, _ = fixture.asked("write")
    request = next(r for r in told(fixture, reply["sessionId"]) if r["type"] == "policy.approval.requested")["payload"]["approval_request"]
    need({c["id"] for c in request["choices"]} >= {"approve_once", "approve_for_scope", "deny"}, f"{request['choices']}")
    fixture.call("resolve_permission", sessionId=reply["sessionId"], actionId=request["approval_id"],
             record={**request, "status": "approved", "response": {"choice": "approve_for_scope", "scope": "session"}})
    events = fixture.until("its end", lambda: fixture.ended(reply))
    need(fixture.text("wrote") is not None, "it did not run")
    same(one(events, "policy.changed")["payload"]["scope"], "session", "its reach")
