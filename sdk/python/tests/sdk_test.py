#!/usr/bin/env python3
"""The Python client against a real daemon that is killed, cut off and restarted.

usage: sdk_test.py BUILD_DIR [WORD...]          prints TAP; WORD: only tests whose name contains it
"""
import hashlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from ports import free_port  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402
from thole import Channel, Client, Gap, NoModel, Problem, Unreachable, WebSocket  # noqa: E402

SCRIPT = os.path.join(ROOT, "examples", "scripts", "approval.json")


# ---- the daemon ----

class Daemon:
    def __init__(self, build, *options):
        self.dir = tempfile.mkdtemp(prefix="thole-sdk-")
        self.data = os.path.join(self.dir, "data")
        self.port = free_port()
        self.args = [os.path.join(build, "thole"), "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
                     *options]
        self.start()

    def start(self):
        env = dict(os.environ, THOLE_STRICT="1", XDG_CONFIG_HOME=self.dir)
        self.process = subprocess.Popen(self.args, cwd=self.dir, env=env, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert f"127.0.0.1:{self.port}" in line, f"the daemon did not come up: {line}"
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()

    def local(self, **options):
        return Client.local(self.data, **{"patience_s": DEADLINE_S, **options})

    def tcp(self, port=None):
        with open(os.path.join(self.data, "token")) as f:
            return Client(f"http://127.0.0.1:{port or self.port}", token=f.read().strip(), patience_s=DEADLINE_S)

    def done(self):
        if self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(DEADLINE_S) == 0, "the daemon did not stop in order"
        shutil.rmtree(self.dir, ignore_errors=True)


class Cutter:
    """A proxy that lets each connection live for so many bytes of answer, then cuts it."""

    def __init__(self, port, seed):
        self.port_behind = port
        self.random = random.Random(seed)
        self.cuts = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(peer, self.random.randint(500, 16000)), daemon=True).start()

    def carry(self, peer, left):
        behind = socket.create_connection(("127.0.0.1", self.port_behind))
        threading.Thread(target=self.pump, args=(peer, behind), daemon=True).start()
        try:
            while left > 0 and (data := behind.recv(min(left, 4096))):
                peer.sendall(data)
                left -= len(data)
        except OSError:
            pass  # the client was done with it
        self.cuts += left <= 0
        for s in (peer, behind):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(4096):
                target.sendall(data)
        except OSError:
            pass

    def close(self):
        self.server.close()


def stored(client, session):
    """The content of the log, read again."""
    with client.events(session, follow=False) as stream:
        return [(e["sequence"], e["eventId"]) for e in stream]


def whole(events):
    """Each once, in order, from the first on."""
    assert [s for s, _ in events] == list(range(1, len(events) + 1)), f"not whole: {[s for s, _ in events]}"
    return events


def refused(call, code):
    try:
        call()
    except Problem as p:
        assert p.code == code, f"{p.code} instead of {code}"
        return p
    raise AssertionError(f"{code} did not come")


# ---- tests ----

def a_turn_runs_to_its_result(d):
    for client in (d.local(), d.tcp()):
        with client:
            run = client.run("hello")
            result = run.result()
            assert result.ok and result.text == "Say deploy.", result
            assert result.cost_usd is not None and result.cost_usd > 0
            assert client.get_session(sessionId=result.session_id)["sessionId"] == result.session_id
            again = client.run("hello again", sessionId=result.session_id)
            assert "".join(again.text()) == "Say deploy."
            assert again.session_id == result.session_id and again.turn_id != result.turn_id


def a_session_works_where_the_program_is(d):
    for client, wanted in ((d.local(), os.getcwd()), (d.tcp(), os.getcwd()), (d.local(cwd="/usr"), "/usr")):
        with client:
            session = client.run("hello").result().session_id
            made = next(iter(client.events(session, types=["session.created"], follow=False)))
            assert made["payload"]["cwd"] == wanted, made
            task = client.create_task(objective="x")["sessionId"]
            assert next(iter(client.events(task, follow=False)))["payload"]["cwd"] == wanted
            assert client.run("hello", sessionId=session).result().ok
    refused(lambda: d.local().run("hello", cwd="/nowhere"), "directory_unusable")
    away = Client("http://runtime.example:7433", token="x")
    assert "cwd" not in away._placed("submit_turn", {}), "a path of this machine means nothing elsewhere"


def an_image_is_uploaded_before_its_turn(d):
    data = b"\x89PNG\r\n\x1a\n" + bytes(1 << 20)
    for client in (d.local(), d.tcp()):
        with client:
            part = client.image(data, "image/png")
            assert part["bytes"] == len(data) and part["sha256"] == hashlib.sha256(data).hexdigest(), part
            made = client.submit_turn(input=[{"type": "text", "text": "look"}, part])
            sent = next(iter(client.events(made["sessionId"], types=["turn.submitted"], follow=False)))
            assert [p["type"] for p in sent["payload"]["input"]] == ["text", "image"], sent
            assert client.output(part["ref"]) == data
            refused(lambda: client.image(b"no image at all", "image/png"), "invalid_value")
            refused(lambda: client.image(b"", "image/png"), "invalid_value")


def a_refusal_carries_its_code(d):
    client = d.local()
    p = refused(lambda: client.get_session(sessionId="sess_none"), "session_not_found")
    assert p.status == 404 and not p.retryable and p.detail
    refused(lambda: client.submit_turn(), "missing_field")
    refused(lambda: client.run("x", delivery="sideways"), "invalid_value")
    refused(lambda: client.events("sess_none"), "session_not_found")
    refused(lambda: Client(f"http://127.0.0.1:{d.port}", token="wrong").list_sessions(), "unauthorized")


def a_command_with_the_same_key_is_one(d):
    client = d.local()
    first = client.submit_turn(input="hello", idempotencyKey="k1")
    assert client.submit_turn(input="hello", idempotencyKey="k1")["turnId"] == first["turnId"]
    refused(lambda: client.submit_turn(input="other", idempotencyKey="k1"), "idempotency_conflict")


def an_action_is_answered_once_and_from_elsewhere(d):
    client, other = d.local(), d.tcp()
    run = client.run("deploy")
    asked = next(e for e in run if e["type"] == "action.required")
    action, = [a for a in other.actions() if a["actionId"] == asked["actionId"]]
    other.allow(action)
    result = run.result()
    assert result.ok and result.text == "The tool said: deployed to staging", result
    p = refused(lambda: client.deny(asked, "too late"), "already_resolved")
    assert p.status == 409 and p.body["winner"]["decision"] == "allow", p.body
    denied = client.run("deploy").result(lambda action: {"decision": "deny", "reason": "not today"})
    assert "deployed" not in denied.text, denied


def a_decision_outlives_a_kill_in_the_middle_of_the_iteration(d):
    client, seen = d.local(), []

    def decide(action):
        d.restart()
        open_now = [a["actionId"] for a in client.actions()]
        assert open_now == [action["actionId"]], open_now
        return "allow"

    run = client.run("deploy")
    fold = run._fold
    run._fold = lambda e: (seen.append((e["sequence"], e["eventId"])), fold(e))
    result = run.result(decide)
    assert result.ok and result.text == "The tool said: deployed to staging", result
    log = stored(client, run.session_id)
    mine = [e for e in log if e in set(seen)]
    assert seen == mine and len(seen) == len(set(seen)), "an event came twice or out of order"
    turn = [(e["sequence"], e["eventId"]) for e in client.events(run.session_id, turn=run.turn_id, follow=False)]
    assert seen == turn[:len(seen)], "an event of the turn was missed"


def a_follower_misses_nothing_over_kills(d):
    client = d.local()
    session = client.create_session()["sessionId"]
    seen, enough = [], threading.Event()

    def follow():
        with client.events(session) as stream:
            for event in stream:
                seen.append((event["sequence"], event["eventId"]))
                if event.get("type") == "session.updated":
                    enough.set()
                    return

    reader = threading.Thread(target=follow, daemon=True)
    reader.start()
    for n in range(6):
        client.submit_turn(sessionId=session, input=f"turn {n}", delivery="queue")
        if n % 2:
            d.restart()
    until("an empty queue", lambda: not client.list_queue(sessionId=session)["queuedTurns"])
    client.run("the last", sessionId=session, delivery="queue").result()
    client.update_session(sessionId=session, title="over")
    assert enough.wait(DEADLINE_S), f"the end did not come; {len(seen)} events did"
    reader.join()
    assert whole(seen) == stored(client, session)[:len(seen)]


def a_stream_that_is_cut_anywhere_brings_each_event_once(d):
    straight = d.local()
    session = straight.run("hello").result().session_id
    for _ in range(5):
        straight.run("hello", sessionId=session).result()
    log = whole(stored(straight, session))
    cutter = Cutter(d.port, 7)
    client = d.tcp(cutter.port)
    seen = []
    with client.events(session) as stream:
        while len(seen) < len(log):
            event = next(stream)
            seen.append((event["sequence"], event["eventId"]))
    assert seen == log
    assert cutter.cuts > 5, f"only {cutter.cuts} cuts"
    result = d.tcp(cutter.port).run("hello", sessionId=session).result()
    assert result.ok and result.text == "Say deploy.", result
    assert stored(client, session)[:len(log)] == log
    cutter.close()


def a_cursor_goes_on_in_another_client(d):
    client = d.local()
    session = client.run("hello").result().session_id
    first = client.events(session)
    head = [next(first)["sequence"] for _ in range(5)]
    first.close()
    rest = [e["sequence"] for e in d.tcp().events(session, after=first.cursor, follow=False)]
    assert head == [1, 2, 3, 4, 5] and rest[0] == 6
    # Over all sessions the place is another kind of word.
    everything = client.events(follow=False, types=["turn.*"])
    ids = [e["eventId"] for e in everything]
    halfway = client.events(follow=False, types=["turn.*"])
    assert next(halfway)["eventId"] == ids[0]
    assert [e["eventId"] for e in client.events(follow=False, types=["turn.*"], after=halfway.cursor)] == ids[1:]


def events_come_in_another_form(d):
    client = d.local()
    session = client.run("hello").result().session_id
    plain = list(client.events(session, follow=False))
    told = list(client.events(session, follow=False, as_="agent_ui"))
    assert [(e["rawEventRef"], e["runtimeType"], e["sequence"]) for e in told] == \
        [(e["eventId"], e["type"], e["sequence"]) for e in plain]
    assert [e["type"] for e in told if e["runtimeType"] == "turn.completed"] == ["run.finished"]
    half = client.events(session, as_="agent_ui")
    assert [next(half) for _ in range(5)] == told[:5]
    half.close()
    assert list(client.events(session, after=half.cursor, follow=False, as_="agent_ui")) == told[5:]
    page = client.list_events(**{"sessionId": session, "as": "agent_ui"})
    assert page["events"] == told[:len(page["events"])]
    refused(lambda: client.events(session, as_="agent_tea"), "invalid_value")


def a_stream_from_the_end_begins_with_what_comes(d):
    client = d.local()
    client.run("hello").result()
    with client.events(after="end") as stream:
        turn = client.submit_turn(input="hello")["turnId"]
        submitted = next(e for e in stream if e["type"] == "turn.submitted")
        assert submitted["turnId"] == turn
        assert next(stream)["type"] == "task.started"


def a_gap_is_told_and_the_stream_goes_on_behind_it(d):
    client = d.local()
    session = client.run("hello").result().session_id
    floor = client.run("hello", sessionId=session).result().event["sequence"]
    client.trim_log(sessionId=session, through=floor - 1)
    stream = client.events(session, after=1, follow=False)
    try:
        next(stream)
        raise AssertionError("the gap was not told")
    except Gap as gap:
        assert gap.first == 2 and gap.last >= floor - 1 and gap.snapshot, gap.body
        assert next(stream)["sequence"] == gap.last + 1


def close_ends_a_reader_that_waits(d):
    client = d.local()
    session = client.run("hello").result().session_id
    stream = client.events(session)
    reader = threading.Thread(target=lambda: [None for _ in stream], daemon=True)
    reader.start()
    until("the first event", lambda: stream.cursor)
    stream.close()
    reader.join(DEADLINE_S)
    assert not reader.is_alive(), "it still waits"


def a_runtime_that_is_gone_is_said_to_be_unreachable(d):
    client = d.local(patience_s=0.3)
    session = client.run("hello").result().session_id
    stream = client.events(session)
    d.kill()
    began = time.monotonic()
    for attempt in (client.list_sessions, lambda: [None for _ in stream], lambda: client.run("hello")):
        try:
            attempt()
            raise AssertionError("a server answered")
        except Unreachable:
            pass
    assert time.monotonic() - began < DEADLINE_S
    d.start()


def an_output_is_read_whole(d):
    client = d.local()
    run = client.run("hello")
    ref = next(e for e in run if e["type"] == "turn.submitted")["payload"]["inputRef"]
    assert b"hello" in client.output(ref)
    refused(lambda: client.output("out_none"), "output_not_found")


def the_input_of_an_action_is_read_whole(d):
    client = d.local()
    shown = []

    def decide(action):
        shown.append(client.input_of(action))
        listed, = client.actions(status="pending")
        shown.append(client.input_of(listed))
        # the same from behind a reference, as a long input is
        ref = client.call("list_events", {"sessionId": action["sessionId"], "types": ["turn.submitted"]})["events"][0]["payload"]["inputRef"]
        assert client.input_of({"sessionId": action["sessionId"], "inputRef": ref}), ref
        return "deny"

    client.run("deploy").result(decide)
    assert shown[0] and shown[0] == shown[1], shown


# ---- work ----

def external(client, objective, attempts=2):
    ids = client.create_task(objective=objective, taskKind="count",
                             retryPolicy={"maxAttempts": attempts, "backoff": "immediate", "nonRetryable": []})
    client.start_task(sessionId=ids["sessionId"], taskId=ids["taskId"], worker={"kind": "external"})
    return {"sessionId": ids["sessionId"], "taskId": ids["taskId"]}


def record(client, ids):
    return client.get_task(**ids)["task"]


def the_loop_of_a_worker_completes_fails_and_cancels(d):
    client = d.local()
    good, bad, ended = (external(client, o, 1) for o in ("one two three", "break", "wait"))

    def handler(job):
        if job.objective == "break":
            raise ValueError("no such thing")
        if job.objective == "wait":
            client.cancel_task(**ended)
            until("the cancellation", job.cancelled.is_set)
            job.check()
        job.progress(50, "half")
        return f"{len(job.objective.split())} words"

    assert client.work(handler, kind="count", lease_s=0.6, once=True) == 3
    done = record(client, good)
    assert done["status"] == "completed" and done["attempts"][0]["completionSummary"] == "3 words", done
    failed = record(client, bad)
    assert failed["status"] == "failed" and "ValueError: no such thing" in failed["lastError"]["message"], failed
    assert record(client, ended)["status"] == "cancelled"


def a_task_of_a_killed_worker_is_done_by_the_next(d):
    client = d.local()
    ids = external(client, "one two three four five six seven eight")

    def worker(pace):
        return subprocess.Popen([sys.executable, os.path.join(ROOT, "examples", "work.py"), d.data, "count", pace, "1"], text=True,
                                stdout=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=os.path.dirname(HERE)))

    first = worker("0.5")
    until("the claim", lambda: record(client, ids)["status"] == "running")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    until("the loss", lambda: record(client, ids)["status"] == "waiting_resource")
    out, _ = worker("0").communicate(timeout=DEADLINE_S)
    assert "reported 1" in out, out
    task = record(client, ids)
    assert task["status"] == "completed" and [a.get("nativeStatus", a["status"]) for a in task["attempts"]] == ["lost", "completed"], task
    # one that is stopped past its lease learns that its result is not wanted any more
    ids = external(client, "one two three four")
    late = worker("0.4")
    until("the claim", lambda: record(client, ids)["status"] == "running")
    late.send_signal(signal.SIGSTOP)
    until("the loss", lambda: record(client, ids)["status"] == "waiting_resource")
    assert "reported 1" in worker("0").communicate(timeout=DEADLINE_S)[0]
    late.send_signal(signal.SIGCONT)
    assert "reported 0" in late.communicate(timeout=DEADLINE_S)[0]
    assert len(record(client, ids)["attempts"]) == 2


def an_unknown_model_raises(d):
    client = d.local()
    for use in (lambda run: run.result(), lambda run: list(run.text())):
        try:
            use(client.run("hello", model="no-such-model"))
        except NoModel as why:
            assert "no-such-model" in str(why) and why.event["type"] == "turn.failed", why
        else:
            raise AssertionError("it did not raise")


def kept_channel(d, token, kept, **more):
    return Channel(**more, token=token, native_protocol="test", capabilities=("permissions",), channel_id=kept.get("id"),
                   resume_token=kept.get("token"), keep=lambda i, t: kept.update(id=i, token=t), patience_s=DEADLINE_S)


def a_channel_is_recorded_and_resumed_after_kills(d):
    client = d.local()
    token = client.create_token(name="bridge", scopes=["read", "write", "approve"], sessions="all")["token"]
    for n, where in enumerate(({"url": f"http://127.0.0.1:{d.port}"}, {"socket": os.path.join(d.data, "socket")})):
        kept = {}
        with kept_channel(d, token, kept, **where) as channel:
            made = channel.submit_turn(input="hello", onBehalfOf="test:1 Ann", cwd="/tmp")
            assert channel.scopes == ("read", "write", "approve") and channel.principal == "bridge", channel.scopes
            first = dict(kept)
            d.kill()
            d.start()
            # The same object reconnects; what it sends again has the same key.
            channel.submit_turn(sessionId=made["sessionId"], input="hello", onBehalfOf="test:2 Bob")
            assert kept == first, (kept, first)
        with kept_channel(d, token, kept, **where) as channel:
            channel.submit_turn(sessionId=made["sessionId"], input="hello")
            assert kept == first, (kept, first)
        tasks = [e["task"]["requestedBy"] for e in client.events(made["sessionId"], follow=False, types=["task.created"])]
        assert {t["channelId"] for t in tasks} == {first["id"]} and {t["principal"] for t in tasks} == {"bridge"}, tasks
        assert [t.get("onBehalfOf") for t in tasks] == ["test:1 Ann", "test:2 Bob", None], tasks
        connected = next(iter(client.events(made["sessionId"], follow=False, types=["channel.connected"])))
        assert connected["channel"]["transport"] == ("json_rpc" if n else "websocket"), connected


def a_channel_with_a_wrong_token_is_refused(d):
    for where in ({"url": f"http://127.0.0.1:{d.port}"}, {"socket": os.path.join(d.data, "socket")}):
        try:
            kept_channel(d, "tht_wrong", {}, **where).connect()
        except Problem as why:
            assert why.status == 401 or why.code == "unauthorized", why
        else:
            raise AssertionError("it was accepted")
    try:
        Channel(f"http://127.0.0.1:{free_port()}", native_protocol="test", patience_s=0).connect()
    except Unreachable:
        pass
    else:
        raise AssertionError("there is no daemon")


def a_request_that_cannot_be_read_is_a_problem(d):
    with kept_channel(d, None, {}, socket=os.path.join(d.data, "socket")) as channel:
        try:
            channel.submit_turn(input="half \ud800 of a pair")
        except Problem:
            pass
        else:
            raise AssertionError("it was accepted")
        assert channel.submit_turn(input="hello", cwd="/tmp")["turnId"]


def a_websocket_reads_what_arrives_in_any_pieces(d):
    """A server that divides frames, sends pings between them and closes in order."""
    import base64
    import hashlib
    listener = socket.create_server(("127.0.0.1", 0))
    pongs = []

    def serve():
        peer, _ = listener.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            head += peer.recv(4096)
        key = head.lower().split(b"sec-websocket-key: ")[1].split(b"\r\n")[0]
        key = head[head.lower().index(key):][:len(key)]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        long = ("é" * 40000).encode()
        data = (b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
                + b"\x01\x03one" + b"\x89\x02hi" + b"\x80\x03two" + b"\x81\x00"
                + b"\x81\x7f" + len(long).to_bytes(8, "big") + long + b"\x88\x02\x03\xe8")
        for i in range(0, 300):
            peer.sendall(data[i:i + 1])
        peer.sendall(data[300:])
        while got := peer.recv(4096):
            pongs.append(got)

    threading.Thread(target=serve, daemon=True).start()
    ws = WebSocket(f"ws://127.0.0.1:{listener.getsockname()[1]}/x?y=1", timeout_s=DEADLINE_S)
    assert ws.receive() == "onetwo" and ws.receive() == "" and ws.receive() == "é" * 40000 and ws.receive() is None
    until("the pong", lambda: pongs and pongs[0][0] == 0x8A)
    ws.close()
    listener.close()


TESTS = [a_turn_runs_to_its_result, an_unknown_model_raises, an_image_is_uploaded_before_its_turn, a_refusal_carries_its_code, a_command_with_the_same_key_is_one,
         an_action_is_answered_once_and_from_elsewhere, a_decision_outlives_a_kill_in_the_middle_of_the_iteration,
         a_follower_misses_nothing_over_kills, a_stream_that_is_cut_anywhere_brings_each_event_once,
         a_cursor_goes_on_in_another_client, events_come_in_another_form, a_stream_from_the_end_begins_with_what_comes,
         a_gap_is_told_and_the_stream_goes_on_behind_it, close_ends_a_reader_that_waits,
         a_runtime_that_is_gone_is_said_to_be_unreachable, an_output_is_read_whole,
         the_input_of_an_action_is_read_whole, the_loop_of_a_worker_completes_fails_and_cancels,
         a_task_of_a_killed_worker_is_done_by_the_next, a_channel_is_recorded_and_resumed_after_kills,
         a_channel_with_a_wrong_token_is_refused, a_request_that_cannot_be_read_is_a_problem, a_websocket_reads_what_arrives_in_any_pieces]


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [t for t in TESTS if not words or any(w in t.__name__ for w in words)]
    failed = 0
    d = Daemon(build, "--script", SCRIPT, "-c", "recovery.resume=auto")
    try:
        for n, test in enumerate(tests, 1):
            name = "python: " + test.__name__.replace("_", " ")
            try:
                test(d)
                print(f"ok {n} - {name}", flush=True)
            except Exception:
                failed += 1
                print(f"not ok {n} - {name}", flush=True)
                print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
                if d.process.poll() is not None:
                    d.start()
    finally:
        d.done()
    print(f"1..{len(tests)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
