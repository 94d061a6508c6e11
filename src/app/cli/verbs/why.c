/* why: explains what a thread or task waits for, since when, until when, and what ends the wait. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/follow/time_line.h"
#include "app/cli/follow/turn.h"

static void put_strings(struct cli *c, const char *label, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;
	const char *between = label;

	while (json_next(&it, &key, &v)) {
		printf("%s%s", between, out_safe(c->mem, json_str(v)));
		between = ", ";
	}
	if (between != label)
		putchar('\n');
}

/* The commands that would end the wait, ready to be copied. */
static void put_commands(struct cli *c, const struct ref *r, struct json why)
{
	struct json_iter it = json_iter(JSON_GET(why, "pendingActionIds"));
	struct str waits = json_str(JSON_GET(why, "waitingFor"));
	const char *session = out_id(c, r->session);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		const char *id = out_id(c, json_str(v));

		printf("  thole show %s\n  thole approve %s\n  thole deny %s\n", id, id, id);
	}
	if (str_eq(waits, STR("resume")) || str_eq(waits, STR("release")))
		printf("  thole resume %s\n", session);
	else if (str_is(json_str(JSON_GET(why, "turnId"))))
		printf("  thole stop %s\n", session);
	if (json_count(JSON_GET(why, "queuedTurnIds")))
		printf("  thole queue %s\n", session);
}

static void put_why(struct cli *c, const struct ref *r, struct json why)
{
	struct str until = json_str(JSON_GET(why, "until"));
	const char *time = time_line_text(c, r->session, STR_NONE);

	printf("%s%s%s  %s (%s)\n", out_tone_on(c->color_out, TONE_BOLD), out_id(c, r->session),
	       out_tone_off(c->color_out), out_safe(c->mem, json_str(JSON_GET(why, "status"))),
	       out_safe(c->mem, json_str(JSON_GET(why, "profileStatus"))));
	printf("%s\n", out_safe(c->mem, json_str(JSON_GET(why, "detail"))));
	printf("waits for  %s\n", out_safe(c->mem, json_str(JSON_GET(why, "waitingFor"))));
	printf("since      %s\n", out_ago(c->mem, json_str(JSON_GET(why, "since"))));
	printf("until      %s\n", until.len ? out_until(c->mem, until) : "no deadline");
	put_strings(c, "ended by   ", JSON_GET(why, "endedBy"));
	if (time)
		printf("time       %s\n", time);
	put_commands(c, r, why);
}

/* Command lines that end the wait.  Commands of workers have no verb and are left out. */
static void put_task_commands(struct cli *c, const struct ref *r, struct json why)
{
	static const char *const words[] = { "start", "pause", "resume", "retry", "cancel" };
	struct json_iter it = json_iter(JSON_GET(why, "endedBy"));
	struct json v;
	struct str key;

	if (str_eq(json_str(JSON_GET(why, "waitingFor")), STR("turn")) && str_is(r->turn))
		printf("  thole why %s\n", out_id(c, r->turn));
	while (json_next(&it, &key, &v))
		for (size_t i = 0; i < COUNT_OF(words); i++)
			if (str_eq(json_str(v), arena_printf(c->mem, "%s_task", words[i])))
				printf("  thole task %s %s\n", words[i], out_id(c, r->task));
}

/* A task can wait without a thread. */
static int why_task(struct cli *c, const struct ref *r)
{
	struct params p;
	struct json reply, why;
	struct str until;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "taskId", r->task);
	code = connection_call(c, "get_task", &p, &reply);
	if (code)
		return code;
	why = JSON_GET(reply, "why");
	if (c->opts.json) {
		out_json(why);
		return CODE_DONE;
	}
	until = json_str(JSON_GET(why, "until"));
	printf("%s%s%s  %s\n", out_tone_on(c->color_out, TONE_BOLD), out_id(c, r->task),
	       out_tone_off(c->color_out),
	       out_safe(c->mem, json_str(JSON_GET(JSON_GET(reply, "task"), "status"))));
	printf("%s\n", out_safe(c->mem, json_str(JSON_GET(why, "detail"))));
	printf("waits for  %s\n", out_safe(c->mem, json_str(JSON_GET(why, "waitingFor"))));
	printf("since      %s\n", out_ago(c->mem, json_str(JSON_GET(why, "since"))));
	printf("until      %s\n", until.len ? out_until(c->mem, until) : "no deadline");
	put_strings(c, "ended by   ", JSON_GET(why, "endedBy"));
	put_task_commands(c, r, why);
	return CODE_DONE;
}

/* A turn is explained by its thread, which runs one turn at a time. */
int verb_why(struct cli *c)
{
	struct ref r;
	struct params p;
	struct json why;
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &r);
	if (code)
		return code;
	if (r.kind == REF_TASK)
		return why_task(c, &r);
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "threadId", r.thread);
	code = connection_call(c, "explain_thread", &p, &why);
	if (code)
		return code;
	if (c->opts.json)
		out_json(why);
	else
		put_why(c, &r, why);
	return CODE_DONE;
}
