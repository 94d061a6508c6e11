#!/usr/bin/env python3
"""Calls that a tool server runs as tasks: they outlive connections and either side's kill.

usage: task_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them
"""
import ctypes
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from tool_fixture import Daemon, Fixture, Http, last, until  # noqa: E402
from tap import Skip, long, play  # noqa: E402

BYPASS = ["permission.mode=bypass"]
tests = []


def test(f):
    tests.append(f)
    return f


# ---- the servers -----------------------------------------------------------------------------------

class Sdk:
    """Tasks of 2025-11-25 by the official SDK."""

    def __init__(self):
        if not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").exists() or not shutil.which("node"):
            raise Skip("npm has not fetched the SDK into tests/mcp")
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(["node", str(HERE / "task_server.mjs"), str(self.port)], stdout=subprocess.PIPE, text=True, cwd=HERE,
                                        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG
        self.url = self.process.stdout.readline().strip()
        assert self.url, "the server did not start"
        self.port = int(self.url.split(":")[2].split("/")[0])

    def get(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30).read()

    def count(self, tool):
        return json.loads(self.get("/count"))[tool]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Other:
    """Another Thole, whose tasks are in its log."""
    script = {"version": 1, "tools": [{"name": "pause", "policy": "allowed", "result": {"text": "rested", "delayMs": 3000}},
                                      {"name": "long", "policy": "allowed", "result": {"text": "rested", "delayMs": 600000}}],
              "rules": [{"when": {"text": "which", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
                        {"when": {"text": "which"}, "reply": {"text": "chosen: {{toolResult}}"}},
                        {"when": {"text": "pause", "request": 1}, "reply": {"toolCalls": [{"name": "pause", "args": {}}]}},
                        {"when": {"text": "long", "request": 1}, "reply": {"toolCalls": [{"name": "long", "args": {}}]}}],
              "default": {"text": "all done"}}

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-other-"))
        self.daemon = Daemon(Fixture.build, str(self.dir / "data"), json.dumps(self.script), ["mcp.serve=true", "tools.agents=false", "tools.todo=false"])
        self.start()
        self.daemon.listen = f"127.0.0.1:{self.daemon.port}"

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)
        self.token = (self.dir / "data" / "token").read_text().strip()
        self.url = f"http://127.0.0.1:{self.daemon.port}/mcp"

    def config(self):
        return {"own": {"url": self.url, "headers": {"Authorization": "Bearer " + self.token}, "timeout_ms": 20000}}

    def sessions(self):
        return [s for s in self.http.call("list_sessions", {})[1]["sessions"] if s["sessionId"] != "sess_system"]

    def close(self):
        try:
            self.daemon.stop()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


def client_of(config, *calls):
    fixture = Fixture(config, calls, options=BYPASS)
    fixture.status("own", "ready")
    return fixture


def accepted(fixture):
    return fixture.until("the task", lambda: next((e for e in fixture.events() if e["type"] == "tool.progress" and e["payload"]["kind"] == "accepted" and e["turnId"] == fixture.turn), None))


def same_again(fixture):
    reply = fixture.call("replay_decisions", sessionId=fixture.session)
    assert reply["status"] == "same", reply


# ---- 2025-11-25 ------------------------------------------------------------------------------------

@test
def a_tool_that_can_only_be_called_as_a_task_is_offered_and_works():
    server = Sdk()
    fixture = client_of({"own": {"url": server.url}}, ("mcp__own__wait", {}), ("mcp__own__plain", {}), ("mcp__own__fail", {}))
    try:
        fixture.submit(wait=False)
        ref = accepted(fixture)["payload"]["remoteTaskRef"]
        assert ref, "it has the server's id"
        server.get("/done")
        events = fixture.settle()
        assert last(events, "tool.result")["payload"]["displayPreview"] == "waited"
        events = fixture.submit()
        assert last(events, "tool.result")["payload"]["displayPreview"] == "plain"
        assert not [e for e in events if e["type"] == "tool.progress" and e["payload"]["kind"] == "accepted"], "no task was requested"
        failed = last(fixture.submit(), "tool.failed")["payload"]
        assert failed["displayPreview"] == "it broke" and failed["category"] == "tool_failed", failed
        same_again(fixture)
    finally:
        fixture.close()
        server.close()


@test
def a_task_is_followed_with_the_same_id_after_a_kill():
    server = Sdk()
    fixture = client_of({"own": {"url": server.url}}, ("mcp__own__wait", {}))
    try:
        fixture.submit(wait=False)
        ref = accepted(fixture)["payload"]["remoteTaskRef"]
        for _ in range(2):
            fixture.restart()
            fixture.until("the task is followed", lambda: [e for e in fixture.events() if e["type"] == "tool.progress" and e["payload"]["kind"] == "continued"])
        server.get("/done")
        events = fixture.settle()
        assert last(events, "tool.result")["payload"]["displayPreview"] == "waited"
        assert {e["payload"]["remoteTaskRef"] for e in events if e["type"] == "tool.progress" and e["payload"].get("remoteTaskRef")} == {ref}
        assert not [e for e in events if e["type"] in ("task.lost", "tool.failed")], [e["type"] for e in events]
        assert server.count("wait") == 1, "it was started once"
        same_again(fixture)
    finally:
        fixture.close()
        server.close()


@test
def an_orderly_stop_does_not_cancel_the_task():
    server = Sdk()
    fixture = client_of({"own": {"url": server.url}}, ("mcp__own__wait", {}))
    try:
        fixture.submit(wait=False)
        accepted(fixture)
        fixture.daemon.stop()
        fixture.daemon.start()
        fixture.http = Http(fixture.daemon)
        server.get("/done")
        assert last(fixture.settle(), "tool.result")["payload"]["displayPreview"] == "waited"
        assert server.count("wait") == 1
    finally:
        fixture.close()
        server.close()


@test
def a_server_that_forgets_the_task_has_lost_it():
    server = Sdk()
    fixture = client_of({"own": {"url": server.url}}, ("mcp__own__wait", {}))
    try:
        fixture.submit(wait=False)
        accepted(fixture)
        server.close()
        server.start()
        failed = last(fixture.settle(), "tool.failed")["payload"]
        assert failed["category"] == "lost" and failed["executed"] == "unknown", failed
        assert server.count("wait") == 0, "nothing is started again"
    finally:
        fixture.close()
        server.close()


@test
def an_interrupt_cancels_the_task():
    server = Sdk()
    fixture = client_of({"own": {"url": server.url}}, ("mcp__own__wait", {}))
    try:
        fixture.submit(wait=False)
        ref = accepted(fixture)["payload"]["remoteTaskRef"]
        fixture.call("interrupt_turn", sessionId=fixture.session, turnId=fixture.turn)
        fixture.until("the end", lambda: [e for e in fixture.events() if e["type"] == "turn.cancelled" or e["type"] == "tool.failed"])
        body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"taskId": ref}}
        request = urllib.request.Request(server.url, json.dumps(body).encode(), {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
        reply = json.loads(urllib.request.urlopen(request, timeout=30).read())
        assert reply["result"]["status"] == "cancelled", reply
    finally:
        fixture.close()
        server.close()


# ---- 2026-07-28 ------------------------------------------------------------------------------------

@test
def work_of_another_thole_survives_a_kill_of_either_side():
    other = Other()
    fixture = client_of(other.config(), ("mcp__own__run", {"prompt": "pause"}), ("mcp__own__run", {"prompt": "hello"}))
    try:
        fixture.submit(wait=False)
        accepted(fixture)
        fixture.restart()
        events = fixture.settle()
        assert "all done" in last(events, "tool.result")["payload"]["displayPreview"], last(events, "tool.result")
        assert len(other.sessions()) == 1, "the work was begun once"
        # the server's turn ends first; its record of the task is in its log
        fixture.submit(wait=False)
        accepted(fixture)
        other.daemon.kill()
        other.start()
        assert "all done" in last(fixture.settle(), "tool.result")["payload"]["displayPreview"]
        same_again(fixture)
    finally:
        fixture.close()
        other.close()


@test
def a_server_that_comes_back_later_than_the_runtime_is_awaited():
    other = Other()
    fixture = client_of(other.config(), ("mcp__own__run", {"prompt": "which"}))
    try:
        fixture.submit()
        fixture.daemon.kill()
        other.daemon.kill()
        fixture.daemon.start()
        fixture.http = Http(fixture.daemon)
        fixture.until("the server is missed", lambda: fixture.servers()["own"]["status"] == "down")
        other.start()
        fixture.until("the question is asked again", lambda: len([e for e in fixture.events() if e["type"] == "action.required"]) == 2)
        fixture.settle()
        fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, decision="answer", payload={"answer": "blue"})
        events = fixture.until("the end", lambda: (lambda es: es if any(e["type"] == "turn.completed" for e in es) else None)(fixture.events()))
        assert "blue" in last(events, "tool.result")["payload"]["displayPreview"], last(events, "tool.result")
        assert not [e for e in events if e["type"] in ("tool.failed", "task.lost")]
    finally:
        fixture.close()
        other.close()


@test
def a_deny_rule_for_a_path_does_not_lose_the_task():
    rules = [{"id": "no", "effect": "deny", "path": "secret/**"}]
    server = Sdk()
    fixture = Fixture({"own": {"url": server.url}}, [("mcp__own__wait", {})], options=[*BYPASS, f"permission.rules={json.dumps(rules)}"])
    try:
        fixture.status("own", "ready")
        fixture.submit(wait=False)
        accepted(fixture)
        fixture.restart()
        server.get("/done")
        assert last(fixture.settle(), "tool.result")["payload"]["displayPreview"] == "waited"
    finally:
        fixture.close()
        server.close()


@test
def a_question_of_the_task_is_answered_here_after_a_kill_too():
    other = Other()
    fixture = client_of(other.config(), ("mcp__own__run", {"prompt": "which"}), ("mcp__own__run", {"prompt": "which"}))
    try:
        for kill in (False, True):
            asked = last(fixture.submit(), "action.required")
            assert "Which one?" in asked["payload"]["prompt"], asked
            if kill:
                fixture.restart()
                fixture.until("the question is asked again", lambda: len([e for e in fixture.events() if e["type"] == "action.required" and e.get("turnId") == fixture.turn]) == 2)
                fixture.settle()
            fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, decision="answer", payload={"answer": "blue"})
            events = fixture.until("the end", lambda: (lambda es: es if any(e["type"] == "turn.completed" for e in es) else None)(
                [e for e in fixture.events() if e.get("turnId") == fixture.turn]))
            assert "blue" in last(events, "tool.result")["payload"]["displayPreview"], last(events, "tool.result")
        same_again(fixture)
    finally:
        fixture.close()
        other.close()


@test
@long
def many_tasks_at_once_are_followed_after_a_kill():
    server = Sdk()
    fixture = Fixture({"own": {"url": server.url}}, [("mcp__own__wait", {})], options=BYPASS)
    try:
        fixture.status("own", "ready")
        turns = [fixture.call("submit_turn", input="go") for _ in range(40)]
        fixture.until("all are started", lambda: server.count("wait") == 40)
        fixture.until("all are recorded", lambda: sum(e["type"] == "tool.progress" and e["payload"]["kind"] == "accepted" for t in turns for e in fixture.events(t["sessionId"])) == 40)
        fixture.restart()
        server.get("/done")

        def ended():
            events = [e for t in turns for e in fixture.events(t["sessionId"])]
            return sum(e["type"] == "tool.result" and e["payload"]["displayPreview"] == "waited" for e in events) == 40
        fixture.until("all end", ended)
        assert server.count("wait") == 40
    finally:
        fixture.close()
        server.close()


def main():
    Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    return play(tests, sys.argv[2:], "task: ")


if __name__ == "__main__":
    sys.exit(main())
