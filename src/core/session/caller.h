#ifndef CORE_CALLER_H
#define CORE_CALLER_H
/* Who sends a command, as the transport established it.  Strings live as long as the call. */
#include "base/hash/trace_context.h"

#include <stdint.h>

/* Named tokens begin so; text/redact.c removes them from output. */
#define CALLER_TOKEN_PREFIX "tht_"
/* For bearers of tokens of an issuer, `token` is this, the name of the issuer, ":" and a hash. */
#define CALLER_ISSUER_PREFIX "jwt:"

struct caller {
	struct str principal;       /* who: "owner", or the name of a token or device */
	struct str via;             /* http, json_rpc, stdio, websocket, c_api, cli */
	struct str channel_id;      /* when the connection is an enrolled channel */
	struct trace_context trace; /* that it sent, or empty */
	unsigned scopes;            /* 1u << SCOPE_READ | ... */
	struct str token;           /* the hash of its named token; absent: it has none */
	int64_t until_ms;           /* when a token of an issuer expires; 0: it has none */
	struct str reach;           /* sessions whose id begins so exist for it; absent: all do */
	struct str home;            /* the ids of its new sessions begin so; absent: sess_ */
	const struct list_str *directories; /* its work runs in or below them; NULL: anywhere */
	uint64_t connection;                /* that may lend keys (ports/credentials.h); 0: none */
};

#endif
