#!/usr/bin/env python3
"""The conformance pack: one JSON document from the files in conform/.

usage: conform_pack.py                 write conform/schemas/envelope.schema.json from the catalogue
       conform_pack.py --check         fail if that file is outdated
       conform_pack.py --json FILE     the pack as one document, as `thole conform log --pack FILE` reads it
       conform_pack.py --c FILE        the same as a C table, for the build
       conform_pack.py --tar FILE      files and document as a .tar.gz, to publish; the same bytes each time

Schemas are those that the catalogue makes; nothing of the standard's own files is in the pack.
"""
import gzip
import io
import json
import pathlib
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACK = ROOT / "conform"
ENVELOPE = PACK / "schemas" / "envelope.schema.json"
EVENT = ROOT / "docs" / "reference" / "schemas" / "event.schema.json"


def load(path):
    return json.loads(path.read_text())


# ---- the schema of the envelope ----

def is_id(field):
    return field["type"] == "id"


def is_record(field):
    return field["type"].startswith("rec ") or field["name"] == "refs"


def classes():
    rows = [row for path in sorted((ROOT / "catalog" / "events").glob("*.json")) for row in load(path).items()]
    return [name for name, row in sorted(rows, key=lambda r: r[1]["number"]) if row["number"] <= 120]


def envelope():
    fields = load(ROOT / "catalog" / "envelope.json")["fields"]
    names = [f["name"] for f in fields]
    text = {"type": "string", "minLength": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:thole:conform:envelope",
        "description": "Parts of the envelope that rows of the pack name. scripts/conform_pack.py writes this file.",
        "type": "object",
        "properties": {name: True for name in names},
        "$defs": {
            "class": {"type": "object", "required": ["type"], "properties": {"type": {"enum": classes()}}},
            "ids": {"type": "object", "properties": {f["name"]: text for f in fields if is_id(f)}},
            "records": {"type": "object", "properties": {f["name"]: {"type": "object"} for f in fields if is_record(f)}},
            "closed": {"type": "object", "propertyNames": {"enum": names}},
        },
    }


def envelope_text():
    return json.dumps(envelope(), indent=2) + "\n"


# ---- the pack ----

def without_prose(value):
    """A schema without its descriptions: `description` as a keyword, not as the name of a member."""
    if isinstance(value, list):
        return [without_prose(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: ({n: without_prose(s) for n, s in v.items()} if k in ("properties", "$defs") else without_prose(v))
            for k, v in value.items() if not (k in ("description", "title") and isinstance(v, str))}


def bundle():
    pack = load(PACK / "pack.json")
    pack["rows"] = [row for path in sorted((PACK / "rows").glob("*.json")) for row in load(path)]
    pack["scenarios"] = {path.stem: path.read_text() for path in sorted((PACK / "scenarios").glob("*.scn"))}
    pack["schemas"] = {s["$id"]: without_prose(s) for s in (envelope(), load(EVENT))}
    return json.dumps(pack, separators=(",", ":"), ensure_ascii=False).encode()


def c_table(plain):
    packed = gzip.compress(plain, 9, mtime=0)
    lines = (",".join(str(b) for b in packed[i:i + 24]) for i in range(0, len(packed), 24))
    return ('/* Written by scripts/conform_pack.py while building. */\n#include "conform/own_pack.h"\n\n'
            "const char own_pack_bytes[] = {\n" + ",\n".join(lines) + "\n};\n"
            f"const size_t own_pack_size = {len(packed)}, own_pack_plain_size = {len(plain)};\n")


def tarball(path):
    files = {f"conform/{p.relative_to(PACK)}": p.read_bytes() for p in sorted(PACK.rglob("*")) if p.is_file()}
    files["conform/schemas/event.schema.json"] = EVENT.read_bytes()
    files["conform/conform-pack.json"] = bundle()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    pathlib.Path(path).write_bytes(gzip.compress(out.getvalue(), 9, mtime=0))


def main():
    match sys.argv[1:]:
        case []:
            ENVELOPE.write_text(envelope_text())
        case ["--check"]:
            if not ENVELOPE.exists() or ENVELOPE.read_text() != envelope_text():
                print(f"{ENVELOPE.relative_to(ROOT)} is outdated: run scripts/conform_pack.py")
                return 1
        case ["--json", path]:
            pathlib.Path(path).write_bytes(bundle())
        case ["--c", path]:
            pathlib.Path(path).write_text(c_table(bundle()))
        case ["--tar", path]:
            tarball(path)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


sys.exit(main())
