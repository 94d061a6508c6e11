"""Records of sibling standards: tools, context, artifacts and evidence, each valid under its schema and made from its event alone."""
import json
import os

from contract_fixture import SPECS, need, rows, same, story

CALLS = story(work=[("shell", {"command": "seq 1 60000"}), ("write_file", {"path": "report.txt", "content": "one\n"}),
                    ("write_file", {"path": "report.txt", "content": "two\n"}), ("shell", {"command": "exit 3"}),
                    ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: report.txt\n*** End Patch\n"})],
              denied=("write_file", {"path": "secret.txt", "content": "x"}))
# Folder of a standard's schemas, and for each member of a record's data the file that describes it.
STANDARDS = {
    "agent_tool": ("agenttool", "data", {
        "surface": "tool-surface", "declarations": ["tool-declaration"], "interfaces": ["tool-interface"], "invocation": "invocation",
        "permission_decision": "permission-decision", "progress": "progress", "result": "result", "result_persistence": "result-persistence"}),
    "agent_context": ("agentcontext", "data", {
        "context_envelope": "context-envelope", "selection": "selection", "budget": "budget", "assembly": "assembly",
        "context_items": ["context-item"], "missing_context": ["missing-context"], "compaction": "compaction"}),
    "agent_artifact": ("agentartifact", "payload", {"artifact": "artifact", "version": "version"}),
    "agent_evidence": ("agentevidence", "payload", {}),
}
IDS = {"session_id": "sessionId", "thread_id": "threadId", "turn_id": "turnId", "task_id": "taskId", "run_id": "runId", "attempt_id": "attemptId",
       "step_id": "stepId", "tool_call_id": "toolCallId", "action_id": "actionId"}


def checker(folder, name):
    """The official schema, where it is at hand."""
    path = os.path.join(SPECS, "siblings", folder, f"{folder}-{name}.schema.json")
    if not os.path.exists(path):
        return None
    import jsonschema
    with open(path) as f:
        return jsonschema.Draft202012Validator(json.load(f))


def valid(folder, name, record):
    schema = checker(folder, name)
    wrong = [e.message for e in schema.iter_errors(record)] if schema else []
    need(not wrong, f"{folder} {name}: {wrong[:2]} in {json.dumps(record)[:300]}")


def told(fixture, session, form):
    """All records of a session in the format, each checked against its event and its schemas."""
    folder, data, members = STANDARDS[form]
    records, after = [], 0
    while True:
        page = fixture.call("list_events", sessionId=session, after=after, limit=50, **{"as": form})
        records += page["events"]
        after = page["lastSequence"]
        if not page["more"]:
            break
    events = {e["eventId"]: e for e in fixture.events(session)}
    same([r["sequence"] for r in records], sorted({r["sequence"] for r in records}), "the order of the log")
    for r in records:
        source = events[r["event_id"]]
        same({k: r.get(k) for k in IDS}, {k: source.get(v) for k, v in IDS.items()}, f"ids of {source['type']}")
        valid(folder, "event", r)
        for member, schema in members.items():
            found = r[data].get(member, [])
            for each in found if isinstance(schema, list) else [found] if found else []:
                valid(folder, schema[0] if isinstance(schema, list) else schema, each)
    return records


def kinds(records, key="type"):
    return [r[key] for r in records]


@rows("ECO-03", script=CALLS, options=("permission.mode=bypass",), both=True)
def check_tools_and_calls_as_agent_tool(fixture):
    reply, events = fixture.turn("work")
    records = told(fixture, reply["sessionId"], "agent_tool")
    by_type = {}
    for r in records:
        by_type.setdefault(r["event_type"], []).append(r)
    calls = [e["toolCallId"] for e in events if e["type"] == "tool.started"]
    same([r["data"]["invocation"]["invocation_id"] for r in by_type["tool.invocation.created"]], calls, "one invocation for each call")
    same([r["data"]["result"]["invocation_id"] for r in by_type["tool.result.created"]], calls, "one result for each")
    same([r["data"]["result"].get("exit_code") for r in by_type["tool.result.created"] if r["tool_id"] == "shell"], [0, 3], "exit codes")
    same(sorted({r["data"]["permission_decision"]["behavior"] for r in by_type["tool.permission.decided"]}), ["allow"], "allowed")
    same([r["data"]["result_persistence"]["invocation_id"] for r in by_type["tool.result.persisted"]], calls[:1], "the long output is behind a ref")

    first, *later = by_type["tool.surface.resolved"]
    surface = first["data"]["surface"]
    names = [d["tool_id"] for d in first["data"]["declarations"]]
    same(surface["tool_refs"], names, "declared as listed")
    same([i["tool_id"] for i in first["data"]["interfaces"]], names, "each with its interface")
    need({"shell", "write_file"} <= set(surface["loaded_tools"]), f"loaded: {surface['loaded_tools']}")
    same([s["data"]["surface"]["surface_id"] for s in later], [surface["surface_id"]] * len(later), "an unchanged surface has the same id")
    need(all("tool_refs" not in s["data"]["surface"] for s in later), "and does not list its tools again")


@rows("ECO-03", script=CALLS, both=True)
def check_the_inventory_as_agent_tool(fixture):
    session = fixture.call("create_session")["sessionId"]
    fixture.call("set_policy", sessionId=session, rules=[{"effect": "deny", "tool": "write_file"}])
    plain = fixture.call("get_tool_inventory", sessionId=session)
    need("agentTool" not in plain, "only on request")
    view = fixture.call("get_tool_inventory", sessionId=session, **{"as": "agent_tool"})
    records = view.pop("agentTool")
    same(view, plain, "the rest is as before")
    valid("agenttool", "tool-surface", records["surface"])
    for each in records["declarations"]:
        valid("agenttool", "tool-declaration", each)
    for each in records["interfaces"]:
        valid("agenttool", "tool-interface", each)
    same(records["surface"]["tool_refs"], [t["toolName"] for t in plain["tools"]], "every tool")
    same([b["tool_id"] for b in records["surface"]["blocked_tools"]], ["write_file"], "the denied one is blocked")
    same({i["tool_id"]: i["is_enabled"] for i in records["interfaces"]}["write_file"], False, "and not enabled")
    fixture.refused("invalid_value", "get_tool_inventory", sessionId=session, **{"as": "agent_ui"})


@rows("ECO-04", script=CALLS, both=True)
def check_context_as_agent_context(fixture):
    fixture.write("AGENTS.md", "Be brief.\n")
    reply, _ = fixture.turn("one")
    session, thread = reply["sessionId"], reply["threadId"]
    fixture.turn("two", sessionId=session, threadId=thread)
    fixture.call("compact_thread", sessionId=session, threadId=thread)
    fixture.wait(session, "context.compaction.completed")
    records = told(fixture, session, "agent_context")
    same(kinds(records, "event_type"), ["context.assembled"] * 2 + ["context.compacted"], "two turns and a compaction")
    data = records[0]["data"]
    refs = data["selection"]["selected_item_refs"]
    need(any("AGENTS.md" in ref for ref in refs), f"the instructions of the workspace: {refs}")
    same([i["item_id"] for i in data["context_items"] if i["item_id"] not in refs], [], "every item was selected")
    need(0 < data["budget"]["actual_tokens"] < data["budget"]["max_tokens"], f"{data['budget']}")
    compaction = records[-1]["data"]["compaction"]
    same(compaction["coverage"]["turns"], len(compaction["source_item_refs"]), "the turns that it covers")


@rows("ECO-05", script=CALLS, options=("permission.mode=bypass",), both=True)
def check_artifacts_as_agent_artifact(fixture):
    reply, events = fixture.turn("work")
    session = reply["sessionId"]
    records = told(fixture, session, "agent_artifact")
    same(kinds(records), ["artifact.created", "artifact.updated", "artifact.deleted"], "three changes")
    created, updated, deleted = (r["payload"]["version"] for r in records)
    same([updated["parent_version_ids"], deleted["parent_version_ids"]], [[created["version_id"]], [updated["version_id"]]], "each follows the one before")
    source = [e for e in events if e["type"] == "artifact.changed"]
    same([v.get("byte_refs", [{}])[0].get("digest") for v in (created, updated)], [e["payload"]["sha256"] for e in source[:2]], "hashes of the bytes")
    same([v.get("byte_refs", [{}])[0].get("uri") for v in (created, updated)], [e["refs"]["read"] for e in source[:2]], "where to read them")
    view = fixture.call("get_artifact_checkpoint_summary", sessionId=session, **{"as": "agent_artifact"})
    envelope, = view["agentArtifact"]["artifacts"]
    valid("agentartifact", "artifact", envelope)
    for each in envelope["versions"]:
        valid("agentartifact", "version", each)
    same((envelope["title"], envelope["status"], envelope["created_at"], envelope["current_version_id"], len(envelope["versions"]), envelope["versions_omitted"]),
         ("report.txt", "deleted", source[0]["timestamp"], deleted["version_id"], 3, 0), "the envelope")
    fixture.refused("invalid_value", "get_artifact_checkpoint_summary", sessionId=session, **{"as": "agent_tool"})


@rows("ECO-01", script=CALLS, both=True)
def check_evidence_as_agent_evidence(fixture):
    reply, _ = fixture.turn("one")
    session = reply["sessionId"]
    fixture.call("export_evidence", sessionId=session)
    fixture.call("record_evidence", sessionId=session, kind="verification", name="tests", outcome="passed", verifierRef="ci")
    fixture.call("record_evidence", sessionId=session, kind="note", note="looked at it")
    fixture.call("record_evidence", sessionId=session, kind="review", name="review", outcome="accepted", verifierRef="ada")
    records = fixture.until("a pack", lambda: (lambda r: r if len(r) == 3 else None)(told(fixture, session, "agent_evidence")))
    same(sorted(kinds(records)), ["evidence.pack.created", "evidence.review.completed", "evidence.verification.completed"], "a note has no record")
    by_type = {r["type"]: r for r in records}
    same(by_type["evidence.verification.completed"]["payload"]["outcome"], "passed", "in the verifier's word")
    need("evidence_pack_id" in by_type["evidence.pack.created"], "the pack has its id")
