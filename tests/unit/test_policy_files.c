/* Rules in files: read when they change, kept when they break, narrower by project only. */
#include "lib/policy_files.h"

#include "lib/t.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static char user_file[128];

static const char *at(const char *path)
{
	static char all[256];

	snprintf(all, sizeof all, "%s/%s", root, path);
	return all;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(at(path), "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void make_dirs(void)
{
	strcpy(root, "/tmp/thole-policy-XXXXXX");
	CHECK(mkdtemp(root));
	CHECK(mkdir(at("a"), 0700) == 0 && mkdir(at("a/.thole"), 0700) == 0 &&
	      mkdir(at("b"), 0700) == 0);
	snprintf(user_file, sizeof user_file, "user=%s/config.json", root);
}

static void remove_dirs(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", root);
	CHECK_INT(system(command), 0);
}

static struct policy *open_files(void)
{
	const char *files[] = { user_file, NULL };
	struct policy *p = NULL;
	struct error e;

	CHECK_OK(policy_files_open(
			 &(struct policy_files_options){
				 .fixed = STR("[{\"effect\":\"deny\",\"tool\":\"x\"}]"),
				 .files = files },
			 str_from(at("b")), &p, &e),
	         &e);
	return p;
}

/* What holds there; the ref is kept in the arena. */
static struct policy_now look(struct policy *p, struct arena *mem, const char *dir)
{
	struct policy_now now = p->ops->look(p, str_from(at(dir)));

	now.ref = arena_keep(mem, now.ref);
	return now;
}

TEST(rules_add_up_and_a_project_counts_where_it_is)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct policy_now a, b;
	struct policy *p;

	make_dirs();
	put("config.json", "{\"permission\":{\"rules\":[{\"id\":\"mine\",\"effect\":\"ask\","
	                   "\"tool\":\"y\",\"source\":\"host_policy\"}]}}");
	put("a/.thole/rules.json", "{\"rules\":[{\"id\":\"its\",\"effect\":\"deny\",\"tool\":\"z\","
	                           "\"source\":\"user\"}]}");
	p = open_files();
	a = look(p, mem, "a");
	/* nobody says of himself that he is somebody else */
	CHECK(str_find(a.rules, STR("\"id\":\"its\",\"effect\":\"deny\",\"tool\":\"z\",\"source\":"
	                            "\"project\"")) > 0);
	CHECK(str_find(a.rules, STR("\"id\":\"mine\",\"effect\":\"ask\",\"tool\":\"y\",\"source\":"
	                            "\"user\"")) > 0);
	CHECK(str_find(a.rules, STR("\"tool\":\"x\"")) > 0 && !str_is(a.trouble));
	b = look(p, mem, "b");
	CHECK(str_find(b.rules, STR("its")) < 0 && !str_eq(a.ref, b.ref));
	CHECK(str_eq(look(p, mem, "a").ref, a.ref));
	p->ops->close(p);
	remove_dirs();
}

TEST(an_edit_is_seen_at_once_and_a_broken_one_changes_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct policy_now first, now;
	struct policy *p;

	make_dirs();
	p = open_files();
	first = look(p, mem, "a");
	put("config.json",
	    "{\"permission.rules\":[{\"id\":\"one\",\"effect\":\"deny\",\"tool\":\"y\"}]}");
	now = look(p, mem, "a");
	CHECK(!str_eq(now.ref, first.ref));
	/* of the same length, at the same moment */
	put("config.json",
	    "{\"permission.rules\":[{\"id\":\"two\",\"effect\":\"deny\",\"tool\":\"y\"}]}");
	CHECK(!str_eq(look(p, mem, "a").ref, now.ref));
	now = look(p, mem, "a");

	struct str held = now.ref;

	put("config.json",
	    "{\"permission.rules\":[{\"id\":\"two\",\"effect\":\"dny\",\"tool\":\"y\"}]}");
	now = look(p, mem, "a");
	CHECK(str_eq(now.ref, held) && str_is(now.trouble));
	CHECK(str_find(now.trouble, STR("config.json")) > 0);
	put("config.json", "{");
	now = look(p, mem, "a");
	CHECK(str_eq(now.ref, held) && str_is(now.trouble));
	CHECK(unlink(at("config.json")) == 0);
	now = look(p, mem, "a");
	CHECK(str_eq(now.ref, first.ref) && !str_is(now.trouble));
	p->ops->close(p);
	remove_dirs();
}

TEST(a_start_with_wrong_rules_is_refused)
{
	const char *nobody[] = { "nobody=/x", NULL };
	struct policy *p = NULL;
	struct error e;

	make_dirs();
	put("b/x", "");
	CHECK(policy_files_open(
		      &(struct policy_files_options){ .fixed = STR("[]"), .files = nobody },
		      str_from(at("b")), &p, &e) == ERR_INVALID);
	put("a/.thole/rules.json", "{\"rules\":[{\"effect\":\"deny\"}]}");
	CHECK(policy_files_open(&(struct policy_files_options){ .fixed = STR("[]") },
	                        str_from(at("a")), &p, &e) == ERR_INVALID);
	CHECK(!p && strstr(e.message, "rules.json"));
	remove_dirs();
}

TEST_MAIN()
