/* schedule: creates and manages schedules, which start tasks by the clock. */
#include "app/cli/print/listing.h"
#include "base/jw.h"
#include "app/cli/ref.h"
#include "base/hash/sha256.h"
#include "base/os/clock.h"

#include <string.h>

/* The session of the schedules of a directory that were created without one. */
static struct str session_of(struct cli *c, const char *cwd)
{
	struct sha256 hash = sha256_of(str_from(cwd));

	return arena_printf(c->mem, "sess_schedules_%.*s",
	                    STR_ARG(str_head(sha256_hex(c->mem, &hash), 16)));
}

static const char *number(struct cli *c, struct json v, const char *key)
{
	return arena_printf(c->mem, "%lld", (long long)json_int(json_get(v, str_from(key)), 0)).ptr;
}

/* ---- finding ---- */

struct search {
	struct str text;
	struct json row;
	int found;
};

static bool look(void *arg, struct json row)
{
	struct search *s = arg;

	if (!str_starts(json_str(JSON_GET(row, "scheduleId")), s->text))
		return true;
	s->found++;
	s->row = row;
	return true;
}

static int find(struct cli *c, const char *text, struct json *ret)
{
	struct search s = { .text = str_from(text) };
	int code = connection_list(c, "list_schedules", "schedules", NULL, look, &s);

	if (code)
		return code;
	if (s.found == 1) {
		*ret = s.row;
		return CODE_DONE;
	}
	out_error(c,
	          s.found ? "%s is the beginning of several schedules."
	                  : "There is no schedule %s.",
	          out_safe(c->mem, s.text));
	fprintf(stderr, "  `thole schedule ls` lists them.\n");
	return s.found ? CODE_USAGE : CODE_FAILED;
}

/* ---- new ---- */

/* The words after `new` are the objective, without quotes. */
static struct str task_of(struct cli *c)
{
	struct buf words = { 0 }, out = { 0 };
	struct json_writer w;
	struct str text;

	for (int i = 1; i < c->arg_count; i++) {
		if (i > 1)
			buf_add_char(&words, ' ');
		buf_add_str(&words, str_from(c->args[i]));
	}
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "objective", buf_str(&words));
	jw_obj_end(&w);
	text = arena_keep(c->mem, buf_str(&out));
	buf_done(&words);
	buf_done(&out);
	return text;
}

/* Without --session a common session takes the schedule. */
static int make(struct cli *c)
{
	const struct opts *o = &c->opts;
	struct ref at = { 0 };
	const char *cwd = NULL;
	struct params p;
	int code;

	if (c->arg_count < 2)
		return opt_usage(
			c, "thole schedule new wants an objective: thole schedule new --every "
			   "6h \"tidy up\"");
	if ((o->cron != NULL) + (o->every_ms > 0) + (o->at != NULL) != 1)
		return opt_usage(c, "thole schedule new wants one of --cron, --every and --at.");
	if (o->at && !clock_time_read(str_from(o->at), &(int64_t){ 0 }))
		return opt_usage(c, "--at wants a time such as 2026-12-24T18:00:00Z, not \"%s\".",
		                 o->at);
	code = o->session ? ref_find(c, o->session, &at) : CODE_DONE;
	if (!code && (o->dir || !o->session))
		code = paths_work_dir(c, &cwd);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", o->session ? at.session : session_of(c, cwd));
	params_cstr(&p, "cwd", cwd);
	params_cstr(&p, "cron", o->cron);
	if (o->every_ms)
		params_int(&p, "everyMs", o->every_ms);
	params_cstr(&p, "at", o->at);
	params_cstr(&p, "timezone", o->timezone);
	params_cstr(&p, "missedPolicy", o->missed);
	params_cstr(&p, "overlap", o->overlap);
	params_raw(&p, "task", task_of(c));
	params_key(c, &p);
	return listing_make(c, "create_schedule", &p, "scheduleId");
}

/* ---- ls, show ---- */

static const char *when(struct cli *c, struct json row)
{
	struct str cron = json_str(JSON_GET(row, "cron")),
		   zone = json_str(JSON_GET(row, "timezone"));
	int64_t every = json_int(JSON_GET(row, "everyMs"), 0);

	if (cron.len)
		return arena_printf(c->mem, "%s %s", out_safe(c->mem, cron),
		                    zone.len ? out_safe(c->mem, zone) : "UTC")
		        .ptr;
	if (every)
		return arena_printf(c->mem, "every %lld s", (long long)every / 1000).ptr;
	return out_field(c, row, "at");
}

static enum tone cells(struct cli *c, struct json row, const char **ret)
{
	ret[0] = out_id(c, json_str(JSON_GET(row, "scheduleId")));
	ret[1] = out_field(c, row, "status");
	ret[2] = when(c, row);
	ret[3] = out_field(c, row, "nextAt");
	ret[4] = number(c, row, "runs");
	ret[5] = number(c, row, "missed");
	ret[6] = out_field(c, JSON_GET(row, "task"), "objective");
	return TONE_PLAIN;
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "SCHEDULE", "STATUS", "WHEN",      "NEXT",
		                             "RUNS",     "MISSED", "OBJECTIVE", NULL };

	return listing_show(c, &(struct listing){ .command = "list_schedules",
	                                          .rows = "schedules",
	                                          .id = "scheduleId",
	                                          .heads = heads,
	                                          .none = "no schedules",
	                                          .cells = cells });
}

static int show(struct cli *c, struct json row)
{
	struct str last = json_str(JSON_GET(row, "lastTaskId"));

	if (c->opts.json) {
		out_json(row);
		return CODE_DONE;
	}
	printf("%s%s%s  %s\n", out_tone_on(c->color_out, TONE_BOLD),
	       out_id(c, json_str(JSON_GET(row, "scheduleId"))), out_tone_off(c->color_out),
	       out_field(c, row, "status"));
	printf("%s\n", out_field(c, JSON_GET(row, "task"), "objective"));
	printf("%s; missed runs: %s; while one is open: %s\n", when(c, row),
	       out_field(c, row, "missedPolicy"), out_field(c, row, "overlap"));
	if (json_str(JSON_GET(row, "nextAt")).len)
		printf("next %s\n", out_field(c, row, "nextAt"));
	printf("%s tasks made, %s runs missed, %s left out\n", number(c, row, "runs"),
	       number(c, row, "missed"), number(c, row, "skipped"));
	if (last.len)
		printf("  thole task show %s\n", out_id(c, last));
	return CODE_DONE;
}

static int change(struct cli *c, const char *command, struct json row)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(row, "sessionId")));
	params_str(&p, "scheduleId", json_str(JSON_GET(row, "scheduleId")));
	params_key(c, &p);
	return connection_call(c, command, &p, &reply);
}

int verb_schedule(struct cli *c)
{
	static const struct {
		const char *word, *command;
	} changes[] = { { "pause", "pause_schedule" },
		        { "resume", "resume_schedule" },
		        { "rm", "delete_schedule" },
		        { "show", NULL } };
	const char *what = c->args[0];
	struct json row;
	int code;

	if (strcmp(what, "new") == 0)
		return make(c);
	if (strcmp(what, "ls") == 0)
		return list(c);
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		if (strcmp(what, changes[i].word) != 0)
			continue;
		if (c->arg_count != 2)
			return opt_usage(c,
			                 "thole schedule %s wants a schedule; `thole schedule ls` "
			                 "lists them.",
			                 what);
		code = find(c, c->args[1], &row);
		if (code)
			return code;
		return changes[i].command ? change(c, changes[i].command, row) : show(c, row);
	}
	return opt_usage(c, "thole schedule knows new, ls, show, pause, resume and rm, not \"%s\".",
	                 what);
}
