#ifndef NODE_NODE_SEAL_H
#define NODE_NODE_SEAL_H
/*
 * What makes a call one of a node of this installation.
 *
 * A call carries, in the header Thole-Node, the incarnations of sender and addressee, the time, a
 * nonce, and a message authentication code (HMAC-SHA256) over all of them, the method, the path and
 * the body.  The key is derived from the secret of the installation, which only the database holds.
 * The answer carries a code over the nonce of its call, status, result and body.
 *
 * A call is taken once: within NODE_SEAL_WINDOW_MS of its time its nonce is remembered, and outside
 * it is refused.  A start forgets the nonces of the one before; its calls name another incarnation.
 *
 * One seal lives on the loop's thread.
 */
#include "base/arena.h"
#include "base/hash/sha256.h"
#include "base/list.h"
#include "base/map.h"
#include "catalog/catalog.h"

#define NODE_SEAL_HEADER STR("Thole-Node")
#define NODE_SEAL_ANSWER_HEADER STR("Thole-Node-Answer")
#define NODE_SEAL_CODE_HEADER STR("Thole-Node-Code")
#define NODE_SEAL_PATH STR("/v1/node/call")

#define NODE_SEAL_WINDOW_MS 15000
#define NODE_SEAL_NONCES_MAX 131072

struct node_seal {
	char key[SHA256_BYTES];
	struct map nonces; /* text → struct node_nonce */
	struct list by_time;
};

/* What a call says of itself. */
struct node_seal_call {
	uint64_t from, to; /* incarnations */
	int64_t time_ms;   /* wall clock of the sender */
	struct str nonce;
	struct str body;
};

void node_seal_init(struct node_seal *s, struct str secret);
void node_seal_done(struct node_seal *s);

/* The value of the header. */
struct str node_seal_write(const struct node_seal *s, struct arena *mem,
                           const struct node_seal_call *c);

/*
 * 0: it is a call for the incarnation `self`.  Otherwise its code, and *why is a sentence for
 * people; nothing but a good call changes anything.  *ret is filled, with strings in mem, when the
 * code of the call is good.
 */
enum error_code node_seal_check(struct node_seal *s, struct arena *mem, struct str header,
                                struct str body, uint64_t self, int64_t now_ms,
                                struct node_seal_call *ret, struct str *why);

/* The value of the answer's header. */
struct str node_seal_answer(const struct node_seal *s, struct arena *mem, struct str nonce,
                            int status, struct str code, struct str body);

#endif
