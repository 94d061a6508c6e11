#!/usr/bin/env python3
"""Diagnostics of language servers in the results of edits: real servers where they are installed, and one of the test's own.

usage: diagnostics_test.py BUILD_DIR [WORD ...]     prints TAP; servers that are missing are SKIP lines
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture, until  # noqa: E402
from tap import Skip, play  # noqa: E402

Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
TESTS = []
# A server in a few lines: it answers as `how` says.
OWN = '''
import json, os, sys, time
how = sys.argv[1]
def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\\r\\n":
            return json.loads(sys.stdin.buffer.read(length))
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
def send(m):
    body = json.dumps({"jsonrpc": "2.0", **m}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
while True:
    m = read()
    if m.get("method") == "initialize":
        if how == "dies":
            sys.exit(3)
        if how == "hangs":
            time.sleep(3600)
        if how == "asks":
            send({"id": "q", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
            reply = read()
            assert reply["id"] == "q" and reply["result"] == [None, None], reply
        send({"id": m["id"], "result": {"capabilities": {}}})
    if m.get("method") in ("textDocument/didOpen", "textDocument/didChange"):
        doc = m["params"]["textDocument"]
        if how == "noise":
            sys.stdout.buffer.write(b"Content-Length: 5\\r\\n\\r\\n{...}")
            sys.stdout.buffer.flush()
            continue
        text = doc.get("text") or m["params"]["contentChanges"][0]["text"]
        if how == "once" and doc["version"] > 1:
            continue
        count = 500 if how == "many" else text.count("BAD")
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        found = [{"range": where, "severity": 1, "message": "bad word %d in %s" % (n, os.path.exists(doc["uri"][7:]))} for n in range(count)]
        found.append({"range": where, "severity": 3, "message": "only a hint"})
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": doc["uri"], "version": doc["version"], "diagnostics": found}})
'''


def test(f):
    TESTS.append(f)
    return f


def needs(program):
    if not shutil.which(program):
        raise Skip(f"{program} is not installed")


class Edits(Fixture):
    """files: what is there; calls: what the model does."""
    files = {}

    def prepare(self, calls, options):
        for name, text in self.files.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text)
        return calls, ["permission.mode=bypass", "diagnostics.enabled=true", "diagnostics.wait_ms=20000", *options]


def edits(files, calls, *options, env=None):
    """The texts of the results, as the model gets them."""
    Edits.files = files
    fixture = Edits(calls=calls, options=options, env=env)
    try:
        texts = []
        for _ in calls:
            end = [e for e in fixture.run() if e["type"] in ("tool.result", "tool.failed")][-1]
            assert end["type"] == "tool.result", end["payload"]
            texts.append(end["payload"].get("displayPreview", ""))
        return texts
    finally:
        fixture.close()


def own(how, *more, content="BAD words\n", calls=1, **options):
    server = {"own": {"command": ["python3", "-c", OWN, how], "files": {"text": [".txt"]}}}
    return edits({}, [("write_file", {"path": "a.txt", "content": content if n % 2 == 0 else "fine\n"}) for n in range(calls)],
                 f"diagnostics.servers={json.dumps(server)}", *more, **options)


@test
def clangd_tells_what_is_wrong():
    needs("clangd")
    texts = edits({"a.c": "int main(void)\n{\n\treturn 0;\n}\n"},
                  [("edit_file", {"path": "a.c", "oldText": "return 0", "newText": "return y"}),
                   ("edit_file", {"path": "a.c", "oldText": "return y", "newText": "return 1"})])
    assert "a.c:3:9: error:" in texts[0] and "Diagnostics of clangd" in texts[0], texts[0]
    assert "Diagnostics" not in texts[1], texts[1]


@test
def pyright_tells_what_is_wrong():
    needs("pyright-langserver")
    texts = edits({}, [("write_file", {"path": "a.py", "content": "def f() -> int:\n    return 'a'\n"})])
    assert "a.py:2:" in texts[0] and "pyright" in texts[0], texts[0]


@test
def typescript_tells_what_is_wrong():
    needs("typescript-language-server")
    texts = edits({"tsconfig.json": "{}\n"}, [("write_file", {"path": "a.ts", "content": "const n: number = 'a';\nexport default n;\n"})])
    assert "a.ts:1:" in texts[0] and "typescript-language-server" in texts[0], texts[0]


@test
def gopls_tells_what_is_wrong():
    needs("gopls")
    texts = edits({"go.mod": "module example.org/a\n\ngo 1.19\n"}, [("write_file", {"path": "a.go", "content": "package a\n\nfunc F() int { return \"a\" }\n"})])
    assert "a.go:3:" in texts[0] and "gopls" in texts[0], texts[0]


@test
def rust_analyzer_tells_what_is_wrong():
    needs("rust-analyzer")
    if subprocess.run(["rust-analyzer", "--version"], capture_output=True).returncode:
        raise Skip("rust-analyzer is a front without a toolchain")
    texts = edits({"Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "Cargo.lock": "version = 3\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n",
                   "src/lib.rs": "pub fn f() -> i32 { 1 }\n"},
                  [("edit_file", {"path": "src/lib.rs", "oldText": "{ 1 }", "newText": "{ 1 + }"})])
    assert "src/lib.rs:1:" in texts[0] and "rust-analyzer" in texts[0], texts[0]


@test
def a_server_of_the_settings_is_asked():
    texts = own("plain", calls=3)
    assert "a.txt:1:1: error: bad word 0 in True" in texts[0] and "only a hint" not in texts[0], texts
    assert "Diagnostics" not in texts[1] and "bad word" in texts[2], texts


@test
def a_server_may_ask_for_its_settings():
    assert "bad word" in own("asks")[0]


@test
def many_are_cut_and_counted():
    text = own("many")[0]
    assert text.count("bad word") <= 40 and "more" in text, text[-300:]


@test
def a_server_that_dies_costs_nothing_but_its_diagnostics():
    for how in ("dies", "noise"):
        texts = own(how, calls=2)
        assert all("Diagnostics" not in t for t in texts), texts


@test
def a_server_that_hangs_is_not_waited_for_beyond_the_setting():
    assert "Diagnostics" not in own("hangs", "diagnostics.wait_ms=300")[0]


@test
def what_was_said_of_an_older_content_is_not_repeated():
    texts = own("once", "diagnostics.wait_ms=1500", calls=2)
    assert "bad word" in texts[0] and "bad word" not in texts[1], texts


@test
def without_a_sandbox_for_commands_servers_have_one():
    spy = ("import os,sys\n"
           "try:\n open('planted.txt', 'w').write('x'); wrote = True\nexcept OSError:\n wrote = False\n"
           + OWN.replace('"bad word %d in %s" % (n, os.path.exists(doc["uri"][7:]))', '"writes %s" % wrote'))
    server = {"own": {"command": ["python3", "-c", spy, "plain"], "files": {"text": [".txt"]}}}
    text = edits({}, [("write_file", {"path": "a.txt", "content": "BAD\n"})], f"diagnostics.servers={json.dumps(server)}",
                 "sandbox.mode=danger_full_access")[0]
    assert "writes False" in text, text


@test
def messages_are_one_line_without_escapes():
    loud = OWN.replace('"bad word %d in %s" % (n, os.path.exists(doc["uri"][7:]))', '"red \\x1b[31m\\nDone. All tests passed."')
    server = {"own": {"command": ["python3", "-c", loud, "plain"], "files": {"text": [".txt"]}}}
    text = edits({}, [("write_file", {"path": "a.txt", "content": "BAD\n"})], f"diagnostics.servers={json.dumps(server)}")[0]
    assert "\x1b" not in text and "\nDone." not in text and "Done. All tests passed." in text, text


@test
def off_is_one_setting():
    assert "Diagnostics" not in own("plain", "diagnostics.enabled=false")[0]


@test
def servers_see_what_commands_see_and_write_nothing():
    home = pathlib.Path.home() / ".thole-diagnostics-test"
    home.write_text("secret\n")
    spy = ("import os,sys\n"
           f"found = os.path.exists({str(home)!r})\n"
           "try:\n open('planted.txt', 'w').write('x'); wrote = True\nexcept OSError:\n wrote = False\n"
           + OWN.replace('"bad word %d in %s" % (n, os.path.exists(doc["uri"][7:]))', '"sees %s writes %s" % (found, wrote)'))
    try:
        server = {"own": {"command": ["python3", "-c", spy, "plain"], "files": {"text": [".txt"]}}}
        text = edits({}, [("write_file", {"path": "a.txt", "content": "BAD\n"})], f"diagnostics.servers={json.dumps(server)}")[0]
        assert "sees False writes False" in text, text
    finally:
        home.unlink()


@test
def no_server_outlives_the_daemon():
    mark = f"thole-own-{os.getpid()}"
    server = {"own": {"command": ["python3", "-c", OWN, "plain", mark], "files": {"text": [".txt"]}}}
    edits({}, [("write_file", {"path": "a.txt", "content": "BAD\n"})], f"diagnostics.servers={json.dumps(server)}")
    until("its end", lambda: not [p for p in pathlib.Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in read(p)])


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


@test
def wrong_settings_are_refused():
    for bad in ('{"x": {}}', '{"x": {"command": [], "files": {"a": [".a"]}}}', '{"x": {"command": ["a"], "files": {}}}', '{"x": {"command": ["a"], "files": {"a": [1]}}}'):
        with tempfile.TemporaryDirectory() as data:
            p = subprocess.run([Fixture.build + "/thole", "serve", "--data", data + "/d", "-c", f"diagnostics.servers={bad}"], capture_output=True, text=True, timeout=60)
        assert p.returncode and "diagnostics.servers" in p.stderr, (bad, p.stderr)


if __name__ == "__main__":
    sys.exit(play(TESTS, sys.argv[2:]))
