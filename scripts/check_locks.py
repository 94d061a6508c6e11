#!/usr/bin/env python3
"""Lock files of npm: what would fail in another place or on another machine.

absent     an optional package that the lock file does not name.  npm leaves one out that its registry does not hold at that
           moment, and `npm ci` refuses the lock file as soon as the registry has it.
addresses  the address that a package came from: it belongs to one registry.
unhashed   a package without a hash.
"""
import json

from ratchet import ROOT, hold, tracked


def found(packages, place, name):
    """Whether a package installed at `place` finds `name`: in its own folder, or in one above it."""
    while True:
        if f"{place}/node_modules/{name}".lstrip("/") in packages:
            return True
        if not place:
            return False
        place = place.rpartition("node_modules/")[0].rstrip("/")


def main():
    absent, addresses, unhashed = [], [], []
    for path in tracked("*package-lock.json"):
        packages = json.loads((ROOT / path).read_text())["packages"]
        for place, row in packages.items():
            absent += [f"{path}: {name} of {place}" for name in row.get("optionalDependencies", {}) if not found(packages, place, name)]
            if row.get("link") or row.get("inBundle"):
                continue
            addresses += [f"{path}: {place}"] if "resolved" in row else []
            unhashed += [f"{path}: {place}"] if "node_modules/" in place and "integrity" not in row else []
    lists = {"absent": absent, "addresses": addresses, "unhashed": unhashed}
    hold("check_locks", {name: len(items) for name, items in lists.items()}, lists)


main()
