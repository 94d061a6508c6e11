"""The input: motions, undo, history, pastes, wide characters, completion, commands."""
import os
import signal
import termios

from chat_fixture import TWICE_ESC, Chat
from chat_life import answered
from cli_fixture import Skip, test


def shows(chat, text):
    return chat.sees(lambda: chat.input_line() == text)


@test
def words_and_lines_are_moved_over_killed_and_undone(b):
    chat = Chat(b).prompt()
    chat.type("one two three")
    shows(chat, "› one two three")
    chat.keys("alt-b", "alt-d")
    shows(chat, "› one two")
    chat.keys("ctrl-w")
    shows(chat, "› one")
    chat.keys("ctrl-y")
    chat.sees(lambda: "two three" in chat.input_line())
    chat.keys("ctrl-a", "ctrl-k")
    chat.prompt()
    chat.keys("ctrl-_")
    chat.sees(lambda: "two three" in chat.input_line())
    chat.keys("home", "delete", "end", "backspace")
    chat.sees(lambda: chat.input_line().startswith("› ne two"))


@test
def wide_characters_take_their_columns(b):
    chat = Chat(b, columns=40).prompt()
    for text, columns in (("日本語", 6), ("é", 1), ("e\u0301", 1), ("👩‍👩‍👧", 2), ("🇩🇪", 2)):
        chat.type(text)
        chat.sees(lambda: chat.screen.cursor.x == 2 + columns)
        chat.keys("left")
        chat.sees(lambda: chat.screen.cursor.x == (4 if columns == 6 else 0) + 2)
        chat.keys("right", "ctrl-u")
        chat.prompt()


@test
def several_lines_are_one_message(b):
    chat = Chat(b).prompt()
    chat.type("first\\\r")
    chat.type("second")
    chat.keys("alt-enter")
    chat.type("third")
    chat.sees("  third")
    chat.keys("up", "end")
    chat.type("!")
    chat.sees("  second!")
    chat.keys("enter")
    chat.sees(lambda: "You wrote: first\nsecond!\nthird" in chat.whole())
    assert "› first\n  second!\n  third" in chat.whole()


@test
def a_large_paste_is_folded_and_sent_whole(b):
    chat = Chat(b, THOLE_SCRIPT=b.script({"rules": [{"when": {"text": "line 119"}, "reply": {"text": "All is there."}}]}))
    chat.prompt()
    chat.type("see \x1b[200~" + "".join(f"line {n}\n" for n in range(120)) + "\x1b[201~")
    chat.sees("› see [Pasted 120 lines #1]")
    chat.keys("backspace")
    shows(chat, "› see")
    chat.keys("ctrl-_", "enter")
    chat.sees("All is there.")
    small = Chat(b).prompt()
    small.type("\x1b[200~two\nlines\x1b[201~")
    small.sees("› two\n  lines")


@test
def the_history_outlives_the_chat_and_is_searched(b):
    chat = Chat(b).prompt()
    answered(chat, "the first question")
    answered(chat, "another one")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b).prompt()
    chat.keys("up")
    shows(chat, "› another one")
    chat.keys("up")
    shows(chat, "› the first question")
    chat.keys("down", "down")
    chat.prompt()
    chat.keys("ctrl-r")
    chat.type("quest")
    chat.sees("search: quest")
    shows(chat, "› the first question")
    chat.keys("enter")
    chat.sees("You wrote: the first question")


@test
def files_are_completed_and_ignored_ones_are_not(b):
    (b.work / "src").mkdir()
    (b.work / "src" / "parser.c").write_text("int x;\n")
    (b.work / "build").mkdir()
    (b.work / "build" / "parser.o").write_text("")
    (b.work / "notes.log").write_text("")
    (b.work / ".gitignore").write_text("build/\n*.log\n")
    chat = Chat(b).prompt()
    chat.type("look at @prs")
    chat.sees("> src/parser.c")
    assert "parser.o" not in chat.text()
    chat.keys("tab")
    shows(chat, "› look at @src/parser.c")
    chat.type("@")
    chat.sees(".gitignore")
    assert "notes.log" not in chat.text()
    chat.keys("esc")
    chat.sees(lambda: ".gitignore" not in chat.text())


@test
def commands_are_completed_and_run(b):
    chat = Chat(b, columns=100, rows=40).prompt()
    chat.type("/mod")
    chat.sees("> /mode ")
    chat.sees("/model ")
    chat.keys("down", "tab")
    shows(chat, "› /model")
    chat.keys("ctrl-u")
    answered(chat, "hello")
    chat.type("/mode plan\r")
    chat.sees("demo · plan · ")
    chat.keys("shift-tab")
    chat.sees("demo · default · ")
    for command, sign in (("/help", "Keys and commands"), ("/status", "directory"), ("/why", "wait"), ("/model", "scripted"),
                          ("/diff", "no"), ("/tasks", ""), ("/permissions", ""), ("/hooks", ""), ("/mcp", ""),
                          ("/nonsense", "There is no command /nonsense")):
        chat.type(command + "\r")
        chat.sees(sign)
        chat.prompt()


@test
def a_conversation_is_forked_and_begun_again(b):
    chat = Chat(b).prompt()
    answered(chat, "hello")
    chat.type("/fork\r")
    chat.sees("continued on a new thread")
    answered(chat, "on the fork")
    chat.type("/new\r")
    chat.sees("a new session begins")
    chat.prompt()
    answered(chat, "in a new session")
    assert len(b.run("ps", "--all", "-q", code=0).ids()) == 2


@test
def an_external_editor_writes_the_message(b):
    chat = Chat(b, EDITOR="sed -i s/draft/message/").prompt()
    chat.type("my draft")
    shows(chat, "› my draft")
    chat.keys("ctrl-g")
    shows(chat, "› my message")


@test
def an_editor_has_arguments_a_private_file_and_may_be_killed(b):
    (b.dir / "edit").write_text('#!/bin/sh\nstat -c "%a %n" "$2" "$(dirname "$2")" >> ' + f"{b.dir}/seen\n" + 'touch "$2~"\n'
                                'sed -i "s/draft/$1/" "$2"\nif grep -q die "$2"; then stty raw -echo; printf "\\033[?1049h"; kill -9 $$; fi\n')
    (b.dir / "edit").chmod(0o755)
    chat = Chat(b, VISUAL=f"{b.dir}/edit message", TMPDIR=str(b.dir)).prompt()
    chat.type("my draft")
    chat.keys("ctrl-x", "ctrl-e")
    shows(chat, "› my message")
    file, folder = (b.dir / "seen").read_text().split("\n")[:2]
    assert file.startswith("600 ") and folder.startswith("700 ") and file.endswith(".md"), (file, folder)
    chat.keys("ctrl-u")
    chat.type("draft: die")
    shows(chat, "› draft: die")
    chat.keys("ctrl-x", "ctrl-e")
    chat.sees("The editor failed, and the text is as it was")
    shows(chat, "› draft: die")
    assert not list(b.dir.glob("thole-input-*")), list(b.dir.iterdir())
    chat.keys("ctrl-x")
    chat.type("!")
    shows(chat, "› draft: die!")
    os.kill(chat.pid, signal.SIGTERM)
    chat.sees(lambda: termios.tcgetattr(chat.fd)[3] & termios.ECHO)


@test
def control_c_ends_a_command_of_the_user_and_not_the_chat(b):
    chat = Chat(b).prompt()
    # The quotes tell the output from the line that was typed: before the command has the terminal, Ctrl-C is a key.
    # tail says itself that it runs: a shell that is just starting a program may lose the signal.
    chat.type("!echo be''gun >there; tail -f there\r")
    chat.sees("begun")
    chat.keys("ctrl-c")
    # bash reports the signal that came first: SIGINT of the terminal or SIGTERM of the sandbox.
    chat.sees(lambda: "exit 130" in chat.text() or "exit 143" in chat.text())
    chat.prompt()
    answered(chat, "still here")


@test
def without_colour_nothing_is_coloured(b):
    chat = Chat(b, NO_COLOR="1").prompt()
    answered(chat, "hello")
    chat.keys("ctrl-d")
    chat.wait()
    assert b"\x1b[3" not in chat.raw.replace(b"\x1b[?", b"") and b"\x1b[2m" not in chat.raw and b"\x1b[1m" not in chat.raw


@test
def a_file_that_is_named_is_sent_with_the_message(b):
    (b.work / "notes.txt").write_text("the harbour is closed\n")
    chat = Chat(b, columns=100).prompt()
    answered(chat, "what does @notes.txt say?")
    parts = b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()[0]["payload"]["input"]
    assert [p["type"] for p in parts] == ["text", "file"] and parts[1]["name"] == "notes.txt", parts


@test
def a_command_of_the_user_runs_in_the_sandbox_and_reaches_the_model(b):
    script = b.script({"rules": [{"when": {"text": {"regex": "(?s)see.*boats-7"}}, "reply": {"text": "I saw it."}}], "default": {"text": "Nothing."}})
    chat = Chat(b, columns=100, THOLE_SCRIPT=script).prompt()
    chat.type("!echo boats-$((3+4)); exit 3\r")
    chat.sees("boats-7")
    chat.sees("exit 3")
    chat.prompt()
    chat.type("!touch /usr/made-by-chat || echo refused\r")
    chat.sees("refused")
    chat.sees("exit 0")
    chat.prompt()
    chat.type("do you see?\r")
    chat.sees(" · $")
    assert "permission.evaluated" in b.run("log", "@last", code=0).out
    sent = b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()[-1]["payload"]["input"]
    assert [p["type"] for p in sent] == ["text", "file"] and sent[1]["name"] == "command-output.txt", sent
    chat.sees("I saw it.")


@test
def files_are_sent_wherever_a_sentence_names_them(b):
    (b.work / "d").mkdir()
    (b.work / "a.txt").write_text("hello\n")
    (b.work / "d" / "sp ace.txt").write_text("deep\n")
    (b.work / "big.txt").write_text("x" * 300000)
    (b.work / "raw.bin").write_bytes(b"\0\1\2")
    chat = Chat(b, columns=110).prompt()
    lines = {"what is in @a.txt? x": ["a.txt"], "explain @a.txt, please": ["a.txt"], "one (@a.txt) two": ["a.txt"],
             f"abs @{b.work}/a.txt now": ["a.txt"], 'a name @"d/sp ace.txt" in quotes': ["d/sp ace.txt"],
             "the same @d/sp\\ ace.txt and @a.txt @a.txt": ["d/sp ace.txt", "a.txt"], "mail me@a.txt or @missing": []}
    for line in lines:
        answered(chat, line)
    chat.type("look @d/sp\t")
    chat.sees('look @"d/sp ace.txt"')
    chat.keys("enter")
    answered(chat, "not @big.txt and @raw.bin")
    chat.sees("big.txt is not sent: it is larger than 256 KiB").sees("raw.bin is not sent: it is no text")
    sent = [[p.get("path") or p.get("name") for p in e["payload"]["input"] if p["type"] == "file"]
            for e in b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()]
    assert sent == [*lines.values(), ["d/sp ace.txt"], []], sent


@test
def the_mode_can_change_before_the_first_message(b):
    chat = Chat(b).prompt()
    chat.sees("demo · ")
    chat.type("/mode plan\r")
    chat.sees("demo · plan")
    answered(chat, "hello")
    chat.sees("demo · plan")
    assert "plan" in b.run("policy", "mode", "@last", code=0).out


@test
def a_new_session_has_the_mode_that_the_status_line_shows(b):
    chat = Chat(b).prompt()
    answered(chat, "hello")
    chat.type("/mode plan\r")
    chat.sees("demo · plan")
    chat.type("/new\r")
    chat.sees("a new session begins")
    chat.prompt()
    answered(chat, "again")
    chat.sees("demo · plan")
    assert "plan" in b.run("policy", "mode", "@last", code=0).out


@test
def the_keys_of_vi_are_a_setting(b):
    chat = Chat(b, THOLE_CHAT_KEYS="vi").prompt()
    chat.type("one two")
    shows(chat, "› one two")
    chat.keys("esc")
    chat.sees(lambda: chat.input_line() == ": one two")
    chat.type("0dw")
    chat.sees(lambda: chat.input_line() == ": two")
    chat.type("A three\r")
    chat.sees("You wrote: two three")


@test
def escape_with_the_keys_of_vi(b):
    """On an empty input it did not leave inserting, and two of them replaced what was written by the last message."""
    chat = Chat(b, THOLE_CHAT_KEYS="vi", THOLE_SCRIPT=b.rowing()).prompt()
    chat.keys("esc")
    chat.sees(lambda: chat.input_line().startswith(": "))
    chat.type("ihello")
    shows(chat, "› hello")
    chat.keys("enter")
    chat.sees("You wrote: hello")
    chat.prompt()
    chat.type("a draft")
    shows(chat, "› a draft")
    chat.keys(*TWICE_ESC)
    shows(chat, ": a draft")
    chat.keys(*TWICE_ESC)
    chat.type("d")
    chat.keys("esc", "focus-in")
    chat.type("w0x")
    shows(chat, ":  draft")
    assert "left the conversation" not in chat.whole()
    chat.type("dd")
    chat.sees(lambda: chat.input_line().startswith(": What"))
    chat.keys(*TWICE_ESC)
    shows(chat, ": hello")
    chat.type("ccslow\r")
    chat.sees("stroke 1")
    chat.keys("esc")
    chat.sees("stopped by the owner")


@test
def the_list_of_messages_with_the_keys_of_vi(b):
    """j and k filtered it, and Escape in a filter left the list."""
    chat = Chat(b, THOLE_CHAT_KEYS="vi").prompt()
    for text in ("first", "second", "third"):
        chat.type(f"{text}\r")
        chat.sees(f"You wrote: {text}").prompt()
    chat.keys(*TWICE_ESC)
    chat.sees("Back to: j k move, / filters")
    chat.type("j")
    chat.sees(">    2  second")
    chat.type("jjjk")
    chat.sees(">    2  second")
    chat.type("G")
    chat.sees(">    3  first")
    chat.type("g/ir")
    chat.sees("/ir").sees(lambda: "second" not in chat.text())
    chat.keys("esc", "focus-in")
    chat.sees("j k move")
    chat.type("j")
    chat.sees(">    3  first")
    chat.keys("esc", "focus-in")
    chat.sees(lambda: chat.input_line().startswith(": What"))
    chat.keys(*TWICE_ESC)
    chat.sees("Back to: j k move")
    chat.type("j\r")
    shows(chat, ": second")
    # The cursor is on the last letter, as after Escape.
    chat.type("xA!\r")
    chat.sees("You wrote: secon!")


@test
def keys_that_are_typed_ahead_reach_the_list_and_the_input(b):
    """What came together with the key that opened the list was taken by the input, and what came behind Enter was lost."""
    chat = Chat(b).prompt()
    for text in ("first", "second", "third"):
        chat.type(f"{text}\r")
        chat.sees(f"You wrote: {text}").prompt()
    chat.type("/rewind\rsecond\r")
    shows(chat, "› second")
    chat.sees("2 turns left the conversation")
    chat.keys("ctrl-u")
    chat.type("/resume\rfirst\rbehind")
    shows(chat, "› behind")


@test
def whole_lines_with_the_keys_of_vi(b):
    chat = Chat(b, THOLE_CHAT_KEYS="vi").prompt()
    chat.type("one")
    chat.keys("esc", "focus-in")
    chat.type("yyp")
    chat.sees(lambda: ": one\n  one" in chat.text())
    chat.type("Atwo")
    chat.keys("esc", "focus-in")
    chat.sees(lambda: ": one\n  onetwo" in chat.text())
    chat.type("kyy2p")
    chat.sees(lambda: ": one\n  one\n  one\n  onetwo" in chat.text())
    chat.type("Gddkk2ddP")
    chat.sees(lambda: ": one\n  one\n  one\n" in chat.text() and "onetwo" not in chat.text())
    chat.type("u")
    chat.sees(lambda: ": one\n" in chat.text() and ": one\n  one" not in chat.text())
    chat.type("yyggxp")
    chat.type("\r")
    chat.sees("You wrote:")


@test
def todo_list_diff_and_whole_output_are_shown(b):
    lines = "".join(f"row {n}\n" for n in range(60))
    script = b.script({
        "rules": [{"when": {"text": "work"}, "replies": [
            {"reasoning": "I consider it.", "toolCalls": [{"name": "list"}]}, {"toolCalls": [{"name": "edit"}]},
            {"toolCalls": [{"name": "wait"}]}, {"toolCalls": [{"name": "print"}]}, {"text": "Done."}]}],
        "default": {"text": "ok"},
        "tools": [{"name": "list", "kind": "todo", "result": {"text": "[x] find it\n[ ] mend it"}},
                  {"name": "edit", "kind": "file_change", "result": {"text": "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-int a;\n+int b;\n"}},
                  {"name": "wait", "result": {"delayMs": 1500, "text": "waited"}},
                  {"name": "print", "result": {"text": lines}}]})
    chat = Chat(b, columns=100, rows=40, THOLE_SCRIPT=script).prompt()
    chat.type("work\r")
    chat.sees("⋯ wait")
    assert "[ ] mend it" in chat.text() and "I consider it." not in chat.text()
    assert b"\x1b[31m    -int a;" in chat.raw and b"\x1b[32m    +int b;" in chat.raw
    chat.sees("Done.")
    chat.prompt()
    assert "… 57 more lines" in chat.text() and chat.whole().count("[ ] mend it") == 1, chat.text()
    chat.keys("ctrl-o")
    chat.sees("    row 59")
    chat.type("/reasoning\r")
    chat.sees("reasoning is shown")
    chat.type("work\r")
    chat.sees("I consider it.")


@test
def undo_takes_back_the_last_turn_alone(b):
    write = {"name": "write_file", "args": {"path": "one.txt", "content": "1\n"}}
    other = {"name": "write_file", "args": {"path": "two.txt", "content": "2\n"}}
    script = b.script({"rules": [{"when": {"text": "first"}, "replies": [{"toolCalls": [write]}, {"text": "Written."}]},
                                 {"when": {"text": "second"}, "replies": [{"toolCalls": [other]}, {"text": "Written too. " + "Row on. " * 300}]}]})
    chat = Chat(b, columns=100, THOLE_SCRIPT=script, THOLE_MODE="bypass").prompt()
    answered(chat, "first")
    answered(chat, "second")
    if not (b.work / "two.txt").exists():
        raise Skip("the file tools need thole-supervisor")
    chat.type("/compact\r")  # its turn changes no files
    chat.sees("… manual")
    chat.prompt()
    chat.type("/undo\r")
    chat.sees(lambda: not (b.work / "two.txt").exists())
    chat.prompt()
    assert (b.work / "one.txt").read_text() == "1\n"


@test
def undo_is_refused_while_a_turn_runs(b):
    """It reverted what the turn had written so far, and the turn continued on the result."""
    write = {"name": "write_file", "args": {"path": "one.txt", "content": "1\n"}}
    script = b.script({"rules": [{"when": {"text": "first"}, "replies": [{"toolCalls": [write]}, {"toolCalls": [{"name": "wait"}]}, {"text": "Written."}]}],
                       "tools": [{"name": "wait", "policy": "allowed", "result": {"delayMs": 3600000, "text": "waited"}}]})
    chat = Chat(b, columns=100, THOLE_SCRIPT=script, THOLE_MODE="bypass").prompt()
    chat.type("first\r")
    chat.sees("⋯ wait")
    if not (b.work / "one.txt").exists():
        raise Skip("the file tools need thole-supervisor")
    for n, command in enumerate(("/undo", "/undo all"), 1):
        chat.type(f"{command}\r")
        chat.sees(lambda: chat.whole().count("Not undone: a turn runs") == n)
        assert (b.work / "one.txt").exists()
    chat.keys("esc")
    chat.sees("stopped by the owner")
    chat.prompt()
    chat.type("/undo\r")
    chat.sees(lambda: not (b.work / "one.txt").exists())


@test
def the_context_that_is_sent_is_shown(b):
    chat = Chat(b, columns=100, rows=60).prompt()
    answered(chat, "hello")
    chat.type("/context\r")
    chat.sees("tokens")
    chat.sees(lambda: "system" in chat.whole())
