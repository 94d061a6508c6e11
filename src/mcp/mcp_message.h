#ifndef MCP_MCP_MESSAGE_H
#define MCP_MCP_MESSAGE_H
/*
 * The words of the Model Context Protocol, as a client writes and reads them.
 * Pure: texts in, texts out.
 *
 * Two generations are spoken.  Up to 2025-11-25 a conversation begins with
 * initialize and its capabilities hold until it ends.  Since 2026-07-28 there
 * is no beginning: every request says in _meta which version and which
 * capabilities it was made with, and server/discover tells what a server can
 * do.  What differs is written here; mcp_protocol.h keeps the order.
 */
#include "base/json.h"
#include "base/hash/sha256.h"

enum mcp_version {
	MCP_VERSION_NONE,
	MCP_2025_11_25, /* and its elders, whose tools are the same */
	MCP_2026_07_28,
};

struct str mcp_message_version_text(enum mcp_version v);
/* MCP_VERSION_NONE: one that we do not speak. */
enum mcp_version mcp_message_version_read(struct str text);

#define MCP_UNSUPPORTED_VERSION -32022

struct mcp_client {
	struct str name, version; /* of this program */
	struct str root;          /* the workspace, absolute; absent: no roots are told */
};

/* ---- params, without line break ---- */

/* The value of params for a request that has nothing else to say. */
void mcp_message_write_plain(struct buf *out, enum mcp_version v, const struct mcp_client *c);
void mcp_message_write_initialize(struct buf *out, const struct mcp_client *c);
void mcp_message_write_list(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            struct str cursor);
void mcp_message_write_listen(struct buf *out, const struct mcp_client *c);
struct mcp_call_text {
	struct str tool, args;       /* args: JSON of an object */
	int64_t token;               /* for progress */
	struct str responses, state; /* of a call that is made again with what was asked; absent */
};
void mcp_message_write_call(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            const struct mcp_call_text *call);
void mcp_message_write_cancelled(struct buf *out, int64_t id, struct str reason);
void mcp_message_write_roots(struct buf *out, const struct mcp_client *c);
/* action: accept, decline, cancel; content goes with accept. */
void mcp_message_write_elicited(struct buf *out, struct str action, struct str content);

/* ---- tools ---- */

struct mcp_tool {
	struct str name, description;
	struct str input_schema;  /* of a kind that compiles */
	struct str output_schema; /* the same, or absent: of its structured results */
	struct str annotations;   /* JSON, or absent: what the server says of itself */
	bool is_destructive;      /* a hint to be careful is taken */
	struct sha256 hash;       /* of the definition as it came */
};

/*
 * Reads one definition.  ERR_INVALID: it cannot be offered; the others of its
 * list can.  Strings live in mem.
 */
enum err mcp_message_read_tool(struct arena *mem, struct json v, struct mcp_tool *ret,
                               struct error *e) MUST_USE;

/* ---- results ---- */

/* What a result says, as text for people and models; binary parts are named, not shown. */
void mcp_message_content_text(struct buf *out, struct json content);

#endif
