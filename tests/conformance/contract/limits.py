"""Published limits: input at a limit is accepted, input one above it is refused with its code."""
import json
import pathlib
import socket

from contract_fixture import need, rows, same
from refusals import post

CATALOG = pathlib.Path(__file__).resolve().parents[3] / "catalog"
LIMITS = {name: row["value"] for name, row in json.loads((CATALOG / "limits.json").read_text()).items()}


def status_of(fixture, request):
    """The status line's number for bytes on a plain connection; 0: it was closed."""
    with socket.create_connection(("127.0.0.1", fixture.daemon.port), 20) as s:
        s.sendall(request)
        s.shutdown(socket.SHUT_WR)
        head = s.recv(64)
    return int(head.split()[1]) if head.startswith(b"HTTP/1.1 ") else 0


def get(fixture, target="/healthz", headers=()):
    lines = [f"GET {target} HTTP/1.1", "Host: localhost", *headers]
    return status_of(fixture, ("\r\n".join(lines) + "\r\n\r\n").encode())


@rows()
def check_limits_of_http(fixture):
    lines = LIMITS["http_header_lines"]
    same(get(fixture, headers=[f"X-{i}: 1" for i in range(lines - 1)]), 200, "as many header lines as may be, Host among them")
    same(get(fixture, headers=[f"X-{i}: 1" for i in range(lines)]), 431, "one more")
    name = "X-Long"
    room = LIMITS["http_header_bytes"] - len("Host") - len("localhost") - len(name)
    same(get(fixture, headers=[f"{name}: {'v' * room}"]), 200, "as many bytes of headers as may be")
    same(get(fixture, headers=[f"{name}: {'v' * (room + 1)}"]), 431, "one more")
    need(get(fixture, target="/" + "a" * (LIMITS["http_target_bytes"] - 32)) != 414, "a target as long as may be, with method and version")
    same(get(fixture, target="/" + "a" * LIMITS["http_target_bytes"]), 414, "a target that is longer than may be")


@rows()
def check_limits_of_bodies(fixture):
    def body(size):
        text = '{"title":"x"}'
        return text + " " * (size - len(text))

    same(post(fixture, "create_session", body(LIMITS["body_bytes"]))[0], 200, "a body as large as may be")
    same(post(fixture, "create_session", body(LIMITS["body_bytes"] + 1))[0], 413, "one byte more")

    def deep(levels):  # the body is a level, and so is the array that holds the parts
        return '{"input":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"

    need(post(fixture, "submit_turn", deep(LIMITS["json_depth"]))[1] != "invalid_json", "as deep as may be")
    same(post(fixture, "submit_turn", deep(LIMITS["json_depth"] + 1))[1], "invalid_json", "one level more")


def bounded():
    """(command, field, bound) of every argument that has one, and that clients can send."""
    for path in sorted((CATALOG / "commands").glob("*.json")):
        for command, row in json.loads(path.read_text()).items():
            for field in row.get("args", []) if row.get("state", "built") == "built" and not row.get("internal") else []:
                bound = field.get("max")
                bound = LIMITS[bound] if isinstance(bound, str) else bound
                if bound and field["type"] in ("str", "id", "json"):
                    yield command, field, bound


@rows()
def check_limits_of_fields(fixture):
    """Too large is noticed while an argument is read, before anything else is looked at."""
    count = 0
    for command, field, bound in bounded():
        name = field["name"]
        if bound + 64 > LIMITS["body_bytes"]:
            continue
        for size, large in ((bound, False), (bound + 1, True)):
            value = "x" * (size - 2 if field["type"] == "json" else size)  # the text of a JSON string has quotes
            code = fixture.transport.call(command, {name: value})[0]
            same(code == "too_large", large, f"{command} {name} of {size} bytes: {code}")
        count += 1
    need(count > 100, f"{count} fields have a bound")
