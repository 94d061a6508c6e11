#ifndef ENGINE_EFFECTS_PROCESSES_H
#define ENGINE_EFFECTS_PROCESSES_H
/*
 * Background processes and the sessions that they belong to, for the files of
 * the engine.
 *
 * A run here is the engine's half of a live process.  It holds no session
 * state: its session may be unloaded, and is loaded when there is something to
 * record.
 *
 *   runs ──► exited ──► output sealed ──► its end is recorded ──► durable, forgotten
 */
#include "engine/engine_state.h"
#include "ports/process.h"
#include "text/redact.h"

struct process_run {
	struct list node;
	struct engine *engine;
	struct str session_id, process_id, output_ref, summary; /* in text */
	int64_t started_at, bytes,
		chunks; /* bytes: of the redacted output; chunks: not reported yet */
	bool is_tty, is_telling, has_ended,
		is_sealed; /* is_telling: a report of growth waits for the session */
	/* process_output.c */
	struct scrub_stream scrub;
	struct blob_read read;
	uint64_t raw_at, clean_at;         /* position in the raw file and in the redacted output */
	bool is_reading, is_grown, is_cut; /* is_cut: the raw file could not be read to its end */
	uint64_t end_seq;                  /* sequence of the event that ended it; 0: not yet */
	enum terminated_by stopped_by;
	const char *stop_cause;
	struct arena *end_mem; /* holds who stopped it, and how it ended */
	struct str stop_reason;
	struct rec_actor *stop_actor;
	struct tool_end end;
	struct list waiting; /* struct request: waiting for its end */
	char text[];
};

/* NULL: it does not run, as far as the engine knows. */
struct process_run *processes_find(const struct engine *e, struct str process_id);
/* Asks it to end.  The event names the first actor that asked. */
void processes_stop(struct process_run *x, enum terminated_by by, const char *cause,
                    struct str reason, const struct rec_actor *actor, int64_t grace_ms);

/* process_output.c: there may be more output, or the process has ended. */
void process_output_pump(struct process_run *x);
void process_output_sweep(struct engine *e);
/* Called by process_output.c: everything so far was copied; and it was the last piece. */
void processes_grown(struct process_run *x);
void processes_seal(struct process_run *x);

/* process_tools.c: a model's tools for processes; NULL without a port for processes. */
struct toolset *process_tools_new(struct engine *e);

/* ---- for the rest of the engine ---- */

void processes_init(struct engine *e);
void processes_free(struct engine *e);
void processes_began(struct session *s, struct str process_id);
void processes_load(struct session *s, enum load_phase phase);
void processes_settle(struct engine *e); /* after all sessions with open work */
void processes_durable(struct session *s);
void processes_reconcile(struct session *s); /* stops those of a cancelled task */
void processes_end(struct engine *e);        /* the runtime stops, and they with it */
/* Answers a command for an unreachable process; the rest handles accepted and refused ones. */
bool processes_gather(struct request *r);
void processes_accepted(struct request *r);
bool processes_refused(struct request *r);
/* The text of a read of an output; at its current end, with the bytes that redaction holds back. */
struct str process_output_text(const struct engine *e, struct arena *mem,
                               const struct blob_read *r);

#endif
