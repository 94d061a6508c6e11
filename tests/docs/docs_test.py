#!/usr/bin/env python3
"""Types every command of README.md, SECURITY.md and docs/how-to in a terminal, and checks every command that a sentence names.

usage: docs_test.py BUILD_DIR [WORD...]      prints TAP; WORD: only pages whose name contains it

Tutorials are typed by tests/install/tutorial_test.py, pages of providers by tests/provider/pages_test.py.

How a page is read:
    ```sh            every line is a command
    ``` with "$ "    a line "$ COMMAND" is one; the lines behind it must be printed, "…" stands for anything
    ```json …        data; settings are tried
    act_…, turn_…    stand for the newest id of that kind
    MODEL, YOUR-KEY  stand for words of the fixture; 127.0.0.1:7433 for a free port
A command ends with exit code 0, but where EXITS says otherwise.  What cannot be typed here is in SKIPS, with the reason.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.path.insert(0, str(HERE.parent / "install"))
sys.path.insert(0, str(HERE.parent / "import"))
import foreign_homes  # noqa: E402
from ports import free_port  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402
from tutorial_test import READY, Shell, pattern_of  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
THOLE = str(BUILD / "thole")
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
DATA = {"json", "jsonc", "c", "js", "text", "python", "bash", "markdown", "yaml", "toml", "ini", "nginx"}  # bash: a file of the user's own
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

# (page, beginning of the command, why it is not typed)
SKIPS = [
    ("postgresql", "createdb", "makes a database on a server of the machine; tests/postgres starts its own"),
    ("postgresql", "thole serve", "needs that database; tests/postgres has a daemon on one"),
    ("postgresql", "thole --data", "needs the daemon of the line before"),
    ("postgresql", "thole doctor", "needs that database; tests/postgres/doctor_test.py has servers of its own"),
    ("backup", "thole backup --store", "needs a database; tests/postgres/pg_backup_test.py types the section on its own"),
    ("backup", "thole backup --check", "needs the database of the lines before"),
    ("backup", "createdb", "makes a database on a server of the machine; tests/postgres/pg_backup_test.py types it on its own"),
    ("backup", "pg_restore", "needs that database"),
    ("several-nodes", "createdb", "makes a database on a server of the machine; tests/nodes types the page on its own"),
    ("several-nodes", "thole ", "needs that database; tests/nodes types these"),
    ("move", "thole ", "needs a database; tests/move types the page on its own"),
    ("delegate", "thole peer send", "the agent of the page does not exist; tests/a2a delegates to real ones"),
    ("grpc", "thole-grpc", "it would stay, and the agent of the page does not exist; tests/grpc starts both"),
    ("README", "./quickstart", "installs packages and builds for minutes; ./test has just done the same build"),
    ("README", "export PATH=", "the fixture has the build in its PATH"),
    ("install", "./quickstart", "builds for minutes; tests/install/install_test.py makes and installs the packages"),
    ("install", "sudo ", "changes the machine; tests/install/boot_test.py does it on a machine of its own"),
    ("install", "systemd-creds", "needs systemd as the first process; tests/install/boot_test.py has it"),
    ("install", "docker ", "needs a container runtime; tests/install/image_test.py types these"),
    ("compose", "export COMPOSE_FILE", "its commands need a container runtime; tests/install/image_compose.py types the page"),
    ("compose", "docker compose", "needs a container runtime; tests/install/image_compose.py types these"),
    ("kubernetes", "docker ", "needs a registry; tests/install/image_test.py builds the image"),
    ("kubernetes", "kubectl ", "needs a Kubernetes; tests/kubernetes checks the manifests, tests/install/image_compose.py runs their pods"),
    ("upgrade", "git pull", "the fixture is no clone"),
    ("upgrade", "./quickstart", "builds for minutes"),
    ("sign", "thole export evidence @last --timestamp", "needs a time stamp authority; tests/evidence/sign_test.py has one of openssl"),
    ("sign", "openssl ts", "needs the token of the line before"),
    ("ci", "examples/ci/review.sh", "needs a repository with a base; tests/cli/cli_ci.py runs it"),
    ("remote", "thole -H", "needs a second machine; tests/cli/cli_remote.py has a server on loopback"),
    ("remote", "THOLE_HOST=", "needs a second machine; tests/cli/cli_remote.py has a server on loopback"),
    ("conform", "thole serve --listen", "it would hold the terminal; tests/conformance/conform_live_test.py has a daemon on a port"),
    ("conform", "THOLE_CONFORM_TOKEN=", "the daemon of the line before is not there"),
    ("console", "ssh ", "needs a second machine"),
    ("phone", "thole serve --stop; thole serve --listen 192.0.2.7", "192.0.2.7 is no address of this machine"),
    ("phone", "thole pair --lan", "the daemon of the line before is not there"),
]

# Commands that do not end with 0 here, and why that is right.
EXITS = {
    ("conform", "thole conform log old.jsonl"): (1,),  # the page damages this log
    ("troubleshooting", "thole doctor"): (0, 1),  # 1: something is bad on the machine that runs the test
    ("setup", "thole doctor"): (0, 1),
    ("upgrade", "thole doctor"): (0, 1),
    ("SECURITY", "thole doctor"): (0, 1),
    ("phone", "thole pair revoke"): (1,),  # no device has used the code
    ("team", "thole pair revoke"): (1,),
    ("mcp", "thole mcp add"): (1,),  # neither server is there; tests/cli/cli_servers.py adds some that are
    ("mcp", "thole mcp show"): (0, 1),
    ("mcp", "thole mcp trust"): (0, 1),
    ("tool-server-login", "thole mcp show"): (0, 1),  # tests/mcp/login_test.py signs in
    ("tool-server-login", "thole mcp login"): (0, 1),
    ("tool-server-login", "thole mcp logout"): (0, 1),
    ("replay", "thole replay @last --with"): (1,),  # a decision would be another one
    ("replay", "thole replay decided --with"): (1,),
    ("setup", "thole setup"): (130,),  # left with Ctrl-C; tests/provider/setup_test.py answers all its questions
}

# What is typed after a command asks: (what it shows, the keys)
ANSWERS = {
    "thole mcp trust tickets": [(r"\[y/N\]", "y\n")],
    "thole run approve": [(r"\[n\] no ›", "y\n")],
    "thole": [(r"on_request|default", "\x04")],
    "thole -c": [(r"on_request|default", "\x04")],
    "thole chat -s @last -m MODEL": [(r"on_request|default", "\x04")],
    "thole resume": [(r"hello", "\x1b")],
    "thole setup": [(r"[Pp]rovider", "\x03")],
    "thole import claude": [(r"Import 1 session", "y\n"), (r"Add these settings", "n\n")],
    "thole import codex": [(r"Import 2 sessions", "n\n")],
    "thole import claude --only settings": [(r"Add these settings", "y\n")],
}


# ---- a user ----

def simulator():
    spec = importlib.util.spec_from_file_location("acceptance", HERE.parent / "provider" / "acceptance.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Simulator()


class User:
    """A home, a repository in it, a model server on loopback, and a shell on a terminal."""

    def __init__(self, page, port):
        self.page = page
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-docs-"))
        self.work = self.dir / "work"
        (self.work / "repository").mkdir(parents=True)
        self.port = free_port()
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("THOLE_", "XDG_", "GIT_")) and not k.endswith("_API_KEY") and k not in ("NO_COLOR", "DISPLAY", "EDITOR", "VISUAL")}
        self.env.update(HOME=str(self.dir), TERM="xterm" if page in ("README", "chat", "move-from-claude-code-and-codex") else "dumb", LC_ALL="C.UTF-8", TMPDIR=str(self.dir), PATH=f"{BUILD}:{self.env['PATH']}")
        self.settings({"providers": {"anthropic": {"baseUrl": f"http://127.0.0.1:{port}/text/v1"}}})
        self.git("init", "-q")
        (self.work / "repository" / "file.txt").write_text("one\n")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
        (self.work / "key.txt").write_text("sk-ant-0123456789-secret\n")
        (self.dir / "backups").mkdir()
        self.shell = None

    def settings(self, value):
        folder = self.dir / ".config" / "thole"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(value if isinstance(value, str) else json.dumps(value))

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.work / "repository"), *words], check=True, env=self.env, capture_output=True)

    def thole(self, *words, check=True):
        p = subprocess.run([THOLE, *words], env=self.env, cwd=self.work, capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL)
        assert not check or p.returncode in (0, 4), f"thole {' '.join(words)}: {p.returncode}\n{p.stdout}{p.stderr}"
        return p.stdout

    def newest(self, kind):
        lists = {"act": ("approvals",), "sess": ("ps", "--all"), "proc": ("process", "ls"), "task": ("task", "ls", "--all")}
        if kind in lists:
            return self.thole(*lists[kind], "-q").split()[0]
        events = [json.loads(line) for line in self.thole("export", "session", "@last").splitlines()]
        return next(e for e in events if e["type"] == "turn.submitted")[f"{kind}Id"]

    def fill(self, command):
        """The command with words of this fixture in the place of those that stand for something."""
        command = re.sub(r"\b(act|sess|turn|proc|task)_…", lambda m: self.newest(m[1]), command)
        for word, here in (("127.0.0.1:7433", f"127.0.0.1:{self.port}"), ("YOUR-KEY", "sk-ant-0123456789-secret"),
                           ("MODEL", "sim-1"), ("/tmp/", f"{self.dir}/")):
            command = command.replace(word, here)
        return command

    def close(self):
        if self.shell:
            self.shell.close()
        for lock in self.dir.rglob("lock"):
            try:
                os.kill(int(lock.read_text()), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        shutil.rmtree(self.dir, ignore_errors=True)


# ---- what a page needs before it is typed ----

def with_a_turn(u):
    u.thole("run", "hello")


def with_two_turns(u):
    u.thole("run", "hello")
    u.thole("run", "-s", "@last", "hello again")


def with_an_approval(u):
    u.thole("run", "--detach", "approve")
    until("an approval", lambda: u.thole("approvals", "-q").split())
    asked = [json.loads(line) for line in u.thole("log", "--as", "agent-policy", "--type", "action.required").splitlines()][-1]
    (u.work / "waiver.json").write_text(json.dumps({
        "schema_version": "0.1.0", "waiver_id": "w_7", "decision_id": asked["decision_id"], "waived_by": {"type": "user", "id": "ada"},
        "justification": "a drill", "scope": {"scope_type": "filesystem", "risk_level": "low"}, "created_at": "2026-05-08T10:00:00Z"}))


def with_a_process(u):
    script = u.dir / "script.json"
    script.write_text(json.dumps({"version": 1, "default": {"text": "done"}, "rules": [{"when": {"request": 1, "text": "start"}, "reply": {
        "toolCalls": [{"name": "start_process", "args": {"command": "while read -r l; do echo heard $l; done", "pty": True}}]}}]}))
    u.env["THOLE_SCRIPT"] = str(script)
    u.thole("run", "-c", "permission.mode=bypass", "start it")
    until("a process", lambda: u.thole("process", "ls", "-q").split())


def with_a_server(u):
    u.settings({"mcp": {"servers": {"tickets": {"command": sys.executable, "args": [str(HERE.parent / "mcp" / "server.py")]}}}})
    u.thole("run", "hello")


def with_other_programs(u):
    u.thole("run", "hello")
    foreign_homes.claude_session(u.dir / ".claude", u.work)
    (u.dir / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"deny": ["Read(./.env)"]}}))
    foreign_homes.codex_session(u.dir / ".codex", u.work)
    foreign_homes.codex_old_session(u.dir / ".codex", u.work)


def with_the_library(u):
    """Installed below a root of its own; `app.c` is the program of the page."""
    u.thole("run", "hello")
    root = u.dir / "root"
    subprocess.run(["meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", str(root)], check=True, capture_output=True)
    found = next(root.rglob("thole.pc"))
    u.env.update(PKG_CONFIG_SYSROOT_DIR=str(root), PKG_CONFIG_PATH=str(found.parent), LD_LIBRARY_PATH=str(found.parent.parent))
    shutil.copy(ROOT / "examples" / "own_loop.c", u.work / "app.c")


def from_nothing(_u):
    """Its first command makes the session, or starts the daemon."""


# Any other page begins after one turn.
PREPARE = {"install": with_the_library, "README": from_nothing, "setup": from_nothing, "team": from_nothing, "phone": from_nothing, "context": with_two_turns,
           "keep-and-remove": with_two_turns, "mcp": with_a_server, "policy-engine": with_an_approval, "processes": with_a_process, "move-from-claude-code-and-codex": with_other_programs}


# ---- typing ----

def skipped(page, command):
    return next((why for p, begin, why in SKIPS if p == page and command.startswith(begin)), None)


def exits_of(page, command):
    return next((codes for (p, begin), codes in EXITS.items() if p == page and command.startswith(begin)), (0,))


def bare(command):
    """Without its comment."""
    return re.sub(r"\s+# .*$", "", command).strip()


def end_of(u, line):
    code = int(u.shell.expect(READY, f"the end of {line}")[1])
    assert code in exits_of(u.page, bare(line)), f"exit {code} after {line}"


def type_one(u, line):
    u.shell.type(u.fill(line))
    if bare(line).endswith("&") and "serve --listen" in line:
        # The prompt is there first; the daemon speaks when it is ready.
        end_of(u, line)
        u.shell.expect(re.compile(re.escape(f"127.0.0.1:{u.port}")), "the address of the daemon")
        u.shell.type("")
    for shown, keys in ANSWERS.get(bare(line), []):
        u.shell.expect(re.compile(shown), shown)
        u.shell.press(keys)
    if "--detach" in line and bare(line).endswith("approve"):
        until("the approval", lambda: u.thole("approvals", "-q", "--no-start").split())


def commands_of(language, text):
    """(command, lines that it prints) of a block."""
    lines = text.splitlines()
    if language == "sh":
        return [(line, []) for line in lines if line.strip() and not line.startswith("#")]
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"a block of commands begins with one, not {line!r}; data has a language"
            found[-1][1].append(line)
    return found


def type_page(u, text):
    typed = skips = 0
    u.shell = Shell(str(u.work), u.env)
    for language, block in BLOCK.findall(text):
        if language in DATA:
            continue
        assert language in ("", "sh"), f"a block in {language!r}"
        for command, output in commands_of(language, block):
            if skipped(u.page, command):
                skips += 1
                continue
            try:
                type_one(u, command)
                for line in output:
                    if line.strip(" …"):
                        u.shell.expect(pattern_of(line.replace("127.0.0.1:7433", f"127.0.0.1:{u.port}")), line)
                end_of(u, command)
            except AssertionError as e:
                raise AssertionError(f"{u.page}: `{command}`: {e}") from None
            typed += 1
    u.shell.type("thole serve --stop")
    u.shell.expect(READY, "the end of the daemon")
    return typed, skips


# ---- data, and commands in sentences ----

def try_settings(u, text):
    """JSON is well-formed; an object of settings is accepted by a runtime."""
    for language, block in BLOCK.findall(text):
        if language != "json":
            continue
        block = block.replace("…", "x")
        value, _ = json.JSONDecoder().raw_decode(block.strip() if block.lstrip().startswith("{") else "{" + block + "}")
        if not any("." in key or key in ("model", "prices", "mcp", "retention", "providers", "notify", "redact") for key in value):
            continue
        u.settings(value)
        p = subprocess.run([THOLE, "config"], env=u.env, capture_output=True, text=True, cwd=u.work, timeout=DEADLINE_S)
        assert p.returncode == 0 and "unknown" not in p.stderr, f"{block}\n{p.stdout}{p.stderr}"


def options_of(verb, known):
    if verb not in known:
        p = subprocess.run([THOLE, "help", verb], capture_output=True, text=True, timeout=DEADLINE_S)
        known[verb] = set(re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", p.stdout + EVERYWHERE)) if p.returncode == 0 else None
    return known[verb]


EVERYWHERE = subprocess.run([THOLE, "help", "all"], capture_output=True, text=True).stdout.split("Options of all of them:")[-1]


def check_inline(pages):
    """`thole VERB --option` in a sentence: there is such a verb, and it has the option."""
    known, wrong, count = {}, [], 0
    for page in pages:
        text = BLOCK.sub("", page.read_text())
        for command in re.findall(r"`thole ([a-z][^`]*)`", text):
            words = command.split(" -- ")[0].split()
            options = options_of(words[0], known)
            count += 1
            if options is None:
                wrong.append(f"{page.name}: there is no command thole {words[0]} (`thole {command}`)")
                continue
            wrong += [f"{page.name}: `thole {words[0]}` has no option {w}" for w in words[1:]
                      if re.match(r"--?[a-z]", w) and w.split("=")[0].rstrip(",;") not in options]
    return wrong, count


# ---- all of it ----

number = failed = 0


def tell(name, trouble):
    global number, failed
    number += 1
    failed += bool(trouble)
    print(f"{'not ok' if trouble else 'ok'} {number} - docs: {name}", flush=True)
    for line in (trouble or "").splitlines():
        print("# " + line, flush=True)


def main():
    words = sys.argv[2:]
    sim = simulator()
    for path in PAGES:
        if words and not any(w in path.stem for w in words):
            continue
        text = path.read_text()
        u = User(path.stem, sim.port)
        try:
            PREPARE.get(path.stem, with_a_turn)(u)
            typed, skips = type_page(u, text)
            try_settings(u, text)
            tell(f"{path.stem}: {typed} commands typed, {skips} listed as not typed here", None)
        except Exception:
            trouble = traceback.format_exc()
            tell(path.stem, trouble if len(trouble) < 4000 else trouble[:1500] + "\n…\n" + trouble[-2500:])
        finally:
            u.close()
    sim.close()
    if not words:
        stale = [f"{p}: {b}" for p, b, _ in SKIPS
                 if not any(path.stem == p and b in path.read_text() for path in PAGES)]
        tell("every exception is still on its page", "\n".join(stale))
        everything = [*PAGES, *(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md"]
        wrong, count = check_inline(sorted(set(everything)))
        tell(f"every command in a sentence exists, with its options: {count}", "\n".join(wrong))
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
