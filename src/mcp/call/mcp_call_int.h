#ifndef MCP_CALL_MCP_CALL_INT_H
#define MCP_CALL_MCP_CALL_INT_H
/* Private to the files of src/mcp/call: one call, and what its subjects do for each other. */
#include "mcp/mcp_int.h"
#include "mcp/offer/mcp_task.h"

#define MCP_CALL_MESSAGE_MAX 500

/* How far a call is that needs a login (mcp_call_login.c has the picture). */
enum call_login { CALL_LOGIN_NONE, CALL_LOGIN_WANTS, CALL_LOGIN_ASKS, CALL_LOGIN_STARTS };

struct tool_handle {
	struct list node; /* of its server, as long as it has one */
	struct list all;  /* of the set */
	struct mcp_call call;
	struct mcp_server *server;
	struct arena *mem;
	struct str output_schema; /* absent: results of any form */
	struct mcp_set *set;
	struct tool_sink sink;
	void *owner;
	struct loop_timer timer;
	int64_t due_at; /* when the open request ends, whatever its progress */
	int64_t reported_at;
	unsigned reports;
	unsigned log_lines;  /* that its caller got */
	bool is_waiting;     /* for a user: its timeout is stopped */
	bool is_sampling;    /* what it waits for is the answer of a model */
	uint64_t asked;      /* answered, waiting for reports of violations; 0: not */
	struct tool_end end; /* reported from the loop */
	enum call_login login;
	unsigned login_generation; /* of the token that was refused */
	unsigned login_tries;      /* answers that were not of the login */
	unsigned login_rounds;     /* logins that this call has waited for */
	struct str name;           /* of the tool; kept for STARTS */
	bool is_login_tool;        /* the login is all that it does */
	struct str uri;            /* of the resource that it reads; absent: it calls a tool */
	struct str task;           /* the task that runs it; absent: none */
	struct str task_params;    /* of requests about it */
	int64_t poll_ms;
	unsigned task_asks; /* questions of the task */
	unsigned task_cuts; /* exchanges about the task that broke, one after the other */
	bool is_parked;     /* the server is gone; the task is asked for when it is back */
	bool is_cancelling; /* the task is to be cancelled */
	bool is_failed;     /* the task has failed, whatever its result says */
};

static inline struct tool_handle *mcp_call_handle(struct mcp_call *c)
{
	return OWNER_OF(c, struct tool_handle, call);
}

/* ---- mcp_call_end.c ---- */

void mcp_call_end_free(struct tool_handle *h);
void mcp_call_end_report(struct tool_handle *h, const struct tool_end *end);
/* Reports the end from the loop. */
void mcp_call_end_later(struct tool_handle *h, const struct tool_end *end);
void mcp_call_end_fail_later(struct tool_handle *h, enum executed executed,
                             struct tool_error error);
void mcp_call_end_after_violations(struct tool_handle *h, const struct tool_end *end);
void mcp_call_end_with_text(struct tool_handle *h, struct str text);
void mcp_call_end_lost(struct tool_handle *h, const struct mcp_result *r);
void mcp_call_end_refused(struct tool_handle *h, const struct mcp_result *r);
void mcp_call_end_arm_timeout(struct tool_handle *h);

/* ---- mcp_call_result.c ---- */

void mcp_call_result(struct tool_handle *h, const struct mcp_result *r);
void mcp_call_result_resource(struct tool_handle *h, const struct mcp_result *r);

/* ---- mcp_call_login.c ---- */

/* The login is begun; mcp_call_login_changed() follows, from the loop. */
void mcp_call_login_want(struct tool_handle *h);
void mcp_call_login_answer(struct tool_handle *h, enum tool_answer action, struct str content);

/* ---- mcp_call_task.c ---- */

bool mcp_call_task_is_modern(const struct tool_handle *h);
void mcp_call_task_keep(struct tool_handle *h, struct str id);
void mcp_call_task_lost(struct tool_handle *h, struct str why);
void mcp_call_task_cancelled(struct tool_handle *h, const char *what);
/* The server is away; the task is asked for when it is back. */
void mcp_call_task_park(struct tool_handle *h);
void mcp_call_task_unpark(struct tool_handle *h);
void mcp_call_task_began(struct tool_handle *h, const struct mcp_task *t);
/* A reply about the task, or none. */
void mcp_call_task_answered(struct tool_handle *h, const struct mcp_result *r);
/* Whether the open request asks for the result of the task. */
bool mcp_call_task_is_result(const struct tool_handle *h);
/* The task of a call that an earlier start of this program made. */
void mcp_call_task_resume(struct tool_handle *h, bool is_ready);
/* False: it is no task.  A server that is away is asked when it is back. */
bool mcp_call_task_cancel(struct tool_handle *h);

#endif
