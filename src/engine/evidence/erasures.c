/* Checks rows that are marked as erased, and the floor of a log, for verify_log and verify_checkpoint. */
#include "engine/evidence/erasures.h"

#include "core/retention/retention.h"

#include <stdlib.h>

/* A row may hold anything: its text is read as that of a stranger. */
static struct event *event_of(struct arena *mem, struct str body)
{
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (json_read(mem, body, &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
		return NULL;
	return ev;
}

/* Without text, the event is what the erasure of it gives: erasing it again changes nothing. */
static const char *fault_of(const struct erasures *x, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str body = bytes_str(row->body);
	struct event *ev = event_of(mem, body);

	if (!ev || (uint64_t)ev->sequence != row->seq || !str_eq(ev->session_id, x->session))
		return "the text of an erased event is that of another one";
	if (!str_eq(retention_erased_text(mem, ev), body))
		return "the event is marked as erased and has a text";
	return NULL;
}

static void add(struct erasures *x, uint64_t seq)
{
	if (x->count == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 16;

		x->rows = arena_grow(x->mem, x->rows, x->count * sizeof *x->rows,
		                     cap * sizeof *x->rows);
		x->cap = cap;
	}
	x->rows[x->count++] = (struct erased_row){ .seq = seq };
	x->unnamed++;
}

static int by_seq(const void *a, const void *b)
{
	uint64_t one = ((const struct erased_row *)a)->seq,
		 two = ((const struct erased_row *)b)->seq;

	return one < two ? -1 : one > two;
}

/* The class in the row's column is not chained; that of the text is. */
static void take_record(struct erasures *x, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = event_of(mem, bytes_str(row->body));
	const struct ev_snapshot_repaired *p;
	struct erased_row *found;

	if (!ev || ev->type != EV_SNAPSHOT_REPAIRED)
		return;
	p = ev->payload;
	if (p->recovery_mode != RECOVERY_MODE_GAP || !p->has_gap_from)
		return;
	found = bsearch(&(struct erased_row){ .seq = (uint64_t)p->gap_from }, x->rows, x->count,
	                sizeof *x->rows, by_seq);
	if (found && !found->is_named) {
		found->is_named = true;
		x->unnamed--;
	}
}

void erasures_begin(struct erasures *x, uint64_t floor, const struct sha256 *hash)
{
	x->floor = floor;
	x->floor_hash = *hash;
}

/*
 * A removal that was interrupted has moved the floor only a part of the way: then the chain leads
 * from the floor to the event that names a later one.  An erased record keeps only its number.
 */
static void take_removal(struct erasures *x, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = event_of(mem, bytes_str(row->body));
	const struct ev_snapshot_updated *p;
	struct sha256 hash;

	if (!ev || ev->type != EV_SNAPSHOT_UPDATED)
		return;
	p = ev->payload;
	if (!p->has_removed_through || p->removed_through < (int64_t)x->floor)
		return;
	if (p->removed_through > (int64_t)x->floor || row->is_erased ||
	    (sha256_read_hex(p->head_hash, &hash) && sha256_eq(&hash, &x->floor_hash)))
		x->floor = 0;
}

/* Texts that this runtime wrote begin with their class; others are read. */
static bool has_class(const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str body = bytes_str(row->body),
		   name = row->type < EV_COUNT ? event_type_word(row->type) : STR("");
	struct str begin = arena_printf(mem, "{\"type\":\"%.*s\",", STR_ARG(name));
	struct json doc;

	return str_starts(body, begin) || (json_read(mem, body, &doc, NULL) == OK &&
	                                   str_eq(json_str(JSON_GET(doc, "type")), name));
}

const char *erasures_take(struct erasures *x, const struct event_row *row)
{
	const char *fault;

	if (!has_class(row))
		return "the event is listed under another class than its own";
	if (x->unnamed && row->type == EV_SNAPSHOT_REPAIRED)
		take_record(x, row);
	if (x->floor && row->type == EV_SNAPSHOT_UPDATED)
		take_removal(x, row);
	if (!row->is_erased)
		return NULL;
	fault = fault_of(x, row);
	if (!fault)
		add(x, row->seq);
	return fault;
}

static uint64_t first_unnamed(const struct erasures *x)
{
	for (size_t i = 0; x->unnamed && i < x->count; i++)
		if (!x->rows[i].is_named)
			return x->rows[i].seq;
	return 0;
}

const char *erasures_unrecorded(const struct erasures *x, uint64_t *ret_seq)
{
	*ret_seq = x->floor ? x->floor : first_unnamed(x);
	if (x->floor)
		return "the events up to this one were removed, and no later event records that";
	if (*ret_seq)
		return "the event is marked as erased, and no later event records an erasure";
	return NULL;
}
