"""Commands of the user's own: they have the terminal until they end."""
import os
import re
import shutil
import signal

from chat_fixture import Chat
from cli_fixture import Skip, test, until


def ended(chat, count=1):
    """Waits for the end of the command with this number."""
    chat.sees(lambda: len(re.findall(r"exit 0 · [0-9.]+ (?:ms|s|min)", chat.text())) == count)
    return chat.prompt()


@test
def a_command_has_a_terminal_of_the_size_of_the_screen(b):
    """`!tty` said that there is none, and the footer below it was always "0 ms · no cost"."""
    chat = Chat(b, columns=97, rows=31).prompt()
    chat.type("!tty; stty size; test -t 0 && test -t 1 && test -t 2 && echo al''l\r")
    ended(chat)
    assert "/dev/pts/" in chat.text() and "31 97" in chat.text() and "\nall\n" in chat.text(), chat.text()
    assert "no cost" not in chat.text(), chat.text()


@test
def a_command_reads_what_is_typed(b):
    chat = Chat(b, columns=100).prompt()
    chat.type("!echo re''ady; cat; echo no''ne\r")
    chat.sees("ready")
    chat.type("a line\r")
    chat.sees(lambda: chat.text().count("a line") == 2)  # the echo, and cat
    chat.keys("ctrl-d")
    chat.sees("none")
    ended(chat)
    # What the model gets has no control characters.
    chat.type("!printf '\\033[31mred\\033[0m\\r\\n10 %%\\r90 %%\\n'; echo bo''ats\r")
    ended(chat, 2)
    chat.type("do you see?\r")
    chat.sees(lambda: "You wrote: do you see?" in chat.whole())
    log = b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()
    ref = log[-1]["payload"]["inputRef"]
    text = b.rpc("get_output", {"outputRef": ref})["result"]["text"]
    assert "red\\n90 %\\nboats" in text and "\\u001b" not in text, text


@test
def a_change_of_size_reaches_the_command(b):
    chat = Chat(b, columns=100, rows=30).prompt()
    chat.type("!trap 'stty size' WINCH; echo re''ady; while :; do read x && break; done; echo do''ne\r")
    chat.sees("ready")
    chat.resize(70, 22)
    chat.sees("22 70")
    chat.type("\r")
    chat.sees("done")
    ended(chat)


@test
def an_editor_works_and_what_it_drew_is_no_output(b):
    if not shutil.which("vi"):
        raise Skip("there is no vi")
    (b.work / "f.txt").write_text("old\n")
    chat = Chat(b, columns=100).prompt()
    chat.type("!vi f.txt\r")
    chat.sees(lambda: "old" in chat.text() and "~" in chat.text())
    chat.type("ccnew words\x1b:wq\r")
    ended(chat)
    assert (b.work / "f.txt").read_text() == "new words\n"
    chat.type("hello\r")
    chat.sees(lambda: "You wrote: hello" in chat.whole())


@test
def the_terminal_works_after_a_command_was_killed(b):
    chat = Chat(b, columns=100).prompt()
    chat.type("!printf '\\033[?1049h\\033[?25l'; stty raw -echo; echo be''gun > there; cat\r")
    until("the command runs", (b.work / "there").exists)
    os.kill(children(chat.pid)[-1], signal.SIGKILL)
    chat.sees(lambda: re.search(r"exit \d+ · ", chat.text()))
    chat.prompt()
    assert not chat.screen.cursor.hidden
    chat.type("hello\r")
    chat.sees(lambda: "You wrote: hello" in chat.whole())


def children(of):
    """Processes that this one has started, the newest last."""
    found = []
    for p in sorted((int(p) for p in os.listdir("/proc") if p.isdigit())):
        try:
            words = open(f"/proc/{p}/stat", encoding="utf-8", errors="replace").read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == of:
            found.append(p)
    return found
