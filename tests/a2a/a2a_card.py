"""Messages as replies, extensions of the protocol, and signatures of cards, on both sides."""
import base64
import http.client
import json
import os
import shutil
import subprocess

from a2a_delegate import delegate, ended, reaches, thole
from a2a_fixture import DEADLINE_S, HERE, Refused, Rest, Rpc, World, Wrong, message, state_of, text_of, until
from fake_agent import FakeAgent
from tap import Skip

tests = []
EXTENSION = "https://example.org/extensions/citations/v1"
OTHER = "urn:example:other"
REQUIRED = "a2a.extensions=" + json.dumps({EXTENSION: {"description": "Names sources.", "required": True, "params": {"depth": 2}}, OTHER: {}})


def test(f):
    tests.append(f)
    return f


def both(*options):
    """The same test on each binding."""
    def add(f):
        for binding, word in ((Rpc, "json_rpc"), (Rest, "http_json")):
            def run(binding=binding):
                with World(options=options) as w:
                    f(w, binding(w, w.token("peer")))
            run.__name__ = f"{f.__name__}_over_{word}"
            tests.append(run)
        return f
    return add


def cli(w, *words):
    r = subprocess.run([os.path.join(World.build, "thole"), *words, "--data", w.data], capture_output=True, text=True, timeout=DEADLINE_S,
                       env={**os.environ, "XDG_CONFIG_HOME": w.data + ".config"})
    if r.returncode:
        raise Wrong(f"thole {' '.join(words)}: {r.stderr}")
    return r.stdout


def card_of(w):
    c = http.client.HTTPConnection("127.0.0.1", w.daemon.port, timeout=DEADLINE_S)
    c.request("GET", "/.well-known/agent-card.json")
    return json.loads(c.getresponse().read())


def items_of(p, text, id, **more):
    """Of a stream that may begin with a message."""
    c, r = p.open("SendStreamingMessage", message(text, id, **more))
    return [p.unwrap(json.loads(line[6:]), "SendStreamingMessage") for line in r.read().splitlines() if line.startswith(b"data: ")]


def ready(p):
    try:
        return p.call("ListTasks", {})
    except (Refused, OSError):
        return None


# ---- messages as replies -----------------------------------------------------------------------------

@both('a2a.direct=["quick-*"]')
def a_plain_answer_may_be_a_message(w, p):
    reply = p.call("SendMessage", message("hello", "quick-1"))
    said = reply["message"]
    assert list(reply) == ["message"] and said["role"] == "ROLE_AGENT" and "taskId" not in said, reply
    assert said["parts"] == [{"text": "answer to hello"}], said
    # The same message again is the same reply, also after a kill.
    assert p.call("SendMessage", message("hello", "quick-1")) == reply
    w.restart()
    until("the runtime knows its tokens", lambda: ready(p))
    assert p.call("SendMessage", message("hello", "quick-1")) == reply
    # The context continues, and the turn has its task as every other.
    more = p.call("SendMessage", message("more", "quick-2", contextId=said["contextId"]))["message"]
    assert more["contextId"] == said["contextId"] and more["messageId"] != said["messageId"], more
    assert p.send("hello", "slow-1")["status"]["state"] == "TASK_STATE_COMPLETED"
    tasks = p.call("ListTasks", {"contextId": said["contextId"]})["tasks"]
    assert [state_of(t) for t in tasks] == ["COMPLETED"] * 2, tasks


@both('a2a.direct=["quick-*"]')
def the_stream_of_a_plain_answer_is_one_message(w, p):
    items = items_of(p, "words", "quick-1")
    assert [list(i) for i in items] == [["message"]], items
    assert items[0]["message"]["parts"][0]["text"].startswith("one two three"), items
    assert items_of(p, "words", "quick-1") == items


@both('a2a.direct=["*"]', "tools.enabled=true", "permission.mode=bypass")
def what_is_more_than_a_text_stays_a_task(w, p):
    assert state_of(p.send("which")) == "INPUT_REQUIRED"
    assert state_of(p.send("broken")) == "FAILED" and state_of(p.send("refuse")) == "REJECTED"
    assert state_of(p.send("hang", configuration={"returnImmediately": True})) in ("SUBMITTED", "WORKING")
    for text, last in (("which", "INPUT_REQUIRED"), ("broken", "FAILED"), ("report", "COMPLETED")):
        s = p.send(text, streams=True)
        first = next(s)
        states = [state_of(first["task"])]
        while states[-1] != last:
            states += [state_of(i["statusUpdate"]) for i in [next(s)] if "statusUpdate" in i]
        if text == "which":  # the stream continues behind the question
            p.send("left", taskId=first["task"]["id"])
            assert state_of([i for i in s.rest() if "statusUpdate" in i][-1]["statusUpdate"]) == "COMPLETED"
        s.close()


@test
def a_direct_stream_says_at_once_that_it_lives_and_a_peer_may_leave():
    with World(options=['a2a.direct=["*"]']) as w:
        p = w.rest()
        c, r = p.open("SendStreamingMessage", message("hang", "m-1"))
        assert r.status == 200 and r.getheader("Content-Type") == "text/event-stream"
        c.close()
        again = p.call("SendMessage", {**message("hang", "m-1"), "configuration": {"returnImmediately": True}})["task"]
        assert state_of(p.call("CancelTask", {"id": again["id"]})) == "CANCELED"
        assert state_of(p.call("SendMessage", message("hang", "m-1"))["task"]) == "CANCELED"


@test
def the_official_kit_gets_its_message():
    path = HERE.parent.parent / "examples/scripts/a2a-kit.json"
    with World(options=['a2a.direct=["tck-message-response*"]'], script=path.read_text()) as w:
        p = w.rest()
        assert p.call("SendMessage", message("x", "tck-message-response-1"))["message"]["parts"] == [{"text": "Direct message response"}]
        assert [list(i) for i in items_of(p, "x", "tck-message-response-2")] == [["message"]]
        assert text_of(p.send("x", "tck-complete-task-1")) == "Hello from TCK"


# ---- extensions --------------------------------------------------------------------------------------

@both(REQUIRED)
def a_required_extension_must_be_named(w, p):
    assert card_of(w)["capabilities"]["extensions"] == [
        {"uri": EXTENSION, "description": "Names sources.", "required": True, "params": {"depth": 2}}, {"uri": OTHER}]
    for headers in ({}, {"A2A-Extensions": ""}, {"A2A-Extensions": OTHER}, {"A2A-Extensions": EXTENSION + "x"}):
        for method, params in (("SendMessage", message("x")), ("ListTasks", {})):
            try:
                p.call(method, params, headers=headers)
            except Refused as e:
                assert e.reason == "EXTENSION_SUPPORT_REQUIRED" and e.code in (-32008, 400) and EXTENSION in e.message, e
            else:
                raise Wrong(f"{method} without the extension")
    assert w.call("list_sessions")["sessions"] == []
    assert p.call("GetExtendedAgentCard", {})["capabilities"]["extensions"][0]["uri"] == EXTENSION
    c, r = p.open("SendMessage", message("x", "m-1", metadata={EXTENSION: {"sources": 3}}), headers={"A2A-Extensions": f"{EXTENSION} , urn:unknown"})
    task = p.unwrap(json.loads(r.read()), "SendMessage", r.status)["task"]
    assert r.getheader("A2A-Extensions") == EXTENSION, r.headers
    turn = [e for e in w.events(task["metadata"]["thole.sessionId"]) if e["type"] == "turn.submitted"][0]
    assert turn["payload"]["options"]["metadata"]["a2a"] == {"messageId": "m-1", "metadata": {EXTENSION: {"sources": 3}}, "extensions": [EXTENSION]}, turn


@test
def wrong_extensions_stop_the_start():
    for value in ({"no uri": {}}, {"urn:a,b": {}}, {"x": {}}, {"urn:x": 1}, {"urn:x": {"required": "yes"}}, {"urn:x": {"other": 1}}, {"urn:x": {"params": {}}},
                  {f"urn:{i}": {} for i in range(65)}):
        try:
            World(options=["a2a.extensions=" + json.dumps(value)]).daemon.kill()
        except Wrong as e:
            assert "did not come up" in str(e) and "a2a.extensions" in str(e), e
        else:
            raise Wrong(f"it started with {value}")


@test
def an_agent_that_requires_an_extension_needs_one_that_the_settings_name():
    with FakeAgent() as agent:
        agent.more_of_card = {"capabilities": {"streaming": True, "extensions": [{"uri": EXTENSION, "required": True}]}}
        with thole(agent.url) as w:
            peer = w.call("list_peers", check=True)["peers"][0]
            assert peer["status"] == "down" and EXTENSION in peer["detail"], peer
            reaches(w, delegate(w, "x"), "stale")
            assert agent.calls == []
        with thole(agent.url, extensions=[EXTENSION, OTHER]) as w:
            ended(w, delegate(w, "x"))
            sent = [h for path, h in agent.headers if path == "/rpc"]
            assert sent and all(h["A2A-Extensions"] == f"{EXTENSION},{OTHER}" for h in sent), sent


@test
def thole_delegates_to_thole_with_extensions_messages_and_signatures():
    with World(options=[REQUIRED, 'a2a.direct=["*"]']) as far:
        cli(far, "key", "new")
        keys = json.loads(cli(far, "key", "export", "--as", "jwks"))
        url, token = f"http://127.0.0.1:{far.daemon.port}", far.token("thole")
        with thole(url, extensions=[EXTENSION], keys=keys, headers={"Authorization": "Bearer " + token}) as w:
            task = ended(w, delegate(w, "hello"))
            peer = w.call("list_peers", check=True)["peers"][0]
            assert peer["status"] == "ready" and peer["signedBy"] == keys["keys"][0]["kid"], peer
            assert "answer to hello" in json.dumps(task), task


# ---- signatures --------------------------------------------------------------------------------------

def node(*words, **more):
    if not shutil.which("node") or not (HERE / "node_modules/@a2a-js/sdk").exists():
        raise Skip("the official client is not here: npm ci in tests/a2a fetches it")
    r = subprocess.run(["node", *words], cwd=HERE, capture_output=True, text=True, timeout=DEADLINE_S * 2, **more)
    if r.returncode:
        raise Wrong(r.stderr[-3000:] + r.stdout[-500:])
    return json.loads(r.stdout.splitlines()[-1])


def official(binding):
    with World(options=[REQUIRED, 'a2a.direct=["quick-*"]']) as w:
        assert "signatures" not in card_of(w)
        cli(w, "key", "new")
        keys = w.dir / "keys.json"
        cli(w, "key", "export", "--as", "jwks", "-o", str(keys))
        seen = node("card.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("sdk"), binding, str(keys), EXTENSION)
        assert seen["signatures"] == seen["extended"] == 1 and seen["changed"] == "refused", seen
        assert "Extension" in seen["without"] and seen["active"] == EXTENSION, seen
        assert seen["reply"][:3] == [True, "answer to hello", True] and not seen["reply"][3], seen
        assert seen["task"] == "TASK_STATE_COMPLETED" and seen["stream"] == ["message"], seen


@test
def the_official_client_checks_the_card_and_gets_messages_over_json_rpc():
    official("JSONRPC")


@test
def the_official_client_checks_the_card_and_gets_messages_over_http_json():
    official("HTTP+JSON")


@test
def the_card_is_signed_with_the_key_of_the_moment_and_only_if_wanted():
    with World() as w:
        cli(w, "key", "new")
        first = card_of(w)
        assert card_of(w) == first
        cli(w, "key", "rotate")
        second = card_of(w)
        header = lambda c: json.loads(base64.urlsafe_b64decode(c["signatures"][0]["protected"] + "=="))  # noqa: E731
        assert header(first)["kid"] != header(second)["kid"] and header(first)["alg"] == "EdDSA"
        os.unlink(os.path.join(w.data, "sign.key"))
        assert "signatures" not in card_of(w)
    with World(options=["a2a.sign=false"]) as w:
        cli(w, "key", "new")
        assert "signatures" not in card_of(w)


@test
def cards_that_the_official_sdk_signed_are_accepted_and_others_are_not():
    for algorithm in ("ES256", "EdDSA", "RS256"):
        with FakeAgent() as agent:
            made = node("sign.mjs", algorithm, input=json.dumps(agent.card()))
            keys, good = made["keys"], made["card"]
            other = node("sign.mjs", algorithm, input=json.dumps(agent.card()))["card"]
            none = {**good, "alg": "none"}
            none["signatures"] = [{"protected": base64.urlsafe_b64encode(b'{"alg":"none","kid":"the-key"}').decode().rstrip("="), "signature": ""}]
            wrong = [{**good, "description": "changed"}, {**good, "signatures": []}, other, none, {**good, "signatures": "x"},
                     {**good, "signatures": [{"protected": "!", "signature": "!"}] * 9 + good["signatures"]}]
            with thole(agent.url, keys=keys) as w:
                for card in wrong:
                    agent.card_body = json.dumps(card).encode()
                    peer = w.call("list_peers", check=True)["peers"][0]
                    assert peer["status"] == "down" and "not signed with a key" in peer["detail"] and "signedBy" not in peer, (card, peer)
                agent.card_body = json.dumps({**good, "signatures": [{"protected": "e30", "signature": "AA"}, *good["signatures"]]}).encode()
                peer = w.call("list_peers", check=True)["peers"][0]
                assert peer["status"] == "ready" and peer["signedBy"] == "the-key", peer
                ended(w, delegate(w, "x"))


@test
def a_program_may_sign_the_card_and_its_failure_leaves_it_unsigned():
    import tempfile
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{place}/key.pem"], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", f"{place}/key.pem", "-pubout", "-out", f"{place}/public.pem"], check=True, capture_output=True)
        program = f"{place}/sign"
        with open(program, "w") as f:
            f.write(f"#!/bin/sh\n[ -e {place}/broken ] && exit 1\necho run >> {place}/runs\ncat > {place}/text\n"
                    f"exec openssl pkeyutl -sign -rawin -inkey {place}/key.pem -in {place}/text\n")
        os.chmod(program, 0o755)
        with World(options=[f"sign.command={program}", f"sign.public_key={place}/public.pem"]) as w:
            open(f"{place}/broken", "w").close()
            assert "signatures" not in card_of(w)
            os.unlink(f"{place}/broken")
            signed = until("a signed card", lambda: (lambda c: c if "signatures" in c else None)(card_of(w)))
            runs = len(open(f"{place}/runs").readlines())
            assert [card_of(w) for _ in range(20)] == [signed] * 20 and len(open(f"{place}/runs").readlines()) == runs
