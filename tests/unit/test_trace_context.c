/* W3C trace context: what is accepted from a caller, and what is sent on. */
#include "base/hash/trace_context.h"
#include "base/gen/limits.h"
#include "lib/t.h"

#include <stdio.h>

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

static bool is_taken(const char *text)
{
	struct trace_context c = { .is_sampled = true };

	trace_context_read(str_from(text), STR("a=b"), &c);
	CHECK(str_is(c.trace_id) || (!str_is(c.parent_id) && !str_is(c.state) && !c.is_sampled));
	return str_is(c.trace_id);
}

TEST(parent_flags_and_state_of_the_caller_are_taken)
{
	struct trace_context c;

	trace_context_read(STR(" 00-" TRACE "-" SPAN "-01 "), STR("congo=t61,rojo=00f0"), &c);
	CHECK_STR(c.trace_id, TRACE);
	CHECK_STR(c.parent_id, SPAN);
	CHECK_STR(c.state, "congo=t61,rojo=00f0");
	CHECK(c.is_sampled);
	trace_context_read(STR("00-" TRACE "-" SPAN "-02"), STR_NONE, &c);
	CHECK(str_is(c.trace_id) && !c.is_sampled && !str_is(c.state));
	trace_context_read(STR("00-" TRACE "-" SPAN "-ff"), STR_NONE, &c);
	CHECK(c.is_sampled);
}

TEST(an_invalid_traceparent_is_no_trace)
{
	static const char *const bad[] = {
		"",
		"00",
		"00-" TRACE,
		"00-" TRACE "-" SPAN,
		"00-" TRACE "-" SPAN "-",
		"00-" TRACE "-" SPAN "-0",
		"00-" TRACE "-" SPAN "-0g",
		"00-" TRACE "-" SPAN "-01-more",
		"ff-" TRACE "-" SPAN "-01",
		"0-" TRACE "-" SPAN "-01",
		"00-00000000000000000000000000000000-" SPAN "-01",
		"00-" TRACE "-0000000000000000-01",
		"00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01",
		"00-" TRACE "0-" SPAN "-01",
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		CHECK(!is_taken(bad[i]));
	CHECK(is_taken("00-" TRACE "-" SPAN "-01"));
	CHECK(is_taken("cc-" TRACE "-" SPAN "-01"));            /* a later version, */
	CHECK(is_taken("cc-" TRACE "-" SPAN "-01-what-comes")); /* which may have more */
	CHECK(!is_taken("cc-" TRACE "-" SPAN "-01.what-comes"));
}

TEST(a_state_that_cannot_be_sent_on_is_left_out)
{
	static const char *const bad[] = { "",         ",",         "a",         "a=b,",
		                           "a=b,,c=d", "a=b\nc: d", "a=\xc3\xa9" };
	char longest[LIMIT_TRACE_STATE_BYTES + 2];
	struct trace_context c;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		trace_context_read(STR("00-" TRACE "-" SPAN "-01"), str_from(bad[i]), &c);
		CHECK(str_is(c.trace_id) && !str_is(c.state));
	}
	memset(longest, 'x', sizeof longest);
	longest[1] = '=';
	trace_context_read(STR("00-" TRACE "-" SPAN "-01"),
	                   str_of(longest, LIMIT_TRACE_STATE_BYTES), &c);
	CHECK(str_is(c.state));
	trace_context_read(STR("00-" TRACE "-" SPAN "-01"),
	                   str_of(longest, LIMIT_TRACE_STATE_BYTES + 1), &c);
	CHECK(str_is(c.trace_id) && !str_is(c.state));
}

TEST(a_span_follows_from_trace_and_object)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str span = trace_context_span(mem, STR(TRACE), STR("turn_1"));

	/* printf '%s' TRACEturn_1 | sha256sum */
	CHECK_STR(span, "d073e472f4ede82c");
	CHECK(!str_eq(span, trace_context_span(mem, STR(TRACE), STR("turn_2"))));
	CHECK_STR(trace_context_text(mem, STR(TRACE), STR(SPAN), false),
	          "00-" TRACE "-" SPAN "-00");
	CHECK_STR(trace_context_text(mem, STR(TRACE), STR(SPAN), true), "00-" TRACE "-" SPAN "-01");
}

TEST(the_end_of_a_trace_id_decides_about_a_share)
{
	static const char first[] = "0af7651916cd43dd84";

	CHECK(trace_context_in_share(STR(TRACE), 1));
	CHECK(!trace_context_in_share(STR(TRACE), 0));
	CHECK(trace_context_in_share(STR("0af7651916cd43dd8400000000000000"), 1));
	CHECK(!trace_context_in_share(STR("0af7651916cd43dd847fffffffffffff"), 0.5));
	CHECK(trace_context_in_share(STR("0af7651916cd43dd8480000000000000"), 0.5));
	CHECK(trace_context_in_share(STR("ffffffffffffffffffffffffffffffff"), 0.001));
	CHECK(!trace_context_in_share(STR("ffffffffffffffffffffffffffffffff"), 0));
	/* A smaller share is a part of a larger one. */
	for (unsigned i = 0; i < 256; i++) {
		char id[33];

		snprintf(id, sizeof id, "%s%02x000000000000", first, i);
		CHECK(!trace_context_in_share(str_from(id), 0.25) ||
		      trace_context_in_share(str_from(id), 0.5));
		CHECK(trace_context_in_share(str_from(id), 0.25) == (i >= 192));
	}
}

TEST(variables_of_a_process_name_only_what_there_is)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out[TRACE_CONTEXT_VARIABLES];
	struct trace_headers h = { 0 };

	CHECK_INT(trace_context_variables(mem, h, out, 0), 0);
	h.parent = STR("p");
	CHECK_INT(trace_context_variables(mem, h, out, 0), 1);
	h.state = STR("s=1");
	CHECK_INT(trace_context_variables(mem, h, out, 0), 2);
	CHECK_STR(out[0], "TRACEPARENT=p");
	CHECK_STR(out[1], "TRACESTATE=s=1");
}

TEST_MAIN()
