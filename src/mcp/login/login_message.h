#ifndef MCP_LOGIN_LOGIN_MESSAGE_H
#define MCP_LOGIN_LOGIN_MESSAGE_H
/*
 * The documents of a login: metadata of resources and authorization servers,
 * registrations of clients, requests for tokens and their answers.  Pure.
 *
 * Documents come from servers that are not trusted.  What they may name is
 * checked here: addresses are https (or lead to this machine), texts are bounded
 * and can be put into headers and queries.  Which hosts may be dialled is
 * checked by the caller.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define LOGIN_TOKEN_MAX 16384
#define LOGIN_SERVERS_MAX 8 /* authorization servers of one resource */

/* Metadata of a protected resource (RFC 9728). */
struct login_resource {
	struct str resource;
	struct str servers[LOGIN_SERVERS_MAX]; /* issuers */
	size_t server_count;
	struct str scopes; /* with blanks between; absent: none are named */
};

/* How a client proves itself at the token endpoint. */
enum login_auth { LOGIN_AUTH_NONE, LOGIN_AUTH_BASIC, LOGIN_AUTH_POST, LOGIN_AUTH_COUNT };

/* Metadata of an authorization server (RFC 8414, OpenID Connect Discovery). */
struct login_server {
	struct str issuer, authorize_url, token_url;
	struct str register_url, revoke_url; /* absent: not offered */
	struct str scopes;                   /* with blanks between; absent: none are named */
	bool takes_documents;                /* of clients: client_id_metadata_document_supported */
	bool sends_issuer;                   /* authorization_response_iss_parameter_supported */
	bool auths[LOGIN_AUTH_COUNT];
};

struct login_client {
	struct str id, secret; /* no secret: a public client */
	enum login_auth auth;
};

struct login_tokens {
	struct str access, refresh; /* refresh may be absent */
	struct str scope;           /* absent: as requested */
	int64_t expires_in_s;       /* 0: not said */
};

/* What the answer of a token endpoint means. */
enum login_answer {
	LOGIN_ANSWER_TOKENS,
	LOGIN_ANSWER_REFUSED, /* for good: the grant or the client is not valid */
	LOGIN_ANSWER_FAILED,  /* a later try may succeed */
};

enum err login_message_read_resource(struct arena *mem, struct str body, struct login_resource *ret,
                                     struct error *e) MUST_USE;
/* ERR_INVALID also if it is of another issuer, or does not offer PKCE with S256. */
enum err login_message_read_server(struct arena *mem, struct str body, struct str issuer,
                                   struct login_server *ret, struct error *e) MUST_USE;

/* ---- clients ---- */

struct login_self {
	struct str name, version; /* of this program */
	struct str redirect_uri;
};

/* The request of RFC 7591. */
void login_message_write_registration(struct buf *out, const struct login_self *self,
                                      const struct login_server *s);
enum err login_message_read_registration(struct arena *mem, int status, struct str body,
                                         const struct login_server *s, struct login_client *ret,
                                         struct error *e) MUST_USE;
/* Whether an address may be the id of a client: https with a path. */
bool login_message_is_document_url(struct str url);
/* How a client with a secret proves itself there. */
enum login_auth login_message_choose_auth(const struct login_server *s, bool has_secret);

/* ---- tokens ---- */

/* The challenge of PKCE for a verifier: S256. */
struct str login_message_challenge(struct arena *mem, struct str verifier);
/* Bytes of entropy as a text of A-Z a-z 0-9 - _. */
struct str login_message_random(struct arena *mem, struct str bytes);

struct login_code {
	struct str code, verifier, redirect_uri, resource;
};
void login_message_write_code(struct buf *out, const struct login_client *c,
                              const struct login_code *code);
/* The scope is not sent: a refresh keeps what was granted. */
void login_message_write_refresh(struct buf *out, const struct login_client *c, struct str refresh,
                                 struct str resource);
void login_message_write_revoke(struct buf *out, const struct login_client *c, struct str token);
/* The header Authorization of a client that proves itself by it; absent for others. */
struct str login_message_basic(struct arena *mem, const struct login_client *c);
/* Only the word of an error is repeated: its description may quote what was sent. */
enum login_answer login_message_read_tokens(struct arena *mem, int status, struct str body,
                                            struct login_tokens *ret, struct error *e) MUST_USE;

#endif
