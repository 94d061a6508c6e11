"""Transports: all of them return the same data, and none keeps its own."""
import datetime
import json
import os
import re
import subprocess

from contract_fixture import DEADLINE_S, need, one, rows, same, story

SAVE = story(save=("write_file", {"path": "saved.txt", "content": "x"}), tell=("shell", {"command": "echo told; sleep 0.05"}))


def types(fixture, session):
    return [e["type"] for e in fixture.events(session)]


def by_rpc(fixture, transport):
    def call(command, params):
        code, reply = transport.call(command, params)
        need(not code, f"{command} over {transport.name}: {code}")
        return reply
    return call


def story_of(fixture, call):
    """A turn that asks and is answered, and one that is stopped: what they leave."""
    if fixture.saved():
        os.remove(fixture.path("saved.txt"))
    reply = call("submit_turn", {"input": "save"})
    session = reply["sessionId"]
    action = one(fixture.wait(session, "action.required"), "action.required")
    fixture.wait(session, "thread.updated", count=2)
    call("respond_action", {"sessionId": session, "actionId": action["actionId"], "decision": "allow"})
    fixture.wait(session, "snapshot.updated")
    call("submit_turn", {"sessionId": session, "input": "save"})
    fixture.wait(session, "action.required", count=2)
    call("interrupt_turn", {"sessionId": session})
    fixture.wait(session, "snapshot.updated", count=2)
    return [t for t in types(fixture, session) if t != "model.delta"]


def program(fixture, *words):
    env = dict(os.environ, XDG_CONFIG_HOME=fixture.data + ".config")
    return subprocess.run([os.path.join(fixture.build, "thole"), *words, "--data", fixture.data], capture_output=True, text=True, env=env, cwd=fixture.dir, timeout=DEADLINE_S)


def by_program(fixture):
    def call(command, params):
        if command == "submit_turn":
            made = program(fixture, "run", "--detach", "--json", *(["--session", params["sessionId"]] if "sessionId" in params else []), params["input"])
            return json.loads(made.stdout.splitlines()[0])
        made = program(fixture, "approve", params["actionId"]) if command == "respond_action" else program(fixture, "stop", params["sessionId"])
        need(made.returncode == 0, f"{command}: {made.stderr}")
        return {}
    return call


@rows("CTL-48", script=SAVE)
def check_each_way_in_is_the_same_command(fixture):
    usual = story_of(fixture, by_rpc(fixture, fixture.web))
    for transport in (fixture.stdio(), fixture.socket(), fixture.websocket()):
        same(story_of(fixture, by_rpc(fixture, transport)), usual, transport.name)
        transport.close()
    same(story_of(fixture, by_program(fixture)), usual, "the command line")
    # what waits for the end of a turn is a submit like any other
    plain = types(fixture, fixture.turn("hello")[0]["sessionId"])
    before = {s["sessionId"] for s in fixture.call("list_sessions", limit=256)["sessions"]}
    status, _ = fixture.web.request("POST", "/v1/run", json.dumps({"input": "hello"}))
    same(status, 200, "run")
    made = [s["sessionId"] for s in fixture.call("list_sessions", limit=256)["sessions"] if s["sessionId"] not in before]
    same(types(fixture, made[0]), plain, "/v1/run")
    writes = [p for p, methods in json.loads(fixture.get("/openapi.json")[1])["paths"].items() if "post" in methods and "/commands/" not in p]
    same(sorted(writes), ["/a2a", "/ag-ui", "/mcp", "/openai/v1/chat/completions", "/openai/v1/conversations", "/openai/v1/responses", "/v1/console/sign-in", "/v1/console/sign-out", "/v1/node/call", "/v1/run", "/v1/triggers/{name}"], "and there is no other way to write")


@rows("PRF-05", script=SAVE)
def check_the_console_keeps_no_truth(fixture):
    status, page = fixture.get("/")
    same(status, 200, "the console")
    names = re.findall(r'(?:src|href)="(/?console/[^"]+\.js)"', page.decode())
    if not names:
        return  # built without it: then there is nothing that could
    seen, texts = set(), []
    while names:
        name = names.pop().lstrip("/")
        if name in seen:
            continue
        seen.add(name)
        status, text = fixture.get("/" + name)
        same(status, 200, name)
        texts.append(text.decode())
        names += ["console/" + n for n in re.findall(r'"\./([\w.-]+\.js)"', texts[-1])]
    whole = "\n".join(texts)
    kept = set(re.findall(r'localStorage\.\w+\("([^"]+)"', whole))
    same(sorted(kept), ["thole.keys", "thole.language", "thole.theme"], "what a browser keeps")
    need("indexedDB" not in whole and "sessionStorage" not in whole, "another store")
    paths = {p for p in re.findall(r'["`](/v1/[\w/-]*)', whole)}
    reads = {"/v1/actions", "/v1/capabilities", "/v1/sessions", "/v1/sessions/", "/v1/events", "/v1/outputs/", "/v1/console/session"}
    need(paths <= reads | {"/v1/commands/", "/v1/console/sign-in", "/v1/console/sign-out"}, f"where it goes: {sorted(paths)}")


@rows("NEG-35", script=SAVE, options=("permission.mode=bypass",))
def check_durations_come_from_events(fixture):
    _, events = fixture.turn("tell")
    one(events, "process.started")
    before, ended = one(events, "sandbox.applied"), one(events, "process.completed")

    def ms(e):
        return round(datetime.datetime.fromisoformat(e["timestamp"].replace("Z", "+00:00")).timestamp() * 1000)

    # It starts before process.started can be written, and its end is written after its changes were looked up.
    # Timestamps and durations come from two clocks, each cut to a millisecond.
    need(0 <= ended["payload"]["durationMs"] <= ms(ended) - ms(before) + 1, "a process: from its start to its end")
    result = one(events, "tool.result")
    same(result["payload"]["durationMs"], ms(result) - ms(before), "and its call: from its dispatch, in a sandbox, to its result")
    again = [e for e in fixture.events(ended["sessionId"]) if e["eventId"] == ended["eventId"]]
    same(again, [ended], "for every reader, at any time")


@rows("CTL-49")
def check_commands_beyond_the_tables(fixture):
    made = fixture.call("create_session", title="more")
    session, thread = made["sessionId"], made["threadId"]
    need(session in [s["sessionId"] for s in fixture.call("list_sessions")["sessions"]], "listed")
    for text in ("one", "two", "three"):
        fixture.turn(text, sessionId=session, threadId=thread)
    fixture.call("compact_thread", sessionId=session, threadId=thread)
    fixture.wait(session, "context.compaction.completed")
    turns = [t["turnId"] for t in fixture.read(session, thread)["turns"] if t["kind"] == "user"]
    fixture.call("rollback_thread", sessionId=session, threadId=thread, toTurnId=turns[-2])
    fixture.wait(session, "history.rollback.completed")
    held = fixture.call("submit_turn", sessionId=session, threadId=thread, input="soak")
    fixture.wait(session, "tool.progress")
    fixture.call("submit_turn", sessionId=session, threadId=thread, input="later")
    same(len(fixture.call("list_queue", sessionId=session, threadId=thread)["queuedTurns"]), 1, "the queue")
    fixture.call("submit_turn", sessionId=session, threadId=thread, input="by the way", delivery="steer")
    fixture.call("set_mode", sessionId=session, mode="plan")
    fixture.call("set_policy", sessionId=session, rules=[{"effect": "deny", "tool": "save"}])
    fixture.call("interrupt_turn", sessionId=session, threadId=thread, queuePolicy="clear")
    fixture.until("its end", lambda: fixture.ended(held))
    known = set(fixture.call("get_capabilities")["events"])
    same(len(known), 120, "classes of the standard")
    same(sorted({e["type"] for e in fixture.events(session)} - known), [], "and no other")
