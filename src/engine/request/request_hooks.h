#ifndef ENGINE_REQUEST_REQUEST_HOOKS_H
#define ENGINE_REQUEST_REQUEST_HOOKS_H
/*
 * What the state machine of requests calls in files above it, and the jobs that it runs.
 */
#include "base/str.h"

struct control_call;
struct engine;
struct request;
struct session;
struct store_node;

/* Functions of higher files for requests; the table is in listeners.c. */
struct request_hooks {
	/* The steps of REQUEST_GATHER, as states; ends with NULL. */
	bool (*const *gather)(struct request *r);
	/* Finds a session for a command that names none; a state. */
	bool (*route)(struct request *r);
	/* May the caller name that?  Before any look-up; false: refused by request_fail(). */
	bool (*reach)(struct request *r, struct str args);
	/* Takes what only nodes send each other; false: it is a command. */
	bool (*inner)(struct engine *e, struct control_call *call);
	/* Another node owns the session that it needs; the request is sent there, or refused. */
	void (*elsewhere)(struct request *r, struct str session, const struct store_node *node);
	/* Right before the decision; false: the same. */
	bool (*admit)(struct request *r);
	/* After the decision; `refused` are called until one handles the request. */
	void (*const *accepted)(struct request *r);
	bool (*const *refused)(struct request *r);
	/* Its session is not in memory here; true: it is carried out elsewhere, or refused. */
	bool (*hand_over)(struct request *r);
	/* Its decision is durable; true: it is answered later. */
	bool (*spread)(struct request *r);
};

extern const struct request_hooks listeners_request_hooks;

/* What a job does when another node owns its session. */
enum request_elsewhere {
	ELSEWHERE_NONE,    /* it runs without a session, as when there is none */
	ELSEWHERE_FORWARD, /* arg is a request, which is sent to that node */
	ELSEWHERE_OWN,     /* it runs on the session of this node */
	ELSEWHERE_READ,    /* it runs on a copy that is not live (load_peek()) */
};

/* A job of the engine itself, on a session.  s is NULL when there is none. */
struct request_job {
	void (*run)(struct session *s, void *arg);
	void *arg;
	enum request_elsewhere elsewhere;
};

#endif
