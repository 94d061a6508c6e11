/*
 * The card of an agent: fetched when a delegation needs it, checked, and pinned at first sight.
 *
 * A card is read again when the last reading is older than CARD_FRESH_MS or a request failed.  A
 * pin is changed by a person only.
 */
#include "base/gen/limits.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "peer/peer_int.h"
#include "ports/store_own.h"

#define CARD_FRESH_MS 300000
#define CARD_AGAIN_MS 5000

/* ---- pins ---- */

static struct str meta_key(struct arena *mem, const struct peer *p, const char *what)
{
	return arena_printf(mem, "peer:%s:%.*s", what, STR_ARG(p->name));
}

static struct str hash_text(const struct peer *p, struct arena *mem)
{
	/* The same name with another address is another agent. */
	return arena_printf(mem, "%.*s %.*s", STR_ARG(sha256_hex(mem, &p->agent.hash)),
	                    STR_ARG(p->card_url));
}

static void write_pin(struct peer *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store *st = p->set->o.store;
	struct error e;

	if (port_store_set_own(st, meta_key(mem, p, "pin"), hash_text(p, mem), &e) != OK)
		log_line(LOG_WARN, "peer", "%.*s: its card cannot be pinned: %s", STR_ARG(p->name),
		         e.message);
}

/* Without a readable record the card counts as changed: none is accepted unseen. */
static void compare_pin(struct peer *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store *st = p->set->o.store;
	struct str text = STR_NONE, now = hash_text(p, mem);
	struct error e;
	enum err code = port_store_get_own(st, mem, meta_key(mem, p, "pin"), &text, &e);
	ptrdiff_t at = str_is(text) ? str_find_char(text, ' ') : -1;

	p->is_card_changed = false;
	if (code == ERR_NOT_FOUND ||
	    (code == OK && at > 0 && !str_eq(str_skip(text, (size_t)at + 1), p->card_url)))
		write_pin(p);
	else if (code != OK || !str_eq(text, now))
		p->is_card_changed = true;
}

void peer_card_allow(struct peer *p)
{
	if (p->card_mem)
		write_pin(p);
	p->is_card_changed = false;
}

struct str peer_card_ref(struct peer *p, struct arena *mem)
{
	return p->card_mem
	               ? arena_printf(mem, "sha256:%.*s", STR_ARG(sha256_hex(mem, &p->agent.hash)))
	               : STR_NONE;
}

/* ---- the channel ---- */

static void keep_channel(struct peer *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct store *st = p->set->o.store;
	struct json_writer w;
	struct error e;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "channelId", p->channel->id);
	JW_KSTR(&w, "resumeToken", p->channel->resume_token);
	jw_obj_end(&w);
	if (port_store_set_own(st, meta_key(mem, p, "channel"), buf_str(&out), &e) != OK)
		log_line(LOG_WARN, "peer", "%.*s: its channel cannot be kept: %s", STR_ARG(p->name),
		         e.message);
}

static void enrol(struct peer *p, struct str channel_id, struct str resume_token)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	static const struct str capabilities[] = { { "tasks", 5 }, { "streams", 7 } };
	struct control *c = p->set->control;
	struct control_enrol e = {
		.caller = { .principal = p->principal,
		            .via = STR("a2a"),
		            .scopes = SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_WRITE) },
		.transport = p->agent.binding == A2A_BINDING_HTTP ? TRANSPORT_HTTP_JSON
		                                                  : TRANSPORT_JSON_RPC,
		.role = PEER_ROLE_PEER_AGENT,
		.capabilities = capabilities,
		.capability_count = p->agent.is_streaming ? 2 : 1,
		.native_protocol = STR("a2a"),
		.card_ref = peer_card_ref(p, mem),
		.channel_id = channel_id,
		.resume_token = resume_token,
	};

	p->channel = c->ops->enrol(c, &e);
}

struct str peer_card_channel(struct peer *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store *st = p->set->o.store;
	struct str text = STR_NONE;
	struct json v = { 0 };
	struct error e;

	if (p->channel)
		return p->channel->id;
	if (port_store_get_own(st, mem, meta_key(mem, p, "channel"), &text, &e) == OK &&
	    json_read(mem, text, &v, &e) == OK)
		enrol(p, json_str(JSON_GET(v, "channelId")), json_str(JSON_GET(v, "resumeToken")));
	if (!p->channel)
		enrol(p, STR_NONE, STR_NONE);
	if (!p->channel)
		return STR_NONE;
	keep_channel(p);
	return p->channel->id;
}

/* ---- fetching ---- */

/* The runs of the agent look again, from the loop. */
static void wake_runs(struct peer *p)
{
	LIST_EACH (&p->runs, node)
		peer_state_later(LIST_ITEM(node, struct peer_run, node), 0);
}

static void card_failed(struct peer *p, struct arena *mem, struct str why)
{
	arena_free(p->card_mem);
	p->card_mem = mem;
	p->signed_by = STR_NONE;
	p->card_why = arena_keep(mem, why);
}

static void read_body(struct peer *p)
{
	struct arena *mem = arena_new_small();
	struct a2a_agent agent;
	struct str why;

	p->is_card_auth = p->card_status == 401 || p->card_status == 403;
	if (p->card_status != 200) {
		card_failed(p, mem,
		            arena_printf(mem, "Its card cannot be read: HTTP status %d",
		                         p->card_status));
		return;
	}
	if (!a2a_agent_read(mem, p->card_url, buf_str(&p->card_body), &p->set->rules, p->extensions,
	                    &agent, &why) ||
	    !peer_signature_check(p, mem, &why)) {
		card_failed(p, mem, why);
		return;
	}
	arena_free(p->card_mem);
	p->card_mem = mem;
	p->agent = agent;
	p->card_why = STR_NONE;
	compare_pin(p);
}

static void on_head(void *owner, const struct http_client_head *h)
{
	((struct peer *)owner)->card_status = h->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct peer *)owner)->card_body, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct peer *p = owner;

	p->card_call = NULL;
	p->card_read_ms = clock_mono_ms();
	if (end->result == HTTP_CLIENT_OK)
		read_body(p);
	else
		card_failed(p, arena_new_small(), end->message);
	buf_done(&p->card_body);
	wake_runs(p);
	if (p->set->checked)
		p->set->checked(p->set);
}

static const struct http_client_sink fetching = { on_head, on_body, on_end };

static void fetch_card(struct peer *p)
{
	struct http_client_header headers[PEER_HEADERS_MAX + 2];
	struct http_client_request r = { .url = p->card_url,
		                         .headers = headers,
		                         .connect_ms = PEER_CONNECT_MS,
		                         .total_ms = PEER_REPLY_MS,
		                         .response_max = LIMIT_PEER_CARD_BYTES };

	for (size_t i = 0; i < p->header_count; i++)
		headers[r.header_count++] = p->headers[i];
	headers[r.header_count++] =
		(struct http_client_header){ STR("Accept"), STR("application/json") };
	headers[r.header_count++] = (struct http_client_header){ STR("A2A-Version"), STR("1.0") };
	p->card_status = 0;
	p->card_body = (struct buf){ .max = LIMIT_PEER_CARD_BYTES };
	p->card_call = http_client_send(p->set->o.http_client, &r, &fetching, p);
}

bool peer_card_is_ready(struct peer *p)
{
	int64_t age = clock_mono_ms() - p->card_read_ms;
	bool is_usable = p->card_mem && !str_is(p->card_why);

	if (p->card_call)
		return false;
	if (p->card_read_ms && age < (is_usable ? CARD_FRESH_MS : CARD_AGAIN_MS))
		return true;
	fetch_card(p);
	return false;
}

void peer_card_stop(struct peer *p)
{
	struct control *c = p->set->control;

	if (p->card_call)
		http_client_cancel(p->card_call);
	p->card_call = NULL;
	buf_done(&p->card_body);
	if (p->channel && c)
		c->ops->leave(c, p->channel, DISCONNECT_CAUSE_SHUTDOWN);
	p->channel = NULL;
}
