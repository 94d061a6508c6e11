/* Scripts that are refused, and those that the documentation shows. */
#include "test_scripted_fixture.h"

#include <dirent.h>

/* ---- scripts that are wrong ---- */

#define RULE(rule) "{\"version\":1,\"rules\":[" rule "]}"
#define WHEN(when) RULE("{\"when\":" when ",\"reply\":{}}")
#define REPLY(reply) RULE("{\"reply\":" reply "}")
#define TOOLS(tool) "{\"version\":1,\"tools\":[" tool "]}"
#define RESULT(result) TOOLS("{\"name\":\"t\",\"result\":" result "}")

static const struct {
	const char *script, *says;
} bad_scripts[] = {
	{ "", "JSON is empty" },
	{ "{\n  \"version\": 1,\n  nonsense }", "at line 3" },
	{ "[]", "the script: expected an object" },
	{ "{}", "the script: version is missing; write \"version\": 1" },
	{ "{\"news\":1,\"version\":2}", "version: expected 1, the only one known here" },
	{ "{\"version\":\"1\"}", "version: expected 1" },
	{ "{\"version\":1,\"rule\":[]}",
	  "the script: unknown key \"rule\"; known are version, model, price, capabilities" },
	{ "{\"version\":1,\"version\":1}", "duplicate key \"version\" at line 1" },
	{ "{\"version\":1,\"model\":\"\"}", "model: expected a string that is not empty" },
	{ "{\"version\":1,\"model\":null}", "model: expected a string, found null" },
	{ "{\"version\":1,\"price\":\"free\"}",
	  "price: expected an object or \"unknown\", found \"free\"" },
	{ "{\"version\":1,\"price\":{\"inputPerMTok\":-1}}",
	  "price.inputPerMTok: expected a number of dollars from 0 to 1000000, found -1" },
	{ "{\"version\":1,\"price\":{\"effectiveFrom\":\"May\"}}",
	  "price.effectiveFrom: expected a date such as 2026-01-31" },
	{ "{\"version\":1,\"price\":{\"input\":3}}", "price: unknown key \"input\"" },
	{ "{\"version\":1,\"capabilities\":[\"tool use\"]}",
	  "capabilities[0]: expected a word of letters, digits and _, found \"tool use\"" },
	{ "{\"version\":1,\"windowTokens\":0}",
	  "windowTokens: expected a whole number from 1 to 1000000000, found 0" },
	{ "{\"version\":1,\"rules\":{}}", "rules: expected a list, found an object" },
	{ RULE("{\"reply\":{}},7"), "rules[1]: expected an object, found 7" },
	{ RULE("{}"), "rules[0]: reply or replies is missing" },
	{ RULE("{\"reply\":{},\"replies\":[{}]}"),
	  "rules[0]: reply and replies exclude each other" },
	{ RULE("{\"replies\":[]}"), "rules[0].replies: expected 1 to 1000 items, found 0" },
	{ RULE("{\"replies\":[{},{\"txt\":\"\"}]}"), "rules[0].replies[1]: unknown key \"txt\"" },
	{ RULE("{\"when\":{\"request\":1},\"replies\":[{}]}"),
	  "rules[0]: replies go by the number of the request" },
	{ RULE("{\"when\":{\"times\":1},\"replies\":[{}]}"),
	  "so when.request and when.times have no place here" },
	{ WHEN("{\"words\":\"x\"}"),
	  "rules[0].when: unknown key \"words\"; known are text, turn," },
	{ WHEN("{\"text\":5}"),
	  "rules[0].when.text: expected a string, {\"regex\"} or {\"equals\"}, found 5" },
	{ WHEN("{\"text\":\"\"}"), "rules[0].when.text: expected a string that is not empty" },
	{ WHEN("{\"text\":{\"regex\":\"a\",\"equals\":\"a\"}}"),
	  "rules[0].when.text: expected regex or equals, one of them" },
	{ WHEN("{\"text\":{\"glob\":\"*\"}}"), "rules[0].when.text: unknown key \"glob\"" },
	{ WHEN("{\"text\":{\"regex\":\"a(b\"}}"),
	  "rules[0].when.text.regex: missing closing parenthesis at character 4 of the pattern" },
	{ WHEN("{\"text\":{\"regex\":\"(((((((((((((((((((((((((((((((((((((((((x)\"}}"),
	  "rules[0].when.text.regex: parentheses are too deeply nested" },
	{ WHEN("{\"turn\":0}"), "rules[0].when.turn: expected a whole number from 1 to 1000000 or "
	                        "{\"min\", \"max\"}, found 0" },
	{ WHEN("{\"turn\":1.5}"), "found 1.5" },
	{ WHEN("{\"request\":{\"min\":3,\"max\":2}}"),
	  "rules[0].when.request: min is greater than max" },
	{ WHEN("{\"attempt\":{}}"), "rules[0].when.attempt: expected min, max or both" },
	{ WHEN("{\"times\":0}"), "rules[0].when.times: expected a whole number from 1" },
	{ WHEN("{\"toolResult\":\"x\"}"),
	  "rules[0].when.toolResult: expected an object, found \"x\"" },
	{ WHEN("{\"toolResult\":{\"isError\":\"yes\"}}"),
	  "rules[0].when.toolResult.isError: expected true or false, found \"yes\"" },
	{ REPLY("[]"), "rules[0].reply: expected an object, found a list" },
	{ REPLY("{\"text\":true}"), "rules[0].reply.text: expected a string, a list of strings or "
	                            "{\"repeat\", \"count\"}, found true" },
	{ REPLY("{\"text\":[\"a\",1]}"), "rules[0].reply.text[1]: expected a string, found 1" },
	{ REPLY("{\"text\":{\"repeat\":\"a\"}}"), "rules[0].reply.text: count is missing" },
	{ REPLY("{\"text\":{\"count\":2}}"), "rules[0].reply.text: repeat is missing" },
	{ REPLY("{\"text\":{\"repeat\":\"a\",\"bytes\":2}}"),
	  "rules[0].reply.text: unknown key \"bytes\"; known are repeat, count" },
	{ REPLY("{\"text\":\"hi {{inptu}}\"}"),
	  "rules[0].reply.text: unknown template {{inptu}}; known are {{input}} {{turn}} "
	  "{{toolResult}}" },
	{ REPLY("{\"text\":\"{{n}}\"}"), "unknown template {{n}}" },
	{ REPLY("{\"reasoning\":[\"{{args.x}}\"]}"),
	  "rules[0].reply.reasoning[0]: unknown template" },
	{ REPLY("{\"text\":\"a\",\"structured\":1}"),
	  "rules[0].reply: text and structured exclude each other" },
	{ REPLY("{\"structured\":1,\"text\":\"a\"}"), "text and structured exclude each other" },
	{ REPLY("{\"text\":[\"a\"],\"chunk\":2}"), "rules[0].reply: chunk cuts a string" },
	{ REPLY("{\"delayMs\":-1}"),
	  "rules[0].reply.delayMs: expected a whole number from 0 to 86400000, found -1" },
	{ REPLY("{\"delayMs\":\"20ms\"}"), "found \"20ms\"" },
	{ REPLY("{\"usage\":\"none\"}"),
	  "rules[0].reply.usage: expected an object or \"unknown\"" },
	{ REPLY("{\"usage\":{\"input\":1,\"cached\":2}}"),
	  "rules[0].reply.usage: cached is a part of input" },
	{ REPLY("{\"usage\":{\"output\":1,\"reasoning\":2}}"), "reasoning is a part of output" },
	{ REPLY("{\"stop\":\"done\"}"),
	  "rules[0].reply.stop: expected one of end_turn, tool_use, "
	  "max_tokens, stop_sequence, refusal, context_full, pause_turn, found "
	  "\"done\"" },
	{ REPLY("{\"error\":{\"status\":200}}"),
	  "rules[0].reply.error.status: expected a whole number from 400 to 599, found 200" },
	{ REPLY("{\"error\":{\"status\":500,\"cut\":true}}"), "rules[0].reply.error: cut means" },
	{ REPLY("{\"error\":{\"category\":\"so_bad\"}}"),
	  "rules[0].reply.error.category: expected an error category such as rate_limited" },
	{ REPLY("{\"error\":{},\"hang\":true}"),
	  "rules[0].reply: error and hang exclude each other" },
	{ REPLY("{\"hang\":true,\"stop\":\"end_turn\"}"), "rules[0].reply: stop is for a reply" },
	{ REPLY("{\"hang\":\"yes\"}"), "rules[0].reply.hang: expected true or {\"afterPieces\"}" },
	{ REPLY("{\"toolCalls\":[{\"args\":{}}]}"),
	  "rules[0].reply.toolCalls[0]: name is missing" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"args\":[]}]}"),
	  "rules[0].reply.toolCalls[0].args: expected an object, found a list" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"args\":{},\"rawArgs\":\"\"}]}"),
	  "rules[0].reply.toolCalls[0]: args and rawArgs exclude each other" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"id\":\"a b\"}]}"),
	  "rules[0].reply.toolCalls[0].id: expected letters, digits, _ . or -, found \"a b\"" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\"}]}"),
	  "rules[0]: toolCalls here would be asked for again after every result; use replies" },
	{ "{\"version\":1,\"default\":{\"toolCalls\":[{\"name\":\"a\"}]}}",
	  "default: toolCalls here would be asked for again after every result; put them into" },
	{ "{\"version\":1,\"default\":{\"tools\":1}}", "default: unknown key \"tools\"" },
	{ TOOLS("{}"), "tools[0]: name is missing" },
	{ TOOLS("{\"name\":\"a b\"}"), "tools[0].name: expected letters, digits, _ . or -" },
	{ TOOLS("{\"name\":\"ask_user\"}"), "tools[0]: ask_user is there already" },
	{ TOOLS("{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}"),
	  "tools[2].name: a is tools[0] already" },
	{ TOOLS("{\"name\":\"a\",\"policy\":\"maybe\"}"),
	  "tools[0].policy: expected one of allowed, ask, denied, found \"maybe\"" },
	{ TOOLS("{\"name\":\"a\",\"kind\":\"magic\"}"),
	  "tools[0].kind: expected one of tool_call," },
	{ TOOLS("{\"name\":\"a\",\"inputSchema\":true}"),
	  "tools[0].inputSchema: expected an object, found true" },
	{ TOOLS("{\"name\":\"a\",\"readOnly\":true,\"destructive\":true}"),
	  "tools[0]: a tool that is readOnly" },
	{ TOOLS("{\"name\":\"a123456789b123456789c123456789d123456789e123456789f123456789g1234\"}"),
	  "tools[0].name: expected at most 64 bytes, found 65" },
	{ RESULT("{\"text\":[\"a\"]}"), "tools[0].result.text: expected a string or {\"repeat\", "
	                                "\"bytes\"}, found a list" },
	{ RESULT("{\"delayMs\":18446744073709551615}"), "found too large a number" },
	{ RESULT("\"text\""), "tools[0].result: expected an object, found \"text\"" },
	{ RESULT("{\"text\":{\"repeat\":\"\",\"bytes\":1}}"),
	  "tools[0].result.text.repeat: expected a string that is not empty" },
	{ RESULT("{\"text\":{\"repeat\":\"a\",\"bytes\":2000000000}}"),
	  "tools[0].result.text.bytes: expected a whole number from 1 to 1073741824" },
	{ RESULT("{\"text\":{\"repeat\":\"{{args.x}}\",\"bytes\":2}}"), "known are {{n}}" },
	{ RESULT("{\"text\":\"{{input}}\"}"),
	  "tools[0].result.text: unknown template {{input}}; known are {{args.NAME}}" },
	{ RESULT("{\"text\":\"a\",\"pieces\":[\"a\"]}"), "text and pieces exclude each other" },
	{ RESULT("{\"pieces\":[\"a\"],\"text\":\"a\"}"), "text and pieces exclude each other" },
	{ RESULT("{\"text\":\"a\",\"outputEveryMs\":5}"),
	  "tools[0].result: outputEveryMs is the time" },
	{ RESULT("{\"progress\":[{\"afterMs\":5}]}"),
	  "tools[0].result.progress[0]: message is missing" },
	{ RESULT("{\"progress\":[{\"afterMs\":5,\"message\":\"a\"},{\"afterMs\":4,\"message\":"
	         "\"b\"}]}"),
	  "tools[0].result.progress: afterMs counts from the start of the call and cannot go "
	  "back" },
	{ RESULT("{\"fail\":{}}"), "tools[0].result.fail: message is missing" },
	{ RESULT("{\"fail\":{\"message\":\"m\",\"executed\":\"maybe\"}}"),
	  "tools[0].result.fail.executed: expected one of yes, no, partly, unknown" },
	{ RESULT("{\"fail\":{\"message\":\"m\"},\"exitCode\":1}"),
	  "tools[0].result: a tool that fails has no result" },
	{ RESULT("{\"fail\":{\"message\":\"m\"},\"hang\":true}"),
	  "fail and hang exclude each other" },
	{ RESULT("{\"artifact\":true}"), "tools[0].result: artifact needs writeFile" },
	{ RESULT("{\"files\":[]}"), "tools[0].result.files: expected 1 to 16 items, found 0" },
	{ RESULT("{\"files\":[{\"name\":\"a\"}]}"),
	  "tools[0].result.files[0]: a file has either text, base64 or url" },
	{ RESULT("{\"files\":[{\"name\":\"a\",\"text\":\"b\",\"url\":\"https://c\"}]}"),
	  "tools[0].result.files[0]: a file has either text, base64 or url" },
	{ RESULT("{\"files\":[{\"base64\":\"%\"}]}"),
	  "tools[0].result.files[0].base64: expected base64" },
	{ RESULT("{\"files\":[{\"url\":\"file:///etc/passwd\"}]}"),
	  "tools[0].result.files[0].url: expected an address that begins with http" },
	{ RESULT("{\"fail\":{\"message\":\"m\"},\"files\":[{\"text\":\"b\"}]}"),
	  "tools[0].result: a tool that fails has no result" },
	{ RESULT("{\"writeFile\":{\"text\":\"a\"}}"),
	  "tools[0].result.writeFile: path is missing" },
	{ RESULT("{\"writeFile\":{\"path\":\"a\"}}"),
	  "tools[0].result.writeFile: text is missing" },
	{ RESULT("{\"writeFile\":{\"path\":\"/etc/passwd\",\"text\":\"\"}}"),
	  "tools[0].result.writeFile.path: expected a relative path of a file without .., found "
	  "\"/etc/passwd\"" },
	{ RESULT("{\"writeFile\":{\"path\":\"a/../b\",\"text\":\"\"}}"), "without .." },
	{ RESULT("{\"exitCode\":256}"), "tools[0].result.exitCode: expected a whole number" },
};

TEST(a_bad_script_is_refused_with_place_and_expectation)
{
	struct fake_clock clock;

	fake_init(&clock);
	for (size_t i = 0; i < COUNT_OF(bad_scripts); i++) {
		struct scripted *s = NULL;
		struct error e = { 0 };
		struct scripted_options o = { &clock.port, str_from(bad_scripts[i].script) };

		if (!scripted_open(&o, &s, &e))
			t_fail(__FILE__, __LINE__, "this was taken: %s", bad_scripts[i].script);
		if (e.code != ERR_INVALID || !strstr(e.message, bad_scripts[i].says))
			t_fail(__FILE__, __LINE__, "%s\n gave: %s\n not: %s", bad_scripts[i].script,
			       e.message, bad_scripts[i].says);
		CHECK(!s);
		CHECK(scripted_open(&o, &s, NULL) == ERR_INVALID);
	}
}

TEST(a_script_has_a_largest_size)
{
	CLEANUP(buf_done) struct buf script = { 0 };
	struct fake_clock clock;
	struct scripted *s;
	struct error e;

	fake_init(&clock);
	buf_add_c(&script, "{\"version\":1}");
	while (script.len <= 4 << 20)
		buf_add_c(&script,
		          "                                                                ");

	struct scripted_options o = { &clock.port, buf_str(&script) };

	CHECK(scripted_open(&o, &s, &e) == ERR_TOO_LARGE);
}

TEST(a_price_can_be_unknown)
{
	RIG(r, STR("{\"version\":1,\"price\":\"unknown\",\"maxOutputTokens\":9}"));
	const struct model_info *m;

	r.p->ops->models(r.p, &m);
	CHECK(!m->price_count && m->max_output_tokens == 9);
	CHECK_STR(m->model, "demo");
}

/* ---- what is written about it ---- */

static void check_opens(struct str script, const char *where)
{
	struct fake_clock clock;
	struct scripted *s;
	struct error e;
	struct scripted_options o = { &clock.port, script };

	fake_init(&clock);
	if (scripted_open(&o, &s, &e))
		t_fail(__FILE__, __LINE__, "%s: %s", where, e.message);
	scripted_provider(s)->ops->close(scripted_provider(s));
	scripted_tools(s)->ops->close(scripted_tools(s));
}

TEST(every_example_opens)
{
	ARENA(mem);
	struct str builtin = str_from(source_path(mem, "examples/scripts/builtin.json"));
	struct str folder =
		arena_keep(mem, str_head(builtin, builtin.len - strlen("builtin.json")));
	DIR *dir = opendir(folder.ptr);
	size_t count = 0;

	CHECK(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		if (!str_ends(str_from(d->d_name), STR(".json")))
			continue;

		struct str below = arena_printf(mem, "examples/scripts/%s", d->d_name);

		check_opens(source(mem, below.ptr), d->d_name);
		count++;
	}
	closedir(dir);
	CHECK(count >= 7);
}

/* Every block of JSON in the documentation that is a whole script. */
TEST(every_script_in_the_documentation_opens)
{
	ARENA(mem);
	struct str rest = source(mem, "docs/reference/scripted-model.md");
	size_t count = 0;

	for (;;) {
		ptrdiff_t at = str_find(rest, STR("```json\n"));

		if (at < 0)
			break;
		rest = str_skip(rest, (size_t)at + 8);

		ptrdiff_t end = str_find(rest, STR("```"));

		CHECK(end >= 0);

		struct str block = str_head(rest, (size_t)end);

		rest = str_skip(rest, (size_t)end + 3);
		if (str_find(block, STR("\"version\"")) >= 0) {
			check_opens(block, "docs/reference/scripted-model.md");
			count++;
		}
	}
	CHECK(count >= 5);
}

TEST_MAIN()
