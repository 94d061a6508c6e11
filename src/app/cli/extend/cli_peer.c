/*
 * peer: remote agents.  Lists them, shows one with its card as it is now, adds one to the settings,
 * and sends work to one and waits for the result.
 */
#include "app/cli/config/user_config.h"
#include "app/cli/connection.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "base/gen/words.h"
#include "base/jw.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define LOOK_AGAIN_MS 200
#define KEY "agents.remote"

/* ---- listing ---- */

static int fetch(struct cli *c, const char *name, bool is_checked, struct json *ret)
{
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "name", name);
	if (is_checked)
		params_bool(&p, "check", true);
	code = connection_call(c, "list_peers", &p, &reply);
	if (!code)
		*ret = JSON_GET(reply, "peers");
	return code;
}

static enum tone tone_of(struct json row)
{
	struct str status = json_str(JSON_GET(row, "status"));

	return str_eq(status, STR(WORD_PEER_STATUS_READY))    ? TONE_GOOD
	       : str_eq(status, STR(WORD_PEER_STATUS_UNREAD)) ? TONE_DIM
	                                                      : TONE_ASK;
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "AGENT", "STATUS", "OPEN", "BINDING", "WHAT", NULL };
	struct json peers, v;
	struct json_iter it;
	struct table t;
	struct str key;
	int code = fetch(c, NULL, false, &peers);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(peers);
		return CODE_DONE;
	}
	if (!json_count(peers)) {
		out_note(c, TONE_DIM,
		         "there are no remote agents; `thole peer add NAME ADDRESS` adds one");
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	it = json_iter(peers);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = {
			out_field_or_dash(c, v, "name"),
			out_field_or_dash(c, v, "status"),
			arena_printf(c->mem, "%lld",
			             (long long)json_int(JSON_GET(v, "openTasks"), 0))
				.ptr,
			out_field_or_dash(c, v, "binding"),
			json_str(JSON_GET(v, "detail")).len ? out_field_or_dash(c, v, "detail")
							    : out_field_or_dash(c, v, "cardUrl"),
		};

		if (c->opts.quiet)
			printf("%s\n", cells[0]);
		else
			table_row(&t, tone_of(v), cells);
	}
	if (!c->opts.quiet)
		table_print(&t, stdout);
	return CODE_DONE;
}

/* The card is read now, so that the state is the present one. */
static int show(struct cli *c, const char *name)
{
	static const char *const keys[] = { "name",    "status",       "detail",   "description",
		                            "agent",   "agentVersion", "cardUrl",  "url",
		                            "binding", "cardHash",     "signedBy", "toolName" };
	struct json peers, row;
	int code = fetch(c, name, true, &peers);

	if (code)
		return code;
	row = json_at(peers, 0);
	if (c->opts.json) {
		out_json(row);
	} else {
		for (size_t i = 0; i < COUNT_OF(keys); i++)
			if (json_str(json_get(row, str_from(keys[i]))).len)
				printf("%-13s %s\n", keys[i], out_field_or_dash(c, row, keys[i]));
		printf("%-13s %lld\n", "openTasks",
		       (long long)json_int(JSON_GET(row, "openTasks"), 0));
	}
	return str_eq(json_str(JSON_GET(row, "status")), STR(WORD_PEER_STATUS_DOWN)) ? CODE_FAILED
	                                                                             : CODE_DONE;
}

/* ---- adding ---- */

static void write_entry(struct cli *c, struct json_writer *w, const char *url, struct json keys)
{
	jw_obj(w);
	JW_KSTR(w, "card", str_from(url));
	if (c->opts.token_env) {
		JW_KEY(w, "headers");
		jw_obj(w);
		JW_KSTR(w, "Authorization",
		        arena_printf(c->mem, "Bearer ${%s}", c->opts.token_env));
		jw_obj_end(w);
	}
	if (c->opts.title)
		JW_KSTR(w, "description", str_from(c->opts.title));
	if (json_is(keys)) {
		JW_KEY(w, "keys");
		jw_value(w, keys);
	}
	jw_obj_end(w);
}

/* The agents as they were, with this one in its place or at the end. */
static void write_agents(struct cli *c, struct json_writer *w, struct json before, const char *name,
                         const char *url, struct json keys)
{
	struct json_iter it = json_iter(before);
	struct json v;
	struct str key;

	jw_obj(w);
	while (json_next(&it, &key, &v)) {
		if (str_eq(key, str_from(name)))
			continue;
		jw_key(w, key);
		jw_value(w, v);
	}
	jw_key(w, str_from(name));
	write_entry(c, w, url, keys);
	jw_obj_end(w);
}

static struct str settings_text(struct cli *c, struct json before, const char *name,
                                const char *url, struct json keys)
{
	struct json_iter it = json_iter(before);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json v;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	while (json_next(&it, &key, &v)) {
		if (str_eq(key, STR(KEY)))
			continue;
		jw_key(&w, key);
		jw_value(&w, v);
	}
	JW_KEY(&w, KEY);
	write_agents(c, &w, json_get(before, STR(KEY)), name, url, keys);
	jw_obj_end(&w);
	buf_add_char(&out, '\n');
	return arena_keep(c->mem, buf_str(&out));
}

static int tell_by_hand(struct cli *c, const char *path, const char *why, const char *name,
                        const char *url)
{
	out_error(c, "%s %s, so it was left as it is.", path, why);
	fprintf(stderr, "  Add to it: \"" KEY "\": { \"%s\": { \"card\": \"%s\" } }\n",
	        out_safe(c->mem, str_from(name)), out_safe(c->mem, str_from(url)));
	return CODE_CONFIG;
}

static bool is_url(const char *url)
{
	return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
}

/* Settings with the agents inside an object `agents` are the user's own arrangement. */
static bool is_nested(struct json before)
{
	return json_is(JSON_GET(JSON_GET(before, "agents"), "remote"));
}

/* False: the file was named, and is no JWK set. */
static bool read_keys(struct cli *c, struct json *ret)
{
	struct str text;

	*ret = (struct json){ 0 };
	if (!c->opts.key)
		return true;
	text = paths_read_file(c->mem, c->opts.key, USER_CONFIG_MAX);
	return text.len && json_read(c->mem, text, ret, NULL) == OK &&
	       json_type(JSON_GET(*ret, "keys")) == JSON_ARR;
}

/* The file is locked. */
static int add_locked(struct cli *c, const char *path, const char *name, const char *url,
                      struct json keys)
{
	struct json before;
	struct str text;

	if (!user_config_read(c, path, &text))
		return tell_by_hand(c, path, paths_reason(), name, url);
	if (!user_config_parse(c, text, &before))
		return tell_by_hand(c, path, "has comments or is no JSON", name, url);
	if (is_nested(before))
		return tell_by_hand(c, path, "has its agents in an object", name, url);
	if (!user_config_write(c, path, settings_text(c, before, name, url, keys)))
		return tell_by_hand(c, path, paths_reason(), name, url);
	return CODE_DONE;
}

static int add(struct cli *c, const char *name, const char *url)
{
	CLEANUP(user_config_unlock) int lock = -1;
	const char *path = paths_user_config(c);
	struct json keys;
	int code;

	if (!is_url(url))
		return opt_usage(c,
		                 "The address of an agent begins with https:// or http://, not "
		                 "\"%s\".",
		                 url);
	if (!read_keys(c, &keys)) {
		out_error(c, "%s is no JWK set: {\"keys\": [...]}.",
		          out_safe(c->mem, str_from(c->opts.key)));
		return CODE_USAGE;
	}
	if (!path) {
		out_error(c, "There is no HOME, so there is no place for settings.");
		return CODE_CONFIG;
	}
	code = user_config_lock(c, path, &lock);
	if (!code)
		code = add_locked(c, path, name, url, keys);
	if (code)
		return code;
	out_note(c, TONE_GOOD, "%s is in %s.", out_safe(c->mem, str_from(name)), path);
	out_note(c, TONE_PLAIN, "A runtime that runs already uses it after its next start.");
	return CODE_DONE;
}

/* ---- sending ---- */

static struct str joined(struct cli *c, int from)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (int i = from; i < c->arg_count; i++) {
		if (i > from)
			buf_add_char(&out, ' ');
		buf_add_str(&out, str_from(c->args[i]));
	}
	return arena_keep(c->mem, buf_str(&out));
}

static struct str worker_text(struct cli *c, const char *name)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "kind", STR(WORD_WORKER_KIND_PEER));
	JW_KSTR(&w, "ref", str_from(name));
	jw_obj_end(&w);
	return arena_keep(c->mem, buf_str(&out));
}

static int start(struct cli *c, const char *name, struct str text, struct str *ret_session,
                 struct str *ret_task)
{
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "objective", text);
	params_key(c, &p);
	code = connection_call(c, "create_task", &p, &reply);
	if (code)
		return code;
	*ret_session = json_str(JSON_GET(reply, "sessionId"));
	*ret_task = json_str(JSON_GET(reply, "taskId"));
	params_begin(&p);
	params_str(&p, "sessionId", *ret_session);
	params_str(&p, "taskId", *ret_task);
	params_raw(&p, "worker", worker_text(c, name));
	return connection_call(c, "start_task", &p, &reply);
}

/* The whole of each artifact that is text; others are named. */
static int print_artifact(struct cli *c, struct json event)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "outputRef", json_str(JSON_GET(JSON_GET(event, "refs"), "read")));
	params_str(&p, "sessionId", json_str(JSON_GET(event, "sessionId")));
	code = connection_call(c, "get_output", &p, &reply);
	if (code)
		return code;
	if (str_is(json_str(JSON_GET(reply, "text"))))
		printf("%s\n", out_safe(c->mem, json_str(JSON_GET(reply, "text"))));
	else
		printf("(%s, %s)\n", out_field_or_dash(c, event, "artifactId"),
		       out_field_or_dash(c, JSON_GET(event, "payload"), "mediaType"));
	return CODE_DONE;
}

static int print_result(struct cli *c, struct str session, struct json task)
{
	struct json attempts = JSON_GET(task, "attempts"), reply, v;
	struct json_iter it;
	struct params p;
	struct str key;
	int code;

	if (c->opts.json) {
		out_json(task);
		return CODE_DONE;
	}
	if (!json_count(JSON_GET(task, "artifacts"))) {
		v = json_at(attempts, json_count(attempts) - 1);
		printf("%s\n", out_field_or_dash(c, v, "completionSummary"));
		return CODE_DONE;
	}
	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_raw(&p, "types", STR("[\"artifact.changed\"]"));
	code = connection_call(c, "list_events", &p, &reply);
	it = json_iter(JSON_GET(reply, "events"));
	while (!code && json_next(&it, &key, &v))
		code = print_artifact(c, v);
	return code;
}

static bool is_over(struct str status)
{
	return str_eq(status, STR(WORD_TASK_STATUS_COMPLETED)) ||
	       str_eq(status, STR(WORD_TASK_STATUS_FAILED)) ||
	       str_eq(status, STR(WORD_TASK_STATUS_LOST)) ||
	       str_eq(status, STR(WORD_TASK_STATUS_TIMED_OUT)) ||
	       str_eq(status, STR(WORD_TASK_STATUS_CANCELLED)) ||
	       str_eq(status, STR(WORD_TASK_STATUS_BLOCKED));
}

/* CODE_DECISION: the agent asks, and an answer is a person's. */
static int wait_end(struct cli *c, struct str session, struct str id)
{
	struct json reply, task;
	struct params p;

	for (;;) {
		struct str status;
		int code;

		params_begin(&p);
		params_str(&p, "sessionId", session);
		params_str(&p, "taskId", id);
		code = connection_call(c, "get_task", &p, &reply);
		if (code)
			return code;
		task = JSON_GET(reply, "task");
		status = json_str(JSON_GET(task, "status"));
		if (str_eq(status, STR(WORD_TASK_STATUS_COMPLETED)))
			return print_result(c, session, task);
		if (str_eq(status, STR(WORD_TASK_STATUS_WAITING_INPUT)) ||
		    str_eq(status, STR(WORD_TASK_STATUS_WAITING_PERMISSION))) {
			out_note(c, TONE_ASK, "%s", out_field_or_dash(c, task, "statusReason"));
			out_note(c, TONE_PLAIN,
			         "`thole approvals` lists what waits; the task is %s.",
			         out_id(c, id));
			return CODE_DECISION;
		}
		if (is_over(status)) {
			out_error(c, "%s: %s", out_field_or_dash(c, task, "status"),
			          out_field_or_dash(c, task, "statusReason"));
			return CODE_FAILED;
		}
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static int send_work(struct cli *c, const char *name)
{
	struct str session, task;
	int code = start(c, name, joined(c, 2), &session, &task);

	return code ? code : wait_end(c, session, task);
}

int verb_peer(struct cli *c)
{
	const char *what = c->args[0];
	int more = c->arg_count - 1;

	if (strcmp(what, "ls") == 0)
		return more ? opt_usage(c, "`thole peer ls` wants nothing more.") : list(c);
	if (strcmp(what, "show") == 0)
		return more == 1 ? show(c, c->args[1])
		                 : opt_usage(c, "`thole peer show` wants the name of one agent.");
	if (strcmp(what, "add") == 0)
		return more == 2 ? add(c, c->args[1], c->args[2])
		                 : opt_usage(c, "`thole peer add` wants a name and the address of "
		                                "the agent.");
	if (strcmp(what, "send") == 0)
		return more >= 2 ? send_work(c, c->args[1])
		                 : opt_usage(c, "`thole peer send` wants the name of an agent and "
		                                "the work.");
	return opt_usage(c, "`thole peer` knows ls, show, add and send, not \"%s\".", what);
}
