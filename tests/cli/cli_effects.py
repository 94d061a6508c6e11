"""Edits are undone, processes stopped, the console opened."""
import json
import re
import urllib.error
import urllib.request

from cli_fixture import DEADLINE_S, test, until


@test
def edits_are_shown_and_taken_back(b):
    (b.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    script = b.dir / "edit.json"
    script.write_text(json.dumps({"version": 1, "default": {"text": "done"}, "rules": [
        {"when": {"request": 1, "text": "fix"}, "reply": {"toolCalls": [
            {"name": "edit_file", "args": {"path": "calc.py", "oldText": "a - b", "newText": "a + b"}},
            {"name": "write_file", "args": {"path": "new.txt", "content": "hello\n"}}]}}]}))
    env = {"THOLE_SCRIPT": str(script)}
    b.run("run", "-c", "permission.mode=bypass", "fix it", code=0, **env)
    assert "a + b" in (b.work / "calc.py").read_text() and (b.work / "new.txt").exists()
    out = b.run("diff", code=0).out
    assert "-    return a - b" in out and "+    return a + b" in out and "new.txt" in out, out
    (b.work / "new.txt").write_text("mine now\n")
    assert "stays as it is" in b.run("undo", code=1).err
    assert (b.work / "new.txt").read_text() == "mine now\n" and "a + b" in (b.work / "calc.py").read_text()
    (b.work / "new.txt").write_text("hello\n")
    (b.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    r = b.run("diff", code=0)
    assert "calc.py" not in r.out and "new.txt" in r.out and "1 change was undone" in r.err, r
    (b.work / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    b.run("undo", code=0)
    assert not (b.work / "new.txt").exists() and "a - b" in (b.work / "calc.py").read_text()
    r = b.run("diff", code=0)
    assert r.out == "" and "2 changes were undone" in r.err, r
    assert len(b.run("diff", "--json", code=0).lines()) == 2
    b.run("run", "hello", code=0, **env)
    assert "no tool changed" in b.run("diff", code=0).err


@test
def what_is_taken_back_stays_where_it_was(b):
    outside = b.dir / "outside"
    outside.mkdir()
    (b.work / "inside").mkdir()
    (b.work / "run.sh").write_text("echo hi\n")
    (b.work / "run.sh").chmod(0o755)
    (b.work / "latin").write_bytes(b"caf\xe9\nsecond\n")
    (b.work / "empty").write_bytes(b"")
    was = {name: (b.work / name).read_bytes() for name in ("run.sh", "latin", "empty")}

    def rule(word, *calls):
        return {"when": {"text": word}, "replies": [{"toolCalls": [{"name": n, "args": a}]} for n, a in calls] + [{"text": "done"}]}

    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        rule("plant", ("write_file", {"path": "d/keys", "content": "of another user\n"})),
        rule("out", ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: d/keys\n*** End Patch\n"})),
        rule("in", ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: d/keys\n*** End Patch\n"})),
        rule("edit", ("edit_file", {"path": "run.sh", "oldText": "hi", "newText": "ho"}),
             ("edit_file", {"path": "latin", "oldText": "second", "newText": "third"}),
             ("write_file", {"path": "empty", "content": "full"}))]})
    b.start("serve", "-c", "permission.mode=bypass").stderr.readline()
    # a link on the way, which no recorded change explains, leads undo nowhere: neither out of the workspace nor to another
    # place in it
    for word, place in (("out", outside), ("in", b.work / "inside")):
        b.run("run", "plant", code=0)
        b.run("run", word, code=0)
        (b.work / "d").rmdir()
        (b.work / "d").symlink_to(place)
        r = b.run("undo", code=1)
        assert "undo does not follow links" in r.err and "thole diff" in r.err, r
        assert list(place.iterdir()) == [], word
        (b.work / "d").unlink()
    # bytes that are no text, nothing at all, and the right to be executed come back as they were
    b.run("run", "edit", code=0)
    assert all((b.work / name).read_bytes() != was[name] for name in was)
    b.run("undo", code=0)
    assert {name: (b.work / name).read_bytes() for name in was} == was
    assert (b.work / "run.sh").stat().st_mode & 0o777 == 0o755


@test
def what_was_written_through_a_link_is_taken_back_where_it_was(b):
    """Links of the workspace, and one out of it whose target a person approved."""
    outside, real, other = b.dir / "outside", b.work / "real", b.work / "other"
    for place in (outside, real, other):
        place.mkdir()
    (b.work / "out").symlink_to(outside)
    (b.work / "link").symlink_to("real")
    calls = [{"name": "write_file", "args": {"path": path, "content": "new\n"}} for path in ("out/f", "out/made", "link/g", "real/h")]
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "go"}, "replies": [{"toolCalls": [c]} for c in calls] + [{"text": "done"}]}]})
    b.start("serve").stderr.readline()

    def turn():
        for file in (outside / "f", real / "g"):
            file.write_text("old\n")
        p = b.terminal("run", "go")
        seen = 0
        while True:
            until("a question or the end", lambda: not p.pump(0.05) or p.seen.count("[y] once") > seen or "thole log" in p.seen)
            if p.seen.count("[y] once") == seen:
                break
            seen = p.seen.count("[y] once")
            p.type("y\n")
        assert p.wait() == 0, p.seen
        assert seen >= 2 and all(f.read_text() == "new\n" for f in (outside / "f", outside / "made", real / "g", real / "h")), p.seen

    def is_back():
        return (outside / "f").read_text() == (real / "g").read_text() == "old\n" and not (outside / "made").exists() and not (real / "h").exists()

    turn()
    places = {e["payload"]["path"]: e["payload"].get("place") for e in b.run("log", "@last", "--json", "--type", "artifact.changed", code=0).lines()}
    assert places == {"out/f": str(outside / "f"), "out/made": str(outside / "made"), "link/g": str(real / "g"), "real/h": None}, places
    b.run("undo", code=0)
    assert is_back(), b.run("diff").err
    # A link that was pointed elsewhere meanwhile leads undo nowhere else.
    turn()
    (b.work / "link").unlink()
    (b.work / "link").symlink_to("other")
    (other / "g").write_text("new\n")
    b.run("undo", code=0)
    assert is_back() and (other / "g").read_text() == "new\n"


@test
def processes_are_listed_written_to_and_stopped(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"request": 1, "text": word}, "reply": {"toolCalls": [{"name": "start_process", "args": args}]}}
        for word, args in (("reader", {"command": "while read -r l; do echo heard $l; done; echo bye; exit 3"}),
                           ("stubborn", {"command": "trap '' TERM; echo up; while :; do sleep 1; done"}),
                           ("screen", {"command": "stty size; sleep 1000", "pty": True, "cols": 70, "rows": 20}))]})
    b.start("serve", "-c", "permission.mode=bypass").stderr.readline()
    empty = b.run("process", "ls", code=0)
    assert empty.out == "" and "nothing runs" in empty.err, empty
    for word in ("reader", "stubborn", "screen"):
        b.run("run", word, code=0)
    rows = {r["commandSummary"].split()[0]: r for r in b.run("process", "ls", "--json", code=0).json()["processes"]}
    assert sorted(rows) == ["stty", "trap", "while"] and all(r["status"] == "running" for r in rows.values()), rows
    reader, stubborn, screen = (rows[w]["processId"] for w in ("while", "trap", "stty"))
    table = b.run("process", "ls", code=0).out
    assert table.splitlines()[0].split()[:3] == ["PROCESS", "STATUS", "BYTES"] and len(table.splitlines()) == 4, table
    shown = b.run("process", "show", reader, code=0).out
    assert reader in shown and "running" in shown and rows["while"]["outputRef"] in shown, shown
    b.run("process", "write", reader, "one", "two", code=0)
    until("the line", lambda: b.run("process", "log", reader, code=0).out == "heard one two\n")
    follower = b.start("process", "log", reader, "-f")
    b.run("process", "write", reader, "three", "--eof", code=0)
    out, _ = follower.communicate(timeout=DEADLINE_S)
    assert out == "heard one two\nheard three\nbye\n" and follower.returncode == 0, out
    ended = until("its end", lambda: [r for r in [b.run("process", "show", reader, "--json", code=0).json()] if r["status"] == "exited"])[0]
    assert ended["exitCode"] == 3, ended
    assert "has ended" in b.run("process", "write", reader, "late", code=1).err
    b.run("process", "resize", screen, "90", "30", code=0)
    b.run("process", "resize", stubborn, "90", "30", code=2)
    b.run("process", "resize", screen, "wide", "30", code=2)
    until("it is up", lambda: b.run("process", "log", stubborn, code=0).out == "up\n")
    b.run("process", "stop", stubborn, "--grace", "100ms", "--reason", "enough", code=0)
    assert b.run("process", "stop", screen, "--json", code=0).json()["status"] == "exited"
    b.run("process", "stop", stubborn, code=1)
    assert b.run("process", "ls", "--json", code=0).json()["processes"] == []
    assert len(b.run("process", "ls", rows["while"]["sessionId"], "--json", code=0).json()["processes"]) == 1
    for args in (("show",), ("write", reader), ("dance",)):
        b.run("process", *args, code=2)
    assert "thole process ls" in b.run("process", "show", "proc_none", code=1).err


@test
def open_gives_an_address_that_works_once(b):
    b.run("run", "hello", code=0)
    r = b.run("open", "@last", "-q")
    if r.code == 1:
        assert "holds no console" in r.err, r
        return
    base, code, to = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#code=([0-9a-f]{32})&to=(\S+)\n", r.out).groups()
    assert to == "/thread/" + b.session() + "/main", r
    assert "works once" in b.run("open", code=0).err

    def sign_in():
        ask = urllib.request.Request(base + "/v1/console/sign-in", json.dumps({"code": code}).encode(),
                                     {"Content-Type": "application/json", "Origin": base})
        return urllib.request.urlopen(ask, timeout=DEADLINE_S)

    with sign_in() as answer:
        assert "HttpOnly; SameSite=Strict" in answer.headers["Set-Cookie"], answer.headers
        assert json.load(answer)["principal"] == "owner"
    try:
        sign_in()
        raise AssertionError("the code worked twice")
    except urllib.error.HTTPError as e:
        assert e.code == 401, e


@test
def a_history_is_summed_up_gone_back_in_and_forked(b):
    b.run("run", "one of them", code=0)
    s = b.session()
    for words in ("two of them", "three of them"):
        b.run("run", "-s", s, words, code=0)
    turns = re.findall(r"turn_\w+", b.run("show", s, code=0).out)
    assert len(turns) == 3, turns
    assert b.run("rollback", turns[1], code=0).out == "1 turn left the history; the log keeps what left\n"
    assert "three of them" in b.run("log", s, code=0).out
    fork = b.run("fork", s, code=0).out.strip()
    assert fork.startswith("thr_") and fork in b.run("show", s, code=0).out, fork
    b.run("run", "-s", s, "--thread", fork, "on the fork", code=0)
    assert re.match(r"\d+ turns? replaced, about \d+ tokens before, \d+ after\n", b.run("compact", s, code=0).out)
    b.run("rollback", "turn_none", code=1)
