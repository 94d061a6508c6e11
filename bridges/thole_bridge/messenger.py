"""What a bridge needs of a messenger.  Telegram and Slack implement it; a further one has to do the same."""
from __future__ import annotations

from typing import Any, Protocol

from .state import State


class Later(Exception):
    """It was not done; the messenger asks to wait."""

    def __init__(self, seconds: float):
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds


class Unsure(Exception):
    """The connection broke or the server failed: it may have been done."""


class Refused(Exception):
    """It was not done and will not be."""


class Messenger(Protocol):
    name: str  # telegram, slack: in keys and in the log
    limit: int  # units of one message
    mark: str  # commands begin with it

    def receive(self, bridge: Any) -> None:
        """Runs for ever on a thread of its own: passes what comes to bridge.receive.

        An item has: key (the same when it is delivered again), kind (text, button or unsupported), place (the
        conversation), is_private, chat, user, name, message (to reply to); text of a text; data and press of a button.
        """

    def floor(self, state: State, place: str) -> str:
        """What find() needs later to recognise a message that is sent now."""

    def note(self, state: State, place: str, remote: str) -> None:
        """Within a transaction: a message was sent."""

    def send(self, place: str, key: str, body: dict[str, Any]) -> str:
        """Sends body (text, code, buttons, reply_to, is_silent) and returns the messenger's id.  Raises the above."""

    def find(self, place: str, key: str, body: dict[str, Any], floor: str) -> str | None:
        """The id of a message that may have been sent."""

    def edit(self, place: str, remote: str, body: dict[str, Any]) -> None: ...

    def delete(self, place: str, remote: str) -> None: ...

    def pressed(self, item: dict[str, Any], text: str) -> None:
        """Tells the person who pressed a button what became of it; may be lost."""
