#ifndef ENGINE_REQUEST_REQUEST_H
#define ENGINE_REQUEST_REQUEST_H
/*
 * A request: one command of a caller, or a job of the engine itself, on its
 * way to a decision and back.
 *
 *   KEY ──► IDS ──► SESSION ──► GATHER ──► DECIDE ──► answered
 *    │       │         │           │          │           ▲
 *    │       │         │           │          └─ waits until it is durable
 *    │       │         │           └─ reads what the decision needs, step by
 *    │       │         │              step; a query is answered here
 *    │       │         └─ waits until it is loaded
 *    │       └─ waits for another request with the same id
 *    └─ waits for the first one with the same key, and gets its answer
 *
 * A state returns false when it is passed.  True means that the request waits,
 * was answered or was handed over: then it must not be touched any more.
 * Whoever it waits for calls one of request_continue() (the state is tried
 * again), request_next() (the state is passed) and request_restart() (from
 * SESSION, because the session may have left memory meanwhile).
 *
 * Requests live on the loop.  Each has an arena, freed with the answer.
 */
#include "core/decide.h"
#include "engine/session/session.h"
#include "ports/blob.h"
#include "ports/control.h"
#include "ports/store.h"

enum request_state {
	REQUEST_KEY,     /* was this idempotency key given before? (idempotency.c) */
	REQUEST_IDS,     /* are the ids that the caller brings free? (caller_ids.c) */
	REQUEST_SESSION, /* its session is found, loaded or made */
	REQUEST_GATHER,  /* the steps of struct request_hooks, one after the other */
	REQUEST_DECIDE,
	REQUEST_STATE_COUNT,
};

/* The answer, once there is one: an error code with its detail, or a reply. */
struct request_answer {
	enum error_code code;
	struct str detail, extra, reply;
	int http; /* 0: 200, or that of the code */
	bool is_replay;
};

/* The caller's idempotency key; text is absent without one. */
struct request_key {
	struct sha256 hash, body;
	struct str text;
	struct list joined; /* struct request: with the same key, came meanwhile */
};

#define REQUEST_IDS_MAX 3

/* Ids that the caller brought: none of them may be taken. */
struct request_ids {
	struct str ids[REQUEST_IDS_MAX];
	const char *kinds[REQUEST_IDS_MAX];
	bool is_held[REQUEST_IDS_MAX]; /* nobody else may bring it until this one is answered */
	size_t count, at;
	struct list behind; /* struct request: bring one that is held here */
};

/* What was read for the decision. */
struct request_found {
	struct str looked[LIMIT_TASK_DEPTH + 3]; /* tasks that were looked for in their rows */
	const struct st_task *tasks[LIMIT_TASK_DEPTH + 3];
	size_t looked_count, task_count;
	struct str foreign; /* one that is in another session */
	const struct rec_job_item *item;
	int64_t item_count; /* of the job to be made */
	const struct history_point *point;
	const struct context_picture *picture;
	int64_t directory_wait_ms; /* until its directory is asked for again */
	bool is_item_read, is_point_read, is_counted;
};

/* A job of the engine itself, on a session.  s is NULL when there is none. */
struct request_job {
	void (*run)(struct session *s, void *arg);
	void *arg;
};

struct request {
	struct list node; /* in the list where it waits */
	struct list all;  /* in the engine */
	struct engine *engine;
	struct arena *mem;
	struct control_call *call; /* NULL: the caller has left */
	struct caller caller;
	struct command_call command;
	void *args;
	enum request_state state;
	size_t step; /* of REQUEST_GATHER */
	struct session *session;
	struct str session_id; /* wanted */
	bool makes_session;
	struct session_waiter waiter;
	struct request_key key;
	struct request_ids ids;
	struct request_found found;
	struct request_answer response;
	struct request_job job;
	struct store_read read;
	struct blob_read blob_read;
	struct clock_timer timer;
	void (*then)(struct request *r); /* instead of the answer, when it is durable */
	void *work;                      /* of the file that handles its command, in mem */
	void (*work_done)(void *work);   /* frees what is not in mem; NULL: nothing */
};

/* What files above this one do for requests; the table is in listeners.c. */
struct request_hooks {
	/* The steps of REQUEST_GATHER, as states; ends with NULL. */
	bool (*const *gather)(struct request *r);
	/* Leads a command that names no session to one; a state. */
	bool (*route)(struct request *r);
	/* Right before the decision; false: it was refused by request_fail(). */
	bool (*admit)(struct request *r);
	/* After the decision; `refused` are called until one takes the request. */
	void (*const *accepted)(struct request *r);
	bool (*const *refused)(struct request *r);
};

extern const struct request_hooks listeners_request_hooks;

/* ---- the port ---- */

void request_call(struct control *c, struct control_call *call);
void request_forget_call(struct control *c, struct control_call *call);
/* What came before the runtime was ready starts, in order. */
void request_start_early(struct engine *e);
void request_free_all(struct engine *e);

/* ---- called when what a request waits for has come ---- */

void request_continue(struct request *r);
void request_next(struct request *r);
void request_restart(struct request *r);

void request_fail(struct request *r, enum error_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The answer is given now; the request is gone. */
void request_reply(struct request *r);
/* The same when its session is durable as far as it is applied; or `then`, if that is set. */
void request_wait(struct request *r);
/* Tries its state again when its session is durable as far as it is applied. */
void request_wait_durable(struct request *r);
/* Adds the session's sequence to an accepted reply, and keeps it under the caller's key. */
void request_keep(struct request *r);
/* A read of the store failed: neither found nor missing.  True: it was answered so. */
bool request_read_failed(struct store_read *read);

/* A member of the command's arguments by its name; absent: it has none. */
struct str request_arg(const struct request *r, const char *name);

/* The request reads from the store and comes back to its session: that stays until then. */
void request_hold(struct request *r);
/* Back: true when the session was dropped meanwhile, and the request was answered so. */
bool request_lost_session(struct store_read *read);

/* ---- requests of the engine itself ---- */

/* Runs a job on a session, which is loaded or made when need be. */
void request_job(struct engine *e, struct str session_id, bool makes_session,
                 void (*run)(struct session *s, void *arg), void *arg);
/* Not before the runtime is ready: what was lost is recorded first. */
void request_job_late(struct engine *e, struct str session_id, bool makes_session,
                      void (*run)(struct session *s, void *arg), void *arg);
/* A command of the runtime itself, without its arguments; request_restart() sends it off. */
struct request *request_own(struct engine *e, struct str session_id, enum command command);

/* ---- idempotency.c, caller_ids.c: states ---- */

/* spec: contracts/control-plane#idempotency — keys are per principal and command. */
void idempotency_take(struct request *r, struct str key);
bool idempotency_check(struct request *r);
/* Those with the same key that came meanwhile get the same answer. */
void idempotency_answered(struct request *r);
void idempotency_keep(struct request *r);

/* False: one of them is reserved, and the request was refused. */
bool caller_ids_take(struct request *r);
bool caller_ids_check(struct request *r);
void caller_ids_release(struct request *r);

#endif
