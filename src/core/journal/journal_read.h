#ifndef CORE_JOURNAL_READ_H
#define CORE_JOURNAL_READ_H
/*
 * Reads journal records.
 *
 * Records of a session are read in order, from one with a key on: each is written
 * as a difference to the last key, so one that is missing costs no other.  The bytes may come from anywhere;
 * a damaged record is reported and never crashes the reader.
 *
 * Everything in a record lives in the arena that was given for it, or in the
 * bodies of the group's events.
 */
#include "core/decision.h"
#include "core/journal/journal.h"

/* Which settings a decision had, by their refs. */
struct journal_refs {
	struct str config_ref, inventory_ref, rules_ref, rules_trouble;
	const struct str *lent;
	size_t lent_count;
};

struct journal_read_moment {
	struct journal_moment at;
	struct journal_refs refs;
};

struct journal_read_input {
	unsigned input;
	const void *args;
};

struct journal_record {
	uint64_t first; /* number of its first decision, for journal_ids() */
	/* What the first decision was given; zero: nothing. */
	bool has_call;
	struct command_call call;
	const struct context_picture *context;
	struct call_input *inputs; /* their texts are still to be read */
	const struct st_task **recalled;
	size_t recalled_count;
	const struct history_point *point;
	const struct rec_job_item *item;
	struct str foreign;
	int64_t item_count, clock_offset;
	const struct lease *leases;
	size_t lease_count;
	struct journal_read_input *calls;
	size_t call_count;
	struct journal_read_moment *moments;
	size_t moment_count;
	struct asks asks;
};

enum journal_result {
	JOURNAL_READ,
	JOURNAL_DAMAGED, /* not what was written */
	JOURNAL_KEYLESS, /* the record with its key is missing */
	JOURNAL_FOREIGN, /* written by a version with other inputs */
	JOURNAL_GONE,    /* a text that it refers to is gone */
};

struct journal_reader {
	bool has_key;
	uint64_t decide_version;
	uint32_t layout;
	struct journal_session session; /* seed */
	struct journal_moment base;
	struct journal_refs refs;
	struct arena *mem; /* of the refs; owned */
	/* The text of a blob; absent: it is gone.  May be NULL. */
	struct str (*blob)(void *owner, struct arena *mem, struct str ref);
	void *owner;
};

void journal_read_done(struct journal_reader *r);

/* The key of a record, when it has one: also of a record without a body. */
enum journal_result journal_read_key(struct journal_reader *r, struct str key);
/* stamp: the time of the group's first event. */
enum journal_result journal_read_body(struct journal_reader *r, struct arena *mem, struct str body,
                                      const struct str *events, size_t event_count, int64_t stamp,
                                      struct journal_record *ret);
/* How many events the group has; 0: the body is damaged. */
size_t journal_read_count(struct str body);

#endif
