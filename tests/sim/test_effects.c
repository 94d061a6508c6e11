/* Runs of models, tools and hooks: nothing outside keeps the address of a run that is freed. */
#include "sim.h"

#include "engine/effects/effects.h"
#include "engine/engine_state.h"
#include "lib/t.h"

#include <unistd.h>

static const char script[] =
	"{ \"version\": 1, \"rules\": [ { \"when\": { \"text\": \"row\" }, \"replies\": ["
	"{ \"text\": \"I row.\", \"toolCalls\": [ { \"name\": \"row\", \"args\": {} } ] },"
	"{ \"text\": \"done\" } ] } ], \"default\": { \"text\": \"hello\" },"
	" \"tools\": [ { \"name\": \"row\", \"result\": { \"pieces\": [ \"one \", \"two \", "
	"\"three\" ],"
	" \"outputEveryMs\": 4000 } } ] }";

struct house {
	char dir[32];
	struct sim *sim;
	bool tools_are_deaf, fills_disk;
};

static bool on_tool_stops(void *owner)
{
	return !((struct house *)owner)->tools_are_deaf;
}

/* The disk is full before the model answers, so the call that it asks for is held. */
static void on_model(void *owner, const struct model_request *req)
{
	struct house *h = owner;

	(void)req;
	if (h->fills_disk)
		sim_engine(h->sim)->is_full = true;
}

static const struct sim_watch watch = { .tool_stops = on_tool_stops, .model = on_model };

static void house_begin(struct house *h)
{
	*h = (struct house){ .dir = "/tmp/thole-effects-XXXXXX" };
	CHECK(mkdtemp(h->dir));
	h->sim = sim_new(&(struct sim_options){ .dir = h->dir,
	                                        .script = str_from(script),
	                                        .seed = 5,
	                                        .watch = &watch,
	                                        .watcher = h });
}

static void house_end(struct house *h)
{
	char command[64];

	sim_free(h->sim);
	snprintf(command, sizeof command, "rm -rf %s", h->dir);
	CHECK_INT(system(command), 0);
}

static void row(struct house *h)
{
	CHECK_INT(sim_call(h->sim, "submit_turn",
	                   "{\"sessionId\":\"sess_e\",\"turnId\":\"turn_e\",\"input\":\"row\"}")
	                  ->code,
	          0);
}

static bool has_event(struct house *h, const char *type)
{
	return str_find(sim_types(h->sim, STR("sess_e")), str_from(type)) >= 0;
}

TEST(a_tool_that_ends_after_it_was_given_up_finds_its_run)
{
	struct house h;

	house_begin(&h);
	h.tools_are_deaf = true;
	row(&h);
	sim_run(h.sim, 1000);
	CHECK(has_event(&h, "tool.started"));
	CHECK_INT(sim_call(h.sim, "interrupt_turn", "{\"sessionId\":\"sess_e\"}")->code, 0);
	/* It writes once more and ends at 12 s; the call is recorded at about 6 s. */
	sim_run(h.sim, 6000);
	CHECK(has_event(&h, "turn.failed"));
	CHECK_INT(sim_engine(h.sim)->live_effects, 0);
	CHECK(!list_is_empty(&sim_engine(h.sim)->runs));
	sim_run(h.sim, 20000);
	CHECK(list_is_empty(&sim_engine(h.sim)->runs));
	CHECK_INT(sim_engine(h.sim)->live_effects, 0);
	house_end(&h);
}

TEST(a_call_that_waits_for_disk_space_goes_with_its_session)
{
	struct house h;
	struct engine *e;

	house_begin(&h);
	e = sim_engine(h.sim);
	h.fills_disk = true;
	row(&h);
	sim_run(h.sim, 1000);
	CHECK(has_event(&h, "tool.started"));
	CHECK(!has_event(&h, "tool.result"));
	CHECK_INT(e->live_effects, 1);
	session_abandon(session_find(e, STR("sess_e")), ERROR_CODE_STORE_FAILED);
	CHECK_INT(e->live_effects, 0);
	CHECK(list_is_empty(&e->runs));
	house_end(&h);
}

TEST_MAIN()
