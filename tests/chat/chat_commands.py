"""The slash commands."""
import json

from chat_fixture import TWICE_ESC, Chat
from chat_life import answered, long_message, status_line
from cli_fixture import test


def two_models(b):
    return b.script({"models": [{"model": "demo"}, {"model": "second"}], "default": {"text": "You wrote: {{input}}"}})


def models_of(b):
    return [e["payload"]["selectedModel"] for e in b.run("log", "@last", "--type", "routing.decided", "--json", code=0).lines()]


@test
def the_model_of_a_session_is_remembered(b):
    b.env["THOLE_SCRIPT"] = two_models(b)
    chat = Chat(b).prompt().sees("demo · ")
    chat.type("/model second\r")
    chat.sees("goes to second")
    answered(chat, "chosen before the session")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c").prompt().sees("second · ")
    answered(chat, "continued")
    chat.type("/model scripted/demo\r")
    chat.sees("goes to scripted/demo")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c").prompt().sees("scripted/demo · ")
    answered(chat, "continued again")
    assert models_of(b) == ["second", "second", "demo"], models_of(b)
    chat.type("/new\r")
    chat.sees("a new session begins")
    chat.keys("ctrl-d")
    chat.wait()
    assert status_line(Chat(b).prompt().sees("demo · ")).startswith("demo · ")


@test
def a_model_that_does_not_exist_is_not_chosen(b):
    chat = Chat(b).prompt().sees("demo · ")
    for name in ("nothing/here", "nothing", "demo extra", "\u202edemo"):
        chat.type(f"/model {name}\r")
        chat.sees("There is no model")
        chat.prompt()
        chat.type("/new\r")
        chat.sees("a new session begins")
    answered(chat, "still the first one")
    assert models_of(b) == ["demo"]


@test
def rewind_goes_back_to_any_message(b):
    """It went back one message, and no further after that."""
    chat = Chat(b, THOLE_SCRIPT=two_models(b)).prompt()
    for word in ("first", "second", "third", "fourth", "fifth"):
        answered(chat, word)
    chat.type("/rewind 2\r")
    chat.sees(lambda: chat.input_line() == "› fourth")
    chat.sees("2 turns left the conversation")
    chat.keys("ctrl-u")
    answered(chat, "other fourth")
    for n, wrong in enumerate(("0", "5", "-1", "x", "99999999999999999999"), 1):
        chat.type(f"/rewind {wrong}\r")
        chat.sees(lambda: chat.whole().count("from 1, the last message, to 4") == n)
    chat.type("/rewind\r")
    chat.sees("Back to:")
    assert [line[3:].split(maxsplit=1) for line in chat.lines()[1:5]] == [
        ["1", "other fourth"], ["2", "third"], ["3", "second"], ["4", "first"]], chat.text()
    chat.keys("down", "down", "enter")
    chat.sees(lambda: chat.input_line() == "› second")
    chat.sees("3 turns left the conversation")
    chat.keys("ctrl-u")
    answered(chat, "other second")
    chat.keys(*TWICE_ESC)
    chat.sees("Back to:")
    assert chat.lines()[1].endswith("other second"), chat.text()
    chat.type("first")
    chat.sees(lambda: len([line for line in chat.lines() if line]) == 2)
    chat.keys("enter")
    chat.sees(lambda: chat.input_line() == "› first")
    chat.keys("ctrl-u")
    chat.type("/rewind\r")
    chat.sees("no message to go back to")


@test
def rewind_takes_a_queued_message_and_a_running_turn_back(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    answered(chat, "hello")
    chat.type("slow one\r")
    chat.sees("stroke 1")
    chat.type("never run\t")
    chat.sees("queued: never run")
    chat.type("/rewind\r")
    chat.sees("Back to:")
    assert [line[3:].split(maxsplit=1) for line in chat.lines()[1:3]] == [["1", "slow one"], ["2", "hello"]], chat.text()
    chat.keys("esc")
    chat.sees("stroke 1")
    chat.type("/rewind 1\r")
    chat.sees(lambda: "› slow one" in chat.input_line())
    chat.sees("left the conversation")
    assert "queued: never run" in chat.text()


@test
def rewind_in_a_long_conversation_and_in_a_fork(b):
    chat = Chat(b, THOLE_SCRIPT=two_models(b)).prompt()
    answered(chat, "message 0")
    session = b.session()
    for n in range(1, 600):
        b.rpc("submit_turn", {"sessionId": session, "input": [{"type": "text", "text": f"message {n}"}]})
    chat.sees(lambda: "You wrote: message 599" in chat.text() and "What shall it do?" in chat.text())
    chat.type("/rewind 550\r")
    chat.sees(lambda: chat.input_line() == "› message 50")
    chat.sees("550 turns left the conversation")
    chat.keys("ctrl-u")
    chat.type("/fork\r")
    chat.sees("continued on a new thread")
    answered(chat, "in the fork")
    chat.type("/rewind 1\r")
    chat.sees(lambda: chat.input_line() == "› in the fork")
    chat.sees("1 turn left the conversation")


@test
def export_writes_a_file_and_says_how_many_events(b):
    """It printed the whole log, and ignored the name of a file."""
    chat = Chat(b, columns=140, THOLE_SCRIPT=two_models(b)).prompt()
    answered(chat, "hello")
    chat.type("/export my log.jsonl\r")
    chat.sees("my log.jsonl")
    lines = (b.work / "my log.jsonl").read_text().splitlines()
    assert lines == b.run("export", "session", "@last", code=0).out.splitlines()
    assert json.loads(lines[0])["type"] == "session.created" and f"{len(lines)} events written to" in chat.text(), chat.text()
    assert (b.work / "my log.jsonl").stat().st_mode & 0o777 == 0o600
    assert "session.created" not in chat.whole(), chat.whole()
    chat.type("/export my log.jsonl\r")
    chat.sees("cannot be written: it exists")
    chat.type("/export no/such/dir.jsonl\r")
    chat.sees("cannot be written: No such file")
    for name in (f"{b.session()}.jsonl", f"{b.session()}-2.jsonl"):
        chat.type("/export\r")
        chat.sees(name)
        assert (b.work / name).read_text().splitlines() == lines
    chat.type("/export ~/page.html\r")
    chat.sees("the session as a page: ")
    assert "</html>" in (b.dir / "page.html").read_text()


@test
def context_and_its_figure_after_a_compaction(b):
    """/context failed: the newest request, that of the summary, has no record; the figure was that of this request."""
    chat = Chat(b, columns=100, THOLE_SCRIPT=two_models(b)).prompt()
    answered(chat, "message 0")
    chat.type("/compact\r")
    chat.sees("Nothing to gain")
    long_message(chat)
    for n in range(1, 8):
        answered(chat, f"message {n} here")
    assert " · 5." in status_line(chat), status_line(chat)
    chat.type("/compact\r")
    chat.sees("tokens: The conversation so far had 18 messages.")
    chat.prompt()
    chat.type("/compact\r")
    chat.sees(lambda: chat.whole().count("Nothing to gain") == 2)
    assert " · 4." in status_line(chat) and "k of 200k" in status_line(chat), status_line(chat)
    chat.type("/context\r")
    chat.sees("became this summary")
    assert "missing_field" not in chat.whole() and "── total: " in chat.whole(), chat.whole()
    answered(chat, "another")
    chat.type("/context\r")
    chat.sees(lambda: chat.whole().count("── total: ") == 2)
    assert chat.whole().count("became this summary") == 1, chat.whole()
    chat.type("/rewind 3\r")
    chat.sees(lambda: "› message 6 " in chat.input_line())
    chat.sees("3 turns left the conversation")


@test
def commands_before_the_first_message_answer(b):
    """/status and /memory said that a session is needed, and /add-dir listed nothing."""
    (b.work / "AGENTS.md").write_text("Be kind.\n")
    (b.work / "more").mkdir()
    chat = Chat(b, columns=120, THOLE_SCRIPT=two_models(b)).prompt().sees("demo · ")
    chat.type("/status\r")
    chat.sees(lambda: f"demo in mode on_request, in {b.work}" in chat.whole())
    chat.type("/memory\r")
    chat.sees(f"project: {b.work}/AGENTS.md")
    chat.type("/add-dir\r")
    chat.sees(f"the agent works in {b.work}")
    assert b.run("ps", "--all", "-q", code=0).ids() == []
    chat.type("/add-dir more\r")
    chat.sees(f"and in {b.work}/more")
    chat.type("/status\r")
    chat.sees(lambda: chat.whole().count("demo in mode on_request, in") == 2)
    assert str(b.data) not in chat.whole().split("of work)")[-1].split("without work)")[-1], chat.whole()
    chat.type("/add-dir\r")
    chat.sees(lambda: chat.whole().count(f"and in {b.work}/more") == 2)
    chat.type("/add-dir remove more\r")
    chat.sees(lambda: chat.whole().count(f"the agent works in {b.work}") == 4)
    chat.type("/add-dir\r")
    chat.sees(lambda: chat.whole().count(f"the agent works in {b.work}") == 5)
    assert chat.whole().count(f"and in {b.work}/more") == 2, chat.whole()
    answered(chat, "hello")
    chat.type("/memory\r")
    chat.sees("1  file:AGENTS.md")


@test
def files_of_a_message_are_not_shown_as_markup(b):
    (b.work / "a.txt").write_text("content\n")
    chat = Chat(b, columns=100, THOLE_SCRIPT=b.script({"default": {"text": "Read."}})).prompt()
    answered(chat, "see @a.txt there")
    chat.type("!echo hello\r")
    chat.sees("the next message includes the output")
    answered(chat, "next")
    chat.type("/rewind\r")
    chat.sees("Back to:")
    chat.keys("esc")
    chat.prompt()
    chat.keys("ctrl-d")
    chat.wait()
    again = Chat(b, "-c", columns=100).prompt()
    for text in (chat.whole(), again.whole(), chat.raw.decode("utf-8", "replace")):
        assert "<file" not in text and "see @a.txt there" in text, text


@test
def commands_in_a_pipe_are_not_sent_to_the_model(b):
    b.env["THOLE_SCRIPT"] = two_models(b)
    r = b.run("chat", stdin="/status\n/nothing\n/tools\n/rewind\n/model nothing/here\n")
    assert r.code != 0 and b.run("ps", "--all", "-q", code=0).ids() == [], r
    for said in ("/status needs a session", "no command /nothing", "/tools needs a session", "/rewind needs the chat", "no model nothing/here"):
        assert said in r.err, r
    r = b.run("chat", stdin="/model second\nhello\n/status\n/tools\n/etc/hosts is wrong\n/doctor x\n", code=0)
    assert "You wrote: hello" in r.out and "You wrote: /etc/hosts is wrong" in r.out and b.session() in r.out and "read_file" in r.out, r
    assert models_of(b) == ["second", "second"], r


@test
def reasons_name_verbs_that_a_person_can_type(b):
    b.env.update(THOLE_SCRIPT=two_models(b), THOLE_ROUTING_DENY='["scripted"]', THOLE_ROUTING_ON_NO_CANDIDATE="wait")
    chat = Chat(b, columns=100).prompt()
    chat.type("hello\r")
    chat.sees("no model can be asked; thole resume looks again")


@test
def a_fork_that_is_continued_shows_what_it_continues(b):
    """`thole -c` showed the messages of the fork alone."""
    chat = Chat(b).prompt()
    answered(chat, "the trunk")
    chat.type("/fork\r")
    chat.sees("continued on a new thread")
    answered(chat, "the branch")
    assert chat.whole().count("› the trunk") == 1, chat.whole()
    chat.keys("ctrl-d")
    assert chat.wait() == 0
    chat = Chat(b, "-c", rows=60).prompt()
    text = chat.whole()
    assert text.index("› the trunk") < text.index("You wrote: the trunk") < text.index("› the branch"), text


@test
def the_effort_stays_with_the_session(b):
    """The model stayed at `thole -c`, the effort did not."""
    chat = Chat(b, "--effort", "high").prompt()
    answered(chat, "one")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c").prompt()
    chat.type("/effort\r")
    chat.sees("effort high")
    answered(chat, "two")
    log = b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()
    assert [e["payload"]["options"].get("effort") for e in log] == ["high", "high"], log


@test
def tasks_are_those_of_the_session(b):
    b.run("task", "new", "elsewhere-task", code=0)
    chat = Chat(b, columns=100).prompt()
    answered(chat, "hello")
    chat.type("/tasks\r")
    chat.sees(lambda: "/tasks" not in chat.input_line())
    answered(chat, "again")
    assert "elsewhere-task" not in chat.whole(), chat.whole()


@test
def context_lists_parts_and_sizes(b):
    """It printed the whole system prompt."""
    chat = Chat(b, columns=100).prompt()
    answered(chat, "hello")
    chat.type("/context\r")
    chat.sees("── total: ")
    parts = [line for line in chat.whole().splitlines() if line.startswith("── ")]
    at = chat.whole().index(parts[0])
    assert len(parts) > 2 and len(chat.whole()[at:].split("── total")[0].splitlines()) <= len(parts) + 1, chat.whole()


@test
def one_message_is_picked_too(b):
    """/rewind took it back at once."""
    chat = Chat(b).prompt()
    answered(chat, "only one")
    chat.type("/rewind\r")
    chat.sees("Back to:")
    chat.keys("esc")
    chat.prompt()
    answered(chat, "still there")
    assert "left the conversation" not in chat.whole()


@test
def leaving_says_that_the_turn_continues(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 1")
    chat.keys("ctrl-d")
    chat.sees("the turn continues; thole stop")
    assert chat.wait() == 0


@test
def commands_of_other_programs_work_or_say_what_does(b):
    """Users of other agents type these first."""
    chat = Chat(b, columns=100).prompt()
    answered(chat, "hello")
    for typed, seen in (("/config", "There is no command /config; in a shell: thole config"), ("/login", "thole auth add NAME"),
                        ("/logout", "thole auth rm NAME"), ("/usage", "scripted/demo"), ("/clear", "a new session begins")):
        chat.type(typed + "\r")
        chat.sees(seen)
    chat.type("/exit\r")
    assert chat.wait() == 0


@test
def each_line_of_a_hook_is_shown_before_it_is_trusted(b):
    """The lines of a command were one line, and what followed a comment looked like a part of it."""
    (b.work / ".thole").mkdir()
    (b.work / ".thole" / "hooks.json").write_text(json.dumps({"hooks": {"user_prompt_submit": [
        {"name": "mark", "command": "true # counts\ntouch PWNED"}]}}))
    chat = Chat(b, columns=100).prompt()
    for command in ("/hooks", "/trust"):
        chat.type(command + "\r")
        chat.sees("| true # counts").sees("| touch PWNED")
    chat.type("/hooks trust\r")
    chat.sees("is trusted as it is now")


@test
def what_is_not_trusted_is_named_and_shown(b):
    """A hook of the project was not mentioned, and /trust showed names alone."""
    (b.work / ".thole" / "commands").mkdir(parents=True)
    (b.work / ".thole" / "commands" / "go.md").write_text("---\ndescription: Go!\n---\nRow to the island.\n")
    (b.work / ".thole" / "hooks.json").write_text(
        json.dumps({"hooks": {"user_prompt_submit": [{"name": "mark", "command": "true"}]}}))
    chat = Chat(b, columns=100).prompt()
    chat.sees("1 hook of this project not trusted").sees("1 file of this project")
    chat.type("/trust\r")
    chat.sees("Row to the island.").sees("/trust yes trusts what is listed")
    chat.sees("not trusted, at user_prompt_submit: true")
    chat.type("/trust yes\r")
    chat.sees("Trusted as they are now")
    # hooks run programs: they are trusted apart, as they were listed
    trusted = lambda: {h["trust"] for h in b.run("hooks", "ls", "--json", code=0).json()["hooks"]}
    assert trusted() == {"untrusted"}
    chat.type("/hooks trust\r")  # nothing was listed yet
    chat.sees("/hooks trust trusts those of the project")
    assert trusted() == {"untrusted"}
    (b.work / ".thole" / "hooks.json").write_text(
        json.dumps({"hooks": {"user_prompt_submit": [{"name": "mark", "command": "false"}]}}))
    chat.type("/hooks trust\r")  # changed since
    chat.sees("changed")
    assert trusted() == {"untrusted"}
    chat.type("/hooks\r")
    chat.sees("not trusted, at user_prompt_submit: false")
    chat.type("/hooks trust\r")
    chat.sees("is trusted as it is now")
    assert "untrusted" not in trusted()
