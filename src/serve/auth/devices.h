#ifndef SERVE_DEVICES_H
#define SERVE_DEVICES_H
/*
 * Paired devices: a phone that decides, behind a tunnel or proxy of the user.
 *
 *   owner ─ pair_device ─► code, for one name of this runtime (the URL's host)
 *   device ─ POST /v1/console/sign-in, at that name ─► paired, and a cookie
 *   owner ─ revoke_device ─► gone, its event streams cut
 *
 * A device is served at its one host and nowhere else, and at a host that is
 * no other name of this runtime nobody but its devices is served.
 *
 * The list of devices is kept in the store and outlives the process.  No
 * secret of theirs is: a device's cookie is signed (signin.h) with a key that
 * follows from the owner's token and the device's id, so who replaces the
 * token unpairs them all.  Codes are in memory and go with the process.
 *
 * In the facts a device is a channel: connected when it is paired, gone
 * (heartbeat_missed) when it follows no events and has not asked for anything
 * for DEVICE_PATIENCE_MS, resumed when it asks again, gone for good (auth) when
 * it is revoked.  What it decides is decided by "device:NAME".
 */
#include "catalog/catalog.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "ports/store.h"
#include "serve/auth/signin.h"

#define DEVICE_NAME_MAX 40
#define DEVICE_HOST_MAX 260
#define DEVICE_PATIENCE_MS 90000

struct device {
	struct str id, name, host, principal, key;
	unsigned scopes;
	int64_t paired_ms, seen_ms;
	struct str channel_id, resume_token; /* absent: never enrolled */
	struct control_channel *channel;     /* NULL: not since the start */
	bool is_revoked;                     /* whoever still points here finds out by this */
};

struct pairing {
	char code[SIGNIN_CODE_LEN]; /* of an unused place: zero */
	char name[DEVICE_NAME_MAX + 1], host[DEVICE_HOST_MAX + 1];
	unsigned scopes;
	int64_t until_ms;
};

struct devices {
	struct arena *mem;
	struct control *control;
	struct store *store; /* NULL: nothing is kept, and nothing can be paired */
	struct clock *clock;
	struct str token; /* of the owner */
	struct device *items[LIMIT_PAIRED_DEVICES];
	size_t count;
	struct pairing pairings[LIMIT_PAIRING_CODES];
	size_t next;
	int64_t saved_ms;
};

/* Reads what the store holds.  token lives as long as the devices. */
enum err devices_init(struct devices *ds, struct arena *mem, struct control *control,
                      struct store *store, struct clock *clock, struct str token,
                      struct error *e) MUST_USE;

/* ---- codes ---- */

/* A name that is free: the base, or the base with a number. */
struct str devices_free_name(const struct devices *ds, struct arena *mem, struct str base);
/* The code's text; name and host are within their bounds. */
struct str devices_mint(struct devices *ds, struct str name, struct str host, unsigned scopes,
                        int64_t now_ms);
/*
 * A device is paired, durably and once; NULL when no such code is open at this
 * host, e says why when it is another reason.
 */
struct device *devices_pair(struct devices *ds, struct str code, struct str host, int64_t now_ms,
                            struct error *e);

/* ---- devices ---- */

/* Is it the host of a device, or of an open code? */
bool devices_know_host(const struct devices *ds, struct str host, int64_t now_ms);
/* Whose cookie this is, at this host; NULL: nobody's. */
struct device *devices_of_cookie(const struct devices *ds, struct str cookie, struct str host,
                                 int64_t now_ms, int64_t *ret_until_ms);
/* By principal, "device:phone"; NULL: it is none, or none any more. */
struct device *devices_find(const struct devices *ds, struct str principal);
/* Was it a device's, and is no more? */
bool devices_is_gone(const struct devices *ds, struct str principal);
struct device *devices_by_id(const struct devices *ds, struct str id);
/* It asked for something just now: noted, and told once in a while. */
void devices_seen(struct devices *ds, struct device *d);
/*
 * The channels of those that are not there any more are left: what they hold in
 * memory goes.  How many are still there.
 */
size_t devices_rest(struct devices *ds, int64_t now_ms,
                    bool (*has_stream)(void *arg, const struct device *d), void *arg);
enum err devices_revoke(struct devices *ds, struct device *d, struct error *e) MUST_USE;
/* {"devices": [...]} */
void devices_write(const struct devices *ds, struct buf *out);

#endif
