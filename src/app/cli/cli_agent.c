/* agent: child agents of a session, as the tree they are. */
#include "app/cli/link.h"
#include "app/cli/out.h"
#include "app/cli/ref.h"

#include <string.h>

static struct str member(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

static void put_below(struct cli *c, struct json all, struct str parent_thread, int depth)
{
	struct json_iter it = json_iter(all);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str name = member(v, "nickname");

		if (!str_eq(member(v, "parentThreadId"), parent_thread) || depth > 8)
			continue;
		printf("%*s%s  %s  %s%s%s%s\n", 2 * depth, "", id_text(c, member(v, "subagentId")),
		       safe(c->mem, member(v, "status")), safe(c->mem, member(v, "role")),
		       name.len ? " (" : "", name.len ? safe(c->mem, name) : "",
		       name.len ? ")" : "");
		put_below(c, all, member(v, "threadId"), depth + 1);
	}
}

/* Threads that are no child's own are where the trees begin. */
static bool is_child_thread(struct json all, struct str thread)
{
	struct json_iter it = json_iter(all);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(member(v, "threadId"), thread))
			return true;
	return false;
}

static void put_tree(struct cli *c, const struct ref *r, struct json all)
{
	struct json_iter it = json_iter(all);
	struct json v;
	struct str key, last = STR_NONE;

	while (json_next(&it, &key, &v)) {
		struct str root = member(v, "parentThreadId");

		if (is_child_thread(all, root) || (str_is(last) && str_eq(root, last)))
			continue;
		printf("%s  %s\n", id_text(c, r->session), id_text(c, root));
		put_below(c, all, root, 1);
		last = root;
	}
}

static int tree(struct cli *c)
{
	struct params p;
	struct json reply, all;
	struct ref r;
	int code = ref_find(c, c->arg_count > 1 ? c->args[1] : "@last", &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_int(&p, "limit", 256);
	code = link_call(c, "list_subagents", &p, &reply);
	if (code)
		return code;
	all = JSON_GET(reply, "subagents");
	if (c->opts.json)
		put_json(all);
	else if (!json_count(all))
		note(c, TONE_DIM, "no child agents");
	else
		put_tree(c, &r, all);
	return CODE_DONE;
}

int verb_agent(struct cli *c)
{
	if (strcmp(c->args[0], "tree") == 0)
		return tree(c);
	return usage(c, "thole agent knows tree, not \"%s\".", c->args[0]);
}
