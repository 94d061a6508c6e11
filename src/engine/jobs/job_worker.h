#ifndef ENGINE_JOBS_JOB_WORKER_H
#define ENGINE_JOBS_JOB_WORKER_H
/*
 * Items of a job that were at a node which has ended are tried again soon.
 *
 *   a node has ended, or a session with such items was loaded ──► list of nodes
 *   every few seconds while there are such items ──────────────►      │
 *                                                                     │
 *   job.item.failed: worker_lost ◄── its worker is an ended start ◄───┘
 *
 * Without this the lease of each item would have to run out first, and it begins again whenever the
 * job's session comes to another node.
 */
#include "engine/session/session.h"
#include "ports/store_nodes.h"

struct job_workers {
	struct store_nodes_read list;
	struct clock_timer timer;
	unsigned ticks;
	bool is_due, is_reading;
	bool is_wanted; /* once more, when the list under way has been read */
};

void job_worker_look(struct engine *e);
/* Of the engine's nodes: about once a second. */
void job_worker_tick(struct engine *e);
/* Listener. */
void job_worker_load(struct session *s, enum load_phase phase);
void job_worker_free(struct engine *e);

#endif
