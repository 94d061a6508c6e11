/* Requests that are cancelled, paused or closed. */
#include "test_scripted_fixture.h"

#define STEADY "{\"text\":\"a b c d e\",\"firstDelayMs\":30,\"delayMs\":10}"
#define RUSH "{\"text\":\"a b c d e\"}"

TEST(a_request_can_be_cancelled_at_every_moment)
{
	/* pieces come at 30, 40, 50, 60 and 70 ms */
	for (int64_t at_ms = 0; at_ms < 70; at_ms += 5) {
		RIG(r, ALWAYS(STEADY));
		ANSWER(a);
		response_start(&a, &r);
		fake_pass(&r.clock, at_ms);

		size_t pieces = a.pieces;

		CHECK_INT(pieces, at_ms < 30 ? 0 : 1 + (at_ms - 30) / 10);
		r.p->ops->cancel(r.p, a.h);
		CHECK(fake_is_idle(&r.clock));
		fake_pass(&r.clock, 1000);
		CHECK(!a.is_ended && a.pieces == pieces);
	}
}

TEST(a_request_can_be_cancelled_in_any_callback)
{
	for (size_t in = 1; in <= 5; in++) {
		RIG(slow, ALWAYS(STEADY));
		RIG(fast, ALWAYS(RUSH));
		ANSWER(a);
		ANSWER(b);

		a.cancel_in = b.cancel_in = in;
		response_start(&a, &slow);
		response_start(&b, &fast);
		fake_run(&slow.clock);
		fake_run(&fast.clock);
		CHECK(!a.is_ended && a.pieces == in && !b.is_ended && b.pieces == in);
	}
}

TEST(a_pause_keeps_what_was_left_of_a_delay)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	response_start(&a, &r);
	fake_pass(&r.clock, 20);
	r.p->ops->pause(r.p, a.h);
	r.p->ops->pause(r.p, a.h);
	CHECK(fake_is_idle(&r.clock));
	fake_pass(&r.clock, 1000);
	CHECK_INT(a.pieces, 0);
	r.p->ops->resume(r.p, a.h);
	r.p->ops->resume(r.p, a.h);
	fake_pass(&r.clock, 13); /* the first at 10 */
	CHECK_INT(a.pieces, 1);
	r.p->ops->pause(r.p, a.h);
	fake_pass(&r.clock, 500);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&a.trace), "1030 0 a |1540 0 b |1550 0 c |1560 0 d |1570 0 e|1570 end");
}

TEST(a_pause_in_a_callback_holds_the_next_piece)
{
	RIG(r, ALWAYS(RUSH));
	ANSWER(a);

	a.pause_in = 2;
	response_start(&a, &r);
	fake_run(&r.clock);
	CHECK_INT(a.pieces, 2);
	fake_pass(&r.clock, 100);
	r.p->ops->resume(r.p, a.h);
	CHECK_INT(a.pieces, 2); /* not from inside resume */
	fake_run(&r.clock);
	CHECK(a.pieces == 5 && a.is_ended && a.end_ms == 100);
}

TEST(a_pause_in_the_last_piece_holds_the_end)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	a.pause_in = 5;
	response_start(&a, &r);
	fake_pass(&r.clock, 1000);
	CHECK(a.pieces == 5 && !a.is_ended);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK(a.is_ended && a.end_ms == 1000);
}

TEST(pause_and_resume_in_one_callback_change_nothing)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	a.pause_in = a.resume_in = 3;
	response_start(&a, &r);
	fake_run(&r.clock);
	CHECK(a.is_ended && a.end_ms == 70 && a.pieces == 5);
}

TEST(a_paused_request_can_be_cancelled)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	response_start(&a, &r);
	r.p->ops->pause(r.p, a.h);
	r.p->ops->cancel(r.p, a.h);
	fake_run(&r.clock);
	CHECK(!a.is_ended && !a.pieces);
}

TEST(closing_drops_what_runs)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);
	ANSWER(b);

	response_start(&a, &r);
	response_start(&b, &r);
	fake_pass(&r.clock, 40);
	fixture_close(&r);
	fake_pass(&r.clock, 1000);
	CHECK(!a.is_ended && a.pieces == 2 && !b.is_ended && b.pieces == 2);
}

TEST(a_callback_may_close_the_provider)
{
	RIG(r, ALWAYS(RUSH));
	ANSWER(a);

	r.t->ops->close(r.t); /* so that the script itself is freed too */
	r.t = NULL;
	a.close_in = 3;
	response_start(&a, &r);
	fake_run(&r.clock);
	CHECK(!a.is_ended && a.pieces == 3);
}

TEST(many_requests_run_side_by_side)
{
	RIG(r, ALWAYS(STEADY));
	struct response a[50] = { 0 };

	for (size_t i = 0; i < COUNT_OF(a); i++) {
		response_start(&a[i], &r);
		fake_pass(&r.clock, 3);
	}
	fake_run(&r.clock);
	for (size_t i = 0; i < COUNT_OF(a); i++) {
		CHECK(a[i].is_ended && a[i].end_ms == 70);
		response_done(&a[i]);
	}
}

TEST(the_same_script_gives_the_same_run)
{
	static const char *const texts[] = { "hello", "long", "approve", "question", "retry" };
	struct buf runs[2] = { { 0 }, { 0 } };

	for (size_t i = 0; i < 2; i++) {
		RIG(r, STR_NONE);
		for (size_t j = 0; j < COUNT_OF(texts); j++) {
			ANSWER(a);
			ask(&a, &r, texts[j]);
			buf_add_str(&runs[i], buf_str(&a.trace));
		}
	}
	CHECK(runs[0].len > 1000 && str_eq(buf_str(&runs[0]), buf_str(&runs[1])));
	buf_done(&runs[0]);
	buf_done(&runs[1]);
}

TEST_MAIN()
