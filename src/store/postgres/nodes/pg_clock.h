#ifndef STORE_POSTGRES_NODES_PG_CLOCK_H
#define STORE_POSTGRES_NODES_PG_CLOCK_H
/*
 * The difference between the server's clock and the boot clock of this machine, from answers of the
 * server.
 */
#include "base/util.h"

/* The server read its clock between the two times of the boot clock; all in whole milliseconds, cut. */
struct pg_clock_answer {
	int64_t sent_ms, received_ms, server_ms;
};

/* Nothing is known yet: the middle of what the answer allows. */
int64_t pg_clock_first(const struct pg_clock_answer *a);
/* What is known, moved only as far as the answer proves it wrong: a slow answer proves little. */
int64_t pg_clock_next(int64_t known, const struct pg_clock_answer *a);

#endif
