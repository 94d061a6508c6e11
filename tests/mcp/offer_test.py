#!/usr/bin/env python3
"""What tool servers offer besides tools, and what they ask of a person, with a server on the official SDK.  Prints TAP.

   offer_test.py BUILD_DIR [WORD...]
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

from tool_fixture import Fixture, last, until
from tap import Skip, long, play  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BYPASS = ["permission.mode=bypass"]
tests = []


def test(f):
    tests.append(f)
    return f


def offers(kind="plain"):
    if not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").exists() or not shutil.which("node"):
        raise Skip("npm has not fetched the SDK into tests/mcp")
    return {"own": {"command": shutil.which("node"), "args": [str(HERE / "offer_server.mjs"), kind], "read": [str(HERE)], "timeout_ms": 20000}}


def with_server(calls=(), kind="plain", options=BYPASS):
    fixture = Fixture(offers(kind), calls, options=options)
    fixture.status("own", "ready")
    return fixture


def result(events):
    return last(events, "tool.result")["payload"]["displayPreview"]


def answer(fixture, **more):
    fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, **more)
    return fixture.settle()


def same_again(fixture):
    """All decisions of the session are made again from its journal."""
    reply = fixture.call("replay_decisions", sessionId=fixture.session)
    assert reply["status"] == "same", reply


def refused(fixture, **more):
    return fixture.http.call("respond_action", {"sessionId": fixture.session, "actionId": fixture.action, **more})[0]


# ---- questions -------------------------------------------------------------------------------------

@test
def a_form_is_checked_field_by_field_before_the_server_gets_it():
    fixture = with_server([("mcp__own__form", {})])
    try:
        asked = last(fixture.submit(), "action.required")["payload"]
        assert asked["prompt"] == "Who are you?" and asked["schema"]["properties"]["mail"]["format"] == "email", asked
        good = {"mail": "a@b.org", "age": 20, "colour": "#f00", "days": ["mon"], "news": True}
        for wrong in ({"mail": "no address"}, {"age": 17}, {"age": 20.5}, {"colour": "red"}, {"days": []}, {"days": ["sun"]}, {"news": "yes"}):
            assert refused(fixture, decision="answer", payload={**good, **wrong}) == "invalid_answer", wrong
        assert json.loads(result(answer(fixture, decision="answer", payload=good))) == {"action": "accept", "content": good}
    finally:
        fixture.close()


@test
def a_refusal_and_a_deadline_are_two_answers():
    fixture = with_server([("mcp__own__form", {})] * 2, options=[*BYPASS, "action.question_timeout_s=1"])
    try:
        fixture.submit()
        events = fixture.until("the deadline", lambda: [e for e in fixture.events() if e["type"] == "tool.result"] and fixture.events())
        assert json.loads(result(events))["action"] == "cancel", result(events)
    finally:
        fixture.close()
    fixture = with_server([("mcp__own__form", {})])
    try:
        fixture.submit()
        assert json.loads(result(answer(fixture, decision="decline")))["action"] == "decline"
    finally:
        fixture.close()


@test
def a_page_is_shown_with_its_host_and_settled_by_the_server():
    fixture = with_server([("mcp__own__page", {})])
    try:
        asked = last(fixture.submit(), "action.required")["payload"]
        assert "pay.example " in asked["prompt"] and "https://pay.example/checkout?order=e1" in asked["prompt"], asked["prompt"]
        assert json.loads(result(answer(fixture, decision="allow"))) == {"action": "accept"}
    finally:
        fixture.close()
    fixture = with_server([("mcp__own__page", {})], "completes")
    try:
        fixture.submit()
        events = fixture.until("the end", lambda: any(e["type"] == "turn.completed" for e in fixture.events()) and fixture.events())
        resolved = last(events, "action.resolved")
        assert resolved["status"] == "completed" and resolved["payload"]["decision"] == "allow", resolved
        assert json.loads(result(events)) == {"action": "accept"}
        assert not fixture.call("list_actions", sessionId=fixture.session)["actions"]
        same_again(fixture)
    finally:
        fixture.close()


@test
def a_question_that_the_server_withdraws_disappears():
    fixture = with_server([("mcp__own__withdraw", {})])
    try:
        fixture.submit()
        events = fixture.until("the end", lambda: any(e["type"] == "turn.completed" for e in fixture.events()) and fixture.events())
        assert last(events, "action.resolved")["status"] == "cancelled"
        assert result(events) == "withdrawn"
        same_again(fixture)
    finally:
        fixture.close()


@test
def a_call_that_requires_a_page_is_made_again_after_it():
    fixture = with_server([("mcp__own__required", {})])
    try:
        fixture.submit()
        assert result(answer(fixture, decision="allow")) == "paid"
    finally:
        fixture.close()
    fixture = with_server([("mcp__own__required", {})])
    try:
        fixture.submit()
        assert "did not open" in last(answer(fixture, decision="deny"), "tool.failed")["statusReason"]
    finally:
        fixture.close()


@test
def addresses_and_forms_that_no_person_should_see_are_refused():
    bad = ["file:///etc/passwd", "javascript:alert(1)", "http://evil.example/", "https://bank.example@evil.example/",
           "https://evil.example/\u001b[31m", "https://ev\u0456l.example/", "https://x.example/ a", "ssh://x.example", "https:evil", ""]
    fixture = with_server([("mcp__own__evil", {"url": url}) for url in bad] + [("mcp__own__deep", {})])
    try:
        for url in [*bad, "the deep form"]:
            events = fixture.submit()
            assert not [e for e in events if e["type"] == "action.required"], url
            assert result(events).startswith("refused"), (url, result(events))
    finally:
        fixture.close()


@test
def a_form_at_its_limits_is_asked_and_one_above_is_refused():
    """Also choices that no person sees as such: values of a number, anyOf; and a field that is required and not there."""
    limits = {name: row["value"] for name, row in json.loads((HERE.parents[1] / "catalog" / "limits.json").read_text()).items()}
    bounds = ("fields", "choices", "bytes")
    kinds = (*bounds, "any", "values", "absent", "items", "list")
    own = {"command": sys.executable, "args": [str(HERE / "form_server.py"), *(str(limits["form_" + kind]) for kind in bounds)], "read": [str(HERE)]}
    fixture = Fixture({"own": own}, [(f"mcp__own__{word}_{kind}", {}) for kind in kinds for word in ("most", "above")], options=BYPASS)
    try:
        fixture.status("own", "ready")
        for kind in kinds:
            asked = last(fixture.submit(), "action.required")["payload"]
            assert asked["actionType"] == "structured_input", (kind, asked)
            assert "decline" in result(answer(fixture, decision="decline")), kind
            events = fixture.submit()
            assert not [e for e in events if e["type"] == "action.required"], kind
            assert "its f" in result(events) and "refused" in result(events), (kind, result(events))
    finally:
        fixture.close()


@test
def a_kill_ends_the_question_with_its_call():
    fixture = with_server([("mcp__own__form", {})])
    try:
        fixture.submit()
        fixture.restart()
        events = fixture.until("the end", lambda: any(e["type"] in ("tool.failed", "tool.lost") for e in fixture.events()) and fixture.events())
        assert not fixture.call("list_actions", sessionId=fixture.session)["actions"]
        assert last(events, "action.resolved")["status"] != "completed"
    finally:
        fixture.close()


# ---- resources -------------------------------------------------------------------------------------

@test
def resources_are_listed_without_and_read_with_a_permission():
    fixture = with_server([("mcp__own__list_resources", {}), ("mcp__own__read_resource", {"uri": "memo://one"}),
                           ("mcp__own__read_resource", {"uri": "memo://number/7"}), ("mcp__own__read_resource", {"uri": "memo://missing"})], options=[])
    try:
        events = fixture.submit()
        assert not fixture.action, "a list needs no approval"
        text = result(events)
        assert "memo://one | The first memo | text/plain | about the first" in text and "memo://number/{n}" in text, text
        fixture.submit()
        assert fixture.action, "reading needs approval"
        events = fixture.allow()
        assert result(events) == "memo one, read 1 times"
        assert last(events, "sandbox.applied"), "its sandbox is that of the server"
        fixture.submit()
        assert result(fixture.allow() if fixture.action else fixture.events()) == "number 7"
        fixture.submit()
        events = fixture.allow() if fixture.action else fixture.events()
        assert "memo://missing" in last(events, "tool.failed")["statusReason"], last(events, "tool.failed")
    finally:
        fixture.close()


@test
def rules_name_the_tool_that_reads_resources():
    rules = [{"id": "no", "effect": "deny", "mcp": "own/read_resource"}]
    fixture = with_server([("mcp__own__read_resource", {"uri": "memo://one"})], options=[*BYPASS, f"permission.rules={json.dumps(rules)}"])
    try:
        assert "rule:user:no" in json.dumps(last(fixture.submit(), "permission.evaluated")), fixture.events()
        assert last(fixture.events(), "tool.failed")
    finally:
        fixture.close()


@test
def large_and_binary_resources_become_outputs():
    fixture = with_server([("mcp__own__read_resource", {"uri": "memo://large"}), ("mcp__own__read_resource", {"uri": "memo://binary"}),
                           ("mcp__own__picture", {})])
    try:
        events = fixture.submit()
        spilled = last(events, "output.spilled")
        assert "3200000" in json.dumps(spilled["payload"]), spilled["payload"]
        events = fixture.submit()
        assert "not text" in json.dumps(last(events, "tool.result")["payload"]) or last(events, "tool.result")["payload"].get("rawOutputRef"), last(events, "tool.result")
        events = fixture.submit()
        assert "image/png" in json.dumps(last(events, "tool.result")["payload"]), last(events, "tool.result")
    finally:
        fixture.close()


@test
def a_structured_error_has_a_ref_of_its_own():
    fixture = with_server([("mcp__own__broken", {})])
    try:
        failed = last(fixture.submit(), "tool.failed")
        assert failed["payload"]["displayPreview"] == "no such ticket" and failed["payload"]["category"] == "tool_failed", failed
        page = fixture.call("get_output", outputRef=failed["payload"]["errorRef"], offset=0)
        assert json.loads(page["text"]) == {"code": 7, "ticket": "t1"}, page
        same_again(fixture)
    finally:
        fixture.close()


@test
def binary_parts_of_a_result_are_artifacts():
    fixture = with_server([("mcp__own__mixed", {})])
    try:
        events = fixture.submit()
        payload = last(events, "tool.result")["payload"]
        made = {e["artifactId"]: e for e in events if e["type"] == "artifact.changed"}
        assert ["artifact:" + a for a in made] == payload["artifactRefs"] and len(made) == 16, payload["artifactRefs"]
        rows = [(e["payload"]["mediaType"], e["payload"]["sizeBytes"], e["payload"]["owner"]) for e in made.values()]
        assert rows[:4] == [("image/png", 70, "mcp:own"), ("audio/wav", 3, "mcp:own"), ("application/pdf", 14, "mcp:own"), ("application/octet-stream", 3, "mcp:own")], rows
        assert [i["mediaType"] for i in payload["images"]] == ["image/png"], payload["images"]
        paper = list(made.values())[2]["refs"]["read"]
        assert fixture.call("get_output", outputRef=paper, sessionId=fixture.session)["text"] == "%PDF-1.7 paper"
        assert payload["displayPreview"].startswith("here they are\n[image image/gif") and f"[application/pdf, 14 bytes: {paper}]" in payload["displayPreview"], payload
        same_again(fixture)
        fixture.restart()
        assert fixture.call("get_output", outputRef=payload["images"][0]["ref"], sessionId=fixture.session)["output"]["sizeBytes"] == 70
    finally:
        fixture.close()


@test
@long
def thousands_of_resources_are_paged_for_the_model():
    fixture = with_server([("mcp__own__list_resources", {"offset": 2900})] * 30, "many")
    try:
        text = fixture.until("the list", lambda: (lambda t: t if "3005 resources" in t else None)(result(fixture.submit())))
        assert "more follow with offset 3000" in text and text.count("many://") > 20, text[:200]
    finally:
        fixture.close()


@test
def a_resource_that_was_read_is_followed():
    fixture = with_server([("mcp__own__read_resource", {"uri": "memo://one"}), ("mcp__own__touch", {}), ("mcp__own__list_resources", {}),
                           ("mcp__own__read_resource", {"uri": "memo://one"}), ("mcp__own__list_resources", {})])
    try:
        fixture.submit()
        assert result(fixture.submit()) == "memo://one"
        assert "CHANGED" in result(fixture.submit())
        fixture.submit()
        assert "CHANGED" not in result(fixture.submit())
    finally:
        fixture.close()


def named(fixture, *refs):
    """A turn that names context; what context.resolved says."""
    reply = fixture.call("submit_turn", input="go", context=[{"kind": "file", "ref": r} for r in refs], **({"sessionId": fixture.session} if fixture.session else {}))
    fixture.session, fixture.turn = reply["sessionId"], reply["turnId"]
    return last(fixture.settle(), "context.resolved")["payload"]


@test
def a_resource_that_a_person_names_is_context_of_the_turn():
    fixture = with_server(options=[])
    try:
        found = named(fixture, "mcp:own:memo://one", "mcp:own:memo://missing", "mcp:none:memo://one", "mcp:own:memo://large")
        sources = {s["ref"]: s for s in found["sources"]}
        assert sources["mcp:own:memo://one"]["bytes"] == len("memo one, read 1 times"), found
        missing = {m["ref"]: m["reason"] for m in found["missing"] + found["omissions"]}
        assert missing == {"mcp:own:memo://missing": "unreadable", "mcp:none:memo://one": "denied", "mcp:own:memo://large": "too_large"}, missing
        # after a kill the turn's context is read again from its event, and the next turn reads its own
        fixture.restart()
        fixture.status("own", "ready")
        assert not named(fixture, "mcp:own:memo://number/3").get("missing")
        same_again(fixture)
    finally:
        fixture.close()


@test
def who_may_not_approve_names_only_resources_that_a_rule_allows():
    for rules, reasons in (([], ["denied"]), ([{"id": "yes", "effect": "allow", "mcp": "own/read_resource"}], [])):
        fixture = with_server(options=[f"permission.rules={json.dumps(rules)}"])
        try:
            assert not named(fixture, "mcp:own:memo://one").get("missing"), "the owner may approve"
            owner = fixture.http.token
            fixture.http.token = fixture.call("create_token", name="writer", scopes=["read", "write"], sessions="all")["token"]
            found = named(fixture, "mcp:own:memo://one")
            assert [m["reason"] for m in found.get("missing", [])] == reasons, found
            fixture.http.token = owner
            same_again(fixture)
        finally:
            fixture.close()


@test
def a_rule_that_denies_reading_denies_it_as_context_too():
    rules = [{"id": "no", "effect": "deny", "mcp": "own/read_resource"}]
    fixture = with_server(options=[f"permission.rules={json.dumps(rules)}"])
    try:
        found = named(fixture, "mcp:own:memo://one")
        assert [m["reason"] for m in found["missing"]] == ["denied"], found
    finally:
        fixture.close()


@test
def a_rule_for_our_reader_holds_whatever_tools_the_server_has():
    rules = [{"id": "no", "effect": "deny", "mcp": "own/read_resource"}]
    fixture = with_hostile("reader", options=[*BYPASS, f"permission.rules={json.dumps(rules)}"])
    try:
        fixture.status("own", "ready")
        names = {t["toolName"]: t for t in fixture.tools().values() if t.get("nativeName") == "read_resource"}
        theirs = next(n for n in names if n != "mcp__own__read_resource")
        assert len(names) == 2 and re.fullmatch("mcp__own__read_resource_[0-9a-f]{8}", theirs), list(names)
        assert [m["reason"] for m in named(fixture, "mcp:own:x:one")["missing"]] == ["denied"]
        for tool in (t for t in fixture.tools() if t.startswith("mcp__own__read_")):
            fixture.call("submit_turn", input="x", call={"tool": tool, "arguments": {"uri": "x:one"}})
        fixture.until("the ends", lambda: len([1 for r in fixture.call("list_sessions")["sessions"] if any(e["type"] in ("turn.completed", "turn.failed") for e in fixture.events(r["sessionId"]))]) >= 3)
        assert "read x:one" not in fixture.said() and "tool read_resource" not in fixture.said(), fixture.said()
    finally:
        fixture.close()
    fixture = with_hostile("reader", [("mcp__own__list_resources", {}), ("mcp__own__read_resource", {"uri": "x:one"}), (theirs, {"page": "7"})])
    try:
        fixture.status("own", "ready")
        assert "x:one" in result(fixture.submit())
        assert result(fixture.submit()) == "text of x:one"
        assert result(fixture.submit()) == "its own read_resource"
    finally:
        fixture.close()


@test
def a_server_that_dies_or_hangs_while_it_is_read_ends_the_call():
    fixture = with_server([("mcp__own__read_resource", {"uri": "memo://dies"})])
    try:
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "lost"
        fixture.status("own", "ready")
    finally:
        fixture.close()
    servers = offers()
    servers["own"]["timeout_ms"] = 1000
    fixture = Fixture(servers, [("mcp__own__read_resource", {"uri": "memo://slow"})], options=BYPASS)
    try:
        fixture.status("own", "ready")
        assert last(fixture.submit(), "tool.failed")["payload"]["category"] == "timeout"
    finally:
        fixture.close()


# ---- prompts ---------------------------------------------------------------------------------------

def commands(fixture):
    return {x["name"]: x for x in fixture.call("list_extensions", kind="command")["extensions"]}


@test
def prompts_are_commands_with_arguments():
    fixture = with_server()
    try:
        rows = fixture.until("the prompts", lambda: (lambda c: c if "own:review" in c else None)(commands(fixture)))
        row = rows["own:review"]
        assert row["source"] == "tool_server" and row["argumentHint"] == "<file> [tone]" and row["isTrusted"], row
        reply = fixture.call("expand_command", name="own:review", arguments="a.c")
        assert reply["text"].startswith("Review a.c in a plain tone.") and "earlier answer" in reply["text"], reply
        assert reply["command"]["path"] == "mcp:own"
        for given, text in (("a.c 'very kind'", "a.c in a very kind tone"), ("tone=dry file=b.c", "b.c in a dry tone"),
                            ("a.c one two three", "a.c in a one two three tone")):
            assert text in fixture.call("expand_command", name="own:review", arguments=given)["text"], given
        for name, code in (("own:review", "invalid_value"), ("own:none", "not_found"), ("other:review", "not_found"), ("own:", "not_found")):
            assert fixture.http.call("expand_command", {"name": name})[0] == code, name
        # a question outside of a turn has no person
        assert fixture.call("expand_command", name="own:asks")["text"] == "answer: cancel"
        # the server's program makes the text, so a token that may only read does not get it
        owner = fixture.http.token
        fixture.http.token = fixture.call("create_token", name="reader", scopes=["read"], sessions="all")["token"]
        assert fixture.http.call("expand_command", {"name": "own:review", "arguments": "a.c"})[0] == "forbidden"
        fixture.http.token = owner
    finally:
        fixture.close()


@test
def arguments_are_completed_within_a_deadline():
    fixture = with_server()
    try:
        fixture.until("the prompts", lambda: "own:review" in commands(fixture))
        assert fixture.call("complete_argument", name="own:review", arguments="al")["values"] == ["alpha.c"]
        assert fixture.call("complete_argument", name="own:review", arguments="file=be")["values"] == ["beta.c"]
        assert fixture.call("complete_argument", name="own:review")["values"] == ["alpha.c", "beta.c"], "what cannot be shown is left out"
        assert fixture.call("complete_argument", name="own:plain", arguments="x")["values"] == []
        assert fixture.http.call("complete_argument", {"name": "none:x"})[0] == "not_found"
        assert fixture.http.call("expand_command", {"name": "own:never"})[0] == "unavailable"
    finally:
        fixture.close()


@test
def what_is_added_later_appears():
    fixture = with_server([("mcp__own__grow", {}), *[("mcp__own__list_resources", {})] * 40])
    try:
        fixture.submit()
        fixture.until("the prompt", lambda: "own:late" in commands(fixture))
        fixture.until("the resource", lambda: "memo://late" in result(fixture.submit()))
    finally:
        fixture.close()


# ---- the newer revision, and servers that misbehave ------------------------------------------------

def with_hostile(kind, calls=(), options=BYPASS):
    log = pathlib.Path(tempfile.mkdtemp(prefix="thole-offer-")) / "log"
    log.touch()
    log.chmod(0o666)
    entry = {"command": "/usr/bin/python3", "args": [str(HERE / "offer_hostile.py"), kind], "read": [str(HERE)], "write": [str(log.parent)],
             "env": {"OFFER_LOG": str(log)}}
    fixture = Fixture({"own": entry}, calls, options=options)
    fixture.said = lambda: log.read_text()
    return fixture


@test
def the_newer_revision_reads_asks_follows_and_completes():
    fixture = with_hostile("modern", [("mcp__own__read_resource", {"uri": "x:asks"}), ("mcp__own__touch", {}), ("mcp__own__list_resources", {}),
                                      ("mcp__own__read_resource", {"uri": "x:sampling"})])
    try:
        assert fixture.status("own", "ready")["protocolVersion"] == "2026-07-28"
        asked = last(fixture.submit(), "action.required")["payload"]
        assert asked["prompt"] == "Which page?", asked
        events = answer(fixture, decision="answer", payload={"page": 3})
        assert json.loads(result(events)) == [{"action": "accept", "content": {"page": 3}}, "st"], result(events)
        fixture.until("the subscription", lambda: '"resourceSubscriptions": ["x:asks"]' in fixture.said())
        assert result(fixture.submit()) == "x:asks"
        assert "x:asks | asks | CHANGED" in result(fixture.submit())
        assert "does not support" in last(fixture.submit(), "tool.failed")["statusReason"]
        assert fixture.call("expand_command", name="own:hello", arguments="sea")["text"] == "hello sea"
        assert fixture.call("complete_argument", name="own:hello", arguments="w")["values"] == ["world"] * 100
        able = json.loads([x for x in fixture.said().splitlines() if x.startswith("capabilities")][0].split(" ", 1)[1])
        assert sorted(able) == ["elicitation", "extensions", "roots"], able
    finally:
        fixture.close()


@test
def lists_without_end_and_rows_of_any_form_are_bounded():
    fixture = with_hostile("endless", [("mcp__own__list_resources", {})] * 30)
    try:
        text = fixture.until("the list", lambda: (lambda t: t if "256 resources" in t else None)(result(fixture.submit())))
        assert "are not listed" in text, text[:200]
    finally:
        fixture.close()
    fixture = with_hostile("rows", [("mcp__own__list_resources", {"contains": "x:ok"})] * 30)
    try:
        text = fixture.until("the list", lambda: (lambda t: t if "x:ok" in t else None)(result(fixture.submit())))
        rows = [line for line in text.splitlines() if line.startswith("x:ok")]
        assert len(rows) == 1 and "fine mcp:other | forged" in rows[0] and len(text) < 3000, text[:500]
        assert "or more of the server's are not listed" in text, text[:200]
    finally:
        fixture.close()


@test
def a_server_whose_list_fails_keeps_its_tools():
    for kind in ("nolist", "silent_listing"):
        fixture = with_hostile(kind, [("mcp__own__touch", {}), ("mcp__own__read_resource", {"uri": "x:one"})])
        try:
            fixture.status("own", "ready")
            assert result(fixture.submit()) == ""
            assert result(fixture.submit()) == "text of x:one", kind
        finally:
            fixture.close()
    fixture = with_hostile("dies_listing")
    try:
        fixture.until("a restart", lambda: fixture.servers()["own"]["restarts"] > 1)
    finally:
        fixture.close()


@test
def questions_and_requests_before_any_call_get_no_person():
    fixture = with_hostile("early", [("mcp__own__touch", {})])
    try:
        fixture.status("own", "ready")
        last(fixture.submit(), "tool.result")
        answers = fixture.until("the answers", lambda: (lambda a: a if len(a) >= 44 else None)(
            [json.loads(x.split(" ", 1)[1]) for x in fixture.said().splitlines() if x.startswith("answer")]))
        for a in answers[:40]:
            assert a.get("result") == {"action": "cancel"} or a["error"]["code"] == -32000, a
        by_id = {a["id"]: a for a in answers}
        assert by_id["sampling/createMessage"]["error"]["code"] == -32601 and by_id["tasks/list"]["error"]["code"] == -32601, by_id
        assert by_id["roots/list"]["result"]["roots"][0]["uri"].startswith("file:///"), by_id["roots/list"]
        assert not fixture.call("list_actions", sessionId=fixture.session)["actions"]
    finally:
        fixture.close()


@test
def contents_of_any_form_end_the_call():
    uris = ["x:string", "x:none", "x:base64", "x:numbers", "x:list", "x:huge", "x:one"]
    fixture = with_hostile("contents", [("mcp__own__read_resource", {"uri": u}) for u in uris])
    try:
        fixture.status("own", "ready")
        for uri in uris:
            events = fixture.submit()
            ends = [e["type"] for e in events if e["type"] in ("tool.result", "tool.failed")]
            assert len(ends) == 1, (uri, ends)
            if uri in ("x:string", "x:none", "x:list"):
                assert ends == ["tool.failed"], uri
            if uri == "x:huge":
                assert "12582912" in json.dumps(last(events, "output.spilled")["payload"])
    finally:
        fixture.close()


# ---- floods ---------------------------------------------------------------------------------------

@test
def a_flood_of_changes_does_not_stop_turns():
    fixture = with_server([("mcp__own__read_resource", {"uri": "memo://one"})], "flood")
    try:
        events = fixture.submit()
        assert [e for e in events if e["type"] == "tool.result"] or last(events, "tool.failed")["payload"]["category"] == "lost"
        assert last(events, "turn.completed")
    finally:
        fixture.close()


@test
def messages_of_a_server_are_bounded_in_the_log():
    fixture = with_server([("mcp__own__say", {"count": 500})])
    try:
        fixture.submit()
        until(lambda: "".join(fixture.daemon.log[-8:]), lambda: any("own says: message 0" in line for line in fixture.daemon.log))
        said = [line for line in fixture.daemon.log if "own says:" in line]
        assert len(said) <= 30 and "\x1b" not in "".join(said) and "too quiet" not in "".join(said), len(said)
    finally:
        fixture.close()


def main():
    Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    return play(tests, sys.argv[2:], "offer: ")


if __name__ == "__main__":
    sys.exit(main())
