#ifndef BASE_BASE64_H
#define BASE_BASE64_H
/* Base64 of RFC 4648, section 4: with padding, without line breaks. */
#include "base/buf.h"

void base64_write(struct buf *out, struct str data);

/* False when the text is not the base64 of anything; what was added then is not to be used. */
bool base64_read(struct buf *out, struct str text) MUST_USE;

#endif
