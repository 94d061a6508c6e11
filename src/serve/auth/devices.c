/*
 * Paired devices: the stored list, pairing codes, cookies, and when each device
 * was last seen.
 */
#include "serve/auth/devices.h"

#include "base/hash/secret.h"
#include "base/os/id.h"
#include "base/os/log.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "ports/store_own.h"

#include <stdio.h>
#include <strings.h>

#define KEPT_AS STR("serve:devices")
/* "Last seen" is written at most this often: every request would otherwise be a commit. */
#define SEEN_EVERY_MS 60000

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

/* ---- the list in the store ---- */

static void fill_record(struct arena *mem, const struct device *d, struct rec_device *ret)
{
	*ret = (struct rec_device){
		.device_id = d->id,
		.name = d->name,
		.host = d->host,
		.paired_at = d->paired_ms,
		.last_seen_at = d->seen_ms,
		.channel_id = d->channel_id,
	};
	for (enum scope scope = 1; scope < SCOPE_COUNT; scope++)
		if (d->scopes & SCOPE_BIT(scope))
			rec_list_str_add(mem, &ret->scopes, scope_word(scope));
}

/* Resume tokens are written only to the store. */
static void write_all(const struct devices *ds, struct buf *out, bool with_tokens)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "devices");
	jw_arr(&w);
	for (size_t i = 0; i < ds->count; i++) {
		struct rec_device r;

		fill_record(mem, ds->items[i], &r);
		rec_write(&w, &rec_device_desc, &r);
	}
	jw_arr_end(&w);
	if (with_tokens) {
		JW_KEY(&w, "resumeTokens");
		jw_obj(&w);
		for (size_t i = 0; i < ds->count; i++)
			jw_kopt(&w, ds->items[i]->id, ds->items[i]->resume_token);
		jw_obj_end(&w);
	}
	jw_obj_end(&w);
}

void devices_write(const struct devices *ds, struct buf *out)
{
	write_all(ds, out, false);
}

/* The whole list is one meta value; there are at most LIMIT_PAIRED_DEVICES. */
static enum err save_devices(struct devices *ds, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!ds->store)
		return fail(e, ERR_INVALID, "this runtime keeps no devices");
	write_all(ds, &out, true);
	ds->saved_ms = ds->clock->ops->wall_ms(ds->clock);
	return port_store_set_own(ds->store, KEPT_AS, buf_str(&out), e);
}

/*
 * The key is derived and not stored: a reader of the store cannot forge a cookie
 * without the token.
 */
static struct device *add_device(struct devices *ds, const struct rec_device *r)
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
		.paired_ms = r->paired_at,
		.seen_ms = r->last_seen_at,
		.channel_id = arena_keep(ds->mem, r->channel_id),
	};
	for (uint32_t i = 0; i < r->scopes.count; i++)
		d->scopes |= SCOPE_BIT(rec_enum_read(&enum_scope, r->scopes.items[i]));
	ds->items[ds->count++] = d;
	return d;
}

/*
 * A stored list that cannot be parsed is an error of the start: an empty one would be
 * written over it with the next pairing.
 */
static enum err read_all(struct devices *ds, struct str text, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc, row;
	struct json_iter it;
	struct str key;

	if (json_read(mem, text, &doc, e) != OK)
		return e->code;
	it = json_iter(JSON_GET(doc, "devices"));
	while (json_next(&it, &key, &row) && ds->count < COUNT_OF(ds->items)) {
		struct rec_device r;

		if (rec_read(mem, row, &rec_device_desc, REC_TRUSTED, &r, e) != OK)
			return e->code;

		struct device *d = add_device(ds, &r);

		d->resume_token = arena_keep(
			ds->mem, json_str(json_get(JSON_GET(doc, "resumeTokens"), d->id)));
	}
	return OK;
}

enum err devices_init(struct devices *ds, struct arena *mem, struct control *control,
                      struct store *store, struct clock *clock, struct str token, struct error *e)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	struct str text = STR_NONE;
	enum err code;

	*ds = (struct devices){ .mem = mem, .control = control, .clock = clock, .token = token };
	if (!store || !clock || !str_is(token))
		return OK;
	ds->store = store;
	/* A list that cannot be read is not empty: the next pairing would replace it. */
	code = port_store_get_own(store, scratch, KEPT_AS, &text, e);
	if (code != OK && code != ERR_NOT_FOUND)
		return code;
	return code == OK && str_is(text) ? read_all(ds, text, e) : OK;
}

/* ---- codes ---- */

static bool is_taken(const struct devices *ds, struct str name)
{
	for (size_t i = 0; i < ds->count; i++)
		if (eq_nocase(ds->items[i]->name, name))
			return true;
	return false;
}

struct str devices_free_name(const struct devices *ds, struct arena *mem, struct str base)
{
	struct str name = base;

	for (int n = 2; is_taken(ds, name); n++)
		name = arena_printf(mem, "%.*s-%d", STR_ARG(base), n);
	return name;
}

/*
 * The place in the array is reused in a circle, so that unused codes are bounded; the
 * oldest is replaced.
 */
struct str devices_mint(struct devices *ds, struct str name, struct str host, unsigned scopes,
                        int64_t now_ms)
{
	struct pairing *p = &ds->pairings[ds->next];
	uint8_t entropy[16];

	ds->next = (ds->next + 1) % COUNT_OF(ds->pairings);
	*p = (struct pairing){ .scopes = scopes, .until_ms = now_ms + LIMIT_PAIRING_CODE_S * 1000 };
	ds->clock->ops->entropy(ds->clock, entropy);
	signin_write_code(p->code, entropy);
	snprintf(p->name, sizeof p->name, "%.*s", STR_ARG(name));
	snprintf(p->host, sizeof p->host, "%.*s", STR_ARG(host));
	return str_of(p->code, sizeof p->code);
}

/* A code is valid at its host only, so that a code shown for one name cannot be used at another. */
static struct pairing *find_code(struct devices *ds, struct str code, struct str host,
                                 int64_t now_ms)
{
	struct pairing *found = NULL;

	/* Compares with all codes, so that timing reveals nothing. */
	for (size_t i = 0; i < COUNT_OF(ds->pairings); i++) {
		struct pairing *p = &ds->pairings[i];

		if (secret_eq(str_of(p->code, sizeof p->code), code) && p->until_ms > now_ms &&
		    eq_nocase(str_from(p->host), host))
			found = p;
	}
	return found;
}

/* Enrols the device as a channel of the system session, or resumes its earlier channel. */
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
		.resume_token = d->resume_token,
	};

	if (d->channel)
		return;
	d->channel = ds->control->ops->enrol(ds->control, &ask);
	if (!d->channel || str_is(d->channel_id))
		return;
	d->channel_id = arena_keep(ds->mem, d->channel->id);
	d->resume_token = arena_keep(ds->mem, d->channel->resume_token);
}

static void forget_device(struct devices *ds, const struct device *d)
{
	size_t at = 0;

	while (at < ds->count && ds->items[at] != d)
		at++;
	if (at == ds->count)
		return;
	ds->count--;
	memmove(&ds->items[at], &ds->items[at + 1], (ds->count - at) * sizeof ds->items[0]);
}

/*
 * The code is consumed last: when the store fails, nothing remains of the device and
 * the code can be tried again.  is_revoked marks the struct for code that may already
 * hold a pointer.
 */
struct device *devices_pair(struct devices *ds, struct str code, struct str host, int64_t now_ms,
                            struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pairing *p = find_code(ds, code, host, now_ms);
	struct rec_device r = { .paired_at = now_ms, .last_seen_at = now_ms };
	struct id_source src;
	uint8_t entropy[16];
	struct device *d;

	*e = (struct error){ 0 };
	if (!p)
		return NULL;
	if (ds->count == COUNT_OF(ds->items)) {
		fail(e, ERR_TOO_LARGE, "%d devices are paired; revoke one first",
		     LIMIT_PAIRED_DEVICES);
		return NULL;
	}
	ds->clock->ops->entropy(ds->clock, entropy);
	id_source_init(&src, now_ms, entropy);
	r.device_id = id_make(mem, &src, "dev");
	/* Another code with this name may have been used meanwhile. */
	r.name = devices_free_name(ds, mem, str_from(p->name));
	r.host = str_from(p->host);
	d = add_device(ds, &r);
	d->scopes = p->scopes;
	enrol_device(ds, d);
	if (save_devices(ds, e) != OK) {
		if (d->channel)
			ds->control->ops->leave(ds->control, d->channel, DISCONNECT_CAUSE_CLOSED);
		d->is_revoked = true;
		forget_device(ds, d);
		return NULL;
	}
	*p = (struct pairing){ 0 };
	log_line(LOG_INFO, "serve", "paired the device %.*s (%.*s)", STR_ARG(d->name),
	         STR_ARG(d->id));
	return d;
}

/* ---- devices ---- */

/*
 * A host with an open code is served too; otherwise the device could not sign in for
 * the first time.
 */
bool devices_know_host(const struct devices *ds, struct str host, int64_t now_ms)
{
	for (size_t i = 0; i < ds->count; i++)
		if (eq_nocase(ds->items[i]->host, host))
			return true;
	for (size_t i = 0; i < COUNT_OF(ds->pairings); i++)
		if (ds->pairings[i].until_ms > now_ms &&
		    eq_nocase(str_from(ds->pairings[i].host), host))
			return true;
	return false;
}

struct device *devices_of_cookie(const struct devices *ds, struct str cookie, struct str host,
                                 int64_t now_ms, int64_t *ret_until_ms)
{
	for (size_t i = 0; i < ds->count; i++)
		if (eq_nocase(ds->items[i]->host, host) &&
		    signin_is_cookie(cookie, ds->items[i]->key, now_ms, ret_until_ms))
			return ds->items[i];
	return NULL;
}

struct device *devices_find(const struct devices *ds, struct str principal)
{
	for (size_t i = 0; i < ds->count; i++)
		if (str_eq(ds->items[i]->principal, principal))
			return ds->items[i];
	return NULL;
}

/* For replies that come after a wait: the caller's principal was valid when the request arrived. */
bool devices_is_gone(const struct devices *ds, struct str principal)
{
	return str_starts(principal, STR("device:")) && !devices_find(ds, principal);
}

struct device *devices_by_id(const struct devices *ds, struct str id)
{
	for (size_t i = 0; i < ds->count; i++)
		if (str_eq(ds->items[i]->id, id))
			return ds->items[i];
	return NULL;
}

/*
 * Called for each request of a device.  A failure to save is only logged: the request
 * itself does not depend on it.
 */
void devices_seen(struct devices *ds, struct device *d)
{
	int64_t now = ds->clock->ops->wall_ms(ds->clock);
	bool was_known = str_is(d->channel_id);
	struct error e;

	d->seen_ms = now;
	enrol_device(ds, d);
	if ((now - ds->saved_ms >= SEEN_EVERY_MS || was_known != str_is(d->channel_id)) &&
	    save_devices(ds, &e) != OK)
		log_line(LOG_WARN, "serve", "when devices were seen cannot be kept: %s", e.message);
}

/* Returns how many devices still count as connected; 0 stops the timer. */
size_t devices_rest(struct devices *ds, int64_t now_ms,
                    bool (*has_stream)(void *arg, const struct device *d), void *arg)
{
	size_t count = 0;

	for (size_t i = 0; i < ds->count; i++) {
		struct device *d = ds->items[i];

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

/* The list is restored if it cannot be saved, so that memory and store agree. */
enum err devices_revoke(struct devices *ds, struct device *d, struct error *e)
{
	struct device *before[LIMIT_PAIRED_DEVICES];
	size_t count = ds->count;
	enum err code;

	memcpy(before, ds->items, sizeof before);
	forget_device(ds, d);
	code = save_devices(ds, e);
	if (code) {
		memcpy(ds->items, before, sizeof before);
		ds->count = count;
		return code;
	}
	d->is_revoked = true;
	if (d->channel)
		ds->control->ops->leave(ds->control, d->channel, DISCONNECT_CAUSE_AUTH);
	d->channel = NULL;
	log_line(LOG_INFO, "serve", "revoked the device %.*s (%.*s)", STR_ARG(d->name),
	         STR_ARG(d->id));
	return OK;
}
