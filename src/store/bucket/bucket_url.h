#ifndef STORE_BUCKET_URL_H
#define STORE_BUCKET_URL_H
/*
 * Where objects are, and the addresses of requests.  Pure.
 *
 * Path and query are signed as they are sent, because libcurl 7.88 neither sorts nor encodes them:
 * what is no letter, digit or -_.~ is encoded here, and members of a query are written in the order
 * of their names, each with a "=".
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Settings as they were given; all may be empty but the bucket. */
struct bucket_settings {
	struct str bucket, prefix, endpoint, region;
	bool is_path_style; /* ENDPOINT/BUCKET/KEY instead of BUCKET.ENDPOINT/KEY */
};

/* The same, checked, in the memory of the caller. */
struct bucket_place {
	struct str bucket;
	struct str prefix; /* empty, or with a "/" at its end */
	struct str region;
	struct str base;  /* "https://host:port/" or "https://host:port/BUCKET/" */
	struct str shown; /* the endpoint, for messages */
};

/* ERR_INVALID: the message begins with object_store_settings and names the setting. */
enum err bucket_url_place(struct arena *mem, const struct bucket_settings *s,
                          struct bucket_place *ret, struct error *e) MUST_USE;

/* Adds prefix and key, encoded. */
void bucket_url_key(struct buf *out, const struct bucket_place *p, struct str key);
/* Adds the address of an object, whose key is below the prefix.  query: absent or of bucket_url_member(). */
void bucket_url_object(struct buf *out, const struct bucket_place *p, struct str key,
                       struct str query);
/* Adds the address of a page of keys with this beginning, after `after` (absent: from the first). */
void bucket_url_list(struct buf *out, const struct bucket_place *p, struct str key_prefix,
                     struct str after);
/* Adds "&" where it is needed, name, "=" and the encoded value.  Names come in their order. */
void bucket_url_member(struct buf *query, const char *name, struct str value);

#endif
