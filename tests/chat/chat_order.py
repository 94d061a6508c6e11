"""The order of what is entered, when the daemon is slower than the user."""
import contextlib
import os
import signal

from chat_fixture import Chat
from cli_fixture import test, until


@contextlib.contextmanager
def slow_daemon(b):
    """The daemon answers nothing inside, and everything afterwards."""
    pid = until("a daemon", b.daemon)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def messages(b):
    """The texts of the sessions' messages; each session is one list."""
    return [[e["payload"]["input"][0]["preview"] for e in b.run("log", s, "--type", "turn.submitted", "--json", code=0).lines()]
            for s in b.run("ps", "--all", "-q", code=0).ids()]


@test
def lines_that_are_entered_before_the_session_exists_stay_apart(b):
    """Enter did nothing until the first message was confirmed, and the second line was joined to the third."""
    chat = Chat(b).prompt().sees("demo · ")
    with slow_daemon(b):
        chat.type("one\r")
        chat.sees("› one")
        chat.type("two\rthree\r")
        chat.sees("one  (and 2 more lines)")
    until("all messages", lambda: sum(len(m) for m in messages(b)) >= 3)
    assert messages(b) == [["one", "two", "three"]], messages(b)
    chat.sees("› three")


@test
def commands_wait_for_the_message_before_them(b):
    """Shift-Tab and commands made a session of their own while the first message was under way."""
    chat = Chat(b).prompt().sees("demo · ")
    with slow_daemon(b):
        chat.type("one\r")
        chat.sees("› one")
        chat.keys("shift-tab")
        chat.type("/reasoning\r/status\r")
        chat.sees("(and 3 more lines)")
    chat.sees(lambda: "reasoning is shown" in chat.whole() and "sandbox" in chat.whole())
    assert messages(b) == [["one"]], messages(b)
    assert "needs a session" not in chat.whole()


@test
def hundreds_of_lines_keep_their_order(b):
    chat = Chat(b).prompt().sees("demo · ")
    want = [f"line {n}" for n in range(300)]
    chat.type("".join(f"{line}\r" for line in want))
    chat.sees(lambda: "(and " not in chat.text() and "You wrote: line 299" in chat.text())
    assert messages(b) == [want], messages(b)
