/*
 * Rule files: read when they change, fail closed when they are invalid, and a
 * project's file can only restrict.
 */
#include "lib/workspace/policy_files.h"
#include "lib/workspace/git_tracked.h"

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
	/* no source can claim to be another */
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

TEST(an_edit_is_seen_at_once_and_a_broken_one_keeps_the_rules)
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

	/* The rule stays, with a guard; the ref names exactly what is in force. */
	put("config.json",
	    "{\"permission.rules\":[{\"id\":\"two\",\"effect\":\"dny\",\"tool\":\"y\"}]}");
	now = look(p, mem, "a");
	CHECK(!str_eq(now.ref, held) && str_is(now.trouble));
	CHECK(str_find(now.rules, STR("\"two\"")) > 0);
	CHECK(str_find(now.trouble, STR("config.json")) > 0);
	put("config.json", "{");
	now = look(p, mem, "a");
	CHECK(!str_eq(now.ref, held) && str_is(now.trouble));
	CHECK(str_find(now.rules, STR("\"two\"")) > 0);
	CHECK(unlink(at("config.json")) == 0);
	now = look(p, mem, "a");
	CHECK(str_eq(now.ref, first.ref) && !str_is(now.trouble));
	p->ops->close(p);
	remove_dirs();
}

static const char guard[] = "\"id\":\"unreadable-rules\",\"effect\":\"ask\",\"tool\":\"*\","
			    "\"always\":true,\"source\":";

static bool is_guarded(struct policy_now now, const char *source)
{
	char all[200];

	snprintf(all, sizeof all, "%s\"%s\"", guard, source);
	return str_find(now.rules, str_from(all)) > 0 && str_is(now.trouble);
}

/* Everything that has the name and is no file of rules, one after the other. */
static void break_it(int shape)
{
	FILE *f;

	(void)unlink(at("a/.thole/rules.json"));
	switch (shape) {
	case 0:
		put("a/.thole/rules.json", "{\"rules\":[");
		break;
	case 1:
		put("a/.thole/rules.json", "[]");
		break;
	case 2:
		put("a/.thole/rules.json", "{\"rules\":[{\"effect\":\"dny\",\"tool\":\"y\"}]}");
		break;
	case 3:
		put("a/.thole/rules.json", "");
		break;
	case 4:
		CHECK(mkfifo(at("a/.thole/rules.json"), 0600) == 0);
		break;
	case 5:
		CHECK(symlink("/dev/zero", at("a/.thole/rules.json")) == 0);
		break;
	case 6:
		CHECK(symlink("nowhere.json", at("a/.thole/rules.json")) == 0);
		break;
	case 7:
		CHECK(symlink("../../b/rules.json", at("a/.thole/rules.json")) == 0);
		break;
	case 8:
		f = fopen(at("a/.thole/rules.json"), "w");
		CHECK(f && fputs("{\"rules\":[]}", f) >= 0 && ftruncate(fileno(f), 2 << 20) == 0 &&
		      fclose(f) == 0);
		break;
	default:
		CHECK(symlink("rules.json", at("a/.thole/rules.json")) == 0);
	}
}

TEST(a_project_file_that_cannot_be_understood_closes)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct policy_now now;

	make_dirs();
	for (int shape = 0; shape < 10; shape++) {
		struct policy *p = open_files();

		/* from the start, without earlier rules */
		break_it(shape);
		now = look(p, mem, "a");
		CHECK(is_guarded(now, "project"));
		CHECK(str_find(now.rules, STR("rules.json")) > 0);
		CHECK(str_find(now.rules, STR("Repair or remove the file")) > 0);
		CHECK(is_guarded(look(p, mem, "a"), "project"));
		CHECK(!str_is(look(p, mem, "b").trouble));
		CHECK(unlink(at("a/.thole/rules.json")) == 0);
		now = look(p, mem, "a");
		CHECK(!str_is(now.trouble) && str_find(now.rules, STR("unreadable")) < 0);
		/* and after rules that held */
		put("a/.thole/rules.json",
		    "{\"rules\":[{\"id\":\"its\",\"effect\":\"deny\",\"tool\":\"z\"}]}");
		now = look(p, mem, "a");
		CHECK(!str_is(now.trouble) && str_find(now.rules, STR("its")) > 0);
		break_it(shape);
		now = look(p, mem, "a");
		CHECK(is_guarded(now, "project") && str_find(now.rules, STR("its")) > 0);
		CHECK(unlink(at("a/.thole/rules.json")) == 0);
		p->ops->close(p);
	}
	remove_dirs();
}

TEST(rules_that_may_not_be_looked_at_close)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct policy *p;

	make_dirs();
	put("a/.thole/rules.json", "{\"rules\":[]}");
	put("config.json", "{}");
	p = open_files();
	CHECK(!str_is(look(p, mem, "a").trouble));
	CHECK(chmod(root, 0755) == 0 && chmod(at("a"), 0755) == 0);
	CHECK(chmod(at("a/.thole"), 0) == 0);
	if (geteuid() == 0) {
		CHECK(seteuid(65534) == 0);
		CHECK(is_guarded(look(p, mem, "a"), "project"));
		CHECK(seteuid(0) == 0);
	} else {
		CHECK(is_guarded(look(p, mem, "a"), "project"));
	}
	CHECK(chmod(at("a/.thole"), 0700) == 0);
	CHECK(!str_is(look(p, mem, "a").trouble));
	/* the user's own file, on change */
	put("config.json", "{\"permission\":{\"rules\":7}}");
	CHECK(is_guarded(look(p, mem, "b"), "user"));
	CHECK(unlink(at("config.json")) == 0 && symlink("nowhere", at("config.json")) == 0);
	CHECK(is_guarded(look(p, mem, "b"), "user"));
	CHECK(unlink(at("config.json")) == 0);
	CHECK(!str_is(look(p, mem, "b").trouble));
	p->ops->close(p);
	remove_dirs();
}

TEST(a_start_with_wrong_rules_is_refused)
{
	const char *unknown[] = { "unknown=/x", NULL };
	struct policy *p = NULL;
	struct error e;

	make_dirs();
	put("b/x", "");
	CHECK(policy_files_open(
		      &(struct policy_files_options){ .fixed = STR("[]"), .files = unknown },
		      str_from(at("b")), &p, &e) == ERR_INVALID);
	put("a/.thole/rules.json", "{\"rules\":[{\"effect\":\"deny\"}]}");
	CHECK(policy_files_open(&(struct policy_files_options){ .fixed = STR("[]") },
	                        str_from(at("a")), &p, &e) == ERR_INVALID);
	CHECK(!p && strstr(e.message, "rules.json") && strstr(e.message, "Repair or remove"));
	remove_dirs();
}

static void shell(const char *script)
{
	char command[1024];

	snprintf(command, sizeof command, "cd '%s' && { %s; } >/dev/null 2>&1", root, script);
	CHECK_INT(system(command), 0);
}

/* The first denied path that git has committed, or absent. */
static struct str tracked_in(struct arena *mem, const char *dir)
{
	struct git_tracked found;

	git_tracked_denied(mem, str_from(at(dir)), STR("/root"),
	                   STR("[{\"effect\":\"deny\",\"tool\":\"*\",\"path\":\".env\"}]"), &found);
	CHECK(found.has_rules);
	return found.count ? found.at[0] : STR("(none)");
}

TEST(denied_paths_are_found_in_repositories_of_both_hashes_and_in_worktrees)
{
	static const char *const formats[] = { "sha1", "sha256" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	if (system("git --version >/dev/null 2>&1")) {
		printf("SKIP: there is no git\n");
		return;
	}
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		char script[512];

		make_dirs();
		snprintf(script, sizeof script,
		         "git init -q --object-format=%s a && cd a && echo x >.aaa && echo x >.env "
		         "&& "
		         "git add .aaa .env && git -c user.name=n -c user.email=e commit -qm x && "
		         "git worktree add -q ../w",
		         formats[i]);
		shell(script);
		CHECK_SAME(tracked_in(mem, "a"), STR(".env"));
		CHECK_SAME(tracked_in(mem, "w"), STR(".env"));
		CHECK_SAME(tracked_in(mem, "b"), STR("(none)"));
		remove_dirs();
	}
}

TEST_MAIN()
