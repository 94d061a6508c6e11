#!/usr/bin/env python3
"""Runs every settings file and every command of docs/how-to/providers against the simulator.

usage: pages_test.py BUILD_DIR [WORD ...]     WORD: only pages with that name

Settings are taken as they stand on the page, but that every provider's base URL is the simulator's.
Fragments go into the page's first provider and have to reach the simulator.  Prints TAP.
"""
import copy
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parent.parent / "docs" / "how-to" / "providers"
spec = importlib.util.spec_from_file_location("acceptance", HERE / "acceptance.py")
acceptance = importlib.util.module_from_spec(spec)
spec.loader.exec_module(acceptance)

THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
sys.path.insert(0, str(HERE))
from cloud_peers import Google  # noqa: E402

DIALECTS = {n: n for n in (*acceptance.BASES, "vertex")}
BASES = {**acceptance.BASES, "vertex": "/v1"}


class Fixture:
    def __init__(self, port):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-pages-"))
        self.port = port
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("THOLE_", "XDG_")) and not k.endswith("_API_KEY")}
        self.env.update(HOME=str(self.dir), THOLE_DATA=str(self.dir / "data"))
        self.google = None

    def log_in(self):
        """What `gcloud auth application-default login` does."""
        self.google = self.google or Google()
        self.google.user(self.dir / ".config" / "gcloud" / "application_default_credentials.json")

    def settle(self, settings):
        """Writes the page's settings, turned to the simulator."""
        settings = copy.deepcopy(settings)
        for name, p in settings["providers"].items():
            dialect = p.get("dialect", DIALECTS.get(name, "compatible"))
            query = "?" + p["baseUrl"].split("?")[1] if "?" in p.get("baseUrl", "") else ""
            p["baseUrl"] = f"http://127.0.0.1:{self.port}/text{BASES[dialect]}{query}"
        folder = self.dir / ".config" / "thole"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(settings))

    def type(self, line, **env):
        more = ["--here", "--data", self.env["THOLE_DATA"]] if line[1] == "run" else []
        p = subprocess.run([THOLE, line[1], *more, *line[2:]], input=acceptance.KEY + "\n", capture_output=True, text=True, timeout=acceptance.scenario.DEADLINE_S,
                           env={**self.env, **env}, cwd=self.dir)
        assert p.returncode == 0, f"{shlex.join(line)}: exit {p.returncode}\n{p.stdout}{p.stderr}"
        return p.stdout

    def ask(self, name, model, **env):
        out = self.type(["thole", "run", "-m", f"{name}/{model}", "hello"], **env)
        assert "Hello from the simulator" in out, out

    def close(self):
        if self.google:
            self.google.close()
            shutil.rmtree(self.google.dir, ignore_errors=True)
        shutil.rmtree(self.dir, ignore_errors=True)


def blocks(page):
    """(language, text) of each block; a block without a language holds commands."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.M | re.S)


def first_model(p):
    return p["models"][0] if isinstance(p["models"][0], str) else p["models"][0]["model"]


def check_settings(fixture, settings):
    fixture.settle(settings)
    keys = {p["keyEnv"]: acceptance.KEY for p in settings["providers"].values() if "keyEnv" in p}
    for name, p in settings["providers"].items():
        if name == "vertex":
            fixture.log_in()
        elif "keyEnv" not in p and name not in ("ollama", "vllm", "llamacpp"):
            fixture.type(["thole", "auth", "add", name])
        fixture.ask(name, first_model(p), **keys)


def check_commands(fixture, settings, text):
    """Unchanged; only our own programs are run."""
    fixture.settle(settings)
    for line in text.strip().splitlines():
        words = shlex.split(line)
        if words[0] == "thole":
            fixture.type(words)


def check_fragment(fixture, sim, settings, text):
    fragment = json.loads("{" + text + "}")
    settings = copy.deepcopy(settings)
    name, p = next(iter(settings["providers"].items()))
    p.update(fragment)
    check_settings(fixture, {"providers": {name: p}})
    visit = sim.journal()[-1]
    for key, value in fragment.get("extraBody", {}).items():
        assert json.dumps(value)[1:-1] in json.dumps(visit["body"].get(key)), (key, visit["body"].get(key))
    sent = {k.lower(): v for k, v in visit["headers"].items()}
    for key, value in fragment.get("headers", {}).items():
        assert sent.get(key.lower()) == value, (key, sent)


def check_page(fixture, sim, page):
    settings = None
    count = 0
    for language, text in blocks(page):
        count += 1
        if language == "json" and text.lstrip().startswith("{"):
            found = json.loads(text)
            check_settings(fixture, found)
            settings = settings or found
        elif language == "json":
            check_fragment(fixture, sim, settings, text.replace("…", "x"))
        else:
            check_commands(fixture, settings, text)
    assert count, "a page without a block"


def main():
    words = sys.argv[2:]
    sim = acceptance.Simulator()
    number = failed = 0
    for page in sorted(PAGES.glob("*.md")):
        if page.stem == "README" or (words and page.stem not in words):
            continue
        fixture = Fixture(sim.port)
        number += 1
        try:
            check_page(fixture, sim, page)
            print(f"ok {number} - pages: {page.stem}", flush=True)
        except (AssertionError, OSError, ValueError, subprocess.TimeoutExpired) as e:
            failed += 1
            print(f"not ok {number} - pages: {page.stem}", flush=True)
            for line in f"{type(e).__name__}: {e}".splitlines():
                print("# " + line, flush=True)
        finally:
            fixture.close()
    sim.close()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
