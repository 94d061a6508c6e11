#ifndef CORE_ASSEMBLE_H
#define CORE_ASSEMBLE_H
/*
 * The conversation that a model is sent, rebuilt from the log.
 *
 * The state holds no text.  The caller feeds the events of the range that a
 * request covers, in order, and gets the conversation of one thread: user
 * messages where their turn began (or where a steer was merged), completed
 * responses, calls and their results.  Responses of failed requests are left
 * out, except what a stopped one said; calls with an unknown result say so.
 * A text from a file or a resource is between tags that name it.
 *
 * A compaction hides the turns of its summary; a rollback removes turns and
 * brings back what a later compaction had hidden.  A forked thread continues
 * from the events of its parent, up to the fork.
 *
 * Texts too long for an event are stored behind a ref: `ref` is set then, and
 * the caller fills in the text before the request is sent.
 * spec: contracts/session-history-recovery — model input can be rebuilt from
 * durable records
 */
#include "core/state.h"
#include "base/jw.h"
#include "core/model_io.h"

struct assembly_call {
	struct str call_id; /* the provider's */
	struct str name, args;
	struct str tool_call_id; /* ours */
	struct str args_ref;
};

struct assembly_image {
	struct str media_type, ref;
	struct str name;       /* absent: the caller gave none */
	struct str base64;     /* filled in by the caller */
	struct str omitted;    /* why the model does not get the image; a note replaces it */
	int64_t bytes;         /* its size; 0: not known */
	struct str refused_by; /* provider/model that refused a request with it; absent: none */
};
/* Only the newest images of a conversation are sent. */
#define ASSEMBLY_IMAGES_MAX 20
#define ASSEMBLY_IMAGE_BYTES_MAX                                                                   \
	((int64_t)20 << 20) /* together; providers refuse larger requests */

struct assembly_message {
	enum message_role role;
	struct str text;
	struct str ref;       /* of the whole text, when it is stored as a blob */
	struct str source;    /* of a note or of data: where its text is stored; else absent */
	bool is_data;         /* the user named it: no instruction, whatever it says */
	struct str tag, name; /* of a note or an instruction: what its text is, for the model */
	bool ref_is_input;    /* the ref holds input parts as JSON, not plain text */
	int64_t at;           /* sequence of its event */
	struct str turn_id;
	struct str
		peer_message_id; /* user: what another program calls it; absent: it did not say */
	struct str host_id;      /* the turn in which it is placed; for a steer not its own */
	int64_t hidden_at;       /* the compaction that hid it; 0: none */
	bool is_removed;         /* by a rollback */
	int64_t placed;          /* sequence where it was placed; after `at` if it was queued */
	bool is_start;           /* added at the start of the session; boundaries do not apply */
	struct str call_id, tool_call_id, tool_name; /* tool */
	bool is_error;
	struct str state, state_ref; /* assistant: opaque data that the provider needs back */
	bool is_stop;                /* user: the note that its turn was stopped */
	bool is_cut, is_paused;      /* assistant: the response is incomplete, and why */
	struct assembly_call *calls; /* assistant */
	size_t call_count, call_cap;
	struct assembly_image *images; /* user, tool */
	size_t image_count;
};

/* The text about a failed call for the model, without the call's output. */
struct str assemble_failure_text(struct arena *mem, const struct event *failed);

/* A thread that contributes events, up to a sequence. */
struct assembly_origin {
	struct str thread_id;
	int64_t until;
};
#define ORIGINS_MAX 16

struct assembly_summary {
	int64_t at; /* the event that published it */
	struct str ref;
};

/* The start of a conversation; enough to rebuild it later. */
struct assembly_start {
	int64_t from; /* first event */
	struct assembly_origin origins[ORIGINS_MAX];
	size_t origin_count;
	struct assembly_summary summary; /* of the turns before `from`; ref absent: none */
	int64_t cut_through;             /* messages placed by this event are not sent; 0: none */
	int64_t cut_turns;               /* number of turns that are not sent */
};

/* The thread and those that it was forked from. */
void assemble_origins_of(const struct st_thread *th, const struct state *w,
                         struct assembly_start *ret);
bool assemble_comes_from(const struct assembly_start *s, const struct event *ev);

/* Turns that a summary replaces. */
struct assembly_span {
	int64_t through;    /* every turn that ended by this event */
	struct str turn_id; /* and the earlier rounds of this turn; absent: none */
};

struct assembly {
	struct arena *mem;
	struct assembly_start start;
	struct assembly_summary *summaries;
	size_t summary_count, summary_cap;
	const struct rec_context_item *sources; /* of the newest context.resolved */
	size_t source_count;
	struct assembly_message **messages;
	size_t count, cap;
	/* Inputs of turns that have not begun. */
	struct assembly_message **waiting;
	size_t waiting_count, waiting_cap;
	/* What hooks added since the last request. */
	struct assembly_message **added;
	size_t added_count, added_cap;
	struct buf text; /* of the request that is open */
	struct str request_id;
	/* The newest request to stop a turn, and its reason; 0: a person's own words. */
	struct str stop_turn_id;
	enum interrupt_reason stop_reason;
};

/* The messages of the turn's next request, and their first event. */
void assemble_start_of(const struct st_thread *th, const struct st_turn *t, const struct state *w,
                       struct assembly_start *ret);
/* Reads and writes the start as JSON members. */
void assemble_start_write(struct json_writer *w, const struct assembly_start *s);
void assemble_start_read(struct arena *mem, struct json v, struct str thread_id,
                         struct assembly_start *ret);

void assemble_init(struct assembly *a, struct arena *mem, const struct assembly_start *start);
void assemble_done(struct assembly *a);
/* The event classes that assembly needs, as a bit set for the store. */
void assemble_types(uint64_t types[4]);
bool assemble_takes(enum event_type type);
void assemble_feed(struct assembly *a, const struct event *ev);

/*
 * Copies an assembly into other memory, to be fed or finished, as if it had begun with the later
 * first event and the cut of `start` (assemble_copy.c).  The summary of both is the same.
 */
void assemble_copy(const struct assembly *a, const struct assembly_start *start, struct arena *mem,
                   struct assembly *ret);

/*
 * All events were fed: `messages` becomes the list to send, instructions and summary first, without
 * hidden messages.
 */
void assemble_finish(struct assembly *a);
/*
 * The same for a request that summarises these turns: the previous summary, the texts of the turns,
 * truncated so that all together take at most max_bytes, and the instruction.
 */
void assemble_finish_summary(struct assembly *a, const struct assembly_span *span, size_t max_bytes,
                             struct str wish);

/* The text of a message whose ref holds this content: texts of input parts, or between its tags. */
struct str assemble_text(struct arena *mem, const struct assembly_message *t, struct str content);

#endif
