"""Following the log.

A stream survives disconnects: it remembers the position of the last event that it has returned
and asks for what comes after it.  An event that has arrived in part is thrown away with its
connection, so none is missed and none comes twice.
"""
from __future__ import annotations

import json
import threading
from typing import Any, Callable, Generic, Iterator, Mapping, TypeVar
from urllib.parse import urlencode

from .errors import Gap, Problem, Unreachable
from .wire import Patience, Stream, Wire

Event = TypeVar("Event")  # RuntimeEvent, or an event of the form that was asked for


class _Frame:
    def __init__(self) -> None:
        self.id: str | None = None
        self.name = ""
        self.data: list[str] = []

    def take(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "id":
            self.id = value
        elif field == "event":
            self.name = value
        elif field == "data":
            self.data.append(value)


def _frames(stream: Stream) -> Iterator[_Frame]:
    frame, rest = _Frame(), b""
    while piece := stream.read():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line := line.removesuffix(b"\r"):
                frame.take(line.decode())
            else:
                yield frame
                frame = _Frame()


class EventStream(Generic[Event]):
    """An iterator over events; also a context manager.

    `cursor` is the place of the last event that was handed out: keep it, and a later stream with
    `after=cursor` resumes there, also in another process.
    """

    def __init__(self, wire: Wire, query: Mapping[str, str], *, cursor: str | None = None,
                 patience_s: float | None = None, first: Callable[[], Stream] | None = None):
        """`first`: the first request, used until an event has arrived; it may add to the query."""
        self.cursor = cursor
        self._wire = wire
        self._query = query
        self._first = first
        self._patience = Patience(patience_s)
        self._is_following = query.get("follow") != "0"
        self._closed = threading.Event()
        self._stream: Stream | None = None
        self._coming: Iterator[_Frame] = iter(())
        self._is_cut = False  # the runtime said that it ends before the end
        while not self._stream:
            try:
                self._open()
            except (Unreachable, Problem) as why:
                self._patience.wait(why)

    def _open(self) -> None:
        if self._first and self.cursor is None:
            self._stream = self._first()
        else:
            headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self.cursor} if self.cursor else {})
            self._stream = self._wire.stream("GET", "/v1/events?" + urlencode(self._query), None, headers)
        self._coming = _frames(self._stream)
        self._is_cut = False
        if self._closed.is_set():
            self._stream.abort()

    def _drop(self) -> None:
        if self._stream:
            self._stream.close()
        self._stream = None

    def _next_frame(self) -> _Frame | None:
        """None when this connection has ended in order."""
        if not self._stream:
            self._open()
        frame = next(self._coming, None)
        if frame is None:
            self._drop()
        else:
            self._patience.reset()
        return frame

    def _take(self, frame: _Frame) -> Event | None:
        body: Any = json.loads("\n".join(frame.data)) if frame.data else None
        if frame.name == "end":
            self._is_cut = True
            return None
        if frame.id:
            self.cursor = frame.id
        if frame.name == "gap":
            raise Gap(body)
        event: Event | None = body
        return event

    def __iter__(self) -> EventStream[Event]:
        return self

    def __next__(self) -> Event:
        while not self._closed.is_set():
            try:
                frame = self._next_frame()
                if frame is None and not self._is_following and not self._is_cut:
                    break
                if frame is None:
                    raise Unreachable("the runtime ended the stream")
            except (Unreachable, Problem) as why:
                self._drop()
                if not self._closed.is_set():
                    self._patience.wait(why, self._closed)
                continue
            event = self._take(frame)
            if event is not None:
                return event
        self._closed.set()
        self._drop()
        raise StopIteration

    def close(self) -> None:
        """Ends it, also from another thread while this one waits for an event."""
        self._closed.set()
        if stream := self._stream:
            stream.abort()

    def __enter__(self) -> EventStream[Event]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._drop()
