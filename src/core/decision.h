#ifndef CORE_DECISION_H
#define CORE_DECISION_H
/*
 * The input and the result of a decision.
 *
 * A decision reads the state, the settings and the moment; it answers with
 * events, or with a refusal and nothing else.  It changes nothing itself:
 * the events take effect when the engine has folded them.  Time and
 * entropy come with the moment, so the same inputs give the same answer.
 */
#include "base/os/id.h"
#include "core/session/caller.h"
#include "core/task/lease.h"
#include "core/settings.h"
#include "core/budget/ledger_view.h"
#include "core/state.h"

/* The command that a decision answers; NULL in decisions on inputs. */
struct command_call {
	enum command command;
	struct caller caller;
	struct str request_id;
	struct str key_hash;               /* hex, absent without an idempotency key */
	struct str body_hash;              /* hex */
	const struct rec_channel *channel; /* of the caller's connection, when it is enrolled */
	bool is_channel_foreign;           /* which is one to another node */
};

struct new_blob {
	struct str ref, media_type, data;
	bool is_again; /* the blob exists already */
};

/* A file that was read for a turn in preparation. */
struct context_file {
	enum context_kind kind;
	struct str ref; /* file:AGENTS.md */
	struct str text;
	enum missing_reason missing; /* 0: present */
};
/* A skill or an agent whose name the prompt lists. */
struct context_named {
	struct str name, description;
};
/* An agent as a Markdown file, for child agents. */
struct context_agent {
	struct str name;
	struct str model;  /* that it asks for; absent: the parent's */
	struct str tools;  /* as they are written; absent: all of the parent's */
	struct str prompt; /* may be empty */
};
struct context_picture {
	const struct context_file *files;
	size_t count;
	const struct context_named *skills;
	size_t skill_count;
	const struct context_agent *agents;
	const struct context_named *agent_names; /* of the agents, in the same order */
	size_t agent_count;
	struct str absent_tools; /* for the model: unavailable tool servers; may be absent */
	struct str root;         /* of the repository; absent: none */
	struct str branch;       /* absent: none is checked out */
};

struct history_point;
struct journal;

struct decision {
	struct arena *mem; /* lives until the decision is applied and answered */
	const struct state *w;
	const struct settings *settings;
	struct journal *journal;     /* notes its inputs (core/journal/journal.h); NULL: none */
	const struct leases *leases; /* of external workers; NULL: as in the log */
	const struct ledger_view *ledger_view; /* NULL: nothing is known beyond this session */
	const struct context_picture *context; /* NULL: nothing was read */
	const struct call_input *inputs;       /* of calls, as far as they were read */
	/* a step needs the input of this call, which has to be read first */
	struct str wants_input;
	const struct command_call *call;
	struct str on_behalf_of;    /* the person for whom the caller of the command acts */
	struct trace_context cause; /* of turns that it makes; empty: none (session/trace.h) */
	/* providers whose key a client lent to this session */
	const struct str *lent;
	size_t lent_count;
	int step;              /* number of earlier steps of this commit (step.h) */
	uint64_t state_hash;   /* before the decision; 0: not compared */
	struct str session_id; /* set also for a session that this decision creates */
	/*
	 * The moment on the session's clock, which counts elapsed time and follows the wall clock
	 * when that is set (core/session/clock.h).  Deadlines and durations use it; times of the
	 * wall clock (cron, `at`, an absolute expiry) are compared with `wall`.
	 */
	int64_t now, wall;
	int64_t clock_offset; /* for a session that this decision creates */
	struct id_source *ids;
	/* Tasks that the command names and that had left the state, read back for it. */
	const struct st_task **recalled;
	size_t recalled_count;
	const struct history_point *point; /* the target of a rollback or fork, found in the log */
	int64_t item_count;                /* of the job to create */
	/* a step found a task that waits only for other sessions */
	bool wants_slot;
	/* a request waits until it is known whether this node may reserve its cost */
	bool awaits_room;
	/* the job item that the command names, from its index row */
	const struct rec_job_item *item;
	struct str foreign; /* a task that the command names and that belongs to another session */

	struct event **events;
	size_t count, cap;
	struct new_blob *blobs;
	size_t blob_count, blob_cap;

	enum error_code refusal; /* 0: accepted */
	struct str detail;       /* one sentence */
	struct str extra;        /* JSON object text with members for the problem, or absent */
	struct str reply;        /* JSON object text; the engine adds the sequence */
	struct lease beat;       /* a heartbeat: no event, applied when the command is accepted */
};

/*
 * A node that is about to end begins nothing any more: no request, no tool, no hook, no turn.  The
 * session waits as it is, and another node continues it.
 */
bool decision_is_leaving(struct decision *d);

/*
 * Adds one event.  The payload is copied; the caller fills scope ids, status and companions of the
 * returned event.
 */
struct event *decision_emit_event(struct decision *d, enum event_type type, const void *payload);
#define EMIT(d, TYPE, lower, ...)                                                                  \
	decision_emit_event((d), EV_##TYPE, &(const struct ev_##lower){ __VA_ARGS__ })

/* Time since a timestamp, which may lie ahead of the clock. */
static inline int64_t since(const struct decision *d, int64_t at)
{
	return MAX(d->now - at, 0);
}

/* Refuses the command: drops everything that was emitted. */
void decision_refuse(struct decision *d, enum error_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

struct str decision_new_id(struct decision *d, const char *prefix);
/* Stores a text that an event refers to, in the same commit. */
struct str decision_new_blob(struct decision *d, struct str media_type, struct str data);
/* The same under a ref that was issued before. */
void decision_keep_blob(struct decision *d, struct str ref, struct str media_type, struct str data);
/* Names an existing blob: it stays as long as the event that names it now. */
void decision_name_blob(struct decision *d, struct str ref);

/* Scope of a thread, a turn, a call: each adds to the one before. */
struct event *decision_in_thread(struct event *ev, const struct st_thread *th);
struct event *decision_in_turn(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t);
struct event *decision_in_call(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t, const struct st_call *c);

/*
 * Names the span of what the event is about: its hook run, process, tool call or model request;
 * otherwise the event belongs to the span of its turn.  Without a trace it does nothing.  Called
 * when the event is complete.
 */
void decision_name_span(struct arena *mem, struct event *ev);

/* The caller of the command as an actor record. */
struct rec_actor *decision_actor(struct decision *d);

/* Copies of compound literals that outlive the statement. */
void *decision_kept(struct decision *d, const void *rec, size_t size);
#define KEPT(d, type, ...) ((type *)decision_kept((d), &(const type){ __VA_ARGS__ }, sizeof(type)))

struct list_str decision_strings(struct decision *d, size_t count, const struct str *items);
#define STRINGS(d, ...)                                                                            \
	decision_strings((d), sizeof((struct str[]){ __VA_ARGS__ }) / sizeof(struct str),          \
	                 (struct str[]){ __VA_ARGS__ })
#define NO_STRINGS ((struct list_str){ 0 })

void decision_add_ref(struct decision *d, struct event *ev, struct str name, struct str ref);

/* The directory that the session works in. */
struct str decision_workspace_of(const struct decision *d);

#endif
