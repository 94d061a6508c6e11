#ifndef MCP_LOGIN_LOGIN_URL_H
#define MCP_LOGIN_LOGIN_URL_H
/*
 * Addresses of a login: their parts, the well-known places that belong to them,
 * and queries.  Pure.  Addresses are compared byte for byte; nothing here
 * changes one into an equivalent form.
 */
#include "base/arena.h"
#include "base/buf.h"

#define LOGIN_URL_MAX 2048

struct login_url {
	struct str origin; /* scheme and authority */
	struct str path;   /* from the first slash; empty without one */
	struct str query;  /* behind the question mark; absent without one */
};

/*
 * False: no http:// or https:// address of visible ASCII without user and fragment, of at most
 * LOGIN_URL_MAX bytes.
 */
bool login_url_split(struct str url, struct login_url *ret) MUST_USE;
/* https, or http to this machine: nothing else may carry a credential. */
bool login_url_is_secure(struct str url);
/* The same scheme, host and port; the host in any case, and a missing port is that of the scheme. */
bool login_url_is_same_origin(struct str a, struct str b);

/*
 * The place of a metadata document.  Inserted, as RFC 8414 and RFC 9728 say: between host and path;
 * appended, as OpenID Connect says: behind the path.
 */
struct str login_url_insert(struct arena *mem, const struct login_url *u, struct str well_known);
struct str login_url_append(struct arena *mem, const struct login_url *u, struct str well_known);
/* The address that the place of a document was made from by insertion; absent: it was not. */
struct str login_url_inserted_in(struct arena *mem, struct str place, struct str well_known);

/* Adds "name=value" in the form of application/x-www-form-urlencoded, with "&" or "?" before it. */
void login_url_add(struct buf *out, char before, struct str name, struct str value);
void login_url_encode(struct buf *out, struct str text);
/*
 * A parameter of a query, decoded.  Absent: it is not there.  False: it is there twice, or is no
 * valid encoding.
 */
bool login_url_param(struct arena *mem, struct str query, struct str name,
                     struct str *ret) MUST_USE;

/* Sets of scopes, as texts with blanks between. */
bool login_url_scope_has(struct str set, struct str scope);
/* Those of a, then those of b that a lacks; absent when both are absent.  Bounded. */
struct str login_url_scope_join(struct arena *mem, struct str a, struct str b);
/* Whether every scope of b is in a. */
bool login_url_scope_covers(struct str a, struct str b);

#endif
