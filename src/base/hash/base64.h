#ifndef BASE_BASE64_H
#define BASE_BASE64_H
/* Base64 of RFC 4648, section 4: with padding, without line breaks. */
#include "base/buf.h"

void base64_write(struct buf *out, struct str data);

/* Returns false if the text is not valid base64; the bytes added by then must not be used. */
bool base64_read(struct buf *out, struct str text) MUST_USE;

/* The same of section 5, base64url, without padding; one text for each sequence of bytes. */
void base64_write_url(struct buf *out, struct str data);
bool base64_read_url(struct buf *out, struct str text) MUST_USE;
/* The same to memory of BASE64_URL_BYTES(text.len). */
#define BASE64_URL_BYTES(len) ((len) / 4 * 3 + 8)
bool base64_read_url_to(char *out, struct str text, size_t *ret_len) MUST_USE;

#endif
