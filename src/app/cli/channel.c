/* channel: peers that are enrolled. */
#include "app/cli/link.h"
#include "app/cli/out.h"

struct listing {
	struct cli *c;
	struct table table;
	int count;
};

static bool visit(void *arg, struct json v)
{
	struct listing *l = arg;
	struct cli *c = l->c;
	struct json acked = JSON_GET(v, "lastAckedSequence");
	const char *cells[] = {
		id_text(c, json_str(JSON_GET(v, "channelId"))),
		safe(c->mem, json_str(JSON_GET(v, "transport"))),
		safe(c->mem, json_str(JSON_GET(v, "peerRole"))),
		safe(c->mem, json_str(JSON_GET(v, "status"))),
		json_is(acked) ? arena_printf(c->mem, "%lld", (long long)json_int(acked, 0)).ptr : "-",
		ago_text(c->mem, json_str(JSON_GET(v, "lastSeenAt"))),
	};

	l->count++;
	if (c->opts.json)
		put_json(v);
	else if (c->opts.quiet)
		printf("%s\n", safe(c->mem, json_str(JSON_GET(v, "channelId"))));
	else
		table_row(&l->table, TONE_PLAIN, cells);
	return true;
}

int verb_channel(struct cli *c)
{
	static const char *const heads[] = { "CHANNEL", "TRANSPORT", "ROLE", "STATUS",
		                             "ACKED",   "SEEN",      NULL };
	struct listing l = { .c = c };
	int code;

	if (c->arg_count && strcmp(c->args[0], "list") != 0 && strcmp(c->args[0], "ls") != 0)
		return usage(c, "`thole channel` knows list, not \"%s\".", c->args[0]);
	code = link_open(c);
	if (code)
		return code;
	if (!c->opts.json && !c->opts.quiet)
		table_begin(&l.table, c, heads);
	code = link_list(c, "list_channels", "channels", NULL, visit, &l);
	if (code || c->opts.json || c->opts.quiet)
		return code;
	if (l.count)
		table_print(&l.table, stdout);
	else
		note(c, TONE_DIM, "no peer is enrolled");
	return CODE_DONE;
}
