"""The daemon of another machine over ssh: a real sshd on loopback, with its own keys and settings."""
import functools
import os
import pwd
import shutil
import signal
import socket
import subprocess

from cli_fixture import THOLE, Skip, test, until
from ports import free_port

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class Server:
    """sshd as an ordinary process; its users find their own data directory and this build."""

    def __init__(self, b):
        if not os.access(SSHD, os.X_OK) or not shutil.which("ssh"):
            raise Skip("no OpenSSH server on this machine")
        self.b, self.dir = b, b.dir / "ssh"
        self.dir.mkdir(mode=0o700)
        self.made = os.getuid() == 0 and not os.path.isdir("/run/sshd")
        if self.made:
            os.mkdir("/run/sshd", 0o755)  # what its service makes, and sshd insists on
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.dir / name], check=True)
        self.port = free_port()
        self.far = b.dir / "far"
        (self.dir / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.dir}/host\nAuthorizedKeysFile {self.dir}/user.pub\nPidFile none\n"
            f"StrictModes no\nUsePAM no\nPasswordAuthentication no\nSetEnv THOLE_DATA={self.far} PATH={os.path.dirname(THOLE)}:/usr/bin:/bin\n")
        (self.dir / "config").write_text(
            f"Host *\n  IdentityFile {self.dir}/user\n  IdentitiesOnly yes\n  StrictHostKeyChecking accept-new\n  UserKnownHostsFile {self.dir}/known\n"
            "  LogLevel ERROR\n")
        wrapper = self.dir / "ssh"
        wrapper.write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F {self.dir}/config \"$@\"\n")
        wrapper.chmod(0o755)
        b.env["THOLE_SSH"] = str(wrapper)
        self.start()
        self.url = f"ssh://{pwd.getpwuid(os.getuid()).pw_name}@127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.dir / "sshd_config"], stderr=subprocess.PIPE, text=True)
        self.b.started.append(self.process)
        until("sshd", self.answers)

    def answers(self):
        if self.process.poll() is not None:
            raise Skip(f"sshd does not start: {self.process.stderr.read()[:200]}")
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        pid = 0
        try:
            pid = int((self.far / "lock").read_text())
            os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError):
            pass
        self.process.kill()
        self.process.wait()
        if self.made:
            os.rmdir("/run/sshd")


def served(f):
    def wrapped(b):
        server = Server(b)
        try:
            f(b, server)
        finally:
            server.close()
    functools.update_wrapper(wrapped, f)
    return test(wrapped)


def left(b):
    """Private directories of connections that are open."""
    return [p for p in os.listdir(b.env.get("XDG_RUNTIME_DIR") or "/tmp") if p.startswith("thole-ssh-")]


@served
def verbs_work_on_a_daemon_over_ssh(b, server):
    before = left(b)
    there = b.dir / "there"
    there.mkdir()
    done = b.run("-H", f"{server.url}{there}", "run", "hello there", code=0)
    assert "You wrote: hello there" in done.out, done
    assert not (b.data / "log.db").exists(), "nothing happens on this side"
    (session,) = b.run("-H", server.url, "ps", "--all", "-q", code=0).ids()
    assert b.run("ps", "--all", "-q", code=0).ids() == [], "this machine has its own sessions"
    rows = b.run("ps", "--all", "--json", "-H", server.url, code=0).json()["sessions"]
    assert rows[0]["cwd"] == str(there) and rows[0]["sessionId"] == session, rows
    assert "turn.completed" in b.run("log", session, code=0, THOLE_HOST=server.url).out
    # -C is a path of that machine; without one, sessions work in the home directory there
    b.run("-H", server.url, "run", "-C", "/usr", "hello", code=0)
    b.run("-H", server.url, "run", "hello", code=0)
    dirs = [r["cwd"] for r in b.run("-H", server.url, "ps", "--all", "--json", code=0).json()["sessions"]]
    assert dirs == [os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir), "/usr", str(there)], dirs
    assert left(b) == before, "no connection is left behind"


@served
def keys_of_this_machine_stay_here(b, server):
    b.env["ANTHROPIC_API_KEY"] = "sk-ant-" + "x" * 40
    rows = b.run("-H", server.url, "models", "--json", code=0).out
    assert "client_environment" not in rows, rows
    assert "client_environment" in b.run("models", "--json", code=0).out


@served
def what_cannot_work_over_ssh_says_so(b, server):
    for words in (["apply"], ["serve"], ["doctor"], ["auth", "ls"]):
        assert "works on the machine it is typed on" in b.run("-H", server.url, *words, code=2).err, words
    assert "--here" in b.run("-H", server.url, "run", "--here", "x", code=2).err
    for bad in ("host", "http://host", "ssh://", "ssh://-oProxyCommand=true", "ssh://a:x", "ssh://a b"):
        assert "--host" in b.run("-H", bad, "ps", code=2).err, bad
    assert "whole path" in b.run("-H", server.url, "run", "-C", "relative", "x", code=2).err
    b.env["THOLE_REMOTE_PROGRAM"] = "/nowhere/thole"
    assert "THOLE_REMOTE_PROGRAM" in b.run("-H", server.url, "ps", code=1).err
    del b.env["THOLE_REMOTE_PROGRAM"]
    server.process.kill()
    server.process.wait()
    assert "no way to a daemon" in b.run("-H", server.url, "ps", code=1).err


@served
def the_chat_is_the_same_over_ssh(b, server):
    t = b.terminal("-H", f"{server.url}/usr", COLUMNS="100")
    t.expect("What shall it do?")
    t.type("hello there\r")
    t.expect("You wrote: hello there")
    until("the turn", lambda: "completed" in b.run("-H", server.url, "ps", "--all", code=0).out or "idle" in b.run("-H", server.url, "ps", "--all", code=0).out)
    # the daemon there dies in the middle: the chat connects again and continues
    os.kill(int((server.far / "lock").read_text()), signal.SIGKILL)
    t.type("and again\r")
    t.expect("You wrote: and again")
    t.type("\x04")
    t.wait()
