"""Labels of sessions and tasks: given, changed, found again, also among thousands."""
import json
import socket
import urllib.parse

from cli_fixture import DEADLINE_S, test

MANY = 10000  # more than one request of a list looks at


def get(b, path):
    """A GET on the daemon's Unix socket."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE_S)
        s.connect(str(b.data / "socket"))
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: thole\r\nConnection: close\r\n\r\n".encode())
        text = b"".join(iter(lambda: s.recv(65536), b""))
    head, body = text.split(b"\r\n\r\n", 1)
    assert b"chunked" not in head.lower(), head
    return int(head.split()[1]), json.loads(body)


@test
def labels_are_given_changed_and_found(b):
    b.run("run", "--label", "team=web", "--label", "ticket=42", "hello", code=0)
    first = b.session()
    b.run("run", "--label", "team=db", "hello", code=0)
    assert b.run("ps", "--all", "-q", "--label", "team=web", code=0).ids() == [first]
    assert len(b.run("ps", "--all", "-q", "--label", "team", code=0).ids()) == 2
    assert b.run("ps", "--all", "-q", "--label", "team", "--label", "ticket=42", code=0).ids() == [first]
    assert b.run("ps", "--all", "-q", "--label", "team=none", code=0).ids() == []
    assert b.run("label", first, code=0).out == "team=web\nticket=42\n"
    assert b.run("label", first, "ticket-", "team=ops", "urgent", code=0).out.split() == ["team=ops", "urgent"]
    assert b.run("ps", "--all", "-o", "json", "--label", "urgent", code=0).json()["sessions"][0]["labels"] == ["team=ops", "urgent"]
    assert "session.updated" in b.run("log", first, code=0).out and "labels" in b.run("log", first, code=0).out
    # labels survive a restart, because they are events
    b.run("serve", "--stop", code=0)
    assert b.run("label", first, code=0).out.split() == ["team=ops", "urgent"]
    b.run("label", first, "team-", "urgent-", code=0)
    assert b.run("label", first, code=0).out == ""
    task = b.run("task", "new", "-q", "--label", "area=docs", "write it", code=0).ids()[0]
    b.run("task", "new", "-q", "other", code=0)
    assert b.run("task", "ls", "-q", "--label", "area=docs", code=0).ids() == [task]
    assert b.run("label", task, "area=code", code=0).out == "area=code\n"
    assert b.run("task", "ls", "-q", "--label", "area=docs", code=0).ids() == []
    assert b.run("task", "ls", "-o", "json", "--label", "area", code=0).json()["tasks"][0]["labels"] == ["area=code"]
    b.run("label", task, "area-", code=0)
    assert b.run("label", task, code=0).out == ""


@test
def a_label_that_is_none_is_refused_and_changes_nothing(b):
    before = b.run("run", "hello", code=0) and b.run("ps", "--all", "-q", code=0).ids()
    for bad in ("=x", "sp ace=1", "a=" + "v" * 200, "k" * 80, "a=two\nlines"):
        refused = b.run("run", "--label", bad, "hello", code=2)
        assert "invalid_value" in refused.err, refused
    b.run("run", *[w for i in range(17) for w in ("--label", f"k{i}=v")], "hello", code=2)
    assert "update_session" in b.run("run", "-s", before[0], "--label", "a=b", "hello", code=2).err
    refused = b.rpc("create_task", {"objective": "x", "cwd": str(b.work), "labels": ["no good"]})
    assert refused["error"]["data"]["code"] == "invalid_value", refused
    assert b.run("ps", "--all", "-q", code=0).ids() == before


@test
def a_label_is_found_among_thousands_of_sessions(b):
    b.start("serve").stderr.readline()
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE_S)
        s.connect(str(b.data / "socket"))
        lines = s.makefile()
        for start in range(0, MANY, 100):
            s.sendall("".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "create_session", "params": {
                "sessionId": f"sess_{i:05}", "labels": ["rare=yes", f"n={i}"] if i in (7, 3000) else [f"n={i}"]}}) + "\n"
                for i in range(start, start + 100)).encode())
            for _ in range(100):
                assert "result" in json.loads(lines.readline())
    assert b.run("ps", "--all", "-q", "--label", "rare=yes", code=0).ids() == ["sess_03000", "sess_00007"]
    # over HTTP: a page may be empty and have a cursor, and the last one has none
    found, cursor, pages = [], "", 0
    while True:
        status, reply = get(b, "/v1/sessions?limit=1&labels=rare%3Dyes" + (f"&cursor={urllib.parse.quote(cursor)}" if cursor else ""))
        assert status == 200, reply
        found += [r["sessionId"] for r in reply["sessions"]]
        cursor, pages = reply.get("nextCursor"), pages + 1
        if not cursor:
            break
    assert found == ["sess_03000", "sess_00007"] and pages < 10, (found, pages)
    status, reply = get(b, "/v1/sessions?limit=300&labels=n")
    assert len(reply["sessions"]) == 256 and reply["nextCursor"]
