#include "hooks/hooks_claude.h"

#include "lib/t.h"

static struct str points(struct arena *mem, const char *text, struct str *ret_left)
{
	struct json doc;

	CHECK_OK(json_read(mem, str_from(text), &doc, NULL), NULL);
	return json_text(mem, hooks_claude_points(mem, doc, ret_left));
}

TEST(points_matchers_and_times_are_translated)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str left;

	CHECK_STR(points(mem,
	                 "{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\","
	                 "\"command\":\"a\",\"timeout\":3}]}]}",
	                 &left),
	          "{\"pre_tool_use\":[{\"match\":\"shell|start_process|write_process\",\"command\":"
	          "\"a\","
	          "\"timeout_ms\":3000,\"on_failure\":\"closed\"}]}");
	CHECK_STR(left, "");
	CHECK_STR(points(mem,
	                 "{\"PostToolUse\":[{\"matcher\":\"Write|mcp__db__.*\",\"hooks\":["
	                 "{\"type\":\"command\",\"command\":\"a\"},{\"type\":\"command\","
	                 "\"command\":\"b\"}]}],"
	                 "\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"c\","
	                 "\"timeout\":99999}]}]}",
	                 &left),
	          "{\"post_tool_use\":[{\"match\":\"write_file|mcp__db__*\",\"command\":\"a\","
	          "\"timeout_ms\":60000,\"on_failure\":\"open\"},{\"match\":\"write_file|mcp__db__*"
	          "\","
	          "\"command\":\"b\",\"timeout_ms\":60000,\"on_failure\":\"open\"}],"
	          "\"stop\":[{\"command\":\"c\",\"timeout_ms\":600000,\"on_failure\":\"open\"}]}");
	CHECK_STR(left, "");
}

TEST(a_matcher_for_all_tools_is_none)
{
	static const char *const all[] = { "", "*", ".*" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str left;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		CHECK_STR(
			points(mem,
		               arena_printf(
				       mem,
				       "{\"PreToolUse\":[{\"matcher\":\"%s\",\"hooks\":[{\"type\":"
				       "\"command\",\"command\":\"a\"}]}]}",
				       all[i])
		                       .ptr,
		               &left),
			"{\"pre_tool_use\":[{\"command\":\"a\",\"timeout_ms\":60000,"
			"\"on_failure\":\"closed\"}]}");
}

TEST(what_cannot_be_translated_is_told)
{
	static const char *const rows[] = {
		"{\"Notification\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}",
		"{\"PreToolUse\":[{\"matcher\":\"(Bash|Edit)\",\"hooks\":[{\"type\":\"command\","
		"\"command\":\"a\"}]}]}",
		"{\"PreToolUse\":[{\"matcher\":\"NotebookEdit\",\"hooks\":[{\"type\":\"command\","
		"\"command\":\"a\"}]}]}",
		"{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"prompt\",\"prompt\":"
		"\"a\"}]}]}",
		"{\"PreToolUse\":[{\"matcher\":\"Ba[s]h\",\"hooks\":[{\"type\":\"command\","
		"\"command\":\"a\"}]}]}",
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str left;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str got = points(mem, rows[i], &left);

		CHECK(str_find(got, STR("command")) < 0);
		CHECK(left.len > 0);
	}
	CHECK_STR(points(mem, "{\"PreToolUse\":7,\"Stop\":[3,{\"hooks\":4}]}", &left),
	          "{\"pre_tool_use\":[],\"stop\":[]}");
}

TEST(a_hook_reads_the_names_that_it_knows)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(hooks_claude_input(
			  mem, STR("{\"cwd\":\"/"
	                           "ws\",\"toolName\":\"edit_file\",\"tool_name\":\"edit_file\","
	                           "\"tool_input\":{\"path\":\"a.c\",\"oldText\":\"x\",\"newText\":"
	                           "\"y\"}}")),
	          "{\"cwd\":\"/"
	          "ws\",\"toolName\":\"edit_file\",\"tool_name\":\"Edit\",\"tool_input\":{\"path\":"
	          "\"a.c\","
	          "\"file_path\":\"/ws/"
	          "a.c\",\"oldText\":\"x\",\"old_string\":\"x\",\"newText\":\"y\",\"new_string\":"
	          "\"y\"}}");
	CHECK_STR(hooks_claude_input(mem,
	                             STR("{\"tool_name\":\"mcp__db__query\",\"tool_input\":null}")),
	          "{\"tool_name\":\"mcp__db__query\",\"tool_input\":null}");
	CHECK_STR(hooks_claude_input(mem, STR("no JSON")), "no JSON");
}

TEST(a_word_of_a_matcher_that_is_unknown_is_told)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str left;

	CHECK_HAS(points(mem,
	                 "{\"PostToolUse\":[{\"matcher\":\"Read| Write "
	                 "|NotebookEdit\",\"hooks\":[{\"type\":"
	                 "\"command\",\"command\":\"a\"}]}]}",
	                 &left),
	          "\"match\":\"read_file|write_file\"");
	CHECK_HAS(left, "NotebookEdit");
}

TEST(a_patch_names_its_file)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(hooks_claude_input(
			  mem, STR("{\"cwd\":\"/ws\",\"tool_name\":\"apply_patch\",\"tool_input\":"
	                           "{\"patch\":\"*** Begin Patch\\n*** Update File: a.c\\n\"}}")),
	          "\"file_path\":\"/ws/a.c\"");
}

TEST(a_changed_input_comes_back_in_our_names)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(hooks_claude_output(
			  mem, STR("{\"hookSpecificOutput\":{\"updatedInput\":{\"path\":\"a\","
	                           "\"file_path\":\"/ws/b\",\"old_string\":\"x\"}}}")),
	          "{\"hookSpecificOutput\":{\"updatedInput\":{\"path\":\"/ws/"
	          "b\",\"oldText\":\"x\"}}}");
	CHECK_STR(hooks_claude_output(mem, STR("plain text")), "plain text");
}

TEST(hooks_of_both_files_of_a_project_are_one_text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str shared = STR("{\"hooks\":{\"Stop\":[{\"hooks\":[1]}]},\"model\":\"x\"}");
	struct str local = STR("{\"hooks\":{\"Stop\":[{\"hooks\":[2]}],\"PreToolUse\":[3]}}");

	CHECK(str_eq(hooks_claude_text(mem, shared, STR_NONE), shared));
	CHECK(str_eq(hooks_claude_text(mem, STR_NONE, local), local));
	CHECK(str_eq(hooks_claude_text(mem, STR("{}"), local), local));
	CHECK_STR(hooks_claude_text(mem, shared, local),
	          "{\"hooks\":{\"Stop\":[{\"hooks\":[1]},{\"hooks\":[2]}],\"PreToolUse\":[3]}}");
	CHECK(!str_is(hooks_claude_text(mem, shared, STR("{\"disableAllHooks\":true}"))));
	CHECK(!str_is(hooks_claude_text(mem, STR("{\"hooks\":{}}"), STR("no json"))));
}

TEST_MAIN()
