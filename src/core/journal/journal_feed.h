#ifndef CORE_JOURNAL_FEED_H
#define CORE_JOURNAL_FEED_H
/*
 * Events of a session one by one, from a store or a pack, as groups for
 * journal_replay.h.  Holds one group at a time, so memory does not grow with the
 * length of a log.
 */
#include "core/journal/journal_replay.h"

/* The journal record that begins with an event. */
struct journal_feed_record {
	struct str key, body; /* as in struct replay_group */
};

struct journal_feed {
	struct journal_replay *replay;
	/* Called for every group; what it is given lives as long as the call. */
	void (*told)(void *owner, const struct replay_group *g, const struct replay_result *r);
	void *owner;

	struct arena *mem; /* of the open group */
	struct replay_group group;
	struct str *events;
	bool is_waiting;    /* replay->wants is to be read first: then journal_feed_end() again */
	bool has_taken;     /* the last event; false: it is to be given again after that */
	size_t cap, wanted; /* events of the open group; 0: none is open */
};

/* record is NULL in the middle of a group.  False: an event cannot be read. */
bool journal_feed_event(struct journal_feed *f, uint64_t seq, struct str body, bool is_erased,
                        const struct journal_feed_record *record) MUST_USE;
/* Decides the last group. */
bool journal_feed_end(struct journal_feed *f) MUST_USE;
void journal_feed_done(struct journal_feed *f);

#endif
