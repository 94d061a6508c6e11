#ifndef PORTS_CONTROL_METRIC_H
#define PORTS_CONTROL_METRIC_H
/* Figures of the runtime, as control.metrics() returns them. */
#include "base/str.h"
#include "catalog/gen/metrics.h"

/* One line of figures of a metric: with these label values. */
struct control_series {
	struct str labels[METRIC_LABELS_MAX];
	uint64_t buckets[METRIC_BOUNDS_MAX + 1]; /* of a histogram; the last: above all bounds */
	uint64_t count;
	double sum; /* of a counter: its value */
	/* The newest measurement of a traced turn; trace_id is empty: none. */
	char trace_id[33];
	double example;
	int64_t example_at_ms;
};

struct control_metric {
	const struct metric_info *info;
	const struct control_series *series;
	size_t count;
};

#endif
