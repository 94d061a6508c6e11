"""A working directory with a daemon in it, for tests of tool servers."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / folder) for folder in ("scenario", "lib")]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402,F401


class Fixture:
    """`calls` are what the model calls, one per turn."""
    build = None  # where the programs are

    def __init__(self, servers=None, calls=(), project=None, options=(), env=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-mcp-"))
        self.work = self.dir / "work"
        self.work.mkdir()
        calls, options = self.prepare(list(calls), list(options))
        if project:
            (self.work / ".mcp.json").write_text(project)
        script = self.script_of(calls)
        # the daemon works in the directory that contains its data
        options = [f"mcp.servers={json.dumps(servers or {})}", "context.prompt=builtin", *options]
        self.daemon = Daemon(self.build, str(self.work / "data"), script, options)
        self.old = {k: os.environ.get(k) for k in (env or {})}
        os.environ.update(env or {})
        self.daemon.start()
        self.http = Http(self.daemon)
        self.session = None

    def prepare(self, calls, options):
        """For a subclass: the directories are there, the daemon is not.  What the model calls, and the settings."""
        return calls, options

    def script_of(self, calls):
        """For a subclass: what the model says."""
        rules = [{"when": {"turn": n + 1, "request": 1}, "reply": {"toolCalls": [{"name": name, "args": args}]}}
                 for n, (name, args) in enumerate(calls)]
        return json.dumps({"version": 1, "rules": rules, "default": {"text": "done"}})

    def restart(self, *options):
        self.daemon.kill()
        self.daemon.options += options
        self.daemon.start()
        self.http = Http(self.daemon)

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session=None):
        return [json.loads(line) for line in self.http.events(session or self.session, 0)]

    def until(self, what, looks):
        return until(lambda: f"{what}:\n{json.dumps(self.servers(), indent=1)}\n{''.join(self.daemon.log[-8:])}", looks)

    def servers(self):
        return {s["name"]: s for s in self.call("list_tool_servers")["servers"]}

    def status(self, name, word):
        return self.until(f"{name} to be {word}", lambda: self.servers()[name]["status"] == word and self.servers()[name])

    def submit(self, wait=True, text="go"):
        """A turn; the events it left when it ended, or when it waits for a person."""
        reply = self.call("submit_turn", input=text, **({"sessionId": self.session} if self.session else {}))
        self.session = reply["sessionId"]
        self.turn = reply["turnId"]
        return self.settle() if wait else None

    def settle(self):
        def looks():
            events = [e for e in self.events() if e.get("turnId") == self.turn]
            open_actions = [e["actionId"] for e in events if e["type"] == "action.required"]
            for e in events:
                if e["type"] == "action.resolved":
                    open_actions.remove(e["actionId"])
            self.action = open_actions[-1] if open_actions else None
            ended = any(e["type"] in ("turn.completed", "turn.failed") for e in events)
            return events if ended or self.action else None
        return self.until("the turn", looks)

    def allow(self, **more):
        self.call("respond_action", sessionId=self.session, actionId=self.action, decision="allow", **more)
        return self.settle()

    def run(self):
        """A turn whose call is allowed when it is asked about."""
        events = self.submit()
        return self.allow() if self.action else events

    def tools(self):
        if not self.session:
            self.submit()
        return {t["toolName"]: t for t in self.call("get_tool_inventory", sessionId=self.session)["tools"]}

    def close(self):
        try:
            self.daemon.stop()
        finally:
            for k, v in self.old.items():
                os.environ.pop(k) if v is None else os.environ.update({k: v})
            shutil.rmtree(self.dir, ignore_errors=True)


def last(events, kind):
    found = [e for e in events if e["type"] == kind]
    assert found, f"no {kind} in {[e['type'] for e in events]}: {[e['payload'] for e in events if e['type'] == 'tool.failed']}"
    return found[-1]
