#ifndef ENGINE_RESOURCES_METRICS_H
#define ENGINE_RESOURCES_METRICS_H
/*
 * Figures of the runtime since its start: how long things take, and how often
 * they happen (catalog/metrics.json).
 *
 * They are counted when an event is applied, from its fields and the state
 * before it, so nothing is parsed for them.  A metric has at most METRIC_SERIES_MAX
 * combinations of label values, because models and tool servers choose some of
 * them; further ones are counted as "other".
 */
#include "ports/control.h"

#define METRIC_SERIES_MAX 200u

struct engine;
struct session;
struct event;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m); /* NULL is fine */

/* Listeners, and the reader of ports/control.h. */
void metrics_fold(struct session *s, const struct event *ev);
void metrics_batch_done(struct engine *e, const struct error *why);
void metrics_refused(struct engine *e, enum error_code code);
/* A command took effect; it arrived at this moment of the monotonic clock. */
void metrics_answered(struct engine *e, enum command command, int64_t began_ms);
/* A command was sent to the node that owns its session at this moment of the monotonic clock. */
void metrics_forwarded(struct engine *e, const char *outcome, int64_t began_ms);
/* A session was claimed, of a node that had ended or of none. */
void metrics_claimed(struct engine *e, bool is_orphan);
void metrics_read(struct control *c, struct control_metric ret[METRIC_COUNT]);

#endif
