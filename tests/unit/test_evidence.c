/*
 * Evidence: what belongs to a scope, what a tally says of it, and that every
 * golden log folds to the same read models however it is read.
 */
#include "core/evidence/evidence.h"
#include "core/replay/replay.h"
#include "lib/golden.h"
#include "lib/t.h"

/* ---- replay ---- */

static void fold_all(struct replay *r, const struct str *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct error e;
		struct event *ev;

		CHECK_OK(replay_read(r, lines[i], &ev, &e), &e);
		replay_fold(r, ev);
	}
}

static void folds_twice(const char *name, const struct str *lines, size_t count, void *arg)
{
	struct replay one, two;

	replay_init(&one);
	replay_init(&two);
	fold_all(&one, lines, count);
	fold_all(&two, lines, count);
	for (size_t i = 0; i < replay_view_count(); i++) {
		struct buf a = { 0 }, b = { 0 };

		replay_view_write(&a, &one, i);
		replay_view_write(&b, &two, i);
		CHECK(str_eq(buf_str(&a), buf_str(&b)));
		CHECK(a.len && a.ptr[a.len - 1] == '\n');
		buf_done(&a);
		buf_done(&b);
	}
	CHECK(one.events == count);
	replay_done(&one);
	replay_done(&two);
}

TEST(golden_logs_fold_to_the_same_views_twice)
{
	CHECK(golden_files(folds_twice, NULL) > 500);
}

TEST(a_line_that_is_no_event_is_refused)
{
	static const char *const lines[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"type\":\"no.such\"}",
		"{\"type\":\"turn.started\",\"sequence\":\"1\"}",
		"{\"type\":\"tool.result\",\"eventId\":\"evt_1\",\"sequence\":1,\"payload\":[]}",
	};
	struct replay r;
	struct event *ev;
	struct error e;

	replay_init(&r);
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		CHECK(replay_read(&r, str_from(lines[i]), &ev, &e) != OK);
	CHECK(replay_floor(&r, STR("{\"state\":7}"), &e) != OK);
	CHECK(r.events == 0);
	replay_done(&r);
}

/* ---- scope ---- */

struct counted {
	const char *file;
	struct evidence_scope scope;
	struct evidence_tally tally;
	size_t matched, frames, out;
	bool is_closed;
};

static void count_log(const char *name, const struct str *lines, size_t count, void *arg)
{
	struct counted *c = arg;
	struct replay r;

	if (strcmp(name, c->file) != 0)
		return;
	replay_init(&r);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++) {
			struct event *ev;
			bool is_frame;

			CHECK(replay_read(&r, lines[i], &ev, NULL) == OK);
			if (pass == 0) {
				evidence_scope_learn(&c->scope, ev);
				continue;
			}
			if (!evidence_scope_has(&c->scope, ev, &is_frame)) {
				c->out++;
				continue;
			}
			c->matched += !is_frame;
			c->frames += is_frame;
			replay_fold(&r, ev);
			evidence_tally_event(&c->tally, ev);
		}
	c->is_closed = evidence_scope_is_closed(&c->scope, r.state);
	replay_done(&r);
}

static void count_scope(struct counted *c, struct arena *mem)
{
	c->scope.mem = c->tally.mem = mem;
	c->scope.session_id = STR("sess_1");
	golden_files(count_log, c);
}

TEST(a_session_has_all_its_events)
{
	struct arena *mem = arena_new();
	struct counted c = { .file = "job.ndjson" };

	count_scope(&c, mem);
	CHECK(c.matched > 50 && !c.frames && !c.out && c.is_closed);
	CHECK(str_eq(evidence_scope_kind(&c.scope), STR("session")));
	CHECK(evidence_tally_status(&c.tally, SIGNAL_JOB) == EVIDENCE_SIGNAL_EXPORTED);
	CHECK(evidence_tally_status(&c.tally, SIGNAL_CHANNEL) == EVIDENCE_SIGNAL_NOT_APPLICABLE);
	CHECK(evidence_tally_status(&c.tally, SIGNAL_TELEMETRY) == EVIDENCE_SIGNAL_NOT_RECORDED);
	CHECK(evidence_tally_gaps(&c.tally, mem).count == 0);
	arena_free(mem);
}

TEST(a_turn_has_its_events_and_the_frame)
{
	struct arena *mem = arena_new();
	struct counted c = { .file = "job.ndjson", .scope.turn_id = STR("turn_1") };

	count_scope(&c, mem);
	CHECK(c.matched == 23 && c.frames == 2 && c.is_closed);
	arena_free(mem);
}

TEST(a_job_has_the_turns_of_its_items)
{
	struct arena *mem = arena_new();
	struct counted c = { .file = "job.ndjson", .scope.job_id = STR("job_1") };

	count_scope(&c, mem);
	CHECK(c.scope.turns.count == 3 && c.is_closed);
	CHECK(c.out == 1); /* the main thread has nothing to do with it */
	arena_free(mem);
}

TEST(ids_that_do_not_belong_together_match_nothing)
{
	struct arena *mem = arena_new();
	struct counted c = { .file = "job.ndjson",
		             .scope.turn_id = STR("turn_1"),
		             .scope.task_id = STR("task_2") };

	count_scope(&c, mem);
	CHECK(!c.matched);
	arena_free(mem);
}

TEST(many_turns_are_found_again)
{
	struct arena *mem = arena_new();
	struct evidence_scope s = { .mem = mem, .job_id = STR("job_1") };
	struct event ev = { .type = EV_TURN_SUBMITTED, .job_id = STR("job_1") };
	bool is_frame;

	for (int i = 0; i < 5000; i++) {
		ev.turn_id = arena_printf(mem, "turn_%d", i);
		evidence_scope_learn(&s, &ev);
		evidence_scope_learn(&s, &ev);
	}
	CHECK(s.turns.count == 5000);
	ev = (struct event){ .type = EV_TURN_STARTED, .turn_id = STR("turn_4711") };
	CHECK(evidence_scope_has(&s, &ev, &is_frame) && !is_frame);
	ev.turn_id = STR("turn_5000");
	CHECK(!evidence_scope_has(&s, &ev, &is_frame));
	arena_free(mem);
}

/* ---- tally ---- */

TEST(a_run_that_is_traced_in_part_is_a_gap)
{
	struct arena *mem = arena_new();
	struct evidence_tally t = { .mem = mem };
	struct event ev = { .type = EV_TURN_STARTED, .run_id = STR("run_1"), .sequence = 1 };

	ev.trace_id = STR("0af7651916cd43dd8448eb211c80319c");
	evidence_tally_event(&t, &ev);
	CHECK(evidence_tally_status(&t, SIGNAL_TELEMETRY) == EVIDENCE_SIGNAL_EXPORTED);
	ev.trace_id = STR_NONE;
	evidence_tally_event(&t, &ev);
	CHECK(evidence_tally_status(&t, SIGNAL_TELEMETRY) == EVIDENCE_SIGNAL_MISSING_CORRELATION);
	CHECK(evidence_tally_gaps(&t, mem).count == 1);
	arena_free(mem);
}

TEST_MAIN()
