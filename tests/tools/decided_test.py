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


def an_absolute_link_into_the_workspace_is_followed(work):
    (work / "one" / "sub").mkdir(parents=True)
    (work / "one" / "f").write_text("inside\n")
    (work / "abs").symlink_to(work / "one")
    (work / "file").symlink_to(f"{work}/abs/./sub/../f")
    (work / "chain").symlink_to("abs/sub")
    out, report = ask(work, "read_file", {"path": "abs/f"}, [work / "one" / "f"])
    assert out == "inside\n", report
    out, report = ask(work, "read_file", {"path": "file"}, [work / "one" / "f"])
    assert out == "inside\n", report
    out, report = ask(work, "list_dir", {"path": "abs"}, [])
    assert out == "f\nsub/\n", report
    for name, real in (("abs/new", "one/new"), ("abs/deep/er/new", "one/deep/er/new"), ("chain/new", "one/sub/new")):
        _, report = ask(work, "write_file", {"path": name, "content": name}, [work / real])
        assert "category" not in report and (work / real).read_text() == name, report
    _, report = ask(work, "write_file", {"path": "abs/f", "content": "x"}, [work / "two" / "f"])
    assert LED in report["message"] and (work / "one" / "f").read_text() == "inside\n", report


def no_link_leads_out_of_the_workspace(work):
    outside = pathlib.Path(tempfile.mkdtemp(prefix="thole-outside-"))
    try:
        (outside / "f").write_text("outside\n")
        (work / "one").mkdir()
        (work / "hop").symlink_to(f"../{outside.name}")
        links = {"a": outside, "b": f"{work}/../{outside.name}", "c": f"{work}/hop", "d": f"{work}/one/../../{outside.name}", "e": f"{work}x", "g": f"{work}/g"}
        for name, to in links.items():
            (work / name).symlink_to(to)
            for tool, args in (("read_file", {"path": f"{name}/f"}), ("write_file", {"path": f"{name}/f", "content": "x"}),
                               ("write_file", {"path": f"{name}/new/f", "content": "x"}), ("list_dir", {"path": name})):
                out, report = ask(work, tool, args, [work / "one" / "f", outside.parent / "other" / "f"])
                assert report.get("category") and "outside" not in out, (name, tool, out, report)
        assert [p.name for p in outside.iterdir()] == ["f"] and (outside / "f").read_text() == "outside\n"
    finally:
        shutil.rmtree(outside)


def a_link_out_of_the_workspace_opens_what_was_decided(work):
    """The person was asked about the place that the link leads to."""
    outside = pathlib.Path(tempfile.mkdtemp(prefix="thole-outside-"))
    try:
        (outside / "f").write_text("outside\n")
        (outside / "g").write_text("not asked about\n")
        (work / "out").symlink_to(outside)
        (work / "gone").symlink_to(outside / "nowhere")
        out, report = ask(work, "read_file", {"path": "out/f"}, [outside / "f"])
        assert out == "outside\n", report
        for name in ("f", "new", "a/b/new"):
            _, report = ask(work, "write_file", {"path": f"out/{name}", "content": name}, [outside / name])
            assert "category" not in report and (outside / name).read_text() == name, report
        for tool, args in (("read_file", {"path": "out/g"}), ("write_file", {"path": "out/g", "content": "x"})):
            out, report = ask(work, tool, args, [outside / "f"])
            assert report["category"] == "permission" and "not asked" not in out, report
        assert (outside / "g").read_text() == "not asked about\n"
        out, report = ask(work, "list_dir", {"path": "out"}, [outside / "f"])
        assert report["errno"] == "EXDEV" and not out, report
        _, report = ask(work, "read_file", {"path": "out/none"}, [outside / "none"])
        assert report["errno"] == "ENOENT", report
        _, report = ask(work, "write_file", {"path": "gone/f", "content": "x"}, [outside / "nowhere" / "f"])
        assert report["errno"] == "EXDEV" and not (outside / "nowhere").exists(), report
    finally:
        shutil.rmtree(outside)


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
             a_directory_that_may_not_be_entered_is_no_link,
             an_absolute_link_into_the_workspace_is_followed, no_link_leads_out_of_the_workspace,
             a_link_out_of_the_workspace_opens_what_was_decided, more_files_than_were_listed_are_named_as_that]
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
