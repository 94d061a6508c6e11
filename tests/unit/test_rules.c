/* Rules: how they are parsed, what they match, and that nothing overrides a deny. */
#include "policy/shell/analyze.h"
#include "lib/rng.h"
#include "lib/t.h"

/* ---- reading ---- */

static const struct rule_origin by_user = { RULE_USER, true };

static bool reads(const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rules rs = { .mem = mem };
	struct error e;

	return rules_add(&rs, str_from(text), by_user, &e) == OK;
}

static struct str why_not(struct arena *mem, const char *text)
{
	struct rules rs = { .mem = mem };
	struct error e = { 0 };

	CHECK(rules_add(&rs, str_from(text), by_user, &e) != OK);
	CHECK(rs.count == 0);
	return arena_keep(mem, str_from(e.message));
}

TEST(a_rule_says_what_it_is_about)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rules rs = { .mem = mem };
	struct error e;

	CHECK_OK(rules_add(&rs,
	                   STR("{\"rules\":[{\"id\":\"a\",\"effect\":\"allow\",\"command\":\"make "
	                       "test\"},"
	                       "{\"effect\":\"deny\",\"path\":\"secrets\",\"access\":\"write\"}]}"),
	                   by_user, &e),
	         &e);
	CHECK_INT(rs.count, 2);
	CHECK_STR(rs.items[0].ref, "rule:user:a");
	CHECK_INT(rs.items[0].command.count, 2);
	CHECK_STR(rs.items[1].ref, "rule:user:2");
	CHECK_INT(rs.items[1].access, RULE_WRITE);
}

TEST(a_text_of_rules_is_taken_whole_or_not_at_all)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_HAS(why_not(mem, "{\"rules\":[{\"effect\":\"deny\",\"tool\":\"x\"},{\"effect\":"
	                       "\"maybe\",\"tool\":\"x\"}]}"),
	          "rule 2: effect is allow, ask or deny, not maybe");
	CHECK_HAS(why_not(mem, "{\"rules\":[{\"effect\":\"allow\",\"comand\":[\"ls\"]}]}"),
	          "unknown field comand");
	CHECK_HAS(why_not(mem, "{\"rules\":[{\"effect\":\"allow\"}]}"), "it names nothing");
	CHECK_HAS(why_not(mem, "{\"rules\":[{\"tool\":\"x\"}]}"), "it has no effect");
	CHECK_HAS(why_not(mem, "{\"rules\":[{\"effect\":\"deny\",\"path\":\"a/../b\"}]}"),
	          "with . or ..");
	CHECK_HAS(why_not(mem,
	                  "{\"rules\":[{\"effect\":\"deny\",\"tool\":\"x\",\"access\":\"read\"}]}"),
	          "access without a path");
	CHECK(!reads("{\"rules\":[{\"effect\":\"deny\",\"effect\":\"allow\",\"tool\":\"x\"}]}"));
	CHECK(!reads("[]"));
	CHECK(!reads("{\"rules\":{}}"));
	CHECK(!reads("{\"rule\":[]}"));
	CHECK(!reads("{\"rules\":[{\"effect\":\"deny\",\"command\":[]}]}"));
	CHECK(!reads("{\"rules\":[{\"effect\":\"deny\",\"command\":[\"\"]}]}"));
	CHECK(!reads("{\"rules\":[{\"effect\":\"deny\",\"tool\":\"a\\u0000b\"}]}"));
	CHECK(reads("{\"rules\":[]}"));
}

/* ---- places ---- */

TEST(a_path_pattern_covers_what_is_below_it_on_component_borders)
{
	CHECK(rules_paths_covers(STR("/ws/a"), STR("/ws/a")));
	CHECK(rules_paths_covers(STR("/ws/a"), STR("/ws/a/b/c")));
	CHECK(!rules_paths_covers(STR("/ws/a"), STR("/ws/ab")));
	CHECK(rules_paths_covers(STR("/ws/*.c"), STR("/ws/x.c")));
	CHECK(!rules_paths_covers(STR("/ws/*.c"), STR("/ws/d/x.c")));
	CHECK(rules_paths_covers(STR("/ws/**/x.c"), STR("/ws/a/b/x.c")));
	CHECK(rules_paths_covers(STR("/ws/**/x.c"), STR("/ws/x.c")));
	CHECK(rules_paths_covers(STR("**/.env"), STR("/any/where/.env")));
	CHECK(!rules_paths_covers(STR("**/.env"), STR("/any/where/.envx")));
}

static unsigned place(const char *path)
{
	struct str root = STR("/ws");

	return rules_paths_place(str_from(path), STR("/home/u"), &root, 1);
}

TEST(places_are_known_by_what_they_hold)
{
	CHECK(place("/ws/a.c") == ACT_PATH_INSIDE);
	CHECK(place("/ws/.env") & ACT_PATH_SECRET);
	CHECK(!(place("/ws/.env.example") & ACT_PATH_SECRET));
	CHECK(place("/ws/.git/hooks/pre-commit") & ACT_PATH_PROTECTED);
	CHECK(place("/home/u/.ssh/id_rsa") & ACT_PATH_SECRET);
	CHECK(place("/home/u/notes") & ACT_PATH_PERSONAL);
	CHECK(place("/etc/passwd") & ACT_PATH_PERSONAL);
	CHECK(place("/etc/shadow") & ACT_PATH_SECRET);
	CHECK(place("/etc/os-release") == 0);
	CHECK(place("/usr/include/stdio.h") == 0);
	CHECK(place("/var/log/auth.log") & ACT_PATH_PERSONAL);
	CHECK(place("/tmp/x") == ACT_PATH_SHARED);
	CHECK(place("/proc/1/environ") & ACT_PATH_SECRET);
	CHECK(place("/proc/cpuinfo") == 0);
	CHECK(place("/dev/null") & ACT_PATH_HARMLESS);
	CHECK(place("/dev/sda") & ACT_PATH_SECRET);
	CHECK(!(place("/wsx/a") & ACT_PATH_INSIDE));
}

/* ---- decisions ---- */

struct trial {
	struct arena *mem;
	struct rules rs;
	struct judgement how;
	struct rec_permission_decision d;
};

static struct trial trial(void)
{
	struct arena *mem = arena_new();

	return (struct trial){ .mem = mem,
		               .rs.mem = mem,
		               .how = { .mode = PERMISSION_MODE_DEFAULT,
		                        .is_interactive = true,
		                        .is_sandboxed = true } };
}

static void add(struct trial *t, enum rule_source source, const char *rules)
{
	struct error e;

	CHECK_OK(rules_add(&t->rs, arena_printf(t->mem, "{\"rules\":[%s]}", rules),
	                   (struct rule_origin){ source, true }, &e),
	         &e);
}

static enum approval_decision judge(struct trial *t, const char *command)
{
	struct policy_call call = { .command = str_from(command),
		                    .place = { .cwd = STR("/ws"), .home = STR("/home/u") },
		                    .how = t->how };

	evaluate_command(t->mem, &t->rs, &call, &t->d);
	return t->d.decision;
}

TEST(a_grant_covers_exactly_what_was_asked)
{
	struct trial t = trial();
	struct rec_grant_match match = { .tool = STR("shell") };

	rec_list_str_add(t.mem, &match.command, STR("make"));
	rec_list_str_add(t.mem, &match.command, STR("test"));
	CHECK(judge(&t, "make test") == APPROVAL_DECISION_ASK);
	rules_add_grant(&t.rs, STR("grant_1"), &match, GRANT_SCOPE_SESSION, 1000);
	t.how.now = 999;
	CHECK(judge(&t, "make test") == APPROVAL_DECISION_ALLOW);
	CHECK_STR(t.d.rule_refs.items[0], "rule:grant:grant_1");
	CHECK(t.d.decision_source == DECISION_SOURCE_HUMAN && t.d.scope == GRANT_SCOPE_SESSION);
	CHECK_INT(t.d.expires_at, 1000);
	CHECK(judge(&t, "make test install") == APPROVAL_DECISION_ASK);
	CHECK(judge(&t, "make") == APPROVAL_DECISION_ASK);
	CHECK(judge(&t, "make test; rm x") == APPROVAL_DECISION_ASK);
	t.how.now = 1000;
	CHECK(judge(&t, "make test") == APPROVAL_DECISION_ASK);
	arena_free(t.mem);
}

TEST(a_deny_rule_beats_a_grant_and_an_ask_rule_yields_to_it_unless_it_always_holds)
{
	struct trial t = trial();
	struct rec_grant_match match = { .tool = STR("shell") };

	rec_list_str_add(t.mem, &match.command, STR("make"));
	rules_add_grant(&t.rs, STR("grant_1"), &match, GRANT_SCOPE_SESSION, 0);
	add(&t, RULE_SESSION, "{\"effect\":\"ask\",\"command\":[\"make\"]}");
	CHECK(judge(&t, "make") == APPROVAL_DECISION_ALLOW);
	add(&t, RULE_USER, "{\"effect\":\"ask\",\"command\":[\"make\"],\"always\":true}");
	CHECK(judge(&t, "make") == APPROVAL_DECISION_ASK);
	add(&t, RULE_PROJECT, "{\"effect\":\"deny\",\"command\":[\"make\"]}");
	CHECK(judge(&t, "make") == APPROVAL_DECISION_DENY);
	arena_free(t.mem);
}

TEST(without_a_user_to_ask_a_call_is_denied_at_once)
{
	struct trial t = trial();

	t.how.is_interactive = false;
	CHECK(judge(&t, "make") == APPROVAL_DECISION_DENY);
	CHECK_HAS(t.d.decision_reason, "no person can be asked");
	CHECK(judge(&t, "ls") == APPROVAL_DECISION_ALLOW);
	arena_free(t.mem);
}

TEST(an_untrusted_project_may_forbid_but_not_allow)
{
	struct trial t = trial();
	struct error e;

	CHECK_OK(rules_add(&t.rs,
	                   STR("{\"rules\":[{\"effect\":\"allow\",\"command\":[\"make\"]},"
	                       "{\"effect\":\"deny\",\"command\":[\"ls\"]}]}"),
	                   (struct rule_origin){ RULE_PROJECT, false }, &e),
	         &e);
	CHECK(judge(&t, "make") == APPROVAL_DECISION_ASK);
	CHECK(judge(&t, "ls") == APPROVAL_DECISION_DENY);
	arena_free(t.mem);
}

TEST(a_destructive_act_tells_its_reach_and_the_way_back_in_every_mode)
{
	for (uint32_t mode = 1; mode < PERMISSION_MODE_COUNT; mode++) {
		struct trial t = trial();

		t.how.mode = mode;
		judge(&t, "rm -rf build");
		CHECK(t.d.destructive && t.d.impact && t.d.mode == mode && t.d.decision_source);
		CHECK_STR(t.d.impact->effect, "delete");
		CHECK_STR(t.d.impact->paths.items[0], "/ws/build");
		CHECK(str_is(t.d.rollback_advice));
		arena_free(t.mem);
	}
}

/* ---- the home directory as a workspace ---- */

static bool is_protected_at(const char *path, const char *root)
{
	struct str roots[] = { str_from(root) };

	return rules_paths_place(str_from(path), STR("/home/u"), roots, 1) & ACT_PATH_PROTECTED;
}

TEST(start_files_and_programs_of_the_user_are_protected_where_the_home_is_the_workspace)
{
	static const char *const yes[] = {
		".zlogin",
		".bash_logout",
		".vimrc",
		".npmrc",
		".cargo/config.toml",
		"bin/ls",
		".local/bin/x",
		".config/fish/x",
		".forward",
		".tmux.conf",
		".pyenv/x",
		"go/bin/x",
		".local/lib/python3.12/site-packages/usercustomize.py",
		".xsessionrc",
		".ghci",
		".gradle/init.d/x.gradle",
	};
	char path[128];

	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		snprintf(path, sizeof path, "/home/u/%s", yes[i]);
		CHECK(is_protected_at(path, "/home/u"));
		CHECK(is_protected_at(path, "/home"));
	}
	CHECK(!is_protected_at("/home/u/notes.txt", "/home/u"));
	CHECK(!is_protected_at("/home/u/.cargo/registry/x", "/home/u"));
	/* a user who works in ~/bin or below ~/.config chose that */
	CHECK(!is_protected_at("/home/u/bin/x", "/home/u/bin"));
	CHECK(!is_protected_at("/home/u/.config/nvim/init.lua", "/home/u/.config/nvim"));
	CHECK(!is_protected_at("/home/u/project/bin/x", "/home/u/project"));
}

/* ---- closed paths ---- */

static const struct rules_denied_path *closed(const struct rules_denied *all, const char *pattern)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (str_eq(all->items[i].pattern, str_from(pattern)))
			return &all->items[i];
	return NULL;
}

static void read_closed_rules(struct rules *rs)
{
	struct error e;

	CHECK_OK(rules_add(rs,
	                   STR("{\"rules\":["
	                       "{\"id\":\"env\",\"effect\":\"deny\",\"path\":\".env\"},"
	                       "{\"effect\":\"deny\",\"path\":\"~/keys\",\"access\":\"read\"},"
	                       "{\"effect\":\"deny\",\"path\":\"**/*.pem\"},"
	                       "{\"effect\":\"deny\",\"path\":\"/srv/a\",\"access\":\"write\"},"
	                       "{\"effect\":\"deny\",\"path\":\"/srv/a\",\"access\":\"read\"},"
	                       "{\"effect\":\"deny\",\"path\":\"cat\",\"command\":[\"cat\"]},"
	                       "{\"effect\":\"deny\",\"path\":\"sh\",\"tool\":\"shell\"},"
	                       "{\"effect\":\"deny\",\"path\":\"gh\",\"mcp\":\"github\"},"
	                       "{\"effect\":\"ask\",\"path\":\"asked\"},"
	                       "{\"effect\":\"allow\",\"path\":\"allowed\"}]}"),
	                   (struct rule_origin){ .source = RULE_PROJECT }, &e),
	         &e);
}

TEST(the_paths_that_deny_rules_close_are_listed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct judgement how = { .home = STR("/home/u"), .root = STR("/ws"), .now = 1000 };
	struct rules rs = { .mem = mem };
	struct rules_denied all;

	rules_denied_paths(mem, &rs, &how, &(struct rules_caller){ .tool = STR("shell") }, &all);
	CHECK_INT(all.count, 0);
	read_closed_rules(&rs);
	rules_denied_paths(mem, &rs, &how, &(struct rules_caller){ .tool = STR("search") }, &all);
	CHECK_INT(all.count, 4);
	CHECK(closed(&all, "/ws/.env")->reads && closed(&all, "/ws/.env")->writes);
	CHECK(!closed(&all, "/ws/.env")->is_glob);
	CHECK_STR(closed(&all, "/ws/.env")->rule_ref, "rule:project:env");
	CHECK(closed(&all, "/home/u/keys")->reads && !closed(&all, "/home/u/keys")->writes);
	CHECK(closed(&all, "/**/*.pem")->is_glob);
	CHECK(closed(&all, "/srv/a")->reads && closed(&all, "/srv/a")->writes);
	rules_denied_paths(mem, &rs, &how,
	                   &(struct rules_caller){ .tool = STR("process"), .like = STR("shell") },
	                   &all);
	CHECK_INT(all.count, 5);
	CHECK(closed(&all, "/ws/sh") != NULL);
	rules_denied_paths(mem, &rs, &how,
	                   &(struct rules_caller){ .tool = STR("github_search"),
	                                           .mcp_server = STR("github"),
	                                           .mcp_tool = STR("search") },
	                   &all);
	CHECK_INT(all.count, 5);
	CHECK(closed(&all, "/ws/gh") != NULL);
	/* a hook or a tool server may act for any of them */
	how.home = STR_NONE;
	rules_denied_paths(mem, &rs, &how, &(struct rules_caller){ 0 }, &all);
	CHECK_INT(all.count, 5);
	CHECK(closed(&all, "/ws/gh") && closed(&all, "/ws/sh") && !closed(&all, "/keys"));
}

/* ---- without a home directory ---- */

static enum approval_decision judge_at(struct trial *t, const char *command, struct str home)
{
	struct policy_call call = { .command = str_from(command),
		                    .place = { .cwd = STR("/ws"), .home = home },
		                    .how = t->how };

	evaluate_command(t->mem, &t->rs, &call, &t->d);
	return t->d.decision;
}

TEST(a_rule_on_the_home_directory_allows_nothing_where_there_is_none)
{
	struct trial t = trial();
	char long_home[RULE_BYTES_MAX * 2 + 8];

	add(&t, RULE_USER, "{\"effect\":\"allow\",\"path\":\"~\"}");
	CHECK(judge_at(&t, "touch /home/u/x", STR("/home/u")) == APPROVAL_DECISION_ALLOW);
	CHECK(judge_at(&t, "touch /opt/x", STR("/home/u")) == APPROVAL_DECISION_ASK);
	CHECK(judge_at(&t, "touch /opt/x", STR_NONE) == APPROVAL_DECISION_ASK);
	CHECK(judge_at(&t, "touch /opt/x", STR("")) == APPROVAL_DECISION_ASK);
	CHECK(judge_at(&t, "rm -rf /", STR_NONE) == APPROVAL_DECISION_ASK);
	memset(long_home, 'h', sizeof long_home);
	long_home[0] = '/';
	CHECK(judge_at(&t, "touch /opt/x", str_of(long_home, sizeof long_home)) ==
	      APPROVAL_DECISION_ASK);
	arena_free(t.mem);
}

/* ---- the property ---- */

static const char *const patterns[] = {
	"\"tool\":\"shell\"",
	"\"tool\":\"*\"",
	"\"command\":[\"**\"]",
	"\"command\":[\"rm\"]",
	"\"command\":[\"rm\",\"-rf\",\"**\"]",
	"\"command\":[\"git\",\"push\"]",
	"\"command\":[\"git\",\"*\"]",
	"\"command\":[\"make\"]",
	"\"command\":[\"cat\",\"**\"]",
	"\"command\":[\"curl\"]",
	"\"path\":\".\"",
	"\"path\":\"**\"",
	"\"path\":\"build/**\"",
	"\"path\":\".env\"",
	"\"path\":\"~/.ssh\",\"access\":\"read\"",
	"\"path\":\"src\",\"access\":\"write\"",
	"\"host\":\"*\"",
	"\"host\":\"*.example.org\"",
	"\"command\":[\"cat\"],\"path\":\"src/**\"",
};

static const char *const commands[] = {
	"ls",
	"rm -rf build",
	"rm -r -f build src",
	"sudo rm x",
	"sh -c 'rm -rf build'",
	"find . -exec rm {} +",
	"git push origin main",
	"git -C src status",
	"git push --force",
	"make",
	"make; rm x",
	"cat .env",
	"cat src/a.c > build/out",
	"cat ~/.ssh/id_rsa",
	"curl https://a.example.org/x",
	"curl -o src/x https://evil.test",
	"echo x > src/a.c",
	"cat $f",
	"$x",
	"ls | xargs rm",
	"ls && git push || make",
	"eval \"rm x\"",
	"FOO=1 make",
	"cd src && rm a.c",
	"",
};

static const char *const effects[] = { "allow", "ask", "deny" };

struct pick {
	unsigned effect, pattern;
	enum rule_source source;
	bool is_always;
};

static void add_pick(struct trial *t, const struct pick *p)
{
	char text[256];

	snprintf(text, sizeof text, "{\"effect\":\"%s\",%s%s}", effects[p->effect],
	         patterns[p->pattern], p->is_always ? ",\"always\":true" : "");
	add(t, p->source, text);
	/* grants are allow rules by another name */
	if (p->effect == 0 && p->source == RULE_GRANT)
		t->rs.items[t->rs.count - 1].is_trusted = true;
}

static enum approval_decision judge_picks(const struct judgement *how, const struct pick *picks,
                                          const unsigned *order, unsigned count,
                                          const char *command)
{
	struct trial t = trial();
	enum approval_decision d;

	t.how = *how;
	for (unsigned i = 0; i < count; i++)
		add_pick(&t, &picks[order[i]]);
	d = judge(&t, command);
	arena_free(t.mem);
	return d;
}

/* What one rule says by itself, where neither mode nor hook can take its part. */
static enum approval_decision alone(const struct pick *p, const char *command)
{
	struct trial t = trial();
	enum approval_decision d;

	add_pick(&t, p);
	d = judge(&t, command);
	if (!t.d.rule_refs.count)
		d = 0; /* the mode spoke, not the rule */
	arena_free(t.mem);
	return d;
}

static unsigned sternness(enum approval_decision d)
{
	return d == APPROVAL_DECISION_ALLOW       ? 0
	       : d == APPROVAL_DECISION_SANDBOXED ? 1
	       : d == APPROVAL_DECISION_ASK       ? 2
	                                          : 3;
}

TEST(no_rule_set_and_no_order_of_sources_lets_an_allow_beat_a_deny)
{
	enum { ROUNDS = 4000, MOST = 8 };
	struct rng rng = { 20 };
	unsigned denied = 0, allowed = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct judgement how = {
			.mode = 1 + rng_below(&rng, PERMISSION_MODE_COUNT - 1),
			.is_interactive = rng_below(&rng, 4) != 0,
			.is_sandboxed = rng_below(&rng, 2) != 0,
			.hook =
				(enum approval_decision[]){
					0, APPROVAL_DECISION_ALLOW, APPROVAL_DECISION_ASK,
					APPROVAL_DECISION_DENY }[rng_below(&rng, 4)],
		};
		const char *command = commands[rng_below(&rng, COUNT_OF(commands))];
		unsigned count = 1 + rng_below(&rng, MOST), order[MOST];
		struct pick picks[MOST];
		enum approval_decision all, shuffled;

		for (unsigned i = 0; i < count; i++) {
			picks[i] = (struct pick){ .effect = rng_below(&rng, 3),
				                  .pattern = rng_below(&rng, COUNT_OF(patterns)),
				                  .source = 1 + rng_below(&rng, RULE_GRANT),
				                  .is_always = rng_below(&rng, 4) == 0 };
			order[i] = i;
		}
		all = judge_picks(&how, picks, order, count, command);
		denied += all == APPROVAL_DECISION_DENY;
		allowed += all == APPROVAL_DECISION_ALLOW;

		for (unsigned i = 0; i < count; i++) {
			/* one deny that denies alone denies in any company */
			if (picks[i].effect == 2 &&
			    alone(&picks[i], command) == APPROVAL_DECISION_DENY)
				CHECK_INT(all, APPROVAL_DECISION_DENY);
			/* an ask that always holds, likewise, for all but a deny */
			if (picks[i].effect == 1 && picks[i].is_always &&
			    alone(&picks[i], command) == APPROVAL_DECISION_ASK)
				CHECK(all == APPROVAL_DECISION_ASK ||
				      all == APPROVAL_DECISION_DENY);
		}
		/* order decides nothing */
		for (unsigned i = count; i > 1; i--) {
			unsigned k = rng_below(&rng, i), kept = order[i - 1];

			order[i - 1] = order[k];
			order[k] = kept;
		}
		shuffled = judge_picks(&how, picks, order, count, command);
		CHECK_INT(shuffled, all);
		/* one more rule that forbids never loosens; one more that allows never tightens */
		for (unsigned i = 0; i < count; i++) {
			unsigned others[MOST], n = 0;
			enum approval_decision without;

			for (unsigned k = 0; k < count; k++)
				if (k != i)
					others[n++] = k;
			without = judge_picks(&how, picks, others, n, command);
			if (picks[i].effect)
				CHECK(sternness(all) >= sternness(without));
			else
				CHECK(sternness(all) <= sternness(without));
		}
	}
	/* the rounds were worth something */
	CHECK(denied > ROUNDS / 10 && allowed > ROUNDS / 10);
}

TEST_MAIN()
