#!/usr/bin/env python3
"""Tool servers (MCP) in the real daemon: our own server with many behaviours, and two official ones.

usage: mcp_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback

from tool_fixture import DEADLINE_S, Fixture, Wrong, last, until

HERE = pathlib.Path(__file__).resolve().parent
BUILD = Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
SERVER = str(HERE / "server.py")
tests = []


def test(f):
    tests.append(f)
    return f


def own(kind="plain", **more):
    return {"own": {"command": "/usr/bin/python3", "args": [SERVER, kind], "read": [str(HERE)], **more}}


def is_alive(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def children(pid):
    """All that descends from a process."""
    out, todo = set(), [pid]
    while todo:
        at = todo.pop()
        try:
            kids = " ".join(f.read_text() for f in pathlib.Path(f"/proc/{at}/task").glob("*/children")).split()
        except OSError:
            continue
        out.update(map(int, kids))
        todo += map(int, kids)
    return out


# ---- the ordinary way ----------------------------------------------------------------------------

@test
def a_call_is_approved_sandboxed_and_answered():
    for kind, version in (("plain", "2025-11-25"), ("modern", "2026-07-28")):
        fixture = Fixture(own(kind), [("mcp__own__echo", {"text": "hello"})])
        try:
            events = fixture.submit()
            assert fixture.action, "no approval was requested"
            asked = last(events, "action.required")
            assert asked["payload"]["toolName"] == "mcp__own__echo"
            events = fixture.allow()
            kinds = [e["type"] for e in events]
            assert kinds.index("permission.resolved") < kinds.index("sandbox.applied") < kinds.index("tool.result")
            assert last(events, "tool.result")["payload"]["displayPreview"] == "hello"
            server = fixture.servers()["own"]
            assert server["status"] == "ready" and server["protocolVersion"] == version, server
            tool = fixture.tools()["mcp__own__echo"]
            assert tool["runtimeOwner"] == "mcp:own" and tool["nativeName"] == "echo" and tool["policy"] == "ask", tool
            assert tool["annotations"] == {"readOnlyHint": True, "title": "Echo"} and not tool["isReadOnly"], tool
            assert tool["inputSchema"]["properties"] == {"text": {"type": "string"}} and len(tool["definitionHash"]) == 64
            assert fixture.tools()["mcp__own__wipe"]["isDestructive"]
        finally:
            fixture.close()


@test
def a_server_is_a_channel():
    fixture = Fixture(own())
    try:
        fixture.status("own", "ready")
        events = fixture.until("the channel", lambda: [e for e in fixture.events("sess_system") if e["type"] == "channel.connected"
                                                  and e["channel"]["peerRole"] == "tool_server"])
        assert events[0]["channel"]["transport"] == "stdio" and events[0]["channel"]["nativeProtocol"] == "mcp", events[0]
    finally:
        fixture.close()


@test
def rules_over_servers_and_tools_hold():
    rules = [{"id": "e", "effect": "allow", "mcp": "own/echo"}, {"id": "w", "effect": "deny", "mcp": "own/w*"}]
    fixture = Fixture(own(), [("mcp__own__echo", {"text": "free"}), ("mcp__own__wipe", {}), ("mcp__own__data", {})],
              options=[f"permission.rules={json.dumps(rules)}"])
    try:
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "free" and not fixture.action
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "permission"
        fixture.submit()
        assert fixture.action, "what no rule names is asked about"
        assert "structuredContentRef" in last(fixture.allow(), "tool.result")["payload"]
    finally:
        fixture.close()


@test
def a_rule_that_denies_a_path_renews_the_server():
    """Also while a call is under way, which is lost; calls of the new process are answered."""
    fixture = Fixture(own(), [("mcp__own__never", {}), ("mcp__own__echo", {"text": "again"})], options=["permission.mode=bypass"])
    try:
        fixture.submit(wait=False)
        first, turn = fixture.session, fixture.turn
        fixture.until("the call", lambda: any(e["type"] == "sandbox.applied" for e in fixture.events()))
        (fixture.work / "closed").mkdir()
        (fixture.work / ".thole").mkdir(exist_ok=True)
        (fixture.work / ".thole" / "rules.json").write_text(json.dumps({"rules": [{"id": "p", "effect": "deny", "path": "closed"}]}))
        # A turn of another session finds the rule.
        fixture.session = None
        fixture.submit(wait=False)
        fixture.session, fixture.turn = first, turn
        lost = last(fixture.settle(), "tool.failed")
        assert lost["payload"]["category"] == "lost" and "a rule denies a path" in lost["statusReason"], lost
        fixture.status("own", "ready")
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "again"
        assert fixture.servers()["own"]["restarts"] == 0, "it is no failure of the server"
    finally:
        fixture.close()


@test
def failures_have_different_categories():
    calls = [("mcp__own__fail", {}), ("mcp__own__refuse", {}), ("mcp__own__die", {})]
    fixture = Fixture(own(), calls, options=["permission.mode=bypass"])
    try:
        p = last(fixture.submit(), "tool.failed")
        assert p["payload"]["category"] == "tool_failed" and p["payload"]["executed"] == "yes" and "did not work" in p["statusReason"], p
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "protocol"
        p = last(fixture.submit(), "tool.failed")
        assert p["payload"]["category"] == "lost" and "exit code 3" in p["statusReason"] and "dying" in p["statusReason"], p
        fixture.until("its next life", lambda: fixture.servers()["own"]["restarts"] == 1 and fixture.servers()["own"]["status"] == "ready")
        # the same channel, resumed
        fixture.until("the channel's return", lambda: ["channel.connected", "channel.disconnected", "channel.resumed"] == [
            e["type"] for e in fixture.events("sess_system") if e.get("channel", {}).get("peerRole") == "tool_server"])
    finally:
        fixture.close()


@test
def progress_and_large_results():
    fixture = Fixture(own(), [("mcp__own__slow", {"steps": 3}), ("mcp__own__large", {"bytes": 3000000})],
              options=["permission.mode=bypass"])
    try:
        events = fixture.submit()
        steps = [e["payload"] for e in events if e["type"] == "tool.progress" and e["payload"]["kind"] == "progress"]
        # Reports that come together are one event, and one that comes together with the result is none.
        assert [s["completed"] for s in steps] in ([1, 2, 3], [1, 3], [1, 2], [1]) and steps[0]["total"] == 3 and steps[0]["message"] == "step 1", steps
        events = fixture.submit()
        spilled = last(events, "output.spilled")
        assert spilled["output"]["sizeBytes"] == 3000000, spilled
        status, data = fixture.http.request("GET", f"/v1/outputs/{spilled['outputRef']}")
        assert status == 200 and data == b"0123456789abcde\n" * 187500, (status, len(data))
    finally:
        fixture.close()


@test
def values_of_the_settings_are_not_in_what_a_server_says():
    """They were in the log of the daemon and in the list of servers, as the server printed them; the last were those that begin like a path."""
    secret, word, key, slash = "correct-horse-battery", "production", "k9-" + "x7" * 12, "/qX3/9+base64KeyMaterial=="
    loud = "echo start; echo PASS=$DB_PASS MODE=$MODE KEY=$SERVICE_API_KEY SLASH=$SLASH at $PLACE"
    cut = "i=0; while [ $i -lt 300 ]; do echo $DB_PASS; i=$((i+1)); done"  # more than is kept
    env = {"DB_PASS": secret, "MODE": word, "SERVICE_API_KEY": key, "SLASH": slash, "PLACE": "/usr/share/place"}
    servers = {name: {"command": "/bin/sh", "args": ["-c", f"( {text} ) >&2; exit 3"], "env": env} for name, text in (("loud", loud), ("cut", cut))}
    # A value of several lines of which the server says one.
    lines = {"command": "/bin/sh", "args": ["-c", "echo \"last: $PEM\" | tail -n 1 >&2; exit 3"], "env": {"PEM": "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC"}}
    servers["lines"] = lines
    servers["argument"] = {"command": "/bin/sh", "args": ["-c", "exit 3", "${MCP_TEST_TOKEN}"]}
    servers["path"] = {"command": "/bin/sh", "args": ["-c", "exit 3", "${MCP_SLASH_TOKEN} ${MCP_PATH_TOKEN}"]}
    fixture = Fixture(servers, env={"MCP_TEST_TOKEN": key, "MCP_SLASH_TOKEN": slash[::-1].replace("=", "/"), "MCP_PATH_TOKEN": "/usr/share/token"})
    try:
        rows = {name: fixture.status(name, "down") for name in servers}
        assert rows["path"]["command"] == "/bin/sh -c exit 3 [redacted] /usr/share/token", rows["path"]
        assert "PASS=[redacted] MODE=[redacted] KEY=[redacted] SLASH=[redacted] at /usr/share/place" in rows["loud"]["detail"], rows["loud"]
        assert "[redacted]" in rows["cut"]["detail"] and "horse" not in rows["cut"]["detail"], rows["cut"]
        assert "[redacted]" in rows["lines"]["detail"] and "hkiG9w0" not in rows["lines"]["detail"], rows["lines"]
        assert "[redacted]" in rows["argument"]["command"], rows["argument"]
        fixture.until("the log", lambda: "PASS=[redacted]" in "".join(fixture.daemon.log))
        said = "".join(fixture.daemon.log) + json.dumps(rows)
        assert secret not in said and key not in said and slash not in said and f"MODE={word}" not in said, said
    finally:
        fixture.close()


@test
def an_interrupt_reaches_the_server():
    fixture = Fixture(own(), [("mcp__own__never", {})], options=["permission.mode=bypass"])
    try:
        fixture.submit(wait=False)
        fixture.until("the call", lambda: any(e["type"] == "sandbox.applied" for e in fixture.events()))
        fixture.call("interrupt_turn", sessionId=fixture.session, turnId=fixture.turn)
        p = last(fixture.settle(), "tool.failed")
        assert p["status"] == "cancelled" and p["payload"]["category"] == "interrupted", p
    finally:
        fixture.close()


@test
def a_call_that_takes_too_long_is_given_up():
    fixture = Fixture(own(timeout_ms=300), [("mcp__own__never", {})], options=["permission.mode=bypass"])
    try:
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "timeout"
        assert fixture.servers()["own"]["status"] == "ready"
    finally:
        fixture.close()


@test
def a_result_that_breaks_its_promise_fails_and_says_how():
    names = ["string", "nothing", "fits", "mismatch", "plain", "error"]
    fixture = Fixture(own("breaks"), [(f"mcp__own__{n}", {}) for n in names], options=["permission.mode=bypass"])
    try:
        ends = {}
        for n in names:
            events = fixture.submit()
            ends[n] = [e for e in events if e["type"] in ("tool.result", "tool.failed")][-1]
        says = {n: e["payload"].get("category", "result") for n, e in ends.items()}
        assert says == {"string": "protocol", "nothing": "protocol", "fits": "result", "mismatch": "protocol",
                        "plain": "protocol", "error": "tool_failed"}, ends
        assert "content is not a list" in ends["string"]["statusReason"], ends["string"]
        assert "/n" in ends["mismatch"]["statusReason"] and "outputSchema" in ends["mismatch"]["statusReason"], ends["mismatch"]
        assert "structuredContent" in ends["plain"]["statusReason"], ends["plain"]
    finally:
        fixture.close()


# ---- questions -----------------------------------------------------------------------------------

def asked(kind, respond):
    fixture = Fixture(own(kind), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        events = fixture.submit()
        question = last(events, "action.required")["payload"]
        assert question["actionType"] == "structured_input" and question["prompt"] == "What colour?", question
        assert question["schema"]["required"] == ["colour", "shade"]
        pending = fixture.call("list_actions", sessionId=fixture.session)["actions"]
        assert [a["actionId"] for a in pending] == [fixture.action], pending
        fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, **respond)
        return json.loads(last(fixture.settle(), "tool.result")["payload"]["displayPreview"])
    finally:
        fixture.close()


@test
def a_question_of_a_server_goes_to_a_person_and_back():
    for kind in ("plain", "modern"):
        yes = asked(kind, {"decision": "answer", "payload": {"colour": "red"}})
        assert yes == {"action": "accept", "content": {"colour": "red", "shade": "pale"}}, yes  # what was left out is the default
        yes = asked(kind, {"decision": "answer", "payload": {"shade": "dark", "colour": "red"}})
        assert yes == {"action": "accept", "content": {"colour": "red", "shade": "dark"}}, yes
        long = "red " * 800  # longer than an event holds
        yes = asked(kind, {"decision": "answer", "payload": {"colour": long}})
        assert yes["action"] == "accept" and yes["content"] == {"colour": long, "shade": "pale"}, (kind, len(str(yes)))
        no = asked(kind, {"decision": "decline"})
        assert no == {"action": "decline"}, no


@test
def a_wrong_answer_is_refused_and_a_missing_user_is_reported():
    fixture = Fixture(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        fixture.submit()
        code, _ = fixture.http.call("respond_action", {"sessionId": fixture.session, "actionId": fixture.action,
                                                   "decision": "answer", "payload": {"colour": 7}})
        assert code == "invalid_answer", code
        # an interrupt ends the question with the call
        fixture.call("interrupt_turn", sessionId=fixture.session, turnId=fixture.turn)
        events = fixture.until("the end", lambda: any(e["type"] == "turn.failed" or e["type"] == "turn.completed" for e in fixture.events()) and fixture.events())
        assert last(events, "action.resolved")["status"] == "cancelled"
    finally:
        fixture.close()
    fixture = Fixture(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass", "permission.interactive=false"])
    try:
        assert json.loads(last(fixture.submit(), "tool.result")["payload"]["displayPreview"]) == {"action": "cancel"}
    finally:
        fixture.close()


@test
def a_question_ends_with_the_server_that_asked():
    fixture = Fixture(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        fixture.submit()
        for pid in children(fixture.daemon.process.pid):
            try:
                if b"server.py" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, 9)
            except OSError:
                pass  # it ended meanwhile
        events = fixture.until("the end", lambda: any(e["type"] == "turn.completed" for e in fixture.events()) and fixture.events())
        kinds = [e["type"] for e in events]
        assert kinds.index("action.resolved") < kinds.index("tool.failed"), kinds
        assert last(events, "tool.failed")["payload"]["category"] == "lost"
    finally:
        fixture.close()


# ---- trust ---------------------------------------------------------------------------------------

@test
def a_projects_servers_do_not_start_until_a_user_trusts_the_text():
    text = json.dumps({"mcpServers": {"own": {"command": "python3", "args": ["server.py"]},
                                      "web": {"type": "sse", "url": "http://127.0.0.1:1/"}}})
    fixture = Fixture(project=text, calls=[("mcp__own__echo", {"text": "hi"})] * 2)
    try:
        shutil.copy(SERVER, fixture.work)
        assert "mcp__own__echo" not in fixture.tools()
        assert last(fixture.events(), "tool.failed")["payload"]["category"] == "unknown_tool"
        servers = fixture.servers()
        assert servers["own"]["status"] == "untrusted" and servers["web"]["status"] == "unsupported", servers
        code, _ = fixture.http.call("trust_tool_server", {"server": "own", "contentHash": "0" * 64})
        assert code == "version_mismatch", code
        code, _ = fixture.http.call("trust_tool_server", {"server": "missing"})
        assert code == "tool_server_not_found", code
        reply = fixture.call("trust_tool_server", server="own", contentHash=servers["own"]["contentHash"], reason="read it")
        change = last(fixture.events("sess_system"), "policy.changed")
        assert change["payload"]["change"] == "trust_recorded" and change["payload"]["contentHash"] == reply["contentHash"]
        fixture.status("own", "ready")
        assert last(fixture.run(), "tool.result")["payload"]["displayPreview"] == "hi"
        fixture.daemon.kill()
        fixture.daemon.start()
        assert fixture.status("own", "ready")
        # One byte more, and they sleep again; the same byte less, and they are as they were.
        (fixture.work / ".mcp.json").write_text(text + " ")
        assert fixture.servers()["own"]["status"] == "untrusted"
        (fixture.work / ".mcp.json").write_text(text)
        fixture.status("own", "ready")
        # They are of that directory, and of no other.
        fixture.session = fixture.call("create_session", cwd="/usr")["sessionId"]
        assert "mcp__own__echo" not in fixture.tools()
    finally:
        fixture.close()


class Places(Fixture):
    """Sessions in different directories; each has a server named `own`."""

    def __init__(self, *names, **more):
        super().__init__(**more)
        self.sessions = {}
        for name in names:
            place = self.place(name)
            place.mkdir()
            shutil.copy(SERVER, place)
            (place / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": {
                "command": "python3", "args": ["server.py"]}}}))

    def place(self, name):
        return (self.dir / name).resolve()

    def go(self, name):
        if name not in self.sessions:
            self.sessions[name] = self.call("create_session", cwd=str(self.place(name)))["sessionId"]
        self.session = self.sessions[name]
        return self.run()

    def write(self, name, **servers):
        (self.place(name) / ".mcp.json").write_text(json.dumps({"mcpServers": {
            k: {"command": "python3", "args": ["server.py", *v]} for k, v in servers.items()}}))

    def rows(self):
        return {pathlib.Path(s["cwd"]).name: s for s in self.call("list_tool_servers")["servers"]}

    def trust(self, name):
        row = self.rows()[name]
        self.call("trust_tool_server", server="own", cwd=row["cwd"], contentHash=row["contentHash"])
        self.until(f"own of {name}", lambda: self.rows()[name]["status"] == "ready")


@test
def a_directory_brings_servers_to_the_sessions_that_work_there():
    fixture = Places("here", "there", calls=[("mcp__own__echo", {"text": "hi"})] * 4)
    try:
        (fixture.dir / "bare").mkdir()
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert list(fixture.rows()) == ["here"] and fixture.rows()["here"]["status"] == "untrusted", fixture.rows()
        code, _ = fixture.http.call("trust_tool_server", {"server": "own", "cwd": str(fixture.dir / "bare")})
        assert code == "tool_server_not_found", code
        fixture.trust("here")
        change = last(fixture.events("sess_system"), "policy.changed")["payload"]
        assert change["change"] == "trust_recorded" and change["cwd"] == str(fixture.place("here")), change
        assert last(fixture.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert "mcp__own__echo" in fixture.tools()
        # The same name elsewhere is another server, and it is not trusted.
        for other in "there", "bare":
            assert last(fixture.go(other), "tool.failed")["payload"]["category"] == "unknown_tool"
            assert "mcp__own__echo" not in fixture.tools(), other
        assert {name: row["status"] for name, row in fixture.rows().items()} == {"here": "ready", "there": "untrusted"}
        fixture.trust("there")
        assert last(fixture.go("there"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert last(fixture.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        channels = {row["channelId"] for row in fixture.rows().values()}
        assert len(channels) == 2, channels
        # Trust is in the text of that directory, and outlives the daemon.
        fixture.daemon.kill()
        (fixture.place("there") / ".mcp.json").write_text('{"mcpServers": {"own": {"command": "true"}}}')
        fixture.daemon.start()
        assert last(fixture.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert last(fixture.go("there"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert {name: row["status"] for name, row in fixture.rows().items()} == {"here": "ready", "there": "untrusted"}
    finally:
        fixture.close()


def catalogs(events):
    return [e["payload"]["toolCount"] for e in events if e["type"] == "tool.catalog.resolved"]


@test
def a_file_that_changes_is_noticed_by_the_next_turn():
    fixture = Places("here", calls=[("mcp__own__echo", {"text": "hi"})] * 8)
    try:
        fixture.go("here")
        fixture.trust("here")
        with_tools = catalogs(fixture.go("here"))
        assert last(fixture.events(), "tool.result")["payload"]["displayPreview"] == "hi"
        # Another text is another thing to vouch for; until then nothing of it is offered.
        fixture.write("here", own=["modern"])
        events = fixture.go("here")
        assert last(events, "tool.failed")["payload"]["category"] == "unknown_tool"
        assert catalogs(events)[0] < with_tools[0], (catalogs(events), with_tools)
        assert fixture.rows()["here"]["status"] == "untrusted"
        fixture.trust("here")
        assert fixture.rows()["here"]["protocolVersion"] == "2026-07-28"
        events = fixture.go("here")
        assert last(events, "tool.result") and catalogs(events) == with_tools, catalogs(events)
        # A server that is named no more is gone, and so are all when the file is.
        fixture.write("here", other=[])
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert [s["name"] for s in fixture.rows().values()] == ["other"]
        os.unlink(fixture.place("here") / ".mcp.json")
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert not fixture.rows()
        kinds = [e["type"] for e in fixture.events("sess_system") if e.get("channel", {}).get("peerRole") == "tool_server"]
        assert kinds == ["channel.connected", "channel.disconnected"] * 2, kinds
        # The text that was trusted last is trusted again.
        fixture.write("here", own=["modern"])
        assert last(fixture.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
    finally:
        fixture.close()


@test
def a_call_under_way_ends_with_the_servers_that_it_began_with():
    fixture = Places("here", calls=[("mcp__own__slow", {"steps": 100})], options=["permission.mode=bypass"])
    try:
        fixture.go("here")
        fixture.trust("here")
        fixture.session = fixture.sessions["other"] = fixture.call("create_session", cwd=str(fixture.place("here")))["sessionId"]
        fixture.submit(wait=False)
        turn = fixture.turn
        fixture.until("the call", lambda: any(e["type"] == "tool.progress" for e in fixture.events()))
        server = [p for p in children(fixture.daemon.process.pid) if b"server.py" in pathlib.Path(f"/proc/{p}/cmdline").read_bytes()]
        assert server
        fixture.write("here", own=["plain", "again"])
        fixture.session = fixture.call("create_session", cwd=str(fixture.place("here")))["sessionId"]
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "unknown_tool"
        fixture.session, fixture.turn = fixture.sessions["other"], turn
        assert fixture.rows()["here"]["status"] == "untrusted"
        seen = sum(e["type"] == "tool.progress" for e in fixture.events())
        fixture.until("more of the call", lambda: sum(e["type"] == "tool.progress" for e in fixture.events()) > seen)
        fixture.call("interrupt_turn", sessionId=fixture.session, turnId=turn)
        events = fixture.until("its end", lambda: [e for e in fixture.events() if e["type"] in ("turn.completed", "turn.failed", "turn.interrupted")])
        assert events
        fixture.until("the old server to be gone", lambda: not any(pathlib.Path(f"/proc/{p}").exists() for p in server))
    finally:
        fixture.close()


@test
def a_server_of_the_settings_precedes_a_projects_of_its_name():
    fixture = Places("here", servers=own(), calls=[("mcp__own__echo", {"text": "mine"})], options=["permission.mode=bypass"])
    try:
        fixture.write("here", own=[], other=[])
        assert last(fixture.go("here"), "tool.result")["payload"]["displayPreview"] == "mine"
        rows = [(s["name"], s["source"]) for s in fixture.call("list_tool_servers")["servers"]]
        assert rows == [("own", "user"), ("other", "project")], rows
    finally:
        fixture.close()


@test
def a_directorys_servers_end_without_sessions_there_and_come_back_for_a_decision():
    fixture = Places("here", calls=[("mcp__own__echo", {"text": "hi"})] * 2)
    try:
        fixture.go("here")
        fixture.trust("here")
        fixture.daemon.kill()
        fixture.daemon.options.append("session.idle_evict_s=1")
        fixture.daemon.start()

        def count(what):
            return sum(e["type"] == "channel." + what for e in fixture.events("sess_system"))
        fixture.until("the last daemon's server to be off the books", lambda: count("connected") == count("disconnected"))
        before = count("disconnected")
        fixture.submit()
        assert fixture.action, "no approval was requested"
        # The session waits and leaves memory; its directory's server ends with it.
        fixture.until("the server to be gone", lambda: not fixture.rows() and count("disconnected") == before + 1)
        assert last(fixture.allow(), "tool.result")["payload"]["displayPreview"] == "hi"
        fixture.until("the server to be gone again", lambda: not fixture.rows() and count("disconnected") == before + 2)
    finally:
        fixture.close()


@test
def servers_of_so_many_directories_and_no_more():
    names = [f"d{n}" for n in range(17)]
    fixture = Places(*names, calls=[("mcp__own__echo", {"text": "hi"})])
    try:
        for name in names:
            assert last(fixture.go(name), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert sorted(fixture.rows()) == sorted(names[:16]), sorted(fixture.rows())
        fixture.until("the line for the operator", lambda: any("more than 16 directories" in line for line in fixture.daemon.log))
    finally:
        fixture.close()


@test
def directories_are_left_alone_when_the_settings_say_so():
    fixture = Places("here", calls=[("mcp__own__echo", {"text": "hi"})], options=["mcp.project=false"])
    try:
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert not fixture.rows()
    finally:
        fixture.close()


@test
def a_directorys_file_that_is_no_file_or_no_use_does_no_harm():
    fixture = Places("here", "pipe", calls=[("mcp__own__echo", {"text": "hi"})])
    try:
        (fixture.place("here") / ".mcp.json").write_text("{")
        os.unlink(fixture.place("pipe") / ".mcp.json")
        os.mkfifo(fixture.place("pipe") / ".mcp.json")
        for name in "pipe", "here":
            assert last(fixture.go(name), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert [(row["name"], row["status"]) for row in fixture.rows().values()] == [(".mcp.json", "unsupported")], fixture.rows()
    finally:
        fixture.close()


@test
def a_changed_definition_needs_approval_again():
    rules = [{"id": "e", "effect": "allow", "mcp": "own"}]
    fixture = Fixture(own("changes", env={"CHANGES_FROM": "${CHANGES_FROM}"}), [("mcp__own__echo", {"text": str(n)}) for n in range(6)],
              options=[f"permission.rules={json.dumps(rules)}"], env={"CHANGES_FROM": "0"})
    try:
        # the first call changes the list of tools while the turn runs: a new catalogue, then the model again
        events = fixture.submit()
        assert last(events, "tool.result") and not fixture.action
        fixture.until("the change", lambda: fixture.tools()["mcp__own__echo"].get("definitionChanged"))
        assert "mcp__own__extra0" in fixture.tools()
        # the rule allowed the tool that was known, not this one
        events = fixture.submit()
        assert fixture.action, "a changed definition was not asked about"
        events = fixture.allow(scope="session")
        catalogs = [e for e in events if e["type"] == "tool.catalog.resolved"]
        assert catalogs, "no catalogue"
        # that grant was for one definition; the call changed it again
        fixture.until("the next change", lambda: "mcp__own__extra1" in fixture.tools())
        fixture.submit()
        assert fixture.action, "the grant held for another definition"
        fixture.allow()
        fixture.until("the next change", lambda: "mcp__own__extra2" in fixture.tools())
        fixture.call("trust_tool_server", server="own")
        fixture.until("the pin", lambda: not fixture.tools()["mcp__own__echo"].get("definitionChanged"))
        assert last(fixture.submit(), "tool.result") and not fixture.action
    finally:
        fixture.close()


@test
def a_list_that_changes_during_a_turn_is_a_new_catalogue():
    fixture = Fixture(own("grows"), [("mcp__own__slow", {"steps": 6})], options=["permission.mode=bypass"])
    try:
        events = [e for e in fixture.submit() if e["type"] in ("tool.catalog.resolved", "tool.started", "model.requested", "tool.result")]
        kinds = [e["type"] for e in events if e["type"] != "tool.started"]
        assert kinds == ["tool.catalog.resolved", "model.requested", "tool.result", "tool.catalog.resolved", "model.requested"], kinds
        counts = [e["payload"]["toolCount"] for e in events if e["type"] == "tool.catalog.resolved"]
        assert counts[1] == counts[0] + 1, counts
    finally:
        fixture.close()


# ---- hostile servers -----------------------------------------------------------------------------

@test
def hostile_servers_do_not_harm_others():
    kinds = {"silent": "time", "dies": "cannot start", "junk": "no messages", "huge": "longer", "nolist": "no list today",
             "endless": "does not end", "badversion": "1999-01-01"}
    servers = {k: own(k)["own"] for k in kinds}
    servers.update(own())
    fixture = Fixture(servers, [("mcp__own__echo", {"text": "still here"})], options=["permission.mode=bypass"])
    try:
        fixture.status("own", "ready")
        for name, why in kinds.items():
            row = fixture.until(name, lambda: fixture.servers()[name]["restarts"] >= 1 and why in fixture.servers()[name].get("detail", why)
                            and fixture.servers()[name])
            assert row["toolCount"] == 0, row
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "still here"
    finally:
        fixture.close()


@test
def a_flood_leaves_the_runtime_usable():
    fixture = Fixture(own("flood"), [("mcp__own__echo", {"text": "x"})] * 3, options=["permission.mode=bypass"])
    try:
        fixture.status("own", "ready")
        for _ in range(3):
            fixture.submit()
        rss = int(pathlib.Path(f"/proc/{fixture.daemon.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        assert rss < 200 << 20, rss
    finally:
        fixture.close()


@test
def odd_names_are_made_plain_or_left_out():
    fixture = Fixture({**own("names"), "many": own("many")["own"]}, [("mcp__own__good", {})])
    try:
        fixture.status("many", "ready")
        fixture.status("own", "ready")
        tools = fixture.tools()
        ours = [n for n, t in tools.items() if t["runtimeOwner"] == "mcp:own"]
        assert all(len(n) <= 64 and n.replace("_", "").replace("-", "").isalnum() and n.isascii() for n in ours), ours
        natives = sorted(tools[n].get("nativeName") for n in ours)
        assert natives == sorted(["sp ace", "näme/☃", "x" * 100, "twice", "good"]), natives
        assert sum(t["runtimeOwner"] == "mcp:many" for t in tools.values()) == 256
    finally:
        fixture.close()


@test
def what_is_left_out_is_one_line_of_the_log_however_many_tools():
    fixture = Fixture({**own("names"), "many": own("many")["own"]})
    try:
        fixture.status("many", "ready")
        fixture.status("own", "ready")
        lines = [line for line in fixture.daemon.log if "left out" in line]
        assert len(lines) == 2, (len(lines), lines[:3])
        assert any("many: 744 tools are left out, the first is \"t256\"" in line for line in lines), lines
        assert len(fixture.daemon.log) < 20, fixture.daemon.log
    finally:
        fixture.close()


@test
def an_older_server_that_ignores_the_probe_is_initialized():
    fixture = Fixture(own("deaf"))
    try:
        assert fixture.status("own", "ready")["protocolVersion"] == "2025-11-25"
    finally:
        fixture.close()


def environment(fixture, events):
    """The environment note of the newest turn, which must be part of what was sent."""
    sources = last(events, "context.resolved")["payload"]["sources"]
    ref = next(s["outputRef"] for s in sources if s["ref"] == "instruction:environment")
    sent = fixture.call("get_output", outputRef=last(events, "model.requested")["refs"]["input"])["text"]
    assert ref in sent, sent
    return fixture.call("get_output", outputRef=ref)["text"]


@test
def a_slow_server_is_waited_for_and_keeps_its_protocol():
    """Whatever it speaks; one that speaks both is not greeted in both ways."""
    for kind, version in (("plain", "2025-11-25"), ("modern", "2026-07-28"), ("both", "2026-07-28")):
        fixture = Fixture(own(kind, env={"MCP_SLEEP": "5"}), [("mcp__own__echo", {"text": "hello"})], options=["permission.mode=bypass"])
        try:
            events = fixture.submit()
            assert "hello" in last(events, "tool.result")["payload"]["displayPreview"], events
            assert fixture.servers()["own"]["protocolVersion"] == version, fixture.servers()
            assert fixture.servers()["own"]["restarts"] == 0, fixture.servers()
            assert "Tool servers that are not available" not in environment(fixture, events)
        finally:
            fixture.close()


@test
def the_model_gets_the_list_of_missing_servers():
    fixture = Fixture(own("dies"), [])
    try:
        events = fixture.submit()
        text = environment(fixture, events)
        assert "own (it does not run)" in text, text
    finally:
        fixture.close()


# ---- the sandbox, and the end --------------------------------------------------------------------

@test
def a_server_is_sandboxed():
    listener = socket.create_server(("127.0.0.1", 0))
    port = str(listener.getsockname()[1])
    os.environ["MCP_SECRET"] = "do not tell"
    for network, reaches in (("off", False), ("full", True)):
        fixture = Fixture(own(network=network, env={"PORT": port}), [("mcp__own__where", {})], options=["permission.mode=bypass"])
        try:
            events = fixture.submit()
            seen = json.loads(last(events, "tool.result")["payload"]["displayPreview"])
            applied = last(events, "sandbox.applied")
            if applied["payload"]["tier"] == "none":
                raise Wrong("no sandbox on this machine")
            assert seen["net"] == reaches, seen
            assert not seen["passwd_write"] and not seen["home_ssh"] and not seen["mcp_write"], seen
            assert "MCP_SECRET" not in seen["env"] and "PORT" in seen["env"], seen
            # It has more rights than the agent, so it does not start where the agent writes.
            assert seen["cwd"] == "/usr" and not (fixture.work / "made-by-server").exists(), seen
        finally:
            fixture.close()
    listener.close()


class Neighbour:
    """A server on the loopback of the host; what was asked of it."""

    def __init__(self):
        seen = self.seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"reached")

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@test
def a_call_that_needs_its_own_sandbox_by_policy_does_not_run():
    record = {"schema_version": "0.1.0", "decision_id": "pd_1", "evaluated_at": "2026-05-08T10:00:00Z", "subject": {"type": "agent"},
              "action": {"type": "tool_call"}, "resource": {"type": "tool"}, "context": {}, "result": "allow", "reason_codes": [],
              "scope": {"scope_type": "tool_call", "risk_level": "low"}, "obligations": [{"type": "sandbox", "profile": "read_only"}]}
    hook = {"pre_tool_use": [{"command": f"cat >/dev/null; echo '{json.dumps(record)}'"}]}
    fixture = Fixture(own(), [("mcp__own__echo", {"text": "hi"})], options=["permission.mode=bypass", "hooks=" + json.dumps(hook)])
    try:
        failed = last(fixture.submit(), "tool.failed")["payload"]
        assert (failed["category"], failed["executed"]) == ("sandbox_unavailable", "no"), failed
    finally:
        fixture.close()


@test
def a_server_reaches_the_hosts_that_its_entry_names_and_no_others():
    named, other = Neighbour(), Neighbour()
    calls = [("mcp__own__reach", {"url": f"http://{x.host}/{n}"}) for n, x in enumerate((named, other, other))]
    fixture = Fixture(own(hosts=[named.host]), calls, options=["permission.mode=bypass"])
    try:
        events = fixture.submit()
        assert last(events, "tool.result")["payload"]["displayPreview"] == "reached" and named.seen == ["/0"]
        network = last(events, "sandbox.applied")["sandboxProfile"]["network"]
        assert network["mode"] == "restricted" and network["allow"] == [named.host], network
        for _ in range(2):  # each call that is refused something says so, also the second time
            events = fixture.submit()
            assert "not reached" in last(events, "tool.failed")["statusReason"] and other.seen == []
            refused = last(events, "sandbox.violation")["payload"]
            assert f"{refused['host']}:{refused['port']}" == other.host and refused["kind"] == "network", refused
            assert refused["wouldAllow"].endswith("in hosts of the server"), refused
        assert fixture.servers()["own"]["hosts"] == [named.host]
    finally:
        fixture.close()


@test
def hosts_of_the_settings_are_those_of_servers_when_the_network_is_restricted():
    near = Neighbour()
    fixture = Fixture(own(), [("mcp__own__reach", {"url": f"http://{near.host}/"})],
              options=["permission.mode=bypass", "sandbox.network=restricted", f'sandbox.allow_hosts=["{near.host}"]'])
    try:
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "reached"
    finally:
        fixture.close()


@test
def a_projects_hosts_are_reached_when_the_text_that_names_them_is_trusted():
    first, more = Neighbour(), Neighbour()
    fixture = Places("here", calls=[("mcp__own__reach", {"url": f"http://{x.host}/"}) for x in (first, first, more, more)],
                 options=["permission.mode=bypass"])

    def ask_for(*hosts):
        (fixture.place("here") / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": {
            "command": "/usr/bin/python3", "args": [SERVER], "hosts": [h.host for h in hosts], "network": "full"}}}))
    try:
        ask_for(first)
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert fixture.rows()["here"]["hosts"] == [first.host] and first.seen == []
        fixture.trust("here")
        assert last(fixture.go("here"), "tool.result") and first.seen == ["/"]
        # More of them is another text.
        ask_for(first, more)
        assert last(fixture.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert fixture.rows()["here"]["status"] == "untrusted" and more.seen == []
        for verb, line in ("show", f"hosts            {first.host}, {more.host}"), ("trust", f"own reaches {first.host}, {more.host}"):
            p = subprocess.run([BUILD + "/thole", "mcp", verb, "own", "--data", fixture.daemon.data], cwd=fixture.place("here"), capture_output=True,
                               text=True, timeout=DEADLINE_S)
            assert p.returncode == 0 and line in p.stdout + p.stderr, p
        fixture.until("own", lambda: fixture.rows()["here"]["status"] == "ready")
        assert last(fixture.go("here"), "tool.result") and more.seen == ["/"]
    finally:
        fixture.close()


@test
def a_daemon_that_works_in_its_own_data_keeps_servers_out_of_it():
    fixture = Fixture(own(), [("mcp__own__where", {})], options=["permission.mode=bypass"])
    fixture.daemon.stop()
    data = fixture.daemon.data
    process = subprocess.Popen([BUILD + "/thole", "serve", "--data", data, "--listen", "127.0.0.1:0", "--script", data + ".json",
                                *[a for o in fixture.daemon.options for a in ("-c", o)]], cwd=data, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, XDG_CONFIG_HOME=data + ".config"))
    try:
        fixture.daemon.process, fixture.daemon.port = process, int(process.stderr.readline().split("127.0.0.1:")[1].split()[0])
        fixture.session = fixture.call("create_session", cwd=str(fixture.work))["sessionId"]
        seen = json.loads(last(fixture.submit(), "tool.result")["payload"]["displayPreview"])
        assert seen["cwd"] == os.path.realpath(data) + "/mcp/own" and seen["write"], seen
        assert not os.path.exists(data + "/made-by-server") and os.path.exists(data + "/mcp/own/made-by-server")
    finally:
        process.stderr.close()
        fixture.close()


@test
def nothing_is_left_when_the_daemon_goes():
    for how in ("stop", "kill"):
        fixture = Fixture(own())
        try:
            fixture.status("own", "ready")
            servers = children(fixture.daemon.process.pid)
            assert any(b"server.py" in pathlib.Path(f"/proc/{p}/cmdline").read_bytes() for p in servers)
            getattr(fixture.daemon, how)()
            until(f"the end of all servers after {how}", lambda: not any(is_alive(p) for p in servers))
        finally:
            fixture.close()


@test
def bad_settings_stop_the_start_and_say_why():
    for servers, why in (({"a b": {"command": "x"}}, "letters, digits"), ({"a__b": {"command": "x"}}, "without __"),
                         ({"a_": {"command": "x"}}, "without _ at its end"), ({"a": {}}, "command"), ({"a": {"command": "x", "nets": 1}}, "nets"),
                         ({"a": {"command": "x", "read": ["/does/not/exist"]}}, "/does/not/exist"), ({"a": 7}, "no object"),
                         ({"a": {"command": "x", "cwd": "relative"}}, "relative"), ({"a": {"command": "x", "hosts": "b"}}, "hosts"),
                         ({"a": {"command": "x", "hosts": ["not a host"]}}, "hosts"), ({"a": {"command": "x", "hosts": [7]}}, "hosts"),
                         ({"a": {"command": "x", "hosts": ["b.example"], "network": "full"}}, "either network or hosts")):
        with tempfile.TemporaryDirectory(prefix="thole-mcp-") as data:
            p = subprocess.run([BUILD + "/thole", "serve", "--data", data, "-c", f"mcp.servers={json.dumps(servers)}"],
                               capture_output=True, text=True, timeout=DEADLINE_S)
        assert p.returncode != 0 and why in p.stderr, (servers, p.stderr)


# ---- official servers, where npm ci was run --------------------------------------------------------

class Skipped(Exception):
    pass


def official(name):
    path = HERE / "node_modules" / ".bin" / name
    if not path.exists():
        raise Skipped("npm has not fetched it into tests/mcp")
    return {"command": shutil.which("node"), "args": [str(path.resolve())], "read": [str(HERE)]}


@test
def server_everything():
    fixture = Fixture({"every": official("mcp-server-everything")},
              [("mcp__every__echo", {"message": "hi"}), ("mcp__every__get-sum", {"a": 2, "b": 40}),
               ("mcp__every__trigger-long-running-operation", {"duration": 2, "steps": 4}),
               ("mcp__every__get-structured-content", {"location": "New York"}),
               ("mcp__every__get-tiny-image", {})], options=["permission.mode=bypass"])
    try:
        fixture.status("every", "ready")
        tools = fixture.tools()
        assert "mcp__every__echo" in tools, sorted(tools)
        assert "hi" in last(fixture.events(), "tool.result")["payload"]["displayPreview"]
        assert "42" in last(fixture.submit(), "tool.result")["payload"]["displayPreview"]
        events = fixture.submit()
        assert any(e["type"] == "tool.progress" and e["payload"].get("total") == 4 for e in events)
        assert "structuredContentRef" in last(fixture.submit(), "tool.result")["payload"]
        assert "image/png" in last(fixture.submit(), "tool.result")["payload"]["displayPreview"]
    finally:
        fixture.close()


@test
def server_filesystem():
    spec = official("mcp-server-filesystem")
    spec["args"].append(".")

    class Worded(Fixture):
        def script_of(self, calls):
            return json.dumps({"version": 1, "default": {"text": "done"}, "rules": [
                {"when": {"text": name, "request": 1}, "reply": {"toolCalls": [{"name": "mcp__files__" + name, "args": args}]}} for name, args in calls]})

    fixture = Worded({"files": spec}, [("list_allowed_directories", {}), ("write_file", {"path": "note.txt", "content": "by mcp"}),
                                       ("read_text_file", {"path": "note.txt"}), ("read_media_file", {"path": "/etc/passwd"})],
                     options=["permission.mode=bypass"])
    try:
        fixture.status("files", "ready")
        # It asks for its roots when it is ready, and until it has read them it counts from its own directory.
        fixture.until("the roots at the server", lambda: str(fixture.work) in last(fixture.submit(text="list_allowed_directories"), "tool.result")["payload"]["displayPreview"])
        last(fixture.submit(text="write_file"), "tool.result")
        assert (fixture.work / "note.txt").read_text() == "by mcp"
        assert last(fixture.submit(text="read_text_file"), "tool.result")["payload"]["displayPreview"] == "by mcp"
        assert "outside" in last(fixture.submit(text="read_media_file"), "tool.failed")["statusReason"]
    finally:
        fixture.close()


def main():
    words, failed, number = sys.argv[2:], 0, 0
    for f in tests:
        if words and not any(w in f.__name__ for w in words):
            continue
        number += 1
        name = f.__name__.replace("_", " ")
        try:
            f()
            print(f"ok {number} - mcp: {name}", flush=True)
        except Skipped as e:
            print(f"ok {number} - mcp: {name} # SKIP {e}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - mcp: {name}", flush=True)
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
