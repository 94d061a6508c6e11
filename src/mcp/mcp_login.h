#ifndef MCP_MCP_LOGIN_H
#define MCP_MCP_LOGIN_H
/*
 * Logins at tool servers: who holds the tokens, renews them and asks a person.
 *
 * A struct mcp_login belongs to one address of a tool server and one client.
 * However many servers of however many sets use that address, there is one
 * token, one refresh at a time and one login at a time.
 *
 *   NONE ──► WORKING ──► ASKING ──► WORKING ──► VALID ◄──► RENEWING
 *    ▲          │           │          │                      │ invalid_grant
 *    └──────────┴───────────┴──────────┴──────────────────────┘
 *
 * Tokens are never returned except as the value of the header for exactly that
 * address.  A rotated token is on disk before it is used.  Addresses that the
 * server or its documents name are dialled only if they are public or
 * peers.allow_hosts permits them.
 *
 * All functions are called on the loop thread; `changed` comes from the loop.
 */
#include "mcp/login/login_flow.h"
#include "net/http/http_client.h"
#include "net/loop.h"
#include "ports/clock.h"
#include "text/redact.h"

struct mcp_logins;
struct mcp_login;

struct mcp_login_options {
	struct loop *loop;
	struct clock *clock;
	struct http_client *http_client;
	struct scrub *scrub; /* learns the tokens; may be NULL */
	struct str data_dir, version;
	struct str document_url; /* mcp.client_id_url; empty: none */
	int64_t redirect_port;   /* mcp.redirect_port; 0: any */
	const struct str *peer_hosts;
	size_t peer_host_count;
};

/* ERR_INVALID: mcp.client_id_url cannot be the id of a client. */
enum err mcp_login_check_document_url(struct str url, struct error *e) MUST_USE;
struct mcp_logins *mcp_login_open(const struct mcp_login_options *o);
void mcp_login_close(struct mcp_logins *all); /* NULL is fine; all have left */
/* A refresh is under way: a runtime that stops waits a moment, for the token that it may bring. */
bool mcp_login_is_busy(const struct mcp_logins *all);

/* One user of a login.  Part of its owner's struct; a zeroed one has not joined. */
struct mcp_login_watch {
	struct list node;
	struct mcp_login *login; /* NULL: not joined */
	void (*changed)(struct mcp_login_watch *w);
};

struct mcp_login_target {
	struct str url;
	bool is_guarded; /* the address is not the user's own */
	struct login_known configured;
};

void mcp_login_join(struct mcp_logins *all, const struct mcp_login_target *t,
                    struct mcp_login_watch *w);
void mcp_login_leave(struct mcp_login_watch *w);

enum mcp_login_state {
	MCP_LOGIN_NONE,
	MCP_LOGIN_WORKING,
	MCP_LOGIN_ASKING,
	MCP_LOGIN_VALID,
	MCP_LOGIN_RENEWING,
};

enum mcp_login_state mcp_login_state(const struct mcp_login *l);
bool mcp_login_is_pending(const struct mcp_login *l); /* a login was begun and is not over */
bool mcp_login_is_renewing(const struct mcp_login *l);
bool mcp_login_has_token(const struct mcp_login *l);
bool mcp_login_can_renew(const struct mcp_login *l);   /* there is a refresh token */
bool mcp_login_is_declined(const struct mcp_login *l); /* mcp_login_ask() is not welcome */
/* Changes with every new token. */
unsigned mcp_login_generation(const struct mcp_login *l);
/* The value of the header Authorization; absent without a token. */
struct str mcp_login_header(const struct mcp_login *l);
/* Of the last login or refresh; absent: it succeeded. */
struct str mcp_login_error(const struct mcp_login *l);

/* What follows from a 401 or 403. */
enum mcp_login_verdict {
	MCP_LOGIN_AGAIN,  /* send it again: there is a newer token */
	MCP_LOGIN_LATER,  /* `changed` comes: the token is being renewed */
	MCP_LOGIN_PERSON, /* a person has to sign in: mcp_login_ask() */
	MCP_LOGIN_NO,     /* a login would not help, or was declined */
};

/* challenge: the values of WWW-Authenticate, with commas between. */
enum mcp_login_verdict mcp_login_refused(struct mcp_login *l, unsigned generation, int status,
                                         struct str challenge);
/* The server accepted the token. */
void mcp_login_worked(struct mcp_login *l);

/* ---- a person signs in ---- */

/* Begins a login, unless one is pending; `changed` comes with ASKING or an error. */
void mcp_login_ask(struct mcp_login *l);
/* The user asks for it: earlier refusals do not count any more. */
void mcp_login_begin(struct mcp_login *l);
struct str mcp_login_url(const struct mcp_login *l); /* ASKING */
struct str mcp_login_redirect_uri(const struct mcp_login *l);
/* ERR_INVALID: it is not of this login, and nothing has changed. */
enum err mcp_login_answer(struct mcp_login *l, struct str redirected, struct error *e) MUST_USE;
/* The person does not want to: nothing asks again until the user begins a login. */
void mcp_login_decline(struct mcp_login *l);
/* Revokes and forgets the tokens. */
enum err mcp_login_forget(struct mcp_login *l, struct error *e) MUST_USE;

#endif
