/*
 * tools and env: the tools and the environment of a session.  Both only read
 * (get_tool_inventory, get_execution_environment).
 */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

static struct str member(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

/*
 * Both commands take a session, and a thread if it has several; without an argument the latest
 * session.
 */
static int query_session(struct cli *c, const char *command, struct json *ret)
{
	struct params p;
	struct ref r;
	int code = ref_find(c, c->arg_count ? c->args[0] : "@last", &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "threadId", c->opts.thread ? str_from(c->opts.thread) : r.thread);
	params_cstr(&p, "mode", c->opts.mode);
	return connection_call(c, command, &p, ret);
}

/* The policy of each tool is that of the session's mode, or of --mode. */
int verb_tools(struct cli *c)
{
	struct json reply, v;
	struct json_iter it;
	struct str key;
	int code = query_session(c, "get_tool_inventory", &reply);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	it = json_iter(JSON_GET(reply, "tools"));
	while (json_next(&it, &key, &v)) {
		struct str reason = member(v, "reason");

		if (c->opts.quiet)
			printf("%s\n", out_safe(c->mem, member(v, "toolName")));
		else
			printf("%-24s %-11s %s%s%s\n", out_safe(c->mem, member(v, "toolName")),
			       out_safe(c->mem, member(v, "policy")),
			       out_safe(c->mem, member(v, "runtimeOwner")), reason.len ? "  " : "",
			       reason.len ? out_safe(c->mem, reason) : "");
	}
	return CODE_DONE;
}

static void put_line(struct cli *c, const char *label, struct str value)
{
	if (value.len)
		printf("%-10s %s\n", label, out_safe(c->mem, value));
}

int verb_env(struct cli *c)
{
	struct json reply, env, sandbox;
	int code = query_session(c, "get_execution_environment", &reply);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	env = JSON_GET(reply, "executionEnvironment");
	sandbox = JSON_GET(env, "sandboxProfile");
	put_line(c, "directory", member(env, "cwd"));
	put_line(c, "workspace", member(env, "workspaceId"));
	put_line(c, "shell", member(env, "shell"));
	put_line(c, "sandbox", member(sandbox, "mode"));
	put_line(c, "tier", member(sandbox, "tier"));
	put_line(c, "network", member(JSON_GET(env, "networkProfile"), "mode"));
	printf("%-10s %zu\n", "processes", json_count(JSON_GET(reply, "processes")));
	return CODE_DONE;
}
