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


def slow(strokes=2000):
    text = " ".join(f"stroke {n}" for n in range(1, strokes + 1))
    return {"rules": [{"when": {"text": "slow"}, "reply": {"text": text, "delayMs": 40}}], "default": {"text": "You wrote: {{input}}"}}


def slow_chat(b, **more):
    chat = Chat(b, THOLE_SCRIPT=b.script(slow(**more))).prompt()
    chat.type("slow\r")
    return chat.sees("stroke 2")


@test
def what_a_stop_leaves_unread_returns_to_the_input(b):
    """A steer became a queued turn that no row showed, and the held queue swallowed the next message."""
    chat = slow_chat(b)
    chat.type("steer A\r")
    chat.sees("steers: steer A")
    chat.keys("esc")
    chat.sees("stopped by the owner").sees(lambda: chat.input_line() == "› steer A")
    assert "queue" not in chat.text(), chat.text()
    chat.keys("ctrl-u")
    chat.prompt()
    chat.type("next message\r")
    chat.sees("You wrote: next message")
    assert "steer A" not in chat.text().partition("› next message")[2]


@test
def messages_return_in_the_order_in_which_they_were_sent(b):
    chat = slow_chat(b)
    chat.type("steer A\r")
    chat.sees("steers: steer A")
    chat.type("queue B\t")
    chat.sees("queued: queue B")
    chat.type("steer C\r")
    chat.sees("steers: steer C")
    chat.type("draft D")
    chat.sees("› draft D")
    chat.keys("esc")
    chat.sees("stopped by the owner").sees(lambda: all(f"  {t}" in chat.text() for t in ("queue B", "steer C", "draft D")))
    at = [next(i for i, line in enumerate(chat.lines()) if line[2:] == t) for t in ("steer A", "queue B", "steer C", "draft D")]
    assert at == sorted(at), chat.text()
    chat.sees(lambda: "queued:" not in chat.text())
    chat.keys("enter")
    chat.sees("You wrote: steer A")
    assert messages(b)[0][-1].split("\n") == ["steer A", "queue B", "steer C", "draft D"], messages(b)


@test
def messages_of_other_clients_stay_in_a_queue_that_is_shown(b):
    chat = slow_chat(b)
    session = b.run("ps", "-q", code=0).ids()[0]
    b.run("run", "-s", session, "-d", "from elsewhere", code=0)
    chat.sees("queued: from elsewhere")
    chat.keys("esc")
    chat.sees("stopped by the owner").sees("queue is held")
    assert "queued: from elsewhere" in chat.text()
    chat.keys("ctrl-d")
    assert chat.wait() == 0
    # A chat that opens the session shows both.
    chat = Chat(b, "-c", THOLE_SCRIPT=b.script(slow())).sees("queued: from elsewhere").sees("queue is held")
    chat.keys("enter")
    chat.sees("You wrote: from elsewhere")


@test
def a_message_after_a_stop_begins_a_turn(b):
    """One that reaches a turn that still stops would wait in the queue that the stop holds."""
    chat = slow_chat(b)
    with slow_daemon(b):
        chat.keys("esc")
        chat.sees("stopping")
        chat.type("and then\r")
        chat.sees(lambda: "› and then" in chat.text() or "1 more line" in chat.text())
    chat.sees("You wrote: and then")
    assert "queue is held" not in chat.whole()


@test
def each_answer_is_below_its_message(b):
    """A message that came while a turn ran was shown in the middle of the answer to another."""
    chat = slow_chat(b, strokes=60)
    chat.type("later\t")
    chat.sees("queued: later")
    chat.keys("alt-up")
    chat.sees(lambda: chat.input_line() == "› later")
    chat.keys("enter")
    chat.sees("steers: later")
    chat.sees("You wrote: later")
    text = chat.whole()
    assert text.index("stroke 60") < text.index("› later") < text.index("You wrote: later"), text
    assert text.count("› later") == 1, text
