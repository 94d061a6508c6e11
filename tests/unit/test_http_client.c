/*
 * The HTTP client against a plain server on loopback, which runs in its own
 * threads; the path selects its behaviour.
 */
#include "net/http/http_client.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "lib/t.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define FLOOD ((size_t)48 << 20)

/* ---- the server ---- */

struct server {
	int fd, port;
	pthread_t thread;
	atomic_int connections;
	atomic_size_t sent; /* bytes of /flood */
	pthread_mutex_t lock;
	pthread_cond_t left;
	int visits;
};

struct visit {
	struct server *s;
	int fd;
};

static void put(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void wait_for_peer(int fd)
{
	char c[64];

	while (recv(fd, c, sizeof c, 0) > 0)
		;
}

static void flood(struct visit *v)
{
	static const char block[8192] = { 'x' };

	put(v->fd, "HTTP/1.1 200 OK\r\nContent-Length: 50331648\r\n\r\n");
	for (size_t sent = 0; sent < FLOOD;) {
		ssize_t n = send(v->fd, block, sizeof block, MSG_NOSIGNAL);

		if (n < 0)
			return;
		sent += (size_t)n;
		atomic_store(&v->s->sent, sent);
	}
}

/* The answer is what was asked. */
static void echo(struct visit *v, const char *request)
{
	char head[128];

	snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
	         strlen(request));
	put(v->fd, head);
	put(v->fd, request);
}

/* True when the connection stays open for another request. */
static bool response(struct visit *v, const char *path, const char *request)
{
	int fd = v->fd;

	if (!strcmp(path, "/ok")) {
		put(fd,
		    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One: 1\r\nx-Two:  2 \r\n\r\nhello");
		return true;
	}
	if (!strcmp(path, "/echo")) {
		echo(v, request);
		return true;
	}
	if (!strcmp(path, "/chunked")) {
		put(fd, "HTTP/1.1 100 Continue\r\nX-One: early\r\n\r\n"
		        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-One: late\r\n\r\n");
		for (int i = 0; i < 100; i++)
			put(fd, "3\r\nabc\r\n");
		put(fd, "0\r\nX-Trailer: yes\r\n\r\n");
		return true;
	}
	if (!strcmp(path, "/open")) /* complete, and then silence */
		put(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nDONE\r\n");
	if (!strcmp(path, "/late-end")) {
		put(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nDONE\r\n");
		put(fd, "0\r\n\r\n");
		return true;
	}
	if (!strcmp(path, "/head-only"))
		put(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	if (!strcmp(path, "/cut"))
		put(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
	if (!strcmp(path, "/redirect"))
		put(fd, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
		        "Content-Length: 0\r\n\r\n");
	if (!strcmp(path, "/flood"))
		flood(v);
	if (!strcmp(path, "/silent") || !strcmp(path, "/open") || !strcmp(path, "/head-only"))
		wait_for_peer(fd);
	return false;
}

static size_t body_length(const char *head)
{
	const char *at = strcasestr(head, "content-length:");

	return at ? strtoul(at + 15, NULL, 10) : 0;
}

static void *visit_main(void *arg)
{
	struct visit *v = arg;
	char in[65536], path[64];
	size_t len = 0;
	ssize_t n;

	while ((n = recv(v->fd, in + len, sizeof in - 1 - len, 0)) > 0) {
		len += (size_t)n;
		in[len] = 0;

		const char *end = strstr(in, "\r\n\r\n");

		if (!end || len < (size_t)(end + 4 - in) + body_length(in))
			continue;
		if (sscanf(in, "%*s %63s", path) != 1 || !response(v, path, in))
			break;
		len = 0;
	}
	close(v->fd);
	pthread_mutex_lock(&v->s->lock);
	v->s->visits--;
	pthread_cond_signal(&v->s->left);
	pthread_mutex_unlock(&v->s->lock);
	free(v);
	return NULL;
}

static void *server_main(void *arg)
{
	struct server *s = arg;
	int fd;

	while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
		struct visit *v = memory_zeroed(1, sizeof *v);
		pthread_t thread;

		*v = (struct visit){ s, fd };
		atomic_fetch_add(&s->connections, 1);
		pthread_mutex_lock(&s->lock);
		s->visits++;
		pthread_mutex_unlock(&s->lock);
		pthread_create(&thread, NULL, visit_main, v);
		pthread_detach(thread);
	}
	return NULL;
}

static void server_start(struct server *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;

	memset(s, 0, sizeof *s);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->left, NULL);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(bind(s->fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(s->fd, 64) == 0);
	CHECK(getsockname(s->fd, (struct sockaddr *)&a, &len) == 0);
	s->port = ntohs(a.sin_port);
	CHECK(pthread_create(&s->thread, NULL, server_main, s) == 0);
}

static void server_stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
	pthread_mutex_lock(&s->lock);
	while (s->visits) /* the wire is gone, and so they go */
		pthread_cond_wait(&s->left, &s->lock);
	pthread_mutex_unlock(&s->lock);
	pthread_cond_destroy(&s->left);
	pthread_mutex_destroy(&s->lock);
}

/* ---- the fixture ---- */

struct fixture {
	struct server server;
	struct loop *loop;
	struct http_client *http_client;
	char url[128];
};

/* What came back. */
struct seen {
	struct fixture *fixture;
	struct http_client_call *call;
	int heads, ends, bodies, status;
	char one[64];
	struct buf body;
	size_t bytes;
	bool keeps_none;            /* only counts */
	size_t pause_at, cancel_at; /* bytes */
	size_t bite;                /* takes so much, then pauses */
	bool cancels_at_head;
	enum http_client_result result;
	char message[256];
};

static void on_head(void *owner, const struct http_client_head *h)
{
	struct seen *s = owner;

	s->heads++;
	s->status = h->status;
	snprintf(s->one, sizeof s->one, "%.*s", STR_ARG(http_client_head_get(h, STR("x-one"))));
	if (s->cancels_at_head)
		http_client_cancel(s->call);
}

static size_t on_body(void *owner, struct str bytes)
{
	struct seen *s = owner;
	size_t took = s->bite ? MIN(s->bite, bytes.len) : bytes.len;

	s->bodies++;
	s->bytes += took;
	if (!s->keeps_none)
		buf_add(&s->body, bytes.ptr, took);
	if (s->bite || (s->pause_at && s->bytes >= s->pause_at)) {
		s->pause_at = 0;
		http_client_pause(s->call);
	}
	if (s->cancel_at && s->bytes >= s->cancel_at)
		http_client_cancel(s->call);
	return took;
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct seen *s = owner;

	s->ends++;
	s->result = e->result;
	snprintf(s->message, sizeof s->message, "%.*s", STR_ARG(e->message));
}

static const struct http_client_sink sink = { on_head, on_body, on_end };

static void fixture_start(struct fixture *r)
{
	memset(r, 0, sizeof *r);
	server_start(&r->server);
	r->loop = loop_new();
	r->http_client = http_client_new(&(struct http_client_options){ .loop = r->loop });
	CHECK(r->loop && r->http_client);
}

static void fixture_stop(struct fixture *r)
{
	http_client_free(r->http_client);
	loop_free(r->loop);
	server_stop(&r->server);
}

static void ask_with(struct fixture *r, struct seen *s, const char *path,
                     struct http_client_request req)
{
	s->fixture = r;
	snprintf(r->url, sizeof r->url, "http://127.0.0.1:%d%s", r->server.port, path);
	req.url = str_from(r->url);
	s->call = http_client_send(r->http_client, &req, &sink, s);
	CHECK(s->heads == 0 && s->ends == 0);
}

static void ask(struct fixture *r, struct seen *s, const char *path)
{
	ask_with(r, s, path, (struct http_client_request){ 0 });
}

/* Turns the loop until it is so. */
#define UNTIL(r, condition)                                                                        \
	for (int64_t until_ = clock_mono_ms() + PATIENCE_MS; !(condition);) {                      \
		if (clock_mono_ms() > until_)                                                      \
			t_fail(__FILE__, __LINE__, "never came: %s", #condition);                  \
		loop_run_once((r)->loop, 50);                                                      \
	}

static void settle(struct fixture *r)
{
	for (int i = 0; i < 3; i++)
		loop_run_once(r->loop, 20);
}

/* ---- tests ---- */

TEST(an_answer_comes_as_head_body_and_end)
{
	struct fixture r;
	struct seen s = { 0 };

	fixture_start(&r);
	ask(&r, &s, "/ok");
	UNTIL(&r, s.ends);
	CHECK_INT(s.heads, 1);
	CHECK_INT(s.status, 200);
	CHECK(!strcmp(s.one, "1"));
	CHECK_STR(buf_str(&s.body), "hello");
	CHECK_INT(s.result, HTTP_CLIENT_OK);
	buf_done(&s.body);
	fixture_stop(&r);
}

TEST(a_request_goes_out_as_it_was_given)
{
	struct fixture r;
	struct seen s = { 0 };
	const struct http_client_header headers[] = { { STR("Authorization"), STR("Bearer k") },
		                                      { STR("X-Empty"), STR("") } };
	struct http_client_request req = { .headers = headers, .header_count = 2 };

	fixture_start(&r);
	buf_add_c(&req.body, "{\"a\":1}");
	ask_with(&r, &s, "/echo", req);
	UNTIL(&r, s.ends);
	CHECK(str_starts(buf_str(&s.body), STR("POST /echo HTTP/1.1\r\n")));
	CHECK_HAS(buf_str(&s.body), "\r\nAuthorization: Bearer k\r\n");
	CHECK_HAS(buf_str(&s.body), "\r\nX-Empty:\r\n");
	CHECK_HAS(buf_str(&s.body), "\r\nUser-Agent: thole\r\n");
	CHECK_HAS(buf_str(&s.body), "\r\n\r\n{\"a\":1}");
	CHECK(str_find(buf_str(&s.body), STR("Expect")) < 0);
	CHECK(str_find(buf_str(&s.body), STR("Cookie")) < 0);
	buf_done(&s.body);
	fixture_stop(&r);
}

TEST(interim_heads_and_trailers_are_not_the_head)
{
	struct fixture r;
	struct seen s = { 0 };

	fixture_start(&r);
	ask(&r, &s, "/chunked");
	UNTIL(&r, s.ends);
	CHECK_INT(s.heads, 1);
	CHECK(!strcmp(s.one, "late"));
	CHECK_INT(s.body.len, 300);
	CHECK_INT(s.result, HTTP_CLIENT_OK);
	buf_done(&s.body);
	fixture_stop(&r);
}

TEST(proxies_of_the_environment_are_not_used)
{
	struct fixture r;
	struct seen s = { 0 };

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	fixture_start(&r);
	ask(&r, &s, "/ok");
	UNTIL(&r, s.ends);
	CHECK_INT(s.result, HTTP_CLIENT_OK);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	buf_done(&s.body);
	fixture_stop(&r);
}

TEST(redirects_are_not_followed)
{
	struct fixture r;
	struct seen s = { 0 };

	fixture_start(&r);
	ask(&r, &s, "/redirect");
	UNTIL(&r, s.ends);
	CHECK_INT(s.status, 302);
	CHECK_INT(s.result, HTTP_CLIENT_OK);
	fixture_stop(&r);
}

TEST(a_broken_answer_is_said_to_be_cut)
{
	struct fixture r;
	struct seen s = { 0 };

	fixture_start(&r);
	ask(&r, &s, "/cut");
	UNTIL(&r, s.ends);
	CHECK_STR(buf_str(&s.body), "part");
	CHECK_INT(s.result, HTTP_CLIENT_CUT);
	CHECK(strstr(s.message, "after 4 bytes"));
	buf_done(&s.body);

	struct seen none = { 0 };

	ask(&r, &none, "/nothing-at-all");
	UNTIL(&r, none.ends);
	CHECK_INT(none.heads, 0);
	CHECK_INT(none.result, HTTP_CLIENT_CUT);
	fixture_stop(&r);
}

TEST(every_wait_has_its_own_bound)
{
	static const struct {
		const char *path;
		struct http_client_request req;
		enum http_client_result result;
	} rows[] = {
		{ "/silent",
		  { .first_byte_ms = 30, .stall_ms = 9999 },
		  HTTP_CLIENT_TIMEOUT_FIRST_BYTE },
		{ "/head-only",
		  { .first_byte_ms = 30, .stall_ms = 9999 },
		  HTTP_CLIENT_TIMEOUT_FIRST_BYTE },
		{ "/open", { .first_byte_ms = 9999, .stall_ms = 30 }, HTTP_CLIENT_TIMEOUT_STALL },
		{ "/open", { .stall_ms = 9999, .total_ms = 30 }, HTTP_CLIENT_TIMEOUT_TOTAL },
	};
	struct fixture r;

	fixture_start(&r);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct seen s = { 0 };
		int64_t begun = clock_mono_ms();

		ask_with(&r, &s, rows[i].path, rows[i].req);
		UNTIL(&r, s.ends);
		CHECK_INT(s.result, rows[i].result);
		CHECK(s.message[0]);
		CHECK(clock_mono_ms() - begun >= 30);
		buf_done(&s.body);
	}
	fixture_stop(&r);
}

TEST(a_refused_connection_and_an_unknown_host_fail)
{
	struct fixture r;
	struct seen s = { 0 }, t = { 0 };
	struct http_client_request req = { .url = STR("http://127.0.0.1:1/") };

	fixture_start(&r);
	s.call = http_client_send(r.http_client, &req, &sink, &s);
	UNTIL(&r, s.ends);
	CHECK_INT(s.result, HTTP_CLIENT_CONNECT);
	CHECK(strstr(s.message, "127.0.0.1"));
	/* a label longer than names may have: refused before any lookup */
	req = (struct http_client_request){
		.url = STR(
			"http://"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/")
	};
	t.call = http_client_send(r.http_client, &req, &sink, &t);
	UNTIL(&r, t.ends);
	CHECK(t.result == HTTP_CLIENT_RESOLVE || t.result == HTTP_CLIENT_INVALID);
	fixture_stop(&r);
}

TEST(a_bad_request_is_refused_with_a_sentence)
{
	struct fixture r;
	const struct http_client_header split = { STR("X-A"), STR("1\r\nX-B: 2") };
	const struct http_client_header nameless = { STR(""), STR("1") };
	struct http_client_request rows[] = {
		{ .url = STR("file:///etc/passwd") },
		{ .url = STR("ftp://127.0.0.1/") },
		{ .url = STR("") },
		{ .url = STR("http://127.0.0.1:1/"), .headers = &split, .header_count = 1 },
		{ .url = STR("http://127.0.0.1:1/"), .headers = &nameless, .header_count = 1 },
		{ .url = STR("http://[bad/") },
	};

	fixture_start(&r);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct seen s = { 0 };

		s.call = http_client_send(r.http_client, &rows[i], &sink, &s);
		UNTIL(&r, s.ends);
		CHECK_INT(s.result, HTTP_CLIENT_INVALID);
		CHECK(s.message[0]);
	}
	fixture_stop(&r);
}

TEST(a_missing_library_is_a_sentence)
{
	struct fixture r;
	struct seen s = { 0 };

	fixture_start(&r);
	http_client_free(r.http_client);
	r.http_client = http_client_new(
		&(struct http_client_options){ .loop = r.loop, .library = "libnot.so.9" });
	ask(&r, &s, "/ok");
	UNTIL(&r, s.ends);
	CHECK_INT(s.result, HTTP_CLIENT_NO_LIBRARY);
	CHECK(strstr(s.message, "libnot.so.9 could not be loaded; install"));
	fixture_stop(&r);
}

TEST(an_answer_past_its_bound_ends_there)
{
	struct fixture r;
	struct seen s = { .keeps_none = true };

	fixture_start(&r);
	ask_with(&r, &s, "/flood", (struct http_client_request){ .response_max = 100000 });
	UNTIL(&r, s.ends);
	CHECK_INT(s.result, HTTP_CLIENT_TOO_LARGE);
	CHECK(s.bytes <= 100000);
	fixture_stop(&r);
}

TEST(a_paused_call_holds_up_its_sender_and_loses_nothing)
{
	struct fixture r;
	struct seen s = { .keeps_none = true, .pause_at = 1 };
	size_t before = 1, now = 0;

	fixture_start(&r);
	ask_with(&r, &s, "/flood", (struct http_client_request){ .stall_ms = 60 });
	UNTIL(&r, s.bytes);
	for (int quiet = 0; quiet < 5; quiet = before == now ? quiet + 1 : 0) {
		before = atomic_load(&r.server.sent);
		loop_run_once(r.loop, 30);
		now = atomic_load(&r.server.sent);
	}
	CHECK(now < FLOOD / 2); /* what the kernel's buffers hold */
	CHECK(s.bytes <= HTTP_CLIENT_WINDOW * 2);
	CHECK_INT(s.ends, 0); /* and it has not stalled: we have */
	http_client_resume(s.call);
	UNTIL(&r, s.ends);
	CHECK_INT(s.result, HTTP_CLIENT_OK);
	CHECK_INT(s.bytes, FLOOD);
	fixture_stop(&r);
}

TEST(what_was_not_taken_comes_again)
{
	struct fixture r;
	struct seen s = { .bite = 2 };

	fixture_start(&r);
	ask(&r, &s, "/ok");
	for (int i = 0; i < 3; i++) {
		UNTIL(&r, s.bodies == i + 1);
		settle(&r);
		CHECK_INT(s.bodies, i + 1);
		CHECK_INT(s.ends, 0);
		if (i == 2)
			s.bite = 0;
		http_client_resume(s.call);
	}
	UNTIL(&r, s.ends);
	CHECK_STR(buf_str(&s.body), "hello");
	CHECK_INT(s.bodies, 4); /* the last with nothing: resumed after all was taken */
	buf_done(&s.body);
	fixture_stop(&r);
}

TEST(a_cancelled_call_is_silent)
{
	struct fixture r;
	struct seen early = { 0 }, head = { .cancels_at_head = true };
	struct seen body = { .keeps_none = true, .cancel_at = 1 }, paused = { .pause_at = 1 };
	struct seen last = { 0 };

	fixture_start(&r);
	ask(&r, &early, "/ok");
	http_client_cancel(early.call);
	ask(&r, &head, "/chunked");
	ask(&r, &body, "/flood");
	ask(&r, &paused, "/ok");
	UNTIL(&r, head.heads && body.bytes && paused.bytes);
	settle(&r);
	http_client_cancel(paused.call); /* its end has come and was held back */
	ask(&r, &last, "/ok");
	UNTIL(&r, last.ends);
	settle(&r);
	CHECK_INT(early.heads + early.ends, 0);
	CHECK_INT(head.bodies + head.ends, 0);
	CHECK_INT(body.bodies, 1);
	CHECK_INT(body.ends, 0);
	CHECK_INT(paused.ends, 0);
	buf_done(&paused.body);
	buf_done(&last.body);
	fixture_stop(&r);
}

TEST(a_released_call_keeps_its_connection)
{
	struct fixture r;
	struct seen s = { 0 }, again = { 0 };

	fixture_start(&r);
	ask(&r, &s, "/late-end");
	UNTIL(&r, s.bodies || s.ends);
	if (!s.ends)
		http_client_release(s.call);
	settle(&r);
	ask(&r, &again, "/ok");
	UNTIL(&r, again.ends);
	CHECK_INT(atomic_load(&r.server.connections), 1);
	buf_done(&s.body);
	buf_done(&again.body);

	struct seen open = { 0 }, fresh = { 0 };

	ask(&r, &open, "/open");
	UNTIL(&r, open.bodies);
	http_client_release(open.call); /* nothing more will come; no caller waits for it */
	ask(&r, &fresh, "/ok");
	UNTIL(&r, fresh.ends);
	CHECK_INT(open.ends, 0);
	CHECK_INT(fresh.result, HTTP_CLIENT_OK);
	buf_done(&open.body);
	buf_done(&fresh.body);
	fixture_stop(&r);
}

TEST(many_calls_share_the_thread)
{
	enum { MANY = 200 };
	static struct seen s[MANY];
	struct fixture r;
	int ends = 0;

	fixture_start(&r);
	for (int i = 0; i < MANY; i++)
		ask(&r, &s[i], i % 3 ? "/chunked" : "/ok");
	for (int i = 0; i < MANY; i += 10)
		http_client_cancel(s[i].call);
	UNTIL(&r, (ends = 0, ({
			   for (int i = 0; i < MANY; i++)
				   ends += s[i].ends;
		   }),
	           ends == MANY - MANY / 10));
	for (int i = 0; i < MANY; i++) {
		CHECK_INT(s[i].ends, i % 10 != 0);
		if (s[i].ends)
			CHECK_INT(s[i].body.len, i % 3 ? 300 : 5);
		buf_done(&s[i].body);
	}
	fixture_stop(&r);
}

TEST(freeing_the_wire_ends_what_runs_without_a_word)
{
	struct fixture r;
	struct seen s[4] = { { .keeps_none = true }, { .keeps_none = true, .pause_at = 1 } };

	fixture_start(&r);
	ask(&r, &s[0], "/flood");
	ask(&r, &s[1], "/flood");
	ask(&r, &s[2], "/silent");
	UNTIL(&r, s[0].bytes && s[1].bytes);
	ask(&r, &s[3], "/ok");
	fixture_stop(&r);
	CHECK_INT(s[0].ends + s[1].ends + s[2].ends + s[3].ends, 0);
}

TEST(an_unused_wire_starts_nothing)
{
	struct loop *l = loop_new();
	struct http_client *w = http_client_new(&(struct http_client_options){ .loop = l });

	http_client_free(w);
	w = http_client_new(&(struct http_client_options){ .loop = l });
	http_client_warm(w);
	http_client_free(w);
	http_client_free(NULL);
	loop_free(l);
}

TEST(a_guard_judges_the_address_that_is_dialled)
{
	struct fixture r;
	struct seen plain = { .keeps_none = true }, refused = { 0 }, named = { .keeps_none = true };
	struct arena *mem = arena_new();
	struct http_client_guard g = { 0 };
	char rule[64];
	struct str text;
	int connections;

	fixture_start(&r);
	/* a connection that is left open is not shared */
	ask(&r, &plain, "/ok");
	UNTIL(&r, plain.ends);
	CHECK(plain.result == HTTP_CLIENT_OK);
	connections = atomic_load(&r.server.connections);
	CHECK(net_host_read(STR("127.0.0.1"), &g.host));
	ask_with(&r, &refused, "/ok", (struct http_client_request){ .guard = &g });
	UNTIL(&r, refused.ends);
	CHECK(refused.result == HTTP_CLIENT_FORBIDDEN && !refused.heads);
	CHECK(atomic_load(&r.server.connections) == connections);

	snprintf(rule, sizeof rule, "127.0.0.1:%d", r.server.port);
	text = str_from(rule);
	CHECK(host_rule_read_all(mem, &text, 1, &g.rules, NULL) == OK);
	ask_with(&r, &named, "/ok", (struct http_client_request){ .guard = &g });
	g.rules.count = 0; /* it has its own copy */
	UNTIL(&r, named.ends);
	CHECK(named.result == HTTP_CLIENT_OK &&
	      atomic_load(&r.server.connections) == connections + 1);
	fixture_stop(&r);
	arena_free(mem);
}

TEST_MAIN()
