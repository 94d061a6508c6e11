#include "acp/acp_session.h"
#include "base/arena.h"
#include "t.h"

/* ---- a conversation, with everything that went to the editor and to the runtime ---- */

#define CALLS 64

struct side {
	struct acp_session *s;
	struct buf sent;   /* lines to the editor */
	struct buf called; /* "command params\n" */
	struct buf followed;
	uint64_t tags[CALLS];
	const char *commands[CALLS];
	size_t count;
};

static void on_send(void *owner, struct str line)
{
	struct side *side = owner;

	CHECK(str_find_char(line, '\n') < 0);
	buf_printf(&side->sent, "%.*s\n", STR_ARG(line));
}

static void on_call(void *owner, uint64_t tag, const char *command, struct str params)
{
	struct side *side = owner;

	CHECK(side->count < CALLS);
	side->tags[side->count] = tag;
	side->commands[side->count++] = command;
	buf_printf(&side->called, "%s %.*s\n", command, STR_ARG(params));
}

static void on_follow(void *owner, struct str session_id, int64_t after)
{
	buf_printf(&((struct side *)owner)->followed, "%.*s %lld;", STR_ARG(session_id),
	           (long long)after);
}

static void on_unfollow(void *owner, struct str session_id)
{
	buf_printf(&((struct side *)owner)->followed, "-%.*s;", STR_ARG(session_id));
}

static const struct acp_session_ops ops = {
	.send = on_send, .call = on_call, .follow = on_follow, .unfollow = on_unfollow
};

static void begin(struct side *side)
{
	static const uint8_t entropy[16] = { 1 };
	struct acp_session_options o = { .version = STR("0.1.0"),
		                         .line_max = 4000,
		                         .params_max = 500 };

	id_source_init(&o.ids, 1000, entropy);
	side->s = acp_session_new(&o, &ops, side);
}

static void done(struct side *side)
{
	acp_session_free(side->s);
	buf_done(&side->sent);
	buf_done(&side->called);
	buf_done(&side->followed);
}

static void say(struct side *side, const char *line)
{
	CHECK(acp_session_feed(side->s, str_from(line)));
	CHECK(acp_session_feed(side->s, STR("\n")));
}

static bool has(struct buf *b, const char *text)
{
	return str_find(buf_str(b), str_from(text)) >= 0;
}

static void clear(struct side *side)
{
	buf_clear(&side->sent);
	buf_clear(&side->called);
	buf_clear(&side->followed);
}

/* The reply to the newest call of this command. */
static void reply(struct side *side, const char *command, bool is_ok, const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	for (size_t i = side->count; i > 0; i--)
		if (side->tags[i - 1] && strcmp(side->commands[i - 1], command) == 0) {
			uint64_t tag = side->tags[i - 1];

			side->tags[i - 1] = 0;
			acp_session_replied(side->s, tag, is_ok, v);
			return;
		}
	CHECK(!"a call of this command is open");
}

static void event(struct side *side, const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	acp_session_event(side->s, STR("sess_1"), v);
}

#define INITIALIZE                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	"1,"                                                                                       \
	"\"clientInfo\":{\"name\":\"ed\",\"version\":\"2\"}}}"
#define NEW                                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\","     \
	"\"mcpServers\":[]}}"
#define PROMPT                                                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":"   \
	"\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":\"hi\"}]}}"
#define CANCEL                                                                                     \
	"{\"jsonrpc\":\"2.0\",\"method\":\"session/"                                               \
	"cancel\",\"params\":{\"sessionId\":\"sess_1\"}}"

/* The first events of a session. */
static void create(struct side *side)
{
	event(side, "{\"type\":\"session.created\",\"sequence\":1,\"payload\":{\"permissionMode\":"
	            "\"default\"}}");
	event(side,
	      "{\"type\":\"thread.started\",\"sequence\":2,\"threadId\":\"thr_1\",\"payload\":{}}");
}

static void begin_session(struct side *side)
{
	begin(side);
	say(side, INITIALIZE);
	say(side, NEW);
	reply(side, "create_session", true,
	      "{\"sessionId\":\"sess_1\",\"threadId\":\"thr_1\",\"sequence\":2}");
	create(side);
	clear(side);
}

/* The id of the turn that the last prompt became. */
static const char *turn_of(struct side *side)
{
	static char turn[64];
	ptrdiff_t at = str_find(buf_str(&side->called), STR("\"turnId\":\""));

	CHECK(at >= 0);
	snprintf(turn, sizeof turn, "%.*s",
	         STR_ARG(str_head(str_skip(buf_str(&side->called), (size_t)at + 10), 60)));
	*strchr(turn, '"') = 0;
	return turn;
}

static int sequence;

static void event_in(struct side *side, const char *turn, const char *type, const char *more,
                     const char *payload)
{
	char text[2000];

	snprintf(text, sizeof text,
	         "{\"type\":\"%s\",\"sequence\":%d,\"sessionId\":\"sess_1\",\"threadId\":\"thr_1\","
	         "\"turnId\":\"%s\"%s,\"payload\":%s}",
	         type, ++sequence, turn, more, payload);
	event(side, text);
}

static const char *begin_prompt(struct side *side)
{
	begin_session(side);
	sequence = 10;
	say(side, PROMPT);
	return turn_of(side);
}

/* ---- initialize ---- */

TEST(initialize_is_answered_without_the_runtime)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	CHECK(has(&side.sent, "\"id\":0,\"result\":{\"protocolVersion\":1,"));
	CHECK(has(&side.sent, "\"agentInfo\":{\"name\":\"thole\""));
	CHECK(!side.count);
	done(&side);
}

TEST(a_newer_client_gets_our_version)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	           "\"protocolVersion\":7}}");
	CHECK(has(&side.sent, "\"protocolVersion\":1"));
	done(&side);
}

TEST(nothing_works_before_initialize)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, NEW);
	CHECK(has(&side.sent, "\"id\":1,\"error\":{\"code\":-32600"));
	say(&side, CANCEL);
	CHECK(!side.count);
	done(&side);
}

TEST(initialize_works_once_and_needs_a_version)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"initialize\",\"params\":{}}");
	CHECK(has(&side.sent, "\"id\":9,\"error\":{\"code\":-32602"));
	say(&side, INITIALIZE);
	clear(&side);
	say(&side, INITIALIZE);
	CHECK(has(&side.sent, "\"id\":0,\"error\":{\"code\":-32600"));
	done(&side);
}

TEST(the_editor_is_enrolled_as_a_channel)
{
	struct side side = { 0 };
	struct buf out = { 0 };
	struct arena *mem = arena_new();
	struct json v;

	begin(&side);
	say(&side, INITIALIZE);
	acp_session_write_enrol(side.s, &out);
	CHECK(has(&out, "\"nativeProtocol\":\"acp\""));
	CHECK(has(&out, "\"capabilities\":[\"permissions\"]"));
	CHECK(has(&out, "\"clientInfo\":{\"name\":\"ed\",\"version\":\"2\"}"));
	CHECK(!has(&out, "channelId"));
	CHECK(json_read(mem, STR("{\"channelId\":\"chan_1\",\"resumeToken\":\"tok\"}"), &v, NULL) ==
	      OK);
	CHECK(acp_session_enrolled(side.s, true, v));
	buf_clear(&out);
	acp_session_write_enrol(side.s, &out);
	CHECK(has(&out, "\"channelId\":\"chan_1\",\"resumeToken\":\"tok\""));
	/* A channel that cannot be taken back is replaced, once. */
	CHECK(!acp_session_enrolled(side.s, false, v));
	CHECK(acp_session_enrolled(side.s, false, v));
	arena_free(mem);
	buf_done(&out);
	done(&side);
}

/* ---- methods ---- */

TEST(unknown_methods_are_answered_and_unknown_notifications_are_not)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"_x/y\",\"params\":{}}");
	CHECK(has(&side.sent, "\"id\":5,\"error\":{\"code\":-32601"));
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"session/fly\",\"params\":{}}");
	CHECK(has(&side.sent, "\"id\":\"s\",\"error\":{\"code\":-32601"));
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\",\"params\":{}}");
	say(&side, "{\"jsonrpc\":\"2.0\",\"method\":\"session/prompt\",\"params\":{\"sessionId\":"
	           "\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":\"hi\"}]}}");
	CHECK(!side.sent.len && !side.called.len);
	done(&side);
}

TEST(a_notification_with_an_id_does_nothing)
{
	struct side side = { 0 };

	begin_prompt(&side);
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"session/cancel\",\"params\":{"
	           "\"sessionId\":\"sess_1\"}}");
	CHECK(has(&side.sent, "\"id\":6,\"error\":{\"code\":-32600"));
	CHECK(!side.called.len);
	done(&side);
}

TEST(text_that_is_no_json_is_answered_and_the_conversation_continues)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, "hello");
	CHECK(has(&side.sent, "\"id\":null,\"error\":{\"code\":-32700"));
	say(&side, INITIALIZE);
	CHECK(has(&side.sent, "\"protocolVersion\":1"));
	done(&side);
}

TEST(a_line_that_is_too_long_ends_the_conversation)
{
	struct side side = { 0 };
	char *text = malloc(5000);

	memset(text, 'x', 5000);
	begin(&side);
	CHECK(!acp_session_feed(side.s, str_of(text, 5000)));
	CHECK(has(&side.sent, "\"id\":null,\"error\":"));
	free(text);
	done(&side);
}

TEST(authenticate_is_refused_for_a_method_that_is_not_offered)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"authenticate\",\"params\":{"
	           "\"methodId\":\"x\"}}");
	CHECK(has(&side.sent, "\"id\":5,\"error\":{\"code\":-32602"));
	done(&side);
}

/* ---- session/new ---- */

TEST(a_new_session_is_followed_from_its_beginning)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, NEW);
	CHECK(has(&side.called, "create_session {\"cwd\":\"/w\",\"idempotencyKey\":\"acp_"));
	clear(&side);
	reply(&side, "create_session", true,
	      "{\"sessionId\":\"sess_1\",\"threadId\":\"thr_1\",\"sequence\":2}");
	CHECK(has(&side.followed, "sess_1 0;"));
	CHECK(!side.sent.len);
	create(&side);
	CHECK(has(&side.sent,
	          "\"id\":1,\"result\":{\"sessionId\":\"sess_1\",\"modes\":{"
	          "\"currentModeId\":\"default\",\"availableModes\":[{\"id\":\"default\""));
	done(&side);
}

TEST(a_directory_that_is_not_absolute_is_refused)
{
	static const char *const bad[] = { "", "w", "./w", "/w/../x" };
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		char text[300];

		clear(&side);
		snprintf(text, sizeof text,
		         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
		         "new\",\"params\":{\"cwd\":"
		         "\"%s\",\"mcpServers\":[]}}",
		         bad[i]);
		say(&side, text);
		CHECK(has(&side.sent, "\"id\":1,\"error\":{\"code\":-32602"));
		CHECK(!side.called.len);
	}
	done(&side);
}

TEST(a_refusal_of_the_runtime_is_the_error_of_the_request)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, NEW);
	reply(&side, "create_session", false,
	      "{\"code\":\"directory_unusable\",\"status\":400,\"title\":\"T\",\"detail\":\"/w is "
	      "no "
	      "directory.\"}");
	CHECK(has(&side.sent, "\"id\":1,\"error\":{\"code\":-32602,\"message\":\"/w is no "
	                      "directory.\",\"data\":{\"code\":\"directory_unusable\""));
	done(&side);
}

TEST(an_id_that_is_in_use_is_refused)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, NEW);
	clear(&side);
	say(&side, NEW);
	CHECK(has(&side.sent, "\"id\":1,\"error\":{\"code\":-32600"));
	CHECK(!side.called.len);
	reply(&side, "create_session", true,
	      "{\"sessionId\":\"sess_1\",\"threadId\":\"thr_1\",\"sequence\":2}");
	create(&side);
	CHECK(has(&side.sent, "\"result\":{\"sessionId\":\"sess_1\""));
	done(&side);
}

/* ---- prompts ---- */

TEST(a_prompt_is_a_turn_and_its_end_is_the_answer)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	CHECK(has(&side.called, "\"input\":[{\"type\":\"text\",\"text\":\"hi\"}]"));
	CHECK(has(&side.called, "\"source\":\"acp\""));
	CHECK(has(&side.called, "update_session {\"sessionId\":\"sess_1\",\"title\":\"hi\""));
	reply(&side, "submit_turn", true, "{\"status\":\"accepted\"}");
	clear(&side);
	event_in(&side, turn, "turn.submitted", "",
	         "{\"input\":[{\"type\":\"text\",\"preview\":\"hi\"}]}");
	CHECK(!side.sent.len); /* the editor has written it */
	event_in(&side, turn, "model.delta", ",\"modelRequestId\":\"m\"",
	         "{\"kind\":\"text\",\"text\":\"hello\"}");
	CHECK(has(&side.sent, "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":"
	                      "\"text\",\"text\":\"hello\"}"));
	event_in(&side, turn, "reasoning.delta", "", "{\"kind\":\"text\",\"text\":\"hm\"}");
	CHECK(has(&side.sent, "\"sessionUpdate\":\"agent_thought_chunk\""));
	clear(&side);
	event_in(&side, turn, "turn.completed", "", "{\"outcome\":\"completed\"}");
	CHECK(has(&side.sent, "\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}"));
	clear(&side);
	event_in(&side, turn, "thread.updated", "", "{}");
	CHECK(!side.sent.len);
	done(&side);
}

TEST(the_end_of_a_turn_may_arrive_before_the_reply)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	clear(&side);
	event_in(&side, turn, "turn.completed", "", "{\"outcome\":\"completed\"}");
	CHECK(has(&side.sent, "end_turn"));
	clear(&side);
	reply(&side, "submit_turn", true, "{}");
	CHECK(!side.sent.len);
	done(&side);
}

TEST(the_end_of_another_turn_does_not_answer)
{
	struct side side = { 0 };

	begin_prompt(&side);
	clear(&side);
	event_in(&side, "turn_other", "turn.completed", "", "{\"outcome\":\"completed\"}");
	CHECK(!side.sent.len);
	done(&side);
}

TEST(stop_reasons_come_from_the_last_response_and_the_kind_of_failure)
{
	static const struct {
		const char *model, *type, *payload, *expected;
	} cases[] = {
		{ "max_tokens", "turn.completed", "{}", "\"stopReason\":\"max_tokens\"" },
		{ "refusal", "turn.completed", "{}", "\"stopReason\":\"refusal\"" },
		{ "end_turn", "turn.completed", "{}", "\"stopReason\":\"end_turn\"" },
		{ "end_turn", "turn.failed", "{\"outcome\":\"cancelled\"}",
		  "\"stopReason\":\"cancelled\"" },
		{ "end_turn", "turn.failed", "{\"outcome\":\"failed\",\"category\":\"max_steps\"}",
		  "\"stopReason\":\"max_turn_requests\"" },
		{ "end_turn", "turn.failed",
		  "{\"outcome\":\"failed\",\"category\":\"auth\",\"message\":\"No key.\"}",
		  "\"error\":{\"code\":-32000,\"message\":\"No "
		  "key.\",\"data\":{\"outcome\":\"failed\"" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct side side = { 0 };
		const char *turn = begin_prompt(&side);
		char payload[100];

		snprintf(payload, sizeof payload, "{\"stopReason\":\"%s\"}", cases[i].model);
		event_in(&side, turn, "model.completed", "", payload);
		event_in(&side, turn, cases[i].type, "", cases[i].payload);
		CHECK(has(&side.sent, cases[i].expected));
		done(&side);
	}
}

TEST(a_prompt_while_one_runs_is_refused)
{
	struct side side = { 0 };

	begin_prompt(&side);
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/prompt\",\"params\":{"
	           "\"sessionId\":\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":\"b\"}]}}");
	CHECK(has(&side.sent, "\"id\":3,\"error\":{\"code\":-32600"));
	CHECK(!side.called.len);
	done(&side);
}

TEST(prompts_that_cannot_be_sent_are_refused)
{
	static const struct {
		const char *params, *code;
	} cases[] = {
		{ "{\"prompt\":[]}", "-32602" },
		{ "{\"sessionId\":\"sess_2\",\"prompt\":[{\"type\":\"text\",\"text\":\"a\"}]}",
		  "-32002" },
		{ "{\"sessionId\":\"sess_1\",\"prompt\":[]}", "-32602" },
		{ "{\"sessionId\":\"sess_1\",\"prompt\":\"hi\"}", "-32602" },
		{ "{\"sessionId\":\"sess_1\",\"prompt\":[{\"type\":\"audio\"}]}", "-32602" },
		{ "{\"sessionId\":\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":1}]}",
		  "-32602" },
		{ "{\"sessionId\":\"sess_1\",\"prompt\":[{\"type\":\"resource\",\"resource\":{"
		  "\"uri\":\"u\","
		  "\"blob\":1}}]}",
		  "-32602" },
	};
	struct side side = { 0 };

	begin_session(&side);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[500];

		clear(&side);
		snprintf(text, sizeof text,
		         "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/"
		         "prompt\",\"params\":%s}",
		         cases[i].params);
		say(&side, text);
		CHECK(has(&side.sent, cases[i].code));
		CHECK(!side.called.len);
	}
	done(&side);
}

TEST(a_prompt_that_is_too_large_is_refused)
{
	struct side side = { 0 };
	struct buf line = { 0 };

	begin_session(&side);
	buf_add_c(&line, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/prompt\",\"params\":{"
	                 "\"sessionId\":\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":\"");
	for (int i = 0; i < 600; i++)
		buf_add_char(&line, 'a');
	buf_add_c(&line, "\"}]}}");
	buf_add_char(&line, 0);
	say(&side, line.ptr);
	CHECK(has(&side.sent, "\"id\":4,\"error\":{\"code\":-32602"));
	CHECK(!side.called.len);
	buf_done(&line);
	done(&side);
}

TEST(all_kinds_of_content_reach_the_turn)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":"
	    "\"sess_1\",\"prompt\":[{\"type\":\"image\",\"mimeType\":\"image/"
	    "png\",\"data\":\"AA==\"},"
	    "{\"type\":\"resource_link\",\"name\":\"a\",\"uri\":\"file:///w/a\"},"
	    "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///w/b\",\"text\":\"B\"}}]}}");
	CHECK(has(&side.called,
	          "\"input\":[{\"type\":\"image\",\"mediaType\":\"image/png\",\"data\":\"AA==\"},"
	          "{\"type\":\"resource_link\",\"uri\":\"file:///w/a\"},"
	          "{\"type\":\"resource\",\"uri\":\"file:///w/b\",\"text\":\"B\"}]"));
	done(&side);
}

/* ---- cancelling ---- */

TEST(cancel_interrupts_the_turn_and_the_prompt_is_answered_as_cancelled)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	reply(&side, "submit_turn", true, "{}");
	clear(&side);
	say(&side, CANCEL);
	CHECK(has(&side.called, "interrupt_turn {\"sessionId\":\"sess_1\",\"turnId\":\"turn_"));
	CHECK(!side.sent.len);
	clear(&side);
	say(&side, CANCEL); /* once is enough */
	CHECK(!side.called.len);
	event_in(&side, turn, "turn.failed", "", "{\"outcome\":\"cancelled\"}");
	CHECK(has(&side.sent, "\"id\":2,\"result\":{\"stopReason\":\"cancelled\"}"));
	done(&side);
}

TEST(cancel_before_the_turn_is_accepted_follows_its_acceptance)
{
	struct side side = { 0 };

	begin_prompt(&side);
	clear(&side);
	say(&side, CANCEL);
	CHECK(!side.called.len);
	reply(&side, "submit_turn", true, "{}");
	CHECK(has(&side.called, "interrupt_turn"));
	/* A turn in the queue is removed from it. */
	reply(&side, "interrupt_turn", false, "{\"code\":\"turn_mismatch\",\"status\":409}");
	CHECK(has(&side.called, "remove_queued_turn"));
	done(&side);
}

TEST(cancel_without_a_prompt_does_nothing)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, CANCEL);
	CHECK(!side.called.len && !side.sent.len);
	done(&side);
}

TEST(a_request_is_cancelled_by_its_id_too)
{
	struct side side = { 0 };

	begin_prompt(&side);
	reply(&side, "submit_turn", true, "{}");
	clear(&side);
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":9}}");
	CHECK(!side.called.len);
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":2}}");
	CHECK(has(&side.called, "interrupt_turn"));
	done(&side);
}

/* ---- tool calls ---- */

TEST(a_tool_call_has_a_title_a_kind_a_place_and_an_end)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	event_in(&side, turn, "tool.started", ",\"toolCallId\":\"tool_1\"",
	         "{\"toolName\":\"edit_file\",\"safeArgs\":{\"path\":\"a.c\",\"oldText\":\"x\","
	         "\"newText\":\"y\"}}");
	CHECK(has(&side.sent,
	          "\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"tool_1\",\"title\":"
	          "\"edit_file a.c\",\"name\":\"edit_file\",\"kind\":\"edit\",\"status\":"
	          "\"pending\",\"locations\":[{\"path\":\"/w/a.c\"}],\"content\":[{"
	          "\"type\":\"diff\",\"path\":\"/w/a.c\",\"oldText\":\"x\",\"newText\":"
	          "\"y\"}]"));
	event_in(&side, turn, "tool.progress", ",\"toolCallId\":\"tool_1\"",
	         "{\"kind\":\"dispatched\"}");
	CHECK(has(&side.sent, "\"toolCallId\":\"tool_1\",\"status\":\"in_progress\""));
	clear(&side);
	event_in(&side, turn, "tool.result", ",\"toolCallId\":\"tool_1\"",
	         "{\"toolName\":\"edit_file\",\"truncation\":\"none\",\"displayPreview\":\"--- "
	         "a/a.c\\n+++ b/a.c\\n@@ -1,2 +1,2 @@\\n v\\n-x\\n+y\\n\"}");
	CHECK(has(&side.sent,
	          "\"status\":\"completed\",\"content\":[{\"type\":\"diff\",\"path\":\"/w/"
	          "a.c\",\"oldText\":\"v\\nx\\n\",\"newText\":\"v\\ny\\n\"}]}"));
	event_in(&side, turn, "tool.started", ",\"toolCallId\":\"tool_2\"",
	         "{\"toolName\":\"shell\",\"safeArgs\":{\"command\":\"make test\"}}");
	CHECK(has(&side.sent, "\"title\":\"make test\",\"name\":\"shell\",\"kind\":\"execute\""));
	event_in(&side, turn, "tool.failed", ",\"toolCallId\":\"tool_2\"",
	         "{\"toolName\":\"shell\",\"reason\":\"denied\"}");
	CHECK(has(&side.sent,
	          "\"status\":\"failed\",\"content\":[{\"type\":\"content\",\"content\":{"
	          "\"type\":\"text\",\"text\":\"denied\"}}]"));
	done(&side);
}

TEST(the_todo_list_is_a_plan)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	clear(&side);
	event_in(
		&side, turn, "tool.started", ",\"toolCallId\":\"t\"",
		"{\"toolName\":\"update_todo\",\"safeArgs\":{\"items\":[{\"text\":\"a\",\"status\":"
		"\"completed\"}]}}");
	CHECK(has(&side.sent,
	          "\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":\"a\",\"priority\":"
	          "\"medium\",\"status\":\"completed\"}]"));
	clear(&side);
	event_in(&side, turn, "tool.result", ",\"toolCallId\":\"t\"",
	         "{\"toolName\":\"update_todo\",\"displayPreview\":\"a\"}");
	CHECK(!side.sent.len);
	done(&side);
}

/* ---- approvals ---- */

#define REQUIRED                                                                                   \
	"{\"actionType\":\"tool_permission\",\"prompt\":\"Allow "                                  \
	"it?\",\"decisions\":[{\"decision\":"                                                      \
	"\"allow\",\"scopes\":[\"once\",\"session\"]},{\"decision\":\"deny\"}]}"
#define ACTION ",\"toolCallId\":\"tool_1\",\"actionId\":\"act_1\""

static const char *begin_ask(struct side *side)
{
	const char *turn = begin_prompt(side);

	reply(side, "submit_turn", true, "{}");
	clear(side);
	event_in(side, turn, "action.required", ACTION, REQUIRED);
	return turn;
}

TEST(an_approval_is_asked_with_the_scopes_that_are_offered)
{
	struct side side = { 0 };

	begin_ask(&side);
	CHECK(has(&side.sent, "\"id\":1,\"method\":\"session/request_permission\",\"params\":{"
	                      "\"sessionId\":\"sess_1\",\"toolCall\":{\"toolCallId\":\"tool_1\","
	                      "\"status\":\"pending\",\"title\":\"Allow it?\"}"));
	CHECK(has(&side.sent, "\"optionId\":\"allow_once\"") && has(&side.sent, "allow_session") &&
	      has(&side.sent, "\"optionId\":\"reject_once\""));
	CHECK(!has(&side.sent, "allow_workspace"));
	done(&side);
}

static void answer(struct side *side, const char *option)
{
	char text[200];

	snprintf(text, sizeof text,
	         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"outcome\":{\"outcome\":\"selected\","
	         "\"optionId\":\"%s\"}}}",
	         option);
	say(side, text);
}

TEST(the_answer_of_the_editor_is_a_command_once)
{
	struct side side = { 0 };
	const char *turn = begin_ask(&side);

	answer(&side, "allow_session");
	CHECK(has(&side.called,
	          "respond_action {\"sessionId\":\"sess_1\",\"actionId\":\"act_1\","
	          "\"decision\":\"allow\",\"scope\":\"session\",\"idempotencyKey\":"));
	clear(&side);
	answer(&side, "reject_once"); /* a second answer */
	CHECK(!side.called.len);
	event_in(&side, turn, "action.resolved", ACTION, "{\"decision\":\"allow\"}");
	CHECK(!has(&side.sent, "cancel_request")); /* the editor has closed it */
	done(&side);
}

TEST(an_approval_given_elsewhere_is_withdrawn_in_the_editor)
{
	struct side side = { 0 };
	const char *turn = begin_ask(&side);

	clear(&side);
	event_in(&side, turn, "action.resolved", ACTION, "{\"decision\":\"allow\"}");
	CHECK(has(&side.sent, "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{"
	                      "\"requestId\":1}}"));
	clear(&side);
	answer(&side, "reject_once"); /* too late */
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32800,\"message\":\"c\"}}");
	CHECK(!side.called.len && !side.sent.len);
	done(&side);
}

TEST(no_answer_is_not_consent)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"
		"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"outcome\":{\"outcome\":\"selected\","
		"\"optionId\":\"allow_workspace\"}}}",
	};

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		struct side side = { 0 };

		begin_ask(&side);
		clear(&side);
		say(&side, answers[i]);
		CHECK(!side.called.len);
		CHECK(has(&side.sent, "thole approve act_1")); /* and the user learns what to do */
		done(&side);
	}
}

TEST(a_question_with_a_typed_answer_is_shown_and_not_asked)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	clear(&side);
	event_in(&side, turn, "action.required", ACTION,
	         "{\"actionType\":\"structured_input\",\"prompt\":\"Which one?\",\"decisions\":[{"
	         "\"decision\":\"answer\"},{\"decision\":\"decline\"}]}");
	CHECK(!has(&side.sent, "request_permission"));
	CHECK(has(&side.sent, "Which one? To decide, run: thole approve act_1 --answer TEXT"));
	done(&side);
}

TEST(questions_end_with_their_turn)
{
	struct side side = { 0 };
	const char *turn = begin_ask(&side);

	clear(&side);
	event_in(&side, turn, "turn.failed", "", "{\"outcome\":\"cancelled\"}");
	ptrdiff_t cancel = str_find(buf_str(&side.sent), STR("$/cancel_request"));
	ptrdiff_t end = str_find(buf_str(&side.sent), STR("stopReason"));

	CHECK(cancel >= 0 && end > cancel);
	done(&side);
}

TEST(a_turn_that_a_restart_interrupted_continues_when_the_user_says_so)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	reply(&side, "submit_turn", true, "{}");
	clear(&side);
	event_in(&side, turn, "run.status", "", "{\"kind\":\"resume_required\"}");
	CHECK(has(&side.sent, "session/request_permission") && has(&side.sent, "\"continue\""));
	answer(&side, "continue");
	CHECK(has(&side.called, "resume_thread {\"sessionId\":\"sess_1\""));
	clear(&side);
	event_in(&side, turn, "task.retrying", "", "{}");
	event_in(&side, turn, "turn.completed", "", "{}");
	CHECK(has(&side.sent, "end_turn"));
	done(&side);
}

/* ---- modes ---- */

TEST(modes_change_in_both_directions)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/set_mode\",\"params\":{"
	           "\"sessionId\":\"sess_1\",\"modeId\":\"plan\"}}");
	CHECK(has(&side.called, "set_mode {\"sessionId\":\"sess_1\",\"mode\":\"plan\""));
	reply(&side, "set_mode", true, "{\"mode\":\"plan\"}");
	CHECK(has(&side.sent, "\"id\":7,\"result\":{}"));
	sequence = 10;
	event_in(&side, "", "policy.changed", "",
	         "{\"change\":\"mode_changed\",\"mode\":\"bypass\"}");
	CHECK(has(&side.sent,
	          "\"sessionUpdate\":\"current_mode_update\",\"currentModeId\":\"bypass\""));
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"session/set_mode\",\"params\":{"
	           "\"sessionId\":\"sess_1\",\"modeId\":\"never\"}}");
	CHECK(has(&side.sent, "\"id\":8,\"error\":{\"code\":-32602") && !side.called.len);
	done(&side);
}

TEST(model_and_effort_are_options_of_the_session)
{
	struct side side = { 0 };

	begin_session(&side);
	reply(&side, "list_models", true,
	      "{\"models\":[{\"provider\":\"a\",\"model\":\"x\",\"isDefault\":true},{\"provider\":"
	      "\"b\","
	      "\"model\":\"y\",\"efforts\":[\"low\",\"high\"]},{\"provider\":\"c\",\"model\":\"z\","
	      "\"hasCredential\":false}]}");
	CHECK(has(&side.sent, "config_option_update"));
	CHECK(has(&side.sent,
	          "\"id\":\"model\",\"name\":\"Model\",\"category\":\"model\",\"type\":"
	          "\"select\",\"currentValue\":\"a/x\",\"options\":[{\"value\":\"a/x\",\"name\":"
	          "\"a/x\"},{\"value\":\"b/y\",\"name\":\"b/y\"}]"));
	CHECK(!has(&side.sent, "effort"));
	clear(&side);
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/set_config_option\",\"params\":{"
	    "\"sessionId\":\"sess_1\",\"configId\":\"model\",\"value\":\"b/y\"}}");
	CHECK(has(&side.called, "update_session {\"sessionId\":\"sess_1\",\"model\":\"b/y\""));
	reply(&side, "update_session", true, "{}");
	CHECK(has(&side.sent, "\"id\":7,\"result\":{\"configOptions\":[{\"id\":\"mode\""));
	CHECK(has(&side.sent, "\"currentValue\":\"b/y\"") && has(&side.sent, "thought_level"));
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"session/set_config_option\",\"params\":{"
	    "\"sessionId\":\"sess_1\",\"configId\":\"effort\",\"value\":\"high\"}}");
	CHECK(has(&side.sent, "\"id\":8,\"result\":{\"configOptions\""));
	say(&side, PROMPT);
	CHECK(has(&side.called, "\"effort\":\"high\""));
	say(&side,
	    "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/set_config_option\",\"params\":{"
	    "\"sessionId\":\"sess_1\",\"configId\":\"model\",\"value\":\"c/z\"}}");
	CHECK(has(&side.sent, "\"id\":9,\"error\":{\"code\":-32602"));
	done(&side);
}

/* ---- slash commands ---- */

#define COMMANDS                                                                                   \
	"{\"extensions\":[{\"kind\":\"command\",\"name\":\"fix\",\"description\":\"Fix it.\","     \
	"\"argumentHint\":\"what\",\"isTrusted\":true},{\"kind\":\"command\",\"name\":\"evil\","   \
	"\"description\":\"\",\"isTrusted\":false}]}"
#define SLASH(text)                                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":"   \
	"\"sess_1\",\"prompt\":[{\"type\":\"text\",\"text\":\"" text                               \
	"\"},{\"type\":\"text\",\"text\":\"more\"}]}}"

TEST(a_slash_command_becomes_the_text_of_its_file)
{
	struct side side = { 0 };

	begin_session(&side);
	reply(&side, "list_extensions", true, COMMANDS);
	CHECK(has(&side.sent,
	          "\"availableCommands\":[{\"name\":\"fix\",\"description\":\"Fix it.\","
	          "\"input\":{\"hint\":\"what\"}}]"));
	say(&side, SLASH("/fix the bug"));
	CHECK(has(&side.called,
	          "expand_command {\"cwd\":\"/w\",\"name\":\"fix\",\"arguments\":\"the "
	          "bug\"}"));
	CHECK(!has(&side.called, "submit_turn"));
	reply(&side, "expand_command", true, "{\"text\":\"Do it.\",\"model\":\"a/x\"}");
	CHECK(has(&side.called,
	          "\"model\":\"a/x\",\"input\":[{\"type\":\"text\",\"text\":\"Do it.\"},"
	          "{\"type\":\"text\",\"text\":\"more\"}]"));
	done(&side);
}

TEST(a_slash_that_is_no_command_is_text)
{
	struct side side = { 0 };

	begin_session(&side);
	reply(&side, "list_extensions", true, COMMANDS);
	say(&side, SLASH("/evil x"));
	CHECK(has(&side.called, "submit_turn") && !has(&side.called, "expand_command"));
	done(&side);
}

TEST(a_command_that_cannot_be_expanded_is_an_error_and_a_cancelled_one_is_not_submitted)
{
	struct side side = { 0 };

	begin_session(&side);
	reply(&side, "list_extensions", true, COMMANDS);
	say(&side, SLASH("/fix"));
	reply(&side, "expand_command", false,
	      "{\"code\":\"not_trusted\",\"status\":403,\"detail\":\"D\"}");
	CHECK(has(&side.sent, "\"id\":2,\"error\""));
	clear(&side);
	say(&side, SLASH("/fix"));
	say(&side, CANCEL);
	reply(&side, "expand_command", true, "{\"text\":\"Do it.\"}");
	CHECK(has(&side.sent, "\"stopReason\":\"cancelled\"") && !has(&side.called, "submit_turn"));
	done(&side);
}

/* ---- load, resume, list ---- */

#define LOAD                                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/load\",\"params\":{\"sessionId\":"     \
	"\"sess_1\",\"cwd\":\"/w\",\"mcpServers\":[]}}"

static void play_past(struct side *side)
{
	sequence = 0;
	event_in(side, "", "thread.started", "", "{}");
	event_in(side, "turn_1", "turn.submitted", "",
	         "{\"input\":[{\"type\":\"text\",\"preview\":\"old\"}]}");
	event_in(side, "turn_1", "model.delta", "", "{\"kind\":\"text\",\"text\":\"answer\"}");
	event_in(side, "turn_1", "action.required", ACTION, REQUIRED);
}

TEST(load_replays_before_its_reply_and_then_asks_what_is_pending)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	clear(&side);
	say(&side, LOAD);
	reply(&side, "get_session", true, "{\"sequence\":4}");
	CHECK(has(&side.followed, "sess_1 0;"));
	play_past(&side);

	struct str sent = buf_str(&side.sent);
	ptrdiff_t user = str_find(sent, STR("user_message_chunk"));
	ptrdiff_t agent = str_find(sent, STR("agent_message_chunk"));
	ptrdiff_t reply_at = str_find(sent, STR("\"id\":4,\"result\":{}"));
	ptrdiff_t ask = str_find(sent, STR("session/request_permission"));

	CHECK(user >= 0 && agent > user && reply_at > agent && ask > reply_at);
	CHECK(has(&side.called, "reconnect_channel"));
	done(&side);
}

TEST(resume_replays_nothing)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/resume\",\"params\":{"
	           "\"sessionId\":\"sess_1\",\"cwd\":\"/w\"}}");
	reply(&side, "get_session", true, "{\"sequence\":4}");
	play_past(&side);
	CHECK(!has(&side.sent, "session/update"));
	CHECK(has(&side.sent, "\"id\":4,\"result\":{}"));
	CHECK(has(&side.sent, "session/request_permission"));
	done(&side);
}

TEST(a_session_that_does_not_exist_is_not_loaded)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, LOAD);
	reply(&side, "get_session", false, "{\"code\":\"session_not_found\",\"status\":404}");
	CHECK(has(&side.sent, "\"id\":4,\"error\":{\"code\":-32002"));
	say(&side, PROMPT);
	CHECK(has(&side.sent, "\"id\":2,\"error\":{\"code\":-32002"));
	done(&side);
}

TEST(sessions_are_listed_by_directory)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/list\",\"params\":{\"cwd\":"
	           "\"/w\"}}");
	reply(&side, "list_sessions", true,
	      "{\"sessions\":[{\"sessionId\":\"sess_1\",\"cwd\":\"/w\",\"title\":\"a\"},"
	      "{\"sessionId\":\"sess_2\",\"cwd\":\"/"
	      "x\"},{\"sessionId\":\"sess_3\"}],\"nextCursor\":"
	      "\"c\"}");
	CHECK(has(&side.sent, "\"result\":{\"sessions\":[{\"sessionId\":\"sess_1\",\"cwd\":\"/w\","
	                      "\"title\":\"a\"}],\"nextCursor\":\"c\"}"));
	done(&side);
}

/* ---- the connection to the runtime ---- */

TEST(a_new_connection_follows_behind_the_last_event)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	event_in(&side, turn, "model.delta", "", "{\"kind\":\"text\",\"text\":\"a\"}");
	clear(&side);
	acp_session_reconnected(side.s);
	CHECK(has(&side.followed, "sess_1 11;"));
	/* An event that comes twice is sent once. */
	event(&side,
	      "{\"type\":\"model.delta\",\"sequence\":11,\"threadId\":\"thr_1\",\"payload\":{"
	      "\"kind\":\"text\",\"text\":\"a\"}}");
	CHECK(!side.sent.len);
	done(&side);
}

TEST(a_session_whose_events_cannot_be_read_is_closed_with_its_prompt)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct side side = { 0 };
	struct json problem;

	begin_prompt(&side);
	clear(&side);
	CHECK(json_read(mem,
	                STR("{\"code\":\"session_deleted\",\"status\":410,\"detail\":\"gone\"}"),
	                &problem, NULL) == OK);
	acp_session_unfollowed(side.s, STR("sess_1"), problem);
	CHECK(has(&side.sent, "\"id\":2,\"error\":{\"code\":-32002,\"message\":\"gone\""));
	say(&side, PROMPT);
	CHECK(has(&side.sent, "load it first"));
	done(&side);
}

TEST(work_of_other_clients_is_shown_too)
{
	struct side side = { 0 };

	begin_session(&side);
	sequence = 10;
	event_in(&side, "turn_x", "turn.submitted", "",
	         "{\"input\":[{\"type\":\"text\",\"preview\":\"from a terminal\"}]}");
	CHECK(has(&side.sent, "user_message_chunk") && has(&side.sent, "from a terminal"));
	clear(&side);
	/* A subagent's thread is not the session's. */
	event(&side,
	      "{\"type\":\"model.delta\",\"sequence\":20,\"threadId\":\"thr_2\",\"payload\":{"
	      "\"kind\":\"text\",\"text\":\"a\"}}");
	CHECK(!side.sent.len);
	done(&side);
}

/* ---- closing and deleting ---- */

#define CLOSE                                                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"session/close\",\"params\":{\"sessionId\":"    \
	"\"sess_1\"}}"
#define DELETE                                                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/delete\",\"params\":{\"sessionId\":"   \
	"\"sess_1\"}}"

TEST(close_waits_for_the_end_of_the_prompt)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	reply(&side, "submit_turn", true, "{}");
	clear(&side);
	say(&side, CLOSE);
	CHECK(has(&side.called, "interrupt_turn"));
	CHECK(!has(&side.sent, "\"id\":8") && !side.followed.len);
	/* It is closing: nothing else works in it. */
	say(&side, CLOSE);
	CHECK(has(&side.sent, "\"id\":8,\"error\":{\"code\":-32600"));
	clear(&side);
	event_in(&side, turn, "turn.failed", "", "{\"outcome\":\"cancelled\"}");
	CHECK(has(&side.sent, "\"id\":2,\"result\":{\"stopReason\":\"cancelled\"}"));
	CHECK(has(&side.sent, "\"id\":8,\"result\":{}") && has(&side.followed, "-sess_1;"));
	done(&side);
}

TEST(a_session_that_is_deleted_is_closed_first_and_a_missing_one_is_no_error)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, DELETE);
	CHECK(has(&side.followed, "-sess_1;") && has(&side.called, "delete_session"));
	reply(&side, "delete_session", false,
	      "{\"code\":\"session_not_found\",\"status\":404,\"detail\":\"no\"}");
	CHECK(has(&side.sent, "\"id\":9,\"result\":{}"));
	clear(&side);
	say(&side, DELETE);
	reply(&side, "delete_session", false,
	      "{\"code\":\"session_active\",\"status\":409,\"detail\":\"it works\"}");
	CHECK(has(&side.sent, "\"id\":9,\"error\":{\"code\":-32600,\"message\":\"it works\""));
	done(&side);
}

/* ---- tool servers ---- */

#define SERVERS                                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\","     \
	"\"mcpServers\":[{\"name\":\"My files\",\"command\":\"/bin/f\",\"args\":[\"-x\"],"         \
	"\"env\":[{\"name\":\"K\",\"value\":\"v\"}]},{\"type\":\"http\",\"name\":\"my_files\","    \
	"\"url\":\"https://h/\",\"headers\":[{\"name\":\"A\",\"value\":\"b\"}]}]}}"

TEST(tool_servers_are_named_to_the_runtime_before_the_session_is_open)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, SERVERS);
	reply(&side, "create_session", true, "{\"sessionId\":\"sess_1\",\"sequence\":2}");
	CHECK(has(&side.called,
	          "attach_tool_servers {\"sessionId\":\"sess_1\",\"servers\":{\"My-files\":{"
	          "\"command\":\"/bin/f\",\"args\":[\"-x\"],\"env\":{\"K\":\"v\"}},\"my_files\":{"
	          "\"type\":\"http\",\"url\":\"https://h/\",\"headers\":{\"A\":\"b\"}}}"));
	create(&side);
	CHECK(!has(&side.sent, "\"id\":1,"));
	reply(&side, "attach_tool_servers", false, "{\"status\":422,\"detail\":\"no\"}");
	CHECK(has(&side.sent, "\"id\":1,\"result\":{\"sessionId\":\"sess_1\""));
	CHECK(!has(&side.sent, "notice")); /* it was not declared */
	/* The runtime has forgotten them. */
	clear(&side);
	acp_session_reconnected(side.s);
	CHECK(has(&side.called, "attach_tool_servers"));
	reply(&side, "attach_tool_servers", true, "{\"servers\":[]}");
	/* Closing ends them. */
	clear(&side);
	say(&side, CLOSE);
	CHECK(has(&side.called, "\"servers\":{}") && !has(&side.sent, "\"id\":8"));
	reply(&side, "attach_tool_servers", true, "{\"servers\":[]}");
	CHECK(has(&side.sent, "\"id\":8,\"result\":{}"));
	done(&side);
}

TEST(names_of_servers_are_plain_and_different)
{
	struct side side = { 0 };

	begin(&side);
	say(&side, INITIALIZE);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":"
	           "\"/w\",\"mcpServers\":[{\"name\":\"a__b\",\"command\":\"x\",\"args\":[],"
	           "\"env\":[]},{\"name\":\"a b\",\"command\":\"x\",\"args\":[],\"env\":[]},{"
	           "\"name\":\"a/b\",\"command\":\"x\",\"args\":[],\"env\":[]},{\"name\":\"\","
	           "\"command\":\"x\",\"args\":[],\"env\":[]}]}}");
	reply(&side, "create_session", true, "{\"sessionId\":\"sess_1\",\"sequence\":2}");
	CHECK(has(&side.called, "\"a_-b\":{") || has(&side.called, "\"a_b\":{"));
	CHECK(has(&side.called, "\"a-b\":{") && has(&side.called, "\"a-b-2\":{"));
	CHECK(has(&side.called, "\"server\":{"));
	done(&side);
}

/* ---- what is longer than its event ---- */

TEST(a_long_message_is_read_whole_and_holds_what_follows)
{
	struct side side = { 0 };

	begin_session(&side);
	sequence = 10;
	event_in(&side, "turn_x", "turn.submitted", "",
	         "{\"inputRef\":\"out_1\",\"input\":[{\"type\":\"text\",\"preview\":\"be\","
	         "\"bytes\":"
	         "9}]}");
	CHECK(acp_session_is_held(side.s, STR("sess_1")));
	CHECK(has(&side.called, "get_output") && has(&side.called, "\"outputRef\":\"out_1\""));
	CHECK(!has(&side.sent, "user_message_chunk"));
	reply(&side, "get_output", true,
	      "{\"text\":\"[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"begin\",\"bytes\":5,"
	      "\"offset\":0,\"eof\":false}");
	CHECK(acp_session_is_held(side.s, STR("sess_1")));
	reply(&side, "get_output", true, "{\"text\":\" end\\\"}]\",\"bytes\":5,\"eof\":true}");
	CHECK(!acp_session_is_held(side.s, STR("sess_1")));
	CHECK(has(&side.sent, "\"text\":\"begin end\""));
	done(&side);
}

TEST(a_message_that_cannot_be_read_is_shown_as_far_as_it_is_known)
{
	struct side side = { 0 };

	begin_session(&side);
	sequence = 10;
	event_in(&side, "turn_x", "turn.submitted", "",
	         "{\"inputRef\":\"out_1\",\"input\":[{\"type\":\"text\",\"preview\":\"be\","
	         "\"bytes\":"
	         "9},{\"type\":\"image\",\"bytes\":5,\"ref\":\"out_2\"}]}");
	reply(&side, "get_output", false, "{\"status\":404}");
	CHECK(!acp_session_is_held(side.s, STR("sess_1")));
	CHECK(has(&side.sent, "\"text\":\"be\"") && has(&side.sent, "[attachment]"));
	done(&side);
}

/* ---- changes of files ---- */

TEST(each_hunk_of_a_patch_is_a_change)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	event_in(
		&side, turn, "tool.started", ",\"toolCallId\":\"tool_1\"",
		"{\"toolName\":\"apply_patch\",\"safeArgs\":{\"patch\":\"--- a/x\\n+++ b/x\\n@@ -1 "
		"+1 @@\\n-a\\n+b\\n@@ -9 +9 @@\\n c\\n+d\\n--- /dev/null\\n+++ b/y\\n@@ -0,0 +1 "
		"@@\\n+new\\n--- a/z\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-old\\n\"}}");
	CHECK(has(&side.sent,
	          "\"locations\":[{\"path\":\"/w/x\"},{\"path\":\"/w/y\"},{\"path\":\"/w/z\"}]"));
	CHECK(has(
		&side.sent,
		"{\"type\":\"diff\",\"path\":\"/w/x\",\"oldText\":\"a\\n\",\"newText\":\"b\\n\"}"));
	CHECK(has(&side.sent, "\"path\":\"/w/x\",\"oldText\":\"c\\n\",\"newText\":\"c\\nd\\n\"}"));
	CHECK(has(&side.sent, "{\"type\":\"diff\",\"path\":\"/w/y\",\"newText\":\"new\\n\"}"));
	CHECK(has(&side.sent, "\"path\":\"/w/z\",\"oldText\":\"old\\n\",\"newText\":\"\"}"));
	clear(&side);
	event_in(&side, turn, "tool.started", ",\"toolCallId\":\"tool_2\"",
	         "{\"toolName\":\"apply_patch\",\"safeArgs\":{\"patch\":\"*** Begin\"}}");
	CHECK(has(&side.sent, "\"text\":\"*** Begin\""));
	done(&side);
}

TEST(output_that_grows_is_read_once_at_a_time)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	clear(&side);
	for (int i = 0; i < 5; i++)
		event_in(&side, turn, "process.output",
		         ",\"toolCallId\":\"tool_1\",\"outputRef\":\"out_1\"", "{\"bytes\":3}");
	CHECK(has(&side.called, "\"offset\":-16384"));
	reply(&side, "get_output", true, "{\"text\":\"abc\",\"bytes\":3,\"eof\":false}");
	CHECK(has(&side.sent, "\"toolCallId\":\"tool_1\",\"status\":\"in_progress\",\"content\":[{"
	                      "\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":"
	                      "\"abc\"}}]"));
	clear(&side);
	event_in(&side, turn, "tool.result", ",\"toolCallId\":\"tool_1\"",
	         "{\"toolName\":\"shell\",\"truncation\":\"none\",\"displayPreview\":\"abcdef\"}");
	clear(&side);
	/* The text that comes after the end is not shown. */
	reply(&side, "get_output", true, "{\"text\":\"abcde\",\"bytes\":5,\"eof\":true}");
	CHECK(!side.sent.len);
	done(&side);
}

/* ---- forms ---- */

#define INITIALIZE_FORMS                                                                           \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	"1,\"clientCapabilities\":{\"elicitation\":{\"form\":{},\"url\":{}},\"fs\":{"              \
	"\"readTextFile\":true}}}}"

static const char *begin_forms(struct side *side)
{
	begin(side);
	say(side, INITIALIZE_FORMS);
	say(side, NEW);
	reply(side, "create_session", true, "{\"sessionId\":\"sess_1\",\"sequence\":2}");
	create(side);
	sequence = 10;
	clear(side);
	say(side, PROMPT);
	return turn_of(side);
}

#define ASKS                                                                                       \
	"\"prompt\":\"Which?\",\"decisions\":[{\"decision\":\"answer\"},{\"decision\":"            \
	"\"decline\"}]"

TEST(a_typed_question_is_a_form_and_its_answer_a_payload)
{
	struct side side = { 0 };
	const char *turn = begin_forms(&side);

	event_in(&side, turn, "action.required",
	         ",\"toolCallId\":\"tool_1\",\"actionId\":\"act_1\"",
	         "{\"actionType\":\"structured_input\"," ASKS
	         ",\"schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
	         "\"minimum\":1,\"x\":2},\"on\":{\"type\":\"boolean\"},\"w\":{\"type\":\"string\","
	         "\"enum\":[\"a\"]},\"m\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
	         "\"enum\":[\"p\"]}}},\"required\":[\"n\"]}}");
	CHECK(has(&side.sent, "\"method\":\"elicitation/create\",\"params\":{\"sessionId\":"
	                      "\"sess_1\",\"toolCallId\":\"tool_1\",\"mode\":\"form\",\"message\":"
	                      "\"Which?\",\"requestedSchema\":{\"type\":\"object\""));
	CHECK(has(&side.sent, "\"n\":{\"type\":\"integer\",\"minimum\":1}"));
	CHECK(has(&side.sent, "\"required\":[\"n\"]"));
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{"
	           "\"n\":3}}}");
	CHECK(has(&side.called, "\"actionId\":\"act_1\",\"decision\":\"answer\",\"payload\":{\"n\":"
	                        "3}"));
	done(&side);
}

TEST(a_question_that_no_form_shows_is_answered_elsewhere)
{
	struct side side = { 0 };
	const char *turn = begin_forms(&side);

	event_in(&side, turn, "action.required",
	         ",\"toolCallId\":\"tool_1\",\"actionId\":\"act_1\"",
	         "{\"actionType\":\"structured_input\"," ASKS
	         ",\"schema\":{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\"}}}}");
	CHECK(!has(&side.sent, "elicitation/create"));
	CHECK(has(&side.sent, "thole approve act_1 --answer TEXT"));
	done(&side);
}

TEST(a_login_is_a_page_that_is_completed_by_its_event)
{
	struct side side = { 0 };
	const char *turn = begin_forms(&side);

	event_in(&side, turn, "action.required",
	         ",\"toolCallId\":\"tool_1\",\"actionId\":\"act_1\"",
	         "{\"actionType\":\"credential\",\"prompt\":\"Sign in (https://no.page here):\\n"
	         "https://login.example/a?b=c\\nThen return.\",\"decisions\":[{\"decision\":"
	         "\"allow\"},{\"decision\":\"deny\"}]}");
	CHECK(has(&side.sent, "\"mode\":\"url\"") &&
	      has(&side.sent, "\"elicitationId\":\"act_1\""));
	CHECK(has(&side.sent, "\"url\":\"https://login.example/a?b=c\""));
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"}}");
	CHECK(!side.called.len && !side.sent.len);
	event_in(&side, turn, "action.resolved", ",\"actionId\":\"act_1\"", "{}");
	CHECK(has(&side.sent,
	          "\"method\":\"elicitation/complete\",\"params\":{\"elicitationId\":\"act_1\"}"));
	done(&side);
}

/* ---- unsaved text ---- */

TEST(the_text_of_a_file_is_asked_when_its_call_may_run)
{
	struct side side = { 0 };
	const char *turn = begin_forms(&side);

	clear(&side);
	event_in(&side, turn, "tool.started", ",\"toolCallId\":\"tool_1\"",
	         "{\"toolName\":\"read_file\",\"safeArgs\":{\"path\":\"a.c\"}}");
	CHECK(!has(&side.sent, "fs/read_text_file"));
	event_in(&side, turn, "sandbox.applied", ",\"toolCallId\":\"tool_1\"", "{}");
	CHECK(has(&side.sent, "\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":"
	                      "\"sess_1\",\"path\":\"/w/a.c\"}"));
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":\"x\"}}");
	CHECK(has(&side.called, "offer_file_text {\"sessionId\":\"sess_1\",\"toolCallId\":"
	                        "\"tool_1\",\"path\":\"a.c\",\"text\":\"x\"}"));
	clear(&side);
	/* A turn of another client is not this editor's. */
	event_in(&side, "turn_x", "tool.started", ",\"toolCallId\":\"tool_2\"",
	         "{\"toolName\":\"read_file\",\"safeArgs\":{\"path\":\"a.c\"}}");
	event_in(&side, "turn_x", "sandbox.applied", ",\"toolCallId\":\"tool_2\"", "{}");
	CHECK(!has(&side.sent, "fs/read_text_file"));
	/* An error is no text, and the end of the call withdraws the question. */
	event_in(&side, turn, "tool.started", ",\"toolCallId\":\"tool_3\"",
	         "{\"toolName\":\"read_file\",\"safeArgs\":{\"path\":\"/b.c\"}}");
	event_in(&side, turn, "sandbox.applied", ",\"toolCallId\":\"tool_3\"", "{}");
	event_in(&side, turn, "tool.result", ",\"toolCallId\":\"tool_3\"",
	         "{\"toolName\":"
	         "\"read_file\"}");
	CHECK(has(&side.sent, "$/cancel_request"));
	clear(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":\"x\"}}");
	CHECK(!side.called.len);
	done(&side);
}

/* ---- plan, usage, sign-in ---- */

TEST(the_plan_has_tasks_and_the_usage_has_a_cost)
{
	struct side side = { 0 };
	const char *turn = begin_prompt(&side);

	event_in(&side, turn, "task.created", ",\"taskId\":\"task_0\"",
	         "{\"objective\":\"own\",\"implicit\":true}");
	CHECK(!has(&side.sent, "\"plan\""));
	event_in(&side, turn, "task.created", ",\"taskId\":\"task_1\"",
	         "{\"objective\":\"write\",\"implicit\":false}");
	event_in(&side, turn, "task.started", ",\"taskId\":\"task_1\"", "{}");
	CHECK(has(&side.sent, "{\"content\":\"write\",\"priority\":\"medium\",\"status\":"
	                      "\"in_progress\"}"));
	clear(&side);
	event_in(&side, turn, "task.failed", ",\"taskId\":\"task_1\"", "{}");
	CHECK(has(&side.sent, "\"entries\":[]"));
	event_in(&side, turn, "context.resolved", "",
	         "{\"budget\":{\"windowTokens\":100,\"estimatedTokens\":7}}");
	CHECK(has(&side.sent, "\"used\":7,\"size\":100}"));
	event_in(&side, turn, "cost.recorded", "", "{\"amountUsd\":0.25}");
	event_in(&side, turn, "cost.recorded", "", "{\"amountUsd\":0.5}");
	CHECK(has(&side.sent, "\"cost\":{\"amount\":0.75,\"currency\":\"USD\"}"));
	done(&side);
}

TEST(after_logout_the_user_signs_in_again)
{
	struct side side = { 0 };

	begin_session(&side);
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"logout\",\"params\":{}}");
	say(&side, PROMPT);
	CHECK(has(&side.sent, "\"id\":2,\"error\":{\"code\":-32000"));
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"authenticate\",\"params\":{"
	           "\"methodId\":\"thole-keys\"}}");
	reply(&side, "list_models", true,
	      "{\"models\":[{\"provider\":\"a\",\"model\":\"b\",\"hasCredential\":false}]}");
	CHECK(has(&side.sent, "\"id\":6,\"error\":{\"code\":-32000"));
	say(&side, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"authenticate\",\"params\":{"
	           "\"methodId\":\"thole-keys\"}}");
	reply(&side, "list_models", true, "{\"models\":[{\"provider\":\"a\",\"model\":\"b\"}]}");
	CHECK(has(&side.sent, "\"id\":7,\"result\":{}"));
	clear(&side);
	say(&side, PROMPT);
	CHECK(has(&side.called, "submit_turn"));
	done(&side);
}

TEST_MAIN()
