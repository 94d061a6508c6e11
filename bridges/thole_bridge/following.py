"""From Thole to the messenger: events become messages."""
from __future__ import annotations

import sqlite3
import time
from typing import Any

from thole import Gap, Problem, TholeError

from .asking import Asking
from .shared import PAUSE_LONGEST_S, log, pause_after

WATCHED = ("action.required", "action.resolved", "turn.completed", "turn.failed", "tool.started", "run.status", "task.retrying")
SAVE_EVERY = 200  # events


class Following(Asking):
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
