#ifndef MCP_LOGIN_LOGIN_CHALLENGE_H
#define MCP_LOGIN_LOGIN_CHALLENGE_H
/*
 * The header WWW-Authenticate (RFC 9110 section 11.6.1, RFC 6750, RFC 9728):
 * what a server says about the login that it requires.  Pure.
 */
#include "base/arena.h"

/* Absent members were not sent.  Strings live in the arena. */
struct login_challenge {
	bool is_bearer; /* the scheme Bearer is offered */
	struct str resource_metadata, scope, error;
};

/*
 * Reads one or several challenges, joined by commas.  Only the first of the scheme Bearer counts,
 * and of a parameter that is repeated the first value.  A text that is no list of challenges yields
 * what was read before the fault.
 */
void login_challenge_read(struct arena *mem, struct str header, struct login_challenge *ret);
/* Whether a 403 asks for more scopes. */
bool login_challenge_wants_scope(const struct login_challenge *c);

#endif
