/*
 * Entries and marks of a thread's ended turns: adding, merging, cutting at both
 * ends.  Where a boundary falls inside a mark, tokens and messages are divided
 * in proportion to the turns; they are estimates anyway.
 */
#include "core/fold_part.h"
#include "core/context/history_marks.h"

#define SPAN_MIN 8 /* turns of a mark while the thread is short */

size_t history_marks_units(const struct st_thread *th)
{
	return (size_t)th->marks.count + th->history.count;
}

struct history_unit history_marks_unit(const struct st_thread *th, size_t index)
{
	if (index < th->marks.count) {
		const struct st_mark *m = th->marks.items[index];

		return (struct history_unit){ .from = m->from_sequence,
			                      .to = m->to_sequence,
			                      .turns = m->turns,
			                      .tokens = m->tokens,
			                      .messages = m->messages };
	}
	const struct st_history *h = th->history.items[index - th->marks.count];

	return (struct history_unit){ .from = h->from_sequence,
		                      .to = h->to_sequence,
		                      .turns = 1,
		                      .tokens = h->tokens,
		                      .messages = h->messages,
		                      .turn_id = h->turn_id };
}

static int64_t marked_turns(const struct st_thread *th)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < th->marks.count; i++)
		sum += th->marks.items[i]->turns;
	return sum;
}

int64_t history_marks_turns(const struct st_thread *th)
{
	return marked_turns(th) + th->history.count;
}

int64_t history_marks_covered(const struct st_thread *th)
{
	return th->compactions.count
	               ? th->compactions.items[th->compactions.count - 1]->through_sequence
	               : 0;
}

bool history_marks_is_sent(const struct st_thread *th, const struct history_unit *u)
{
	return u->to > history_marks_covered(th) && u->to > th->cut_through;
}

/* ---- adding ---- */

/* A boundary between two units must stay between two units. */
static bool may_join(const struct st_thread *th, int64_t older_to, int64_t newer_to)
{
	if (older_to <= th->cut_through && th->cut_through < newer_to)
		return false;
	for (uint32_t i = 0; i < th->compactions.count; i++) {
		int64_t through = th->compactions.items[i]->through_sequence;

		if (older_to <= through && through < newer_to)
			return false;
	}
	return true;
}

static void join_marks(struct st_mark *older, const struct st_mark *newer)
{
	older->from_sequence = MIN(older->from_sequence, newer->from_sequence);
	older->to_sequence = newer->to_sequence;
	older->turns += newer->turns;
	older->tokens += newer->tokens;
	older->messages += newer->messages;
}

/*
 * Halves the number of marks: each pair becomes one, so old history gets coarser as the thread
 * grows.
 */
static void merge_pairs(struct st_thread *th)
{
	for (uint32_t i = 0; i + 1 < th->marks.count; i++) {
		struct st_mark *older = th->marks.items[i], *newer = th->marks.items[i + 1];

		if (!may_join(th, older->to_sequence, newer->to_sequence))
			continue;
		join_marks(older, newer);
		rec_list_remove(&th->marks, i + 1);
	}
}

/*
 * The oldest entry joins the newest mark until that has its share of turns.  The share grows with
 * the history, so merging all marks stays rare.
 */
static void mark_oldest(struct state *w, struct st_thread *th)
{
	const struct st_history *h = th->history.items[0];
	struct st_mark one = { .from_sequence = h->from_sequence,
		               .to_sequence = h->to_sequence,
		               .turns = 1,
		               .tokens = h->tokens,
		               .messages = h->messages };
	struct st_mark *last = th->marks.count ? th->marks.items[th->marks.count - 1] : NULL;
	int64_t span = MAX(SPAN_MIN, marked_turns(th) * 2 / HISTORY_MARKS_MAX);

	if (last && last->turns < span && may_join(th, last->to_sequence, one.to_sequence)) {
		join_marks(last, &one);
	} else {
		if (th->marks.count == HISTORY_MARKS_MAX)
			merge_pairs(th);
		*(struct st_mark *)rec_list_add(w->mem, &th->marks, &st_mark_desc) = one;
	}
	rec_list_remove(&th->history, 0);
}

void history_marks_add(struct state *w, struct st_thread *th, const struct st_history *ended)
{
	if (th->history.count == WINDOW_HISTORY)
		mark_oldest(w, th);
	*(struct st_history *)rec_list_add(w->mem, &th->history, &st_history_desc) = *ended;
}

/* ---- cutting ---- */

static void keep_share(struct st_mark *m, int64_t turns)
{
	m->tokens = m->tokens * turns / m->turns;
	m->messages = m->messages * turns / m->turns;
	m->turns = turns;
}

/*
 * Keeps turns that ended by this event; of a mark in the middle as many as make `turns`. turns is
 * -1 in old events: then a mark in the middle is dropped as a whole.
 */
static void keep_marks(struct st_thread *th, int64_t sequence, int64_t turns)
{
	while (th->marks.count) {
		struct st_mark *m = th->marks.items[th->marks.count - 1];
		int64_t before = marked_turns(th) - m->turns;

		if (m->to_sequence <= sequence)
			return;
		if (turns > before && m->from_sequence <= sequence) {
			keep_share(m, MIN(turns - before, m->turns));
			m->to_sequence = sequence;
			return;
		}
		rec_list_remove(&th->marks, th->marks.count - 1);
	}
}

void history_marks_drop_after(struct st_thread *th, int64_t sequence, int64_t remaining)
{
	while (th->history.count &&
	       th->history.items[th->history.count - 1]->to_sequence > sequence)
		rec_list_remove(&th->history, th->history.count - 1);
	keep_marks(th, sequence, remaining);
	th->cut_through = MIN(th->cut_through, sequence);
}

/*
 * Retention removes events, not turns: how many turns of a mark remain is estimated from the share
 * of its events.
 */
void history_marks_drop_before(struct st_thread *th, int64_t sequence)
{
	while (th->marks.count && th->marks.items[0]->from_sequence <= sequence) {
		struct st_mark *m = th->marks.items[0];
		int64_t events = m->to_sequence - m->from_sequence + 1;
		int64_t left = m->turns * MAX(m->to_sequence - sequence, 0) / MAX(events, 1);

		if (left) {
			keep_share(m, left);
			m->from_sequence = sequence + 1;
			break;
		}
		rec_list_remove(&th->marks, 0);
	}
	while (th->history.count && th->history.items[0]->from_sequence <= sequence)
		rec_list_remove(&th->history, 0);
}

void history_marks_take(struct state *w, struct st_thread *th, const struct st_thread *parent,
                        int64_t sequence, int64_t turns)
{
	for (uint32_t i = 0; i < parent->marks.count; i++)
		if (parent->marks.items[i]->from_sequence <= sequence)
			*(struct st_mark *)rec_list_add(w->mem, &th->marks, &st_mark_desc) =
				*parent->marks.items[i];
	keep_marks(th, sequence, turns);
	for (uint32_t i = 0; i < parent->history.count; i++)
		if (parent->history.items[i]->to_sequence <= sequence)
			rec_keep(w->mem, &st_history_desc,
			         rec_list_add(w->mem, &th->history, &st_history_desc),
			         parent->history.items[i]);
	th->cut_through = MIN(parent->cut_through, sequence);
}
