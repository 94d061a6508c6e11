#ifndef MCP_OFFER_MCP_OFFERS_H
#define MCP_OFFER_MCP_OFFERS_H
/*
 * The resources, templates and prompts of one server: fetched page by page when the server is
 * ready and after each announced change, at most once a second.
 *
 *   mcp_offers_begin ──► fetching ──► kept ──► (changed) fetching ...
 *
 * A list that cannot be fetched keeps its earlier rows and never ends the server.  Rows stay when
 * the server ends, until the next list.
 */
#include "mcp/mcp_protocol.h"
#include "mcp/offer/mcp_ask.h"
#include "mcp/offer/mcp_resource.h"
#include "mcp/offer/mcp_rows.h"
#include "net/loop.h"

struct mcp_server;

struct mcp_offers_list {
	struct mcp_call call;
	struct mcp_server *server;
	enum mcp_rows_kind kind;
	struct loop_timer again, patience;
	int64_t fetched_at;
	bool is_stale; /* it changed while it was fetched */
	/* being fetched */
	struct arena *next_mem;
	struct mcp_row *next;
	size_t next_count, next_room, next_bytes, next_left_out, pages;
	/* kept */
	struct arena *mem;
	struct mcp_row *rows;
	size_t count, left_out;
};

struct mcp_offers {
	bool is_begun;      /* of this connection: the lists were asked for */
	bool has_resources; /* of the last connection */
	struct list asks;   /* struct mcp_ask: of people, outside of turns */
	size_t ask_count, watch_count;
	struct mcp_offers_list lists[MCP_ROWS_KINDS];
	/*
	 * Resources whose changes are followed: that were read, or that a client watches.  The
	 * oldest that is not watched is replaced.
	 */
	struct arena *followed_mem;
	struct str *followed;
	bool *is_changed;     /* since it was read */
	uint64_t *changed_at; /* the number of its last change; 0: none */
	int64_t *watched_until;
	uint64_t changes; /* of all of them so far */
	size_t followed_count;
	struct loop_timer subscribe; /* several reads cause one subscription */
	int64_t log_since;
	unsigned log_lines;
};

/* The server is ready: fetches what it offers. */
void mcp_offers_begin(struct mcp_server *s);
void mcp_offers_noted(struct mcp_server *s, enum mcp_note note, struct json params);
/* A resource was read: its changes are followed from now on. */
void mcp_offers_follow(struct mcp_server *s, struct str uri);
/* Whether it changed since it was read. */
bool mcp_offers_has_changed(const struct mcp_server *s, struct str uri);
/* A client watches them: all are followed for a while.  False: others are, as many as may be. */
bool mcp_offers_watch(struct mcp_server *s, struct json uris) MUST_USE;
/* Those that have changed after that number: {"uris", "after"}; false: none has. */
bool mcp_offers_changes(const struct mcp_server *s, struct json uris, uint64_t after,
                        struct buf *out);
/* The connection ends; rows stay. */
void mcp_offers_end(struct mcp_server *s);
void mcp_offers_free(struct mcp_server *s);
const struct mcp_row *mcp_offers_find(const struct mcp_server *s, enum mcp_rows_kind kind,
                                      struct str id);

#endif
