#ifndef TESTS_LAWS_INT_H
#define TESTS_LAWS_INT_H
/* Shared by the laws_*.c files and nobody else. */
#include "laws.h"

#include "base/map.h"
#include "schema/schema.h"
#include "core/world.h"

enum law_schema {
	LAW_SCHEMA_PUBLIC,  /* the standard's; NULL when it is not here */
	LAW_SCHEMA_PROFILE, /* likewise */
	LAW_SCHEMA_OWN,     /* generated from the catalogue */
	LAW_SCHEMAS
};

struct laws {
	struct schema_set *set;
	struct schema *event[LAW_SCHEMAS], *snapshot[LAW_SCHEMAS];
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
	bool waits;   /* run.status said for what */
	bool is_lost; /* resume_required, no new run since */
	/* task */
	bool is_implicit; /* lives and dies with its turn */
	bool is_parked;   /* it waits for something that was said */
	enum task_status status;
	struct thing *above, *run;  /* its parent; the run that was begun last */
	bool is_cancelled, spreads; /* the intent stands, and goes for all below it */
	/* job */
	int64_t completed, failed;
	/* item; it runs: is_dispatched, its last attempt: index */
	bool has_output, has_failed;
	/* thread */
	struct list_str order;
	bool is_held;
	/* tool */
	enum decision decision; /* the last word */
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

struct law_log {
	struct laws *laws;
	struct arena *mem;
	struct world *world;
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
bool law_broken(struct law_log *g, const struct event *ev, struct error *e, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* NULL when nothing of that id was heard of. */
struct thing *law_find(const struct law_log *g, enum thing_kind kind, struct str id);

/* The same, made when it is not there; NULL: there is no id. */
struct thing *law_thing(struct law_log *g, enum thing_kind kind, struct str id);

bool law_order(struct law_log *g, const struct event *ev, struct error *e) MUST_USE;
/* laws_work.c: tasks, jobs, child agents. */
bool law_work(struct law_log *g, const struct event *ev, struct error *e) MUST_USE;
bool law_work_rests(struct law_log *g, enum law_rest how, struct error *e) MUST_USE;

/* Against one of the pairs above. */
bool laws_valid(struct laws *l, struct schema *const schemas[LAW_SCHEMAS], struct json value,
                struct str *ret_why);
bool laws_without_null(struct arena *mem, struct json v, struct str path, struct str *ret_where);

#endif
