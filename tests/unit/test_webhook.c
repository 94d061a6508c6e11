/* Signatures of webhooks against known values, and what deliveries say about themselves. */
#include "t.h"

#include "base/arena.h"
#include "webhook/webhook_delivery.h"

/* The example of the specification of Standard Webhooks. */
#define SECRET "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define ID "msg_p5jXN8AQM9LWM0D4loKWxJek"
#define BODY "{\"test\": 2432232314}"
#define AT 1614265330
#define SIGNATURE "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

static const char *check(enum webhook_scheme scheme, const char *secret, struct webhook_signed d,
                         int64_t now_s)
{
	struct webhook_secrets secrets = { str_from(secret), STR_NONE };

	return webhook_signature_check(scheme, &secrets, &d, now_s);
}

TEST(the_example_of_standard_webhooks_is_signed_and_taken)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct webhook_secrets one = { STR(SECRET), STR_NONE }, two = { STR("new"), STR(SECRET) };
	struct webhook_signed d = { STR(ID), STR("1614265330"), STR(SIGNATURE), STR(BODY) };

	webhook_signature_write(&out, &one, STR(ID), AT, STR(BODY));
	CHECK_STR(buf_str(&out), SIGNATURE);
	CHECK(!check(WEBHOOK_STANDARD, SECRET, d, AT));
	CHECK(!check(WEBHOOK_STANDARD, SECRET, d, AT + 300));
	CHECK(check(WEBHOOK_STANDARD, SECRET, d, AT + 301) != NULL);
	CHECK(check(WEBHOOK_STANDARD, SECRET, d, AT - 301) != NULL);
	CHECK(check(WEBHOOK_STANDARD, "whsec_AAAA", d, AT) != NULL);
	CHECK(!webhook_signature_check(WEBHOOK_STANDARD, &two, &d, AT));
	d.body = STR(BODY " ");
	CHECK(check(WEBHOOK_STANDARD, SECRET, d, AT) != NULL);
	d.signature = STR_NONE;
	CHECK(check(WEBHOOK_STANDARD, SECRET, d, AT) != NULL);
}

/* The example of GitHub's documentation. */
TEST(the_example_of_github_is_taken)
{
	struct webhook_signed d = {
		.signature = STR(
			"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
		.body = STR("Hello, World!")
	};

	CHECK(!check(WEBHOOK_GITHUB, "It's a Secret to Everybody", d, 0));
	CHECK(check(WEBHOOK_GITHUB, "It's another secret", d, 0) != NULL);
	d.signature = STR("sha256=");
	CHECK(check(WEBHOOK_GITHUB, "It's a Secret to Everybody", d, 0) != NULL);
}

TEST(a_bearer_token_is_compared_whole)
{
	struct webhook_signed d = { .signature = STR("Bearer abc"), .body = STR("") };

	CHECK(!check(WEBHOOK_BEARER, "abc", d, 0));
	CHECK(check(WEBHOOK_BEARER, "abcd", d, 0) != NULL);
	d.signature = STR("abc");
	CHECK(check(WEBHOOK_BEARER, "abc", d, 0) != NULL);
}

TEST(secrets_that_can_be_guessed_are_refused)
{
	CHECK(!webhook_signature_fault(WEBHOOK_STANDARD, STR(SECRET)));
	CHECK(webhook_signature_fault(WEBHOOK_STANDARD, STR("whsec_")) != NULL);
	CHECK(webhook_signature_fault(WEBHOOK_STANDARD, STR("whsec_%%%")) != NULL);
	CHECK(webhook_signature_fault(WEBHOOK_STANDARD, STR("whsec_AAAA")) != NULL);
	CHECK(webhook_signature_fault(WEBHOOK_GITHUB, STR(" ")) != NULL);
	CHECK(webhook_signature_fault(WEBHOOK_GITHUB, STR("short")) != NULL);
	CHECK(webhook_signature_fault(WEBHOOK_GITHUB, STR("long enough to be one\n")) != NULL);
	CHECK(!webhook_signature_fault(WEBHOOK_GITHUB, STR("It's a Secret to Everybody")));
}

/* A header that is not signed neither changes the key nor the type. */
TEST(what_is_signed_decides)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct webhook_headers h = { .webhook_id = STR("msg_1"),
		                     .ce_id = STR("other"),
		                     .ce_type = STR("push"),
		                     .ce_source = STR("/s"),
		                     .ce_specversion = STR("1.0"),
		                     .content_type = STR("application/cloudevents+json") };
	struct webhook_delivery d, again;

	CHECK(!webhook_delivery_read(mem, WEBHOOK_STANDARD, &h, STR("{\"type\":\"real\"}"), &d));
	CHECK_STR(d.key, "msg_1");
	CHECK_STR(d.type, "real");
	CHECK(!webhook_delivery_read(mem, WEBHOOK_SLACK, &h, STR("{\"event_id\":\"Ev1\"}"), &d));
	CHECK_STR(d.key, "Ev1");
	h = (struct webhook_headers){ .github_delivery = STR("1"), .github_event = STR("push") };
	CHECK(!webhook_delivery_read(mem, WEBHOOK_GITHUB, &h, STR("{}"), &d));
	h.github_delivery = STR("2");
	CHECK(!webhook_delivery_read(mem, WEBHOOK_GITHUB, &h, STR("{}"), &again));
	CHECK_SAME(again.key, d.key);
	CHECK(!webhook_delivery_read(mem, WEBHOOK_GITHUB, &h, STR("{\"zen\":\"x\"}"), &d) &&
	      d.is_test);
}

TEST(deliveries_say_what_they_are)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct webhook_headers h = { .webhook_id = STR("msg_1") };
	struct webhook_delivery d;

	CHECK(!webhook_delivery_read(mem, WEBHOOK_STANDARD, &h, STR("{\"type\":\"a.b\"}"), &d));
	CHECK_STR(d.type, "a.b");
	CHECK(!webhook_delivery_read(mem, WEBHOOK_STANDARD, &h, STR("no JSON"), &d));
	CHECK_STR(d.id, "msg_1");
	h = (struct webhook_headers){ .webhook_id = STR("a\nb") };
	CHECK(webhook_delivery_read(mem, WEBHOOK_STANDARD, &h, STR("{}"), &d) != NULL);
	h = (struct webhook_headers){ .github_delivery = STR("1"), .github_event = STR("ping") };
	CHECK(!webhook_delivery_read(mem, WEBHOOK_GITHUB, &h, STR("{}"), &d) && d.is_test);
	h = (struct webhook_headers){ .content_type =
		                              STR("Application/CloudEvents+JSON; charset=utf-8") };
	CHECK(!webhook_delivery_read(
		mem, WEBHOOK_BEARER, &h,
		STR("{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"}"),
		&d));
	CHECK_STR(d.key, "2:/s 1");
	CHECK(webhook_delivery_read(mem, WEBHOOK_BEARER, &h, STR("[]"), &d) != NULL);
	CHECK(webhook_delivery_read(mem, WEBHOOK_SLACK, &(struct webhook_headers){ 0 },
	                            STR("{\"type\":\"url_verification\"}"), &d) != NULL);
}

TEST_MAIN()
