/*
 * The ledger of a node that shares its accounts, on a store that answers when the test says so.
 */
#include "lib/t.h"
#include "store/ledger.h"

#include "base/util.h"

/* ---- the store and the clock ---- */

static int64_t now;
static struct clock_timer *timer;
static int64_t due;
static struct store_allotment *open_calls[256], *call; /* under way; the last of them */
static size_t open_count;
static unsigned calls, told;

static int64_t mono(struct clock *c)
{
	return now;
}

static void timer_start(struct clock *c, struct clock_timer *t, int64_t delay)
{
	timer = t;
	due = now + delay;
}

static void timer_stop(struct clock *c, struct clock_timer *t)
{
	timer = NULL;
}

static void allot(struct store *s, struct store_allotment *a)
{
	CHECK(open_count < COUNT_OF(open_calls));
	call = open_calls[open_count++] = a;
	calls++;
}

static void on_more(void *owner)
{
	told++;
}

static const struct clock_ops clock_ops = {
	.wall_ms = mono, .mono_ms = mono, .start = timer_start, .stop = timer_stop
};
static const struct store_nodes_ops nodes_ops = { .allot = allot };

struct fixture {
	struct clock clock;
	struct store store;
	struct ledger *l;
};

static void open_ledger(struct fixture *f)
{
	*f = (struct fixture){ .clock = { &clock_ops }, .store = { .nodes = &nodes_ops } };
	now = 1000;
	timer = NULL;
	call = NULL;
	open_count = 0;
	calls = told = 0;
	f->l = shared_ledger_new(&f->store, &f->clock, NULL, 0);
	f->l->ops->watch(f->l, on_more, NULL);
}

static void answer(enum err result, int64_t amount, int64_t spent, int64_t reserved, bool is_alone)
{
	struct store_allotment *a = call;

	CHECK(a);
	call = --open_count ? open_calls[open_count - 1] : NULL;
	a->result = result;
	a->amount = amount;
	a->spent = spent;
	a->reserved = reserved;
	a->is_alone = is_alone;
	a->done(a);
}

static void pass(int64_t ms)
{
	for (int64_t end = now + ms; now < end; now++)
		if (timer && due <= now) {
			struct clock_timer *t = timer;

			timer = NULL;
			t->fire(t);
		}
}

static enum ledger_room room(struct fixture *f, const char *account, int64_t cap, int64_t amount,
                             int64_t overrun)
{
	return f->l->ops->room(
		f->l, &(const struct ledger_question){ str_from(account), cap, amount, overrun });
}

static void move(struct fixture *f, const char *account, int64_t spent, int64_t reserved)
{
	f->l->ops->move(f->l, &(struct ledger_move){ str_from(account), spent, reserved }, 1);
}

static int64_t reserve_all(struct fixture *f, const char *account, int64_t cap, int64_t amount,
                           int64_t overrun)
{
	int64_t sum = 0;

	while (sum <= cap && room(f, account, cap, amount, overrun) == LEDGER_HAS_ROOM) {
		move(f, account, 0, amount);
		sum += amount;
	}
	return sum;
}

/* ---- tests ---- */

TEST(no_more_is_used_than_was_allotted)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 0, 10, 1), LEDGER_HAS_ROOM); /* no cap */
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	CHECK_INT(call->want, 10);
	answer(OK, 50, 0, 0, false);
	CHECK_INT(told, 1);
	CHECK_INT(reserve_all(&f, "day", 100, 10, 1), 50);
	CHECK_INT(call->keep, 50);
	CHECK_INT(call->want, 10);
	answer(OK, 50, 20, 30, false);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	pass(1000);
	answer(OK, 50, 20, 30, false);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ELSEWHERE);
	CHECK_INT(f.l->ops->balance(f.l, STR("day")).spent, 20);
	CHECK_INT(f.l->ops->balance(f.l, STR("day")).elsewhere, 30);
	f.l->ops->close(f.l);
}

TEST(half_of_what_is_not_needed_is_given_and_all_to_a_node_that_waits_longer)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 100, 10, 2), LEDGER_ASKS);
	answer(OK, 100, 0, 0, false);
	move(&f, "day", 0, 10);
	/* Twice its reservation stays. */
	f.l->ops->wanted(f.l, STR("day"), 5, true);
	CHECK_INT(call->keep, 60);
	answer(OK, 60, 0, 0, false);
	f.l->ops->wanted(f.l, STR("day"), 35, true);
	CHECK_INT(call->keep, 25);
	answer(OK, 25, 0, 0, false);
	CHECK_INT(room(&f, "day", 100, 30, 2), LEDGER_ASKS);
	answer(OK, 25, 0, 0, false);
	f.l->ops->wanted(f.l, STR("day"), 35, false);
	CHECK(!call);
	f.l->ops->wanted(f.l, STR("day"), 35, true);
	CHECK_INT(call->keep, 20);
	f.l->ops->close(f.l);
}

/* The store may not know that it was given: the next report makes the call again. */
TEST(what_was_given_in_a_call_that_failed_is_given_again)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	answer(OK, 100, 0, 0, false);
	f.l->ops->wanted(f.l, STR("day"), 100, true);
	CHECK_INT(call->keep, 0);
	answer(ERR_UNAVAILABLE, 0, 0, 0, false);
	f.l->ops->wanted(f.l, STR("day"), 100, true);
	CHECK_INT(call->keep, 0);
	f.l->ops->close(f.l);
}

TEST(calls_that_fail_for_long_do_not_lose_a_wish)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	for (int i = 0; i < 20; i++) {
		answer(ERR_BUSY, 0, 0, 0, false);
		pass(1100);
		CHECK(call);
	}
	CHECK_INT(call->want, 10);
	answer(OK, 10, 0, 0, false);
	CHECK(told > 0);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_HAS_ROOM);
	f.l->ops->close(f.l);
}

TEST(a_wish_that_no_request_has_any_more_is_taken_back)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	answer(OK, 0, 0, 0, false);
	for (int i = 0; i < 20 && (!call || call->want); i++) {
		if (call)
			answer(OK, 0, 0, 0, false);
		pass(1100);
	}
	CHECK_INT(call->want, 0);
	answer(OK, 0, 0, 0, false);
	calls = 0;
	pass(60000);
	CHECK_INT(calls, 0);
	f.l->ops->close(f.l);
}

/* Each of them would look at every session that waits. */
TEST(answers_without_news_are_told_once_a_second_whatever_their_number)
{
	struct fixture f;
	char name[16];

	open_ledger(&f);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "t%d", i);
		CHECK_INT(room(&f, name, 100, 10, 1), LEDGER_ASKS);
		answer(OK, 0, 0, 0, false);
	}
	told = 0;
	for (int i = 0; i < 10000; i++) {
		pass(1);
		while (call)
			answer(OK, call->keep, 0, 0, false);
	}
	CHECK(told >= 2 && told <= 11);
	f.l->ops->close(f.l);
}

TEST(what_was_settled_for_a_dead_node_does_not_count_as_room_in_flight)
{
	struct fixture f;
	int64_t without, with;

	open_ledger(&f);
	CHECK_INT(room(&f, "a", 200, 18, 10), LEDGER_ASKS);
	answer(OK, 200, 0, 0, false);
	without = reserve_all(&f, "a", 200, 18, 10);
	answer(OK, 200, 0, 0, false);
	CHECK_INT(room(&f, "b", 200, 18, 10), LEDGER_ASKS);
	answer(OK, 100, 0, 100, false);
	move(&f, "b", 20, -100);
	with = reserve_all(&f, "b", 200, 18, 10);
	CHECK_INT(without, 18);
	CHECK_INT(with, 18);
	CHECK_INT(f.l->ops->balance(f.l, STR("b")).reserved, 18);
	CHECK_INT(f.l->ops->balance(f.l, STR("b")).elsewhere, 0);
	f.l->ops->close(f.l);
}

TEST(a_node_is_alone_for_the_account_that_said_so)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "requests", 2, 1, 1), LEDGER_ASKS);
	answer(OK, 0, 0, 2, false);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	answer(OK, 100, 0, 0, true);
	CHECK_INT(f.l->ops->balance(f.l, STR("requests")).reserved, 0);
	f.l->ops->close(f.l);
}

TEST(an_answer_about_another_cap_is_none)
{
	struct fixture f;

	open_ledger(&f);
	CHECK_INT(room(&f, "day", 100, 10, 1), LEDGER_ASKS);
	CHECK_INT(room(&f, "day", 20, 10, 1), LEDGER_ASKS);
	answer(OK, 50, 0, 0, false);
	CHECK_INT(reserve_all(&f, "day", 20, 10, 1), 0);
	pass(1000);
	CHECK_INT(call->cap, 20);
	CHECK_INT(call->keep, 0);
	f.l->ops->close(f.l);
}

TEST(accounts_without_use_are_not_read_again)
{
	struct fixture f;

	open_ledger(&f);
	f.l->ops->open(f.l, STR("day"), 100);
	answer(OK, 50, 0, 0, false);
	CHECK_INT(room(&f, "tenant", 100, 10, 1), LEDGER_ASKS);
	answer(OK, 50, 0, 0, false);
	pass(100000);
	calls = 0;
	for (int i = 0; i < 1000; i++) {
		pass(10);
		f.l->ops->stale(f.l);
		if (call) {
			CHECK_STR(call->account, "day");
			answer(OK, call->keep, 7, 0, false);
		}
	}
	CHECK(calls >= 3 && calls <= 10);
	CHECK_INT(f.l->ops->balance(f.l, STR("day")).spent, 7);
	f.l->ops->close(f.l);
}

TEST_MAIN()
