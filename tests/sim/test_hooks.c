/* Hooks at every point, in a whole runtime on virtual time; the test plays the programs. */
#include "core/hook/hook.h"
#include "lib/t.h"
#include "sim.h"

#include <unistd.h>

/* ---- hooks that answer as the test says ---- */

struct hook_handle {
	void (*end)(void *owner, const struct hook_end *e);
	void *owner;
	struct hook_start start;
};

struct played {
	const char *ref, *point, *match, *on_failure;
	struct hook_end end;
	bool hangs;
	int times; /* how often it was asked */
};

struct stage {
	struct hooks port;
	struct played *hooks;
	size_t count;
	struct hook_info infos[16];
	struct hook_handle open[16];
	size_t open_count;
	struct arena *mem;
	struct str inputs[64]; /* their inputs, in order */
	size_t input_count;
};

static size_t stage_list(struct hooks *h, const struct hook_info **ret)
{
	struct stage *s = OWNER_OF(h, struct stage, port);

	for (size_t i = 0; i < s->count; i++)
		s->infos[i] = (struct hook_info){
			.ref = str_from(s->hooks[i].ref),
			.point = rec_enum_read(&enum_hook_point, str_from(s->hooks[i].point)),
			.kind = HOOK_HANDLER_COMMAND,
			.match = s->hooks[i].match ? str_from(s->hooks[i].match) : STR_NONE,
			.on_failure = s->hooks[i].on_failure
			                      ? rec_enum_read(&enum_fail_policy,
			                                      str_from(s->hooks[i].on_failure))
			                      : FAIL_POLICY_CLOSED,
			.trust = HOOK_TRUST_USER,
			.timeout_ms = 5000,
		};
	*ret = s->infos;
	return s->count;
}

static struct hook_handle *stage_start(struct hooks *h, const struct hook_start *start,
                                       void (*end)(void *owner, const struct hook_end *e),
                                       void *owner)
{
	struct stage *s = OWNER_OF(h, struct stage, port);
	struct hook_handle *run = &s->open[s->open_count++];

	*run = (struct hook_handle){ end, owner, *start };
	run->start.ref = arena_keep(s->mem, start->ref);
	s->inputs[s->input_count++] = arena_keep(s->mem, start->input);
	return run;
}

static void stage_cancel(struct hooks *h, struct hook_handle *run)
{
	struct stage *s = OWNER_OF(h, struct stage, port);
	struct hook_handle was = *run;

	s->open_count = 0;
	was.end(was.owner, &(struct hook_end){ .result = HOOK_CANCELLED });
}

static const struct hooks_ops stage_ops = { .list = stage_list,
	                                    .start = stage_start,
	                                    .cancel = stage_cancel };

/* Lets pending hooks answer, until none is pending. */
static void play(struct stage *s, struct sim *sim)
{
	sim_run(sim, 60000);
	while (s->open_count) {
		struct hook_handle run = s->open[--s->open_count];
		struct played *p = NULL;

		for (size_t i = 0; i < s->count; i++)
			if (str_eq(run.start.ref, str_from(s->hooks[i].ref)))
				p = &s->hooks[i];
		p->times++;
		if (p->hangs)
			return;
		run.end(run.owner, &p->end);
		sim_run(sim, 60000);
	}
}

/* ---- one runtime with a script that calls a tool ---- */

static const char script[] =
	"{ \"version\": 1,"
	"  \"tools\": [ { \"name\": \"note\", \"result\": { \"text\": \"noted {{args.text}}\" },"
	"    \"inputSchema\": { \"type\": \"object\", \"properties\": { \"text\": { \"type\": "
	"\"string\" } },"
	"                       \"required\": [\"text\"] } },"
	"    { \"name\": \"wipe\", \"policy\": \"ask\", \"result\": { \"text\": \"wiped\" } } ],"
	"  \"rules\": ["
	"    { \"when\": { \"request\": 1, \"text\": \"wipe\" }, \"reply\": { \"toolCalls\": [ { "
	"\"name\": \"wipe\", \"args\": {} } ] } },"
	"    { \"when\": { \"request\": 1, \"text\": \"note\" }, \"reply\": { \"toolCalls\": [ { "
	"\"name\": \"note\", \"args\": { \"text\": \"milk\" } } ] } } ],"
	"  \"default\": { \"text\": \"Done.\" } }";

struct fixture {
	struct stage stage;
	struct sim *sim;
	char dir[64];
	struct str session, script; /* absent: the one above */
};

static void fixture_open(struct fixture *r)
{
	r->sim = sim_new(
		&(struct sim_options){ .dir = r->dir,
	                               .script = str_is(r->script) ? r->script : str_from(script),
	                               .seed = 7,
	                               .hooks = &r->stage.port });
}

static void fixture_init_script(struct fixture *r, struct played *hooks, size_t count,
                                struct str script_text)
{
	*r = (struct fixture){ .stage = { .port.ops = &stage_ops,
		                          .hooks = hooks,
		                          .count = count,
		                          .mem = arena_new() },
		               .script = script_text };
	strcpy(r->dir, "/tmp/thole-hooks-XXXXXX");
	CHECK(mkdtemp(r->dir));
	fixture_open(r);
}

static void fixture_init(struct fixture *r, struct played *hooks, size_t count)
{
	fixture_init_script(r, hooks, count, STR_NONE);
}

static void fixture_done(struct fixture *r)
{
	char command[128];

	sim_free(r->sim);
	snprintf(command, sizeof command, "rm -rf %s", r->dir);
	CHECK_INT(system(command), 0);
	arena_free(r->stage.mem);
}

static void ask(struct fixture *r, const char *text)
{
	char params[192];
	const struct sim_answer *a;

	if (str_is(r->session))
		snprintf(params, sizeof params, "{\"sessionId\":\"%.*s\",\"input\":\"%s\"}",
		         STR_ARG(r->session), text);
	else
		snprintf(params, sizeof params, "{\"input\":\"%s\"}", text);
	a = sim_call(r->sim, "submit_turn", params);
	CHECK_INT(a->http, 202);
	r->session = sim_str(r->sim, a, "sessionId");
	play(&r->stage, r->sim);
}

static size_t count_of(struct fixture *r, const char *type)
{
	size_t n = 0;
	char want[80];

	snprintf(want, sizeof want, "{\"type\":\"%s\",", type);
	for (size_t i = 0; i < sim_log(r->sim)->count; i++)
		n += str_starts(sim_log(r->sim)->lines[i], str_from(want));
	return n;
}

static bool last_has(struct fixture *r, const char *type, const char *part)
{
	char want[80];
	struct str found = STR_NONE;

	snprintf(want, sizeof want, "{\"type\":\"%s\",", type);
	for (size_t i = 0; i < sim_log(r->sim)->count; i++)
		if (str_starts(sim_log(r->sim)->lines[i], str_from(want)))
			found = sim_log(r->sim)->lines[i];
	if (str_is(found) && memmem(found.ptr, found.len, part, strlen(part)))
		return true;
	fprintf(stderr, "%s lacks %s: %.*s\n", type, part, STR_ARG(found));
	return false;
}

#define SAYS(text) .end = { .result = HOOK_ANSWERED, .has_exit_code = true, .out = STR(text) }

/* ---- the points ---- */

TEST(each_point_fires_once_and_in_order)
{
	struct played hooks[] = {
		{ "hook:user:start", "session_start", .on_failure = "open", SAYS("Be brief.") },
		{ "hook:user:prompt", "user_prompt_submit", SAYS("") },
		{ "hook:user:sampled", "post_sampling", .on_failure = "open", SAYS("") },
		{ "hook:user:pre", "pre_tool_use", .match = "no*|other", SAYS("") },
		{ "hook:user:never", "pre_tool_use", .match = "wipe", SAYS("") },
		{ "hook:user:post", "post_tool_use", .on_failure = "open", SAYS("") },
		{ "hook:user:failure", "post_tool_failure", .on_failure = "open", SAYS("") },
		{ "hook:user:stop", "stop", .on_failure = "open", SAYS("") },
	};
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK_STR(sim_types(r.sim, r.session),
	          "session.created thread.started task.created task.accepted turn.submitted "
	          "turn.submitted turn.started hook.started hook.completed turn.completed "
	          "task.started task.attempt.started turn.started thread.updated "
	          "hook.started hook.completed context.resolved tool.catalog.resolved "
	          "task.profile.resolved routing.candidates.resolved routing.single_candidate "
	          "routing.decided cost.estimated model.requested model.completed cost.recorded "
	          "tool.started tool.args hook.started hook.completed "
	          "hook.started hook.completed permission.evaluated tool.progress tool.result "
	          "hook.started hook.completed cost.estimated model.requested model.delta "
	          "model.completed cost.recorded hook.started hook.completed "
	          "hook.started hook.completed task.attempt.completed task.completed "
	          "turn.completed thread.updated snapshot.updated");
	CHECK_INT(hooks[2].times, 2); /* two requests */
	CHECK_INT(hooks[3].times, 1);
	CHECK_INT(hooks[4].times, 0);
	CHECK_INT(hooks[6].times, 0);
	/* The second turn of a session has no start. */
	ask(&r, "hello");
	CHECK_INT(hooks[0].times, 1);
	fixture_done(&r);
}

TEST(a_hook_is_told_where_it_is_and_nothing_more)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use", SAYS("") } };
	struct fixture r;
	struct json v;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK_INT(r.stage.input_count, 1);
	CHECK_INT(json_read_trusted(r.stage.mem, r.stage.inputs[0], &v, NULL), OK);
	CHECK_STR(json_str(JSON_GET(v, "point")), "pre_tool_use");
	CHECK_STR(json_str(JSON_GET(v, "hook_event_name")), "PreToolUse");
	CHECK_STR(json_str(JSON_GET(v, "tool_name")), "note");
	CHECK_STR(json_str(JSON_GET(JSON_GET(v, "tool_input"), "text")), "milk");
	CHECK_STR(json_str(JSON_GET(v, "cwd")), "/ws");
	CHECK_STR(json_str(JSON_GET(v, "permissionMode")), "default");
	CHECK(str_is(json_str(JSON_GET(v, "turnId"))));
	fixture_done(&r);
}

TEST(the_preview_of_long_arguments_shows_no_secret)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use", SAYS("") } };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char filler[12000];
	struct fixture r;

	memset(filler, 'a', sizeof filler);
	fixture_init_script(
		&r, hooks, COUNT_OF(hooks),
		arena_printf(mem,
	                     "{\"version\":1,\"tools\":[{\"name\":\"login\",\"inputSchema\":"
	                     "{\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\","
	                     "\"writeOnly\":true}}},\"result\":{\"text\":\"in\"}}],"
	                     "\"rules\":[{\"when\":{\"request\":1},\"reply\":{\"toolCalls\":["
	                     "{\"name\":\"login\",\"args\":{\"key\":\"hunter2\","
	                     "\"note\":\"%.*s\"}}]}}],\"default\":{\"text\":\"Done.\"}}",
	                     (int)sizeof filler, filler));
	ask(&r, "log in");
	CHECK(last_has(&r, "hook.started", "login: {"));
	for (size_t i = 0; i < sim_log(r.sim)->count; i++)
		CHECK(!memmem(sim_log(r.sim)->lines[i].ptr, sim_log(r.sim)->lines[i].len, "hunter2",
		              7));
	fixture_done(&r);
}

/* ---- what they say ---- */

TEST(a_rewritten_input_is_what_runs)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use",
		                    SAYS("{\"updatedInput\":{\"text\":\"oat milk\"}}") } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK_INT(count_of(&r, "tool.args"), 2);
	CHECK(last_has(&r, "tool.args", "\"kind\":\"updated\",\"updatedBy\":\"hook\""));
	CHECK(last_has(&r, "tool.args", "oat milk"));
	CHECK(last_has(&r, "hook.completed", "\"updatedInputRef\":\"out_"));
	CHECK(last_has(&r, "tool.result", "oat milk"));
	CHECK(last_has(&r, "tool.result", "\"hookRunIds\":[\"hook_"));
	fixture_done(&r);
}

TEST(a_rewrite_that_the_tool_does_not_take_is_a_failure)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use",
		                    SAYS("{\"updatedInput\":{\"text\":5}}") } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.failed", "\"category\":\"invalid_input\""));
	CHECK(last_has(&r, "tool.failed", "\"category\":\"hook_failed\""));
	CHECK_INT(count_of(&r, "tool.result"), 0);
	fixture_done(&r);
}

TEST(a_block_by_status_two_keeps_the_tool_from_running)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use",
		                    .end = { .result = HOOK_ANSWERED,
		                             .exit_code = 2,
		                             .has_exit_code = true,
		                             .err = STR("no notes today\n") } } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.completed", "\"decision\":\"block\""));
	CHECK(last_has(&r, "tool.failed", "\"category\":\"hook_blocked\""));
	CHECK(last_has(&r, "tool.failed", "no notes today"));
	CHECK(last_has(&r, "tool.failed", "\"executed\":\"no\""));
	CHECK_INT(count_of(&r, "tool.progress"), 0);
	CHECK_INT(count_of(&r, "turn.completed"), 1);
	fixture_done(&r);
}

TEST(deny_and_ask_count_like_a_rule)
{
	struct played deny[] = { { "hook:user:pre", "pre_tool_use",
		                   SAYS("{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\","
		                        "\"permissionDecisionReason\":\"not this one\"}}") } };
	struct played ask_first[] = {
		{ "hook:user:pre", "pre_tool_use",
		  SAYS("{\"decision\":\"ask\",\"reason\":\"better ask\"}") }
	};
	struct fixture r;

	fixture_init(&r, deny, COUNT_OF(deny));
	ask(&r, "note it");
	CHECK(last_has(&r, "permission.evaluated",
	               "\"decision\":\"deny\",\"decisionSource\":\"hook\""));
	CHECK(last_has(&r, "tool.failed", "not this one"));
	fixture_done(&r);
	fixture_init(&r, ask_first, COUNT_OF(ask_first));
	ask(&r, "note it");
	CHECK(last_has(&r, "permission.evaluated",
	               "\"decision\":\"ask\",\"decisionSource\":\"hook\""));
	CHECK_INT(count_of(&r, "action.required"), 1);
	fixture_done(&r);
}

TEST(an_allow_answers_a_question)
{
	struct played hooks[] = {
		{ "hook:user:answer", "permission_request", .match = "wipe",
		  SAYS("{\"decision\":\"approve\",\"reason\":\"it is a copy\"}") }
	};
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "wipe it");
	CHECK(last_has(&r, "permission.evaluated",
	               "\"decision\":\"allow\",\"decisionSource\":\"hook\""));
	CHECK_INT(count_of(&r, "action.required"), 0);
	CHECK(last_has(&r, "tool.result", "wiped"));
	fixture_done(&r);
}

TEST(another_output_reaches_the_model)
{
	struct played hooks[] = { { "hook:user:post", "post_tool_use",
		                    SAYS("{\"updatedToolOutput\":\"[redacted]\"}") } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.completed", "\"updatedToolOutputRef\":\"out_"));
	CHECK(last_has(&r, "hook.completed", "\"outputBefore\":\"out_"));
	CHECK_INT(count_of(&r, "turn.completed"), 1);
	fixture_done(&r);
}

TEST(a_blocked_prompt_ends_the_turn)
{
	struct played hooks[] = {
		{ "hook:user:prompt", "user_prompt_submit",
		  SAYS("{\"continue\":false,\"stopReason\":\"out of hours\"}") }
	};
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK(last_has(&r, "turn.failed", "\"category\":\"hook_blocked\""));
	CHECK(last_has(&r, "turn.failed", "out of hours"));
	CHECK_INT(count_of(&r, "model.requested"), 0);
	fixture_done(&r);
}

TEST(a_prompt_about_which_a_hook_would_ask_is_not_accepted)
{
	struct played hooks[] = { { "hook:user:prompt", "user_prompt_submit",
		                    SAYS("{\"decision\":\"ask\",\"reason\":\"who is this\"}") } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.completed", "\"decision\":\"block\""));
	CHECK(last_has(&r, "turn.failed", "who is this"));
	CHECK_INT(count_of(&r, "model.requested"), 0);
	fixture_done(&r);
}

TEST(a_stop_hook_may_ask_for_more_but_not_for_ever)
{
	struct played hooks[] = {
		{ "hook:user:stop", "stop", .on_failure = "open",
		  SAYS("{\"decision\":\"block\",\"reason\":\"run the tests\"}") }
	};
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "hello");
	CHECK_INT(hooks[0].times, 3);
	CHECK_INT(count_of(&r, "model.requested"), 3);
	CHECK_INT(count_of(&r, "turn.completed"), 1);
	fixture_done(&r);
}

/* ---- when they fail ---- */

TEST(closed_hooks_stop_the_call_and_open_ones_only_warn)
{
	struct played closed[] = { { "hook:user:pre", "pre_tool_use",
		                     .end = { .result = HOOK_ANSWERED,
		                              .exit_code = 1,
		                              .has_exit_code = true,
		                              .err = STR("boom") } } };
	struct played slow[] = { { "hook:user:pre", "pre_tool_use", .on_failure = "open",
		                   .end = { .result = HOOK_TIMED_OUT } } };
	struct played rubbish[] = { { "hook:user:pre", "pre_tool_use",
		                      SAYS("{\"decision\":\"maybe\"}") } };
	struct fixture r;

	fixture_init(&r, closed, COUNT_OF(closed));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.failed", "\"failPolicy\":\"closed\""));
	CHECK(last_has(&r, "tool.failed", "\"category\":\"hook_failed\""));
	CHECK_INT(count_of(&r, "tool.progress"), 0);
	fixture_done(&r);
	fixture_init(&r, slow, COUNT_OF(slow));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.failed", "\"category\":\"timeout\""));
	CHECK(last_has(&r, "runtime.warning", "\"category\":\"hook_failed_open\""));
	CHECK_INT(count_of(&r, "tool.result"), 1);
	fixture_done(&r);
	fixture_init(&r, rubbish, COUNT_OF(rubbish));
	ask(&r, "note it");
	CHECK(last_has(&r, "tool.failed", "\"category\":\"hook_failed\""));
	fixture_done(&r);
}

TEST(what_is_not_read_whole_is_told_and_no_answer)
{
	struct played cut[] = { { "hook:user:pre", "pre_tool_use",
		                  .end = { .result = HOOK_ANSWERED,
		                           .has_exit_code = true,
		                           .out = STR("{\"decision\":\"deny\",\"reason\":\"xx"),
		                           .left_out = 700 } } };
	struct played text[] = { { "hook:user:pre", "pre_tool_use",
		                   .end = { .result = HOOK_ANSWERED,
		                            .has_exit_code = true,
		                            .out = STR("a long story"),
		                            .left_out = 700 } } };
	struct fixture r;

	fixture_init(&r, cut, COUNT_OF(cut));
	ask(&r, "note it");
	CHECK(last_has(&r, "hook.failed", "\"category\":\"output_limit\""));
	CHECK(last_has(&r, "tool.failed", "\"category\":\"hook_failed\""));
	CHECK_INT(count_of(&r, "tool.progress"), 0);
	fixture_done(&r);
	fixture_init(&r, text, COUNT_OF(text));
	ask(&r, "note it");
	CHECK(last_has(&r, "output.spilled", "\"complete\":false"));
	CHECK(last_has(&r, "output.spilled", "\"owner\":\"hook\""));
	CHECK(last_has(&r, "output.truncated", "\"keptBytes\":12,\"omittedBytes\":700"));
	CHECK_INT(count_of(&r, "tool.result"), 1);
	fixture_done(&r);
}

TEST(an_interrupt_ends_a_hook_that_hangs)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use", .hangs = true } };
	struct fixture r;
	char params[160];

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	r.stage.open_count = 1;
	snprintf(params, sizeof params, "{\"sessionId\":\"%.*s\"}", STR_ARG(r.session));
	CHECK_INT(sim_call(r.sim, "interrupt_turn", params)->http, 200);
	sim_run(r.sim, 60000);
	CHECK(last_has(&r, "hook.failed", "\"category\":\"interrupted\""));
	CHECK(last_has(&r, "tool.failed", "\"executed\":\"no\""));
	CHECK_INT(count_of(&r, "turn.failed"), 1);
	fixture_done(&r);
}

TEST(a_crash_during_a_hook_is_told_once)
{
	struct played hooks[] = { { "hook:user:pre", "pre_tool_use", .hangs = true } };
	struct fixture r;

	fixture_init(&r, hooks, COUNT_OF(hooks));
	ask(&r, "note it");
	r.session = arena_keep(r.stage.mem, r.session);
	sim_crash(r.sim);
	r.stage.open_count = 0;
	fixture_open(&r);
	sim_run(r.sim, 60000);
	CHECK(last_has(&r, "hook.failed", "\"category\":\"lost\""));
	CHECK(last_has(&r, "history.reconstructed", "\"kind\":\"hook\""));
	CHECK_INT(count_of(&r, "hook.failed"), 1);
	CHECK(last_has(&r, "run.status", "resume_required"));
	fixture_done(&r);
}

TEST_MAIN()
