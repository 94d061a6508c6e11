/* The invariants themselves: they accept valid logs and notice invalid ones. */
#include "invariants.h"

#include "base/json.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "lib/golden.h"
#include "lib/sim.h"
#include "lib/t.h"

static struct error e;

/* ---- the standard's chains, where ../shared/specs is ---- */

struct chain {
	struct buf text;
	struct str lines[128];
	size_t count;
};

static struct chain chain_read(const char *name)
{
	struct chain c = { 0 };
	const char *specs = getenv("THOLE_SPECS");
	char path[4096];
	FILE *f;
	int ch;

	snprintf(path, sizeof path, "%s/golden/%s.jsonl", specs ? specs : "", name);
	f = fopen(path, "rb");
	if (!f)
		skip();
	while ((ch = fgetc(f)) != EOF)
		buf_add_char(&c.text, (char)ch);
	fclose(f);
	for (struct str rest = buf_str(&c.text); rest.len && c.count < COUNT_OF(c.lines);) {
		struct str line = str_cut(&rest, '\n');

		if (line.len)
			c.lines[c.count++] = line;
	}
	return c;
}

static const struct model_info some_model = { .provider = STR("scripted"),
	                                      .model = STR("demo"),
	                                      .has_credential = true };

static struct settings some_settings(void)
{
	return (struct settings){ .config = &settings_config_defaults,
		                  .runtime_id = STR("rt_01m7f6ymm084g7zwyrd6z1rv0w"),
		                  .models = &some_model,
		                  .model_count = 1,
		                  .mode = PERMISSION_MODE_DEFAULT,
		                  .is_interactive = true,
		                  .on_busy = DELIVERY_QUEUE };
}

static void check_golden(const char *name)
{
	struct chain c = chain_read(name);
	struct settings settings = some_settings();
	struct invariants *l = invariants_new();

	invariants_foreign(l);
	if (!invariants_check(l, c.lines, NULL, c.count, INVARIANT_LIVE, &settings, &e))
		t_fail(__FILE__, __LINE__, "%s: %s", name, e.message);
	invariants_free(l);
	buf_done(&c.text);
}

TEST(chains_of_the_standard_keep_the_laws)
{
	check_golden("turn-with-approval");
	check_golden("interrupt-during-tool");
	check_golden("crash-recovery");
	check_golden("queue-two-promote");
	check_golden("task-failed-attempt-retry");
	check_golden("system-turn-question-steer-grant");
	check_golden("routing-single-candidate");
	check_golden("routing-no-candidate");
	check_golden("routing-fallback");
}

/* ---- the golden logs ---- */

static void keeps_the_laws(const char *name, const struct str *lines, size_t count, void *arg)
{
	struct settings settings = some_settings();
	struct invariants *l = arg;

	if (!invariants_check(l, lines, NULL, count, INVARIANT_REST, &settings, &e))
		t_fail(__FILE__, __LINE__, "%s: %s", name, e.message);
}

TEST(golden_logs_keep_the_laws)
{
	struct invariants *l = invariants_new();

	CHECK(golden_files(keeps_the_laws, l) > 500);
	invariants_free(l);
}

/* ---- a log of our own ---- */

struct own {
	struct sim *sim;
	const struct sim_log *log;
};

static struct own own_log(char dir[])
{
	struct own o;
	const struct sim_answer *a;

	CHECK(mkdtemp(dir));
	o.sim = sim_new(&(struct sim_options){ .dir = dir, .seed = 1 });
	a = sim_call(o.sim, "submit_turn", "{\"input\":\"long please\"}");
	CHECK_INT(a->code, 0);
	sim_run(o.sim, 60000);
	a = sim_call(o.sim, "submit_turn",
	             arena_printf(sim_mem(o.sim),
	                          "{\"sessionId\":\"%.*s\",\"input\":\"approve it\"}",
	                          STR_ARG(sim_str(o.sim, a, "sessionId")))
	                     .ptr);
	CHECK_INT(a->code, 0);
	sim_run(o.sim, 700000);
	o.log = sim_log(o.sim);
	return o;
}

static void own_done(struct own *o, const char *dir)
{
	char command[256];

	sim_free(o->sim);
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	CHECK_INT(system(command), 0);
}

TEST(a_log_of_our_own_keeps_the_laws)
{
	char dir[] = "/tmp/thole-invariants-XXXXXX";
	struct own o = own_log(dir);
	struct invariants *l = invariants_new();

	if (!invariants_check(l, o.log->lines, NULL, o.log->count, INVARIANT_OVER,
	                      sim_settings(o.sim), &e))
		t_fail(__FILE__, __LINE__, "%s", e.message);
	invariants_free(l);
	own_done(&o, dir);
}

/* Does the log without, or with a changed, line break a invariant? */
static bool notices(const struct own *o, size_t at, struct str instead)
{
	struct invariants *l = invariants_new();
	struct str *lines = memory_zeroed(o->log->count, sizeof *lines);
	size_t count = 0;
	bool holds;

	for (size_t i = 0; i < o->log->count; i++)
		if (i != at)
			lines[count++] = o->log->lines[i];
		else if (str_is(instead))
			lines[count++] = instead;
	holds = invariants_check(l, lines, NULL, count, INVARIANT_OVER, sim_settings(o->sim), &e);
	memory_free(lines);
	invariants_free(l);
	return !holds;
}

static struct str replaced(struct own *o, size_t at, const char *what, const char *by)
{
	struct str line = o->log->lines[at];
	ptrdiff_t found = str_find(line, str_from(what));

	CHECK(found >= 0);
	return arena_printf(sim_mem(o->sim), "%.*s%s%.*s", (int)found, line.ptr, by,
	                    STR_ARG(str_skip(line, (size_t)found + strlen(what))));
}

static size_t first(const struct own *o, const char *type)
{
	char text[128];

	snprintf(text, sizeof text, "{\"type\":\"%s\"", type);
	for (size_t i = 0; i < o->log->count; i++)
		if (str_starts(o->log->lines[i], str_from(text)))
			return i;
	t_fail(__FILE__, __LINE__, "no %s", type);
}

TEST(a_log_that_is_wrong_is_noticed)
{
	char dir[] = "/tmp/thole-invariants-XXXXXX";
	struct own o = own_log(dir);
	size_t delta = first(&o, "model.delta"), action = first(&o, "action.required");

	CHECK(!notices(&o, o.log->count, STR_NONE));
	CHECK(notices(&o, 3, STR_NONE));
	CHECK(notices(&o, o.log->count - 1, STR_NONE) == false); /* a shorter log is a log */
	CHECK(notices(&o, delta + 1,
	              replaced(&o, delta + 1, "\"textOffset\":", "\"textOffset\":1")));
	CHECK(notices(&o, delta, replaced(&o, delta, "\"index\":", "\"index\":1")));
	CHECK(notices(&o, delta, replaced(&o, delta, "2026-11-15", "2026-11-14")));
	CHECK(notices(&o, action,
	              replaced(&o, action, "\"actionId\":\"act_", "\"actionId\":\"act-")));
	CHECK(notices(&o, action,
	              replaced(&o, action, "\"payload\":{", "\"payload\":{\"x\":null,")));
	CHECK(notices(&o, action, o.log->lines[action - 1]));
	own_done(&o, dir);
}

TEST_MAIN()
