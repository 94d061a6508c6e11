/* Listens, counts connections, and ends in order. */
#include "grpc/grpc_int.h"

#include "base/memory.h"

#define TICK_MS 1000
#define TRIM_S 3 /* without connections: what the HTTP client has freed by then goes back, too */

static void on_tick(struct loop_timer *t)
{
	struct grpc_server *s = OWNER_OF(t, struct grpc_server, tick);

	s->idle_s = s->conn_count ? 0 : s->idle_s + 1;
	if (s->idle_s == TRIM_S)
		memory_trim();
	if (s->idle_s < TRIM_S)
		loop_timer_start(s->loop, t, TICK_MS, on_tick);
	if (s->drain_s > 1)
		s->drain_s--;
	LIST_EACH_SAFE (&s->conns, node, next) {
		struct grpc_conn *c = LIST_ITEM(node, struct grpc_conn, node);

		if (s->drain_s == 2)
			grpc_conn_stop(c, "The adapter is stopping");
		else if (s->drain_s == 1)
			grpc_conn_close(c);
		else
			grpc_conn_tick(c);
	}
}

static void on_accept(void *arg, struct stream *stream)
{
	struct grpc_server *s = arg;

	if (s->conn_count >= LIMIT_GRPC_CONNECTIONS) {
		stream_close(stream);
		return;
	}
	if (!loop_timer_is_running(&s->tick))
		loop_timer_start(s->loop, &s->tick, TICK_MS, on_tick);
	grpc_conn_open(s, stream);
}

/* Once per turn: everything that the turn has caused goes out together. */
static bool before_sleep(struct loop_hook *h)
{
	struct grpc_server *s = OWNER_OF(h, struct grpc_server, hook);

	while (!list_is_empty(&s->marked))
		grpc_conn_flush(LIST_ITEM(s->marked.next, struct grpc_conn, mark));
	return false;
}

enum err grpc_server_new(const struct grpc_server_options *o, void (*on_done)(void *arg), void *arg,
                         struct grpc_server **ret, struct error *e)
{
	struct grpc_server *s = memory_zeroed(1, sizeof *s);
	enum err err;

	*s = (struct grpc_server){ .loop = o->loop,
		                   .to = memory_strndup(o->to.ptr, o->to.len),
		                   .on_done = on_done,
		                   .arg = arg };
	list_init(&s->conns);
	list_init(&s->marked);
	loop_before_sleep(s->loop, &s->hook, before_sleep);
	s->client = http_client_new(
		&(struct http_client_options){ .loop = o->loop, .user_agent = STR("thole-grpc") });
	err = s->client ? listener_tcp(o->loop, o->listen, on_accept, s, &s->listener, e)
	                : fail(e, ERR_IO, "the HTTP client cannot start");
	if (err != OK) {
		grpc_server_free(s);
		return err;
	}
	*ret = s;
	return OK;
}

struct str grpc_server_address(const struct grpc_server *s)
{
	return listener_address(s->listener);
}

void grpc_server_drain(struct grpc_server *s)
{
	if (s->drain_s)
		return;
	listener_close(s->listener);
	s->listener = NULL;
	s->drain_s = LIMIT_GRPC_DRAIN_S + 2;
	if (!s->conn_count) {
		s->on_done(s->arg);
		return;
	}
	LIST_EACH_SAFE (&s->conns, node, next)
		grpc_conn_drain(LIST_ITEM(node, struct grpc_conn, node));
}

void grpc_server_free(struct grpc_server *s)
{
	if (!s)
		return;
	listener_close(s->listener);
	LIST_EACH_SAFE (&s->conns, node, next)
		grpc_conn_close(LIST_ITEM(node, struct grpc_conn, node));
	s->drain_s = 0;
	/* Connections are gone when the loop has called on_closed. */
	while (s->conn_count)
		loop_run_once(s->loop, 0);
	loop_timer_stop(&s->tick);
	loop_hook_stop(&s->hook);
	http_client_free(s->client);
	memory_free(s->to);
	memory_free(s);
}
