/* auth: manages provider keys, stored in files of the data directory with mode 0600. */
#include "app/cli/connection.h"
#include "app/cli/hidden_line.h"
#include "app/cli/print/key_origin.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

#include "base/gen/words.h"
#include "base/jw.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_MAX 8192

/* ---- add ---- */

static int tell(struct cli *c, int code, const struct thole_error *e)
{
	out_error(c, "%s.", e->message);
	return code == THOLE_CONFIG ? CODE_USAGE : CODE_CONFIG;
}

/*
 * The key is never an argument: every user of the machine can read command lines, and shells keep
 * them in a history.
 */
static int add(struct cli *c, const char *name)
{
	struct thole_error e;
	struct str key, read;
	int code;

	if (c->is_tty_in)
		key = hidden_line_read(c, arena_printf(c->mem, "Key of %s (it is not shown): ",
		                                       out_safe(c->mem, str_from(name)))
		                                  .ptr);
	else
		key = str_trim(paths_read_fd(c->mem, 0, KEY_MAX));
	if (!str_is(key) && c->is_tty_in)
		return CODE_INTERRUPTED;
	if (!key.len) {
		out_error(c, "There is no key on stdin.");
		fprintf(stderr, "  thole auth add %s < FILE\n", out_safe(c->mem, str_from(name)));
		return CODE_USAGE;
	}
	read = key; /* without a NUL at its end, where it was trimmed */
	key = arena_keep(c->mem, key);
	explicit_bzero((char *)read.ptr, read.len);
	code = thole_key_set(c->data, name, key.ptr, &e);
	explicit_bzero((char *)key.ptr, key.len);
	if (code)
		return tell(c, code, &e);
	out_note(c, TONE_PLAIN, "The key of %s is kept in %s; the next request uses it.", name,
	         paths_in_data(c, arena_printf(c->mem, "keys/%s", name).ptr));
	return CODE_DONE;
}

/* ---- ls ---- */

/* The runtime does not use a key file that other users can read. */
static const char *state_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "not a file";
	return st.st_mode & 077 ? "not used: it is open to others" : "kept";
}

/* A name with .new is a key that is being written. */
static bool is_key_file(const char *name)
{
	return name[0] != '.' && !str_ends(str_from(name), STR(".new"));
}

static void put_keys(struct cli *c, DIR *dir, struct table *t, struct json_writer *w)
{
	for (struct dirent *d; dir && (d = readdir(dir));) {
		const char *path = paths_in_data(c, arena_printf(c->mem, "keys/%s", d->d_name).ptr);
		const char *cells[] = { out_safe(c->mem, str_from(d->d_name)), state_of(path),
			                out_safe(c->mem, str_from(path)) };

		if (!is_key_file(d->d_name))
			continue;
		table_row(t, TONE_PLAIN, cells);
		jw_obj(w);
		JW_KSTR(w, "provider", str_from(d->d_name));
		JW_KSTR(w, "state", str_from(cells[1]));
		JW_KSTR(w, "path", str_from(path));
		jw_obj_end(w);
	}
}

/* What a running daemon found elsewhere, or what this environment lends it; none is started for this. */
static void put_found(struct cli *c, struct table *t, struct json_writer *w)
{
	struct thole *daemon = thole_connect(c->socket, NULL);
	struct json reply, row;
	struct params p;
	struct str key;

	if (!daemon)
		return;
	thole_close(daemon);
	if (connection_open(c))
		return;
	params_begin(&p);
	if (connection_try(c, "list_providers", &p, false, &reply) != THOLE_OK)
		return;
	struct json_iter it = json_iter(JSON_GET(reply, "providers"));

	while (json_next(&it, &key, &row)) {
		struct str from = json_str(JSON_GET(row, "keyFrom"));
		const char *cells[] = { out_field(c, row, "provider"), "found",
			                key_origin_text(c, row) };

		if (!from.len || str_eq(from, STR(WORD_KEY_ORIGIN_AUTH_FILE)) ||
		    str_eq(from, STR(WORD_KEY_ORIGIN_NOT_NEEDED)))
			continue;
		table_row(t, TONE_PLAIN, cells);
		jw_obj(w);
		JW_KSTR(w, "provider", str_from(cells[0]));
		JW_KSTR(w, "state", str_from(cells[1]));
		JW_KSTR(w, "from", str_from(cells[2]));
		jw_obj_end(w);
	}
}

/* Values are never shown, only whether a key would be used. */
static int list(struct cli *c)
{
	static const char *const heads[] = { "PROVIDER", "STATE", "WHERE", NULL };
	DIR *dir = opendir(paths_in_data(c, "keys"));
	struct buf text = { 0 };
	struct json_writer w;
	struct table t;

	table_begin(&t, c, heads);
	jw_init(&w, &text);
	jw_arr(&w);
	put_keys(c, dir, &t, &w);
	put_found(c, &t, &w);
	jw_arr_end(&w);
	if (dir)
		closedir(dir);
	if (c->opts.json)
		printf("%.*s\n", STR_ARG(buf_str(&text)));
	else if (text.len > 2)
		table_print(&t, stdout);
	else
		out_note(c, TONE_DIM,
		         "No key is kept here; `thole auth add NAME` keeps one. Keys in the "
		         "environment are listed while a daemon runs.");
	buf_done(&text);
	return CODE_DONE;
}

/* ---- rm ---- */

static int drop(struct cli *c, const char *name)
{
	const char *path = paths_in_data(c, arena_printf(c->mem, "keys/%s", name).ptr);
	bool was_there = !strchr(name, '/') && access(path, F_OK) == 0;
	struct thole_error e;
	int code = thole_key_set(c->data, name, NULL, &e);

	if (code)
		return tell(c, code, &e);
	if (!was_there) {
		out_error(c, "No key of %s is kept here.", out_safe(c->mem, str_from(name)));
		fprintf(stderr, "  `thole auth ls` lists those that are.\n");
		return CODE_FAILED;
	}
	out_note(c, TONE_PLAIN, "The key of %s is gone.", name);
	return CODE_DONE;
}

int verb_auth(struct cli *c)
{
	const char *what = c->arg_count ? c->args[0] : "ls";
	bool is_named = c->arg_count == 2;

	if (strcmp(what, "ls") == 0 || strcmp(what, "list") == 0)
		return is_named ? opt_usage(c, "`thole auth ls` takes no name.") : list(c);
	if (strcmp(what, "add") != 0 && strcmp(what, "rm") != 0)
		return opt_usage(c, "`thole auth` knows add, ls and rm, not \"%s\".", what);
	if (!is_named)
		return opt_usage(c, "`thole auth %s` wants the name of a provider, like openai.",
		                 what);
	return strcmp(what, "add") == 0 ? add(c, c->args[1]) : drop(c, c->args[1]);
}
