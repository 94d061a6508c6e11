#ifndef ENGINE_QUERY_USAGE_SUM_H
#define ENGINE_QUERY_USAGE_SUM_H
/*
 * Sums of the hours of many sessions, by hour, day, model, caller or session:
 * the reply of get_usage.
 */
#include "base/jw.h"
#include "base/map.h"
#include "core/usage/usage.h"

struct usage_sum {
	struct str key;
	struct st_usage counts; /* without lists */
	struct st_usage_model cost;
	struct usage_histogram first_delta, turns;
};

struct usage_sums {
	struct arena *mem; /* of sums and keys */
	enum usage_group by;
	struct map by_key;   /* struct usage_sum */
	struct map sessions; /* those with any use */
	struct usage_sum total;
};

/* mem is the caller's; usage_sum_done() frees the maps. */
void usage_sum_init(struct usage_sums *s, struct arena *mem, enum usage_group by);
void usage_sum_done(struct usage_sums *s);

void usage_sum_add(struct usage_sums *s, struct str session, struct str tenant,
                   const struct st_usage *hour);
/* Members rows, omitted, total and sessions of the reply. */
void usage_sum_write(struct usage_sums *s, size_t limit, struct json_writer *w);

#endif
