/* The settings of recorded decisions (journal_settings.h). */
#include "core/journal/journal_settings.h"

#include "core/settings/settings_change.h"
#include "core/settings/settings_read.h"

struct journal_settings_entry {
	struct journal_settings_entry *next;
	struct str config_ref, rules_ref;
	struct settings settings;
};

static bool is_same_ref(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

static const struct settings *find_entry(const struct journal_settings *s,
                                         const struct journal_refs *refs)
{
	for (const struct journal_settings_entry *k = s->first; k; k = k->next)
		if (is_same_ref(k->config_ref, refs->config_ref) &&
		    is_same_ref(k->rules_ref, refs->rules_ref))
			return &k->settings;
	return NULL;
}

static const struct settings *read_entry(struct journal_settings *s,
                                         const struct journal_refs *refs)
{
	struct str record = s->text(s->owner, refs->config_ref);
	struct str rules = str_is(record) ? s->text(s->owner, refs->rules_ref) : STR_NONE;
	struct journal_settings_entry *k;

	if (!str_is(record) || (str_is(refs->rules_ref) && !str_is(rules)))
		return NULL;
	k = ARENA_NEW(s->mem, struct journal_settings_entry);
	if (settings_change_apply(s->mem, s->change, arena_keep(s->mem, record),
	                          arena_keep(s->mem, rules), &k->settings, NULL) != OK)
		return NULL;
	k->config_ref = arena_keep(s->mem, refs->config_ref);
	k->rules_ref = arena_keep(s->mem, refs->rules_ref);
	s->add_functions(&k->settings, s->owner);
	if (s->rules)
		k->settings.rules = s->rules;
	k->next = s->first;
	s->first = k;
	return &k->settings;
}

struct settings *journal_settings_get(struct journal_settings *s, struct arena *mem,
                                      const struct journal_refs *refs)
{
	const struct settings *found = find_entry(s, refs);
	struct settings *mine;

	if (!found)
		found = read_entry(s, refs);
	if (!found)
		return NULL;
	mine = ARENA_NEW(mem, struct settings);
	*mine = *found;
	mine->rules_trouble = refs->rules_trouble;
	return mine;
}

void journal_settings_done(struct journal_settings *s)
{
	for (struct journal_settings_entry *k = s->first; k; k = k->next)
		settings_read_done(&k->settings);
	s->first = NULL;
}
