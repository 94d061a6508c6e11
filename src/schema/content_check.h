#ifndef SCHEMA_CONTENT_CHECK_H
#define SCHEMA_CONTENT_CHECK_H
/*
 * Checks the bytes of a file against what was declared about them: a media
 * type, a JSON Schema, a size, a hash.
 *
 * A media type that is not declared follows from the file's name, for the
 * few names that leave no doubt.  What is declared and cannot be checked here
 * (a schema that lies elsewhere, JSON beyond the reader's depth) is listed as
 * unchecked, and the state is then never "passed".
 */
#include "base/arena.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/str.h"

#define CONTENT_CHECK_MESSAGES 4  /* the issues told in words; all are counted */
#define CONTENT_CHECK_ISSUES 1000 /* counted; a schema's check stops there */

enum content_check_state {
	CONTENT_CHECK_NOT_APPLICABLE, /* nothing was declared that could be checked */
	CONTENT_CHECK_PASSED,
	CONTENT_CHECK_FAILED,
	CONTENT_CHECK_UNCHECKED, /* something was declared that was not checked */
};

struct content_declared {
	struct str name;       /* of the file, with or without its directory */
	struct str media_type; /* absent: by its name */
	struct str schema;     /* text of a JSON Schema; absent: none */
	bool has_other_schema; /* one is named that cannot be had */
	struct str sha256;     /* hexadecimal; absent: not declared */
	int64_t size;
	bool has_size;
};

struct content_check {
	enum content_check_state state;
	struct str media_type; /* absent: not known */
	int64_t issues;
	struct str messages[CONTENT_CHECK_MESSAGES];
	size_t message_count;
	bool checked_utf8, checked_json, checked_schema, checked_size, checked_hash;
	bool left_json, left_schema; /* declared and not checked */
};

/* By the ending of a name; absent: the name does not say. */
struct str content_check_media_type(struct str name);

/*
 * Of a JSON document, the value of "$schema" when it is a path relative to
 * the file.  *ret_is_elsewhere: it names a schema that is no such path.
 */
struct str content_check_schema_path(struct arena *mem, struct str content, bool *ret_is_elsewhere);

void content_check(struct arena *mem, struct str content, const struct content_declared *is,
                   struct content_check *ret);

/* The record artifact_validation. */
void content_check_write(struct json_writer *w, const struct content_check *c);

#endif
