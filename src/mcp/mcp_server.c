/*
 * One server: its conversation, its channel and its restarts.  mcp_process.c and mcp_http.c
 * carry the messages.
 *
 *   STARTING ──► READY ──► DOWN ──► STARTING ...     with growing delays
 *       │                   ▲
 *       └───────────────────┘   not started, silent, broken, ended
 *
 * mcp_server_fail() notes an error of the connection, and the loop ends it
 * later in on_end(), so that nothing is freed while it is in use.
 */
#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/os/log.h"
#include "mcp/mcp_int.h"
#include "mcp/mcp_redact.h"

#include <stdio.h>

#define RELIST_MS 1000  /* between two lists */
#define STEADY_MS 60000 /* after this time the delays start again from the first */
#define TTL_MAX_MS 86400000
#define AGAIN_MS 500
#define AGAIN_MAX_MS 60000
#define SAID_MAX 500 /* of its standard error */

/* ---- trouble ---- */

/* The new text may be part of the old one, so the old arena is freed last. */
static void note_detail(struct mcp_server *s, struct str why)
{
	struct arena *old = s->detail_mem;

	s->detail_mem = arena_new();
	s->detail = arena_keep(s->detail_mem, why);
	arena_free(old);
}

static void on_again(struct loop_timer *t)
{
	mcp_server_begin(OWNER_OF(t, struct mcp_server, again));
}

static void leave_channel(struct mcp_server *s, enum disconnect_cause cause)
{
	if (s->channel)
		s->set->control->ops->leave(s->set->control, s->channel, cause);
	s->channel = NULL;
}

/* Ends the connection and frees everything that belongs to it. */
static void end_life(struct mcp_server *s, struct str why, enum disconnect_cause cause)
{
	loop_timer_stop(&s->patience);
	loop_timer_stop(&s->again);
	loop_timer_stop(&s->last_words);
	loop_timer_stop(&s->end);
	s->transport->end(s);
	leave_channel(s, cause);
	/* Before the connection is freed: the calls are still known to it. */
	mcp_call_lose_all(s, why);
	mcp_ask_lose_all(s, why);
	mcp_offers_end(s);
	mcp_protocol_free(s->connection);
	s->connection = NULL;
	buf_done(&s->noise);
	buf_done(&s->ended);
	arena_free(s->mem);
	s->mem = NULL;
}

/* No failure, and no further try: the login begins the next connection. */
static void await_login(struct mcp_server *s)
{
	s->needs_login = false;
	s->state = MCP_LOGIN;
	s->has_settled = true;
	end_life(s, s->detail, DISCONNECT_CAUSE_AUTH);
	mcp_inventory_changed(s->set);
}

static void on_end(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, end);
	int64_t wait = AGAIN_MS;

	if (s->needs_login) {
		await_login(s);
		return;
	}

	/*
	 * The silent probe and a new rule are no failures of the server: no delay, no warning, no
	 * count.  Callers that hear of their lost calls must find it starting.
	 */
	if (s->is_turning) {
		s->is_turning = false;
		s->state = MCP_STARTING;
		end_life(s, s->detail, DISCONNECT_CAUSE_CLOSED);
		loop_timer_start(s->set->o.loop, &s->again, 0, on_again);
		return;
	}
	if (s->state == MCP_READY && clock_mono_ms() - s->ready_at >= STEADY_MS)
		s->failures = 0;
	/* 500 ms, doubled with each failure, up to a minute. */
	for (unsigned i = 0; i < s->failures && wait < AGAIN_MAX_MS; i++)
		wait *= 2;
	s->failures++;
	s->restarts++;
	s->state = MCP_DOWN;
	s->has_settled = true;
	log_line(LOG_WARN, "mcp", "%.*s: %.*s", STR_ARG(s->c.name), STR_ARG(s->detail));
	end_life(s, s->detail, DISCONNECT_CAUSE_CLOSED);
	mcp_inventory_changed(s->set);
	loop_timer_start(s->set->o.loop, &s->again, MIN(wait, AGAIN_MAX_MS), on_again);
}

/*
 * The end of its standard error.  Values are redacted before it is cut, because a part of one is not
 * recognised; a line whose beginning is gone may begin with such a part.
 */
static struct str last_words(struct mcp_server *s, struct arena *mem)
{
	struct str said = buf_str(&s->noise);

	if (said.len >= MCP_STDERR_MAX)
		str_cut(&said, '\n');
	said = mcp_redact(s, mem, str_trim(said));
	return said.len > SAID_MAX ? str_skip(said, said.len - SAID_MAX) : said;
}

/* The first reason counts. */
void mcp_server_fail(struct mcp_server *s, struct str why)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str said;

	if (loop_timer_is_running(&s->end))
		return;
	why = mcp_redact(s, mem, why);
	said = last_words(s, mem);
	if (said.len)
		why = arena_printf(mem, "%.*s; it said: %.*s", STR_ARG(why), STR_ARG(said));
	note_detail(s, why);
	loop_timer_start(s->set->o.loop, &s->end, 0, on_end);
}

void mcp_server_need_login(struct mcp_server *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	if (loop_timer_is_running(&s->end))
		return;
	s->needs_login = true;
	note_detail(s, arena_printf(mem, "it requires a login; run: thole mcp login %.*s",
	                            STR_ARG(s->c.name)));
	loop_timer_start(s->set->o.loop, &s->end, 0, on_end);
}

/*
 * From the loop: the caller may be inside a callback of this server, where the end of one call
 * has started the next, and the connection is in use until that returns.
 */
void mcp_server_renew(struct mcp_server *s, struct str why)
{
	s->state = MCP_STARTING; /* takes no calls */
	s->is_turning = true;
	note_detail(s, why);
	loop_timer_start(s->set->o.loop, &s->end, 0, on_end);
}

/*
 * At once, unlike mcp_server_fail(): the caller must not be inside a callback of this server.  The
 * state comes first, because a caller that hears of its lost call may start another one.
 */
void mcp_server_stop(struct mcp_server *s, struct str why, enum mcp_state state)
{
	s->state = state;
	end_life(s, why, DISCONNECT_CAUSE_SHUTDOWN);
	note_detail(s, why);
}

/* ---- the conversation ---- */

static void on_send(void *owner, struct str line)
{
	struct mcp_server *s = owner;

	s->transport->send(s, line);
}

/* The server appears as a channel, with the same id after a restart (resume token). */
static void enrol(struct mcp_server *s)
{
	static const struct str able[] = { { "tools", 5 } };
	struct control *c = s->set->control;
	bool is_remote = str_is(s->c.url);
	struct control_enrol e = {
		.caller = { .principal = arena_printf(s->mem, "mcp:%.*s", STR_ARG(s->c.name)),
		            .via = is_remote ? STR("http") : STR("stdio") },
		.transport = is_remote ? TRANSPORT_HTTP_JSON : TRANSPORT_STDIO,
		.is_outside = is_remote,
		.role = PEER_ROLE_TOOL_SERVER,
		.capabilities = able,
		.capability_count = COUNT_OF(able),
		.native_protocol = STR("mcp"),
		.channel_id = s->channel_id,
		.resume_token = s->resume_token,
	};

	if (s->channel)
		return; /* a new session of the same connection */
	s->channel = c->ops->enrol(c, &e);
	if (!s->channel || str_is(s->channel_id))
		return;
	s->channel_id = arena_keep(s->set->mem, s->channel->id);
	s->resume_token = arena_keep(s->set->mem, s->channel->resume_token);
}

static void on_ready(void *owner)
{
	struct mcp_server *s = owner;

	arena_free(s->keep_mem);
	s->keep_mem = arena_new();
	s->protocol = mcp_message_version_text(mcp_protocol_version(s->connection));
	s->program = arena_keep(s->keep_mem, mcp_protocol_server(s->connection));
	s->offered.has_resources = mcp_protocol_abilities(s->connection)->has_resources;
	enrol(s);
}

/*
 * Only characters that every provider accepts; a hash distinguishes names that were cut or changed,
 * and those that are reserved for tools of this runtime.
 */
static struct str full_name(struct arena *mem, const struct mcp_server *s,
                            const struct mcp_tool *tool)
{
	struct str plain =
		arena_printf(mem, "mcp__%.*s__%.*s", STR_ARG(s->c.name), STR_ARG(tool->name));
	char *at = (char *)plain.ptr;
	bool is_other = plain.len > 64 || mcp_resource_is_reserved(tool->name);

	for (size_t i = 0; i < plain.len; i++) {
		char c = at[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '_' || c == '-')
			continue;
		at[i] = '_';
		is_other = true;
	}
	if (!is_other)
		return plain;

	struct sha256 h = sha256_of(tool->name);

	return arena_printf(mem, "%.*s_%.*s", STR_ARG(str_head(plain, 55)),
	                    STR_ARG(str_head(sha256_hex(mem, &h), 8)));
}

/* The list belongs to the protocol and ends with the callback. */
static struct mcp_tool keep_tool(struct arena *mem, const struct mcp_tool *t)
{
	struct mcp_tool k = *t;

	k.name = arena_keep(mem, t->name);
	k.description = arena_keep(mem, t->description);
	k.input_schema = arena_keep(mem, t->input_schema);
	k.annotations = arena_keep(mem, t->annotations);
	k.output_schema = arena_keep(mem, t->output_schema);
	return k;
}

static bool is_same_offer(const struct mcp_server *s, const struct mcp_tool *tools, size_t count)
{
	if (count != s->offer_count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!str_eq(tools[i].name, s->offers[i].tool.name) ||
		    !sha256_eq(&tools[i].hash, &s->offers[i].tool.hash))
			return false;
	return true;
}

static void on_dropped(void *owner, struct str tool, struct str why)
{
	struct mcp_server *s = owner;

	if (!s->dropped++)
		snprintf(s->dropped_text, sizeof s->dropped_text, "\"%.*s\": %.*s",
		         (int)MIN(tool.len, 64), tool.ptr, STR_ARG(why));
}

/* One line for any number of dropped tools, for the log and for the list of servers. */
static void tell_dropped(struct mcp_server *s)
{
	s->left_out[0] = 0;
	if (s->dropped == 1)
		snprintf(s->left_out, sizeof s->left_out, "tool %s; it is left out",
		         s->dropped_text);
	else if (s->dropped)
		snprintf(s->left_out, sizeof s->left_out, "%zu tools are left out, the first is %s",
		         s->dropped, s->dropped_text);
	if (s->dropped)
		log_line(LOG_WARN, "mcp", "%.*s: %s", STR_ARG(s->c.name), s->left_out);
	s->dropped = 0;
}

/* The first list makes the server ready; later ones only replace its tools. */
static void on_listed(void *owner, const struct mcp_tool *tools, size_t count)
{
	struct mcp_server *s = owner;
	bool was_ready = s->state == MCP_READY;

	s->listed_at = clock_mono_ms();
	s->stale_at = 0;
	if (mcp_protocol_list_ttl_ms(s->connection))
		s->stale_at = s->listed_at +
		              MIN(mcp_protocol_list_ttl_ms(s->connection), (int64_t)TTL_MAX_MS);
	loop_timer_stop(&s->patience);
	tell_dropped(s);
	if (!s->offered.is_begun) {
		s->offered.is_begun = true;
		mcp_offers_begin(s);
	}
	/* Without a change the inventory keeps its pointers, and no session is notified. */
	if (was_ready && is_same_offer(s, tools, count))
		return;
	arena_free(s->offers_mem);
	s->offers_mem = arena_new();
	s->offers = ARENA_ARRAY(s->offers_mem, struct mcp_offer, count + 1);
	s->offer_count = count;
	for (size_t i = 0; i < count; i++) {
		s->offers[i].tool = keep_tool(s->offers_mem, &tools[i]);
		s->offers[i].full_name = full_name(s->offers_mem, s, &tools[i]);
	}
	mcp_pins_compare(s);
	if (!was_ready)
		s->ready_at = clock_mono_ms();
	s->state = MCP_READY;
	s->has_settled = true;
	s->detail = STR_NONE;
	mcp_inventory_changed(s->set);
	mcp_call_login_ready(s);
}

static void on_silence(struct loop_timer *t)
{
	/* The next process is probed again. */
	OWNER_OF(t, struct mcp_server, patience)->greets_first = false;
	mcp_server_fail(OWNER_OF(t, struct mcp_server, patience), STR("it did not answer in time"));
}

void mcp_server_wait(struct mcp_server *s, int64_t ms)
{
	loop_timer_start(s->set->o.loop, &s->patience, ms, on_silence);
}

static void on_relist(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, again);

	mcp_protocol_list(s->connection);
	mcp_server_wait(s, LIMIT_MCP_START_MS);
}

/* Limits how often the list is fetched again. */
void mcp_server_relist(struct mcp_server *s)
{
	int64_t since = clock_mono_ms() - s->listed_at;

	/* While the process runs, `again` is free for this; end_life() stops it. */
	if (!loop_timer_is_running(&s->again))
		loop_timer_start(s->set->o.loop, &s->again, MAX(RELIST_MS - since, 0), on_relist);
}

void mcp_server_look(struct mcp_server *s)
{
	if (s->state == MCP_READY && s->stale_at && clock_mono_ms() >= s->stale_at &&
	    !loop_timer_is_running(&s->patience))
		mcp_server_relist(s);
}

static void on_changed(void *owner)
{
	mcp_server_relist(owner);
}

static void on_call_progress(void *owner, struct mcp_call *c, struct str message, int64_t completed,
                             int64_t total)
{
	(void)owner;
	mcp_call_end_progress(c, message, completed, total);
}

static void on_call_asked(void *owner, struct mcp_call *c, const struct mcp_question *q)
{
	(void)owner;
	mcp_call_asked(c, q);
}

static void on_call_logged(void *owner, struct mcp_call *c, struct json params)
{
	(void)owner;
	mcp_call_end_log(c, params);
}

/* The log has the first one, and then one line for ten times as many. */
static void on_unclaimed(void *owner, size_t count)
{
	const struct mcp_server *s = owner;
	size_t step = 1;

	while (step < count)
		step *= 10;
	if (step == count)
		log_line(LOG_WARN, "mcp",
		         "%.*s: %zu of its questions and messages reached no caller: callers "
		         "share its connection, and it is not known whose they are; a server at "
		         "an address, or of revision 2026-07-28, says that",
		         STR_ARG(s->c.name), count);
}

static void on_call_settled(void *owner, struct mcp_call *c, bool is_done)
{
	(void)owner;
	mcp_call_settled(c, is_done);
}

static void on_call_ended(void *owner, struct mcp_call *c, const struct mcp_result *r)
{
	(void)owner;
	mcp_call_ended(c, r);
}

static void on_noted(void *owner, enum mcp_note note, struct json params)
{
	mcp_offers_noted(owner, note, params);
}

static void on_broken(void *owner, struct str why)
{
	mcp_server_fail(owner, why);
}

static const struct mcp_protocol_ops protocol_ops = { .send = on_send,
	                                              .ready = on_ready,
	                                              .listed = on_listed,
	                                              .dropped = on_dropped,
	                                              .changed = on_changed,
	                                              .progress = on_call_progress,
	                                              .asked = on_call_asked,
	                                              .logged = on_call_logged,
	                                              .unclaimed = on_unclaimed,
	                                              .settled = on_call_settled,
	                                              .ended = on_call_ended,
	                                              .noted = on_noted,
	                                              .broken = on_broken };

/* ---- its beginning ---- */

/* The transport can carry messages.  Silence never leads to the older version by itself. */
void mcp_server_converse(struct mcp_server *s)
{
	struct mcp_protocol_options o = {
		.client = { .name = STR("thole"),
		            .version = s->set->o.version,
		            .root = s->workspace,
		            .log_level = STR("warning"),
		            .has_sampling = s->c.is_published,
		            .has_models = s->c.sampling.is_on },
		.server = s->c.name,
		.sampling = s->c.sampling,
		.version = s->c.version,
		.greets_first = s->greets_first,
		.mirrors_params = str_is(s->c.url),
		.has_streams = str_is(s->c.url),
		.line_max = LIMIT_MCP_MESSAGE_BYTES,
		.tools_max = LIMIT_MCP_TOOLS,
	};

	s->offered.is_begun = false;
	s->connection = mcp_protocol_new(&o, &protocol_ops, s);
	mcp_server_wait(s, LIMIT_MCP_START_MS);
	mcp_protocol_begin(s->connection);
}

void mcp_server_begin(struct mcp_server *s)
{
	s->state = MCP_STARTING;
	s->mem = arena_new();
	s->transport->begin(s);
}
