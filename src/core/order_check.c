/*
 * The order check: an event about something that is not open is refused before
 * it is written.
 */
#include "core/fold_part.h"
#include "core/order_check.h"

#include "core/task/task.h"

static struct str id_at(const struct event *ev, const struct gate *g)
{
	return *(const struct str *)((const char *)ev + g->offset);
}

static ptrdiff_t find(const struct state *w, enum gate_kind kind, struct str id)
{
	for (uint32_t i = 0; i < w->s->open.count; i++) {
		const struct st_open *o = w->s->open.items[i];

		if (o->kind == kind && str_eq(o->id, id))
			return i;
	}
	return -1;
}

/* A gate without an id on this event does not apply: a turn without task has no task to need. */
static bool applies(const struct event *ev, const struct gate *g)
{
	return str_is(id_at(ev, g));
}

enum err order_check_event(const struct state *w, const struct event *ev, struct error *e)
{
	const struct event_class *class = &event_classes[ev->type];

	for (const struct gate *g = class->needs; g->kind; g++)
		if (applies(ev, g) && find(w, g->kind, id_at(ev, g)) < 0)
			return fail(e, ERR_INVALID, "%.*s: %.*s %.*s is not open",
			            STR_ARG(class->name), STR_ARG(gate_kind_word(g->kind)),
			            STR_ARG(id_at(ev, g)));
	for (const struct gate *g = class->opens; g->kind; g++)
		if (applies(ev, g) && find(w, g->kind, id_at(ev, g)) >= 0)
			return fail(e, ERR_INVALID, "%.*s: %.*s %.*s is open already",
			            STR_ARG(class->name), STR_ARG(gate_kind_word(g->kind)),
			            STR_ARG(id_at(ev, g)));
	/* spec: STA-16 — the wire has nine words for a thread; what is finer stands beside them. */
	if ((ev->type == EV_THREAD_UPDATED || ev->type == EV_THREAD_STARTED) && ev->status &&
	    !rec_enum_read(&enum_thread_status, status_word(ev->status)))
		return fail(e, ERR_INVALID, "%.*s: %.*s is no status of a thread",
		            STR_ARG(class->name), STR_ARG(status_word(ev->status)));
	return task_table_gate(w, ev, e);
}

static void open_object(struct state *w, enum gate_kind kind, struct str id)
{
	if (find(w, kind, id) >= 0)
		return;
	struct st_open *o = rec_list_add(w->mem, &w->s->open, &st_open_desc);

	o->kind = kind;
	o->id = arena_keep(w->mem, id);
}

static void close_object(struct state *w, enum gate_kind kind, struct str id)
{
	ptrdiff_t at = find(w, kind, id);

	if (at >= 0)
		rec_list_remove(&w->s->open, (uint32_t)at);
}

/* A permit is open when the last word on the call was allow: no table can say that. */
static void fold_permit(struct state *w, const struct event *ev)
{
	bool is_verdict = ev->type == EV_PERMISSION_EVALUATED || ev->type == EV_PERMISSION_RESOLVED;

	if (!is_verdict || !ev->permission_decision || !str_is(ev->tool_call_id))
		return;
	if (ev->permission_decision->decision == APPROVAL_DECISION_ALLOW ||
	    ev->permission_decision->decision == APPROVAL_DECISION_SANDBOXED)
		open_object(w, GATE_KIND_PERMIT, ev->tool_call_id);
	else
		close_object(w, GATE_KIND_PERMIT, ev->tool_call_id);
	/* Asked once more after the cage refused it: the next run has a cage of its own. */
	if (ev->permission_decision->decision == APPROVAL_DECISION_ASK)
		close_object(w, GATE_KIND_CAGE, ev->tool_call_id);
}

void order_check_fold(struct state *w, const struct event *ev)
{
	const struct event_class *class = &event_classes[ev->type];

	fold_permit(w, ev);

	for (const struct gate *g = class->closes; g->kind; g++)
		if (applies(ev, g))
			close_object(w, g->kind, id_at(ev, g));
	for (const struct gate *g = class->opens; g->kind; g++)
		if (applies(ev, g))
			open_object(w, g->kind, id_at(ev, g));
	for (const struct gate *g = class->reopens; g->kind; g++)
		if (applies(ev, g))
			open_object(w, g->kind, id_at(ev, g));
}
