#!/usr/bin/env python3
"""Limits and settings of the catalogue that no code reads.

A limit is read as LIMIT_NAME, or bounds a field or a tool of the catalogue that names it
("max": "title_bytes"); a setting is read as a member of struct
config_values: values->output_keep_days in src/lib/, config->output_keep_days elsewhere; one of the
client's own is read by its name in src/app/.
"""
import json
import re

from ratchet import ROOT, hold, tracked


def main():
    code = "\n".join((ROOT / p).read_text() for p in tracked("src/*.c", "src/*.h") if "/gen/" not in p)
    limits = json.loads((ROOT / "catalog/limits.json").read_text())
    settings = json.loads((ROOT / "catalog/config.json").read_text())
    rows = "\n".join((ROOT / p).read_text() for p in tracked("catalog/*.json"))
    read = set(re.findall(r"\bLIMIT_([A-Z0-9_]+)\b", code))
    named = set(re.findall(r'"(?:max|timeout)": "(\w+)"', rows))
    members = set(re.findall(r"\b(?:values|config)->(\w+)", code))
    unread_limits = [n for n in limits if n.upper() not in read and n not in named]
    client = "\n".join((ROOT / p).read_text() for p in tracked("src/app/*.c"))
    unread_settings = [n for n, row in settings.items()
                       if row["state"] == "built" and n.replace(".", "_") not in members and f'JSON_GET(v, "{n}")' not in client]
    hold("check_limits", {"limits": len(unread_limits), "settings": len(unread_settings)},
         {"limits": unread_limits, "settings": unread_settings})


main()
