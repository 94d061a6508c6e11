#ifndef BASE_BASE64_H
#define BASE_BASE64_H
/* Base64 of RFC 4648, section 4: with padding, without line breaks. */
#include "base/buf.h"

void base64_write(struct buf *out, struct str data);

/* Returns false if the text is not valid base64; the bytes added by then must not be used. */
bool base64_read(struct buf *out, struct str text) MUST_USE;

/* The same of section 5, base64url, without padding; one text for each sequence of bytes. */
bool base64_read_url(struct buf *out, struct str text) MUST_USE;
bool base64_is_url_char(char c);

#endif
