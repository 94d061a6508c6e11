#!/usr/bin/env python3
"""Tools of the inventory for MCP clients (mcp.publish): turns with one call and no model.

usage: publish_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  The tool server is one of the official SDK; the clients are the official ones.
"""
import concurrent.futures
import http.client
import json
import os
import shutil
import subprocess
import sys

import mcp_serve_test as base
from mcp_serve_test import HERE, TAKES_TASKS, Skip, World, Wrong, equal, holds, said, test, until
from tap import long

base.tests.clear()
TOOLS = {"tools": [
    {"name": "look", "policy": "allowed", "readOnly": True, "concurrencySafe": True, "description": "Looks.",
     "inputSchema": {"type": "object", "properties": {"where": {"type": "string"}}}, "result": {"text": "seen"}},
    {"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}},
    {"name": "secret", "policy": "allowed", "result": {"text": "not for clients"}},
    {"name": "denied", "policy": "denied", "result": {"text": "never"}},
    {"name": "big", "policy": "allowed", "readOnly": True, "result": {"text": "x" * 3_000_000}},
    {"name": "typed", "policy": "allowed", "result": {"text": "42", "structured": {"answer": 42}}},
    {"name": "broken", "policy": "allowed", "result": {"fail": {"category": "tool_failed", "message": "it broke"}}},
    {"name": "odd", "policy": "allowed", "result": {"text": "exit 3", "isError": True, "exitCode": 3}},
    {"name": "hang", "policy": "allowed", "result": {"text": "a word", "hang": True}}]}
NAMES = ["look", {"tool": "publish", "as": "put"}, "denied", "big", "typed", "broken", "odd", "hang"]
OURS = ["run", "send", "wait", "stop", "read", "decide"]


def world(publish=None, options=(), **more):
    return World(options=["mcp.publish=" + json.dumps({"tools": NAMES} if publish is None else publish), *options], more=TOOLS, **more)


def text_of(result):
    equal(len(result["content"]), 1, result)
    return result["content"][0]["text"]


def sessions_of(w):
    return [row["sessionId"] for row in w.call("list_sessions")["sessions"]]


def ended(w, session):
    return [e for e in w.events(session) if e["type"] in ("turn.completed", "turn.failed")]


def verify(w):
    """The hash chains of all sessions."""
    done = subprocess.run([os.path.join(base.BUILD, "thole"), "--data", w.data, "verify"], capture_output=True, text=True, timeout=base.DEADLINE_S)
    holds(done.returncode == 0 and done.stdout.startswith("whole"), done.stdout + done.stderr)


class Fixture(World):
    """A daemon whose tool server is the fixture; at_address: it is at an address and not a program of the daemon's."""

    def __init__(self, publish=None, options=(), at_address=False, twins=(), protocol=None, env=None, envs=None):
        if not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").is_dir() or not shutil.which("node"):
            raise Skip("the SDK from npm is not here")
        self.program, server = None, {"command": shutil.which("node"), "args": [str(HERE / "fixture.mjs")], "read": [str(HERE)]}
        if at_address:
            self.program = subprocess.Popen(["node", str(HERE / "fixture.mjs"), "http"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            server = {"type": "http", "url": f"http://127.0.0.1:{int(self.program.stdout.readline())}/mcp"}
        if protocol:
            server["protocol"] = protocol
        if env:
            server["env"] = env
        super().__init__(options=["mcp.publish=" + json.dumps({"servers": ["fixture"]} if publish is None else publish), "mcp.servers=" + json.dumps({n: {**server, **({"env": envs[n]} if envs and n in envs else {})} for n in ("fixture", *twins)}),
                                  "permission.mode=bypass", *options], more=TOOLS)

    def __exit__(self, *why):
        super().__exit__(*why)
        if self.program:
            self.program.stdin.close()  # it ends with its input
            self.program.wait(base.DEADLINE_S)


# ---- lists

@test
def published_tools_are_listed_in_both_revisions():
    with world() as w:
        for era, transport in (("modern", "http"), ("legacy", "http"), ("old", "http"), ("modern", "stdio"), ("legacy", "stdio")):
            tools = {t["name"]: t for t in w.client("tools", era, transport)}
            equal(list(tools), OURS + ["look", "put", "denied", "big", "typed", "broken", "odd", "hang"], (era, transport))
            equal(tools["look"]["inputSchema"]["properties"], {"where": {"type": "string"}})
            equal(tools["look"]["annotations"]["readOnlyHint"], True)
            equal(tools["put"]["annotations"]["destructiveHint"], True)


@test
def a_call_is_a_turn_without_a_model():
    with world() as w:
        for era, transport in (("modern", "http"), ("legacy", "http"), ("old", "http"), ("modern", "stdio"), ("legacy", "stdio")):
            done = w.client("calls", era, transport, calls=[["look", {"where": "here"}]])
            equal(text_of(done[0]), "seen", (era, transport))
        session = sessions_of(w)[0]
        events = w.events(session)
        types = [e["type"] for e in events]
        holds("model.requested" not in types and "routing.decided" not in types, types)
        submitted = next(e for e in events if e["type"] == "turn.submitted")
        equal((submitted["payload"]["kind"], submitted["payload"]["source"], submitted["payload"]["options"]["call"]["tool"]), ("call", "mcp", "look"))
        equal(next(e for e in events if e["type"] == "permission.evaluated")["payload"]["decision"], "allow")
        verify(w)


@test
def results_of_all_kinds():
    with world() as w:
        equal(text_of(w.tool("big")), "x" * 3_000_000)
        typed = w.tool("typed")
        equal((text_of(typed), typed["structuredContent"], typed["isError"]), ("42", {"answer": 42}, False))
        for tool, says in (("broken", "it broke"), ("odd", "exit 3"), ("denied", "")):
            got = w.tool(tool)
            equal(got["isError"], True, tool)
            holds(says in text_of(got) and text_of(got), got)
        wrong = w.tool("look", where=7)
        equal(wrong["isError"], True)
        holds("where" in text_of(wrong), wrong)
        equal(w.legacy("tools/call", {"name": "typed"})["result"]["structuredContent"], {"answer": 42})


# ---- approvals, tasks, cancelling

@test
def an_approval_is_given_by_a_person_and_wait_continues():
    with world() as w:
        token = w.call("create_token", name="editor", scopes=["read", "write", "approve"])["token"]
        got = w.tool("put", token=token, page="news")
        equal(got["isError"], True)
        holds("structuredContent" not in got and "Waiting" in text_of(got), got)
        task = text_of(got).split("task ")[-1].rstrip(".")
        state = said(w.tool("wait", token=token, task=task, waitMs=0))
        equal(state["status"], "waiting")
        session, action = state["waitingFor"][0]["action"].split("~")
        refused = w.tool("decide", token=token, action=state["waitingFor"][0]["action"], decision="allow")
        equal(refused["isError"], True, "a client does not approve what it caused")
        w.call("respond_action", sessionId=session, actionId=action, decision="allow")
        equal(said(w.tool("wait", token=token, task=task))["text"], "published")
        equal([e["payload"]["outcome"] for e in ended(w, session)], ["completed"])


@test
def a_client_that_takes_tasks_gets_one_and_its_result():
    with world() as w:
        made = w.modern("tools/call", {"name": "typed", "arguments": {}}, capabilities=TAKES_TASKS)["result"]
        equal(made["resultType"], "task")
        done = until("it", lambda: (r := w.modern("tasks/get", {"taskId": made["taskId"]}, capabilities=TAKES_TASKS)["result"])["status"] == "completed" and r)
        equal((done["result"]["structuredContent"], done["result"]["content"][0]["text"]), ({"answer": 42}, "42"))
        made = w.legacy("tools/call", {"name": "typed", "arguments": {}, "task": {}})["result"]["task"]
        equal(w.legacy("tasks/result", {"taskId": made["taskId"]})["result"]["structuredContent"], {"answer": 42})


@test
def cancelling_interrupts_the_call():
    with world() as w:
        made = w.modern("tools/call", {"name": "hang", "arguments": {}}, capabilities=TAKES_TASKS)["result"]
        session = made["taskId"].split("~")[0]
        until("it", lambda: [e for e in w.events(session) if e["type"] == "tool.progress"])
        w.modern("tasks/cancel", {"taskId": made["taskId"]}, capabilities=TAKES_TASKS)
        until("it", lambda: ended(w, session))
        equal(ended(w, session)[0]["payload"]["outcome"], "cancelled")
        equal(said(w.tool("wait", task=made["taskId"]))["status"], "cancelled")


@test
def closing_the_stream_of_a_call_interrupts_it():
    with world() as w:
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=base.DEADLINE_S)
        meta = {base.META + "protocolVersion": base.MODERN, base.META + "clientCapabilities": {}, "progressToken": 1}
        c.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hang", "arguments": {}, "_meta": meta}}),
                  {"Authorization": "Bearer " + w.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": base.MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "hang"})
        session = until("the session", lambda: sessions_of(w))[0]
        until("the call", lambda: [e for e in w.events(session) if e["type"] == "tool.progress"])
        c.sock.close() if c.sock else None
        c.close()
        equal(until("the end", lambda: ended(w, session))[0]["payload"]["outcome"], "cancelled")


@test
def a_kill_loses_the_call_once_and_never_repeats_it():
    with world() as w:
        made = w.modern("tools/call", {"name": "hang", "arguments": {}}, capabilities=TAKES_TASKS)["result"]
        asks = w.modern("tools/call", {"name": "put", "arguments": {}}, capabilities=TAKES_TASKS)["result"]
        session, asked = made["taskId"].split("~")[0], asks["taskId"].split("~")[0]
        until("it", lambda: [e for e in w.events(session) if e["type"] == "tool.progress"])
        action = until("it", lambda: [e["actionId"] for e in w.events(asked) if e["type"] == "action.required"])[0]
        w.daemon.kill()
        w.start()
        until("it", lambda: ended(w, session))
        events = w.events(session)
        equal([(e["status"], e["payload"]["executed"]) for e in events if e["type"] == "tool.failed"], [("lost", "unknown")])
        equal(len([e for e in events if e["type"] == "tool.progress"]), 1)
        got = w.modern("tasks/get", {"taskId": made["taskId"]}, capabilities=TAKES_TASKS)["result"]
        equal(got["result"]["isError"], True, got)
        w.call("respond_action", sessionId=asked, actionId=action, decision="allow")
        done = until("it", lambda: (r := w.modern("tasks/get", {"taskId": asks["taskId"]}, capabilities=TAKES_TASKS)["result"])["status"] == "completed" and r)
        equal(text_of(done["result"]), "published")
        verify(w)


# ---- what is not allowed

@test
def nothing_else_is_reached():
    with world() as w:
        for name in ("secret", "publish", "shell", "mcp__x__y", "look.x"):
            reply = w.modern("tools/call", {"name": name, "arguments": {}})
            equal(reply.get("error", {}).get("code"), -32602, (name, reply))
        reader = w.call("create_token", name="reader", scopes=["read"])["token"]
        equal([t["name"] for t in w.modern("tools/list", token=reader)["result"]["tools"]], ["wait", "read"])
        equal(w.modern("tools/call", {"name": "look", "arguments": {}}, token=reader)["error"]["code"], -32602)
        equal(text_of(w.modern("tools/call", {"name": "look", "arguments": [1]})["result"]), "arguments is an object.")
        equal(sessions_of(w), [])
        own = w.call("create_token", name="own", scopes=["read", "write"], sessions="own")["token"]
        w.tool("look")
        equal(text_of(w.tool("look", token=own)), "seen")
        equal(len(w.modern("resources/list", token=own)["result"]["resources"]), 1)


@test
def rules_hold_for_published_tools():
    rules = [{"id": "no", "effect": "deny", "tool": "look"}, {"id": "yes", "effect": "allow", "tool": "publish"}]
    with world(options=["permission.rules=" + json.dumps(rules)]) as w:
        got = w.tool("look")
        equal(got["isError"], True)
        failed = next(e for e in w.events(sessions_of(w)[0]) if e["type"] == "tool.failed")
        equal((failed["payload"]["category"], failed["payload"]["executed"]), ("permission", "no"))
        equal(text_of(w.tool("put")), "published")


@test
def a_project_publishes_nothing():
    with world({}) as w:
        (w.work / ".thole").mkdir()
        (w.work / ".thole" / "config.json").write_text(json.dumps({"mcp.publish": {"tools": ["look"]}}))
        equal([t["name"] for t in w.client("tools", "legacy", "stdio", cwd=str(w.work))], OURS)
        equal(w.client("calls", "legacy", "stdio", cwd=str(w.work), calls=[["read", {}]])[0]["isError"], False)
        equal(w.modern("tools/call", {"name": "look", "arguments": {}})["error"]["code"], -32602)


@test
def wrong_settings_stop_the_start():
    for publish, says in (({"a": 1}, "no member"), ({"tools": 7}, "lists"), ({"tools": [7]}, "name"), ({"tools": ["a b"]}, "name"), ({"tools": ["look", "look"]}, "twice"),
                          ({"tools": ["run"]}, "as"), ({"tools": [{"tool": "x", "as": "send"}]}, "as"), ({"tools": [{"as": "x"}]}, "an object"), ({"servers": [{"server": "x"}]}, "name"),
                          ({"tools": [{"tool": "x", "as": "y", "z": 1}]}, "an object"), ({"servers": ["a", "a"]}, "twice"), ({"tools": [f"t{n}" for n in range(257)]}, "at most"), ([], "object")):
        try:
            with world(publish):
                pass
        except Wrong as why:
            holds("mcp.publish" in str(why) and says in str(why), (publish if len(str(publish)) < 99 else "many", why))
        else:
            raise Wrong(f"{publish} is accepted")


# ---- a tool server

@test
def a_tool_server_is_published_as_a_whole():
    with Fixture() as w:
        tools = {t["name"]: t for t in w.modern("tools/list")["result"]["tools"]}
        holds("test_simple_text" in tools and "mcp__fixture__test_simple_text" not in tools, list(tools))
        equal(tools["test_structured"]["outputSchema"]["required"], ["answer"])
        for era, transport in (("modern", "http"), ("legacy", "http"), ("old", "http"), ("legacy", "stdio")):
            done = w.client("calls", era, transport, calls=[[n, {}] for n in (
                "test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource", "test_multiple_content_types", "test_structured", "test_error_handling")])
            equal([[p["type"] for p in r["content"]] for r in done],
                  [["text"], ["image"], ["audio"], ["resource"], ["text", "image", "resource"], ["text"], ["text"]], (era, transport))
            equal(done[5]["structuredContent"], {"answer": 42})
            equal((done[6]["isError"], done[6]["content"][0]["text"]), (True, "This tool intentionally returns an error for testing"))
        seen = w.client("progress", "modern", tool="test_tool_with_progress")["seen"]
        equal([(p["progress"], p.get("total")) for p in seen], [(0, 100), (50, 100), (100, 100)])


@test
def one_tool_of_a_server_under_another_name():
    with Fixture({"tools": [{"tool": "mcp__fixture__test_simple_text", "as": "simple"}]}) as w:
        equal([t["name"] for t in w.modern("tools/list")["result"]["tools"]], OURS + ["simple"])
        equal(text_of(w.tool("simple")), "This is a simple text response for testing.")
        equal(w.modern("tools/call", {"name": "test_simple_text", "arguments": {}})["error"]["code"], -32602)


@test
def resources_and_prompts_of_a_server():
    with Fixture() as w:
        token = w.call("create_token", name="editor", scopes=["read", "write"], sessions="own")["token"]
        listed = w.modern("resources/list", token=token)["result"]["resources"]
        equal([r["uri"] for r in listed], ["test://static-text", "test://static-binary", "test://watched-resource"])
        equal(w.modern("resources/templates/list", token=token)["result"]["resourceTemplates"][0]["uriTemplate"], "test://template/{id}/data")
        read = w.modern("resources/read", {"uri": "test://static-text"}, token=token)["result"]["contents"]
        equal(read, [{"uri": "test://static-text", "mimeType": "text/plain", "text": "This is the content of the static text resource."}])
        holds("blob" in w.legacy("resources/read", {"uri": "test://static-binary"}, token=token)["result"]["contents"][0], "a binary resource")
        equal(json.loads(w.modern("resources/read", {"uri": "test://template/7/data"}, token=token)["result"]["contents"][0]["text"])["id"], "7")
        for uri in ("test://nothing", "file:///etc/passwd", "thole://sessions/none"):
            missing = w.modern("resources/read", {"uri": uri}, token=token)
            equal((missing["error"]["code"], missing["error"]["data"]), (-32602, {"uri": uri}))
        session = w.modern("resources/list", token=token)["result"]["resources"][-1]["uri"].split("/")[-1]
        holds(any(e["type"] == "tool.started" and e["payload"]["toolName"] == "mcp__fixture__read_resource" for e in w.events(session)), "a read is a call in the log")
        prompts = {p["name"]: p for p in w.modern("prompts/list", token=token)["result"]["prompts"]}
        equal([a["name"] for a in prompts["test_prompt_with_arguments"]["arguments"]], ["arg1", "arg2"])
        holds(not [n for n in prompts if n.startswith("fixture:")], list(prompts))
        got = w.modern("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}}, token=token)["result"]
        equal(got["messages"][0]["content"]["text"], "Prompt with arguments: arg1='a', arg2='b'")
        equal(w.modern("prompts/get", {"name": "none"}, token=token)["error"]["code"], -32602)
        done = w.modern("completion/complete", {"ref": {"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "argument": {"name": "arg1", "value": "par"}}, token=token)
        equal(done["result"]["completion"]["values"], ["paris", "park", "party"])
        equal(w.modern("completion/complete", {"ref": "x"}, token=token)["error"]["code"], -32602)
        reader = w.call("create_token", name="reader", scopes=["read"], sessions="own")["token"]
        equal(w.modern("resources/list", token=reader)["result"]["resources"], [])
        equal(w.modern("resources/read", {"uri": "test://static-text"}, token=reader)["error"]["code"], -32602)


@test
def of_two_servers_the_first_has_the_name():
    with Fixture({"servers": ["twin", "fixture"]}, twins=["twin"]) as w:
        names = [t["name"] for t in w.modern("tools/list")["result"]["tools"]]
        equal(names.count("test_simple_text"), 1)
        w.tool("test_simple_text")
        equal(next(e["payload"]["toolName"] for e in w.events(sessions_of(w)[0]) if e["type"] == "tool.started"), "mcp__twin__test_simple_text")
        equal(w.modern("resources/read", {"uri": "test://static-text"})["result"]["contents"][0]["uri"], "test://static-text")
        equal(json.loads(w.modern("resources/read", {"uri": "test://template/7/data"})["result"]["contents"][0]["text"])["id"], "7")
        equal(w.modern("resources/read", {"uri": "other://x"})["error"]["code"], -32602)


@test
def a_template_takes_no_resources_of_another_server():
    with Fixture({"servers": ["greedy", "fixture"]}, twins=["greedy"], envs={"greedy": {"GREEDY": "1"}, "fixture": {"PAGED": "1"}}) as w:
        def read(uri):
            return w.modern("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
        equal(read("test://static-text"), "This is the content of the static text resource.")
        equal(read("test://watched-resource"), "Watched 0.", "it is on the third page")
        equal(json.loads(read("test://template/7/data"))["id"], "7", "the more exact template, of the second page")
        equal(read("other://x"), "taken", "only a template has this")
        def prompt(name):
            return w.modern("prompts/get", {"name": name})
        def complete(ref):
            return w.modern("completion/complete", {"ref": ref, "argument": {"name": "arg1", "value": "par"}})["result"]["completion"]["values"]
        equal(prompt("test_simple_prompt")["result"]["messages"][0]["content"]["text"], "This is a simple prompt for testing.")
        equal(prompt("greedy")["result"]["messages"][0]["content"]["text"], "taken")
        equal(prompt("review")["error"]["code"], -32602, "no server lists it")
        equal(complete({"type": "ref/prompt", "name": "test_prompt_with_arguments"}), ["paris", "park", "party"])
        equal(complete({"type": "ref/resource", "uri": "test://template/{id}/data"}), ["paris", "park", "party"])
        equal(complete({"type": "ref/prompt", "name": "greedy"}), ["taken"])
        equal(complete({"type": "ref/prompt", "name": "review"}), [])


@test
def rules_hold_for_resources():
    rules = [{"id": "no", "effect": "deny", "mcp": "fixture/read_resource"}]
    with Fixture(options=["permission.rules=" + json.dumps(rules)]) as w:
        got = w.modern("resources/read", {"uri": "test://static-text"})
        equal(got["error"]["code"], -32603, got)


@test
def rules_hold_for_prompts_and_lists():
    rules = [{"id": "no", "effect": "deny", "mcp": "fixture/get_prompt"}, {"id": "lists", "effect": "deny", "mcp": "fixture/list_resources"}]
    with Fixture(options=["permission.rules=" + json.dumps(rules)]) as w:
        holds("error" in w.modern("prompts/get", {"name": "test_simple_prompt"}), "a rule denies it")
        for command, params in (("ask_tool_server", {"server": "fixture", "method": "get_prompt", "params": {"name": "test_simple_prompt"}}),
                                ("expand_command", {"name": "fixture:test_simple_prompt", "kind": "command"})):
            equal(w.http.call(command, params)[1]["code"], "forbidden", command)
        holds(all(r["uri"].startswith("thole:") for r in w.modern("resources/list")["result"]["resources"]), "the list is denied")
        holds(any(p["name"] == "test_simple_prompt" for p in w.modern("prompts/list")["result"]["prompts"]), "this one is not")


@test
def a_server_with_a_reader_of_its_own_keeps_its_resources():
    with Fixture(env={"HAS_READER": "1"}) as w:
        equal(w.modern("resources/read", {"uri": "test://static-text"})["result"]["contents"][0]["text"], "This is the content of the static text resource.")
        equal(text_of(w.tool("read_resource", page="7")), "its own tool read 7")
    rules = [{"id": "no", "effect": "deny", "mcp": "fixture/read_resource"}]
    with Fixture(env={"HAS_READER": "1"}, options=["permission.rules=" + json.dumps(rules)]) as w:
        equal(w.modern("resources/read", {"uri": "test://static-text"})["error"]["code"], -32603)
        equal(w.tool("read_resource", page="7")["isError"], True)


@test
def a_resource_that_is_too_large_says_so():
    with Fixture() as w:
        got = w.modern("resources/read", {"uri": "test://huge"})
        equal(got["error"]["code"], -32603)
        holds("4 MiB" in got["error"]["message"], got)


@test
def a_result_that_is_too_large_is_an_error():
    def check(got, what):
        equal((got["isError"], got["structuredContent"]["error"]["code"]), (True, "output_limit"), what)
        holds("4 MiB" in text_of(got) and "output" in text_of(got), got)

    with Fixture() as w:
        check(w.tool("huge", parts=5), "many parts")
        equal(len(w.tool("huge", parts=3)["content"]), 3)
        check(w.tool("huge_structured"), "structured")
        check(w.legacy("tools/call", {"name": "huge", "arguments": {"parts": 5}})["result"], "of 2025-11-25")
        for era, transport in (("modern", "http"), ("legacy", "http"), ("old", "http"), ("legacy", "stdio")):
            check(w.client("calls", era, transport, calls=[["huge", {"parts": 5}]])[0], (era, transport))


# ---- what a tool asks

ELICITS = {"elicitation": {}}


def ask(w, tool, capabilities=ELICITS, **more):
    return w.modern("tools/call", {"name": tool, "arguments": {}, **more}, capabilities=capabilities)


@test
def a_client_of_the_new_revision_answers_and_calls_again():
    with Fixture(at_address=True) as w:
        first = ask(w, "test_input_required_result_multi_round")["result"]
        equal(first["resultType"], "input_required")
        key, asked = next(iter(first["inputRequests"].items()))
        equal((asked["method"], asked["params"]["message"]), ("elicitation/create", "Step 1: What is your name?"))
        other = ask(w, "test_input_required_result_elicitation")["result"]
        again = ask(w, "test_input_required_result_multi_round", inputResponses={"other": {}}, requestState=first["requestState"])["result"]
        equal(again["inputRequests"], first["inputRequests"], "what is missing is asked again")
        wrong = ask(w, "test_input_required_result_multi_round", inputResponses={key: {"action": "accept", "content": {"name": 7}}}, requestState=first["requestState"])["result"]
        equal(wrong["inputRequests"], first["inputRequests"], "what does not fit is asked again")
        second = ask(w, "test_input_required_result_multi_round", inputResponses={key: {"action": "accept", "content": {"name": "Ada"}}}, requestState=first["requestState"])["result"]
        key = next(iter(second["inputRequests"]))
        holds(second["requestState"] != first["requestState"], second)
        done = ask(w, "test_input_required_result_multi_round", inputResponses={key: {"action": "accept", "content": {"color": "red"}}}, requestState=second["requestState"])["result"]
        equal((done["resultType"], text_of(done)), ("complete", "Ada likes red."))
        same = ask(w, "test_input_required_result_multi_round", inputResponses={key: {"action": "accept", "content": {"color": "blue"}}}, requestState=second["requestState"])["result"]
        equal(text_of(same), "Ada likes red.", "an answer counts once")
        declined = ask(w, "test_input_required_result_elicitation", inputResponses={next(iter(other["inputRequests"])): {"action": "decline"}}, requestState=other["requestState"])["result"]
        equal(text_of(declined), "Hello, stranger!")
        for state in (other["requestState"] + "-x", "", "act_1~sess_1", 7):
            equal(ask(w, "test_input_required_result_elicitation", requestState=state)["error"]["code"], -32602, state)
        stranger = w.call("create_token", name="stranger", scopes=["read", "write"], sessions="own")["token"]
        hidden = w.modern("tools/call", {"name": "test_input_required_result_elicitation", "arguments": {}, "requestState": first["requestState"]}, token=stranger)
        equal(hidden["error"]["code"], -32602, hidden)


@test
def a_client_that_cannot_ask_its_user_gets_a_task():
    with Fixture(at_address=True) as w:
        got = ask(w, "test_input_required_result_elicitation", capabilities={"sampling": {}})["result"]
        equal((got["resultType"], got["isError"]), ("complete", True))
        task = text_of(got).split("task ")[-1].rstrip(".")
        equal(said(w.tool("send", task=task, message="Ada"))["text"], "Hello, Ada!")


@test
def official_clients_ask_their_users():
    with Fixture(at_address=True) as w:
        for era, transport in (("legacy", "http"), ("old", "http"), ("legacy", "stdio"), ("modern", "http")):
            done = w.client("elicit", era, transport, tool="test_input_required_result_elicitation", content={"name": "Ada"})
            equal((text_of(done["ran"]), done["asked"]), ("Hello, Ada!", ["What is your name?"]), (era, transport))
            done = w.client("elicit", era, transport, tool="test_input_required_result_elicitation")
            equal(text_of(done["ran"]), "Hello, stranger!", (era, transport))


@test
def answers_of_others_and_of_none_change_nothing():
    with Fixture(at_address=True) as w:
        first = ask(w, "test_input_required_result_elicitation")["result"]
        stranger = w.call("create_token", name="stranger", scopes=["read", "write"])["token"]
        for body in ({"id": first["requestState"], "result": {"action": "accept", "content": {"name": "Eve"}}}, {"id": "x", "result": {}}, {"id": 7, "error": {"code": -1, "message": "no"}}):
            status, messages = w.post({"jsonrpc": "2.0", **body}, {"MCP-Protocol-Version": "2025-11-25"}, token=stranger)
            equal((status, messages), (202, []))
        again = ask(w, "test_input_required_result_elicitation", requestState=first["requestState"])["result"]
        equal(again["inputRequests"], first["inputRequests"])


# ---- many

@test
@long
def a_thousand_calls():
    with world() as w:
        def one(n):
            return text_of(w.tool("look", where=str(n)))
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            equal(set(pool.map(one, range(1000))), {"seen"})


if __name__ == "__main__":
    sys.exit(base.main())
