#!/usr/bin/env python3
"""`thole call`: one tool, without a model, from the command line.

usage: call_verb_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.
"""
import json
import os
import subprocess
import sys

import mcp_serve_test as base
import publish_test
from mcp_serve_test import equal, holds, test

base.tests.clear()


def call(w, *words, stdin=None):
    done = subprocess.run([os.path.join(base.BUILD, "thole"), "--data", w.data, "call", *words], capture_output=True, text=True, timeout=base.DEADLINE_S, cwd=w.work, input=stdin or "")
    return done.returncode, done.stdout, done.stderr


@test
def a_tool_of_the_inventory():
    with publish_test.world() as w:
        equal(call(w, "look", "--arg", "where=here")[:2], (0, "seen\n"))
        equal(call(w, "look", '{"where": "here"}')[:2], (0, "seen\n"))
        equal(call(w, "look", "-", stdin='{"where": "here"}')[:2], (0, "seen\n"))
        equal(call(w, "big")[:2], (0, "x" * 3_000_000 + "\n"), "more than one page")
        types = [e["type"] for s in publish_test.sessions_of(w) for e in w.events(s)]
        holds("model.requested" not in types, "no model is asked")
        events = [json.loads(line) for line in call(w, "--json", "look")[1].splitlines()]
        holds(any(e["type"] == "tool.result" for e in events), "with --json its events")
        publish_test.verify(w)


@test
def a_tool_of_a_server():
    with publish_test.Fixture() as w:
        equal(call(w, "fixture.greet", "--arg", "name=Bob")[:2], (0, "Hello, Bob!\n"))
        equal(call(w, "mcp__fixture__greet", '{"name": "Ann"}', "--arg", "name=Bob")[:2], (0, "Hello, Bob!\n"), "an option replaces a member")


@test
def approvals_and_failures_have_the_exit_codes_of_run():
    with publish_test.world() as w:
        equal(call(w, "publish")[0], 4, "it needs an approval")
        equal(call(w, "denied")[0], 5)
        equal(call(w, "broken")[0], 1)
        holds(call(w, "no_such_tool")[0] not in (0, 2), "there is none")


@test
def what_cannot_be_called():
    with publish_test.world() as w:
        before = len(publish_test.sessions_of(w))
        for words in ((), ("look", "[]"), ("look", "{"), ("look", "--arg", "where"), ("look", "--arg", "=x"), ("look", "{}", "more")):
            equal(call(w, *words)[0], 2, words)
        equal(len(publish_test.sessions_of(w)), before, "nothing was submitted")


if __name__ == "__main__":
    sys.exit(base.main())
