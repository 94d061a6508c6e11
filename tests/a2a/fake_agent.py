"""A remote agent that does what a test says: well, badly, late or not at all.  JSON-RPC only."""
import contextlib
import http.server
import json
import threading

STATES = "SUBMITTED WORKING INPUT_REQUIRED AUTH_REQUIRED COMPLETED FAILED CANCELED REJECTED".split()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def handle_error(self, *rest):
        """A client that went away is a part of many tests."""


class FakeAgent:
    """`plan` maps the text of a message to a function (agent, task, text, say) that moves the task; say() sends an item of a stream."""

    def __init__(self, plan=None, streaming=True, port=0):
        self.plan, self.streaming = plan or {}, streaming
        self.count = 0
        self.tasks, self.by_message, self.calls, self.headers = {}, {}, [], []
        self.files = {"/file": b"from afar"}
        self.lock = threading.RLock()
        self.more_of_card, self.interface, self.card_body, self.card_status = {}, None, None, 200
        self.status = 200          # of every reply, for an agent that refuses
        self.raw = None            # the body of every reply, for an agent that sends nonsense
        self.gates, self.reached = {}, threading.Event()
        self.open(port)

    # ---- coming and going

    def open(self, port=0):
        agent = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *rest):
                pass

            def send(self, status, body, type="application/json", headers=()):
                self.send_response(status)
                self.send_header("Content-Type", type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                agent.get(self)

            def do_POST(self):
                agent.post(self)

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.open_gates()
        self.close()

    # ---- gates: a test holds the agent at a point, until it lets go

    def hold(self, name):
        self.gates[name] = threading.Event()
        self.reached.clear()

    def gate(self, name):
        if name in self.gates:
            self.reached.set()
            self.gates[name].wait(60)

    def open_gates(self):
        for g in list(self.gates.values()):
            g.set()
        self.gates = {}

    # ---- requests

    def card(self):
        return {"name": "fake", "description": "", "version": "1", "skills": [], "defaultInputModes": [], "defaultOutputModes": [],
                "supportedInterfaces": [{"url": self.interface or self.url + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
                "capabilities": {"streaming": self.streaming}, **self.more_of_card}

    def get(self, h):
        self.headers.append((h.path, dict(h.headers)))
        if h.path == "/.well-known/agent-card.json":
            body = self.card_body if self.card_body is not None else json.dumps(self.card()).encode()
            h.send(self.card_status, body, headers=[("Location", self.url + "/other")] if self.card_status in (301, 302, 307, 308) else ())
        elif h.path in self.files:
            self.gate("file")
            h.send(200, self.files[h.path], "text/plain")
        else:
            h.send(404, b"{}")

    def post(self, h):
        body = json.loads(h.rfile.read(int(h.headers.get("Content-Length", 0))))
        self.headers.append((h.path, dict(h.headers)))
        with self.lock:
            self.calls.append(body["method"])
        try:
            self.reply(h, body["method"], body["params"])
        except (BrokenPipeError, ConnectionResetError, ValueError):
            h.close_connection = True

    def reply(self, h, method, params):
        if self.status != 200:
            return h.send(self.status, b'{"error":{"code":-32603,"message":"not now"}}')
        if self.raw is not None:
            return h.send(200, self.raw)
        if method in ("SendStreamingMessage", "SubscribeToTask") and self.streaming:
            h.send_response(200)
            h.send_header("Content-Type", "text/event-stream")
            h.send_header("Connection", "close")
            h.end_headers()
            h.close_connection = True
            return self.stream(h, method, params)
        result, error = self.answer(method, params)
        h.send(200, json.dumps({"jsonrpc": "2.0", "id": 1, **({"error": error} if error else {"result": result})}).encode())

    def stream(self, h, method, params):
        def say(item):
            with contextlib.suppress(OSError, ValueError):  # the work continues without its reader
                h.wfile.write(b"data: " + json.dumps({"jsonrpc": "2.0", "id": 1, "result": item}).encode() + b"\n\n")
                h.wfile.flush()
        if method == "SubscribeToTask":
            task = self.tasks.get(params["id"])
            if not task or final(task):
                h.wfile.write(b'data: {"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no"}}\n\n' % (-32004 if task else -32001))
                return
            say({"task": task})
            return self.follow(task, say)
        task, text, is_new = self.take(params)
        self.gate("taken")
        say({"task": task})
        self.gate("named")
        if is_new:
            self.work(task, text, say)
        else:
            self.follow(task, say)

    def follow(self, task, say):
        """Nothing more is said until the task has ended; the caller polls or waits."""
        seen = task["status"]["state"]
        for _ in range(600):
            if task["status"]["state"] != seen:
                seen = task["status"]["state"]
                say({"statusUpdate": {"taskId": task["id"], "contextId": task["contextId"], "status": task["status"]}})
            if final(task) or seen.endswith("_REQUIRED"):
                return
            threading.Event().wait(0.05)

    def answer(self, method, params):
        if method in ("SendMessage", "SendStreamingMessage"):
            task, text, is_new = self.take(params)
            if is_new:
                threading.Thread(target=self.work, args=(task, text, lambda item: None), daemon=True).start()
            return {"task": task}, None
        task = self.tasks.get(params["id"])
        if not task:
            return None, {"code": -32001, "message": "no such task"}
        if method == "CancelTask":
            if final(task):
                return None, {"code": -32002, "message": "it has ended"}
            set_state(task, "CANCELED")
        if method == "SubscribeToTask":
            return None, {"code": -32004, "message": "no streams"}
        self.gate("asked" if method == "GetTask" else "cancel")
        return task, None

    # ---- tasks

    def take(self, params):
        m = params["message"]
        text = " ".join(p.get("text", "") for p in m["parts"])
        with self.lock:
            if m["messageId"] in self.by_message:
                return self.by_message[m["messageId"]], text, False
            if m.get("taskId"):
                task = self.tasks[m["taskId"]]
                task["answer"] = text
            else:
                self.count += 1
                n = self.count
                task = {"id": f"remote-{n}", "contextId": f"context-{n}", "status": {"state": "TASK_STATE_SUBMITTED"}, "artifacts": [],
                        "metadata": m.get("metadata", {})}
                self.tasks[task["id"]] = task
            self.by_message[m["messageId"]] = task
            return task, text, True

    def work(self, task, text, say):
        for word, step in self.plan.items():
            if text.startswith(word) or (task.get("answer") and word == "answer"):
                return step(self, task, text, say)
        move(task, say, "WORKING")
        add(task, "echo", [{"text": "echo: " + text}])
        self.gate("done")
        move(task, say, "COMPLETED")


def final(task):
    return task["status"]["state"].removeprefix("TASK_STATE_") in ("COMPLETED", "FAILED", "CANCELED", "REJECTED")


def set_state(task, state, said=None):
    task["status"] = {"state": "TASK_STATE_" + state, **({"message": {"messageId": f"m-{task['id']}-{said}", "role": "ROLE_AGENT", "parts": [{"text": said}]}} if said else {})}


def move(task, say, state, said=None):
    set_state(task, state, said)
    say({"statusUpdate": {"taskId": task["id"], "contextId": task["contextId"], "status": task["status"]}})


def add(task, id, parts):
    task["artifacts"].append({"artifactId": id, "parts": parts})
