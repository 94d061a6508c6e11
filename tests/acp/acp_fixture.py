"""A daemon with a scripted model, and editors that use `thole acp` line by line."""
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402,F401

SCRIPT = {
    "version": 1,
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}}],
    "rules": [
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"text": "publish", "request": 1}, "reply": {"reasoning": "I should ask.", "text": "I want to publish.",
                                                "toolCalls": [{"name": "publish", "args": {"page": "news"}}]}},
        {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}},
        {"when": {"text": "plan", "request": 1}, "reply": {"toolCalls": [{"name": "update_todo", "args": {"items": [
            {"text": "first", "status": "completed"}, {"text": "second", "status": "pending"}]}}]}},
        {"when": {"text": "which", "request": 1}, "reply": {"toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}


class World:
    build = None

    def __init__(self, options=(), script=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-acp-"))
        self.work = self.dir / "work"
        self.work.mkdir()
        self.data = str(self.dir / "data")
        self.daemon = Daemon(self.build, self.data, json.dumps(script or SCRIPT), ["tools.enabled=false", "tools.agents=false", *options])
        self.editors = []
        self.start()

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.http.events(session, 0)]

    def pending(self, session):
        """The action that waits, as another client sees it."""
        def look():
            found = [a for a in self.call("list_actions", sessionId=session, status="pending")["actions"]]
            return found and found[0]["actionId"]
        return until("a pending action", look)

    def editor(self, **more):
        self.editors.append(Editor(self, **more))
        return self.editors[-1]

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            for e in self.editors:
                e.close()
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process.poll() is None:
                self.daemon.kill()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


class Editor:
    """One `thole acp`.  lines: what went over, for the schema."""

    def __init__(self, world, capabilities=None):
        self.world, self.lines, self.inbox, self.last_id = world, [], [], 0
        self.queue = queue.Queue()
        self.process = subprocess.Popen([os.path.join(world.build, "thole"), "acp", "--data", world.data], cwd=world.work,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_CONFIG_HOME": world.data + ".config"})
        self.said = []
        threading.Thread(target=self.drain, daemon=True).start()
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()
        self.capabilities = capabilities or {}

    def drain(self):
        for line in self.process.stdout:
            self.queue.put(line)
        self.queue.put(None)

    # ---- sending

    def raw(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, message, is_wrong=False):
        text = json.dumps({"jsonrpc": "2.0", **message})
        if not is_wrong:
            self.lines.append((True, text))
        self.raw(text)

    def begin(self, method, params, is_wrong=False):
        """A request; its id."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params}, is_wrong)
        return self.last_id

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    # ---- receiving

    def until(self, what, look):
        """The first message, of those that have come and will come, that look() accepts."""
        until_s = time.monotonic() + DEADLINE_S
        at = 0
        while True:
            while at < len(self.inbox):
                if look(self.inbox[at]):
                    return self.inbox[at]
                at += 1
            try:
                line = self.queue.get(timeout=max(0.1, until_s - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise Wrong(f"no {what}; {len(self.inbox)} messages, the last: {json.dumps(self.inbox[-4:])[:1500]}; "
                            f"stderr: {b''.join(self.said)[-800:]!r}")
            self.lines.append((False, line.decode()))
            self.inbox.append(json.loads(line))

    def answer(self, id):
        m = self.until(f"answer to {id}", lambda m: m.get("id") == id and "method" not in m)
        self.inbox.remove(m)
        return m

    def result(self, id):
        m = self.answer(id)
        if "result" not in m:
            raise Wrong(f"refused: {m}")
        return m["result"]

    def error(self, id):
        m = self.answer(id)
        if "error" not in m:
            raise Wrong(f"not refused: {m}")
        return m["error"]

    def take(self):
        """All messages so far, once."""
        all_, self.inbox = self.inbox, []
        return all_

    def asked(self):
        """The next question to the user."""
        m = self.until("request_permission", lambda m: m.get("method") == "session/request_permission")
        self.inbox.remove(m)
        return m

    def withdrawn(self, id):
        return self.until(f"cancel_request of {id}",
                          lambda m: m.get("method") == "$/cancel_request" and m["params"]["requestId"] == id)

    # ---- the ordinary way

    def initialize(self):
        return self.result(self.begin("initialize", {"protocolVersion": 1, "clientCapabilities": self.capabilities,
                                                     "clientInfo": {"name": "test", "version": "1"}}))

    def new(self, servers=()):
        if not self.last_id:
            self.initialize()
        self.session = self.result(self.begin("session/new", {"cwd": str(self.world.work), "mcpServers": [*servers]}))["sessionId"]
        return self.session

    def load(self, session, servers=(), how="load"):
        """The result, and the messages that came before it."""
        if not self.last_id:
            self.initialize()
        self.session = session
        self.take()
        result = self.result(self.begin(f"session/{how}", {"sessionId": session, "cwd": str(self.world.work), "mcpServers": [*servers]}))
        return result, self.take()

    def requested(self, method):
        """The next request of the agent with this method."""
        m = self.until(method, lambda m: m.get("method") == method and "id" in m)
        self.inbox.remove(m)
        return m

    def update(self, kind, look=lambda u: True):
        """The next update of a kind."""
        m = self.until(f"update {kind}", lambda m: m.get("method") == "session/update"
                       and m["params"]["update"]["sessionUpdate"] == kind and look(m["params"]["update"]))
        return m["params"]["update"]

    def reply(self, request, result):
        self.send({"id": request["id"], "result": result})

    def prompt(self, text):
        """The id of the request."""
        return self.begin("session/prompt", {"sessionId": self.session, "prompt": [{"type": "text", "text": text}]})

    def choose(self, question, option):
        self.send({"id": question["id"], "result": {"outcome": {"outcome": "selected", "optionId": option}}})

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(DEADLINE_S)


def updates(messages):
    return [m["params"]["update"] for m in messages if m.get("method") == "session/update"]


def text_of(messages, kind="agent_message_chunk"):
    return "".join(u["content"]["text"] for u in updates(messages) if u["sessionUpdate"] == kind)
