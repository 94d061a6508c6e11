"""Tools: which can be called, the events of a call, and its artifacts."""
import json
import os

from contract_fixture import ROOT, all_of, having, need, one, order, rows, same, story

FILES = story(tools=[{"name": "note", "policy": "ask", "result": {"text": "noted"}}],
              two=[[("write_file", {"path": "kept.txt", "content": "one\n"}), ("note", {})]],
              first=("write_file", {"path": "kept.txt", "content": "one\ntwo\n"}),
              second=("edit_file", {"path": "kept.txt", "oldText": "two", "newText": "three"}))


@rows("IDN-13", script=FILES, options=('permission.rules=[{"effect":"allow","tool":"write_file"}]',), both=True)
def check_one_id_per_thing(fixture):
    reply, action = fixture.asked("two")
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    kinds = {}
    for e in events:
        for key, value in e.items():
            if key.endswith("Id") and key not in ("eventId", "runtimeId"):
                kinds.setdefault(value, set()).add(key)
        kinds.setdefault(e["eventId"], set()).add("eventId")
    mixed = {value: names for value, names in kinds.items() if len(names) > 1}
    need(not mixed, f"one id for two kinds: {mixed}")
    for key, count in (("turnId", 1), ("toolCallId", 3), ("actionId", 1), ("artifactId", 1), ("modelRequestId", 2), ("taskId", 1)):
        found = {e[key] for e in events if key in e}
        need(len(found) >= count, f"{key}: {found}")
    same(fixture.text("kept.txt"), "one\n", "the file")


@rows("IDN-11", "EVT-047", "SNP-06", script=FILES, options=("permission.mode=bypass",))
def check_a_deliverable_and_its_versions(fixture):
    session = fixture.turn("first")[0]["sessionId"]
    first = one(fixture.events(session), "artifact.changed")
    need(first["artifactId"] and first["refs"]["read"], "id and where to read it")
    same((first["payload"]["versionId"], first["payload"]["change"], first["payload"]["owner"]), ("v1", "created", "workspace"), "first")
    need("one" not in json.dumps(first), "its bytes are in the event")
    same(open(fixture.path(first["refs"]["read"].removeprefix("file:"))).read(), "one\ntwo\n", "fetched from the owner")
    fixture.turn("second", sessionId=session)
    second = one(fixture.events(session), "artifact.changed")
    same(second["artifactId"], first["artifactId"], "the same deliverable")
    same((second["payload"]["versionId"], second["payload"]["previousVersionId"]), ("v2", "v1"), "second")
    diff = fixture.output(second["refs"]["diff"])
    need("-two" in diff and "+three" in diff, f"diff: {diff}")
    same(fixture.text("kept.txt"), "one\nthree\n", "the file")
    found = fixture.call("get_artifact_checkpoint_summary", sessionId=session)["artifacts"]
    same(len(found), 1, "deliverables")
    same((found[0]["artifactId"], found[0]["versions"], found[0]["versionId"]), (first["artifactId"], 2, "v2"), "versions")
    same(fixture.output(found[0]["diffRef"]), diff, "the newest difference")
    same([(c["versionId"], bool(c["diffRef"])) for c in found[0]["checkpoints"]], [("v1", True), ("v2", True)], "each with its difference")


SLOW = story(tools=[
    {"name": "slow", "policy": "allowed", "result": {"text": "slept", "progress": [
        {"afterMs": 10, "message": "a third", "completed": 1, "total": 3}, {"afterMs": 20, "message": "more", "completed": 2, "total": 3}]}},
    {"name": "broken", "policy": "allowed", "result": {"fail": {"category": "tool_failed", "message": "it broke", "advice": "mend it"}}},
    {"name": "never", "policy": "denied", "result": {"writeFile": {"path": "never.txt", "text": "x"}}},
    {"name": "soak", "policy": "allowed", "result": {"text": "soaked", "hang": True}}],
    slow=("slow", {}), broken=("broken", {}), never=("never", {}), soak=("soak", {}), stay=("shell", {"command": "touch began; sleep 600"}))


@rows("EVT-037", "EVT-039", script=SLOW)
def check_progress_and_failures(fixture):
    session = fixture.turn("slow")[0]["sessionId"]
    told = [e["payload"] for e in all_of(fixture.events(session), "tool.progress") if e["payload"].get("message")]
    same([(p["message"], p["completed"], p["total"]) for p in told], [("a third", 1, 3), ("more", 2, 3)], "progress")
    for prompt, category, executed in (("broken", "tool_failed", None), ("never", "permission", "no")):
        failed = one(fixture.turn(prompt, sessionId=session)[1], "tool.failed")
        having(failed, "threadId", "turnId", "stepId", "toolCallId", "statusReason")
        having(failed["payload"], "category", "retryable", "advice", "executed")
        same(failed["payload"]["category"], category, prompt)
        need(not executed or failed["payload"]["executed"] == executed, f"{prompt}: {failed['payload']}")
    need(fixture.text("never.txt") is None, "what was denied ran")


@rows("TOL-08", "EVT-039", script=SLOW, options=("permission.mode=bypass",), both=True)
def check_a_stopped_tool_says_so(fixture):
    for prompt, mark in (("soak", "tool.progress"), ("stay", "process.started")):
        reply = fixture.call("submit_turn", input=prompt)
        session = reply["sessionId"]
        fixture.wait(session, mark)
        if prompt == "stay":
            fixture.until("it to run", lambda: fixture.text("began") is not None)
        fixture.call("interrupt_turn", sessionId=session)
        events = fixture.wait(session, "turn.failed")
        failed = one(events, "tool.failed")
        same((failed["status"], failed["payload"]["category"]), ("cancelled", "interrupted"), prompt)
        calls = {e["toolCallId"] for e in all_of(events, "tool.started")}
        same({e["toolCallId"] for e in all_of(events, "tool.failed")}, calls, "each call has an end")


RULES = [{"id": "no-fetching", "effect": "deny", "tool": "fetch_url"}, {"id": "ask-patch", "effect": "ask", "tool": "apply_patch"},
         {"id": "write", "effect": "allow", "tool": "write_file"}]


def listed_tools(fixture, session, event):
    """The tools of a catalogue event, from the event it refers to when they have not changed."""
    since = event["payload"].get("unchangedSince")
    if since is None:
        return event["payload"]["tools"]
    need("tools" not in event["payload"], "either the tools or the event that lists them")
    first = fixture.call("list_events", sessionId=session, after=since - 1, limit=1)["events"][0]
    same((first["type"], first["payload"]["catalogHash"]), ("tool.catalog.resolved", event["payload"]["catalogHash"]), "what it refers to")
    return first["payload"]["tools"]


def catalogue_of_a_turn(fixture, **params):
    """Submits a turn, waits for its end, and gives its catalogue event."""
    reply = fixture.call("submit_turn", input="hello", **params)

    def look():
        events = fixture.call("list_events", sessionId=reply["sessionId"], after=reply["firstSequence"] - 1, limit=256)["events"]
        return events if any(e["type"] == "turn.completed" and e["turnId"] == reply["turnId"] for e in events) else None

    events = fixture.until("the end of the turn", look)
    same((events[0]["type"], events[0]["turnId"]), ("task.created", reply["turnId"]), "firstSequence names the turn's first event")
    return next(e for e in events if e["type"] == "tool.catalog.resolved")


@rows("EVT-034", script=story())
def check_an_unchanged_catalogue_is_recorded_once(fixture):
    first = catalogue_of_a_turn(fixture)
    session = first["sessionId"]
    need("unchangedSince" not in first["payload"] and first["payload"]["tools"], "the first turn lists the tools")
    for _ in range(3):
        again = catalogue_of_a_turn(fixture, sessionId=session)
        same(again["payload"].get("unchangedSince"), first["sequence"], "the next ones refer to it")
        same(listed_tools(fixture, session, again), first["payload"]["tools"], "the same tools")
    fixture.call("set_mode", sessionId=session, mode="plan")
    changed = catalogue_of_a_turn(fixture, sessionId=session)
    need("tools" in changed["payload"] and changed["payload"]["catalogHash"] != first["payload"]["catalogHash"], "another mode, another list")
    fixture.call("trim_log", sessionId=session, through=changed["sequence"])
    whole = catalogue_of_a_turn(fixture, sessionId=session)
    need("tools" in whole["payload"], "the event that listed them was removed: they are listed again")


@rows("CTL-24", "SNP-03", "TOL-01", "TOL-02", "TOL-04", "TOL-05", script=story(),
      options=("permission.rules=" + json.dumps(RULES), "tools.fetch=true", "tools.agents=false"))
def check_the_inventory(fixture):
    session = fixture.turn("hello")[0]["sessionId"]
    for mode in ("default", "plan", "on_request", "never"):
        fixture.call("set_mode", sessionId=session, mode=mode)
        event = one(fixture.turn("hello", sessionId=session)[1], "tool.catalog.resolved")
        read = fixture.call("get_tool_inventory", sessionId=session)
        listed = listed_tools(fixture, session, event)
        same((read["mode"], event["payload"]["mode"]), (mode, mode), "mode")
        same([(t["toolName"], t["policy"]) for t in read["tools"]], [(t["toolName"], t["policy"]) for t in listed],
             f"the inventory and the catalogue under {mode}")
        same(event["payload"]["toolCount"], len(read["tools"]), "how many")
        policy = {t["toolName"]: t["policy"] for t in read["tools"]}
        writing = {t["toolName"] for t in read["tools"] if "write" in t["capabilities"]}
        need({"shell", "write_file", "edit_file"} <= writing, f"capabilities: {writing}")
        if mode == "plan":
            same({policy[name] for name in writing - {"shell", "start_process"}}, {"denied"}, "plan denies what writes")
        if mode == "default":
            same((policy["fetch_url"], policy["apply_patch"], policy["write_file"]), ("denied", "ask", "allowed"), "rules")
    for t in read["tools"]:
        having(t, "toolName", "description", "inputSchema", "capabilities", "policy", "runtimeOwner", "isReadOnly", "isConcurrencySafe",
               "isDestructive", "interruptBehavior", "inputSchemaRef")
    need("shell" in next(t for t in read["tools"] if t["toolName"] == "shell")["capabilities"], "shell")
    snapshot = fixture.call("get_session", sessionId=session)
    need(snapshot.get("toolInventoryRef"), "the snapshot names the inventory")
    same(fixture.output(snapshot["toolInventoryRef"])[:1], "{", "and it can be read")


def own_server():
    with open(os.path.join(ROOT, "tests", "mcp", "server.py")) as f:
        return f.read()


@rows("TOL-02", script=story(die=("mcp__own__die", {}), echo=("mcp__own__echo", {"text": "x"})), files={"server.py": own_server()}, options=(
    "permission.mode=bypass", "mcp.servers=" + json.dumps({"own": {"command": "python3", "args": ["$dir/server.py"]}})))
def check_a_server_that_is_gone(fixture):
    def policy():
        return {t["toolName"]: t["policy"] for t in fixture.call("get_tool_inventory", sessionId=session)["tools"]}.get("mcp__own__echo")

    session = fixture.call("create_session")["sessionId"]
    fixture.until("its tools", lambda: policy() == "allowed")
    os.remove(fixture.path("server.py"))
    fixture.turn("die", sessionId=session)
    fixture.until("its end", lambda: policy() == "unavailable")
    failed = one(fixture.turn("echo", sessionId=session)[1], "tool.failed")
    same((failed["payload"]["category"], failed["payload"]["executed"]), ("unavailable", "no"), "a call of it")
    fixture.call("set_mode", sessionId=session, mode="on_failure")
    same({t["toolName"]: t["policy"] for t in fixture.call("get_tool_inventory", sessionId=session)["tools"]}["shell"], "sandboxed", "and the fifth word")


PINS = {"pre_tool_use": [{"name": "pin", "match": "mcp__own__echo", "command": "cat >/dev/null; printf '{\"updatedInput\":{\"text\":\"oats\"}}'"}]}


@rows("ACC-02", "ACC-03", "ACC-10", "ACC-11", both=True, files={"server.py": own_server()},
      script=story(echo=("mcp__own__echo", {"text": "milk"}), large=("mcp__own__large", {"bytes": 300000}), wipe=("mcp__own__wipe", {}),
                   write=("write_file", {"path": "saved.txt", "content": "x"})),
      options=("tools.enabled=false", "tools.agents=false", "tools.todo=false", "tools.plan=false", "hooks=" + json.dumps(PINS),
               "permission.rules=" + json.dumps([{"id": "no-wipe", "effect": "deny", "mcp": "own/wipe"}, {"effect": "allow", "mcp": "own/large"}]),
               "mcp.servers=" + json.dumps({"own": {"command": "python3", "args": ["$dir/server.py"]}})))
def check_one_external_tool_and_none_of_ours(fixture):
    """The acceptance scenarios in which an external program does all the work."""
    reply, action = fixture.asked("echo")
    session = reply["sessionId"]
    names = [t["toolName"] for t in fixture.call("get_tool_inventory", sessionId=session)["tools"] if t["toolName"] not in ("ask_user", "exit_plan")]
    need(names and all(n.startswith("mcp__own__") for n in names), f"tools: {names}")
    done = one(fixture.events(session), "hook.completed")
    same([json.loads(fixture.output(done["refs"][r])) for r in ("inputBefore", "inputAfter")], [{"text": "milk"}, {"text": "oats"}], "a hook's rewrite")
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    events = fixture.until("its end", lambda: fixture.ended(reply))
    order(events, "hook.completed", "tool.args", "permission.evaluated", "action.required", "action.resolved", "permission.resolved", "sandbox.applied",
          "tool.result")
    same(one(events, "tool.result")["payload"]["displayPreview"], "oats", "the approval")
    need(one(events, "sandbox.applied")["payload"]["tier"], "the sandbox of the server")
    _, events = fixture.turn("large", sessionId=session)
    spilled = one(events, "output.spilled")
    need(spilled["payload"]["sizeBytes"] >= 300000, "a large result")
    same(len(fixture.call("get_output", outputRef=spilled["outputRef"], offset=-10)["text"]), 10, "by ref")
    _, events = fixture.turn("wipe", sessionId=session)
    same(one(events, "permission.evaluated")["permissionDecision"]["ruleRefs"], ["rule:user:no-wipe"], "a rule")
    same(one(events, "tool.failed")["payload"]["executed"], "no", "and it holds")
    _, events = fixture.turn("write", sessionId=session)
    same(one(events, "tool.failed")["payload"]["category"], "unknown_tool", "there is no tool of ours")
    need(not fixture.saved(), "it was written")


SIDE = story(tools=[
    {"name": "look", "policy": "allowed", "readOnly": True, "concurrencySafe": True, "result": {"text": "seen", "delayMs": 200}}],
    reads=[[("look", {}), ("look", {})]],
    writes=[[("shell", {"command": "echo a >>log; sleep 0.1; echo a >>log"}), ("shell", {"command": "echo b >>log; sleep 0.1; echo b >>log"})]])


@rows("TOL-06", script=SIDE, options=("permission.mode=bypass",))
def check_reads_together_writes_apart(fixture):
    session, events = fixture.turn("reads")
    marks = [e["type"] for e in events if e["type"] == "tool.result" or e["payload"].get("kind") == "dispatched"]
    same(marks, ["tool.progress", "tool.progress", "tool.result", "tool.result"], "two that only read")
    fixture.turn("writes", sessionId=session["sessionId"])
    same(fixture.text("log"), "a\na\nb\nb\n", "two that write")


BAD = story(tools=[{"name": "say", "policy": "allowed", "result": {"text": "said", "writeFile": {"path": "said.txt", "text": "x"}},
                    "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}],
            text=("say", {"n": "seven"}), none=("say", {}), file=("write_file", {"path": 5, "content": "x"}), missing=("missing", {}))


@rows("TOL-10", script=BAD, options=("permission.mode=bypass",))
def check_arguments_are_checked_first(fixture):
    for prompt, category in (("text", "invalid_input"), ("none", "invalid_input"), ("file", "invalid_input"), ("missing", "unknown_tool")):
        _, events = fixture.turn(prompt)
        failed = one(events, "tool.failed")
        same((failed["payload"]["category"], failed["payload"]["executed"]), (category, "no"), prompt)
        need(not all_of(events, "sandbox.applied"), f"{prompt}: something ran")
    same(sorted(n for n in os.listdir(fixture.dir) if not n.startswith("data")), [], "files")


LONG = story(tools=[{"name": "page", "policy": "allowed", "readOnly": True, "result": {
    "text": {"repeat": "the answer is {{n}}\n", "bytes": 20000}}}], page=("page", {}))


@rows("TOL-09", script=LONG)
def check_a_result_is_not_the_answer(fixture):
    reply, events = fixture.turn("page")
    result = one(events, "tool.result")
    answer = "".join(e["payload"].get("text", "") for e in all_of(events, "model.delta"))
    same(answer, "done", "the answer")
    same(fixture.output(result["refs"]["rawOutput"])[:40], "the answer is 1\nthe answer is 2\nthe answ", "by ref")
    call = fixture.read(reply["sessionId"])["toolCalls"][0]
    same(call["toolCallId"], result["toolCallId"], "in the thread's read")


WHOLE = story(save=("write_file", {"path": "kept.txt", "content": "whole\n"}))
HOOK = {"pre_tool_use": [{"name": "eye", "match": "write_file", "command": "cat >/dev/null"}]}


@rows("TOL-07", script=WHOLE, options=("hooks=" + json.dumps(HOOK),), both=True)
def check_one_call_with_everything(fixture):
    reply, action = fixture.asked("save")
    session = reply["sessionId"]
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow")
    events = fixture.wait(session, "turn.completed")
    order(events, "tool.started", "tool.args", "hook.started", "hook.completed", "permission.evaluated", "permission.requested",
          "action.required", "action.resolved", "permission.resolved", "sandbox.applied", "artifact.changed", "tool.result")
    call = action["toolCallId"]
    for kind in ("tool.args", "hook.started", "hook.completed", "permission.evaluated", "permission.requested", "permission.resolved",
                 "sandbox.applied", "artifact.changed", "tool.result"):
        same(one(events, kind).get("toolCallId") or one(events, kind)["hookRun"].get("toolCallId"), call, f"{kind} names the call")
    started, result = one(events, "tool.started")["payload"], one(events, "tool.result")
    having(started, "toolName", "safeArgs", "policy", "isReadOnly", "isConcurrencySafe", "isDestructive", "interruptBehavior")
    same(result["payload"]["hookRunIds"], [one(events, "hook.completed")["hookRun"]["hookRunId"]], "hooks")
    same(result["payload"]["artifactRefs"], ["artifact:" + one(events, "artifact.changed")["artifactId"]], "artifacts")
    same((result["payload"]["permissionDecision"], result["payload"]["sandboxMode"]), ("allow", "workspace_write"), "permission and sandbox")
    having(result["payload"], "displayPreview", "durationMs")
    read = fixture.read(session)["toolCalls"][0]
    having(read, "toolCallId", "toolName", "status", "hookRunIds")
    same(fixture.text("kept.txt"), "whole\n", "the file")


SECRET = "correct-horse-battery-staple"
HIDDEN = story(tools=[{"name": "login", "policy": "ask", "result": {"text": "welcome", "writeFile": {"path": "in.txt", "text": "{{args.password}}"}},
                       "inputSchema": {"type": "object", "properties": {
                           "user": {"type": "string"}, "password": {"type": "string", "writeOnly": True}}}}],
               login=("login", {"user": "ann", "password": SECRET}))


@rows("TOL-11", script=HIDDEN)
def check_secret_arguments(fixture):
    reply, action = fixture.asked("login")
    fixture.restart()
    fixture.call("respond_action", sessionId=reply["sessionId"], actionId=action["actionId"], decision="allow")
    events = fixture.wait(reply["sessionId"], "turn.completed")
    same(fixture.text("in.txt"), SECRET, "the tool gets it")
    same(one(events, "tool.started")["payload"]["safeArgs"]["user"], "ann", "the rest")
    for e in events:
        need(SECRET not in json.dumps(e), f"{e['type']} has it: {json.dumps(e['payload'])[:300]}")
    for command in ("get_thread_read", "get_session"):
        need(SECRET not in json.dumps(fixture.call(command, sessionId=reply["sessionId"])), f"{command} has it")
