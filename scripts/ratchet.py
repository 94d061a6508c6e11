"""Numbers that may only fall.

Each check measures its figures and hands them to hold(): a figure above its
ceiling in scripts/ceilings.json is an error, and so is a new name without a
ceiling.  `--lower` writes today's figures where they are lower; it never
raises one.  Raising a ceiling is an edit of that file, visible in the diff.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CEILINGS = ROOT / "scripts" / "ceilings.json"


def tracked(*patterns):
    """The tracked files that match, as paths from the root."""
    out = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    return [p for p in out.split("\0") if p and (ROOT / p).is_file()]


def hold(check, figures, details=None):
    """Ends the program: 0 when no figure is above its ceiling.  details: figure -> lines to show."""
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    mine = ceilings.setdefault(check, {})
    lower = "--lower" in sys.argv
    verbose = "--list" in sys.argv
    grown = []
    for name, value in figures.items():
        if lower and (name not in mine or value < mine[name]):
            mine[name] = value
        top = mine.get(name, 0)
        mark = "" if value <= top else "  <-- above"
        print(f"{check}: {name}: {value} (at most {top}){mark}")
        if value > top or verbose:
            for line in (details or {}).get(name, []):
                print(f"    {line}")
        if value > top:
            grown.append(name)
    if lower:
        for name in [n for n in mine if n not in figures]:
            del mine[name]
        CEILINGS.write_text(json.dumps(ceilings, indent=2, sort_keys=True) + "\n")
    if grown:
        print(f"{check}: {', '.join(grown)} grew. Mend what is new; the list: python3 scripts/{check}.py --list")
    sys.exit(1 if grown else 0)
