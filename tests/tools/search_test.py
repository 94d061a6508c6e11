#!/usr/bin/env python3
"""search with ripgrep and without: the same answers.

usage: search_test.py BUILD_DIR      prints TAP

The file tool is asked as the runtime asks it, once with a PATH that shows `rg` and once with one that does not.  Where
ripgrep is not installed a small program stands in its place that takes the options we give and answers in the same form:
then it is our side of the pipe that is looked at, and the comparison says so.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

STAND_IN = r'''#!/usr/bin/env python3
import fnmatch, os, re, sys
args, flags, globs, pattern = sys.argv[1:], 0, [], None
while args and args[0] != "--":
    a = args.pop(0)
    if a == "--ignore-case": flags = re.I
    elif a.startswith("--glob="): globs.append(a[7:])
    elif a == "-e": pattern = args.pop(0)
    elif a not in ("--no-config", "--line-number", "--no-heading", "--with-filename", "--color=never", "--sort=path", "--hidden"):
        sys.exit(2)
try: wanted = re.compile(pattern, flags)
except re.error: sys.exit(2)
def taken(path):
    return all(fnmatch.fnmatch(path if "/" in g else os.path.basename(path), g) for g in globs if g[0] != "!")
def files(top):
    if os.path.isfile(top): yield top; return
    for name in sorted(os.listdir(top)):
        path = os.path.normpath(os.path.join(top, name))
        if os.path.islink(path) or "!" + name in globs or (os.path.isfile(path) and not taken(path)): continue
        yield from files(path)
found = False
for path in files(args[1]):
    data = open(path, "rb").read()
    if b"\0" in data: continue
    for n, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if wanted.search(line):
            found = True
            print(f"{path}:{n}:{line}")
sys.exit(0 if found else 1)
'''
FILES = {"README.md": "# A house\nmain entrance\nMAIN hall\n", "src/main.c": "int main(void)\n{\n\treturn other(1);\n}\n",
         "src/other.c": "int other(int n)\n{\n\treturn n; /* main */\n}\n", "src/deep/er/notes.txt": "ein Wörtchen über main\nnothing\n",
         ".hidden": "main in hiding\n", ".git/config": "[main]\n", "data.bin": "main\0main\n", "long.txt": "main " + "x" * 1000 + "\n",
         "dos.txt": "one\r\nmain two\r\n", "node_modules/x/main.c": "int main(int n)\n", "lib/node_modules/y.c": "main(\n",
         "many.txt": "".join(f"line {n} of main\n" for n in range(300))}
ASKED = [{"pattern": "main"}, {"pattern": "main\\(", "glob": "*.c"}, {"pattern": "MAIN", "ignoreCase": True, "path": "README.md"},
         {"pattern": "^int \\w+\\("}, {"pattern": "other|hiding"}, {"pattern": "über"}, {"pattern": "nowhere at all"},
         {"pattern": "main", "path": "src"}, {"pattern": "main", "maxResults": 5}, {"pattern": "line 29\\d of", "path": "many.txt"},
         {"pattern": "return", "glob": "src/*.c"}, {"pattern": "main", "glob": "node_modules/x/*.c"}, {"pattern": "two$"}]


def ask(hand, home, path, args):
    """What the tool writes, and its report."""
    request = json.dumps({"tool": "search", "args": args, "cwd": home, "roots": [home]}) + "\n"
    done = subprocess.run([hand, "file-tool"], input=request.encode(), capture_output=True, env={"PATH": path}, timeout=60)
    return done.stdout.decode("utf-8", "replace"), json.loads(done.stderr)


def main():
    hand = os.path.join(os.path.abspath(sys.argv[1]), "thole-hand")
    top = os.path.realpath(tempfile.mkdtemp(prefix="thole-search-"))
    home, bare, tools = (os.path.join(top, d) for d in ("home", "bare", "tools"))
    failed = number = 0
    try:
        os.makedirs(bare)
        os.makedirs(tools)
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
            with open(os.path.join(home, name), "w", newline="") as f:
                f.write(text)
        os.symlink("/etc/passwd", os.path.join(home, "away"))
        rg = shutil.which("rg")
        if rg:
            os.symlink(rg, os.path.join(tools, "rg"))
        else:
            with open(os.path.join(tools, "rg"), "w") as f:
                f.write(STAND_IN)
            os.chmod(os.path.join(tools, "rg"), 0o755)
        with_rg = f"{tools}:{os.path.dirname(sys.executable)}:/usr/bin:/bin"
        print(f"# {'ripgrep ' + subprocess.run([rg, '--version'], capture_output=True, text=True).stdout.split()[1] if rg else 'a stand-in for ripgrep'}")
        for args in ASKED:
            number += 1
            said, report = ask(hand, home, with_rg, args)
            own, own_report = ask(hand, home, bare, args)
            one, other = report.get("structured", {}), own_report.get("structured", {})
            wrong = [] if said == own else ["what they say"]
            wrong += [k for k in ("matches", "truncated") if one.get(k) != other.get(k)]
            wrong += ["engine"] if (one.get("engine"), other.get("engine")) != ("ripgrep", "pcre2") else []
            failed += bool(wrong)
            print(f"{'not ' if wrong else ''}ok {number} - search {json.dumps(args, ensure_ascii=False)} is the same with ripgrep and without")
            if wrong:
                print(f"# {wrong}: {report} {own_report}\n# with: {said[:300]!r}\n# without: {own[:300]!r}")
        # A pattern that is wrong is told by our own engine, whoever was asked first.
        number += 1
        said, report = ask(hand, home, with_rg, {"pattern": "("})
        is_told = report.get("category") == "invalid_input" and "pattern is wrong" in report.get("message", "") and not said
        failed += not is_told
        print(f"{'' if is_told else 'not '}ok {number} - a wrong pattern is told in the same words")
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
