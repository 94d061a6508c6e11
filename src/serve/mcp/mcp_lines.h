#ifndef SERVE_MCP_LINES_H
#define SERVE_MCP_LINES_H
/*
 * An MCP client on stdin and stdout of `thole mcp serve`, which copies bytes to the Unix socket.
 * Its first line is MCP_LINES_PREFACE and the directory that the client works in, or nothing behind
 * it; every further line is a message.
 *
 * When its input ends, requests that are open are answered, and then the connection ends.
 */
#include "base/buf.h"
#include "base/list.h"
#include "mcp_serve/mcp_serve_request.h"
#include "net/stream.h"
#include "ports/control.h"
#include "serve/mcp/mcp_session.h"

#define MCP_LINES_PREFACE "MCP "

struct mcp_edge;

struct mcp_lines {
	struct list node; /* in edge->lines */
	struct mcp_edge *edge;
	struct stream *stream;
	struct caller caller;
	struct buf in;  /* a line that is not complete */
	struct buf cwd; /* empty: unknown */
	struct list ops;
	unsigned open;          /* how many */
	struct loop_timer soon; /* ends it outside of callbacks */
	bool has_preface, is_ended, is_paused, is_closing, is_cut;
	struct mcp_serve_can can; /* as the client said */
	struct mcp_session session;
};

void mcp_lines_open(struct mcp_edge *edge, struct stream *stream, const struct caller *caller);
void mcp_lines_close(struct mcp_lines *l);
/* Answers what is open, takes nothing more, and ends. */
void mcp_lines_drain(struct mcp_lines *l);

#endif
