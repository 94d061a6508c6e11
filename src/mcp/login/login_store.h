#ifndef MCP_LOGIN_LOGIN_STORE_H
#define MCP_LOGIN_LOGIN_STORE_H
/*
 * Logins on disk: one file for each (issuer, resource, client), in a directory
 * of mode 0700 with files of mode 0600.
 *
 * A file is replaced in one step and is synced before the call returns: a token
 * that was rotated is on disk before it is used.  A file that another user owns
 * or may read is not used.
 */
#include "mcp/login/login_message.h"

struct login_record {
	struct str url; /* of the tool server that the login is for */
	struct str issuer, resource, redirect_uri, token_url;
	struct str revoke_url; /* absent: the server revokes nothing */
	struct str scopes;     /* that were requested; absent: none */
	struct login_client client;
	bool is_configured;         /* the client is of the settings */
	struct str access, refresh; /* absent: none */
	int64_t expires_at_ms;      /* of the access token, by the wall clock; 0: not known */
};

enum err login_store_save(struct str dir, const struct login_record *r, struct error *e) MUST_USE;
/*
 * The login at a tool server; with a client of the settings the one of that client.  ERR_NOT_FOUND:
 * there is none.  Strings live in mem.
 */
enum err login_store_find(struct arena *mem, struct str dir, struct str url, struct str client_id,
                          struct login_record *ret, struct error *e) MUST_USE;
/* OK also when there was none. */
enum err login_store_remove(struct str dir, const struct login_record *r, struct error *e) MUST_USE;

#endif
