"""What all parts of the bridge share: its connection to Thole, its state, and the words it says."""
from __future__ import annotations

import sys
import threading
import time
from typing import Any

from thole import Channel, Client, Problem, TholeError

from . import shown
from .config import Config
from .messenger import Messenger
from .state import State

PARTS_MAX = 30  # messages of one answer
ADDED_MAX = 200  # units that may be added to an approval
PAUSE_FIRST_S, PAUSE_LONGEST_S = 0.5, 60.0


def log(text: str) -> None:
    print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def is_passing(why: Problem) -> bool:
    """Worth another try: the token may be replaced, and limits end."""
    return why.status in (401, 429) or why.retryable


def pause_after(why: TholeError) -> float:
    return max(PAUSE_FIRST_S, (why.retry_after_ms or 5000) / 1000 if isinstance(why, Problem) else 0)


class Shared:
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

    def _say(self, key: str, place: str, text: str, reply_to: str | None = None) -> None:
        """Within a transaction."""
        pieces = shown.divided(shown.visible(text), self.messenger.limit)
        if len(pieces) > PARTS_MAX:
            pieces = [*pieces[:PARTS_MAX], f"{len(pieces) - PARTS_MAX} further parts are left out; Thole has the whole answer."]
        for i, piece in enumerate(pieces):
            self.state.send(f"{key}:{i}", place, "send", text=piece, reply_to=None if i else reply_to)

    def who(self, item: dict[str, Any]) -> str:
        return shown.person(self.messenger.name, item["user"], item["name"])

    def _place_of(self, event: Any) -> str | None:
        for query, value in (("select place from turns where turn = ?", event.get("turnId")),
                             ("select place from places where session = ?", event["sessionId"])):
            if found := self.state.row(query, value):
                return str(found["place"])
        return self.config.approvals_chat
