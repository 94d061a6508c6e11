/* Background processes: their events depend on the folded process alone, and each ends once. */
#include "core/fold_part.h"
#include "core/decide.h"
#include "core/gen/tables.h"
#include "core/process/process.h"
#include "lib/t.h"

struct bench {
	struct arena *mem;
	struct state *state;
	struct settings settings;
	struct command_call call;
	struct id_source ids;
	struct decision d;
};

static struct bench bench(void)
{
	struct bench b = { .mem = arena_new(), .state = state_new() };
	struct st_thread *th = rec_list_add(b.state->mem, &b.state->s->threads, &st_thread_desc);

	th->thread_id = STR("thr_1");
	b.call = (struct command_call){ .caller = { .principal = STR("owner"),
		                                    .via = STR("http") } };
	return b;
}

static void done(struct bench *b)
{
	state_free(b->state);
	arena_free(b->mem);
}
#define BENCH CLEANUP(done) struct bench b = bench()

/* An empty decision. */
static struct decision *fresh(struct bench *b, bool is_command)
{
	static const uint8_t entropy[16] = { 1 };

	id_source_init(&b->ids, 5000, entropy);
	b->d = (struct decision){ .mem = b->mem,
		                  .w = b->state,
		                  .settings = &b->settings,
		                  .call = is_command ? &b->call : NULL,
		                  .session_id = STR("sess_1"),
		                  .now = 5000,
		                  .wall = 5000,
		                  .ids = &b->ids };
	return &b->d;
}

static struct event event(enum event_type type)
{
	return (struct event){ .type = type,
		               .session_id = STR("sess_1"),
		               .thread_id = STR("thr_1"),
		               .turn_id = STR("turn_1"),
		               .step_id = STR("step_1"),
		               .tool_call_id = STR("tool_1"),
		               .process_id = STR("proc_1"),
		               .output_ref = STR("out_1"),
		               .timestamp = 1000 };
}

static void begin(struct bench *b, bool is_background, bool is_tty)
{
	struct event ev = event(EV_PROCESS_STARTED);

	process_on_process_started(b->state, &ev,
	                           &(struct ev_process_started){ .command_summary = STR("cat"),
	                                                         .background = is_background,
	                                                         .tty = is_tty });
}

static struct st_process *process(struct bench *b)
{
	return process_live_find(b->state, STR("proc_1"), NULL);
}

static enum error_code wrote(struct bench *b, const char *data, bool base64, bool eof)
{
	struct cmd_write_process_stdin c = {
		.process_id = STR("proc_1"), .data = str_from(data), .base64 = base64, .eof = eof
	};

	decide_write_process_stdin(fresh(b, true), &c);
	return b->d.refusal;
}

static enum error_code stopped(struct bench *b, const char *id)
{
	struct cmd_terminate_process c = { .process_id = str_from(id) };

	decide_terminate_process(fresh(b, true), &c);
	return b->d.refusal;
}

static enum error_code resized(struct bench *b, int64_t columns, int64_t rows)
{
	struct cmd_resize_process c = { .process_id = STR("proc_1"),
		                        .columns = columns,
		                        .rows = rows };

	decide_resize_process(fresh(b, true), &c);
	return b->d.refusal;
}

TEST(input_is_recorded_without_its_text)
{
	BENCH;

	begin(&b, true, false);
	CHECK_INT(wrote(&b, "secret\n", false, false), 0);
	CHECK_INT(b.d.count, 1);
	CHECK_INT(b.d.events[0]->type, EV_PROCESS_INPUT);
	CHECK_STR(b.d.events[0]->turn_id, "turn_1");
	CHECK_STR(b.d.events[0]->step_id, "step_1");
	CHECK_STR(b.d.events[0]->output_ref, "out_1");

	const struct ev_process_input *p = b.d.events[0]->payload;

	CHECK_INT(p->bytes, 7);
	CHECK(!str_is(p->preview) && !str_is(p->input_ref));
	CHECK_STR(p->requested_by->principal, "owner");
	CHECK_INT(b.d.blob_count, 0);
	CHECK_HAS(b.d.reply, "\"bytes\":7");
}

TEST(bytes_that_are_no_text_come_as_base64)
{
	BENCH;

	begin(&b, true, false);
	CHECK_INT(wrote(&b, "AAEC", true, false), 0);
	CHECK_INT(((const struct ev_process_input *)b.d.events[0]->payload)->bytes, 3);
	CHECK_INT(wrote(&b, "AAE", true, false), ERROR_CODE_INVALID_VALUE);
	CHECK_INT(wrote(&b, "", false, false), ERROR_CODE_INVALID_VALUE);
	CHECK_INT(wrote(&b, "", false, true), 0);
}

TEST(a_closed_input_takes_nothing_and_a_terminal_stays_open)
{
	for (int tty = 0; tty < 2; tty++) {
		BENCH;
		struct event ev = event(EV_PROCESS_INPUT);

		begin(&b, true, tty);
		process_on_process_input(
			b.state, &ev, &(struct ev_process_input){ .eof = true, .has_eof = true });
		CHECK_INT(wrote(&b, "x", false, false), tty ? 0 : ERROR_CODE_STDIN_CLOSED);
	}
}

TEST(a_command_of_a_turn_is_not_written_to_or_ended_alone)
{
	BENCH;

	begin(&b, false, false);
	CHECK_INT(wrote(&b, "x", false, false), ERROR_CODE_STDIN_CLOSED);
	CHECK_INT(stopped(&b, "proc_1"), ERROR_CODE_UNAVAILABLE);
	CHECK_INT(resized(&b, 80, 24), ERROR_CODE_INVALID_VALUE);
}

TEST(a_size_needs_a_terminal_and_bounds)
{
	BENCH;

	begin(&b, true, true);
	CHECK_INT(resized(&b, 80, 24), 0);
	CHECK_INT(b.d.count, 0);
	CHECK_INT(resized(&b, 0, 24), ERROR_CODE_INVALID_VALUE);
	CHECK_INT(resized(&b, 80, 10001), ERROR_CODE_INVALID_VALUE);
}

TEST(what_it_wrote_is_told_from_where_the_last_word_ended)
{
	BENCH;
	struct event ev = event(EV_PROCESS_OUTPUT);

	begin(&b, true, true);
	process_live_grew(fresh(&b, false), STR("proc_1"), 10, 1);
	CHECK_INT(b.d.count, 1);
	process_on_process_output(b.state, &ev, b.d.events[0]->payload);
	process_live_grew(fresh(&b, false), STR("proc_1"), 25, 3);

	const struct ev_process_output *p = b.d.events[0]->payload;

	CHECK_INT(p->offset, 10);
	CHECK_INT(p->bytes, 15);
	CHECK_INT(p->chunks, 3);
	CHECK_INT(p->stream, PROCESS_STREAM_PTY);
	process_live_grew(fresh(&b, false), STR("proc_1"), 10, 1);
	CHECK_INT(b.d.count, 0);
}

static const struct event *end_by(struct bench *b, enum process_exit exit, int64_t survivors,
                                  const struct input_stop *stop)
{
	struct tool_end e = { .exit = exit,
		              .exit_code = 3,
		              .survivors = survivors,
		              .signal = exit == EXIT_BY_STOP ? STR("SIGKILL") : STR_NONE };

	process_live_end(fresh(b, false), STR("proc_1"), &e, stop);
	for (size_t i = 0; i < b->d.count; i++)
		if (b->d.events[i]->type != EV_RUNTIME_WARNING)
			return b->d.events[i];
	return NULL;
}

TEST(each_way_to_end_has_its_own_event)
{
	static const struct {
		enum process_exit exit;
		int64_t survivors;
		enum event_type type;
		enum status status;
	} ways[] = {
		{ EXIT_BY_CODE, 0, EV_PROCESS_COMPLETED, STATUS_COMPLETED },
		{ EXIT_BY_STOP, 0, EV_PROCESS_TERMINATED, STATUS_CANCELLED },
		{ EXIT_BY_SIGNAL, 0, EV_PROCESS_FAILED, STATUS_FAILED },
		{ EXIT_BY_TIMEOUT, 0, EV_PROCESS_FAILED, STATUS_TIMED_OUT },
		{ EXIT_BY_SILENCE, 0, EV_PROCESS_FAILED, STATUS_TIMED_OUT },
		{ EXIT_BY_LIMIT, 0, EV_PROCESS_FAILED, STATUS_FAILED },
		{ EXIT_UNSEEN, -1, EV_PROCESS_FAILED, STATUS_LOST },
	};
	const struct input_stop none = { 0 };

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		BENCH;

		begin(&b, true, false);

		const struct event *ev = end_by(&b, ways[i].exit, ways[i].survivors, &none);

		CHECK(ev);
		CHECK_INT(ev->type, ways[i].type);
		CHECK_INT(ev->status, ways[i].status);
		CHECK_STR(ev->process_id, "proc_1");
		CHECK_INT(b.d.count, ways[i].exit == EXIT_UNSEEN ? 2 : 1);
	}
}

TEST(who_ended_it_is_named)
{
	BENCH;
	struct rec_actor who = { .kind = ACTOR_KIND_USER, .principal = STR("owner") };
	const struct input_stop stop = { .by = TERMINATED_BY_USER,
		                         .cause = STR("terminate_process"),
		                         .reason = STR("enough"),
		                         .actor = &who };

	begin(&b, true, false);

	const struct event *ev = end_by(&b, EXIT_BY_STOP, 0, &stop);
	const struct ev_process_terminated *p = ev->payload;

	CHECK_INT(p->by, TERMINATED_BY_USER);
	CHECK_STR(p->cause, "terminate_process");
	CHECK_STR(p->signal, "SIGKILL");
	CHECK_STR(p->requested_by->principal, "owner");
	CHECK_STR(ev->status_reason, "enough");
	CHECK_STR(ev->native_status, "signal:SIGKILL");
}

TEST(it_ends_once_and_then_nothing_is_taken)
{
	BENCH;
	struct event ev = event(EV_PROCESS_COMPLETED);
	const struct input_stop none = { 0 };

	begin(&b, true, false);
	CHECK(state_is_open(b.state));
	process_on_process_completed(b.state, &ev,
	                             &(struct ev_process_completed){ .exit_code = 0 });
	CHECK(!state_is_open(b.state));
	CHECK(!end_by(&b, EXIT_BY_CODE, 0, &none));
	process_live_grew(fresh(&b, false), STR("proc_1"), 10, 1);
	CHECK_INT(b.d.count, 0);
	CHECK_INT(wrote(&b, "x", false, false), ERROR_CODE_ALREADY_ENDED);
	CHECK_INT(stopped(&b, "proc_1"), ERROR_CODE_ALREADY_ENDED);
	CHECK_INT(stopped(&b, "proc_2"), ERROR_CODE_PROCESS_NOT_FOUND);
}

TEST(a_lost_one_is_unavailable)
{
	BENCH;
	struct event ev = event(EV_PROCESS_FAILED);

	begin(&b, true, false);
	ev.status = STATUS_LOST;
	process_on_process_failed(b.state, &ev,
	                          &(struct ev_process_failed){ .liveness = LIVENESS_UNKNOWN });
	CHECK_INT(wrote(&b, "x", false, false), ERROR_CODE_UNAVAILABLE);
	process_live_unavailable(fresh(&b, false), STR("proc_1"), STR("write_process_stdin"));
	CHECK_INT(b.d.count, 1);
	CHECK_INT(((const struct ev_runtime_warning *)b.d.events[0]->payload)->category,
	          WARNING_CATEGORY_PROCESS_UNAVAILABLE);
	CHECK_STR(b.d.events[0]->thread_id, "thr_1");
}

TEST(the_end_of_its_call_is_not_its_own)
{
	BENCH;
	struct st_thread *th = b.state->s->threads.items[0];
	struct st_turn t = { .turn_id = STR("turn_1") };
	struct st_call c = { .tool_call_id = STR("tool_1"), .process_id = STR("proc_1") };
	struct tool_end e = { .exit = EXIT_NONE };

	begin(&b, true, false);
	CHECK(process_left_by_call(th, &c));
	process_call_end(fresh(&b, false), th, &t, &c, &e);
	process_call_lose(&b.d, th, &t, &c, NULL);
	CHECK_INT(b.d.count, 0);
	process(&b)->background = false;
	CHECK(!process_left_by_call(th, &c));
	process_call_end(fresh(&b, false), th, &t, &c, &e);
	CHECK_INT(b.d.count, 1);
}

TEST_MAIN()
