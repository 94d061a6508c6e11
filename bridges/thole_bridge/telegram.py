"""Telegram, by the Bot API with long polling: no address has to be reachable from outside.

Texts are sent with entities and without a parse mode, so nothing in them is markup.  Previews of
links are off: fetching one would tell a server what the agent wrote.
"""
from __future__ import annotations

import sqlite3
import time
from typing import Any

from . import shown, web
from .config import Config, Mistake, secret
from .messenger import Later, Refused, Unsure
from .state import State

KEYS = {"token_env", "token_file", "api"}
API = "https://api.telegram.org"
POLL_S = 50
PROBES = 40  # ids that a message in doubt may have
BUTTONS_IN_ROW = 2
NOT_CHANGED, NOT_THERE = "message is not modified", ("message to edit not found", "message can't be edited", "message_id_invalid")
GONE = ("message to delete not found", "message can't be deleted", "message to edit not found")


class Telegram:
    name = "telegram"
    limit = 3900  # of 4096, so that a line can be added
    mark = "/"

    def __init__(self, config: Config):
        token = secret(config.own, "token")
        if not token:
            raise Mistake("token_env or token_file is wanted: the token of the bot")
        self._base = f"{config.own.get('api', API).rstrip('/')}/bot{token}/"

    def call(self, method: str, timeout_s: float = 30, **args: Any) -> Any:
        status, _, reply = web.ask(self._base + method, {name: v for name, v in args.items() if v is not None}, timeout_s=timeout_s)
        if reply.get("ok"):
            return reply.get("result")
        said = str(reply.get("description", ""))
        if status == 429:
            asked = reply.get("parameters")
            raise Later(web.pause_s(asked.get("retry_after") if isinstance(asked, dict) else None))
        if status >= 500 or not reply:
            raise Unsure(f"{method}: {status} {said}")
        raise Refused(f"{method}: {status} {said}")

    # ---- receiving ----

    def _place(self, message: dict[str, Any]) -> str:
        chat = str(message["chat"]["id"])
        return f"{chat}/{message['message_thread_id']}" if message.get("is_topic_message") else chat

    def _item(self, key: str, message: dict[str, Any], user: dict[str, Any]) -> dict[str, Any]:
        name = " ".join(filter(None, (user.get("first_name"), user.get("last_name")))) or user.get("username", "")
        return {"key": key, "kind": "unsupported", "place": self._place(message), "chat": str(message["chat"]["id"]),
                "is_private": message["chat"]["type"] == "private", "user": str(user["id"]), "name": name, "message": str(message["message_id"])}

    def read(self, update: dict[str, Any]) -> dict[str, Any] | None:
        """None: not for the bridge."""
        key = f"update:{update['update_id']}"
        message, press = update.get("message"), update.get("callback_query")
        if message and "from" in message and not message["from"].get("is_bot"):
            item = self._item(key, message, message["from"])
            if isinstance(message.get("text"), str):
                return item | {"kind": "text", "text": message["text"]}
            has_content = any(name in message for name in ("photo", "document", "voice", "audio", "video", "video_note", "sticker",
                                                           "animation", "location", "contact", "poll", "story", "dice", "venue"))
            return item if has_content else None  # someone joined, a title changed and so on
        if press and press.get("message") and press.get("data"):
            return self._item(key, press["message"], press["from"]) | {"kind": "button", "data": press["data"], "press": press["id"]}
        return None

    def _note_ids(self, state: State, message: dict[str, Any]) -> None:
        """The newest id of its kind of chat: a message of ours that is sent later has a higher one."""
        with state.change():
            self.note(state, str(message["chat"]["id"]), str(message["message_id"]))

    def note(self, state: State, place: str, remote: str) -> None:
        name = self._counter(place.partition("/")[0])
        if int(state.get(name) or 0) < int(remote):
            state.put(name, remote)

    @staticmethod
    def _counter(chat: str) -> str:
        # Supergroups count alone; all other chats of a bot count together.
        return f"newest:{chat}" if chat.startswith("-100") else "newest"

    def _read_safely(self, bridge: Any, update: dict[str, Any]) -> dict[str, Any] | None:
        """An update of an unexpected form is skipped: it would come again and again."""
        try:
            if message := update.get("message") or (update.get("callback_query") or {}).get("message"):
                self._note_ids(bridge.state, message)
            return self.read(update)
        except sqlite3.OperationalError:
            raise
        except Exception as why:
            bridge.log(f"update {update['update_id']} has an unexpected form: {why!r}")
            return None

    def receive(self, bridge: Any) -> None:
        pause = 1.0
        while True:
            offset = int(bridge.state.get("offset") or 0)
            try:
                updates = self.call("getUpdates", POLL_S + 15, offset=offset, timeout=POLL_S, allowed_updates=["message", "callback_query"])
                pause = 1.0
            except Later as why:
                time.sleep(why.seconds)
                continue
            except (Unsure, Refused) as why:
                bridge.log(f"updates: {why}")
                time.sleep(pause)
                pause = min(pause * 2, 60)
                continue
            updates = [u for u in updates if isinstance(u, dict) and isinstance(u.get("update_id"), int)] if isinstance(updates, list) else None
            if updates is None:
                bridge.log("updates: the reply is no list")
                time.sleep(pause)
            if updates:
                # The offset of the next request tells Telegram that these are safe.
                items = [item for update in updates if update["update_id"] >= offset and (item := self._read_safely(bridge, update))]
                bridge.receive(items, offset=str(max(offset, *(u["update_id"] + 1 for u in updates))))

    # ---- sending ----

    @staticmethod
    def _content(body: dict[str, Any]) -> dict[str, Any]:
        text, code = body.get("text") or "", body.get("code") or ""
        between = "\n" if text and code else ""
        content: dict[str, Any] = {"text": text + between + code, "link_preview_options": {"is_disabled": True}}
        if code:
            content["entities"] = [{"type": "pre", "offset": shown.units(text + between), "length": shown.units(code)}]
        rows = [{"text": label, "callback_data": data} for label, data in body.get("buttons") or []]
        content["reply_markup"] = {"inline_keyboard": [rows[i:i + BUTTONS_IN_ROW] for i in range(0, len(rows), BUTTONS_IN_ROW)]}
        return content

    @staticmethod
    def _chat(place: str) -> dict[str, Any]:
        chat, _, topic = place.partition("/")
        return {"chat_id": int(chat)} | ({"message_thread_id": int(topic)} if topic else {})

    def floor(self, state: State, place: str) -> str:
        return state.get(self._counter(place.partition("/")[0])) or "0"

    def send(self, place: str, key: str, body: dict[str, Any]) -> str:
        reply_to, content = body.get("reply_to"), self._content(body)
        if not body.get("buttons"):
            del content["reply_markup"]
        sent = self.call("sendMessage", **self._chat(place), **content, disable_notification=body.get("is_silent"),
                         reply_parameters={"message_id": int(reply_to), "allow_sending_without_reply": True} if reply_to else None)
        if not isinstance(sent, dict) or not isinstance(sent.get("message_id"), int):
            raise Unsure("sendMessage: the reply has no message_id")
        return str(sent["message_id"])

    def find(self, place: str, key: str, body: dict[str, Any], floor: str) -> str | None:
        """Ids count upwards, and only messages of the bot can be edited.  Writing the same text to the next ids changes
        nothing, and Telegram says at which of them this text is already."""
        for number in range(int(floor) + 1, int(floor) + 1 + PROBES):
            try:
                self.call("editMessageText", chat_id=self._chat(place)["chat_id"], message_id=number, **self._content(body))
                return str(number)
            except Refused as why:
                said = str(why).lower()
                if NOT_CHANGED in said:
                    return str(number)
                if not any(words in said for words in NOT_THERE):
                    raise
        return None

    def edit(self, place: str, remote: str, body: dict[str, Any]) -> None:
        try:
            self.call("editMessageText", chat_id=self._chat(place)["chat_id"], message_id=int(remote), **self._content(body))
        except Refused as why:
            if NOT_CHANGED not in str(why).lower():
                raise

    def delete(self, place: str, remote: str) -> None:
        try:
            self.call("deleteMessage", chat_id=self._chat(place)["chat_id"], message_id=int(remote))
        except Refused as why:
            if not any(words in str(why).lower() for words in GONE):
                raise

    def pressed(self, item: dict[str, Any], text: str) -> None:
        try:
            self.call("answerCallbackQuery", callback_query_id=item["press"], text=text[:200])
        except (Later, Unsure, Refused):
            pass
