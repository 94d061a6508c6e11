/*
 * initialize: authenticates a connection and enrols it as a channel.
 *
 * The channel gets a new id or, with its resume token, the id that it had
 * before.  It is disconnected when the connection ends.
 */
#include "base/os/id.h"
#include "base/jw.h"
#include "serve/auth/lend.h"
#include "serve/rpc/rpc.h"

#define CAPABILITIES_MAX 64
#define TEXT_MAX 512 /* of a resume token, a name */

struct hello {
	struct control_enrol enrol; /* its views point into params */
	struct str capabilities[CAPABILITIES_MAX];
	struct str channel_id, resume_token, token;
};

/* ---- reading ---- */

static enum error_code take_bounded(struct str *ret, struct json v, size_t max)
{
	*ret = json_str(v);
	return !str_is(*ret) ? ERROR_CODE_INVALID_TYPE : ret->len > max ? ERROR_CODE_TOO_LARGE : 0;
}

static enum error_code take_text(struct str *ret, struct json v)
{
	return take_bounded(ret, v, TEXT_MAX);
}

static enum error_code take_capabilities(struct hello *h, struct json v)
{
	struct json_iter it = json_iter(v);
	struct str key;
	struct json item;

	if (json_type(v) != JSON_ARR)
		return ERROR_CODE_INVALID_TYPE;
	if (json_count(v) > CAPABILITIES_MAX)
		return ERROR_CODE_TOO_LARGE;
	while (json_next(&it, &key, &item)) {
		enum error_code code =
			take_text(&h->capabilities[h->enrol.capability_count++], item);

		if (code)
			return code;
	}
	return 0;
}

static enum error_code take_role(struct hello *h, struct json v)
{
	h->enrol.role = rec_enum_read(&enum_peer_role, json_str(v));
	return !str_is(json_str(v)) ? ERROR_CODE_INVALID_TYPE
	       : h->enrol.role      ? 0
	                            : ERROR_CODE_INVALID_VALUE;
}

/* Both spellings are accepted, as in commands.  clientInfo is checked and not kept. */
static enum error_code take_member(struct hello *h, struct str key, struct json v)
{
	if (str_eq(key, STR("clientInfo")) || str_eq(key, STR("client_info")))
		return json_type(v) == JSON_OBJ ? 0 : ERROR_CODE_INVALID_TYPE;
	if (str_eq(key, STR("capabilities")))
		return take_capabilities(h, v);
	if (str_eq(key, STR("peerRole")) || str_eq(key, STR("peer_role")))
		return take_role(h, v);
	if (str_eq(key, STR("nativeProtocol")) || str_eq(key, STR("native_protocol")))
		return take_text(&h->enrol.native_protocol, v);
	if (str_eq(key, STR("resumeToken")) || str_eq(key, STR("resume_token")))
		return take_text(&h->resume_token, v);
	if (str_eq(key, STR("token")))
		return take_bounded(&h->token, v, LIMIT_JWT_BYTES);
	if (str_eq(key, STR("channelId")) || str_eq(key, STR("channel_id"))) {
		enum error_code code = take_text(&h->channel_id, v);

		return code ? code : id_is_valid(h->channel_id) ? 0 : ERROR_CODE_INVALID_ID;
	}
	return ERROR_CODE_UNKNOWN_FIELD;
}

static enum error_code read_hello(struct json params, struct hello *h, struct str *bad)
{
	struct json_iter it = json_iter(params);
	struct json v;

	h->enrol.role = PEER_ROLE_CLIENT;
	h->enrol.native_protocol = STR("agent-runtime");
	while (json_next(&it, bad, &v)) {
		enum error_code code = take_member(h, *bad, v);

		if (code)
			return code;
	}
	return 0;
}

/* ---- answering ---- */

static enum transport transport_of(const struct rpc *c)
{
	if (c->ws)
		return TRANSPORT_WEBSOCKET;
	if (str_eq(c->caller.via, STR("stdio")))
		return TRANSPORT_STDIO;
	if (str_eq(c->caller.via, STR("c_api")))
		return TRANSPORT_IN_PROCESS;
	return TRANSPORT_JSON_RPC;
}

static void write_scopes(struct json_writer *w, unsigned scopes)
{
	JW_KEY(w, "scopes");
	jw_arr(w);
	for (int i = 1; i < SCOPE_COUNT; i++)
		if (scopes & SCOPE_BIT(i))
			jw_str(w, scope_word((enum scope)i));
	jw_arr_end(w);
}

/* The resume token is returned once, here; a client that wants its channel back has to keep it. */
static void response(struct rpc *c, struct jsonrpc_call *reply)
{
	static const char *const ours[] = { "commands", "events", "gap", "batch" };
	struct control_health health = { 0 };
	struct buf result = { 0 };
	struct json_writer w;

	c->serve->control->ops->health(c->serve->control, &health);
	jw_init(&w, &result);
	jw_obj(&w);
	JW_KSTR(&w, "protocol", STR("agent-runtime"));
	JW_KSTR(&w, "version", str_is(health.version) ? health.version : c->serve->opt.version);
	JW_KSTR(&w, "schemaVersion", SCHEMA_VERSION);
	JW_KSTR(&w, "runtimeId", health.runtime_id);
	JW_KSTR(&w, "principal", c->caller.principal);
	JW_KSTR(&w, "channelId", c->channel->id);
	JW_KSTR(&w, "resumeToken", c->channel->resume_token);
	write_scopes(&w, c->caller.scopes);
	JW_KEY(&w, "capabilities");
	jw_arr(&w);
	for (size_t i = 0; i < COUNT_OF(ours); i++)
		jw_str(&w, str_from(ours[i]));
	jw_arr_end(&w);
	jw_obj_end(&w);
	rpc_reply(reply, &result);
}

/*
 * Another token of the same principal may permit more or less, and end at another time.  Keys that
 * were lent to the connection stay with its principal and end with another one.
 */
static void become(struct rpc *c, const struct caller *who)
{
	struct caller *now = &c->caller;

	if (!c->is_known || !str_eq(who->principal, now->principal)) {
		lend_end(c->serve, now);
		*now = *who;
		return;
	}
	now->scopes = who->scopes;
	now->until_ms = who->until_ms;
	now->token = who->token;
	now->reach = who->reach;
	now->home = who->home;
	now->directories = who->directories;
}

/* Named tokens are known when the system session has been read. */
static bool is_starting(const struct rpc *c, struct str token)
{
	struct control_health health = { 0 };

	c->serve->control->ops->health(c->serve->control, &health);
	return !health.ready && str_starts(token, STR(CALLER_TOKEN_PREFIX));
}

/*
 * Parameters are checked before the state, so that a client with a mistake learns of
 * it.  A refused token leaves the connection open: the client may try again.
 */
void rpc_init_connection(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct hello h = { 0 };
	struct str bad;
	enum error_code code = read_hello(params, &h, &bad);
	enum auth_answer answer = AUTH_KNOWN;
	struct auth_wait wait = { 0 };

	if (code) {
		rpc_refuse(reply, code, bad);
		return;
	}
	if (c->is_initialized) {
		rpc_refuse(reply, ERROR_CODE_INVALID_REQUEST,
		           STR("this connection has been initialized"));
		return;
	}
	/* A token decides alone, even if it is wrong; without one a known peer stays who it is. */
	if (!c->is_known || str_is(h.token)) {
		struct caller who = { .via = c->caller.via, .trace = c->caller.trace };

		answer = auth_token(&c->serve->auth, h.token, &who, &wait);
		if (answer == AUTH_KNOWN)
			become(c, &who);
	}
	if (answer != AUTH_KNOWN && is_starting(c, h.token)) {
		rpc_refuse(reply, ERROR_CODE_STARTING, STR("named tokens are not known yet"));
		return;
	}
	if (answer == AUTH_WAIT || answer == AUTH_UNAVAILABLE) {
		rpc_refuse(reply, ERROR_CODE_ISSUER_UNAVAILABLE,
		           STR("the keys of the token's issuer are not there yet; try again"));
		return;
	}
	if (answer == AUTH_NO_SCOPE || answer == AUTH_FULL) {
		rpc_refuse(reply,
		           answer == AUTH_FULL ? ERROR_CODE_TOO_MANY_BEARERS : ERROR_CODE_FORBIDDEN,
		           str_from(wait.why));
		return;
	}
	if (answer != AUTH_KNOWN) {
		serve_state_refused(c->serve, c->ws ? STR("websocket") : STR("json_rpc"), NULL);
		rpc_refuse(reply, ERROR_CODE_UNAUTHORIZED, STR("the token is missing or wrong"));
		return;
	}
	c->is_known = true;
	h.enrol.caller = c->caller;
	h.enrol.transport = transport_of(c);
	h.enrol.capabilities = h.capabilities;
	h.enrol.channel_id = h.channel_id;
	h.enrol.resume_token = h.resume_token;
	c->channel = c->serve->control->ops->enrol(c->serve->control, &h.enrol);
	if (!c->channel) {
		rpc_refuse(
			reply, ERROR_CODE_CHANNEL_NOT_FOUND,
			STR("the resume token does not fit, or that channel is connected already"));
		return;
	}
	c->is_initialized = true;
	c->caller.channel_id = c->channel->id;
	response(c, reply);
}
