/* What an answer of the server says about its clock. */
#include "store/postgres/nodes/pg_clock.h"

/* One more on each side, because all times are cut. */
static int64_t least_of(const struct pg_clock_answer *a)
{
	return a->server_ms - a->received_ms - 1;
}

static int64_t most_of(const struct pg_clock_answer *a)
{
	return a->server_ms - a->sent_ms + 1;
}

int64_t pg_clock_first(const struct pg_clock_answer *a)
{
	return least_of(a) + (most_of(a) - least_of(a)) / 2;
}

int64_t pg_clock_next(int64_t known, const struct pg_clock_answer *a)
{
	return MIN(MAX(known, least_of(a)), most_of(a));
}
