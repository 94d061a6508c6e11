"""Commands that show sessions, queues and the machine."""
import datetime
import json
import os
import re
import signal
import socket

from cli_fixture import test, until
from ports import free_port


@test
def a_tool_that_failed_says_why(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "read"}, "replies": [
        {"toolCalls": [{"name": "read_file", "args": {"path": "nowhere"}}]}, {"text": "So: {{toolResult}}"}]}]})
    r = b.run("run", "read it", code=0)
    assert "read_file  not_found: nowhere does not exist." in r.err, r.err
    assert r.out == "So: not_found: nowhere does not exist. Use list_dir or glob to see what is there.\n", r.out
    assert "ran: no: nowhere does not exist. Use list_dir" in b.run("log", "--type", "tool.failed", code=0).out


@test
def everything_can_be_shown(b):
    b.run("run", "approve", code=4)
    first = b.session()
    b.run("run", "hello", code=0)
    events = b.run("export", "session", first, code=0).lines()
    turn = next(e for e in events if e["type"] == "turn.submitted")
    action, = b.pending()
    for ident in (first, turn["turnId"], turn["threadId"], turn["taskId"], action):
        assert ident in b.run("show", ident, code=0).out, ident
        assert b.run("show", ident, "--json", code=0).json()
    assert first in b.run("show", first[:19], code=0).out
    b.run("run", "-s", "@last", "hello", code=0)
    row = b.run("ps", "--all", "--json", code=0).json()["sessions"][0]
    costs = [e["payload"]["costUsd"] for e in b.run("export", "session", "@last", code=0).lines() if e["type"] == "turn.completed"]
    assert len(costs) == 2 and abs(sum(costs) - row["costUsd"]) < 1e-9, (costs, row)
    shown = re.search(r"^cost +\$([0-9.]+)$", b.run("show", code=0).out, re.M)
    assert float(shown[1]) == row["costUsd"], (shown[0], row)
    assert "several" in b.run("show", "sess_", code=2).err
    b.run("show", "sess_nothing", code=1)
    b.run("show", "no such id", code=2)
    assert b.run("why", "--json", first, code=0).json()["waitingFor"] == "permission"
    assert b.run("ps", "-q", code=0).ids() == [first]
    assert len(b.run("ps", "--all", "--json", code=0).json()["sessions"]) == 2


def recorded_ms(events, opens, closes, key):
    """How long things of one kind were open, by the timestamps of the log; they do not overlap here."""
    stamp = lambda e: datetime.datetime.fromisoformat(e["timestamp"].replace("Z", "+00:00"))
    begun = {e[key]: stamp(e) for e in events if e["type"] in opens}
    ended = {e[key]: stamp(e) for e in events if e["type"] in closes}
    assert begun and begun.keys() == ended.keys(), (opens, begun, ended)
    return sum(round((ended[k] - begun[k]).total_seconds() * 1000) for k in begun)


@test
def what_took_the_time_of_a_turn_is_told_from_its_log(b):
    """A slow model, an approval that waits and a tool; the figures are those of the recorded timestamps."""
    b.env["THOLE_MODE"] = "default"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "slow"}, "replies": [
        {"firstDelayMs": 1200, "toolCalls": [{"name": "shell", "args": {"command": "make nothing"}}]}, {"text": "It ran."}]}]})
    b.run("run", "slow", code=4)
    session, (action,) = b.session(), b.pending()
    asked = b.rpc("get_time_use", {"sessionId": session})["result"]
    assert "endedAt" not in asked["turns"][0] and asked["session"]["peopleMs"] >= 0, asked
    b.run("approve", action, code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    events = b.run("export", "session", session, code=0).lines()
    use = b.rpc("get_time_use", {"sessionId": session})["result"]
    turn, = use["turns"]
    time = turn["time"]
    people = recorded_ms(events, ["action.required"], ["action.resolved"], "actionId")
    assert time["modelMs"] == recorded_ms(events, ["model.requested"], ["model.completed"], "modelRequestId"), use
    assert time["peopleMs"] == people, (use, people)
    assert time["toolMs"] == recorded_ms(events, ["tool.started"], ["tool.result", "tool.failed"], "toolCallId") - people, use
    assert time["resourceMs"] == 0 and time["runtimeMs"] >= recorded_ms(events, ["turn.submitted"], ["turn.started"], "turnId"), use
    whole = recorded_ms(events, ["turn.submitted"], ["turn.completed"], "turnId")
    parts = ("modelMs", "peopleMs", "toolMs", "resourceMs", "runtimeMs")
    assert sum(time[k] for k in parts) == time["durationMs"] == whole, (use, whole)
    assert time["modelMs"] >= 1200 and time["modelMs"] > time["resourceMs"], use
    assert use["session"] == time and turn["turnId"] == events[-1].get("turnId", turn["turnId"]), use
    line = re.search(r"^time +(.+)$", b.run("why", session, code=0).out, re.M)
    assert line and re.match(r"\S.*: model \S+.*, people .*, tools .*, resources .*, runtime and disk ", line[1]), line
    for ident in (session, turn["turnId"]):
        assert re.search("^time +" + re.escape(line[1]) + "$", b.run("show", ident, code=0).out, re.M), ident
    assert b.rpc("get_time_use", {"sessionId": session, "limit": 0})["error"]["data"]["code"] == "invalid_value"
    assert b.rpc("get_time_use", {"sessionId": session, "threadId": "thr_none"})["error"]["data"]["code"] == "thread_not_found"
    b.signal(signal.SIGKILL)
    until("the daemon's end", lambda: not b.daemon())
    b.run("ps", code=0)
    assert b.rpc("get_time_use", {"sessionId": session})["result"]["turns"] == use["turns"]


@test
def what_retention_removed_is_in_no_figure(b):
    """The times of turns whose beginning was removed are not guessed."""
    b.env.update(THOLE_SCRIPT=b.script({"default": {"text": "done"}}), THOLE_RETENTION_LOG_EVENTS="30", THOLE_SESSION_IDLE_EVICT_S="1")
    b.run("run", "one", code=0)
    session = b.session()
    for _ in range(3):
        b.run("run", "-s", session, "again", code=0)
    log = lambda: b.run("export", "session", session, code=0).lines()
    until("the beginning is removed", lambda: log()[0]["sequence"] > 1)
    use = b.rpc("get_time_use", {"sessionId": session})["result"]
    assert [t["turnId"] for t in use["turns"]] == [e["turnId"] for e in log() if e["type"] == "turn.submitted"] != [], use


@test
def figures_of_more_than_one_page_are_whole(b):
    """300 trials are more than one page of the index, and five turns more than one page of a log."""
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}})
    b.run("run", "one", code=0)
    for i in range(300):
        trial = {"datasetId": "d", "datasetVersion": "1", "taskId": f"t{i % 2}", "trialId": f"tr-{i}", "configurationId": f"c{i % 3}"}
        assert "result" in b.rpc("start_benchmark_trial", {"input": "x", "cwd": str(b.work), "benchmark": trial}), i
    matrix = b.rpc("get_benchmark_matrix", {})["result"]
    assert matrix["trials"] == 300 and [c["trials"] for c in matrix["cells"]] == [50] * 6, matrix
    few = b.rpc("get_benchmark_matrix", {"limit": 4})["result"]
    assert len(few["cells"]) == 4 and few["omitted"] == 100, few
    for _ in range(4):
        b.run("run", "-s", "@last", "again", code=0)
    session = b.session()
    use = b.rpc("get_time_use", {"sessionId": session})["result"]
    assert use["sequence"] > 64 and use["omitted"] == 0, use
    submitted = [e["turnId"] for e in b.run("export", "session", session, code=0).lines() if e["type"] == "turn.submitted"]
    assert [t["turnId"] for t in use["turns"]] == submitted and len(submitted) == 5, (use, submitted)
    assert use["session"]["durationMs"] == sum(t["time"]["durationMs"] for t in use["turns"]), use
    last = b.rpc("get_time_use", {"sessionId": session, "limit": 2})["result"]
    assert last["turns"] == use["turns"][-2:] and last["omitted"] == 3 and last["session"] == use["session"], last


@test
def the_context_of_a_request_is_shown_as_it_was_sent(b):
    b.run("run", "hello", code=0)
    whole = b.run("context", "show", code=0).out
    assert whole.startswith("── system, instruction:system: ") and "You are Thole" in whole and "<environment>" in whole, whole[:300]
    assert re.search(r"^── user: 5 bytes, about 2 tokens\nhello$", whole, re.M), whole[-600:]
    sizes = b.run("context", "show", "@last", "-q", code=0).out
    assert "You are" not in sizes and re.search(r"^── \d+ tools: ", sizes, re.M) and "── total: " in sizes, sizes
    messages = b.run("context", "show", "--json", code=0).json()["messages"]
    assert [m["role"] for m in messages] == ["system", "user", "user"], messages
    assert "knows show" in b.run("context", "hide", code=2).err


@test
def the_log_can_be_filtered_and_followed(b):
    b.run("run", "hello", code=0)
    everything = b.run("log", "--json", code=0).lines()
    assert b.run("log", "--json", "--since", "5", code=0).lines() == everything[5:]
    turns = b.run("log", "--json", "--type", "turn.*", code=0).lines()
    assert turns == [e for e in everything if e["type"].startswith("turn.")]
    r = b.run("log", "--type", "tool.finished", code=2)
    assert re.search(r"Near it: .*tool\.failed", r.err) and "tool.* action.*" in " ".join(r.err.split()), r.err
    assert len(set(re.findall(r"\w+\.\*", r.err))) == len(re.findall(r"\w+\.\*", r.err)), "each once"
    assert max(map(len, r.err.splitlines())) <= 80, r.err
    assert "session.*" in b.run("log", "--type", "no.such.class", code=2).err
    assert len(b.run("log", code=0).out.splitlines()) == len(everything)
    told = b.run("log", "--as", "agent-ui", code=0).lines()
    assert [(e["rawEventRef"], e["runtimeType"], e["sequence"]) for e in told] == \
        [(e["eventId"], e["type"], e["sequence"]) for e in everything]
    assert [e["type"] for e in told if e["runtimeType"] == "turn.completed"] == ["run.finished"]
    assert b.run("log", "--as", "agent-ui", "--since", "5", code=0).lines() == told[5:]
    b.run("log", "--as", "agent-tea", code=2)

    follower, second = b.start("log", "-f", "--json", "@last"), b.start("log", "-f", "--as", "agent-ui", "@last")
    for event in told:
        follower.stdout.readline()
        assert json.loads(second.stdout.readline()) == event
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    b.run("run", "-s", "@last", "more", code=0)
    seqs = [e["sequence"] for e in everything]
    while json.loads(line := follower.stdout.readline())["type"] != "turn.completed":
        seqs.append(json.loads(line)["sequence"])
    assert seqs == list(range(1, len(seqs) + 1)), "nothing is missed, nothing comes twice"
    seqs = [e["sequence"] for e in told]
    while (event := json.loads(second.stdout.readline()))["type"] != "run.finished":
        seqs.append(event["sequence"])
    assert seqs == list(range(1, len(seqs) + 1)), "nor in another form"


@test
def turns_wait_in_a_queue(b):
    ids = b.run("run", "-d", "--json", "hang", code=0).json()
    s = ids["sessionId"]
    one = b.run("send", s, "one", "-q", code=0).out.strip()
    two = b.run("send", s[:20], "two", "--json", code=0).json()
    assert two["status"] == "queued"

    def order():
        return [q["turnId"] for q in b.run("queue", s, "--json", code=0).json()["queuedTurns"]]
    assert order() == [one, two["turnId"]]
    b.run("queue", s, "--promote", two["turnId"], code=0)
    assert order() == [two["turnId"], one]
    b.run("queue", s, "--move", "1", "2", code=0)
    assert order() == [one, two["turnId"]]
    b.run("queue", s, "--remove", "2", code=0)
    assert order() == [one]
    b.run("queue", s, "--remove", "turn_none", code=1)
    b.run("send", s, "no", "--delivery", "reject", code=1)
    b.run("stop", s, code=0)
    until("the held queue", lambda: "held" in b.run("why", s, code=0).out)
    b.run("run", "-s", s, "behind it", code=4)
    b.run("resume", s, code=0)
    until("the end", lambda: b.run("ps", "-q", code=0).out == "")
    assert "nothing" in b.run("resume", s, code=0).err
    assert "nothing" in b.run("stop", s, code=0).err


@test
def an_interrupting_turn_takes_over(b):
    s = b.run("run", "-d", "--json", "hang", code=0).json()["sessionId"]
    r = b.run("run", "-s", s, "--delivery", "interrupt", "now this", code=0)
    assert "now this" in r.out


@test
def doctor_finds_what_is_wrong(b):
    assert b.run("doctor", code=0).out
    assert b.run("doctor", "--json", code=0).json()["ok"] is True
    b.run("ps", code=0)
    checks = {c["id"]: c for c in b.run("doctor", "--json", code=0).json()["checks"]}
    assert checks["daemon.version"]["status"] == "ok"
    (b.dir / ".config" / "thole").mkdir(parents=True)
    (b.dir / ".config" / "thole" / "config.json").write_text(json.dumps({"notify": {"url": "https://ops.example/a-secret"}}))
    os.utime(b.dir / ".config" / "thole" / "config.json", (0, 0))
    told = b.run("doctor", code=0, XDG_CONFIG_HOME="").out
    assert "set: notify.url; thole config shows them" in told and "a-secret" not in told, told
    os.chmod(b.data, 0o755)
    r = b.run("doctor", code=1)
    assert "chmod 700" in r.out
    b.run("doctor", "--data", "/proc/none", code=1)


@test
def a_fallback_that_no_provider_offers_is_named(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "models": [{"provider": "alpha", "model": "cheap"}, {"provider": "beta", "model": "gold"}],
                                      "rules": [{"when": {"text": "busy"}, "reply": {"error": {"status": 401, "message": "bad key"}}}]})
    b.env["THOLE_ROUTING_FALLBACK_CHAIN"] = '["nowhere/x", "beta/gold"]'
    r = b.run("run", "-m", "alpha/cheap", "busy", code=3)
    assert "routing.fallback_chain names nowhere/x, which no provider offers" in " ".join(r.err.split()), r.err
    told = b.run("route", "explain", code=0).out
    assert re.search(r"nowhere/x +not: not_offered, routing.fallback_chain names it, and no provider offers it", told), told
    assert "routing.fallback_chain names nowhere/x" in b.run("models", code=0).err
    found = next(c for c in b.run("doctor", "--json", code=1).json()["checks"] if c["id"] == "routing.fallback")
    assert found["status"] == "bad" and "nowhere/x" in found["detail"] and "beta" not in found["detail"] and "thole models" in found["remedy"], found
    # what cannot be a name is refused before anything starts
    for name in ("", "x/", "/x", "two words"):
        r = b.run("run", "--here", "-c", "routing.fallback_chain=" + json.dumps([name]), "hello", code=3)
        assert "routing.fallback_chain wants names of models" in r.err and f'"{name}"' in r.err, r.err


@test
def settings_that_a_running_daemon_has_not_read_are_reported(b):
    conf = b.dir / ".config" / "thole" / "config.json"
    conf.parent.mkdir(parents=True)
    conf.write_text("{}")
    assert "has changed" not in b.run("models", code=0, XDG_CONFIG_HOME="").err
    conf.write_text(json.dumps({"providers": {"ollama": {"models": ["late"]}}}))
    later = (b.data / "lock").stat().st_mtime + 1
    os.utime(conf, (later, later))
    advice = "thole serve --stop"
    for words, code in ((["models"], 0), (["config"], 0), (["run", "-m", "ollama/late", "hello"], 3)):
        r = b.run(*words, code=code, XDG_CONFIG_HOME="")
        assert f"{conf} has changed since the daemon started" in r.err and advice in r.err, r.err
    rows = b.run("doctor", "--json", code=0, XDG_CONFIG_HOME="").json()["checks"]
    found = next(c for c in rows if c["id"] == "settings")
    assert found["status"] == "note" and advice in found["remedy"], found
    pid = b.daemon()
    assert f"process {pid} has stopped" in b.run("serve", "--stop", code=0).err and b.daemon() != pid
    assert "no daemon runs" in b.run("serve", "--stop", code=0).err
    os.utime(conf)
    r = b.run("models", code=0, XDG_CONFIG_HOME="")
    assert "ollama/late" in r.out and "has changed" not in r.err, (r.out, r.err)


@test
def doctor_looks_at_ports_providers_servers_and_the_log(b):
    def checks(*words, code=0, **env):
        rows = b.run("doctor", "--json", *words, code=code, **env).json()["checks"]
        return {c["id"]: c for c in rows}
    assert not {"providers.key", "tools.servers", "log.chain"} & checks().keys(), "nothing is started"
    assert not b.data.exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        found = checks("--listen", address, code=1)["port"]
        assert found["status"] == "bad" and address in found["detail"] and found["remedy"], found
        # A server listens at one provider's address; the other address refuses connections.
        away = f"127.0.0.1:{free_port()}"
        providers = {name: {"baseUrl": f"http://{where}/v1", "dialect": "compatible", "keyEnv": f"TEST_KEY_{name.upper()}",
                            "models": [f"m-{name}"]} for name, where in (("here", address), ("away", away))}
        servers = {"broken": {"command": "/nonexistent/server"}}
        config = b.dir / "c.json"
        hooks = {"stop": [{"name": "deaf", "url": f"http://{away}/a-secret-path"}, {"name": "near", "url": f"http://{address}/x"}]}
        config.write_text(json.dumps({"providers": providers, "mcp": {"servers": servers}, "hooks": hooks, "notify.url": f"http://{away}/token-in-path"}))
        b.env["TEST_KEY_HERE"] = "k"
        p = b.start("serve", "--config", str(config), "--listen", "127.0.0.1:0")
        daemon = next(m.group(1) for m in (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in p.stderr) if m)
        b.run("run", "-m", "scripted/demo", "hello", code=0)
        found = {}

        def is_down():  # between two tries
            r = b.run("doctor", "--json")
            found.update((c["id"], c) for c in r.json()["checks"])
            return found.get("tools.servers", {}).get("status") == "bad" and r.code == 1
        until("the server is down", is_down)
        assert found["providers.key"]["status"] == "note" and "away" in found["providers.key"]["detail"], found
        assert "here" not in found["providers.key"]["detail"] and "providers.reach" not in found
        assert "broken" in found["tools.servers"]["detail"]
        assert found["log.chain"]["status"] == "ok" and "intact" in found["log.chain"]["detail"]
        assert checks("--listen", f"127.0.0.1:{daemon}", code=None)["port"]["status"] == "ok", "the daemon's own"
        assert "hooks.reach" not in found, "only on request"
        online = checks("--online", code=1)
        found = online["providers.reach"]
        assert found["status"] == "bad" and away in found["detail"] and address not in found["detail"], found
        found = online["hooks.reach"]
        assert found["status"] == "bad" and "hook:user:deaf" in found["detail"] and "hook:notify:url" in found["detail"], found
        assert "near" not in found["detail"] and "path" not in found["detail"], found
    assert checks("--listen", "nonsense", code=1)["port"]["status"] == "bad"


@test
def doctor_tells_the_tier_and_why(b):
    def sandbox(code=0, **env):
        return next(c for c in b.run("doctor", "--json", code=code, **env).json()["checks"] if c["id"] == "sandbox")
    host = b.run("sandbox", "probe", code=0).json()
    check = sandbox()
    assert host["tier"] in check["detail"], check
    assert check["status"] == ("note" if "reason" in host else "ok")
    assert all(gap in check["detail"] for gap in next(t for t in host["tiers"] if t["tier"] == host["tier"])["gaps"])
    assert sandbox(1, THOLE_HAND="/nonexistent")["status"] == "bad"
