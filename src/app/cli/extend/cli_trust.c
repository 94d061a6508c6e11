/*
 * trust: shows the skills, commands and agents of the project and records the
 * user's trust in exactly these texts.  Hooks and tool servers run programs and
 * are trusted by their own verbs.
 */
#include "app/cli/admin/cli_hooks.h"
#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/print/whole_text.h"
#include "app/cli/verbs.h"

#include "base/os/reveal.h"

#include <unistd.h>

static bool is_of_project(struct json row)
{
	return str_eq(json_str(JSON_GET(row, "source")), STR("project"));
}

/* The path below the project, which is what the user looks up. */
static const char *path_of(struct cli *c, struct json reply, struct json row)
{
	struct str path = json_str(JSON_GET(row, "path"));
	struct str project = json_str(JSON_GET(reply, "project"));

	if (str_starts(path, project) && path.len > project.len + 1)
		path = str_skip(path, project.len + 1);
	return out_safe(c->mem, path);
}

static bool has_files(struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (is_of_project(row))
			return true;
	return false;
}

static const char *state_of(struct json row)
{
	if (json_str(JSON_GET(row, "error")).len)
		return "not usable";
	return json_bool(JSON_GET(row, "isTrusted"), false) ? "trusted" : "not trusted";
}

/* Returns how many are not trusted yet. */
static size_t put_files(struct cli *c, struct json reply)
{
	static const char *const heads[] = { "KIND", "NAME", "STATE", "FILE", NULL };
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct table t;
	struct json row;
	struct str key;
	size_t count = 0;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &row)) {
		const char *state = state_of(row);
		bool is_new = strcmp(state, "not trusted") == 0;
		const char *cells[] = { out_field_or_dash(c, row, "kind"),
			                out_field_or_dash(c, row, "name"), state,
			                path_of(c, reply, row) };

		if (!is_of_project(row))
			continue;
		count += is_new;
		table_row(&t, is_new ? TONE_ASK : TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
	return count;
}

/* In the runtime's words, from the read that gave the hash: a file here may be another one by now. */
static void put_text(struct cli *c, const char *path, struct json row)
{
	struct str text = json_str(JSON_GET(row, "text"));
	struct json bytes = JSON_GET(row, "bytes");

	printf("\n%s── %s%s\n", out_tone_on(c->color_out, TONE_DIM), path,
	       out_tone_off(c->color_out));
	if (!json_is(bytes))
		printf("(no plain file: trust covers its name alone)\n");
	else if (!str_is(text))
		printf("(%s, not shown: no text, or too long)\n",
		       out_bytes(c->mem, json_int(bytes, 0)));
	else
		out_put_safe(stdout, reveal(c->mem, text, true));
	if (str_is(text) && !str_ends(text, STR("\n")))
		putchar('\n');
}

/* Scripts beside a SKILL.md: its text may ask the agent to run them. */
static void put_beside(struct cli *c, const char *skill, struct json files)
{
	struct json_iter it = json_iter(files);
	struct str dir = str_from(skill);
	struct json file;
	struct str key;

	while (dir.len && dir.ptr[dir.len - 1] != '/')
		dir.len--;
	while (json_next(&it, &key, &file))
		put_text(c,
		         arena_printf(
				 c->mem, "%.*s%s%s%s%s", STR_ARG(dir),
				 whole_text_line(c->mem, json_str(JSON_GET(file, "path"))),
				 json_is(JSON_GET(file, "bytes")) ? " (" : "",
				 json_is(JSON_GET(file, "bytes"))
					 ? out_bytes(c->mem, json_int(JSON_GET(file, "bytes"), 0))
					 : "",
				 json_is(JSON_GET(file, "bytes")) ? ")" : "")
		                 .ptr,
		         file);
}

/* The texts of the files that are not trusted: trust covers what was shown. */
static void put_texts(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row)) {
		if (!is_of_project(row) || strcmp(state_of(row), "not trusted") != 0)
			continue;
		put_text(c, path_of(c, reply, row), row);
		put_beside(c, path_of(c, reply, row), JSON_GET(row, "files"));
	}
}

/* What trust does not cover. */
static void put_left_out(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "leftOut"));
	struct json sentence;
	struct str key;

	fflush(stdout);
	while (json_next(&it, &key, &sentence))
		out_note(c, TONE_ASK, "%s", out_safe(c->mem, json_str(sentence)));
}

static bool is_yes(struct cli *c)
{
	char line[16];

	if (c->opts.yes)
		return true;
	if (c->opts.list || !c->is_tty_in || !c->is_tty_err)
		return false;
	fprintf(stderr, "Let the agent use these files as they are now? [y/N] ");
	return fgets(line, sizeof line, stdin) && (line[0] | 0x20) == 'y';
}

static int record(struct cli *c, const char *cwd, struct str hash)
{
	struct json reply;
	struct params p;
	int code;

	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	params_str(&p, "contentHash", c->opts.hash ? str_from(c->opts.hash) : hash);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "trust_extensions", &p, &reply);
	if (!code)
		out_note(c, TONE_GOOD,
		         "Trusted as they are now: the files of %s. A changed or new file needs "
		         "trust "
		         "again.",
		         out_field_or_dash(c, reply, "project"));
	return code;
}

/* Also when there is nothing to trust: a script must not take that for its own files. */
static int refuse_hash(struct cli *c, struct str hash)
{
	if (str_is(hash))
		out_error(c, "The files of this project are others: their hash is %s.",
		          out_safe(c->mem, hash));
	else
		out_error(c, "This project has no skills, commands or agents that can be used, "
		             "and so no hash.");
	fprintf(stderr, "  Nothing was changed. `thole trust --list` shows the files.\n");
	return CODE_FAILED;
}

int verb_trust(struct cli *c)
{
	struct json reply;
	struct params p;
	struct str hash;
	const char *cwd;
	size_t count;
	int code = paths_work_dir(c, &cwd);

	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	params_bool(&p, "texts", true);
	code = connection_call(c, "list_extensions", &p, &reply);
	if (code)
		return code;
	c->shown_hash = hash = json_str(JSON_GET(reply, "contentHash"));
	if (c->opts.json && c->opts.list) {
		out_json(reply);
		return CODE_DONE;
	}
	if (c->opts.hash && !str_eq(hash, str_from(c->opts.hash)))
		return refuse_hash(c, hash);
	if (!has_files(reply)) {
		out_note(c, TONE_DIM, "This project has no skills, commands or agents.");
		cli_hooks_tell_untrusted(c, cwd);
		return CODE_DONE;
	}
	count = put_files(c, reply);
	if (!c->opts.yes)
		put_texts(c, reply);
	put_left_out(c, reply);
	cli_hooks_tell_untrusted(c, cwd);
	if (!count) {
		out_note(c, TONE_DIM,
		         str_is(hash) ? "All of them are trusted."
		                      : "None of them can be used, so there is nothing to trust.");
		return CODE_DONE;
	}
	fflush(stdout);
	if (is_yes(c))
		return record(c, cwd, hash);
	if (c->opts.list)
		return CODE_DONE;
	out_note(c, TONE_ASK, "Nothing was changed. To trust these files, run: thole trust --yes");
	return CODE_DECISION;
}
