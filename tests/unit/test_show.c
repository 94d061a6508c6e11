/* Events of a turn as a person sees them, without a terminal. */
#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"

#include "base/arena.h"
#include "lib/t.h"

struct fixture {
	struct arena *mem;
	struct cli c;
	struct show show;
	struct buf response, aside, both;
};

static void take(void *arg, enum pane pane, struct str bytes)
{
	struct fixture *g = arg;

	buf_add_str(pane == PANE_ANSWER ? &g->response : &g->aside, bytes);
	buf_add_str(&g->both, bytes);
}

static void fixture_init(struct fixture *g, bool is_tty)
{
	*g = (struct fixture){ .mem = arena_new() };
	g->c = (struct cli){ .mem = g->mem, .is_tty_out = is_tty, .is_tty_err = is_tty };
}

static void fixture_start(struct fixture *g, size_t columns)
{
	show_init(&g->show, &g->c, (struct sink){ take, g });
	g->show.columns = columns;
}

static void fixture_done(struct fixture *g)
{
	show_done(&g->show);
	buf_done(&g->response);
	buf_done(&g->aside);
	buf_done(&g->both);
	arena_free(g->mem);
}

static struct shown_event shown_event_of(struct fixture *g, const char *type, const char *payload)
{
	struct str raw = arena_printf(g->mem,
	                              "{\"type\":\"%s\",\"sequence\":9,\"sessionId\":\"sess_1\","
	                              "\"turnId\":\"turn_1\",\"toolCallId\":\"tc_1\","
	                              "\"modelRequestId\":\"mr_1\","
	                              "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"payload\":%s}",
	                              type, payload);
	struct shown_event f;

	CHECK(shown_event_read(g->mem, raw, &f));
	return f;
}

static void happen(struct fixture *g, const char *type, const char *payload)
{
	struct shown_event f = shown_event_of(g, type, payload);

	show_event(&g->show, g->mem, &f);
}

static void end(struct fixture *g, const char *type, const char *payload)
{
	struct shown_event f = shown_event_of(g, type, payload);

	show_end(&g->show, g->mem, &f);
}

TEST(the_answer_is_one_pane_and_the_rest_another)
{
	struct fixture g;

	fixture_init(&g, false);
	fixture_start(&g, 80);
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"# Hi **you**\"}");
	happen(&g, "model.completed", "{}");
	happen(&g, "tool.started",
	       "{\"toolName\":\"shell\",\"safeArgs\":{\"command\":\"make\\u001b[2J test\"}}");
	happen(&g, "tool.result",
	       "{\"toolName\":\"shell\",\"durationMs\":12,\"exitCode\":2,\"isError\":true,"
	       "\"displayPreview\":\"bad\\nworse\"}");
	end(&g, "turn.completed", "{\"costUsd\":0.25}");
	CHECK_STR(buf_str(&g.response), "# Hi **you**\n"); /* a pipe gets the text */
	CHECK_STR(buf_str(&g.aside), "  → shell  make^[[2J test\n  ✗ shell  12 ms, exit 2  bad\n"
	                             "0 ms · $0.25 · thole log sess_1 · thole open sess_1\n");
	fixture_done(&g);
}

TEST(a_terminal_gets_markdown_in_its_width_and_whole_lines_around_tools)
{
	struct fixture g;

	fixture_init(&g, true);
	fixture_start(&g, 12);
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"- one two three fo\"}");
	happen(&g, "runtime.warning", "{\"message\":\"careful\"}");
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"ur\"}");
	happen(&g, "model.completed", "{}");
	CHECK_STR(buf_str(&g.both), "• one two\n  three\n  ! careful\nfour\n");
	fixture_done(&g);
}

TEST(a_list_is_shown_as_one)
{
	struct fixture g;

	fixture_init(&g, false);
	fixture_start(&g, 80);
	happen(&g, "tool.started",
	       "{\"toolName\":\"update_todo\",\"safeArgs\":{\"items\":[]}},\"item\":{\"kind\":"
	       "\"todo\"}");
	happen(&g, "tool.result",
	       "{\"toolName\":\"update_todo\",\"durationMs\":1,\"displayPreview\":"
	       "\"[x] look\\n[ ] write\\u001b[2J\"},\"item\":{\"kind\":\"todo\"}");
	CHECK_STR(buf_str(&g.aside), "  → update_todo  \n  [x] look\n  [ ] write^[[2J\n");
	fixture_done(&g);
}

TEST(what_runs_is_told_until_it_ends)
{
	struct fixture g;

	fixture_init(&g, true);
	fixture_start(&g, 80);
	CHECK(!show_is_busy(&g.show) && !show_live(&g.show, g.mem, 0));
	happen(&g, "model.requested", "{\"model\":\"demo\"}");
	CHECK(show_is_busy(&g.show));
	CHECK(!show_live(&g.show, g.mem, g.show.asked_at + 999));
	CHECK_STR(str_from(show_live(&g.show, g.mem, g.show.asked_at + 3000)), "  ⋯ demo · 3.0 s");
	happen(&g, "tool.started", "{\"toolName\":\"shell\",\"safeArgs\":{\"command\":\"make\"}}");
	CHECK_STR(str_from(show_live(&g.show, g.mem, g.show.calls[0].since + 40)),
	          "  ⋯ shell make · 40 ms");
	happen(&g, "tool.progress", "{\"message\":\"linking\",\"completed\":2,\"total\":3}");
	CHECK_STR(str_from(show_live(&g.show, g.mem, g.show.calls[0].since + 1500)),
	          "  ⋯ shell · linking, 2 of 3 · 1.5 s");
	CHECK_STR(buf_str(&g.both), "  → shell  make\n"); /* progress leaves nothing behind */
	happen(&g, "tool.result",
	       "{\"toolName\":\"shell\",\"durationMs\":5,\"displayPreview\":\"--- a/x\\n+++ "
	       "b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n+c\\n\"}");
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"done\\n\"}");
	CHECK(!show_is_busy(&g.show));
	CHECK_HAS(buf_str(&g.both), "✓ shell  5 ms  2 lines added, 1 removed\n");
	fixture_done(&g);
}

TEST(a_wait_for_a_provider_is_told_at_once_and_can_be_stopped)
{
	struct fixture g;

	fixture_init(&g, true);
	g.c.is_tty_in = true;
	fixture_start(&g, 80);
	happen(&g, "model.requested", "{\"model\":\"demo\"}");
	happen(&g, "model.failed", "{\"category\":\"overloaded\",\"message\":\"busy\"}");
	happen(&g, "run.status",
	       "{\"kind\":\"model_retry\",\"title\":\"Trying again in 30 s\",\"detail\":\"busy; "
	       "attempt 2 follows\",\"wait\":{\"for\":\"backoff\",\"since\":\"2026-01-01T00:00:00."
	       "000Z\",\"until\":\"2026-01-01T00:00:30.000Z\"}}");
	CHECK_HAS(buf_str(&g.both), "Trying again in 30 s: busy; attempt 2 follows");
	CHECK_HAS(buf_str(&g.both), "Ctrl-C stops the turn");
	CHECK(show_is_busy(&g.show));
	CHECK_HAS(str_from(show_live(&g.show, g.mem, g.show.retry_at - 9000)),
	          "trying again in 9.0 s · Ctrl-C stops the turn");
	CHECK(!show_live(&g.show, g.mem, g.show.retry_at));
	happen(&g, "model.requested", "{\"model\":\"demo\"}");
	CHECK_INT(g.show.retry_at, 0);
	fixture_done(&g);
}

TEST(plain_is_words_only)
{
	struct fixture g;

	fixture_init(&g, true);
	g.c.opts.plain = true;
	fixture_start(&g, 80);
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"- **a**\\n\"}");
	happen(&g, "tool.started", "{\"toolName\":\"row\"}");
	happen(&g, "tool.progress", "{\"message\":\"rowing\"}");
	happen(&g, "tool.failed",
	       "{\"toolName\":\"row\",\"category\":\"lost\",\"reason\":\"restart\"}");
	CHECK_STR(buf_str(&g.both),
	          "- **a**\n  runs row  \n  progress: rowing\n  failed row  lost: restart\n");
	fixture_done(&g);
}

TEST(a_failure_says_what_why_which_event_and_what_to_type)
{
	struct fixture g;

	fixture_init(&g, false);
	fixture_start(&g, 80);
	happen(&g, "turn.started", "{}");
	end(&g, "turn.failed",
	    "{\"outcome\":\"failed\",\"message\":\"No "
	    "key.\",\"category\":\"auth\",\"remedy\":\"thole auth add x\"}");
	CHECK_STR(buf_str(&g.aside), "thole: No key (auth).\n  thole auth add x\n"
	                             "  event 9; what led to it: thole log turn_1\n"
	                             "0 ms · no cost · thole log sess_1 · thole open sess_1\n");
	fixture_done(&g);
}

TEST(a_failure_without_a_remedy_of_its_own_gets_one)
{
	struct fixture g;

	fixture_init(&g, false);
	fixture_start(&g, 80);
	happen(&g, "turn.started", "{}");
	end(&g, "turn.failed",
	    "{\"outcome\":\"failed\",\"message\":\"No server answers.\",\"category\":\"network\"}");
	CHECK_STR(buf_str(&g.aside), "thole: No server answers (network).\n"
	                             "  `thole doctor --online` tries to reach the providers.\n"
	                             "  event 9; what led to it: thole log turn_1\n"
	                             "0 ms · no cost · thole log sess_1 · thole open sess_1\n");
	fixture_done(&g);
	/* Not every provider takes a key. */
	fixture_init(&g, false);
	fixture_start(&g, 80);
	happen(&g, "turn.started", "{}");
	end(&g, "turn.failed",
	    "{\"outcome\":\"failed\",\"message\":\"Not allowed.\",\"category\":\"auth\"}");
	CHECK_HAS(buf_str(&g.aside), "`thole auth ls` shows where credentials come from; "
	                             "`thole setup` asks for others.\n");
	fixture_done(&g);
}

TEST(quiet_and_json_say_nothing_beside)
{
	struct fixture g;

	fixture_init(&g, false);
	g.c.opts.quiet = true;
	fixture_start(&g, 80);
	happen(&g, "tool.started", "{\"toolName\":\"row\"}");
	end(&g, "turn.completed", "{}");
	CHECK_INT(g.both.len, 0);
	show_done(&g.show);
	g.c.opts.json = true;
	fixture_start(&g, 80);
	happen(&g, "model.delta", "{\"kind\":\"text\",\"text\":\"x\"}");
	CHECK_INT(g.both.len, 0);
	fixture_done(&g);
}

TEST_MAIN()
