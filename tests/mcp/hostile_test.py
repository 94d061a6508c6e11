#!/usr/bin/env python3
"""Tool servers with an address that break the rules, against the real daemon: session ids that are no header's value, lists and streams without an end.

usage: hostile_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import pathlib
import re
import sys

from http_hostile import LISTS, HostileServer
from http_server import NEW, OLD, tool
from http_test import BYPASS, Remote
from tool_fixture import Fixture, last
from tap import long, play  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGES = {"tools/list": 64, "resources/list": 256, "resources/templates/list": 256, "prompts/list": 256}
tests = []


def test(f):
    tests.append(f)
    return f


class Hostile(Remote):
    kind = HostileServer

    def __init__(self, revision, calls=(), server=(), **more):
        more.setdefault("tools", [tool(n) for n in ("comments", "deltas", "messages", "line", "event_id", "kinds")])
        self.wanted = dict(server)
        super().__init__(revision, calls, **more)

    def prepare(self, calls, options):
        for name, value in self.wanted.items():
            setattr(self.server, name, value)
        return super().prepare(calls, options)

    def peak(self):
        """The most memory that the daemon had, in bytes."""
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.daemon.process.pid}/status").read_text())[1]) << 10

    def interrupted(self):
        self.call("interrupt_turn", sessionId=self.session, turnId=self.turn)
        return last(self.settle(), "tool.failed")["payload"]["category"]


# ---- session ids -----------------------------------------------------------------------------------

def injected(fixture):
    """Requests with a header that the server's words have made, or with an id that is none."""
    return [h for _, h, _ in fixture.server.requests if "x-injected" in h or not re.fullmatch("[!-~]{0,1024}", h.get("mcp-session-id", ""))]


@test
def session_ids_that_are_no_headers_value_end_the_connection():
    for session in (b"a\rX-Injected: 1", b"a\x01b", b"a b", b"a\tb", b"a\x7fb", "sitzung-ä".encode(), b"s" * 1025, b"s" * 10240):
        fixture = Hostile(OLD, server={"session_bytes": session})
        try:
            row = fixture.status("own", "down")
            assert "Mcp-Session-Id" in row["detail"], (session[:20], row)
            assert not injected(fixture) and "tools/list" not in fixture.server.methods(), (session[:20], fixture.server.requests)
        finally:
            fixture.close()


@test
def a_session_id_of_several_lines_makes_no_header_of_a_request():
    for session in (b"a\r\nX-Injected: 1", b"a\nX-Injected: 1", b"a\r\n X-Injected: 1", b"a\r\n\tX-Injected: 1", b"a\x00b"):
        fixture = Hostile(OLD, server={"session_bytes": session})
        try:
            fixture.status("own", "down")
            assert not injected(fixture), (session, injected(fixture))
        finally:
            fixture.close()


@test
def an_empty_session_id_is_none():
    fixture = Hostile(OLD, [("echo", {"text": "hello"})], server={"session_bytes": b""})
    try:
        assert fixture.preview() == "hello"
        assert not any("mcp-session-id" in h for _, h, _ in fixture.server.requests)
    finally:
        fixture.close()


@test
def an_event_id_that_is_no_headers_value_is_not_sent_back():
    ids = [{"bytes": [1]}, {"bytes": [97, 32, 98]}, {"bytes": [97], "times": 10240}, {"bytes": [195, 164]}, {"bytes": [97, 0, 98]}]
    fixture = Hostile(OLD, [("event_id", i) for i in ids])
    try:
        for i in ids:
            assert fixture.failure()["payload"]["category"] == "lost", i
        assert not any("last-event-id" in h for _, h, _ in fixture.server.requests)
    finally:
        fixture.close()


@test
def names_and_arguments_of_several_lines_make_no_header():
    text = "a\r\nX-Injected: 1"
    bad = tool("bad", {"a": {"type": "string", "x-mcp-header": text}})
    fixture = Hostile(NEW, [("said", {"region": text})], tools=[bad, tool("two\r\nX-Injected: 1")])
    try:
        fixture.preview()
        assert not [n for n in fixture.tools() if n.startswith(("mcp__own__bad", "mcp__own__two"))], "neither is a name that a header may have"
        assert any("mcp-param-region" in h for _, h, _ in fixture.server.requests) and not injected(fixture)
    finally:
        fixture.close()


# ---- lists without an end --------------------------------------------------------------------------

def lists_end(fixture, listed, method, is_same):
    """The list was asked for as often as its limit says, and no more for one try; the reason is in a message."""
    if method == "tools/list":
        row = fixture.until("the end of the list", lambda: (lambda r: r if "does not end" in r.get("detail", "") else None)(fixture.servers()["own"]))
        assert row["toolCount"] == 0, row
    else:
        fixture.until("the message", lambda: any(f"{method} does not end" in line for line in fixture.daemon.log))
        assert fixture.servers()["own"]["status"] == "ready"
    cursors = listed()[method]
    first_try = cursors[:cursors.index("0", 1)] if "0" in cursors[1:] else cursors
    assert len(first_try) <= PAGES[method], len(first_try)
    assert is_same == (len(set(first_try)) == 2), first_try[:5]


def over_http(revision, method, is_same):
    fixture = Hostile(revision, server={"pages": [method], "is_same_cursor": is_same})
    try:
        lists_end(fixture, lambda: fixture.server.listed, method, is_same)
    finally:
        fixture.close()


def over_stdio(method, is_same):
    entry = {"command": "/usr/bin/python3", "args": [str(HERE / "offer_hostile.py"), f"{'same' if is_same else 'new'}:{method}"], "read": [str(HERE)]}
    fixture = Fixture({"own": entry}, options=BYPASS)
    try:
        if method == "tools/list":
            row = fixture.until("the end of the list", lambda: (lambda r: r if "does not end" in r.get("detail", "") else None)(fixture.servers()["own"]))
            assert row["toolCount"] == 0, row
        else:
            fixture.until("the message", lambda: any(f"{method} does not end" in line for line in fixture.daemon.log))
            assert fixture.servers()["own"]["status"] == "ready"
    finally:
        fixture.close()


def lists_without_end():
    for method in LISTS:
        for is_same in (True, False):
            word = f"{LISTS[method]}_with_{'the_same_cursor' if is_same else 'ever_new_cursors'}"
            for revision in (OLD, NEW):
                def remote(revision=revision, method=method, is_same=is_same):
                    over_http(revision, method, is_same)
                remote.__name__ = f"a_list_of_{word}_ends_in_{revision}"
                test(remote)

            def local(method=method, is_same=is_same):
                over_stdio(method, is_same)
            local.__name__ = f"a_programs_list_of_{word}_ends"
            test(local)


lists_without_end()


# ---- streams without an end ------------------------------------------------------------------------

@test
@long
def a_greeting_without_an_answer_ends():
    fixture = Hostile(OLD, server={"greeting": "comments"})
    try:
        assert "did not answer in time" in fixture.status("own", "down")["detail"]
        fixture.wait("the end of the stream", lambda: fixture.server.left)
    finally:
        fixture.close()


def revisions(f):
    for revision in (OLD, NEW):
        def one(revision=revision):
            f(revision)
        one.__name__ = f"{f.__name__}_in_{revision}"
        test(one)
    return f


@revisions
def a_stream_of_comments_ends_with_the_timeout(revision):
    fixture = Hostile(revision, [("comments", {}), ("messages", {}), ("echo", {"text": "after"})], timeout_ms=1500)
    try:
        assert fixture.failure()["payload"]["category"] == "timeout"
        # In 2025-11-25 a server may send requests; one that sends more than can be answered loses its connection.
        assert fixture.failure()["payload"]["category"] in (["timeout"] if revision == NEW else ["timeout", "lost"])
        fixture.wait("the ends of the streams", lambda: len([i for i in fixture.server.left if i is not None]) >= 2)
        fixture.status("own", "ready")
        assert fixture.preview() == "after" and fixture.peak() < 100 << 20, fixture.peak()
    finally:
        fixture.close()


@revisions
def progress_without_end_ends_with_the_time_of_the_call(revision):
    fixture = Hostile(revision, [("deltas", {}), ("echo", {"text": "after"})], timeout_ms=1500, total_ms=3000)
    try:
        events = fixture.submit()
        assert last(events, "tool.failed")["payload"]["category"] == "timeout"
        shown = sum(e["type"] == "tool.progress" for e in events)
        assert 1 <= shown <= 40, shown
        fixture.wait("the end of the stream", lambda: fixture.server.left)
        assert fixture.preview() == "after" and fixture.peak() < 100 << 20, fixture.peak()
    finally:
        fixture.close()


@revisions
def an_interrupt_ends_each_stream_without_end(revision):
    fixture = Hostile(revision, [(n, {}) for n in ("comments", "messages", "deltas")])
    try:
        for n in range(3):
            fixture.submit(wait=False)
            fixture.wait("the call", lambda: len(fixture.server.ran) == n + 1)
            assert fixture.interrupted() == "interrupted"
            fixture.wait("the end of the stream", lambda: len([i for i in fixture.server.left if i is not None]) == n + 1)
    finally:
        fixture.close()


@revisions
def lines_of_100_megabytes_are_not_kept(revision):
    begins = ["data: ", ": ", "nonsense", "id: ", "event: "]
    fixture = Hostile(revision, [("line", {"begins": b}) for b in begins] + [("echo", {"text": "after"})])
    try:
        for b in begins:
            failed = fixture.failure()
            assert "larger than it may be" in failed["statusReason"] and failed["payload"]["category"] == "lost", (b, failed)
        assert fixture.preview() == "after"
        assert fixture.peak() < 120 << 20, fixture.peak()
    finally:
        fixture.close()


# ---- unknown kinds ---------------------------------------------------------------------------------

UNKNOWN = [{"type": "video", "data": "x"}, {"type": "somethingNew"}, {"type": 7}, {"text": "without a type"}, {}, "text", 7, None, ["x"], {"type": "text"}, {"type": "text", "text": 7},
           {"type": "image", "data": "***", "mimeType": "image/png"}, {"type": "image"}, {"type": "resource"}, {"type": "resource", "resource": 7}, {"type": "resource_link"}]


@revisions
def content_of_unknown_kinds_leaves_what_is_known(revision):
    fixture = Hostile(revision, [("kinds", {"content": [{"type": "text", "text": "before"}, part, {"type": "text", "text": "after"}]}) for part in UNKNOWN] + [("kinds", {"content": UNKNOWN})])
    try:
        for part in UNKNOWN:
            events = fixture.submit()
            preview = last(events, "tool.result")["payload"]["displayPreview"]
            assert preview.startswith("before") and preview.endswith("after"), (part, preview)
            assert last(events, "turn.completed")
        assert last(fixture.submit(), "turn.completed")
        assert fixture.servers()["own"]["restarts"] == 0
    finally:
        fixture.close()


def main():
    Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    return play(tests, sys.argv[2:], "mcp hostile: ")


if __name__ == "__main__":
    sys.exit(main())
