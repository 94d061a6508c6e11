/*
 * The hash map: open addressing with linear probing.  Removing an entry moves
 * later ones back, so that no tombstones are needed.
 */
#include "base/map.h"

#include "base/arena.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define SMALLEST 8

void map_done(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

static size_t home_of(const struct map *m, struct str key)
{
	return str_hash(key) & (m->cap - 1);
}

static size_t after(const struct map *m, size_t i)
{
	return (i + 1) & (m->cap - 1);
}

/* The slot of key, or the free one where it would go.  There is always a free one. */
static struct map_slot *slot_of(const struct map *m, struct str key)
{
	size_t i = home_of(m, key);

	while (str_is(m->slots[i].key) && !str_eq(m->slots[i].key, key))
		i = after(m, i);
	return &m->slots[i];
}

/* At three quarters full; linear probing gets slow beyond that, and one slot always stays free. */
static void grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? 2 * old.cap : SMALLEST;
	m->slots = memory_zeroed(m->cap, sizeof *m->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (str_is(old.slots[i].key))
			*slot_of(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void *map_get(const struct map *m, struct str key)
{
	if (!m->count || !str_is(key))
		return NULL;
	return slot_of(m, key)->value;
}

void *map_put(struct map *m, struct str key, void *value)
{
	assert(str_is(key) && value);
	if (m->count >= m->cap - m->cap / 4)
		grow(m);

	struct map_slot *slot = slot_of(m, key);
	void *before = slot->value;

	m->count += !before;
	/* the key too: the old one may go away together with the old value */
	*slot = (struct map_slot){ key, value };
	return before;
}

void *map_remove(struct map *m, struct str key)
{
	if (!m->count || !str_is(key))
		return NULL;

	struct map_slot *slot = slot_of(m, key);
	void *removed = slot->value;

	if (!removed)
		return NULL;

	/* Entries that probed past the hole move back into it, so that no search stops early. */
	size_t hole = (size_t)(slot - m->slots);

	for (size_t i = after(m, hole); str_is(m->slots[i].key); i = after(m, i)) {
		size_t home = home_of(m, m->slots[i].key);
		size_t pushed = (i - home) & (m->cap - 1);
		size_t gap = (i - hole) & (m->cap - 1);

		if (pushed >= gap) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole] = (struct map_slot){ 0 };
	m->count--;
	return removed;
}

bool map_next(const struct map *m, size_t *at, struct map_slot **ret_slot)
{
	while (*at < m->cap) {
		struct map_slot *slot = &m->slots[(*at)++];

		if (str_is(slot->key)) {
			*ret_slot = slot;
			return true;
		}
	}
	return false;
}
