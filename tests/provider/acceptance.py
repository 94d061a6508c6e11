#!/usr/bin/env python3
"""The acceptance stories about models, in every dialect, over HTTP and over JSON-RPC on stdio.

usage: acceptance.py BUILD_DIR [WORD ...]     WORD: only stories or dialects with that name

The stories are in stories/, in the words of tests/scenario/README.md; @(BEHAVIOUR)@ stands for the
settings of a provider that speaks the dialect with the simulator's behaviour of that name.  Prints TAP.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
KEY = "sk-0123456789-secret"
sys.path.insert(0, str(HERE))
from dialects import BASES  # noqa: E402

spec = importlib.util.spec_from_file_location("scenario", HERE.parent / "scenario" / "run.py")
scenario = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenario)


class Simulator:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "simulator.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[1])

    def journal(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/__sim/journal", timeout=scenario.DEADLINE_S) as r:
            return json.load(r)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=scenario.DEADLINE_S)


def written_for(story, dialect, port):
    """The story with this dialect's providers, in its own file."""
    def provider(m):
        return json.dumps({"dialect": dialect, "keyEnv": "SIM_KEY",
                           "baseUrl": f"http://127.0.0.1:{port}/{m.group(1)}{BASES[dialect]}",
                           "models": [{"model": "sim-1", "capabilities": ["tool_use", "vision"], "windowTokens": 100000,
                                       "maxOutputTokens": 1000, "price": {"inputPerMTok": 1, "outputPerMTok": 2}}]})
    fd, path = tempfile.mkstemp(suffix=".scn")
    with os.fdopen(fd, "w") as f:
        f.write(re.sub(r"@\(([\w=-]+)\)@", provider, story.read_text()))
    return path


def images_went_out(journal):
    """Each request of an image story contains the bytes as base64."""
    bodies = [json.dumps(visit["body"]) for visit in journal]
    return bool(bodies) and all("iVBORw0KGgo" in body and "what is this?" in body for body in bodies)


def play(build, story, dialect, sim, tell):
    """Once per transport; what both left behind is compared."""
    path, events = written_for(story, dialect, sim.port), {}
    before = len(sim.journal())
    for transport in (scenario.Http, scenario.Stdio):
        run = scenario.Run(build, transport, path)
        name = f"{story.stem} with {dialect} over {transport.name}"
        try:
            events[transport.name] = run.run()
            leaks = KEY in json.dumps(run.events)
            tell(not leaks, name, "the key is in an event" if leaks else "")
        except scenario.Wrong as e:
            tell(False, name, str(e))
        shutil.rmtree(run.dir, ignore_errors=True)
    os.unlink(path)
    if len(events) == 2:
        a, b = scenario.normal(events["http"]), scenario.normal(events["stdio"])
        tell(a == b, f"{story.stem} with {dialect} leaves the same events on both",
             "" if a == b else scenario.first_difference(a, b))
    if story.stem == "image":
        tell(images_went_out(sim.journal()[before:]), f"the image is in the body of {dialect}")


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = sorted((HERE / "stories").glob("*.scn"))
    number = failed = 0
    os.environ["SIM_KEY"] = KEY

    def tell(ok, name, why=""):
        nonlocal number, failed
        number += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - acceptance: {name}", flush=True)
        for line in why.splitlines():
            print("# " + line, flush=True)

    sim = Simulator()
    for story in stories:
        for dialect in BASES:
            if not words or {story.stem, dialect} & set(words):
                play(build, story, dialect, sim, tell)
    sim.close()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
