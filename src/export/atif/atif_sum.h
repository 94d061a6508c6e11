#ifndef EXPORT_ATIF_SUM_H
#define EXPORT_ATIF_SUM_H
/* Tokens and cost of a step, of a trajectory, or of one request. */
#include "base/jw.h"

struct atif_sum {
	int64_t prompt, completion, cached, reasoning; /* tokens; prompt includes cached */
	int64_t cost_nano;
	int64_t requests;
	int64_t unpriced, uncounted; /* requests without a price, without tokens */
};

void atif_sum_add(struct atif_sum *s, const struct atif_sum *more);
/* One cost.recorded. */
struct atif_sum atif_sum_of(struct json ev);
/* The members "metrics" and "final_metrics". */
void atif_sum_write(struct json_writer *w, const struct atif_sum *s);
void atif_sum_write_final(struct json_writer *w, const struct atif_sum *s, int64_t steps);

#endif
