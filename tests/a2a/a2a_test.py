#!/usr/bin/env python3
"""Other agents delegate work to the daemon over A2A: both bindings, and the official client.

usage: a2a_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every message of every test is checked against the official schema, where that is present.
"""
import base64
import contextlib
import functools
import http.client
import ipaddress
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

from a2a_fixture import DEADLINE_S, HERE, SCHEMA, Receiver, Refused, Rest, Rpc, World, Wrong, message, state_of, text_of, until
from a2a_card import tests as cards
from a2a_delegate import tests as delegations
from a2a_schema import PARAMS
from tap import Skip, long, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
tests = []


def test(f=None, **options):
    def add(f):
        def run():
            with World(**options) as w:
                f(w)
        functools.update_wrapper(run, f)
        tests.append(run)
        return f
    return add(f) if f else add


def both(f=None, **options):
    """The same test on each binding."""
    def add(f):
        for binding, word in ((Rpc, "json_rpc"), (Rest, "http_json")):
            def run(binding=binding):
                with World(**options) as w:
                    f(w, binding(w, w.token("peer")))
            functools.update_wrapper(run, f).__name__ = f"{f.__name__}_over_{word}"
            tests.append(run)
        return f
    return add(f) if f else add


def refused(reason, call, *rest, **more):
    """reason: of ErrorInfo, or a number of JSON-RPC or of HTTP."""
    try:
        got = call(*rest, **more)
    except Refused as e:
        assert reason in (e.reason, e.code, e.status), f"{reason} expected: {e}"
        return e
    raise Wrong(f"{reason} expected, and it was done: {json.dumps(got)[:300]}")


def parts(task):
    session, of_session = task["id"].split("~")
    return session, of_session


def types(events):
    return [e["type"] for e in events]


def one(events, kind):
    found = [e for e in events if e["type"] == kind]
    assert len(found) == 1, f"{len(found)} {kind} in {types(events)}"
    return found[0]


# ---- the ordinary way ----------------------------------------------------------------------------

@test
def the_card_needs_no_token_and_says_where(w):
    c, r = Rpc(w, "").request("GET", "/.well-known/agent-card.json", None, {"Authorization": None, "A2A-Version": None})
    card = json.loads(r.read())
    assert r.status == 200, r.status
    if SCHEMA:
        assert not SCHEMA.faults("Agent Card", card), SCHEMA.faults("Agent Card", card)
    urls = {i["protocolBinding"]: i["url"] for i in card["supportedInterfaces"]}
    assert urls == {"JSONRPC": f"http://127.0.0.1:{w.daemon.port}/a2a", "HTTP+JSON": f"http://127.0.0.1:{w.daemon.port}/a2a/v1"}, urls


@both
def the_extended_card_lists_the_skills(w, p):
    skill = pathlib.Path(w.data + ".config") / "thole" / "skills" / "review"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: review\ndescription: Review a change.\n---\nDo it.\n")
    assert [s["id"] for s in p.call("GetExtendedAgentCard", {})["skills"]] == ["work", "skill:review"]


@test(is_on=False)
def nothing_is_served_before_the_setting_turns_it_on(w):
    token = w.token("peer")
    for method, path in (("GET", "/.well-known/agent-card.json"), ("POST", "/a2a"), ("GET", "/a2a/v1/tasks")):
        for given, expected in ((token, 404), (None, 401)):
            c, r = Rpc(w, token).request(method, path, None, {"Authorization": "Bearer " + given if given else None})
            assert r.status == expected, (path, given, r.status)
            r.read()


@both
def a_message_becomes_a_task_that_completes(w, p):
    task = p.send("hello", "first")
    assert state_of(task) == "COMPLETED" and text_of(task) == "answer to hello", task
    assert [m["messageId"] for m in task["history"]] == ["first"], task["history"]
    assert p.get(task) == task
    assert "history" not in p.get(task, historyLength=0)


@both
def a_peer_is_a_channel_and_the_turn_names_it(w, p):
    session, task_id = parts(p.send("hello", "m-1"))
    events = w.events(session)
    channel = one(events, "channel.connected")["channel"]
    assert (channel["transport"], channel["peerRole"], channel["nativeProtocol"], channel["accountRef"]) == (
        "http_json", "peer_agent", "a2a", "account:local:peer"), channel
    submitted = one(events, "turn.submitted")
    assert submitted["channelId"] == channel["channelId"] and submitted["payload"]["source"] == "a2a", submitted
    assert submitted["payload"]["options"]["metadata"]["a2a"]["messageId"] == "m-1", submitted
    assert submitted["taskId"] == task_id


@both
def the_same_message_again_is_the_same_task(w, p):
    first = p.send("hello", "same")
    assert p.send("hello", "same") == first
    assert "used for another message" in refused(-32602 if p.name == "JSONRPC" else 400, p.send, "bye", "same").message
    assert len(p.call("ListTasks", {})["tasks"]) == 1


@both
def a_stream_begins_with_the_task_and_ends_with_its_end(w, p):
    items = p.send("words", streams=True).rest()
    kinds = [next(iter(i)) for i in items]
    assert kinds[0] == "task" and "artifactUpdate" in kinds and kinds[-1] == "statusUpdate", kinds
    assert state_of(items[-1]["statusUpdate"]) == "COMPLETED", items[-1]
    chunks = [i["artifactUpdate"] for i in items if "artifactUpdate" in i]
    text = text_of(items[0]["task"]) + "".join(c["artifact"]["parts"][0]["text"] for c in chunks)
    assert text == "one two three four five six seven eight nine ten", text
    assert [c["lastChunk"] for c in chunks] == [False] * (len(chunks) - 1) + [True]
    assert [c["append"] for c in chunks][1:] == [True] * (len(chunks) - 1)
    task = p.get(items[0]["task"])
    assert text_of(task) == text and state_of(task) == "COMPLETED"


@both
def a_context_holds_several_tasks(w, p):
    first = p.send("hello")
    second = p.send("again", contextId=first["contextId"])
    assert second["contextId"] == first["contextId"] and second["id"] != first["id"]
    listed = p.call("ListTasks", {"contextId": first["contextId"]})
    assert [t["id"] for t in listed["tasks"]] == [second["id"], first["id"]] and listed["totalSize"] == 2, listed
    other = p.send("elsewhere")
    assert other["contextId"] != first["contextId"]
    assert p.call("ListTasks", {"contextId": other["contextId"]})["totalSize"] == 1


@both
def a_question_is_answered_by_a_message(w, p):
    asked = p.send("which")
    assert state_of(asked) == "INPUT_REQUIRED", asked
    assert asked["status"]["message"]["parts"][0]["text"] == "Which one?", asked["status"]
    done = p.send("the left one", "answer-1", taskId=asked["id"], contextId=asked["contextId"])
    assert state_of(done) == "COMPLETED" and text_of(done).endswith("You chose the left one"), done
    events = w.events(parts(asked)[0])
    by = one(events, "action.resolved")["payload"]["decidedBy"]
    assert (by["principal"], by["via"]) == ("peer", "a2a"), by
    # The same message again answers nothing a second time, also after the end.
    assert p.send("the left one", "answer-1", taskId=asked["id"]) == done
    assert types(w.events(parts(asked)[0])).count("turn.submitted") == 1


@both
def an_answer_may_be_data(w, p):
    asked = p.send("which")
    done = p.send("", taskId=asked["id"], parts=[{"data": {"answer": "the right one"}}])
    assert text_of(done).endswith("You chose the right one"), done


@both
def an_approval_is_not_for_the_peer(w, p):
    asked = p.send("publish")
    assert state_of(asked) == "AUTH_REQUIRED", asked
    session, _ = parts(asked)
    p.send("I allow it", taskId=asked["id"], configuration={"returnImmediately": True})
    assert state_of(p.get(asked)) == "AUTH_REQUIRED"
    action = w.pending(session)
    code, reply = post(w, p.token, "respond_action", {"sessionId": session, "actionId": action, "decision": "allow"})
    assert code == 403, (code, reply)
    w.call("respond_action", sessionId=session, actionId=action, decision="allow")
    p.until(asked, "COMPLETED")
    assert one(w.events(session), "tool.result")["payload"]["displayPreview"] == "published"


def post(w, token, command, params):
    c, r = Rpc(w, token).request("POST", "/v1/commands/" + command, json.dumps(params))
    return r.status, json.loads(r.read())


@test
def a_peer_with_the_scope_approve_still_approves_nothing_over_a2a(w):
    p = w.rpc("peer", "read,write,approve")
    asked = p.send("publish")
    p.send("allow", taskId=asked["id"], configuration={"returnImmediately": True}, parts=[{"data": {"decision": "allow"}}])
    assert state_of(p.get(asked)) == "AUTH_REQUIRED"
    # Nor by another path: the principal that delegated the work does not approve it.
    session = parts(asked)[0]
    action = next(e["actionId"] for e in w.events(session) if e["type"] == "action.required")
    c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
    c.request("POST", "/v1/commands/respond_action", json.dumps({"sessionId": session, "actionId": action, "decision": "allow"}),
              {"Authorization": "Bearer " + p.token, "Content-Type": "application/json"})
    r = c.getresponse()
    assert r.status == 403, (r.status, r.read())
    c.close()
    assert state_of(p.get(asked)) == "AUTH_REQUIRED"


@both
def a_message_steers_a_task_that_works(w, p):
    task = p.send("hang", configuration={"returnImmediately": True})
    assert state_of(task) in ("SUBMITTED", "WORKING"), task
    p.send("turn left", "steer-1", taskId=task["id"], configuration={"returnImmediately": True})
    p.send("turn left", "steer-1", taskId=task["id"], configuration={"returnImmediately": True})
    steers = [e for e in w.events(parts(task)[0]) if e["type"] == "turn.submitted"][1:]
    assert [e["payload"]["delivery"] for e in steers] == ["steer"], steers
    p.call("CancelTask", {"id": task["id"]})


@both
def cancelling_ends_the_task_once(w, p):
    task = p.send("hang", configuration={"returnImmediately": True})
    assert state_of(p.call("CancelTask", {"id": task["id"]})) == "CANCELED"
    refused("TASK_NOT_CANCELABLE", p.call, "CancelTask", {"id": task["id"]})
    refused("UNSUPPORTED_OPERATION", p.send, "more", taskId=task["id"])
    refused("UNSUPPORTED_OPERATION", p.stream, "SubscribeToTask", {"id": task["id"]})


@both
def failures_and_refusals_of_the_model_are_told_apart(w, p):
    failed = p.send("broken")
    assert state_of(failed) == "FAILED" and failed["status"]["message"]["parts"][0]["text"], failed
    assert state_of(p.send("refuse")) == "REJECTED"


@both(options=["tools.enabled=true", "permission.mode=bypass"])
def a_file_is_an_artifact_with_an_address(w, p):
    task = p.send("report")
    files = [a["parts"][1] for a in task["artifacts"] if "data" in a["parts"][0]]
    assert [f["filename"] for f in files] == ["report.txt"] and task["artifacts"][0]["parts"][0]["data"]["change"] == "created", task["artifacts"]
    c, r = p.request("GET", files[0]["url"].split(str(w.daemon.port))[1], None)
    assert r.status == 200 and b"+all is well" in r.read()
    c, r = Rpc(w, w.token("other")).request("GET", files[0]["url"].split(str(w.daemon.port))[1], None)
    assert r.status == 404, r.status


@test
def a_script_answers_by_the_id_of_the_message(w):
    p = w.rpc()
    assert text_of(p.send("anything", "by-id-1")) == "known by its id"
    assert text_of(p.send("anything", "by-other-1")) == "answer to anything"


@both
def parts_of_every_kind_reach_the_model(w, p):
    png = base64.b64encode(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")).decode()
    task = p.send("", parts=[{"text": "look"}, {"raw": base64.b64encode(b"plain").decode(), "filename": "a.txt", "mediaType": "text/plain"},
                             {"url": "https://files.example/b.pdf", "filename": "b.pdf"}, {"data": {"n": 1}}])
    assert state_of(task) == "COMPLETED" and all(x in text_of(task) for x in ("look", "plain", "https://files.example/b.pdf", '"n"')), text_of(task)
    assert png


@both
def parts_of_unknown_kinds_are_refused_and_change_nothing(w, p):
    wrong = [{"video": "x"}, {"kind": "text"}, {"text": 7}, {"raw": "***"}, {"text": "a", "data": {}}, {}, "text", None, 7]
    for part in wrong:
        refused(-32602 if p.name == "JSONRPC" else 400, p.call, "SendMessage", message("", parts=[{"text": "x"}, part]), is_wrong=True)
    assert p.call("ListTasks", {})["tasks"] == [] and w.call("list_sessions")["sessions"] == []
    assert text_of(p.send("", parts=[{"text": "still"}])) == "answer to still"


# ---- streams and crashes -------------------------------------------------------------------------

@both
def a_stream_that_broke_is_resumed_with_the_task_first(w, p):
    s = p.send("steady", streams=True)
    task = next(s)["task"]
    next(s)
    s.close()
    again = p.stream("SubscribeToTask", {"id": task["id"]})
    first = next(again)["task"]
    assert first["id"] == task["id"] and state_of(first) == "WORKING", first
    said = text_of(first)
    for _ in range(3):
        item = next(again)
        said += item["artifactUpdate"]["artifact"]["parts"][0]["text"]
    assert ("0123456789 " * 60).startswith(said), said
    again.close()
    p.call("CancelTask", {"id": task["id"]})
    assert types(w.events(parts(task)[0])).count("task.created") == 1


@test
def all_streams_of_a_task_see_the_same(w):
    p = w.rpc()
    first = p.send("words words", streams=True)
    task = next(first)["task"]
    second = Rest(w, p.token).stream("SubscribeToTask", {"id": task["id"]})
    a, b = first.rest(), second.rest()
    tail = [i for i in b if "task" not in i]
    assert a[-len(tail):] == tail and state_of(tail[-1]["statusUpdate"]) == "COMPLETED", (a, b)


@both
def a_kill_in_a_stream_loses_nothing_that_was_seen(w, p):
    s = p.send("steady", "killed", streams=True)
    task = next(s)["task"]
    seen = text_of(task)
    for _ in range(3):
        seen += next(s).get("artifactUpdate", {}).get("artifact", {}).get("parts", [{"text": ""}])[0]["text"]
    w.restart()
    now = until("the task after the restart", lambda: ready(p, task))
    texts = [x["text"] for a in now["artifacts"] for x in a["parts"]]
    # The request was cut by the crash: what it said stays in the log, and the task goes its way.
    events = w.events(parts(task)[0])
    logged = "".join(e["payload"]["text"] for e in events if e["type"] == "model.delta")
    assert logged.startswith(seen), (seen, logged)
    assert types(events).count("turn.submitted") == 1 and types(events).count("task.created") == 1
    assert p.send("steady", "killed", configuration={"returnImmediately": True})["id"] == task["id"], texts
    assert len(p.call("ListTasks", {})["tasks"]) == 1
    try:
        again = p.stream("SubscribeToTask", {"id": task["id"]})
        assert next(again)["task"]["id"] == task["id"]
        again.close()
    except Refused as e:  # it has ended meanwhile
        assert e.reason == "UNSUPPORTED_OPERATION" and state_of(p.get(task)) == "FAILED", e
    channel = [e for e in events if e["type"].startswith("channel.")]
    assert len({e["channelId"] for e in channel}) == 1, channel


def ready(p, task):
    try:
        return p.get(task)
    except (Refused, OSError):
        return None


@test
def a_question_survives_a_kill(w):
    p = w.rpc()
    asked = p.send("which")
    w.restart()
    until("the task after the restart", lambda: ready(p, asked))
    assert state_of(p.get(asked)) == "INPUT_REQUIRED"
    assert text_of(p.send("the left one", taskId=asked["id"])).endswith("You chose the left one")


@test(options=["peers.allow_hosts=[\"127.0.0.1:*\"]"])
def a_daemon_that_stops_ends_streams_and_keeps_configurations(w):
    p = w.rpc()
    silent = socket.create_server(("127.0.0.1", 0))  # takes a notification and never answers
    streams = [p.send("hang", streams=True) for _ in range(3)]
    for s in streams:
        next(s)
    asked = p.send("which", configuration={"taskPushNotificationConfig": {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/"}})
    silent.accept()
    w.daemon.process.terminate()
    assert w.daemon.process.wait(DEADLINE_S) == 0
    for s in streams:
        s.rest()
    w.start()
    until("the daemon", lambda: ready(p, asked))
    assert len(p.call("ListTaskPushNotificationConfigs", {"taskId": asked["id"]})["configs"]) == 1
    assert state_of(p.get(asked)) == "INPUT_REQUIRED"
    silent.close()


@test
@long
def a_thousand_subscribers_wait_at_once(w):
    p = w.rpc()
    task = p.send("hang", configuration={"returnImmediately": True})
    streams = []
    try:
        for _ in range(SUBSCRIBERS):
            streams.append(Rest(w, w.owner.token).stream("SubscribeToTask", {"id": task["id"]}))
        for s in streams:
            assert next(s)["task"]["id"] == task["id"]
        p.call("CancelTask", {"id": task["id"]})
        for s in streams:
            assert state_of(s.rest()[-1]["statusUpdate"]) == "CANCELED"
    finally:
        for s in streams:
            s.close()


SUBSCRIBERS = 1000


# ---- lists ---------------------------------------------------------------------------------------

@both
@long
def thousands_of_tasks_are_listed_by_cursor(w, p):
    count = 1200
    owner = w.owner
    made = []

    def make(n):
        for _ in range(n):
            made.append(p.send("x", configuration={"returnImmediately": True})["id"])

    makers = [threading.Thread(target=make, args=(count // 8,)) for _ in range(8)]
    for m in makers:
        m.start()
    for m in makers:
        m.join()
    assert owner and len(set(made)) == count
    until("all to end", lambda: p.call("ListTasks", {"status": "TASK_STATE_COMPLETED", "pageSize": 1})["totalSize"] == count)
    seen, token, pages = [], None, 0
    while token != "":
        page = p.call("ListTasks", {"pageSize": 100, **({"pageToken": token} if token else {})})
        assert page["totalSize"] == count and all("artifacts" not in t for t in page["tasks"]), page["totalSize"]
        seen += page["tasks"]
        token, pages = page["nextPageToken"], pages + 1
    assert sorted(t["id"] for t in seen) == sorted(made) and pages in (12, 13), (len(seen), pages)
    stamps = [t["status"]["timestamp"] for t in seen]
    assert stamps == sorted(stamps, reverse=True)


@both
def lists_are_filtered_by_state_time_and_content(w, p):
    done = p.send("hello")
    asked = p.send("which")
    failed = p.send("broken")
    by = lambda **more: [t["id"] for t in p.call("ListTasks", more)["tasks"]]  # noqa: E731
    assert by(status="TASK_STATE_COMPLETED") == [done["id"]]
    assert by(status="TASK_STATE_INPUT_REQUIRED") == [asked["id"]]
    assert by(status="TASK_STATE_FAILED") == [failed["id"]]
    assert by(statusTimestampAfter=failed["status"]["timestamp"]) == [failed["id"]]
    rich = p.call("ListTasks", {"includeArtifacts": True, "historyLength": 1, "status": "TASK_STATE_COMPLETED"})["tasks"]
    assert [text_of(t) for t in rich] == ["answer to hello"] and len(rich[0]["history"]) == 1, rich
    assert by(contextId="sess_none~thr_none") == [] and by(contextId="nonsense") == []
    refused(-32602 if p.name == "JSONRPC" else 400, p.call, "ListTasks", {"pageToken": "7.nonsense"})
    refused(-32602 if p.name == "JSONRPC" else 400, p.call, "ListTasks", {"pageSize": 101}, is_wrong=True)
    refused(-32602 if p.name == "JSONRPC" else 400, p.call, "ListTasks", {"status": "TASK_STATE_ODD"}, is_wrong=True)


# ---- push ----------------------------------------------------------------------------------------

ALLOW = ["peers.allow_hosts=[\"127.0.0.1:*\"]"]


@both(options=ALLOW)
def updates_are_pushed_with_their_credentials(w, p):
    with Receiver() as hook:
        task = p.send("words", configuration={"returnImmediately": True, "taskPushNotificationConfig": {
            "url": hook.url, "token": "t-1", "authentication": {"scheme": "Bearer", "credentials": "c-1"}}})
        until("the end to be pushed", lambda: "COMPLETED" in hook.states())
        for headers, body in hook.got:
            assert headers["Authorization"] == "Bearer c-1" and headers["X-A2A-Notification-Token"] == "t-1", headers
            assert headers["Content-Type"] == "application/a2a+json", headers
            if SCHEMA:
                assert not SCHEMA.faults("Stream Response", body), SCHEMA.faults("Stream Response", body)
        texts = [b["artifactUpdate"]["artifact"]["parts"][0]["text"] for _, b in hook.got if "artifactUpdate" in b]
        assert texts == ["one two three four five six seven eight nine ten"], texts
        assert hook.states()[-1] == "COMPLETED" and hook.states() == sorted(set(hook.states()), key=hook.states().index), hook.states()
        until("the configuration to be gone", lambda: not p.call("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"])


@both(options=ALLOW)
def push_configurations_are_made_read_and_deleted(w, p):
    task = p.send("which")
    with Receiver() as hook:
        made = p.call("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": hook.url, "token": "x"})
        assert made["taskId"] == task["id"] and made["id"] and made["url"] == hook.url, made
        one = {"taskId": task["id"], "id": made["id"]}
        assert p.call("GetTaskPushNotificationConfig", one) == made
        assert p.call("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"] == [made]
        other = type(p)(w, w.token("other"))
        refused("TASK_NOT_FOUND", other.call, "GetTaskPushNotificationConfig", one)
        w.restart()
        until("the daemon", lambda: ready(p, task))
        assert p.call("GetTaskPushNotificationConfig", one) == made
        for _ in range(2):
            assert p.call("DeleteTaskPushNotificationConfig", one) in ({}, None)
        refused("TASK_NOT_FOUND", p.call, "GetTaskPushNotificationConfig", one)
        for n in range(8):
            p.call("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": hook.url, "id": f"c{n}"})
        refused(-32052 if p.name == "JSONRPC" else 429, p.call, "CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": hook.url, "id": "c8"})
        p.call("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": hook.url, "id": "c3"})  # replaces


@test(options=ALLOW)
def pushes_are_repeated_until_they_arrive_also_after_a_kill(w):
    p = w.rpc()
    with Receiver() as hook:
        hook.fails = 2
        task = p.send("which", configuration={"taskPushNotificationConfig": {"url": hook.url}})
        until("the question to be pushed", lambda: "INPUT_REQUIRED" in hook.states())
        w.restart()
        until("the daemon", lambda: ready(p, task))
        p.send("the left one", taskId=task["id"])
        until("the end to be pushed", lambda: "COMPLETED" in hook.states())
        assert len({b["statusUpdate"]["taskId"] for _, b in hook.got if "statusUpdate" in b}) == 1


class RudeReceiver(Receiver):
    """Answers the first notification as `how` says, and the others as it should."""

    def __init__(self, how):
        super().__init__()
        self.tries, self.others = [], []
        rude, usual = self, self.server.RequestHandlerClass

        class Handler(usual):
            def do_POST(self):
                rude.tries.append(self.path)
                if self.path != "/hook":
                    rude.others.append(self.path)
                if len(rude.tries) > 1:
                    return super().do_POST()
                self.rfile.read(int(self.headers["Content-Length"]))
                with contextlib.suppress(OSError):
                    how(self)

        self.server.RequestHandlerClass = Handler


def endless_body(handler):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 65536)


def comments_only(handler):
    """Longer than a notification may take: 15 seconds."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    while True:
        handler.wfile.write(b": still here\n\n")
        handler.wfile.flush()
        threading.Event().wait(0.05)


def redirect(handler):
    handler.send_response(307)
    handler.send_header("Location", "/elsewhere")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


@test(options=ALLOW)
def receivers_of_pushes_without_an_end_are_left_and_tried_again(w):
    p = w.rpc()
    for how in (endless_body, redirect, comments_only):
        with RudeReceiver(how) as hook:
            p.send("hello", configuration={"returnImmediately": True, "taskPushNotificationConfig": {"url": hook.url}})
            until("the end to be pushed", lambda: "COMPLETED" in hook.states())
            assert len(hook.tries) >= 2 and hook.others == [], (how, hook.tries)
    with open(f"/proc/{w.daemon.process.pid}/status") as f:
        peak = int(next(line.split()[1] for line in f if line.startswith("VmHWM"))) << 10
    assert peak < 100 << 20, peak


@both
def addresses_inside_are_refused_when_they_are_named(w, p):
    task = p.send("hang", configuration={"returnImmediately": True})
    number = -32602 if p.name == "JSONRPC" else 400
    for url in ("http://127.0.0.1/x", "http://localhost:8080/x", "http://[::1]/x", "http://[::ffff:10.0.0.1]/x", "http://169.254.169.254/latest",
                "http://2130706433/x", "http://0x7f.1/x", "http://10.1.2.3/x", "ftp://files.example/x", "file:///etc/passwd", "javascript:1", "//x",
                "http://user:secret@files.example/", "http://files.example/\r\nX-Header: 1", ""):
        refused(number, p.call, "CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": url}, is_wrong=True)
        if url:
            refused(number, p.send, "", parts=[{"url": url}])
    refused(number, p.call, "CreateTaskPushNotificationConfig",
            {"taskId": task["id"], "url": "https://hook.example/", "authentication": {"scheme": "Bearer", "credentials": "a\r\nb: c"}})
    assert p.call("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"] == []
    assert len(p.call("ListTasks", {})["tasks"]) == 1


@test
def a_name_that_leads_inside_is_refused_when_it_is_dialled(w):
    name = socket.gethostname()
    try:
        inside = ipaddress.ip_address(socket.gethostbyname(name))
    except OSError:
        raise Skip("the name of this machine leads nowhere")
    if inside.is_global or name == "localhost":
        raise Skip("no name leads inside here")
    p = w.rpc()
    with Receiver("0.0.0.0") as hook:
        url = f"http://{name}:{hook.url.split(':')[2]}"
        # A name is not resolved when it is named, so the configuration is taken; it is given up when it is dialled.
        task = p.send("which", configuration={"taskPushNotificationConfig": {"url": url}})
        until("the configuration to be given up", lambda: not p.call("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"])
        assert hook.got == []


# ---- who sees what -------------------------------------------------------------------------------

@both
def a_foreign_task_looks_missing(w, p):
    task = p.send("hello")
    other = type(p)(w, w.token("other"))
    made_up = {"id": task["id"][:-4] + "zzzz", "contextId": task["contextId"]}
    for method, params in (("GetTask", {}), ("CancelTask", {}), ("SubscribeToTask", {})):
        call = other.stream if method == "SubscribeToTask" else other.call
        a = refused("TASK_NOT_FOUND", call, method, {"id": task["id"], **params})
        b = refused("TASK_NOT_FOUND", call, method, {"id": made_up["id"], **params})
        assert (a.status, a.body) == (b.status, b.body)
    refused("TASK_NOT_FOUND", other.send, "x", taskId=task["id"])
    number = -32602 if p.name == "JSONRPC" else 400
    a = refused(number, other.send, "x", contextId=task["contextId"])
    b = refused(number, other.send, "x", contextId=task["contextId"][:-4] + "zzzz")
    assert (a.status, a.body) == (b.status, b.body)
    assert other.call("ListTasks", {}) == {"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0}
    assert other.call("ListTasks", {"contextId": task["contextId"]})["tasks"] == []


@test
def two_tenants_do_not_see_each_other(w):
    for binding in (Rpc, Rest):
        red = binding(w, w.token("red" + binding.name[:1], "read,write", "--tenant", "red"))
        blue = binding(w, w.token("blue" + binding.name[:1], "read,write", "--tenant", "blue"))
        task = red.call("SendMessage", {"tenant": "red", **message("hello")})["task"]
        assert red.call("GetTask", {"tenant": "red", "id": task["id"]})["id"] == task["id"]
        refused("TASK_NOT_FOUND", blue.call, "GetTask", {"tenant": "blue", "id": task["id"]})
        assert blue.call("ListTasks", {"tenant": "blue"})["totalSize"] == 0
        a = refused(403 if binding is Rest else -32051, blue.call, "GetTask", {"tenant": "red", "id": task["id"]})
        b = refused(403 if binding is Rest else -32051, blue.call, "GetTask", {"tenant": "unknown", "id": task["id"]})
        assert a.body == b.body


@both
def scopes_are_enforced(w, p):
    task = p.send("hello")
    number = -32051 if p.name == "JSONRPC" else 403
    writer = type(p)(w, w.token("writer", "write"))
    refused(number, writer.call, "ListTasks", {})
    refused(number, writer.call, "GetExtendedAgentCard", {})
    reader = type(p)(w, w.token("reader", "read"))
    refused(number, reader.send, "hello")
    refused(number, reader.call, "CancelTask", {"id": task["id"]})
    assert reader.call("GetExtendedAgentCard", {})["skills"]
    c, r = type(p)(w, "nonsense").open("ListTasks", {})
    assert r.status == 401 and r.getheader("WWW-Authenticate"), r.status


@test
def a_revoked_token_ends_its_streams(w):
    p = w.rpc()
    s = p.send("hang", streams=True)
    next(s)
    w.call("revoke_token", name="peer")
    for _ in s:
        pass
    c, r = p.open("ListTasks", {})
    assert r.status == 401, r.status


# ---- bad input -----------------------------------------------------------------------------------

@both
def other_versions_are_refused(w, p):
    for version in (None, "", "0.3", "0.3.0", "1.1", "2.0", "1", "1.0x", "x"):
        refused("VERSION_NOT_SUPPORTED", p.call, "ListTasks", {}, headers={"A2A-Version": version})
    assert p.call("ListTasks", {}, headers={"A2A-Version": "1.0.1"})["tasks"] == []


@test
def the_version_may_be_a_parameter(w):
    p = w.rest()
    c, r = p.request("GET", "/a2a/v1/tasks?A2A-Version=1.0", None, {"A2A-Version": None})
    assert r.status == 200, r.read()


@both
def unknown_extensions_are_ignored(w, p):
    assert p.call("ListTasks", {}, headers={"A2A-Extensions": "https://example.org/unknown/v1"})["tasks"] == []


@both
def wrong_messages_change_nothing(w, p):
    number = -32602 if p.name == "JSONRPC" else 400
    good = message("x")["message"]
    wrong = [{}, {"message": None}, {"message": []}, {"message": {}}, {"message": {**good, "parts": []}}, {"message": {**good, "parts": None}},
             {"message": {**good, "parts": [{}]}}, {"message": {**good, "parts": [{"text": "a", "url": "https://x.example"}]}},
             {"message": {**good, "parts": [{"text": 7}]}}, {"message": {**good, "parts": ["text"]}},
             {"message": {**good, "parts": [{"raw": "***"}]}}, {"message": {**good, "role": "ROLE_AGENT"}}, {"message": {**good, "role": 1}},
             {"message": {**good, "messageId": ""}}, {"message": {**good, "messageId": "m" * 1000}}, {"message": {**good, "contextId": 5}},
             {"message": {**good, "metadata": "x"}}, {"message": good, "configuration": []},
             {"message": good, "configuration": {"historyLength": -1}}, {"message": good, "configuration": {"returnImmediately": "yes"}},
             {"message": {**good, "parts": [{"text": "x"}] * 100}}, {"message": {**good, "contextId": "sess_a~thr_b"}},
             {"message": {**good, "parts": [{"text": "x", "filename": "a\nb"}]}}]
    for params in wrong:
        refused(number, p.call, "SendMessage", params, is_wrong=True)
    refused("CONTENT_TYPE_NOT_SUPPORTED", p.send, "", parts=[{"raw": base64.b64encode(b"\0\1\2").decode(), "mediaType": "application/zip"}])
    refused("TASK_NOT_FOUND", p.send, "x", taskId="sess_a~task_b")
    refused("TASK_NOT_FOUND", p.send, "x", taskId="nonsense")
    assert p.call("ListTasks", {})["tasks"] == []


@test
def bytes_that_are_no_request_are_refused(w):
    p = w.rpc()
    for body, code in (("", -32700), ("{", -32700), ("[]", -32600), ("7", -32600), ("{}", -32600), ('{"jsonrpc":"2.0","method":"GetTask"}', -32600),
                       ('{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600),
                       ('{"jsonrpc":"2.0","id":1,"method":"tasks/get"}', -32601), ('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32602),
                       ('{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":' + '{"message":' * 200 + "1" + "}" * 201, -32700),
                       ("\xff\xfe", -32700)):
        c, r = p.request("POST", "/a2a", body.encode("latin-1"))
        got = json.loads(r.read())
        assert r.status == 200 and got["error"]["code"] == code, (body[:60], got)
    c, r = p.request("POST", "/a2a", "{}", type="text/plain")
    assert json.loads(r.read())["error"]["code"] == -32005
    q = w.rest("peer2")
    for method, path, status in (("GET", "/nothing", 404), ("POST", "/tasks", 404), ("GET", "/message:send", 404), ("DELETE", "/tasks/x", 404),
                                 ("PUT", "/message:send", 404), ("GET", "/a/b/c/d/e/f/g", 404), ("POST", "/message:send", 400),
                                 ("GET", "/tasks?pageSize=1&pageSize=2", 400), ("GET", "/tasks/x:cancel", 404)):
        c, r = q.request(method, "/a2a/v1" + path, "" if method == "POST" else None)
        got = json.loads(r.read())
        assert r.status == status and got["error"]["code"] == status, (path, r.status, got)
    c, r = q.request("POST", "/a2a/v1/message:send", "x" * 3_000_000)
    assert r.status == 413, r.status


@test
def many_wrong_requests_leave_nothing_behind(w):
    p = w.rpc()
    task = p.send("hello")
    before = descriptors(w)
    for n in range(300):
        c, r = p.request("POST", "/a2a", json.dumps({"jsonrpc": "2.0", "id": n, "method": "GetTask", "params": {"id": f"sess_{n}~task_{n}"}}))
        r.read()
        c.close()
    for _ in range(100):
        s = p.send("hello", streams=True)
        s.close()
    until("connections to be closed", lambda: descriptors(w) <= before + 4)
    assert state_of(p.get(task)) == "COMPLETED"


def descriptors(w):
    return len(list(pathlib.Path(f"/proc/{w.daemon.process.pid}/fd").iterdir()))


@test(options=["origins=[\"https://app.example\"]"])
def pages_of_accepted_origins_may_ask(w):
    p = w.rest()
    page = {"Origin": "https://app.example"}
    for path in ("/a2a", "/a2a/v1/tasks", "/.well-known/agent-card.json"):
        c, r = p.request("OPTIONS", path, None, {**page, "Authorization": None, "Access-Control-Request-Method": "POST"})
        assert r.status == 204 and r.getheader("Access-Control-Allow-Origin") == page["Origin"], (path, r.status)
        assert "a2a-version" in r.getheader("Access-Control-Allow-Headers") and not r.getheader("Access-Control-Allow-Credentials")
        c, r = p.request("OPTIONS", path, None, {"Origin": "https://evil.example", "Authorization": None})
        assert r.status == 403 and not r.getheader("Access-Control-Allow-Origin"), (path, r.status)
    c, r = p.request("GET", "/a2a/v1/tasks", None, page)
    assert r.status == 200 and r.getheader("Access-Control-Allow-Origin") == page["Origin"]
    c, r = p.request("GET", "/v1/sessions", None, page)
    assert not r.getheader("Access-Control-Allow-Origin")
    c, r = p.request("OPTIONS", "/v1/sessions", None, {**page, "Authorization": None})
    assert r.status in (401, 405) and not r.getheader("Access-Control-Allow-Origin"), r.status


# ---- the official client -------------------------------------------------------------------------

def official(binding):
    if not shutil.which("node") or not (HERE / "node_modules/@a2a-js/sdk").exists():
        raise Skip("the official client is not here: npm ci in tests/a2a fetches it")
    with World(options=ALLOW) as w, Receiver() as hook:
        log = w.dir / "messages"
        r = subprocess.run(["node", "peer.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("sdk"), binding, str(log), hook.url], cwd=HERE,
                           capture_output=True, text=True, timeout=DEADLINE_S * 2)
        if r.returncode:
            raise Wrong(r.stderr[-3000:] + r.stdout[-500:])
        seen = json.loads(r.stdout.splitlines()[-1])
        assert seen["send"] == ["TASK_STATE_COMPLETED", "answer to hello"], seen
        assert seen["context"] == [True, True], seen
        assert seen["stream"][0] == "task" and seen["last"] == "TASK_STATE_COMPLETED", seen
        assert "one two three four five six seven eight nine ten".endswith(seen["text"]) and len(seen["text"]) > 20, seen
        assert seen["asked"] == "TASK_STATE_INPUT_REQUIRED" and seen["answered"][0] == "TASK_STATE_COMPLETED", seen
        assert seen["answered"][1].endswith("You chose the left one"), seen
        assert seen["busy"] in ("TASK_STATE_WORKING", "TASK_STATE_SUBMITTED") and seen["push"] == [True, True], seen
        assert seen["listed"] == 1 and seen["got"], seen
        assert seen["resubscribed"][0] == "task" and seen["cancel"] == seen["after"] == "TASK_STATE_CANCELED", seen
        assert seen["get"] == "TASK_STATE_COMPLETED" and seen["page"] == [2, 4, True], seen
        assert seen["card"] >= 1 and "TaskNotFound" in seen["missing"], seen
        assert hook.states()[-1:] == ["CANCELED"] or hook.states() == [], hook.states()
        check_log(log)


KIT = HERE.parent.parent / "examples/scripts/a2a-kit.json"
KIT_FILE = {"kind": "raw", "value": "file output\n", "filename": "output.txt", "mediaType": "text/plain"}
KIT_LINK = {"kind": "url", "value": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain"}
KIT_DATA = {"kind": "data", "value": {"key": "value", "count": 42}, "mediaType": "application/json"}


def official_kit(binding):
    """Each id of the official test kit, as the official client sees the answer."""
    if not shutil.which("node") or not (HERE / "node_modules/@a2a-js/sdk").exists():
        raise Skip("the official client is not here: npm ci in tests/a2a fetches it")
    with World(options=["a2a.direct=[\"tck-message-response*\"]"], script=KIT.read_text()) as w:
        log = w.dir / "messages"
        r = subprocess.run(["node", "kit.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("kit"), binding, str(log)], cwd=HERE,
                           capture_output=True, text=True, timeout=DEADLINE_S * 2)
        if r.returncode:
            raise Wrong(r.stderr[-3000:] + r.stdout[-500:])
        check_kit(json.loads(r.stdout.splitlines()[-1]))
        check_log(log)


def check_kit(seen):
    text = lambda value: {"kind": "text", "value": value}  # noqa: E731
    ended = {id: got["state"].removeprefix("TASK_STATE_") for id, got in seen.items() if "state" in got}
    assert ended.pop("tck-input-required") == "INPUT_REQUIRED" and ended.pop("tck-reject-task") == "REJECTED", seen
    assert set(ended.values()) == {"COMPLETED"}, ended
    first = {id: got["parts"][0] for id, got in seen.items() if id in ended}
    assert first["tck-complete-task"] == [text("Hello from TCK")] and first["tck-artifact-text"] == [text("Generated text content")], first
    assert first["tck-artifact-file"] == [KIT_FILE] and first["tck-artifact-file-url"] == [KIT_LINK], first
    assert first["tck-artifact-data"] == [KIT_DATA] and seen["tck-message-response"] == {"message": [text("Direct message response")]}, seen
    assert first["tck-stream-artifact-file"] == [KIT_FILE] and seen["tck-stream-artifact-file"]["flags"][0] == [False, True], seen
    assert seen["tck-artifact-data-in-a-stream"]["parts"] == [[KIT_DATA]], seen["tck-artifact-data-in-a-stream"]
    for id in (id for id in seen if id.startswith("tck-stream-")):
        kinds = seen[id]["kinds"]
        assert kinds[0] == "task" and kinds[-1] == "statusUpdate" and "artifactUpdate" in kinds, (id, kinds)
    for id, said in (("tck-stream-001", "Stream hello from TCK"), ("tck-stream-002", "Done."), ("tck-stream-003", "Stream task lifecycle"),
                     ("tck-stream-ordering-001", "Ordered output"), ("tck-stream-artifact-text", "Streamed text content"),
                     ("tck-stream-artifact-chunked", "chunk-1 chunk-2")):
        assert "".join(p["value"] for parts in seen[id]["parts"] for p in parts) == said, (id, seen[id])
    flags = seen["tck-stream-artifact-chunked"]["flags"]
    assert len(flags) >= 3 and flags[0] == [False, False] and flags[-1] == [True, True], flags
    again = seen["test-resubscribe-message-id"]
    assert again[0][0] == "task" and again[-1] == ["statusUpdate", "TASK_STATE_COMPLETED"], again


def check_log(log):
    """Every message of the official client and of ours."""
    if not SCHEMA:
        return
    faults, count = [], 0
    for line in log.read_text().splitlines():
        m = json.loads(line)
        if not m["url"].endswith("/a2a"):
            continue
        body = json.loads(m["body"])
        assert body["method"] in PARAMS, body
        faults += SCHEMA.faults_of_request(body["method"], body.get("params"))
        answers = [x[6:] for x in m["stream"].splitlines() if x.startswith("data: ")] if "stream" in m else [m["response"]]
        for a in map(json.loads, answers):
            count += 1
            faults += SCHEMA.faults_of_result(body["method"], a["result"]) if "result" in a else []
    assert not faults, "\n".join(faults[:6])


@lambda f: tests.append(f)
def the_official_client_works_over_json_rpc():
    official("JSONRPC")


@lambda f: tests.append(f)
def the_official_client_works_over_http_json():
    official("HTTP+JSON")


@lambda f: tests.append(f)
def the_official_client_sees_each_id_of_the_kit_over_json_rpc():
    official_kit("JSONRPC")


@lambda f: tests.append(f)
def the_official_client_sees_each_id_of_the_kit_over_http_json():
    official_kit("HTTP+JSON")


tests += cards
tests += delegations

sys.exit(play(tests, sys.argv[2:]))
