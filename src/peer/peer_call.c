/*
 * One request to an agent.  A response is read whole, or item by item if it is a stream; each goes
 * through the fold of the remote task.  What follows is decided by peer_run_next().
 */
#include "base/gen/limits.h"
#include "peer/peer_int.h"

/* ---- what an agent says ---- */

static bool is_send(enum a2a_ask_kind k)
{
	return k == A2A_ASK_SEND || k == A2A_ASK_STREAM;
}

/* A message that was accepted: the first one, or an answer. */
static void message_arrived(struct peer_run *r)
{
	if (!is_send(r->asked))
		return;
	if (r->is_answering) {
		r->is_answering = r->has_answer = false;
		r->is_answered = true;
		r->action_id = r->answer_ref = STR_NONE;
		buf_done(&r->answer);
	}
	r->is_sent = true;
}

static void take_error(struct peer_run *r, const struct a2a_reply *reply)
{
	struct str why = reply->error.len ? reply->error : STR("It gives no reason");

	if (reply->fault != A2A_FAULT_AUTH && reply->fault != A2A_FAULT_LATER)
		peer_state_up(r);
	switch (reply->fault) {
	case A2A_FAULT_MISSING:
		/* Without a task this is the address of the interface itself. */
		if (!str_is(r->remote.task_id))
			peer_state_down(r, STR("There is no agent at the address of its card"));
		else if (a2a_remote_is_over(&r->remote))
			r->is_reconciled = true;
		else
			r->is_missing = true;
		return;
	case A2A_FAULT_UNSUPPORTED:
		r->no_subscribe = true;
		if (r->asked == A2A_ASK_STREAM)
			r->peer->agent.is_streaming = false;
		else if (r->asked != A2A_ASK_SUBSCRIBE)
			peer_state_fail(r, "protocol", why);
		return;
	case A2A_FAULT_AUTH:
		peer_state_down(r, STR("The agent refuses the credential"));
		return;
	case A2A_FAULT_REFUSED:
		/* A task that cannot be cancelled or followed has ended: its state says how. */
		if (r->asked != A2A_ASK_CANCEL && r->asked != A2A_ASK_SUBSCRIBE)
			peer_state_fail(r, "invalid_request", why);
		return;
	default:
		peer_state_down(r, why);
	}
}

static void count_held(struct peer_run *r)
{
	struct peer_set *s = r->peer->set;

	s->held -= r->held;
	r->held = arena_used(r->remote.stock);
	s->held += r->held;
}

/* False: all runs together hold too much, and this one gives up its artifacts until later. */
static bool has_room(struct peer_run *r)
{
	count_held(r);
	if (r->peer->set->held <= LIMIT_PEER_HELD_BYTES || !r->remote.artifact_count)
		return true;
	a2a_remote_drop_artifacts(&r->remote);
	count_held(r);
	return false;
}

static void take_reply(struct peer_run *r, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_reply reply;
	struct str why;

	if (r->is_gone)
		return;
	if (!a2a_reply_read(mem, r->peer->agent.binding, r->asked, r->status, text, &reply, &why)) {
		peer_state_down(r, why);
		return;
	}
	r->got_item = true;
	if (reply.kind == A2A_REPLY_ERROR) {
		take_error(r, &reply);
		return;
	}
	switch (a2a_remote_apply(&r->remote, &reply)) {
	case A2A_REMOTE_FOREIGN:
		peer_state_down(r, STR("The agent sent something about another task"));
		return;
	case A2A_REMOTE_CHANGED:
		r->wait_ms = 0;
		break;
	default:
		break;
	}
	if (r->remote.state != A2A_STATE_INPUT_REQUIRED &&
	    r->remote.state != A2A_STATE_AUTH_REQUIRED)
		r->is_answered = false;
	message_arrived(r);
	if (!has_room(r)) {
		peer_state_down(r,
		                STR("Artifacts of other agents take all memory that is for them"));
		return;
	}
	peer_state_up(r);
	if (r->asked == A2A_ASK_GET && a2a_remote_is_over(&r->remote))
		r->is_reconciled = true;
	r->wants_report = true;
}

/* ---- the response ---- */

/* A stream that lives by comments alone, or by a line without an end, says nothing of the task. */
static void on_quiet(struct loop_timer *t)
{
	struct peer_run *r = OWNER_OF(t, struct peer_run, quiet);
	bool got_item = r->got_item;

	peer_call_drop(r);
	if (!got_item)
		peer_state_down(r, STR("The agent's stream has no items"));
	peer_state_later(r, 0);
}

static void expect_item(struct peer_run *r)
{
	loop_timer_start(r->peer->set->o.loop, &r->quiet, r->peer->quiet_ms, on_quiet);
}

static void on_item(void *arg, const struct sse_message *m)
{
	struct peer_run *r = arg;

	if (!m->data.len)
		return;
	expect_item(r);
	take_reply(r, m->data);
}

static void on_head(void *owner, const struct http_client_head *h)
{
	struct peer_run *r = owner;
	struct str type = http_client_head_get(h, STR("content-type"));

	r->status = h->status;
	r->is_stream =
		h->status == 200 && str_is(type) && str_starts(type, STR("text/event-stream"));
}

static size_t on_body(void *owner, struct str bytes)
{
	struct peer_run *r = owner;

	if (!r->is_stream) {
		buf_add_str(&r->body, bytes);
		return bytes.len;
	}
	if (!sse_feed(&r->sse, bytes, on_item, r)) {
		peer_state_down(r, STR("An item of its stream is too large"));
		peer_call_drop(r);
	}
	/* Items are folded at once; what follows from them is looked at from the loop. */
	peer_state_later(r, 0);
	return bytes.len;
}

static void call_over(struct peer_run *r)
{
	struct peer *p = r->peer;

	if (r->asked == A2A_ASK_STREAM || r->asked == A2A_ASK_SUBSCRIBE)
		p->streams--;
	else
		p->requests--;
	r->http = NULL;
	loop_timer_stop(&r->quiet);
	sse_parser_done(&r->sse);
	r->sse = (struct sse_parser){ 0 };
}

/* A stream that ends is no failure: the agent is asked for the state. */
static void on_end(void *owner, const struct http_client_end *end)
{
	struct peer_run *r = owner;
	bool was_stream = r->is_stream;
	bool is_answer = end->result == HTTP_CLIENT_OK || (r->status && r->body.len);

	call_over(r);
	if (!was_stream && is_answer && r->status)
		take_reply(r, buf_str(&r->body));
	else if (!was_stream || !r->got_item)
		peer_state_down(r, end->result == HTTP_CLIENT_OK
		                           ? STR("The agent closed an empty stream")
		                           : end->message);
	/* After the state was asked for, the next question waits. */
	if (!was_stream && !r->is_down && !a2a_remote_is_over(&r->remote))
		peer_state_wait(r);
	buf_done(&r->body);
	peer_state_later(r, 0);
}

static const struct http_client_sink asking = { on_head, on_body, on_end };

/* ---- the request ---- */

static size_t add_headers(struct peer_run *r, const struct a2a_ask_http *http,
                          struct http_client_header *to)
{
	struct peer *p = r->peer;
	size_t n = 0;

	/* The credential belongs to the origin of the card and to no other. */
	for (size_t i = 0; p->agent.is_own_origin && i < p->header_count; i++)
		to[n++] = p->headers[i];
	to[n++] = (struct http_client_header){ STR("A2A-Version"), STR("1.0") };
	if (http->body.len)
		to[n++] = (struct http_client_header){ STR("Content-Type"),
			                               p->agent.binding == A2A_BINDING_HTTP
			                                       ? STR("application/a2a+json")
			                                       : STR("application/json") };
	to[n++] = (struct http_client_header){
		STR("Accept"), http->is_stream ? STR("text/event-stream, application/json")
					       : STR("application/json, application/a2a+json")
	};
	if (str_is(p->extensions))
		to[n++] = (struct http_client_header){ STR("A2A-Extensions"), p->extensions };
	if (str_is(r->trace.parent))
		to[n++] = (struct http_client_header){ STR("traceparent"), r->trace.parent };
	to[n++] = (struct http_client_header){ STR("X-Correlation-Id"), r->run_id };
	return n;
}

void peer_call_ask(struct peer_run *r, enum a2a_ask_kind kind, struct str message_id,
                   struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct peer *p = r->peer;
	struct http_client_header headers[PEER_HEADERS_MAX + 7];
	struct http_client_guard guard = { .rules = p->set->rules };
	struct a2a_ask ask = { .kind = kind,
		               .task_id = r->remote.task_id,
		               .context_id = r->remote.context_id,
		               .message_id = message_id,
		               .text = text,
		               .depth = r->depth };
	struct a2a_ask_http http;
	struct http_client_request q;
	uint16_t port;

	a2a_ask_write(mem, &p->agent, &ask, &http);
	q = (struct http_client_request){ .method = http.method,
		                          .url = http.url,
		                          .headers = headers,
		                          .header_count = add_headers(r, &http, headers),
		                          .body = http.body,
		                          .connect_ms = PEER_CONNECT_MS,
		                          .total_ms = http.is_stream ? 0 : PEER_REPLY_MS,
		                          .response_max = http.is_stream ? LIMIT_PEER_STREAM_BYTES
		                                                         : LIMIT_PEER_ITEM_BYTES,
		                          .is_once = http.body.len > 0 };
	if (!p->agent.is_own_origin) {
		if (!net_host_of_url(http.url, &guard.host, &port)) {
			buf_done(&q.body);
			peer_state_down(r, STR("The address of its interface is invalid"));
			return;
		}
		q.guard = &guard;
	}
	r->asked = kind;
	r->status = 0;
	r->is_stream = r->got_item = false;
	r->body = (struct buf){ .max = LIMIT_PEER_ITEM_BYTES };
	r->sse = (struct sse_parser){ .max = LIMIT_PEER_ITEM_BYTES };
	if (http.is_stream) {
		p->streams++;
		expect_item(r);
	} else {
		p->requests++;
	}
	r->http = http_client_send(p->set->o.http_client, &q, &asking, r);
}

void peer_call_drop(struct peer_run *r)
{
	if (!r->http)
		return;
	http_client_cancel(r->http);
	call_over(r);
	buf_done(&r->body);
}
