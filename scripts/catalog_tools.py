"""Tools that come with the runtime: their tables, their arguments in C, and the reference page; a part of scripts/catalog.py.

A row of catalog/tools/ has the text that models read and the JSON Schema of the arguments.  SETS says which part of src/ offers
the tools of a set, and in which struct.
"""
import json

PLACE = "docs/reference/"
SETS = {
    "workspace": {"owner": "local", "title": "Files and commands",
                  "doc": "Each call is a process of `thole-supervisor` in a sandbox of its own (`src/tools/`, `src/filetool/`). "
                         "`tools.enabled` turns them off."},
    "fetch": {"owner": "local", "title": "The web", "doc": "Offered if `tools.fetch` is set (`src/tools/fetch.c`)."},
    "search": {"owner": "local", "title": "Search of the web", "doc": "Offered if `search.provider` is set and there is a key (`src/tools/search.c`)."},
    "process": {"owner": "local", "title": "Background processes",
                "doc": "For the commands that `start_process` started (`src/engine/effects/process_tools.c`)."},
    "output": {"owner": "local", "title": "Long outputs",
               "doc": "For outputs that were cut in the middle (`src/engine/effects/output_tools.c`)."},
    "skill": {"owner": "local", "title": "Skills",
              "doc": "For skills of the user and of trusted projects (`src/engine/effects/skill_tools.c`)."},
    "agent": {"owner": "local", "title": "Child agents, list of steps, plan",
              "doc": "Answered by the core from the session's state (`src/core/tool/`). `tools.agents`, `tools.todo` and `tools.plan` "
                     "turn them off."},
    "question": {"owner": "local", "title": "Questions", "doc": "Answered by a person through an approval."},
}
KEYS = {"file", "number", "set", "description", "capabilities", "policy", "item", "readOnly", "concurrencySafe", "destructive",
        "asksUser", "background", "timeout", "required", "properties"}
FLAGS = (("readOnly", "is_read_only"), ("concurrencySafe", "is_concurrency_safe"), ("destructive", "is_destructive"),
         ("asksUser", "asks_user"), ("background", "is_background"))


def in_order(cat, *sets):
    """The rows of these sets, in the order in which models see them."""
    return sorted(((n, r) for n, r in cat.tools.items() if not sets or r["set"] in sets), key=lambda x: x[1]["number"])


def check(cat, problem):
    numbers = [row["number"] for row in cat.tools.values()]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        problem("tools: their numbers are not 1 to the number of tools")
    for name, row in cat.tools.items():
        where = f"tool {name}"
        if name != row["file"]:
            problem(f"{where}: is in {row['file']}.json")
        for key in row.keys() - KEYS:
            problem(f"{where}: no key {key}")
        if row.get("set") not in SETS:
            problem(f"{where}: no set {row.get('set')}")
        for key, enum in (("policy", "tool_policy"), ("item", "item_kind")):
            if row.get(key) not in cat.enums[enum]:
                problem(f"{where}: {row.get(key)} is no {enum}")
        for arg in row.get("required", []):
            if arg not in row["properties"]:
                problem(f"{where}: it requires {arg}, which is no property")
        if "timeout" in row and row["timeout"] not in cat.limits:
            problem(f"{where}: {row['timeout']} is not a limit")
        if not row["description"].endswith("."):
            problem(f"{where}: its description is no sentence")


def schema(row):
    """The JSON Schema that models and the check of a call get."""
    out = {"type": "object", "additionalProperties": False}
    if row.get("required"):
        out["required"] = row["required"]
    return {**out, "properties": row["properties"]}


# ---- C ----

def text(s):
    return f"STRC({json.dumps(s, ensure_ascii=False)})"


def compact(value):
    return text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def initialiser(row, name, upper):
    """A row as the members of struct tool_info."""
    parts = [f".name = {text(name)}", f".description = {text(row['description'])}", f".input_schema = {compact(schema(row))}",
             f".capabilities = {compact(row['capabilities'])}", f".owner = {text(SETS[row['set']]['owner'])}",
             f".policy = TOOL_POLICY_{upper(row['policy'])}", f".kind = ITEM_KIND_{upper(row['item'])}",
             ".interrupt = INTERRUPT_BEHAVIOR_CANCEL"]
    if row["set"] == "agent":
        parts.append(f".own = OWN_TOOL_{upper(name)}")
    parts += [f".{member} = true" for key, member in FLAGS if row.get(key)]
    if row["set"] == "workspace":
        parts.append(".is_sandboxed = true")
    if row["item"] == "command":
        parts.append(".is_command = true")
    if "timeout" in row:
        parts.append(f".timeout_ms = LIMIT_{upper(row['timeout'])}")
    return "{\n\t\t" + ",\n\t\t".join(parts) + ",\n\t}"


def c_table(cat, upper, head, layer, name, sets):
    """{file name: text} of one table of tools in LAYER/gen/."""
    tools = in_order(cat, *sets)
    include = "core/tool/tool_info.h" if layer == "core" else "ports/tool.h"
    guard = f"{layer}_GEN_{name}_H".upper()
    h = [head, f"#ifndef {guard}\n#define {guard}\n/* {', '.join(n for n, _ in tools)}: rows of catalog/tools/. */",
         f"#include \"{include}\"\n", f"extern const struct tool_info {name}[{len(tools)}];\n\n#endif"]
    c = [head, f"#include \"{layer}/gen/{name}.h\"\n\n#include \"base/gen/limits.h\"\n\n#define STRC(s) {{ s, sizeof(s) - 1 }}\n",
         f"const struct tool_info {name}[{len(tools)}] = {{"]
    c += ["\t" + initialiser(row, tool, upper) + "," for tool, row in tools]
    c.append("};")
    return {name + ".h": "\n".join(h) + "\n", name + ".c": "\n".join(c) + "\n"}


def is_file_tool(row):
    return row["set"] == "workspace" and row["item"] != "command"


def c_filetool(cat, head):
    """Which function runs a file tool: tool_NAME()."""
    tools = [n for n, row in in_order(cat) if is_file_tool(row)]
    h = [head, "#ifndef FILETOOL_GEN_FILETOOL_TABLE_H\n#define FILETOOL_GEN_FILETOOL_TABLE_H\n#include \"base/gen/tool_args.h\"\n#include \"filetool/file_call.h\"\n",
         "/* Each returns false after file_call_fail() or file_call_fail_errno(). */"]
    h += [f"bool tool_{n}(struct file_call *c);" for n in tools]
    h.append(f"\nextern const struct filetool_entry {{\n\tconst char *name;\n\tbool (*run)(struct file_call *c);\n}} filetool_table[{len(tools)}];\n\n#endif")
    c = [head, "#include \"filetool/gen/filetool_table.h\"\n", f"const struct filetool_entry filetool_table[{len(tools)}] = {{"]
    c += [f"\t{{ \"{n}\", tool_{n} }}," for n in tools]
    c.append("};")
    return {"filetool_table.h": "\n".join(h) + "\n", "filetool_table.c": "\n".join(c) + "\n"}


def may_be_zero(prop):
    return prop.get("minimum", 0) <= 0


def c_args(cat, head, member):
    """The arguments of each tool as a struct, and what reads them: for the tools and for those that run them."""
    h = [head, "#ifndef BASE_GEN_TOOL_ARGS_H\n#define BASE_GEN_TOOL_ARGS_H",
         "/*\n * Arguments of tools.  The schema of the tool has been checked: what is absent is empty, false or 0; where 0 is a value\n"
         " * too, has_x tells.\n */\n#include \"base/json.h\"\n"]
    for name, row in in_order(cat):
        members, reads = [], []
        for prop, p in row["properties"].items():
            m, value = member(prop), f'JSON_GET(args, "{prop}")'
            if p.get("type") == "string":
                members.append(f"struct str {m};")
                reads.append(f".{m} = json_str({value})")
            elif p.get("type") == "integer":
                members.append(f"int64_t {m};" + (f"\n\tbool has_{m};" if may_be_zero(p) else ""))
                reads.append(f".{m} = json_int({value}, 0)" + (f",\n\t\t.has_{m} = json_is({value})" if may_be_zero(p) else ""))
            elif p.get("type") == "boolean":
                members.append(f"bool {m};")
                reads.append(f".{m} = json_bool({value}, false)")
            else:
                members.append(f"struct json {m};")
                reads.append(f".{m} = {value}")
        if members:
            h.append(f"struct tool_args_{name} {{\n\t" + "\n\t".join(members) + "\n};\n"
                     f"static inline struct tool_args_{name} tool_args_{name}(struct json args)\n{{\n"
                     f"\treturn (struct tool_args_{name}){{\n\t\t" + ",\n\t\t".join(reads) + ",\n\t};\n}\n")
    return "\n".join(h) + "\n#endif\n"


# ---- the page ----

def type_text(p):
    if "enum" in p:
        return " or ".join(f"`{w}`" for w in p["enum"])
    low, high = p.get("minimum"), p.get("maximum")
    if p["type"] == "integer" and (low is not None or high is not None):
        return f"integer, {low:,} to {high:,}" if high is not None else f"integer, at least {low:,}"
    if p["type"] == "string" and "maxLength" in p:
        return f"string, at most {p['maxLength']:,} characters"
    if p["type"] == "array":
        most = f", at most {p['maxItems']:,}" if "maxItems" in p else ""
        return f"list of {p['items'].get('type', 'value')}s{most}"
    return p["type"]


def details(row):
    """The properties of a tool beyond its arguments, in one line."""
    words = [f"Policy: `{row['policy']}`"]
    words.append("capabilities: " + ", ".join(f"`{c}`" for c in row["capabilities"]))
    for key, said in (("readOnly", "changes nothing"), ("concurrencySafe", "runs beside other calls"), ("destructive", "may destroy"),
                      ("asksUser", "asks a person"), ("background", "continues after its call")):
        if row.get(key):
            words.append(said)
    return "; ".join(words) + "."


def page(cat, notice):
    out = [notice + "# Tools\n\nThe tools that come with the runtime, with the text that models read. Each is a row of `catalog/tools/`. What a sandbox\n"
           "allows them is in [the sandbox](../explanation/sandbox.md#the-tools); permission rules decide each call\n"
           "([permissions](../explanation/permissions.md)). A tool server or a script may offer a tool of the same name; it replaces ours.\n"]
    for key, kind in SETS.items():
        out.append(f"## {kind['title']}\n\n{kind['doc']}\n")
        for name, row in in_order(cat, key):
            out.append(f"### {name}\n\n{row['description']}\n\n{details(row)}\n")
            if not row["properties"]:
                out.append("It has no arguments.\n")
                continue
            out.append("| argument | type | required | meaning |\n| --- | --- | --- | --- |")
            for prop, p in row["properties"].items():
                must = "yes" if prop in row.get("required", []) else ""
                out.append(f"| `{prop}` | {type_text(p)} | {must} | {p.get('description', '').replace('|', chr(92) + '|')} |")
            out.append("")
    return "\n".join(out)


def outputs(cat, notice):
    return {PLACE + "tools.md": page(cat, notice)}
