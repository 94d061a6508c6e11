/*
 * Which session a chat shows, and its beginning: the newest events are read as
 * one page and shown like live ones, then the state now replaces what they left.
 */
#include "app/chat/chat.h"

#include "app/cli/remote/remote.h"
#include "base/gen/words.h"
#include "base/os/clock.h"

#include <stdlib.h>

#define PAST_EVENTS 256 /* enough for the last screen, and one page */
#define FORKS_MAX 8     /* of a fork of a fork, shown when it is opened */
#define LOOK_AT 64      /* sessions without a directory in their row that -c looks at */

/* ---- finding ---- */

static bool read_session(struct cli *c, struct str session, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_raw(&p, "sections", STR("[\"executionEnvironment\",\"sessionCost\"]"));
	return connection_try(c, "get_session", &p, true, ret) == THOLE_OK;
}

static struct str cwd_of(struct json session)
{
	return json_str(shown_event_path(session, STR("executionEnvironment.cwd")));
}

struct last {
	struct cli *c;
	struct str cwd, found;
	int left;
};

/* The row of a session that was created without a directory does not have one. */
static struct str cwd_of_row(struct last *l, struct json row)
{
	struct str cwd = json_str(JSON_GET(row, "cwd"));
	struct json session;

	if (str_is(cwd) || l->left-- <= 0 ||
	    !read_session(l->c, json_str(JSON_GET(row, "sessionId")), &session))
		return cwd;
	return cwd_of(session);
}

/* A client may have sent a path through links. */
static bool is_same_dir(struct last *l, struct str cwd)
{
	char *real;
	bool is_same = str_eq(cwd, l->cwd);

	if (is_same || !str_is(cwd))
		return is_same;
	real = realpath(arena_keep(l->c->mem, cwd).ptr, NULL);
	is_same = real && str_eq(str_from(real), l->cwd);
	free(real);
	return is_same;
}

static bool look_at(void *arg, struct json row)
{
	struct last *l = arg;

	if (is_same_dir(l, cwd_of_row(l, row)))
		l->found = json_str(JSON_GET(row, "sessionId"));
	return !str_is(l->found);
}

struct str chat_open_last(struct cli *c, const char *cwd)
{
	struct last l = { .c = c, .cwd = str_from(cwd), .found = STR_NONE, .left = LOOK_AT };

	if (connection_list(c, "list_sessions", "sessions", NULL, look_at, &l) != CODE_DONE)
		return STR_NONE;
	return l.found;
}

/* Threads on which a person works; those of subagents and jobs are their own. */
static bool is_for_people(struct json thread)
{
	struct str kind = json_str(JSON_GET(thread, "kind"));

	return str_eq(kind, STR(WORD_THREAD_KIND_MAIN)) || str_eq(kind, STR(WORD_THREAD_KIND_FORK));
}

struct str chat_open_thread(struct cli *c, struct str session)
{
	struct str newest = STR_NONE, key;
	struct json reply, thread;
	struct json_iter it;
	int64_t newest_at = 0, at;
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (connection_try(c, "list_threads", &p, true, &reply) != THOLE_OK)
		return STR_NONE;
	it = json_iter(JSON_GET(reply, "threads"));
	while (json_next(&it, &key, &thread)) {
		if (!is_for_people(thread) ||
		    !clock_time_read(json_str(JSON_GET(thread, "updatedAt")), &at) ||
		    at < newest_at)
			continue;
		newest_at = at;
		newest = json_str(JSON_GET(thread, "threadId"));
	}
	return newest;
}

/* ---- showing ---- */

/* From the first message of the page on, so that no half turn is shown. */
static void show_page(struct chat *ch, struct json events)
{
	struct json_iter it = json_iter(events);
	struct json v;
	struct str key;
	bool has_message = false;

	while (json_next(&it, &key, &v))
		has_message =
			has_message || str_eq(json_str(JSON_GET(v, "type")), STR("turn.submitted"));
	it = json_iter(events);
	while (json_next(&it, &key, &v)) {
		if (has_message && !str_eq(json_str(JSON_GET(v, "type")), STR("turn.submitted")))
			continue;
		has_message = false;
		chat_view_event(&ch->view, json_text(ch->mem, v));
	}
}

static int show_past(struct chat *ch, struct str session, struct str thread, int64_t before)
{
	struct json reply;
	struct params p;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_str(&p, "threadId", thread);
	params_int(&p, "before", before);
	params_int(&p, "limit", PAST_EVENTS);
	code = connection_call(ch->c, "list_events", &p, &reply);
	if (code)
		return code;
	ch->view.is_past = true;
	if (json_bool(JSON_GET(reply, "more"), false))
		chat_view_note(&ch->view, TONE_DIM, "  … earlier turns: thole log %s",
		               out_id(ch->c, session));
	show_page(ch, JSON_GET(reply, "events"));
	ch->view.is_past = false;
	return CODE_DONE;
}

static void take_queue(struct chat_view *v, struct json thread)
{
	struct json_iter it = json_iter(JSON_GET(thread, "queuedTurns"));
	struct json row;
	struct str key;
	size_t steers = 0;

	/* Steers are no part of the queue; those of the page wait for the next request. */
	for (size_t i = 0; i < v->queued_count; i++)
		if (v->queued[i].is_steer)
			v->queued[steers++] = v->queued[i];
	v->queued_count = steers;
	v->is_held =
		str_eq(json_str(shown_event_path(thread, STR("queue.resumeState"))), STR("held"));
	while (json_next(&it, &key, &row) && v->queued_count < CHAT_QUEUE_MAX) {
		struct chat_queued *q = &v->queued[v->queued_count++];

		q->is_steer = false;
		snprintf(q->turn, sizeof q->turn, "%.*s",
		         STR_ARG(json_str(JSON_GET(row, "turnId"))));
		snprintf(q->input, sizeof q->input, "%.*s",
		         STR_ARG(json_str(JSON_GET(row, "inputRef"))));
		snprintf(q->text, sizeof q->text, "%.*s",
		         STR_ARG(chat_view_own_text(json_str(JSON_GET(row, "preview")))));
	}
}

static void take_pending(struct chat_view *v, struct json thread)
{
	struct json_iter it = json_iter(JSON_GET(thread, "pendingRequests"));
	struct json row;
	struct str key;

	v->pending_count = 0;
	while (json_next(&it, &key, &row))
		chat_view_add_pending(v, row);
}

/* The active turn, if the page does not have its beginning. */
static void take_turn(struct chat_view *v, struct json thread)
{
	struct json turns = JSON_GET(thread, "turns");
	struct json last = json_at(turns, json_count(turns) - 1);

	snprintf(v->turn, sizeof v->turn, "%.*s",
	         STR_ARG(json_str(JSON_GET(thread, "activeTurnId"))));
	if (clock_time_read(json_str(JSON_GET(last, "startedAt")), &v->since))
		v->show.began_at = v->since;
}

/* The state now; the page may have begun in the middle. */
static void take_state(struct chat_view *v, struct json thread)
{
	struct str status = json_str(JSON_GET(thread, "profileStatus"));
	struct str model = json_str(shown_event_path(thread, STR("modelRouting.selectedModel")));
	bool is_active = str_is(json_str(JSON_GET(thread, "activeTurnId")));

	take_queue(v, thread);
	take_pending(v, thread);
	if (is_active && !*v->turn)
		take_turn(v, thread);
	v->state = str_eq(status, STR(WORD_STATUS_LOST)) ? CHAT_LOST
	           : v->pending_count                    ? CHAT_ASKING
	           : is_active                           ? CHAT_RUNNING
	                                                 : CHAT_IDLE;
	snprintf(v->mode, sizeof v->mode, "%.*s",
	         STR_ARG(json_str(shown_event_path(thread, STR("permissionState.mode")))));
	if (model.len)
		snprintf(v->model, sizeof v->model, "%s", out_safe_cut(v->mem, model, 60));
}

/* The sum over all turns; the thread has that of its latest one.  Later events add to it. */
static void take_cost(struct chat_view *v, struct json session)
{
	struct json cost = JSON_GET(session, "sessionCost");
	struct str state = json_str(JSON_GET(cost, "state"));

	v->has_cost = json_is(cost) && !str_eq(state, STR(WORD_COST_STATUS_UNKNOWN));
	v->cost_usd = json_real(JSON_GET(cost, "recordedUsd"), 0);
	v->cost_after = json_int(JSON_GET(session, "sequence"), 0);
}

static int read_thread(struct chat *ch, struct str session, struct str thread, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_str(&p, "threadId", thread);
	params_int(&p, "window", 1);
	return connection_call(ch->c, "get_thread_read", &p, ret);
}

/*
 * Events of these types (a list in JSON), of one thread unless it is absent: the last ones before an
 * event, or the first ones if `before` is 0.  Nothing if they cannot be read.
 */
static struct json read_events(struct chat *ch, struct str session, struct str thread,
                               struct str types, int64_t before)
{
	struct params p;
	struct json page;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (str_is(thread))
		params_str(&p, "threadId", thread);
	params_raw(&p, "types", types);
	if (before)
		params_int(&p, "before", before);
	params_int(&p, "limit", PAST_EVENTS);
	if (connection_try(ch->c, "list_events", &p, true, &page) != THOLE_OK)
		return (struct json){ 0 };
	return JSON_GET(page, "events");
}

/* The directory with which the session was created; absent: it is not known. */
static struct str first_cwd(struct chat *ch, struct str session)
{
	struct json created =
		json_at(read_events(ch, session, STR_NONE, STR("[\"session.created\"]"), 0), 0);

	return json_str(JSON_GET(JSON_GET(created, "payload"), "cwd"));
}

/*
 * The model that was chosen for the session.  It counts from the next message on, so the last turn
 * may have had another.
 */
static void take_model(struct chat *ch, struct str session, int64_t before)
{
	struct json_iter it = json_iter(read_events(
		ch, session, STR_NONE, STR("[\"session.created\",\"session.updated\"]"), before));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str model = json_str(JSON_GET(JSON_GET(v, "payload"), "model"));

		if (str_is(model) && model.len)
			ch->pick = arena_keep(ch->c->mem, model);
	}
	if (str_is(ch->pick))
		snprintf(ch->view.model, sizeof ch->view.model, "%s",
		         out_safe_cut(ch->mem, ch->pick, 60));
}

/* That of the last message, unless the user chose one. */
static void take_effort(struct chat *ch, struct str session, struct str thread, int64_t before)
{
	static const char *const levels[] = { WORDS_EFFORT };
	struct json_iter it =
		json_iter(read_events(ch, session, thread, STR("[\"turn.submitted\"]"), before));
	struct str key, effort = STR_NONE;
	struct json v;

	while (json_next(&it, &key, &v))
		if (json_is(shown_event_path(v, STR("payload.input"))))
			effort = json_str(shown_event_path(v, STR("payload.options.effort")));
	for (size_t i = 0; i < COUNT_OF(levels); i++)
		if (str_is(effort) && str_eq(effort, str_from(levels[i])))
			ch->effort = levels[i];
}

/* The conversation that a fork continues, up to where it began. */
static void show_before_fork(struct chat *ch, struct str session, struct str thread, int depth)
{
	struct json events, from;
	struct str parent;

	if (!depth)
		return;
	events = read_events(ch, session, thread, STR("[\"thread.started\"]"), 0);
	from = shown_event_path(json_at(events, 0), STR("payload.forkedFrom"));
	parent = json_str(JSON_GET(from, "threadId"));
	if (!str_is(parent))
		return;
	show_before_fork(ch, session, parent, depth - 1);
	snprintf(ch->view.thread, sizeof ch->view.thread, "%.*s", STR_ARG(parent));
	show_past(ch, session, parent, json_int(JSON_GET(from, "sequence"), 0) + 1);
	ch->view.queued_count = 0;
}

/*
 * The directory of its last turn.  A summary that a command asked for is recorded with the directory
 * of the daemon; no session works there.
 */
static struct str cwd_to_open(struct chat *ch, struct str session, struct json whole)
{
	struct str cwd = cwd_of(whole);

	return str_is(cwd) && str_eq(cwd, str_from(ch->c->data)) ? first_cwd(ch, session) : cwd;
}

/*
 * A turn may continue meanwhile.  The page and the cost are those of the first read, and the stream
 * begins there: what happened between two reads is applied again to the state of the second one.
 */
int chat_open_session(struct chat *ch, struct str session, struct str thread)
{
	struct json now, whole = { 0 };
	bool has_session = read_session(ch->c, session, &whole);
	bool is_shown = str_eq(session, str_from(ch->view.session)); /* up to the fork */
	struct str cwd;
	int code;

	if (!str_is(thread))
		thread = chat_open_thread(ch->c, session);
	code = read_thread(ch, session, thread, &now);

	if (code || !has_session)
		return code ? code : CODE_FAILED;
	cwd = cwd_to_open(ch, session, whole);
	chat_view_reset(&ch->view);
	thread = json_str(JSON_GET(now, "threadId"));
	ch->is_fork = !str_eq(json_str(JSON_GET(now, "kind")), STR(WORD_THREAD_KIND_MAIN));
	snprintf(ch->view.session, sizeof ch->view.session, "%.*s", STR_ARG(session));
	take_cost(&ch->view, whole);
	if (ch->is_fork && !is_shown)
		show_before_fork(ch, session, thread, FORKS_MAX);
	snprintf(ch->view.thread, sizeof ch->view.thread, "%.*s", STR_ARG(thread));
	code = show_past(ch, session, thread, ch->view.cost_after + 1);
	if (code)
		return code;
	take_state(&ch->view, now);
	if (!str_is(ch->pick))
		take_model(ch, session, ch->view.cost_after + 1);
	if (!ch->effort)
		take_effort(ch, session, thread, ch->view.cost_after + 1);
	if (str_is(cwd) && cwd.len) {
		ch->cwd = arena_keep(ch->c->mem, cwd).ptr;
		ch->place = chat_open_place(ch);
		ch->complete.dir = ch->cwd;
	}
	if (!chat_link_follow(&ch->link, session, ch->view.after))
		chat_link_lost(&ch->link);
	return CODE_DONE;
}

void chat_open_keep_model(struct chat *ch)
{
	struct params p;

	if (!*ch->view.session || !str_is(ch->pick))
		return;
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_str(&p, "model", ch->pick);
	params_key(ch->c, &p);
	chat_link_send(&ch->link, CHAT_CALL_KEEP_MODEL, "update_session", &p);
}

bool chat_open_create(struct chat *ch)
{
	struct json reply;
	struct params p;

	if (*ch->view.session)
		return true;
	params_begin(&p);
	params_cstr(&p, "cwd", ch->cwd);
	params_cstr(&p, "mode", ch->mode);
	params_str(&p, "model", ch->pick);
	params_key(ch->c, &p);
	if (connection_try(ch->c, "create_session", &p, false, &reply) != THOLE_OK) {
		chat_paint_notice(ch, "  no session could be created");
		return false;
	}
	chat_open_adopt(ch, reply);
	return true;
}

void chat_open_adopt(struct chat *ch, struct json reply)
{
	struct str session = json_str(JSON_GET(reply, "sessionId"));

	snprintf(ch->view.session, sizeof ch->view.session, "%.*s", STR_ARG(session));
	snprintf(ch->view.thread, sizeof ch->view.thread, "%.*s",
	         STR_ARG(json_str(JSON_GET(reply, "threadId"))));
	if (!chat_link_follow(&ch->link, session, 0))
		chat_link_lost(&ch->link);
}

void chat_open_new(struct chat *ch)
{
	chat_link_unfollow(&ch->link);
	chat_ask_close(&ch->ask);
	/* The status line keeps showing the mode, so the new session gets it. */
	if (*ch->view.mode)
		ch->mode = arena_keep(ch->c->mem, str_from(ch->view.mode)).ptr;
	chat_view_reset(&ch->view);
	ch->is_fork = false;
	chat_view_note(&ch->view, TONE_DIM, "  a new session begins with the next message");
}

/* ---- the status line ---- */

/* The branch, from the HEAD of the repository around the directory; empty: there is none. */
static const char *find_branch(struct chat *ch)
{
	struct str dir = str_from(ch->cwd);

	while (dir.len) {
		struct str head = paths_read_file(
			ch->c->mem, arena_printf(ch->c->mem, "%.*s/.git/HEAD", STR_ARG(dir)).ptr,
			512);

		head = str_trim(head);
		if (str_starts(head, STR("ref: refs/heads/")))
			return out_safe_cut(ch->c->mem, str_skip(head, 16), 40);
		if (head.len)
			return out_safe_cut(ch->c->mem, head, 9);
		while (dir.len && dir.ptr[dir.len - 1] != '/')
			dir.len--;
		dir.len -= dir.len > 0;
	}
	return "";
}

/* [USER@]HOST[:PORT] of the other machine's address. */
static struct str host_name(struct chat *ch)
{
	struct str rest = str_from(remote_host(ch->c));

	if (str_starts(rest, STR("ssh://")))
		rest = str_skip(rest, 6);
	return str_cut(&rest, '/');
}

const char *chat_open_place(struct chat *ch)
{
	const char *home = getenv("HOME"), *branch = ch->c->is_remote ? "" : find_branch(ch);
	struct str dir = str_from(ch->cwd);
	bool is_below = !ch->c->is_remote && home && *home && str_starts(dir, str_from(home)) &&
	                (ch->cwd[strlen(home)] == '/' || !ch->cwd[strlen(home)]);
	const char *shown =
		is_below ? arena_printf(ch->c->mem, "~%s", ch->cwd + strlen(home)).ptr : ch->cwd;

	if (ch->c->is_remote)
		shown = arena_printf(ch->c->mem, "%.*s:%s", STR_ARG(host_name(ch)), shown).ptr;
	shown = out_safe(ch->c->mem, str_from(shown));
	return *branch ? arena_printf(ch->c->mem, "%s (%s)", shown, branch).ptr : shown;
}
