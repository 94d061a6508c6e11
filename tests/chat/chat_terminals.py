"""The chat in screen and tmux, over ssh, on terminals of few abilities, with and without colour."""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from chat_fixture import Chat  # noqa: E402
from chat_life import answered  # noqa: E402
from cli_fixture import Skip, THOLE, test  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402


def works(chat):
    """A turn, an approval, a change of size, and the end."""
    chat.prompt()
    chat.type("hello there")
    chat.sees("› hello there")
    chat.keys("enter")
    chat.sees("You wrote: hello there")
    chat.prompt()
    chat.type("approve\r")
    chat.sees("[y] once").sees("one key answers")
    chat.resize(60, 20)
    chat.sees(lambda: "[n] no" in chat.text() and sum("demo · " in line for line in chat.lines()) == 1)
    chat.type("y")
    chat.sees("The note is in thole-note.txt")
    chat.prompt()
    chat.type("日本語 👩‍👩‍👧")
    chat.sees("日本語" if "日本語" in "".join(chat.screen.display) else lambda: "日" in chat.text())
    chat.keys("ctrl-u")
    chat.prompt()
    return chat


def program(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


@test
def in_screen_it_is_the_same_chat(b):
    folder = b.dir / "screens"
    folder.mkdir(mode=0o700)
    (b.dir / "screenrc").write_text("startup_message off\ndefutf8 on\nterm screen-256color\n")
    chat = Chat(b, inside=(program("screen"), "-U", "-c", str(b.dir / "screenrc")), SCREENDIR=str(folder), LANG="C.UTF-8", LC_ALL="C.UTF-8")
    works(chat)
    # screen must not take the request for modified keys for an underline.
    assert not any(chat.screen.buffer[y][x].underscore for y in range(20) for x in range(60)), chat.text()
    chat.keys("ctrl-d")
    chat.sees("screen is terminating")


class Tmux:
    """A chat in a pane of tmux, which itself says what it shows."""

    def __init__(self, b, columns=80, rows=24, **env):
        self.words = [program("tmux"), "-S", str(b.dir / "tmux"), "-f", "/dev/null"]
        self.env = {**b.env, **env, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        self.call("new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(b.work), THOLE)

    def call(self, *words):
        return subprocess.run([*self.words, *words], env=self.env, capture_output=True, text=True, timeout=DEADLINE_S).stdout

    def sees(self, what):
        until(lambda: f"{what} on:\n{self.call('capture-pane', '-p')}", lambda: what in self.call("capture-pane", "-p"))
        return self.call("capture-pane", "-p")


@test
def in_tmux_it_is_the_same_chat(b):
    pane = Tmux(b)
    try:
        pane.sees("What shall it do?")
        pane.call("send-keys", "hello there", "Enter")
        pane.sees("You wrote: hello there")
        pane.sees("What shall it do?")
        pane.call("send-keys", "approve", "Enter")
        pane.sees("one key answers")
        assert "[y] once" in pane.sees("[n] no")
        pane.call("resize-window", "-x", "50", "-y", "20")

        def is_redrawn():
            text = pane.call("capture-pane", "-p")
            return "[n] no" in text and text.count("demo · ") == 1 and all(len(line) <= 50 for line in text.split("\n"))
        until(lambda: "the new size on:\n" + pane.call("capture-pane", "-p"), is_redrawn)
        pane.call("send-keys", "y")
        pane.sees("The note is in thole-note.txt")
        pane.sees("What shall it do?")
        assert "You wrote: hello there" in pane.call("capture-pane", "-p", "-S", "-")
    finally:
        pane.call("kill-server")


@test
def a_change_of_size_leaves_no_copy_of_a_live_row(b):
    """tmux keeps a screen that is cleared at once, with the row that says what runs."""
    script = b.script({"default": {"text": {"repeat": "word{{n}} ", "count": 100000}, "delayMs": 10}})
    pane = Tmux(b, THOLE_SCRIPT=script)
    try:
        pane.sees("What shall it do?")
        pane.call("send-keys", "flow", "Enter")
        pane.sees("word9 ")
        for columns, rows in ((60, 20), (100, 14), (50, 24), (80, 24)):
            pane.call("resize-window", "-x", str(columns), "-y", str(rows))

            def is_redrawn():
                lines = pane.call("capture-pane", "-p").split("\n")
                return sum("Esc stops the turn" in line for line in lines) == 1 and max(map(len, lines)) <= columns
            until(lambda: "the new size on:\n" + pane.call("capture-pane", "-p"), is_redrawn)
        pane.call("send-keys", "Escape")
        pane.sees("stopped by the owner")
        pane.sees("What shall it do?")
        whole = pane.call("capture-pane", "-p", "-S", "-")
        assert "Esc stops the turn" not in whole and whole.count("demo · ") == 1, whole
    finally:
        pane.call("kill-server")


@test
def over_ssh_with_a_terminal_it_is_the_same_chat(b):
    from cli_remote import Server  # its tests are those of the command line
    server = Server(b)
    try:
        target, port = server.url[6:].rsplit(":", 1)
        chat = Chat(b, inside=(b.env["THOLE_SSH"], "-t", "-p", port, target, f"cd {b.work} && "))
        works(chat)
        chat.keys("ctrl-d")
        chat.wait()
        assert (b.work / "thole-note.txt").exists()
    finally:
        server.close()


@test
def on_a_linux_console_it_is_the_same_chat(b):
    works(Chat(b, TERM="linux"))


@test
def colours_are_those_of_the_terminals_palette_on_light_and_dark(b):
    for background, asks in (("15;0", b"\x1b[33;1m"), ("0;15", b"\x1b[35;1m")):
        chat = Chat(b, COLORFGBG=background).prompt()
        answered(chat, "hello")
        chat.type("approve\r")
        chat.sees("[y] once")
        assert asks in chat.raw, chat.raw
        codes = set(b";".join(re.findall(rb"\x1b\[([0-9;]*)m", bytes(chat.raw))).split(b";"))
        # No colour by number, no background, neither black nor white: every theme keeps text and ground apart.
        assert codes <= {b"", b"0", b"1", b"2", b"3", b"22", b"23", b"31", b"32", b"33", b"35", b"36"}, codes
        chat.keys("ctrl-c", "ctrl-d")


@test
def a_dumb_terminal_reads_lines_and_gets_no_sequences(b):
    t = b.terminal(TERM="dumb")
    t.expect("> ")
    t.type("hello\n")
    t.expect("You wrote: hello")
    t.expect("> ")
    t.type("approve\n")
    t.expect("[y] once")
    t.type("y\n")
    t.expect("The note is in")
    t.expect("> ")
    t.type("\x04")
    assert t.wait() == 0 and "\x1b" not in t.before + t.seen, t.seen
