#!/usr/bin/env python3
"""MCP clients on the real daemon: the official ones, over HTTP and stdio, in both revisions, and requests byte by byte.

usage: mcp_serve_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.  Where the protocol's schemas are present, every reply is checked against them.
"""
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from node_host import Failed, Hosts  # noqa: E402
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402
from tap import Skip, long, play  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
SPECS = HERE.parents[2] / "shared" / "specs" / "mcp"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
SCRIPT = {
    "version": 1,
    "models": [{"provider": "scripted", "model": "demo", "capabilities": ["tool_use"]}],
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}},
              {"name": "look", "policy": "allowed", "readOnly": True, "result": {"text": "seen"}},
              {"name": "big", "policy": "allowed", "readOnly": True, "result": {"text": "x" * 3_000_000}}],
    "rules": [
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"afterTool": "ask_user"}, "reply": {"text": "The answer was {{toolResult}}"}},
        {"when": {"afterTool": "look"}, "reply": {"text": "I have looked."}},
        {"when": {"afterTool": "big"}, "reply": {"text": "It is big."}},
        {"when": {"text": "publish", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"page": "news"}}]}},
        {"when": {"text": "which", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
        {"when": {"text": "look", "request": 1}, "reply": {"text": "I look.", "toolCalls": [{"name": "look", "args": {}}]}},
        {"when": {"text": "big", "request": 1}, "reply": {"toolCalls": [{"name": "big", "args": {}}]}},
        {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}},
        {"when": {"text": "soon"}, "reply": {"text": "there", "firstDelayMs": 1500}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}
tests = []
clients = Hosts(HERE / "client.mjs")


def test(f):
    tests.append(f)
    return f


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:600]} instead of {json.dumps(want)[:300]}")


def holds(truth, what):
    if not truth:
        raise Wrong(str(what)[:900])


# ---- schemas

def read_schemas():
    try:
        from jsonschema import Draft202012Validator
        found = {name: json.loads((SPECS / name / "schema.json").read_text()) for name in (MODERN, "2025-11-25", "ext-tasks-draft")}
    except (ImportError, OSError):
        return None

    def of(revision, name):
        return Draft202012Validator({**found[revision], "$ref": f"#/$defs/{name}"})
    return of


SCHEMA = read_schemas()
RESULTS = {"server/discover": "DiscoverResult", "initialize": "InitializeResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
           "resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
           "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult"}
TASKS = {"tasks/get": "GetTaskResult", "tasks/cancel": "CancelTaskResult", "tasks/update": "UpdateTaskResult"}
LEGACY_TASKS = {"tasks/get": "GetTaskResult", "tasks/cancel": "CancelTaskResult"}


def check_schema(method, modern, message):
    if not SCHEMA:
        return
    result = message.get("result")
    if result is None:
        names = [("2025-11-25" if not modern else MODERN, "JSONRPCErrorResponse")]
        result = message
    elif modern:
        if result.get("resultType") == "input_required":
            names = [(MODERN, "InputRequiredResult")]
        elif result.get("resultType") == "task":
            names = [("ext-tasks-draft", "CreateTaskResult")]
        else:
            names = [(MODERN, RESULTS[method])] if method in RESULTS else [("ext-tasks-draft", TASKS[method])] if method in TASKS else []
    elif "task" in result:
        names = [("2025-11-25", "CreateTaskResult")]
    else:
        name = {**RESULTS, **LEGACY_TASKS}.get(method)
        names = [("2025-11-25", name)] if name else []
    for revision, name in names:
        for error in SCHEMA(revision, name).iter_errors(result):
            raise Wrong(f"{method}: not a {name} of {revision}: {error.message[:300]} at {list(error.path)}: {json.dumps(result)[:500]}")


# ---- the daemon

class World:
    def __init__(self, options=(), enabled=True, more=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-mcp-serve-"))
        self.data = str(self.dir / "data")
        self.work = self.dir / "work"
        self.work.mkdir()
        self.daemon = Daemon(BUILD, self.data, json.dumps({**SCRIPT, **(more or {})}),
                             ["tools.agents=false", "tools.todo=false", *(["mcp.serve=true"] if enabled else []), *options])
        self.start()

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)
        self.token = (pathlib.Path(self.data) / "token").read_text().strip()
        self.url = f"http://127.0.0.1:{self.daemon.port}/mcp"
        self.next = 0

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.http.events(session, 0)]

    def client(self, case, era="modern", transport="http", token=None, **given):
        """What a client from npm saw."""
        if not (HERE / "node_modules" / "@modelcontextprotocol" / "client").is_dir():
            raise Skip("the clients from npm are not here")
        where = self.url if transport == "http" else json.dumps([os.path.join(BUILD, "thole"), "--data", self.data, "mcp", "serve"])
        try:
            return clients.ask({"name": case, "era": era, "transport": transport, "where": where, "token": token or self.token, "input": given}, DEADLINE_S)
        except Failed as e:
            raise Wrong(f"{case} {era} {transport}: {e}") from e

    def post(self, body, headers=(), token=None):
        """(status, messages) of one request."""
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        c.request("POST", "/mcp", text, {"Authorization": "Bearer " + (token or self.token), "Content-Type": "application/json",
                                         "Accept": "application/json, text/event-stream", **dict(headers)})
        r = c.getresponse()
        data = r.read().decode()
        c.close()
        if r.getheader("Content-Type") == "text/event-stream":
            return r.status, [json.loads(line[6:]) for line in data.split("\n") if line.startswith("data: ")]
        return r.status, [json.loads(data)] if data else []

    def modern(self, method, params=None, token=None, capabilities=None, headers=(), meta=None):
        """The reply to a request of 2026-07-28."""
        self.next += 1
        if capabilities is None and method.startswith("tasks/"):
            capabilities = TAKES_TASKS
        params = {**(params or {}), "_meta": {META + "protocolVersion": MODERN, META + "clientCapabilities": capabilities or {}, **(meta or {})}}
        h = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if method in ("tools/call", "prompts/get", "resources/read"):
            h["Mcp-Name"] = params.get("name") or params.get("uri")
        status, messages = self.post({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}, {**h, **dict(headers)}, token)
        reply = messages[-1]
        if "jsonrpc" in reply:
            check_schema(method, True, reply)
        return {**reply, "status": status, "before": messages[:-1]}

    def legacy(self, method, params=None, token=None):
        self.next += 1
        status, messages = self.post({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params or {}}, {"MCP-Protocol-Version": "2025-11-25"}, token)
        check_schema(method, False, messages[-1])
        return {**messages[-1], "status": status}

    def tool(self, tool, token=None, **args):
        reply = self.modern("tools/call", {"name": tool, "arguments": args}, token=token)
        if "result" not in reply:
            raise Wrong(f"{tool}: {reply}")
        return reply["result"]

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


def said(result):
    return result["structuredContent"]


TAKES_TASKS = {"extensions": {META + "tasks": {}}}


# ---- the official clients

@test
def clients_of_both_revisions_run_an_agent():
    with World() as w:
        for era, transport in (("modern", "http"), ("legacy", "http"), ("old", "http"), ("modern", "stdio"), ("legacy", "stdio")):
            done = w.client("hello", era, transport)
            equal(done["server"]["name"], "thole", (era, transport))
            equal(done["tools"], ["run", "send", "wait", "stop", "read", "decide"], (era, transport))
            equal(said(done["ran"])["status"], "completed")
            equal(done["ran"]["content"][0]["text"], "answer to hello")
        sessions = w.call("list_sessions")["sessions"]
        equal(len(sessions), 5)
        submitted = next(e for e in w.events(sessions[0]["sessionId"]) if e["type"] == "turn.submitted")
        equal(submitted["payload"]["source"], "mcp")
        channels = {(c["channelId"], c["peerRole"]) for c in w.call("list_channels")["channels"] if c.get("nativeProtocol") == "mcp"}
        equal([role for _, role in channels], ["client"], "one principal is one channel")


@test
def a_client_on_stdio_works_in_its_directory():
    with World() as w:
        w.client("hello", "legacy", "stdio", cwd=str(w.work))
        session = w.call("list_sessions")["sessions"][0]["sessionId"]
        equal(w.call("get_session", sessionId=session)["executionEnvironment"]["cwd"], str(w.work))


@test
def a_client_sees_progress():
    with World() as w:
        # On stdio the client forgets what comes in one piece with the reply; a test below looks at the lines.
        for era, transport in (("modern", "http"), ("legacy", "http")):
            done = w.client("progress", era, transport, prompt="look")
            equal([p["message"] for p in done["seen"]], ["asks the model", "runs the tool look", "asks the model"], (era, transport))
            equal([p["progress"] for p in done["seen"]], [1, 2, 3])
            equal(said(done["ran"])["text"], "I have looked.")


@test
def a_client_reads_resources_and_prompts():
    with World() as w:
        for n in range(120):
            if n == 119:
                time.sleep(0.005)  # the list is sorted by milliseconds
            w.call("create_session", title=f"session {n}")
        for era in ("modern", "legacy", "old"):
            done = w.client("reads", era)
            equal(len(done["resources"]), 120)
            first = done["resources"][0]["title"]
            holds(first in ("session 119", "session 118", "session 117"), first)  # several may begin in one millisecond
            equal([t["name"] for t in done["templates"]], ["session", "thread", "output"])
            equal(json.loads(done["first"]["contents"][0]["text"])["title"], first)
            # The newer client reads the address in the error, and gives every revision's error the newest code.
            equal(done["missing"], -32002 if era == "old" else -32602, era)


@test
def a_client_hears_of_changes():
    with World() as w:
        first = said(w.tool("run", prompt="hello"))
        session = first["thread"].split("~")[0]
        done = w.client("listen", thread=first["thread"], uri=f"thole://sessions/{session}")
        holds(done["changed"] >= 1, done)


@test
def a_client_of_the_first_revision_gets_tasks():
    with World() as w:
        done = w.client("task", "legacy", prompt="soon")
        equal(said(done["outcome"])["text"], "there")


@test
def closing_the_stream_cancels_in_the_new_revision_only():
    with World() as w:
        for era, transport, want in (("modern", "http", "cancelled"), ("legacy", "stdio", "cancelled"), ("legacy", "http", "cancelled"), ("old", "http", "cancelled")):
            holds(w.client("abort", era, transport)["error"], "the client gave up")
            session = w.call("list_sessions", limit=1)["sessions"][0]["sessionId"]
            ended = until("the turn ends", lambda: next((e for e in w.events(session) if e["type"] == "turn.failed"), None))
            equal(ended["payload"]["outcome"], want, era)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"prompt": "soon"}}}
        s = socket.create_connection(("127.0.0.1", w.daemon.port))
        text = json.dumps(body)
        s.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {w.token}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        until("the turn begins", lambda: len(w.call("list_sessions")["sessions"]) == 5)
        s.close()
        session = w.call("list_sessions", limit=1)["sessions"][0]["sessionId"]
        until("the turn continues without its client", lambda: any(e["type"] == "turn.completed" for e in w.events(session)))


# ---- tools

@test
def a_thread_continues_and_a_task_is_awaited_and_stopped():
    with World() as w:
        first = said(w.tool("run", prompt="hello", title="greetings"))
        second = said(w.tool("send", thread=first["thread"], message="more"))
        equal((second["text"], second["thread"]), ("answer to more", first["thread"]))
        holds(second["task"] != first["task"], "each turn is a task")
        equal(said(w.tool("wait", task=first["task"]))["text"], "answer to hello", "the result of an earlier task stays")
        read = said(w.tool("read", thread=first["thread"]))
        holds("greetings" in json.dumps(read) or read, read)
        equal(len(said(w.tool("read"))["sessions"]), 1)
        slow = said(w.tool("run", prompt="slow", waitMs=0))
        equal(slow["status"], "running")
        equal(said(w.tool("wait", task=slow["task"], waitMs=50))["status"], "running")
        equal(said(w.tool("stop", task=slow["task"], reason="enough"))["status"], "cancelled")
        equal(said(w.tool("wait", task=slow["task"]))["status"], "cancelled")
        equal(said(w.tool("stop", task=slow["task"]))["status"], "cancelled", "stopping again changes nothing")
        broken = w.tool("run", prompt="broken")
        equal((broken["isError"], said(broken)["status"], said(broken)["error"]["code"]), (True, "failed", "auth"))


@test
def a_client_never_approves_what_it_caused():
    with World() as w:
        peer = w.call("create_token", name="peer", scopes=["read", "write", "approve"], sessions="all")["token"]
        for token in (None, peer):
            waiting = said(w.tool("run", token=token, prompt="publish"))
            equal((waiting["status"], waiting["waitingFor"][0]["type"]), ("waiting", "tool_permission"))
            refused = w.tool("decide", token=token, action=waiting["waitingFor"][0]["action"], decision="allow")
            equal(refused["isError"], True)
            holds("caused itself" in refused["content"][0]["text"], refused)
            session, action = waiting["waitingFor"][0]["action"].split("~")
            if token:  # the same token over another path
                code, problem = Http(w.daemon).call("respond_action", {"sessionId": session, "actionId": action, "decision": "allow"})
                equal(code, None, "the owner decides")
            else:
                w.call("respond_action", sessionId=session, actionId=action, decision="allow")
            equal(said(w.tool("wait", token=token, task=waiting["task"]))["text"], "The tool said: published")
        # A steered task answers as itself, and only who began it steers it.
        mine = said(w.tool("run", token=peer, prompt="soon", waitMs=0))
        steered = said(w.tool("send", token=peer, task=mine["task"], message="go left"))
        equal((steered["task"], steered["status"], steered["text"]), (mine["task"], "completed", "answer to go left"))
        foreign = said(w.tool("run", prompt="soon", waitMs=0))
        refused = w.tool("send", token=peer, task=foreign["task"], message="publish")
        holds(refused["isError"] and "thread" in refused["content"][0]["text"], refused)
        # A turn that the same token began over another path is its own work too.
        other = Http(w.daemon)
        other.token = peer
        code, turn = other.call("submit_turn", {"input": "publish"})
        action = until("the question", lambda: next(iter(w.call("list_actions", sessionId=turn["sessionId"], status="pending")["actions"]), None))
        equal(w.tool("decide", token=peer, action=f"{turn['sessionId']}~{action['actionId']}", decision="allow")["isError"], True)
        # What others caused, a client with that right decides.
        turn = w.call("submit_turn", input="publish")
        action = until("the question", lambda: next(iter(w.call("list_actions", sessionId=turn["sessionId"], status="pending")["actions"]), None))
        w.tool("decide", token=peer, action=f"{turn['sessionId']}~{action['actionId']}", decision="deny", reason="no")
        resolved = [e for e in w.events(turn["sessionId"]) if e["type"] == "action.resolved"]
        equal(resolved[0]["payload"]["decision"], "deny")


@test
def a_question_is_answered_with_send():
    with World() as w:
        waiting = said(w.tool("run", prompt="which"))
        equal((waiting["status"], waiting["waitingFor"][0]["type"]), ("waiting", "structured_input"))
        holds(waiting["waitingFor"][0]["schema"]["required"] == ["answer"], waiting)
        done = said(w.tool("send", task=waiting["task"], message="the red one"))
        equal(done["status"], "completed")
        holds("the red one" in done["text"], done)


@test
def an_output_is_a_resource():
    with World() as w:
        ran = said(w.tool("run", prompt="big"))
        session = ran["thread"].split("~")[0]
        ref = next(e["outputRef"] for e in w.events(session) if e["type"] == "output.spilled")
        got = w.modern("resources/read", {"uri": f"thole://sessions/{session}/outputs/{ref}"})["result"]["contents"][0]
        equal(len(got["text"]), 3_000_000)
        thread = ran["thread"].split("~")[1]
        got = w.modern("resources/read", {"uri": f"thole://sessions/{session}/threads/{thread}"})["result"]["contents"][0]
        equal(json.loads(got["text"])["threadId"], thread)


@test
def prompts_are_skills_and_commands():
    with World() as w:
        own = pathlib.Path(w.data + ".config") / "thole"
        for path, text in (("skills/release/SKILL.md", "---\nname: release\ndescription: Prepare a release.\n---\nRun the tests first."),
                           ("commands/review.md", "---\ndescription: Review a part.\n---\nReview $ARGUMENTS."),
                           ("skills/broken/SKILL.md", "no head")):
            (own / path).parent.mkdir(parents=True, exist_ok=True)
            (own / path).write_text(text)
        prompts = {p["name"]: p["description"] for p in w.modern("prompts/list")["result"]["prompts"]}
        equal(prompts, {"release": "Prepare a release.", "review": "Review a part."})

        def text(name, **arguments):
            return w.modern("prompts/get", {"name": name, "arguments": arguments})["result"]["messages"][0]["content"]["text"]

        equal(text("review", arguments="the harbour"), "Review the harbour.")
        equal(text("release", arguments="1.2"), "Run the tests first.\n\n1.2")
        equal(text("release"), "Run the tests first.")
        equal(w.modern("prompts/get", {"name": "none"})["error"]["code"], -32602)
        equal(sorted(p["name"] for p in w.client("reads", "modern")["prompts"]) if w.call("create_session") else [], ["release", "review"])


@test
def a_token_with_directories_gets_the_prompts_of_its_first_one():
    with World() as w:
        place = w.dir / "own"
        (place / ".thole" / "commands").mkdir(parents=True)
        (place / ".thole" / "commands" / "tidy.md").write_text("---\ndescription: tidies\n---\nTidy $ARGUMENTS up.\n")
        w.call("trust_extensions", cwd=str(place), contentHash=w.call("list_extensions", cwd=str(place))["contentHash"])
        token = w.call("create_token", name="bound", scopes=["read", "write"], sessions="own", directories=[str(place)])["token"]
        equal([p["name"] for p in w.modern("prompts/list", token=token)["result"]["prompts"]], ["tidy"])
        got = w.modern("prompts/get", {"name": "tidy", "arguments": {"arguments": "it"}}, token=token)["result"]
        holds("Tidy it up." in got["messages"][0]["content"]["text"], got)


# ---- tasks

@test
def a_task_survives_a_kill_of_the_daemon():
    with World() as w:
        made = w.modern("tools/call", {"name": "run", "arguments": {"prompt": "which"}}, capabilities=TAKES_TASKS)["result"]
        equal(made["resultType"], "task")
        task = made["taskId"]

        def status():
            return w.modern("tasks/get", {"taskId": task})["result"]

        until("the question", lambda: status()["status"] == "input_required")
        w.daemon.kill()
        w.start()
        got = until("the question after the kill", lambda: status() if status()["status"] == "input_required" else None)
        key, request = next(iter(got["inputRequests"].items()))
        equal(request["params"]["message"], "Which one?")
        equal(w.modern("tasks/update", {"taskId": task, "inputResponses": {key: {"action": "decline"}}})["error"]["code"], -32602)
        for wrong in ({"other": {"action": "accept", "content": {"answer": "red"}}}, {"": {"action": "accept", "content": {"answer": "red"}}}, {}, [], 7, {key: 7}):
            equal(w.modern("tasks/update", {"taskId": task, "inputResponses": wrong})["error"]["code"], -32602, wrong)
        w.modern("tasks/update", {"taskId": task, "inputResponses": {key: {"action": "accept", "content": {"answer": "blue"}}}})
        done = until("the end", lambda: status() if status()["status"] == "completed" else None)
        holds("blue" in done["result"]["content"][0]["text"], done)
        equal(w.modern("tasks/get", {"taskId": task}, capabilities={"roots": {}})["error"]["code"], -32021)
        equal(w.modern("tasks/get", {"taskId": "sess_none~task_none~turn_none~1"})["error"]["code"], -32602)
        made = w.modern("tools/call", {"name": "run", "arguments": {"prompt": "slow"}}, capabilities=TAKES_TASKS)["result"]
        w.modern("tasks/cancel", {"taskId": made["taskId"]})
        until("the task is cancelled", lambda: w.modern("tasks/get", {"taskId": made["taskId"]})["result"]["status"] == "cancelled")
        # The same in the first revision.
        made = w.legacy("tools/call", {"name": "run", "arguments": {"prompt": "soon"}, "task": {"ttl": 60000}})["result"]["task"]
        equal(said(w.legacy("tasks/result", {"taskId": made["taskId"]})["result"])["text"], "there")
        equal(w.legacy("tasks/get", {"taskId": made["taskId"]})["result"]["status"], "completed")


# ---- who asks

@test
def tokens_bound_what_a_client_may_do():
    with World() as w:
        mine = w.call("create_token", name="mine", scopes=["read", "write"], sessions="own")["token"]
        other = w.call("create_token", name="other", scopes=["read", "write"], sessions="own")["token"]
        reader = w.call("create_token", name="reader", scopes=["read"], sessions="all")["token"]
        names = [t["name"] for t in w.modern("tools/list", token=mine)["result"]["tools"]]
        equal(names, ["run", "send", "wait", "stop", "read"])
        equal([t["name"] for t in w.modern("tools/list", token=reader)["result"]["tools"]], ["wait", "read"])
        equal(w.modern("tools/call", {"name": "run", "arguments": {"prompt": "x"}}, token=reader)["error"]["code"], -32602)
        ran = said(w.tool("run", token=mine, prompt="hello"))
        session, thread = ran["thread"].split("~")
        for token, made_up in ((other, ran["thread"]), (mine, f"{session}x~{thread}")):
            refused = w.tool("send", token=token, thread=made_up, message="x")
            equal(refused["isError"], True)
        missing = w.modern("resources/read", {"uri": "thole://sessions/sess_none"}, token=other)["error"]
        foreign = w.modern("resources/read", {"uri": f"thole://sessions/{session}"}, token=other)["error"]
        equal(foreign, {**missing, "data": {"uri": f"thole://sessions/{session}"}}, "foreign and missing are one")
        equal(w.legacy("resources/read", {"uri": "thole://sessions/sess_none"}, token=other)["error"]["code"], -32002)
        equal(w.modern("tasks/get", {"taskId": ran["task"]}, token=other)["error"],
              w.modern("tasks/get", {"taskId": "sess_none~task_a~turn_b~1"}, token=other)["error"])
        equal(w.modern("resources/list", token=other)["result"]["resources"], [])
        equal(len(said(w.tool("read", token=other))["sessions"]), 0)
        equal(w.modern("tools/list", token="wrong")["status"], 401)
        equal(w.modern("resources/read", {"uri": f"thole://sessions/{session}"}, token=reader)["status"], 200)


@test
def pages_of_other_origins_are_refused():
    with World(['origins=["http://pages.example"]']) as w:
        equal(w.modern("tools/list", headers={"Origin": "http://pages.example"})["status"], 200)
        equal(w.modern("tools/list", headers={"Origin": "http://other.example"})["status"], 403)
        equal(w.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={"Host": "evil.example"})[0], 421)


@test
def it_is_off_until_a_setting_turns_it_on():
    with World(enabled=False) as w:
        equal(w.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})[0], 404)
        done = w.client("hello", "legacy", "stdio")
        equal(said(done["ran"])["status"], "completed", "stdio is the owner's own")


# ---- bad input

@test
def bad_messages_get_the_errors_of_the_protocol():
    with World() as w:
        good = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {META + "protocolVersion": MODERN, META + "clientCapabilities": {}}}}
        head = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}

        def error(body, headers=head):
            status, messages = w.post(body, headers)
            return status, messages[0]["error"]["code"]

        equal(w.post(good, head)[0], 200)
        equal(error("{"), (400, -32700))
        equal(error("[]"), (400, -32600))
        equal(error([good]), (400, -32600))
        equal(error({**good, "id": {}}), (400, -32600))
        equal(error({**good, "id": None}), (400, -32600))
        equal(error({**good, "jsonrpc": "1.0"}), (400, -32600))
        equal(error({**good, "params": []}), (400, -32602))
        equal(error(good, {**head, "MCP-Protocol-Version": "2025-11-25"}), (400, -32020))
        equal(error(good, {"Mcp-Method": "tools/list"}), (400, -32020))
        equal(error(good, {**head, "Mcp-Method": "tools/call"}), (400, -32020))
        equal(error(good, {"MCP-Protocol-Version": MODERN}), (400, -32020))
        status, messages = w.post({**good, "params": {"_meta": {META + "protocolVersion": "1900-01-01", META + "clientCapabilities": {}}}}, {**head, "MCP-Protocol-Version": "1900-01-01"})
        equal((status, messages[0]["error"]["code"], messages[0]["error"]["data"]["requested"]), (400, -32022, "1900-01-01"))
        equal(error({**good, "params": {"_meta": {META + "protocolVersion": MODERN}}}), (400, -32602))
        equal(error({**good, "params": {}}), (400, -32602))
        equal(error({**good, "method": "nope"}, {**head, "Mcp-Method": "nope"}), (404, -32601))
        equal(error({**good, "method": "initialize"}, {**head, "Mcp-Method": "initialize"}), (404, -32601))
        equal(error("[" * 200 + "]" * 200), (400, -32700))
        call = {**good, "method": "tools/call", "params": {**good["params"], "name": "run", "arguments": {"prompt": "x"}}}
        for name in ("", "send", "=?base64?cnV?=", "=?base64?!?="):
            equal(error(call, {**head, "Mcp-Method": "tools/call", "Mcp-Name": name}), (400, -32020), name)
        equal(w.post(call, {**head, "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?cnVu?="})[0], 200)
        before = len(w.call("list_sessions")["sessions"])
        for arguments in ({}, {"prompt": ""}, {"prompt": 7}, {"prompt": "x", "more": "y"}, {"prompt": "x", "waitMs": -1}, {"prompt": "x", "waitMs": "1"},
                          {"prompt": "x", "cwd": "no/path"}, []):
            got = w.modern("tools/call", {"name": "run", "arguments": arguments})["result"]
            holds(got["isError"] and got["content"][0]["text"], (arguments, got))
        for tool, arguments in (("send", {"message": "x"}), ("send", {"message": "x", "thread": "a", "task": "b"}), ("send", {"message": "x", "thread": "a~b~c"}),
                                ("wait", {"task": "sess_1~task_1~turn_1"}), ("wait", {"task": "sess_1~task_1~turn_1~0"}), ("stop", {"task": "~~~"}),
                                ("decide", {"action": "x~y", "decision": "perhaps"}), ("decide", {"action": "sess_x~act_y", "decision": "allow"}), ("read", {"thread": "x"})):
            holds(w.modern("tools/call", {"name": tool, "arguments": arguments})["result"]["isError"], (tool, arguments))
        equal(w.modern("tools/call", {"name": "none", "arguments": {}})["error"]["code"], -32602)
        for uri in ("", "thole://sessions/", "thole://sessions/a b", "file:///etc/passwd", "thole://sessions/x/y/z", "thole://sessions/../../x", "thole://sessions/s/outputs/out_1/more"):
            got = w.modern("resources/read", {"uri": uri}, headers={"Mcp-Name": uri})
            equal(got["error"]["code"], -32602, uri)
        equal(len(w.call("list_sessions")["sessions"]), before, "nothing was changed")
        equal(w.post({"jsonrpc": "2.0", "method": "notifications/whatever"}), (202, []))
        equal(w.post(good, {**head, "Content-Type": "text/plain"})[0], 415)


@test
def lines_are_bounded_and_a_bad_one_ends_nothing():
    with World() as w:
        p = subprocess.Popen([os.path.join(BUILD, "thole"), "--data", w.data, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        p.stdin.write('{"jsonrpc"\n\n[]\n{"jsonrpc":"2.0","id":9,"method":"ping"}\n')
        p.stdin.flush()
        equal([json.loads(p.stdout.readline()).get("error", {}).get("code") for _ in range(3)], [-32700, -32600, None])
        p.stdin.write('{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"run","arguments":{"prompt":"soon"},"_meta":{"progressToken":"t"}}}\n')
        p.stdin.close()
        equal(json.loads(p.stdout.readline())["params"], {"progressToken": "t", "progress": 1, "message": "asks the model"})
        equal(json.loads(p.stdout.readline())["result"]["structuredContent"]["text"], "there", "what is open when the input ends is answered")
        equal(p.wait(DEADLINE_S), 0)
        p = subprocess.Popen([os.path.join(BUILD, "thole"), "--data", w.data, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            p.stdin.write("x" * 3_000_000)
            p.stdin.flush()
            p.stdin.close()
        except BrokenPipeError:
            pass
        equal(p.stdout.read(), "")
        p.wait(DEADLINE_S)
        equal(w.modern("tools/list")["status"], 200)


@test
def what_is_cancelled_before_it_began_ends():
    with World() as w:
        run = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"prompt": "slow"}}}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        for _ in range(5):
            p = subprocess.Popen([os.path.join(BUILD, "thole"), "--data", w.data, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            out, _ = p.communicate(json.dumps(run) + "\n" + json.dumps(cancel) + "\n", timeout=DEADLINE_S)
            equal(out, "", "no reply to what is cancelled")
        for s in until("the turns", lambda: (lambda all: all if len(all) == 5 else None)(w.call("list_sessions")["sessions"])):
            until("the end of the turn", lambda: any(e["type"] == "turn.failed" and e["payload"]["outcome"] == "cancelled" for e in w.events(s["sessionId"])))


@test
def a_client_that_listens_and_goes_leaves_nothing():
    with World() as w:
        session = said(w.tool("run", prompt="hello"))["thread"].split("~")[0]
        listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                  "params": {"notifications": {"resourceSubscriptions": [f"thole://sessions/{session}"] * 3}, "_meta": {META + "protocolVersion": MODERN, META + "clientCapabilities": {}}}}
        before = len(os.listdir(f"/proc/{w.daemon.process.pid}/fd"))
        for _ in range(20):
            p = subprocess.Popen([os.path.join(BUILD, "thole"), "--data", w.data, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            p.stdin.write(json.dumps(listen) + "\n")
            p.stdin.flush()
            equal(json.loads(p.stdout.readline())["params"]["notifications"], {"resourceSubscriptions": [f"thole://sessions/{session}"]})
            p.kill()
            p.wait()
            p.stdin.close()
            p.stdout.close()
        until("the descriptors", lambda: len(os.listdir(f"/proc/{w.daemon.process.pid}/fd")) <= before + 1)


@test
@long
def a_thousand_calls_are_answered():
    with World() as w:
        def one(n):
            return said(w.tool("run", prompt=f"number {n}"))["text"]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for n, text in enumerate(pool.map(one, range(1000))):
                equal(text, f"answer to number {n}")
        p = subprocess.Popen([os.path.join(BUILD, "thole"), "--data", w.data, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "run", "arguments": {"prompt": str(n)}}}) + "\n" for n in range(1000))
        out, _ = p.communicate(lines, timeout=DEADLINE_S * 2)
        got = {m["id"]: m["result"]["structuredContent"]["text"] for m in map(json.loads, out.splitlines())}
        equal(got, {n: f"answer to {n}" for n in range(1000)})


def main():
    return play(tests, sys.argv[2:], "mcp server: ")


if __name__ == "__main__":
    sys.exit(main())
