/*
 * A scanner that finds where members of objects begin and end, and cuts and
 * pastes there.  The reader of JSON has checked the text; the scanner stays
 * inside it whatever it holds.
 */
#include "app/cli/config/config_text.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/jw.h"

struct scan {
	struct arena *mem;
	struct str s;
	size_t at;
};

/* Where one member of an object is, or where one can be added. */
struct place {
	size_t open, close;     /* the braces */
	size_t first;           /* the first key; 0: the object is empty */
	size_t last_end;        /* of the last value */
	size_t last_comma;      /* behind it; 0: none */
	size_t key, value, end; /* of the member; key 0: it is not there */
	size_t comma_before,
		behind; /* of the member: the comma, 0: none; behind its own comma, or 0 */
};

/* ---- scanning ---- */

static char look(const struct scan *c)
{
	return c->at < c->s.len ? c->s.ptr[c->at] : 0;
}

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

static bool skip_comment(struct scan *c)
{
	struct str rest = str_skip(c->s, c->at);
	bool is_line = str_starts(rest, STR("//"));
	ptrdiff_t end;

	if (!is_line && !str_starts(rest, STR("/*")))
		return false;
	end = is_line ? str_find_char(rest, '\n') : str_find(str_skip(rest, 2), STR("*/"));
	c->at = end < 0 ? c->s.len : c->at + (size_t)end + (is_line ? 0 : 4);
	return true;
}

static void skip_blanks(struct scan *c)
{
	while (is_blank(look(c)) || skip_comment(c))
		c->at += is_blank(look(c));
}

static void skip_string(struct scan *c)
{
	for (c->at++; c->at < c->s.len && look(c) != '"'; c->at++)
		c->at += look(c) == '\\';
	c->at = MIN(c->at + 1, c->s.len);
}

/* A plain value ends where something else may begin. */
static void skip_plain(struct scan *c)
{
	while (c->at < c->s.len && !is_blank(look(c)) && !strchr(",]}/", look(c)))
		c->at++;
}

static void skip_value(struct scan *c)
{
	size_t depth = 0;

	do {
		char ch;

		skip_blanks(c);
		ch = look(c);
		if (ch == '"')
			skip_string(c);
		else if (ch && strchr("{[", ch))
			depth++, c->at++;
		else if (ch && strchr("}]", ch) && depth)
			depth--, c->at++;
		else if (depth && ch && strchr(",:/", ch))
			c->at++;
		else
			skip_plain(c);
	} while (depth && c->at < c->s.len);
}

/* The key at this place, in quotes; absent: it is none. */
static struct str read_key(struct scan *c)
{
	size_t from = c->at;
	struct json v;

	if (look(c) != '"')
		return STR_NONE;
	skip_string(c);
	if (json_read_trusted(c->mem, str_head(str_skip(c->s, from), c->at - from), &v, NULL) != OK)
		return STR_NONE;
	return json_str(v);
}

/* Reads a member; false: the object ends here. */
static bool next_member(struct scan *c, struct str name, struct place *p)
{
	size_t key, value;
	struct str found;

	skip_blanks(c);
	key = c->at;
	found = read_key(c);
	skip_blanks(c);
	if (!str_is(found) || look(c) != ':')
		return false;
	c->at++;
	skip_blanks(c);
	value = c->at;
	skip_value(c);
	if (!p->first)
		p->first = key;
	if (str_eq(found, name)) {
		p->key = key;
		p->value = value;
		p->end = c->at;
		p->comma_before = p->last_comma;
	}
	p->last_end = c->at;
	skip_blanks(c);
	p->last_comma = look(c) == ',' ? c->at++ : 0;
	if (p->key == key)
		p->behind = p->last_comma ? c->at : 0;
	return true;
}

/* at: the opening brace; false: there is no object. */
static bool find_place(struct arena *mem, struct str text, size_t at, struct str name,
                       struct place *ret)
{
	struct scan c = { .mem = mem, .s = text, .at = at };

	*ret = (struct place){ 0 };
	skip_blanks(&c);
	ret->open = c.at;
	if (look(&c) != '{')
		return false;
	c.at++;
	while (next_member(&c, name, ret))
		;
	ret->close = c.at;
	return look(&c) == '}';
}

/* ---- adding ---- */

/* The blanks that the line of this place begins with. */
static struct str indent_of(struct str text, size_t at)
{
	size_t from = at, len = 0;

	while (from && text.ptr[from - 1] != '\n')
		from--;
	while (from + len < at && (text.ptr[from + len] == ' ' || text.ptr[from + len] == '\t'))
		len++;
	return str_head(str_skip(text, from), len);
}

static bool has_line(struct str text, size_t from, size_t to)
{
	return from < to && memchr(text.ptr + from, '\n', to - from);
}

/* What a level is indented by: as the first member of the text, or two blanks. */
static struct str unit_of(struct arena *mem, struct str text)
{
	struct place p;

	if (find_place(mem, text, 0, STR(""), &p) && p.first && has_line(text, p.open, p.first) &&
	    indent_of(text, p.first).len)
		return indent_of(text, p.first);
	return STR("  ");
}

/* An object on one line stays on it, unless it is empty. */
static void add_gap(struct arena *mem, struct buf *out, struct str text, const struct place *p)
{
	if (p->first && !has_line(text, p->open, p->close)) {
		buf_add_char(out, ' ');
		return;
	}
	buf_add_char(out, '\n');
	if (p->first && has_line(text, p->open, p->first)) {
		buf_add_str(out, indent_of(text, p->first));
		return;
	}
	buf_add_str(out, indent_of(text, p->open));
	buf_add_str(out, unit_of(mem, text));
}

static void add_part(struct buf *out, struct str text, size_t from, size_t to)
{
	buf_add_str(out, str_head(str_skip(text, from), to - from));
}

static struct str insert(struct arena *mem, struct str text, const struct place *p, struct str name,
                         struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t tail = p->close, from = p->first ? p->last_end : p->open + 1;
	struct json_writer w;

	while (tail > from && is_blank(text.ptr[tail - 1]))
		tail--;
	add_part(&out, text, 0, from);
	if (p->first && !p->last_comma)
		buf_add_char(&out, ',');
	add_part(&out, text, from, tail);
	add_gap(mem, &out, text, p);
	jw_init(&w, &out);
	jw_str(&w, name);
	buf_add_c(&out, ": ");
	buf_add_str(&out, value);
	if (!p->first) {
		buf_add_char(&out, '\n');
		buf_add_str(&out, indent_of(text, p->open));
		tail = p->close;
	}
	add_part(&out, text, tail, text.len);
	return arena_keep(mem, buf_str(&out));
}

struct str config_text_add(struct arena *mem, struct str text, const struct str path[],
                           size_t depth, struct str value)
{
	struct place p = { 0 };

	for (size_t i = 0; i < depth; i++) {
		if (!find_place(mem, text, p.value, path[i], &p))
			return STR_NONE;
		if (i + 1 == depth)
			return p.key ? STR_NONE : insert(mem, text, &p, path[i], value);
		if (!p.key)
			return config_text_add(mem, insert(mem, text, &p, path[i], STR("{}")), path,
			                       depth, value);
	}
	return STR_NONE;
}

/* ---- removing ---- */

static bool is_alone(struct str text, const struct place *p)
{
	size_t from = p->open + 1, to = p->close;

	while (from < p->key && is_blank(text.ptr[from]))
		from++;
	while (to > p->end && (is_blank(text.ptr[to - 1]) || text.ptr[to - 1] == ','))
		to--;
	return from == p->key && to == p->end;
}

struct str config_text_remove(struct arena *mem, struct str text, const struct str path[],
                              size_t depth)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct place p = { 0 };
	size_t from, to;

	for (size_t i = 0; i < depth; i++)
		if (!find_place(mem, text, p.value, path[i], &p) || !p.key)
			return STR_NONE;
	from = p.behind || !p.comma_before ? p.key : p.comma_before;
	to = p.behind ? p.behind : p.end;
	while (p.behind && to < p.close && is_blank(text.ptr[to]))
		to++;
	if (is_alone(text, &p)) {
		from = p.open + 1;
		to = p.close;
	}
	add_part(&out, text, 0, from);
	add_part(&out, text, to, text.len);
	return arena_keep(mem, buf_str(&out));
}
