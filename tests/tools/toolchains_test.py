#!/usr/bin/env python3
"""What of the home commands in the sandbox see: toolchains, without credentials, and sandbox.read_dirs.

usage: toolchains_test.py BUILD_DIR      prints TAP

The home is the test's own, with toolchains that are small scripts.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture  # noqa: E402
from tap import play  # noqa: E402

Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
THOLE = Fixture.build + "/thole"
TESTS = []


def test(f):
    TESTS.append(f)
    return f


class Home:
    """A home with rustup, nvm, a directory of the user's, credentials, and links that lead out."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-home-")).resolve()
        self.program(".cargo/bin/cargo", 'echo cargo from "$0"; cat "$HOME/.rustup/toolchains/stable/version"')
        self.write(".rustup/toolchains/stable/version", "1.99\n")
        self.write(".cargo/credentials.toml", "secret-token\n")
        self.program(".nvm/versions/node/v20/bin/node", "cat \"$(dirname \"$0\")/../lib/version\"")
        self.write(".nvm/versions/node/v20/lib/version", "node 20\n")
        self.write(".ssh/id_rsa", "secret-key\n")
        self.write("notes/plan.txt", "plan\n")
        self.program("tools/extra", "echo extra")
        self.path = f"{self.dir}/.cargo/bin:{self.dir}/.nvm/versions/node/v20/bin:{os.environ['PATH']}"

    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text)

    def program(self, name, line):
        self.write(name, f"#!/bin/sh\n{line}\n")
        (self.dir / name).chmod(0o755)

    def run(self, command, *options):
        """The output of the command in the sandbox."""
        fixture = Fixture(calls=[("shell", {"command": command})], options=["permission.mode=bypass", *options],
                          env={"HOME": str(self.dir), "PATH": self.path})
        try:
            end = next(e for e in reversed(fixture.run()) if e["type"] in ("tool.result", "tool.failed"))["payload"]
            return end.get("exitCode", 1), end.get("displayPreview", "")
        finally:
            fixture.close()

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


@test
def programs_of_the_home_run(home):
    code, said = home.run("cargo; node")
    assert code == 0 and "1.99" in said and "node 20" in said, (code, said)


@test
def what_lies_beside_them_is_hidden(home):
    for name in (".cargo/credentials.toml", ".ssh/id_rsa", "notes/plan.txt", "tools/extra"):
        code, said = home.run(f"cat {home.dir}/{name}")
        assert "secret" not in said and "plan\n" not in said and "echo" not in said, (name, code, said)


@test
def nothing_of_them_can_be_written(home):
    _, said = home.run("echo x > ~/.cargo/bin/planted; echo x > ~/.rustup/toolchains/stable/version; true")
    assert not (home.dir / ".cargo/bin/planted").exists()
    assert (home.dir / ".rustup/toolchains/stable/version").read_text() == "1.99\n", said


@test
def a_toolchain_that_is_a_link_shows_nothing(home):
    shutil.rmtree(home.dir / ".nvm")
    (home.dir / ".nvm").symlink_to(home.dir / ".ssh")
    code, said = home.run(f"ls {home.dir}/.ssh; cat {home.dir}/.nvm/id_rsa")
    assert "secret" not in said and "id_rsa\n" not in said.split("cannot")[0], said


@test
def further_directories_are_a_setting(home):
    code, said = home.run(f"cat {home.dir}/notes/plan.txt; {home.dir}/tools/extra", f'sandbox.read_dirs=["{home.dir}/notes","{home.dir}/tools"]')
    assert code == 0 and "plan" in said and "extra" in said, (code, said)
    home.run(f"echo x > {home.dir}/notes/plan.txt || true", f'sandbox.read_dirs=["{home.dir}/notes"]')
    assert (home.dir / "notes/plan.txt").read_text() == "plan\n"


@test
def directories_that_are_none_are_refused(home):
    for bad in ("notes", "/", f"{home.dir}/missing", f"{home.dir}/notes/../notes", ""):
        p = subprocess.run([THOLE, "serve", "-c", f'sandbox.read_dirs=["{bad}"]'], capture_output=True, text=True, timeout=60,
                           env={**os.environ, "THOLE_DATA": str(home.dir / "data")})
        assert p.returncode and "sandbox.read_dirs" in p.stderr, (bad, p.returncode, p.stderr)


if __name__ == "__main__":
    sys.exit(play(TESTS, sys.argv[2:], fixture=Home))
