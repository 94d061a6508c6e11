/*
 * The comparison of two logs.
 *
 * Sessions are read in the order of their numbers, which both ends share, a few at a time, so
 * that neither store waits for the other.  The chain is computed once: what it is computed
 * from is the same on both sides, or the comparison ends.
 */
#include "lib/move/move_check.h"

#include <assert.h>

#define AT_ONCE 12

struct pair;

/* One of the two logs of a session, page by page. */
struct side {
	struct pair *pair;
	struct move_end *end;
	struct store_read read;
	bool is_busy, is_read; /* a page is under way; the first one has come */
	size_t at;             /* in the page */
};

/* A session that is being compared. */
struct pair {
	struct check *check;
	struct str id; /* absent: free */
	struct side sides[2];
	uint64_t seq;
	struct sha256 hash;
};

struct check {
	struct move_end *ends[2];
	const struct move_options *o;
	struct move_result *result;
	struct pair pairs[AT_ONCE];
	size_t active;
	struct arena *names; /* of the page of sessions */
	struct str *ids;
	size_t count, next;
	uint64_t after, told;
	bool more;
	struct error error; /* the first one */
};

static void stop(struct check *k, const struct error *e)
{
	if (!k->error.code)
		k->error = *e;
}

static void differs(struct pair *p, const char *what)
{
	struct error e;

	fail(&e, ERR_CORRUPT,
	     "move_damaged: event %llu of %.*s %s. `thole verify` names what is damaged in the "
	     "source; remove what was moved, and move again",
	     (unsigned long long)p->seq + 1, STR_ARG(p->id), what);
	stop(p->check, &e);
}

/* ---- one session ---- */

static void pair_step(struct pair *p);

static void page_read(struct store_read *r)
{
	struct side *s = r->owner;

	s->is_busy = false;
	s->is_read = true;
	s->at = 0;
	pair_step(s->pair);
}

static void read_page(struct side *s)
{
	uint64_t after = s->is_read ? s->read.scanned : 0;

	port_store_read_done(&s->read);
	s->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = s->pair->id,
		                       .after = after,
		                       .done = page_read,
		                       .owner = s };
	s->is_busy = true;
	s->end->store->ops->read(s->end->store, &s->read);
}

/* Whether the side has an event, is at the end, or has to wait for a page. */
static bool is_ready(struct side *s)
{
	return s->is_read && !s->is_busy && (s->at < s->read.event_count || !s->read.more);
}

static bool has_event(const struct side *s)
{
	return s->at < s->read.event_count;
}

/* False: the comparison is over. */
static bool heads_agree(struct pair *p)
{
	const struct store_read *a = &p->sides[0].read, *b = &p->sides[1].read;

	if (a->head_seq == b->head_seq && a->floor_seq == b->floor_seq &&
	    sha256_eq(&a->head_hash, &b->head_hash) && sha256_eq(&a->floor_hash, &b->floor_hash) &&
	    str_eq(a->floor_ref, b->floor_ref))
		return true;
	differs(p, "is not the end of both logs");
	return false;
}

static bool events_agree(struct pair *p, const struct event_row *a, const struct event_row *b)
{
	struct sha256 link = port_event_row_link(&p->hash, a);

	if (a->seq != p->seq + 1 || !sha256_eq(&link, &a->hash)) {
		differs(p, "does not continue the chain");
		return false;
	}
	if (a->seq != b->seq || a->type != b->type || a->position != b->position ||
	    a->is_erased != b->is_erased || !sha256_eq(&a->hash, &b->hash) ||
	    (a->is_erased && !sha256_eq(&a->digest, &b->digest)) ||
	    !str_eq(bytes_str(a->body), bytes_str(b->body))) {
		differs(p, "is not the same in both logs");
		return false;
	}
	p->seq = a->seq;
	p->hash = a->hash;
	return true;
}

static void pair_end(struct pair *p)
{
	struct check *k = p->check;

	for (size_t i = 0; i < 2; i++)
		port_store_read_done(&p->sides[i].read);
	p->id = STR_NONE;
	k->active--;
}

/* Compares what is there.  True: both sides are at their end, or something was wrong. */
static bool compare(struct pair *p)
{
	struct side *a = &p->sides[0], *b = &p->sides[1];

	while (is_ready(a) && is_ready(b)) {
		if (!has_event(a) && !has_event(b)) {
			if (p->seq != a->read.head_seq || !sha256_eq(&p->hash, &a->read.head_hash))
				differs(p, "is missing");
			return true;
		}
		if (has_event(a) != has_event(b)) {
			differs(p, "is in one of the logs only");
			return true;
		}
		if (!events_agree(p, &a->read.events[a->at], &b->read.events[b->at]))
			return true;
		a->at++;
		b->at++;
		p->check->result->events++;
	}
	return false;
}

/* After each page: as far as both sides go. */
static void pair_step(struct pair *p)
{
	bool was_first = !p->seq;

	for (size_t i = 0; i < 2; i++) {
		if (p->sides[i].is_busy || !p->sides[i].is_read)
			return;
		if (p->sides[i].read.result != OK)
			stop(p->check, &p->sides[i].read.error);
	}
	if (was_first) {
		p->seq = p->sides[0].read.floor_seq;
		p->hash = p->sides[0].read.floor_hash;
	}
	if (p->check->error.code || (was_first && !heads_agree(p)) || compare(p)) {
		pair_end(p);
		return;
	}
	for (size_t i = 0; i < 2; i++)
		if (!has_event(&p->sides[i]) && p->sides[i].read.more)
			read_page(&p->sides[i]);
}

static void pair_begin(struct check *k, struct str id)
{
	struct pair *p = k->pairs;

	while (str_is(p->id))
		p++;
	assert(p < k->pairs + AT_ONCE);
	*p = (struct pair){ .check = k, .id = id };
	k->active++;
	for (size_t i = 0; i < 2; i++)
		p->sides[i] = (struct side){ .pair = p, .end = k->ends[i] };
	for (size_t i = 0; i < 2; i++)
		read_page(&p->sides[i]);
}

/* ---- all sessions ---- */

static bool same_sessions(const struct store_read *a, const struct store_read *b)
{
	if (a->row_count != b->row_count || a->more != b->more)
		return false;
	for (size_t i = 0; i < a->row_count; i++)
		if (!str_eq(a->rows[i].session, b->rows[i].session) ||
		    a->rows[i].at != b->rows[i].at)
			return false;
	return true;
}

static enum err list_sessions(struct check *k, struct error *e)
{
	struct store_read r[2] = { 0 };
	enum err err = OK;

	for (size_t i = 0; i < 2; i++) {
		struct error why;

		r[i] = (struct store_read){ .kind = READ_SESSIONS, .after = k->after };
		if (move_end_read(k->ends[i], &r[i], &why) != OK && err == OK)
			err = fail(e, why.code, "%s", why.message);
	}
	if (err == OK && !same_sessions(&r[0], &r[1]))
		err = fail(e, ERR_CORRUPT,
		           "move_damaged: %s and %s do not have the same sessions. Remove what was "
		           "moved, and move again",
		           k->ends[0]->place, k->ends[1]->place);
	arena_free(k->names);
	k->names = arena_new();
	k->next = 0;
	k->count = err == OK ? r[0].row_count : 0;
	k->ids = ARENA_ARRAY(k->names, struct str, k->count + 1);
	for (size_t i = 0; i < k->count; i++)
		k->ids[i] = arena_keep(k->names, r[0].rows[i].session);
	k->after = r[0].scanned;
	k->more = err == OK && r[0].more;
	k->result->sessions += k->count;
	port_store_read_done(&r[0]);
	port_store_read_done(&r[1]);
	return err;
}

/* Sessions of one page; the next one is listed when none of them is left. */
static void compare_page(struct check *k)
{
	while (k->active || (k->next < k->count && !k->error.code)) {
		while (k->active < AT_ONCE && k->next < k->count && !k->error.code)
			pair_begin(k, k->ids[k->next++]);
		for (size_t i = 0; i < 2; i++)
			if (k->active)
				move_end_poll(k->ends[i]);
		if (k->o->tell && k->result->events - k->told >= 10000) {
			k->told = k->result->events;
			k->o->tell(k->o->owner, "events compared", k->told);
		}
	}
}

enum err move_check_run(struct move_end *from, struct move_end *to, const struct move_options *o,
                        struct move_result *ret, struct error *e)
{
	struct check k = { .ends = { from, to }, .o = o, .result = ret, .more = true };
	enum err err = OK;

	ret->sessions = ret->events = 0;
	while (err == OK && k.more) {
		err = list_sessions(&k, e);
		if (err == OK)
			compare_page(&k);
		if (err == OK && k.error.code) {
			*e = k.error;
			err = e->code;
		}
	}
	arena_free(k.names);
	return err;
}
