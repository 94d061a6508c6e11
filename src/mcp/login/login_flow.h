#ifndef MCP_LOGIN_LOGIN_FLOW_H
#define MCP_LOGIN_LOGIN_FLOW_H
/*
 * One login at one tool server, without any I/O or clock: it says which request
 * comes next and takes the responses.
 *
 *   RESOURCE ──► SERVER ──► REGISTER ──► ASKING ──► TOKEN ──► DONE
 *    (places)   (places)   (or known)    (a person)
 *       └───────────┴──────────┴────────────┴──────────┴────► FAILED
 *
 * RESOURCE finds the metadata of the tool server, SERVER that of the
 * authorization server, each at the specified places in their order.  REGISTER
 * is left out when a client is known.  In ASKING a person opens login_flow_url()
 * and comes back with a redirect; a redirect that is not of this login changes
 * nothing.
 *
 * Issuer and resource are compared byte for byte, PKCE with S256 and the
 * resource indicator are always used, and a code is sent once.
 */
#include "mcp/login/login_challenge.h"
#include "mcp/login/login_message.h"

enum login_state {
	LOGIN_RESOURCE,
	LOGIN_SERVER,
	LOGIN_REGISTER,
	LOGIN_ASKING,
	LOGIN_TOKEN,
	LOGIN_DONE,
	LOGIN_FAILED,
};

/* A client and the authorization server that knows it. */
struct login_known {
	struct str issuer, redirect_uri; /* of a client of the settings: no redirect_uri */
	struct login_client client;
};

struct login_options {
	struct str url; /* of the tool server */
	struct login_challenge challenge;
	struct str scopes; /* that were requested before; they are requested again */
	struct login_self self;
	struct login_known configured; /* by the user's settings; without an id: none */
	struct str document_url;       /* mcp.client_id_url; absent: none */
	struct login_known registered; /* by an earlier login; without an id: none */
	struct str verifier, state;    /* of login_message_random(), at least 32 and 16 bytes */
};

struct login_request {
	struct str url;
	struct str content_type;  /* absent: a GET */
	struct str authorization; /* absent: none */
	struct str body;          /* of a POST */
	bool is_named_by_peer;    /* the address comes from a document, not from the settings */
};

struct login_flow;

struct login_flow *login_flow_new(const struct login_options *o);
/* Wipes what is secret.  NULL is fine. */
void login_flow_free(struct login_flow *f);

enum login_state login_flow_state(const struct login_flow *f);
/* The next request; false: none is wanted now.  Strings live until the next call with f. */
bool login_flow_request(struct login_flow *f, struct login_request *ret) MUST_USE;
/* The response to it; the body is bounded by the caller. */
void login_flow_response(struct login_flow *f, int status, struct str body);
/* There was no response, or the address may not be dialled: the login has failed. */
void login_flow_give_up(struct login_flow *f, struct str why);

/* ASKING: the page for the person's browser. */
struct str login_flow_url(const struct login_flow *f);
/*
 * The address that the browser was redirected to.  ERR_INVALID: it is not of this login, and nothing
 * has changed.
 */
enum err login_flow_redirected(struct login_flow *f, struct str url, struct error *e) MUST_USE;

/* FAILED: one sentence without secrets. */
struct str login_flow_error(const struct login_flow *f);

/* DONE.  Strings live as long as f. */
struct login_result {
	struct login_known known; /* the client */
	struct login_tokens tokens;
	struct str resource, token_url, revoke_url, scopes; /* scopes: as requested */
};
void login_flow_result(const struct login_flow *f, struct login_result *ret);

#endif
