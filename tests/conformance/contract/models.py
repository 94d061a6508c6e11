"""Models: routing, money and limits, context, compaction, rollback."""
import json
import os
import sys

from contract_fixture import ROOT, Fixture, need, one, order, rows, same

sys.path.insert(0, os.path.join(ROOT, "tests", "provider"))
from acceptance import Simulator  # noqa: E402

KINDS = ("chat", "code_edit", "review", "search", "artifact_generation", "background_job")
LATENCIES = ("interactive", "background", "batch")
BUDGETS = ("low", "medium", "high", "fixed", "unknown")
FALLBACKS = ("allow", "deny", "ask", "local_only", "host_only")
PRICE = {"inputPerMTok": 1, "outputPerMTok": 100}


def script(models=(), rules=(), tools=(), **more):
    story = {"version": 1, "rules": list(rules), "tools": list(tools), "default": {"text": "answer to {{input}}"}, **more}
    if models:
        story["models"] = list(models)
    return json.dumps(story)


def model(provider, name, **more):
    return {"provider": provider, "model": name, "price": PRICE, **more}


def has(record, *keys, what="record"):
    for key in keys:
        need(key in record, f"{what}: no {key} in {json.dumps(record)[:300]}")


def scoped(event, *more):
    has(event, "threadId", "turnId", *more, what=event["type"])


# ---- routing


THREE = script([model("alpha", "sees", capabilities=["tool_use", "vision"]), model("beta", "blind"),
                model("gamma", "keyless", capabilities=["tool_use", "vision"], credential=False)])


@rows("RTE-01", "RTE-02", "RTE-03", "RTE-04", "RTE-05", "CTX-04", script=THREE)
def check_profile_candidates_and_decision(fixture):
    _, events = fixture.turn("look", requires=["vision"], taskKind="review", latency="interactive", model="alpha/sees", budgetUsd=1)
    profile = one(events, "task.profile.resolved")["taskProfile"]
    has(profile, "kind", "source", "requiredCapabilities", "latencyTarget", "budgetClass", "fallbackPolicy", "settingsSource")
    need(profile["kind"] in KINDS and profile["latencyTarget"] in LATENCIES and profile["budgetClass"] in BUDGETS
         and profile["fallbackPolicy"] in FALLBACKS, json.dumps(profile))
    same((profile["kind"], profile["requiredCapabilities"], profile["budgetClass"]), ("review", ["vision"], "fixed"), "the profile")
    chosen = one(events, "routing.candidates.resolved")["candidateModelSet"]
    has(chosen, "candidateCount", "candidates", "excluded", "hardConstraints", "singleCandidate", "gaps", what="the set")
    same(chosen["candidateCount"], 1, "candidates")
    same({(x["provider"], x["reason"]) for x in chosen["excluded"]},
         {("beta", "capability_missing"), ("gamma", "credential_missing")}, "exclusions")
    need(all(x["constraint"] == "hard" for x in chosen["excluded"]), "the strength of a constraint")
    same(chosen["gaps"]["credential"], ["gamma"], "gaps")
    has(chosen["candidates"][0], "provider", "model", "capabilities", "costClass", "limitState", what="candidate")
    decision = one(events, "routing.decided")["routingDecision"]
    has(decision, "routingMode", "decisionSource", "decisionReason", "selectedProvider", "selectedModel", "requestedProvider",
        "requestedModel", "candidateCount", "fallbackChain", "capabilityGap", "requiresUserOverride", "limitStateSnapshot")
    same((decision["routingMode"], decision["decisionSource"], decision["requestedModel"]),
         ("single_candidate", "explicit", "sees"), "the decision")
    order(events, "context.resolved", "task.profile.resolved", "routing.candidates.resolved", "routing.decided", "model.requested")


SOURCES = script([model("alpha", "large"), model("beta", "small")], [
    {"when": {"provider": "alpha", "text": "ill"}, "reply": {"error": {"status": 401, "message": "bad key"}}}])


def source_of(events):
    return one(events, "routing.decided")["payload"]["decisionSource"]


@rows("RTE-06", script=SOURCES, options=('routing.fallback_chain=["beta/small"]',))
def check_every_source_of_a_decision(fixture):
    same(source_of(fixture.turn("by itself")[1]), "policy_auto", "no model was requested")
    same(source_of(fixture.turn("asked", model="beta/small")[1]), "explicit", "the turn asked")
    same(source_of(fixture.turn("ill", model="alpha/large")[1]), "runtime_fallback", "the chosen one was ill")
    session = fixture.call("create_session", model="beta/small")["sessionId"]
    same(source_of(fixture.turn("hello", sessionId=session)[1]), "session", "the session asked")
    task = fixture.call("create_task", sessionId=session, title="t", objective="hello",
                    constraints={"models": ["alpha/large"]})
    fixture.call("start_task", sessionId=session, taskId=task["taskId"])
    events = fixture.wait(session, "task.completed", count=2)
    same(source_of(events), "task_preference", "the task asked")


@rows("RTE-06", script=SOURCES, options=('model="beta/small"',))
def check_the_host_is_a_source(fixture):
    same(source_of(fixture.turn("hello")[1]), "host_policy", "the settings asked")


@rows("RTE-07", "ACC-13", "SNP-10", script=script([model("alpha", "only")]))
def check_a_single_candidate(fixture):
    reply, events = fixture.turn("hello")
    order(events, "routing.candidates.resolved", "routing.single_candidate", "routing.decided", "cost.estimated", "model.requested",
          "turn.completed")
    single = one(events, "routing.single_candidate")["payload"]
    has(single, "candidateCount", "selectedModel", "decisionSource", "decisionReason", "capabilityGap", "costClass", "limitState")
    routing = fixture.read(reply["sessionId"])["modelRouting"]
    has(routing, "candidateCount", "decisionReason", "capabilityGap", what="the read model")
    summary = fixture.call("get_session", sessionId=reply["sessionId"])["routingLimitSummary"]
    decision = one(events, "routing.decided")["routingDecision"]
    for key in ("decisionSource", "decisionReason", "selectedProvider", "selectedModel", "candidateCount", "capabilityGap"):
        same(summary[key], decision[key], f"summary {key}")
    has(summary, "singleCandidate", "costState", "limitState", what="the summary")
    profile = one(events, "task.profile.resolved")["taskProfile"]
    same(summary["taskKind"], profile["kind"], "the kind")
    turn = fixture.read(reply["sessionId"])["turns"][-1]
    same((turn["taskProfile"], turn["routingDecision"]), (profile, decision), "profile and decision of the turn")
    same(summary["costState"]["recordedUsd"], one(events, "cost.recorded")["payload"]["amountUsd"], "the cost")


@rows("EVT-078", "RTE-08", script=script([model("alpha", "large", credential=False)]))
def check_a_missing_candidate_is_reported_and_nothing_is_sent(fixture):
    reply, events = fixture.turn("hello")
    gone = one(events, "routing.not_possible")
    scoped(gone)
    same((gone["payload"]["candidateCount"], gone["status"]), (0, "blocked"), "not possible")
    need("thole auth add alpha" in gone["payload"]["remedy"], gone["payload"]["remedy"])
    kinds = {e["type"] for e in events}
    need(not kinds & {"model.requested", "routing.decided", "cost.estimated", "cost.recorded"}, "something was pretended")
    same(one(events, "turn.failed")["payload"]["category"], "no_candidate", "the end")
    same(fixture.read(reply["sessionId"])["status"], "failed", "the thread")


FALLING = script([model("alpha", "large"), model("beta", "small")], [
    {"when": {"provider": "alpha"}, "reply": {"error": {"status": 500, "message": "ill"}}}])


@rows("EVT-077", "RTE-09", "STA-08", script=FALLING, options=('routing.fallback_chain=["beta/small"]',))
def check_fallback_keeps_both_events(fixture):
    reply = fixture.call("submit_turn", input="hello", model="alpha/large")
    fixture.until("retrying", lambda: fixture.read(reply["sessionId"])["profileStatus"] == "retrying" or
              any(e["status"] == "retrying" for e in fixture.events(reply["sessionId"]) if "status" in e))
    events = fixture.until("the end", lambda: fixture.ended(reply))
    applied = one(events, "routing.fallback.applied")
    scoped(applied)
    same((applied["payload"]["from"], applied["payload"]["to"], applied["payload"]["chainPosition"], applied["payload"]["cause"]),
         ({"provider": "alpha", "model": "large"}, {"provider": "beta", "model": "small"}, 1, "server_error"), "the fallback")
    same([e["payload"]["selectedProvider"] for e in events if e["type"] == "routing.decided"], ["alpha", "beta"], "both decisions")
    waits = [e for e in events if e["type"] == "run.status" and e["payload"]["kind"] == "model_retry"]
    need(waits and all(e["status"] == "retrying" for e in waits), "no retrying in between")


# ---- money and limits


@rows("EVT-085", "EVT-086", "RTE-10", script=script([model("alpha", "large"), {"provider": "beta", "model": "odd", "price": "unknown"}],
                                                    [{"when": {"text": "no usage"}, "reply": {"text": "?", "usage": "unknown"}}]))
def check_cost_before_and_after(fixture):
    reply, events = fixture.turn("hello", model="alpha/large")
    estimated, recorded = one(events, "cost.estimated"), one(events, "cost.recorded")
    scoped(estimated, "modelRequestId", "costState")
    scoped(recorded, "modelRequestId", "costState", "limitState")
    order(events, "cost.estimated", "model.requested", "model.completed", "cost.recorded")
    need(estimated["payload"]["estimatedUsd"] >= recorded["payload"]["amountUsd"] > 0, "the estimate is on the safe side")
    usage = one(events, "model.completed")["payload"]["usage"]
    wanted = (usage["inputTokens"] * PRICE["inputPerMTok"] + usage["outputTokens"] * PRICE["outputPerMTok"]) / 1e6
    need(abs(recorded["payload"]["amountUsd"] - wanted) < 1e-9, f"{recorded['payload']['amountUsd']} for {usage}")
    same(recorded["payload"]["inputTokens"], usage["inputTokens"], "tokens")
    _, events = fixture.turn("hello", model="beta/odd")
    for kind in ("cost.estimated", "cost.recorded"):
        e = one(events, kind)
        same(e["payload"]["amountState"], "unknown", kind)
        need("amountUsd" not in e["payload"] and "estimatedUsd" not in e["payload"], "an unknown number")
        same(e["costState"]["state"], "unknown", kind)
    same(one(events, "cost.estimated")["payload"]["costClass"], "unknown", "never low")
    odd = [m for m in fixture.call("list_models")["models"] if m["model"] == "odd"][0]
    same((odd["priceState"], odd["costClass"]), ("unknown", "unknown"), "list_models")
    _, events = fixture.turn("no usage", model="alpha/large")
    same(one(events, "cost.recorded")["payload"]["basis"], "estimate", "no usage")


LIMITS = script([model("alpha", "large", local=False, maxOutputTokens=1000)], [
    {"when": {"text": "limited", "attempt": 1}, "reply": {"error": {"status": 429, "message": "slow down", "retryAfterMs": 60}}},
    {"when": {"text": "credit"}, "reply": {"error": {"status": 429, "category": "quota", "retryable": False, "message": "none"}}},
    {"when": {"text": "nearly"}, "reply": {"text": "ok", "limits": {"requestsLimit": 100, "requestsLeft": 4, "resetMs": 50}}},
    {"when": {"text": "slowly"}, "reply": {"text": "slow is done", "firstDelayMs": 3000}},
    {"when": {"text": "dear"}, "reply": {"text": "spent", "usage": {"input": 10, "output": 900}}}])


@rows("EVT-055", "EVT-087", "EVT-088", "EVT-089", "RTE-10", "RTE-11", "ACC-14", script=LIMITS, options=("limits.parallel_requests=1",))
def check_limits_are_events_of_their_turn(fixture):
    reply, events = fixture.turn("limited")
    hit = one(events, "rate_limit.hit")
    scoped(hit, "modelRequestId", "limitEvent", "limitState")
    same((hit["limitEvent"]["kind"], hit["limitEvent"]["provider"], hit["payload"]["retryAfterMs"]), ("rate_limit_hit", "alpha", 60), "429")
    failed = one(events, "model.failed", modelRequestId=hit["modelRequestId"])
    same((failed["turnId"], failed["payload"]["httpStatus"], hit["turnId"]), (reply["turnId"], 429, reply["turnId"]), "request and turn")
    need(fixture.call("get_output", outputRef=one(events, "model.requested")["refs"]["input"])["text"], "the request's own record")
    _, events = fixture.turn("nearly")
    changed = one(events, "limit.changed")
    same((changed["payload"]["kind"], changed["payload"]["source"]), ("rate", "provider_headers"), "headers")
    has(changed, "limitState", what="limit.changed")
    session = fixture.call("create_session", budgetUsd=0.11)["sessionId"]
    cap = one(fixture.events(session), "limit.changed")["payload"]
    same((cap["kind"], cap["scope"], cap["source"], cap["after"]["capUsd"]), ("budget", "session", "command", 0.11), "a cap")
    _, events = fixture.turn("dear", sessionId=session)
    low = one(events, "quota.low")
    scoped(low, "limitEvent", "limitState")
    same((low["limitEvent"]["kind"], low["payload"]["thresholdPercent"], low["limitState"]["state"]), ("quota_low", 80, "low"), "80 %")
    _, events = fixture.turn("once more", sessionId=session)
    blocked = one(events, "quota.blocked")
    scoped(blocked, "limitEvent", "limitState")
    same((blocked["limitEvent"]["kind"], one(events, "turn.failed")["payload"]["category"]), ("quota_blocked", "budget"), "used up")
    same(fixture.call("get_session", sessionId=session)["routingLimitSummary"]["limitState"]["state"], "blocked", "the read model")
    slow = [fixture.call("submit_turn", input="slowly") for _ in range(2)]
    fixture.wait(slow[1]["sessionId"], "limit.changed")
    why = fixture.call("explain_thread", sessionId=slow[1]["sessionId"])
    same(why["waitingFor"], "parallel", "why")
    need("limits.parallel_requests" in why["detail"], f"the reason names the setting: {why['detail']}")
    events = fixture.until("room", lambda: fixture.ended(slow[1]))
    full = one(events, "limit.changed")
    same((full["payload"]["kind"], full["limitEvent"]["kind"]), ("parallel", "parallel_budget_reached"), "too many at once")
    _, events = fixture.turn("credit")
    same(one(events, "quota.blocked")["payload"]["scope"], "provider", "an empty account")


@rows("STA-04", "STA-06", script=script([model("alpha", "large", credential=False), model("beta", "small")], [
    {"when": {"text": "ask me"}, "replies": [{"toolCalls": [{"name": "ask_user", "args": {"question": "Which?", "options": ["a", "b"]}}]},
                                             {"text": "Thanks."}]},
    {"when": {"text": "save"}, "replies": [{"toolCalls": [{"name": "save", "args": {}}]}, {"text": "ok"}]}],
    [{"name": "save", "policy": "ask", "result": {"text": "saved"}}]), options=('routing.on_no_candidate="wait"',))
def check_waits_have_different_kinds(fixture):
    asked, _ = fixture.asked("ask me", model="beta/small")
    same(fixture.read(asked["sessionId"])["profileStatus"], "waiting_input", "a question")
    held, _ = fixture.asked("save", model="beta/small")
    same(fixture.read(held["sessionId"])["profileStatus"], "waiting_permission", "a rule that asks")
    keyless = fixture.call("submit_turn", input="hello", model="alpha/large")
    fixture.wait(keyless["sessionId"], "routing.not_possible")
    read = fixture.read(keyless["sessionId"])
    same((read["profileStatus"], read["wait"]["for"]), ("waiting_resource", "resource"), "no key")
    events = fixture.events(asked["sessionId"])
    started = one(events, "turn.started")
    updated = [e for e in events if e["type"] == "thread.updated" and e["sequence"] > started["sequence"]][0]
    same(updated["payload"]["profileStatus"], "preparing", "before context, model and tools are there")
    fixture.call("interrupt_turn", sessionId=keyless["sessionId"])


# ---- context


@rows("CTX-01", "ECO-04")
def check_context_names_what_it_rests_on(fixture):
    project = os.path.join(fixture.dir, "proj")
    os.makedirs(os.path.join(project, ".git"))
    for name, text in (("AGENTS.md", "Use tabs."), ("data.txt", "Some data.")):
        with open(os.path.join(project, name), "w") as f:
            f.write(text)
    session = fixture.call("create_session", cwd=project)["sessionId"]
    reply, events = fixture.turn("hello", sessionId=session, context=[
        {"kind": "memory", "ref": "memory:name", "text": "The user is called Ada."},
        {"kind": "knowledge", "ref": "source:handbook", "text": "Boats float."},
        {"kind": "browser", "ref": "browser:tab:7"},
        {"kind": "file", "ref": "file:data.txt"}, {"kind": "file", "ref": "file:gone.txt"}])
    p = one(events, "context.resolved")["payload"]
    same((p["memoryRefs"], p["browserRefs"]), (["memory:name"], ["browser:tab:7"]), "memory and browser")
    need("source:handbook" in json.dumps(p["knowledgeRefs"]), "knowledge")
    need("file:data.txt" in p["workspaceRefs"] and "file:AGENTS.md" in p["instructionRefs"], json.dumps(p)[:500])
    need({"ref": "file:gone.txt", "reason": "not_found"}.items() <= p["missing"][-1].items(), json.dumps(p["missing"]))
    has(p, "policyFacts", "omissions", "history", "budget", what="context.resolved")
    boundary = fixture.read(session)["contextBoundary"]
    need("memory:name" in boundary["selectedRefs"] and len(boundary["missing"]) == len(p["missing"]), json.dumps(boundary)[:400])
    sent = fixture.call("get_output", outputRef=one(events, "model.requested")["refs"]["input"])["text"]
    need("Use tabs." in sent or '"ref"' in sent, sent[:300])


# ---- compaction, rollback


STORY = script(rules=[
    {"when": {"purpose": "summary", "text": "broken"}, "reply": {"error": {"status": 400, "message": "no such thing", "retryable": False}}},
    {"when": {"purpose": "summary"}, "reply": {"text": "In short."}},
    {"when": {"text": "write"}, "replies": [{"toolCalls": [{"name": "write", "args": {}}]}, {"text": "written"}]},
    {"when": {"text": "dump"}, "replies": [{"toolCalls": [{"name": "dump", "args": {}}]}, {"text": "long"}]},
    {"when": {"text": "save"}, "replies": [{"toolCalls": [{"name": "save", "args": {}}]}, {"text": "ok"}]},
    {"when": {"text": "soak"}, "replies": [{"toolCalls": [{"name": "soak", "args": {}}]}, {"text": "soaked"}]}],
    tools=[{"name": "write", "policy": "allowed", "result": {"writeFile": {"path": "a.txt", "text": "a"}, "artifact": True, "text": "wrote"}},
           {"name": "dump", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}\n", "bytes": 300000}}},
           {"name": "soak", "policy": "allowed", "result": {"text": "soaked", "hang": True}},
           {"name": "save", "policy": "ask", "result": {"text": "saved"}}])


def compact(fixture, session, **params):
    at = fixture.events(session)[-1]["sequence"]
    fixture.call("compact_thread", sessionId=session, **params)
    return fixture.until("the end of the compaction", lambda: [
        e for e in fixture.events(session) if e["type"] in ("context.compaction.completed", "context.compaction.failed")
        and e["sequence"] > at])[-1]


@rows("EVT-044", "EVT-045", "CTX-02", "CTX-03", "HIS-02", "HIS-03", "SNP-05", "ACC-05", "NEG-28", script=STORY)
def check_compaction_keeps_pending_approvals(fixture):
    reply, events = fixture.turn("write a file")
    session = reply["sessionId"]
    artifact = one(events, "artifact.changed")
    _, events = fixture.turn("dump", sessionId=session)
    ref = one(events, "tool.result")["refs"]["rawOutput"]
    calls = [c["toolCallId"] for c in fixture.read(session)["toolCalls"]]
    fixture.call("submit_turn", sessionId=session, input="soak")
    fixture.wait(session, "tool.progress", after=events[-1]["sequence"])
    fixture.restart()
    fixture.wait(session, "runtime.warning")
    fixture.call("interrupt_turn", sessionId=session)
    fixture.wait(session, "turn.failed")
    incidents = fixture.read(session)["incidents"]
    need(incidents, "no incident is open")
    _, action = fixture.asked("save", sessionId=session)
    evidence = fixture.read(session)["evidenceSummary"]
    done = compact(fixture, session)
    started = one(fixture.events(session), "context.compaction.started")
    scoped(started)
    scoped(done)
    same(started["payload"]["trigger"], "manual", "trigger")
    need(len(started["payload"]["affectedTurns"]) >= 3, "affected turns")
    p = done["payload"]
    has(p, "affectedTurns", "summaryPreview", "tokens", "preserved", "retries", what="the compaction")
    has(p["tokens"], "before", "after", what="tokens")
    has(done["refs"], "summary", "continuation", what="refs")
    same(p["preserved"]["actionIds"], [action["actionId"]], "actions")
    need(p["preserved"]["incidentIds"] and p["preserved"]["artifactRefs"], json.dumps(p["preserved"]))
    need(artifact["artifactId"] in json.dumps(p["preserved"]["artifactRefs"]), "the artifact")
    fixture.restart()
    read = fixture.read(session)
    same([a["actionId"] for a in read["pendingRequests"]], [action["actionId"]], "the action is still pending")
    same(read["incidents"], incidents, "incidents")
    same(read["evidenceSummary"], evidence, "evidence")
    boundary = read["contextBoundary"]
    same((boundary["compactions"][0]["trigger"], len(boundary["compactions"])), ("manual", 1), "the boundary")
    need(boundary["compactions"][0]["summaryRef"] == done["refs"]["summary"], json.dumps(boundary["compactions"]))
    same(fixture.call("get_output", outputRef=done["refs"]["summary"])["text"], "In short.", "the summary")
    need(fixture.call("get_output", outputRef=ref, length=6)["text"] == "line 1", "the tool's output")
    need(set(calls) <= {e["toolCallId"] for e in fixture.events(session) if e["type"] == "tool.result"}, "calls")
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    fixture.wait(session, "turn.completed", count=3)


@rows("EVT-046", "HIS-02", script=STORY)
def check_a_summary_that_fails_changes_nothing(fixture):
    reply, _ = fixture.turn("one")
    session = reply["sessionId"]
    before = fixture.read(session)["history"]
    failed = compact(fixture, session, instructions="broken")
    scoped(failed)
    same((failed["type"], failed["payload"]["category"], failed["payload"]["retryable"], failed["payload"]["retries"]),
         ("context.compaction.failed", "invalid_request", False, 0), "why")
    same(fixture.read(session)["history"]["turns"], before["turns"], "the history")


@rows("HIS-03", "CTX-02", script=script(windowTokens=3000, maxOutputTokens=200, enforceWindow=True, rules=[
    {"when": {"purpose": "summary"}, "reply": {"text": "In short."}},
    {"when": {"text": "tell me"}, "reply": {"text": {"repeat": "word {{n}} ", "count": 300}, "usage": {"input": 1300, "output": 600}}}]),
    options=("context.compact_percent=60", "tools.enabled=false", "tools.agents=false"))
def check_compaction_by_itself(fixture):
    session = fixture.turn("tell me")[0]["sessionId"]
    _, events = fixture.turn("and now", sessionId=session)
    same(one(events, "context.compaction.started")["payload"]["trigger"], "auto", "trigger")
    order(events, "context.compaction.started", "context.compaction.completed", "turn.completed")


@rows("EVT-111", "EVT-112", "HIS-04", "HIS-05", script=STORY)
def check_rollback(fixture):
    reply, _ = fixture.turn("one")
    session = reply["sessionId"]
    two, _ = fixture.turn("write a file", sessionId=session)
    child = fixture.call("spawn_subagent", sessionId=session, parentThreadId=reply["threadId"], role="helper", input="help me")
    fixture.wait(session, "subagent.completed")
    three, events = fixture.turn("three", sessionId=session)
    fixture.call("rollback_thread", sessionId=session, toTurnId=reply["turnId"])
    after = fixture.wait(session, "history.rollback.completed")
    started, done = one(after, "history.rollback.started"), one(after, "history.rollback.completed")
    need(reply["turnId"] in json.dumps(started), "the target")
    same(started["payload"]["removedTurns"], done["payload"]["removedTurns"], "removed")
    need({two["turnId"], three["turnId"]} <= set(done["payload"]["removedTurns"]), "both are removed")
    has(done, "historyBoundary", what="rollback")
    affected = done["payload"]["affected"]
    has(affected, "toolCallIds", "artifactIds", "subagentIds", "jobIds", what="affected")
    need(affected["toolCallIds"] and affected["artifactIds"], json.dumps(affected))
    has(done["payload"], "repairedModels", what="repair")
    same([t["turnId"] for t in fixture.read(session)["turns"]], [reply["turnId"]], "what can be gone on with")
    same([e["eventId"] for e in fixture.events(session)][:len(events)], [e["eventId"] for e in events], "the log keeps all")


@rows("HIS-08", own=True)
def check_the_model_is_sent_the_same_history_after_a_restart(build):
    """Compared where it arrives: at a provider over HTTP."""
    sim = Simulator()
    providers = {"sim": {"dialect": "compatible", "needsKey": False, "baseUrl": f"http://127.0.0.1:{sim.port}/text/v1",
                         "models": ["sim-1"]}}
    fixture = Fixture(build, options=("providers=" + json.dumps(providers), "model=sim/sim-1"))
    try:
        session = fixture.turn("one")[0]["sessionId"]
        fixture.turn("two", sessionId=session)
        fixture.restart()
        fixture.turn("three", sessionId=session)
        before, after = [visit["body"]["messages"] for visit in sim.journal()[-2:]]
        same(after[:len(before)], before, "what was sent before the restart")
        same([m["role"] for m in after[len(before):]], ["assistant", "user"], "what came since")
        need("three" in json.dumps(after[-1]) and "simulator" in json.dumps(after[-2]), json.dumps(after[-2:]))
    finally:
        fixture.close()
        sim.close()
