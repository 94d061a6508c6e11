"""Commands: turns, queue, resume."""
import gzip
import json
import pathlib
import threading

from contract_fixture import need, one, order, rows, same


@rows("CTL-01", "STA-02", "STA-03")
def check_submit_says_accepted_or_queued(fixture):
    first = fixture.call("submit_turn", input=[{"type": "text", "text": "for hours"}], metadata={"k": 1}, source="http")
    same(first["status"], "accepted", "first")
    second = fixture.call("submit_turn", sessionId=first["sessionId"], input="b")
    same((second["status"], second["behind"]), ("queued", first["turnId"]), "second")
    events = fixture.events(first["sessionId"])
    states = {e["turnId"]: e["status"] for e in events if e["type"] == "turn.submitted"}
    same(states, {first["turnId"]: "accepted", second["turnId"]: "queued"}, "turn.submitted")
    fixture.refused("session_not_found", "submit_turn", sessionId="sess_none", input="x", create="never")
    made = fixture.call("submit_turn", sessionId="sess_mine", input="x")
    same(made["sessionId"], "sess_mine", "create policy if_missing")


@rows("CTL-02")
def check_the_same_turn_twice_is_one(fixture):
    replies = []

    def send():
        replies.append(fixture.transport.call("submit_turn", {"sessionId": "sess_c", "turnId": "turn_c", "input": "hello"}))

    senders = [threading.Thread(target=send) for _ in range(6)]
    for t in senders:
        t.start()
    for t in senders:
        t.join()
    send()
    fixture.restart()
    send()
    for code, reply in replies:
        need(not code, f"refused: {reply}")
        same({k: v for k, v in reply.items()}, replies[0][1], "reply")
    same(sum(e["type"] == "turn.submitted" for e in fixture.events("sess_c")), 1, "turns")
    fixture.refused("idempotency_conflict", "submit_turn", sessionId="sess_c", turnId="turn_c", input="other")


@rows("CTL-03")
def check_every_mutation_takes_a_key(fixture):
    session = fixture.call("create_session", title="t", idempotencyKey="k0")["sessionId"]

    def twice(command, change, **params):
        first = fixture.call(command, idempotencyKey="k-" + command, **params)
        count = len(fixture.events(session))
        code, again = fixture.transport.call(command, {"idempotencyKey": "k-" + command, **params})
        need(not code, f"{command} again: {again}")
        same(again, first, f"{command} again")
        same(len([e for e in fixture.events(session)[count:] if "command" in e]), 0, f"events of {command} the second time")
        fixture.refused("idempotency_conflict", command, idempotencyKey="k-" + command, **{**params, **change})
        return first

    same(fixture.call("create_session", title="t", idempotencyKey="k0")["sessionId"], session, "create_session again")
    fixture.refused("idempotency_conflict", "create_session", title="u", idempotencyKey="k0")
    twice("update_session", {"title": "v"}, sessionId=session, title="u")
    fixture.call("submit_turn", sessionId=session, input="hang")
    fixture.wait(session, "model.delta")
    a = twice("submit_turn", {"input": "aa"}, sessionId=session, input="a")["turnId"]
    b = fixture.call("submit_turn", sessionId=session, input="b")["turnId"]
    twice("promote_queued_turn", {"queuedTurnId": a}, sessionId=session, queuedTurnId=b)
    twice("move_queued_turn", {"position": 1}, sessionId=session, queuedTurnId=b, position=2)
    twice("remove_queued_turn", {"queuedTurnId": b}, sessionId=session, queuedTurnId=a)
    twice("interrupt_turn", {"reason": "else"}, sessionId=session, reason="enough")
    twice("resume_thread", {"threadId": "thr_x"}, sessionId=session)
    fixture.until("an idle thread", lambda: fixture.read(session)["status"] == "completed")
    _, action = fixture.asked("save", sessionId=session)
    twice("respond_action", {"decision": "allow"}, sessionId=session, actionId=action["actionId"], decision="deny")
    twice("reconnect_channel", {"lastAckedSequence": 1}, sessionId=session, channelId="chan_k")
    twice("ack_events", {"sequence": 2}, sessionId=session, channelId="chan_k", sequence=1)
    status, data = fixture.transport.request("POST", "/v1/commands/update_session", json.dumps({"sessionId": session, "title": "h"}),
                                    {"Idempotency-Key": "header"})
    again = fixture.transport.request("POST", "/v1/commands/update_session", json.dumps({"sessionId": session, "title": "h"}),
                             {"Idempotency-Key": "header"})
    same(again, (status, data), "key in the header")


@rows("CTL-06", "CTL-07", "QUE-04", "STA-14", "NEG-30", "HIS-07")
def check_resume_after_a_crash(fixture):
    reply = fixture.call("submit_turn", input="soak")
    session = reply["sessionId"]
    fixture.wait(session, "tool.progress")
    queued = fixture.call("submit_turn", sessionId=session, input="later")
    fixture.restart()
    read = fixture.read(session)
    same((read["status"], read["profileStatus"]), ("blocked", "lost"), "thread after the crash")
    need(read["statusReason"], "no reason")
    count = len(fixture.events(session))
    snapshot = fixture.call("get_session", sessionId=session)
    need(not [t for t in snapshot["tasks"] if t["status"] in ("running", "completed")], f"tasks: {snapshot['tasks']}")
    need(snapshot["threads"][0]["diagnostics"]["lostWorkers"], "no lost worker told")
    same(len(fixture.events(session)), count, "nothing runs by itself")
    answer = fixture.call("resume_thread", sessionId=session)
    need(answer["status"], f"{answer}")
    events = fixture.wait(session, "turn.completed", 2)
    order(events, "history.reconstructed", "task.retrying", "model.requested", "turn.completed", "queue.changed", "turn.completed")
    same(sum(e["type"] == "tool.progress" for e in events), 1, "the lost call is not run again")
    same(sum(e["type"] == "turn.started" and e["turnId"] == reply["turnId"] for e in events), 1, "turn.started once")
    same(fixture.read(session)["turns"][-1]["turnId"], queued["turnId"], "the queued turn ran")
    code, again = fixture.transport.call("resume_thread", {"sessionId": session})
    same((code, again["status"]), (None, "nothing_to_resume"), "resume of what is done")


@rows("CTL-20", "CTL-21", "QUE-01", "QUE-03", "QUE-05", "ACC-04")
def check_the_queue(fixture):
    first = fixture.call("submit_turn", input="hang")
    session = first["sessionId"]
    fixture.wait(session, "model.delta")
    a, b, c = (fixture.call("submit_turn", sessionId=session, input=t)["turnId"] for t in "abc")
    fixture.call("promote_queued_turn", sessionId=session, queuedTurnId=c)
    same(one(fixture.events(session), "queue.changed")["payload"]["order"], [c, a, b], "order")
    fixture.call("remove_queued_turn", sessionId=session, queuedTurnId=a)
    before = fixture.call("list_queue", sessionId=session)
    fixture.restart()
    after = fixture.call("list_queue", sessionId=session)
    same([{k: q[k] for k in ("turnId", "position", "source", "delivery")} for q in after["queuedTurns"]],
         [{k: q[k] for k in ("turnId", "position", "source", "delivery")} for q in before["queuedTurns"]], "queue after kill -9")
    for key in ("order", "policy", "resumeState"):
        need(key in after["queue"], f"no {key}")
    fixture.call("interrupt_turn", sessionId=session, queuePolicy="continue")
    events = fixture.wait(session, "turn.completed", 2)
    changes = [e["payload"]["change"] for e in events if e["type"] == "queue.changed"]
    same(changes[:5], ["added", "added", "added", "promoted", "removed"], "changes")
    same(changes.count("started"), 2, "started")
    same([e["turnId"] for e in events if e["type"] == "turn.started"], [first["turnId"], c, b], "who started")
    gone = [e for e in events if e["type"] == "turn.failed" and e["turnId"] == a]
    same([e["status"] for e in gone], ["cancelled"], "the removed turn")


@rows("QUE-02")
def check_a_busy_thread_refuses_by_policy(fixture):
    first = fixture.call("submit_turn", input="hang")
    problem = fixture.refused("thread_busy", "submit_turn", sessionId=first["sessionId"], input="b", delivery="reject")
    need("reject" in json.dumps(problem), f"the policy is not named: {problem}")
    same(fixture.call("submit_turn", sessionId=first["sessionId"], input="b", delivery="queue")["status"], "queued", "queue")


@rows("QUE-02", options=("queue.on_busy=reject",))
def check_the_policy_may_be_a_setting(fixture):
    first = fixture.call("submit_turn", input="hang")
    problem = fixture.refused("thread_busy", "submit_turn", sessionId=first["sessionId"], input="b")
    need("reject" in json.dumps(problem), f"the policy is not named: {problem}")


@rows("CTL-22", "CTL-23", "SNP-01", "SNP-17", "ACC-09")
def check_an_old_session_opens_in_steps(fixture):
    reply, _ = fixture.turn("1")
    session = reply["sessionId"]
    for i in range(2, 31):
        fixture.turn(str(i), sessionId=session)
    fixture.restart()
    shell = fixture.call("get_session", sessionId=session, window=1)
    for key in ("title", "createdAt", "updatedAt", "workspaceId", "account", "activeThreadIds", "pinnedThreadIds", "historyWindow",
                "threads", "tasks", "taskSummary", "taskGraph", "subagentJobSummary", "evidenceRefs", "artifactRefs", "stale",
                "truncated", "sequence"):
        need(key in shell, f"no {key} in the snapshot")
    same((len(shell["threads"][0]["turns"]), shell["historyWindow"]["older"], shell["truncated"]), (1, 29, True), "window of 1")
    plain = fixture.call("get_session", sessionId=session)
    same(len(plain["threads"][0]["turns"]), 8, "turns when nothing is said")
    need(len(json.dumps(plain)) < 400000, "the snapshot is not bounded")
    older = fixture.call("list_events", sessionId=session, after=0, limit=10)
    same((len(older["events"]), older["more"]), (10, True), "older pages by cursor")
    read = fixture.read(session)
    for key in ("status", "profileStatus", "pendingRequests", "lastOutcome", "incidents", "diagnostics", "queue", "turns"):
        need(key in read, f"no {key} in the thread read")
    before = len(fixture.events(session))
    same(before, fixture.events(session)[-1]["sequence"], "reads append nothing")


@rows()
def check_the_document_is_the_one_of_the_reference(fixture):
    """Plain and packed, with its texts."""
    page = pathlib.Path(__file__).parents[3] / "docs/reference/openapi.json"
    wanted = json.loads(page.read_text())
    for encoding, unpack in (("identity", bytes), ("gzip", gzip.decompress)):
        status, body = fixture.get("/openapi.json", Accept_Encoding=encoding)
        same(status, 200, encoding)
        same(json.loads(unpack(body)), wanted, encoding)
