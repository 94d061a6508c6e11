/* The evaluation of a call: its effects and the tool's own policy. */
#include "lib/permission_hand.h"

/* ---- commands ---- */

TEST(a_command_is_judged_by_what_it_runs_and_not_by_its_tool)
{
	HAND;

	CHECK(judge(&h, "{\"command\":\"ls\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"command\":\"ls; touch x\"}") == APPROVAL_DECISION_ASK);
	CHECK_INT(h.d.subcommands.count, 2);
	CHECK_STR(h.d.subcommands.items[1]->argv.items[0], "touch");
	h.tool.policy = TOOL_POLICY_ASK;
	CHECK(judge(&h, "{\"command\":\"ls\"}") == APPROVAL_DECISION_ALLOW);
	h.tool.policy = TOOL_POLICY_DENIED;
	CHECK(judge(&h, "{\"command\":\"ls\"}") == APPROVAL_DECISION_DENY);
	h.tool.policy = TOOL_POLICY_UNAVAILABLE;
	CHECK(judge(&h, "{\"command\":\"ls\"}") == APPROVAL_DECISION_UNAVAILABLE);
}

TEST(a_command_that_cannot_be_analyzed_needs_approval)
{
	HAND;

	CHECK(judge(&h, NULL) == APPROVAL_DECISION_ASK);
	CHECK_HAS(h.d.decision_reason, "too large");
}

TEST(variables_and_the_directory_of_a_call_count)
{
	HAND;

	CHECK(judge(&h, "{\"command\":\"ls\",\"env\":{\"LANG\":\"C\"}}") ==
	      APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"command\":\"ls\",\"env\":{\"LD_PRELOAD\":\"./x.so\"}}") ==
	      APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"ls\",\"env\":{\"PATH\":\".\"}}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"cat notes\",\"cwd\":\"sub\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"command\":\"cat notes\",\"cwd\":\"/home/u\"}") ==
	      APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"cat notes\",\"cwd\":\"../../home/u\"}") ==
	      APPROVAL_DECISION_ASK);
}

/* ---- other tools ---- */

TEST(a_tool_that_is_allowed_may_work_in_the_workspace_and_nowhere_else)
{
	HAND;

	use_tool(&h, "write", TOOL_POLICY_ALLOWED, "[\"write\",\"filesystem\"]");
	CHECK(judge(&h, "{\"path\":\"src/a.c\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(h.d.decision_source == DECISION_SOURCE_TOOL_CONTRACT);
	CHECK_STR(h.d.rule_refs.items[0], "rule:tool:write");
	CHECK_STR(h.d.impact->paths.items[0], "/ws/src/a.c");
	CHECK(judge(&h, "{\"path\":\"../other/a.c\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"path\":\"/tmp/x\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"path\":\".git/config\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"path\":\".thole/rules.json\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"path\":\"\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"paths\":[\"a.c\",\"/etc/passwd\"]}") == APPROVAL_DECISION_ASK);
	h.settings.is_interactive = false;
	CHECK(judge(&h, "{\"path\":\"/tmp/x\"}") == APPROVAL_DECISION_DENY);
}

TEST(a_tool_that_asks_yields_to_a_rule_of_the_user_and_reads_are_no_exception)
{
	HAND;

	use_tool(&h, "look", TOOL_POLICY_ASK, "[\"custom\"]");
	h.tool.is_read_only = true;
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
	use_rules(&h, "[{\"effect\":\"allow\",\"tool\":\"look\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ALLOW);
	use_rules(&h, "[{\"effect\":\"allow\",\"tool\":\"look\"},{\"effect\":\"ask\",\"tool\":\"l*"
	              "\",\"source\":\"project\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
}

TEST(a_project_cannot_allow_through_the_settings)
{
	HAND;

	use_tool(&h, "save", TOOL_POLICY_ASK, "[\"custom\"]");
	use_rules(&h, "[{\"effect\":\"allow\",\"tool\":\"save\",\"source\":\"project\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
}

TEST(hosts_are_taken_from_the_url_as_a_client_would)
{
	HAND;

	use_tool(&h, "fetch", TOOL_POLICY_ASK, "[\"network\"]");
	use_rules(&h, "[{\"effect\":\"allow\",\"tool\":\"fetch\",\"host\":\"*.example.org\"}]");
	CHECK(judge(&h, "{\"url\":\"https://a.example.org/x\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"url\":\"https://a.example.org:8443?x\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"url\":\"https://A.EXAMPLE.org.\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"url\":\"https://a.example.org@evil.test/\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"url\":\"https://evil.test/a.example.org\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"url\":\"https://evil.test\\\\.example.org\"}") ==
	      APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"url\":\"https://evil.test#.example.org\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
}

TEST(a_sandboxed_tool_runs_in_a_sandbox_and_needs_approval_without_one)
{
	HAND;

	use_tool(&h, "build", TOOL_POLICY_SANDBOXED, "[\"custom\"]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
	h.tool.is_sandboxed = true;
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_SANDBOXED);
}

TEST(asking_a_person_needs_no_permission_but_can_be_forbidden)
{
	HAND;

	use_tool(&h, "ask_user", TOOL_POLICY_ALLOWED, "[]");
	h.tool.asks_user = true;
	h.settings.mode = PERMISSION_MODE_PLAN;
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ALLOW);
	CHECK(h.d.decision_source == DECISION_SOURCE_TOOL_CONTRACT);
	use_rules(&h, "[{\"effect\":\"deny\",\"tool\":\"ask_user\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_DENY);
}

TEST(rules_on_a_tool_server_match_its_tools)
{
	HAND;

	use_tool(&h, "search", TOOL_POLICY_ASK, "[\"custom\"]");
	h.tool.owner = STR("mcp:docs");
	use_rules(&h, "[{\"effect\":\"allow\",\"mcp\":\"docs/search\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ALLOW);
	use_rules(&h, "[{\"effect\":\"allow\",\"mcp\":\"docs\"},{\"effect\":\"deny\",\"mcp\":\"*/"
	              "search\"}]");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_DENY);
	h.tool.owner = STR("local");
	CHECK(judge(&h, "{}") == APPROVAL_DECISION_ASK);
}

/* ---- against the answer ---- */

TEST(nothing_that_a_rule_or_mode_plan_forbids_is_opened_by_an_answer)
{
	HAND;
	struct permission_ask a = ask(&h, "{\"command\":\"make\"}");

	CHECK(!permission_forbids(&a, &h.d));
	h.state->s->permission_mode = PERMISSION_MODE_NEVER;
	CHECK(!permission_forbids(&a, &h.d));
	h.state->s->permission_mode = PERMISSION_MODE_PLAN;
	CHECK(permission_forbids(&a, &h.d));
	h.state->s->permission_mode = PERMISSION_MODE_BYPASS;
	h.state->s->rules = STR("{\"rules\":[{\"effect\":\"deny\",\"command\":[\"make\"]}]}");
	CHECK(permission_forbids(&a, &h.d));
	CHECK(h.d.mode == PERMISSION_MODE_BYPASS);
}

TEST(rules_of_a_session_that_cannot_be_read_forbid_everything)
{
	HAND;

	h.state->s->rules = STR("{\"rules\":[{\"effect\":\"perhaps\"}]}");
	CHECK(judge(&h, "{\"command\":\"ls\"}") == APPROVAL_DECISION_DENY);
}

/* Who may not run a command may not leave one in the background either. */
TEST(what_is_denied_to_the_shell_is_denied_in_the_background)
{
	HAND;

	h.tool.name = STR("start_process");
	h.tool.is_background = true;
	CHECK_INT(judge(&h, "{\"command\":\"ls\"}"), APPROVAL_DECISION_ALLOW);
	use_rules(&h, "[{\"id\":\"no\",\"effect\":\"deny\",\"tool\":\"shell\"}]");
	CHECK_INT(judge(&h, "{\"command\":\"ls\"}"), APPROVAL_DECISION_DENY);
	use_rules(&h, "[{\"id\":\"no\",\"effect\":\"deny\",\"tool\":\"start_*\"}]");
	CHECK_INT(judge(&h, "{\"command\":\"ls\"}"), APPROVAL_DECISION_DENY);
	use_rules(&h, "[{\"id\":\"yes\",\"effect\":\"allow\",\"tool\":\"shell\",\"command\":["
	              "\"make\"]}]");
	CHECK_INT(judge(&h, "{\"command\":\"make\"}"), APPROVAL_DECISION_ASK);
}

TEST(a_patch_is_judged_by_every_file_in_it)
{
	HAND;

	use_tool(&h, "apply_patch", TOOL_POLICY_ALLOWED, "[\"write\"]");
	use_rules(
		&h,
		"[{\"id\":\"shut\",\"effect\":\"deny\",\"path\":\"vendor\",\"access\":\"write\"}]");
	CHECK(judge(&h,
	            "{\"patch\":\"*** Begin Patch\\n*** Add File: a\\n+x\\n*** End Patch\\n\"}") ==
	      APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"patch\":\"*** Begin Patch\\n*** Add File: a\\n+x\\n*** Delete File: "
	                "src/../vendor/b\\n"
	                "*** End Patch\\n\"}") == APPROVAL_DECISION_DENY);
	CHECK(judge(&h, "{\"patch\":\"*** Begin Patch\\n*** Add File: /etc/a\\n+x\\n*** End "
	                "Patch\\n\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"patch\":\"nonsense\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"path\":\"vendor/x\",\"patch\":\"*** Begin Patch\\n*** Add File: "
	                "a\\n+x\\n*** End Patch\\n\"}") == APPROVAL_DECISION_DENY);
}

TEST(access_beyond_the_sandbox_is_evaluated_like_the_call)
{
	HAND;

	h.settings.mode = PERMISSION_MODE_ON_REQUEST;
	h.tool.is_sandboxed = true;
	use_rules(&h, "[{\"id\":\"shut\",\"effect\":\"deny\",\"path\":\"/srv/shut\"}]");
	CHECK(judge(&h, "{\"command\":\"echo x\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"command\":\"echo "
	                "x\",\"escalate\":{\"reason\":\"r\",\"write\":[\"/srv/shut\"]}}") ==
	      APPROVAL_DECISION_DENY);
	CHECK(judge(&h, "{\"command\":\"echo "
	                "x\",\"escalate\":{\"reason\":\"r\",\"read\":[\"/srv/a/../shut/x\"]}}") ==
	      APPROVAL_DECISION_DENY);
	CHECK(judge(&h,
	            "{\"command\":\"echo x\",\"escalate\":{\"reason\":\"r\",\"network\":true}}") ==
	      APPROVAL_DECISION_ASK);
}

TEST(a_call_names_the_access_it_wants_or_else_wants_no_sandbox)
{
	HAND;
	struct str why;
	struct rec_sandbox_override *o, *all = NULL;

	CHECK(!escalation_requested(h.mem, STR("{\"command\":\"x\"}"), &why));
	CHECK(!escalation_requested(h.mem, STR_NONE, &why));
	o = escalation_requested(h.mem, STR("{\"escalate\":{\"reason\":\"so\"}}"), &why);
	CHECK(o && o->mode == SANDBOX_MODE_DANGER_FULL_ACCESS);
	CHECK_STR(why, "so");
	CHECK_STR(escalation_text(h.mem, o), "to run without the sandbox");
	o = escalation_requested(
		h.mem,
		STR("{\"escalate\":{\"reason\":\"so\",\"network\":true,\"write\":[\"/a\"],"
	            "\"read\":[\"/b\"]}}"),
		&why);
	CHECK(o && !o->mode && o->network == NETWORK_MODE_FULL);
	CHECK_STR(escalation_text(h.mem, o), "all of the network, to write in /a, to read in /b");
	escalation_merge(h.mem, &all, o);
	escalation_merge(h.mem, &all, o);
	CHECK(all->write_roots.count == 1 && all->read_roots.count == 1);
	CHECK(escalation_paths(h.mem, all).count == 2);
}

TEST(access_beyond_the_sandbox_needs_approval_in_one_mode_and_is_refused_in_others)
{
	HAND;
	struct decision d = { .mem = h.mem, .w = h.state, .settings = &h.settings };

	for (int mode = PERMISSION_MODE_DEFAULT; mode <= PERMISSION_MODE_AUTO; mode++) {
		struct rec_permission_decision v = { .decision = APPROVAL_DECISION_ALLOW,
			                             .mode = (enum permission_mode)mode };

		escalation_evaluate(&d, &v);
		CHECK(v.decision == (mode == PERMISSION_MODE_ON_REQUEST ? APPROVAL_DECISION_ASK
		                                                        : APPROVAL_DECISION_DENY));
		CHECK(str_is(v.decision_reason));
		v = (struct rec_permission_decision){ .decision = APPROVAL_DECISION_DENY,
			                              .mode = v.mode };
		escalation_evaluate(&d, &v);
		CHECK(v.decision == APPROVAL_DECISION_DENY && !str_is(v.decision_reason));
	}
	h.settings.is_interactive = false;

	struct rec_permission_decision v = { .decision = APPROVAL_DECISION_ALLOW,
		                             .mode = PERMISSION_MODE_ON_REQUEST };

	escalation_evaluate(&d, &v);
	CHECK(v.decision == APPROVAL_DECISION_DENY);
}

TEST(a_command_too_long_to_be_kept_is_asked_about)
{
	HAND;
	struct permission_ask long_one = ask(&h, "{}");

	h.tool.capabilities = STR("[\"read\",\"write\",\"shell\"]");
	long_one.args = STR_NONE;
	permission_judge(&long_one, &h.d);
	CHECK_INT(h.d.decision, APPROVAL_DECISION_ASK);
}

TEST_MAIN()
