"""Providers of models: which dialect each speaks, where it is and which variable has its key; a part of scripts/catalog.py.

A dialect is a `struct dialect` in src/provider/; its row names the symbol.  Settings of a provider that has a row need no more than
its models.
"""
PLACE = "docs/reference/"


def check(cat, problem):
    for name, row in cat.providers.items():
        if row["dialect"] not in cat.dialects:
            problem(f"provider {name}: no dialect {row['dialect']}")
        if not row["url"].startswith(("http://", "https://")) or row["url"].endswith("/"):
            problem(f"provider {name}: {row['url']} is no base URL")


def c_files(cat, head, quoted):
    dialects, known = cat.dialects, cat.providers
    h = [head, "#ifndef PROVIDER_GEN_PROVIDERS_TABLE_H\n#define PROVIDER_GEN_PROVIDERS_TABLE_H\n"
         "/* Dialects by the words of the settings, and providers whose address and key variable are known. */\n#include \"base/str.h\"\n"]
    h += [f"extern const struct dialect {symbol};" for symbol in sorted({row["symbol"] for row in dialects.values()})]
    h.append(f"\nextern const struct providers_dialect {{\n\tstruct str word;\n\tconst struct dialect *dialect;\n}} providers_dialects[{len(dialects)}];")
    h.append(f"#define PROVIDERS_DIALECT_WORDS {quoted(', '.join(dialects))}\n")
    h.append(f"extern const struct providers_known {{\n\tstruct str name, base_url, key_variable, dialect;\n}} providers_known[{len(known)}];\n\n#endif")
    c = [head, "#include \"provider/gen/providers_table.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n",
         f"const struct providers_dialect providers_dialects[{len(dialects)}] = {{"]
    c += [f"\t{{ STRC({quoted(word)}), &{row['symbol']} }}," for word, row in dialects.items()]
    c.append(f"}};\n\nconst struct providers_known providers_known[{len(known)}] = {{")
    for name, row in known.items():
        key = f"STRC({quoted(row['key'])})" if row.get("key") else "{ NULL, 0 }"
        c.append(f"\t{{ STRC({quoted(name)}), STRC({quoted(row['url'])}), {key}, STRC({quoted(row['dialect'])}) }},")
    return {"providers_table.h": "\n".join(h) + "\n", "providers_table.c": "\n".join(c + ["};"]) + "\n"}


def page(cat, notice):
    out = [notice + "# Providers\n\nProviders of these names need only their models in the setting `providers`; others name a base URL and a dialect\n"
           "([models](../explanation/models.md)). Each is a row of `catalog/providers.json`.\n",
           "| name | base URL | key variable | dialect |\n| --- | --- | --- | --- |"]
    for name, row in cat.providers.items():
        key = f"`{row['key']}`" if row.get("key") else ""
        out.append(f"| `{name}` | `{row['url']}` | {key} | `{row['dialect']}` |")
    out.append("\n| dialect | protocol |\n| --- | --- |")
    out += [f"| `{word}` | {row['doc']} |" for word, row in cat.dialects.items()]
    return "\n".join(out) + "\n"


def outputs(cat, notice):
    return {PLACE + "providers.md": page(cat, notice)}
