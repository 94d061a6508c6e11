"""Reference pages, JSON Schemas and the OpenAPI document; a part of scripts/catalog.py.

outputs(cat) gives {path: text} and writes nothing.  All words come from the rows; what is
written here is only how they are laid out, and what no row says: the HTTP routes (kept equal to
src/serve/http/route.c by tests/conformance/test_reference.py) and the values of examples.

Schemas name their parts the same way everywhere: enum.X, record.X, view.X, payload.CLASS,
args.COMMAND, reply.COMMAND.
"""
import json
import re

PLACE = "docs/reference/"
NOTICE = "<!-- Written by scripts/catalog.py from catalog/; do not edit. -->\n\n"
SCHEMA_VERSION = "lime-profile-0.4.0"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ID_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,255}$"
# Said besides the format, which validators may take for a remark.
TIME_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"

# Plain GETs of read commands, as in src/serve/http/route.c.
READ_ROUTES = [
    ("/v1/capabilities", "get_capabilities"),
    ("/v1/sessions", "list_sessions"),
    ("/v1/sessions/{sessionId}", "get_session"),
    ("/v1/sessions/{sessionId}/threads", "list_threads"),
    ("/v1/sessions/{sessionId}/threads/{threadId}", "get_thread_read"),
    ("/v1/sessions/{sessionId}/queue", "list_queue"),
    ("/v1/sessions/{sessionId}/tools", "get_tool_inventory"),
    ("/v1/sessions/{sessionId}/tasks/{taskId}", "get_task"),
    ("/v1/tasks", "list_tasks"),
    ("/v1/actions", "list_actions"),
    ("/v1/channels", "list_channels"),
]
OTHER_ROUTES = [
    ("GET", "/v1/events", "Events, as a stream or page by page."),
    ("POST", "/v1/run", "`submit_turn`, and the events of that turn to its end."),
    ("GET", "/v1/outputs/{outputRef}", "The bytes of a stored output; takes `Range`."),
    ("GET", "/v1/blobs/{outputRef}", "The same under another name."),
    ("GET", "/v1/rpc", "JSON-RPC 2.0 over a WebSocket."),
    ("GET", "/healthz", "Whether the process answers; needs no token."),
    ("GET", "/readyz", "Whether commands are taken."),
    ("GET", "/metrics", "Figures for Prometheus."),
    ("GET", "/openapi.json", "The OpenAPI document."),
    ("GET", "/asyncapi.json", "The AsyncAPI document: the streams of events."),
    ("GET", "/", "The console, or a page that explains how to add it."),
    ("GET", "/console/{name}", "A file of the console; needs no token."),
    ("GET", "/v1/console/session", "Who is asking, with what scopes, and until when."),
    ("POST", "/v1/console/sign-in", "The code of `open_console` for a cookie; needs no token."),
    ("POST", "/v1/console/sign-out", "Take the cookie back."),
    ("GET", "/.well-known/agent-card.json", "The card for agents that speak A2A, with `a2a.enabled`; needs no token."),
    ("GET", "/.well-known/oauth-protected-resource", "Which issuers' tokens are accepted (RFC 9728), with `auth.issuers`; behind it the path of a protocol, such as `/mcp`. Needs no token."),
    ("POST", "/a2a", "A2A 1.0 over JSON-RPC, with `a2a.enabled`; its HTTP+JSON binding is below `/a2a/v1`."),
    ("POST", "/v1/triggers/{name}", "A delivery of a webhook, with a signature instead of a token; `triggers` names them."),
    ("POST", "/v1/node/call", "A command that another node of the same database sends on, with a message authentication code instead of a token."),
    ("POST", "/mcp", "An MCP client, with `mcp.serve`; on the Unix socket always. Before 2026-07-28, `GET` with its session id opens the stream of changes and `DELETE` ends the session."),
    ("POST", "/ag-ui", "A run of AG-UI 1.0, with `agui.enabled`."),
    ("POST", "/openai/v1/responses", "The Responses API, with `openai.enabled`; `/openai/v1/responses/{id}` reads, continues, cancels and deletes."),
    ("POST", "/openai/v1/conversations", "The Conversations API, with `openai.enabled`; `/openai/v1/conversations/{id}` shows, updates and deletes, `/openai/v1/conversations/{id}/items` lists."),
    ("POST", "/openai/v1/chat/completions", "The Chat Completions API, with `openai.enabled`."),
    ("GET", "/openai/v1/models", "The models, as the OpenAI APIs list them, with `openai.enabled`."),
]

# What any command may be answered with, whatever its row says.
COMMON = [
    "invalid_request", "invalid_json", "unknown_field", "missing_field", "invalid_type",
    "invalid_value", "invalid_id", "too_large", "payload_too_large", "header_too_large",
    "unsupported_media_type", "unauthorized", "forbidden", "host_not_allowed",
    "origin_not_allowed", "overloaded", "shutting_down", "store_failed", "store_unavailable", "session_behind", "session_needs_newer", "session_unreadable", "upgrade_unfinished",
    "session_deleted", "rebuilding", "storage_full",
    "timeout", "internal",
]
# Commands whose work continues after the answer.
ACCEPTED = {"submit_turn", "start_benchmark_trial"}
# Schemas of an event in another form, by its name; catalog_forms.py fills it in.
FORMS = {}
# Commands that need a connection that stays: over HTTP there is GET /v1/events instead.
ONLY_RPC = {"subscribe_events", "unsubscribe_events"}


def outputs(cat):
    """Everything that is generated here."""
    files = {
        "README.md": page_index(cat),
        "commands.md": page_commands(cat),
        "events.md": page_events(cat),
        "records.md": page_records(cat),
        "views.md": page_views(cat),
        "vocab.md": page_vocab(cat),
        "errors.md": page_errors(cat),
        "config.md": page_config(cat),
        "limits.md": page_limits(cat),
        "schemas/event.schema.json": pretty(event_schema(cat)),
        "schemas/commands.schema.json": pretty(commands_schema(cat)),
        "schemas/snapshot.schema.json": pretty(snapshot_schema(cat)),
        "schemas/problem.schema.json": pretty(problem_schema(cat)),
        "openapi.json": pretty(openapi(cat)),
    }
    return {PLACE + name: text for name, text in files.items()}


# ---- text -------------------------------------------------------------------------------------

def pretty(value):
    """JSON for people: what fits a line stays on one."""
    return lay_out(value, "") + "\n"


def lay_out(value, indent):
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 100 or not isinstance(value, (dict, list)) or not value:
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        if all(isinstance(v, str) for v in value):
            return "[\n" + fill([json.dumps(v) for v in value], deeper) + "\n" + indent + "]"
        parts = [deeper + lay_out(v, deeper) for v in value]
        return "[\n" + ",\n".join(parts) + "\n" + indent + "]"
    parts = [deeper + json.dumps(k) + ": " + lay_out(v, deeper) for k, v in value.items()]
    return "{\n" + ",\n".join(parts) + "\n" + indent + "}"


def fill(words, indent):
    """Words in lines of up to 100 columns, commas between."""
    lines, line = [], ""
    for i, word in enumerate(words):
        word += "," if i + 1 < len(words) else ""
        if line and len(indent) + len(line) + 1 + len(word) > 100:
            lines.append(indent + line)
            line = word
        else:
            line = line + " " + word if line else word
    return "\n".join(lines + [indent + line])


def table(head, rows):
    """A Markdown table; empty when it has no rows."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head)] + rows
    return "".join("| " + " | ".join(cell(c) for c in line) + " |\n" for line in lines) + "\n"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def code(text):
    return f"`{text}`"


def codes(words):
    return ", ".join(code(w) for w in words)


def link(name, page):
    """A link to a heading, whose anchor is made as forges make it."""
    anchor = re.sub(r"[^a-z0-9_ -]", "", name.lower()).replace(" ", "-")
    return f"[{name}]({page}#{anchor})"


def type_text(t):
    """A field's type, with links to what it names."""
    parts = t.split()
    if parts[0] == "list":
        return "list of " + type_text(" ".join(parts[1:]))
    if parts[0] == "enum":
        elsewhere = {"event_type": "[event_type](events.md#classes)", "error_code": "[error_code](errors.md#codes)"}
        return elsewhere.get(parts[1]) or link(parts[1], "vocab.md")
    if parts[0] == "rec":
        return link(parts[1], "records.md")
    return {"str": "string", "int": "integer", "real": "number", "usd": "US dollars", "bool": "boolean",
            "dict": "strings by name", "json": "any JSON", "payload": "object"}.get(t, t)


def field_rows(fields, extra=None):
    rows = []
    for f in fields:
        kind = type_text(f["type"])
        if f.get("max"):
            kind += f", at most {f['max']}" + ("" if f["type"].startswith("list") else " bytes")
        row = [code(f["name"]), kind, "yes" if f.get("required") else "", f.get("doc", "")]
        rows.append(row + ([f.get(extra, "")] if extra else []))
    return rows


def by_file(rows):
    """Rows in groups by file, groups and rows in order."""
    groups = {}
    for name, row in rows.items():
        groups.setdefault(row["file"], []).append(name)
    return sorted(groups.items())


def built(rows):
    return sum(row["state"] == "built" for row in rows.values())


# ---- pages ------------------------------------------------------------------------------------

def page_index(cat):
    pages = [
        ("commands.md", f"{len(cat.commands)} commands, {built(cat.commands)} of them built"),
        ("events.md", f"{len(cat.events)} event classes, {built(cat.events)} of them built, and their envelope"),
        ("evidence.md", "signals and sections of evidence packs, and the event classes that show them"),
        ("agent-ui.md", f"the same classes as events of {cat.forms['agent_ui']['title']} {cat.forms['agent_ui']['version']}"),
        ("agent-policy.md", f"decisions, approvals, grants and waivers of {cat.forms['agent_policy']['title']} {cat.forms['agent_policy']['version']}, read and written"),
        ("cloudevents.md", f"every event in the form of {cat.forms['cloudevents']['title']} {cat.forms['cloudevents']['version']}"),
        *((name.replace("_", "-") + ".md", f"{form['heading'].lower()} as records of {form['title']} {form['version']}") for name, form in cat.forms.items() if "classes" in form),
        ("records.md", f"{len(cat.records)} objects inside events, commands and views"),
        ("views.md", f"{len(cat.views)} views, {built(cat.views)} of them built"),
        ("vocab.md", "the words of every enum"),
        ("errors.md", f"{len(cat.errors)} problem codes, and the object that contains them"),
        ("config.md", f"{len(cat.config)} settings"),
        ("providers.md", f"{len(cat.providers)} providers that need no address, and the dialects"),
        ("models.md", f"{len(cat.models['models'])} well-known models with window, prices and source"),
        ("tools.md", f"{len(cat.tools)} tools that models get, with their arguments"),
        ("tool-errors.md", f"{len(cat.tool_errors)} errors of tools, with the advice that models get"),
        ("metrics.md", f"{len(cat.metrics)} metrics at `/metrics` and for OpenTelemetry"),
        ("limits.md", f"{len(cat.limits)} limits of input from outside, with reasons"),
        ("openapi.json", "the HTTP API as OpenAPI 3.1; a daemon serves it at `/openapi.json`, without the descriptions of "
                         "fields"),
        ("asyncapi.json", "the streams of events as AsyncAPI 3.0; a daemon serves it at `/asyncapi.json`"),
        ("schemas/event.schema.json", "JSON Schema 2020-12 of an event, with the payload of each class"),
        ("schemas/commands.schema.json", "of arguments and replies: `$defs/args.NAME`, `$defs/reply.NAME`"),
        ("schemas/snapshot.schema.json", "of the session snapshot; the other views are in `$defs/view.NAME`"),
        ("schemas/problem.schema.json", "of a problem"),
    ]
    routes = [["POST", "/v1/commands/{name}", "Any command; arguments in the body."]]
    routes += [["GET", path, link(name, "commands.md") + "; arguments in path and query."]
               for path, name in READ_ROUTES]
    routes += [list(r) for r in OTHER_ROUTES]
    return (NOTICE + "# Reference\n\n"
            "Generated from `catalog/`. Change a row there, run `make catalog`, and commit both.\n\n"
            + table(["page", "holds"], [[f"[{name}]({name})", what] for name, what in pages])
            + "**Built** means implemented in this version. **Declared** means that name and format are fixed, but "
              "not implemented: a declared command is answered with the problem `unavailable`, "
              "a declared class is never emitted.\n\n"
              "## Over HTTP\n\n"
            + table(["method", "path", "what"], [[m, code(p), w] for m, p, w in routes])
            + "Where `GET` is supported, `HEAD` is too, except on `/v1/events` and `/v1/rpc`. Every path but `/healthz`, "
              "the agent card, the console's files and signing in to it needs `Authorization: Bearer TOKEN` (`thole token` prints the "
              "token) or the console's cookie; on the Unix socket the "
              "kernel identifies the caller, and no token is needed.\n\n"
              "## Over JSON-RPC\n\n"
              "The same commands with the same arguments are methods on stdio (`thole rpc`), on the Unix socket and "
              "on the WebSocket `/v1/rpc`. In addition there are `initialize`, which enrols the connection as a "
              "channel, and `ping`. Events are notifications `event`, whose `params` is the stored envelope; "
              "`gap` reports missing events, `stream_end` the end of the stream. A refusal is an `error` whose "
              "`data` is the [problem](errors.md).\n")


def page_commands(cat):
    out = [NOTICE + "# Commands\n\n"
           "Names, arguments and replies are the same on every transport. Arguments are written in camelCase; the "
           "snake_case spelling is accepted too, `null` counts as absent, and an unknown name is refused. "
           "Commands that change state accept an `Idempotency-Key` header (or `idempotencyKey` in the body): the same key with "
           "the same body returns the first reply again. Any command may also be answered with the "
           + link("problems common to all", "errors.md") + ".\n\n"
           "Examples over HTTP use a shell with `THOLE=http://127.0.0.1:7433` and "
           "`AUTH=\"Authorization: Bearer $(thole token)\"`; those over JSON-RPC are one line each, as "
           "`thole rpc` reads them.\n\n"]
    rows = [[link(n, ""), r["state"], r["scope"], r["summary"]]
            for _, names in by_file(cat.commands) for n in names for r in [cat.commands[n]]]
    out.append(table(["command", "state", "scope", "what it does"], rows))
    for file, names in by_file(cat.commands):
        out.append(f"## {file.capitalize()} commands\n\n")
        out += [command_text(cat, n) for n in names]
    return "".join(out)


TARGET_TEXT = {
    "session": "on an existing session",
    "session_new": "on a session, which is created if it is absent",
    "runtime": "on the runtime",
    "session_or_all": "on one session, or on all",
}


def command_text(cat, name):
    row = cat.commands[name]
    out = [f"### {name}\n\n{row['summary']}\n\n"]
    details = [f"**{row['state']}**", {"mutate": "changes state", "read": "reads"}[row["kind"]],
             f"scope `{row['scope']}`", TARGET_TEXT[row.get("target", "runtime")]]
    details += [f"also `GET {path}`" for path, n in READ_ROUTES if n == name]
    if name in ONLY_RPC:
        details.append("over JSON-RPC only; over HTTP there is `GET /v1/events`")
    out.append(" · ".join(details) + "\n\n")
    out.append(table(["argument", "type", "required", "what"], field_rows(row["args"])) or "No arguments.\n\n")
    if row.get("reply"):
        out.append(table(["reply", "type", "always", "what"], field_rows(row["reply"])))
    elif row.get("view"):
        out.append(f"The reply is the view {link(row['view'], 'views.md')}.\n\n")
    else:
        out.append("The reply is an object that no row describes yet.\n\n")
    if row.get("refuses"):
        out.append("Refused with " + codes(row["refuses"]) + ".\n\n")
    if row.get("emits"):
        out.append("May leave " + codes(row["emits"]) + ".\n\n")
    params = example(cat, name)
    call = {"jsonrpc": "2.0", "id": 1, "method": name, "params": params}
    if name not in ONLY_RPC:
        out.append(f"```sh\ncurl -H \"$AUTH\" --json '{json.dumps(params)}' $THOLE/v1/commands/{name}\n```\n")
    out.append(f"```json\n{json.dumps(call)}\n```\n\n")
    return "".join(out)


def page_events(cat):
    order = sorted(cat.events, key=lambda n: cat.events[n]["number"])
    out = [NOTICE + "# Events\n\n"
           "An event is a durable entry of a session's log. Its envelope is the same for all classes; `payload` has "
           "the class's own fields. Readers ignore unknown fields. The number of a class never changes.\n\n"
           "*Ids* must be present on the envelope, and *of the run* as well when the turn belongs to a task. "
           "*Companions* are the envelope's records that the class may contain; those in bold are always present. "
           "*Needs*, *opens* and *closes* name objects by kind and id: an event whose needed object is not open is "
           "refused when it is written, so a log never has an end without a beginning.\n\n"
           "## Envelope\n\n"
           + table(["field", "type", "always", "what"], field_rows(cat.envelope))
           + "## Classes\n\n"
           + table(["number", "class", "state", "meaning"],
                   [[cat.events[n]["number"], link(n, ""), cat.events[n]["state"], cat.events[n]["summary"]]
                    for n in order])]
    families = sorted(by_file(cat.events), key=lambda g: min(cat.events[n]["number"] for n in g[1]))
    for file, names in families:
        out.append(f"## Family {file}\n\n")
        out += [event_text(cat, n) for n in sorted(names, key=lambda n: cat.events[n]["number"])]
    return "".join(out)


def event_text(cat, name):
    row = cat.events[name]
    out = [f"### {name}\n\n{row['summary']}\n\n"]
    details = [f"Number {row['number']}", f"**{row['state']}**", f"rev {row['rev']}"]
    if row.get("since"):
        details.append(f"since revision {row['since']}")
    out.append(" · ".join(details) + "\n\n")
    lines = []
    if row.get("scope"):
        lines.append("Ids: " + codes(row["scope"]))
    if row.get("scope_of_run"):
        lines.append("Of the run: " + codes(row["scope_of_run"]))
    carried = row.get("requires", []) + [c for c in row.get("companions", []) if c not in row.get("requires", [])]
    if carried:
        lines.append("Companions: " + ", ".join(f"**`{c}`**" if c in row.get("requires", []) else code(c)
                                                for c in carried))
    if row.get("refs"):
        lines.append("Refs: " + codes(row["refs"]))
    lines += gate_lines(row)
    if row.get("effect"):
        when = " when `{}` is {}".format(row["effect_if"][0], " or ".join(f"`{w}`" for w in row["effect_if"][1:])) if row.get("effect_if") else ""
        lines.append(f"Starts: {row['effect']}{when}")
    if row.get("line"):
        lines.append(f"In `thole log`: {code(row['line'])}")
    out.append("".join(f"- {line}\n" for line in lines) + ("\n" if lines else ""))
    out.append(table(["payload", "type", "always", "what"], field_rows(row["payload"]))
               or "The payload is an empty object.\n\n")
    return "".join(out)


def gate_lines(row):
    """What an event needs, opens and closes, conditions included."""
    lines = []
    for key in ("needs", "opens", "reopens", "closes"):
        parts = [f"{kind} (`{field}`)" for kind, field in row.get(key, []) + row.get(key + "_at", [])]
        parts += [f"{kind} (`{field}`) when `{name}` is `{word}`"
                  for kind, field, name, word in row.get(key + "_if", [])]
        if row.get(key + "_any"):
            parts.append(" or ".join(f"{kind} (`{field}`)" for kind, field in row[key + "_any"]))
        if parts:
            lines.append(key.capitalize() + ": " + ", ".join(parts))
    return lines


def page_records(cat):
    out = [NOTICE + "# Records\n\n"
           "Objects inside events, arguments, replies and views. *Always* marks fields that are never "
           "left out; the others are omitted when absent, never null.\n\n"]
    users = record_users(cat)
    for name in sorted(cat.records):
        out.append(f"### {name}\n\n")
        if users.get(name):
            out.append("Used by " + ", ".join(users[name]) + ".\n\n")
        out.append(table(["field", "type", "always", "what"], field_rows(cat.records[name])))
    return "".join(out)


def record_users(cat):
    """Who names a record: other records, classes, commands, views; at most eight of them."""
    users = {}

    def note(fields, who):
        for f in fields:
            m = re.fullmatch(r"(?:list )?rec (\w+)", f["type"])
            if m and who not in users.setdefault(m[1], []):
                users[m[1]].append(who)

    note(cat.envelope, "[the envelope](events.md#envelope)")
    for name, fields in cat.records.items():
        note(fields, link(name, ""))
    for name, row in cat.events.items():
        note(row["payload"], link(name, "events.md"))
    for name, row in cat.commands.items():
        note(row["args"] + row.get("reply", []), link(name, "commands.md"))
    for name, row in cat.views.items():
        note(row["fields"], link(name, "views.md"))
    return {name: who[:8] + (["others"] if len(who) > 8 else []) for name, who in users.items()}


def page_views(cat):
    out = [NOTICE + "# Views\n\n"
           "Views are computed from the log only; *from* names the events behind each field.\n\n"]
    names = [n for _, group in by_file(cat.views) for n in group]
    readers = {n: [c for c, row in cat.commands.items() if row.get("view") == n] for n in names}
    out.append(table(["view", "state", "per", "read by", "what it shows"],
                     [[link(n, ""), cat.views[n]["state"], cat.views[n]["per"],
                       ", ".join(link(c, "commands.md") for c in readers[n]), cat.views[n]["summary"]] for n in names]))
    for n in names:
        row = cat.views[n]
        out.append(f"## {n}\n\n{row['summary']}\n\n**{row['state']}** · one per {row['per']}\n\n")
        out.append(table(["field", "type", "always", "what", "from"], field_rows(row["fields"], "from")))
    return "".join(out)


def page_vocab(cat):
    out = [NOTICE + "# Words\n\n"
           "The words of every enum, in the order of their numbers. Classes are in [events.md](events.md), problem "
           "codes in [errors.md](errors.md).\n\n"]
    for name in sorted(public_enums(cat)):
        out.append(f"### {name}\n\n" + codes(cat.enums[name]) + "\n\n")
    return "".join(out)


def public_enums(cat):
    """Enums that stand on the wire, in settings or in tables; the others are the state's own."""
    names = {"scope", "gate_kind", "problem_category"} | {n for n in cat.enums if n.startswith("ui_")} | {"policy_event", "risk_level", "risk_scope"}

    def note(fields):
        names.update(m[1] for f in fields for m in [re.fullmatch(r"enum (\w+)", f["type"])] if m)

    note(cat.envelope)
    for fields in cat.records.values():
        note(fields)
    for rows in (cat.events, cat.commands, cat.views):
        for row in rows.values():
            for key in ("payload", "args", "reply", "fields"):
                note(row.get(key, []))
    note(cat.config.values())
    return names & set(cat.enums) - {"event_type", "error_code"}


PROBLEM_FIELDS = [
    ("type", "string", True, "`urn:thole:problem:` and the code."),
    ("title", "string", True, "The sentence of the table below."),
    ("status", "integer", True, "The HTTP status; a transport may use a more specific one than the table."),
    ("code", "string", True, "The stable word; decide by this."),
    ("category", "[problem_category](vocab.md#problem_category)", True, "General group of the code."),
    ("detail", "string", False, "What is wrong in this case, for people."),
    ("retryable", "boolean", True, "Whether the same request may succeed later."),
    ("retryAfterMs", "integer", False, "How long to wait before that."),
    ("command", "string", False, "The command that was refused."),
    ("requestId", "id", False, "The call, as named in the operator's log."),
    ("sessionId", "id", False, "The session it was about."),
    ("winner", "object", False, "With `already_resolved`: the answer that applies."),
    ("decisions", "list", False, "With `invalid_decision`: what the action offers."),
    ("schema", "any JSON", False, "With `invalid_answer`: the schema of an answer."),
    ("turnId", "id", False, "With `thread_busy`: the active turn."),
]


def page_errors(cat):
    return (NOTICE + "# Problems\n\n"
            "A refusal changes nothing. Over HTTP it is an RFC 9457 problem (`application/problem+json`), over "
            "JSON-RPC the same object is the error's `data`.\n\n"
            + table(["field", "type", "always", "what"],
                    [[code(n), t, "yes" if r else "", d] for n, t, r, d in PROBLEM_FIELDS])
            + "## Problems common to all\n\n"
              "Every request may also be answered with " + codes(COMMON) + ", and a declared command "
              "is answered with `unavailable`.\n\n"
              "## Codes\n\n"
            + table(["code", "category", "HTTP", "JSON-RPC", "retryable", "title"],
                    [[code(c), e["category"], e["http"], e["jsonrpc"], "yes" if e["retryable"] else "", e["title"]]
                     for c, e in cat.errors.items()]))


def page_config(cat):
    rows = []
    for key, row in cat.config.items():
        kind = type_text(row["type"])
        if "min" in row or "max" in row:
            kind += f", {row.get('min', '')} to {row.get('max', 'any')}"
        rows.append([code(key), kind, code(json.dumps(row["default"])), code(row["env"]) if row.get("env") else "",
                     row["state"], project_text(row), row["doc"]])
    return (NOTICE + "# Settings\n\n"
            "Settings come from files (JSON with comments), from the environment and from the command line "
            "(`-c KEY=VALUE`); later ones override earlier ones. A variable contains a word unchanged, and everything else as JSON. An unknown key is an error, and so is a **declared** setting: it is "
            "known but not implemented. A **project**'s own file (`.thole/config.json`) may set what that "
            "column lists; of several values, none that is less strict (further left) than the current one.\n\n"
            + table(["key", "type", "default", "environment", "state", "project", "what"], rows))


def project_text(row):
    value = row.get("project")
    return "" if value is None else "any" if value is True else ", ".join(code(json.dumps(v).strip('"')) for v in value)


def page_limits(cat):
    return (NOTICE + "# Limits\n\n"
            "Every limit of input from outside, with the reason for its value. Exceeding one is an ordinary "
            "refusal.\n\n"
            + table(["limit", "value", "unit", "why"],
                    [[code(n), f"{r['value']:,}", r["unit"], r["doc"]] for n, r in cat.limits.items()]))


# ---- examples ---------------------------------------------------------------------------------

ID_PREFIX = {
    "sessionId": "sess", "threadId": "thr", "parentThreadId": "thr", "turnId": "turn", "queuedTurnId": "turn",
    "taskId": "task", "fromTaskId": "task", "runId": "run", "actionId": "act", "processId": "proc",
    "channelId": "chan", "subagentId": "sub", "subagentIds": "sub", "jobId": "job", "jobItemId": "item",
    "scheduleId": "sched", "subscriptionId": "subs", "outputRef": "out", "grantId": "grant",
}
WORDS = {
    "decision": "allow", "subject": "tool", "scope": "session", "mode": "default", "relationship": "blocks",
    "workerId": "worker-1", "role": "reviewer", "instruction": "Summarise the file.", "objective": "Fix the test.",
    "data": "yes\n", "trialId": "trial-1", "message": "The disk was full.", "reason": "The disk was full.",
    "baselineConfigurationId": "base", "candidateConfigurationId": "new", "category": "tool_failed",
}
# Arguments that make an example tell something, besides those that are required.
EXAMPLES = {
    "submit_turn": {"input": "Say hello.", "cwd": "/home/ada/project"},
    "create_session": {"title": "Release notes", "cwd": "/home/ada/project"},
    "update_session": {"title": "Release notes 1.2"},
    "list_sessions": {"limit": 20},
    "list_actions": {"status": "pending"},
    "list_tasks": {"status": "running"},
    "list_events": {"sessionId": "sess_1", "after": 0, "types": ["turn.completed"]},
    "subscribe_events": {"sessionId": "sess_1", "after": 0},
    "ack_events": {"sessionId": "sess_1", "sequence": 42},
    "start_benchmark_trial": {"input": "Fix the test.", "benchmark": {
        "datasetId": "demo", "datasetVersion": "1", "taskId": "fix-test", "trialId": "trial-1", "configurationId": "base"}},
    "record_benchmark_reward": {"file": "1.0", "verifierRef": "tests/test.sh"},
    "update_task": {"title": "Fix the second test"},
    "append_task_progress": {"percent": 50, "summary": "Half of the files are done."},
    "cancel_task": {"reason": "No longer wanted."},
    "complete_task": {"summary": "The test passes."},
    "compact_thread": {"keepTurns": 5},
    "rollback_thread": {"toTurnId": "turn_1"},
    "fork_thread": {"turnId": "turn_1"},
    "report_job_item": {"output": {"words": 120}},
    "evaluate_permission": {"toolName": "shell", "input": {"command": "make"}},
    "interrupt_turn": {"reason": "Wrong file."},
    "remove_queued_turn": {"reason": "No longer wanted."},
    "send_subagent_input": {"input": "Look at the tests too."},
    "get_output": {"offset": 0, "length": 4096},
    "verify_log": {"sessionId": "sess_1"},
    "trim_log": {"through": 1000},
    "delete_session": {"reason": "Asked for by its owner."},
    "erase_event": {"eventSequence": 17, "reason": "Asked for by the person it is about."},
    "reconnect_channel": {"sessionId": "sess_1", "lastAckedSequence": 42},
    "link_tasks": {"toTaskId": "task_2"},
    "unlink_tasks": {"toTaskId": "task_2"},
    "set_policy": {"rules": []},
    "create_task": {"cwd": "/home/ada/project"},
    "create_job": {"items": ["a.txt", "b.txt"], "cwd": "/home/ada/project"},
    "create_schedule": {"everyMs": 3600000, "cwd": "/home/ada/project"},
    "resize_process": {"columns": 80, "rows": 24},
    "move_queued_turn": {"position": 1},
}


def example(cat, command):
    """Arguments that fit the command's row."""
    chosen = EXAMPLES.get(command, {})
    out = {}
    for f in cat.commands[command]["args"]:
        if f["name"] in chosen:
            out[f["name"]] = chosen[f["name"]]
        elif f.get("required"):
            out[f["name"]] = sample(cat, f)
    return out


def sample(cat, f):
    name, parts = f["name"], f["type"].split()
    if parts[0] == "list":
        return [sample(cat, {"name": name, "type": " ".join(parts[1:])})]
    if parts[0] == "enum":
        words = cat.enums[parts[1]]
        return WORDS[name] if WORDS.get(name) in words else words[0]
    if parts[0] == "rec":
        return {x["name"]: sample(cat, x) for x in cat.records[parts[1]] if x.get("required")}
    if parts[0] == "id":
        return f"{ID_PREFIX.get(name, name.removesuffix('Id').lower())}_1"
    return {"str": WORDS.get(name, name), "int": 1, "real": 1.0, "usd": 0.5, "bool": True,
            "time": "2026-11-15T09:00:00.000Z", "json": "Continue.", "dict": {}}[parts[0]]


# ---- schemas ----------------------------------------------------------------------------------

class Parts:
    """Schemas of fields and records; what they refer to is gathered along the way."""

    def __init__(self, cat, base):
        self.cat, self.base = cat, base
        self.wanted, self.made = [], {}

    def ref(self, name):
        if name not in self.made:
            self.made[name] = None
            self.wanted.append(name)
        return {"$ref": self.base + name}

    def field(self, f):
        out = self.type(f["type"], f.get("max"))
        if f.get("doc"):
            out["description"] = f["doc"]
        return out

    def type(self, t, most=None):
        parts = t.split()
        if parts[0] == "list":
            out = {"type": "array", "items": self.type(" ".join(parts[1:]))}
            return {**out, "maxItems": most} if most else out
        if parts[0] == "enum":
            return self.ref("enum." + parts[1])
        if parts[0] == "rec":
            return self.ref("record." + parts[1])
        if parts[0] in ("id", "time"):
            return self.ref(parts[0])
        if parts[0] == "str":
            # The bound is in bytes; a character has at least one.
            return {"type": "string", "maxLength": most} if most else {"type": "string"}
        return {"int": {"type": "integer"}, "real": {"type": "number"}, "usd": {"type": "number"},
                "bool": {"type": "boolean"}, "payload": {"type": "object"}, "json": {},
                "dict": {"type": "object", "additionalProperties": {"type": "string"}}}[parts[0]].copy()

    def object(self, fields, closed=False, required=None):
        if required is None:
            required = [f["name"] for f in fields if f.get("required")]
        out = {"type": "object"}
        if fields:
            out["properties"] = {f["name"]: self.field(f) for f in fields}
        if required:
            out["required"] = required
        if closed:
            out["additionalProperties"] = False
        return out

    def make(self, name):
        kind, _, rest = name.partition(".")
        cat = self.cat
        if name == "id":
            return {"type": "string", "pattern": ID_PATTERN}
        if name == "time":
            return {"type": "string", "format": "date-time", "pattern": TIME_PATTERN}
        if name == "event":
            return self.object(cat.envelope)
        if name == "problem":
            return problem_object(self)
        if kind == "form":
            return FORMS[rest](cat, self)
        if kind == "enum":
            return {"type": "string", "enum": cat.enums[rest]}
        if kind == "record":
            return self.object(cat.records[rest])
        if kind == "payload":
            return self.described(self.object(cat.events[rest]["payload"]), cat.events[rest]["summary"])
        if kind == "view":
            return self.described(self.view(cat.views[rest]), cat.views[rest]["summary"])
        if kind == "args":
            return self.object(cat.commands[rest]["args"], closed=True)
        return self.reply(cat.commands[rest])

    def described(self, schema, text):
        return {"description": text, **schema}

    def view(self, row):
        """A view that shows exactly what a record holds has no second schema."""
        def shape(fields):
            return [(f["name"], f["type"], f.get("required", False), f.get("max")) for f in fields]

        record = row.get("record")
        if record and shape(self.cat.records[record]) == shape(row["fields"]):
            return self.ref("record." + record)
        return self.object(row["fields"])

    def reply(self, row):
        if row.get("reply"):
            out = self.object(row["reply"])
            for f in row["reply"]:
                if f["name"] == "events" and f["type"] == "list json":
                    out["properties"]["events"]["items"] = {"anyOf": [self.ref("event")] + [self.ref("form." + n) for n in FORMS]}
            return out
        if not row.get("view"):
            return {"type": "object"}
        if not any(f["name"] == "sections" for f in row["args"]):
            return self.ref("view." + row["view"])
        # Only the shell, which stands before the first list of records, is there in any case.
        fields = self.cat.views[row["view"]]["fields"]
        shell = fields[:next(i for i, f in enumerate(fields) if f["type"].startswith("list rec"))]
        return self.object(fields, required=[f["name"] for f in shell if f.get("required")])

    def defs(self):
        """All that was referred to, and what that refers to, by name."""
        while self.wanted:
            name = self.wanted.pop()
            self.made[name] = self.make(name)
        return {name: self.made[name] for name in sorted(self.made)}


def schema_file(name, title, text, body, parts):
    """$defs last, because they are long."""
    head = {"$schema": DIALECT, "$id": "urn:thole:schema:" + name, "title": title, "description": text}
    return {**head, **body, "$defs": parts.defs()}


def event_schema(cat):
    parts = Parts(cat, "#/$defs/")
    body = parts.object(cat.envelope)
    # What the types of the rows do not say.
    body["properties"]["sequence"]["minimum"] = 1
    body["properties"]["schemaVersion"] = {"const": SCHEMA_VERSION}
    body["properties"]["traceId"]["pattern"] = "^[0-9a-f]{32}$"
    body["properties"]["spanId"]["pattern"] = "^[0-9a-f]{16}$"
    body["allOf"] = []
    for name in sorted(cat.events, key=lambda n: cat.events[n]["number"]):
        row = cat.events[name]
        then = {"properties": {"payload": parts.ref("payload." + name)}}
        if row.get("scope") or row.get("requires"):
            then["required"] = row.get("scope", []) + row.get("requires", [])
        body["allOf"].append({
            "if": {"required": ["type"], "properties": {"type": {"const": name}}},
            "then": then,
        })
    return schema_file("event", "Event",
                       "One event as it is in the log and on every stream. Unknown members are allowed: a newer runtime may have written them.", body, parts)


def commands_schema(cat):
    parts = Parts(cat, "#/$defs/")
    for name in cat.commands:
        parts.ref("args." + name)
        parts.ref("reply." + name)
    out = schema_file("commands", "Commands",
                      "Arguments and reply of each command: $defs/args.NAME and $defs/reply.NAME. Arguments take no other members; replies may have more.", {}, parts)
    for name in cat.commands:
        out["$defs"]["args." + name]["examples"] = [example(cat, name)]
    return out


def snapshot_schema(cat):
    parts = Parts(cat, "#/$defs/")
    for name in cat.views:
        parts.ref("view." + name)
    return schema_file("snapshot", "Session snapshot",
                       "The reply of get_session when it asks for no sections. The other read models are in $defs/view.NAME.", {"$ref": "#/$defs/view.session_snapshot"}, parts)


def problem_object(parts):
    fields = [
        {"name": "type", "type": "str", "required": True},
        {"name": "title", "type": "str", "required": True},
        {"name": "status", "type": "int", "required": True},
        {"name": "code", "type": "enum error_code", "required": True},
        {"name": "category", "type": "enum problem_category", "required": True},
        {"name": "detail", "type": "str"},
        {"name": "retryable", "type": "bool", "required": True},
        {"name": "retryAfterMs", "type": "int"},
        {"name": "command", "type": "str"},
        {"name": "requestId", "type": "id"},
        {"name": "sessionId", "type": "id"},
        {"name": "winner", "type": "json"},
        {"name": "decisions", "type": "list rec decision_option"},
        {"name": "schema", "type": "json"},
        {"name": "turnId", "type": "id"},
    ]
    doc = {n: re.sub(r"[`]", "", d) for n, _, _, d in PROBLEM_FIELDS}
    out = parts.object([{**f, "doc": doc[f["name"]]} for f in fields])
    out["properties"]["type"]["pattern"] = "^urn:thole:problem:[a-z_]+$"
    out["properties"]["status"].update(minimum=400, maximum=599)
    return out


def problem_schema(cat):
    parts = Parts(cat, "#/$defs/")
    body = problem_object(parts)
    body["allOf"] = [{
        "if": {"required": ["code"], "properties": {"code": {"const": c}}},
        "then": {"properties": {"type": {"const": "urn:thole:problem:" + c}, "title": {"const": e["title"]},
                                "category": {"const": e["category"]}, "retryable": {"const": e["retryable"]}}},
    } for c, e in cat.errors.items()]
    return schema_file("problem", "Problem", "A refusal: RFC 9457 with our own members.", body, parts)


# ---- OpenAPI ----------------------------------------------------------------------------------

COMPONENT = "#/components/schemas/"
EVENT_STREAMS = {
    "application/x-ndjson": {"schema": {"type": "string"}},
    "text/event-stream": {"schema": {"type": "string"}},
}


def openapi(cat):
    parts = Parts(cat, COMPONENT)
    paths = {}
    for _, names in by_file(cat.commands):
        for name in names:
            paths["/v1/commands/" + name] = {"post": command_operation(cat, parts, name)}
    for path, name in READ_ROUTES:
        paths[path] = {"get": read_operation(cat, parts, path, name)}
    paths.update(other_operations(cat, parts))
    parts.ref("problem")
    statuses = sorted({s for item in paths.values() for op in item.values() for s in op["responses"]
                       if "$ref" in op["responses"][s]})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Thole",
            "version": "1",
            "summary": "The control plane of the Thole agent runtime.",
            "description": "Commands, read models and events. The reference pages say what each field means; "
                           "x-thole-state shows what this version implements.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:7433", "description": "A daemon on this machine."}],
        "security": [{"bearer": []}],
        "tags": [{"name": file, "description": f"Commands of catalog/commands/{file}.json."}
                 for file, _ in by_file(cat.commands)]
        + [{"name": "reads", "description": "Read models by plain GET."},
           {"name": "streams", "description": "Events and stored bytes."},
           {"name": "console", "description": "The console in a browser."},
           {"name": "service", "description": "About the daemon itself."}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer",
                                           "description": "`thole token` prints it."}},
            "parameters": {
                "idempotencyKey": {
                    "name": "Idempotency-Key", "in": "header",
                    "description": "The same key with the same body returns the first reply again.",
                    "schema": {"type": "string", "minLength": 1,
                               "maxLength": cat.limits["idempotency_key_bytes"]["value"]}},
            },
            "headers": {
                "replayed": {"description": "true when this answer was given before, to the same key.",
                             "schema": {"const": "true"}},
            },
            "responses": {s: problem_response(cat, s) for s in statuses},
            "schemas": parts.defs(),
        },
    }


def problem_content(words=None):
    schema = {"$ref": COMPONENT + "problem"}
    if words:
        schema = {"allOf": [schema, {"properties": {"code": {"enum": words}}}]}
    return {"application/problem+json": {"schema": schema}}


def problem_response(cat, status):
    if status == "default":
        return {"description": "Any other refusal.", "content": problem_content()}
    words = [c for c, e in cat.errors.items() if str(e["http"]) == status]
    return {"description": words[0] if len(words) == 1 else "Refused; the code gives the reason.", "content": problem_content(words)}


def refusals(cat, words):
    """Responses by status; their description names the codes that this operation gives, unless there is only one."""
    out, found = {}, {}
    for word in words:
        out.setdefault(cat.errors[word]["http"], []).append(word)
    for status, given in sorted(out.items()):
        found[str(status)] = {"$ref": f"#/components/responses/{status}"}
        if sum(e["http"] == status for e in cat.errors.values()) > 1:
            found[str(status)]["description"] = ", ".join(given)
    return {**found, "default": {"$ref": "#/components/responses/default"}}


def command_operation(cat, parts, name):
    row = cat.commands[name]
    is_built = row["state"] == "built" and name not in ONLY_RPC
    needs_body = any(f.get("required") for f in row["args"])
    op = {
        "operationId": name, "tags": [row["file"]], "summary": row["summary"],
        "x-thole-state": row["state"], "x-thole-scope": row["scope"],
    }
    # The stored reply of create_token would hold the token, so that command takes no key.
    if row["kind"] == "mutate" and any(f["name"] == "idempotencyKey" for f in row["args"]):
        op["parameters"] = [{"$ref": "#/components/parameters/idempotencyKey"}]
    op["requestBody"] = {"required": needs_body,
                         "content": {"application/json": {"schema": parts.ref("args." + name)}}}
    later = "Never over HTTP." if name in ONLY_RPC else "When it is built."
    good = {"description": "Done." if is_built else later,
            "content": {"application/json": {"schema": parts.ref("reply." + name)}}}
    if row["kind"] == "mutate":
        good["headers"] = {"Idempotent-Replayed": {"$ref": "#/components/headers/replayed"}}
    status = "202" if name in ACCEPTED else "200"
    words = ["unauthorized"] + ([] if is_built else ["unavailable"]) + row.get("refuses", [])
    op["responses"] = {status: good, **refusals(cat, words)}
    return op


def read_operation(cat, parts, path, name):
    row = cat.commands[name]
    inside = re.findall(r"\{(\w+)\}", path)
    params = []
    for f in row["args"]:
        p = {"name": f["name"], "in": "path" if f["name"] in inside else "query"}
        if f["name"] in inside or f.get("required"):
            p["required"] = True
        if f["type"].startswith("list"):
            p["explode"] = False
        p["description"] = f["doc"]
        params.append({**p, "schema": parts.type(f["type"], f.get("max"))})
    op = {"operationId": name + "_by_get", "tags": ["reads"], "summary": row["summary"],
          "x-thole-state": row["state"], "x-thole-scope": row["scope"]}
    if params:
        op["parameters"] = params
    good = {"description": "Done.", "content": {"application/json": {"schema": parts.ref("reply." + name)}}}
    op["responses"] = {"200": good, **refusals(cat, ["unauthorized"] + row.get("refuses", []))}
    return op


def query(name, doc, schema, **more):
    return {"name": name, "in": "query", "description": doc, "schema": schema, **more}


def other_operations(cat, parts):
    ident, text = parts.ref("id"), {"type": "string"}

    def op(name, tag, summary, scope, responses, words=("unauthorized",), **more):
        known = {"x-thole-scope": scope} if scope else {}
        return {"operationId": name, "tags": [tag], "summary": summary, **known, **more,
                "responses": {**responses, **refusals(cat, list(words))}}

    def plain(kind, description="Done.", schema=None):
        return {"200": {"description": description, "content": {kind: {"schema": schema or text}}}}

    out = {}
    out["/v1/events"] = {"get": op(
        "events", "streams", "Events after a place in the log, as SSE, NDJSON or one JSON page.", "read",
        {"200": {"description": "SSE: id is the place to continue from, event the class, data the stored envelope or, with as, "
                                "the record of that form and its class. "
                                "NDJSON: one envelope per line. A gap and the end of the stream have frames of "
                                "their own, gap and end.",
                 "content": {**EVENT_STREAMS, "application/json": {"schema": parts.ref("reply.list_events")}}}},
        ("unauthorized", "forbidden", "invalid_value", "invalid_id", "session_not_found", "not_acceptable",
         "expired_cursor"),
        parameters=[
            query("session", "Only of this session; all that the caller may read when absent.", ident),
            query("after", "After this sequence of the session, or after p.CURSOR across sessions; end: a stream of what comes.", text),
            query("cursor", "Another name of after.", text),
            query("types", "Only these classes; tool.* means a family.",
                  {"type": "array", "items": text}, explode=False),
            query("thread", "Only of this thread.", ident),
            query("turn", "Only of this turn.", ident),
            query("follow", "Whether to wait for more; SSE does when nothing is said, NDJSON does not.",
                  {"enum": ["0", "1", "false", "true"]}),
            query("as", "Tell them in this form, the stored envelope when absent; what the form has no word for is left out.",
                  parts.ref("enum.event_form")),
            query("limit", "Most events of a page; pages only.", {"type": "integer", "minimum": 1}),
            {"name": "Last-Event-ID", "in": "header", "description": "Wins over after.", "schema": text},
        ])}
    out["/v1/run"] = {"post": op(
        "run", "streams", "submit_turn, and the events of that turn to its end.", "write",
        {"200": {"description": "The events, as on /v1/events.",
                 "headers": {"Thole-Session": {"description": "The session.", "schema": ident},
                             "Thole-Turn": {"description": "The turn.", "schema": ident},
                             "Idempotent-Replayed": {"$ref": "#/components/headers/replayed"}},
                 "content": EVENT_STREAMS}},
        ["unauthorized", "not_acceptable"] + cat.commands["submit_turn"]["refuses"],
        parameters=[{"$ref": "#/components/parameters/idempotencyKey"}],
        requestBody={"required": True, "content": {"application/json": {"schema": parts.ref("args.submit_turn")}}})}
    for path, name in (("/v1/outputs/{outputRef}", "output_bytes"), ("/v1/blobs/{outputRef}", "blob_bytes")):
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        out[path] = {"get": op(
            name, "streams", "The bytes of a stored output, under its own media type.", "read",
            {"200": {"description": "All of it.", "content": content},
             "206": {"description": "The range that was asked for.",
                     "headers": {"Content-Range": {"description": "Which part this is.", "schema": text}},
                     "content": content}},
            ["unauthorized", "invalid_id"] + cat.commands["get_output"]["refuses"],
            parameters=[{"name": "outputRef", "in": "path", "required": True, "description": "The output.",
                         "schema": ident},
                        {"name": "Range", "in": "header", "description": "One range of bytes.", "schema": text}])}
    out["/v1/rpc"] = {"get": op(
        "rpc", "streams", "JSON-RPC 2.0 over a WebSocket; methods are the names of commands.", None,
        {"101": {"description": "The connection is a WebSocket now."}}, ("unauthorized", "invalid_request"))}
    status = {"type": "object", "properties": {"status": text, "reason": text}, "required": ["status"]}
    readiness = {**status, "properties": {**status["properties"], "waits": text, "recovery": parts.ref("record.recovery_progress")}}
    health = op("healthz", "service", "Whether the process answers.", None,
                plain("application/json", "It does.", status), ("host_not_allowed",))
    out["/healthz"] = {"get": {**health, "security": []}}
    ready = {**plain("application/json", "Commands are taken.", readiness),
             "503": {"description": "Not now; the reason is given.",
                     "content": {"application/json": {"schema": readiness}}}}
    out["/readyz"] = {"get": op("readyz", "service", "Whether commands are taken.", None, ready)}
    out["/metrics"] = {"get": op("metrics", "service", "Figures for Prometheus.", "read", plain("text/plain"),
                                 ("unauthorized", "forbidden"))}
    out["/openapi.json"] = {"get": op("openapi", "service", "This document.", None,
                                      plain("application/json", schema={"type": "object"}))}
    out["/asyncapi.json"] = {"get": op("asyncapi", "service", "The streams of events, as AsyncAPI.", None,
                                       plain("application/json", schema={"type": "object"}))}
    page = op("home", "console", "The console, or a page that explains how to add it.", None, plain("text/html"),
              ("host_not_allowed",))
    out["/"] = {"get": {**page, "security": []}}
    file = op("console_file", "console", "A file of the console.", None, plain("*/*"), ("not_found",),
              parameters=[{"name": "name", "in": "path", "required": True, "description": "Its name.",
                           "schema": text}])
    out["/console/{name}"] = {"get": {**file, "security": []}}
    session = {"type": "object", "required": ["principal", "scopes", "version", "runtimeId"], "properties": {
        "principal": text, "scopes": {"type": "array", "items": text}, "version": text, "runtimeId": ident,
        "expiresAt": {"type": "string", "format": "date-time"}}}
    sign_in = op("console_sign_in", "console", "The code of open_console for a cookie.", None,
                 plain("application/json", "Signed in; Set-Cookie holds the cookie.", session),
                 ("unauthorized", "origin_not_allowed"),
                 requestBody={"required": True, "content": {"application/json": {"schema": {
                     "type": "object", "required": ["code"], "properties": {"code": text}}}}})
    out["/v1/console/sign-in"] = {"post": {**sign_in, "security": []}}
    out["/v1/console/sign-out"] = {"post": op(
        "console_sign_out", "console", "Take the cookie back.", None,
        plain("application/json", "Signed out.", {"type": "object"}))}
    card = op("agent_card", "service", "The card for agents that speak A2A, with a2a.enabled.", None,
              plain("application/json", schema={"type": "object"}), ("not_found",))
    out["/.well-known/agent-card.json"] = {"get": {**card, "security": []}}
    resource = op("protected_resource", "service", "Which issuers' tokens are accepted (RFC 9728), with auth.issuers; behind it the path of a protocol.", None,
                  plain("application/json", schema={"type": "object"}), ("not_found",))
    out["/.well-known/oauth-protected-resource"] = {"get": {**resource, "security": []}}
    out["/a2a"] = {"post": op(
        "a2a", "service", "A2A 1.0 over JSON-RPC, with a2a.enabled; its HTTP+JSON binding is below /a2a/v1.", None,
        plain("application/json", schema={"type": "object"}), ("not_found",),
        requestBody={"required": True, "content": {"application/json": {"schema": {"type": "object"}}}})}
    for path, name, what in (("/mcp", "mcp", "An MCP client, with mcp.serve; on the Unix socket always."),
                             ("/ag-ui", "ag_ui", "A run of AG-UI 1.0, with agui.enabled."),
                             ("/openai/v1/responses", "openai_responses", "The Responses API, with openai.enabled."),
                             ("/openai/v1/conversations", "openai_conversations", "The Conversations API, with openai.enabled."),
                             ("/openai/v1/chat/completions", "openai_chat", "The Chat Completions API, with openai.enabled.")):
        out[path] = {"post": op(name, "service", what, None, plain("application/json", schema={"type": "object"}), ("not_found",),
                                requestBody={"required": True, "content": {"application/json": {"schema": {"type": "object"}}}})}
    out["/v1/triggers/{name}"] = {"post": {**op(
        "trigger", "service", "A delivery of a webhook, with a signature instead of a token.", None,
        plain("application/json", schema={"type": "object"}), ("not_found", "unauthorized", "invalid_request"),
        parameters=[{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}],
        requestBody={"required": True, "content": {"application/json": {"schema": {}}}}), "security": []}}
    out["/v1/node/call"] = {"post": {**op(
        "node_call", "service", "A command that another node of the same database sends on, with a message authentication code instead of a token.", None,
        plain("application/json", schema={"type": "object"}), ("node_call_invalid", "node_call_late", "node_call_repeated", "session_moved"),
        requestBody={"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}), "security": []}}
    out["/openai/v1/models"] = {"get": op("openai_models", "service", "The models, as the OpenAI APIs list them, with openai.enabled.", None,
                                          plain("application/json", schema={"type": "object"}), ("not_found",))}
    out["/v1/console/session"] = {"get": op(
        "console_session", "console", "Who is asking, with what scopes, and until when.", None,
        plain("application/json", schema=session))}
    return out
