#!/usr/bin/env python3
"""Checks that every built program looks for its libraries only beside itself and in absolute directories.

usage: check_runpath.py BUILD_DIR

A relative entry would be resolved in the current directory, which may be an untrusted repository.
"""
import os
import re
import subprocess
import sys

BUILT = ["thole", "thole-grpc", "thole-supervisor", "src/libthole.so"]


def entries(path):
    text = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    return [e for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text) for e in line.split(":")]


def main():
    bad = [f"{name}: '{entry}'" for name in BUILT for entry in entries(os.path.join(sys.argv[1], name))
           if not entry.startswith(("$ORIGIN", "/"))]
    for line in bad:
        print(f"{line} is looked for in the current directory")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main())
