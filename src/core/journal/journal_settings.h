#ifndef CORE_JOURNAL_SETTINGS_H
#define CORE_JOURNAL_SETTINGS_H
/*
 * The settings of recorded decisions, found by the refs that a record names.
 *
 * Many decisions name the same settings: they are read once and kept until the end.
 */
#include "core/journal/journal_read.h"
#include "core/settings.h"

struct settings_change;
struct journal_settings_entry;

struct journal_settings {
	struct arena *mem;
	const struct settings_change *change; /* of the recorded settings; NULL: none */
	const struct rules *rules;            /* instead of the recorded ones; NULL: those */
	/* A recorded text; absent: there is none, or not yet. */
	struct str (*text)(void *owner, struct str ref);
	/* Adds the functions of settings, for which the journal has the answers. */
	void (*add_functions)(struct settings *s, void *owner);
	void *owner;
	struct journal_settings_entry *first; /* that were read */
};

/* In mem; NULL: a text is absent, or it cannot be read. */
struct settings *journal_settings_get(struct journal_settings *s, struct arena *mem,
                                      const struct journal_refs *refs);
void journal_settings_done(struct journal_settings *s);

#endif
