/*
 * Named tokens in memory: the valid ones by the hash of the token, what their
 * holders can reach, and what they have under way.
 */
#include "engine/resources/holders.h"

#include "base/hash/seal.h"

#define TAG_DIGITS 12

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
static void set_reach(const struct engine *e, struct holder *t)
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

static void set_directories(const struct engine *e, struct holder *t)
{
	for (uint32_t i = 0; i < t->record->directories.count; i++)
		rec_list_str_add(t->mem, &t->directories, t->record->directories.items[i]);
	if (!t->directories.count && str_is(t->reach))
		rec_list_str_add(t->mem, &t->directories, arena_keep(t->mem, e->settings.cwd));
}

/* Of the form that set_reach() gives: bearers of an issuer's tokens are not known after a restart. */
bool holders_own(struct str session_id)
{
	struct str tags = str_skip(session_id, strlen("sess_"));

	if (!str_starts(session_id, STR("sess_")) || tags.len <= 2 * TAG_DIGITS ||
	    tags.ptr[2 * TAG_DIGITS] != '_')
		return false;
	for (size_t i = 0; i < 2 * TAG_DIGITS; i++)
		if (!(tags.ptr[i] >= '0' && tags.ptr[i] <= '9') &&
		    !(tags.ptr[i] >= 'a' && tags.ptr[i] <= 'f'))
			return false;
	return true;
}

bool holders_reaches(const struct caller *caller, struct str session_id)
{
	return !str_is(caller->reach) || str_starts(session_id, caller->reach);
}

struct str holders_new_session(struct arena *mem, const struct caller *caller,
                               struct id_source *ids)
{
	struct str id = id_make(mem, ids, "sess");

	if (!str_is(caller->home))
		return id;
	return arena_printf(mem, "%.*s%.*s", STR_ARG(caller->home),
	                    STR_ARG(str_skip(id, strlen("sess_"))));
}

/* ---- the valid ones ---- */

static int64_t now_of(const struct engine *e)
{
	return e->ports.clock->ops->wall_ms(e->ports.clock);
}

bool holders_is_expired(const struct holder *t, int64_t now_ms)
{
	return t->record->expires_at && t->record->expires_at <= now_ms;
}

void holders_remove(struct engine *e, struct str name)
{
	LIST_EACH (&e->holders.all, node) {
		struct holder *t = LIST_ITEM(node, struct holder, node);

		if (t->is_revoked || !str_eq(t->record->name, name))
			continue;
		t->is_revoked = true;
		map_remove(&e->holders.by_hash, t->record->token_hash);
	}
}

void holders_forget_issuer(struct engine *e, struct str prefix)
{
	LIST_EACH (&e->holders.all, node) {
		struct holder *t = LIST_ITEM(node, struct holder, node);

		if (t->is_revoked || !str_starts(t->record->token_hash, prefix))
			continue;
		t->is_revoked = true;
		e->holders.bearers--;
		map_remove(&e->holders.by_hash, t->record->token_hash);
	}
}

void holders_add(struct engine *e, const struct rec_access_token *record)
{
	struct arena *mem = arena_new_small();
	struct holder *t = ARENA_NEW(mem, struct holder);

	t->mem = mem;
	t->record = rec_clone(mem, &rec_access_token_desc, record);
	for (uint32_t i = 0; i < record->scopes.count; i++)
		t->scopes |= SCOPE_BIT(rec_enum_read(&enum_scope, record->scopes.items[i]));
	t->principal = str_is(record->tenant)
	                       ? arena_printf(mem, "%.*s/%.*s", STR_ARG(record->tenant),
	                                      STR_ARG(record->name))
	                       : t->record->name;
	set_reach(e, t);
	set_directories(e, t);
	list_add(&e->holders.all, &t->node);
	map_put(&e->holders.by_hash, t->record->token_hash, t);
}

void holders_init(struct engine *e)
{
	list_init(&e->holders.all);
}

void holders_free(struct engine *e)
{
	while (!list_is_empty(&e->holders.all)) {
		struct holder *h = LIST_ITEM(e->holders.all.next, struct holder, node);

		list_remove(&h->node);
		arena_free(h->mem);
	}
	map_done(&e->holders.by_hash);
}

/* ---- callers ---- */

struct str holders_hash(struct arena *mem, struct str token)
{
	struct sha256 hash = sha256_of(token);

	return sha256_hex(mem, &hash);
}

static void fill_caller(const struct holder *t, struct caller *ret)
{
	ret->principal = t->principal;
	ret->token = t->record->token_hash;
	ret->reach = t->reach;
	ret->home = t->home;
	ret->directories = t->directories.count ? &t->directories : NULL;
}

/* Finding the hash of a guess in a map tells nothing about the tokens: hashes are no secret. */
bool holders_principal(struct control *c, struct str token, struct caller *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const struct holder *t = map_get(&e->holders.by_hash, holders_hash(mem, token));

	if (!t || holders_is_expired(t, now_of(e)))
		return false;
	fill_caller(t, ret);
	ret->scopes = t->scopes;
	return true;
}

/* ---- bearers of tokens of issuers ---- */

/* Two bearers differ if they can reach different things. */
static struct str bearer_key(struct arena *mem, const struct control_bearer *b)
{
	struct str text = arena_printf(mem, "%.*s\n%.*s\n%d", STR_ARG(b->tenant), STR_ARG(b->name),
	                               (int)b->sessions);

	return arena_printf(mem, CALLER_ISSUER_PREFIX "%.*s:%.*s", STR_ARG(b->issuer),
	                    STR_ARG(holders_hash(mem, text)));
}

static const struct holder *add_bearer(struct engine *e, const struct control_bearer *b,
                                       struct str key)
{
	struct rec_access_token record = { .name = b->name,
		                           .tenant = b->tenant,
		                           .sessions = b->sessions,
		                           .state = ACCESS_TOKEN_STATE_ACTIVE,
		                           .token_hash = key };

	if (e->holders.bearers >= LIMIT_JWT_PRINCIPALS)
		return NULL;
	e->holders.bearers++;
	if (b->directories)
		record.directories = *b->directories;
	holders_add(e, &record);
	return map_get(&e->holders.by_hash, key);
}

bool holders_admit(struct control *c, const struct control_bearer *b, struct caller *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str key = bearer_key(mem, b);
	const struct holder *t = map_get(&e->holders.by_hash, key);

	if (!t)
		t = add_bearer(e, b, key);
	if (!t)
		return false;
	fill_caller(t, ret);
	return true;
}

/* A bearer is as valid as its issuer: a push notification may be due before it has come back. */
static bool has_issuer(const struct engine *e, struct str token)
{
	struct str rest = str_skip(token, strlen(CALLER_ISSUER_PREFIX));
	struct str name = str_cut(&rest, ':');

	return (json_is(json_get(e->options.config->auth_issuers, name)) ||
	        rec_list_str_find(&e->holders.added, name) >= 0) &&
	       rec_list_str_find(&e->holders.dropped, name) < 0;
}

/* ---- validity ---- */

bool holders_is_valid(const struct engine *e, const struct caller *caller)
{
	const struct holder *t;

	if (!str_is(caller->token))
		return true;
	if (caller->until_ms && caller->until_ms <= now_of(e))
		return false;
	if (str_starts(caller->token, STR(CALLER_ISSUER_PREFIX)))
		return has_issuer(e, caller->token);
	t = map_get(&e->holders.by_hash, caller->token);
	return t && !holders_is_expired(t, now_of(e));
}

/* ---- limits ---- */

bool holders_enter(struct engine *e, const struct caller *caller, enum holders_use use,
                   struct holder **ret)
{
	const struct config_values *config = e->options.config;
	int64_t max = use == HOLDERS_REQUEST ? config->limits_principal_requests
	                                     : config->limits_principal_streams;
	struct holder *t =
		str_is(caller->token) ? map_get(&e->holders.by_hash, caller->token) : NULL;

	*ret = NULL;
	if (t && max && t->used[use] >= max)
		return false;
	if (t)
		t->used[use]++;
	*ret = t;
	return true;
}

void holders_leave(struct holder *t, enum holders_use use)
{
	if (t)
		t->used[use]--;
}

/* ---- places in the log of all sessions ---- */

static struct str place_key(const struct engine *e, struct arena *mem, struct str reach)
{
	struct sha256 key =
		sha256_hmac(e->secret, arena_printf(mem, "thole places\n%.*s", STR_ARG(reach)));

	return sha256_hex(mem, &key);
}

/*
 * A place is sealed together with a few random bits, so that two looks at the end of the log do not
 * tell whether others wrote in between.  The places of events have none: they stay the same.
 */
#define SALT_BITS 16

static uint64_t show_salted(const struct engine *e, struct str reach, uint64_t position,
                            uint64_t salt)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	return str_is(reach) ? seal(place_key(e, mem, reach), position << SALT_BITS | salt)
	                     : position;
}

uint64_t holders_show_place(const struct engine *e, struct str reach, uint64_t position)
{
	return show_salted(e, reach, position, 0);
}

/* 0 is the beginning for everyone; a number that no caller was given is read as the beginning. */
uint64_t holders_read_place(const struct engine *e, struct str reach, uint64_t shown)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store_stats stats;
	uint64_t position;

	if (!str_is(reach) || !shown)
		return shown;
	e->ports.store->ops->stats(e->ports.store, &stats);
	position = seal_open(place_key(e, mem, reach), shown) >> SALT_BITS;
	return position <= stats.last_position ? position : 0;
}

uint64_t holders_last_place(struct control *c, struct str reach)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct store_stats stats;
	uint8_t salt[16];

	e->ports.store->ops->stats(e->ports.store, &stats);
	e->ports.clock->ops->entropy(e->ports.clock, salt);
	return show_salted(e, reach, stats.last_position, (uint64_t)salt[0] << 8 | salt[1]);
}

bool holders_is_usable(struct control *c, const struct caller *caller)
{
	return holders_is_valid(OWNER_OF(c, struct engine, control), caller);
}
