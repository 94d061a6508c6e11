#!/usr/bin/env python3
"""File tools fill the supervisor's temporary files when a person opened a protected file for the call.

usage: opened_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it; this test prepares what the supervisor prepares.
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
TEMP = ".thole-0123456789abcde{}.new"


def begin(work, tool, args, opened):
    """The call until it waits for "go", and what it has said."""
    request = {"tool": tool, "args": args, "cwd": str(work), "roots": [str(work)], "opened": [str(work / p) for p in opened]}
    p = subprocess.Popen([TOOL, "file-tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
    p.stdin.write((json.dumps(request) + "\n").encode())
    p.stdin.flush()
    return p, p.stdout.read()


def prepare(work, prepared, first=0):
    """What the supervisor makes, as the line behind "go"."""
    files = []
    for n, (entry, is_dir) in enumerate(prepared, first):
        temp = (work / entry).parent / TEMP.format(n)
        temp.mkdir() if is_dir else temp.touch(0o600)
        files.append({"entry": str(work / entry), "temp": str(temp), "isDirectory": is_dir})
    return b"go\n" + (json.dumps(files) + "\n").encode()


def ask(work, tool, args, opened, prepared, meanwhile=None, go=True):
    p, out = begin(work, tool, args, opened)
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


def main():
    tests = [the_file_that_was_prepared_becomes_the_approved_one, a_placeholder_changes_places_with_it,
             placeholders_may_come_and_go_meanwhile, of_two_calls_at_once_one_writes_the_file, a_directory_of_another_form_is_no_placeholder,
             missing_directories_come_with_their_files, nothing_is_changed_when_the_prepared_file_is_not_as_it_was,
             a_patch_that_fails_puts_the_same_files_back, a_deleted_file_comes_back_in_its_prepared_one]
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
