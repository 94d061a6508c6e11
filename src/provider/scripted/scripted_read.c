/*
 * Readers for the values of a script (numbers, strings, lists, objects by a
 * table of keys), and the errors that name the place of a mistake.
 */
#include "provider/scripted/scripted_read.h"

#include "base/utf8.h"
#include "catalog/gen/vocab.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- what is wrong ---- */

#define SHOWN 48 /* bytes of a value or key of theirs that a message repeats */

static void describe(struct json v, char out[SHOWN + 8])
{
	size_t size = SHOWN + 8;

	switch (json_type(v)) {
	case JSON_INT:
		snprintf(out, size, "%" PRId64, json_int(v, 0));
		return;
	case JSON_REAL:
		snprintf(out, size, "%g", json_real(v, 0));
		return;
	case JSON_BOOL:
		snprintf(out, size, "%s", json_bool(v, false) ? "true" : "false");
		return;
	case JSON_STR: {
		struct str s = utf8_head(json_str(v), SHOWN);

		snprintf(out, size, "\"%.*s\"", STR_ARG(s));
		return;
	}
	case JSON_ARR:
		snprintf(out, size, "a list");
		return;
	case JSON_OBJ:
		snprintf(out, size, "an object");
		return;
	case JSON_NULL:
		snprintf(out, size, "null");
		return;
	case JSON_NONE:
		snprintf(out, size, "nothing");
		return;
	case JSON_UINT:
		snprintf(out, size, "too large a number");
		return;
	}
}

const char *scripted_read_place(const struct script_reader *r)
{
	return r->path_len ? r->path : "the script";
}

enum err scripted_read_wrong(struct script_reader *r, struct json v, const char *expected)
{
	char found[SHOWN + 8];

	describe(v, found);
	return fail(r->e, ERR_INVALID, "%s: expected %s, found %s", scripted_read_place(r),
	            expected, found);
}

enum err scripted_read_bad(struct script_reader *r, const char *what)
{
	return fail(r->e, ERR_INVALID, "%s: %s", scripted_read_place(r), what);
}

static enum err unknown_key(struct script_reader *r, const struct script_key *keys, struct str name)
{
	CLEANUP(buf_done) struct buf known = { 0 };

	for (const struct script_key *k = keys; k->name; k++)
		buf_printf(&known, "%s%s", k == keys ? "" : ", ", k->name);
	name = utf8_head(name, SHOWN);
	return fail(r->e, ERR_INVALID, "%s: unknown key \"%.*s\"; known are %.*s",
	            scripted_read_place(r), STR_ARG(name), STR_ARG(buf_str(&known)));
}

/* ---- walking ---- */

/*
 * The path of the value that is being read, such as rules[2].when.text; returns the
 * length to go back to.  A path that is too long is cut, which affects messages only.
 */
static size_t enter_key(struct script_reader *r, const char *name)
{
	size_t mark = r->path_len;
	int len = snprintf(r->path + mark, sizeof r->path - mark, "%s%s", mark ? "." : "", name);

	r->path_len = MIN(mark + (size_t)len, sizeof r->path - 1);
	return mark;
}

static size_t enter_item(struct script_reader *r, size_t index)
{
	size_t mark = r->path_len;
	int len = snprintf(r->path + mark, sizeof r->path - mark, "[%zu]", index);

	r->path_len = MIN(mark + (size_t)len, sizeof r->path - 1);
	return mark;
}

static void leave(struct script_reader *r, size_t mark)
{
	r->path_len = mark;
	r->path[mark] = '\0';
}

static const struct script_key *find_key(const struct script_key *keys, struct str name)
{
	for (const struct script_key *k = keys; k->name; k++)
		if (str_eq(str_from(k->name), name))
			return k;
	return NULL;
}

/*
 * Keys in any order, each at most once: the JSON reader has refused duplicates.  After
 * an error the path stays where it is, because the message has used it.
 */
enum err scripted_read_members(struct script_reader *r, struct json v,
                               const struct script_key *keys, void *into)
{
	struct json_iter it = json_iter(v);
	struct str name;
	struct json member;

	if (json_type(v) != JSON_OBJ)
		return scripted_read_wrong(r, v, "an object");
	while (json_next(&it, &name, &member)) {
		const struct script_key *k = find_key(keys, name);

		if (!k)
			return unknown_key(r, keys, name);

		size_t mark = enter_key(r, k->name);
		enum err err = k->read(r, member, k, (char *)into + k->at);

		if (err)
			return err;
		leave(r, mark);
	}
	return OK;
}

/* min and max of the key are the bounds of the list's length. */
enum err scripted_read_items(struct script_reader *r, struct json v, const struct script_key *k,
                             size_t item_size,
                             enum err (*read)(struct script_reader *r, struct json v,
                                              const struct script_key *k, void *into),
                             void **ret_items, size_t *ret_count)
{
	struct json_iter it = json_iter(v);
	size_t count = json_count(v);
	char *items;
	struct str name;
	struct json item;

	if (json_type(v) != JSON_ARR)
		return scripted_read_wrong(r, v, "a list");
	if (count < (size_t)k->min || count > (size_t)k->max)
		return fail(r->e, ERR_INVALID,
		            "%s: expected %" PRId64 " to %" PRId64 " items, found %zu",
		            scripted_read_place(r), k->min, k->max, count);
	items = arena_alloc(r->mem, MAX(count, 1) * item_size);
	for (size_t i = 0; json_next(&it, &name, &item); i++) {
		size_t mark = enter_item(r, i);
		enum err err = read(r, item, k, items + i * item_size);

		if (err)
			return err;
		leave(r, mark);
	}
	*ret_items = items;
	*ret_count = count;
	return OK;
}

/* ---- plain values ---- */

enum err scripted_read_bool(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	(void)k;
	if (json_type(v) != JSON_BOOL)
		return scripted_read_wrong(r, v, "true or false");
	*(bool *)into = json_bool(v, false);
	return OK;
}

bool scripted_read_is_whole(struct json v, int64_t *ret)
{
	*ret = json_int(v, INT64_MIN);
	return *ret != INT64_MIN;
}

enum err scripted_read_int(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	int64_t n;
	char expected[80];

	snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, k->min,
	         k->max);
	if (!scripted_read_is_whole(v, &n) || n < k->min || n > k->max)
		return scripted_read_wrong(r, v, expected);
	*(int64_t *)into = n;
	return OK;
}

/*
 * An unknown template is an error and not text: a misspelled {{inptu}} would reach the
 * model's reply.
 */
static enum err check_templates(struct script_reader *r, struct str s, const struct script_key *k)
{
	struct str unknown;

	if (!k->vars || scripted_text_is_known(s, k->vars, &unknown))
		return OK;
	unknown = utf8_head(unknown, SHOWN);
	return fail(r->e, ERR_INVALID, "%s: unknown template %.*s; known are%s%s%s",
	            scripted_read_place(r), STR_ARG(unknown),
	            k->vars & VAR_MODEL ? " {{input}} {{turn}} {{toolResult}}" : "",
	            k->vars & VAR_ARGS ? " {{args.NAME}}" : "",
	            k->vars & VAR_NUMBER ? " {{n}}" : "");
}

static enum err check_word(struct script_reader *r, struct json v, const struct script_key *k)
{
	CLEANUP(buf_done) struct buf known = { 0 };

	for (const char *const *w = k->words; *w; w++) {
		if (str_eq(json_str(v), str_from(*w)))
			return OK;
		buf_printf(&known, "%s%s", w == k->words ? "one of " : ", ", *w);
	}
	buf_add_char(&known, '\0');
	return scripted_read_wrong(r, v, known.ptr);
}

/* min and max are bytes; a min of 1 forbids the empty string. */
enum err scripted_read_str(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct str s = json_str(v);
	enum err err = OK;

	if (!str_is(s))
		return scripted_read_wrong(r, v, "a string");
	if (s.len < (size_t)k->min)
		return scripted_read_bad(r, "expected a string that is not empty");
	if (k->max && s.len > (size_t)k->max)
		return fail(r->e, ERR_INVALID, "%s: expected at most %" PRId64 " bytes, found %zu",
		            scripted_read_place(r), k->max, s.len);
	if (k->words)
		err = check_word(r, v, k);
	if (!err)
		err = check_templates(r, s, k);
	if (!err)
		*(struct str *)into = s;
	return err;
}

static bool is_made_of(struct str s, const char *others)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		bool is_alnum =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!is_alnum && (!c || !strchr(others, c)))
			return false;
	}
	return s.len > 0;
}

enum err scripted_read_name(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	enum err err = scripted_read_str(r, v, k, into);

	if (!err && !is_made_of(json_str(v), "_.-"))
		return scripted_read_wrong(r, v, "letters, digits, _ . or -");
	return err;
}

static enum err read_word(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	enum err err = scripted_read_str(r, v, k, into);

	if (!err && !is_made_of(json_str(v), "_"))
		return scripted_read_wrong(r, v, "a word of letters, digits and _");
	return err;
}

enum err scripted_read_category(struct script_reader *r, struct json v, const struct script_key *k,
                                void *into)
{
	enum err err = scripted_read_str(r, v, k, into);

	if (!err && !rec_enum_read(&enum_error_category, json_str(v)))
		return scripted_read_wrong(r, v,
		                           "an error category such as rate_limited, server_error, "
		                           "network, content_filter or tool_failed");
	return err;
}

static enum err read_word_item(struct script_reader *r, struct json v, const struct script_key *k,
                               void *into)
{
	const struct script_key word = { .min = 1, .max = 64 };

	(void)k;
	return read_word(r, v, &word, into);
}

/* Kept as the text of a JSON array. */
enum err scripted_read_words(struct script_reader *r, struct json v, const struct script_key *k,
                             void *into)
{
	void *words = NULL;
	size_t count;
	enum err err =
		scripted_read_items(r, v, k, sizeof(struct str), read_word_item, &words, &count);

	if (!err)
		*(struct str *)into = json_text(r->mem, v);
	return err;
}

enum err scripted_read_json(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	(void)k;
	*(struct str *)into = json_text(r->mem, v);
	return OK;
}

enum err scripted_read_object(struct script_reader *r, struct json v, const struct script_key *k,
                              void *into)
{
	if (json_type(v) != JSON_OBJ)
		return scripted_read_wrong(r, v, "an object");
	return scripted_read_json(r, v, k, into);
}

/* ---- texts ---- */

static enum err read_piece(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	const struct script_key piece = { .vars = k->vars };

	return scripted_read_str(r, v, &piece, into);
}

/* keys[1] is the length of the repetition: count for a reply, bytes for a result. */
static enum err read_repeat(struct script_reader *r, struct json v, struct script_text *t,
                            const struct script_key *keys)
{
	enum err err;

	t->kind = TEXT_REPEAT;
	t->count = 1;
	t->items = ARENA_NEW(r->mem, struct str);
	err = scripted_read_members(r, v, keys, t);
	if (err)
		return err;
	if (!str_is(t->items[0]))
		return scripted_read_bad(r, "repeat is missing");
	if (!t->times && !t->bytes)
		return fail(r->e, ERR_INVALID, "%s: %s is missing", scripted_read_place(r),
		            keys[1].name);
	return OK;
}

static enum err read_unit(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	return scripted_read_str(r, v, k, ((struct script_text *)into)->items);
}

static const struct script_key repeat_count_keys[] = {
	KEY("repeat", read_unit, 0, .min = 1, .max = SCRIPT_UNIT_MAX,
	    .vars = VAR_MODEL | VAR_NUMBER),
	KEY("count", scripted_read_int, AT(script_text, times), .min = 1, .max = 1000000),
	{ 0 },
};

static const struct script_key repeat_bytes_keys[] = {
	KEY("repeat", read_unit, 0, .min = 1, .max = SCRIPT_UNIT_MAX, .vars = VAR_NUMBER),
	KEY("bytes", scripted_read_int, AT(script_text, bytes), .min = 1, .max = 1 << 30),
	{ 0 },
};

static enum err read_whole(struct script_reader *r, struct json v, const struct script_key *k,
                           struct script_text *t)
{
	t->kind = TEXT_WHOLE;
	t->count = 1;
	t->items = ARENA_NEW(r->mem, struct str);
	return read_piece(r, v, k, t->items);
}

enum err scripted_read_pieces(struct script_reader *r, struct json v, const struct script_key *k,
                              void *into)
{
	struct script_text *t = into;
	void *items = NULL;
	enum err err =
		scripted_read_items(r, v, k, sizeof(struct str), read_piece, &items, &t->count);

	if (err)
		return err;
	t->kind = TEXT_PIECES;
	t->items = items;
	return OK;
}

/* Of a reply: a string, a list of pieces, or something again and again. */
enum err scripted_read_reply_text(struct script_reader *r, struct json v,
                                  const struct script_key *k, void *into)
{
	switch (json_type(v)) {
	case JSON_STR:
		return read_whole(r, v, k, into);
	case JSON_ARR:
		return scripted_read_pieces(r, v, k, into);
	case JSON_OBJ:
		return read_repeat(r, v, into, repeat_count_keys);
	default:
		return scripted_read_wrong(
			r, v, "a string, a list of strings or {\"repeat\", \"count\"}");
	}
}

enum err scripted_read_result_text(struct script_reader *r, struct json v,
                                   const struct script_key *k, void *into)
{
	switch (json_type(v)) {
	case JSON_STR:
		return read_whole(r, v, k, into);
	case JSON_OBJ:
		return read_repeat(r, v, into, repeat_bytes_keys);
	default:
		return scripted_read_wrong(r, v, "a string or {\"repeat\", \"bytes\"}");
	}
}
