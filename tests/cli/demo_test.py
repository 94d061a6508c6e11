#!/usr/bin/env python3
"""The demo: its claims are checked from outside, in files, in /proc and in the log that it leaves.

usage: demo_test.py BUILD_DIR

Prints TAP.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from wait import DEADLINE_S  # noqa: E402

THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
LIBRARIES = str(pathlib.Path("build/deps/lib").resolve())  # where scripts/setup put some; a copy elsewhere does not find them
KEY = b"KEY-OF-THE-DEMO"


def run(tmp, *args, program=THOLE, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("THOLE_", "XDG_"))}
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL,
                          env={**clean, "HOME": tmp, "TMPDIR": tmp, "LD_LIBRARY_PATH": LIBRARIES, **env}, cwd=tmp)


def processes(word):
    """Command lines on this machine that mention the word; ours does not."""
    found = []
    for d in pathlib.Path("/proc").iterdir():
        try:
            line = (d / "cmdline").read_bytes() if d.name.isdigit() else b""
        except OSError:
            continue
        if word.encode() in line:
            found.append(line)
    return found


def events(tmp, stage):
    session = json.loads(run(tmp, "ps", "--all", "--json", "--here", "--data", str(stage / "data")).stdout)["sessions"][0]["sessionId"]
    text = run(tmp, "export", "session", session, "--here", "--data", str(stage / "data")).stdout
    return session, [json.loads(line) for line in text.split("\n") if line]


def play(tmp, **env):
    p = run(tmp, "demo", "--keep", **env)
    assert p.returncode == 0, p.stdout + p.stderr
    assert "NOT TRUE" not in p.stdout and p.stderr == "", p
    stage = pathlib.Path(re.search(r"kept: (\S+)", p.stdout).group(1))
    assert not processes(str(stage)), "nothing of it is left"
    return p.stdout, stage


def check_log(tmp, out, stage):
    """The chain of the original, and the one byte of the copy."""
    whole, copy = (stage / "data/log.db").read_bytes(), (stage / "copy/log.db").read_bytes()
    at, sequence = map(int, re.search(r"flipped at byte (\d+) of a copy, in event (\d+): verify names event \2\b", out).groups())
    assert run(tmp, "verify", "--here", "--data", str(stage / "data")).returncode == 0
    # Both were opened since; the byte is still the reported one, and it is in the reported event.
    assert whole[at] ^ copy[at] == 1, (at, whole[at], copy[at])
    bad = run(tmp, "verify", "--here", "--data", str(stage / "copy"))
    assert bad.returncode == 1 and f"broken at event {sequence}:" in bad.stdout, bad
    assert f'"sequence":{sequence},'.encode() in whole[at - 4096:at]


def check_question(out, log):
    asked = [e for e in log if e["type"] == "action.required"]
    answered = [e for e in log if e["type"] == "action.resolved"]
    assert len(asked) == len(answered) == 1 and asked[0]["actionId"] == answered[0]["actionId"]
    assert f"the same question, {asked[0]['actionId']}" in out
    assert answered[0]["payload"]["decision"] == "deny"
    assert "said no: 200; a third said yes, too late: 409" in out
    return asked[0], answered[0]


def test_every_claim_of_the_demo_holds_outside(tmp):
    probe = json.loads(run(tmp, "sandbox", "probe").stdout)
    if probe["tier"] == "none":
        return "this machine has no sandbox"
    out, stage = play(tmp)
    session, log = events(tmp, stage)
    # two escapes
    refused = [e for e in log if e["type"] == "sandbox.violation"]
    assert len(refused) == 2 and f"{len(refused)} escapes refused" in out
    assert probe["tier"] in out
    assert refused[0]["payload"]["path"] == str(stage / "key") and refused[1]["payload"]["host"] == "127.0.0.1", refused
    assert not (stage / "out").exists() and (stage / "key").read_bytes().strip() == KEY
    for path in (stage / "data").rglob("*"):
        assert not path.is_file() or KEY not in path.read_bytes(), f"the key is in {path}"
    # the edit, and the test as a user runs it
    assert (stage / "repo/total.sh").read_text() == "echo $(($1 + $2))\n"
    assert subprocess.run(["sh", "test.sh"], cwd=stage / "repo", capture_output=True, text=True).stdout == "ok 1 total\n"
    # the question
    asked, answered = check_question(out, log)
    assert answered["payload"]["decidedBy"]["via"] == "http"
    # killed twice and reported twice: between the question and its answer, and after it
    killed = re.findall(r"\$ kill -9 (\d+)", out)
    assert len(killed) == len(set(killed)) == 2
    back = [e["sequence"] for e in log if e["type"] == "history.reconstructed"]
    assert len(back) == 2 and asked["sequence"] < back[0] < answered["sequence"] < back[1], back
    # lost once, not run again, nothing left
    lost = [e for e in log if e["type"] == "tool.failed" and e["payload"]["category"] == "lost"]
    assert len(lost) == 1 and lost[0]["sequence"] > answered["sequence"]
    assert (stage / "repo/ran").read_text() == "once\n"
    assert not processes("61.8033")
    assert "1 before the kill, 0 after" in out
    # the end
    last = [e for e in log if e["type"] == "turn.completed"]
    assert len(last) == 1 and [e for e in log if e["type"] == "tool.result"][-1]["payload"]["exitCode"] == 0
    made = [e["sequence"] for e in log if e["type"] == "evidence.changed"]
    before = [e for e in log if e["sequence"] < made[0] - 1]
    assert len(made) == 1 and f"{len(before)} events, whole" in out
    check_log(tmp, out, stage)
    # the pack, as another program reads it
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "examples"))
    import verify_pack
    _, counts = verify_pack.verify(str(stage / "pack"))
    assert counts["present"] == len(before), counts


def alone(tmp):
    """The program without its supervisor, so that no sandbox can be built."""
    program = pathlib.Path(tmp) / "alone" / "thole"
    program.parent.mkdir()
    shutil.copy2(THOLE, program)
    return str(program)


def test_without_a_sandbox_it_says_so_and_shows_the_rest(tmp):
    out, stage = play(tmp, program=alone(tmp))
    assert "no sandbox can be built here" in out and "escapes" not in out and "lost" not in out
    assert (stage / "repo/total.sh").read_text() == "echo $(($1 - $2))\n", "nothing ran"
    session, log = events(tmp, stage)
    asked, answered = check_question(out, log)
    assert answered["payload"]["decidedBy"]["via"] == "http"
    assert not [e for e in log if e["type"] in ("sandbox.violation", "process.started")]
    check_log(tmp, out, stage)


def test_without_curl_the_program_answers_itself(tmp):
    out, stage = play(tmp, program=alone(tmp), PATH=tmp)
    assert "curl is not installed" in out and "$ curl" not in out
    check_question(out, events(tmp, stage)[1])


def test_it_leaves_nothing_behind(tmp):
    p = run(tmp, "demo")
    assert p.returncode == 0, p.stdout
    left = [p for p in pathlib.Path(tmp).iterdir()]
    assert not left, left
    p = subprocess.Popen([THOLE, "demo"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": tmp})
    p.stdout.readline()
    p.stdout.close()
    p.wait(DEADLINE_S)
    left = [p for p in pathlib.Path(tmp).iterdir()]
    assert not left and not processes(tmp), "also when the output is not read to its end"


def main():
    tests = [(k[5:].replace("_", " "), f) for k, f in globals().items() if k.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for n, (name, f) in enumerate(tests, 1):
        tmp = tempfile.mkdtemp(prefix="thole-demo-")
        try:
            skip = f(tmp)
            print(f"ok {n} - demo: {name}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - demo: {name}")
            for line in traceback.format_exc().splitlines()[-60:]:
                print(f"# {line}", flush=True)
        finally:
            shutil.rmtree(tmp, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
