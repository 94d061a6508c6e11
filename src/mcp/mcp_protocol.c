/*
 * One conversation with a tool server as a state machine (mcp_protocol.h has the
 * picture): negotiation, listing, calls, questions of the server, cancelling.
 */
#include "mcp/mcp_protocol.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "mcp/mcp_http_message.h"
#include "net/jsonrpc.h"

#include <stdio.h>

/* Limits on what a server can make this side do; a server is not trusted. */
#define LIST_TRIES_MAX 3        /* of a list whose exchange breaks */
#define RENEWALS_MAX 3          /* of the session, without a list in between */
#define JUNK_MAX 100            /* lines that are no messages */
#define PAGES_MAX 64            /* of one list */
#define ROUNDS_MAX 16           /* of questions of one call */
#define KEY_MAX 100             /* of a question */
#define QUESTIONS_MAX 8         /* of one round */
#define SERVER_CALLS_MAX 16     /* of the server, unanswered */
#define READ_TRIES_MAX 3        /* of a request that changes nothing */
#define CLIENT_REFUSED -1       /* of sampling/createMessage */
#define MCP_URL_REQUIRED -32042 /* 2025-11-25: pages to open before the call is repeated */

enum protocol_state { NEW, PROBING, GREETING, READY, BROKEN };

struct mcp_protocol {
	struct mcp_protocol_options o;
	const struct mcp_protocol_ops *ops;
	void *owner;
	struct arena *mem;
	struct jsonrpc *rpc;
	struct buf line, params;
	enum protocol_state state;
	enum mcp_version version;
	struct str server;
	struct str agreed; /* the version of initialize's result */
	bool has_changes;  /* the server offers a subscription */
	struct mcp_abilities can;
	struct mcp_listen listen; /* what is subscribed to, in listen_mem */
	struct arena *listen_mem;
	unsigned list_tries, renewals;
	int64_t next_id, hello_id, list_id, listen_id; /* 0: none is open */
	int64_t stream_id; /* the request whose stream is being read; 0: not known */
	bool was_refused;  /* the version of the probe was refused, and the probe repeated */
	bool is_answering; /* the text to send is our reply, not an error of the framing */
	unsigned junk;
	struct list calls;

	/* the list that is being fetched */
	struct arena *list_mem;
	struct mcp_tool *tools;
	size_t tool_count, pages;
	bool is_stale;  /* it changed while it was fetched */
	int64_t ttl_ms; /* how long it is fresh: the least of its pages; 0: not said */

	struct list waiting;           /* struct waiting: questions whose call is not known yet */
	struct str caller;             /* of the first call */
	bool has_caller, is_shared;    /* is_shared: calls of another caller were made since */
	int64_t fence_id;              /* of a ping that follows a cancelled call; 0: none */
	size_t unclaimed;              /* questions and messages that reached no caller */
	enum tool_log_level log_level; /* that the server of 2025-11-25 has */
};

/* A question that came while several calls were open. */
struct waiting {
	struct list node;
	struct arena *mem;
	struct jsonrpc_call *request;
	struct str id, method, params; /* params: JSON */
};

static void drop_waiting(struct waiting *x)
{
	list_remove(&x->node);
	arena_free(x->mem);
}

/* Reported once.  The owner ends the process later, so t stays valid in the caller. */
static void break_off(struct mcp_protocol *t, struct str why)
{
	if (t->state == BROKEN)
		return;
	t->state = BROKEN;
	t->ops->broken(t->owner, why);
}

/* ---- sending ---- */

static void put_line(struct mcp_protocol *t)
{
	buf_add_char(&t->line, '\n');
	t->ops->send(t->owner, buf_str(&t->line));
	buf_clear(&t->line);
	buf_clear(&t->params);
}

/* Sends a request with t->params; returns its id. */
static int64_t send_request(struct mcp_protocol *t, struct str method)
{
	char id[24];
	int len = snprintf(id, sizeof id, "%lld", (long long)++t->next_id);

	jsonrpc_write_call(&t->line, str_of(id, (size_t)len), method, buf_str(&t->params));
	put_line(t);
	return t->next_id;
}

static void send_notification(struct mcp_protocol *t, struct str method)
{
	jsonrpc_write_call(&t->line, STR_NONE, method,
	                   t->params.len ? buf_str(&t->params) : STR_NONE);
	put_line(t);
}

/* Sends replies to the server, or errors of the framing about its input. */
static void on_send(void *user, struct str text)
{
	struct mcp_protocol *t = user;

	if (!t->is_answering) {
		if (++t->junk > JUNK_MAX)
			break_off(t, STR("too many lines of it are no messages"));
		return;
	}
	/* Nothing follows the end, however the server's bytes were cut into reads. */
	if (t->state == BROKEN)
		return;
	buf_add_str(&t->line, text);
	put_line(t);
}

static void reply(struct mcp_protocol *t, struct jsonrpc_call *call, struct str result)
{
	t->is_answering = true;
	jsonrpc_reply(call, result);
	t->is_answering = false;
}

static void reply_error(struct mcp_protocol *t, struct jsonrpc_call *call, int64_t code,
                        struct str message)
{
	t->is_answering = true;
	jsonrpc_reply_error(call, code, message, STR_NONE);
	t->is_answering = false;
}

static void send_unsent(struct mcp_protocol *t);
static void ask_waiting(struct mcp_protocol *t);

/* ---- the beginning ---- */

static void send_initialize(struct mcp_protocol *t)
{
	t->state = GREETING;
	t->version = MCP_2025_11_25;
	mcp_message_write_initialize(&t->params, &t->o.client);
	t->hello_id = send_request(t, STR("initialize"));
}

static void send_discover(struct mcp_protocol *t)
{
	t->state = PROBING;
	t->version = MCP_2026_07_28;
	mcp_message_write_plain(&t->params, t->version, &t->o.client);
	t->hello_id = send_request(t, STR("server/discover"));
}

void mcp_protocol_begin(struct mcp_protocol *t)
{
	if (t->o.version == MCP_2025_11_25 || (t->o.greets_first && !t->o.version))
		send_initialize(t);
	else
		send_discover(t);
}

bool mcp_protocol_is_probing(const struct mcp_protocol *t)
{
	return t->state == PROBING;
}

static void note_server(struct mcp_protocol *t, struct json info)
{
	struct str name = json_str(JSON_GET(info, "name"));
	struct str version = json_str(JSON_GET(info, "version"));

	if (str_is(name))
		t->server = arena_printf(t->mem, "%.*s %.*s", STR_ARG(str_head(name, 128)),
		                         STR_ARG(str_head(version, 64)));
}

void mcp_protocol_listen(struct mcp_protocol *t)
{
	if (t->state != READY || !t->has_changes || t->listen_id)
		return;
	mcp_message_write_listen(&t->params, &t->o.client, &t->listen);
	t->listen_id = send_request(t, STR("subscriptions/listen"));
}

static bool announces(struct json capability)
{
	return json_bool(JSON_GET(capability, "listChanged"), false);
}

static void read_abilities(struct mcp_protocol *t, struct json able)
{
	struct json resources = JSON_GET(able, "resources"), prompts = JSON_GET(able, "prompts");
	struct json tasks = JSON_GET(JSON_GET(JSON_GET(able, "tasks"), "requests"), "tools");

	t->can = (struct mcp_abilities){
		.has_resources = json_is(resources),
		.has_subscribe = json_bool(JSON_GET(resources, "subscribe"), false),
		.has_prompts = json_is(prompts),
		.has_completions = json_is(JSON_GET(able, "completions")),
		.has_logging = json_is(JSON_GET(able, "logging")),
		.has_tasks = json_is(JSON_GET(tasks, "call")),
	};
	t->listen.tools = announces(JSON_GET(able, "tools"));
	t->listen.resources = announces(resources);
	t->listen.prompts = announces(prompts);
	t->listen.uri_count = 0;
	t->has_changes =
		t->version == MCP_2026_07_28 && (t->listen.tools || t->listen.resources ||
	                                         t->listen.prompts || t->can.has_subscribe);
}

/* The newer protocol names the level in every request. */
static void send_log_level(struct mcp_protocol *t)
{
	if (t->version != MCP_2025_11_25 || !t->can.has_logging || !str_is(t->o.client.log_level))
		return;
	t->log_level = rec_enum_read(&enum_tool_log_level, t->o.client.log_level);
	mcp_message_write_one(&t->params, STR("level"), t->o.client.log_level);
	send_request(t, STR("logging/setLevel"));
}

/* The level is one for all calls: it falls to what one of them wants, and stays there. */
static void lower_log_level(struct mcp_protocol *t, const struct rec_call_client *client)
{
	if (t->version != MCP_2025_11_25 || !t->can.has_logging || !client || !client->log_level ||
	    (t->log_level && t->log_level <= client->log_level))
		return;
	t->log_level = client->log_level;
	mcp_message_write_one(&t->params, STR("level"), tool_log_level_word(t->log_level));
	send_request(t, STR("logging/setLevel"));
}

/*
 * The older protocol wants a confirmation; the newer one announces changes of the list only to
 * subscribers.
 */
static void become_ready(struct mcp_protocol *t, struct json result)
{
	struct json able = JSON_GET(result, "capabilities");

	t->state = READY;
	read_abilities(t, able);
	if (t->version == MCP_2025_11_25)
		send_notification(t, STR("notifications/initialized"));
	if (t->listen.tools || t->listen.resources || t->listen.prompts)
		mcp_protocol_listen(t);
	send_log_level(t);
	t->ops->ready(t->owner);
	/* The callback may have ended the conversation. */
	if (t->state != READY)
		return;
	send_unsent(t);
	if (json_is(JSON_GET(able, "tools")))
		mcp_protocol_list(t);
	else
		t->ops->listed(t->owner, NULL, 0);
}

static bool offers_version(struct json versions, enum mcp_version v)
{
	struct json_iter it = json_iter(versions);
	struct json each;
	struct str key;

	while (json_type(versions) == JSON_ARR && json_next(&it, &key, &each))
		if (mcp_message_version_read(json_str(each)) == v)
			return true;
	return false;
}

static void discover_answered(struct mcp_protocol *t, struct json result)
{
	struct json versions = JSON_GET(result, "supportedVersions");

	note_server(t, JSON_GET(JSON_GET(result, "_meta"), "io.modelcontextprotocol/serverInfo"));
	if (offers_version(versions, MCP_2026_07_28))
		become_ready(t, result);
	else if (!t->o.version && !t->o.greets_first &&
	         (offers_version(versions, MCP_2025_11_25) || !json_is(versions)))
		/* an older server; some reply with any result to an unknown method */
		send_initialize(t);
	else
		break_off(t, STR("it speaks none of the versions that we speak"));
}

/*
 * An older server replies to the unknown method with an error of any kind.
 * spec: 2026-07-28, UnsupportedProtocolVersionError: asked again with a version that it names.
 */
static void discover_refused(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	if (m->error_code == MCP_UNSUPPORTED_VERSION && !t->was_refused &&
	    offers_version(JSON_GET(m->error_data, "supported"), MCP_2026_07_28)) {
		t->was_refused = true;
		send_discover(t);
		return;
	}
	if (t->o.version == MCP_2026_07_28 || t->o.greets_first ||
	    m->error_code == MCP_HEADER_MISMATCH || m->error_code == MCP_MISSING_CAPABILITY) {
		break_off(t, arena_printf(t->mem, "server/discover: %.*s",
		                          STR_ARG(str_head(m->error_message, 300))));
		return;
	}
	send_initialize(t);
}

static void initialize_answered(struct mcp_protocol *t, struct json result)
{
	struct str version = json_str(JSON_GET(result, "protocolVersion"));

	if (mcp_message_version_read(version) != MCP_2025_11_25) {
		break_off(t, arena_printf(t->mem, "it speaks version %.*s, which we do not",
		                          STR_ARG(str_head(version, 40))));
		return;
	}
	note_server(t, JSON_GET(result, "serverInfo"));
	t->agreed = arena_keep(t->mem, version);
	become_ready(t, result);
}

/*
 * One id serves for the probe and the greeting, because only one of them is open.  greets_first
 * means that an earlier process did not answer the probe: the greeting comes first, and the
 * probe is the second try.
 */
static void hello_answered(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	t->hello_id = 0;
	if (m->kind == JSONRPC_RESULT && t->state == PROBING)
		discover_answered(t, m->result);
	else if (m->kind == JSONRPC_RESULT)
		initialize_answered(t, m->result);
	else if (t->state == PROBING)
		discover_refused(t, m);
	else if (t->o.greets_first && !t->o.version)
		send_discover(t);
	else
		break_off(t, arena_printf(t->mem, "initialize: %.*s",
		                          STR_ARG(str_head(m->error_message, 300))));
}

/* ---- the list of tools ---- */

static void drop_list(struct mcp_protocol *t)
{
	arena_free(t->list_mem);
	t->list_mem = NULL;
	t->tools = NULL;
	t->tool_count = t->pages = 0;
}

static void fetch_page(struct mcp_protocol *t, struct str cursor)
{
	mcp_message_write_list(&t->params, t->version, &t->o.client, cursor);
	t->list_id = send_request(t, STR("tools/list"));
}

void mcp_protocol_list(struct mcp_protocol *t)
{
	if (t->state != READY)
		return;
	/*
	 * A change during the fetch makes the pages inconsistent; the list is fetched again
	 * afterwards.
	 */
	if (t->list_id) {
		t->is_stale = true;
		return;
	}
	t->is_stale = false;
	t->ttl_ms = 0;
	drop_list(t);
	t->list_mem = arena_new();
	t->tools = ARENA_ARRAY(t->list_mem, struct mcp_tool, t->o.tools_max + 1);
	fetch_page(t, STR_NONE);
}

static bool is_known(const struct mcp_protocol *t, struct str name)
{
	for (size_t i = 0; i < t->tool_count; i++)
		if (str_eq(t->tools[i].name, name))
			return true;
	return false;
}

/* One bad tool does not cost the others: it is dropped with a reason. */
static void take_tool(struct mcp_protocol *t, struct json v)
{
	struct mcp_tool tool;
	struct error e;
	struct str name =
		utf8_preview(t->list_mem, str_head(json_str(JSON_GET(v, "name")), 512), 100);

	if (mcp_message_read_tool(t->list_mem, v, &tool, &e) != OK)
		t->ops->dropped(t->owner, name, str_from(e.message));
	else if (t->o.mirrors_params &&
	         mcp_http_message_check_schema(JSON_GET(v, "inputSchema"), &e) != OK)
		t->ops->dropped(t->owner, name, str_from(e.message));
	else if (tool.needs_task && t->version == MCP_2025_11_25 && !t->can.has_tasks)
		t->ops->dropped(t->owner, name, STR("it can be called only as a task"));
	else if (is_known(t, tool.name))
		t->ops->dropped(t->owner, name, STR("another one has its name"));
	else if (t->tool_count == t->o.tools_max)
		t->ops->dropped(t->owner, name, STR("it is one too many"));
	else
		t->tools[t->tool_count++] = tool;
}

static void list_is_whole(struct mcp_protocol *t)
{
	t->list_tries = t->renewals = 0;
	t->ops->listed(t->owner, t->tools, t->tool_count);
	drop_list(t);
	if (t->is_stale && t->state == READY)
		t->ops->changed(t->owner);
	t->is_stale = false;
}

/* A page without a time, or with 0, says nothing: then changes are announced, or not at all. */
static void note_ttl(struct mcp_protocol *t, struct json result)
{
	int64_t ms = json_int(JSON_GET(result, "ttlMs"), 0);

	if (ms > 0 && (!t->ttl_ms || ms < t->ttl_ms))
		t->ttl_ms = ms;
}

static void page_came(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	struct json list = JSON_GET(m->result, "tools"), v;
	struct str cursor = json_str(JSON_GET(m->result, "nextCursor")), key;
	struct json_iter it = json_iter(list);

	t->list_id = 0;
	if (m->kind != JSONRPC_RESULT || json_type(list) != JSON_ARR) {
		break_off(t, m->kind == JSONRPC_RESULT
		                     ? STR("its list of tools is none")
		                     : arena_printf(t->mem, "tools/list: %.*s",
		                                    STR_ARG(str_head(m->error_message, 300))));
		return;
	}
	note_ttl(t, m->result);
	while (json_next(&it, &key, &v))
		take_tool(t, v);
	if (!cursor.len)
		list_is_whole(t);
	else if (++t->pages == PAGES_MAX)
		break_off(t, STR("its list of tools does not end"));
	else
		fetch_page(t, cursor);
}

/* ---- calls ---- */

static struct mcp_call *find_call(const struct mcp_protocol *t, int64_t id)
{
	LIST_EACH (&t->calls, node) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);

		if (id && c->id == id)
			return c;
	}
	return NULL;
}

/* Questions are asked one at a time, in the order of the server. */
static struct mcp_question *first_question(const struct mcp_call *c)
{
	LIST_EACH (&c->questions, node) {
		struct mcp_question *q = LIST_ITEM(node, struct mcp_question, node);

		if (!str_is(q->response))
			return q;
	}
	return NULL;
}

/* A user refuses with a word; other requests get an error. */
static void refuse_question(struct mcp_protocol *t, struct mcp_question *q, struct str action)
{
	if (q->sampling) {
		reply_error(t, q->request, JSONRPC_INTERNAL_ERROR, STR("its call has ended"));
		return;
	}
	if (str_is(q->relayed) && !q->is_form) {
		reply_error(t, q->request, CLIENT_REFUSED, STR("the client did not answer"));
		return;
	}
	mcp_message_write_elicited(&t->params, action, STR_NONE);
	reply(t, q->request, buf_str(&t->params));
}

/* Closes a call and drops the server's open questions for it. */
static void close_call(struct mcp_protocol *t, struct mcp_call *c)
{
	list_remove(&c->node);
	LIST_EACH_SAFE (&c->questions, node, next) {
		struct mcp_question *q = LIST_ITEM(node, struct mcp_question, node);

		list_remove(node);
		if (q->request)
			refuse_question(t, q, STR("cancel"));
	}
	arena_free(c->mem);
	c->mem = NULL;
	c->id = 0;
	c->is_open = false;
	ask_waiting(t);
}

static void end_call(struct mcp_protocol *t, struct mcp_call *c, const struct mcp_result *r)
{
	close_call(t, c);
	if (c->ended)
		c->ended(c, r);
	else
		t->ops->ended(t->owner, c, r);
}

static void refuse_call(struct mcp_protocol *t, struct mcp_call *c, struct str why)
{
	end_call(t, c, &(struct mcp_result){ .is_refused = true, .message = why });
}

/* The token is the id that send_request() gives to the call, so progress finds the call by id. */
static void send_call(struct mcp_protocol *t, struct mcp_call *c, struct str responses)
{
	lower_log_level(t, c->client);
	struct mcp_call_text text = { .tool = c->tool,
		                      .client = c->client,
		                      .args = c->args,
		                      .params = c->params,
		                      .token = t->next_id + 1,
		                      .trace = c->trace,
		                      .wants_task = c->wants_task && t->can.has_tasks,
		                      .responses = responses,
		                      .state = c->state };

	mcp_message_write_call(&t->params, t->version, &t->o.client, &text);
	c->id = send_request(t, str_is(c->method) ? c->method : STR("tools/call"));
}

static void cancel_request(struct mcp_protocol *t, struct jsonrpc_call *request, struct str method);

/* A question that waited may be that of a call that is cancelled; no other call gets it. */
static void refuse_waiting(struct mcp_protocol *t)
{
	LIST_EACH_SAFE (&t->waiting, node, next) {
		struct waiting *x = LIST_ITEM(node, struct waiting, node);

		list_remove(node);
		cancel_request(t, x->request, x->method);
		drop_waiting(x);
	}
}

/*
 * A message that does not name its call may be a late one of any call that was made here.  Once there
 * are calls of two callers, it reaches neither of them.
 */
static void note_caller(struct mcp_protocol *t, const struct mcp_call *c)
{
	if (c->is_aside && !str_is(c->caller))
		return; /* of this runtime */
	if (!t->has_caller)
		t->caller = str_is(c->caller) ? arena_keep(t->mem, c->caller) : STR("");
	else if (!t->is_shared && !str_eq(t->caller, str_is(c->caller) ? c->caller : STR(""))) {
		t->is_shared = true;
		refuse_waiting(t);
	}
	t->has_caller = true;
}

void mcp_protocol_call(struct mcp_protocol *t, struct mcp_call *c)
{
	note_caller(t, c);
	list_init(&c->questions);
	c->is_open = true;
	c->mem = NULL;
	c->rounds = c->tries = c->samplings = 0;
	c->is_unsent = c->was_again = false;
	c->state = STR_NONE;
	list_add(&t->calls, &c->node);
	/* Between two sessions it waits for the next one. */
	c->id = 0;
	c->is_unsent = t->state != READY;
	if (!c->is_unsent)
		send_call(t, c, STR_NONE);
}

/*
 * The server may have sent a question before it read that its call is cancelled.  Its answer to a
 * later request says that it has read that.
 */
static void send_fence(struct mcp_protocol *t)
{
	if (t->version != MCP_2025_11_25 || t->o.has_streams)
		return;
	buf_add_c(&t->params, "{}");
	t->fence_id = send_request(t, STR("ping"));
}

/* Silent: the caller reports the end.  A reply that still comes finds no call and is ignored. */
void mcp_protocol_cancel(struct mcp_protocol *t, struct mcp_call *c, struct str reason)
{
	int64_t id = c->id;

	if (!c->is_open)
		return;
	if (!c->is_aside)
		refuse_waiting(t);
	close_call(t, c);
	if (t->state != READY || !id)
		return; /* the server does not listen, or has not received the call */
	mcp_message_write_cancelled(&t->params, id, reason);
	send_notification(t, STR("notifications/cancelled"));
	if (!c->is_aside)
		send_fence(t);
}

/* ---- exchanges that end without an answer ---- */

int64_t mcp_protocol_list_ttl_ms(const struct mcp_protocol *t)
{
	return t->ttl_ms;
}

bool mcp_protocol_awaits(const struct mcp_protocol *t, int64_t id)
{
	return t->state != BROKEN && id &&
	       (id == t->hello_id || id == t->list_id || id == t->listen_id || find_call(t, id));
}

/* All pages again: those that came may be of an older list. */
static void lose_list(struct mcp_protocol *t, struct str why)
{
	t->list_id = 0;
	if (++t->list_tries >= LIST_TRIES_MAX)
		break_off(t, arena_printf(t->mem, "tools/list: %.*s", STR_ARG(str_head(why, 300))));
	else
		mcp_protocol_list(t);
}

void mcp_protocol_lose(struct mcp_protocol *t, int64_t id, bool was_sent, struct str why)
{
	struct mcp_call *c = find_call(t, id);

	if (t->state == BROKEN)
		return;
	if (c && was_sent && c->is_repeatable && t->state == READY && ++c->tries < READ_TRIES_MAX)
		send_call(t, c, STR_NONE);
	else if (c)
		end_call(t, c,
		         &(struct mcp_result){
				 .is_lost = true, .was_sent = was_sent, .message = why });
	else if (id && id == t->listen_id)
		t->listen_id = 0;
	else if (id && id == t->list_id && was_sent)
		lose_list(t, why);
	else if (id && (id == t->hello_id || id == t->list_id))
		break_off(t, why);
}

/* What changes nothing is sent again in the next session. */
static void repeat_later(struct mcp_protocol *t)
{
	LIST_EACH (&t->calls, node) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);

		if (!c->is_repeatable || !c->id)
			continue;
		c->id = 0;
		c->is_unsent = true;
	}
}

/* The other calls of the session may have run, so they are lost. */
void mcp_protocol_renew(struct mcp_protocol *t, int64_t id)
{
	struct mcp_call *unsent = find_call(t, id);

	if (t->state == BROKEN)
		return;
	if (++t->renewals > RENEWALS_MAX || (id && id == t->hello_id)) {
		break_off(t, STR("it does not know the session that it began"));
		return;
	}
	if (unsent && unsent->was_again)
		mcp_protocol_lose(t, id, false, STR("the server does not know its session"));
	else if (unsent)
		unsent->id = 0, unsent->is_unsent = unsent->was_again = true;
	repeat_later(t);
	t->list_id = t->listen_id = 0;
	drop_list(t);
	send_initialize(t);
}

static void send_unsent(struct mcp_protocol *t)
{
	LIST_EACH (&t->calls, node) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);

		if (!c->is_unsent)
			continue;
		c->is_unsent = false;
		send_call(t, c, STR_NONE);
	}
}

struct str mcp_protocol_agreed(const struct mcp_protocol *t)
{
	return t->agreed;
}

/* ---- questions ---- */

static void keep_mem(struct mcp_call *c)
{
	if (!c->mem)
		c->mem = arena_new();
}

/* The client of the call answers what it can; the runtime's own models are for the rest. */
static bool is_for_models(const struct mcp_protocol *t, const struct mcp_call *c, struct str method,
                          struct json params)
{
	return t->o.sampling.is_on && str_is(method) &&
	       str_eq(method, STR("sampling/createMessage")) &&
	       !mcp_relay_takes(c->client, method, params);
}

static enum err read_sampling(struct mcp_protocol *t, struct mcp_call *c, struct json params,
                              struct mcp_question *q, struct error *e)
{
	struct sampling_request *r = ARENA_NEW(c->mem, struct sampling_request);

	if (++c->samplings > LIMIT_MCP_SAMPLINGS)
		return fail(e, ERR_INVALID, "one call asks models at most %d times",
		            LIMIT_MCP_SAMPLINGS);
	if (mcp_sampling_read(c->mem, &t->o.sampling, params, r, &q->stops, e) != OK)
		return e->code;
	r->server = t->o.server;
	q->sampling = r;
	return OK;
}

/*
 * Adds a question that is kept with its call: of the client that made it, of a user, or of a model.
 * NULL: none of them can answer it.
 */
static struct mcp_question *read_question(struct mcp_protocol *t, struct mcp_call *c,
                                          struct str key, struct str method, struct json params,
                                          struct error *e)
{
	struct mcp_question *q;

	keep_mem(c);
	q = ARENA_NEW(c->mem, struct mcp_question);
	*q = (struct mcp_question){ .call = c, .key = arena_keep(c->mem, key) };
	if (mcp_relay_takes(c->client, method, params)) {
		if (mcp_relay_read(c->mem, method, params, q, e) != OK)
			return NULL;
	} else if (is_for_models(t, c, method, params)) {
		if (read_sampling(t, c, params, q, e) != OK)
			return NULL;
	} else if (!str_eq(method, STR("elicitation/create"))) {
		(void)!fail(e, ERR_INVALID, "this client does not support it");
		return NULL;
	} else if (mcp_question_read(c->mem, params, q, e) != OK) {
		return NULL;
	}
	list_add(&c->questions, &q->node);
	return q;
}

static bool is_task_poll(const struct mcp_call *c)
{
	return str_is(c->method) && str_eq(c->method, STR("tasks/get"));
}

static void send_answers(struct mcp_protocol *t, struct mcp_call *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	while (!list_is_empty(&c->questions)) {
		struct mcp_question *q = LIST_ITEM(c->questions.next, struct mcp_question, node);

		list_remove(&q->node);
		if (!str_is(q->key))
			continue; /* a page of 2025-11-25: the call itself is the answer */
		jw_key(&w, q->key);
		jw_raw(&w, q->response);
	}
	jw_obj_end(&w);
	if (is_task_poll(c) && t->version == MCP_2026_07_28) {
		c->method = STR("tasks/update");
		c->is_repeatable = false; /* the answers are gone then; the task is asked again */
	}
	send_call(t, c, t->version == MCP_2026_07_28 ? buf_str(&out) : STR_NONE);
}

static void note_asked(struct mcp_call *c, size_t count)
{
	LIST_EACH (&c->questions, node) {
		struct mcp_question *q = LIST_ITEM(node, struct mcp_question, node);

		if (count && str_is(q->relayed) && !str_is(q->response)) {
			q->is_asked = true;
			count--;
		}
	}
}

static void ask_question(struct mcp_protocol *t, struct mcp_call *c, struct mcp_question *q)
{
	struct mcp_question joined = *q;

	if (str_is(q->relayed))
		note_asked(c, mcp_relay_join(c->mem, &c->questions,
		                             c->client->together && !q->request, &joined));
	q->is_keyed = joined.is_keyed;
	t->ops->asked(t->owner, c, &joined);
}

/* Asks the user the next question; without further questions repeats the call with the answers. */
static void ask_or_repeat(struct mcp_protocol *t, struct mcp_call *c)
{
	struct mcp_question *q = first_question(c);

	if (q && c->is_aside)
		mcp_protocol_answer(t, c, STR("cancel"), STR_NONE);
	else if (q)
		ask_question(t, c, q);
	else
		send_answers(t, c);
}

/* A request of the server was answered: asks the next one, if several came together. */
static void ask_next_request(struct mcp_protocol *t, struct mcp_call *c)
{
	struct mcp_question *q = c->is_open ? first_question(c) : NULL;

	if (q && q->request)
		ask_question(t, c, q);
}

/* The client has answered what it was asked; the others follow. */
static void take_responses(struct mcp_protocol *t, struct mcp_call *c, struct str action,
                           struct str content)
{
	LIST_EACH_SAFE (&c->questions, node, next) {
		struct mcp_question *q = LIST_ITEM(node, struct mcp_question, node);
		struct str response;

		if (!q->is_asked || str_is(q->response))
			continue;
		response = str_eq(action, STR("accept")) ? mcp_relay_response(c->mem, q, content)
		                                         : STR_NONE;
		if (!str_is(response) && q->is_form) {
			mcp_message_write_elicited(&t->params, STR("decline"), STR_NONE);
			response = arena_keep(c->mem, buf_str(&t->params));
			buf_clear(&t->params);
		}
		if (!str_is(response) && !q->request) {
			refuse_call(t, c, STR("the client did not answer what it asks"));
			return;
		}
		q->response = response;
		if (!q->request)
			continue;
		list_remove(node);
		if (str_is(response))
			reply(t, q->request, response);
		else
			refuse_question(t, q, STR("decline"));
		ask_next_request(t, c);
		return; /* the server has the answer, and its call stays open */
	}
	ask_or_repeat(t, c);
}

/* spec: code -1 — the user has refused.  A call of 2026-07-28 cannot be repeated without the answer. */
static void answer_sampling(struct mcp_protocol *t, struct mcp_call *c, struct mcp_question *q,
                            struct str action, struct str content)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str why = arena_printf(mem, "no model was asked: %.*s",
	                              STR_ARG(str_is(content) ? content : STR("not possible")));
	bool is_answer = str_eq(action, STR("accept"));

	if (is_answer) {
		mcp_sampling_write(&t->params, content, q->stops);
		q->response = arena_keep(c->mem, buf_str(&t->params));
		buf_clear(&t->params);
	}
	if (!q->request && is_answer) {
		ask_or_repeat(t, c);
		return;
	}
	if (!q->request) {
		refuse_call(t, c, why);
		return;
	}
	list_remove(&q->node);
	if (is_answer)
		reply(t, q->request, q->response);
	else
		reply_error(t, q->request,
		            str_eq(action, STR("decline")) ? CLIENT_REFUSED
		                                           : JSONRPC_INTERNAL_ERROR,
		            why);
	ask_next_request(t, c);
}

/*
 * The two protocols differ: the older one asks by a request of the server, which is answered at
 * once; the newer one ends the call and wants it again with all answers.
 */
void mcp_protocol_answer(struct mcp_protocol *t, struct mcp_call *c, struct str action,
                         struct str content)
{
	struct mcp_question *q = c->mem ? first_question(c) : NULL;

	if (!q || t->state != READY)
		return;
	if (q->is_keyed) {
		take_responses(t, c, action, content);
		return;
	}
	if (q->sampling) {
		answer_sampling(t, c, q, action, content);
		return;
	}
	/* A page has no content. */
	mcp_message_write_elicited(&t->params, action, q->is_login ? STR_NONE : content);
	q->response = arena_keep(c->mem, buf_str(&t->params));
	buf_clear(&t->params);
	if (q->request) {
		list_remove(&q->node);
		reply(t, q->request, q->response);
		ask_next_request(t, c);
	} else if (!str_is(q->key) && !str_eq(action, STR("accept"))) {
		refuse_call(t, c, STR("it requires a page that the user did not open"));
	} else {
		ask_or_repeat(t, c);
	}
}

/* ---- questions that the server settles ---- */

/* The first question that is being asked now: others are not shown yet. */
static struct mcp_question *find_asked(struct mcp_protocol *t, struct str name, struct str request)
{
	LIST_EACH (&t->calls, node) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);
		struct mcp_question *q = first_question(c);

		if (q && ((str_is(name) && str_eq(q->name, name)) ||
		          (str_is(request) && str_eq(q->request_id, request))))
			return q;
	}
	return NULL;
}

/* spec: 2025-11-25, notifications/elicitation/complete: unknown ids are ignored. */
static void on_page_done(struct mcp_protocol *t, struct json params)
{
	struct mcp_question *q =
		find_asked(t, json_str(JSON_GET(params, "elicitationId")), STR_NONE);
	struct mcp_call *c;

	if (!q)
		return;
	c = q->call;
	t->ops->settled(t->owner, c, true);
	/* The callback may have ended the call. */
	if (c->is_open && first_question(c) == q)
		mcp_protocol_answer(t, c, STR("accept"), STR_NONE);
}

/* Questions behind the first one have not been shown yet. */
static void drop_unasked(struct mcp_protocol *t, struct mcp_call *c, struct str request_id)
{
	LIST_EACH_SAFE (&c->questions, node, next) {
		struct mcp_question *q = LIST_ITEM(node, struct mcp_question, node);

		if (q == first_question(c) || !q->request || !str_eq(q->request_id, request_id))
			continue;
		list_remove(node);
		refuse_question(t, q, STR("cancel"));
	}
}

/* The server withdraws a request of its own. */
static void on_withdrawn(struct mcp_protocol *t, struct json params)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json id = JSON_GET(params, "requestId");
	struct mcp_question *q = json_is(id) ? find_asked(t, STR_NONE, json_text(mem, id)) : NULL;
	struct mcp_call *c;

	LIST_EACH_SAFE (&t->waiting, node, next) {
		struct waiting *x = LIST_ITEM(node, struct waiting, node);

		if (!json_is(id) || !str_eq(x->id, json_text(mem, id)))
			continue;
		reply_error(t, x->request, CLIENT_REFUSED, STR("it was withdrawn"));
		drop_waiting(x);
	}
	LIST_EACH (&t->calls, node)
		if (json_is(id))
			drop_unasked(t, LIST_ITEM(node, struct mcp_call, node), json_text(mem, id));
	if (!q)
		return;
	c = q->call;
	t->ops->settled(t->owner, c, false);
	if (c->is_open && first_question(c) == q)
		mcp_protocol_answer(t, c, STR("cancel"), STR_NONE);
}

static bool take_request(struct mcp_protocol *t, struct mcp_call *c, struct str key, struct json v,
                         struct error *e)
{
	struct str method = json_str(JSON_GET(v, "method"));
	struct mcp_question *q;

	if (!str_eq(method, STR("roots/list")) ||
	    mcp_relay_takes(c->client, method, JSON_GET(v, "params")))
		return read_question(t, c, key, method, JSON_GET(v, "params"), e) != NULL;
	keep_mem(c);
	q = ARENA_NEW(c->mem, struct mcp_question);
	mcp_message_write_roots(&t->params, &t->o.client);
	*q = (struct mcp_question){ .call = c,
		                    .key = arena_keep(c->mem, key),
		                    .response = arena_keep(c->mem, buf_str(&t->params)) };
	buf_clear(&t->params);
	list_add(&c->questions, &q->node);
	return true;
}

/* How much a result asks for, and the state that comes back with the answers. */
static bool is_within_bounds(struct json result)
{
	struct str state = json_str(JSON_GET(result, "requestState"));

	return json_count(JSON_GET(result, "inputRequests")) <= QUESTIONS_MAX &&
	       (!str_is(state) || state.len <= LIMIT_MCP_STATE_BYTES);
}

/* What an earlier round asked for, and its state, are not needed any more. */
static void forget_round(struct mcp_call *c)
{
	if (!list_is_empty(&c->questions))
		return;
	arena_free(c->mem); /* NULL is fine */
	c->mem = NULL;
	c->state = STR_NONE;
}

static bool asks_models_alone(const struct mcp_protocol *t, const struct mcp_call *c,
                              struct json wanted)
{
	struct json_iter it = json_iter(wanted);
	struct json v;
	struct str key;

	while (json_type(wanted) == JSON_OBJ && json_next(&it, &key, &v))
		if (!is_for_models(t, c, json_str(JSON_GET(v, "method")), JSON_GET(v, "params")))
			return false;
	return json_count(wanted) > 0;
}

/* A request that a model cannot be asked is described; others are of no kind that is known. */
static void refuse_asking(struct mcp_protocol *t, struct mcp_call *c, struct json asked,
                          const struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	if (is_for_models(t, c, json_str(JSON_GET(asked, "method")), JSON_GET(asked, "params")))
		refuse_call(
			t, c,
			arena_printf(mem, "its request to a model is not valid: %s", e->message));
	else
		refuse_call(t, c, STR("it asks for something that this client does not support"));
}

/* spec: 2026-07-28, InputRequiredResult: the call is made again with the answers. */
static void input_required(struct mcp_protocol *t, struct mcp_call *c, struct json result)
{
	struct json wanted = JSON_GET(result, "inputRequests"), v;
	struct str state = json_str(JSON_GET(result, "requestState")), key;
	struct json_iter it = json_iter(wanted);
	struct error e = { 0 };

	/* Requests to models are counted by themselves. */
	if (!asks_models_alone(t, c, wanted))
		c->rounds++;
	if (c->rounds > ROUNDS_MAX || !is_within_bounds(result)) {
		refuse_call(t, c, STR("it asks for more and more"));
		return;
	}
	forget_round(c);
	if (str_is(state)) {
		keep_mem(c);
		/* The server's own state: it comes back with the answers, unread. */
		c->state = arena_keep(c->mem, state);
	}
	while (json_type(wanted) == JSON_OBJ && json_next(&it, &key, &v))
		if (key.len > KEY_MAX || !take_request(t, c, key, v, &e)) {
			refuse_asking(t, c, v, &e);
			return;
		}
	c->id = 0; /* that request is over; the next one has its own id */
	ask_or_repeat(t, c);
}

/*
 * Of a request aside whose caller answers for itself: may all that the server asks be passed on?  As
 * for the call of a tool.
 */
static bool may_pass_on(const struct mcp_call *c, struct json result)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json wanted = JSON_GET(result, "inputRequests"), v, params;
	struct json_iter it = json_iter(wanted);
	struct mcp_question q;
	struct error e = { 0 };
	struct str key, method;

	if (json_type(wanted) != JSON_OBJ || !is_within_bounds(result))
		return false;
	while (json_next(&it, &key, &v)) {
		method = json_str(JSON_GET(v, "method"));
		params = JSON_GET(v, "params");
		q = (struct mcp_question){ 0 };
		if (key.len > KEY_MAX || !str_is(method) ||
		    !mcp_relay_takes(c->client, method, params) ||
		    mcp_relay_read(mem, method, params, &q, &e) != OK)
			return false;
	}
	return true;
}

/* spec: 2025-11-25, URLElicitationRequiredError: the call is repeated when the pages were opened. */
static void pages_required(struct mcp_protocol *t, struct mcp_call *c, struct json data)
{
	struct json list = JSON_GET(data, "elicitations"), v;
	struct json_iter it = json_iter(list);
	struct error e = { 0 };
	struct str key;

	if (++c->rounds > ROUNDS_MAX || json_type(list) != JSON_ARR || !json_count(list) ||
	    json_count(list) > QUESTIONS_MAX) {
		refuse_call(t, c, STR("it asks for more and more"));
		return;
	}
	while (json_next(&it, &key, &v))
		if (!str_eq(json_str(JSON_GET(v, "mode")), STR("url")) ||
		    !read_question(t, c, STR_NONE, STR("elicitation/create"), v, &e)) {
			refuse_call(t, c, STR("it requires a page that no user can be shown"));
			return;
		}
	c->id = 0;
	ask_or_repeat(t, c);
}

static bool is_word(struct str text, const char *word)
{
	return str_is(text) && str_eq(text, str_from(word));
}

/* In 2026-07-28 a task has its questions; they are answered by tasks/update. */
static bool task_asks(const struct mcp_call *c, struct json result)
{
	return is_task_poll(c) && is_word(json_str(JSON_GET(result, "status")), "input_required") &&
	       json_count(JSON_GET(result, "inputRequests"));
}

static void call_answered(struct mcp_protocol *t, struct mcp_call *c,
                          const struct jsonrpc_message *m)
{
	struct str kind = json_str(JSON_GET(m->result, "resultType"));
	struct mcp_result r = { .is_refused = m->kind != JSONRPC_RESULT };

	if (r.is_refused) {
		r.code = m->error_code;
		r.error_data = m->error_data;
		r.message = m->error_message;
		/* The parameters to mirror are others than those of the list. */
		if (r.code == MCP_HEADER_MISMATCH)
			t->ops->changed(t->owner);
	}

	if (r.is_refused && r.code == MCP_URL_REQUIRED && t->version == MCP_2025_11_25) {
		pages_required(t, c, m->error_data);
		return;
	}
	if (!r.is_refused && json_type(m->result) != JSON_OBJ) {
		refuse_call(t, c, STR("its result is not an object"));
		return;
	}
	if (!r.is_refused && c->is_aside && c->client && is_word(kind, "input_required") &&
	    !may_pass_on(c, m->result)) {
		refuse_call(t, c, STR("it asks for something that this client does not support"));
		return;
	}
	/* Who makes a request aside and answers for itself, repeats it itself, too. */
	if (!r.is_refused && !(c->is_aside && c->client) &&
	    (is_word(kind, "input_required") || task_asks(c, m->result))) {
		input_required(t, c, m->result);
		return;
	}
	r.is_error = json_bool(JSON_GET(m->result, "isError"), false);
	r.content = JSON_GET(m->result, "content");
	r.structured = JSON_GET(m->result, "structuredContent");
	r.whole = m->result;
	end_call(t, c, &r);
}

/* ---- what the server says ---- */

static void on_progress(struct mcp_protocol *t, struct json params)
{
	struct mcp_call *c = find_call(t, json_int(JSON_GET(params, "progressToken"), 0));
	struct json total = JSON_GET(params, "total"), done = JSON_GET(params, "progress");
	/* Below this a double holds integers exactly, and the conversion cannot overflow. */
	double most = 1e15;

	if (!c || c->is_aside)
		return;
	double d = json_real(done, -1), of = json_real(total, -1);

	t->ops->progress(t->owner, c, json_str(JSON_GET(params, "message")),
	                 d >= 0 && d < most ? (int64_t)d : -1,
	                 of >= 0 && of < most ? (int64_t)of : -1);
}

static size_t count_turn_calls(const struct mcp_protocol *t)
{
	size_t count = 0;

	LIST_EACH (&t->calls, node)
		count += !LIST_ITEM(node, struct mcp_call, node)->is_aside;
	return count;
}

/*
 * Could the server ask for this call now?  One that waits for an answer is taken to ask nothing more
 * while others are open: else one that is never answered would hold the questions of all.
 */
static bool may_ask(const struct mcp_protocol *t, const struct mcp_call *c)
{
	return !c->is_aside && (count_turn_calls(t) == 1 || !c->mem || !first_question(c));
}

static size_t count_asking(const struct mcp_protocol *t)
{
	size_t count = 0;

	LIST_EACH (&t->calls, node)
		count += may_ask(t, LIST_ITEM(node, struct mcp_call, node));
	return count;
}

/* The only open call of a turn that could ask; NULL: there is none, or several. */
static struct mcp_call *only_call(struct mcp_protocol *t)
{
	if (count_asking(t) != 1)
		return NULL;
	LIST_EACH (&t->calls, node) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);

		if (may_ask(t, c))
			return c;
	}
	return NULL;
}

/* Is the message on no stream of a request, and were all calls so far of one caller? */
static bool is_of_one_caller(const struct mcp_protocol *t)
{
	return !t->stream_id && !t->is_shared && !t->fence_id;
}

/*
 * The call that a message of the server belongs to, which does not name it.  Over HTTP the stream does;
 * else it is known only if exactly one is open, and no other caller has used this connection.
 */
static struct mcp_call *call_of_message(struct mcp_protocol *t)
{
	struct mcp_call *c = t->stream_id          ? find_call(t, t->stream_id)
	                     : is_of_one_caller(t) ? only_call(t)
	                                           : NULL;

	return c && !c->is_aside ? c : NULL;
}

static void count_unclaimed(struct mcp_protocol *t)
{
	if (!count_turn_calls(t))
		return; /* there is no caller */
	t->unclaimed++;
	if (t->ops->unclaimed)
		t->ops->unclaimed(t->owner, t->unclaimed);
}

static void cancel_request(struct mcp_protocol *t, struct jsonrpc_call *request, struct str method)
{
	if (!str_eq(method, STR("elicitation/create"))) {
		reply_error(t, request, CLIENT_REFUSED, STR("it cannot be asked now"));
		return;
	}
	mcp_message_write_elicited(&t->params, STR("cancel"), STR_NONE);
	reply(t, request, buf_str(&t->params));
}

static size_t count_questions(const struct mcp_call *c)
{
	size_t count = 0;

	LIST_EACH (&c->questions, node)
		count++;
	return count;
}

/* A question to a person, or any request that the client of the call answers. */
static void ask_for(struct mcp_protocol *t, struct mcp_call *c, struct jsonrpc_call *request,
                    struct str id, struct str method, struct json params)
{
	struct mcp_question *q = NULL;
	size_t open = c->mem ? count_questions(c) : 0;
	struct error e = { 0 };

	forget_round(c);
	if (!is_for_models(t, c, method, params))
		c->rounds++;
	if (open >= QUESTIONS_MAX || c->rounds > ROUNDS_MAX) {
		cancel_request(t, request, method);
		return;
	}
	q = read_question(t, c, STR_NONE, method, params, &e);
	if (!q) {
		reply_error(t, request, JSONRPC_INVALID_PARAMS, str_from(e.message));
		return;
	}
	q->request = request;
	q->request_id = arena_keep(c->mem, id);
	/* Requests that come together are asked one after the other. */
	if (!open)
		ask_question(t, c, q);
}

/* ---- questions whose call is not known ---- */

static size_t count_waiting(const struct mcp_protocol *t)
{
	size_t count = 0;

	LIST_EACH (&t->waiting, node)
		count++;
	return count;
}

/*
 * Calls that ask nothing end by themselves; the one that is left has asked.  If all of them ask, that
 * never happens, and the question is cancelled.
 */
static void keep_waiting(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	struct arena *mem;
	struct waiting *x;

	if (count_waiting(t) + 1 >= count_asking(t)) {
		cancel_request(t, m->call, m->method);
		return;
	}
	mem = arena_new();
	x = ARENA_NEW(mem, struct waiting);
	*x = (struct waiting){ .mem = mem,
		               .request = m->call,
		               .id = arena_keep(mem, m->id),
		               .method = arena_keep(mem, m->method),
		               .params =
		                       json_is(m->params) ? json_text(mem, m->params) : STR("{}") };
	list_add(&t->waiting, &x->node);
}

/* A call has ended: the question is that of the only one that is left; without any it has no answer. */
static void ask_waiting(struct mcp_protocol *t)
{
	struct mcp_call *c = only_call(t);
	struct waiting *x;
	struct json params;

	if (list_is_empty(&t->waiting) || (!c && count_turn_calls(t)))
		return;
	x = LIST_ITEM(t->waiting.next, struct waiting, node);
	list_remove(&x->node);
	if (c && json_read(x->mem, x->params, &params, NULL) == OK)
		ask_for(t, c, x->request, x->id, x->method, params);
	else
		cancel_request(t, x->request, x->method);
	drop_waiting(x);
}

static void on_question(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	struct mcp_call *c = call_of_message(t);

	if (c)
		ask_for(t, c, m->call, m->id, m->method, m->params);
	else if (is_of_one_caller(t) && count_turn_calls(t))
		keep_waiting(t, m);
	else {
		count_unclaimed(t);
		cancel_request(t, m->call, m->method);
	}
}

static bool is_relayed(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	const struct mcp_call *c = t->state == READY ? call_of_message(t) : NULL;

	if (t->state == READY && !c && str_eq(m->method, STR("sampling/createMessage")))
		return count_turn_calls(t) > 0; /* it waits until its call is known */
	return c && (mcp_relay_takes(c->client, m->method, m->params) ||
	             is_for_models(t, c, m->method, m->params));
}

/* Only what was offered in the capabilities: ping, roots, elicitation, and what a client answers. */
static void on_call(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	if (str_eq(m->method, STR("ping"))) {
		reply(t, m->call, STR("{}"));
	} else if (is_relayed(t, m)) {
		on_question(t, m);
	} else if (str_eq(m->method, STR("roots/list")) && str_is(t->o.client.root)) {
		mcp_message_write_roots(&t->params, &t->o.client);
		reply(t, m->call, buf_str(&t->params));
	} else if (str_eq(m->method, STR("elicitation/create")) && t->state == READY) {
		on_question(t, m);
	} else {
		reply_error(t, m->call, JSONRPC_METHOD_NOT_FOUND,
		            STR("this client does not offer it"));
	}
}

/* For the client of a call, at the level that it wants. */
static void on_log(struct mcp_protocol *t, struct json params)
{
	struct mcp_call *c = call_of_message(t);
	struct str word = json_str(JSON_GET(params, "level"));
	uint32_t level = str_is(word) ? rec_enum_read(&enum_tool_log_level, word) : 0;

	if (c && c->client && c->client->log_level && level >= (uint32_t)c->client->log_level)
		t->ops->logged(t->owner, c, params);
	else if (!c)
		count_unclaimed(t);
}

static void on_note(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	static const struct {
		const char *method;
		enum mcp_note note;
	} notes[] = {
		{ "notifications/resources/list_changed", MCP_NOTE_RESOURCES },
		{ "notifications/prompts/list_changed", MCP_NOTE_PROMPTS },
		{ "notifications/resources/updated", MCP_NOTE_UPDATED },
		{ "notifications/message", MCP_NOTE_LOG },
	};

	if (t->state != READY)
		return;
	if (str_eq(m->method, STR("notifications/tools/list_changed")))
		t->ops->changed(t->owner);
	else if (str_eq(m->method, STR("notifications/progress")))
		on_progress(t, m->params);
	else if (str_eq(m->method, STR("notifications/elicitation/complete")))
		on_page_done(t, m->params);
	else if (str_eq(m->method, STR("notifications/cancelled")))
		on_withdrawn(t, m->params);
	else if (str_eq(m->method, STR("notifications/message")))
		on_log(t, m->params);
	for (size_t i = 0; i < COUNT_OF(notes); i++)
		if (str_eq(m->method, str_from(notes[i].method)))
			t->ops->noted(t->owner, notes[i].note, m->params);
}

/* Ids are ours, so they are numbers; everything else is ignored. */
static void on_answer(struct mcp_protocol *t, const struct jsonrpc_message *m)
{
	int64_t id = 0;
	struct mcp_call *c;

	if (!str_to_i64(m->id, &id) || id <= 0)
		return; /* a reply to no request of ours */
	c = find_call(t, id);
	if (id == t->hello_id)
		hello_answered(t, m);
	else if (id == t->list_id)
		page_came(t, m);
	else if (id == t->listen_id)
		t->listen_id = 0;
	else if (id == t->fence_id)
		t->fence_id = 0;
	else if (c)
		call_answered(t, c, m);
	/* else: of something that was cancelled */
}

static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct mcp_protocol *t = user;

	/* The framing waits for a reply to every request, even after the end. */
	if (t->state == BROKEN) {
		if (m->call)
			reply_error(t, m->call, JSONRPC_INTERNAL_ERROR,
			            STR("the conversation is over"));
		return;
	}
	if (m->kind == JSONRPC_CALL)
		on_call(t, m);
	else if (m->kind == JSONRPC_NOTIFICATION)
		on_note(t, m);
	else
		on_answer(t, m);
}

static const struct jsonrpc_ops rpc_ops = { .on_message = on_message, .send = on_send };

void mcp_protocol_feed(struct mcp_protocol *t, struct str bytes)
{
	if (t->state == BROKEN)
		return;
	if (!jsonrpc_feed(t->rpc, bytes))
		break_off(t, STR("a line of it is longer than it may be"));
}

void mcp_protocol_feed_of(struct mcp_protocol *t, int64_t request_id, struct str bytes)
{
	t->stream_id = request_id;
	mcp_protocol_feed(t, bytes);
	t->stream_id = 0;
}

/* ---- its life ---- */

struct mcp_protocol *mcp_protocol_new(const struct mcp_protocol_options *o,
                                      const struct mcp_protocol_ops *ops, void *owner)
{
	struct arena *mem = arena_new();
	struct mcp_protocol *t = ARENA_NEW(mem, struct mcp_protocol);
	struct jsonrpc_options ro = { .line_max = o->line_max, .calls_max = SERVER_CALLS_MAX };

	t->mem = mem;
	t->o = *o;
	t->o.client.name = arena_keep(mem, o->client.name);
	t->o.client.version = arena_keep(mem, o->client.version);
	t->o.client.root = arena_keep(mem, o->client.root);
	t->o.client.log_level = arena_keep(mem, o->client.log_level);
	t->o.server = arena_keep(mem, o->server);
	t->o.sampling.model = arena_keep(mem, o->sampling.model);
	t->ops = ops;
	t->owner = owner;
	list_init(&t->calls);
	list_init(&t->waiting);
	t->rpc = jsonrpc_new(&ro, &rpc_ops, t);
	return t;
}

void mcp_protocol_free(struct mcp_protocol *t)
{
	if (!t)
		return;
	/* replies of freed calls are dropped */
	t->state = BROKEN;
	jsonrpc_free(t->rpc);
	LIST_EACH_SAFE (&t->waiting, node, next) {
		struct waiting *x = LIST_ITEM(node, struct waiting, node);

		jsonrpc_reply_error(x->request, JSONRPC_INTERNAL_ERROR, STR("over"), STR_NONE);
		drop_waiting(x);
	}
	/* The calls belong to the owner; only what hangs on them is freed. */
	LIST_EACH_SAFE (&t->calls, node, next) {
		struct mcp_call *c = LIST_ITEM(node, struct mcp_call, node);

		LIST_EACH_SAFE (&c->questions, qnode, qnext) {
			struct mcp_question *q = LIST_ITEM(qnode, struct mcp_question, node);

			if (q->request)
				jsonrpc_reply_error(q->request, JSONRPC_INTERNAL_ERROR, STR("over"),
				                    STR_NONE);
		}
		list_remove(node);
		arena_free(c->mem);
		c->mem = NULL;
		c->is_open = false;
	}
	drop_list(t);
	arena_free(t->listen_mem);
	buf_done(&t->line);
	buf_done(&t->params);
	arena_free(t->mem);
}

bool mcp_protocol_is_ready(const struct mcp_protocol *t)
{
	return t->state == READY;
}

enum mcp_version mcp_protocol_version(const struct mcp_protocol *t)
{
	return t->version;
}

struct str mcp_protocol_server(const struct mcp_protocol *t)
{
	return t->server;
}

const struct mcp_abilities *mcp_protocol_abilities(const struct mcp_protocol *t)
{
	return &t->can;
}

/* ---- subscriptions to resources ---- */

static bool is_subscribed(const struct mcp_listen *l, struct str uri)
{
	for (size_t i = 0; i < l->uri_count; i++)
		if (str_eq(l->uris[i], uri))
			return true;
	return false;
}

/* The older protocol has a request for each resource; its answer says nothing that is needed. */
static void send_subscriptions(struct mcp_protocol *t, const struct mcp_listen *old)
{
	for (size_t i = 0; i < t->listen.uri_count; i++) {
		if (is_subscribed(old, t->listen.uris[i]))
			continue;
		mcp_message_write_one(&t->params, STR("uri"), t->listen.uris[i]);
		send_request(t, STR("resources/subscribe"));
	}
	for (size_t i = 0; i < old->uri_count; i++) {
		if (is_subscribed(&t->listen, old->uris[i]))
			continue;
		mcp_message_write_one(&t->params, STR("uri"), old->uris[i]);
		send_request(t, STR("resources/unsubscribe"));
	}
}

/* The newer protocol has one request for everything: the old one is cancelled. */
static void listen_again(struct mcp_protocol *t)
{
	if (t->listen_id) {
		mcp_message_write_cancelled(&t->params, t->listen_id, STR("other resources"));
		send_notification(t, STR("notifications/cancelled"));
		t->listen_id = 0;
	}
	mcp_protocol_listen(t);
}

void mcp_protocol_subscribe(struct mcp_protocol *t, const struct str *uris, size_t count)
{
	struct mcp_listen old = t->listen;
	struct arena *mem = arena_new(), *old_mem = t->listen_mem;
	struct str *kept = ARENA_ARRAY(mem, struct str, count + 1);

	if (t->state != READY || !t->can.has_subscribe) {
		arena_free(mem);
		return;
	}
	for (size_t i = 0; i < count; i++)
		kept[i] = arena_keep(mem, uris[i]);
	t->listen_mem = mem;
	t->listen.uris = kept;
	t->listen.uri_count = count;
	if (t->version == MCP_2026_07_28)
		listen_again(t);
	else
		send_subscriptions(t, &old);
	arena_free(old_mem);
}
