#!/usr/bin/env python3
"""Keys, models and set-up as a user types them, with model servers on loopback (fake.py).

usage: setup_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Every key is a canary: after each test neither the data directory nor any file of the home holds one that was only lent.
Prints TAP.
"""
import http.client
import json
import os
import pathlib
import pty
import select
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "lib"))
from fake import Fake, chat, message, sse  # noqa: E402
from home import KEY, THOLE, Home, Proxy  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402
from tap import Skip, play  # noqa: E402

tests = []


def test(f):
    tests.append(f)
    return f


def listing(*names, **more):
    return 200, {"Content-Type": "application/json"}, json.dumps({"data": [{"id": n, **more} for n in names]}).encode()


def server(reply, *names, refuse=False):
    """Answers with reply, lists names; refuse: every key is wrong."""
    def answer(r):
        if refuse:
            return 401, {"Content-Type": "application/json"}, json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
        return listing(*names) if r.handler.command == "GET" else reply(r)
    return Fake(answer)


def text(r):
    return json.dumps(r.body)


# ---- a key in the environment ----

PROVIDERS = {
    "anthropic": ("ANTHROPIC_API_KEY", message("Hello."), "x-api-key", KEY, "claude-sonnet-5-5"),
    "openai": ("OPENAI_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "gpt-6.1-sol"),
    "openrouter": ("OPENROUTER_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "anthropic/claude-sonnet-5.5"),
    "mistral": ("MISTRAL_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "mistral-large-4"),
    "deepseek": ("DEEPSEEK_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "deepseek-v4-pro"),
    "xai": ("XAI_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "grok-4.7"),
    "groq": ("GROQ_API_KEY", chat("Hello."), "authorization", "Bearer " + KEY, "openai/gpt-oss-120b"),
}


def gemini(r):
    return sse({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}})


@test
def a_key_in_the_environment_is_enough_for_each_provider():
    for name, (variable, reply, header, value, model) in PROVIDERS.items():
        with Home(**{name: server(reply)}) as home:
            out = home.ok("say hi", **{variable: KEY})
            seen = home.fakes[0].requests[0]
            assert "Hello." in out and seen.headers[header] == value and seen.body["model"] == model, (name, seen.headers, seen.body)
            home.check_no_canary()


@test
def gemini_takes_either_of_its_variables():
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        with Home(gemini=server(gemini)) as home:
            assert "Hello." in home.ok("say hi", **{variable: KEY})
            seen = home.fakes[0].requests[0]
            assert seen.headers["x-goog-api-key"] == KEY and "/models/gemini-4-argon:" in seen.path, (seen.path, seen.headers)


@test
def a_running_daemon_gets_the_key_of_a_client_for_its_session():
    with Home(anthropic=server(message("Hello."))) as home:
        home.start_daemon()
        assert "scripted model" in home.ok("run", "hi")
        assert "Hello." in home.ok("run", "hi", ANTHROPIC_API_KEY=KEY)
        # The session keeps it; another session does not have it.
        assert "Hello." in home.ok("run", "-s", "@last", "more")
        assert "scripted model" in home.ok("run", "another")
        home.check_no_canary()


@test
def after_a_restart_the_key_is_gone_and_the_turn_says_what_to_do():
    with Home(anthropic=server(message("Hello."))) as home:
        home.start_daemon()
        home.ok("run", "hi", ANTHROPIC_API_KEY=KEY)
        home.ok("serve", "--stop")
        why = home.fails(3, "run", "-s", "@last", "more")
        assert "ANTHROPIC_API_KEY" in why and "thole auth add anthropic" in why, why
        assert "Hello." in home.ok("run", "-s", "@last", "more", ANTHROPIC_API_KEY=KEY)


@test
def a_key_is_in_no_event_log_child_or_message():
    def quotes(r):
        return 400, {"Content-Type": "application/json"}, json.dumps(
            {"type": "error", "error": {"type": "invalid_request_error", "message": f"you sent {r.headers['x-api-key']}"}}).encode()
    with Home(anthropic=Fake(quotes)) as home:
        home.start_daemon()
        p = home.type("run", "hi", ANTHROPIC_API_KEY=KEY)
        assert p.returncode == 7 and KEY not in p.stdout + p.stderr, p
        assert KEY not in home.ok("log", "@last", "-o", "jsonl")
        home.check_no_canary()
        pid = (home.dir / "data" / "lock").read_text().strip()
        for proc in [pid] + [c for t in os.listdir(f"/proc/{pid}/task")
                             for c in pathlib.Path(f"/proc/{pid}/task/{t}/children").read_text().split()]:
            assert KEY.encode() not in pathlib.Path(f"/proc/{proc}/environ").read_bytes(), proc


@test
def only_the_owners_unix_socket_takes_keys():
    with Home(anthropic=server(message("Hello."))) as home:
        daemon = subprocess.Popen([THOLE, "serve", "--listen", "127.0.0.1:0"], env=home.env, stderr=subprocess.PIPE, text=True)
        try:
            line = daemon.stderr.readline()
            port = int(line.split("127.0.0.1:")[1].split()[0].rstrip("/,"))
            body = json.dumps({"keys": {"ANTHROPIC_API_KEY": KEY}})
            token = home.ok("token").strip()
            tcp = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
            tcp.request("POST", "/v1/commands/lend_keys", body, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
            reply = tcp.getresponse()
            problem = json.loads(reply.read())
            assert reply.status == 403 and problem["code"] == "forbidden" and KEY not in json.dumps(problem), problem
            local = http.client.HTTPConnection("localhost", timeout=DEADLINE_S)
            local.sock = socket.socket(socket.AF_UNIX)
            local.sock.connect(str(home.dir / "data" / "socket"))
            local.request("POST", "/v1/commands/lend_keys", body, {"Content-Type": "application/json"})
            assert local.getresponse().status == 403
            # The same socket with JSON-RPC takes it; a wrong shape changes nothing.
            rpc = socket.socket(socket.AF_UNIX)
            rpc.connect(str(home.dir / "data" / "socket"))
            f = rpc.makefile("rw")
            for params, good in (({"keys": {"PATH": KEY}}, False), ({"keys": {"ANTHROPIC_API_KEY": "two words"}}, False),
                                 ({"keys": []}, False), (json.loads(body), True)):
                f.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "lend_keys", "params": params}) + "\n")
                f.flush()
                reply = json.loads(f.readline())
                assert ("result" in reply) == good and KEY not in json.dumps(reply), reply
        finally:
            daemon.terminate()
            daemon.wait()
            daemon.stderr.close()
        home.check_no_canary()


@test
def here_uses_the_keys_of_auth_add():
    with Home(anthropic=server(message("Hello."))) as home:
        home.ok("auth", "add", "anthropic", answers=KEY + "\n")
        assert "Hello." in home.ok("run", "--here", "hi")
        home.check_no_canary(but=["keys/anthropic"])


# ---- models ----

@test
def models_come_from_the_provider_and_the_table_adds_prices():
    with Home(anthropic=server(message("Hello."), "claude-opus-5-5", "claude-next-1", "claude-sonnet-5-5-20260901")) as home:
        rows = {r["model"]: r for r in json.loads(home.ok("models", "anthropic", "-o", "json", ANTHROPIC_API_KEY=KEY))}
        assert rows["claude-sonnet-5-5"]["price"]["source"] == "catalog" and rows["claude-sonnet-5-5"]["isDefault"], rows
        assert rows["claude-next-1"]["priceState"] == "unknown" and "claude-haiku-5-5" not in rows, rows
        asked = len(home.fakes[0].requests)
        home.ok("models", ANTHROPIC_API_KEY=KEY)
        assert len(home.fakes[0].requests) == asked, "the list is kept"
        home.ok("models", "--refresh", ANTHROPIC_API_KEY=KEY)
        assert len(home.fakes[0].requests) == asked + 1
        home.ok("serve", "--stop")
        home.ok("models", ANTHROPIC_API_KEY=KEY)
        assert len(home.fakes[0].requests) == asked + 1, "it is kept between runs"


@test
def models_say_where_each_key_came_from():
    with Home(anthropic=server(message("."), "claude-sonnet-5-5"), groq=server(chat("."), "openai/gpt-oss-120b"),
              xai=server(chat("."), "grok-4.7")) as home:
        home.ok("auth", "add", "xai", answers=KEY + "\n")
        home.ok("ps", GROQ_API_KEY=KEY)     # starts the daemon
        out = home.ok("models", ANTHROPIC_API_KEY=KEY)
        assert "key of anthropic: from the environment of this command" in out, out
        assert "key of groq: GROQ_API_KEY, from the environment of the daemon" in out, out
        assert "key of xai: kept by `thole auth add`" in out, out


@test
def an_unlisted_model_is_asked_by_name():
    with Home(anthropic=server(message("Hello."))) as home:
        p = home.type("run", "-m", "anthropic/claude-next-2", "hi", ANTHROPIC_API_KEY=KEY)
        assert p.returncode == 0 and home.fakes[0].requests[0].body["model"] == "claude-next-2" and "cost unknown" in p.stderr, p


@test
def a_model_with_nothing_set_up_points_to_setup_and_leaves_no_session():
    with Home() as home:
        home.ok("run", "hello")
        before = home.sessions()
        why = home.fails(3, "run", "-m", "anthropic/claude-sonnet-5-5", "hi")
        assert "There is no key for anthropic" in why and "thole setup" in why, why
        why = home.fails(3, "run", "-m", "nonsense", "hi")
        assert "There is no model nonsense" in why and "thole setup" in why, why
        assert home.sessions() == before


@test
def a_cap_on_a_model_without_a_price_is_refused():
    with Home(anthropic=server(message("Hello."))) as home:
        why = home.fails(6, "run", "--budget-usd", "1", "-m", "anthropic/claude-next-2", "hi", ANTHROPIC_API_KEY=KEY)
        assert "price of anthropic/claude-next-2 is not known" in why and "prices" in why, why
        assert not home.fakes[0].requests
        home.ok("run", "--budget-usd", "1", "hi", ANTHROPIC_API_KEY=KEY)


@test
def a_price_of_the_settings_replaces_that_of_the_table():
    with Home(anthropic=server(message("Hello."), "claude-sonnet-5-5")) as home:
        home.env["THOLE_PRICES"] = json.dumps({"anthropic/claude-sonnet-5-5": {"inputPerMTok": 7, "outputPerMTok": 8}})
        row = json.loads(home.ok("models", "anthropic", "-o", "json", ANTHROPIC_API_KEY=KEY))[0]
        assert row["price"]["inputPerMTok"] == 7 and row["price"]["source"] == "table", row


# ---- setup ----

@test
def setup_takes_its_answers_from_a_pipe():
    with Home(anthropic=server(message("Hello."), "claude-sonnet-5-5", "claude-opus-5-5")) as home:
        home.ok("setup", answers=f"anthropic\n{KEY}\n2\non_request\n")
        settings = json.loads((home.dir / ".config/thole/config.json").read_text())
        assert settings == {"model": "anthropic/claude-opus-5-5", "permission.mode": "on_request"}, settings
        assert (home.dir / "data/keys/anthropic").stat().st_mode & 0o777 == 0o600
        assert "Hello." in home.ok("run", "hi") and home.fakes[0].requests[-1].body["model"] == "claude-opus-5-5"
        home.check_no_canary(but=["keys/anthropic"])


@test
def setup_keeps_what_the_settings_say_already():
    with Home(anthropic=server(message("Hello."), "claude-sonnet-5-5")) as home:
        path = home.dir / ".config/thole/config.json"
        path.parent.mkdir(parents=True)
        path.write_text('{"permission": {"mode": "plan", "interactive": true}, "output.keep_days": 3, "model": "old"}')
        home.ok("setup", answers="anthropic\n\ndefault\n", ANTHROPIC_API_KEY=KEY)
        assert json.loads(path.read_text()) == {"output.keep_days": 3, "permission": {"interactive": True},
                                                "model": "anthropic/claude-sonnet-5-5", "permission.mode": "default"}, path.read_text()
        path.write_text('{ /* mine */ }')
        why = home.fails(3, "setup", answers="anthropic\n\ndefault\n", ANTHROPIC_API_KEY=KEY)
        assert "left as it is" in why and '"model": "anthropic/claude-sonnet-5-5"' in why and "mine" in path.read_text(), why
        long = json.dumps({"context.instructions": "y" * (1300 << 10)})
        path.write_text(long)
        home.fails(3, "setup", answers="anthropic\n\ndefault\n", ANTHROPIC_API_KEY=KEY)
        assert path.read_text() == long


@test
def setup_says_what_to_do_about_each_failure():
    with Home(anthropic=server(message("."), refuse=True)) as home:
        why = home.fails(3, "setup", answers=f"anthropic\n{KEY}\n")
        assert "key was refused" in why and "Nothing was changed" in why and KEY not in why, why
        assert not (home.dir / ".config").exists() and not (home.dir / "data/keys").exists()
        assert "no provider nowhere" in home.fails(2, "setup", answers="nowhere\n")
        assert "There is no key" in home.fails(3, "setup", answers="anthropic\n\n")
    with Home(anthropic=server(message("."), "claude-sonnet-5-5")) as home:
        home.fakes[0].close()
        why = home.fails(7, "setup", answers=f"anthropic\n{KEY}\n")
        assert "HTTPS_PROXY" in why, why
        home.check_no_canary()
        home.fakes.clear()


@test
def setup_in_a_terminal_does_not_show_the_key():
    with Home(anthropic=server(message("Hello."), "claude-sonnet-5-5")) as home:
        pid, fd = pty.fork()
        if not pid:
            os.chdir(home.dir)
            os.execve(THOLE, [THOLE, "setup"], home.env)
        seen = b""

        def wait_for(text):
            def look():
                nonlocal seen
                while select.select([fd], [], [], 0)[0]:
                    try:
                        part = os.read(fd, 4096)
                    except OSError:
                        part = b""
                    if not part:
                        break
                    seen += part
                return text in seen
            until(lambda: f"{text} in {seen}", look)

        for prompt, answer in ((b"Provider [", b"anthropic"), (b"not shown): ", KEY.encode()), (b"Model [", b""), (b"Mode [", b"1")):
            wait_for(prompt)
            os.write(fd, answer + b"\n")
        wait_for(b"Ready.")
        os.waitpid(pid, 0)
        os.close(fd)
        assert KEY.encode() not in seen, seen
        assert json.loads((home.dir / ".config/thole/config.json").read_text())["model"] == "anthropic/claude-sonnet-5-5"


# ---- local servers ----

def ollama(r):
    if r.handler.command == "GET":
        return 200, {"Content-Type": "application/json"}, json.dumps({"models": [{"name": "qwen:7b"}]}).encode()
    return 200, {"Content-Type": "application/x-ndjson"}, json.dumps(
        {"message": {"role": "assistant", "content": "Hello from here."}, "done": True, "done_reason": "stop",
         "prompt_eval_count": 5, "eval_count": 3}).encode() + b"\n"

def in_own_network(name):
    """Runs a test of this file again, in a network that no other daemon can reach."""
    own = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*own, "ip", "link", "set", "lo", "up"], capture_output=True).returncode != 0:
        raise Skip("no network namespace with loopback on this machine")
    words = [*own, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, __file__, sys.argv[1], name]
    p = subprocess.run(words, env={**os.environ, "THOLE_OWN_NETWORK": "1"}, capture_output=True, text=True, timeout=DEADLINE_S)
    assert p.returncode == 0, p.stdout + p.stderr


@test
def a_local_server_is_found_on_its_port():
    """Every daemon on the machine would find it there, that of another test too, and take its model for the default one."""
    if "THOLE_OWN_NETWORK" not in os.environ:
        in_own_network("a_local_server_is_found_on_its_port")
        return
    with Home() as home:
        home.fakes.append(Fake(ollama, port=11434))
        home.env["THOLE_MODELS_LOCAL"] = "true"
        assert "Hello from here." in home.ok("run", "hi")
        out = home.ok("models")
        assert "ollama/qwen:7b *" in out and "key of ollama: needs none" in out, out


# ---- proxy ----

HOSTS = ("api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "openrouter.ai", "api.mistral.ai", "api.deepseek.com",
         "api.x.ai", "api.groq.com")


def responses(line):
    return sse({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hello."},
               {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [
                   {"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}],
                   "usage": {"input_tokens": 10, "output_tokens": 5}}})


def reply_by_path(line):
    if "/messages" in line:
        return message("Hello.")(None)
    if ":streamGenerateContent" in line:
        return gemini(None)
    return responses(line) if "/responses" in line else chat("Hello.")(None)


@test
def a_proxy_and_a_certificate_file_work_for_every_provider_without_settings():
    directory = tempfile.mkdtemp(prefix="thole-proxy-")
    proxy = Proxy(directory, reply_by_path, HOSTS)
    variables = [v[0] for v in PROVIDERS.values()] + ["GEMINI_API_KEY"]
    try:
        for variable in variables:
            with Home() as home:
                env = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}", "SSL_CERT_FILE": proxy.ca, variable: KEY}
                assert "Hello." in home.ok("say hi", **env), variable
        assert sorted({a.split(":")[0] for a in proxy.asked}) == sorted(HOSTS), proxy.asked
        assert all(a.endswith(":443") for a in proxy.asked), proxy.asked
        with Home() as home:    # the same by settings; a wrong authority is refused
            home.env.update(THOLE_HTTP_PROXY=f"http://127.0.0.1:{proxy.port}", THOLE_HTTP_CA_FILE=proxy.ca)
            assert "Hello." in home.ok("say hi", ANTHROPIC_API_KEY=KEY)
            home.ok("serve", "--stop")
            del home.env["THOLE_HTTP_CA_FILE"]
            home.fails(7, "say hi", ANTHROPIC_API_KEY=KEY)
        with Home(anthropic=server(message("Direct."))) as home:    # this machine never goes through it
            assert "Direct." in home.ok("say hi", ANTHROPIC_API_KEY=KEY, HTTP_PROXY=f"http://127.0.0.1:{proxy.port}")
    finally:
        proxy.close()
        shutil.rmtree(directory, ignore_errors=True)


@test
def no_proxy_names_hosts_that_are_asked_directly():
    # 127.0.0.2 is none of the names of this machine that never go through a proxy.
    proxy, direct = Fake(message("By the proxy.")), Fake(message("Direct."), host="127.0.0.2")
    settings = {"anthropic": {"baseUrl": f"http://127.0.0.2:{direct.port}/v1"}}
    try:
        for env, answer in (({}, "By the proxy."), ({"NO_PROXY": "example.com"}, "By the proxy."), ({"NO_PROXY": "example.com,127.0.0.2"}, "Direct."),
                            ({"no_proxy": "127.0.0.2"}, "Direct."), ({"NO_PROXY": "*"}, "Direct."),
                            ({"THOLE_HTTP_NO_PROXY": '["127.0.0.2"]', "NO_PROXY": "example.com"}, "Direct.")):
            with Home() as home:
                home.env.update(THOLE_PROVIDERS=json.dumps(settings), HTTP_PROXY=f"http://127.0.0.1:{proxy.port}", **env)
                assert answer in home.ok("say hi", ANTHROPIC_API_KEY=KEY), env
        assert {r.path for r in proxy.requests} == {f"http://127.0.0.2:{direct.port}/v1/messages"}, proxy.requests[0].path
    finally:
        proxy.close()
        direct.close()


@test
def the_address_of_a_vendor_comes_from_its_own_variable():
    for name, variable, key, behind, path, reply in (
            ("anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "", "/v1/messages", message("Hello.")),
            ("openai", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1", "/v1/responses", lambda r: responses(""))):
        fake, other = server(reply, "m-1"), server(reply, "m-1")
        url = f"http://127.0.0.1:{fake.port}{behind}"
        with Home() as home:
            home.fakes += [fake, other]
            # The daemon runs without it: it is handed over with the key, for that session.
            home.start_daemon()
            assert "Hello." in home.ok("say hi", **{variable: url + "/", key: KEY})
            assert fake.requests[0].path == path, fake.requests[0].path
            out = home.ok("models", name, **{variable: url, key: KEY})
            assert f"address of {name}: http://127.0.0.1:{fake.port}/v1, from {variable}" in out, out
            # Its list is not everyone's.
            assert f"{name}/m-1" not in out and not (home.dir / "data" / "models" / f"{name}.json").exists(), out
            home.ok("serve", "--stop")
            # The daemon has it; a client with another has its own.
            home.env[variable] = url
            home.start_daemon()
            assert f"address of {name}: http://127.0.0.1:{fake.port}/v1" in home.ok("models", name, **{key: KEY})
            assert "Hello." in home.ok("say hi", **{variable: f"http://127.0.0.1:{other.port}{behind}", key: KEY})
            assert [r.path for r in other.requests] == [path]
            assert f"{name}/m-1" in home.ok("models", name, **{key: KEY})
            home.ok("serve", "--stop")
            # The settings count before it.
            home.env["THOLE_PROVIDERS"] = json.dumps({name: {"baseUrl": f"http://127.0.0.1:{other.port}/v2", "dialect": "anthropic"}})
            before = len(fake.requests)
            home.type("say hi", **{key: KEY})
            assert len(fake.requests) == before and other.requests[-1].path == "/v2/messages", other.requests[-1].path
            assert "address of" not in home.ok("models", name, **{key: KEY})
            home.check_no_canary()


@test
def an_address_of_a_variable_serves_the_key_of_the_same_environment_only():
    own, evil = server(message("Hello."), "m-1"), server(message("Evil."), "m-2")
    at = {f: f"http://127.0.0.1:{f.port}" for f in (own, evil)}
    with Home() as home:
        home.fakes += [own, evil]
        home.ok("ps", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=at[own])
        # A client with an address alone gets the daemon's key sent nowhere else.
        assert "Hello." in home.ok("say hi", ANTHROPIC_BASE_URL=at[evil])
        home.ok("models", "anthropic", ANTHROPIC_BASE_URL=at[evil])
        assert not evil.requests
        # A client's key is not sent to the daemon's address, but to the vendor's.
        assert "address of" not in home.ok("models", ANTHROPIC_API_KEY="sk-canary-other")
        home.ok("serve", "--stop")
        # A password in the address is not written to the list of models.
        home.ok("ps", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=at[own].replace("//", "//me:canary-pass@"))
        assert "anthropic/m-1" in home.ok("models", "anthropic", "--refresh")
        home.ok("serve", "--stop")
        home.check_no_canary()
        # What is no address is refused, and the vendor's is not asked instead.
        home.ok("ps", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="gateway.example/anthropic")
        why = home.fails(7, "run", "-m", "anthropic/claude-sonnet-5-5", "hi")
        assert "the address in ANTHROPIC_BASE_URL does not begin with http:// or https://" in why, why
        home.ok("serve", "--stop")
        home.start_daemon()
        why = home.fails(7, "run", "-m", "anthropic/claude-sonnet-5-5", "hi", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="gateway.example")
        assert "the address in ANTHROPIC_BASE_URL does not begin" in why, why


@test
def models_of_a_provider_that_is_not_there_is_an_error():
    with Home() as home:
        why = home.fails(3, "models", "NOPE")
        assert "There is no provider NOPE." in why and "anthropic, openai" in why and "vertex" in why, why
        assert "There is no provider NOPE." in home.fails(3, "models", "NOPE", "-o", "json")
        assert "no model of bedrock is available" in home.type("models", "bedrock").stderr
        why = home.fails(2, "auth", "add", "vertex", answers=KEY + "\n")
        assert "it takes no key" in why and "gcloud auth application-default login" in why, why
        assert "found" not in home.ok("auth", "ls")
        home.start_daemon()
        out = home.ok("auth", "ls", AWS_ACCESS_KEY_ID="AKIAX", AWS_SECRET_ACCESS_KEY="canary-secret", GROQ_API_KEY=KEY)
        assert "bedrock" in out and "groq" in out and "from the environment of this command" in out, out
        home.check_no_canary()


# ---- effort and parallel calls ----

EFFORTS = {
    "anthropic": (message("."), "claude-sonnet-5-5", {"thinking": {"type": "adaptive", "display": "summarized"},
                                                      "output_config": {"effort": "low"}}),
    "openai": (chat("."), "gpt-6.1-sol", {"reasoning_effort": "low"}),
    "openrouter": (chat("."), "anthropic/claude-sonnet-5.5", {"reasoning": {"effort": "low"}}),
    "deepseek": (chat("."), "deepseek-flash", {"reasoning_effort": "low", "thinking": {"type": "enabled"}}),
    "groq": (chat("."), "openai/gpt-oss-120b", {"reasoning_effort": "low"}),
    "gemini": (gemini, "gemini-4-argon", {"generationConfig": {"maxOutputTokens": 32000,
                                                               "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "LOW"}}}),
}


@test
def effort_is_one_option_for_all_dialects():
    for name, (reply, model, members) in EFFORTS.items():
        variable = {"gemini": "GEMINI_API_KEY"}.get(name) or PROVIDERS[name][0]
        with Home(**{name: server(reply)}) as home:
            home.ok("run", "--effort", "low", "-m", f"{name}/{model}", "hi", **{variable: KEY})
            body = home.fakes[0].requests[0].body
            assert {k: body.get(k) for k in members} == members, (name, {k: body.get(k) for k in members})
            home.ok("run", "-m", f"{name}/{model}", "hi", **{variable: KEY})
            plain = home.fakes[0].requests[1].body
            assert not {"reasoning", "reasoning_effort", "thinking", "output_config"} & set(plain), (name, plain.keys())
            assert "thinkingConfig" not in plain.get("generationConfig", {})


@test
def effort_reaches_the_responses_and_ollama_dialects():
    with Home(more={"dialect": "responses"}, openai=server(lambda r: responses(""))) as home:
        home.ok("run", "--effort", "max", "hi", OPENAI_API_KEY=KEY)
        assert home.fakes[0].requests[0].body["reasoning"] == {"effort": "max"}, home.fakes[0].requests[0].body
    with Home(ollama=server(ollama)) as home:
        home.ok("run", "--effort", "high", "-m", "ollama/gpt-oss:20b", "hi")
        assert home.fakes[0].requests[-1].body["think"] == "high", home.fakes[0].requests[-1].body


@test
def an_effort_becomes_the_nearest_word_or_a_number_of_tokens():
    with Home(anthropic=server(message("."))) as home:
        for wish, model, member in (("minimal", "claude-sonnet-5-5", {"effort": "low"}), ("xhigh", "claude-opus-4-6", {"effort": "high"}),
                                    ("max", "claude-unknown", {"effort": "high"})):
            home.ok("run", "--effort", wish, "-m", f"anthropic/{model}", "hi", ANTHROPIC_API_KEY=KEY)
            assert home.fakes[0].requests[-1].body["output_config"] == member, (wish, model)
        home.ok("run", "--effort", "medium", "-m", "anthropic/claude-sonnet-4-5", "hi", ANTHROPIC_API_KEY=KEY)
        body = home.fakes[0].requests[-1].body
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 8192} and "output_config" not in body, body["thinking"]
        assert "one of" in home.fails(2, "run", "--effort", "huge", "hi")
        home.ok("serve", "--stop")
        home.ok("run", "hi", ANTHROPIC_API_KEY=KEY, THOLE_MODEL_EFFORT="max")
        assert home.fakes[0].requests[-1].body["output_config"] == {"effort": "max"}


@test
def no_dialect_forbids_parallel_tool_calls():
    for name, reply in (("anthropic", message(".")), ("openai", chat(".")), ("mistral", chat(".")), ("gemini", gemini)):
        variable = {"gemini": "GEMINI_API_KEY"}.get(name) or PROVIDERS[name][0]
        with Home(**{name: server(reply)}) as home:
            home.ok("run", "hi", **{variable: KEY})
            body = home.fakes[0].requests[0].body
            assert body["tools"] and "tool_choice" not in body and body.get("parallel_tool_calls", True), (name, body.keys())
            assert "disable_parallel_tool_use" not in text(home.fakes[0].requests[0])


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:], "setup: "))
