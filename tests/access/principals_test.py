#!/usr/bin/env python3
"""Named tokens as their holders use them: what exists for them, what does not, and how they end.

usage: principals_test.py BUILD_DIR [WORD ...]     prints TAP; words choose tests by their names
"""
import base64
import datetime
import glob
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "tests", "scenario"), os.path.join(TOP, "tests", "lib")]
import run as scenario  # noqa: E402
import tap  # noqa: E402

until, Wrong, DEADLINE_S = scenario.until, scenario.Wrong, scenario.DEADLINE_S
BUILD = os.path.abspath(sys.argv[1])
SCRIPT = {
    "version": 1,
    "rules": [
        {"when": {"request": 1, "text": "ask"}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "touch asked"}}]}},
        {"when": {"request": 1, "text": "large"}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "seq 1 40000"}}]}},
    ],
    "default": {"text": "It is done."},
}


def expect(what, is_so):
    if not is_so:
        raise Wrong(str(what)[:3000])


class Holder(scenario.Http):
    """A holder of a token."""

    def __init__(self, daemon, token):
        self.daemon, self.token = daemon, token

    def do(self, command, **params):
        code, reply = self.call(command, params)
        if code:
            raise Wrong(f"{command}: {code} {reply.get('detail')}")
        return reply

    def code(self, command, **params):
        return self.call(command, params)[0]

    def turn(self, text, **more):
        ids = self.do("submit_turn", input=text, **more)
        until(text, lambda: any(json.loads(line).get("type") in ("turn.completed", "turn.failed", "action.required")
                                for line in self.events(ids["sessionId"], 0)))
        return ids

    def stream(self, path):
        """An open stream: its connection and the response."""
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        c.request("GET", path, headers={"Authorization": "Bearer " + self.token, "Accept": "text/event-stream"})
        return c, c.getresponse()


class World:
    def __init__(self, *options, script=SCRIPT):
        self.home = tempfile.mkdtemp(prefix="thole-access-")
        self.daemon = scenario.Daemon(BUILD, os.path.join(self.home, "data"), json.dumps(script), list(options))
        self.daemon.start()
        self.owner = Holder(self.daemon, open(os.path.join(self.daemon.data, "token")).read().strip())

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            self.daemon.end() if kind else self.daemon.stop()
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def thole(self, *words, check=True):
        done = subprocess.run([os.path.join(BUILD, "thole"), *words, "--data", self.daemon.data], capture_output=True, text=True,
                              timeout=DEADLINE_S, cwd=self.home, stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise Wrong(f"thole {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def holder(self, name, *words):
        return Holder(self.daemon, self.thole("token", "new", name, *words).stdout.strip())

    def restart(self):
        self.daemon.kill()
        self.daemon.start()


def missing_like(session):
    """An id of the same form that no session has."""
    return session[:-10] + "".join("0" if c != "0" else "1" for c in session[-10:])


def same(text, *names):
    """The answer without what the caller sent and without the number of the request."""
    for n, name in enumerate(names):
        text = text.replace(name, f"<{n}>")
    return re.sub(r'"requestId":"[^"]*"', '"requestId":""', text)


def dummy(kind, vocab):
    word, _, rest = kind.partition(" ")
    if word == "enum":
        return "read" if rest == "scope" else vocab[rest][0]
    return {"int": 1, "bool": True, "time": "2030-01-01T00:00:00Z", "usd": 1, "list": [], "rec": {}, "json": {}}.get(word, "x_1")


def catalogue():
    vocab = json.load(open(os.path.join(TOP, "catalog", "vocab.json")))["enums"]
    for file in sorted(glob.glob(os.path.join(TOP, "catalog", "commands", "*.json"))):
        for name, row in json.load(open(file)).items():
            if row.get("internal"):
                continue
            yield name, row, {a["name"]: dummy(a["type"], vocab) for a in row["args"] if a.get("required")}


# ---- tokens ----

def a_token_is_made_shown_once_listed_and_revoked():
    with World() as w:
        token = w.thole("token", "new", "ci", "--scope", "read,write,approve", "--expires", "30d").stdout.strip()
        expect(token, re.fullmatch(r"tht_[0-9a-f]{64}", token))
        row = w.thole("token", "ls").stdout
        expect(row, "ci" in row and "own" in row and "read,write,approve" in row)
        listed = w.owner.do("list_tokens")["tokens"]
        expect(listed, len(listed) == 1 and "tokenHash" not in listed[0] and listed[0]["createdBy"] == "owner")
        event = [e for e in map(json.loads, w.owner.events("sess_system", 0)) if "accessToken" in e.get("payload", {})][0]
        expect(event, event["payload"]["accessToken"]["tokenHash"] == hashlib.sha256(token.encode()).hexdigest())
        holder = Holder(w.daemon, token)
        ids = holder.turn("hello")
        created = json.loads(holder.events(ids["sessionId"], 0)[0])
        expect(created, created["payload"]["createdBy"]["principal"] == "ci")
        w.thole("token", "revoke", "ci")
        expect("revoked", holder.code("list_sessions") == "unauthorized")
        expect("twice", w.thole("token", "revoke", "ci", check=False).returncode != 0)
        audit = w.thole("audit", "--what", "keys").stdout
        expect(audit, "token ci, active" in audit and "token ci, revoked" in audit)
        w.daemon.kill()
        for folder, _, files in os.walk(w.home):
            for f in files:
                if not os.path.isfile(os.path.join(folder, f)):
                    continue
                with open(os.path.join(folder, f), "rb") as data:
                    expect(f"{f} holds the token", token.encode() not in data.read())
        w.daemon.start()


def tokens_and_revocations_survive_kill_9():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        ids = a.turn("hello")
        w.thole("token", "revoke", "b")
        w.restart()
        until("the runtime is ready", lambda: a.code("list_sessions") is None)
        expect("b", b.code("list_sessions") == "unauthorized")
        expect("a", a.do("get_session", sessionId=ids["sessionId"])["sessionId"] == ids["sessionId"])
        expect("still its own", [s["sessionId"] for s in a.do("list_sessions")["sessions"]] == [ids["sessionId"]])
        # A token of the same name is the same principal.
        w.thole("token", "revoke", "a")
        again = w.holder("a")
        expect("again", [s["sessionId"] for s in again.do("list_sessions")["sessions"]] == [ids["sessionId"]])


def a_stream_ends_when_its_token_is_revoked_or_expires():
    with World() as w:
        a = w.holder("a")
        ids = a.turn("hello")
        for path in (f"/v1/events?session={ids['sessionId']}", "/v1/events"):
            c, r = a.stream(path)
            expect(r.status, r.status == 200)
            line = r.readline()
            expect(line, line)
            w.thole("token", "revoke", "a")
            expect("end", b"unauthorized" in r.read())
            c.close()
            a = w.holder("a")
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        brief = Holder(w.daemon, w.owner.do("create_token", name="brief", scopes=["read"], expiresAt=soon)["token"])
        c, r = brief.stream("/v1/events")
        expect("expired", r.status == 401 or b"unauthorized" in r.read())
        c.close()
        expect("after it", brief.code("list_sessions") == "unauthorized")
        expect("its name is free", w.owner.code("create_token", name="brief", scopes=["read"]) is None)


def bad_tokens_are_refused_and_change_nothing():
    with World() as w:
        bad = [
            dict(name="owner", scopes=["read"]), dict(name="device:x", scopes=["read"]), dict(name="", scopes=["read"]),
            dict(name="a b", scopes=["read"]), dict(name="x" * 65, scopes=["read"]), dict(name="a", scopes=[]),
            dict(name="a", scopes=["root"]), dict(name="a", scopes=["read", "read"]), dict(name="a", scopes=["admin"]),
            dict(name="a", scopes=["admin"], sessions="all", tenant="t"), dict(name="a", scopes=["read"], sessions="some"),
            dict(name="a", scopes=["read"], expiresAt="2001-01-01T00:00:00Z"), dict(name="a", scopes=["read"], directories=["here"]),
            dict(name="a", scopes=["read"], tenant="a/b"), dict(name="a", scopes=["read"], idempotencyKey="k"),
        ]
        for params in bad:
            code = w.owner.code("create_token", **params)
            expect(f"{params}: {code}", code in ("invalid_value", "too_large", "missing_field", "unknown_field", "invalid_type"))
        status, data = w.owner.request("POST", "/v1/commands/create_token", json.dumps(dict(name="a", scopes=["read"])),
                                       {"Idempotency-Key": "k1"})
        expect(data, status == 400)
        expect("nothing was made", w.owner.do("list_tokens")["tokens"] == [])
        w.holder("a")
        expect("twice", w.owner.code("create_token", name="a", scopes=["read"]) == "token_exists")
        a = w.holder("b", "--scope", "read,write,approve")
        for command, params in (("create_token", dict(name="c", scopes=["read"])), ("list_tokens", {}), ("revoke_token", dict(name="a"))):
            expect(command, a.code(command, **params) == "forbidden")
        for wrong in ("tht_" + "0" * 64, "x", "tht_"):
            expect(wrong, Holder(w.daemon, wrong).code("list_sessions") == "unauthorized")
        expect("usage", w.thole("token", "new", "z", "--expires", "soon", check=False).returncode == 2)


def a_thousand_tokens_are_kept_and_one_more_is_refused():
    with World() as w:
        w.daemon.validates = False
        tokens = [w.owner.do("create_token", name=f"t{i}", scopes=["read"])["token"] for i in range(1000)]
        expect("one more", w.owner.code("create_token", name="more", scopes=["read"]) == "too_many_open")
        w.restart()
        for token in (tokens[0], tokens[500], tokens[999]):
            until("known again", lambda: Holder(w.daemon, token).code("list_sessions") is None)


# ---- what exists ----

def a_foreign_id_gets_the_answer_of_a_missing_one():
    """Every command that names a session, for the sessions of another token and of the owner."""
    with World() as w:
        a, b = w.holder("a", "--scope", "read,write,approve"), w.holder("b", "--scope", "read,write,approve")
        foreign = [b.turn("hello")["sessionId"], w.owner.turn("hello", cwd=w.home)["sessionId"], "sess_system", "sess_node_local"]
        own = a.turn("hello")["sessionId"]
        counts, seen = {}, 0
        for name, row, params in catalogue():
            if not any(arg["name"] == "sessionId" for arg in row["args"]):
                continue
            for session in foreign:
                unknown = missing_like(session)
                answers = [a.request("POST", "/v1/commands/" + name, json.dumps({**params, "sessionId": s})) for s in (session, unknown)]
                shown = [(status, same(data.decode(), session, unknown).replace("<1>", "<0>")) for status, data in answers]
                expect(f"{name} {session}:\n{shown[0]}\n{shown[1]}", shown[0] == shown[1])
                expect(f"{name}: {shown[0]}", shown[0][0] >= 400)
                counts[json.loads(answers[0][1])["code"]] = counts.get(json.loads(answers[0][1])["code"], 0) + 1
            seen += 1
        # Most get past their arguments; commands that need admin are forbidden.
        expect(f"{seen} commands: {counts}", seen > 90 and counts["session_not_found"] > 200 and set(counts) <= {
            "session_not_found", "forbidden", "missing_field", "invalid_value", "invalid_type", "reserved_id", "unavailable"})
        expect("its own is there", a.do("get_session", sessionId=own)["sessionId"] == own)
        for session in foreign[:2]:
            lines = [json.loads(x) for x in w.owner.events(session, 0)]
            expect("nothing was written there", all(e.get("payload", {}).get("command", {}).get("principal") != "a" for e in lines))


def streams_outputs_and_pages_of_others_do_not_exist():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        theirs = b.turn("large")
        refs = {r for line in b.events(theirs["sessionId"], 0) for r in re.findall(r'"outputRef":"([^"]+)"', line)}
        expect("no output", refs)
        unknown = missing_like(theirs["sessionId"])
        for path in ("/v1/events?session={}", "/v1/events?session={}&follow=0", "/v1/sessions/{}", "/v1/sessions/{}/threads"):
            for accept in ("text/event-stream", "application/x-ndjson", "application/json"):
                got = [a.request("GET", path.format(s), headers={"Accept": accept}) for s in (theirs["sessionId"], unknown)]
                shown = [(status, same(data.decode(), theirs["sessionId"], unknown).replace("<1>", "<0>")) for status, data in got]
                expect(f"{path} {accept}: {shown}", shown[0] == shown[1] and shown[0][0] in (404, 406))
        for ref in sorted(refs):
            unknown = missing_like(ref)
            for path in ("/v1/outputs/{}",):
                got = [a.request("GET", path.format(x)) for x in (ref, unknown)]
                shown = [(status, same(data.decode(), ref, unknown).replace("<1>", "<0>")) for status, data in got]
                expect(f"{ref}: {shown}", shown[0] == shown[1] and shown[0][0] == 404)
            got = [a.call("get_output", {"outputRef": x})[1] for x in (ref, unknown)]
            shown = [same(json.dumps(g, separators=(",", ":")), ref, unknown).replace("<1>", "<0>") for g in got]
            expect(f"{ref}: {shown}", shown[0] == shown[1])
            expect(ref, b.code("get_output", outputRef=ref) is None)
        # A thread by its id alone.
        got = [a.call("submit_turn", {"input": "x", "threadId": t}) for t in (theirs["threadId"], missing_like(theirs["threadId"]))]
        expect(got, got[0][0] == got[1][0] == "thread_not_found")


def lists_and_streams_of_all_sessions_show_its_own():
    with World() as w:
        a, b = w.holder("a", "--scope", "read,write,approve"), w.holder("b", "--scope", "read,write,approve")
        mine = {a.turn("hello")["sessionId"] for _ in range(3)} | {a.turn("ask")["sessionId"]}
        theirs = {b.turn("hello")["sessionId"] for _ in range(3)} | {b.turn("ask")["sessionId"], w.owner.turn("ask", cwd=w.home)["sessionId"]}
        for holder, own in ((a, mine), (b, theirs - {None})):
            listed = holder.do("list_sessions")
            if holder is b:
                own = {s for s in own if s in {x["sessionId"] for x in listed["sessions"]}}
                expect(own, len(own) == 4)
            expect(listed, {s["sessionId"] for s in listed["sessions"]} == own and "recovery" not in listed)
            for command, member in (("list_tasks", "tasks"), ("list_actions", "actions"), ("list_jobs", "jobs"), ("list_schedules", "schedules")):
                rows = holder.do(command)[member]
                expect(f"{command}: {rows}", all(row["sessionId"] in own for row in rows))
            expect("one action", len(holder.do("list_actions")["actions"]) == 1)
            status, data = holder.request("GET", "/v1/events?follow=0", headers={"Accept": "application/x-ndjson"})
            events = [json.loads(line) for line in data.decode().splitlines()]
            expect(status, {e["sessionId"] for e in events} == own)
        # Pages of one row each: no cursor names what is foreign.
        cursor, found = None, set()
        while True:
            page = a.do("list_sessions", limit=1, **({"cursor": cursor} if cursor else {}))
            found |= {s["sessionId"] for s in page["sessions"]}
            cursor = page.get("nextCursor")
            if not cursor:
                break
            named = base64.urlsafe_b64decode(cursor + "==") if re.fullmatch(r"[A-Za-z0-9_-]+", cursor) else cursor.encode()
            expect(cursor, not any(s.encode() in named or s in cursor for s in theirs))
        expect(found, found == mine)


def places_in_the_log_of_all_tell_nothing_of_others():
    with World() as w:
        a = w.holder("a")
        own = a.turn("hello")["sessionId"]
        status, data = a.request("GET", "/v1/events?follow=0", headers={"Accept": "text/event-stream"})
        ids = [int(re.sub(r"\D", "", line.split(b":", 1)[1].decode())) for line in data.splitlines() if line.startswith(b"id:")]
        steps = [y - x for x, y in zip(ids, ids[1:])]
        expect("places rise one by one", len(ids) > 5 and len({abs(s) for s in steps}) > 3 and max(ids) > 1 << 50)
        # Each place continues behind its event.
        texts = [line[3:].strip().decode() for line in data.splitlines() if line.startswith(b"id:")]
        all_events = [json.loads(line[5:]) for line in data.splitlines() if line.startswith(b"data:")]
        for at in (0, 3, len(texts) - 1):
            _, rest = a.request("GET", "/v1/events?follow=0&after=" + texts[at], headers={"Accept": "application/x-ndjson"})
            expect(f"after {at}", [json.loads(x) for x in rest.decode().splitlines()] == all_events[at + 1:])
        w.owner.turn("hello", cwd=w.home)
        _, rest = a.request("GET", "/v1/events?follow=0&after=" + texts[-1], headers={"Accept": "application/x-ndjson"})
        expect(rest, rest == b"")
        c, r = a.stream("/v1/events?after=end")
        a.do("submit_turn", input="again", sessionId=own)
        seen = b""
        while b"turn.completed" not in seen:
            line = r.readline()
            expect("the stream ended", line)
            seen += line
        c.close()


def what_shows_everything_is_forbidden():
    with World() as w:
        a = w.holder("a", "--scope", "read,write,approve")
        for command, params in (("list_events", {}), ("list_channels", {}), ("list_grants", {}), ("list_rules", {}), ("list_processes", {}),
                                ("list_tool_servers", {}), ("get_usage", {}), ("verify_log", {}), ("list_devices", {}), ("list_providers", {}),
                                ("get_benchmark_matrix", {"datasetId": "d"}), ("trust_hooks", {}), ("open_console", {})):
            code = a.code(command, **params)
            expect(f"{command}: {code}", code in ("forbidden", "missing_field", "unavailable"))
        expect("metrics", a.request("GET", "/metrics")[0] == 403)
        every = w.holder("every", "--sessions", "all", "--scope", "read")
        expect("all", every.code("get_usage") is None and every.request("GET", "/metrics")[0] == 200)


def tenants_share_and_do_not_see_each_other():
    with World() as w:
        one, two = (w.holder(n, "--tenant", "red") for n in ("one", "two"))
        boss = w.holder("boss", "--tenant", "red", "--sessions", "all")
        blue = w.holder("one-blue", "--tenant", "blue", "--sessions", "all")
        first, second = one.turn("hello")["sessionId"], two.turn("hello")["sessionId"]
        other = blue.turn("hello")["sessionId"]
        expect("boss", {s["sessionId"] for s in boss.do("list_sessions")["sessions"]} == {first, second})
        expect("one", {s["sessionId"] for s in one.do("list_sessions")["sessions"]} == {first})
        expect("blue", {s["sessionId"] for s in blue.do("list_sessions")["sessions"]} == {other})
        expect("across", boss.code("get_session", sessionId=other) == blue.code("get_session", sessionId=first) == "session_not_found")
        # Two principals of one name in two tenants are two.
        w.thole("token", "revoke", "one")
        one_key = dict(input="x", idempotencyKey="k")
        before = two.do("submit_turn", **one_key)
        w.thole("token", "revoke", "two")
        impostor, second = w.holder("one", "--tenant", "green"), w.holder("two", "--tenant", "green")
        expect("impostor", impostor.do("list_sessions")["sessions"] == [])
        expect("its keys", second.do("submit_turn", **one_key)["sessionId"] != before["sessionId"])


def the_runtime_chooses_ids():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        theirs = b.turn("hello")
        for params in (dict(turnId="turn_mine"), dict(turnId=theirs["turnId"])):
            expect(params, a.code("submit_turn", input="x", **params) == "forbidden")
        for session in ("mine", theirs["sessionId"], missing_like(theirs["sessionId"])):
            expect(session, a.code("submit_turn", input="x", sessionId=session) == "session_not_found")
            expect(session, a.code("create_session", sessionId=session) == "session_not_found")
        expect("task", a.code("create_task", title="t", objective="o", taskId="task_1") == "forbidden")
        # One that has its own form, and does not exist.
        own = a.turn("hello")["sessionId"]
        expect("own form", a.code("submit_turn", input="x", sessionId=missing_like(own)) == "session_not_found")
        expect("keys of two callers", a.do("submit_turn", input="x", idempotencyKey="k")["sessionId"]
               != b.do("submit_turn", input="x", idempotencyKey="k")["sessionId"])


def work_stays_in_the_directories_of_the_token():
    with World() as w:
        inside, outside = os.path.join(w.home, "in"), os.path.join(w.home, "out")
        os.makedirs(os.path.join(inside, "deep"))
        os.makedirs(outside)
        os.symlink(outside, os.path.join(inside, "link"))
        a = w.holder("a", "--dir", inside)
        for cwd in (outside, inside + "/../out", inside + "/link", inside + "/./../out", inside + "//deep", inside[:-1], "/", "in"):
            expect(cwd, a.code("submit_turn", input="x", cwd=cwd) == "forbidden")
        expect("none named", a.code("submit_turn", input="x") == "forbidden")
        ids = a.turn("hello", cwd=inside + "/deep")
        expect("later", a.code("update_session", sessionId=ids["sessionId"], cwd=outside) == "forbidden")
        expect("the same", a.code("submit_turn", input="x", sessionId=ids["sessionId"]) is None)
        expect("what has no directory", a.code("list_sessions") is None and a.code("get_capabilities") is None)
        task = dict(title="t", objective="o", scope={"cwd": outside})
        expect("a task's own", a.code("create_task", cwd=inside, **task) == a.code("create_task", sessionId=ids["sessionId"], **task) == "forbidden")
        later = dict(everyMs=60000, task=task)
        expect("a schedule's", a.code("create_schedule", cwd=inside, **later) == a.code("create_schedule", sessionId=ids["sessionId"], **later)
               == "forbidden")
        task["scope"]["cwd"] = inside + "/deep"
        expect("a task inside", a.code("create_task", cwd=inside, **task) is None and a.code("create_schedule", cwd=inside, **later) is None)
        tokens = {n: w.holder(n, "--tenant", "t", "--sessions", "all", "--dir", d) for n, d in (("wide", w.home), ("narrow", inside))}
        shared = tokens["wide"].turn("hello", cwd=outside)["sessionId"]
        expect("the tenant's session elsewhere", tokens["narrow"].code("submit_turn", input="x", sessionId=shared) == "forbidden")
        expect("to read", tokens["narrow"].code("get_session", sessionId=shared) is None)
        plain = w.holder("plain")
        expect("the runtime's own", plain.code("submit_turn", input="x") is None)
        expect("another", plain.code("submit_turn", input="x", cwd="/") == plain.code("submit_turn", input="x", cwd="/tmp") == "forbidden")


def a_token_approves_for_a_session_at_most():
    with World() as w:
        a = w.holder("a", "--scope", "read,write,approve")
        b = w.holder("b")
        ids = a.turn("ask")
        action = a.do("list_actions")["actions"][0]["actionId"]
        wide = a.code("respond_action", sessionId=ids["sessionId"], actionId=action, decision="allow", scope="workspace")
        expect(wide, wide == "forbidden")
        expect("b", b.code("respond_action", sessionId=ids["sessionId"], actionId=action, decision="allow") == "forbidden")
        a.do("respond_action", sessionId=ids["sessionId"], actionId=action, decision="allow", scope="session")
        expect("mode", a.code("submit_turn", input="x", mode="bypass") == "forbidden")


def requests_streams_and_turns_of_a_token_are_limited():
    script = {"version": 1, "default": {"text": "late", "firstDelayMs": 600000}}
    with World("limits.principal_streams=3", "limits.principal_turns=2", "limits.principal_requests=4", script=script) as w:
        a, b = w.holder("a"), w.holder("b")
        running = [a.do("submit_turn", input="slow") for _ in range(2)]
        until("two run", lambda: sum(s["status"] != "idle" for s in a.do("list_sessions")["sessions"]) == 2)
        expect("a third turn", a.code("submit_turn", input="slow") == "rate_limited")
        expect("of another", b.code("submit_turn", input="slow") is None)
        a.do("interrupt_turn", sessionId=running[0]["sessionId"], turnId=running[0]["turnId"])
        until("room again", lambda: a.code("submit_turn", input="slow") is None)
        own = running[0]["sessionId"]
        streams = [a.stream(f"/v1/events?session={own}") for _ in range(4)]
        expect("streams", [r.status for _, r in streams] == [200, 200, 200, 429])
        streams[0][0].close()
        streams[0][1].close()
        until("room for a stream", lambda: a.stream(f"/v1/events?session={own}")[1].status == 200)
        # Commands that wait: wait_subagents for a child that does not end.
        child = a.do("spawn_subagent", sessionId=own, parentThreadId=running[0]["threadId"], role="worker", input="slow")
        waiting = []
        for _ in range(4):
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("POST", "/v1/commands/wait_subagents", json.dumps({"sessionId": own, "subagentIds": [child["subagentId"]], "timeoutMs": 60000}),
                      {"Authorization": "Bearer " + a.token, "Content-Type": "application/json"})
            waiting.append(c)
        until("a fifth command", lambda: a.code("list_sessions") == "rate_limited")
        expect("of another", b.code("list_sessions") is None)
        for c in waiting:
            c.close()


def leaving_the_sandbox_is_not_for_a_limited_token_to_allow():
    script = {"version": 1, "rules": [{"when": {"request": 1}, "reply": {"toolCalls": [
        {"name": "shell", "args": {"command": "cat data/token", "escalate": {"reason": "to see it"}}}]}}], "default": {"text": "done"}}
    with World(script=script) as w:
        a = w.holder("a", "--scope", "read,write,approve")
        ids = a.do("create_session")
        w.owner.do("set_mode", sessionId=ids["sessionId"], mode="on_request")
        a.do("submit_turn", input="try", sessionId=ids["sessionId"])
        until("a question", lambda: a.do("list_actions")["actions"] or any("turn.completed" in x for x in a.events(ids["sessionId"], 0)))
        actions = a.do("list_actions")["actions"]
        if not actions or actions[0]["actionType"] != "escalation":
            raise tap.Skip(f"no sandbox here: {actions}")
        where = dict(sessionId=ids["sessionId"], actionId=actions[0]["actionId"])
        for command, more in (("respond_action", {}), ("resolve_permission", {"decisionSource": "host_policy"})):
            expect(command, a.code(command, decision="allow", **where, **more) == "forbidden")
        expect("the owner may", w.owner.code("respond_action", decision="deny", **where) is None)


def outputs_of_others_cannot_be_named_in_commands():
    with World() as w:
        a, b = w.holder("a", "--scope", "read,write,approve"), w.holder("b")
        theirs, own = b.turn("large"), a.turn("large")
        refs = {w_: sorted({r for line in h.events(i["sessionId"], 0) for r in re.findall(r'"(out_[0-9a-z]{20,30})"', line)})
                for w_, h, i in (("b", b, theirs), ("a", a, own))}
        expect(refs, refs["a"] and refs["b"])
        for foreign in refs["b"]:
            unknown = missing_like(foreign)
            for command, params in (
                    ("create_job", lambda r: dict(instruction="x", inputRef=r, sessionId=own["sessionId"])),
                    ("submit_turn", lambda r: dict(input=[{"type": "image", "outputRef": r, "mediaType": "image/png"}], sessionId=own["sessionId"])),
                    ("record_evidence", lambda r: dict(sessionId=own["sessionId"], kind="note", outcome="x", verifierRef=r))):
                got = [a.request("POST", "/v1/commands/" + command, json.dumps(params(r))) for r in (foreign, unknown)]
                shown = [(s, same(d.decode(), foreign, unknown).replace("<1>", "<0>")) for s, d in got]
                expect(f"{command} {foreign}: {shown}", shown[0] == shown[1] and shown[0][0] == 404)
        expect("its own", a.code("record_evidence", sessionId=own["sessionId"], kind="note", outcome="x", verifierRef=refs["a"][0]) != "output_not_found")


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def an_upload_is_for_the_principal_that_sent_it():
    with World() as w:
        one, two = (w.holder(name, "--scope", "read,write", "--sessions", "own", "--dir", w.home) for name in ("one", "two"))
        done = one.do("upload_output", mediaType="image/png", data=PIXEL, last=True)
        part = {"type": "image", "mediaType": "image/png", "ref": done["outputRef"], "bytes": done["sizeBytes"], "sha256": done["sha256"]}
        says = [{"type": "text", "text": "look"}, part]
        half = one.do("upload_output", mediaType="image/png", data=PIXEL[:40])["outputRef"]
        for h in (two, w.owner):
            foreign, missing = (h.call("upload_output", {"outputRef": ref, "offset": 30, "data": "AAAA"}) for ref in (half, half[:-1] + "x"))
            expect(("a piece of another", foreign, missing), foreign[0] == missing[0] == "output_not_found")
            expect("a turn of another", h.code("submit_turn", input=says, cwd=w.home) in ("output_not_found", "invalid_input"))
            expect("read by another", h.code("get_output", outputRef=done["outputRef"]) is not None or h is w.owner)
        expect("its own turn", one.do("submit_turn", input=says, cwd=w.home)["status"])
        # each principal has its own places
        codes = [one.code("upload_output", mediaType="image/png", data=PIXEL) for _ in range(40)]
        expect(("places", codes.count(None)), codes.count(None) == 31 and codes[-1] == "too_many_open")
        expect("places of another", two.do("upload_output", mediaType="image/png", data=PIXEL)["sizeBytes"] == 70)


def many_uploads_keep_no_one_out():
    """32 tokens took all 1,024 places for an hour, and a descriptor each."""
    with World() as w:
        many = [w.holder(f"many{n}", "--scope", "write", "--sessions", "own", "--dir", w.home) for n in range(32)]
        small = w.holder("small", "--scope", "read,write", "--sessions", "own", "--dir", w.home)
        refs = [[h.do("upload_output", mediaType="image/png", data=PIXEL[:40])["outputRef"] for _ in range(32)] for h in many]
        done = [small.do("upload_output", mediaType="image/png", data=PIXEL, last=True) for _ in range(3)]
        expect("theirs are complete", all(d["complete"] for d in done))
        gone = [ref for h, own in zip(many, refs) for ref in own if h.code("upload_output", outputRef=ref, offset=30, data="AAAA") == "output_not_found"]
        expect(("one for each, the oldest of some", len(gone)), len(gone) == 3 and all(ref in [r[0] for r in refs] for ref in gone))
        part = {"type": "image", "mediaType": "image/png", "ref": done[0]["outputRef"], "bytes": done[0]["sizeBytes"], "sha256": done[0]["sha256"]}
        expect("and they serve", small.do("submit_turn", input=[{"type": "text", "text": "look"}, part], cwd=w.home)["status"])


def channels_and_tasks_of_others_do_not_exist():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        own, theirs = a.turn("hello")["sessionId"], b.turn("hello")["sessionId"]
        s = Socket(w.daemon, b.token)
        channel = s.ask("initialize", {})["result"]
        got = [a.call("reconnect_channel", {"channelId": c, "sessionId": own}) for c in (channel["channelId"], missing_like(channel["channelId"]))]
        expect(got, got[0][0] == got[1][0] == "channel_not_found")
        foreign = b.do("create_task", title="t", objective="o", sessionId=theirs, start=False)["taskId"]
        mine = a.do("create_task", title="t", objective="o", sessionId=own, start=False)["taskId"]
        for one, two in ((mine, foreign), (foreign, mine)):
            got = [a.code("link_tasks", sessionId=own, fromTaskId=x, toTaskId=y, relation="blocks")
                   for x, y in ((one, two), *[(mine if o == mine else missing_like(o), mine if t == mine else missing_like(t)) for o, t in ((one, two),)])]
            expect(got, got[0] == got[1])


def a_record_of_a_policy_engine_grants_nothing():
    with World() as w:
        a = w.holder("a", "--scope", "read,write,approve")
        ids = a.turn("ask")
        action = a.do("list_actions")["actions"][0]["actionId"]
        code = a.code("resolve_permission", sessionId=ids["sessionId"], actionId=action, decision="allow",
                      record={"response": {"scope": "workspace"}})
        expect(code, code == "forbidden")


def expired_tokens_make_room_and_odd_ones_are_refused():
    with World() as w:
        w.daemon.validates = False
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)).strftime("%Y-%m-%dT%H:%M:%SZ")
        for i in range(1000):
            if w.owner.code("create_token", name=f"t{i}", scopes=["read"], expiresAt=soon):
                break  # it was slower than that
        until("room", lambda: w.owner.code("create_token", name="later", scopes=["read"]) is None)
        for params in (dict(name="a\0b"), dict(name="a", tenant="red\0x"), dict(name="a", expiresAt="1970-01-01T00:00:00Z"), dict(name="a", expiresAt="soon"),
                       dict(name="a", directories=["/tmp/"]), dict(name="a", directories=["/tmp/../etc"])):
            expect(params, w.owner.code("create_token", **{"scopes": ["read"], **params}) in ("invalid_value", "invalid_json"))


def the_end_of_the_log_tells_nothing():
    with World() as w:
        a = w.holder("a")

        def end():
            c, r = a.stream("/v1/events?after=end")
            while True:
                line = r.readline()
                if line.startswith(b"id:"):
                    c.close()
                    return line
        expect("nothing happened in between", len({end() for _ in range(8)}) > 6)


def a_refused_command_leaves_the_session_as_it_was():
    with World("limits.principal_turns=1", script={"version": 1, "rules": [{"when": {"text": "slow"}, "reply": {"text": "x", "firstDelayMs": 600000}}],
                                                     "default": {"text": "done"}}) as w:
        a = w.holder("a")
        ids = a.turn("hello")
        a.do("submit_turn", input="slow")
        for i in range(20):
            expect("limit", a.code("submit_turn", input="x" * 5000, sessionId=ids["sessionId"]) == "rate_limited")
            a.call("edit_files", {"sessionId": ids["sessionId"], "changes": [{"path": f"f{i}.txt", "content": "x"}]})
        expect("it lives", a.code("list_sessions") is None)


# ---- JSON-RPC over WebSocket ----

class Socket:
    """A WebSocket client of a few lines; masks with zeros."""

    def __init__(self, daemon, token):
        self.s = socket.create_connection(("127.0.0.1", daemon.port), timeout=DEADLINE_S)
        key = base64.b64encode(os.urandom(16)).decode()
        self.s.sendall((f"GET /v1/rpc HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {token}\r\n\r\n").encode())
        self.f = self.s.makefile("rb")
        status = self.f.readline()
        expect(status, b" 101 " in status)
        while self.f.readline().strip():
            pass
        self.n = 0

    def send(self, method, params):
        self.n += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}).encode()
        head = bytes([0x81]) + (bytes([0x80 | len(body)]) if len(body) < 126 else bytes([0xFE]) + struct.pack(">H", len(body)))
        self.s.sendall(head + b"\0\0\0\0" + body)

    def read(self):
        op, size = self.f.read(2)
        size &= 0x7F
        size = struct.unpack(">H", self.f.read(2))[0] if size == 126 else struct.unpack(">Q", self.f.read(8))[0] if size == 127 else size
        body = self.f.read(size)
        return json.loads(body) if op & 0xF == 1 else self.read() if op & 0xF == 9 else None

    def ask(self, method, params):
        self.send(method, params)
        while True:
            m = self.read()
            expect("the connection ended", m)
            if m.get("id") == self.n:
                return m


def json_rpc_has_the_same_limits():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        theirs, own = b.turn("hello")["sessionId"], a.turn("hello")["sessionId"]
        s = Socket(w.daemon, a.token)
        expect("initialize", "result" in s.ask("initialize", {}))
        for method in ("get_session", "subscribe_events", "list_events"):
            got = [s.ask(method, {"sessionId": x}) for x in (theirs, missing_like(theirs))]
            shown = [same(json.dumps(g["error"], separators=(",", ":")), theirs, missing_like(theirs)).replace("<1>", "<0>") for g in got]
            expect(f"{method}: {shown}", shown[0] == shown[1] and "session_not_found" in shown[0])
        expect("its own", "result" in s.ask("get_session", {"sessionId": own}))
        expect("devices", "error" in s.ask("list_devices", {}))
        s.send("subscribe_events", {})
        seen = set()
        while own not in seen:
            m = s.read()
            seen |= set(re.findall(r"sess_[0-9A-Za-z_]+", json.dumps(m)))
        expect(seen, theirs not in seen)
        w.thole("token", "revoke", "a")
        until("refused", lambda: s.ask("list_sessions", {}).get("error", {}).get("data", {}).get("code") == "unauthorized")
        expect("no new stream", "error" in s.ask("subscribe_events", {"sessionId": own}))


def peers_and_tool_servers_approve_nothing():
    with World() as w:
        a = w.holder("a", "--scope", "read,write,approve")
        for role in ("peer_agent", "tool_server", "client"):
            ids = a.turn("ask")
            action = [x for x in a.do("list_actions")["actions"] if x["sessionId"] == ids["sessionId"]][0]["actionId"]
            s = Socket(w.daemon, a.token)
            expect("initialize", "result" in s.ask("initialize", {"peerRole": role}))
            for method, more in (("respond_action", {}), ("resolve_permission", {"decisionSource": "host_policy"})):
                got = s.ask(method, {"sessionId": ids["sessionId"], "actionId": action, "decision": "allow", **more})
                code = got.get("error", {}).get("data", {}).get("code")
                expect(f"{role} {method}: {got}", code == ("forbidden" if role != "client" else None if method == "respond_action" else code))


def a_token_on_stdio_decides_who_it_is():
    with World() as w:
        a, b = w.holder("a"), w.holder("b")
        theirs = b.turn("hello")["sessionId"]
        for token, principal in ((a.token, "a"), ("wrong", None), (w.owner.token, "owner")):
            lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"token": token}},
                     {"jsonrpc": "2.0", "id": 2, "method": "get_session", "params": {"sessionId": theirs}}]
            done = subprocess.run([os.path.join(BUILD, "thole"), "rpc", "--data", w.daemon.data], input="".join(json.dumps(x) + "\n" for x in lines),
                                  capture_output=True, text=True, timeout=DEADLINE_S, cwd=w.home)
            got = {m["id"]: m for m in map(json.loads, done.stdout.splitlines()) if "id" in m}
            expect(got, got[1].get("result", {}).get("principal") == principal)
            if principal == "a":
                expect(got[2], got[2]["error"]["data"]["code"] == "session_not_found")


def a_revoked_token_on_an_open_connection_does_nothing():
    with World() as w:
        token = w.holder("boss", "--scope", "read,write,approve,admin", "--sessions", "all").token
        known, stranger = Socket(w.daemon, token), Socket(w.daemon, token)
        expect("before", "result" in known.ask("initialize", {}))
        expect("before", "result" in known.ask("list_devices", {}))
        w.thole("token", "revoke", "boss")
        for method, params in (("pair_device", {"url": "https://phone.example"}), ("list_devices", {}), ("list_sessions", {}), ("open_console", {}),
                               ("subscribe_events", {})):
            expect(method, known.ask(method, params)["error"]["data"]["code"] == "unauthorized")
        expect("initialize", "error" in stranger.ask("initialize", {}))


def tool_servers_of_a_session_are_for_its_principal():
    servers = {"none": {"command": "/bin/false", "args": []}}
    with World() as w:
        one = w.holder("one", "--scope", "read,write,approve", "--sessions", "own", "--tenant", "t1", "--dir", w.home)
        two = w.holder("two", "--scope", "read,write,approve", "--sessions", "own", "--tenant", "t2", "--dir", w.home)
        plain = w.holder("plain", "--scope", "read,write", "--sessions", "own", "--dir", w.home)
        mine, theirs = (h.do("create_session", cwd=w.home)["sessionId"] for h in (one, two))
        expect("attached", one.do("attach_tool_servers", sessionId=mine, servers=servers)["servers"][0]["source"] == "client")
        expect("it is not listed for them", two.code("list_tool_servers") is not None)
        for command, more in (("attach_tool_servers", {"servers": servers}), ("offer_file_text", {"toolCallId": "tool_x", "path": "a"})):
            foreign, missing = (two.call(command, {"sessionId": s, **more}) for s in (mine, missing_like(mine)))
            expect((command, foreign, missing), foreign[0] == missing[0] == "session_not_found")
        own = plain.do("create_session", cwd=w.home)["sessionId"]
        expect("the scope approve is needed", plain.code("attach_tool_servers", sessionId=own, servers=servers) == "forbidden")
        expect("nothing waits", plain.do("offer_file_text", sessionId=own, toolCallId="tool_x", path="a", text="b") == {"accepted": False})
        for wrong in ([], "x", 5, {"a__b": {}}, {"a": 5}, {"a": {"command": 5}}, {"a": {"command": "x", "args": [1]}}, {"a": {"type": "http", "url": "ftp://x"}},
                      {"a": {"type": "http", "url": "http://x", "headers": {"A\nB": "c"}}}, {str(i): {"command": "x"} for i in range(33)}):
            expect(wrong, two.code("attach_tool_servers", sessionId=theirs, servers=wrong) is not None)
        expect("no event of a refusal", "policy.changed" not in "".join(two.events(theirs, 0)))
        expect("its own events name it", "mcp:none /bin/false" in "".join(one.events(mine, 0)))


def one_principal_does_not_take_all_places_of_tool_servers():
    servers = {"none": {"command": "/bin/false", "args": []}}
    with World() as w:
        one, two = (w.holder(n, "--scope", "read,write,approve", "--sessions", "own", "--dir", w.home) for n in ("one", "two"))
        sessions = [one.do("create_session", cwd=w.home)["sessionId"] for _ in range(17)]
        for s in sessions[:16]:
            one.do("attach_tool_servers", sessionId=s, servers=servers)
        expect("no more than its share", one.code("attach_tool_servers", sessionId=sessions[16], servers=servers) == "overloaded")
        expect("its own are replaced", one.do("attach_tool_servers", sessionId=sessions[0], servers=servers)["servers"])
        other = two.do("create_session", cwd=w.home)["sessionId"]
        expect("others have theirs", two.do("attach_tool_servers", sessionId=other, servers=servers)["servers"])
        expect("none takes no place", one.do("attach_tool_servers", sessionId=sessions[1], servers={})["servers"] == [])
        expect("a place is free", one.do("attach_tool_servers", sessionId=sessions[16], servers=servers)["servers"])


TESTS = [
    an_upload_is_for_the_principal_that_sent_it,
    many_uploads_keep_no_one_out,
    tool_servers_of_a_session_are_for_its_principal, one_principal_does_not_take_all_places_of_tool_servers,
    a_token_is_made_shown_once_listed_and_revoked, tokens_and_revocations_survive_kill_9, a_stream_ends_when_its_token_is_revoked_or_expires,
    bad_tokens_are_refused_and_change_nothing, a_thousand_tokens_are_kept_and_one_more_is_refused, a_foreign_id_gets_the_answer_of_a_missing_one,
    streams_outputs_and_pages_of_others_do_not_exist, lists_and_streams_of_all_sessions_show_its_own, places_in_the_log_of_all_tell_nothing_of_others,
    what_shows_everything_is_forbidden, tenants_share_and_do_not_see_each_other, the_runtime_chooses_ids, work_stays_in_the_directories_of_the_token,
    a_token_approves_for_a_session_at_most, requests_streams_and_turns_of_a_token_are_limited, json_rpc_has_the_same_limits,
    peers_and_tool_servers_approve_nothing, leaving_the_sandbox_is_not_for_a_limited_token_to_allow, outputs_of_others_cannot_be_named_in_commands,
    channels_and_tasks_of_others_do_not_exist, a_record_of_a_policy_engine_grants_nothing, expired_tokens_make_room_and_odd_ones_are_refused,
    the_end_of_the_log_tells_nothing, a_refused_command_leaves_the_session_as_it_was, a_token_on_stdio_decides_who_it_is,
    a_revoked_token_on_an_open_connection_does_nothing,
]

if __name__ == "__main__":
    words = sys.argv[2:]
    sys.exit(tap.play([t for t in TESTS if not words or any(x in t.__name__ for x in words)]))
