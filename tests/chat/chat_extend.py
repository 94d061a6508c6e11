"""Commands, skills and agents as Markdown files, instruction files, effort."""
import json

from chat_fixture import Chat
from chat_life import answered
from cli_fixture import test


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def project(b):
    (b.work / ".git").mkdir()
    put(b.work / ".claude" / "commands" / "fix.md", "---\ndescription: Fix an issue\nargument-hint: NUMBER\n---\nFix issue $1.\n")
    put(b.dir / ".claude" / "skills" / "pdf" / "SKILL.md", "---\nname: pdf\ndescription: Fill in forms.\n---\nUse qpdf.\n")
    put(b.dir / ".config" / "thole" / "commands" / "hail.md", "Say hello to $ARGUMENTS.")


@test
def commands_of_files_are_completed_listed_and_run(b):
    project(b)
    chat = Chat(b, columns=100).prompt()
    chat.sees("1 file of this project (skills, commands, agents) not trusted: /trust")
    chat.type("/fi")
    chat.sees("not trusted · NUMBER · Fix an issue")
    chat.type("x 12")
    chat.keys("enter")
    chat.sees("which is not trusted").sees("here: /trust")
    chat.type("/trust")
    chat.keys("enter")
    chat.sees("/trust yes trusts what is listed")
    # A file that changed after it was shown is not trusted.
    put(b.work / ".claude" / "commands" / "more.md", "More.")
    chat.type("/trust yes\r")
    chat.sees("The files of this project are others")
    chat.type("/trust yes\r")
    chat.sees(lambda: chat.whole().count("/trust yes trusts what is listed") == 2)
    chat.type("/trust yes\r")
    chat.sees("Trusted as they are now")
    chat.type("/fix 12")
    chat.keys("enter")
    chat.sees("You wrote: Fix issue 12.")
    assert "/fix: " in chat.whole() and ".claude/commands/fix.md" in chat.whole().replace("\n", ""), chat.whole()
    chat.prompt()
    chat.type("/hail the crew")
    chat.keys("enter")
    chat.sees("You wrote: Say hello to the crew.")
    chat.prompt()
    answered(chat, "/etc/hosts is wrong")
    assert "You wrote: /etc/hosts is wrong" in chat.whole()
    chat.type("/help")
    chat.keys("enter")
    chat.sees("/hail")
    chat.type("/skills")
    chat.keys("enter")
    chat.sees("Fill in forms.")
    chat.type("/nosuch")
    chat.keys("enter")
    chat.sees("There is no command /nosuch")


@test
def memory_lists_and_opens_instruction_files(b):
    (b.work / ".git").mkdir()
    put(b.work / "AGENTS.md", "Use tabs. @more.md\n")
    put(b.work / "more.md", "More.\n")
    put(b.dir / "edit", '#!/bin/sh\necho "edited" >> "$1"\n')
    (b.dir / "edit").chmod(0o755)
    chat = Chat(b, EDITOR=str(b.dir / "edit")).prompt()
    chat.type("/memory")
    chat.keys("enter")
    chat.sees("files are loaded with the first message")
    answered(chat, "hello")
    chat.type("/memory")
    chat.keys("enter")
    chat.sees("1  file:AGENTS.md").sees("2  file:more.md")
    chat.type("/memory 2\r")
    chat.sees("the next message loads it")
    assert (b.work / "more.md").read_text() == "More.\nedited\n"
    chat.type("/memory user\r")
    chat.sees(lambda: chat.whole().count("the next message loads it") == 2)
    assert (b.dir / ".config" / "thole" / "AGENTS.md").read_text() == "edited\n"


@test
def effort_is_sent_with_the_next_message(b):
    chat = Chat(b).prompt()
    chat.type("/effort\r")
    chat.sees("effort auto")
    chat.type("/effort high\r")
    chat.sees("effort high from the next message on")
    answered(chat, "hello")
    events = [json.loads(line) for line in b.run("log", "@last", "--json", code=0).out.splitlines()]
    assert [e for e in events if e["type"] == "turn.submitted"][0]["payload"]["options"]["effort"] == "high", events[4]


@test
def add_dir_makes_a_directory_part_of_the_session(b):
    (b.dir / "other").mkdir()
    (b.dir / "first").mkdir()
    chat = Chat(b, "chat", "--add-dir", "../first", columns=100).prompt()
    chat.sees(f"and in {b.dir.resolve()}/first")
    chat.type("/add-dir remove ../first\r")
    chat.sees(lambda: chat.whole().count("the agent works in") == 2)
    chat = Chat(b, columns=100).prompt()
    chat.type("/add-dir\r")
    chat.sees("/add-dir DIR lets the agent read and write there too")
    chat.type("/add-dir ../nosuch\r")
    chat.sees("does not exist")
    chat.type("/add-dir ../other\r")
    chat.sees(f"and in {b.dir.resolve()}/other")
    chat.type("/add-dir remove ~/other\r")
    chat.sees(lambda: chat.whole().count("the agent works in") == 2)
    assert chat.whole().count("and in ") == 1, chat.whole()
    changes = b.run("log", "@last", "--type", "policy.changed", code=0).out
    assert "directory_added" in changes and "directory_removed" in changes and "/other" in changes, changes
