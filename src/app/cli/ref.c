/*
 * Finds what an ID on the command line means: a session, thread, turn, task or
 * action by its id, by a unique beginning of it, or @last.  A session that was
 * deleted is named as such.
 */
#include "app/cli/ref.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/gen/limits.h"
#include "base/os/id.h"

#define LOOK_AT_SESSIONS 256 /* threads have no list across sessions */

/* One search: what is looked for, and what was found so far. */
struct search {
	struct cli *c;
	struct str text;
	const char *key; /* of the id in a row */
	enum ref_kind kind;
	struct ref *ret;
	struct str first, second; /* the first two different ids that begin with text */
	bool is_exact;
	int seen;
};

/* ---- rows ---- */

static void keep(struct search *s, struct json row)
{
	struct ref *r = s->ret;

	*r = (struct ref){ .kind = s->kind, .row = row };
	r->session = json_str(JSON_GET(row, "sessionId"));
	r->thread = json_str(JSON_GET(row, "threadId"));
	r->turn = json_str(JSON_GET(row, "turnId"));
	r->task = json_str(JSON_GET(row, "taskId"));
	r->action = json_str(JSON_GET(row, "actionId"));
	if (s->kind == REF_SESSION)
		r->sequence = json_int(JSON_GET(row, "sequence"), 0);
}

/* Searches until the exact id is found, because it may also be the beginning of other ids. */
static bool look(void *arg, struct json row)
{
	struct search *s = arg;
	struct str id = json_str(json_get(row, str_from(s->key)));

	if (!str_is(id) || !str_starts(id, s->text))
		return true;
	s->is_exact = id.len == s->text.len;
	if (s->is_exact || !str_is(s->first)) {
		keep(s, row);
		s->first = id;
	} else if (!str_eq(id, s->first)) {
		s->second = id;
	}
	return !s->is_exact;
}

/* Does nothing once an id was found, so that callers can try lists in a row. */
static int look_in(struct search *s, enum ref_kind kind, const char *command, const char *rows,
                   const char *key, const struct filter *only)
{
	if (str_is(s->first))
		return CODE_DONE;
	s->kind = kind;
	s->key = key;
	return connection_list(s->c, command, rows, only, look, s);
}

/* ---- threads: session by session, the latest first ---- */

/* Rows of threads have no session, so it is added here. */
static bool look_in_session(void *arg, struct json row)
{
	struct search *s = arg;
	struct str session = json_str(JSON_GET(row, "sessionId"));
	struct json reply, thread;
	struct str key;
	struct params p;

	if (s->seen++ >= LOOK_AT_SESSIONS)
		return false;
	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (connection_try(s->c, "list_threads", &p, true, &reply) != THOLE_OK)
		return true;
	struct json_iter it = json_iter(JSON_GET(reply, "threads"));

	while (json_next(&it, &key, &thread)) {
		struct str before = s->first;
		bool goes_on = look(s, thread);

		if (!str_eq(before, s->first)) {
			s->ret->session = session;
			s->ret->sequence = json_int(JSON_GET(row, "sequence"), 0);
		}
		if (!goes_on)
			return false;
	}
	return true;
}

static int look_for_thread(struct search *s)
{
	if (str_is(s->first))
		return CODE_DONE;
	s->kind = REF_THREAD;
	s->key = "threadId";
	return connection_list(s->c, "list_sessions", "sessions", NULL, look_in_session, s);
}

/* list_actions filters by one status; pending ones are the likeliest. */
static int look_for_action(struct search *s)
{
	static const struct filter states[] = { { "status", "\"pending\"" },
		                                { "status", "\"resolved\"" },
		                                { "status", "\"timed_out\"" },
		                                { "status", "\"cancelled\"" } };
	int code = CODE_DONE;

	for (size_t i = 0; i < COUNT_OF(states) && !code; i++)
		code = look_in(s, REF_ACTION, "list_actions", "actions", "actionId", &states[i]);
	return code;
}

/* Turns have a task each, and tasks are listed; those of single turns only when asked for. */
static int look_for_task(struct search *s, enum ref_kind kind)
{
	static const struct filter internal = { "visibility", "\"internal\"" };
	const char *key = kind == REF_TURN ? "turnId" : "taskId";
	int code = look_in(s, kind, "list_tasks", "tasks", key, &internal);

	return code ? code : look_in(s, kind, "list_tasks", "tasks", key, NULL);
}

/* ---- imported turns: they have no task, so the events of their sessions are read ---- */

/* One page; *after moves on.  False: there are no more, or the search is over. */
static bool look_in_turns(struct search *s, struct str session, int64_t *after)
{
	struct json reply, event;
	struct params p;
	struct str key;
	int64_t count = 0;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_raw(&p, "types", STR("[\"turn.submitted\"]"));
	params_int(&p, "after", *after);
	params_int(&p, "limit", LIMIT_LIST_ROWS);
	if (connection_try(s->c, "list_events", &p, true, &reply) != THOLE_OK)
		return false;
	struct json_iter it = json_iter(JSON_GET(reply, "events"));

	while (json_next(&it, &key, &event)) {
		*after = json_int(JSON_GET(event, "sequence"), *after);
		count++;
		if (!look(s, event))
			return false;
	}
	return count == LIMIT_LIST_ROWS;
}

static bool look_in_imported(void *arg, struct json row)
{
	struct search *s = arg;
	int64_t after = 0;

	if (s->seen++ >= LOOK_AT_SESSIONS)
		return false;
	while (look_in_turns(s, json_str(JSON_GET(row, "sessionId")), &after))
		continue;
	return !s->is_exact;
}

static int look_for_imported(struct search *s)
{
	static const struct filter imported = { "labels", "[\"imported\"]" };

	if (str_is(s->first))
		return CODE_DONE;
	s->kind = REF_TURN;
	s->key = "turnId";
	s->seen = 0;
	return connection_list(s->c, "list_sessions", "sessions", &imported, look_in_imported, s);
}

static int look_for_turn(struct search *s)
{
	int code = look_for_task(s, REF_TURN);

	return code ? code : look_for_imported(s);
}

static int look_for_session(struct search *s)
{
	static const struct filter system = { "system", "true" };

	return look_in(s, REF_SESSION, "list_sessions", "sessions", "sessionId", &system);
}

/* ---- the whole ---- */

static const char *where_listed(const struct cli *c)
{
	const char *verb = c->verb->name;

	if (strcmp(verb, "task") == 0)
		return "`thole task ls --all` lists tasks.";
	if (strcmp(verb, "approve") == 0 || strcmp(verb, "deny") == 0 ||
	    strcmp(verb, "decide") == 0)
		return "`thole approvals` lists what waits.";
	return "`thole ps --all` lists sessions, `thole approvals` what waits.";
}

/* A whole id comes before the beginnings of others, also that of a session that was deleted. */
static bool was_deleted(struct search *s, int64_t *ret_event)
{
	struct json problem;
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", s->text);
	if (connection_try(s->c, "get_session", &p, true, &problem) != THOLE_REFUSED)
		return false;
	*ret_event = json_int(JSON_GET(problem, "removedBy"), 0);
	return str_eq(json_str(JSON_GET(problem, "code")), STR("session_deleted"));
}

/* When; the event may have been removed from sess_system since. */
static struct str time_of(struct cli *c, int64_t event)
{
	struct json reply, row;
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", STR("sess_system"));
	params_int(&p, "after", event - 1);
	params_int(&p, "limit", 1);
	if (connection_try(c, "list_events", &p, true, &reply) != THOLE_OK)
		return STR_NONE;
	row = json_at(JSON_GET(reply, "events"), 0);
	return json_int(JSON_GET(row, "sequence"), 0) == event
	               ? json_str(JSON_GET(row, "timestamp"))
	               : STR_NONE;
}

static int say_deleted(struct search *s, int64_t event)
{
	struct cli *c = s->c;
	struct str at = time_of(c, event);

	out_error(c, "Session %s was deleted%s%s, as event %lld of sess_system records.",
	          out_safe(c->mem, s->text), str_is(at) ? " at " : "",
	          str_is(at) ? out_safe(c->mem, at) : "", (long long)event);
	fprintf(stderr, "  `thole audit --what erasures` lists deletions.\n");
	return CODE_FAILED;
}

static int found(struct search *s)
{
	int64_t event;

	if (!s->is_exact && s->kind != REF_ACTION && was_deleted(s, &event))
		return say_deleted(s, event);
	struct cli *c = s->c;

	if (!str_is(s->first)) {
		out_error(c, "There is nothing called %s.", out_safe(c->mem, s->text));
		fprintf(stderr, "  %s\n", where_listed(c));
		return CODE_FAILED;
	}
	if (str_is(s->second) && !s->is_exact) {
		out_error(c, "%s is the beginning of several ids, %s and %s among them.",
		          out_safe(c->mem, s->text), out_safe(c->mem, s->first),
		          out_safe(c->mem, s->second));
		fprintf(stderr, "  Type more of it.\n");
		return CODE_USAGE;
	}
	return CODE_DONE;
}

static bool take_first(void *arg, struct json row)
{
	struct search *s = arg;

	keep(s, row);
	s->first = s->ret->session;
	return false;
}

static int find_last(struct search *s)
{
	int code;

	s->kind = REF_SESSION;
	code = connection_list(s->c, "list_sessions", "sessions", NULL, take_first, s);
	if (code)
		return code;
	if (!str_is(s->first)) {
		out_error(s->c, "There is no session yet.");
		fprintf(stderr, "  `thole run \"hello\"` makes one.\n");
		return CODE_FAILED;
	}
	return CODE_DONE;
}

/* What the id says of itself comes first; callers may bring ids that say nothing. */
static int look_everywhere(struct search *s)
{
	struct str t = s->text;
	int code = CODE_DONE;

	if (id_has_prefix(t, "act"))
		code = look_for_action(s);
	else if (id_has_prefix(t, "thr"))
		code = look_for_thread(s);
	else if (id_has_prefix(t, "turn"))
		code = look_for_turn(s);
	else if (id_has_prefix(t, "task"))
		code = look_for_task(s, REF_TASK);
	if (!code)
		code = look_for_session(s);
	if (!code && !id_has_prefix(t, "sess")) {
		code = look_for_task(s, REF_TURN);
		if (!code)
			code = look_for_task(s, REF_TASK);
		if (!code)
			code = look_for_thread(s);
		if (!code)
			code = look_for_action(s);
	}
	return code;
}

int ref_find(struct cli *c, const char *text, struct ref *ret)
{
	struct search s = { .c = c, .text = str_from(text), .ret = ret };
	int code;

	if (strcmp(text, "@last") == 0)
		return find_last(&s);
	if (!id_is_valid(s.text))
		return opt_usage(c, "\"%s\" is not an id.", text);
	code = look_everywhere(&s);
	return code ? code : found(&s);
}

/*
 * A session that is not listed may have been deleted: the runtime knows that by its whole id.  The
 * beginning of another id is not enough, or a deletion that is repeated would hit another session.
 */
int ref_find_session(struct cli *c, const char *text, struct ref *ret)
{
	struct search s = { .c = c, .text = str_from(text), .ret = ret };

	if (strcmp(text, "@last") == 0)
		return find_last(&s);
	if (!id_is_valid(s.text))
		return opt_usage(c, "\"%s\" is not an id.", text);
	*ret = (struct ref){ .kind = REF_SESSION, .session = s.text };
	return CODE_DONE;
}

/*
 * For verbs that decide: a session whose id begins the same way must not make the id ambiguous.
 */
int ref_find_action(struct cli *c, const char *text, struct ref *ret)
{
	struct search s = { .c = c, .text = str_from(text), .ret = ret };
	int code;

	if (!id_is_valid(s.text))
		return opt_usage(c, "\"%s\" is not an id.", text);
	code = look_for_action(&s);
	return code ? code : found(&s);
}

/* ---- every session ---- */

struct each {
	bool (*visit)(void *arg, struct str session);
	void *arg;
};

static bool visit_row(void *arg, struct json row)
{
	struct each *e = arg;

	return e->visit(e->arg, json_str(JSON_GET(row, "sessionId")));
}

int ref_each_session(struct cli *c, bool (*visit)(void *arg, struct str session), void *arg)
{
	struct each e = { visit, arg };
	struct ref r;
	int code;

	if (!c->arg_count)
		return connection_list(c, "list_sessions", "sessions",
		                       &(struct filter){ "system", "true" }, visit_row, &e);
	code = ref_find(c, c->args[0], &r);
	if (!code)
		visit(arg, r.session);
	return code;
}
