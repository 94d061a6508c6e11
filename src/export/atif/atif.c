/*
 * The trajectory writer: passes over the log, documents, and which event goes
 * where.
 *
 *	pass 1      all events: steps of the root; finds subagents and adds up what
 *	            they cost, because the sums of a parent include its children
 *	pass 2...   the events of one subagent's thread: its steps
 *
 * A document is written when its pass ends, and its children behind it.
 */
#include "export/atif/atif_int.h"

/* ---- documents ---- */

static void doc_write_steps_end(struct atif *a)
{
	atif_step_close(a);
	atif_step_write_due(a, true);
	if (!a->step_count)
		atif_step_empty(a);
	jw_arr_end(&a->w);
	atif_sum_write_final(&a->w, &a->at->sum, a->step_count);
	atif_groups_write(a);
}

static void doc_begin(struct atif *a, struct atif_doc *d)
{
	a->at = d;
	arena_reset(a->pass);
	a->groups = (struct atif_groups){ 0 };
	a->step_count = 0;
	a->summary = NULL;
	a->model = a->instructions = a->instructions_hash = STR_NONE;
	a->uses_tools = false;
}

static void doc_write_summary(struct atif *a, struct atif_doc *d)
{
	struct atif_doc *parent = a->at;

	a->at = d;
	a->step_count = 0;
	atif_step_summary_doc(a, d);
	jw_arr_end(&a->w);
	atif_sum_write_final(&a->w, &d->sum, a->step_count);
	jw_obj_end(&a->w);
	a->at = parent;
}

/* Writes the summaries among the children; returns the next subagent, or NULL. */
static struct atif_doc *next_child(struct atif *a)
{
	struct atif_doc *d = a->at;

	while (d->first) {
		struct atif_doc *child = d->first;

		if (!d->has_list) {
			JW_KEY(&a->w, "subagent_trajectories");
			jw_arr(&a->w);
			d->has_list = true;
		}
		d->first = child->next;
		if (str_is(child->thread))
			return child;
		doc_write_summary(a, child);
	}
	return NULL;
}

/* ---- passes ---- */

struct atif *atif_new(const struct atif_options *o)
{
	struct arena *mem = arena_new();
	struct atif *a = ARENA_NEW(mem, struct atif);

	a->mem = mem;
	a->pass = arena_new();
	a->tools_mem = arena_new();
	a->instructions_mem = arena_new();
	a->o = *o;
	a->o.version = arena_keep(a->mem, o->version);
	a->o.thread = arena_keep(a->mem, o->thread);
	a->o.turn = arena_keep(a->mem, o->turn);
	jw_init(&a->w, &a->out);
	atif_step_init(a);
	return a;
}

void atif_free(struct atif *a)
{
	if (!a)
		return;
	atif_step_done(a);
	map_done(&a->threads);
	buf_done(&a->out);
	arena_free(a->tools_mem);
	arena_free(a->pass);
	arena_free(a->instructions_mem);
	arena_free(a->mem);
}

bool atif_next_pass(struct atif *a, struct atif_pass *ret)
{
	struct atif_doc *child;

	*ret = (struct atif_pass){ 0 };
	if (!a->at) {
		doc_begin(a, &a->root);
		a->root.thread = a->o.thread;
		a->is_first_pass = true;
		return true;
	}
	doc_write_steps_end(a);
	a->is_first_pass = false;
	while (!(child = next_child(a))) {
		if (a->at->has_list)
			jw_arr_end(&a->w);
		jw_obj_end(&a->w);
		if (!a->at->parent)
			return false;
		a->at = a->at->parent;
	}
	doc_begin(a, child);
	ret->thread = child->thread;
	return true;
}

bool atif_is_found(const struct atif *a)
{
	return a->is_found;
}

bool atif_end(struct atif *a)
{
	buf_add_char(&a->out, '\n');
	if (!a->has_failed)
		a->has_failed = !a->o.port.write(a->o.port.arg, buf_str(&a->out));
	return !a->has_failed && a->is_found;
}

/* ---- events ---- */

static void on_request(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	if (!str_eq(atif_text(p, "provenance"), STR("compaction"))) {
		if (!str_is(a->model))
			a->model = arena_printf(a->pass, "%.*s/%.*s",
			                        STR_ARG(atif_text(p, "provider")),
			                        STR_ARG(atif_text(p, "model")));
		atif_step_request(a, ev);
		return;
	}
	if (!a->summary) {
		a->summary = atif_doc_add(a, a->at, atif_text(ev, "modelRequestId"));
		a->summary->began_at = arena_keep(a->mem, atif_text(ev, "timestamp"));
	}
	a->summary->model = arena_printf(a->mem, "%.*s/%.*s", STR_ARG(atif_text(p, "provider")),
	                                 STR_ARG(atif_text(p, "model")));
}

static bool is_of_step(const struct atif *a, struct json ev)
{
	return a->step.is_open && str_eq(atif_text(ev, "modelRequestId"), a->step.request);
}

static void on_delta(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	if (is_of_step(a, ev) && str_eq(atif_text(p, "kind"), STR("text")))
		buf_add_str(&a->step.text, atif_text(p, "text"));
}

static void on_reasoning(struct atif *a, struct json ev)
{
	if (is_of_step(a, ev))
		buf_add_str(&a->step.reasoning, atif_text(JSON_GET(ev, "payload"), "text"));
}

static void on_answered(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	if (!is_of_step(a, ev))
		return;
	a->step.stop_reason = arena_keep(a->step.mem, atif_text(p, "stopReason"));
	a->step.provider_request = arena_keep(a->step.mem, atif_text(p, "providerRequestId"));
}

static void on_model_failed(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "category", "httpStatus", "retryable", "attempt",
		                            "provider", "model",      "message" };
	struct json_writer *w = &a->step.attempts_w;

	if (!is_of_step(a, ev))
		return;
	a->step.has_failed = true;
	jw_obj(w);
	atif_put(w, "sequence", JSON_GET(ev, "sequence"));
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(w, kept[i], json_get(JSON_GET(ev, "payload"), str_from(kept[i])));
	jw_obj_end(w);
}

static void on_started(struct atif *a, struct json ev)
{
	atif_step_due(a, atif_text(ev, "turnId"));
}

static void on_ended(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	if (str_eq(atif_text(p, "outcome"), STR("merged"))) {
		atif_step_due(a, atif_text(ev, "turnId"));
		return;
	}
	/* A system turn may end while a call of another turn waits; that step stays open. */
	if (a->step.is_open && !str_eq(a->step.turn, atif_text(ev, "turnId"))) {
		if (str_eq(atif_text(ev, "type"), STR("turn.failed")))
			atif_step_notice(a, ev);
		return;
	}
	atif_step_close(a);
	atif_step_due(a, atif_text(ev, "turnId"));
	atif_step_write_due(a, false);
	if (json_is(JSON_GET(p, "imported")))
		atif_step_imported(a, ev);
	if (str_eq(atif_text(ev, "type"), STR("turn.failed")))
		atif_step_system(a, ev, atif_text(p, "message"), NULL);
}

static void on_compacted(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");

	if (a->summary) {
		a->summary->summary_ref = arena_keep(a->mem, atif_text(p, "summaryRef"));
		a->summary->preview = arena_keep(a->mem, atif_text(p, "summaryPreview"));
		a->summary->ended_at = arena_keep(a->mem, atif_text(ev, "timestamp"));
		a->summary->turns = json_int(JSON_GET(p, "turns"), 0);
	}
	atif_step_compacted(a, ev);
	a->summary = NULL;
}

/* The request is still a trajectory of its own: it was paid for. */
static void on_compaction_failed(struct atif *a, struct json ev)
{
	if (a->summary)
		a->summary->ended_at = arena_keep(a->mem, atif_text(ev, "timestamp"));
	a->summary = NULL;
	atif_step_notice(a, ev);
}

static void on_rollback(struct atif *a, struct json ev)
{
	atif_step_close(a);
	atif_step_system(a, ev, STR("Removed later turns from the conversation."), "rollback");
}

/* The environment changes with the clock; the other instructions decide whether to show them. */
static void on_context(struct atif *a, struct json ev)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf hashes = { 0 };
	struct json_iter it = json_iter(JSON_GET(JSON_GET(ev, "payload"), "sources"));
	struct json source;
	struct json_writer w;
	struct str key;

	jw_init(&w, &text);
	jw_arr(&w);
	while (json_next(&it, &key, &source)) {
		if (!str_eq(atif_text(source, "kind"), STR("instruction")))
			continue;
		jw_value(&w, source);
		if (!str_eq(atif_text(source, "ref"), STR("instruction:environment")))
			buf_add_str(&hashes, atif_text(source, "sha256"));
	}
	jw_arr_end(&w);
	if (!hashes.len || str_eq(a->instructions_hash, buf_str(&hashes)))
		return;
	arena_reset(a->instructions_mem);
	a->instructions_hash = arena_keep(a->instructions_mem, buf_str(&hashes));
	a->instructions = arena_keep(a->instructions_mem, buf_str(&text));
}

/* Lists are kept across passes: an event of one thread may refer to that of another. */
static void keep_tools(struct atif *a, struct json ev)
{
	struct json tools = JSON_GET(JSON_GET(ev, "payload"), "tools");

	if (!json_is(tools))
		return;
	arena_reset(a->tools_mem);
	a->tools = (struct json){ 0 };
	if (json_read_trusted(a->tools_mem, json_text(a->tools_mem, tools), &a->tools, NULL) == OK)
		a->tools_sequence = json_int(JSON_GET(ev, "sequence"), 0);
	a->has_more_tools = json_bool(JSON_GET(JSON_GET(ev, "payload"), "toolsTruncated"), false);
}

static void on_catalog(struct atif *a, struct json ev)
{
	int64_t since = json_int(JSON_GET(JSON_GET(ev, "payload"), "unchangedSince"),
	                         json_int(JSON_GET(ev, "sequence"), 0));

	keep_tools(a, ev);
	if (!a->at->is_begun)
		a->uses_tools = json_is(a->tools) && since == a->tools_sequence;
}

static const struct {
	const char *type;
	void (*take)(struct atif *a, struct json ev);
} rows[] = {
	{ "turn.submitted", atif_step_input },
	{ "turn.started", on_started },
	{ "turn.completed", on_ended },
	{ "turn.failed", on_ended },
	{ "context.resolved", on_context },
	{ "tool.catalog.resolved", on_catalog },
	{ "model.requested", on_request },
	{ "model.delta", on_delta },
	{ "reasoning.delta", on_reasoning },
	{ "model.completed", on_answered },
	{ "model.failed", on_model_failed },
	{ "tool.started", atif_call_started },
	{ "tool.args", atif_call_args },
	{ "permission.evaluated", atif_call_decision },
	{ "permission.resolved", atif_call_decision },
	{ "action.required", atif_call_decision },
	{ "action.resolved", atif_call_decision },
	{ "sandbox.applied", atif_call_sandbox },
	{ "sandbox.violation", atif_call_sandbox },
	{ "process.started", atif_call_process },
	{ "process.completed", atif_call_process },
	{ "process.failed", atif_call_process },
	{ "tool.result", atif_call_ended },
	{ "tool.failed", atif_call_ended },
	{ "hook.completed", atif_call_hook },
	{ "context.compaction.completed", on_compacted },
	{ "context.compaction.failed", on_compaction_failed },
	{ "history.rollback.completed", on_rollback },
	{ "runtime.warning", atif_step_notice },
	{ "runtime.error", atif_step_notice },
};

/* ---- subagents and costs, which a thread does not own alone ---- */

static bool is_in_turn(const struct atif *a, struct str turn)
{
	return !str_is(a->o.turn) || str_eq(a->o.turn, turn);
}

/* In the first pass a subagent becomes a document; its parent's open step refers to it. */
static void on_spawned(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");
	struct str parent_thread = atif_text(p, "parentThreadId"), id = atif_text(ev, "subagentId");
	struct atif_doc *parent = map_get(&a->threads, parent_thread), *d;

	if (!parent || (parent == &a->root && !is_in_turn(a, atif_text(p, "parentTurnId"))))
		return;
	if (a->is_first_pass) {
		d = atif_doc_add(a, parent, id);
		d->thread = arena_keep(a->mem, atif_text(p, "childThreadId"));
		d->role = arena_keep(a->mem, atif_text(p, "role"));
		map_put(&a->threads, d->thread, d);
	}
	if (parent == a->at && a->step.is_open && a->unclaimed_count < ATIF_LISTED)
		a->unclaimed[a->unclaimed_count++] = arena_keep(a->pass, id);
}

/* The cost of a request: of its step or summary, and of its document and all above that. */
static void on_cost(struct atif *a, struct json ev)
{
	struct atif_sum one = atif_sum_of(ev);
	struct atif_doc *owner = map_get(&a->threads, atif_text(ev, "threadId"));

	if (!owner || str_is(atif_text(JSON_GET(ev, "payload"), "corrects")))
		return;
	if (owner == &a->root && !is_in_turn(a, atif_text(ev, "turnId")))
		return;
	for (struct atif_doc *d = owner; a->is_first_pass && d; d = d->parent)
		atif_sum_add(&d->sum, &one);
	if (owner != a->at)
		return;
	if (is_of_step(a, ev))
		atif_sum_add(&a->step.sum, &one);
	else if (a->summary)
		atif_sum_add(&a->summary->sum, &one);
}

/* ---- taking events ---- */

/* A turn is named by its run, which its first events may not have; a thread by itself. */
static void name_root(struct atif *a, struct json ev)
{
	struct str run = atif_text(ev, "runId");

	if (a->is_named || (str_is(a->o.turn) && !str_is(run) && str_is(a->root.id)))
		return;
	a->is_named = !str_is(a->o.turn) || str_is(run);
	a->root.id = arena_keep(a->mem, str_is(a->o.turn) && str_is(run) ? run : a->root.thread);
}

static void find_root(struct atif *a, struct json ev)
{
	if (!str_is(a->session))
		a->session = arena_keep(a->mem, atif_text(ev, "sessionId"));
	if (!str_is(a->root.thread) && str_eq(atif_text(ev, "type"), STR("thread.started")))
		a->root.thread = arena_keep(a->mem, atif_text(ev, "threadId"));
	if (a->is_named || !str_is(a->root.thread) ||
	    !str_eq(atif_text(ev, "threadId"), a->root.thread) ||
	    (str_is(a->o.turn) && !str_eq(atif_text(ev, "turnId"), a->o.turn)))
		return;
	if (!a->is_found)
		map_put(&a->threads, a->root.thread, &a->root);
	a->is_found = true;
	name_root(a, ev);
}

/* Of the thread that is being written, and of the turn if one was chosen. */
static bool is_meant(const struct atif *a, struct json ev)
{
	if (!str_is(a->at->thread) || !str_eq(atif_text(ev, "threadId"), a->at->thread))
		return false;
	return a->at != &a->root || is_in_turn(a, atif_text(ev, "turnId")) ||
	       str_eq(atif_text(JSON_GET(ev, "payload"), "mergedInto"), a->o.turn);
}

const char *const atif_types[] = {
	"thread.started",
	"turn.*",
	"context.*",
	"tool.*",
	"model.*",
	"reasoning.delta",
	"routing.fallback.applied",
	"permission.*",
	"action.*",
	"sandbox.*",
	"process.started",
	"process.completed",
	"process.failed",
	"hook.completed",
	"artifact.changed",
	"evidence.changed",
	"history.rollback.completed",
	"subagent.spawned",
	"cost.recorded",
	"benchmark.*",
	"runtime.warning",
	"runtime.error",
	NULL,
};

static bool is_of_type(struct str type, struct str pattern)
{
	if (!str_ends(pattern, STR("*")))
		return str_eq(type, pattern);
	return str_starts(type, str_head(pattern, pattern.len - 1));
}

bool atif_takes(struct str type)
{
	for (size_t i = 0; atif_types[i]; i++)
		if (is_of_type(type, str_from(atif_types[i])))
			return true;
	return false;
}

void atif_event(struct atif *a, struct json ev)
{
	struct str type = atif_text(ev, "type");

	if (json_is(JSON_GET(ev, "gap"))) {
		a->groups.gaps++;
		return;
	}
	/* The document must not depend on whether the caller left the others out. */
	if (!atif_takes(type))
		return;
	if (a->is_first_pass)
		find_root(a, ev);
	if (str_eq(type, STR("subagent.spawned")))
		on_spawned(a, ev);
	if (str_eq(type, STR("cost.recorded")))
		on_cost(a, ev);
	if (!is_meant(a, ev)) {
		if (str_eq(type, STR("tool.catalog.resolved")))
			keep_tools(a, ev);
		return;
	}
	atif_groups_take(a, ev);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(type, str_from(rows[i].type)))
			rows[i].take(a, ev);
}
