#!/usr/bin/env python3
"""`thole run -m PROVIDER/MODEL` in every dialect, against tests/provider/simulator.py.

usage: run_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory of its own; whatever it started is ended with it.
"""
import base64
import hashlib
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from wait import DEADLINE_S  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
KEY = "sk-0123456789-secret"
sys.path.insert(0, str(HERE))
from dialects import BASES  # noqa: E402

SCRIPT = {"version": 1, "tools": [{"name": "read_file", "description": "Reads a file.", "policy": "allowed",
                     "inputSchema": {"type": "object", "required": ["path"],
                                     "properties": {"path": {"type": "string"}}},
                     "result": {"text": "what is in {{args.path}}"}}]}
tests = []


class Simulator:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "simulator.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=DEADLINE_S)


class Fixture:
    """A home and a data directory that go when the test ends."""

    def __init__(self, port):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-models-"))
        self.port = port
        self.script = self.dir / "script.json"
        self.script.write_text(json.dumps(SCRIPT))
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("THOLE_", "XDG_")) and not k.endswith("_API_KEY")}
        self.env.update(HOME=str(self.dir), THOLE_DATA=str(self.dir / "data"), SIM_KEY=KEY)

    def providers(self, dialect, behaviour, **more):
        return json.dumps({"sim": {
            "dialect": dialect, "keyEnv": "SIM_KEY", "models": ["sim-1"],
            "baseUrl": f"http://127.0.0.1:{self.port}/{behaviour}{BASES[dialect]}", **more}})

    def thole(self, *args, stdin="", code=0, **env):
        p = subprocess.run([THOLE, *args], input=stdin, capture_output=True, text=True, timeout=DEADLINE_S,
                           env={**self.env, **env}, cwd=self.dir)
        assert p.returncode == code, \
            f"wanted exit {code}, got {p.returncode}: thole {args}\n{p.stdout}\n{p.stderr}"
        return p

    def ask(self, dialect, behaviour, *args, code=0, **more):
        """One turn in its own runtime."""
        return self.thole("run", "--here", "--script", str(self.script), "-c",
                          "providers=" + self.providers(dialect, behaviour, **more),
                          "-m", "sim/sim-1", *args, "what is in note.txt?", code=code)

    def events(self, dialect, behaviour, code=0):
        return [json.loads(line) for line in
                self.ask(dialect, behaviour, "--json", code=code).stdout.split("\n") if line]

    def settings(self, text):
        folder = self.dir / ".config" / "thole"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(text)

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def test(f):
    tests.append((f.__name__.replace("_", " "), f))
    return f


def each_dialect(f):
    for dialect in BASES:
        tests.append((f"{dialect}: {f.__name__.replace('_', ' ')}",
                      lambda fixture, dialect=dialect: f(fixture, dialect)))
    return f


# ---- every dialect ----

@each_dialect
def text_comes_through(fixture, dialect):
    for behaviour in ("text", "bytes", "unknown"):
        p = fixture.ask(dialect, behaviour)
        assert p.stdout == "Hello from the simulator, €uro.\n", p.stdout


@each_dialect
def a_tool_round_goes_there_and_back(fixture, dialect):
    p = fixture.ask(dialect, "work")
    assert "It says: what is in note.txt" in p.stdout, p.stdout
    assert "read_file" in p.stderr and "note.txt" in p.stderr, p.stderr


@each_dialect
def thoughts_go_back_unchanged(fixture, dialect):
    p = fixture.ask(dialect, "remember")
    assert p.stdout.endswith("unchanged\n"), p.stdout


@each_dialect
def errors_say_what_they_are(fixture, dialect):
    p = fixture.ask(dialect, "error=400", code=7)
    assert "simulated 400" in p.stderr, p.stderr
    p = fixture.ask(dialect, "error=401", code=3)
    assert "simulated 401" in p.stderr, p.stderr
    if dialect not in ("ollama", "bedrock"):  # these have no word for it
        p = fixture.ask(dialect, "quota", code=6)
        assert "You exceeded your current quota" in p.stderr, p.stderr


@each_dialect
def a_second_attempt_may_do_what_the_first_could_not(fixture, dialect):
    events = fixture.events(dialect, f"flaky=1-{os.getpid()}-{dialect}")
    kinds = [e["type"] for e in events]
    assert kinds.count("model.failed") == 1 and kinds.count("model.completed") == 1, kinds
    failed = next(e for e in events if e["type"] == "model.failed")
    assert failed["payload"]["category"] == "rate_limited", failed


@each_dialect
def half_a_call_is_never_started(fixture, dialect):
    """The connection breaks in the middle of a call, every time it is tried."""
    kinds = [e["type"] for e in fixture.events(dialect, "cut-in-call", code=7)]
    assert "model.failed" in kinds and "tool.started" not in kinds, kinds


@each_dialect
def usage_is_recorded(fixture, dialect):
    events = fixture.events(dialect, "text")
    usage = next(e for e in events if e["type"] == "model.completed")["payload"]["usage"]
    assert usage["inputTokens"] == 19 and usage["outputTokens"] == 10, usage


PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


@each_dialect
def an_image_is_shown(fixture, dialect):
    (fixture.dir / "a.png").write_bytes(PIXEL)
    (fixture.dir / "b.gif").write_bytes(b"GIF89a" + bytes(20))
    sees = [{"model": "sim-1", "capabilities": ["tool_use", "vision"]}]
    p = fixture.ask(dialect, "text", "--json", "--image", "a.png", "--image", "b.gif", models=sees)
    events = [json.loads(line) for line in p.stdout.split("\n") if line]
    parts = next(e for e in events if e["type"] == "turn.submitted")["payload"]["input"]
    assert [(x["type"], x.get("mediaType")) for x in parts] == \
        [("text", None), ("image", "image/png"), ("image", "image/gif")], parts
    with urllib.request.urlopen(f"http://127.0.0.1:{fixture.port}/__sim/journal", timeout=DEADLINE_S) as r:
        body = json.dumps(json.load(r)[-1]["body"])
    assert base64.b64encode(PIXEL).decode() in body and "R0lGODlh" in body, body[:500]


@test
def an_image_that_is_none_is_refused(fixture):
    (fixture.dir / "note.txt").write_text("words")
    (fixture.dir / "large.gif").write_bytes(b"GIF89a" + bytes(20 << 20))
    assert "is no PNG" in fixture.ask("openai", "text", "--image", "note.txt", code=2).stderr
    assert "could not be read" in fixture.ask("openai", "text", "--image", "gone.png", code=2).stderr
    assert "too large" in fixture.ask("openai", "text", "--image", "large.gif", code=2).stderr


@test
def an_image_above_the_size_of_a_command_is_uploaded(fixture):
    """It was refused: 720 KiB fit into a command."""
    whole = PIXEL + os.urandom(3 << 20)
    (fixture.dir / "large.png").write_bytes(whole)
    (fixture.dir / "small.gif").write_bytes(b"GIF89a" + bytes(20))
    sees = [{"model": "sim-1", "capabilities": ["tool_use", "vision"]}]
    p = fixture.ask("openai", "image-hash", "--json", "--image", "large.png", "--image", "small.gif", models=sees)
    events = [json.loads(line) for line in p.stdout.split("\n") if line]
    parts = next(e for e in events if e["type"] == "turn.submitted")["payload"]["input"]
    kept = [e for e in events if e["type"] == "output.spilled"]
    assert [x["bytes"] for x in parts[1:]] == [len(whole), 26], parts
    assert [e["outputRef"] for e in kept] == [parts[1]["ref"]] and kept[0]["output"]["owner"] == "turn", kept
    want = hashlib.sha256(whole).hexdigest()
    assert kept[0]["output"]["sha256"] == want, kept
    assert want in next(e for e in events if e["type"] == "model.completed")["payload"]["text"]["preview"], events[-5:]


@each_dialect
def a_provider_that_refuses_an_image_is_asked_without_it(fixture, dialect):
    """The turn failed with the provider's 400."""
    (fixture.dir / "a.png").write_bytes(PIXEL)
    sees = [{"model": "sim-1", "capabilities": ["tool_use", "vision"]}]
    p = fixture.ask(dialect, "no-images", "--json", "--image", "a.png", models=sees)
    events = [json.loads(line) for line in p.stdout.split("\n") if line]
    told = [e["payload"] for e in events if e["type"] == "run.status"]
    assert [x.get("imagesRefusedBy") for x in told] == ["sim/sim-1"] and "does not support image" in told[0]["detail"], told
    assert [e["type"] for e in events if e["type"].startswith("model.") and e["type"] != "model.delta"] == \
        ["model.requested", "model.failed", "model.requested", "model.completed"]
    with urllib.request.urlopen(f"http://127.0.0.1:{fixture.port}/__sim/journal", timeout=DEADLINE_S) as r:
        body = json.dumps(json.load(r)[-1]["body"])
    assert "An image stood here: the provider refused it." in body, body[:2000]


@each_dialect
def the_key_stays_where_it_is(fixture, dialect):
    p = fixture.ask(dialect, "echo-key", "--json", code=3)
    assert "[key]" in p.stdout + p.stderr, p
    assert KEY not in p.stdout + p.stderr, p


# ---- turns that were stopped ----

@each_dialect
def thoughts_of_a_stopped_turn_go_back(fixture, dialect):
    """The turn ends while its call waits; the next one sends the call, and so the thought before it."""
    script = json.loads(json.dumps(SCRIPT))
    script["tools"][0].update(name="get_time", policy="ask", inputSchema={"type": "object"})
    fixture.script.write_text(json.dumps(script))
    fixture.env["THOLE_SCRIPT"] = str(fixture.script)
    fixture.settings(json.dumps({"providers": json.loads(fixture.providers(dialect, "remember"))}))
    with Daemon(fixture):
        fixture.thole("auth", "add", "sim", stdin=KEY + "\n")
        later(fixture, code=4)
        fixture.thole("stop", "@last", SIM_KEY="")
        assert later(fixture, "-s", "@last").stdout.endswith("unchanged\n")


# ---- keys ----

def later(fixture, *args, code=0):
    """Against one daemon, which ends with the test."""
    return fixture.thole("run", "-m", "sim/sim-1", *args, "hello", code=code, SIM_KEY="")


class Daemon:
    def __init__(self, fixture):
        self.process = subprocess.Popen([THOLE, "serve"], env={**fixture.env, "SIM_KEY": ""}, cwd=fixture.dir,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = ""
        while "socket" not in line and "listening" not in line.lower():
            line = self.process.stderr.readline()
            assert line, "the daemon does not start"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=DEADLINE_S)


@test
def a_key_may_come_change_and_go_while_the_daemon_runs(fixture):
    fixture.settings(json.dumps({"providers": json.loads(fixture.providers("openai", "text"))}))
    with Daemon(fixture):
        p = later(fixture, code=3)
        assert "no key" in p.stderr, p.stderr
        assert any(line.endswith("thole auth add sim") for line in p.stderr.splitlines()), p.stderr
        models = fixture.thole("models", SIM_KEY="")
        assert "sim/sim-1" in models.stdout
        assert "sim has no key; set SIM_KEY, or `thole auth add sim` takes one." in models.stderr, models.stderr

        fixture.thole("auth", "add", "sim", stdin=KEY + "\n")
        assert later(fixture).stdout == "Hello from the simulator, €uro.\n"
        listed = json.loads(fixture.thole("models", "--json", SIM_KEY="").stdout)
        assert next(m for m in listed if m["provider"] == "sim")["hasCredential"] is True, listed

        fixture.thole("auth", "rm", "sim")
        later(fixture, code=3)


@test
def an_image_may_be_sent_to_a_session_that_is_there(fixture):
    (fixture.dir / "a.png").write_bytes(PIXEL)
    sees = [{"model": "sim-1", "capabilities": ["tool_use", "vision"]}]
    fixture.settings(json.dumps({"providers": json.loads(fixture.providers("openai", "text", models=sees))}))
    fixture.thole("auth", "add", "sim", stdin=KEY + "\n")
    with Daemon(fixture):
        later(fixture)
        fixture.thole("send", "-f", "-m", "sim/sim-1", "--image", "a.png", "@last", "and this?", SIM_KEY="")
        assert "is no PNG" in fixture.thole("send", "--image", "data/token", "@last", "and this?", code=2).stderr
    with urllib.request.urlopen(f"http://127.0.0.1:{fixture.port}/__sim/journal", timeout=DEADLINE_S) as r:
        asked = [json.dumps(x["body"]) for x in json.load(r)]
    assert base64.b64encode(PIXEL).decode() in asked[-1], asked[-1][:500]


@test
def a_key_is_kept_closed_and_never_shown(fixture):
    p = fixture.thole("auth", "add", "acme", stdin=f"  {KEY}\n")
    assert KEY not in p.stdout + p.stderr
    path = fixture.dir / "data" / "keys" / "acme"
    assert path.read_text() == KEY + "\n" and path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    p = fixture.thole("auth", "ls")
    assert "acme" in p.stdout and "kept" in p.stdout and KEY not in p.stdout
    path.chmod(0o644)
    assert "open to others" in fixture.thole("auth").stdout
    assert json.loads(fixture.thole("auth", "ls", "--json").stdout)[0]["provider"] == "acme"
    fixture.thole("auth", "rm", "acme")
    assert not path.exists()
    fixture.thole("auth", "rm", "acme", code=1)


@test
def what_is_no_key_or_no_name_changes_nothing(fixture):
    for name, text in (("acme", ""), ("acme", "two words"), ("../up", KEY), ("", KEY), ("a" * 65, KEY)):
        fixture.thole("auth", "add", name, stdin=text, code=2)
    assert not list(fixture.dir.glob("data/keys/*")) and not list(fixture.dir.glob("data/*up*"))
    fixture.thole("auth", "add", code=2)
    fixture.thole("auth", "steal", "acme", code=2)
    fixture.thole("auth", "ls", "acme", code=2)


@test
def a_key_that_is_typed_is_not_shown(fixture):
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(THOLE, ["thole", "auth", "add", "acme"], fixture.env)
    seen = b""

    def read_until(mark):
        nonlocal seen
        end = time.monotonic() + DEADLINE_S
        while mark not in seen:
            assert time.monotonic() < end, seen
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    seen += os.read(fd, 4096)
                except OSError:
                    break

    read_until(b"not shown): ")
    os.write(fd, f"{KEY}x\x7f\n".encode())
    read_until(b"is kept in")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(fd)
    assert KEY.encode() not in seen, seen
    assert (fixture.dir / "data" / "keys" / "acme").read_text() == KEY + "\n"


def main():
    words = sys.argv[2:]
    chosen = [(n, f) for n, f in tests if not words or any(w in n for w in words)]
    sim = Simulator()
    failed = 0
    for number, (name, f) in enumerate(chosen, 1):
        fixture = Fixture(sim.port)
        try:
            f(fixture)
            print(f"ok {number} - models: {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - models: {name}")
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
        finally:
            fixture.close()
    sim.close()
    print(f"1..{len(chosen)}")
    sys.exit(1 if failed else 0)


main()
