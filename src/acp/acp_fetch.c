/*
 * Reads stored outputs in parts.  A part of 3 n bytes has base64 without padding, so that the parts of a binary
 * output can be joined as text.
 */
#include "acp/acp_parts.h"

#include <stdio.h>

#define PART_BYTES (3 * 65536)

void acp_fetch_begin(struct acp_reading *r)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(r->t->id));
	JW_KSTR(&p.w, "outputRef", str_from(r->ref));
	JW_KINT(&p.w, "offset", r->offset);
	JW_KINT(&p.w, "length", PART_BYTES);
	c = acp_peer_call(r->t->s, ACP_CALL_READ, "get_output", &p);
	c->thread = r->t;
	c->reading = r;
}

void acp_fetch_stop(struct acp_reading *r)
{
	LIST_EACH (&r->t->s->calls, node) {
		struct acp_open_call *c = LIST_ITEM(node, struct acp_open_call, node);

		if (c->reading == r)
			c->reading = NULL;
	}
	buf_done(&r->text);
}

/* True: the bytes fit what is wanted, text or base64. */
static bool add_part(struct acp_reading *r, struct json reply)
{
	struct str part =
		json_str(r->is_base64 ? JSON_GET(reply, "base64") : JSON_GET(reply, "text"));

	if (!str_is(part))
		return false;
	buf_add_str(&r->text, part);
	return true;
}

void acp_fetch_replied(const struct acp_open_call *c, bool is_ok, struct json reply)
{
	struct acp_reading *r = c->reading;
	int64_t bytes = json_int(JSON_GET(reply, "bytes"), 0);

	if (!r)
		return;
	if (!is_ok || !add_part(r, reply)) {
		r->done(r, false);
		return;
	}
	if (json_bool(JSON_GET(reply, "eof"), true) || r->offset < 0 || bytes <= 0 ||
	    r->text.len >= r->max) {
		r->done(r, true);
		return;
	}
	r->offset = json_int(JSON_GET(reply, "offset"), r->offset) + bytes;
	acp_fetch_begin(r);
}
