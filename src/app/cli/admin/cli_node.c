/* node ls and drain: the nodes that share a store. */
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "base/gen/limits.h"

#include <stdlib.h>
#include <string.h>

static const char *age_of(struct cli *c, struct json node)
{
	int64_t ms = json_int(JSON_GET(node, "heartbeatAgeMs"), 0);

	return arena_printf(c->mem, "%lld.%lld s", (long long)(ms / 1000),
	                    (long long)(ms % 1000 / 100))
	        .ptr;
}

/* With a clock that other nodes would call wrong, how far it is off. */
static const char *state_of(struct cli *c, struct json node)
{
	long long off_ms = (long long)json_int(JSON_GET(node, "clockOffMs"), 0);
	const char *state = out_field(c, node, "state");

	return llabs(off_ms) <= LIMIT_NODE_CLOCK_OFF_MS
	               ? state
	               : arena_printf(c->mem, "%s, clock %+lld s", state, off_ms / 1000).ptr;
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
			state_of(c, v),
			sessions,
			is_self ? "this node" : age_of(c, v),
		};

		table_row(&t, TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
}

static int list(struct cli *c)
{
	struct json reply;
	struct params p;
	int code;

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

static int drain(struct cli *c, const char *name)
{
	struct json reply;
	struct params p;
	int code;

	params_begin(&p);
	params_cstr(&p, "name", name);
	code = connection_call(c, "drain_node", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_PLAIN,
		         "%s hands its work over and ends; what runs there has %lld s",
		         out_field(c, reply, "name"),
		         (long long)json_int(JSON_GET(reply, "drainS"), 0));
	return CODE_DONE;
}

int verb_node(struct cli *c)
{
	bool is_drain = strcmp(c->args[0], "drain") == 0;
	int code;

	if (!is_drain && strcmp(c->args[0], "ls") != 0)
		return opt_usage(c, "node knows ls and drain, not %s.", c->args[0]);
	if (c->arg_count != (is_drain ? 2 : 1))
		return opt_usage(
			c, is_drain ? "node drain needs the name of a node; node ls shows them."
				    : "node ls takes no name.");
	code = connection_open(c);
	if (code)
		return code;
	return is_drain ? drain(c, c->args[1]) : list(c);
}
