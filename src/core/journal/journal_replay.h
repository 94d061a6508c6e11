#ifndef CORE_JOURNAL_REPLAY_H
#define CORE_JOURNAL_REPLAY_H
/*
 * Replay by deciding: makes the decisions of a log again and compares.
 *
 * The groups of a session are given in order.  Each is decided on the folded
 * state before it, with what its journal record says it was given and the
 * settings that its refs name; the envelopes must be equal byte for byte.  Then
 * the recorded events are folded, whatever the comparison said, so that one
 * difference does not lead to others.
 *
 * Equality is claimed for the same DECIDE_VERSION.  A group of another version
 * is compared too, and a difference then counts as version_differs.
 */
#include "core/journal/journal_read.h"

enum replay_verdict {
	REPLAY_SAME,
	REPLAY_DIFFERS,
	REPLAY_VERSION_DIFFERS,
	REPLAY_NOT_RECORDED, /* no record, or one whose key is missing */
	REPLAY_ERASED,
	REPLAY_EXPIRED, /* a text that the decision was given is gone */
	REPLAY_DAMAGED,
	REPLAY_VERDICTS
};

/* One word each, as `thole replay` prints them. */
struct str journal_replay_word(enum replay_verdict v);

struct replay_group {
	uint64_t first_seq;
	const struct str *events; /* bodies */
	size_t event_count;
	bool has_record;
	struct str key, body; /* body empty: it was erased; absent: it is damaged */
	bool has_erased;      /* one of its events was */
};

struct replay_result {
	/* wants: this text is to be read first, and the group to be given again; nothing changed */
	bool is_waiting;
	enum replay_verdict verdict;
	uint64_t seq; /* of the first event that differs */
	struct str
		words; /* one sentence, `at 57: recorded allow by rule user:3, now ask by mode` */
	struct str was, is; /* the envelopes; absent: there is none */
};

/*
 * The settings that refs name, for one decision; NULL: they are gone.  The result lives in mem, is
 * changed by the replay, and has functions for real, digest and the others where the runtime had.
 */
typedef struct settings *replay_settings(void *owner, struct arena *mem,
                                         const struct journal_refs *refs, const struct state *w);

struct journal_replay {
	struct state *w; /* after the groups so far; owned */
	struct journal_reader reader;
	struct leases leases;
	struct str wants; /* set by settings() and blob(): a ref that they have to read first */
	replay_settings *settings;
	void *owner;
	/*
	 * The settings are not those of the record: an event that says the same with other details
	 * (prices, the policy of a tool) is no difference, a decision that is another one is.
	 */
	bool is_what_if;
	bool has_erased; /* the state lacks what an erased event held: differences count as erased */
	uint64_t counts[REPLAY_VERDICTS]; /* groups */
};

/* w: the state before the first group, taken over.  blob may be NULL. */
void journal_replay_init(struct journal_replay *r, struct state *w, replay_settings *settings,
                         struct str (*blob)(void *owner, struct arena *mem, struct str ref),
                         void *owner);
void journal_replay_done(struct journal_replay *r);
/* The result lives in mem.  False: an event cannot be read, and the state is not advanced. */
bool journal_replay_group(struct journal_replay *r, struct arena *mem, const struct replay_group *g,
                          struct replay_result *ret);

#endif
