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

static bool is_blank_between(struct str text, size_t from, size_t to)
{
	while (from < to && is_blank(text.ptr[from]))
		from++;
	return from >= to;
}

/* As the first line of the text ends. */
static void add_line(struct buf *out, struct str text)
{
	ptrdiff_t at = str_find_char(text, '\n');

	buf_add_c(out, at > 0 && text.ptr[at - 1] == '\r' ? "\r\n" : "\n");
}

/* An object on one line stays on it, unless there is nothing in it. */
static void add_gap(struct arena *mem, struct buf *out, struct str text, const struct place *p)
{
	if (!is_blank_between(text, p->open + 1, p->close) && !has_line(text, p->open, p->close)) {
		buf_add_char(out, ' ');
		return;
	}
	add_line(out, text);
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

/* A comma at the end of the others is their style, and the new member gets one too. */
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
	if (p->last_comma)
		buf_add_char(&out, ',');
	if (is_blank_between(text, p->open + 1, p->close)) {
		add_line(&out, text);
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

/* Is the end of this line, at its '\n', that of a comment?  from: behind the member before it. */
static bool ends_comment(struct str text, size_t from, size_t at)
{
	struct scan c = { .s = text, .at = from };

	while (c.at < at) {
		bool is_line = str_starts(str_skip(text, c.at), STR("//"));

		if (!skip_comment(&c))
			c.at++;
		else if (is_line && c.at == at)
			return true;
	}
	return false;
}

static size_t skip_spaces(struct str text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

static bool ends_line(struct str text, size_t at)
{
	return at < text.len && (text.ptr[at] == '\n' || text.ptr[at] == '\r');
}

/*
 * Where the blanks before the member begin that are removed with it: those of its own line, and the
 * end of the line before, unless that ends a comment and something else follows the member.
 */
static size_t blanks_before(struct str text, const struct place *p, size_t to)
{
	size_t begin = p->comma_before ? p->comma_before + 1 : p->open + 1, at = p->key;

	while (at > begin && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t'))
		at--;
	if (at == begin || text.ptr[at - 1] != '\n')
		return at;
	if (!ends_line(text, skip_spaces(text, to)) && ends_comment(text, begin, at - 1))
		return p->key;
	at--;
	return at > begin && text.ptr[at - 1] == '\r' ? at - 1 : at;
}

/* The member with its line and one comma.  Comments are the user's, those behind it too. */
static struct str cut(struct arena *mem, struct str text, const struct place *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t from = p->key, to = p->end, rest;
	size_t comma = p->behind ? p->behind - 1 : p->comma_before;

	if (p->behind && is_blank_between(text, to, comma))
		to = p->behind, comma = 0;
	rest = skip_spaces(text, to);
	if (rest < text.len && text.ptr[rest] == '/')
		to = rest;
	else
		from = blanks_before(text, p, to);
	if (from == p->key)
		to = rest;
	add_part(&out, text, 0, comma && comma < from ? comma : from);
	if (comma && comma < from)
		add_part(&out, text, comma + 1, from);
	add_part(&out, text, to, comma > to ? comma : text.len);
	if (comma > to)
		add_part(&out, text, comma + 1, text.len);
	return arena_keep(mem, buf_str(&out));
}

struct str config_text_remove(struct arena *mem, struct str text, const struct str path[],
                              size_t depth)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct place p = { 0 };

	for (size_t i = 0; i < depth; i++)
		if (!find_place(mem, text, p.value, path[i], &p) || !p.key)
			return STR_NONE;
	if (!is_alone(text, &p))
		return cut(mem, text, &p);
	add_part(&out, text, 0, p.open + 1);
	add_part(&out, text, p.close, text.len);
	return arena_keep(mem, buf_str(&out));
}
