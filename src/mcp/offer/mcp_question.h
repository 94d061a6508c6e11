#ifndef MCP_OFFER_MCP_QUESTION_H
#define MCP_OFFER_MCP_QUESTION_H
/*
 * A question of a tool server to a person (elicitation), as a person may be shown it.  Pure.
 *
 * A form is a flat object of strings, numbers, booleans and choices; any other schema is refused,
 * because no client could show it.  An address is one that a person can judge: https, or http of
 * this machine, plain ASCII, no user name before the host.
 */
#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

struct mcp_call;
struct sampling_request;

struct mcp_question {
	struct list node;
	struct mcp_call *call;
	struct str key;      /* in inputRequests; absent: not one of those */
	struct str message;  /* to the user */
	struct str schema;   /* JSON Schema of an object */
	struct str requests; /* what the client that made the call is asked, by key; or absent */
	bool is_login;       /* the user must open an address; no schema */
	struct str relayed;  /* the request, for the client of the call (mcp_relay.h); or absent */
	bool is_form, is_sampling; /* of a relayed one: for a user, for a model; else directories */
	bool is_asked;             /* of a relayed one: the client has it */
	bool is_keyed;             /* the answer has a response for each key of `requests` */
	/* an answer of a model of this runtime (mcp_sampling.h); NULL: another question */
	const struct sampling_request *sampling;
	struct str stops;    /* of that: its stop sequences, JSON; or absent */
	struct str name;     /* elicitationId, by which the server reports completion; or absent */
	struct str response; /* of this round, once there is one */
	void *request;       /* a request of the server's own: its struct jsonrpc_call */
	struct str request_id;
};

/*
 * Reads the params of elicitation/create into the strings of ret, which live in mem.  ERR_INVALID:
 * a person cannot be asked this; the error says why.
 */
enum err mcp_question_read(struct arena *mem, struct json params, struct mcp_question *ret,
                           struct error *e) MUST_USE;
/* Whether an address may be shown to a person. */
bool mcp_question_is_address(struct str url);

#endif
