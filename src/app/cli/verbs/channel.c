/* channel: peers that are enrolled. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

static void add_row(struct table *t, struct json v)
{
	struct cli *c = t->c;
	struct json acked = JSON_GET(v, "lastAckedSequence");
	const char *cells[] = {
		out_id(c, json_str(JSON_GET(v, "channelId"))),
		out_safe(c->mem, json_str(JSON_GET(v, "transport"))),
		out_safe(c->mem, json_str(JSON_GET(v, "peerRole"))),
		out_safe(c->mem, json_str(JSON_GET(v, "status"))),
		json_is(acked) ? arena_printf(c->mem, "%lld", (long long)json_int(acked, 0)).ptr
			       : "-",
		out_ago(c->mem, json_str(JSON_GET(v, "lastSeenAt"))),
	};

	table_row(t, TONE_PLAIN, cells);
}

static void put_channels(struct cli *c, struct json channels)
{
	static const char *const heads[] = { "CHANNEL", "TRANSPORT", "ROLE", "STATUS",
		                             "ACKED",   "SEEN",      NULL };
	struct json_iter it = json_iter(channels);
	struct table t;
	struct json v;
	struct str key;

	if (!json_count(channels)) {
		out_note(c, TONE_DIM, "no peer is enrolled");
		return;
	}
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v))
		add_row(&t, v);
	table_print(&t, stdout);
}

static void put_rows(struct cli *c, struct json channels)
{
	struct json_iter it = json_iter(channels);
	struct rows rows;
	struct json v;
	struct str key;

	out_rows_begin(&rows, c, "channels");
	while (json_next(&it, &key, &v))
		if (c->opts.json)
			out_rows_add(&rows, v);
		else
			printf("%s\n", out_safe(c->mem, json_str(JSON_GET(v, "channelId"))));
	if (c->opts.json)
		out_rows_end(&rows);
	else
		buf_done(&rows.text);
}

int verb_channel(struct cli *c)
{
	struct params p;
	struct json reply;
	int code;

	if (c->arg_count && strcmp(c->args[0], "list") != 0 && strcmp(c->args[0], "ls") != 0)
		return opt_usage(c, "`thole channel` knows list, not \"%s\".", c->args[0]);
	code = connection_open(c);
	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "list_channels", &p, &reply);
	if (code)
		return code;
	if (c->opts.json || c->opts.quiet)
		put_rows(c, JSON_GET(reply, "channels"));
	else
		put_channels(c, JSON_GET(reply, "channels"));
	return CODE_DONE;
}
