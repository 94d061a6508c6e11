/*
 * Base64 over nettle, which does the arithmetic.  Nettle skips blanks inside
 * the text; RFC 4648 does not allow them, so they are refused here.
 */
#include "base/hash/base64.h"

#include <nettle/base64.h>

void base64_write(struct buf *out, struct str data)
{
	size_t len = BASE64_ENCODE_RAW_LENGTH(data.len);
	char *at = data.len ? buf_reserve(out, len) : NULL;

	if (!at)
		return;
	base64_encode_raw(at, data.len, (const uint8_t *)data.ptr);
	out->len += len;
}

void base64_write_url(struct buf *out, struct str data)
{
	size_t begin = out->len;

	base64_write(out, data);
	while (out->len > begin && out->ptr[out->len - 1] == '=')
		out->len--;
	for (size_t i = begin; i < out->len; i++)
		out->ptr[i] = out->ptr[i] == '+' ? '-' : out->ptr[i] == '/' ? '_' : out->ptr[i];
}

static bool has_blanks(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= ' ')
			return true;
	return false;
}

/* The padding is required (RFC 4648, section 4). */
bool base64_read(struct buf *out, struct str text)
{
	struct base64_decode_ctx ctx;
	size_t len = BASE64_DECODE_LENGTH(text.len);
	char *at;

	if (!text.len)
		return true;
	if (text.len % 4 || has_blanks(text))
		return false;
	at = buf_reserve(out, len);
	if (!at)
		return false;
	base64_decode_init(&ctx);
	if (!base64_decode_update(&ctx, &len, (uint8_t *)at, text.len, text.ptr) ||
	    !base64_decode_final(&ctx))
		return false;
	out->len += len;
	return true;
}

/*
 * Nettle wants the padding, and skips blanks.  A text with blanks or padding of its own gives fewer
 * bytes than its length says.
 */
bool base64_read_url_to(char *out, struct str text, size_t *ret_len)
{
	struct base64_decode_ctx ctx;
	size_t len, more, rest = (4 - text.len % 4) % 4;

	base64url_decode_init(&ctx);
	if (rest == 3 || !base64_decode_update(&ctx, &len, (uint8_t *)out, text.len, text.ptr) ||
	    !base64_decode_update(&ctx, &more, (uint8_t *)out + len, rest, "==") ||
	    !base64_decode_final(&ctx))
		return false;
	*ret_len = len;
	return len == text.len * 3 / 4;
}

bool base64_read_url(struct buf *out, struct str text)
{
	char *at = buf_reserve(out, BASE64_URL_BYTES(text.len));
	size_t len;

	if (!at || !base64_read_url_to(at, text, &len))
		return false;
	out->len += len;
	return true;
}
