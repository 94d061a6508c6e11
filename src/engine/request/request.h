#ifndef ENGINE_REQUEST_REQUEST_H
#define ENGINE_REQUEST_REQUEST_H
/*
 * A request: one command of a caller, or a job of the engine itself, from
 * arrival to reply.
 *
 *   KEY ──► IDS ──► SESSION ──► GATHER ──► DECIDE ──► answered
 *    │       │         │           │          │           ▲
 *    │       │         │           │          └─ waits until it is durable
 *    │       │         │           └─ reads what the decision needs, step by
 *    │       │         │              step; a query is answered here
 *    │       │         └─ waits until it is loaded
 *    │       └─ waits for another request with the same id
 *    └─ waits for the first one with the same key, and gets its reply
 *
 * A state returns false when it is passed.  True means that the request waits,
 * was answered or has another owner: the caller must not touch it any more.  The
 * code that ends its wait calls one of request_continue() (tries the state
 * again), request_next() (passes the state) and request_restart() (starts from
 * SESSION, because the session may have left memory in between).
 *
 * Requests live on the loop thread.  Each has an arena, freed with the reply.
 */
#include "core/decide.h"
#include "engine/request/request_hooks.h"
#include "engine/session/session.h"
#include "ports/blob.h"
#include "ports/control.h"
#include "ports/store.h"

enum request_state {
	REQUEST_KEY,     /* was this idempotency key used before? (idempotency.c) */
	REQUEST_IDS,     /* are the caller's ids free? (caller_ids.c) */
	REQUEST_SESSION, /* finds, loads or creates its session */
	REQUEST_GATHER,  /* the steps of struct request_hooks, one after the other */
	REQUEST_DECIDE,
	REQUEST_STATE_COUNT,
};

/* The reply: an error code with its detail, or an object. */
struct request_answer {
	enum error_code code;
	struct str detail, extra, reply;
	int http;       /* 0: 200, or that of the code */
	bool is_replay; /* the reply was stored by an earlier request with the same key */
	bool is_final;  /* another node answered: `reply` is the body, whatever the code is */
	int64_t retry_after_ms; /* 0: the usual */
};

/* The caller's idempotency key; text is absent without one. */
struct request_key {
	struct sha256 hash, body; /* of principal, command and key; of the canonical arguments */
	struct str text;
	struct str given;   /* beside the arguments, as the caller wrote it; or absent */
	size_t body_bytes;  /* of the canonical arguments */
	struct list joined; /* struct request: later ones with the same key */
};

#define REQUEST_IDS_MAX 4 /* ids that the caller chose: none of them may exist */
struct request_ids {
	struct str ids[REQUEST_IDS_MAX];
	const char *kinds[REQUEST_IDS_MAX];
	bool is_held[REQUEST_IDS_MAX]; /* other requests with it wait until this one is answered */
	size_t count, at;              /* at: the one that is being checked */
	struct list behind;            /* struct request: wait for an id that is held here */
};

/* What was read for the decision. */
struct request_found {
	struct str looked[LIMIT_TASK_DEPTH + 3]; /* tasks that were searched in their rows */
	const struct st_task *tasks[LIMIT_TASK_DEPTH + 3];
	size_t looked_count, task_count;
	struct str foreign; /* a task in another session */
	const struct rec_job_item *item;
	int64_t item_count; /* of the job to create */
	const struct history_point *point;
	const struct context_picture *picture;
	int64_t directory_wait_ms; /* until its directory is checked again */
	struct reach_refs *refs;   /* outputs that its arguments name; NULL: not to be looked up */
	bool is_item_read, is_point_read, is_counted, is_listed, has_keys;
};

struct request {
	struct list node, all; /* in the list where it waits; in the engine */
	struct engine *engine;
	struct arena *mem;
	struct control_call *call; /* NULL: the caller has disconnected, or has its answer */
	struct caller caller;
	struct holder *holder; /* whose requests it counts among; NULL: no named token's */
	struct command_call command;
	int64_t began_ms;  /* on the monotonic clock */
	void *args;        /* the struct cmd_* of the command, in mem */
	struct str params; /* their canonical text; absent: a job, or its own */
	const struct control_forwarded *forwarded; /* NULL: this node was asked */
	struct node_call *sent; /* it is with another node now; NULL: it is not */
	uint64_t spreads;       /* all nodes are to see the system session up to here first */
	bool is_placed;         /* the nodes were asked for the directory of its session */
	unsigned looks;         /* for the owner of its session, which moved meanwhile */
	const struct cmd_submit_turn *turn; /* that the command submits; NULL: none */
	enum request_state state;
	size_t step; /* of REQUEST_GATHER */
	struct session *session;
	struct str session_id;                  /* requested */
	bool makes_session, is_lookup, is_left; /* as in control_call; the caller has its answer */
	bool is_id_made;                        /* session_id is not the caller's */
	struct session_waiter waiter;
	struct request_key key;
	struct request_ids ids;
	struct request_found found;
	struct request_answer response;
	struct request_job job;
	struct store_read read;
	struct blob_read blob_read;
	struct clock_timer timer;
	/* called instead of the reply, when the decision is durable */
	void (*then)(struct request *r);
	void *work;                    /* of the file that handles its command, in mem */
	void (*work_done)(void *work); /* frees what is not in mem; NULL: nothing */
};

/* ---- the port ---- */

void request_call(struct control *c, struct control_call *call);
void request_forget_call(struct control *c, struct control_call *call);
/* Starts the requests that arrived before the runtime was ready, in order. */
void request_start_early(struct engine *e);
void request_store_away(struct engine *e); /* callers that only read are answered */
void request_free_all(struct engine *e);

/* ---- called when the wait of a request is over ---- */
void request_continue(struct request *r);
void request_next(struct request *r);
void request_restart(struct request *r);
/* From the beginning: it may have been carried out, which its key tells. */
void request_repeat(struct request *r);

/* The directory that the caller names, by itself or by a workspace of this node; may be absent. */
struct str request_dir(const struct request *r);
/* Where the caller wants the session to be; NULL: it says nothing. */
const struct rec_placement_choice *request_placement(const struct request *r);
void request_fail(struct request *r, enum error_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Refuses it, the first sends that: its session does not exist, or not any more. */
void request_no_session(struct request *r, uint64_t removed_by);
void request_fail_no_session(struct request *r, uint64_t removed_by);
/* Sends the reply now and frees the request. */
void request_reply(struct request *r);
/* The same when everything applied in its session is durable; or calls `then`, if that is set. */
void request_wait(struct request *r);
/* The same for another session, whose state the reply shows; NULL: nothing to wait for. */
void request_wait_for(struct request *r, struct session *s);
/* Tries its state again when everything applied in its session is durable. */
void request_wait_durable(struct request *r);
/* Adds the session's sequence to an accepted reply, and stores it under the caller's key. */
void request_keep(struct request *r);
/*
 * A read of the store failed: neither found nor missing.  True: the request was refused with that.
 */
bool request_read_failed(struct store_read *read);

/* A member of the command's arguments by its name; absent: it has none. */
struct str request_arg(const struct request *r, const char *name);

/* The request reads from the store and returns to its session, which stays until then. */
void request_hold(struct request *r);
/* After the read: true when the session was dropped, and the request was refused with that. */
bool request_lost_session(struct store_read *read);

/* ---- requests of the engine itself ---- */

/* Runs a job on a session, which is loaded or created if needed. */
void request_job(struct engine *e, struct str session_id, bool makes_session,
                 void (*run)(struct session *s, void *arg), void *arg);
/* That, not before the runtime is ready. */
void request_job_late(struct engine *e, struct str session_id, bool makes_session,
                      enum request_elsewhere elsewhere, void (*run)(struct session *s, void *arg),
                      void *arg);
/* The same, and what happens when another node owns the session. */
void request_job_with(struct engine *e, struct str session_id, bool makes_session,
                      enum request_elsewhere elsewhere, void (*run)(struct session *s, void *arg),
                      void *arg);
/* A command of the runtime itself, without arguments; request_restart() starts it. */
struct request *request_own(struct engine *e, struct str session_id, enum command command);

/* ---- idempotency.c, caller_ids.c: states ---- */
/* spec: contracts/control-plane#idempotency — keys are per principal and command. */
void idempotency_take(struct request *r, struct str key);
bool idempotency_check(struct request *r);
/* Requests with the same key that arrived in between get the same reply. */
void idempotency_answered(struct request *r);
void idempotency_keep(struct request *r);

/* False: one of them is reserved, and the request was refused. */
bool caller_ids_take(struct request *r);
/* Is it an id of the runtime's own sessions and threads? */
bool caller_ids_is_reserved(struct str id);
bool caller_ids_check(struct request *r);
void caller_ids_release(struct request *r);

#endif
