#ifndef EXPORT_ATIF_INT_H
#define EXPORT_ATIF_INT_H
/*
 * What the files of the trajectory writer share.
 *
 *	atif.c          passes, and which event goes where
 *	atif_doc.c      documents: head, end, and texts behind refs
 *	atif_put.c      values and content parts
 *	atif_clean.c    secrets in what was written
 *	atif_step.c     steps: user, system, and the open step of the agent
 *	atif_call.c     tool calls of the open step and their observations
 *	atif_sum.c      tokens and cost
 *	atif_groups.c    counts: the groups of BEN-10
 */
#include "export/atif/atif.h"
#include "export/atif/atif_groups.h"
#include "export/atif/atif_sum.h"

#include "base/jw.h"
#include "base/map.h"

#define ATIF_SCHEMA STR("ATIF-v1.7")
#define ATIF_TEXT_MAX (4u << 20) /* of one message, or of one result */
#define ATIF_FLUSH (64u << 10)
/* ---- documents ---- */

/* The trajectory of a thread, or of the request for a summary (then thread is absent). */
struct atif_doc {
	struct str id, thread, role;
	struct atif_doc *parent, *first, *last, *next; /* children in the order of the log */
	struct atif_sum sum;                           /* with those of its children */
	bool is_begun, has_list;
	/* of a summary */
	struct str model, summary_ref, preview, began_at, ended_at;
	int64_t turns;
};

/* ---- steps ---- */

struct atif_call {
	struct atif_call *next;
	struct str id, name;
	struct buf args, updated, extra, result; /* args: JSON text; extra, result: members of it */
	struct json_writer extra_w, result_w;
	struct buf events; /* decisions, sandbox, process: a JSON list in the order of the log */
	struct json_writer events_w;
	struct str content, content_ref; /* what the model was given */
	struct str child;                /* the subagent that the call started */
	struct buf images;
	bool is_ended;
};

/* The open step of the agent: one answer of a model, its calls and their results. */
struct atif_step {
	bool is_open, has_failed; /* has_failed: its last request did */
	struct arena *mem;
	struct str at, request, model, turn, task, run, effort;
	int64_t sequence;
	struct buf text, reasoning;
	struct atif_sum sum;
	int64_t llm_calls;
	struct buf attempts, notices; /* elements of JSON lists */
	struct json_writer attempts_w, notices_w;
	size_t notice_count;
	struct str stop_reason, provider_request;
	struct atif_call *first, *last;
};

/* A turn that was submitted and has not become a step yet. */
struct atif_input {
	struct atif_input *next;
	struct arena *mem;
	struct str turn;
	struct json ev;
	bool is_due;
};

/* A compaction while a call of the open step waits: its steps follow that step. */
struct atif_deferred {
	struct atif_deferred *next;
	struct arena *mem;
	struct json ev;
	struct atif_doc *summary;
};

struct atif {
	struct atif_options o;
	struct arena *mem;  /* documents */
	struct arena *pass; /* data of the document that is being written */
	struct buf out;
	struct json_writer w;
	bool has_failed, is_found, is_named;
	struct str session;

	struct atif_doc root, *at;
	struct map threads; /* thread -> document */
	bool is_first_pass;

	/* of the document that is being written */
	struct atif_groups groups;
	struct atif_step step;
	struct atif_input *inputs;
	struct atif_deferred *deferred;
	int64_t step_count;
	size_t step_from;         /* where in `out` the step begins */
	struct atif_doc *summary; /* of the compaction that runs */
	struct str summary_request;
	struct arena *instructions_mem;
	struct str instructions, instructions_hash; /* JSON: sources that no step shows yet */
	struct str model;                           /* PROVIDER/MODEL of the first request */
	struct str unclaimed[ATIF_LISTED]; /* children that no call of the open step names yet */
	size_t unclaimed_count;
	/* the last list of tools, for threads that refer to it */
	struct arena *tools_mem;
	struct json tools;
	int64_t tools_sequence;
	bool uses_tools, has_more_tools; /* more than its event lists */
};

static inline struct str atif_text(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

/* The value as a member, if there is one. */
void atif_put(struct json_writer *w, const char *key, struct json v);
/* Ids of an event that attribute a step: turn, task, run, attempt, and its sequence. */
void atif_put_ids(struct json_writer *w, struct json ev);
/* A content part: a text, or an image or file by its ref. */
void atif_put_text_part(struct json_writer *w, struct str text);
void atif_put_part(struct json_writer *w, struct json part);

/* Reads a text by ref; false: gone, and counted. */
bool atif_doc_read(struct atif *a, struct str ref, struct buf *out);
void atif_doc_open(struct atif *a);
struct atif_doc *atif_doc_add(struct atif *a, struct atif_doc *parent, struct str id);

/* atif_clean.c: removes secrets from the value that was written from this offset of `out` on */
void atif_clean_from(struct atif *a, size_t from);

/* atif_step.c */
void atif_step_init(struct atif *a);
void atif_step_done(struct atif *a);
void atif_step_request(struct atif *a, struct json ev);
void atif_step_close(struct atif *a); /* writes the open step, if there is one */
void atif_step_notice(struct atif *a, struct json ev);
void atif_step_input(struct atif *a, struct json ev);
void atif_step_due(struct atif *a, struct str turn);
void atif_step_drop_input(struct atif *a, struct str turn);
void atif_step_write_due(struct atif *a, bool with_all);
void atif_step_compacted(struct atif *a, struct json ev);
void atif_step_system(struct atif *a, struct json ev, struct str message, const char *type);
void atif_step_imported(struct atif *a, struct json ev);
void atif_step_empty(struct atif *a);
/* The whole document of a request for a summary. */
void atif_step_summary_doc(struct atif *a, struct atif_doc *d);

/* atif_call.c */
struct atif_call *atif_call_find(struct atif *a, struct json ev);
void atif_call_started(struct atif *a, struct json ev);
void atif_call_args(struct atif *a, struct json ev);
void atif_call_decision(struct atif *a, struct json ev);
void atif_call_sandbox(struct atif *a, struct json ev);
void atif_call_process(struct atif *a, struct json ev);
void atif_call_ended(struct atif *a, struct json ev);
void atif_call_hook(struct atif *a, struct json ev);
void atif_call_write_all(struct atif *a);
void atif_call_free_all(struct atif *a);

/* atif_groups.c */
void atif_groups_take(struct atif *a, struct json ev);
void atif_groups_write(struct atif *a);

#endif
