/* ps: lists sessions and threads that run or wait. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"

struct listing {
	struct cli *c;
	struct table table;
	struct rows rows; /* with --json */
	int shown, hidden;
};

static bool is_word(struct str s, const char *word)
{
	return str_eq(s, str_from(word));
}

static bool is_over(struct json row)
{
	struct str status = json_str(JSON_GET(row, "status"));

	return (is_word(status, "idle") || is_word(status, "completed") ||
	        is_word(status, "failed") || is_word(status, "cancelled")) &&
	       !json_int(JSON_GET(row, "pendingActions"), 0) &&
	       !json_int(JSON_GET(row, "queuedTurns"), 0);
}

static enum tone tone_of(struct str status)
{
	return is_word(status, "blocked") || is_word(status, "stale") || is_word(status, "unknown")
	               ? TONE_ASK
	       : is_word(status, "failed")                               ? TONE_BAD
	       : is_word(status, "running") || is_word(status, "queued") ? TONE_GOOD
	                                                                 : TONE_PLAIN;
}

static struct json explain(struct cli *c, struct str session, struct str thread)
{
	struct params p;
	struct json why;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_str(&p, "threadId", thread);
	if (connection_try(c, "explain_thread", &p, true, &why) != THOLE_OK)
		return (struct json){ 0 };
	return why;
}

static const char *status_text(struct cli *c, struct json row)
{
	struct str fine = json_str(JSON_GET(row, "profileStatus"));

	return out_safe(c->mem, fine.len ? fine : json_str(JSON_GET(row, "status")));
}

static const char *cost_text(struct cli *c, struct json session)
{
	return json_is(JSON_GET(session, "amountState"))
	               ? "unknown"
	               : out_usd(c->mem, JSON_GET(session, "costUsd"));
}

/* Only rows that are not over cost a call each for the reason of waiting. */
static void add_row(struct listing *l, struct json session, struct json thread, bool is_main)
{
	struct cli *c = l->c;
	struct str id = json_str(JSON_GET(session, "sessionId"));
	struct str thread_id = json_str(JSON_GET(thread, "threadId"));
	struct json why = is_over(thread) ? (struct json){ 0 } : explain(c, id, thread_id);
	struct str since = json_str(JSON_GET(why, "since"));
	struct str detail = json_str(JSON_GET(why, "detail"));
	const char *cells[] = {
		is_main ? out_id(c, id) : arena_printf(c->mem, "  %s", out_id(c, thread_id)).ptr,
		status_text(c, thread),
		out_ago(c->mem, since.len ? since : json_str(JSON_GET(session, "updatedAt"))),
		json_is(why) ? out_safe(c->mem, json_str(JSON_GET(why, "waitingFor"))) : "-",
		is_main ? cost_text(c, session) : "",
		arena_printf(
			c->mem, "%s%s%s",
			is_main ? out_safe_cut(c->mem, json_str(JSON_GET(session, "title")), 40)
				: "",
			is_main && detail.len ? "  · " : "",
			detail.len ? out_safe(c->mem, detail) : "")
			.ptr,
	};

	table_row(&l->table, tone_of(json_str(JSON_GET(thread, "status"))), cells);
}

/* One line per session; its other active threads below it. */
static void add_session(struct listing *l, struct json row)
{
	struct params p;
	struct json reply, thread;
	struct str key;
	bool is_main = true;

	if (json_int(JSON_GET(row, "threads"), 1) <= 1) {
		struct json bare = row;

		add_row(l, row, bare, true);
		return;
	}
	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(row, "sessionId")));
	if (connection_try(l->c, "list_threads", &p, true, &reply) != THOLE_OK)
		return;
	struct json_iter it = json_iter(JSON_GET(reply, "threads"));

	while (json_next(&it, &key, &thread)) {
		if (is_main || l->c->opts.all || !is_over(thread))
			add_row(l, row, thread, is_main);
		is_main = false;
	}
}

static bool visit(void *arg, struct json row)
{
	struct listing *l = arg;
	struct cli *c = l->c;

	if (!c->opts.all && is_over(row)) {
		l->hidden++;
		return true;
	}
	l->shown++;
	if (c->opts.json)
		out_rows_add(&l->rows, row);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, json_str(JSON_GET(row, "sessionId"))));
	else
		add_session(l, row);
	return true;
}

/* During recovery some rows still show the state before the restart. */
static void tell_recovery(struct cli *c)
{
	struct json reply, progress;
	struct params p;

	params_begin(&p);
	params_int(&p, "limit", 1);
	if (connection_try(c, "list_sessions", &p, true, &reply) != THOLE_OK)
		return;
	progress = JSON_GET(reply, "recovery");
	if (json_is(progress))
		out_note(c, TONE_DIM, "recovering after the start: %lld of %lld sessions are done",
		         (long long)json_int(JSON_GET(progress, "recovered"), 0),
		         (long long)json_int(JSON_GET(progress, "total"), 0));
}

static void finish(struct listing *l)
{
	struct cli *c = l->c;

	if (!c->opts.json && !c->opts.quiet)
		tell_recovery(c);
	if (c->opts.json) {
		out_rows_end(&l->rows);
	} else if (l->shown && !c->opts.quiet) {
		table_print(&l->table, stdout);
	} else if (!c->opts.quiet) {
		out_note(c, TONE_DIM, "nothing is running or waiting%s",
		         l->hidden ? "; `thole ps --all` shows what is over"
		                   : "; `thole run \"hello\"` begins");
	}
}

int verb_ps(struct cli *c)
{
	static const char *const heads[] = { "SESSION", "STATUS", "SINCE", "WAITS FOR",
		                             "COST",    "TITLE",  NULL };
	struct listing l = { .c = c };
	struct filter by_label;
	int code = connection_open(c);

	if (code)
		return code;
	if (c->opts.json)
		out_rows_begin(&l.rows, c, "sessions");
	else if (!c->opts.quiet)
		table_begin(&l.table, c, heads);
	code = connection_list(c, "list_sessions", "sessions",
	                       connection_label_filter(c, &by_label), visit, &l);
	if (!code)
		finish(&l);
	return code;
}
