#!/usr/bin/env python3
"""A server that answers as Telegram's Bot API does, with faults on request.

usage: fake_telegram.py TOKEN     prints its port

POST /bot<TOKEN>/METHOD follows the public documentation: replies, descriptions of errors, the limit of 4096 units, one long
poll at a time, ids of messages that count over all private chats.  POST /control/NAME is for tests.
"""
import http.server
import json
import os
import signal
import sys
import threading
import time

TOKEN = sys.argv[1]
BOT = {"id": 4711, "is_bot": True, "first_name": "Thole", "username": "thole_bot"}
lock = threading.Condition()
state = {"updates": [], "update_id": 100, "message_id": {}, "messages": {}, "calls": [], "faults": [], "pressed": [], "polls": 0}


class Bad(Exception):
    def __init__(self, code, text, **more):
        super().__init__(text)
        self.code, self.body = code, {"ok": False, "error_code": code, "description": text, **more}


def units(text):
    return len(text.encode("utf-16-le")) // 2


def next_id(chat):
    counter = chat if str(chat).startswith("-100") else "private"
    state["message_id"][counter] = state["message_id"].get(counter, 500) + 1
    return state["message_id"][counter]


def content(args):
    text = args.get("text")
    if not isinstance(text, str) or not text.strip():
        raise Bad(400, "Bad Request: message text is empty")
    if units(text) > 4096:
        raise Bad(400, "Bad Request: message is too long")
    for e in args.get("entities", []):
        if e["offset"] < 0 or e["offset"] + e["length"] > units(text) or e["length"] < 1:
            raise Bad(400, "Bad Request: entity is out of the text")
    keyboard = (args.get("reply_markup") or {}).get("inline_keyboard", [])
    for row in keyboard:
        for button in row:
            if not 1 <= len(button["callback_data"].encode()) <= 64:
                raise Bad(400, "Bad Request: BUTTON_DATA_INVALID")
    return {"text": text, "entities": args.get("entities", []), "keyboard": keyboard}


def of_bot(args):
    m = state["messages"].get(f"{args['chat_id']}:{args['message_id']}")
    if not m or m.get("deleted"):
        raise Bad(400, "Bad Request: message to edit not found")
    if not m["from_bot"]:
        raise Bad(400, "Bad Request: message can't be edited")
    return m


def send_message(args):
    chat = args["chat_id"]
    if chat == 403403:
        raise Bad(403, "Forbidden: bot was blocked by the user")
    made = content(args)
    n = next_id(chat)
    state["messages"][f"{chat}:{n}"] = made | {"chat": chat, "id": n, "from_bot": True, "edits": 0, "thread": args.get("message_thread_id"),
                                               "reply_to": (args.get("reply_parameters") or {}).get("message_id"), "silent": bool(args.get("disable_notification"))}
    return {"message_id": n, "from": BOT, "chat": {"id": chat, "type": "private" if chat > 0 else "supergroup"}, "date": int(time.time()), "text": made["text"]}


def edit_message_text(args):
    m = of_bot(args)
    made = content(args)
    if all(m[k] == made[k] for k in made):
        raise Bad(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current "
                       "content and reply markup of the message")
    m.update(made, edits=m["edits"] + 1)
    return {"message_id": m["id"]}


def delete_message(args):
    m = state["messages"].get(f"{args['chat_id']}:{args['message_id']}")
    if not m or m.get("deleted"):
        raise Bad(400, "Bad Request: message to delete not found")
    m["deleted"] = True
    return True


def get_updates(args):
    state["polls"] += 1
    mine = state["polls"]
    end = time.monotonic() + min(args.get("timeout", 0), 2)
    while True:
        if mine != state["polls"]:
            raise Bad(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
        # Updates below the offset are forgotten: they are confirmed.
        state["updates"] = [u for u in state["updates"] if u["update_id"] >= args.get("offset", 0)]
        if state["updates"] or time.monotonic() > end:
            return state["updates"][:100]
        lock.wait(max(0, end - time.monotonic()) + 0.01)


def answer_callback_query(args):
    state["pressed"].append(args)
    return True


METHODS = {"sendMessage": send_message, "editMessageText": edit_message_text, "deleteMessage": delete_message, "getUpdates": get_updates,
           "answerCallbackQuery": answer_callback_query}


def push(args):
    """A message of a user, a button that is pressed, or any update."""
    state["update_id"] += 1
    update = {"update_id": args.get("update_id", state["update_id"])}
    if "raw" in args:
        update |= args["raw"]
    else:
        chat, user = args["chat"], {"id": args["user"], "is_bot": False, "first_name": args.get("name", "Ann")}
        where = {"id": chat, "type": "private" if chat > 0 else "supergroup"}
        if "data" in args:
            update["callback_query"] = {"id": f"cb{update['update_id']}", "from": user, "chat_instance": "1", "data": args["data"],
                                        "message": {"message_id": args["message"], "chat": where, "date": 1}}
        else:
            n = next_id(chat)
            state["messages"][f"{chat}:{n}"] = {"chat": chat, "id": n, "from_bot": False, "text": args.get("text", "")}
            update["message"] = {"message_id": n, "from": user, "chat": where, "date": int(time.time())} | args.get("more", {})
            if "text" in args:
                update["message"]["text"] = args["text"]
    state["updates"].append(update)
    if args.get("twice"):
        state["updates"].append(update)
    lock.notify_all()
    return update


def fault(args):
    """The next `times` calls of `method`: kind error (code), odd (done, and the reply is empty), drop or kill (pid), _before or _after it was done."""
    state["faults"] += [args] * args.get("times", 1)
    return True


CONTROL = {"push": push, "fault": fault, "state": lambda args: {k: state[k] for k in ("messages", "calls", "pressed", "faults")},
           "many": lambda args: [push(a)["update_id"] for a in args["all"]]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body):
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        kind, _, name = self.path.strip("/").partition("/")
        with lock:
            if kind == "control":
                self.reply(200, CONTROL[name](args))
                return
            if kind != f"bot{TOKEN}":
                self.reply(401, {"ok": False, "error_code": 401, "description": "Unauthorized"})
                return
            state["calls"].append([name, args])
            found = next((f for f in state["faults"] if f["method"] == name), None)
            if found:
                state["faults"].remove(found)
            if found and found["kind"] == "kill_before":
                os.kill(found["pid"], signal.SIGKILL)
            if found and found["kind"] in ("drop_before", "kill_before"):
                self.close_connection = True
                self.connection.shutdown(2)
                return
            if found and found["kind"] == "error":
                more = {"parameters": {"retry_after": found["retry_after"]}} if "retry_after" in found else {}
                self.reply(found["code"], {"ok": False, "error_code": found["code"], "description": found.get("text", "fault"), **more})
                return
            try:
                result = METHODS[name](args)
            except Bad as bad:
                self.reply(bad.code, bad.body)
                return
            if found and found["kind"] == "kill_after":
                os.kill(found["pid"], signal.SIGKILL)
            if found and found["kind"] in ("drop_after", "kill_after"):
                self.close_connection = True
                self.connection.shutdown(2)
                return
        self.reply(200, {"ok": True, "result": {} if found and found["kind"] == "odd" else result})

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
