#ifndef SERVE_DEVICES_H
#define SERVE_DEVICES_H
/*
 * Paired devices: a phone that can approve, through a tunnel or proxy of the user.
 *
 *   owner ─ pair_device ─► code, for one name of this runtime (the URL's host)
 *   device ─ POST /v1/console/sign-in, at that name ─► paired, and a cookie
 *   owner ─ revoke_device ─► gone, its event streams cut
 *
 * A device is served at its own host only.  A host that is not another name of
 * this runtime serves only its devices.
 *
 * The list of devices is kept in the store and outlives the process.  No
 * secret of theirs is: a device's cookie is signed (signin.h) with a key that
 * is derived from the owner's token and the device's id, so replacing the token
 * unpairs all devices.  Codes are kept in memory only.
 *
 * In the log a device is a channel: connected when it is paired, gone
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
	bool is_revoked;                     /* checked by code that still holds a pointer */
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

/* Reads the list from the store.  token must live as long as the devices. */
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
 * Pairs a device, durably and once; NULL when no such code is open at this host,
 * or for another reason, which e has.
 */
struct device *devices_pair(struct devices *ds, struct str code, struct str host, int64_t now_ms,
                            struct error *e);

/* ---- devices ---- */

/* Whether this is the host of a device or of an open code. */
bool devices_know_host(const struct devices *ds, struct str host, int64_t now_ms);
/* The device that this cookie belongs to at this host; NULL: none. */
struct device *devices_of_cookie(const struct devices *ds, struct str cookie, struct str host,
                                 int64_t now_ms, int64_t *ret_until_ms);
/* By principal, "device:phone"; NULL: it is none, or none any more. */
struct device *devices_find(const struct devices *ds, struct str principal);
/* Whether the principal was a device that is revoked now. */
bool devices_is_gone(const struct devices *ds, struct str principal);
struct device *devices_by_id(const struct devices *ds, struct str id);
/* Notes a request of the device, and writes the time to the store now and then. */
void devices_seen(struct devices *ds, struct device *d);
/*
 * Releases the channels of devices that are no longer connected, with their
 * memory; returns how many are still connected.
 */
size_t devices_rest(struct devices *ds, int64_t now_ms,
                    bool (*has_stream)(void *arg, const struct device *d), void *arg);
enum err devices_revoke(struct devices *ds, struct device *d, struct error *e) MUST_USE;
/* {"devices": [...]} */
void devices_write(const struct devices *ds, struct buf *out);

#endif
