#ifndef TESTS_INVARIANTS_INT_H
#define TESTS_INVARIANTS_INT_H
/* Shared by the invariants_*.c files only. */
#include "invariants.h"

#include "base/map.h"
#include "schema/schema.h"
#include "core/state.h"

enum invariant_schema {
	INVARIANT_SCHEMA_PUBLIC,  /* the standard's; NULL when it is not here */
	INVARIANT_SCHEMA_PROFILE, /* likewise */
	INVARIANT_SCHEMA_OWN,     /* generated from the catalogue */
	INVARIANT_SCHEMAS
};

struct invariants {
	struct schema_set *set;
	struct schema *event[INVARIANT_SCHEMAS], *snapshot[INVARIANT_SCHEMAS];
	struct schema *class[EV_COUNT]; /* what the catalogue's schema adds for one class */
	int branch[EV_COUNT];           /* where that is, from 1 */
	struct arena *mem;              /* one check */
	bool is_foreign;
};

enum thing_kind {
	THING_THREAD,
	THING_TURN,
	THING_TASK,
	THING_RUN,
	THING_TOOL,
	THING_PROCESS,
	THING_REQUEST,
	THING_ACTION,
	THING_STEP,
	THING_JOB,
	THING_ITEM,
	THING_CHILD,
	THING_KINDS
};

/* Whatever has an id, a beginning and perhaps an end. */
struct thing {
	struct thing *next; /* of all of its kind, newest first */
	enum thing_kind kind;
	struct str id;
	bool has_begun;
	enum event_type end; /* 0: open */
	struct thing *turn;  /* that it belongs to, or NULL */

	/* turn */
	struct thing *thread, *merges_into;
	bool is_queued, has_started, was_queued, is_system;
	int64_t items;
	int64_t spent_usd, input_tokens, output_tokens; /* by cost.recorded */
	bool is_cost_unknown;
	bool waits;   /* run.status says for what */
	bool is_lost; /* resume_required, no new run since */
	/* task */
	bool is_implicit; /* lives and dies with its turn */
	bool is_parked;   /* it waits for something that an event names */
	enum task_status status;
	struct thing *above, *run;  /* its parent; the run that was begun last */
	bool is_cancelled, spreads; /* the intent is recorded and applies to all descendants */
	/* job */
	int64_t completed, failed;
	/* item; it runs: is_dispatched, its last attempt: index */
	bool has_output, has_failed;
	/* thread */
	struct list_str order;
	bool is_held;
	/* tool */
	enum approval_decision decision; /* the last word */
	bool is_dispatched, asks_user;
	/* process */
	bool is_background; /* it may outlive its turn */
	/* request */
	bool is_estimated;
	unsigned recorded;
	struct thing *reasoning; /* the open step of reasoning */
	/* action */
	bool has_deadline;
	/* step */
	int64_t index, bytes;
	bool has_ended;
};

struct invariant_log {
	struct invariants *invariants;
	struct arena *mem;
	struct state *state;
	struct map things, event_ids;
	struct thing *all[THING_KINDS];
	struct str *lines;
	struct event **events;
	size_t count, cap;
	int64_t time;
	struct sha256 hash;
	bool is_broken;
	bool has_room; /* for a task, as far as other sessions go */
};

/* Says what is wrong, with the place, and returns false. */
bool invariant_broken(struct invariant_log *g, const struct event *ev, struct error *e,
                      const char *fmt, ...) PRINTF_LIKE(4, 5);

/* NULL if no event named that id. */
struct thing *invariant_find(const struct invariant_log *g, enum thing_kind kind, struct str id);

/* The same, made when it is not there; NULL: there is no id. */
struct thing *invariant_thing(struct invariant_log *g, enum thing_kind kind, struct str id);

bool invariant_order(struct invariant_log *g, const struct event *ev, struct error *e) MUST_USE;
/* invariants_work.c: tasks, jobs, child agents. */
bool invariant_work(struct invariant_log *g, const struct event *ev, struct error *e) MUST_USE;
bool invariant_work_rests(struct invariant_log *g, enum invariant_rest how,
                          struct error *e) MUST_USE;

/* Against one of the pairs above. */
bool invariants_valid(struct invariants *l, struct schema *const schemas[INVARIANT_SCHEMAS],
                      struct json value, struct str *ret_why);
bool invariants_without_null(struct arena *mem, struct json v, struct str path,
                             struct str *ret_where);

#endif
