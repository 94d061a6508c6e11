"""Much text, strange text, and text that wants to be more than text."""
from chat_fixture import Chat
from chat_life import answered
from cli_fixture import test

# Sets the title, writes the clipboard, clears the screen, moves up and overwrites, answers a question of the terminal.
EVIL = "\x1b]0;owned\x07\x1b]52;c;aGFjaw==\x07\x1b[2J\x1b[1;1Hallowed\x1b[6n\x9b31m\u202ekcab\u202c"


def is_clean(chat):
    raw = bytes(chat.raw)
    for bad in (b"\x1b]0;", b"\x1b]52;", b"\x1b[2J", b"\x1b[1;1H", b"\x1b[6n", "\x9b".encode(), "\u202e".encode()):
        assert bad not in raw, (bad, raw[max(0, raw.find(bad) - 80):raw.find(bad) + 80])


@test
def sequences_in_text_of_models_tools_files_and_branches_are_shown_and_not_obeyed(b):
    (b.work / ".git").mkdir()
    (b.work / ".git" / "HEAD").write_text("ref: refs/heads/" + EVIL + "\n")
    (b.work / ("at" + EVIL.replace("/", "") + ".txt")).write_text("x")
    script = b.script({"rules": [{"when": {"text": "go"}, "replies": [
        {"reasoning": "think" + EVIL, "toolCalls": [{"name": "shell", "args": {"command": "echo " + EVIL}}]}, {"text": "Over " + EVIL + " **bold" + EVIL + "**\n```\ncode " + EVIL + "\n```\n"}]}],
        "default": {"text": "ok"},
        "tools": [{"name": "shell", "kind": "command", "result": {"text": "out " + EVIL}}]})
    chat = Chat(b, columns=120, rows=50, THOLE_SCRIPT=script, THOLE_MODE="bypass").prompt()
    chat.type("/reasoning\r")
    chat.sees("reasoning is shown")
    chat.type("go\r")
    chat.sees("control characters").sees("one key answers")  # even in the mode bypass
    chat.type("y")
    chat.sees("Over ")
    chat.prompt()
    chat.keys("ctrl-o")
    chat.sees("    out ")
    chat.type("@at")
    chat.sees("@at")
    chat.keys("ctrl-u")
    chat.type("\x1b[200~pasted " + EVIL.replace("\x1b[201~", "") + "\x1b[201~")
    chat.sees("pasted")
    chat.keys("enter")
    chat.sees("› pasted")
    chat.prompt()
    chat.type("/status\r")
    chat.sees("directory")
    chat.prompt()
    is_clean(chat)
    again = Chat(b, "-c", columns=120, rows=50, THOLE_SCRIPT=script).sees("Over ")
    again.prompt()
    is_clean(again)
    picker = Chat(b, "resume", columns=120, THOLE_SCRIPT=script).sees("Sessions:")
    picker.keys("esc")
    is_clean(picker)


@test
def ten_thousand_lines_unfold_page_by_page(b):
    lines = "".join(f"row {n}\n" for n in range(10000))
    script = b.script({"rules": [{"when": {"text": "print"}, "replies": [{"toolCalls": [{"name": "print"}]}, {"text": "Done."}]}], "default": {"text": "ok"},
                       "tools": [{"name": "print", "result": {"text": lines}}]})
    chat = Chat(b, THOLE_SCRIPT=script).prompt()
    answered(chat, "print")
    assert "more lines: Ctrl-O shows all" in chat.whole(), chat.whole()
    chat.keys("ctrl-o")
    chat.sees("output · rows 1 to 22 of 10000").sees("row 21")
    chat.type("G")
    chat.sees("row 9999")
    chat.type("b")
    chat.sees(lambda: "row 9999" not in chat.text() and "rows 9957 to 9978" in chat.text())
    chat.type("q")
    chat.prompt()
    assert "row 9999" not in chat.whole()


@test
def what_is_typed_while_a_turn_starts_is_kept(b):
    chat = Chat(b, columns=100, rows=40, THOLE_SCRIPT=b.rowing()).prompt()
    text = "".join(f"{n:04d} " for n in range(400))
    chat.type("slow\r" + text)
    chat.sees("0399")
    chat.sees("stroke 1")
    shown = "".join(chat.text().split("Esc stops the turn")[-1].split())
    assert "".join(text.split())[-1400:] in shown, chat.text()
    chat.keys("tab")
    chat.sees("queued: 0000 0001")
    chat.keys("esc")
    chat.sees("stopped by")


@test
def a_megabyte_is_pasted_as_one_label_and_sent_whole(b):
    script = b.script({"models": [{"model": "demo", "windowTokens": 2000000}], "rules": [{"when": {"text": "line 12499 "}, "reply": {"text": "All is there."}}], "default": {"text": "Not all."}})
    chat = Chat(b, THOLE_SCRIPT=script).prompt()
    chat.type("\x1b[200~" + "".join(f"line {n} ".ljust(79, "x") + "\n" for n in range(12500)) + "\x1b[201~")
    chat.sees("[Pasted 12500 lines #1]")
    chat.keys("enter")
    chat.sees("All is there.")
    chat.prompt()
    chat.type("\x1b[200~" + "y" * 1500000 + "\x1b[201~")
    chat.sees("only its first 1048576 bytes were kept")
    chat.sees("[Pasted 1048576 bytes #1]")
    chat.keys("enter")
    chat.sees("too large")
    chat.sees("› [Pasted 1048576 bytes #1]")


@test
def strange_writing_keeps_its_place_in_input_and_output(b):
    chat = Chat(b, columns=60, rows=30).prompt()
    sent = 0
    for text in ("e\u0301a\u0308o\u0302", "👩‍👩‍👧 🏳️‍🌈 🇩🇪 done", "שלום עולם", "日本語のテキスト", "ﷺ", "क्षि", "a\u200db", "\u0301"):
        chat.type(text)
        chat.sees(lambda: chat.screen.cursor.x > 2 or text == "\u0301")
        chat.keys("home")
        chat.sees(lambda: chat.screen.cursor.x == 2)
        chat.keys("end", "enter")
        sent += 1
        chat.sees(lambda: chat.whole().count("You wrote:") == sent and "What shall it do?" in chat.text())
        assert sum("demo · " in line for line in chat.lines()) == 1, chat.text()
    assert chat.whole().count("› ") >= 8
