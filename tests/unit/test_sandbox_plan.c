#include "sandbox/sandbox_plan.h"

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

	CHECK_STR(sandbox_visible_path(
			  mem, &p, STR("/hidden/bin:/usr/bin::relative:/ws/bin:/usrx:/usr/../x")),
	          "/usr/bin:/ws/bin");
	CHECK_STR(sandbox_visible_path(mem, &p, STR("/hidden/bin")), "");
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
	CHECK_INT(
		sandbox_plan_weaker(mem, &full, &w, SANDBOX_NAMESPACES, STR("no mapping"), &p, &e),
		ERR_UNSUPPORTED);
}

TEST(a_refused_plan_has_a_weaker_one_until_there_is_none)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host full = host(mem, full_host);
	struct sandbox_plan p;
	struct error e;

	CHECK_OK(sandbox_plan_weaker(mem, &full, &in_ws, SANDBOX_NAMESPACES,
	                             STR("overlay takes no mapping"), &p, &e),
	         &e);
	CHECK_INT(p.tier, SANDBOX_LANDLOCK);
	CHECK_HAS(p.reason, "overlay takes no mapping");
	CHECK_INT(sandbox_plan_weaker(mem, &full, &in_ws, SANDBOX_LANDLOCK, STR("x"), &p, &e),
	          ERR_UNSUPPORTED);
}

TEST(a_machine_without_any_cage_gets_no_plan_but_the_explicit_one)
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

TEST(the_facts_have_the_shape_of_the_record)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sandbox_profile w = in_ws;
	struct json_writer jw;

	w.home = STR_NONE;

	struct sandbox_plan p = plan(mem, full_host, &w);

	jw_init(&jw, &text);
	sandbox_plan_write_facts(&jw, &p, false, STR("closed"), STR("out_1"));
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

	struct sandbox_hit direct = { .kind = STR("network"),
		                      .call = STR("connect"),
		                      .host = STR("192.0.2.1"),
		                      .port = 443 };
	struct sandbox_hit listed = { .kind = STR("network"),
		                      .host = STR("example.org"),
		                      .port = 443 };
	struct sandbox_hit inner = { .kind = STR("network"),
		                     .host = STR("example.org"),
		                     .address = STR("fd00::1"),
		                     .port = 80 };
	struct sandbox_hit many = { .kind = STR("network") };
	struct sandbox_hit call = { .kind = STR("syscall"), .call = STR("mount") };
	struct sandbox_hit path = { .kind = STR("network"),
		                    .call = STR("connect"),
		                    .path = STR("/run/x.sock") };
	struct sandbox_hit file = { .kind = STR("filesystem"), .path = STR("/srv") };

	CHECK_STR(sandbox_would_allow(mem, &p, &direct),
	          "network to 192.0.2.1:443 (needs a person)");
	CHECK_STR(sandbox_would_allow(mem, &p, &listed),
	          "host example.org:443 in sandbox.allow_hosts (needs a person)");
	CHECK_STR(sandbox_would_allow(mem, &p, &inner),
	          "host [fd00::1]:80 in sandbox.allow_hosts (needs a person)");
	CHECK(!str_is(sandbox_would_allow(mem, &p, &many)) && !str_is(sandbox_needs(mem, &many)));
	CHECK(!str_is(sandbox_would_allow(mem, &p, &call)));

	CHECK_STR(sandbox_needs(mem, &direct),
	          "{\"network\":\"full\",\"hosts\":[\"192.0.2.1:443\"]}");
	CHECK_STR(sandbox_needs(mem, &listed), "{\"hosts\":[\"example.org:443\"]}");
	CHECK_STR(sandbox_needs(mem, &inner), "{\"hosts\":[\"[fd00::1]:80\"]}");
	CHECK_STR(sandbox_needs(mem, &path), "{\"unixSockets\":true}");
	CHECK_STR(sandbox_needs(mem, &file), "{\"writeRoots\":[\"/srv\"]}");
	CHECK_STR(sandbox_needs(mem, &call), "{\"mode\":\"danger_full_access\"}");
}

TEST(hosts_are_reached_where_the_cage_has_a_network_of_its_own)
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

TEST_MAIN()
