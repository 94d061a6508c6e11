"""One turn from its input to its end."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator

from .errors import NoModel
from .events import EventStream
from .types import RuntimeEvent

# The answer of an action handler: a decision, arguments of respond_action, or nothing.
Answer = str | dict[str, Any] | None
OnAction = Callable[[RuntimeEvent], Answer]
ENDS = ("turn.completed", "turn.failed")


@dataclass(frozen=True)
class Result:
    session_id: str
    turn_id: str
    status: str  # completed, or how else it ended
    text: str  # of the last answer of the model
    cost_usd: float | None  # None: the runtime does not know
    event: RuntimeEvent  # the one that ended it; of a failure it says category, message and remedy

    @property
    def ok(self) -> bool:
        return self.status == "completed"


class Run:
    """A submitted turn.  Iterating returns its events as they arrive; `result()` waits for the end.
    If no model could be asked, for example because its name is unknown, the end raises NoModel.

    The turn is the runtime's: leaving the iteration does not end it, `stop()` does.
    """

    def __init__(self, client: Any, stream: EventStream, session_id: str, turn_id: str):
        self.session_id = session_id
        self.turn_id = turn_id
        self.thread_id: str | None = None  # known with the first event
        self._client = client
        self._stream = stream
        self._text: list[str] = []
        self._end: RuntimeEvent | None = None

    def _fold(self, event: RuntimeEvent) -> None:
        payload: Any = event.get("payload") or {}
        self.thread_id = event.get("threadId", self.thread_id)
        if event["type"] == "model.requested":
            self._text.clear()
        elif event["type"] == "model.delta" and payload.get("kind") == "text":
            self._text.append(payload["text"])
        elif event["type"] in ENDS and event.get("turnId") == self.turn_id:
            self._end = event

    def __iter__(self) -> Iterator[RuntimeEvent]:
        while self._end is None:
            event = next(self._stream)
            self._fold(event)
            yield event
        self._stream.close()
        if (self._end.get("payload") or {}).get("category") == "no_candidate":
            raise NoModel(self._end)

    def text(self) -> Iterator[str]:
        """Pieces of the model's text as they arrive."""
        for event in self:
            payload: Any = event.get("payload") or {}
            if event["type"] == "model.delta" and payload.get("kind") == "text":
                yield payload["text"]

    def result(self, on_action: OnAction | None = None) -> Result:
        """Waits for the end.  The result of `on_action` for an action.required is sent as its answer;
        without one the action stays open, and another client or its deadline decides."""
        for event in self:
            if on_action and event["type"] == "action.required":
                self._client.answer(event, on_action(event))
        assert self._end is not None
        payload: Any = self._end.get("payload") or {}
        return Result(self.session_id, self.turn_id, payload["outcome"], "".join(self._text),
                      payload.get("costUsd"), self._end)

    def stop(self) -> None:
        self._client.interrupt_turn(sessionId=self.session_id, threadId=self.thread_id, turnId=self.turn_id)
