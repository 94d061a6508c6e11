#!/usr/bin/env python3
"""Code planted for later: what git, shells, editors and agents would run with the user's rights cannot be written by a command in the sandbox,
git runs nothing of a repository without approval, and a filter that cannot run makes git fail.

usage: planted_test.py BUILD_DIR [WORD ...]     prints TAP
"""
import json
import os
import pathlib
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())
tests = []
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]


def git(where, *words):
    subprocess.run([*GIT, *words], cwd=where, check=True, capture_output=True)


class Place(Fixture):
    """A repository with others in it, and a model that runs commands."""

    def __init__(self, commands, mode="on_request", prepare=None, home=False, rules=None):
        self.commands, self.mode, self.more, self.home = commands, mode, prepare, home
        more = ["permission.rules=" + json.dumps(rules)] if rules else []
        super().__init__(options=["permission.mode=" + mode, *more], env={"HOME": "/nonexistent"} if not home else {})

    def prepare(self, calls, options):
        w = self.work
        git(w, "init", "-q")
        (w / "f").write_text("one\n")
        git(w, "add", "f")
        git(w, "commit", "-qm", "first")
        for nested in ("vendor/x", "deep/a/b/c"):
            (w / nested).mkdir(parents=True)
            git(w / nested, "init", "-q")
            (w / nested / "f").write_text("one\n")
            git(w / nested, "add", "f")
            git(w / nested, "commit", "-qm", "first")
        git(w, "init", "-q", "--bare", "bare")
        git(w, "worktree", "add", "-q", "tree")
        if self.more:
            self.more(self)
        return [("shell", {"command": c}) for c in self.commands], options

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def output(self, events):
        found = [e["payload"] for e in events if e["type"] in ("tool.result", "tool.failed")]
        return json.dumps(found)


def test(f):
    tests.append((f.__name__, f))
    return f


def stays(name, command, path, prepare=None):
    """The path is as it was (or not there), whatever the command does."""
    def run():
        with Place([command], prepare=prepare) as p:
            where = p.work / path
            before = where.read_bytes() if where.is_file() else where.exists() and sorted(x.name for x in where.iterdir())
            events = p.submit()
            if p.action:
                return  # it is asked about: nothing was written
            after = where.read_bytes() if where.is_file() else where.exists() and sorted(x.name for x in where.iterdir())
            if not before and after in ([], b".", b".\n"):
                return  # a placeholder of the sandbox, which is removed automatically
            assert before == after, f"{path} was changed:\n{p.output(events)}"
    tests.append((name, run))


PY = "python3 -c \"%s\""
# nested repositories, .git files, bare ones; through programs whose words the rules do not read
stays("nested_config", PY % "open('vendor/x/.git/config','a').write('[core] fsmonitor=./e')", "vendor/x/.git/config")
stays("nested_config_replaced", PY % "import os;open('n','w').write('x');os.replace('n','vendor/x/.git/config')", "vendor/x/.git/config")
stays("nested_hook", PY % "open('vendor/x/.git/hooks/pre-commit','w').write('x')", "vendor/x/.git/hooks")
stays("nested_hooks_moved", PY % "import os;os.mkdir('h');os.rename('vendor/x/.git/hooks','old');os.rename('h','vendor/x/.git/hooks')", "vendor/x/.git/hooks")
stays("nested_dir_moved", PY % "import os;os.rename('vendor/x/.git','vendor/x/o')", "vendor/x/.git/config")
stays("nested_info_attributes", PY % "open('vendor/x/.git/info/attributes','w').write('* filter=e')", "vendor/x/.git/info")
stays("deep_config", PY % "open('deep/a/b/c/.git/config','a').write('x')", "deep/a/b/c/.git/config")
stays("nested_config_worktree", PY % "open('vendor/x/.git/config.worktree','w').write('[core] fsmonitor=./e')", "vendor/x/.git/config.worktree")
stays("nested_commondir", PY % "open('vendor/x/.git/commondir','w').write('../../../e')", "vendor/x/.git/commondir")
stays("worktree_git_file", PY % "open('tree/.git','w').write('gitdir: ../e')", "tree/.git")
stays("worktree_git_file_unlinked", PY % "import os;os.unlink('tree/.git');os.mkdir('tree/.git')", "tree/.git")
stays("bare_config", PY % "open('bare/config','a').write('[core] fsmonitor=./e')", "bare/config")
stays("bare_hook", PY % "open('bare/hooks/post-update','w').write('x')", "bare/hooks")
# missing names of the list: they have no placeholder
for n, name in enumerate([".envrc", ".npmrc", ".cargo/config.toml", ".github/workflows/ci.yml", ".pre-commit-config.yaml", "Jenkinsfile", ".gitlab-ci.yml",
                          ".gdbinit", ".devcontainer/devcontainer.json", ".cursorrules", "GEMINI.md", ".mise.toml", ".yarnrc.yml", ".gitattributes"]):
    stays(f"missing_{n}_{name.replace('/', '_')}",
          PY % f"import os;p='{name}';d=os.path.dirname(p);d and os.makedirs(d,exist_ok=True);open(p,'w').write('x')", name)
stays("missing_by_rename", PY % "import os;open('n','w').write('x');os.rename('n','.envrc')", ".envrc")
stays("missing_by_link", PY % "import os;open('n','w').write('x');os.link('n','.envrc')", ".envrc")
stays("missing_by_symlink", PY % "import os;open('n','w').write('x');os.symlink('n','.envrc')", ".envrc")
stays("missing_by_moved_directory",
      PY % "import os;os.makedirs('n/workflows');open('n/workflows/x.yml','w').write('x');os.rename('n','.github')", ".github/workflows/x.yml")
stays("missing_by_linked_directory",
      PY % "import os;os.makedirs('n/workflows');open('n/workflows/x.yml','w').write('x');os.symlink('n','.github')", ".github/workflows/x.yml")
stays("missing_by_make", "printf 'all:\\n\\techo x > .envrc\\n' > Makefile && make", ".envrc")


@test
def ordinary_work_in_nested_repositories_goes_on():
    words = "git -c user.name=a -c user.email=a@b.c"
    with Place([f"cd vendor/x && echo two > f && {words} commit -qam two && git log --oneline | wc -l", "git init -q fresh && ls fresh/.git/config",
                f"echo two > f && {words} commit -qam two && git status --short && mkdir .github && echo x > .github/README && echo fine"]) as p:
        for expect in ('"2', "fresh/.git/config", "fine"):
            events = p.run()
            assert expect.strip('"') in p.output(events), p.output(events)
        assert (p.work / "fresh/.git/hooks").is_dir()


def program(p, name, text="touch {work}/ran\ncat\n"):
    path = p.work / name
    path.write_text("#!/bin/sh\n" + text.replace("{work}", str(p.work)))
    path.chmod(0o755)
    return str(path)


def config(key, name="evil"):
    def prepare(p):
        path = program(p, name)
        git(p.work, "config", key, path)
        (p.work / ".gitattributes").write_text("f diff=d filter=d\n")
        (p.work / "f").write_text("two\n")
    return prepare


@test
def looking_asks_in_default_when_the_configuration_names_a_program():
    for key in ("core.fsmonitor", "diff.external", "diff.d.textconv", "diff.d.command", "filter.d.clean", "filter.d.process", "core.pager",
                "credential.helper", "core.editor", "gpg.program", "remote.origin.uploadpack", "trailer.x.command", "merge.d.driver"):
        with Place(["git status"], mode="default", prepare=config(key)) as p:
            p.submit()
            assert p.action, f"{key}: git status ran unasked"
            assert not (p.work / "ran").exists(), key


@test
def remote_helpers_and_submodules_ask():
    def helper(key, value):
        return lambda p: git(p.work, "config", key, value)
    for key, value in (("remote.origin.url", "ext::sh -c x"), ("url.ext::sh.insteadOf", "https://"), ("submodule.s.update", "!sh x"),
                       ("remote.origin.vcs", "evil"), ("remote.origin.pushurl", "evil::x")):
        with Place(["git log -1"], mode="default", prepare=helper(key, value)) as p:
            p.submit()
            assert p.action, f"{key}={value}: git ran unasked"


@test
def programs_are_off_without_approval():
    """In mode on_request git runs in the sandbox; what only looks runs no program of the repository."""
    for key, command in (("core.fsmonitor", "git status"), ("diff.external", "git diff"), ("diff.d.textconv", "git diff"), ("diff.d.command", "git diff"),
                         ("core.pager", "git log")):
        with Place([command], prepare=config(key)) as p:
            events = p.submit()
            if p.action:
                continue
            assert not (p.work / "ran").exists(), f"{key}: it ran"
            if command == "git diff":
                assert "two" in p.output(events), f"{key}: {p.output(events)}"


def add_with_filter(prepare, home=False):
    with Place(["git add f; echo code $?; git ls-files -s f; git cat-file -p :f"], prepare=prepare, home=home) as p:
        events = p.run()
        stored = subprocess.run(["git", "cat-file", "-p", ":f"], cwd=p.work, capture_output=True, text=True).stdout
        return stored, p.output(events)


@test
def a_filter_that_runs_is_used():
    def prepare(p):
        git(p.work, "config", "filter.d.clean", "tr a-z A-Z")
        (p.work / ".gitattributes").write_text("f filter=d\n")
        (p.work / "f").write_text("secret\n")
    stored, out = add_with_filter(prepare)
    assert stored == "SECRET\n", (stored, out)


@test
def a_filter_that_cannot_run_makes_git_fail():
    """Without `required` git would store the content as it is."""
    for command in ("/nonexistent/filter", "false", "cat >/etc/x", "sh -c 'exit 3'", "./missing %f", "cat ~/.secret-key"):
        def prepare(p, command=command):
            git(p.work, "config", "filter.d.clean", command)
            (p.work / ".gitattributes").write_text("f filter=d\n")
            (p.work / "f").write_text("secret\n")
        stored, out = add_with_filter(prepare)
        assert stored == "one\n", f"{command}: unfiltered content was stored: {stored}\n{out}"
        assert "code 128" in out and "filter" in out, out


@test
def a_filter_of_the_users_own_settings_fails_with_the_remedy():
    home = pathlib.Path(os.environ["HOME"])

    def prepare(p):
        mine = p.dir / "home"
        mine.mkdir()
        (mine / ".gitconfig").write_text('[filter "d"]\n\tclean = tr a-z A-Z\n')
        os.environ["HOME"] = str(mine)
        (p.work / ".gitattributes").write_text("f filter=d\n")
        (p.work / "f").write_text("secret\n")
    try:
        stored, out = add_with_filter(prepare, home=True)
    finally:
        os.environ["HOME"] = str(home)
    assert stored == "one\n", f"unfiltered content was stored: {stored}\n{out}"
    assert "filter d is set up in your own settings" in out, out


# ---- hooks of the repository ----

# What a hook tries: a file of the workspace, which it may write, and places that the sandbox closes.
TRIES = """touch {work}/ran
touch /etc/thole-hook-was-here {work}/.git/hooks/more {out} 2>/dev/null
cat {work}/.git/config >/dev/null
exit 0
"""
PLAIN = "git commit -qm two"
AGENT = [("user.name", "a"), ("user.email", "a@b.c")]


def hook(name, where=".git/hooks", setting=None, of=None):
    def prepare(p):
        p.out = p.work.parent / (p.work.name + "-outside")
        (p.work / where).mkdir(parents=True, exist_ok=True)
        program(p, f"{where}/{name}", TRIES.replace("{out}", str(p.out)))
        for repository in (p.work, p.work / "vendor/x"):
            for key, value in AGENT:
                git(repository, "config", key, value)
        if setting:
            git(p.work / (of or "."), "config", "core.hooksPath", setting.replace("{work}", str(p.work)))
        for changed in ("f", "vendor/x/f"):
            (p.work / changed).write_text("two\n")
        git(p.work, "add", "f")
        git(p.work / "vendor/x", "add", "f")
    return prepare


# (name, command, where the hook is)
HOOKS = [("pre_commit", PLAIN, hook("pre-commit")), ("commit_msg", PLAIN, hook("commit-msg")), ("post_commit", PLAIN, hook("post-commit")),
         ("prepare_message", PLAIN, hook("prepare-commit-msg")), ("relative_path", PLAIN, hook("pre-commit", "h", "h")),
         ("absolute_path", PLAIN, hook("pre-commit", "h", "{work}/h")), ("nested", "git -C vendor/x commit -qm two", hook("pre-commit", "vendor/x/.git/hooks")),
         ("nested_path", "git -C vendor/x commit -qm two", hook("pre-commit", "vendor/x/h", "h", "vendor/x")),
         ("worktree", "cd tree && echo two > f && git commit -qam two", hook("pre-commit")), ("checkout", "git checkout -q -b other", hook("post-checkout"))]


def ran_inside(p, events, name):
    assert (p.work / "ran").exists(), f"{name}: the hook did not run: {p.output(events)}"
    assert not os.path.exists("/etc/thole-hook-was-here"), f"{name}: it wrote to /etc"
    assert not p.out.exists(), f"{name}: it wrote outside the workspace"
    assert not (p.work / ".git/hooks/more").exists(), f"{name}: it planted a hook"


@test
def hooks_ask_in_default():
    for name, command, prepare in HOOKS:
        with Place([command], mode="default", prepare=prepare) as p:
            p.submit()
            assert p.action, f"{name}: it ran unasked"
            assert not (p.work / "ran").exists(), f"{name}: the hook ran"


@test
def hooks_run_inside_the_sandbox_in_on_request():
    for name, command, prepare in HOOKS:
        if name == "worktree":
            continue  # .git/worktrees is read-only in the sandbox, so nothing is committed there
        with Place([command], prepare=prepare) as p:
            events = p.submit()
            assert not p.action, f"{name}: it asks"
            ran_inside(p, events, name)


@test
def an_allow_rule_covers_the_hook_and_no_option_that_names_another():
    """A hook is no word of the command: as with `make test`, who allows it allows what the repository set up, inside the sandbox."""
    rules = [{"id": "c", "effect": "allow", "command": ["git", "commit"]}]
    for name, command, prepare in HOOKS[:6]:
        with Place([command], mode="default", prepare=prepare, rules=rules) as p:
            events = p.submit()
            assert not p.action, f"{name}: it asks"
            ran_inside(p, events, name)
    for command in ("git -c core.hooksPath=h commit -qm two", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=h git commit -qm two",
                    "git --config-env=core.hooksPath=PWD commit -qm two", "git config core.hooksPath h && git commit -qm two",
                    "git --git-dir=vendor/x/.git commit -qm two", "GIT_DIR=vendor/x/.git git commit -qm two", "git commit -qm two --template=f"):
        with Place([command], mode="default", prepare=hook("pre-commit", "h"), rules=rules) as p:
            p.submit()
            assert p.action, f"{command}: it ran unasked"
            assert not (p.work / "ran").exists(), f"{command}: the hook ran"


def main():
    words = sys.argv[2:]
    chosen = [(n, f) for n, f in tests if not words or any(w in n for w in words)]
    failed = 0
    print(f"1..{len(chosen)}")
    for k, (name, f) in enumerate(chosen, 1):
        try:
            f()
            print(f"ok {k} {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {k} {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1500]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
