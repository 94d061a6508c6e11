"""Slack, by Socket Mode: the bridge dials out, so no address has to be reachable from outside.

Model text is sent without markup and with &, < and > escaped, so it mentions no one and hides no link.  What is to be
allowed is in a preformatted block, which Slack does not interpret.  Links are not unfolded: fetching one would tell a
server what the agent wrote.
"""
from __future__ import annotations

import json
import sqlite3
import threading
import time
from typing import Any

from thole import WebSocket

from . import web
from .config import Config, Mistake, secret
from .messenger import Later, Refused, Unsure
from .state import State

KEYS = {"token_env", "token_file", "app_token_env", "app_token_file", "api"}
API = "https://slack.com/api"
SILENCE_S = 60  # Slack sends pings
PAGE = 100
CATCH_UP_PLACES = 40
FORMS = ("auth.test", "apps.connections.open", "users.info", "conversations.history", "conversations.replies")
PASSING = ("internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org")
GONE = ("message_not_found", "cant_delete_message", "cant_update_message")


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


class Slack:
    name = "slack"
    limit = 2900  # a block of text has at most 3000
    mark = "!"  # Slack keeps / for itself

    def __init__(self, config: Config):
        token, app = secret(config.own, "token"), secret(config.own, "app_token")
        if not token or not app:
            raise Mistake("token_env (the bot's token, xoxb-) and app_token_env (the app's token, xapp-) are wanted")
        self._api = config.own.get("api", API).rstrip("/")
        self._token, self._app = token, app
        self._bot: str | None = None
        self._names: dict[str, str] = {}
        self._places: State | None = None

    def call(self, method: str, token: str | None = None, **args: Any) -> Any:
        status, headers, reply = web.ask(f"{self._api}/{method}", {name: v for name, v in args.items() if v is not None},
                                         {"Authorization": f"Bearer {token or self._token}"}, is_form=method in FORMS)
        if status == 429:
            raise Later(web.pause_s(headers.get("Retry-After")))
        if status >= 500 or (not reply and status != 200) or reply.get("error") in PASSING:
            raise Unsure(f"{method}: {status} {reply.get('error', '')}")
        if reply.get("ok"):
            return reply
        raise Refused(f"{method}: {reply.get('error', status)}")

    # ---- receiving ----

    def _name(self, user: str) -> str:
        if user not in self._names:
            try:
                found = self.call("users.info", user=user)["user"]
                self._names[user] = found.get("real_name") or found.get("name") or ""
            except (Later, Unsure, Refused, KeyError):
                return ""
        return self._names[user]

    def _is_ours(self, event: dict[str, Any], place: str) -> bool:
        """In a channel: it names the bot, or it is in a thread that the bot works in."""
        known = self._places and self._places.row("select place from places where place = ?", place)
        return bool(event["channel"].startswith("D") or f"<@{self._bot}>" in event.get("text", "") or known)

    def read(self, event: dict[str, Any], is_admitted: Any) -> dict[str, Any] | None:
        """A message as an item; None: not for the bridge."""
        if event.get("bot_id") or event.get("user") in (None, self._bot) or event.get("subtype") not in (None, "file_share", "thread_broadcast"):
            return None
        channel, ts = event["channel"], event["ts"]
        is_private = channel.startswith("D")
        thread = event.get("thread_ts") or (None if is_private else ts)
        place = f"{channel}/{thread}" if thread else channel
        item = {"key": f"message:{channel}:{ts}", "kind": "text", "place": place, "chat": channel, "is_private": is_private,
                "user": event["user"], "name": "", "message": ts, "text": unescaped(event.get("text", "")).replace(f"<@{self._bot}>", "").strip()}
        if not is_admitted(item) or not self._is_ours(event, place):
            return None
        if event.get("files"):
            item["kind"] = "unsupported"
        return item | {"name": self._name(event["user"])}

    def _pressed_item(self, payload: dict[str, Any]) -> dict[str, Any] | None:
        if payload.get("type") != "block_actions" or not payload.get("actions") or not payload.get("channel"):
            return None
        action, channel, message = payload["actions"][0], payload["channel"]["id"], payload.get("message") or {}
        thread = message.get("thread_ts")
        user = payload["user"]
        return {"key": f"press:{channel}:{message.get('ts')}:{user['id']}:{action.get('action_ts')}", "kind": "button",
                "place": f"{channel}/{thread}" if thread else channel, "chat": channel, "is_private": channel.startswith("D"), "user": user["id"],
                "name": self._name(user["id"]) or user.get("name", ""), "message": message.get("ts"), "data": str(action.get("value", ""))}

    def _take(self, bridge: Any, envelope: dict[str, Any]) -> None:
        payload = envelope.get("payload") or {}
        event = payload.get("event") or {}
        if envelope.get("type") == "events_api" and event.get("type") in ("message", "app_mention") and event.get("ts"):
            item = self.read(event, bridge.admits)
            if item:
                bridge.receive([item], **{f"read:{item['chat']}": event["ts"]})
        elif envelope.get("type") == "interactive" and (pressed := self._pressed_item(payload)):
            bridge.receive([pressed])

    def _catch_up(self, bridge: Any) -> None:
        """What was written in conversations of the bridge while it was not connected."""
        rows = bridge.state.rows("select place from places order by rowid desc limit ?", CATCH_UP_PLACES)
        places = {row["place"] for row in rows} | {r["name"][5:] for r in bridge.state.rows("select name from kept where name like 'read:%'")}
        for place in sorted(places):
            channel, _, thread = place.partition("/")
            since = bridge.state.get(f"read:{channel}")
            if not since:
                continue
            found = self._page(channel, thread, since)
            items = [item for m in sorted(found, key=lambda m: float(m["ts"])) if float(m["ts"]) > float(since)
                     and (item := self.read(m | {"channel": channel}, bridge.admits))]
            if items:
                bridge.receive(items)

    def _page(self, channel: str, thread: str, since: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            method = "conversations.replies" if thread else "conversations.history"
            reply = self.call(method, channel=channel, ts=thread or None, oldest=since, limit=PAGE, cursor=cursor, include_all_metadata="true")
            found += reply.get("messages", [])
            cursor = (reply.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return found

    def _listen(self, bridge: Any) -> None:
        self._bot = self._bot or self.call("auth.test")["user_id"]
        socket = WebSocket(self.call("apps.connections.open", self._app)["url"], timeout_s=SILENCE_S)
        try:
            while (text := socket.receive()) is not None:
                envelope = json.loads(text)
                if envelope.get("type") == "hello":
                    threading.Thread(target=self._catch_up_quietly, args=(bridge,), daemon=True).start()
                elif envelope.get("type") == "disconnect":
                    return
                elif envelope.get("envelope_id"):
                    try:
                        self._take(bridge, envelope)
                    except sqlite3.OperationalError:
                        raise  # it is not on disk
                    except Exception as why:
                        bridge.log(f"envelope {envelope['envelope_id']} has an unexpected form: {why!r}")
                    # Only now: it is on disk.
                    socket.send(json.dumps({"envelope_id": envelope["envelope_id"]}))
        finally:
            socket.close()

    def _catch_up_quietly(self, bridge: Any) -> None:
        while True:
            try:
                self._catch_up(bridge)
                return
            except Later as why:
                time.sleep(why.seconds)
            except Exception as why:
                bridge.log(f"catching up: {why!r}")
                return

    def receive(self, bridge: Any) -> None:
        self._places = bridge.state
        pause = 0.1
        while True:
            began = time.monotonic()
            try:
                self._listen(bridge)
            except Later as why:
                time.sleep(why.seconds)
                continue
            except Exception as why:
                bridge.log(f"socket: {why!r}")
            # A connection that was used for a while is replaced at once.
            pause = 0.05 if time.monotonic() - began > 30 else min(pause * 2, 30)
            time.sleep(pause)

    # ---- sending ----

    @staticmethod
    def _place(place: str) -> dict[str, Any]:
        channel, _, thread = place.partition("/")
        return {"channel": channel, "thread_ts": thread or None}

    @staticmethod
    def _content(body: dict[str, Any]) -> dict[str, Any]:
        text, code, buttons = body.get("text") or "", body.get("code") or "", body.get("buttons") or []
        content: dict[str, Any] = {"text": escaped("\n".join(filter(None, (text, code)))), "mrkdwn": False, "unfurl_links": False,
                                   "unfurl_media": False, "link_names": False, "parse": "none"}
        blocks: list[dict[str, Any]] = []
        if text and (code or buttons):
            blocks.append({"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}})
        if code:
            blocks.append({"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": [{"type": "text", "text": code}]}]})
        if buttons:
            blocks.append({"type": "actions", "elements": [
                {"type": "button", "action_id": f"thole{i}", "text": {"type": "plain_text", "text": label[:75]}, "value": data}
                for i, (label, data) in enumerate(buttons)]})
        return content | {"blocks": blocks}

    def floor(self, state: State, place: str) -> str:
        return state.get(f"newest:{place.partition('/')[0]}") or "0"

    def note(self, state: State, place: str, remote: str) -> None:
        state.put(f"newest:{place.partition('/')[0]}", remote)

    def send(self, place: str, key: str, body: dict[str, Any]) -> str:
        sent = self.call("chat.postMessage", **self._place(place), **self._content(body),
                         metadata={"event_type": "thole", "event_payload": {"key": key}})
        if not isinstance(sent.get("ts"), str):
            raise Unsure("chat.postMessage: the reply has no ts")
        return str(sent["ts"])

    def find(self, place: str, key: str, body: dict[str, Any], floor: str) -> str | None:
        """Each message carries its key, and a bot may read what it wrote."""
        channel, _, thread = place.partition("/")
        for message in self._page(channel, thread, floor):
            if ((message.get("metadata") or {}).get("event_payload") or {}).get("key") == key:
                return str(message["ts"])
        return None

    def edit(self, place: str, remote: str, body: dict[str, Any]) -> None:
        content = {name: v for name, v in self._content(body).items() if name not in ("unfurl_links", "unfurl_media", "mrkdwn")}
        self.call("chat.update", channel=self._place(place)["channel"], ts=remote, **content)

    def delete(self, place: str, remote: str) -> None:
        try:
            self.call("chat.delete", channel=self._place(place)["channel"], ts=remote)
        except Refused as why:
            if not any(word in str(why) for word in GONE):
                raise

    def pressed(self, item: dict[str, Any], text: str) -> None:
        if text in ("", "Recorded."):
            return  # the message itself changes
        try:
            self.call("chat.postEphemeral", **self._place(item["place"]), user=item["user"], text=escaped(text))
        except (Later, Unsure, Refused):
            pass
