"""Enrolled peers: identity, bridge, reconnect."""
import json
import os
import signal

from lab import Wrong, need, one, order, rows, same


@rows("CHN-01", "CHN-02", "EVT-090", "EVT-091", "SNP-13")
def check_who_is_connected(lab):
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    faces = {"json_rpc": lab.socket(), "websocket": lab.websocket()}
    ids = {}
    for transport, face in faces.items():
        _, hello = lab.channel("permissions", face=face, clientInfo={"name": "test"})
        ids[transport] = hello["channelId"]
        need(hello["resumeToken"], "no resume token")
        code, got = face.call("submit_turn", {"sessionId": session, "input": "from " + transport})
        need(not code, f"{got}")
    stdio = lab.stdio()
    answer = stdio.rpc("initialize", {"peerRole": "host"})
    ids["stdio"] = answer["result"]["channelId"]
    stdio.call("submit_turn", {"sessionId": session, "input": "from stdio"})
    lab.call("reconnect_channel", sessionId=session, channelId="chan_http", peerRole="worker")
    ids["http_json"] = "chan_http"
    summary = lab.call("get_session", sessionId=session)["channelSummary"]
    for transport, channel in ids.items():
        found = [c for c in summary["channels"] if c["channelId"] == channel]
        need(found, f"{transport} is not in the summary")
        c = found[0]
        same(c["transport"], transport, "transport")
        for key in ("peerRole", "accountRef", "capabilities", "lastSeenAt", "resumeTokenRef"):
            need(key in c, f"{transport}: no {key}")
        need("Protocol" in json.dumps(c) or transport == "http_json", f"no native protocol: {c}")
        same(c["status"], "running", "status")
        e = [e for e in lab.events(session) if e["type"] == "channel.connected" and e["channelId"] == channel]
        need(e, f"no channel.connected for {transport}")
        need(answer["result"]["resumeToken"] not in json.dumps(lab.events(session)), "a token stands in the log")
    same([c["peerRole"] for c in summary["channels"] if c["channelId"] in (ids["stdio"], "chan_http")].sort(),
         ["host", "worker"].sort(), "roles")
    faces["websocket"].close()
    events = lab.until("the end of the WebSocket", lambda: [
        e for e in lab.events(session) if e["type"] == "channel.disconnected" and e["channelId"] == ids["websocket"]])
    need(events[0]["payload"]["cause"], "cause")
    summary = lab.call("get_session", sessionId=session)["channelSummary"]
    states = {c["channelId"]: c["status"] for c in summary["channels"]}
    same(states[ids["json_rpc"]], "running", "the other one")
    need(states[ids["websocket"]] != "running", f"the closed one: {states}")
    stdio.close()
    faces["json_rpc"].close()


@rows("CHN-03")
def check_strangers_are_refused_and_friends_leave_traces(lab):
    token, lab.face.token = lab.face.token, "wrong"
    status, body = lab.face.request("POST", "/v1/commands/submit_turn", '{"input":"x"}')
    same((status, json.loads(body)["code"]), (401, "unauthorized"), "a stranger")
    try:
        lab.websocket()
        raise Wrong("a stranger got a WebSocket")
    except Wrong as e:
        need("no WebSocket" in str(e), str(e))
    lab.face.token = token
    c, hello = lab.channel()
    code, reply = c.call("submit_turn", {"input": "hello"})
    events = lab.until("its end", lambda: lab.ended(reply))
    order(events, "session.created", "channel.connected", "turn.submitted")
    same(one(events, "channel.connected")["channelId"], hello["channelId"], "channel")
    submitted = one(events, "turn.submitted")
    need(hello["channelId"] in json.dumps([submitted, events[0], one(events, "task.created")]), "who submitted is not told")
    c.close()
    metrics = lab.get("/metrics")[1].decode()
    need("unauthorized" in metrics or "refus" in metrics, "refusals are not counted")


@rows("CHN-04", "CHN-05", "EVT-094", "EVT-095", "NEG-25")
def check_the_permission_bridge(lab):
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    c, hello = lab.channel("permissions")
    c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    _, action = lab.asked("save", sessionId=session)
    events = lab.wait(session, "channel.permission_forwarded")
    order(events, "action.required", "channel.permission_forwarded")
    forwarded = one(events, "channel.permission_forwarded")
    same((forwarded["channelId"], forwarded["actionId"]), (hello["channelId"], action["actionId"]), "forwarded")
    need("subject" in forwarded["payload"], f"no subject: {forwarded['payload']}")
    summary = lab.call("get_session", sessionId=session)["channelSummary"]
    same(summary["pendingForwards"], [action["actionId"]], "pending forwards")
    turns = sum(e["type"] == "turn.submitted" for e in events)
    code, answer = c.call("respond_action", {"sessionId": session, "actionId": action["actionId"], "decision": "allow"})
    need(not code, f"{answer}")
    events = lab.wait(session, "turn.completed", 2)
    order(events, "action.required", "channel.permission_returned", "action.resolved", "permission.resolved")
    returned = one(events, "channel.permission_returned")
    for key in ("decision", "decidedSide", "source", "channelScoped"):
        need(key in returned["payload"], f"no {key} in {returned['payload']}")
    need(hello["channelId"] in json.dumps(one(events, "action.resolved")["payload"]["decidedBy"]), "who decided is not told")
    same(sum(e["type"] == "turn.submitted" for e in events), turns, "an approval is no turn")
    same(lab.call("get_session", sessionId=session)["channelSummary"].get("pendingForwards", []), [], "nothing pending")
    c.close()


@rows("CHN-04", "NEG-25")
def check_an_answer_of_a_peer_that_was_not_asked(lab):
    """Enrolled, but never heard of by this session: the bridge still leaves all its facts."""
    reply, action = lab.asked("save")
    c, hello = lab.channel("permissions", face=lab.websocket())
    code, answer = c.call("respond_action", {"sessionId": reply["sessionId"], "actionId": action["actionId"], "decision": "deny"})
    need(not code, f"{answer}")
    events = lab.wait(reply["sessionId"], "turn.completed")
    order(events, "channel.connected", "channel.permission_forwarded", "channel.permission_returned", "action.resolved")
    same(sum(e["type"] == "channel.permission_forwarded" for e in events), 1, "forwarded")
    c.close()


@rows("EVT-094")
def check_a_channel_that_comes_while_an_action_is_pending(lab):
    reply, action = lab.asked("save")
    c, hello = lab.channel("permissions")
    c.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    events = lab.wait(reply["sessionId"], "channel.permission_forwarded")
    same(one(events, "channel.permission_forwarded")["actionId"], action["actionId"], "action")
    c.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    same(sum(e["type"] == "channel.permission_forwarded" for e in lab.events(reply["sessionId"])), 1, "once per channel and question")
    c.close()


@rows("CTL-40", "CTL-41", "CHN-06", "EVT-092", "ACC-15")
def check_reconnect_goes_on_behind_what_was_acknowledged(lab):
    reply, events = lab.turn("hello")
    session = reply["sessionId"]
    c, hello = lab.channel("permissions")
    code, first = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    same(first["snapshot"]["sequence"], len(events), "the snapshot names its sequence")
    c.call("ack_events", {"sessionId": session, "channelId": hello["channelId"], "sequence": 12})
    found = [x for x in lab.call("list_channels", sessionId=session)["channels"] if x["channelId"] == hello["channelId"]]
    same(found[0].get("lastAckedSequence"), 12, "lastAckedSequence in list_channels")
    summary = lab.call("get_session", sessionId=session)["channelSummary"]["channels"]
    same([x.get("lastAckedSequence") for x in summary], [12], "lastAckedSequence in the summary")
    c.close()
    lab.wait(session, "channel.disconnected")
    same(one(lab.events(session), "channel.disconnected")["payload"]["lastAckedSequence"], 12, "at the end")
    lab.turn("meanwhile", sessionId=session)
    lab.restart()
    c, again = lab.channel("permissions", channelId=hello["channelId"], resumeToken=hello["resumeToken"])
    same(again["channelId"], hello["channelId"], "the same channel")
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "resumeToken": hello["resumeToken"]})
    same((code, back["fromSequence"], back.get("gap", False)), (None, 13, False), "where it goes on")
    need(back["snapshot"]["sequence"] >= len(events), "the snapshot")
    events = lab.wait(session, "channel.resumed")
    same(one(events, "channel.resumed")["payload"]["lastAckedSequence"], 12, "resumed")
    answer = c.rpc("subscribe_events", {"sessionId": session, "channelId": hello["channelId"]})
    need("error" not in answer, f"{answer}")
    notice = c.notice()
    while notice["method"] != "event":
        notice = c.notice()
    same(notice["params"]["sequence"], 13, "the first event that follows")
    c.close()


@rows("EVT-091")
def check_a_peer_that_dies_is_gone(lab):
    reply, _ = lab.turn("hello")
    stdio = lab.stdio()
    hello = stdio.rpc("initialize", {})["result"]
    stdio.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    os.kill(stdio.process.pid, signal.SIGKILL)
    stdio.process.wait()
    events = lab.wait(reply["sessionId"], "channel.disconnected")
    same(one(events, "channel.disconnected")["channelId"], hello["channelId"], "channel")


@rows("CHN-10", deep=True)
def check_a_peer_that_freezes_is_gone(lab):
    """It is connected and answers no ping; over HTTP, it is not heard of."""
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    c, hello = lab.channel(face=lab.websocket())
    c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    lab.call("reconnect_channel", sessionId=session, channelId="chan_http")
    lab.until("both are gone", lambda: sum(e["type"] == "channel.disconnected" for e in lab.events(session)) == 2, base_s=120)
    causes = {e["channelId"]: e["payload"]["cause"] for e in lab.events(session) if e["type"] == "channel.disconnected"}
    same(causes, {hello["channelId"]: "heartbeat_missed", "chan_http": "heartbeat_missed"}, "causes")
    c.close()


def trimmed(lab, keep=10):
    """A session of three turns whose beginning retention has removed; its id and the last event that is gone."""
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    lab.turn("again", sessionId=session)
    _, events = lab.turn("once more", sessionId=session)
    lab.call("trim_log", sessionId=session, keep=keep)
    told = lab.until("what was removed", lambda: [e for e in lab.events(session) if e.get("type") == "snapshot.updated"
                                                  and "removedThrough" in e["payload"]])
    return session, told[-1]["payload"]["removedThrough"]


@rows("CHN-06", "CTL-40", "ACC-15", "EVT-113")
def check_reconnect_below_the_retention_floor_tells_the_gap(lab):
    c, hello = lab.channel("permissions")
    session, floor = trimmed(lab)
    need(floor > 5, f"nothing was removed: {floor}")
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "lastAckedSequence": 3})
    need(not code, f"{code}: {back}")
    same((back.get("gap"), back.get("gapFrom"), back.get("gapTo"), back["fromSequence"]), (True, 4, floor, floor + 1), "the gap")
    same(back["recoveryMode"], "retention", "recovery mode")
    need("thread_read_model" in back["stale"], f"stale: {back.get('stale')}")
    need(back["snapshot"]["sequence"] > floor and back["snapshot"]["threads"], "the snapshot")
    repaired = one(lab.events(session, floor), "snapshot.repaired")
    same((repaired["payload"]["gapFrom"], repaired["payload"]["gapTo"]), (4, floor), "the fact")
    need(repaired["payload"]["stale"] and repaired["payload"]["recoveryMode"] == "retention", f"{repaired['payload']}")
    first = c.notice()
    same((first["method"], first["params"]["sequence"]), ("event", floor + 1), "the first event that follows")
    last, seen = back["sequence"], floor + 1
    while seen < last:
        notice = c.notice()
        same((notice["method"], notice["params"]["sequence"]), ("event", seen + 1), "no hole")
        seen += 1
    c.close()


@rows("CTL-40", "CHN-06", "ACC-15")
def check_events_follow_a_reconnect_without_another_command(lab):
    reply, events = lab.turn("hello")
    session, faces = reply["sessionId"], (lab.socket(), lab.websocket())
    for face in faces:
        c, hello = lab.channel(face=face)
        code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "lastAckedSequence": 12})
        same((back["fromSequence"], back.get("gap", False)), (13, False), "where it goes on")
        need(back["subscriptionId"], "which subscription sends them")
        same(c.notice()["params"]["sequence"], 13, f"the first event over {face.name}")
        # a subscription of its own takes the place of that one: each event comes once
        answer = c.rpc("subscribe_events", {"sessionId": session, "channelId": hello["channelId"], "after": back["sequence"]})
        need("error" not in answer, f"{answer}")
        c.notices.clear()
        lab.turn("more", sessionId=session)
        numbers = [c.notice()["params"]["sequence"] for _ in range(6)]
        same(sorted(set(numbers)), numbers, f"each once over {face.name}")
        c.close()
    c, hello = lab.channel()
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "follow": False})
    need("subscriptionId" not in back, "nothing follows who does not want it")
    c.close()


@rows("CTL-40", "CHN-06")
def check_a_reconnect_over_http_is_a_stream_if_that_is_asked_for(lab):
    session, floor = trimmed(lab)
    for accept in ("text/event-stream", "application/x-ndjson"):
        connection = lab.connection()
        connection.request("POST", "/v1/commands/reconnect_channel",
                           json.dumps({"sessionId": session, "channelId": "chan_" + accept[:4], "lastAckedSequence": 2}),
                           {"Authorization": "Bearer " + lab.face.token, "Content-Type": "application/json", "Accept": accept})
        response, numbers, first = connection.getresponse(), [], None
        same(response.status, 200, accept)
        while len(numbers) < 3:
            line = response.readline().decode().strip()
            need(line or accept.startswith("text"), "the stream ended")
            line = line[6:] if line.startswith("data: ") else line if line.startswith("{") else ""
            if not line:
                continue
            frame = json.loads(line)
            if first is None:
                first = frame.get("reconnected", frame)
            else:
                numbers.append(frame["sequence"])
        same((first.get("gap"), first["gapTo"]), (True, floor), "the first frame tells the gap")
        need(first["snapshot"]["sequence"] >= floor, "and has the snapshot")
        same(numbers, [floor + 1, floor + 2, floor + 3], "events follow in the same response")
        connection.close()
    reply = lab.call("reconnect_channel", sessionId=session, channelId="chan_plain", lastAckedSequence=2)
    same((reply["gap"], reply["fromSequence"]), (True, floor + 1), "as plain JSON")
