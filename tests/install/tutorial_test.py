#!/usr/bin/env python3
"""Types every tutorial (docs/tutorials/*.md) in a terminal, with the programs as they are installed.

usage: tutorial_test.py BUILD_DIR [WORD...]      prints TAP; WORD: only pages whose name contains it

How a page is read:
    a block behind a line that ends in "`NAME`:"  is written to the file NAME
    a line "$ COMMAND" of a block                 is typed
    the lines behind it                           must be printed, in this order; "…" stands for anything
    "… › ANSWER"                                  once the part before the answer is there, the answer is typed
"""
import os
import pty
import re
import select
import shutil
import signal
import sys
import termios
import time
import traceback

import install_test

PAGES = os.path.join(install_test.ROOT, "docs", "tutorials")
READY = re.compile(r"\[\[ready (\d+)\]\] ")
ASKS = re.compile(r"[›>?:] $")  # of a program, or of the shell in the middle of a command
QUIET_S = 5  # without output; only then a question counts as one that is not answered
BLOCK = re.compile(r"(?:^[^\n]*`([\w./-]+)`:\n\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)


class Shell:
    """Bash on its own terminal."""

    def __init__(self, cwd, env):
        self.seen = ""
        self.is_background = self.has_keys = False
        self.heard_at = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], dict(env, PS1="[[ready $?]] "))
            finally:
                os._exit(127)
        self.expect(READY, "a prompt")
        self.type("stty -echo cols 200; set +m")
        self.expect(READY, "a prompt")

    def type(self, text):
        self.press(text + "\n")
        self.is_background, self.has_keys = text.rstrip().endswith("&"), False

    def press(self, keys):
        """Keys for the program that runs."""
        os.write(self.fd, keys.encode())
        self.has_keys = True

    def pump(self):
        if not select.select([self.fd], [], [], 0.1)[0]:
            return
        more = os.read(self.fd, 65536).decode("utf-8", "replace")
        self.seen += re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|\x1b\]8;;.*?\x1b\\", "", more).replace("\r", "")
        self.heard_at = time.monotonic()

    def waits_for_keys(self):
        """Nothing was typed for the program, and it asks a question or reads single keys: it would wait for ever."""
        is_quiet = time.monotonic() - self.heard_at > QUIET_S
        asks = ASKS.search(self.seen) or not termios.tcgetattr(self.fd)[3] & termios.ICANON
        return is_quiet and asks and not self.has_keys and not self.is_background

    def expect(self, pattern, what):
        deadline = time.monotonic() + install_test.DEADLINE_S
        while not (found := pattern.search(self.seen)):
            ended = None if self.is_background else READY.search(self.seen)
            assert not ended, f"{what!r} was not printed, and the command ended with {ended[1]}; there is\n{self.seen}"
            assert not self.waits_for_keys(), f"{what!r} does not come: the command waits for keys, and none are typed; there is\n{self.seen}"
            assert time.monotonic() < deadline, f"{what!r} does not come; there is\n{self.seen}"
            self.pump()
        self.seen = self.seen[found.end():]
        return found

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def pattern_of(line):
    return re.compile(".*?".join(re.escape(part) for part in line.strip().split("…")))


def follow(shell, block):
    """One block: commands, each with the lines that it prints."""
    lines = block.splitlines()
    assert lines and lines[0].startswith("$ "), f"a block of commands begins with one, not {lines[:1]}"
    for n, line in enumerate(lines):
        if line.startswith("$ "):
            shell.type(line[2:])
        elif "› " in line:
            question, answer = line.rsplit("› ", 1)
            shell.expect(pattern_of(question + "›"), question)
            shell.press(answer + "\n")
        elif line.strip(" …"):
            shell.expect(pattern_of(line), line)
        if n + 1 == len(lines) or lines[n + 1].startswith("$ "):
            code = shell.expect(READY, f"the end of {line}")[1]
            assert code == "0", f"exit {code} after {line}"


def read_page(path):
    with open(path) as f:
        text = f.read()
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(re.findall(r"^```", text, re.M)) // 2, "a block was not understood"
    return blocks


def do_page(p, path):
    home = p.data()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("THOLE_", "XDG_", "LS_")) and k not in ("NO_COLOR", "DISPLAY")}
    # The library is installed below its own root: pkg-config and the loader get its paths.
    env.update(HOME=home, TERM="dumb", LC_ALL="C.UTF-8", PATH=os.path.dirname(p.thole) + ":" + env["PATH"], PKG_CONFIG_SYSROOT_DIR=p.root,
               PKG_CONFIG_PATH=f"{p.lib}/pkgconfig", LD_LIBRARY_PATH=p.lib)
    shell = Shell(home, env)
    try:
        for name, language, text in read_page(path):
            if language:
                assert name, f"a block in {language} that no file is named for"
                with open(os.path.join(os.readlink(f"/proc/{shell.pid}/cwd"), name), "w") as f:
                    f.write(text)
            else:
                follow(shell, text)
        shell.type("thole serve --stop")
        shell.expect(READY, "the end of the daemon")
    finally:
        shell.close()
        shutil.rmtree(home, ignore_errors=True)


def main():
    words = sys.argv[2:]
    pages = [f for f in sorted(os.listdir(PAGES)) if not words or any(w in f for w in words)]
    failed = 0
    p = install_test.Place(os.path.abspath(sys.argv[1]))
    try:
        for n, page in enumerate(pages, 1):
            try:
                do_page(p, os.path.join(PAGES, page))
                print(f"ok {n} - tutorial: {page}", flush=True)
            except Exception:
                failed += 1
                print(f"not ok {n} - tutorial: {page}", flush=True)
                print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
    finally:
        p.done()
    print(f"1..{len(pages)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
