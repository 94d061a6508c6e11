#ifndef CORE_REVIEW_H
#define CORE_REVIEW_H
/*
 * A review of a log for people: what was asked, done and changed, who decided
 * what under which rule, what failed, waited or was lost, what it cost, and
 * which questions are open.
 *
 * Derived from events alone, as they are shown: a pack holds it as review.md and
 * review.json, and a replay makes both again.  The runtime makes no verdict: a
 * question is answered by record_evidence with kind review and the name of the
 * question, and the next review shows the answer.
 *
 * Memory is bounded: each list keeps its first REVIEW_LIST_MAX entries and counts
 * the others.
 */
#include "base/buf.h"
#include "core/evidence/evidence.h"

#define REVIEW_LIST_MAX 200

enum review_topic {
	REVIEW_ASKED,
	REVIEW_DONE,
	REVIEW_CHANGED,
	REVIEW_DECIDED,
	REVIEW_FAILED,
	REVIEW_WAITED,
	REVIEW_LOST,
	REVIEW_TOPICS,
};

/* Entries of one topic, as they are written. */
struct review_list {
	struct buf json, markdown;
	int64_t count;
};

struct review_question {
	struct str name, text;
	struct str action; /* that it waits for; absent: none */
	struct str outcome, source, note;
	bool is_gone; /* its action was resolved */
};

struct review {
	struct arena *mem, *event; /* of the review; of one event */
	struct evidence_tally tally;
	struct review_list lists[REVIEW_TOPICS];
	struct review_question *questions;
	size_t question_count;
	int64_t questions_beyond;
	struct str session_id;
	int64_t first, last;
	int64_t removed_through; /* by retention, as an event says; 0: nothing */
	int64_t cost;            /* billionths of a dollar */
	int64_t input_tokens, output_tokens, unknown_costs, waited_ms;
};

void review_init(struct review *r);
void review_done(struct review *r);
void review_event(struct review *r, const struct event *ev);
void review_write_json(struct json_writer *w, const struct review *r);
void review_write_markdown(struct buf *out, const struct review *r);

#endif
