/* Runs of AG-UI, folded from events: child agents, activities and the messages of a thread. */
#include "agui/agui_messages.h"
#include "agui/agui_run.h"
#include "base/gen/limits.h"
#include "t.h"

#define EVENT(type, thread, turn, rest)                                                            \
	"{\"type\":\"" type "\",\"threadId\":\"" thread "\",\"turnId\":\"" turn "\"," rest "}"
#define OWN(type, rest) EVENT(type, "thr_1", "turn_1", rest)
#define OF_CHILD(type, rest) EVENT(type, "thr_2", "turn_2", rest)
#define SPAWNED(turn)                                                                              \
	"{\"type\":\"subagent.spawned\",\"subagentId\":\"sub_1\",\"payload\":{\"role\":"           \
	"\"helper\",\"parentTurnId\":\"" turn "\",\"childThreadId\":\"thr_2\"}}"
#define TEXT "\"stepId\":\"s1\",\"payload\":{\"kind\":\"text\",\"text\":\"hi\"}"

/* What a run writes for these events. */
static struct str run_of(struct arena *mem, const char *const *events, size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct agui_run r = { .mem = mem,
		              .out = &out,
		              .thread_id = STR("t"),
		              .run_id = STR("r"),
		              .turn_id = STR("turn_1") };

	for (size_t i = 0; i < count; i++) {
		struct json event;

		CHECK(json_read(mem, str_from(events[i]), &event, NULL) == OK);
		agui_run_event(&r, event);
	}
	agui_run_close(&r);
	return arena_keep(mem, buf_str(&out));
}

TEST(a_child_speaks_with_its_id_and_ends_before_the_run)
{
	static const char *const events[] = {
		SPAWNED("turn_1"),
		OF_CHILD("model.delta", TEXT),
		OWN("turn.completed", "\"payload\":{}"),
		OF_CHILD("model.delta", TEXT),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = run_of(mem, events, COUNT_OF(events));

	CHECK_HAS(out, "\"SUBAGENT_STARTED\",\"subagentRunId\":\"sub_1\",\"name\":\"helper\"");
	CHECK_HAS(out, "\"delta\":\"hi\",\"subagentRunId\":\"sub_1\"");
	CHECK(str_find(out, STR("TEXT_MESSAGE_END")) < str_find(out, STR("SUBAGENT_FINISHED")));
	CHECK_HAS(out, "\"outcome\":{\"type\":\"suspended\"}");
	CHECK(str_find(out, STR("SUBAGENT_FINISHED")) < str_find(out, STR("RUN_FINISHED")));
	CHECK(str_ends(out, STR("\"outcome\":{\"type\":\"success\"}}\n\n")));
}

TEST(children_of_other_turns_are_not_part_of_the_run)
{
	static const char *const events[] = {
		SPAWNED("turn_9"),
		OF_CHILD("model.delta", TEXT),
		OF_CHILD("turn.completed", "\"payload\":{}"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(run_of(mem, events, COUNT_OF(events)), "");
}

TEST(the_end_of_a_childs_turn_is_not_that_of_the_run)
{
	static const char *const events[] = {
		SPAWNED("turn_1"),
		OF_CHILD("turn.failed", "\"payload\":{\"message\":\"m\"}"),
		"{\"type\":\"subagent.failed\",\"subagentId\":\"sub_1\",\"payload\":{\"message\":"
		"\"m\",\"category\":\"auth\"}}",
		OWN("model.delta", TEXT),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = run_of(mem, events, COUNT_OF(events));

	CHECK_HAS(out, "\"SUBAGENT_ERROR\",\"subagentRunId\":\"sub_1\",\"message\":\"m\","
	               "\"code\":\"auth\"");
	CHECK_HAS(out, "TEXT_MESSAGE_CONTENT");
	CHECK(str_find(out, STR("RUN_")) < 0);
}

TEST(tasks_are_activities_and_those_of_turns_are_not)
{
	static const char *const events[] = {
		OWN("task.created", "\"taskId\":\"a\",\"status\":\"draft\",\"payload\":{"
		                    "\"implicit\":true}"),
		OWN("task.started", "\"taskId\":\"a\",\"status\":\"running\",\"payload\":{}"),
		OWN("task.created", "\"taskId\":\"b\",\"status\":\"draft\",\"payload\":{"
		                    "\"objective\":\"o\"}"),
		OWN("task.progress", "\"taskId\":\"b\",\"payload\":{\"summary\":\"half\"}"),
		OWN("task.completed", "\"taskId\":\"b\",\"status\":\"completed\",\"payload\":{}"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = run_of(mem, events, COUNT_OF(events));

	CHECK(str_find(out, STR("activity_a")) < 0);
	CHECK_HAS(out, "\"content\":{\"taskId\":\"b\",\"objective\":\"o\",\"status\":\"draft\"}");
	CHECK_HAS(out, "\"path\":\"/progress\",\"value\":\"half\"");
	CHECK_HAS(out, "\"path\":\"/status\",\"value\":\"completed\"");
}

TEST(a_todo_list_counts_when_its_call_succeeded)
{
#define PLAN(call)                                                                                 \
	OWN("tool.started", "\"toolCallId\":\"" call "\",\"payload\":{\"toolName\":"               \
	                    "\"update_todo\",\"safeArgs\":{\"items\":[{\"text\":\"" call "\"}]}}")
	static const char *const events[] = {
		PLAN("c1"),
		OWN("tool.result", "\"toolCallId\":\"c1\",\"payload\":{\"isError\":true}"),
		PLAN("c2"),
		OWN("tool.result", "\"toolCallId\":\"c2\",\"payload\":{}"),
		PLAN("c3"),
		OWN("tool.result", "\"toolCallId\":\"c3\",\"payload\":{}"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = run_of(mem, events, COUNT_OF(events));

	CHECK(str_find(out, STR("\"content\":{\"items\":[{\"text\":\"c1\"}]}")) < 0);
	CHECK_HAS(out, "\"content\":{\"items\":[{\"text\":\"c2\"}]}");
	CHECK_HAS(out, "\"path\":\"/items\",\"value\":[{\"text\":\"c3\"}]");
}

/* Thousands of messages: the newest are kept. */
TEST(messages_of_a_thread_are_bounded)
{
	struct agui_messages m;

	agui_messages_init(&m);
	for (int i = 0; i < 3000; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json event;

		CHECK(json_read(mem,
		                arena_printf(
					mem,
					"{\"type\":\"model.delta\",\"threadId\":\"t\","
					"\"stepId\":\"s%d\",\"payload\":{\"text\":\"%010000d\"}}",
					i, i),
		                &event, NULL) == OK);
		agui_messages_event(&m, event);
	}
	CHECK(m.count <= LIMIT_AGUI_MESSAGES && m.bytes <= LIMIT_AGUI_MESSAGES_BYTES);
	CHECK_INT(m.count, LIMIT_AGUI_MESSAGES_BYTES / 10000);
	CHECK_STR(m.list[m.count - 1]->id, "s2999");
	agui_messages_done(&m);
}

static struct str snapshot_of(struct arena *mem, const char *const *events, size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct agui_messages m;

	agui_messages_init(&m);
	for (size_t i = 0; i < count; i++) {
		struct json event;

		CHECK(json_read(mem, str_from(events[i]), &event, NULL) == OK);
		agui_messages_event(&m, event);
	}
	agui_messages_write(&out, &m);
	agui_messages_done(&m);
	return arena_keep(mem, buf_str(&out));
}

#define SAID(seq, turn, step, text)                                                                \
	"{\"type\":\"model.delta\",\"threadId\":\"t\",\"sequence\":" seq ",\"turnId\":\"" turn     \
	"\",\"stepId\":\"" step "\",\"payload\":{\"text\":\"" text "\"}}"

TEST(words_of_a_request_that_was_sent_again_are_no_message)
{
	static const char *const events[] = {
		SAID("1", "turn1", "s1", "half of it"),
		"{\"type\":\"model.failed\",\"threadId\":\"t\",\"stepId\":\"s1\",\"payload\":{}}",
		SAID("3", "turn1", "s2", "the whole"),
		SAID("4", "turn2", "s3", "interrupted"),
		"{\"type\":\"model.failed\",\"threadId\":\"t\",\"stepId\":\"s3\",\"payload\":{}}",
		SAID("6", "turn3", "s4", "next"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = snapshot_of(mem, events, COUNT_OF(events));

	CHECK(str_find(out, STR("half")) < 0);
	CHECK_HAS(out, "the whole");
	CHECK_HAS(out, "interrupted");
	CHECK_HAS(out, "next");
}

TEST(turns_that_a_rollback_removed_are_no_messages)
{
	static const char *const events[] = {
		SAID("1", "turn1", "s1", "stays"),
		SAID("4", "turn2", "s2", "leaves"),
		"{\"type\":\"history.rollback.completed\",\"threadId\":\"t\",\"sequence\":5,"
		"\"payload\":{\"targetSequence\":3}}",
		SAID("6", "turn3", "s3", "follows"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = snapshot_of(mem, events, COUNT_OF(events));

	CHECK_HAS(out, "stays");
	CHECK_HAS(out, "follows");
	CHECK(str_find(out, STR("leaves")) < 0);
}

TEST(a_result_without_its_call_is_left_out)
{
	static const char *const events[] = {
		"{\"type\":\"tool.failed\",\"threadId\":\"t\",\"toolCallId\":\"c1\","
		"\"payload\":{\"displayPreview\":\"orphan\"}}",
		SAID("2", "turn1", "s1", "words"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = snapshot_of(mem, events, COUNT_OF(events));

	CHECK(str_find(out, STR("orphan")) < 0);
	CHECK_HAS(out, "words");
}

/* Inputs of a mebibyte: what is read from elsewhere counts too, and the newest are whole. */
TEST(stored_texts_of_messages_are_bounded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = arena_printf(mem, "[{\"type\":\"text\",\"text\":\"%01000000d\"}]", 7);
	struct agui_message *one;
	struct agui_messages m;
	int asked = 0;

	agui_messages_init(&m);
	for (int i = 0; i < 100; i++) {
		struct json event;

		CHECK(json_read(mem,
		                arena_printf(
					mem,
					"{\"type\":\"turn.submitted\",\"threadId\":\"t\","
					"\"turnId\":\"t%d\",\"payload\":{\"inputRef\":\"out_%d\","
					"\"input\":[{\"type\":\"text\",\"preview\":\"0\","
					"\"bytes\":1000000}]}}",
					i, i),
		                &event, NULL) == OK);
		agui_messages_event(&m, event);
	}
	for (; (one = agui_messages_wants(&m)); asked++)
		agui_messages_give(&m, one, text);
	CHECK(asked <= 5 && m.bytes <= LIMIT_AGUI_MESSAGES_BYTES);
	CHECK_INT(m.count, 4);
	CHECK_STR(m.list[3]->id, "t99");
	CHECK_INT(m.list[3]->text.len, 1000000);
	agui_messages_done(&m);
}

TEST_MAIN()
