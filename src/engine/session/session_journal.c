/*
 * Hands the record of each group to the store, in the slice of its events.
 */
#include "engine/session/session_journal.h"

#include "base/os/log.h"
#include "engine/engine_state.h"

#include <stdlib.h>

void session_journal_done(struct engine *e)
{
	journal_done(&e->group.journal);
	buf_done(&e->group.key);
	buf_done(&e->group.body);
	buf_done(&e->group.bodies);
}

void session_journal_begin(struct session *s, struct decision *d)
{
	struct group *g = &s->engine->group;

	g->is_recorded = s->engine->options.config->journal_enabled;
	g->after = s->applied;
	g->blobs = s->slice ? s->slice->slice.blob_count : 0;
	if (!g->is_recorded) {
		s->journal.decisions++;
		s->journal.since_key = 0;
		return;
	}
	journal_begin(&g->journal, &s->journal, d->mem);
	journal_moment(&g->journal, d);
}

void session_journal_step(struct session *s, struct decision *d)
{
	if (s->engine->group.is_recorded)
		journal_moment(&s->engine->group.journal, d);
	else
		s->journal.decisions++;
}

void session_journal_spoil(struct engine *e)
{
	e->group.is_recorded = false;
}

/* The bodies of the events that the group added to the slice. */
static struct journal_text text_of(struct group *g, struct new_blob *blobs, const struct slice *sl)
{
	buf_clear(&g->bodies);
	for (size_t i = 0; i < sl->event_count; i++)
		if (sl->events[i].seq > g->after) {
			struct str body = bytes_str(sl->events[i].body);

			buf_add(&g->bodies, &body, sizeof body);
		}
	for (size_t i = g->blobs; i < sl->blob_count; i++)
		blobs[i - g->blobs] = (struct new_blob){ sl->blobs[i].ref, sl->blobs[i].media_type,
			                                 sl->blobs[i].data, sl->blobs[i].is_again };
	return (struct journal_text){ (const struct str *)(const void *)g->bodies.ptr,
		                      g->bodies.len / sizeof(struct str), blobs,
		                      sl->blob_count - g->blobs };
}

static void add_row(struct session *s, const struct group *g)
{
	struct pending_slice *p = s->slice;
	struct arena *mem = s->engine->filling->mem;
	struct slice *sl = &p->slice;

	if (sl->journal_count == p->journal_cap) {
		size_t cap = p->journal_cap ? p->journal_cap * 2 : 4;

		sl->journal = arena_grow(mem, sl->journal, sl->journal_count * sizeof *sl->journal,
		                         cap * sizeof *sl->journal);
		p->journal_cap = cap;
	}
	sl->journal[sl->journal_count++] = (struct journal_row){
		.seq = g->after + 1,
		.key = g->key.len ? arena_keep(mem, buf_str(&g->key)) : STR_NONE,
		.body = arena_keep(mem, buf_str(&g->body)),
	};
}

/* A call without a row in catalog/inputs.json is a bug, which test runs report at once. */
static bool has_inputs(const struct session *s, const struct group *g)
{
	if (g->journal.input_count)
		return true;
	log_line(LOG_ERROR, "engine", "events of %.*s follow from no input", STR_ARG(s->id));
	if (s->engine->is_strict)
		abort();
	return false;
}

void session_journal_end(struct session *s)
{
	struct group *g = &s->engine->group;
	struct journal_text text;

	if (!g->is_recorded || s->applied == g->after || !s->slice || !has_inputs(s, g))
		return;
	text = text_of(g,
	               ARENA_ARRAY(s->engine->scratch, struct new_blob,
	                           s->slice->slice.blob_count - g->blobs + 1),
	               &s->slice->slice);
	buf_clear(&g->key);
	buf_clear(&g->body);
	journal_write(&g->journal, &text, &g->key, &g->body);
	add_row(s, g);
}
