/* JSON-RPC over lines and WebSockets. */
#include "test_serve_fixture.h"
#include "base/memory.h"

/* ---- JSON-RPC ---- */

TEST(json_rpc_lines_on_the_unix_socket)
{
	struct state w;

	state_init(&w, NULL);
	w.f->answers = answers;

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"submit_turn\","
	     "\"params\":{\"input\":\"x\",\"idempotencyKey\":\"k\"}}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":"
	          "{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":5}}\n");
	CHECK_STR(w.f->params, "{\"input\":\"x\",\"idempotencyKey\":\"k\"}");
	CHECK(!str_is(w.f->key));
	CHECK_STR(w.f->via, "json_rpc");
	CHECK_STR(w.f->principal, "owner");
	buf_clear(&c.in);
	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"respond_action\"}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32009,\"message\":\"The "
	          "action was answered before; the first answer stands.\",\"data\":"
	          "{\"code\":\"already_resolved\"}}}\n");
	CHECK(!str_is(w.f->params));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

#define INIT(params)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" params "}"

TEST(who_initializes_is_a_channel_until_the_connection_ends)
{
	struct state w;

	state_init(&w, NULL);

	struct client c = client_unix(w.path), d = client_unix(w.path);

	SEND(w.l, &c,
	     INIT("{\"clientInfo\":{\"name\":\"t\"},\"capabilities\":[\"permissions\"]}") "\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocol\":\"agent-runtime\","
	          "\"version\":\"9.8.7\",\"schemaVersion\":\"lime-profile-0.4.0\","
	          "\"runtimeId\":\"rt_1\",\"principal\":\"owner\",\"channelId\":\"chan_1\","
	          "\"resumeToken\":\"next\","
	          "\"scopes\":[\"read\",\"write\",\"approve\",\"admin\"],"
	          "\"capabilities\":[\"commands\",\"events\",\"gap\",\"batch\"]}}\n");
	CHECK_STR(w.f->capability, "permissions");
	CHECK_INT(w.f->transport, TRANSPORT_JSON_RPC);
	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, client_has(&c, STR("\"id\":2")));
	CHECK_STR(w.f->channel, "chan_1");
	SEND(w.l, &c, INIT("{}") "\n");
	UNTIL(w.l, client_has(&c, STR("has been initialized")));
	CHECK_INT(w.f->channels, 1);
	client_done(&c);
	UNTIL(w.l, w.f->channels == 0);
	CHECK_INT(w.f->cause, DISCONNECT_CAUSE_CLOSED);

	SEND(w.l, &d, INIT("{\"channelId\":\"chan_old\",\"resumeToken\":\"guess\"}") "\n");
	UNTIL(w.l, client_has(&d, STR("channel_not_found")));
	SEND(w.l, &d, INIT("{\"channelId\":\"chan_old\",\"resumeToken\":\"again\"}") "\n");
	UNTIL(w.l, client_has(&d, STR("\"channelId\":\"chan_old\"")));
	CHECK_INT(w.f->channels, 1);
	serve_drain(w.s);
	UNTIL(w.l, client_ended(&d));
	client_done(&d);
	UNTIL(w.l, w.f->channels == 0);
	CHECK_INT(w.f->cause, DISCONNECT_CAUSE_SHUTDOWN);
	state_done(&w);
}

TEST(a_batch_is_answered_as_one_and_a_notification_not_at_all)
{
	struct state w;

	state_init(&w, NULL);
	w.f->answers = answers;

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
	     "{\"jsonrpc\":\"2.0\",\"method\":\"ack_events\"},"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"create_session\"}]\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in), "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
	                          "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"again\":true}}]\n");
	CHECK_INT(w.f->calls, 2);
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

TEST(bad_json_rpc_is_told_and_the_connection_goes_on)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{ "{oops", "-32700" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "-32700" },
		{ "\"text\"", "-32600" },
		{ "[]", "-32600" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":5}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\",\"params\":[1]}",
		  "invalid_type" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no_such\"}", "\"code\":-32601" },
		{ INIT("{\"bogus\":1}"), "unknown_field" },
		{ INIT("{\"clientInfo\":1}"), "invalid_type" },
		{ INIT("{\"capabilities\":{}}"), "invalid_type" },
		{ INIT("{\"capabilities\":[1]}"), "invalid_type" },
		{ INIT("{\"channelId\":\"a b\"}"), "invalid_id" },
		{ INIT("{\"peerRole\":\"king\"}"), "invalid_value" },
#define SUB(params)                                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\",\"params\":" params "}"
		{ SUB("{\"bogus\":1}"), "unknown_field" },
		{ SUB("{\"sessionId\":5}"), "invalid_type" },
		{ SUB("{\"sessionId\":\"a b\"}"), "invalid_id" },
		{ SUB("{\"types\":\"turn.started\"}"), "invalid_type" },
		{ SUB("{\"types\":[\"no.such\"]}"), "invalid_value" },
		{ SUB("{\"types\":[7]}"), "invalid_value" },
		{ SUB("{\"after\":\"7\"}"), "invalid_type" },
		{ SUB("{\"after\":7}"), "invalid_value" },
		{ SUB("{\"sessionId\":\"s\",\"after\":-7}"), "invalid_value" },
		{ SUB("{\"cursor\":\"7\"}"), "invalid_value" },
		{ SUB("{\"follow\":1}"), "invalid_type" },
		{ SUB("{\"as\":1}"), "invalid_type" },
		{ SUB("{\"as\":\"agent_tea\"}"), "invalid_value" },
		{ SUB("{\"sessionId\":\"sess_9\"}"), "session_not_found" },
		{ SUB("{\"channelId\":\"chan_9\"}"), "channel_not_found" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"via\",\"params\":{\"via\":\"tcp\"}}",
		  "invalid_value" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\"}",
		  "missing_field" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\","
		  "\"params\":{\"subscriptionId\":\"subs_9\"}}",
		  "subscription_not_found" },
	};
	struct state w;

	state_init(&w, NULL);

	struct client c = client_unix(w.path);

	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		buf_clear(&c.in);
		client_send(w.l, &c, str_from(rows[i].line));
		SEND(w.l, &c, "\n");
		UNTIL(w.l, client_has(&c, STR("\n")));
		if (str_find(buf_str(&c.in), str_from(rows[i].part)) < 0)
			t_fail(__FILE__, __LINE__, "%s: %.*s", rows[i].line,
			       STR_ARG(buf_str(&c.in)));
	}
	CHECK(!c.is_eof);
	CHECK_INT(w.f->sub_count, 0);
	CHECK_INT(w.f->calls, 1); /* no_such went to the control */
	client_done(&c);
	state_done(&w);
}

TEST(too_long_a_line_is_told_and_ends_the_connection)
{
	struct serve_options o = { .body_max = 10000 };
	struct state w;
	char *line = memory_zeroed(1, 20001);

	state_init(&w, &o);
	memset(line, ' ', 20000);
	line[0] = '{';

	struct client c = client_unix(w.path);

	client_send(w.l, &c, str_of(line, 20000));
	UNTIL(w.l, client_has(&c, STR("the line is too long")));
	UNTIL(w.l, client_ended(&c));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	free(line);
	state_done(&w);
}

TEST(events_come_as_notifications_with_the_stored_bytes)
{
	struct state w;
	char expected[512];

	state_init(&w, NULL);
	add_some(w.f);

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\",\"params\":"
	     "{\"sessionId\":\"sess_1\",\"after\":2,\"types\":[\"tool.*\"],"
	     "\"thread_id\":\"thr_1\"}}\n");
	UNTIL(w.l,
	      client_has(&c, STR("\"method\":\"event\"")) && str_ends(buf_str(&c.in), STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"subscriptionId\":\"subs_1\","
	          "\"after\":2}}\n"
	          "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
			  3, "tool.started") "}\n");
	buf_clear(&c.in);
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\",\"params\":"
	     "{\"cursor\":\"p.104\",\"follow\":false}}\n");
	UNTIL(w.l, client_has(&c, STR("stream_end")) && str_ends(buf_str(&c.in), STR("\n")));
	CHECK_STR(
		buf_str(&c.in),
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"subscriptionId\":\"subs_2\","
		"\"after\":104,\"cursor\":\"p.104\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
			4,
			"tool.result") "}\n"
				       "{\"jsonrpc\":\"2.0\",\"method\":\"stream_end\",\"params\":"
				       "{\"subscriptionId\":\"subs_2\",\"reason\":\"caught_up\"}}"
				       "\n");
	buf_clear(&c.in);
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"unsubscribe_events\","
	     "\"params\":{\"subscriptionId\":\"subs_1\"}}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":"
	                          "{\"subscriptionId\":\"subs_1\"}}\n");
	CHECK_INT(w.f->sub_count, 0);

	buf_clear(&c.in);
	w.f->floor = 3;
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"method\":\"subscribe_events\",\"params\":"
	     "{\"sessionId\":\"sess_1\"}}\n");
	UNTIL(w.l, client_has(&c, STR("tool.result")));
	snprintf(
		expected, sizeof expected,
		"{\"jsonrpc\":\"2.0\",\"method\":\"gap\",\"params\":{\"subscriptionId\":\"subs_3\","
		"\"sessionId\":\"sess_1\",\"from\":1,\"to\":3,\"recoveryMode\":\"retention\","
		"\"reason\":\"retention\",\"snapshot\":{\"at\":1}}}\n");
	CHECK(str_starts(buf_str(&c.in), str_from(expected)));
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_has(&c, STR("\"reason\":\"shutdown\"")));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

TEST(one_connection_follows_so_many_streams_and_no_more)
{
	struct state w;

	state_init(&w, NULL);
	add_some(w.f);

	struct client c = client_unix(w.path);

	for (int i = 0; i <= LIMIT_SUBSCRIPTIONS_PER_CONNECTION; i++)
		SEND(w.l, &c,
		     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		     "\"params\":{\"sessionId\":\"sess_2\"}}\n");
	UNTIL(w.l, client_has(&c, STR("too_many_open")));
	CHECK_INT(w.f->most_subs, LIMIT_SUBSCRIPTIONS_PER_CONNECTION);
	client_done(&c);
	UNTIL(w.l, w.f->sub_count == 0);
	state_done(&w);
}

TEST(reading_pauses_while_too_many_calls_are_in_flight)
{
	struct serve_options o = { .in_flight_max = 8 };
	struct state w;

	state_init(&w, &o);
	w.f->is_async = true;

	struct client c = client_unix(w.path);

	for (int i = 0; i < 100; i++)
		SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, w.f->waiting_count == 8);
	for (int i = 0; i < 20; i++)
		turn(w.l);
	CHECK_INT(w.f->waiting_count, 8);
	fake_answer_one(w.f);
	UNTIL(w.l, w.f->calls == 9);
	CHECK_INT(w.f->waiting_count, 8);
	w.f->is_async = false;
	fake_answer_all(w.f);
	UNTIL(w.l, (client_read(&c), count_of(buf_str(&c.in), STR("\n")) == 100));
	CHECK_INT(w.f->calls, 100);

	/* and calls in flight are dropped when the peer disconnects */
	w.f->is_async = true;
	SEND(w.l, &c,
	     "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"},"
	     "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"list_tasks\"}]\n");
	UNTIL(w.l, w.f->waiting_count == 2);
	shutdown(c.fd, SHUT_RDWR);
	client_done(&c);
	for (int i = 0; i < 3; i++)
		turn(w.l);
	/* the end of input alone does not forget: the peer may still read */
	CHECK_INT(w.f->waiting_count + w.f->forgotten, 2);
	fake_answer_all(w.f);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

TEST(a_peer_that_reads_no_answers_is_not_read_either)
{
	struct serve_options o = { .client_buffer_max = 16384, .ping_ms = 40, .stall_ms = 120 };
	static char large[9000];
	struct fake_answer rows[] = { { "list_tasks", 0, 200, large }, { NULL } };
	struct state w;

	state_init(&w, &o);
	snprintf(large, sizeof large, "{\"a\":\"%0*d\"}", 8000, 0);
	w.f->answers = rows;

	struct client c = client_unix(w.path);
	struct str line = STR("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");

	for (int i = 0; i < 3000; i++) {
		if (client_try(&c, line) < line.len)
			break;
		if (i % 16 == 0)
			turn(w.l);
	}
	for (int i = 0; i < 50; i++)
		turn(w.l);
	CHECK(w.f->calls < 200);
	UNTIL(w.l, !serve_connections(w.s)); /* and in the end it is closed */
	client_done(&c);
	state_done(&w);
}

static void count_gone(void *arg)
{
	++*(int *)arg;
}

TEST(descriptors_can_be_attached)
{
	struct state w;
	struct error e;
	int pair[2], in[2], out[2], gone = 0;

	state_init(&w, NULL);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(pipe(in) == 0 && pipe(out) == 0);
	CHECK_OK(serve_attach_fd(w.s, pair[0], count_gone, &gone, &e), &e);
	CHECK_OK(serve_attach_stdio(w.s, in[0], out[1], count_gone, &gone, &e), &e);
	CHECK_INT(serve_connections(w.s), 2);

	struct client c = client_of(pair[1]);

	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, client_has(&c, STR("\"result\"")));
	CHECK_STR(w.f->via, "c_api");
	CHECK_STR(w.f->principal, "owner");

	/* echo ... | thole rpc: answered although the input has ended */
	struct str line = STR("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"list_tasks\"}");
	char response[256] = "";
	ssize_t n = 0;

	w.f->is_async = true;
	CHECK(write(in[1], line.ptr, line.len) == (ssize_t)line.len);
	close(in[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	UNTIL(w.l, w.f->waiting_count == 1);
	CHECK_STR(w.f->via, "stdio");
	fake_answer_all(w.f);
	UNTIL(w.l, (n = read(out[0], response, sizeof response - 1)) > 0);
	CHECK_SAME(str_of(response, (size_t)n),
	           STR("{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\n"));
	UNTIL(w.l, gone == 1);
	client_done(&c);
	UNTIL(w.l, gone == 2);
	CHECK_INT(serve_connections(w.s), 0);
	close(out[0]);
	state_done(&w);
}

/* ---- WebSocket ---- */

TEST(a_websocket_speaks_json_rpc)
{
	struct str origins[] = { STR("https://good.example") };
	struct serve_options o = { .origins = origins, .origin_count = 1, .in_flight_max = 4 };
	struct state w;
	struct response r;

	state_init(&w, &o);
	add_some(w.f);
	r = ask(&w, WS_HEAD "\r\n");
	CHECK_PROBLEM(r, 401, "unauthorized");
	r = ask(&w, WS_HEAD AUTH "Origin: https://evil.example\r\n\r\n");
	CHECK_PROBLEM(r, 403, "origin_not_allowed");
	r = ask(&w, "GET /v1/rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
	            "Connection: Upgrade\r\nSec-WebSocket-Version: 12\r\n" AUTH "\r\n");
	CHECK_INT(r.status, 426);

	struct client c = client_tcp(w.port);

	SEND(w.l, &c,
	     WS_HEAD "Authorization: Bearer read-only\r\nOrigin: https://good.example\r\n\r\n");
	UNTIL(w.l, client_has(&c, STR("\r\n\r\n")));
	CHECK(str_starts(buf_str(&c.in), STR("HTTP/1.1 101 ")));
	buf_clear(&c.in);
	ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"list_tasks\"}");
	UNTIL(w.l, client_has(&c, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")));
	CHECK_INT((unsigned char)c.in.ptr[0], 0x81);
	CHECK_STR(w.f->via, "websocket");
	CHECK_STR(w.f->principal, "reader");
	ws_send(&w, &c,
	        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\",\"params\":"
	        "{\"sessionId\":\"sess_1\",\"after\":3}}");
	UNTIL(w.l, client_has(&c, STR("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
					  4, "tool.result") "}")));

	/* more calls in one packet than may be in flight: none is lost, none refused */
	buf_clear(&c.in);
	w.f->is_async = true;
	for (int i = 0; i < 20; i++)
		ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"list_tasks\"}");
	UNTIL(w.l, w.f->waiting_count == 4);
	for (int i = 0; i < 10; i++)
		turn(w.l);
	CHECK_INT(w.f->waiting_count, 4);
	w.f->is_async = false;
	fake_answer_all(w.f);
	UNTIL(w.l, (client_read(&c), count_of(buf_str(&c.in), STR("\"result\":{}")) == 20));

	CHECK_INT(serve_connections(w.s), 1);
	w.f->is_async = true;
	ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"list_tasks\"}");
	UNTIL(w.l, w.f->waiting_count == 1);
	client_done(&c);
	UNTIL(w.l, w.f->sub_count == 0 && w.f->forgotten == 1 && !serve_connections(w.s));
	state_done(&w);
}

TEST_MAIN()
