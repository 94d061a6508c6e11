/* The invariants of folding, and the rows and views that follow from it. */
#include "base/jw.h"
#include "invariants_int.h"

#include "core/view/view.h"
#include "rng.h"

#include <stdlib.h>

static void fold_range(struct state *w, const struct invariant_log *g, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		state_fold(w, g->events[i]);
}

/* spec: contracts/state-snapshots */
static bool check_view(struct invariant_log *g, const struct state *w,
                       const struct settings *settings, struct str *ret_text, struct error *e)
{
	struct invariants *l = g->invariants;
	struct buf out = { 0 };
	struct json_writer jw;
	struct json doc;
	struct error why = { 0 };
	struct str where;

	jw_init(&jw, &out);
	view_session(&jw, w, settings);
	*ret_text = arena_keep(l->mem, buf_str(&out));
	buf_done(&out);
	if (json_read(l->mem, *ret_text, &doc, &why) != OK)
		return invariant_broken(g, NULL, e, "the view at %lld is no JSON: %s",
		                        (long long)w->s->sequence, why.message);
	if (!invariants_without_null(l->mem, doc, STR(""), &where))
		return invariant_broken(g, NULL, e, "the view at %lld has null at %.*s",
		                        (long long)w->s->sequence, STR_ARG(where));
	/* At every cut the catalogue's schema would cost more than all events: the end must do. */
	struct schema *schemas[INVARIANT_SCHEMAS];

	memcpy(schemas, l->snapshot, sizeof schemas);
	if (w->s->sequence != (int64_t)g->count)
		schemas[INVARIANT_SCHEMA_OWN] = NULL;
	if (w->s->threads.count && !invariants_valid(l, schemas, doc, &where))
		return invariant_broken(g, NULL, e, "the view at %lld: %.*s",
		                        (long long)w->s->sequence, STR_ARG(where));
	return true;
}

/* Where two texts part, for the message. */
static struct str parting(struct str a, struct str b)
{
	size_t at = 0;

	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	at = at > 40 ? at - 40 : 0;
	return str_head(str_skip(a, at), 120);
}

/* A snapshot at `cut`, read back, and the rest folded onto it. */
static bool check_cut(struct invariant_log *g, const struct state *head, size_t cut,
                      struct str whole, const struct settings *settings, struct error *e)
{
	struct invariants *l = g->invariants;
	struct str text = state_text(l->mem, head), again, view, view_again;
	struct state *w = NULL;
	struct error why = { 0 };
	bool holds;

	if (state_read(text, &w, &why) != OK)
		return invariant_broken(g, NULL, e, "the snapshot at %zu cannot be read: %s", cut,
		                        why.message);
	again = state_text(l->mem, w);
	holds = str_eq(again, text) ||
	        invariant_broken(g, NULL, e,
	                         "the snapshot at %zu, read and written, differs: …%.*s", cut,
	                         STR_ARG(parting(again, text)));
	holds = holds && check_view(g, head, settings, &view, e) &&
	        check_view(g, w, settings, &view_again, e);
	if (holds && !str_eq(view, view_again))
		holds = invariant_broken(g, NULL, e,
		                         "the view of the snapshot at %zu differs: …%.*s", cut,
		                         STR_ARG(parting(view_again, view)));
	if (holds) {
		state_compact(w);
		fold_range(w, g, cut, g->count);
		again = state_text(l->mem, w);
		if (!str_eq(again, whole))
			holds = invariant_broken(
				g, NULL, e,
				"the tail folded onto the snapshot at %zu differs: …%.*s", cut,
				STR_ARG(parting(again, whole)));
	}
	state_free(w);
	return holds;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

bool invariant_folds(struct invariant_log *g, const struct settings *settings, uint64_t seed,
                     unsigned places, struct error *e)
{
	struct rng rng = rng_of(seed, 80);
	struct state *w = state_new();
	size_t cuts[64], folded = 0;
	bool holds = true;

	if (g->is_broken || !g->count) {
		state_free(w);
		return !g->is_broken || invariant_broken(g, NULL, e, "it is broken already");
	}
	places = MIN(places, (unsigned)COUNT_OF(cuts) - 1);
	for (unsigned i = 0; i < places; i++)
		cuts[i] = places >= g->count ? MIN(i + 1, g->count) : 1 + rng_below(&rng, g->count);
	cuts[places] = g->count;
	qsort(cuts, places + 1, sizeof *cuts, by_size);
	arena_reset(g->invariants->mem);
	struct arena *mem = arena_new();
	struct str whole = state_text(mem, g->state);

	for (unsigned i = 0; i <= places && holds; i++) {
		if (i && cuts[i] == cuts[i - 1])
			continue;
		arena_reset(g->invariants->mem);
		fold_range(w, g, folded, cuts[i]);
		folded = cuts[i];
		holds = check_cut(g, w, cuts[i], whole, settings, e);
	}
	if (holds && !str_eq(state_text(mem, w), whole))
		holds = invariant_broken(g, NULL, e, "folded again it is another world");
	arena_free(mem);
	state_free(w);
	return holds;
}

void invariant_rows(const struct invariant_log *g, struct rows *ret)
{
	struct state *w = state_new();

	for (size_t i = 0; i < g->count; i++) {
		state_fold(w, g->events[i]);
		index_event(ret, w, g->events[i]);
	}
	index_state(ret, w, NULL);
	/* Rows borrow from the world. */
	for (size_t i = 0; i < ret->count; i++) {
		struct index_row *r = &ret->items[i];

		r->key = arena_keep(ret->mem, r->key);
		r->status = arena_keep(ret->mem, r->status);
		r->parent = arena_keep(ret->mem, r->parent);
		r->body = arena_keep(ret->mem, r->body);
	}
	state_free(w);
}
