/*
 * trust: shows the skills, commands and agents of the project and records the
 * user's trust in exactly these texts.  Hooks and tool servers run programs and
 * are trusted by their own verbs.
 */
#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "app/cli/verbs.h"

#include <unistd.h>

static bool is_of_project(struct json row)
{
	return str_eq(json_str(JSON_GET(row, "source")), STR("project"));
}

/* Returns how many are not trusted yet. */
static size_t put_files(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "extensions"));
	struct json row;
	struct str key;
	size_t count = 0;

	while (json_next(&it, &key, &row)) {
		bool is_new = !json_bool(JSON_GET(row, "isTrusted"), false);
		struct str error = json_str(JSON_GET(row, "error"));

		if (!is_of_project(row))
			continue;
		count += is_new && !error.len;
		printf("%-8s %-24s %s\n", out_field_or_dash(c, row, "kind"),
		       out_field_or_dash(c, row, "name"),
		       error.len ? out_safe(c->mem, error)
		       : is_new  ? out_field_or_dash(c, row, "description")
		                 : "trusted");
		if (is_new)
			printf("%-8s %s\n", "", out_field_or_dash(c, row, "path"));
	}
	return count;
}

static bool is_yes(struct cli *c)
{
	char line[16];

	if (c->opts.yes)
		return true;
	if (c->opts.list || !c->is_tty_in || !c->is_tty_err)
		return false;
	fprintf(stderr, "Use these files as instructions of yours from now on? [y/N] ");
	return fgets(line, sizeof line, stdin) && (line[0] | 0x20) == 'y';
}

static int record(struct cli *c, const char *cwd, struct str hash)
{
	struct json reply;
	struct params p;
	int code;

	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	params_str(&p, "contentHash", hash);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "trust_extensions", &p, &reply);
	if (!code)
		out_note(c, TONE_GOOD,
		         "The files of %s are trusted as they are now. A changed or new file needs "
		         "trust again.",
		         out_field_or_dash(c, reply, "project"));
	return code;
}

int verb_trust(struct cli *c)
{
	struct json reply;
	struct params p;
	struct str hash;
	const char *cwd;
	int code = paths_work_dir(c, &cwd);

	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	code = connection_call(c, "list_extensions", &p, &reply);
	if (code)
		return code;
	hash = json_str(JSON_GET(reply, "contentHash"));
	if (!str_is(hash)) {
		out_note(c, TONE_DIM, "This project has no skills, commands or agents.");
		return CODE_DONE;
	}
	if (!put_files(c, reply)) {
		out_note(c, TONE_DIM, "All of them are trusted.");
		return CODE_DONE;
	}
	fflush(stdout);
	if (is_yes(c))
		return record(c, cwd, hash);
	out_note(c, TONE_ASK, "Nothing was changed. To trust these files, run: thole trust --yes");
	return c->opts.list ? CODE_DONE : CODE_DECISION;
}
