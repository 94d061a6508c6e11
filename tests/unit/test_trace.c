/* The trace of a new turn: of its caller, of what made it, or its own by the ratio. */
#include "base/hash/trace_context.h"
#include "core/session/trace.h"
#include "task_fixture.h"

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

static struct settings_config config;

/* What the first turn of a session says about its trace. */
static const struct event *submitted(struct bench *b, struct trace_context caller, double ratio)
{
	struct command_call call = {
		.command = COMMAND_SUBMIT_TURN,
		.caller = { .principal = STR("owner"), .via = STR("test"), .trace = caller },
		.request_id = STR("req_1"),
		.body_hash = STR("00")
	};
	struct cmd_submit_turn args = { .session_id = STR("sess_1"), .input = STR("\"hello\"") };
	struct decision *d;

	bench_init(b, 1);
	config = settings_config_defaults;
	config.trace = ratio >= 0;
	config.telemetry_sample_ratio = ratio;
	config.has_telemetry_sample_ratio = ratio >= 0 && ratio < 1;
	b->settings.config = &config;
	d = begin(b, &call);
	decide_command(d, COMMAND_SUBMIT_TURN, &args);
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_TURN_SUBMITTED)
			return d->events[i];
	WRONG("there is no turn");
	return NULL;
}

static const struct rec_trace_caller *origin(const struct event *ev)
{
	return ((const struct ev_turn_submitted *)ev->payload)->trace;
}

TEST(without_tracing_an_event_names_no_trace)
{
	struct trace_context caller = { STR(TRACE), STR(SPAN), STR_NONE, true };
	struct bench b;
	const struct event *ev = submitted(&b, caller, -1);

	CHECK(!str_is(ev->trace_id) && !str_is(ev->span_id) && !origin(ev));
	bench_done(&b);
}

TEST(a_trace_of_its_own_is_sent_unless_the_ratio_says_otherwise)
{
	struct trace_context none = { 0 };
	struct bench b;
	const struct event *ev = submitted(&b, none, 1);

	CHECK(ev->trace_id.len == 32 && ev->span_id.len == 16 && !origin(ev));
	bench_done(&b);
	for (int i = 0; i <= 9; i++) {
		ev = submitted(&b, none, i / 10.0);
		CHECK(origin(ev) && !str_is(origin(ev)->span_id));
		CHECK(origin(ev)->sampled == trace_context_in_share(ev->trace_id, i / 10.0));
		bench_done(&b);
	}
}

TEST(the_caller_decides_before_the_ratio)
{
	struct trace_context caller = { STR(TRACE), STR(SPAN), STR("a=b"), true };
	struct bench b;

	for (int i = 0; i < 2; i++) {
		const struct event *ev;

		caller.is_sampled = i;
		ev = submitted(&b, caller, 1 - i);
		CHECK_STR(ev->trace_id, TRACE);
		CHECK_STR(origin(ev)->span_id, SPAN);
		CHECK_STR(origin(ev)->state, "a=b");
		CHECK(origin(ev)->sampled == caller.is_sampled);
		bench_done(&b);
	}
}

TEST(what_makes_a_turn_is_its_parent_unless_a_caller_is)
{
	struct st_turn t = { .trace_id = STR(TRACE), .trace_unsampled = true };
	struct trace_start start;
	struct decision *d;
	struct bench b;

	(void)submitted(&b, (struct trace_context){ 0 }, 1);
	d = begin(&b, NULL);
	trace_set_cause(d, NULL, STR("tool_1"));
	CHECK(!str_is(d->cause.trace_id));
	trace_set_cause(d, &t, STR("tool_1"));
	trace_set_cause(d, &t, STR("turn_1")); /* the first one counts */
	trace_begin(d, STR("turn_2"), &start);
	CHECK_STR(start.trace_id, TRACE);
	CHECK_SAME(start.origin->span_id, trace_context_span(b.mem, STR(TRACE), STR("tool_1")));
	CHECK(!start.origin->sampled);
	bench_done(&b);
}

TEST_MAIN()
