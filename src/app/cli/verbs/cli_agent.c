/* agent: child agents of a session, as the tree they are. */
#include "app/cli/connection.h"
#include "base/jw.h"
#include "app/cli/print/listing.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

#include <string.h>

static struct str member(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

/* The bound on the depth also ends the recursion if a list contains a cycle. */
static void put_below(struct cli *c, struct json all, struct str parent_thread, int depth)
{
	struct json_iter it = json_iter(all);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str name = member(v, "nickname");

		if (!str_eq(member(v, "parentThreadId"), parent_thread) || depth > 8)
			continue;
		printf("%*s%s  %s  %s%s%s%s\n", 2 * depth, "", out_id(c, member(v, "subagentId")),
		       out_safe(c->mem, member(v, "status")), out_safe(c->mem, member(v, "role")),
		       name.len ? " (" : "", name.len ? out_safe(c->mem, name) : "",
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
		printf("%s  %s\n", out_id(c, r->session), out_id(c, root));
		put_below(c, all, root, 1);
		last = root;
	}
}

static int each_agent(struct cli *c, struct str session, bool (*visit)(void *arg, struct json row),
                      void *arg)
{
	CLEANUP(buf_done) struct buf quoted = { 0 };
	struct filter of_session = { .key = "sessionId" };
	struct json_writer w;

	jw_init(&w, &quoted);
	jw_str(&w, session);
	of_session.json = arena_keep(c->mem, buf_str(&quoted)).ptr;
	return connection_list(c, "list_subagents", "subagents", &of_session, visit, arg);
}

static bool add_agent(void *arg, struct json row)
{
	jw_value(arg, row);
	return true;
}

/* The rows are flat; parentThreadId gives the shape. */
static int tree(struct cli *c)
{
	CLEANUP(buf_done) struct buf rows = { 0 };
	struct json_writer w;
	struct json all;
	struct ref r;
	int code = ref_find(c, c->arg_count > 1 ? c->args[1] : "@last", &r);

	if (code)
		return code;
	jw_init(&w, &rows);
	jw_arr(&w);
	code = each_agent(c, r.session, add_agent, &w);
	jw_arr_end(&w);
	if (code)
		return code;
	if (json_read_trusted(c->mem, arena_keep(c->mem, buf_str(&rows)), &all, NULL) != OK)
		return CODE_FAILED;
	if (c->opts.json)
		out_json(all);
	else if (!json_count(all))
		out_note(c, TONE_DIM, "no child agents");
	else
		put_tree(c, &r, all);
	return CODE_DONE;
}

/* ---- writing ---- */

struct agent_found {
	struct cli *c;
	struct str wanted;
	struct str here; /* the session that is being searched */
	struct str session, id;
	int count;
};

/* By its id, the end of it, or its nickname. */
static bool is_agent(struct json row, struct str wanted)
{
	struct str id = member(row, "subagentId"), name = member(row, "nickname");

	return str_eq(id, wanted) || (wanted.len >= 4 && str_ends(id, wanted)) ||
	       (name.len && str_eq(name, wanted));
}

static bool look_at_agent(void *arg, struct json row)
{
	struct agent_found *f = arg;

	if (is_agent(row, f->wanted)) {
		f->session = arena_keep(f->c->mem, f->here);
		f->id = member(row, "subagentId");
		f->count++;
	}
	return true;
}

static bool look_in_session(void *arg, struct str session)
{
	struct agent_found *f = arg;

	f->here = session;
	return each_agent(f->c, session, look_at_agent, f) == CODE_DONE;
}

/*
 * Without -s all sessions are searched, because neither an id nor a nickname names its session.
 */
static int find_agent(struct cli *c, const char *text, struct agent_found *ret)
{
	struct ref r;
	int code = CODE_DONE;

	*ret = (struct agent_found){ .c = c, .wanted = str_from(text) };
	if (c->opts.session) {
		code = ref_find(c, c->opts.session, &r);
		if (!code)
			look_in_session(ret, r.session);
	} else {
		int count = c->arg_count;

		c->arg_count =
			0; /* all sessions, because the first word is a subcommand and no session */
		code = ref_each_session(c, look_in_session, ret);
		c->arg_count = count;
	}
	if (code || ret->count == 1)
		return code;
	out_error(c, ret->count ? "%s names several child agents." : "There is no child agent %s.",
	          out_safe(c->mem, ret->wanted));
	fprintf(stderr, "  `thole agent tree` lists them; -s SESSION names the session.\n");
	return CODE_FAILED;
}

static struct str words_from(struct cli *c, int from)
{
	struct buf out = { 0 };
	struct str text;

	for (int i = from; i < c->arg_count; i++) {
		if (i > from)
			buf_add_char(&out, ' ');
		buf_add_str(&out, str_from(c->args[i]));
	}
	text = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static int done(struct cli *c, struct str id, struct json reply)
{
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_PLAIN, "%s is %s", out_id(c, id),
		         out_safe(c->mem, member(reply, "status")));
	return CODE_DONE;
}

/* Omitted members are inherited from the parent, so only restrictions are sent. */
static int add_isolation(struct cli *c, struct params *p, struct str session)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct params query;
	struct json inventory, v;
	struct json_iter it;
	struct str key;
	int code;

	if (!c->opts.tools.count && !c->opts.worktree && !c->opts.read_only)
		return CODE_DONE;
	params_begin(&query);
	params_str(&query, "sessionId", session);
	code = connection_call(c, "get_tool_inventory", &query, &inventory);
	if (code)
		return code;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "prompt", STR("own"));
	JW_KSTR(&w, "workspace", c->opts.worktree ? STR("worktree") : STR("shared"));
	JW_KEY(&w, "tools");
	jw_arr(&w);
	it = json_iter(JSON_GET(inventory, "tools"));
	while (!c->opts.tools.count && json_next(&it, &key, &v))
		jw_str(&w, member(v, "toolName"));
	for (int i = 0; i < c->opts.tools.count; i++)
		jw_str(&w, str_from(c->opts.tools.items[i]));
	jw_arr_end(&w);
	JW_KSTR(&w, "permissionMode", c->opts.read_only ? STR("plan") : member(inventory, "mode"));
	JW_KSTR(&w, "memory", STR("none"));
	jw_obj_end(&w);
	params_raw(p, "isolation", arena_keep(c->mem, buf_str(&out)));
	return CODE_DONE;
}

/* get_thread_read without a thread returns the main one. */
static int main_thread(struct cli *c, struct str session, struct str *ret)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	code = connection_call(c, "get_thread_read", &p, &reply);
	if (!code)
		*ret = member(reply, "threadId");
	return code;
}

/* A child belongs to a thread: --thread, that of the id, or the main one. */
static int spawn(struct cli *c)
{
	struct ref at = { 0 }, task = { 0 };
	struct params p;
	struct str thread;
	int code;

	if (c->arg_count < 3)
		return opt_usage(
			c,
			"thole agent spawn wants a role and its work: thole agent spawn reviewer "
			"\"look at the diff\"");
	code = ref_find(c, c->opts.session ? c->opts.session : "@last", &at);
	if (!code && c->opts.parent)
		code = ref_find(c, c->opts.parent, &task);
	thread = c->opts.thread ? str_from(c->opts.thread) : at.thread;
	if (!code && !str_is(thread))
		code = main_thread(c, at.session, &thread);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", at.session);
	params_str(&p, "parentThreadId", thread);
	params_str(&p, "parentTaskId", task.task);
	params_cstr(&p, "role", c->args[1]);
	params_str(&p, "input", words_from(c, 2));
	params_cstr(&p, "nickname", c->opts.nickname);
	params_cstr(&p, "agent", c->opts.agent);
	params_cstr(&p, "model", c->opts.model);
	if (c->opts.model)
		params_cstr(&p, "modelPolicy", "override");
	if (c->opts.has_budget)
		params_raw(&p, "budgetUsd",
		           arena_printf(c->mem, "%.9f", (double)c->opts.budget_nano / 1e9));
	code = add_isolation(c, &p, at.session);
	if (code) {
		params_done(&p);
		return code;
	}
	params_key(c, &p);
	return listing_make(c, "spawn_subagent", &p, "subagentId");
}

/* send, resume and close: one command about one child. */
static int change(struct cli *c, const char *command)
{
	struct agent_found f;
	struct params p;
	struct json reply;
	bool is_send = strcmp(c->args[0], "send") == 0;
	int code;

	if (c->arg_count < (is_send ? 3 : 2) || (!is_send && c->arg_count > 2))
		return opt_usage(
			c, "thole agent %s wants a child agent%s; `thole agent tree` lists them.",
			c->args[0], is_send ? " and a message" : "");
	code = find_agent(c, c->args[1], &f);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", f.session);
	params_str(&p, "subagentId", f.id);
	if (is_send) {
		params_str(&p, "input", words_from(c, 2));
		params_cstr(&p, "delivery", c->opts.delivery);
	}
	if (strcmp(c->args[0], "close") == 0 && c->opts.discard_worktree)
		params_bool(&p, "discardWorktree", true);
	if (strcmp(c->args[0], "close") == 0)
		params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, command, &p, &reply);
	return code ? code : done(c, f.id, reply);
}

/* The runtime waits, not this program; its answer also comes when the time is over. */
static int wait_for(struct cli *c)
{
	CLEANUP(buf_done) struct buf ids = { 0 };
	struct agent_found f = { 0 };
	struct str session = STR_NONE;
	struct json reply, v;
	struct json_writer w;
	struct json_iter it;
	struct params p;
	struct str key;
	int code = CODE_DONE;

	if (c->arg_count < 2)
		return opt_usage(
			c, "thole agent wait wants child agents; `thole agent tree` lists them.");
	jw_init(&w, &ids);
	jw_arr(&w);
	for (int i = 1; !code && i < c->arg_count; i++) {
		code = find_agent(c, c->args[i], &f);
		if (!code && str_is(session) && !str_eq(session, f.session))
			code = opt_usage(c, "thole agent wait wants child agents of one session; "
			                    "wait for those of another one separately.");
		session = f.session;
		if (!code)
			jw_str(&w, f.id);
	}
	jw_arr_end(&w);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", f.session);
	params_raw(&p, "subagentIds", arena_keep(c->mem, buf_str(&ids)));
	if (c->opts.all)
		params_bool(&p, "all", true);
	if (c->opts.timeout_ms)
		params_int(&p, "timeoutMs", c->opts.timeout_ms);
	code = connection_call(c, "wait_subagents", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
	} else {
		it = json_iter(JSON_GET(reply, "subagents"));
		while (json_next(&it, &key, &v))
			printf("%s  %s\n", out_id(c, member(v, "subagentId")),
			       out_safe(c->mem, member(v, "status")));
	}
	return json_bool(JSON_GET(reply, "timedOut"), false) ? 124 : CODE_DONE;
}

int verb_agent(struct cli *c)
{
	const char *what = c->args[0];

	if (strcmp(what, "tree") == 0)
		return tree(c);
	if (strcmp(what, "spawn") == 0)
		return spawn(c);
	if (strcmp(what, "wait") == 0)
		return wait_for(c);
	if (strcmp(what, "send") == 0)
		return change(c, "send_subagent_input");
	if (strcmp(what, "resume") == 0)
		return change(c, "resume_subagent");
	if (strcmp(what, "close") == 0)
		return change(c, "close_subagent");
	return opt_usage(c,
	                 "thole agent knows tree, spawn, send, wait, resume and close, not \"%s\".",
	                 what);
}
