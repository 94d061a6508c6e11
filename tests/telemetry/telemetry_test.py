#!/usr/bin/env python3
"""Traces and logs to a collector on loopback: what it receives is decoded strictly and compared with the log.

usage: telemetry_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.
"""
import base64
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "provider")]
import otlp  # noqa: E402
import answers_test as answers  # noqa: E402
from fake import chat, failure  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

scenario = answers.scenario
until = scenario.until
tests = []
CANARY = "canary-7f3a"


def test(f):
    tests.append(f)
    return f


class Collector:
    """answer(number) gives status, headers and body of a reply; None: 200 and nothing."""

    def __init__(self, answer=None, port=0):
        self.requests, self.taken = [], []
        self.answer = answer
        collector, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                headers = {k.lower(): v for k, v in self.headers.items()}
                with lock:  # traces and logs come at the same time
                    collector.requests.append((self.path, headers, body))
                    reply = collector.answer(len(collector.requests)) if collector.answer else None
                    status, more, data = reply or (200, {}, b"")
                    if status == 200:
                        collector.taken.append((self.path, headers, body))
                self.send_response(status)
                for k, v in more.items():
                    self.send_header(k, v)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def decoded(self, path):
        kind = {"/v1/traces": "ExportTraceServiceRequest", "/v1/logs": "ExportLogsServiceRequest",
                "/v1/metrics": "ExportMetricsServiceRequest"}[path]
        out = []
        for p, headers, body in list(self.taken):
            if p != path:
                continue
            if headers["content-type"] == "application/json":
                out.append(otlp.from_json(json.loads(body)))
            else:
                out.append(otlp.Definitions().decode(kind, body))
        return out

    def spans(self):
        return [s for r in self.decoded("/v1/traces") for s in otlp.spans(r)]

    def logs(self):
        return [s for r in self.decoded("/v1/logs") for s in otlp.logs(r)]


class Fixture(answers.Fixture):
    def __init__(self, answer, *options, collector=None, form="json", env=None):
        self.collector = collector or Collector()
        self.env = env or {}
        super().__init__("openai", answer, f"telemetry.endpoint=http://127.0.0.1:{self.collector.port}",
                         f"telemetry.protocol={form}", "permission.mode=bypass", *options)

    def __enter__(self):
        os.environ.update(self.env)
        try:
            return super().__enter__()
        finally:
            for k in self.env:
                del os.environ[k]

    def __exit__(self, *error):
        try:
            super().__exit__(*error)
        finally:
            self.collector.close()

    def wait_for_turns(self, many=1):
        def look():
            found = [s for s in self.collector.spans() if s["a"]["agentruntime.span"] == "interaction"]
            return found if len(found) >= many else None
        return until(f"{many} turns at the collector", look)


def one_tool(r):
    """Each turn: one command, then the end."""
    is_second = r.body["messages"][-1]["role"] == "tool"
    return (chat("done") if is_second else chat(calls=[("c1", "shell", json.dumps({"command": "touch " + CANARY}))], stop="tool_calls"))(r)


def span_id(trace, thing):
    return hashlib.sha256((trace + thing).encode()).hexdigest()[:16]


OPENS = {"turn.submitted": ("interaction", "turnId"), "task.attempt.started": ("task.run", "attemptId"),
         "model.requested": ("model.request", "modelRequestId"), "tool.started": ("tool.call", "toolCallId"),
         "process.started": ("process.exec", "processId")}


def compare(events, spans, is_killed=False):
    """One span for every object, no span without an event, no missing parent.  What a killed daemon sends again is the same."""
    by_id = {s["spanId"]: s for s in spans}
    if is_killed:
        assert all(s == by_id[s["spanId"]] for s in spans), "a span came again, and was another"
        spans = list(by_id.values())
    assert len(by_id) == len(spans), "a span came twice"
    for e in events:
        if e["type"] in OPENS:
            kind, member = OPENS[e["type"]]
            mine = [s for s in spans if s["a"]["agentruntime.span"] == kind and s["a"]["agentruntime." + {
                "turnId": "turn_id", "attemptId": "attempt_id", "modelRequestId": "model_request_id", "toolCallId": "tool_call_id",
                "processId": "process_id"}[member]] == e[member]]
            assert len(mine) == 1, (e["type"], e[member], len(mine))
    starts = [e for e in events if e["type"] in OPENS]
    whole = [e for e in events if e["type"] in ("context.resolved", "artifact.changed")]
    hooks = [e for e in events if e["type"] == "hook.started"]
    assert len(spans) == len(starts) + len(whole) + len(hooks), (len(spans), len(starts), len(whole))
    for s in spans:
        assert s["startTimeUnixNano"] <= s["endTimeUnixNano"], s
        if "parentSpanId" in s:
            parent = by_id[s["parentSpanId"]]
            assert parent["traceId"] == s["traceId"], s
            assert parent["startTimeUnixNano"] <= s["startTimeUnixNano"], (s, parent)
        else:
            assert s["a"]["agentruntime.span"] == "interaction", s


def check_turn(fixture):
    fixture.run("say " + CANARY)
    fixture.wait_for_turns()
    spans = fixture.collector.spans()
    log = fixture.log()
    compare(log, spans)
    by_kind = {}
    for s in spans:
        by_kind.setdefault(s["a"]["agentruntime.span"], []).append(s)
    turn, tool, models = by_kind["interaction"][0], by_kind["tool.call"][0], by_kind["model.request"]
    assert (turn["name"], turn["kind"]) == ("invoke_agent", 2), turn
    assert tool["name"] == "execute_tool shell" and tool["a"]["gen_ai.tool.name"] == "shell", tool
    assert [m["name"] for m in models] == ["chat m-1", "chat m-1"] and models[0]["kind"] == 3, models
    assert models[0]["a"]["gen_ai.provider.name"] == "fake" and models[0]["a"]["gen_ai.response.finish_reasons"] == ["tool_use"], models[0]
    assert models[1]["a"]["gen_ai.usage.input_tokens"] > 0, models[1]["a"]
    assert by_kind["process.exec"][0]["parentSpanId"] == tool["spanId"], by_kind["process.exec"]
    assert tool["spanId"] == span_id(tool["traceId"], tool["a"]["agentruntime.tool_call_id"]), tool
    assert turn["a"]["gen_ai.conversation.id"] == "sess_1" and turn["a"]["agentruntime.outcome"] == "completed", turn
    noted = [e["name"] for e in tool["events"]]
    assert "permission.evaluated" in noted and "sandbox.applied" in noted, noted
    until("the log records", lambda: [r for r in fixture.collector.logs() if r["eventName"] == "permission.evaluated"])
    record = [r for r in fixture.collector.logs() if r["eventName"] == "permission.evaluated"][0]
    assert (record["traceId"], record["spanId"]) == (tool["traceId"], tool["spanId"]), record
    first = [e for e in log if e["type"] == "turn.submitted"][0]
    assert (first["traceId"], first["spanId"]) == (turn["traceId"], turn["spanId"]), first
    for path, headers, body in fixture.collector.requests:
        assert CANARY.encode() not in body, "content left the runtime"


@test
def a_turn_is_a_tree_of_spans_in_json():
    with Fixture(one_tool) as f:
        check_turn(f)
        assert f.collector.requests[0][1]["content-type"] == "application/json"


@test
def a_turn_is_a_tree_of_spans_in_protobuf():
    if not otlp.is_here():
        return "the message definitions are not here"
    with Fixture(one_tool, "telemetry.gzip=true", form="protobuf", env={
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=s%3Dcret,tenant=7", "OTEL_SERVICE_NAME": "my agents",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test"}) as f:
        check_turn(f)
        path, headers, body = f.collector.requests[0]
        assert headers["content-type"] == "application/x-protobuf" and headers["content-encoding"] == "gzip", headers
        assert headers["api-key"] == "s=cret" and headers["tenant"] == "7", headers
        resource = otlp.attributes(f.collector.decoded("/v1/traces")[0]["resourceSpans"][0]["resource"])
        assert resource["service.name"] == "my agents" and resource["deployment.environment"] == "test", resource


def as_ours(v, key=""):
    """What protobufjs gives, with the forms of otlp.py: ids in hexadecimal, 64-bit numbers as int."""
    if isinstance(v, dict):
        return {k: as_ours(x, k) for k, x in v.items()}
    if isinstance(v, list):
        return [as_ours(x, key) for x in v]
    if key in ("traceId", "spanId", "parentSpanId"):
        return base64.b64decode(v).hex()
    return int(v) if isinstance(v, str) and otlp.NUMBERS.search(key) else v


@test
def protobufjs_reads_what_we_read():
    """A second decoder, from npm, by the official definitions: every request of a run with a tool, a child agent and metrics."""
    if not otlp.is_here():
        return "the message definitions are not here"
    if not (HERE / "node_modules" / "protobufjs").is_dir() or not shutil.which("node"):
        return "protobufjs is not here (tests/telemetry/run fetches it)"
    kinds = {"/v1/traces": "ExportTraceServiceRequest", "/v1/logs": "ExportLogsServiceRequest", "/v1/metrics": "ExportMetricsServiceRequest"}
    with Fixture([failure(500, "oops"), one_tool], "telemetry.content=true", form="protobuf", env={"OTEL_METRIC_EXPORT_INTERVAL": "100"}) as f:
        for n in range(3):
            f.run(f"turn {n}")
        f.wait_for_turns(3)
        until("metrics of the turns", lambda: [r for r in f.collector.decoded("/v1/metrics") if "agentruntime.turn.duration" in json.dumps(r)])
        until("log records", f.collector.logs)
        f.daemon.stop()
        taken = list(f.collector.taken)
        assert {path for path, _, _ in taken} == set(kinds), {path for path, _, _ in taken}
        lines = "".join(json.dumps({"kind": "opentelemetry.proto.collector." + path[4:].rstrip("s" if path == "/v1/traces" else "")
                                    + ".v1." + kinds[path], "body": base64.b64encode(body).decode()}) + "\n" for path, _, body in taken)
        done = subprocess.run(["node", str(HERE / "decode.mjs"), str(otlp.SPECS)], input=lines, capture_output=True, text=True,
                              timeout=scenario.DEADLINE_S, cwd=HERE)
        assert done.returncode == 0, done.stderr
        theirs = [as_ours(json.loads(line)) for line in done.stdout.splitlines()]
        ours = [otlp.Definitions().decode(kinds[path], body) for path, _, body in taken]
        assert len(theirs) == len(ours)
        for (path, _, _), a, b in zip(taken, ours, theirs):
            assert a == b, (path, a, b)
        f.daemon.start()


@test
def a_collector_that_was_away_gets_everything_once():
    """It refuses, answers with garbage and is slow to come back; the daemon is killed meanwhile."""
    is_up = threading.Event()
    collector = Collector(lambda n: None if is_up.is_set() else (503, {"Retry-After": "1"}, b"\xff\xff garbage"))
    with Fixture(one_tool, collector=collector) as f:
        for n in range(20):
            f.run(f"turn {n}")
        until("a refused request", lambda: collector.requests)
        f.daemon.kill()
        f.daemon.start()
        f.transport = scenario.Http(f.daemon)
        for n in range(20):
            f.run(f"more {n}")
        until("the lag", lambda: scraped(f.transport.request("GET", "/metrics", None)[1].decode())["thole_telemetry_spans_lag_seconds"][()] > 0)
        is_up.set()
        f.wait_for_turns(40)
        compare(f.log(), collector.spans())
        until("the last answer is counted", lambda: len(collector.spans()) == scraped(
            f.transport.request("GET", "/metrics", None)[1].decode())["thole_telemetry_spans_sent_total"][()])


@test
def a_restart_sends_the_rest_and_nothing_else():
    """The approval is open while the daemon is killed: its spans begin before and end after."""
    with Fixture(one_tool, "permission.mode=untrusted") as f:
        reply = f.call("submit_turn", sessionId="sess_1", input="first", turnId="turn_a")
        action = until("an approval", lambda: f.call("list_actions", status="pending")["actions"])[0]["actionId"]
        f.call("submit_turn", sessionId="sess_2", input="second")
        until("both approvals", lambda: len(f.call("list_actions", status="pending")["actions"]) == 2)
        until("both model requests", lambda: len([s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "model.request"]) >= 2)
        until("the cursor", lambda: os.path.exists(os.path.join(f.dir, "data", "telemetry.traces")))
        f.daemon.kill()
        f.daemon.start()
        f.transport = scenario.Http(f.daemon)
        for a in f.call("list_actions", status="pending")["actions"]:
            f.call("respond_action", sessionId=a["sessionId"], actionId=a["actionId"], decision="allow", scope="once")
        f.wait_for_turns(2)
        log = f.log() + [json.loads(line) for line in f.transport.events("sess_2", 0)]
        spans = f.collector.spans()
        assert reply["turnId"] == "turn_a" and action
        compare(log, spans, is_killed=True)
        waited = [s for s in spans if s["a"]["agentruntime.span"] == "tool.call"][0]
        assert "permission.resolved" in [e["name"] for e in waited["events"]], waited["events"]


@test
def what_a_collector_rejects_is_told_and_not_sent_again():
    replies = [(400, {}, b"bad"), (200, {}, json.dumps({"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too\nmany"}}).encode())]
    collector = Collector()
    collector.answer = lambda n: replies.pop(0) if replies and collector.requests[n - 1][0] == "/v1/traces" else None
    with Fixture(one_tool, collector=collector) as f:
        f.run("first")
        until("the refused request", lambda: "refused" in "".join(f.daemon.log))
        f.run("second")
        until("the partial one", lambda: "rejected 3 of" in "".join(f.daemon.log))
        assert "too many" in "".join(f.daemon.log), "".join(f.daemon.log)[-500:]


def by_path(answer_of):
    """A collector that answers each path in its own way."""
    collector = Collector()
    collector.answer = lambda n: answer_of.get(collector.requests[n - 1][0])
    return collector


@test
def a_collector_without_logs_gets_all_traces():
    for status in (404, 422, 503):
        with Fixture(one_tool, collector=by_path({"/v1/logs": (status, {}, b"no")})) as f:
            for n in range(3):
                f.run(f"turn {n}")
                f.wait_for_turns(n + 1)
            compare(f.log(), f.collector.spans())
            assert not f.collector.logs()


@test
def a_long_answer_is_an_answer():
    with Fixture(one_tool, collector=Collector(lambda n: (200, {}, b" " * 300000))) as f:
        f.run("first")
        f.wait_for_turns()
        f.run("second")
        f.wait_for_turns(2)
        compare(f.log(), f.collector.spans())


@test
def a_child_agent_continues_the_trace_of_its_parent():
    """The call that makes it, or sends it more work, is the parent of its turn."""
    def answer(r):
        messages = r.body["messages"]
        said = " ".join(str(m.get("content")) for m in messages if m["role"] == "user")
        if "CHILD" in said and "PARENT" not in said:
            return chat("child done")(r)
        results = len([m for m in messages if m["role"] == "tool"])
        call = [[("c1", "spawn_agent", json.dumps({"role": "review", "nickname": "Ann", "input": "CHILD"}))], [("c2", "wait_agents", "{}")],
                [("c3", "send_agent", json.dumps({"agent": "Ann", "input": "CHILD again"}))], [("c4", "wait_agents", "{}")]]
        return (chat(calls=call[results], stop="tool_calls") if results < len(call) else chat("done"))(r)

    with Fixture(answer) as f:
        f.run("PARENT")
        f.wait_for_turns(3)
        spans, log = f.collector.spans(), f.log()
        turns = [s for s in spans if s["a"]["agentruntime.span"] == "interaction"]
        parent, = [s for s in turns if "parentSpanId" not in s]
        makers = [s for s in spans if s["a"].get("gen_ai.tool.name") in ("spawn_agent", "send_agent")]
        children = [s for s in turns if s is not parent]
        assert [s["traceId"] for s in children] == 2 * [parent["traceId"]], turns
        assert {s["parentSpanId"] for s in children} == {s["spanId"] for s in makers} and len(makers) == 2, (children, makers)
        first, = [s for s in children if s.get("links")]
        link, = first["links"]
        assert (link["traceId"], link["spanId"]) == (parent["traceId"], parent["spanId"]), (link, parent)
        assert otlp.attributes(link) == {"agentruntime.link": "parent"}, link
        compare(log, spans)
        assert f.call("replay_decisions", sessionId="sess_1")["status"] == "same"


@test
def a_child_that_a_client_makes_continues_the_trace_of_the_turn():
    with Fixture(lambda r: chat("done")(r)) as f:
        done = [e for e in f.run("first") if e["type"] == "turn.completed"][0]
        f.call("spawn_subagent", sessionId="sess_1", parentThreadId=done["threadId"], parentTurnId=done["turnId"], role="review", input="look")
        f.wait_for_turns(2)
        parent, child = [s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "interaction"]
        assert (child["traceId"], child["parentSpanId"]) == (parent["traceId"], parent["spanId"]), (parent, child)


@test
def an_export_is_a_span_of_the_trace_that_it_exports():
    with Fixture(lambda r: chat("done")(r)) as f:
        turns = [next(e for e in f.run(text) if e["type"] == "turn.completed" and e["sequence"] > after) for text, after in (("first", 0), ("second", 25))]
        f.wait_for_turns(2)
        first = turns[0]
        f.call("export_evidence", sessionId="sess_1", turnId=first["turnId"])
        span = until("the export at the collector", lambda: [s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "evidence.export"])[0]
        turn = next(s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "interaction" and s["a"]["agentruntime.turn_id"] == first["turnId"])
        assert span["traceId"] == turn["traceId"], (span, turn)
        # an export of two traces is a span of neither
        f.call("export_evidence", sessionId="sess_1")
        exported = [e for e in f.log() if e["type"] == "evidence.changed"]
        assert [("traceId" in e, e["refs"]["trace"] == e["payload"]["packRef"]) for e in exported] == [(True, True), (False, True)], exported
        assert f.call("replay_decisions", sessionId="sess_1")["status"] == "same"
    with Fixture(lambda r: chat("done")(r), "telemetry.sample_ratio=0") as f:
        f.run("not sampled")
        f.call("export_evidence", sessionId="sess_1")
        f.daemon.stop()
        assert not f.collector.spans()


GENAI = otlp.SPECS.parent / "otel-genai" / "docs" / "gen-ai"


def check_messages(text, kind):
    """Against the schema of the conventions, where it is here."""
    messages, path = json.loads(text), GENAI / f"gen-ai-{kind}-messages.json"
    assert messages and all("role" in m and m["parts"] for m in messages), messages
    if path.is_file() and jsonschema:
        jsonschema.validate(messages, json.loads(path.read_text()))
    return messages


@test
def content_leaves_where_it_is_asked_for_and_redacted():
    known, shaped = os.environ["SIM_KEY"], "ghp_" + "0123456789abcdefghijABCDEFGHIJ0123456789"

    def answer(r):
        is_second = r.body["messages"][-1]["role"] == "tool"
        call = [("c1", "shell", json.dumps({"command": f"echo {CANARY} '{known}'"}))]
        return (chat(f"the answer {CANARY} {known}") if is_second else chat(calls=call, stop="tool_calls"))(r)

    with Fixture(answer, "telemetry.content=true") as f:
        # The preview of the prompt ends within the second secret: what may begin one is left out.
        start = f"the prompt {CANARY} {shaped} "
        f.run(start + "x" * (2036 - len(start) - 1) + " " + known)
        f.wait_for_turns()
        spans = {}
        for s in f.collector.spans():
            spans.setdefault(s["a"]["agentruntime.span"], []).append(s["a"])
        turn, tool, models = spans["interaction"][0], spans["tool.call"][0], spans["model.request"]
        prompt, = check_messages(turn["gen_ai.input.messages"], "input")
        assert prompt["role"] == "user" and f"the prompt {CANARY} [redacted]" in prompt["parts"][0]["content"], prompt
        for a, reason in ((turn, "stop"), (models[1], "end_turn")):
            said, = check_messages(a["gen_ai.output.messages"], "output")
            assert said == {"role": "assistant", "parts": [{"type": "text", "content": f"the answer {CANARY} [redacted]"}], "finish_reason": reason}, said
        assert "gen_ai.output.messages" not in models[0], "it only called a tool"
        assert json.loads(tool["gen_ai.tool.call.arguments"])["command"] == f"echo {CANARY} '[redacted]'", tool
        assert tool["gen_ai.tool.call.result"].strip() == f"{CANARY} [redacted]", tool
        for path, _, body in f.collector.requests:
            assert path == "/v1/traces" or CANARY.encode() not in body, "content in a log record or a metric"
            for secret in (known, shaped):
                assert secret[:12].encode() not in body, body[body.find(secret[:12].encode()) - 100:][:200]


@test
def content_of_a_trace_that_is_not_sampled_stays():
    with Fixture(one_tool, "telemetry.content=true", "telemetry.sample_ratio=0") as f:
        f.run("say " + CANARY)
        until("the log records", lambda: [r for r in f.collector.logs() if r["eventName"] == "permission.evaluated"])
        f.daemon.stop()
        assert not f.collector.spans()
        assert all(CANARY.encode() not in body for _, _, body in f.collector.requests)


def in_share(trace_id, ratio):
    """The last 56 bits of the id, as OpenTelemetry has it."""
    return int(trace_id[-14:], 16) >= (1 - ratio) * 2**56


def trace_flags(fake):
    return {r.headers["traceparent"].split("-")[1]: r.headers["traceparent"].split("-")[3] for r in fake.requests}


@test
def a_ratio_decides_whose_spans_are_sent():
    """Metrics and log records are sent for all turns, and the decision is recorded and sent on."""
    many = 20
    with Fixture(one_tool, "telemetry.sample_ratio=0.5") as f:
        for n in range(many):
            f.run(f"turn {n}")
        submitted = [e for e in f.log() if e["type"] == "turn.submitted"]
        chosen = {e["traceId"] for e in submitted if in_share(e["traceId"], 0.5)}
        assert 0 < len(chosen) < many, "the ids are not random"
        assert all(e["payload"]["trace"] == {"sampled": e["traceId"] in chosen} for e in submitted), submitted
        until("the log records", lambda: len([r for r in f.collector.logs() if r["eventName"] == "permission.evaluated"]) == many)
        f.wait_for_turns(len(chosen))
        f.daemon.stop()
        assert {s["traceId"] for s in f.collector.spans()} == chosen
        records = [r for r in f.collector.logs() if r["eventName"] == "permission.evaluated"]
        assert {r["traceId"] for r in records} == {e["traceId"] for e in submitted}
        assert all(r.get("flags", 0) == (r["traceId"] in chosen) for r in records), records
        assert trace_flags(f.fake) == {e["traceId"]: "01" if e["traceId"] in chosen else "00" for e in submitted}
        f.daemon.start()
        f.transport = scenario.Http(f.daemon)
        assert f.call("replay_decisions", sessionId="sess_1")["status"] == "same"


@test
def a_caller_decides_before_the_ratio():
    trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with Fixture(one_tool, env={"OTEL_TRACES_SAMPLER": "parentbased_always_off"}) as f:
        f.run("not sent")
        status, _ = f.transport.request("POST", "/v1/run", json.dumps({"sessionId": "sess_1", "input": "sent"}),
                                        headers={"Accept": "application/x-ndjson", "traceparent": f"00-{trace}-{caller}-01"})
        assert status == 200
        turn, = f.wait_for_turns()
        assert (turn["traceId"], turn["parentSpanId"]) == (trace, caller), turn
        assert {s["traceId"] for s in f.collector.spans()} == {trace}
        own, of_caller = [e["payload"]["trace"] for e in f.log() if e["type"] == "turn.submitted"]
        assert own == {"sampled": False} and of_caller == {"spanId": caller, "sampled": True}, (own, of_caller)


@test
def a_compaction_by_hand_has_a_trace():
    with Fixture(lambda r: chat("a summary")(r)) as f:
        for n in range(4):
            f.run(f"turn {n} " + "word " * 200)
        f.call("compact_thread", sessionId="sess_1")
        f.wait_for_turns(5)
        kinds = [s["a"]["agentruntime.span"] for s in f.collector.spans()]
        assert kinds.count("model.request") == 5, kinds
        assert scraped(f.transport.request("GET", "/metrics", None)[1].decode())["thole_telemetry_spans_uncorrelated_total"][()] == 0


@test
def a_short_run_sends_its_spans_before_it_ends():
    collector = Collector()
    with tempfile.TemporaryDirectory(prefix="thole-telemetry-") as work:
        env = {**os.environ, "HOME": work, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}",
               "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}
        done = subprocess.run([os.path.join(answers.BUILD, "thole"), "run", "--here", "hello there"], env=env, cwd=work, capture_output=True,
                              text=True, timeout=scenario.DEADLINE_S)
        assert done.returncode == 0, done
        # The daemon sends it all; on a busy machine it does not wait for the collector to read it.
        until("its spans", lambda: [s for s in collector.spans() if s["a"]["agentruntime.span"] == "interaction"])
    collector.close()


@test
def a_cursor_that_is_not_ours_is_not_used():
    with Fixture(one_tool) as f:
        f.run("first")
        f.wait_for_turns()
        many = len(f.collector.spans())
        for text in ("{}", "[]", '{"acked":-5,"from":"x"}', '{"acked":1,"from":1}', '{"acked":1,"from":1,"runtimeId":"rt_other"}', "\0\0"):
            f.daemon.kill()
            pathlib.Path(f.dir, "data", "telemetry.traces").write_text(text)
            f.daemon.start()
            f.transport = scenario.Http(f.daemon)
        f.run("second")
        f.wait_for_turns(2)
        spans = f.collector.spans()
        assert len({s["spanId"] for s in spans}) == len(spans) == 2 * many, (len(spans), many)


@test
def secrets_of_an_address_stay_out_of_the_log():
    collector = Collector(lambda n: (503, {}, b""))
    f = Fixture(one_tool, f"telemetry.endpoint=http://user:pa55w0rd@127.0.0.1:{collector.port}/x?api-key=k3yk3y", collector=collector)
    with f:
        f.run("hello")
        until("a line about it", lambda: "does not accept" in "".join(f.daemon.log))
        text = "".join(f.daemon.log)
        assert "pa55w0rd" not in text and "k3yk3y" not in text and "127.0.0.1" in text, text


@test
def a_failed_request_and_its_retry_are_linked():
    with Fixture([failure(500, "oops"), chat("fine")]) as f:
        f.run("try")
        f.wait_for_turns()
        first, second = [s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "model.request"]
        assert first["status"]["code"] == 2 and first["a"]["error.type"], first
        link, = second["links"]
        assert (link["traceId"], link["spanId"]) == (first["traceId"], first["spanId"]), link
        assert otlp.attributes(link) == {"agentruntime.link": "retry"}, link


SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$')


def scraped(text):
    """{name: {labels: value}} of the text format; every sample follows the TYPE of its family."""
    out, family, kinds = {}, None, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            family, kind = line.split()[2:]
            assert family not in kinds, f"{family} twice"
            kinds[family] = kind
        elif not line.startswith("#"):
            m = SAMPLE.match(line)
            assert m, line
            base = re.sub("_(bucket|sum|count)$", "", m[1]) if kinds[family] == "histogram" else m[1]
            assert base == family, (line, family)
            labels = tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2] or "")))
            assert labels not in out.setdefault(m[1], {}), line
            out[m[1]][labels] = float(m[3])
    return out


def check_histograms(found):
    for name, series in found.items():
        if not name.endswith("_bucket"):
            continue
        rows = {}
        for labels, value in series.items():
            bound = dict(labels)["le"]
            rows.setdefault(tuple(x for x in labels if x[0] != "le"), []).append((float(bound.replace("+Inf", "inf")), value))
        for labels, buckets in rows.items():
            buckets.sort()
            assert [v for _, v in buckets] == sorted(v for _, v in buckets), (name, labels)
            assert buckets[-1] == (float("inf"), found[name[:-7] + "_count"][labels]), (name, labels)


@test
def metrics_say_what_the_log_says():
    with answers.Fixture("openai", [failure(500, "oops"), one_tool], "permission.mode=bypass") as f:
        for n in range(3):
            f.run(f"turn {n}")
        code, _ = f.transport.call("submit_turn", {"sessionId": "sess_1"})
        assert code
        status, data = f.transport.request("GET", "/metrics", None)
        assert status == 200
        found = scraped(data.decode())
        check_histograms(found)
        log = f.log()
        many = lambda kind: len([e for e in log if e["type"] == kind])
        assert found["thole_turn_seconds_count"] == {(("outcome", "completed"),): 3}, found["thole_turn_seconds_count"]
        assert found["thole_tool_seconds_count"] == {(("outcome", "completed"), ("tool", "shell")): many("tool.result")}
        assert found["thole_model_request_seconds_count"] == {(("model", "m-1"), ("outcome", "completed")): many("model.completed"),
                                                             (("model", "m-1"), ("outcome", "failed")): 1}
        assert found["thole_model_retries_total"] == {(("model", "m-1"),): 1}, found["thole_model_retries_total"]
        usage = [e["payload"]["usage"] for e in log if e["type"] == "model.completed"]
        for kind, member in (("input", "inputTokens"), ("output", "outputTokens")):
            assert found["thole_tokens_total"][(("kind", kind), ("model", "m-1"))] == sum(u[member] for u in usage), found["thole_tokens_total"]
        cost = sum(e["payload"].get("amountUsd", 0) for e in log if e["type"] == "cost.recorded")
        assert abs(found["thole_cost_usd_total"][(("model", "m-1"),)] - cost) < 1e-9, (found["thole_cost_usd_total"], cost)
        assert found["thole_process_seconds_count"][(("outcome", "completed"),)] == many("process.completed")
        assert sum(found["thole_refused_commands_total"].values()) == 1, found["thole_refused_commands_total"]
        assert found["thole_commit_seconds_count"][()] > 3


def waits_of(f):
    found = scraped(f.transport.request("GET", "/metrics", None)[1].decode())
    words = {dict(labels)["for"]: n for labels, n in found["thole_waits"].items()}
    oldest = {dict(labels)["for"]: n for labels, n in found["thole_oldest_wait_seconds"].items()}
    assert set(words) == set(oldest) and all(bool(words[w]) or not oldest[w] for w in words), (words, oldest)
    return {w: int(n) for w, n in words.items() if n}


@test
def gauges_say_what_waits():
    """Also in sessions that left memory, and after a crash."""
    with answers.Fixture("openai", one_tool, "permission.mode=untrusted", "session.idle_evict_s=1") as f:
        assert waits_of(f) == {}
        for session in ("sess_1", "sess_2"):
            f.call("submit_turn", sessionId=session, input="first")
        f.call("submit_turn", sessionId="sess_1", input="second")
        everything = {"permission": 2, "queue": 1}
        until("both approvals", lambda: waits_of(f) == everything)
        # A gauge may count what is not durable yet; a list does not.
        until("durable approvals", lambda: len(f.call("list_actions", status="pending")["actions"]) == 2)
        f.daemon.kill()
        f.daemon.start()
        f.transport = scenario.Http(f.daemon)
        until("recovery", lambda: waits_of(f) == everything)
        until("no session in memory", lambda: scraped(f.transport.request("GET", "/metrics", None)[1].decode())["thole_live_sessions"][()] <= 1)
        assert waits_of(f) == everything
        f.call("interrupt_turn", sessionId="sess_1", queuePolicy="keep")
        until("a held queue", lambda: waits_of(f) == {"permission": 1, "held": 1})
        for a in f.call("list_actions", status="pending")["actions"]:
            f.call("respond_action", sessionId=a["sessionId"], actionId=a["actionId"], decision="deny", scope="once")
        until("no approval", lambda: waits_of(f) == {"held": 1})


@test
def exemplars_are_there_as_openmetrics():
    accept = "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    with Fixture(one_tool) as f:
        f.run("hello")
        trace = [e for e in f.log() if e["type"] == "turn.submitted"][0]["traceId"]
        plain = f.transport.request("GET", "/metrics", None)[1].decode()
        text = f.transport.request("GET", "/metrics", None, headers={"Accept": accept})[1].decode()
        assert trace not in plain and "# EOF" not in plain
        assert text.endswith("\n# EOF\n") and "# TYPE thole_tokens counter\n" in text and "\nthole_tokens_total{" in text, text[-300:]
        lines = [line for line in text.splitlines() if line.startswith("thole_turn_seconds_bucket") and " # " in line]
        line, = lines
        m = re.fullmatch(r'thole_turn_seconds_bucket\{outcome="completed",le="([^"]+)"\} 1 # \{trace_id="(\w+)"\} (\S+) (\S+)', line)
        assert m and m[2] == trace and float(m[3]) <= float(m[1].replace("+Inf", "inf")), line


@test
def promtool_finds_nothing_wrong():
    if not shutil.which("promtool"):
        return "promtool is not installed (apt-get install prometheus)"
    with Fixture(one_tool) as f:
        f.run("hello")
        text = f.transport.request("GET", "/metrics", None)[1]
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, timeout=scenario.DEADLINE_S)
        assert done.returncode == 0 and not done.stdout and not done.stderr, (done.stdout + done.stderr).decode()


@test
def a_real_prometheus_reads_metrics_and_exemplars():
    if not shutil.which("prometheus"):
        return "prometheus is not installed"
    with Fixture(one_tool) as f, tempfile.TemporaryDirectory(prefix="thole-prometheus-") as work:
        f.run("hello")
        trace = [e for e in f.log() if e["type"] == "turn.submitted"][0]["traceId"]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = {"global": {"scrape_interval": "1s"}, "scrape_configs": [{
            "job_name": "thole", "authorization": {"credentials": f.transport.token}, "static_configs": [{"targets": [f"127.0.0.1:{f.daemon.port}"]}]}]}
        pathlib.Path(work, "prometheus.yml").write_text(json.dumps(config))
        prometheus = subprocess.Popen(["prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/data",
                                       f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def ask(path):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=10) as r:
                    return json.load(r)["data"]
            except OSError:
                return None

        try:
            until("a scrape", lambda: (ask("query?query=thole_turn_seconds_count") or {}).get("result"))
            target, = ask("targets")["activeTargets"]
            assert target["health"] == "up" and not target["lastError"], target
            assert len(ask("query?query=thole_waits")["result"]) == 14
            found = until("an exemplar", lambda: ask("query_exemplars?query=thole_turn_seconds_bucket&start=0&end=9999999999"))
            assert found[0]["exemplars"][0]["labels"] == {"trace_id": trace}, found
        finally:
            prometheus.terminate()
            prometheus.wait(scenario.DEADLINE_S)


@test
def a_trial_is_its_turn_and_the_reward_leads_to_it():
    """The standard has no span for trials: the turn's span has the ids, and what happens later are log records of it."""
    bench = {"datasetId": "demo", "datasetVersion": "1", "taskId": "hello", "trialId": "trial-a", "configurationId": "a", "role": "baseline"}
    with Fixture(one_tool) as f:
        f.call("start_benchmark_trial", sessionId="sess_1", input="hello", timeoutSec=600, benchmark=bench)
        until("the end", lambda: [e for e in f.log() if e["type"] == "benchmark.trial.completed"])
        f.call("record_benchmark_reward", sessionId="sess_1", trialId="trial-a", file="0.5", verifierRef="tests/test.sh")
        turn, = f.wait_for_turns()
        want = {"agentruntime.trial_id": "trial-a", "agentruntime.trial.dataset_id": "demo", "agentruntime.trial.dataset_version": "1",
                "agentruntime.trial.task_id": "hello", "agentruntime.trial.configuration_id": "a"}
        assert want.items() <= turn["a"].items() and turn["a"]["agentruntime.task_id"].startswith("task_"), turn
        assert "benchmark.trial.started" in [e["name"] for e in turn["events"]], turn
        record = until("the reward", lambda: [r for r in f.collector.logs() if r["eventName"] == "benchmark.reward.recorded"])[0]
        assert (record["traceId"], record["spanId"], record["a"]["gen_ai.evaluation.score.value"]) == (turn["traceId"], turn["spanId"], 0.5), record
        assert want.items() <= record["a"].items() and "test.sh" not in json.dumps(record), record
        end, = [r for r in f.collector.logs() if r["eventName"] == "benchmark.trial.completed"]
        assert end["spanId"] == turn["spanId"] and end["a"]["agentruntime.trial.timed_out"] is False, end
        compare(f.log(), f.collector.spans())


@test
def exports_are_measured():
    with Fixture(one_tool) as f:
        f.run("hello")
        f.call("export_evidence", sessionId="sess_1")
        f.call("export_review", sessionId="sess_1")
        found = scraped(f.transport.request("GET", "/metrics", None)[1].decode())
        assert found["thole_export_seconds_count"] == {(("command", "export_evidence"),): 1, (("command", "export_review"),): 1}, found


@test
def the_201st_tool_is_other():
    """Label values come from tool servers and clients, so their number is bounded: here models that a client names."""
    with answers.Fixture("openai", lambda r: chat("yes")(r), "permission.mode=bypass") as f:
        for n in range(250):
            f.call("submit_turn", sessionId=f"sess_{n}", input="hello", model=f"fake/m-1")
            f.call("submit_turn", sessionId=f"sess_{n}", input="hello", model=f"none/such-{n}")
        f.run("hello")
        found = scraped(f.transport.request("GET", "/metrics", None)[1].decode())
        assert all(len(series) <= 201 for name, series in found.items() if not name.endswith("_bucket")), {n: len(x) for n, x in found.items()}


@test
def a_tool_that_a_model_made_up_is_not_named():
    """Its name is text of the model."""
    name = f"{CANARY}\n\"tool\" x"

    def answer(r):
        is_second = r.body["messages"][-1]["role"] == "tool"
        return (chat("done") if is_second else chat(calls=[("c1", name, "{}")], stop="tool_calls"))(r)

    with Fixture(answer) as f:
        f.run("call it")
        f.wait_for_turns()
        tool, = [s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "tool.call"]
        assert tool["name"] == "execute_tool unknown" and tool["a"]["error.type"] == "unknown_tool", tool
        assert all(CANARY.encode() not in body for _, _, body in f.collector.requests)
        text = f.transport.request("GET", "/metrics", None)[1].decode()
        assert CANARY not in text and scraped(text)["thole_tool_seconds_count"] == {(("outcome", "failed"), ("tool", "unknown")): 1}


def check_sent_metrics(form):
    with Fixture(one_tool, form=form, env={"OTEL_METRIC_EXPORT_INTERVAL": "100"}) as f:
        f.run("hello")

        def look():
            for r in f.collector.decoded("/v1/metrics"):
                metrics = {m["name"]: m for scope in r["resourceMetrics"][0]["scopeMetrics"] for m in scope["metrics"]}
                if "agentruntime.turn.duration" in metrics:
                    return metrics
        metrics = until("metrics of a turn", look)
        turn = metrics["agentruntime.turn.duration"]
        point, = turn["histogram"]["dataPoints"]
        assert turn["unit"] == "s" and turn["histogram"]["aggregationTemporality"] == 2, turn
        assert point["count"] == 1 and sum(point["bucketCounts"]) == 1 and len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1, point
        assert otlp.attributes(point) == {"outcome": "completed"}, point
        first = [e for e in f.log() if e["type"] == "turn.submitted"][0]
        assert point["exemplars"][0]["traceId"] == first["traceId"], point
        tokens = metrics["agentruntime.tokens"]["sum"]
        assert tokens["isMonotonic"] is True and tokens["dataPoints"][0]["asDouble"] > 0, tokens
        assert "gen_ai.client.operation.duration" in metrics, list(metrics)
        waits = metrics["agentruntime.waits"]["gauge"]["dataPoints"]
        assert {otlp.attributes(p)["for"] for p in waits} >= {"permission", "queue", "held"} and all(p["asDouble"] == 0 for p in waits), waits
        assert metrics["agentruntime.waits.oldest"]["unit"] == "s" and metrics["agentruntime.waits"]["unit"] == "1"


@test
def metrics_are_sent_in_json():
    check_sent_metrics("json")


@test
def metrics_are_sent_in_protobuf():
    if not otlp.is_here():
        return "the message definitions are not here"
    check_sent_metrics("protobuf")


@test
def events_are_cloudevents_on_request():
    with Fixture(one_tool) as f:
        f.run("hello")
        status, data = f.transport.request("GET", "/v1/events?session=sess_1&after=0&follow=0&as=cloudevents", None,
                                           headers={"Accept": "application/x-ndjson"})
        assert status == 200
        events, log = [json.loads(line) for line in data.decode().splitlines() if line], f.log()
        assert [e["data"] for e in events] == log
        for e in events:
            assert e["specversion"] == "1.0" and e["type"] == "dev.agentruntime." + e["data"]["type"], e
            assert (e["id"], e["subject"], e["source"]) == (e["data"]["eventId"], "sess_1", "/runtimes/" + e["data"]["runtimeId"]), e
            assert all(re.fullmatch("[a-z0-9]{1,20}", key) for key in e), list(e)
        assert [e["sequence"] for e in events] == sorted(e["sequence"] for e in events)
        assert {e["traceparent"][-2:] for e in events if "traceparent" in e} == {"01"}


@test
def cloudevents_say_whether_a_trace_is_sampled():
    with Fixture(one_tool, "telemetry.sample_ratio=0") as f:
        f.run("hello")
        data = f.transport.request("GET", "/v1/events?session=sess_1&after=0&follow=0&as=cloudevents", None, headers={"Accept": "application/x-ndjson"})[1]
        events = [json.loads(line) for line in data.decode().splitlines() if line]
        assert {e["traceparent"][-2:] for e in events if "traceparent" in e} == {"00"}, events


@test
def wrong_settings_stop_the_start():
    for env, options, word in (({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, [], "http/protobuf"),
                               ({"OTEL_EXPORTER_OTLP_HEADERS": "novalue"}, [], "name=value"),
                               ({"OTEL_EXPORTER_OTLP_HEADERS": "a=b%0d%0ax"}, [], "control character"),
                               ({"OTEL_TRACES_EXPORTER": "zipkin"}, [], "otlp and none"),
                               ({"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, [], "milliseconds"),
                               ({"OTEL_TRACES_SAMPLER": "always_on"}, [], "parentbased_traceidratio"),
                               ({"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1.5"}, [], "from 0 to 1"),
                               ({}, ["telemetry.sample_ratio=2"], "from 0 to 1"),
                               ({}, ["telemetry.endpoint=collector:4318"], "neither http:// nor https://")):
        f = Fixture(one_tool, *options, env=env)
        try:
            with f:
                raise AssertionError(f"it started with {env} {options}")
        except Exception as e:  # what the daemon says is part of the error
            assert word in str(e) + "".join(f.daemon.log), (env, options, str(e))


@test
def off_means_no_field_and_no_request():
    collector = Collector()
    with answers.Fixture("openai", one_tool, "permission.mode=bypass") as f:
        f.run("hello")
        assert not any("traceId" in e or "spanId" in e for e in f.log())
    assert not collector.requests
    collector.close()


def main():
    os.environ["SIM_KEY"] = "sk-0123456789-secret"
    words = sys.argv[2:]
    chosen = [t for t in tests if not words or any(w in t.__name__ for w in words)]
    print(f"1..{len(chosen)}")
    failed = 0
    for n, t in enumerate(chosen, 1):
        name = "telemetry: " + t.__name__.replace("_", " ")
        try:
            why = t()
            print(f"ok {n} - {name}" + (f" # SKIP {why}" if why else ""), flush=True)
        except Exception:
            failed += 1
            print(f"not ok {n} - {name}", flush=True)
            print("\n".join("# " + line for line in traceback.format_exc().splitlines()), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
