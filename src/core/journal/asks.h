#ifndef CORE_JOURNAL_ASKS_H
#define CORE_JOURNAL_ASKS_H
/*
 * Questions of a decision to the outside: where a path leads, what a file
 * contains, which sandbox a call gets, what an account holds.
 *
 * Recording, the first answer to a question is noted and holds for the whole
 * group, so that all its decisions see one world.  Replaying, the notes answer
 * and nothing outside is touched; a question without a note is reported
 * (`missing`).  A note has a hash of its question, not the text.
 *
 * Balances and limits may change with each event of a group: their questions
 * count once per step.  Answers of 0 and "none" are not noted.
 */
#include "catalog/rec_pack.h"
#include "core/settings.h"

struct decision;
struct ledger_view;
struct limit_entry;
struct ledger_question;

enum ask {
	ASK_REAL,
	ASK_DIGEST,
	ASK_CODE,
	ASK_HOOKS,
	ASK_ZONE,
	ASK_BIND,
	ASK_SPENT,
	ASK_LIMIT,
	ASK_GRANTS,
	ASK_ROOM
};

struct ask_note {
	struct ask_note *next;
	enum ask kind;
	uint32_t question;
	struct str answer;  /* of a path or a file */
	int64_t number;     /* of the others */
	const void *record; /* of a sandbox, a limit, grants */
};

struct asks {
	struct arena *mem;     /* of the notes; lives as long as the group */
	struct settings plain; /* the settings without the notes */
	bool is_replay;
	int step;
	struct ask_note *notes;
	struct rec_packer *out; /* recording: where they are packed */
	size_t count;
	const char *missing; /* replaying: what had no note; NULL: all had one */
	bool has_grants;
	int64_t (*spent)(void *owner, struct str account);
	enum ledger_room (*room)(void *owner, const struct ledger_question *q);
	void *spent_owner; /* of both */
};

/* Makes the questions of these settings, and of this view of the ledger or NULL, pass here. */
void asks_wrap(struct asks *a, struct settings *s, struct ledger_view *view);
/* Reads the notes of a record; false: they are damaged. */
bool asks_read(struct asks *a, struct rec_unpacker *u) MUST_USE;

/* What a provider reported last; NULL: nothing. */
const struct limit_entry *asks_limit(const struct decision *d, struct str provider,
                                     enum limit_kind kind);
/* The state that holds the grants beyond a session; NULL: none. */
const struct state *asks_grants(const struct settings *s);

#endif
