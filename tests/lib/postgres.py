"""A PostgreSQL of the test's own: made in the build directory, run as an ordinary user, on a Unix socket only.

    with postgres.Cluster(build) as cluster:
        cluster.url("thole")

find() is None where PostgreSQL is not installed; such tests print SKIP.
"""
import contextlib
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse

from wait import DEADLINE_S, Wrong

ORDINARY = 65534
SOCKET_MAX = 90  # bytes of a directory that a socket's path can begin with
WITHOUT = "PostgreSQL is not installed (scripts/setup --test)"


def find():
    """The directory with initdb and postgres, of the newest version; None: there is none."""
    places = glob.glob("/usr/lib/postgresql/*/bin") + [os.path.dirname(shutil.which("postgres") or "")]
    places = [p for p in places if p and os.path.exists(os.path.join(p, "initdb"))]
    version = lambda place: int((re.search(r"(\d+)", place) or [0, 0])[1])
    return max(places, key=version, default=None)


def as_user(args):
    """Neither initdb nor postgres runs as root."""
    if os.getuid():
        return args
    return ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", "--pdeathsig=TERM", *args]


def schema_of(path):
    """A name for the tables of this data directory."""
    return "d_" + hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:16]


class Cluster:
    def __init__(self, build, settings=()):
        place = os.path.join(os.path.abspath(build), "postgres")
        os.makedirs(place, exist_ok=True)
        self.bin = find()
        self.dir = tempfile.mkdtemp(prefix="c-", dir=place if len(place) < SOCKET_MAX else None)
        self.data = os.path.join(self.dir, "data")
        self.settings = {"listen_addresses": "''", "unix_socket_directories": f"'{self.dir}'", "fsync": "off", "max_connections": "40",
                         "shared_buffers": "16MB", "log_checkpoints": "off", **dict(settings)}
        self.process = None
        self.before = []  # words in front of the program
        self.enter = []  # words in front of the change of the user, as to enter a network namespace
        self.host = self.dir  # where a standby finds it
        if not os.getuid():
            os.chown(self.dir, ORDINARY, ORDINARY)

    def __enter__(self):
        try:
            self.make()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def make(self):
        done = subprocess.run([*self.enter, *as_user([os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "thole", "--auth=trust", "--no-sync",
                                                      "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"])], capture_output=True, text=True, cwd="/")
        if done.returncode:
            raise Wrong("initdb: " + done.stdout + done.stderr)

    def start(self):
        args = [*self.before, os.path.join(self.bin, "postgres"), "-D", self.data]
        for name, value in self.settings.items():
            args += ["-c", f"{name}={value.strip(chr(39))}"]
        self.process = subprocess.Popen([*self.enter, *as_user(args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd="/")
        self.log, is_ready = [], threading.Event()
        process = self.process

        def drain():
            for line in process.stderr:
                self.log.append(line.decode(errors="replace"))
                if "ready to accept" in self.log[-1] and "not" not in self.log[-1]:
                    is_ready.set()
            is_ready.set()

        threading.Thread(target=drain, daemon=True).start()
        if not is_ready.wait(DEADLINE_S) or self.process.poll() is not None:
            raise Wrong("postgres did not start: " + "".join(self.log[-8:]))
        if not self.sql("SELECT 1 FROM pg_database WHERE datname = 'thole'", "postgres"):
            self.sql("CREATE DATABASE thole", "postgres")

    def stop(self, how=signal.SIGINT):
        """SIGINT: in order.  SIGQUIT: as after a crash; the next start recovers."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def url(self, database="thole", user="thole", password=None, **parameters):
        who = user + (":" + urllib.parse.quote(password, safe="") if password else "")
        query = urllib.parse.urlencode({"host": self.dir, **parameters})
        return f"postgresql://{who}@/{database}?{query}"

    def sql(self, text, database="thole", user="thole"):
        """The rows of a statement, their columns joined by |."""
        done = subprocess.run([os.path.join(self.bin, "psql"), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.dir, "-U", user,
                               "-d", database, "-c", text], capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"{text}: {done.stderr}")
        return done.stdout.splitlines()


class Standby(Cluster):
    """A copy of a running cluster that follows it.  Its name for synchronous_standby_names is `follower`."""

    def __init__(self, build, primary, settings=()):
        super().__init__(build, settings)
        self.primary = primary

    def make(self):
        done = subprocess.run([*self.enter, *as_user([os.path.join(self.bin, "pg_basebackup"), "-h", self.primary.host, "-U", "thole", "-D", self.data,
                                                      "--no-sync", "--checkpoint=fast", "-R", "-X", "stream"])], capture_output=True, text=True, cwd="/")
        if done.returncode:
            raise Wrong("pg_basebackup: " + done.stdout + done.stderr)
        # Where the network is cut, a connection is given up after two seconds, and so is an attempt to connect.
        self.settings["primary_conninfo"] = f"'host={self.primary.host} user=thole application_name=follower tcp_user_timeout=2000'"

    def promote(self):
        """Returns when it takes writes."""
        if self.sql("SELECT pg_promote(true, 60)") != ["t"]:
            raise Wrong("the standby was not promoted: " + "".join(self.log[-8:]))


def url_of(*clusters):
    """An address that names them all."""
    return "postgresql://thole@/thole?" + urllib.parse.urlencode({"host": ",".join(c.dir for c in clusters)})


@contextlib.contextmanager
def maybe(build, name):
    """A cluster, or None after a SKIP line in TAP."""
    if not find():
        print(f"ok 1 - {name} # SKIP {WITHOUT}\n1..1")
        yield None
        return
    with Cluster(build) as cluster:
        yield cluster
