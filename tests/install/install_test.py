#!/usr/bin/env python3
"""The installed files work: the library by pkg-config, the examples, the systemd protocol, the packages.

usage: install_test.py BUILD_DIR [WORD...]          prints TAP; WORD: only tests whose name contains it
"""
import ctypes
import errno
import glob
import json
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from wait import DEADLINE_S, until  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "sdk", "python"))
from thole import Client, Problem  # noqa: E402


class Skip(Exception):
    pass


def run(*args, **options):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **{"timeout": 2 * DEADLINE_S, **options})
    assert done.returncode == 0, f"{' '.join(args)}: {done.returncode}\n{done.stdout}"
    return done.stdout


class Place:
    """The installed tree, made once."""

    def __init__(self, build):
        self.build = build
        self.dir = tempfile.mkdtemp(prefix="thole-install-")
        self.root = os.path.join(self.dir, "root")
        self.children = []
        run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", self.root)
        self.header, = glob.glob(self.root + "/**/include/thole/thole.h", recursive=True)
        self.lib = os.path.dirname(glob.glob(self.root + "/**/libthole.so", recursive=True)[0])
        self.thole, = glob.glob(self.root + "/**/bin/thole", recursive=True)
        # What pkg-config says is for the system: below the root.
        self.env = dict(os.environ, XDG_CONFIG_HOME=self.dir, LD_LIBRARY_PATH=self.lib)

    def pkg_config(self, *words):
        said = run("pkg-config", *words, "thole", env=dict(
            os.environ, PKG_CONFIG_PATH=f"{self.lib}/pkgconfig"))
        prefix = run("pkg-config", "--variable=prefix", "thole", env=dict(
            os.environ, PKG_CONFIG_PATH=f"{self.lib}/pkgconfig")).strip()
        return said.replace(prefix + "/", self.root + prefix + "/").split()

    def compile(self, source, *flags):
        program = os.path.join(self.dir, os.path.basename(source)[:-2])
        run(*shlex.split(os.environ.get("CC", "cc")), "-Wall", "-Wextra", "-Werror", os.path.join(ROOT, source), "-o", program, *flags)
        return program

    def start(self, *args, **options):
        child = subprocess.Popen(args, **{"cwd": self.dir, "env": self.env, "text": True, **options})
        self.children.append(child)
        return child

    def data(self):
        return tempfile.mkdtemp(dir=self.dir)

    def done(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def serve(p, data, *options, **more):
    child = p.start(p.thole, "serve", "--data", data, *options, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    until("the socket", lambda: os.path.exists(os.path.join(data, "socket")))
    return child


def end(child):
    child.kill()
    child.wait()


def stop(child):
    child.terminate()
    assert child.wait(DEADLINE_S) == 0, f"it ended with {child.returncode}"


# ---- the library ----

def the_library_exports_what_the_header_declares(p):
    with open(p.header) as f:
        declared = set(re.findall(r"^THOLE_API [^;]*?\b(thole_\w+)\(", f.read(), re.M))
    said = run("nm", "-D", "--defined-only", "--with-symbol-versions", os.path.join(p.lib, "libthole.so"))
    exported = dict(re.findall(r" T (\w+)@@(\S+)", said))
    assert set(exported) == declared, set(exported) ^ declared
    assert set(exported.values()) == {"THOLE_0.1"}, exported
    archive = set(re.findall(r" [A-Z] (\w+)$", run("nm", "-g", "--defined-only", os.path.join(p.lib, "libthole.a")), re.M))
    assert archive == declared, f"the static library shows {sorted(archive ^ declared)[:5]}"


def every_function_of_the_header_is_documented(p):
    with open(p.header) as f:
        text = f.read()
    bare = [m[1] for m in re.finditer(r"(?<!\*/\n)(?<!;\n)^THOLE_API [^;]*?\b(thole_\w+)\(", text, re.M)
            if not re.search(r"\*/\n(THOLE_API [^;]*;\n)*$", text[:m.start()])]
    assert not bare, f"no word about {bare}"


def json_c():
    return run("pkg-config", "--cflags", "--libs", "json-c").split()


def an_example_is_built_by_pkg_config_and_runs(p):
    program = p.compile("examples/embed.c", *p.pkg_config("--cflags", "--libs"), *json_c())
    prompt = 'say "hello" \\ there,\n\tin two lines: \u00e9 \U0001f600'
    said = run(program, prompt, cwd=p.data(), env=p.env)
    assert prompt in said and said.endswith("\nturn.completed\n"), said


def an_example_is_built_with_the_static_library(p):
    flags = [f for f in p.pkg_config("--cflags", "--libs", "--static") if f != "-lthole"]
    program = p.compile("examples/embed.c", os.path.join(p.lib, "libthole.a"), *flags, *json_c())
    assert "libthole" not in run("ldd", program), "it is not static"
    assert run(program, cwd=p.data(), env={k: v for k, v in p.env.items() if k != "LD_LIBRARY_PATH"}).endswith("\nturn.completed\n")


def the_header_is_good_for_cxx(p):
    if not shutil.which("g++"):
        raise Skip("no g++")
    run("g++", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c++", p.header, "-Wno-pragma-once-outside-header")


# ---- examples ----

def every_example_has_fewer_than_sixty_lines(p):
    for path in glob.glob(os.path.join(ROOT, "examples", "*.*")):
        if path.endswith("verify_pack.py"):
            continue  # a verifier of its own, to be read against ours
        with open(path) as f:
            assert len(f.readlines()) < 60, f"{path} is too long"


def a_program_that_owns_the_loop_is_a_daemon_to_others(p):
    data = p.data()
    program = p.compile("examples/own_loop.c", *p.pkg_config("--cflags", "--libs"))
    child = p.start(program, data, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline().startswith("thole ")
    result = Client.local(data).run("hello").result()
    assert result.ok, result
    child.stdin.close()
    assert child.wait(DEADLINE_S) == 0


def a_program_answers_the_hooks_of_its_own_runtime(p):
    program = p.compile("examples/guard.c", *p.pkg_config("--cflags", "--libs"))
    data = p.data()
    assert run(program, "write_note", data, cwd=p.data(), env=p.env) == "denied write_note\nthe turn is over\n"
    daemon = serve(p, data)
    events = list(Client.local(data).events(follow=False))
    stop(daemon)
    refs = [e["hookRun"]["handlerRef"] for e in events if e["type"] == "hook.completed"]
    assert refs[0] == "hook:host:guard" and not [e for e in events if e["type"] == "tool.result"], refs


def decisions_come_from_elsewhere(p):
    data = p.data()
    daemon = serve(p, data)
    client = Client.local(data)
    first = client.run("approve", cwd=p.data())
    other = p.start(sys.executable, os.path.join(ROOT, "examples/approve.py"), data, stdout=subprocess.PIPE)
    assert first.result().ok and other.stdout.readline() == "allowed write_note\n"
    assert client.run("approve", cwd=p.data()).result().ok and other.stdout.readline() == "allowed write_note\n"
    end(other)
    stop(daemon)


def a_follower_continues_where_it_was_left(p):
    data, place = p.data(), os.path.join(p.dir, "place")
    daemon = serve(p, data)
    client = Client.local(data)
    args = [sys.executable, os.path.join(ROOT, "examples/follow.py"), place, data]
    seen = []
    for _ in range(2):
        session = client.run("hello").result().session_id
        follower = p.start(*args, stdout=subprocess.PIPE)
        while not seen or not seen[-1].endswith(f"{session} 26 snapshot.updated\n"):
            seen.append(follower.stdout.readline())
        until("the place", lambda: open(place).read())
        end(follower)
    log = [f"{e['timestamp']} {e['sessionId']} {e['sequence']} {e['type']}\n" for e in client.events(follow=False)]
    # Killed between printing and noting, it may print its last line again, and nothing else.
    twice = [line for line in seen if seen.count(line) > 1]
    assert sorted(set(seen)) == sorted(log[:len(set(seen))]) and len(set(twice)) <= 1, "lines are missing or doubled"
    stop(daemon)


def the_examples_in_typescript_compile_and_run(p):
    sdk = os.path.join(ROOT, "sdk", "typescript")
    tsc = os.path.join(sdk, "node_modules", ".bin", "tsc")
    if not shutil.which("node") or not os.path.exists(tsc) or not os.path.exists(os.path.join(sdk, "dist", "node.js")):
        raise Skip("sdk/typescript/test/run has not built the client")
    place = p.data()
    os.makedirs(os.path.join(place, "node_modules", "@types"))
    os.symlink(sdk, os.path.join(place, "node_modules", "thole"))
    os.symlink(os.path.join(sdk, "node_modules/@types/node"), os.path.join(place, "node_modules/@types/node"))
    for name in ("run.ts", "follow.ts"):
        shutil.copy(os.path.join(ROOT, "examples", name), place)
    with open(os.path.join(place, "package.json"), "w") as f:
        f.write('{"type": "module"}')
    run(tsc, "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "--types", "node",
        "run.ts", "follow.ts", cwd=place)
    data = p.data()
    daemon = serve(p, data, cwd=p.data())
    said = run("node", "run.js", "approve", data, cwd=place)
    assert "[write_note: allowed once]" in said and "\ncompleted, $" in said, said
    session = Client.local(data).run("hello").result().session_id
    follower = p.start("node", "follow.js", session, "20", data, cwd=place, stdout=subprocess.PIPE)
    lines = [follower.stdout.readline() for _ in range(6)]
    assert lines[0] == "21 cost.recorded\n" and lines[5] == "26 snapshot.updated\n", lines
    end(follower)
    stop(daemon)


# ---- the service ----

def listening(family, where):
    s = socket.socket(family)
    s.bind(where)
    s.listen()
    return s


def activated(p, data, sockets, **env):
    """As a service manager starts it: descriptors from 3 on, and a process id that is its own."""
    def place():
        for n, s in enumerate(sockets):
            os.dup2(s.fileno(), 100 + n)
        for n in range(len(sockets)):
            os.dup2(100 + n, 3 + n)
        os.environ["LISTEN_PID"] = str(os.getpid())
    launcher = ("import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); "
                "os.execv(sys.argv[1], sys.argv[1:])")
    return p.start(sys.executable, "-c", launcher, p.thole, "serve", "--data", data, close_fds=False, preexec_fn=place,
                   env=dict(p.env, LISTEN_FDS=str(len(sockets)), **env), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def sockets_that_were_bound_before_are_served_and_readiness_is_reported(p):
    data, path = p.data(), os.path.join(p.dir, "notify")
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(path)
    notify.settimeout(DEADLINE_S)
    local = listening(socket.AF_UNIX, os.path.join(data, "socket"))
    tcp = listening(socket.AF_INET, ("127.0.0.1", 0))
    for _ in range(2):  # the sockets outlive the daemon
        # Connecting works before the daemon is there.
        early = socket.socket(socket.AF_UNIX)
        early.connect(os.path.join(data, "socket"))
        child = activated(p, data, [local, tcp], NOTIFY_SOCKET=path, WATCHDOG_USEC="400000")
        assert notify.recv(100) == b"READY=1"
        early.sendall(b'{"jsonrpc":"2.0","id":1,"method":"list_sessions","params":{}}\n')
        assert json.loads(early.makefile().readline())["result"]["sessions"] is not None
        early.close()
        assert notify.recv(100) == b"WATCHDOG=1" and notify.recv(100) == b"WATCHDOG=1"
        with open(os.path.join(data, "token")) as f:
            token = f.read().strip()
        result = Client(f"http://127.0.0.1:{tcp.getsockname()[1]}", token=token).run("hello").result()
        assert result.ok and Client.local(data).get_session(sessionId=result.session_id)
        child.terminate()
        while (word := notify.recv(100)) == b"WATCHDOG=1":
            pass
        assert word == b"STOPPING=1", word
        assert child.wait(DEADLINE_S) == 0
        assert os.path.exists(os.path.join(data, "socket")), "it removed a socket that is not its own"


def descriptors_that_cannot_be_listened_on_are_refused(p):
    data = p.data()
    child = activated(p, data, [socket.socket(socket.AF_INET, socket.SOCK_DGRAM)])
    assert child.wait(DEADLINE_S) == 3 and "LISTEN_FDS" in child.stderr.read()
    anywhere = listening(socket.AF_INET, ("0.0.0.0", 0))
    child = activated(p, data, [listening(socket.AF_UNIX, os.path.join(data, "socket")), anywhere])
    assert child.wait(DEADLINE_S) != 0 and "--allow-remote" in child.stderr.read()


def systemd_likes_the_units(p):
    if not shutil.which("systemd-analyze"):
        raise Skip("no systemd-analyze")
    units = p.data()
    names = ("thole.service", "thole.socket", "thole-grpc.service", "thole-telegram.service", "thole-slack.service")
    for name in names:
        with open(os.path.join(ROOT, "packaging", "systemd", name)) as f:
            text = re.sub("/usr/bin/thole-(telegram|slack|grpc)", "/bin/true", f.read()).replace("/usr/bin/thole", p.thole)
        with open(os.path.join(units, name), "w") as f:
            f.write(text)
    said = run("systemd-analyze", "verify", "--man=no", *(os.path.join(units, name) for name in names))
    assert not said.strip(), said


def tools_do_not_work_in_the_data_directory(p):
    data, script = p.data(), os.path.join(p.dir, "token.json")
    call = {"toolCalls": [{"name": "shell", "args": {"command": "cat token"}}]}
    with open(script, "w") as f:
        json.dump({"version": 1, "rules": [{"replies": [call, {"text": "over"}]}]}, f)
    daemon = serve(p, data, "-c", "script=" + script, "-c", "permission.mode=bypass", cwd=data)
    client = Client.local(data)
    try:
        client.submit_turn(input="look", cwd=data)
    except Problem as why:
        assert why.code == "directory_unusable", why
    else:
        raise AssertionError("a turn in the data directory was accepted")
    stop(daemon)


def refusing(number, error):
    """For a child: a call that its filter answers with an error."""
    program = b"".join(struct.pack("=HBBI", *i) for i in (
        (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7fff0000)))

    def apply():
        kept = ctypes.create_string_buffer(program)
        head = ctypes.create_string_buffer(struct.pack("HL", 4, ctypes.addressof(kept)))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, head, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")
    return apply


def a_service_without_openat2_gets_the_sandbox_that_can_be_built(p):
    # As systemd does for RestrictSUIDSGID=.
    filtered = {"env": p.env, "preexec_fn": refusing(437, errno.ENOSYS)}
    told = json.loads(run(p.thole, "sandbox", "probe", **filtered))
    assert "openat2() is refused" in told["reason"] and not told["tier"].startswith("namespaces"), told
    if told["tier"] != "none":
        assert "inside" in run(p.thole, "sandbox", "run", "--", "echo", "inside", cwd=p.data(), **filtered).split("\n")


def a_container_that_keeps_its_name_has_the_full_sandbox(p):
    sethostname = {"aarch64": 161, "x86_64": 170}.get(os.uname().machine)
    if not sethostname or "reason" in json.loads(run(p.thole, "sandbox", "probe", env=p.env)):
        raise Skip("not the strongest sandbox here, or another machine")
    assert run(p.thole, "sandbox", "run", "--fail-closed", "--", "echo", "inside", env=p.env, cwd=p.data(),
               preexec_fn=refusing(sethostname, errno.EPERM)).endswith("inside\n")


def doctor_names_file_and_line_of_a_setting_that_is_wrong(p):
    home = p.data()
    os.mkdir(os.path.join(home, "thole"))
    path = os.path.join(home, "thole", "config.json")
    env = dict(p.env, XDG_CONFIG_HOME=home)
    for text, key in (('{\n  // one\n  "scirpt": "x"\n}', "scirpt"),
                      ('{\n  "providers": {\n    "acme": { "models": [] } } }', "providers.acme")):
        with open(path, "w") as f:
            f.write(text)
        done = subprocess.run([p.thole, "doctor", "--json", "--data", p.data()], env=env, text=True, stdout=subprocess.PIPE, timeout=DEADLINE_S)
        told, = [c for c in json.loads(done.stdout)["checks"] if c["id"] == "settings"]
        started = subprocess.run([p.thole, "serve", "--data", p.data()], env=env, text=True, stderr=subprocess.PIPE, timeout=DEADLINE_S)
        assert done.returncode == 1 and started.returncode == 3, (done.returncode, started.returncode)
        place = re.search(r"config.json:(\d)", started.stderr)[0]
        assert told["status"] == "bad" and key in told["detail"] and place in told["detail"], (told, started.stderr)


def the_checks_of_doctor_are_those_of_its_page(p):
    with open(os.path.join(ROOT, "docs/reference/doctor.md")) as f:
        page = set(re.findall(r"^\| `([a-z.]+)` \|", f.read(), re.M))
    data = p.data()
    alone = json.loads(run(p.thole, "doctor", "--json", "--data", data, env=p.env))
    daemon = serve(p, data)
    served = json.loads(run(p.thole, "doctor", "--json", "--data", data, env=p.env))
    online = json.loads(run(p.thole, "doctor", "--json", "--online", "--data", data, env=p.env))
    stop(daemon)
    told = {c["id"] for c in alone["checks"] + served["checks"] + online["checks"]}
    # It cannot be asked for an answer that does not come, and these are checks only where there is something to tell.
    now_and_then = {"cache", "daemon.answers", "hooks.reach", "routing.fallback", "rules", "rules.committed", "rules.history"}
    page = {id for id in page if not id.startswith("store.")}  # of a log in PostgreSQL: tests/postgres/doctor_test.py
    assert told <= page and page - told <= now_and_then, told ^ page
    assert all(c["status"] in ("ok", "note", "bad") and c["detail"] for c in served["checks"])


# ---- pages ----

def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    if listed.returncode:
        raise Skip("no git here to say which files are ours")
    return [f for f in listed.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, f))]


def text_of(path):
    with open(os.path.join(ROOT, path), errors="replace") as f:
        return f.read()


def anchors(text):
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def every_link_of_a_page_leads_somewhere(p):
    bad = []
    for page in (f for f in tracked() if f.endswith(".md")):
        for target, anchor in re.findall(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)", text_of(page)):
            path = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), target)) if target else os.path.join(ROOT, page)
            if not os.path.exists(path) or (anchor and path.endswith(".md") and anchor not in anchors(text_of(path))):
                bad.append(f"{page}: {target}{'#' + anchor if anchor else ''}")
    assert not bad, "\n".join(bad)


def every_page_that_is_named_is_there(p):
    named = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md\b")
    # of other projects, and of those that tests and examples make up
    others = {"docs/style.md", "docs/gone.md", "docs/a.md", "docs/sandbox.md", "docs/more.md", "docs/none.md"}
    bad = [f"{f}: {m}" for f in tracked() if not f.startswith("tests/policy/corpus/") for m in named.findall(text_of(f))
           if m not in others and not os.path.exists(os.path.join(ROOT, m))]
    assert not bad, "\n".join(bad)


def every_page_is_in_the_index(p):
    index = text_of("docs/README.md")
    generated = {"docs/reference/" + name for name in re.findall(r"\]\(([\w.-]+)\)", text_of("docs/reference/README.md"))}
    missing = [f for f in tracked() if re.match(r"docs/[\w-]+/[\w-]+\.md$", f) and not f.startswith(("docs/decisions/", "docs/formats/"))
               and not f.endswith("/README.md") and f not in generated and f"({f[5:]})" not in index]
    assert not missing, missing


# ---- packages ----

def the_packages_hold_what_runs(p):
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        raise Skip("no dpkg-dev")
    out, root = os.path.join(p.dir, "packages"), os.path.join(p.dir, "unpacked")
    debs = run(os.path.join(ROOT, "packaging", "build-deb"), p.build, out, env=dict(
        os.environ, THOLE_MAINTAINER="Thole <thole@packages.invalid>")).split()
    assert [os.path.basename(deb).split("_")[0] for deb in debs] == ["thole", "libthole0", "libthole-dev", "thole-bridges"], debs
    for deb in debs:
        run("dpkg-deb", "-x", deb, root)
    env = {name: value for name, value in p.env.items() if name != "LD_LIBRARY_PATH"}
    thole = os.path.join(root, "usr/bin/thole")
    said = run(thole, "run", "--here", "hello there", env=env, cwd=p.data())
    assert "You wrote: hello there" in said, said
    report = json.loads(run(thole, "doctor", "--json", "--data", p.data(), env=env))
    sandbox, = [c for c in report["checks"] if c["id"] == "sandbox"]
    assert "thole-supervisor beside" not in sandbox["detail"], "the package's thole does not find its thole-supervisor"
    run("bash", "-n", os.path.join(root, "usr/share/bash-completion/completions/thole"))
    assert run(os.path.join(root, "usr/bin/thole-grpc"), "--version", env=env).startswith("thole-grpc ")
    for name in ("lib/systemd/system/thole.service", "lib/systemd/system/thole.socket", "usr/lib/sysusers.d/thole.conf",
                 "usr/share/thole/apparmor/thole-supervisor", "usr/share/man/man1/thole.1.gz", "etc/thole/config.json", "usr/share/doc/thole/copyright"):
        assert os.path.exists(os.path.join(root, name)), name
    for script in ("postinst", "prerm", "postrm"):
        run("sh", "-n", os.path.join(ROOT, "packaging/debian", script))
    p.debs = debs


def the_packaged_bridges_work(p):
    deb = next((deb for deb in getattr(p, "debs", []) if "thole-bridges" in deb), None)
    if not deb:
        raise Skip("needs the packages of the test before")
    root = p.data()
    run("dpkg-deb", "-x", deb, root)
    assert "Architecture: all" in run("dpkg-deb", "-I", deb)
    for kind in ("telegram", "slack"):
        program = os.path.join(root, "usr/bin", "thole-" + kind)
        done = subprocess.run([program, "/nowhere.json"], env={"PATH": "/nowhere"}, capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == 3 and f"thole-{kind}: /nowhere.json" in done.stderr, done
        assert os.path.exists(os.path.join(root, f"lib/systemd/system/thole-{kind}.service")), kind
        # A message becomes a turn and its answer a message, by the files of the package.
        said = run(sys.executable, os.path.join(ROOT, f"tests/bridges/{kind}_test.py"), p.build, "a_message_is_a_turn", "a_direct_message_is_a_turn",
                   env=dict(os.environ, THOLE_BRIDGES=os.path.join(root, "usr/share/thole-bridges")))
        assert "ok 1 - " in said and "not ok" not in said, said


def the_packages_install_into_a_root_of_their_own(p):
    debs = getattr(p, "debs", None)
    if not debs or os.geteuid() != 0:
        raise Skip("needs root and the packages of the test before")
    root = p.data()
    for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"):
        os.makedirs(os.path.join(root, name))
    for name in ("status", "available"):
        open(os.path.join(root, "var/lib/dpkg", name), "w").close()
    dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-not-root")
    run(*dpkg, "--unpack", *debs)
    assert "Status: install ok unpacked" in run("dpkg", f"--root={root}", "-s", "thole")
    run(*dpkg, "--configure", "--no-triggers", "libthole0", "libthole-dev")
    assert run("dpkg", f"--root={root}", "-V", "libthole0", "libthole-dev", "thole-bridges").strip() == ""


def lintian_has_no_complaint(p):
    debs = getattr(p, "debs", None)
    if not debs or not shutil.which("lintian"):
        raise Skip("no lintian")
    # thole-supervisor is no command of people's; the address is made up.
    said = run("lintian", "--allow-root", "--fail-on", "error", "--suppress-tags",
               "no-manual-page,bogus-mail-host,bogus-mail-host-in-debian-changelog", *debs)
    assert not said.strip(), said


def the_profile_is_read_by_apparmor(p):
    if not shutil.which("apparmor_parser") or not os.path.exists("/etc/apparmor.d/abi/4.0"):
        raise Skip("no AppArmor 4, whose rules it needs")
    run("apparmor_parser", "-Q", "-K", os.path.join(ROOT, "packaging/apparmor/thole-supervisor"))


TESTS = [the_library_exports_what_the_header_declares, every_function_of_the_header_is_documented,
         an_example_is_built_by_pkg_config_and_runs, an_example_is_built_with_the_static_library,
         the_header_is_good_for_cxx, every_example_has_fewer_than_sixty_lines,
         a_program_that_owns_the_loop_is_a_daemon_to_others, a_program_answers_the_hooks_of_its_own_runtime, decisions_come_from_elsewhere,
         a_follower_continues_where_it_was_left, the_examples_in_typescript_compile_and_run,
         sockets_that_were_bound_before_are_served_and_readiness_is_reported,
         descriptors_that_cannot_be_listened_on_are_refused, systemd_likes_the_units, tools_do_not_work_in_the_data_directory,
         a_service_without_openat2_gets_the_sandbox_that_can_be_built, a_container_that_keeps_its_name_has_the_full_sandbox,
         doctor_names_file_and_line_of_a_setting_that_is_wrong,
         the_checks_of_doctor_are_those_of_its_page, every_link_of_a_page_leads_somewhere, every_page_that_is_named_is_there,
         every_page_is_in_the_index, the_packages_hold_what_runs, the_packaged_bridges_work,
         the_packages_install_into_a_root_of_their_own, lintian_has_no_complaint, the_profile_is_read_by_apparmor]


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [t for t in TESTS if not words or any(w in t.__name__ for w in words)]
    failed = 0
    p = Place(build)
    try:
        for n, test in enumerate(tests, 1):
            name = "installed: " + test.__name__.replace("_", " ")
            try:
                test(p)
                print(f"ok {n} - {name}", flush=True)
            except Skip as why:
                print(f"ok {n} - {name} # SKIP {why}", flush=True)
            except Exception:
                failed += 1
                print(f"not ok {n} - {name}", flush=True)
                print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
    finally:
        p.done()
    print(f"1..{len(tests)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
