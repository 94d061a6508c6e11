#!/usr/bin/env python3
"""search and glob find what ripgrep finds.

usage: search_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it, and its answer is compared with that of `rg` on the same tree.  Trees with
ignore files are made by hand and at random.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from wait import DEADLINE_S  # noqa: E402

FILES = {"README.md": "# A house\nmain entrance\nMAIN hall\n", "src/main.c": "int main(void)\n{\n\treturn other(1);\n}\n",
         "src/other.c": "int other(int n)\n{\n\treturn n; /* main */\n}\n", "src/deep/er/notes.txt": "ein Wörtchen über main\nnothing\n",
         ".hidden": "main in hiding\n", ".git/config": "[main]\n", "data.bin": "main\0main\n", "long.txt": "main " + "x" * 1000 + "\n",
         "dos.txt": "one\r\nmain two\r\n", "node_modules/x/main.c": "int main(int n)\n", "lib/node_modules/y.c": "main(\n",
         "many.txt": "".join(f"line {n} of main\n" for n in range(300))}
ASKED = [{"pattern": "main"}, {"pattern": "main\\(", "glob": "*.c"}, {"pattern": "MAIN", "ignoreCase": True, "path": "README.md"},
         {"pattern": "^int \\w+\\("}, {"pattern": "other|hiding"}, {"pattern": "über"}, {"pattern": "nowhere at all"},
         {"pattern": "main", "path": "src"}, {"pattern": "main", "maxResults": 5}, {"pattern": "line 29\\d of", "path": "many.txt"},
         {"pattern": "return", "glob": "src/*.c"}, {"pattern": "main", "glob": "node_modules/x/*.c"}, {"pattern": "two$"},
         {"pattern": "main", "glob": "er/*.txt", "path": "src/deep"}, {"pattern": "main", "glob": "./main.c", "path": "src"}, {"pattern": "main", "glob": "*"},
         {"pattern": "main", "glob": ".git/*"}, {"pattern": "main", "path": "node_modules"}]


def ask(hand, home, args, tool="search"):
    """What the tool writes, and its report."""
    request = json.dumps({"tool": tool, "args": args, "cwd": home, "roots": [home]}) + "\n"
    done = subprocess.run([hand, "file-tool"], input=request.encode(), capture_output=True, env={}, timeout=DEADLINE_S)
    return done.stdout.decode("utf-8", "replace"), json.loads(done.stderr)


# A tree and what its ignore files say; which files are left is ripgrep's to say.
TREES = {
    "a name anywhere, and what is kept": {".gitignore": "*.o\n!keep.o\n", "a.o": "", "keep.o": "", "d/b.o": "", "d/keep.o": "", "d/c.c": ""},
    "directories only": {".gitignore": "build/\n", "build/x": "", "src/build/y": "", "src/z/build": "", "z": ""},
    "anchored at its directory": {".gitignore": "/out\nsub/only\n", "out": "", "d/out": "", "sub/only": "", "d/sub/only": ""},
    "nested files, the deepest first": {".gitignore": "*.log\n", "a.log": "", "d/.gitignore": "!b.log\n", "d/b.log": "", "d/c.log": "", "d/e/b.log": ""},
    "nothing inside what is left out is kept": {".gitignore": "dir/\n!dir/keep\n", "dir/keep": "", "dir/x": "", "y": ""},
    "all of a directory but one": {".gitignore": "dir/*\n!dir/keep\n", "dir/keep": "", "dir/x": "", "dir/sub/keep": ""},
    "any depth": {".gitignore": "**/tmp\na/**/z\nq/**\n", "tmp": "", "d/e/tmp": "", "a/z": "", "a/b/c/z": "", "b/z": "", "q/x": "", "q/y/z": "", "d/q/x": ""},
    "kinds: rgignore, ignore, gitignore": {".gitignore": "*.a\n*.b\n*.c\n", ".ignore": "!*.b\n*.d\n", ".rgignore": "!*.c\n!*.d\n",
                                           "x.a": "", "x.b": "", "x.c": "", "x.d": ""},
    "a repository's own": {".git/info/exclude": "*.mine\n", ".gitignore": "!y.mine\n", "x.mine": "", "y.mine": "", "d/z.mine": ""},
    "a repository inside": {".gitignore": "*.o\n", ".ignore": "*.p\n", "sub/.git/config": "", "sub/x.o": "", "sub/x.p": "", "sub/.gitignore": "*.q\n", "sub/x.q": ""},
    "comments, spaces and escapes": {".gitignore": "# a\n\n  \n\\#b\n\\!c\nd  \ne\\ \n\\*f\n", "# a": "", "#b": "", "!c": "", "d": "", "e ": "", "e": "", "*f": "", "xf": ""},
    "classes and braces": {".gitignore": "[a-c].x\n[!d].y\n?.z\n*.{m,n}\n", "a.x": "", "d.x": "", "d.y": "", "e.y": "", "q.z": "", "qq.z": "", "f.m": "", "f.n": "", "f.o": ""},
    "names with dots, and lines of DOS": {".gitignore": ".env\r\n*.tmp\r\n", ".env": "", "d/.env": "", ".envrc": "", "x.tmp": "", "..tmp": ""},
    "everything but": {".gitignore": "*\n!*/\n!*.c\n", "a": "", "b.c": "", "d/e.c": "", "d/f": "", "d/g/h.c": ""},
    "slashes here and there": {".gitignore": "/\n//\na//b\n./c\nd/./e\n/f/\n", "a/b": "", "c": "", "d/e": "", "f/x": "", "g/f/y": ""},
}
TRIES = 25
LINE_BYTES = 400
GLOBS = ["*.c", "**/*.o", "d/*", "d/**", "**/x", "*", "/x*", "{a,b}*", "[a-c]*", "build/**", "d/*.{o,log}", "**", "?.x"]


def plant(home, tree):
    for name, text in tree.items():
        os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
        with open(os.path.join(home, name), "w", newline="") as f:
            f.write(text or "here\n")


def grow(rng):
    """A random tree with random ignore files."""
    names, dirs = ["a", "b", "x.o", "x.c", "keep", ".h", "build"], ["", "d/", "d/e/", "a1/", "build/", "d/build/", "a1/b1/"]
    tree = {rng.choice(dirs) + rng.choice(names): "" for _ in range(25)}
    parts = ["*", "**", "a*", "*.o", "*.c", "x.?", "d", "e", "build", "keep", "a1", "b1", "[ab]", ".h", "b*1", "{a,keep}"]
    for where in rng.sample(dirs, 4):
        kind = rng.choice([".gitignore", ".gitignore", ".ignore", ".rgignore"])
        lines = []
        for _ in range(rng.randrange(1, 5)):
            body = "/".join(rng.choice(parts) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))
            lines.append(rng.choice(["", "", "!"]) + rng.choice(["", "", "/"]) + body + rng.choice(["", "", "/"]))
        tree[where + kind] = "\n".join(lines) + "\n"
    if rng.random() < 0.3:
        tree[rng.choice(dirs[:4]) + ".git/config"] = ""
    # what is a directory here is no file
    return {k: v for k, v in tree.items() if not any(other.startswith(k + "/") for other in tree)}


class Judge:
    def __init__(self, hand, top, rg):
        self.hand, self.top, self.rg, self.number, self.failed = hand, top, rg, 0, 0

    def say(self, wrong, name):
        self.number += 1
        self.failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {self.number} - {name}")
        for line in wrong:
            print(f"# {line}")

    def expected(self, home, args):
        """What ripgrep finds, in the tool's form: relative paths, long lines cut, at most maxResults lines."""
        glob, path = args.get("glob"), args.get("path", ".")
        is_dir = os.path.isdir(os.path.join(home, path))
        flags = ["--no-ignore" if args.get("ignored") else "--no-require-git"] + ["--ignore-case"] * bool(args.get("ignoreCase"))
        flags += [f"--glob={glob.removeprefix('./')}"] if glob else []
        flags += [f"--glob=!{name}" for name in (".git", "node_modules") if not (glob or "").startswith(name + "/")]
        p = subprocess.run([self.rg, "--no-config", "--line-number", "--no-heading", "--with-filename", "--color=never", "--sort=path",
                            "--hidden", "--no-ignore-global", *flags, "-e", args["pattern"], "--", "." if is_dir else path],
                           cwd=os.path.join(home, path) if is_dir else home, capture_output=True)
        out = []
        for line in p.stdout.split(b"\n")[:-1]:
            line = line.removesuffix(b"\r")
            if b": WARNING: stopped searching binary file after match (" in line:
                continue
            if line.startswith(b"./"):
                line = line[2:] if path == "." else path.encode() + line[1:]
            cut = line[:LINE_BYTES].decode("utf-8", "ignore").encode()
            out.append(cut + ("…" if len(line) > LINE_BYTES else "").encode())
        most = args.get("maxResults", 200)
        text = b"".join(line + b"\n" for line in out[:most]).decode()
        return text + ("[more follows; take a narrower pattern or path]\n" if len(out) > most else "")

    def searched(self, home, args):
        """What is wrong with a search."""
        said, report = ask(self.hand, home, args)
        wanted = self.expected(home, args)
        return [] if said == wanted else [f"{args}: {report}", f"ripgrep: {wanted[:600]!r}", f"own: {said[:600]!r}"]

    def listed(self, home, pattern):
        """What is wrong with a glob."""
        own, report = ask(self.hand, home, {"pattern": pattern}, "glob")
        p = subprocess.run([self.rg, "--no-config", "--files", "--hidden", "--sort=path", "--no-require-git",
                            "--no-ignore-global", f"--glob={pattern}", "--glob=!.git", "--glob=!node_modules"], cwd=home, capture_output=True, text=True)
        return [] if own == p.stdout else [f"glob {pattern}: {report}", f"rg: {p.stdout[:600]!r}", f"own: {own[:600]!r}"]

    def tree(self, name, tree):
        home = os.path.join(self.top, "tree")
        shutil.rmtree(home, ignore_errors=True)
        plant(home, tree)
        below = [d for d in sorted(os.listdir(home)) if os.path.isdir(os.path.join(home, d)) and d != ".git"]
        wrong = self.searched(home, {"pattern": "."}) + self.searched(home, {"pattern": ".", "glob": "*.o"}) + self.searched(home, {"pattern": ".", "ignored": True})
        for d in below[:2]:
            wrong += self.searched(home, {"pattern": ".", "path": d})
        return wrong


def large_file(hand):
    """A text that is too large to search is named; a binary file of that size is no text."""
    with tempfile.TemporaryDirectory(prefix="thole-search-") as home:
        home = os.path.realpath(home)
        plant(home, {"small.txt": "needle\n"})
        for name, head in (("large.log", b"needle\n"), ("large.bin", b"\0needle\n")):
            with open(os.path.join(home, name), "wb") as f:
                f.write(head + (9 << 20) // 8 * b"1234567\n")
        said, report = ask(hand, home, {"pattern": "needle"})
        good = "small.txt:1" in said and "large.log" in said and "large.bin" not in said and report["structured"]["truncated"] is True
        os.remove(os.path.join(home, "large.log"))
        said, report = ask(hand, home, {"pattern": "needle"})
        good = good and report["structured"]["truncated"] is False
        return [] if good else [said, str(report)]


def main():
    hand, rg = os.path.join(os.path.abspath(sys.argv[1]), "thole-supervisor"), shutil.which("rg")
    if not rg:
        wrong = large_file(hand)
        print("not ok 1" if wrong else "ok 1", "- a file that is too large to search is named", *wrong)
        print("ok 2 - search finds what ripgrep finds # SKIP there is no ripgrep\n1..2")
        return 1 if wrong else 0
    print("#", subprocess.run([rg, "--version"], capture_output=True, text=True).stdout.splitlines()[0])
    top = os.path.realpath(tempfile.mkdtemp(prefix="thole-search-"))
    judge, home = Judge(hand, top, rg), os.path.join(top, "home")
    try:
        plant(home, FILES)
        os.symlink("/etc/passwd", os.path.join(home, "away"))
        for args in ASKED:
            judge.say(judge.searched(home, args), f"search {json.dumps(args, ensure_ascii=False)} finds what ripgrep finds")
        for name, tree in TREES.items():
            judge.say(judge.tree(name, tree), f"ignore files: {name}")
        rng, wrong = random.Random(2026), []
        for n in range(TRIES):
            tree = grow(rng)
            found = judge.tree("random", tree)
            wrong += [f"tree {n}: {json.dumps(tree)}", *found] if found else []
        judge.say(wrong[:40], f"ignore files: {TRIES} trees at random")
        # glob: all trees in one, each a directory
        forest = os.path.join(top, "forest")
        for n, tree in enumerate(TREES.values()):
            plant(os.path.join(forest, f"t{n}"), {k: v for k, v in tree.items() if k != ".rgignore"})
        plant(forest, FILES)
        for pattern in GLOBS:
            judge.say(judge.listed(forest, pattern), f"glob {pattern} lists what ripgrep lists")
        judge.say(large_file(hand), "a file that is too large to search is named")
        said, report = ask(hand, home, {"pattern": "("})
        is_reported = report.get("category") == "invalid_input" and "pattern is wrong" in report.get("message", "") and not said
        judge.say([] if is_reported else [str(report)], "a wrong pattern is an error that names the place")
        plant(home, {"costly.txt": "a" * 3000 + "c\n"})
        said, report = ask(hand, home, {"pattern": "(a|aa)+$", "path": "costly.txt"})
        is_reported = report.get("category") == "invalid_input" and "too many steps" in report.get("message", "")
        judge.say([] if is_reported else [said, str(report)], "a pattern that takes too many steps is an error")
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print(f"1..{judge.number}")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
