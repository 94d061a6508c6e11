#!/usr/bin/env python3
"""Traces and logs to a collector on loopback: what it receives is decoded strictly and compared with the log.

usage: telemetry_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.
"""
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "provider")]
import otlp  # noqa: E402
import answers_test as answers  # noqa: E402
from fake import chat, failure  # noqa: E402

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
def a_child_agent_is_linked_to_its_parent():
    def answer(r):
        messages = r.body["messages"]
        said = " ".join(str(m.get("content")) for m in messages if m["role"] == "user")
        if "CHILD" in said and "PARENT" not in said:
            return chat("child done")(r)
        results = len([m for m in messages if m["role"] == "tool"])
        call = [[("c1", "spawn_agent", json.dumps({"role": "review", "input": "CHILD"}))], [("c2", "wait_agents", "{}")]]
        return (chat(calls=call[results], stop="tool_calls") if results < 2 else chat("done"))(r)

    with Fixture(answer) as f:
        f.run("PARENT")
        f.wait_for_turns(2)
        turns = [s for s in f.collector.spans() if s["a"]["agentruntime.span"] == "interaction"]
        child, = [s for s in turns if "agentruntime.subagent_id" in s["a"]]
        parent, = [s for s in turns if s is not child]
        link, = child["links"]
        assert (link["traceId"], link["spanId"]) == (parent["traceId"], parent["spanId"]), (link, parent)
        assert otlp.attributes(link) == {"agentruntime.link": "parent"}, link


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
        assert any("traceparent" in e for e in events)


@test
def wrong_settings_stop_the_start():
    for env, options, word in (({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, [], "http/protobuf"),
                               ({"OTEL_EXPORTER_OTLP_HEADERS": "novalue"}, [], "name=value"),
                               ({"OTEL_EXPORTER_OTLP_HEADERS": "a=b%0d%0ax"}, [], "control character"),
                               ({"OTEL_TRACES_EXPORTER": "zipkin"}, [], "otlp and none"),
                               ({"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, [], "milliseconds"),
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
