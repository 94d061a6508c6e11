/* Buckets of durations, and quantiles from their counts. */
#include "core/usage/usage.h"

/* Six per factor of ten, from a millisecond to an hour and beyond. */
static const int64_t steps[] = { 10, 15, 20, 30, 50, 70 };

int64_t usage_bucket_bound(size_t i)
{
	int64_t scale = 1;

	if (i >= USAGE_BUCKETS - 1)
		return INT64_MAX;
	for (size_t n = i / COUNT_OF(steps); n > 0; n--)
		scale *= 10;
	return steps[i % COUNT_OF(steps)] * scale / 10;
}

size_t usage_bucket_of(int64_t ms)
{
	size_t i = 0;

	while (ms > usage_bucket_bound(i))
		i++;
	return i;
}

/* A bound that this version does not have is counted in the bucket that holds it. */
void usage_histogram_add(struct usage_histogram *h, const struct st_usage_durations *more)
{
	for (uint32_t i = 0; more && i < more->buckets.count; i++) {
		const struct st_usage_bucket *b = more->buckets.items[i];

		h->counts[usage_bucket_of(b->up_to_ms)] += b->count;
		h->total += b->count;
	}
}

/* Values are taken as spread evenly over their bucket; the last one has only a lower bound. */
static int64_t between(size_t i, int64_t rank, int64_t count)
{
	int64_t low = i ? usage_bucket_bound(i - 1) : 0, high = usage_bucket_bound(i);

	return high == INT64_MAX ? low : low + (high - low) * rank / count;
}

int64_t usage_histogram_quantile(const struct usage_histogram *h, int percent)
{
	int64_t rank = (h->total * percent + 99) / 100;

	if (rank < 1)
		rank = 1;
	for (size_t i = 0; i < USAGE_BUCKETS; i++) {
		if (rank <= h->counts[i])
			return between(i, rank, h->counts[i]);
		rank -= h->counts[i];
	}
	return -1;
}
