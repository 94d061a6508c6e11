#!/usr/bin/env python3
"""Snapshots of a workspace with damaged, missing and hostile files: a change is reported or told as not covered, never wrong.

usage: snapshot_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it, without the sandbox.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from wait import DEADLINE_S  # noqa: E402

TOOL = pathlib.Path(sys.argv[1]).resolve() / "thole-supervisor"


class Place:
    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="thole-snapshot-"))
        self.work, self.kept, self.denied = self.base / "work", self.base / "kept", []
        self.work.mkdir()
        self.kept.mkdir()
        for name in ("a", "b", "c"):
            (self.work / name).write_text(f"{name}\n" * 10)

    def ask(self, tool, call):
        request = {"tool": tool, "args": {"dir": str(self.kept), "call": call}, "cwd": str(self.work), "roots": [str(self.work)],
                   "denied": self.denied}
        done = subprocess.run([TOOL, "file-tool"], input=(json.dumps(request) + "\n").encode(), capture_output=True, timeout=DEADLINE_S)
        assert done.returncode in (0, 1), done
        return done.stdout, json.loads(done.stderr)

    def take(self, call="call"):
        return self.ask("snapshot-take", call)[1]

    def changes(self, call="call"):
        """{path: (change, old content)}, and what is not covered."""
        out, report = self.ask("snapshot-compare", call)
        if "structured" not in report:
            return None, report
        found, rest = {}, out[1:]
        for item in report["structured"]["files"]:
            head, rest = rest.split(b"\n", 1)
            length = max(int(head), 0)
            found[item["path"]] = (item["change"], None if head == b"-1" else rest[:length])
            rest = rest[length:]
        assert not rest, rest
        return found, report["structured"]["notCovered"]


def a_damaged_list_is_made_again(p):
    p.take()
    whole = (p.kept / "index").read_bytes()
    for size in (0, 1, 15, 16, 40, len(whole) - 1):
        (p.kept / "index").unlink()
        (p.kept / "index").write_bytes(whole[:size])
        assert p.take()["structured"]["files"] == 3
        (p.work / "a").write_text("new\n")
        assert p.changes()[0] == {"a": ("updated", b"a\n" * 10)}, size
        (p.work / "a").write_text("a\n" * 10)
    for at in range(0, len(whole), 7):
        (p.kept / "index").unlink()
        (p.kept / "index").write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:])
        assert p.take("other")["structured"]["files"] == 3


def a_damaged_list_of_a_call_is_no_list(p):
    p.take()
    mark = p.kept / "open" / "call"
    whole = mark.read_bytes()
    mark.unlink()
    mark.write_bytes(whole[:-3])
    found, report = p.changes()
    assert found is None and report["category"] == "not_found", report
    assert p.changes("never")[1]["category"] == "not_found"


def content_that_is_gone_is_named(p):
    p.take()
    pack = next(p.kept.glob("pack-*"))
    os.truncate(pack, 5)
    (p.work / "b").unlink()
    found, told = p.changes()
    assert found == {"b": ("deleted", None)} and told == ["b"], (found, told)
    assert p.take("next")["structured"]["notKept"] == 0, "what the pack has lost is copied again"
    (p.work / "c").write_text("x")
    assert p.changes("next")[0] == {"c": ("updated", b"c\n" * 10)}


def odd_names_and_kinds_are_reported_or_told(p):
    raw = os.fsencode(p.work) + b"/\xff\xfe"
    os.mkfifo(p.work / "fifo")
    with open(raw, "w") as f:
        f.write("no text\n")
    (p.work / "new\nline").write_text("1")
    (p.work / "link").symlink_to("/etc/passwd")
    p.take()
    os.unlink(raw)
    (p.work / "new\nline").write_text("2")
    (p.work / "link").unlink()
    (p.work / "link").mkdir()
    found, told = p.changes()
    assert found["new\nline"] == ("updated", b"1") and "fifo" not in found, found
    assert set(found) == {"new\nline", "link"}, found  # the name that is no text cannot be in an event
    out, report = p.ask("snapshot-compare", "call")
    kinds = [(f["change"], f["kind"]) for f in report["structured"]["files"] if f["path"] == "link"]
    assert kinds == [("deleted", "link"), ("created", "directory")], kinds
    assert report["structured"]["notCoveredCount"] == 1 and b"root:" not in out


def a_file_with_restored_times_is_seen(p):
    (p.work / "a").write_text("same size")
    os.utime(p.work / "a", (1, 1))
    p.take()
    (p.work / "a").write_text("SAME SIZE")
    os.utime(p.work / "a", (1, 1))
    assert p.changes()[0] == {"a": ("updated", b"same size")}
    os.utime(p.work / "b")
    assert set(p.changes()[0]) == {"a"}, "other times alone are no change"


def placeholders_of_deny_rules_are_no_changes(p):
    """What the sandbox makes for a denied path that is missing, and shows in place of one that exists."""
    w = p.work
    p.denied = [f"{w}/.env", f"{w}/conf/deep/key", f"write:{w}/dist", f"{w}/**/*.pem", f"write:{w}/**/*.lock"]
    p.take()
    for name in (".env", "conf", "dist", "x.pem", "mine", "y.lock"):
        (w / name).mkdir(mode=0o555)
        (w / name).chmod(0o555)
    assert set(p.changes()[0]) == {"mine"}, p.changes()  # a command may make a directory of this mode elsewhere
    p.denied = []
    assert ".env" in p.changes()[0]


def what_only_looks_denied_is_a_change(p):
    p.denied = [f"write:{p.work}/dist", f"{p.work}/conf/key"]
    (p.work / "dist").mkdir()
    (p.work / "dist" / "old").write_text("old\n")
    p.take()
    (p.work / "dist" / "old").write_text("new\n")
    (p.work / "dist").chmod(0o555)
    (p.work / "conf").mkdir()  # a mode that no placeholder has
    assert set(p.changes()[0]) == {"dist", "dist/old", "conf"}, p.changes()


def main():
    tests = [a_damaged_list_is_made_again, a_damaged_list_of_a_call_is_no_list, content_that_is_gone_is_named,
             odd_names_and_kinds_are_reported_or_told, a_file_with_restored_times_is_seen, placeholders_of_deny_rules_are_no_changes,
             what_only_looks_denied_is_a_change]
    print(f"1..{len(tests)}")
    failed = 0
    for n, test in enumerate(tests, 1):
        place = Place()
        try:
            test(place)
            print(f"ok {n} - {test.__name__.replace('_', ' ')}", flush=True)
        except Exception as e:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {test.__name__.replace('_', ' ')}\n# {type(e).__name__}: {e}", flush=True)
        finally:
            shutil.rmtree(place.base)
    return failed > 0


sys.exit(main())
