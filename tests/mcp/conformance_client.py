#!/usr/bin/env python3
"""The client that the official conformance suite tests: a real daemon whose model calls what a scenario asks for.

usage: MCP_CONFORMANCE_SCENARIO=NAME conformance_client.py BUILD_DIR URL

The suite's servers listen on an address, and the daemon speaks to them without anything in between.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
CALLS = {
    "http-invalid-tool-headers": [("valid_tool", {"region": "us-west1"})],
    "sse-retry": [("test_reconnection", {})],
    "tools_call": [("add_numbers", {"a": 5, "b": 3})],
    "elicitation-sep1034-client-defaults": [("test_client_elicitation_defaults", {})],
    "sep-2322-client-request-state": [("test_mrtr_echo_state", {}), ("test_mrtr_unrelated", {}), ("test_mrtr_no_state", {}),
                                      ("test_mrtr_no_result_type", {})],
}
ANSWERS = {  # to what the server asks a person
    "elicitation-sep1034-client-defaults": {},
    "sep-2322-client-request-state": {"confirmed": True},
}


DOCUMENT_URL = "https://conformance-test.local/client-metadata.json"  # the suite expects this one


def is_login(scenario):
    return scenario.startswith("auth/")


def context():
    return json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))


def calls_of(scenario):
    """What the suite wants to be called, if it says so; else what its scenario needs.

    The suite also gives null for a boolean, which the tool's own schema forbids and the runtime refuses: it is left out."""
    told = context().get("toolCalls")
    return [(c["name"], {k: v for k, v in c["arguments"].items() if v is not None}) for c in told] if told else CALLS.get(scenario, [])


def play(url, calls, answer=None):
    """A turn for each call; the schemas of all tools by the server's names for them."""
    from tool_fixture import Fixture, Wrong

    Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    servers = {"suite": {"type": "http", "url": url}}
    fixture = Fixture(servers, [("mcp__suite__" + name, args) for name, args in calls], options=["permission.mode=bypass"])
    try:
        fixture.status("suite", "ready")
        for name, _ in calls:
            events = fixture.submit()
            if fixture.action:
                fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, decision="answer", payload=answer)
                events = fixture.settle()
            if not any(e["type"] == "tool.result" for e in events):
                raise Wrong(f"{name}: {[e.get('statusReason') for e in events if e['type'] == 'tool.failed']}")
        return {t.get("nativeName"): t["inputSchema"] for t in fixture.tools().values()}
    finally:
        fixture.close()


def play_login(url):
    """Signs in as often as the server asks for it, lists the tools and calls the first one, as a person with a browser would.

    A login that the runtime refuses is the end: the suite decides whether that was right."""
    from login_browser import page_after
    from tool_fixture import Fixture, Wrong

    Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
    server = {"type": "http", "url": url}
    told = context()
    if "client_id" in told:
        server["oauth"] = {"issuer": told["issuer"], "client_id": told["client_id"], "client_secret": told["client_secret"]}
    options = ["permission.mode=bypass", 'peers.allow_hosts=["localhost:*","127.0.0.1:*"]', f"mcp.client_id_url={DOCUMENT_URL}"]
    fixture = Fixture({"suite": server}, [("mcp__suite__test-tool", {}), ("mcp__suite__test-tool", {})], options=options)

    def settled():
        row = fixture.servers()["suite"]
        return row if row["status"] not in ("starting",) and not row.get("loginPending") else None

    try:
        for _ in range(4):
            row = fixture.until("the server to settle", settled)
            if row["status"] != "login_required":
                break
            code, reply = fixture.http.call("login_tool_server", {"server": "suite"})
            if code:
                print(reply, file=sys.stderr)
                return
            fixture.http.call("login_tool_server", {"server": "suite", "redirectUrl": page_after(reply["url"], reply["redirectUri"])})
        else:
            return
        if row["status"] != "ready":
            print(row, file=sys.stderr)
            return
        for _ in range(2):
            events = fixture.submit()
            for _ in range(4):
                if not fixture.action:
                    break
                asked = [e for e in events if e["type"] == "action.required"][-1]["payload"]
                page = next(line for line in asked["prompt"].splitlines() if line.startswith("http"))
                redirect = asked["prompt"].split("begins with ")[1].rstrip(".")
                fixture.call("respond_action", sessionId=fixture.session, actionId=fixture.action, decision="answer",
                             payload={"redirectUrl": page_after(page, redirect)})
                events = fixture.settle()
    finally:
        fixture.close()


def main():
    scenario, url = os.environ["MCP_CONFORMANCE_SCENARIO"], sys.argv[2]
    if is_login(scenario):
        play_login(url)
    elif scenario == "json-schema-2020-12-preservation":
        # the definition that the runtime sends to models, returned to the server that sent it
        seen = play(url, [])["json_schema_2020_12_tool"]
        play(url, [("json_schema_echo", {"schema": seen})])
    else:
        play(url, calls_of(scenario), ANSWERS.get(scenario))
    print("done")


if __name__ == "__main__":
    main()
