#!/usr/bin/env python3
"""A server that answers as Slack's Web API and Socket Mode do, with faults on request.

usage: fake_slack.py TOKEN     prints its port; the token of the app is app-TOKEN

POST /api/METHOD follows the public documentation: which methods take a form and which JSON, errors with status 200, Retry-After,
limits of blocks.  GET /link is the WebSocket of Socket Mode: an envelope without an acknowledgement is sent again, on the next
connection too.  POST /control/NAME is for tests.
"""
import base64
import hashlib
import http.server
import json
import os
import signal
import struct
import sys
import threading
import urllib.parse

TOKEN = sys.argv[1]
BOT = "UBOT"
FORMS = ("auth.test", "apps.connections.open", "users.info", "conversations.history", "conversations.replies")
lock = threading.Condition()
state = {"messages": [], "envelopes": [], "acked": [], "calls": [], "faults": [], "ephemeral": [], "clock": 1700000000, "links": 0, "link": 0, "mute": False}


class Bad(Exception):
    pass


def next_ts():
    state["clock"] += 1
    return f"{state['clock']}.000100"


def checked(args):
    if not args.get("text") and not args.get("blocks"):
        raise Bad("no_text")
    if len(args.get("text", "")) > 40000:
        raise Bad("msg_too_long")
    if len(args.get("blocks", [])) > 50:
        raise Bad("invalid_blocks")
    for block in args.get("blocks", []):
        if block["type"] == "section" and not 1 <= len(block["text"]["text"]) <= 3000:
            raise Bad("invalid_blocks")
        if block["type"] == "actions":
            if len({e["action_id"] for e in block["elements"]}) != len(block["elements"]) or len(block["elements"]) > 25:
                raise Bad("invalid_blocks")
            for e in block["elements"]:
                if len(e["text"]["text"]) > 75 or len(e["value"]) > 2000:
                    raise Bad("invalid_blocks")
    return {"text": args.get("text", ""), "blocks": args.get("blocks", [])}


def find(args):
    for m in state["messages"]:
        if m["channel"] == args["channel"] and m["ts"] == args["ts"] and not m.get("deleted"):
            return m
    raise Bad("message_not_found")


def post(args):
    if args["channel"] == "DGONE":
        raise Bad("channel_not_found")
    ts = next_ts()
    state["messages"].append(checked(args) | {"channel": args["channel"], "ts": ts, "thread_ts": args.get("thread_ts"), "bot_id": "B1", "user": BOT,
                                              "metadata": args.get("metadata"), "edits": 0, "mrkdwn": args.get("mrkdwn"), "unfurl": args.get("unfurl_links")})
    return {"channel": args["channel"], "ts": ts}


def update(args):
    m = find(args)
    if not m.get("bot_id"):
        raise Bad("cant_update_message")
    m.update(checked(args), edits=m["edits"] + 1)
    return {"ts": m["ts"]}


def delete(args):
    m = find(args)
    if not m.get("bot_id"):
        raise Bad("cant_delete_message")
    m["deleted"] = True
    return {}


def page(args, wanted):
    # A cursor is a place, not a count: messages may be deleted between two pages.
    after = max(float(args.get("oldest", 0)), float(args.get("cursor") or 0))
    found = [m for m in state["messages"] if m["channel"] == args["channel"] and not m.get("deleted") and wanted(m) and float(m["ts"]) > after]
    limit = min(int(args.get("limit", 100)), 3)  # small pages: the cursor has to be followed
    more = {"response_metadata": {"next_cursor": found[limit - 1]["ts"]}} if limit < len(found) else {}
    shown = [m if args.get("include_all_metadata") == "true" else {k: v for k, v in m.items() if k != "metadata"} for m in found[:limit]]
    return {"messages": [{k: v for k, v in m.items() if v is not None and k != "channel"} for m in shown]} | more


METHODS = {
    "auth.test": lambda args: {"user_id": BOT},
    "apps.connections.open": lambda args: {"url": f"ws://127.0.0.1:{server.server_address[1]}/link"},
    "users.info": lambda args: {"user": {"id": args["user"], "name": args["user"].lower(), "real_name": {"U11": "Ann", "U22": "Bob"}.get(args["user"], "Eve")}},
    "conversations.history": lambda args: page(args, lambda m: not m.get("thread_ts") or m["thread_ts"] == m["ts"]),
    "conversations.replies": lambda args: page(args, lambda m: args["ts"] in (m.get("thread_ts"), m["ts"])),
    "chat.postMessage": post, "chat.update": update, "chat.delete": delete,
    "chat.postEphemeral": lambda args: state["ephemeral"].append(args) or {},
}


def push(args):
    """A message, or a button that is pressed.  `lost`: no envelope is made, as when nothing is connected for long."""
    if "raw" in args:
        state["envelopes"].append({"envelope_id": f"raw{len(state['envelopes'])}", **args["raw"]})
        lock.notify_all()
        return None
    if "value" in args:
        m = next(m for m in state["messages"] if m["ts"] == args["ts"])
        payload = {"type": "block_actions", "user": {"id": args["user"], "name": "x"}, "channel": {"id": args["channel"]},
                   "message": {"ts": m["ts"], **({"thread_ts": m["thread_ts"]} if m.get("thread_ts") else {})},
                   "actions": [{"action_id": "thole0", "value": args["value"], "action_ts": next_ts()}]}
        kind = "interactive"
    else:
        event = {"type": "message", "channel": args["channel"], "user": args["user"], "text": args.get("text", ""), "ts": next_ts()} | args.get("more", {})
        state["messages"].append({"bot_id": None, "thread_ts": None} | event)
        payload, kind = {"type": "event_callback", "event_id": f"Ev{state['clock']}", "event": event}, "events_api"
    if not args.get("lost"):
        for _ in range(2 if args.get("twice") else 1):
            state["envelopes"].append({"envelope_id": f"env{len(state['envelopes'])}-{state['clock']}", "type": kind, "payload": payload, "accepts_response_payload": False})
    lock.notify_all()
    return payload.get("event", {}).get("ts")


def fault(args):
    state["faults"] += [args] * args.get("times", 1)
    return True


def drop_link(args):
    """Ends the WebSocket: politely, with a disconnect message, or by closing it."""
    state["links"] += 1
    state["mute"] = bool(args.get("mute"))
    lock.notify_all()
    return True


CONTROL = {"push": push, "fault": fault, "drop": drop_link,
           "state": lambda args: {k: state[k] for k in ("messages", "calls", "acked", "ephemeral", "faults", "link")}}


def frame(text):
    data = text.encode()
    size = bytes([len(data)]) if len(data) < 126 else struct.pack("!BH", 126, len(data)) if len(data) < 65536 else struct.pack("!BQ", 127, len(data))
    return b"\x81" + size + data


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind, _, name = self.path.strip("/").partition("/")
        with lock:
            if kind == "control":
                self.reply(200, CONTROL[name](json.loads(raw or b"{}")))
                return
            if self.headers.get("Authorization") != "Bearer " + ("app-" + TOKEN if name == "apps.connections.open" else TOKEN):
                self.reply(200, {"ok": False, "error": "invalid_auth"})
                return
            is_form = self.headers["Content-Type"].startswith("application/x-www-form-urlencoded")
            if is_form != (name in FORMS):
                self.reply(200, {"ok": False, "error": "invalid_form_data"})
                return
            args = {k: v[0] for k, v in urllib.parse.parse_qs(raw.decode()).items()} if is_form else json.loads(raw)
            state["calls"].append([name, args])
            found = next((f for f in state["faults"] if f["method"] == name), None)
            if found:
                state["faults"].remove(found)
            if found and found["kind"] == "kill_before":
                os.kill(found["pid"], signal.SIGKILL)
            if found and found["kind"] in ("drop_before", "kill_before"):
                self.drop()
                return
            if found and found["kind"] == "error":
                self.reply(found["code"], found.get("body", {"ok": False, "error": "ratelimited"}), **({"Retry_After": found.get("retry_after", 1)} if found["code"] == 429 else {}))
                return
            try:
                result = METHODS[name](args)
            except Bad as bad:
                self.reply(200, {"ok": False, "error": str(bad)})
                return
            if found and found["kind"] == "kill_after":
                os.kill(found["pid"], signal.SIGKILL)
            if found and found["kind"] in ("drop_after", "kill_after"):
                self.drop()
                return
        self.reply(200, {"ok": True, **result})

    def do_GET(self):
        key = self.headers["Sec-WebSocket-Key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                         + base64.b64encode(hashlib.sha1(key).digest()) + b"\r\n\r\n")
        self.close_connection = True
        with lock:
            state["links"] += 1
            mine = state["link"] = state["links"]
        threading.Thread(target=self.acks, daemon=True).start()
        self.connection.sendall(frame(json.dumps({"type": "hello", "num_connections": 1})))
        self.connection.sendall(b"\x89\x00")
        sent = set()
        while True:
            with lock:
                todo = [e for e in state["envelopes"] if e["envelope_id"] not in sent and e["envelope_id"] not in state["acked"]]
                if not todo and mine == state["links"]:
                    lock.wait(5)
                    self.connection.sendall(b"\x89\x00")
                    continue
                is_over, is_mute = mine != state["links"], state["mute"]
            if is_over:
                if not is_mute:
                    self.connection.sendall(frame(json.dumps({"type": "disconnect", "reason": "refresh_requested"})))
                self.connection.shutdown(2)
                return
            for e in todo:
                sent.add(e["envelope_id"])
                self.connection.sendall(frame(json.dumps(e)))

    def acks(self):
        """Frames of a client are masked."""
        try:
            while True:
                head = self.rfile.read(2)
                if len(head) < 2:
                    break
                size = head[1] & 0x7F
                if size == 126:
                    size, = struct.unpack("!H", self.rfile.read(2))
                mask = self.rfile.read(4)
                data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size)))
                if head[0] & 0xF == 1:
                    with lock:
                        state["acked"].append(json.loads(data)["envelope_id"])
                        lock.notify_all()
        except (OSError, ValueError, struct.error):
            pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
