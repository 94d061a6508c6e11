"""Requests over HTTP, on TCP or a Unix socket."""
from __future__ import annotations

import http.client
import random
import socket
import threading
import time
from urllib.parse import urlsplit

from .errors import Problem, Unreachable

KEEP = 8  # idle connections
STREAM_SILENCE_S = 45  # the runtime says something every 15 s
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 5.0


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("thole", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Stream:
    """The body of one reply as it arrives."""

    def __init__(self, connection: http.client.HTTPConnection, sock: socket.socket,
                 response: http.client.HTTPResponse):
        self._connection = connection
        self._sock = sock
        self._response = response
        self.status = response.status
        self.headers = response.headers

    def read(self) -> bytes:
        """The next bytes, b"" at an orderly end."""
        try:
            return self._response.read1(65536)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise Unreachable(f"the stream broke: {e!r}") from e

    def abort(self) -> None:
        """From any thread; a read that waits ends."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._response.close()
        self._connection.close()


class Wire:
    """The address of the runtime.  May be used by several threads at a time."""

    def __init__(self, url: str | None, socket_path: str | None, token: str | None, timeout_s: float):
        if (url is None) == (socket_path is None):
            raise ValueError("either an address or the path of a socket")
        parts = urlsplit(url or "")
        if url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError(f"no address of a runtime: {url}")
        self._parts, self._path, self._timeout_s = parts, socket_path, timeout_s
        self._base = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._path:
            return _UnixConnection(self._path, timeout_s)
        host = self._parts.hostname or ""
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, self._parts.port, timeout=timeout_s)
        return http.client.HTTPConnection(host, self._parts.port, timeout=timeout_s)

    def _take(self) -> http.client.HTTPConnection:
        with self._lock:
            return self._idle.pop() if self._idle else self._connection(self._timeout_s)

    def _give(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < KEEP:
                self._idle.append(connection)
                return
        connection.close()

    def ask(self, method: str, path: str, body: bytes | None = None,
            headers: dict[str, str] | None = None) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = self._take()
        try:
            connection.request(method, self._base + path, body, self._headers | (headers or {}))
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise Unreachable(f"{method} {path}: {e!r}") from e
        self._give(connection)
        return response.status, response.headers, data

    def stream(self, method: str, path: str, body: bytes | None = None,
               headers: dict[str, str] | None = None) -> Stream:
        """Raises Problem if the reply is a refusal."""
        connection = self._connection(STREAM_SILENCE_S)
        try:
            connection.connect()
            sock = connection.sock
            connection.request(method, self._base + path, body, self._headers | (headers or {}))
            response = connection.getresponse()
            if response.status >= 400:
                raise Problem.read(response.status, response.read())
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise Unreachable(f"{method} {path}: {e!r}") from e
        except Problem:
            connection.close()
            raise
        return Stream(connection, sock, response)

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()


class Patience:
    """Exponential backoff with jitter, up to a total time."""

    def __init__(self, limit_s: float | None):
        self._limit_s = limit_s
        self.reset()

    def reset(self) -> None:
        self._pause_s = FIRST_PAUSE_S
        self._until: float | None = None

    def wait(self, why: Unreachable | Problem, woken: threading.Event | None = None) -> None:
        """Raises `why` if the time is up or a retry cannot help."""
        asked_s = 0.0
        if isinstance(why, Problem):
            if why.status != 503:
                raise why
            asked_s = (why.retry_after_ms or 0) / 1000
        now = time.monotonic()
        if self._until is None and self._limit_s is not None:
            self._until = now + self._limit_s
        pause_s = max(asked_s, self._pause_s * random.uniform(0.5, 1))
        if self._until is not None and now + pause_s > self._until:
            raise why
        if woken:
            woken.wait(pause_s)
        else:
            time.sleep(pause_s)
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
