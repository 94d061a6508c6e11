#!/usr/bin/env python3
"""Front ends that speak AG-UI on the real daemon: the official client with its verifier, and requests byte by byte.

usage: agui_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import http.client
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from node_host import Failed, Hosts  # noqa: E402
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402
from tap import Skip, play  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
SCRIPT = {
    "version": 1,
    "models": [{"provider": "scripted", "model": "demo", "capabilities": ["tool_use", "vision"]}],
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}},
              {"name": "look", "policy": "allowed", "readOnly": True, "result": {"text": "seen"}}],
    "rules": [
        {"when": {"afterTool": "weather"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"text": "weather", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "Oslo"}}]}},
        {"when": {"text": "twice", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "Oslo"}},
                                                                         {"name": "weather", "args": {"city": "Rome"}}]}},
        {"when": {"text": "large", "request": 1}, "reply": {"toolCalls": [{"name": "weather", "args": {"city": "x" * 20000}}]}},
        {"when": {"text": "publish", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"page": "news"}}]}},
        {"when": {"text": "own", "request": 1}, "reply": {"reasoning": "I look first.", "toolCalls": [{"name": "look", "args": {}}]}},
        {"when": {"text": "which", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
        {"when": {"afterTool": "ask_user"}, "reply": {"text": "The answer was {{toolResult}}"}},
        {"when": {"text": "plan", "request": 1}, "reply": {"toolCalls": [{"name": "update_todo", "args": {"items": [
            {"text": "measure", "status": "completed"}, {"text": "cut", "status": "in_progress"}]}}]}},
        *({"when": {"text": "draft", "request": n + 1}, "reply": {"toolCalls": [{"name": "update_todo", "args": {"items": [
            {"text": "measure", "status": "completed"}, {"text": "cut", "status": status}]}}]}} for n, status in enumerate(("in_progress", "completed"))),
        {"when": {"text": "delegate", "request": 1}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": {"role": "helper", "nickname": "Ada",
                                                                                                                "input": "own work"}}]}},
        {"when": {"text": "entrust", "request": 1}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": {"role": "helper", "input": "publish it"}}]}},
        {"when": {"text": "leave", "request": 1}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": {"role": "helper", "input": "slow work"}}]}},
        {"when": {"text": "hopeless", "request": 1}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": {"role": "helper", "input": "broken work"}}]}},
        {"when": {"text": "leave", "request": 2}, "reply": {"text": "It works alone now."}},
        {"when": {"afterTool": "spawn_agent"}, "reply": {"toolCalls": [{"name": "wait_agents", "args": {}}]}},
        {"when": {"afterTool": "wait_agents"}, "reply": {"text": "The child is done."}},
        {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}
tests = []
clients = Hosts(HERE / "front.mjs")


def test(f):
    tests.append(f)
    return f


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:600]} instead of {json.dumps(want)[:300]}")


def holds(truth, what):
    if not truth:
        raise Wrong(str(what)[:900])


class World:
    def __init__(self, options=(), enabled=True):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-agui-"))
        self.data = str(self.dir / "data")
        self.daemon = Daemon(BUILD, self.data, json.dumps(SCRIPT),
                             ["tools.enabled=false", "tools.agents=false", "tools.todo=false", *(["agui.enabled=true"] if enabled else []), *options])
        self.start()

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)
        self.token = (pathlib.Path(self.data) / "token").read_text().strip()
        self.url = f"http://127.0.0.1:{self.daemon.port}/ag-ui"

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.http.events(session, 0)]

    def client(self, case, **given):
        """What a client from npm saw."""
        if not (HERE / "node_modules" / "@ag-ui" / "client").is_dir():
            raise Skip("the client from npm is not here")
        try:
            return clients.ask({"name": case, "url": self.url, "token": self.token, "given": given}, DEADLINE_S)
        except Failed as e:
            raise Wrong(f"{case}: {e}") from e

    def post(self, body, headers=(), token=None):
        """(status, events or error) of one run."""
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        text = body if isinstance(body, str) else json.dumps(body)
        c.request("POST", "/ag-ui", text, {"Authorization": "Bearer " + (token or self.token), "Content-Type": "application/json", **dict(headers)})
        r = c.getresponse()
        data = r.read().decode()
        c.close()
        if r.getheader("Content-Type") != "text/event-stream":
            return r.status, json.loads(data)
        return r.status, [json.loads(line[6:]) for line in data.split("\n") if line.startswith("data: ")]

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process.poll() is None:
                self.daemon.kill()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


def kinds(events):
    return [e["type"] for e in events]


def ask(text, thread="thread-1", run="run-1", **more):
    return {"threadId": thread, "runId": run, "messages": [{"id": "m1", "role": "user", "content": text}], "tools": [], "context": [], **more}


TOOLS = [{"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]


# ---- the official client

@test
def a_front_end_has_one_thread():
    with World() as w:
        done = w.client("messages", thread="my thread")
        equal(kinds(done["first"]["events"])[:2], ["RUN_STARTED", "TEXT_MESSAGE_START"])
        equal(kinds(done["first"]["events"])[-3:], ["TEXT_MESSAGE_END", "STATE_SNAPSHOT", "RUN_FINISHED"])
        equal(done["first"]["events"][-1]["outcome"], {"type": "success"})
        equal([m.get("content") for m in done["messages"]], ["hello", "answer to hello", "more", "answer to more"])
        sessions = w.call("list_sessions")["sessions"]
        equal(len(sessions), 1, "one thread is one session")
        turns = [e for e in w.events(sessions[0]["sessionId"]) if e["type"] == "turn.submitted"]
        equal(len(turns), 2)
        equal("context" in turns[1]["payload"].get("options", {}), False, "the session has the earlier words itself")


AGENTS = ["tools.agents=true"]


def children(events):
    """What each child agent did, by its id."""
    seen = {}
    for e in events:
        if "subagentRunId" in e:
            seen.setdefault(e["subagentRunId"], []).append(e)
    return seen


@test
def child_agents_are_part_of_the_run():
    with World(AGENTS) as w:
        done = w.client("once", thread="t", input="delegate")
        equal(done["failure"], None)
        (child,) = children(done["events"]).values()
        equal((child[0]["type"], child[0]["name"], child[0]["description"]), ("SUBAGENT_STARTED", "Ada", "helper"))
        equal((child[-1]["type"], child[-1]["result"]), ("SUBAGENT_FINISHED", "answer to own work"))
        for kind in ("REASONING_MESSAGE_CONTENT", "TOOL_CALL_START", "TOOL_CALL_RESULT", "TEXT_MESSAGE_CONTENT"):
            holds(kind in kinds(child), (kind, kinds(child)))
        equal("".join(e["delta"] for e in child if e["type"] == "TEXT_MESSAGE_CONTENT"), "answer to own work")
        own = [e["delta"] for e in done["events"] if e["type"] == "TEXT_MESSAGE_CONTENT" and "subagentRunId" not in e]
        equal("".join(own), "The child is done.")
        equal([m.get("subagentRunId") for m in done["messages"] if m["role"] == "assistant" and m.get("content")], [child[0]["subagentRunId"], None])


@test
def a_question_of_a_child_interrupts_the_run():
    with World(AGENTS) as w:
        done = w.client("interrupt", thread="t", input="entrust", payload={"approved": True})
        (child,) = children(done["first"]["events"]).values()
        interrupt = done["outcome"]["interrupts"][0]
        equal((child[-1]["type"], child[-1]["outcome"]), ("SUBAGENT_FINISHED", {"type": "suspended", "interruptIds": [interrupt["id"]]}))
        equal(interrupt["subagentRunId"], child[0]["subagentRunId"])
        equal(done["second"]["events"][-1]["outcome"], {"type": "success"})
        said = [m["content"] for m in done["messages"] if m["role"] == "assistant" and m.get("content")]
        equal(said[-1], "The child is done.")


@test
def children_that_fail_or_work_on_do_not_break_the_run():
    with World(AGENTS) as w:
        failed = w.client("once", thread="a", input="hopeless")
        (child,) = children(failed["events"]).values()
        equal((failed["failure"], child[-1]["type"]), (None, "SUBAGENT_ERROR"))
        holds("The key is not valid." in child[-1]["message"], child[-1])
        left = w.client("once", thread="b", input="leave")
        (child,) = children(left["events"]).values()
        equal((left["failure"], child[-1]["type"], child[-1]["outcome"]), (None, "SUBAGENT_FINISHED", {"type": "suspended"}))


@test
def the_todo_list_is_an_activity():
    with World(["tools.todo=true"]) as w:
        done = w.client("once", thread="t", input="draft")
        seen = [e for e in done["events"] if e["type"].startswith("ACTIVITY_")]
        equal(kinds(seen), ["ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"])
        equal((seen[0]["activityType"], [i["status"] for i in seen[0]["content"]["items"]]), ("PLAN", ["completed", "in_progress"]))
        (plan,) = [m for m in done["messages"] if m["role"] == "activity"]
        equal([i["status"] for i in plan["content"]["items"]], ["completed", "completed"])


@test
def tasks_of_the_session_are_activities():
    with World() as w:
        session = w.call("create_session")["sessionId"]
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("POST", "/ag-ui", json.dumps(ask("slow", thread=session)), {"Authorization": "Bearer " + w.token, "Content-Type": "application/json"})
        r = c.getresponse()
        events = (json.loads(line[6:]) for line in r if line.startswith(b"data: "))
        equal(next(events)["type"], "RUN_STARTED")
        task = w.call("create_task", sessionId=session, objective="paint it")["taskId"]
        seen = [next(e for e in events if e["type"].startswith("ACTIVITY_"))]
        w.call("cancel_task", sessionId=session, taskId=task)
        while not any(p.get("value") == "cancelled" for p in seen[-1].get("patch", [])):
            seen.append(next(e for e in events if e["type"].startswith("ACTIVITY_")))
        equal((seen[0]["type"], seen[0]["activityType"], seen[0]["content"]["objective"]), ("ACTIVITY_SNAPSHOT", "TASK", "paint it"))
        equal(set(kinds(seen[1:])), {"ACTIVITY_DELTA"})
        equal({e["messageId"] for e in seen}, {"activity_" + task})
        c.close()


@test
def one_activity_more_than_the_published_limit_is_in_the_state_only():
    limit = json.loads((HERE.parents[1] / "catalog" / "limits.json").read_text())["agui_activities"]["value"]
    with World() as w:
        session = w.call("create_session")["sessionId"]
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("POST", "/ag-ui", json.dumps(ask("slow", thread=session)), {"Authorization": "Bearer " + w.token, "Content-Type": "application/json"})
        r = c.getresponse()
        events = (json.loads(line[6:]) for line in r if line.startswith(b"data: "))
        equal(next(events)["type"], "RUN_STARTED")
        made = [w.call("create_task", sessionId=session, objective=f"task {n}")["taskId"] for n in range(limit + 1)]
        # The first task changes after the last was made: what was said of them lies before that.
        w.call("cancel_task", sessionId=session, taskId=made[0])
        seen = []
        while not any(e["messageId"] == "activity_" + made[0] and e["type"] == "ACTIVITY_DELTA" and any(x.get("value") == "cancelled" for x in e["patch"]) for e in seen):
            seen.append(next(e for e in events if e["type"].startswith("ACTIVITY_")))
        shown = [e["messageId"].removeprefix("activity_") for e in seen if e["type"] == "ACTIVITY_SNAPSHOT"]
        equal(shown, made[:limit])
        equal([e for e in seen if e["messageId"] == "activity_" + made[limit]], [])
        c.close()


@test
def messages_and_parts_of_unknown_kinds_are_refused_and_change_nothing():
    good = ask("x")
    last = good["messages"][-1]
    with World() as w:
        for messages in ([{**last, "content": [{"type": "video", "source": {}}]}], [{**last, "content": [{"type": "somethingNew"}]}],
                         [{**last, "content": [{"type": "text", "text": "x"}, {"text": "y"}]}], [{**last, "content": 7}], [{**last, "role": 7}], ["x"], [None]):
            status, error = w.post({**good, "messages": messages})
            holds(status == 400 and error["error"]["message"] and error["error"].get("code"), (messages, status, error))
        equal(w.call("list_sessions")["sessions"], [])
        # Earlier messages of a role that is not known are left out, as activities are.
        status, events = w.post({**good, "messages": [{"id": "0", "role": "robot", "content": "beep"}, {"id": "1", "role": "user", "content": "earlier"}, {"id": "2", "role": "assistant", "content": "yes"}, last]})
        (session,) = w.call("list_sessions")["sessions"]
        (context,) = next(e for e in w.events(session["sessionId"]) if e["type"] == "turn.submitted")["payload"]["options"]["context"]
        equal(w.call("get_output", outputRef=context["outputRef"])["text"], "user: earlier\nassistant: yes\n")


@test
def a_front_end_that_opens_a_thread_gets_its_messages():
    with World() as w:
        long = "long " * 4000
        done = w.client("reopen", thread="my thread", inputs=["hello", "own", long])
        opened, known = done["opened"], done["known"]
        equal(kinds(opened["events"]), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"])
        brief = lambda ms: [(m["role"], m.get("content"), [c["function"]["name"] for c in m.get("toolCalls", [])]) for m in ms]  # noqa: E731
        equal(brief(opened["messages"]), [("user", "hello", []), ("assistant", "answer to hello", []), ("user", "own", []), ("assistant", None, ["look"]),
                                          ("tool", "seen", []), ("assistant", "answer to own", []), ("user", long, []), ("assistant", "answer to " + long, [])])
        ours = lambda ms: [m["id"] for m in ms if m["role"] not in ("user", "reasoning")]  # noqa: E731
        equal(ours(opened["messages"]), ours(known), "ids as in the runs")
        session = next(e for e in opened["events"] if e["type"] == "STATE_SNAPSHOT")["snapshot"]["thole"]["sessionId"]
        equal(len([e for e in w.events(session) if e["type"] == "turn.submitted"]), 3, "opening is no turn")
        w.daemon.kill()
        w.start()
        status, events = w.post({"threadId": session, "runId": "r", "messages": [], "tools": [], "context": []})
        equal((status, events[1]["messages"]), (200, opened["messages"]))


@test
def a_thread_of_others_is_not_shown():
    with World() as w:
        w.post(ask("hello"))
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        other = w.call("create_token", name="other", scopes=["read", "write"])["token"]
        seen = [w.post({"threadId": id, "runId": "r", "messages": [], "tools": [], "context": []}, token=other) for id in (session, "sess_x")]
        equal([(status, kinds(events)) for status, events in seen], [(200, ["RUN_STARTED", "RUN_ERROR"])] * 2)
        equal(seen[0][1][1], seen[1][1][1])


@test
def opening_an_unknown_thread_leaves_no_session():
    with World() as w:
        read = {"threadId": "new thread", "runId": "r", "messages": [], "tools": [], "context": []}
        for _ in range(50):
            status, events = w.post(read)
            equal((status, kinds(events), events[1]["messages"]), (200, ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], []))
        equal(w.call("list_sessions")["sessions"], [])
        w.post(ask("hello", thread="new thread"))
        equal(len(w.call("list_sessions")["sessions"]), 1)
        equal([m["content"] for m in w.post(read)[1][1]["messages"]], ["hello", "answer to hello"])
        reader = w.call("create_token", name="reader", scopes=["read"])["token"]
        equal(w.post(read, token=reader)[1][1]["messages"], [], "a thread of others is unknown")
        equal(len(w.call("list_sessions")["sessions"]), 1)


@test
def an_opened_thread_has_no_turns_that_were_removed():
    with World() as w:
        for n, text in enumerate(("first", "second", "third")):
            w.post(ask(text, run=f"run-{n}"))
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        turns = [e["turnId"] for e in w.events(session) if e["type"] == "turn.submitted"]
        w.call("rollback_thread", sessionId=session, toTurnId=turns[0])
        w.post(ask("fourth", run="run-4"))
        opened = w.post({"threadId": session, "runId": "r", "messages": [], "tools": [], "context": []})[1]
        equal([m["content"] for m in opened[1]["messages"]], ["first", "answer to first", "fourth", "answer to fourth"])


@test
def a_run_ends_with_the_state_of_the_thread():
    with World(options=["tools.todo=true"]) as w:
        done = w.client("state", thread="t", state={"mine": {"a": [1]}, "thole": "not ours"})
        equal(done["state"]["mine"], {"a": [1]}, "the front end's own members stay")
        ours = done["state"]["thole"]
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        equal((ours["sessionId"], ours["status"]), (session, "completed"))
        equal(ours["todo"], [{"text": "measure", "status": "completed"}, {"text": "cut", "status": "in_progress"}])
        holds(ours["cost"]["state"] and ours["subagents"] == [] and isinstance(ours["tasks"], list), ours)
        equal(kinds(done["events"]).count("STATE_SNAPSHOT"), 1)
        # A run that asks shows the state too, and the next one has it again.
        done = w.client("interrupt", thread="i", input="publish", payload={"approved": True})
        for part in ("first", "second"):
            equal(kinds(done[part]["events"])[-2:], ["STATE_SNAPSHOT", "RUN_FINISHED"], part)
        snapshot = [e for e in done["first"]["events"] if e["type"] == "STATE_SNAPSHOT"][0]["snapshot"]
        equal(snapshot["thole"]["status"], "blocked")


@test
def a_front_end_runs_its_tools():
    with World() as w:
        done = w.client("tools", thread="t")
        outcome = done["first"]["events"][-1]["outcome"]
        equal((outcome["type"], len(outcome["pendingToolCallIds"])), ("success", 1))
        equal(done["messages"][-1]["content"], "The tool said: dry in Oslo")
        done = w.client("tools", thread="t2", input="twice")
        equal(len(done["first"]["events"][-1]["outcome"]["pendingToolCallIds"]), 2)
        equal(done["messages"][-1]["content"], "The tool said: dry in Rome")
        done = w.client("tools", thread="t3", input="large")
        equal(done["messages"][-1]["role"], "assistant")


@test
def a_front_end_answers_interrupts():
    with World() as w:
        done = w.client("interrupt", thread="a", input="publish", payload={"approved": True})
        equal((done["outcome"]["type"], done["outcome"]["interrupts"][0]["reason"]), ("interrupt", "tool_permission"))
        equal(done["messages"][-1]["content"], "The tool said: published")
        done = w.client("interrupt", thread="b", input="publish", payload={"approved": False})
        session = w.call("list_sessions", limit=1)["sessions"][0]["sessionId"]
        resolved = [e for e in w.events(session) if e["type"] == "action.resolved"]
        equal(resolved[-1]["payload"]["decision"], "deny")
    with World(["tools.enabled=true"]) as w:
        done = w.client("interrupt", thread="c", input="which", payload={"answer": "the red one"})
        equal(done["outcome"]["interrupts"][0]["responseSchema"]["required"], ["answer"])
        holds("the red one" in done["messages"][-1]["content"], done["messages"][-1])


@test
def a_front_end_sees_tools_of_the_runtime_and_reasoning():
    with World() as w:
        done = w.client("once", thread="a", input="own")
        seen = kinds(done["events"])
        holds({"REASONING_START", "REASONING_MESSAGE_CONTENT", "REASONING_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END",
               "TOOL_CALL_RESULT"} <= set(seen), seen)
        equal(done["failure"], None)
        done = w.client("once", thread="b", input="broken")
        equal(done["events"][-1]["type"], "RUN_ERROR")
        equal(done["events"][-1]["code"], "auth")


# ---- byte by byte

@test
def a_call_survives_a_kill_of_the_daemon():
    with World() as w:
        status, events = w.post(ask("weather", tools=TOOLS))
        call = next(e for e in events if e["type"] == "TOOL_CALL_START")["toolCallId"]
        w.daemon.kill()
        w.start()
        messages = [{"id": "m1", "role": "user", "content": "weather"},
                    {"id": "m2", "role": "assistant", "toolCalls": [{"id": call, "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
                    {"id": "m3", "role": "tool", "toolCallId": call, "content": "dry"}]
        again = {**ask("x", run="run-2"), "messages": messages}
        status, events = w.post(again)
        equal("".join(e.get("delta", "") for e in events if e["type"] == "TEXT_MESSAGE_CONTENT"), "The tool said: dry")
        equal(w.post(again), (status, events), "the same request gives the same run")
        again["messages"][2]["content"] = "wet"
        equal(w.post(again)[0], 409)


@test
def the_same_run_is_one_turn():
    with World() as w:
        first, second = w.post(ask("hello")), w.post(ask("hello"))
        equal(first, second)
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        equal(sum(e["type"] == "turn.submitted" for e in w.events(session)), 1)
        equal(w.post(ask("other"))[0], 409, "another message in the same run")
        # A thread may be named by its session.
        status, events = w.post(ask("more", thread=session, run="run-9"))
        equal((status, events[0]["threadId"]), (200, session))
        equal(w.post(ask("more", thread="sess_none", run="run-10"))[0], 404)


@test
def an_approval_is_never_given_by_default():
    with World() as w:
        status, events = w.post(ask("publish"))
        asked = events[-1]["outcome"]["interrupts"][0]["id"]
        for payload in (None, {}, {"approved": "yes"}, 1, "true"):
            entry = {"interruptId": asked, "status": "resolved", **({} if payload is None else {"payload": payload})}
            equal(w.post(ask("x", run="run-2", resume=[entry]))[0], 400, payload)
        for bad in ("act_1", "act_1~turn_1", "act_1~turn_1~other", "~~permission"):
            equal(w.post(ask("x", run="run-2", resume=[{"interruptId": bad, "status": "resolved", "payload": {"approved": True}}]))[0], 404, bad)
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        equal([e for e in w.events(session) if e["type"] == "action.resolved"], [])
        status, events = w.post(ask("x", run="run-3", resume=[{"interruptId": asked, "status": "cancelled"}]))
        equal([e["payload"]["decision"] for e in w.events(session) if e["type"] == "action.resolved"], ["deny"])


@test
def tokens_bound_what_a_front_end_may_do():
    with World() as w:
        mine = w.call("create_token", name="mine", scopes=["read", "write"], sessions="own")["token"]
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        reader = w.call("create_token", name="reader", scopes=["read"], sessions="own")["token"]
        equal(w.post(ask("hello"), token="wrong")[0], 401)
        equal(w.post(ask("hello"), token=reader)[0], 403)
        equal(w.post(ask("hello"), token=mine)[0], 200)
        # The same id of a thread is another session for another principal.
        equal(w.post(ask("hello"), token=other)[0], 200)
        sessions = w.call("list_sessions")["sessions"]
        equal(len(sessions), 2)
        for s in sessions:
            got = {w.post(ask("x", thread=s["sessionId"], run="run-7"), token=t)[0] for t in (mine, other)}
            equal(got, {200, 404}, "a session belongs to one of them")
        # The scope approve is needed to answer.
        status, events = w.post(ask("publish", run="run-8", thread="p"), token=mine)
        asked = events[-1]["outcome"]["interrupts"][0]["id"]
        equal(w.post(ask("x", run="run-9", thread="p", resume=[{"interruptId": asked, "status": "resolved", "payload": {"approved": True}}]), token=mine)[0], 403)


@test
def bad_runs_are_refused_and_change_nothing():
    good = ask("x")
    bad = ["{", "[]", {}, {**good, "threadId": ""}, {**good, "threadId": 7}, {**good, "runId": "r" * 300}, {**good, "messages": {}},
           {**good, "messages": [{"role": "assistant", "content": "x"}]}, {**good, "messages": [{"role": "user", "content": []}]},
           {**good, "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "value": "http://127.0.0.1/"}}]}]},
           {**good, "tools": [{"description": "no name"}]}, {**good, "messages": [{"role": "tool", "content": "x"}]},
           {**good, "resume": [{"interruptId": "a", "status": "maybe"}]}]
    with World() as w:
        for body in bad:
            status, error = w.post(body)
            holds(status == 400 and error["error"]["message"], (body, status, error))
        equal(w.call("list_sessions")["sessions"], [])
        equal(w.post(ask("x"), headers={"Content-Type": "text/plain"})[0], 415)
    with World(enabled=False) as w:
        equal(w.post(ask("x"))[0], 404)


@test
def earlier_words_of_a_new_thread_are_whole():
    with World() as w:
        said = "\u00e9" * 45000
        messages = [{"id": "1", "role": "user", "content": said}, {"id": "2", "role": "assistant", "content": "the last words"}, {"id": "3", "role": "user", "content": "hello"}]
        equal(w.post({**ask("x"), "messages": messages})[0], 200)
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        context = next(e for e in w.events(session) if e["type"] == "turn.submitted")["payload"]["options"]["context"]
        text = ""
        for item in context:
            offset = 0
            while True:
                part = w.call("get_output", outputRef=item["outputRef"], offset=offset)
                text += part["text"]
                offset += part["bytes"]
                if part["eof"]:
                    break
        equal(text, f"user: {said}\nassistant: the last words\n")


@test
def pages_of_accepted_origins_may_ask():
    with World(['origins=["http://pages.example"]']) as w:
        def preflight(origin, path="/ag-ui"):
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("OPTIONS", path, headers={"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"})
            r = c.getresponse()
            r.read()
            c.close()
            return r.status, r.getheader("Access-Control-Allow-Origin")

        equal(preflight("http://pages.example"), (204, "http://pages.example"))
        equal(preflight("http://other.example")[1], None)
        holds(preflight("http://pages.example", "/v1/sessions")[0] != 204, "our own API is not for other pages")
        holds(preflight("http://pages.example", "/openai/v1/models")[0] != 204, "what is off does not exist")
        status, events = w.post(ask("hello"), headers={"Origin": "http://pages.example"})
        equal((status, events[-1]["type"]), (200, "RUN_FINISHED"))
        equal(w.post(ask("hello"), headers={"Origin": "http://other.example"})[0], 403)


@test
def a_long_conversation_is_read_quickly():
    """16,000 messages: what is behind the last answer counts."""
    with World() as w:
        messages = [{"id": str(n), "role": ("user", "assistant")[n % 2], "content": "x"} for n in range(16000)] + [{"id": "z", "role": "user", "content": "hello"}]
        status, events = w.post({**ask("x"), "messages": messages})
        equal((status, events[-1]["type"]), (200, "RUN_FINISHED"))


def main():
    return play(tests, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
