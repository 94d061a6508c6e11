/* move: a whole log to another data directory or database. */
#include "app/cli/cli.h"
#include "app/cli/cli_settings.h"
#include "app/cli/print/out.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool is_address(const char *name)
{
	return strstr(name, "://") != NULL;
}

static const char *end_of(struct cli *c, const char *name)
{
	return is_address(name) ? name : paths_absolute(c, name);
}

/* The option, else the setting; NULL: the setting's default. */
static const char *schema_of(struct cli *c, const char *option)
{
	return option ? option : cli_settings_word(c, "store.schema", "THOLE_STORE_SCHEMA");
}

static void show_progress(void *arg, const char *what, unsigned long long done)
{
	struct cli *c = arg;

	if (c->is_tty_err && !c->opts.quiet && !c->opts.plain)
		fprintf(stderr, "\r%llu %s ", done, what);
}

static int put_error(struct cli *c, const struct thole_error *e)
{
	out_error(c, "%s.", out_safe(c->mem, str_from(e->message)));
	return e->code == THOLE_CONFIG  ? CODE_USAGE
	       : e->code == THOLE_STORE ? CODE_STORE
	                                : CODE_FAILED;
}

static void put_next_step(struct cli *c, const struct thole_move *m)
{
	if (is_address(m->to) && !is_address(m->from))
		out_note(c, TONE_ASK,
		         "Set store.url to the database, and the directory is that of a node. Its "
		         "old "
		         "log is log.db.moved; delete it when you no longer need it.");
	else if (!is_address(m->to))
		out_note(c, TONE_ASK, "The token and keys of providers stay where they were.");
}

static void put_result(struct cli *c, const struct thole_move *m, const struct thole_moved *r)
{
	if (c->opts.json) {
		printf("{\"sessions\":%llu,\"events\":%llu,\"outputs\":%llu,\"missingOutputs\":%"
		       "llu,"
		       "\"wasComplete\":%s,\"verified\":true}\n",
		       r->sessions, r->events, r->outputs, r->missing_outputs,
		       r->was_complete ? "true" : "false");
		return;
	}
	if (r->was_complete)
		printf("The log had been moved before; nothing was left to do.\n");
	else
		printf("moved %llu event%s in %llu session%s with %llu large output%s; both logs "
		       "were "
		       "compared\n",
		       r->events, r->events == 1 ? "" : "s", r->sessions,
		       r->sessions == 1 ? "" : "s", r->outputs, r->outputs == 1 ? "" : "s");
	if (r->missing_outputs)
		out_note(c, TONE_ASK,
		         "%llu large outputs that the log names are not in the source, as `thole "
		         "verify` says; they were not moved.",
		         r->missing_outputs);
	put_next_step(c, m);
}

int verb_move(struct cli *c)
{
	struct thole_move m = { .forced = c->opts.force, .tell = show_progress, .arg = c };
	struct thole_moved moved = { 0 };
	struct thole_error e = { 0 };
	const char *missing;

	if (!c->opts.from || !c->opts.to)
		return opt_usage(c, "Say --from and --to, each a data directory or an address.");
	m.from = end_of(c, c->opts.from);
	m.to = end_of(c, c->opts.to);
	m.from_schema = schema_of(c, c->opts.from_schema);
	m.to_schema = schema_of(c, c->opts.to_schema);
	m.files = is_address(m.from) ? c->data : NULL;
	umask(077);
	/* The parents of a new directory may not exist yet. */
	missing = is_address(m.to) ? NULL : paths_make_parents(c, m.to);
	if (missing) {
		out_error(c, "%s could not be made.", out_safe(c->mem, str_from(missing)));
		return CODE_FAILED;
	}
	thole_move(&m, &moved, &e);
	if (c->is_tty_err && !c->opts.quiet && !c->opts.plain)
		fprintf(stderr, "\r\033[K");
	if (e.code)
		return put_error(c, &e);
	put_result(c, &m, &moved);
	return CODE_DONE;
}
