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
 * Codes and devices are events of the system session (engine/query/paired_devices.c),
 * which every node follows: any node takes the code, serves the device and refuses it when
 * it is revoked.  Here is what signing in needs of them.  No secret of theirs is
 * stored: the log has the hash of a code, and a device's cookie is signed (signin.h) with a
 * key that is derived from the owner's token and the device's id, so replacing the
 * token unpairs all devices.
 *
 * In the log a device is a channel: connected when it is paired, gone
 * (heartbeat_missed) when it follows no events and has not asked for anything
 * for DEVICE_PATIENCE_MS, resumed when it asks again, gone for good (auth) when
 * it is revoked.  What it decides is decided by "device:NAME".
 */
#include "base/hash/sha256.h"
#include "base/list.h"
#include "base/map.h"
#include "catalog/catalog.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "ports/store.h"
#include "serve/auth/signin.h"

#define DEVICE_NAME_MAX 40
#define DEVICE_HOST_MAX 260
#define DEVICE_ID_MAX 63
#define DEVICE_PATIENCE_MS 90000

struct device {
	struct list node; /* among those that are paired, or gone */
	struct str id, name, host, principal, key, channel_id;
	unsigned scopes;
	int64_t paired_ms, seen_ms;
	struct control_channel *channel; /* NULL: not since the start */
	bool is_carried;                 /* its cookie may have no id */
	bool is_revoked;                 /* checked by code that still holds a pointer */
};

/* A code that is shown somewhere. */
struct device_offer {
	char id[DEVICE_ID_MAX + 1]; /* of an unused place: empty */
	char hash[2 * SHA256_BYTES + 1], host[DEVICE_HOST_MAX + 1];
	int64_t until_ms;
};

struct devices_carry;

struct devices {
	struct arena *mem;
	struct control *control;
	struct store *store; /* NULL: nothing can be paired */
	struct clock *clock;
	struct str token;  /* of the owner */
	struct list all;   /* struct device, oldest first */
	struct list gone;  /* revoked, until devices_end_gone() */
	struct list hosts; /* of them, each once */
	struct map by_id, by_principal;
	struct device_offer offers[LIMIT_PAIRING_CODES];
	size_t next;
	int64_t saved_ms;
	struct devices_carry *carry; /* NULL: nothing is left of an earlier version */
};

/*
 * Reads the list that an earlier version kept.  token must live as long as the devices; absent: none
 * are served.
 */
enum err devices_init(struct devices *ds, struct arena *mem, struct control *control,
                      struct store *store, struct clock *clock, struct str token,
                      struct error *e) MUST_USE;
void devices_done(struct devices *ds);

/* ---- what the log says ---- */

void devices_taken(struct devices *ds, const struct rec_paired_device *const *items, size_t count);
void devices_changed(struct devices *ds, const struct rec_paired_device *device);
/* All are gone with the token before. */
void devices_set_token(struct devices *ds, struct str token);
/* Releases the channels of those that are gone. */
void devices_end_gone(struct devices *ds);

/* ---- codes ---- */

/* What the log keeps of a code. */
struct str devices_hash_code(struct arena *mem, struct str code);
/* The offer of this code at this host; NULL: none is open. */
const struct device_offer *devices_find_offer(const struct devices *ds, struct str code,
                                              struct str host, int64_t now_ms);

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
/* When each of them was seen last, at any node. */
void devices_fill_seen(const struct devices *ds, struct arena *mem, struct rec_device **items,
                       size_t count);

#endif
