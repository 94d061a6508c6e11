#ifndef A2A_TASK_H
#define A2A_TASK_H
/*
 * A task for peers, folded from the events of one of our tasks.
 *
 *   events ──► a2a_task_event() ──► the task so far ──► a2a_task_write()
 *                      └──────────► what changed ─────► a2a_task_write_change()
 *
 * The same fold answers GetTask, begins a stream, continues it and writes push notifications, so
 * these cannot disagree.  An end is final: events after it change nothing.
 *
 * Pure.  The struct owns its strings; those of a change live as long as the event.
 */
#include "a2a/a2a_state.h"
#include "base/jw.h"
#include "base/json.h"

enum a2a_form {
	A2A_FORM_TEXT,   /* of a model, in pieces */
	A2A_FORM_DATA,   /* of a model that answered with JSON and nothing else; in one piece */
	A2A_FORM_CHANGE, /* what happened to a file, and what is stored of it */
	A2A_FORM_STORED, /* a file that a tool gave */
	A2A_FORM_RAW,    /* the same, short: its bytes are sent along */
	A2A_FORM_LINK,   /* the address of a file */
};

struct a2a_artifact {
	enum a2a_form form;
	struct str id, name, media_type;
	struct str ref;        /* of what is stored of a file: itself, or its diff; or an address */
	struct str change;     /* of a file, JSON */
	struct str content;    /* of a file, in base64 */
	struct str request_id; /* of the model request that writes it */
	struct buf text;       /* or JSON */
	bool is_cut;           /* more text was written than a task shows */
	bool is_void;          /* its request failed: the next one writes it again */
};

struct a2a_entry {
	struct str id, text;
	bool is_agent, is_cut;
};

struct a2a_task {
	struct arena *mem;
	char *light;                    /* instead of mem: it keeps no texts */
	struct str session_id, task_id; /* that it folds */
	struct str output_url;          /* in front of the ref of a file */
	struct str thread_id, turn_id;
	enum a2a_state state;
	struct str at;               /* when it got this state, as in the event */
	struct str words;            /* question or reason; absent: none */
	struct str words_id, schema; /* of them; schema: JSON, of an answer */
	bool is_found;               /* its first event was seen */
	bool has_asked;              /* a person, of the peer or elsewhere */
	bool has_file;
	uint64_t first_sequence, last_sequence; /* of its events, so far */
	uint64_t open_step; /* hash of the id of the message that is being written */
	struct buf held;    /* its text so far, while it may become data */
	bool is_held;
	bool is_text_only; /* the peer takes no JSON */
	struct a2a_artifact *artifacts;
	struct a2a_entry *entries;
	uint32_t artifact_count, entry_count;
	size_t text_bytes;
	uint32_t left_out; /* artifacts beyond the limit */
};

enum a2a_change_kind { A2A_CHANGE_NONE, A2A_CHANGE_STATUS, A2A_CHANGE_ARTIFACT };

struct a2a_change {
	enum a2a_change_kind kind;
	/* as in a2a_artifact */
	enum a2a_form form;
	struct str artifact_id, name, media_type, ref, change, content, text;
	bool is_append, is_last;
};

void a2a_task_init(struct a2a_task *t, struct str session_id, struct str task_id,
                   struct str output_url);
void a2a_task_done(struct a2a_task *t);
/* Frees every text of a task that was found: from now on only changes are wanted. */
void a2a_task_lighten(struct a2a_task *t);

/*
 * An envelope of the session, in order; those of other tasks are ignored.  event and scratch live
 * until the change is written.
 */
void a2a_task_event(struct a2a_task *t, struct arena *scratch, struct json event,
                    struct a2a_change *ret);

/* Was this message of the peer taken before? */
bool a2a_task_has_message(const struct a2a_task *t, struct str message_id);

struct a2a_task_shown {
	bool without_artifacts;
	int64_t history; /* at most so many messages; negative: all that there are */
};

void a2a_task_write(struct json_writer *w, const struct a2a_task *t,
                    const struct a2a_task_shown *shown);
/* {"statusUpdate": ...} or {"artifactUpdate": ...} */
void a2a_task_write_change(struct json_writer *w, const struct a2a_task *t,
                           const struct a2a_change *c);
/*
 * Is the task a text and nothing else: completed, without a question and without files?  Then a
 * message can be the reply instead of the task.
 */
bool a2a_task_is_plain(const struct a2a_task *t);
/* NULL: the agent said nothing, or more than is kept. */
const struct a2a_artifact *a2a_task_last_text(const struct a2a_task *t);
/* The last text of such a task, as a message of the agent. */
void a2a_task_write_message(struct json_writer *w, const struct a2a_task *t);
/* From a row of list_tasks.  False: it is no task for peers. */
bool a2a_task_read_row(struct a2a_task *t, struct json row) MUST_USE;

#endif
