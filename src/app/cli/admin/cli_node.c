/* node ls, drain and place: the nodes that share a store. */
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/ref.h"
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
	static const char *const heads[] = { "NAME",  "ADDRESS",  "VERSION",   "REVISION",
		                             "STATE", "SESSIONS", "HEARTBEAT", NULL };
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
		long long revision = (long long)json_int(JSON_GET(v, "revision"), 0);
		const char *cells[] = {
			out_field(c, v, "name"),
			out_field_or_dash(c, v, "address"),
			out_field(c, v, "version"),
			arena_printf(c->mem, "%lld", revision).ptr,
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

static int place(struct cli *c, const char *session, const char *name)
{
	struct json reply;
	struct params p;
	struct ref r;
	int code = ref_find_session(c, session, &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_placement(c, &p, name);
	params_key(c, &p);
	code = connection_call(c, "update_session", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_PLAIN, "Its directory is there from now on.");
	return CODE_DONE;
}

static bool is_word(struct cli *c, const char *word)
{
	return strcmp(c->args[0], word) == 0;
}

static int check_words(struct cli *c)
{
	bool has_choice = c->opts.workspace || c->opts.needs;

	if (!is_word(c, "ls") && !is_word(c, "drain") && !is_word(c, "place"))
		return opt_usage(c, "node knows ls, drain and place, not %s.", c->args[0]);
	if (!is_word(c, "place") && has_choice)
		return opt_usage(c, "--workspace and --needs belong to node place.");
	if (is_word(c, "ls") && c->arg_count != 1)
		return opt_usage(c, "node ls takes no name.");
	if (is_word(c, "drain") && c->arg_count != 2)
		return opt_usage(c, "node drain needs the name of a node; node ls shows them.");
	if (is_word(c, "place") && c->arg_count != 3 && !(c->arg_count == 2 && has_choice))
		return opt_usage(c, "node place needs a session, and the name of a node, "
		                    "--workspace or --needs.");
	return CODE_DONE;
}

int verb_node(struct cli *c)
{
	int code = check_words(c);

	if (!code)
		code = connection_open(c);
	if (code)
		return code;
	if (is_word(c, "place"))
		return place(c, c->args[1], c->arg_count > 2 ? c->args[2] : NULL);
	return is_word(c, "drain") ? drain(c, c->args[1]) : list(c);
}
