#!/usr/bin/env python3
"""The daemon's own files are private, and files that tools create have the user's umask.

usage: umask_test.py BUILD_DIR      prints TAP

The daemon is started with one umask after the other; commands, file tools and background processes make files and directories.
"""
import os
import pathlib
import re
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture  # noqa: E402

Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
CALLS = [("shell", {"command": "mkdir by-shell; echo x >by-shell/f; umask >by-shell/mask"}), ("write_file", {"path": "by-tool/f", "content": "x"}),
         ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: by-patch/f\n+x\n*** End Patch\n"}),
         ("start_process", {"command": "mkdir by-process; echo x >by-process/f"})]


def mode(path):
    return path.stat().st_mode & 0o777


def try_umask(mask):
    old = os.umask(mask)
    try:
        fixture = Fixture(calls=CALLS, options=["permission.mode=bypass"])
    finally:
        os.umask(old)
    try:
        for _ in CALLS:
            fixture.run()
        fixture.until("the process", lambda: (fixture.work / "by-process" / "f").exists())
        for name in ("by-shell", "by-tool", "by-patch", "by-process"):
            made = (oct(mode(fixture.work / name)), oct(mode(fixture.work / name / "f")))
            assert made == (oct(0o777 & ~mask), oct(0o666 & ~mask)), (name, made)
        assert int((fixture.work / "by-shell" / "mask").read_text(), 8) == mask
        status = pathlib.Path(f"/proc/{fixture.daemon.process.pid}/status").read_text()
        assert re.search(r"Umask:\s*0077", status), status
        data = pathlib.Path(fixture.daemon.data)
        for path in [data, *data.rglob("*")]:
            try:
                assert path.is_symlink() or not mode(path) & 0o077, (path, oct(mode(path)))
            except FileNotFoundError:
                pass  # a blob that was being written has its name by now
    finally:
        fixture.close()


def main():
    masks, failed = (0o022, 0o002, 0o027, 0o077, 0o000), 0
    print(f"1..{len(masks)}")
    for n, mask in enumerate(masks, 1):
        try:
            try_umask(mask)
            print(f"ok {n} umask {mask:03o}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {n} umask {mask:03o}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:1000]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
