"""Messages, answers, sizes, and the death of either side."""
import json
import os
import re
import signal
import socket
import threading

from chat_fixture import TWICE_ESC, Chat
from cli_fixture import test, until


def answered(chat, text):
    """Sends a message and waits for the end of its turn."""
    chat.type(text)
    chat.sees(lambda: text in chat.input_line())
    before = chat.whole().count(" · $")
    chat.keys("enter")
    return chat.sees(lambda: chat.whole().count(" · $") > before and "What shall it do?" in chat.text())


def long_message(chat):
    """Enough of a conversation for a summary to be shorter."""
    before = chat.whole().count(" · $")
    chat.type("row the boat " * 150 + "\r")
    return chat.sees(lambda: chat.whole().count(" · $") > before and "What shall it do?" in chat.text())


def status_line(chat):
    return [line for line in chat.lines() if line][-1]


@test
def a_message_is_answered_and_the_text_stays_in_the_scrollback(b):
    for columns, rows in ((80, 24), (120, 40), (40, 15)):
        chat = Chat(b, columns=columns, rows=rows).prompt()
        answered(chat, "hello there")
        assert "› hello there" in chat.whole(), chat.whole()
        assert chat.whole().count("You wrote: hello there") == 1, chat.whole()
        assert status_line(chat).startswith("demo · "), chat.text()
        chat.keys("ctrl-d")
        assert chat.wait() == 0
        assert b"\x1b[?1049h" not in chat.raw and b"\x1b[?2026h" in chat.raw


@test
def the_status_line_has_model_mode_context_cost_and_place(b):
    (b.work / ".git").mkdir()
    (b.work / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    chat = Chat(b, columns=120).prompt()
    chat.sees("demo · ")
    answered(chat, "hello")
    status = status_line(chat)
    assert status.startswith("demo · ") and " of 200k" in status and " · $0.01" in status and "~/work (topic)" in status, status


@test
def enter_steers_tab_queues_and_escape_stops(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 1")
    chat.type("after it\t")
    chat.sees("queued: after it")
    chat.type("more speed\r")
    chat.sees("steers: more speed")
    chat.keys("esc")
    chat.sees("stopped by the owner")
    chat.sees(lambda: "› after it" in chat.text() and "  more speed" in chat.text() and "queued:" not in chat.text())
    chat.keys("enter")
    chat.sees("You wrote: after it")


@test
def a_queued_message_comes_back_for_editing(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 1")
    chat.type("not yet\t")
    chat.sees("queued: not yet")
    chat.keys("alt-up")
    chat.sees(lambda: "queued:" not in chat.text() and chat.input_line() == "› not yet")


@test
def two_escapes_edit_the_last_message(b):
    chat = Chat(b).prompt()
    answered(chat, "first")
    answered(chat, "second thought")
    chat.keys(*TWICE_ESC)
    chat.sees("Back to:")
    chat.keys("enter")
    chat.sees(lambda: chat.input_line() == "› second thought")
    chat.sees("1 turn left the conversation")
    chat.type("s\r")
    chat.sees("You wrote: second thoughts")
    chat.sees("turn 2 of this thread")


@test
def the_daemon_dies_in_the_middle_of_a_turn(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 2")
    chat.type("a draft")
    chat.sees("› a draft")
    b.signal(signal.SIGKILL)
    chat.sees("went away")
    chat.sees("What was in flight is lost; continue?")
    assert "› a draft" in chat.text()
    chat.keys("esc")
    chat.sees(lambda: "Esc, then" not in chat.text())
    chat.type("y")
    chat.sees("We have arrived")
    chat.sees(" · $")
    assert chat.whole().count("I begin to row.") == 1, chat.whole()
    assert "a draft" in chat.text()
    assert b.run("verify", code=0).out.startswith("whole")


@test
def a_message_that_was_under_way_when_the_daemon_died_is_sent_once(b):
    chat = Chat(b).prompt()
    answered(chat, "hello")
    os.kill(until("a daemon", b.daemon), signal.SIGSTOP)
    pid = b.daemon()
    chat.type("only once\r")
    chat.sees("› only once")
    os.kill(pid, signal.SIGKILL)
    chat.sees("You wrote: only once")
    log = b.run("log", "@last", "--type", "turn.submitted", code=0).out
    assert len(log.strip().split("\n")) == 2, log


@test
def the_chat_dies_and_continues(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 1")
    os.kill(chat.pid, signal.SIGKILL)
    os.waitpid(chat.pid, 0)
    chat.pid = 0
    again = Chat(b, "-c", columns=100)
    again.sees("› slow")
    again.sees("stroke")
    again.keys("esc")
    again.sees("stopped by the owner")
    again.prompt()
    assert again.whole().count("I begin to row.") == 1


@test
def continue_takes_the_session_of_this_directory(b):
    answered(Chat(b).prompt(), "in the first directory")
    first = b.work
    b.work = b.dir / "other"
    b.work.mkdir()
    answered(Chat(b).prompt(), "in the second one")
    b.work = first
    chat = Chat(b, "-c")
    chat.sees("in the first directory")
    assert "second one" not in chat.whole()
    answered(Chat(b, "--continue").sees("in the first directory"), "again")


@test
def continue_finds_the_session_of_this_directory_behind_many_others(b):
    answered(Chat(b).prompt(), "here, long ago")
    other = b.dir / "elsewhere"
    other.mkdir()
    for _ in range(100):
        b.rpc("create_session", {"cwd": str(other)})
    Chat(b, "-c").sees("here, long ago")


@test
def a_change_of_size_while_it_streams_leaves_every_row_in_place(b):
    script = b.script({"default": {"text": {"repeat": "word{{n}} ", "count": 100000}, "delayMs": 20}})
    chat = Chat(b, THOLE_SCRIPT=script).prompt()
    chat.type("flow\r")
    chat.sees("word1 ")
    for columns, rows in ((60, 20), (40, 15), (120, 40), (80, 24)):
        chat.resize(columns, rows)
        chat.sees(lambda: sum("· Esc stops" in line for line in chat.lines()) == 1
                  and sum(line.startswith("demo · ") for line in chat.lines()) == 1)
    chat.keys("esc")
    chat.sees("stopped by the owner")
    chat.prompt()
    assert sum(line.startswith("demo · ") for line in chat.lines()) == 1, chat.text()


@test
def a_thousand_deltas_a_second_are_shown_once_each(b):
    script = b.script({"default": {"text": {"repeat": "word{{n}} ", "count": 4000}, "delayMs": 1}})
    chat = Chat(b, THOLE_SCRIPT=script)
    chat.prompt()
    chat.type("flood\r")
    chat.sees(lambda: "word1 " in chat.whole())
    chat.type("typed while it streams")
    chat.sees("› typed while it streams")
    chat.sees("word4000")
    chat.sees(" · $")
    words = chat.whole().split()
    numbers = [int(w[4:]) for w in words if w.startswith("word") and w[4:].isdigit()]
    assert numbers == list(range(1, 4001)), (len(numbers), numbers[:5], numbers[-5:])


@test
def two_terminals_watch_one_session(b):
    one = Chat(b).prompt()
    answered(one, "hello")
    two = Chat(b, "-c")
    two.sees("You wrote: hello")
    two.prompt()
    two.type("from the second\r")
    two.sees("You wrote: from the second")
    one.sees("You wrote: from the second")


@test
def sessions_are_listed_and_picked(b):
    answered(Chat(b).prompt(), "apples")
    answered(Chat(b).prompt(), "bananas")
    chat = Chat(b, "resume")
    chat.sees("Sessions:")
    chat.sees("apples")
    chat.type("appl")
    chat.sees(lambda: "bananas" not in chat.text())
    chat.keys("enter")
    chat.sees("You wrote: apples")
    r = b.run("resume")
    assert r.code == 2 and "wants ID" in r.err, r


@test
def a_list_does_not_keep_the_chat_from_ending(b):
    """SIGTERM was not seen until a key left the list."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        chat = Chat(b).prompt()
        answered(chat, "apples")
        chat.type("/resume\r")
        chat.sees("Sessions:")
        os.kill(chat.pid, number)
        until("the end of the chat", lambda: chat.pump(0.02) is None or os.waitpid(chat.pid, os.WNOHANG)[0] == chat.pid)
        chat.pid = 0


@test
def without_a_screen_it_reads_lines(b):
    t = b.terminal("--plain")
    t.expect("> ")
    t.type("hello\n")
    t.expect("You wrote: hello")
    t.expect("> ")
    t.type("again\n")
    t.expect("turn 2 of this thread")
    t.expect("> ")
    t.type("/quit\n")
    assert t.wait() == 0 and "\x1b[" not in t.seen
    t = b.terminal(TERM="dumb")
    t.expect("> ")
    t.type("\x04")
    assert t.wait() == 0
    r = b.run("chat", stdin="one\ntwo\n", code=0)
    assert "You wrote: one" in r.out and "turn 2 of this thread" in r.out, r


@test
def without_a_terminal_thole_alone_is_help(b):
    assert "usage" in b.run(code=0).out.lower() or "run" in b.run(code=0).out
    assert b.run("chat", "--json").code == 2
    assert "wants KEY=VALUE" in b.run("ps", "-c").err or b.run("ps", "-c").code == 2


@test
def a_command_after_the_daemon_died_connects_again(b):
    chat = Chat(b, columns=100).prompt()
    answered(chat, "hello")
    os.kill(until("a daemon", b.daemon), signal.SIGKILL)
    chat.type("/status\r")
    chat.sees("directory")
    chat.prompt()
    answered(chat, "still here")
    chat.sees("You wrote: still here")


class Between:
    """A socket in front of the daemon's.  Calls act() when the first get_thread_read has been answered, before the answer is passed on."""

    def __init__(self, b, act):
        self.target, self.act = str(b.data / "socket"), act
        self.data = b.dir / "between"
        self.data.mkdir(mode=0o700)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.data / "socket"))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, far = self.listener.accept()[0], socket.socket(socket.AF_UNIX)
            far.connect(self.target)
            for ends in ((near, far, False), (far, near, True)):
                threading.Thread(target=self.copy, args=ends, daemon=True).start()

    def copy(self, source, target, is_answer):
        while data := source.recv(65536):
            if not is_answer and b"get_thread_read" in data:
                self.is_asked = True
            elif is_answer and self.is_asked and self.act:
                act, self.act = self.act, None
                act()
            try:
                target.sendall(data)
            except OSError:  # the other side has gone
                break
        target.close()

    is_asked = False


@test
def a_turn_that_ends_while_the_chat_opens_is_shown_as_ended(b):
    chat = Chat(b, THOLE_SCRIPT=b.rowing()).prompt()
    chat.type("slow\r")
    chat.sees("stroke 2")
    session = b.session()

    def stop():
        b.run("stop", session, code=0)
        until("the turn's end", lambda: b.run("log", session, "--type", "turn.failed").out)
    again = Chat(b, "chat", "-s", session, THOLE_DATA=str(Between(b, stop).data))
    again.sees("stopped by the owner")
    again.prompt()


@test
def a_chat_that_opens_in_the_middle_of_a_long_turn_sees_its_end(b):
    rounds = [{"toolCalls": [{"name": "peek"}]} for _ in range(60)]
    script = b.script({"rules": [{"when": {"text": "go"}, "replies": [*rounds, {"text": "Sixty times.\n", "hang": True}]}],
                       "tools": [{"name": "peek", "policy": "allowed", "readOnly": True, "result": {"text": "seen"}}]})
    chat = Chat(b, THOLE_SCRIPT=script).prompt()
    chat.type("go\r")
    chat.sees("Sixty times.")
    again = Chat(b, "-c").sees("Sixty times.")
    assert " d · Esc stops" not in again.sees("⋯ working").text(), again.text()
    again.keys("esc")
    again.sees("stopped by the owner")
    again.prompt()


@test
def a_summary_does_not_move_the_session_to_the_data_directory(b):
    """After /compact a fork, and a chat that was opened again, worked in the directory of the daemon."""
    chat = Chat(b, columns=100).prompt()
    answered(chat, "hello")
    long_message(chat)
    chat.type("/compact\r")
    chat.sees("… manual")
    chat.type("/fork\r")
    chat.sees("continued on a new thread")
    chat.sees(lambda: "~/work" in chat.text() and "~/data" not in chat.text())
    chat.type("!pwd\r")
    chat.sees(str(b.work))
    chat.prompt()
    chat.type("/cost\r")
    chat.sees("this session: $")
    chat.keys("ctrl-d")
    other = Chat(b, "-c", columns=100).prompt()
    other.sees(lambda: "~/work" in other.text() and "~/data" not in other.text())


@test
def messages_that_come_faster_than_answers_are_all_sent(b):
    """As a terminal without bracketed paste types lines; all belong to one session."""
    chat = Chat(b).prompt()
    answered(chat, "hello")
    for n in range(100):
        chat.type(f"message {n:03}")
        chat.keys("enter")

    def events():
        return [json.loads(line) for line in b.run("log", "@last", "--json").out.splitlines()]

    def sent():
        chat.pump(0.1)
        return {m for e in events() for m in re.findall(r"message \d{3}", json.dumps(e))}
    until("all messages", lambda: len(sent()) == 100)
    sessions = json.loads(b.run("ps", "--all", "--json", code=0).out)
    assert len(sessions["sessions"] if isinstance(sessions, dict) else sessions) == 1, sessions


@test
def the_mode_of_a_session_is_shown_when_it_is_continued(b):
    answered(Chat(b).prompt(), "hello")
    b.run("policy", "mode", "plan", "@last", code=0)
    chat = Chat(b, "-c").sees("plan")
    answered(chat, "hello again")
    assert " plan " in status_line(chat), status_line(chat)


@test
def vi_keys_may_be_a_setting(b):
    folder = b.dir / ".config" / "thole"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"chat.keys": "vi"}')
    answered(Chat(b).prompt(), "hello")


@test
def a_forked_thread_is_opened_by_its_id(b):
    chat = Chat(b).prompt()
    answered(chat, "hello")
    chat.type("/fork")
    chat.keys("enter")
    chat.sees("continued on a new thread")
    answered(chat, "only in the fork")
    chat.keys("ctrl-d")
    thread = re.search(r"thole chat -s (thr_\w+)", chat.sees("to continue:").whole()).group(1)
    Chat(b, "chat", "-s", thread).sees("only in the fork")
    Chat(b, "-c").sees("only in the fork")
