"""A WebSocket client (RFC 6455): text messages, over TCP or TLS; standard library only."""
from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
from urllib.parse import urlsplit

from .errors import Problem, Unreachable

ACCEPT_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
HEAD_MAX = 64 * 1024
MESSAGE_MAX = 64 * 1024 * 1024


def _unmask(data: bytes, key: bytes) -> bytes:
    if not data:
        return data
    repeated = (key * (len(data) // 4 + 1))[:len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")


class WebSocket:
    """One connection.  One thread receives; any thread may send or close."""

    def __init__(self, url: str, *, headers: dict[str, str] | None = None, timeout_s: float = 60,
                 context: ssl.SSLContext | None = None):
        """`timeout_s`: how long the other side may be silent; it is expected to send pings."""
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise ValueError(f"no address of a WebSocket: {parts.scheme}://{parts.hostname}")
        self._lock = threading.Lock()
        self._rest = b""
        try:
            self._sock: socket.socket = socket.create_connection(
                (parts.hostname, parts.port or (443 if parts.scheme == "wss" else 80)), timeout=timeout_s)
            if parts.scheme == "wss":
                self._sock = (context or ssl.create_default_context()).wrap_socket(self._sock, server_hostname=parts.hostname)
        except OSError as e:
            # The rest of the address may be a secret, such as a ticket.
            raise Unreachable(f"{parts.scheme}://{parts.hostname}: {e!r}") from e
        try:
            self._upgrade(parts.netloc.rpartition("@")[2], (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
                          headers or {})
        except BaseException:
            self._sock.close()
            raise

    def _upgrade(self, host: str, path: str, headers: dict[str, str]) -> None:
        key = base64.b64encode(os.urandom(16))
        wanted = {"Host": host, "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": key.decode(), "Sec-WebSocket-Version": "13"} | headers
        self._write(f"GET {path} HTTP/1.1\r\n".encode() + b"".join(f"{n}: {v}\r\n".encode() for n, v in wanted.items()) + b"\r\n")
        while b"\r\n\r\n" not in self._rest:
            if len(self._rest) > HEAD_MAX:
                raise Unreachable("the reply to the upgrade is too long")
            self._rest += self._read_some()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        found = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}
        status = int((first.split() + ["0", "0"])[1]) if first.startswith("HTTP/1.1 ") else 0
        if status != 101:
            raise Problem.read(status or 502, self._rest) if status >= 400 else Unreachable(f"no upgrade: {first}")
        accept = base64.b64encode(hashlib.sha1(key + ACCEPT_GUID).digest()).decode()
        if found.get("sec-websocket-accept") != accept:
            raise Unreachable("the other side does not speak WebSocket")

    def _write(self, data: bytes) -> None:
        try:
            self._sock.sendall(data)
        except OSError as e:
            raise Unreachable(f"the connection broke: {e!r}") from e

    def _read_some(self) -> bytes:
        try:
            data = self._sock.recv(65536)
        except OSError as e:
            raise Unreachable(f"the connection broke: {e!r}") from e
        if not data:
            raise Unreachable("the connection was closed")
        return data

    def _read(self, count: int) -> bytes:
        pieces, have = [self._rest], len(self._rest)
        while have < count:
            pieces.append(self._read_some())
            have += len(pieces[-1])
        data = b"".join(pieces)
        self._rest = data[count:]
        return data[:count]

    def _send_frame(self, code: int, data: bytes) -> None:
        key = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | code])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += struct.pack("!BH", 0x80 | 126, size)
        else:
            head += struct.pack("!BQ", 0x80 | 127, size)
        with self._lock:
            self._write(head + key + _unmask(data, key))

    def send(self, text: str) -> None:
        self._send_frame(TEXT, text.encode())

    def _frame(self) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        size = second & 0x7F
        if size == 126:
            size, = struct.unpack("!H", self._read(2))
        elif size == 127:
            size, = struct.unpack("!Q", self._read(8))
        if size > MESSAGE_MAX:
            raise Unreachable("a message is too long")
        key = self._read(4) if second & 0x80 else b""
        data = self._read(size)
        return bool(first & 0x80), first & 0x0F, _unmask(data, key) if key else data

    def receive(self) -> str | None:
        """The next message; None: the other side has ended the connection in order."""
        pieces: list[bytes] = []
        have = 0
        while True:
            is_last, code, data = self._frame()
            if code == PING:
                self._send_frame(PONG, data)
            elif code == CLOSE:
                try:
                    self._send_frame(CLOSE, data[:2])
                except Unreachable:
                    pass
                return None
            elif code in (0, TEXT, BINARY):
                pieces.append(data)
                have += len(data)
                if have > MESSAGE_MAX:
                    raise Unreachable("a message is too long")
                if is_last:
                    return b"".join(pieces).decode(errors="replace")

    def close(self) -> None:
        """From any thread; a receive that waits ends."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._sock.close()
