#!/usr/bin/env python3
"""Words that the glossary replaces (scripts/replaced_words.txt), counted per part of the tree.

In C they count in comments, strings and the parts of identifiers alike.
"""
import collections
import re

from ratchet import ROOT, hold, tracked

PARTS = {
    "src": ("src/*.c", "src/*.h", "include/*.h"),
    "catalog": ("catalog/*.json", "catalog/*.md"),
    "docs": ("docs/*.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md"),
    "web": ("web/src/*.ts", "web/src/*.tsx", "web/src/*.css", "web/*.mjs", "web/*.md"),
    "tests": ("tests/*.c", "tests/*.h", "tests/*.py", "tests/*.md", "tests/*.txt", "tests/run", "tests/deep", "tests/*.mjs",
              "tests/*.scn", "tests/*.sh"),
    "sdk": ("sdk/*.ts", "sdk/*.py", "sdk/*.mjs", "sdk/*.md"),
    "packaging": ("packaging/*",),
    "scripts": ("scripts/*", "test", "quickstart"),
}
# Written by scripts/sdk.py: their words come from the catalogue.
LEFT_OUT = re.compile(r"/gen/|sdk/typescript/src/types\.ts|sdk/python/thole/(types|commands)\.py|scripts/(replaced_words\.txt|check_prose\.py|ceilings\.json)|docs/reference/schemas/")


def words():
    for line in (ROOT / "scripts/replaced_words.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split("\t")
            yield pattern.replace(" ", r"\s+"), instead


def main():
    figures, details = {}, {}
    known = [(re.compile(pattern), instead) for pattern, instead in words()]
    any_word = re.compile(rf"(?<![a-z])(?:{'|'.join(p.pattern for p, _ in known)})(?![a-z])", re.I)
    for part, patterns in PARTS.items():
        seen = collections.Counter()
        for path in tracked(*patterns):
            if LEFT_OUT.search(path):
                continue
            text = (ROOT / path).read_text(errors="replace")
            for found in any_word.finditer(text):
                word = found.group(0).lower()
                instead = next(i for pattern, i in known if pattern.fullmatch(word))
                seen[f"{word!r} -> {instead}"] += 1
        figures[part] = sum(seen.values())
        details[part] = [f"{n:5} {what}" for what, n in seen.most_common()]
    hold("check_prose", figures, details)


main()
