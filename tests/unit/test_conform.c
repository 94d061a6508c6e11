/* Checks of a conformance pack: selectors, the life of objects, counts, and packs that are refused. */
#include "conform/conform_logs.h"
#include "conform/event_select.h"
#include "lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PACK_OF(checks)                                                                            \
	"{\"format\":1,\"standard\":\"s\",\"profiles\":{\"core\":\"c\"},\"rows\":[{\"id\":\"R\","  \
	"\""                                                                                       \
	"level\":\"must\","                                                                        \
	"\"profile\":\"core\",\"clause\":\"c\",\"statement\":\"s\",\"show\":\"s\",\"checks\":"     \
	"[" checks "]}]}"

/* "pass", "fail: text at line", "not_shown", or "refused: why". */
static struct str judge(struct arena *mem, const char *pack, const char *log)
{
	char path[] = "/tmp/thole-conform-XXXXXX";
	int fd = mkstemp(path);
	struct str at = str_from(path), result;
	struct conform_asked asked = { .pack = str_from(pack), .paths = &at, .path_count = 1 };
	struct buf out = { 0 };
	struct error e = { 0 };
	struct json report, row;
	bool is_fine = false;

	CHECK(fd >= 0 && write(fd, log, strlen(log)) == (ssize_t)strlen(log));
	close(fd);
	if (conform_logs(&asked, &out, &is_fine, &e) != OK) {
		unlink(path);
		return arena_printf(mem, "refused: %s", e.message);
	}
	unlink(path);
	CHECK_OK(json_read(mem, buf_str(&out), &report, &e), &e);
	buf_done(&out);
	row = json_at(JSON_GET(report, "rows"), 0);
	result = json_str(JSON_GET(row, "result"));
	CHECK(is_fine == !str_eq(result, STR("fail")));
	if (is_fine)
		return result;
	row = JSON_GET(row, "first");
	return arena_printf(mem, "fail: %.*s at %lld", STR_ARG(json_str(JSON_GET(row, "text"))),
	                    (long long)json_int(JSON_GET(row, "line"), 0));
}

static bool selects(const char *selectors, const char *event)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str pack = arena_printf(
		mem, PACK_OF("{\"kind\":\"has\",\"members\":[\"never\"],\"on\":%s}"), selectors);

	return str_starts(judge(mem, pack.ptr, event), STR("fail"));
}

TEST(the_last_selector_that_matches_decides)
{
	CHECK(selects("[\"*\"]", "{\"type\":\"a.b\"}"));
	CHECK(selects("[\"a.*\"]", "{\"type\":\"a.b\"}"));
	CHECK(!selects("[\"a.*\"]", "{\"type\":\"ab.c\"}"));
	CHECK(!selects("[\"*\",\"!a.b\"]", "{\"type\":\"a.b\"}"));
	CHECK(selects("[\"!a.*\",\"a.b\"]", "{\"type\":\"a.b\"}"));
	CHECK(selects("[{\"class\":\"*\",\"where\":{\"x|p.x\":[1,2]}}]", "{\"p\":{\"x\":2}}"));
	CHECK(!selects("[{\"class\":\"*\",\"where\":{\"x|p.x\":[1,2]}}]",
	               "{\"x\":3,\"p\":{\"x\":2}}"));
	CHECK(selects("[{\"class\":\"*\",\"where\":{\"x\":\"*\"}}]", "{\"x\":false}"));
	CHECK(!selects("[{\"class\":\"*\",\"where\":{\"x\":\"*\"}}]", "{\"x\":null}"));
}

#define LIFE                                                                                       \
	PACK_OF("{\"kind\":\"order\",\"object\":\"o\",\"id\":\"id\",\"opens\":[\"open\"],"         \
	        "\"needs\":["                                                                      \
	        "\"use\"],"                                                                        \
	        "\"closes\":[\"close\",\"done\"],\"reopens\":[\"again\"],\"final\":[\"done\"],\""  \
	        "within\":\"w\","                                                                  \
	        "\"ends\":[\"end\"]}")
#define E(type) "{\"type\":\"" type "\",\"id\":\"1\",\"w\":\"7\"}\n"

TEST(an_object_is_opened_used_and_closed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(judge(mem, LIFE, E("open") E("use") E("close") E("end")), "pass");
	CHECK_STR(judge(mem, LIFE, E("other") E("end")), "not_shown");
	CHECK_STR(judge(mem, LIFE, E("use")),
	          "fail: use comes before the beginning of the o 1 at 1");
	CHECK_STR(judge(mem, LIFE, E("open") E("open ") E("open")),
	          "fail: open opens a second time the o 1 at 3");
	CHECK_STR(judge(mem, LIFE, E("open") E("close") E("use")),
	          "fail: use follows the end of the o 1 at 3");
	CHECK_STR(judge(mem, LIFE, E("open") E("close") E("close")),
	          "fail: close follows the end of the o 1 at 3");
	CHECK_STR(judge(mem, LIFE, E("open") E("close") E("again") E("use") E("close")), "pass");
	CHECK_STR(judge(mem, LIFE, E("open") E("done") E("again")),
	          "fail: again continues the completed o 1 at 3");
	CHECK_STR(judge(mem, LIFE, E("open") E("end")), "fail: end leaves the o 1 open at 2");
}

TEST(what_a_lost_line_or_a_cut_beginning_may_have_said_is_not_held_against_a_log)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(judge(mem, LIFE, "garbage\n" E("use") E("close")), "pass");
	CHECK_STR(judge(mem, LIFE,
	                "{\"type\":\"use\",\"id\":\"1\",\"sessionId\":\"s\",\"sequence\":9}"),
	          "pass");
	CHECK_STR(judge(mem, LIFE,
	                "{\"type\":\"use\",\"id\":\"1\",\"sessionId\":\"s\",\"sequence\":1}"),
	          "fail: use comes before the beginning of the o 1 at 1");
}

TEST(ids_belong_to_their_session)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(judge(mem, LIFE,
	                "{\"type\":\"open\",\"id\":\"1\",\"sessionId\":\"a\"}\n"
	                "{\"type\":\"open\",\"id\":\"1\",\"sessionId\":\"b\"}\n"),
	          "pass");
}

TEST(an_object_that_moves_between_wholes_does_no_harm)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(judge(mem, LIFE,
	                "{\"type\":\"open\",\"id\":\"1\",\"w\":\"a\"}\n{\"type\":\"open\",\"id\":"
	                "\"1\",\"w\":\"b\"}\n"
	                "{\"type\":\"open\",\"id\":\"1\",\"w\":\"a\"}\n{\"type\":\"end\",\"w\":"
	                "\"a\"}\n"),
	          "fail: open opens a second time");
}

/* An id of others that spelled the key of a whole made a list that ended in itself. */
TEST(an_id_with_a_line_break_is_not_taken_for_a_whole)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(judge(mem, LIFE,
	                "{\"type\":\"open\",\"id\":\"\\nW\",\"w\":\"W\"}\n"
	                "{\"type\":\"end\",\"w\":\"W\"}\n"),
	          "open");
}

TEST(counts_are_judged_at_the_event_that_asks)
{
	static const char pack[] = PACK_OF("{\"kind\":\"count\",\"on\":[\"c\"],\"each\":[\"e\"],"
	                                   "\"per\":\"id\",\"min\":1,\"max\":1}");
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(judge(mem, pack, E("e") E("c")), "pass");
	CHECK_STR(judge(mem, pack, E("c")), "not_shown");
	CHECK_STR(judge(mem, pack, E("x") E("e") E("y")),
	          "fail: id 1 has 0 of the events c, not 1 at 2");
	CHECK_HAS(judge(mem, pack, E("e") E("c") "{\"type\":\"c\",\"id\":\"1\"}\n"),
	          "c occurs 2 times");
}

TEST(packs_that_cannot_be_read_are_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(judge(mem, "{}", "{}"), "refused: \"format\" is not 1");
	CHECK_HAS(judge(mem, PACK_OF(""), "{}"), "refused: row R: there are no");
	CHECK_HAS(judge(mem, PACK_OF("{\"kind\":\"x\"}"), "{}"), "no check of kind \"x\"");
	CHECK_HAS(judge(mem, PACK_OF("{\"kind\":\"has\",\"on\":[\"*\"]}"), "{}"),
	          "lacks \"members\"");
	CHECK_HAS(judge(mem, PACK_OF("{\"kind\":\"absent\",\"on\":[\"*\"]}"), "{}"),
	          "unknown member \"on\"");
	CHECK_HAS(judge(mem, PACK_OF("{\"kind\":\"line\",\"rule\":\"x\"}"), "{}"),
	          "no rule of lines");
	CHECK_HAS(judge(mem, PACK_OF("{\"kind\":\"schema\",\"on\":[\"*\"],\"schema\":\"urn:x\"}"),
	                "{}"),
	          "urn:x");
}

TEST_MAIN()
