#ifndef SIGNER_SIGNER_H
#define SIGNER_SIGNER_H
/*
 * Opens the signing key.  Where it is looked for, at each use:
 *
 *   1. with `sign.command`: the program signs, and sign.public_key names its public key,
 *   2. $CREDENTIALS_DIRECTORY/thole-sign-key: a private key in PEM, from systemd,
 *   3. DATA/sign.key: private and public key in PEM, mode 0600.
 */
#include "ports/hook.h"
#include "ports/signer.h"

#define SIGNER_COMMAND_REF "hook:sign:command"

struct signer_options {
	struct str data_dir;
	struct str command, public_key; /* the settings; empty: none */
	struct str cwd;                 /* for the program */
	struct hooks *hooks;            /* runs the program; NULL: it cannot be run */
};

/* Nothing is read yet.  ERR_INVALID: the settings contradict each other. */
enum err signer_open(const struct signer_options *o, struct signer **ret, struct error *e) MUST_USE;

/* ---- signer_file.c ---- */

/* ERR_NOT_FOUND: there is no file.  is_checked: only its owner may read it. */
enum err signer_file_read(const char *path, bool is_checked, struct buf *ret,
                          struct error *e) MUST_USE;
/* Private and public key, mode 0600, synced with its directory; replaces the file at once. */
enum err signer_file_write(const char *path, const struct ed25519_private *key,
                           const struct ed25519_public *public, struct error *e) MUST_USE;

#endif
