#!/usr/bin/env python3
"""apply_patch when the last step fails: files that were already replaced have their previous content.

usage: patch_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it, without the right of root to write anywhere, as in its sandbox: then a directory
that is closed refuses the last file, and nothing before that moment gives it away, because to remove a file nothing is prepared.
"""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from wait import DEADLINE_S  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
HEAD = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: new/d.txt\n+four\n*** Delete File: b.txt\n"


def ask(hand, home, patch):
    def drop():
        if os.getuid() == 0 and LIBC.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0:
            os._exit(77)

    request = {"tool": "apply_patch", "args": {"patch": patch}, "cwd": home, "roots": [home]}
    tool = subprocess.Popen([hand, "file-tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=drop, cwd="/")
    tool.stdin.write((json.dumps(request) + "\n").encode())
    tool.stdin.flush()
    sent = tool.stdout.read()  # it closes this when the old content is on its way, and waits
    try:
        tool.stdin.write(b"go\n")
        tool.stdin.close()
    except BrokenPipeError:
        pass
    report = json.loads(tool.stderr.read())
    tool.wait(timeout=DEADLINE_S)
    return sent, report


def tree(home):
    found = {}
    for top, _, names in os.walk(home):
        for name in names:
            path = os.path.join(top, name)
            with open(path) as f:
                found[os.path.relpath(path, home)] = (f.read(), os.stat(path).st_mode & 0o777)
    return found


def stage(top):
    home = os.path.join(top, "home")
    os.makedirs(os.path.join(home, "shut"))
    for name, text, mode in (("a.txt", "one\n", 0o640), ("b.txt", "two\n", 0o600), ("shut/c.txt", "three\n", 0o644)):
        with open(os.path.join(home, name), "w") as f:
            f.write(text)
        os.chmod(os.path.join(home, name), mode)
    return home


def check(hand, home):
    os.chmod(os.path.join(home, "shut"), 0o555)
    before = tree(home)
    # Held open, or the number of the old file may be given to the new one.
    with open(os.path.join(home, "a.txt")) as old:
        sent, report = ask(hand, home, HEAD + "*** Delete File: shut/c.txt\n*** End Patch\n")
        is_same = os.path.samestat(os.fstat(old.fileno()), os.stat(os.path.join(home, "a.txt")))
    assert sent == b"M4\none\n-1\n4\ntwo\n6\nthree\n", sent
    assert report["category"] == "permission" and report["executed"] == "no" and "c.txt" in report["message"], report
    assert tree(home) == before, (tree(home), before)
    assert not is_same, "it was never put in place: this tests nothing"
    yield "three files are taken back when the fourth fails"
    os.chmod(os.path.join(home, "shut"), 0o755)
    _, report = ask(hand, home, HEAD + "*** Delete File: shut/c.txt\n*** End Patch\n")
    assert "category" not in report, report
    assert tree(home) == {"a.txt": ("1\n", 0o640), "new/d.txt": ("four\n", 0o644)}, tree(home)
    yield "the same patch with the right to do it changes all of them"


def main():
    top = tempfile.mkdtemp(prefix="thole-patch-")
    hand = os.path.join(os.path.abspath(sys.argv[1]), "thole-supervisor")
    number = 0
    try:
        for name in check(hand, stage(top)):
            number += 1
            print(f"ok {number} - {name}")
    except AssertionError as e:
        number += 1
        print(f"not ok {number} - apply_patch, all or none\n# {e}")
        return 1
    finally:
        shutil.rmtree(top, ignore_errors=True)
        print(f"1..{number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
