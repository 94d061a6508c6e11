"""Thole delegates work to other agents: to the official SDK, to another Thole, and to agents that are hostile, late or dead."""
import contextlib
import http.client
import json
import os
import shutil
import subprocess
import threading

from a2a_fixture import DEADLINE_S, HERE, Refused, World, Wrong, message, until
from fake_agent import FakeAgent, add, move, set_state
from tap import Skip, long

tests = []
ENDS = ("completed", "failed", "lost", "cancelled", "timed_out")


def test(f):
    tests.append(f)
    return f


def remote(url, **more):
    return "agents.remote=" + json.dumps({"helper": {"card": url, **more}})


@contextlib.contextmanager
def thole(url, *options, **more):
    with World(options=[remote(url, **more), *options], is_on=False) as w:
        yield w


def delegate(w, text, **more):
    t = w.call("create_task", objective=text, **more)
    w.call("start_task", sessionId=t["sessionId"], taskId=t["taskId"], worker={"kind": "peer", "ref": "helper"})
    return t["sessionId"], t["taskId"]


def task_of(w, at):
    return w.call("get_task", sessionId=at[0], taskId=at[1])["task"]


def ended(w, at, status="completed"):
    task = until("the end of the task", lambda: (lambda t: t if t["status"] in ENDS else None)(task_of(w, at)))
    assert task["status"] == status, json.dumps(task)[:1500]
    return task


def reaches(w, at, status):
    return until(f"the status {status}", lambda: (lambda t: t if t["status"] == status else None)(task_of(w, at)))


def kinds(w, at):
    return [e["type"] for e in w.events(at[0])]


def texts(w, at):
    """The stored artifacts of a task, in order."""
    out = []
    for e in w.events(at[0]):
        if e["type"] == "artifact.changed" and e["taskId"] == at[1]:
            reply = w.call("get_output", outputRef=e["refs"]["read"], sessionId=at[0])
            out.append(reply.get("text", reply.get("base64")))
    return out


def refused(w, status, command, **params):
    code, reply = w.owner.call(command, params)
    assert code == status or (reply or {}).get("status") == status, f"{status} expected: {code} {reply}"
    return reply


# ---- the official SDK as the foreign agent ----------------------------------------------------------

@contextlib.contextmanager
def sdk_agent(binding, port="0"):
    if not shutil.which("node") or not (HERE / "node_modules/express").exists():
        raise Skip("the official SDK is not here: npm ci in tests/a2a fetches it")
    node = subprocess.Popen(["node", "agent.mjs", binding, port], cwd=HERE, stdout=subprocess.PIPE, text=True)
    try:
        yield node.stdout.readline().strip()
    finally:
        node.kill()
        node.wait()


def official(binding):
    with sdk_agent(binding) as url, thole(url) as w:
        at = delegate(w, "echo this")
        task = ended(w, at)
        assert texts(w, at) == ["echo: echo this"], texts(w, at)
        assert task["remoteTask"]["remoteTaskId"] not in (at[1], None) and task["nativeStatus"] == "TASK_STATE_COMPLETED", task
        at = delegate(w, "words")
        ended(w, at)
        assert texts(w, at) == ["one two three"], texts(w, at)
        at = delegate(w, "file")
        ended(w, at)
        assert sorted(texts(w, at)) == sorted(["AAEC/w==", "from afar", '{"n":7}']), texts(w, at)
        for text, question in (("ask", "left or right?"), ("auth", "sign in first")):
            at = delegate(w, text)
            action = w.pending(at[0])
            task = task_of(w, at)
            assert task["status"] == {"ask": "waiting_input", "auth": "waiting_permission"}[text] and question in task["statusReason"], task
            answer = {"ask": "left", "auth": "done"}[text]
            if text == "auth":
                # A secret has no place in the log: it is given at the agent.
                refused(w, 422, "respond_action", sessionId=at[0], actionId=action, decision="answer", payload={"answer": "hunter2"})
            w.call("respond_action", sessionId=at[0], actionId=action, decision="answer", payload={"answer": answer})
            ended(w, at)
            assert texts(w, at) == ["you said " + answer], texts(w, at)
        at = delegate(w, "reject")
        assert ended(w, at, "failed")["nativeStatus"] == "TASK_STATE_REJECTED"
        at = delegate(w, "fail")
        assert "it broke" in ended(w, at, "failed")["statusReason"]
        at = delegate(w, "message")
        assert ended(w, at)["attempts"][-1]["completionSummary"] == "answered at once"
        assert texts(w, at) == [], "a message is no durable output"
        at = delegate(w, "hang")
        reaches(w, at, "running")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        w.call("cancel_task", sessionId=at[0], taskId=at[1])
        assert ended(w, at, "cancelled")["nativeStatus"] == "TASK_STATE_CANCELED"
        log = json.load(get(url + "/log"))
        assert [m["text"] for m in log].count("echo this") == 1, log
        assert log[0]["metadata"] == {"thole/delegationDepth": 1}, log[0]


def get(url):
    import urllib.request
    return urllib.request.urlopen(url, timeout=DEADLINE_S)


@test
def an_agent_of_the_official_sdk_works_over_json_rpc():
    official("JSONRPC")


@test
def an_agent_of_the_official_sdk_works_over_http_json():
    official("HTTP+JSON")


@test
def an_agent_that_is_killed_and_started_again_has_lost_the_task():
    with contextlib.ExitStack() as first, contextlib.ExitStack() as rest:
        url = first.enter_context(sdk_agent("JSONRPC"))
        w = rest.enter_context(thole(url))
        at = delegate(w, "hang")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        first.close()
        rest.enter_context(sdk_agent("JSONRPC", url.rsplit(":", 1)[1]))
        assert "does not know" in ended(w, at, "lost")["statusReason"]


# ---- Thole as the peer of Thole ---------------------------------------------------------------------

@test
def thole_delegates_to_thole():
    with World(options=["tools.enabled=true", "permission.mode=bypass"]) as peer:
        headers = {"Authorization": "Bearer " + peer.token("boss")}
        with thole(f"http://127.0.0.1:{peer.daemon.port}", headers=headers) as w:
            at = delegate(w, "words please")
            ended(w, at)
            assert texts(w, at) == ["one two three four five six seven eight nine ten"], texts(w, at)
            at = delegate(w, "which one")
            w.call("respond_action", sessionId=at[0], actionId=w.pending(at[0]), decision="answer", payload={"answer": "the left one"})
            ended(w, at)
            assert texts(w, at)[-1] == "You chose the left one", texts(w, at)
            at = delegate(w, "report")
            ended(w, at)
            assert any("all is well" in t for t in texts(w, at)), texts(w, at)
            theirs = [e for s in peer.call("list_sessions")["sessions"] for e in peer.events(s["sessionId"]) if e["type"] == "turn.submitted"]
            assert {e["payload"].get("delegationDepth") for e in theirs if e["payload"]["source"] == "a2a"} == {1}, theirs
            channels = w.call("list_channels")["channels"]
            assert any(c["peerRole"] == "peer_agent" and c["nativeProtocol"] == "a2a" and c["agentCardRef"].startswith("sha256:") for c in channels), channels


# ---- states -----------------------------------------------------------------------------------------

def stay(state, said=None):
    def step(agent, task, text, say):
        move(task, say, state, said)
    return step


def forget(agent, task, text, say):
    move(task, say, "WORKING")
    del agent.tasks[task["id"]]


def unreachable_file(agent, task, text, say):
    add(task, "far", [{"url": "http://10.1.2.3/secret"}])
    move(task, say, "COMPLETED")


@test
def six_states_of_a_remote_task_stay_distinct():
    plan = {"running": stay("WORKING"), "idle": stay("SUBMITTED"), "input": stay("INPUT_REQUIRED", "which?"), "auth": stay("AUTH_REQUIRED", "who?"),
            "undelivered": unreachable_file, "missing": forget}
    with FakeAgent(plan) as agent, thole(agent.url) as w:
        at = {text: delegate(w, text) for text in plan}
        want = {"idle": "waiting_resource", "input": "waiting_input", "auth": "waiting_permission", "undelivered": "blocked", "missing": "lost", "running": "running"}
        for text, status in want.items():
            reaches(w, at[text], status)
        until("the remote id", lambda: task_of(w, at["running"]).get("remoteTask"))
        assert "10.1.2.3" in task_of(w, at["undelivered"])["statusReason"], task_of(w, at["undelivered"])
        agent.status = 503
        away = delegate(w, "running away")
        assert "not now" in reaches(w, away, "stale")["statusReason"]
        agent.status = 401
        stranger = delegate(w, "running without a key")
        assert "credential" in reaches(w, stranger, "stale")["statusReason"]
        agent.status = 200
        reaches(w, away, "running")


def confused(agent, task, text, say):
    """Repeats, goes back, and speaks after the end."""
    for _ in range(5):
        move(task, say, "WORKING", "at it")
    move(task, say, "SUBMITTED")
    add(task, "a", [{"text": "the work"}])
    for _ in range(3):
        move(task, say, "COMPLETED")
    stored = dict(task["status"])
    say({"statusUpdate": {"taskId": task["id"], "contextId": task["contextId"], "status": {"state": "TASK_STATE_WORKING"}}})
    say({"statusUpdate": {"taskId": task["id"], "contextId": task["contextId"], "status": {"state": "TASK_STATE_FAILED"}}})
    say({"artifactUpdate": {"taskId": task["id"], "contextId": task["contextId"], "artifact": {"artifactId": "late", "parts": [{"text": "late"}]}}})
    task["status"] = stored


@test
def an_end_is_final_and_repetitions_leave_no_events():
    with FakeAgent({"confused": confused}) as agent, thole(agent.url) as w:
        at = delegate(w, "confused")
        ended(w, at)
        assert texts(w, at) == ["the work"], texts(w, at)
        seen = kinds(w, at)
        assert seen.count("task.completed") == 1 and seen.count("task.delegated") == 1 and "task.failed" not in seen, seen
        assert seen.count("channel.message") <= 5, seen


@test
def a_retry_is_another_attempt_with_another_remote_task():
    def once(agent, task, text, say):
        move(task, say, "FAILED" if task["id"] == "remote-1" else "COMPLETED", "said")
    with FakeAgent({"once": once}) as agent, thole(agent.url) as w:
        at = delegate(w, "once")
        ended(w, at, "failed")
        w.call("retry_task", sessionId=at[0], taskId=at[1], reason="again")
        task = ended(w, at)
        assert [a["remoteTask"]["remoteTaskId"] for a in task["attempts"]] == ["remote-1", "remote-2"], task["attempts"]
        assert [a["worker"]["kind"] for a in task["attempts"]] == ["peer", "peer"]


@test
def an_agent_without_streams_is_polled():
    def later(agent, task, text, say):
        set_state(task, "WORKING")
        threading.Event().wait(1)
        add(task, "a", [{"text": "slowly"}])
        set_state(task, "COMPLETED")
    with FakeAgent({"later": later}, streaming=False) as agent, thole(agent.url) as w:
        at = delegate(w, "later")
        ended(w, at)
        assert texts(w, at) == ["slowly"] and "SubscribeToTask" not in agent.calls, agent.calls


@test
def an_agent_that_continues_by_itself_withdraws_its_question():
    def impatient(agent, task, text, say):
        move(task, say, "INPUT_REQUIRED", "well?")
        agent.gate("patience")
        add(task, "a", [{"text": "never mind"}])
        move(task, say, "COMPLETED")
    with FakeAgent({"impatient": impatient}) as agent, thole(agent.url) as w:
        agent.hold("patience")
        at = delegate(w, "impatient")
        action = w.pending(at[0])
        agent.open_gates()
        ended(w, at)
        resolved = [e for e in w.events(at[0]) if e["type"] == "action.resolved"]
        assert [(e["actionId"], e["payload"]["decision"]) for e in resolved] == [(action, "cancel")], resolved


@test
def a_declined_question_cancels_the_remote_task():
    with FakeAgent({"ask": stay("INPUT_REQUIRED", "which?")}) as agent, thole(agent.url) as w:
        at = delegate(w, "ask")
        w.call("respond_action", sessionId=at[0], actionId=w.pending(at[0]), decision="decline", reason="no")
        ended(w, at, "failed")
        assert agent.tasks["remote-1"]["status"]["state"] == "TASK_STATE_CANCELED", agent.tasks


# ---- kill -9 ----------------------------------------------------------------------------------------

@test
@long
def a_kill_at_every_step_of_a_delegation_loses_and_repeats_nothing():
    def asks(agent, task, text, say):
        if task.get("answer"):
            add(task, "a", [{"text": "you said " + task["answer"]}, {"url": agent.url + "/file"}])
            agent.gate("done")
            return move(task, say, "COMPLETED")
        move(task, say, "WORKING")
        move(task, say, "INPUT_REQUIRED", "which?")
    for step in ("taken", "named", "question", "answered", "done", "asked", "file"):
        with FakeAgent({"asks": asks, "answer": asks}) as agent, thole(agent.url) as w:
            if step not in ("question", "answered"):
                agent.hold(step)
            at = delegate(w, "asks")
            if step in ("taken", "named"):
                assert agent.reached.wait(DEADLINE_S), step
                w.daemon.kill()
                agent.open_gates()
                w.start()
            action = w.pending(at[0])
            if step == "question":
                w.restart()
                assert w.pending(at[0]) == action, "the question is asked once"
            w.call("respond_action", sessionId=at[0], actionId=action, decision="answer", payload={"answer": "left"})
            if step == "answered":
                w.restart()
            if step in ("done", "asked", "file"):
                assert agent.reached.wait(DEADLINE_S), step
                w.daemon.kill()
                agent.open_gates()
                w.start()
            ended(w, at)
            assert texts(w, at) == ["you said left", "from afar"], (step, texts(w, at))
            seen = kinds(w, at)
            for kind in ("task.delegated", "task.attempt.started", "task.completed", "action.required"):
                assert seen.count(kind) == 1, (step, kind, seen)
            assert len(agent.tasks) == 1, (step, agent.tasks)


@test
def an_agent_that_dies_and_comes_back_is_followed_again():
    with FakeAgent({"long": stay("WORKING")}) as agent, thole(agent.url) as w:
        at = delegate(w, "long")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        port = agent.port
        agent.close()
        late = delegate(w, "echo")
        assert reaches(w, late, "stale")["attempts"][-1]["worker"]["ref"] == "helper"
        assert task_of(w, at)["status"] in ("running", "stale"), "a broken connection ends no task"
        task = agent.tasks["remote-1"]
        add(task, "a", [{"text": "at last"}])
        set_state(task, "COMPLETED")
        agent.open(port)
        ended(w, at)
        ended(w, late)
        assert texts(w, at) == ["at last"] and kinds(w, at).count("task.delegated") == 1


@test
def a_task_of_an_agent_that_was_removed_from_the_settings_ends():
    with FakeAgent({"long": stay("WORKING")}) as agent, thole(agent.url) as w:
        at = delegate(w, "long")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        w.daemon.kill()
        w.daemon.options = [o for o in w.daemon.options if not o.startswith("agents.remote")]
        w.start()
        assert "agents.remote has no agent helper" in ended(w, at, "failed")["statusReason"]


# ---- rights -----------------------------------------------------------------------------------------

@test
def permission_rules_apply_as_to_a_tool():
    deny = 'permission.rules=[{"id":"no-helper","effect":"deny","tool":"peer__helper"}]'
    with FakeAgent() as agent, thole(agent.url, deny) as w:
        t = w.call("create_task", objective="x")
        refused(w, 403, "start_task", sessionId=t["sessionId"], taskId=t["taskId"], worker={"kind": "peer", "ref": "helper"})
        assert agent.calls == []
        refused(w, 404, "start_task", sessionId=t["sessionId"], taskId=t["taskId"], worker={"kind": "peer", "ref": "stranger"})


@test
def a_rule_that_denies_holds_for_a_retry():
    with FakeAgent({"fail": stay("FAILED", "no")}) as agent, thole(agent.url) as w:
        at = delegate(w, "fail")
        ended(w, at, "failed")
        w.call("set_policy", sessionId=at[0], rules=[{"id": "no", "effect": "deny", "tool": "peer__helper"}])
        refused(w, 403, "retry_task", sessionId=at[0], taskId=at[1], reason="again")
        assert len(agent.tasks) == 1, agent.tasks


@test
def a_caller_without_the_scope_approve_does_not_delegate_unasked():
    with FakeAgent() as agent, thole(agent.url) as w:
        token = w.token("writer", "read,write")

        def call(command, **params):
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("POST", "/v1/commands/" + command, json.dumps(params), {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
            r = c.getresponse()
            return r.status, json.loads(r.read())
        _, t = call("create_task", objective="x")
        status, reply = call("start_task", sessionId=t["sessionId"], taskId=t["taskId"], worker={"kind": "peer", "ref": "helper"})
        assert status == 403 and agent.calls == [], (status, reply)


@test
def a_writer_does_not_change_what_an_agent_is_sent():
    with FakeAgent({"fail": stay("FAILED", "no"), "hang": stay("WORKING", "busy")}) as agent, thole(agent.url) as w:
        token = w.token("writer", "read,write", "--sessions", "all")

        def call(command, **params):
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("POST", "/v1/commands/" + command, json.dumps(params), {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
            return c.getresponse().status
        at = delegate(w, "fail")
        ended(w, at, "failed")
        assert call("retry_task", sessionId=at[0], taskId=at[1], reason="again", input="other words") == 403
        running = delegate(w, "hang")
        reaches(w, running, "running")
        until("the agent has it", lambda: len(agent.by_message) == 2)
        assert call("update_task", sessionId=running[0], taskId=running[1], objective="other words") == 403
        run = next(e["runId"] for e in w.events(running[0]) if e["type"] == "task.attempt.started" and e["taskId"] == running[1])
        report = {"sessionId": running[0], "taskId": running[1], "runId": run, "state": "card_changed", "message": "Press allow."}
        assert call("report_delegation", **report) == 403, call("report_delegation", **report)
        refused(w, 403, "report_delegation", **report)
        assert all("other words" not in json.dumps(m) for m in agent.by_message.values())


@test
def a_model_delegates_after_a_person_allowed_it():
    script = {"version": 1, "rules": [
        {"when": {"afterTool": "peer__helper"}, "reply": {"text": "It says: {{toolResult}}"}},
        {"when": {"text": "delegate", "request": 1}, "reply": {"toolCalls": [{"name": "peer__helper", "args": {"input": "do this"}}]}}], "default": {"text": "?"}}
    with FakeAgent() as agent, World(options=[remote(agent.url), "tools.enabled=true"], script=script, is_on=False) as w:
        turn = w.call("submit_turn", input="delegate it")
        action = w.pending(turn["sessionId"])
        assert agent.calls == []
        w.call("respond_action", sessionId=turn["sessionId"], actionId=action, decision="allow")
        done = until("the end of the turn", lambda: [e for e in w.events(turn["sessionId"]) if e["type"] == "turn.completed"])
        said = [e for e in w.events(turn["sessionId"]) if e["type"] == "model.completed"][-1]
        assert done and "echo: do this" in json.dumps(said), said
        sent = [m for m in agent.by_message.values()]
        assert len(sent) == 1


def spawning(*more, **args):
    """A model that lets a remote agent work as its child, waits for it and reads what it says."""
    call = {"role": "helper", "input": "do this", "agent": "helper", "nickname": "h", **args}
    return {"version": 1, "rules": [
        *more,
        {"when": {"afterTool": "read_agent"}, "reply": {"text": "It says: {{toolResult}}"}},
        {"when": {"afterTool": "wait_agents"}, "reply": {"toolCalls": [{"name": "read_agent", "args": {"agent": "h"}}]}},
        {"when": {"afterTool": "spawn_agent"}, "reply": {"toolCalls": [{"name": "wait_agents", "args": {"agents": ["h"]}}]}},
        {"when": {"text": "delegate", "request": 1}, "reply": {"toolCalls": [{"name": "spawn_agent", "args": call}]}}], "default": {"text": "?"}}


def family(url, script, *options):
    return World(options=[remote(url), "tools.enabled=true", "tools.agents=true", *options], script=script, is_on=False)


def turn_end(w, turn):
    return until("the end of the turn", lambda: [e for e in w.events(turn["sessionId"]) if e["type"] in ("turn.completed", "turn.failed") and e["turnId"] == turn["turnId"]])[0]


def last_said(w, turn):
    return json.dumps([e for e in w.events(turn["sessionId"]) if e["type"] == "model.completed"][-1])


@test
def a_remote_agent_is_a_choice_for_child_agents():
    with FakeAgent() as agent, family(agent.url, spawning()) as w:
        turn = w.call("submit_turn", input="delegate it, and say nothing of the secret plan")
        action = w.pending(turn["sessionId"])
        asked = [e for e in w.events(turn["sessionId"]) if e["type"] == "action.required"][0]
        assert "peer__helper" in json.dumps(asked) and agent.calls == [], asked
        w.call("respond_action", sessionId=turn["sessionId"], actionId=action, decision="allow")
        assert turn_end(w, turn)["type"] == "turn.completed"
        assert "It says: echo: do this" in last_said(w, turn), last_said(w, turn)
        # It got the delegation and nothing else of the thread.
        assert len(agent.by_message) == 1 and "secret plan" not in json.dumps(list(agent.tasks.values()), default=str)
        events = w.events(turn["sessionId"])
        spawned = [e for e in events if e["type"] == "subagent.spawned"][0]
        assert spawned["payload"]["agent"] == {"name": "helper", "remote": True, "tools": ["peer__helper"]}, spawned
        done = [e for e in events if e["type"] == "subagent.completed"][0]
        assert w.call("get_output", outputRef=done["payload"]["lastMessageRef"], sessionId=turn["sessionId"])["text"] == "echo: do this"
        # No model was asked for the child.
        child = spawned["payload"]["childThreadId"]
        assert [e["type"] for e in events if e.get("threadId") == child and e["type"].startswith("model.")] == []


@test
def rules_decide_about_a_remote_child_as_about_its_tool():
    for effect, end in (("allow", "completed"), ("deny", "failed")):
        rules = "permission.rules=" + json.dumps([{"id": "r", "effect": effect, "tool": "peer__helper"}])
        with FakeAgent() as agent, family(agent.url, spawning(), rules) as w:
            turn = w.call("submit_turn", input="delegate it")
            turn_end(w, turn)
            assert [e["type"] for e in w.events(turn["sessionId"]) if e["type"].startswith("subagent.") and e["type"].split(".")[1] in ("completed", "failed")] == ["subagent." + end]
            assert (agent.calls == []) == (effect == "deny")


@test
def a_remote_child_takes_further_input_and_is_closed():
    rules = "permission.rules=" + json.dumps([{"id": "r", "effect": "allow", "tool": "peer__helper"}])
    with FakeAgent({"stay": stay("WORKING")}) as agent, family(agent.url, {"version": 1, "rules": [], "default": {"text": "?"}}, rules) as w:
        first = w.call("submit_turn", input="hello")
        turn_end(w, first)
        child = w.call("spawn_subagent", sessionId=first["sessionId"], parentThreadId=first["threadId"], role="r", agent="helper", input="one")

        def ends(n):
            return until(f"{n} ends of the child", lambda: (lambda e: e if len(e) == n else None)(
                [e for e in w.events(first["sessionId"]) if e["type"] in ("subagent.completed", "subagent.failed")]))
        ends(1)
        long = "x" * 9000
        w.call("send_subagent_input", sessionId=first["sessionId"], subagentId=child["subagentId"], input=long)
        ref = ends(2)[-1]["payload"]["lastMessageRef"]
        assert w.call("get_output", outputRef=ref, sessionId=first["sessionId"], length=20000)["text"] == "echo: " + long
        w.call("send_subagent_input", sessionId=first["sessionId"], subagentId=child["subagentId"], input="stay")
        until("the third delegation", lambda: len(agent.by_message) == 3)
        w.call("close_subagent", sessionId=first["sessionId"], subagentId=child["subagentId"])
        until("a closed child", lambda: [e for e in w.events(first["sessionId"]) if e["type"] == "subagent.closed"])
        until("a cancelled remote task", lambda: "CancelTask" in agent.calls)


@test
def what_a_remote_child_cannot_have_is_refused_and_changes_nothing():
    with FakeAgent() as agent, family(agent.url, {"version": 1, "rules": [], "default": {"text": "?"}}) as w:
        first = w.call("submit_turn", input="hello")
        turn_end(w, first)
        at = {"sessionId": first["sessionId"], "parentThreadId": first["threadId"], "role": "r", "input": "x"}
        before = len(w.events(first["sessionId"]))
        refused(w, 404, "spawn_subagent", **at, agent="stranger")
        for more in ({"model": "scripted/scripted", "modelPolicy": "override"}, {"budgetUsd": 1}):
            refused(w, 400, "spawn_subagent", **at, agent="helper", **more)
        assert len(w.events(first["sessionId"])) == before and agent.calls == []


@test
def a_kill_during_a_remote_child_is_told_and_its_task_continues():
    rules = "permission.rules=" + json.dumps([{"id": "r", "effect": "allow", "tool": "peer__helper"}])
    with FakeAgent({"slow": stay("WORKING")}) as agent, family(agent.url, {"version": 1, "rules": [], "default": {"text": "?"}}, rules) as w:
        first = w.call("submit_turn", input="hello")
        turn_end(w, first)
        child = w.call("spawn_subagent", sessionId=first["sessionId"], parentThreadId=first["threadId"], role="r", agent="helper", input="slow")
        until("the delegation", lambda: len(agent.by_message) == 1)
        w.restart()
        ended = until("the end of the child", lambda: [e for e in w.events(first["sessionId"]) if e["type"] == "subagent.failed"])[0]
        assert ended["subagentId"] == child["subagentId"], ended
        tasks = [t for t in w.call("list_tasks", sessionId=first["sessionId"])["tasks"] if t.get("taskKind") == "delegation"]
        assert len(tasks) == 1 and tasks[0]["status"] not in ENDS and len(agent.by_message) == 1, tasks


@test
def the_trace_of_the_command_goes_to_the_agent():
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with FakeAgent() as agent, thole(agent.url, "telemetry.endpoint=http://127.0.0.1:9") as w:
        ended(w, delegate(w, "first"))  # what began before the log is followed has lost its trace
        agent.headers.clear()
        t = w.call("create_task", objective="x")
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        with open(os.path.join(w.data, "token")) as f:
            token = f.read().strip()
        c.request("POST", "/v1/commands/start_task", json.dumps({"sessionId": t["sessionId"], "taskId": t["taskId"], "worker": {"kind": "peer", "ref": "helper"}}),
                  {"Authorization": "Bearer " + token, "Content-Type": "application/json", "traceparent": trace})
        assert c.getresponse().status in (200, 202)
        task = ended(w, (t["sessionId"], t["taskId"]))
        sent = [h for path, h in agent.headers if path == "/rpc"][0]
        assert sent["traceparent"].split("-")[1] == trace.split("-")[1] and sent["traceparent"] != trace, sent
        assert sent["X-Correlation-Id"] == task["currentRunId"], sent


@test
def chains_of_delegations_end():
    with FakeAgent() as agent, thole(agent.url, "a2a.enabled=true") as w:
        turn = w.call("submit_turn", input="x", delegationDepth=8)
        t = w.call("create_task", sessionId=turn["sessionId"], objective="y")
        reply = refused(w, 400, "start_task", sessionId=turn["sessionId"], taskId=t["taskId"], worker={"kind": "peer", "ref": "helper"})
        assert "8" in json.dumps(reply) and agent.calls == [], reply
        refused(w, 400, "submit_turn", input="x", delegationDepth=9)
        peer = w.rpc("loop")
        try:
            peer.call("SendMessage", message("again", metadata={"thole/delegationDepth": 9}))
            raise Wrong("a chain of nine was accepted")
        except Refused:
            pass


@test
def a_changed_card_needs_a_person_again():
    with FakeAgent() as agent, thole(agent.url) as w:
        ended(w, delegate(w, "one"))
        agent.more_of_card = {"description": "Now it does something else."}
        w.restart()
        for decision, status in (("deny", "failed"), ("allow", "completed")):
            before = len(agent.tasks)
            at = delegate(w, "two")
            action = w.pending(at[0])
            assert task_of(w, at)["status"] == "waiting_permission" and len(agent.tasks) == before
            w.call("respond_action", sessionId=at[0], actionId=action, decision=decision)
            ended(w, at, status)
        ended(w, delegate(w, "three"))


# ---- bad input --------------------------------------------------------------------------------------

PRIVATE = ["http://10.0.0.1/rpc", "http://[::ffff:10.0.0.1]/rpc", "http://2130706433:1/rpc", "http://0x7f000001:1/rpc", "http://localhost:1/rpc", "http://169.254.169.254/rpc",
           "file:///etc/passwd", "gopher://127.0.0.1:1/", "http://user@10.0.0.1/", "http://127.1:1/rpc", "//10.0.0.1/rpc", ""]


@test
def interfaces_at_private_or_odd_addresses_are_not_called():
    with FakeAgent() as agent, thole(agent.url) as w:
        for url in PRIVATE:
            agent.interface = url or " "
            row = w.call("list_peers", check=True)["peers"][0]
            assert row["status"] == "down" and row["detail"], (url, row)
        assert agent.calls == []
        at = delegate(w, "x")
        reaches(w, at, "stale")


@test
def the_credential_stays_with_the_origin_of_the_card():
    with FakeAgent() as agent, FakeAgent() as other, thole(agent.url, f'peers.allow_hosts=["127.0.0.1:{other.port}"]', headers={"Authorization": "Bearer secret"}) as w:
        agent.interface = other.url + "/rpc"
        ended(w, delegate(w, "x"))
        assert agent.headers[0][1]["Authorization"] == "Bearer secret"
        assert other.headers and all("Authorization" not in h for _, h in other.headers), other.headers


@test
def cards_that_redirect_or_are_huge_deep_or_nonsense_are_refused():
    with FakeAgent() as agent, thole(agent.url) as w:
        for status, body in ((302, b"{}"), (200, b"x" * 1_000_000), (200, b"[" * 100_000), (200, b'{"name":"a"}'), (200, b"\xff\xfe"), (200, b""), (500, b"{}"),
                             (200, json.dumps({**agent.card(), "name": "n" * 10_000}).encode()),
                             (200, json.dumps({**agent.card(), "capabilities": {"extensions": [{"uri": "x", "required": True}]}}).encode())):
            agent.card_status, agent.card_body = status, body
            row = w.call("list_peers", check=True)["peers"][0]
            assert row["status"] == "down", (status, body[:40], row)
        assert all(path != "/other" for path, _ in agent.headers), "no redirect is followed"


def endless(agent, task, text, say):
    for i in range(100_000):
        say({"statusUpdate": {"taskId": task["id"], "contextId": task["contextId"],
                              "status": {"state": "TASK_STATE_WORKING", "message": {"messageId": f"m{i}", "role": "ROLE_AGENT", "parts": [{"text": "x" * 1000}]}}}})


@test
@long
def floods_of_items_do_not_fill_the_log():
    with FakeAgent({"endless": endless}) as agent, thole(agent.url) as w:
        at = delegate(w, "endless")
        until("some of the flood", lambda: kinds(w, at).count("channel.message") >= 3)
        threading.Event().wait(2)
        count = kinds(w, at).count("channel.message")
        assert count <= 40, count
        w.call("cancel_task", sessionId=at[0], taskId=at[1])
        ended(w, at, "cancelled")


class Endless(FakeAgent):
    """Its streams have no end: `pieces` yields what is written, and the first item is sent before if the text says so."""

    def __init__(self, pieces):
        super().__init__()
        self.pieces, self.open_streams, self.left = pieces, 0, 0

    def stream(self, h, method, params):
        if self.quiet:
            return super().stream(h, method, params)
        task = None
        if method == "SendStreamingMessage" and params["message"]["parts"][0]["text"].startswith("named"):
            task, _, _ = self.take(params)
            set_state(task, "WORKING")
            h.wfile.write(b"data: " + json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"task": task}}).encode() + b"\n\n")
        self.open_streams += 1
        try:
            for piece in self.pieces(task):
                h.wfile.write(piece)
                h.wfile.flush()
        except OSError:
            self.left += 1
    quiet = False


def comments(task):
    while True:
        threading.Event().wait(0.05)
        yield b": still here\n\n"


def one_line(begins):
    def pieces(task):
        yield begins
        for _ in range((100 << 20) >> 16):
            yield b"x" * 65536
    return pieces


def peak_of(w):
    with open(f"/proc/{w.daemon.process.pid}/status") as f:
        return int(next(line.split()[1] for line in f if line.startswith("VmHWM"))) << 10


@test
def a_stream_of_comments_does_not_hold_a_delegation():
    with Endless(comments) as agent, thole(agent.url, quiet_ms=1500) as w:
        at = delegate(w, "nothing of a task")
        assert "no items" in reaches(w, at, "stale")["statusReason"]
        until("the end of the stream", lambda: agent.left >= 1)
        agent.quiet = True  # it comes to its senses: the same delegation ends as it should
        ended(w, at)
        assert len(agent.by_message) == 1, agent.by_message


@test
def a_task_whose_stream_falls_silent_is_asked_for():
    with Endless(comments) as agent, thole(agent.url, quiet_ms=1500) as w:
        at = delegate(w, "named, and then comments")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        until("a question for the state", lambda: "GetTask" in agent.calls)
        task = agent.tasks["remote-1"]
        add(task, "a", [{"text": "by asking"}])
        set_state(task, "COMPLETED")
        ended(w, at)
        assert texts(w, at) == ["by asking"], texts(w, at)


@test
def a_delegation_with_a_stream_without_end_is_cancelled_at_once():
    with Endless(comments) as agent, thole(agent.url) as w:
        for text in ("nothing of a task", "named, and then comments"):
            left = agent.left
            at = delegate(w, text)
            until("the stream", lambda: agent.open_streams > left)
            if text.startswith("named"):
                until("the remote id", lambda: task_of(w, at).get("remoteTask"))
            w.call("cancel_task", sessionId=at[0], taskId=at[1])
            ended(w, at, "cancelled")
            until("the end of the stream", lambda: agent.left > left)


@test
def lines_of_100_megabytes_of_an_agent_are_not_kept():
    for begins in (b"data: ", b": ", b"nonsense", b"id: "):
        with Endless(one_line(begins)) as agent, thole(agent.url) as w:
            at = delegate(w, "line")
            assert "too large" in reaches(w, at, "stale")["statusReason"], begins
            w.call("cancel_task", sessionId=at[0], taskId=at[1])
            ended(w, at, "cancelled")
            assert peak_of(w) < 100 << 20, (begins, peak_of(w))


@test
def quiet_times_that_are_none_stop_the_start():
    for wrong in (0, -1, 3600001, "1", 1.5):
        try:
            with thole("http://127.0.0.1:9", quiet_ms=wrong):
                raise Wrong(f"it started with {wrong}")
        except Wrong as e:
            assert "quiet_ms is from 1 to 3600000" in str(e), (wrong, e)


UNKNOWN_PARTS = [{"video": "x"}, {"kind": "text", "value": "x"}, {"text": 7}, {"raw": 7}, {"url": {}}, {"text": "a", "data": 1}, {}, "text", None]


@test
def unknown_parts_of_an_agent_change_nothing():
    with FakeAgent(streaming=False) as agent, thole(agent.url) as w:
        for part in UNKNOWN_PARTS:
            agent.raw = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"task": {"id": "a", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"},
                                                                                   "artifacts": [{"artifactId": "x", "parts": [{"text": "fine"}, part]}]}}}).encode()
            at = delegate(w, "x")
            task = reaches(w, at, "stale")
            assert "remoteTask" not in task and texts(w, at) == [], (part, task)
            w.call("cancel_task", sessionId=at[0], taskId=at[1])
            ended(w, at, "cancelled")
        agent.raw = None
        # A member that is not known beside a known one is left out, and so is an item of an unknown kind.
        agent.plan = {"more": lambda a, task, text, say: (say({"somethingNew": {"x": 1}}), add(task, "a", [{"text": "fine", "somethingNew": 1}]), move(task, say, "COMPLETED"))}
        at = delegate(w, "more")
        ended(w, at)
        assert texts(w, at) == ["fine"], texts(w, at)


@test
def nonsense_changes_nothing():
    bodies = [b"", b"null", b"[]", b"{}", b'{"result":null}', b'{"result":{}}', b'{"result":{"task":{}}}', b'{"result":{"task":{"id":"a","status":{"state":"DONE"}}}}',
              b'{"result":{"task":{"id":"a\\nb","status":{"state":"TASK_STATE_WORKING"}}}}', b'{"result":{"task":{"id":"%s","status":{"state":"TASK_STATE_WORKING"}}}}' % (b"i" * 5000),
              b'{"result":{"message":{"messageId":"m","parts":[{}]}}}', b'{"result":{"message":{"messageId":"m","parts":[{"text":"a","url":"b"}]}}}', b"[" * 50_000,
              b'{"error":{"code":-32603,"message":"' + b"e" * 100_000 + b'"}}', b"\xff", b"x" * 6_000_000]
    with FakeAgent(streaming=False) as agent, thole(agent.url) as w:
        for body in bodies:
            agent.raw = body
            at = delegate(w, "x")
            task = reaches(w, at, "stale")
            assert "remoteTask" not in task, (body[:60], task)
            w.call("cancel_task", sessionId=at[0], taskId=at[1])
            ended(w, at, "cancelled")


def someone_elses(agent, task, text, say):
    say({"statusUpdate": {"taskId": "another", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}})
    set_state(task, "WORKING")


@test
def items_about_another_task_are_not_taken():
    with FakeAgent({"mix": someone_elses}) as agent, thole(agent.url) as w:
        at = delegate(w, "mix")
        until("the remote id", lambda: task_of(w, at).get("remoteTask"))
        threading.Event().wait(0.5)
        task = task_of(w, at)
        assert task["status"] in ("running", "stale", "waiting_resource") and task["remoteTask"]["remoteTaskId"] == "remote-1", task


@test
def artifacts_that_are_too_large_or_invalid_are_not_delivered():
    def large(agent, task, text, say):
        add(task, "a", [{"text": "x" * 1_100_000}])
        move(task, say, "COMPLETED")

    def bad(agent, task, text, say):
        add(task, "a", [{"raw": "%%% not base64"}])
        move(task, say, "COMPLETED")
    with FakeAgent({"large": large, "bad": bad}) as agent, thole(agent.url) as w:
        at = delegate(w, "large")
        assert "larger" in reaches(w, at, "blocked")["statusReason"]
        w.call("cancel_task", sessionId=at[0], taskId=at[1])
        ended(w, at, "cancelled")
        at = delegate(w, "bad")
        reaches(w, at, "blocked")
        assert texts(w, at) == []


# ---- many -------------------------------------------------------------------------------------------

@test
def hundreds_of_delegations_at_once():
    with FakeAgent() as agent, thole(agent.url) as w:
        session = w.call("create_task", objective="first")["sessionId"]
        at = []
        for n in range(300):
            t = w.call("create_task", sessionId=session, objective=f"work {n}")
            w.call("start_task", sessionId=session, taskId=t["taskId"], worker={"kind": "peer", "ref": "helper"})
            at.append((session, t["taskId"]))
        until("the end of all", lambda: not w.call("list_tasks", sessionId=session, worker="peer", open=True)["tasks"])
        done = [e for e in w.events(session) if e["type"] == "task.completed"]
        assert len(done) == 300 and len(agent.tasks) == 300, (len(done), len(agent.tasks))


# ---- the command line -------------------------------------------------------------------------------

@test
def thole_peer_lists_shows_adds_and_sends():
    with FakeAgent({"ask": stay("INPUT_REQUIRED", "which?"), "fail": stay("FAILED", "no")}) as agent, thole(agent.url) as w:
        env = {**os.environ, "XDG_CONFIG_HOME": w.data + ".config"}

        def run(*words):
            r = subprocess.run([os.path.join(World.build, "thole"), "peer", *words, "--data", w.data], capture_output=True, text=True, env=env, timeout=DEADLINE_S)
            return r.returncode, r.stdout, r.stderr
        code, out, _ = run("ls")
        assert code == 0 and "helper" in out and "unread" in out, out
        code, out, _ = run("show", "helper")
        assert code == 0 and "ready" in out and "peer__helper" in out, out
        code, out, err = run("send", "helper", "hello", "there")
        assert code == 0 and out == "echo: hello there\n", (out, err)
        assert run("send", "helper", "ask")[0] == 4
        assert run("send", "helper", "fail")[0] == 1
        assert run("show", "stranger")[0] != 0 and run("send")[0] == 2 and run("what")[0] == 2
        code, _, err = run("add", "other", "https://agent.example", "--token-env", "OTHER_TOKEN")
        assert code == 0, err
        written = json.load(open(os.path.join(w.data + ".config", "thole", "config.json")))
        assert written["agents.remote"]["other"] == {"card": "https://agent.example", "headers": {"Authorization": "Bearer ${OTHER_TOKEN}"}}, written
        assert run("add", "other", "ftp://x")[0] == 2
