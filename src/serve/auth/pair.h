#ifndef SERVE_PAIR_H
#define SERVE_PAIR_H
/*
 * A command about issuers (issuers.h) that the server answers, and one about paired devices (devices.h)
 * to which it adds something.
 *
 *	pair_device ──► checked, code made ──► change_device at the control ──► reply with the code
 */
#include "base/json.h"
#include "serve/serve_int.h"

bool pair_is_list(struct str command);
/*
 * Returns 0 and writes the reply of list_issuers, or an error code with detail.  params: an object, or
 * absent.
 */
enum error_code pair_list(struct serve *s, const struct caller *caller, struct json params,
                          struct buf *reply, struct error *detail);

/* A code that is about to be shown. */
struct pair_offer {
	struct arena *mem;
	struct str params; /* of change_device */
	struct str code, base;
	struct list_str scopes;
	int64_t until_ms;
};

bool pair_is_offer(struct str command);
/* Returns 0 and an offer of pair_device, for pair_offer_free(), or an error code with detail. */
enum error_code pair_offer_new(struct serve *s, const struct caller *caller, struct json params,
                               struct pair_offer **ret, struct error *detail);
/* The reply of pair_device, from that of change_device. */
void pair_offer_reply(struct serve *s, const struct pair_offer *o, struct str changed,
                      struct buf *out);
void pair_offer_free(struct pair_offer *o);

#endif
