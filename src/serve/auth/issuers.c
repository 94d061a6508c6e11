/* Keys of issuers, remembered tokens, and requests that wait for keys. */
#include "serve/auth/issuers.h"

#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "jwt/jwt_signature.h"
#include "serve/auth/issuer_fetch.h"

#include <stdio.h>
#include <stdlib.h>

#define WAYS 4
#define SETS (LIMIT_JWT_REMEMBERED / WAYS)
#define REFUSED_MS 1000 /* how long a refusal is remembered: a request asks twice */

struct issuer {
	struct issuers *all;
	const struct issuer_options *o;
	struct issuer_fetch fetch;
	bool is_fetching, has_tried, has_failed;
	bool is_waking; /* requests that waited for keys look again, and the keys are there */
	char why[200];  /* the last fetch failed */
	int64_t tried_ms, fetched_ms; /* by the monotonic clock */
	struct arena *mem;            /* of the keys; NULL: none were fetched */
	struct jwt_keys keys;
	struct sha256 hash; /* of their document */
	struct list waiters;
	unsigned waiting;
};

/* A token that was accepted.  known_until_ms 0: an unused place. */
struct remembered {
	struct sha256 hash;
	struct str principal, token, reach, home;
	const struct list_str *directories;
	struct issuer *issuer;
	int64_t until_ms;       /* the token is valid */
	int64_t known_until_ms; /* not longer than keys are */
	unsigned scopes;
};

struct issuers {
	struct control *control;
	struct clock *clock;
	struct issuers_options *o;
	struct issuer *items[ISSUERS_MAX]; /* of each place */
	struct remembered *table;          /* NULL until the first; SETS times WAYS */
	struct sha256 refused;             /* the last one */
	int64_t refused_until_ms;
	enum issuers_answer refused_how;
	const char *refused_why;
};

static int64_t wall_now(const struct issuers *is)
{
	return is->clock->ops->wall_ms(is->clock);
}

static int64_t mono_now(const struct issuers *is)
{
	return is->clock->ops->mono_ms(is->clock);
}

/* ---- remembered tokens ---- */

static struct remembered *set_of(const struct issuers *is, const struct sha256 *hash)
{
	uint32_t n;

	memcpy(&n, hash->state, sizeof n);
	return is->table + (size_t)(n % SETS) * WAYS;
}

static const struct remembered *find_remembered(const struct issuers *is, const struct sha256 *hash)
{
	const struct remembered *set = is->table ? set_of(is, hash) : NULL;
	int64_t now = set ? wall_now(is) : 0;

	for (size_t i = 0; set && i < WAYS; i++)
		if (set[i].known_until_ms > now && sha256_eq(&set[i].hash, hash))
			return &set[i];
	return NULL;
}

/* Replaces the one of its set that expires first; an unused or expired place is such a one. */
static void remember(struct issuers *is, struct issuer *issuer, const struct sha256 *hash,
                     const struct caller *c)
{
	int64_t keys_end = wall_now(is) + LIMIT_JWT_KEYS_VALID_S * 1000LL;
	struct remembered *set, *place;

	if (!is->table)
		is->table = memory_zeroed((size_t)SETS * WAYS, sizeof *is->table);
	set = place = set_of(is, hash);
	for (size_t i = 1; i < WAYS; i++)
		if (set[i].known_until_ms < place->known_until_ms)
			place = &set[i];
	*place = (struct remembered){ .hash = *hash,
		                      .principal = c->principal,
		                      .token = c->token,
		                      .reach = c->reach,
		                      .home = c->home,
		                      .directories = c->directories,
		                      .issuer = issuer,
		                      .until_ms = c->until_ms,
		                      .known_until_ms = MIN(c->until_ms, keys_end),
		                      .scopes = c->scopes };
}

static void forget_tokens(struct issuers *is, const struct issuer *issuer)
{
	for (size_t i = 0; is->table && i < (size_t)SETS * WAYS; i++)
		if (is->table[i].issuer == issuer)
			is->table[i].known_until_ms = 0;
	is->refused_until_ms = 0;
}

/* ---- keys ---- */

static void drop_keys(struct issuer *i)
{
	jwt_signature_release(&i->keys);
	arena_free(i->mem);
	i->keys = (struct jwt_keys){ 0 };
	i->mem = NULL;
}

static void wake_waiters(struct issuer *i)
{
	while (!list_is_empty(&i->waiters)) {
		struct issuers_waiter *w = LIST_ITEM(i->waiters.next, struct issuers_waiter, node);

		issuers_forget(w);
		w->done(w);
	}
}

static void keep_keys(struct issuer *i, struct issuer_fetch *f)
{
	bool is_same = i->mem && sha256_eq(&i->hash, &f->hash);

	drop_keys(i);
	i->mem = f->mem;
	i->keys = f->keys;
	i->hash = f->hash;
	i->fetched_ms = mono_now(i->all);
	if (!is_same)
		forget_tokens(i->all, i);
}

static void on_fetched(struct issuer_fetch *f, const char *why)
{
	struct issuer *i = OWNER_OF(f, struct issuer, fetch);

	i->is_fetching = false;
	i->has_failed = why != NULL;
	snprintf(i->why, sizeof i->why, "%s", why ? why : "");
	if (why)
		log_line(LOG_WARN, "auth", "the keys of the issuer %.*s cannot be read: %s",
		         STR_ARG(i->o->name), why);
	else
		keep_keys(i, f);
	i->all->refused_until_ms = 0;
	i->is_waking = !why;
	wake_waiters(i);
	i->is_waking = false;
}

/* Whether a fetch is under way now; one begins if it may. */
static bool begin_fetch(struct issuer *i)
{
	int64_t now = mono_now(i->all);

	if (i->is_fetching)
		return true;
	if (i->has_tried && now - i->tried_ms < LIMIT_JWT_FETCH_AGAIN_S * 1000)
		return false;
	i->has_tried = i->is_fetching = true;
	i->tried_ms = now;
	i->fetch = (struct issuer_fetch){ .all = i->all->o, .issuer = i->o, .done = on_fetched };
	issuer_fetch_begin(&i->fetch);
	return true;
}

/* Old keys are still used while the issuer cannot be reached, but not for ever. */
static void renew_keys(struct issuer *i)
{
	int64_t age = mono_now(i->all) - i->fetched_ms;

	if (i->mem && age >= LIMIT_JWT_KEYS_VALID_S * 1000LL) {
		drop_keys(i);
		forget_tokens(i->all, i);
	}
	if (i->mem && age >= LIMIT_JWT_KEYS_FRESH_S * 1000LL)
		begin_fetch(i);
}

/* Keys may have been replaced or have become too old since the token was checked. */
static bool recall(struct issuers *is, const struct sha256 *hash, struct caller *ret)
{
	const struct remembered *r = find_remembered(is, hash);

	if (!r)
		return false;
	renew_keys(r->issuer);
	r = find_remembered(is, hash);
	if (!r)
		return false;
	ret->principal = r->principal;
	ret->token = r->token;
	ret->reach = r->reach;
	ret->home = r->home;
	ret->directories = r->directories;
	ret->scopes = r->scopes;
	ret->until_ms = r->until_ms;
	return true;
}

/* ---- checking ---- */

static enum issuers_answer refuse_as(struct issuers *is, const struct sha256 *hash,
                                     enum issuers_answer how, const char *why, const char **ret_why)
{
	is->refused = *hash;
	is->refused_until_ms = mono_now(is) + REFUSED_MS;
	is->refused_how = how;
	is->refused_why = *ret_why = why;
	return how;
}

static enum issuers_answer refuse(struct issuers *is, const struct sha256 *hash, const char *why,
                                  const char **ret_why)
{
	return refuse_as(is, hash, ISSUERS_REFUSED, why, ret_why);
}

static enum issuers_answer wait_for_keys(struct issuer *i, const char **ret_why,
                                         struct issuers_waiter *w)
{
	*ret_why = "too many requests wait for the keys of the issuer";
	if (i->waiting >= LIMIT_JWT_WAITING)
		return ISSUERS_UNAVAILABLE;
	if (w) {
		list_init(&w->node);
		list_add(&i->waiters, &w->node);
		w->count = &i->waiting;
		i->waiting++;
	}
	return ISSUERS_WAIT;
}

/*
 * No key for the token: the issuer may have a new one.  Only keys that were fetched for this request
 * tell that there is none: a fetch for others may be older than the key.
 */
static enum issuers_answer without_key(struct issuer *i, const struct sha256 *hash,
                                       const char **ret_why, struct issuers_waiter *w)
{
	if (i->is_waking)
		return refuse(i->all, hash, "the issuer has no such key", ret_why);
	if (begin_fetch(i))
		return wait_for_keys(i, ret_why, w);
	*ret_why = i->has_failed ? "the keys of the issuer cannot be read now"
	                         : "the key of the token is not known yet";
	return ISSUERS_UNAVAILABLE;
}

/* The issuer may have another key under the same name by now. */
static enum issuers_answer with_wrong_signature(struct issuer *i, const struct sha256 *hash,
                                                const char **ret_why, struct issuers_waiter *w)
{
	if (!i->is_waking && begin_fetch(i))
		return wait_for_keys(i, ret_why, w);
	return refuse(i->all, hash, "the signature of the token is wrong", ret_why);
}

/* Who may do nothing takes no place: an issuer may have more such people than there are places. */
static enum issuers_answer admit(struct issuer *i, const struct sha256 *hash,
                                 const struct jwt_claims_bearer *bearer, struct arena *mem,
                                 struct caller *ret, const char **ret_why)
{
	struct issuers *is = i->all;
	struct control_bearer b = {
		.issuer = i->o->name,
		.name = arena_printf(mem, "%.*s:%.*s", STR_ARG(i->o->name),
		                     STR_ARG(bearer->principal)),
		.tenant = str_is(i->o->tenant) ? i->o->tenant : bearer->tenant,
		.sessions = i->o->sessions,
		.directories = i->o->directories.count ? &i->o->directories : NULL,
	};

	if (!bearer->scopes)
		return refuse_as(is, hash, ISSUERS_NO_SCOPE,
		                 "the token has no scope for this runtime", ret_why);
	if (!is->control->ops->admit || !is->control->ops->admit(is->control, &b, ret)) {
		*ret_why = "this runtime knows too many bearers of tokens";
		return ISSUERS_FULL;
	}
	ret->scopes = bearer->scopes;
	ret->until_ms = bearer->until_s * 1000;
	remember(is, i, hash, ret);
	return ISSUERS_ACCEPTED;
}

static struct issuer *find_issuer(struct issuers *is, struct str url)
{
	for (size_t i = 0; i < is->o->count; i++)
		if (str_is(url) && str_eq(is->items[i]->o->url, url) &&
		    !issuer_settings_is_removed(is->o, i))
			return is->items[i];
	return NULL;
}

/* The signature comes last: it costs most. */
static enum issuers_answer check_token(struct issuers *is, struct str text,
                                       const struct sha256 *hash, struct caller *ret,
                                       const char **ret_why, struct issuers_waiter *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct jwt_claims_bearer bearer;
	struct jwt_token token;
	const char *why = jwt_token_read(mem, text, &token);
	struct issuer *i = why ? NULL : find_issuer(is, jwt_claims_issuer(&token));
	bool is_unknown = true;
	struct jwt_key *key;

	if (!why && !i)
		why = "the issuer of the token is not known";
	if (!why && !(i->o->algorithms & jwt_alg_bit(token.alg)))
		why = "the algorithm of the token is not accepted";
	if (!why)
		why = jwt_claims_check(&token, &i->o->rules, wall_now(is) / 1000, &bearer);
	if (why)
		return refuse(is, hash, why, ret_why);
	renew_keys(i);
	key = jwt_key_find(&i->keys, token.kid, token.alg, &is_unknown);
	if (!key && is_unknown)
		return without_key(i, hash, ret_why, w);
	if (!key)
		return refuse(is, hash, "the token does not say which key signed it", ret_why);
	if (!jwt_signature_check(key, token.alg, token.covered, token.signature))
		return with_wrong_signature(i, hash, ret_why, w);
	return admit(i, hash, &bearer, mem, ret, ret_why);
}

enum issuers_answer issuers_check(struct issuers *is, struct str token, struct caller *ret,
                                  const char **ret_why, struct issuers_waiter *w)
{
	struct sha256 hash = sha256_of(token);

	if (recall(is, &hash, ret))
		return ISSUERS_ACCEPTED;
	if (sha256_eq(&hash, &is->refused) && mono_now(is) < is->refused_until_ms) {
		*ret_why = is->refused_why;
		return is->refused_how;
	}
	return check_token(is, token, &hash, ret, ret_why, w);
}

void issuers_forget(struct issuers_waiter *w)
{
	list_remove(&w->node);
	(*w->count)--;
}

int64_t issuers_retry_s(const struct issuers *is)
{
	int64_t now = mono_now(is), longest = 1;

	for (size_t i = 0; i < is->o->count; i++) {
		const struct issuer *one = is->items[i];
		int64_t age_s = (now - one->tried_ms) / 1000;

		if (one->has_tried && !one->is_fetching)
			longest = MAX(longest, LIMIT_JWT_FETCH_AGAIN_S - age_s);
	}
	return longest;
}

/* ---- changes ---- */

static void add_item(struct issuers *is, size_t at)
{
	struct issuer *i = memory_zeroed(1, sizeof *i);

	i->all = is;
	i->o = is->o->items[at];
	list_init(&i->waiters);
	is->items[at] = i;
}

bool issuers_remove(struct issuers *is, struct str name)
{
	for (size_t i = 0; i < is->o->count; i++) {
		if (!str_eq(is->o->items[i]->name, name) || is->o->is_removed[i])
			continue;
		is->o->is_removed[i] = true;
		forget_tokens(is, is->items[i]);
		wake_waiters(is->items[i]);
		return true;
	}
	return false;
}

bool issuers_add(struct issuers *is, const struct issuer_options *o)
{
	size_t at = is->o->count;

	if (at == ISSUERS_MAX)
		return false;
	is->o->items[at] = o;
	is->o->is_removed[at] = false;
	add_item(is, at);
	is->o->count++;
	is->refused_until_ms = 0;
	return true;
}

bool issuers_has_any(const struct issuers *is)
{
	return issuer_settings_has_any(is->o);
}

/* ---- reports ---- */

static enum issuer_status status_of(const struct issuer *i)
{
	if (i->is_fetching)
		return ISSUER_STATUS_FETCHING;
	if (i->has_failed)
		return ISSUER_STATUS_DOWN;
	return i->mem ? ISSUER_STATUS_READY : ISSUER_STATUS_UNUSED;
}

static void write_issuer(struct json_writer *w, const struct issuer *i)
{
	struct rec_issuer r = {
		.name = i->o->name,
		.issuer = i->o->url,
		.status = status_of(i),
		.key_count = (int64_t)i->keys.count,
		.fetched_at = i->mem ? wall_now(i->all) - (mono_now(i->all) - i->fetched_ms) : 0,
		.detail = *i->why ? str_from(i->why) : STR_NONE,
	};

	rec_write(w, &rec_issuer_desc, &r);
}

void issuers_write(struct issuers *is, bool fetches, struct buf *out)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "issuers");
	jw_arr(&w);
	for (size_t i = 0; is && i < is->o->count; i++) {
		if (issuer_settings_is_removed(is->o, i))
			continue;
		if (fetches && (!is->items[i]->mem || is->items[i]->has_failed))
			begin_fetch(is->items[i]);
		write_issuer(&w, is->items[i]);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
}

/* ---- beginning and end ---- */

struct issuers *issuers_new(struct control *control, struct clock *clock, struct issuers_options *o)
{
	struct issuers *is = memory_zeroed(1, sizeof *is);

	is->control = control;
	is->clock = clock;
	is->o = o;
	for (size_t i = 0; i < o->count; i++)
		add_item(is, i);
	return is;
}

void issuers_free(struct issuers *is)
{
	if (!is)
		return;
	for (size_t i = 0; i < is->o->count; i++) {
		issuer_fetch_cancel(&is->items[i]->fetch);
		drop_keys(is->items[i]);
		memory_free(is->items[i]);
	}
	free(is->table);
	free(is);
}
