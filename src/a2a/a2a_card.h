#ifndef A2A_CARD_H
#define A2A_CARD_H
/* The agent card: what this runtime is and how peers reach it.  Pure. */
#include "a2a/a2a_extension.h"
#include "base/jw.h"
#include "base/json.h"

struct a2a_card {
	struct str url; /* of the runtime, "https://agent.example", without a slash at the end */
	struct str grpc_url; /* of thole-grpc, as the operator wrote it; empty: there is none */
	struct str name, description, version;
	struct str tenant;      /* of the peer that asks; absent: none */
	struct json extensions; /* rows of list_extensions; absent: the public card */
	struct a2a_extensions protocol_extensions;
	/* Of a signature; absent: it is not signed. */
	struct str protected_header, signature;
};

void a2a_card_write(struct json_writer *w, const struct a2a_card *c);

/* The protected header of a signature with Ed25519, in base64url. */
struct str a2a_card_protected_header(struct arena *mem, struct str key_id);

#endif
