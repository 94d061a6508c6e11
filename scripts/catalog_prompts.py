"""The texts of prompts/ as C, and their version; a part of scripts/catalog.py.

A file with sections ("## word") becomes an array by the words of a vocabulary; notes.md makes its own enum.
"""
import hashlib
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIR = os.path.join(ROOT, "prompts")
WHOLE = ("system", "environment")
BY_WORD = {"modes": "permission_mode", "sandbox": "sandbox_mode", "network": "network_mode"}
FILES = [f"{name}.md" for name in (*WHOLE, *BY_WORD, "notes")]
FIRST_VERSION = 1


def read(name):
    with open(os.path.join(DIR, name), encoding="utf-8") as f:
        return f.read()


def sections(name):
    """{word: text} of a file with sections, in their order."""
    parts = re.split(r"^## (\w+)\n", read(name), flags=re.M)
    return {word: text.strip() for word, text in zip(parts[1::2], parts[2::2])}


def digest():
    h = hashlib.sha256()
    for name in FILES:
        h.update(name.encode() + b"\0" + read(name).encode() + b"\0")
    return h.hexdigest()


def version():
    """(number, hash) of prompts/VERSION."""
    path = os.path.join(DIR, "VERSION")
    if not os.path.exists(path):
        return FIRST_VERSION, ""
    number, _, sha = read("VERSION").strip().partition(" ")
    return int(number), sha


def check(cat, problem):
    for name, vocabulary in BY_WORD.items():
        if list(sections(name + ".md")) != cat.enums[vocabulary]:
            problem(f"prompts/{name}.md: its sections are not the words of {vocabulary}, in their order")


def outputs(_cat):
    return {"prompts/VERSION": f"{version()[0]} {digest()}\n"}


def literal(text):
    lines = text.split("\n")
    quoted = ['"' + line.replace("\\", "\\\\").replace('"', '\\"') + ("\\n" if n < len(lines) - 1 else "") + '"' for n, line in enumerate(lines)]
    return "STRC(" + "\n\t     ".join(q for q in quoted if q != '""' or len(quoted) == 1) + ")"


def c_files(cat, head, upper):
    notes = sections("notes.md")
    h = [head, "#ifndef CORE_GEN_PROMPTS_H\n#define CORE_GEN_PROMPTS_H\n/* The texts of prompts/. */\n#include \"catalog/catalog.h\"\n",
         f"#define PROMPT_VERSION \"{version()[0]}\"\n", "enum prompt_note {"]
    h += [f"\tPROMPT_NOTE_{upper(word)}," for word in notes]
    h += ["\tPROMPT_NOTE_COUNT\n};\n"]
    c = [head, "#include \"core/gen/prompts.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n"]
    for name in WHOLE:
        h.append(f"extern const struct str prompt_text_{name};")
        c.append(f"const struct str prompt_text_{name} =\n\t{literal(read(name + '.md').strip())};\n")
    for name, vocabulary in BY_WORD.items():
        h.append(f"extern const struct str prompt_text_{name}[{upper(vocabulary)}_COUNT];")
        c.append(f"const struct str prompt_text_{name}[{upper(vocabulary)}_COUNT] = {{")
        c += [f"\t[{upper(vocabulary)}_{upper(word)}] =\n\t{literal(text)}," for word, text in sections(name + ".md").items()]
        c.append("};\n")
    h.append("extern const struct str prompt_text_notes[PROMPT_NOTE_COUNT];\n\n#endif")
    c.append("const struct str prompt_text_notes[PROMPT_NOTE_COUNT] = {")
    c += [f"\t[PROMPT_NOTE_{upper(word)}] =\n\t{literal(text)}," for word, text in notes.items()]
    c.append("};")
    return {"prompts.h": "\n".join(h) + "\n", "prompts.c": "\n".join(c) + "\n"}
