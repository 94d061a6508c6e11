#ifndef ENGINE_EFFECTS_PROCESSES_H
#define ENGINE_EFFECTS_PROCESSES_H
/*
 * Processes in the background and the sessions that they belong to, for the
 * files of the engine.
 *
 * A run here is the engine's half of a live process.  It holds no world: its
 * session may sleep, and is woken when there is something to tell.
 *
 *   runs ──► exited ──► output sealed ──► its end is a fact ──► durable, forgotten
 */
#include "engine/engine_state.h"
#include "ports/process.h"
#include "text/redact.h"

struct process_run {
	struct list node;
	struct engine *engine;
	struct str session_id, process_id, output_ref, summary; /* in text */
	int64_t started_at, bytes, chunks;
	bool is_tty, is_telling, has_ended, is_sealed;
	/* process_output.c */
	struct scrub_stream scrub;
	struct blob_read read;
	uint64_t raw_at, clean_at; /* read of what it wrote; passed on */
	bool is_reading, is_grown, is_cut;
	uint64_t end_seq; /* of the fact that ended it; 0: not yet */
	enum terminated_by stopped_by;
	const char *stop_cause;
	struct arena *end_mem; /* who stopped it, and how it ended */
	struct str stop_reason;
	struct rec_actor *stop_actor;
	struct tool_end end;
	struct list waiting; /* struct request: for its end */
	char text[];
};

/* NULL: it does not run, as far as the engine knows. */
struct process_run *processes_find(const struct engine *e, struct str process_id);
/* Asks it to end.  The first who asks is the one whom the fact names. */
void processes_stop(struct process_run *x, enum terminated_by by, const char *cause,
                    struct str reason, const struct rec_actor *actor, int64_t grace_ms);

/* process_output.c: there may be more of what it writes, or it has ended. */
void process_output_pump(struct process_run *x);
void process_output_sweep(struct engine *e);
/* Called by it: all that there is was passed on; and it was the last. */
void processes_grown(struct process_run *x);
void processes_seal(struct process_run *x);

/* process_tools.c: what a model does with them; NULL without a port for processes. */
struct toolset *process_tools_new(struct engine *e);

/* ---- for the rest of the engine ---- */

void processes_init(struct engine *e);
void processes_free(struct engine *e);
void processes_began(struct session *s, struct str process_id);
void processes_load(struct session *s, enum load_phase phase);
void processes_settle(struct engine *e); /* after all sessions with open work */
void processes_durable(struct session *s);
void processes_reconcile(
	struct session *s);           /* those that a cancelled task takes along are stopped */
void processes_end(struct engine *e); /* the runtime stops, and they with it */
/* A command for one that cannot be reached is answered; what follows an accepted or refused one. */
bool processes_gather(struct request *r);
void processes_accepted(struct request *r);
bool processes_refused(struct request *r);
/* What was read of an output, and when that is its end for now, the little that is held back. */
struct str process_output_text(const struct engine *e, struct arena *mem,
                               const struct blob_read *r);

#endif
