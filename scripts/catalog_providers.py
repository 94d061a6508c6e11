"""Providers of models and well-known models; a part of scripts/catalog.py.

A dialect is a `struct dialect` in src/provider/; its row names the symbol.  A provider that has a row needs no settings: its key is
enough.  A model that has a row needs no price in the settings; the row names the source that was read, and its date.
"""
import re

PLACE = "docs/reference/"
EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")
EFFORT_FORMS = ("word", "object", "thinking")


def check(cat, problem):
    for name, row in cat.providers.items():
        for dialect in (row["dialect"], row.get("auto", row["dialect"])):
            if dialect not in cat.dialects:
                problem(f"provider {name}: no dialect {dialect}")
        if not row["url"].startswith(("http://", "https://")) or row["url"].endswith("/"):
            problem(f"provider {name}: {row['url']} is no base URL")
        account = cat.dialects.get(row["dialect"], {}).get("account")
        if len(row["keys"]) > 2 or (not account and bool(row["keys"]) == bool(row.get("port"))):
            problem(f"provider {name}: one or two key variables, an account, or the port of a local server")
        if row.get("effort", "word") not in EFFORT_FORMS:
            problem(f"provider {name}: no form of effort {row['effort']}")
    for word, row in cat.dialects.items():
        if row.get("account") and row["account"] not in cat.accounts:
            problem(f"dialect {word}: no account {row['account']}")
    for name, row in cat.models["models"].items():
        check_model(cat, name, row, problem)
    for provider, model in cat.models["defaults"].items():
        if f"{provider}/{model}" not in cat.models["models"]:
            problem(f"models: the default {provider}/{model} has no row")


def check_model(cat, name, row, problem):
    if name.split("/")[0] not in cat.providers:
        problem(f"model {name}: no such provider")
    if row.get("source") not in cat.models["sources"] or not re.fullmatch(r"\d{4}-\d\d-\d\d", row.get("date", "")):
        problem(f"model {name}: names no source that was read, or no date")
    above = row["price"].get("above")
    if above and not (0 < above["inputTokens"] and above["input"] >= row["price"]["input"] and "output" in above):
        problem(f"model {name}: the price of requests with more input is not one")
    if any(word not in EFFORTS for word in row.get("efforts", "").split()):
        problem(f"model {name}: an effort is none of {' '.join(EFFORTS)}")
    if row["cache"] not in ("marks", "prefix", "none"):
        problem(f"model {name}: no cache rule {row['cache']}")


def models_of(cat, provider):
    """(model, row), the default first."""
    default = cat.models["defaults"].get(provider)
    rows = [(n.split("/", 1)[1], r) for n, r in cat.models["models"].items() if n.split("/")[0] == provider]
    return sorted(rows, key=lambda r: r[0] != default)


def nano(usd):
    return round(usd * 10**9)


def rates(p):
    return p["input"], p.get("cachedInput", p["input"]), p.get("cacheWrite", p["input"]), p["output"]


def c_files(cat, head, quoted):
    dialects, known = cat.dialects, cat.providers
    models = [(p, m, r) for p in known for m, r in models_of(cat, p)]
    h = [head, "#ifndef PROVIDER_GEN_PROVIDERS_TABLE_H\n#define PROVIDER_GEN_PROVIDERS_TABLE_H\n"
         "/* Dialects by the words of the settings, providers whose address and key variables are known, and well-known models. */\n"
         "#include \"base/str.h\"\n"]
    h += [f"extern const struct dialect {symbol};" for symbol in sorted({row["symbol"] for row in dialects.values()})]
    variables = [(a, v) for a, row in cat.accounts.items() for v in row["variables"]]
    h.append("\n/* What proves who sends: a key in a header, or an account of a cloud. */")
    h.append("enum providers_account { " + ", ".join(f"PROVIDERS_ACCOUNT_{a.upper()}" for a in ("key", *cat.accounts)) + " };\n")
    h.append("/* Variables of accounts.  is_credential: names an identity by itself; the others only add to one. */")
    h.append("extern const struct providers_variable {\n\tstruct str name;\n\tenum providers_account account;\n\tbool is_secret, is_credential;\n"
             f"}} providers_variables[{len(variables)}];")
    h.append("\nextern const struct providers_dialect {\n\tstruct str word;\n\tconst struct dialect *dialect;\n\tenum providers_account account;\n"
             f"}} providers_dialects[{len(dialects)}];")
    h.append(f"#define PROVIDERS_DIALECT_WORDS {quoted(', '.join(dialects))}\n")
    h.append("enum providers_effort { " + ", ".join(f"PROVIDERS_EFFORT_{w.upper()}" for w in EFFORT_FORMS) + " };\n")
    h.append("/*\n * key_variable: absent for a local server, which listens on port.  auto_dialect: when the settings do not name it.\n"
             " * url_variable: may hold another address, to which url_path is added.  list_url: where lists are, if that is elsewhere.\n */")
    h.append("extern const struct providers_known {\n\tstruct str name, base_url, key_variable, other_key_variable, dialect, auto_dialect, list_path, check_path;\n"
             "\tstruct str url_variable, url_path, list_url;\n"
             f"\tenum providers_effort effort;\n\tint port;\n}} providers_known[{len(known)}];\n")
    h.append("/*\n * Prices in 1e-9 dollars for a million tokens.  The default model of a provider comes first.  efforts: words; \"none\": it does\n"
             " * not reason; absent: it takes a number of tokens.\n */")
    h.append("extern const struct providers_model {\n\tstruct str provider, model, efforts, date;\n\tint64_t window, output;\n"
             f"\tint64_t input, cached_input, cache_write, output_price;\n"
             "\tint64_t above_tokens, above_input, above_cached_input, above_cache_write, above_output; /* above_tokens: 0: none */\n"
             f"\tbool sees, reasons;\n}} providers_models[{len(models)}];\n\n#endif")
    c = [head, "#include \"provider/gen/providers_table.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n",
         f"const struct providers_dialect providers_dialects[{len(dialects)}] = {{"]
    c += [f"\t{{ STRC({quoted(word)}), &{row['symbol']}, PROVIDERS_ACCOUNT_{row.get('account', 'key').upper()} }}," for word, row in dialects.items()]
    c.append(f"}};\n\nconst struct providers_variable providers_variables[{len(variables)}] = {{")
    c += [f"\t{{ STRC({quoted(v['name'])}), PROVIDERS_ACCOUNT_{a.upper()}, {str(v.get('secret', False)).lower()}, {str(v.get('credential', False)).lower()} }},"
          for a, v in variables]
    c.append(f"}};\n\nconst struct providers_known providers_known[{len(known)}] = {{")
    for name, row in known.items():
        keys = [f"STRC({quoted(k)})" for k in row["keys"]] + ["{ NULL, 0 }"] * 2
        def text(key):
            return f"STRC({quoted(row[key])})" if row.get(key) else "{ NULL, 0 }"
        c.append(f"\t{{ STRC({quoted(name)}), STRC({quoted(row['url'])}), {keys[0]}, {keys[1]}, STRC({quoted(row['dialect'])}), "
                 f"STRC({quoted(row.get('auto', row['dialect']))}), {text('list')}, {text('check')}, "
                 f"{text('urlVariable')}, {text('urlPath')}, {text('listUrl')}, "
                 f"PROVIDERS_EFFORT_{row.get('effort', 'word').upper()}, {row.get('port', 0)} }},")
    c.append(f"}};\n\nconst struct providers_model providers_models[{len(models)}] = {{")
    for provider, model, row in models:
        p = row["price"]
        prices = rates(p)
        above = [p["above"]["inputTokens"], *map(nano, rates(p["above"]))] if "above" in p else [0] * 5
        words = row.get("efforts") or ("" if row["reasoning"] else "none")
        efforts = f"STRC({quoted(words)})" if words else "{ NULL, 0 }"
        c.append(f"\t{{ STRC({quoted(provider)}), STRC({quoted(model)}), {efforts}, STRC({quoted(row['date'])}), {row['window']}, {row['output']}, "
                 + ", ".join(str(nano(usd)) for usd in prices) + ", " + ", ".join(map(str, above)) + f", {str(row['vision']).lower()}, {str(row['reasoning']).lower()} }},")
    return {"providers_table.h": "\n".join(h) + "\n", "providers_table.c": "\n".join(c + ["};"]) + "\n"}


def page(cat, notice):
    out = [notice + "# Providers\n\nA provider of this list needs no settings: its key is enough, and a local server only has to run. The setting `providers` "
           "changes its\naddress or its models, and adds others ([models](../explanation/models.md)). Each is a row of `catalog/providers.json`.\n",
           "| name | base URL | its variable | key variable | dialect | default model |\n| --- | --- | --- | --- | --- | --- |"]
    for name, row in cat.providers.items():
        keys = ", ".join(f"`{k}`" for k in row["keys"])
        auto = row.get("auto", row["dialect"])
        dialect = f"`{row['dialect']}`" + (f"; `{auto}` without settings" if auto != row["dialect"] else "")
        default = cat.models["defaults"].get(name)
        account = cat.dialects[row["dialect"]].get("account")
        keys += (", or " if keys else "") + f"[{account}](#accounts)" if account else ""
        url = row.get("urlVariable")
        last = f"`{default}`" if default else "none: by name only" if account else "the first that it lists"
        out.append(f"| `{name}` | `{row['url']}` | {f'`{url}`' if url else ''} | {keys} | {dialect} | {last} |")
    out.append("\n## Accounts\n")
    for account, row in cat.accounts.items():
        words = ", ".join(f"`{v['name']}`" for v in row["variables"])
        out.append(f"`{account}`: {row['doc']} Variables: {words}.\n")
    out.append("## Dialects")
    out.append("\n| dialect | protocol |\n| --- | --- |")
    out += [f"| `{word}` | {row['doc']} |" for word, row in cat.dialects.items()]
    return "\n".join(out) + "\n"


def dollars(usd):
    return f"{usd:.10f}".rstrip("0").rstrip(".")


def models_page(cat, notice):
    out = [notice + "# Models\n\nWindow, output limit and prices of well-known models, in tokens and in dollars per million tokens. Each is a row of "
           "`catalog/models.json`, with the\nsource that was read and its date. Prices change: the settings `prices` and `providers` override a row "
           "([money](../how-to/money.md)). A model without a row has no\nprice until its provider or the settings give one.\n"]
    for key, row in cat.models["sources"].items():
        out.append(f"Source `{key}`: {row['title']}, published {row['published']}, read {row['read']}.\n")
    out.append("| model | window | output | input | cached | cache write | output | sees | efforts | source |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, row in cat.models["models"].items():
        p = row["price"]
        out.append(f"| `{name}` | {row['window']} | {row['output']} | {dollars(p['input'])} | {dollars(p.get('cachedInput', p['input']))} | "
                   f"{dollars(p.get('cacheWrite', p['input']))} | {dollars(p['output'])} | {'yes' if row['vision'] else 'no'} | "
                   f"{row.get('efforts', 'by budget' if row['reasoning'] else 'none')} | {row['source']}, {row['date']} |")
    return "\n".join(out) + "\n"


def outputs(cat, notice):
    return {PLACE + "providers.md": page(cat, notice), PLACE + "models.md": models_page(cat, notice)}
