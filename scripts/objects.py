"""What the compiled files of src/ define and use, read with nm from a build directory."""
import json
import pathlib
import subprocess

from ratchet import ROOT


def objects(build="build"):
    """{source path from the root: (defined names, used names)}, functions and data with external linkage."""
    build = ROOT / build
    found = {}
    wanted = {}
    for row in json.loads((build / "compile_commands.json").read_text()):
        source = (pathlib.Path(row["directory"]) / row["file"]).resolve()
        if not source.is_relative_to(ROOT / "src"):
            continue
        out = pathlib.Path(row["directory"]) / row["output"]
        if out.exists():
            wanted.setdefault(str(source.relative_to(ROOT)), out)
    for source, out in wanted.items():
        defined, used = set(), set()
        text = subprocess.run(["nm", "--extern-only", "--format=posix", str(out)], check=True,
                              capture_output=True, text=True).stdout
        for line in text.splitlines():
            name, kind = line.split()[:2]
            (used if kind == "U" else defined).add(name)
        found[source] = (defined, used)
    return found
