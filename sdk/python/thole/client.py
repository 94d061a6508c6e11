"""The client: commands, events, turns, approvals."""
from __future__ import annotations

import base64
import json
import os
import uuid
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, Unpack, overload
from urllib.parse import quote, urlsplit

from . import types as t
from .commands import KEYED, Commands
from .errors import Problem, Unreachable
from .events import EventStream
from .run import Answer, Run
from .wire import Patience, Stream, Wire
from .work import Done, Job, work


def default_data_dir() -> str:
    """The data directory of the command line."""
    if found := os.environ.get("THOLE_DATA"):
        return found
    state = os.environ.get("XDG_STATE_HOME", "")
    return os.path.join(state if state.startswith("/") else os.path.expanduser("~/.local/state"), "thole")


# Commands that create a session unless they name one; a new session needs a directory.
BEGINNERS = frozenset({"submit_turn", "create_session", "create_task", "create_job", "create_schedule"})
PIECE_BYTES = 512 * 1024  # of an upload: in base64 it fits into a command
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Client(Commands):
    """A client of a running daemon.  May be shared by threads.

    When the runtime does not answer, everything here tries again for `patience_s` seconds and then
    raises Unreachable; None never gives up.  A command that changes something carries a key, so
    one that is repeated is still one command.

    New sessions work in `cwd`; by default in this program's current directory if the runtime is on
    this machine.  A `cwd` of the call wins.
    """

    def __init__(self, url: str | None = None, *, token: str | None = None, socket: str | None = None,
                 timeout_s: float = 60, patience_s: float | None = 30, cwd: str | None = None):
        self._wire = Wire(url, socket, token, timeout_s)
        self._patience_s = patience_s
        self._is_here = url is None or urlsplit(url).hostname in LOOPBACK
        self._cwd = cwd

    @classmethod
    def local(cls, data_dir: str | None = None, **options: Any) -> Client:
        """The daemon of a data directory on this machine; no token is needed."""
        return cls(socket=os.path.join(data_dir or default_data_dir(), "socket"), **options)

    def close(self) -> None:
        self._wire.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- commands ----

    def _placed(self, command: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, with the directory where the command may create a session."""
        given = {name: value for name, value in args.items() if value is not None}
        if command not in BEGINNERS or "sessionId" in given or "cwd" in given:
            return given
        cwd = self._cwd or (os.getcwd() if self._is_here else None)
        return given | ({"cwd": cwd} if cwd else {})

    def _ask(self, method: str, path: str, body: bytes | None = None,
             headers: dict[str, str] | None = None) -> bytes:
        patience = Patience(self._patience_s)
        while True:
            try:
                status, _, data = self._wire.ask(method, path, body, headers)
                if status < 400:
                    return data
                raise Problem.read(status, data)
            except (Unreachable, Problem) as why:
                patience.wait(why)

    def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:
        """Any command by its name; the methods named after commands call this."""
        given = self._placed(command, args or {})
        headers = {"Content-Type": "application/json"}
        if command in KEYED and "idempotencyKey" not in given:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        return json.loads(self._ask("POST", "/v1/commands/" + quote(command, safe=""), json.dumps(given).encode(),
                                    headers))

    def output(self, output_ref: str) -> bytes:
        """A whole output, of which events show only the beginning."""
        return self._ask("GET", "/v1/outputs/" + quote(output_ref, safe=""))

    def image(self, data: bytes, media_type: str) -> dict[str, Any]:
        """A part for the input of a turn.  The image, up to 20 MiB, is uploaded in pieces first."""
        reply: Any = {}
        for offset in range(0, max(len(data), 1), PIECE_BYTES):
            piece = data[offset:offset + PIECE_BYTES]
            name = {"outputRef": reply["outputRef"]} if offset else {"mediaType": media_type}
            reply = self.call("upload_output", {**name, "offset": offset, "data": base64.b64encode(piece).decode(),
                                                "last": offset + len(piece) == len(data)})
        return {"type": "image", "mediaType": media_type, "ref": reply["outputRef"], "bytes": reply["sizeBytes"],
                "sha256": reply["sha256"]}

    # ---- events ----

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: None = None) -> EventStream[t.RuntimeEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_ui"]) -> EventStream[t.AgentUiEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_policy"]) -> EventStream[t.AgentPolicyEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["cloudevents"]) -> EventStream[t.CloudeventsEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_tool"]) -> EventStream[t.AgentToolEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_context"]) -> EventStream[t.AgentContextEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_artifact"]) -> EventStream[t.AgentArtifactEvent]: ...

    @overload
    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: Literal["agent_evidence"]) -> EventStream[t.AgentEvidenceEvent]: ...

    def events(self, session: str | None = None, *, after: int | str | None = None, types: Iterable[str] = (),
               thread: str | None = None, turn: str | None = None, follow: bool = True,
               as_: t.EventForm | None = None) -> EventStream[Any]:
        """Events of one session or of all, from the start or after a position.

        `after` is a sequence or a stream's `cursor`; over all sessions "end" begins with what comes.
        `as_` tells them in another standard's form: "agent_ui" gives `AgentUiEvent`s,
        "agent_policy" `AgentPolicyEvent`s, "cloudevents" `CloudeventsEvent`s; so do "agent_tool",
        "agent_context", "agent_artifact" and "agent_evidence".
        """
        query = {"follow": "1" if follow else "0", "session": session, "thread": thread, "turn": turn,
                 "types": ",".join(types) or None, "as": as_}
        cursor = None if after is None or after == "end" else str(after)
        if after == "end":
            query["after"] = "end"
        return EventStream(self._wire, {name: value for name, value in query.items() if value},
                           cursor=cursor, patience_s=self._patience_s)

    # ---- turns ----

    def run(self, input: str | list[Any], **args: Any) -> Run:
        """Submits a turn, with the arguments of submit_turn, and follows it."""
        given = self._placed("submit_turn", args) | {"input": input}
        body = json.dumps(given).encode()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if "idempotencyKey" not in given:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        query: dict[str, str] = {}

        # Before the first event arrives, a retry repeats the same command with the same key.
        def submit() -> Stream:
            stream = self._wire.stream("POST", "/v1/run", body, headers)
            query["session"] = stream.headers["Thole-Session"]
            query["turn"] = stream.headers["Thole-Turn"]
            return stream

        stream = EventStream[t.RuntimeEvent](self._wire, query, patience_s=self._patience_s, first=submit)
        return Run(self, stream, query["session"], query["turn"])

    # ---- work ----

    def work(self, handler: Callable[[Job], Done], **options: Any) -> int:
        """Claims tasks for an external worker and passes them to the handler (thole.work has the options)."""
        return work(self, handler, **options)

    # ---- approvals ----

    def actions(self, **args: Unpack[t.ListActionsArgs]) -> Iterator[t.ActionView]:
        """Pending approvals and questions, oldest first, over all pages."""
        args.setdefault("status", "pending")
        while True:
            page = self.list_actions(**args)
            yield from page["actions"]
            if not page.get("nextCursor"):
                return
            args["cursor"] = page["nextCursor"]

    def input_of(self, action: Mapping[str, Any]) -> Any:
        """The whole arguments of the call that an action is about, however long they are: what to show
        before it is answered.  None when it is about no call."""
        about = action.get("payload", action)
        if about.get("inputRef"):
            return json.loads(self.output(about["inputRef"]))
        if not action.get("toolCallId"):
            return None
        args: Any = None
        after = 0
        while True:
            page = self.call("list_events", {"sessionId": action["sessionId"], "turnId": action["turnId"], "types": ["tool.args"], "after": after})
            for event in page["events"]:
                if event.get("toolCallId") == action["toolCallId"]:
                    args = event["payload"].get("safeArgs")
            if not page["more"] or page.get("lastSequence", 0) <= after:
                return args
            after = page["lastSequence"]

    def answer(self, action: Mapping[str, Any], answer: Answer) -> Any:
        """Answers an action of `actions()` or an event action.required; None leaves it open."""
        if answer is None:
            return None
        given = {"decision": answer} if isinstance(answer, str) else dict(answer)
        return self.call("respond_action", {"sessionId": action["sessionId"], "actionId": action["actionId"]} | given)

    def allow(self, action: Mapping[str, Any], scope: t.GrantScope = "once") -> Any:
        return self.answer(action, {"decision": "allow", "scope": scope})

    def deny(self, action: Mapping[str, Any], reason: str | None = None) -> Any:
        return self.answer(action, {"decision": "deny", "reason": reason})
