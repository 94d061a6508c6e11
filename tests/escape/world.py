"""The environment of an escape attempt: what is outside the sandbox, and how to inspect it."""
import array
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from ports import free_port  # noqa: E402
from wait import DEADLINE_S  # noqa: E402

CANARY = "canary-7f3a91"
# several runs may go side by side
SHM_KEY = random.randrange(0x1000000, 0x7000000)
KEY_NAME = f"thole-escape-{SHM_KEY:x}"

libc = ctypes.CDLL(None, use_errno=True)
SYS_ADD_KEY = {"x86_64": 248, "aarch64": 217}.get(os.uname().machine)
SYS_KEYCTL = {"x86_64": 250, "aarch64": 219}.get(os.uname().machine)


BARRIER = b"all that was sent before is here"


class Listener:
    """A server outside; heard is everything that it received."""

    def __init__(self, family, kind, address):
        self.sock = socket.socket(family, kind)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.sock.bind(address)
        self.family, self.kind = family, kind
        self.heard = b""
        self.settled = threading.Event()
        if kind == socket.SOCK_STREAM:
            self.sock.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                if self.kind == socket.SOCK_STREAM:
                    conn, _ = self.sock.accept()
                    before = self.heard
                    self.heard += b"connected "
                    conn.settimeout(1)
                    try:
                        text = conn.recv(100)
                        # A client of another test whose server had this port before: an attempt says "escaped", or nothing.
                        self.heard = self.heard + text if not text or text.startswith(b"escaped") else before
                        if text == BARRIER:
                            self.settled.set()
                    except OSError:
                        pass
                    conn.close()
                else:
                    text = self.sock.recv(100)
                    if text == BARRIER:
                        self.settled.set()
                    else:
                        self.heard += text
            except OSError:
                return

    def settle(self):
        """Returns when everything that was sent before has been received: the thread may be late on a busy machine."""
        address = self.sock.getsockname()
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] in ("0.0.0.0", "::"):
            address = ("127.0.0.1" if self.family == socket.AF_INET else "::1", *address[1:])
        self.settled.clear()
        with socket.socket(self.family, self.kind) as s:
            try:
                s.connect(address)
                s.send(BARRIER)
            except OSError:
                return  # an attempt removed its path
            assert self.settled.wait(DEADLINE_S), "a listener does not receive"

    def port(self):
        return self.sock.getsockname()[1]

    def close(self):
        self.sock.close()


class World:
    """Created for every case, below one directory; listeners and victim stay."""

    def __init__(self, attempt):
        # not in /tmp: a sandbox has its own, so the case would prove nothing
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="thole-escape-", dir="/var/tmp"))
        os.chmod(self.base, 0o755)
        self.attempt = attempt
        self.ws, self.out, self.home, self.data = (self.base / n for n in ("ws", "outside", "home", "data"))
        self.host_tmp = pathlib.Path("/tmp") / self.base.name
        self.host_shm = pathlib.Path("/dev/shm") / self.base.name
        self.tcp = Listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = Listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.any = Listener(socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", 0))
        try:
            self.tcp6 = Listener(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        except OSError:
            self.tcp6 = None
        self.abstract = Listener(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.base.name)
        self.abstract_dgram = Listener(socket.AF_UNIX, socket.SOCK_DGRAM, "\0" + self.base.name + "-d")
        self.unix = self.unix_dgram = self.unix_tmp = None
        self.victim = None
        self.shm_id = libc.shmget(SHM_KEY, 4096, 0o1600)
        if self.shm_id >= 0:
            libc.shmat.restype = ctypes.c_void_p
            at = libc.shmat(self.shm_id, None, 0)
            ctypes.memmove(at, CANARY.encode() + b"\0", len(CANARY) + 1)
            libc.shmdt(ctypes.c_void_p(at))
        self.has_key = SYS_ADD_KEY and libc.syscall(
            SYS_ADD_KEY, b"user", KEY_NAME.encode(), CANARY.encode(), len(CANARY), -4) > 0
        self.pty_master, self.pty_slave = os.openpty()
        self.free_port = free_port()

    def addresses(self):
        """A non-loopback address of this machine, if it has one."""
        try:
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.connect(("192.0.2.1", 9))  # sends nothing
            return s.getsockname()[0]
        except OSError:
            return None

    def reset(self):
        for p in (self.ws, self.out, self.home, self.data):
            remove(p)
        for p in self.strays():
            remove(p)
        for p in (self.ws, self.out, self.home, self.home / ".ssh", self.data, self.ws / "sub",
                  self.ws / ".git" / "hooks", self.ws / ".git" / "objects", self.ws / ".git" / "refs"):
            p.mkdir(parents=True)
        (self.out / "file").write_text("untouched\n")
        (self.out / "secret").write_text(CANARY + "\n")
        (self.out / "dir").mkdir()
        (self.home / ".ssh" / "id_rsa").write_text(CANARY + "\n")
        (self.home / ".bashrc").write_text("# mine\n")
        (self.data / "token").write_text(CANARY + "\n")
        (self.ws / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (self.ws / ".git" / "config").write_text("[core]\n\tbare = false\n")
        (self.ws / "plain.txt").write_text("plain\n")
        (self.ws / "secret.env").write_text(CANARY + "\n")
        shutil.copy(self.attempt, self.ws / "attempt")
        os.chmod(self.out / "file", 0o644)
        os.utime(self.out / "file", (1000000000, 1000000000))
        for l in (self.unix, self.unix_dgram, self.unix_tmp):
            if l:
                l.close()
        self.unix = Listener(socket.AF_UNIX, socket.SOCK_STREAM, str(self.ws / "sock"))
        self.unix_dgram = Listener(socket.AF_UNIX, socket.SOCK_DGRAM, str(self.ws / "dsock"))
        self.unix_tmp = Listener(socket.AF_UNIX, socket.SOCK_STREAM, str(self.host_tmp))
        for l in self.listeners():
            l.settle()
            l.heard = b""
        self.new_victim()
        self.new_pty()

    def strays(self):
        """What an attempt may leave in shared directories."""
        name = self.base.name
        return [self.host_tmp, self.host_shm, pathlib.Path(f"/tmp/{name}-x"), pathlib.Path(f"/tmp/{name}.d"),
                pathlib.Path(f"/var/tmp/{name}-y"), pathlib.Path(f"/run/{name}")]

    def listeners(self):
        return [l for l in (self.tcp, self.udp, self.any, self.tcp6, self.abstract, self.abstract_dgram,
                            self.unix, self.unix_dgram, self.unix_tmp) if l]

    def new_victim(self):
        """A process of the same user, outside, with a secret in its environment and arguments."""
        if self.victim and self.victim.poll() is None and self.victim_is_well():
            return
        self.end_victim()
        self.victim = subprocess.Popen(["sleep", "3600.7391"], env={"SECRET": CANARY, "PATH": os.environ["PATH"]},
                                       stdin=subprocess.DEVNULL, start_new_session=True, cwd=self.base)
        time.sleep(0.02)

    def victim_is_well(self):
        try:
            pid = self.victim.pid
            limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
            return (self.victim.poll() is None and os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(
                os.PRIO_PROCESS, 0) and not any(
                    l.startswith("Max open files") and l.split()[3] == "7" for l in limits.splitlines()))
        except OSError:
            return False

    def victim_is_stopped(self):
        stat = pathlib.Path(f"/proc/{self.victim.pid}/stat").read_text()
        return stat.rsplit(")", 1)[1].split()[0] == "T"

    def end_victim(self):
        if self.victim:
            self.victim.kill()
            self.victim.wait()

    def new_pty(self):
        os.close(self.pty_master)
        os.close(self.pty_slave)
        self.pty_master, self.pty_slave = os.openpty()

    def pty_said(self):
        """What appeared on a terminal of the host."""
        os.set_blocking(self.pty_master, False)
        try:
            return os.read(self.pty_master, 1000)
        except OSError:
            return b""

    def heard(self):
        for l in self.listeners():
            l.settle()
        return b" ".join(l.heard for l in self.listeners())

    def close(self):
        self.end_victim()
        for l in self.listeners():
            l.close()
        if self.shm_id >= 0:
            libc.shmctl(self.shm_id, 0, None)
        if self.has_key:
            key = libc.syscall(SYS_KEYCTL, 10, -4, b"user", KEY_NAME.encode(), 0)
            libc.syscall(SYS_KEYCTL, 9, key, -4)
        for p in [self.base] + self.strays():
            remove(p)


def remove(path):
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        path.unlink()
    elif path.exists():
        for d, dirs, _ in os.walk(path):
            for n in dirs:
                if not os.path.islink(os.path.join(d, n)):
                    os.chmod(os.path.join(d, n), 0o700)
        shutil.rmtree(path, ignore_errors=True)


class Result:
    def __init__(self, code, out, report):
        self.code, self.out, self.report = code, out, report

    def leaked(self):
        return CANARY in self.out


def run_sandboxed(world, hand, tier, command, options=(), env=None, timeout=60, stdin=subprocess.DEVNULL,
              pass_fds=()):
    """One command through sandbox-run; report is what it wrote to descriptor 3."""
    report = world.base / "report"
    argv = [hand, "sandbox-run", "--json", "-C", str(world.ws)]
    if tier:
        argv += ["--tier", tier]
    argv += [str(o) for o in options] + ["--"] + list(command)
    full = dict(os.environ, HOME=str(world.home), SECRET_TOKEN=CANARY, **(env or {}))
    p = subprocess.run(["sh", "-c", 'exec 3>"$0"; exec "$@"', str(report)] + argv, env=full, stdin=stdin,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, pass_fds=pass_fds,
                       cwd=world.base)
    try:
        said = json.loads(report.read_text())
    except (OSError, ValueError):
        said = {}
    return Result(p.returncode, p.stdout.decode(errors="replace"), said)


class Hand:
    """The supervisor by its socket, for plans that sandbox-run would not make."""

    def __init__(self, path):
        self.sock, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(30)
        self.process = subprocess.Popen([path, "serve", "--fd", str(other.fileno())], pass_fds=(other.fileno(),))
        other.close()
        self.receive()

    def receive(self):
        data, fds, _, _ = socket.recv_fds(self.sock, 65536, 8)
        for fd in fds:
            os.close(fd)
        return json.loads(data)

    def run(self, plan, argv):
        """Returns the last word: exited or refused."""
        self.sock.send(json.dumps(dict(type="run", id="x", argv=argv, env=["PATH=/usr/bin:/bin"], plan=plan)).encode())
        while True:
            said = self.receive()
            if said["type"] in ("exited", "refused"):
                return said

    def close(self):
        self.sock.close()
        self.process.wait()


def run_bare(world, command, env=None, timeout=20, pass_fds=()):
    """The same without a sandbox: shows that the attempt works."""
    full = dict(os.environ, HOME=str(world.home), SECRET_TOKEN=CANARY, **(env or {}))
    try:
        p = subprocess.run(list(command), env=full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=timeout, cwd=world.ws, pass_fds=pass_fds)
    except subprocess.TimeoutExpired as e:
        return Result(124, (e.stdout or b"").decode(errors="replace"), {})
    return Result(p.returncode, p.stdout.decode(errors="replace"), {})
