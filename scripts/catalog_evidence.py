"""Signals and sections of evidence packs: the C table and the reference page of catalog/evidence.json.

A signal or section lists the event classes that show it; "session.*" names a family, "*" every class.  One with "from"
is shown by something that a class alone does not tell.  Used by scripts/catalog.py.
"""
import fnmatch

from catalog_docs import NOTICE, table

SOURCES = ("trace", "verification", "review")
WORDS = 4  # of 64 bits; the same size as the filter of a read of the store


def classes(cat, row):
    return [n for n in cat.enums["event_type"] if any(fnmatch.fnmatchcase(n, p) for p in row["classes"])]


def check(cat, problem):
    seen = set()
    for kind in ("signals", "sections"):
        for name, row in cat.evidence[kind].items():
            for pattern in row["classes"]:
                if not fnmatch.filter(cat.enums["event_type"], pattern):
                    problem(f"evidence.json: {name}: no class is {pattern}")
            if bool(row["classes"]) == ("from" in row) or row.get("from", "trace") not in SOURCES:
                problem(f"evidence.json: {name}: either classes or one of {', '.join(SOURCES)}")
            if kind == "signals":
                seen |= set(classes(cat, row))
    for name in set(cat.enums["event_type"]) - seen - {"evidence.changed"}:
        problem(f"evidence.json: no signal is shown by {name}")


def bits(cat, row):
    words = [0] * WORDS
    for name in classes(cat, row):
        number = cat.events[name]["number"]
        words[number // 64] |= 1 << number % 64
    return "{ " + ", ".join(f"0x{w:x}" for w in words) + " }"


def c_rows(cat, kind, quoted):
    out = []
    for name, row in cat.evidence[kind].items():
        source = "EVIDENCE_FROM_" + row.get("from", "class").upper()
        view = f"STRC({quoted(row['view'])})" if "view" in row else "{ NULL, 0 }"
        out.append(f"\t{{ STRC({quoted(name)}), {view}, {source}, {bits(cat, row)} }},")
    return out


def c_files(cat, head, quoted):
    signals, sections = len(cat.evidence["signals"]), len(cat.evidence["sections"])
    order = list(cat.evidence["signals"])
    h = [head, "#ifndef CATALOG_GEN_EVIDENCE_H\n#define CATALOG_GEN_EVIDENCE_H", '#include "catalog/rec.h"\n',
         "enum evidence_from {\n\tEVIDENCE_FROM_CLASS,\n" + "".join(f"\tEVIDENCE_FROM_{s.upper()},\n" for s in SOURCES) + "};\n",
         "enum {", *(f"\tSIGNAL_{n.upper()} = {i}," for i, n in enumerate(order)), f"\tSIGNAL_COUNT = {signals},", "};\n",
         f"#define SECTION_COUNT {sections}\n",
         f"struct evidence_kind {{\n\tstruct str name, view;\n\tenum evidence_from from;\n\tuint64_t classes[{WORDS}]; /* bit set over class numbers */\n}};\n",
         "extern const struct evidence_kind evidence_signals[SIGNAL_COUNT], evidence_sections[SECTION_COUNT];\n", "#endif"]
    c = [head, '#include "catalog/gen/evidence.h"\n', "#define STRC(literal) { literal, sizeof(literal) - 1 }\n",
         "const struct evidence_kind evidence_signals[SIGNAL_COUNT] = {", *c_rows(cat, "signals", quoted), "};\n",
         "const struct evidence_kind evidence_sections[SECTION_COUNT] = {", *c_rows(cat, "sections", quoted), "};"]
    return {"evidence.h": "\n".join(h) + "\n", "evidence.c": "\n".join(c) + "\n"}


def rows(cat, kind):
    return [[f"`{n}`", r["doc"], ", ".join(f"`{c}`" for c in r["classes"]) or r["from"]] for n, r in cat.evidence[kind].items()]


def outputs(cat):
    text = ["# Signals and sections of evidence packs\n", NOTICE,
            "\nWhich event classes show what; [the format](../formats/evidence-pack.md) says where a pack lists them.\n",
            "## Signals\n", table(["signal", "shows", "event classes"], rows(cat, "signals")),
            "\n## Sections\n", table(["section", "contents", "event classes"], rows(cat, "sections"))]
    return {"docs/reference/evidence.md": "\n".join(text).rstrip() + "\n"}
