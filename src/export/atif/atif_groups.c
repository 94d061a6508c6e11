/*
 * What a whole trajectory shows, for its `extra`: the ids that join it with other
 * records, and the eight groups of BEN-10.  Steps have the details; these are
 * counts, the last known state, and lists that are cut after ATIF_LISTED.
 */
#include "export/atif/atif_int.h"

#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>

/* Keys of runtimeCorrelation, in the order of atif_groups.ids. */
static const char *const correlated[] = { "runtimeId", "sessionId", "threadId",  "turnId",
	                                  "taskId",    "runId",     "attemptId", "traceId" };

/* ---- collecting ---- */

static void keep(struct atif_word *to, struct str s)
{
	if (!str_is(s))
		return;
	to->len = MIN(s.len, sizeof to->bytes);
	memcpy(to->bytes, s.ptr, to->len);
}

/* Absent if nothing was kept. */
static struct str kept_text(const struct atif_word *w)
{
	return w->len ? str_of(w->bytes, w->len) : STR_NONE;
}

static void keep_value(struct atif *a, struct str *to, struct json v)
{
	if (json_is(v) && !str_is(*to))
		*to = json_text(a->pass, v);
}

static void list_add_text(struct atif *a, struct str *list, size_t *count, struct str s)
{
	for (size_t i = 0; i < *count; i++)
		if (str_eq(list[i], s))
			return;
	if (str_is(s) && *count < ATIF_LISTED)
		list[(*count)++] = arena_keep(a->pass, s);
}

/* The turns before a fork are in the log of another thread. */
static void on_thread(struct atif *a, struct json ev)
{
	keep_value(a, &a->groups.forked_from, JSON_GET(JSON_GET(ev, "payload"), "forkedFrom"));
}

static void on_submitted(struct atif *a, struct json ev)
{
	struct atif_groups *f = &a->groups;
	struct json p = JSON_GET(ev, "payload"), part;
	struct json_iter it = json_iter(JSON_GET(p, "input"));
	struct str key;

	if (!f->turns)
		keep_value(a, &f->options, JSON_GET(p, "options"));
	keep(&f->source, atif_text(p, "source"));
	keep(&f->delivery, atif_text(p, "delivery"));
	f->turns++;
	f->steers += str_is(atif_text(p, "mergedInto"));
	while (json_next(&it, &key, &part))
		f->attachments += !str_eq(atif_text(part, "type"), STR("text"));
}

/* Turns of the runtime itself, which have no task, are not what the outcome is about. */
static void on_turn_started(struct atif *a, struct json ev)
{
	if (!str_is(atif_text(ev, "taskId")))
		return;
	keep(&a->groups.open_turn, atif_text(ev, "turnId"));
	a->groups.is_open = true;
	a->groups.status.len = 0;
}

static void on_turn_ended(struct atif *a, struct json ev)
{
	struct atif_groups *f = &a->groups;
	struct json p = JSON_GET(ev, "payload");
	bool has_run = str_is(atif_text(ev, "taskId")) || json_is(JSON_GET(p, "imported"));

	if (!has_run || str_eq(atif_text(p, "outcome"), STR("merged")))
		return;
	if (f->is_open && !str_eq(kept_text(&f->open_turn), atif_text(ev, "turnId")))
		return;
	f->is_open = false;
	f->category.len = f->reason.len = 0;
	keep(&f->status, atif_text(p, "outcome"));
	keep(&f->category, atif_text(p, "category"));
	keep(&f->reason, atif_text(p, "message"));
}

static void on_requested(struct atif *a, struct json ev)
{
	struct atif_groups *f = &a->groups;
	struct json p = JSON_GET(ev, "payload");
	char text[256];
	struct str name;

	snprintf(text, sizeof text, "%.*s/%.*s", STR_ARG(atif_text(p, "provider")),
	         STR_ARG(atif_text(p, "model")));
	name = str_from(text);
	f->requests++;
	f->retries += json_int(JSON_GET(p, "attempt"), 1) > 1;
	for (size_t i = 0; i < f->model_count; i++)
		if (str_eq(f->models[i], name))
			return;
	if (f->model_count < COUNT_OF(f->models))
		f->models[f->model_count++] = arena_keep(a->pass, name);
}

static void on_context(struct atif *a, struct json ev)
{
	struct atif_groups *f = &a->groups;
	struct json p = JSON_GET(ev, "payload"), budget = JSON_GET(p, "budget");

	f->contexts++;
	f->missing += (int64_t)json_count(JSON_GET(p, "missing"));
	f->omissions += (int64_t)json_count(JSON_GET(p, "omissions"));
	f->window_tokens = json_int(JSON_GET(budget, "windowTokens"), f->window_tokens);
	f->context_tokens = json_int(JSON_GET(budget, "estimatedTokens"), f->context_tokens);
}

static void on_catalog(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	a->groups.tools = json_int(JSON_GET(p, "toolCount"), 0);
	keep(&a->groups.catalog_hash, atif_text(p, "catalogHash"));
	keep(&a->groups.mode, atif_text(p, "mode"));
}

static void on_decision(struct atif *a, struct json ev)
{
	enum approval_decision d = rec_enum_read(&enum_approval_decision,
	                                         atif_text(JSON_GET(ev, "payload"), "decision"));

	a->groups.allowed += d == APPROVAL_DECISION_ALLOW;
	a->groups.asked += d == APPROVAL_DECISION_ASK;
	a->groups.denied += d == APPROVAL_DECISION_DENY || d == APPROVAL_DECISION_UNAVAILABLE;
	a->groups.sandboxed += d == APPROVAL_DECISION_SANDBOXED;
}

static void on_sandbox(struct atif *a, struct json ev)
{
	keep(&a->groups.sandbox, atif_text(JSON_GET(ev, "payload"), "mode"));
	keep(&a->groups.tier, atif_text(JSON_GET(ev, "payload"), "tier"));
}

static void on_process_ended(struct atif *a, struct json ev)
{
	a->groups.exits_bad += json_int(JSON_GET(JSON_GET(ev, "payload"), "exitCode"), 0) != 0;
}

static void on_call_failed(struct atif *a, struct json ev)
{
	a->groups.calls_failed++;
	a->groups.calls_lost += str_eq(atif_text(ev, "status"), STR("lost"));
}

static void on_call_result(struct atif *a, struct json ev)
{
	a->groups.calls_failed += json_bool(JSON_GET(JSON_GET(ev, "payload"), "isError"), false);
}

static void on_artifact(struct atif *a, struct json ev)
{
	a->groups.artifacts++;
	list_add_text(a, a->groups.artifact_refs, &a->groups.artifact_count,
	              atif_text(ev, "artifactId"));
}

static void on_evidence(struct atif *a, struct json ev)
{
	a->groups.evidence++;
	list_add_text(a, a->groups.evidence_ids, &a->groups.evidence_count,
	              atif_text(ev, "evidenceId"));
}

#define COUNTER(name, field)                                                                       \
	static void name(struct atif *a, struct json ev)                                           \
	{                                                                                          \
		(void)ev;                                                                          \
		a->groups.field++;                                                                 \
	}
COUNTER(on_model_failed, model_failures)
COUNTER(on_fallback, fallbacks)
COUNTER(on_compacted, compactions)
COUNTER(on_compaction_failed, compactions_failed)
COUNTER(on_call, calls)
COUNTER(on_answer, answers)
COUNTER(on_violation, violations)
COUNTER(on_process, processes)
COUNTER(on_process_failed, processes_failed)
COUNTER(on_warning, warnings)
COUNTER(on_error, errors)

static const struct {
	const char *type;
	void (*take)(struct atif *a, struct json ev);
} rows[] = {
	{ "thread.started", on_thread },
	{ "turn.submitted", on_submitted },
	{ "turn.started", on_turn_started },
	{ "turn.completed", on_turn_ended },
	{ "turn.failed", on_turn_ended },
	{ "model.requested", on_requested },
	{ "model.failed", on_model_failed },
	{ "routing.fallback.applied", on_fallback },
	{ "context.resolved", on_context },
	{ "context.compaction.completed", on_compacted },
	{ "context.compaction.failed", on_compaction_failed },
	{ "tool.catalog.resolved", on_catalog },
	{ "tool.started", on_call },
	{ "tool.result", on_call_result },
	{ "tool.failed", on_call_failed },
	{ "permission.evaluated", on_decision },
	{ "action.resolved", on_answer },
	{ "sandbox.applied", on_sandbox },
	{ "sandbox.violation", on_violation },
	{ "process.started", on_process },
	{ "process.completed", on_process_ended },
	{ "process.failed", on_process_failed },
	{ "artifact.changed", on_artifact },
	{ "evidence.changed", on_evidence },
	{ "runtime.warning", on_warning },
	{ "runtime.error", on_error },
};

void atif_groups_take(struct atif *a, struct json ev)
{
	struct str type = atif_text(ev, "type");
	int64_t sequence = json_int(JSON_GET(ev, "sequence"), 0);

	for (size_t i = 0; i < COUNT_OF(correlated); i++)
		keep(&a->groups.ids[i], atif_text(ev, correlated[i]));
	keep_value(a, &a->groups.benchmark, JSON_GET(ev, "benchmark"));
	if (!a->groups.first_sequence)
		a->groups.first_sequence = sequence;
	a->groups.last_sequence = sequence;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(type, str_from(rows[i].type)))
			rows[i].take(a, ev);
}

/* ---- writing ---- */

static void group(struct json_writer *w, const char *name)
{
	jw_key(w, str_from(name));
	jw_obj(w);
}

static void put_count(struct json_writer *w, const char *key, int64_t n)
{
	jw_kint(w, str_from(key), n);
}

static void put_texts(struct json_writer *w, const char *key, const struct str *list, size_t count)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		jw_str(w, list[i]);
	jw_arr_end(w);
}

static void write_input(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "input");
	put_count(w, "turns", f->turns);
	put_count(w, "steers", f->steers);
	put_count(w, "attachments", f->attachments);
	JW_KOPT(w, "source", kept_text(&f->source));
	JW_KOPT(w, "delivery", kept_text(&f->delivery));
	if (str_is(f->options)) {
		JW_KEY(w, "options");
		jw_raw(w, f->options);
	}
	jw_obj_end(w);
}

static void write_model(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "model");
	put_texts(w, "models", f->models, f->model_count);
	put_count(w, "requests", f->requests);
	put_count(w, "retries", f->retries);
	put_count(w, "failures", f->model_failures);
	put_count(w, "fallbacks", f->fallbacks);
	jw_obj_end(w);
}

static void write_context(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "context");
	put_count(w, "resolved", f->contexts);
	put_count(w, "windowTokens", f->window_tokens);
	put_count(w, "estimatedTokens", f->context_tokens);
	put_count(w, "missing", f->missing);
	put_count(w, "omissions", f->omissions);
	put_count(w, "compactions", f->compactions);
	put_count(w, "compactionsFailed", f->compactions_failed);
	jw_obj_end(w);
}

static void write_tools(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "tools");
	put_count(w, "inventory", f->tools);
	JW_KOPT(w, "catalogHash", kept_text(&f->catalog_hash));
	put_count(w, "calls", f->calls);
	put_count(w, "failed", f->calls_failed);
	put_count(w, "lost", f->calls_lost);
	jw_obj_end(w);
}

static void write_permission(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "permission");
	JW_KOPT(w, "mode", kept_text(&f->mode));
	put_count(w, "allowed", f->allowed);
	put_count(w, "asked", f->asked);
	put_count(w, "denied", f->denied);
	put_count(w, "sandboxed", f->sandboxed);
	put_count(w, "answered", f->answers);
	JW_KOPT(w, "sandboxMode", kept_text(&f->sandbox));
	JW_KOPT(w, "sandboxTier", kept_text(&f->tier));
	put_count(w, "violations", f->violations);
	jw_obj_end(w);
}

static void write_process(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "process");
	put_count(w, "started", f->processes);
	put_count(w, "exitedNonZero", f->exits_bad);
	put_count(w, "failed", f->processes_failed);
	JW_KSTR(w, "browser", STR("not_applicable"));
	jw_obj_end(w);
}

static void write_artifacts(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "artifacts");
	put_count(w, "changes", f->artifacts);
	put_texts(w, "artifactIds", f->artifact_refs, f->artifact_count);
	jw_obj_end(w);
}

/* What the log does not show; never a verdict. */
static void write_known_gaps(struct json_writer *w, const struct atif_groups *f)
{
	JW_KEY(w, "knownGaps");
	jw_arr(w);
	if (f->is_open)
		jw_str(w, STR("turn_not_ended"));
	if (f->gaps)
		jw_str(w, STR("events_missing"));
	if (f->texts_missing)
		jw_str(w, STR("outputs_missing"));
	if (str_is(f->forked_from))
		jw_str(w, STR("inherited_turns"));
	jw_arr_end(w);
}

static void write_outcome(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "outcome");
	JW_KSTR(w, "status",
	        f->status.len ? kept_text(&f->status)
	        : f->is_open  ? STR("unknown")
	                      : STR("not_applicable"));
	JW_KSTR(w, "failureCategory", f->category.len ? kept_text(&f->category) : STR("none"));
	JW_KOPT(w, "message", kept_text(&f->reason));
	put_count(w, "warnings", f->warnings);
	put_count(w, "errors", f->errors);
	put_count(w, "redactedTexts", f->redacted);
	write_known_gaps(w, f);
	put_texts(w, "evidenceIds", f->evidence_ids, f->evidence_count);
	jw_obj_end(w);
}

static void write_correlation(struct json_writer *w, const struct atif_groups *f)
{
	group(w, "runtimeCorrelation");
	for (size_t i = 0; i < COUNT_OF(correlated); i++)
		jw_kopt(w, str_from(correlated[i]), kept_text(&f->ids[i]));
	jw_kint(w, STR("fromSequence"), f->first_sequence);
	jw_kint(w, STR("toSequence"), f->last_sequence);
	if (str_is(f->forked_from)) {
		JW_KEY(w, "forkedFrom");
		jw_raw(w, f->forked_from);
	}
	jw_obj_end(w);
}

void atif_groups_write(struct atif *a)
{
	const struct atif_groups *f = &a->groups;
	struct json_writer *w = &a->w;

	size_t from;

	JW_KEY(w, "extra");
	from = a->out.len;
	jw_obj(w);
	write_correlation(w, f);
	if (str_is(f->benchmark)) {
		JW_KEY(w, "benchmark");
		jw_raw(w, f->benchmark);
	}
	write_input(w, f);
	write_model(w, f);
	write_context(w, f);
	write_tools(w, f);
	write_permission(w, f);
	write_process(w, f);
	write_artifacts(w, f);
	write_outcome(w, f);
	jw_obj_end(w);
	atif_clean_from(a, from);
}
