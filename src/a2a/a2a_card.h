#ifndef A2A_CARD_H
#define A2A_CARD_H
/* The agent card: what this runtime is and how peers reach it.  Pure. */
#include "base/jw.h"
#include "base/json.h"

struct a2a_card {
	struct str url; /* of the runtime, "https://agent.example", without a slash at the end */
	struct str grpc_url; /* of thole-grpc, as the operator wrote it; empty: there is none */
	struct str name, description, version;
	struct str tenant;      /* of the peer that asks; absent: none */
	struct json extensions; /* rows of list_extensions; absent: the public card */
};

void a2a_card_write(struct json_writer *w, const struct a2a_card *c);

#endif
