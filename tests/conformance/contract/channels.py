"""Enrolled peers: identity, bridge, reconnect."""
import json
import os
import signal

from contract_fixture import Wrong, need, one, order, rows, same


@rows("CHN-01", "CHN-02", "EVT-090", "EVT-091", "SNP-13")
def check_who_is_connected(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    transports = {"json_rpc": fixture.socket(), "websocket": fixture.websocket()}
    ids = {}
    for name, transport in transports.items():
        _, hello = fixture.channel("permissions", transport=transport, clientInfo={"name": "test"})
        ids[name] = hello["channelId"]
        need(hello["resumeToken"], "no resume token")
        code, got = transport.call("submit_turn", {"sessionId": session, "input": "from " + name})
        need(not code, f"{got}")
    stdio = fixture.stdio()
    answer = stdio.rpc("initialize", {"peerRole": "host"})
    ids["stdio"] = answer["result"]["channelId"]
    stdio.call("submit_turn", {"sessionId": session, "input": "from stdio"})
    fixture.call("reconnect_channel", sessionId=session, channelId="chan_http", peerRole="worker")
    ids["http_json"] = "chan_http"
    summary = fixture.call("get_session", sessionId=session)["channelSummary"]
    for name, channel in ids.items():
        found = [c for c in summary["channels"] if c["channelId"] == channel]
        need(found, f"{name} is not in the summary")
        c = found[0]
        same(c["transport"], name, "transport")
        for key in ("peerRole", "accountRef", "capabilities", "lastSeenAt", "resumeTokenRef"):
            need(key in c, f"{name}: no {key}")
        need("Protocol" in json.dumps(c) or name == "http_json", f"no native protocol: {c}")
        same(c["status"], "running", "status")
        e = [e for e in fixture.events(session) if e["type"] == "channel.connected" and e["channelId"] == channel]
        need(e, f"no channel.connected for {name}")
        need(answer["result"]["resumeToken"] not in json.dumps(fixture.events(session)), "a token stands in the log")
    same([c["peerRole"] for c in summary["channels"] if c["channelId"] in (ids["stdio"], "chan_http")].sort(),
         ["host", "worker"].sort(), "roles")
    transports["websocket"].close()
    events = fixture.until("the end of the WebSocket", lambda: [
        e for e in fixture.events(session) if e["type"] == "channel.disconnected" and e["channelId"] == ids["websocket"]])
    need(events[0]["payload"]["cause"], "cause")
    summary = fixture.call("get_session", sessionId=session)["channelSummary"]
    states = {c["channelId"]: c["status"] for c in summary["channels"]}
    same(states[ids["json_rpc"]], "running", "the other one")
    need(states[ids["websocket"]] != "running", f"the closed one: {states}")
    stdio.close()
    transports["json_rpc"].close()


@rows("CHN-01", "CHN-02")
def check_channels_are_listed_in_pages(fixture):
    sessions = sorted(fixture.turn("hello")[0]["sessionId"] for _ in range(3))
    for i in range(240):
        fixture.call("reconnect_channel", sessionId=sessions[i % 3], channelId=f"chan_page_{i:04}", peerRole="worker" if i % 2 else "client")
    fixture.call("ack_events", sessionId=sessions[0], channelId="chan_page_0000", sequence=3)
    seen, cursor = [], None
    while True:
        page = fixture.call("list_channels", limit=70, **({"cursor": cursor} if cursor else {}))
        need(len(page["channels"]) <= 70, "a page is too long")
        seen += [(c["sessionId"], c["channelId"], c) for c in page["channels"]]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    ours = [(s, c) for s, c, _ in seen if c.startswith("chan_page_") and s in sessions]
    same(len(ours), 240, "channels over all pages")
    same([key[:2] for key in seen], sorted({key[:2] for key in seen}), "in order, none twice")
    acked = [c for _, name, c in seen if name == "chan_page_0000" and c["sessionId"] == sessions[0]][0]
    head = fixture.call("get_session", sessionId=sessions[0])["sequence"]
    same((acked["lastAckedSequence"], acked["lag"]), (3, head - 3), "how far it has read")
    need("lag" not in [c for _, name, c in seen if name == "chan_page_0003"][0], "a lag without an acknowledgement")
    of_one = fixture.call("list_channels", sessionId=sessions[1], limit=256, peerRole="worker")
    same((len(of_one["channels"]), of_one.get("nextCursor")), (40, None), "of one session, in one role")
    need(all("sessionId" not in c for c in of_one["channels"]), "one session is not named in each row")
    same(len(fixture.call("list_channels", sessionId=sessions[1], connected=False)["channels"]), 0, "all are connected")
    same(len(fixture.call("list_channels", sessionId=sessions[1])["channels"]), 50, "the default page")
    for cursor in ("x", "~", "a~", "~b", "a~b~c", "a/b", "9" * 5000, "a~\u00e9"):
        same(fixture.transport.call("list_channels", {"cursor": cursor})[1].get("code"), "expired_cursor", f"the cursor {cursor[:20]!r}")
    same(fixture.transport.call("list_channels", {"limit": 0})[1]["code"], "invalid_value", "a page of nothing")


@rows("CHN-03")
def check_strangers_are_refused_and_friends_leave_traces(fixture):
    token, fixture.transport.token = fixture.transport.token, "wrong"
    status, body = fixture.transport.request("POST", "/v1/commands/submit_turn", '{"input":"x"}')
    same((status, json.loads(body)["code"]), (401, "unauthorized"), "a stranger")
    try:
        fixture.websocket()
        raise Wrong("a stranger got a WebSocket")
    except Wrong as e:
        need("no WebSocket" in str(e), str(e))
    fixture.transport.token = token
    c, hello = fixture.channel()
    code, reply = c.call("submit_turn", {"input": "hello"})
    events = fixture.until("its end", lambda: fixture.ended(reply))
    order(events, "session.created", "channel.connected", "turn.submitted")
    same(one(events, "channel.connected")["channelId"], hello["channelId"], "channel")
    submitted = one(events, "turn.submitted")
    need(hello["channelId"] in json.dumps([submitted, events[0], one(events, "task.created")]), "who submitted is not told")
    c.close()
    metrics = fixture.get("/metrics")[1].decode()
    need("unauthorized" in metrics or "refus" in metrics, "refusals are not counted")


@rows("CHN-04", "CHN-05", "EVT-094", "EVT-095", "NEG-25")
def check_the_permission_bridge(fixture):
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    c, hello = fixture.channel("permissions")
    c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    _, action = fixture.asked("save", sessionId=session)
    events = fixture.wait(session, "channel.permission_forwarded")
    order(events, "action.required", "channel.permission_forwarded")
    forwarded = one(events, "channel.permission_forwarded")
    same((forwarded["channelId"], forwarded["actionId"]), (hello["channelId"], action["actionId"]), "forwarded")
    need("subject" in forwarded["payload"], f"no subject: {forwarded['payload']}")
    summary = fixture.call("get_session", sessionId=session)["channelSummary"]
    same(summary["pendingForwards"], [action["actionId"]], "pending forwards")
    turns = sum(e["type"] == "turn.submitted" for e in events)
    code, answer = c.call("respond_action", {"sessionId": session, "actionId": action["actionId"], "decision": "allow"})
    need(not code, f"{answer}")
    events = fixture.wait(session, "turn.completed", 2)
    order(events, "action.required", "channel.permission_returned", "action.resolved", "permission.resolved")
    returned = one(events, "channel.permission_returned")
    for key in ("decision", "decidedSide", "source", "channelScoped"):
        need(key in returned["payload"], f"no {key} in {returned['payload']}")
    need(hello["channelId"] in json.dumps(one(events, "action.resolved")["payload"]["decidedBy"]), "who decided is not told")
    same(sum(e["type"] == "turn.submitted" for e in events), turns, "an approval is no turn")
    same(fixture.call("get_session", sessionId=session)["channelSummary"].get("pendingForwards", []), [], "nothing pending")
    c.close()


@rows("CHN-04", "NEG-25")
def check_an_answer_of_a_peer_that_was_not_asked(fixture):
    """Enrolled, but unknown to this session: the bridge still leaves all its events."""
    reply, action = fixture.asked("save")
    c, hello = fixture.channel("permissions", transport=fixture.websocket())
    code, answer = c.call("respond_action", {"sessionId": reply["sessionId"], "actionId": action["actionId"], "decision": "deny"})
    need(not code, f"{answer}")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    order(events, "channel.connected", "channel.permission_forwarded", "channel.permission_returned", "action.resolved")
    same(sum(e["type"] == "channel.permission_forwarded" for e in events), 1, "forwarded")
    c.close()


@rows("EVT-094")
def check_a_channel_that_comes_while_an_action_is_pending(fixture):
    reply, action = fixture.asked("save")
    c, hello = fixture.channel("permissions")
    c.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    events = fixture.wait(reply["sessionId"], "channel.permission_forwarded")
    same(one(events, "channel.permission_forwarded")["actionId"], action["actionId"], "action")
    c.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    same(sum(e["type"] == "channel.permission_forwarded" for e in fixture.events(reply["sessionId"])), 1, "once per channel and question")
    c.close()


@rows("CTL-40", "CTL-41", "CHN-06", "EVT-092", "ACC-15")
def check_reconnect_goes_on_behind_what_was_acknowledged(fixture):
    reply, events = fixture.turn("hello")
    session = reply["sessionId"]
    c, hello = fixture.channel("permissions")
    code, first = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    same(first["snapshot"]["sequence"], len(events), "the snapshot names its sequence")
    c.call("ack_events", {"sessionId": session, "channelId": hello["channelId"], "sequence": 12})
    found = [x for x in fixture.call("list_channels", sessionId=session)["channels"] if x["channelId"] == hello["channelId"]]
    same(found[0].get("lastAckedSequence"), 12, "lastAckedSequence in list_channels")
    summary = fixture.call("get_session", sessionId=session)["channelSummary"]["channels"]
    same([x.get("lastAckedSequence") for x in summary], [12], "lastAckedSequence in the summary")
    c.close()
    fixture.wait(session, "channel.disconnected")
    same(one(fixture.events(session), "channel.disconnected")["payload"]["lastAckedSequence"], 12, "at the end")
    fixture.turn("meanwhile", sessionId=session)
    fixture.restart()
    c, again = fixture.channel("permissions", channelId=hello["channelId"], resumeToken=hello["resumeToken"])
    same(again["channelId"], hello["channelId"], "the same channel")
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "resumeToken": hello["resumeToken"]})
    same((code, back["fromSequence"], back.get("gap", False)), (None, 13, False), "where it resumes")
    need(back["snapshot"]["sequence"] >= len(events), "the snapshot")
    events = fixture.wait(session, "channel.resumed")
    same(one(events, "channel.resumed")["payload"]["lastAckedSequence"], 12, "resumed")
    answer = c.rpc("subscribe_events", {"sessionId": session, "channelId": hello["channelId"]})
    need("error" not in answer, f"{answer}")
    notice = c.notice()
    while notice["method"] != "event":
        notice = c.notice()
    same(notice["params"]["sequence"], 13, "the first event that follows")
    c.close()


@rows("EVT-091")
def check_a_peer_that_dies_is_gone(fixture):
    reply, _ = fixture.turn("hello")
    stdio = fixture.stdio()
    hello = stdio.rpc("initialize", {})["result"]
    stdio.call("reconnect_channel", {"sessionId": reply["sessionId"], "channelId": hello["channelId"]})
    os.kill(stdio.process.pid, signal.SIGKILL)
    stdio.process.wait()
    events = fixture.wait(reply["sessionId"], "channel.disconnected")
    same(one(events, "channel.disconnected")["channelId"], hello["channelId"], "channel")


@rows("CHN-10", deep=True)
def check_a_peer_that_freezes_is_gone(fixture):
    """It is connected and answers no ping; over HTTP, it sends nothing."""
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    c, hello = fixture.channel(transport=fixture.websocket())
    c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"]})
    fixture.call("reconnect_channel", sessionId=session, channelId="chan_http")
    fixture.until("both are gone", lambda: sum(e["type"] == "channel.disconnected" for e in fixture.events(session)) == 2, base_s=120)
    causes = {e["channelId"]: e["payload"]["cause"] for e in fixture.events(session) if e["type"] == "channel.disconnected"}
    same(causes, {hello["channelId"]: "heartbeat_missed", "chan_http": "heartbeat_missed"}, "causes")
    c.close()


def trimmed(fixture, keep=10):
    """A session of three turns whose beginning retention has removed; its id and the last event that is gone."""
    reply, _ = fixture.turn("hello")
    session = reply["sessionId"]
    fixture.turn("again", sessionId=session)
    _, events = fixture.turn("once more", sessionId=session)
    fixture.call("trim_log", sessionId=session, keep=keep)
    told = fixture.until("what was removed", lambda: [e for e in fixture.events(session) if e.get("type") == "snapshot.updated"
                                                  and "removedThrough" in e["payload"]])
    return session, told[-1]["payload"]["removedThrough"]


@rows("CHN-06", "CTL-40", "ACC-15", "EVT-113")
def check_reconnect_below_the_retention_floor_tells_the_gap(fixture):
    c, hello = fixture.channel("permissions")
    session, floor = trimmed(fixture)
    need(floor > 5, f"nothing was removed: {floor}")
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "lastAckedSequence": 3})
    need(not code, f"{code}: {back}")
    same((back.get("gap"), back.get("gapFrom"), back.get("gapTo"), back["fromSequence"]), (True, 4, floor, floor + 1), "the gap")
    same(back["recoveryMode"], "retention", "recovery mode")
    need("thread_read_model" in back["stale"], f"stale: {back.get('stale')}")
    need(back["snapshot"]["sequence"] > floor and back["snapshot"]["threads"], "the snapshot")
    repaired = one(fixture.events(session, floor), "snapshot.repaired")
    same((repaired["payload"]["gapFrom"], repaired["payload"]["gapTo"]), (4, floor), "the event")
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
def check_events_follow_a_reconnect_without_another_command(fixture):
    reply, events = fixture.turn("hello")
    session, transports = reply["sessionId"], (fixture.socket(), fixture.websocket())
    for transport in transports:
        c, hello = fixture.channel(transport=transport)
        code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "lastAckedSequence": 12})
        same((back["fromSequence"], back.get("gap", False)), (13, False), "where it resumes")
        need(back["subscriptionId"], "which subscription sends them")
        same(c.notice()["params"]["sequence"], 13, f"the first event over {transport.name}")
        # its own subscription replaces that one: each event arrives once
        answer = c.rpc("subscribe_events", {"sessionId": session, "channelId": hello["channelId"], "after": back["sequence"]})
        need("error" not in answer, f"{answer}")
        c.notices.clear()
        fixture.turn("more", sessionId=session)
        numbers = [c.notice()["params"]["sequence"] for _ in range(6)]
        same(sorted(set(numbers)), numbers, f"each once over {transport.name}")
        c.close()
    c, hello = fixture.channel()
    code, back = c.call("reconnect_channel", {"sessionId": session, "channelId": hello["channelId"], "follow": False})
    need("subscriptionId" not in back, "nothing follows who does not want it")
    c.close()


@rows("CTL-40", "CHN-06")
def check_a_reconnect_over_http_is_a_stream_if_that_is_asked_for(fixture):
    session, floor = trimmed(fixture)
    for accept in ("text/event-stream", "application/x-ndjson"):
        connection = fixture.connection()
        connection.request("POST", "/v1/commands/reconnect_channel",
                           json.dumps({"sessionId": session, "channelId": "chan_" + accept[:4], "lastAckedSequence": 2}),
                           {"Authorization": "Bearer " + fixture.transport.token, "Content-Type": "application/json", "Accept": accept})
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
    reply = fixture.call("reconnect_channel", sessionId=session, channelId="chan_plain", lastAckedSequence=2)
    same((reply["gap"], reply["fromSequence"]), (True, floor + 1), "as plain JSON")
