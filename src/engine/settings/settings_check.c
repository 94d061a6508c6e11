/*
 * Replaces the settings of a decision by what their record says, so that every
 * test that runs with THOLE_STRICT=1 shows whether a record is enough to take
 * the decision again.
 *
 * A ref that does not name the settings in use ends the process: they were
 * changed without settings_record_changed().
 */
#include "engine/settings/settings_check.h"

#include "base/os/log.h"
#include "core/settings/settings_read.h"
#include "core/settings/settings_text.h"

#include <stdlib.h>

/* Decisions of a few directories alternate; reading compiles the schemas of all tools. */
#define REREAD_MAX 8

struct reread {
	struct list node;
	struct arena *mem;
	struct settings settings;
};

static void reread_free(struct engine *e, struct reread *r)
{
	e->record.reread_count--;
	list_remove(&r->node);
	settings_read_done(&r->settings);
	arena_free(r->mem);
}

static bool is_same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

static struct reread *reread_find(const struct engine *e, const struct settings *s)
{
	LIST_EACH (&e->record.reread, node) {
		struct reread *r = LIST_ITEM(node, struct reread, node);

		if (str_eq(r->settings.config_ref, s->config_ref) &&
		    is_same(r->settings.rules_ref, s->rules_ref))
			return r;
	}
	return NULL;
}

_Noreturn static void stop(const char *what, const struct settings *s, const char *why)
{
	log_line(LOG_ERROR, "engine", "the record of settings %.*s %s: %s", STR_ARG(s->config_ref),
	         what, why);
	abort();
}

static struct reread *reread_new(struct engine *e, struct str text, struct str rules,
                                 const struct settings *s)
{
	struct arena *mem = arena_new();
	struct reread *r = ARENA_NEW(mem, struct reread);
	struct error err;

	r->mem = mem;
	if (settings_read(mem, arena_keep(mem, text),
	                  str_is(rules) ? arena_keep(mem, rules) : STR_NONE, &r->settings, &err))
		stop("cannot be read", s, err.message);
	if (!str_eq(settings_text(mem, &r->settings), text))
		stop("is another one when it is written again", s, "a member is lost or changed");
	if (!is_same(r->settings.rules_ref, s->rules_ref))
		stop("has other rules", s, "rules_ref does not follow from their text");
	if (e->record.reread_count == REREAD_MAX)
		reread_free(e, LIST_ITEM(e->record.reread.next, struct reread, node));
	list_add(&e->record.reread, &r->node);
	e->record.reread_count++;
	return r;
}

/* What a record does not hold comes from the settings in use. */
static void add_rest(struct settings *to, const struct settings *from)
{
	to->ledger_view = from->ledger_view;
	to->session = from->session;
	to->real = from->real;
	to->digest = from->digest;
	to->runs_code = from->runs_code;
	to->runs_hooks = from->runs_hooks;
	to->zone = from->zone;
	to->zone_owner = from->zone_owner;
	to->bind = from->bind;
	to->bind_owner = from->bind_owner;
}

void settings_check_reread(struct engine *e, struct str rules, struct decision *d)
{
	const struct settings *s = d->settings;
	struct settings *mine = ARENA_NEW(d->mem, struct settings);
	struct str text = settings_text(d->mem, s);
	struct reread *r = reread_find(e, s);

	if (!str_eq(settings_text_ref(d->mem, text), s->config_ref))
		stop("is not that of the settings in use", s, "they changed without a new record");
	if (!r)
		r = reread_new(e, text, rules, s);
	*mine = r->settings;
	add_rest(mine, s);
	d->settings = mine;
}

void settings_check_free(struct engine *e)
{
	while (e->record.reread.next && !list_is_empty(&e->record.reread))
		reread_free(e, LIST_ITEM(e->record.reread.next, struct reread, node));
}
