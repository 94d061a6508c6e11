"""From the messenger to Thole: who may write, commands of the bridge, and messages that become turns."""
from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

from thole import Problem, TholeError

from .deciding import Deciding
from .shared import is_passing, log, pause_after

UNUSABLE = "This could not be used; the bridge's log says why."
GONE = ("session_not_found", "session_deleted", "gone", "thread_not_found", "session_closed")
HELP = ("Write what is to be done; the answer comes here.\n"
        "{0}new begins a new conversation, {0}stop stops what runs, {0}resume continues what a restart interrupted, "
        "{0}status tells what runs and waits.")


class Receiving(Deciding):
    def admits(self, item: dict[str, Any]) -> bool:
        """Strangers get no answer at all."""
        is_here = item["is_private"] or item["chat"] in self.config.chats or item["chat"] == self.config.approvals_chat
        return item["user"] in self.config.users and is_here

    def receive(self, items: list[dict[str, Any]], **places: str) -> None:
        self.state.receive([item for item in items if self.admits(item)], **places)

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
