"""The daemon: start, replacement, stop, and its own protocol."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.request

from cli_fixture import DEADLINE_S, THOLE, Skip, test, until


@test
def starters_at_once_end_up_with_one_daemon(b):
    started = [b.start("run", f"number {i}") for i in range(8)]
    out = [p.communicate(timeout=DEADLINE_S) for p in started]
    for i, p in enumerate(started):
        assert p.returncode == 0 and f"number {i}" in out[i][0], out[i]
    assert sum("started a daemon" in err for _, err in out) == 1
    assert len(b.run("ps", "--all", "-q", code=0).ids()) == 8
    assert (b.data / "daemon.log").read_text().count("unix:") == 1


@test
def a_dead_daemon_is_replaced(b):
    b.run("run", "one", code=0)
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    b.run("ps", "--no-start", code=1)
    r = b.run("run", "-s", "@last", "two", code=0)
    assert "started a daemon" in r.err and "turn 2" in r.out


@test
def a_daemon_that_is_stopping_is_waited_for(b):
    b.run("run", "one", code=0)
    for _ in range(5):
        b.signal(signal.SIGTERM)
        # The daemon that stops may still answer; then no other one has been started.
        until("another daemon", lambda: b.run("ps", code=0) and b.daemon())


@test
def a_stop_by_a_signal_is_reported(b):
    b.run("run", "one", code=0)
    b.signal(signal.SIGSTOP)
    # The signal has come when the kernel says so; before that the daemon still accepts a call.
    status = pathlib.Path(f"/proc/{b.daemon()}/status")
    until("a stopped daemon", lambda: "State:\tT" in status.read_text())
    try:
        r = b.run("ps", code=1)
        assert "is stopped" in r.err and f"kill -CONT {b.daemon()}" in r.err, r
    finally:
        b.signal(signal.SIGCONT)
    b.run("ps", code=0)


@test
def a_stop_during_a_call_is_reported(b):
    """The daemon is stopped when it has the call and has not answered: the command waited without a word."""
    b.env["THOLE_MCP_SERVERS"] = json.dumps({"silent": {"command": "/bin/sleep", "args": ["1000"]}})
    p = b.start("run", "hello")
    lines = iter(p.stderr.readline, "")
    assert any("waiting for tool servers" in line for line in lines), "the call is under way"
    b.signal(signal.SIGSTOP)
    try:
        assert any("stopped by a signal" in line and f"kill -CONT {b.daemon()}" in line for line in lines)
    finally:
        b.signal(signal.SIGCONT)


@test
def a_daemon_that_cannot_start_says_why(b):
    bad = b.dir / "bad.json"
    bad.write_text("{")
    r = b.run("ps", THOLE_SCRIPT=str(bad), code=3)
    assert "bad.json" in r.err and "daemon.log" in r.err
    b.run("ps", "--data", "/proc/none/data", code=3)


@test
def a_daemon_that_takes_long_to_start_is_waited_for(b):
    script = b.dir / "script.json"
    os.mkfifo(script)
    b.env["THOLE_SCRIPT"] = str(script)
    p = b.start("ps")  # its daemon reads the script before it takes connections
    try:
        p.wait(6)
        raise AssertionError(p.stderr.read())
    except subprocess.TimeoutExpired:
        pass
    script.write_text('{"version": 1, "default": {"text": "x"}}')
    assert "nothing is running" in p.communicate(timeout=DEADLINE_S)[1] and p.returncode == 0


@test
def serve_listens_and_stops_in_order(b):
    p = b.start("serve", "--listen", "127.0.0.1:0")
    line = p.stderr.readline()
    assert "http://127.0.0.1:" in line and str(b.data) in line, line
    url = line.split()[1]
    token = b.run("token", code=0).out.strip()
    assert len(token) >= 32
    import urllib.request
    req = urllib.request.Request(url + "/v1/sessions", headers={"Authorization": "Bearer " + token})
    assert json.load(urllib.request.urlopen(req, timeout=DEADLINE_S)) == {"sessions": []}
    r = b.run("serve", code=1)
    assert "in use" in r.err and "thole serve --stop" in r.err, r.err
    r = b.run("serve", "--data", str(b.dir / "other"), "--listen", url.split("//")[1], code=1)
    assert "Another program listens there" in r.err and "lock" not in r.err, r.err
    assert "HOST:PORT" in b.run("serve", "--data", str(b.dir / "other"), "--listen", "nowhere", code=3).err
    p.send_signal(signal.SIGTERM)
    p.wait(DEADLINE_S)
    assert p.returncode == 0
    b.run("serve", "--listen", "0.0.0.0:0", code=3)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(word) for word in f.read().split()]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().strip()
    except OSError:
        return None


def as_the_first_process(b):
    """A daemon that is number 1, as in a container; what it is out here comes second."""
    alone = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        raise Skip("needs namespaces")
    # Its own directory: the pid in its lock belongs to another process outside of the namespace.
    p = subprocess.Popen([*alone, THOLE, "serve", "--data", str(b.dir / "first")], stderr=subprocess.PIPE, text=True, env=b.env, cwd=b.work)
    b.started.append(p)
    assert "unix:" in p.stderr.readline()
    return p, children(p.pid)[0]


@test
def the_first_process_of_a_container_keeps_no_dead(b):
    p, first = as_the_first_process(b)
    # As with `docker exec`: its shell exits, and the processes it started go to the first process.
    inside = ["nsenter", "-t", str(first), "-U", "--preserve-credentials", "-p"]
    assert subprocess.run([*inside, "sh", "-c", "sleep 0.2 &"], timeout=DEADLINE_S).returncode == 0
    until("the orphan's end", lambda: "sleep" not in [name_of(pid) for pid in children(first)])
    os.kill(first, signal.SIGTERM)
    p.wait(DEADLINE_S)
    assert p.returncode == 0, p.stderr.read()


@test
def a_second_signal_ends_the_first_process_too(b):
    p, first = as_the_first_process(b)
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
        os.kill(first, number)
    p.wait(DEADLINE_S)
    assert p.returncode == 128 + signal.SIGTERM, (p.returncode, p.stderr.read())


@test
def serve_ends_by_itself_when_idle(b):
    p = b.start("serve", "--idle-exit", "200ms")
    p.wait(DEADLINE_S)
    assert p.returncode == 0, p.stderr.read()


@test
def rpc_is_a_bridge(b):
    ask = '{"jsonrpc":"2.0","id":7,"method":"get_capabilities","params":{}}\n'
    r = b.run("rpc", stdin=ask, code=0)
    reply = json.loads(r.out.splitlines()[0])
    assert reply["id"] == 7 and reply["result"]["name"] == "thole"
    p = b.start("rpc", stdin=subprocess.PIPE)
    p.stdin.write(ask)
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == 7
    b.signal(signal.SIGKILL)
    p.wait(DEADLINE_S)
    assert p.returncode == 1 and "went away" in p.stderr.read()


@test
def a_pipe_in_the_place_of_settings_is_not_waited_for(b):
    (b.work / ".thole").mkdir()
    for name in ("config.json", "rules.json"):
        path = b.work / ".thole" / name
        os.mkfifo(path)
        assert "is no regular file" in b.run("--here", "config", code=3).err, name
        path.unlink()
    b.run("--here", "config", code=0)


@test
def settings_whose_value_is_an_object_come_from_files(b):
    file = b.dir / ".config/thole/config.json"
    file.parent.mkdir(parents=True)
    values = {
        "agents.remote": {"far": {"card": "http://127.0.0.1:9", "headers": {"X.Y": "z"}, "description": "Far away."}},
        "auth.issuers": {"corp": {"issuer": "https://id.example.org", "audience": ["https://a.example"], "scopes": {"agents.all": ["read"]}}},
        "triggers": {"push": {"signature": "github", "secret_env": "HOOK_SECRET", "prompt": "Look at it."}},
        "a2a.extensions": {"https://example.org/extensions/v1.2": {"required": True, "params": {"a.b": {}}}},
        "prices": {}, "providers": {}, "hooks": {}, "mcp.servers": {}, "mcp.publish": {}, "diagnostics.servers": {},
    }
    # Flat and nested, as the page of the settings says.
    for text in (values, {**{k: v for k, v in values.items() if k != "agents.remote"}, "agents": {"remote": values["agents.remote"]}}):
        file.write_text(json.dumps(text))
        b.run("serve", "--stop")
        b.run("run", "hello", code=0, HOOK_SECRET="s3cret-s3cret-s3cret")
        assert [p["name"] for p in json.loads(b.run("peer", "ls", "--json", code=0).out)] == ["far"]
        shown = b.run("doctor", "--json").out
        assert "corp (unused)" in shown and "push" in shown, shown
    file.write_text(json.dumps({"model": "scripted/demo"}))
    b.run("serve", "--stop")
    b.run("peer", "add", "near", "http://127.0.0.1:9", code=0)
    b.run("run", "hello", code=0)
    assert "near" in b.run("peer", "ls", code=0).out


@test
def a_receiver_of_notifications_beyond_the_last_hook_is_refused(b):
    hooks = {"pre_tool_use": [{"name": f"h{n}", "command": "/bin/true"} for n in range(256)]}
    for receiver in ("notify.command=/bin/true", "notify.url=http://127.0.0.1:9/x"):
        r = b.run("serve", "-c", f"hooks={json.dumps(hooks)}", "-c", receiver, code=3)
        assert "notify: delivery" in r.err and "is one too many" in r.err, r.err


@test
def nothing_in_the_data_directory_is_for_others_to_read(b):
    b.run("run", "hello", code=0)
    until("the ballast", (b.data / "ballast").exists)
    found = [p for p in b.data.rglob("*") if not p.is_symlink() and not p.is_socket()]
    open_to_others = [(str(p), oct(p.stat().st_mode)) for p in found if p.stat().st_mode & 0o077]
    assert found and not open_to_others, open_to_others
