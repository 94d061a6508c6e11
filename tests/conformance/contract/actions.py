"""Actions: approvals and questions."""
import json
import time

from contract_fixture import need, one, rows, same


@rows("ACC-03", "ACT-02", "ACT-03", "ACT-04", "ACT-05", "ACT-06", "CTL-19")
def check_an_approval(fixture):
    reply, action = fixture.asked("save")
    session, payload = reply["sessionId"], action["payload"]
    same(payload["actionType"], "tool_permission", "type")
    same((action["threadId"], action["turnId"]), (reply["threadId"], reply["turnId"]), "scope")
    need(action["toolCallId"] and action["stepId"] and action["taskId"], "ids of the call")
    need(payload["prompt"], "prompt")
    same([d["decision"] for d in payload["decisions"]], ["allow", "deny"], "decisions")
    need(payload["wait"]["until"] and payload["onExpiry"] == "deny", "timeout")
    need("rule" in json.dumps(payload), f"no rule is named: {payload}")
    count = len(fixture.events(session))
    fixture.refused("action_not_found", "respond_action", sessionId=session, actionId="act_missing", decision="allow")
    fixture.refused("invalid_decision", "respond_action", sessionId=session, actionId=action["actionId"], decision="answer")
    fixture.refused("invalid_value", "respond_action", sessionId=session, actionId=action["actionId"], decision="perhaps")
    same(len(fixture.events(session)), count, "refusals leave no event")
    need(not fixture.saved(), "the tool ran before the answer")
    answer = fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    same((answer["actionId"], answer["decision"]), (action["actionId"], "allow"), "reply")
    again = fixture.refused("already_resolved", "respond_action", sessionId=session, actionId=action["actionId"], decision="deny")
    need("allow" in json.dumps(again), f"the winner is not named: {again}")
    events = fixture.wait(session, "turn.completed")
    same(sum(e["type"] == "tool.result" for e in events), 1, "it runs once")
    need(fixture.saved(), "it did not run")


@rows("ACC-03", "ACT-07")
def check_a_denial(fixture):
    reply, action = fixture.asked("save")
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="deny")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    same(one(events, "tool.failed")["payload"]["executed"], "no", "executed")
    need(not fixture.saved(), "it ran")


@rows("ACT-04")
def check_a_typed_answer_is_checked(fixture):
    reply, action = fixture.asked("ask me")
    payload = action["payload"]
    same(payload["actionType"], "structured_input", "type")
    need(payload.get("schema") or payload.get("answerSchema") or payload.get("schemaRef"), f"no schema: {payload}")
    for answer in ({"answer": "c"}, {"answer": 5}, {}):
        fixture.refused("invalid_answer", "respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="answer",
                    payload=answer)
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="answer", payload={"answer": "b"})
    fixture.wait(reply["sessionId"], "turn.completed")


@rows("ACT-06", options=("action.timeout_s=1",))
def check_time_runs_out(fixture):
    reply, _ = fixture.asked("save")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    end = one(events, "action.resolved")
    same((end["status"], end["payload"]["decision"]), ("timed_out", "deny"), "end")
    need(not fixture.saved(), "it ran")


@rows("ACT-06", options=("action.timeout_s=1",))
def check_time_runs_out_while_the_runtime_is_down(fixture):
    reply, action = fixture.asked("save")
    fixture.daemon.kill()
    over = time.time() + 1.1
    fixture.until("its time", lambda: time.time() > over)
    fixture.start()
    events = fixture.wait(reply["sessionId"], "turn.completed")
    same(one(events, "action.resolved")["status"], "timed_out", "end")
    same(one(events, "action.resolved")["actionId"], action["actionId"], "which")


@rows("ACT-08", "ACT-09", "CHN-05")
def check_only_an_answer_is_an_answer(fixture):
    reply, action = fixture.asked("save")
    session = reply["sessionId"]
    fixture.turn("elsewhere", sessionId=session, threadId="thr_other")
    fixture.turn("another session")
    said = fixture.call("submit_turn", sessionId=session, threadId=reply["threadId"], input="yes, approved")
    same(said["status"], "queued", "a message")
    fixture.call("submit_turn", sessionId=session, threadId=reply["threadId"], input="allow", delivery="steer")
    read = fixture.read(session, reply["threadId"])
    same([p["actionId"] for p in read["pendingRequests"]], [action["actionId"]], "still pending")
    need(not fixture.saved(), "it ran")
    before = sum(e["type"] == "turn.submitted" for e in fixture.events(session))
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    same(sum(e["type"] == "turn.submitted" for e in fixture.events(session)), before, "an approval is no turn")
