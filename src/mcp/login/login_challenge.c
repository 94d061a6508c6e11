/* Reads WWW-Authenticate.  The text comes from a server that is not trusted: every step is bounded by it. */
#include "mcp/login/login_challenge.h"

#include "base/buf.h"

#include <strings.h>

#define VALUE_MAX 2048 /* a longer value counts as absent */

static bool is_token_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && memchr("!#$%&'*+-.^_`|~", c, 15));
}

static struct str skip_blanks(struct str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s = str_skip(s, 1);
	return s;
}

static struct str take_token(struct str *s)
{
	size_t n = 0;
	struct str token;

	while (n < s->len && is_token_char(s->ptr[n]))
		n++;
	token = str_head(*s, n);
	*s = str_skip(*s, n);
	return token;
}

/* A text in quotes; false: it has no end. */
static bool take_quoted(struct arena *mem, struct str *s, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 1; i < s->len; i++) {
		if (s->ptr[i] == '"') {
			*ret = arena_keep(mem, buf_str(&out));
			*s = str_skip(*s, i + 1);
			return true;
		}
		if (s->ptr[i] == '\\' && i + 1 < s->len)
			i++;
		buf_add_char(&out, s->ptr[i]);
	}
	return false;
}

/*
 * The form of a challenge that is one text (token68) such as "Negotiate YII=".  True: it was
 * skipped.
 */
static bool skip_token68(struct str *s)
{
	struct str rest = *s;

	while (rest.len && (is_token_char(rest.ptr[0]) || rest.ptr[0] == '/'))
		rest = str_skip(rest, 1);
	if (rest.ptr == s->ptr)
		return false;
	while (rest.len && rest.ptr[0] == '=')
		rest = str_skip(rest, 1);
	rest = skip_blanks(rest);
	if (rest.len && rest.ptr[0] != ',')
		return false;
	*s = rest;
	return true;
}

static bool is_word(struct str s, const char *word)
{
	return s.len == strlen(word) && !strncasecmp(s.ptr, word, s.len);
}

static void note_param(struct login_challenge *c, struct str name, struct str value)
{
	struct str *at = is_word(name, "resource_metadata") ? &c->resource_metadata
	                 : is_word(name, "scope")           ? &c->scope
	                 : is_word(name, "error")           ? &c->error
	                                                    : NULL;

	if (at && !str_is(*at) && value.len <= VALUE_MAX)
		*at = value;
}

/* The value behind "=": a token or a text in quotes. */
static bool take_value(struct arena *mem, struct str *s, struct str *ret)
{
	*s = skip_blanks(str_skip(*s, 1));
	if (s->len && s->ptr[0] == '"')
		return take_quoted(mem, s, ret);
	*ret = arena_keep(mem, take_token(s));
	return ret->len > 0;
}

void login_challenge_read(struct arena *mem, struct str header, struct login_challenge *ret)
{
	struct str rest = header, name, value;
	bool is_ours = false;

	*ret = (struct login_challenge){ .is_bearer = false };
	while (rest.len) {
		rest = skip_blanks(rest);
		if (rest.len && rest.ptr[0] == ',') {
			rest = str_skip(rest, 1);
			continue;
		}
		name = take_token(&rest);
		rest = skip_blanks(rest);
		if (!name.len)
			return;
		if (rest.len && rest.ptr[0] == '=') {
			if (!take_value(mem, &rest, &value))
				return;
			if (is_ours)
				note_param(ret, name, value);
			continue;
		}
		is_ours = is_word(name, "bearer") && !ret->is_bearer;
		ret->is_bearer |= is_ours;
		skip_token68(&rest);
	}
}

bool login_challenge_wants_scope(const struct login_challenge *c)
{
	return c->is_bearer && str_is(c->error) && str_eq(c->error, STR("insufficient_scope"));
}
