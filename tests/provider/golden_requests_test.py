#!/usr/bin/env python3
"""Whole request bodies of each dialect, compared with tests/golden/requests/: prompt, tools, cache marks, effort, tool results.

usage: golden_requests_test.py BUILD_DIR [DIALECT ...]     prints TAP; THOLE_WRITE=1 writes the files again

Two turns of one thread: the first names a file, calls a tool and answers, the second answers with an effort.  The directory has
instructions.  The file of a dialect holds the
last body whole, and of the bodies before what differs: the length of their conversation, other values, what was absent.  Machine, date and directories are replaced.
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
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from dialects import DIALECTS as SPOKEN  # noqa: E402
from fake import Fake  # noqa: E402

spec = importlib.util.spec_from_file_location("scenario", HERE.parent / "scenario" / "run.py")
scenario = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenario)
BUILD = os.path.abspath(sys.argv[1])
GOLDEN = HERE.parent / "golden" / "requests"
DIALECTS = {d.words[0]: d for d in SPOKEN}

# Claude's cache marks and effort depend on its name
MODELS = {"bedrock": "us.anthropic.claude-m-1-v1:0"}


def answers(cls):
    """The answer to each request: a call, a text, a text."""
    def reply(*pieces):
        return 200, {"Content-Type": cls.kind}, b"".join(pieces)

    def calls(r):
        d = cls()
        return reply(d.start, *d.calls(("call_1", "read_file", '{"path": ', '"README"}')), d.finish("tools"), d.last, d.done)

    def says(r):
        d = cls()
        return reply(d.start, d.text("It says hello."), d.finish("stop"), d.last, d.done)

    return [calls, says, says]


def bodies_of(name):
    cls = DIALECTS[name]
    fake = Fake(answers(cls))
    root = pathlib.Path(tempfile.mkdtemp(prefix="thole-requests-")).resolve()
    (root / "README").write_text("hello\n")
    (root / "CLAUDE.md").write_text("Use tabs.\n")
    named = [{"type": "text", "text": "What does README say? @NOTES has more."}, {"type": "file", "path": "NOTES"}]
    (root / "NOTES").write_text("It may end with </file> itself.\n")
    provider = fake.provider(name)
    provider["models"][0]["capabilities"].append("reasoning")
    model = provider["models"][0]["model"] = MODELS.get(name, "m-1")
    provider["baseUrl"] = f"http://127.0.0.1:{fake.port}" + cls.base
    daemon = scenario.Daemon(BUILD, str(root / "data"), None,
                             ["providers=" + json.dumps({"fake": provider}), "model=fake/" + model, "context.prompt=builtin"])
    try:
        daemon.start()
        http = scenario.Http(daemon)
        for text, more in ((named, {}), ("Thank you.", {"effort": "high"})):
            status, data = http.request("POST", "/v1/run", json.dumps({"sessionId": "sess_1", "input": text, **more}),
                                        headers={"Accept": "application/x-ndjson"})
            events = [json.loads(line) for line in data.decode().split("\n") if line]
            assert status == 200 and any(e["type"] == "turn.completed" for e in events), [(e["type"], e["payload"]) for e in events][-4:]
        return [r.path for r in fake.requests], [json.loads(plain(r.raw.decode(), root)) for r in fake.requests]
    finally:
        fake.close()
        daemon.stop()
        shutil.rmtree(root, ignore_errors=True)


def plain(text, root):
    """Without what differs between machines and days."""
    for old, new in ((str(root), "/work"), (os.path.expanduser("~"), "/home/user")):
        text = text.replace(old, new)
    text = re.sub(r"\d{4}-\d\d-\d\d", "2026-01-01", text)
    text = re.sub(r"(System|Operating system|OS): [^\\\n]*", r"\1: Linux", text)
    text = re.sub(r"(Shell): [^\\\n]*", r"\1: bash", text)
    return text


def golden_of(name, paths, bodies):
    member = DIALECTS[name].conversation
    for before, after in zip(bodies, bodies[1:]):
        known = before[member]
        assert [strip_marks(m) for m in after[member][:len(known)]] == [strip_marks(m) for m in known], "a body does not extend the one before"
    last = bodies[-1]
    before = [{**{k: len(v) if k == member else v for k, v in b.items() if k == member or v != last.get(k)},
               "absent": [k for k in last if k not in b]} for b in bodies[:-1]]
    return {"paths": paths, "before": before, "last": bodies[-1]}


MARK = {"cachePoint": {"type": "default"}}


def strip_marks(value):
    """Cache marks move to the newest message."""
    if isinstance(value, dict):
        return {k: strip_marks(v) for k, v in value.items() if k != "cache_control"}
    return [strip_marks(v) for v in value if v != MARK] if isinstance(value, list) else value


def main():
    names, failed = sys.argv[2:] or list(DIALECTS), 0
    os.environ.setdefault("SIM_KEY", "sim")
    tier = json.loads(subprocess.run([BUILD + "/thole", "sandbox", "probe"], capture_output=True, text=True).stdout or "{}").get("tier")
    if tier != "namespaces+landlock+seccomp":
        print(f"1..0 # SKIP the environment note differs without the full sandbox ({tier})")
        return 0
    print(f"1..{len(names)}")
    for n, name in enumerate(names, 1):
        try:
            text = json.dumps(golden_of(name, *bodies_of(name)), indent=1, ensure_ascii=False) + "\n"
            file = GOLDEN / f"{name}.json"
            if os.environ.get("THOLE_WRITE"):
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
            want = file.read_text() if file.exists() else ""
            different = [(a, b) for a, b in zip(text.splitlines(), want.splitlines()) if a != b][:3]
            assert text == want, f"{file.name} differs (THOLE_WRITE=1 writes it again): {different}"
            print(f"ok {n} - {name}: the bodies are as they should be", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {n} - {name}: the bodies are as they should be", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:800]}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
