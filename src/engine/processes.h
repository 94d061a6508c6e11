#ifndef ENGINE_PROCESSES_H
#define ENGINE_PROCESSES_H
/*
 * Processes in the background and the sessions that they belong to, for the
 * files of the engine.
 *
 * A run here is the engine's half of a live process.  It holds no world: its
 * session may sleep, and is woken when there is something to tell.
 *
 *   runs ──► exited ──► output sealed ──► its end is a fact ──► durable, forgotten
 */
#include "text/redact.h"
#include "engine/internal.h"
#include "ports/process.h"

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
	struct input_tool_end end;
	struct list waiting; /* struct request: for its end */
	char text[];
};

/* NULL: it does not run, as far as the engine knows. */
struct process_run *process_find(const struct engine *e, struct str process_id);
/* Asks it to end.  The first who asks is the one whom the fact names. */
void process_stop(struct process_run *x, enum terminated_by by, const char *cause,
                  struct str reason, const struct rec_actor *actor, int64_t grace_ms);

/* process_output.c: there may be more of what it writes, or it has ended. */
void process_pump(struct process_run *x);
void process_sweep(struct engine *e);
/* Called by it: all that there is was passed on; and it was the last. */
void process_grown(struct process_run *x);
void process_seal(struct process_run *x);

/* process_tools.c: what a model does with them; NULL without a port for processes. */
struct toolset *process_tools_new(struct engine *e);

#endif
