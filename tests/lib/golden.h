#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H
/*
 * The logs of tests/golden, for tests in C.
 *
 * golden_files() hands each NAME.ndjson to a function, in the order of the
 * names, and returns how many lines there were.  A directory that is missing
 * or empty fails the test: a test that read nothing has shown nothing.
 */
#include "base/buf.h"
#include "lib/t.h"

#include <dirent.h>

/* lines: of one log, without line ends; valid during the call. */
typedef void golden_fn(const char *name, const struct str *lines, size_t count, void *arg);

enum { GOLDEN_LINES_MAX = 1024 };

static inline void golden_read(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t got;

	CHECK(f);
	do {
		got = fread(buf_reserve(out, 65536), 1, 65536, f);
		out->len += got;
	} while (got);
	fclose(f);
}

static inline size_t golden_file(const char *dir, const char *name, golden_fn *fn, void *arg)
{
	static struct str lines[GOLDEN_LINES_MAX];
	struct buf text = { 0 };
	size_t count = 0;
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	golden_read(path, &text);
	for (struct str rest = buf_str(&text); rest.len;) {
		CHECK(count < GOLDEN_LINES_MAX);
		lines[count] = str_cut(&rest, '\n');
		CHECK(lines[count++].len);
	}
	CHECK(count);
	fn(name, lines, count, arg);
	buf_done(&text);
	return count;
}

static inline int golden_is_log(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".ndjson"));
}

static inline size_t golden_files(golden_fn *fn, void *arg)
{
	const char *source = getenv("THOLE_SOURCE");
	struct dirent **names = NULL;
	size_t total = 0;
	char dir[2048];
	int count;

	snprintf(dir, sizeof dir, "%s/tests/golden", source ? source : ".");
	count = scandir(dir, &names, golden_is_log, alphasort);
	CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		total += golden_file(dir, names[i]->d_name, fn, arg);
		free(names[i]);
	}
	free(names);
	return total;
}

#endif
