"""Errors of tools, as models read them: functions in C and the reference page; a part of scripts/catalog.py.

A row of catalog/tool_errors.json becomes a function tool_error_NAME().  Its parameters are the words in braces: {path} is a
string, {bytes:int} a number.  {cause} may be a sentence of somebody else: it loses its full stop.
"""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = "docs/reference/"
KEYS = {"group", "category", "reason", "errno", "retryable", "message", "advice"}
WORD = re.compile(r"\{([a-z]+)(:int)?\}")


def parameters(row):
    """[(name, is it a number)] in the order of the text."""
    found = {}
    for text in (row["message"], row["advice"]):
        for m in WORD.finditer(text):
            found[m[1]] = bool(m[2])
    return list(found.items())


def used_names():
    """The functions that C calls; those of an errno are called by tool_error_of_errno()."""
    return set(subprocess.run(["git", "grep", "-ohE", r"tool_error_[a-z_]+\(", "--", "src"], cwd=ROOT, capture_output=True, text=True).stdout
               .replace("tool_error_", "").replace("(", "").split())


def check(cat, problem):
    used = used_names()
    for name, row in cat.tool_errors.items():
        where = f"tool error {name}"
        for key in row.keys() - KEYS:
            problem(f"{where}: no key {key}")
        if row["group"] not in cat.tool_error_groups:
            problem(f"{where}: no group {row['group']}")
        if row["category"] not in cat.enums["error_category"]:
            problem(f"{where}: {row['category']} is no error_category")
        if not row["advice"].endswith("."):
            problem(f"{where}: its advice is no sentence")
        if not row["message"].endswith("."):
            problem(f"{where}: its message is no sentence")
        if used and "errno" not in row and name not in used:
            problem(f"{where}: nothing uses it")
        if "errno" in row and parameters(row) != [("path", False)]:
            problem(f"{where}: an error of an errno has the parameter path alone")


# ---- C ----

def c_string(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def filled(text):
    """An expression for the text: constant, or with its parameters."""
    args, at, out = [], 0, ""
    for m in WORD.finditer(text):
        out += text[at:m.start()].replace("%", "%%") + ("%lld" if m[2] else "%.*s")
        value = "tool_error_cause(cause)" if m[1] == "cause" else m[1]
        args.append(f"(long long){value}" if m[2] else f"STR_ARG({value})")
        at = m.end()
    if not args:
        return f"STR({c_string(text)})"
    return f"arena_printf(mem, {c_string(out + text[at:].replace('%', '%%'))}, {', '.join(args)})"


def signature(name, row):
    params = [("int64_t " if is_int else "struct str ") + p for p, is_int in parameters(row)]
    return f"static inline struct tool_error tool_error_{name}(" + (", ".join(["struct arena *mem", *params]) if params else "void") + ")"


def function(name, row):
    members = [f".category = STR({c_string(row['category'])})"]
    if "reason" in row:
        members.append(f".reason = STR({c_string(row['reason'])})")
    members += [f".message = {filled(row['message'])}", f".advice = {filled(row['advice'])}"]
    if row.get("retryable"):
        members.append(".is_retryable = true")
    return signature(name, row) + "\n{\n\treturn (struct tool_error){\n\t\t" + ",\n\t\t".join(members) + ",\n\t};\n}\n"


def c_header(cat, head):
    """Functions in a header, because nearly each has one caller."""
    out = [head, "#ifndef BASE_GEN_TOOL_ERRORS_H\n#define BASE_GEN_TOOL_ERRORS_H",
           "/* What models read when a tool fails: rows of catalog/tool_errors.json. */", '#include "base/arena.h"\n\n#include <errno.h>\n',
           "struct tool_error {\n\tstruct str category; /* a word of error_category */\n\tstruct str reason;   /* a word for programs, or absent */\n"
           "\tstruct str message, advice;\n\tbool is_retryable;\n};\n"]
    out.append("/* Without its full stop, because our own text adds one. */\nstatic inline struct str tool_error_cause(struct str s)\n{\n"
               "\treturn s.len && s.ptr[s.len - 1] == '.' ? str_head(s, s.len - 1) : s;\n}\n")
    out += [function(name, row) for name, row in cat.tool_errors.items()]
    out.append("/* The error for this errno; false: no row names it. */\n"
               "static inline bool tool_error_of_errno(struct arena *mem, int os_errno, struct str path, struct tool_error *ret)\n"
               "{\n\tswitch (os_errno) {")
    out += [f"\tcase {row['errno']}:\n\t\t*ret = tool_error_{name}(mem, path);\n\t\treturn true;"
            for name, row in cat.tool_errors.items() if "errno" in row]
    out.append("\tdefault:\n\t\treturn false;\n\t}\n}\n\n#endif")
    return "\n".join(out) + "\n"


# ---- the page ----

def shown(text):
    return WORD.sub(lambda m: f"*{m[1]}*", text).replace("|", "\\|")


def outputs(cat, notice):
    out = [notice + "# Errors of tools\n\nWhat a model reads when a call fails: the category, what happened, and what to do next. "
           "Each is a row of\n`catalog/tool_errors.json`; words in italics are filled in. What a tool server itself reports is passed on as it is.\n"]
    for group, title in cat.tool_error_groups.items():
        out.append(f"## {title}\n\n| category | message | advice |\n| --- | --- | --- |")
        out += [f"| `{row['category']}` | {shown(row['message'])} | {shown(row['advice'])} |"
                for row in cat.tool_errors.values() if row["group"] == group]
        out.append("")
    return {PLACE + "tool-errors.md": "\n".join(out)}
