"""Arguments, usage errors, completion and the manual page."""
import os
import re
import shutil
import subprocess

from cli_fixture import DEADLINE_S, THOLE, Skip, test


@test
def version_and_help(b):
    assert b.run("version", code=0).out.startswith("thole ")
    for option in ("--version", "-V", "-v"):
        assert b.run(option, code=0).out == b.run("version", code=0).out
    short = b.run("help", code=0).out
    assert len([line for line in short.splitlines() if line.startswith("  thole ")]) == 12
    assert b.run(code=0).out == short
    everything = b.run("help", "all", code=0).out
    for line in everything.splitlines():
        if line.startswith("  thole "):
            verb = line.split()[1]
            assert b.run("help", verb, code=0).out.startswith(f"thole {verb}")
            assert b.run(verb, "--help", code=0).out == b.run("help", verb, code=0).out
    assert "--no-start " in everything and max(map(len, everything.splitlines())) <= 100, everything
    for verb in ("sandbox", "pair", "task"):
        own = b.run("help", verb, code=0).out
        assert "--no-start," in own and max(map(len, own.splitlines())) <= 110, own
    t = b.terminal("-c", f"stty cols 80; {THOLE} help; {THOLE} help all; {THOLE} help run", program="/bin/bash")
    assert t.wait() == 0 and max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", t.seen).splitlines())) <= 80, t.seen
    assert not b.data.exists(), "help starts nothing"


@test
def options_of_all_commands_may_stand_before_the_command(b):
    elsewhere = str(b.dir / "elsewhere")
    for words in (["--data", elsewhere], ["--data=" + elsewhere], ["--no-color", "-o", "table", "--data", elsewhere]):
        assert b.run(*words, "path", "data", code=0).out == elsewhere + "\n", words
    assert "You wrote: path" in b.run("--here", "--quiet", "--", "path", code=0).out
    assert "--data wants DIR" in b.run("--data", code=2).err
    assert "You wrote: hi" in b.run("hi", code=0).out, "a word that resembles no command is a prompt"


@test
def mistakes_are_exit_2_with_a_hint(b):
    r = b.run("shwo", code=2)
    assert "thole show" in r.err and "thole run shwo" in r.err and not r.out
    assert "-f" in b.run("run", "-f", "x", code=2).err
    for noun, form in (("task", "new OBJECTIVE"), ("job", "new INSTRUCTION"), ("schedule", "new OBJECTIVE"),
                       ("process", "ls [SESSION]"), ("policy", "test COMMAND")):
        for words in ([noun], [noun, "dance"]):
            r = b.run(*words, code=2)
            assert form in r.err and f"thole help {noun}" in r.err, r.err
    for noun in ("task", "job", "schedule"):
        r = b.run(noun, "show", code=2)
        assert f"`thole {noun} ls` lists them" in r.err and "new " not in r.err, r.err
    assert "2026-12-24T18:00:00Z" in b.run("schedule", "new", "x", "--at", "soon", code=2).err
    for args in (["ps", "--bogus"], ["log", "--since", "soon"], ["run", "--timeout", "never", "x"],
                 ["run", "--budget", "much", "x"], ["run", "--budget", "$", "x"], ["send", "@last", "x", "--delivery", "maybe"],
                 ["approve"], ["export", "session"], ["ps", "extra"], ["completion", "tcsh"],
                 ["run", ""], ["run", "--session"], ["path", "nowhere"], ["-dash it all"]):
        assert b.run(*args, code=2).err, args
    assert not b.data.exists(), "a mistake starts nothing"


@test
def a_noun_alone_does_what_is_likeliest(b):
    b.run("run", "hello", code=0)
    assert b.run("mcp", code=0).err == b.run("mcp", "ls", code=0).err and b.run("hooks", code=0).err == b.run("hooks", "ls", code=0).err
    assert b.run("context", "-q", code=0).out == b.run("context", "show", "-q", code=0).out
    assert b.run("route", code=0).out == b.run("route", "explain", code=0).out
    config = b.dir / ".config" / "thole"
    config.mkdir(parents=True)
    (config / "config.json").write_text('{"permission.rules": [{"id": "no-push", "effect": "deny", "command": ["git", "push"]}]}')
    assert "policy show" in b.run("config", code=0).out and "no-push" in b.run("policy", "show", code=0).out


@test
def a_command_of_another_program_leads_to_ours(b):
    for word, meant in (("login", "thole auth add NAME"), ("login", "thole setup"), ("stat", "thole ps"), ("status", "thole ps"),
                        ("tool", "thole tools"), ("sessions", "thole ps --all"), ("versoin", "thole version")):
        r = b.run(word, code=2)
        assert f"`{meant}`" in r.err and f"thole run {word}" in r.err, r.err
    assert "thole setup" in b.run("help", "login", code=2).err
    assert not b.data.exists(), "a mistake starts nothing"


def bash_offers(b, script, *words):
    line = " ".join(f"'{w}'" for w in words)
    done = subprocess.run(["bash"], input=f"{script}\nCOMP_WORDS=(thole {line}); COMP_CWORD={len(words)}; _thole\n"
                          'printf "%s\\n" "${COMPREPLY[@]}"\n', text=True, capture_output=True, check=True, timeout=DEADLINE_S,
                          env={**b.env, "PATH": os.path.dirname(THOLE) + ":" + b.env["PATH"]})
    return done.stdout.split()


def made_ids(b):
    """One of each kind."""
    b.run("run", "approve", code=4)
    action, = b.pending()
    task = b.run("task", "new", "count", "-q", code=0).out.strip()
    job = b.run("job", "new", "do", "--items", "-", "-q", stdin="1\n", code=0).out.strip()
    return b.session(), task, job, action


@test
def completion_offers_ids(b):
    script = b.run("completion", "bash", code=0).out
    session, task, job, action = made_ids(b)
    assert session in bash_offers(b, script, "log", "") and "@last" in bash_offers(b, script, "log", "")
    assert session in bash_offers(b, script, "run", "-s", "") and session in bash_offers(b, script, "export", "session", "")
    assert bash_offers(b, script, "task", "sh") == ["show"]
    assert bash_offers(b, script, "job", "") == ["new", "ls", "show", "items", "retry", "cancel"]
    assert task in bash_offers(b, script, "task", "show", "") and job in bash_offers(b, script, "job", "show", "")
    assert bash_offers(b, script, "approve", "") == [action]
    assert bash_offers(b, script, "run", "-m", "") == ["scripted/demo"]
    assert bash_offers(b, script, "approve", "--sc") == ["--scope"]


@test
def completion_is_a_script(b):
    text = b.run("completion", "bash", code=0).out
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
    out = subprocess.run(["bash"], input=text + "\nCOMP_WORDS=(thole appr); COMP_CWORD=1; _thole\n"
                         'echo "${COMPREPLY[@]}"\n', text=True, capture_output=True, check=True).stdout
    assert out.split() == ["approvals", "approve"]


@test
def completion_of_fish_knows_words_and_options(b):
    fish = b.run("completion", "fish", code=0).out
    if not shutil.which("fish"):
        raise Skip("there is no fish")
    def offers(line):
        out = subprocess.run(["fish", "--no-config", "-c", fish + f"\ncomplete -C '{line}'"], text=True, capture_output=True,
                             check=True, timeout=DEADLINE_S,
                             env={**b.env, "PATH": os.path.dirname(THOLE) + ":" + b.env["PATH"]}).stdout
        return [row.split("\t")[0] for row in out.splitlines()]
    assert offers("thole appr") == ["approvals", "approve"]
    assert offers("thole approve --sc") == ["--scope"]
    assert sorted(offers("thole approve --scope ")) == ["once", "session", "turn", "workspace"]
    assert offers("thole show @l") == ["@last"]
    assert offers("thole sandbox r") == ["run"]
    assert "--budget" not in offers("thole sandbox run --b"), "that is an option of another verb"
    assert "man" in offers("thole help m")
    session, task, job, action = made_ids(b)
    assert session in offers("thole log ") and session in offers("thole run --session ")
    assert task in offers("thole task show ") and offers("thole job show ") == [job] and offers("thole approve ") == [action]


@test
def completion_of_zsh_knows_words_and_options(b):
    script = b.dir / "_thole"
    script.write_text(b.run("completion", "zsh", code=0).out)
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    subprocess.run(["zsh", "-n", str(script)], check=True, timeout=DEADLINE_S)
    session, task, job, action = made_ids(b)
    t = b.terminal("-f", "-i", program=shutil.which("zsh"), TERM="dumb", PATH=os.path.dirname(THOLE) + ":" + b.env["PATH"])
    t.type(f"autoload -U compinit; compinit -u -D; . {script}; bindkey -e; setopt no_beep; LISTMAX=0\n"
           "tell() { print -r -- \"<<$BUFFER>>\"; BUFFER=; zle reset-prompt }; zle -N tell; bindkey '^T' tell; echo RE''ADY\n")
    t.expect("READY")
    t.type("thole approv\t")
    t.expect("List pending approvals.")
    t.type("\x15")
    for typed, made in (("thole approve --sc", "thole approve --scope"), ("thole approve --scope wor", "thole approve --scope workspace"),
                        ("thole show @l", "thole show @last"), ("thole pair rev", "thole pair revoke"),
                        ("thole approve ac", f"thole approve {action}"), ("thole job show jo", f"thole job show {job}"),
                        ("thole task show " + task[:-3], f"thole task show {task}"), ("thole run --session " + session[:-3], f"thole run --session {session}"),
                        ("thole sandbox run --prof", "thole sandbox run --profile"), ("thole help comple", "thole help completion")):
        t.type(typed + "\t\x14")
        t.expect("<<")
        t.expect(">>")
        assert made in t.before, (typed, t.before)


@test
def the_manual_is_written_from_the_table(b):
    page = b.run("help", "man", code=0).out
    verbs = [line.split()[1] for line in b.run("help", "all", code=0).out.splitlines() if line.startswith("  thole ")]
    assert re.findall(r"^\.SS thole (\S+)", page, re.M) == verbs
    groff = shutil.which("groff")
    if groff:
        r = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-K", "utf8"], input=page, capture_output=True, text=True)
        assert r.returncode == 0 and not r.stderr, r.stderr
        assert "--budget" in re.sub(r"\x1b\[[0-9;]*m|.\x08", "", r.stdout)


@test
def files_without_an_end_are_refused(b):
    task = b.work / "tasks" / "one"
    for name in ("environment", "tests"):
        (task / name).mkdir(parents=True)
    for name in ("task.toml", "instruction.md", "tests/test.sh"):
        (task / name).write_text("# x\n")
    (b.work / "log.jsonl").write_text("{}\n")
    (b.work / "A.json").write_text("{}")
    for words in (["trial", "run", "tasks", "--config", "/dev/zero"], ["run", "--trial", "/dev/zero", "hi"], ["trial", "compare", "a", "b", "--from", "/dev/zero"],
                  ["trial", "compare", "a", "b", "--from", "A.json", "--verdict", "/dev/zero"], ["conform", "log", "--pack", "/dev/zero", "log.jsonl"],
                  ["conform", "log", "/dev/zero"], ["conform", "live", "--adapter", "/dev/zero", "http://127.0.0.1:1"], ["conform", "atif", "/dev/zero"],
                  ["verify", "--checkpoint", "/dev/zero"], ["job", "new", "x", "--items", "/dev/zero"], ["policy", "check", "/dev/zero"], ["trial", "run", "tasks", "--config", "/dev/tty"]):
        done = b.run(*words)
        assert done.code not in (0, 124) and done.err, (words, done)
    with open("/dev/zero") as zero:
        done = b.start("run", stdin=zero, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.communicate(timeout=DEADLINE_S)[1]
    assert done.returncode != 0 and said, said
    for name in ("instruction.md", "task.toml"):
        (task / name).unlink()
        (task / name).symlink_to("/dev/zero")
        assert b.run("trial", "run", "tasks", "--config", "A.json").code == 2, name


@test
def cost_names_its_options(b):
    for words, said in ((["--from", "2026-13-01"], "--from is a day"), (["--to", "soon"], "--to is a day"), (["--from", "2026-11-17", "--to", "later"], "--to is a day"),
                        (["--from", "2026-11-17", "--to", "2026-11-10"], "--from is a time before --to")):
        done = b.run("cost", *words, code=2)
        assert said in done.err and "since" not in done.err, done
    assert not b.daemon()
    b.run("cost", "--from", "2026-11-17", "--to", "2026-11-17", code=0)


@test
def a_call_that_is_not_one_is_refused_before_anything_starts(b):
    for args, said in (([""], "name of the tool is empty"), ([" "], "name of the tool is empty"), (["."], "SERVER.TOOL"), (["docs."], "SERVER.TOOL"),
                       ([".search"], "SERVER.TOOL"), (["read_file", "--arg", "path=a", "--arg", "path=b"], "--arg path is given twice"),
                       (["read_file", "--arg", "path"], "KEY=VALUE"), (["read_file", "--arg", "=a"], "KEY=VALUE"), (["read_file", "--arg", ""], "KEY=VALUE"),
                       (["read_file", "[]"], "JSON object"), (["read_file", ""], "JSON object"), ([], "wants TOOL")):
        r = b.run("call", *args, code=2)
        assert said in r.err and not r.out, (args, r)
    assert not b.data.exists(), "a mistake starts nothing"
    (b.work / "a").write_text("the text of a\n")
    for args in (["--arg", "path=a"], ['{"path": "b"}', "--arg", "path=a"], ["--arg", "path=a", "--arg", "offset=1"]):
        assert "the text of a" in b.run("call", "read_file", *args, code=0).out, args


@test
def options_of_other_programs_are_named_as_they_are_here(b):
    """Users of other agents type these first."""
    for words, meant in ((["-p", "hello"], 'thole run "PROMPT"'), (["--print", "hello"], 'thole run "PROMPT"'),
                         (["--resume", "x"], "thole resume"), (["-r"], "thole resume"), (["--continue", "hello"], "thole run -s @last"),
                         (["--output-format", "stream-json", "hello"], "-o stream-json"), (["--output-format=json"], "-o json"),
                         (["--dangerously-skip-permissions"], "--mode bypass"), (["--allowedTools", "Bash"], "thole policy")):
        r = b.run(*words, code=2)
        assert "Here it is: " in r.err and meant in r.err, (words, r)
    assert "Here it is" not in b.run("ps", "-p", code=2).err, "another verb"
    assert not b.data.exists(), "nothing was started"


@test
def a_home_that_cannot_be_written_is_named(b):
    """A full file system gave no reason, and a read-only one was said not to exist."""
    inside = f'mount -t tmpfs -o size=64k none "$1" && {{ %s; }}; XDG_STATE_HOME="$1/state" HOME="$1" {THOLE} --data "$1/a/b" run hi'

    def run(what):
        place = b.dir / what.split()[0]
        place.mkdir()
        p = subprocess.run(["unshare", "-Urm", "sh", "-c", inside % what, "sh", str(place)], capture_output=True, text=True,
                           timeout=DEADLINE_S, env=b.env, cwd=b.work)
        if "unshare" in p.stderr or "mount:" in p.stderr:
            raise Skip("a user namespace with mounts")
        assert p.returncode != 0, p
        return p.stderr, str(place)

    err, place = run('mount -o remount,ro "$1"')
    assert f"{place}/a cannot be made: Read-only file system" in err and "No such file" not in err, err
    err, place = run('dd if=/dev/zero of="$1/full" 2>/dev/null')
    assert place in err and "no space" in err.lower(), err


@test
def a_directory_that_cannot_be_made_is_named_with_the_reason(b):
    """A settings file below a read-only HOME was said not to exist, and so was a place to restore to."""
    inside = f'mount -t tmpfs none "$1" && mount -o remount,ro "$1"; export HOME="$1"; shift; exec {THOLE} "$@"'
    home, pack = b.dir / "home", b.dir / "pack.tar.zst"
    home.mkdir()
    b.run("run", "hi", code=0)
    b.run("backup", str(pack), code=0)
    for words, part in ((["mcp", "add", "x", "--no-start", "--", "true"], ".config"), (["peer", "add", "x", "https://a.example/"], ".config"),
                        (["--data", f"{home}/a/b/data", "restore", str(pack)], "a")):
        p = subprocess.run(["unshare", "-Urm", "sh", "-c", inside, "sh", str(home), *words], capture_output=True, text=True, timeout=DEADLINE_S,
                           env={k: v for k, v in b.env.items() if not k.startswith("XDG_CONFIG")}, cwd=b.work)
        if "unshare" in p.stderr or "mount:" in p.stderr:
            raise Skip("a user namespace with mounts")
        assert p.returncode != 0 and f"{home}/{part} " in p.stderr and "Read-only file system" in p.stderr and "No such file" not in p.stderr, (words, p)
