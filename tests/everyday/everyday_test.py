#!/usr/bin/env python3
"""Everyday commands through the real shell tool, in a real small repository: commands.tsv has the rows.

usage: everyday_test.py BUILD_DIR [TOOLCHAIN ...]     prints TAP; toolchains that are missing are SKIP lines

Registries are servers on the loopback.  Go and Rust run only with THOLE_LONG=1 (./test --deep).  The last two tests are
the figures: how many rows ask, and how many fail for the sandbox's sake.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
from wait import BASE_S, DEADLINE_S, until  # noqa: E402

THOLE = str(pathlib.Path(sys.argv[1]).resolve() / "thole")
PROBES = {"git": "git --version", "npm": "npm --version", "pnpm": "pnpm --version", "pip": "python3 -m pip --version",
          "cargo": "cargo --version", "go": "go version", "make": "make --version && cmake --version && cc --version",
          "maven": "mvn --version", "docker": "docker --version", "coreutils": "ls"}
LONG = ("cargo", "go")
FILES = {
    "README": "one\n", "src/main.c": "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n",
    ".gitignore": "origin.git\nnode_modules\nout\nhello\nhome\n",
    "Makefile": "hello: src/main.c\n\tcc -o hello src/main.c\ntest: hello\n\t./hello | grep -q hello\nclean:\n\trm -f hello\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.13)\nproject(hello C)\nadd_executable(hello src/main.c)\nenable_testing()\n"
                      "add_test(NAME says COMMAND hello)\n",
    "package.json": json.dumps({"name": "everyday", "version": "1.0.0", "scripts": {
        "build": "mkdir -p dist && echo 1 > dist/out.js", "test": "node -e 0"}}, indent=1),
    "app.py": "print('hello')\n", "test_app.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n",
    "Cargo.toml": "[package]\nname = \"leaf\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() {}\n",
    "go.mod": "module example.org/leaf\n\ngo 1.19\n", "main.go": "package main\n\nfunc main() {}\n",
    "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>y</artifactId><version>1</version></project>\n",
}


def npm_package():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in (("package/package.json", '{"name":"leaf","version":"1.0.0","main":"index.js"}'), ("package/index.js", "module.exports=1")):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def wheel():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("leaf.py", "x = 1\n")
        z.writestr("leaf-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: leaf\nVersion: 1.0\n")
        z.writestr("leaf-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr("leaf-1.0.dist-info/RECORD", "leaf.py,,\nleaf-1.0.dist-info/METADATA,,\nleaf-1.0.dist-info/WHEEL,,\nleaf-1.0.dist-info/RECORD,,\n")
    return out.getvalue()


class Registry(http.server.BaseHTTPRequestHandler):
    """npm and PyPI as far as one package needs them."""
    packed, wheel = npm_package(), wheel()

    def do_GET(self):
        at = f"http://127.0.0.1:{self.server.server_port}"
        kind, body = "application/octet-stream", None
        if self.path == "/leaf":
            sums = {"integrity": "sha512-" + base64.b64encode(hashlib.sha512(self.packed).digest()).decode(),
                    "shasum": hashlib.sha1(self.packed).hexdigest(), "tarball": at + "/leaf.tgz"}
            kind, body = "application/json", json.dumps({"name": "leaf", "dist-tags": {"latest": "1.0.0"}, "versions": {
                "1.0.0": {"name": "leaf", "version": "1.0.0", "main": "index.js", "dist": sums}}}).encode()
        elif self.path == "/leaf.tgz":
            body = self.packed
        elif self.path == "/simple/leaf/":
            kind, body = "text/html", f'<a href="{at}/leaf-1.0-py3-none-any.whl">leaf-1.0-py3-none-any.whl</a>'.encode()
        elif self.path.endswith(".whl"):
            body = self.wheel
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def lend_rust(home):
    """rustup installs into the home: the test's home gets the toolchain of the real one, as links to the same files."""
    real = pathlib.Path(os.environ.get("RUSTUP_HOME") or pathlib.Path.home() / ".rustup")
    cargo = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    if not (real / "toolchains").is_dir() or not (cargo / "bin").is_dir():
        return False
    for source, target in ((real, home / ".rustup"), (cargo / "bin", home / ".cargo/bin")):
        target.parent.mkdir(parents=True, exist_ok=True)
        if subprocess.run(["cp", "-al", source, target], capture_output=True).returncode:
            subprocess.run(["cp", "-a", source, target], check=True)
    (home / ".cargo/credentials.toml").write_text("[registry]\ntoken = \"secret\"\n")
    return True


class Place:
    """A home with an identity, a repository, a registry, and a daemon that runs one command line per prompt."""

    def __init__(self, rows):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-everyday-"))
        self.work, self.home = self.dir / "work", self.dir / "home"
        self.home.mkdir()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        at = f"127.0.0.1:{self.server.server_port}"
        for name, text in {**FILES, ".npmrc": f"registry=http://{at}/\naudit=false\nfund=false\nupdate-notifier=false\n"}.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("THOLE_", "XDG_", "GIT_", "npm_", "PIP_"))}
        if rows and rows[0][0] == "cargo" and lend_rust(self.home):
            self.env["PATH"] = f"{self.home}/.cargo/bin:{self.env['PATH']}"
        script = self.dir / "script.json"
        script.write_text(json.dumps({"version": 1, "default": {"text": "done"}, "rules": [
            {"when": {"text": {"equals": f"row {n}"}, "request": 1}, "reply": {"toolCalls": [{"name": "shell", "args": {
                "command": row[2], "timeoutMs": 110000}}]}} for n, row in enumerate(rows)]}))
        self.env.update(HOME=str(self.home), THOLE_DATA=str(self.dir / "data"), THOLE_SCRIPT=str(script), THOLE_MODE="on_request",
                        PIP_INDEX_URL=f"http://{at}/simple", PIP_TRUSTED_HOST="127.0.0.1")
        for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("init.defaultBranch", "master"), ("alias.status", "!false")):
            self.sh("git", "config", "--global", key, value)
        self.sh("git", "init", "-q")
        self.sh("git", "init", "-q", "--bare", "origin.git")
        self.sh("git", "remote", "add", "origin", "./origin.git")
        # the groups say that installing is meant to work; the registry on the loopback stands for their hosts
        self.options = ["-c", f'sandbox.allow_hosts=["npm","pypi","crates","go","{at}"]', "-c",
                        'sandbox.env=["PATH","HOME","LANG","TERM","TZ","PIP_INDEX_URL","PIP_TRUSTED_HOST"]']
        self.thole("run", *self.options, "hello")

    def sh(self, *args):
        subprocess.run(args, cwd=self.work, env=self.env, check=True, capture_output=True)

    def thole(self, *args, code=0):
        p = subprocess.run([THOLE, *args], cwd=self.work, env=self.env, capture_output=True, text=True, timeout=DEADLINE_S + 120)
        if code is not None and p.returncode != code:
            raise AssertionError(f"thole {args}: exit {p.returncode}\n{p.stdout}\n{p.stderr}")
        return p

    def close(self):
        self.thole("serve", "--stop", code=None)
        self.server.shutdown()
        shutil.rmtree(self.dir, ignore_errors=True)


def end_of(place, session):
    def over():
        events = [json.loads(x) for x in place.thole("log", session, "--json").stdout.splitlines()]
        return events if any(e["type"] in ("turn.completed", "turn.failed") for e in events) else None
    return until("the end of the turn", over, pause_s=0.05, base_s=BASE_S + 120)


def run_row(place, n, row, seen):
    """Returns None, or what is wrong."""
    _, wanted, _, files = row
    events = [json.loads(x) for x in place.thole("run", "--json", f"row {n}", code=None).stdout.splitlines()]
    session = events[0]["sessionId"]
    asked = [e for e in events if e["type"] == "action.required"]
    if asked:
        seen["asks"] += 1
        if wanted != "asks":
            return "it asks: " + asked[0]["payload"].get("prompt", "")[:300]
        place.thole("approve", asked[0]["actionId"])
        events = end_of(place, session)
    elif wanted == "asks":
        return "it does not ask"
    ends = [e for e in events if e["type"] in ("tool.result", "tool.failed")]
    refused = [e for e in events if e["type"] == "sandbox.violation"]
    last = ends[-1]["payload"] if ends else {}
    if not wanted.startswith("refused ") and last.get("exitCode") != 0 and (refused or last.get("category") == "sandbox_denied"):
        seen["fails"] += 1
    said = json.dumps(last, ensure_ascii=False)
    if wanted.startswith("refused "):
        return None if wanted[8:] in said else f"no remedy: {said[:400]}"
    if wanted.startswith("fails "):
        return None if last.get("exitCode") == int(wanted[6:]) else said[:400]
    if last.get("exitCode") != 0:
        return f"{said[:600]} {json.dumps([e['payload'] for e in refused])[:400]}"
    missing = [f for f in files.split() if f != "-" and not (place.work / f).exists()]
    return f"it left no {missing}" if missing else None


def main():
    rows = [line.split("\t") for line in (HERE / "commands.tsv").read_text().splitlines() if line and line[0] != "#"]
    chosen = sys.argv[2:] or list(PROBES)
    assert all(len(row) == 4 and row[0] in PROBES for row in rows), "four columns each"
    assert all(sum(r[0] == t for r in rows) == 10 for t in PROBES), "ten rows for each"
    number, failed, ran, seen = 0, 0, 0, {"asks": 0, "fails": 0}
    tier = json.loads(subprocess.run([THOLE, "sandbox", "probe"], capture_output=True, text=True).stdout or "{}").get("tier")
    if tier != "namespaces+landlock+seccomp":
        print(f"1..0 # SKIP the full sandbox is not available here ({tier})")
        return 0

    def tell(ok, text, why=""):
        nonlocal number, failed
        number += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {text}", flush=True)
        if why and not ok:
            print("# " + why.replace("\n", "\n# "), flush=True)

    for chain in chosen:
        mine = [row for row in rows if row[0] == chain]
        if chain in LONG and not os.environ.get("THOLE_LONG"):
            tell(True, f"{chain} # SKIP only in --deep")
            continue
        # what rustup or pyenv put on PATH may be a front without a toolchain
        if subprocess.run(["sh", "-c", PROBES[chain]], capture_output=True).returncode:
            tell(True, f"{chain} # SKIP it is not installed")
            continue
        place = Place(mine)
        try:
            for n, row in enumerate(mine):
                ran += 1
                why = run_row(place, n, row, seen)
                tell(why is None, f"{row[0]}: {row[2]}", why or "")
        finally:
            place.close()
    if not sys.argv[2:]:
        tell(seen["asks"] * 100 <= 3 * ran, f"{seen['asks']} of {ran} commands ask")
        tell(seen["fails"] == 0, f"{seen['fails']} of {ran} commands fail for the sandbox's sake")
    print(f"1..{number}")
    return failed > 0


sys.exit(main())
