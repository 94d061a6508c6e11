#ifndef EVIDENCE_PACK_DECIDE_H
#define EVIDENCE_PACK_DECIDE_H
/*
 * The decisions of a pack, made again without a runtime.
 *
 * Verify the pack first: decisions from bytes that were changed prove nothing.
 */
#include "base/buf.h"
#include "core/settings.h"

struct settings_change;

struct pack_decide_options {
	const struct rules *rules;            /* instead of the recorded ones; NULL: those */
	const struct settings_change *change; /* of the recorded settings; NULL: none */
	/*
	 * Gives the settings functions for paths, files, sandboxes and time zones.  The journal
	 * answers all but the last; the others only show that there were answers.
	 */
	void (*add_functions)(struct settings *s, void *owner);
	void *owner;
};

/*
 * The report is that of replay_decisions.  ERR_INVALID: the pack has no journal, or it cannot be
 * read.
 */
enum err pack_decide(const char *path, const struct pack_decide_options *options,
                     struct buf *report, bool *ret_is_same, struct error *e) MUST_USE;

#endif
