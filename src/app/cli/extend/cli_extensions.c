/* skills, commands, agents: lists the Markdown files that extend the agent. */
#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/verbs.h"

static bool is_trusted(struct json row)
{
	return json_bool(JSON_GET(row, "isTrusted"), false);
}

static bool has_error(struct json row)
{
	return json_str(JSON_GET(row, "error")).len > 0;
}

static const char *place_of(struct cli *c, struct json row)
{
	const char *source = out_field_or_dash(c, row, "source");

	return is_trusted(row) ? source : arena_printf(c->mem, "%s, not trusted", source).ptr;
}

static const char *description_of(struct cli *c, struct json row)
{
	struct str hint = json_str(JSON_GET(row, "argumentHint"));

	if (!hint.len)
		return out_field_or_dash(c, row, "description");
	return arena_printf(c->mem, "%s  (%s)", out_field_or_dash(c, row, "description"),
	                    out_safe(c->mem, hint))
	        .ptr;
}

/* Files that cannot be used are listed with the reason, below those that can. */
static void put_notes(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct json row;
	struct str key;
	bool is_any_new = false;

	while (json_next(&it, &key, &row)) {
		const char *path = out_safe(c->mem, json_str(JSON_GET(row, "path")));

		if (has_error(row))
			out_note(c, TONE_BAD, "%s: %s", path,
			         out_safe(c->mem, json_str(JSON_GET(row, "error"))));
		else if (str_is(json_str(JSON_GET(row, "note"))))
			out_note(c, TONE_DIM, "%s: %s", path,
			         out_safe(c->mem, json_str(JSON_GET(row, "note"))));
		is_any_new |= !has_error(row) && !is_trusted(row);
	}
	it = json_iter(JSON_GET(reply, "leftOut"));
	while (json_next(&it, &key, &row))
		out_note(c, TONE_ASK, "%s", out_safe(c->mem, json_str(row)));
	if (is_any_new)
		out_note(c, TONE_ASK,
		         "What is not trusted is not used. To read and trust it, run: "
		         "thole trust");
}

static void put_row(struct table *t, struct json row, char mark)
{
	struct cli *c = t->c;
	struct str name = json_str(JSON_GET(row, "name"));
	const char *cells[] = {
		arena_printf(c->mem, "%s%s", mark ? "/" : "", out_safe(c->mem, name)).ptr,
		place_of(c, row), description_of(c, row)
	};

	table_row(t, is_trusted(row) ? TONE_PLAIN : TONE_ASK, cells);
}

static void put_table(struct cli *c, struct json reply, char mark)
{
	static const char *const heads[] = { "NAME", "PLACE", "DESCRIPTION", NULL };
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct table t;
	struct json row;
	struct str key;
	size_t count = 0;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &row)) {
		if (has_error(row))
			continue;
		count++;
		if (c->opts.quiet)
			printf("%s\n", out_field_or_dash(c, row, "name"));
		else
			put_row(&t, row, mark);
	}
	if (count && !c->opts.quiet)
		table_print(&t, stdout);
}

static int list(struct cli *c, const char *kind, char mark)
{
	struct params p;
	struct json reply;
	const char *cwd;
	int code = paths_work_dir(c, &cwd);

	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	params_cstr(&p, "kind", kind);
	code = connection_call(c, "list_extensions", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	put_table(c, reply, mark);
	if (!json_count(JSON_GET(reply, "extensions")))
		out_note(c, TONE_DIM,
		         "there are no %ss; docs/how-to/extend.md tells how to add one", kind);
	if (!c->opts.quiet)
		put_notes(c, reply);
	return CODE_DONE;
}

int verb_skills(struct cli *c)
{
	return list(c, "skill", 0);
}

int verb_commands(struct cli *c)
{
	return list(c, "command", '/');
}

int verb_agents(struct cli *c)
{
	return list(c, "agent", 0);
}
