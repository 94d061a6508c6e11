/*
 * Keeps the calls that are open, so that a new connection can take them over, and restarts the
 * streams of events behind the last event that the session has seen.
 */
#include "app/acp/acp_link.h"

#include "app/cli/daemon.h"
#include "app/cli/remote/remote.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/clock.h"

#include <stdlib.h>
#include <string.h>

#define AWAY_MS 1500 /* a daemon that restarts by itself is back by then */
#define REMOTE_AWAY_MS 60000
#define RETRY_MS 50
#define PATIENCE_MS 100 /* until a reader that is no longer wanted notices */

struct link_call {
	struct list node;
	uint64_t tag;
	unsigned long long id; /* on the lane; 0: not sent */
	char *command, *params;
};

struct follower {
	struct list node;
	char *session;
	struct event_reader reader;
	struct reader_item *left; /* items that wait for the session; or NULL */
	char *problem;            /* why its events cannot be read; or NULL */
};

/* ---- calls ---- */

static void link_call_free(struct link_call *call)
{
	list_remove(&call->node);
	memory_free(call->command);
	memory_free(call->params);
	memory_free(call);
}

static void send_call(struct acp_link *l, struct link_call *call)
{
	call->id = thole_lane_send(l->lane, call->command, call->params);
}

void acp_link_call(struct acp_link *l, uint64_t tag, const char *command, struct str params)
{
	struct link_call *call = memory_zeroed(1, sizeof *call);

	call->tag = tag;
	call->command = memory_strdup(command);
	call->params = memory_strndup(params.ptr, params.len);
	list_init(&call->node);
	list_add(&l->calls, &call->node);
	if (l->state == ACP_LINK_UP)
		send_call(l, call);
}

/* ---- events ---- */

static void free_items(struct reader_item *m)
{
	struct reader_item *next;

	for (; m; m = next) {
		next = event_reader_next_item(m);
		event_reader_free_item(m);
	}
}

static void follower_free(struct follower *f)
{
	event_reader_stop(&f->reader);
	free_items(f->left);
	list_remove(&f->node);
	thole_free(f->problem);
	memory_free(f->session);
	memory_free(f);
}

/* A reader notices late that it is not wanted any more; the editor does not wait for that. */
static void follower_leave(struct acp_link *l, struct follower *f)
{
	list_remove(&f->node);
	list_add(&l->leaving, &f->node);
	event_reader_try_stop(&f->reader);
}

static void free_stopped(struct acp_link *l)
{
	LIST_EACH_SAFE (&l->leaving, node, next) {
		struct follower *f = LIST_ITEM(node, struct follower, node);

		if (event_reader_try_stop(&f->reader))
			follower_free(f);
	}
}

static void free_followers(struct list *all)
{
	while (!list_is_empty(all))
		follower_free(LIST_ITEM(all->next, struct follower, node));
}

void acp_link_unfollow(struct acp_link *l, struct str session_id)
{
	LIST_EACH_SAFE (&l->followers, node, next) {
		struct follower *f = LIST_ITEM(node, struct follower, node);

		if (str_eq(str_from(f->session), session_id))
			follower_leave(l, f);
	}
}

static struct thole_stream *subscribe(struct acp_link *l, struct str session_id, int64_t after,
                                      char **ret_problem)
{
	struct thole_stream *stream;
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", session_id);
	params_int(&p, "after", after);
	params_bool(&p, "follow", true);
	jw_obj_end(&p.w);
	buf_add_char(&p.text, 0);
	stream = thole_subscribe(l->c->t, p.text.ptr, ret_problem);
	params_done(&p);
	return stream;
}

/* A connection that is down is noticed at the lane; the session follows again after that. */
void acp_link_follow(struct acp_link *l, struct str session_id, int64_t after)
{
	struct thole_stream *stream;
	struct follower *f;
	char *problem = NULL;

	acp_link_unfollow(l, session_id);
	stream = l->state == ACP_LINK_UP ? subscribe(l, session_id, after, &problem) : NULL;
	if (!stream && !problem)
		return;
	f = memory_zeroed(1, sizeof *f);
	f->session = memory_strndup(session_id.ptr, session_id.len);
	list_init(&f->node);
	list_add(&l->followers, &f->node);
	f->problem = problem;
	if (stream)
		event_reader_start(&f->reader, stream, PATIENCE_MS);
}

/* ---- connecting ---- */

static void enrol(struct acp_link *l)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	acp_session_write_enrol(l->s, &params);
	buf_add_char(&params, 0);
	l->enrol_id = thole_lane_send(l->lane, "initialize", params.ptr);
}

/*
 * Enrolment comes first, so that every later command is one of the channel.  Tool servers of the
 * editor are named again before the prompts that wait.
 */
static bool go_up(struct acp_link *l)
{
	bool is_again = l->state == ACP_LINK_AWAY;

	l->lane = thole_lane_open(l->c->t);
	if (!l->lane) {
		connection_close(l->c);
		return false;
	}
	l->state = ACP_LINK_UP;
	thole_lane_send(l->lane, "via", "{\"via\":\"stdio\"}");
	enrol(l);
	if (is_again)
		acp_session_reconnected(l->s);
	LIST_EACH (&l->calls, node) {
		struct link_call *call = LIST_ITEM(node, struct link_call, node);

		if (!call->id)
			send_call(l, call);
	}
	return true;
}

static void refuse_all(struct acp_link *l)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json problem;

	if (json_read(mem,
	              STR("{\"code\":\"unavailable\",\"status\":503,\"title\":\"Thole cannot be "
	                  "reached.\",\"detail\":\"Thole cannot be reached; thole acp says why on "
	                  "its standard error.\"}"),
	              &problem, NULL) != OK)
		abort();
	while (!list_is_empty(&l->calls)) {
		struct link_call *call = LIST_ITEM(l->calls.next, struct link_call, node);
		uint64_t tag = call->tag;

		link_call_free(call);
		acp_session_replied(l->s, tag, false, problem);
	}
}

/* Everything that uses the connection is closed before the connection is. */
static void go_away(struct acp_link *l)
{
	if (l->state != ACP_LINK_UP)
		return;
	free_followers(&l->followers);
	free_followers(&l->leaving);
	LIST_EACH (&l->calls, node)
		LIST_ITEM(node, struct link_call, node)->id = 0;
	thole_lane_close(l->lane);
	l->lane = NULL;
	l->enrol_id = 0;
	connection_close(l->c);
	l->state = ACP_LINK_AWAY;
	l->away_since = clock_mono_ms();
}

static void connect_first(struct acp_link *l)
{
	if (connection_open(l->c) == CODE_DONE && go_up(l))
		return;
	refuse_all(l);
}

/* The socket of ssh accepts connections whether or not the daemon there lives. */
static void try_socket(struct acp_link *l)
{
	if (!l->c->is_remote || remote_again(l->c, true) == CODE_DONE)
		l->c->t = thole_connect(l->c->socket, NULL);
}

static void connect_again(struct acp_link *l)
{
	int64_t limit = l->c->is_remote ? REMOTE_AWAY_MS : AWAY_MS;
	int code = CODE_FAILED;
	bool is_late = clock_mono_ms() - l->away_since > limit;

	try_socket(l);
	if (!l->c->t && is_late && !l->c->is_remote && !l->c->opts.no_start)
		l->c->t = daemon_start(l->c, &code);
	if (l->c->t && go_up(l))
		return;
	if (!is_late)
		return;
	l->state = ACP_LINK_NONE;
	refuse_all(l);
}

/* ---- what has come ---- */

static void take_reply(struct acp_link *l, unsigned long long id, bool is_ok, struct json reply)
{
	if (id == l->enrol_id) {
		l->enrol_id = 0;
		if (!acp_session_enrolled(l->s, is_ok, reply))
			enrol(l);
		return;
	}
	LIST_EACH (&l->calls, node) {
		struct link_call *call = LIST_ITEM(node, struct link_call, node);
		uint64_t tag = call->tag;

		if (call->id != id)
			continue;
		link_call_free(call);
		acp_session_replied(l->s, tag, is_ok, reply);
		return;
	}
}

static void take_replies(struct acp_link *l)
{
	unsigned long long id;
	int code = THOLE_TIMEOUT;
	char *text;

	while (l->state == ACP_LINK_UP &&
	       ((code = thole_lane_next(l->lane, 0, &id, &text)) == THOLE_OK ||
	        code == THOLE_REFUSED)) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json reply = { 0 };

		if (json_read_trusted(mem, str_from(text), &reply, NULL) != OK)
			reply = (struct json){ 0 };
		thole_free(text);
		acp_session_at(l->s, clock_wall_ms());
		take_reply(l, id, code == THOLE_OK, reply);
	}
	if (code == THOLE_CLOSED)
		go_away(l);
}

static void take_event(struct acp_link *l, const char *session, const struct reader_item *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json event;

	if (json_read_trusted(mem, str_of(m->text, m->len), &event, NULL) != OK)
		return;
	acp_session_at(l->s, clock_wall_ms());
	acp_session_event(l->s, str_from(session), event);
}

/* The session was deleted, or its log is damaged. */
static void take_problem(struct acp_link *l, struct follower *f)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str session = arena_keep(mem, str_from(f->session));
	struct json problem = { 0 };

	if (json_read_trusted(mem, str_from(f->problem), &problem, NULL) != OK)
		problem = (struct json){ 0 };
	follower_free(f);
	acp_session_at(l->s, clock_wall_ms());
	acp_session_unfollowed(l->s, session, problem);
}

static struct follower *find_follower(struct acp_link *l, const char *session)
{
	LIST_EACH (&l->followers, node) {
		struct follower *f = LIST_ITEM(node, struct follower, node);

		if (!strcmp(f->session, session))
			return f;
	}
	return NULL;
}

/* Keeps the rest for later, unless the session was closed or is followed by another stream now. */
static void keep_left(struct acp_link *l, const struct follower *f, const char *session,
                      struct reader_item *m)
{
	struct follower *now = find_follower(l, session);

	if (now && now == f)
		now->left = m;
	else
		free_items(m);
}

/*
 * The items are taken before they are passed on: the session may follow the same session again
 * meanwhile, which frees this follower.  False: its stream has ended.
 */
static bool take_events(struct acp_link *l, struct follower *f)
{
	if (f->problem)
		return take_problem(l, f), true;

	char *session = memory_strdup(f->session);
	struct reader_item *m = f->left ? f->left : event_reader_take(&f->reader), *next;
	bool is_over = false;

	f->left = NULL;
	for (; m && !acp_session_is_held(l->s, str_from(session)); m = next) {
		next = event_reader_next_item(m);
		if (m->code == THOLE_OK)
			take_event(l, session, m);
		else
			is_over = true;
		event_reader_free_item(m);
	}
	if (m)
		keep_left(l, f, session, m);
	memory_free(session);
	return !is_over;
}

/* A session that waits for a text takes no events; those stay where they are. */
static bool has_something(const struct acp_link *l, const struct follower *f)
{
	struct pollfd p = { .fd = f->reader.fd, .events = POLLIN };

	if (f->problem)
		return true;
	if (acp_session_is_held(l->s, str_from(f->session)))
		return false;
	return f->left || poll(&p, 1, 0) > 0;
}

/* The next follower with events; NULL: none has any. */
static struct follower *ready_follower(struct acp_link *l)
{
	LIST_EACH (&l->followers, node) {
		struct follower *f = LIST_ITEM(node, struct follower, node);

		if (has_something(l, f))
			return f;
	}
	return NULL;
}

void acp_link_step(struct acp_link *l)
{
	struct follower *f;

	free_stopped(l);
	if (l->state == ACP_LINK_NONE && !list_is_empty(&l->calls))
		connect_first(l);
	else if (l->state == ACP_LINK_AWAY)
		connect_again(l);
	take_replies(l);
	while (l->state == ACP_LINK_UP && (f = ready_follower(l)))
		if (!take_events(l, f))
			go_away(l);
}

/* ---- life, waiting ---- */

void acp_link_init(struct acp_link *l, struct cli *c, struct acp_session *s)
{
	*l = (struct acp_link){ .c = c, .s = s };
	list_init(&l->calls);
	list_init(&l->followers);
	list_init(&l->leaving);
}

void acp_link_done(struct acp_link *l)
{
	free_followers(&l->followers);
	free_followers(&l->leaving);
	while (!list_is_empty(&l->calls))
		link_call_free(LIST_ITEM(l->calls.next, struct link_call, node));
	thole_lane_close(l->lane);
	l->lane = NULL;
}

size_t acp_link_poll(const struct acp_link *l, struct pollfd *ret)
{
	size_t count = 0;

	if (l->state != ACP_LINK_UP)
		return 0;
	ret[count++] = (struct pollfd){ .fd = thole_lane_fd(l->lane), .events = POLLIN };
	LIST_EACH (&l->followers, node) {
		const struct follower *f = LIST_ITEM(node, struct follower, node);

		if (f->reader.is_running && !acp_session_is_held(l->s, str_from(f->session)))
			ret[count++] = (struct pollfd){ .fd = f->reader.fd, .events = POLLIN };
	}
	return count;
}

/* A long command may be half sent: it goes out as the other side takes it. */
int acp_link_timeout_ms(const struct acp_link *l)
{
	bool has_work = !list_is_empty(&l->calls) || !list_is_empty(&l->leaving);

	return l->state == ACP_LINK_AWAY || has_work ? RETRY_MS : -1;
}
