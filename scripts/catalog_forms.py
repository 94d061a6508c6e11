"""Forms: the C tables and reference pages of catalog/forms.json and of its columns in the event rows.

An export format presents the same events in the terms of another standard.  Used by scripts/catalog.py.
"""
import json
import re

from catalog_docs import FORMS, NOTICE, PLACE, code, codes, link, table

# Words of an Agent UI event that a row says: our name of it, its key on the wire, its enum.
UI_WORDS = [
    ("type", "type", "ui_type"),
    ("owner", "owner", "ui_owner"),
    ("scope", "scope", "ui_scope"),
    ("phase", "phase", "ui_phase"),
    ("surface", "surface", "ui_surface"),
    ("persistence", "persistence", "ui_persistence"),
    ("control", "control", "ui_control"),
    ("entity", "runtimeEntity", "ui_entity"),
    ("artifact", "artifactStatus", "ui_artifact_status"),
]
UI_ALWAYS = ("type", "owner", "scope", "surface", "persistence")
# Keys whose value is one of their statuses.
UI_STATUS_KEYS = ("runtimeStatus", "latestTurnStatus")
# Keys that follow from our ids, whatever the class: form_ui.c writes them.
UI_IDS = [
    ("partId", "`stepId`"),
    ("messageId", "`turnId`; of what a person wrote, its `stepId`"),
    ("agentId", "`subagentId`, or `payload.subagentId`"),
    ("parentThreadId", "`payload.parentThreadId`"),
    ("parentSessionId", "`sessionId`, when there is a `parentThreadId`: children live in the session of their parent"),
    ("rawEventRef", "`eventId`"),
]


def type_at(cat, row, path):
    """The catalogue's type of the field that a path names, or None."""
    fields, at = cat.envelope, None
    for word in path.split("."):
        if at == "dict":
            return "str"
        found = next((f for f in fields or () if f["name"] == word), None)
        if not found:
            return None
        at = found["type"]
        fields = row["payload"] if at == "payload" else cat.records.get(at[4:]) if at.startswith("rec ") else None
    return at


def can_be(cat, t, word):
    if t.startswith("enum "):
        return word in cat.enums[t[5:]]
    return t != "bool" or word in ("true", "false")


def check_words(cat, where, words, problem):
    for name, _, enum in UI_WORDS:
        if name in words and words[name] not in cat.enums[enum]:
            problem(f"{where}: {words[name]} is no {enum}")


def check_ui_row(cat, name, row, problem):
    ui, where = row.get("ui"), f"{name}: ui"
    if not ui:
        problem(f"{name} has no row of Agent UI")
        return
    known = {w[0] for w in UI_WORDS}
    for key in [k for k in ui if k not in known | {"from", "when"}] + [k for k in UI_ALWAYS if k not in ui]:
        problem(f"{where}: {key}")
    check_words(cat, where, ui, problem)
    for key, path in ui.get("from", {}).items():
        t = type_at(cat, row, path)
        if not t or key in UI_STATUS_KEYS and t != "enum status":
            problem(f"{where}: {key} from {path}")
    for case in ui.get("when", []):
        t = type_at(cat, row, case["if"])
        if not t or "is" in case and not can_be(cat, t, case["is"]):
            problem(f"{where}: {case} cannot be")
        elif "is" not in case and case["if"] in row.get("scope", []):
            problem(f"{where}: {case['if']} is always there")
        if not set(case) - {"if", "is"} or set(case) - {"if", "is"} - known:
            problem(f"{where}: {case} says nothing")
        check_words(cat, where, case, problem)


def check(cat, problem):
    form = cat.forms["agent_ui"]
    if list(cat.forms) != cat.enums["event_form"]:
        problem("forms.json and the enum event_form do not name the same forms")
    if sorted(form["statuses"]) != sorted(cat.enums["status"]):
        problem("forms.json: the statuses of agent_ui are not those of the vocabulary")
    for word in form["statuses"].values():
        if word not in cat.enums["ui_status"]:
            problem(f"forms.json: {word} is no ui_status")
    written = {w[1] for w in UI_WORDS} | {k for k, _ in UI_IDS} | {k for r in cat.events.values() for k in r.get("ui", {}).get("from", {})}
    for name in {f["name"] for f in cat.envelope} & written - set(form["renames"]):
        problem(f"forms.json: {name} is a word of both, and ours has no other name")
    for name, row in cat.events.items():
        check_ui_row(cat, name, row, problem)
    for name in SIBLINGS:
        check_sibling(cat, name, problem)


# ---- C ----

def quoted(s):
    return f"STRC({json.dumps(s)})"


def constant(enum, word):
    return f"{enum.upper()}_{re.sub(r'[.]', '_', word).upper()}"


def c_words(words):
    return "{ { " + ", ".join(f"[UI_WORD_{name.upper()}] = {constant(enum, words[name])}"
                              for name, _, enum in UI_WORDS if name in words) + " } }"


def c_case(case):
    wanted = quoted(case["is"]) if "is" in case else "{ NULL, 0 }"
    return f"\t{{ {quoted(case['if'])}, {wanted}, {c_words(case)} }},"


def gen_ui(cat, head):
    form = cat.forms["agent_ui"]
    out = [head, '#include "catalog/form_ui.h"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n',
           "const struct ui_key ui_keys[UI_WORD_COUNT] = {"]
    out += [f"\t[UI_WORD_{name.upper()}] = {{ {quoted(key)}, &enum_{enum} }}," for name, key, enum in UI_WORDS]
    out.append("};\n\nconst struct ui_rename ui_renames[] = {")
    out += [f"\t{{ {quoted(a)}, {quoted(b)} }}," for a, b in form["renames"].items()]
    out.append("};\nconst size_t ui_rename_count = sizeof ui_renames / sizeof ui_renames[0];\n")
    out.append("const enum ui_status ui_statuses[STATUS_COUNT] = {")
    out += [f"\t[{constant('status', a)}] = {constant('ui_status', b)}," for a, b in form["statuses"].items()]
    out.append("};\n")
    rows = []
    for name, row in sorted(cat.events.items(), key=lambda x: x[1]["number"]):
        ui, word = row["ui"], name.replace(".", "_")
        parts = [f".say = {c_words(ui)}"]
        if ui.get("when"):
            out.append(f"static const struct ui_when {word}_when[] = {{")
            out += [c_case(case) for case in ui["when"]]
            out.append("};")
            parts.append(f".when = {word}_when, .when_count = {len(ui['when'])}")
        if ui.get("from"):
            out.append(f"static const struct ui_from {word}_from[] = {{")
            out += [f"\t{{ {quoted(key)}, {quoted(path)}, {'true' if key in UI_STATUS_KEYS else 'false'} }}," for key, path in ui["from"].items()]
            out.append("};")
            parts.append(f".from = {word}_from, .from_count = {len(ui['from'])}")
        rows.append(f"\t[EV_{word.upper()}] = {{ " + ",\n\t\t".join(parts) + " },")
    out.append("\nconst struct ui_row ui_rows[EV_COUNT] = {")
    return "\n".join(out + rows + ["};"]) + "\n"


# ---- the page ----

def case_text(case):
    said = ", ".join(f"{key} `{case[name]}`" for name, key, _ in UI_WORDS if name in case)
    return f"`{case['if']}` is `{case['is']}`: {said}" if "is" in case else f"with `{case['if']}`: {said}"


def page_ui(cat):
    form = cat.forms["agent_ui"]
    order = sorted(cat.events, key=lambda n: cat.events[n]["number"])
    out = [NOTICE + f"# Events as {form['title']} events\n\n"
           f"The export format `agent_ui`: {form['title']} {form['version']}. Each of the {len(order)} classes becomes one event, so "
           "none is missing and the order is that of the log. [How to feed an Agent UI](../how-to/agent-ui.md) shows how "
           "to request it.\n\n"
           "Every id and every other field of the event is present with its name and value. Three fields "
           "are renamed, because the name has another meaning in Agent UI:\n\n"
           + table(["event", "Agent UI"], [[code(a), code(b)] for a, b in form["renames"].items()])
           + "These are added:\n\n"
           + table(["key", "from"], [[code(k), text] for k, text in UI_IDS])
           + "`owner`, `scope`, `phase`, `surface`, `persistence`, `control`, `runtimeEntity` and `artifactStatus` come from "
           "the table below, where a word is known. The column *but when* lists exceptions; if several match, "
           "the later one applies.\n\n"
           "## Classes\n\n"
           + table(["class", "type", "owner", "scope", "phase", "surface", "persistence", "more", "but when"],
                   [ui_line(n, cat.events[n]["ui"]) for n in order])
           + "## Statuses\n\n"
           "`runtimeStatus` and `latestTurnStatus` are the status in Agent UI's words; `status` has the original.\n\n"
           + table(["status", "Agent UI"], [[code(a), code(b)] for a, b in form["statuses"].items()])
           + "## Words\n\n"
           + table(["key", "words"], [[code(key), codes(cat.enums[enum])] for _, key, enum in UI_WORDS]
                   + [[", ".join(code(k) for k in UI_STATUS_KEYS), codes(cat.enums["ui_status"])]])]
    return "".join(out)


def ui_line(name, ui):
    more = [f"{key} `{ui[word]}`" for word, key, _ in UI_WORDS[6:] if word in ui]
    more += [f"{key} from `{path}`" for key, path in ui.get("from", {}).items()]
    words = [code(ui[w]) if w in ui else "" for w in ("type", "owner", "scope", "phase", "surface", "persistence")]
    return [link(name, "events.md")] + words + [", ".join(more), "; ".join(case_text(c) for c in ui.get("when", []))]


def schema_ui(cat, parts):
    """What an event has in this form, for the OpenAPI document; more keys may stand beside these."""
    form = cat.forms["agent_ui"]
    fields = [{**f, "name": form["renames"].get(f["name"], f["name"])} for f in cat.envelope]
    said = [{"name": key, "type": f"enum {enum}", "required": name in UI_ALWAYS, "doc": f"A word of {form['title']}."}
            for name, key, enum in UI_WORDS]
    ids = [{"name": key, "type": "id", "required": key == "rawEventRef", "doc": re.sub("`", "", text) + "."} for key, text in UI_IDS]
    lifted = {}
    for row in cat.events.values():
        for key, path in row["ui"].get("from", {}).items():
            t = "enum ui_status" if key in UI_STATUS_KEYS else "int" if type_at(cat, row, path) == "int" else "str"
            lifted.setdefault(key, {"name": key, "type": t, "doc": f"From {path}."})
    return parts.object(said[:1] + fields + said[1:] + list(lifted.values()) + ids)


# What an Agent Policy event has besides its ids: form_policy.c writes them.
POLICY_IDS = ("runtime", "session", "thread", "turn", "task", "run", "attempt", "step", "tool_call", "action", "evidence", "artifact", "process", "subagent",
              "decision", "approval", "grant", "waiver", "trace")
POLICY_CLASSES = [
    ("permission.evaluated", "policy.decision.created", "`decision`"),
    ("action.required", "policy.approval.requested", "`approval_request`; only for actions that are allowed or denied (`tool_permission`, `escalation`)"),
    ("action.resolved", "policy.approval.responded", "`approval_id`, `status`, `response`; of such an action"),
    ("permission.resolved", "policy.decision.updated", "`decision`, with the final result"),
    ("permission.resolved", "policy.waiver.created", "`decision` and `waiver_record`, when a waiver was the answer"),
    ("policy.changed", "policy.grant.issued", "`permission_grant`"),
    ("policy.changed", "policy.grant.revoked", "`grant_change`, also if the grant had expired"),
    ("tool.result", "policy.trace.linked", "`policy_trace`: decision, call, process, output"),
    ("tool.failed", "policy.trace.linked", "the same"),
]
POLICY_RESULTS = [
    ("allow", "allow", "Allows what the mode would ask about; rules that ask or deny still apply."),
    ("waive", "allow", "The same; the record states that the risk was accepted."),
    ("deny", "deny", "The call does not run, in any mode."),
    ("indeterminate", "deny", "The same."),
    ("ask", "ask", "`action.required`."),
    ("escalate", "ask", "The same."),
    ("defer", "ask", "The same."),
    ("not_applicable", "", "No effect: rules and mode decide."),
]


def schema_policy(cat, parts):
    """An event of this form, for the OpenAPI document; more keys may stand beside these."""
    words = [{"name": "schema_version", "type": "str", "required": True, "doc": "Always 0.1.0."},
             {"name": "event_id", "type": "id", "required": True, "doc": "The stored event's own."},
             {"name": "type", "type": "enum policy_event", "required": True, "doc": "A class of Agent Policy."},
             {"name": "timestamp", "type": "time", "required": True, "doc": "When the runtime recorded it."},
             {"name": "sequence", "type": "int", "required": True, "doc": "Position in the session's log."}]
    words += [{"name": name + "_id", "type": "str", "doc": "Where there is one."} for name in POLICY_IDS]
    words += [{"name": name, "type": "json", "required": name != "subject", "doc": "As in Agent Policy."} for name in ("subject", "payload", "refs")]
    return parts.object(words)


def page_policy(cat):
    form = cat.forms["agent_policy"]
    return "".join([
        NOTICE + f"# Permissions as {form['title']} records\n\n"
        f"{form['title']} {form['version']}, in both directions. [How to use a policy engine](../how-to/policy-engine.md) shows an example.\n\n"
        "## Written: the export format `agent_policy`\n\n"
        "The classes below have a record in this format; others have none. `event_id` and `sequence` are those of the stored event, and all ids of its envelope are "
        "present in snake_case.\n\n"
        + table(["class", "type", "payload"], [[link(a, "events.md"), code(b), text] for a, b, text in POLICY_CLASSES])
        + "`decision_id` is `decisionId` of the [permission decision](records.md#permission_decision), `approval_id` the action's, `grant_id` the "
        "grant's, `trace_id` the call's. `result` is `allow` for allow and sandboxed, `ask` for ask, `deny` for everything else. `risk_level` is `high` for destructive "
        "calls, `low` for calls that rules and mode allow without approval, `medium` otherwise.\n\n"
        "## Read: records that decide\n\n"
        "A decision is the answer of a hook at `pre_tool_use`, `permission_request` or `user_prompt_submit`, alone or as `policyDecision`. A decision, an "
        "approval, a grant or a waiver is `record` of `resolve_permission`. Each must have every field that its schema requires.\n\n"
        + table(["result", "here", "what follows"], [[code(a), code(b) if b else "", text] for a, b, text in POLICY_RESULTS])
        + "The status of an approval counts as: `approved`, `modified` allow; `denied`, `expired`, `cancelled` deny; `pending`, `escalated` ask. A grant allows while "
        "it is `active`, and has no effect after that. An expired allow (`expires_at`) denies as a hook's answer, and is refused by `resolve_permission`. "
        "An answer to an action must name it: `approval_id` is the action, `decision_id` the decision that required approval; a decision that allows names the call in "
        "`action.id`. A record that contradicts itself, or has constraints other than `scope` and `revocable`, is refused, and so is a hook's answer with several records.\n\n"
        "## Obligations\n\n"
        "They apply while the call runs, independent of who allowed it.\n\n"
        + table(["type", "with", "how it is enforced"], [
            ["`sandbox`", "`profile` or `mode`: `read_only`, `workspace_write`", "The sandbox is no wider. A tool that cannot run in a sandbox does not run."],
            ["`network`", "`mode`: `off`, `restricted`", "No more network than that."],
            ["`audit`, `trace`, `keep_audit_shape`", "", "Every decision and every call is recorded as an event."],
            ["any other, or more members than these", "", "It cannot be enforced: an allow becomes an approval request, which shows the obligation."]])
        + "`advice` is stored with the record and has no effect.\n\n"
        "The record is [`policyRecord`](records.md#policy_record) of the hook's run and part of `policyRecords` of the decision; `recordRef` names the complete record.\n"])


def schema_cloudevents(cat, parts):
    words = [{"name": "specversion", "type": "str", "required": True, "doc": "Always 1.0."},
             {"name": "type", "type": "str", "required": True, "doc": "The class of the event, with a prefix."},
             {"name": "id", "type": "id", "required": True, "doc": "The stored event's own."},
             {"name": "source", "type": "str", "required": True, "doc": "The runtime."},
             {"name": "subject", "type": "id", "doc": "The session."},
             {"name": "time", "type": "time", "doc": "When the runtime recorded it."},
             {"name": "sequence", "type": "str", "required": True, "doc": "Position in the session's log, 20 digits."},
             {"name": "traceparent", "type": "str", "doc": "The trace, where there is one."},
             {"name": "datacontenttype", "type": "str", "required": True, "doc": "Always application/json."},
             {"name": "data", "type": "json", "required": True, "doc": "The stored envelope."}]
    return parts.object(words)


# Formats whose classes are rows of forms.json.  Names of their reference pages, and their enums of classes.
SIBLINGS = ("agent_tool", "agent_context", "agent_artifact", "agent_evidence")
SIBLING_IDS = POLICY_IDS[:14]


def schema_sibling(name):
    def schema(cat, parts):
        """An event of this form, for the OpenAPI document; more keys may stand beside these."""
        form = cat.forms[name]
        words = [{"name": "schema_version", "type": "str", "required": True, "doc": "Version of the schema of the record."},
                 {"name": "event_id", "type": "id", "required": True, "doc": "The stored event's own."},
                 {"name": form["type"], "type": f"enum {name}_class", "required": True, "doc": f"A class of {form['title']}."},
                 {"name": form["time"], "type": "time", "required": True, "doc": "When the runtime recorded it."},
                 {"name": "sequence", "type": "int", "required": True, "doc": "Position in the session's log."}]
        words += [{"name": word, "type": "str", "required": True, "doc": "The runtime."} for word in form["words"]]
        words += [{"name": each + "_id", "type": "str", "doc": "Where there is one."} for each in SIBLING_IDS]
        words += [{"name": each, "type": "json", "required": True, "doc": f"As in {form['title']}."} for each in form["values"]]
        return parts.object(words)
    return schema


def check_sibling(cat, name, problem):
    for ours, theirs, _ in cat.forms[name]["classes"]:
        if ours not in cat.events:
            problem(f"forms.json: {name}: {ours} is no class of event")
        if theirs not in cat.enums[f"{name}_class"]:
            problem(f"forms.json: {name}: {theirs} is no {name}_class")
    written = {theirs for _, theirs, _ in cat.forms[name]["classes"]}
    for word in set(cat.enums[f"{name}_class"]) - written:
        problem(f"forms.json: {name}: no class becomes {word}")


def page_sibling(cat, name):
    form = cat.forms[name]
    return (NOTICE + f"# {form['heading']} as {form['title']} records\n\n"
            f"The export format `{name}`: {form['title']} {form['version']}, on every stream and page of events (`as={name}`), and as "
            f"`thole log --as {name.replace('_', '-')}`.\n\n"
            "The classes below have a record in this format; others have none. `event_id` and `sequence` are those of the stored event, and all ids of its envelope are "
            f"present in snake_case. A record is made from its event alone, so every export of an event is the same.\n\n"
            + table(["class", "type", f"{form['values'][0]}"], [[link(a, "events.md"), code(b), text] for a, b, text in form["classes"]])
            + (form["reads"] + "\n" if "reads" in form else ""))


FORMS["agent_ui"] = schema_ui
FORMS["agent_policy"] = schema_policy
FORMS["cloudevents"] = schema_cloudevents
for each in SIBLINGS:
    FORMS[each] = schema_sibling(each)


CLOUDEVENTS = [
    ["`specversion`", "`1.0`"], ["`type`", "`dev.agentruntime.` and the class of the event: `dev.agentruntime.turn.completed`"], ["`id`", "`eventId`"],
    ["`source`", "`/runtimes/` and `runtimeId`"], ["`subject`", "`sessionId`"], ["`time`", "`timestamp`"],
    ["`sequence`", "the sequence in its session, as text with 20 digits, so that texts sort like numbers"],
    ["`traceparent`", "`traceId` and `spanId`, if the event has both, and `traceFlags`, without which the trace is sampled"], ["`datacontenttype`", "`application/json`"], ["`data`", "the stored envelope"]]


def page_cloudevents(cat):
    form = cat.forms["cloudevents"]
    return (NOTICE + f"# Events as {form['title']}\n\n{form['title']} {form['version']}, the export format `cloudevents`: "
            "`GET /v1/events?session=sess_…&as=cloudevents`, as SSE, NDJSON or a JSON page;\nwithout `session` over all sessions. "
            "Each event has one record. The name of an SSE event is the class without its prefix.\n\n"
            + table(["attribute", "value"], CLOUDEVENTS))


def outputs(cat):
    return {PLACE + "agent-ui.md": page_ui(cat), PLACE + "agent-policy.md": page_policy(cat), PLACE + "cloudevents.md": page_cloudevents(cat),
            **{PLACE + name.replace("_", "-") + ".md": page_sibling(cat, name) for name in SIBLINGS}}
