/*
 * Runs a fuzz target over the files and folders it is given, and over prefixes
 * of each of them: the corpus as a plain test, where there is no libFuzzer.
 *
 * A file has at most 500 prefixes, evenly spread; THOLE_PREFIXES=N takes N.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t runs, prefixes = 500;

/* Exact copies, so that a sanitizer sees a step past the end. */
static void run(const char *data, size_t len)
{
	uint8_t *copy = memory_alloc(len + !len);

	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	runs++;
}

static int run_file(const char *path)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	FILE *f = fopen(path, "rb");
	char part[4096];

	if (!f) {
		perror(path);
		return 1;
	}
	for (size_t n; (n = fread(part, 1, sizeof part, f));)
		buf_add(&all, part, n);
	fclose(f);
	buf_add_char(&all, '\0'); /* so that an empty file has an address too */
	for (size_t len = 0; len < all.len; len += 1 + all.len / prefixes)
		run(all.ptr, len);
	run(all.ptr, all.len - 1);
	return 0;
}

static int run_path(const char *path)
{
	DIR *dir = opendir(path);
	int failed = 0;

	if (!dir)
		return run_file(path);
	for (struct dirent *d; (d = readdir(dir));) {
		char below[512];

		snprintf(below, sizeof below, "%s/%s", path, d->d_name);
		if (d->d_name[0] != '.')
			failed |= run_file(below);
	}
	closedir(dir);
	return failed;
}

int main(int argc, char **argv)
{
	const char *given = getenv("THOLE_PREFIXES");
	int failed = 0;

	if (given && atol(given) > 0)
		prefixes = (size_t)atol(given);
	for (int i = 1; i < argc; i++)
		failed |= run_path(argv[i]);
	printf("%zu inputs\n", runs);
	return failed || !runs;
}
