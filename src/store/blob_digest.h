#ifndef STORE_BLOB_DIGEST_H
#define STORE_BLOB_DIGEST_H
/* What is learnt about an output while it streams by: hash, size, both ends, whether it is text. */
#include "base/hash/sha256.h"

#define BLOB_PREVIEW 12288 /* half of what a model is given of it */

struct blob_digest {
	struct sha256_stream hash;
	uint64_t size;
	bool is_text;
	/* A few bytes more than shown, so that a split character is seen as such. */
	char head[BLOB_PREVIEW + 4], tail[BLOB_PREVIEW + 4];
	size_t head_len, tail_len;
	char begun[4]; /* a character that is not whole yet */
	size_t begun_len;
};

void blob_digest_begin(struct blob_digest *d);
void blob_digest_more(struct blob_digest *d, struct str data);

/* The last word: a character that was never finished makes it no text. */
struct sha256 blob_digest_end(struct blob_digest *d);

/* At most BLOB_PREVIEW bytes, whole characters; views into d. */
struct str blob_digest_head(const struct blob_digest *d);
struct str blob_digest_tail(const struct blob_digest *d);

#endif
