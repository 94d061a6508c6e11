#ifndef PROVIDER_SCRIPTED_READ_H
#define PROVIDER_SCRIPTED_READ_H
/*
 * How a script is read.  Every object of the format is a table of its keys;
 * a key has a reader and a place.  What a table does not have is an error,
 * and errors name their place: "rules[2].when.turn: expected ..., found ...".
 */
#include "provider/scripted/scripted_parts.h"

struct script_reader {
	struct arena *mem;
	struct error *e;
	char path[160]; /* of what is being read; depth and keys are bounded by the tables */
	size_t path_len;
	size_t times_count;
};

struct script_key {
	const char *name;
	enum err (*read)(struct script_reader *r, struct json v, const struct script_key *k,
	                 void *into);
	size_t at;                /* into + at is where it goes */
	int64_t min, max;         /* of a number, of a string's bytes, of a list's items */
	const char *const *words; /* the only strings allowed, when given */
	unsigned vars;            /* templates allowed in it; 0: it has none */
};

#define AT(type, member) offsetof(struct type, member)
#define KEY(n, reader, where, ...)                                                                 \
	{                                                                                          \
		.name = n, .read = reader, .at = where, ##__VA_ARGS__                              \
	}

#define SCRIPT_DAY_MS ((int64_t)24 * 3600 * 1000)
#define SCRIPT_COUNT_MAX 1000000
#define SCRIPT_TOKENS_MAX 1000000000

/* ---- what is wrong ---- */

const char *scripted_read_place(const struct script_reader *r);
enum err scripted_read_wrong(struct script_reader *r, struct json v, const char *expected);
enum err scripted_read_bad(struct script_reader *r, const char *what);

/* ---- walking ---- */

/* A table ends with an empty row. */
enum err scripted_read_members(struct script_reader *r, struct json v,
                               const struct script_key *keys, void *into);
/* Items of item_size bytes each, read by `read` with k passed on. */
enum err scripted_read_items(struct script_reader *r, struct json v, const struct script_key *k,
                             size_t item_size,
                             enum err (*read)(struct script_reader *r, struct json v,
                                              const struct script_key *k, void *into),
                             void **ret_items, size_t *ret_count);

/* ---- values: what `into` points at stands behind each ---- */

#define READER(name)                                                                               \
	enum err name(struct script_reader *r, struct json v, const struct script_key *k,          \
	              void *into)

READER(scripted_read_bool);         /* bool */
READER(scripted_read_int);          /* int64_t */
READER(scripted_read_str);          /* struct str */
READER(scripted_read_name);         /* struct str: letters, digits, _ . - */
READER(scripted_read_category);     /* struct str: a word of enum error_category */
READER(scripted_read_words);        /* struct str: the JSON text of a list of words */
READER(scripted_read_json);         /* struct str: JSON text of any value */
READER(scripted_read_object);       /* struct str: JSON text of an object */
READER(scripted_read_pieces);       /* struct script_text: a list */
READER(scripted_read_reply_text);   /* struct script_text: string, list, or {repeat, count} */
READER(scripted_read_result_text);  /* struct script_text: string, or {repeat, bytes} */
READER(scripted_rule_read_rules);   /* struct script */
READER(scripted_rule_read_default); /* struct script_reply * */
READER(scripted_tool_read_tools);   /* struct script */

bool scripted_read_is_whole(struct json v, int64_t *ret);

#endif
