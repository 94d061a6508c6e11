#!/usr/bin/env python3
"""Words of the vocabulary that code repeats as string literals, per folder of src/.

A word of a public enum belongs to catalog/vocab.json.  Layers that include catalog/ use its enums; the others (app, filetool,
supervisor) use WORD_ENUM_NAME and WORDS_ENUM of base/gen/words.h, so that a word that is renamed or removed does not compile.
Counted are literals that are compared, that open a row of a table, or that are in a list of words of one enum.  Of the single
ones only what cannot be meant otherwise counts: words with an underscore, and those of statuses, modes and decisions.
"""
import collections
import re

import catalog
from catalog_docs import public_enums
from ratchet import ROOT, hold, tracked

COMPARED = re.compile(r'(?:str_eq|str_from|strcmp)\([^;{}]*?"([a-z][a-z_]*)"\)')
ROW = re.compile(r'\{\s*(?:STR|TEXT)?\(?"([a-z][a-z_]*)"\)?\s*,')
LIST = re.compile(r'"[a-z][a-z_]*"(?:\s*,\s*"[a-z][a-z_]*"){2,}')
TEXT = re.compile(r'"([a-z][a-z_]*(?: [a-z][a-z_]*){2,})"')


def find(text, words, enums):
    """The words that this text repeats."""
    for pattern in (COMPARED, ROW):
        yield from (m[1] for m in pattern.finditer(text) if m[1] in words)
    for m in LIST.finditer(text):
        listed = re.findall(r'"([a-z_]+)"', m[0])
        if any(set(listed) <= each for each in enums):
            yield ", ".join(listed)
    for m in TEXT.finditer(text):
        listed = m[1].split()
        if any(set(listed) <= each for each in enums):
            yield m[1]


def main():
    cat = catalog.Catalog()
    enums = [set(cat.enums[name]) for name in public_enums(cat)]
    words = {w for name in public_enums(cat) for w in cat.enums[name]
             if "_" in w or name.endswith(("status", "mode")) or name == "decision"}
    figures, details = collections.Counter(), collections.defaultdict(list)
    for path in tracked("src/*.c", "src/*.h"):
        folder = path.split("/")[1]
        found = list(find((ROOT / path).read_text(), words, enums))
        figures[folder] += len(found)
        details[folder] += [f"{path}: {word}" for word in found]
    hold("check_words", dict(figures), details)


main()
