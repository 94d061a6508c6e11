#include "text/redact.h"

#include "lib/t.h"

#define GITHUB "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
#define KNOWN "correct-horse-battery"

static void gather(void *arg, struct str clean)
{
	buf_add_str(arg, clean);
}

/* Fed in pieces of so many bytes. */
static struct str fed(struct scrub *s, struct arena *mem, const char *text, size_t step)
{
	struct scrub_stream st = { 0 };
	struct buf out = { 0 };
	struct str rest = str_from(text), clean;

	while (rest.len) {
		size_t n = MIN(step, rest.len);

		redact_feed(s, &st, str_head(rest, n), false, gather, &out);
		rest = str_skip(rest, n);
	}
	redact_feed(s, &st, STR(""), true, gather, &out);
	clean = arena_keep(mem, buf_str(&out));
	redact_stream_done(&st);
	buf_done(&out);
	return clean;
}

static void check(struct scrub *s, const char *text, const char *expected)
{
	struct arena *mem = arena_new();

	CHECK_SAME(redact_text(s, mem, str_from(text), NULL), str_from(expected));
	for (size_t step = 1; step <= strlen(text) + 1; step++)
		CHECK_SAME(fed(s, mem, text, step), str_from(expected));
	arena_free(mem);
}

TEST(shapes_that_everybody_has_to_fear_are_taken_out_however_the_text_is_cut)
{
	struct scrub *s = redact_new();

	check(s, "key " GITHUB "\n", "key [redacted]\n");
	check(s, GITHUB, "[redacted]");
	check(s, "AWS=AKIAABCDEFGHIJKLMNOP;", "AWS=[redacted];");
	check(s, "a sk-proj-0123456789abcdefghijKLMN_-x b", "a [redacted] b");
	check(s, "x AIzaSyA0123456789abcdefghijklmnopqrstuv y", "x [redacted] y");
	check(s, "xoxb-1234567890-abcdefghij", "[redacted]");
	check(s, "t eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijklmnop_QRS.",
	      "t [redacted].");
	check(s,
	      "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xf\nabc\n-----END RSA "
	      "PRIVATE KEY-----\nafter",
	      "[redacted]\nafter");
	/* cut off, as in a preview: as text and as JSON */
	check(s,
	      "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xf\nMIIEowIBAAKCAQEA0Z3VS5",
	      "[redacted]");
	check(s,
	      "{\"a\":\"-----BEGIN PRIVATE KEY-----\\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xf\\nMIIEowIBAAKC"
	      "AQEA0Z3VS5\",\"b\":1}",
	      "{\"a\":\"[redacted]\",\"b\":1}");
	check(s, "A file begins with -----BEGIN PRIVATE KEY----- and then has lines.",
	      "A file begins with -----BEGIN PRIVATE KEY----- and then has lines.");
	redact_free(s);
}

TEST(what_only_looks_a_little_like_it_stays)
{
	struct scrub *s = redact_new();
	static const char *const harmless[] = {
		"task-list and ask-me-anything-you-want-to-know-about-it",
		"sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"xsk-0123456789abcdefghijklmnop",
		"AKIAABCDEFGHIJKLMNOPQ",
		"ghp_tooshort",
		("-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xf\n-----END "
		 "CERTIFICATE-----"),
		"-----BEGIN PRIVATE KEY----- is how it begins",
		"eyJhbGciOiJIUzI1NiJ9 alone",
		"s",
		"sk",
		"sk-",
		"gh",
		"-----",
		"A",
		"",
	};

	for (size_t i = 0; i < COUNT_OF(harmless); i++)
		check(s, harmless[i], harmless[i]);
	redact_free(s);
}

TEST(known_values_are_taken_out_wherever_they_stand)
{
	struct scrub *s = redact_new();

	redact_know(s, STR(KNOWN));
	redact_know(s, STR("correct-horse")); /* the longer one counts */
	redact_know(s, STR("short"));
	check(s, "pass" KNOWN "word and " KNOWN KNOWN " short",
	      "pass[redacted]word and [redacted][redacted] short");
	check(s, "correct-horse-battle", "[redacted]-battle");
	check(s, "correct-hors", "correct-hors");
	check(s, "correct-correct-horse-battery", "correct-[redacted]");
	check(s, "a " KNOWN KNOWN "-" KNOWN "x", "a [redacted][redacted]-[redacted]x");
	check(s, KNOWN GITHUB, "[redacted]" GITHUB); /* it is not the beginning of a word there */
	redact_free(s);
}

TEST(known_values_are_taken_out_of_json_too)
{
	struct scrub *s = redact_new();

	redact_know(s, STR("tasman\"dev\\il-9931"));
	check(s, "x tasman\"dev\\il-9931 y", "x [redacted] y");
	check(s, "{\"a\":\"tasman\\\"dev\\\\il-9931\"}", "{\"a\":\"[redacted]\"}");
	redact_forget(s, STR("tasman\"dev\\il-9931"));
	check(s, "{\"a\":\"tasman\\\"dev\\\\il-9931\"}", "{\"a\":\"tasman\\\"dev\\\\il-9931\"}");
	redact_free(s);
}

static void check_whole(struct scrub *s, const char *text, const char *want)
{
	struct arena *mem = arena_new();
	struct str got = redact_text(s, mem, str_from(text), NULL);

	CHECK(str_eq(got, str_from(want)));
	arena_free(mem);
}

/* A preview ends with the mark of a cut, which leaves the first part of a secret in front of it. */
TEST(the_beginning_of_a_secret_in_front_of_a_cut_is_taken_out)
{
	struct scrub *s = redact_new();

	redact_know(s, STR(KNOWN));
	check_whole(s, "key sk-abcdefgh12…", "key [redacted]…");
	check_whole(s, "{\"a\":\"use ghp_0123456789abcdef…\",\"b\":\"…\"}",
	            "{\"a\":\"use [redacted]…\",\"b\":\"…\"}");
	check_whole(s, "it is correct-ho…", "it is [redacted]…");
	/* Other characters begin with the same byte as the mark. */
	check_whole(s, "– “it” – is correct-ho…", "– “it” – is [redacted]…");
	check_whole(s, "AKIAABCDEFGH…and eyJhbGciOiJIUzI1NiIs…", "[redacted]…and [redacted]…");
	/* Names of keys, the ends of words, and what something else follows. */
	check_whole(s, "set sk-… or sk-ant-…", "set sk-… or sk-ant-…");
	check_whole(s, "correct…", "correct…");
	check_whole(s, "a task-force-of-many…", "a task-force-of-many…");
	check_whole(s, "sk-abcdefgh12 is short…", "sk-abcdefgh12 is short…");
	check_whole(s, "sk-abcdefgh12", "sk-abcdefgh12");
	redact_free(s);
}

TEST(thousands_of_cuts_are_looked_at)
{
	struct scrub *s = redact_new();
	struct arena *mem = arena_new();
	struct buf text = { 0 };
	struct scrub_stream counts = { 0 };

	for (int i = 0; i < 4000; i++)
		buf_printf(&text, "some words and ghp_%010d… more of them\n", i);
	redact_text(s, mem, buf_str(&text), &counts);
	CHECK_INT((int64_t)counts.total, 4000);
	buf_done(&text);
	arena_free(mem);
	redact_free(s);
}

/* Secrets without a holder give way, the one that was seen longest ago first. */
TEST(the_newest_secrets_are_known_however_many_there_were)
{
	struct scrub *s = redact_new();
	char text[32];

	redact_know(s, STR("held-secret"));
	redact_know(s, STR("held-secret"));
	for (int i = 0; i < SCRUB_KNOWN_MAX + 4; i++) {
		snprintf(text, sizeof text, "noted-secret-%04d", i);
		redact_note(s, str_from(text));
		redact_note(s, STR("seen-again"));
		check(s, text, "[redacted]");
	}
	check(s, "held-secret seen-again", "[redacted] [redacted]");
	check(s, "noted-secret-0000", "noted-secret-0000");
	redact_forget(s, STR("held-secret"));
	check(s, "held-secret", "[redacted]");
	redact_forget(s, STR("held-secret"));
	check(s, "held-secret", "held-secret");
	redact_free(s);
}

TEST(a_known_value_around_a_shape_wins_when_it_begins_first)
{
	struct scrub *s = redact_new();

	redact_know(s, STR("begin " GITHUB " end of it"));
	check(s, "begin " GITHUB " end of it.", "[redacted].");
	check(s, "begin " GITHUB " another end", "begin [redacted] another end");
	redact_free(s);
}

TEST(patterns_of_the_operator_count_for_themselves)
{
	struct scrub *s = redact_new();
	struct scrub_stream n = { 0 };
	struct arena *mem = arena_new();
	const struct scrub_rule *rules;
	struct error e;
	size_t count;

	CHECK_OK(redact_add(s, STR("ticket"), STR("TICKET-[0-9]{4}(?![0-9])"), &e), &e);
	check(s, "see TICKET-1234 and TICKET-12345", "see [redacted] and TICKET-12345");
	CHECK_SAME(redact_text(s, mem, STR("TICKET-1111 TICKET-2222 " GITHUB), &n),
	           STR("[redacted] [redacted] [redacted]"));
	CHECK_INT(n.total, 3);
	count = redact_rules(s, &rules);
	for (size_t i = 0; i < count; i++) {
		CHECK_INT(rules[i].is_policy, str_eq(rules[i].name, STR("ticket")));
		CHECK_INT(n.counts[i], str_eq(rules[i].name, STR("ticket"))         ? 2
		                       : str_eq(rules[i].name, STR("github_token")) ? 1
		                                                                    : 0);
	}
	arena_free(mem);
	redact_free(s);
}

TEST(patterns_that_cannot_be_used_are_refused)
{
	struct scrub *s = redact_new();
	struct error e;

	CHECK_INT(redact_add(s, STR("x"), STR("("), &e), ERR_INVALID);
	CHECK_INT(redact_add(s, STR("x"), STR("a*"), &e), ERR_INVALID);
	CHECK_INT(redact_add(s, STR("x"), STR("\\C"), &e), ERR_INVALID);
	check(s, "aaa (", "aaa (");
	redact_free(s);
}

TEST(a_pattern_that_takes_too_long_takes_the_piece_with_it)
{
	struct scrub *s = redact_new();
	struct arena *mem = arena_new();
	struct scrub_stream n = { 0 };
	struct error e;

	CHECK_OK(redact_add(s, STR("slow"), STR("(?:a+)+[^a]{2}"), &e), &e);
	CHECK_SAME(
		redact_text(s, mem, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"), &n),
		STR("[redacted]"));
	CHECK_INT(n.counts[1], 1);
	arena_free(mem);
	redact_free(s);
}

TEST(a_word_that_stops_can_be_seen_to_its_end_and_a_secret_cannot)
{
	struct scrub *s = redact_new();
	struct scrub_stream st = { 0 };
	struct buf out = { 0 };

	redact_know(s, STR("d0123456789abcdef"));
	redact_feed(s, &st, STR("a word"), false, gather, &out);
	CHECK_SAME(buf_str(&out), STR("a wor"));
	CHECK_SAME(redact_glimpse(&st), STR("d"));
	redact_feed(s, &st, STR("0123456"), false, gather, &out);
	CHECK_SAME(redact_glimpse(&st), STR(""));
	redact_feed(s, &st, STR("789abcdef!"), true, gather, &out);
	CHECK_SAME(buf_str(&out), STR("a wor[redacted]!"));
	buf_done(&out);
	redact_stream_done(&st);
	redact_free(s);
}

TEST(not_more_than_a_bound_is_ever_held_back)
{
	struct scrub *s = redact_new();
	struct scrub_stream st = { 0 };
	struct buf out = { 0 };
	struct error e;

	CHECK_OK(redact_add(s, STR("greedy"), STR("<[a-z]+>"), &e), &e);
	redact_feed(s, &st, STR("<"), false, gather, &out);
	for (int i = 0; i < 100; i++) {
		static char many[1000];

		memset(many, 'x', sizeof many);
		redact_feed(s, &st, str_of(many, sizeof many), false, gather, &out);
		CHECK(st.held.len <= SCRUB_HELD_MAX + 1);
	}
	redact_feed(s, &st, STR(""), true, gather, &out);
	CHECK_INT(out.len, 100001);
	buf_done(&out);
	redact_stream_done(&st);
	redact_free(s);
}

TEST_MAIN()
