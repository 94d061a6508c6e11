/*
 * Fills templates such as {{input}}, and cuts a reply into the pieces in which
 * it is delivered.
 */
#include "provider/scripted/scripted_parts.h"

#include "base/jw.h"
#include "base/utf8.h"

#include <inttypes.h>

/* ---- templates ---- */

static bool ends_name(char c)
{
	return c == '{' || c == '}' || c == '\n';
}

/*
 * Cuts text at its first template: what stands before it is returned, name
 * is what stands between the braces, text becomes what follows.  Without one
 * everything is returned, and name and text become absent.
 */
static struct str cut_template(struct str *text, struct str *ret_name)
{
	struct str whole = *text;

	for (size_t from = 0;;) {
		ptrdiff_t open = str_find(str_skip(whole, from), STR("{{"));

		if (open < 0)
			break;

		size_t begin = from + (size_t)open + 2;
		size_t end = begin;

		while (end < whole.len && !ends_name(whole.ptr[end]))
			end++;
		if (end > begin && str_starts(str_skip(whole, end), STR("}}"))) {
			*ret_name = str_of(whole.ptr + begin, end - begin);
			*text = str_skip(whole, end + 2);
			return str_head(whole, begin - 2);
		}
		from = begin - 1; /* "{{{input}}" has its template one further on */
	}
	*ret_name = STR_NONE;
	*text = STR_NONE;
	return whole;
}

static bool is_known(struct str name, unsigned allowed)
{
	if (allowed & VAR_MODEL && (str_eq(name, STR("input")) || str_eq(name, STR("turn")) ||
	                            str_eq(name, STR("toolResult"))))
		return true;
	if (allowed & VAR_NUMBER && str_eq(name, STR("n")))
		return true;
	return allowed & VAR_ARGS && str_starts(name, STR("args.")) && name.len > 5;
}

/* Checked when the script is read, so that expanding cannot fail. */
bool scripted_text_is_known(struct str text, unsigned allowed, struct str *ret_unknown)
{
	struct str name;

	for (;;) {
		cut_template(&text, &name);
		if (!str_is(name))
			return true;
		if (!is_known(name, allowed)) {
			*ret_unknown = str_of(name.ptr - 2, name.len + 4);
			return false;
		}
	}
}

static void expand_arg(struct buf *out, struct json args, struct str name)
{
	struct json v = json_get(args, name);
	struct json_writer w;

	if (json_type(v) == JSON_STR) {
		buf_add_str(out, json_str(v));
	} else if (json_is(v)) {
		jw_init(&w, out);
		jw_value(&w, v);
	}
}

/* Everything else is args.NAME: scripted_text_is_known() has refused other names. */
static void expand_one(struct buf *out, struct str name, const struct script_vars *vars)
{
	if (str_eq(name, STR("input")))
		buf_add_str(out, vars->input);
	else if (str_eq(name, STR("toolResult")))
		buf_add_str(out, vars->tool_result);
	else if (str_eq(name, STR("turn")))
		buf_printf(out, "%" PRIu32, vars->turn);
	else if (str_eq(name, STR("n")))
		buf_printf(out, "%" PRId64, vars->n);
	else
		expand_arg(out, vars->args, str_skip(name, 5));
}

void scripted_text_expand(struct buf *out, struct str text, const struct script_vars *vars)
{
	while (str_is(text)) {
		struct str name;

		buf_add_str(out, cut_template(&text, &name));
		if (str_is(name))
			expand_one(out, name, vars);
	}
}

/* ---- pieces ---- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A word and the space behind it. */
static size_t word_len(struct str s)
{
	size_t i = 0;

	while (i < s.len && !is_space(s.ptr[i]))
		i++;
	while (i < s.len && is_space(s.ptr[i]))
		i++;
	return i;
}

static size_t chars_len(struct str s, size_t count)
{
	size_t i = 0;

	while (i < s.len && count--) {
		size_t len = utf8_read(str_skip(s, i), NULL);

		i += MAX(len, 1);
	}
	return i;
}

static void put(struct script_pieces *p, struct str item, const struct script_vars *vars)
{
	buf_clear(&p->now);
	if (p->text->is_literal)
		buf_add_str(&p->now, item);
	else
		scripted_text_expand(&p->now, item, vars);
}

/* Cuts after words or after `chunk` characters, never inside a character. */
static bool next_of_whole(struct script_pieces *p, const struct script_vars *vars, struct str *ret)
{
	if (!p->is_begun)
		put(p, p->text->items[0], vars);
	p->is_begun = true;

	struct str rest = str_skip(buf_str(&p->now), p->at);

	if (!rest.len)
		return false;

	size_t len = p->chunk ? chars_len(rest, p->chunk) : word_len(rest);

	*ret = utf8_head(str_head(rest, len), SCRIPT_PIECE_MAX);
	p->at += ret->len;
	return true;
}

static bool next_item(struct script_pieces *p, struct script_vars *vars, struct str *ret)
{
	const struct script_text *t = p->text;
	bool is_list = t->kind == TEXT_PIECES;

	if (p->at >= (is_list ? t->count : (size_t)t->times))
		return false;
	vars->n = (int64_t)++p->at;
	put(p, t->items[is_list ? p->at - 1 : 0], vars);
	*ret = buf_str(&p->now);
	return true;
}

bool scripted_text_next_piece(struct script_pieces *p, struct script_vars *vars, struct str *ret)
{
	switch (p->text->kind) {
	case TEXT_NONE:
		return false;
	case TEXT_WHOLE:
		return next_of_whole(p, vars, ret);
	case TEXT_PIECES:
	case TEXT_REPEAT:
		break;
	}
	/* what expands to nothing is no piece */
	while (next_item(p, vars, ret))
		if (ret->len)
			return true;
	return false;
}

void scripted_text_pieces_done(struct script_pieces *p)
{
	buf_done(&p->now);
}
