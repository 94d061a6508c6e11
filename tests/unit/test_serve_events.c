/* Streams of events, and of the turn that a run submits. */
#include "test_serve_fixture.h"

/* ---- events ---- */

TEST(who_asks_for_the_end_is_told_where_it_is)
{
	struct state w;

	state_init(&w, NULL);
	w.f->last_position = 41;

	struct client c = client_tcp(w.port);

	SEND(w.l, &c,
	     "GET /v1/events?after=end HTTP/1.1\r\nHost: localhost\r\n" AUTH
	     "Accept: text/event-stream\r\n\r\n");
	UNTIL(w.l, client_has(&c, STR("retry: 1000\n\n")) && client_has(&c, STR("id: p.41\n\n")));
	CHECK_INT(GET(&w, "/v1/events?after=end&session=sess_1", "Accept: text/event-stream\r\n")
	                  .status,
	          400);
	CHECK_INT(GET(&w, "/v1/events?after=now", "Accept: text/event-stream\r\n").status, 400);
	client_done(&c);
	state_done(&w);
}

TEST(sse_frames_are_these_bytes_and_follow)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=1", SSE);
	UNTIL(w.l, str_find(body_of(&w, &c), STR("tool.result")) >= 0);
	CHECK_STR(
		body_of(&w, &c),
		"retry: 1000\n\n"
		"id: 2\nevent: turn.submitted\ndata: " EVENT(
			2, "turn.submitted") "\n\n"
					     "id: 3\nevent: tool.started\ndata: " EVENT(
						     3,
						     "tool.started") "\n\n"
								     "id: 4\nevent: "
								     "tool.result\ndata: " EVENT(
									     4,
									     "tool.result") "\n\n");

	struct response r = response_of(w.mem, &c, false);

	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "content-type"), "text/event-stream");
	CHECK_STR(header(&r, "cache-control"), "no-store");
	CHECK(!r.is_whole);

	buf_clear(&c.in);
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	UNTIL(w.l, client_has(&c, STR("turn.completed\"")));
	CHECK_HAS(buf_str(&c.in), "id: 5\nevent: turn.completed\ndata: {\"type\"");

	buf_clear(&c.in);
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_has(&c, STR("\r\n0\r\n\r\n")));
	CHECK_HAS(buf_str(&c.in), "event: end\ndata: {\"reason\":\"shutdown\"}\n\n");
	client_done(&c);
	state_done(&w);
}

/* The whole body of a stream that ends by itself. */
static struct str events(struct state *w, const char *path, const char *headers)
{
	struct response r = GET(w, path, headers);

	CHECK_INT(r.status, 200);
	CHECK(r.is_whole);
	return r.body;
}

TEST(last_event_id_wins_and_filters_filter)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);
#define FRAME(id, seq, type) "id: " id "\nevent: " type "\ndata: " EVENT(seq, type) "\n\n"
	CHECK_STR(events(&w, "/v1/events?session=sess_1&after=0&follow=0",
	                 SSE "Last-Event-ID: 3\r\n"),
	          "retry: 1000\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&types=tool.*&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("3", 3, "tool.started") FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&types=tool.result,turn.submitted&follow=0",
	                 SSE),
	          "retry: 1000\n\n" FRAME("2", 2, "turn.submitted") FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&thread=thr_2&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&turn=turn_1&types=&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("2", 2, "turn.submitted") FRAME("3", 3, "tool.started"));
	/* over all sessions the place is the store's */
	CHECK_STR(
		events(&w, "/v1/events?after=p.102&follow=false", SSE),
		"retry: 1000\n\n"
		"id: p.103\nevent: session.created\ndata: "
		"{\"type\":\"session.created\",\"sequence\":1,\"sessionId\":\"sess_2\"}\n\n" FRAME(
			"p.104", 3, "tool.started") FRAME("p.105", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?follow=0&types=job.*", SSE), "retry: 1000\n\n");
	state_done(&w);
}

TEST(a_form_gives_the_frame_its_name_and_leaves_the_place)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);
	CHECK_STR(
		events(&w, "/v1/events?session=sess_1&as=agent_ui&types=tool.result&follow=0", SSE),
		"retry: 1000\n\nid: 4\nevent: agent_ui\ndata: " EVENT(4, "tool.result") "\n\n");
	CHECK_STR(events(&w, "/v1/events?session=sess_1&as=&types=tool.result&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("4", 4, "tool.result"));
	CHECK_INT(GET(&w, "/v1/events?session=sess_1&as=agent_tea", SSE).status, 400);
	CHECK_INT(GET(&w, "/v1/events?session=sess_1&as=agent-ui", NDJSON).status, 400);
	state_done(&w);
}

TEST(ndjson_is_the_stored_bytes_line_by_line)
{
	struct state w;
	struct bytes *large;

	state_init(&w, NULL);
	add_some(w.f);
	CHECK_STR(events(&w, "/v1/events?session=sess_1&after=2", NDJSON),
	          EVENT(3, "tool.started") "\n" EVENT(4, "tool.result") "\n");
	large = fake_add(w.f, "sess_1", 5, EV_MODEL_DELTA, "thr_1", "turn_1", 60000);

	struct str body = events(&w, "/v1/events?session=sess_1&after=4", NDJSON);

	CHECK_INT(body.len, large->len + 1);
	CHECK(!memcmp(body.ptr, large->data, large->len) && body.ptr[large->len] == '\n');
	body = events(&w, "/v1/events?session=sess_1&after=4&follow=0", SSE);
	CHECK(str_find(body, bytes_str(large)) > 0 && str_ends(body, STR("\"}\n\n")));

	struct client c = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=4&follow=1", NDJSON);
	UNTIL(w.l, str_ends(body_of(&w, &c), STR("\"}\n")));
	fake_end_all(w.f, STREAM_STORE_FAILED);
	UNTIL(w.l, client_has(&c, STR("{\"end\":{\"reason\":\"store_failed\"}}\n")));
	client_done(&c);
	state_done(&w);
}

TEST(a_gap_is_a_frame_with_its_snapshot)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);
	w.f->floor = 3;
	CHECK_STR(events(&w, "/v1/events?session=sess_1&follow=0", SSE),
	          "retry: 1000\n\n"
	          "id: 3\nevent: gap\ndata: "
	          "{\"from\":1,\"to\":3,\"recoveryMode\":\"retention\",\"reason\":\"retention\","
	          "\"snapshot\":{\"at\":1}}\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&follow=0&after=2", NDJSON),
	          "{\"gap\":{\"from\":3,\"to\":3,\"recoveryMode\":\"retention\",\"reason\":"
	          "\"retention\","
	          "\"snapshot\":{\"at\":1}}}\n" EVENT(4, "tool.result") "\n");
	state_done(&w);
}

TEST(a_stream_of_no_session_is_a_problem)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	r = GET(&w, "/v1/events?session=sess_9", SSE);
	CHECK_PROBLEM(r, 404, "session_not_found");
	r = GET(&w, "/v1/events?session=sess_9", NDJSON);
	CHECK_PROBLEM(r, 404, "session_not_found");
	state_done(&w);
}

TEST(quiet_sse_readers_get_pings)
{
	struct serve_options o = { .ping_ms = 30 };
	struct state w;

	state_init(&w, &o);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=4", SSE);
	send_get(&w, &d, "/v1/events?session=sess_1&after=4&follow=1", NDJSON);
	UNTIL(w.l, count_of(body_of(&w, &c), STR(": ping\n\n")) >= 3);
	CHECK(str_starts(body_of(&w, &c), STR("retry: 1000\n\n: ping\n\n: ping\n\n")));
	CHECK_INT(body_of(&w, &d).len, 0);
	CHECK_INT(response_of(w.mem, &d, false).status, 200);
	client_done(&c);
	client_done(&d);
	state_done(&w);
}

TEST(a_subscriber_that_never_reads_is_bounded_and_harmless)
{
	struct serve_options o = { .ping_ms = 40, .stall_ms = 120, .client_buffer_max = 65536 };
	struct state w;

	state_init(&w, &o);
	add_some(w.f);

	struct client slow = client_tcp(w.port), quick = client_tcp(w.port);
	int small = 4096;

	setsockopt(slow.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	send_get(&w, &slow, "/v1/events?session=sess_1", SSE);
	send_get(&w, &quick, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, w.f->sub_count == 2 && client_has(&quick, STR("tool.result")));
	for (uint64_t i = 5; i < 405; i++)
		fake_add(w.f, "sess_1", i, EV_MODEL_DELTA, NULL, NULL, 32000);

	size_t before = w.f->delivered;

	UNTIL(w.l, client_has(&quick, STR("id: 404\n")));
	/* 12.8 MB for one, a few hundred KiB (mostly the kernel's) for the other */
	CHECK(w.f->delivered - before < 400 + 250);
	UNTIL(w.l, w.f->sub_count == 1); /* it took nothing for stall_ms */

	fake_add(w.f, "sess_1", 405, EV_MODEL_DELTA, NULL, NULL, 0);
	UNTIL(w.l, client_has(&quick, STR("id: 405\n")));
	client_done(&slow);
	client_done(&quick);
	UNTIL(w.l, w.f->sub_count == 0);
	state_done(&w);
}

TEST(a_reader_that_reads_slowly_gets_everything)
{
	struct serve_options o = { .ping_ms = 1000, .client_buffer_max = 8192 };
	struct state w;
	size_t seen = 0, total;

	state_init(&w, &o);
	for (uint64_t i = 1; i <= 300; i++)
		fake_add(w.f, "sess_1", i, EV_MODEL_DELTA, NULL, NULL, 9000);
	total = (size_t)w.f->events[0].pub.body->len * 300;

	struct client c = client_tcp(w.port);
	char part[5000];

	send_get(&w, &c, "/v1/events?session=sess_1&follow=0", NDJSON);
	while (!str_ends(buf_str(&c.in), STR("0\r\n\r\n"))) {
		ssize_t n = recv(c.fd, part, sizeof part, 0);

		if (n > 0)
			buf_add(&c.in, part, (size_t)n);
		loop_run_once(w.l, 0);
		CHECK(++seen < 2000000);
	}

	struct response r = response_of(w.mem, &c, false);

	CHECK(r.is_whole && r.body.len > total);
	CHECK_INT(count_of(r.body, STR("\n")), 300);
	CHECK_INT(w.f->delivered, 300);
	client_done(&c);
	state_done(&w);
}

TEST(nothing_is_left_when_a_client_goes)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port), e = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, client_has(&c, STR("tool.result")));
	w.f->is_async = true;
	send_get(&w, &d, "/v1/sessions", "");
	UNTIL(w.l, w.f->waiting_count == 1);
	SEND(w.l, &e,
	     "POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" AUTH "Content-Length: 2\r\n\r\n{}");
	UNTIL(w.l, w.f->waiting_count == 2);

	struct linger hard = { .l_onoff = 1 };

	setsockopt(d.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	setsockopt(e.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	client_done(&c);
	client_done(&d);
	client_done(&e);
	UNTIL(w.l, w.f->sub_count == 0 && w.f->forgotten == 2 && !serve_connections(w.s));
	state_done(&w);
}

TEST(what_is_open_when_serve_ends_is_given_back)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port), e = client_unix(w.path),
		      f = client_unix(w.path);

	send_get(&w, &c, "/v1/events?session=sess_1", SSE);
	SEND(w.l, &e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"}\n");
	UNTIL(w.l, w.f->sub_count == 2);
	w.f->is_async = true;
	send_get(&w, &d, "/v1/sessions", "");
	SEND(w.l, &e, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, w.f->waiting_count == 2 && serve_connections(w.s) == 4);
	state_done(&w); /* looks for what is left */
	client_done(&c);
	client_done(&d);
	client_done(&e);
	client_done(&f);
}

/* ---- run ---- */

static void add_turn(struct fake *f, uint64_t seq, const char *turn)
{
	fake_add(f, "sess_1", seq, EV_TASK_CREATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 1, EV_TURN_SUBMITTED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 2, EV_SNAPSHOT_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 3, EV_TURN_COMPLETED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 4, EV_THREAD_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 5, EV_SNAPSHOT_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 6, EV_RUNTIME_WARNING, "thr_1", turn, 0);
}

TEST(run_streams_one_turn_to_its_end)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	w.f->answers = answers;
	add_turn(w.f, 1, "turn_0");
	add_turn(w.f, 8, "turn_1");
	r = POST(&w, "/v1/run", "Accept: application/json\r\n", "{\"input\":\"hi\"}");
	CHECK_INT(r.status, 200);
	CHECK(r.is_whole);
	CHECK_STR(w.f->command, "submit_turn");
	CHECK_STR(w.f->params, "{\"input\":\"hi\"}");
	CHECK_STR(header(&r, "content-type"), "application/x-ndjson");
	CHECK_STR(header(&r, "thole-session"), "sess_1");
	CHECK_STR(header(&r, "thole-turn"), "turn_1");
	CHECK_STR(
		r.body,
		EVENT(8, "task.created") "\n" EVENT(9, "turn.submitted") "\n" EVENT(
			10,
			"snapshot"
			".update"
			"d") "\n" EVENT(11,
	                                "turn.completed") "\n" EVENT(12,
	                                                             "thread.updated") "\n" EVENT(13,
	                                                                                          "snapshot."
	                                                                                          "updated") "\n");
	r = POST(&w, "/v1/run", SSE, "{\"input\":\"hi\"}");
	CHECK(str_starts(r.body, STR("retry: 1000\n\nid: 8\nevent: task.created\n")));
	CHECK(str_ends(r.body, STR(EVENT(13, "snapshot.updated") "\n\n")));
	CHECK_INT(w.f->sub_count, 0);
	state_done(&w);
}

TEST(run_ends_a_little_after_a_turn_without_snapshot)
{
	struct state w;

	state_init(&w, NULL);
	w.f->answers = answers;
	fake_add(w.f, "sess_1", 1, EV_TURN_SUBMITTED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 2, EV_TURN_FAILED, "thr_1", "turn_1", 0);

	int64_t start = clock_mono_ms();
	struct response r = POST(&w, "/v1/run", "", "{}");

	CHECK_STR(r.body, EVENT(1, "turn.submitted") "\n" EVENT(2, "turn.failed") "\n");
	CHECK(clock_mono_ms() - start >= 1900);
	state_done(&w);
}

TEST(run_finds_a_turn_that_began_long_ago)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	w.f->hook_answer = response_late;
	fake_add(w.f, "sess_1", 1, EV_TASK_CREATED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 800, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 801, EV_SNAPSHOT_UPDATED, "thr_1", "turn_1", 0);
	r = POST(&w, "/v1/run", "", "{}");
	CHECK_STR(r.body, EVENT(1, "task.created") "\n" EVENT(800, "turn.completed") "\n" EVENT(
				  801, "snapshot.updated") "\n");
	/* now nothing of it is within the window */
	while (w.f->event_count > 1)
		bytes_unref(w.f->events[--w.f->event_count].pub.body);
	fake_add(w.f, "sess_1", 2, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 3, EV_SNAPSHOT_UPDATED, "thr_1", "turn_1", 0);
	r = POST(&w, "/v1/run", "", "{}");
	CHECK_HAS(r.body, "snapshot.updated");
	state_done(&w);
}

TEST(run_tells_why_a_turn_was_refused)
{
	static const struct fake_answer refused[] = {
		{ "submit_turn", ERROR_CODE_QUEUE_FULL, 429, "{\"code\":\"queue_full\"}" },
		{ NULL },
	};
	struct state w;
	struct response r;

	state_init(&w, NULL);
	w.f->answers = refused;
	r = POST(&w, "/v1/run", SSE, "{}");
	CHECK_PROBLEM(r, 429, "queue_full");
	state_done(&w);
}

TEST_MAIN()
