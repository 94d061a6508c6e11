/* trigger: the webhooks that start work, as the daemon knows them. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

#include <string.h>

static int fetch(struct cli *c, struct json *ret)
{
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "list_triggers", &p, &reply);
	if (!code)
		*ret = JSON_GET(reply, "triggers");
	return code;
}

int verb_trigger(struct cli *c)
{
	static const char *const heads[] = { "TRIGGER", "SIGNATURE", "WORK", "SESSION",
		                             "PATH",    "PROMPT",    NULL };
	struct json triggers, v;
	struct json_iter it;
	struct table t;
	struct str key;
	int code = fetch(c, &triggers);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(triggers);
		return CODE_DONE;
	}
	if (!json_count(triggers)) {
		out_note(c, TONE_DIM,
		         "no webhook starts work; the setting triggers names them "
		         "(docs/how-to/webhooks.md)");
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	it = json_iter(triggers);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = {
			out_field_or_dash(c, v, "name"), out_field_or_dash(c, v, "signature"),
			out_field_or_dash(c, v, "work"), out_field_or_dash(c, v, "session"),
			out_field_or_dash(c, v, "path"), out_field_or_dash(c, v, "prompt"),
		};

		if (c->opts.quiet)
			printf("%s\n", cells[0]);
		else
			table_row(&t, TONE_PLAIN, cells);
	}
	if (!c->opts.quiet)
		table_print(&t, stdout);
	return CODE_DONE;
}
