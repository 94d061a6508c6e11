"""Bad input: it is refused with its problem code or a closed connection, and changes nothing."""
import http.client
import json
import os
import socket

from contract_fixture import DEADLINE_S, Wrong, need, rows, same

DEEP = '{"input":' + "[" * 200 + "]" * 200 + "}"


def post(fixture, command, body, **headers):
    """(status, code) of a body as it is."""
    c = fixture.connection()
    c.request("POST", "/v1/commands/" + command, body,
              {"Authorization": "Bearer " + fixture.transport.token, "Content-Type": "application/json",
               **{k.replace("_", "-"): v for k, v in headers.items()}})
    r = c.getresponse()
    data = r.read()
    c.close()
    code = json.loads(data).get("code")
    fixture.calls.append({"call": command, "params": {}, "code": code, "reply": json.loads(data)})
    return r.status, code


def exchange(fixture, text, timeout=DEADLINE_S):
    """Bytes on a plain connection; everything that comes back until it is closed."""
    s = socket.create_connection(("127.0.0.1", fixture.daemon.port), timeout)
    s.sendall(text)
    out = b""
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                return out
            out += piece
    except socket.timeout:
        return out
    except ConnectionResetError:
        return out
    finally:
        s.close()


def spent(fixture):
    """Descriptors, and resident kilobytes."""
    pid = fixture.daemon.process.pid
    with open(f"/proc/{pid}/status") as f:
        rss = next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), rss


@rows()
def check_bodies_that_are_no_good(fixture):
    made = fixture.call("create_session", title="still")
    before = fixture.raw(made["sessionId"])
    table = [
        (400, "invalid_json", '{"input":'),
        (400, "invalid_json", '{"input":"x"} extra'),
        (400, "invalid_json", DEEP),
        (400, "invalid_json", '{"input":"a","input":"b"}'),
        (400, "invalid_json", b'{"input":"\xff\xfe"}'),
        (400, "invalid_json", '{"input":"x","budgetUsd":1e999}'),
        (400, "invalid_json", "{'input':'x'}"),
        (400, "invalid_json", '{"input":"\\ud800"}'),
        (400, "invalid_request", "[]"),
        (400, "invalid_request", '"text"'),
        (400, "unknown_field", '{"input":"x","nonsense":1}'),
        (400, "missing_field", "{}"),
        (400, "invalid_type", '{"input":"x","sessionId":5}'),
        (400, "invalid_id", '{"input":"x","sessionId":"../etc/passwd"}'),
        (400, "invalid_id", '{"input":"x","sessionId":"a\\u0000b"}'),
        (413, "too_large", '{"input":"x","sessionId":"' + "a" * 300 + '"}'),
        (400, "invalid_value", '{"input":"x","delivery":"pigeon"}'),
        (413, "payload_too_large", '{"input":"' + "x" * 1100000 + '"}'),
    ]
    for status, code, body in table:
        got = post(fixture, "submit_turn", body)
        need(got[1] == code and got[0] // 100 == 4, f"{body[:60]!r}: {got}, wanted {(status, code)}")
    for number in ("99999999999999999999", "1.5", "-1", "0"):
        got = post(fixture, "list_events", '{"sessionId":"%s","limit":%s}' % (made["sessionId"], number))
        need(got[1] in ("invalid_type", "invalid_value", "invalid_json"), f"limit {number}: {got}")
    same(post(fixture, "submit_turn", "input=x", Content_Type="application/x-www-form-urlencoded"), (415, "unsupported_media_type"), "a form")
    same(post(fixture, "no_such", "{}"), (404, "unknown_command"), "unknown command")
    same(post(fixture, "create_session", "{}", Idempotency_Key="k" * 300), (400, "invalid_value"), "a long key")
    same(fixture.raw(made["sessionId"]), before, "the session")
    same(len(fixture.call("list_sessions")["sessions"]), 1, "sessions")


@rows()
def check_requests_that_are_no_good(fixture):
    fixture.call("list_sessions")  # until it is ready, a host may be that of a device
    auth = f"Authorization: Bearer {fixture.transport.token}\r\n".encode()
    ok = b"Host: 127.0.0.1\r\n" + auth
    for text, wanted in (
            (b"nonsense\r\n\r\n", (b"400",)),
            (b"GET / HTTP/3.0\r\n" + ok + b"\r\n", (b"400", b"505")),
            (b"GET /v1/sessions HTTP/1.1\r\n" + auth + b"\r\n", (b"400", b"403", b"421")),
            (b"GET /v1/sessions HTTP/1.1\r\nHost: evil.example\r\n" + auth + b"\r\n", (b"403", b"421")),
            (b"POST /v1/run HTTP/1.1\r\n" + ok + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", (b"400",)),
            (b"POST /v1/run HTTP/1.1\r\n" + ok + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (b"400",)),
            (b"POST /v1/run HTTP/1.1\r\n" + ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", (b"400",)),
            (b"GET /v1/sessions HTTP/1.1\r\n" + ok + b"X: " + b"a" * 20000 + b"\r\n\r\n", (b"431",)),
            (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + ok + b"\r\n", (b"414", b"431")),
            (b"GET /v1/sessions HTTP/1.1\r\n" + ok + b"X: a\r\n" * 200 + b"\r\n", (b"431",))):
        answer = exchange(fixture, text.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1) if b"Host" in text else text)
        need(answer.split(b" ")[1:2] and answer.split(b" ")[1] in wanted, f"{text[:60]!r}: {answer[:80]!r}")
    status, body = fixture.get("/v1/sessions", Host="evil.example")
    same(json.loads(body)["code"], "host_not_allowed", "host")
    status, body = fixture.get("/v1/sessions", Origin="https://evil.example")
    same((status, json.loads(body)["code"]), (403, "origin_not_allowed"), "origin")
    token, fixture.transport.token = fixture.transport.token, "wrong"
    for path in ("/v1/sessions", "/v1/events?session=x", "/metrics", "/openapi.json", "/no/such/path"):
        status, body = fixture.get(path)
        same((status, json.loads(body)["code"]), (401, "unauthorized"), path)
    same(fixture.get("/healthz")[0], 200, "health")
    fixture.transport.token = token
    for path, code in (("/v1/sessions?nonsense=1", "unknown_field"), ("/v1/sessions/bad%20id", "invalid_id"),
                       ("/v1/events?session=sess_x&after=abc", "invalid_value"), ("/v1/events?types=no.such", "invalid_value"),
                       ("/v1/sessions/sess_none", "session_not_found"), ("/v1/blobs/out_none", "output_not_found"),
                       ("/v1/sessions?cursor=garbage", "expired_cursor"), ("/nowhere", "not_found")):
        status, body = fixture.get(path)
        same(json.loads(body)["code"], code, path)
        fixture.calls.append({"call": None, "params": {}, "code": code, "reply": json.loads(body)})


@rows()
def check_ids_of_others(fixture):
    mine, action = fixture.asked("save")
    other = fixture.call("create_session", title="other")["sessionId"]
    count = len(fixture.events(mine["sessionId"]))
    fixture.refused("action_not_found", "respond_action", sessionId=other, actionId=action["actionId"], decision="allow")
    fixture.refused("turn_not_found", "interrupt_turn", sessionId=other, turnId=mine["turnId"])
    fixture.refused("task_not_found", "get_task", sessionId=other, taskId=mine["taskId"])
    fixture.refused("thread_not_found", "get_thread_read", sessionId=other, threadId=mine["threadId"])
    fixture.refused("thread_not_found", "update_session", sessionId=other, pinnedThreadIds=[mine["threadId"]])
    fixture.refused("id_conflict", "submit_turn", sessionId=other, threadId=mine["threadId"], input="x")
    fixture.refused("id_conflict", "submit_turn", sessionId=other, turnId=mine["threadId"], input="x")
    fixture.refused("id_conflict", "create_session", sessionId=mine["turnId"])
    same(len(fixture.events(mine["sessionId"])), count, "events of the owner")
    need(not fixture.saved(), "it ran")


@rows()
def check_answers_that_come_late(fixture):
    reply, action = fixture.asked("save")
    session, ids = reply["sessionId"], {"sessionId": reply["sessionId"], "actionId": action["actionId"]}
    fixture.call("interrupt_turn", sessionId=session)
    fixture.wait(session, "turn.failed")
    problem = fixture.refused("already_resolved", "respond_action", decision="allow", **ids)
    need(problem.get("winner"), f"the end that stands is not told: {problem}")
    need(not fixture.saved(), "it ran")
    for _ in range(20):  # more than a session keeps at hand
        _, a = fixture.asked("save", sessionId=session)
        fixture.call("respond_action", sessionId=session, actionId=a["actionId"], decision="deny")
        fixture.until("its end", lambda: fixture.read(session)["status"] == "completed")
    fixture.restart()
    fixture.refused("already_resolved", "respond_action", decision="allow", **ids)


@rows(options=("queue.on_busy=queue",))
def check_a_queue_has_an_end(fixture):
    session = fixture.call("submit_turn", input="hang")["sessionId"]
    for i in range(64):
        fixture.call("submit_turn", sessionId=session, input=str(i))
    fixture.refused("queue_full", "submit_turn", sessionId=session, input="one more")
    same(len(fixture.call("list_queue", sessionId=session)["queuedTurns"]), 64, "queue")


@rows()
def check_streams_have_a_number(fixture):
    session = fixture.turn("hello")[0]["sessionId"]
    c = fixture.socket()
    for i in range(64):
        need("result" in c.rpc("subscribe_events", {"sessionId": session, "after": 10000}), f"stream {i}")
    same(c.call("subscribe_events", {"sessionId": session})[0], "too_many_open", "one more")
    same(c.call("subscribe_events", {"sessionId": "sess_none"})[0], "too_many_open", "still")
    same(c.call("unsubscribe_events", {"subscriptionId": "subs_none"})[0], "subscription_not_found", "no such stream")
    c.close()
    c = fixture.socket()
    same(c.call("subscribe_events", {"sessionId": "sess_none"})[0], "session_not_found", "no session")
    same(c.call("subscribe_events", {"channelId": "chan_other"})[0], "channel_not_found", "no channel")
    _, got = c.call("subscribe_events", {"sessionId": session})
    same(c.call("unsubscribe_events", {"subscriptionId": got["subscriptionId"]})[0], None, "ended")
    c.close()


def lines(fixture, *messages):
    """Sends JSON-RPC lines unchanged; returns the reply."""
    c = fixture.socket()
    out = []
    for text in messages:
        c.socket.sendall(text if isinstance(text, bytes) else text.encode())
        c.socket.sendall(b"\n")
        out.append(c.receive())
    c.close()
    return out


@rows()
def check_lines_that_are_no_good(fixture):
    for text, number in (("{", -32700), ('{"jsonrpc":"2.0","id":1}', -32600), ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                         ('{"jsonrpc":"2.0","id":1,"method":"no_such"}', -32601), (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
                         ('{"jsonrpc":"2.0","id":1,"method":"get_session","params":[1]}', -32602), ("[]", -32600),
                         ('{"jsonrpc":"2.0","id":1,"method":"submit_turn","params":{"input":"x","nonsense":1}}', -32602)):
        answer = lines(fixture, text)[0]
        same(answer["error"]["code"], number, f"{text!r}")
    c = fixture.socket()
    try:
        c.socket.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"a" * 1200000 + b'"}}\n')
        answer = c.receive()
        need("error" in answer, f"a line that is too long: {answer}")
    except (Wrong, OSError):
        pass  # closed
    c.close()
    same(fixture.get("/healthz")[0], 200, "health")


@rows()
def check_nothing_is_left_of_bad_input(fixture):
    """Readers that never read, senders that never finish, floods of nonsense: afterwards all is as it was."""
    reply, _ = fixture.turn("dump")
    fixture.turn("stream", sessionId=reply["sessionId"])
    fds, rss = spent(fixture)
    for _ in range(4):
        flood(fixture, reply["sessionId"], 200)
    fixture.until(f"{fds} descriptors", lambda: spent(fixture)[0] <= fds)
    # A sanitizer keeps what was freed for a while.
    if b"__asan_init" not in open(os.path.join(fixture.build, "thole"), "rb").read():
        fixture.until(f"resident memory of about {rss} KiB", lambda: spent(fixture)[1] < rss + 3072)
    metrics = fixture.get("/metrics")[1].decode()
    need("subscriptions" not in metrics or " 0" in one_line(metrics, "subscriptions"), one_line(metrics, "subscriptions"))


def one_line(text, word):
    return next((line for line in text.splitlines() if word in line and not line.startswith("#")), "")


def flood(fixture, session, count):
    auth = f"Host: 127.0.0.1\r\nAuthorization: Bearer {fixture.transport.token}\r\n".encode()
    held = []
    for i in range(count):
        s = socket.create_connection(("127.0.0.1", fixture.daemon.port), DEADLINE_S)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall((b"GET /v1/events?session=%s&after=0 HTTP/1.1\r\nAccept: text/event-stream\r\n" % session.encode() + auth + b"\r\n",
                   b"POST /v1/commands/submit_turn HTTP/1.1\r\n" + auth + b"Content-Length: 100000\r\n\r\n{\"input\":",
                   b"GET /v1/sess",
                   b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                   b"POST /v1/commands/get_session HTTP/1.1\r\n" + auth + b"Content-Length: 3\r\n\r\n{{{")[i % 5])
        held.append(s)
        if len(held) == 40:
            for s in held:
                s.close()
            held = []
    for s in held:
        s.close()
    for i in range(count // 4):
        try:
            c = fixture.socket()
            c.socket.sendall((b'{"jsonrpc":"2.0","id":1,"method":"subscribe_events","params":{"sessionId":"%s"}}\n' % session.encode(),
                              b'{"jsonrpc":"2.0","id":1,"meth', b"[[[[[[\n" * 20)[i % 3])
            c.close()
        except OSError:
            pass


@rows(deep=True)
def check_slow_senders_are_let_go(fixture):
    """A head has ten seconds, a body thirty."""
    auth = f"Host: 127.0.0.1\r\nAuthorization: Bearer {fixture.transport.token}\r\n".encode()
    for text, seconds in ((b"GET /v1/sess", 20), (b"POST /v1/commands/submit_turn HTTP/1.1\r\n" + auth + b"Content-Length: 50\r\n\r\n{", 45)):
        s = socket.create_connection(("127.0.0.1", fixture.daemon.port), seconds)
        s.sendall(text)
        out = b""
        while True:
            piece = s.recv(4096)
            if not piece:
                break
            out += piece
        need(not out or b" 408 " in out.split(b"\r\n")[0] + b" ", f"{text[:20]!r}: {out[:80]!r}")
        s.close()


@rows()
def check_a_daemon_that_stops_says_so(fixture):
    c = fixture.connection()
    c.request("GET", "/v1/events?session=" + fixture.turn("hello")[0]["sessionId"], headers={
        "Authorization": "Bearer " + fixture.transport.token, "Accept": "text/event-stream"})
    r = c.getresponse()
    fixture.daemon.process.terminate()
    body = b""
    try:
        body = r.read()
    except http.client.HTTPException:
        pass
    need(b"event: stream_end" in body or b"shutdown" in body, f"the stream ends without a word: {body[-200:]!r}")
    same(fixture.daemon.process.wait(DEADLINE_S), 0, "exit code")
    fixture.start()
