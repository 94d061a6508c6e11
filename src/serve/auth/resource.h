#ifndef SERVE_RESOURCE_H
#define SERVE_RESOURCE_H
/*
 * This runtime as an OAuth resource (RFC 9728, RFC 6750): the metadata document that says which issuers'
 * tokens are accepted, and the challenge of a reply with 401 or 403, which names the document and what
 * the token lacks.  Each protocol on the port is a resource of its own, below the same host.
 */
#include "serve/serve_int.h"

#define RESOURCE_WELL_KNOWN "/.well-known/oauth-protected-resource"

/* Whether the path is one of the document, of the whole or of a protocol that is enabled. */
bool resource_is_path(const struct serve *s, struct str path);
/* Replies with the document. */
void resource_open(const struct serve *s, struct http_request *req);

/*
 * The challenge.  missing: scopes (SCOPE_BIT) that the request needs and its token lacks; why: what is
 * wrong with the token, or NULL without one.  Without issuers it only names the scheme.
 */
void resource_challenge(const struct serve *s, const struct http_request *req, unsigned missing,
                        const char *why, struct buf *out);

#endif
