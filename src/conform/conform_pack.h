#ifndef CONFORM_CONFORM_PACK_H
#define CONFORM_CONFORM_PACK_H
/*
 * A conformance pack in memory: rows of requirements, each with its checks
 * (docs/formats/conformance-pack.md describes the file).
 *
 * A pack is read for one run: each check holds its own findings and what it
 * remembers of the log.  Strings point into the arena of the pack.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "schema/schema.h"

/* ---- which events ---- */

struct event_condition {
	struct str place;
	struct json value; /* a value, or a list of which one is enough */
};

struct event_selector {
	struct str pattern; /* "turn.started", "turn.*" or "*" */
	bool is_not;        /* "!turn.started": leaves events out */
	struct event_condition *where;
	size_t where_count;
};

struct event_select {
	struct event_selector *items;
	size_t count;
};

/* ---- rows ---- */

enum check_kind {
	CHECK_LINE,
	CHECK_SCHEMA,
	CHECK_HAS,
	CHECK_EQUAL,
	CHECK_SAME,
	CHECK_DISTINCT,
	CHECK_UNIQUE,
	CHECK_RISES,
	CHECK_ORDER,
	CHECK_COUNT,
	CHECK_CLASSES,
	CHECK_ABSENT,
	CHECK_SCENARIO,
	CHECK_KINDS,
};

/* Where something was found.  Strings live as long as the pack. */
struct log_spot {
	struct str file, type, event_id;
	int64_t file_number, line, sequence;
	bool has_sequence;
};

struct names {
	struct str *items;
	size_t count;
};

struct check {
	enum check_kind kind;
	struct event_select on, opens, needs, closes, drops, reopens, final, forbids, ends, each;
	struct str object, id, within, per, of, rule, name;
	struct names members, drives;
	struct schema *schema;
	int64_t min, max, step, slack_ms;
	bool is_repeatable; /* "again" */

	/* the run */
	bool was_played;  /* a scenario ran to its end */
	int64_t seen;     /* events that it looked at */
	int64_t findings; /* all; the first one is kept */
	struct log_spot spot;
	struct str text;
	struct map known;  /* what the kind remembers of this log */
	int64_t latest;    /* of `rises`: the number of the event before, with any id */
	int64_t continued; /* the same: how often a new id began one above it */
};

struct row {
	struct str id, level, profile, clause, statement, show;
	bool is_optional, any_is_enough;
	struct check *checks;
	size_t check_count;
};

struct conform_pack {
	struct arena *mem; /* lives as long as the pack */
	struct arena *log; /* emptied before each file: what checks remember */
	struct json doc;
	struct schema_set *schemas;
	struct row *rows;
	size_t row_count;
};

/* ERR_INVALID names the row and the member that cannot be read. */
enum err conform_pack_read(struct str text, struct conform_pack **ret, struct error *e) MUST_USE;
void conform_pack_free(struct conform_pack *p); /* NULL is fine */
/* Whether the pack has a profile of this name. */
bool conform_pack_has(const struct conform_pack *p, struct str profile);

#endif
