/* node ls: the nodes that share a store. */
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

#include <string.h>

static const char *age_of(struct cli *c, struct json node)
{
	int64_t ms = json_int(JSON_GET(node, "heartbeatAgeMs"), 0);

	return arena_printf(c->mem, "%lld.%lld s", (long long)(ms / 1000),
	                    (long long)(ms % 1000 / 100))
	        .ptr;
}

static void print_nodes(struct cli *c, struct json nodes)
{
	static const char *const heads[] = { "NAME",     "ADDRESS",   "VERSION", "STATE",
		                             "SESSIONS", "HEARTBEAT", NULL };
	struct json_iter it = json_iter(nodes);
	struct json v;
	struct table t;
	struct str key;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		bool is_self = json_bool(JSON_GET(v, "isSelf"), false);
		const char *sessions = arena_printf(c->mem, "%lld",
		                                    (long long)json_int(JSON_GET(v, "sessions"), 0))
		                               .ptr;
		const char *cells[] = {
			out_field(c, v, "name"),
			out_field_or_dash(c, v, "address"),
			out_field(c, v, "version"),
			out_field(c, v, "state"),
			sessions,
			is_self ? "this node" : age_of(c, v),
		};

		table_row(&t, TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
}

int verb_node(struct cli *c)
{
	struct json reply;
	struct params p;
	int code;

	if (strcmp(c->args[0], "ls") != 0)
		return opt_usage(c, "node knows ls, not %s.", c->args[0]);
	code = connection_open(c);
	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "list_nodes", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		print_nodes(c, JSON_GET(reply, "nodes"));
	return CODE_DONE;
}
