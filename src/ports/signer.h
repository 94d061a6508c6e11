#ifndef PORTS_SIGNER_H
#define PORTS_SIGNER_H
/*
 * The signing key, as the engine sees it: a public half, and a way to sign.
 *
 * The private key is a file of the data directory, a systemd credential, or with
 * a program of the operator (sign.command).  No function here returns it.
 *
 * All functions are called on the loop thread.
 */
#include "base/hash/ed25519.h"
#include "catalog/gen/vocab.h"

struct signer_key {
	struct ed25519_public public;
	enum signing_key_origin origin;
};

/* One signature; the caller keeps the struct and the text until `done`. */
struct signer_call {
	struct str text;
	void (*done)(struct signer_call *c); /* exactly once, perhaps before sign() returns */
	void *owner;
	/* The answer; on failure `error` says why. */
	enum err result;
	struct error error;
	struct ed25519_public key;
	struct ed25519_signature signature;
	void *run; /* of the signer */
};

struct signer;
struct signer_ops {
	/* The key that signs now.  ERR_NOT_FOUND: there is none; other errors: it cannot be used. */
	enum err (*key)(struct signer *s, struct signer_key *ret, struct error *e);
	/* Does sign() call back before it returns? */
	bool (*is_prompt)(const struct signer *s);
	void (*sign)(struct signer *s, struct signer_call *c);
	/* No `done` follows. */
	void (*cancel)(struct signer *s, struct signer_call *c);
	/*
	 * Makes a key in the data directory, durable when this returns.  ERR_BUSY: there is one, and
	 * replaces is false, or it is held elsewhere; ERR_NOT_FOUND: there is none to replace.
	 */
	enum err (*create)(struct signer *s, bool replaces, struct signer_key *ret,
	                   struct error *e);
	void (*close)(struct signer *s);
};
struct signer {
	const struct signer_ops *ops;
};

#endif
