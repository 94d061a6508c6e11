#ifndef A2A_CANONICAL_H
#define A2A_CANONICAL_H
/*
 * The canonical text of an agent card (A2A 8.4.1, RFC 8785): what its signatures cover.  Pure.
 *
 * Servers differ in one point.  The protocol keeps required members that are empty; the official
 * SDKs leave out whatever is empty.  Cards of our own have nothing empty, so both forms are the
 * same text.  For the cards of others both are tried.
 */
#include "base/json.h"

enum a2a_canonical_form { A2A_CANONICAL_WHOLE, A2A_CANONICAL_WITHOUT_EMPTY, A2A_CANONICAL_FORMS };

/* The card without its member `signatures`. */
struct str a2a_canonical_card(struct arena *mem, struct json card, enum a2a_canonical_form form);

/* What a signature covers (RFC 7515): both parts in base64url; protected_header is that already. */
struct str a2a_canonical_covered(struct arena *mem, struct str protected_header, struct str card);

#endif
