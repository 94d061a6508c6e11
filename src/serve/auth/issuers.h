#ifndef SERVE_ISSUERS_H
#define SERVE_ISSUERS_H
/*
 * Bearer tokens (JWT) of configured issuers.
 *
 *   token ──hash──► remembered ─────────────────────────────► caller
 *              └──► read, claims, key, signature, admit ──────► caller, remembered until it expires
 *                                   └─ no such key ─► wait for one fetch ─► once more
 *
 * A fetch of an issuer's keys begins at most once in LIMIT_JWT_FETCH_AGAIN_S, for all callers and
 * whatever the reason.  Requests wait for it without holding the loop, and not longer than the fetch
 * may take.  Keys that are old are fetched again in the background.  When the keys of an issuer have
 * changed, what is remembered of its tokens is forgotten.
 *
 * Loop thread only.
 */
#include "base/list.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "serve/auth/issuer_settings.h"

struct issuers;

enum issuers_answer {
	ISSUERS_REFUSED, /* not a valid token */
	ISSUERS_ACCEPTED,
	ISSUERS_WAIT,        /* keys are being fetched */
	ISSUERS_UNAVAILABLE, /* the keys cannot be had now */
	ISSUERS_NO_SCOPE,    /* a valid token that permits nothing here */
	ISSUERS_FULL,        /* a valid token of a bearer for whom there is no place */
};

/* A request that waits.  The memory is the caller's, until done or issuers_forget(). */
struct issuers_waiter {
	struct list node;
	unsigned *count;
	void (*done)(struct issuers_waiter *w);
};

struct issuers *issuers_new(struct control *control, struct clock *clock,
                            struct issuers_options *o);
/* NULL is fine.  Nothing waits any more. */
void issuers_free(struct issuers *is);

/*
 * Whose token it is.  Fills the caller but for via and trace, which stay; its texts live as long as
 * the control.  *ret_why: a sentence for the caller, unless it is accepted.  After ISSUERS_WAIT a
 * waiter, if there is one, is called once; asked from there, the same question has another answer.
 */
enum issuers_answer issuers_check(struct issuers *is, struct str token, struct caller *ret,
                                  const char **ret_why, struct issuers_waiter *w);
void issuers_forget(struct issuers_waiter *w);
/* After ISSUERS_UNAVAILABLE: in how many seconds keys of every issuer may be fetched again. */
int64_t issuers_retry_s(const struct issuers *is);

/* Its tokens are refused from now on, also those that wait for keys.  False: there is none. */
bool issuers_remove(struct issuers *is, struct str name);

/* Its tokens are accepted from now on.  o lives as long as this.  False: there were too many changes. */
bool issuers_add(struct issuers *is, const struct issuer_options *o);

bool issuers_has_any(const struct issuers *is);

/* {"issuers": [...]}; fetches: keys that are not known are fetched.  NULL: there are none. */
void issuers_write(struct issuers *is, bool fetches, struct buf *out);

#endif
