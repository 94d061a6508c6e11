/* job: creates and manages jobs, which run the same instruction for many items. */
#include "app/cli/print/listing.h"
#include "app/cli/print/table.h"
#include "base/jw.h"
#include "app/cli/ref.h"

#include <string.h>
#include <unistd.h>

#define ITEMS_MAX (1u << 20) /* one request body */

static long long count_of(struct json job, const char *key)
{
	return (long long)json_int(json_get(JSON_GET(job, "progress"), str_from(key)), 0);
}

/* ---- finding ---- */

struct search {
	struct str text, session, job;
	int found;
};

static bool look(void *arg, struct json row)
{
	struct search *s = arg;
	struct str id = json_str(JSON_GET(row, "jobId"));

	if (!str_starts(id, s->text))
		return true;
	s->found++;
	s->job = id;
	return true;
}

struct each_session {
	struct cli *c;
	struct search *search;
	int code;
};

/* Jobs are listed per session, so all sessions are searched for the id. */
static bool look_in_session(void *arg, struct json row)
{
	struct each_session *e = arg;
	struct str session = json_str(JSON_GET(row, "sessionId"));
	struct filter only = { "sessionId",
		               arena_printf(e->c->mem, "\"%.*s\"", STR_ARG(session)).ptr };
	int before = e->search->found;

	e->code = connection_list(e->c, "list_jobs", "jobs", &only, look, e->search);
	if (e->search->found > before)
		e->search->session = session;
	return !e->code;
}

static int find_job(struct cli *c, const char *text, struct search *ret)
{
	struct each_session e = { .c = c, .search = ret };
	int code;

	*ret = (struct search){ .text = str_from(text) };
	code = connection_list(c, "list_sessions", "sessions", NULL, look_in_session, &e);
	if (code || e.code)
		return code ? code : e.code;
	if (ret->found == 1)
		return CODE_DONE;
	out_error(c, ret->found ? "%s is the beginning of several jobs." : "There is no job %s.",
	          out_safe(c->mem, ret->text));
	fprintf(stderr, "  `thole job ls` lists them.\n");
	return ret->found ? CODE_USAGE : CODE_FAILED;
}

/* ---- new ---- */

/* Each line of the input is an item: JSON if it parses as JSON, else a string. */
static int read_items(struct cli *c, struct params *p)
{
	const char *path = c->opts.items ? c->opts.items : "-";
	struct str all = strcmp(path, "-") == 0 ? paths_read_fd(c->mem, STDIN_FILENO, ITEMS_MAX)
	                                        : paths_read_file(c->mem, path, ITEMS_MAX);
	struct buf out = { 0 };
	struct json_writer w;
	struct json v;
	int count = 0;

	if (!str_is(all)) {
		out_error(c, "%s cannot be read, or is larger than 1 MiB.", path);
		fprintf(stderr, "  --items FILE, or stdin, has one item per line.\n");
		return CODE_FAILED;
	}
	jw_init(&w, &out);
	jw_arr(&w);
	while (all.len) {
		struct str line = str_trim(str_cut(&all, '\n'));

		if (!line.len)
			continue;
		if (json_read_trusted(c->mem, line, &v, NULL) == OK)
			jw_value(&w, v);
		else
			jw_str(&w, line);
		count++;
	}
	jw_arr_end(&w);
	params_raw(p, "items", arena_keep(c->mem, buf_str(&out)));
	buf_done(&out);
	if (!count)
		return opt_usage(c, "there is no item in %s.", path);
	return CODE_DONE;
}

/* The items are read last: stdin is consumed only if everything else is valid. */
static int make(struct cli *c)
{
	const struct opts *o = &c->opts;
	struct ref at = { 0 };
	const char *cwd = NULL;
	struct params p;
	int code = CODE_DONE;

	if (c->arg_count != 2)
		return opt_usage(
			c, "thole job new wants one instruction, and items from --items or stdin.");
	if (o->session)
		code = ref_find(c, o->session, &at);
	if (!code && (o->dir || !o->session))
		code = paths_work_dir(c, &cwd);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", at.session);
	params_cstr(&p, "cwd", cwd);
	params_cstr(&p, "instruction", c->args[1]);
	if (o->has_concurrency)
		params_int(&p, "concurrency", o->concurrency);
	if (o->has_attempts)
		params_int(&p, "maxAttempts", o->attempts);
	if (o->timeout_ms)
		params_int(&p, "maxRuntimeMs", o->timeout_ms);
	code = read_items(c, &p);
	if (code) {
		params_done(&p);
		return code;
	}
	params_key(c, &p);
	return listing_make(c, "create_job", &p, "jobId");
}

/* ---- ls, show, items ---- */

static enum tone job_cells(struct cli *c, struct json row, const char **ret)
{
	static const char *const counts[] = { "total", "completed", "failed", "running",
		                              "pending" };

	ret[0] = out_id(c, json_str(JSON_GET(row, "jobId")));
	ret[1] = out_field(c, row, "status");
	for (size_t i = 0; i < COUNT_OF(counts); i++)
		ret[2 + i] = arena_printf(c->mem, "%lld", count_of(row, counts[i])).ptr;
	return TONE_PLAIN;
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "JOB",    "STATUS",  "ITEMS",   "DONE",
		                             "FAILED", "RUNNING", "PENDING", NULL };

	return listing_show(c, &(struct listing){ .command = "list_jobs",
	                                          .rows = "jobs",
	                                          .id = "jobId",
	                                          .heads = heads,
	                                          .none = "no jobs",
	                                          .cells = job_cells });
}

/* Counts, and the command that lists the failed items. */
static int show(struct cli *c, const struct search *at)
{
	struct params p;
	struct json reply, job;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", at->session);
	params_str(&p, "jobId", at->job);
	code = connection_call(c, "get_job", &p, &reply);
	if (code)
		return code;
	job = JSON_GET(reply, "job");
	if (c->opts.json) {
		out_json(job);
		return CODE_DONE;
	}
	printf("%s%s%s  %s\n", out_tone_on(c->color_out, TONE_BOLD), out_id(c, at->job),
	       out_tone_off(c->color_out), out_field(c, job, "status"));
	printf("%lld of %lld items done, %lld failed, %lld running, %lld pending\n",
	       count_of(job, "completed"), count_of(job, "total"), count_of(job, "failed"),
	       count_of(job, "running"), count_of(job, "pending"));
	if (count_of(job, "failed"))
		printf("  thole job items %s --status failed\n", out_id(c, at->job));
	return CODE_DONE;
}

/* Items are read page by page: a job may have many thousands. */
static int each_item(struct cli *c, const struct search *at)
{
	static const char *const heads[] = {
		"ITEM", "STATUS", "ATTEMPTS", "OUTPUT", "ERROR", NULL
	};
	struct str cursor = STR_NONE;
	struct table t;

	if (!c->opts.json)
		table_begin(&t, c, heads);
	do {
		struct params p;
		struct json reply, item;
		struct str key;
		int code;

		params_begin(&p);
		params_str(&p, "sessionId", at->session);
		params_str(&p, "jobId", at->job);
		params_cstr(&p, "status", c->opts.status);
		params_int(&p, "limit", 256);
		params_str(&p, "cursor", cursor);
		code = connection_call(c, "list_job_items", &p, &reply);
		if (code)
			return code;
		struct json_iter it = json_iter(JSON_GET(reply, "items"));

		while (json_next(&it, &key, &item)) {
			if (c->opts.json) {
				out_json(item);
				continue;
			}
			const char *cells[] = {
				out_field(c, item, "jobItemId"),
				out_field(c, item, "status"),
				arena_printf(c->mem, "%lld",
				             (long long)json_int(JSON_GET(item, "attemptCount"), 0))
					.ptr,
				out_field(c, item, "outputRef"),
				out_field(c, JSON_GET(item, "lastError"), "message"),
			};

			table_row(&t, TONE_PLAIN, cells);
		}
		cursor = json_str(JSON_GET(reply, "nextCursor"));
	} while (cursor.len);
	if (!c->opts.json)
		table_print(&t, stdout);
	return CODE_DONE;
}

/* ---- cancel and retry ---- */

static int cancel(struct cli *c, const struct search *at)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	params_str(&p, "sessionId", at->session);
	params_str(&p, "jobId", at->job);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	return connection_call(c, "cancel_job", &p, &reply);
}

/* The id of an item contains the job's id and its index, so an index is enough. */
static int retry(struct cli *c, const struct search *at)
{
	struct params p;
	struct json reply;
	int64_t index;

	if (c->arg_count != 3)
		return opt_usage(c,
		                 "thole job retry wants a job and an item; `thole job items JOB` "
		                 "lists them.");
	params_begin(&p);
	params_str(&p, "sessionId", at->session);
	params_str(&p, "jobId", at->job);
	/* An item can be given by its index or its id. */
	if (str_to_i64(str_from(c->args[2]), &index))
		params_str(
			&p, "jobItemId",
			arena_printf(c->mem, "item_%.*s_%lld",
		                     STR_ARG(str_starts(at->job, STR("job_")) ? str_skip(at->job, 4)
		                                                              : at->job),
		                     (long long)index));
	else
		params_cstr(&p, "jobItemId", c->args[2]);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	return connection_call(c, "retry_job_item", &p, &reply);
}

int verb_job(struct cli *c)
{
	const char *what = c->args[0];
	struct search at;
	int code;

	if (strcmp(what, "new") == 0)
		return make(c);
	if (strcmp(what, "ls") == 0)
		return list(c);
	if (strcmp(what, "show") != 0 && strcmp(what, "items") != 0 &&
	    strcmp(what, "cancel") != 0 && strcmp(what, "retry") != 0)
		return opt_usage(
			c, "thole job knows new, ls, show, items, retry and cancel, not \"%s\".",
			what);
	if (c->arg_count < 2)
		return opt_usage(c, "thole job %s wants a job; `thole job ls` lists them.", what);
	code = find_job(c, c->args[1], &at);
	if (code)
		return code;
	return strcmp(what, "show") == 0    ? show(c, &at)
	       : strcmp(what, "items") == 0 ? each_item(c, &at)
	       : strcmp(what, "retry") == 0 ? retry(c, &at)
	                                    : cancel(c, &at);
}
