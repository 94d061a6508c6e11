#ifndef LIB_KEYS_BUCKET_KEYS_H
#define LIB_KEYS_BUCKET_KEYS_H
/*
 * Where the keys of an object store are: the profile `default` of a file, the role of the machine, or
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
 *
 * The files of ~/.aws and the role are not looked at unless a setting says so: keys of a cloud are often
 * there for other purposes.
 */
#include "lib/config.h"
#include "lib/keys/machine_keys.h"
#include "store/bucket/bucket.h"

struct bucket_keys_place {
	struct str file; /* absent or empty: none */
	bool is_role;    /* both absent: the environment */
	struct machine_keys role;
};

/*
 * The object store that the settings name, with keys from there.  Strings are in mem or those of the
 * settings; place lives as long as *ret.
 */
void bucket_keys_options(struct arena *mem, const struct config_values *values,
                         struct bucket_keys_place *place, struct bucket_options *ret);

/*
 * For struct bucket_options; place is a struct bucket_keys_place.  A file is read each time, so that
 * keys may be replaced in it.  Any thread.
 */
enum err bucket_keys_find(void *place, struct bucket_keys *ret, struct error *e) MUST_USE;

/* Wipes what it keeps; one that is zeroed is fine. */
void bucket_keys_done(struct bucket_keys_place *place);

#endif
