"""The adapter thole-grpc in front of a daemon that serves A2A, and a small HTTP/2 client that can also be rude."""
import ctypes
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "a2a"), str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from a2a_fixture import DEADLINE_S, Receiver, World, Wrong, until  # noqa: E402

ALLOW = ["peers.allow_hosts=[\"127.0.0.1:*\"]"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Adapter:
    """The program; address is where it listens."""

    def __init__(self, *options, build=None):
        self.process = subprocess.Popen([os.path.join(build or World.build, "thole-grpc"), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, preexec_fn=die_with_parent)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise Wrong(f"{line} {self.process.stderr.read()}")
        self.address = line.split()[2].rstrip(",")
        self.port = int(self.address.rsplit(":", 1)[1])

    def memory_kib(self):
        """0 with a sanitizer, which keeps what was freed."""
        if "asan" in os.path.realpath(self.process.args[0]):
            return 0
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise Wrong("no VmRSS")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def level(self):
        return self.descriptors(), self.memory_kib()

    def stop(self):
        """The exit code after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(DEADLINE_S)
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        if errors:
            raise Wrong(errors[-3000:])
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if self.process.poll() is None:
            if kind is None:
                assert self.stop() == 0
            else:
                self.process.kill()
                self.process.wait()


# ---- HTTP/2 by hand -----------------------------------------------------------------------------

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def integer(value, bits, first=0):
    """An integer of HPACK with a prefix of so many bits."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out, value = [first | limit], value - limit
    while value >= 128:
        out.append(value % 128 | 128)
        value //= 128
    return bytes([*out, value])


def literal(name, value, kind=0):
    """A field that is spelled out; kind 0x40: the peer keeps it in its table."""
    name, value = (x.encode() if isinstance(x, str) else x for x in (name, value))
    return bytes([kind]) + integer(len(name), 7) + name + integer(len(value), 7) + value


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def fields(method="GetTask", *more, path=None, content_type="application/grpc", verb="POST"):
    rows = [(":method", verb), (":scheme", "http"), (":path", path or f"/lf.a2a.v1.A2AService/{method}"), (":authority", "x"),
            ("content-type", content_type), ("te", "trailers"), *more]
    return b"".join(literal(n, v) for n, v in rows)


def message(payload=b"", flag=0):
    return bytes([flag]) + struct.pack(">I", len(payload)) + payload


def text_field(number, text):
    text = text.encode() if isinstance(text, str) else text
    return integer(number << 3 | 2, 7) + varint(len(text)) + text


def varint(n):
    out = []
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


class Inflater:
    """Decodes header blocks with the library that wrote them."""
    lib = None

    class Field(ctypes.Structure):
        _fields_ = [("name", ctypes.POINTER(ctypes.c_char)), ("value", ctypes.POINTER(ctypes.c_char)), ("namelen", ctypes.c_size_t),
                    ("valuelen", ctypes.c_size_t), ("flags", ctypes.c_uint8)]

    def __init__(self):
        if not Inflater.lib:
            Inflater.lib = ctypes.CDLL("libnghttp2.so.14")
            Inflater.lib.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        self.state = ctypes.c_void_p()
        assert not self.lib.nghttp2_hd_inflate_new(ctypes.byref(self.state))

    def read(self, block):
        out, field, flags = {}, Inflater.Field(), ctypes.c_int()
        while True:
            n = self.lib.nghttp2_hd_inflate_hd2(self.state, ctypes.byref(field), ctypes.byref(flags), block, ctypes.c_size_t(len(block)), 1)
            if n < 0:
                raise Wrong(f"a header block cannot be decoded: {n}")
            block = block[n:]
            if flags.value & 2:
                out[field.name[:field.namelen].decode()] = field.value[:field.valuelen].decode()
            if flags.value & 1:
                self.lib.nghttp2_hd_inflate_end_headers(self.state)
                return out


class H2:
    """One connection."""

    def __init__(self, port, settings=b"", greet=True):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
        self.buffer, self.next_stream, self.goaway, self.is_over, self.inflater = b"", 1, None, False, Inflater()
        self.windows, self.is_greeted = {0: 65535}, False
        if greet:
            self.send(PREFACE + frame(SETTINGS, 0, 0, settings))

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self.is_over = True

    def frames(self, seconds=DEADLINE_S):
        """Until the connection ends or nothing comes for so long."""
        while True:
            while len(self.buffer) >= 9:
                size = int.from_bytes(self.buffer[:3], "big")
                if len(self.buffer) < 9 + size:
                    break
                kind, flags, stream = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big") & 0x7FFFFFFF
                payload, self.buffer = self.buffer[9:9 + size], self.buffer[9 + size:]
                if kind == SETTINGS and not flags & ACK:
                    self.send(frame(SETTINGS, ACK, 0))
                    self.is_greeted = True
                if kind == WINDOW:
                    self.windows[stream] = self.windows.get(stream, 262144) + int.from_bytes(payload, "big")
                if kind == GOAWAY:
                    self.goaway = int.from_bytes(payload[4:8], "big")
                yield kind, flags, stream, payload
            if not select.select([self.socket], [], [], seconds)[0]:
                return
            try:
                data = self.socket.recv(65536)
            except OSError:
                data = b""
            if not data:
                self.is_over = True
                return
            self.buffer += data

    def open(self, head, body=None, stream=None):
        stream = stream or self.next_stream
        self.next_stream = max(self.next_stream, stream + 2)
        self.send(frame(HEADERS, END_HEADERS | (END_STREAM if body is None else 0), stream, head) + (frame(DATA, END_STREAM, stream, body) if body is not None else b""))
        return stream

    def wait_window(self, stream):
        """Until a frame of 16 KiB may be sent.  The adapter announces windows of 256 KiB."""
        self.windows.setdefault(stream, 262144)
        while not self.is_greeted:
            next(self.frames())
        while min(self.windows[0], self.windows[stream]) < 16384:
            next(self.frames())
        self.windows[0] -= 16384
        self.windows[stream] -= 16384

    def answer(self, stream):
        """The headers and trailers of a stream as one object, and its data."""
        found, data = {}, b""
        for kind, flags, at, payload in self.frames():
            if kind == HEADERS:
                fields = self.inflater.read(payload)
            if at != stream:
                continue
            if kind == HEADERS:
                found.update(fields)
            elif kind == DATA:
                data += payload
                self.send(frame(WINDOW, 0, 0, struct.pack(">I", max(1, len(payload)))))
            elif kind == RST:
                raise Wrong(f"stream {stream} was reset: {int.from_bytes(payload, 'big')}")
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                return found, data
        raise Wrong(f"stream {stream} has no end; goaway {self.goaway}, over {self.is_over}")

    def call(self, method="GetTask", payload=b"", *more, body=None, **head):
        return self.answer(self.open(fields(method, *more, **head), message(payload) if body is None else body))

    def until_over(self):
        for _ in self.frames():
            pass
        return self.is_over

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.close()


__all__ = ["ACK", "ALLOW", "Adapter", "CONTINUATION", "DATA", "DEADLINE_S", "END_HEADERS", "END_STREAM", "GOAWAY", "H2", "HEADERS", "HERE", "PING", "PREFACE",
           "PRIORITY", "RST", "Receiver", "SETTINGS", "WINDOW", "World", "Wrong", "die_with_parent", "fields", "frame", "free_port", "integer", "literal", "message", "text_field",
           "time", "until", "varint"]
