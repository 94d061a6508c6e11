#!/usr/bin/env python3
"""A2A over gRPC: the official client through thole-grpc, and callers that do wrong.

usage: grpc_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.
"""
import json
import pathlib
import shutil
import subprocess
import sys

from grpc_fixture import ALLOW, Adapter, DEADLINE_S, HERE, Receiver, World, Wrong, free_port
from rude import tests as rude
from tap import Skip, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
tests = []


def test(f):
    tests.append(f)
    return f


def need_node():
    if not shutil.which("node") or not (HERE / "node_modules/@a2a-js/sdk").exists():
        raise Skip("the official client is not here: npm ci in tests/grpc fetches it")


def node(*args):
    r = subprocess.run(["node", *args], cwd=HERE, capture_output=True, text=True, timeout=DEADLINE_S * 2)
    if r.returncode:
        raise Wrong(r.stderr[-3000:] + r.stdout[-500:])
    return json.loads(r.stdout.splitlines()[-1])


def check_conversation(seen):
    assert seen["binding"] == "GRPC", seen
    assert seen["send"] == ["TASK_STATE_COMPLETED", "answer to hello"], seen
    assert seen["context"] == [True, True], seen
    assert seen["stream"][0] == "task" and seen["last"] == "TASK_STATE_COMPLETED", seen
    assert "one two three four five six seven eight nine ten".endswith(seen["text"]) and len(seen["text"]) > 20, seen
    assert seen["asked"] == "TASK_STATE_INPUT_REQUIRED" and seen["answered"][0] == "TASK_STATE_COMPLETED", seen
    assert seen["answered"][1].endswith("You chose the left one"), seen
    assert seen["busy"] in ("TASK_STATE_WORKING", "TASK_STATE_SUBMITTED") and seen["push"] == [True, True], seen
    assert seen["listed"] == 1 and seen["got"], seen
    assert seen["resubscribed"][0] == "task" and seen["cancel"] == seen["after"] == "TASK_STATE_CANCELED", seen
    assert seen["get"] == "TASK_STATE_COMPLETED" and seen["page"] == [2, 4, True], seen
    assert seen["card"] >= 1, seen
    failures = {f[0]: f[1:] for f in seen["failures"]}
    assert failures["missing"][0] == "GrpcTaskNotFoundError" and failures["ended"][0] == "GrpcTaskNotCancelableError", seen
    assert " 16 " in failures["stranger"][1], seen


@test
def the_official_client_works_over_grpc():
    need_node()
    port = free_port()
    with World(options=[*ALLOW, f"a2a.grpc_url=127.0.0.1:{port}"]) as w, Receiver() as hook, \
            Adapter("--listen", f"127.0.0.1:{port}", "--to", f"http://127.0.0.1:{w.daemon.port}"):
        check_conversation(node("peer.mjs", f"http://127.0.0.1:{w.daemon.port}", w.token("sdk"), hook.url))


tests += rude
chosen = [t for t in tests if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
if __name__ == "__main__":
    sys.exit(play(chosen))
