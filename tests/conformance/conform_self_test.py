#!/usr/bin/env python3
"""`thole conform self`: our own runtime passes profile core, and a scenario or a log that is wrong is reported.

usage: conform_self_test.py BUILD_DIR

Prints TAP.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import tap  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
THOLE = BUILD / "thole"
tests = []


def test(f):
    tests.append(f)
    return f


def run(*words, **more):
    with tempfile.TemporaryDirectory(prefix="conform-") as place:
        env = {**os.environ, "TMPDIR": place, **more}
        done = subprocess.run([THOLE, "conform", *map(str, words)], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)
        left = os.listdir(place)
    assert not left, f"it left {left}"
    return done


def has_sandbox():
    return json.loads(subprocess.run([THOLE, "sandbox", "probe"], capture_output=True, check=True).stdout).get("tier") not in (None, "none")


def rows(report, *results):
    return {r["id"]: r for r in report["rows"] if r["result"] in results}


@test
def our_runtime_passes_profile_core():
    done = run("self", "--profile", "core", "--json")
    assert done.stdout, (done.returncode, done.stderr)
    report = json.loads(done.stdout)
    assert done.returncode == 0, (report.get("first"), done.stderr)
    assert not rows(report, "fail")
    if has_sandbox():
        assert report["core"] == "compatible" and "compatible with profile core" in report["verdict"], rows(report, "not_shown").keys()
        assert report["verdict"] in (ROOT / "README.md").read_text(), f"README quotes another result than: {report['verdict']}"
        assert not rows(report, "not_applicable"), rows(report, "not_applicable").keys()
    assert sum(log["unreadable"] + log["redelivered"] for log in report["logs"]) == 0
    assert len(report["logs"]) >= 12 and all(log["events"] for log in report["logs"])


@test
def settings_of_the_user_do_not_change_the_result():
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(home + "/thole")
        pathlib.Path(home, "thole", "config.json").write_text('{"permission":{"rules":[{"id":"no","effect":"deny","tool":"*"}]}}')
        done = run("self", "--json", XDG_CONFIG_HOME=home, THOLE_MODE="never", THOLE_TOOLS_ENABLED="false", EXAMPLE_API_KEY="k")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and not rows(report, "fail"), report.get("first")


@test
def a_runtime_that_does_not_do_what_a_scenario_says_fails():
    pack = json.loads(run("pack").stdout)
    kept = ("repeat", "approval", "interrupt")
    for name, old, new in (("approval", "refused already_resolved", "refused not_found"), ("interrupt", "status=cancelled", "status=completed"),
                           ("repeat", "count turn.submitted 1", "count turn.submitted 2")):
        scenarios = {n: pack["scenarios"][n] for n in kept}
        assert old in scenarios[name]
        scenarios[name] = scenarios[name].replace(old, new)
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "pack.json"
            path.write_text(json.dumps({**pack, "scenarios": scenarios}))
            done = run("self", "--json", "--pack", path)
        report, failed = json.loads(done.stdout), None
        failed = rows(report, "fail")
        wanted = {r["id"] for r in pack["rows"] if any(c["kind"] == "scenario" and c["name"] == name for c in r["checks"])}
        assert done.returncode == 1 and set(failed) == wanted, (name, failed)
        assert all(f["first"]["text"].startswith("line ") for f in failed.values()), failed
        assert report["core"] == "fails" and "compatible" not in report["verdict"]


@test
def a_runtime_that_delegates_otherwise_than_a_scenario_says_fails():
    pack = json.loads(run("pack").stdout)
    for name, old, new, reason in (("wk-peer", "task.taskId!=$inner", "task.taskId=$inner", "task.taskId is task_"),
                                   ("wk-peer", "count task.delegated 2", "count task.delegated 3", "task.delegated occurs 2 times"),
                                   ("wk-peer", "at_peer view list_sessions {} | sessions.length=2", "at_peer view list_sessions {} | sessions.length=1", "sessions.length is 2"),
                                   ("wk-peer", "payload.reconciled.artifacts=present", "payload.reconciled.artifacts=missing", "artifacts is present"),
                                   ("wk-peer-states", "count task.delegated 3", "count task.delegated 4", "task.delegated occurs 3 times"),
                                   ("wk-peer-states", "count task.completed 0", "count task.completed 1", "task.completed occurs 0 times")):
        text = pack["scenarios"][name]
        assert old in text, old
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "pack.json"
            path.write_text(json.dumps({**pack, "scenarios": {name: text.replace(old, new, 1)}}))
            done = run("self", "--json", "--pack", path)
        failed = rows(json.loads(done.stdout), "fail")
        wanted = {r["id"] for r in pack["rows"] if any(c["kind"] == "scenario" and c["name"] == name for c in r["checks"])}
        assert done.returncode == 1 and set(failed) == wanted, (old, failed)
        assert all(reason in f["first"]["text"] for f in failed.values()), failed


CASES = (
    ("ev-identity", "transports ndjson sse page websocket stdio", "transports pigeon", "cannot be read over pigeon"),
    *(("ev-identity", "transports ndjson sse page websocket stdio", f'when create_task {{"sessionId":"$c","objective":"unread"}}\ntransports {name}', f"{name}: event ")
      for name in ("ndjson", "sse", "page")),
    ("ng-plain", "packed $limited rate_limit.hit", "packed $limited quota.low", "has no quota.low"),
    ("ng-plain", "packed $limited rate_limit.hit", "packed $pack rate_limit.hit", "the pack lacks the rate_limit.hit"),
    ("ng-evidence", "replay $bare\n", "replay $bare | nothing=here\n", "the replay: nothing is null"),
    ("ng-evidence", "replay $bare\n", "replay $one\n", "cannot be read"),
    ("ng-evidence", 'resourceSpans~"evidence.export"', 'resourceSpans~"evidence.import"', "evidence.import"),
    ("wk-channel", "stranger unauthorized submit_turn", "stranger forbidden submit_turn", "was refused with unauthorized, not forbidden"),
    ("wk-channel", "events~login_refused", "events~login_accepted", "wanted ~login_accepted"),
    ("wk-delivery", "option hooks={}\n", "", "wanted =parent_missing"),
    ("ev-history", "restart without_outputs", "restart", "get_output was accepted"),
    ("ev-layers", "layer=evidence_export", "layer=event_log", "layer is evidence_export"),
    ("ng-hooks", "then ... hook.started\nlast hook.started threadId=thr_held", "then ... turn.completed\nlast hook.started threadId=thr_held", "turn.completed"),
    ("ng-items", "graph.edges.2.targetId=$counted", "graph.edges.2.targetId=$bob", "graph.edges.2.targetId is job_"),
    ("ng-trial", "refs.releaseBlockerRef=blockers/1", "refs.releaseBlockerRef=blockers/2", "blockers/1"),
    ("wk-peer-undelivered", "task.status=blocked task.nativeStatus", "task.status=completed task.nativeStatus", "task.status is blocked"),
    ("wk-peer-ends", "task.status=lost task.statusReason", "task.status=failed task.statusReason", "task.status is lost"),
    ("wk-peer", "last channel.permission_forwarded channelId=$phone", "last channel.permission_forwarded channelId=none", "channelId is chan_"),
)
SANDBOXED = (
    ("ev-full", "outputSummary.count:number", "outputSummary.count:text", "wanted :text"),
    ("ev-full", "turns.0.hookRuns:list", "turns.0.hookRuns:object", "wanted :object"),
    ("ev-full", "stale:bool", "stale:list", "stale is false, wanted :list"),
    ("ev-ids", "turns.0.steps.3.index=4", "turns.0.steps.3.index=3", "turns.0.steps.3.index is 4"),
    ("ev-refs", "refs.trace!=null", "refs.trace=null", "refs.trace is out_"),
    ("ev-commands", "refused invalid_value list_processes", "refused not_found list_processes", "was refused with invalid_value"),
    ("wk-sandbox-modes", "option sandbox.mode=external_sandbox\n", "", "payload.mode is danger_full_access"),
    ("wk-sandbox-modes", "option hand=/bin/false\n", "", "wanted =unavailable"),
    ("wk-permission-ids", "last permission.resolved toolCallId=$tool processId=$process", "last permission.resolved toolCallId=$tool processId=none", "processId is proc_"),
)


def changed_scenario_fails(pack, name, old, new, reason):
    text = pack["scenarios"][name]
    assert old in text, (name, old)
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "pack.json"
        path.write_text(json.dumps({**pack, "scenarios": {name: text.replace(old, new, 1)}}))
        done = run("self", "--json", "--timeout", "15s", "--pack", path)
    failed = rows(json.loads(done.stdout), "fail")
    wanted = {r["id"] for r in pack["rows"] if any(c["kind"] == "scenario" and c["name"] == name for c in r["checks"])}
    assert done.returncode == 1 and set(failed) == wanted, (name, new, failed)
    assert all(reason in f["first"]["text"] for f in failed.values()), (name, new, [f["first"]["text"] for f in failed.values()][:1])


@test
def a_runtime_with_another_result_than_a_step_asks_for_fails():
    pack = json.loads(run("pack").stdout)
    for case in CASES + (SANDBOXED if has_sandbox() else ()):
        changed_scenario_fails(pack, *case)


@test
def a_second_runtime_ends_with_its_scenario():
    pack = json.loads(run("pack").stdout)
    text = "peer <<END\n{ \"version\": 1, \"default\": { \"text\": \"hello\" } }\nEND\npeer_kill\npeer_again\n%s\nwhen submit_turn {\"input\":\"hello\"}\nthen session.created ... turn.completed\n"
    for step, reason in (("at_peer view list_sessions {} | sessions.length=0", None), ("at_peer view list_sessions {} | sessions.length=1", "sessions.length is 0"),
                         ("at_peer nothing", "there is no step"), ("peer <<END\n{}\nEND", "does not start"), ("peer_kill\nat_peer view list_sessions {} | a=b", "list_sessions got no answer")):
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "pack.json"
            path.write_text(json.dumps({**pack, "scenarios": {"wk-peer": text % step}}))
            done = run("self", "--json", "--pack", path)
        found = {r["first"]["text"] for r in rows(json.loads(done.stdout), "fail").values()}
        assert bool(found) == bool(reason) and all(reason in f for f in found), (step, found)


@test
def a_pack_of_evidence_that_is_not_as_a_scenario_says_fails():
    pack = json.loads(run("pack").stdout)
    text = pack["scenarios"]["ng-plain"]
    for old, new, reason in (("signals.job.status=not_applicable", "signals.job.status=exported", "pack.json: signals.job.status is not_applicable, wanted =exported"),
                             ("events.jsonl | text~rate_limit.hit", "events.jsonl | text!~rate_limit.hit", "events.jsonl: text is"),
                             ("pack $limited pack.json", "pack $limited none.json", "the pack has no none.json"),
                             ("pack $limited pack.json", "pack $limited ../script.json", "the pack has no ../script.json"),
                             ("pack $limited pack.json", "pack $soon pack.json", "cannot be read")):
        assert old in text
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "pack.json"
            path.write_text(json.dumps({**pack, "scenarios": {"ng-plain": text.replace(old, new, 1)}}))
            done = run("self", "--json", "--pack", path)
        failed = rows(json.loads(done.stdout), "fail")
        wanted = {r["id"] for r in pack["rows"] if any(c["kind"] == "scenario" and c["name"] == "ng-plain" for c in r["checks"])}
        assert done.returncode == 1 and set(failed) == wanted, (old, failed)
        assert all(reason in f["first"]["text"] for f in failed.values()), failed


@test
def a_log_of_ours_with_a_secret_fails():
    done = run("self", "--json", "--profile", "core", "--canary", "publish the news")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and set(rows(report, "fail")) == {"OUT-06"}, rows(report, "fail")
    assert "canary" in rows(report, "fail")["OUT-06"]["first"]["text"]


def processes_below(place):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if str(place).encode() in text:
            found.append(text)
    return found


@test
def a_signal_leaves_no_daemon_and_no_directory():
    for number in (signal.SIGTERM, signal.SIGINT):
        with tempfile.TemporaryDirectory(prefix="conform-") as place:
            run = subprocess.Popen([THOLE, "conform", "self"], env={**os.environ, "TMPDIR": place}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until("a daemon runs", lambda: list(pathlib.Path(place).glob("*/*/data/socket")))
            run.send_signal(number)
            assert run.wait(DEADLINE_S) == 128 + number
            assert not os.listdir(place) and not processes_below(place), (os.listdir(place), processes_below(place))


if __name__ == "__main__":
    sys.exit(tap.play(tests))
