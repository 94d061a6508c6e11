"""What an approval covers, against the real sandbox: grants, directories beyond the sandbox, what the question says."""
import json
import os
import shutil
import subprocess

from cli_fixture import THOLE, Skip, test, until

REFUSED = "the sandbox keeps it from writing"


def call(b, command, mode="default", code=None, **more):
    return b.run("call", "--mode", mode, "shell", json.dumps({"command": command, **more}), code=code)


def asks(b, command, mode="default", **more):
    """It needs approval; returns the question, and takes it back."""
    r = call(b, command, mode, code=4, **more)
    action, = b.pending()
    prompt = b.run("approvals", "--json", code=0).json()["actions"][0]["prompt"]
    b.run("deny", action, code=0)
    until("the end of the question", lambda: b.pending() == [])
    return " ".join((r.err + prompt).split())


def allow(b, command, scope, mode="default"):
    call(b, command, mode, code=4)
    action, = b.pending()
    b.run("approve", action, "--scope", scope, code=0)
    until("the end of the turn", lambda: b.run("ps", "-q", code=0).out == "")


def script(path, word):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {word}\n")
    path.chmod(0o755)


@test
def a_grant_for_a_script_covers_no_other_script(b):
    script(b.work / "tool", "good")
    script(b.work / "evil", "bad")
    script(b.work / "other" / "tool", "bad")
    (b.work / "other" / "deep").mkdir()
    (b.work / "link").symlink_to("other/deep")
    allow(b, "./tool", "workspace")
    assert "good" in call(b, "./tool", code=0).out
    for line in ("cd -P link/.. && ./tool", "cd link/.. && ./tool", "env -C link/.. ./tool", "exec -a x ./tool", "env -i ./tool"):
        asks(b, line)
    allow(b, "cp evil tool2", "workspace")
    for line in ("cp evil tool; ./tool", "cp evil tool2; ./tool2", "mv evil tool; ./tool"):
        asks(b, line)
    assert "good" in (b.work / "tool").read_text()
    assert "good" in call(b, "cp evil tool2; ./tool", code=0).out


@test
def a_granted_command_does_not_follow_a_link_that_changed(b):
    subprocess.run(["git", "init", "-q", "."], cwd=b.work, check=True)
    (b.work / "pay").write_text("echo later\n")
    out = b.work / "out"
    out.mkdir()
    allow(b, "cp pay out/hook", "workspace")
    call(b, "cp pay out/hook", code=0)
    shutil.rmtree(out)
    out.symlink_to(".git/hooks")
    asks(b, "cp pay out/hook")
    assert not (b.work / ".git" / "hooks" / "hook").exists()


@test
def settings_of_a_repository_get_no_directory_outside(b):
    outside = b.dir / "outside"
    outside.mkdir()
    (b.work / "mk.py").write_text("""import pathlib, subprocess
subprocess.run(["git", "init", "-q", "tmpl"], check=True)
evil = pathlib.Path("tmpl/evil.sh")
evil.write_text("#!/bin/sh\\ntouch %s/evil\\n")
evil.chmod(0o755)
pathlib.Path("tmpl/.git/config").open("a").write("[core]\\n\\tfsmonitor = ./evil.sh\\n")
""" % outside)
    subprocess.run(["python3", "mk.py"], cwd=b.work, check=True)
    line = f"cp -r tmpl ns && cd ns && git status > {outside}/x"
    assert f"{REFUSED} {outside}/x" in asks(b, line, "on_request")
    allow(b, line, "once", "on_request")
    assert not (outside / "evil").exists() and not (outside / "x").exists()


@test
def the_question_says_that_a_repository_stays(b):
    outside = b.dir / "outside"
    outside.mkdir()
    for at in (outside / "first", outside / "second", b.work / "sub"):
        subprocess.run(["git", "init", "-q", str(at)], check=True)
    for line, path in ((f"mv {outside}/first/.git {outside}/r1", outside / "first" / ".git"),
                       (f"mv {outside}/second {outside}/r2", outside / "second" / ".git"),
                       ("rm -rf sub", b.work / "sub" / ".git")):
        assert f"{REFUSED} {path}" in asks(b, line), line
        allow(b, line, "once")
        assert path.is_dir(), f"{line}: the sandbox let it go"


@test
def programs_of_the_runtime_are_not_replaced(b):
    (b.work / "a").write_text("a\n")
    place = os.path.dirname(os.path.realpath(THOLE))
    if place.startswith("/tmp/"):
        raise Skip("the programs are below /tmp, which each command has for itself")
    said = asks(b, f"cp a {place}/thole-not-there")
    assert f"{REFUSED} {place}/thole-not-there" in said and "access beyond the sandbox" not in said, said


@test
def files_of_a_process_are_not_those_of_the_daemon(b):
    sub = b.work / "sub"
    sub.mkdir()
    call(b, "true", code=0)  # the daemon has its own directory
    call(b, "cd sub && echo x > /proc/self/cwd/.envrc", "on_request", code=4)
    action, = b.pending()
    asked, = [e for e in b.run("log", "@last", "--json", code=0).lines() if e["type"] == "action.required"]
    assert asked["payload"]["scope"]["paths"] == [str(sub / ".envrc")], asked
    b.run("deny", action, code=0)
    until("the end of the question", lambda: b.pending() == [])
    asks(b, "cat /proc/self/root/etc/hostname", "on_request")


@test
def the_end_of_a_long_line_is_shown(b):
    call(b, f"ls {'a' * 400}; rm -rf sub", code=4)
    action, = b.pending()
    listed = b.run("approvals", code=0).out
    assert listed.count("rm -rf sub") == 2, listed  # in the prompt, and in the input below
    assert f"ls {'a' * 400}; rm -rf sub" in listed, listed
    t = b.terminal("approvals")
    t.expect("rm -rf sub")
    assert t.wait() == 0 and "…" not in t.before.replace("[…]", ""), t.before
    b.run("deny", action, code=0)


@test
def a_directory_with_dots_is_a_mistake_of_the_input(b):
    r = call(b, "pwd", cwd="link/..")
    assert r.code == 1 and "sandbox" not in r.err and "name it from the root" in r.out + r.err, r


@test
def scopes_of_a_token_add_up(b):
    b.run("token", "new", "ci", "--scope", "write", "--scope", "read", code=0)
    row, = [t for t in b.run("token", "ls", "--json", code=0).json()["tokens"] if t["name"] == "ci"]
    assert sorted(row["scopes"]) == ["read", "write"], row
