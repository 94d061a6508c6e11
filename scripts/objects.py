"""What the compiled files of src/ define and use, read with one nm from a build directory."""
import json
import pathlib
import subprocess

from ratchet import ROOT


def objects(build="build"):
    """{source path from the root: (defined names, used names)}, functions and data with external linkage.

    A generated file has the path that it would have in the source tree: src/catalog/gen/vocab.c.
    """
    sources = {}
    for row in json.loads((ROOT / build / "compile_commands.json").read_text()):
        source = (pathlib.Path(row["directory"]) / row["file"]).resolve()
        out = pathlib.Path(row["directory"]) / row["output"]
        top = pathlib.Path(row["directory"]).resolve() if "/gen/" in row["file"] else ROOT
        if source.is_relative_to(top / "src") and out.exists():
            sources.setdefault(str(source.relative_to(top)), str(out))
    files = {out: source for source, out in sources.items()}
    found = {source: (set(), set()) for source in sources}
    text = subprocess.run(["nm", "-A", "--extern-only", "--format=posix", *files], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        out, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        found[files[out]][1 if kind == "U" else 0].add(name)
    return found
