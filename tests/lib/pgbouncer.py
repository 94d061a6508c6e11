"""A PgBouncer of the test's own in front of a cluster, on a Unix socket only.

    with pgbouncer.Bouncer(build, cluster, "transaction") as pool:
        pool.url()

It stands where a cluster stands: `dir` has its socket.  find() is None where it is not installed.
"""
import os
import shutil
import signal
import subprocess
import tempfile
import threading

import postgres
from wait import DEADLINE_S, Wrong

WITHOUT = "PgBouncer is not installed (scripts/setup --test)"


def find():
    return shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")


class Bouncer:
    def __init__(self, build, cluster, mode, users=("thole",), **settings):
        place = os.path.join(os.path.abspath(build), "postgres")
        self.cluster, self.process = cluster, None
        self.dir = tempfile.mkdtemp(prefix="b-", dir=place if len(place) < postgres.SOCKET_MAX else None)
        self.file = os.path.join(self.dir, "pgbouncer.ini")
        everything = {"listen_addr": "", "listen_port": 5432, "unix_socket_dir": self.dir, "auth_type": "trust",
                      "auth_file": os.path.join(self.dir, "users"), "pool_mode": mode, "default_pool_size": 30, "max_client_conn": 200, **settings}
        with open(self.file, "w") as f:
            f.write(f"[databases]\n* = host={cluster.dir} port=5432\n[pgbouncer]\n")
            f.writelines(f"{name} = {value}\n" for name, value in everything.items())
        with open(os.path.join(self.dir, "users"), "w") as f:
            f.writelines(f'"{user}" ""\n' for user in users)
        if not os.getuid():
            os.chown(self.dir, postgres.ORDINARY, postgres.ORDINARY)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def start(self):
        self.process = subprocess.Popen(postgres.as_user([find(), self.file]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, cwd="/")
        self.log, is_up = [], threading.Event()
        process = self.process

        def drain():
            for line in process.stderr:
                self.log.append(line.decode(errors="replace"))
                if "process up" in self.log[-1]:
                    is_up.set()
            is_up.set()

        threading.Thread(target=drain, daemon=True).start()
        if not is_up.wait(DEADLINE_S) or self.process.poll() is not None:
            raise Wrong("pgbouncer did not start: " + "".join(self.log[-8:]))

    def stop(self, how=signal.SIGTERM):
        """SIGTERM: every connection is closed at once."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def url(self, database="thole", user="thole", password=None, **parameters):
        return self.cluster.url(database, user, password, **{"host": self.dir, **parameters})

    def sql(self, text, database="thole", user="thole"):
        """Past the pool."""
        return self.cluster.sql(text, database, user)
