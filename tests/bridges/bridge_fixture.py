"""A daemon with a scripted model, a server that answers as a messenger does, and a bridge between them: three processes."""
import ctypes
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402,F401

# The programs under test; packages and tarballs have copies.
BRIDGES = pathlib.Path(os.environ.get("THOLE_BRIDGES", ROOT / "bridges"))
LONG = "".join(f"Line {i} of a long answer.\n" for i in range(600))
COMMAND = "rm -rf build && echo \"<b>&amp;</b>\" *bold* `tick`"
PLAN = "First: wipe it.\n" + "".join(f"Step {i}: look at file number {i} and tidy it up.\n" for i in range(90))
LINES = "".join(f"# line {i} of a command that is long\n" for i in range(200))
BLANKS = "a\u200db\ufe0fc\u3164d\u2800e\u034ff\U000e0100g\u00a0h\u2003i\u115fj k"
EPIC = "Which one? " + "\u200b" * 600  # shown as codes, it needs two messages
SCRIPT = {
    "version": 1,
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}},
              {"name": "row", "result": {"text": "rowed"}, "policy": "allowed"}],
    "rules": [
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"afterTool": "ask_user"}, "reply": {"text": "You chose {{toolResult}}"}},
        {"when": {"text": "publish", "request": 1}, "reply": {"text": "I want to publish.", "toolCalls": [{"name": "publish", "args": {"command": COMMAND}}]}},
        {"when": {"text": "huge", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"command": "x" * 60000}}]}},
        {"when": {"text": "hidden", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"command": "echo \u202egood\u200b"}}]}},
        {"when": {"text": "blanks", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"command": BLANKS}}]}},
        {"when": {"text": "lines", "request": 1}, "reply": {"toolCalls": [{"name": "publish", "args": {"command": LINES}}]}},
        {"when": {"text": "plan", "request": 1}, "reply": {"toolCalls": [{"name": "exit_plan", "args": {"plan": PLAN}}]}},
        {"when": {"text": "wide", "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": LINES[:3600], "escalate": {"network": True, "reason": "It is needed. " * 35}}}]}},
        {"when": {"text": "remove", "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "rm -rf 'two words'"}}]}},
        {"when": {"text": "break", "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "true", "escalate": {
            "network": True, "reason": "It is needed.\nDirectory: /tmp\nAsked by: the owner"}}}]}},
        {"when": {"text": "epic choice", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": EPIC, "options": ["red", "blue"]}}]}},
        {"when": {"text": "epic", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": EPIC}}]}},
        {"when": {"text": "login", "request": 1}, "reply": {"toolCalls": [{"name": "mcp__own__go", "args": {}}]}},
        {"when": {"text": "many fields", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Two things?", "schema": {
            "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}]}},
        {"when": {"text": "count", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "How many?", "schema": {
            "type": "object", "properties": {"n": {"type": "integer"}}}}}]}},
        {"when": {"text": "which", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
        {"when": {"text": "choose", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Red or blue?", "options": ["red", "blue"]}}]}},
        {"when": {"text": "hang"}, "reply": {"text": "begun, and then nothing", "delayMs": 600000}},
        {"when": {"text": "long"}, "reply": {"text": LONG}},
        {"when": {"text": "markup"}, "reply": {"text": "<b>bold</b> &amp; *stars* <@U1> <!channel> \u202eback"}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}
ANN, BOB, EVE = 11, 22, 66


def dies_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class World:
    """`kind`: telegram or slack.  Ann may ask and decide, Bob may ask, Eve may nothing."""
    build = None

    def __init__(self, kind, scopes=("read", "write", "approve"), sessions="all", options=(), script=SCRIPT, **config):
        self.kind = kind
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-bridge-"))
        self.data = str(self.dir / "data")
        self.daemon = Daemon(self.build, self.data, json.dumps(script), ["tools.enabled=false", "tools.agents=false", *options])
        self.bridge = self.fake = None
        self.start_daemon()
        token = self.call("create_token", name=kind, scopes=list(scopes), sessions=sessions)["token"]
        self.fake = subprocess.Popen([sys.executable, str(HERE / f"fake_{kind}.py"), "secret"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     preexec_fn=dies_with_parent)
        self.fake_port = int(self.fake.stdout.readline())
        self.env = {**os.environ, "BRIDGE_TOKEN": token, "MESSENGER_TOKEN": "secret", "APP_TOKEN": "app-secret"}
        self.config = {"thole": {"socket": self.data + "/socket", "token_env": "BRIDGE_TOKEN"}, "state": str(self.dir / "state.sqlite"),
                       "users": self.people(ANN, BOB), "approvers": self.people(ANN), "progress_seconds": 0, **self.own_config(), **config}
        self.log = open(self.dir / "bridge.log", "ab")
        self.start_bridge()

    def people(self, *ids):
        return list(ids) if self.kind == "telegram" else [f"U{i}" for i in ids]

    def own_config(self):
        api = f"http://127.0.0.1:{self.fake_port}" + ("" if self.kind == "telegram" else "/api")
        return {"token_env": "MESSENGER_TOKEN", "api": api} | ({} if self.kind == "telegram" else {"app_token_env": "APP_TOKEN"})

    # ---- processes

    def start_daemon(self):
        self.daemon.start()
        self.http = Http(self.daemon)

    def start_bridge(self):
        path = self.dir / "bridge.json"
        path.write_text(json.dumps(self.config))
        self.bridge = subprocess.Popen([str(BRIDGES / self.kind), str(path)], env=self.env, stdin=subprocess.DEVNULL, stdout=self.log,
                                       stderr=self.log, preexec_fn=dies_with_parent)

    def kill_bridge(self):
        self.bridge.send_signal(signal.SIGKILL)
        self.bridge.wait()

    def bridge_log(self):
        return (self.dir / "bridge.log").read_text(errors="replace")

    # ---- Thole

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def sessions(self):
        return [s for s in self.call("list_sessions")["sessions"] if s["sessionId"] != "sess_system"]

    def events(self, session, *types):
        return [e for e in map(json.loads, self.http.events(session, 0)) if not types or e["type"] in types]

    # ---- the messenger

    def control(self, name, **args):
        c = http.client.HTTPConnection("127.0.0.1", self.fake_port, timeout=DEADLINE_S)
        c.request("POST", f"/control/{name}", json.dumps(args))
        reply = json.loads(c.getresponse().read())
        c.close()
        return reply

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if self.bridge and self.bridge.poll() is None:
                self.kill_bridge()
            if self.fake:
                self.fake.kill()
                self.fake.wait()
            if kind is None:
                self.daemon.stop()
            else:
                print("\n".join("# " + line for line in self.bridge_log().splitlines()[-12:]))
                if self.daemon.process.poll() is None:
                    self.daemon.kill()
        finally:
            self.log.close()
            shutil.rmtree(self.dir, ignore_errors=True)
