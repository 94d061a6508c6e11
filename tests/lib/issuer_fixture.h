#ifndef ISSUER_FIXTURE_H
#define ISSUER_FIXTURE_H
/*
 * An issuer and a runtime that accepts its tokens, on one loop: the keys are a text that the test sets,
 * the clock is the test's, and every bearer is admitted.
 */
#include "base/hash/base64.h"
#include "net/http/http_server.h"
#include "net/listener.h"
#include "serve/auth/issuer_fetch.h"
#include "serve/auth/issuers.h"

#include <stdio.h>
#include <stdlib.h>

struct issuer_fixture {
	struct loop *loop;
	struct http_client *client;
	struct http_server *server;
	struct listener *listener;
	struct arena *mem;
	struct issuer_options options;
	struct issuers_options all;
	struct str audience;
	struct issuers *issuers;
	struct control control;
	struct clock clock;
	struct str keys;        /* the document */
	int status;             /* of replies */
	int64_t now_ms, life_s; /* of tokens: seconds until exp */
	const char *scope;      /* of tokens */
	unsigned fetches, admitted;
	bool is_full; /* no bearer is admitted */
};

static inline void issuer_fixture_request(void *user, struct http_request *req)
{
	struct issuer_fixture *f = user;

	f->fetches++;
	http_reply(req, f->status, NULL, 0, f->keys);
}

static inline void issuer_fixture_accept(void *arg, struct stream *s)
{
	http_server_take(((struct issuer_fixture *)arg)->server, s);
}

static inline bool issuer_fixture_admit(struct control *c, const struct control_bearer *b,
                                        struct caller *ret)
{
	struct issuer_fixture *f = OWNER_OF(c, struct issuer_fixture, control);

	f->admitted++;
	ret->principal = STR("corp:alice");
	ret->token = STR("jwt:corp:x");
	return b->name.len > 5 && !f->is_full;
}

static inline int64_t issuer_fixture_now(struct clock *c)
{
	return OWNER_OF(c, struct issuer_fixture, clock)->now_ms;
}

static inline void issuer_fixture_open(struct issuer_fixture *f)
{
	static const struct http_handler handler = { .on_request = issuer_fixture_request };
	static const struct control_ops control = { .admit = issuer_fixture_admit };
	static const struct clock_ops clock = { .wall_ms = issuer_fixture_now,
		                                .mono_ms = issuer_fixture_now };
	static const struct jwt_claims_scope scopes[] = { { { "read", 4 },
		                                            SCOPE_BIT(SCOPE_READ) } };
	struct error e;

	*f = (struct issuer_fixture){ .loop = loop_new(),
		                      .mem = arena_new(),
		                      .audience = STR("thole"),
		                      .control.ops = &control,
		                      .clock.ops = &clock,
		                      .status = 200,
		                      .now_ms = 1000000000,
		                      .life_s = 3600,
		                      .scope = "openid profile read write" };
	f->client = http_client_new(&(struct http_client_options){ .loop = f->loop });
	f->server = http_server_new(f->loop, NULL, &handler, f);
	if (listener_tcp(f->loop, STR("127.0.0.1:0"), issuer_fixture_accept, f, &f->listener, &e))
		abort();
	f->options = (struct issuer_options){
		.name = STR("corp"),
		.url = STR("https://id.example"),
		.keys_url =
			arena_printf(f->mem, "http://127.0.0.1:%d/", listener_port(f->listener)),
		.algorithms = JWT_ALG_ALL,
		.sessions = SESSION_REACH_OWN,
		.rules = { .issuer = STR("https://id.example"),
		           .audiences = &f->audience,
		           .audience_count = 1,
		           .scopes = scopes,
		           .scope_count = 1,
		           .leeway_s = LIMIT_JWT_LEEWAY_S },
	};
	f->all = (struct issuers_options){ .items = { &f->options },
		                           .count = 1,
		                           .http_client = f->client };
	f->issuers = issuers_new(&f->control, &f->clock, &f->all);
}

static inline void issuer_fixture_close(struct issuer_fixture *f)
{
	issuers_free(f->issuers);
	http_client_free(f->client);
	listener_close(f->listener);
	http_server_free(f->server);
	loop_free(f->loop);
	arena_free(f->mem);
}

/* base64url */
static inline struct str issuer_fixture_part(struct arena *mem, struct str bytes)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	base64_write(&out, bytes);
	for (size_t i = 0; i < out.len; i++)
		out.ptr[i] = out.ptr[i] == '+' ? '-' : out.ptr[i] == '/' ? '_' : out.ptr[i];
	while (out.len && out.ptr[out.len - 1] == '=')
		out.len--;
	return arena_keep(mem, buf_str(&out));
}

/* What the signature of a token of this bearer covers. */
static inline struct str issuer_fixture_covered(struct issuer_fixture *f, struct arena *mem,
                                                const char *alg, const char *kid, int number)
{
	struct str header =
		arena_printf(mem, "{\"alg\":\"%s\",\"kid\":\"%s\",\"typ\":\"at+jwt\"}", alg, kid);
	struct str claims = arena_printf(
		mem,
		"{\"iss\":\"https://id.example\",\"aud\":\"thole\",\"sub\":\"alice\",\"client_id\":"
		"\"8f1c2b0e-53f1-4a8e-9d0e-6b1f0d1f6f10\",\"iat\":%lld,\"exp\":%lld,\"jti\":\"%d\","
		"\"scope\":\"%s\",\"email\":\"alice@corp.example\"}",
		(long long)(f->now_ms / 1000), (long long)(f->now_ms / 1000 + f->life_s), number,
		f->scope);

	return arena_printf(mem, "%.*s.%.*s", STR_ARG(issuer_fixture_part(mem, header)),
	                    STR_ARG(issuer_fixture_part(mem, claims)));
}

static inline enum issuers_answer issuer_fixture_check(struct issuer_fixture *f, struct str token,
                                                       struct issuers_waiter *w)
{
	struct caller caller = { 0 };
	const char *why;

	return issuers_check(f->issuers, token, &caller, &why, w);
}

#endif
