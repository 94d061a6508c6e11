/* Tools that the caller runs: deadlines, a caller that leaves and comes back, results, sizes. */
#include "task_fixture.h"
#include "core/channel/channel.h"
#include "core/tool/client_tool.h"

static struct rec_channel channel = { .channel_id = { "chan_1", 6 },
	                              .transport = TRANSPORT_WEBSOCKET,
	                              .peer_role = PEER_ROLE_CLIENT };

/* Submits a turn with the tool `save`, from an enrolled connection or from none. */
static struct str submit(struct bench *b, bool is_enrolled, const char *more)
{
	struct command_call call = { .command = COMMAND_SUBMIT_TURN,
		                     .caller = { .principal = STR("owner"),
		                                 .via = STR("test"),
		                                 .channel_id = is_enrolled ? channel.channel_id
		                                                           : STR_NONE },
		                     .channel = is_enrolled ? &channel : NULL,
		                     .request_id = STR("req_1"),
		                     .body_hash = STR("00") };
	struct cmd_submit_turn args = { .session_id = STR("sess_1"), .input = STR("\"hello\"") };
	struct decision *d = begin(b, &call);
	struct str text =
		arena_printf(b->mem, "{\"input\":\"x\",\"tools\":[{\"name\":\"save\"%s}]}", more);
	struct error err = { 0 };
	struct json doc;

	if (json_read_trusted(b->mem, text, &doc, &err) != OK ||
	    rec_read(b->mem, doc, &cmd_submit_turn_desc, REC_CALLER, &args, &err) != OK)
		WRONG("%s", err.message);
	decide_command(d, COMMAND_SUBMIT_TURN, &args);
	CHECK(!d->refusal);
	if (is_enrolled)
		channel_bind(d);
	settle(b, d);
	return arena_keep(b->mem, state_main_thread(b->w)->active_turn_id);
}

/* The model calls `save` so many times; the engine has read the context before. */
static void answer(struct bench *b, struct str turn_id, size_t count)
{
	struct model_call calls[LIMIT_CALLS_PER_ANSWER];
	struct decision *d = begin(b, NULL);
	const struct st_turn *t = state_turn(b->w, turn_id, NULL);

	for (size_t i = 0; i < count; i++)
		calls[i] = (struct model_call){ arena_printf(b->mem, "call_%zu", i), STR("save"),
			                        STR("{\"n\":1}") };
	CHECK(t && str_is(t->model_request_id));
	turn_model_end(d, turn_id, arena_keep(b->mem, t->model_request_id),
	               &(struct model_end){
			       .stop = STOP_REASON_TOOL_USE, .calls = calls, .call_count = count });
	settle(b, d);
}

static const struct st_call *call_at(struct bench *b, uint32_t i)
{
	const struct st_thread *th = state_main_thread(b->w);

	CHECK(i < th->calls.count);
	return th->calls.items[i];
}

/* Moves the clock, and ends what is due. */
static void pass(struct bench *b, int64_t now)
{
	b->now = now;
	for (int i = 0; i < 100; i++) {
		int64_t at = step_deadline(b->w, &b->leases);
		struct decision *d;

		if (!at || at > b->now)
			return;
		d = begin(b, NULL);
		step_time(d);
		CHECK(d->count > 0);
		settle(b, d);
	}
	WRONG("the deadlines do not end");
}

static struct str waiting_turn(struct bench *b, bool is_enrolled, size_t calls)
{
	struct str turn_id;

	bench_init(b, 5);
	turn_id = submit(b, is_enrolled, "");
	answer(b, turn_id, calls);
	return turn_id;
}

static void leave(struct bench *b)
{
	struct decision *d = begin(b, NULL);

	channel_gone(d, channel.channel_id, DISCONNECT_CAUSE_CLOSED, 0);
	CHECK(d->count == 1);
	settle(b, d);
}

TEST(a_call_ends_at_its_deadline)
{
	struct bench b;

	waiting_turn(&b, false, 1);
	CHECK(call_at(&b, 0)->by_client && call_at(&b, 0)->dispatched);
	CHECK_INT(client_tool_deadline(b.w), b.now + 600 * 1000);
	pass(&b, b.now + 600 * 1000 - 1);
	CHECK(!call_is_over(call_at(&b, 0)));
	pass(&b, b.now + 1);
	CHECK(call_at(&b, 0)->status == STATUS_TIMED_OUT);
	CHECK_INT(client_tool_deadline(b.w), 0);
	bench_done(&b);
}

TEST(a_caller_that_left_is_awaited_for_a_minute)
{
	struct bench b;

	waiting_turn(&b, true, 2);
	leave(&b);
	CHECK_INT(client_tool_deadline(b.w), b.now + LIMIT_CLIENT_LEFT_MS);
	pass(&b, b.now + LIMIT_CLIENT_LEFT_MS - 1);
	CHECK(!call_is_over(call_at(&b, 0)));
	pass(&b, b.now + 1);
	CHECK(call_at(&b, 0)->status == STATUS_LOST && call_at(&b, 1)->status == STATUS_LOST);
	CHECK(call_at(&b, 0)->category == ERROR_CATEGORY_LOST);
	bench_done(&b);
}

TEST(a_caller_that_came_back_has_the_whole_time)
{
	struct bench b;
	struct command_call call = { .command = COMMAND_UPDATE_SESSION,
		                     .caller = { .principal = STR("owner") },
		                     .body_hash = STR("00"),
		                     .channel = &channel };
	int64_t until;
	struct decision *d;

	waiting_turn(&b, true, 1);
	until = call_at(&b, 0)->until;
	leave(&b);
	b.now += LIMIT_CLIENT_LEFT_MS / 2;
	d = begin(&b, &call);
	channel_bind(d);
	CHECK(d->count > 0);
	d->call = NULL;
	settle(&b, d);
	CHECK_INT(client_tool_deadline(b.w), until);
	pass(&b, b.now + LIMIT_CLIENT_LEFT_MS);
	CHECK(!call_is_over(call_at(&b, 0)));
	bench_done(&b);
}

TEST(all_calls_of_an_answer_are_handed_over_and_the_model_waits_for_all)
{
	struct bench b;
	struct str turn_id = waiting_turn(&b, false, LIMIT_CALLS_PER_ANSWER);

	struct str ids[LIMIT_CALLS_PER_ANSWER];

	for (uint32_t i = 0; i < LIMIT_CALLS_PER_ANSWER; i++) {
		CHECK(call_at(&b, i)->dispatched);
		ids[i] = arena_keep(b.mem, call_at(&b, i)->tool_call_id);
	}
	for (uint32_t i = 0; i < LIMIT_CALLS_PER_ANSWER; i++) {
		CHECK(!str_is(state_turn(b.w, turn_id, NULL)->model_request_id));
		CHECK(send(&b, COMMAND_COMPLETE_TOOL_CALL,
		           "{\"sessionId\":\"sess_1\",\"toolCallId\":\"%.*s\",\"output\":\"ok\"}",
		           STR_ARG(ids[i])));
	}
	CHECK(str_is(state_turn(b.w, turn_id, NULL)->model_request_id));
	bench_done(&b);
}

TEST(a_turn_that_ended_keeps_no_tools)
{
	struct bench b;
	struct str turn_id;
	struct decision *d;

	bench_init(&b, 5);
	turn_id = submit(&b, false, ",\"description\":\"saves\"");
	CHECK_INT(state_turn(b.w, turn_id, NULL)->tools.count, 1);
	d = begin(&b, NULL);
	turn_model_end(d, turn_id,
	               arena_keep(b.mem, state_turn(b.w, turn_id, NULL)->model_request_id),
	               &(struct model_end){ .stop = STOP_REASON_END_TURN });
	settle(&b, d);
	CHECK(turn_is_over(state_turn(b.w, turn_id, NULL)));
	CHECK_INT(state_turn(b.w, turn_id, NULL)->tools.count, 0);
	bench_done(&b);
}

/* An offer of eight tools with such descriptions; how many bytes each has as JSON. */
static size_t offer(struct arena *mem, struct cmd_submit_turn *cmd, char fill, size_t each)
{
	char *text = arena_alloc(mem, each);

	memset(text, fill, each);
	for (int i = 0; i < 8; i++) {
		struct rec_client_tool *tool =
			rec_list_add(mem, &cmd->tools, &rec_client_tool_desc);

		tool->name = arena_printf(mem, "t%d", i);
		tool->description = str_of(text, each);
	}
	return rec_text(mem, &rec_client_tool_desc, cmd->tools.items[0]).len;
}

TEST(an_offer_is_measured_as_the_event_has_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const char fills[] = { 'x', '"', 1 };
	struct bench b;

	bench_init(&b, 5);
	for (size_t i = 0; i < COUNT_OF(fills); i++) {
		struct cmd_submit_turn small = { .input = STR("\"x\"") }, large = small;
		size_t factor = fills[i] == 'x' ? 1 : fills[i] == '"' ? 2 : 6;
		size_t fits = (LIMIT_CLIENT_TOOLS_BYTES / 8 - 64) / factor;
		struct decision *d = begin(&b, NULL);

		CHECK(offer(mem, &small, fills[i], fits) * 8 <= LIMIT_CLIENT_TOOLS_BYTES);
		CHECK(client_tool_info_check(d, &small));
		CHECK(offer(mem, &large, fills[i], fits + 128 / factor) * 8 >
		      LIMIT_CLIENT_TOOLS_BYTES);
		CHECK(!client_tool_info_check(d, &large) && d->refusal == ERROR_CODE_TOO_LARGE);
	}
	bench_done(&b);
}

TEST_MAIN()
