/*
 * What the endpoints need to know of the server and may change in it: recent
 * activity, open connections, addresses, and whether paired devices are still
 * there.  Below all endpoints: nothing here calls one of them.
 */
#include "serve/stream/reader.h"
#include "base/memory.h"
#include "serve/auth/devices_carry.h"
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

/*
 * Later, because it is said inside a decision: the channel of a device that is gone leaves by another
 * one.  Its requests are refused at once.
 */
static void on_devices_gone(struct loop_timer *t)
{
	struct serve *s = OWNER_OF(t, struct serve, devices_gone);

	LIST_EACH (&s->auth.devices.gone, node)
		reader_cut_device(s, LIST_ITEM(node, struct device, node));
	devices_end_gone(&s->auth.devices);
}

static void look_for_gone(struct serve *s)
{
	if (!list_is_empty(&s->auth.devices.gone))
		loop_timer_start(s->loop, &s->devices_gone, 0, on_devices_gone);
}

static void devices_are(void *owner, const struct rec_paired_device *const *items, size_t count)
{
	struct serve *s = owner;

	devices_taken(&s->auth.devices, items, count);
	look_for_gone(s);
}

static void device_is(void *owner, const struct rec_paired_device *device)
{
	struct serve *s = owner;

	devices_changed(&s->auth.devices, device);
	look_for_gone(s);
}

static unsigned count_streams(void *owner, struct str device_id)
{
	struct serve *s = owner;
	unsigned count = 0;

	LIST_EACH (&s->device_readers, node)
		count += str_eq(LIST_ITEM(node, struct reader, of_devices)->device->id, device_id);
	return count;
}

/* Long enough for the reply to the command that replaced it. */
#define TOKEN_GONE_MS 2000

/* What is connected since then has another one. */
static void on_token_gone(struct loop_timer *t)
{
	struct serve *s = OWNER_OF(t, struct serve, token_gone);

	http_server_cut(s->tcp.http, s->token_upto);
}

void serve_state_token_gone(struct serve *s)
{
	look_for_gone(s);
	s->token_upto = http_server_taken(s->tcp.http);
	loop_timer_start(s->loop, &s->token_gone, TOKEN_GONE_MS, on_token_gone);
}

static void fill_seen(void *owner, struct arena *mem, struct rec_device **items, size_t count)
{
	struct serve *s = owner;

	devices_fill_seen(&s->auth.devices, mem, items, count);
}

void serve_state_open_devices(struct serve *s)
{
	if (!s->control->ops->watch_devices || !s->auth.devices.store)
		return;
	s->control->ops->watch_devices(s->control,
	                               &(struct control_device_watch){ .owner = s,
	                                                               .taken = devices_are,
	                                                               .changed = device_is,
	                                                               .streams = count_streams,
	                                                               .seen = fill_seen });
	devices_carry_start(&s->auth.devices);
}

void serve_state_close_devices(struct serve *s)
{
	if (s->control->ops->watch_devices)
		s->control->ops->watch_devices(s->control, NULL);
	loop_timer_stop(&s->devices_rest);
	loop_timer_stop(&s->devices_gone);
	loop_timer_stop(&s->token_gone);
	devices_done(&s->auth.devices);
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
