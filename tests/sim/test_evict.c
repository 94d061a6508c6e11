/* Sessions leave memory by size and by idle time, and never while they work. */
#include "sim.h"

#include "engine/engine_state.h" /* session_find() alone */
#include "lib/t.h"

#include <unistd.h>

static const char script[] =
	"{ \"version\": 1, \"rules\": [ { \"when\": { \"text\": \"slow\" }, \"reply\": { \"text\": "
	"\"at last\", \"firstDelayMs\": 60000 } } ], \"default\": { \"text\": \"hello\" } }";

struct house {
	char dir[32];
	struct sim *sim;
};

static void house_begin(struct house *h, int64_t bytes, int64_t idle_ms)
{
	strcpy(h->dir, "/tmp/thole-evict-XXXXXX");
	CHECK(mkdtemp(h->dir));
	h->sim = sim_new(&(struct sim_options){ .dir = h->dir,
	                                        .script = str_from(script),
	                                        .session_bytes = bytes,
	                                        .idle_evict_ms = idle_ms,
	                                        .seed = 4 });
}

static void house_end(struct house *h)
{
	char command[64];

	sim_free(h->sim);
	snprintf(command, sizeof command, "rm -rf %s", h->dir);
	CHECK_INT(system(command), 0);
}

static void submit(struct house *h, unsigned session, const char *input)
{
	const struct sim_answer *a =
		sim_call(h->sim, "submit_turn",
	                 arena_printf(sim_mem(h->sim), "{\"sessionId\":\"s-%u\",\"input\":\"%s\"}",
	                              session, input)
	                         .ptr);

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
}

static bool is_there(struct house *h, unsigned session)
{
	return session_find(sim_engine(h->sim), arena_printf(sim_mem(h->sim), "s-%u", session)) !=
	       NULL;
}

static struct control_health health_of(struct house *h)
{
	struct control *c = engine_control(sim_engine(h->sim));
	struct control_health health;

	c->ops->health(c, &health);
	return health;
}

TEST(who_was_used_last_stays)
{
	struct house h;

	house_begin(&h, 1 << 20, 300000);
	for (unsigned i = 0; i < 200; i++)
		submit(&h, i, "hello");
	sim_run(h.sim, 8000);
	CHECK(health_of(&h).session_bytes <= 1 << 20);
	CHECK(health_of(&h).live_sessions > 30);
	CHECK(!is_there(&h, 0));
	CHECK(is_there(&h, 199));
	submit(&h, 0, "hello");
	sim_run(h.sim, 3000);
	CHECK(is_there(&h, 0));
	house_end(&h);
}

TEST(no_session_is_evicted_for_their_number_alone)
{
	struct house h;

	house_begin(&h, 32 << 20, 300000);
	for (unsigned i = 0; i < 400; i++)
		submit(&h, i, "hello");
	sim_run(h.sim, 10000);
	for (unsigned i = 0; i < 400; i++)
		CHECK(is_there(&h, i));
	house_end(&h);
}

/* More of them than one look used to see. */
TEST(a_session_idle_for_long_is_evicted_however_many_there_are)
{
	struct house h;

	house_begin(&h, 512 << 20, 20000);
	for (unsigned i = 0; i < 1500; i++)
		submit(&h, i, "hello");
	sim_run(h.sim, 5000);
	CHECK(health_of(&h).live_sessions >= 1500);
	sim_run(h.sim, 16500);
	CHECK_INT(health_of(&h).live_sessions, 0);
	CHECK_INT(health_of(&h).session_bytes, 0);
	house_end(&h);
}

TEST(a_session_at_work_never_leaves)
{
	struct house h;

	house_begin(&h, 1 << 16, 1000);
	for (unsigned i = 0; i < 50; i++)
		submit(&h, i, "slow");
	sim_run(h.sim, 50000);
	CHECK(health_of(&h).session_bytes > 1 << 16);
	for (unsigned i = 0; i < 50; i++)
		CHECK(is_there(&h, i));
	sim_run(h.sim, 20000);
	CHECK_INT(health_of(&h).live_sessions, 0);
	house_end(&h);
}

/*
 * Turn after turn in more sessions than fit in memory: none is read again for each turn.  When they
 * rest they leave.
 */
TEST(a_session_that_is_used_again_soon_is_still_there)
{
	struct house h;

	house_begin(&h, 1 << 20, 300000);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 60; i++) {
			CHECK(!round || is_there(&h, i));
			submit(&h, i, "hello");
			sim_run(h.sim, 60);
		}
	CHECK(health_of(&h).session_bytes > 1 << 20);
	sim_run(h.sim, 8000);
	CHECK(health_of(&h).session_bytes <= 1 << 20);
	house_end(&h);
}

/* However many take turns, they have a bound too. */
TEST(sessions_in_use_take_at_most_four_times_the_limit)
{
	struct house h;
	size_t most = 0;

	house_begin(&h, 1 << 19, 300000);
	for (unsigned i = 0; i < 400; i++) {
		submit(&h, i, "hello");
		sim_run(h.sim, 5);
		most = MAX(most, health_of(&h).session_bytes);
	}
	CHECK(most > 3 << 19);
	CHECK(most < 5 << 19);
	CHECK(!is_there(&h, 0) && is_there(&h, 399));
	house_end(&h);
}

/* ---- sessions of callers that cannot read ---- */

static void webhook_answered(struct control_call *call, const struct control_answer *a)
{
	(void)call;
	CHECK_INT(a->code, 0);
}

/* As the sender of a webhook calls it. */
static void submit_unread(struct house *h, struct control_call *call, unsigned session,
                          const char *input)
{
	struct control *c = engine_control(sim_engine(h->sim));

	*call = (struct control_call){
		.caller = { .principal = STR("trigger:many"),
		            .via = STR("webhook"),
		            .scopes = SCOPE_BIT(SCOPE_WRITE) },
		.command = STR("submit_turn"),
		.params = arena_printf(sim_mem(h->sim), "{\"sessionId\":\"s-%u\",\"input\":\"%s\"}",
		                       session, input),
		.done = webhook_answered,
	};
	c->ops->call(c, call);
}

/* Hundreds of webhooks at once: what nothing asks for leaves when its work has ended, and not before. */
TEST(a_session_that_its_creator_cannot_read_leaves_when_its_work_has_ended)
{
	static struct control_call calls[600];
	struct house h;

	house_begin(&h, 512 << 20, 300000);
	for (unsigned i = 0; i < COUNT_OF(calls); i++)
		submit_unread(&h, &calls[i], i, i % 100 ? "hello" : "slow");
	sim_run(h.sim, 3000);
	CHECK_INT(health_of(&h).live_sessions, COUNT_OF(calls) / 100);
	for (unsigned i = 0; i < COUNT_OF(calls); i += 100)
		CHECK(is_there(&h, i));
	sim_run(h.sim, 60000);
	CHECK_INT(health_of(&h).live_sessions, 0);
	house_end(&h);
}

/* One that a client has used meanwhile stays as long as others do. */
TEST(a_session_of_a_webhook_that_a_client_uses_stays)
{
	struct control_call call;
	struct house h;

	house_begin(&h, 512 << 20, 300000);
	submit_unread(&h, &call, 1, "hello");
	sim_run(h.sim, 3000);
	CHECK(!is_there(&h, 1));
	submit(&h, 1, "again");
	sim_run(h.sim, 200000);
	CHECK(is_there(&h, 1));
	house_end(&h);
}

TEST_MAIN()
