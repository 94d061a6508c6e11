/*
 * Paired devices as signing in needs them: those that the log has, open codes,
 * cookies, and when each device was last seen.
 */
#include "serve/auth/devices.h"

#include "base/hash/secret.h"
#include "base/os/log.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "serve/auth/devices_carry.h"

#include <stdio.h>
#include <strings.h>

/* Times of all nodes; of two that write at once one is late by a minute. */
#define SEEN_AS STR("serve:seen")
/* "Last seen" is written at most this often: every request would otherwise be a commit. */
#define SEEN_EVERY_MS 60000

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

/* ---- hosts ---- */

/* Many devices share few hosts, and every request asks for one. */
struct device_host {
	struct list node;
	struct str name;
	size_t count; /* of devices */
};

static struct device_host *find_host(const struct devices *ds, struct str name)
{
	LIST_EACH (&ds->hosts, node) {
		struct device_host *h = LIST_ITEM(node, struct device_host, node);

		if (eq_nocase(h->name, name))
			return h;
	}
	return NULL;
}

static void count_host(struct devices *ds, struct str name)
{
	struct device_host *h = find_host(ds, name);

	if (!h) {
		h = ARENA_NEW(ds->mem, struct device_host);
		h->name = name;
		list_init(&h->node);
		list_add(&ds->hosts, &h->node);
	}
	h->count++;
}

/* ---- when they were seen ---- */

static void read_seen(const struct devices *ds, struct arena *mem, struct json *ret)
{
	struct error e;
	struct str text;

	*ret = (struct json){ 0 };
	if (ds->store && ds->store->ops->get_meta(ds->store, mem, SEEN_AS, &text, &e) == OK)
		(void)!json_read_trusted(mem, text, ret, &e);
}

static int64_t seen_at(const struct device *d, struct json seen)
{
	return MAX(d->seen_ms, json_int(json_get(seen, d->id), 0));
}

static void save_seen(struct devices *ds, int64_t now)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json seen;
	struct error e;

	ds->saved_ms = now;
	read_seen(ds, mem, &seen);
	jw_init(&w, &out);
	jw_obj(&w);
	LIST_EACH (&ds->all, node) {
		const struct device *d = LIST_ITEM(node, struct device, node);

		jw_key(&w, d->id);
		jw_int(&w, seen_at(d, seen));
	}
	jw_obj_end(&w);
	if (ds->store->ops->set_meta(ds->store, SEEN_AS, buf_str(&out), &e) != OK)
		log_line(LOG_WARN, "serve", "when devices were seen cannot be kept: %s", e.message);
}

void devices_fill_seen(const struct devices *ds, struct arena *mem, struct rec_device **items,
                       size_t count)
{
	struct json seen;

	read_seen(ds, mem, &seen);
	for (size_t i = 0; i < count; i++) {
		const struct device *d = devices_by_id(ds, items[i]->device_id);
		int64_t stored = json_int(json_get(seen, items[i]->device_id), 0);

		items[i]->last_seen_at =
			MAX(items[i]->last_seen_at, d ? MAX(d->seen_ms, stored) : stored);
	}
}

/* ---- what the log says ---- */

/*
 * The key is derived and not stored: a reader of the log cannot forge a cookie
 * without the token.
 */
static void add_device(struct devices *ds, const struct rec_paired_device *r)
{
	struct device *d = ARENA_NEW(ds->mem, struct device);
	struct sha256 mac =
		sha256_hmac(ds->token, arena_printf(ds->mem, "thole paired device\n%.*s",
	                                            STR_ARG(r->device_id)));

	*d = (struct device){
		.id = arena_keep(ds->mem, r->device_id),
		.name = arena_keep(ds->mem, r->name),
		.host = arena_keep(ds->mem, r->host),
		.principal = arena_printf(ds->mem, "device:%.*s", STR_ARG(r->name)),
		.key = sha256_hex(ds->mem, &mac),
		.channel_id = arena_keep(ds->mem, r->channel_id),
		.paired_ms = r->paired_at,
		.seen_ms = r->paired_at,
		.is_carried = r->is_carried,
	};
	for (uint32_t i = 0; i < r->scopes.count; i++)
		d->scopes |= SCOPE_BIT(rec_enum_read(&enum_scope, r->scopes.items[i]));
	list_init(&d->node);
	list_add(&ds->all, &d->node);
	map_put(&ds->by_id, d->id, d);
	map_put(&ds->by_principal, d->principal, d);
	count_host(ds, d->host);
}

/* From here on it is refused; its streams and its channel end soon. */
static void remove_device(struct devices *ds, struct device *d)
{
	d->is_revoked = true;
	list_remove(&d->node);
	list_add(&ds->gone, &d->node);
	map_remove(&ds->by_id, d->id);
	if (map_get(&ds->by_principal, d->principal) == d)
		map_remove(&ds->by_principal, d->principal);
	find_host(ds, d->host)->count--;
	log_line(LOG_INFO, "serve", "revoked the device %.*s (%.*s)", STR_ARG(d->name),
	         STR_ARG(d->id));
}

static void remove_offer(struct devices *ds, struct str id)
{
	for (size_t i = 0; i < COUNT_OF(ds->offers); i++)
		if (str_eq(str_from(ds->offers[i].id), id))
			ds->offers[i] = (struct device_offer){ 0 };
}

/* The place is reused in a circle, so that unused codes are bounded; the oldest is replaced. */
static void add_offer(struct devices *ds, const struct rec_paired_device *r)
{
	struct device_offer *o = &ds->offers[ds->next];

	if (r->device_id.len > DEVICE_ID_MAX || r->host.len > DEVICE_HOST_MAX ||
	    r->code_hash.len != sizeof o->hash - 1)
		return;
	ds->next = (ds->next + 1) % COUNT_OF(ds->offers);
	*o = (struct device_offer){ .until_ms = r->expires_at };
	snprintf(o->id, sizeof o->id, "%.*s", STR_ARG(r->device_id));
	snprintf(o->host, sizeof o->host, "%.*s", STR_ARG(r->host));
	snprintf(o->hash, sizeof o->hash, "%.*s", STR_ARG(r->code_hash));
}

void devices_changed(struct devices *ds, const struct rec_paired_device *r)
{
	struct device *d = devices_by_id(ds, r->device_id);

	if (!ds->store)
		return;
	remove_offer(ds, r->device_id);
	if (r->state == PAIRED_DEVICE_STATE_OFFERED)
		add_offer(ds, r);
	else if (r->state == PAIRED_DEVICE_STATE_PAIRED && !d)
		add_device(ds, r);
	else if (r->state == PAIRED_DEVICE_STATE_REVOKED && d)
		remove_device(ds, d);
}

void devices_set_token(struct devices *ds, struct str token)
{
	ds->token = token;
	devices_taken(ds, NULL, 0);
}

static bool is_paired_in(const struct rec_paired_device *const *items, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(items[i]->device_id, id))
			return items[i]->state == PAIRED_DEVICE_STATE_PAIRED;
	return false;
}

void devices_taken(struct devices *ds, const struct rec_paired_device *const *items, size_t count)
{
	LIST_EACH_SAFE (&ds->all, node, next) {
		struct device *d = LIST_ITEM(node, struct device, node);

		if (!is_paired_in(items, count, d->id))
			remove_device(ds, d);
	}
	memset(ds->offers, 0, sizeof ds->offers);
	for (size_t i = 0; i < count; i++)
		devices_changed(ds, items[i]);
}

void devices_end_gone(struct devices *ds)
{
	LIST_EACH_SAFE (&ds->gone, node, next) {
		struct device *d = LIST_ITEM(node, struct device, node);

		list_remove(&d->node);
		if (d->channel)
			ds->control->ops->leave(ds->control, d->channel, DISCONNECT_CAUSE_AUTH);
		d->channel = NULL;
	}
}

/* ---- codes ---- */

struct str devices_hash_code(struct arena *mem, struct str code)
{
	struct sha256 hash = sha256_of(code);

	return sha256_hex(mem, &hash);
}

/* A code is valid at its host only, so that a code shown for one name cannot be used at another. */
const struct device_offer *devices_find_offer(const struct devices *ds, struct str code,
                                              struct str host, int64_t now_ms)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str hash = devices_hash_code(mem, str_is(code) ? code : STR(""));
	const struct device_offer *found = NULL;

	/* Compares with all codes, so that timing reveals nothing. */
	for (size_t i = 0; i < COUNT_OF(ds->offers); i++) {
		const struct device_offer *o = &ds->offers[i];

		if (secret_eq(str_from(o->hash), hash) && o->until_ms > now_ms &&
		    eq_nocase(str_from(o->host), host))
			found = o;
	}
	return found;
}

/* ---- devices ---- */

/*
 * A host with an open code is served too; otherwise the device could not sign in for
 * the first time.
 */
bool devices_know_host(const struct devices *ds, struct str host, int64_t now_ms)
{
	const struct device_host *h = find_host(ds, host);

	if (h && h->count)
		return true;
	for (size_t i = 0; i < COUNT_OF(ds->offers); i++)
		if (ds->offers[i].until_ms > now_ms &&
		    eq_nocase(str_from(ds->offers[i].host), host))
			return true;
	return false;
}

/* A cookie says whose it is, so one is tried.  Those of an earlier version do not: it had few. */
struct device *devices_of_cookie(const struct devices *ds, struct str cookie, struct str host,
                                 int64_t now_ms, int64_t *ret_until_ms)
{
	struct str id = signin_cookie_bearer(cookie);
	struct device *d = str_is(id) ? map_get(&ds->by_id, id) : NULL;

	if (str_is(id))
		return d && eq_nocase(d->host, host) &&
		                       signin_is_cookie(cookie, d->key, now_ms, ret_until_ms)
		               ? d
		               : NULL;
	LIST_EACH (&ds->all, node) {
		d = LIST_ITEM(node, struct device, node);
		if (d->is_carried && eq_nocase(d->host, host) &&
		    signin_is_cookie(cookie, d->key, now_ms, ret_until_ms))
			return d;
	}
	return NULL;
}

struct device *devices_find(const struct devices *ds, struct str principal)
{
	return str_is(principal) ? map_get(&ds->by_principal, principal) : NULL;
}

/* For replies that come after a wait: the caller's principal was valid when the request arrived. */
bool devices_is_gone(const struct devices *ds, struct str principal)
{
	return str_starts(principal, STR("device:")) && !devices_find(ds, principal);
}

struct device *devices_by_id(const struct devices *ds, struct str id)
{
	return str_is(id) ? map_get(&ds->by_id, id) : NULL;
}

/* Enrols the device as its channel, which a node may have done before. */
static void enrol_device(struct devices *ds, struct device *d)
{
	static const struct str can[] = { { "permissions", 11 } };
	struct control_enrol ask = {
		.caller = { .principal = d->principal, .via = STR("console"), .scopes = d->scopes },
		.transport = TRANSPORT_HTTP_JSON,
		.role = PEER_ROLE_CLIENT,
		.capabilities = can,
		.capability_count = COUNT_OF(can),
		.native_protocol = STR("thole-console"),
		.channel_id = d->channel_id,
		.is_proven = true,
	};

	if (!d->channel)
		d->channel = ds->control->ops->enrol(ds->control, &ask);
}

/*
 * Called for each request of a device.  A failure to save is only logged: the request
 * itself does not depend on it.
 */
void devices_seen(struct devices *ds, struct device *d)
{
	int64_t now = ds->clock->ops->wall_ms(ds->clock);

	d->seen_ms = now;
	enrol_device(ds, d);
	if (now - ds->saved_ms >= SEEN_EVERY_MS)
		save_seen(ds, now);
}

/* Returns how many devices still count as connected; 0 stops the timer. */
size_t devices_rest(struct devices *ds, int64_t now_ms,
                    bool (*has_stream)(void *arg, const struct device *d), void *arg)
{
	size_t count = 0;

	LIST_EACH (&ds->all, node) {
		struct device *d = LIST_ITEM(node, struct device, node);

		if (!d->channel)
			continue;
		if (now_ms - d->seen_ms < DEVICE_PATIENCE_MS || has_stream(arg, d)) {
			count++;
			continue;
		}
		ds->control->ops->leave(ds->control, d->channel, DISCONNECT_CAUSE_HEARTBEAT_MISSED);
		d->channel = NULL;
	}
	return count;
}

/* ---- the whole ---- */

enum err devices_init(struct devices *ds, struct arena *mem, struct control *control,
                      struct store *store, struct clock *clock, struct str token, struct error *e)
{
	*ds = (struct devices){ .mem = mem, .control = control, .clock = clock, .token = token };
	list_init(&ds->all);
	list_init(&ds->gone);
	list_init(&ds->hosts);
	if (!store || !clock || !str_is(token))
		return OK;
	ds->store = store;
	return devices_carry_read(ds, e);
}

void devices_done(struct devices *ds)
{
	devices_carry_done(ds);
	map_done(&ds->by_id);
	map_done(&ds->by_principal);
}
