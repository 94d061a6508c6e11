#ifndef PROVIDER_KEYS_H
#define PROVIDER_KEYS_H
/*
 * Keys of providers: where they are found, and a type that keeps them secret.
 *
 * A secret can be sent to the provider it belongs to and compared with what
 * comes back; there is no function that writes one to a buffer, a log or JSON.
 * Its memory is zeroed when it is freed and left out of core dumps.
 *
 * A key is searched in this order; the first that exists is used:
 *   1. the provider's environment variable (OPENAI_API_KEY),
 *   2. a systemd credential, $CREDENTIALS_DIRECTORY/NAME,
 *   3. the file DATA/keys/NAME, which must be ours with mode 0600.
 */
#include "base/arena.h"
#include "base/err.h"
#include "catalog/catalog.h"

struct secret;

/* Surrounding white space is dropped.  NULL when nothing is left or it cannot be a header's value. */
struct secret *keys_secret_new(struct str text);
/* The same for one line of text, such as a path; and for any text, such as a private key. */
struct secret *keys_secret_of_line(struct str text);
struct secret *keys_secret_of_text(struct str text);
void keys_secret_free(struct secret *s); /* NULL is fine */

/* NULL is like NULL. */
bool keys_secret_is_same(const struct secret *a, const struct secret *b);

/* The only access to the text: for what proves the sender of a request, and for nothing else. */
struct str keys_secret_for_header(const struct secret *s);

/* Replaces the secret in a text by "[key]"; copied to mem only if it occurs. */
struct str keys_secret_hide(const struct secret *s, struct arena *mem, struct str text);

struct key_source {
	struct str name;           /* of the provider: letters, digits, '-' and '_' */
	struct str variable;       /* absent: none */
	struct str data_dir;       /* absent: no files */
	struct str other_variable; /* read when `variable` is not set; absent: none */
};

struct key_found {
	struct secret *key; /* NULL: there is none */
	enum key_origin origin;
	struct str name; /* the variable; in the caller's strings */
};

/*
 * OK with *ret NULL when there is no key anywhere, which is no error.  A file
 * that others may read, or that cannot be read, is ERR_INVALID or ERR_IO.
 */
enum err keys_find(const struct key_source *from, struct secret **ret, struct error *e) MUST_USE;
/* The same, with the place where it was found. */
enum err keys_look(const struct key_source *from, struct key_found *ret, struct error *e) MUST_USE;

/* Writes DATA/keys/NAME, 0600, in one step. */
enum err keys_save(const struct key_source *to, const struct secret *key, struct error *e) MUST_USE;
/* OK also when there was none. */
enum err keys_remove(const struct key_source *from, struct error *e) MUST_USE;

#endif
