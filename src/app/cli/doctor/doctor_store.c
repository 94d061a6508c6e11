/*
 * doctor's checks of a log in PostgreSQL.  The library makes them, over a connection of its own,
 * so they do not need a daemon, and say why none starts.
 */
#include "app/cli/doctor/doctor.h"

#include "app/cli/cli_settings.h"

static enum health health_of(struct str status)
{
	return str_eq(status, STR("bad"))    ? HEALTH_BAD
	       : str_eq(status, STR("note")) ? HEALTH_NOTE
	                                     : HEALTH_OK;
}

static const char *word_of(struct doctor *d, struct json row, const char *name)
{
	struct str word = json_str(json_get(row, str_from(name)));

	return str_is(word) ? arena_keep(d->c->mem, word).ptr : NULL;
}

static void tell_checks(struct doctor *d, const char *report)
{
	struct json_iter it;
	struct json all, row;
	struct str key;

	if (json_read(d->c->mem, arena_keep(d->c->mem, str_from(report)), &all, NULL) != OK)
		return;
	it = json_iter(JSON_GET(all, "checks"));
	while (json_next(&it, &key, &row))
		doctor_tell(d, health_of(json_str(JSON_GET(row, "status"))), word_of(d, row, "id"),
		            word_of(d, row, "detail"), word_of(d, row, "remedy"));
}

/* A daemon that was started with --store left its place, without user and parameters. */
static void tell_unnamed(struct doctor *d)
{
	struct str place = paths_read_regular(d->c->mem, paths_in_data(d->c, "store"), 4096);

	if (str_is(place))
		doctor_tell(d, HEALTH_NOTE, "store.reach",
		            arena_printf(d->c->mem, "the log is in %.*s, and no setting names it",
		                         STR_ARG(str_trim(place)))
		                    .ptr,
		            "To check it, run: thole doctor --store URL; or set store.url.");
}

void doctor_store(struct doctor *d)
{
	struct cli_settings s;
	struct thole_options o;
	struct thole_error e;
	const char *why, *url;
	char *report = NULL;

	/* check_settings() has reported settings that cannot be used. */
	if (cli_settings_read(d->c, &s) != CODE_DONE || !cli_settings_are_good(d->c, &s, &why))
		return;
	url = cli_settings_word(d->c, "store.url", "THOLE_STORE_URL");
	if (!url || !*url) {
		tell_unnamed(d);
		return;
	}
	o = (struct thole_options){ .config = s.config,
		                    .project = s.project,
		                    .overrides = s.overrides };
	if (thole_store_check(&o, &report, &e) == THOLE_OK)
		tell_checks(d, report);
	else
		doctor_tell(d, HEALTH_BAD, "store.reach", e.message,
		            "docs/reference/store-errors.md describes this code.");
	thole_free(report);
}
