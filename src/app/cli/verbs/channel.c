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

struct channel_list {
	struct table table;
	struct rows rows;
	size_t count;
};

static bool put_channel(void *arg, struct json v)
{
	static const char *const heads[] = { "CHANNEL", "TRANSPORT", "ROLE", "STATUS",
		                             "ACKED",   "SEEN",      NULL };
	struct channel_list *l = arg;
	struct cli *c = l->rows.c;

	if (!l->count++ && !c->opts.json && !c->opts.quiet)
		table_begin(&l->table, c, heads);
	if (c->opts.json)
		out_rows_add(&l->rows, v);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, json_str(JSON_GET(v, "channelId"))));
	else
		add_row(&l->table, v);
	return true;
}

static void end_channels(struct channel_list *l)
{
	struct cli *c = l->rows.c;

	if (c->opts.json)
		out_rows_end(&l->rows);
	else
		buf_done(&l->rows.text);
	if (c->opts.json || c->opts.quiet)
		return;
	if (l->count)
		table_print(&l->table, stdout);
	else
		out_note(c, TONE_DIM, "no peer is enrolled");
}

int verb_channel(struct cli *c)
{
	struct channel_list l = { 0 };
	int code;

	if (c->arg_count && strcmp(c->args[0], "list") != 0 && strcmp(c->args[0], "ls") != 0)
		return opt_usage(c, "`thole channel` knows list, not \"%s\".", c->args[0]);
	code = connection_open(c);
	if (code)
		return code;
	out_rows_begin(&l.rows, c, "channels");
	code = connection_list(c, "list_channels", "channels", NULL, put_channel, &l);
	if (code) {
		buf_done(&l.rows.text);
		return code;
	}
	end_channels(&l);
	return CODE_DONE;
}
