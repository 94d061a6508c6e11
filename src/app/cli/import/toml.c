/*
 * A small reader of TOML: text ──► tree ──► JSON text ──► struct json.
 *
 * The tree is needed because tables may be extended later in the file.  Lists
 * of members are short, so members are found by walking.
 */
#include "app/cli/import/toml.h"

#include "base/jw.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum node_kind { NODE_TABLE, NODE_ARRAY, NODE_STRING, NODE_RAW };

struct node {
	enum node_kind kind;
	struct str key, text; /* text: of a string, or JSON as it is written */
	struct node *first, *last, *next;
	bool is_closed;    /* an inline table or a plain array: cannot be extended */
	bool is_defined;   /* by a header of its own */
	bool is_of_tables; /* an array that [[headers]] extend */
};

struct toml {
	struct arena *mem;
	struct str rest;
	size_t line, nodes;
	struct node *root, *table;
	struct error *e;
	bool failed;
};

static void toml_fail(struct toml *t, const char *what)
{
	if (!t->failed)
		(void)fail(t->e, ERR_INVALID, "line %zu: %s", t->line, what);
	t->failed = true;
}

/* ---- the tree ---- */

static struct node *new_node(struct toml *t, enum node_kind kind, struct str key)
{
	struct node *n = ARENA_NEW(t->mem, struct node);

	n->kind = kind;
	n->key = key;
	if (++t->nodes > TOML_NODES_MAX)
		toml_fail(t, "there are too many values");
	return n;
}

static void add_node(struct node *to, struct node *n)
{
	if (to->last)
		to->last->next = n;
	else
		to->first = n;
	to->last = n;
}

static struct node *find_node(const struct node *in, struct str key)
{
	for (struct node *n = in->first; n; n = n->next)
		if (str_eq(n->key, key))
			return n;
	return NULL;
}

/* ---- characters ---- */

static char peek(const struct toml *t)
{
	return t->rest.len ? t->rest.ptr[0] : 0;
}

static void skip(struct toml *t, size_t count)
{
	for (size_t i = 0; i < count && i < t->rest.len; i++)
		t->line += t->rest.ptr[i] == '\n';
	t->rest = str_skip(t->rest, count);
}

static bool take(struct toml *t, const char *text)
{
	if (!str_starts(t->rest, str_from(text)))
		return false;
	skip(t, strlen(text));
	return true;
}

static void skip_blanks(struct toml *t)
{
	while (t->rest.len && (peek(t) == ' ' || peek(t) == '\t'))
		skip(t, 1);
}

static void skip_comment(struct toml *t)
{
	if (peek(t) == '#')
		while (t->rest.len && peek(t) != '\n')
			skip(t, 1);
}

/* Between values of an array. */
static void skip_lines(struct toml *t)
{
	for (;;) {
		skip_blanks(t);
		skip_comment(t);
		if (!t->rest.len || (peek(t) != '\n' && peek(t) != '\r'))
			return;
		skip(t, 1);
	}
}

static void end_line(struct toml *t)
{
	skip_blanks(t);
	skip_comment(t);
	if (take(t, "\r\n") || take(t, "\n") || !t->rest.len || t->failed)
		return;
	toml_fail(t, "there is more text behind the value");
}

/* ---- strings ---- */

static void add_code(struct toml *t, struct buf *out, size_t digits)
{
	uint32_t code = 0;
	char bytes[4];
	size_t len = 0;

	for (size_t i = 0; i < digits; i++, skip(t, 1)) {
		char c = peek(t);
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0 || code > 0x10ffff) {
			toml_fail(t, "an escape has no code");
			return;
		}
		code = code * 16 + (uint32_t)digit;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
		toml_fail(t, "an escape has no character");
		return;
	}
	if (code < 0x80) {
		bytes[len++] = (char)code;
	} else if (code < 0x800) {
		bytes[len++] = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		bytes[len++] = (char)(0xe0 | code >> 12);
		bytes[len++] = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		bytes[len++] = (char)(0xf0 | code >> 18);
		bytes[len++] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[len++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		bytes[len++] = (char)(0x80 | (code & 0x3f));
	buf_add(out, bytes, len);
}

static void add_escape(struct toml *t, struct buf *out, bool is_long)
{
	static const char from[] = "btnfre\"\\", to[] = "\b\t\n\f\r\x1b\"\\";
	const char *known = peek(t) ? strchr(from, peek(t)) : NULL;

	if (known) {
		buf_add_char(out, to[known - from]);
		skip(t, 1);
	} else if (take(t, "u")) {
		add_code(t, out, 4);
	} else if (take(t, "U")) {
		add_code(t, out, 8);
	} else if (is_long && (peek(t) == '\n' || peek(t) == '\r' || peek(t) == ' ')) {
		while (t->rest.len && strchr(" \t\r\n", peek(t)))
			skip(t, 1);
	} else {
		toml_fail(t, "an escape is not known");
	}
}

/* After the opening quotes. */
static struct str read_string(struct toml *t, const char *end, bool has_escapes)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	bool is_long = strlen(end) == 3;

	if (is_long && !take(t, "\r\n"))
		(void)take(t, "\n");
	while (!t->failed) {
		if (!t->rest.len || (!is_long && peek(t) == '\n')) {
			toml_fail(t, "a string has no end");
			break;
		}
		if (take(t, end)) {
			/* Up to two quotes may stand before the closing ones. */
			for (int i = 0; is_long && i < 2 && peek(t) == end[0]; i++) {
				buf_add_char(&out, end[0]);
				skip(t, 1);
			}
			break;
		}
		if (has_escapes && take(t, "\\")) {
			add_escape(t, &out, is_long);
			continue;
		}
		buf_add_char(&out, peek(t));
		skip(t, 1);
	}
	return arena_keep(t->mem, buf_str(&out));
}

static bool read_quoted(struct toml *t, bool may_be_long, struct str *ret)
{
	if (may_be_long && take(t, "\"\"\""))
		*ret = read_string(t, "\"\"\"", true);
	else if (may_be_long && take(t, "'''"))
		*ret = read_string(t, "'''", false);
	else if (take(t, "\""))
		*ret = read_string(t, "\"", true);
	else if (take(t, "'"))
		*ret = read_string(t, "'", false);
	else
		return false;
	return true;
}

/* ---- keys ---- */

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static struct str read_key(struct toml *t)
{
	size_t len = 0;
	struct str key;

	skip_blanks(t);
	if (read_quoted(t, false, &key))
		return key;
	while (len < t->rest.len && is_bare(t->rest.ptr[len]))
		len++;
	key = arena_keep(t->mem, str_head(t->rest, len));
	if (!len)
		toml_fail(t, "a key is wanted");
	skip(t, len);
	return key;
}

/* The table of this name, made if needed; of an array of tables the newest one. */
static struct node *enter(struct toml *t, struct node *in, struct str key)
{
	struct node *n = find_node(in, key);

	if (!n) {
		n = new_node(t, NODE_TABLE, key);
		add_node(in, n);
	}
	if (n->kind == NODE_ARRAY && n->is_of_tables && n->last)
		n = n->last;
	if (n->kind != NODE_TABLE || n->is_closed)
		toml_fail(t, "a key is used for two things");
	return n;
}

/* All parts of a dotted key but the last. */
static struct node *read_path(struct toml *t, struct node *in, struct str *ret_last)
{
	for (int depth = 0; !t->failed; depth++) {
		*ret_last = read_key(t);
		skip_blanks(t);
		if (t->failed || !take(t, "."))
			break;
		in = enter(t, in, *ret_last);
		if (depth == TOML_DEPTH_MAX)
			toml_fail(t, "a key has too many parts");
	}
	return in;
}

/* ---- values ---- */

static struct node *read_value(struct toml *t, struct str key, int depth);

static void read_pair(struct toml *t, struct node *in, int depth)
{
	struct str key = STR_NONE;
	struct node *at = read_path(t, in, &key);

	if (t->failed)
		return;
	if (!take(t, "="))
		toml_fail(t, "= is wanted");
	else if (find_node(at, key))
		toml_fail(t, "a key is defined twice");
	else
		add_node(at, read_value(t, key, depth));
}

static struct node *read_array(struct toml *t, struct str key, int depth)
{
	struct node *n = new_node(t, NODE_ARRAY, key);

	n->is_closed = true;
	for (skip_lines(t); !t->failed && !take(t, "]"); skip_lines(t)) {
		add_node(n, read_value(t, STR_NONE, depth + 1));
		skip_lines(t);
		if (!take(t, ",") && peek(t) != ']')
			toml_fail(t, "an array has no end");
	}
	return n;
}

static struct node *read_inline(struct toml *t, struct str key, int depth)
{
	struct node *n = new_node(t, NODE_TABLE, key);

	for (skip_lines(t); !t->failed && !take(t, "}"); skip_lines(t)) {
		read_pair(t, n, depth + 1);
		skip_lines(t);
		if (!take(t, ",") && peek(t) != '}')
			toml_fail(t, "an inline table has no end");
	}
	n->is_closed = true;
	return n;
}

/* A number as JSON; anything else that looks like one (a date, inf) is a string. */
static struct node *read_plain(struct toml *t, struct str key)
{
	struct node *n = new_node(t, NODE_STRING, key);
	size_t len = 0, used = 0;
	char digits[64];
	struct json v;

	while (len < t->rest.len && !strchr(" \t\r\n,]}#", t->rest.ptr[len]))
		len++;
	n->text = arena_keep(t->mem, str_head(t->rest, len));
	skip(t, len);
	if (!len || (!strchr("+-0123456789", n->text.ptr[0]) && !str_eq(n->text, STR("inf")) &&
	             !str_eq(n->text, STR("nan"))))
		toml_fail(t, "a value is wanted");
	for (size_t i = n->text.len && n->text.ptr[0] == '+'; i < n->text.len; i++)
		if (n->text.ptr[i] != '_' && used < sizeof digits)
			digits[used++] = n->text.ptr[i];
	if (used < sizeof digits && json_read(t->mem, str_of(digits, used), &v, NULL) == OK) {
		n->kind = NODE_RAW;
		n->text = json_text(t->mem, v);
	}
	return n;
}

static struct node *read_value(struct toml *t, struct str key, int depth)
{
	struct node *n;
	struct str text;

	skip_blanks(t);
	if (depth > TOML_DEPTH_MAX) {
		toml_fail(t, "values are nested too deeply");
		return new_node(t, NODE_STRING, key);
	}
	if (read_quoted(t, true, &text)) {
		n = new_node(t, NODE_STRING, key);
		n->text = text;
		return n;
	}
	if (take(t, "["))
		return read_array(t, key, depth);
	if (take(t, "{"))
		return read_inline(t, key, depth);
	if (str_starts(t->rest, STR("true")) || str_starts(t->rest, STR("false"))) {
		n = new_node(t, NODE_RAW, key);
		n->text = peek(t) == 't' ? STR("true") : STR("false");
		skip(t, n->text.len);
		return n;
	}
	return read_plain(t, key);
}

/* ---- lines ---- */

static void read_table_list(struct toml *t)
{
	struct str key = STR_NONE;
	struct node *in = read_path(t, t->root, &key), *list;

	if (!t->failed && !take(t, "]]"))
		toml_fail(t, "]] is wanted");
	if (t->failed)
		return;
	list = find_node(in, key);
	if (!list) {
		list = new_node(t, NODE_ARRAY, key);
		list->is_of_tables = true;
		add_node(in, list);
	}
	if (!list->is_of_tables) {
		toml_fail(t, "a key is used for two things");
		return;
	}
	t->table = new_node(t, NODE_TABLE, STR_NONE);
	add_node(list, t->table);
}

static void read_table(struct toml *t)
{
	struct str key = STR_NONE;
	struct node *in = read_path(t, t->root, &key);

	if (!t->failed && !take(t, "]"))
		toml_fail(t, "] is wanted");
	if (t->failed)
		return;
	t->table = enter(t, in, key);
	if (t->table->is_defined)
		toml_fail(t, "a table is defined twice");
	t->table->is_defined = true;
}

static void read_line(struct toml *t)
{
	skip_lines(t);
	if (!t->rest.len)
		return;
	if (take(t, "[["))
		read_table_list(t);
	else if (take(t, "["))
		read_table(t);
	else
		read_pair(t, t->table, 0);
	end_line(t);
}

/* ---- as JSON ---- */

static void write_node(struct json_writer *w, const struct node *n)
{
	if (n->kind == NODE_STRING) {
		jw_str(w, n->text);
		return;
	}
	if (n->kind == NODE_RAW) {
		jw_raw(w, n->text);
		return;
	}
	n->kind == NODE_TABLE ? jw_obj(w) : jw_arr(w);
	for (const struct node *m = n->first; m; m = m->next) {
		if (n->kind == NODE_TABLE)
			jw_key(w, m->key);
		write_node(w, m);
	}
	n->kind == NODE_TABLE ? jw_obj_end(w) : jw_arr_end(w);
}

static unsigned depth_of(const struct node *n)
{
	unsigned most = 0;

	for (const struct node *m = n->first; m; m = m->next)
		most = MAX(most, depth_of(m));
	return most + 1;
}

enum err toml_read(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct toml t = { .mem = mem, .rest = text, .line = 1, .e = e };
	struct json_writer w;

	if (text.len > TOML_BYTES_MAX)
		return fail(e, ERR_TOO_LARGE, "the file has more than %u bytes", TOML_BYTES_MAX);
	if (!utf8_is_valid(text) || memchr(text.len ? text.ptr : "", 0, text.len))
		return fail(e, ERR_INVALID, "the file is no text in UTF-8");
	(void)take(&t, "\xef\xbb\xbf");
	t.root = t.table = new_node(&t, NODE_TABLE, STR_NONE);
	while (!t.failed && t.rest.len)
		read_line(&t);
	if (!t.failed && depth_of(t.root) > TOML_DEPTH_MAX)
		toml_fail(&t, "tables are nested too deeply");
	if (t.failed)
		return ERR_INVALID;
	jw_init(&w, &out);
	write_node(&w, t.root);
	return json_read_trusted(mem, buf_str(&out), ret, e);
}
