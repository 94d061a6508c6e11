"""Sessions in a git worktree of their own: run --worktree, diff, apply, discard."""
import os
import pathlib
import shutil
import subprocess

from cli_fixture import DEADLINE_S, Skip, test, until


def git(b, *args, at=None):
    return subprocess.run(["git", "-C", str(at or b.work), *args], env=b.env, capture_output=True, text=True, check=True).stdout


def repository(b):
    if not shutil.which("git"):
        raise Skip("no git")
    subprocess.run(["git", "config", "--global", "user.name", "Ada"], env=b.env, check=True)
    subprocess.run(["git", "config", "--global", "user.email", "ada@example.org"], env=b.env, check=True)
    git(b, "init", "-q")
    (b.work / "a").write_text("one\n")
    git(b, "add", "a")
    git(b, "commit", "-qm", "first")


def worker(b, **commands):
    """A scripted model that runs one command line per word."""
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": word}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": line}}]}, {"text": "done"}]}
        for word, line in commands.items()]})


@test
def a_session_works_in_a_worktree_and_its_changes_are_applied(b):
    repository(b)
    worker(b, edit="echo two >> a && mkdir d && echo new > d/b && git add -A && git commit -qm agent && echo loose > c")
    b.run("run", "--worktree=fix", "--mode", "on_failure", "edit", code=0)
    place = pathlib.Path(str(b.data) + "-worktrees") / "fix"
    assert (place / "d" / "b").read_text() == "new\n" and (b.work / "a").read_text() == "one\n", list(place.iterdir())
    assert "Ada" in git(b, "log", "-1", "--format=%an %s", "thole/fix/work"), "the agent committed"
    shown = b.run("diff", code=0).out
    assert "+two" in shown and "+new" in shown and "+loose" in shown, shown
    b.run("apply", code=0)
    assert (b.work / "a").read_text() == "one\ntwo\n" and (b.work / "c").read_text() == "loose\n"
    assert git(b, "log", "--format=%s") == "first\n", "nothing was committed"
    again = b.run("apply", "fix", code=1)
    assert "Nothing was changed" in again.err and (b.work / "a").read_text() == "one\ntwo\n", again
    kept = b.run("discard", code=0).err
    assert not place.exists() and "thole/fix" not in git(b, "branch", "--all")
    assert "+loose" in git(b, "show", kept.split("git show ")[1].split()[0])
    b.run("apply", "fix", code=1)


@test
def a_worktree_is_continued_and_what_a_kill_left_is_understood(b):
    repository(b)
    worker(b, edit="echo two >> a", more="echo three >> a")
    b.run("run", "--worktree=fix", "edit", code=0)
    assert "continues" in b.run("run", "--worktree=fix", "more", code=0).err
    place = pathlib.Path(str(b.data) + "-worktrees") / "fix"
    assert (place / "a").read_text() == "one\ntwo\nthree\n"
    shutil.rmtree(place)  # as after a kill in the middle of discard
    b.run("run", "--worktree=fix", "edit", code=0)
    assert (place / "a").read_text() == "one\ntwo\n"
    shutil.rmtree(b.work / ".git" / "worktrees" / "fix")  # as after a kill in the middle of making it
    assert "no worktree of this repository" in b.run("run", "--worktree=fix", "edit", code=1).err
    b.run("discard", "fix", code=0)
    assert not place.exists()
    b.run("discard", "fix", code=0)
    b.run("run", "--worktree=fix", "edit", code=0)
    assert (place / "a").read_text() == "one\ntwo\n"


def background(b, line):
    """A process of the agent in the sandbox of the workspace, which lives on after the turn."""
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "begin"}, "replies": [{"toolCalls": [{"name": "start_process", "args": {"command": line}}]}, {"text": "begun"}]},
        {"when": {"text": "look"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": "git status --short"}}]}, {"text": "looked"}]},
        {"when": {"text": "edit"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": "echo two >> a"}}]}, {"text": "done"}]}]})
    b.run("run", "--mode", "bypass", "begin", code=0)


@test
def a_sandbox_in_the_repository_is_in_the_way_of_no_worktree(b):
    repository(b)
    background(b, "sleep 1000")
    placeholder = b.work / ".git" / "config.worktree"
    if not placeholder.is_dir():
        raise Skip("this sandbox has no placeholders")
    b.run("run", "--mode", "default", "look", code=0)  # git's settings name no program, so it asks nothing
    b.run("run", "--worktree=fix", "--mode", "bypass", "edit", code=0)
    assert "+two" in b.run("diff", code=0).out
    assert os.stat(b.work / ".git" / "worktrees").st_mode & 0o200, "git can write there"
    b.run("discard", code=0)
    placeholder.rmdir()
    placeholder.mkdir()
    assert "name programs" in b.run("run", "--worktree", "edit", code=1).err, "only the form of a placeholder counts"


@test
def a_protected_file_that_the_user_makes_meanwhile_stays_protected(b):
    repository(b)
    background(b, "while :; do for f in CLAUDE.md .envrc; do echo agent >> $f; echo agent > $f; rm -f $f; mv a $f; mv $f b; done; echo round >> log; sleep 0.1; done")
    log, mine = b.work / "log", (b.work / "CLAUDE.md", b.work / ".envrc")

    def rounds():
        return len(log.read_text()) if log.exists() else 0

    def two_more():
        now = rounds()
        until("two more rounds", lambda: rounds() > now + len("round\n") * 2)
    two_more()
    if not mine[0].is_dir():
        raise Skip("this sandbox has no placeholders")
    shown = b.run("process", "ls", code=0).err
    assert f"placeholder: {mine[0]}" in shown and "rmdir" in shown and "thole process stop" in shown, shown
    assert str(mine[0]) in b.run("doctor").out, "doctor names it too"
    mine[0].rmdir()
    for file in mine:
        file.write_text("the user's\n")
    two_more()
    assert [file.read_text() for file in mine] == ["the user's\n"] * 2, "the agent changed them"
    assert (b.work / "a").exists() and not (b.work / "b").exists()


@test
def bad_worktrees_are_refused_and_change_nothing(b):
    worker(b, edit="echo two >> a")
    assert "git init" in b.run("run", "--worktree", "edit", code=1).err
    repository(b)
    assert "small letters" in b.run("run", "--worktree=../x", "edit", code=2).err
    assert "-s" in b.run("run", "--worktree", "-s", "@last", "edit", code=2).err
    git(b, "config", "core.fsmonitor", "touch " + str(b.dir / "pwned"))
    assert "name programs" in b.run("run", "--worktree", "edit", code=1).err
    assert not (b.dir / "pwned").exists()
    assert b.run("ps", "--all", "-q", code=0).out == ""
    b.run("run", "hello", code=0)
    assert "does not work in a worktree" in b.run("apply", code=1).err
    assert "does not work in a worktree" in b.run("discard", code=1).err


@test
def commands_of_a_worktree_write_nothing_else_of_the_repository(b):
    repository(b)
    head = git(b, "rev-parse", "HEAD").strip()
    worker(b, escape="cd \"$(git rev-parse --path-format=absolute --git-common-dir)\" && "
                     "for f in config hooks/post-commit refs/heads/master refs/heads/main HEAD packed-refs; do echo x > $f; done; true")
    b.run("run", "--worktree=fix", "--mode", "on_failure", "escape")
    assert git(b, "rev-parse", "HEAD").strip() == head and "x" not in (b.work / ".git" / "HEAD").read_text().split()
    assert not (b.work / ".git" / "hooks" / "post-commit").exists()
    assert "core" in (b.work / ".git" / "config").read_text()


@test
def programs_that_a_repository_in_the_worktree_names_do_not_run_outside(b):
    repository(b)
    worker(b, edit="echo two >> a")
    b.run("run", "--worktree=fix", "edit", code=0)
    place = pathlib.Path(str(b.data) + "-worktrees") / "fix"
    trap, pwned = place / "sub", b.dir / "pwned"
    subprocess.run(["git", "init", "-q", str(trap)], env=b.env, check=True)
    (trap / "f").write_text("x")
    git(b, "add", "f", at=trap)
    git(b, "commit", "-qm", "trap", at=trap)
    git(b, "add", "sub", at=place)
    git(b, "commit", "-qm", "with a repository", at=place)
    git(b, "config", "core.fsmonitor", f"touch {pwned}; false", at=trap)
    (trap / "f").write_text("y")
    b.run("diff", code=0)
    b.run("apply")
    b.run("discard", code=0)
    assert not pwned.exists()


@test
def a_worktree_is_removed_while_another_process_deletes_files_in_it(b):
    repository(b)
    worker(b, edit="echo two >> a; echo made >> .gitignore")
    b.run("run", "--worktree=fix", "edit", code=0)
    made = pathlib.Path(str(b.data) + "-worktrees") / "fix" / "made"
    made.mkdir()
    for n in range(20000):
        (made / str(n)).touch()
    names = os.listdir(made)
    discard = b.start("discard")
    until("the first file's end", lambda: not (made / names[0]).exists(), pause_s=0)
    for name in reversed(names):
        (made / name).unlink(missing_ok=True)
    said = discard.communicate(timeout=DEADLINE_S)[1]
    assert discard.returncode == 0 and not made.parent.exists(), said
