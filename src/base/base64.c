#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(struct buf *out, struct str data)
{
	for (size_t i = 0; i < data.len; i += 3) {
		size_t left = data.len - i;
		uint32_t n = (uint32_t)(unsigned char)data.ptr[i] << 16 |
		             (left > 1 ? (uint32_t)(unsigned char)data.ptr[i + 1] << 8 : 0) |
		             (left > 2 ? (uint32_t)(unsigned char)data.ptr[i + 2] : 0);

		buf_add_char(out, digits[n >> 18 & 63]);
		buf_add_char(out, digits[n >> 12 & 63]);
		buf_add_char(out, left > 1 ? digits[n >> 6 & 63] : '=');
		buf_add_char(out, left > 2 ? digits[n & 63] : '=');
	}
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four digits; the last one or two may be padding. */
static bool read_group(struct buf *out, const char *at, bool is_last)
{
	int bytes = 3;
	uint32_t n = 0;

	if (is_last && at[3] == '=')
		bytes = at[2] == '=' ? 1 : 2;
	for (int i = 0; i <= bytes; i++) {
		int v = value_of(at[i]);

		if (v < 0)
			return false;
		n |= (uint32_t)v << (18 - 6 * i);
	}
	/* Bits that belong to no byte are zero. */
	if (n & ((1u << (24 - 8 * bytes)) - 1))
		return false;
	for (int i = 0; i < bytes; i++)
		buf_add_char(out, (char)(n >> (16 - 8 * i) & 255));
	return true;
}

bool base64_read(struct buf *out, struct str text)
{
	if (text.len % 4)
		return false;
	for (size_t i = 0; i < text.len; i += 4)
		if (!read_group(out, text.ptr + i, i + 4 == text.len))
			return false;
	return true;
}
