#ifndef TELEMETRY_METRICS_H
#define TELEMETRY_METRICS_H
/* Sends the sums of the engine to the collector, at intervals (telemetry.h). */
#include "telemetry/telemetry.h"

struct telemetry_metrics;

/* The options live longer.  start_ms: since when the sums count. */
struct telemetry_metrics *telemetry_metrics_new(const struct telemetry_options *o,
                                                int64_t start_ms);
void telemetry_metrics_free(struct telemetry_metrics *m); /* NULL is fine */

#endif
