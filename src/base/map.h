#ifndef BASE_MAP_H
#define BASE_MAP_H
/*
 * A hash map from string to pointer (open addressing, linear probing).
 * Keys are borrowed: they must live as long as their entry.  The map owns
 * its table only.
 */
#include "base/str.h"

struct map_slot {
	struct str key; /* absent: free */
	void *value;
};

struct map {
	struct map_slot *slots;
	size_t count;
	size_t cap; /* power of two or 0 */
};

void map_done(struct map *m);
void *map_get(const struct map *m, struct str key); /* NULL when absent */
/* Returns the value that was there before, or NULL; its key is replaced too.  value is not NULL. */
void *map_put(struct map *m, struct str key, void *value);
/* Returns what was removed, or NULL. */
void *map_remove(struct map *m, struct str key);
/* Walk: for (size_t i = 0; map_next(&m, &i, &slot);) ...  No put or remove meanwhile. */
bool map_next(const struct map *m, size_t *at, struct map_slot **ret_slot);

#endif
