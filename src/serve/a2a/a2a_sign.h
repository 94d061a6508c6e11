#ifndef SERVE_A2A_SIGN_H
#define SERVE_A2A_SIGN_H
/*
 * Signatures of the agent card with the key of the runtime (A2A 8.4).
 *
 *   card ──► known text? ──► signed
 *               │ no
 *               ├─ the key is a file: signed at once
 *               └─ a program signs: the request waits; one run at a time
 *
 * The last signature is kept, so that a card that is read often is signed once.  Without a key, or
 * if signing fails, the card has no signature: it is the same card.  Loop thread only.
 */
#include "serve/a2a/a2a_edge.h"

struct a2a_sign;
struct signer;

struct a2a_sign *a2a_sign_new(struct a2a_edge *edge, struct signer *signer);
void a2a_sign_free(struct a2a_sign *s); /* NULL is fine */

/* Adds the signature, which lives in mem.  False: a program has to sign, and there is none yet. */
bool a2a_sign_card(struct a2a_sign *s, struct arena *mem, struct a2a_card *card) MUST_USE;
/* After false: replies with the card when the program has signed it. */
void a2a_sign_wait(struct a2a_sign *s, const struct a2a_card *card, struct http_request *req);

#endif
