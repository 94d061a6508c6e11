/*
 * Gathers the events of a group, see journal_feed.h.
 */
#include "core/journal/journal_feed.h"

/* Events without a record are folded in parts of this size. */
#define LOOSE_EVENTS 256

void journal_feed_done(struct journal_feed *f)
{
	arena_free(f->mem);
	f->mem = NULL;
	f->events = NULL;
	f->cap = f->wanted = 0;
	f->group = (struct replay_group){ 0 };
}

bool journal_feed_end(struct journal_feed *f)
{
	struct replay_result result;
	bool is_read = true;

	if (f->wanted) {
		f->group.events = f->events;
		is_read = journal_replay_group(f->replay, f->mem, &f->group, &result);
		f->is_waiting = is_read && result.is_waiting;
		if (f->is_waiting)
			return true;
		if (is_read && f->told)
			f->told(f->owner, &f->group, &result);
	}
	journal_feed_done(f);
	return is_read;
}

static void open_group(struct journal_feed *f, uint64_t seq,
                       const struct journal_feed_record *record)
{
	f->mem = arena_new();
	f->group = (struct replay_group){ .first_seq = seq };
	f->wanted = LOOSE_EVENTS;
	if (!record)
		return;
	f->group.has_record = true;
	f->group.key = arena_keep(f->mem, record->key);
	f->group.body = arena_keep(f->mem, record->body);
	/* Without a body its end is where the next record begins. */
	if (record->body.len)
		f->wanted = MAX(journal_read_count(record->body), 1);
}

static void add_event(struct journal_feed *f, struct str body)
{
	if (f->group.event_count == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 32;

		f->events = arena_grow(f->mem, f->events, f->cap * sizeof *f->events,
		                       cap * sizeof *f->events);
		f->cap = cap;
	}
	f->events[f->group.event_count++] = arena_keep(f->mem, body);
}

bool journal_feed_event(struct journal_feed *f, uint64_t seq, struct str body, bool is_erased,
                        const struct journal_feed_record *record)
{
	f->has_taken = false;
	if (record && f->wanted && !journal_feed_end(f))
		return false;
	if (f->is_waiting)
		return true;
	f->has_taken = true;
	if (!f->wanted)
		open_group(f, seq, record);
	add_event(f, body);
	f->group.has_erased |= is_erased;
	return f->group.event_count < f->wanted || journal_feed_end(f);
}
