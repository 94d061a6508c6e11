"""A chat in a real pseudo-terminal, with a terminal emulator (pyte) that says what the screen shows."""
import copy
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.path.insert(0, str(HERE.parent / "cli"))
import pyte  # noqa: E402
from cli_fixture import THOLE, Fixture, Skip, Terminal, test, tests  # noqa: E402,F401
from wait import DEADLINE_S, until  # noqa: E402


ALTERNATE = 1049
FRAME_BEGIN, FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"


class Screen(pyte.HistoryScreen):
    """Sequences with a private mark other than "?" are none of the emulator's.  The alternate screen is added here."""

    kept = None  # rows and cursor of the first screen while the alternate one is shown

    def set_mode(self, *modes, **given):
        super().set_mode(*modes, **given)
        if given.get("private") and ALTERNATE in modes and not self.kept:
            self.kept = copy.deepcopy(self.buffer), copy.copy(self.cursor)
            self.erase_in_display(2)

    def reset_mode(self, *modes, **given):
        super().reset_mode(*modes, **given)
        if given.get("private") and ALTERNATE in modes and self.kept:
            self.buffer, self.cursor = self.kept
            self.kept = None
            self.dirty.update(range(self.lines))

    def select_graphic_rendition(self, *attributes, **_):
        super().select_graphic_rendition(*[a for a in attributes if a < 108])


class Chat(Terminal):
    """`thole` with these arguments at this size.  inside: the words of a program that runs it, such as screen."""

    def __init__(self, fixture, *args, columns=80, rows=24, inside=(), **env):
        words = [*inside, THOLE, *args] if inside else ["thole", *args]
        self.screen = Screen(columns, rows, history=20000, ratio=0.5)
        self.stream = pyte.ByteStream(self.screen)
        self.raw, self.unread = bytearray(), b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.chdir(fixture.work)
                os.execve(inside[0] if inside else THOLE, words, {**fixture.env, "TERM": "xterm-256color", **env})
            finally:
                os._exit(127)
        fixture.terminals.append(self)

    def pump(self, seconds):
        """Shows one frame more.  A notice stays for two seconds, and a test that waited longer for a processor still sees it."""
        is_over = False
        if FRAME_END not in self.unread and select.select([self.fd], [], [], seconds)[0]:
            try:
                self.unread += os.read(self.fd, 65536)
            except OSError:
                is_over = True
                if not self.unread:
                    return False
        frame, end, rest = self.unread.partition(FRAME_END)
        begin = frame.find(FRAME_BEGIN)
        if not end and begin >= 0 and not is_over:  # a frame that has come in part waits for its end
            frame, rest = frame[:begin], frame[begin:]
        self.unread = rest
        self.raw += frame + end
        # The emulator knows neither of these; real terminals do.
        self.stream.feed(re.sub(rb"\x1b\[[><][0-9;]*[a-zA-Z]", b"", frame + end))
        return True

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def whole(self):
        """Scrollback and screen."""
        past = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return "\n".join(past + self.lines())

    def sees(self, what, seconds=DEADLINE_S):
        """Waits until the screen shows this text, or until what() is true."""
        end = time.monotonic() + seconds
        look = what if callable(what) else lambda: what in self.text()
        while not look():
            if (not self.pump(0.02) or time.monotonic() > end) and not look():
                raise AssertionError(f"{what!r} did not appear on:\n{self.text()}")
        return self

    def input_line(self):
        """The row of the cursor."""
        return self.lines()[self.screen.cursor.y]

    def prompt(self):
        """Waits until it takes a message."""
        return self.sees("What shall it do?")

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def keys(self, *names):
        """All at once: two keys may mean something else when time passes between them."""
        self.type("".join(KEYS[name] for name in names))
        return self


# Escape alone is a key when 30 ms pass after it; with a sequence behind it, it is one at once.
TWICE_ESC = ("esc", "esc", "focus-in")
KEYS = {
    "enter": "\r", "tab": "\t", "esc": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "left": "\x1b[D", "right": "\x1b[C",
    "home": "\x1b[H", "end": "\x1b[F", "backspace": "\x7f", "delete": "\x1b[3~", "shift-tab": "\x1b[Z", "alt-enter": "\x1b\r",
    "alt-up": "\x1b[1;3A", "alt-b": "\x1bb", "alt-f": "\x1bf", "alt-d": "\x1bd", "focus-out": "\x1b[O", "focus-in": "\x1b[I",
    **{f"ctrl-{c}": chr(ord(c) - 96) for c in "abcdefghijklmnopqrstuvwxyz"}, "ctrl-_": "\x1f",
}
