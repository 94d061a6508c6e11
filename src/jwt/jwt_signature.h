#ifndef JWT_JWT_SIGNATURE_H
#define JWT_JWT_SIGNATURE_H
/*
 * Signatures of tokens, checked by libcrypto.  Loading the library takes a few milliseconds, with the
 * first key.  Any thread may call; one key is used by one thread at a time.
 */
#include "jwt/jwt_key.h"

/* Can libcrypto be loaded? */
bool jwt_signature_is_possible(void);

/*
 * False: the signature is not of this text and key, or the key is not valid.  The key is loaded with
 * the first call and kept in k->loaded.
 */
bool jwt_signature_check(struct jwt_key *k, const struct jwt_alg *a, struct str text,
                         struct str signature) MUST_USE;
/* Frees what jwt_signature_check() loaded. */
void jwt_signature_release(struct jwt_keys *keys);

#endif
