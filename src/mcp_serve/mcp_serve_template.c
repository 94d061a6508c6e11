/*
 * Which template made an address.  The template is read part by part; after each the places in the
 * address are known that the parts so far can reach, so that no template takes long.
 */
#include "mcp_serve/mcp_serve_template.h"

#include <string.h>

#define VARIABLES_MAX 16

struct places {
	bool at[MCP_SERVE_TEMPLATE_MAX + 1];
};

/* The text itself.  False: it is nowhere where it could be. */
static bool match_text(struct places *p, struct str uri, struct str text)
{
	struct places next = { 0 };
	bool is_any = false;

	for (size_t i = 0; i + text.len <= uri.len; i++)
		if (p->at[i] && str_eq(str_of(uri.ptr + i, text.len), text))
			is_any = next.at[i + text.len] = true;
	*p = next;
	return is_any;
}

/* {a} is a part of a path; {+a} has any characters; others are optional, {?a} for example. */
static bool match_variable(struct places *p, struct str uri, struct str variable)
{
	char operator= variable.len ? variable.ptr[0] : 0;
	bool is_optional = operator&& strchr("#./;?&", operator), is_open = false, is_any = false;
	bool takes_all = is_optional || operator== '+';
	struct places next = { 0 };

	for (size_t i = 0; i <= uri.len; i++) {
		is_open = is_open && (takes_all || !strchr("/?#", uri.ptr[i - 1]));
		next.at[i] = is_open || (is_optional && p->at[i]);
		is_any |= next.at[i];
		is_open |= p->at[i];
	}
	*p = next;
	return is_any;
}

unsigned mcp_serve_template_match(struct str template, struct str uri)
{
	struct places p = { .at = { true } };
	unsigned exact = 1, variables = 0;

	if (template.len > MCP_SERVE_TEMPLATE_MAX || uri.len > MCP_SERVE_TEMPLATE_MAX)
		return 0;
	while (str_is(template) && template.len) {
		ptrdiff_t open = str_find_char(template, '{'), end;
		struct str text = open < 0 ? template : str_head(template, (size_t)open);

		if (text.len && !match_text(&p, uri, text))
			return 0;
		exact += (unsigned)text.len;
		if (open < 0)
			break;
		template = str_skip(template, (size_t)open + 1);
		end = str_find_char(template, '}');
		if (end < 0 || ++variables > VARIABLES_MAX ||
		    !match_variable(&p, uri, str_head(template, (size_t)end)))
			return 0;
		template = str_skip(template, (size_t)end + 1);
	}
	return p.at[uri.len] ? exact : 0;
}
