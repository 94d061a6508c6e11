#ifndef ENGINE_NODES_NODES_H
#define ENGINE_NODES_NODES_H
/*
 * What the engine does when several nodes share its store: it takes the store's reports.
 *
 * Nothing here decides who owns a session; ports/store_nodes.h does.
 */
#include "engine/jobs/job_worker.h"
#include "engine/listeners.h"
#include "engine/nodes/node_handover.h"
#include "engine/nodes/node_job.h"
#include "engine/nodes/node_limits.h"
#include "engine/nodes/node_place.h"
#include "engine/nodes/node_rev.h"
#include "engine/nodes/node_system.h"
#include "base/list.h"
#include "ports/clock.h"
#include "ports/control.h"

struct nodes {
	struct engine *engine;
	struct clock_timer tick;
	int64_t moved_ms; /* mono; others wrote something; 0: never */
	struct node_system system;
	struct node_handover handover;
	struct node_limits limits;
	struct node_jobs jobs;
	struct job_workers workers;
	struct node_place place;
	struct node_rev rev;
	struct list shares;    /* struct node_share */
	struct list spreading; /* struct request: what it changed is not known to all nodes yet */
	uint64_t spread_to; /* the last event of the system session that one of them waited for */
	uint64_t all_seen;  /* up to here no request waits: all living nodes have seen it */
};

/*
 * The wall clock is that of the store from now on, which all nodes share, whatever the clocks of their
 * machines are set to.  Before the first time is read.
 */
void nodes_follow_clock(struct engine *e);
/* Before the first poll of the store.  Does nothing for a store of one node. */
void nodes_init(struct engine *e);
/* Commands are accepted. */
void nodes_start(struct engine *e);
void nodes_free(struct engine *e);
/* control_ops.owns */
bool nodes_owns(struct control *c, struct str session);

#endif
