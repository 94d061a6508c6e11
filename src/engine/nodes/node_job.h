#ifndef ENGINE_NODES_NODE_JOB_H
#define ENGINE_NODES_NODE_JOB_H
/*
 * Works on items of jobs that another node owns (core/job/job_work.h).
 *
 *   an offer in the store ──► take_job_item ──► its text is read ──► work_job_item
 *            ▲                     │ not now                             │
 *            └── a second later ◄──┘                                     ▼
 *                     the next one ◄── end_job_item ◄── its turn has ended, heartbeats until then
 *
 * All of this is in memory.  A node that ends says nothing: the owner of the job sees that it has
 * ended (jobs/job_worker.h), and the job tries the items again.  The session in which it worked may be
 * loaded later, here or elsewhere; then its turns end, because no one waits for them.
 */
#include "engine/session/session.h"
#include "base/list.h"
#include "ports/store_read.h"

struct node_jobs {
	struct clock_timer timer;
	struct store_read read;
	struct list helps; /* struct help */
	size_t items;      /* that this node has taken */
	unsigned pass;     /* through the offers */
	struct arena *page;
	struct str from_key; /* where the next page begins, in `page` */
	int64_t from_at;
	bool is_due, is_reading;
};

void node_job_init(struct engine *e);
void node_job_free(struct engine *e);
/* Others have written, or this node begins: looks for offers. */
void node_job_look(struct engine *e);
/* Listeners: a turn may have ended; one that was loaded is waited for by no one. */
void node_job_durable(struct session *s);
void node_job_load(struct session *s, enum load_phase phase);

#endif
