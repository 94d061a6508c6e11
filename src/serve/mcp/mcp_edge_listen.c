/* A stream of changes: which of the named resources are others now. */
#include "serve/mcp/mcp_op.h"

#define TOGETHER_MS 100 /* changes within this time are one */

static void on_flush(struct loop_timer *t)
{
	struct mcp_op *o = OWNER_OF(t, struct mcp_op, patience);

	for (size_t i = 0; i < o->uri_count; i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		if (!o->has_changed[i])
			continue;
		o->has_changed[i] = false;
		mcp_serve_reply_updated(&out, &o->in, o->uris[i]);
		mcp_op_add(o, buf_str(&out));
	}
	mcp_op_flush(o);
}

bool mcp_edge_listen_concerns(struct str uri, struct json event)
{
	struct str session_id, of_session;
	enum mcp_serve_uri kind;

	if (!mcp_serve_id_read_uri(uri, &kind, &session_id, &of_session) ||
	    !str_eq(json_str(JSON_GET(event, "sessionId")), session_id))
		return false;
	return kind == MCP_SERVE_URI_SESSION ||
	       str_eq(json_str(JSON_GET(event, "threadId")), of_session);
}

static void on_event(struct mcp_op *o, struct json event)
{
	bool is_any = false;

	for (size_t i = 0; i < o->uri_count; i++)
		if (mcp_edge_listen_concerns(o->uris[i], event))
			is_any = o->has_changed[i] = true;
	if (is_any && !loop_timer_is_running(&o->patience))
		loop_timer_start(o->edge->serve->loop, &o->patience, TOGETHER_MS, on_flush);
}

static void on_end(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static bool has_uri(const struct mcp_op *o, struct str uri)
{
	for (size_t i = 0; i < o->uri_count; i++)
		if (str_eq(o->uris[i], uri))
			return true;
	return false;
}

/*
 * Resources of this server alone; outputs do not change.  Others are left out of the answer.  False:
 * there are too many.
 */
static bool read_uris(struct mcp_op *o, struct json list)
{
	struct json_iter it = json_iter(list);
	struct str key, session_id, of_session;
	enum mcp_serve_uri kind;
	struct json value;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &value)) {
		if (!mcp_serve_id_read_uri(json_str(value), &kind, &session_id, &of_session) ||
		    kind == MCP_SERVE_URI_OUTPUT || has_uri(o, json_str(value)))
			continue;
		if (o->uri_count == MCP_OP_URIS_MAX)
			return false;
		o->uris[o->uri_count++] = json_str(value);
	}
	return true;
}

static const struct mcp_op_listener listener = { .event = on_event, .end = on_end };

void mcp_edge_listen(struct mcp_op *o)
{
	struct json wanted = JSON_GET(o->in.params, "notifications");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (json_type(wanted) != JSON_OBJ || !mcp_op_takes_stream(o)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            json_type(wanted) != JSON_OBJ
		                    ? STR("params.notifications is missing.")
		                    : STR("Accept has to list text/event-stream."));
		return;
	}
	if (!read_uris(o, JSON_GET(wanted, "resourceSubscriptions"))) {
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("resourceSubscriptions has at most 64 addresses."));
		return;
	}
	o->listener = &listener;
	mcp_op_begin_stream(o);
	mcp_serve_reply_listening(&out, &o->in, o->uris, o->uri_count);
	mcp_op_add(o, buf_str(&out));
	mcp_op_flush(o);
	turn_op_listen(&o->op);
}
