#ifndef A2A_AGENT_H
#define A2A_AGENT_H
/*
 * The card of a remote agent: who it says it is, and the interface that is used.  Pure.
 *
 * An interface at the address of the card itself is the user's own choice.  Any other has to be a
 * public host, or one that the setting peers.allow_hosts names.
 */
#include "base/hash/sha256.h"
#include "sandbox/host_rule.h"

enum a2a_binding { A2A_BINDING_JSONRPC, A2A_BINDING_HTTP };

/* Strings live in the arena that it was read into. */
struct a2a_agent {
	struct str name, description, version;
	struct str url;    /* of the interface, without a slash at its end */
	struct str tenant; /* absent: none */
	enum a2a_binding binding;
	bool is_streaming;
	bool is_own_origin; /* the interface has the origin of the card */
	struct sha256 hash; /* of the card without its signatures, members sorted */
};

struct str a2a_agent_binding_word(enum a2a_binding b); /* JSONRPC, HTTP+JSON */

/* May a stranger name this address?  ret_why: one sentence. */
bool a2a_agent_may_reach(struct arena *mem, struct str url, const struct host_rules *rules,
                         struct str *ret_why) MUST_USE;

/*
 * Reads a card that was fetched from card_url.  extensions: those of the protocol that requests
 * name, with commas between; a card that requires another one is refused.  False: ret_why says what is wrong with it, in one
 * sentence.
 */
bool a2a_agent_read(struct arena *mem, struct str card_url, struct str text,
                    const struct host_rules *rules, struct str extensions, struct a2a_agent *ret,
                    struct str *ret_why) MUST_USE;

#endif
