#!/usr/bin/env python3
"""One thread: begun in an editor, approved in Telegram, read by an A2A client, finished by OpenAI's client, listed in a second editor.

usage: story_test.py BUILD_DIR [WORD ...]     WORD: only if its name contains one of them

The clients are the official ones, from npm.  The daemon is killed between all steps, and the hash chain of the thread is checked at
the end.  Prints TAP.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from bridge_fixture import ANN, DEADLINE_S, HERE, World, Wrong, dies_with_parent, until

from tap import Skip, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:1500]} instead of {json.dumps(want)[:700]}")


class Story(World):
    def __init__(self):
        super().__init__("telegram", options=["a2a.enabled=true", "openai.enabled=true"], approvals_chat=ANN)
        self.token = pathlib.Path(self.data, "token").read_text().strip()
        self.work = str(self.dir)

    def step(self, name, **given):
        """A process that plays it; its lines are read as they come."""
        given |= {"program": os.path.join(self.build, "thole"), "data": self.data, "dir": self.work, "url": f"http://127.0.0.1:{self.daemon.port}",
                  "token": self.token}
        return subprocess.Popen(["node", str(HERE / "story.mjs"), name, json.dumps(given)], stdout=subprocess.PIPE, text=True, cwd=HERE,
                                preexec_fn=dies_with_parent, env={**os.environ, "XDG_CONFIG_HOME": self.data + ".config"})

    def played(self, name, **given):
        p = self.step(name, **given)
        out, _ = p.communicate(timeout=DEADLINE_S)
        if p.returncode or not out:
            raise Wrong(f"{name} ended with {p.returncode}: {out}")
        return json.loads(out.splitlines()[-1])

    def restart(self):
        self.daemon.kill()
        self.start_daemon()

    def messages(self):
        return [m for m in self.control("state")["messages"].values() if m["from_bot"] and not m.get("deleted")]


def a_thread_passes_through_an_editor_telegram_a2a_openai_and_another_editor():
    if not shutil.which("node") or not (HERE / "node_modules" / "openai").is_dir():
        raise Skip("the clients from npm are not here")
    with Story() as w:
        # An editor begins it and leaves while an approval waits.
        editor = w.step("begin")
        session = json.loads(editor.stdout.readline())["session"]
        equal(json.loads(editor.stdout.readline()), {"waits": session})
        editor.kill()
        editor.wait()
        w.restart()

        # The approval is in Telegram.
        asked = until(lambda: f"the approval: {w.bridge_log()[-900:]}", lambda: [m for m in w.messages() if m["keyboard"]])[0]
        w.restart()
        w.control("push", chat=ANN, user=ANN, message=asked["id"], data=asked["keyboard"][0][0]["callback_data"])
        ended = until("the turn ends", lambda: w.events(session, "turn.completed"))[0]
        by = w.events(session, "action.resolved")[0]["payload"]["decidedBy"]
        equal([by["principal"], by["onBehalfOf"]], ["telegram", "telegram:11 Ann"])
        w.restart()

        # Another agent reads it.
        read = w.played("read", task=f"{session}~{ended['taskId']}")
        equal([read["state"], read["texts"][-1], read["context"]], ["TASK_STATE_COMPLETED", "The tool said: published", f"{session}~{ended['threadId']}"])
        w.restart()

        # A client of the OpenAI APIs finishes it.
        equal(w.played("finish", session=session)["text"], "answer to and finish")
        w.restart()

        # A second editor lists it and loads all of it.
        listed = w.played("list", session=session)
        equal(session in listed["sessions"], True, listed)
        for text in ("publish", "The tool said: published", "and finish", "answer to and finish"):
            equal(text in "".join(listed["said"]), True, f"{text} in {listed['said']}")
        w.restart()

        # One log with one chain.
        kinds = {e["channel"]["nativeProtocol"] for e in w.events(session, "channel.connected")}
        equal({"telegram"} <= kinds, True, sorted(kinds))
        equal(len(w.events(session, "turn.completed")), 2)
        done = subprocess.run([os.path.join(w.build, "thole"), "--data", w.data, "verify", session], capture_output=True, text=True, timeout=DEADLINE_S)
        equal(done.returncode, 0, done.stderr + done.stdout)


words = sys.argv[2:]
story = a_thread_passes_through_an_editor_telegram_a2a_openai_and_another_editor
sys.exit(play([story], sys.argv[2:]))
