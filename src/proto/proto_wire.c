/* Varints, tags and lengths. */
#include "proto/proto_wire.h"

#define VARINT_MAX 10 /* bytes */

static bool take_varint(struct str *rest, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < rest->len && i < VARINT_MAX; i++) {
		uint8_t byte = (uint8_t)rest->ptr[i];

		if (i == VARINT_MAX - 1 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 127) << (7 * i);
		if (!(byte & 128)) {
			*rest = str_skip(*rest, i + 1);
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool take_fixed(struct str *rest, size_t size, uint64_t *ret)
{
	uint64_t value = 0;

	if (rest->len < size)
		return false;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)(uint8_t)rest->ptr[i] << (8 * i);
	*rest = str_skip(*rest, size);
	*ret = value;
	return true;
}

static bool take_bytes(struct str *rest, struct str *ret)
{
	uint64_t len;

	if (!take_varint(rest, &len) || len > rest->len)
		return false;
	*ret = str_head(*rest, (size_t)len);
	*rest = str_skip(*rest, (size_t)len);
	return true;
}

static bool take_content(struct str *rest, struct proto_item *ret)
{
	switch (ret->type) {
	case PROTO_WIRE_VARINT:
		return take_varint(rest, &ret->value);
	case PROTO_WIRE_FIXED64:
		return take_fixed(rest, 8, &ret->value);
	case PROTO_WIRE_BYTES:
		return take_bytes(rest, &ret->bytes);
	case PROTO_WIRE_FIXED32:
		return take_fixed(rest, 4, &ret->value);
	}
	return false;
}

enum proto_wire_step proto_wire_next(struct str *rest, struct proto_item *ret)
{
	uint64_t tag;

	if (!rest->len)
		return PROTO_WIRE_END;
	if (!take_varint(rest, &tag) || tag > UINT32_MAX || !(tag >> 3))
		return PROTO_WIRE_BAD;
	*ret = (struct proto_item){ .number = (uint32_t)(tag >> 3),
		                    .type = (enum proto_wire_type)(tag & 7) };
	return take_content(rest, ret) ? PROTO_WIRE_ITEM : PROTO_WIRE_BAD;
}

void proto_wire_varint(struct buf *out, uint64_t value)
{
	for (; value > 127; value >>= 7)
		buf_add_char(out, (char)(value | 128));
	buf_add_char(out, (char)value);
}

void proto_wire_tag(struct buf *out, uint32_t number, enum proto_wire_type type)
{
	proto_wire_varint(out, (uint64_t)number << 3 | type);
}

void proto_wire_number(struct buf *out, uint32_t number, uint64_t value)
{
	proto_wire_tag(out, number, PROTO_WIRE_VARINT);
	proto_wire_varint(out, value);
}

void proto_wire_double(struct buf *out, uint32_t number, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	proto_wire_tag(out, number, PROTO_WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		buf_add_char(out, (char)(bits >> (8 * i)));
}

void proto_wire_bytes(struct buf *out, uint32_t number, struct str bytes)
{
	proto_wire_tag(out, number, PROTO_WIRE_BYTES);
	proto_wire_varint(out, bytes.len);
	buf_add_str(out, bytes);
}

size_t proto_wire_begin(struct buf *out, uint32_t number)
{
	proto_wire_tag(out, number, PROTO_WIRE_BYTES);
	return out->len;
}

/* The length comes before the content and is known only now: the content moves by its size. */
void proto_wire_end(struct buf *out, size_t begin)
{
	char length[VARINT_MAX];
	struct buf small = { .ptr = length, .cap = sizeof length, .max = sizeof length };
	size_t size = out->len - begin;

	if (out->overflowed)
		return;
	proto_wire_varint(&small, size);
	if (!buf_reserve(out, small.len))
		return;
	memmove(out->ptr + begin + small.len, out->ptr + begin, size);
	memcpy(out->ptr + begin, length, small.len);
	out->len += small.len;
}
