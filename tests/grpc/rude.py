"""Callers of thole-grpc that do wrong, with HTTP/2 frames by hand: each gets its error, and memory and descriptors return to their level."""
import functools
import os
import signal
import socket
import struct
import time

from grpc_fixture import (ACK, Adapter, CONTINUATION, DATA, DEADLINE_S, END_HEADERS, END_STREAM, GOAWAY, H2, HEADERS, PING, PREFACE, PRIORITY, RST, SETTINGS, World,
                          fields, frame, integer, literal, message, text_field, until)
from tap import Skip

CALM = 11  # ENHANCE_YOUR_CALM
STALL_S = 50  # thole-grpc ends a call that gets no answer for 60 s
OK, INVALID, DEADLINE, NOT_FOUND, EXHAUSTED, PRECONDITION, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, UNAUTHENTICATED = 0, 3, 4, 5, 8, 9, 12, 13, 14, 16
tests = []


def known(w, name="caller"):
    """Metadata of a caller that the runtime knows."""
    return ("authorization", "Bearer " + w.token(name)), ("a2a-version", "1.0")


def test(f, is_last=False):
    def run():
        with World() as w, Adapter("--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{w.daemon.port}") as a:
            me = known(w)
            with H2(a.port) as h:
                status(h, OK, "GetExtendedAgentCard", b"", *me)
            f(w, a, me)
            if is_last:
                return
            # Whatever it was, the next caller is served.
            with H2(a.port) as h:
                status(h, OK, "GetExtendedAgentCard", b"", *known(w, "next"))
    functools.update_wrapper(run, f)
    tests.append(run)
    return f


def last(f):
    """The runtime does not survive it."""
    return test(f, is_last=True)


def status(h, expected, *rest, **more):
    """Makes a call and returns its headers and trailers."""
    found, _ = h.call(*rest, **more)
    assert found.get("grpc-status") == str(expected), (expected, found)
    return found


def check_level(a, before, more_kib=4096):
    """Descriptors are as before, and memory is, seconds after the last connection has closed."""
    until("descriptors as before", lambda: a.descriptors() <= before[0])
    until("memory as before", lambda: a.memory_kib() <= before[1] + more_kib)


@test
def heads_that_are_wrong_get_their_error(w, a, me):
    with H2(a.port) as h:
        assert status(h, UNIMPLEMENTED, "NoSuchMethod")["content-type"] == "application/grpc"
        status(h, UNIMPLEMENTED, path="/other.Service/GetTask")
        found = status(h, UNIMPLEMENTED, "GetTask", b"", ("grpc-encoding", "gzip"))
        assert found["grpc-accept-encoding"] == "identity", found
        status(h, INVALID, "GetTask", b"", ("grpc-timeout", "soon"))
        status(h, INVALID, "GetTask", b"", ("authorization", "Bearer a"), ("authorization", "Bearer b"))
        status(h, EXHAUSTED, "GetTask", b"", ("x-large", "a" * 8000), ("x-larger", "a" * 8000), ("x-last", "a" * 100))
        found, _ = h.call("GetTask", content_type="application/json")
        assert found == {":status": "415"}, found
        found, _ = h.call("GetTask", content_type="application/grpc-web")
        assert found == {":status": "415"}, found
        found, _ = h.call("GetTask", verb="GET")
        assert found == {":status": "405"}, found
        found = status(h, UNAUTHENTICATED, "GetTask", text_field(2, "x"))
        assert "Bearer" in found["grpc-message"], found
        status(h, UNAUTHENTICATED, "ListTasks", b"", ("authorization", "Bearer nonsense"))
        found = status(h, PRECONDITION, "ListTasks", b"", me[0], ("a2a-version", "0.3"))
        assert "grpc-status-details-bin" in found, found


@test
def messages_that_are_wrong_get_their_error(w, a, me):
    deep = b"\x20\x01"
    for _ in range(1500):
        deep = text_field(6, text_field(1, deep))
    with H2(a.port) as h:
        status(h, INVALID, "GetTask", b"", *me)                                # no id
        status(h, INVALID, "GetTask", text_field(2, "x:cancel"), *me)
        status(h, INVALID, "GetTask", text_field(2, "a/../../../v1/sessions"), *me)
        status(h, INVALID, "GetTask", text_field(2, "x") + text_field(1, "a/b"), *me)  # tenant
        status(h, NOT_FOUND, "GetTask", text_field(2, "x"), *me)
        status(h, INVALID, "GetTask", b"\x12\x05ab", *me)                      # shorter than it says
        status(h, INVALID, "GetTask", b"\x13\x14", *me)                        # a group
        status(h, INVALID, "GetTask", text_field(2, b"\xc3\x28"), *me)         # not UTF-8
        status(h, INVALID, "SendMessage", text_field(2, text_field(5, text_field(4, deep))), *me)
        status(h, INTERNAL, "GetTask", b"", *me, body=message(b"ab", 1))       # compressed
        status(h, INTERNAL, "GetTask", b"", *me, body=message(b"ab", 7))
        status(h, INVALID, "GetTask", b"", *me, body=b"")
        status(h, INVALID, "GetTask", b"", *me, body=b"\0\0\0")                # half a head
        status(h, INVALID, "GetTask", b"", *me, body=message(b"ab")[:-1])
        status(h, INVALID, "GetTask", b"", *me, body=message(text_field(2, "x")) * 2)
        status(h, EXHAUSTED, "GetTask", b"", *me, body=b"\0\xff\xff\xff\xff")
        status(h, INVALID, "SendMessage", text_field(2, text_field(1, "m")), *me)  # the runtime's own error


def send_whole(h, head, body):
    stream = h.next_stream
    h.next_stream += 2
    h.send(frame(HEADERS, END_HEADERS, stream, head))
    for at in range(0, len(body), 16384):
        h.wait_window(stream)
        h.send(frame(DATA, END_STREAM if at + 16384 >= len(body) else 0, stream, body[at:at + 16384]))
    return stream


def text_message(text):
    return message(text_field(2, text_field(1, "m") + b"\x20\x01" + text_field(5, text_field(1, text))))


@test
def a_message_that_the_runtime_finds_too_large_is_refused(w, a, me):
    with H2(a.port) as h:
        stream = send_whole(h, fields("SendMessage", *me), text_message("x" * 2_000_000))
        found, _ = h.answer(stream)
        assert found["grpc-status"] == str(EXHAUSTED), found


def refused_while_sending(h, head, body):
    """Sends one call; its trailers, if it ended before the runtime was asked.  A ping behind it tells that it was read, and
    a second one that what followed from it was sent: the answer to a ping overtakes what waits."""
    sent, found, pings = 0, None, 0
    h.send(frame(HEADERS, END_HEADERS, 1, head))
    h.windows[1] = 262144
    for kind, flags, at, payload in h.frames():
        if at == 1 and kind == HEADERS:
            found = (found or {}) | h.inflater.read(payload)
        if kind == PING and flags & ACK:
            pings += 1
            h.send(frame(PING, 0, 0, b"12345678"))
        if pings == 2 or (found and flags & END_STREAM) or kind == RST:
            return found
        while h.is_greeted and sent < len(body) and min(h.windows[0], h.windows[1]) >= 16384:
            part, sent = body[sent:sent + 16384], sent + 16384
            h.windows[0], h.windows[1] = h.windows[0] - len(part), h.windows[1] - len(part)
            h.send(frame(DATA, END_STREAM if sent >= len(body) else 0, 1, part))
            if sent >= len(body):
                h.send(frame(PING, 0, 0, b"12345678"))
    return found


@test
def bodies_that_the_runtime_does_not_take_are_counted(w, a, me):
    # Each of these bytes is six in JSON: larger than any body of the runtime, so it is not asked at all.
    with H2(a.port) as h:
        found, _ = h.answer(send_whole(h, fields("SendMessage", *me), text_message(b"\x01" * 300_000)))
        assert found["grpc-status"] == str(EXHAUSTED) and "larger than the runtime takes" in found["grpc-message"], found
    # 0.9 MB of JSON each, while the runtime answers nothing: what does not fit any more is refused at once.
    body, conns, refused = text_message(b"\x01" * 150_000), [], None
    pid, began = w.daemon.process.pid, time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    try:
        while not refused and len(conns) < 200:
            conns.append(H2(a.port))
            refused = refused_while_sending(conns[-1], fields("SendMessage", ("a2a-version", "1.0")), body)
            if time.monotonic() - began > STALL_S and not refused:
                raise Skip("this machine is so busy that the first calls ended before the last ones were sent")
        assert refused and "Too much data" in refused["grpc-message"], (refused, len(conns))
        assert a.memory_kib() < 150_000, a.memory_kib()
    finally:
        os.kill(pid, signal.SIGCONT)
        for h in conns:
            h.close()
    with H2(a.port) as h:
        until("calls are taken again", lambda: h.call("GetTask", text_field(2, "x"), *me)[0]["grpc-status"] == str(NOT_FOUND))


@test
def a_bomb_of_headers_ends_the_connection(w, a, me):
    before = a.level()
    with H2(a.port) as h:
        # One field of 4000 bytes in the table, then 4000 references of one byte each: 16 MB of headers in one frame.
        block = fields("GetTask") + literal("x-bomb", "b" * 3900, 0x40) + integer(62, 7, 0x80) * 4000
        h.send(frame(HEADERS, END_HEADERS, 1, block))
        assert h.until_over() and h.goaway == CALM, h.goaway
    check_level(a, before)


@test
def headers_without_an_end_do_not_pile_up(w, a, me):
    before = a.level()
    with H2(a.port) as h:
        h.send(frame(HEADERS, 0, 1, fields("GetTask")))
        for i in range(3000):
            h.send(frame(CONTINUATION, 0, 1, literal(f"x-{i}", "c" * 500)))
            if h.is_over:
                break
        assert h.until_over()
    check_level(a, before)


@test
def rapid_resets_end_the_connection(w, a, me):
    before = a.level()
    with H2(a.port) as h:
        body = message(text_field(2, "x"))
        for i in range(20000):
            stream = 1 + 2 * i
            h.send(frame(HEADERS, END_HEADERS, stream, fields("GetTask", *me)) + frame(DATA, END_STREAM, stream, body) + frame(RST, 0, stream, struct.pack(">I", 8)))
            if h.is_over:
                break
        assert h.until_over()
        assert h.is_over and h.goaway in (CALM, None), h.goaway
    check_level(a, before)


def flood(port, one, count=20000):
    with H2(port) as h:
        for _ in range(count // 100):
            h.send(one * 100)
            if h.is_over:
                break
        assert h.until_over()
        return h.goaway


@test
def floods_of_control_frames_end_the_connection(w, a, me):
    before = a.level()
    for name, one in (("ping", frame(PING, 0, 0, b"12345678")), ("settings", frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 100))),
                      ("priority", frame(PRIORITY, 0, 3, struct.pack(">IB", 0, 1)))):
        assert flood(a.port, one) in (CALM, None), name
    with H2(a.port) as h:
        h.send(frame(HEADERS, END_HEADERS, 1, fields("GetTask", *me)))
        h.send(frame(DATA, 0, 1) * 5000)
        assert h.until_over() and h.goaway in (CALM, None), h.goaway
    check_level(a, before)


@test
def bytes_that_are_not_http2_are_refused(w, a, me):
    before = a.level()
    for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"\0" * 100, PREFACE + b"\xff" * 200,
                 PREFACE + frame(DATA, 0, 0, b"x"), PREFACE + frame(SETTINGS, 0, 0, b"odd"), PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 2, fields()),
                 PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff"), PREFACE + frame(SETTINGS, 0, 0) + frame(GOAWAY, 0, 1, b"")):
        with H2(a.port, greet=False) as h:
            h.send(data)
            assert h.until_over(), data[:40]
    # Cut at every byte: nothing happens, and nothing stays.
    whole = PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, fields("GetTask", *me)) + frame(DATA, END_STREAM, 1, message(text_field(2, "x")))
    for cut in range(0, len(whole), 3):
        s = socket.create_connection(("127.0.0.1", a.port), timeout=DEADLINE_S)
        s.sendall(whole[:cut])
        s.close()
    check_level(a, before)


@test
def a_request_in_single_bytes_is_the_same_request(w, a, me):
    whole = frame(HEADERS, END_HEADERS, 1, fields("GetTask", *me)) + b"".join(frame(DATA, 0, 1, bytes([b])) for b in message(text_field(2, "x"))) + frame(DATA, END_STREAM, 1)
    with H2(a.port) as h:
        for b in whole:
            h.send(bytes([b]))
        found, _ = h.answer(1)
        assert found["grpc-status"] == str(NOT_FOUND), found


@test
def connections_are_limited(w, a, me):
    before = a.level()
    held = [socket.create_connection(("127.0.0.1", a.port), timeout=DEADLINE_S) for _ in range(1200)]
    until("some are closed", lambda: a.descriptors() <= before[0] + 1024 and a.descriptors() >= 1000)
    for s in held:
        s.close()
    check_level(a, before)


@test
def calls_of_one_connection_are_limited(w, a, me):
    with H2(a.port) as h:
        for i in range(150):
            h.send(frame(HEADERS, END_HEADERS, 1 + 2 * i, fields("SendMessage", *me)))  # its message never comes
        refused = set()
        for kind, _, stream, payload in h.frames():
            if kind == RST:
                refused.add(stream)
                assert int.from_bytes(payload, "big") == 7, payload  # REFUSED_STREAM
            if len(refused) == 50:
                break
        assert len(refused) == 50, len(refused)


@test
def a_deadline_ends_a_call_here_and_there(w, a, me):
    body = text_field(2, text_field(1, "m-deadline") + b"\x20\x01" + text_field(5, text_field(1, "hang")))
    before = a.level()
    with H2(a.port) as h:
        found = status(h, DEADLINE, "SendMessage", body, *me, ("grpc-timeout", "300m"))
        assert "deadline" in found["grpc-message"], found
        status(h, DEADLINE, "SendStreamingMessage", body, *me, ("grpc-timeout", "300m"))
    check_level(a, before)


@test
def a_caller_that_goes_ends_the_stream_of_the_runtime(w, a, me):
    body = message(text_field(2, text_field(1, "m-gone") + b"\x20\x01" + text_field(5, text_field(1, "hang"))))
    before = a.level()
    with H2(a.port) as h:
        stream = h.open(fields("SendStreamingMessage", *me), body)
        for kind, _, at, _ in h.frames():
            if kind == DATA and at == stream:
                break
        during = a.descriptors()
        h.send(frame(RST, 0, stream, struct.pack(">I", 8)))
        until("the side of the runtime is closed", lambda: a.descriptors() == during - 1)
    check_level(a, before)


@test
def a_slow_reader_holds_a_bounded_amount(w, a, me):
    """A reader without window: the adapter takes 64 KiB of a long stream, pauses, and continues when there is a window again."""
    task = text_field(2, text_field(1, "m-slow") + b"\x20\x01" + text_field(5, text_field(1, "steady")))
    with H2(a.port, settings=struct.pack(">HI", 4, 0)) as h:
        stream = h.open(fields("SendStreamingMessage", *me), message(task))
        heads = [k for k, _, at, _ in h.frames(0.5) if at == stream]
        assert heads == [HEADERS], heads
        h.send(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535)))
        got = b""
        for kind, flags, at, payload in h.frames():
            if at == stream and kind == DATA:
                got += payload
            if len(got) > 200:
                break
        assert got[0] == 0 and len(got) > 200


@last
def a_runtime_that_is_gone_is_unavailable(w, a, me):
    with H2(a.port) as h:
        w.daemon.kill()
        found = status(h, UNAVAILABLE, "ListTasks", b"", *me)
        assert "cannot be reached" in found["grpc-message"], found


@last
def a_stream_that_breaks_is_unavailable(w, a, me):
    body = message(text_field(2, text_field(1, "m-broken") + b"\x20\x01" + text_field(5, text_field(1, "hang"))))
    with H2(a.port) as h:
        stream = h.open(fields("SendStreamingMessage", *me), body)
        for kind, _, at, _ in h.frames():
            if kind == DATA and at == stream:
                break
        w.daemon.kill()
        found, _ = h.answer(stream)
        assert found["grpc-status"] == str(UNAVAILABLE), found


@test
def pings_are_answered(w, a, me):
    with H2(a.port) as h:
        h.send(frame(PING, 0, 0, b"12345678"))
        assert any(k == PING and f & ACK and p == b"12345678" for k, f, _, p in h.frames(DEADLINE_S) if k == PING)
