#ifndef MCP_OFFER_MCP_ROWS_H
#define MCP_OFFER_MCP_ROWS_H
/*
 * Rows of the lists that a tool server offers besides tools: resources, templates of resources and
 * prompts.  Pure: texts in, texts out.  A server is not trusted: everything is cut to a bound, and
 * a row that could not be named by a person is left out.
 */
#include "base/err.h"
#include "base/json.h"

enum mcp_rows_kind { MCP_ROWS_RESOURCES, MCP_ROWS_TEMPLATES, MCP_ROWS_PROMPTS, MCP_ROWS_KINDS };

#define MCP_ROWS_ARGUMENTS_MAX 16

struct mcp_argument {
	struct str name, description;
	bool is_required;
};

struct mcp_row {
	struct str id;                        /* uri, uriTemplate, or the name of a prompt */
	struct str title;                     /* for people; the name if there is no title */
	struct str description;               /* or empty */
	struct str media_type;                /* or absent */
	int64_t size;                         /* bytes; -1: not said */
	const struct mcp_argument *arguments; /* of a prompt */
	size_t argument_count;
};

/* The method that returns the list, and the member that holds it. */
struct str mcp_rows_method(enum mcp_rows_kind kind);
struct str mcp_rows_member(enum mcp_rows_kind kind);
/* ERR_INVALID: it cannot be offered.  Strings live in mem. */
enum err mcp_rows_read(struct arena *mem, enum mcp_rows_kind kind, struct json v,
                       struct mcp_row *ret, struct error *e) MUST_USE;
/* Bytes of its texts, which the limit of a list counts. */
size_t mcp_rows_bytes(const struct mcp_row *r);

/* ---- prompts ---- */

/* What a person may write behind the command: <name> [other]. */
struct str mcp_rows_hint(struct arena *mem, const struct mcp_row *prompt);
/*
 * The params of prompts/get.  Words are assigned to the arguments in order, or by name=word; the
 * last argument takes the rest.  ERR_INVALID names a required argument that is missing.
 */
enum err mcp_rows_write_get(struct arena *mem, const struct mcp_row *prompt, struct str text,
                            struct str *ret, struct error *e) MUST_USE;
/* The messages of a prompt as one text for the model. */
void mcp_rows_prompt_text(struct buf *out, struct json messages);

#endif
