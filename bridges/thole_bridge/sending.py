"""Sending: the messages of the outbox, one after the other in each conversation, and what runs at the moment."""
from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

from . import shown
from .asking import Asking
from .messenger import Later, Refused, Unsure
from .shared import PAUSE_FIRST_S, PAUSE_LONGEST_S, log

CHANGED_LATER = ("progress:", "action:", "lost:")  # keys of messages that are edited or deleted


class Sending(Asking):
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
