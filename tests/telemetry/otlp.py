"""Decodes OTLP strictly: JSON as it came, protobuf by the official message definitions where they are present.

The definitions are read from the .proto files; a field that they do not have, a wrong wire type or bytes after the
end are errors.  Both forms come out as the same dictionaries: names in camelCase, ids as hexadecimal text, 64-bit
numbers as int.
"""
import os
import pathlib
import re
import struct

SPECS = pathlib.Path(os.environ.get("THOLE_SPECS", pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs")) / "otlp"
VARINT = {"int64", "uint64", "int32", "uint32", "bool", "enum", "sint32"}
FIXED = {"fixed64": "<Q", "sfixed64": "<q", "double": "<d", "fixed32": "<I"}


def is_here():
    return (SPECS / "opentelemetry" / "proto" / "trace").is_dir()


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(w.capitalize() for w in rest)


class Definitions:
    def __init__(self):
        self.messages, self.enums = {}, set()
        for path in SPECS.rglob("*.proto"):
            self.read(path.read_text())

    def read(self, text):
        text = re.sub(r"//.*", "", text)
        stack = []
        for line in re.findall(r"(?:message|enum|oneof|service|rpc)\b[^{;]*\{|\}|[^{};]+;", text):
            line = line.strip()
            if line.endswith("{"):
                kind, name = (line.split() + [""])[:2]
                if kind == "message":
                    self.messages[name] = {}
                if kind == "enum":
                    self.enums.add(name)
                stack.append((kind, name))
            elif line == "}":
                if stack:
                    stack.pop()
            else:
                self.field(line, stack)

    def field(self, line, stack):
        m = re.match(r"(repeated |optional )?([\w.]+)\s+(\w+)\s*=\s*(\d+)", line)
        owner = next((n for k, n in reversed(stack) if k == "message"), None)
        if m and owner and stack[-1][0] in ("message", "oneof"):
            self.messages[owner][int(m[4])] = (camel(m[3]), m[2].split(".")[-1], m[1] == "repeated ")

    def decode(self, message, data):
        out, at = {}, 0
        while at < len(data):
            tag, at = varint(data, at)
            assert tag >> 3 in self.messages[message], f"{message} has no field {tag >> 3}"
            name, kind, many = self.messages[message][tag >> 3]
            value, at = self.value(kind, tag & 7, data, at, name)
            if many:
                out.setdefault(name, []).append(value)
            else:
                assert name not in out, f"{message}.{name} twice"
                out[name] = value
        return out

    def value(self, kind, wire, data, at, name):
        if kind in VARINT or kind in self.enums:
            assert wire == 0, (name, wire)
            n, at = varint(data, at)
            return (bool(n) if kind == "bool" else n - (1 << 64) if kind == "int64" and n >> 63 else n), at
        if kind in FIXED:
            size = struct.calcsize(FIXED[kind])
            assert wire == (1 if size == 8 else 5), (name, wire)
            assert at + size <= len(data), f"{name} is cut off"
            return struct.unpack_from(FIXED[kind], data, at)[0], at + size
        assert wire == 2, (name, wire)
        size, at = varint(data, at)
        part = data[at:at + size]
        assert len(part) == size, f"{name} is cut off"
        return (part.decode() if kind == "string" else part.hex() if kind == "bytes" else self.decode(kind, part)), at + size


def varint(data, at):
    n = shift = 0
    while True:
        assert at < len(data) and shift < 70, "a number is cut off"
        n |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return n, at


NUMBERS = re.compile(r"(UnixNano|intValue|asInt|count|bucketCounts)$", re.I)


def from_json(v, key=""):
    """64-bit numbers must be strings there, and only they."""
    if isinstance(v, dict):
        return {k: from_json(x, k) for k, x in v.items()}
    if isinstance(v, list):
        return [from_json(x, key) for x in v]
    if NUMBERS.search(key) and key != "droppedEventsCount":
        assert isinstance(v, str), (key, v)
        return int(v)
    assert not (isinstance(v, str) and key in ("kind", "code", "severityNumber", "flags")), (key, v)
    return v


def attributes(item):
    """As a dictionary; a key must not come twice."""
    out = {}
    for a in item.get("attributes", []):
        (kind, value), = a["value"].items()
        assert a["key"] not in out, f"{a['key']} twice"
        out[a["key"]] = [list(x.values())[0] for x in value["values"]] if kind == "arrayValue" else value
    return out


def spans(request):
    """Of one request, each with its attributes as a dictionary under `a`."""
    return [{**s, "a": attributes(s)} for r in request.get("resourceSpans", []) for scope in r["scopeSpans"] for s in scope["spans"]]


def logs(request):
    return [{**s, "a": attributes(s)} for r in request.get("resourceLogs", []) for scope in r["scopeLogs"] for s in scope["logRecords"]]
