#ifndef BASE_ED25519_H
#define BASE_ED25519_H
/*
 * Ed25519 signatures (RFC 8032) by libcrypto, which is loaded with the first one.
 *
 * Any thread may call.  ERR_UNSUPPORTED: the library cannot be loaded.
 */
#include "base/err.h"

#define ED25519_KEY_BYTES 32
#define ED25519_SIGNATURE_BYTES 64

/* A private key is its seed; its holder clears it after use. */
struct ed25519_private {
	uint8_t seed[ED25519_KEY_BYTES];
};
struct ed25519_public {
	uint8_t bytes[ED25519_KEY_BYTES];
};
struct ed25519_signature {
	uint8_t bytes[ED25519_SIGNATURE_BYTES];
};

/* From the system's source of random bytes. */
enum err ed25519_make(struct ed25519_private *ret, struct error *e) MUST_USE;
enum err ed25519_public_of(const struct ed25519_private *key, struct ed25519_public *ret,
                           struct error *e) MUST_USE;
enum err ed25519_sign(const struct ed25519_private *key, struct str text,
                      struct ed25519_signature *ret, struct error *e) MUST_USE;
/* ERR_INVALID: the signature is not of this key and text. */
enum err ed25519_verify(const struct ed25519_public *key, struct str text,
                        const struct ed25519_signature *sig, struct error *e) MUST_USE;
void ed25519_clear(struct ed25519_private *key);

#endif
