#!/usr/bin/env python3
"""A second device over real HTTP: pairing, approvals, restarts, revocation, and invalid codes.

usage: pair_test.py BUILD_DIR          prints TAP
"""
import contextlib
import http.client
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
import run as scenario  # noqa: E402
from run import until  # noqa: E402

URL = "https://phone.example"
SCRIPT = """{ "version": 1,
  "tools": [ { "name": "write_file", "policy": "ask", "inputSchema": { "type": "object" }, "result": { "text": "written" } } ],
  "rules": [ { "when": { "afterTool": "write_file" }, "reply": { "text": "done" } },
             { "when": { "request": 1 }, "reply": { "toolCalls": [ { "name": "write_file", "args": {} } ] } } ],
  "default": { "text": "nothing to do" } }"""


def check(condition, what):
    if not condition:
        raise scenario.Wrong(str(what))


class Browser:
    """What a phone sends through a tunnel that passes Host on."""

    def __init__(self, stage, url=URL):
        self.stage, self.url, self.cookie = stage, url, None
        self.host = url.split("://")[1]

    def open(self, method, path, body=None, host=None, headers=()):
        c = http.client.HTTPConnection("127.0.0.1", self.stage.daemon.port, timeout=scenario.DEADLINE_S)
        h = {"Host": host or self.host, "Origin": self.url, "Sec-Fetch-Site": "same-origin", **dict(headers)}
        if self.cookie:
            h["Cookie"] = self.cookie
        if body is not None:
            h["Content-Type"] = "application/json"
        c.request(method, path, None if body is None else json.dumps(body), h)
        return c, c.getresponse()

    def ask(self, method, path, body=None, **more):
        c, r = self.open(method, path, body, **more)
        data = r.read()
        c.close()
        return r, json.loads(data) if data[:1] in (b"{", b"[") else {}

    def sign_in(self, code):
        r, body = self.ask("POST", "/v1/console/sign-in", {"code": code})
        if r.status == 200:
            self.cookie = r.headers["Set-Cookie"].split(";")[0]
        return r, body


class Fixture:
    def __init__(self, build):
        self.build = build
        self.dir = tempfile.mkdtemp(prefix="thole-pair-")
        self.daemon = scenario.Daemon(build, os.path.join(self.dir, "data"), SCRIPT, [])
        self.start()

    def start(self):
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)
        until("the daemon to be ready", lambda: self.transport.request("GET", "/readyz")[0] == 200)

    def restart(self):
        self.daemon.kill()
        self.start()

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        check(not code, f"{command}: {code}: {reply.get('detail')}")
        return reply

    def cli(self, *words):
        env = dict(os.environ, XDG_CONFIG_HOME=self.dir + "/none")
        p = subprocess.run([os.path.join(self.build, "thole"), words[0], "--data", self.daemon.data, *words[1:]],
                           capture_output=True, text=True, timeout=scenario.DEADLINE_S, env=env)
        return p

    def pair(self, url=URL, **more):
        b = Browser(self, url)
        r, body = b.sign_in(self.call("pair_device", url=url, **more)["code"])
        check(r.status == 200, body)
        return b

    def events(self, session="sess_system"):
        return [json.loads(e) for e in self.transport.events(session, 0)]

    def clear(self):
        for d in self.call("list_devices")["devices"]:
            self.call("revoke_device", deviceId=d["deviceId"])


def paired(s):
    made = s.call("pair_device", url=URL + "/", name="my-phone")
    check(made["address"] == f"{URL}/#code={made['code']}" and made["scopes"] == ["read", "write", "approve"], made)
    check(made["addresses"] == [f"http://127.0.0.1:{s.daemon.port}"], made)
    b = Browser(s)
    r, body = b.sign_in(made["code"])
    check(r.status == 200 and body["principal"] == "device:my-phone", body)
    cookie = r.headers["Set-Cookie"]
    check("HttpOnly" in cookie and "Secure" in cookie and "SameSite=Strict" in cookie, cookie)
    r, body = b.ask("GET", "/v1/sessions")
    check(r.status == 200, body)
    device = s.call("list_devices")["devices"][0]
    check(device["name"] == "my-phone" and device["host"] == "phone.example" and device["lastSeenAt"], device)
    events = until("the channel", lambda: [e for e in s.events() if e["type"] == "channel.connected"])
    check(events[-1]["channel"]["accountRef"] == "account:local:device:my-phone", events)
    check(events[-1]["channelId"] == device["channelId"], (events, device))


def only_there(s):
    b = s.pair()
    for host in (f"127.0.0.1:{s.daemon.port}", "localhost"):
        r, body = b.ask("GET", "/v1/sessions", host=host, headers={"Origin": f"http://{host}"})
        check(r.status == 401, f"its cookie at {host}: {r.status} {body}")
    stranger = Browser(s)
    r, body = stranger.ask("GET", "/v1/sessions")
    check(r.status == 401, body)
    r, body = stranger.ask("GET", "/v1/sessions", headers={"Authorization": "Bearer " + s.transport.token})
    check(r.status == 401, f"the owner's token at the device's host: {r.status} {body}")
    r, body = stranger.ask("GET", "/healthz")
    check(r.status == 200, body)
    r, body = b.ask("GET", "/v1/sessions", headers={"Origin": "https://evil.example"})
    check(r.status == 403 and body["code"] == "origin_not_allowed", body)
    r, body = Browser(s, "https://other.example").ask("GET", "/healthz")
    check(r.status == 421, f"an unknown host: {r.status} {body}")
    for path, wanted in (("pair_device", 403), ("revoke_device", 403), ("open_console", 403)):
        r, body = b.ask("POST", "/v1/commands/" + path, {"url": URL} if path == "pair_device" else
                        {"deviceId": "dev_x"} if path == "revoke_device" else {})
        check(r.status == wanted, f"{path}: {r.status} {body}")


def codes(s):
    b = Browser(s)
    code = s.call("pair_device", url=URL)["code"]
    before = s.call("list_devices")
    r, body = b.sign_in("0" * 32)
    check(r.status == 401 and body["code"] == "unauthorized", body)
    r, body = Browser(s, f"http://127.0.0.1:{s.daemon.port}").sign_in(code)
    check(r.status == 401, f"a code at another host: {body}")
    check(s.call("list_devices") == before, "nothing may change")
    r, body = b.sign_in(code)
    check(r.status == 200, body)
    again = Browser(s)
    r, body = again.sign_in(code)
    check(r.status == 401 and again.cookie is None, f"used twice: {body}")
    for _ in range(20):
        r, body = again.sign_in("f" * 32)
        if r.status == 429:
            break
    check(r.status == 429 and body["code"] == "rate_limited" and int(r.headers["Retry-After"]) >= 1, body)
    r, body = again.sign_in(s.call("pair_device", url=URL)["code"])
    check(r.status == 429, "none is taken for a while")
    own = Browser(s, f"http://127.0.0.1:{s.daemon.port}")
    r, body = own.sign_in(s.call("open_console")["code"])
    check(r.status == 200, f"the owner is not locked out: {body}")
    s.restart()


def bad(s):
    before = s.call("list_devices")
    for params, code in (({"url": "phone.example"}, "invalid_value"), ({"url": "https://a/b"}, "invalid_value"),
                         ({"url": "https://me@a"}, "invalid_value"), ({"url": "http://192.0.2.7:7433"}, "invalid_value"),
                         ({"url": URL, "name": "my phone"}, "invalid_value"), ({}, "missing_field"),
                         ({"url": URL, "what": 1}, "unknown_field")):
        got, reply = s.transport.call("pair_device", params)
        check(got == code, f"{params}: {got} {reply.get('detail')}")
    got, _ = s.transport.call("revoke_device", {"deviceId": "dev_missing"})
    check(got == "not_found", got)
    s.pair(name="twin")
    got, _ = s.transport.call("pair_device", {"url": URL, "name": "Twin"})
    check(got == "id_conflict", got)
    check(len(s.call("list_devices")["devices"]) == len(before["devices"]) + 1, "one was paired")


def lan(s):
    url = "http://192.0.2.7:7433"
    made = s.call("pair_device", url=url, lan=True)
    check(made["scopes"] == ["read", "approve"], made)
    b = Browser(s, url)
    r, body = b.sign_in(made["code"])
    check(r.status == 200 and "Secure" not in r.headers["Set-Cookie"], body)
    r, body = b.ask("POST", "/v1/commands/submit_turn", {"input": "hello"})
    check(r.status == 403 and "write" in body["detail"], body)
    r, body = b.ask("GET", "/v1/actions")
    check(r.status == 200, body)


def decides(s):
    b = s.pair(name="decider")
    until("its event", lambda: [e for e in s.events() if e["type"] == "channel.connected" and
                               e["channel"]["accountRef"].endswith(":decider")])
    ids = s.call("submit_turn", input="write")
    session = ids["sessionId"]
    action = until("the question", lambda: s.call("list_actions", status="pending", sessionId=session)["actions"])[0]
    s.restart()
    r, body = b.ask("POST", "/v1/commands/respond_action",
                    {"sessionId": session, "actionId": action["actionId"], "decision": "allow"})
    check(r.status in (200, 202), f"after the restart: {r.status} {body}")
    events = until("its end", lambda: [e for e in s.events(session) if e["type"] == "turn.completed"] and s.events(session))
    by = [e for e in events if e["type"] == "action.resolved"][0]["payload"]["decidedBy"]
    device = [d for d in s.call("list_devices")["devices"] if d["name"] == "decider"][0]
    check(by["principal"] == "device:decider" and by["channelId"] == device["channelId"], by)
    check(any(e["type"] == "channel.permission_returned" and e["channelId"] == device["channelId"] for e in events), "by channel")
    until("the channel", lambda: [e for e in s.events() if e["type"] == "channel.resumed" and
                                  e["channelId"] == device["channelId"]])


def within_bounds(s):
    b = s.pair(name="bounded")
    session = s.call("create_session", title="of the owner")["sessionId"]
    for mode in ("bypass", "auto", "on_request", "default", "plan"):
        r, body = b.ask("POST", "/v1/commands/set_mode", {"sessionId": session, "mode": mode})
        check(r.status == 403 and body["code"] == "forbidden", f"{mode}: {r.status} {body}")
    for command, more in (("submit_turn", {"input": "hello"}), ("create_session", {})):
        for cwd in ("/", "/root", "/etc", str(s.dir) + "/sub"):
            r, body = b.ask("POST", f"/v1/commands/{command}", {"cwd": cwd, **more})
            check(r.status == 403 and body["code"] == "forbidden", f"{command} in {cwd}: {r.status} {body}")
    r, body = b.ask("POST", "/v1/commands/submit_turn", {"input": "hello"})
    check(r.status in (200, 202), f"work in the runtime's own directory: {r.status} {body}")


def decisions(s):
    """A pack with decisions holds balances of the installation: a device neither makes nor reads one."""
    b = s.pair()
    session = s.call("create_session")["sessionId"]
    r, body = b.ask("POST", "/v1/commands/export_evidence", {"sessionId": session, "decisions": True})
    check(r.status == 403 and body["code"] == "forbidden", body)
    plain, with_them = (s.call("export_evidence", sessionId=session, **more)["packRef"] for more in ({}, {"decisions": True}))
    check(plain != with_them, with_them)
    for ref, status in ((plain, 200), (with_them, 403)):
        r, body = b.ask("GET", f"/v1/outputs/{ref}")
        check(r.status == status, f"{ref}: {r.status} {body}")
        r, body = b.ask("POST", "/v1/commands/get_output", {"sessionId": session, "outputRef": ref})
        check(r.status == status, f"{ref}: {r.status} {body}")


def revoked(s):
    b, other = s.pair(name="lost"), s.pair(name="kept")
    c, stream = b.open("GET", "/v1/events?follow=1", headers={"Accept": "text/event-stream"})
    c2, stream2 = other.open("GET", "/v1/events?follow=1&after=end", headers={"Accept": "text/event-stream"})
    check(stream.status == 200 and stream2.status == 200, "both stream")
    p = s.cli("pair", "revoke", "lost")
    check(p.returncode == 0 and "1 of its streams" in p.stderr, p.stderr)
    try:
        while stream.read(4096):
            pass
    except (http.client.IncompleteRead, ConnectionError):
        pass  # cut, not ended
    c.close()
    r, body = b.ask("GET", "/v1/sessions")
    check(r.status == 401, f"after: {r.status} {body}")
    r, body = other.ask("GET", "/v1/sessions")
    check(r.status == 200, "the other one stays")
    s.call("submit_turn", input="hello")
    check(stream2.readline(), "and so does its stream")
    c2.close()
    gone = until("the event", lambda: [e for e in s.events() if e["type"] == "channel.disconnected" and
                                      e["payload"]["cause"] == "auth"])
    check(gone[-1]["channel"]["accountRef"] == "account:local:device:lost", gone)
    s.restart()
    r, body = b.ask("GET", "/v1/sessions")
    check(r.status == 401, "and after a restart")
    names = [d["name"] for d in s.call("list_devices")["devices"]]
    check("lost" not in names and "kept" in names, names)


def typed(s):
    p = s.cli("pair", "--url", URL, "--name", "typed")
    lines = p.stdout.splitlines()
    check(p.returncode == 0 and lines[-1].startswith(URL + "/#code=") and "█" in lines[0], p.stdout + p.stderr)
    check("read, write, approve" in p.stderr and f"127.0.0.1:{s.daemon.port}" in p.stderr, p.stderr)
    b = Browser(s)
    r, body = b.sign_in(lines[-1].split("#code=")[1])
    check(r.status == 200, body)
    p = s.cli("pair", "ls")
    check("typed" in p.stdout and "phone.example" in p.stdout, p.stdout)
    ids = s.cli("pair", "ls", "-q").stdout.split()
    check(ids == [d["deviceId"] for d in s.cli("pair", "ls", "--json").stdout and
                  s.call("list_devices")["devices"]], ids)
    p = s.cli("pair", "--url", "http://192.0.2.7:7433")
    check(p.returncode != 0 and "plain HTTP" in p.stderr, p.stderr)
    p = s.cli("pair", "--url", "http://192.0.2.7:7433", "--lan", "-q")
    check(p.returncode == 0 and p.stdout.count("\n") == 1, p.stdout)
    check(s.cli("pair").returncode == 2, "it says what is missing")
    p = s.cli("pair", "revoke", "stranger")
    check(p.returncode == 1 and "stranger" in p.stderr, p.stderr)


def code_outlives(s):
    code = s.call("pair_device", url=URL, name="late")["code"]
    s.restart()
    b = Browser(s)
    r, body = b.sign_in(code)
    check(r.status == 200 and body["principal"] == "device:late", f"{r.status} {body}")
    written = json.dumps(s.events())
    check(code not in written and '"codeHash"' in written, "the log has the hash of a code and not the code")


def rotated(s):
    b = s.pair(name="signed")
    before = s.transport.token
    p = s.cli("token", "rotate")
    check(p.returncode == 0 and len(p.stdout.strip()) == 64 and p.stdout.strip() != before, p.stdout + p.stderr)
    check(s.transport.request("GET", "/v1/sessions")[0] == 401, "the token before")
    r, _ = b.ask("GET", "/healthz")
    check(r.status == 421, f"its host: {r.status}")
    s.transport = scenario.Http(s.daemon)
    check(s.transport.token == p.stdout.strip() and s.call("list_devices")["devices"] == [], "the new one")
    s.pair(name="signed")
    s.restart()
    check([d["name"] for d in s.call("list_devices")["devices"]] == ["signed"], "after a restart")
    audit = s.cli("audit", "--what", "keys").stdout
    check("device signed, offered" in audit and "device signed, paired" in audit and "the owner's token was replaced" in audit, audit)


def carried(s):
    """A version before kept its devices in a value beside the log; here as many as may be paired, but one."""
    def old(n):
        return {"deviceId": f"dev_old{n}", "name": f"n{n}", "host": "phone.example", "scopes": ["read"], "pairedAt": "2026-01-01T00:00:00Z",
                "lastSeenAt": "2026-01-02T00:00:00Z"}

    s.clear()
    s.daemon.stop()
    with contextlib.closing(sqlite3.connect(os.path.join(s.daemon.data, "log.db"))) as db, db:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('serve:devices', ?)", [json.dumps({"devices": [old(n) for n in range(999)]})])
    s.start()
    devices = until("all of them", lambda: (lambda d: len(d) == 999 and d)(s.call("list_devices")["devices"]))
    check(devices[0]["name"] == "n0" and devices[0]["channelId"], devices[0])
    s.pair(name="last")
    got, reply = s.transport.call("pair_device", {"url": URL})
    check(got == "too_many_open", f"{got}: {reply}")
    s.call("revoke_device", deviceId="dev_old7")
    s.restart()
    names = [d["name"] for d in s.call("list_devices")["devices"]]
    check(len(names) == 999 and "n7" not in names and names[-1] == "last", names[-3:])
    s.call("rotate_token")
    s.transport = scenario.Http(s.daemon)


TESTS = [("a device signs in with the code, once, and is a channel in the log", paired),
         ("a device is served at its own host, and no other client is served there", only_there),
         ("codes that are wrong, used or elsewhere change nothing, and tries are bounded", codes),
         ("what cannot be meant is refused by its code", bad),
         ("on the local network it reads and decides, and nothing else", lan),
         ("it decides under its name, also after kill -9", decides),
         ("it changes neither the mode nor the directory", within_bounds),
         ("it neither makes nor reads a pack with decisions", decisions),
         ("a device that is revoked loses its streams at once, and for good", revoked),
         ("the command line pairs, lists and revokes", typed),
         ("a code outlives the daemon that showed it", code_outlives),
         ("a new token of the owner unpairs every device", rotated),
         ("devices of an earlier version are carried over, and there is a bound", carried)]


def main():
    failed = 0
    stage = Fixture(os.path.abspath(sys.argv[1]))
    for number, (name, test) in enumerate(TESTS, 1):
        try:
            test(stage)
            print(f"ok {number} - {name}", flush=True)
        except scenario.Wrong as e:
            failed += 1
            print(f"not ok {number} - {name}\n# {e}", flush=True)
        stage.clear()
    stage.daemon.stop()
    shutil.rmtree(stage.dir, ignore_errors=True)
    print(f"1..{len(TESTS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
