#!/usr/bin/env python3
"""Tokens of issuers on the real daemon: jose signs them, and every way in which one can be wrong is tried.

usage: jwt_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has an issuer and a daemon of its own.
"""
import base64
import concurrent.futures
import functools
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "sdk" / "python"), str(HERE.parent / "scenario"), str(HERE.parent / "lib"), str(HERE)]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402
from tap import Skip, long, play  # noqa: E402
from thole.websocket import WebSocket  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
SCRIPT = {
    "version": 1,
    "models": [{"provider": "scripted", "model": "demo", "capabilities": ["tool_use"]}],
    "rules": [{"when": {"request": 1, "text": "ask"}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "touch asked"}}]}}],
    "default": {"text": "It is done."},
}
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
tests = []


def test(f):
    tests.append(f)
    return f


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:900]} instead of {json.dumps(want)[:300]}")


def holds(truth, what):
    if not truth:
        raise Wrong(str(what)[:1500])


class Issuer:
    def __init__(self):
        if not (HERE / "node_modules" / "jose").is_dir():
            raise Skip("the libraries from npm are not here")
        self.process = subprocess.Popen(["node", "issuer.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE)
        line = self.process.stdout.readline()
        if not line:
            raise Wrong("the issuer did not start")
        self.url = json.loads(line)["issuer"]

    def __call__(self, op, **given):
        body = json.dumps({"op": op, **given}).encode()
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(urllib.request.Request(self.url + "/control", body), timeout=DEADLINE_S) as r:
            return json.loads(r.read())

    def mint(self, kid="one", **given):
        return self("mint", kid=kid, **given)

    def close(self):
        self.process.stdin.close()
        self.process.wait(DEADLINE_S)
        self.process.stdout.close()


class Bearer(Http):
    """The bearer of a token."""

    def __init__(self, daemon, token):
        self.daemon, self.token = daemon, token

    def do(self, command, **params):
        code, reply = self.call(command, params)
        if code:
            raise Wrong(f"{command}: {code} {reply.get('detail')}")
        return reply

    def code(self, command="list_sessions", **params):
        return self.call(command, params)[0]

    def whole(self, method, path, body=None, headers=()):
        """Status, headers and body."""
        c = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
        h = {**({"Authorization": "Bearer " + self.token} if self.token else {}), **dict(headers)}
        if body is not None:
            h["Content-Type"] = "application/json"
        c.request(method, path, body, h)
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, data

    def turn(self, text, **more):
        ids = self.do("submit_turn", input=text, **more)
        until(text, lambda: any(json.loads(line).get("type") in ("turn.completed", "turn.failed", "action.required")
                                for line in self.events(ids["sessionId"], 0)))
        return ids


class World:
    """An issuer with one key, and a daemon that accepts its tokens."""

    def __init__(self, options=(), key="ES256", settings=(), issuers=None, start=True):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-jwt-"))
        self.issuer = Issuer()
        if key:
            self.issuer("add", kid="one", alg=key)
        entry = {"issuer": self.issuer.url, "audience": "thole", **dict(settings)}
        self.issuers = {"corp": entry} if issuers is None else issuers(self.issuer.url)
        self.daemon = Daemon(BUILD, str(self.dir / "data"), json.dumps(SCRIPT), ["auth.issuers=" + json.dumps(self.issuers), *options])
        if start:
            self.daemon.start()
            self.owner = Bearer(self.daemon, open(self.daemon.data + "/token").read().strip())

    def bearer(self, kid="one", **given):
        return Bearer(self.daemon, self.issuer.mint(kid, **given))

    def restart(self):
        self.daemon.kill()
        self.daemon.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process and self.daemon.process.poll() is None:
                self.daemon.kill()
                print("# " + "# ".join(self.daemon.log[-6:]))
        finally:
            self.issuer.close()
            shutil.rmtree(self.dir, ignore_errors=True)


def decoded(token):
    return [json.loads(base64.urlsafe_b64decode(p + "=" * (-len(p) % 4))) for p in token.split(".")[:2]]


# ---- what is accepted

@test
@long
def every_algorithm_of_the_list_is_accepted_with_its_key():
    with World(key=None) as w:
        for alg in ALGORITHMS:
            w.issuer("add", kid=alg, alg=alg)
        for alg in ALGORITHMS:
            b = w.bearer(alg)
            equal(decoded(b.token)[0]["alg"], alg)
            equal(b.code(), None, alg)
            equal(b.code(), None, alg + ", known")
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
def claims_become_principal_tenant_and_scopes():
    with World(settings={"principal_claim": "email", "tenant_claim": "org", "scope_claim": "roles",
                         "scopes": {"user": ["read", "write"], "boss": ["approve"]}}) as w:
        b = w.bearer(claims={"email": "bob@corp.example", "org": "red", "roles": ["user", "other"]})
        ids = b.turn("hello")
        created = json.loads(b.events(ids["sessionId"], 0)[0])
        equal(created["payload"]["createdBy"]["principal"], "red/corp:bob@corp.example")
        equal(b.code("respond_action", sessionId=ids["sessionId"], actionId="act_x", decision="allow"), "forbidden", "approve")
        boss = w.bearer(claims={"email": "bob@corp.example", "org": "red", "roles": ["user", "boss"]})
        equal(boss.code("respond_action", sessionId=ids["sessionId"], actionId="act_x", decision="allow"), "action_not_found")
        equal([s["sessionId"] for s in boss.do("list_sessions")["sessions"]], [ids["sessionId"]], "one principal, two tokens")
        blue = w.bearer(claims={"email": "bob@corp.example", "org": "blue", "roles": "user"})
        equal(blue.do("list_sessions")["sessions"], [], "another tenant")
        for claims in ({"org": "red"}, {"email": "x"}, {"email": "x", "org": "a/b"}, {"email": "x", "org": ""}, {"email": "x", "org": 5},
                       {"email": "", "org": "red"}, {"email": 7, "org": "red"}, {"email": "a\nb", "org": "red"}, {"email": "x" * 256, "org": "red"},
                       {"email": "a\u0085b", "org": "red"}, {"email": "a\u202eb", "org": "red"}, {"email": "a\u2066b", "org": "red"}, {"email": "x", "org": "x" * 201}):
            equal(w.bearer(claims={**claims, "roles": ["user"]}).code(), "unauthorized", str(claims)[:80])
        for name in ("x" * 255, "Zoë 名字 𝒳", "auth0|5f7c"):
            equal(w.bearer(claims={"email": name, "org": "red", "roles": ["user"]}).code(), None, name[:40])


@test
def two_principals_do_not_exist_for_each_other():
    with World() as w:
        alice, bob = w.bearer(), w.bearer(claims={"sub": "bob"})
        ids = alice.turn("hello")
        id = ids["sessionId"]
        absent = id[:-10] + "".join("0" if c != "0" else "1" for c in id[-10:])

        def answers(session):
            out = []
            for command, more in (("get_session", {}), ("submit_turn", {"input": "x"}), ("list_threads", {}), ("delete_session", {}),
                                  ("interrupt_turn", {"turnId": ids["turnId"]}), ("get_task", {"taskId": ids["taskId"]})):
                status, data = bob.request("POST", "/v1/commands/" + command, json.dumps({"sessionId": session, **more}))
                out.append((status, re.sub(r'"requestId":"[^"]*"', "", data.decode().replace(session, "ID"))))
            for path in ("/v1/events?session={}&follow=0", "/v1/sessions/{}", "/v1/sessions/{}/threads"):
                status, headers, data = bob.whole("GET", path.format(session))
                out.append((status, re.sub(r'"requestId":"[^"]*"', "", data.decode().replace(session, "ID"))))
            return out

        equal(answers(id), answers(absent), "a foreign session and a missing one")
        equal(bob.do("list_sessions")["sessions"], [])
        w.restart()
        until("the runtime is ready", lambda: alice.code() is None)
        equal([s["sessionId"] for s in alice.do("list_sessions")["sessions"]], [id], "after kill -9")
        equal(answers(id), answers(absent), "and after kill -9")


@test
def a_name_in_a_token_is_never_another_principal():
    with World(settings={"sessions": "all"}) as w:
        for name in ("owner", "runtime", "device:phone", "trigger:x", "../owner", "corp:alice"):
            b = w.bearer(claims={"sub": name, "scope": "read write approve admin"})
            ids = b.turn("hello")
            created = json.loads(b.events(ids["sessionId"], 0)[0])
            equal(created["payload"]["createdBy"]["principal"], "corp:" + name)
            equal(b.code("create_token", name="mine", scopes=["read"]), "forbidden", "admin is not a word of the default")


@test
def keys_are_found_by_both_ways_of_discovery_and_by_address():
    with World() as w:
        w.issuer("mode", onlyOpenid=True)
        equal(w.bearer().code(), None, "OpenID Connect")
        equal(w.issuer("figures"), {"metadata": 1, "openid": 1, "keys": 1, "held": 0})
    with World(issuers=lambda url: {"corp": {"issuer": url, "audience": ["other", "thole"], "jwks_uri": url + "/jwks"}}) as w:
        equal(w.bearer(claims={"aud": ["x", "thole"]}).code(), None, "by address")
        equal(w.issuer("figures"), {"metadata": 0, "openid": 0, "keys": 1, "held": 0})


@test
def a_rotated_key_is_fetched_and_a_withdrawn_one_counts_no_more():
    with World(key="RS256") as w:
        first = w.bearer()
        equal(first.code(), None)
        w.daemon.kill()
        w.issuer("add", kid="two", alg="EdDSA")
        w.daemon.start()
        equal(w.bearer("two").code(), None, "a new key")
        equal(first.code(), None, "the old one, in the same set")
        w.daemon.kill()
        w.issuer("drop", kid="one")
        w.daemon.start()
        equal(first.code(), "unauthorized", "withdrawn; it waited for the keys")
        equal(w.bearer("two").code(), None)


@test
@long
def thousands_of_tokens_and_principals():
    with World() as w:
        tokens = w.issuer.mint(count=3000, subject="user")
        seen = []
        for token in tokens:
            seen.append(Bearer(w.daemon, token).code())
        equal([c for c in seen if c], [], "first use")
        for token in tokens[::7]:
            equal(Bearer(w.daemon, token).code(), None, "again")
        equal(w.issuer("figures")["keys"], 1, "fetches")
        a, b = Bearer(w.daemon, tokens[0]), Bearer(w.daemon, tokens[2999])
        id = a.turn("hello")["sessionId"]
        equal(b.code("get_session", sessionId=id), "session_not_found")


@test
@long
def bearers_without_a_scope_take_no_place_of_others():
    with World() as w:
        tokens = w.issuer.mint(count=10050, subject="user", claims={"scope": "openid"})
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        seen = set()
        for token in tokens:
            c.request("POST", "/v1/commands/list_sessions", "{}", {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
            r = c.getresponse()
            seen.add((r.status, json.loads(r.read())["code"]))
        c.close()
        equal(sorted(seen), [(403, "forbidden")])
        equal(w.bearer(claims={"sub": "dave"}).code(), None, "one with scopes")


# ---- what is refused

@test
def every_wrong_claim_is_refused():
    with World() as w:
        now = int(time.time())
        good = w.bearer()
        equal(good.code(), None)
        bad = [
            {"iss": w.issuer.url + "/"}, {"iss": "https://other.example"}, {"iss": None}, {"iss": [w.issuer.url]}, {"aud": "thol"}, {"aud": "Thole"}, {"aud": []},
            {"aud": ["x", "y"]}, {"aud": {"thole": 1}}, {"aud": None}, {"exp": now - 60}, {"exp": str(now + 60)}, {"exp": None}, {"exp": -1}, {"exp": 1e300},
            {"nbf": now + 3600}, {"nbf": "x"}, {"iat": now + 3600}, {"sub": None}, {"sub": ""}, {"cnf": {"jkt": "x"}},
        ]
        for claims in bad:
            b = Bearer(w.daemon, w.issuer("forge", kid="one", header={"alg": "ES256", "kid": "one", "typ": "at+jwt"},
                                          claims={"iss": w.issuer.url, "aud": "thole", "sub": "alice", "exp": now + 600, "scope": "read", **claims}))
            equal(b.code(), "unauthorized", str(claims))
        for name in ("iss", "aud", "exp", "sub"):
            equal(w.bearer(without=[name]).code(), "unauthorized", "without " + name)
        near = Bearer(w.daemon, w.issuer("forge", kid="one", header={"alg": "ES256", "kid": "one"},
                                         claims={"iss": w.issuer.url, "aud": "thole", "sub": "a", "exp": now + 600.5, "nbf": now + 5, "iat": now + 5, "scp": ["read"]}))
        equal(near.code(), None, "clocks that differ a little, fractions, scp")
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
def every_wrong_header_is_refused():
    with World(key="RS256") as w:
        w.issuer("add", kid="ec", alg="ES256")
        w.issuer("add", kid="mine", alg="ES256")
        claims = {"iss": w.issuer.url, "aud": "thole", "sub": "alice", "exp": int(time.time()) + 600, "scope": "read"}
        equal(w.bearer().code(), None)

        def refused(what, **given):
            token = w.issuer("forge", **{"claims": claims, **given})
            equal(Bearer(w.daemon, token).code(), "unauthorized", what)

        refused("none", kid="one", header={"alg": "none", "kid": "one"}, sign=False)
        refused("None", kid="one", header={"alg": "None", "kid": "one"}, sign=False)
        refused("no alg", kid="one", header={"kid": "one"})
        refused("HS256 with the public key as PEM", kid="one", header={"alg": "HS256", "kid": "one"}, secret="spki")
        refused("HS256 under the name RS256", kid="one", header={"alg": "RS256", "kid": "one"}, secret="spki")
        refused("HS256 with nothing", kid="one", header={"alg": "HS256", "kid": "one"}, secret="")
        refused("an algorithm of another kind of key", kid="ec", header={"alg": "RS256", "kid": "ec"})
        refused("another curve", kid="ec", header={"alg": "ES384", "kid": "ec"})
        refused("another hash", kid="one", header={"alg": "RS512", "kid": "one"})
        refused("lower case", kid="one", header={"alg": "rs256", "kid": "one"})
        refused("a number", kid="one", header={"alg": 256, "kid": "one"})
        refused("the name of another key", kid="ec", header={"alg": "RS256", "kid": "one"})
        refused("crit", kid="one", header={"alg": "RS256", "kid": "one", "crit": ["x"], "x": 1})
        refused("crit, empty", kid="one", header={"alg": "RS256", "kid": "one", "crit": []})
        refused("b64", kid="one", header={"alg": "RS256", "kid": "one", "crit": ["b64"], "b64": False})
        refused("cty", kid="one", header={"alg": "RS256", "kid": "one", "cty": "JWT"})
        for typ in ("logout+jwt", "dpop+jwt", "secevent+jwt", "x", ""):
            refused("typ " + typ, kid="one", header={"alg": "RS256", "kid": "one", "typ": typ})
        refused("kid as a number", kid="one", header={"alg": "RS256", "kid": 1})
        refused("a long kid", kid="one", header={"alg": "RS256", "kid": "k" * 300})
        refused("alg twice", kid="one", header='{"alg":"none","alg":"RS256","kid":"one"}')
        refused("kid twice", kid="one", header='{"alg":"RS256","kid":"ec","kid":"one"}')
        refused("sub twice", kid="one", header={"alg": "RS256", "kid": "one"}, claims=json.dumps(claims)[:-1] + ',"sub":"owner"}')
        refused("aud twice", kid="one", header={"alg": "RS256", "kid": "one"}, claims=json.dumps(claims)[:-1] + ',"aud":"x"}')
        refused("deep claims", kid="one", header={"alg": "RS256", "kid": "one"}, claims=json.dumps(claims)[:-1] + ',"x":' + "[" * 500 + "]" * 500 + "}")
        refused("claims as a list", kid="one", header={"alg": "RS256", "kid": "one"}, claims=[claims])
        refused("no kid, and two keys fit", kid="ec", header={"alg": "ES256"})
        equal(Bearer(w.daemon, w.issuer("forge", kid="one", header={"alg": "RS256"}, claims=claims)).code(), None, "no kid, and one key fits")
        for typ in ("at+jwt", "AT+JWT", "application/at+jwt", "JWT"):
            equal(Bearer(w.daemon, w.issuer("forge", kid="one", header={"alg": "RS256", "kid": "one", "typ": typ}, claims=claims)).code(), None, typ)
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
def keys_inside_a_token_are_ignored():
    with World() as w:
        stranger = Issuer()
        try:
            stranger("add", kid="one", alg="ES256")
            equal(w.bearer().code(), None)
            jwk = json.loads(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(stranger.url + "/jwks").read())["keys"][0]
            before = stranger("figures")
            claims = {"iss": w.issuer.url, "aud": "thole", "sub": "alice", "exp": int(time.time()) + 600, "scope": "read"}
            for more in ({"jwk": jwk}, {"jku": stranger.url + "/jwks"}, {"x5u": stranger.url + "/jwks"}, {"x5c": ["AAAA"]}, {"jwk": jwk, "kid": None}):
                header = {"alg": "ES256", "kid": "one", **more}
                token = stranger("forge", kid="one", header={k: v for k, v in header.items() if v is not None}, claims=claims)
                equal(Bearer(w.daemon, token).code(), "unauthorized", str(more)[:60])
            equal(stranger("figures"), before, "nothing was sent there")
            good = w.issuer("forge", kid="one", header={"alg": "ES256", "kid": "one", "jku": stranger.url + "/jwks", "jwk": jwk}, claims=claims)
            equal(Bearer(w.daemon, good).code(), None, "the issuer's own key, with a stranger's in the header")
        finally:
            stranger.close()


@test
def broken_and_huge_tokens_are_refused():
    with World() as w:
        good = w.issuer.mint()
        head, claims, sign = good.split(".")
        equal(Bearer(w.daemon, good).code(), None)
        flipped = sign[:-2] + ("A" if sign[-2] != "A" else "B") + sign[-1]
        loose = sign[:-1] + chr(ord(sign[-1]) + 1) if sign[-1] in "AQgw" else None  # other bits behind the last byte
        bad = [f"{head}.{claims}.{flipped}", f"{head}.{claims}.", f"{head}.{claims}", f"{head}..{sign}", f".{claims}.{sign}", "..", "a.b.c", f"{good}.x",
               f"{good}=", f"{head}.{claims}.{sign}==", f"{head}.{claims}.{sign[:-4]}", f"{head}.{claims}.{'A' * 86}", good.replace(".", "%2E"), "." * 3000,
               f"{head}.{claims}.{sign * 40}", f"{head}.{'A' * 12000}.{sign}", f"{head}+.{claims}.{sign}", f"{head}.{claims}.{sign[::-1]}"]
        for token in bad + ([f"{head}.{claims}.{loose}"] if loose else []):
            status, headers, data = Bearer(w.daemon, token).whole("GET", "/v1/sessions")
            holds(status in (401, 431), (status, token[:80]))
        status, headers, data = Bearer(w.daemon, f"{head}.{'A' * 200000}.{sign}").whole("GET", "/v1/sessions")
        equal(status, 431, "longer than headers may be")
        for i in range(0, len(good) - 1, 3):  # the last character has bits that count for nothing
            other = good[:i] + ("A" if good[i] != "A" else "B") + good[i + 1:]
            # Some change the name of the key, which could then be a new one.
            holds(Bearer(w.daemon, other).code() in (("unauthorized", "issuer_unavailable") if i < other.index(".") else ("unauthorized",)), f"byte {i}")
        equal(Bearer(w.daemon, good).code(), None)
        large = w.bearer(claims={"x": "y" * 9000})
        equal(large.code(), None, "a long one")


@test
def a_token_of_the_settings_narrows_algorithms_and_types():
    with World(settings={"algorithms": ["RS256"], "access_tokens_only": True}) as w:
        w.issuer("add", kid="rsa", alg="RS256")
        equal(w.bearer("one").code(), "unauthorized", "ES256")
        equal(w.bearer("rsa").code(), None, "RS256")
        equal(w.bearer("rsa", header={"typ": "JWT"}).code(), "unauthorized", "typ JWT")


# ---- fetches

@test
@long
def unknown_keys_cause_one_fetch_a_minute():
    with World() as w:
        equal(w.bearer().code(), None)
        w.issuer("add", kid="later", alg="ES256")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            tokens = [w.issuer("forge", kid="later", header={"alg": "ES256", "kid": f"k{i}"}, claims={
                "iss": w.issuer.url, "aud": "thole", "sub": "alice", "exp": int(time.time()) + 600, "scope": "read"}) for i in range(400)]
            codes = list(pool.map(lambda t: Bearer(w.daemon, t).code(), tokens))
        equal(sorted(set(codes)), ["issuer_unavailable"], "codes")
        status, headers, data = w.bearer("later").whole("GET", "/v1/sessions")
        holds(status == 503 and 1 <= int(headers["retry-after"]) <= 60, (status, headers))
        equal(w.issuer("figures"), {"metadata": 1, "openid": 0, "keys": 1, "held": 0}, "fetches within the minute")
        equal(w.bearer().code(), None, "the known key")


def unhurried(f):
    """A fetch that tests hold back ends after ten seconds; on a machine that takes longer for the rest, the test begins again."""
    def tried():
        for attempt in range(5):
            began = time.monotonic()
            try:
                f()
                return
            except Wrong:
                if time.monotonic() - began < 8 or attempt == 4:
                    raise
    functools.update_wrapper(tried, f)
    return tried


@test
@unhurried
def requests_wait_for_the_keys_without_holding_others():
    with World() as w:
        w.issuer("mode", hold=True)
        tokens = w.issuer.mint(count=40, subject="u")
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            waiting = [pool.submit(Bearer(w.daemon, t).code) for t in tokens]
            until("the fetch", lambda: w.issuer("figures")["held"] == 1)
            for _ in range(10):
                equal(w.owner.code(), None, "the owner does not wait")
            large = pool.submit(Bearer(w.daemon, tokens[0]).code, "submit_turn", input="x" * 200000)
            gone = socket.create_connection(("127.0.0.1", w.daemon.port))
            gone.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {tokens[1]}\r\n\r\n".encode())
            gone.close()
            holds(not any(f.done() for f in waiting), "they wait")
            w.issuer("mode")
            equal([f.result(DEADLINE_S) for f in waiting], [None] * 40)
            equal(large.result(DEADLINE_S), None, "a large body that waits")
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
@unhurried
def too_many_waiting_requests_are_refused():
    with World() as w:
        w.issuer("mode", hold=True)
        tokens = w.issuer.mint(count=330, subject="u")
        sockets = []
        for token in tokens:
            s = socket.create_connection(("127.0.0.1", w.daemon.port))
            s.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode())
            sockets.append(s)
        refused = 330 - 256

        def read_all(s):
            s.settimeout(DEADLINE_S)
            data = b""
            while more := s.recv(65536):
                data += more
            return data

        with concurrent.futures.ThreadPoolExecutor(330) as pool:
            reads = [pool.submit(read_all, s) for s in sockets]
            until("refusals", lambda: sum(f.done() for f in reads) >= refused)
            early = [f.result() for f in reads if f.done()]
            w.issuer("mode")
            answers = [f.result(DEADLINE_S) for f in reads]
        equal(len(early), refused)
        holds(all(b" 503 " in a and b"issuer_unavailable" in a for a in early), early[0])
        equal(sum(b" 200 " in a.split(b"\r\n")[0] for a in answers), 256)
        for s in sockets:
            s.close()


@test
def a_dead_issuer_is_a_503_and_known_tokens_work_on():
    with World() as w:
        b = w.bearer()
        equal(b.code(), None)
        w.issuer("mode", status=500)
        equal(b.code(), None, "known")
        w.daemon.kill()
        w.daemon.start()
        status, headers, data = b.whole("GET", "/v1/sessions")
        equal((status, json.loads(data)["code"], json.loads(data)["retryable"]), (503, "issuer_unavailable", True))
        for _ in range(20):
            equal(b.code(), "issuer_unavailable")
        equal(w.issuer("figures")["metadata"], 2, "one try a minute")
        equal(w.owner.code(), None)
        holds(any("the keys of the issuer corp cannot be read" in line for line in w.daemon.log), w.daemon.log)


@test
@long
def metadata_that_lies_is_refused():
    for mode in ({"issuer": "https://other.example"}, {"issuer": "$/"}, {"redirect": "http://169.254.169.254/latest"}, {"keysAt": "http://10.0.0.1/jwks"},
                 {"keysAt": "https://10.0.0.1/jwks"}, {"keysAt": "file:///etc/passwd"}, {"keysAt": "https://[::ffff:169.254.169.254]/x"},
                 {"keysAt": "https://2130706433/x"}, {"keysAt": "https://localhost:1/x"}, {"text": "[]"}, {"text": "{\"keys\":[]}"}, {"text": "{"},
                 {"text": "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\",\"kid\":\"one\"}]}"}, {"text": "{\"keys\":" + "[" * 3000 + "]" * 3000 + "}"},
                 {"text": " " * 300000}, {"text": "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"kid\":\"one\"}]}"},
                 {"text": "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQAB\",\"y\":\"AQAB\",\"kid\":\"one\"}]}"}):
        with World() as w:
            if mode.get("issuer") == "$/":
                mode = {"issuer": w.issuer.url + "/"}
            w.issuer("mode", **mode)
            equal(w.bearer().code(), "issuer_unavailable", str(mode)[:100])


@test
def an_address_of_metadata_may_be_allowed():
    """The keys are at another origin of this machine: only peers.allow_hosts permits that."""
    other = Issuer()
    try:
        for allow, code in (([], "issuer_unavailable"), (["127.0.0.1:*"], None)):
            with World(options=["peers.allow_hosts=" + json.dumps(allow)], key=None) as w:
                other("add", kid="one", alg="ES256")
                w.issuer("mode", keysAt=other.url + "/jwks")
                token = other.mint(claims={"iss": w.issuer.url})
                equal(Bearer(w.daemon, token).code(), code, str(allow))
                equal(other("figures")["keys"], 0 if code else 1)
    finally:
        other.close()


# ---- over time

@test
def a_stream_ends_with_its_token():
    with World() as w:
        for path in ("/v1/events", "/v1/events?session=sess_system"):
            brief = w.bearer(claims={"exp": int(time.time()) - 26, "iat": int(time.time()) - 60})
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("GET", path, headers={"Authorization": "Bearer " + brief.token, "Accept": "text/event-stream"})
            r = c.getresponse()
            said = r.read()
            holds(r.status in (401, 404) or b"unauthorized" in said or b"session_not_found" in said, (r.status, said))
            c.close()
            until("the end of the token", lambda: brief.code() == "unauthorized")
        lasting = w.bearer()
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("GET", "/v1/events", headers={"Authorization": "Bearer " + lasting.token, "Accept": "text/event-stream"})
        r = c.getresponse()
        equal(r.status, 200)
        lasting.turn("hello")
        while b"turn.completed" not in r.readline():
            pass
        c.close()


@test
@unhurried
def clients_that_left_make_room_for_others_that_wait():
    with World() as w:
        w.issuer("mode", hold=True)
        tokens = w.issuer.mint(count=600, subject="u")
        for token in tokens[:512]:
            # More than may wait, one after the other; each leaves before the keys come.
            s = socket.create_connection(("127.0.0.1", w.daemon.port))
            s.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            s.shutdown(socket.SHUT_WR)
            s.settimeout(DEADLINE_S)
            equal(s.recv(1), b"", "the connection is closed")
            s.close()
        with concurrent.futures.ThreadPoolExecutor(80) as pool:
            waiting = [pool.submit(Bearer(w.daemon, t).code) for t in tokens[520:]]
            w.issuer("mode")
            equal([f.result(DEADLINE_S) for f in waiting], [None] * 80)
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
def a_removed_issuer_stops_its_tokens():
    with World(issuers=lambda url: {"corp": {"issuer": url, "audience": "thole"}, "more": {"issuer": "https://other.example", "audience": "thole"}}) as w:
        b = w.bearer()
        equal(b.code(), None)
        w.daemon.kill()
        w.daemon.options[0] = "auth.issuers=" + json.dumps({"more": w.issuers["more"]})
        w.daemon.start()
        equal(b.code(), "unauthorized")
        equal(w.issuer("figures")["keys"], 1, "fetches")


@test
def an_issuer_that_leaves_the_settings_is_gone_without_a_restart():
    with World(start=False) as w:
        file = pathlib.Path(w.daemon.data + ".config/thole/config.json")
        file.parent.mkdir(parents=True)
        corp = w.issuers["corp"]
        more = {"issuer": "https://other.example", "audience": "thole", "scopes": {"more-read": ["read"]}}
        third = {"issuer": "https://third.example", "audience": "thole"}
        w.daemon.options = []
        file.write_text(json.dumps({"auth.issuers": {"corp": corp, "more": more, "third": third}}))
        w.daemon.start()
        w.owner = Bearer(w.daemon, open(w.daemon.data + "/token").read().strip())
        names = lambda: [i["name"] for i in w.owner.do("list_issuers")["issuers"]]  # noqa: E731
        b = w.bearer()
        session = b.turn("hello")["sessionId"]
        reads = w.issuer("figures")["keys"]
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("GET", "/v1/events?session=" + session, headers={"Authorization": "Bearer " + b.token, "Accept": "text/event-stream"})
        stream = c.getresponse()
        equal(stream.status, 200)
        # A file that cannot be read changes nothing, and the removal of another issuer nothing for this one.
        file.write_text("{ \"auth.issuers\": ")
        until("a look at the broken file", lambda: "auth.issuers stays as it is" in "".join(w.daemon.log))
        equal(names(), ["corp", "more", "third"])
        file.write_text(json.dumps({"auth": {"issuers": {"corp": corp, "more": more}}}))
        until("the end of the third", lambda: names() == ["corp", "more"])
        equal(b.code(), None)
        # Gone: for requests, for streams, for clients that look for it, and for people.
        file.write_text(json.dumps({"auth.issuers": {"more": more}}))
        until("the end of its tokens", lambda: b.code() == "unauthorized")
        said = stream.read()
        holds(b"unauthorized" in said, said[-300:])
        c.close()
        equal(w.bearer(claims={"sub": "another"}).code(), "unauthorized", "a token that was never seen")
        equal(names(), ["more"])
        status, _, data = w.owner.whole("GET", "/.well-known/oauth-protected-resource")
        equal((status, json.loads(data)["authorization_servers"], json.loads(data)["scopes_supported"]), (200, ["https://other.example"], ["more-read"]))
        equal(w.issuer("figures")["keys"], reads, "nothing was fetched for it")
        equal(w.owner.do("get_session", sessionId=session)["sessionId"], session, "its work stays")
        # It comes back, and the other one goes.
        file.write_text(json.dumps({"auth.issuers": {"corp": corp}}))
        until("the end of the other one", lambda: names() == ["corp"])
        until("its tokens again", lambda: b.code() is None)
        w.restart()
        equal(b.code(), None)


def issuer_events(w):
    """What the system session says of issuers."""
    events = w.owner.do("list_events", sessionId="sess_system", types=["session.updated"])["events"]
    return [(e["payload"]["issuer"]["name"], e["payload"]["issuer"]["change"], e["payload"]["issuer"].get("issuer")) for e in events if "issuer" in e["payload"]]


@test
def an_issuer_that_is_added_or_changed_counts_without_a_restart():
    with World(start=False) as w:
        file = pathlib.Path(w.daemon.data + ".config/thole/config.json")
        file.parent.mkdir(parents=True)
        corp = w.issuers["corp"]
        w.daemon.options = []
        file.write_text("{}")
        w.daemon.start()
        w.owner = Bearer(w.daemon, open(w.daemon.data + "/token").read().strip())
        b = w.bearer()
        equal(b.code(), "unauthorized")
        equal(w.owner.whole("GET", "/.well-known/oauth-protected-resource")[0], 404, "nothing is said of issuers")
        # Added, as the first one.
        file.write_text(json.dumps({"auth.issuers": {"corp": corp}}))
        until("its tokens", lambda: b.code() is None)
        equal(w.owner.whole("GET", "/.well-known/oauth-protected-resource")[0], 200)
        session = b.turn("hello")["sessionId"]
        # A mistake changes nothing, for no issuer.
        for wrong in ({"corp": {**corp, "audience": 7}}, {"corp": corp, "more": {"issuer": "ftp://x.example", "audience": "thole"}}):
            before = len("".join(w.daemon.log))
            file.write_text(json.dumps({"auth.issuers": wrong}))
            until("a look at the mistake", lambda: "auth.issuers stays as it is" in "".join(w.daemon.log)[before:])
            equal(b.code(), None)
        # Changed: tokens for another audience, and streams of the old ones end.
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("GET", "/v1/events?session=" + session, headers={"Authorization": "Bearer " + b.token, "Accept": "text/event-stream"})
        stream = c.getresponse()
        equal(stream.status, 200)
        file.write_text(json.dumps({"auth.issuers": {"corp": {**corp, "audience": "other"}}}))
        until("the end of the old tokens", lambda: b.code() == "unauthorized")
        holds(b"unauthorized" in stream.read(), "the stream says why it ends")
        c.close()
        other = w.bearer(claims={"aud": "other"})
        equal(other.code(), None)
        # Removed, and added again.
        file.write_text("{}")
        until("the end of its tokens", lambda: other.code() == "unauthorized")
        file.write_text(json.dumps({"auth": {"issuers": {"corp": corp}}}))
        until("its tokens again", lambda: b.code() is None)
        equal(w.owner.do("get_session", sessionId=session)["sessionId"], session)
        url = corp["issuer"]
        until("the events", lambda: issuer_events(w) == [("corp", "added", url), ("corp", "changed", url), ("corp", "removed", None), ("corp", "added", url)])
        w.daemon.kill()
        w.daemon.start()
        equal(len(issuer_events(w)), 4, "a start is no change")
        equal(b.code(), None)


class Followed:
    """A daemon that follows issuers in its file of settings; none of them is asked for keys."""

    def __init__(self, issuers):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-issuers-"))
        self.daemon = Daemon(BUILD, str(self.dir / "data"), json.dumps(SCRIPT), [])
        self.file = pathlib.Path(self.daemon.data + ".config/thole/config.json")
        self.file.parent.mkdir(parents=True)
        self.write(issuers)
        self.daemon.start()
        self.owner = Bearer(self.daemon, open(self.daemon.data + "/token").read().strip())

    def write(self, issuers):
        new = self.file.with_name("new.json")
        new.write_text(json.dumps({"auth.issuers": issuers}))
        new.rename(self.file)

    def names(self):
        return [i["name"] for i in self.owner.do("list_issuers")["issuers"]]

    def log(self):
        return "".join(self.daemon.log)

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process.poll() is None:
                self.daemon.kill()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


def entry(n, audience="thole"):
    return {"issuer": f"https://i{n}.example", "audience": audience}


@test
def a_change_for_which_there_is_no_place_closes_its_issuer():
    """The issuer was accepted as it had been before, also if the change took rights away."""
    with Followed({f"i{n}": entry(n) for n in range(16)}) as w:
        for edit in range(1, 17):
            w.write({f"i{n}": entry(n, f"a{edit}") for n in range(16)})
            until(f"edit {edit}", lambda: w.log().count("the issuer i15 ") == edit)
        holds("the issuer i15 counts after the next start; its tokens are refused" in w.log(), w.log()[-600:])
        equal(w.names(), [])


@test
def settings_that_are_no_file_change_nothing_and_stop_nothing():
    with Followed({"corp": entry(1)}) as w:
        w.file.unlink()
        os.mkfifo(w.file)
        until("a look at the FIFO", lambda: "auth.issuers stays as it is" in w.log())
        equal(w.names(), ["corp"])
        w.file.unlink()
        w.file.mkdir()
        equal(w.names(), ["corp"])
        w.file.rmdir()
        w.write({"corp": entry(1), "more": entry(2)})
        until("the next change", lambda: w.names() == ["corp", "more"])


@test
def limits_count_for_a_principal_with_all_its_tokens():
    with World(options=["limits.principal_streams=3"]) as w:
        open_streams = []
        for i in range(3):
            c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
            c.request("GET", "/v1/events", headers={"Authorization": "Bearer " + w.issuer.mint(), "Accept": "text/event-stream"})
            equal(c.getresponse().status, 200)
            open_streams.append(c)
        b = w.bearer()
        status, headers, data = b.whole("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        holds(b"rate_limited" in data, (status, data))
        other = w.bearer(claims={"sub": "bob"})
        c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
        c.request("GET", "/v1/events", headers={"Authorization": "Bearer " + other.token, "Accept": "text/event-stream"})
        equal(c.getresponse().status, 200, "another principal")
        for s in [*open_streams, c]:
            s.close()


@test
def a_peer_over_json_rpc_uses_its_token():
    with World() as w:
        b = w.bearer()
        equal(b.code(), None)

        def rpc(s, method, **params):
            s.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
            return json.loads(s.makefile().readline())

        with socket.socket(socket.AF_UNIX) as s:
            s.connect(w.daemon.data + "/socket")
            said = rpc(s, "initialize", token=b.token)
            equal((said["result"]["principal"], said["result"]["scopes"]), ("corp:alice", ["read", "write"]))
            equal(rpc(s, "list_devices")["error"]["data"]["code"], "forbidden")
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(w.daemon.data + "/socket")
            equal(rpc(s, "initialize", token=b.token[:-6] + "AAAAAA")["error"]["data"]["code"], "unauthorized")


@test
def initialize_with_another_token_of_the_bearer_takes_what_that_permits():
    with World() as w:
        wide, narrow = w.bearer(), w.bearer(claims={"scope": "read"})
        equal((wide.code(), narrow.code()), (None, None))
        for first, second, scopes, code in ((wide, narrow, ["read"], "forbidden"), (narrow, wide, ["read", "write"], None)):
            s = WebSocket(f"ws://127.0.0.1:{w.daemon.port}/v1/rpc", headers={"Authorization": "Bearer " + first.token}, timeout_s=DEADLINE_S)

            def rpc(method, **params):
                s.send(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
                while (said := json.loads(s.receive())).get("id") != method:
                    pass
                return said

            said = rpc("initialize", token=second.token)
            equal((said["result"]["principal"], said["result"]["scopes"]), ("corp:alice", scopes))
            equal(rpc("submit_turn", input="x").get("error", {}).get("data", {}).get("code"), code)
            s.close()


# ---- what clients learn

def challenge(headers):
    value = headers["www-authenticate"]
    holds(value.startswith("Bearer "), value)
    return dict(re.findall(r'(\w+)="([^"]*)"', value))


@test
def a_refusal_names_the_metadata_and_the_missing_scope():
    with World(options=["mcp.serve=true", "openai.enabled=true", "agui.enabled=true", "a2a.enabled=true"],
               settings={"scopes": {"reader": ["read"], "writer": ["write"], "boss": ["approve"]}}) as w:
        base = f"http://127.0.0.1:{w.daemon.port}"
        stranger = Bearer(w.daemon, None)
        paths = {"/v1/sessions": ("GET", ""), "/v1/events": ("GET", ""), "/mcp": ("POST", "/mcp"), "/ag-ui": ("POST", "/ag-ui"),
                 "/openai/v1/models": ("GET", "/openai/v1"), "/openai/v1/responses": ("POST", "/openai/v1"), "/a2a": ("POST", "/a2a"),
                 "/a2a/v1/message:send": ("POST", "/a2a/v1"), "/v1/rpc": ("GET", ""), "/nothing": ("GET", "")}
        for path, (method, resource) in paths.items():
            body = "{}" if method == "POST" else None
            status, headers, data = stranger.whole(method, path, body)
            equal(status, 401, path)
            said = challenge(headers)
            equal(said, {"realm": "thole", "resource_metadata": f"{base}/.well-known/oauth-protected-resource{resource}"}, path)
            status, headers, data = stranger.whole("GET", said["resource_metadata"][len(base):])
            equal(status, 200, path)
            equal(json.loads(data), {"resource": base + resource, "authorization_servers": [w.issuer.url], "scopes_supported": ["reader", "writer", "boss"],
                                     "bearer_methods_supported": ["header"], "resource_name": "Thole"}, path)
        said = challenge(w.bearer(claims={"aud": "other"}).whole("GET", "/v1/sessions")[1])
        equal((said["error"], said["error_description"]), ("invalid_token", "the token is for another audience"))
        nothing = w.bearer(claims={"scope": "other"})
        for path, (method, resource) in paths.items():
            if path in ("/v1/rpc", "/nothing"):
                continue
            status, headers, data = nothing.whole(method, path, "{}" if method == "POST" else None)
            said = challenge(headers)
            equal((status, said["error"], said["resource_metadata"]), (403, "insufficient_scope", f"{base}/.well-known/oauth-protected-resource{resource}"), path)
            holds("reader" in said["scope"].split(), said)
        for path in ("/v1/rpc", "/nothing"):
            status, headers, data = nothing.whole("GET", path)
            equal((status, json.loads(data)["code"], challenge(headers)["error"]), (403, "forbidden", "insufficient_scope"), path)
        equal(nothing.whole("GET", "/readyz")[0], 200, "a probe")
        reader = w.bearer(claims={"scope": "reader"})
        for command, scope in (("submit_turn", "writer"), ("respond_action", "boss")):
            status, headers, data = reader.whole("POST", "/v1/commands/" + command, json.dumps(
                {"input": "x"} if command == "submit_turn" else {"sessionId": "sess_x", "actionId": "act_x", "decision": "allow"}))
            equal((status, challenge(headers)["scope"]), (403, scope), command)
        status, headers, data = reader.whole("GET", "/metrics")
        equal((status, "scope" in challenge(headers)), (403, False), "a 403 for another reason")
        for method in ("POST", "DELETE"):
            equal(reader.whole(method, "/.well-known/oauth-protected-resource/mcp")[0], 405, method)
        for path in ("/.well-known/oauth-protected-resource/v1", "/.well-known/oauth-protected-resource/mcp/x", "/.well-known/oauth-protected-resourcex"):
            holds(stranger.whole("GET", path)[0] in (401, 404), path)
    with World(options=["origins=[\"https://app.example\"]", "mcp.serve=true"]) as w:
        status, headers, data = Bearer(w.daemon, None).whole("GET", "/.well-known/oauth-protected-resource/mcp", headers={"Origin": "https://app.example"})
        equal((status, headers.get("access-control-allow-origin")), (200, "https://app.example"))
        equal(Bearer(w.daemon, None).whole("GET", "/.well-known/oauth-protected-resource/ag-ui")[0], 401, "not enabled")


@test
def without_issuers_nothing_is_said_of_them():
    with World(issuers=lambda url: {}) as w:
        status, headers, data = Bearer(w.daemon, None).whole("GET", "/v1/sessions")
        equal((status, headers["www-authenticate"]), (401, 'Bearer realm="thole"'))
        equal(Bearer(w.daemon, None).whole("GET", "/.well-known/oauth-protected-resource")[0], 401)
        equal(w.bearer().code(), "unauthorized")
        equal(w.issuer("figures")["keys"], 0)


@test
def issuers_are_listed_and_doctor_checks_them():
    with World(issuers=lambda url: {"corp": {"issuer": url, "audience": "thole"}, "wrong": {"issuer": url + "/x", "audience": "thole"}}) as w:
        rows = w.owner.do("list_issuers")["issuers"]
        equal([(r["name"], r["status"], r["keyCount"]) for r in rows], [("corp", "unused", 0), ("wrong", "unused", 0)])
        equal(w.issuer("figures")["metadata"], 0, "a look fetches nothing")
        equal(w.bearer().code("list_issuers"), "forbidden", "not for a principal of own sessions")
        done = subprocess.run([BUILD + "/thole", "doctor", "--online", "--json", "--data", w.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S * 2,
                              env={**os.environ, "XDG_CONFIG_HOME": str(w.dir / "config")}, stdin=subprocess.DEVNULL)
        check = [c for c in json.loads(done.stdout)["checks"] if c["id"] == "auth.issuers"][0]
        holds(check["status"] != "ok" and "wrong (down: " in json.dumps(check), check)
        rows = w.owner.do("list_issuers")["issuers"]
        equal([(r["name"], r["status"], r["keyCount"]) for r in rows], [("corp", "ready", 1), ("wrong", "down", 0)])
        holds(rows[0]["fetchedAt"] and rows[1]["detail"], rows)


# ---- settings

@test
def wrong_settings_stop_the_start():
    good = {"issuer": "https://id.example", "audience": "x"}
    bad = [{"corp": {}}, {"corp": {**good, "issuer": "http://id.example"}}, {"corp": {**good, "issuer": "ftp://x"}}, {"corp": {**good, "issuer": "https://u@x"}},
           {"corp": {**good, "audience": []}}, {"corp": {**good, "audience": 5}}, {"corp": {**good, "algorithms": ["HS256"]}}, {"corp": {**good, "algorithms": ["none"]}},
           {"corp": {**good, "algorithms": []}}, {"corp": {**good, "scopes": {"x": ["root"]}}}, {"corp": {**good, "scopes": {"x": ["admin"]}}},
           {"corp": {**good, "sessions": "some"}}, {"corp": {**good, "directories": ["x"]}}, {"corp": {**good, "tenant": "a/b"}},
           {"corp": {**good, "tenant": "a", "tenant_claim": "b"}}, {"corp": {**good, "jwks_uri": "http://1.2.3.4/x"}}, {"corp": {**good, "colour": "red"}},
           {"owner": good}, {"device": good}, {"a:b": good}, {"corp": good, "too": good}, {"corp": "x"}, [], "x"]
    dir = tempfile.mkdtemp(prefix="thole-jwt-")
    try:
        for n, value in enumerate(bad):
            done = subprocess.run([BUILD + "/thole", "serve", "--data", f"{dir}/{n}", "-c", "auth.issuers=" + json.dumps(value)], capture_output=True, text=True,
                                  timeout=DEADLINE_S, env={**os.environ, "XDG_CONFIG_HOME": dir + "/config"})
            holds(done.returncode == 3 and "auth.issuers" in done.stderr, (value, done.returncode, done.stderr))
    finally:
        shutil.rmtree(dir, ignore_errors=True)


def main():
    return play(tests, sys.argv[2:], "issuers: ")


import proxy  # noqa: E402,F401  adds its tests

if __name__ == "__main__":
    sys.exit(main())
