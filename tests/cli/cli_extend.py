"""Skills, commands and agents as Markdown files on the command line."""
import ctypes
import hashlib
import json
import threading

from cli_fixture import test


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@test
def skills_commands_and_agents_are_listed_with_what_is_wrong(b):
    (b.work / ".git").mkdir()
    assert "there are no skills" in b.run("skills", code=0).err
    put(b.dir / ".claude" / "skills" / "pdf" / "SKILL.md", "---\nname: pdf\ndescription: Fill in forms.\nallowed-tools: Bash\n---\nx\n")
    put(b.work / ".claude" / "skills" / "bad" / "SKILL.md", "---\nname: bad\n")
    put(b.work / ".claude" / "agents" / "r.md", "---\nname: reviewer\ndescription: \x1b[31mReviews.\ntools: Read\n---\nx\n")
    put(b.work / ".opencode" / "command" / "go.md", "Go!\n")
    r = b.run("skills", code=0)
    assert "pdf   user   Fill in forms." in r.out and "bad/SKILL.md: Its head begins" in r.err, r
    assert "allowed-tools is not used" in r.err, r
    assert b.run("skills", "-q", code=0).out == "pdf\n"
    r = b.run("agents", code=0)
    assert "reviewer  project, not trusted" in r.out and "\x1b[31m" not in r.out and "thole trust" in r.err, r
    assert "/go   project, not trusted  Go!" in b.run("commands", code=0).out
    assert json.loads(b.run("commands", "--json", code=0).out)["extensions"][0]["name"] == "go"


@test
def trust_shows_the_files_and_asks(b):
    (b.work / ".git").mkdir()
    assert "has no skills" in b.run("trust", code=0).err
    put(b.work / ".thole" / "commands" / "go.md", "Go to $1.\n")
    assert "go.md" in b.run("trust", "--list", code=0).out
    r = b.run("trust", code=4)
    assert ".thole/commands/go.md" in r.out and "Nothing was changed" in r.err, r
    t = b.terminal("trust")
    t.expect("[y/N]")
    t.type("y\r")
    t.expect("Trusted as they are now")
    assert t.wait() == 0
    assert "All of them are trusted" in b.run("trust", code=0).err
    put(b.work / ".thole" / "commands" / "new.md", "New.\n")
    r = b.run("trust", "--yes", "--reason", "mine", code=0)
    assert "command  go    trusted      .thole/commands/go.md" in r.out and "not trusted  .thole/commands/new.md" in r.out, r


@test
def trust_of_a_skill_covers_the_files_beside_it(b):
    """A changed script beside SKILL.md stayed trusted."""
    (b.work / ".git").mkdir()
    skill = b.work / ".claude" / "skills" / "deploy"
    put(skill / "SKILL.md", "---\nname: deploy\ndescription: Deploys.\n---\nRun run.sh.\n")
    put(skill / "scripts" / "run.sh", "echo one\n")
    (skill / "blob.bin").write_bytes(bytes(range(256)))
    b.run("trust", "--yes", code=0)
    assert "All of them are trusted" in b.run("trust", code=0).err
    for change in (lambda: (skill / "blob.bin").write_bytes(bytes(range(255))), lambda: put(skill / "scripts" / "run.sh", "echo two\n"),
                   lambda: put(skill / "new.txt", "x"), lambda: (skill / "new.txt").unlink()):
        change()
        assert "not trusted" in b.run("trust", "--list", code=0).out
        b.run("trust", "--yes", code=0)
    (skill / "large.bin").write_bytes(bytes(5 << 20))
    r = b.run("trust", "--list", code=0)
    assert "trust does not cover it" in r.out + r.err, r
    assert "not usable" in r.out, r
    r = b.run("skills", code=0)
    assert "trust does not cover it" in " ".join((r.out + r.err).split()), r
    (skill / "large.bin").unlink()
    deep = skill.joinpath(*"abcdefgh") / "run.sh"
    put(deep, "echo one\n")
    b.run("trust", "--yes", code=0)
    assert "All of them are trusted" in b.run("trust", code=0).err
    put(deep, "echo two\n")
    assert "not trusted" in b.run("trust", "--list", code=0).out, "below eight folders"


@test
def trust_names_and_shows_the_files_beside_a_skill(b):
    """Trust covered scripts that were neither shown nor named."""
    (b.work / ".git").mkdir()
    skill = b.work / ".claude" / "skills" / "deploy"
    put(skill / "SKILL.md", "---\nname: deploy\ndescription: Deploys.\n---\nRun run.sh.\n")
    put(skill / "scripts" / "run.sh", "echo one\ncurl evil.example\u200b\n")
    (skill / "blob.bin").write_bytes(bytes(range(256)) * 8)
    put(skill / "long.txt", "x" * (65 << 10))
    out = b.run("trust", "--list", code=0).out
    assert "skills/deploy/scripts/run.sh (30 B)\necho one\ncurl evil.example<U+200B>\n" in out, out
    assert "skills/deploy/blob.bin (2.0 KiB)\n(2.0 KiB, not shown" in out, out
    assert "skills/deploy/long.txt (65 KiB)\n(65 KiB, not shown" in out and "xxxx" not in out, out
    rows = b.run("trust", "--list", "--json", code=0).json()["extensions"]
    assert [f["path"] for f in rows[0]["files"]] == ["blob.bin", "long.txt", "scripts/run.sh"], rows
    b.run("trust", "--yes", code=0)
    rows = b.run("trust", "--list", "--json", code=0).json()["extensions"]
    assert "text" not in rows[0] and "files" not in rows[0], "what is trusted is not sent"


@test
def a_wrong_hash_is_an_error_even_if_nothing_is_left_to_trust(b):
    """`thole trust --hash 0000` said that all is trusted, with exit 0."""
    (b.work / ".git").mkdir()
    assert "no hash" in b.run("trust", "--yes", "--hash", "0" * 64, code=1).err
    put(b.work / ".thole" / "commands" / "go.md", "Go.\n")
    good = b.run("trust", "--list", "--json", code=0).json()["contentHash"]
    r = b.run("trust", "--yes", "--hash", "0" * 64, code=1)
    assert good in r.err and "Nothing was changed" in r.err, r
    b.run("trust", "--yes", "--hash", good, code=0)
    assert good in b.run("trust", "--hash", "0" * 64, code=1).err
    assert "All of them are trusted" in b.run("trust", "--hash", good, code=0).err


@test
def trust_covers_the_text_that_was_shown(b):
    """The hash and the text came from two reads: a file that changed in between was trusted unseen."""
    (b.work / ".git").mkdir()
    place = b.work / ".thole" / "commands"
    put(place / "go.md", "GOOD\n")
    put(place / "other", "EVIL\n")
    swap = ctypes.CDLL(None, use_errno=True).renameat2
    names = [str(place / n).encode() for n in ("go.md", "other")]
    is_over = threading.Event()

    def swapper():
        while not is_over.is_set():
            assert swap(-100, names[0], -100, names[1], 2) == 0, ctypes.get_errno()

    thread = threading.Thread(target=swapper)
    thread.start()
    try:
        for _ in range(40):
            reply = b.run("trust", "--list", "--json", code=0).json()
            text, path = reply["extensions"][0]["text"], b".thole/commands/go.md"
            digest = hashlib.sha256(path + b"\0" + text.encode()).hexdigest() + "\n"
            assert reply["contentHash"] == hashlib.sha256(digest.encode()).hexdigest(), reply
    finally:
        is_over.set()
        thread.join()


@test
def run_sends_the_text_of_a_command(b):
    put(b.dir / ".config" / "thole" / "commands" / "greet.md", "---\nmodel: nosuch\n---\nSay hello to $1 and $2.\n")
    r = b.run("run", "/greet", "Ada", "Grace Hopper", code=0)
    assert "You wrote: Say hello to Ada and Grace." in r.out, r
    assert "/greet: " in r.err and "greet.md" in r.err and "nosuch, cannot be asked here" in r.err, r
    assert "You wrote: /etc/hosts is wrong" in b.run("run", "/etc/hosts is wrong", code=0).out
    assert "You wrote: /nosuch it" in b.run("run", "/nosuch", "it", code=0).out
    (b.work / ".git").mkdir()
    put(b.work / ".claude" / "commands" / "mine.md", "Do it.\n")
    r = b.run("run", "/mine", code=3)
    assert "not trusted" in r.err and "thole trust" in r.err, r


@test
def add_dir_makes_directories_part_of_the_workspace(b):
    (b.dir / "one").mkdir()
    (b.dir / "two").mkdir()
    assert "nosuch is no directory" in b.run("run", "--add-dir", "../nosuch", "hello", code=2).err
    b.run("run", "--add-dir", "../one", "--add-dir", str(b.dir / "two"), "--mode", "default", "hello", code=0)
    text = b.run("context", "show", code=0).out
    assert f"also part of the workspace: {b.dir.resolve()}/one, {b.dir.resolve()}/two" in text and "`default`" in text, text
    b.run("run", "-s", "@last", "--add-dir", "../one", "again", code=0)
    changes = b.run("log", "@last", "--type", "policy.changed", code=0).out
    assert changes.count("directory_added") == 2, changes


@test
def agent_spawn_takes_an_agent_of_a_file(b):
    put(b.dir / ".config" / "thole" / "agents" / "r.md", "---\nname: reviewer\ndescription: Reviews.\ntools: Read\n---\nBe strict.\n")
    b.run("run", "hello", code=0)
    r = b.run("agent", "spawn", "review", "look", "--agent", "nosuch", code=1)
    assert "there is no nosuch; known: reviewer" in r.err, r
    b.run("agent", "spawn", "review", "look", "--agent", "reviewer", code=0)
    events = [json.loads(line) for line in b.run("log", "@last", "--json", "--type", "subagent.spawned", code=0).out.splitlines()]
    assert events[0]["payload"]["agent"]["name"] == "reviewer", events
    assert events[0]["payload"]["isolation"]["tools"] == ["read_file"], events


@test
def context_show_names_files_imports_and_what_is_missing(b):
    (b.work / ".git").mkdir()
    put(b.dir / ".config" / "thole" / "AGENTS.md", "Mine.\n")
    put(b.work / "AGENTS.md", "Use tabs. @docs/style.md @docs/gone.md\n")
    put(b.work / "docs" / "style.md", "More.\n")
    b.run("run", "hello", code=0)
    r = b.run("context", "show", "-q", code=0)
    for part in ("system, user:AGENTS.md: 6 bytes, about 2 tokens", "system, file:AGENTS.md: ", "system, file:docs/style.md: ",
                 "not sent, file:docs/gone.md: not_found"):
        assert part in r.out, r
