#ifndef STORE_BUCKET_OBJECT_H
#define STORE_BUCKET_OBJECT_H
/*
 * What outputs ask of a bucket.  Keys are below its prefix.  Each call waits; errors are those of
 * bucket_send().  Each may be repeated.
 */
#include "store/bucket/bucket.h"

#define BUCKET_UPLOAD_MAX 1024 /* bytes of the id of an upload */

/* Writes a small object of a fixed content: is the bucket there, and may we write? */
enum err bucket_object_probe(struct bucket *b, struct error *e) MUST_USE;
enum err bucket_object_put(struct bucket *b, struct str key, const struct bucket_body *body,
                           struct error *e) MUST_USE;
enum err bucket_object_size(struct bucket *b, struct str key, uint64_t *ret,
                            struct error *e) MUST_USE;
/* At most max bytes from there, which must be below the size.  ret_len: how many there were. */
enum err bucket_object_get(struct bucket *b, struct str key, uint64_t from, size_t max, char *data,
                           size_t *ret_len, struct error *e) MUST_USE;
/* By the server itself; at most options.copy_max bytes. */
enum err bucket_object_copy(struct bucket *b, struct str from, struct str to,
                            struct error *e) MUST_USE;
/* Removes all objects whose keys begin with this, but one (absent: none). */
enum err bucket_object_sweep(struct bucket *b, struct str key_prefix, struct str but,
                             struct error *e) MUST_USE;

/* ---- an object that is sent in parts ---- */

struct bucket_part {
	int64_t no;
	struct str etag;
};

enum err bucket_object_begin(struct bucket *b, struct str key, char ret_upload[BUCKET_UPLOAD_MAX],
                             struct error *e) MUST_USE;
enum err bucket_object_part(struct bucket *b, struct str key, struct str upload, int64_t no,
                            const struct bucket_body *body, char ret_etag[BUCKET_ETAG_MAX],
                            struct error *e) MUST_USE;
/* ERR_NOT_FOUND: the upload is over.  ERR_CORRUPT: other parts are there. */
enum err bucket_object_complete(struct bucket *b, struct str key, struct str upload,
                                const struct bucket_part *parts, size_t count,
                                struct error *e) MUST_USE;
/* Its parts are removed.  OK also when it is over. */
enum err bucket_object_abort(struct bucket *b, struct str key, struct str upload,
                             struct error *e) MUST_USE;

#endif
