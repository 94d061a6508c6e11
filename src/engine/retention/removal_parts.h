#ifndef ENGINE_RETENTION_REMOVAL_PARTS_H
#define ENGINE_RETENTION_REMOVAL_PARTS_H
/* Private to the files removal*.c. */
#include "engine/retention/removal.h"

#define REMOVAL_PAGE 64 /* sessions that the rule deletes before what they left is removed */

struct removals {
	/* removal_sweep.c */
	struct store_maintenance step;
	struct blob_read probe;   /* behind the removal of files */
	struct arena *refs_mem;   /* of step.refs */
	struct clock_timer pause; /* between two steps */
	bool is_sweeping;
	bool wants_sweep;                /* something was deleted since the step began */
	void (*swept)(struct engine *e); /* nothing is left; NULL: it is of no interest */
	/* A deletion by rule has ended. */
	void (*ended)(struct engine *e);
	/* removal_rule.c */
	struct store_read read;
	struct clock_timer next; /* the next session of the page */
	struct arena *mem;       /* of the page */
	struct str ids[REMOVAL_PAGE];
	size_t count, at;
	int64_t from_at;
	struct str from_key;  /* absent: the page is the last */
	bool is_by_rule;      /* a round is in progress, */
	bool waits_for_sweep; /* and its page is done */
};

/* The one struct; made at its first use. */
struct removals *removal_sweep_state(struct engine *e);

/* removal.c: deletes a session by rule; calls `ended`. */
void removal_start(struct engine *e, struct str session, int64_t days);

#endif
