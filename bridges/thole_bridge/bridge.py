"""The bridge: messages become turns, answers become messages, approvals become buttons.

Four threads share one state:

    messenger ─► receive ─► inbox ─► work ─► commands of Thole
    messenger ◄─ send    ◄─ outbox ◄─ follow ◄─ events of Thole

`work` holds `self.mapping` from before a command until its result is recorded, and `follow` takes it for each
event: an event of a turn is never looked at before the bridge knows that the turn is its own.
"""
from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from typing import Any

from thole import Channel, Client, Gap, Problem, TholeError

from . import shown
from .config import Config
from .messenger import Later, Messenger, Refused, Unsure
from .state import State

WATCHED = ("action.required", "action.resolved", "turn.completed", "turn.failed", "tool.started", "run.status", "task.retrying")
PARTS_MAX = 30  # messages of one answer
CODE_PARTS_MAX = 4  # messages that show what is to be allowed
ADDED_MAX = 200  # units that may be added to an approval
UNSHOWN = "A part of this could not be shown here. It can be decided in the console."
UNSHOWN_ALL = "Something waits for a decision and could not be shown here. It can be decided in the console."
UNUSABLE = "This could not be used; the bridge's log says why."
CHANGED_LATER = ("progress:", "action:", "lost:")  # keys of messages that are edited or deleted
SAVE_EVERY = 200  # events
PAUSE_FIRST_S, PAUSE_LONGEST_S = 0.5, 60.0
GONE = ("session_not_found", "session_deleted", "gone", "thread_not_found", "session_closed")
HELP = ("Write what is to be done; the answer comes here.\n"
        "{0}new begins a new conversation, {0}stop stops what runs, {0}resume continues what a restart interrupted, "
        "{0}status tells what runs and waits.")


def log(text: str) -> None:
    print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def is_passing(why: Problem) -> bool:
    """Worth another try: the token may be replaced, and limits end."""
    return why.status in (401, 429) or why.retryable


def pause_after(why: TholeError) -> float:
    return max(PAUSE_FIRST_S, (why.retry_after_ms or 5000) / 1000 if isinstance(why, Problem) else 0)


class Bridge:
    def __init__(self, config: Config, messenger: Messenger, state: State):
        self.config, self.messenger, self.state = config, messenger, state
        self.mapping = threading.Lock()
        self.caught_up = threading.Event()  # what an earlier process left in the inbox has been worked on
        self.client = Client(config.url, token=config.token, socket=config.socket, patience_s=None, cwd=config.cwd)
        self.channel = Channel(config.url, token=config.token, socket=config.socket, patience_s=None,
                               native_protocol=messenger.name, capabilities=("permissions",),
                               channel_id=state.get("channel_id"), resume_token=state.get("resume_token"), keep=self._keep_channel)
        self.doing: dict[str, str] = {}  # by turn: what its progress message should say
        self.told: dict[str, tuple[str, float]] = {}  # by turn: what it says, and since when
        self.is_first = False  # it has never run: approvals may wait already
        self.unsaved = 0  # events since the place in the log was saved
        self.blocked: dict[str, float] = {}  # by place, "" is all: until when nothing is sent

    log = staticmethod(log)

    def _keep_channel(self, channel_id: str, resume_token: str) -> None:
        with self.state.change():
            self.state.put("channel_id", channel_id)
            self.state.put("resume_token", resume_token)

    # ---- who may ----

    def admits(self, item: dict[str, Any]) -> bool:
        """Strangers get no answer at all."""
        is_here = item["is_private"] or item["chat"] in self.config.chats or item["chat"] == self.config.approvals_chat
        return item["user"] in self.config.users and is_here

    def receive(self, items: list[dict[str, Any]], **places: str) -> None:
        self.state.receive([item for item in items if self.admits(item)], **places)

    # ---- from the messenger to Thole ----

    def work(self) -> None:
        last = self.state.row("select max(n) as n from inbox")
        last_n = (last["n"] if last else None) or 0
        while True:
            with self.state.lock:
                row = self.state.row("select * from inbox order by n limit 1")
                if not row or row["n"] > last_n:
                    self.caught_up.set()
                if not row:
                    self.state.filled.wait()
                    continue
            try:
                with self.mapping:
                    self._take(row["n"], json.loads(row["body"]), json.loads(row["prepared"] or "null"))
            except TholeError as why:
                # Nothing was recorded: the same item is worked on again.
                log(f"{row['key']}: {why}")
                time.sleep(pause_after(why))
            except sqlite3.OperationalError:
                raise  # the disk: nothing is lost when the bridge ends
            except Exception as why:
                log(f"{row['key']} is dropped: {why!r}")
                self._give_up(row)

    def _give_up(self, row: Any) -> None:
        """An item that cannot be worked on would stop everything behind it."""
        item = json.loads(row["body"])
        with self.state.change():
            if item.get("kind") != "button" and isinstance(item.get("place"), str):
                self._say(f"reply:{row['key']}", item["place"], UNUSABLE)
            self._finish(row["n"])
        if item.get("kind") == "button":
            try:
                self.messenger.pressed(item, UNUSABLE)
            except Exception as why:
                log(f"{row['key']}: {why!r}")

    def _finish(self, n: int) -> None:
        self.state.run("delete from inbox where n = ?", n)

    def _answer(self, n: int, item: dict[str, Any], text: str) -> None:
        with self.state.change():
            self._say(f"reply:{item['key']}", item["place"], text, item.get("message"))
            self._finish(n)

    def _say(self, key: str, place: str, text: str, reply_to: str | None = None) -> None:
        """Within a transaction."""
        pieces = shown.divided(shown.visible(text), self.messenger.limit)
        if len(pieces) > PARTS_MAX:
            pieces = [*pieces[:PARTS_MAX], f"{len(pieces) - PARTS_MAX} further parts are left out; Thole has the whole answer."]
        for i, piece in enumerate(pieces):
            self.state.send(f"{key}:{i}", place, "send", text=piece, reply_to=None if i else reply_to)

    def _take(self, n: int, item: dict[str, Any], prepared: Any) -> None:
        word = item.get("text", "").strip().split("@")[0].lower()
        commands = {self.messenger.mark + name: f for name, f in
                    {"new": self._new, "stop": self._stop, "resume": self._resume, "status": self._status, "help": self._help,
                     "start": self._help}.items()}
        if item["kind"] == "button" and item["data"] in ("resume", "stop"):
            self.messenger.pressed(item, "")
            (self._resume if item["data"] == "resume" else self._stop)(n, item)
        elif item["kind"] == "button":
            self._press(n, item)
        elif item["kind"] != "text" or not word:
            self._answer(n, item, "This bridge takes text only. Describe it in words, or put the file where the agent works.")
        elif word in commands:
            commands[word](n, item)
        elif question := self._question(item["place"]):
            self._answer_question(n, item, question)
        else:
            self._submit(n, item, prepared)

    def who(self, item: dict[str, Any]) -> str:
        return shown.person(self.messenger.name, item["user"], item["name"])

    def _help(self, n: int, item: dict[str, Any]) -> None:
        self._answer(n, item, HELP.format(self.messenger.mark))

    def _new(self, n: int, item: dict[str, Any]) -> None:
        with self.state.change():
            self.state.run("delete from places where place = ?", item["place"])
            self._say(f"reply:{item['key']}", item["place"], "The next message begins a new conversation.", item["message"])
            self._finish(n)

    def _stop(self, n: int, item: dict[str, Any]) -> None:
        turn = self.state.row("select * from turns where place = ? and not ended", item["place"])
        if not turn:
            self._answer(n, item, "Nothing runs here.")
            return
        try:
            self.channel.interrupt_turn(sessionId=turn["session"], onBehalfOf=self.who(item),
                                        idempotencyKey=f"{self.messenger.name}:{item['key']}")
            self._answer(n, item, "Stopping.")
        except Problem as why:
            if is_passing(why):
                raise
            self._answer(n, item, f"It could not be stopped: {why.detail}")

    def _resume(self, n: int, item: dict[str, Any]) -> None:
        here = self.state.row("select session from places where place = ?", item["place"])
        if not here:
            self._answer(n, item, "No conversation has begun here.")
            return
        try:
            reply = self.channel.resume_thread(sessionId=here["session"], idempotencyKey=f"{self.messenger.name}:{item['key']}")
            self._answer(n, item, "Continuing." if reply["status"] in ("resumed", "released") else "Nothing waits to be continued.")
        except Problem as why:
            if is_passing(why):
                raise
            self._answer(n, item, f"It could not be continued: {why.detail}")

    def _status(self, n: int, item: dict[str, Any]) -> None:
        place = item["place"]
        here = self.state.row("select session from places where place = ?", place)
        turns = self.state.rows("select turn from turns where place = ? and not ended", place)
        waits = self.state.rows("select n from actions where place = ? and not ended", place)
        self._answer(n, item, (f"Session {here['session']}. " if here else "No conversation has begun here. ")
                     + f"Turns that run or wait: {len(turns)}. Questions and approvals that wait: {len(waits)}.")

    def _prepare(self, n: int, item: dict[str, Any], is_new: bool) -> dict[str, Any]:
        """The command as it will be sent, also after a kill: a repeated key needs the same words."""
        here = None if is_new else self.state.row("select session from places where place = ?", item["place"])
        args: dict[str, Any] = {
            "input": item["text"], "delivery": "queue", "source": self.messenger.name, "onBehalfOf": self.who(item),
            "metadata": {"bridge": {"messenger": self.messenger.name, "place": item["place"], "user": item["user"], "message": item["message"]}},
            "idempotencyKey": f"{self.messenger.name}:{item['key']}" + (":new" if is_new else "")}
        if here:
            args["sessionId"] = here["session"]
        elif self.config.cwd:
            args["cwd"] = self.config.cwd
        if self.config.model:
            args["model"] = self.config.model
        with self.state.change():
            self.state.run("update inbox set prepared = ? where n = ?", json.dumps(args), n)
        return args

    def _submit(self, n: int, item: dict[str, Any], prepared: dict[str, Any] | None) -> None:
        args = prepared or self._prepare(n, item, False)
        try:
            reply = self.channel.call("submit_turn", args)
        except Problem as why:
            if why.code in GONE and "sessionId" in args:
                # The session was deleted: the conversation begins again.
                self._submit(n, item, self._prepare(n, item, True))
                return
            if is_passing(why):
                raise
            self._answer(n, item, f"This was not accepted: {why.detail}")
            return
        with self.state.change():
            self.state.run("insert or replace into places values(?, ?)", item["place"], reply["sessionId"])
            self.state.run("insert or ignore into turns(turn, session, place, task, message, asker) values(?, ?, ?, ?, ?, ?)", reply["turnId"],
                           reply["sessionId"], item["place"], reply.get("taskId"), item["message"], self.who(item))
            self.state.send(f"progress:{reply['turnId']}", item["place"], "send", is_silent=True, reply_to=item["message"],
                            text="Waiting for what runs before…" if reply["status"] == "queued" else "Working…")
            self._finish(n)

    # ---- answers to actions ----

    def _question(self, place: str) -> Any:
        """What the next message here answers: a question of the conversation itself, not one that was begun elsewhere."""
        for row in self.state.rows("select a.* from actions a join places p on p.place = a.place and p.session = a.session "
                                   "where a.place = ? and not a.ended order by a.n", place):
            payload = json.loads(row["body"])["payload"]
            # A login is given elsewhere: it takes no message.
            if payload["decisionKind"] == "answer_or_decline" and payload["actionType"] != "credential":
                return row
        return None

    @staticmethod
    def _payload(schema: Any, text: str) -> Any:
        """The object that the schema describes: a text fills its only member, everything else is written as JSON."""
        members = list((schema or {}).get("properties", {}).items())
        if len(members) == 1:
            name, kind = members[0]
            if kind.get("type", "string") == "string":
                return {name: text}
            try:
                return {name: json.loads(text.lower() if kind["type"] == "boolean" else text)}
            except (ValueError, RecursionError):
                return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {"answer": text} if not members else None
        return value if isinstance(value, dict) else None

    def _answer_question(self, n: int, item: dict[str, Any], row: Any) -> None:
        event = json.loads(row["body"])
        payload = self._payload(event["payload"].get("schema"), item["text"])
        if payload is None:
            names = ", ".join((event["payload"].get("schema") or {}).get("properties", {}))
            self._answer(n, item, f"This question has several fields. Answer with a JSON object, or in the console. Fields: {names}")
            return
        self._respond(n, item, row, {"decision": "answer", "payload": payload})

    def _respond(self, n: int, item: dict[str, Any], row: Any, answer: dict[str, Any]) -> None:
        event = json.loads(row["body"])
        args = {"sessionId": row["session"], "onBehalfOf": self.who(item), "idempotencyKey": f"{self.messenger.name}:{item['key']}"}
        self.channel.connect()
        try:
            if "approve" not in self.channel.scopes and answer["decision"] == "answer":
                self.channel.call("answer_question", args | {"taskId": event["taskId"], "answer": answer["payload"]})
            else:
                self.channel.call("respond_action", args | answer | {"actionId": row["action"]})
            said = None
        except Problem as why:
            if is_passing(why):
                raise
            said = "This was decided before." if why.code == "already_resolved" else f"Thole refused it: {why.detail}"
        if item["kind"] == "button":
            with self.state.change():
                self._finish(n)
            self.messenger.pressed(item, said or "Recorded.")
        elif said:
            self._answer(n, item, said)
        else:
            with self.state.change():
                self._finish(n)

    def _press(self, n: int, item: dict[str, Any]) -> None:
        number, _, choice = item["data"].partition(":")
        row = self.state.row("select * from actions where n = ?", _number(number) or 0)
        event = json.loads(row["body"]) if row else {}
        answer = self._answer_of(event, choice) if row else None
        said = ""
        if not row or not answer:
            said = "This button is not known any more."
        elif not self._may_press(item, row, event):
            said = "You may not decide this."
        elif event.get("isNotShown") and answer["decision"] == "allow":
            said = "This was not shown here completely. Decide it in the console."
        if said or not row or not answer:
            with self.state.change():
                self._finish(n)
            self.messenger.pressed(item, said)
            return
        self._respond(n, item, row, answer)

    @staticmethod
    def _answer_of(event: Any, choice: str) -> dict[str, Any] | None:
        """What a button of an action means; None: the action has no such button."""
        payload = event["payload"]
        if choice in ("deny", "decline"):
            return next(({"decision": d["decision"]} for d in payload["decisions"] if d["decision"] in ("deny", "decline")), None)
        if not _is_question(payload):
            return {"decision": "allow", "scope": "once"} if choice == "once" else None
        chosen, at = _choices(payload.get("schema")), _number(choice[1:])
        if not choice.startswith("=") or at is None or at >= len(chosen):
            return None
        return {"decision": "answer", "payload": {_only_member(payload["schema"]): chosen[at]}}

    def _may_press(self, item: dict[str, Any], row: Any, event: Any) -> bool:
        """A button works in the conversation that shows it.  Approvals, and questions of sessions that were begun elsewhere, are for approvers."""
        if row["place"] != item["place"]:
            return False
        is_own = self.state.row("select place from places where place = ? and session = ? union select place from turns where place = ? and session = ?",
                                row["place"], row["session"], row["place"], row["session"])
        return item["user"] in self.config.approvers or bool(is_own and _is_question(event["payload"]))

    # ---- from Thole to the messenger ----

    def follow(self) -> None:
        self.caught_up.wait()
        is_first = self.is_first
        while True:
            try:
                if is_first:
                    self._look_up_pending()
                    is_first = False
                stream = self.client.events(after=self.state.get("cursor"), types=WATCHED)
                with stream:
                    while True:
                        try:
                            event = next(stream)
                        except Gap as gap:
                            log(f"{gap}; approvals that wait are looked up")
                            self._look_up_pending()
                            continue
                        try:
                            with self.mapping:
                                self._on_event(event, stream.cursor or "")
                        except (TholeError, sqlite3.OperationalError):
                            raise
                        except Exception as why:
                            log(f"event {event.get('eventId')} is skipped: {why!r}")
                            self._skip(event, stream.cursor or "")
            except TholeError as why:
                log(f"events: {why}")
                time.sleep(pause_after(why))
            except sqlite3.OperationalError:
                raise
            except Exception as why:
                log(f"events: {why!r}")
                time.sleep(PAUSE_LONGEST_S / 10)

    def _skip(self, event: Any, cursor: str) -> None:
        """An event that cannot be worked on: its conversation learns of it, if it waits for something."""
        kind = event.get("type")
        with self.state.change():
            if kind in ("action.required", "turn.completed", "turn.failed") and (place := self._place_of(event)):
                what = "A question or an approval" if kind == "action.required" else "An answer"
                self._say(f"skipped:{event.get('eventId')}", place, f"{what} could not be shown here. It is in the console.")
            self.state.put("cursor", cursor)

    def _look_up_pending(self) -> None:
        for action in self.client.actions():
            try:
                with self.mapping:
                    self._on_action(dict(action) | {"payload": dict(action)})
            except (TholeError, sqlite3.OperationalError):
                raise
            except Exception as why:
                log(f"action {action.get('actionId')} is skipped: {why!r}")

    def _on_event(self, event: Any, cursor: str) -> None:
        kind = event["type"]
        if kind in ("turn.completed", "turn.failed"):
            self._on_end(event, cursor)
        elif kind == "action.required":
            self._on_action(event, cursor)
        elif kind == "action.resolved":
            self._on_resolved(event, cursor)
        elif kind == "run.status" and event["payload"].get("kind") == "resume_required":
            self._on_lost(event, cursor)
        elif kind == "task.retrying" and self.state.row("select turn from turns where turn = ? and not ended", event.get("turnId")):
            with self.state.change():
                self._continued(event["turnId"])
        elif kind == "tool.started" and event.get("turnId"):
            self.doing[event["turnId"]] = str(event["payload"].get("toolName", ""))
        # Events that change nothing are read again after a restart, unless there were many.
        self.unsaved += 1
        if self.unsaved >= SAVE_EVERY:
            self.unsaved = 0
            with self.state.change():
                self.state.put("cursor", cursor)

    def _output(self, ref: str | None) -> str:
        if not ref:
            return ""
        try:
            return self.client.output(ref).decode(errors="replace")
        except Problem as why:
            return f"(The text is gone: {why.detail})"

    def _on_end(self, event: Any, cursor: str) -> None:
        turn = self.state.row("select * from turns where turn = ? and not ended", event["turnId"])
        if not turn:
            return
        payload = event["payload"]
        text = self._output((event.get("refs") or {}).get("lastMessage"))
        if event["type"] == "turn.failed":
            why = " ".join(filter(None, (payload.get("message"), payload.get("remedy"))))
            said = "Stopped." if payload["outcome"] in ("interrupted", "cancelled") else f"It did not work: {why or payload['outcome']}"
            text = f"{text}\n\n{said}".strip()
        with self.state.change():
            progress = f"progress:{event['turnId']}"
            self._say(f"answer:{event['turnId']}", turn["place"], text or "Done, without a word.", turn["message"])
            self.state.run("delete from outbox where key = ? and not tried", progress)
            self.state.send(f"end:{event['turnId']}", turn["place"], "delete", of=progress)
            self._continued(event["turnId"])
            self.state.forget_old()
            self.state.run("update turns set ended = 1 where turn = ?", event["turnId"])
            self.state.put("cursor", cursor)
        self.doing.pop(event["turnId"], None)
        self.told.pop(event["turnId"], None)

    def _on_lost(self, event: Any, cursor: str) -> None:
        turn = self.state.row("select * from turns where turn = ? and not ended", event.get("turnId"))
        if not turn:
            return
        with self.state.change():
            self.state.send(f"lost:{event['turnId']}:{event['eventId']}", turn["place"], "send", reply_to=turn["message"], buttons=[["Continue", "resume"], ["Stop", "stop"]],
                            text="The runtime was restarted while it worked on this. What it did is kept.")
            self.state.put("cursor", cursor)

    def _continued(self, turn: str) -> None:
        """Within a transaction: the question whether it should be continued is settled."""
        key = f"lost:{turn}:%"
        self.state.run("delete from outbox where key like ? and not tried", key)
        for row in self.state.rows("select key, place from messages where key like ? union select key, place from outbox where key like ?", key, key):
            self.state.send(f"gone:{row['key']}", row["place"], "delete", of=row["key"])

    def _place_of(self, event: Any) -> str | None:
        for query, value in (("select place from turns where turn = ?", event.get("turnId")),
                             ("select place from places where session = ?", event["sessionId"])):
            if found := self.state.row(query, value):
                return str(found["place"])
        return self.config.approvals_chat

    def _on_action(self, event: Any, cursor: str | None = None) -> None:
        place = self._place_of(event)
        if not place or self.state.row("select n from actions where session = ? and action = ?", event["sessionId"], event["actionId"]):
            return
        is_question = _is_question(event["payload"])
        given = None if is_question else self.client.input_of(event)
        if not self.channel.scopes:
            self.channel.connect()
        with self.state.change():
            n = self.state.run("insert into actions(session, action, place, body) values(?, ?, ?, ?)", event["sessionId"],
                               event["actionId"], place, json.dumps(event))
            if is_question:
                self._ask(n, event, place)
            else:
                self._ask_approval(n, event, place, shown.arguments(given))
            if cursor:
                self.state.put("cursor", cursor)

    def _ask(self, n: int, event: Any, place: str) -> None:
        payload = event["payload"]
        buttons = [[label, f"{n}:={i}"] for i, label in enumerate(_labels(payload.get("schema")))]
        may_decline = "approve" in self.channel.scopes and any(d["decision"] in ("deny", "decline") for d in payload["decisions"])
        if payload.get("actionType") == "credential":
            # A login is given where it stays secret.
            text, buttons = f"{payload['prompt']}\nFinish this login in the console or in a terminal.", []
        elif not self.state.row("select place from places where place = ? and session = ?", place, event["sessionId"]):
            text = f"Session {event['sessionId']} asks:\n{payload['prompt']}" + ("" if buttons else "\nAnswer it where the session was begun, or in the console.")
        else:
            text = payload["prompt"] + ("" if buttons else "\nThe next message here is the answer.")
        pieces = shown.divided(shown.visible(text), self.messenger.limit)
        for i, piece in enumerate(pieces[:-1]):
            self.state.send(f"question:{n}:{i}", place, "send", text=piece)
        self.state.send(f"action:{n}", place, "send", text=pieces[-1],
                        buttons=buttons + ([["Decline", f"{n}:decline"]] if may_decline else []))

    def _ask_approval(self, n: int, event: Any, place: str, code: str) -> None:
        payload = event["payload"]
        turn = self.state.row("select asker from turns where turn = ?", event.get("turnId"))
        scope = payload.get("scope") if isinstance(payload.get("scope"), dict) else payload.get("scopeDetail") or {}
        about = [f"Approval: {payload.get('toolName') or payload['actionType']}", f"Asked by: {turn['asker']}" if turn else f"Session: {event['sessionId']}",
                 f"Directory: {scope['cwd']}" if scope.get("cwd") else "",
                 "Without the sandbox, or with less of it." if payload["actionType"] == "escalation" else "",
                 f"Reason: {payload['reason']}" if payload.get("reason") else "",
                 payload["prompt"] if not code or (payload["actionType"] == "plan" and shown.exact(payload["prompt"]) not in code) else ""]
        text = shown.exact("\n".join(filter(None, about)))
        if payload.get("override"):
            code += "\n" + shown.arguments(payload["override"])
        may_decide = "approve" in self.channel.scopes
        can_allow = may_decide and any(d["decision"] == "allow" for d in payload["decisions"])
        if not may_decide:
            text += "\nDecide it in the console or in a terminal."
        parts = self._parts(text, code)
        if len(parts) > CODE_PARTS_MAX:
            # An approval covers exactly what was shown.
            parts = [(self._shortened(text), f"{shown.units(code)} characters: too long for this chat. Look at it and allow it in the console or a terminal.")]
            can_allow = False
        # Thole does not tell beforehand what a grant for the session would cover: none is offered here.
        buttons = [["Allow once", f"{n}:once"]] if can_allow else []
        if may_decide:
            buttons.append(["Deny", f"{n}:deny"])
        if not can_allow:
            self._forbid_allowing(n)
        for i, (head, piece) in enumerate(parts[:-1]):
            self.state.send(f"shown:{n}:{i}", place, "send", text=head, code=piece)
        self.state.send(f"action:{n}", place, "send", text=parts[-1][0], code=parts[-1][1], buttons=buttons)

    def _parts(self, text: str, code: str) -> list[tuple[str, str]]:
        """Text and code of each message; together they are everything.  A line can be added to each."""
        room = self.messenger.limit - ADDED_MAX
        if not code:
            return [(piece, "") for piece in shown.divided(text, room)]
        if shown.units(text) > room // 2:
            return [(piece, "") for piece in shown.divided(text, room)] + [("", piece) for piece in shown.divided(code, room)]
        first, *_ = shown.divided(code, room - shown.units(text) - 1)
        rest = code[len(first):]
        return [(text, first)] + [("", piece) for piece in (shown.divided(rest, room) if rest else [])]

    def _shortened(self, text: str) -> str:
        first, *rest = shown.divided(text, self.messenger.limit // 2)
        return first + ("… (The rest of this is in the console.)" if rest else "")

    def _forbid_allowing(self, n: int) -> None:
        """Within a transaction: it cannot be allowed here, whatever a button says."""
        row = self.state.row("select body from actions where n = ?", n)
        if row:
            self.state.run("update actions set body = ? where n = ?", json.dumps(json.loads(row["body"]) | {"isNotShown": True}), n)

    def _drop(self, row: Any) -> None:
        """A message that cannot be sent.  What it was to show was not shown, so it cannot be allowed here."""
        kind, _, rest = row["key"].partition(":")
        number = _number(rest.partition(":")[0])
        with self.state.change():
            action = self.state.row("select * from outbox where key = ?", f"action:{number}") if kind in ("shown", "action") and row["op"] == "send" else None
            body = json.loads(action["body"]) if action else {}
            if action and number is not None and not body.get("is_last"):
                self._forbid_allowing(number)
                body["buttons"] = [b for b in body.get("buttons") or [] if b[1].endswith((":deny", ":decline"))]
                if kind == "action":
                    body |= {"text": UNSHOWN_ALL, "code": "", "is_last": True}
                elif UNSHOWN not in (body.get("text") or ""):
                    body["text"] = "\n".join(filter(None, (body.get("text"), UNSHOWN)))
                self.state.run("update outbox set body = ?, tried = 0 where n = ?", json.dumps(body), action["n"])
            if kind != "action" or not action or row["n"] != action["n"] or json.loads(row["body"]).get("is_last"):
                self.state.run("delete from outbox where n = ?", row["n"])

    def _on_resolved(self, event: Any, cursor: str) -> None:
        row = self.state.row("select * from actions where session = ? and action = ? and not ended", event["sessionId"], event["actionId"])
        if not row:
            return
        payload = event["payload"]
        by = payload.get("decidedBy") or {}
        words = {"allow": "Allowed", "deny": "Denied", "answer": "Answered", "decline": "Declined", "cancel": "Withdrawn"}
        said = words.get(payload["decision"], payload["decision"])
        if payload.get("scope") and payload["decision"] == "allow":
            said += f" ({payload['scope']})"
        who, name = by.get("principal"), by.get("onBehalfOf")
        if name:
            # Other clients may name anyone.
            who = name if who == self.channel.principal else f"{who} for {name}"
        said += f" by {who}." if who else "."
        with self.state.change():
            self.state.run("update actions set ended = 1 where n = ?", row["n"])
            self.state.send(f"resolved:{row['n']}", row["place"], "edit", of=f"action:{row['n']}", added=shown.divided(shown.exact(said), ADDED_MAX - 1)[0])
            self.state.put("cursor", cursor)

    # ---- sending ----

    def send(self) -> None:
        # A kill while a message was being sent leaves it in doubt.
        pause = PAUSE_FIRST_S
        while True:
            row = self._next_row()
            if not row:
                continue
            try:
                self._send_row(row)
                pause = PAUSE_FIRST_S
            except Later as why:
                self.blocked[row["place"]] = time.monotonic() + why.seconds
            except Unsure as why:
                log(f"{row['key']}: {why}")
                self.blocked[""] = time.monotonic() + pause
                pause = min(pause * 2, PAUSE_LONGEST_S)
            except Refused as why:
                log(f"{row['key']}: {self.messenger.name} refused it: {why}")
                self._drop(row)
            except sqlite3.OperationalError:
                raise  # the disk: nothing is lost when the bridge ends
            except Exception as why:
                log(f"{row['key']} is dropped: {why!r}")
                self._drop(row)

    def _next_row(self) -> Any:
        """The next message whose conversation may be written to; waits, and keeps progress up to date, if there is none."""
        now = time.monotonic()
        with self.state.lock:
            self.blocked = {place: until for place, until in self.blocked.items() if until > now}
            if "" not in self.blocked:
                for row in self.state.rows("select * from outbox where n in (select min(n) from outbox group by place) order by n"):
                    if row["place"] not in self.blocked:
                        return row
            if not self.doing or "" in self.blocked:
                next_s = min(self.blocked.values(), default=now + 60) - now
                self.state.filled.wait(max(next_s, 0.01) if not self.doing else min(max(next_s, 0.01), 1))
                return None
        if not self._show_progress():
            with self.state.lock:
                self.state.filled.wait(max(0.05, min(1.0, self.config.progress_s)))
        return None

    def _show_progress(self) -> bool:
        for turn, tool in list(self.doing.items()):
            message = self.state.row("select * from messages where key = ?", f"progress:{turn}")
            told, at = self.told.get(turn, ("", 0.0))
            if not self.state.row("select turn from turns where turn = ? and not ended", turn):
                self.doing.pop(turn, None)
            elif message and tool != told and time.monotonic() - at >= self.config.progress_s and message["place"] not in self.blocked:
                self.told[turn] = (tool, time.monotonic())
                try:
                    self.messenger.edit(message["place"], message["remote"], {"text": shown.visible(f"Working… ({tool})")})
                except Later as why:
                    self.blocked[message["place"]] = time.monotonic() + why.seconds
                except (Unsure, Refused) as why:
                    log(f"progress: {why}")
                return True
        return False

    def _send_row(self, row: Any) -> None:
        body = json.loads(row["body"])
        remote = None
        if row["op"] == "send":
            remote = self._sent(row, body)
        elif found := self.state.row("select * from messages where key = ?", body["of"]):
            if row["op"] == "delete":
                self.messenger.delete(found["place"], found["remote"])
            else:
                self.messenger.edit(found["place"], found["remote"], self._with(body["of"], body["added"]))
        with self.state.change():
            if remote:
                self.messenger.note(self.state, row["place"], remote)
            if remote and row["key"].startswith(CHANGED_LATER):
                self.state.run("insert or replace into messages values(?, ?, ?)", row["key"], row["place"], remote)
                if row["key"].startswith("action:"):
                    self.state.put(f"text:{row['key']}", row["body"])
            if row["op"] == "edit":
                self.state.run("delete from kept where name = ?", f"text:{body['of']}")
            self.state.run("delete from outbox where n = ?", row["n"])
            if row["op"] == "delete":
                self.state.run("delete from messages where key = ?", body["of"])

    def _with(self, key: str, added: str) -> dict[str, Any]:
        """A message about an action as it is when that has been decided: without buttons."""
        before = json.loads(self.state.get(f"text:{key}") or "{}")
        return {"text": "\n".join(filter(None, (before.get("text"), added))), "code": before.get("code")}

    def _sent(self, row: Any, body: dict[str, Any]) -> str:
        if row["tried"]:
            if found := self.messenger.find(row["place"], row["key"], body, row["floor"]):
                return found
        with self.state.change():
            self.state.run("update outbox set tried = 1, floor = ? where n = ?", self.messenger.floor(self.state, row["place"]), row["n"])
        try:
            return self.messenger.send(row["place"], row["key"], body)
        except (Later, Refused):
            with self.state.change():
                self.state.run("update outbox set tried = 0 where n = ?", row["n"])
            raise

    # ---- all of it ----

    def run(self) -> None:
        """Returns when one of the threads has ended, which only a defect causes."""
        self.channel.connect()
        log(f"connected as {self.channel.principal}, channel {self.channel.channel_id}, scopes {' '.join(self.channel.scopes)}")
        self.is_first = self.state.get("cursor") is None
        if self.is_first:
            with self.client.events(after="end", follow=False) as stream:
                for _ in stream:
                    pass
                with self.state.change():
                    self.state.put("cursor", stream.cursor or "")
        ended = threading.Event()

        def guarded(work: Any) -> None:
            try:
                work()
            finally:
                ended.set()

        for work in (self.work, self.follow, self.send, lambda: self.messenger.receive(self)):
            threading.Thread(target=guarded, args=(work,), daemon=True).start()
        ended.wait()


def _number(text: str) -> int | None:
    """A number of a button: what SQLite can hold."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def _is_question(payload: Any) -> bool:
    return payload["decisionKind"] in ("answer_or_decline", "provide_or_decline")


def _only_member(schema: Any) -> str:
    return next(iter((schema or {}).get("properties", {})), "answer")


def _choices(schema: Any) -> list[Any]:
    """The values that the only member of a schema may have."""
    members = list((schema or {}).get("properties", {}).values())
    if len(members) != 1:
        return []
    if members[0].get("type") == "boolean":
        return [True, False]
    values = members[0].get("enum", [])
    return values if len(values) <= 8 else []


def _labels(schema: Any) -> list[str]:
    return [{True: "Yes", False: "No"}.get(v, str(v)) if isinstance(v, bool) else shown.visible(str(v))[:60] for v in _choices(schema)]
