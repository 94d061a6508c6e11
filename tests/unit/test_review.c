/* Reviews: what they list, how they quote text, and that their memory is bounded. */
#include "core/replay/review.h"
#include "lib/t.h"

static struct event failed_call(int64_t sequence, const struct ev_tool_failed *p)
{
	return (struct event){ .type = EV_TOOL_FAILED,
		               .sequence = sequence,
		               .session_id = STR("sess_1"),
		               .turn_id = STR("turn_1"),
		               .tool_call_id = STR("tool_1"),
		               .payload = (void *)p };
}

static struct json json_of(struct arena *mem, const struct review *r)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct json doc;

	jw_init(&w, &out);
	review_write_json(&w, r);
	CHECK(json_read(mem, buf_str(&out), &doc, NULL) == OK);
	buf_done(&out);
	return doc;
}

TEST(a_list_is_cut_and_counts_everything)
{
	struct ev_tool_failed p = { .tool_name = STR("shell"), .reason = STR("exit") };
	struct arena *mem = arena_new();
	struct review r;
	struct json doc;

	review_init(&r);
	for (int i = 1; i <= REVIEW_LIST_MAX + 5; i++) {
		struct event ev = failed_call(i, &p);

		review_event(&r, &ev);
	}
	doc = json_of(mem, &r);
	CHECK(json_count(JSON_GET(doc, "failures")) == REVIEW_LIST_MAX);
	CHECK_INT(json_int(JSON_GET(JSON_GET(doc, "counts"), "failures"), 0), REVIEW_LIST_MAX + 5);
	CHECK_INT(json_int(JSON_GET(JSON_GET(doc, "sections"), "failed_calls"), 0),
	          REVIEW_LIST_MAX + 5);
	review_done(&r);
	arena_free(mem);
}

TEST(text_of_others_is_no_markdown)
{
	struct ev_tool_failed p = { .tool_name = STR("x\n# heading"),
		                    .reason = STR("[a](http://b) <img src=c> `d`") };
	struct event ev = failed_call(7, &p);
	struct buf out = { 0 };
	struct review r;

	review_init(&r);
	review_event(&r, &ev);
	review_write_markdown(&out, &r);
	CHECK_HAS(buf_str(&out), "x \\# heading");
	CHECK_HAS(buf_str(&out), "\\[a\\]\\(http\\://b\\) \\<img src=c\\> \\`d\\`");
	CHECK(str_find(buf_str(&out), STR("\n# heading")) < 0);
	buf_done(&out);
	review_done(&r);
}

TEST(addresses_are_no_links_and_no_character_is_hidden)
{
	struct ev_tool_failed p = { .tool_name = STR(
					    "see https://a.example or WWW.b.example, a@b.example"),
		                    .reason = STR("safe\xe2\x80\xae"
		                                  "exe.\xe2\x81\xa6"
		                                  "\xe2\x80\x8b"
		                                  "end") };
	struct event ev = failed_call(7, &p);
	struct buf out = { 0 };
	struct review r;

	review_init(&r);
	review_event(&r, &ev);
	review_write_markdown(&out, &r);
	CHECK_HAS(buf_str(&out), "see https\\://a.example or WWW\\.b.example, a\\@b.example");
	CHECK(str_find(buf_str(&out), STR("\xe2\x80\xae")) < 0);
	CHECK(str_find(buf_str(&out), STR("\xe2\x81\xa6")) < 0);
	CHECK(str_find(buf_str(&out), STR("\xe2\x80\x8b")) < 0);
	CHECK_HAS(buf_str(&out), "safe\\<U\\+202E\\>exe.");
	buf_done(&out);
	review_done(&r);
}

TEST(a_log_without_its_beginning_does_not_say_that_nothing_was_asked)
{
	struct ev_snapshot_updated p = { .kind = STR("retention"),
		                         .has_removed_through = true,
		                         .removed_through = 40 };
	struct event ev = { .type = EV_SNAPSHOT_UPDATED,
		            .sequence = 60,
		            .session_id = STR("sess_1"),
		            .payload = &p };
	struct arena *mem = arena_new();
	struct buf out = { 0 };
	struct review r;

	review_init(&r);
	review_event(&r, &ev);
	review_write_markdown(&out, &r);
	CHECK_HAS(buf_str(&out), "The events up to 40 were removed from the log.");
	CHECK(str_find(buf_str(&out), STR("Nothing.")) < 0);
	CHECK_INT(json_int(JSON_GET(json_of(mem, &r), "removedThrough"), 0), 40);
	buf_done(&out);
	review_done(&r);
	arena_free(mem);
}

TEST(a_call_that_may_have_run_is_lost_and_a_question)
{
	struct ev_tool_failed p = { .tool_name = STR("shell"), .executed = EXECUTED_UNKNOWN };
	struct event ev = failed_call(9, &p);
	struct arena *mem = arena_new();
	struct review r;
	struct json doc;

	review_init(&r);
	review_event(&r, &ev);
	doc = json_of(mem, &r);
	CHECK(json_count(JSON_GET(doc, "uncertain")) == 1);
	CHECK_STR(json_str(JSON_GET(json_at(JSON_GET(doc, "questions"), 1), "name")), "event-9");
	review_done(&r);
	arena_free(mem);
}

TEST(a_resolved_approval_is_no_question_any_more)
{
	struct ev_action_required asked = { .prompt = STR("May it?") };
	struct ev_action_resolved given = { .decision = APPROVAL_DECISION_ALLOW, .waited_ms = 30 };
	struct event one = { .type = EV_ACTION_REQUIRED,
		             .sequence = 1,
		             .action_id = STR("act_1"),
		             .payload = &asked };
	struct event two = { .type = EV_ACTION_RESOLVED,
		             .sequence = 2,
		             .action_id = STR("act_1"),
		             .payload = &given };
	struct arena *mem = arena_new();
	struct review r;

	review_init(&r);
	review_event(&r, &one);
	CHECK(json_count(JSON_GET(json_of(mem, &r), "questions")) == 2);
	review_event(&r, &two);
	CHECK(json_count(JSON_GET(json_of(mem, &r), "questions")) == 1);
	CHECK_INT(json_int(JSON_GET(json_of(mem, &r), "waitedForPeopleMs"), 0), 30);
	review_done(&r);
	arena_free(mem);
}

TEST_MAIN()
