"""Decisions and answers of people: the buttons that they press, and messages that answer a question."""
from __future__ import annotations

import json
from typing import Any

from thole import Problem

from . import schema
from .shared import Shared, is_passing


class Deciding(Shared):
    def _finish(self, n: int) -> None:
        self.state.run("delete from inbox where n = ?", n)

    def _answer(self, n: int, item: dict[str, Any], text: str) -> None:
        with self.state.change():
            self._say(f"reply:{item['key']}", item["place"], text, item.get("message"))
            self._finish(n)

    def _question(self, place: str) -> Any:
        """What the next message here answers: a question of the conversation itself, not one that was begun elsewhere."""
        for row in self.state.rows("select a.* from actions a join places p on p.place = a.place and p.session = a.session "
                                   "where a.place = ? and not a.ended order by a.n", place):
            event = json.loads(row["body"])
            payload = event["payload"]
            # A login is given elsewhere, and what was not shown completely is answered elsewhere: they take no message.
            if not event.get("isNotShown") and payload["decisionKind"] == "answer_or_decline" and payload["actionType"] != "credential":
                return row
        return None

    def _answer_question(self, n: int, item: dict[str, Any], row: Any) -> None:
        event = json.loads(row["body"])
        payload = schema.payload(event["payload"].get("schema"), item["text"])
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
        row = self.state.row("select * from actions where n = ?", schema.number(number) or 0)
        event = json.loads(row["body"]) if row else {}
        answer = self._answer_of(event, choice) if row else None
        said = ""
        if not row or not answer:
            said = "This button is not known any more."
        elif not self._may_press(item, row, event):
            said = "You may not decide this."
        elif event.get("isNotShown") and answer["decision"] in ("allow", "answer"):
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
        if not schema.is_question(payload):
            return {"decision": "allow", "scope": choice} if choice == "once" or (choice == "session" and _covers_session(payload)) else None
        chosen, at = schema.choices(payload.get("schema")), schema.number(choice[1:])
        if not choice.startswith("=") or at is None or at >= len(chosen):
            return None
        return {"decision": "answer", "payload": {schema.only_member(payload["schema"]): chosen[at]}}

    def _may_press(self, item: dict[str, Any], row: Any, event: Any) -> bool:
        """A button works in the conversation that shows it.  Approvals, and questions of sessions that were begun elsewhere, are for approvers."""
        if row["place"] != item["place"]:
            return False
        is_own = self.state.row("select place from places where place = ? and session = ? union select place from turns where place = ? and session = ?",
                                row["place"], row["session"], row["place"], row["session"])
        return item["user"] in self.config.approvers or bool(is_own and schema.is_question(event["payload"]))


def _covers_session(payload: Any) -> bool:
    """A grant for the session is given only where it was said what it covers."""
    return any(d["decision"] == "allow" and "session" in (d.get("scopes") or []) and d.get("covers") for d in payload["decisions"])
