#!/usr/bin/env python3
"""Tool servers with an address in the real daemon: our own server in both revisions, and an official one.

usage: http_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from http_server import NEW, OLD, Server, tool
from tool_fixture import DEADLINE_S, Fixture, last
from tap import Skip, play  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
BYPASS = ["permission.mode=bypass"]
tests = []


def test(f):
    tests.append(f)
    return f


def both(f):
    """The same test with a server of each revision."""
    for revision in (OLD, NEW):
        def one(revision=revision):
            f(revision)
        one.__name__ = f"{f.__name__}_in_{revision}"
        tests.append(one)
    return f


class Remote(Fixture):
    """A daemon with one server at an address."""
    kind = Server

    def __init__(self, revision, calls=(), options=BYPASS, lacks=0, tools=(), path=None, env=None, **more):
        self.server = self.kind(revision, lacks=lacks, tools=tools)
        url = self.server.url if path is None else self.server.url.replace("/mcp", path)
        super().__init__({"own": {"type": "http", "url": url, **more}}, [("mcp__own__" + n, a) for n, a in calls], options=options, env=env)

    def preview(self):
        return last(self.submit(), "tool.result")["payload"]["displayPreview"]

    def failure(self):
        return last(self.submit(), "tool.failed")

    def wait(self, what, looks):
        return self.until(what, looks)

    def close(self):
        try:
            super().close()
        finally:
            self.server.close()


# ---- the ordinary way ----------------------------------------------------------------------------

@both
def a_call_is_approved_and_answered_without_a_sandbox(revision):
    fixture = Remote(revision, [("echo", {"text": "hello"})], options=())
    try:
        fixture.submit()
        assert fixture.action, "no approval was requested"
        events = fixture.allow()
        assert last(events, "tool.result")["payload"]["displayPreview"] == "hello"
        assert not any(e["type"] == "sandbox.applied" for e in events), "no sandbox contains it"
        row = fixture.servers()["own"]
        assert (row["status"], row["protocolVersion"], row["url"]) == ("ready", revision, fixture.server.url), row
        channel = fixture.wait("the channel", lambda: [e["channel"] for e in fixture.events("sess_system") if e["type"] == "channel.connected"
                                                       and e["channel"]["peerRole"] == "tool_server"])[0]
        assert channel["transport"] == "http_json" and channel["isSandboxed"] is False, channel
        assert fixture.server.ran == ["echo"]
    finally:
        fixture.close()


@both
def progress_and_large_results_come_through(revision):
    fixture = Remote(revision, [("steps", {}), ("large", {"bytes": 10000000})])
    try:
        events = fixture.submit()
        steps = [e["payload"] for e in events if e["type"] == "tool.progress" and e["payload"]["kind"] == "progress"]
        assert steps[0]["completed"] == 1 and steps[0]["total"] == 3 and steps[0]["message"] == "step 1", steps
        assert last(events, "tool.result")["payload"]["displayPreview"] == "done"
        assert last(fixture.submit(), "output.spilled")["output"]["sizeBytes"] == 10000000
    finally:
        fixture.close()


@test
def the_older_revision_has_a_session_and_a_stream():
    fixture = Remote(OLD, [("echo", {"text": "a"})])
    try:
        assert fixture.preview() == "a"
        posts = [(h, m) for v, h, m in fixture.server.requests if v == "POST"]
        assert [m.get("method") for _, m in posts][:4] == ["server/discover", "initialize", "notifications/initialized", "tools/list"], posts
        assert "mcp-session-id" not in posts[1][0] and "mcp-protocol-version" not in posts[1][0]
        for head, _ in posts[2:]:
            assert head["mcp-session-id"] == "session-1" and head["mcp-protocol-version"] == OLD, head
            assert "application/json" in head["accept"] and "text/event-stream" in head["accept"], head
        fixture.wait("the stream", lambda: fixture.server.streams)
        fixture.server.tools.append(tool("extra"))
        fixture.server.announce()
        fixture.wait("the new tool", lambda: fixture.servers()["own"]["toolCount"] == 10)
    finally:
        fixture.close()


@test
def a_server_without_a_stream_of_its_own_works():
    for status in (405, 404):
        fixture = Remote(OLD, [("echo", {"text": "a"})], lacks=status)
        try:
            assert fixture.preview() == "a"
            fixture.wait("the answer to GET", lambda: any(v == "GET" for v, _, _ in fixture.server.requests))
            assert fixture.server.sessions == 1, "an answer to GET was taken for the end of the session"
        finally:
            fixture.close()


@test
def a_parameter_that_must_be_mirrored_from_now_on_is_learnt():
    fixture = Remote(NEW, [("strict", {"a": "x"})] * 2, tools=[tool("strict", {"a": {"type": "string"}})])
    try:
        assert fixture.failure()["payload"]["category"] == "protocol"
        fixture.wait("the list", lambda: fixture.server.methods().count("tools/list") > 1 and fixture.servers()["own"]["changedCount"])
        assert fixture.preview() == "x"
    finally:
        fixture.close()


@test
def silence_does_not_lead_to_the_older_revision():
    fixture = Remote(OLD, path="/silent")
    try:
        assert "did not answer in time" in fixture.status("own", "down")["detail"]
        assert set(fixture.server.methods()) == {"server/discover"}
    finally:
        fixture.close()


@test
def the_command_line_shows_address_revision_and_state():
    fixture = Remote(NEW, headers={"X-One": "1"})
    try:
        fixture.status("own", "ready")
        p = subprocess.run([f"{Fixture.build}/thole", "mcp", "show", "own", "--data", fixture.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
        for line in ("status           ready", f"url              {fixture.server.url}", f"protocolVersion  {NEW}", "headers          X-One"):
            assert line in p.stdout, p
        p = subprocess.run([f"{Fixture.build}/thole", "mcp", "ls", "--data", fixture.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
        assert fixture.server.url in p.stdout, p
    finally:
        fixture.close()


@test
def the_newer_revision_mirrors_what_the_body_says():
    fixture = Remote(NEW, [("said", {"region": "Süd", "deep": {"n": 7}}), ("echo 世界", {"text": "x"})], tools=[tool("echo 世界")])
    try:
        said = json.loads(fixture.preview())
        head, meta = said["headers"], said["meta"]
        assert head["mcp-param-region"] == "=?base64?U8O8ZA==?=" and head["mcp-param-number"] == "7", head
        assert head["mcp-method"] == "tools/call" and head["mcp-name"] == "said", head
        assert meta["io.modelcontextprotocol/protocolVersion"] == NEW, meta
        name = [t for t in fixture.tools() if t.startswith("mcp__own__echo_")]
        assert name and "initialize" not in fixture.server.methods() and not fixture.server.methods("GET")
        fixture.wait("the subscription", lambda: fixture.server.streams)
        fixture.server.tools.append(tool("extra"))
        fixture.server.announce()
        fixture.wait("the new tool", lambda: fixture.servers()["own"]["toolCount"] == 11)
    finally:
        fixture.close()


@test
def a_tool_with_an_invalid_annotation_is_left_out():
    bad = tool("bad", {"a": {"type": "number", "x-mcp-header": "A"}})
    fixture = Remote(NEW, [("echo", {"text": "a"})], tools=[bad])
    try:
        assert fixture.preview() == "a"
        assert "mcp__own__bad" not in fixture.tools() and fixture.servers()["own"]["toolCount"] == 9
    finally:
        fixture.close()


@test
def the_newer_revision_asks_by_rounds():
    fixture = Remote(NEW, [("ask", {})])
    try:
        fixture.submit()
        assert fixture.action, "nothing was asked"
        fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, decision="answer", payload={"colour": "red"})
        answer, state = json.loads(last(fixture.settle(), "tool.result")["payload"]["displayPreview"])
        assert answer == {"action": "accept", "content": {"colour": "red"}} and state == 's"1', (answer, state)
    finally:
        fixture.close()


@both
def trace_context_is_in_meta(revision):
    fixture = Remote(revision, [("said", {})], options=[*BYPASS, "trace=true"])
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    try:
        fixture.status("own", "ready")
        fixture.session = fixture.call("create_session")["sessionId"]
        status, reply = fixture.http.request("POST", "/v1/commands/submit_turn", json.dumps({"sessionId": fixture.session, "input": "go"}), {
            "traceparent": f"00-{trace}-00f067aa0ba902b7-01", "tracestate": "vendor=1", "Content-Type": "application/json"})
        assert status in (200, 202), reply
        fixture.turn = json.loads(reply)["turnId"]
        meta = json.loads(last(fixture.settle(), "tool.result")["payload"]["displayPreview"])["meta"]
        assert meta["traceparent"].split("-")[1] == trace and meta["tracestate"] == "vendor=1", meta
    finally:
        fixture.close()


# ---- broken connections --------------------------------------------------------------------------

@both
def a_call_whose_stream_breaks_is_lost_once(revision):
    fixture = Remote(revision, [("cut", {}), ("echo", {"text": "after"})])
    try:
        lost = fixture.failure()
        assert lost["payload"]["category"] == "lost" and lost["payload"]["executed"] == "unknown", lost
        assert fixture.preview() == "after"
        assert fixture.server.ran == ["cut", "echo"], fixture.server.ran
    finally:
        fixture.close()


@both
def a_call_without_any_response_is_not_sent_again(revision):
    """HTTP libraries repeat a request by themselves if a kept connection closes without a response."""
    fixture = Remote(revision, [("echo", {"text": "before"}), ("vanish", {})], tools=[tool("vanish")])
    try:
        assert fixture.preview() == "before"
        assert fixture.failure()["payload"]["category"] == "lost"
        assert fixture.server.ran == ["echo", "vanish"], fixture.server.ran
    finally:
        fixture.close()


@test
def a_stream_with_an_event_id_is_resumed():
    fixture = Remote(OLD, [("resume", {})])
    try:
        assert fixture.preview() == "resumed after event-7"
        assert fixture.server.ran == ["resume"]
    finally:
        fixture.close()


@both
def a_list_whose_stream_breaks_is_fetched_again(revision):
    fixture = Remote(revision, [("echo", {"text": "a"})])
    try:
        fixture.status("own", "ready")
        fixture.wait("the stream", lambda: fixture.server.streams)
        before = fixture.server.methods().count("tools/list")
        fixture.server.cut_lists = 2
        fixture.server.announce()
        fixture.wait("the list", lambda: fixture.server.methods().count("tools/list") >= before + 3)
        assert fixture.preview() == "a" and fixture.servers()["own"]["restarts"] == 0
    finally:
        fixture.close()


@test
def a_list_that_is_stale_is_fetched_again_when_a_turn_needs_it():
    fixture = Remote(NEW, [("echo", {"text": "a"})] * 4)
    try:
        fixture.status("own", "ready")
        fixture.wait("the stream", lambda: fixture.server.streams)
        fixture.server.ttl_ms = 3600000
        fixture.server.announce()
        fixture.wait("the list", lambda: fixture.server.methods().count("tools/list") >= 2)
        fixture.preview()
        before = fixture.server.methods().count("tools/list")
        assert fixture.preview() == "a" and fixture.server.methods().count("tools/list") == before, "it is fresh"
        fixture.server.ttl_ms = 1
        fixture.server.tools.append(tool("mark", {}))
        fixture.server.announce()
        # Taken, not only sent: a turn that begins in between would wait for this list and fetch no other.
        fixture.until("the list", lambda: "mcp__own__mark" in fixture.tools())
        before = fixture.server.methods().count("tools/list")
        fixture.server.tools.append(tool("late", {}))
        assert fixture.preview() == "a"
        fixture.wait("the next list", lambda: fixture.server.methods().count("tools/list") > before)
        fixture.until("the new tool", lambda: "mcp__own__late" in fixture.tools())
    finally:
        fixture.close()


@test
def a_forgotten_session_is_begun_again_and_the_call_runs_once():
    fixture = Remote(OLD, [("echo", {"text": "one"}), ("echo", {"text": "two"})])
    try:
        assert fixture.preview() == "one"
        fixture.server.session = "forgotten"
        assert fixture.preview() == "two"
        assert fixture.server.sessions == 2 and fixture.server.ran == ["echo", "echo"]
        assert fixture.servers()["own"]["restarts"] == 0
    finally:
        fixture.close()


@both
def an_interrupt_ends_the_call_at_the_server(revision):
    fixture = Remote(revision, [("never", {})])
    try:
        fixture.submit(wait=False)
        fixture.wait("the call", lambda: fixture.server.ran)
        fixture.wait("its progress", lambda: any(e["type"] == "tool.progress" and e["payload"]["kind"] == "progress" for e in fixture.events()))
        fixture.call("interrupt_turn", sessionId=fixture.session, turnId=fixture.turn)
        assert last(fixture.settle(), "tool.failed")["payload"]["category"] == "interrupted"
        fixture.wait("the end of the stream", lambda: any(i is not None for i in fixture.server.left))
        if revision == OLD:
            fixture.wait("the notification", lambda: "notifications/cancelled" in fixture.server.methods())
        else:
            assert "notifications/cancelled" not in fixture.server.methods()
    finally:
        fixture.close()


class Program:
    """The server as a process that can be killed."""

    def __init__(self, revision):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.revision = revision
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "http_server.py"), str(self.port), self.revision], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url, "the server did not start"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@both
def a_killed_server_loses_the_call_and_comes_back(revision):
    program = Program(revision)
    fixture = Fixture({"own": {"url": program.url}}, [("mcp__own__never", {}), ("mcp__own__echo", {"text": "again"})], options=BYPASS)
    try:
        fixture.submit(wait=False)
        fixture.until("the call", lambda: any(e["type"] == "tool.progress" and e["payload"]["kind"] == "progress" for e in fixture.events()))
        program.kill()
        assert last(fixture.settle(), "tool.failed")["payload"]["category"] == "lost"
        fixture.status("own", "down")
        program.start()
        fixture.status("own", "ready")
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "again"
        fixture.until("the channel's return", lambda: "channel.resumed" in [
            e["type"] for e in fixture.events("sess_system") if e.get("channel", {}).get("peerRole") == "tool_server"])
    finally:
        fixture.close()
        program.kill()


@both
def a_killed_daemon_loses_the_call_and_does_not_repeat_it(revision):
    fixture = Remote(revision, [("never", {}), ("echo", {"text": "again"})])
    try:
        fixture.submit(wait=False)
        fixture.wait("the call", lambda: any(e["type"] == "tool.progress" and e["payload"]["kind"] == "progress" for e in fixture.events()))
        fixture.restart()
        fixture.wait("the lost call", lambda: [e for e in fixture.events() if e["type"] == "tool.failed" and e["payload"]["category"] == "lost"])
        fixture.status("own", "ready")
        assert fixture.server.ran == ["never"], fixture.server.ran
    finally:
        fixture.close()


# ---- what is refused -----------------------------------------------------------------------------

@both
def messages_without_end_are_bounded(revision):
    fixture = Remote(revision, [("huge", {}), ("huge", {"stream": True}), ("echo", {"text": "after"})])
    try:
        for _ in range(2):
            assert "larger than it may be" in fixture.failure()["statusReason"]
        assert fixture.preview() == "after"
    finally:
        fixture.close()


@test
def answers_that_are_none_say_why():
    for path, status, word in (("/redirect", "down", "redirects are not followed"), ("/status/401", "login_required", "requires a login"),
                               ("/status/503", "down", "HTTP 503")):
        fixture = Remote(OLD, path=path)
        try:
            row = fixture.status("own", status)
            assert word in row["detail"], row
            assert set(fixture.server.methods()) == {"server/discover"}, "neither is a sign of the older revision"
        finally:
            fixture.close()


@test
def the_revision_can_be_pinned():
    fixture = Remote(OLD, [("echo", {"text": "a"})], protocol=OLD)
    try:
        assert fixture.preview() == "a" and "server/discover" not in fixture.server.methods()
    finally:
        fixture.close()


@test
def headers_of_the_settings_are_expanded_and_sent():
    fixture = Remote(NEW, [("said", {})], headers={"Authorization": "Bearer ${MCP_HTTP_TOKEN}", "X-Two": "${NOT_SET_AT_ALL:-two}"},
                     env={"MCP_HTTP_TOKEN": "s3cret-token"})
    try:
        assert "[redacted]" in fixture.preview(), "a secret of the settings is in the log"
        head = fixture.server.requests[-1][1]
        assert head["authorization"] == "Bearer s3cret-token" and head["x-two"] == "two", head
        row = fixture.servers()["own"]
        assert row["headers"] == ["Authorization", "X-Two"] and "s3cret" not in json.dumps(row), row
    finally:
        fixture.close()


@test
def a_missing_variable_keeps_the_server_from_connecting():
    fixture = Remote(NEW, headers={"Authorization": "Bearer ${NOT_SET_AT_ALL}"})
    try:
        row = fixture.servers()["own"]
        assert row["status"] == "unsupported" and "NOT_SET_AT_ALL" in row["detail"], row
        assert not fixture.server.requests
    finally:
        fixture.close()


@test
def invalid_entries_of_the_settings_are_refused():
    entries = [{"url": "ftp://127.0.0.1/"}, {"url": "http://user:word@127.0.0.1/"}, {"url": "http://127.0.0.1/ x"}, {"type": "http"},
               {"url": "http://127.0.0.1/", "headers": {"X": "a\r\nB: c"}}, {"url": "http://127.0.0.1/", "headers": {"Host": "x"}},
               {"url": "http://127.0.0.1/", "headers": {"Mcp-Session-Id": "x"}}, {"url": "http://127.0.0.1/", "command": "true"},
               {"url": "http://127.0.0.1/", "headers": {"X": "${MCP_HTTP_LINES}"}}]
    for entry in entries:
        with tempfile.TemporaryDirectory(prefix="thole-mcp-") as data:
            p = subprocess.run([f"{Fixture.build}/thole", "serve", "--data", data, "-c", f"mcp.servers={json.dumps({'own': entry})}"],
                               capture_output=True, text=True, timeout=DEADLINE_S, env={**os.environ, "MCP_HTTP_LINES": "a\nb"})
        assert p.returncode and "mcp server own" in p.stderr, (entry, p)


def project(**servers):
    return json.dumps({"mcpServers": servers})


@test
def a_projects_address_needs_trust_and_must_be_public():
    server = Server(OLD)
    text = project(web={"type": "http", "url": server.url, "headers": {"X-Project": "yes"}},
                   sneaky={"type": "http", "url": server.url, "headers": {"Authorization": "${HOME}"}})
    fixture = Fixture(project=text, calls=[("mcp__web__echo", {"text": "hi"})], options=BYPASS)
    try:
        rows = fixture.servers()
        assert rows["web"]["status"] == "untrusted" and rows["web"]["headers"] == ["X-Project"] and rows["web"]["url"] == server.url, rows
        assert rows["sneaky"]["status"] == "unsupported" and "your own settings" in rows["sneaky"]["detail"], rows
        fixture.call("trust_tool_server", server="web", contentHash=rows["web"]["contentHash"])
        row = fixture.status("web", "down")
        assert not server.requests, "a private address was reached"
        port = server.server_address[1]
        fixture.restart(f'peers.allow_hosts=["127.0.0.1:{port}"]')
        fixture.status("web", "ready")
        assert last(fixture.submit(), "tool.result")["payload"]["displayPreview"] == "hi", row
        assert all(h.get("x-project") == "yes" for v, h, _ in server.requests if v == "POST")
        assert fixture.servers()["sneaky"]["status"] == "unsupported"
        # Another text stops the server, which ends its session.
        (fixture.work / ".mcp.json").write_text(text + " ")
        assert fixture.servers()["web"]["status"] == "untrusted"
        fixture.until("the end of the session", lambda: ("DELETE", "session-1") in [(v, h.get("mcp-session-id")) for v, h, _ in server.requests])
    finally:
        fixture.close()
        server.close()


# ---- an official server --------------------------------------------------------------------------

@test
def server_everything_over_http():
    program = HERE / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    if not program.exists() or not shutil.which("node"):
        raise Skip("npm has not fetched it into tests/mcp")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen(["node", str(program), "streamableHttp"], env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    fixture = None
    try:
        fixture = Fixture({"all": {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}}, [("mcp__all__echo", {"message": "hello"})], options=BYPASS)
        row = fixture.status("all", "ready")
        assert row["protocolVersion"] == OLD and row["toolCount"] > 3, row
        assert "hello" in last(fixture.submit(), "tool.result")["payload"]["displayPreview"]
    finally:
        if fixture:
            fixture.close()
        p.send_signal(signal.SIGKILL)
        p.wait()


def main():
    return play(tests, sys.argv[2:], "mcp http: ")


if __name__ == "__main__":
    sys.exit(main())
