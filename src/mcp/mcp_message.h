#ifndef MCP_MCP_MESSAGE_H
#define MCP_MCP_MESSAGE_H
/*
 * Messages of the Model Context Protocol, as a client writes and reads them.
 * Pure: texts in, texts out.
 *
 * Two generations are supported.  Up to 2025-11-25 a conversation begins with
 * initialize, and its capabilities hold until it ends.  Since 2026-07-28 there
 * is no handshake: every request states version and capabilities in _meta, and
 * server/discover returns what a server can do.  This file handles the
 * differences in form; mcp_protocol.h handles the order.
 */
#include "base/hash/trace_context.h"
#include "base/json.h"
#include "base/hash/sha256.h"

struct tool_part;

enum mcp_version {
	MCP_VERSION_NONE,
	MCP_2025_11_25, /* and older ones with the same tools */
	MCP_2026_07_28,
};

struct str mcp_message_version_text(enum mcp_version v);
/* MCP_VERSION_NONE: not supported. */
enum mcp_version mcp_message_version_read(struct str text);

/* Errors that only a server of 2026-07-28 sends. */
#define MCP_HEADER_MISMATCH -32020
#define MCP_MISSING_CAPABILITY -32021
#define MCP_UNSUPPORTED_VERSION -32022

struct mcp_client {
	struct str name, version; /* of this program */
	struct str root;          /* the workspace, absolute; absent: no roots are sent */
	struct str log_level;     /* the least level of messages that are wanted; absent: none */
	bool has_sampling;        /* the model of a call's client may answer */
	bool has_models;          /* models of this runtime answer */
};

/* ---- params, without line break ---- */

/* The params of a request without other members. */
void mcp_message_write_plain(struct buf *out, enum mcp_version v, const struct mcp_client *c);
void mcp_message_write_initialize(struct buf *out, const struct mcp_client *c);
void mcp_message_write_list(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            struct str cursor);
/* What a subscription of 2026-07-28 reports. */
struct mcp_listen {
	bool tools, resources, prompts; /* changes of the lists */
	const struct str *uris;         /* resources */
	size_t uri_count;
};
void mcp_message_write_listen(struct buf *out, const struct mcp_client *c,
                              const struct mcp_listen *l);
struct mcp_call_text {
	struct str tool, args;       /* args: JSON of an object */
	struct str params;           /* of another method than tools/call; else absent */
	int64_t token;               /* for progress */
	struct str responses, state; /* of a repeated call with answers; else absent */
	struct trace_headers trace;  /* or absent */
	bool wants_task;             /* of 2025-11-25 */
	const struct rec_call_client
		*client; /* declares what that answers, and nothing else; or NULL */
};
void mcp_message_write_call(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            const struct mcp_call_text *call);
/* The params of a request with one text. */
void mcp_message_write_one(struct buf *out, struct str key, struct str value);
void mcp_message_write_cancelled(struct buf *out, int64_t id, struct str reason);
void mcp_message_write_roots(struct buf *out, const struct mcp_client *c);
/* action: accept, decline, cancel; content goes with accept. */
void mcp_message_write_elicited(struct buf *out, struct str action, struct str content);

/* ---- tools ---- */

struct mcp_tool {
	struct str name, description;
	struct str input_schema;     /* compiles */
	struct str output_schema;    /* the same, or absent: of its structured results */
	struct str annotations;      /* JSON: the server's own hints; or absent */
	bool takes_task, needs_task; /* of 2025-11-25: it may or must be called as a task */
	bool is_destructive;         /* only this hint is trusted, because it adds caution */
	struct sha256 hash;          /* of the definition as received */
};

/*
 * Reads one definition.  ERR_INVALID: it cannot be offered; the others of its
 * list can.  Strings live in mem.
 */
enum err mcp_message_read_tool(struct arena *mem, struct json v, struct mcp_tool *ret,
                               struct error *e) MUST_USE;

/* ---- results ---- */

/* A result as text for people and models; binary parts are named, not shown. */
void mcp_message_content_text(struct buf *out, struct json content);
/*
 * A list that is one binary part (an image, or a resource with a blob) as its bytes, and its media
 * type if it is an image that models take.  False: it is not, or is no base64.
 */
bool mcp_message_binary(struct buf *out, struct json content, struct str *ret_media_type);
/*
 * The binary parts of a result or of a resource's contents, at most LIMIT_RESULT_PARTS with
 * LIMIT_IMAGE_BYTES together; returns how many.  Further ones, and those that are no base64, are
 * only named in the text.
 */
size_t mcp_message_parts(struct arena *mem, struct json content, struct tool_part **ret);
/* The contents of a resource as text; binary ones are named. */
void mcp_message_resource_text(struct buf *out, struct json contents);
/* The same for one part. */
void mcp_message_part_text(struct buf *out, struct json part);

#endif
