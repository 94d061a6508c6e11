/* token: prints and replaces the owner's token; makes, lists and revokes named tokens. */
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the owner's ---- */

/* A daemon that starts writes the file. */
static int print_owner(struct cli *c)
{
	const char *path = paths_in_data(c, "token");
	struct str token = str_trim(paths_read_file(c->mem, path, 4096));
	int code;

	if (!str_is(token)) {
		code = connection_open(c);
		if (code)
			return code;
		token = str_trim(paths_read_file(c->mem, path, 4096));
	}
	if (!str_is(token)) {
		out_error(c, "%s: %s.", path, strerror(errno));
		return CODE_CONFIG;
	}
	printf("%.*s\n", STR_ARG(token));
	return CODE_DONE;
}

/* The node that was asked has written its file before it answers. */
static int rotate_owner(struct cli *c)
{
	struct json reply;
	struct params p;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "rotate_token", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	out_note(c, TONE_DIM,
	         "The one before is refused. Browsers sign in again with `thole open`, devices are "
	         "paired again with `thole pair`.");
	return print_owner(c);
}

/* ---- new ---- */

/* "30d" counts from now; a day or a time is sent as it is.  NULL: neither. */
static const char *expiry_text(struct cli *c, const char *text)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	char *end;
	long long count = strtoll(text, &end, 10);
	time_t at;
	struct tm tm;
	char out[32];

	if (end == text || count <= 0)
		return NULL;
	if (*end == '-')
		return strchr(text, 'T') ? text : arena_printf(c->mem, "%sT00:00:00Z", text).ptr;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (*end != units[i].unit || end[1] || count > 100000)
			continue;
		at = time(NULL) + (time_t)(count * units[i].seconds);
		gmtime_r(&at, &tm);
		strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &tm);
		return arena_keep(c->mem, str_from(out)).ptr;
	}
	return NULL;
}

static void add_scopes(struct params *p, const char *text)
{
	struct str rest = str_from(text);

	jw_key(&p->w, STR("scopes"));
	jw_arr(&p->w);
	while (str_is(rest))
		jw_str(&p->w, str_cut(&rest, ','));
	jw_arr_end(&p->w);
}

static int make_token(struct cli *c, const char *name)
{
	const char *expires = c->opts.expires ? expiry_text(c, c->opts.expires) : NULL;
	struct json reply;
	struct params p;
	int code;

	if (c->opts.expires && !expires)
		return opt_usage(c,
		                 "--expires takes 12h, 30d, 8w or a day like 2027-01-31, not %s.",
		                 c->opts.expires);
	code = connection_open(c);
	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "name", name);
	add_scopes(&p, c->opts.scope ? c->opts.scope : "read,write");
	params_cstr(&p, "sessions", c->opts.sessions);
	params_cstr(&p, "tenant", c->opts.tenant);
	params_words(&p, "directories", &c->opts.dirs);
	params_cstr(&p, "expiresAt", expires);
	code = connection_call(c, "create_token", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	printf("%s\n", out_field(c, reply, "token"));
	out_note(c, TONE_DIM,
	         "It is shown only now; Thole keeps its hash. To end it, run: thole "
	         "token revoke %s",
	         out_safe(c->mem, str_from(name)));
	return CODE_DONE;
}

/* ---- ls, revoke ---- */

static const char *joined(struct cli *c, struct json list)
{
	struct json_iter it = json_iter(list);
	struct str all = STR(""), key;
	struct json v;

	while (json_next(&it, &key, &v))
		all = arena_printf(c->mem, "%.*s%s%.*s", STR_ARG(all), all.len ? "," : "",
		                   STR_ARG(json_str(v)));
	return all.ptr;
}

static int list_tokens(struct cli *c)
{
	static const char *const heads[] = { "NAME",  "TENANT", "SCOPES", "SESSIONS",
		                             "SINCE", "UNTIL",  NULL };
	struct json reply, v;
	struct json_iter it;
	struct params p;
	struct table t;
	struct str key;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "list_tokens", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	it = json_iter(JSON_GET(reply, "tokens"));
	if (!it.left) {
		out_note(c, TONE_DIM, "There are no named tokens; make one: thole token new NAME");
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = { out_field(c, v, "name"),
			                out_field_or_dash(c, v, "tenant"),
			                joined(c, JSON_GET(v, "scopes")),
			                out_field(c, v, "sessions"),
			                out_field_or_dash(c, v, "createdAt"),
			                out_field_or_dash(c, v, "expiresAt") };

		table_row(&t, TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
	return CODE_DONE;
}

static int revoke_token(struct cli *c, const char *name)
{
	struct json reply;
	struct params p;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "name", name);
	params_key(c, &p);
	code = connection_call(c, "revoke_token", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_DIM, "%s is revoked; %lld event streams were closed.",
		         out_safe(c->mem, str_from(name)),
		         (long long)json_int(JSON_GET(reply, "streams"), 0));
	return CODE_DONE;
}

int verb_token(struct cli *c)
{
	const char *what = c->arg_count ? c->args[0] : NULL;
	const char *name = c->arg_count > 1 ? c->args[1] : NULL;

	if (!what)
		return print_owner(c);
	if (strcmp(what, "ls") == 0)
		return name ? opt_usage(c, "token ls takes no name.") : list_tokens(c);
	if (strcmp(what, "rotate") == 0)
		return name ? opt_usage(c, "token rotate takes no name.") : rotate_owner(c);
	if (strcmp(what, "new") != 0 && strcmp(what, "revoke") != 0)
		return opt_usage(c, "token knows new, ls, revoke and rotate, not %s.", what);
	if (!name)
		return opt_usage(c, "token %s needs a name.", what);
	return strcmp(what, "new") == 0 ? make_token(c, name) : revoke_token(c, name);
}
