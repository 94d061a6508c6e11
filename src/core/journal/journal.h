#ifndef CORE_JOURNAL_JOURNAL_H
#define CORE_JOURNAL_JOURNAL_H
/*
 * The journal: what decisions were given, so that they can be made again.
 *
 * A group is one call into the core (a command or an input) and the steps that
 * follow from it: one part of one commit.  The engine has one struct journal and
 * fills it while a group is decided:
 *
 *   journal_begin ─► journal_moment ─► journal_input ─┐
 *                        ▲                            │ apply, next step
 *                        └────────────────────────────┘
 *                    journal_write: the record of the group
 *
 * A group without events leaves no record.  The record has two parts: `body`
 * belongs to the group; `key` has what rarely changes (versions, seed of ids,
 * refs of the settings, balances) and is written with the first record of a
 * loaded session, when the settings changed, and every JOURNAL_KEY_EVERY records.
 * A record depends on the last key and on no other record.  The key holds no
 * text of users, so erasing an event drops only the body.
 *
 * docs/formats/journal.md describes the bytes.
 */
#include "catalog/rec_pack.h"
#include "core/journal/asks.h"

/* Raised by hand whenever the same inputs lead to other events. */
#define DECIDE_VERSION 11

#define JOURNAL_FORMAT 1
#define JOURNAL_KEY_EVERY 64
#define JOURNAL_SEED_BYTES 16

struct decision;
struct id_source;

/* A moment is written as a difference to the one before it, the first to that of the last key. */
struct journal_moment {
	int64_t now, ahead; /* of the wall clock */
	int64_t day_spent, day_reserved, tenant_spent, tenant_reserved, requests;
	int64_t tasks, tenant_tasks;
	bool has_ledger, others_first;
	uint64_t settings; /* hash of the refs and of the lent providers */
};

/* Of a loaded session; zero before its first record. */
struct journal_session {
	uint8_t seed[JOURNAL_SEED_BYTES]; /* all ids of its decisions derive from it */
	uint64_t decisions;               /* made since it was loaded: each has ids of its own */
	uint32_t since_key;               /* records; 0: the next one has a key */
	struct journal_moment base;       /* of the last key */
};

/* Where the text of a record may be instead: in the events and the blobs of its group. */
struct journal_text {
	const struct str *events; /* bodies */
	size_t event_count;
	const struct new_blob *blobs;
	size_t blob_count;
};

struct journal {
	struct journal_session *session;
	const struct decision *d; /* the current one */
	struct journal_moment at, base;
	uint64_t first; /* number of the group's first decision */
	struct rec_packer key, given, inputs, moments, notes;
	size_t input_count, moment_count;
	bool has_given, has_key;
	struct asks asks;
};

void journal_done(struct journal *j);

/* The ids of one decision; wall_ms: the time that they show. */
void journal_ids(const struct journal_session *s, uint64_t number, int64_t wall_ms,
                 struct id_source *ret);

/* mem lives as long as the group.  NULL as session: nothing is recorded. */
void journal_begin(struct journal *j, struct journal_session *s, struct arena *mem);
/* The next decision of the group; its settings and its view of the ledger then note questions. */
void journal_moment(struct journal *j, struct decision *d);
/* enum input and its struct (core/gen/inputs.h). */
void journal_input(struct journal *j, unsigned input, const void *args);
/* Appends the record to body, and its key to key if it has one. */
void journal_write(struct journal *j, const struct journal_text *text, struct buf *key,
                   struct buf *body);

/* A command: notes it and decides.  False: no topic owns it. */
bool journal_command(struct decision *d, unsigned command, const void *args);

#endif
