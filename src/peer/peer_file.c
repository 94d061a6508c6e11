/* Files that an artifact names by address: a stranger names it, so it is checked and bounded. */
#include "base/gen/limits.h"
#include "peer/peer_int.h"

/* An address at the origin of the card is the user's own choice, and gets the credential. */
static bool is_own(const struct peer *p, struct str url)
{
	ptrdiff_t at = str_find(p->card_url, STR("://"));
	size_t len = (size_t)at + 3;

	while (len < p->card_url.len && p->card_url.ptr[len] != '/')
		len++;
	return str_starts(url, str_head(p->card_url, len)) &&
	       (url.len == len || url.ptr[len] == '/' || url.ptr[len] == '?');
}

static void on_head(void *owner, const struct http_client_head *h)
{
	((struct peer_run *)owner)->file_status = h->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct peer_run *)owner)->file_body, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct peer_run *r = owner;

	r->file = NULL;
	r->has_file = end->result == HTTP_CLIENT_OK && r->file_status == 200;
	if (!r->has_file) {
		buf_done(&r->file_body);
		peer_state_say(r, end->result != HTTP_CLIENT_OK
		                          ? end->message
		                          : STR("A file of the agent cannot be read"));
		r->tries++;
		peer_state_wait(r);
	}
	peer_state_later(r, 0);
}

static const struct http_client_sink fetching = { on_head, on_body, on_end };

void peer_file_fetch(struct peer_run *r, struct str url)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct peer *p = r->peer;
	struct http_client_guard guard = { .rules = p->set->rules };
	bool is_users = is_own(p, url);
	struct http_client_request q = { .url = url,
		                         .headers = p->headers,
		                         .header_count = is_users ? p->header_count : 0,
		                         .connect_ms = PEER_CONNECT_MS,
		                         .total_ms = PEER_REPLY_MS,
		                         .response_max = LIMIT_PEER_ARTIFACT_BYTES };
	struct str why = STR_NONE;
	uint16_t port;

	if (!is_users && (!a2a_agent_may_reach(mem, url, &p->set->rules, &why) ||
	                  !net_host_of_url(url, &guard.host, &port))) {
		/* Trying again does not help. */
		peer_state_say(r, str_is(why) ? why : STR("An address is invalid"));
		r->tries = LIMIT_PEER_DELIVER_TRIES;
		peer_state_later(r, 0);
		return;
	}
	if (!is_users)
		q.guard = &guard;
	r->file_status = 0;
	r->has_file = false;
	r->file_body = (struct buf){ .max = LIMIT_PEER_ARTIFACT_BYTES };
	r->file = http_client_send(p->set->o.http_client, &q, &fetching, r);
}

void peer_file_drop(struct peer_run *r)
{
	if (r->file)
		http_client_cancel(r->file);
	r->file = NULL;
	buf_done(&r->file_body);
	r->has_file = false;
}
