#!/usr/bin/env python3
"""Logins at tool servers in the real daemon: oidc-provider in front of a server of the official SDK, and hostile servers of our own.

usage: login_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory and a daemon of its own.
"""
import http.server
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

from login_browser import page_after
from tool_fixture import DEADLINE_S, Fixture, last, until
from tap import Skip, long, play  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
THOLE = Fixture.build + "/thole"
OPTIONS = ["permission.mode=bypass", 'peers.allow_hosts=["127.0.0.1:*"]']
DOCUMENT_URL = "https://client.example.org/thole.json"
tests = []


def test(f):
    tests.append(f)
    return f


def get(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url) as reply:
        return reply.read()


class Guarded(Fixture):
    """A daemon with one server that requires a login."""

    def __init__(self, calls=(), options=OPTIONS, server=None, **more):
        if not (HERE / "node_modules" / "oidc-provider").exists() or not shutil.which("node"):
            raise Skip("npm has not fetched oidc-provider into tests/mcp")
        self.peer = subprocess.Popen(["node", str(HERE / "login_server.mjs"), json.dumps(more)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, text=True)
        self.at = json.loads(self.peer.stdout.readline())
        entry = {"type": "http", "url": self.at["url"], **(server(self.at) if server else {})}
        super().__init__({"own": entry}, [("mcp__own__" + n, {}) for n in calls], options=options)

    def figures(self):
        return json.loads(get(self.at["origin"] + "/figures"))

    def tell(self, what):
        get(f"{self.at['origin']}/{what}")

    def begin(self):
        self.status("own", "login_required")
        return self.call("login_tool_server", server="own")

    def login(self, pastes=False):
        """Signs in, by the loopback address or with an address that is pasted."""
        reply = self.begin()
        page = page_after(reply["url"], reply["redirectUri"])
        if pastes:
            assert self.call("login_tool_server", server="own", redirectUrl=page)["signedIn"]
        else:
            assert b"received the login" in get(page)
        return self.status("own", "ready")

    def question(self, events):
        """The pending question: the page to open, and where it leads to."""
        asked = last(events, "action.required")["payload"]
        assert asked["actionType"] == "credential", asked
        page = next(line for line in asked["prompt"].splitlines() if line.startswith("http"))
        return page, asked["prompt"].split("begins with ")[1].rstrip(".")

    def answer(self, **payload):
        self.call("respond_action", sessionId=self.session, actionId=self.action, decision="answer", payload=payload)
        return self.settle()

    def preview(self, events):
        return last(events, "tool.result")["payload"]["displayPreview"]

    def files(self):
        return sorted((self.work / "data" / "logins").glob("*"))

    def record(self):
        return json.loads(self.files()[0].read_text())

    def close(self):
        try:
            super().close()
        finally:
            self.peer.stdin.close()
            self.peer.wait()


def refusal(fixture, **params):
    code, reply = fixture.http.call("login_tool_server", {"server": "own", **params})
    assert code, reply
    return reply


def questions(events):
    return [e for e in events if e["type"] == "action.required"]


# ---- real peers ----------------------------------------------------------------------------------

@test
def a_browser_on_this_machine_completes_the_login():
    f = Guarded(["whoami"])
    try:
        row = f.login()
        assert row["signedIn"] and not row["loginPending"], row
        assert f.preview(f.submit()) == "alice with tools"
        seen = f.figures()
        assert seen["registrations"] == 1 and seen["authorizations"] == 1 and set(seen["resources"]) == {f.at["url"]}, seen
    finally:
        f.close()


@test
def tokens_are_in_private_files_and_nowhere_else():
    f = Guarded(["whoami"])
    try:
        f.login(pastes=True)
        f.submit()
        files = f.files()
        assert len(files) == 1 and stat.S_IMODE(files[0].stat().st_mode) == 0o600, files
        assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700
        record = f.record()
        secrets = [record["accessToken"].encode(), record["refreshToken"].encode()]
        shown = json.dumps(f.servers()) + json.dumps(f.events()) + "".join(f.daemon.log)
        assert not any(s.decode() in shown for s in secrets)
        for path in (f.work / "data").rglob("*"):
            if path.is_file() and path not in files:
                assert not any(s in path.read_bytes() for s in secrets), path
    finally:
        f.close()


@test
def a_client_metadata_document_is_used_before_registration():
    document = subprocess.run([THOLE, "-c", f"mcp.client_id_url={DOCUMENT_URL}", "mcp", "client-metadata"], capture_output=True, text=True, check=True).stdout
    assert json.loads(document)["client_id"] == DOCUMENT_URL, document
    f = Guarded(["whoami"], OPTIONS + [f"mcp.client_id_url={DOCUMENT_URL}"], document=document)
    try:
        f.login()
        assert f.preview(f.submit()) == "alice with tools"
        seen = f.figures()
        assert seen["registrations"] == 0 and set(seen["clients"]) == {DOCUMENT_URL}, seen
    finally:
        f.close()


@test
def a_client_of_the_settings_is_used_before_all_others():
    os.environ["OWN_SECRET"] = "a secret of the settings"
    f = Guarded(["whoami"], server=lambda at: {"oauth": {"issuer": at["issuer"], "client_id": "mine", "client_secret": "${OWN_SECRET}"}},
                client="mine", secret=os.environ["OWN_SECRET"])
    try:
        f.login()
        assert f.preview(f.submit()) == "alice with tools"
        assert f.figures()["registrations"] == 0 and set(f.figures()["clients"]) == {"mine"}
    finally:
        f.close()


@test
@long
def fifty_refreshes_with_rotation_and_a_kill_need_no_second_login():
    f = Guarded(["whoami"] * 8, ttl=1)
    try:
        f.login()
        for wanted in (10, 20, 30):
            until(lambda: f"{wanted} refreshes: {f.figures()}", lambda: f.figures()["refreshes"] >= wanted)
            assert f.preview(f.submit()) == "alice with tools"
        # A refresh is under way and has not been looked at when the daemon dies.
        f.tell("hold")
        until(lambda: "a refresh that waits", lambda: f.figures()["held"])
        f.restart()
        f.tell("drop")
        f.session = None
        f.status("own", "ready")
        assert f.preview(f.submit()) == "alice with tools"
        until(lambda: f"50 refreshes: {f.figures()}", lambda: f.figures()["refreshes"] >= 50)
        assert f.preview(f.submit()) == "alice with tools"
        seen = f.figures()
        assert seen["authorizations"] == 1 and seen["codes"] == 1 and seen["refused"] == 0, seen
    finally:
        f.close()


@test
def a_login_survives_a_restart_with_an_expired_token():
    f = Guarded(["whoami"], ttl=2)
    try:
        f.login()
        f.daemon.kill()
        record = f.record()
        record["expiresAt"] = 1
        f.files()[0].write_text(json.dumps(record))
        f.daemon.start()
        f.http = type(f.http)(f.daemon)
        f.status("own", "ready")
        assert f.preview(f.submit()) == "alice with tools"
        assert f.figures()["authorizations"] == 1
    finally:
        f.close()


@test
def an_authorization_server_that_fails_for_a_while_needs_no_login():
    f = Guarded(["whoami"] * 2, ttl=1)
    try:
        f.login()
        f.tell("fail")
        until(lambda: "refreshes that fail", lambda: f.figures()["failed"] >= 3)
        # Meanwhile the token has expired: a call fails, and no person is asked.
        events = f.submit()
        assert not questions(events) and last(events, "tool.failed"), events
        f.tell("release")
        f.status("own", "ready")
        assert f.preview(f.submit()) == "alice with tools"
        assert f.figures()["authorizations"] == 1
    finally:
        f.close()


# ---- questions in a turn -------------------------------------------------------------------------

@test
def the_model_asks_for_the_login_of_a_server_and_any_client_answers():
    f = Guarded(["login", "whoami"])
    try:
        f.status("own", "login_required")
        page, redirect = f.question(f.submit())
        events = f.answer(redirectUrl=page_after(page, redirect))
        assert "signed in" in f.preview(events), events
        assert "code=" not in json.dumps(f.events())
        assert f.preview(f.submit()) == "alice with tools"
    finally:
        f.close()


@test
def a_principal_of_some_sessions_does_not_choose_the_account_of_all():
    """The login is the whole runtime's: such a principal sees no page, and its call fails."""
    f = Guarded(["login", "whoami"])
    try:
        f.status("own", "login_required")
        token = f.call("create_token", name="mallory", scopes=["read", "write", "approve"], sessions="own")["token"]
        request = urllib.request.Request(f"http://127.0.0.1:{f.daemon.port}/v1/run", json.dumps({"input": "go"}).encode(),
                                         {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/x-ndjson"})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as r:
            events = [json.loads(line) for line in r]
        assert not questions(events), questions(events)
        assert last(events, "tool.failed")["payload"]["category"] == "auth", events
        page, redirect = f.question(f.submit())  # the owner is asked as before
        f.answer(redirectUrl=page_after(page, redirect))
        f.status("own", "ready")
    finally:
        f.close()


@test
def the_command_line_answers_the_question_of_a_turn():
    f = Guarded(["login"])
    try:
        f.status("own", "login_required")
        page, redirect = f.question(f.submit())
        p = subprocess.run([THOLE, "--data", str(f.work / "data"), "approve", f.action, "--answer", page_after(page, redirect)], capture_output=True, text=True)
        assert p.returncode == 0, p
        assert "signed in" in f.preview(f.settle())
    finally:
        f.close()


@test
def two_servers_of_one_address_share_one_login():
    f = Guarded(["whoami"] * 2, ttl=1)
    try:
        f.login()
        (f.work / ".mcp.json").write_text(json.dumps({"mcpServers": {"same": {"type": "http", "url": f.at["url"]}}}))
        f.submit()
        f.call("trust_tool_server", server="same")
        f.status("same", "ready")
        before = f.figures()
        until(lambda: f"more refreshes: {f.figures()}", lambda: f.figures()["refreshes"] >= before["refreshes"] + 4)
        after = f.figures()
        assert after["refused"] == 0 and after["authorizations"] == 1, after
        assert f.preview(f.submit()) == "alice with tools"
    finally:
        f.close()


@test
def the_browser_settles_the_question_of_a_turn():
    f = Guarded(["login"])
    try:
        f.status("own", "login_required")
        page, redirect = f.question(f.submit())
        get(page_after(page, redirect))
        events = f.until("the end of the turn", lambda: next((x for x in [f.settle()] if not f.action), None))
        assert "signed in" in f.preview(events)
        resolved = last(events, "action.resolved")["payload"]
        assert resolved["decision"] == "allow" and resolved["decidedBy"]["kind"] == "runtime", resolved
    finally:
        f.close()


@test
def a_call_that_needs_another_scope_asks_once_and_then_runs():
    f = Guarded(["write", "whoami"])
    try:
        f.login()
        page, redirect = f.question(f.submit())
        assert "scope=tools%20offline_access%20more" in page or "scope=tools%20more" in page, page
        events = f.answer(redirectUrl=page_after(page, redirect))
        assert f.preview(events) == "written" and len(questions(events)) == 1
        assert "more" in f.preview(f.submit())
        assert f.figures()["registrations"] == 1, f.figures()
    finally:
        f.close()


@test
def an_ended_grant_asks_once_and_a_refusal_is_final():
    f = Guarded(["whoami"] * 3)
    try:
        f.login()
        f.tell("revoke")
        events = f.submit()
        f.question(events)
        assert len(questions(events)) == 1
        f.call("respond_action", sessionId=f.session, actionId=f.action, decision="decline")
        failed = last(f.settle(), "tool.failed")
        assert "declined" in json.dumps(failed), failed
        events = f.submit()
        assert not questions(events) and last(events, "tool.failed"), events
        # The user may change their mind.
        reply = f.call("login_tool_server", server="own")
        f.call("login_tool_server", server="own", redirectUrl=page_after(reply["url"], reply["redirectUri"]))
        f.status("own", "ready")
        assert f.preview(f.submit()) == "alice with tools"
    finally:
        f.close()


@test
def nothing_is_asked_where_no_person_can_answer():
    f = Guarded(["login"], OPTIONS + ["permission.interactive=false"])
    try:
        f.status("own", "login_required")
        events = f.submit()
        assert not questions(events) and "thole mcp login" in json.dumps(last(events, "tool.failed"))
    finally:
        f.close()


@test
def wrong_answers_are_asked_again_a_few_times():
    f = Guarded(["login"])
    try:
        f.status("own", "login_required")
        page, redirect = f.question(f.submit())
        for wrong in ("https://example.org/?code=x", redirect + "?code=x&state=guess"):
            events = f.answer(redirectUrl=wrong)
            assert f.action and "That did not work" in last(events, "action.required")["payload"]["prompt"]
        events = f.answer(redirectUrl=redirect + "?code=x")
        assert not f.action and last(events, "tool.failed"), events
        assert f.figures()["codes"] == 0 and f.figures()["refused"] == 0
    finally:
        f.close()


# ---- redirects -----------------------------------------------------------------------------------

@test
def redirects_of_other_logins_change_nothing():
    f = Guarded(["whoami"])
    try:
        reply = f.begin()
        page, place = page_after(reply["url"], reply["redirectUri"]), reply["redirectUri"]
        query = page.split("?")[1]
        state = [p for p in query.split("&") if p.startswith("state=")][0]
        for wrong in (place + "?code=x&state=other", place + "?" + query + "&state=x", place + "?" + query + "&code=x", place + "?code=x",
                      place.replace("127.0.0.1", "localhost") + "?" + query, "https://evil.example/callback?" + query, "x" * 16000, "", place):
            assert refusal(f, redirectUrl=wrong)["code"] == "invalid_value", wrong
            try:
                get(place + "?code=x&state=other")
                raise AssertionError("the page accepted another state")
            except urllib.error.HTTPError as e:
                assert e.code == 400
        for host in ("evil.example", "localhost"):
            request = urllib.request.Request(place + "?code=x&" + state, headers={"Host": host})
            try:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
                raise AssertionError("another host was accepted")
            except urllib.error.HTTPError as e:
                assert e.code == 404
        assert f.call("login_tool_server", server="own", redirectUrl=page)["signedIn"]
        # A code counts once.
        assert refusal(f, redirectUrl=page)["code"] == "invalid_value"
        assert f.figures()["codes"] == 1
    finally:
        f.close()


@test
def a_redirect_of_another_issuer_ends_the_login():
    f = Guarded()
    try:
        reply = f.begin()
        page = page_after(reply["url"], reply["redirectUri"])
        wrong = "&".join(p if not p.startswith("iss=") else "iss=https%3A%2F%2Fevil.example" for p in page.split("&"))
        assert refusal(f, redirectUrl=wrong)["code"] == "login_failed"
        assert f.figures()["codes"] == 0 and f.servers()["own"]["status"] == "login_required"
        reply = f.call("login_tool_server", server="own")
        page = page_after(reply["url"], reply["redirectUri"])
        missing = "&".join(p for p in page.split("&") if not p.startswith("iss="))
        assert refusal(f, redirectUrl=missing)["code"] == "login_failed"
    finally:
        f.close()


@test
def logout_revokes_and_removes_the_tokens():
    f = Guarded(["whoami"])
    try:
        f.login()
        reply = f.call("logout_tool_server", server="own")
        assert reply["wasSignedIn"] and not f.files(), (reply, f.files())
        f.status("own", "login_required")
        f.until("the revocation", lambda: f.figures()["revocations"])
        assert not f.call("logout_tool_server", server="own")["wasSignedIn"]
        f.login()
        assert f.preview(f.submit()) == "alice with tools"
    finally:
        f.close()


@test
def the_command_line_signs_in_with_a_pasted_address():
    f = Guarded(["whoami"])
    try:
        f.status("own", "login_required")
        env = {**os.environ, "THOLE_DATA": str(f.work / "data")}
        p = subprocess.Popen([THOLE, "--data", str(f.work / "data"), "mcp", "login", "own"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=env)
        page = p.stdout.readline().strip()
        redirect = f.call("login_tool_server", server="own")["redirectUri"]
        p.stdin.write(page_after(page, redirect) + "\n")
        p.stdin.flush()
        out, err = p.communicate()
        assert p.returncode == 0 and "Signed in to own" in err, (p.returncode, out, err)
        shown = subprocess.run([THOLE, "--data", str(f.work / "data"), "mcp", "show", "own"], capture_output=True, text=True, env=env).stdout
        assert "signed in" in shown and f.record()["accessToken"] not in shown, shown
        p = subprocess.run([THOLE, "--data", str(f.work / "data"), "mcp", "logout", "own"], capture_output=True, text=True, env=env)
        assert p.returncode == 0 and "Signed out" in p.stderr, p
    finally:
        f.close()


@test
def a_login_in_a_project_needs_no_session_there():
    f = Guarded(server=lambda at: {"enabled": False})
    try:
        there = f.dir / "there"
        there.mkdir()
        (there / ".mcp.json").write_text(json.dumps({"mcpServers": {"ours": {"type": "http", "url": f.at["url"]}}}))
        env = {**os.environ, "THOLE_DATA": str(f.work / "data")}

        def thole(*words):
            return subprocess.run([THOLE, *words], capture_output=True, text=True, env=env, cwd=there, timeout=DEADLINE_S)

        r = thole("mcp", "login", "ours")
        assert r.returncode and not r.stdout and "not trusted" in r.stderr and "thole mcp trust ours" in r.stderr, r
        code, reply = f.http.call("login_tool_server", {"server": "ours", "cwd": str(there)})
        assert code == "invalid_value" and "thole mcp trust ours" in reply["detail"], reply
        r = thole("mcp", "trust", "ours", "--yes")
        assert r.returncode == 0, r
        # The daemon knows nothing of the directory after a start.
        f.restart()
        assert "ours" not in f.servers()
        reply = f.call("login_tool_server", server="ours", cwd=str(there))
        assert reply["url"] and not reply["signedIn"], reply
        # Directories without sessions are closed after a while, but for those where a person signs in.
        other = f.dir / "other"
        other.mkdir()
        (other / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": {"command": "true"}}}))
        assert "theirs" in [row["name"] for row in f.call("list_tool_servers", cwd=str(other))["servers"]]
        f.until("the other directory to be closed", lambda: "theirs" not in f.servers())
        assert f.servers()["ours"]["loginPending"], f.servers()
        page = page_after(reply["url"], reply["redirectUri"])
        assert f.call("login_tool_server", server="ours", cwd=str(there), redirectUrl=page)["signedIn"]
        r = thole("mcp", "show", "ours")
        assert r.returncode == 0 and "signed in" in r.stdout, r
        r = thole("mcp", "logout", "ours")
        assert r.returncode == 0 and "Signed out" in r.stderr, r
        p = subprocess.Popen([THOLE, "mcp", "login", "ours"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=there)
        page = p.stdout.readline().strip()
        redirect = f.call("login_tool_server", server="ours", cwd=str(there))["redirectUri"]
        p.stdin.write(page_after(page, redirect) + "\n")
        p.stdin.flush()
        out, err = p.communicate(timeout=DEADLINE_S)
        assert p.returncode == 0 and "Signed in to ours" in err, (p.returncode, out, err)
    finally:
        f.close()


# ---- hostile servers -----------------------------------------------------------------------------

class Hostile(http.server.ThreadingHTTPServer):
    """Answers by path; "*" is for all others.  A value is (status, headers, body), or a function that writes to the handler."""
    daemon_threads = True

    def __init__(self):
        self.pages, self.seen = {}, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def metadata(self, issuer=None, **more):
        self.pages["/.well-known/oauth-protected-resource/mcp"] = page({"resource": self.origin + "/mcp",
                                                                        "authorization_servers": [issuer or self.origin], **more})

    def issuer(self, **more):
        self.pages["/.well-known/oauth-authorization-server"] = page({
            "issuer": self.origin, "authorization_endpoint": self.origin + "/authorize", "token_endpoint": self.origin + "/token",
            "registration_endpoint": self.origin + "/register", "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"], **more})


def page(body, status=200, **headers):
    return status, {"content-type": "application/json", **headers}, json.dumps(body).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.seen.append((self.path, dict(self.headers), body))
        found = self.server.pages.get(self.path) or self.server.pages.get("*") or page({}, 404)
        if callable(found):
            found(self)
            return
        status, headers, text = found
        self.send_response(status)
        for k, v in headers.items():
            self.send_header(k, v)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET

    def log_message(self, *args):
        pass


def endless(handler):
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
    except OSError:
        handler.close_connection = True


def guard_calls(handler):
    """A server of 2026-07-28 that anyone may list, and whose calls no token permits."""
    asked = json.loads(handler.server.seen[-1][2] or b"{}")
    results = {"server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": {"name": "bad", "version": "1"}},
               "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}}
    found = results.get(asked.get("method"))
    text = json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **found}} if found
                      else {}).encode()
    handler.send_response(200 if found else 401)
    handler.send_header("content-type", "application/json")
    handler.send_header("www-authenticate", "Bearer")
    handler.send_header("content-length", str(len(text)))
    handler.end_headers()
    handler.wfile.write(text)


class Attacked(Fixture):
    """A daemon whose user has configured a hostile server; nothing else on this machine may be dialled."""

    def __init__(self, options=("permission.mode=bypass",), calls=(), **entry):
        self.bad, self.victim = Hostile(), Hostile()
        self.challenge()
        super().__init__({"own": {"type": "http", "url": self.bad.origin + "/mcp", **entry}}, calls, options=list(options))

    def challenge(self, text='Bearer scope="x"', status=401):
        self.bad.pages["/mcp"] = page({}, status, **{"www-authenticate": text})

    def refused(self):
        self.status("own", "login_required")
        reply = refusal(self)
        assert reply["code"] == "login_failed", reply
        assert not self.victim.seen, self.victim.seen
        assert not self.servers()["own"]["signedIn"]
        return reply["detail"]

    def close(self):
        try:
            super().close()
        finally:
            self.bad.close()
            self.victim.close()


@test
def metadata_that_leads_to_other_places_is_not_followed():
    f = Attacked()
    try:
        victim = f.victim.origin
        for issuer in (victim, victim.replace("127.0.0.1", "localhost"), "http://[::ffff:127.0.0.1]:" + victim.split(":")[2], "http://2130706433/",
                       "http://0x7f.1/", "http://0177.0.0.1/", "https://10.0.0.1", "https://169.254.169.254", "https://[::ffff:169.254.169.254]",
                       "https://[fd00::1]", "http://example.org", "file:///etc/passwd", "gopher://example.org", "https://user@example.org",
                       "https://example.org/?x=1", "javascript:alert(1)", "", 7, None):
            f.bad.metadata(issuer if issuer is not None else [])
            f.refused()
        for place in (victim + "/m", "https://10.1.2.3/m", "http://example.org/m", "ftp://example.org/m", "x" * 5000, "http://[::1]:" + victim.split(":")[2]):
            f.challenge(f'Bearer resource_metadata="{place}"')
            f.call("logout_tool_server", server="own")
            f.until("the challenge", lambda: f.servers()["own"]["status"] == "login_required")
            f.refused()
    finally:
        f.close()


@test
def endpoints_that_lead_to_other_places_are_not_used():
    f = Attacked()
    try:
        f.bad.metadata()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        for name in ("authorization_endpoint", "token_endpoint", "registration_endpoint"):
            for place in (f.victim.origin + "/x", "https://10.0.0.1/x", "https://169.254.169.254/x", "http://example.org/x", "javascript:x"):
                f.bad.issuer(**{name: place})
                f.refused()
    finally:
        f.close()


@test
def documents_that_are_wrong_end_the_login():
    f = Attacked()
    try:
        own, known = f.bad.origin, "/.well-known/oauth-protected-resource/mcp"
        deep = b'{"resource":' + b"[" * 5000 + b"]" * 5000 + b"}"
        for found in (page({"resource": "https://other.example/mcp", "authorization_servers": [own]}), page({"resource": own + "/mcp/", "authorization_servers": [own]}),
                      page({"resource": own.upper() + "/mcp", "authorization_servers": [own]}), page({"authorization_servers": [own]}),
                      page({"resource": own + "/mcp"}), page([]), page("x"), (200, {}, b""), (200, {}, b"{" * 1000), (200, {}, deep),
                      (200, {}, b" " * 600000), page({}, 302, location=f.victim.origin), page({}, 500), endless):
            f.bad.pages[known] = found
            f.refused()
        f.bad.metadata()
        for more in ({"issuer": "https://other.example"}, {"issuer": own + "/"}, {"code_challenge_methods_supported": ["plain"]},
                     {"code_challenge_methods_supported": None}, {"token_endpoint": None}):
            f.bad.issuer(**more)
            f.refused()
        f.bad.issuer()
        for found in (page({}, 201), page({"client_id": "a\nb"}, 201), page({"client_id": "c"}, 400), page({}, 307, location=f.victim.origin), endless):
            f.bad.pages["/register"] = found
            f.refused()
        assert not any("authorization" in {k.lower() for k in h} for _, h, _ in f.bad.seen)
    finally:
        f.close()


@test
def token_answers_that_are_wrong_end_the_login():
    f = Attacked(calls=[("mcp__own__login", {})])
    try:
        f.bad.metadata()
        f.bad.issuer()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        good = {"access_token": "T" * 20, "token_type": "Bearer"}
        for found in (page({}), page({**good, "token_type": "mac"}), page({**good, "access_token": "a b"}), page({**good, "access_token": "a\r\nX: y"}),
                      page({**good, "access_token": "x" * 20000}), page({**good, "refresh_token": "\u0000"}), page({"error": "invalid_grant"}, 400),
                      page({"error": "secret\u001b[31m in a word", "error_description": "SECRET"}, 400), page({}, 302, location=f.victim.origin),
                      (200, {}, b"["), endless):
            f.bad.pages["/token"] = found
            f.status("own", "login_required")
            reply = f.call("login_tool_server", server="own")
            state = [p for p in reply["url"].split("&") if p.startswith("state=")][0]
            said = refusal(f, redirectUrl=f"{reply['redirectUri']}?code=x&{state}")
            assert said["code"] == "login_failed" and "SECRET" not in said["detail"] and "\u001b" not in said["detail"], said
            assert not f.victim.seen and not f.servers()["own"]["signedIn"]
    finally:
        f.close()


@test
def a_server_that_refuses_every_token_asks_no_second_time_by_itself():
    f = Attacked(calls=[("mcp__own__login", {})] * 2)
    try:
        f.bad.metadata()
        f.bad.issuer()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        f.bad.pages["/token"] = page({"access_token": "T" * 20, "refresh_token": "R" * 20, "token_type": "Bearer", "expires_in": 3600})
        f.status("own", "login_required")
        reply = f.call("login_tool_server", server="own")
        state = [p for p in reply["url"].split("&") if p.startswith("state=")][0]
        f.call("login_tool_server", server="own", redirectUrl=f"{reply['redirectUri']}?code=x&{state}")
        f.status("own", "login_required")
        tokens = [b for p, _, b in f.bad.seen if p == "/token"]
        assert 1 <= len(tokens) <= 4, tokens
        assert not f.victim.seen
    finally:
        f.close()


@test
def a_call_that_is_refused_after_every_login_ends():
    f = Attacked(calls=[("mcp__own__echo", {"text": "x"})])
    try:
        f.bad.metadata()
        f.bad.issuer()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        f.bad.pages["/token"] = page({"access_token": "T" * 20, "token_type": "Bearer"})
        f.bad.pages["/mcp"] = guard_calls
        f.status("own", "ready")
        f.submit()
        asked = 0
        while f.action:
            asked += 1
            assert asked <= 3, "it asks without end"
            prompt = last(f.events(), "action.required")["payload"]["prompt"]
            state = prompt.split("state=")[1].split("&")[0]
            place = prompt.split("begins with ")[1].rstrip(".")
            f.call("respond_action", sessionId=f.session, actionId=f.action, decision="answer", payload={"redirectUrl": f"{place}?code=x&state={state}"})
            events = f.settle()
        assert asked == 2 and "refuses every login" in json.dumps(last(events, "tool.failed")), asked
        assert not f.victim.seen
    finally:
        f.close()


@test
def credentials_do_not_follow_a_redirect():
    f = Attacked()
    try:
        f.bad.metadata()
        f.bad.issuer()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        f.bad.pages["/token"] = page({"access_token": "T" * 20, "token_type": "Bearer"})
        f.status("own", "login_required")
        reply = f.call("login_tool_server", server="own")
        state = [p for p in reply["url"].split("&") if p.startswith("state=")][0]
        f.bad.pages["/mcp"] = page({}, 307, location=f.victim.origin + "/mcp")
        f.call("login_tool_server", server="own", redirectUrl=f"{reply['redirectUri']}?code=x&{state}")
        f.status("own", "down")
        assert any(h.get("Authorization") == "Bearer " + "T" * 20 for p, h, _ in f.bad.seen if p == "/mcp")
        assert not f.victim.seen
    finally:
        f.close()


@test
def challenges_of_every_form_are_read():
    f = Attacked()
    try:
        f.bad.metadata()
        f.bad.issuer()
        f.bad.pages["/register"] = page({"client_id": "c"}, 201)
        for text, scope in (('Bearer scope="a b"', "a%20b"), ('Negotiate YII=, bearer  realm="x, \\"y\\" Bearer scope=no", SCOPE = "c"', "c"),
                            ('Basic realm=x,Bearer scope=d,Digest scope="e"', "d"), ("Bearer", None), ('Bearer scope="', None), (",,, =", None),
                            ('Bearer scope="a\\"b c"', "c")):
            f.challenge(text)
            f.call("logout_tool_server", server="own")
            f.bad.seen.clear()
            f.daemon.kill()
            f.daemon.start()
            f.http = type(f.http)(f.daemon)
            f.status("own", "login_required")
            url = f.call("login_tool_server", server="own")["url"]
            assert (f"&scope={scope}" in url) if scope else "scope=" not in url, (text, url)
    finally:
        f.close()


@test
def a_token_in_the_headers_is_the_only_login_of_that_server():
    f = Attacked(headers={"authorization": "Bearer own"})
    try:
        f.status("own", "down")
        assert refusal(f)["code"] == "invalid_value"
        assert "signedIn" not in f.servers()["own"]
    finally:
        f.close()


def check_settings(setting):
    with tempfile.TemporaryDirectory() as data:
        return subprocess.run([THOLE, "--data", data, "-c", setting, "serve"], capture_output=True, text=True)


@test
def bad_settings_of_a_login_are_refused():
    for entry in ({"oauth": 7}, {"oauth": {}}, {"oauth": {"client_id": "x"}}, {"oauth": {"issuer": "https://x", "client_id": "a\nb"}},
                  {"oauth": {"issuer": "https://x", "client_id": "x", "other": "y"}}):
        servers = json.dumps({"own": {"type": "http", "url": "http://127.0.0.1:1/mcp", **entry}})
        p = check_settings(f"mcp.servers={servers}")
        assert p.returncode == 3 and "oauth" in p.stdout + p.stderr, (entry, p)
    for url in ("http://example.org/x", "https://example.org", "https://example.org/", "x"):
        p = check_settings(f"mcp.client_id_url={url}")
        assert p.returncode == 3 and "client_id_url" in p.stdout + p.stderr, (url, p)


@test
def a_login_file_that_others_can_read_is_not_used():
    f = Guarded()
    try:
        f.login()
        f.daemon.kill()
        f.files()[0].chmod(0o644)
        f.daemon.start()
        f.http = type(f.http)(f.daemon)
        f.status("own", "login_required")
    finally:
        f.close()


def main():
    return play(tests, sys.argv[2:], "mcp login: ")


if __name__ == "__main__":
    sys.exit(main())
