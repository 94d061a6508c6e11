"""The line that `thole log` prints for an event class; a part of scripts/catalog.py.

A row's "line" is a template.  {path} is a member of the payload, {^path} one of the envelope; a format may follow: {waitedMs:ms}.
A part in [brackets] is left out when a member in it is missing.  A class without a line prints its statusReason.
"""
import re

FORMATS = {"ms": ("int",), "usd": ("usd",), "bytes": ("int",), "until": ("time",)}
MEMBER = re.compile(r"\{(\^?)([A-Za-z0-9_.]+)(?::(\w+))?\}")


def type_of(cat, fields, path):
    """The type of the member at this path, or None.  Where JSON of any format begins, every path is possible."""
    name, _, rest = path.partition(".")
    t = next((f["type"] for f in fields if f["name"] == name), None)
    if not t or not rest:
        return t
    parts = t.split()
    if parts[0] == "list":
        index, _, rest = rest.partition(".")
        if not index.isdigit():
            return None
        parts = parts[1:]
        if not rest:
            return " ".join(parts)
    if parts[0] in ("json", "dict"):
        return "json"
    if parts[0] == "rec":
        return type_of(cat, cat.records[parts[1]], rest)
    return None


def check(cat, problem):
    for name, row in cat.events.items():
        line = row.get("line", "")
        if re.sub(r"[^\[\]]", "", line).replace("[]", "") or re.search(r"[{}]", MEMBER.sub("", line)):
            problem(f"{name}: line: brackets or braces that do not match")
        for in_envelope, path, form in MEMBER.findall(line):
            t = type_of(cat, cat.envelope if in_envelope else row["payload"], path)
            if not t:
                problem(f"{name}: line: there is no member {path}")
            elif form and t not in FORMATS.get(form, ()) and t != "json":
                problem(f"{name}: line: {path} is {t} and cannot be shown as {form}")


def c_files(cat, head, quoted):
    rows = [(n, r["line"]) for n, r in sorted(cat.events.items()) if "line" in r]
    h = [head, "#ifndef APP_GEN_EVENT_LINES_H\n#define APP_GEN_EVENT_LINES_H",
         "/* What a class says in one line of the log, ordered by class.  The template is described in catalog/README.md. */",
         f"extern const struct event_line {{\n\tconst char *type, *text;\n}} event_lines[{len(rows)}];\n\n#endif"]
    c = [head, "#include \"app/gen/event_lines.h\"\n", f"const struct event_line event_lines[{len(rows)}] = {{"]
    c += [f"\t{{ {quoted(n)}, {quoted(t)} }}," for n, t in rows]
    return {"event_lines.h": "\n".join(h) + "\n", "event_lines.c": "\n".join(c + ["};"]) + "\n"}
