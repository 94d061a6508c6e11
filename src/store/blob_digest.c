/*
 * Computes hash, size, both ends and the kind (text or binary) of an output
 * while it is written, so that it need not be read again.
 */
#include "store/blob_digest.h"

#include "base/utf8.h"

void blob_digest_begin(struct blob_digest *d)
{
	d->size = 0;
	d->head_len = d->tail_len = d->begun_len = 0;
	d->is_text = true;
	sha256_begin(&d->hash);
}

/* Completes the character that an earlier piece began; returns the rest of data. */
static struct str finish_begun(struct blob_digest *d, struct str data)
{
	while (d->begun_len && data.len && d->is_text) {
		struct str begun = str_of(d->begun, d->begun_len + 1);

		d->begun[d->begun_len++] = data.ptr[0];
		data = str_skip(data, 1);
		if (utf8_is_valid(begun))
			d->begun_len = 0;
		else
			d->is_text = utf8_unfinished(begun) == begun.len;
	}
	return data;
}

/*
 * Text is valid UTF-8 without NUL.  A character may be split between two pieces: its
 * first bytes are kept until the next piece.
 */
static void look_for_text(struct blob_digest *d, struct str data)
{
	if (memchr(data.ptr, 0, data.len))
		d->is_text = false;
	data = finish_begun(d, data);
	if (!d->is_text || !data.len)
		return;

	size_t begun = utf8_unfinished(data);
	struct str whole = str_head(data, data.len - begun);

	d->is_text = utf8_is_valid(whole);
	memcpy(d->begun, data.ptr + whole.len, begun);
	d->begun_len = begun;
}

/*
 * The last bytes of the output so far: the old tail moves left as far as the new piece
 * needs room.
 */
static void keep_ends(struct blob_digest *d, struct str data)
{
	size_t more = MIN(data.len, sizeof d->head - d->head_len);
	struct str end = str_skip(data, data.len - MIN(data.len, sizeof d->tail));
	size_t stays = MIN(d->tail_len, sizeof d->tail - end.len);

	memcpy(d->head + d->head_len, data.ptr, more);
	d->head_len += more;
	memmove(d->tail, d->tail + d->tail_len - stays, stays);
	memcpy(d->tail + stays, end.ptr, end.len);
	d->tail_len = stays + end.len;
}

void blob_digest_more(struct blob_digest *d, struct str data)
{
	if (!data.len)
		return;
	sha256_more(&d->hash, data);
	d->size += data.len;
	keep_ends(d, data);
	if (d->is_text)
		look_for_text(d, data);
}

/* An output that ends inside a character is not text. */
struct sha256 blob_digest_end(struct blob_digest *d)
{
	if (d->begun_len)
		d->is_text = false;
	return sha256_end(&d->hash);
}

struct str blob_digest_head(const struct blob_digest *d)
{
	return utf8_head(str_of(d->head, d->head_len), BLOB_PREVIEW);
}

struct str blob_digest_tail(const struct blob_digest *d)
{
	return utf8_tail(str_of(d->tail, d->tail_len), BLOB_PREVIEW);
}
