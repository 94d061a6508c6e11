/* hooks: lists hooks, and records the user's trust in those of the project. */
#include "app/cli/admin/cli_hooks.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/paths.h"
#include "app/cli/print/table.h"
#include "app/cli/print/whole_text.h"
#include "base/gen/words.h"

#include <stdlib.h>
#include <string.h>

static enum tone tone_of(struct json row)
{
	if (json_str(JSON_GET(row, "refused")).len)
		return TONE_BAD;
	return str_eq(json_str(JSON_GET(row, "trust")), STR("untrusted")) ? TONE_ASK : TONE_PLAIN;
}

/* The handler comes last: the last cell is the one that is cut. */
static void add_row(struct table *t, struct json row)
{
	struct cli *c = t->c;
	const char *cells[] = { out_field_or_dash(c, row, "ref"),
		                out_field_or_dash(c, row, "point"),
		                out_field_or_dash(c, row, "trust"),
		                out_field_or_dash(c, row, "sandbox"),
		                whole_text_line(c->mem, json_str(JSON_GET(row, "handler"))) };

	table_row(t, tone_of(row), cells);
}

static void list_refused(struct cli *c, struct json hooks)
{
	struct json_iter it = json_iter(hooks);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (json_str(JSON_GET(v, "refused")).len)
			out_note(c, TONE_BAD, "%s: %s", out_field_or_dash(c, v, "ref"),
			         out_field_or_dash(c, v, "refused"));
}

static bool has_claude_hooks(struct json hooks)
{
	struct json_iter it = json_iter(hooks);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_find(json_str(JSON_GET(v, "ref")), STR("claude")) >= 0)
			return true;
	return false;
}

/* Hooks of the user's Claude Code run only after they were taken over; a new user expects them. */
static void tell_claude(struct cli *c, struct json hooks)
{
	const char *home = getenv("HOME");
	struct str text;
	struct json doc;

	if (!home || c->is_remote || c->opts.quiet || has_claude_hooks(hooks))
		return;
	text = paths_read_file(c->mem, arena_printf(c->mem, "%s/.claude/settings.json", home).ptr,
	                       1u << 20);
	if (!str_is(text) || json_read(c->mem, text, &doc, NULL) != OK ||
	    !json_count(JSON_GET(doc, "hooks")))
		return;
	out_note(c, TONE_ASK,
	         "~/.claude/settings.json has hooks that do not run here. To take them over, run: "
	         "thole import claude --only settings --with-hooks");
}

/* Whole, because trust covers what was shown; a cell of the table is cut. */
static size_t put_untrusted(struct cli *c, struct json hooks)
{
	struct json_iter it = json_iter(hooks);
	size_t count = 0;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		if (!str_eq(json_str(JSON_GET(v, "trust")), STR(WORD_HOOK_TRUST_UNTRUSTED)))
			continue;
		count++;
		whole_text_note(
			c, TONE_ASK,
			arena_printf(c->mem, "not trusted, at %s", out_field_or_dash(c, v, "point"))
				.ptr,
			json_str(JSON_GET(v, "handler")));
	}
	return count;
}

/* With the hash, so that a file which changes before the command is typed is not trusted. */
static void tell_untrusted(struct cli *c, struct json reply)
{
	if (put_untrusted(c, JSON_GET(reply, "hooks")))
		out_note(c, TONE_ASK,
		         "To let them run as they are now: thole hooks trust --hash %s",
		         out_field_or_dash(c, reply, "contentHash"));
}

void cli_hooks_tell_untrusted(struct cli *c, const char *cwd)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	if (connection_try(c, "list_hooks", &p, false, &reply) == THOLE_OK)
		tell_untrusted(c, reply);
}

/* Reasons for refused hooks follow the table, because they are too long for a cell. */
static int list(struct cli *c, struct json reply)
{
	static const char *const heads[] = { "HOOK", "POINT", "TRUST", "SANDBOX", "WHAT", NULL };
	struct json hooks = JSON_GET(reply, "hooks"), v;
	struct json_iter it = json_iter(hooks);
	struct table t;
	struct str key;

	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	if (!json_count(hooks)) {
		out_note(c, TONE_DIM,
		         "there are no hooks; docs/how-to/hooks.md tells how to add one");
		tell_claude(c, hooks);
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v))
		if (c->opts.quiet)
			printf("%s\n", out_field_or_dash(c, v, "ref"));
		else
			add_row(&t, v);
	if (!c->opts.quiet) {
		table_print(&t, stdout);
		list_refused(c, hooks);
		tell_untrusted(c, reply);
		tell_claude(c, hooks);
	}
	return CODE_DONE;
}

/* Finds a hook by name, with or without its prefix hook:user:. */
static struct json find_hook(struct json reply, struct str name)
{
	struct json_iter it = json_iter(JSON_GET(reply, "hooks"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str ref = json_str(JSON_GET(v, "ref"));

		if (str_eq(ref, name) || (str_ends(ref, name) && ref.len > name.len &&
		                          ref.ptr[ref.len - name.len - 1] == ':'))
			return v;
	}
	return (struct json){ 0 };
}

/* Selects the hooks of the directory that was named, or of the current one. */
static void params_here(struct cli *c, struct params *p)
{
	const char *here;

	if (paths_work_dir(c, &here) == CODE_DONE)
		params_cstr(p, "cwd", here);
}

/* Shows what is to be trusted; a person at a terminal is asked, unless the hash is given. */
static bool is_wanted(struct cli *c, struct json reply)
{
	char line[16];

	if (c->opts.json || !put_untrusted(c, JSON_GET(reply, "hooks")) || c->opts.yes ||
	    c->opts.hash || !c->is_tty_in || !c->is_tty_err)
		return true;
	fprintf(stderr, "Let these hooks run as they are now? [y/N] ");
	return fgets(line, sizeof line, stdin) && (line[0] | 0x20) == 'y';
}

/* The hash is sent along, so that trust covers exactly the text that was shown. */
static int trust(struct cli *c, struct json reply, const char *name)
{
	struct json hook = name ? find_hook(reply, str_from(name)) : (struct json){ 0 };
	struct str hash =
		json_str(name ? JSON_GET(hook, "programHash") : JSON_GET(reply, "contentHash"));
	struct params p;
	struct json response;
	int code;

	if (!hash.len && name) {
		out_error(c,
		          "There is no hook %s that names a program file of its own. `thole "
		          "hooks ls` lists the hooks.",
		          name);
		return CODE_FAILED;
	}
	if (!hash.len) {
		out_error(c, "This project has no hooks: there is no .thole/hooks.json or "
		             ".claude/settings.json that can be "
		             "read.");
		return CODE_FAILED;
	}
	if (!name && !is_wanted(c, reply)) {
		out_note(c, TONE_ASK, "Nothing was changed.");
		return CODE_DECISION;
	}
	params_begin(&p);
	params_str(&p, "contentHash", c->opts.hash ? str_from(c->opts.hash) : hash);
	if (name)
		params_str(&p, "ref", json_str(JSON_GET(hook, "ref")));
	params_here(c, &p);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "trust_hooks", &p, &response);
	if (!code && c->opts.json)
		out_json(response);
	else if (!code)
		out_note(c, TONE_GOOD, "%s is trusted as it is now.",
		         name ? out_field_or_dash(c, hook, "handler")
		              : out_field_or_dash(c, reply, "path"));
	return code;
}

int verb_hooks(struct cli *c)
{
	const char *what = c->args[0];
	struct params p;
	struct json reply;
	int code;

	if (strcmp(what, "ls") != 0 && strcmp(what, "trust") != 0)
		return opt_usage(c, "`thole hooks` knows ls and trust, not \"%s\".", what);
	code = connection_open(c);
	if (code)
		return code;
	params_begin(&p);
	params_here(c, &p);
	code = connection_call(c, "list_hooks", &p, &reply);
	if (code)
		return code;
	c->shown_hash = json_str(JSON_GET(reply, "contentHash"));
	return strcmp(what, "ls") == 0 ? list(c, reply)
	                               : trust(c, reply, c->arg_count > 1 ? c->args[1] : NULL);
}
