"""Text that is wider or longer than the terminal."""
from chat_fixture import Chat
from chat_life import answered
from cli_fixture import test

LONG = "git log --oneline --no-merges --since=2026-01-01 --author=someone@example.org -- src/app/chat && rm -rf ./build/some-directory/with-a-long-name"


def asking(b, command, **size):
    script = b.script({"rules": [{"when": {"text": "go"}, "replies": [
        {"toolCalls": [{"name": "shell", "args": {"command": command}}]}, {"text": "Done."}]}], "default": {"text": "ok"}})
    chat = Chat(b, THOLE_SCRIPT=script, THOLE_MODE="untrusted", **size).prompt()
    chat.type("go\r")
    return chat.sees("[y] once").sees("[n] no")


def has_words(text, command):
    """At 40 columns a path may be longer than a row."""
    shown = "".join(text.replace("↪", "").split())
    return "".join(command.split()) in shown


@test
def the_command_of_an_approval_wraps_at_words_and_is_whole(b):
    for columns, rows in ((80, 24), (40, 24), (300, 30)):
        chat = asking(b, LONG, columns=columns, rows=rows)
        text = chat.whole()
        assert has_words(text, LONG), text
        if columns >= 80:
            assert all(word in text.split() for word in LONG.split()), text
        for choice in ("[y] once", "[t] turn", "[s] session", "[a] always here", "[e] edit", "[n] no"):
            assert choice in chat.text(), (columns, choice, chat.text())
        assert ("↪ " in text) == (columns < 300), text
        chat.sees("one key answers")
        chat.resize(60, 24)
        chat.sees(lambda: has_words(chat.text(), LONG) and "[n] no" in chat.text())
        chat.keys("ctrl-d")
        chat.wait()


@test
def a_command_that_is_longer_than_the_screen_is_read_with_v(b):
    command = "\n".join(f"echo step-{n}" for n in range(100)) + "\nrm -rf everything"
    chat = asking(b, command, columns=80, rows=24)
    chat.sees("v shows all of them").sees("one key answers")
    chat.type("v")
    chat.sees("what is asked · rows 1 to 22 of").sees("echo step-0")
    chat.type(" ")
    chat.sees(lambda: "echo step-0" not in chat.lines() and "echo step-30" in chat.text())
    chat.resize(40, 20)
    chat.sees("rows 23 to 40 of")
    chat.type("G")
    chat.sees("rm -rf everything")
    chat.type("q")
    chat.sees("[y] once").sees("one key answers")
    chat.type("n")
    chat.sees("why, if you want to say")


@test
def a_line_of_a_command_cannot_pose_as_the_rest_of_the_line_before(b):
    comment = "echo hello # " + "a long remark " * 8
    chat = asking(b, comment + "\n  rm -rf notes", columns=60, rows=30)
    rows = [line for line in chat.lines() if line.startswith("      ") and ("remark" in line or "rm -rf" in line)]
    assert [("↪" in row) for row in rows] == [False] + [True] * (len(rows) - 2) + [False], rows


@test
def notices_errors_and_help_wrap_at_words(b):
    chat = Chat(b, columns=40, rows=60).prompt()
    answered(chat, "hello")
    chat.type("/help\r")
    chat.sees("/quit")
    for line in chat.whole().split("Keys and", 1)[1].splitlines():
        assert len(line) < 40, line
    text = " ".join(chat.whole().split())
    assert "Show or set the permission mode; Shift-Tab cycles." in text and "Alt-Up takes a queued message back" in text, text
    chat.type("/mode nonsense\r")
    chat.sees("/mode takes one of:")
    assert "on_request" in chat.whole().split() or "on_request," in chat.whole().split(), chat.whole()
