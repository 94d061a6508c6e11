#!/usr/bin/env python3
"""File tools open what was decided: a link that changed is refused, and no other error is called that.

usage: decided_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it, with the list of the paths that the decision was about.
"""
import ctypes
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
LIBC = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
LED, MANY = "A link leads", "more files through links"


def drop():
    """Without the right of root to enter every directory, as in the sandbox."""
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if os.getuid() == 0 and LIBC.prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0:
            os._exit(77)


def ask(work, tool, args, resolved):
    request = {"tool": tool, "args": args, "cwd": str(work), "roots": [str(work)], "resolved": [str(path) for path in resolved]}
    text = (json.dumps(request) + "\n").encode()
    p = subprocess.Popen([TOOL, "file-tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=drop, cwd="/")
    p.stdin.write(text)
    p.stdin.flush()
    out = p.stdout.read()  # a tool that writes closes this when the old content is on its way, and waits
    try:
        p.stdin.write(b"go\n")
        p.stdin.close()
    except BrokenPipeError:
        pass
    report = json.loads(p.stderr.read())
    p.wait(timeout=DEADLINE_S)
    return out.decode(errors="replace"), report


def files_of_the_own_process_are_read(work):
    """The runtime that decides is another process, so it is led to its own files."""
    for path in ("/proc/mounts", "/proc/self/status", "/proc/thread-self/comm", "/proc/net/dev"):
        out, report = ask(work, "read_file", {"path": path}, [f"/proc/{os.getpid()}/{path.split('/')[-1]}"])
        assert out and "category" not in report, (path, report)


def a_link_into_proc_is_none_of_them(work):
    (work / "one").write_text("one\n")
    (work / "d").symlink_to("/proc/self/status")
    _, report = ask(work, "read_file", {"path": "d"}, [work / "one"])
    assert report["category"] == "permission", report
    for path in ("/proc/self/root/etc/hostname", "/proc/self/cwd/etc/hostname", "/proc/self/exe"):
        _, report = ask(work, "read_file", {"path": path}, [])
        assert report.get("category"), (path, report)


def a_changed_link_is_refused(work):
    for name in ("one", "two"):
        (work / name).mkdir()
        (work / name / "f").write_text(name)
    (work / "d").symlink_to("two")
    for tool, args in (("read_file", {"path": "d/f"}), ("write_file", {"path": "d/f", "content": "x"})):
        out, report = ask(work, tool, args, [work / "one" / "f"])
        assert LED in report["message"] and "two" not in out, report
    assert (work / "two" / "f").read_text() == "two"


def a_directory_that_may_not_be_entered_is_no_link(work):
    (work / "shut").mkdir()
    (work / "shut" / "f").write_text("kept")
    (work / "shut").chmod(0o600)
    try:
        for tool, args in (("read_file", {"path": "shut/f"}), ("write_file", {"path": "shut/f", "content": "x"}),
                           ("write_file", {"path": "shut/new", "content": "x"}), ("edit_file", {"path": "shut/f", "oldText": "k", "newText": "x"})):
            _, report = ask(work, tool, args, [work / args["path"]])
            assert report["category"] == "permission" and report["errno"] == "EACCES" and LED not in report["message"], (tool, report)
    finally:
        (work / "shut").chmod(0o700)
    assert [p.name for p in (work / "shut").iterdir()] == ["f"] and (work / "shut" / "f").read_text() == "kept"


def more_files_than_were_listed_are_named_as_that(work):
    """The list of a decision has an upper bound."""
    (work / "one").mkdir()
    (work / "d").symlink_to("one")
    patch = "*** Begin Patch\n" + "".join(f"*** Add File: d/f{n}\n+x\n" for n in range(65)) + "*** End Patch"
    listed = [work / "one" / f"f{n}" for n in range(64)]
    _, report = ask(work, "apply_patch", {"patch": patch}, listed)
    assert MANY in report["message"] and "d/f64" in report["message"] and "split" in report["advice"], report
    assert not list((work / "one").iterdir())
    _, report = ask(work, "apply_patch", {"patch": patch.replace("*** Add File: d/f64\n+x\n", "")}, listed)
    assert "category" not in report and len(list((work / "one").iterdir())) == 64, report


def main():
    tests = [files_of_the_own_process_are_read, a_link_into_proc_is_none_of_them, a_changed_link_is_refused,
             a_directory_that_may_not_be_entered_is_no_link, more_files_than_were_listed_are_named_as_that]
    print(f"1..{len(tests)}")
    failed = 0
    for n, test in enumerate(tests, 1):
        work = pathlib.Path(tempfile.mkdtemp(prefix="thole-decided-"))
        try:
            test(work)
            print(f"ok {n} - {test.__name__.replace('_', ' ')}", flush=True)
        except Exception as e:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {test.__name__.replace('_', ' ')}\n# {type(e).__name__}: {e}", flush=True)
        finally:
            shutil.rmtree(work)
    return failed > 0


sys.exit(main())
