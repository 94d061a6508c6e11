#include "app/chat/screen/chat_draw.h"

#include "app/chat/input/chat_text.h"
#include "app/chat/screen/chat_wrap.h"
#include "lib/t.h"

static struct cli cli;

static void begin(struct chat_view *v)
{
	cli = (struct cli){
		.mem = arena_new(), .is_tty_out = true, .is_tty_err = true, .is_tty_in = true
	};
	chat_view_init(v, &cli);
	snprintf(v->thread, sizeof v->thread, "thr_1");
}

static void end(struct chat_view *v)
{
	chat_view_done(v);
	arena_free(cli.mem);
}

/* An event of the thread; payload is JSON. */
static bool event(struct chat_view *v, const char *type, const char *more, const char *payload)
{
	struct str raw = arena_printf(
		cli.mem,
		"{\"type\":\"%s\",\"sequence\":%lld,\"sessionId\":\"sess_1\","
		"\"threadId\":\"thr_1\",\"turnId\":\"turn_1\"%s,\"payload\":%s,"
		"\"timestamp\":\"2026-01-01T00:00:0%lld.000Z\"}",
		type, (long long)v->after + 1, more, payload, (long long)(v->after % 10));

	return chat_view_event(v, raw);
}

static void submit(struct chat_view *v, const char *text)
{
	event(v, "turn.submitted", "",
	      arena_printf(
		      cli.mem,
		      "{\"status\":\"accepted\",\"kind\":\"user\",\"input\":[{\"type\":\"text\","
		      "\"preview\":\"%s\"}]}",
		      text)
	              .ptr);
	event(v, "turn.started", "", "{}");
}

static struct str taken(struct chat_view *v)
{
	struct buf out = { 0 };
	struct str kept;

	chat_view_take(v, &out);
	kept = arena_keep(cli.mem, buf_str(&out));
	buf_done(&out);
	return kept;
}

/* An event of another turn of the thread. */
static void other(struct chat_view *v, const char *type, const char *turn, const char *payload)
{
	struct str raw = arena_printf(cli.mem,
	                              "{\"type\":\"%s\",\"sequence\":%lld,\"sessionId\":\"sess_1\","
	                              "\"threadId\":\"thr_1\",\"turnId\":\"%s\",\"payload\":%s,"
	                              "\"timestamp\":\"2026-01-01T00:00:00.000Z\"}",
	                              type, (long long)v->after + 1, turn, payload);

	chat_view_event(v, raw);
}

static void steer(struct chat_view *v, const char *turn)
{
	other(v, "turn.submitted", turn,
	      arena_printf(cli.mem,
	                   "{\"status\":\"accepted\",\"kind\":\"user\",\"mergedInto\":\"turn_1\","
	                   "\"input\":[{\"type\":\"text\",\"preview\":\"text of %s\"}]}",
	                   turn)
	              .ptr);
}

TEST(a_steer_waits_and_is_shown_where_it_is_read)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "first");
	taken(&v);
	steer(&v, "turn_2");
	CHECK(v.queued_count == 1 && v.queued[0].is_steer);
	CHECK(!taken(&v).len);
	other(&v, "turn.completed", "turn_2", "{\"outcome\":\"merged\",\"mergedInto\":\"turn_1\"}");
	CHECK(!v.queued_count && v.state == CHAT_RUNNING);
	CHECK_HAS(taken(&v), "text of turn_2");
	end(&v);
}

TEST(a_steer_that_came_too_late_is_queued_in_the_order_of_the_event)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "first");
	other(&v, "turn.submitted", "turn_2",
	      "{\"status\":\"queued\",\"kind\":\"user\",\"input\":[{\"type\":\"text\",\"preview\":"
	      "\"b\"}]}");
	steer(&v, "turn_3");
	other(&v, "queue.changed", "turn_3",
	      "{\"change\":\"added\",\"queuedTurnId\":\"turn_3\",\"order\":[\"turn_3\",\"turn_2\"]"
	      "}");
	CHECK_STR(str_from(v.queued[0].turn), "turn_3");
	CHECK(v.queued_count == 2 && !v.queued[0].is_steer);
	other(&v, "queue.changed", "turn_3",
	      "{\"change\":\"held\",\"order\":[\"turn_3\",\"turn_2\"]}");
	CHECK(v.is_held);
	other(&v, "queue.changed", "turn_3",
	      "{\"change\":\"removed\",\"queuedTurnId\":\"turn_3\",\"order\":[\"turn_2\"]}");
	other(&v, "queue.changed", "turn_2",
	      "{\"change\":\"removed\",\"queuedTurnId\":\"turn_2\",\"order\":[]}");
	CHECK(!v.is_held && !v.queued_count);
	end(&v);
}

TEST(the_cost_of_other_threads_counts)
{
	struct chat_view v;

	begin(&v);
	CHECK(chat_view_event(
		&v, STR("{\"type\":\"cost.recorded\",\"sequence\":1,\"sessionId\":\"sess_1\","
	                "\"threadId\":\"thr_child\",\"turnId\":\"turn_9\",\"payload\":"
	                "{\"amountUsd\":0.25},\"timestamp\":\"2026-01-01T00:00:00.000Z\"}")));
	CHECK(v.has_cost && v.cost_usd == 0.25);
	end(&v);
}

TEST(finished_lines_are_given_once_and_the_open_line_stays)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "hi");
	CHECK_SAME(taken(&v), STR("\n› hi\n"));
	event(&v, "model.delta", "", "{\"kind\":\"text\",\"text\":\"one\\ntwo three\"}");
	CHECK_SAME(taken(&v), STR("one\n"));
	CHECK_SAME(chat_view_open_line(&v), STR("two"));
	CHECK_SAME(taken(&v), STR(""));
	event(&v, "model.completed", "", "{}");
	CHECK_SAME(taken(&v), STR("two three\n"));
	CHECK(v.state == CHAT_RUNNING);
	event(&v, "turn.completed", "", "{\"outcome\":\"completed\",\"costUsd\":0.5}");
	CHECK(v.state == CHAT_IDLE && v.has_ended);
	CHECK(str_find(taken(&v), STR("$0.50")) >= 0);
	end(&v);
}

TEST(an_event_counts_once)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "hi");
	taken(&v);
	CHECK(!chat_view_event(
		&v, STR("{\"type\":\"model.delta\",\"sequence\":1,\"threadId\":\"thr_1\","
	                "\"payload\":{\"kind\":\"text\",\"text\":\"x\\n\"}}")));
	CHECK_SAME(taken(&v), STR(""));
	CHECK(!chat_view_event(&v, STR("no event")));
	end(&v);
}

TEST(a_call_is_one_line_when_it_ends)
{
	struct chat_view v;
	struct str text;

	begin(&v);
	submit(&v, "hi");
	taken(&v);
	event(&v, "tool.started", ",\"toolCallId\":\"tool_1\"",
	      "{\"toolName\":\"shell\",\"safeArgs\":{\"command\":\"make test\"}}");
	CHECK_SAME(taken(&v), STR(""));
	CHECK(v.show.call_count == 1);
	event(&v, "tool.result", ",\"toolCallId\":\"tool_1\"",
	      "{\"toolName\":\"shell\",\"exitCode\":2,\"isError\":true,\"durationMs\":1500,"
	      "\"displayPreview\":\"a\\nb\\nc\\nd\\ne\\n\"}");
	text = taken(&v);
	CHECK(str_find(text, STR("✗ shell  make test  1.5 s, exit 2")) >= 0);
	CHECK(str_find(text, STR("… 2 more lines")) >= 0);
	CHECK(!v.show.call_count);
	end(&v);
}

TEST(queued_messages_wait_outside_the_text)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "hi");
	taken(&v);
	chat_view_event(&v,
	                STR("{\"type\":\"turn.submitted\",\"sequence\":10,\"threadId\":\"thr_1\","
	                    "\"turnId\":\"turn_2\",\"payload\":{\"status\":\"queued\","
	                    "\"input\":[{\"type\":\"text\",\"preview\":\"later\"}]}}"));
	CHECK(v.queued_count == 1);
	CHECK_SAME(taken(&v), STR(""));
	chat_view_event(&v, STR("{\"type\":\"turn.started\",\"sequence\":11,\"threadId\":\"thr_1\","
	                        "\"turnId\":\"turn_2\",\"payload\":{}}"));
	CHECK(!v.queued_count);
	CHECK_SAME(taken(&v), STR("\n› later\n"));
	end(&v);
}

TEST(an_approval_is_pending_until_it_is_resolved)
{
	struct chat_view v;

	begin(&v);
	submit(&v, "hi");
	event(&v, "action.required", ",\"actionId\":\"act_1\"",
	      "{\"actionType\":\"tool_permission\"}");
	CHECK(v.state == CHAT_ASKING && v.pending_count == 1 && v.has_asked);
	event(&v, "action.resolved", ",\"actionId\":\"act_1\"", "{\"decision\":\"allow\"}");
	CHECK(v.state == CHAT_RUNNING && !v.pending_count);
	end(&v);
}

TEST(cost_and_cap_add_up)
{
	struct chat_view v;

	begin(&v);
	event(&v, "cost.recorded",
	      ",\"limitState\":{\"budgets\":[{\"scope\":\"session\",\"capUsd\":2.5}]}",
	      "{\"amountUsd\":0.25,\"inputTokens\":100,\"outputTokens\":20}");
	event(&v, "cost.recorded", "", "{\"amountUsd\":0.5}");
	CHECK(v.cost_usd == 0.75 && v.cap_usd == 2.5 && v.context_tokens == 120);
	event(&v, "cost.recorded", "", "{\"amountState\":\"unknown\"}");
	CHECK(v.has_unknown_cost);
	end(&v);
}

TEST(events_of_other_threads_are_not_shown)
{
	struct chat_view v;

	begin(&v);
	CHECK(!chat_view_event(
		&v, STR("{\"type\":\"model.delta\",\"sequence\":1,\"threadId\":\"thr_2\","
	                "\"payload\":{\"kind\":\"text\",\"text\":\"x\\n\"}}")));
	CHECK(v.after == 1);
	CHECK_SAME(taken(&v), STR(""));
	end(&v);
}

TEST(text_of_the_outside_is_made_safe)
{
	struct chat_view v;
	struct str text;

	begin(&v);
	submit(&v, "a\\u001b[2Jb \\u202e");
	event(&v, "model.delta", "", "{\"kind\":\"text\",\"text\":\"x\\u001b]0;t\\u0007y\\n\"}");
	event(&v, "tool.result", "",
	      "{\"toolName\":\"sh\\u001bell\",\"displayPreview\":\"\\u001b[31mred\"}");
	text = taken(&v);
	CHECK(str_find_char(text, '\033') < 0 && str_find_char(text, '\a') < 0);
	CHECK(str_find(text, STR("<U+202E>")) >= 0);
	end(&v);
}

/* ---- drawing ---- */

struct canvas {
	struct chat_view view;
	struct chat_edit edit;
	struct chat_frame frame;
	struct chat_scene scene;
};

static void canvas_begin(struct canvas *k, size_t columns, size_t rows)
{
	begin(&k->view);
	chat_edit_init(&k->edit);
	k->frame = (struct chat_frame){ 0 };
	k->scene = (struct chat_scene){ .view = &k->view,
		                        .edit = &k->edit,
		                        .columns = columns,
		                        .rows = rows,
		                        .place = "~/work (main)" };
	k->view.columns = columns;
}

static void canvas_draw(struct canvas *k)
{
	struct arena *mem = arena_new();

	chat_draw(&k->frame, &k->scene, mem);
	CHECK(k->frame.count && k->frame.count < k->scene.rows);
	CHECK(k->frame.cursor_row < k->frame.count);
	CHECK(k->frame.cursor_column < k->scene.columns);
	for (size_t i = 0; i < k->frame.count; i++)
		CHECK(chat_text_width(chat_draw_row(&k->frame, i)) < k->scene.columns);
	arena_free(mem);
}

static void canvas_end(struct canvas *k)
{
	chat_draw_frame_done(&k->frame);
	chat_edit_done(&k->edit);
	end(&k->view);
}

TEST(no_row_is_wider_or_higher_than_the_terminal)
{
	static const size_t sizes[][2] = { { 80, 24 }, { 120, 40 }, { 40, 15 }, { 20, 6 } };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct canvas k;

		canvas_begin(&k, sizes[i][0], sizes[i][1]);
		submit(&k.view, "hi");
		event(&k.view, "model.delta", "",
		      "{\"kind\":\"text\",\"text\":\"a日本語long long line without an end and "
		      "an日本\"}");
		event(&k.view, "tool.started", ",\"toolCallId\":\"tool_1\"",
		      "{\"toolName\":\"shell\",\"safeArgs\":{\"command\":\"a long 日本語 command "
		      "line that "
		      "does not fit into a narrow window\"}}");
		k.scene.prompt =
			"  [y] once  [t] this turn  [s] this session  [a] always here  [n] no ›";
		k.scene.notice = "  "
				 "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本"
				 "語日本語日本";
		for (int n = 0; n < 30; n++)
			chat_edit_insert(&k.edit, STR("日本語 and words "));
		canvas_draw(&k);
		k.edit.cursor = 0;
		canvas_draw(&k);
		canvas_end(&k);
	}
}

TEST(the_cursor_stands_behind_wide_characters)
{
	struct canvas k;

	canvas_begin(&k, 40, 15);
	chat_edit_insert(&k.edit, STR("日本"));
	canvas_draw(&k);
	CHECK(k.frame.cursor_column == 6);
	CHECK_SAME(chat_draw_row(&k.frame, k.frame.cursor_row), STR("› 日本"));
	chat_edit_insert(&k.edit, STR("\n"));
	canvas_draw(&k);
	CHECK(k.frame.cursor_column == 2);
	canvas_end(&k);
}

static struct str wrapped(const char *line, size_t columns)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	CHECK(chat_wrap_rows(NULL, str_from(line), columns) ==
	      chat_wrap_rows(&out, str_from(line), columns));
	return arena_keep(cli.mem, buf_str(&out));
}

TEST(long_lines_break_at_words_and_lose_nothing)
{
	cli.mem = arena_new();
	CHECK_SAME(wrapped("\x0e  one two three four", 14),
	           STR("  one two \r\n    three \r\n    four\r\n"));
	CHECK_SAME(wrapped("\x0e  /ab  one two three four", 22),
	           STR("  /ab  one two three \r\n       four\r\n"));
	CHECK_SAME(wrapped("\x0f    rm -rf one two", 14), STR("    rm -rf \r\n    ↪ one two\r\n"));
	CHECK_SAME(wrapped("\x0f\033[1m  abcdefghijkl\033[0m", 10),
	           STR("\033[1m  abcdefg\r\n  ↪ hijkl\033[0m\r\n"));
	CHECK_SAME(wrapped("left to the terminal", 10), STR("left to the terminal\r\n"));
	CHECK_SAME(wrapped("\x0e", 10), STR("\r\n"));
	CHECK(chat_wrap_rows(NULL, STR("left to the terminal"), 10) == 2);
	arena_free(cli.mem);
}

TEST(the_status_line_comes_last)
{
	struct canvas k;

	canvas_begin(&k, 80, 24);
	snprintf(k.view.model, sizeof k.view.model, "large");
	snprintf(k.view.mode, sizeof k.view.mode, "plan");
	k.view.context_tokens = 12345;
	k.view.window_tokens = 200000;
	k.view.has_cost = true;
	k.view.cost_usd = 0.25;
	k.view.cap_usd = 2;
	canvas_draw(&k);
	CHECK_SAME(chat_draw_row(&k.frame, k.frame.count - 1),
	           STR("large · plan · 12k of 200k · $0.2500 of $2.00 · ~/work (main)"));
	canvas_end(&k);
}

TEST_MAIN()
