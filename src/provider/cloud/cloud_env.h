#ifndef PROVIDER_CLOUD_ENV_H
#define PROVIDER_CLOUD_ENV_H
/*
 * Where accounts are looked for: variables that a client lent, the daemon's own
 * environment, the settings of the provider, and files of the home directory.
 *
 * If a client lent an account, no variable of the daemon's environment that
 * belongs to an account counts for its requests, and without one none of the
 * client's does: parts of two never mix.
 */
#include "base/arena.h"
#include "base/err.h"
#include "provider/keys/key_ring.h"

/* Of one provider, from the setting `providers`; absent: not set. */
struct cloud_settings {
	struct str region, profile;   /* aws */
	struct str project, location; /* google */
};

struct cloud_env {
	struct arena *mem; /* of what is returned */
	const struct key_ring *ring;
	struct key_client client;
	struct str provider;
	struct cloud_settings settings;
};

/* Where a value was found. */
struct cloud_place {
	enum key_origin origin;
	struct str name; /* the variable or the file; in mem, or a constant */
};

bool cloud_env_is_lent(const struct cloud_env *v);
/* For "set X": where, if the account is the daemon's own. */
const char *cloud_env_where(const struct cloud_env *v);
/* The value of a variable; absent: not set, or empty.  ret_place may be NULL. */
struct str cloud_env_get(const struct cloud_env *v, const char *variable,
                         struct cloud_place *ret_place);
/* The same for a secret; NULL: not set.  The caller frees it. */
struct secret *cloud_env_secret(const struct cloud_env *v, const char *variable,
                                struct cloud_place *ret_place);

/* PATH below the home directory; absent: there is none. */
struct str cloud_env_home(const struct cloud_env *v, const char *path);

/*
 * The content of a file of credentials, which must be a file of this user or of root; the caller
 * wipes and frees it with cloud_env_wipe().  ERR_NOT_FOUND: there is none.
 */
enum err cloud_env_read(struct str path, struct buf *ret, struct error *e) MUST_USE;
void cloud_env_wipe(struct buf *text);

/* Letters, digits and these further characters only: it becomes part of an address. */
bool cloud_env_is_word(struct str s, const char *further);

#endif
