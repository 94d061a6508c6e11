/*
 * The order check: refuses an event about an object that is not open, before it
 * is written.
 */
#include "core/fold_part.h"
#include "core/order_check.h"

#include "core/task/task.h"

/* Rules name a member of the envelope by its offset. */
static struct str id_at(const struct event *ev, const struct gate *g)
{
	return *(const struct str *)((const char *)ev + g->offset);
}

static ptrdiff_t find_open(const struct state *w, enum gate_kind kind, struct str id)
{
	for (uint32_t i = 0; i < w->s->open.count; i++) {
		const struct st_open *o = w->s->open.items[i];

		if (o->kind == kind && str_eq(o->id, id))
			return i;
	}
	return -1;
}

/*
 * A rule without an id on this event does not apply: a turn without a task needs none.  The same
 * holds for a rule whose condition on the payload is not met.
 */
static bool rule_applies(const struct event *ev, const struct gate *g)
{
	const char *payload = ev->payload;

	if (!str_is(id_at(ev, g)))
		return false;
	return !g->word || (payload && *(const uint32_t *)(payload + g->field) == g->word);
}

/*
 * The first rule that is violated, or NULL.  Of rules joined by or_next one is enough.  A group of
 * alternatives of which none applies is met: the event does not name such an object.
 */
static const struct gate *first_unmet(const struct state *w, const struct event *ev,
                                      const struct gate *needs)
{
	bool has_applied = false, is_met = false;

	for (const struct gate *g = needs; g->kind; g++) {
		if (rule_applies(ev, g)) {
			has_applied = true;
			is_met |= find_open(w, g->kind, id_at(ev, g)) >= 0;
		}
		if (g->or_next)
			continue;
		if (has_applied && !is_met)
			return g;
		has_applied = is_met = false;
	}
	return NULL;
}

/*
 * Called for each event before it is written, with the state that precedes it.  A failure is a bug
 * in a decision, not a mistake of a caller.
 */
enum err order_check_event(const struct state *w, const struct event *ev, struct error *e)
{
	const struct event_class *class = &event_classes[ev->type];

	const struct gate *unmet = first_unmet(w, ev, class->needs);

	if (unmet)
		return fail(e, ERR_INVALID, "%.*s: %.*s %.*s is not open", STR_ARG(class->name),
		            STR_ARG(gate_kind_word(unmet->kind)), STR_ARG(id_at(ev, unmet)));
	/*
	 * An object that opens on a condition may open again: a second approval confirms the first.
	 */
	for (const struct gate *g = class->opens; g->kind; g++)
		if (!g->word && rule_applies(ev, g) && find_open(w, g->kind, id_at(ev, g)) >= 0)
			return fail(e, ERR_INVALID, "%.*s: %.*s %.*s is open already",
			            STR_ARG(class->name), STR_ARG(gate_kind_word(g->kind)),
			            STR_ARG(id_at(ev, g)));
	/* Objects of some classes have fewer status words than the envelope allows. */
	if (class->statuses && ev->status &&
	    !rec_enum_read(class->statuses, status_word(ev->status)))
		return fail(e, ERR_INVALID, "%.*s: %.*s is no %s", STR_ARG(class->name),
		            STR_ARG(status_word(ev->status)), class->statuses->name);
	return task_table_gate(w, ev, e);
}

static void open_object(struct state *w, enum gate_kind kind, struct str id)
{
	if (find_open(w, kind, id) >= 0)
		return;
	struct st_open *o = rec_list_add(w->mem, &w->s->open, &st_open_desc);

	o->kind = kind;
	o->id = arena_keep(w->mem, id);
}

static void close_object(struct state *w, enum gate_kind kind, struct str id)
{
	ptrdiff_t at = find_open(w, kind, id);

	if (at >= 0)
		rec_list_remove(&w->s->open, (uint32_t)at);
}

void order_check_fold(struct state *w, const struct event *ev)
{
	const struct event_class *class = &event_classes[ev->type];

	for (const struct gate *g = class->closes; g->kind; g++)
		if (rule_applies(ev, g))
			close_object(w, g->kind, id_at(ev, g));
	for (const struct gate *g = class->opens; g->kind; g++)
		if (rule_applies(ev, g))
			open_object(w, g->kind, id_at(ev, g));
	for (const struct gate *g = class->reopens; g->kind; g++)
		if (rule_applies(ev, g))
			open_object(w, g->kind, id_at(ev, g));
}
