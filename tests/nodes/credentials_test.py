#!/usr/bin/env python3
"""What signs in at several nodes on one PostgreSQL: the owner's token, paired devices, channels that resume.

usage: credentials_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only stories whose name contains one of them.
"""
import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import stat
import sys
import threading
import time

import nodes_test as nodes
from nodes_test import DEADLINE_S, ask, call, check, log_of, pending, scenario, submit, until

HOST = "phone.example"
URL = "https://" + HOST
TOKEN_A, TOKEN_B = "a" * 64, "b" * 64


# ---- helpers --------------------------------------------------------------------------------------

def put_token(w, name, token):
    """The data directory of a node that was alone before."""
    data = os.path.join(w.dir, name)
    os.makedirs(data, mode=0o700, exist_ok=True)
    with open(os.open(os.path.join(data, "token"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
        f.write(token + "\n")


def token_of(node):
    with open(os.path.join(node.data, "token")) as f:
        return f.read().strip()


def all_at_once(works):
    """Runs them in threads; what one of them found wrong is found here."""
    found = []

    def run(work):
        try:
            work()
        except Exception as e:  # noqa: BLE001 - reported below
            found.append(repr(e))

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(not found, found)


def wait_ready(node):
    until(f"node {node.name} to be ready", lambda: scenario.Http(node).request("GET", "/readyz")[0] == 200)


class Phone:
    """What a device sends through a proxy that passes Host on, to any node."""

    def __init__(self, cookie=None):
        self.cookie = cookie

    def open(self, node, method, path, body=None):
        c = http.client.HTTPConnection("127.0.0.1", node.port, timeout=DEADLINE_S)
        headers = {"Host": HOST, "Origin": URL, "Sec-Fetch-Site": "same-origin"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        if body is not None:
            headers["Content-Type"] = "application/json"
        c.request(method, path, None if body is None else json.dumps(body), headers)
        return c, c.getresponse()

    def ask(self, node, method, path, body=None):
        c, r = self.open(node, method, path, body)
        data = r.read()
        c.close()
        cookie = r.headers["Set-Cookie"]
        if r.status == 200 and cookie:
            self.cookie = cookie.split(";")[0]
        return r.status, json.loads(data) if data[:1] in (b"{", b"[") else {}

    def sign_in(self, node, code):
        return self.ask(node, "POST", "/v1/console/sign-in", {"code": code})

    def status(self, node):
        return self.ask(node, "GET", "/v1/sessions")[0]


def offer(node, **more):
    return ask(node, "pair_device", url=URL, **more)


def paired(at, shown_at=None, **more):
    """A phone that signed in at one node with a code of the same or another one, and its name."""
    phone = Phone()
    status, body = phone.sign_in(at, offer(shown_at or at, **more)["code"])
    check(status == 200, f"the code of {(shown_at or at).name} at {at.name}: {status} {body}")
    return phone, body["principal"].removeprefix("device:")


def devices(node):
    return ask(node, "list_devices")["devices"]


def id_of(node, name):
    return next(d["deviceId"] for d in devices(node) if d["name"] == name)


REFUSED = (401, 421)  # 421: it was the last device at its address


# ---- the owner's token ----------------------------------------------------------------------------

def the_token_of_the_owner_is_one_for_all_nodes(w):
    put_token(w, "a", TOKEN_A)
    put_token(w, "b", TOKEN_B)
    a, b = w.node("a"), w.node("b")
    c = w.node("c")
    for node in (a, b, c):
        check(token_of(node) == TOKEN_A, f"{node.name} has another token")
        check(w.thole(node, "token").strip() == TOKEN_A, f"thole token says something else on {node.name}")
        check(stat.S_IMODE(os.stat(os.path.join(node.data, "token")).st_mode) == 0o600, "others can read it")
        check(sorted(f for f in os.listdir(node.data) if f.startswith("token")) == ["token"], "something is left beside it")
        check(nodes.status_with(node, TOKEN_A) == 200, f"the token is refused on {node.name}")
        check(nodes.status_with(node, TOKEN_B) == 401, f"the token of before is taken on {node.name}")
    said = "".join(b.log)
    check("had another token" in said and TOKEN_A not in said and TOKEN_B not in said, f"the operator is not told: {said}")
    check("had another token" not in "".join(a.log + c.log), "a node says that its token was replaced, and it was not")
    # A machine that is set up again has the same one.
    c.kill()
    os.unlink(os.path.join(c.data, "token"))
    c.start()
    wait_ready(c)
    check(token_of(c) == TOKEN_A, "a node that lost its file has another token")


def nodes_that_start_at_the_same_moment_have_one_token(w):
    first = w.node("first")
    first.stop()
    w.cluster.sql(f"DELETE FROM {w.schema}.meta WHERE key IN ('token', 'secret', 'runtime_id')")  # as if there had been no start
    found = []
    for name in "abc":
        put_token(w, name, name * 64)
    all_at_once([lambda name=name: found.append(w.node(name)) for name in "abc"])
    tokens = {token_of(node) for node in found}
    check(len(tokens) == 1 and tokens < {"a" * 64, "b" * 64, "c" * 64}, f"the nodes have the tokens {tokens}")
    # What they make of the secret of the installation is the same, too.
    a, b, _ = found
    session = submit(a, "hello")
    reply = ask(a, "reconnect_channel", sessionId=session, channelId="chan_one")
    check(not call(b, "reconnect_channel", {"sessionId": session, "channelId": "chan_one", "resumeToken": reply["resumeToken"]})[0],
          "the nodes have different secrets")


def a_start_that_is_killed_leaves_a_whole_token(w):
    a = w.node("a")
    b = w.node("b")
    b.kill()
    for round in range(12):
        put_token(w, "b", TOKEN_B)
        starter = threading.Thread(target=lambda: start_quietly(b), daemon=True)
        starter.start()
        until("the process", lambda: b.process and b.process.poll() is None)
        time.sleep(random.random() * 0.4)
        b.kill()
        starter.join(DEADLINE_S)
        check(token_of(b) in (TOKEN_B, token_of(a)), f"round {round}: the file has {token_of(b)!r}")
    b.start()
    wait_ready(b)
    check(token_of(b) == token_of(a), "the node has another token after all")


def start_quietly(node):
    try:
        node.start()
    except scenario.Wrong:
        pass  # it was killed before it listened


def a_new_token_counts_at_every_node_when_its_command_is_answered(w):
    every = [*w.two(), w.node("c")]
    a, b, c = every
    old = token_of(a)
    phone, _ = paired(b)
    stream = nodes.Stream(b)
    code = ask(b, "open_console")["code"]
    browser = Browser(b, code)
    check(browser.status() == 200, "the console is not signed in")
    for node in (c, a, b):
        before = token_of(node)
        printed = w.thole(node, "token", "rotate").strip()
        check(len(printed) == 64 and printed != before, f"thole token rotate says {printed}")
        check({token_of(n) for n in every} == {printed}, f"the files have {[token_of(n) for n in every]}")
        for n in every:
            found = nodes.status_with(n, before), nodes.status_with(n, old), nodes.status_with(n, printed), phone.status(n)
            check(found[:3] == (401, 401, 200) and found[3] in REFUSED, f"{n.name} answers {found} to the token before, the first, the new one and the device")
            check(not devices(n), f"{n.name} lists {devices(n)}")
    check(browser.status() == 401, "the console of the first token is signed in")
    until("the stream of the first token to end", lambda: stream.ended)
    again, _ = paired(a, shown_at=c)
    check([again.status(n) for n in every] == [200] * 3, "no device can be paired any more")
    # What was acknowledged is so after a start, also where the leaked token is put back.
    b.kill()
    put_token(w, "b", old)
    b.start()
    wait_ready(b)
    check(nodes.status_with(b, old) == 401 and token_of(b) == token_of(a), "the first token came back")
    # A node that stands still is waited for, and ends.
    leaked = token_of(a)
    c.process.send_signal(signal.SIGSTOP)
    ask(a, "rotate_token")
    check([nodes.status_with(n, leaked) for n in (a, b)] == [401, 401], "the token before is taken")
    c.process.send_signal(signal.SIGCONT)
    check(c.process.wait(DEADLINE_S) == 70, f"the node did not end: {c.whole_log()}")
    c.start()
    wait_ready(c)
    found = nodes.status_with(c, leaked), token_of(c)[:8], token_of(a)[:8]
    check(found[0] == 401 and found[1] == found[2], f"a node that was dead meanwhile has the token before: {found}, which was {leaked[:8]}")
    log = json.dumps(log_of(a, "sess_system"))
    check("ownerToken" in log and leaked not in log and token_of(a) not in log, "the log has the wrong things")
    w.verify(a)


class Browser:
    """The console of the owner at the address of a node."""

    def __init__(self, node, code):
        self.node, self.cookie = node, None
        self.cookie = self.ask("POST", "/v1/console/sign-in", {"code": code})[1].split(";")[0]

    def ask(self, method, path, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=DEADLINE_S)
        headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json", **({"Cookie": self.cookie} if self.cookie else {})}
        c.request(method, path, None if body is None else json.dumps(body), headers)
        r = c.getresponse()
        r.read()
        return r.status, r.headers["Set-Cookie"] or ""

    def status(self):
        return self.ask("GET", "/v1/sessions")[0]


# ---- paired devices -------------------------------------------------------------------------------

def a_phone_that_is_paired_at_one_node_uses_every_node(w):
    a, b = w.two()
    # The code is shown by one node, and the proxy leads to another one.
    phone, name = paired(b, shown_at=a, name="pocket")
    check(name == "pocket", f"it is called {name}")
    c = w.node("c")
    for node in (a, b, c):
        check(phone.status(node) == 200, f"it is refused on {node.name}")
        check([d["name"] for d in devices(node)] == ["pocket"], f"{node.name} lists {devices(node)}")
    check(devices(a)[0]["deviceId"] == devices(c)[0]["deviceId"] and "pocket" in w.thole(b, "pair", "ls"), "the lists differ")
    session = submit(a, "approve")
    action = until("the approval", lambda: pending(c, session))
    status, body = phone.ask(c, "POST", "/v1/commands/respond_action", {"sessionId": session, "actionId": action, "decision": "allow", "scope": "once"})
    check(status in (200, 202), f"its approval on another node: {status} {body}")
    until("the end of the turn", lambda: nodes.count(b, session, "turn.completed") == 1)
    by = next(e for e in log_of(b, session) if e["type"] == "action.resolved")["payload"]["decidedBy"]
    check(by["principal"] == "device:pocket" and by["channelId"] == devices(a)[0]["channelId"], f"who decided is recorded as {by}")
    status, body = Phone(phone.cookie).sign_in(a, "0" * 32)
    check(status == 401, f"a wrong code: {status} {body}")
    # A node that starts again knows it, and no secret is in the log.
    b.kill()
    b.start()
    wait_ready(b)
    check(phone.status(b) == 200, "a node that started again refuses it")
    log = json.dumps(log_of(a, "sess_system"))
    check("codeHash" in log and phone.cookie.split("=")[1].split(".")[-1] not in log, "the log has the wrong things")
    for node in (a, b, c):
        w.verify(node)


def a_revoked_phone_is_refused_on_every_node_when_the_command_is_answered(w):
    every = [*w.two(), w.node("c")]
    for i in range(20):
        phone, name = paired(every[i % 3], shown_at=every[(i + 1) % 3])
        check([phone.status(node) for node in every] == [200] * 3, f"round {i}: it is not paired everywhere")
        _, stream = phone.open(every[(i + 2) % 3], "GET", "/v1/events?follow=1&after=end")
        ask(every[(i + 1) % 3], "revoke_device", deviceId=id_of(every[i % 3], name))
        found = [phone.status(node) for node in every]
        check(all(status in REFUSED for status in found), f"round {i}: the revoked device gets {found}")
        check(not any(devices(node) for node in every), f"round {i}: it is still listed")
        try:
            while stream.read(4096):
                pass
        except (http.client.IncompleteRead, ConnectionError):
            pass  # cut, not ended
    code, _ = call(every[0], "revoke_device", {"deviceId": "dev_missing"})
    check(code == "not_found", f"a device that does not exist: {code}")
    code, _ = call(every[0], "change_device", {"device": {"deviceId": "dev_x", "state": "paired"}})
    check(code == "unknown_command", f"a command of the runtime itself: {code}")
    # One that was revoked comes back with no write of another node.
    phone, name = paired(every[0])
    ask(every[1], "revoke_device", deviceId=id_of(every[1], name))
    others = [paired(node) for node in every]
    check(all(phone.status(node) in REFUSED + (401,) for node in every), "a revoked device came back")
    for node in every:
        node.kill()
        node.start()
        wait_ready(node)
    check([phone.status(node) for node in every] == [401] * 3, "a revoked device came back with a start")
    for other, _ in others:
        check([other.status(node) for node in every] == [200] * 3, "another device is lost")


def nodes_that_pair_at_the_same_moment_lose_and_mix_nothing(w):
    a, b = w.two()
    phones = []

    def pair_some(node):
        for _ in range(12):
            phones.append(paired(node))

    all_at_once([lambda node=node: pair_some(node) for node in (a, b, a, b)])
    names = [name for _, name in phones]
    check(len(set(names)) == len(names) == 48, f"names were given twice: {sorted(names)}")
    for node in (a, b):
        check(sorted(d["name"] for d in devices(node)) == sorted(names), f"{node.name} lists others than were paired")
        check(all(phone.status(node) == 200 for phone, _ in phones), f"{node.name} refuses a device")
    # A name that is asked for at both goes to one.
    replies = []
    all_at_once([lambda node=node: replies.append(call(node, "pair_device", {"url": URL, "name": "Phone"})[0]) for node in (a, b)])
    check(replies == ["id_conflict"] * 2, f"a name that is taken: {replies}")
    # A code that both nodes get at the same moment pairs one device.
    for _ in range(8):  # fewer than the wrong codes after which none is taken for a while
        code, found = offer(a)["code"], []
        all_at_once([lambda node=node: found.append(Phone().sign_in(node, code)[0]) for node in (a, b)])
        check(sorted(found) == [200, 401], f"one code at two nodes: {found}")
    check(len(devices(a)) == len(devices(b)) == 56, "a code paired two devices")


def what_was_answered_about_devices_survives_kill_9(w):
    a, b = w.two()
    kept, revoked, lock, is_over = [], [], threading.Lock(), threading.Event()

    def work(number):
        n = 0
        while not is_over.is_set():
            n += 1
            try:
                phone, name = paired((a, b)[(number + n) % 2], shown_at=(a, b)[n % 2])
                gone = n % 2
                if gone and call((a, b)[number % 2], "revoke_device", {"deviceId": id_of((a, b)[n % 2], name)})[0]:
                    continue  # not answered well: it may be paired or not
                with lock:
                    (revoked if gone else kept).append((phone, name))
            except (OSError, ValueError, StopIteration, http.client.HTTPException, scenario.Wrong):
                time.sleep(0.05)  # a node was killed

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for victim in (a, b, a):
        before = len(kept) + len(revoked)
        until("devices", lambda: len(kept) + len(revoked) > before + 6)
        victim.kill()
        before = len(kept) + len(revoked)
        time.sleep(1.5)
        victim.start()
        wait_ready(victim)
    is_over.set()
    for t in threads:
        t.join()
    print(f"# {len(kept)} paired, {len(revoked)} revoked", flush=True)
    for node in (a, b):
        listed = {d["name"] for d in devices(node)}
        check(all(phone.status(node) == 200 for phone, _ in kept), f"{node.name} lost a device")
        check(not any(phone.status(node) == 200 for phone, _ in revoked), f"{node.name} takes a revoked device")
        check({name for _, name in kept} <= listed, f"{node.name} does not list all")
    check(devices(a) and [d["deviceId"] for d in devices(a)] == [d["deviceId"] for d in devices(b)], "the lists differ")
    w.verify(a)


# ---- devices of an earlier version ----------------------------------------------------------------

def sign(key, text):
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def old_cookie(token, device, days=30):
    """As a version made it that kept devices beside the log."""
    claim = f"{int((time.time() + days * 86400) * 1000)}." + "5" * 32
    mac = sign(sign(token, "thole paired device\n" + device), "thole console session\n" + claim)
    return f"thole_{sign(token, 'thole console cookie name')[:8]}={claim}.{mac}"


def old_device(number, name=None):
    return {"deviceId": f"dev_old{number}", "name": name or f"old-{number}", "host": HOST, "scopes": ["read", "write", "approve"],
            "pairedAt": "2026-01-01T00:00:00Z", "lastSeenAt": "2026-01-02T00:00:00Z", "channelId": f"chan_old{number}"}


def put_value(w, key, value):
    text = json.dumps(value).encode().hex()
    w.cluster.sql(f"INSERT INTO {w.schema}.meta VALUES ('{key}', decode('{text}', 'hex')) ON CONFLICT (key) DO UPDATE SET value = excluded.value")


def value_at(w, key):
    found = w.cluster.sql(f"SELECT convert_from(value, 'UTF8') FROM {w.schema}.meta WHERE key = '{key}'")
    return json.loads(found[0]) if found else None


def restart(node):
    node.stop()
    node.start()
    wait_ready(node)


def devices_of_an_earlier_version_are_carried_over_once(w):
    put_token(w, "a", TOKEN_A)
    put_token(w, "b", TOKEN_B)
    a = w.node("a")
    a.stop()
    # From before the log was shared, and of two nodes.
    put_value(w, "serve:devices", {"devices": [old_device(1), old_device(2)]})
    put_value(w, "node:b:serve:devices", {"devices": [old_device(3), old_device(2, "of-b")]})
    a.start()
    wait_ready(a)
    until("the devices", lambda: len(devices(a)) == 2)
    until("the old value to be empty", lambda: value_at(w, "serve:devices") == {"devices": []} and value_at(w, "node:a:serve:devices") == {"devices": []})
    b = w.node("b")
    for node in (a, b):
        check([d["name"] for d in devices(node)] == ["old-1", "old-2"], f"{node.name} lists {devices(node)}")
        for number in (1, 2):
            check(Phone(old_cookie(TOKEN_A, f"dev_old{number}")).status(node) == 200, f"the cookie of device {number} is refused on {node.name}")
        # Its node had another token, and that is replaced.
        check(Phone(old_cookie(TOKEN_B, "dev_old3")).status(node) == 401, "a device of a replaced token is taken")
    check(value_at(w, "node:b:serve:devices") == {"devices": []}, "the list of the other node stays")
    check(devices(a)[0]["channelId"] == "chan_old1", "its channel is another one")
    # Revoked at another node; the old list is read once more, as after a crash in between.
    ask(b, "revoke_device", deviceId="dev_old1")
    for node, key in ((a, "node:a:serve:devices"), (b, "node:b:serve:devices")):
        put_value(w, key, {"devices": [old_device(1), old_device(2), old_device(4)]})
        restart(node)
        until("the old list to be read", lambda: value_at(w, key) == {"devices": []})
    for node in (a, b):
        check([d["name"] for d in devices(node)] == ["old-2", "old-4"], f"{node.name} lists {devices(node)}")
        check(Phone(old_cookie(TOKEN_A, "dev_old1")).status(node) == 401, "a revoked device came back")
    w.verify(a)


def a_thousand_devices_are_served_by_both_nodes(w):
    count = int(os.environ.get("THOLE_DEVICES", "1000"))
    put_token(w, "a", TOKEN_A)
    a = w.node("a")
    a.stop()
    one = json.dumps({k: v for k, v in old_device(0).items() if k not in ("deviceId", "name", "channelId")})
    w.cluster.sql(f"INSERT INTO {w.schema}.meta SELECT 'node:a:serve:devices', convert_to(jsonb_build_object('devices', jsonb_agg('{one}'::jsonb ||"
                  " jsonb_build_object('deviceId', 'dev_old' || n, 'name', 'phone-' || n, 'channelId', 'chan_old' || n) ORDER BY n))::text, 'UTF8')"
                  f" FROM generate_series(2, {count}) n")
    began = time.monotonic()
    a.start()
    wait_ready(a)
    until("all devices", lambda: len(devices(a)) == count - 1)
    print(f"# {count - 1} devices were carried over in {time.monotonic() - began:.1f} s", flush=True)
    b = w.node("b")
    phone, name = paired(b, shown_at=a)
    check(name == "phone", f"the free name is phone, not {name}")
    for node in (a, b):
        check(len(devices(node)) == count, f"{node.name} lists {len(devices(node))}")
    times = []
    for _ in range(100):
        since = time.monotonic()
        check(phone.status(random.choice((a, b))) == 200, "the last device is refused")
        times.append(time.monotonic() - since)
    print(f"# a request of one of {count} devices takes {sorted(times)[50] * 1000:.1f} ms", flush=True)
    check(Phone(old_cookie(TOKEN_A, f"dev_old{count}")).status(b) == 200, "a device of the middle is refused")
    if count == 1000:
        code, reply = scenario.Http(b).call("pair_device", {"url": URL})
        check(code == "too_many_open", f"one too many: {code} {reply}")
    restart(b)
    check(len(devices(b)) == count, f"after a start it lists {len(devices(b))}")
    ask(b, "revoke_device", deviceId=id_of(a, "phone"))
    check([phone.status(node) for node in (a, b)] == [401, 401], "a revoked device is taken")
    w.verify(b)


# ---- channels -------------------------------------------------------------------------------------

def channel(node, session, id):
    return next((c for c in ask(node, "list_channels", sessionId=session)["channels"] if c["channelId"] == id), {})


def a_channel_of_one_node_is_resumed_at_another_with_its_token(w):
    """By requests without a connection."""
    a, b = w.two()
    session = submit(a, "hello")
    until("the end of the turn", lambda: nodes.count(a, session, "turn.completed") == 1)
    first = ask(a, "reconnect_channel", sessionId=session, channelId="chan_phone", capabilities=["permissions"])
    check(first["fromSequence"] == 1, f"a new channel begins at {first['fromSequence']}")
    ask(a, "ack_events", channelId="chan_phone", sessionId=session, sequence=5)
    for wrong in ("wrong", ""):
        code, reply = call(b, "reconnect_channel", {"sessionId": session, "channelId": "chan_phone", "resumeToken": wrong or "0" * 64})
        check(code == "channel_not_found", f"a wrong token at another node: {code} {reply}")
    again = ask(b, "reconnect_channel", sessionId=session, channelId="chan_phone", resumeToken=first["resumeToken"])
    check(again["fromSequence"] == 6 and again["resumeToken"] == first["resumeToken"], f"it resumes at {again['fromSequence']}, not behind what it acknowledged")
    check(ask(b, "ack_events", channelId="chan_phone", sessionId=session, sequence=9)["lastAckedSequence"] == 9, "it cannot acknowledge there")
    check(channel(b, session, "chan_phone")["status"] == "running", "it does not count as connected")
    # The owner of the session is killed: the channel lives at the other node.
    a.kill()
    until("the session at the other node", lambda: not scenario.Http(b).call("get_session", {"sessionId": session})[0])
    check(ask(b, "ack_events", channelId="chan_phone", sessionId=session, sequence=10)["lastAckedSequence"] == 10, "it is lost with the owner")
    a.start()
    wait_ready(a)
    back = ask(a, "reconnect_channel", sessionId=session, channelId="chan_phone", resumeToken=first["resumeToken"], lastAckedSequence=10)
    check(back["fromSequence"] == 11, f"it resumes at {back['fromSequence']}")
    types = [e["type"] for e in log_of(b, session) if e["type"].startswith("channel.")]
    check(types[0] == "channel.connected" and types.count("channel.connected") == 1 and types[-1] == "channel.resumed", f"the log says {types}")
    w.verify(b)


def a_connection_of_one_node_is_resumed_at_another_behind_its_last_event(w):
    """JSON-RPC on the socket of each node, with a stream."""
    a, b = w.two()
    session = submit(a, "hello")
    until("the end of the turn", lambda: nodes.count(a, session, "turn.completed") == 1)
    one = scenario.Stdio(a)
    first = one.rpc("initialize", {})["result"]
    mine = first["channelId"]
    check(not one.call("submit_turn", {"sessionId": session, "input": "more"})[0], "a turn at the owner")
    check(one.call("ack_events", {"channelId": mine, "sessionId": session, "sequence": 7})[1].get("lastAckedSequence") == 7, "an acknowledgement at the owner")
    one.close()
    until("its end in the log", lambda: channel(b, session, mine).get("status") == "stale")
    stranger = scenario.Stdio(b)
    refused = stranger.rpc("initialize", {"channelId": mine, "resumeToken": "wrong"})
    check("error" in refused, f"a wrong token at another node: {refused}")
    stranger.close()
    two = scenario.Stdio(b)
    second = two.rpc("initialize", {"channelId": mine, "resumeToken": first["resumeToken"]})["result"]
    check(second["channelId"] == mine and second["resumeToken"] == first["resumeToken"], f"it is another channel: {second}")
    code, reply = two.call("reconnect_channel", {"sessionId": session, "channelId": mine})
    check(not code and reply["fromSequence"] == 8, f"it resumes at another event: {code} {reply.get('fromSequence')}")
    code, reply = two.call("ack_events", {"channelId": mine, "sessionId": session, "sequence": 12})
    check(not code and reply["lastAckedSequence"] == 12, f"an acknowledgement at a node that does not own the session: {code} {reply}")
    two.close()
    # Where it was connected tells the owner of the session.
    until("what it acknowledged there", lambda: channel(a, session, mine).get("status") == "stale" and channel(a, session, mine).get("lastAckedSequence") == 12)
    three = scenario.Stdio(a)
    check(three.rpc("initialize", {"channelId": mine, "resumeToken": first["resumeToken"]})["result"]["channelId"] == mine, "it does not come back")
    code, reply = three.call("reconnect_channel", {"sessionId": session, "channelId": mine})
    check(not code and reply["fromSequence"] == 13, f"it resumes at another event: {code} {reply.get('fromSequence')}")
    three.close()
    w.verify(b)


if __name__ == "__main__":
    sys.exit(nodes.play(nodes.stories_of(globals(), "__main__"), "credentials of several nodes"))
