/* task: creates tasks, changes their status, and shows them and their graph. */
#include "app/cli/print/listing.h"
#include "base/jw.h"
#include "app/cli/ref.h"
#include "base/gen/words.h"

#include <string.h>

/* ---- saying what one is ---- */

/* Yellow is for what needs a person, red for what failed. */
static enum tone tone_of(struct str status)
{
	static const struct {
		const char *word;
		enum tone tone;
	} tones[] = { { WORD_STATUS_RUNNING, TONE_GOOD },
		      { WORD_STATUS_PREPARING, TONE_GOOD },
		      { WORD_STATUS_COMPLETED, TONE_PLAIN },
		      { WORD_STATUS_FAILED, TONE_BAD },
		      { WORD_STATUS_LOST, TONE_BAD },
		      { WORD_STATUS_TIMED_OUT, TONE_BAD },
		      { WORD_STATUS_BLOCKED, TONE_ASK },
		      { WORD_STATUS_PAUSED, TONE_ASK },
		      { WORD_STATUS_WAITING_INPUT, TONE_ASK },
		      { WORD_STATUS_WAITING_PERMISSION, TONE_ASK } };

	for (size_t i = 0; i < COUNT_OF(tones); i++)
		if (str_eq(status, str_from(tones[i].word)))
			return tones[i].tone;
	return TONE_PLAIN;
}

static void put_attempts(struct cli *c, struct json task)
{
	struct json_iter it = json_iter(JSON_GET(task, "attempts"));
	struct json a;
	struct str key;

	while (json_next(&it, &key, &a)) {
		struct str native = json_str(JSON_GET(a, "nativeStatus"));
		struct str error = json_str(JSON_GET(JSON_GET(a, "lastError"), "message"));
		struct str worker = json_str(JSON_GET(JSON_GET(a, "worker"), "workerId"));

		printf("attempt %lld  %s  %s%s%s%s%s\n",
		       (long long)json_int(JSON_GET(a, "attemptCount"), 0),
		       native.len ? out_safe(c->mem, native) : out_field(c, a, "status"),
		       out_ago(c->mem, json_str(JSON_GET(a, "startedAt"))),
		       worker.len ? "  by " : "", worker.len ? out_safe(c->mem, worker) : "",
		       error.len ? "  " : "", error.len ? out_safe(c->mem, error) : "");
	}
}

static void put_edges(struct cli *c, struct json edges)
{
	struct json_iter it = json_iter(edges);
	struct json e;
	struct str key;

	while (json_next(&it, &key, &e)) {
		struct str kind = json_str(JSON_GET(e, "kind"));
		struct str status = json_str(JSON_GET(e, "status"));

		/* The inverse of an edge that is shown from its other side. */
		if (str_eq(kind, STR(WORD_EDGE_KIND_CHILD)) ||
		    str_eq(kind, STR(WORD_EDGE_KIND_BLOCKED_BY)) ||
		    str_eq(kind, STR(WORD_EDGE_KIND_ASSIGNED_THREAD)))
			continue;
		printf("%s %s %s%s%s%s\n", out_id(c, json_str(JSON_GET(e, "sourceId"))),
		       out_safe(c->mem, kind), out_id(c, json_str(JSON_GET(e, "targetId"))),
		       str_eq(status, STR("active")) ? "" : "  (",
		       str_eq(status, STR("active")) ? "" : out_safe(c->mem, status),
		       str_eq(status, STR("active")) ? "" : ")");
	}
}

static void put_list(struct cli *c, const char *label, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		printf("%s%s", label, out_safe(c->mem, json_str(v)));
		label = ", ";
	}
	putchar('\n');
}

static void put_task(struct cli *c, struct json reply)
{
	struct json task = JSON_GET(reply, "task"), why = JSON_GET(reply, "why");
	struct str error = json_str(JSON_GET(JSON_GET(task, "lastError"), "message"));

	printf("%s%s%s  %s  %s\n", out_tone_on(c->color_out, TONE_BOLD),
	       out_id(c, json_str(JSON_GET(task, "taskId"))), out_tone_off(c->color_out),
	       out_field(c, task, "status"), out_field(c, task, "title"));
	if (json_is(why)) {
		printf("%s\n", out_field(c, why, "detail"));
		put_list(c, "ended by  ", JSON_GET(why, "endedBy"));
	}
	printf("kind      %s, %s, priority %s\n", out_field(c, task, "taskKind"),
	       out_field(c, task, "visibility"), out_field(c, task, "priority"));
	if (error.len)
		printf("error     %s\n", out_safe(c->mem, error));
	put_attempts(c, task);
	put_edges(c, JSON_GET(task, "relationships"));
}

/* ---- finding and asking ---- */

/* A turn is accepted, because each turn has a task. */
static int find_task(struct cli *c, const char *text, struct ref *ret)
{
	int code = ref_find(c, text, ret);

	if (!code && ret->kind != REF_TASK && ret->kind != REF_TURN) {
		out_error(c, "%s is not a task.", out_safe(c->mem, str_from(text)));
		fprintf(stderr, "  `thole task ls --all` lists tasks.\n");
		return CODE_FAILED;
	}
	return code;
}

static int read_task(struct cli *c, const struct ref *r, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "taskId", r->task);
	return connection_call(c, "get_task", &p, ret);
}

static int show(struct cli *c, const struct ref *r)
{
	struct json reply;
	int code = read_task(c, r, &reply);

	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		put_task(c, reply);
	return CODE_DONE;
}

/*
 * Sends one command about one task and prints the new status.  Commands that take a reason get
 * one even if the user gave none.
 */
static int change(struct cli *c, const char *command, bool with_reason)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code;

	if (c->arg_count != 2)
		return opt_usage(c, "thole task %s wants a task; `thole task ls` lists them.",
		                 c->args[0]);
	code = find_task(c, c->args[1], &r);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "taskId", r.task);
	if (with_reason)
		params_cstr(&p, "reason",
		            c->opts.reason ? c->opts.reason : "asked for on the command line");
	if (c->opts.external &&
	    (strcmp(c->args[0], "start") == 0 || strcmp(c->args[0], "retry") == 0))
		params_raw(&p, "worker", STR("{\"kind\":\"external\"}"));
	params_key(c, &p);
	code = connection_call(c, command, &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (c->opts.quiet)
		printf("%s\n", out_field(c, reply, "status"));
	else
		out_note(c, TONE_PLAIN, "%s is %s", out_id(c, r.task),
		         out_field(c, reply, "status"));
	return CODE_DONE;
}

/* ---- new ---- */

/* ID:KIND or ID:KIND:REF */
static int add_criteria(struct cli *c, struct params *p)
{
	struct buf out = { 0 };
	struct json_writer w;

	if (!c->opts.accept.count)
		return CODE_DONE;
	jw_init(&w, &out);
	jw_arr(&w);
	for (int i = 0; i < c->opts.accept.count; i++) {
		struct str rest = str_from(c->opts.accept.items[i]);
		struct str id = str_cut(&rest, ':'), kind = str_cut(&rest, ':');

		if (!id.len || !kind.len) {
			buf_done(&out);
			return opt_usage(c,
			                 "--accept wants NAME:KIND or NAME:KIND:REF, not \"%s\".",
			                 c->opts.accept.items[i]);
		}
		jw_obj(&w);
		JW_KSTR(&w, "id", id);
		JW_KSTR(&w, "kind", kind);
		if (rest.len)
			JW_KSTR(&w, "ref", rest);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	params_raw(p, "acceptance", arena_keep(c->mem, buf_str(&out)));
	buf_done(&out);
	return CODE_DONE;
}

/* Errors that a repetition cannot change are not retried. */
static void add_bounds(struct cli *c, struct params *p)
{
	const struct opts *o = &c->opts;

	if (o->has_budget || o->timeout_ms)
		params_raw(
			p, "constraints",
			arena_printf(
				c->mem, "{%s%s%s%s%s}", o->has_budget ? "\"costUsd\":" : "",
				o->has_budget
					? arena_printf(c->mem, "%.9f", (double)o->budget_nano / 1e9)
						  .ptr
					: "",
				o->has_budget && o->timeout_ms ? "," : "",
				o->timeout_ms ? "\"timeMs\":" : "",
				o->timeout_ms
					? arena_printf(c->mem, "%lld", (long long)o->timeout_ms).ptr
					: ""));
	if (o->has_attempts)
		params_raw(
			p, "retryPolicy",
			arena_printf(
				c->mem,
				"{\"maxAttempts\":%lld,\"backoff\":\"exponential\","
				"\"nonRetryable\":[\"permission\",\"budget\",\"invalid_input\"]}",
				(long long)o->attempts));
}

static struct str joined(struct cli *c, int from)
{
	struct buf out = { 0 };

	for (int i = from; i < c->arg_count; i++) {
		if (i > from)
			buf_add_char(&out, ' ');
		buf_add_str(&out, str_from(c->args[i]));
	}
	struct str text = arena_keep(c->mem, buf_str(&out));

	buf_done(&out);
	return text;
}

/* ---- update, progress, complete, fail ---- */

struct task_report {
	const char *name, *command;
	/* Adds the parameters beyond session, task and run. */
	int (*add)(struct cli *c, struct params *p, struct str words);
};

static struct str names_json(struct cli *c, const struct words *list)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	if (!list->count)
		return STR_NONE;
	jw_init(&w, &out);
	jw_arr(&w);
	for (int i = 0; i < list->count; i++)
		jw_str(&w, str_from(list->items[i]));
	jw_arr_end(&w);
	text = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static int add_update(struct cli *c, struct params *p, struct str words)
{
	params_cstr(p, "title", c->opts.title);
	params_cstr(p, "priority", c->opts.priority);
	params_words(p, "labels", &c->opts.labels);
	if (words.len)
		params_str(p, "objective", words);
	add_bounds(c, p);
	return add_criteria(c, p);
}

static int add_progress(struct cli *c, struct params *p, struct str words)
{
	if (words.len)
		params_str(p, "summary", words);
	if (c->opts.has_percent)
		params_int(p, "percent", c->opts.percent);
	params_cstr(p, "phase", c->opts.phase);
	return CODE_DONE;
}

static int add_completion(struct cli *c, struct params *p, struct str words)
{
	if (words.len)
		params_str(p, "summary", words);
	params_raw(p, "acceptance", names_json(c, &c->opts.accept));
	params_raw(p, "evidenceRefs", names_json(c, &c->opts.evidence));
	return CODE_DONE;
}

static int add_failure(struct cli *c, struct params *p, struct str words)
{
	struct buf out = { 0 };
	struct json_writer w;

	if (!words.len)
		return opt_usage(
			c, "thole task fail wants to know why: thole task fail TASK \"no access\"");
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "category",
	        str_from(c->opts.category ? c->opts.category : WORD_ERROR_CATEGORY_TOOL_FAILED));
	JW_KSTR(&w, "message", words);
	jw_obj_end(&w);
	params_raw(p, "error", arena_keep(c->mem, buf_str(&out)));
	buf_done(&out);
	return CODE_DONE;
}

static const struct task_report reports[] = {
	{ "update", "update_task", add_update },
	{ "progress", "append_task_progress", add_progress },
	{ "complete", "complete_task", add_completion },
	{ "fail", "fail_task", add_failure },
};

/*
 * runId names the attempt that an external worker reports about; the task may have a later one.
 */
static int report(struct cli *c, const struct task_report *how)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code;

	if (c->arg_count < 2)
		return opt_usage(c, "thole task %s wants a task; `thole task ls` lists them.",
		                 how->name);
	code = find_task(c, c->args[1], &r);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "taskId", r.task);
	if (how->add != add_update)
		params_cstr(&p, "runId", c->opts.run);
	code = how->add(c, &p, joined(c, 2));
	if (code) {
		params_done(&p);
		return code;
	}
	params_key(c, &p);
	code = connection_call(c, how->command, &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_PLAIN, "%s is %s", out_id(c, r.task),
		         out_field(c, reply, "status"));
	return CODE_DONE;
}

/* A parent decides the session: a task and its children share one log. */
static int make(struct cli *c)
{
	const struct opts *o = &c->opts;
	struct ref at = { 0 }, above = { 0 };
	const char *cwd = NULL;
	struct params p;
	int code = CODE_DONE;

	if (c->arg_count < 2)
		return opt_usage(c,
		                 "thole task new wants to know what is to be done: thole task new "
		                 "\"tidy the tests\"");
	if (o->session)
		code = ref_find(c, o->session, &at);
	if (!code && o->parent)
		code = find_task(c, o->parent, &above);
	if (!code && (o->dir || (!o->session && !o->parent)))
		code = paths_work_dir(c, &cwd);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", o->parent ? above.session : at.session);
	params_cstr(&p, "cwd", cwd);
	params_cstr(&p, "threadId", o->thread);
	params_str(&p, "objective", joined(c, 1));
	params_cstr(&p, "title", o->title);
	params_cstr(&p, "taskKind", o->task_kind);
	params_cstr(&p, "priority", o->priority);
	params_words(&p, "labels", &o->labels);
	params_str(&p, "parentTaskId", above.task);
	add_bounds(c, &p);
	if (o->start)
		params_bool(&p, "start", true);
	code = add_criteria(c, &p);
	if (code) {
		params_done(&p);
		return code;
	}
	params_key(c, &p);
	return listing_make(c, "create_task", &p, "taskId");
}

/* ---- ls ---- */

static bool is_over(struct str status)
{
	static const char *const words[] = { WORD_STATUS_COMPLETED, WORD_STATUS_FAILED,
		                             WORD_STATUS_CANCELLED, WORD_STATUS_TIMED_OUT,
		                             WORD_STATUS_ARCHIVED };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(status, str_from(words[i])))
			return true;
	return false;
}

static bool is_wanted(const struct listing *l, struct cli *c, struct json row)
{
	const struct str *session = l->arg;
	struct str status = json_str(JSON_GET(row, "status"));

	if (c->opts.status ? !str_eq(status, str_from(c->opts.status))
	                   : !c->opts.all && is_over(status))
		return false;
	return !session->len || str_eq(*session, json_str(JSON_GET(row, "sessionId")));
}

static enum tone cells(struct cli *c, struct json row, const char **ret)
{
	struct str status = json_str(JSON_GET(row, "status"));
	struct json wait = JSON_GET(row, "wait");
	long long attempts = (long long)json_count(JSON_GET(row, "attempts"));

	ret[0] = out_id(c, json_str(JSON_GET(row, "taskId")));
	ret[1] = out_safe(c->mem, status);
	ret[2] = out_ago(c->mem, json_str(JSON_GET(row, "updatedAt")));
	/* For a task that a turn made for itself, the thread shows the details. */
	ret[3] = json_is(wait)                         ? out_field(c, wait, "for")
	         : str_starts(status, STR("waiting_")) ? out_safe(c->mem, str_skip(status, 8))
	                                               : "-";
	ret[4] = arena_printf(c->mem, "%lld", attempts).ptr;
	ret[5] = out_safe_cut(c->mem, json_str(JSON_GET(row, "title")), 60);
	return tone_of(status);
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "TASK", "STATUS", "SINCE", "WAITS FOR",
		                             "RUNS", "TITLE",  NULL };
	struct filter by_label;
	struct ref at = { 0 };
	int code = c->opts.session ? ref_find(c, c->opts.session, &at) : CODE_DONE;

	if (code)
		return code;
	return listing_show(
		c, &(struct listing){
			   .only = connection_label_filter(c, &by_label),
			   .command = "list_tasks",
			   .rows = "tasks",
			   .id = "taskId",
			   .heads = heads,
			   .none = c->opts.all ? "no tasks"
	                                       : "no tasks are open; --all shows what is over",
			   .arg = &at.session,
			   .is_wanted = is_wanted,
			   .cells = cells });
}

/* ---- link and graph ---- */

/*
 * Relations between tasks resolve the second id; others (a thread, an artifact) take it as it is.
 */
static int join(struct cli *c)
{
	bool is_removed = c->opts.remove_edge || strcmp(c->args[0], "unlink") == 0;
	struct ref from, to = { 0 };
	struct params p;
	struct json reply;
	bool is_task;
	int code;

	if (c->arg_count != 4)
		return opt_usage(c, "thole task %s wants TASK RELATION TASK, such as: A blocks B",
		                 c->args[0]);
	code = find_task(c, c->args[1], &from);
	if (code)
		return code;
	is_task = strstr(WORD_EDGE_KIND_PARENT " " WORD_EDGE_KIND_CHILD " " WORD_EDGE_KIND_BLOCKS
	                                       " " WORD_EDGE_KIND_BLOCKED_BY
	                                       " " WORD_EDGE_KIND_SOURCE_TASK,
	                 c->args[2]);
	if (is_task)
		code = find_task(c, c->args[3], &to);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", from.session);
	params_str(&p, "fromTaskId", from.task);
	params_cstr(&p, "relationship", c->args[2]);
	params_str(&p, is_task ? "toTaskId" : "targetId", is_task ? to.task : str_from(c->args[3]));
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, is_removed ? "unlink_tasks" : "link_tasks", &p, &reply);
	if (!code && c->opts.json)
		out_json(reply);
	return code;
}

static int graph(struct cli *c)
{
	struct json reply;
	struct ref r;
	int code;

	if (c->arg_count != 2)
		return opt_usage(c, "thole task graph wants a task; `thole task ls` lists them.");
	code = find_task(c, c->args[1], &r);
	if (!code)
		code = read_task(c, &r, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(JSON_GET(reply, "graph"));
	else if (!json_count(JSON_GET(JSON_GET(reply, "graph"), "edges")))
		out_note(c, TONE_DIM, "it stands alone");
	else
		put_edges(c, JSON_GET(JSON_GET(reply, "graph"), "edges"));
	return CODE_DONE;
}

static int show_one(struct cli *c)
{
	struct ref r;
	int code;

	if (c->arg_count != 2)
		return opt_usage(c, "thole task show wants a task; `thole task ls` lists them.");
	code = find_task(c, c->args[1], &r);
	return code ? code : show(c, &r);
}

/*
 * Verbs of a worker (update, progress, complete, fail) take words; the others take only a task.
 */
int verb_task(struct cli *c)
{
	static const struct {
		const char *name, *command;
		bool with_reason;
	} changes[] = { { "start", "start_task", false },   { "pause", "pause_task", true },
		        { "resume", "resume_task", false }, { "retry", "retry_task", true },
		        { "cancel", "cancel_task", true },  { "archive", "archive_task", true } };
	const char *what = c->args[0];

	if (strcmp(what, "new") == 0)
		return make(c);
	if (strcmp(what, "ls") == 0)
		return list(c);
	if (strcmp(what, "show") == 0)
		return show_one(c);
	if (strcmp(what, "link") == 0 || strcmp(what, "unlink") == 0)
		return join(c);
	for (size_t i = 0; i < COUNT_OF(reports); i++)
		if (strcmp(what, reports[i].name) == 0)
			return report(c, &reports[i]);
	if (strcmp(what, "graph") == 0)
		return graph(c);
	for (size_t i = 0; i < COUNT_OF(changes); i++)
		if (strcmp(what, changes[i].name) == 0)
			return change(c, changes[i].command, changes[i].with_reason);
	return opt_usage(
		c,
		"thole task knows new, ls, show, start, pause, resume, retry, cancel, archive, "
		"update, progress, complete, fail, link, unlink and graph, not \"%s\".",
		what);
}
