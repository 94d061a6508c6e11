#include "test_net_client.h"
#include "base/memory.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

/* ---- timers ---- */

static char fired[64];

struct named {
	struct loop_timer t;
	char name;
	struct named *starts;
	struct named *stops;
	struct loop *l;
};

static void on_named(struct loop_timer *t)
{
	struct named *n = OWNER_OF(t, struct named, t);
	size_t len = strlen(fired);

	fired[len] = n->name;
	fired[len + 1] = '\0';
	if (n->starts)
		loop_timer_start(n->l, &n->starts->t, 0, on_named);
	if (n->stops)
		loop_timer_stop(&n->stops->t);
}

static int by_time(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->t.due_ms != y->t.due_ms)
		return x->t.due_ms < y->t.due_ms ? -1 : 1;
	return x->t.order < y->t.order ? -1 : 1;
}

TEST(timers_fire_in_the_order_of_their_time_and_then_of_their_start)
{
	struct loop *l = loop_new();
	struct named n[] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' }, { .name = 'd' } };
	struct named sorted[4];
	char want[5] = "";

	fired[0] = '\0';
	loop_timer_start(l, &n[0].t, 6, on_named);
	loop_timer_start(l, &n[1].t, 2, on_named);
	loop_timer_start(l, &n[2].t, 0, on_named);
	loop_timer_start(l, &n[3].t, 0, on_named);
	CHECK(loop_timer_is_running(&n[0].t));

	/* "cdba", unless the machine dozed off between two starts */
	memcpy(sorted, n, sizeof n);
	qsort(sorted, 4, sizeof sorted[0], by_time);
	for (int i = 0; i < 4; i++)
		want[i] = sorted[i].name;
	UNTIL(l, strlen(fired) == 4);
	CHECK_SAME(str_from(fired), str_from(want));
	CHECK(!loop_timer_is_running(&n[0].t));
	loop_free(l);
}

TEST(a_timer_can_be_stopped_and_moved_even_by_another_that_fires)
{
	struct loop *l = loop_new();
	struct named a = { .name = 'a' }, b = { .name = 'b', .stops = &a }, c = { .name = 'c' };

	fired[0] = '\0';
	loop_timer_start(l, &b.t, 0, on_named);
	loop_timer_start(l, &a.t, 0, on_named);
	loop_timer_start(l, &c.t, 100000, on_named);
	loop_timer_start(l, &c.t, 1, on_named);
	UNTIL(l, strchr(fired, 'c'));
	CHECK_STR(str_from(fired), "bc");
	loop_timer_stop(&a.t);
	loop_free(l);
}

TEST(a_timer_started_by_a_timer_waits_for_the_next_turn)
{
	struct loop *l = loop_new();
	struct named a = { .name = 'a', .starts = &a, .l = l };

	fired[0] = '\0';
	loop_timer_start(l, &a.t, 0, on_named);
	turn(l);
	CHECK(strlen(fired) <= 2); /* before the kernel is asked, and after */
	CHECK_INT(loop_timeout_ms(l), 0);
	UNTIL(l, strlen(fired) >= 3);
	loop_timer_stop(&a.t);
	loop_free(l);
}

static int many_left;
static int64_t last_due;
static bool in_order = true;

static void on_many(struct loop_timer *t)
{
	in_order &= t->due_ms >= last_due;
	last_due = t->due_ms;
	many_left--;
}

TEST(many_timers_started_and_stopped_at_random_keep_their_order)
{
	enum { MANY = 2000 };
	struct loop *l = loop_new();
	struct loop_timer *t = memory_zeroed(MANY, sizeof *t);
	unsigned seed = 7;

	many_left = 0;
	for (int i = 0; i < 4 * MANY; i++) {
		struct loop_timer *one = &t[rand_r(&seed) % MANY];

		if (rand_r(&seed) % 4)
			loop_timer_start(l, one, rand_r(&seed) % 20, on_many);
		else
			loop_timer_stop(one);
	}
	for (int i = 0; i < MANY; i++)
		many_left += loop_timer_is_running(&t[i]);
	CHECK(many_left > MANY / 2);
	UNTIL(l, many_left == 0);
	CHECK(in_order);
	free(t);
	loop_free(l);
}

/* ---- hooks ---- */

struct counter {
	struct loop_hook h;
	int runs, wants;
};

static bool on_hook(struct loop_hook *h)
{
	struct counter *c = OWNER_OF(h, struct counter, h);

	c->runs++;
	return c->runs < c->wants;
}

TEST(a_hook_runs_before_every_sleep_and_keeps_the_loop_awake_while_it_has_work)
{
	struct loop *l = loop_new();
	struct counter c = { .wants = 50 };

	loop_before_sleep(l, &c.h, on_hook);
	loop_run_once(l, 0);
	CHECK(c.runs >= 1);
	CHECK_INT(loop_timeout_ms(l), 0);
	for (int i = 0; c.runs < 50; i++) {
		CHECK(i < 60);
		loop_run_once(l, -1); /* would wait for ever, but there is work */
	}
	CHECK_INT(loop_timeout_ms(l), -1);
	loop_hook_stop(&c.h);
	loop_run_once(l, 0);
	CHECK(c.runs < 53);
	loop_free(l);
}

static bool stop_self(struct loop_hook *h)
{
	loop_hook_stop(h);
	return false;
}

TEST(a_hook_may_stop_itself)
{
	struct loop *l = loop_new();
	struct loop_hook h;
	struct counter c = { 0 };

	loop_before_sleep(l, &h, stop_self);
	loop_before_sleep(l, &c.h, on_hook);
	turn(l);
	CHECK(c.runs > 0);
	loop_hook_stop(&c.h);
	loop_free(l);
}

/* ---- other threads ---- */

struct woken {
	struct loop_wake w;
	int times;
};

static void on_wake(struct loop_wake *w)
{
	OWNER_OF(w, struct woken, w)->times++;
}

static void *send_hundred(void *arg)
{
	for (int i = 0; i < 100; i++)
		loop_wake_call(arg);
	return NULL;
}

TEST(another_thread_wakes_the_loop_and_many_sends_may_be_one_call)
{
	struct loop *l = loop_new();
	struct woken a = { 0 }, b = { 0 };
	pthread_t th;

	loop_wake_init(l, &a.w, on_wake);
	loop_wake_init(l, &b.w, on_wake);
	CHECK(pthread_create(&th, NULL, send_hundred, &a.w) == 0);
	loop_run_once(l, PATIENCE_MS);
	pthread_join(th, NULL);
	UNTIL(l, a.times >= 1);
	turn(l);
	CHECK(a.times <= 100 && b.times == 0);
	loop_wake_send(&b.w);
	loop_wake_done(&b.w); /* sent, but stopped before it ran */
	turn(l);
	CHECK_INT(b.times, 0);
	loop_wake_done(&a.w);
	loop_free(l);
}

static void *stop_it(void *arg)
{
	loop_stop(arg);
	return NULL;
}

TEST(the_loop_runs_until_any_thread_stops_it)
{
	struct loop *l = loop_new();
	pthread_t th;

	CHECK(pthread_create(&th, NULL, stop_it, l) == 0);
	loop_run(l);
	pthread_join(th, NULL);
	loop_stop(l); /* before it runs */
	loop_run(l);
	loop_free(l);
}

/* ---- embedding, signals ---- */

TEST(an_embedder_drives_the_loop_by_its_descriptor)
{
	struct loop *l = loop_new();
	struct woken a = { 0 };
	struct named n = { .name = 'x' };
	struct pollfd p = { .fd = loop_fd(l), .events = POLLIN };

	fired[0] = '\0';
	loop_wake_init(l, &a.w, on_wake);
	turn(l);
	CHECK_INT(loop_timeout_ms(l), -1);
	CHECK_INT(poll(&p, 1, 0), 0);
	loop_wake_send(&a.w);
	CHECK_INT(poll(&p, 1, PATIENCE_MS), 1);
	turn(l);
	CHECK_INT(a.times, 1);

	loop_timer_start(l, &n.t, 3, on_named);
	for (int i = 0; !fired[0] && i < 100; i++) {
		int wait = loop_timeout_ms(l);

		CHECK(wait >= 0 && wait <= 4);
		poll(&p, 1, wait);
		turn(l);
	}
	CHECK_STR(str_from(fired), "x");
	loop_wake_done(&a.w);
	loop_free(l);
}

static bool waste_time(struct loop_hook *h)
{
	int64_t end = clock_mono_ms() + 5;

	(void)h;
	while (clock_mono_ms() < end)
		;
	return false;
}

TEST(a_bounded_turn_comes_back_also_when_its_time_is_over_before_it_waits)
{
	struct loop *l = loop_new();
	struct loop_hook h;
	int64_t start = clock_mono_ms();

	/* Nothing will ever happen here: a lost bound would be a hang. */
	loop_before_sleep(l, &h, waste_time);
	for (int i = 0; i < 5; i++)
		loop_run_once(l, 1);
	loop_hook_stop(&h);
	for (int i = 0; i < 5; i++)
		loop_run_once(l, 1);
	CHECK(clock_mono_ms() - start < PATIENCE_MS);
	loop_free(l);
}

static int last_signal;

static void on_signal(void *arg, int signum)
{
	(void)arg;
	last_signal = signum;
}

TEST(a_signal_is_delivered_on_the_loop)
{
	struct loop *l = loop_new();

	loop_signal(l, SIGUSR1, on_signal, NULL);
	kill(getpid(), SIGUSR1);
	UNTIL(l, last_signal == SIGUSR1);
	loop_free(l);
}

static void write_to_closed(struct loop_timer *t)
{
	int p[2];

	(void)t;
	CHECK(pipe(p) == 0);
	close(p[0]);
	CHECK(write(p[1], "x", 1) < 0 && errno == EPIPE);
	close(p[1]);
}

TEST(a_broken_pipe_raises_nothing_while_the_loop_runs_and_leaves_mask_and_disposition)
{
	struct loop *l = loop_new();
	struct loop_timer t = { 0 };
	struct sigaction act;
	sigset_t before, after;

	sigaction(SIGPIPE, NULL, &act);
	CHECK(act.sa_handler == SIG_DFL);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	loop_timer_start(l, &t, 0, write_to_closed);
	turn(l);
	CHECK(!loop_timer_is_running(&t));
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	CHECK(sigismember(&before, SIGPIPE) == sigismember(&after, SIGPIPE));
	sigaction(SIGPIPE, NULL, &act);
	CHECK(act.sa_handler == SIG_DFL);
	loop_free(l);
}

TEST_MAIN()
