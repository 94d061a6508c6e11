/* Stopping, idling, misbehaving peers and many of them. */
#include "test_serve_fixture.h"
#include "base/memory.h"

#include <malloc.h>
#include <sys/resource.h>

/* ---- stopping, idling ---- */

TEST(draining_answers_what_is_open_and_takes_no_more)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);

	struct client idle = client_tcp(w.port), stream = client_tcp(w.port),
		      call = client_tcp(w.port), rpc = client_unix(w.path),
		      quiet = client_unix(w.path);

	send_get(&w, &idle, "/healthz", "");
	UNTIL(w.l, client_has(&idle, STR("ok")));
	SEND(w.l, &quiet, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
	UNTIL(w.l, client_has(&quiet, STR("\n")));
	send_get(&w, &stream, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, client_has(&stream, STR("tool.result")));
	w.f->is_async = true;
	send_get(&w, &call, "/v1/sessions", "");
	SEND(w.l, &rpc,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"}\n"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\"}\n");
	UNTIL(w.l, w.f->waiting_count == 2 && w.f->sub_count == 2);

	serve_drain(w.s);
	serve_drain(w.s);
	UNTIL(w.l, client_ended(&idle) && client_ended(&quiet));
	CHECK_INT(serve_port(w.s), 0);
	CHECK(access(w.path, F_OK) < 0);
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, NULL, NULL, 0);
	UNTIL(w.l, client_has(&stream, STR("id: 5\n")) && client_has(&rpc, STR("turn.completed")));
	fake_answer_all(w.f);
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_ended(&call) && client_ended(&stream) && client_ended(&rpc));
	CHECK_HAS(buf_str(&call.in), "Connection: close");
	CHECK_HAS(buf_str(&stream.in), "event: end\n");
	CHECK_HAS(buf_str(&rpc.in), "\"id\":1,\"result\"");
	CHECK_HAS(buf_str(&rpc.in), "stream_end");
	client_done(&idle);
	client_done(&stream);
	client_done(&call);
	client_done(&rpc);
	client_done(&quiet);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

TEST(idleness_is_counted_from_the_last_connection)
{
	struct state w;

	state_init(&w, NULL);
	w.f->mono_ms = 5000;
	CHECK_INT(serve_idle_since(w.s), 5000);

	struct client c = client_unix(w.path);

	UNTIL(w.l, serve_connections(w.s) == 1);
	w.f->mono_ms = 9000;
	CHECK_INT(serve_idle_since(w.s), 0);
	client_done(&c);
	UNTIL(w.l, serve_connections(w.s) == 0);
	w.f->mono_ms = 9500;
	CHECK_INT(serve_idle_since(w.s), 500);
	state_done(&w);
}

/* ---- disorder ---- */

static uint64_t dice(uint64_t *state, uint64_t sides)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % sides;
}

#define PEERS 24

struct peer {
	struct client c;
	bool is_open, is_rpc, is_ws;
};

static void peer_open(struct state *w, struct peer *p, uint64_t *seed)
{
	p->is_rpc = dice(seed, 2);
	p->is_ws = !p->is_rpc && !dice(seed, 4);
	p->c = p->is_rpc ? client_unix(w->path) : client_tcp(w->port);
	p->is_open = true;
	if (p->is_ws)
		SEND(w->l, &p->c, WS_HEAD AUTH "\r\n");
}

static void peer_say(struct state *w, struct peer *p, uint64_t *seed)
{
	static const char *const http[] = {
		"GET /v1/events?session=sess_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH SSE "\r\n",
		"GET /v1/events?session=sess_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH NDJSON "\r\n",
		"GET /v1/events?session=sess_9 HTTP/1.1\r\nHost: localhost\r\n" AUTH SSE "\r\n",
		"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n",
		"GET /v1/outputs/out_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n",
		"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" AUTH "Content-Length: 2\r\n\r\n{}",
		"POST /v1/commands/submit_turn HTTP/1.1\r\nHost: localhost\r\n" AUTH
		"Content-Length",
		"\r\n\r\n",
	};
	static const char *const rpc[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		"\"params\":{\"sessionId\":\"sess_9\"}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		"\"params\":{\"follow\":false}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\","
		"\"params\":{\"subscriptionId\":\"subs_1\"}}\n",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"list_tasks\"}]\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"}\n",
		"{\"jsonrpc\":",
		"oops\n",
	};

	if (p->is_ws)
		ws_send(w, &p->c, rpc[dice(seed, 6)]);
	else if (p->is_rpc)
		client_try(&p->c, str_from(rpc[dice(seed, COUNT_OF(rpc))]));
	else
		client_try(&p->c, str_from(http[dice(seed, COUNT_OF(http))]));
}

static void peer_close(struct peer *p, uint64_t *seed)
{
	struct linger hard = { .l_onoff = 1 };

	if (dice(seed, 2))
		setsockopt(p->c.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	client_done(&p->c);
	*p = (struct peer){ 0 };
}

static void disorder(struct state *w, uint64_t seed, int steps)
{
	struct peer peers[PEERS] = { 0 };
	uint64_t seq = 4;

	for (int i = 0; i < steps; i++) {
		struct peer *p = &peers[dice(&seed, PEERS)];

		if (!p->is_open)
			peer_open(w, p, &seed);
		else if (dice(&seed, 8) == 0)
			peer_close(p, &seed);
		else if (dice(&seed, 3) == 0)
			client_read(&p->c);
		else
			peer_say(w, p, &seed);
		if (p->is_open && p->c.in.len > 100000)
			buf_clear(&p->c.in);
		w->f->is_async = dice(&seed, 3) > 0;
		while (w->f->waiting_count && dice(&seed, 3))
			fake_answer_one(w->f);
		if (w->f->event_count < FAKE_EVENTS_MAX - 8 && !dice(&seed, 3))
			fake_add(w->f, "sess_1", ++seq,
			         (enum event_type)(1 + dice(&seed, EV_COUNT - 1)), "thr_1",
			         dice(&seed, 2) ? "turn_1" : NULL, dice(&seed, 30000));
		if (!dice(&seed, 100))
			fake_end_all(w->f, dice(&seed, 2) ? STREAM_SHUTDOWN : STREAM_STORE_FAILED);
		turn(w->l);
	}
	if (dice(&seed, 2)) { /* or all at once, by state_done() */
		for (int i = 0; i < PEERS; i++)
			if (peers[i].is_open)
				peer_close(&peers[i], &seed);
		w->f->is_async = false;
		fake_answer_all(w->f);
		/*
		 * Who sent more while an answer was being streamed is not read any
		 * further, so that only a failed write shows that it has left.
		 */
		for (int i = 0; i < 4; i++) {
			fake_add(w->f, "sess_1", ++seq, EV_MODEL_DELTA, "thr_1", "turn_1", 0);
			for (int k = 0; k < 4; k++)
				turn(w->l);
		}
		UNTIL(w->l, !serve_connections(w->s) && !w->f->sub_count);
	}
	serve_free(w->s);
	w->s = NULL;
	for (int i = 0; i < PEERS; i++)
		if (peers[i].is_open)
			peer_close(&peers[i], &seed);
}

static bool response_some(struct fake *f, const struct control_call *c, struct control_answer *a)
{
	if (str_eq(c->command, STR("submit_turn")))
		return response_late(f, c, a);
	return response_output(f, c, a);
}

TEST(disorder_leaves_nothing_behind)
{
	struct serve_options o = {
		.ping_ms = 30, .stall_ms = 60, .client_buffer_max = 40000, .in_flight_max = 4
	};
	const char *more = getenv("TEST_SERVE_SEEDS");
	int seeds = more ? atoi(more) : 12;

	for (int i = 1; i <= seeds; i++) {
		struct state w;

		state_init(&w, &o);
		add_some(w.f);
		w.f->hook_answer = response_some;
		disorder(&w, (uint64_t)i, 600);
		state_done(&w);
	}
}

/* ---- many ---- */

#define MANY 1000

TEST(a_thousand_idle_readers_are_cheap)
{
	struct serve_options o = { .connections_max = MANY + 8 };
	struct rlimit files;
	struct state w;
	struct client *cs = memory_zeroed(MANY, sizeof *cs);
	size_t many = MANY;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < 2 * MANY + 64)
		many = (files.rlim_cur - 64) / 2;
	state_init(&w, &o);
	add_some(w.f);
	for (int i = 0; i < 8; i++)
		turn(w.l);

	size_t before = mallinfo2().uordblks;

	for (size_t i = 0; i < many; i++) {
		cs[i] = client_tcp(w.port);
		send_get(&w, &cs[i], "/v1/events?session=sess_1&after=4&thread=thr_1", SSE);
		turn(w.l);
	}
	UNTIL(w.l, w.f->sub_count == many);
	for (int i = 0; i < 8; i++)
		turn(w.l);

	size_t each = (mallinfo2().uordblks - before) / many;

	/* the subscription is the control's; the figure is without it */
	print_message("%zu idle readers: %zu bytes each, %zu of them the subscription's\n", many,
	              each, sizeof(struct subscription) + 16);
#ifndef __SANITIZE_ADDRESS__
	CHECK(each <= 4096);
#endif
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, "thr_1", NULL, 0);
	for (size_t i = 0; i < many; i++)
		UNTIL(w.l, client_has(&cs[i], STR("id: 5\n")));
	for (size_t i = 0; i < many; i++)
		client_done(&cs[i]);
	UNTIL(w.l, w.f->sub_count == 0 && !serve_connections(w.s));
	free(cs);
	state_done(&w);
}

TEST_MAIN()
