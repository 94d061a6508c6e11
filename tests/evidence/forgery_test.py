#!/usr/bin/env python3
"""`thole verify` and examples/verify_pack.py say the same of forged, hostile and damaged packs.

usage: forgery_test.py BUILD_DIR [FLIPS [WORD ...]]     prints TAP; 300 bits are flipped when not said

Both must give the same exit code, and the file that the second verifier names (it stops at the first fault) must be one that the first names.
The packs are made from fixed bytes (forgeries.py), and the flipped bits follow from a seed: every run checks the same.
"""
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TOP, "tests", "lib")]
import forgeries  # noqa: E402
import second_verifier  # noqa: E402
import wait  # noqa: E402

SEED = 20261116


class Wrong(Exception):
    pass


def expect(what, is_so):
    if not is_so:
        raise Wrong(what)


def run(*words):
    """Neither home nor data directory; a verifier that waits for something fails here."""
    return subprocess.run(words, capture_output=True, env={"LC_ALL": "C", **{k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}}, timeout=wait.DEADLINE_S, cwd="/")


def files_named(done):
    """What each line of a finding is about: a path, or the word pack."""
    return set(re.findall(r"^([^\s:,]+)(?:, event \d+)?(?:, byte \d+)?: ", done.stdout.decode("utf-8", "replace"), re.M))


def check_both(build, what, path, code):
    first, second = run(os.path.join(build, "thole"), "verify", path), second_verifier.run(path, wait.DEADLINE_S)
    say = f"{what}: {first.returncode} {first.stdout}{first.stderr}; second {second.returncode} {second.stdout}{second.stderr}"
    expect(say, first.returncode == second.returncode == code and b"Traceback" not in second.stderr)
    if code == 1:
        expect("named differently: " + say, files_named(second) and files_named(second) <= files_named(first))
    return files_named(first)


def story_a_pack_from_fixed_bytes_is_whole(build, home, flips):
    forgeries.write_dir(forgeries.whole(), os.path.join(home, "whole"))
    check_both(build, "a directory", os.path.join(home, "whole"), 0)
    alone = run(sys.executable, second_verifier.PATH, os.path.join(home, "whole"))
    expect(f"by its command line: {alone}", alone.returncode == 0)
    forgeries.write_dir(forgeries.deep(), os.path.join(home, "deep"))
    check_both(build, "a deep event", os.path.join(home, "deep"), 0)
    for name, data in (("ours", forgeries.archive_of(forgeries.whole())), ("another program's", forgeries.zst_of(forgeries.tar_of(forgeries.whole().items())))):
        with open(os.path.join(home, "whole.tar.zst"), "wb") as f:
            f.write(data)
        check_both(build, name, os.path.join(home, "whole.tar.zst"), 0)


def story_forged_files_are_found_by_both(build, home, flips):
    kinds = forgeries.forged_files()
    expect("at least 30 kinds", len(kinds) >= 30)
    for what, files in kinds.items():
        target = os.path.join(home, "forged")
        shutil.rmtree(target, ignore_errors=True)
        forgeries.write_dir(files, target)
        check_both(build, what, target, 1)


def story_forged_archives_are_found_by_both(build, home, flips):
    for what, data in forgeries.forged_archives().items():
        path = os.path.join(home, "forged.tar.zst")
        with open(path, "wb") as f:
            f.write(data)
        check_both(build, what, path, 1)


def story_hostile_directories_are_found_by_both(build, home, flips):
    target, listener = os.path.join(home, "hostile"), socket.socket(socket.AF_UNIX)
    kinds = {
        "a link": lambda: os.symlink("/etc/passwd", os.path.join(target, "link")),
        "a link to a folder": lambda: os.symlink("/etc", os.path.join(target, "views2")),
        "a FIFO": lambda: os.mkfifo(os.path.join(target, "fifo")),
        "a FIFO in the place of a file": lambda: (os.unlink(os.path.join(target, "pack.json")), os.mkfifo(os.path.join(target, "pack.json"))),
        "a socket": lambda: listener.bind(os.path.join(target, "socket")),
        "deep folders": lambda: os.makedirs(os.path.join(target, "a/b/c/d/e")),
        "a strange name": lambda: open(os.path.join(target, "a\nb"), "w").close(),
        "a name that is not UTF-8": lambda: open(os.path.join(target.encode(), b"\xff"), "w").close(),
        "a hidden file": lambda: open(os.path.join(target, ".hidden"), "w").close(),
    }
    for what, spoil in kinds.items():
        shutil.rmtree(target, ignore_errors=True)
        forgeries.write_dir(forgeries.whole(), target)
        spoil()
        check_both(build, what, target, 1)
    listener.close()


def story_what_is_no_pack_is_refused_by_both(build, home, flips):
    os.mkdir(os.path.join(home, "empty"))
    os.makedirs(os.path.join(home, "other", "views"))
    os.mkfifo(os.path.join(home, "fifo"))
    for name, data in (("empty.txt", b""), ("text.tar.zst", b"hello\n"), ("short", b"\x28\xb5"), ("plain.tar", forgeries.tar_of(forgeries.whole().items()))):
        with open(os.path.join(home, name), "wb") as f:
            f.write(data)
    for name in ("empty", "other", "fifo", "empty.txt", "text.tar.zst", "short", "plain.tar", "missing"):
        check_both(build, name, os.path.join(home, name), 2)


def flipped(data, at, bit):
    out = bytearray(data)
    out[at] ^= 1 << bit
    return bytes(out)


def story_every_flipped_bit_is_named_by_both(build, home, flips):
    files, pick = forgeries.whole(), random.Random(SEED)
    archive, names = forgeries.archive_of(files), sorted(files)
    for n in range(flips):
        name = None if n % 4 == 0 else pick.choices(names, [len(files[f]) for f in names])[0]
        data = files[name] if name else archive
        at, bit = pick.randrange(len(data)), pick.randrange(8)
        path = os.path.join(home, "flipped" if name else "flipped.tar.zst")
        shutil.rmtree(os.path.join(home, "flipped"), ignore_errors=True)
        if name:
            forgeries.write_dir({**files, name: flipped(data, at, bit)}, path)
        else:
            with open(path, "wb") as f:
                f.write(flipped(data, at, bit))
        named = check_both(build, f"bit {bit} of byte {at} of {name or 'the archive'}", path, 1)
        expect(f"bit {bit} of byte {at} of {name or 'the archive'} is not named: {named}", (name or "pack") in named)


def main():
    build = os.path.abspath(sys.argv[1])
    flips = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    stories = [(n[6:].replace("_", " "), f) for n, f in globals().items() if n.startswith("story_")]
    stories = [(n, f) for n, f in stories if all(word in n for word in sys.argv[3:])]
    failed = 0
    for n, (name, story) in enumerate(stories, 1):
        with tempfile.TemporaryDirectory(prefix="thole-forgery-") as home:
            try:
                story(build, home, flips)
                print(f"ok {n} - {name}", flush=True)
            except (Wrong, subprocess.SubprocessError) as wrong:
                failed += 1
                print(f"not ok {n} - {name}\n# " + repr(wrong)[:1500].replace("\\n", "\n# "), flush=True)
    print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
