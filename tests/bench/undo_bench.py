#!/usr/bin/env python3
"""What a snapshot of a workspace of 50,000 files costs, in processor time, beside `git status` of the same files.  Rows for tests/bench/run.

    undo_bench.py BUILD_DIR

The file tool is called as the runtime calls it, without the sandbox, whose cost bench_sandbox measures.
"""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
DIRS, FILES, RUNS = 500, 100, 9


def fill(work):
    for d in range(DIRS):
        (work / f"d{d}").mkdir(parents=True)
        for i in range(FILES):
            (work / f"d{d}" / f"f{i}.c").write_text(f"int f{d}_{i};\n" * 200)
    for args in (["init", "-q"], ["add", "-A"], ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "x"]):
        subprocess.run(["git", *args], cwd=work, check=True, capture_output=True)


def call(tool, work, kept):
    request = json.dumps({"tool": tool, "args": {"dir": str(kept), "call": "c"}, "cwd": str(work), "roots": [str(work)]})
    return timed([BUILD / "thole-supervisor", "file-tool"], work, request + "\n")


def timed(command, work, text=""):
    """Milliseconds of processor time: other work on the machine does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, text=True, cwd=work, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def row(name, value, limit, floor, note):
    ratio = value / floor
    print("\t".join(["row", name, f"{value:.0f} ms", f"{floor:.0f} ms", f"{ratio:.1f}", f"<= {limit} x", "yes" if ratio <= limit else "no", note]))


def main():
    base = pathlib.Path("undo").resolve()
    work, kept = base / "work", base / "kept"
    kept.mkdir(parents=True)
    fill(work)
    floor = statistics.median(timed(["git", "status", "--porcelain"], work) for _ in range(RUNS))
    note = f"floor: git status of the same {DIRS * FILES} files"
    row("first snapshot, with all contents", call("snapshot-take", work, kept), 20, floor, note)
    row("snapshot before a command", statistics.median(call("snapshot-take", work, kept) for _ in range(RUNS)), 3, floor, note)
    row("comparison after a command", statistics.median(call("snapshot-compare", work, kept) for _ in range(RUNS)), 3, floor, note)
    shutil.rmtree(base, ignore_errors=True)  # git may still tidy up in the background


os.umask(0o022)
main()
