#include "base/jw.h"
#include "sandbox/sandbox_advice.h"
#include "sandbox/sandbox_env.h"
#include "sandbox/sandbox_plan_make.h"

#include "lib/rng.h"
#include "lib/t.h"

/* ---- a machine ---- */

static const char full_host[] =
	"{\"tier\":\"namespaces+landlock+seccomp\",\"tiers\":["
	"{\"tier\":\"namespaces+landlock+seccomp\",\"gaps\":[\"disk_space\"]},"
	"{\"tier\":\"landlock+seccomp\",\"gaps\":[\"protected_paths\",\"metadata\"]},"
	"{\"tier\":\"none\",\"gaps\":[\"everything\"]}],"
	"\"landlockAbi\":7,\"seccompNotify\":true,\"defaults\":{"
	"\"systemRoots\":[\"/usr\",\"/etc/"
	"alternatives\"],\"toolRoots\":[],\"ownRoots\":[],\"plainRoots\":[\"/etc/"
	"passwd\"],\"protectedNames\":[\".git/hooks\",\".thole\"],"
	"\"startupNames\":[\".bashrc\"],\"secretNames\":[\".ssh\"],\"env\":[\"PATH\",\"HOME\"]}}";
static const char weak_host[] =
	"{\"tier\":\"landlock+seccomp\",\"reason\":\"user namespaces cannot be made\",\"tiers\":["
	"{\"tier\":\"landlock+seccomp\",\"gaps\":[\"protected_paths\"]},"
	"{\"tier\":\"of the future\",\"gaps\":[]},{\"tier\":\"none\",\"gaps\":[\"everything\"]}],"
	"\"defaults\":{\"systemRoots\":[\"/"
	"usr\"],\"toolRoots\":[],\"ownRoots\":[],\"plainRoots\":[\"/etc/"
	"passwd\"],\"protectedNames\":[\".git/hooks\"],"
	"\"startupNames\":[],\"secretNames\":[\".ssh\"],\"env\":[]}}";

static struct sandbox_host host(struct arena *mem, const char *text)
{
	struct sandbox_host h;
	struct error e;
	struct json v;

	CHECK_OK(json_read(mem, str_from(text), &v, &e), &e);
	CHECK_OK(sandbox_host_read(mem, v, &h, &e), &e);
	return h;
}

static struct sandbox_plan plan(struct arena *mem, const char *machine,
                                const struct sandbox_profile *p)
{
	struct sandbox_host h = host(mem, machine);
	struct sandbox_plan made;
	struct error e;

	CHECK_OK(sandbox_plan_make(mem, &h, p, &made, &e), &e);
	return made;
}

static bool has(const struct sandbox_paths *l, const char *path)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->at[i], str_from(path)))
			return true;
	return false;
}

static const struct sandbox_profile in_ws = { .mode = SANDBOX_WORKSPACE_WRITE,
	                                      .cwd = { "/ws", 3 },
	                                      .home = { "/home/u", 7 },
	                                      .network = SANDBOX_NETWORK_RESTRICTED };

/* ---- tests ---- */

TEST(a_workspace_is_written_in_and_the_system_read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_plan p = plan(mem, full_host, &in_ws);

	CHECK_INT(p.tier, SANDBOX_NAMESPACES);
	CHECK(!p.is_degraded && !str_is(p.reason));
	CHECK(has(&p.read_roots, "/usr") && has(&p.read_roots, "/etc/alternatives") &&
	      has(&p.read_roots, "/ws"));
	CHECK(p.write_roots.count == 1 && has(&p.write_roots, "/ws"));
	CHECK(has(&p.private_dirs, "/tmp") && has(&p.private_dirs, "/home/u"));
	CHECK(has(&p.protected_paths, "/ws/.git/hooks") && has(&p.protected_paths, "/ws/.thole"));
	CHECK_INT(p.denied_paths.count, 0);
	CHECK_INT(p.limits.max_processes, 256);
}

TEST(read_only_has_no_write_roots_and_nothing_to_protect)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;

	w.mode = SANDBOX_READ_ONLY;

	struct sandbox_plan p = plan(mem, full_host, &w);

	CHECK_INT(p.write_roots.count, 0);
	CHECK_INT(p.protected_paths.count, 0);
	CHECK(has(&p.read_roots, "/ws") && has(&p.private_dirs, "/tmp"));
}

TEST(a_file_that_is_opened_is_not_protected_and_everything_else_is)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;
	struct str open[] = { STR("/ws/.thole/rules.json"), STR("/elsewhere/.thole/x") };
	struct sandbox_plan p;
	struct error e;

	w.open = (struct sandbox_paths){ open, 2 };
	p = plan(mem, full_host, &w);
	CHECK(!has(&p.protected_paths, "/ws/.thole") && has(&p.protected_paths, "/ws/.git/hooks"));
	CHECK(p.opened_paths.count == 1 && has(&p.opened_paths, "/ws/.thole/rules.json"));
	p.protected_paths.at[p.protected_paths.count++] = STR("/ws/.thole");
	CHECK(sandbox_plan_check(&p, &e) == ERR_INVALID && strstr(e.message, "openedPaths"));
}

TEST(a_plan_protects_what_is_below_a_protected_path_but_not_a_root_there)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;
	struct str more[] = { STR("/ws/.github/workflows/mine") };
	struct sandbox_plan p;

	w.write = (struct sandbox_paths){ more, 1 };
	p = plan(mem, full_host, &w);
	p.protected_paths.at[p.protected_paths.count - 1] = STR("/ws/.github/workflows");
	CHECK(sandbox_plan_protects(&p, STR("/ws/.git/hooks/pre-commit")));
	CHECK(sandbox_plan_protects(&p, STR("/ws/.github/workflows/ci.yml")));
	CHECK(!sandbox_plan_protects(&p, STR("/ws/.github/workflows/mine/ci.yml")));
	CHECK(!sandbox_plan_protects(&p, STR("/ws/.github")));
	CHECK(!sandbox_plan_protects(&p, STR("/ws/src/main.c")));
}

TEST(a_workspace_that_is_the_home_directory_keeps_its_keys_and_startup_files)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;

	w.cwd = STR("/home/u");

	struct sandbox_plan p = plan(mem, full_host, &w);

	CHECK(has(&p.denied_paths, "/home/u/.ssh"));
	CHECK(has(&p.protected_paths, "/home/u/.bashrc"));
	CHECK(!has(&p.private_dirs, "/home/u"));
}

TEST(a_workspace_in_tmp_shows_no_other_part_of_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;

	w.cwd = STR("/tmp/x");

	struct sandbox_plan p = plan(mem, full_host, &w);

	CHECK(has(&p.private_dirs, "/tmp") && has(&p.write_roots, "/tmp/x"));
	w.cwd = STR("/tmp");
	p = plan(mem, full_host, &w);
	CHECK(!has(&p.private_dirs, "/tmp"));
}

TEST(a_path_that_only_begins_like_a_root_is_not_in_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;

	w.cwd = STR("/home/user2");
	w.home = STR("/home/user");

	struct sandbox_plan p = plan(mem, full_host, &w);

	CHECK(has(&p.private_dirs, "/home/user"));
	CHECK_INT(p.denied_paths.count, 0);
}

TEST(without_namespaces_the_plan_promises_less_and_says_so)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_profile w = in_ws;

	w.tmp_dir = STR("/data/tmp/1");

	struct sandbox_plan p = plan(mem, weak_host, &w);

	CHECK_INT(p.tier, SANDBOX_LANDLOCK);
	CHECK(p.is_degraded);
	CHECK_HAS(p.reason, "no namespaces here");
	CHECK_HAS(p.reason, "protected paths inside write roots are open");
	CHECK_HAS(p.reason, "user namespaces cannot be made");
	CHECK_INT(p.protected_paths.count, 0);
	CHECK_INT(p.private_dirs.count, 0);
	CHECK_INT(p.network, SANDBOX_NETWORK_OFF);
	CHECK_STR(p.tmp_dir, "/data/tmp/1");
	CHECK(has(&p.read_roots, "/etc/passwd"));
}

TEST(only_directories_that_are_shown_stay_in_path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_plan p = plan(mem, full_host, &in_ws);

	CHECK_STR(sandbox_env_path(mem, &p,
	                           STR("/hidden/bin:/usr/bin::relative:/ws/bin:/usrx:/usr/../x")),
	          "/usr/bin:/ws/bin");
	CHECK_STR(sandbox_env_path(mem, &p, STR("/hidden/bin")), "");
}

TEST(fail_closed_refuses_a_weaker_tier)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host weak = host(mem, weak_host), full = host(mem, full_host);
	struct sandbox_profile w = in_ws;
	struct sandbox_plan p;
	struct error e;

	w.is_fail_closed = true;
	CHECK_INT(sandbox_plan_make(mem, &weak, &w, &p, &e), ERR_UNSUPPORTED);
	CHECK_HAS(str_from(e.message), "landlock+seccomp");
	CHECK_OK(sandbox_plan_make(mem, &full, &w, &p, &e), &e);
	CHECK_INT(sandbox_plan_make_weaker(mem, &full, &w, SANDBOX_NAMESPACES, STR("no mapping"),
	                                   &p, &e),
	          ERR_UNSUPPORTED);
}

TEST(a_refused_plan_has_a_weaker_one_until_there_is_none)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host full = host(mem, full_host);
	struct sandbox_plan p;
	struct error e;

	CHECK_OK(sandbox_plan_make_weaker(mem, &full, &in_ws, SANDBOX_NAMESPACES,
	                                  STR("overlay takes no mapping"), &p, &e),
	         &e);
	CHECK_INT(p.tier, SANDBOX_LANDLOCK);
	CHECK_HAS(p.reason, "overlay takes no mapping");
	CHECK_INT(sandbox_plan_make_weaker(mem, &full, &in_ws, SANDBOX_LANDLOCK, STR("x"), &p, &e),
	          ERR_UNSUPPORTED);
}

TEST(a_machine_without_sandboxes_gets_only_the_explicit_plan)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host none = { .reason = STR("nothing works") };
	struct sandbox_profile w = in_ws;
	struct sandbox_plan p;
	struct error e;

	CHECK_INT(sandbox_plan_make(mem, &none, &w, &p, &e), ERR_UNSUPPORTED);
	w.mode = SANDBOX_DANGER_FULL_ACCESS;
	CHECK_OK(sandbox_plan_make(mem, &none, &w, &p, &e), &e);
	CHECK_INT(p.tier, SANDBOX_NONE);
	CHECK_INT(p.network, SANDBOX_NETWORK_FULL);
	CHECK(has(&p.write_roots, "/"));
}

TEST(paths_that_are_not_canonical_are_refused)
{
	static const char *const bad[] = { "",           "ws",      "/",   "/ws/", "/ws//x",
		                           "/ws/../etc", "/ws/./x", "/..", "//" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host full = host(mem, full_host);
	struct sandbox_plan p;
	struct error e;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct str path = str_from(bad[i]);
		struct sandbox_profile w = in_ws;

		w.cwd = path;
		CHECK_INT(sandbox_plan_make(mem, &full, &w, &p, &e), ERR_INVALID);
		w = in_ws;
		w.write = (struct sandbox_paths){ &path, 1 };
		CHECK_INT(sandbox_plan_make(mem, &full, &w, &p, &e), ERR_INVALID);
	}
}

TEST(the_profile_has_the_shape_of_the_record)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sandbox_profile w = in_ws;
	struct json_writer jw;

	w.home = STR_NONE;

	struct sandbox_plan p = plan(mem, full_host, &w);

	jw_init(&jw, &text);
	sandbox_plan_write_record(&jw, &p, false, STR("closed"), STR("out_1"));
	CHECK_STR(
		buf_str(&text),
		"{\"mode\":\"workspace_write\",\"tier\":\"namespaces+landlock+seccomp\","
		"\"requestedMode\":\"workspace_write\",\"enforcement\":\"exact_or_fail\",\"cwd\":"
		"\"/ws\","
		"\"readRoots\":[\"/usr\",\"/etc/alternatives\",\"/ws\"],\"writeRoots\":[\"/ws\",\"/"
		"tmp\"],"
		"\"protectedPaths\":[\"/ws/.git/hooks\",\"/ws/.thole\"],"
		"\"unreported\":[\"metadata\",\"hidden_reads\",\"absent\",\"quiet_calls\","
		"\"rights\",\"limits\"],"
		"\"network\":{\"mode\":\"restricted\",\"loopback\":false},\"environmentRef\":\"out_"
		"1\","
		"\"processLimits\":{\"timeoutMs\":120000,\"inactivityMs\":60000,"
		"\"maxOutputBytes\":1073741824,\"maxProcesses\":256,\"maxMemoryBytes\":2147483648,"
		"\"maxFileBytes\":4294967296,\"privateBytes\":2147483648,"
		"\"tty\":false,\"stdin\":\"closed\"},\"violationRefs\":[]}");
}

TEST(a_deny_rule_on_a_path_needs_mounts)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str rules[] = { STR("/ws/.env"), STR("write:/ws/**/*.lock") };
	struct sandbox_host machine = host(mem, full_host), weak = host(mem, weak_host);
	struct sandbox_profile w = in_ws;
	struct sandbox_plan p;
	struct error e;

	w.deny_rules = (struct sandbox_paths){ rules, 2 };
	CHECK(sandbox_plan_make(mem, &machine, &w, &p, &e) == OK && p.deny_rules.count == 2);
	CHECK(sandbox_plan_make(mem, &weak, &w, &p, &e) == ERR_UNSUPPORTED);
	CHECK(strstr(e.message, "/ws/.env") && strstr(e.message, "remove the rule"));
	w.mode = SANDBOX_DANGER_FULL_ACCESS;
	CHECK(sandbox_plan_make(mem, &machine, &w, &p, &e) == ERR_UNSUPPORTED);
	w.mode = SANDBOX_EXTERNAL;
	CHECK(sandbox_plan_make(mem, &machine, &w, &p, &e) == ERR_UNSUPPORTED);
}

TEST(the_environment_is_built_from_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *from[] = { (char *)"SECRET=1", (char *)"HOME=/h", (char *)"PATHX=no",
		         (char *)"PATH=/bin", NULL };
	struct str names[] = { STR("PATH"), STR("HOME"), STR("LANG") },
		   own[] = { STR("HOME=/other"), STR("A=b=c") };
	struct sandbox_paths env;

	sandbox_env(mem, from, &(struct sandbox_paths){ names, 3 },
	            &(struct sandbox_paths){ own, 2 }, &env);
	CHECK_INT(env.count, 3);
	CHECK(has(&env, "PATH=/bin") && has(&env, "HOME=/other") && has(&env, "A=b=c"));
}

TEST(advice_names_the_one_rule)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_plan p = plan(mem, full_host, &in_ws);

	struct sandbox_denial direct = { .kind = STR("network"),
		                         .call = STR("connect"),
		                         .host = STR("192.0.2.1"),
		                         .port = 443 };
	struct sandbox_denial listed = { .kind = STR("network"),
		                         .host = STR("example.org"),
		                         .port = 443 };
	struct sandbox_denial inner = { .kind = STR("network"),
		                        .host = STR("example.org"),
		                        .address = STR("fd00::1"),
		                        .port = 80 };
	struct sandbox_denial many = { .kind = STR("network") };
	struct sandbox_denial call = { .kind = STR("syscall"), .call = STR("mount") };
	struct sandbox_denial path = { .kind = STR("network"),
		                       .call = STR("connect"),
		                       .path = STR("/run/x.sock") };
	struct sandbox_denial file = { .kind = STR("filesystem"), .path = STR("/srv") };

	CHECK_STR(sandbox_advice_rule(mem, &p, &direct),
	          "network to 192.0.2.1:443 (needs a person)");
	CHECK_STR(sandbox_advice_rule(mem, &p, &listed),
	          "host example.org:443 in sandbox.allow_hosts (needs a person)");
	CHECK_STR(sandbox_advice_rule(mem, &p, &inner),
	          "host [fd00::1]:80 in sandbox.allow_hosts (needs a person)");
	CHECK(!str_is(sandbox_advice_rule(mem, &p, &many)) &&
	      !str_is(sandbox_advice_override(mem, &many)));
	CHECK(!str_is(sandbox_advice_rule(mem, &p, &call)));

	CHECK_STR(sandbox_advice_override(mem, &direct),
	          "{\"network\":\"full\",\"hosts\":[\"192.0.2.1:443\"]}");
	CHECK_STR(sandbox_advice_override(mem, &listed), "{\"hosts\":[\"example.org:443\"]}");
	CHECK_STR(sandbox_advice_override(mem, &inner), "{\"hosts\":[\"[fd00::1]:80\"]}");
	CHECK_STR(sandbox_advice_override(mem, &path), "{\"unixSockets\":true}");
	CHECK_STR(sandbox_advice_override(mem, &file), "{\"writeRoots\":[\"/srv\"]}");
	CHECK_STR(sandbox_advice_override(mem, &call), "{\"mode\":\"danger_full_access\"}");
}

TEST(hosts_are_reached_where_the_sandbox_has_its_own_network)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sandbox_profile w = in_ws;
	struct str hosts[] = { STR("*.example.org:443"), STR("0x7f.1") };
	struct sandbox_host full = host(mem, full_host);
	struct sandbox_plan p;
	struct json_writer jw;
	struct error e;

	w.allow = (struct sandbox_paths){ hosts, 1 };
	p = plan(mem, full_host, &w);
	jw_init(&jw, &text);
	sandbox_plan_write(&jw, &p);
	CHECK(str_find(buf_str(&text), STR("\"network\":{\"mode\":\"restricted\",\"allow\":"
	                                   "[\"*.example.org:443\"],\"loopback\":false}")) > 0);
	p = plan(mem, weak_host, &w);
	CHECK(!p.allow.count && p.is_degraded &&
	      str_find(p.reason, STR("no host can be reached")) >= 0);
	w.network = SANDBOX_NETWORK_OFF;
	p = plan(mem, full_host, &w);
	CHECK_INT(p.allow.count, 0);
	w.network = SANDBOX_NETWORK_RESTRICTED;
	w.allow.count = 2;
	CHECK_INT(sandbox_plan_make(mem, &full, &w, &p, &e), ERR_INVALID);
	CHECK(strstr(e.message, "0x7f.1"));
}

TEST(an_answer_that_is_no_probe_is_an_error)
{
	static const char *const bad[] = { "{}", "{\"tiers\":[]}",
		                           "{\"defaults\":{\"systemRoots\":[1]}}",
		                           "{\"tiers\":[{\"tier\":\"none\"}],\"defaults\":{}}" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct sandbox_host h;
		struct error e;
		struct json v;

		CHECK_OK(json_read(mem, str_from(bad[i]), &v, &e), &e);
		CHECK_INT(sandbox_host_read(mem, v, &h, &e), ERR_INVALID);
	}
}

/* ---- the wire form, over many plans ---- */

#define ROUNDS 5000

static struct rng rng;

static unsigned below(unsigned n)
{
	return (unsigned)rng_below(&rng, n);
}

static bool coin(void)
{
	return below(2);
}

/* Clean, of one to five components, with bytes that JSON must escape. */
static struct str random_path(struct arena *mem)
{
	static const char *const parts[] = { "a",     "usr",  "ws-1", ".git",     "...",     "x y",
		                             "\"q\"", "b\\s", "\t",   "\303\274", "\033[1m", "~" };
	struct str path = STR("");

	for (unsigned n = 1 + below(5); n; n--)
		path = arena_printf(mem, "%.*s/%s", STR_ARG(path), parts[below(COUNT_OF(parts))]);
	return path;
}

static struct sandbox_paths random_paths(struct arena *mem)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, 8), below(8) };

	for (size_t i = 0; i < l.count; i++)
		l.at[i] = random_path(mem);
	return l;
}

static int64_t random_count(void)
{
	return coin() ? 0 : (int64_t)below(UINT32_MAX) << below(31);
}

static void random_limits(struct sandbox_limits *l)
{
	l->timeout_ms = random_count();
	l->inactivity_ms = random_count();
	l->max_output_bytes = random_count();
	l->max_processes = random_count();
	l->max_memory_bytes = random_count();
	l->max_file_bytes = random_count();
	l->max_open_files = random_count();
	l->max_cpu_s = random_count();
	l->private_bytes = random_count();
}

static void random_inside(struct arena *mem, struct sandbox_plan *p)
{
	static struct str hosts[] = { STR("*.example.org:443"), STR("[fd00::]/8:*"),
		                      STR("203.0.113.7") };

	p->private_dirs = random_paths(mem);
	p->denied_paths = random_paths(mem);
	p->deny_rules = random_paths(mem);
	if (p->deny_rules.count)
		p->deny_rules.at[0] = STR("write:/ws/**/*.lock");
	for (size_t i = 0; i < p->write_roots.count; i++)
		if (coin())
			p->protected_paths = (struct sandbox_paths){ &p->write_roots.at[i], 1 };
	if (p->network == SANDBOX_NETWORK_RESTRICTED)
		p->allow = (struct sandbox_paths){ hosts, below(COUNT_OF(hosts) + 1) };
}

/* Any plan that passes the check, with every field of the wire form in play. */
static struct sandbox_plan random_plan(struct arena *mem)
{
	static const char *const users[] = { "agent", "a", "x-1_y" };
	struct sandbox_plan p = { .tier = (enum sandbox_tier)below(SANDBOX_TIERS),
		                  .mode = (enum sandbox_plan_mode)below(2),
		                  .requested_mode = (enum sandbox_plan_mode)below(SANDBOX_MODES),
		                  .network = (enum sandbox_network)below(SANDBOX_NETWORKS),
		                  .cwd = random_path(mem),
		                  .home = coin() ? STR("/") : random_path(mem),
		                  .user = str_from(users[below(COUNT_OF(users))]),
		                  .tmp_dir = coin() ? random_path(mem) : STR_NONE,
		                  .unix_sockets = coin(),
		                  .openat2 = coin() };

	random_limits(&p.limits);
	p.read_roots = random_paths(mem);
	if (p.tier == SANDBOX_NONE) {
		p.mode = coin() ? SANDBOX_DANGER_FULL_ACCESS : SANDBOX_EXTERNAL;
		p.network = SANDBOX_NETWORK_FULL;
	}
	if (p.mode != SANDBOX_READ_ONLY)
		p.write_roots = random_paths(mem);
	if (sandbox_tier_has_namespaces(p.tier))
		random_inside(mem, &p);
	else if (p.network == SANDBOX_NETWORK_RESTRICTED)
		p.network = SANDBOX_NETWORK_OFF;
	return p;
}

static bool same_paths(const struct sandbox_paths *a, const struct sandbox_paths *b)
{
	for (size_t i = 0; i < a->count && a->count == b->count; i++)
		if (!str_eq(a->at[i], b->at[i]))
			return false;
	return a->count == b->count;
}

static bool same_text(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

/* Field by field, so that a field that neither reader nor writer knows would be noticed. */
static bool same_plan(const struct sandbox_plan *a, const struct sandbox_plan *b)
{
	return a->mode == b->mode && a->requested_mode == b->requested_mode && a->tier == b->tier &&
	       a->network == b->network && a->unix_sockets == b->unix_sockets &&
	       a->openat2 == b->openat2 && same_text(a->cwd, b->cwd) &&
	       same_text(a->home, b->home) && same_text(a->user, b->user) &&
	       same_text(a->tmp_dir, b->tmp_dir) && same_paths(&a->read_roots, &b->read_roots) &&
	       same_paths(&a->write_roots, &b->write_roots) &&
	       same_paths(&a->private_dirs, &b->private_dirs) &&
	       same_paths(&a->protected_paths, &b->protected_paths) &&
	       same_paths(&a->denied_paths, &b->denied_paths) &&
	       same_paths(&a->deny_rules, &b->deny_rules) && same_paths(&a->allow, &b->allow) &&
	       !memcmp(&a->limits, &b->limits, sizeof a->limits);
}

static void round_trip(struct arena *mem, const struct sandbox_plan *p)
{
	CLEANUP(buf_done) struct buf text = { 0 }, again = { 0 };
	struct json_writer w;
	struct sandbox_plan back;
	struct json v;
	struct error e;

	jw_init(&w, &text);
	sandbox_plan_write(&w, p);
	CHECK_OK(json_read(mem, buf_str(&text), &v, &e), &e);
	CHECK_OK(sandbox_plan_read(mem, v, &back, &e), &e);
	CHECK(same_plan(p, &back));
	jw_init(&w, &again);
	sandbox_plan_write(&w, &back);
	CHECK_SAME(buf_str(&again), buf_str(&text));
}

TEST(every_plan_is_read_as_it_was_written)
{
	const char *given = getenv("THOLE_SEED");

	rng = rng_of(given ? strtoull(given, NULL, 10) : 20261116, 0);
	for (int i = 0; i < ROUNDS; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct sandbox_plan p = random_plan(mem);

		round_trip(mem, &p);
	}
}

TEST(made_plans_are_read_as_they_were_written)
{
	static const char *const machines[] = { full_host, weak_host };

	for (unsigned i = 0; i < COUNT_OF(machines) * SANDBOX_MODES * SANDBOX_NETWORKS; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct sandbox_profile w = in_ws;

		w.mode = (enum sandbox_plan_mode)(i / 2 % SANDBOX_MODES);
		w.network = (enum sandbox_network)(i / 2 / SANDBOX_MODES);
		w.tmp_dir = STR("/data/tmp/1");

		struct sandbox_plan p = plan(mem, machines[i % 2], &w);

		round_trip(mem, &p);
	}
}

TEST(a_plan_with_an_unknown_member_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sandbox_plan p = plan(mem, full_host, &in_ws), back;
	struct json_writer w;
	struct json v;
	struct error e;

	jw_init(&w, &text);
	sandbox_plan_write(&w, &p);
	text.len--;
	buf_add_str(&text, STR(",\"hope\":true}"));
	CHECK_OK(json_read(mem, buf_str(&text), &v, &e), &e);
	CHECK_INT(sandbox_plan_read(mem, v, &back, &e), ERR_UNSUPPORTED);
	CHECK(strstr(e.message, "hope"));
}

TEST(a_requested_tier_is_taken_or_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host full = host(mem, full_host);
	struct sandbox_profile w = in_ws;
	struct sandbox_plan p;
	struct error e;

	w.has_tier = true;
	w.tier = SANDBOX_LANDLOCK;
	CHECK_OK(sandbox_plan_make(mem, &full, &w, &p, &e), &e);
	CHECK_INT(p.tier, SANDBOX_LANDLOCK);
	CHECK(p.is_degraded);
	w.tier = SANDBOX_NAMESPACES_ROOT;
	CHECK_INT(sandbox_plan_make(mem, &full, &w, &p, &e), ERR_UNSUPPORTED);
	CHECK(strstr(e.message, "namespaces-root"));
	w.tier = SANDBOX_NONE;
	CHECK_INT(sandbox_plan_make(mem, &full, &w, &p, &e), ERR_UNSUPPORTED);
}

TEST(deny_rules_that_cannot_be_understood_deny_everything)
{
	static const char *const bad[] = { "nonsense", "{\"a\":\"/b\"}", "\"/b\"", "[\"/b\",7]",
		                           "[\"/b\",\"\"]" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_paths rules;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		sandbox_plan_read_deny_rules(mem, str_from(bad[i]), &rules);
		CHECK(rules.count == 1 && has(&rules, "/**"));
	}
	sandbox_plan_read_deny_rules(mem, STR("[\"/b\",\"write:/c\"]"), &rules);
	CHECK(rules.count == 2 && has(&rules, "/b") && has(&rules, "write:/c"));
	sandbox_plan_read_deny_rules(mem, STR("[]"), &rules);
	CHECK_INT(rules.count, 0);
	sandbox_plan_read_deny_rules(mem, STR_NONE, &rules);
	CHECK_INT(rules.count, 0);
}

TEST_MAIN()
