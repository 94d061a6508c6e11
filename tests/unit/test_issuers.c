/* Keys of an issuer over time: when they are fetched, which requests wait, what is remembered. */
#include "t.h"

#include "base/hash/ed25519.h"
#include "issuer_fixture.h"

static struct ed25519_private private[3];

/* The document with the keys k0 to k<count - 1>. */
static struct str keys_of(struct arena *mem, int count)
{
	struct str all = STR("");

	for (int i = 0; i < count; i++) {
		struct ed25519_public public;
		struct error e;

		memset(private[i].seed, i + 1, sizeof private[i].seed);
		CHECK(ed25519_public_of(&private[i], &public, &e) == OK);
		all = arena_printf(
			mem,
			"%.*s%s{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k%d\",\"x\":"
			"\"%.*s\"}",
			STR_ARG(all), i ? "," : "", i,
			STR_ARG(issuer_fixture_part(
				mem, str_of((char *)public.bytes, sizeof public.bytes))));
	}
	return arena_printf(mem, "{\"keys\":[%.*s]}", STR_ARG(all));
}

/* The second key, under the name k0. */
static struct str replaced_key(struct arena *mem)
{
	struct str all = keys_of(mem, 2);
	char *name = strstr((char *)all.ptr, "\"k1\"");

	name[2] = '0';
	return arena_printf(mem, "{\"keys\":[%s", strstr(all.ptr, ",{") + 1);
}

static struct str token_of(struct issuer_fixture *f, int key, int number)
{
	char kid[8];
	struct ed25519_signature sig;
	struct str covered;
	struct error e;

	snprintf(kid, sizeof kid, "k%d", key);
	covered = issuer_fixture_covered(f, f->mem, "EdDSA", kid, number);
	CHECK(ed25519_sign(&private[key], covered, &sig, &e) == OK);
	return arena_printf(
		f->mem, "%.*s.%.*s", STR_ARG(covered),
		STR_ARG(issuer_fixture_part(f->mem, str_of((char *)sig.bytes, sizeof sig.bytes))));
}

struct waited {
	struct issuers_waiter waiter;
	unsigned *count;
	struct issuer_fixture *f; /* NULL: does not ask once more */
	struct str token;
	enum issuers_answer answer;
};

/* A request asks once more as soon as it is called. */
static void on_done(struct issuers_waiter *waiter)
{
	struct waited *w = OWNER_OF(waiter, struct waited, waiter);

	if (w->f)
		w->answer = issuer_fixture_check(w->f, w->token, NULL);
	++*w->count;
}

/* Asks, and lets fetches run to their ends; the answer after that. */
static enum issuers_answer ask(struct issuer_fixture *f, struct str token)
{
	unsigned done = 0;
	struct waited w = { .waiter.done = on_done, .count = &done, .f = f, .token = token };
	enum issuers_answer a = issuer_fixture_check(f, token, &w.waiter);

	if (a != ISSUERS_WAIT)
		return a;
	while (!done)
		loop_run_once(f->loop, 100);
	return w.answer == ISSUERS_WAIT ? ask(f, token) : w.answer;
}

static void open_with(struct issuer_fixture *f, int keys)
{
	issuer_fixture_open(f);
	f->keys = keys_of(f->mem, keys);
}

TEST(a_new_key_is_fetched_a_minute_after_the_last_fetch)
{
	struct issuer_fixture f;
	struct str second;

	open_with(&f, 1);
	keys_of(f.mem, 2);
	second = token_of(&f, 1, 0);
	CHECK_INT(ask(&f, token_of(&f, 0, 0)), ISSUERS_ACCEPTED);
	CHECK_INT(f.fetches, 1);
	f.keys = keys_of(f.mem, 2);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000 - 1;
	CHECK_INT(ask(&f, second), ISSUERS_UNAVAILABLE);
	CHECK_INT(issuers_retry_s(f.issuers), 1);
	CHECK_INT(f.fetches, 1);
	f.now_ms += 1000;
	CHECK_INT(ask(&f, second), ISSUERS_ACCEPTED);
	CHECK_INT(f.fetches, 2);
	issuer_fixture_close(&f);
}

TEST(unknown_keys_of_others_do_not_refuse_a_new_key)
{
	struct issuer_fixture f;
	struct str second, third;

	open_with(&f, 1);
	keys_of(f.mem, 3);
	second = token_of(&f, 1, 0);
	third = token_of(&f, 2, 0);
	CHECK_INT(ask(&f, third), ISSUERS_REFUSED); /* it waited for this fetch */
	CHECK_INT(f.fetches, 1);
	f.keys = keys_of(f.mem, 2);
	CHECK_INT(ask(&f, second), ISSUERS_UNAVAILABLE);
	CHECK_INT(issuers_retry_s(f.issuers), LIMIT_JWT_FETCH_AGAIN_S);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, third), ISSUERS_REFUSED);
	CHECK_INT(ask(&f, second), ISSUERS_ACCEPTED);
	CHECK_INT(f.fetches, 2);
	issuer_fixture_close(&f);
}

TEST(a_key_that_was_replaced_under_its_name_is_fetched)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	CHECK_INT(ask(&f, token_of(&f, 0, 0)), ISSUERS_ACCEPTED);
	keys_of(f.mem, 2);
	private[0] = private[1];
	token = token_of(&f, 0, 1);
	CHECK_INT(ask(&f, token), ISSUERS_REFUSED);
	CHECK_INT(f.fetches, 1);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token), ISSUERS_REFUSED); /* the same keys */
	CHECK_INT(f.fetches, 2);
	f.keys = replaced_key(f.mem);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	CHECK_INT(f.fetches, 3);
	issuer_fixture_close(&f);
}

TEST(a_failed_fetch_is_repeated_a_minute_later)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	token = token_of(&f, 0, 0);
	f.status = 500;
	CHECK_INT(ask(&f, token), ISSUERS_UNAVAILABLE);
	f.status = 200;
	for (int i = 0; i < 100; i++)
		CHECK_INT(ask(&f, token), ISSUERS_UNAVAILABLE);
	CHECK_INT(f.fetches, 1);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	CHECK_INT(f.fetches, 2);
	issuer_fixture_close(&f);
}

TEST(old_keys_are_renewed_behind_the_caller_and_end_after_a_day)
{
	struct issuer_fixture f;

	open_with(&f, 1);
	CHECK_INT(ask(&f, token_of(&f, 0, 0)), ISSUERS_ACCEPTED);
	f.now_ms += LIMIT_JWT_KEYS_FRESH_S * 1000LL;
	f.status = 500;
	CHECK_INT(issuer_fixture_check(&f, token_of(&f, 0, 1), NULL), ISSUERS_ACCEPTED);
	while (f.fetches < 2)
		loop_run_once(f.loop, 100);
	CHECK_INT(ask(&f, token_of(&f, 0, 2)), ISSUERS_ACCEPTED);
	f.now_ms += LIMIT_JWT_KEYS_VALID_S * 1000LL;
	CHECK_INT(ask(&f, token_of(&f, 0, 3)), ISSUERS_UNAVAILABLE);
	f.status = 200;
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token_of(&f, 0, 4)), ISSUERS_ACCEPTED);
	issuer_fixture_close(&f);
}

TEST(tokens_of_a_withdrawn_key_are_forgotten_with_the_next_fetch)
{
	struct issuer_fixture f;
	struct str first, second;

	open_with(&f, 1);
	first = token_of(&f, 0, 0);
	CHECK_INT(ask(&f, first), ISSUERS_ACCEPTED);
	keys_of(f.mem, 2);
	second = token_of(&f, 1, 0);
	f.keys = arena_printf(f.mem, "{\"keys\":[%s",
	                      strstr(keys_of(f.mem, 2).ptr, ",{") + 1); /* k1 alone */
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, first), ISSUERS_ACCEPTED);
	CHECK_INT(ask(&f, second), ISSUERS_ACCEPTED);
	CHECK_INT(ask(&f, first), ISSUERS_UNAVAILABLE);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, first), ISSUERS_REFUSED);
	issuer_fixture_close(&f);
}

/* A remembered token is not checked again, so its use must renew the keys. */
TEST(a_remembered_token_ends_with_its_key)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	f.life_s = 365LL * 86400;
	token = token_of(&f, 0, 0);
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	keys_of(f.mem, 2);
	f.keys = arena_printf(f.mem, "{\"keys\":[%s",
	                      strstr(keys_of(f.mem, 2).ptr, ",{") + 1); /* k1 alone */
	f.now_ms += LIMIT_JWT_KEYS_FRESH_S * 1000LL;
	CHECK_INT(issuer_fixture_check(&f, token, NULL), ISSUERS_ACCEPTED);
	for (int i = 0; i < 1000 && f.fetches < 2; i++)
		loop_run_once(f.loop, 100);
	CHECK_INT(f.fetches, 2);
	for (int i = 0; i < 1000 && issuer_fixture_check(&f, token, NULL) == ISSUERS_ACCEPTED; i++)
		loop_run_once(f.loop, 100);
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token), ISSUERS_REFUSED);
	issuer_fixture_close(&f);
}

TEST(a_remembered_token_is_not_known_for_longer_than_keys_are)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	f.life_s = 365LL * 86400;
	token = token_of(&f, 0, 0);
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	f.status = 500;
	f.now_ms += LIMIT_JWT_KEYS_VALID_S * 1000LL;
	CHECK_INT(ask(&f, token), ISSUERS_UNAVAILABLE);
	f.status = 200;
	f.now_ms += LIMIT_JWT_FETCH_AGAIN_S * 1000;
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	CHECK_INT(f.admitted, 2);
	issuer_fixture_close(&f);
}

TEST(a_token_is_known_until_it_expires_and_checked_once)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	token = token_of(&f, 0, 0);
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	for (int i = 0; i < 1000; i++)
		CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	CHECK_INT(f.admitted, 1);
	f.now_ms += (3600 + LIMIT_JWT_LEEWAY_S) * 1000 - 1;
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	f.now_ms += 1000;
	CHECK_INT(ask(&f, token), ISSUERS_REFUSED);
	issuer_fixture_close(&f);
}

TEST(a_bearer_without_a_scope_takes_no_place)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	CHECK_INT(ask(&f, token_of(&f, 0, 0)), ISSUERS_ACCEPTED);
	f.scope = "openid other";
	for (int i = 0; i < 3000; i++)
		CHECK_INT(ask(&f, token_of(&f, 0, i)), ISSUERS_NO_SCOPE);
	token = token_of(&f, 0, 7);
	CHECK_INT(ask(&f, token), ISSUERS_NO_SCOPE);
	CHECK_INT(ask(&f, token), ISSUERS_NO_SCOPE);
	CHECK_INT(f.admitted, 1);
	issuer_fixture_close(&f);
}

TEST(a_bearer_without_a_place_has_an_answer_of_its_own)
{
	struct issuer_fixture f;
	struct str token;

	open_with(&f, 1);
	f.is_full = true;
	token = token_of(&f, 0, 0);
	CHECK_INT(ask(&f, token), ISSUERS_FULL);
	f.is_full = false;
	CHECK_INT(ask(&f, token), ISSUERS_ACCEPTED);
	issuer_fixture_close(&f);
}

TEST(more_tokens_than_places_are_all_accepted)
{
	struct issuer_fixture f;
	struct str last = STR_NONE;

	open_with(&f, 1);
	for (int i = 0; i < 3 * LIMIT_JWT_REMEMBERED / 2; i++) {
		last = token_of(&f, 0, i);
		CHECK_INT(ask(&f, last), ISSUERS_ACCEPTED);
	}
	CHECK_INT(f.fetches, 1);
	CHECK_INT(ask(&f, last), ISSUERS_ACCEPTED);
	CHECK_INT(f.admitted, 3 * LIMIT_JWT_REMEMBERED / 2);
	issuer_fixture_close(&f);
}

TEST(so_many_requests_wait_and_one_that_leaves_makes_room)
{
	struct issuer_fixture f;
	struct waited w[LIMIT_JWT_WAITING + 1];
	unsigned done = 0;
	struct str token;

	open_with(&f, 1);
	token = token_of(&f, 0, 0);
	for (int i = 0; i <= LIMIT_JWT_WAITING; i++) {
		w[i] = (struct waited){ .waiter.done = on_done, .count = &done };
		CHECK_INT(issuer_fixture_check(&f, token, &w[i].waiter),
		          i < LIMIT_JWT_WAITING ? ISSUERS_WAIT : ISSUERS_UNAVAILABLE);
	}
	issuers_forget(&w[7].waiter);
	CHECK_INT(issuer_fixture_check(&f, token, &w[7].waiter), ISSUERS_WAIT);
	issuers_forget(&w[9].waiter);
	while (done < LIMIT_JWT_WAITING - 1)
		loop_run_once(f.loop, 100);
	CHECK_INT(f.fetches, 1);
	CHECK_INT(issuer_fixture_check(&f, token, NULL), ISSUERS_ACCEPTED);
	issuer_fixture_close(&f);
}

TEST(a_fetch_that_is_under_way_ends_with_the_runtime)
{
	struct issuer_fixture f;

	open_with(&f, 1);
	CHECK_INT(issuer_fixture_check(&f, token_of(&f, 0, 0), NULL), ISSUERS_WAIT);
	issuer_fixture_close(&f);
}

TEST_MAIN()
