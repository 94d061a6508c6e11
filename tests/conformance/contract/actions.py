"""What people owe: actions."""
import json
import time

from lab import need, one, rows, same


@rows("ACC-03", "ACT-02", "ACT-03", "ACT-04", "ACT-05", "ACT-06", "CTL-19")
def check_an_approval(lab):
    reply, action = lab.asked("save")
    session, payload = reply["sessionId"], action["payload"]
    same(payload["actionType"], "tool_permission", "type")
    same((action["threadId"], action["turnId"]), (reply["threadId"], reply["turnId"]), "scope")
    need(action["toolCallId"] and action["stepId"] and action["taskId"], "ids of the call")
    need(payload["prompt"], "prompt")
    same([d["decision"] for d in payload["decisions"]], ["allow", "deny"], "decisions")
    need(payload["wait"]["until"] and payload["onExpiry"] == "deny", "timeout")
    need("rule" in json.dumps(payload), f"no rule is named: {payload}")
    count = len(lab.events(session))
    lab.refused("action_not_found", "respond_action", sessionId=session, actionId="act_nobody", decision="allow")
    lab.refused("invalid_decision", "respond_action", sessionId=session, actionId=action["actionId"], decision="answer")
    lab.refused("invalid_value", "respond_action", sessionId=session, actionId=action["actionId"], decision="perhaps")
    same(len(lab.events(session)), count, "refusals leave no fact")
    need(not lab.saved(), "the tool ran before the answer")
    answer = lab.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    same((answer["actionId"], answer["decision"]), (action["actionId"], "allow"), "reply")
    again = lab.refused("already_resolved", "respond_action", sessionId=session, actionId=action["actionId"], decision="deny")
    need("allow" in json.dumps(again), f"the winner is not named: {again}")
    events = lab.wait(session, "turn.completed")
    same(sum(e["type"] == "tool.result" for e in events), 1, "it runs once")
    need(lab.saved(), "it did not run")


@rows("ACC-03", "ACT-07")
def check_a_denial(lab):
    reply, action = lab.asked("save")
    lab.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="deny")
    events = lab.wait(reply["sessionId"], "turn.completed")
    same(one(events, "tool.failed")["payload"]["executed"], "no", "executed")
    need(not lab.saved(), "it ran")


@rows("ACT-04")
def check_a_typed_answer_is_checked(lab):
    reply, action = lab.asked("ask me")
    payload = action["payload"]
    same(payload["actionType"], "structured_input", "type")
    need(payload.get("schema") or payload.get("answerSchema") or payload.get("schemaRef"), f"no schema: {payload}")
    for answer in ({"answer": "c"}, {"answer": 5}, {}):
        lab.refused("invalid_answer", "respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="answer",
                    payload=answer)
    lab.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="answer", payload={"answer": "b"})
    lab.wait(reply["sessionId"], "turn.completed")


@rows("ACT-06", options=("action.timeout_s=1",))
def check_time_runs_out(lab):
    reply, _ = lab.asked("save")
    events = lab.wait(reply["sessionId"], "turn.completed")
    end = one(events, "action.resolved")
    same((end["status"], end["payload"]["decision"]), ("timed_out", "deny"), "end")
    need(not lab.saved(), "it ran")


@rows("ACT-06", options=("action.timeout_s=1",))
def check_time_runs_out_while_nobody_runs(lab):
    reply, action = lab.asked("save")
    lab.daemon.kill()
    over = time.time() + 1.1
    lab.until("its time", lambda: time.time() > over)
    lab.start()
    events = lab.wait(reply["sessionId"], "turn.completed")
    same(one(events, "action.resolved")["status"], "timed_out", "end")
    same(one(events, "action.resolved")["actionId"], action["actionId"], "which")


@rows("ACT-08", "ACT-09", "CHN-05")
def check_only_an_answer_is_an_answer(lab):
    reply, action = lab.asked("save")
    session = reply["sessionId"]
    lab.turn("elsewhere", sessionId=session, threadId="thr_other")
    lab.turn("another session")
    said = lab.call("submit_turn", sessionId=session, threadId=reply["threadId"], input="yes, approved")
    same(said["status"], "queued", "a message")
    lab.call("submit_turn", sessionId=session, threadId=reply["threadId"], input="allow", delivery="steer")
    read = lab.read(session, reply["threadId"])
    same([p["actionId"] for p in read["pendingRequests"]], [action["actionId"]], "still pending")
    need(not lab.saved(), "it ran")
    before = sum(e["type"] == "turn.submitted" for e in lab.events(session))
    lab.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    same(sum(e["type"] == "turn.submitted" for e in lab.events(session)), before, "an approval is no turn")
