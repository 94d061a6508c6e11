"""Hooks: when they run, their input, the effect of their decision, and what happens when one fails."""
import atexit
import json
import os
import shutil
import tempfile

from contract_fixture import Fixture, all_of, having, need, one, order, rows, same, story

CANARY = "canary-7f3a9c-not-for-hooks"
NOTE = {"name": "note", "policy": "allowed", "result": {"text": "noted {{args.text}}", "writeFile": {"path": "note.txt", "text": "{{args.text}}"}},
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}
KEEP = {"name": "keep", "policy": "ask", "result": {"text": "kept", "writeFile": {"path": "keep.txt", "text": "kept"}}}
BROKEN = {"name": "broken", "policy": "allowed", "result": {"fail": {"message": "it broke"}}}
CALLS = story(tools=[NOTE, KEEP, BROKEN], note=("note", {"text": "milk"}), keep=("keep", {}), broken=("broken", {}))
POINTS = ("session_start", "user_prompt_submit", "pre_tool_use", "permission_request", "post_tool_use", "post_tool_failure", "post_sampling", "stop")


def hooks(**points):
    """The setting: each point has one command."""
    return "hooks=" + json.dumps({point: [{"name": point, **({"command": said} if isinstance(said, str) else said)}] for point, said in points.items()})


def says(**answer):
    return "cat >/dev/null; printf '%s' '" + json.dumps(answer) + "'"


PROGRAMS = tempfile.mkdtemp(prefix="thole-programs-")
atexit.register(shutil.rmtree, PROGRAMS, True)


def program(name, text):
    """A hook with the user's rights: a program outside every workspace.  It finds the session's directory in its input."""
    path = os.path.join(PROGRAMS, name)
    with open(path, "w") as f:
        f.write("#!/usr/bin/python3\nimport json, os, sys\ntold = sys.stdin.read()\nhere = json.loads(told)['cwd']\n" + text)
    os.chmod(path, 0o755)
    return {"command": path, "sandbox": "none"}


RECORDER = program("record", "at = os.path.join(here, json.loads(told)['point'])\n"
                   "open(at + '.json', 'a').write(told + '\\n')\n"
                   "open(at + '.env', 'w').write(''.join(f'{k}={v}\\n' for k, v in os.environ.items()))\n")
# A hook that decides writes nowhere, so the recorder has the user's rights there.
RECORD = {p: RECORDER if p in ("pre_tool_use", "permission_request") else f"cat >>$dir/{p}.json; echo >>$dir/{p}.json; env >$dir/{p}.env" for p in POINTS}


def records(fixture, point):
    return [json.loads(line) for line in (fixture.text(point + ".json") or "").split("\n") if line]


@rows("HOK-01", "HOK-02", "EVT-064", "EVT-065", script=CALLS, options=(hooks(**RECORD),), both=True)
def check_each_point_once(fixture):
    reply, action = fixture.asked("keep")
    session = reply["sessionId"]
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    fixture.until("its end", lambda: fixture.ended(reply))
    counts = {p: len(records(fixture, p)) for p in POINTS}
    same(counts, {"session_start": 1, "user_prompt_submit": 1, "pre_tool_use": 1, "permission_request": 1, "post_tool_use": 1, "post_tool_failure": 0,
                  "post_sampling": 2, "stop": 1}, "a turn with one call")
    fixture.turn("broken", sessionId=session)
    counts = {p: len(records(fixture, p)) for p in POINTS}
    same(counts, {"session_start": 1, "user_prompt_submit": 2, "pre_tool_use": 2, "permission_request": 1, "post_tool_use": 1, "post_tool_failure": 1,
                  "post_sampling": 4, "stop": 2}, "and one that fails")
    events = fixture.events(session)
    same([e["payload"]["point"] for e in all_of(events, "hook.started")], [e["payload"]["point"] for e in all_of(events, "hook.completed")], "events")
    same(len(all_of(events, "hook.started")), sum(counts.values()), "as many events as runs")
    told = records(fixture, "pre_tool_use")[0]
    having(told, "point", "sessionId", "threadId", "turnId", "cwd", "workspaceId", "permissionMode", "sandbox", "toolName", "toolInput")
    same((told["cwd"], told["toolName"], told["permissionMode"]), (fixture.dir, "keep", "default"), "its input")
    flat = json.dumps(told)
    for word in ("toolCallId", "transcript", "routing", "policy"):
        need(word in flat, f"{word} is not told: {flat[:900]}")


@rows("HOK-03", own=True)
def check_no_secrets_for_hooks(build):
    os.environ["CANARY_API_KEY"] = CANARY
    try:
        fixture = Fixture(build, script=CALLS, options=(hooks(**RECORD),), files={"private.txt": CANARY})
    finally:
        del os.environ["CANARY_API_KEY"]
    try:
        token = open(os.path.join(fixture.data, "token")).read().strip()
        reply, action = fixture.asked("keep")
        fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow")
        fixture.until("its end", lambda: fixture.ended(reply))
        need(fixture.text("stop.env") and "PATH=" in fixture.text("stop.env"), "the hooks ran")
        for name in os.listdir(fixture.dir):
            if name.endswith((".env", ".json")) and name != "data.json":
                for secret in (CANARY, token):
                    need(secret not in (fixture.text(name) or ""), f"a secret in {name}")
    finally:
        fixture.close()


@rows("HOK-04", "HOK-09", "ACC-11", "NEG-16", script=CALLS, options=(hooks(pre_tool_use={"match": "note", "command": says(updatedInput={"text": "oat milk"})}),),
      both=True)
def check_another_input(fixture):
    reply, events = fixture.turn("note")
    order(events, "tool.args", "hook.started", "hook.completed", "tool.args", "permission.evaluated", "tool.result")
    done = one(events, "hook.completed")
    before, after = done["refs"]["inputBefore"], done["refs"]["inputAfter"]
    same((json.loads(fixture.output(before)), json.loads(fixture.output(after))), ({"text": "milk"}, {"text": "oat milk"}), "both refs")
    same(done["payload"]["updatedInputRef"], after, "the ref of the answer")
    args = one(events, "tool.args")["payload"]
    same((args["kind"], args["updatedBy"], args["hookRunId"]), ("updated", "hook", done["hookRun"]["hookRunId"]), "who changed it")
    same(one(events, "tool.result")["payload"]["hookRunIds"], [done["hookRun"]["hookRunId"]], "the result does not hide it")
    same(fixture.text("note.txt"), "oat milk", "what ran")
    read = fixture.read(reply["sessionId"])["toolCalls"][0]
    same(read["hookRunIds"], [done["hookRun"]["hookRunId"]], "nor does the read")


@rows("HOK-04", "ACC-11", script=CALLS, options=(hooks(pre_tool_use={"match": "note", "command": "cat >/dev/null; echo no milk here >&2; exit 2"}),), both=True)
def check_a_block(fixture):
    _, events = fixture.turn("note")
    failed = one(events, "tool.failed")
    same((failed["payload"]["category"], failed["payload"]["executed"]), ("hook_blocked", "no"), "the end")
    need("no milk here" in failed["statusReason"], f"the reason: {failed['statusReason']}")
    same(one(events, "hook.completed")["payload"]["decision"], "block", "the event")
    same(fixture.text("note.txt"), None, "it ran")


@rows("HOK-04", own=True)
def check_each_word(build):
    for answer, runs, asked in (({"decision": "deny", "reason": "no"}, False, False), ({"decision": "ask"}, False, True),
                                ({"decision": "allow"}, True, False), ({"continue": True}, True, False), ({"continue": False}, False, False)):
        fixture = Fixture(build, script=CALLS, options=(hooks(pre_tool_use=says(**answer)),))
        try:
            reply = fixture.call("submit_turn", input="note")
            if asked:
                action = one(fixture.wait(reply["sessionId"], "action.required"), "action.required")
                fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="deny")
            events = fixture.until("its end", lambda: fixture.ended(reply))
            need(bool(all_of(events, "action.required")) == asked, f"{answer}: asked")
            same(fixture.text("note.txt") is not None, runs, f"{answer}: effect")
            if answer.get("decision") in ("deny", "ask"):
                same(one(events, "permission.evaluated")["permissionDecision"]["decisionSource"], "hook", f"{answer}: source")
        finally:
            fixture.close()


HEARS = json.dumps({"version": 1, "tools": [NOTE], "default": {"text": "done"}, "rules": [
    {"when": {"toolResult": {"contains": "something else"}}, "reply": {"text": "heard: {{toolResult}}"}},
    {"when": {"text": {"equals": "note"}, "request": 1}, "reply": {"toolCalls": [{"name": "note", "args": {"text": "milk"}}]}}]})


@rows("HOK-04", script=HEARS, options=(hooks(post_tool_use=says(updatedToolOutput="something else", additionalContext="mind the gap"),
                                             stop="cat >/dev/null; echo a long note of its own"),))
def check_another_output_and_context(fixture):
    reply, events = fixture.turn("note")
    done = next(e for e in all_of(events, "hook.completed") if e["payload"]["point"] == "post_tool_use")
    same((fixture.output(done["refs"]["outputBefore"]), fixture.output(done["refs"]["outputAfter"])), ("noted milk", "something else"), "both refs")
    same(done["payload"]["updatedToolOutputRef"], done["refs"]["outputAfter"], "the ref of the answer")
    same([fixture.output(r) for r in done["payload"]["additionalContextRefs"]], ["mind the gap"], "context by ref")
    answer = "".join(e["payload"].get("text", "") for e in all_of(events, "model.delta"))
    same(answer, "heard: something else", "what the model was given")
    stop = one(events, "hook.completed")
    same([fixture.output(r) for r in stop["hookRun"]["auditRefs"]], ["a long note of its own"], "its note")


@rows("HOK-04", script=CALLS, options=(hooks(stop=says(suppressOutput=True, reason="quiet")),))
def check_suppressed_output(fixture):
    done = one(fixture.turn("note")[1], "hook.completed")
    same((done["payload"]["suppressOutput"], done["hookRun"].get("auditRefs") or []), (True, []), "no copy")


@rows("HOK-05", "HOK-08", "EVT-064", "EVT-065", "EVT-066", script=CALLS, options=("trace=true", hooks(
    pre_tool_use={"match": "note", "command": "cat >/dev/null", "timeout_ms": 1234}, post_tool_use="cat >/dev/null; exit 3"),))
def check_what_is_known_of_a_run(fixture):
    reply, events = fixture.turn("note")
    started = all_of(events, "hook.started")[0]
    having(started, "threadId", "turnId")
    same((started["payload"]["point"], started["payload"]["handlerRef"], started["payload"]["timeoutMs"]), ("pre_tool_use", "hook:user:pre_tool_use", 1234), "started")
    need(started["payload"].get("preview"), f"no preview: {started['payload']}")
    need(started["hookRun"]["hookRunId"] and started.get("toolCallId"), "ids")
    done = one(events, "hook.completed")
    having(done["payload"], "durationMs", "decision", "additionalContextRefs", "suppressOutput")
    same((done["hookRun"]["status"], done["hookRun"]["exitCode"]), ("completed", 0), "completed")
    failed = one(events, "hook.failed")
    having(failed["payload"], "category", "retryable", "failPolicy", "message", "durationMs")
    same((failed["payload"]["failPolicy"], failed["hookRun"]["exitCode"]), ("open", 3), "failed")
    runs = fixture.read(reply["sessionId"])["turns"][-1]["hookRuns"]
    same(len(runs), 2, "in the read")
    having(runs[0], "durationMs")
    figures = dict(line.split() for line in fixture.get("/metrics")[1].decode().splitlines() if line.startswith("thole_hook_"))
    same((figures["thole_hook_runs_total"], figures["thole_hook_failures_total"]), ("2", "1"), "figures")
    same(round(float(figures["thole_hook_seconds_total"]) * 1000), done["payload"]["durationMs"] + failed["payload"]["durationMs"], "as the events say")
    need(started["spanId"] == done["spanId"] and started["traceId"] == done["traceId"], "one span from start to end")


@rows("HOK-06", "HOK-07", "EVT-066", script=CALLS, options=(hooks(pre_tool_use={"match": "note", "command": "kill -SEGV $$"},
                                                                  post_sampling="exit 9", stop={"command": "sleep 60", "timeout_ms": 100}),))
def check_failures_closed_and_open(fixture):
    _, events = fixture.turn("note")
    failed = {e["payload"]["point"]: e["payload"] for e in all_of(events, "hook.failed")}
    same(failed["pre_tool_use"]["failPolicy"], "closed", "high risk")
    same((one(events, "tool.failed")["payload"]["category"], one(events, "tool.failed")["payload"]["executed"]), ("hook_failed", "no"), "the call")
    same(fixture.text("note.txt"), None, "it ran")
    same((failed["post_sampling"]["failPolicy"], failed["stop"]["category"]), ("open", "timeout"), "context, and time")
    need(all_of(events, "runtime.warning") and all_of(events, "turn.completed"), "the turn continues, with a warning")


@rows("HOK-06", script=CALLS, options=(hooks(user_prompt_submit="exit 9"),))
def check_a_prompt_that_cannot_be_checked(fixture):
    _, events = fixture.turn("note")
    same(one(events, "hook.failed")["payload"]["failPolicy"], "closed", "policy")
    need(all_of(events, "turn.failed") and not all_of(events, "model.requested"), "the turn went on")


BIG = "cat >/dev/null; head -c 5242880 /dev/zero | tr '\\0' x"


@rows("NEG-15", "OUT-02", script=CALLS, options=(hooks(pre_tool_use=BIG, post_tool_use=BIG),))
def check_five_megabytes_from_a_hook(fixture):
    reply, events = fixture.turn("note")
    need(max(len(json.dumps(e)) for e in events) < 65536, "an event is large")
    need(all_of(events, "turn.completed"), "the turn ends")
    spilled = [e for e in all_of(events, "output.spilled") if e["output"]["owner"] == "hook"]
    truncated = [e for e in all_of(events, "output.truncated") if e["payload"]["for"] == "hook" or e.get("output", {}).get("owner") == "hook"]
    need(spilled and truncated, f"spilled {len(spilled)}, truncated {len(truncated)}")
    need(fixture.call("get_output", outputRef=spilled[0]["outputRef"], length=10)["text"] == "x" * 10, "the ref")


GO_ON = json.dumps({"version": 1, "default": {"text": "done"}, "rules": []})


@rows("NEG-17", script=GO_ON, options=(hooks(stop={"command": "cat >/dev/null; while [ ! -e $dir/go ]; do sleep 0.02; done; printf '{\"decision\":\"block\",\"reason\":\"not yet\"}'",
                                                   "timeout_ms": 20000}),))
def check_a_stop_that_is_held(fixture):
    reply = fixture.call("submit_turn", input="hello")
    session = reply["sessionId"]
    fixture.wait(session, "hook.started")
    read = fixture.read(session)
    need(read["status"] in ("running", "blocked"), f"while the hook thinks: {read['status']}")
    open(fixture.path("go"), "w").close()
    events = fixture.until("its end", lambda: fixture.ended(reply))
    same([e["payload"]["decision"] for e in all_of(events, "hook.completed")][:1], ["block"], "it says no")
    need(len(all_of(events, "model.requested")) > 1, "the turn continues")
    first_end = next(e["sequence"] for e in events if e["type"] == "turn.completed")
    need(all(e["sequence"] < first_end for e in all_of(events, "hook.completed")), "completed before the hook let it")


@rows("NEG-14", script=CALLS, options=(hooks(pre_tool_use=program("fds",
      "os.chdir(here)\nos.system('ls -l /proc/self/fd >fds; env >env')\n")),))
def check_a_hook_has_no_way_in(fixture):
    _, events = fixture.turn("note")
    env = dict(line.split("=", 1) for line in fixture.text("env").splitlines() if "=" in line)
    need(not [k for k in env if k.startswith("THOLE") or "TOKEN" in k], f"variables: {sorted(env)}")
    kinds = [line.split("-> ")[-1] for line in fixture.text("fds").splitlines() if "->" in line]
    need(not [k for k in kinds if "socket" in k or fixture.data in k], f"descriptors: {kinds}")
    same(one(events, "hook.started")["hookRun"]["handlerKind"], "command", "its process is listed with the hook")
    same(len(all_of(events, "model.requested")), 2, "requests")
