/* Fills the arguments of the user into the text of a command. */
#include "text/command_text.h"

#include "base/buf.h"

#define WORDS_MAX 9

struct words {
	struct str at[WORDS_MAX];
	size_t count;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* A quote that nothing closes is an ordinary character: "it's". */
static struct str word_cut(struct str *rest)
{
	char quote = rest->ptr[0] == '"' || rest->ptr[0] == '\'' ? rest->ptr[0] : 0;
	ptrdiff_t end = quote ? str_find_char(str_skip(*rest, 1), quote) : -1;
	struct str word;
	size_t len = 0;

	if (end >= 0) {
		word = str_of(rest->ptr + 1, (size_t)end);
		*rest = str_skip(*rest, (size_t)end + 2);
		return word;
	}
	while (len < rest->len && !is_blank(rest->ptr[len]))
		len++;
	word = str_head(*rest, len);
	*rest = str_skip(*rest, len);
	return word;
}

static void split(struct str text, struct words *ret)
{
	while (ret->count < WORDS_MAX) {
		while (text.len && is_blank(text.ptr[0]))
			text = str_skip(text, 1);
		if (!text.len)
			return;
		ret->at[ret->count++] = word_cut(&text);
	}
}

/* The length of the placeholder that s begins with, 0 if it begins with none. */
static size_t placeholder(struct str s, const struct words *w, struct str arguments,
                          struct str *ret)
{
	struct str all = STR("$ARGUMENTS");
	size_t n;

	if (str_starts(s, all)) {
		*ret = arguments;
		return all.len;
	}
	if (s.len < 2 || s.ptr[1] < '1' || s.ptr[1] > '9' ||
	    (s.len > 2 && s.ptr[2] >= '0' && s.ptr[2] <= '9'))
		return 0;
	n = (size_t)(s.ptr[1] - '1');
	*ret = n < w->count ? w->at[n] : STR("");
	return 2;
}

struct str command_text_expand(struct arena *mem, struct str body, struct str arguments)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct words w = { 0 };
	bool is_used = false;
	ptrdiff_t at;

	arguments = str_trim(arguments);
	split(arguments, &w);
	while ((at = str_find_char(body, '$')) >= 0) {
		struct str value = STR("$");
		size_t len = placeholder(str_skip(body, (size_t)at), &w, arguments, &value);

		buf_add_str(&out, str_head(body, (size_t)at));
		buf_add_str(&out, value);
		is_used = is_used || len;
		body = str_skip(body, (size_t)at + (len ? len : 1));
	}
	buf_add_str(&out, body);
	if (!is_used && arguments.len) {
		while (out.len && is_blank(out.ptr[out.len - 1]))
			out.len--;
		buf_printf(&out, "\n\n%.*s", STR_ARG(arguments));
	}
	return str_trim(arena_keep(mem, buf_str(&out)));
}
