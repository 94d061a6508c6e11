"""Commands in sandboxes, and the directories that they use."""
import json
import os
import pathlib
import shutil
import stat
import struct
import subprocess

from cli_fixture import DEADLINE_S, THOLE, Skip, test, until

# A supervisor that may make no namespaces.
WEAK = """#!/bin/sh
exec unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh {hand} "$@"
"""


@test
def a_command_runs_in_a_sandbox(b):
    outside, secret = b.dir / "outside", b.work / "secret"
    outside.mkdir()
    secret.write_text("canary\n")
    (b.work / "hello").write_text("hello\n")
    assert b.run("sandbox", "run", "--", "cat", "hello", code=0).out == "hello\n"
    assert b.run("sandbox", "run", "--", "sh", "-c", "exit 7").code == 7
    assert b.run("sandbox", "run", "--", "no-such-program").code == 127
    assert b.run("sandbox", "run", "--", "cat", stdin="from outside", code=0).out == "from outside"
    # writing: not with read-only, in the workspace, elsewhere only when asked for
    b.run("sandbox", "run", "--profile", "read-only", "--", "sh", "-c", "echo x > made")
    assert not (b.work / "made").exists()
    b.run("sandbox", "run", "--profile", "workspace-write", "-C", str(b.work), "--", "sh", "-c", "echo x > made", code=0)
    assert (b.work / "made").read_text() == "x\n"
    b.run("sandbox", "run", "--", "sh", "-c", f"echo x > {outside}/x")
    assert not (outside / "x").exists()
    b.run("sandbox", "run", "--write", str(outside), "--", "sh", "-c", f"echo x > {outside}/x", code=0)
    assert (outside / "x").exists()
    # reading
    r = b.run("sandbox", "run", "--deny-read", str(secret), "--", "cat", "secret", code=0)
    assert r.out == "" and "canary" not in r.err  # an empty file covers it, so that opening it is noticed
    r = b.run("sandbox", "run", "--env", "WORD=said", "--", "sh", "-c", "echo $WORD$THOLE_DATA", code=0)
    assert r.out == "said\n"


# Writes by relative path, by descriptor of a directory and from threads; then two names that are refused.
WRITER = """
import os, threading
os.makedirs("d")
os.makedirs(".cargo", exist_ok=True)
fd = os.open("d", os.O_RDONLY)
def write(n):
    for i in range(20):
        os.close(os.open(f"t{n}-{i}", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=fd))
threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
os.chdir("d")
open("relative", "w").close()
for path in ("../.Rprofile", "../.cargo/config"):
    try:
        open(path, "w")
        print("written", path)
    except OSError:
        print("refused", path)
"""


@test
def a_command_writes_where_proc_is_masked(b):
    """In most containers no /proc can be mounted for the sandbox, and every write was refused with EBADF."""
    masked = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc/fs && exec "$@"', "sh"]
    if os.getuid() or subprocess.run([*masked, "true"], capture_output=True).returncode:
        raise Skip("needs root and the right to mount")
    (b.work / "writer.py").write_text(WRITER)
    r = subprocess.run([*masked, str(THOLE), "sandbox", "run", "--fail-closed", "--json", "-C", str(b.work), "--",
                        "/usr/bin/python3", "writer.py"], capture_output=True, text=True, env=b.env, cwd=b.work, timeout=DEADLINE_S)
    assert r.returncode == 0, r
    assert "no_proc" in r.stderr, r.stderr
    assert len(list((b.work / "d").iterdir())) == 81, r
    assert r.stdout.split("\n")[:2] == ["refused ../.Rprofile", "refused ../.cargo/config"], r
    assert not (b.work / ".Rprofile").exists()


@test
def a_timeout_that_is_no_number_of_milliseconds_is_refused(b):
    hand = str(THOLE) + "-supervisor"
    for value in ("9223372036854775807", "9223372036854776", "8388608T"):
        r = subprocess.run([hand, "sandbox-run", "--timeout", value, "--", "true"], capture_output=True, timeout=DEADLINE_S, cwd=b.work)
        assert r.returncode == 2 and r.stderr, (value, r)


@test
def the_report_of_a_sandbox_is_written(b):
    r = b.run("sandbox", "run", "--json", "--net", "off", "--", "true", code=0)
    report = json.loads(r.err)
    assert r.out == "" and report["sandboxProfile"]["mode"] == "workspace_write"
    assert report["sandboxProfile"]["tier"] == b.run("sandbox", "probe", code=0).json()["tier"]
    assert report["process"]["exitCode"] == 0 and report["process"]["survivors"] == 0
    r = b.run("sandbox", "run", "--json", "--timeout", "1s", "--", "sleep", "30")
    assert json.loads(r.err)["process"]["cause"] == "timeout"
    with open(b.dir / "report", "w") as f:
        subprocess.run(["sh", "-c", f"exec {THOLE} sandbox run --json -- true 3>&1 >/dev/null"], stdout=f, env=b.env,
                       cwd=b.work, check=True, timeout=DEADLINE_S)
    assert json.loads((b.dir / "report").read_text())["violations"] == []


@test
def the_daemon_that_a_command_started_knows_the_sandbox_of_its_sessions(b):
    tier = b.run("sandbox", "probe", code=0).json()["tier"]
    b.run("run", "hello", code=0)
    started = [e for e in b.run("log", "--json", "--type", "turn.started", code=0).lines()]
    assert started[0]["executionEnvironment"]["sandboxProfile"] == {"mode": "workspace_write", "tier": tier}, started
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "get_capabilities", "params": {}}) + "\n"
    said = json.loads(b.run("rpc", stdin=call, code=0).out.splitlines()[0])
    assert said["result"]["sandbox"] == {"status": "available", "mode": "workspace_write", "tier": tier}, said


@test
def running_without_a_sandbox_is_announced(b):
    assert "No sandbox" in b.run("sandbox", "run", "-q", "--profile", "danger-full-access", "--", "true", code=0).err
    assert b.run("sandbox", "run", "--", "true", code=0).err == ""
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "run"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": "ls"}}]}, {"text": "done"}]}]})
    r = b.run("run", "-c", "sandbox.mode=danger_full_access", "run it", code=0)
    assert "no sandbox" in r.err and "danger_full_access" in (b.data / "daemon.log").read_text(), r
    checks = {c["id"]: c for c in b.run("doctor", "--json", code=0).json()["checks"]}
    assert checks["sandbox.mode"]["status"] == "note" and "without a sandbox" in checks["sandbox.mode"]["detail"], checks
    b.run("serve", "--stop", code=0)
    r = b.run("run", "run it", code=0)
    assert "no sandbox" not in r.err and "without a sandbox" not in b.run("doctor", code=0).out, r
    assert "sandbox.mode wants one of: read_only workspace_write" in b.run("--here", "run", "-c", "sandbox.mode=none", "x", code=3).err


@test
def a_sandbox_that_is_not_available_is_refused(b):
    for args in (["sandbox"], ["sandbox", "walk"], ["sandbox", "run"], ["sandbox", "probe", "x"],
                 ["sandbox", "run", "--profile", "anything", "--", "true"]):
        assert b.run(*args, code=2).err, args
    assert b.run("sandbox", "run", "-C", "/nonexistent", "--", "true", code=125).err
    assert "THOLE_HAND" in b.run("sandbox", "run", "--", "true", code=8, THOLE_HAND="/nonexistent").err
    assert not b.data.exists(), "no daemon is needed"


@test
def a_weaker_sandbox_is_reported_and_can_be_refused(b):
    hand = b.dir / "weak-hand"
    hand.write_text(WEAK.format(hand=THOLE + "-hand"))
    hand.chmod(0o755)
    if subprocess.run([hand, "--version"], capture_output=True).returncode:
        raise Skip("needs user namespaces")
    tier = b.run("sandbox", "probe", code=0, THOLE_HAND=str(hand)).json()["tier"]
    assert tier.startswith("landlock"), tier
    r = b.run("sandbox", "run", "--", "echo", "inside", code=0, THOLE_HAND=str(hand))
    assert r.out == "inside\n" and r.err.startswith(f"thole-supervisor: tier {tier}: no namespaces here"), r
    assert json.loads(b.run("sandbox", "run", "--json", "--", "true", code=0, THOLE_HAND=str(hand)).err)["degraded"]
    r = b.run("sandbox", "run", "--fail-closed", "--", "echo", "inside", code=125, THOLE_HAND=str(hand))
    assert r.out == "" and f"only tier {tier} is available here (user namespaces cannot be made), and nothing weaker" in r.err, r


@test
def paths_and_settings_are_printed(b):
    assert b.run("path", code=0).out.strip() == str(b.data)
    assert b.run("path", "socket", code=0).out.strip() == str(b.data / "socket")
    assert b.run("path", THOLE_DATA="", code=0).out.strip() == str(b.dir / ".local/state/thole")
    assert b.run("path", THOLE_DATA="", XDG_STATE_HOME="/x", code=0).out.strip() == "/x/thole"
    assert b.run("path", "--data", "rel", code=0).out.strip() == str(b.work / "rel")
    assert not b.data.exists()
    out = b.run("config", code=0).out
    assert str(b.data) in out and "THOLE_DATA" in out
    b.run("channel", "list", code=0)


@test
def caches_are_trimmed_while_the_daemon_runs(b):
    """They were trimmed at its start only."""
    b.env["THOLE_SCRIPT"] = b.script({"rules": [{"when": {"request": 1, "text": "store it"}, "reply": {"toolCalls": [
        {"name": "shell", "args": {"command": "mkdir -p $npm_config_cache && head -c 3000000 /dev/urandom > $npm_config_cache/x && echo filled"}}]}},
        {"when": {"request": 1, "text": "use it"}, "reply": {"toolCalls": [
            {"name": "shell", "args": {"command": "touch begun; sleep 600"}}]}}],
        "default": {"text": "done"}})
    caches = b.dir / "data-cache" / "workspaces"
    places = [b.dir / name for name in ("one", "two", "three")]
    for place in places:
        place.mkdir()
    folder = b.dir / ".config" / "thole"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"permission.mode": "bypass", "sandbox.cache_bytes": 8000000}))
    b.run("run", "-C", str(places[0]), "store it", code=0)
    first = list(caches.glob("*/npm/x"))
    if not first:
        raise Skip("commands have no caches here")
    b.run("run", "-C", str(places[1]), "store it", code=0)
    second = [path for path in caches.glob("*/npm/x") if path not in first]
    b.run("run", "-C", str(places[0]), "--detach", "use it", code=0)
    until("the command", lambda: (places[0] / "begun").exists())
    os.utime(first[0].parent.parent, (1, 1))  # as if it were the one that was used longest ago
    # a moment without a round, then one more cache
    until("the third", lambda: b.run("run", "-C", str(places[2]), "store it").code == 0 and not second[0].exists())
    assert first[0].exists(), "a command uses it"
    b.run("stop", "@last")


@test
def what_was_approved_outside_the_workspace_works_and_nothing_more(b):
    outside, other = b.dir / "outside", b.dir / "other"
    outside.mkdir()
    other.mkdir()
    (b.work / "a").write_text("a\n")
    (b.work / "run.sh").write_text(f"echo more > {outside}/more\necho out\n")
    (outside / "old").write_text("old\n")
    # the tool's call, what the question says, what has to exist afterwards
    granted, refused = "It needs access beyond the sandbox: to write", "Even if you allow it, the sandbox keeps it from writing"
    cases = {
        "first": ("write_file", {"path": f"{outside}/x", "content": "x\n"}, f"{granted} {outside}/x.", outside / "x"),
        "second": ("shell", {"command": f"echo f > {outside}/f"}, f"{granted} in {outside}.", outside / "f"),
        "third": ("shell", {"command": f"cp a {outside}/c"}, f"{granted} in {outside}.", outside / "c"),
        "fourth": ("shell", {"command": f"mkdir -p {outside}/dir ../other/sibling"}, f"{granted} in {outside}, to write in {other}.",
                   other / "sibling"),
        "home": ("shell", {"command": f"echo x > {b.dir}/notes"}, f"{refused} {b.dir}/notes.", None),
        "up": ("shell", {"command": "mkdir ../sibling"}, f"{refused} {b.dir}/sibling.", None),
        "fifth": ("shell", {"command": f"mv a {outside}/b && rm {outside}/old"}, f"{granted} in {outside}.", outside / "b"),
        "sixth": ("shell", {"command": f"sh run.sh > {outside}/s"}, f"{refused} {outside}/s.", None),
        "seventh": ("write_file", {"path": "AGENTS.md", "content": "x\n"}, f"{granted} {b.work}/AGENTS.md.", b.work / "AGENTS.md"),
        "eighth": ("shell", {"command": "echo x > CLAUDE.md"}, f"{refused} {b.work}/CLAUDE.md.", None),
        "ninth": ("shell", {"command": f"echo x > {b.dir}/.bashrc"}, f"{refused} {b.dir}/.bashrc.", None),
        "tenth": ("write_file", {"path": f"{outside}/none/x", "content": "x\n"}, f"{refused} {outside}/none/x.", None),
        "eleventh": ("shell", {"command": f"echo y > {outside}/y && echo z > {outside}/none/z"}, f"{refused} {outside}/y.", None),
    }
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": tool, "args": args}]}, {"text": "done"}]}
        for word, (tool, args, _, _) in cases.items()]})
    for mode in ("default", "on_request"):
        for word, (tool, args, said, made) in cases.items():
            (b.work / "a").write_text("a\n")
            (outside / "old").write_text("old\n")
            asked = b.run("run", "--mode", mode, word, code=4)
            assert said in " ".join(asked.err.split()), (mode, word, asked)
            action = asked.err.split("thole approve ")[1].split()[0]
            b.run("approve", action, code=0)
            until("the end of the turn", lambda: "turn.completed" in b.run("log", "@last").out)
            log = b.run("log", "@last", "--json", code=0).out
            if made:
                assert made.exists() and "sandbox.violation" not in log, (mode, word, log[-3000:])
                made.rmdir() if made.is_dir() else made.unlink()
            else:
                assert "sandbox_denied" in log or word in ("home", "up", "ninth"), (mode, word, log[-3000:])
                assert not (b.dir / "notes").exists() and not (b.dir / "sibling").exists(), "a private home directory took them"
            assert sorted(p.name for p in outside.iterdir() if p.is_file()) == ([] if word == "fifth" else ["old"]), (mode, word)
            # placeholders, which are directories, stay for a second
            assert not (b.dir / ".bashrc").is_file() and [p for p in other.iterdir() if p.is_file()] == [], (mode, word)


@test
def protected_files_that_a_person_approves_are_written_by_file_tools(b):
    """Instructions of agents and CI are everyday work; only the named file is open, and only for that call."""
    workflows = b.work / ".github" / "workflows"
    (b.work / "CLAUDE.md").write_text("one\n")
    patch = "*** Begin Patch\n*** Update File: CLAUDE.md\n@@\n-two\n+three\n*** Add File: .npmrc\n+x=1\n*** End Patch"
    # the call, the file, its text afterwards; absent: the sandbox refuses
    cases = {
        "first": ("write_file", {"path": "AGENTS.md", "content": "new\n"}, b.work / "AGENTS.md", "new\n"),
        "second": ("edit_file", {"path": "CLAUDE.md", "oldText": "one", "newText": "two"}, b.work / "CLAUDE.md", "two\n"),
        "third": ("write_file", {"path": ".github/workflows/ci.yml", "content": "on: push\n"}, workflows / "ci.yml", "on: push\n"),
        "fourth": ("edit_file", {"path": ".github/workflows/ci.yml", "oldText": "push", "newText": "tag"}, workflows / "ci.yml", "on: tag\n"),
        "fifth": ("apply_patch", {"patch": patch}, b.work / "CLAUDE.md", "three\n"),
        "sixth": ("write_file", {"path": ".git/hooks/pre-commit", "content": "x\n"}, b.work / ".git/hooks/pre-commit", None),
        "seventh": ("shell", {"command": "echo more >> CLAUDE.md"}, b.work / "CLAUDE.md", None),
    }
    subprocess.run(["git", "init", "-q", b.work], check=True)
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": tool, "args": args}]}, {"text": "done"}]}
        for word, (tool, args, _, _) in cases.items()] + [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "sleep 600"}}]}, {"text": "done"}]},
        {"when": {"text": "plainly"}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": "GEMINI.md", "content": "x"}}]}, {"text": "done"}]}]})
    b.run("run", "--mode", "bypass", "process", code=0)  # its sandbox has placeholders for what is missing
    for word, (_, _, path, text) in cases.items():
        before = path.read_bytes() if path.is_file() else None
        asked = b.run("run", "--mode", "on_request", word, code=4)
        words = " ".join(asked.err.split())
        assert (("It needs access beyond the sandbox: to write" if text else "Even if you allow it, the sandbox keeps it from writing")
                in words), (word, words)
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", "@last").out)
        if text:
            assert path.is_file() and path.read_text() == text, (word, b.run("log", "@last", "--json").out[-3000:])
        else:
            assert (path.read_bytes() if path.is_file() else None) == before, word
            assert "sandbox_denied" in b.run("log", "@last", "--json").out, word
    # without a person nothing is opened, and the model learns why
    b.run("run", "--mode", "bypass", "plainly", code=0)
    log = b.run("log", "@last", "--json", code=0).out
    assert not (b.work / "GEMINI.md").is_file() and "GEMINI.md is protected" in log, log[-3000:]


# Opens each file that appears and keeps the descriptor; then tries the protected ones by another name.
MEDDLER = """
import ctypes, os, struct, time
libc = ctypes.CDLL(None)
watch, kept = libc.inotify_init(), []
libc.inotify_add_watch(watch, b".", 0x100)
open("ready.log", "w").close()
end = time.monotonic() + 60
os.set_blocking(watch, False)
while time.monotonic() < end and not os.path.exists("over.log"):
    try:
        events = os.read(watch, 65536)
    except BlockingIOError:
        events = b""
    at = 0
    while at < len(events):
        size = struct.unpack_from("iIII", events, at)[3]
        name = events[at + 16:at + 16 + size].rstrip(b"\\0")
        at += 16 + size
        try:
            kept.append(os.open(name, os.O_WRONLY | os.O_APPEND))
        except OSError:
            pass
    for attempt in (lambda: os.link("AGENTS.md", "other"), lambda: os.rename(".github", "taken"), lambda: os.chmod("AGENTS.md", 0o777)):
        try:
            attempt()
        except OSError:
            pass
    for name in ("other", "taken/workflows/ci.yml"):
        try:
            with open(name, "r+") as f:
                f.write("evil")
        except OSError:
            pass
    for fd in kept:
        os.write(fd, b"evil")
open("done.log", "w").close()
"""


@test
def another_command_does_not_change_the_file_that_was_approved(b):
    """The placeholder of a running sandbox goes away with the approved call; its command still cannot write there."""
    (b.work / ".gitignore").write_text("*.log\n")
    (b.work / "meddler.py").write_text(MEDDLER)
    cases = {"first": ("AGENTS.md", "good\n"), "second": (".github/workflows/ci.yml", "fine\n"), "third": ("AGENTS.md", "better\n")}
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [
            {"toolCalls": [{"name": "start_process", "args": {"command": "python3 meddler.py"}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": path, "content": text}}]}, {"text": "done"}]}
        for word, (path, text) in cases.items()]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for word in cases:
        asked = b.run("run", "--mode", "on_request", word, code=4)
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", "@last").out)
    (b.work / "over.log").write_text("")
    until("its end", (b.work / "done.log").exists)
    left = [(b.work / name).read_text() for name in ("AGENTS.md", ".github/workflows/ci.yml")]
    assert left == ["better\n", "fine\n"], left
    assert not (b.work / "other").exists() and not (b.work / "taken").exists()


def named(b, begin):
    """Also while placeholders go: os.walk() passes over what is gone."""
    return [name for _, dirs, files in os.walk(b.work) for name in dirs + files if name.startswith(begin)]


@test
def a_command_that_swaps_paths_does_not_change_what_was_approved(b):
    """Its threads change the path between the sandbox's check and the kernel's use, and keep whatever they can open."""
    swapper = pathlib.Path(THOLE).parent / "tests" / "escape" / "swapper"
    if not swapper.exists():
        raise Skip("this build has no swapper")
    rounds = int(os.environ.get("SWAPPER_ROUNDS", "4"))
    workflow = b.work / ".github" / "workflows" / "ci.yml"
    (b.work / ".gitignore").write_text("*.log\n")
    shutil.copy(swapper, b.work / "swapper")
    names = ("AGENTS.md", ".github/workflows/ci.yml", "CLAUDE.md")
    patch = "*** Begin Patch\n*** {} File: AGENTS.md\n{}*** {} File: CLAUDE.md\n{}*** End Patch"
    calls = {}
    for n in range(rounds):
        calls[f"agents{n}."] = ("write_file", {"path": "AGENTS.md", "content": f"good {n}\n"})
        calls[f"workflow{n}."] = ("write_file", {"path": names[1], "content": f"fine {n}\n"})
        calls[f"both{n}."] = ("apply_patch", {"patch": patch.format(
            "Update", f"@@\n-good {n}\n+better {n}\n", "Update" if n else "Add", f"@@\n-all {n - 1}\n+all {n}\n" if n else "+all 0\n")})
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [
            {"toolCalls": [{"name": "start_process", "args": {"command": "./swapper " + " ".join(names)}}]}, {"text": "done"}]},
        {"when": {"text": "briefly"}, "replies": [
            {"toolCalls": [{"name": "shell", "args": {"command": "timeout -s KILL 0.3 ./swapper " + " ".join(names)}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": tool, "args": args}]}, {"text": "done"}]}
        for word, (tool, args) in calls.items()]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for n in range(rounds):
        shutil.rmtree(b.work / ".github", ignore_errors=True)  # by a person: the next call makes it again
        for word in ("agents", "workflow", "both"):
            asked = b.run("run", "--mode", "on_request", f"{word}{n}.", code=4)
            b.start("run", "--mode", "bypass", "briefly", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # its sandbox starts meanwhile
            session = asked.err.split("session ")[1].split()[0]  # the other command is the last one that did anything
            b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
            until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
            log = b.run("log", session, "--json").out
            want = [f"good {n}\n" if word != "both" else f"better {n}\n"]
            want += [f"fine {n}\n"] if word != "agents" else []
            want += [f"all {n}\n"] if word == "both" else []
            left = [(b.work / name).read_text() if (b.work / name).is_file() else None for name in names[:len(want)]]
            assert left == want, (word, n, left, log[-3000:])
            assert [stat.S_IMODE((b.work / name).stat().st_mode) & 0o022 for name in names[:len(want)]] == [0] * len(want), (word, n)
            assert [(b.work / name).stat().st_nlink for name in names[:len(want)]] == [1] * len(want), (word, n)
    (b.work / "over.log").write_text("")
    until("its end", (b.work / "done.log").exists)
    assert [(b.work / name).read_text() for name in names] == want, "later"
    assert not named(b, ".thole-"), "temporary files are left"


@test
def a_command_does_not_move_the_directory_above_what_was_approved(b):
    """It made that directory after its sandbox began, so the directory was no mount point."""
    swapper = pathlib.Path(THOLE).parent / "tests" / "escape" / "swapper"
    if not swapper.exists():
        raise Skip("this build has no swapper")
    shutil.copy(swapper, b.work / "swapper")
    calls = {"first": (".github/workflows/ci.yml", "good\n"), "second": (".github/copilot-instructions.md", "fine\n"), "third": (".github/workflows/ci.yml", "better\n")}
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [
            {"toolCalls": [{"name": "start_process", "args": {"command": "./swapper -m .github .github/workflows/ci.yml"}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": path, "content": text}}]}, {"text": "done"}]}
        for word, (path, text) in calls.items()]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for word, (path, text) in calls.items():
        asked = b.run("run", "--mode", "on_request", word, code=4)
        session = asked.err.split("session ")[1].split()[0]
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
        assert (b.work / path).read_text() == text, b.run("log", session, "--json").out[-3000:]
    until("the attempts", (b.work / "done.log").exists)
    assert not (b.work / "moved.log").exists() and (b.work / ".github/workflows/ci.yml").read_text() == "better\n"


@test
def an_approved_file_that_another_sandbox_cannot_be_kept_from_is_not_written(b):
    """It can where a directory beside the file was closed from its start; otherwise the call says which process is in the way."""
    (b.work / ".github").mkdir()
    (b.work / ".cargo").mkdir()
    (b.work / ".cargo" / "config.toml").write_text("old\n")
    (b.work / ".github" / "workflows").mkdir()
    cases = {"first": (".github/copilot-instructions.md", "new\n"), "second": (".cargo/config.toml", None), "third": ("AGENTS.md", "new\n"),
             "fourth": (".github/workflows/ci.yml", "new\n"), "fifth": ("CLAUDE.md", "new\n"), "sixth": (".claude/settings.json", "new\n"),
             "seventh": (".mcp.json", "new\n")}
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "touch ready.log; sleep 600"}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": path, "content": "new\n"}}]}, {"text": "done"}]}
        for word, (path, _) in cases.items()]})

    def approve(word):
        asked = b.run("run", "--mode", "on_request", word, code=4)
        session = asked.err.split("session ")[1].split()[0]
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
        return b.run("log", session, "--json").out

    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for word, (path, text) in cases.items():
        if word == "fifth":
            (b.work / ".thole").rmdir()  # a person may: then the directory that comes is open to the other command
        if word == "seventh":
            until("the end of the placeholder", lambda: not (b.work / ".thole").exists())
            (b.dir / "rules").mkdir()
            (b.work / ".thole").symlink_to(b.dir / "rules")
        log = approve(word)
        left = (b.work / path).read_text()
        assert left == (text or "old\n"), (word, left, log[-3000:])
        assert ("could change the file while it is written" in log) == (text is None), (word, log[-3000:])
    (b.work / ".thole").unlink()
    # without the other process it works
    b.run("process", "stop", b.run("process", "ls", "-q", code=0).ids()[0], code=0)
    until("the end of the process", lambda: not b.run("process", "ls", "-q", code=0).ids())
    approve("second")
    assert (b.work / ".cargo/config.toml").read_text() == "new\n"
    until("the end of the placeholders", lambda: not named(b, ".thole"))


@test
def an_approved_deletion_leaves_no_free_name_to_other_commands(b):
    """The placeholder comes back, closed for the sandbox that runs, and goes with it."""
    (b.work / "AGENTS.md").write_text("old\n")
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {
            "command": "touch ready.log; until [ -e go.log ]; do sleep 0.05; done; rmdir AGENTS.md; mv AGENTS.md x; echo evil > AGENTS.md/x; chmod 777 AGENTS.md; touch done.log; sleep 600"}}]}, {"text": "done"}]},
        {"when": {"text": "delete"}, "replies": [{"toolCalls": [{"name": "apply_patch", "args": {"patch": patch}}]}, {"text": "done"}]}]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    asked = b.run("run", "--mode", "on_request", "delete", code=4)
    b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
    until("the placeholder", (b.work / "AGENTS.md").is_dir)
    (b.work / "go.log").write_text("")
    until("the attempts", (b.work / "done.log").exists)
    assert stat.S_IMODE((b.work / "AGENTS.md").stat().st_mode) == 0o555 and not list((b.work / "AGENTS.md").iterdir())
    assert not named(b, ".thole-")
    b.run("process", "stop", b.run("process", "ls", "-q", code=0).ids()[0], code=0)
    until("the end of the placeholder", lambda: not (b.work / "AGENTS.md").exists())


@test
def a_command_that_swaps_paths_does_not_take_the_name_of_a_deleted_file(b):
    """The placeholder and the file change places, so the name is never free."""
    swapper = pathlib.Path(THOLE).parent / "tests" / "escape" / "swapper"
    if not swapper.exists():
        raise Skip("this build has no swapper")
    rounds = int(os.environ.get("SWAPPER_ROUNDS", "4"))
    (b.work / ".gitignore").write_text("*.log\n")
    shutil.copy(swapper, b.work / "swapper")
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [
            {"toolCalls": [{"name": "start_process", "args": {"command": "./swapper AGENTS.md"}}]}, {"text": "done"}]},
        {"when": {"text": "briefly"}, "replies": [
            {"toolCalls": [{"name": "shell", "args": {"command": "timeout -s KILL 0.3 ./swapper AGENTS.md"}}]}, {"text": "done"}]},
        {"when": {"text": "write"}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": "AGENTS.md", "content": "good\n"}}]}, {"text": "done"}]},
        {"when": {"text": "delete"}, "replies": [{"toolCalls": [{"name": "apply_patch", "args": {"patch": patch}}]}, {"text": "done"}]}]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    place = b.work / "AGENTS.md"
    taken = []
    for n in range(rounds):
        for word in ("write", "delete"):
            asked = b.run("run", "--mode", "on_request", word, code=4)
            b.start("run", "--mode", "bypass", "briefly", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # its sandbox starts meanwhile
            session = asked.err.split("session ")[1].split()[0]
            b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
            until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
            left = (place.stat(), list(place.iterdir()) if place.is_dir() else place.read_bytes()[:9]) if place.exists() else (None, None)
            if left[1] != (b"good\n" if word == "write" else []) or (word == "delete" and stat.S_IMODE(left[0].st_mode) != 0o555):
                taken.append((n, word, left[1]))
    assert not taken, (rounds, len(taken), taken, b.run("log", session, "--json").out[-3000:])
    (b.work / "over.log").write_text("")
    until("its end", (b.work / "done.log").exists)
    assert not named(b, ".thole-"), "temporary files are left"
    until("the end of the placeholder", lambda: not place.exists())


@test
def an_approved_rename_and_its_undo_leave_no_free_name(b):
    """Beside another command a placeholder stays in the place of what is gone; without one, nothing does."""
    (b.work / ".gitignore").write_text("*.log\n")
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** Add File: CLAUDE.md\n+old\n*** Delete File: .mcp.json\n*** Update File: notes\n@@\n-a\n+b\n*** End Patch"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "touch ready.log; sleep 600"}}]}, {"text": "done"}]},
        {"when": {"text": "rename"}, "replies": [{"toolCalls": [{"name": "apply_patch", "args": {"patch": patch}}]}, {"text": "done"}]}]})

    def state():
        return {name: (b.work / name).read_text() if (b.work / name).is_file() else oct((b.work / name).stat().st_mode) if (b.work / name).exists() else None
                for name in ("AGENTS.md", "CLAUDE.md", ".mcp.json", "notes")}

    for is_beside in (False, True):
        free = oct(stat.S_IFDIR | 0o555) if is_beside else None
        for name, text in (("AGENTS.md", "old\n"), (".mcp.json", "{}\n"), ("notes", "a\n")):
            (b.work / name).write_text(text)
        if is_beside:
            b.run("run", "--mode", "bypass", "process", code=0)
            until("the other command", (b.work / "ready.log").exists)
        else:
            (b.work / "CLAUDE.md").unlink(missing_ok=True)
        before = state()
        assert before["CLAUDE.md"] == free, before
        asked = b.run("run", "--mode", "on_request", "rename", code=4)
        session = asked.err.split("session ")[1].split()[0]
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
        assert state() == {"AGENTS.md": free, "CLAUDE.md": "old\n", ".mcp.json": free, "notes": "b\n"}, (is_beside, state(), b.run("log", session, "--json").out[-3000:])
        b.run("undo", session, code=0)  # by a person: what was created is removed, and no placeholder comes in its place
        assert state() == before | {"CLAUDE.md": None}, (is_beside, state())
        assert not named(b, ".thole-")


@test
def an_approved_deletion_below_a_protected_directory_leaves_nothing(b):
    """The directory is closed as a whole, so nothing has to take the place of the file, and a later call makes it again."""
    (b.work / ".claude").mkdir()
    (b.work / ".claude" / "settings.json").write_text("old\n")
    patch = "*** Begin Patch\n*** Delete File: .claude/settings.json\n*** End Patch"
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "touch ready.log; sleep 600"}}]}, {"text": "done"}]},
        {"when": {"text": "delete"}, "replies": [{"toolCalls": [{"name": "apply_patch", "args": {"patch": patch}}]}, {"text": "done"}]},
        {"when": {"text": "again"}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": ".claude/settings.json", "content": "new\n"}}]}, {"text": "done"}]}]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for word in ("delete", "again"):
        asked = b.run("run", "--mode", "on_request", word, code=4)
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        session = asked.err.split("session ")[1].split()[0]
        until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
    assert [p.name for p in (b.work / ".claude").iterdir()] == ["settings.json"]
    assert (b.work / ".claude" / "settings.json").read_text() == "new\n", b.run("log", session, "--json").out[-3000:]


@test
def two_approved_calls_at_once_share_a_directory_that_is_new(b):
    rounds = 8
    calls = {f"{name}{n}.": f".github/workflows/{name}.yml" for n in range(rounds) for name in ("one", "two")}
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "touch ready.log; sleep 600"}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": path, "content": word}}]}, {"text": "done"}]}
        for word, path in calls.items()]})
    b.run("run", "--mode", "bypass", "process", code=0)
    until("the other command", (b.work / "ready.log").exists)
    for n in range(rounds):
        asked = [b.run("run", "--mode", "on_request", f"{name}{n}.", code=4).err for name in ("one", "two")]
        for text in asked:
            b.start("approve", text.split("thole approve ")[1].split()[0], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for text in asked:
            session = text.split("session ")[1].split()[0]
            until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
            assert '"tool.failed"' not in b.run("log", session, "--json").out, (n, b.run("log", session).out)
        assert [(b.work / ".github/workflows" / f"{name}.yml").read_text() for name in ("one", "two")] == [f"one{n}.", f"two{n}."]
        assert not named(b, ".thole-")
        shutil.rmtree(b.work / ".github")  # by a person


ACL_OF_ANOTHER = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, who) for tag, rights, who in (
        (1, 7, 0xffffffff), (2, 6, 1234), (4, 5, 0xffffffff), (16, 7, 0xffffffff), (32, 5, 0xffffffff)))


@test
def an_approved_file_inherits_the_access_control_list_of_its_directory(b):
    """Also where it is made in another directory, because another command runs."""
    (b.work / ".claude").mkdir()
    try:
        os.setxattr(b.work / ".claude", "system.posix_acl_default", ACL_OF_ANOTHER)
    except OSError:
        raise Skip("this file system has no access control lists")
    paths = {"first": ".claude/settings.json", "second": ".claude/agents/a.md", "third": "AGENTS.md"}
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "process"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": "touch ready.log; sleep 600"}}]}, {"text": "done"}]}] + [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": path, "content": "new\n"}}]}, {"text": "done"}]}
        for word, path in paths.items()]})
    seen = []
    for has_other in (False, True):
        if has_other:
            b.run("run", "--mode", "bypass", "process", code=0)
            until("the other command", (b.work / "ready.log").exists)
        for word, path in paths.items():
            asked = b.run("run", "--mode", "on_request", word, code=4)
            session = asked.err.split("session ")[1].split()[0]
            b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
            until("the end of the turn", lambda: "turn.completed" in b.run("log", session).out)
        made = [b.work / ".claude/agents"] + [b.work / path for path in paths.values()]
        seen.append([(p.stat().st_mode, {name: os.getxattr(p, name) for name in os.listxattr(p)}) for p in made])
        assert seen[0][1][1] and seen[0][0][1], seen
        for p in made[1:]:
            p.unlink()
        made[0].rmdir()
    assert seen[0] == seen[1], seen


@test
def root_of_a_user_namespace_works_in_a_directory_of_an_owner_that_it_lacks(b):
    """It may not give the placeholders away."""
    if os.geteuid() != 0:
        raise Skip("only root can make such a directory")
    os.chown(b.work, 54321, 54321)
    b.work.chmod(0o777)
    b.dir.chmod(0o755)
    r = subprocess.run(["unshare", "-U", "-r", str(pathlib.Path(THOLE).parent / "thole-supervisor"), "sandbox-run", "--", "sh", "-c", "test -d AGENTS.md && echo inside"],
                       cwd=b.work, capture_output=True, text=True, timeout=DEADLINE_S)
    if "unshare" in r.stderr:
        raise Skip("no user namespaces here")
    assert r.stdout == "inside\n", r
    until("the end of the placeholders", lambda: not list(b.work.iterdir()))


@test
def a_link_that_changes_after_the_question_changes_no_file(b):
    """An approval covers the file that the question named, not the one that the link leads to later."""
    patch = "*** Begin Patch\n*** {} File: d/CLAUDE.md\n{}*** End Patch"
    cases = {
        "first": ("write_file", {"path": "d/AGENTS.md", "content": "new\n"}),
        "second": ("edit_file", {"path": "d/CLAUDE.md", "oldText": "one", "newText": "two"}),
        "third": ("apply_patch", {"patch": patch.format("Update", "@@\n-one\n+two\n")}),
        "fourth": ("apply_patch", {"patch": patch.format("Delete", "")}),
        "fifth": ("write_file", {"path": "d/sub/AGENTS.md", "content": "new\n"}),
        "sixth": ("read_file", {"path": "d/.env"}),
    }
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": tool, "args": args}]}, {"text": "{{toolResult}}"}]}
        for word, (tool, args) in cases.items()]})
    link = b.work / "d"

    def files():
        return {str(p.relative_to(b.work)): p.read_text() for d in ("one", "two") for p in (b.work / d).rglob("*") if p.is_file()}

    def approved(word, to):
        asked = b.run("run", "--mode", "on_request", word, code=4)
        link.unlink()
        link.symlink_to(to)
        b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
        until("the end of the turn", lambda: "turn.completed" in b.run("log", "@last").out)
        return b.run("log", "@last", "--json", code=0).out

    for word in cases:
        for name in ("one", "two"):
            (b.work / name).mkdir(exist_ok=True)
            (b.work / name / "CLAUDE.md").write_text("one\n")
            (b.work / name / ".env").write_text(f"canary of {name}\n")
        before = files()
        link.symlink_to("one")
        log = approved(word, "two")
        assert files() == before and "A link leads d/" in log and "canary of two" not in log, (word, files(), log[-3000:])
        link.unlink()
        # a link that stays is no obstacle
        link.symlink_to("one")
        log = approved(word, "one")
        assert "A link leads d/" not in log and (files() != before or "canary of one" in log), (word, log[-3000:])
        link.unlink()
        for name in ("AGENTS.md", "sub/AGENTS.md"):
            (b.work / "one" / name).unlink(missing_ok=True)


@test
def an_approved_link_out_of_the_workspace_is_followed(b):
    """The question names the place that the link leads to, so the approval is worth something."""
    beside = b.work.parent / "beside"
    beside.mkdir()
    (b.work / "out").symlink_to(beside)
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "write"}, "replies": [{"toolCalls": [{"name": "write_file", "args": {"path": "out/f", "content": "new\n"}}]}, {"text": "done"}]}]})
    asked = b.run("run", "--mode", "on_request", "write", code=4)
    assert str(beside / "f") in asked.err and not (beside / "f").exists(), asked.err
    b.run("approve", asked.err.split("thole approve ")[1].split()[0], code=0)
    until("the end of the turn", lambda: "turn.completed" in b.run("log", "@last").out)
    assert (beside / "f").read_text() == "new\n", b.run("log", "@last").out
