#ifndef ENGINE_EFFECTS_EFFECTS_H
#define ENGINE_EFFECTS_EFFECTS_H
/*
 * One live effect, shared only by the files about effects:
 *
 *   effects.c        life cycle, pausing, starting and stopping of all of them
 *   model.c  a request to a model
 *   tool.c   a call of a tool
 *   tool_sampling.c  what its server asks of a model
 *   hook.c   a run of a hook
 */
#include "core/context/assemble.h"
#include "engine/engine_state.h"
#include "text/redact.h"

/* A request of the tool's server for an answer of a model (tool_sampling.c). */
struct tool_sample {
	enum {
		SAMPLE_NONE,
		SAMPLE_ASKED, /* a person decides */
		SAMPLE_DUE,   /* allowed; begins when the child is free */
		SAMPLE_RUNS,
	} stage;
	struct arena *mem; /* of the request */
	struct sampling_request request;
	struct str turn_id; /* of the child, while it runs */
	struct buf text;    /* its answer so far */
	enum stop_reason stop;
	bool is_long; /* more than a tool server may get */
};

/*
 *   event durable ──► started ──► ended: its result is decided, the run is freed
 *        │              ▲  │         ▲
 *        ▼              │  ▼         │
 *      held (disk full) ┘ cancelling ┘
 *
 * A run whose session was dropped has session == NULL; its last callback frees it.  So has
 * a run whose tool did not stop in time: the call is recorded, and the toolset still owes
 * its end.
 */
struct effect_run {
	struct list node; /* in its session */
	struct list all;  /* in the engine */
	struct session *session;
	struct engine *engine;
	enum effect kind;
	uint64_t seq; /* of the event that authorises it */
	struct arena *mem;
	struct str turn_id, object_id, thread_id; /* object: the request, call or hook run */

	/* Of a model request. */
	struct provider *provider;
	struct model_handle *model;
	struct assembly assembly;
	struct store_read read;
	uint64_t read_from, read_until; /* range of the log that holds the conversation */
	uint64_t types[4];
	struct str thoughts_of;      /* the turn before this one, if it ended during its calls */
	size_t fetching;             /* index of the text that is being fetched */
	struct blob_read image_page; /* of an image in a separate file */
	struct buf image;            /* its bytes so far */
	int64_t image_bytes;         /* of all that were read from files */
	bool is_finished;            /* the conversation has the form in which it is sent */
	bool is_summary;
	struct assembly_span summed; /* the turns to summarise */
	size_t summary_bytes;
	struct str wish; /* the instruction of a summary */
	struct model_request request;
	struct buf pieces; /* text that waits for the next event */
	struct buf whole;  /* the whole text, when it is checked against a schema */
	enum model_piece piece_kind;
	int64_t chunks;      /* pieces of the provider in `pieces` */
	bool has_sent;       /* the first piece was emitted */
	bool window_is_open; /* later pieces are collected */
	unsigned paused;     /* enum pause: all reasons */
	bool is_held;        /* due, and started when disk space is available */
	struct clock_timer window;

	/* Of a tool call. */
	struct toolset *toolset;
	struct tool_handle *tool;
	struct buf output;
	struct blob_writer *writer;
	struct str output_ref, args;
	struct str process_id; /* of a background command */
	struct tool_end end;
	struct scrub_stream scrub;
	int64_t output_bytes;
	/* of a command: output that process.output has not reported yet */
	int64_t told_bytes, untold_chunks;
	bool is_running, is_binary;
	bool has_waited, is_waiting; /* for the unsaved text of an editor, or for its tool server */
	int64_t waits_until;         /* for the server: monotonic; 0: it has not waited */
	bool is_remote;              /* a task of its tool server, which a stop does not end */
	struct str unsaved;          /* that text; or absent */
	bool is_cancelling;
	bool has_ended;    /* the end is known; what the tool says afterwards is ignored */
	bool is_sealing;   /* the blobs call on_sealed() */
	bool is_uncounted; /* not among live_effects any more */
	struct clock_timer patience,
		tick; /* until a cancelled tool is given up; between two reports of output */
	struct arena *end_mem;
	struct str asking; /* the action by which it waits for a person */
	bool has_answer;
	enum tool_answer response;
	struct str content, content_ref; /* the person's answer; absent content: behind the ref */

	struct tool_sample sample;

	/* Of a hook. */
	struct hook_handle *hook;
};

/* Ends the run.  What still holds its address frees it with its last callback. */
void effects_end(struct effect_run *x);
void effects_free_run(struct effect_run *x);
/* First call when the store replies: true when the run was cancelled and is freed. */
bool effects_is_late(struct effect_run *x);

/* What is sent on for an object of the turn; empty without a trace.  Strings live in mem. */
struct trace_headers effects_trace(struct arena *mem, const struct st_turn *t,
                                   struct str object_id);

enum pause {
	PAUSE_BUFFER = 1, /* its own output is not written yet */
	PAUSE_DISK = 2,   /* the disk does not keep up, for all runs */
};
void effects_pause(struct effect_run *x, enum pause why);
void effects_resume(struct effect_run *x, enum pause why);

/* tool.c: passes on the person's answer, once it is durable */
void tool_tell_answer(struct effect_run *x);

/* model.c */
void model_start(struct effect_run *x, const struct st_thread *th, const struct st_turn *t);
void model_cancel(struct effect_run *x);
void model_ended(void *owner, const struct model_end *end);
/* Turns collected text into events; is_end: all of it, even half a character. */
void model_flush(struct effect_run *x, bool is_end);
void model_open_window(struct effect_run *x);

/* tool.c */
/* Whom a turn works for: who requested it, else who began the session, else the session. */
struct str tool_caller(const struct session *s, const struct st_turn *turn);
void tool_start_run(struct effect_run *x, const struct st_thread *th, const struct st_call *call);
void tool_fetch_args(struct effect_run *x, struct str ref);
void tool_cancel(struct effect_run *x);
void tool_servers_changed(struct engine *e); /* calls that wait for theirs look again */
/* The unsaved text of a file, or none, from a channel; false: no call waits for it. */
bool tool_take_text(struct session *s, struct str channel_id, struct str call_id, struct str path,
                    struct str text);

/* tool_sampling.c */
void tool_sampling_want(struct effect_run *x, const struct sampling_request *r);
/* A step of the request, once everything before it is durable. */
void tool_sampling_advance(struct effect_run *x);
void tool_sampling_folded(struct effect_run *x, const struct event *ev);
/* The server needs no answer; true: there was such a request, and no person was asked. */
bool tool_sampling_withdraw(struct effect_run *x);
void tool_sampling_free(struct effect_run *x);

/* tool_redactions.c */
/* Which rules took out something of a tool's output, for its events; NULL: none. */
const struct tool_redaction *tool_redactions_seen(struct scrub *s, const struct scrub_stream *seen,
                                                  struct arena *mem, size_t *ret_count);
/* The text without secrets; s may be NULL. */
struct str tool_redactions_text(struct scrub *s, struct scrub_stream *seen, struct arena *mem,
                                struct str text);

/* hook.c */
void hook_start_run(struct effect_run *x, const struct st_hook *h);
void hook_cancel(struct effect_run *x);

/* ---- for the rest of the engine ---- */

void effects_due(struct session *s, const struct due_effect *due);
void effects_reconcile(struct session *s);
void effects_durable(struct session *s); /* buffered pieces continue */
void effects_drop(struct session *s);
void effects_leave_tasks(struct engine *e);
/* The disk is full: models are stopped, and due effects wait for disk space. */
void effects_disk_full(struct engine *e);
void effects_disk_has_room(struct engine *e);
/* The disk does not keep up (or does again): every effect that produces data pauses. */
void effects_throttle_changed(struct engine *e);
void effects_free(struct engine *e);
/* The output of a running call so far, while it is too small for a file and in the caller's reach. */
bool effects_peek(struct request *r, struct str output_ref, struct str *ret);
/* passes answers to tools that wait for one */
void tool_folded(struct session *s, const struct event *ev);

#endif
