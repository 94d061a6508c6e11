#ifndef CORE_ASSEMBLE_H
#define CORE_ASSEMBLE_H
/*
 * What the model is sent, rebuilt from the log.
 *
 * The folded state holds no text.  Feed the events of the range that a request
 * covers, in order, and the conversation of one thread comes out: user
 * messages where their turn began (or where a steer was merged), answers
 * that were completed, calls and their results.  Answers that were cut off
 * are left out; calls whose outcome is unknown say so.
 *
 * A compaction hides what its summary stands for, a rollback takes turns away
 * and brings back what a later compaction had hidden.  A thread that was
 * forked goes on from the events of its parent, up to the fork.
 *
 * Texts too long for an event stand behind a ref: `ref` is set then, and the
 * caller fills in the text before the request goes out.
 * spec: contracts/session-history-recovery — model input can be rebuilt from durable records
 */
#include "base/jw.h"
#include "core/io.h"
#include "core/state.h"

struct context_call {
	struct str call_id; /* the provider's */
	struct str name, args;
	struct str tool_call_id; /* ours */
	struct str args_ref;
};

struct context_image {
	struct str media_type, ref;
	struct str base64;  /* filled in by the caller */
	struct str omitted; /* why the model does not get it, for a note in its place */
};
/* The newest of a conversation are sent. */
#define CONTEXT_IMAGES_MAX 20

struct context_message {
	enum message_role role;
	struct str text;
	struct str ref;    /* where the whole text is, when it is not here */
	bool ref_is_input; /* the ref holds input parts as JSON, not plain text */
	int64_t at;        /* the event that it came with */
	struct str turn_id;
	struct str host_id; /* the turn that it stands in; another one for a steer */
	int64_t hidden_at;  /* the compaction that hid it; 0: none */
	bool is_removed;    /* by a rollback */
	int64_t placed; /* the event at which it took its place; later than `at` after a queue */
	bool is_start;  /* added at the start of the session: boundaries leave it alone */
	struct str call_id, tool_call_id, tool_name; /* tool */
	bool is_error;
	struct str state, state_ref; /* assistant: what its provider wants back */
	bool is_cut, is_paused;      /* assistant: it is not whole, and why */
	struct context_call *calls;  /* assistant */
	size_t call_count, call_cap;
	struct context_image *images; /* user, tool */
	size_t image_count;
};

/* What a model is told of a call that failed, without what the call wrote. */
struct str assemble_failure_text(struct arena *mem, const struct event *failed);

/* A thread whose events are taken, up to a sequence. */
struct conversation_origin {
	struct str thread_id;
	int64_t until;
};
#define ORIGINS_MAX 16

struct conversation_summary {
	int64_t at; /* the event that published it */
	struct str ref;
};

/* Where a conversation is read from; it is all that a later reader needs to rebuild it. */
struct conversation_start {
	int64_t from; /* first event */
	struct conversation_origin origins[ORIGINS_MAX];
	size_t origin_count;
	struct conversation_summary summary; /* of what stands before it; ref absent: none */
	int64_t cut_through; /* what took its place by this event is not sent; 0: none */
	int64_t cut_turns;   /* how many turns that are */
};

/* The thread and those that it was forked from. */
void assemble_origins_of(const struct st_thread *th, const struct state *w,
                         struct conversation_start *ret);
bool assemble_comes_from(const struct conversation_start *s, const struct event *ev);

/* Turns that a summary is to stand for. */
struct conversation_span {
	int64_t through;    /* every turn that ended by this event */
	struct str turn_id; /* and what this turn has behind it; absent: none */
};

struct assembly {
	struct arena *mem;
	struct conversation_start start;
	struct conversation_summary *summaries;
	size_t summary_count, summary_cap;
	const struct rec_context_item *sources; /* of the newest context.resolved */
	size_t source_count;
	struct context_message **messages;
	size_t count, cap;
	/* Inputs of turns that have not begun, and answers not yet completed. */
	struct context_message **waiting;
	size_t waiting_count, waiting_cap;
	/* What hooks added since the last request. */
	struct context_message **added;
	size_t added_count, added_cap;
	struct buf text; /* of the request that is open */
	struct str request_id;
};

/* What the next request of this turn is made of, and from which event on. */
void assemble_start_of(const struct st_thread *th, const struct st_turn *t, const struct state *w,
                       struct conversation_start *ret);
/* The same as JSON members, and back. */
void assemble_start_write(struct json_writer *w, const struct conversation_start *s);
void assemble_start_read(struct arena *mem, struct json v, struct str thread_id,
                         struct conversation_start *ret);

void assemble_init(struct assembly *a, struct arena *mem, const struct conversation_start *start);
void assemble_done(struct assembly *a);
/* The classes that matter, as a bit set for the store. */
void assemble_types(uint64_t types[4]);
bool assemble_takes(enum event_type type);
void assemble_feed(struct assembly *a, const struct event *ev);

/*
 * The same in other memory, to be fed on or finished, as if it had begun with
 * the later first event of `start`, and with its cut (assemble_copy.c).  Summaries are not copied: it is for
 * threads whose past was never summed up.
 */
void assemble_copy(const struct assembly *a, const struct conversation_start *start,
                   struct arena *mem, struct assembly *ret);

/*
 * Everything was fed: `messages` becomes what is sent, instructions and the
 * summary first, without what is hidden.
 */
void assemble_finish(struct assembly *a);
/*
 * The same for a request that asks for a summary of these turns: the summary
 * before it, what they said, each text cut so that all of it takes no more
 * than so many bytes, and the wish.
 */
void assemble_finish_summary(struct assembly *a, const struct conversation_span *span,
                             size_t max_bytes, struct str wish);

/* The text of input parts: what a ref with ref_is_input holds. */
struct str assemble_text(struct arena *mem, struct str parts_json);

#endif
