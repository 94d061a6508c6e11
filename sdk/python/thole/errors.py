"""Errors of this package, one class per kind."""
from __future__ import annotations

import json
from typing import Any


class TholeError(Exception):
    """Everything that this package raises."""


class Unreachable(TholeError):
    """The runtime does not answer, or the connection broke in the middle of a reply."""


class Problem(TholeError):
    """The runtime refused, and nothing has changed.  Programs decide by `code`; the rest is for people."""

    def __init__(self, status: int, body: dict[str, Any]):
        self.status = status
        self.body = body
        self.code: str = body.get("code", "unknown")
        self.category: str = body.get("category", "unknown")
        self.detail: str = body.get("detail") or body.get("title") or ""
        self.retryable: bool = body.get("retryable", False)
        self.retry_after_ms: int | None = body.get("retryAfterMs")
        super().__init__(f"{self.code} ({status}): {self.detail}")

    @classmethod
    def read(cls, status: int, text: bytes) -> Problem:
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        # A proxy in between may answer with its own pages.
        return cls(status, body if isinstance(body, dict) else {"detail": text[:200].decode(errors="replace")})


class NoModel(TholeError):
    """No model could be asked: its name is unknown, or its provider is not set up.  The turn has failed.

    `remedy` says what to do, `event` is the turn.failed.
    """

    def __init__(self, event: Any):
        payload: Any = event.get("payload") or {}
        self.event = event
        self.remedy: str | None = payload.get("remedy")
        super().__init__(payload.get("message") or "no model could be asked")


class Gap(TholeError):
    """Events that a stream should have brought are gone from the log, or damaged on disk (`reason` is `corrupt`).

    `first` and `last` are the first and the last place that is missing, `snapshot` tells the state
    behind it.  The stream is positioned after the gap: the next read continues there.
    """

    def __init__(self, body: dict[str, Any]):
        self.body = body
        self.first: int = body["from"]
        self.last: int = body["to"]
        self.recovery_mode: str = body.get("recoveryMode", "unknown")
        self.reason: str = body.get("reason", "unknown")
        self.session_id: str | None = body.get("sessionId")
        self.snapshot = body.get("snapshot")
        what = "damaged on disk" if self.reason == "corrupt" else "gone"
        super().__init__(f"events {self.first} to {self.last} are {what}")
