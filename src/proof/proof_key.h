#ifndef PROOF_KEY_H
#define PROOF_KEY_H
/*
 * Ed25519 keys as text.
 *
 * A key's id is the SHA-256 of its SubjectPublicKeyInfo (DER), in hex: what
 * `openssl pkey -pubin -outform DER | sha256sum` prints.  Keys of people are PEM;
 * a verifier key "name+hash+base64" is the form of signed notes (C2SP).
 */
#include "base/buf.h"
#include "base/hash/ed25519.h"
#include "base/hash/sha256.h"

struct str proof_key_id(struct arena *mem, const struct ed25519_public *key);
/* -----BEGIN PUBLIC KEY----- */
void proof_key_write(struct buf *out, const struct ed25519_public *key);
/* -----BEGIN PRIVATE KEY----- (PKCS #8); the caller clears the buffer. */
void proof_key_write_private(struct buf *out, const struct ed25519_private *key);
/* The first private key of a text.  ERR_INVALID: there is none of this kind. */
enum err proof_key_read_private(struct str text, struct ed25519_private *ret,
                                struct error *e) MUST_USE;
/* The key's text in a note: "name+0123abcd+base64", without a line end. */
void proof_key_write_verifier(struct buf *out, struct str name, const struct ed25519_public *key);
/* The first four bytes of SHA-256 over name and key, as a number. */
uint32_t proof_key_hash(struct str name, const struct ed25519_public *key);

#define PROOF_KEYS_MAX 64
struct proof_keys {
	struct ed25519_public items[PROOF_KEYS_MAX];
	size_t count;
};
/*
 * All public keys of a text: PEM blocks, and lines with verifier keys.  Other lines
 * are passed by.  ERR_INVALID: a key is of another kind or damaged, or there is none.
 */
enum err proof_key_read_all(struct str text, struct proof_keys *ret, struct error *e) MUST_USE;

#endif
