#ifndef ENGINE_EFFECTS_JOB_FEED_H
#define ENGINE_EFFECTS_JOB_FEED_H
/*
 * Jobs: items are begun as fast as there is room for them.
 */
#include "engine/engine_state.h"

void job_feed_run(struct session *s);
void job_feed_load(struct session *s, enum load_phase phase);
void job_feed_forget(struct session *s);
/* The items behind a ref are counted first. */
bool job_feed_gather(struct request *r);

#endif
