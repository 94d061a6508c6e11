/* The items of a conversation, folded from events. */
#include "base/jw.h"
#include "openai/openai_api_items.h"
#include "t.h"

#define EVENT(type, rest) "{\"type\":\"" type "\",\"threadId\":\"thr_1\"," rest "}"
#define SAID(turn, text)                                                                           \
	EVENT("turn.submitted",                                                                    \
	      "\"turnId\":\"" turn "\",\"payload\":{\"inputRef\":\"out_" turn                      \
	      "\",\"input\":[{\"type\":\"text\",\"preview\":\"" text "\",\"bytes\":4}]}")
#define DELTA(step, text)                                                                          \
	EVENT("model.delta",                                                                       \
	      "\"stepId\":\"" step "\",\"payload\":{\"kind\":\"text\",\"text\":\"" text "\"}")

static const char *const story[] = {
	"{\"type\":\"session.created\",\"payload\":{\"metadata\":{\"a\":\"1\"}}}",
	SAID("t1", "one "),
	DELTA("s1", "an"),
	DELTA("s1", "swer"),
	EVENT("model.completed", "\"stepId\":\"s1\",\"payload\":{}"),
	SAID("t2", "cut"),
	EVENT("tool.started", "\"toolCallId\":\"c1\",\"payload\":{\"toolName\":\"look\"}"),
	EVENT("tool.progress", "\"toolCallId\":\"c2\",\"payload\":{\"byClient\":true,"
	                       "\"toolName\":\"weather\",\"args\":{\"city\":\"Oslo\"}}"),
	EVENT("tool.failed", "\"toolCallId\":\"c1\",\"payload\":{}"),
	EVENT("tool.result", "\"toolCallId\":\"c2\",\"payload\":{\"displayPreview\":\"dry\"}"),
	EVENT("action.required", "\"actionId\":\"a1\",\"turnId\":\"t2\",\"payload\":{"
	                         "\"toolName\":\"rm\",\"prompt\":\"remove?\"}"),
	EVENT("action.resolved", "\"actionId\":\"a1\",\"turnId\":\"t2\",\"payload\":{"
	                         "\"decision\":\"deny\",\"reason\":\"no\"}"),
	/* Another thread of the same session. */
	"{\"type\":\"turn.submitted\",\"threadId\":\"thr_2\",\"turnId\":\"t3\",\"payload\":{}}",
	"{\"type\":\"session.updated\",\"payload\":{\"metadata\":{\"b\":\"2\"}}}",
};

/* The ids of the page, with commas, and whether there are more. */
static struct str page_of(struct arena *mem, struct openai_api_page page)
{
	CLEANUP(buf_done) struct buf out = { 0 }, ids = { 0 };
	struct openai_api_items t;
	struct json list, item;
	struct json_iter it;
	struct str key;

	openai_api_items_init(&t, STR("sess_1"), &page);
	for (size_t i = 0; i < COUNT_OF(story); i++) {
		struct json event;

		CHECK(json_read(mem, str_from(story[i]), &event, NULL) == OK);
		openai_api_items_event(&t, event);
		CHECK(t.count <= page.limit + 1);
	}
	openai_api_items_write(&out, &t);
	CHECK(json_read(mem, buf_str(&out), &list, NULL) == OK);
	it = json_iter(JSON_GET(list, "data"));
	while (json_next(&it, &key, &item))
		buf_printf(&ids, "%.*s,", STR_ARG(json_str(JSON_GET(item, "id"))));
	if (json_bool(JSON_GET(list, "has_more"), false))
		buf_add_char(&ids, '+');
	if (str_is(page.after) && !t.has_seen_after)
		buf_add_char(&ids, '?');
	openai_api_items_done(&t);
	return arena_keep(mem, buf_str(&ids));
}

TEST(pages_follow_each_other_in_both_orders)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct openai_api_page up = { .limit = 3, .is_ascending = true }, down = { .limit = 3 };

	CHECK_STR(page_of(mem, up), "msg_t1,msg_s1,msg_t2,+");
	up.after = STR("msg_t2");
	CHECK_STR(page_of(mem, up), "thole_c1,fc_c2,fco_c2,+");
	up.after = STR("fco_c2");
	CHECK_STR(page_of(mem, up), "mcpr_sess_1~a1~t2,mcpa_a1,");
	CHECK_STR(page_of(mem, down), "mcpa_a1,mcpr_sess_1~a1~t2,fco_c2,+");
	down.after = STR("fco_c2");
	CHECK_STR(page_of(mem, down), "fc_c2,thole_c1,msg_t2,+");
	down.after = STR("msg_t2");
	CHECK_STR(page_of(mem, down), "msg_s1,msg_t1,");
	up.after = STR("msg_x");
	CHECK_STR(page_of(mem, up), "?");
	down.limit = 100;
	down.after = STR("msg_t3"); /* of another thread */
	CHECK(str_ends(page_of(mem, down), STR("?")));
}

/* A page as JSON, of events that this test has itself. */
static struct str fold_page(struct arena *mem, const char *const *events, size_t count,
                            struct openai_api_page page)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct openai_api_items t;

	openai_api_items_init(&t, STR("sess_1"), &page);
	for (size_t i = 0; i < count; i++) {
		struct json event;

		CHECK(json_read(mem, str_from(events[i]), &event, NULL) == OK);
		openai_api_items_event(&t, event);
	}
	openai_api_items_write(&out, &t);
	openai_api_items_done(&t);
	return arena_keep(mem, buf_str(&out));
}

/* Calls that run side by side end behind the item at which the page ends. */
TEST(a_page_before_an_item_shows_calls_as_they_ended)
{
	static const char *const events[] = {
		EVENT("tool.started", "\"toolCallId\":\"c1\",\"payload\":{}"),
		EVENT("tool.started", "\"toolCallId\":\"c2\",\"payload\":{}"),
		EVENT("tool.result", "\"toolCallId\":\"c1\",\"payload\":{}"),
		EVENT("tool.failed", "\"toolCallId\":\"c2\",\"payload\":{}"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct openai_api_page page = { .limit = 5, .after = STR("thole_c2") };
	struct str out = fold_page(mem, events, COUNT_OF(events), page);

	CHECK_HAS(out, "\"id\":\"thole_c1\",\"type\":\"thole:tool_call\",\"status\":\"completed\"");
	CHECK(str_find(out, STR("\"id\":\"thole_c2\"")) < 0);
}

TEST(words_of_a_failed_request_are_incomplete)
{
	static const char *const events[] = {
		DELTA("s1", "half"),
		EVENT("model.failed", "\"stepId\":\"s1\",\"payload\":{}"),
		DELTA("s2", "whole"),
		EVENT("model.completed", "\"stepId\":\"s2\",\"payload\":{}"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str out = fold_page(mem, events, COUNT_OF(events),
	                           (struct openai_api_page){ .limit = 5, .is_ascending = true });

	CHECK_HAS(out, "\"id\":\"msg_s1\",\"type\":\"message\",\"status\":\"incomplete\"");
	CHECK_HAS(out, "\"id\":\"msg_s2\",\"type\":\"message\",\"status\":\"completed\"");
}

/* Rollbacks are given first; the one to event 2 takes in the one to event 4. */
TEST(turns_that_a_rollback_removed_are_no_items)
{
#define ROLLBACK(seq, target)                                                                      \
	EVENT("history.rollback.completed",                                                        \
	      "\"sequence\":" seq ",\"payload\":{\"targetSequence\":" target "}")
#define TURN(seq, turn)                                                                            \
	EVENT("turn.submitted", "\"sequence\":" seq ",\"turnId\":\"" turn "\",\"payload\":{}")
	static const char *const events[] = {
		ROLLBACK("6", "4"),
		ROLLBACK("9", "2"),
		ROLLBACK("13", "11"),
		"{\"type\":\"history.rollback.completed\",\"threadId\":\"thr_2\",\"sequence\":20,"
		"\"payload\":{\"targetSequence\":0}}",
		TURN("2", "t2"),
		TURN("4", "t4"),
		TURN("5", "t5"),
		TURN("8", "t8"),
		TURN("10", "t10"),
		TURN("12", "t12"),
		TURN("14", "t14"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (int is_up = 0; is_up < 2; is_up++) {
		struct openai_api_page page = { .limit = 3, .is_ascending = is_up };
		struct str out = fold_page(mem, events, COUNT_OF(events), page);

		CHECK_HAS(out, "msg_t2\"");
		CHECK_HAS(out, "msg_t10\"");
		CHECK_HAS(out, "msg_t14\"");
		CHECK_HAS(out, "\"has_more\":false");
		CHECK(str_find(out, STR("msg_t4\"")) < 0 && str_find(out, STR("msg_t12\"")) < 0);
	}
}

static struct str item_of(struct arena *mem, const char *id)
{
	struct openai_api_page page = { .limit = 1, .is_ascending = true, .only = str_from(id) };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct openai_api_items t;

	openai_api_items_init(&t, STR("sess_1"), &page);
	for (size_t i = 0; i < COUNT_OF(story); i++) {
		struct json event;

		CHECK(json_read(mem, str_from(story[i]), &event, NULL) == OK);
		openai_api_items_event(&t, event);
	}
	if (!openai_api_items_write_one(&out, &t))
		buf_add_str(&out, STR("none"));
	openai_api_items_done(&t);
	return arena_keep(mem, buf_str(&out));
}

TEST(each_item_is_what_its_events_say)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(item_of(mem, "msg_t1"), "\"role\":\"user\",\"content\":[{\"type\":"
	                                  "\"input_text\",\"text\":\"one \"}]");
	CHECK_HAS(item_of(mem, "msg_s1"), "\"status\":\"completed\",\"role\":\"assistant\","
	                                  "\"content\":[{\"type\":\"output_text\",\"text\":"
	                                  "\"answer\",\"annotations\":[]}]");
	CHECK_HAS(item_of(mem, "thole_c1"), "\"status\":\"failed\",\"name\":\"look\"");
	CHECK_HAS(item_of(mem, "fc_c2"), "\"call_id\":\"call_sess_1~c2\",\"name\":\"weather\","
	                                 "\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"");
	CHECK_HAS(item_of(mem, "fco_c2"), "\"call_id\":\"call_sess_1~c2\",\"output\":\"dry\"");
	CHECK_HAS(item_of(mem, "mcpr_sess_1~a1~t2"), "\"name\":\"rm\",\"arguments\":\"remove?\"");
	CHECK_HAS(item_of(mem, "mcpa_a1"), "\"approval_request_id\":\"mcpr_sess_1~a1~t2\","
	                                   "\"approve\":false,\"reason\":\"no\"");
	CHECK_STR(item_of(mem, "msg_t3"), "none");
}

/* The event has the beginning of a long text; the whole input is stored. */
TEST(long_texts_are_read_from_where_they_are_stored)
{
	struct openai_api_page page = { .limit = 1, .is_ascending = true, .only = STR("msg_t2") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct openai_api_listed *item;
	struct openai_api_items t;
	struct json event;

	openai_api_items_init(&t, STR("sess_1"), &page);
	CHECK(json_read(mem, str_from(story[5]), &event, NULL) == OK);
	openai_api_items_event(&t, event);
	item = openai_api_items_wants(&t);
	CHECK(item != NULL);
	CHECK_STR(item->ref, "out_t2");
	openai_api_items_give(item, STR("[{\"type\":\"text\",\"text\":\"cut off\"},"
	                                "{\"type\":\"image\",\"name\":\"a.png\"}]"));
	CHECK(openai_api_items_wants(&t) == NULL);
	CHECK(openai_api_items_write_one(&out, &t));
	CHECK_HAS(buf_str(&out), "\"text\":\"cut off\\na.png\"");
	openai_api_items_done(&t);
}

TEST(the_last_metadata_counts)
{
	struct openai_api_page page = { .limit = 1 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct openai_api_items t;
	struct json event;

	openai_api_items_init(&t, STR("sess_1"), &page);
	for (size_t i = 0; i < COUNT_OF(story); i++) {
		CHECK(json_read(mem, str_from(story[i]), &event, NULL) == OK);
		openai_api_items_event(&t, event);
	}
	CHECK_STR(t.metadata, "{\"b\":\"2\"}");
	openai_api_items_done(&t);
}

/* Thousands of turns: the fold holds one page of them. */
TEST(a_long_conversation_costs_one_page)
{
	struct openai_api_page page = { .limit = 5 };
	struct openai_api_items t;

	openai_api_items_init(&t, STR("sess_1"), &page);
	for (int i = 0; i < 5000; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json event;

		CHECK(json_read(mem,
		                arena_printf(mem,
		                             EVENT("turn.submitted",
		                                   "\"turnId\":\"t%d\",\"payload\":{}"),
		                             i),
		                &event, NULL) == OK);
		openai_api_items_event(&t, event);
	}
	CHECK_INT(t.count, 6);
	CHECK_STR(t.listed[5]->id, "msg_t4999");
	openai_api_items_done(&t);
}

TEST_MAIN()
