"""Adding and removing tool servers: the file that is written, what is refused, and the server that is tried."""
import json
import os
import pathlib
import resource
import shutil
import signal
import stat
import sys

from cli_fixture import DEADLINE_S, Skip, test, until

MCP = pathlib.Path(__file__).resolve().parent.parent / "mcp"
SERVER = str(MCP / "server.py")


def settings(b):
    return b.dir / ".config" / "thole" / "config.json"


def write_settings(b, text):
    settings(b).parent.mkdir(parents=True, exist_ok=True)
    settings(b).write_text(text)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@test
def a_tool_server_is_added_tried_and_removed(b):
    r = b.run("mcp", "add", "own", "--read", str(MCP), "--", sys.executable, SERVER, code=0)
    assert "mcp__own__echo" in r.out and "It runs and has" in r.err and "daemon" not in r.err, r
    entry = {"command": sys.executable, "args": [SERVER], "read": [str(MCP)]}
    assert json.loads(settings(b).read_text()) == {"mcp": {"servers": {"own": entry}}} and mode(settings(b)) == 0o600
    assert not b.daemon() and not list(b.tmp.iterdir()), "the trial leaves nothing"
    rows = b.run("mcp", "list", "--json", code=0).json()
    assert [row["name"] for row in rows] == ["own"], rows
    assert "own" in b.run("mcp", "get", "own", code=0).out
    # The daemon keeps the settings that it began with, and the message says so.
    r = b.run("mcp", "remove", "own", code=0)
    assert "no longer in" in r.err and "thole serve --stop" in r.err, r
    assert json.loads(settings(b).read_text()) == {"mcp": {"servers": {}}}
    assert "There is no tool server" in b.run("mcp", "remove", "own", code=1).err


@test
def a_trial_names_tools_that_cannot_be_used(b):
    r = b.run("mcp", "add", "one", "--read", str(MCP), "--", sys.executable, SERVER, "changes", code=0)
    assert "It runs and has 1 tool:" in r.err and "left out" not in r.err, r
    r = b.run("mcp", "add", "odd", "--read", str(MCP), "--", sys.executable, SERVER, "names", code=0)
    assert "mcp__odd__good" in r.out and "tools are left out, the first is" in r.err, r


@test
def the_text_of_the_settings_stays_as_it_is(b):
    before = '{\n    // my model\n    "model": "scripted/demo",\n    "mcp.servers": {\n        "old": { "command": "true", "enabled": false }, // later\n    },\n    "chat": {"keys": "vi"}\n}\n'
    write_settings(b, before)
    os.chmod(settings(b), 0o644)
    b.run("mcp", "add", "new", "--no-start", "--", "true", "-x", "a b", code=0)
    text = settings(b).read_text()
    assert text == before.replace("// later\n", '// later\n        "new": {"command":"true","args":["-x","a b"]},\n'), text
    r = b.run("mcp", "add", "new", "--no-start", "--", "other", code=1)
    assert "already" in r.err and "thole mcp remove new" in r.err and settings(b).read_text() == text, r
    b.run("mcp", "rm", "new", code=0)
    assert settings(b).read_text() == before
    assert json.loads(b.run("config", "--json", code=0).out)["files"]["mcp.servers"] == {"old": {"command": "true", "enabled": False}}


@test
def what_cannot_be_a_server_is_refused_and_nothing_is_written(b):
    for words, why in (
            (["add"], "wants a name"), (["add", "x"], "There is no command"), (["add", "x", "--", ""], "There is no command"),
            (["add", "a b", "--", "true"], "a name is of letters"), (["add", "x__y", "--", "true"], "a name is of letters"), (["add", "", "--", "true"], "a name is of letters"),
            (["add", "x", "--url", "https://a.example/mcp", "--", "true"], "not both"), (["add", "x", "https://a.example/mcp"], "--url https://a.example/mcp"),
            (["add", "x", "--url", "ftp://a.example"], "http:// or https://"), (["add", "x", "--url", ""], "http:// or https://"),
            (["add", "x", "--url", "https://me:pw@a.example/"], "without a user"),
            (["add", "x", "--url", "https://a.example/", "--header", "A: 1", "--header", "a: 2"], "names a twice"),
            (["add", "x", "--url", "https://a.example/", "--header", "no colon"], "--header wants"),
            (["add", "x", "--url", "https://a.example/", "--header", "Mcp-Session-Id: 1"], "headers must not contain"),
            (["add", "x", "--url", "https://a.example/", "--env", "A=1"], "--env is for a command"),
            (["add", "x", "--header", "A: 1", "--", "true"], "--header is for --url"),
            (["add", "x", "--env", "A", "--", "true"], "--env wants"), (["add", "x", "--env", "=1", "--", "true"], "--env wants"),
            (["add", "x", "--env", "A=1", "--env", "A=2", "--", "true"], "names A twice"),
            (["add", "x", "--hosts", "http://no", "--", "true"], "hosts"), (["add", "x", "--read", "/nowhere", "--", "true"], "there is no directory"),
            (["add", "--transport", "sse", "x", "https://a.example/sse"], "replaced by Streamable HTTP"),
            (["add", "-t", "http", "x"], "There is no address"), (["add", "-t", "http", "x", "npx"], "http:// or https://"),
            (["add", "-t", "stdio", "x", "--url", "https://a.example/"], "--url is for"), (["ls", "-t", "http"], "does not go with"),
            (["add", "-s", "local", "x", "--", "true"], "for every directory"), (["add", "-s", "user", "--scope", "project", "x", "--", "true"], "two files"),
            (["add", "x", "--url", "https://a.example/", "-H", "A: 1"], "--header"),
            (["add", "--no-start", "--", "-x", "true"], "does not begin with"), (["add-json", "--", "-x", "{}"], "does not begin with"),
            (["add", "x", "npx", "-y", "server"], "thole mcp add x -- npx -y"), (["add", "x", "--scope", "local", "--", "true"], "user project"),
            (["add-json", "x", "{"], "no JSON"), (["add-json", "x", "[]"], "is an object"), (["add-json", "x", "{}"], "command"),
            (["add-json", "x", '{"command":"true","frob":1}'], "does not know"), (["add-json", "x"], "wants a name and an entry"),
            (["remove"], "wants the name"), (["frob"], "add NAME -- COMMAND"), (["ls", "--project"], "does not go with")):
        r = b.run("mcp", *words, code=2)
        assert why in r.err, (words, r)
    assert not settings(b).exists() and not b.daemon()
    for text, why in (("[]", "no JSON"), ("{", "no JSON"), ('{"mcp": 1}', "something else"), ('{"mcp": {"servers": []}}', "something else")):
        write_settings(b, text)
        r = b.run("mcp", "add", "x", "--no-start", "--", "true", code=3)
        assert why in r.err and settings(b).read_text() == text, (text, r)


@test
def a_server_that_does_not_run_says_why(b):
    r = b.run("mcp", "add", "none", "--", "no-such-program", code=1)
    assert "none does not run" in r.err and "not found" in r.err and "thole mcp remove none" in r.err and " warn " not in r.err, r
    assert "none" in settings(b).read_text()
    package = b.dir / "elsewhere" / "node_modules" / "server"
    package.mkdir(parents=True)
    (package / "server.py").write_text("")
    r = b.run("mcp", "add", "hidden", "--", "/usr/bin/python3", str(package / "server.py"), code=1)
    assert f"thole mcp add hidden --read {b.dir / 'elsewhere'} -- ..." in r.err, r
    r = b.run("mcp", "add", "far", "--url", "http://127.0.0.1:9/mcp", "--header", "X-Key: ${NO_SUCH_VARIABLE}", code=1)
    assert "NO_SUCH_VARIABLE" in r.err and "0600" not in r.err, r
    r = b.run("mcp", "add", "far2", "--url", "http://127.0.0.1:9/mcp", "--header", "X-Key: secret", code=1)
    assert "0600" in r.err and "secret" not in r.err and mode(settings(b)) == 0o600, r


@test
def a_program_with_more_rights_gets_its_whole_path(b):
    b.run("mcp", "add", "x", "--no-start", "--env", "TOKEN=${TOKEN}", "--", "sh", "-c", "true", code=0)
    b.run("mcp", "add", "y", "--no-start", "--", "./server", code=0)
    servers = json.loads(settings(b).read_text())["mcp"]["servers"]
    assert servers["x"]["command"] == shutil.which("sh", path=b.env["PATH"]), servers
    assert servers["y"]["command"] == f"{b.work.resolve()}/server", servers


@test
def a_project_s_server_waits_for_trust(b):
    file = b.work / ".mcp.json"
    file.write_text('{\n  "mcpServers": {},\n  "other": [1, 2]\n}\n')
    os.chmod(file, 0o664)
    r = b.run("mcp", "add", "own", "--project", "--env", "A=1", "--", sys.executable, SERVER, code=0)
    assert "thole mcp trust own" in r.err and "Secrets do not belong there" in r.err and not settings(b).exists(), r
    assert json.loads(file.read_text()) == {"mcpServers": {"own": {"command": sys.executable, "args": [SERVER], "env": {"A": "1"}}}, "other": [1, 2]}
    assert mode(file) == 0o664
    # No session works here, and the daemon began elsewhere.
    b.run("ps", code=0, cwd=b.dir)
    rows = b.run("mcp", "ls", "--json", code=0).json()
    assert [(row["name"], row["status"], row["source"]) for row in rows] == [("own", "untrusted", "project")], rows
    assert "untrusted" in b.run("mcp", "show", "own", code=0).out
    assert not b.run("ps", "--all", "-q", code=0).ids()
    b.run("mcp", "trust", "own", code=0)
    assert b.run("mcp", "show", "own", "--json", code=0).json()["status"] != "untrusted"
    r = b.run("mcp", "add", "far", "--scope", "project", "--url", "https://a.example/mcp", "--header", "K: ${TOKEN}", code=2)
    assert "cannot name a variable" in r.err and "far" not in file.read_text(), r
    b.run("mcp", "remove", "own", "--project", code=0)
    assert json.loads(file.read_text()) == {"mcpServers": {}, "other": [1, 2]}
    file.unlink()
    (b.work / "elsewhere").write_text("{}")
    file.symlink_to("elsewhere")
    r = b.run("mcp", "add", "own", "--project", "--", "true", code=3)
    assert "no ordinary file" in r.err and (b.work / "elsewhere").read_text() == "{}", r


@test
def what_other_programs_call_the_same_is_accepted(b):
    b.run("mcp", "add", "--transport", "http", "far", "https://a.example/mcp", "--header", "K: V", "--no-start", code=0)
    b.run("mcp", "add", "-t", "stdio", "-e", "A=1", "-s", "user", "near", "--no-start", "--", "/bin/true", code=0)
    b.run("mcp", "add", "-s", "project", "own", "--", "true", code=0)
    assert json.loads(settings(b).read_text())["mcp"]["servers"] == {
        "far": {"type": "http", "url": "https://a.example/mcp", "headers": {"K": "V"}}, "near": {"command": "/bin/true", "env": {"A": "1"}}}
    assert list(json.loads((b.work / ".mcp.json").read_text())["mcpServers"]) == ["own"]
    b.run("mcp", "remove", "-s", "project", "own", code=0)


@test
def many_at_once_lose_nothing(b):
    """Each command that says so has written its entry, also beside others that change the same file."""
    names = [f"s{i}" for i in range(24)]
    running = [b.start("mcp", "add", name, "--no-start", "--", "true") for name in names]
    running += [b.start("peer", "add", f"p{i}", "https://a.example/") for i in range(4)]
    for p in running:
        _, err = p.communicate(timeout=DEADLINE_S)
        assert p.returncode == 0, err
    doc = json.loads(settings(b).read_text())
    assert sorted(doc["mcp"]["servers"]) == sorted(names) and sorted(doc["agents.remote"]) == ["p0", "p1", "p2", "p3"], doc
    running = [b.start("mcp", "remove", name) for name in names]
    assert [p.wait(DEADLINE_S) for p in running] == [0] * len(names)
    assert json.loads(settings(b).read_text())["mcp"]["servers"] == {}
    assert os.listdir(settings(b).parent) == ["config.json"]


@test
def other_files_beside_the_settings_stay(b):
    write_settings(b, "{}")
    mine = settings(b).parent / "config.json.new"
    mine.write_text("mine")
    b.run("mcp", "add", "x", "--no-start", "--", "true", code=0)
    assert mine.read_text() == "mine"
    mine.unlink()
    os.mkfifo(mine)
    b.run("mcp", "add", "y", "--no-start", "--", "true", code=0)
    mine.unlink()
    text = settings(b).read_text()
    p = b.start("mcp", "add", "z", "--no-start", "--", "x" * 9000, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    _, err = p.communicate(timeout=DEADLINE_S)
    assert p.returncode == 3 and "Nothing was written" in err and settings(b).read_text() == text and os.listdir(settings(b).parent) == ["config.json"], (p.returncode, err)
    settings(b).unlink()
    os.mkfifo(settings(b))
    for words in (["mcp", "add", "x", "--no-start", "--", "true"], ["mcp", "remove", "x"], ["peer", "add", "x", "https://a.example/"], ["config"]):
        assert "no ordinary file" in b.run(*words, code=3).err, words


@test
def a_placeholder_of_a_sandbox_is_told_from_other_things(b):
    file = b.work / ".mcp.json"
    file.mkdir(mode=0o555)
    os.chmod(file, 0o555)
    r = b.run("mcp", "add", "x", "--project", "--", "true", code=3)
    assert "Try again when it has ended" in r.err and file.is_dir(), r
    file.rmdir()
    odd = b.work / "a\x1b[31mb"
    odd.mkdir()
    assert "\x1b[31m" not in b.run("mcp", "add", "x", "--project", "--", "true", code=0, cwd=odd).err


@test
def a_trial_that_is_stopped_leaves_nothing(b):
    for number in (signal.SIGINT, signal.SIGTERM):
        p = b.start("mcp", "add", f"slow{number}", "--", "sleep", "1000")
        until("the trial", lambda: any(b.tmp.iterdir()))
        p.send_signal(number)
        _, err = p.communicate(timeout=DEADLINE_S)
        assert p.returncode == 130 and not list(b.tmp.iterdir()), (p.returncode, err, list(b.tmp.iterdir()))


@test
def an_official_server_is_added(b):
    program = MCP / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    if not program.exists() or not shutil.which("node"):
        raise Skip("npm has not fetched it into tests/mcp")
    r = b.run("mcp", "add", "every", "--read", str(MCP), "--", "node", str(program), code=0)
    assert "mcp__every__get-sum" in r.out, r
    entry = json.dumps({"type": "stdio", "command": shutil.which("node"), "args": [str(program)], "env": {"A": "1"}, "read": [str(MCP)]})
    row = b.run("mcp", "add-json", "again", entry, "--json", code=0).json()
    assert row["status"] == "ready" and row["toolCount"] > 5, row
