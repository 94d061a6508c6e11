"""A channel: an enrolled connection, over JSON-RPC on a WebSocket or on the Unix socket of the daemon.

Commands that a channel sends are recorded with its id, so the log says through which peer a turn was
submitted and an action was answered.
"""
from __future__ import annotations

import json
import socket
import threading
import uuid
from typing import Any, Callable, Mapping, Protocol

from .commands import KEYED, Commands
from .errors import Problem, Unreachable
from .wire import Patience
from .websocket import WebSocket

REFUSALS_MAX = 4  # of a known channel, before a new one is enrolled


class _Connection(Protocol):
    def send(self, text: str) -> None: ...
    def receive(self) -> str | None: ...
    def close(self) -> None: ...


class _Lines:
    """JSON texts as lines over a Unix socket."""

    def __init__(self, path: str, timeout_s: float):
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sock.settimeout(timeout_s)
        try:
            self._sock.connect(path)
        except OSError as e:
            self._sock.close()
            raise Unreachable(f"{path}: {e!r}") from e
        self._sock.settimeout(None)  # an idle channel hears nothing
        self._file = self._sock.makefile("rb")
        self._lock = threading.Lock()

    def send(self, text: str) -> None:
        try:
            with self._lock:
                self._sock.sendall(text.encode() + b"\n")
        except OSError as e:
            raise Unreachable(f"the connection broke: {e!r}") from e

    def receive(self) -> str | None:
        try:
            line = self._file.readline()
        except (OSError, ValueError) as e:
            raise Unreachable(f"the connection broke: {e!r}") from e
        return line.decode() if line else None

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._sock.close()


class _Calls:
    """One connection with the calls that wait for their replies."""

    def __init__(self, connection: _Connection):
        self._connection = connection
        self._waiting: dict[int, list[Any]] = {}
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._number = 0
        self.is_over = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while (text := self._connection.receive()) is not None:
                reply = json.loads(text)
                with self._lock:
                    # Without an id: the runtime could not read a request, and does not know which one it was.
                    is_for_all = "error" in reply and reply.get("id") is None
                    for number in list(self._waiting) if is_for_all else [reply.get("id")]:
                        if number in self._waiting:
                            self._waiting[number].append(reply)
                    self._arrived.notify_all()
        except (Unreachable, ValueError):
            pass
        with self._lock:
            self.is_over = True
            self._arrived.notify_all()
        self._connection.close()

    def ask(self, method: str, params: Mapping[str, Any], timeout_s: float) -> Any:
        with self._lock:
            self._number += 1
            number = self._number
            found = self._waiting[number] = []
        try:
            self._connection.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
            with self._lock:
                self._arrived.wait_for(lambda: found or self.is_over, timeout_s)
            if not found:
                self._connection.close()
                raise Unreachable(f"{method}: no reply")
        finally:
            with self._lock:
                del self._waiting[number]
        if "error" in found[0]:
            error = found[0]["error"]
            body = error.get("data") if isinstance(error.get("data"), dict) else {"detail": error.get("message", "")}
            raise Problem(int(body.get("status") or 400), body)
        return found[0]["result"]

    def close(self) -> None:
        self._connection.close()


class Channel(Commands):
    """Commands over one enrolled connection.  May be shared by threads; reconnects and resumes by itself.

    `keep` is called with the channel's id and its resume token whenever they are new; a program that
    gives both to a later Channel continues the same channel.
    """

    def __init__(self, url: str | None = None, *, token: str | None = None, socket: str | None = None,
                 native_protocol: str, capabilities: tuple[str, ...] = (), peer_role: str = "client",
                 channel_id: str | None = None, resume_token: str | None = None,
                 keep: Callable[[str, str], None] | None = None, timeout_s: float = 60, patience_s: float | None = 30):
        if (url is None) == (socket is None):
            raise ValueError("either an address or the path of a socket")
        self._address, self._path, self._token = url, socket, token
        self._hello: dict[str, Any] = {"peerRole": peer_role, "nativeProtocol": native_protocol, "capabilities": list(capabilities)}
        self._keep = keep
        self._timeout_s, self._patience_s = timeout_s, patience_s
        self._lock = threading.Lock()
        self._calls: _Calls | None = None
        self._refused = 0
        self.channel_id, self.resume_token = channel_id, resume_token
        self.scopes: tuple[str, ...] = ()  # of the token; known after the first command or connect()
        self.principal: str | None = None

    def _open(self) -> _Connection:
        if self._path:
            return _Lines(self._path, self._timeout_s)
        address = "ws" + (self._address or "").removeprefix("http").rstrip("/") + "/v1/rpc"
        return WebSocket(address, headers={"Authorization": f"Bearer {self._token}"} if self._token else None,
                         timeout_s=self._timeout_s)

    def _enrol(self) -> _Calls:
        calls = _Calls(self._open())
        known = {"channelId": self.channel_id, "resumeToken": self.resume_token} if self.channel_id and self.resume_token else {}
        try:
            reply = calls.ask("initialize", self._hello | known | ({"token": self._token} if self._token else {}), self._timeout_s)
        except Problem as why:
            calls.close()
            if why.code != "channel_not_found" or not known:
                raise
            # Its last connection may not have been noticed to be gone.
            self._refused += 1
            if self._refused >= REFUSALS_MAX:
                self.channel_id = self.resume_token = None
            raise Unreachable(f"the channel cannot be resumed: {why}") from why
        self._refused = 0
        self.scopes, self.principal = tuple(reply["scopes"]), reply["principal"]
        if (reply["channelId"], reply["resumeToken"]) != (self.channel_id, self.resume_token):
            self.channel_id, self.resume_token = reply["channelId"], reply["resumeToken"]
            if self._keep:
                self._keep(reply["channelId"], reply["resumeToken"])
        return calls

    def _connected(self) -> _Calls:
        with self._lock:
            if not self._calls or self._calls.is_over:
                self._calls = self._enrol()
            return self._calls

    def connect(self) -> None:
        """Enrols now, as the first command would."""
        patience = Patience(self._patience_s)
        while True:
            try:
                self._connected()
                return
            except (Unreachable, Problem) as why:
                patience.wait(why)

    def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:
        given = {name: value for name, value in (args or {}).items() if value is not None}
        if command in KEYED and "idempotencyKey" not in given:
            given["idempotencyKey"] = uuid.uuid4().hex
        patience = Patience(self._patience_s)
        while True:
            try:
                return self._connected().ask(command, given, self._timeout_s)
            except (Unreachable, Problem) as why:
                patience.wait(why)

    def close(self) -> None:
        with self._lock:
            if self._calls:
                self._calls.close()
            self._calls = None

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
