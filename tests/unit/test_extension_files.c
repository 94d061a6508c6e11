#include "lib/workspace/extension_files.h"

#include "lib/t.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static char home[96], project[96];

static const char *at(const char *path)
{
	static char all[512];

	snprintf(all, sizeof all, "%s/%s", root, path);
	return all;
}

static void shell(const char *command)
{
	char line[1024];

	snprintf(line, sizeof line, "cd '%s' && %s", root, command);
	CHECK_INT(system(line), 0);
}

static void put(const char *path, const char *text)
{
	char line[600];

	snprintf(line, sizeof line, "mkdir -p \"$(dirname '%s')\"", path);
	shell(line);
	FILE *f = fopen(at(path), "wb");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void make(void)
{
	strcpy(root, "/tmp/thole-extensions-XXXXXX");
	CHECK(mkdtemp(root));
	snprintf(home, sizeof home, "%s/home", root);
	snprintf(project, sizeof project, "%s/proj", root);
	shell("mkdir home proj");
}

static void drop(struct context_read *r)
{
	arena_free(r->mem);
	shell("cd / && rm -rf \"$OLDPWD\"");
}

static struct context_read look(unsigned kinds, const char *wanted, const char *file)
{
	struct extension_places places = { .home = str_from(home) };
	struct context_read r = { .cwd = str_from(project),
		                  .kinds = kinds,
		                  .wanted = str_from(wanted),
		                  .wanted_file = str_from(file),
		                  .mem = arena_new() };
	struct sandbox_paths rules = { 0 };

	extension_files_read(&places, &r, r.cwd, &rules);
	return r;
}

#define SKILLS CONTEXT_KIND_BIT(EXTENSION_KIND_SKILL)
#define COMMANDS CONTEXT_KIND_BIT(EXTENSION_KIND_COMMAND)
#define AGENTS CONTEXT_KIND_BIT(EXTENSION_KIND_AGENT)
#define SKILL(name) "---\nname: " name "\ndescription: What " name " does.\n---\nDo it.\n"

TEST(the_users_skill_counts_before_the_projects)
{
	make();
	put("home/.claude/skills/pdf/SKILL.md", SKILL("pdf"));
	put("proj/.claude/skills/pdf/SKILL.md", SKILL("pdf"));
	put("proj/.agents/skills/x/SKILL.md", SKILL("x"));
	struct context_read r = look(SKILLS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 3);
	CHECK_INT(r.extensions[0].source, EXTENSION_SOURCE_USER);
	CHECK(!str_is(r.extensions[0].error) && !str_is(r.extensions[0].hash));
	CHECK_STR(r.extensions[0].description, "What pdf does.");
	CHECK_STR(r.extensions[1].name, "x");
	CHECK(str_is(r.extensions[1].hash));
	CHECK(str_is(r.extensions[2].error));
	drop(&r);
}

TEST(what_is_wrong_with_a_skill_is_reported)
{
	static const char *const wanted[] = { "description", "may consist", "256 KiB",
		                              "regular",     "second ---",  "regular" };

	make();
	put("proj/.thole/skills/a/SKILL.md", "no head");
	put("proj/.thole/skills/b/SKILL.md", "---\nname: b c\ndescription: d\n---\nx");
	shell("mkdir -p proj/.thole/skills/c proj/.thole/skills/d proj/.thole/skills/f "
	      "proj/.thole/skills/none && head -c 10485760 /dev/zero > "
	      "proj/.thole/skills/c/SKILL.md "
	      "&& mkfifo proj/.thole/skills/d/SKILL.md && ln -s . proj/.thole/skills/loop");
	put("proj/.thole/skills/e/SKILL.md", "---\nname: e\n");
	put("proj/.thole/skills/f/SKILL.md", "\xff\xfe");
	struct context_read r = look(SKILLS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, (long long)COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		if (str_find(r.extensions[i].error, str_from(wanted[i])) < 0)
			t_fail(__FILE__, __LINE__, "%zu: %.*s", i, STR_ARG(r.extensions[i].error));
	drop(&r);
}

TEST(links_of_a_project_do_not_lead_out_of_it)
{
	make();
	put("outside/SKILL.md", SKILL("outside"));
	put("proj/inside/SKILL.md", SKILL("inside"));
	shell("mkdir -p proj/.claude/skills/z home/.claude/skills/zero && ln -s ../../../outside "
	      "proj/.claude/skills/a && ln -s ../../inside proj/.claude/skills/b && ln -s "
	      "/dev/zero "
	      "proj/.claude/skills/z/SKILL.md && ln -s /dev/zero home/.claude/skills/zero/SKILL.md "
	      "&& "
	      "ln -s ../../../outside home/.claude/skills/mine");
	struct context_read r = look(SKILLS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 5);
	CHECK_STR(r.extensions[0].name, "outside"); /* the user's own links lead anywhere */
	CHECK(!str_is(r.extensions[0].error));
	CHECK(str_find(r.extensions[1].error, STR("regular")) >= 0);
	CHECK(str_find(r.extensions[2].error, STR("leads out")) >= 0);
	CHECK(!str_is(r.extensions[3].error));
	CHECK(str_is(r.extensions[4].error));
	drop(&r);
}

TEST(a_skill_offers_its_own_files_only)
{
	make();
	put("home/.claude/skills/pdf/SKILL.md", SKILL("pdf"));
	put("home/.claude/skills/pdf/ref/forms.md", "Forms.");
	put("home/.claude/skills/pdf/run.py", "pass");
	put("home/secret", "s");
	shell("ln -s ../../../secret home/.claude/skills/pdf/link");
	struct context_read r = look(SKILLS, "pdf", "ref/forms.md");

	CHECK_STR(r.extensions[0].body, "Do it.");
	CHECK_STR(r.beside, "ref/forms.md\nrun.py\n");
	CHECK_STR(r.file_text, "Forms.");
	arena_free(r.mem);
	r = look(SKILLS, "pdf", "../../../secret");
	CHECK_INT(r.file_missing, MISSING_REASON_DENIED);
	arena_free(r.mem);
	r = look(SKILLS, "pdf", "link");
	CHECK(r.file_missing && !str_is(r.file_text));
	drop(&r);
}

static struct context_extension the_skill(void)
{
	struct context_read r = look(SKILLS, NULL, NULL);
	struct context_extension x;

	CHECK_INT((long long)r.extension_count, 1);
	x = r.extensions[0];
	CHECK(!str_is(x.error) || str_find(x.error, STR("trust does not cover it")) >= 0);
	x.error = str_is(x.error) ? STR("refused") : STR_NONE;
	x.hash = str_of(strndup(x.hash.ptr, x.hash.len), x.hash.len);
	arena_free(r.mem);
	return x;
}

/* A change below any number of folders is a change of the skill, or the skill is not used. */
TEST(trust_covers_a_skill_whole_or_the_skill_is_not_used)
{
	make();
	put("proj/.claude/skills/s/SKILL.md", SKILL("s"));
	put("proj/.claude/skills/s/1/2/3/4/5/6/7/8/9/run.sh", "echo one\n");
	struct context_extension first = the_skill();

	CHECK(!str_is(first.error));
	put("proj/.claude/skills/s/1/2/3/4/5/6/7/8/9/run.sh", "echo two\n");
	struct context_extension second = the_skill();

	CHECK(!str_is(second.error));
	CHECK(!str_eq(first.hash, second.hash));
	free((char *)first.hash.ptr);
	free((char *)second.hash.ptr);
	static const char *const uncovered[] = {
		"mkdir -p $(seq -s / 100 130) && touch $(seq -s / 100 130)/run.sh",
		"touch $(seq 1000 1200)",
		"for i in 1 2 3 4 5 6 7; do mkdir $i && (cd $i && touch $(seq 30)); done",
		"truncate -s 5M large",
	};

	for (size_t i = 0; i < COUNT_OF(uncovered); i++) {
		struct context_extension x;

		shell("rm -rf proj/.claude/skills/s/*");
		put("proj/.claude/skills/s/SKILL.md", SKILL("s"));
		x = the_skill();
		CHECK(!str_is(x.error));
		free((char *)x.hash.ptr);
		char line[400];

		snprintf(line, sizeof line, "cd proj/.claude/skills/s && %s", uncovered[i]);
		shell(line);
		x = the_skill();
		CHECK(str_is(x.error));
		free((char *)x.hash.ptr);
	}
	shell("rm -rf proj/.claude/skills/s/[!S]* && ln -s /etc/passwd "
	      "proj/.claude/skills/s/link");
	struct context_read r = look(SKILLS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 1);
	CHECK(!str_is(r.extensions[0].error));
	CHECK_INT((long long)r.left_out_count, 1);
	drop(&r);
}

TEST(subfolders_are_part_of_a_commands_name)
{
	make();
	put("proj/.claude/commands/fix.md",
	    "---\ndescription: Fixes.\nargument-hint: [issue]\n"
	    "allowed-tools: Bash(*)\nmodel: m\n---\nFix $1.\n!`ls`");
	put("proj/.claude/commands/web/new.md", "# New page\n\nMake it.");
	put("proj/.claude/commands/README.md", "no command");
	shell("ln -s . proj/.claude/commands/loop");
	struct context_read r = look(COMMANDS, "web:new", NULL);

	CHECK_INT((long long)r.extension_count, 2);
	CHECK_STR(r.extensions[0].argument_hint, "[issue]");
	CHECK_STR(r.extensions[0].model, "m");
	CHECK(str_find(r.extensions[0].note, STR("allowed-tools")) >= 0);
	CHECK(str_find(r.extensions[0].note, STR("not run")) >= 0);
	CHECK(!str_is(r.extensions[0].body));
	CHECK_STR(r.extensions[1].name, "web:new");
	CHECK_STR(r.extensions[1].description, "New page");
	CHECK_STR(r.extensions[1].body, "# New page\n\nMake it.");
	drop(&r);
}

TEST(agents_have_tools_a_model_and_a_prompt)
{
	make();
	put("proj/.claude/agents/team/r.md", "---\nname: reviewer\ndescription: Reviews.\n"
	                                     "tools: Read, Grep\nmodel: inherit\n---\nBe strict.");
	struct context_read r = look(AGENTS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 1);
	CHECK_STR(r.extensions[0].name, "reviewer");
	CHECK_STR(r.extensions[0].tools, "Read, Grep");
	CHECK(!str_is(r.extensions[0].model));
	CHECK_STR(r.extensions[0].body, "Be strict.");
	drop(&r);
}

TEST(thousands_are_bounded_and_told)
{
	make();
	shell("mkdir -p proj/.thole/skills proj/.thole/commands && cd proj/.thole && "
	      "mkdir $(seq -f skills/s%g 1000 2999) && "
	      "for i in $(seq 1000 2999); do printf -- "
	      "'---\\ndescription: d\\n---\\nx' > skills/s$i/SKILL.md; done; "
	      "for i in $(seq 1000 5999); do echo x > commands/c$i.md; done");
	struct context_read r = look(SKILLS | COMMANDS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 1024);
	CHECK_STR(r.extensions[0].name, "s1000");
	CHECK_STR(r.extensions[511].name, "s1511");
	CHECK_INT((long long)r.left_out_count, 2);
	CHECK(str_find(r.left_out[0], STR("1488 skills are left out")) >= 0);
	CHECK(str_find(r.left_out[1], STR("4488 commands are left out")) >= 0);
	drop(&r);
}

TEST(one_read_has_a_budget)
{
	make();
	shell("mkdir -p proj/.thole/commands/deep home/.claude/commands && cd proj/.thole/commands "
	      "&& "
	      "head -c 200000 /dev/zero | tr '\\0' x > big && for i in $(seq 100 299); do ln big "
	      "c$i.md; done; echo x > ../../../home/.claude/commands/mine.md");
	struct context_read r = look(COMMANDS, NULL, NULL);

	CHECK(r.extension_count > 80 && r.extension_count < 90); /* 16 MiB, and the user's own */
	CHECK_STR(r.extensions[0].name, "mine");
	CHECK_INT((long long)r.left_out_count, 1);
	CHECK(str_find(r.left_out[0], STR("16 MiB")) >= 0);
	CHECK(arena_held(r.mem) < 4u << 20);
	drop(&r);
}

TEST(directories_without_end_are_bounded)
{
	make();
	shell("mkdir -p proj/.claude/commands && cd proj/.claude/commands && mkdir $(seq 1000 "
	      "1150) && "
	      "for d in *; do (cd $d && mkdir $(seq 1000 1150)); done");
	struct context_read r = look(COMMANDS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 0);
	CHECK_INT((long long)r.left_out_count, 1);
	CHECK(str_find(r.left_out[0], STR("entries")) >= 0);
	drop(&r);
}

TEST(the_directory_of_a_session_is_searched_before_the_root)
{
	make();
	put("proj/.claude/skills/x/SKILL.md", SKILL("x"));
	put("proj/sub/.claude/skills/x/SKILL.md", SKILL("x"));
	struct extension_places places = { .home = str_from(home) };
	struct context_read r = { .kinds = SKILLS, .mem = arena_new() };
	struct sandbox_paths rules = { 0 };
	char sub[128];

	snprintf(sub, sizeof sub, "%s/sub", project);
	r.cwd = str_from(sub);
	extension_files_read(&places, &r, str_from(project), &rules);
	CHECK_INT((long long)r.extension_count, 2);
	CHECK(str_ends(r.extensions[0].path, STR("proj/sub/.claude/skills/x/SKILL.md")));
	CHECK(!str_is(r.extensions[0].error) && str_is(r.extensions[1].error));
	CHECK(str_eq(r.project, str_from(project)));
	drop(&r);
}

TEST(texts_are_those_that_were_hashed_and_are_bounded)
{
	make();
	put("home/.claude/skills/own/SKILL.md", SKILL("own"));
	put("proj/.claude/skills/x/SKILL.md", SKILL("x"));
	put("proj/.claude/skills/x/run.sh", "echo one\n");
	shell("head -c 65537 /dev/zero | tr '\\0' a > proj/.claude/skills/x/long.txt && "
	      "printf 'a\\0b' > proj/.claude/skills/x/blob && ln -s / proj/.claude/skills/x/out");
	struct extension_places places = { .home = str_from(home) };
	struct context_read r = {
		.cwd = str_from(project), .kinds = SKILLS, .wants_texts = true, .mem = arena_new()
	};
	struct sandbox_paths rules = { 0 };

	extension_files_read(&places, &r, r.cwd, &rules);
	CHECK_INT((long long)r.extension_count, 2);
	CHECK(!str_is(r.extensions[0].text));
	const struct context_extension *x = &r.extensions[1];

	CHECK_STR(x->text, SKILL("x"));
	CHECK_INT((long long)x->beside_count, 4);
	CHECK_STR(x->beside[0].path, "blob");
	CHECK(x->beside[0].bytes == 3 && !str_is(x->beside[0].text));
	CHECK(x->beside[1].bytes == 65537 && !str_is(x->beside[1].text));
	CHECK(!x->beside[2].is_read);
	CHECK_STR(x->beside[3].path, "run.sh");
	CHECK_STR(x->beside[3].text, "echo one\n");
	drop(&r);
}

TEST(the_home_directory_is_no_project)
{
	make();
	put("home/.claude/skills/pdf/SKILL.md", SKILL("pdf"));
	strcpy(project, home);
	struct context_read r = look(SKILLS, NULL, NULL);

	CHECK_INT((long long)r.extension_count, 1);
	CHECK(!str_is(r.project));
	drop(&r);
}

TEST_MAIN()
