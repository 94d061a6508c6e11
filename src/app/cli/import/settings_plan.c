/* Collects changes of settings, and translates what both programs have alike: tool servers. */
#include "app/cli/import/settings_plan.h"

#include "app/cli/print/out.h"
#include "base/jw.h"
#include "base/path/foreign_file.h"

#include <string.h>

#define FILE_MAX_BYTES (1u << 20)

void settings_plan_add(struct settings_plan *p, struct plan_change change)
{
	for (size_t i = 0; change.place == PLAN_VALUE && i < p->count; i++)
		if (strcmp(p->changes[i].key, change.key) == 0)
			return; /* the first file, or the profile in force, decides */
	if (p->count == PLAN_MAX) {
		p->has_more = p->is_full = true;
		return;
	}
	p->changes[p->count++] = change;
}

/* What was dropped may be a rule that denies, so nothing that allows is taken. */
void settings_plan_close(struct settings_plan *p)
{
	size_t kept = 0;

	if (!p->is_full)
		return;
	for (size_t i = 0; i < p->count; i++)
		if (p->changes[i].kind == PLAN_PLAIN)
			p->changes[kept++] = p->changes[i];
	p->count = kept;
	/* Told even if the list of what is left out is full too. */
	p->left_count = MIN(p->left_count, PLAN_MAX - 1);
	settings_plan_leave(p, STR("everything that gives more rights"),
	                    "there are more settings than one import takes over");
}

void settings_plan_leave(struct settings_plan *p, struct str what, const char *why)
{
	if (p->left_count == PLAN_MAX) {
		p->has_more = true;
		return;
	}
	p->left[p->left_count++] =
		(struct plan_left){ arena_keep(p->c->mem, str_head(what, 200)), why };
}

struct str settings_plan_text(struct settings_plan *p, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_str(&w, value);
	return arena_keep(p->c->mem, buf_str(&out));
}

bool settings_plan_file(struct settings_plan *p, struct str root, const char *name, struct str *ret)
{
	struct foreign_file f;
	struct error e;
	enum err code = foreign_file_read(p->c->mem, root, name, FILE_MAX_BYTES, &f, &e);

	*ret = STR_NONE;
	if (code == OK) {
		*ret = f.text;
		return true;
	}
	if (code == ERR_NOT_FOUND)
		return false;
	*ret = STR("");
	settings_plan_leave(p, str_from(name), out_safe(p->c->mem, str_from(e.message)));
	return false;
}

void settings_plan_leave_others(struct settings_plan *p, struct json obj, const char *const *known,
                                const char *why)
{
	struct json_iter it = json_iter(obj);
	struct json v;
	struct str key;

	while (json_type(obj) == JSON_OBJ && json_next(&it, &key, &v)) {
		const char *const *each = known;

		while (*each && !str_eq(key, str_from(*each)))
			each++;
		if (!*each)
			settings_plan_leave(p, key, why);
	}
}

/* ---- tool servers ---- */

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
		            name.ptr[i]))
			return false;
	return name.len > 0 && name.len <= 64;
}

static bool is_variable(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
		            name.ptr[i]))
			return false;
	return name.len > 0;
}

static void write_variable(struct settings_plan *p, struct json_writer *w, struct str name)
{
	if (import_secret_is_own(name))
		settings_plan_leave(p, name,
		                    "it is a key of the daemon, which no tool server gets");
	else if (is_variable(name))
		jw_kstr(w, name, arena_printf(p->c->mem, "${%.*s:-}", STR_ARG(name)));
}

/* The value of each is read from the environment of the daemon. */
static void write_env(struct settings_plan *p, struct json_writer *w, struct json server)
{
	struct json env = JSON_GET(server, "env"), vars = JSON_GET(server, "env_vars"), v;
	struct json_iter it = json_iter(env);
	struct str key;

	if (!json_count(env) && !json_count(vars))
		return;
	JW_KEY(w, "env");
	jw_obj(w);
	while (json_next(&it, &key, &v))
		write_variable(p, w, key);
	it = json_iter(vars);
	while (json_next(&it, &key, &v))
		if (!json_is(json_get(env, json_str(v))))
			write_variable(p, w, json_str(v));
	jw_obj_end(w);
}

static struct str server_text(struct settings_plan *p, struct json server)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json args = JSON_GET(server, "args"), off = JSON_GET(server, "enabled");
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "command", json_str(JSON_GET(server, "command")));
	if (json_count(args)) {
		JW_KEY(&w, "args");
		jw_value(&w, args);
	}
	write_env(p, &w, server);
	if (!json_bool(off, true))
		JW_KBOOL(&w, "enabled", false);
	jw_obj_end(&w);
	return arena_keep(p->c->mem, buf_str(&out));
}

/* A command or an argument may hold a key; then it is not ours to copy. */
static bool has_secret(struct json server)
{
	return import_secret_in(JSON_GET(server, "command")) ||
	       import_secret_in(JSON_GET(server, "args"));
}

static void add_server(struct settings_plan *p, struct str name, struct json server)
{
	struct str what = arena_printf(p->c->mem, "tool server %.*s", STR_ARG(str_head(name, 100)));

	if (!is_name(name))
		settings_plan_leave(p, what,
		                    "its name has other characters than letters, digits, _ and -");
	else if (!json_str(JSON_GET(server, "command")).len)
		settings_plan_leave(
			p, what, "it is no program: servers at an address are not supported yet");
	else if (has_secret(server))
		settings_plan_leave(p, what,
		                    "its command or an argument may hold a key; add the server by "
		                    "hand, with the key "
		                    "in a variable");
	else
		settings_plan_add(p, (struct plan_change){ .kind = PLAN_SERVER,
		                                           .place = PLAN_MEMBER,
		                                           .key = "mcp.servers",
		                                           .member = name,
		                                           .json = server_text(p, server),
		                                           .from = what });
	if (json_count(JSON_GET(server, "env")))
		settings_plan_leave(
			p, arena_printf(p->c->mem, "values of variables of %.*s", STR_ARG(what)),
			"they may be secrets; set them in the environment of the daemon");
}

void settings_plan_servers(struct settings_plan *p, struct json servers)
{
	struct json_iter it = json_iter(servers);
	struct json v;
	struct str key;

	while (json_type(servers) == JSON_OBJ && json_next(&it, &key, &v))
		add_server(p, key, v);
}
