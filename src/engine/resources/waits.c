/* Entries of sessions that wait (waits.h). */
#include "engine/resources/waits.h"

#include "base/map.h"
#include "base/memory.h"
#include "engine/engine_state.h"

struct waits {
	struct map sessions; /* struct entry, by id */
};

/* Most sessions wait for one thing, so only what there is is kept. */
struct entry {
	struct str id; /* behind the sums */
	size_t count;
	struct {
		size_t kind;
		struct wait_sum sum;
	} items[];
};

struct waits *waits_new(void)
{
	return memory_zeroed(1, sizeof(struct waits));
}

void waits_free(struct waits *w)
{
	struct map_slot *slot;

	if (!w)
		return;
	for (size_t i = 0; map_next(&w->sessions, &i, &slot);)
		memory_free(slot->value);
	map_done(&w->sessions);
	memory_free(w);
}

static struct entry *entry_new(struct str id, const struct wait_sum *sums, size_t count)
{
	struct entry *e = memory_zeroed(1, sizeof *e + count * sizeof *e->items + id.len);
	char *text = (char *)&e->items[count];

	memcpy(text, id.ptr, id.len);
	e->id = str_of(text, id.len);
	for (size_t kind = 0; kind < WAIT_SUMS_COUNT; kind++)
		if (sums[kind].count) {
			e->items[e->count].kind = kind;
			e->items[e->count++].sum = sums[kind];
		}
	return e;
}

static void update(struct session *s)
{
	struct wait_sum sums[WAIT_SUMS_COUNT] = { 0 };
	struct map *m = &s->engine->waits->sessions;
	struct entry *e;
	size_t count = 0;

	wait_sums_add(s->state, sums);
	for (size_t i = 0; i < WAIT_SUMS_COUNT; i++)
		count += sums[i].count > 0;
	memory_free(map_remove(m, s->id));
	if (!count)
		return;
	e = entry_new(s->id, sums, count);
	map_put(m, e->id, e);
}

/* Pieces of responses and outputs are most events and begin or end no wait. */
void waits_folded(struct session *s, const struct event *ev)
{
	if (ev->type != EV_MODEL_DELTA && ev->type != EV_PROCESS_OUTPUT)
		s->has_new_waits = true;
}

void waits_settled(struct session *s)
{
	if (s->has_new_waits)
		update(s);
	s->has_new_waits = false;
}

void waits_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_READ)
		update(s);
}

void waits_sum(const struct waits *w, struct wait_sum *ret)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&w->sessions, &i, &slot);) {
		const struct entry *e = slot->value;

		for (size_t n = 0; n < e->count; n++) {
			struct wait_sum *to = &ret[e->items[n].kind];
			int64_t since = e->items[n].sum.since;

			to->count += e->items[n].sum.count;
			if (!to->since || (since && since < to->since))
				to->since = since;
		}
	}
}
