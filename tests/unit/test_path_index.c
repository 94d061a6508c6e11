/*
 * Patterns over paths, and their index: compared with a plain walk while a tree
 * changes at random, and measured in listed directories.
 */
#include "base/path/path_glob.h"
#include "supervisor/files/path_index.h"

#include "lib/t.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static bool covers(const char *pattern, const char *path)
{
	struct path_glob g;

	CHECK(path_glob_read(str_from(pattern), &g));
	return path_glob_covers(&g, str_from(path));
}

TEST(patterns_cover_paths_and_what_is_below)
{
	CHECK(covers("/w/.env", "/w/.env") && covers("/w/.env", "/w/.env/x"));
	CHECK(!covers("/w/.env", "/w/.envx") && !covers("/w/.env", "/w") &&
	      !covers("/w/.env", "/x/.env"));
	CHECK(covers("/**/*.pem", "/a.pem") && covers("/**/*.pem", "/w/a/b/c.pem"));
	CHECK(!covers("/**/*.pem", "/w/a.pem.txt"));
	CHECK(covers("/w/**", "/w") && covers("/w/**/x/**", "/w/a/b/x/c"));
	CHECK(covers("/w/a?c", "/w/abc") && !covers("/w/a?c", "/w/ac"));
	CHECK(covers("/w/**/s/**/t", "/w/s/s/q/t") && !covers("/w/**/s/**/t", "/w/q/t"));
	CHECK(covers("/w/*a*b*", "/w/xxaxxbxx") && !covers("/w/*a*b*", "/w/bxa"));
}

TEST(a_pattern_of_many_stars_ends)
{
	char name[256], path[300];

	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = 0;
	snprintf(path, sizeof path, "/w/%s", name);
	CHECK(!covers("/w/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path));
	CHECK(!covers("/**/**/**/**/**/**/**/**/**/**/b", path));
}

TEST(too_many_names_are_refused)
{
	struct path_glob g;
	char long_one[512] = "";

	for (int i = 0; i < 80; i++)
		strcat(long_one, "/a");
	CHECK(!path_glob_read(str_from(long_one), &g));
}

/* ---- the index ---- */

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static const char *at(const char *path)
{
	static char all[8][4096];
	static int n;

	n = (n + 1) % 8;
	snprintf(all[n], sizeof all[n], "%s/%s", root, path);
	return all[n];
}

static void put(const char *path)
{
	FILE *f = fopen(at(path), "w");

	CHECK(f && fclose(f) == 0);
}

static void begin(void)
{
	strcpy(root, "/tmp/thole-index-XXXXXX");
	CHECK(mkdtemp(root));
}

static void end(void)
{
	path_index_reset();
	nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static size_t ask(struct arena *mem, const char *pattern, struct sandbox_paths *ret)
{
	struct path_glob g;
	struct error e = { 0 };

	*ret = (struct sandbox_paths){ 0 };
	CHECK(path_glob_read(arena_printf(mem, "%s/%s", root, pattern), &g));
	CHECK(path_index_find(mem, str_from(root), &g, 1, ret, &e) == OK);
	if (ret->count)
		qsort(ret->at, ret->count, sizeof *ret->at, by_text);
	return ret->count;
}

TEST(what_changes_is_found_without_listing_the_rest)
{
	struct arena *mem = arena_new();
	struct sandbox_paths found;
	uint64_t listed;

	begin();
	for (int i = 0; i < 200; i++) {
		char dir[32], file[40];

		snprintf(dir, sizeof dir, "d%d", i);
		CHECK(mkdir(at(dir), 0700) == 0);
		snprintf(file, sizeof file, "d%d/plain", i);
		put(file);
	}
	CHECK(ask(mem, "**/*.key", &found) == 0);
	listed = path_index_listed();
	CHECK(ask(mem, "**/*.key", &found) == 0);
	CHECK(path_index_listed() == listed);
	put("d7/a.key");
	CHECK(ask(mem, "**/*.key", &found) == 1 && str_ends(found.at[0], STR("/d7/a.key")));
	CHECK(rename(at("d7"), at("moved")) == 0);
	CHECK(ask(mem, "**/*.key", &found) == 1 && str_ends(found.at[0], STR("/moved/a.key")));
	CHECK(rename(at("moved/a.key"), at("d8/b")) == 0);
	CHECK(ask(mem, "**/*.key", &found) == 0);
	CHECK(rename(at("d8/b"), at("d8/c.key")) == 0);
	CHECK(ask(mem, "**/*.key", &found) == 1);
	CHECK(unlink(at("d8/c.key")) == 0);
	CHECK(ask(mem, "**/*.key", &found) == 0);
	CHECK(path_index_listed() - listed < 10);
	end();
	arena_free(mem);
}

TEST(a_directory_that_matches_is_one_answer)
{
	struct arena *mem = arena_new();
	struct sandbox_paths found;

	begin();
	CHECK(mkdir(at("secrets"), 0700) == 0 && mkdir(at("secrets/deep"), 0700) == 0);
	put("secrets/deep/x");
	CHECK(ask(mem, "sec*", &found) == 1 && str_ends(found.at[0], STR("/secrets")));
	end();
	arena_free(mem);
}

TEST(other_names_of_a_file_are_found)
{
	struct arena *mem = arena_new();
	struct sandbox_paths found = { 0 };
	struct error e = { 0 };
	struct stat st;

	begin();
	CHECK(mkdir(at("a"), 0700) == 0 && mkdir(at("a/b"), 0700) == 0);
	put("one");
	CHECK(link(at("one"), at("a/b/two")) == 0 && stat(at("one"), &st) == 0);
	CHECK(path_index_links(mem, str_from(root),
	                       &(struct path_index_file){ st.st_dev, st.st_ino }, 1, &found,
	                       &e) == OK);
	CHECK(found.count == 2);
	CHECK(link(at("one"), at("a/three")) == 0 && unlink(at("a/b/two")) == 0);
	found.count = 0;
	CHECK(path_index_links(mem, str_from(root),
	                       &(struct path_index_file){ st.st_dev, st.st_ino }, 1, &found,
	                       &e) == OK);
	CHECK(found.count == 2);
	end();
	arena_free(mem);
}

/* What a walk from scratch says is what the index must say, after any changes. */
TEST(random_changes_leave_the_same_answer_as_a_new_walk)
{
	struct arena *mem = arena_new();
	struct sandbox_paths kept, fresh;
	unsigned seed = 12345;

	begin();
	for (int round = 0; round < 400; round++) {
		char a[64], b[64];

		for (int k = 0; k < 5; k++) {
			seed = seed * 1103515245u + 12345u;
			snprintf(a, sizeof a, "n%u%s", seed >> 16 & 7,
			         seed >> 20 & 1 ? (seed >> 21 & 1 ? "/x.key" : "/n1/y.key") : "");
			seed = seed * 1103515245u + 12345u;
			snprintf(b, sizeof b, "n%u%s", seed >> 16 & 7, seed >> 20 & 1 ? "/n1" : "");
			switch (seed >> 24 & 3) {
			case 0:
				mkdir(at(b), 0700);
				break;
			case 1: {
				FILE *f = fopen(at(a), "w");

				if (f)
					fclose(f);
				break;
			}
			case 2:
				if (rename(at(b), at(a)) < 0)
					remove(at(a));
				break;
			default:
				remove(at(b));
			}
		}
		if (round % 3)
			continue;
		ask(mem, "**/*.key", &kept);
		path_index_reset();
		ask(mem, "**/*.key", &fresh);
		CHECK(kept.count == fresh.count);
		for (size_t i = 0; i < kept.count; i++)
			CHECK(str_eq(kept.at[i], fresh.at[i]));
	}
	end();
	arena_free(mem);
}

TEST_MAIN()
