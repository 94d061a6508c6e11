/* Reads the head of a Markdown file. */
#include "text/front_matter.h"

#include "base/buf.h"

static struct str line_cut(struct str *rest)
{
	struct str line = str_cut(rest, '\n');

	return str_ends(line, STR("\r")) ? str_head(line, line.len - 1) : line;
}

static bool is_mark(struct str line)
{
	return str_eq(str_trim(line), STR("---")) && str_starts(line, STR("---"));
}

void front_matter_split(struct str text, struct front_matter *ret)
{
	struct str rest = str_starts(text, STR("\xef\xbb\xbf")) ? str_skip(text, 3) : text;
	const char *from;

	*ret = (struct front_matter){ .head = STR(""), .body = rest };
	if (!is_mark(line_cut(&rest)))
		return;
	from = rest.ptr;
	ret->is_open = true;
	while (str_is(rest)) {
		const char *at = rest.ptr;

		if (!is_mark(line_cut(&rest)))
			continue;
		ret->is_open = false;
		ret->head = str_of(from, (size_t)(at - from));
		ret->body = str_is(rest) ? rest : STR("");
		return;
	}
}

/* ---- values ---- */

static size_t indent_of(struct str line)
{
	size_t len = 0;

	while (len < line.len && (line.ptr[len] == ' ' || line.ptr[len] == '\t'))
		len++;
	return len;
}

static struct str unquoted(struct str s)
{
	bool is_quoted =
		s.len > 1 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0];

	return is_quoted ? str_of(s.ptr + 1, s.len - 2) : s;
}

/* "\"" and "\\" of a value in double quotes; other escapes stay as they are written. */
static struct str scalar(struct arena *mem, struct str s)
{
	struct str inner = unquoted(s);
	char *out;
	size_t len = 0;

	if (inner.ptr == s.ptr || s.ptr[0] != '"')
		return inner;
	out = arena_alloc(mem, inner.len + 1);
	for (size_t i = 0; i < inner.len; i++) {
		if (inner.ptr[i] == '\\' && i + 1 < inner.len && strchr("\"\\", inner.ptr[i + 1]))
			i++;
		out[len++] = inner.ptr[i];
	}
	out[len] = 0;
	return str_of(out, len);
}

static void add_item(struct buf *out, struct str item)
{
	item = unquoted(str_trim(item));
	if (!item.len)
		return;
	if (out->len)
		buf_add_c(out, ", ");
	buf_add_str(out, item);
}

/* "[a] [b]" is no list but a hint that was written without quotes. */
static bool is_flow_list(struct str s)
{
	return s.len > 1 && s.ptr[0] == '[' && str_find_char(s, ']') == (ptrdiff_t)s.len - 1;
}

/* The lines of a block or list below a key, which are indented or begin with "- ". */
static void add_block(struct buf *out, struct str rest, char style)
{
	while (str_is(rest)) {
		struct str line = line_cut(&rest), text = str_trim(line);
		bool is_item = !style && str_starts(text, STR("- "));

		if (text.len && !indent_of(line) && !is_item)
			return;
		if (is_item) {
			add_item(out, str_skip(text, 2));
			continue;
		}
		if (out->len && text.len)
			buf_add_char(out, style == '|' ? '\n' : ' ');
		buf_add_str(out, text);
	}
}

static bool is_key(struct str line, const char *key, struct str *ret_value)
{
	struct str name = str_from(key);

	if (!str_starts(line, name) || line.len == name.len || line.ptr[name.len] != ':')
		return false;
	*ret_value = str_trim(str_skip(line, name.len + 1));
	return true;
}

/* The value on the line of the key; ret_rest: the lines behind it.  Absent: there is no such key. */
static struct str find_value(const struct front_matter *f, const char *key, struct str *ret_rest)
{
	struct str value = STR_NONE;

	*ret_rest = f->head;
	while (str_is(*ret_rest) && !str_is(value))
		if (!is_key(line_cut(ret_rest), key, &value))
			value = STR_NONE;
	return value;
}

struct str front_matter_get_line(struct arena *mem, const struct front_matter *f, const char *key)
{
	struct str rest, value = find_value(f, key, &rest);

	return str_is(value) ? arena_keep(mem, scalar(mem, value)) : STR_NONE;
}

struct str front_matter_get(struct arena *mem, const struct front_matter *f, const char *key)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str rest, value = find_value(f, key, &rest);

	if (!str_is(value))
		return STR_NONE;
	if (is_flow_list(value)) {
		value = str_of(value.ptr + 1, value.len - 2);
		while (str_is(value))
			add_item(&out, str_cut(&value, ','));
	} else if (!value.len || value.ptr[0] == '>' || (value.ptr[0] == '|' && value.len <= 3)) {
		add_block(&out, rest, value.len ? value.ptr[0] : 0);
	} else {
		return arena_keep(mem, scalar(mem, value));
	}
	return arena_keep(mem, buf_str(&out));
}

/* ---- items ---- */

static bool is_between(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n';
}

bool front_matter_next_item(struct str *rest, struct str *ret)
{
	size_t len = 0, depth = 0;

	while (rest->len && is_between(rest->ptr[0]))
		*rest = str_skip(*rest, 1);
	while (len < rest->len && (depth || !is_between(rest->ptr[len]))) {
		depth += rest->ptr[len] == '(';
		depth -= depth && rest->ptr[len] == ')';
		len++;
	}
	*ret = unquoted(str_head(*rest, len));
	*rest = str_skip(*rest, len);
	return len > 0;
}
