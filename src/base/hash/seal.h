#ifndef BASE_SEAL_H
#define BASE_SEAL_H
/*
 * A number as another number that reveals nothing about it without the key: a
 * Feistel network of four rounds with HMAC-SHA-256.  For cursors that would
 * otherwise tell a caller how many events others have.  Both numbers have at
 * most 62 bits, so that they are integers in every language.
 */
#include "base/str.h"

#include <stdint.h>

#define SEAL_MAX (((uint64_t)1 << 62) - 1)

uint64_t seal(struct str key, uint64_t value);
/* The value whose seal this is; every number up to SEAL_MAX is the seal of one. */
uint64_t seal_open(struct str key, uint64_t sealed);

#endif
