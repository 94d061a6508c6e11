/*
 * What the endpoints need to know of the server and may change in it: recent
 * activity, open connections, addresses, and whether paired devices are still
 * there.  Below all endpoints: nothing here calls one of them.
 */
#include "serve/stream/reader.h"
#include "base/memory.h"
#include "serve/serve_int.h"

#include <stdio.h>

#define QUIET_MS 500
#define RUSH 64 /* requests and connections; fewer leave nothing worth the trouble */

/* ---- activity ---- */

/*
 * After a rush the allocator keeps what it took; a quiet interval returns it, so that
 * memory is not returned while requests would take it again.
 */
static void on_quiet(struct loop_timer *t)
{
	struct serve *s = OWNER_OF(t, struct serve, quiet);

	if (s->touches != s->touches_seen) {
		s->touches_seen = s->touches;
		loop_timer_start(s->loop, t, QUIET_MS, on_quiet);
		return;
	}
	if (s->touches - s->touches_trimmed < RUSH)
		return;
	s->touches_trimmed = s->touches;
	memory_trim();
}

/* ---- paired devices ---- */

static bool has_stream(void *arg, const struct device *d)
{
	struct serve *s = arg;

	LIST_EACH (&s->device_readers, node)
		if (LIST_ITEM(node, struct reader, of_devices)->device == d)
			return true;
	return false;
}

/* The timer runs only while a device counts as connected, so that an idle runtime is not woken. */
static void on_devices(struct loop_timer *t)
{
	struct serve *s = OWNER_OF(t, struct serve, devices_rest);
	int64_t now = s->opt.clock->ops->wall_ms(s->opt.clock);

	if (devices_rest(&s->auth.devices, now, has_stream, s))
		serve_state_watch_devices(s);
}

void serve_state_watch_devices(struct serve *s)
{
	if (!loop_timer_is_running(&s->devices_rest) && !s->is_draining)
		loop_timer_start(s->loop, &s->devices_rest, DEVICE_PATIENCE_MS / 3, on_devices);
}

void serve_state_touch(struct serve *s)
{
	s->touches++;
	if (!loop_timer_is_running(&s->quiet))
		loop_timer_start(s->loop, &s->quiet, QUIET_MS, on_quiet);
	if (s->opt.clock)
		s->busy_ms = s->opt.clock->ops->mono_ms(s->opt.clock);
}

/* The address is reported of clients on other machines. */
void serve_state_refused(struct serve *s, struct str via, const struct http_request *req)
{
	struct forwarded from = { .is_local = true };

	if (!s->control->ops->stranger)
		return;
	if (req)
		forwarded_read(&s->auth.proxies, &req->in, http_reply_stream_of(req), &from);
	s->control->ops->stranger(s->control, via,
	                          from.is_local ? STR_NONE : str_from(from.client));
}

unsigned serve_state_connections(const struct serve *s)
{
	return (s->tcp.http ? http_server_connections(s->tcp.http) : 0) +
	       (s->local.http ? http_server_connections(s->local.http) : 0) + s->line_count +
	       s->fresh_count;
}

/* ---- listeners ---- */

void serve_state_accept_tcp(void *arg, struct stream *stream)
{
	struct serve *s = arg;

	serve_state_touch(s);
	http_server_take(s->tcp.http, stream);
}

/*
 * For open_console and pair_device of a daemon that listens on its Unix socket only: a
 * browser needs a port.  listen_all() reserved the place.
 */
enum err serve_state_listen_loopback(struct serve *s, struct str address, struct error *e)
{
	struct listener *fresh;
	enum err err;

	if (s->tcp_count || s->is_draining)
		return fail(e, ERR_INVALID, "there is a port already, or it is too late for one");
	err = listener_tcp(s->loop, address, serve_state_accept_tcp, s, &fresh, e);
	if (err)
		return err;
	memmove(s->listeners + 1, s->listeners, s->listener_count * sizeof *s->listeners);
	s->listeners[0] = fresh; /* TCP first */
	s->listener_count++;
	s->tcp_count = 1;
	auth_add_host(&s->auth, s->mem, STR("127.0.0.1"));
	return OK;
}

int serve_state_port(const struct serve *s)
{
	return s->tcp_count ? listener_port(s->listeners[0]) : 0;
}

struct str serve_state_url(const struct serve *s, size_t index, char text[SERVE_URL_MAX])
{
	const struct listener *li;

	if (index >= s->tcp_count)
		return STR_NONE;
	li = s->listeners[index];
	snprintf(text, SERVE_URL_MAX, "http://%.*s:%d",
	         STR_ARG(auth_reached_at(listener_address(li))), listener_port(li));
	return str_from(text);
}
