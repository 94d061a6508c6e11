/* config, path, token: prints paths, effective settings and the token. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/cli_settings.h"

#include <errno.h>
#include <unistd.h>

extern char **environ;

static void put_path(const char *label, const char *path)
{
	if (path)
		printf("%-10s %s%s\n", label, path,
		       access(path, F_OK) == 0 ? "" : "   (not there)");
}

/* Values that may be secrets are not shown. */
static bool is_secret(const char *entry)
{
	struct str name = str_from(entry);

	name = str_cut(&name, '=');
	return str_find(name, STR("TOKEN")) >= 0 || str_find(name, STR("KEY")) >= 0 ||
	       str_find(name, STR("SECRET")) >= 0 || str_eq(name, STR("THOLE_STORE_URL"));
}

/*
 * Only variables of this program, and secrets without their values: users send this output to
 * others.
 */
static void put_environment(struct cli *c)
{
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "THOLE_", 6) == 0)
			printf("%-10s %.*s%s\n", "variable",
			       is_secret(*e) ? (int)strcspn(*e, "=") : 4096,
			       out_safe(c->mem, str_from(*e)), is_secret(*e) ? " (not shown)" : "");
}

/* The address of a store may hold a password. */
static bool is_address(struct str key)
{
	return str_eq(key, STR("store.url"));
}

static void put_members(struct cli *c, const char *label, struct json obj)
{
	struct json_iter it = json_iter(obj);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		/* They are read from their files by the runtime, and are not in this layer. */
		bool are_rules = str_eq(key, STR("permission.rules"));

		printf("%-10s %s = %s\n", label, out_safe(c->mem, key),
		       are_rules         ? "(`thole policy show` lists them)"
		       : is_address(key) ? "(not shown)"
		                         : out_safe(c->mem, json_text(c->mem, v)));
	}
}

/* The same as JSON. */
static const char *shown(struct cli *c, const char *text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json set = { 0 }, v;
	struct json_iter it;
	struct json_writer w;
	struct str key;

	if (!text || json_read_trusted(c->mem, str_from(text), &set, NULL) != OK)
		return "{}";
	jw_init(&w, &out);
	jw_obj(&w);
	it = json_iter(set);
	while (json_next(&it, &key, &v)) {
		jw_key(&w, key);
		if (is_address(key))
			jw_str(&w, STR("(not shown)"));
		else
			jw_raw(&w, json_text(c->mem, v));
	}
	jw_obj_end(&w);
	return arena_keep(c->mem, buf_str(&out)).ptr;
}

static void put_text(struct cli *c, const char *label, const char *text)
{
	struct json set = { 0 };

	if (text && json_read_trusted(c->mem, str_from(text), &set, NULL) == OK)
		put_members(c, label, set);
}

/* Asks a running daemon; does not start one. */
static void put_daemon(struct cli *c)
{
	struct params p;
	struct json reply;

	c->t = thole_connect(c->socket, NULL);
	if (!c->t)
		return;
	params_begin(&p);
	if (connection_try(c, "get_capabilities", &p, false, &reply) != THOLE_OK)
		return;
	put_members(c, "daemon", JSON_GET(reply, "settings"));
	cli_settings_tell_unread(c);
}

/*
 * Shows what a new runtime would read, and what a running daemon has read; they differ after a
 * change of a file.
 */
int verb_config(struct cli *c)
{
	struct cli_settings s;
	int code = cli_settings_read(c, &s);

	if (code)
		return code;
	if (c->opts.json) {
		printf("{\"files\":%s,\"project\":%s,\"options\":%s}\n", shown(c, s.config),
		       shown(c, s.project), shown(c, s.overrides));
		return CODE_DONE;
	}
	put_path("data", c->data);
	put_path("socket", c->socket);
	put_path("token", paths_in_data(c, "token"));
	put_path("log", paths_in_data(c, "daemon.log"));
	put_path("system", PATH_SYSTEM_CONFIG);
	put_path("user", paths_user_config(c));
	put_path("project", s.project_file);
	put_environment(c);
	put_text(c, "setting", s.config);
	put_text(c, "project", s.project);
	put_text(c, "-c", s.overrides);
	put_daemon(c);
	return CODE_DONE;
}

/* For scripts: the path is printed alone, whether the file exists or not. */
int verb_path(struct cli *c)
{
	static const struct {
		const char *name, *file;
	} known[] = { { "socket", "socket" }, { "token", "token" }, { "log", "daemon.log" } };
	const char *what = c->arg_count ? c->args[0] : "data";

	if (strcmp(what, "data") == 0) {
		printf("%s\n", c->data);
		return CODE_DONE;
	}
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (strcmp(what, known[i].name) == 0) {
			printf("%s\n", paths_in_data(c, known[i].file));
			return CODE_DONE;
		}
	return opt_usage(c, "`thole path` knows data, socket, token and log, not \"%s\".", what);
}
