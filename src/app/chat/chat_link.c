/*
 * Keeps the calls that are open, so that a new connection can take them over,
 * and restarts the stream behind the last event that was seen.
 */
#include "app/chat/chat_link.h"

#include "app/cli/daemon.h"
#include "app/cli/remote/remote.h"
#include "base/memory.h"
#include "base/os/clock.h"

#include <stdio.h>

#define AWAY_MS 1500 /* a daemon that restarts by itself is back by then */
#define REMOTE_AWAY_MS 60000
#define SOCKET_HOLDS (64u << 10)
#define PATIENCE_MS 100 /* until a reader that is no longer wanted notices */

static void forget_call(struct chat_link *l, size_t at)
{
	memory_free(l->calls[at].command);
	memory_free(l->calls[at].params);
	l->calls[at] = l->calls[--l->call_count];
}

void chat_link_close(struct chat_link *l)
{
	while (l->call_count)
		forget_call(l, 0);
	thole_lane_close(l->lane);
	l->lane = NULL;
	l->c->before_again = NULL;
}

/* ---- calls ---- */

bool chat_link_send(struct chat_link *l, enum chat_call what, const char *command, struct params *p)
{
	struct chat_open_call *call = &l->calls[l->call_count];

	jw_obj_end(&p->w);
	buf_add_char(&p->text, 0);
	if (l->call_count == CHAT_CALLS_MAX) {
		params_done(p);
		return false;
	}
	*call = (struct chat_open_call){ .what = what,
		                         .command = memory_strdup(command),
		                         .params = memory_strdup(p->text.ptr) };
	l->call_count++;
	params_done(p);
	if (l->lane)
		call->id = thole_lane_send(l->lane, call->command, call->params);
	return true;
}

bool chat_link_is_open(const struct chat_link *l, enum chat_call what)
{
	for (size_t i = 0; i < l->call_count; i++)
		if (l->calls[i].what == what)
			return true;
	return false;
}

int chat_link_next(struct chat_link *l, enum chat_call *ret_what, char **ret)
{
	unsigned long long id;
	int code;

	if (!l->lane)
		return THOLE_TIMEOUT;
	while ((code = thole_lane_next(l->lane, 0, &id, ret)) == THOLE_OK ||
	       code == THOLE_REFUSED) {
		for (size_t i = 0; i < l->call_count; i++) {
			if (l->calls[i].id != id)
				continue;
			*ret_what = l->calls[i].what;
			forget_call(l, i);
			return code;
		}
		thole_free(*ret);
	}
	if (code == THOLE_CLOSED)
		chat_link_lost(l);
	return THOLE_TIMEOUT;
}

/* ---- events ---- */

bool chat_link_follow(struct chat_link *l, struct str session, int64_t after)
{
	struct thole_stream *s;
	struct params p;

	chat_link_unfollow(l);
	snprintf(l->session, sizeof l->session, "%.*s", STR_ARG(session));
	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_int(&p, "after", after);
	params_bool(&p, "follow", true);
	jw_obj_end(&p.w);
	buf_add_char(&p.text, 0);
	s = l->state == CHAT_LINK_UP ? thole_subscribe(l->c->t, p.text.ptr, NULL) : NULL;
	params_done(&p);
	if (s)
		event_reader_start(&l->reader, s, PATIENCE_MS);
	return s != NULL;
}

void chat_link_unfollow(struct chat_link *l)
{
	event_reader_stop(&l->reader);
	l->session[0] = 0;
}

/* ---- coming back ---- */

/* Everything that uses the connection is closed before the connection is. */
static void drop(void *arg)
{
	struct chat_link *l = arg;

	if (l->state != CHAT_LINK_UP)
		return;
	event_reader_stop(&l->reader);
	thole_lane_close(l->lane);
	l->lane = NULL;
	l->state = l->c->opts.here ? CHAT_LINK_DOWN : CHAT_LINK_AWAY;
	l->away_since = clock_mono_ms();
}

void chat_link_lost(struct chat_link *l)
{
	if (l->state != CHAT_LINK_UP)
		return;
	drop(l);
	connection_close(l->c);
}

bool chat_link_open(struct chat_link *l, struct cli *c)
{
	*l = (struct chat_link){ .c = c, .lane = thole_lane_open(c->t) };
	c->before_again = drop;
	c->before_again_arg = l;
	return l->lane != NULL;
}

static void come_back(struct chat_link *l, int64_t after)
{
	char session[sizeof l->session];

	l->lane = thole_lane_open(l->c->t);
	if (!l->lane) {
		connection_close(l->c);
		return;
	}
	l->state = CHAT_LINK_UP;
	for (size_t i = 0; i < l->call_count; i++)
		l->calls[i].id = thole_lane_send(l->lane, l->calls[i].command, l->calls[i].params);
	memcpy(session, l->session, sizeof session);
	if (*session && !chat_link_follow(l, str_from(session), after))
		chat_link_lost(l);
}

/*
 * The socket of ssh accepts connections whether or not the daemon there lives, so the whole way is
 * opened again; that starts the daemon too.
 */
static void come_back_remote(struct chat_link *l, int64_t after)
{
	if (remote_again(l->c, true) == CODE_DONE)
		l->c->t = thole_connect(l->c->socket, NULL);
	if (l->c->t)
		come_back(l, after);
	else if (clock_mono_ms() - l->away_since > REMOTE_AWAY_MS)
		l->state = CHAT_LINK_DOWN;
}

void chat_link_retry(struct chat_link *l, int64_t after)
{
	int code = CODE_FAILED;

	if (l->state != CHAT_LINK_AWAY)
		return;
	if (l->c->is_remote && !l->c->t) {
		come_back_remote(l, after);
		return;
	}
	/* A blocking call may have connected again by itself. */
	if (!l->c->t)
		l->c->t = thole_connect(l->c->socket, NULL);
	if (!l->c->t && clock_mono_ms() - l->away_since > AWAY_MS) {
		if (!l->c->opts.no_start)
			l->c->t = daemon_start(l->c, &code);
		if (!l->c->t)
			l->state = CHAT_LINK_DOWN;
	}
	if (l->c->t)
		come_back(l, after);
}

int chat_link_lane_fd(const struct chat_link *l)
{
	return l->lane ? thole_lane_fd(l->lane) : -1;
}

int chat_link_event_fd(const struct chat_link *l)
{
	return l->reader.is_running ? l->reader.fd : -1;
}

bool chat_link_is_sending(const struct chat_link *l)
{
	for (size_t i = 0; i < l->call_count; i++)
		if (strlen(l->calls[i].params) > SOCKET_HOLDS)
			return true;
	return false;
}
