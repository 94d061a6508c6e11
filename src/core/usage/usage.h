#ifndef CORE_USAGE_USAGE_H
#define CORE_USAGE_USAGE_H
/*
 * What a session used in one hour, and the sums over many of them.
 *
 * Durations are counted in buckets whose bounds are fixed, so that the counts of
 * all sessions can be added and a quantile read from the sum.  It is as exact as
 * a bucket is wide: less than half of its value.
 */
#include "core/state.h"

#define USAGE_HOUR_MS 3600000
/* Models of one session in one hour; further ones are counted together as "other". */
#define USAGE_MODELS_MAX 32

/* Upper bounds in ms, ascending; the last has none and is INT64_MAX. */
#define USAGE_BUCKETS 44
int64_t usage_bucket_bound(size_t i);
size_t usage_bucket_of(int64_t ms);

struct usage_histogram {
	int64_t counts[USAGE_BUCKETS];
	int64_t total;
};
/* more may be NULL. */
void usage_histogram_add(struct usage_histogram *h, const struct st_usage_durations *more);
/* The value that `percent` of all are at most, read between the bounds of its bucket; -1: none. */
int64_t usage_histogram_quantile(const struct usage_histogram *h, int percent);

#endif
