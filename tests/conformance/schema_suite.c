/*
 * The JSON Schema test suite against src/schema.
 *
 *	schema_suite METASCHEMA_DIR [SUITE_DIR]
 *
 * Debian's json-schema-test-suite (2.0.0 in Debian 12 and 13) ends at draft
 * 07; a later suite with draft 2020-12 lies in libtest-json-schema-acceptance-perl.
 * Both are looked for unless a directory is given.  The draft 2020-12 tests
 * outside optional/ must all pass; the others are run and counted, with formats
 * asserted in optional/format.  Draft 07 is run too, because tool servers still
 * send it, and must pass likewise.
 *
 * Exit code 1: a mandatory test failed; 77: no suite of draft 2020-12 is there.
 */
#include "schema/schema.h"
#include "base/jw.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILES_MAX 512
#define FILE_MAX (1 << 20)

struct tally {
	size_t passed, failed;
};

struct suite {
	struct schema_set *known; /* meta-schemas and remotes */
	bool is_draft7;
	struct tally mandatory, optional;
};

/* ---- files ---- */

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static struct str read_file(struct arena *mem, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = arena_alloc(mem, FILE_MAX);
	size_t len;

	if (!f) {
		perror(path);
		exit(2);
	}
	len = fread(text, 1, FILE_MAX, f);
	fclose(f);
	return str_of(text, len);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a directory, sorted. */
static size_t list_dir(struct arena *mem, const char *dir, char *names[FILES_MAX])
{
	DIR *d = opendir(dir);
	size_t count = 0;

	for (struct dirent *ent; d && (ent = readdir(d)) && count < FILES_MAX;)
		if (ent->d_name[0] != '.')
			names[count++] = (char *)arena_keep(mem, str_from(ent->d_name)).ptr;
	if (d)
		closedir(d);
	qsort(names, count, sizeof *names, by_name);
	return count;
}

static const char *join(struct arena *mem, const char *dir, const char *name)
{
	return arena_printf(mem, "%s/%s", dir, name).ptr;
}

/* ---- what the tests refer to ---- */

static void add_metaschemas(struct schema_set *set, const char *dir)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *names[FILES_MAX];
	size_t count = list_dir(mem, dir, names), added = 0;

	for (size_t i = 0; i < count; i++) {
		struct error e = { 0 };

		if (!str_ends(str_from(names[i]), STR(".json")))
			continue;
		if (schema_set_add(set, STR_NONE, read_file(mem, join(mem, dir, names[i])), &e)) {
			fprintf(stderr, "%s: %s\n", names[i], e.message);
			exit(2);
		}
		added++;
	}
	if (!added) {
		fprintf(stderr, "schema_suite: no meta-schemas in %s\n", dir);
		exit(2);
	}
}

/* Files of other drafts may not be schemas to us; a test that needs one will say so. */
static void add_remotes(struct schema_set *set, const char *dir, const char *uri)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *names[FILES_MAX];
	size_t count = list_dir(mem, dir, names);

	for (size_t i = 0; i < count; i++) {
		const char *path = join(mem, dir, names[i]);
		struct str at = arena_printf(mem, "%s%s", uri, names[i]);
		struct error e;

		if (str_ends(at, STR(".json")))
			(void)!schema_set_add(set, at, read_file(mem, path), &e);
		else
			add_remotes(set, path, arena_printf(mem, "%.*s/", STR_ARG(at)).ptr);
	}
}

/* ---- running ---- */

/* Failures of optional tests are listed by file only, unless SCHEMA_SUITE_VERBOSE is set. */
static void count(struct tally *t, bool is_passed, bool is_optional, const char *file,
                  struct str group, struct str test, const char *why)
{
	if (is_passed) {
		t->passed++;
		return;
	}
	t->failed++;
	if (!is_optional || getenv("SCHEMA_SUITE_VERBOSE"))
		printf("%s %s: %.*s: %.*s: %s\n", is_optional ? "# optional:" : "not ok", file,
		       STR_ARG(group), STR_ARG(test), why);
}

/* The suite of draft 07 leaves $schema out. */
static struct str schema_text(struct arena *mem, const struct suite *s, struct json schema)
{
	struct json_iter it = json_iter(schema);
	struct buf text = { 0 };
	struct json_writer w;
	struct json v;
	struct str key;

	if (!s->is_draft7 || json_type(schema) != JSON_OBJ)
		return json_text(mem, schema);
	jw_init(&w, &text);
	jw_obj(&w);
	if (!json_is(JSON_GET(schema, "$schema")))
		JW_KSTR(&w, "$schema", STR("http://json-schema.org/draft-07/schema#"));
	while (json_next(&it, &key, &v)) {
		jw_key(&w, key);
		jw_value(&w, v);
	}
	jw_obj_end(&w);

	struct str kept = arena_keep(mem, buf_str(&text));

	buf_done(&text);
	return kept;
}

static void run_group(struct suite *s, const char *file, bool is_optional, struct json group)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct schema_options options = { .assert_formats =
		                                  is_optional && strstr(file, "format/") };
	struct str text = schema_text(mem, s, JSON_GET(group, "schema"));
	struct tally *tally = is_optional ? &s->optional : &s->mandatory;
	struct json_iter it = json_iter(JSON_GET(group, "tests"));
	struct str title = json_str(JSON_GET(group, "description"));
	struct error e = { 0 };
	enum err err = schema_compile_text(s->known, text, &options, &schema, &e);
	struct json test;
	struct str key;

	while (json_next(&it, &key, &test)) {
		struct schema_report report = { .mem = mem };
		struct str name = json_str(JSON_GET(test, "description"));
		bool want = json_bool(JSON_GET(test, "valid"), false);
		bool got = !err && schema_check(schema, JSON_GET(test, "data"), &report);

		if (err)
			count(tally, false, is_optional, file, title, name, e.message);
		else if (got == want)
			count(tally, true, is_optional, file, title, name, "");
		else
			count(tally, false, is_optional, file, title, name,
			      got ? "valid" : (const char *)report.errors[0].message.ptr);
	}
}

static void run_dir(struct suite *s, const char *dir, const char *label, bool is_optional)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *names[FILES_MAX];
	size_t names_count = list_dir(mem, dir, names);

	for (size_t i = 0; i < names_count; i++) {
		const char *path = join(mem, dir, names[i]);
		const char *file = arena_printf(mem, "%s%s", label, names[i]).ptr;
		struct json groups, group;
		struct json_iter it;
		struct str key;
		struct error e = { 0 };

		if (!str_ends(str_from(names[i]), STR(".json"))) {
			run_dir(s, path, arena_printf(mem, "%s/", file).ptr, true);
			continue;
		}
		if (json_read(mem, read_file(mem, path), &groups, &e)) {
			count(is_optional ? &s->optional : &s->mandatory, false, is_optional, file,
			      STR("file"), STR("reads"), e.message);
			continue;
		}

		struct tally before = s->optional;

		it = json_iter(groups);
		while (json_next(&it, &key, &group))
			run_group(s, file, is_optional, group);
		if (s->optional.failed > before.failed)
			printf("# %s: %zu passed, %zu failed\n", file,
			       s->optional.passed - before.passed,
			       s->optional.failed - before.failed);
	}
}

/* False when a mandatory test failed. */
static bool run_draft(const char *root, const char *draft, const char *metaschemas)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct suite s = { .known = schema_set_new(), .is_draft7 = strcmp(draft, "draft7") == 0 };

	add_metaschemas(s.known, metaschemas);
	add_remotes(s.known, join(mem, root, "remotes"), "http://localhost:1234/");
	printf("# %s of %s\n", draft, root);
	run_dir(&s, arena_printf(mem, "%s/tests/%s", root, draft).ptr, "", false);
	schema_set_free(s.known);
	printf("# optional %s: %zu passed, %zu failed\n", draft, s.optional.passed,
	       s.optional.failed);
	printf("schema suite%s: %zu passed, %zu failed\n", s.is_draft7 ? " (draft 07)" : "",
	       s.mandatory.passed, s.mandatory.failed);
	return !s.mandatory.failed && s.mandatory.passed;
}

int main(int argc, char **argv)
{
	const char *roots[] = {
		argc > 2 ? argv[2] : "",
		"/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance",
		"/usr/share/json-schema-test-suite",
	};
	static const char *const drafts[] = { "draft2020-12", "draft7" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool ok = true, has_newest = false;

	if (argc < 2) {
		fprintf(stderr, "usage: schema_suite METASCHEMA_DIR [SUITE_DIR]\n");
		return 2;
	}
	for (size_t d = 0; d < COUNT_OF(drafts); d++) {
		bool is_found = false;

		for (size_t i = 0; i < COUNT_OF(roots) && !is_found; i++) {
			if (!exists(arena_printf(mem, "%s/tests/%s", roots[i], drafts[d]).ptr))
				continue;
			is_found = true;
			has_newest |= d == 0;
			ok &= run_draft(roots[i], drafts[d], argv[1]);
		}
		if (!is_found)
			printf("# %s: no suite is installed that has it\n", drafts[d]);
	}
	if (!ok)
		return 1;
	return has_newest ? 0 : 77;
}
