#include "lib/workspace/instructions.h"

#include "base/util.h"
#include "lib/t.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/thole-instructions-XXXXXX";
static const struct str names[] = { STR("AGENTS.md"), STR("CLAUDE.md") };
static const struct instructions_options options = { .names = names,
	                                             .name_count = 2,
	                                             .max_bytes = 1024 };

static const char *at(const char *path)
{
	static char all[512];

	snprintf(all, sizeof all, "%s/%s", root, path);
	return all;
}

static void put(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(at(path), "wb");

	CHECK(f && fwrite(text, 1, len, f) == len && fclose(f) == 0);
}

static void make_project(void)
{
	strcpy(root, "/tmp/thole-instructions-XXXXXX");
	CHECK(mkdtemp(root));
	CHECK(mkdir(at(".git"), 0700) == 0 && mkdir(at("a"), 0700) == 0 &&
	      mkdir(at("a/b"), 0700) == 0);
}

static void remove_project(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", root);
	CHECK_INT(system(command), 0);
}

static struct context_read gather(const char *cwd, const struct str *files, size_t count)
{
	struct context_read r = {
		.cwd = str_from(cwd), .files = files, .file_count = count, .is_for_turn = true
	};

	instructions_gather(&options, &r);
	return r;
}

TEST(files_come_from_the_root_of_the_project_down)
{
	make_project();
	put("AGENTS.md", "top", 3);
	put("a/CLAUDE.md", "middle", 6);
	put("a/b/AGENTS.md", "here", 4);
	struct context_read r = gather(at("a/b"), NULL, 0);

	/* a missing CLAUDE.md is no gap: no setting asked for one */
	CHECK_INT((long long)r.count, 3);
	CHECK_STR(r.found[0].ref, "file:AGENTS.md");
	CHECK_STR(r.found[0].text, "top");
	CHECK_STR(r.found[1].ref, "file:a/CLAUDE.md");
	CHECK_STR(r.found[2].ref, "file:a/b/AGENTS.md");
	CHECK_STR(r.found[2].text, "here");
	arena_free(r.mem);
	remove_project();
}

TEST(without_a_project_only_the_directory_itself_is_looked_at)
{
	make_project();
	CHECK(rmdir(at(".git")) == 0);
	put("AGENTS.md", "not this one", 12);
	struct context_read r = gather(at("a"), NULL, 0);

	CHECK_INT((long long)r.count, 0);
	arena_free(r.mem);
	remove_project();
}

TEST(what_is_no_file_or_no_text_is_left_out_with_its_reason)
{
	static char large[2048];
	const struct str files[] = {
		STR("file:pipe"),   STR("file:large"),          STR("file:bytes"),
		STR("file:link/x"), STR("file:a/../AGENTS.md"), STR("file:/etc/passwd"),
		STR("file:a"),      STR("file:plain"),          STR("file:")
	};
	static const enum missing_reason wanted[] = {
		MISSING_REASON_UNREADABLE, MISSING_REASON_TOO_LARGE,
		MISSING_REASON_UNREADABLE, MISSING_REASON_DENIED,
		MISSING_REASON_DENIED,     MISSING_REASON_DENIED,
		MISSING_REASON_NOT_FOUND,  0,
		MISSING_REASON_DENIED,
	};

	make_project();
	memset(large, 'x', sizeof large);
	CHECK(symlink("/etc/passwd", at("AGENTS.md")) == 0);
	CHECK(mkfifo(at("pipe"), 0600) == 0);
	put("large", large, sizeof large);
	put("bytes", "\xff\xfe", 2);
	put("plain", "plain", 5);
	CHECK(symlink("/etc", at("link")) == 0);
	struct context_read r = gather(root, files, COUNT_OF(files));

	CHECK_INT((long long)r.count, 1 + (long long)COUNT_OF(files));
	CHECK_INT(r.found[0].missing, MISSING_REASON_DENIED);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		enum missing_reason got = r.found[1 + i].missing;

		/* A link on the way is refused, as a link or as what is no directory. */
		if (wanted[i] == MISSING_REASON_DENIED && got == MISSING_REASON_NOT_FOUND && i == 3)
			continue;
		if (got != wanted[i])
			t_fail(__FILE__, __LINE__, "%.*s: %d", STR_ARG(files[i]), (int)got);
	}
	CHECK_STR(r.found[1 + 7].text, "plain");
	arena_free(r.mem);
	remove_project();
}

TEST(a_directory_with_both_files_gives_the_first)
{
	make_project();
	put("AGENTS.md", "agents", 6);
	put("CLAUDE.md", "claude", 6);
	put("a/CLAUDE.md", "below", 5);
	struct context_read r = gather(at("a"), NULL, 0);

	CHECK_INT((long long)r.count, 2);
	CHECK_STR(r.found[0].text, "agents");
	CHECK_STR(r.found[1].ref, "file:a/CLAUDE.md");
	arena_free(r.mem);
	remove_project();
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static const struct context_found *find(const struct context_read *r, const char *ref)
{
	for (size_t i = 0; i < r->count; i++)
		if (str_eq(r->found[i].ref, str_from(ref)))
			return &r->found[i];
	return NULL;
}

TEST(imports_follow_the_file_that_names_them)
{
	make_project();
	put_text("AGENTS.md", "See @a/style.md and @missing/file.md, ask @someone, mail x@y.z.\n"
	                      "`@a/code.md`\n```\n@a/code.md\n```\n@../outside.md @/etc/passwd\n");
	put_text("a/style.md", "Tabs. @b/deep.md");
	put_text("a/b/deep.md", "Deep. @../../AGENTS.md @../style.md");
	put_text("a/code.md", "never");
	struct context_read r = gather(root, NULL, 0);

	CHECK_STR(r.found[0].ref, "file:AGENTS.md");
	CHECK_STR(r.found[1].ref, "file:a/style.md");
	CHECK_STR(r.found[1].text, "a/style.md, imported by AGENTS.md:\n\nTabs. @b/deep.md");
	CHECK_STR(r.found[2].ref, "file:a/b/deep.md");
	/* a cycle is reported where it closes, and nothing is read twice */
	CHECK_STR(r.found[3].ref, "file:AGENTS.md");
	CHECK_INT(r.found[3].missing, MISSING_REASON_IMPORT_CYCLE);
	CHECK_INT(r.found[4].missing, MISSING_REASON_IMPORT_CYCLE);
	CHECK_INT(find(&r, "file:missing/file.md")->missing, MISSING_REASON_NOT_FOUND);
	CHECK_INT(find(&r, "file:../outside.md")->missing, MISSING_REASON_DENIED);
	CHECK_INT(find(&r, "file:/etc/passwd")->missing, MISSING_REASON_DENIED);
	CHECK(!find(&r, "file:someone") && !find(&r, "file:a/code.md"));
	CHECK_INT((long long)r.count, 8);
	arena_free(r.mem);
	remove_project();
}

TEST(imports_end_at_their_depth)
{
	char name[16], text[32];

	make_project();
	put_text("AGENTS.md", "@0.md");
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "%d.md", i);
		snprintf(text, sizeof text, "@%d.md", i + 1);
		put_text(name, text);
	}
	struct context_read r = gather(root, NULL, 0);

	CHECK_INT((long long)r.count, 7);
	CHECK_STR(r.found[6].ref, "file:5.md");
	CHECK_INT(r.found[6].missing, MISSING_REASON_IMPORT_DEPTH);
	arena_free(r.mem);
	remove_project();
}

TEST(imports_have_a_number)
{
	char text[1024 * 2] = "", name[16];

	make_project();
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "i%02d.md", i);
		put_text(name, "x");
		snprintf(text + strlen(text), sizeof text - strlen(text), "@%s ", name);
	}
	put("AGENTS.md", text, MIN(strlen(text), 1024));
	struct context_read r = gather(root, NULL, 0);

	CHECK_INT((long long)r.count, 66);
	CHECK_INT(r.found[65].missing, MISSING_REASON_OMITTED_BY_BUDGET);
	arena_free(r.mem);
	remove_project();
}

TEST(the_users_own_file_comes_first)
{
	struct instructions_options own = options;

	make_project();
	CHECK(mkdir(at("config"), 0700) == 0 && mkdir(at("elsewhere"), 0700) == 0);
	put_text("elsewhere/mine.md", "Mine. @more.md @../AGENTS.md");
	put_text("config/more.md", "More.");
	put_text("AGENTS.md", "The project's.");
	CHECK(symlink("../elsewhere/mine.md", at("config/AGENTS.md")) == 0);
	char dir[512];

	snprintf(dir, sizeof dir, "%s/config", root);
	own.places.config_dir = str_from(dir);
	struct context_read r = { .cwd = str_from(root), .is_for_turn = true };

	instructions_gather(&own, &r);
	CHECK_INT((long long)r.count, 4);
	CHECK_STR(r.found[0].ref, "user:AGENTS.md");
	CHECK_STR(r.found[1].ref, "user:more.md");
	CHECK_STR(r.found[1].text, "more.md, imported by AGENTS.md:\n\nMore.");
	CHECK_INT(r.found[2].missing, MISSING_REASON_DENIED);
	CHECK_STR(r.found[3].text, "The project's.");
	arena_free(r.mem);
	remove_project();
}

TEST_MAIN()
