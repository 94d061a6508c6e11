"""A daemon with a scripted model that serves A2A, peers that speak to it over both bindings, and a receiver of push notifications."""
import http.client
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402,F401

from a2a_schema import PARAMS, Schema, missing  # noqa: E402

SCHEMA = None if missing() else Schema()
VERSION = {"A2A-Version": "1.0"}
SCRIPT = {
    "version": 1,
    "tools": [{"name": "publish", "policy": "ask", "destructive": True, "result": {"text": "published"}}],
    "rules": [
        {"when": {"afterTool": "publish"}, "reply": {"text": "The tool said: {{toolResult}}"}},
        {"when": {"afterTool": "ask_user"}, "reply": {"text": "You chose {{toolResult}}"}},
        {"when": {"afterTool": "write_file"}, "reply": {"text": "The report is ready."}},
        {"when": {"peerMessageId": "by-id-*"}, "reply": {"text": "known by its id"}},
        {"when": {"text": "publish", "request": 1}, "reply": {"text": "I want to publish.", "toolCalls": [{"name": "publish", "args": {}}]}},
        {"when": {"text": "report", "request": 1}, "reply": {"toolCalls": [{"name": "write_file", "args": {"path": "report.txt", "content": "all is well"}}]}},
        {"when": {"text": "hang"}, "reply": {"text": "begun, and then nothing", "delayMs": 600000}},
        {"when": {"text": "words"}, "reply": {"text": "one two three four five six seven eight nine ten", "delayMs": 30}},
        {"when": {"text": "steady"}, "reply": {"text": "0123456789 " * 60, "delayMs": 100}},
        {"when": {"text": "which", "request": 1}, "reply": {"text": "First a question.", "toolCalls": [{"name": "ask_user", "args": {"question": "Which one?"}}]}},
        {"when": {"text": "refuse"}, "reply": {"text": "No.", "stop": "refusal"}},
        {"when": {"text": "broken"}, "reply": {"error": {"category": "auth", "message": "The key is not valid."}}},
    ],
    "default": {"text": "answer to {{input}}"},
}


def message(text, id=None, **more):
    parts = more.pop("parts", None) or [{"text": text}]
    return {"message": {"messageId": id or str(uuid.uuid4()), "role": "ROLE_USER", "parts": parts, **more}}


def text_of(task):
    """All texts of the agent."""
    return "|".join(p["text"] for a in task.get("artifacts", []) for p in a["parts"] if "text" in p)


def state_of(task):
    return task["status"]["state"].removeprefix("TASK_STATE_")


class Refused(Exception):
    """An error of the protocol: its number (JSON-RPC) or its reason (HTTP+JSON)."""

    def __init__(self, status, body):
        super().__init__(f"{status} {json.dumps(body)[:600]}")
        self.status, self.body = status, body
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.code = error.get("code")
        infos = [d for d in error.get("data", error.get("details", [])) if d.get("@type", "").endswith("ErrorInfo")]
        self.reason = infos[0]["reason"] if infos else None
        self.message = error.get("message", "")


class World:
    build = None

    def __init__(self, options=(), script=SCRIPT, is_on=True):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-a2a-"))
        self.data = str(self.dir / "data")
        given = [*([] if "tools.enabled=true" in options else ["tools.enabled=false"]), "tools.agents=false"] + (["a2a.enabled=true"] if is_on else [])
        self.daemon = Daemon(self.build, self.data, script if isinstance(script, str) else json.dumps(script), [*given, *options])
        self.start()

    def start(self):
        self.daemon.start()
        self.owner = Http(self.daemon)

    def restart(self):
        self.daemon.kill()
        self.start()

    def token(self, name, scope="read,write", *more):
        return subprocess.run([os.path.join(self.build, "thole"), "token", "new", name, "--scope", scope, "--data", self.data, *more], check=True,
                              capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": self.data + ".config"}).stdout.split()[-1]

    def rpc(self, name="peer", *more):
        return Rpc(self, self.token(name, *more))

    def rest(self, name="peer", *more):
        return Rest(self, self.token(name, *more))

    def call(self, command, **params):
        code, reply = self.owner.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.owner.events(session, 0)]

    def pending(self, session):
        def look():
            found = self.call("list_actions", sessionId=session, status="pending")["actions"]
            return found and found[0]["actionId"]
        return until("a pending action", look)

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.daemon.stop()
            elif self.daemon.process.poll() is None:
                self.daemon.kill()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


class Peer:
    """Sends requests and checks everything that goes over against the schema, unless the test is wrong on purpose."""

    def __init__(self, world, token):
        self.world, self.token = world, token

    def check(self, faults):
        if faults:
            raise Wrong("\n".join(faults[:6]))

    def request(self, method, path, body, headers=(), type="application/json"):
        c = http.client.HTTPConnection("127.0.0.1", self.world.daemon.port, timeout=DEADLINE_S)
        h = {"Authorization": "Bearer " + self.token, **VERSION, **dict(headers)}
        if body is not None:
            h["Content-Type"] = type
        c.request(method, path, body, {k: v for k, v in h.items() if v is not None})
        return c, c.getresponse()

    def send(self, text, id=None, streams=False, configuration=None, **more):
        params = message(text, id, **more)
        if configuration:
            params["configuration"] = configuration
        if streams:
            return self.stream("SendStreamingMessage", params)
        return self.call("SendMessage", params)["task"]

    def get(self, task, **more):
        return self.call("GetTask", {"id": task["id"], **more})

    def until(self, task, state):
        return until(f"{state} of {task['id']}", lambda: (t := self.get(task)) and state_of(t) == state and t)


class Stream:
    """Items as they come; closing it is what a peer does that goes away."""

    def __init__(self, peer, method, connection, response):
        self.peer, self.method, self.connection, self.response = peer, method, connection, response
        self.items = []

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            line = self.response.readline()
            if not line:
                self.close()
                raise StopIteration
            if line.startswith(b"data: "):
                item = self.peer.unwrap(json.loads(line[6:]), self.method)
                if not self.items and "task" not in item:
                    raise Wrong(f"the first item is no task: {item}")
                self.items.append(item)
                return item

    def close(self):
        self.connection.close()

    def rest(self):
        return list(self)


class Rpc(Peer):
    """JSON-RPC."""
    name = "JSONRPC"

    def unwrap(self, body, method, status=200):
        if status >= 400:
            raise Refused(status, body)
        if body.get("jsonrpc") != "2.0" or body.get("id") != 7:
            raise Wrong(f"no response to request 7: {body}")
        if "error" in body:
            raise Refused(status, body)
        if SCHEMA:
            self.check(SCHEMA.faults_of_result(method, body["result"]))
        return body["result"]

    def open(self, method, params, headers=(), is_wrong=False):
        if SCHEMA and not is_wrong:
            self.check(SCHEMA.faults_of_request(method, params))
        return self.request("POST", "/a2a", json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}), headers)

    def call(self, method, params, headers=(), is_wrong=False):
        c, r = self.open(method, params, headers, is_wrong)
        body = json.loads(r.read())
        c.close()
        return self.unwrap(body, method, r.status)

    def stream(self, method, params, **more):
        c, r = self.open(method, params, **more)
        if r.getheader("Content-Type") != "text/event-stream":
            self.unwrap(json.loads(r.read()), method, r.status)
        return Stream(self, method, c, r)


class Rest(Peer):
    """HTTP+JSON."""
    name = "HTTP+JSON"

    @staticmethod
    def place(method, params):
        """Method, path and whether the rest of the params is a body."""
        p = dict(params)
        tenant = "/" + p.pop("tenant") if "tenant" in p else ""
        quoted = lambda key: urllib.parse.quote(p.pop(key, ""), safe="")  # noqa: E731
        if method in ("SendMessage", "SendStreamingMessage"):
            return "POST", tenant + "/message:" + ("send" if method == "SendMessage" else "stream"), p, True
        if method == "ListTasks":
            return "GET", tenant + "/tasks", p, False
        if method == "GetExtendedAgentCard":
            return "GET", tenant + "/extendedAgentCard", p, False
        if "PushNotification" in method:
            path = f"{tenant}/tasks/{quoted('taskId')}/pushNotificationConfigs"
            if method.startswith("Create"):
                return "POST", path, p, True
            if method.startswith("List"):
                return "GET", path, p, False
            return ("GET" if method.startswith("Get") else "DELETE"), path + "/" + quoted("id"), p, False
        path = tenant + "/tasks/" + quoted("id")
        if method == "CancelTask":
            return "POST", path + ":cancel", p, True
        return "GET", path + (":subscribe" if method == "SubscribeToTask" else ""), p, False

    def unwrap(self, body, method, status=200):
        if status >= 400:
            raise Refused(status, body)
        if SCHEMA:
            self.check(SCHEMA.faults_of_result(method, body))
        return body

    def open(self, method, params, headers=(), is_wrong=False):
        if SCHEMA and not is_wrong:
            self.check(SCHEMA.faults_of_request(method, params))
        verb, path, rest, has_body = self.place(method, params)
        if not has_body and rest:
            path += "?" + urllib.parse.urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in rest.items()})
        return self.request(verb, "/a2a/v1" + path, json.dumps(rest) if has_body else None, headers, "application/a2a+json")

    def call(self, method, params, headers=(), is_wrong=False):
        c, r = self.open(method, params, headers, is_wrong)
        text = r.read()
        c.close()
        return self.unwrap(json.loads(text or b"null"), method, r.status)

    def stream(self, method, params, **more):
        c, r = self.open(method, params, **more)
        if r.getheader("Content-Type") != "text/event-stream":
            self.unwrap(json.loads(r.read()), method, r.status)
        return Stream(self, method, c, r)


class Receiver:
    """A peer's address for push notifications.  fails: how many of the next ones it answers with 503."""

    def __init__(self, address="127.0.0.1"):
        self.got, self.fails = [], 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = 200
                if outer.fails:
                    outer.fails -= 1
                    status = 503
                else:
                    outer.got.append((dict(self.headers), json.loads(body)))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *rest):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def states(self):
        return [state_of(b["statusUpdate"]) for _, b in self.got if "statusUpdate" in b]

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.close()


__all__ = ["DEADLINE_S", "HERE", "PARAMS", "Peer", "Receiver", "Refused", "Rest", "Rpc", "SCHEMA", "SCRIPT", "World", "Wrong", "message", "state_of",
           "text_of", "until"]
