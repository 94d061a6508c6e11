/*
 * A login against servers of arbitrary bytes.  The bytes are records of a status (two bytes), a
 * length (two bytes) and a body: each answers one request of the login, and where a person is asked
 * it is what the browser brings back.  The same bytes are read as a challenge.
 */
#include "mcp/login/login_flow.h"
#include "mcp/login/login_url.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define REDIRECT "http://127.0.0.1:9/callback"

/* What is sent can be sent: an address without line breaks that may carry a credential. */
static void check_request(const struct login_request *r)
{
	struct login_url u;

	MUST(login_url_split(r->url, &u) && login_url_is_secure(r->url));
	MUST(!str_is(r->authorization) || str_find_char(r->authorization, '\n') < 0);
}

static void check_end(const struct login_flow *f)
{
	struct login_result r;

	login_flow_result(f, &r);
	MUST(login_flow_state(f) != LOGIN_FAILED || login_flow_error(f).len);
	MUST(login_flow_state(f) != LOGIN_ASKING || login_flow_url(f).len <= 6000);
	if (login_flow_state(f) != LOGIN_DONE)
		return;
	MUST(r.tokens.access.len && r.tokens.access.len <= LOGIN_TOKEN_MAX);
	MUST(str_find_char(r.tokens.access, '\n') < 0 && str_find_char(r.tokens.access, ' ') < 0);
}

static void answer(struct login_flow *f, int status, struct str body)
{
	struct login_request r;
	struct error e;

	if (login_flow_request(f, &r)) {
		check_request(&r);
		login_flow_response(f, status, body);
	} else if (login_flow_state(f) == LOGIN_ASKING) {
		(void)!login_flow_redirected(f, body, &e);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_options o = { .url = STR("https://tools.example/mcp"),
		                   .self = { .name = STR("Thole"),
		                             .version = STR("1"),
		                             .redirect_uri = STR(REDIRECT) },
		                   .document_url = STR("https://me.example/d"),
		                   .verifier = STR("verifier"),
		                   .state = STR("s") };
	struct login_flow *f;

	login_challenge_read(mem, str_of((const char *)data, size), &o.challenge);
	f = login_flow_new(&o);
	while (size >= 4 && login_flow_state(f) != LOGIN_FAILED) {
		size_t len = MIN((size_t)(data[2] << 8 | data[3]), size - 4);
		char *copy = malloc(len + 1);

		MUST(copy);
		memcpy(copy, data + 4, len);
		answer(f, data[0] << 8 | data[1], str_of(copy, len));
		check_end(f);
		free(copy);
		data += 4 + len;
		size -= 4 + len;
	}
	login_flow_free(f);
	return 0;
}
