/* The server's clock, from its answers. */
#include "lib/t.h"
#include "store/postgres/nodes/pg_clock.h"

#define AHEAD 1794700000000

/* The server reads its clock `there` ms after the question was sent at `at`; the answer takes `took`. */
static struct pg_clock_answer answer(int64_t at, int64_t there, int64_t took, int64_t ahead)
{
	return (struct pg_clock_answer){ .sent_ms = at,
		                         .received_ms = at + took,
		                         .server_ms = at + there + ahead };
}

TEST(the_first_answer_gives_the_middle)
{
	struct pg_clock_answer a = answer(1000, 5, 10, AHEAD);

	CHECK_INT(pg_clock_first(&a), AHEAD);
}

TEST(the_first_answer_is_never_further_off_than_it_took)
{
	for (int64_t there = 0; there <= 400; there += 40) {
		struct pg_clock_answer a = answer(1000, there, 400, AHEAD);

		CHECK(pg_clock_first(&a) - AHEAD <= 201 && AHEAD - pg_clock_first(&a) <= 201);
	}
}

TEST(an_answer_that_proves_nothing_changes_nothing)
{
	for (int64_t there = 0; there <= 5000; there += 500) {
		struct pg_clock_answer a = answer(1000, there, 5000, AHEAD);

		CHECK_INT(pg_clock_next(AHEAD, &a), AHEAD);
	}
}

TEST(quick_answers_make_a_rough_first_one_exact)
{
	struct pg_clock_answer a = answer(1000, 0, 800, AHEAD);
	int64_t known = pg_clock_first(&a);

	CHECK_INT(known, AHEAD - 400);
	for (int64_t at = 2000; at < 4000; at += 250) {
		a = answer(at, 1, 2, AHEAD);
		known = pg_clock_next(known, &a);
	}
	CHECK(known >= AHEAD - 2 && known <= AHEAD + 2);
}

TEST(a_clock_that_drifts_or_is_set_is_followed)
{
	int64_t known = AHEAD;
	struct pg_clock_answer a;

	for (int64_t drift = 0; drift < 1000; drift++) {
		a = answer(1000 + drift * 250, 1, 3, AHEAD + drift);
		known = pg_clock_next(known, &a);
		CHECK(known - AHEAD - drift <= 4 && AHEAD + drift - known <= 4);
	}
	a = answer(900000, 1, 2, AHEAD - 3600000);
	CHECK_INT(pg_clock_next(known, &a), AHEAD - 3600000 + 2);
	a = answer(900000, 1, 2, AHEAD + 3600000);
	CHECK_INT(pg_clock_next(known, &a), AHEAD + 3600000 - 2);
}

TEST_MAIN()
