#!/usr/bin/env python3
"""`thole conform live` against runtimes of others: opencode and the LangGraph server, from npm, with a model server of ours.

usage: others_test.py BUILD_DIR [--write]     --write: renews conform/results and the table in conform/README.md

Prints TAP.  Each result must be the published one, of all rows that the pack has now.
"""
import json
import os
import pathlib
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "provider"), str(ROOT / "tests" / "lib")]
import fake  # noqa: E402
import tap  # noqa: E402
import wait  # noqa: E402

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
MODULES = HERE / "node_modules"
WRITE = "--write" in sys.argv[2:]
tests = []


def test(f):
    tests.append(f)
    return f


def version_of(package):
    path = MODULES / package / "package.json"
    if not path.exists():
        raise tap.Skip(f"npm has not fetched {package}")
    return json.loads(path.read_text())["version"]


class Server:
    """A runtime of others in a process group of its own, with a home that is removed."""

    def __init__(self, command, ready, files=(), links=(), **env):
        self.ready = ready
        self.home = tempfile.TemporaryDirectory(prefix="thole-others-")
        home = pathlib.Path(self.home.name)
        work = home / "work"
        work.mkdir()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        for name, text in files:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text)
        for name, target in links:
            (work / name).symlink_to(target)
        self.said = open(home / "said", "w+")
        # They fetch packages from npm when they start, so npm's settings stay; keys of models do not.
        keep = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
        self.process = subprocess.Popen([str(c).replace("{port}", str(self.port)) for c in command], cwd=work, stdout=self.said,
                                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                                        env={**keep, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"), **env})
        self.url = f"http://127.0.0.1:{self.port}"

    def is_up(self):
        assert self.process.poll() is None, self.text()
        try:
            return urllib.request.urlopen(self.url + self.ready, timeout=5).status == 200
        except OSError:
            return False

    def text(self):
        self.said.seek(0)
        return self.said.read()[-2000:]

    def __enter__(self):
        wait.until(self.text, self.is_up)
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.said.close()
        self.home.cleanup()


def summary(found, name, version):
    rows = {"pass": [], "fail": []}
    for r in found["rows"]:
        if r["result"] in rows and r["profile"] in ("core", "work"):
            rows[r["result"]].append(r["id"])
    core = next(p for p in found["profiles"] if p["profile"] == "core")
    return {"runtime": name, "version": version, "rows": len(found["rows"]), "core": {k: core[k] for k in ("pass", "fail", "notShown")}, **rows}


def check(server, adapter, version):
    path = ROOT / "conform" / "adapters" / f"{adapter}.json"
    name = json.loads(path.read_text())["name"]
    done = subprocess.run([BUILD / "thole", "conform", "live", server.url, "--adapter", path, "--timeout", "60", "--json"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    assert done.returncode == 1, (done.returncode, done.stderr, server.text())
    got = summary(json.loads(done.stdout), name, version)
    published = ROOT / "conform" / "results" / f"{adapter}.json"
    if WRITE:
        published.parent.mkdir(exist_ok=True)
        published.write_text(json.dumps(got, indent=2) + "\n")
    want = json.loads(published.read_text())
    assert got == want, f"published {want}\nfound {got}"


@test
def opencode_has_the_published_result():
    package = f"opencode-linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"
    version, model = version_of(package), fake.Fake(fake.chat("hello there"))
    settings = {"model": "sim/m-1", "small_model": "sim/m-1", "autoupdate": False, "share": "disabled",
                "provider": {"sim": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"http://127.0.0.1:{model.port}/v1", "apiKey": "none"},
                                     "models": {"m-1": {"name": "m-1", "limit": {"context": 100000, "output": 4000}}}}}}
    with Server([MODULES / package / "bin" / "opencode", "serve", "--port", "{port}"], "/config", OPENCODE_DISABLE_MODELS_FETCH="1",
                files=[("../config/opencode/opencode.json", json.dumps(settings))]) as server:
        check(server, "opencode", version)
    model.close()


@test
def langgraph_has_the_published_result():
    version, model = version_of("@langchain/langgraph-cli"), fake.Fake(fake.chat("hello there"))
    files = [(name, (HERE / name).read_text()) for name in ("langgraph.json", "agent.mjs", "package.json")]
    with Server(["node", "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs", "dev", "--port", "{port}", "--host", "127.0.0.1", "--no-browser"], "/ok",
                files=files, links=[("node_modules", MODULES)], MODEL_URL=f"http://127.0.0.1:{model.port}/v1", LANGSMITH_TRACING="false") as server:
        check(server, "langgraph", version)
    model.close()


def tables(results):
    """The lines of conform/README.md that depend on the results."""
    said = ", ".join(sorted({f"{r['rows']}" for r in results}))
    yield f"The results are of the pack's {said} rows."
    for r in results:
        yield f"| {r['runtime']} {r['version']} | {r['core']['pass']} | {r['core']['fail']} | {r['core']['notShown']} | {', '.join(r['fail'])} |"


@test
def the_readme_shows_the_published_results():
    path = ROOT / "conform" / "README.md"
    lines = list(tables([json.loads(p.read_text()) for p in sorted((ROOT / "conform" / "results").glob("*.json"))]))
    if WRITE:
        text = path.read_text()
        for line in lines:
            kept = line.rsplit(" |", 5)[0] if line.startswith("|") else "The results are of the pack's "
            text = "\n".join(line if old.startswith(kept) else old for old in text.split("\n"))
        path.write_text(text)
    shown = path.read_text().split("\n")
    for line in lines:
        assert line in shown, line


if __name__ == "__main__":
    sys.exit(tap.play(tests))
