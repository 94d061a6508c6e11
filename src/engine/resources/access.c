/*
 * Named tokens in memory: the valid ones by the hash of the token, as the events
 * of the system session say, and when they expire.
 */
#include "engine/resources/access.h"

#include "base/hash/seal.h"
#include "core/runtime_events.h"
#include "engine/session/fanout.h"

#define SYSTEM STR("sess_system")
#define TAG_DIGITS 12
#define LOOK_AGAIN_MS 3600000

/* Transports keep views of these strings, so a revoked one stays until the engine ends. */
struct access_token {
	struct list node;
	struct arena *mem;
	const struct rec_access_token *record;
	struct str reach, home;
	struct list_str directories;
	unsigned scopes;
	bool is_revoked;
};

/* ---- what a principal can reach ---- */

static struct str tag_of(const struct engine *e, struct arena *mem, const char *kind,
                         struct str tenant, struct str name)
{
	struct sha256 mac =
		sha256_hmac(e->secret, arena_printf(mem, "thole sessions\n%s\n%.*s\n%.*s", kind,
	                                            STR_ARG(tenant), STR_ARG(name)));

	return str_head(sha256_hex(mem, &mac), TAG_DIGITS);
}

/* Without a tenant, "all" is everything and new sessions have ordinary ids. */
static void set_reach(const struct engine *e, struct access_token *t)
{
	const struct rec_access_token *r = t->record;
	struct str tenant = str_is(r->tenant) ? r->tenant : STR("");
	struct str first = tag_of(e, t->mem, "tenant", tenant, STR(""));
	struct str second = tag_of(e, t->mem, "principal", tenant, r->name);

	if (!str_is(r->tenant) && r->sessions == SESSION_REACH_ALL)
		return;
	t->home = arena_printf(t->mem, "sess_%.*s%.*s_", STR_ARG(first), STR_ARG(second));
	t->reach = r->sessions == SESSION_REACH_OWN
	                   ? t->home
	                   : arena_printf(t->mem, "sess_%.*s", STR_ARG(first));
}

static void set_directories(const struct engine *e, struct access_token *t)
{
	for (uint32_t i = 0; i < t->record->directories.count; i++)
		rec_list_str_add(t->mem, &t->directories, t->record->directories.items[i]);
	if (!t->directories.count && str_is(t->reach))
		rec_list_str_add(t->mem, &t->directories, arena_keep(t->mem, e->settings.cwd));
}

bool access_reaches(const struct caller *caller, struct str session_id)
{
	return !str_is(caller->reach) || str_starts(session_id, caller->reach);
}

/* ---- the valid ones ---- */

static int64_t now_of(const struct engine *e)
{
	return e->ports.clock->ops->wall_ms(e->ports.clock);
}

static bool is_expired(const struct access_token *t, int64_t now_ms)
{
	return t->record->expires_at && t->record->expires_at <= now_ms;
}

/* Streams end when their token does; requests are checked one by one. */
static void look_at_expiry(struct engine *e)
{
	int64_t now = now_of(e), wait = LOOK_AGAIN_MS;

	LIST_EACH (&e->access.all, node) {
		struct access_token *t = LIST_ITEM(node, struct access_token, node);

		if (t->is_revoked || !t->record->expires_at)
			continue;
		if (is_expired(t, now))
			fanout_end_token(e, t->record->token_hash);
		else
			wait = MIN(wait, t->record->expires_at - now);
	}
	e->ports.clock->ops->start(e->ports.clock, &e->access.timer, wait);
}

static void on_expiry(struct clock_timer *timer)
{
	look_at_expiry(OWNER_OF(timer, struct engine, access.timer));
}

static void forget_token(struct engine *e, struct str name)
{
	LIST_EACH (&e->access.all, node) {
		struct access_token *t = LIST_ITEM(node, struct access_token, node);

		if (t->is_revoked || !str_eq(t->record->name, name))
			continue;
		t->is_revoked = true;
		map_remove(&e->access.by_hash, t->record->token_hash);
	}
}

static void keep_token(struct engine *e, const struct rec_access_token *record)
{
	struct arena *mem = arena_new_small();
	struct access_token *t = ARENA_NEW(mem, struct access_token);

	t->mem = mem;
	t->record = rec_clone(mem, &rec_access_token_desc, record);
	for (uint32_t i = 0; i < record->scopes.count; i++)
		t->scopes |= SCOPE_BIT(rec_enum_read(&enum_scope, record->scopes.items[i]));
	set_reach(e, t);
	set_directories(e, t);
	list_add(&e->access.all, &t->node);
	map_put(&e->access.by_hash, t->record->token_hash, t);
	if (record->expires_at)
		look_at_expiry(e);
}

/* Before the event is durable: a token that is revoked must not be used in between. */
void access_folded(struct session *s, const struct event *ev)
{
	const struct ev_session_updated *p = ev->payload;

	if (ev->type != EV_SESSION_UPDATED || !p->access_token || !str_eq(s->id, SYSTEM))
		return;
	forget_token(s->engine, p->access_token->name);
	if (p->access_token->state == ACCESS_TOKEN_STATE_ACTIVE)
		keep_token(s->engine, p->access_token);
}

static void copy_tokens(struct session *s, void *arg)
{
	struct engine *e = arg;

	for (uint32_t i = 0; s && s->state && i < s->state->s->access_tokens.count; i++)
		keep_token(e, s->state->s->access_tokens.items[i]);
	e->recovering--;
	LISTENERS_CALL(e->listeners->start_moved, e);
}

void access_learn(struct engine *e)
{
	e->recovering++;
	request_job(e, SYSTEM, false, copy_tokens, e);
}

void access_init(struct engine *e)
{
	list_init(&e->access.all);
	e->access.timer.fire = on_expiry;
}

void access_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->access.timer);
	while (!list_is_empty(&e->access.all)) {
		struct access_token *t =
			LIST_ITEM(e->access.all.next, struct access_token, node);

		list_remove(&t->node);
		arena_free(t->mem);
	}
	map_done(&e->access.by_hash);
}

/* ---- callers ---- */

struct str access_hash(struct arena *mem, struct str token)
{
	struct sha256 hash = sha256_of(token);

	return sha256_hex(mem, &hash);
}

/* Finding the hash of a guess in a map tells nothing about the tokens: hashes are no secret. */
bool access_principal(struct control *c, struct str token, struct caller *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const struct access_token *t = map_get(&e->access.by_hash, access_hash(mem, token));

	if (!t || is_expired(t, now_of(e)))
		return false;
	ret->principal = t->record->name;
	ret->scopes = t->scopes;
	ret->token = t->record->token_hash;
	ret->reach = t->reach;
	ret->home = t->home;
	ret->directories = t->directories.count ? &t->directories : NULL;
	return true;
}

bool access_is_valid(const struct engine *e, const struct caller *caller)
{
	const struct access_token *t;

	if (!str_is(caller->token))
		return true;
	t = map_get(&e->access.by_hash, caller->token);
	return t && !is_expired(t, now_of(e));
}

/* ---- places in the log of all sessions ---- */

static struct str place_key(const struct engine *e, struct arena *mem, struct str reach)
{
	struct sha256 key = sha256_hmac(e->secret, arena_printf(mem, "thole places\n%.*s",
	                                                        STR_ARG(reach)));

	return sha256_hex(mem, &key);
}

uint64_t access_show_place(const struct engine *e, struct str reach, uint64_t position)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	return str_is(reach) ? seal(place_key(e, mem, reach), position) : position;
}

/* 0 is the beginning for everyone; a number that no caller was given is read as the beginning. */
uint64_t access_read_place(const struct engine *e, struct str reach, uint64_t shown)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store_stats stats;
	uint64_t position;

	if (!str_is(reach) || !shown)
		return shown;
	e->ports.store->ops->stats(e->ports.store, &stats);
	position = seal_open(place_key(e, mem, reach), shown);
	return position <= stats.last_position ? position : 0;
}

uint64_t access_last_place(struct control *c, struct str reach)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct store_stats stats;

	e->ports.store->ops->stats(e->ports.store, &stats);
	return access_show_place(e, reach, stats.last_position);
}
