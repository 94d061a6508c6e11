#ifndef LIB_KEYS_BUCKET_KEYS_H
#define LIB_KEYS_BUCKET_KEYS_H
/*
 * Where the keys of an object store are: the profile `default` of a file, or AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
 *
 * The files of ~/.aws are not looked at unless the setting names one: keys of a cloud are often
 * there for other purposes.
 */
#include "lib/config.h"
#include "store/bucket/bucket.h"

struct bucket_keys_place {
	struct str file; /* absent or empty: the environment */
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

#endif
