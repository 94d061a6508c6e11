#ifndef ENGINE_EFFECTS_EFFECTS_H
#define ENGINE_EFFECTS_EFFECTS_H
/*
 * One live effect, shared by the files about effects and by nobody else:
 *
 *   effects.c        life, pausing, starting and stopping of all of them
 *   model.c  a request to a model
 *   tool.c   a call of a tool
 *   hook.c   a run of a hook
 */
#include "core/context/assemble.h"
#include "engine/engine_state.h"
#include "text/redact.h"

struct effect_run {
	struct list node; /* in its session */
	struct list all;  /* in the engine */
	struct session *session;
	struct engine *engine;
	enum effect kind;
	uint64_t seq;
	struct arena *mem;
	struct str turn_id, object_id, thread_id;

	/* a model request */
	struct provider *provider;
	struct model_handle *model;
	struct assembly assembly;
	struct store_read read;
	uint64_t read_from, read_until;
	uint64_t types[4];
	size_t fetching;             /* which text is being fetched */
	struct blob_read image_page; /* of an image in a file of its own */
	struct buf image;            /* what came of it */
	bool is_finished;            /* the conversation is in the form in which it is sent */
	bool is_summary;
	struct conversation_span summed; /* the turns that are summed up */
	size_t summary_bytes;
	struct str wish;
	struct model_request request;
	struct buf pieces; /* text that waits for its window */
	struct buf whole;  /* all of it, when it has to fit a schema */
	enum model_piece piece_kind;
	int64_t chunks;
	bool has_sent;       /* the first piece went out */
	bool window_is_open; /* later ones gather */
	unsigned paused;     /* enum pause: all that it waits for */
	bool is_held;        /* due, and to begin when there is room on the disk */
	struct clock_timer window;

	/* a tool call */
	struct toolset *toolset;
	struct tool_handle *tool;
	struct buf output;
	struct blob_writer *writer;
	struct str output_ref, args;
	struct str process_id; /* of a command in the background */
	struct tool_end end;
	struct scrub_stream scrub;
	int64_t output_bytes;
	int64_t told_bytes, untold_chunks; /* of a command: what process.output has not said yet */
	bool is_running, is_binary;
	bool is_cancelling, has_ended;
	struct clock_timer patience, tick;
	struct arena *end_mem;
	struct str asking; /* the action by which it waits for a person */
	bool has_answer;
	enum tool_answer response;
	struct str content, content_ref; /* what they answered; absent content: behind the ref */

	/* a hook */
	struct hook_handle *hook;
};

/* Ends and frees the run; a read of the store that is on its way frees it later. */
void effects_end(struct effect_run *x);
void effects_free_run(struct effect_run *x);
/* First thing when the store answers: true when nobody waits any more, and the run is gone. */
bool effects_is_late(struct effect_run *x);

enum pause {
	PAUSE_BUFFER = 1, /* what it brought is not written yet */
	PAUSE_DISK = 2,   /* nothing is, of anybody */
};
void effects_pause(struct effect_run *x, enum pause why);
void effects_resume(struct effect_run *x, enum pause why);

/* tool.c: the person's answer, once it is durable */
void tool_tell_answer(struct effect_run *x);

/* model.c */
void model_start(struct effect_run *x, const struct st_thread *th, const struct st_turn *t);
void model_cancel(struct effect_run *x);
void model_ended(void *owner, const struct model_end *end);
/* Text that gathered becomes facts; is_end: all of it, even half a character. */
void model_flush(struct effect_run *x, bool is_end);
void model_open_window(struct effect_run *x);

/* tool.c */
void tool_start_run(struct effect_run *x, const struct st_thread *th, const struct st_call *call);
void tool_fetch_args(struct effect_run *x, struct str ref);
void tool_cancel(struct effect_run *x);

/* hook.c */
void hook_start_run(struct effect_run *x, const struct st_hook *h);
void hook_cancel(struct effect_run *x);

/* ---- for the rest of the engine ---- */

void effects_due(struct session *s, const struct due_effect *due);
void effects_reconcile(struct session *s);
void effects_durable(struct session *s); /* buffered pieces may go on */
void effects_drop(struct session *s);
/* The disk is full: models are stopped, and what becomes due waits until there is room. */
void effects_disk_full(struct engine *e);
void effects_disk_has_room(struct engine *e);
/* The disk does not keep up (or does again): everything that brings bytes pauses. */
void effects_throttle_changed(struct engine *e);
void effects_free(struct engine *e);
/* What a running call has printed so far, as long as it is too little for a file. */
bool effects_peek(struct engine *e, struct arena *mem, struct str output_ref, struct str *ret);
void tool_folded(struct session *s, const struct event *ev); /* what a tool waits to be told */

#endif
