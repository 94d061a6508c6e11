"""Outputs: records, ranges, growth."""
import json
import os

from contract_fixture import having, need, one, rows, same, story


@rows("OUT-01", "OUT-05")
def check_ranges(fixture):
    reply, events = fixture.turn("dump")
    ref = one(events, "tool.result")["refs"]["rawOutput"]
    tail = fixture.call("get_output", outputRef=ref, offset=-20)
    same((tail["bytes"], tail["eof"]), (20, True), "the last twenty")
    whole, at = "", 0
    while True:
        piece = fixture.call("get_output", outputRef=ref, offset=at, length=1048576)
        whole += piece["text"]
        at += piece["bytes"]
        if piece["eof"]:
            break
    same(len(whole), 10485760, "all of it, piece by piece")
    need(whole.startswith("line 1 of a long output\nline 2 of"), whole[:60])
    fixture.restart()
    same(fixture.call("get_output", outputRef=ref, offset=500, length=50)["text"], whole[500:550], "after a restart")


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
LEAKS = story(
    tools=[{"name": "book", "policy": "allowed", "readOnly": True, "result": {"text": {"repeat": "line {{n}} of a book\n", "bytes": 50000}}},
           {"name": "tome", "policy": "allowed", "readOnly": True, "result": {"text": {"repeat": "line {{n}} of a tome\n", "bytes": 200000}}}],
    leak=("shell", {"command": "cat leak.txt"}), book=("book", {}), tome=("tome", {}),
    raw=("shell", {"command": "head -c 70000 /dev/urandom"}), bits=("shell", {"command": "printf '\\\\000\\\\377\\\\001bits'"}))
BYPASS = ("permission.mode=bypass",)


@rows("EVT-107", "OUT-06", script=LEAKS, options=BYPASS, files={"leak.txt": f"before {TOKEN} after\n"}, both=True)
def check_secrets_are_taken_out(fixture):
    reply, events = fixture.turn("leak")
    redacted = one(events, "output.redacted")
    having(redacted["payload"], "redaction", "reason", "count", "ruleRef")
    same((redacted["payload"]["redaction"], redacted["payload"]["originalKept"]), ("secret", False), "the event")
    need(redacted["outputRef"], "which output")
    same(one(events, "tool.result")["payload"]["displayPreview"], "before [redacted] after\n", "what is shown")
    session = reply["sessionId"]
    for command in ("get_session", "get_thread_read", "get_execution_environment"):
        need(TOKEN not in json.dumps(fixture.call(command, sessionId=session)), f"{command} has it")
    need(not [e for e in events if TOKEN in json.dumps(e)], "an event has it")
    for e in events:
        for ref in list(e.get("refs", {}).values()) + [e.get("outputRef")]:
            if ref and ref.startswith("out_"):
                code, got = fixture.transport.call("get_output", {"outputRef": ref, "length": 1048576})
                need(code or TOKEN not in got.get("text", ""), f"{ref} has it")
    fixture.restart(kill=False)
    for folder, _, names in os.walk(fixture.data):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    need(TOKEN.encode() not in f.read(), f"{name} has it")


@rows("EVT-108", script=LEAKS, options=("permission.mode=bypass", "output.keep_days=1"))
def check_an_output_that_is_too_old(fixture):
    """A day passes on the clock that durations are counted by: the next daemon runs in a time namespace."""
    reply, events = fixture.turn("tome")
    session, ref = reply["sessionId"], one(events, "output.spilled")["outputRef"]
    need(fixture.call("get_output", outputRef=ref, length=1)["bytes"] == 1, "it is there")
    same([e for e in events if e["type"] == "output.expired"], [], "not yet")
    fixture.restart(kill=False, days=2)
    gone = one(fixture.wait(session, "output.expired"), "output.expired")
    same((gone["outputRef"], gone["payload"]["reason"]), (ref, "age"), "which one, and why")
    having(gone["payload"], "sizeBytes", "sha256")
    fixture.refused("expired", "get_output", outputRef=ref, length=1)


@rows("OUT-02", "OUT-03", "NEG-19", script=LEAKS, options=BYPASS)
def check_what_is_cut_and_by_which_rule(fixture):
    session = fixture.turn("book")[0]["sessionId"]
    limits = fixture.call("get_capabilities")["limits"]
    having(limits, "eventBytes", "toolResultTokens", "previewBytes", "inlineOutputBytes", "hookOutputBytes", "processOutputBytes", "binaryInline",
           "evidenceOutputs")
    cut = one(fixture.events(session), "output.truncated")["payload"]
    same((cut["truncation"], cut["policy"], cut["for"]), ("head_tail", f"tool-result:{limits['toolResultTokens']}-tokens", "model"), "a long one")
    same(cut["keptBytes"] + cut["omittedBytes"], 50000, "nothing is lost")
    need(cut["keptBytes"] <= limits["toolResultTokens"] * 3, "within its tokens")
    _, events = fixture.turn("tome", sessionId=session)
    spilled = one(events, "output.spilled")
    same((spilled["output"]["owner"], spilled["payload"]["policy"]), ("tool", f"spill:tool:{limits['inlineOutputBytes']}"), "a longer one")
    _, events = fixture.turn("raw", sessionId=session)
    spilled = one(events, "output.spilled")
    same((spilled["output"]["owner"], spilled["output"]["encoding"]), ("process", "binary"), "bytes")
    result = one(events, "tool.result")
    need(len(result["payload"]["displayPreview"]) <= limits["previewBytes"], "a preview")
    same(limits["binaryInline"], False, "bytes stay behind their ref")
    for e in fixture.events(session):
        need(len(json.dumps(e)) <= limits["eventBytes"], f"{e['type']} is larger than an event may be")
    # the output behind a preview can be read, also later
    fixture.restart()
    same(fixture.call("get_output", outputRef=spilled["outputRef"], offset=69990)["bytes"], 10, "behind the preview")
    status, whole = fixture.get(f"/v1/outputs/{spilled['outputRef']}")
    same((status, len(whole)), (200, 70000), "all of it")
