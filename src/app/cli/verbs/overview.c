/* show: prints a session, thread, turn, task or action in a few lines. */
#include "app/cli/follow/approval_details.h"
#include "app/cli/follow/time_line.h"
#include "app/cli/print/shown_event.h"
#include "app/cli/connection.h"
#include "app/cli/print/form.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/follow/turn.h"
#include "base/os/id.h"
#include "base/gen/words.h"

#define TURNS_SHOWN 10

static void put(struct cli *c, const char *label, const char *text)
{
	if (text && *text)
		printf("%s%-10s%s %s\n", out_tone_on(c->color_out, TONE_DIM), label,
		       out_tone_off(c->color_out), text);
}

static void put_head(struct cli *c, struct str id, struct str what)
{
	printf("%s%s%s  %s\n", out_tone_on(c->color_out, TONE_BOLD), out_safe(c->mem, id),
	       out_tone_off(c->color_out), out_safe(c->mem, what));
}

static const char *member(struct cli *c, struct json v, const char *path)
{
	struct json found = shown_event_path(v, str_from(path));

	if (!json_is(found))
		return NULL;
	return out_safe(c->mem,
	                json_type(found) == JSON_STR ? json_str(found) : json_text(c->mem, found));
}

static const char *age(struct cli *c, struct json v, const char *path)
{
	return out_ago(c->mem, json_str(shown_event_path(v, str_from(path))));
}

/* ---- turns, from their events ---- */

struct turn_line {
	struct str turn, prompt, response, outcome, message;
	struct json cost;
	int64_t began, ended;
};

/* A ring of the last TURNS_SHOWN turns, filled while all events of the session pass. */
struct turns {
	struct cli *c;
	struct str only; /* absent: all */
	struct str cwd;
	struct turn_line lines[TURNS_SHOWN];
	size_t count; /* of all turns; the last ones are kept */
};

static struct turn_line *line_of(struct turns *t, struct str turn)
{
	size_t first = t->count > TURNS_SHOWN ? t->count - TURNS_SHOWN : 0;

	for (size_t i = first; i < t->count; i++)
		if (str_eq(t->lines[i % TURNS_SHOWN].turn, turn))
			return &t->lines[i % TURNS_SHOWN];
	return NULL;
}

/* Later events of a turn complete its line; those of turns that left the ring are ignored. */
static void take_event(struct turns *t, const struct shown_event *f)
{
	struct turn_line *l;

	if (shown_event_is(f, "session.created"))
		t->cwd = shown_event_str(f, "cwd");
	if (!str_is(f->turn) || (str_is(t->only) && !str_eq(f->turn, t->only)))
		return;
	if (shown_event_is(f, "turn.submitted")) {
		l = &t->lines[t->count++ % TURNS_SHOWN];
		*l = (struct turn_line){ .turn = f->turn, .began = f->at };
		l->prompt = json_str(shown_event_path(f->payload, STR("input.0.preview")));
	}
	l = line_of(t, f->turn);
	if (!l)
		return;
	if (shown_event_is(f, "model.completed"))
		l->response = json_str(shown_event_path(f->payload, STR("text.preview")));
	if (shown_event_is(f, "turn.completed") || shown_event_is(f, "turn.failed")) {
		l->outcome = shown_event_str(f, "outcome");
		l->message = shown_event_str(f, "message");
		l->cost = JSON_GET(f->payload, "costUsd");
		l->ended = f->at;
	}
}

/* Only the classes that a line needs are requested: a long session has many others. */
static int read_turns(struct turns *t, struct str session)
{
	struct thole_stream *s;
	struct params p;
	char *text;
	size_t len;
	int code = CODE_DONE;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", false);
	params_str(&p, "turnId", t->only);
	params_raw(&p, "types",
	           STR("[\"session.created\",\"turn.submitted\",\"turn.completed\",\"turn.failed\","
	               "\"model.completed\"]"));
	s = connection_subscribe(t->c, &p, &code);
	if (!s)
		return code;
	while (thole_next(s, -1, &text, &len) == THOLE_OK) {
		struct shown_event f;

		if (shown_event_read(t->c->mem, str_of(text, len), &f))
			take_event(t, &f);
		thole_free(text);
	}
	thole_unsubscribe(s);
	return CODE_DONE;
}

static void put_turn_line(struct cli *c, const struct turn_line *l)
{
	printf("  %s  %-10s  %8s  %9s  %s\n", out_id(c, l->turn),
	       l->outcome.len ? out_safe(c->mem, l->outcome) : "open",
	       l->ended ? out_span(c->mem, l->ended - l->began) : "",
	       json_is(l->cost) ? out_usd(c->mem, l->cost) : "",
	       l->prompt.len ? out_safe_cut(c->mem, l->prompt, 60) : "(the runtime's own)");
}

static void put_turns(const struct turns *t)
{
	size_t first = t->count > TURNS_SHOWN ? t->count - TURNS_SHOWN : 0;

	if (first)
		printf("  … %zu earlier ones; `thole log` has them\n", first);
	for (size_t i = first; i < t->count; i++)
		put_turn_line(t->c, &t->lines[i % TURNS_SHOWN]);
}

/* ---- a session ---- */

static void put_action(struct cli *c, struct json a)
{
	printf("  %s  %s\n", out_id(c, json_str(JSON_GET(a, "actionId"))),
	       out_safe_cut(c->mem, json_str(JSON_GET(a, "prompt")), 100));
}

static void put_each(struct cli *c, const char *label, struct json list,
                     void (*each)(struct cli *c, struct json v))
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_count(list))
		printf("%s\n", label);
	while (json_next(&it, &key, &v))
		each(c, v);
}

static void put_queued(struct cli *c, struct json q)
{
	printf("  %lld  %s  %s\n", (long long)json_int(JSON_GET(q, "position"), 0),
	       out_id(c, json_str(JSON_GET(q, "turnId"))),
	       out_safe_cut(c->mem, json_str(JSON_GET(q, "preview")), 80));
}

static void put_incident(struct cli *c, struct json i)
{
	printf("  %s: %s (%s, event %lld)\n", out_safe(c->mem, json_str(JSON_GET(i, "category"))),
	       out_safe_cut(c->mem, json_str(JSON_GET(i, "message")), 100), age(c, i, "at"),
	       (long long)json_int(JSON_GET(i, "sequence"), 0));
}

static void put_thread(struct cli *c, struct json th)
{
	printf("thread %s  %s, %s", out_id(c, json_str(JSON_GET(th, "threadId"))),
	       member(c, th, "kind"), member(c, th, "profileStatus"));
	if (json_is(JSON_GET(th, "statusReason")))
		printf(": %s", member(c, th, "statusReason"));
	putchar('\n');
	put_each(c, "waits for a decision", JSON_GET(th, "pendingRequests"), put_action);
	put_each(c, "queue", JSON_GET(th, "queuedTurns"), put_queued);
	put_each(c, "incidents", JSON_GET(th, "incidents"), put_incident);
}

/* The cost of all turns; the session's view has only that of the last. */
static const char *session_cost(struct cli *c, struct json row)
{
	struct json cost = JSON_GET(row, "costUsd");

	if (json_is(JSON_GET(row, "amountState")))
		return "unknown";
	return json_is(cost) ? out_usd(c->mem, cost) : NULL;
}

/*
 * The view gives the threads and what they wait for; the turns come from the events, which have
 * their prompts and outcomes.
 */
static int show_session(struct cli *c, const struct ref *r)
{
	struct turns turns = { .c = c };
	struct params p;
	struct json s, th;
	struct str key;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	if (!c->opts.json)
		params_int(&p, "window", 1);
	code = connection_call(c, "get_session", &p, &s);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(s);
		return CODE_DONE;
	}
	code = read_turns(&turns, r->session);
	if (code)
		return code;
	put_head(c, r->session, json_str(JSON_GET(s, "title")));
	put(c, "made", age(c, s, "createdAt"));
	put(c, "changed", age(c, s, "updatedAt"));
	put(c, "events", member(c, s, "sequence"));
	put(c, "directory", str_is(turns.cwd) ? out_safe(c->mem, turns.cwd) : NULL);
	put(c, "cost", session_cost(c, r->row));
	put(c, "time", time_line_text(c, r->session, STR_NONE));
	if (json_bool(JSON_GET(s, "stale"), false))
		put(c, "note", "rebuilt from a damaged log; may not be current");
	struct json_iter it = json_iter(JSON_GET(s, "threads"));

	while (json_next(&it, &key, &th))
		put_thread(c, th);
	if (turns.count)
		printf("turns\n");
	put_turns(&turns);
	return CODE_DONE;
}

/* ---- a thread, a turn ---- */

static int read_thread(struct cli *c, const struct ref *r, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "threadId", r->thread);
	return connection_call(c, "get_thread_read", &p, ret);
}

static int show_thread(struct cli *c, const struct ref *r)
{
	struct json th;
	int code = read_thread(c, r, &th);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(th);
		return CODE_DONE;
	}
	put(c, "session", out_safe(c->mem, r->session));
	put_thread(c, th);
	return CODE_DONE;
}

static struct json find_turn(struct json th, struct str turn)
{
	struct json_iter it = json_iter(JSON_GET(th, "turns"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "turnId")), turn))
			return v;
	return (struct json){ 0 };
}

static void put_call(struct cli *c, struct json th, struct str turn)
{
	struct json_iter it = json_iter(JSON_GET(th, "toolCalls"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		if (!str_eq(json_str(JSON_GET(v, "turnId")), turn))
			continue;
		printf("  %s  %s", member(c, v, "toolName"), member(c, v, "status"));
		if (json_is(shown_event_path(v, STR("permissionDecision.decision"))))
			printf(", %s by %s", member(c, v, "permissionDecision.decision"),
			       member(c, v, "permissionDecision.decisionSource"));
		if (json_is(JSON_GET(v, "durationMs")))
			printf(", %s", out_span(c->mem, json_int(JSON_GET(v, "durationMs"), 0)));
		putchar('\n');
	}
}

static void put_turn(struct cli *c, const struct ref *r, const struct turn_line *l, struct json th,
                     struct json turn)
{
	put_head(c, r->turn, l ? l->prompt : STR(""));
	put(c, "session", out_safe(c->mem, r->session));
	put(c, "task", out_safe(c->mem, r->task));
	put(c, "status",
	    l && l->outcome.len ? out_safe(c->mem, l->outcome) : member(c, turn, "status"));
	put(c, "why",
	    l && l->message.len ? out_safe(c->mem, l->message) : member(c, turn, "statusReason"));
	put(c, "model", member(c, turn, "routingDecision.selectedModel"));
	if (l && l->ended)
		put(c, "took", out_span(c->mem, l->ended - l->began));
	if (l && json_is(l->cost))
		put(c, "cost", out_usd(c->mem, l->cost));
	put(c, "time", time_line_text(c, r->session, r->turn));
	put_call(c, th, r->turn);
	if (l && l->response.len)
		put(c, "answer", out_safe_cut(c->mem, l->response, 400));
}

static int show_turn(struct cli *c, const struct ref *r)
{
	struct turns turns = { .c = c, .only = r->turn };
	struct json th, turn;
	int code = read_thread(c, r, &th);

	if (code)
		return code;
	turn = find_turn(th, r->turn);
	if (c->opts.json) {
		out_json(json_is(turn) ? turn : r->row);
		return CODE_DONE;
	}
	code = read_turns(&turns, r->session);
	if (!code)
		put_turn(c, r, line_of(&turns, r->turn), th, turn);
	return code;
}

/* ---- a task, an action ---- */

static void put_attempt(struct cli *c, struct json a)
{
	printf("  %lld  %s  %s", (long long)json_int(JSON_GET(a, "attemptCount"), 0),
	       out_id(c, json_str(JSON_GET(a, "runId"))), member(c, a, "status"));
	if (json_is(shown_event_path(a, STR("lastError.message"))))
		printf(": %s", member(c, a, "lastError.message"));
	putchar('\n');
}

/*
 * Each attempt has its own line: a task that was retried may have failed for different reasons.
 */
static int show_task(struct cli *c, const struct ref *r)
{
	struct params p;
	struct json reply, task;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "taskId", r->task);
	code = connection_call(c, "get_task", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	task = JSON_GET(reply, "task");
	put_head(c, r->task, json_str(JSON_GET(task, "title")));
	put(c, "status", member(c, task, "status"));
	put(c, "why", member(c, task, "statusReason"));
	put(c, "session", out_safe(c->mem, r->session));
	put(c, "turn", out_safe(c->mem, r->turn));
	put(c, "made", age(c, task, "createdAt"));
	put(c, "ended", age(c, task, "endedAt"));
	put_each(c, "attempts", JSON_GET(task, "attempts"), put_attempt);
	return CODE_DONE;
}

/* A pending action is shown with everything that an approval would cover. */
static int show_action(struct cli *c, const struct ref *r)
{
	struct json a = r->row;
	struct approval_details about;
	struct form form;

	if (c->opts.json) {
		out_json(a);
		return CODE_DONE;
	}
	put_head(c, r->action, json_str(JSON_GET(a, "prompt")));
	put(c, "kind", member(c, a, "actionType"));
	put(c, "tool", member(c, a, "toolName"));
	put(c, "status", member(c, a, "status"));
	put(c, "session", out_safe(c->mem, r->session));
	put(c, "turn", out_safe(c->mem, r->turn));
	put(c, "asked", age(c, a, "requestedAt"));
	put(c, "decision", member(c, a, "decision"));
	put(c, "by", member(c, a, "decidedBy.principal"));
	put(c, "for", member(c, a, "decidedBy.onBehalfOf"));
	if (!str_eq(json_str(JSON_GET(a, "status")), STR("pending")))
		return CODE_DONE;
	fflush(stdout);
	if (form_is_question(a)) {
		form_read(&form, JSON_GET(a, "schema"));
		form_print(c, &form, stderr);
	} else {
		approval_details_find(&about, c, a);
		approval_details_print(&about, stdout, c->color_out, c->mem, a);
		fflush(stdout);
	}
	form_print_hint(c, a);
	return CODE_DONE;
}

/* The kind of the id decides; an id of an output prints the output itself. */
int verb_show(struct cli *c)
{
	struct ref r;
	int code;

	if (c->arg_count && id_has_prefix(str_from(c->args[0]), "out"))
		return cli_process_print_output(c, str_from(c->args[0]));
	code = ref_find(c, c->arg_count ? c->args[0] : "@last", &r);
	if (code)
		return code;
	switch (r.kind) {
	case REF_SESSION:
		return show_session(c, &r);
	case REF_THREAD:
		return show_thread(c, &r);
	case REF_TURN:
		return show_turn(c, &r);
	case REF_TASK:
		return show_task(c, &r);
	case REF_ACTION:
		return show_action(c, &r);
	}
	return CODE_FAILED;
}
