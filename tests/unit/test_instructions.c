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
	struct context_read r = { .cwd = str_from(cwd), .files = files, .file_count = count };

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

TEST_MAIN()
