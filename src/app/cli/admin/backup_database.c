/*
 * backup and restore of a log in PostgreSQL.
 *
 * The library reads the moment and calls back for the dump while the server keeps it; pg_dump is a
 * child of this process.  A password reaches it by its environment, never as a word.
 */
#include "app/cli/admin/backup_database.h"

#include "app/cli/cli_settings.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MANIFEST_MAX (1u << 16)
#define PASSWORD "PGPASSWORD="

/* ---- settings ---- */

/* A daemon that was started with --store left its place, without user and parameters. */
static int refuse_unnamed(struct cli *c)
{
	struct str place = paths_read_regular(c->mem, paths_in_data(c, "store"), 4096);

	out_error(c, "The log of %s is in %.*s, and no setting names it.", c->data,
	          STR_ARG(str_trim(str_is(place) ? place : STR("PostgreSQL"))));
	fprintf(stderr, "  Name it with --store URL, or set store.url.\n");
	return CODE_CONFIG;
}

int backup_database_find(struct cli *c, bool *ret)
{
	int code = cli_settings_store(c);
	const char *url = code ? NULL : cli_settings_word(c, "store.url", "THOLE_STORE_URL");

	*ret = !code && cli_settings_has_store(c);
	return !code && *ret && (!url || !*url) ? refuse_unnamed(c) : code;
}

static int read_settings(struct cli *c, struct thole_options *ret)
{
	struct cli_settings s;
	int code = cli_settings_read(c, &s);

	*ret = (struct thole_options){ .config = s.config,
		                       .project = s.project,
		                       .overrides = s.overrides };
	return code;
}

static int print_error(struct cli *c, const struct thole_error *e)
{
	out_error(c, "%s.", out_safe(c->mem, str_from(e->message)));
	return e->code == THOLE_CONFIG    ? CODE_CONFIG
	       : e->code == THOLE_INVALID ? CODE_USAGE
	       : e->code == THOLE_STORE   ? CODE_STORE
	                                  : CODE_FAILED;
}

static struct json read_text(struct cli *c, const char *text)
{
	struct json doc = { 0 };

	if (text && json_read(c->mem, arena_keep(c->mem, str_from(text)), &doc, NULL) != OK)
		doc = (struct json){ 0 };
	return doc;
}

/* ---- pg_dump ---- */

/* The environment of this process, with this password. */
static char **environment(struct arena *mem, const char *password)
{
	size_t count = 0, n = 0;
	char **env;

	while (environ[count])
		count++;
	env = ARENA_ARRAY(mem, char *, count + 2);
	for (size_t i = 0; i < count; i++)
		if (!password || !str_starts(str_from(environ[i]), STR(PASSWORD)))
			env[n++] = environ[i];
	if (password)
		env[n] = (char *)arena_printf(mem, PASSWORD "%s", password).ptr;
	return env;
}

static int dump_failed(struct thole_error *err, const char *why)
{
	err->code = THOLE_IO;
	snprintf(err->message, sizeof err->message,
	         "backup_dump: pg_dump %s. A backup without a dump is made with --no-dump", why);
	return THOLE_IO;
}

/* What it says goes to our stderr. */
static int run_pg_dump(void *arg, const struct thole_dump *d, struct thole_error *err)
{
	struct cli *c = arg;
	const char *argv[] = { "pg_dump",
		               "--format=custom",
		               "--compress=1",
		               "--no-password",
		               arena_printf(c->mem, "--schema=%s", d->schema).ptr,
		               arena_printf(c->mem, "--snapshot=%s", d->snapshot).ptr,
		               arena_printf(c->mem, "--file=%s", d->file).ptr,
		               arena_printf(c->mem, "--dbname=%s", d->database).ptr,
		               NULL };
	int status, failed;
	pid_t pid;

	failed = posix_spawnp(&pid, "pg_dump", NULL, NULL, (char *const *)argv,
	                      environment(c->mem, d->password));
	if (failed == ENOENT)
		return THOLE_ENDED;
	if (failed)
		return dump_failed(err, strerror(failed));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return THOLE_OK;
	return dump_failed(err, "failed; what it said is above");
}

/* ---- backup ---- */

int backup_database_write(struct cli *c, const char *into, struct json *ret)
{
	struct thole_store_copy copy = { .into = into,
		                         .data_dir = c->data,
		                         .with_keys = c->opts.with_keys,
		                         .dump = c->opts.no_dump ? NULL : run_pg_dump,
		                         .arg = c };
	struct thole_error e = { 0 };
	struct thole_options o;
	char *text = NULL;
	int code = read_settings(c, &o);

	if (code)
		return code;
	if (thole_store_backup(&o, &copy, &text, &e) != THOLE_OK)
		code = print_error(c, &e);
	*ret = read_text(c, text);
	thole_free(text);
	return code;
}

static const char *word(struct cli *c, struct json v, const char *name)
{
	return out_safe(c->mem, json_str(json_get(v, str_from(name))));
}

static long long number(struct json v, const char *name)
{
	return (long long)json_int(json_get(v, str_from(name)), 0);
}

static const char *more_than_one(long long n)
{
	return n == 1 ? "" : "s";
}

static void show_dump(struct cli *c, const char *target, struct json m)
{
	struct json dump = JSON_GET(m, "dump"), server = JSON_GET(m, "server");

	if (json_is(dump))
		printf("  dump         log.dump, %s, of the same moment\n",
		       out_bytes(c->mem, json_int(JSON_GET(dump, "bytes"), 0)));
	else if (!c->opts.no_dump)
		printf("  dump         none, because pg_dump is not installed. To make one of a "
		       "later moment:\n"
		       "               pg_dump --format=custom --schema=%s --file=%s.dump %s\n",
		       word(c, m, "schema"), out_safe(c->mem, str_from(target)),
		       word(c, m, "place"));
	if (str_is(json_str(JSON_GET(server, "lsn"))))
		printf("  base backup  any, with the WAL up to %s%s%s or later\n",
		       word(c, server, "lsn"),
		       json_is(JSON_GET(server, "walFile")) ? ", in file " : "",
		       word(c, server, "walFile"));
}

static void show_outputs(struct cli *c, struct json m)
{
	struct json outputs = JSON_GET(m, "outputs");
	long long in_bucket = number(outputs, "objectStore"), in_files = number(outputs, "files");

	printf("  outputs      %lld in the database", number(outputs, "database"));
	if (in_bucket)
		printf(", %lld in the bucket %s: keep its versions, or copy it from now on",
		       in_bucket, word(c, outputs, "bucket"));
	if (in_files)
		printf(", %lld in files of nodes", in_files);
	printf("\n");
}

/* Token, keys and chat history are files of each. */
static void show_nodes(struct cli *c, struct json m)
{
	struct json nodes = JSON_GET(m, "nodes");

	if (json_count(nodes) < 2)
		return;
	printf("  nodes       ");
	for (size_t i = 0; i < json_count(nodes); i++)
		printf(" %s", out_safe(c->mem, json_str(json_at(nodes, i))));
	printf(": of their data directories this backup has files of %s only\n",
	       out_safe(c->mem, str_from(c->data)));
}

void backup_database_show(struct cli *c, const char *target, struct json m)
{
	long long events = number(m, "events"), sessions = number(m, "sessions");
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_value_with(&w, m, STR("path"), str_from(target));
	if (c->opts.json) {
		printf("%.*s\n", STR_ARG(buf_str(&text)));
		return;
	}
	if (c->opts.quiet) {
		printf("%s\n", out_safe(c->mem, str_from(target)));
		return;
	}
	printf("backup %s: %lld event%s in %lld session%s of %s, at %s\n",
	       out_safe(c->mem, str_from(target)), events, more_than_one(events), sessions,
	       more_than_one(sessions), word(c, m, "place"), word(c, m, "at"));
	show_dump(c, target, m);
	show_outputs(c, m);
	show_nodes(c, m);
	printf("  to check it  thole backup --check %s --store URL-OF-THE-RESTORED-COPY\n",
	       out_safe(c->mem, str_from(target)));
}

/* ---- check ---- */

static void show_findings(struct cli *c, struct json report)
{
	struct json_iter it = json_iter(JSON_GET(report, "findings"));
	long long left = number(report, "findingCount");
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row)) {
		struct str session = json_str(JSON_GET(row, "sessionId"));

		printf("%s%s%s%s%s: %s\n", out_tone_on(c->color_out, TONE_BAD),
		       word(c, row, "code"), out_tone_off(c->color_out),
		       str_is(session) ? "  " : "",
		       str_is(session) ? out_safe(c->mem, session) : "", word(c, row, "detail"));
		left--;
	}
	if (left > 0)
		printf("... and %lld more\n", left);
}

static void show_report(struct cli *c, struct json report)
{
	long long events = number(report, "events"), sessions = number(report, "sessions");
	long long outputs = number(report, "outputs"), had = number(report, "backupSessions");
	long long continued = number(report, "continued");
	bool is_newer = json_bool(JSON_GET(report, "isNewer"), false);

	if (c->opts.json) {
		out_json(report);
		return;
	}
	show_findings(c, report);
	if (c->opts.quiet)
		return;
	printf("%s  %lld event%s in %lld session%s, %lld large output%s; %lld of %lld session%s of "
	       "the backup of %s %s here",
	       json_bool(JSON_GET(report, "whole"), false) ? "whole" : "not whole", events,
	       more_than_one(events), sessions, more_than_one(sessions), outputs,
	       more_than_one(outputs), continued, had, more_than_one(had),
	       word(c, report, "backupAt"),
	       is_newer         ? (continued == 1 ? "continues" : "continue")
	       : continued == 1 ? "is"
	                        : "are");
	if (number(report, "removed"))
		printf(", %lld removed since and recorded", number(report, "removed"));
	if (number(report, "expired"))
		printf(", %lld expired since", number(report, "expired"));
	printf("\n");
}

int backup_database_compare(struct cli *c, const char *dir)
{
	struct thole_error e = { 0 };
	struct thole_options o;
	char *report = NULL;
	int code = read_settings(c, &o);

	if (code)
		return code;
	switch (thole_store_compare(&o, dir, c->data, &report, &e)) {
	case THOLE_OK:
		break;
	case THOLE_REFUSED:
		code = CODE_FAILED;
		break;
	default:
		return print_error(c, &e);
	}
	show_report(c, read_text(c, report));
	thole_free(report);
	return code;
}

/* ---- restore ---- */

static struct json read_manifest(struct cli *c, const char *dir)
{
	const char *path = arena_printf(c->mem, "%s/backup.json", dir).ptr;
	struct str text = paths_read_own(c->mem, path, MANIFEST_MAX);
	struct json doc = { 0 };

	if (!str_is(text) || json_read(c->mem, text, &doc, NULL) != OK)
		doc = (struct json){ 0 };
	return doc;
}

bool backup_database_is(struct cli *c, const char *dir)
{
	return str_eq(json_str(JSON_GET(read_manifest(c, dir), "store")), STR("postgresql"));
}

/* A name that stands for a directory: an archive is unpacked first. */
static const char *show_unpacking(struct cli *c, const char *from, bool is_packed)
{
	const char *name = out_safe(c->mem, str_from(from));

	if (!is_packed)
		return name;
	fprintf(stderr, "  mkdir thole-backup\n  tar --extract --file %s -C thole-backup\n", name);
	return "thole-backup";
}

/* What a node finds in its data directory. */
static void show_files(struct cli *c, const char *name, const char *dir)
{
	static const char *const files[] = { "token", "keys", "sign.key", "chat_history.jsonl",
		                             "blobs" };
	const char *data = out_safe(c->mem, str_from(c->data));
	bool is_first = true;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		if (access(arena_printf(c->mem, "%s/%s", dir, files[i]).ptr, F_OK) != 0)
			continue;
		if (is_first)
			fprintf(stderr, "  mkdir -p -m 700 %s\n", data);
		is_first = false;
		fprintf(stderr, "  cp -r %s/%s %s/\n", name, files[i], data);
	}
}

void backup_database_show_restore(struct cli *c, const char *from, const char *dir, bool is_packed)
{
	struct json m = read_manifest(c, dir);
	struct str schema = json_str(JSON_GET(m, "schema"));
	const char *setting = "", *name;

	if (!str_eq(schema, STR("thole")))
		setting = arena_printf(c->mem, " -c store.schema=%s", out_safe(c->mem, schema)).ptr;
	out_error(c,
	          "backup_database: this is the backup of a log in PostgreSQL (%s, schema %s). The "
	          "tools "
	          "of PostgreSQL restore it:",
	          word(c, m, "place"), out_safe(c->mem, schema));
	name = show_unpacking(c, from, is_packed);
	if (json_is(JSON_GET(m, "dump")))
		fprintf(stderr,
		        "  createdb thole_restored\n"
		        "  pg_restore --no-owner --dbname thole_restored %s/log.dump\n",
		        name);
	else
		fprintf(stderr,
		        "  (restore a base backup of this server, with the WAL up to %s or "
		        "later)\n",
		        word(c, JSON_GET(m, "server"), "lsn"));
	fprintf(stderr, "  thole backup --check %s --store postgresql:///thole_restored%s\n", name,
	        setting);
	show_files(c, name, dir);
	fprintf(stderr, "  thole serve --data %s --store postgresql:///thole_restored%s\n",
	        out_safe(c->mem, str_from(c->data)), setting);
}
