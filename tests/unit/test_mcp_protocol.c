#include "core/io.h"
#include "mcp/mcp_message.h"
#include "mcp/mcp_protocol.h"
#include "mcp/offer/mcp_task.h"
#include "t.h"

/* ---- a conversation and all that came of it ---- */

struct side {
	struct mcp_protocol *protocol;
	struct buf sent, seen;
	struct mcp_call call;
	bool answers; /* at once, with this: */
	struct str action, content;
};

static void on_send(void *owner, struct str line)
{
	struct side *s = owner;

	CHECK(line.len && line.ptr[line.len - 1] == '\n');
	CHECK(str_find_char(str_head(line, line.len - 1), '\n') < 0);
	buf_add_str(&s->sent, line);
}

static void on_ready(void *owner)
{
	struct side *s = owner;

	buf_printf(&s->seen, "ready %.*s;",
	           STR_ARG(mcp_message_version_text(mcp_protocol_version(s->protocol))));
}

static void on_listed(void *owner, const struct mcp_tool *tools, size_t count)
{
	struct side *s = owner;

	buf_printf(&s->seen, "listed");
	for (size_t i = 0; i < count; i++)
		buf_printf(&s->seen, " %.*s", STR_ARG(tools[i].name));
	buf_add_char(&s->seen, ';');
}

static void on_dropped(void *owner, struct str tool, struct str why)
{
	buf_printf(&((struct side *)owner)->seen, "dropped %.*s;", STR_ARG(tool));
	CHECK(why.len > 0);
}

static void on_changed(void *owner)
{
	buf_add_c(&((struct side *)owner)->seen, "changed;");
}

static void on_progress(void *owner, struct mcp_call *c, struct str message, int64_t completed,
                        int64_t total)
{
	struct side *s = owner;

	CHECK(c == &s->call);
	buf_printf(&s->seen, "progress %.*s %lld/%lld;", STR_ARG(message), (long long)completed,
	           (long long)total);
}

static void on_asked(void *owner, struct mcp_call *c, const struct mcp_question *q)
{
	struct side *s = owner;

	buf_printf(&s->seen, "asked %.*s;", STR_ARG(q->message));
	if (s->answers)
		mcp_protocol_answer(s->protocol, c, s->action, s->content);
}

static void on_ended(void *owner, struct mcp_call *c, const struct mcp_result *r)
{
	struct side *s = owner;
	struct buf text = { 0 };

	CHECK(c == &s->call && !c->is_open);
	mcp_message_content_text(&text, r->content);
	buf_printf(&s->seen, "ended %d %d %lld %.*s%.*s;", r->is_refused, r->is_error,
	           (long long)r->code, STR_ARG(r->message), STR_ARG(buf_str(&text)));
	buf_done(&text);
}

static void on_settled(void *owner, struct mcp_call *c, bool is_done)
{
	struct side *s = owner;

	CHECK(c == &s->call);
	buf_add_c(&s->seen, is_done ? "done;" : "withdrawn;");
}

static void on_noted(void *owner, enum mcp_note note, struct json params)
{
	(void)params;
	buf_printf(&((struct side *)owner)->seen, "note %d;", (int)note);
}

static void on_broken(void *owner, struct str why)
{
	buf_printf(&((struct side *)owner)->seen, "broken: %.*s;", STR_ARG(why));
}

static void on_logged(void *owner, struct mcp_call *c, struct json params)
{
	struct side *s = owner;

	CHECK(c == &s->call);
	buf_printf(&s->seen, "log %.*s;", STR_ARG(json_str(JSON_GET(params, "data"))));
}

static void on_unclaimed(void *owner, size_t count)
{
	buf_printf(&((struct side *)owner)->seen, "unclaimed %zu;", count);
}

static const struct mcp_protocol_ops ops = { .send = on_send,
	                                     .ready = on_ready,
	                                     .listed = on_listed,
	                                     .dropped = on_dropped,
	                                     .changed = on_changed,
	                                     .progress = on_progress,
	                                     .asked = on_asked,
	                                     .logged = on_logged,
	                                     .unclaimed = on_unclaimed,
	                                     .settled = on_settled,
	                                     .ended = on_ended,
	                                     .noted = on_noted,
	                                     .broken = on_broken };

static void begin_as(struct side *s, enum mcp_version version, bool greets_first)
{
	struct mcp_protocol_options o = { .client = { .name = STR("t"),
		                                      .version = STR("1"),
		                                      .root = STR("/a dir"),
		                                      .log_level = STR("warning") },
		                          .version = version,
		                          .greets_first = greets_first,
		                          .line_max = 5000,
		                          .tools_max = 3 };

	s->protocol = mcp_protocol_new(&o, &ops, s);
	s->call.tool = STR("echo");
	s->call.args = STR("{\"text\":\"x\"}");
	mcp_protocol_begin(s->protocol);
}

static void begin(struct side *s, enum mcp_version version)
{
	begin_as(s, version, false);
}

static void done(struct side *s)
{
	mcp_protocol_free(s->protocol);
	buf_done(&s->sent);
	buf_done(&s->seen);
}

/* What the server says, and in pieces of what size. */
static void say(struct side *s, const char *text, size_t piece)
{
	struct str left = str_from(text);

	while (left.len) {
		mcp_protocol_feed(s->protocol, str_head(left, piece));
		left = str_skip(left, MIN(piece, left.len));
	}
}

static bool has_sent(struct side *s, const char *what)
{
	return str_find(buf_str(&s->sent), str_from(what)) >= 0;
}

static void check_seen(struct side *s, const char *what)
{
	if (!str_eq(buf_str(&s->seen), str_from(what)))
		fprintf(stderr, "saw  %.*s\nnot  %s\n", STR_ARG(buf_str(&s->seen)), what);
	CHECK(str_eq(buf_str(&s->seen), str_from(what)));
	buf_clear(&s->seen);
}

#define GREETED                                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","            \
	"\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"n\",\"version\":\"2\"}}}\n"
#define LISTED(id, more)                                                                           \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{\"tools\":[{\"name\":\"echo\","           \
	"\"inputSchema\":{\"type\":\"object\"}}]" more "}}\n"

static void make_ready(struct side *s)
{
	begin(s, MCP_2025_11_25);
	say(s, GREETED LISTED(2, ""), 1000000);
	check_seen(s, "ready 2025-11-25;listed echo;");
	buf_clear(&s->sent);
}

/* ---- beginnings ---- */

TEST(an_older_server_is_initialized_however_its_bytes_are_cut)
{
	static const char text[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\","
		"\"capabilities\":{\"tools\":{}}}}\r\n" LISTED(3, "");

	for (size_t piece = 1; piece < sizeof text; piece++) {
		struct side s = { 0 };

		begin(&s, MCP_VERSION_NONE);
		say(&s, text, piece);
		check_seen(&s, "ready 2025-11-25;listed echo;");
		CHECK(has_sent(&s, "\"method\":\"server/discover\""));
		CHECK(has_sent(&s, "\"method\":\"initialize\""));
		CHECK(has_sent(&s, "\"method\":\"notifications/initialized\""));
		done(&s);
	}
}

TEST(a_modern_server_is_told_everything_with_every_request)
{
	struct side s = { 0 };

	begin(&s, MCP_VERSION_NONE);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{\"tools\":{\"listChanged\":true}}}}\n",
	    7);
	CHECK(has_sent(&s, "\"method\":\"subscriptions/listen\""));
	CHECK(!has_sent(&s, "initialize"));
	say(&s, LISTED(3, ",\"resultType\":\"complete\",\"ttlMs\":1"), 7);
	check_seen(&s, "ready 2026-07-28;listed echo;");
	buf_clear(&s.sent);
	mcp_protocol_call(s.protocol, &s.call);
	CHECK(has_sent(&s, "io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
	CHECK(has_sent(&s, "io.modelcontextprotocol/clientCapabilities"));
	CHECK(has_sent(&s, "\"progressToken\":4"));
	CHECK(has_sent(&s, "\"arguments\":{\"text\":\"x\"}"));
	done(&s);
}

TEST(an_unknown_version_ends_it)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2031\"]}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[]}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":7}}\n",
	};

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		struct side s = { 0 };

		begin(&s, MCP_VERSION_NONE);
		say(&s, answers[i], 100);
		check_seen(&s, "broken: it speaks none of the versions that we speak;");
		done(&s);
	}
}

TEST(a_server_that_answers_anything_to_the_probe_is_greeted)
{
	for (int pinned = 0; pinned < 2; pinned++) {
		struct side s = { 0 };

		begin(&s, pinned ? MCP_2026_07_28 : MCP_VERSION_NONE);
		say(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", 100);
		CHECK(has_sent(&s, "\"method\":\"initialize\"") == !pinned);
		check_seen(&s,
		           pinned ? "broken: it speaks none of the versions that we speak;" : "");
		done(&s);
	}
}

#define NO_SUCH_VERSION(id)                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32022,\"message\":\"no\","        \
	"\"data\":{\"supported\":[\"2026-07-28\"]}}}\n"

TEST(a_version_that_was_refused_and_named_is_asked_for_once_more)
{
	for (int again = 0; again < 2; again++) {
		struct side s = { 0 };

		begin(&s, MCP_VERSION_NONE);
		say(&s, NO_SUCH_VERSION("1"), 100);
		CHECK(!has_sent(&s, "\"method\":\"initialize\""));
		CHECK(has_sent(&s, "\"id\":2,\"method\":\"server/discover\""));
		say(&s,
		    again ? NO_SUCH_VERSION("2")
		          : "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"supportedVersions\":"
		            "[\"2026-07-28\"],\"capabilities\":{}}}\n",
		    100);
		CHECK(has_sent(&s, "\"method\":\"initialize\"") == (again == 1));
		check_seen(&s, again ? "" : "ready 2026-07-28;listed;");
		done(&s);
	}
}

TEST(a_server_that_supports_the_old_version_only_is_greeted)
{
	struct side s = { 0 };

	begin(&s, MCP_VERSION_NONE);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":"
	    "{\"supported\":[\"2025-11-25\"],\"requested\":\"2026-07-28\"}}}\n",
	    100);
	CHECK(has_sent(&s, "\"method\":\"initialize\""));
	done(&s);
}

TEST(a_pinned_version_is_not_bargained_about)
{
	struct side s = { 0 };

	begin(&s, MCP_2026_07_28);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n",
	    100);
	check_seen(&s, "broken: server/discover: what?;");
	done(&s);
}

TEST(silence_selects_no_protocol)
{
	struct side s = { 0 };

	begin(&s, MCP_VERSION_NONE);
	CHECK(mcp_protocol_is_probing(s.protocol) && !has_sent(&s, "\"method\":\"initialize\""));
	/* However late the answer comes. */
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{\"tools\":{}}}}\n",
	    100);
	CHECK(mcp_protocol_is_ready(s.protocol) && !mcp_protocol_is_probing(s.protocol));
	check_seen(&s, "ready 2026-07-28;");
	done(&s);
}

TEST(a_server_that_did_not_answer_the_probe_is_greeted_and_what_it_says_counts)
{
	struct side s = { 0 };

	begin_as(&s, MCP_VERSION_NONE, true);
	CHECK(has_sent(&s, "\"method\":\"initialize\"") &&
	      !has_sent(&s, "\"method\":\"server/discover\""));
	say(&s, GREETED, 100);
	check_seen(&s, "ready 2025-11-25;");
	done(&s);

	/* It was slow and is a newer one: it refuses the greeting and is asked again. */
	s = (struct side){ 0 };
	begin_as(&s, MCP_VERSION_NONE, true);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n",
	    100);
	CHECK(has_sent(&s, "\"method\":\"server/discover\""));
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{\"tools\":{}}}}\n",
	    100);
	check_seen(&s, "ready 2026-07-28;");
	done(&s);

	/* One that refuses both is no server. */
	s = (struct side){ 0 };
	begin_as(&s, MCP_VERSION_NONE, true);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n",
	    100);
	check_seen(&s, "broken: server/discover: what?;");
	done(&s);
}

/* ---- lists ---- */

TEST(pages_are_joined_and_bad_tools_left_out)
{
	struct side s = { 0 };

	begin(&s, MCP_2025_11_25);
	say(&s,
	    GREETED
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"nextCursor\":\"c\\\"2\",\"tools\":["
	    "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"bad\"},7,"
	    "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}]}}\n",
	    50);
	CHECK(has_sent(&s, "\"cursor\":\"c\\\"2\""));
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":["
	    "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}},"
	    "{\"name\":\"c\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{"
	    "\"pattern\":\"(\"}}}},"
	    "{\"name\":\"task\",\"inputSchema\":{\"type\":\"object\"},\"execution\":{"
	    "\"taskSupport\":\"required\"}},"
	    "{\"name\":\"d\",\"inputSchema\":{\"type\":\"object\"}},"
	    "{\"name\":\"e\",\"inputSchema\":{\"type\":\"object\"}}]}}\n",
	    50);
	check_seen(
		&s,
		"ready 2025-11-25;dropped bad;dropped ;dropped a;dropped c;dropped task;dropped e;"
		"listed "
		"a b d;");
	done(&s);
}

TEST(a_list_without_end_ends_it)
{
	struct side s = { 0 };
	char text[200];

	begin(&s, MCP_2025_11_25);
	say(&s, GREETED, 100);
	for (int id = 2; id < 100; id++) {
		snprintf(text, sizeof text,
		         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[],"
		         "\"nextCursor\":\"more\"}}\n",
		         id);
		say(&s, text, 100);
	}
	check_seen(&s, "ready 2025-11-25;broken: its list of tools does not end;");
	done(&s);
}

TEST(a_change_is_told_and_the_list_fetched_when_it_is_wanted)
{
	struct side s = { 0 };

	make_ready(&s);
	say(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n", 3);
	check_seen(&s, "changed;");
	CHECK(s.sent.len == 0);
	mcp_protocol_list(s.protocol);
	mcp_protocol_list(s.protocol); /* while it is fetched: it is stale when it comes */
	say(&s, LISTED(3, ""), 100);
	check_seen(&s, "listed echo;changed;");
	done(&s);
}

/* ---- calls ---- */

TEST(a_call_has_progress_and_one_end)
{
	static const char text[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
		"{\"progressToken\":3,\"progress\":1.5,\"total\":2,\"message\":\"half\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
		"{\"progressToken\":99,\"progress\":1}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\","
		"\"text\":\"a\"},"
		"{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"},"
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"u\",\"text\":\"r\"}}]}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n";

	for (size_t piece = 1; piece < sizeof text; piece += 3) {
		struct side s = { 0 };

		make_ready(&s);
		mcp_protocol_call(s.protocol, &s.call);
		say(&s, text, piece);
		check_seen(&s, "progress half 1/2;ended 0 0 0 a\n[image image/png, 4 bytes in "
		               "base64]\nr;");
		done(&s);
	}
}

TEST(errors_of_the_protocol_and_of_the_tool_are_two_things)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"bad\"}}\n",
	    9);
	check_seen(&s, "ended 1 0 -32602 bad;");
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"isError\":true,\"content\":"
	    "[{\"type\":\"text\",\"text\":\"oh\"}]}}\n",
	    9);
	check_seen(&s, "ended 0 1 0 oh;");
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":7}\n", 9);
	check_seen(&s, "ended 1 0 0 its result is not an object;");
	done(&s);
}

TEST(a_cancelled_call_is_told_once_and_not_heard_again)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	mcp_protocol_cancel(s.protocol, &s.call, STR("enough"));
	mcp_protocol_cancel(s.protocol, &s.call, STR("enough"));
	CHECK(has_sent(&s, "\"method\":\"notifications/"
	                   "cancelled\",\"params\":{\"requestId\":3,\"reason\":\"enough\"}"));
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n", 9);
	check_seen(&s, "");
	done(&s);
}

/* ---- questions ---- */

#define ELICIT "\"params\":{\"message\":\"who?\",\"requestedSchema\":{\"type\":\"object\"}}"

TEST(a_question_is_answered_under_the_servers_own_id)
{
	struct side s = { .answers = true, .action = STR("accept"), .content = STR("{\"n\":1}") };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\"," ELICIT "}\n",
	    5);
	check_seen(&s, "asked who?;");
	CHECK(has_sent(&s,
	               "\"id\":\"q\",\"result\":{\"action\":\"accept\",\"content\":{\"n\":1}}"));
	done(&s);
}

static bool is_login(const char *url)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct side s = { 0 };
	bool was_asked;

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    arena_printf(mem,
	                 "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
	                 "\"params\":{\"mode\":\"url\",\"message\":\"m\",\"url\":\"%s\"}}\n",
	                 url)
	            .ptr,
	    1000);
	was_asked = str_find(buf_str(&s.seen), str_from("asked m")) >= 0;
	done(&s);
	return was_asked;
}

TEST(an_address_to_sign_in_is_https_or_of_this_machine)
{
	CHECK(is_login("https://x.org/login?a=b@c"));
	CHECK(is_login("http://localhost/login"));
	CHECK(is_login("http://localhost:8080"));
	CHECK(is_login("http://127.0.0.1:8080/x"));
	CHECK(is_login("http://[::1]:1/x"));
	CHECK(!is_login("http://localhost.evil.org/"));
	CHECK(!is_login("http://127.0.0.1.evil.org/"));
	CHECK(!is_login("http://localhost@evil.org/"));
	CHECK(!is_login("http://localhost:x@evil.org/"));
	CHECK(!is_login("http://localhost:80.evil.org/"));
	CHECK(!is_login("http://localhostevil.org"));
	CHECK(!is_login("https://bank.org@evil.org/"));
	CHECK(!is_login("https://bank.org\\\\@evil.org/"));
	CHECK(!is_login("https://"));
	CHECK(!is_login("http://x.org/"));
	CHECK(!is_login("file:///etc/passwd"));
}

#define PAGE(id, url)                                                                              \
	"\"mode\":\"url\",\"message\":\"m\",\"elicitationId\":\"" id "\",\"url\":\"" url "\""

TEST(a_page_that_was_completed_settles_the_question)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{" PAGE(
		    "e1", "https://x.org/p") "}}\n"
	                                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	                                     "elicitation/complete\","
	                                     "\"params\":{\"elicitationId\":\"other\"}}\n",
	    7);
	CHECK(str_find(buf_str(&s.seen), str_from("page of x.org ")) >= 0);
	CHECK(str_find(buf_str(&s.seen), str_from("done;")) < 0);
	buf_clear(&s.seen);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\","
	    "\"params\":{\"elicitationId\":\"e1\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\","
	    "\"params\":{\"elicitationId\":\"e1\"}}\n",
	    7);
	check_seen(&s, "done;");
	CHECK(has_sent(&s, "\"id\":\"q\",\"result\":{\"action\":\"accept\"}"));
	done(&s);
}

TEST(a_question_that_the_server_withdraws_is_settled)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\"," ELICIT "}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	    "\"requestId\":8}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	    "\"requestId\":7}}\n",
	    5);
	check_seen(&s, "asked who?;withdrawn;");
	CHECK(has_sent(&s, "\"id\":7,\"result\":{\"action\":\"cancel\"}"));
	done(&s);
}

#define REQUIRED(id, list)                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32042,\"message\":\"m\","         \
	"\"data\":{\"elicitations\":[" list "]}}}\n"

TEST(a_call_that_requires_pages_is_made_again_after_them)
{
	struct side s = { .answers = true, .action = STR("accept"), .content = STR("{}") };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	say(&s,
	    REQUIRED("3", "{" PAGE("a", "https://x.org/a") "},{" PAGE("b", "https://x.org/b") "}"),
	    9);
	CHECK(str_find(buf_str(&s.seen), str_from("https://x.org/b")) >= 0);
	CHECK(has_sent(&s, "\"id\":4,\"method\":\"tools/call\""));
	CHECK(!has_sent(&s, "inputResponses"));
	/* one that never has enough is not obeyed for ever */
	for (int id = 4; id < 60; id++) {
		char text[300];

		snprintf(text, sizeof text,
		         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32042,\"message\":"
		         "\"m\",\"data\":{\"elicitations\":[{" PAGE("a",
		                                                    "https://x.org/a") "}]}}}\n",
		         id);
		say(&s, text, 1000);
	}
	CHECK(str_find(buf_str(&s.seen), str_from("it asks for more and more")) >= 0);
	done(&s);
}

TEST(a_page_that_is_declined_ends_the_call_that_requires_it)
{
	struct side s = { .answers = true, .action = STR("decline") };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	say(&s, REQUIRED("3", "{" PAGE("a", "https://x.org/a") "}"), 9);
	CHECK(str_find(buf_str(&s.seen), str_from("did not open")) >= 0);
	CHECK(!has_sent(&s, "tools/call"));
	done(&s);
}

/* Whether a form is asked; if not, the server gets an error that names the reason. */
static bool is_form(const char *schema)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct side s = { 0 };
	bool was_asked;

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	say(&s,
	    arena_printf(mem,
	                 "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
	                 "\"params\":{\"message\":\"m\",\"requestedSchema\":%s}}\n",
	                 schema)
	            .ptr,
	    1000);
	was_asked = str_find(buf_str(&s.seen), str_from("asked m")) >= 0;
	CHECK(was_asked || has_sent(&s, "\"code\":-32602"));
	done(&s);
	return was_asked;
}

#define FORM(field) "{\"type\":\"object\",\"properties\":{\"f\":" field "}}"

TEST(a_form_is_flat_and_of_the_types_of_the_protocol)
{
	CHECK(is_form("{\"type\":\"object\",\"properties\":{}}"));
	CHECK(is_form(FORM("{\"type\":\"string\",\"format\":\"email\",\"minLength\":1}")));
	CHECK(is_form(FORM("{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}")));
	CHECK(is_form(FORM("{\"type\":\"boolean\",\"default\":true}")));
	CHECK(is_form(
		FORM("{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"enumNames\":[\"A\",\"B\"]}")));
	CHECK(is_form(FORM("{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}]}")));
	CHECK(is_form(
		FORM("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]}}")));
	CHECK(is_form(FORM("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\"}]}}")));
	CHECK(!is_form("7"));
	CHECK(!is_form("{\"type\":\"array\"}"));
	CHECK(!is_form(FORM("{\"type\":\"object\",\"properties\":{}}")));
	CHECK(!is_form(FORM("{\"type\":\"array\",\"items\":{\"type\":\"object\"}}")));
	CHECK(!is_form(FORM("{\"type\":\"string\",\"format\":\"password\"}")));
	CHECK(!is_form(FORM("{\"type\":\"string\",\"$ref\":\"#\"}")));
	CHECK(!is_form(FORM("{\"type\":\"string\",\"pattern\":\"(\"}")));
	CHECK(!is_form(FORM("{\"type\":\"string\",\"enum\":[]}")));
	CHECK(!is_form(FORM("{}")));
}

TEST(another_method_is_repeated_when_its_exchange_breaks_and_asks_no_person)
{
	struct side s = { 0 };

	begin(&s, MCP_2026_07_28);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{\"resources\":{\"subscribe\":true}}}}\n",
	    100);
	CHECK(mcp_protocol_abilities(s.protocol)->has_resources);
	CHECK(!mcp_protocol_abilities(s.protocol)->has_prompts);
	s.call.method = STR("resources/read");
	s.call.params = STR("{\"uri\":\"a:b\"}");
	s.call.is_repeatable = s.call.is_aside = true;
	mcp_protocol_call(s.protocol, &s.call);
	CHECK(has_sent(&s, "\"method\":\"resources/read\"") && has_sent(&s, "\"uri\":\"a:b\""));
	mcp_protocol_lose(s.protocol, 2, true, STR("cut"));
	CHECK(has_sent(&s, "\"id\":3"));
	buf_clear(&s.seen);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\","
	    "\"inputRequests\":{\"k\":{\"method\":\"elicitation/create\"," ELICIT "}}}}\n",
	    11);
	CHECK(has_sent(&s, "\"inputResponses\":{\"k\":{\"action\":\"cancel\"}}"));
	mcp_protocol_lose(s.protocol, 4, true, STR("cut"));
	mcp_protocol_lose(s.protocol, 5, true, STR("cut"));
	check_seen(&s, "ended 0 0 0 cut;");
	/* resources that are followed are one subscription */
	buf_clear(&s.sent);
	mcp_protocol_subscribe(s.protocol, (struct str[]){ STR("a:b"), STR("a:c") }, 2);
	CHECK(has_sent(&s, "\"resourceSubscriptions\":[\"a:b\",\"a:c\"]"));
	mcp_protocol_subscribe(s.protocol, (struct str[]){ STR("a:c") }, 1);
	CHECK(has_sent(&s, "\"resourceSubscriptions\":[\"a:c\"]"));
	CHECK(has_sent(&s, "notifications/cancelled"));
	done(&s);
}

TEST(an_older_server_is_subscribed_to_by_resource_and_told_the_level_of_messages)
{
	struct side s = { 0 };

	begin(&s, MCP_2025_11_25);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
	    "\"capabilities\":{\"logging\":{},\"resources\":{\"subscribe\":true}}}}\n",
	    100);
	CHECK(has_sent(&s, "logging/setLevel") && has_sent(&s, "\"level\":\"warning\""));
	mcp_protocol_subscribe(s.protocol, (struct str[]){ STR("a:b"), STR("a:c") }, 2);
	CHECK(has_sent(&s, "\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a:c\"}"));
	buf_clear(&s.sent);
	mcp_protocol_subscribe(s.protocol, (struct str[]){ STR("a:c") }, 1);
	CHECK(has_sent(&s, "\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":\"a:b\"}"));
	CHECK(!has_sent(&s, "resources/subscribe"));
	buf_clear(&s.seen);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{"
	    "\"uri\":\"a:c\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\",\"params\":[7]}\n",
	    13);
	check_seen(&s, "note 2;note 1;");
	done(&s);
}

TEST(a_read_of_a_forgotten_session_is_sent_again_in_the_next_one)
{
	struct side s = { 0 };

	make_ready(&s);
	s.call.method = STR("resources/read");
	s.call.params = STR("{\"uri\":\"a:b\"}");
	s.call.is_repeatable = true;
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	mcp_protocol_renew(s.protocol, 0);
	CHECK(has_sent(&s, "initialize") && !has_sent(&s, "resources/read"));
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":\"2025-11-25\","
	    "\"capabilities\":{}}}\n",
	    100);
	CHECK(has_sent(&s, "resources/read"));
	done(&s);
}

TEST(a_question_without_a_call_is_dismissed)
{
	struct side s = { 0 };

	make_ready(&s);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\"," ELICIT "}\n", 5);
	check_seen(&s, "");
	CHECK(has_sent(&s, "\"id\":7,\"result\":{\"action\":\"cancel\"}"));
	done(&s);
}

TEST(a_question_of_a_call_that_ends_is_dismissed)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\"," ELICIT "}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n",
	    5);
	check_seen(&s, "asked who?;ended 0 0 0 ;");
	CHECK(has_sent(&s, "\"id\":7,\"result\":{\"action\":\"cancel\"}"));
	done(&s);
}

static void other_ended(struct mcp_call *c, const struct mcp_result *r)
{
	CHECK(!c->is_open && !r->is_refused);
}

TEST(a_question_waits_until_its_call_is_known)
{
	struct side s = { 0 };
	struct mcp_call other = { .tool = STR("other"), .args = STR("{}"), .ended = other_ended };
	char line[100];

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	mcp_protocol_call(s.protocol, &other);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\"," ELICIT "}\n", 5);
	check_seen(&s, "");
	/* A second one: then all calls ask, and none of the questions finds its own. */
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"elicitation/create\"," ELICIT "}\n", 5);
	CHECK(has_sent(&s, "\"id\":8,\"result\":{\"action\":\"cancel\"}"));
	snprintf(line, sizeof line,
	         "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":{\"content\":[]}}\n",
	         (long long)other.id);
	say(&s, line, 5);
	check_seen(&s, "asked who?;");
	mcp_protocol_answer(s.protocol, &s.call, STR("accept"), STR("{\"name\":\"a\"}"));
	CHECK(has_sent(&s,
	               "\"id\":7,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"a\"}}"));
	done(&s);
}

TEST(a_question_that_waits_is_withdrawn_or_refused)
{
	struct side s = { 0 };
	struct mcp_call other = { .tool = STR("other"), .args = STR("{}") };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	mcp_protocol_call(s.protocol, &other);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\"," ELICIT "}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	    "\"requestId\":7}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"elicitation/create\"," ELICIT "}\n",
	    5);
	/* It may be the question of the call that is cancelled; the other one does not get it. */
	mcp_protocol_cancel(s.protocol, &s.call, STR("over"));
	check_seen(&s, "");
	CHECK(has_sent(&s, "\"id\":9,\"result\":{\"action\":\"cancel\"}"));
	mcp_protocol_cancel(s.protocol, &other, STR("over"));
	done(&s);
}

#define QUESTION(id)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"elicitation/create\"," ELICIT "}\n"
#define LOGGED                                                                                     \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"                    \
	"{\"level\":\"error\",\"data\":\"secret\"}}\n"

static void answer_call(struct side *s, int64_t id)
{
	char line[100];

	snprintf(line, sizeof line,
	         "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":{\"content\":[]}}\n", (long long)id);
	say(s, line, 5);
}

TEST(a_late_question_of_an_ended_call_reaches_no_other_caller)
{
	struct rec_call_client client = { .log_level = TOOL_LOG_LEVEL_DEBUG };

	for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
		struct side s = { 0 };
		struct mcp_call other = { .tool = STR("other"),
			                  .args = STR("{}"),
			                  .caller = STR("ann"),
			                  .ended = other_ended };

		make_ready(&s);
		mcp_protocol_call(s.protocol, &other);
		if (is_cancelled)
			mcp_protocol_cancel(s.protocol, &other, STR("over"));
		else
			answer_call(&s, other.id);
		s.call.caller = STR("bob");
		s.call.client = &client;
		mcp_protocol_call(s.protocol, &s.call);
		say(&s, QUESTION(7) LOGGED, 5);
		check_seen(&s, "unclaimed 1;unclaimed 2;note 3;");
		CHECK(has_sent(&s, "\"id\":7,\"result\":{\"action\":\"cancel\"}"));
		done(&s);
	}
}

TEST(a_question_that_waits_is_refused_when_another_caller_comes)
{
	struct side s = { 0 };
	struct mcp_call other = { .tool = STR("other"), .args = STR("{}"), .caller = STR("ann") },
			third = { .tool = STR("third"), .args = STR("{}"), .caller = STR("bob") };

	make_ready(&s);
	s.call.caller = STR("ann");
	mcp_protocol_call(s.protocol, &s.call);
	mcp_protocol_call(s.protocol, &other);
	say(&s, QUESTION(7), 5);
	CHECK(!has_sent(&s, "\"id\":7,"));
	mcp_protocol_call(s.protocol, &third);
	CHECK(has_sent(&s, "\"id\":7,\"result\":{\"action\":\"cancel\"}"));
	check_seen(&s, "");
	done(&s);
}

TEST(a_question_that_crossed_a_cancellation_reaches_no_call)
{
	struct side s = { 0 };
	struct mcp_call other = { .tool = STR("other"), .args = STR("{}") };
	int64_t ping;

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	mcp_protocol_call(s.protocol, &other);
	ping = other.id + 1;
	mcp_protocol_cancel(s.protocol, &other, STR("over"));
	CHECK(has_sent(&s, "\"method\":\"ping\""));
	say(&s, QUESTION(7), 5);
	check_seen(&s, "unclaimed 1;");
	answer_call(&s, ping);
	say(&s, QUESTION(8), 5);
	check_seen(&s, "asked who?;");
	done(&s);
}

TEST(an_unanswered_question_does_not_hold_that_of_another_call)
{
	struct side s = { 0 };
	struct mcp_call other = { .tool = STR("other"), .args = STR("{}") };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &other);
	say(&s, QUESTION(7), 5);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, QUESTION(8), 5);
	check_seen(&s, "asked who?;asked who?;");
	mcp_protocol_answer(s.protocol, &s.call, STR("accept"), STR("{\"name\":\"b\"}"));
	CHECK(has_sent(&s,
	               "\"id\":8,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"b\"}}"));
	CHECK(!has_sent(&s, "\"id\":7,"));
	done(&s);
}

TEST(requests_that_come_together_are_asked_one_after_the_other)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, QUESTION(7) QUESTION(8) QUESTION(9), 5);
	check_seen(&s, "asked who?;");
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	    "\"requestId\":8}}\n",
	    5);
	CHECK(has_sent(&s, "\"id\":8,\"result\":{\"action\":\"cancel\"}"));
	mcp_protocol_answer(s.protocol, &s.call, STR("accept"), STR("{\"name\":\"a\"}"));
	check_seen(&s, "asked who?;");
	mcp_protocol_answer(s.protocol, &s.call, STR("accept"), STR("{\"name\":\"c\"}"));
	CHECK(has_sent(&s,
	               "\"id\":9,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"c\"}}"));
	answer_call(&s, s.call.id);
	check_seen(&s, "ended 0 0 0 ;");
	done(&s);
}

#define SAMPLE "\"params\":{\"messages\":[],\"maxTokens\":5}"

TEST(what_the_client_of_a_call_answers_is_passed_on)
{
	struct side s = { .answers = true,
		          .action = STR("accept"),
		          .content = STR("{\"request\":{\"role\":\"assistant\"}}") };
	struct rec_call_client client = { .sampling = true, .log_level = TOOL_LOG_LEVEL_NOTICE };

	make_ready(&s);
	s.call.client = &client;
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\"," SAMPLE "}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":"
	    "\"info\",\"data\":\"no\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":"
	    "\"error\",\"data\":\"yes\"}}\n",
	    5);
	CHECK(str_find(buf_str(&s.seen), STR("asked The tool server asks the client that called it "
	                                     "for an answer of its model.;")) >= 0);
	CHECK(str_find(buf_str(&s.seen), STR("log yes;")) >= 0);
	CHECK(str_find(buf_str(&s.seen), STR("log no;")) < 0);
	CHECK(has_sent(&s, "\"id\":7,\"result\":{\"role\":\"assistant\"}"));
	done(&s);
}

TEST(without_a_client_there_is_no_sampling)
{
	struct side s = { 0 };
	struct rec_call_client client = { .elicitation = true };

	make_ready(&s);
	s.call.client = &client;
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\"," SAMPLE "}\n",
	    5);
	check_seen(&s, "");
	CHECK(has_sent(&s, "-32601"));
	done(&s);
}

TEST(a_client_that_declines_gives_the_server_an_error)
{
	struct side s = { .answers = true, .action = STR("decline") };
	struct rec_call_client client = { .sampling = true };

	make_ready(&s);
	s.call.client = &client;
	mcp_protocol_call(s.protocol, &s.call);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\"," SAMPLE "}\n",
	    5);
	CHECK(has_sent(&s, "\"id\":7,\"error\":{\"code\":-1"));
	done(&s);
}

TEST(a_modern_question_makes_the_call_again_with_its_state)
{
	struct side s = { .answers = true, .action = STR("decline") };

	begin(&s, MCP_2026_07_28);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{}}}\n",
	    100);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
	    "\"requestState\":\"\\u00e9\\\"\",\"inputRequests\":{"
	    "\"k\":{\"method\":\"elicitation/create\"," ELICIT "},"
	    "\"r\":{\"method\":\"roots/list\"}}}}\n",
	    11);
	CHECK(has_sent(&s, "\"inputResponses\":{\"k\":{\"action\":\"decline\"},"
	                   "\"r\":{\"roots\":[{\"uri\":\"file:///a%20dir\"}]}}"));
	CHECK(has_sent(&s, "\"requestState\":\"\xc3\xa9\\\"\""));
	CHECK(has_sent(&s, "\"id\":3"));
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"k\"}]}}\n",
	    100);
	check_seen(&s, "ready 2026-07-28;listed;asked who?;ended 0 0 0 k;");
	done(&s);
}

TEST(a_request_that_cannot_be_answered_ends_the_call)
{
	struct side s = { 0 };

	begin(&s, MCP_2026_07_28);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
	    "\"capabilities\":{}}}\n",
	    100);
	mcp_protocol_call(s.protocol, &s.call);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
	    "\"inputRequests\":"
	    "{\"s\":{\"method\":\"sampling/createMessage\",\"params\":{}}}}}\n",
	    100);
	check_seen(&s, "ready 2026-07-28;listed;ended 1 0 0 it asks for something that this client "
	               "does not support;");
	/* and one that only wants to be asked again is not asked for ever */
	mcp_protocol_call(s.protocol, &s.call);
	for (int id = 3; id < 100; id++) {
		char text[200];

		snprintf(text, sizeof text,
		         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":"
		         "\"input_required\",\"requestState\":\"x\"}}\n",
		         id);
		say(&s, text, 100);
	}
	check_seen(&s, "ended 1 0 0 it asks for more and more;");
	done(&s);
}

/* ---- bad manners ---- */

TEST(lines_that_are_no_messages_are_borne_for_a_while)
{
	struct side s = { 0 };

	make_ready(&s);
	for (int i = 0; i < 100; i++)
		say(&s, "Listening on port 3000...\n", 100);
	check_seen(&s, "");
	CHECK(s.sent.len == 0);
	say(&s, "one more\n", 100);
	check_seen(&s, "broken: too many lines of it are no messages;");
	done(&s);
}

TEST(a_line_too_long_ends_it)
{
	struct side s = { 0 };

	make_ready(&s);
	for (int i = 0; i < 60; i++)
		say(&s,
		    "012345678901234567890123456789012345678901234567890123456789012345678901234567"
		    "8"
		    "90123456789012345678901234567890",
		    1000);
	check_seen(&s, "broken: a line of it is longer than it may be;");
	done(&s);
}

TEST(what_a_server_may_ask_is_answered_and_the_rest_refused)
{
	struct side s = { 0 };

	make_ready(&s);
	say(&s,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"sampling/createMessage\",\"params\":{}}\n",
	    100);
	CHECK(has_sent(&s, "\"id\":1,\"result\":{}"));
	CHECK(has_sent(&s, "\"id\":2,\"result\":{\"roots\":[{\"uri\":\"file:///a%20dir\"}]}"));
	CHECK(has_sent(&s, "\"id\":3,\"error\":{\"code\":-32601"));
	done(&s);
}

/* ---- transports with one exchange per request ---- */

TEST(a_call_whose_exchange_breaks_ends_once)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	CHECK(mcp_protocol_awaits(s.protocol, 3) && !mcp_protocol_awaits(s.protocol, 0));
	mcp_protocol_lose(s.protocol, 3, true, STR("cut"));
	check_seen(&s, "ended 0 0 0 cut;");
	CHECK(!mcp_protocol_awaits(s.protocol, 3));
	mcp_protocol_lose(s.protocol, 3, true, STR("cut"));
	check_seen(&s, "");
	done(&s);
}

TEST(a_list_whose_exchange_breaks_is_fetched_again_a_few_times)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_list(s.protocol);
	mcp_protocol_lose(s.protocol, 3, true, STR("cut"));
	CHECK(mcp_protocol_awaits(s.protocol, 4));
	say(&s, LISTED(4, ""), 1000);
	check_seen(&s, "listed echo;");
	mcp_protocol_list(s.protocol);
	for (int64_t id = 5; id < 8; id++)
		mcp_protocol_lose(s.protocol, id, true, STR("cut"));
	check_seen(&s, "broken: tools/list: cut;");
	done(&s);
}

TEST(a_greeting_whose_exchange_breaks_ends_the_conversation)
{
	struct side s = { 0 };

	begin(&s, MCP_VERSION_NONE);
	mcp_protocol_lose(s.protocol, 1, true, STR("cut"));
	check_seen(&s, "broken: cut;");
	CHECK(!has_sent(&s, "initialize"));
	done(&s);
}

TEST(a_call_of_a_forgotten_session_is_sent_again_in_the_next_one)
{
	struct side s = { 0 };
	static const char greeted[] =
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":\"2025-06-18\","
		"\"capabilities\":{\"tools\":{}}}}\n";

	make_ready(&s);
	mcp_protocol_call(s.protocol, &s.call);
	buf_clear(&s.sent);
	mcp_protocol_renew(s.protocol, 3);
	CHECK(has_sent(&s, "initialize") && !has_sent(&s, "tools/call"));
	say(&s, greeted, 1000);
	CHECK(str_eq(mcp_protocol_agreed(s.protocol), STR("2025-06-18")));
	CHECK(has_sent(&s, "\"id\":5,\"method\":\"tools/call\""));
	check_seen(&s, "ready 2025-11-25;");
	/* Forgotten again: the call has not run, and is not tried for ever. */
	mcp_protocol_renew(s.protocol, 5);
	check_seen(&s, "ended 0 0 0 the server does not know its session;");
	done(&s);
}

TEST(a_call_between_two_sessions_waits)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_renew(s.protocol, 0);
	buf_clear(&s.sent);
	mcp_protocol_call(s.protocol, &s.call);
	CHECK(!has_sent(&s, "tools/call"));
	mcp_protocol_cancel(s.protocol, &s.call, STR("r"));
	CHECK(!has_sent(&s, "cancelled"));
	done(&s);
}

TEST(a_server_that_forgets_every_session_ends_the_conversation)
{
	struct side s = { 0 };

	make_ready(&s);
	mcp_protocol_renew(s.protocol, 0);
	mcp_protocol_renew(s.protocol, 0);
	mcp_protocol_renew(s.protocol, 0);
	check_seen(&s, "");
	mcp_protocol_renew(s.protocol, 0);
	check_seen(&s, "broken: it does not know the session that it began;");
	done(&s);
}

TEST(an_error_of_the_newer_revision_does_not_lead_to_the_older_one)
{
	struct side s = { 0 };

	begin(&s, MCP_VERSION_NONE);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,\"message\":\"m\"}}\n",
	    9);
	check_seen(&s, "broken: server/discover: m;");
	CHECK(!has_sent(&s, "initialize"));
	done(&s);
}

static struct mcp_task task_of(struct arena *mem, const char *text, bool is_old)
{
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	return mcp_task_created(v, is_old, !is_old);
}

TEST(a_result_is_a_task_only_if_it_says_so)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_task t = task_of(mem,
	                            "{\"resultType\":\"task\",\"taskId\":\"a\",\"status\":"
	                            "\"working\",\"pollIntervalMs\":1}",
	                            false);

	CHECK(t.status == MCP_TASK_WORKING && t.poll_ms == 50);
	CHECK_STR(t.id, "a");
	t = task_of(mem,
	            "{\"task\":{\"taskId\":\"b\",\"status\":\"completed\",\"pollInterval\":9e9}}",
	            true);
	CHECK(t.status == MCP_TASK_COMPLETED && t.poll_ms == 60000);
	/* A result of a tool may have any members. */
	CHECK(!task_of(mem, "{\"task\":{\"taskId\":\"b\",\"status\":\"working\"}}", false).status);
	CHECK(!task_of(mem, "{\"content\":[]}", true).status);
	CHECK(!task_of(mem, "{\"task\":[1]}", true).status);
	CHECK(!task_of(mem, "{\"resultType\":\"task\",\"status\":\"working\"}", false).status);
	CHECK(!task_of(mem, "{\"resultType\":\"task\",\"taskId\":\"\",\"status\":\"working\"}",
	               false)
	               .status);
	CHECK(!task_of(mem, "{\"resultType\":\"task\",\"taskId\":\"a\",\"status\":\"odd\"}", false)
	               .status);
}

/* ---- files and links of a result ---- */

TEST(files_of_a_result_have_names_and_links_have_addresses)
{
	static const char text[] =
		"[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a/notes.txt\","
		"\"mimeType\":\"text/x-note\",\"blob\":\"aGk=\"}},"
		"{\"type\":\"resource_link\",\"uri\":\"https://x.example/d/r.pdf\","
		"\"name\":\"report.pdf\",\"mimeType\":\"application/pdf\"},"
		"{\"type\":\"resource_link\",\"uri\":\"file:///etc/passwd\",\"name\":\"p\"},"
		"{\"type\":\"resource_link\",\"uri\":\"javascript:1\",\"name\":\"p\"},"
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a/b\\u0001c\","
		"\"blob\":\"aGk=\"}},"
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"x\",\"blob\":\"%\"}}]";
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct tool_part *parts;
	struct json content;

	CHECK(json_read(mem, str_from(text), &content, NULL) == OK);
	CHECK_INT(mcp_message_parts(mem, content, &parts), 3);
	CHECK_STR(parts[0].name, "notes.txt");
	CHECK_STR(parts[0].bytes, "hi");
	CHECK_STR(parts[0].media_type, "text/x-note");
	CHECK(!str_is(parts[0].url));
	CHECK_STR(parts[1].name, "report.pdf");
	CHECK_STR(parts[1].url, "https://x.example/d/r.pdf");
	CHECK(!parts[1].bytes.len && !str_is(parts[2].name));
}

TEST(names_that_lead_elsewhere_and_addresses_with_line_breaks_are_none)
{
	static const char *const names[] = { "..",  ".",   "..\\\\x",  "C:\\\\x",
		                             "a/b", "\\n", "a\\u007f", "" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct tool_part *parts;
	struct json content;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		CHECK(json_read(
			      mem,
			      arena_printf(mem,
		                           "[{\"type\":\"resource\",\"resource\":{\"uri\":\"x\","
		                           "\"name\":\"%s\","
		                           "\"mimeType\":\"text/x\\r\\nX: y\",\"blob\":\"aGk=\"}}]",
		                           names[i]),
			      &content, NULL) == OK);
		CHECK_INT(mcp_message_parts(mem, content, &parts), 1);
		CHECK(!str_is(parts[0].name));
		CHECK_STR(parts[0].media_type, "application/octet-stream");
	}
	CHECK(json_read(
		      mem,
		      STR("[{\"type\":\"resource_link\",\"uri\":\"https://x/\\r\\nX: "
	                  "y\",\"name\":\"a\"},"
	                  "{\"type\":\"resource_link\",\"uri\":\"https://x/a b\",\"name\":\"a\"}]"),
		      &content, NULL) == OK);
	CHECK_INT(mcp_message_parts(mem, content, &parts), 0);
}

TEST_MAIN()
