/*
 * What a server says about itself, without the values that its settings give it.
 *
 * Only the words of this server lose them: a value such as "production" is no
 * secret elsewhere, and which values are secrets is not known.
 */
#include "mcp/mcp_redact.h"

#include "base/buf.h"
#include "mcp/mcp_int.h"
#include "text/redact.h"

/* A path is no secret, and neither is a short word. */
static bool may_be_secret(struct str value)
{
	return value.len >= SCRUB_KNOWN_MIN && !redact_is_path(value);
}

static size_t longest(size_t best, struct str value, struct str text)
{
	return value.len > best && str_starts(text, value) && may_be_secret(value) ? value.len
	                                                                           : best;
}

/* A whole value, and each line of one that has several: output is cut and printed by lines. */
static size_t longest_line(size_t best, struct str value, struct str text)
{
	struct str rest = value;

	best = longest(best, value, text);
	while (str_is(rest) && str_find_char(value, '\n') >= 0)
		best = longest(best, str_trim(str_cut(&rest, '\n')), text);
	return best;
}

/* "Bearer abc" as a whole, and what follows the scheme. */
static size_t longest_header(size_t best, struct str value, struct str text)
{
	struct str rest = value;

	str_cut(&rest, ' ');
	best = longest(best, value, text);
	return str_is(rest) ? longest(best, rest, text) : best;
}

/* How many bytes at the beginning of the text are a value of the settings; 0: none. */
static size_t value_at(const struct mcp_config *c, struct str text)
{
	size_t best = 0;

	for (size_t i = 0; i < c->env.count; i++) {
		struct str value = c->env.at[i];

		str_cut(&value, '=');
		best = longest_line(best, value, text);
	}
	for (size_t i = 0; i < c->header_count; i++)
		best = longest_header(best, c->headers[i].value, text);
	return longest(best, c->oauth.client.secret, text);
}

struct str mcp_redact(const struct mcp_server *s, struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct scrub *scrub = s->set->o.scrub;

	while (text.len) {
		size_t len = value_at(&s->c, text);

		if (len)
			buf_add_str(&out, STR(SCRUB_MARK));
		else
			buf_add_char(&out, text.ptr[0]);
		text = str_skip(text, len ? len : 1);
	}
	text = arena_keep(mem, buf_str(&out));
	return scrub ? redact_text(scrub, mem, text, NULL) : text;
}
