#ifndef TESTS_PROVIDER_FIXTURE_H
#define TESTS_PROVIDER_FIXTURE_H
/*
 * A provider between a real loop and a server in its own process.  A test that
 * waits runs the loop meanwhile; nothing sleeps.
 */
#include "lib/t.h"

#include "base/arena.h"
#include "base/os/clock.h"
#include "base/utf8.h"
#include "provider/http_provider.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 20000
#define KEY "sk-test-0123456789"

extern char **environ;

/* ---- a server ---- */

struct server {
	pid_t pid;
	int in;  /* it ends when this is closed */
	int out; /* kept open for what it may still say */
	int port;
};

/* argv's program prints its port behind mark; false: it cannot be started. */
static inline bool server_start(struct server *s, char *const argv[], const char *mark)
{
	int in[2], out[2];
	posix_spawn_file_actions_t actions;
	char line[512] = "", *at = NULL;
	size_t len = 0;
	ssize_t got;

	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);

	bool is_started = posix_spawnp(&s->pid, argv[0], &actions, NULL, argv, environ) == 0;

	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	s->in = in[1];
	while (is_started && !at && len < sizeof line - 1 &&
	       (got = read(out[0], line + len, sizeof line - 1 - len)) > 0) {
		len += (size_t)got;
		line[len] = 0;
		at = strstr(line, mark);
		if (at && !strchr(at, '\n'))
			at = NULL;
	}
	s->port = at ? atoi(at + strlen(mark)) : 0;
	s->out = out[0];
	return is_started && at;
}

static inline void server_stop(struct server *s)
{
	int status;

	close(s->in);
	close(s->out);
	kill(s->pid, SIGTERM);
	waitpid(s->pid, &status, 0);
}

/* ---- what came back ---- */

struct seen {
	struct provider *p;
	struct model_handle *h;
	struct buf text, reasoning, args;
	int pieces, ends;
	int pause_at, cancel_at, close_at; /* piece number */
	bool is_paused;
	int64_t first_ns;
	/* a copy of the end */
	struct arena *mem;
	struct model_end end;
	struct model_call calls[8];
	struct model_limit limits[8];
};

static inline void on_piece(void *owner, enum model_piece kind, struct str text)
{
	struct seen *s = owner;

	CHECK(!s->is_paused && !s->ends && text.len && utf8_is_valid(text));
	if (!s->pieces++)
		s->first_ns = clock_mono_ns();
	buf_add_str(kind == PIECE_TEXT        ? &s->text
	            : kind == PIECE_REASONING ? &s->reasoning
	                                      : &s->args,
	            text);
	if (s->pieces == s->pause_at) {
		s->is_paused = true;
		s->p->ops->pause(s->p, s->h);
	}
	if (s->pieces == s->cancel_at)
		s->p->ops->cancel(s->p, s->h);
	if (s->pieces == s->close_at)
		s->p->ops->close(s->p);
}

static inline void on_end(void *owner, const struct model_end *end)
{
	struct seen *s = owner;

	CHECK(!s->is_paused);
	CHECK_INT(++s->ends, 1);
	s->mem = arena_new();
	s->end = *end;
	s->end.native_stop = arena_keep(s->mem, end->native_stop);
	s->end.message = arena_keep(s->mem, end->message);
	s->end.raw = arena_keep(s->mem, end->raw);
	s->end.state = arena_keep(s->mem, end->state);
	s->end.provider_request_id = arena_keep(s->mem, end->provider_request_id);
	s->end.limits = s->limits;
	for (size_t i = 0; i < end->limit_count && i < COUNT_OF(s->limits); i++)
		s->limits[i] = end->limits[i]; /* kinds are constants */
	s->end.calls = s->calls;
	for (size_t i = 0; i < end->call_count && i < COUNT_OF(s->calls); i++)
		s->calls[i] = (struct model_call){ arena_keep(s->mem, end->calls[i].call_id),
			                           arena_keep(s->mem, end->calls[i].name),
			                           arena_keep(s->mem, end->calls[i].args) };
}

static const struct model_sink fixture_sink = { on_piece, on_end };

static inline void seen_done(struct seen *s)
{
	buf_done(&s->text);
	buf_done(&s->reasoning);
	buf_done(&s->args);
	arena_free(s->mem);
	*s = (struct seen){ 0 };
}

/* ---- the fixture ---- */

struct fixture {
	struct loop *loop;
	struct http_client *http_client;
	struct provider *provider;
};

static const struct model_info fixture_models[] = {
	{ .model = STR("sim-1"),
	  .capabilities = STR("[\"tool_use\"]"),
	  .window_tokens = 8192,
	  .max_output_tokens = 1024 },
};

static inline void fixture_open(struct fixture *r, const char *base_url,
                                const struct http_provider_options *more)
{
	struct http_provider_options o = more ? *more : (struct http_provider_options){ 0 };
	struct error e;

	setenv("THOLE_TEST_KEY", KEY, 1);
	if (!r->loop) {
		r->loop = loop_new();
		r->http_client = http_client_new(&(struct http_client_options){ .loop = r->loop });
	}
	o.loop = r->loop;
	o.http_client = r->http_client;
	if (!o.name.len)
		o.name = STR("sim");
	o.base_url = str_from(base_url);
	if (!o.key_variable.len)
		o.key_variable = STR("THOLE_TEST_KEY");
	o.models = fixture_models;
	o.model_count = COUNT_OF(fixture_models);
	CHECK_OK(http_provider_open(&o, &r->provider, &e), &e);
}

static inline void fixture_close_provider(struct fixture *r)
{
	if (r->provider)
		r->provider->ops->close(r->provider);
	r->provider = NULL;
}

static inline void fixture_close(struct fixture *r)
{
	fixture_close_provider(r);
	http_client_free(r->http_client);
	loop_free(r->loop);
	*r = (struct fixture){ 0 };
}

static inline void fixture_start(struct fixture *r, struct seen *s, const struct model_request *req)
{
	static const struct message hello = { .role = ROLE_USER, .text = STR("hello") };
	struct model_request plain = { .request_id = STR("mreq_7"),
		                       .model = STR("sim-1"),
		                       .messages = &hello,
		                       .message_count = 1,
		                       .trace.parent = STR("00-0af7651916cd43dd8448eb211c80319c-"
		                                           "b7ad6b7169203331-01") };

	s->p = r->provider;
	s->h = r->provider->ops->start(r->provider, req ? req : &plain, &fixture_sink, s);
	CHECK(!s->pieces && !s->ends);
}

/* Turns the loop until it is so. */
#define UNTIL(r, condition)                                                                        \
	for (int64_t until_ = clock_mono_ms() + PATIENCE_MS; !(condition);) {                      \
		if (clock_mono_ms() > until_)                                                      \
			t_fail(__FILE__, __LINE__, "never came: %s", #condition);                  \
		loop_run_once((r)->loop, 50);                                                      \
	}

#endif
