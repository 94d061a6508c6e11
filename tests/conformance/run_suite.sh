#!/bin/sh
# The JSON Schema test suite, with the meta-schemas that Debian's python3-jsonschema brings.
#
#   run_suite.sh SCHEMA_SUITE_PROGRAM
#
# Skipped (77) where neither the suite (scripts/setup --test) nor the meta-schemas are at hand.
set -eu
suite=$(ls -d build/deps-suite/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance 2>/dev/null ||
	ls -d /usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance 2>/dev/null || true)
[ -n "$suite" ] || exit 77
meta=$(mktemp -d)
trap 'rm -rf "$meta"' EXIT
/usr/bin/python3 - "$meta" <<'PY' || exit 77
import glob, json, os, re, sys
found = {}
def take(text):
    doc = json.loads(text)
    for d in [doc] if "$id" in doc or "id" in doc else list(doc.values()):
        if isinstance(d, dict) and "$id" in d:
            found[d["$id"]] = d
for path in glob.glob("/usr/lib/python3/dist-packages/jsonschema*/**/*", recursive=True):
    if os.path.isfile(path) and (path.endswith(".json") or "metaschemas" in path or "vocabularies" in path):
        try:
            take(open(path).read())
        except (ValueError, UnicodeDecodeError, AttributeError):
            pass
wanted = [u for u in found if "2020-12" in u or "draft-07" in u]
if not any(u.endswith("2020-12/schema") for u in wanted):
    sys.exit(1)
for u in wanted:
    name = "draft-07" if "draft-07" in u else u.rstrip("#").rsplit("/", 1)[1]
    json.dump(found[u], open(os.path.join(sys.argv[1], name + ".json"), "w"))
PY
"$1" "$meta" "$suite"
