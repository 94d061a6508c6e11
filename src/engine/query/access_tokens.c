/*
 * create_token, list_tokens and revoke_token: named tokens, recorded in the system session; and
 * rotate_token, which replaces the owner's.
 */
#include "base/os/clock.h"
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/query/query.h"
#include "engine/request/reach.h"
#include "engine/resources/holders.h"
#include "engine/session/apply.h"
#include "engine/session/fanout.h"
#include "engine/engine_state.h"

#define SYSTEM STR("sess_system")

static int64_t now_of(const struct request *r)
{
	return r->engine->ports.clock->ops->wall_ms(r->engine->ports.clock);
}

static void refuse(struct request *r, enum error_code code, const char *why, struct str name)
{
	request_fail(r, code, why, STR_ARG(name));
	request_reply(r);
}

static bool is_writable(struct request *r, const struct session *s)
{
	if (s && s->phase == SESSION_LIVE)
		return true;
	request_fail(r, ERROR_CODE_UNAVAILABLE, "the system session cannot be written now");
	request_reply(r);
	return false;
}

/* ---- create_token ---- */

/* A name is a part of events and log lines, and is joined with its tenant by a slash. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-' &&
		    c != '@')
			return false;
	}
	return name.len > 0;
}

static bool is_taken_name(struct str name)
{
	static const struct str own[] = { { "owner", 5 }, { "runtime", 7 }, { "system", 6 } };

	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (str_eq(name, own[i]))
			return true;
	return false;
}

/* NULL: the scopes are fine. */
static const char *scopes_fault(const struct cmd_create_token *c, bool reaches_all)
{
	unsigned scopes = 0;

	for (uint32_t i = 0; i < c->scopes.count; i++) {
		uint32_t scope = rec_enum_read(&enum_scope, c->scopes.items[i]);

		if (!scope)
			return "scopes: read, write, approve and admin are there";
		if (scopes & SCOPE_BIT(scope))
			return "scopes: one of them is there twice";
		scopes |= SCOPE_BIT(scope);
	}
	if (!scopes)
		return "scopes: name one at least";
	if ((scopes & SCOPE_BIT(SCOPE_ADMIN)) && !reaches_all)
		return "scopes: admin is for the whole runtime; it needs sessions all and no "
		       "tenant";
	return NULL;
}

static const char *fault_of(const struct request *r, const struct cmd_create_token *c)
{
	bool reaches_all = c->sessions == SESSION_REACH_ALL && !str_is(c->tenant);
	int64_t at;

	if (str_is(r->key.text))
		return "idempotencyKey: not for this command; the stored reply would hold the "
		       "token";
	if (!is_name(c->name) || is_taken_name(c->name))
		return "name: letters, digits and . _ - @; not owner, runtime or system";
	if (str_is(c->tenant) && !is_name(c->tenant))
		return "tenant: letters, digits and . _ - @";
	if (str_is(c->expires_at) && (!clock_time_read(c->expires_at, &at) || at <= now_of(r)))
		return "expiresAt: a time to come, like 2030-01-31T00:00:00Z";
	for (uint32_t i = 0; i < c->directories.count; i++)
		if (!reach_is_plain(c->directories.items[i]))
			return "directories: absolute paths without . and .., and no slash at the "
			       "end";
	return scopes_fault(c, reaches_all);
}

/* 256 bits, so that its hash alone finds it and no guess is feasible. */
static struct str new_token(struct request *r)
{
	struct clock *clock = r->engine->ports.clock;
	uint8_t bytes[32];
	struct buf out = { 0 };
	struct str token;

	clock->ops->entropy(clock, bytes);
	clock->ops->entropy(clock, bytes + 16);
	buf_add_str(&out, STR(CALLER_TOKEN_PREFIX));
	for (size_t i = 0; i < sizeof bytes; i++)
		buf_printf(&out, "%02x", bytes[i]);
	token = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
	return token;
}

static struct rec_access_token *record_of(struct request *r, struct str token)
{
	const struct cmd_create_token *c = r->args;
	struct rec_access_token *t = ARENA_NEW(r->mem, struct rec_access_token);
	int64_t expires_at = 0;

	(void)(str_is(c->expires_at) && clock_time_read(c->expires_at, &expires_at));
	*t = (struct rec_access_token){
		.name = c->name,
		.tenant = c->tenant,
		.scopes = c->scopes,
		.sessions = c->sessions ? c->sessions : SESSION_REACH_OWN,
		.directories = c->directories,
		.expires_at = expires_at,
		.state = ACCESS_TOKEN_STATE_ACTIVE,
		.token_hash = holders_hash(r->mem, token),
		.created_at = now_of(r),
		.created_by = r->caller.principal,
	};
	return t;
}

static bool is_expired(const struct rec_access_token *t, int64_t now_ms)
{
	return t->expires_at && t->expires_at <= now_ms;
}

static size_t count_valid(const struct state *w, int64_t now_ms)
{
	size_t count = 0;

	for (uint32_t i = 0; w->s && i < w->s->access_tokens.count; i++)
		count += !is_expired(w->s->access_tokens.items[i], now_ms);
	return count;
}

static void create_token(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_create_token *c = r->args;
	const struct rec_access_token *old =
		s ? runtime_events_find_token(s->state, c->name) : NULL;
	struct reply_create_token reply = { 0 };
	struct decision *d;

	if (!is_writable(r, s))
		return;
	if (old && !is_expired(old, now_of(r))) {
		refuse(r, ERROR_CODE_TOKEN_EXISTS, "revoke %.*s first, or choose another name",
		       c->name);
		return;
	}
	if (count_valid(s->state, now_of(r)) >= LIMIT_ACCESS_TOKENS) {
		request_fail(r, ERROR_CODE_TOO_MANY_OPEN, "%d tokens are valid; revoke one first",
		             LIMIT_ACCESS_TOKENS);
		request_reply(r);
		return;
	}
	reply.token = new_token(r);
	reply.record = record_of(r, reply.token);
	d = apply_begin(s, &r->command);
	input_runtime_events_token(d, reply.record);
	apply_end(s, d);
	r->session = s;
	reply.record->token_hash = STR_NONE;
	r->response.reply = rec_text(r->mem, &reply_create_token_desc, &reply);
	request_keep(r);
	request_wait(r);
}

void query_create_token(struct request *r, const struct cmd_create_token *c)
{
	const char *fault = fault_of(r, c);

	if (fault) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "%s", fault);
		request_reply(r);
		return;
	}
	request_job_with(r->engine, SYSTEM, true, ELSEWHERE_FORWARD, create_token, r);
}

/* ---- list_tokens ---- */

static void list_tokens(struct session *s, void *arg)
{
	struct request *r = arg;
	struct reply_list_tokens reply = { 0 };
	int64_t now = now_of(r);

	for (uint32_t i = 0; s && s->state && i < s->state->s->access_tokens.count; i++) {
		const struct rec_access_token *t = s->state->s->access_tokens.items[i];
		struct rec_access_token *shown;

		if (is_expired(t, now))
			continue;
		shown = rec_list_add(r->mem, &reply.tokens, &rec_access_token_desc);
		rec_keep(r->mem, &rec_access_token_desc, shown, t);
		shown->token_hash = STR_NONE;
	}
	r->response.reply = rec_text(r->mem, &reply_list_tokens_desc, &reply);
	request_wait_for(r, s);
}

void query_list_tokens(struct request *r, const struct cmd_list_tokens *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, false, ELSEWHERE_FORWARD, list_tokens, r);
}

/* ---- revoke_token ---- */

static void revoke_token(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_revoke_token *c = r->args;
	const struct rec_access_token *old =
		s && s->state ? runtime_events_find_token(s->state, c->name) : NULL;
	struct rec_access_token gone;
	struct reply_revoke_token reply = { .name = c->name };
	struct decision *d;

	if (!old || is_expired(old, now_of(r))) {
		refuse(r, ERROR_CODE_TOKEN_NOT_FOUND, "no valid token is called %.*s", c->name);
		return;
	}
	if (!is_writable(r, s))
		return;
	gone = *old;
	gone.state = ACCESS_TOKEN_STATE_REVOKED;
	gone.token_hash = arena_keep(r->mem, old->token_hash);
	d = apply_begin(s, &r->command);
	input_runtime_events_token(d, &gone);
	apply_end(s, d);
	r->session = s;
	reply.streams = fanout_end_token(r->engine, gone.token_hash);
	r->response.reply = rec_text(r->mem, &reply_revoke_token_desc, &reply);
	request_keep(r);
	request_wait(r);
}

void query_revoke_token(struct request *r, const struct cmd_revoke_token *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, false, ELSEWHERE_FORWARD, revoke_token, r);
}

/* ---- rotate_token ---- */

/*
 * The token is where all nodes find it before the event tells them to look.  If the event is not
 * recorded, the command failed, and is to be repeated: other nodes have the token before until then.
 */
static void rotate_token(struct session *s, void *arg)
{
	struct request *r = arg;
	struct engine *e = r->engine;
	struct reply_rotate_token reply = { 0 };
	struct decision *d;
	struct error err;

	if (!is_writable(r, s))
		return;
	if (e->hooks.new_token(e->hooks.owner, r->mem, &reply.token_id, &err) != OK) {
		request_fail(r, ERROR_CODE_STORE_FAILED, "%s", err.message);
		request_reply(r);
		return;
	}
	d = apply_begin(s, &r->command);
	input_runtime_events_owner_token(d, reply.token_id);
	apply_end(s, d);
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_rotate_token_desc, &reply);
	request_keep(r);
	request_wait(r);
}

/* Who signed in with a code could lock the owner out. */
void query_rotate_token(struct request *r, const struct cmd_rotate_token *c)
{
	(void)c;
	if (str_eq(r->caller.via, STR("console"))) {
		refuse(r, ERROR_CODE_FORBIDDEN,
		       "who signed in with a code cannot replace the token of %.*s",
		       STR("the owner"));
		return;
	}
	if (!r->engine->hooks.new_token) {
		refuse(r, ERROR_CODE_UNAVAILABLE, "this runtime has no token of %.*s",
		       STR("an owner"));
		return;
	}
	request_job_with(r->engine, SYSTEM, true, ELSEWHERE_FORWARD, rotate_token, r);
}
