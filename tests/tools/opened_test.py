#!/usr/bin/env python3
"""File tools fill the supervisor's temporary files when a person opened a protected file for the call.

usage: opened_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it; this test prepares what the supervisor prepares.
"""
import ctypes
import json
import os
import pathlib
import platform
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from wait import DEADLINE_S  # noqa: E402

TOOL = pathlib.Path(sys.argv[1]).resolve() / "thole-supervisor"
TEMP = ".thole-0123456789abcde{}.new"
KEEPER = ".thole-1123456789abcde{}.new"


def no_exchange():
    """From here on renameat2() answers as on a file system that cannot exchange two names."""
    number = {"x86_64": 316, "aarch64": 276}[platform.machine()]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16 + 4 * 8), (0x15, 0, 1, 2), (0x06, 0, 0, 0x00050000 | 22), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def begin(work, tool, args, opened, first=None):
    """The call until it waits for "go", and what it has said."""
    request = {"tool": tool, "args": args, "cwd": str(work), "roots": [str(work)], "opened": [str(work / p) for p in opened]}
    p = subprocess.Popen([TOOL, "file-tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", preexec_fn=first)
    p.stdin.write((json.dumps(request) + "\n").encode())
    p.stdin.flush()
    return p, p.stdout.read()


def prepare(work, prepared, first=0):
    """What the supervisor makes, as the line behind "go".  A third member: the file may be deleted, and this is needsExchange."""
    files = []
    for n, (entry, is_dir, *needs) in enumerate(prepared, first):
        temp = (work / entry).parent / TEMP.format(n)
        temp.mkdir() if is_dir else temp.touch(0o600)
        files.append({"entry": str(work / entry), "temp": str(temp), "isDirectory": is_dir})
        if needs:
            files[-1] |= {"placeholder": str(temp.with_name(KEEPER.format(n))), "needsExchange": needs[0]}
            placeholder(temp.with_name(KEEPER.format(n)))
    return b"go\n" + (json.dumps(files) + "\n").encode()


def ask(work, tool, args, opened, prepared, meanwhile=None, go=True, first=None):
    p, out = begin(work, tool, args, opened, first)
    line = prepare(work, prepared)
    if meanwhile:
        meanwhile()
    try:
        p.stdin.write(line if go else b"go\n")
        p.stdin.close()
    except BrokenPipeError:
        pass
    report = json.loads(p.stderr.read())
    p.wait(timeout=DEADLINE_S)
    return out, report


def placeholder(path):
    path.mkdir()
    path.chmod(0o555)


def temps(work):
    return sorted(p.name for p in work.rglob(".thole-*"))


def number(path):
    return path.stat().st_ino


def the_file_that_was_prepared_becomes_the_approved_one(work):
    for path in ("AGENTS.md", "new.md"):
        (work / "AGENTS.md").write_text("old\n")
        (work / "AGENTS.md").chmod(0o640)
        seen = []
        _, report = ask(work, "write_file", {"path": path, "content": "new\n"}, [path], [(path, False)],
                        lambda: seen.append(number(work / TEMP.format(0))))
        assert "category" not in report and (work / path).read_text() == "new\n", report
        assert number(work / path) == seen[0] and not temps(work), "another file"
        assert path != "AGENTS.md" or (work / path).stat().st_mode & 0o777 == 0o640


def a_placeholder_changes_places_with_it(work):
    placeholder(work / "AGENTS.md")
    out, report = ask(work, "write_file", {"path": "AGENTS.md", "content": "new\n"}, ["AGENTS.md"], [("AGENTS.md", False)])
    assert out == b"N" and report["structured"]["change"] == "created", report
    assert (work / "AGENTS.md").read_text() == "new\n" and not temps(work)
    placeholder(work / ".claude")
    _, report = ask(work, "write_file", {"path": ".claude/settings.json", "content": "{}"}, [".claude/settings.json"], [(".claude", True)])
    assert "category" not in report and (work / ".claude/settings.json").read_text() == "{}" and not temps(work), report
    placeholder(work / "CLAUDE.md")
    _, report = ask(work, "edit_file", {"path": "CLAUDE.md", "oldText": "a", "newText": "b"}, ["CLAUDE.md"], [("CLAUDE.md", False)])
    assert report["category"] == "not_found", report


def placeholders_may_come_and_go_meanwhile(work):
    """Sandboxes begin and end while the call waits."""
    new = {"path": "AGENTS.md", "content": "new\n"}
    _, report = ask(work, "write_file", new, ["AGENTS.md"], [("AGENTS.md", False)], lambda: placeholder(work / "AGENTS.md"))
    assert "category" not in report and (work / "AGENTS.md").read_text() == "new\n" and not temps(work), report
    (work / "AGENTS.md").unlink()
    placeholder(work / "AGENTS.md")
    _, report = ask(work, "write_file", new, ["AGENTS.md"], [("AGENTS.md", False)], (work / "AGENTS.md").rmdir)
    assert "category" not in report and (work / "AGENTS.md").read_text() == "new\n" and not temps(work), report
    inside = {"path": ".claude/settings.json", "content": "{}"}
    _, report = ask(work, "write_file", inside, [".claude/settings.json"], [(".claude", True)], lambda: placeholder(work / ".claude"))
    assert "category" not in report and (work / ".claude/settings.json").read_text() == "{}" and not temps(work), report


def of_two_calls_at_once_one_writes_the_file(work):
    """The other one has not seen what it would replace."""
    for n in range(20):
        for path, before in (("AGENTS.md", "placeholder"), ("CLAUDE.md", "old\n"), ("new.md", None)):
            if before == "placeholder":
                placeholder(work / path)
            elif before:
                (work / path).write_text(before)
            calls = [begin(work, "write_file", {"path": path, "content": f"{i}" * (n + i + 9)}, [path])[0] for i in (1, 2)]
            lines = [prepare(work, [(path, False)], i) for i in (1, 2)]
            for p, line in zip(calls, lines):
                p.stdin.write(line)
                p.stdin.flush()
            reports = [json.loads(p.communicate(timeout=DEADLINE_S)[1]) for p in calls]
            done = [i for i, report in enumerate(reports, 1) if "category" not in report]
            assert len(done) == 1, (path, reports)
            assert (work / path).read_text() == f"{done[0]}" * (n + done[0] + 9), (path, reports)
            for name in temps(work):  # the supervisor removes them
                (work / name).unlink()
            (work / path).unlink()


def a_directory_of_another_form_is_no_placeholder(work):
    (work / "AGENTS.md").mkdir()
    _, report = ask(work, "write_file", {"path": "AGENTS.md", "content": "new\n"}, ["AGENTS.md"], [("AGENTS.md", False)])
    assert report["errno"] == "EISDIR" and (work / "AGENTS.md").is_dir(), report


def missing_directories_come_with_their_files(work):
    names = [".github/workflows/a.yml", ".github/workflows/deep/b.yml", ".github/c.yml"]
    patch = "*** Begin Patch\n" + "".join(f"*** Add File: {name}\n+{name}\n" for name in names) + "*** End Patch"
    _, report = ask(work, "apply_patch", {"patch": patch}, names, [(".github", True)])
    assert "category" not in report, report
    assert all((work / name).read_text() == name + "\n" for name in names) and not temps(work)


def nothing_is_changed_when_the_prepared_file_is_not_as_it_was(work):
    temp = work / TEMP.format(0)
    bad = {
        "filled": lambda: temp.write_text("evil"),
        "linked": lambda: os.link(temp, work / "other"),
        "gone": temp.unlink,
        "a link": lambda: (temp.unlink(), temp.symlink_to("other")),
        "a directory": lambda: (temp.unlink(), temp.mkdir()),
        "the target changed": lambda: (work / "AGENTS.md").write_text("theirs\n"),
    }
    for what, change in bad.items():
        (work / "AGENTS.md").write_text("old\n")
        _, report = ask(work, "write_file", {"path": "AGENTS.md", "content": "new\n"}, ["AGENTS.md"], [("AGENTS.md", False)], change)
        assert report.get("category") and report["executed"] == "no", (what, report)
        assert (work / "AGENTS.md").read_text() in ("old\n", "theirs\n"), what
        for p in list(work.iterdir()):
            shutil.rmtree(p) if p.is_dir() and not p.is_symlink() else p.unlink()
    (work / "AGENTS.md").write_text("old\n")
    for prepared, go in (([], True), ([("AGENTS.md", False)], False), ([("other.md", False)], True)):
        _, report = ask(work, "write_file", {"path": "AGENTS.md", "content": "new\n"}, ["AGENTS.md"], prepared, go=go)
        assert report.get("category") and (work / "AGENTS.md").read_text() == "old\n", (prepared, report)
        for name in temps(work):
            (work / name).unlink()


def a_patch_that_fails_puts_the_same_files_back(work):
    """They keep the mounts that other sandboxes have on them."""
    (work / "AGENTS.md").write_text("old\n")
    (work / "CLAUDE.md").write_text("old\n")
    placeholder(work / ".mcp.json")
    before = [number(work / name) for name in ("AGENTS.md", "CLAUDE.md", ".mcp.json")]
    patch = ("*** Begin Patch\n*** Update File: AGENTS.md\n@@\n-old\n+new\n*** Update File: CLAUDE.md\n@@\n-old\n+new\n"
             "*** Add File: .mcp.json\n+{}\n*** Add File: later/f\n+x\n*** End Patch")
    names = ["AGENTS.md", "CLAUDE.md", ".mcp.json", "later/f"]
    # the last one cannot be put in place
    _, report = ask(work, "apply_patch", {"patch": patch}, names, [(n, False) for n in names[:3]] + [("later", True)],
                    lambda: (work / "later").write_text("theirs"))
    assert report.get("category") and report["executed"] == "no", report
    assert [number(work / name) for name in names[:3]] == before and (work / "AGENTS.md").read_text() == (work / "CLAUDE.md").read_text() == "old\n"
    assert temps(work) == [TEMP.format(3)], temps(work)  # of the supervisor, which removes it


def a_deleted_file_comes_back_in_its_prepared_one(work):
    (work / "AGENTS.md").write_text("old\n")
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** Add File: later/f\n+x\n*** End Patch"
    seen = []
    _, report = ask(work, "apply_patch", {"patch": patch}, ["AGENTS.md", "later/f"], [("AGENTS.md", False), ("later", True)],
                    lambda: (seen.append(number(work / TEMP.format(0))), (work / "later").write_text("theirs")))
    assert report.get("category") and report["executed"] == "no", report
    assert (work / "AGENTS.md").read_text() == "old\n" and number(work / "AGENTS.md") == seen[0]


def a_deleted_file_changes_places_with_its_placeholder(work):
    """Also beside others of the same patch, which are deleted, renamed and created."""
    for name in ("AGENTS.md", "CLAUDE.md"):
        (work / name).write_text("old\n")
    placeholder(work / ".mcp.json")
    seen = []
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** Add File: GEMINI.md\n+old\n*** Delete File: CLAUDE.md\n*** Add File: .mcp.json\n+{}\n*** End Patch"
    names = ["AGENTS.md", "GEMINI.md", "CLAUDE.md", ".mcp.json"]
    _, report = ask(work, "apply_patch", {"patch": patch}, names, [("AGENTS.md", False, True), ("GEMINI.md", False), ("CLAUDE.md", False, False), (".mcp.json", False)],
                    lambda: seen.extend(number(work / KEEPER.format(n)) for n in (0, 2)))
    assert "category" not in report, report
    assert [number(work / name) for name in ("AGENTS.md", "CLAUDE.md")] == seen
    assert all((work / name).stat().st_mode & 0o7777 == 0o555 and not list((work / name).iterdir()) for name in ("AGENTS.md", "CLAUDE.md"))
    assert (work / "GEMINI.md").read_text() == "old\n" and (work / ".mcp.json").read_text() == "{}\n"
    assert temps(work) == [TEMP.format(0), TEMP.format(2)], temps(work)  # of the supervisor, which removes them


def a_patch_that_fails_puts_the_deleted_file_back(work):
    (work / "AGENTS.md").write_text("old\n")
    before = number(work / "AGENTS.md")
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** Add File: later/f\n+x\n*** End Patch"
    _, report = ask(work, "apply_patch", {"patch": patch}, ["AGENTS.md", "later/f"], [("AGENTS.md", False, True), ("later", True)],
                    lambda: (work / "later").write_text("theirs"))
    assert report.get("category") and report["executed"] == "no", report
    assert (work / "AGENTS.md").read_text() == "old\n" and number(work / "AGENTS.md") == before
    assert temps(work) == [TEMP.format(0), TEMP.format(1)], temps(work)


def a_file_is_not_deleted_when_its_placeholder_or_itself_has_changed(work):
    keeper = work / KEEPER.format(0)
    bad = {
        "gone": keeper.rmdir,
        "a file": lambda: (keeper.rmdir(), keeper.write_text("evil")),
        "filled": lambda: (keeper.chmod(0o755), (keeper / "x").touch(), keeper.chmod(0o555)),
        "writable": lambda: keeper.chmod(0o755),
        "the file changed": lambda: (work / "AGENTS.md").write_text("theirs\n"),
        "another file": lambda: ((work / "other").write_text("old\n"), (work / "other").rename(work / "AGENTS.md")),
    }
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"
    for what, change in bad.items():
        (work / "AGENTS.md").write_text("old\n")
        _, report = ask(work, "apply_patch", {"patch": patch}, ["AGENTS.md"], [("AGENTS.md", False, True)], change)
        assert report.get("category") and report["executed"] == "no", (what, report)
        assert (work / "AGENTS.md").read_text() in ("old\n", "theirs\n"), what
        subprocess.run(["chmod", "-R", "u+w", work], check=True)
        for p in list(work.iterdir()):
            shutil.rmtree(p) if p.is_dir() else p.unlink()


def without_an_exchange_a_name_that_others_could_take_is_not_freed(work):
    patch = "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"
    (work / "AGENTS.md").write_text("old\n")
    _, report = ask(work, "apply_patch", {"patch": patch}, ["AGENTS.md"], [("AGENTS.md", False, True)], first=no_exchange)
    assert report["category"] == "tool_failed" and "cannot exchange" in report["message"] and report["executed"] == "no", report
    assert (work / "AGENTS.md").read_text() == "old\n"
    (work / TEMP.format(0)).unlink()
    (work / KEEPER.format(0)).rmdir()
    _, report = ask(work, "apply_patch", {"patch": patch}, ["AGENTS.md"], [("AGENTS.md", False, False)], first=no_exchange)
    assert "category" not in report and not (work / "AGENTS.md").exists(), report


def of_two_deletions_at_once_one_deletes_the_file(work):
    patch = {"patch": "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"}
    for _ in range(20):
        (work / "AGENTS.md").write_text("old\n")
        calls = [begin(work, "apply_patch", patch, ["AGENTS.md"])[0] for _ in (1, 2)]
        lines = [prepare(work, [("AGENTS.md", False, True)], i) for i in (1, 2)]
        for p, line in zip(calls, lines):
            p.stdin.write(line)
            p.stdin.flush()
        reports = [json.loads(p.communicate(timeout=DEADLINE_S)[1]) for p in calls]
        assert len([r for r in reports if "category" not in r]) == 1, reports
        assert (work / "AGENTS.md").is_dir()
        for p in list(work.iterdir()):  # the supervisor removes them
            p.rmdir() if p.is_dir() else p.unlink()


def main():
    tests = [the_file_that_was_prepared_becomes_the_approved_one, a_placeholder_changes_places_with_it,
             placeholders_may_come_and_go_meanwhile, of_two_calls_at_once_one_writes_the_file, a_directory_of_another_form_is_no_placeholder,
             missing_directories_come_with_their_files, nothing_is_changed_when_the_prepared_file_is_not_as_it_was,
             a_patch_that_fails_puts_the_same_files_back, a_deleted_file_comes_back_in_its_prepared_one,
             a_deleted_file_changes_places_with_its_placeholder, a_patch_that_fails_puts_the_deleted_file_back,
             a_file_is_not_deleted_when_its_placeholder_or_itself_has_changed, without_an_exchange_a_name_that_others_could_take_is_not_freed,
             of_two_deletions_at_once_one_deletes_the_file]
    print(f"1..{len(tests)}")
    failed = 0
    for n, test in enumerate(tests, 1):
        work = pathlib.Path(tempfile.mkdtemp(prefix="thole-opened-"))
        why = ""
        try:
            test(work)
        except Exception as e:
            why = f"{type(e).__name__}: {e}"
        subprocess.run(["chmod", "-R", "u+w", work], check=False)
        shutil.rmtree(work, ignore_errors=True)
        failed += bool(why)
        print(f"{'not ok' if why else 'ok'} {n} - {test.__name__.replace('_', ' ')}")
        if why:
            print("# " + why.replace("\n", "\n# "))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
