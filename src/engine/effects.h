#ifndef ENGINE_EFFECTS_H
#define ENGINE_EFFECTS_H
/*
 * One live effect, shared by the files about effects and by nobody else:
 *
 *   effects.c        life, pausing, starting and stopping of all of them
 *   effects_model.c  a request to a model
 *   effects_tool.c   a call of a tool
 *   effects_hook.c   a run of a hook
 */
#include "text/redact.h"
#include "core/assemble.h"
#include "engine/internal.h"

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
	struct talk_span summed; /* the turns that are summed up */
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
	enum tool_answer answer;
	struct str content, content_ref; /* what they answered; absent content: behind the ref */

	/* a hook */
	struct hook_handle *hook;
};

/* Ends and frees the run; a read of the store that is on its way frees it later. */
void effect_end(struct effect_run *x);
void effect_free(struct effect_run *x);
/* First thing when the store answers: true when nobody waits any more, and the run is gone. */
bool effect_is_late(struct effect_run *x);

enum pause {
	PAUSE_BUFFER = 1, /* what it brought is not written yet */
	PAUSE_DISK = 2,   /* nothing is, of anybody */
};
void effect_pause(struct effect_run *x, enum pause why);
void effect_resume(struct effect_run *x, enum pause why);

/* effects_tool.c: the person's answer, once it is durable */
void tool_tell_answer(struct effect_run *x);

/* effects_model.c */
void model_start(struct effect_run *x, const struct st_thread *th, const struct st_turn *t);
void model_cancel(struct effect_run *x);
void model_ended(void *owner, const struct model_end *end);
/* Text that gathered becomes facts; is_end: all of it, even half a character. */
void model_flush(struct effect_run *x, bool is_end);
void model_open_window(struct effect_run *x);

/* effects_tool.c */
void tool_start_run(struct effect_run *x, const struct st_thread *th, const struct st_call *call);
void tool_fetch_args(struct effect_run *x, struct str ref);
void tool_cancel(struct effect_run *x);

/* effects_hook.c */
void hook_start_run(struct effect_run *x, const struct st_hook *h);
void hook_cancel(struct effect_run *x);

#endif
