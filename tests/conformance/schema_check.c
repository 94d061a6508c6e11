/*
 * Validates events or snapshots against JSON Schemas.
 *
 *	schema_check SCHEMA event FILE.jsonl...
 *	schema_check SCHEMA snapshot FILE.json...
 *
 * SCHEMA is one schema (docs/reference/schemas/event.schema.json), or the
 * directory of the standard's schemas: then every line (or, of snapshots, the
 * whole file) is checked against the public schema and against the profile's.
 * Formats are asserted.  The profile refers to the public schemas under its own
 * address, where they do not say they are, so all are registered there too
 * (docs/rulings.md, GAP-01).
 *
 * Exit code 1: something is not valid; 2: it could not be looked at.
 */
#include "schema/schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PROFILE_BASE "https://limecloud.github.io/agentruntime/schemas/"

struct checker {
	struct schema *public, *profile; /* profile: NULL when there is one schema */
	struct arena *mem;
	size_t values, failures;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "schema_check: %s: %s\n", what, why);
	exit(2);
}

static void read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t got;

	buf_clear(out);
	if (!f)
		die(path, "cannot be opened");
	do {
		char *at = buf_reserve(out, 65536);

		got = fread(at, 1, 65536, f);
		out->len += got;
	} while (got);
	if (ferror(f))
		die(path, "cannot be read");
	fclose(f);
}

static void add_schemas(struct schema_set *set, struct arena *mem, const char *dir)
{
	DIR *d = opendir(dir);
	struct buf text = { 0 };

	if (!d)
		die(dir, "is no directory");
	for (struct dirent *ent; (ent = readdir(d));) {
		struct error e = { 0 };

		if (!str_ends(str_from(ent->d_name), STR(".json")))
			continue;
		read_file(arena_printf(mem, "%s/%s", dir, ent->d_name).ptr, &text);
		if (schema_set_add(set, STR_NONE, buf_str(&text), &e) ||
		    schema_set_add(set, arena_printf(mem, PROFILE_BASE "%s", ent->d_name),
		                   buf_str(&text), &e))
			die(ent->d_name, e.message);
	}
	closedir(d);
	buf_done(&text);
}

static struct schema *compile(const struct schema_set *set, struct str uri)
{
	struct schema_options options = { .assert_formats = true };
	struct schema *s;
	struct error e = { 0 };

	if (schema_compile(set, uri, &options, &s, &e))
		die(uri.ptr, e.message);
	return s;
}

/* One schema, under an address of ours. */
static void use_file(struct checker *c, struct schema_set *set, const char *path)
{
	struct buf text = { 0 };
	struct error e = { 0 };

	read_file(path, &text);
	if (schema_set_add(set, STR("urn:schema_check"), buf_str(&text), &e))
		die(path, e.message);
	c->public = compile(set, STR("urn:schema_check"));
	buf_done(&text);
}

static void use_directory(struct checker *c, struct schema_set *set, const char *dir, bool is_event)
{
	add_schemas(set, c->mem, dir);
	c->public = compile(set, is_event ? STR(PROFILE_BASE "agentruntime-event.schema.json")
	                                  : STR(PROFILE_BASE "agentruntime-snapshot.schema.json"));
	c->profile = compile(
		set, is_event ? STR(PROFILE_BASE "agentruntime-lime-profile-event.schema.json")
			      : STR(PROFILE_BASE "agentruntime-lime-profile-snapshot.schema.json"));
}

static void print_errors(const char *file, size_t line, const struct schema_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct schema_error e = r->errors[i];

		printf("%s:%zu: %.*s%s%.*s (%.*s)\n", file, line, STR_ARG(e.path),
		       e.path.len ? " " : "", STR_ARG(e.message), STR_ARG(e.location));
	}
}

static void check_text(struct checker *c, const char *file, size_t line, struct str text)
{
	struct schema_report public = { 0 }, profile = { 0 };
	struct json value;
	struct error e = { 0 };

	arena_reset(c->mem);
	public.mem = profile.mem = c->mem;
	c->values++;
	if (json_read(c->mem, text, &value, &e)) {
		printf("%s:%zu: %s\n", file, line, e.message);
		c->failures++;
		return;
	}

	bool is_public = schema_check(c->public, value, &public);
	bool is_profile = !c->profile || schema_check(c->profile, value, &profile);

	/* the profile includes the public schema and so repeats what that finds */
	if (!is_profile)
		print_errors(file, line, &profile);
	else if (!is_public)
		print_errors(file, line, &public);
	c->failures += !is_public || !is_profile;
}

static void check_lines(struct checker *c, const char *file, struct str text)
{
	for (size_t line = 1; str_is(text); line++) {
		struct str one = str_cut(&text, '\n');

		if (str_trim(one).len)
			check_text(c, file, line, one);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "";
	bool is_event = strcmp(kind, "event") == 0;
	struct checker c = { 0 };
	struct buf text = { 0 };
	struct stat st;

	if (argc < 4 || (!is_event && strcmp(kind, "snapshot") != 0)) {
		fprintf(stderr, "usage: schema_check SCHEMA event|snapshot FILE...\n");
		return 2;
	}

	struct schema_set *set = schema_set_new();

	c.mem = arena_new();
	if (stat(argv[1], &st) == 0 && S_ISDIR(st.st_mode))
		use_directory(&c, set, argv[1], is_event);
	else
		use_file(&c, set, argv[1]);
	for (int i = 3; i < argc; i++) {
		read_file(argv[i], &text);
		if (is_event)
			check_lines(&c, argv[i], buf_str(&text));
		else
			check_text(&c, argv[i], 1, buf_str(&text));
	}
	printf("%zu %ss, %zu not valid\n", c.values, kind, c.failures);
	buf_done(&text);
	schema_compile_free(c.public);
	schema_compile_free(c.profile);
	schema_set_free(set);
	arena_free(c.mem);
	return c.failures ? 1 : 0;
}
