#!/usr/bin/env python3
"""Bedrock and Vertex as a user types them, with servers on loopback that recompute signatures and verify assertions (cloud_peers.py).

usage: cloud_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Every secret is a canary: after each test no file of the home holds one but the files of credentials themselves.  Prints TAP.
"""
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import traceback
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "lib"))
from cloud_peers import Google, check_signed, check_vector, converse, frame  # noqa: E402
from fake import Fake, message, sse  # noqa: E402
from home import THOLE, Home, Proxy  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402

ID, SECRET, SESSION = "AKIACANARY0123456789", "canary/secret+0123456789abcdefghijklmnop", "canary//session+token=="
ACCOUNT = {"AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "eu-west-1"}
MODEL = "us.anthropic.claude-x-20260101-v1:0"
tests = []


def test(f):
    tests.append(f)
    return f


def json_answer(status, doc, **headers):
    return status, {"Content-Type": "application/json", **headers}, json.dumps(doc).encode()


class Bedrock(Home):
    """bedrock is turned to loopback as a setting would."""

    def __init__(self, answer, **more):
        super().__init__()
        self.fakes = [answer if isinstance(answer, Fake) else Fake(answer)]
        self.env["THOLE_PROVIDERS"] = json.dumps({"bedrock": {"baseUrl": f"http://127.0.0.1:{self.fakes[0].port}", **more}})

    @property
    def seen(self):
        return self.fakes[0].requests

    def write(self, path, text):
        path = self.dir / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# ---- Bedrock ----

@test
def the_computation_of_this_test_agrees_with_the_published_example():
    check_vector()


@test
def keys_of_the_environment_sign_what_is_sent():
    arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2"
    with Bedrock(converse("Hello."), headers={"X-Team": "blue"}) as home:
        assert "Hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "say hi € ~*", **ACCOUNT)
        r = home.seen[0]
        assert r.path == "/model/us.anthropic.claude-x-20260101-v1%3A0/converse-stream", r.path
        assert r.headers["accept"] == "application/vnd.amazon.eventstream" and r.headers["x-team"] == "blue"
        check_signed(r, ID, SECRET, "eu-west-1")
        home.ok("run", "-m", f"bedrock/{arn}", "hi", AWS_SESSION_TOKEN=SESSION, **ACCOUNT)
        check_signed(home.seen[1], ID, SECRET, "eu-west-1", SESSION)
        assert home.seen[1].path.count("/") == 3 and "%3A" in home.seen[1].path, home.seen[1].path
        home.check_no_canary()


@test
def a_running_daemon_gets_the_account_of_a_client_for_its_session():
    with Bedrock(converse("Hello.")) as home:
        home.start_daemon()
        assert "Hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "hi", **ACCOUNT)
        check_signed(home.seen[0], ID, SECRET, "eu-west-1")
        # The session keeps it; another session does not have it, and no other model takes its place.
        assert "Hello." in home.ok("run", "-s", "@last", "more")
        check_signed(home.seen[1], ID, SECRET, "eu-west-1")
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "another")
        assert "AWS_" in why, why
        # Another account of the same session replaces it whole: the token does not stay.
        session = home.sessions()[-1]
        home.ok("run", "-s", session, "x", AWS_SESSION_TOKEN=SESSION, **ACCOUNT)
        check_signed(home.seen[-1], ID, SECRET, "eu-west-1", SESSION)
        home.ok("run", "-s", session, "x", **ACCOUNT)
        check_signed(home.seen[-1], ID, SECRET, "eu-west-1")
        pid = (home.dir / "data" / "lock").read_text().strip()
        assert b"canary" not in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        home.check_no_canary()


@test
def profiles_of_the_home_directory_are_read():
    with Bedrock(converse("Hello.")) as home:
        home.write(".aws/credentials", f"# mine\n[default]\naws_access_key_id = {ID}\naws_secret_access_key={SECRET}\n\n"
                   f"[work]\naws_access_key_id=AKIAWORK\naws_secret_access_key=canary-work\naws_session_token = {SESSION}\n")
        home.write(".aws/config", "[default]\nregion = us-east-2\ns3 =\n  region = nowhere\n[profile work]\nregion=ap-south-1\n")
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi")
        check_signed(home.seen[0], ID, SECRET, "us-east-2")
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi", AWS_PROFILE="work")
        check_signed(home.seen[1], "AKIAWORK", "canary-work", "ap-south-1", SESSION)
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi", AWS_PROFILE="work", AWS_REGION="eu-north-1")
        check_signed(home.seen[2], "AKIAWORK", "canary-work", "eu-north-1", SESSION)
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", AWS_PROFILE="none")
        assert "no keys of the profile none" in why, why
        home.check_no_canary(but=[".aws/credentials"])


@test
def a_profile_of_the_settings_serves_a_provider_of_any_name():
    with Bedrock(converse("Hello.")) as home:
        url = f"http://127.0.0.1:{home.fakes[0].port}"
        home.env["THOLE_PROVIDERS"] = json.dumps({"work": {"dialect": "bedrock", "baseUrl": url, "profile": "work", "region": "us-west-2"}})
        home.write(".aws/credentials", "[work]\naws_access_key_id=AKIAWORK\naws_secret_access_key=canary-work\n")
        assert "Hello." in home.ok("run", "-m", f"work/{MODEL}", "hi")
        check_signed(home.seen[0], "AKIAWORK", "canary-work", "us-west-2")
        # The account of a command counts before the setting, and the list of models says so.
        assert "Hello." in home.ok("run", "-m", f"work/{MODEL}", "hi", **ACCOUNT)
        check_signed(home.seen[1], ID, SECRET, "us-west-2")
        assert "key of work: from the environment of this command" in home.ok("models", **ACCOUNT)
        assert "profile work" in home.ok("models")
        home.ok("serve", "--stop")
        # The environment of the daemon does not.
        home.ok("ps", **ACCOUNT)
        home.ok("run", "-m", f"work/{MODEL}", "hi")
        check_signed(home.seen[-1], "AKIAWORK", "canary-work", "us-west-2")


@test
def what_cannot_be_used_is_explained():
    with Bedrock(converse("Hello.")) as home:
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", AWS_ACCESS_KEY_ID=ID, AWS_REGION="eu-west-1")
        assert "AWS_SECRET_ACCESS_KEY is not" in why, why
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", AWS_ACCESS_KEY_ID=ID, AWS_SECRET_ACCESS_KEY=SECRET)
        assert "there is no region; set AWS_REGION" in why, why
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", **{**ACCOUNT, "AWS_REGION": "evil.example/"})
        assert "is no region" in why, why
        home.write(".aws/config", "[profile sso]\nsso_session = corp\nregion = eu-west-1\n")
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", AWS_PROFILE="sso")
        assert "sso_session" in why and "aws configure export-credentials --profile sso" in why, why
        home.write(".aws/credentials", f"[role]\naws_access_key_id={ID}\naws_secret_access_key={SECRET}\nrole_arn=arn:aws:iam::1:role/x\n")
        why = home.fails(3, "run", "-m", f"bedrock/{MODEL}", "hi", AWS_PROFILE="role", AWS_REGION="eu-west-1")
        assert "gets its keys by role_arn" in why, why
        why = home.fails(7, "run", "-m", "bedrock/..", "hi", **ACCOUNT)
        assert "is not the name of a model" in why, why
        assert not home.seen


@test
def a_bedrock_key_is_sent_as_it_is():
    with Bedrock(converse("Hello.")) as home:
        assert "Hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "hi", AWS_BEARER_TOKEN_BEDROCK="canary-bearer")
        assert home.seen[0].headers["authorization"] == "Bearer canary-bearer" and "x-amz-date" not in home.seen[0].headers
        home.ok("auth", "add", "bedrock", answers="canary-kept\n")
        home.ok("serve", "--stop")
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi")
        assert home.seen[1].headers["authorization"] == "Bearer canary-kept"
        # The account of a client counts before the daemon's own key.
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi", **ACCOUNT)
        check_signed(home.seen[2], ID, SECRET, "eu-west-1")
        home.check_no_canary(but=["keys/bedrock"])


@test
def a_tool_is_called_and_its_result_comes_back():
    with Bedrock([converse("Reading.", ("tooluse_1", "read_file", '{"path": "README"}'), stop="tool_use"), converse("It says hello.")]) as home:
        home.write("README", "hello\n")
        assert "It says hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "what does README say?", **ACCOUNT)
        said, result = home.seen[1].body["messages"][-2:]
        assert said["role"] == "assistant" and said["content"][-1] == {
            "toolUse": {"toolUseId": "tooluse_1", "name": "read_file", "input": {"path": "README"}}}, said
        block = result["content"][0]["toolResult"]
        assert block["toolUseId"] == "tooluse_1" and "hello" in block["content"][0]["text"], result
        assert result["content"][-1] == {"cachePoint": {"type": "default"}}
        check_signed(home.seen[1], ID, SECRET, "eu-west-1")


@test
def an_exception_inside_the_stream_is_retried_like_any_other_error():
    def throttled(r):
        return 200, {"Content-Type": "application/vnd.amazon.eventstream"}, frame("messageStart", {"role": "assistant"}) + frame(
            "throttlingException", {"message": "Too many requests"}, "exception")
    with Bedrock([throttled, converse("Hello.")]) as home:
        assert "Hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "hi", **ACCOUNT)
        assert len(home.seen) == 2
        check_signed(home.seen[1], ID, SECRET, "eu-west-1")
        log = home.ok("log", "@last", "-o", "jsonl")
        assert "Too many requests" in log and "rate_limited" in log


@test
def a_wrong_clock_is_named_and_secrets_are_not_repeated():
    def expired(r):
        return json_answer(403, {"message": "Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z; you sent "
                                 f"{r.headers['authorization']} {r.headers['x-amz-security-token']} {SECRET}"},
                           **{"x-amzn-ErrorType": "InvalidSignatureException"})
    with Bedrock(expired) as home:
        p = home.type("run", "-m", f"bedrock/{MODEL}", "hi", AWS_SESSION_TOKEN=SESSION, **ACCOUNT)
        assert p.returncode == 3 and "the clock of this machine is wrong" in p.stderr, p
        for text in (p.stdout + p.stderr, home.ok("log", "@last", "-o", "jsonl")):
            assert SECRET not in text and SESSION not in text and ID not in text, text
        home.check_no_canary()


@test
def models_are_listed_and_none_is_a_default():
    def answer(r):
        if r.path.startswith("/inference-profiles"):
            return json_answer(200, {"inferenceProfileSummaries": [{"inferenceProfileId": MODEL, "inferenceProfileName": "Claude X"}]})
        if r.path.startswith("/foundation-models"):
            return json_answer(200, {"modelSummaries": [{"modelId": "meta.llama-x-v1:0"}, {"modelId": "amazon.titan-embed-v2"}]})
        return converse("Hello.")(r)
    with Bedrock(answer) as home:
        home.start_daemon()
        assert home.ok("models", "bedrock", "-q", **ACCOUNT).split() == [f"bedrock/{MODEL}", "bedrock/meta.llama-x-v1:0"]
        for r in home.seen:
            check_signed(r, ID, SECRET, "eu-west-1")
        assert [r.path.split("?")[0] for r in home.seen] == ["/inference-profiles", "/foundation-models"]
        out = home.ok("models", **ACCOUNT)
        assert "key of bedrock: from the environment of this command" in out, out
        assert "scripted model" in home.ok("run", "hi", **ACCOUNT)
        home.ok("serve", "--stop")
        home.ok("ps", **ACCOUNT)
        assert "key of bedrock: AWS_ACCESS_KEY_ID, from the environment of the daemon" in home.ok("models")


@test
def an_account_is_not_used_for_lists_unless_the_provider_is_named():
    def answer(r):
        return json_answer(200, {"inferenceProfileSummaries": [{"inferenceProfileId": MODEL}], "modelSummaries": []}
                           if "profiles" in r.path else {"modelSummaries": []})
    fake = Fake(answer)
    with Home() as home:
        home.fakes = [fake]
        home.env["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = f"http://127.0.0.1:{fake.port}"
        (home.dir / ".aws").mkdir()
        (home.dir / ".aws" / "credentials").write_text(f"[default]\nregion=us-east-1\naws_access_key_id={ID}\naws_secret_access_key={SECRET}\n")
        home.ok("models")
        home.ok("models", **ACCOUNT)
        assert not fake.requests
        assert "bedrock can be asked" in home.ok("doctor")
        out = home.ok("models", "bedrock")
        assert f"bedrock/{MODEL}" in out and f"key of bedrock: from {home.dir}/.aws/credentials, profile default" in out, out
        check_signed(fake.requests[0], ID, SECRET, "us-east-1")


@test
def all_pages_of_the_list_are_asked_for():
    """Marks of pages have characters that an address must not have; each request is signed as it is sent."""
    marks = ["", "a+b/c==&x=1", "é %"]

    def answer(r):
        if "profiles" not in r.path:
            return json_answer(200, {"modelSummaries": []})
        page = marks.index(urllib.parse.parse_qs(r.path.partition("?")[2], keep_blank_values=True).get("nextToken", [""])[0])
        more = {"nextToken": marks[page + 1]} if page + 1 < len(marks) else {}
        return json_answer(200, {"inferenceProfileSummaries": [{"inferenceProfileId": f"us.example.page{page}-{n}-v1:0"} for n in range(600)], **more})

    fake = Fake(answer)
    with Home() as home:
        home.fakes = [fake]
        home.env["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = f"http://127.0.0.1:{fake.port}"
        out = home.ok("models", "bedrock", **ACCOUNT)
        assert all(f"bedrock/us.example.page{page}-{n}-v1:0" in out for page in range(3) for n in (0, 599)), out[-2000:]
        assert len(fake.requests) == 4, [r.path for r in fake.requests]
        for r in fake.requests:
            check_signed(r, ID, SECRET, "eu-west-1")


@test
def a_list_without_an_end_is_cut():
    fake = Fake(lambda r: json_answer(200, {"inferenceProfileSummaries": [{"inferenceProfileId": MODEL}], "nextToken": "again"}))
    with Home() as home:
        home.fakes = [fake]
        home.env["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = f"http://127.0.0.1:{fake.port}"
        assert f"bedrock/{MODEL}" in home.ok("models", "bedrock", **ACCOUNT)
        assert len(fake.requests) == 16, len(fake.requests)


@test
def setup_and_doctor_know_the_account():
    def answer(r):
        if r.method == "GET":
            return json_answer(403, {"message": "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:ListInferenceProfiles"})
        return converse("Hello.")(r)
    with Bedrock(answer) as home:
        p = home.type("setup", answers=f"bedrock\n{MODEL}\n\n", **ACCOUNT)
        assert p.returncode == 0, p.stderr
        settings = json.loads((home.dir / ".config" / "thole" / "config.json").read_text())
        assert settings["model"] == f"bedrock/{MODEL}", settings
        home.ok("serve", "--stop")
        assert "Hello." in home.ok("hi", **ACCOUNT)
        assert "bedrock can be asked" in home.ok("doctor", **ACCOUNT)
        home.check_no_canary()


@test
def an_address_counts_only_with_a_credential_of_the_same_side():
    mine, evil = Fake(converse("Hello.")), Fake(converse("Hello."))
    name, (own, other) = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", (f"http://127.0.0.1:{f.port}" for f in (mine, evil))
    with Home() as home:
        home.fakes = [mine, evil]
        home.ok("ps", **{name: own}, **ACCOUNT)
        # The daemon's own account stays at its address, and a client's part does not join it.
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi", AWS_SESSION_TOKEN=SESSION, **{name: other})
        check_signed(mine.requests[0], ID, SECRET, "eu-west-1")
        # Nor does a second client turn the first one's account elsewhere.
        home.ok("run", "-m", f"bedrock/{MODEL}", "hi", **{name: own, **ACCOUNT, "AWS_ACCESS_KEY_ID": "AKIAOTHER"})
        home.ok("run", "-s", "@last", "hi", **{name: other})
        check_signed(mine.requests[2], "AKIAOTHER", SECRET, "eu-west-1")
        assert len(mine.requests) == 3 and not evil.requests


# ---- Vertex ----

def says(r):
    return sse({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}})


class Vertex(Home):
    def __init__(self, answer, google=None, **more):
        super().__init__()
        self.google = google or Google()
        self.fakes = [Fake(answer), self.google.server]
        self.env["THOLE_PROVIDERS"] = json.dumps({"vertex": {"baseUrl": f"http://127.0.0.1:{self.fakes[0].port}/v1", **more}})
        self.env["GOOGLE_CLOUD_LOCATION"] = "europe-west1"

    def __exit__(self, *error):
        super().__exit__(*error)
        shutil.rmtree(self.google.dir, ignore_errors=True)

    @property
    def seen(self):
        return self.fakes[0].requests


@test
def a_service_account_gets_a_token_that_turns_share():
    with Vertex(says) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        assert "Hello." in home.ok("run", "-m", "vertex/gemini-x", "hi")
        r = home.seen[0]
        assert r.path == "/v1/projects/file-project/locations/europe-west1/publishers/google/models/gemini-x:streamGenerateContent?alt=sse", r.path
        assert r.headers["authorization"] == "Bearer " + home.google.tokens[0] and "x-goog-api-key" not in r.headers
        assert r.body["contents"] and "model" not in r.body
        home.ok("run", "-s", "@last", "more")
        home.ok("run", "-m", "vertex/gemini-x", "hi", GOOGLE_CLOUD_PROJECT="other")
        assert len(home.google.tokens) == 1 and len(home.seen) == 3
        assert "/projects/file-project/" in home.seen[1].path
        home.check_no_canary()


@test
def claude_is_asked_with_its_version_in_the_body():
    with Vertex(message("Hello.")) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        home.env["GOOGLE_CLOUD_LOCATION"] = "global"
        assert "Hello." in home.ok("run", "-m", "vertex/claude-x@20260101", "hi")
        r = home.seen[0]
        assert r.path == "/v1/projects/file-project/locations/global/publishers/anthropic/models/claude-x@20260101:streamRawPredict", r.path
        assert r.body["anthropic_version"] == "vertex-2023-10-16" and "model" not in r.body and r.body["stream"] is True, r.body.keys()
        assert "anthropic-version" not in r.headers and "x-api-key" not in r.headers, r.headers


@test
def a_running_daemon_gets_the_file_of_a_client():
    with Vertex(says) as home:
        del home.env["GOOGLE_CLOUD_LOCATION"]
        home.start_daemon()
        home.ok("run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=home.google.service_account(), GOOGLE_CLOUD_LOCATION="us-east5")
        assert "/locations/us-east5/" in home.seen[0].path
        out = home.ok("models", GOOGLE_APPLICATION_CREDENTIALS=home.google.service_account())
        assert "scripted" in out
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi")
        assert "GOOGLE_APPLICATION_CREDENTIALS" in why and "auth add" not in why, why


@test
def the_login_of_gcloud_is_used():
    with Vertex(says) as home:
        home.google.user(home.dir / ".config" / "gcloud" / "application_default_credentials.json")
        home.ok("run", "-m", "vertex/gemini-x", "hi")
        assert home.google.forms == [{"grant_type": "refresh_token", "client_id": "id.apps", "client_secret": "canary-client-secret",
                                      "refresh_token": "1//canary-refresh"}], home.google.forms
        assert home.seen[0].headers["x-goog-user-project"] == "user-project" and "/projects/user-project/" in home.seen[0].path
        home.check_no_canary(but=["application_default_credentials.json"])


@test
def the_metadata_server_is_used_where_it_is_named():
    with Vertex(says, project="p-1") as home:
        home.ok("run", "-m", "vertex/gemini-x", "hi", GCE_METADATA_HOST=f"127.0.0.1:{home.google.server.port}")
        assert home.seen[0].headers["authorization"] == "Bearer " + home.google.tokens[0] and "/projects/p-1/" in home.seen[0].path


@test
def the_metadata_server_is_asked_without_the_proxy():
    # 127.0.0.2 is none of the names of this machine that never go through a proxy.
    proxy, metadata = (Fake(lambda r, t=t: json_answer(200, {"access_token": t, "expires_in": 60}), host=h)
                       for t, h in (("by-proxy", "127.0.0.1"), ("direct", "127.0.0.2")))
    with Vertex(says, project="p-1") as home:
        home.fakes += [proxy, metadata]
        home.env["HTTP_PROXY"] = f"http://127.0.0.1:{proxy.port}"
        home.ok("run", "-m", "vertex/gemini-x", "hi", GCE_METADATA_HOST=f"127.0.0.2:{metadata.port}")
        assert home.seen[0].headers["authorization"] == "Bearer direct" and not proxy.requests


@test
def a_relative_path_is_that_of_the_command():
    with Vertex(says) as home:
        home.start_daemon()
        there = home.dir / "there"
        there.mkdir()
        shutil.copy(home.google.service_account(), there / "key.json")
        p = subprocess.run([THOLE, "run", "-m", "vertex/gemini-x", "hi"], cwd=there, capture_output=True, text=True, timeout=DEADLINE_S,
                           stdin=subprocess.DEVNULL, env={**home.env, "GOOGLE_APPLICATION_CREDENTIALS": "key.json"})
        assert p.returncode == 0 and "Hello." in p.stdout, p


@test
def a_key_is_never_sent_beside_a_token():
    with Vertex(says, keyEnv="MY_KEY") as home:
        assert "providers.vertex.keyEnv does not belong to its dialect" in home.type("run", "-m", "vertex/gemini-x", "hi").stderr
    with Vertex(says) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        (home.dir / "data" / "keys").mkdir(parents=True, mode=0o700)
        (home.dir / "data" / "keys" / "vertex").write_text("other-key\n")
        (home.dir / "data" / "keys" / "vertex").chmod(0o600)
        home.ok("run", "-m", "vertex/gemini-x", "hi")
        assert home.seen[0].headers["authorization"] == "Bearer " + home.google.tokens[0] and home.seen[0].names.count("authorization") == 1


@test
def a_token_that_expires_is_replaced_in_the_middle_of_a_turn():
    def calls(r):
        return sse({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {"path": "README"}}}]},
                                    "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1}})
    with Vertex([calls, says], Google(expires=0)) as home:
        (home.dir / "README").write_text("hello\n")
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        assert "Hello." in home.ok("run", "-m", "vertex/gemini-x", "hi")
        assert [r.headers["authorization"].split()[1] for r in home.seen] == home.google.tokens and len(home.google.tokens) == 2


@test
def a_refused_token_is_renewed_once():
    def only(good):
        def answer(r):
            return says(r) if good and r.headers["authorization"].endswith(good) else json_answer(
                401, {"error": {"code": 401, "message": "bad " + r.headers["authorization"], "status": "UNAUTHENTICATED"}})
        return answer
    with Vertex(only("token-2")) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        assert "Hello." in home.ok("run", "-m", "vertex/gemini-x", "hi")
        assert len(home.seen) == 2 and home.seen[0].raw == home.seen[1].raw
        assert len(home.google.tokens) == 2
    with Vertex(only(None)) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        p = home.type("run", "-m", "vertex/gemini-x", "hi")
        assert p.returncode == 3 and len(home.seen) == 2 and "canary" not in p.stdout + p.stderr, (p, len(home.seen))
        home.check_no_canary()


@test
def what_google_refuses_is_explained_without_secrets():
    with Vertex(says, Google(refuse="invalid_grant")) as home:
        home.google.user(home.dir / ".config" / "gcloud" / "application_default_credentials.json")
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi")
        assert "invalid_grant" in why and "gcloud auth application-default login" in why and "canary" not in why, why
        home.check_no_canary(but=["application_default_credentials.json"])
        for text, word in (('{"type": "external_account"}', '"external_account" are not known'), ("[]", "not a JSON object"),
                           ('{"type": "service_account"}', "not complete")):
            (home.dir / "odd.json").write_text(text)
            why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=str(home.dir / "odd.json"))
            assert word in why and "odd.json" in why, why
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=str(home.dir / "none.json"))
        assert "none.json" in why, why
        file = home.google.service_account(token_uri="http://example.com/token")
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=file)
        assert "token_uri does not begin with https://" in why, why
        file = home.google.service_account(private_key="-----BEGIN PRIVATE KEY-----\nno\n-----END PRIVATE KEY-----\n")
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=file)
        assert "its private key cannot be used" in why, why
        del home.env["GOOGLE_CLOUD_LOCATION"]
        home.ok("serve", "--stop")
        why = home.fails(3, "run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=home.google.service_account())
        assert "there is no location; set GOOGLE_CLOUD_LOCATION" in why, why
        assert not home.seen


@test
def a_thousand_turns_share_one_request_for_a_token():
    count = 1000
    with Vertex(says, Google()) as home:
        home.env["GOOGLE_APPLICATION_CREDENTIALS"] = home.google.service_account()
        home.start_daemon()
        conn = http.client.HTTPConnection("localhost", timeout=DEADLINE_S)
        conn.sock = socket.socket(socket.AF_UNIX)
        conn.sock.connect(str(home.dir / "data" / "socket"))
        for i in range(count):
            conn.request("POST", "/v1/commands/submit_turn", json.dumps({
                "sessionId": f"sess_{i}", "input": "hi", "model": "vertex/gemini-x", "cwd": str(home.dir)}),
                {"Content-Type": "application/json"})
            reply = conn.getresponse()
            body = reply.read()
            assert reply.status == 202, body
        until("a thousand requests", lambda: len(home.seen) == count)
        assert len(home.google.tokens) == 1, len(home.google.tokens)
        assert {r.headers["authorization"] for r in home.seen} == {"Bearer " + home.google.tokens[0]}


# ---- proxy ----

@test
def a_proxy_and_a_certificate_file_work_for_both():
    hosts = ["bedrock-runtime.eu-west-1.amazonaws.com", "europe-west1-aiplatform.googleapis.com", "aiplatform.googleapis.com",
             "aiplatform.eu.rep.googleapis.com", "oauth2.googleapis.com"]
    directory, google = tempfile.mkdtemp(prefix="thole-proxy-"), Google()

    def reply(line):
        if "/token" in line:
            return json_answer(200, {"access_token": "ya29.canary", "expires_in": 3600})
        return converse("Hello.")(None) if "/converse-stream" in line else says(None)
    proxy = Proxy(directory, reply, hosts)
    try:
        with Home() as home:
            home.env.update(HTTPS_PROXY=f"http://127.0.0.1:{proxy.port}", SSL_CERT_FILE=proxy.ca)
            assert "Hello." in home.ok("run", "-m", f"bedrock/{MODEL}", "hi", **ACCOUNT)
            for location in ("europe-west1", "global", "eu"):
                file = google.service_account(token_uri="https://oauth2.googleapis.com/token")
                assert "Hello." in home.ok("run", "-m", "vertex/gemini-x", "hi", GOOGLE_APPLICATION_CREDENTIALS=file, GOOGLE_CLOUD_LOCATION=location)
        assert sorted({a.removesuffix(":443") for a in proxy.asked}) == sorted(hosts), proxy.asked
        # What is signed is the name of the host, without a port.
        line, headers, body = next(s for s in proxy.seen if "/converse-stream" in s[0])
        assert headers["host"] == hosts[0]
        signed = type("Signed", (), {"method": "POST", "path": line, "headers": headers, "raw": body})
        check_signed(signed, ID, SECRET, "eu-west-1")
    finally:
        proxy.close()
        google.close()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(google.dir, ignore_errors=True)


def main():
    words = sys.argv[2:]
    chosen = [t for t in tests if not words or any(w in t.__name__ for w in words)]
    failed = 0
    for number, t in enumerate(chosen, 1):
        name = t.__name__.replace("_", " ")
        try:
            t()
            print(f"ok {number} - cloud: {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - cloud: {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print("# " + line, flush=True)
    print(f"1..{len(chosen)}")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(main())
