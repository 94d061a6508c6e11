"""Settings: a table that src/lib/config.c reads, and a struct with one member per setting; a part of scripts/catalog.py.

A row of catalog/config.json becomes a member of struct config_values, named by its key with _ for the dots: output.keep_days is
config->output_keep_days.  src/lib/config.c fills it by the table; nothing else has to know a setting.
"""
import json

TYPES = {"str": "STR", "path": "STR", "int": "INT", "real": "REAL", "usd": "USD", "bool": "BOOL", "time": "STR", "json": "JSON"}
C_TYPES = {"STR": "struct str", "INT": "int64_t", "REAL": "double", "USD": "int64_t", "BOOL": "bool", "JSON": "struct json",
           "NAMES": "struct config_names", "LIST": "struct json"}


def kind(row):
    """The setting_type of a row, without its prefix."""
    t = row["type"].split()
    if t[0] == "list":
        return "NAMES" if t[1] == "str" else "LIST"
    return "ENUM" if t[0] == "enum" else TYPES[t[0]]


def c_type(row):
    k = kind(row)
    return "enum " + row["type"].split()[1] if k == "ENUM" else C_TYPES[k]


def built(cat):
    return [(key, row) for key, row in cat.config.items() if row["state"] == "built"]


def decided(cat):
    """The fields of the record settings_config: the settings that decisions read.

    A number with "recorded": "changed" is recorded only where it differs from its default.  Records of versions that did not have it
    can be read therefore, and mean the default.
    """
    names = {"NAMES": "names", "STR": "str", "INT": "int", "BOOL": "bool", "USD": "usd", "REAL": "real"}
    return [{"name": camel(key), "type": row["type"] if kind(row) == "ENUM" else names[kind(row)], "sparse": is_sparse(row),
             "required": kind(row) not in ("STR", "ENUM") and not is_sparse(row), "doc": row["doc"]} for key, row in built(cat) if row.get("decides")]


def is_sparse(row):
    return row.get("recorded") == "changed"


def camel(key):
    """The name of a setting as a member of a record: output.keep_days is outputKeepDays."""
    first, *rest = key.replace(".", "_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def check(cat, problem):
    for key, row in cat.config.items():
        if row.get("decides") and (row["state"] != "built" or kind(row) in ("JSON", "LIST")):
            problem(f"setting {key}: decisions cannot read it")
        if "recorded" in row and not (is_sparse(row) and row.get("decides") and kind(row) in ("INT", "REAL", "USD", "BOOL")):
            problem(f"setting {key}: \"recorded\" is \"changed\", for numbers that decisions read")
    for key, row in built(cat):
        if kind(row) == "ENUM" and row["default"] and row["default"] not in cat.enums[row["type"].split()[1]]:
            problem(f"setting {key}: its default {row['default']} is no {row['type']}")
        if kind(row) in ("JSON", "LIST") and row["default"]:
            problem(f"setting {key}: only an empty default is possible for {row['type']}")


def default(row, quoted, upper):
    """Its default as an initialiser, or None where zero is right."""
    value, k = row["default"], kind(row)
    if not value or k in ("JSON", "LIST"):
        return None
    if k == "ENUM":
        return f"{upper(row['type'].split()[1])}_{upper(value)}"
    if k == "STR":
        return f"STRC({quoted(value)})"
    if k == "NAMES":
        return f"{{ (const struct str[]){{ {', '.join(f'STRC({quoted(v)})' for v in value)} }}, {len(value)} }}"
    return "true" if value is True else str(round(value * 10**9) if k == "USD" else value)


def values_header(cat, head, member):
    h = [head, "#ifndef CATALOG_GEN_CONFIG_VALUES_H\n#define CATALOG_GEN_CONFIG_VALUES_H\n#include \"base/json.h\"\n"
         "#include \"catalog/gen/vocab.h\"\n",
         "struct config_names {\n\tconst struct str *items;\n\tsize_t count;\n};\n",
         "/*\n * The value of every setting that is built, resolved.  Strings are absent when they are empty; amounts of money are in\n"
         " * 1e-9 dollars.  It lives as long as the runtime and does not change.\n */\nstruct config_values {"]
    for key, row in built(cat):
        h.append(f"\t{c_type(row)} {member(key)};")
    h.append("};\nextern const struct config_values config_defaults;\n\n#endif")
    return "\n".join(h) + "\n"


def table_header(head):
    h = [head, "#ifndef CATALOG_GEN_SETTINGS_H\n#define CATALOG_GEN_SETTINGS_H\n#include \"catalog/gen/config_values.h\"\n"]
    h.append("enum setting_type {\n\tSETTING_STR, SETTING_INT, SETTING_REAL, SETTING_USD, SETTING_BOOL, SETTING_ENUM, SETTING_NAMES, "
             "SETTING_LIST, SETTING_JSON\n};\n")
    h.append("struct setting {\n\tstruct str key, doc, env;\n\tenum setting_type type;\n\tbool is_built;\n"
             "\tsize_t offset; /* in struct config_values, of one that is built */\n"
             "\tstruct str otherwise; /* its default as JSON */\n\tconst struct enum_desc *words;\n"
             "\tint64_t min, max; /* of a number */\n"
             "\tstruct str project; /* what a project's file may set it to, JSON: true, or values, the strictest last */\n};\n"
             "extern const struct setting settings[];\nextern const size_t setting_count;\n\n#endif")
    return "\n".join(h) + "\n"


def table(cat, head, quoted, upper, member):
    def text(s):
        return f"STRC({quoted(s)})"

    c = [head, "#include \"catalog/gen/settings.h\"\n#include \"catalog/gen/settings_record.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n", "const struct setting settings[] = {"]
    for key, row in cat.config.items():
        k = kind(row)
        parts = [f".key = {text(key)}", f".doc = {text(row['doc'])}", f".type = SETTING_{k}",
                 f".otherwise = {text(json.dumps(row['default']))}", f".min = {row.get('min', 'INT64_MIN')}",
                 f".max = {row.get('max', 'INT64_MAX')}"]
        if row.get("env"):
            parts.append(f".env = {text(row['env'])}")
        if row["state"] == "built":
            parts += [".is_built = true", f".offset = offsetof(struct config_values, {member(key)})"]
        if k == "ENUM":
            parts.append(f".words = &enum_{row['type'].split()[1]}")
        if "project" in row:
            parts.append(f".project = {text(json.dumps(row['project']))}")
        c.append("\t{ " + ", ".join(parts) + " },")
    c.append("};\nconst size_t setting_count = sizeof settings / sizeof settings[0];\n")
    c.append("const struct config_values config_defaults = {")
    for key, row in built(cat):
        value = default(row, quoted, upper)
        if value:
            c.append(f"\t.{member(key)} = {value},")
    c.append("};\n")
    c.append("void settings_config_take(const struct config_values *from, struct settings_config *ret)\n{\n\t*ret = (struct settings_config){")
    for key, row in built(cat):
        if row.get("decides"):
            c.append(f"\t\t.{member(key)} = from->{member(key)},")
        if is_sparse(row):
            c.append(f"\t\t.has_{member(key)} = from->{member(key)} != config_defaults.{member(key)},")
    c.append("\t};\n}\n\nconst struct settings_config settings_config_defaults = {")
    for key, row in built(cat):
        value = default(row, quoted, upper)
        if value and row.get("decides"):
            c.append(f"\t.{member(key)} = {value},")
    c.append("};")
    return "\n".join(c) + "\n"


def c_files(cat, head, quoted, upper, member):
    return {"config_values.h": values_header(cat, head, member), "settings.h": table_header(head), "settings.c": table(cat, head, quoted, upper, member)}


def object_names(cat, head, quoted):
    """For the program, which flattens groups of settings and has to leave those alone whose value is an object."""
    names = ", ".join(quoted(key) for key, row in cat.config.items() if row["type"] == "json")
    return f"{head}\n#ifndef APP_GEN_OBJECT_SETTINGS_H\n#define APP_GEN_OBJECT_SETTINGS_H\n#define OBJECT_SETTINGS {names}\n#endif\n"
