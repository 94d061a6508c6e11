#ifndef CORE_DECISION_H
#define CORE_DECISION_H
/*
 * What a decision has to go on, and what it answers.
 *
 * A decision reads the state, the settings and the moment; it answers with
 * events, or with a refusal and nothing else.  It changes nothing itself:
 * the events take effect when the engine has folded them.  Time and
 * entropy come with the moment, so the same inputs give the same answer.
 */
#include "base/os/id.h"
#include "core/caller.h"
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
	struct str trace_id;               /* taken from the caller, or absent */
	const struct rec_channel *channel; /* of the caller's connection, when it is enrolled */
};

struct new_blob {
	struct str ref, media_type, data;
	bool is_again; /* it is there already */
};

/* What was read for a turn that is being prepared. */
struct context_file {
	enum context_kind kind;
	struct str ref; /* file:AGENTS.md */
	struct str text;
	enum missing_reason missing; /* 0: it is there */
};
struct context_picture {
	const struct context_file *files;
	size_t count;
	struct str absent_tools; /* for the model: tool servers that are not there; may be absent */
};

struct history_point;

struct decision {
	struct arena *mem; /* lives until the decision is applied and answered */
	const struct state *w;
	const struct settings *settings;
	const struct leases *leases;           /* of external workers; NULL: as the log has them */
	const struct ledger_view *ledger_view; /* NULL: nothing is known beyond this session */
	const struct context_picture *context; /* NULL: nothing was read */
	const struct call_input *inputs;       /* of calls, as far as they were read */
	struct str wants_input; /* a step found a call whose input has to be read first */
	const struct command_call *call;
	int step;              /* how many steps of this commit came before (step.h) */
	uint64_t state_hash;   /* before the decision; 0: not compared */
	struct str session_id; /* also of a session that this decision makes */
	/*
	 * The moment on the session's own clock, which counts time that has passed
	 * and follows the wall clock when that was set (core/session/clock.h).  Deadlines
	 * and durations use it; what is written for a moment of the wall clock
	 * (cron, `at`, an absolute expiry) is compared with `wall`.
	 */
	int64_t now, wall;
	int64_t clock_offset; /* for a session that this decision makes */
	struct id_source *ids;
	/* Tasks that the command names and that had left the world, read back for it. */
	const struct st_task **recalled;
	size_t recalled_count;
	const struct history_point *point; /* where the command goes back to, found in the log */
	int64_t item_count;                /* of the job that is to be made */
	bool wants_slot;                 /* a step found a task that only other sessions hold up */
	const struct rec_job_item *item; /* the job's item that the command names, from its row */
	struct str foreign; /* a task that the command names and that lives in another session */

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
 * Adds one event.  The payload is copied; scope ids, status and companions
 * are filled in by the caller on the event that comes back.
 */
struct event *decision_emit_event(struct decision *d, enum event_type type, const void *payload);
#define EMIT(d, TYPE, lower, ...)                                                                  \
	decision_emit_event((d), EV_##TYPE, &(const struct ev_##lower){ __VA_ARGS__ })

/* Since a timestamp, which may lie ahead of the clock. */
static inline int64_t since(const struct decision *d, int64_t at)
{
	return MAX(d->now - at, 0);
}

/* Refuses: whatever was emitted is dropped. */
void decision_refuse(struct decision *d, enum error_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

struct str decision_new_id(struct decision *d, const char *prefix);
/* Text that an event refers to; it is stored in the same commit. */
struct str decision_new_blob(struct decision *d, struct str media_type, struct str data);
/* The same under a ref that was given out before. */
void decision_keep_blob(struct decision *d, struct str ref, struct str media_type, struct str data);
/* One that is there already: it stays as long as the event that names it now. */
void decision_name_blob(struct decision *d, struct str ref);

/* Scope of a thread, a turn, a call: each adds to the one before. */
struct event *decision_in_thread(struct event *ev, const struct st_thread *th);
struct event *decision_in_turn(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t);
struct event *decision_in_call(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t, const struct st_call *c);

/* Who asked: the caller of the command as an actor record. */
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
