"""OpenStack Swift with its S3 layer, for tests: a proxy, and a server each for accounts, containers and objects, on this machine only.

    with swift_servers.Servers(place) as servers:
        bucket = servers.bucket()

The programs are those of Debian's packages.  The test starts them itself, as an ordinary user, with rings, settings and data in a
directory of its own.  missing() says what is not on this machine.
"""
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import postgres
from bucket import REGION, SECRET, options_of
from ports import free_port
from wait import DEADLINE_S, Wrong, until

PACKAGES = "swift-proxy swift-account swift-container swift-object python3-swift"
WITHOUT = f"Swift is not installed (apt install --no-install-recommends {PACKAGES})"
NO_ATTRIBUTES = "neither the build directory nor the one for temporary files takes extended attributes, which Swift needs"
PROGRAMS, PYTHON = "/usr/bin", "/usr/bin/python3"  # of the packages
KINDS = ("account", "container", "object")
DEVICE, ACCOUNT = "d1", "AUTH_test"
KEY, GUEST = "test:tester", "test:guest"  # the guest has the same secret, and no rights

# Swift reads swift.conf in /etc/swift, unless a program says otherwise.
LAUNCHER = """
import runpy, sys
from swift.common import utils
utils.set_swift_dir(sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# Segments of a removed object go with it, and not when another daemon of Swift runs.  Nothing listens at the port of the cache:
# tempauth wants one, and works without an answer.
STEPS = {"cache": {"use": "egg:swift#memcache", "memcache_servers": "127.0.0.1:1"}, "s3api": {"location": REGION},
         "tempauth": {"user_test_tester": SECRET + " .admin", "user_test_guest": SECRET}, "slo": {"allow_async_delete": "false"}}
S3_PIPELINE = ("catch_errors", "gatekeeper", "healthcheck", "cache", "s3api", "tempauth", "copy", "slo", "dlo", "versioned_writes")
# Through this one the test makes containers and looks into them, without a signature.
INNER_PIPELINE = ("catch_errors", "gatekeeper", "healthcheck")
# A busy machine answers late: that is no failure of a server, and one that was restarted is asked again at once.
PROXY = {"account_autocreate": "true", "conn_timeout": 10, "node_timeout": 60, "recoverable_node_timeout": 60, "error_suppression_interval": 1}
# The list of a container has an object when its PUT is answered, also on a busy machine.
PATIENT = {"conn_timeout": 10, "node_timeout": 60, "container_update_timeout": 60}


def program(name):
    return os.path.join(PROGRAMS, name)


def missing():
    """Why Swift cannot be started here; None: it can."""
    wanted = ["swift-ring-builder", "swift-proxy-server", *(f"swift-{kind}-server" for kind in KINDS)]
    return None if all(os.path.exists(program(name)) for name in wanted) else WITHOUT


def make_place(build):
    """A directory on a file system that takes extended attributes; None: there is none."""
    for parent in (os.path.join(os.path.abspath(build), "swift"), tempfile.gettempdir()):
        os.makedirs(parent, exist_ok=True)
        place = tempfile.mkdtemp(prefix="thole-sw-", dir=parent)
        try:
            os.setxattr(place, "user.thole.test", b"1")
            return place
        except OSError:
            os.rmdir(place)
    return None


def pipeline(steps, server, settings):
    """The sections of a pipeline that ends with the server itself."""
    made = {"pipeline:main": {"pipeline": " ".join([*steps, server])}}
    for step in steps:
        made["filter:" + step] = {"use": "egg:swift#" + step, **STEPS.get(step, {})}
    made["app:" + server] = {"use": "egg:swift#" + server.removesuffix("-server"), **settings}
    return made


class Servers:
    """All of them on the loopback address.  The proxy `s3` is for daemons, `inner` for the test itself."""

    def __init__(self, place):
        self.place, self.processes, self.made = place, {}, 0
        ports = set()
        while len(ports) < len(KINDS) + 2:
            ports.add(free_port())
        self.ports = dict(zip((*KINDS, "inner", "s3"), ports))
        os.makedirs(self.path("devices", DEVICE))
        if not os.getuid():
            for path in (self.place, self.path("devices"), self.path("devices", DEVICE)):
                os.chown(path, postgres.ORDINARY, postgres.ORDINARY)

    def __enter__(self):
        try:
            self.write_settings()
            self.make_rings()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.place, ignore_errors=True)

    def path(self, *steps):
        return os.path.join(self.place, *steps)

    # ---- settings and rings ----

    def write(self, name, sections):
        with open(self.path(name), "w") as f:
            for section, values in sections.items():
                f.write(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items()) + "\n")
        os.chmod(self.path(name), 0o644)

    def write_settings(self):
        user = pwd.getpwuid(os.getuid() or postgres.ORDINARY).pw_name
        self.write("swift.conf", {"swift-hash": {"swift_hash_path_suffix": "thole"}})
        for name, port in self.ports.items():
            common = {"bind_ip": "127.0.0.1", "bind_port": port, "workers": 0, "user": user, "swift_dir": self.place}
            if name in KINDS:
                rest = pipeline(["healthcheck"], name + "-server", PATIENT)
                common.update(devices=self.path("devices"), mount_check="false", **PATIENT)
            else:
                rest = pipeline(S3_PIPELINE if name == "s3" else INNER_PIPELINE, "proxy-server", PROXY)
            self.write(name + ".conf", {"DEFAULT": common, **rest})

    def make_rings(self):
        """One zone, one device, one replica; the rings side by side."""
        for step in (lambda _: ["create", "4", "1", "1"], lambda kind: ["add", f"r1z1-127.0.0.1:{self.ports[kind]}/{DEVICE}", "1"],
                     lambda _: ["rebalance"]):
            runs = [subprocess.Popen(postgres.as_user([program("swift-ring-builder"), kind + ".builder", *step(kind)]), cwd=self.place,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for kind in KINDS]
            said = [run.communicate()[0] for run in runs]
            if any(run.returncode for run in runs):
                raise Wrong("swift-ring-builder: " + "".join(said))

    # ---- processes ----

    def start(self, *names):
        """These, or all; those that run already stay."""
        names = names or tuple(self.ports)
        for name in names:
            if name not in self.processes:
                self.launch(name)
        for name in names:
            until(f"the server {name} of Swift to answer", lambda: self.answers(name))

    def launch(self, name):
        kind = name if name in KINDS else "proxy"
        args = [PYTHON, "-I", "-c", LAUNCHER, self.place, program(f"swift-{kind}-server"), self.path(name + ".conf"), "--verbose"]
        with open(self.path(name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(postgres.as_user(args), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.place)

    def answers(self, name):
        if self.processes[name].poll() is not None:
            raise Wrong(f"the server {name} of Swift ended: " + "\n".join(self.last_words(name)))
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/healthcheck", timeout=DEADLINE_S) as reply:
                return reply.status == 200
        except OSError:
            return False

    def stop(self, *names):
        """With kill -9, as when the machine of the store loses its power."""
        for name in names or tuple(self.processes):
            process = self.processes.pop(name)
            process.kill()
            process.wait()

    def log(self, name):
        with open(self.path(name + ".log"), errors="replace") as f:
            return f.read()

    def last_words(self, *names):
        lines = {name: [line for line in self.log(name).splitlines() if "memcached" not in line] for name in names}
        return [f"{name}: {line[:300]}" for name in names for line in lines[name][-8:]]

    # ---- containers ----

    def ask(self, path, method="GET"):
        """By Swift's own protocol, without a signature; None: it is not there."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['inner']}/v1/{ACCOUNT}/{path}", data=b"" if method == "PUT" else None, method=method)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                return reply.read()
        except urllib.error.HTTPError as e:
            if e.code == 404:
                return None
            raise Wrong(f"Swift answers {e.code} to {method} {path}: {e.read()[:300]}") from e

    def objects(self, container):
        """The objects with their sizes."""
        found = self.ask(urllib.parse.quote(container) + "?format=json&limit=10000")
        return {o["name"]: o["bytes"] for o in json.loads(found)} if found else {}

    def bucket(self, name=None):
        """A new one; the servers run then."""
        self.made += 1
        self.start()
        return Bucket(self, name or f"outputs-{self.made}")


class Bucket:
    """Offers what that of bucket.py does, but loses nothing on request."""

    def __init__(self, servers, name):
        self.servers, self.name, self.port = servers, name, servers.ports["s3"]
        servers.ask(name, "PUT")

    def start(self):
        self.servers.start()

    def stop(self):
        self.servers.stop()

    def close(self):
        """The servers are for the next test."""

    def keys(self):
        """The objects with their sizes."""
        return self.servers.objects(self.name)

    def uploads(self):
        """How many uploads in parts are not over, or have left a part: UPLOAD, and UPLOAD/NUMBER for each part."""
        return len({re.sub(r"/\d+$", "", name) for name in self.servers.objects(self.name + "+segments")})

    def asked(self, method, container):
        """The names of objects for which the server of objects was asked."""
        paths = re.findall(rf'"{method} /{DEVICE}/\d+/(\S+)"', self.servers.log("object"))
        return [name for account, found, name in (urllib.parse.unquote(path).split("/", 2) for path in paths) if account == ACCOUNT and found == container]

    def parts_sent(self):
        """The greatest number of a part that was taken."""
        return max((int(name.rsplit("/", 1)[1]) for name in self.asked("PUT", self.name + "+segments") if re.search(r"/\d+$", name)), default=0)

    def has_read(self, ref):
        return any(f"/{ref}/" in name for name in self.asked("GET", self.name))

    def options(self, **other):
        """Settings of a daemon."""
        return options_of(self.name, self.port, other)

    def last_words(self):
        return self.servers.last_words("s3")
