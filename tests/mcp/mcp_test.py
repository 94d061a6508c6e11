#!/usr/bin/env python3
"""Tool servers (MCP) in the real daemon: our own server in many moods, and two official ones.

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

from box import DEADLINE_S, Box, Wrong, last, until

HERE = pathlib.Path(__file__).resolve().parent
BUILD = Box.build = str(pathlib.Path(sys.argv[1]).resolve())
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
def a_call_is_asked_about_caged_and_answered():
    for kind, version in (("plain", "2025-11-25"), ("modern", "2026-07-28")):
        box = Box(own(kind), [("mcp__own__echo", {"text": "hello"})])
        try:
            facts = box.submit()
            assert box.action, "nobody was asked"
            asked = last(facts, "action.required")
            assert asked["payload"]["toolName"] == "mcp__own__echo"
            facts = box.allow()
            kinds = [e["type"] for e in facts]
            assert kinds.index("permission.resolved") < kinds.index("sandbox.applied") < kinds.index("tool.result")
            assert last(facts, "tool.result")["payload"]["displayPreview"] == "hello"
            server = box.servers()["own"]
            assert server["status"] == "ready" and server["protocolVersion"] == version, server
            tool = box.tools()["mcp__own__echo"]
            assert tool["runtimeOwner"] == "mcp:own" and tool["nativeName"] == "echo" and tool["policy"] == "ask", tool
            assert tool["annotations"] == {"readOnlyHint": True, "title": "Echo"} and not tool["isReadOnly"], tool
            assert tool["inputSchema"]["properties"] == {"text": {"type": "string"}} and len(tool["definitionHash"]) == 64
            assert box.tools()["mcp__own__wipe"]["isDestructive"]
        finally:
            box.close()


@test
def a_server_is_a_channel():
    box = Box(own())
    try:
        box.status("own", "ready")
        facts = box.until("the channel", lambda: [e for e in box.events("sess_system") if e["type"] == "channel.connected"
                                                  and e["channel"]["peerRole"] == "tool_server"])
        assert facts[0]["channel"]["transport"] == "stdio" and facts[0]["channel"]["nativeProtocol"] == "mcp", facts[0]
    finally:
        box.close()


@test
def rules_over_servers_and_tools_hold():
    rules = [{"id": "e", "effect": "allow", "mcp": "own/echo"}, {"id": "w", "effect": "deny", "mcp": "own/w*"}]
    box = Box(own(), [("mcp__own__echo", {"text": "free"}), ("mcp__own__wipe", {}), ("mcp__own__data", {})],
              options=[f"permission.rules={json.dumps(rules)}"])
    try:
        assert last(box.submit(), "tool.result")["payload"]["displayPreview"] == "free" and not box.action
        assert last(box.submit(), "tool.failed")["payload"]["category"] == "permission"
        box.submit()
        assert box.action, "what no rule names is asked about"
        assert "structuredContentRef" in last(box.allow(), "tool.result")["payload"]
    finally:
        box.close()


@test
def failures_are_told_apart():
    calls = [("mcp__own__fail", {}), ("mcp__own__refuse", {}), ("mcp__own__die", {})]
    box = Box(own(), calls, options=["permission.mode=bypass"])
    try:
        p = last(box.submit(), "tool.failed")
        assert p["payload"]["category"] == "tool_failed" and p["payload"]["executed"] == "yes" and "did not work" in p["statusReason"], p
        assert last(box.submit(), "tool.failed")["payload"]["category"] == "protocol"
        p = last(box.submit(), "tool.failed")
        assert p["payload"]["category"] == "lost" and "exit code 3" in p["statusReason"] and "dying" in p["statusReason"], p
        box.until("its next life", lambda: box.servers()["own"]["restarts"] == 1 and box.servers()["own"]["status"] == "ready")
        # the same channel, resumed
        box.until("the channel's return", lambda: ["channel.connected", "channel.disconnected", "channel.resumed"] == [
            e["type"] for e in box.events("sess_system") if e.get("channel", {}).get("peerRole") == "tool_server"])
    finally:
        box.close()


@test
def progress_and_large_results():
    box = Box(own(), [("mcp__own__slow", {"steps": 3}), ("mcp__own__large", {"bytes": 3000000})],
              options=["permission.mode=bypass"])
    try:
        facts = box.submit()
        steps = [e["payload"] for e in facts if e["type"] == "tool.progress" and e["payload"]["kind"] == "progress"]
        # Reports that come together are one event: of three the middle one may be missing.
        assert [s["completed"] for s in steps] in ([1, 2, 3], [1, 3]) and steps[0]["total"] == 3 and steps[0]["message"] == "step 1", steps
        facts = box.submit()
        spilled = last(facts, "output.spilled")
        assert spilled["output"]["sizeBytes"] == 3000000, spilled
        status, data = box.http.request("GET", f"/v1/outputs/{spilled['outputRef']}")
        assert status == 200 and data == b"0123456789abcde\n" * 187500, (status, len(data))
    finally:
        box.close()


@test
def an_interrupt_reaches_the_server():
    box = Box(own(), [("mcp__own__never", {})], options=["permission.mode=bypass"])
    try:
        box.submit(wait=False)
        box.until("the call", lambda: any(e["type"] == "sandbox.applied" for e in box.events()))
        box.call("interrupt_turn", sessionId=box.session, turnId=box.turn)
        p = last(box.settle(), "tool.failed")
        assert p["status"] == "cancelled" and p["payload"]["category"] == "interrupted", p
    finally:
        box.close()


@test
def a_call_that_takes_too_long_is_given_up():
    box = Box(own(timeout_ms=300), [("mcp__own__never", {})], options=["permission.mode=bypass"])
    try:
        assert last(box.submit(), "tool.failed")["payload"]["category"] == "timeout"
        assert box.servers()["own"]["status"] == "ready"
    finally:
        box.close()


@test
def a_result_that_breaks_its_promise_fails_and_says_how():
    names = ["string", "nothing", "fits", "misfit", "plain", "error"]
    box = Box(own("breaks"), [(f"mcp__own__{n}", {}) for n in names], options=["permission.mode=bypass"])
    try:
        ends = {}
        for n in names:
            facts = box.submit()
            ends[n] = [e for e in facts if e["type"] in ("tool.result", "tool.failed")][-1]
        says = {n: e["payload"].get("category", "result") for n, e in ends.items()}
        assert says == {"string": "protocol", "nothing": "protocol", "fits": "result", "misfit": "protocol",
                        "plain": "protocol", "error": "tool_failed"}, ends
        assert "content is not a list" in ends["string"]["statusReason"], ends["string"]
        assert "/n" in ends["misfit"]["statusReason"] and "outputSchema" in ends["misfit"]["statusReason"], ends["misfit"]
        assert "structuredContent" in ends["plain"]["statusReason"], ends["plain"]
    finally:
        box.close()


# ---- questions -----------------------------------------------------------------------------------

def asked(kind, respond):
    box = Box(own(kind), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        facts = box.submit()
        question = last(facts, "action.required")["payload"]
        assert question["actionType"] == "structured_input" and question["prompt"] == "What colour?", question
        assert question["schema"]["required"] == ["colour", "shade"]
        owed = box.call("list_actions", sessionId=box.session)["actions"]
        assert [a["actionId"] for a in owed] == [box.action], owed
        box.call("respond_action", sessionId=box.session, actionId=box.action, **respond)
        return json.loads(last(box.settle(), "tool.result")["payload"]["displayPreview"])
    finally:
        box.close()


@test
def a_question_of_a_server_goes_to_a_person_and_back():
    for kind in ("plain", "modern"):
        yes = asked(kind, {"decision": "answer", "payload": {"colour": "red"}})
        assert yes == {"action": "accept", "content": {"colour": "red", "shade": "pale"}}, yes  # what was left out is the default
        yes = asked(kind, {"decision": "answer", "payload": {"shade": "dark", "colour": "red"}})
        assert yes == {"action": "accept", "content": {"colour": "red", "shade": "dark"}}, yes
        long = "red " * 800  # longer than what stands in a fact
        yes = asked(kind, {"decision": "answer", "payload": {"colour": long}})
        assert yes["action"] == "accept" and yes["content"] == {"colour": long, "shade": "pale"}, (kind, len(str(yes)))
        no = asked(kind, {"decision": "decline"})
        assert no == {"action": "decline"}, no


@test
def a_wrong_answer_is_refused_and_nobody_to_ask_is_said():
    box = Box(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        box.submit()
        code, _ = box.http.call("respond_action", {"sessionId": box.session, "actionId": box.action,
                                                   "decision": "answer", "payload": {"colour": 7}})
        assert code == "invalid_answer", code
        # an interrupt ends the question with the call
        box.call("interrupt_turn", sessionId=box.session, turnId=box.turn)
        facts = box.until("the end", lambda: any(e["type"] == "turn.failed" or e["type"] == "turn.completed" for e in box.events()) and box.events())
        assert last(facts, "action.resolved")["status"] == "cancelled"
    finally:
        box.close()
    box = Box(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass", "permission.interactive=false"])
    try:
        assert json.loads(last(box.submit(), "tool.result")["payload"]["displayPreview"]) == {"action": "cancel"}
    finally:
        box.close()


@test
def a_question_ends_with_the_server_that_asked():
    box = Box(own(), [("mcp__own__ask", {})], options=["permission.mode=bypass"])
    try:
        box.submit()
        for pid in children(box.daemon.process.pid):
            try:
                if b"server.py" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, 9)
            except OSError:
                pass  # it ended meanwhile
        facts = box.until("the end", lambda: any(e["type"] == "turn.completed" for e in box.events()) and box.events())
        kinds = [e["type"] for e in facts]
        assert kinds.index("action.resolved") < kinds.index("tool.failed"), kinds
        assert last(facts, "tool.failed")["payload"]["category"] == "lost"
    finally:
        box.close()


# ---- trust ---------------------------------------------------------------------------------------

@test
def a_projects_servers_sleep_until_somebody_vouches_for_the_text():
    text = json.dumps({"mcpServers": {"own": {"command": "python3", "args": ["server.py"]},
                                      "web": {"type": "http", "url": "http://127.0.0.1:1/"}}})
    box = Box(project=text, calls=[("mcp__own__echo", {"text": "hi"})] * 2)
    try:
        shutil.copy(SERVER, box.work)
        assert "mcp__own__echo" not in box.tools()
        assert last(box.events(), "tool.failed")["payload"]["category"] == "unknown_tool"
        servers = box.servers()
        assert servers["own"]["status"] == "untrusted" and servers["web"]["status"] == "unsupported", servers
        code, _ = box.http.call("trust_tool_server", {"server": "own", "contentHash": "0" * 64})
        assert code == "version_mismatch", code
        code, _ = box.http.call("trust_tool_server", {"server": "nobody"})
        assert code == "tool_server_not_found", code
        reply = box.call("trust_tool_server", server="own", contentHash=servers["own"]["contentHash"], reason="read it")
        change = last(box.events("sess_system"), "policy.changed")
        assert change["payload"]["change"] == "trust_recorded" and change["payload"]["contentHash"] == reply["contentHash"]
        box.status("own", "ready")
        assert last(box.run(), "tool.result")["payload"]["displayPreview"] == "hi"
        box.daemon.kill()
        box.daemon.start()
        assert box.status("own", "ready")
        # One byte more, and they sleep again; the same byte less, and they are as they were.
        (box.work / ".mcp.json").write_text(text + " ")
        assert box.servers()["own"]["status"] == "untrusted"
        (box.work / ".mcp.json").write_text(text)
        box.status("own", "ready")
        # They are of that directory, and of no other.
        box.session = box.call("create_session", cwd="/usr")["sessionId"]
        assert "mcp__own__echo" not in box.tools()
    finally:
        box.close()


class Places(Box):
    """Sessions that work in directories of their own; each has a server `own` of the same name."""

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
    box = Places("here", "there", calls=[("mcp__own__echo", {"text": "hi"})] * 4)
    try:
        (box.dir / "bare").mkdir()
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert list(box.rows()) == ["here"] and box.rows()["here"]["status"] == "untrusted", box.rows()
        code, _ = box.http.call("trust_tool_server", {"server": "own", "cwd": str(box.place("there"))})
        assert code == "tool_server_not_found", code
        box.trust("here")
        change = last(box.events("sess_system"), "policy.changed")["payload"]
        assert change["change"] == "trust_recorded" and change["cwd"] == str(box.place("here")), change
        assert last(box.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert "mcp__own__echo" in box.tools()
        # The same name elsewhere is another server, and one that nobody trusts.
        for other in "there", "bare":
            assert last(box.go(other), "tool.failed")["payload"]["category"] == "unknown_tool"
            assert "mcp__own__echo" not in box.tools(), other
        assert {name: row["status"] for name, row in box.rows().items()} == {"here": "ready", "there": "untrusted"}
        box.trust("there")
        assert last(box.go("there"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert last(box.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        channels = {row["channelId"] for row in box.rows().values()}
        assert len(channels) == 2, channels
        # Trust is in the text of that directory, and outlives the daemon.
        box.daemon.kill()
        (box.place("there") / ".mcp.json").write_text('{"mcpServers": {"own": {"command": "true"}}}')
        box.daemon.start()
        assert last(box.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
        assert last(box.go("there"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert {name: row["status"] for name, row in box.rows().items()} == {"here": "ready", "there": "untrusted"}
    finally:
        box.close()


def catalogs(facts):
    return [e["payload"]["toolCount"] for e in facts if e["type"] == "tool.catalog.resolved"]


@test
def a_file_that_changes_is_noticed_by_the_next_turn():
    box = Places("here", calls=[("mcp__own__echo", {"text": "hi"})] * 8)
    try:
        box.go("here")
        box.trust("here")
        with_tools = catalogs(box.go("here"))
        assert last(box.events(), "tool.result")["payload"]["displayPreview"] == "hi"
        # Another text is another thing to vouch for; until then nothing of it is offered.
        box.write("here", own=["modern"])
        facts = box.go("here")
        assert last(facts, "tool.failed")["payload"]["category"] == "unknown_tool"
        assert catalogs(facts)[0] < with_tools[0], (catalogs(facts), with_tools)
        assert box.rows()["here"]["status"] == "untrusted"
        box.trust("here")
        assert box.rows()["here"]["protocolVersion"] == "2026-07-28"
        facts = box.go("here")
        assert last(facts, "tool.result") and catalogs(facts) == with_tools, catalogs(facts)
        # A server that is named no more is gone, and so are all when the file is.
        box.write("here", other=[])
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert [s["name"] for s in box.rows().values()] == ["other"]
        os.unlink(box.place("here") / ".mcp.json")
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert not box.rows()
        kinds = [e["type"] for e in box.events("sess_system") if e.get("channel", {}).get("peerRole") == "tool_server"]
        assert kinds == ["channel.connected", "channel.disconnected"] * 2, kinds
        # What comes back is what was trusted last.
        box.write("here", own=["modern"])
        assert last(box.go("here"), "tool.result")["payload"]["displayPreview"] == "hi"
    finally:
        box.close()


@test
def a_call_under_way_ends_with_the_servers_that_it_began_with():
    box = Places("here", calls=[("mcp__own__slow", {"steps": 100})], options=["permission.mode=bypass"])
    try:
        box.go("here")
        box.trust("here")
        box.session = box.sessions["other"] = box.call("create_session", cwd=str(box.place("here")))["sessionId"]
        box.submit(wait=False)
        turn = box.turn
        box.until("the call", lambda: any(e["type"] == "tool.progress" for e in box.events()))
        server = [p for p in children(box.daemon.process.pid) if b"server.py" in pathlib.Path(f"/proc/{p}/cmdline").read_bytes()]
        assert server
        box.write("here", own=["plain", "again"])
        box.session = box.call("create_session", cwd=str(box.place("here")))["sessionId"]
        assert last(box.submit(), "tool.failed")["payload"]["category"] == "unknown_tool"
        box.session, box.turn = box.sessions["other"], turn
        assert box.rows()["here"]["status"] == "untrusted"
        seen = sum(e["type"] == "tool.progress" for e in box.events())
        box.until("more of the call", lambda: sum(e["type"] == "tool.progress" for e in box.events()) > seen)
        box.call("interrupt_turn", sessionId=box.session, turnId=turn)
        facts = box.until("its end", lambda: [e for e in box.events() if e["type"] in ("turn.completed", "turn.failed", "turn.interrupted")])
        assert facts
        box.until("the old server to be gone", lambda: not any(pathlib.Path(f"/proc/{p}").exists() for p in server))
    finally:
        box.close()


@test
def a_server_of_the_settings_stands_before_a_projects_of_its_name():
    box = Places("here", servers=own(), calls=[("mcp__own__echo", {"text": "mine"})], options=["permission.mode=bypass"])
    try:
        box.write("here", own=[], other=[])
        assert last(box.go("here"), "tool.result")["payload"]["displayPreview"] == "mine"
        rows = [(s["name"], s["source"]) for s in box.call("list_tool_servers")["servers"]]
        assert rows == [("own", "user"), ("other", "project")], rows
    finally:
        box.close()


@test
def a_directorys_servers_end_when_nobody_works_there_and_come_back_for_a_decision():
    box = Places("here", calls=[("mcp__own__echo", {"text": "hi"})] * 2)
    try:
        box.go("here")
        box.trust("here")
        box.daemon.kill()
        box.daemon.options.append("session.idle_evict_s=1")
        box.daemon.start()

        def count(what):
            return sum(e["type"] == "channel." + what for e in box.events("sess_system"))
        box.until("the last daemon's server to be off the books", lambda: count("connected") == count("disconnected"))
        before = count("disconnected")
        box.submit()
        assert box.action, "nobody was asked"
        # The session waits, and leaves memory; its directory's server goes with it.
        box.until("the server to be gone", lambda: not box.rows() and count("disconnected") == before + 1)
        assert last(box.allow(), "tool.result")["payload"]["displayPreview"] == "hi"
        box.until("the server to be gone again", lambda: not box.rows() and count("disconnected") == before + 2)
    finally:
        box.close()


@test
def servers_of_so_many_directories_and_no_more():
    names = [f"d{n}" for n in range(17)]
    box = Places(*names, calls=[("mcp__own__echo", {"text": "hi"})])
    try:
        for name in names:
            assert last(box.go(name), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert sorted(box.rows()) == sorted(names[:16]), sorted(box.rows())
        box.until("the operator to be told", lambda: any("more than 16 directories" in line for line in box.daemon.log))
    finally:
        box.close()


@test
def directories_are_left_alone_when_the_settings_say_so():
    box = Places("here", calls=[("mcp__own__echo", {"text": "hi"})], options=["mcp.project=false"])
    try:
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert not box.rows()
    finally:
        box.close()


@test
def a_directorys_file_that_is_no_file_or_no_use_harms_nobody():
    box = Places("here", "pipe", calls=[("mcp__own__echo", {"text": "hi"})])
    try:
        (box.place("here") / ".mcp.json").write_text("{")
        os.unlink(box.place("pipe") / ".mcp.json")
        os.mkfifo(box.place("pipe") / ".mcp.json")
        for name in "pipe", "here":
            assert last(box.go(name), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert [(row["name"], row["status"]) for row in box.rows().values()] == [(".mcp.json", "unsupported")], box.rows()
    finally:
        box.close()


@test
def a_definition_that_changed_is_asked_about_again():
    rules = [{"id": "e", "effect": "allow", "mcp": "own"}]
    box = Box(own("changes", env={"CHANGES_FROM": "${CHANGES_FROM}"}), [("mcp__own__echo", {"text": str(n)}) for n in range(6)],
              options=[f"permission.rules={json.dumps(rules)}"], env={"CHANGES_FROM": "0"})
    try:
        # the first call changes the list of tools while the turn runs: a new catalogue, then the model again
        facts = box.submit()
        assert last(facts, "tool.result") and not box.action
        box.until("the change", lambda: box.tools()["mcp__own__echo"].get("definitionChanged"))
        assert "mcp__own__extra0" in box.tools()
        # the rule allowed the tool that was known, not this one
        facts = box.submit()
        assert box.action, "a changed definition was not asked about"
        facts = box.allow(scope="session")
        catalogs = [e for e in facts if e["type"] == "tool.catalog.resolved"]
        assert catalogs, "no catalogue"
        # that grant was for one definition; the call changed it again
        box.until("the next change", lambda: "mcp__own__extra1" in box.tools())
        box.submit()
        assert box.action, "the grant held for another definition"
        box.allow()
        box.until("the next change", lambda: "mcp__own__extra2" in box.tools())
        box.call("trust_tool_server", server="own")
        box.until("the pin", lambda: not box.tools()["mcp__own__echo"].get("definitionChanged"))
        assert last(box.submit(), "tool.result") and not box.action
    finally:
        box.close()


@test
def a_list_that_changes_during_a_turn_is_a_new_catalogue():
    box = Box(own("grows"), [("mcp__own__slow", {"steps": 6})], options=["permission.mode=bypass"])
    try:
        facts = [e for e in box.submit() if e["type"] in ("tool.catalog.resolved", "tool.started", "model.requested", "tool.result")]
        kinds = [e["type"] for e in facts if e["type"] != "tool.started"]
        assert kinds == ["tool.catalog.resolved", "model.requested", "tool.result", "tool.catalog.resolved", "model.requested"], kinds
        counts = [e["payload"]["toolCount"] for e in facts if e["type"] == "tool.catalog.resolved"]
        assert counts[1] == counts[0] + 1, counts
    finally:
        box.close()


# ---- hostile servers -----------------------------------------------------------------------------

@test
def hostile_servers_harm_nobody_else():
    kinds = {"silent": "time", "dies": "cannot start", "junk": "no messages", "huge": "longer", "nolist": "no list today",
             "endless": "does not end", "badversion": "1999-01-01"}
    servers = {k: own(k)["own"] for k in kinds}
    servers.update(own())
    box = Box(servers, [("mcp__own__echo", {"text": "still here"})], options=["permission.mode=bypass"])
    try:
        box.status("own", "ready")
        for name, why in kinds.items():
            row = box.until(name, lambda: box.servers()[name]["restarts"] >= 1 and why in box.servers()[name].get("detail", why)
                            and box.servers()[name])
            assert row["toolCount"] == 0, row
        assert last(box.submit(), "tool.result")["payload"]["displayPreview"] == "still here"
    finally:
        box.close()


@test
def a_flood_leaves_the_runtime_usable():
    box = Box(own("flood"), [("mcp__own__echo", {"text": "x"})] * 3, options=["permission.mode=bypass"])
    try:
        box.status("own", "ready")
        for _ in range(3):
            box.submit()
        rss = int(pathlib.Path(f"/proc/{box.daemon.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        assert rss < 200 << 20, rss
    finally:
        box.close()


@test
def odd_names_are_made_plain_or_left_out():
    box = Box({**own("names"), "many": own("many")["own"]}, [("mcp__own__good", {})])
    try:
        box.status("many", "ready")
        box.status("own", "ready")
        tools = box.tools()
        ours = [n for n, t in tools.items() if t["runtimeOwner"] == "mcp:own"]
        assert all(len(n) <= 64 and n.replace("_", "").replace("-", "").isalnum() and n.isascii() for n in ours), ours
        natives = sorted(tools[n].get("nativeName") for n in ours)
        assert natives == sorted(["sp ace", "näme/☃", "x" * 100, "twice", "good"]), natives
        assert sum(t["runtimeOwner"] == "mcp:many" for t in tools.values()) == 256
    finally:
        box.close()


@test
def what_is_left_out_is_one_line_of_the_log_however_many_tools():
    box = Box({**own("names"), "many": own("many")["own"]})
    try:
        box.status("many", "ready")
        box.status("own", "ready")
        lines = [line for line in box.daemon.log if "left out" in line]
        assert len(lines) == 2, (len(lines), lines[:3])
        assert any("many: 744 tools are left out, the first is \"t256\"" in line for line in lines), lines
        assert len(box.daemon.log) < 20, box.daemon.log
    finally:
        box.close()


@test
def an_elder_server_that_ignores_the_probe_is_greeted():
    box = Box(own("deaf"))
    try:
        assert box.status("own", "ready")["protocolVersion"] == "2025-11-25"
    finally:
        box.close()


@test
def a_slow_server_is_waited_for_and_keeps_its_protocol():
    """Whatever it speaks; one that speaks both is not greeted in both ways."""
    for kind, version in (("plain", "2025-11-25"), ("modern", "2026-07-28"), ("both", "2026-07-28")):
        box = Box(own(kind, env={"MCP_SLEEP": "5"}), [("mcp__own__echo", {"text": "hello"})], options=["permission.mode=bypass"])
        try:
            facts = box.submit()
            assert "hello" in last(facts, "tool.result")["payload"]["displayPreview"], facts
            assert box.servers()["own"]["protocolVersion"] == version, box.servers()
            assert box.servers()["own"]["restarts"] == 0, box.servers()
            assert "instruction:tool_servers" not in last(facts, "context.resolved")["payload"]["instructionRefs"]
        finally:
            box.close()


@test
def the_model_is_told_which_servers_are_not_there():
    box = Box(own("dies"), [])
    try:
        facts = box.submit()
        resolved = last(facts, "context.resolved")["payload"]
        source = next(s for s in resolved["sources"] if s["ref"] == "instruction:tool_servers")
        text = box.call("get_output", outputRef=source["outputRef"])["text"]
        assert "own (it does not run)" in text, text
        # It is part of what was sent.
        sent = box.call("get_output", outputRef=last(facts, "model.requested")["refs"]["input"])["text"]
        assert source["outputRef"] in sent, sent
    finally:
        box.close()


# ---- the cage, and the end -----------------------------------------------------------------------

@test
def a_server_is_caged():
    listener = socket.create_server(("127.0.0.1", 0))
    port = str(listener.getsockname()[1])
    os.environ["MCP_SECRET"] = "do not tell"
    for network, reaches in (("off", False), ("full", True)):
        box = Box(own(network=network, env={"PORT": port}), [("mcp__own__where", {})], options=["permission.mode=bypass"])
        try:
            facts = box.submit()
            seen = json.loads(last(facts, "tool.result")["payload"]["displayPreview"])
            applied = last(facts, "sandbox.applied")
            if applied["payload"]["tier"] == "none":
                raise Wrong("no cage on this machine")
            assert seen["net"] == reaches, seen
            assert not seen["passwd_write"] and not seen["home_ssh"] and not seen["mcp_write"], seen
            assert "MCP_SECRET" not in seen["env"] and "PORT" in seen["env"], seen
            # It has more rights than the agent, so it does not start where the agent writes.
            assert seen["cwd"] == "/usr" and not (box.work / "made-by-server").exists(), seen
        finally:
            box.close()
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
def a_call_that_a_policy_obliges_to_a_cage_of_its_own_does_not_run():
    record = {"schema_version": "0.1.0", "decision_id": "pd_1", "evaluated_at": "2026-05-08T10:00:00Z", "subject": {"type": "agent"},
              "action": {"type": "tool_call"}, "resource": {"type": "tool"}, "context": {}, "result": "allow", "reason_codes": [],
              "scope": {"scope_type": "tool_call", "risk_level": "low"}, "obligations": [{"type": "sandbox", "profile": "read_only"}]}
    hook = {"pre_tool_use": [{"command": f"cat >/dev/null; echo '{json.dumps(record)}'"}]}
    box = Box(own(), [("mcp__own__echo", {"text": "hi"})], options=["permission.mode=bypass", "hooks=" + json.dumps(hook)])
    try:
        failed = last(box.submit(), "tool.failed")["payload"]
        assert (failed["category"], failed["executed"]) == ("sandbox_unavailable", "no"), failed
    finally:
        box.close()


@test
def a_server_reaches_the_hosts_that_its_entry_names_and_no_others():
    named, other = Neighbour(), Neighbour()
    calls = [("mcp__own__reach", {"url": f"http://{x.host}/{n}"}) for n, x in enumerate((named, other, other))]
    box = Box(own(hosts=[named.host]), calls, options=["permission.mode=bypass"])
    try:
        facts = box.submit()
        assert last(facts, "tool.result")["payload"]["displayPreview"] == "reached" and named.seen == ["/0"]
        network = last(facts, "sandbox.applied")["sandboxProfile"]["network"]
        assert network["mode"] == "restricted" and network["allow"] == [named.host], network
        for _ in range(2):  # each call that is refused something says so, also the second time
            facts = box.submit()
            assert "not reached" in last(facts, "tool.failed")["statusReason"] and other.seen == []
            refused = last(facts, "sandbox.violation")["payload"]
            assert f"{refused['host']}:{refused['port']}" == other.host and refused["kind"] == "network", refused
            assert refused["wouldAllow"].endswith("in hosts of the server"), refused
        assert box.servers()["own"]["hosts"] == [named.host]
    finally:
        box.close()


@test
def hosts_of_the_settings_are_those_of_servers_when_the_network_is_restricted():
    near = Neighbour()
    box = Box(own(), [("mcp__own__reach", {"url": f"http://{near.host}/"})],
              options=["permission.mode=bypass", "sandbox.network=restricted", f'sandbox.allow_hosts=["{near.host}"]'])
    try:
        assert last(box.submit(), "tool.result")["payload"]["displayPreview"] == "reached"
    finally:
        box.close()


@test
def a_projects_hosts_are_reached_when_the_text_that_names_them_is_trusted():
    first, more = Neighbour(), Neighbour()
    box = Places("here", calls=[("mcp__own__reach", {"url": f"http://{x.host}/"}) for x in (first, first, more, more)],
                 options=["permission.mode=bypass"])

    def ask_for(*hosts):
        (box.place("here") / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": {
            "command": "/usr/bin/python3", "args": [SERVER], "hosts": [h.host for h in hosts], "network": "full"}}}))
    try:
        ask_for(first)
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert box.rows()["here"]["hosts"] == [first.host] and first.seen == []
        box.trust("here")
        assert last(box.go("here"), "tool.result") and first.seen == ["/"]
        # More of them is another text.
        ask_for(first, more)
        assert last(box.go("here"), "tool.failed")["payload"]["category"] == "unknown_tool"
        assert box.rows()["here"]["status"] == "untrusted" and more.seen == []
        for verb, line in ("show", f"hosts            {first.host}, {more.host}"), ("trust", f"own reaches {first.host}, {more.host}"):
            p = subprocess.run([BUILD + "/thole", "mcp", verb, "own", "--data", box.daemon.data], cwd=box.place("here"), capture_output=True,
                               text=True, timeout=DEADLINE_S)
            assert p.returncode == 0 and line in p.stdout + p.stderr, p
        box.until("own", lambda: box.rows()["here"]["status"] == "ready")
        assert last(box.go("here"), "tool.result") and more.seen == ["/"]
    finally:
        box.close()


@test
def a_daemon_that_works_in_its_own_data_keeps_servers_out_of_it():
    box = Box(own(), [("mcp__own__where", {})], options=["permission.mode=bypass"])
    box.daemon.stop()
    data = box.daemon.data
    process = subprocess.Popen([BUILD + "/thole", "serve", "--data", data, "--listen", "127.0.0.1:0", "--script", data + ".json",
                                *[a for o in box.daemon.options for a in ("-c", o)]], cwd=data, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, XDG_CONFIG_HOME=data + ".config"))
    try:
        box.daemon.process, box.daemon.port = process, int(process.stderr.readline().split("127.0.0.1:")[1].split()[0])
        seen = json.loads(last(box.submit(), "tool.result")["payload"]["displayPreview"])
        assert seen["cwd"] == os.path.realpath(data) + "/mcp/own" and seen["write"], seen
        assert not os.path.exists(data + "/made-by-server") and os.path.exists(data + "/mcp/own/made-by-server")
    finally:
        process.stderr.close()
        box.close()


@test
def nothing_is_left_when_the_daemon_goes():
    for how in ("stop", "kill"):
        box = Box(own())
        try:
            box.status("own", "ready")
            kin = children(box.daemon.process.pid)
            assert any(b"server.py" in pathlib.Path(f"/proc/{p}/cmdline").read_bytes() for p in kin)
            getattr(box.daemon, how)()
            until(f"the end of all servers after {how}", lambda: not any(is_alive(p) for p in kin))
        finally:
            box.close()


@test
def bad_settings_stop_the_start_and_say_why():
    for servers, why in (({"a b": {"command": "x"}}, "letters, digits"), ({"a": {}}, "command"), ({"a": {"command": "x", "nets": 1}}, "nets"),
                         ({"a": {"command": "x", "read": ["/does/not/exist"]}}, "/does/not/exist"), ({"a": 7}, "no object"),
                         ({"a": {"command": "x", "cwd": "relative"}}, "relative"), ({"a": {"command": "x", "hosts": "b"}}, "hosts"),
                         ({"a": {"command": "x", "hosts": ["not a host"]}}, "hosts"), ({"a": {"command": "x", "hosts": [7]}}, "hosts"),
                         ({"a": {"command": "x", "hosts": ["b.example"], "network": "full"}}, "either network or hosts")):
        p = subprocess.run([BUILD + "/thole", "serve", "--data", tempfile.mkdtemp(prefix="thole-mcp-"), "-c", f"mcp.servers={json.dumps(servers)}"],
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
    box = Box({"every": official("mcp-server-everything")},
              [("mcp__every__echo", {"message": "hi"}), ("mcp__every__get-sum", {"a": 2, "b": 40}),
               ("mcp__every__trigger-long-running-operation", {"duration": 2, "steps": 4}),
               ("mcp__every__get-structured-content", {"location": "New York"}),
               ("mcp__every__get-tiny-image", {})], options=["permission.mode=bypass"])
    try:
        box.status("every", "ready")
        tools = box.tools()
        assert "mcp__every__echo" in tools, sorted(tools)
        assert "hi" in last(box.events(), "tool.result")["payload"]["displayPreview"]
        assert "42" in last(box.submit(), "tool.result")["payload"]["displayPreview"]
        facts = box.submit()
        assert any(e["type"] == "tool.progress" and e["payload"].get("total") == 4 for e in facts)
        assert "structuredContentRef" in last(box.submit(), "tool.result")["payload"]
        assert "image/png" in last(box.submit(), "tool.result")["payload"]["displayPreview"]
    finally:
        box.close()


@test
def server_filesystem():
    spec = official("mcp-server-filesystem")
    spec["args"].append(".")
    box = Box({"files": spec}, [("mcp__files__write_file", {"path": "note.txt", "content": "by mcp"}),
                                ("mcp__files__read_text_file", {"path": "note.txt"}),
                                ("mcp__files__read_text_file", {"path": "/etc/passwd"})], options=["permission.mode=bypass"])
    try:
        box.status("files", "ready")
        last(box.submit(), "tool.result")
        assert (box.work / "note.txt").read_text() == "by mcp"
        assert last(box.submit(), "tool.result")["payload"]["displayPreview"] == "by mcp"
        assert "outside" in last(box.submit(), "tool.failed")["statusReason"]
    finally:
        box.close()


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
