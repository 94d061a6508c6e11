"""What commands changed is undone: files, links, directories and modes; and undo says what it does not cover."""
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import stat
import subprocess

from cli_fixture import THOLE, Skip, test, until
from tree import below


def shell(*lines):
    """A turn that runs these commands."""
    return [{"toolCalls": [{"name": "shell", "args": {"command": line}}]} for line in lines] + [{"text": "done"}]


def serve(b, *options, **turns):
    """A daemon whose model runs the commands of the turn that the prompt names."""
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": name}, "replies": shell(*([lines] if isinstance(lines, str) else lines))} for name, lines in turns.items()]})
    b.start("serve", "-c", "permission.mode=bypass", *options).stderr.readline()


def git(b, *args):
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args], cwd=b.work, check=True,
                          capture_output=True, text=True).stdout


def tree(directory):
    """Everything below a directory but .git: kind, mode and content."""
    found = {}
    for path in below(directory):
        name = str(path.relative_to(directory))
        if name.split("/")[0] == ".git":
            continue
        try:
            if path.is_symlink():
                found[name] = ("link", os.readlink(path))
                continue
            mode = path.stat().st_mode
            if not stat.S_ISDIR(mode):
                found[name] = ("file", mode & 0o777, path.read_bytes())
            elif any(path.iterdir()) or mode & 0o200:  # else a placeholder of a sandbox
                found[name] = ("dir", mode & 0o777)
        except FileNotFoundError:
            pass  # a placeholder that has just gone
    return found


def repository(b):
    (b.work / "a.txt").write_text("one\ntwo\n")
    (b.work / "b.txt").write_text("keep\n")
    (b.work / "run.sh").write_text("echo hi\n")
    (b.work / "run.sh").chmod(0o755)
    (b.work / "dir" / "deep").mkdir(parents=True)
    (b.work / "dir" / "f").write_bytes(b"caf\xe9\n")
    (b.work / "dir" / "deep" / "g").write_text("g\n")
    (b.work / "link").symlink_to("a.txt")
    (b.work / ".gitignore").write_text("ignored/\n*.log\n")
    git(b, "init", "-q")
    git(b, "add", "-A")
    git(b, "commit", "-qm", "first")
    (b.work / "b.txt").write_text("keep\nnot committed\n")
    (b.work / "untracked").write_text("mine\n")


def git_state(b):
    """The user's repository: index, refs and objects."""
    files = [p for part in ("index", "HEAD", "refs", "objects") for p in [b.work / ".git" / part, *(b.work / ".git" / part).rglob("*")] if p.is_file()]
    return {str(p.relative_to(b.work)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@test
def the_placeholder_of_a_denied_path_is_no_change(b):
    """Denied paths that are missing have a placeholder while a command runs; the command did not make it."""
    repository(b)
    was = tree(b.work)
    rules = [{"id": "e", "effect": "deny", "path": ".env", "access": "read"}, {"id": "k", "effect": "deny", "path": "conf/deep/key"},
             {"id": "w", "effect": "deny", "path": "dist", "access": "write"}]
    serve(b, "-c", f"permission.rules={json.dumps(rules)}", only="ls -a", change="echo new > new.txt")
    b.run("run", "only", code=0)
    changed = b.run("log", "@last", "--json", "--type", "artifact.changed", code=0).lines()
    assert not changed, changed
    b.run("run", "change", code=0)
    out = b.run("diff", code=0).out
    assert "new.txt" in out and not [name for name in (".env", "conf", "dist") if name in out], out
    b.run("undo", code=0)
    assert tree(b.work) == was, (tree(b.work), was)


@test
def what_commands_changed_is_undone(b):
    repository(b)
    was, repo = tree(b.work), git_state(b)
    serve(b, all=["sed -i s/one/ONE/ a.txt && rm -r dir && mv untracked moved", "echo new > new.txt; mkdir -p p/q; echo x > p/q/x",
                  "rm link && ln -s b.txt link; chmod -x run.sh; printf 'more' >> a.txt"], checkout="git checkout -q b.txt")
    b.run("run", "all", code=0)
    assert (b.work / "a.txt").read_text() == "ONE\ntwo\nmore" and not (b.work / "dir").exists()
    out = b.run("diff", code=0).out
    assert "-one" in out and "+ONE" in out and "new.txt" in out and "dir/deep/g" in out, out
    done = b.run("undo", code=0)
    assert tree(b.work) == was, done
    assert "does not cover" in done.err and "ignored files" in done.err, done
    assert git_state(b) == repo
    # work that was never committed comes back after a checkout threw it away
    b.run("run", "checkout", code=0)
    assert (b.work / "b.txt").read_text() == "keep\n"
    b.run("undo", code=0)
    assert tree(b.work) == was
    # a second time there is nothing left to do
    assert "put back" not in b.run("undo", code=0).err and tree(b.work) == was


@test
def a_change_of_the_user_is_not_overwritten_by_undo(b):
    repository(b)
    serve(b, edit="echo by agent > a.txt; echo by agent > b.txt")
    b.run("run", "edit", code=0)
    (b.work / "a.txt").write_text("mine\n")
    refused = b.run("undo", code=1)
    assert "a.txt is not what the turn made of it" in refused.err and "Nothing was changed" in refused.err, refused
    assert (b.work / "b.txt").read_text() == "by agent\n"
    b.run("undo", "--skip", code=0)
    assert (b.work / "a.txt").read_text() == "mine\n" and (b.work / "b.txt").read_text() == "keep\nnot committed\n"
    b.run("undo", "--force", code=0)
    assert (b.work / "a.txt").read_text() == "one\ntwo\n"


@test
def a_change_is_undone_once(b):
    """The directory, the file and the bits that come after the undo are the user's, whatever they look like."""
    repository(b)
    serve(b, make="mkdir ddd; echo 1 > new; chmod +x a.txt")
    b.run("run", "make", code=0)
    diff = b.run("diff", code=0).out
    assert "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n" in diff, diff
    b.run("undo", code=0)
    assert not (b.work / "ddd").exists() and not (b.work / "new").exists() and not os.access(b.work / "a.txt", os.X_OK)
    (b.work / "ddd").mkdir()
    (b.work / "new").write_text("1\n")
    (b.work / "a.txt").chmod(0o755)
    assert "nothing is left to undo" in b.run("undo", code=0).err
    b.run("undo", "--force", code=0)
    assert (b.work / "ddd").is_dir() and (b.work / "new").exists() and os.access(b.work / "a.txt", os.X_OK)
    assert "were undone since" in b.run("diff", code=0).err


@test
def undo_needs_no_name_of_its_own_for_a_temporary_file(b):
    """A killed undo left a.txt.thole-undo, and each later one ended with "File exists"; long names had no way back."""
    repository(b)
    (b.work / "a.txt.thole-undo").write_text("left by a kill\n")
    longest = "n" * os.statvfs(b.work).f_namemax
    (b.work / longest).write_text("long\n")
    was = tree(b.work)
    serve(b, edit=f"echo x > a.txt; echo y > {longest}")
    b.run("run", "edit", code=0)
    b.run("undo", code=0)
    assert tree(b.work) == was


@test
def bits_that_the_user_set_stay(b):
    """Undo set the bits that a file had before the turn, also where the turn had not changed them."""
    repository(b)
    (b.work / "special").write_text("s\n")
    (b.work / "mine").write_text("m\n")
    serve(b, edit="chmod 600 a.txt; chmod 700 dir; echo x >> b.txt; echo x >> special; chmod 600 mine")
    b.run("run", "edit", code=0)
    for name, mode in (("a.txt", 0o640), ("dir", 0o750), ("b.txt", 0o755), ("special", 0o6755)):
        (b.work / name).chmod(mode)
    refused = b.run("undo", code=1)
    assert "a.txt is not what the turn made" in refused.err and "/dir is not what the turn made" in refused.err, refused
    assert "b.txt" not in refused.err and "Nothing was changed" in refused.err, refused
    b.run("undo", "--skip", code=0)
    modes = {name: (b.work / name).stat().st_mode & 0o7777 for name in ("a.txt", "dir", "b.txt", "special", "mine")}
    assert modes == {"a.txt": 0o640, "dir": 0o750, "b.txt": 0o755, "special": 0o6755, "mine": 0o644}, modes
    assert (b.work / "b.txt").read_text() == "keep\nnot committed\n" and (b.work / "special").read_text() == "s\n"


@test
def undo_says_what_stays_under_another_name(b):
    repository(b)
    os.link(b.work / "a.txt", b.dir / "outside")
    serve(b, edit="echo x >> a.txt; echo 1 > new; mkdir d; echo 2 > d/f")
    b.run("run", "edit", code=0)
    (b.work / "new").rename(b.work / "kept")
    (b.work / "d").rename(b.work / "e")
    said = b.run("undo", code=0).err
    assert (b.work / "a.txt").read_text() == "one\ntwo\n" and (b.dir / "outside").read_text() == "one\ntwo\nx\n"
    assert "a.txt had other names (hard links). They keep what the turn wrote." in said, said
    assert "/new is not there any more" in said and "/d/f is not there any more" in said, said
    assert (b.work / "kept").exists() and (b.work / "e" / "f").exists()


@test
def an_undo_that_is_killed_anywhere_is_done_by_the_next(b):
    """What a killed one has left neither stops the next undo nor looks like an edit of the user."""
    fail = pathlib.Path(THOLE).parent / "tests" / "fault" / "libfail_nth.so"
    if not fail.exists():
        raise Skip("libfail_nth.so is not built")
    repository(b)
    was = tree(b.work)
    serve(b, edit="rm link; ln -s b.txt link; echo x > a.txt; rm -r dir")
    b.run("run", "edit", code=0)
    n = 0
    while True:
        n += 1
        p = subprocess.run([THOLE, "undo"], cwd=b.work, env={**b.env, "LD_PRELOAD": str(fail), "FAIL_KIND": "kill", "FAIL_AT": str(n)},
                           capture_output=True, text=True, check=False)
        if p.returncode != -signal.SIGKILL:
            break
    assert n > 3 and p.returncode == 0, (n, p)
    for left in b.work.glob("**/.thole-undo-*"):
        left.unlink()
    assert tree(b.work) == was


@test
def a_link_is_put_back_in_one_step(b):
    """It was removed before it was made again; an undo that was killed in between left no link, and the next took that for an edit."""
    repository(b)
    serve(b, edit="rm link; ln -s b.txt link")
    b.run("run", "edit", code=0)
    libc, removed = ctypes.CDLL(None, use_errno=True), 0x200  # IN_DELETE
    watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert watch >= 0 and libc.inotify_add_watch(watch, bytes(b.work), removed) >= 0
    try:
        b.run("undo", code=0)
        with contextlib.suppress(BlockingIOError):
            raise AssertionError(f"removed: {os.read(watch, 4096)}")
    finally:
        os.close(watch)
    assert os.readlink(b.work / "link") == "a.txt"


@test
def the_diff_of_a_deleted_file_ends_at_dev_null(b):
    repository(b)
    serve(b, drop="rm a.txt")
    b.run("run", "drop", code=0)
    diff = b.run("diff", code=0).out
    assert "--- a/a.txt\n+++ /dev/null\n" in diff, diff


@test
def what_undo_does_not_cover_is_reported(b):
    repository(b)
    (b.work / "big").write_bytes(b"x" * (5 << 20))
    (b.work / "ignored").mkdir()
    (b.work / "ignored" / "only copy").write_text("precious\n")
    serve(b, big="echo y >> big; echo z > note.log", moved="mv 'ignored/only copy' here", shown="echo '*' > .gitignore; rm .gitignore")
    b.run("run", "big", code=0)
    assert "cannot revert what this command did to: big." in b.run("log", "@last", code=0).out
    told = b.run("undo", code=1)
    assert "What" in told.err and "big was is not known" in told.err and "cannot revert" in told.err, told
    assert (b.work / "note.log").exists(), "an ignored file is left alone"
    # a file that came from a place without a snapshot is not removed: it is the only copy
    b.run("run", "moved", code=0)
    assert "did to: here" in b.run("undo", code=0).err and (b.work / "here").read_text() == "precious\n"
    # ignored files that are ignored no longer were not created by the command
    (b.work / "here").rename(b.work / "ignored" / "only copy")
    b.run("run", "shown", code=0)
    assert not (b.work / ".gitignore").exists()
    b.run("undo", code=0)
    assert (b.work / "ignored" / "only copy").exists() and (b.work / ".gitignore").read_text() == "ignored/\n*.log\n"


@test
def changes_of_a_command_that_was_stopped_are_undone(b):
    repository(b)
    was = tree(b.work)
    serve(b, slow="echo half > a.txt; sleep 1000", dies="echo half > b.txt; sleep 1000")
    b.run("run", "--detach", "slow", code=0)
    until("the change", lambda: (b.work / "a.txt").read_text() == "half\n")
    b.run("stop", "@last", code=0)
    until("the event", lambda: "updated file a.txt" in b.run("log", "@last", code=0).out)
    b.run("undo", code=0)
    assert tree(b.work) == was
    # the end of this one is not seen: the next daemon finds what it had changed
    b.run("run", "--detach", "dies", code=0)
    until("the change", lambda: (b.work / "b.txt").read_text() == "half\n")
    b.signal(signal.SIGKILL)
    until("its end", lambda: not b.daemon())
    until("the event", lambda: "updated file b.txt" in b.run("log", "@last", code=0).out)
    b.run("undo", code=0)
    assert tree(b.work) == was


@test
def nothing_is_undone_while_a_turn_runs(b):
    repository(b)
    serve(b, edit="echo by agent > a.txt", slow="echo begun > begun.log; sleep 1000")
    b.run("run", "edit", code=0)
    b.run("run", "--detach", "-s", "@last", "slow", code=0)
    until("the turn", (b.work / "begun.log").exists)
    refused = b.run("undo", code=1)
    assert "a turn runs" in refused.err and "thole stop thr_" in refused.err, refused
    assert (b.work / "a.txt").read_text() == "by agent\n"
    b.run("undo", "--force", code=0)
    assert (b.work / "a.txt").read_text() == "one\ntwo\n"
    b.run("stop", re.search(r"thole stop (thr_\w+)", refused.err).group(1), code=0)
    b.run("undo", code=0)


@test
def many_changes_are_counted_and_snapshots_can_be_off(b):
    repository(b)
    serve(b, many="mkdir many; for i in $(seq 700); do echo $i > many/$i; done", off="echo off > a.txt")
    b.run("run", "many", code=0)
    events = b.run("log", "@last", "--json", "--type", "artifact.changed", code=0).lines()
    assert len(events) == 500, len(events)
    assert "more." in b.run("undo", code=0).err
    b.run("serve", "--stop", code=0)
    b.env["THOLE_UNDO_COMMANDS"] = "false"
    b.start("serve", "-c", "permission.mode=bypass").stderr.readline()
    b.run("run", "off", code=0)
    assert "no tool changed" in b.run("diff", code=0).err and (b.work / "a.txt").read_text() == "off\n"


@test
def a_workspace_without_git_is_covered_too(b):
    if os.statvfs(b.work).f_namemax < 100:
        raise Skip("names are too short here")
    for name in ("plain", "sp ace", "ünïcode", "-dash"):
        (b.work / name).write_text(name)
    was = tree(b.work)
    serve(b, go="for f in *; do rm -- \"$f\"; done; mkdir plain; echo x > plain/x")
    b.run("run", "go", code=0)
    assert (b.work / "plain" / "x").exists()
    b.run("undo", code=0)
    assert tree(b.work) == was


@test
def an_edit_that_a_crash_interrupts_is_reported(b):
    """Between the write of edit_files and its event a crash left nothing behind that says so."""
    b.run("run", "hello", code=0)
    (b.work / "a.txt").write_text("one\n")
    daemon = b.daemon()
    hands = [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and is_child(p, daemon)]
    if not hands:
        b.run("sandbox", "run", "--", "true")
        raise Skip("the daemon has no supervisor yet")
    for pid in hands:
        os.kill(pid, signal.SIGSTOP)
    try:
        call = {"jsonrpc": "2.0", "id": 1, "method": "edit_files", "params": {
            "sessionId": b.session(), "patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"}}
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(b.data / "socket"))
            s.sendall(json.dumps(call).encode() + b"\n")
            until("the note", lambda: "a.txt" in str(sqlite3.connect(f"file:{b.data}/log.db?mode=ro", uri=True).execute(
                "select value from meta where key = 'open_edits'").fetchall()))
            os.kill(daemon, signal.SIGKILL)
            until("its end", lambda: b.daemon() != daemon)
    finally:
        for pid in hands:
            os.kill(pid, signal.SIGCONT)
    session = b.session()
    log = until("the warning", lambda: b.run("log", session, "--type", "runtime.warning", "--json", code=0).lines())
    assert log[-1]["payload"]["category"] == "undo_incomplete" and "a.txt" in log[-1]["payload"]["message"], log
    b.signal(signal.SIGTERM)
    until("its end", lambda: not b.daemon())
    assert len(b.run("log", session, "--type", "runtime.warning", "--json", code=0).lines()) == 1


@test
def the_report_of_an_interrupted_edit_survives_another_kill(b):
    """The note of the edit was removed before the warning was durable; a second kill in between lost it."""
    fail = pathlib.Path(THOLE).parent / "tests" / "fault" / "libfail_nth.so"
    if not fail.exists():
        raise Skip("libfail_nth.so is not built")
    b.run("run", "hello", code=0)
    session = b.session()
    b.run("serve", "--stop", code=0)

    def notes():
        with contextlib.closing(sqlite3.connect(f"file:{b.data}/log.db?mode=ro", uri=True, timeout=60)) as db:
            return "a.txt" in str(db.execute("select value from meta where key = 'open_edits'").fetchall())

    def warnings():
        log = b.run("log", session, "--type", "runtime.warning", "--json", code=0).lines()
        b.run("serve", "--stop", code=0)
        return len([e for e in log if e["payload"]["category"] == "undo_incomplete"])
    with contextlib.closing(sqlite3.connect(b.data / "log.db")) as db, db:
        note = json.dumps([{"id": "edit_1", "session": session, "names": "a.txt"}])
        db.execute("insert or replace into meta (key, value) values ('open_edits', ?)", (note,))
    assert notes()
    kills = 0
    for n in range(1, 1000):
        p = subprocess.Popen([THOLE, "serve"], cwd=b.work, env={**b.env, "LD_PRELOAD": str(fail), "FAIL_KIND": "kill", "FAIL_AT": str(n)},
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        b.started.append(p)
        until("its end, or a warning", lambda p=p: p.poll() is not None or not notes())
        if p.poll() is None:
            p.kill()
        p.wait()
        kills += 1
        if not notes():
            break
    assert kills > 3 and warnings() >= 1, kills
    assert not notes()


def is_child(process, parent):
    try:
        return (process / "stat").read_text().rsplit(")", 1)[1].split()[1] == str(parent)
    except OSError:
        return False
