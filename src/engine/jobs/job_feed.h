#ifndef ENGINE_JOBS_JOB_FEED_H
#define ENGINE_JOBS_JOB_FEED_H
/*
 * Jobs: starts items as fast as the limits allow.
 *
 * Other nodes may take items, too (nodes/node_job.h).  This one then leaves them
 * their share: a node counts that has asked for an item a moment ago, and at first any that lives.
 */
#include "engine/engine_state.h"

void job_feed_run(struct session *s);
void job_feed_load(struct session *s, enum load_phase phase);
void job_feed_forget(struct session *s);
/* Counts the items behind a ref first, and notes which node asks for one. */
bool job_feed_gather(struct request *r);

#endif
