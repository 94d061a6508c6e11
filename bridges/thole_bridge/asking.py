"""Approvals and questions as messages.  An approval covers exactly what was shown, so it shows everything or cannot be allowed."""
from __future__ import annotations

import json
from typing import Any

from . import schema, shown
from .shared import ADDED_MAX, Shared

CODE_PARTS_MAX = 4  # messages that show what is to be allowed
UNSHOWN = "A part of this could not be shown here. It can be decided in the console."
NEXT_IS_ANSWER = "\nThe next message here is the answer."
UNSHOWN_ALL = "Something waits for a decision and could not be shown here. It can be decided in the console."


class Asking(Shared):
    def _on_action(self, event: Any, cursor: str | None = None) -> None:
        place = self._place_of(event)
        if not place or self.state.row("select n from actions where session = ? and action = ?", event["sessionId"], event["actionId"]):
            return
        is_question = schema.is_question(event["payload"])
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
        buttons = [[label, f"{n}:={i}"] for i, label in enumerate(schema.labels(payload.get("schema")))]
        may_decline = "approve" in self.channel.scopes and any(d["decision"] in ("deny", "decline") for d in payload["decisions"])
        if payload.get("actionType") == "credential":
            # A login is given where it stays secret.
            text, buttons = f"{payload['prompt']}\nFinish this login in the console or in a terminal.", []
        elif not self.state.row("select place from places where place = ? and session = ?", place, event["sessionId"]):
            text = f"Session {event['sessionId']} asks:\n{payload['prompt']}" + ("" if buttons else "\nAnswer it where the session was begun, or in the console.")
        else:
            text = payload["prompt"] + ("" if buttons else NEXT_IS_ANSWER)
        pieces = shown.divided(shown.visible(text), self.messenger.limit)
        for i, piece in enumerate(pieces[:-1]):
            self.state.send(f"question:{n}:{i}", place, "send", text=piece)
        self.state.send(f"action:{n}", place, "send", text=pieces[-1],
                        buttons=buttons + ([["Decline", f"{n}:decline"]] if may_decline else []))

    def _ask_approval(self, n: int, event: Any, place: str, code: str) -> None:
        payload = event["payload"]
        turn = self.state.row("select asker from turns where turn = ?", event.get("turnId"))
        scope = payload.get("scope") if isinstance(payload.get("scope"), dict) else payload.get("scopeDetail") or {}
        may_decide = "approve" in self.channel.scopes
        allow = next((d for d in payload["decisions"] if d["decision"] == "allow"), None)
        covers = allow.get("covers") or [] if may_decide and allow and "session" in (allow.get("scopes") or []) else []
        about = [f"Approval: {payload.get('toolName') or payload['actionType']}", f"Asked by: {turn['asker']}" if turn else f"Session: {event['sessionId']}",
                 f"Directory: {scope['cwd']}" if scope.get("cwd") else "",
                 "Without the sandbox, or with less of it." if payload["actionType"] == "escalation" else "",
                 f"Reason: {payload['reason']}" if payload.get("reason") else "",
                 *(f"In this session: {shown.covered(match)}" for match in covers)]
        text = "\n".join(shown.line(words) for words in about if words)
        # What a model wrote in several lines is shown as code: it cannot look like a line of the head.
        if not code or (payload["actionType"] == "plan" and shown.exact(payload["prompt"]) not in code):
            code = "\n".join(filter(None, (shown.exact(payload["prompt"]), code)))
        if payload.get("override"):
            code += "\n" + shown.arguments(payload["override"])
        can_allow = may_decide and allow is not None
        if not may_decide:
            text += "\nDecide it in the console or in a terminal."
        parts = self._parts(text, code)
        if len(parts) > CODE_PARTS_MAX:
            # An approval covers exactly what was shown.
            parts = [(self._shortened(text), f"{shown.units(code)} characters: too long for this chat. Look at it and allow it in the console or a terminal.")]
            can_allow = False
        buttons = [["Allow once", f"{n}:once"]] if can_allow else []
        if can_allow and covers:
            buttons.append(["Allow in this session", f"{n}:session"])
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
        number = schema.number(rest.partition(":")[0])
        with self.state.change():
            action = self.state.row("select * from outbox where key = ?", f"action:{number}") if kind in ("shown", "question", "action") and row["op"] == "send" else None
            body = json.loads(action["body"]) if action else {}
            if action and number is not None and not body.get("is_last"):
                self._forbid_allowing(number)
                body["buttons"] = [b for b in body.get("buttons") or [] if b[1].endswith((":deny", ":decline"))]
                if kind == "action":
                    body |= {"text": UNSHOWN_ALL, "code": "", "is_last": True}
                elif UNSHOWN not in (body.get("text") or ""):
                    body["text"] = "\n".join(filter(None, ((body.get("text") or "").removesuffix(NEXT_IS_ANSWER), UNSHOWN)))
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
