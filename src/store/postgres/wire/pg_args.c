/* Parameters and arrays as PostgreSQL's binary format has them: numbers in network order. */
#include "store/postgres/wire/pg_args.h"

#include <assert.h>
#include <endian.h>

/* An array: dimensions, whether it has NULLs, type, then count and lower bound. */
enum { HEAD_NULLS = 4, HEAD_COUNT = 12 };

#define TYPES_BITS 256

void pg_args_done(struct pg_args *a)
{
	for (int i = 0; i < a->count; i++)
		buf_done(&a->bytes[i]);
	*a = (struct pg_args){ 0 };
}

static struct buf *next_arg(struct pg_args *a)
{
	assert(a->count < PG_ARGS_MAX);
	return &a->bytes[a->count++];
}

static void add_i32(struct buf *b, int32_t n)
{
	uint32_t wire = htobe32((uint32_t)n);

	buf_add(b, &wire, sizeof wire);
}

static void add_i64(struct buf *b, int64_t n)
{
	uint64_t wire = htobe64((uint64_t)n);

	buf_add(b, &wire, sizeof wire);
}

/* PostgreSQL numbers bits from the left, the highest of the first byte is bit 0. */
static void add_bits(struct buf *b, const uint64_t words[4])
{
	unsigned char bytes[TYPES_BITS / 8] = { 0 };

	for (unsigned i = 0; i < TYPES_BITS; i++)
		if (words[i / 64] >> i % 64 & 1)
			bytes[i / 8] |= (unsigned char)(0x80 >> i % 8);
	add_i32(b, TYPES_BITS);
	buf_add(b, bytes, sizeof bytes);
}

/* ---- single values ---- */

void pg_args_i64(struct pg_args *a, int64_t n)
{
	add_i64(next_arg(a), n);
}

void pg_args_str(struct pg_args *a, struct str s)
{
	struct buf *b = next_arg(a);

	a->is_null[a->count - 1] = !str_is(s);
	if (s.len)
		buf_add_str(b, s);
}

void pg_args_hash(struct pg_args *a, const struct sha256 *h)
{
	buf_add(next_arg(a), h->state, SHA256_BYTES);
}

void pg_args_bool(struct pg_args *a, bool is)
{
	buf_add_char(next_arg(a), (char)is);
}

void pg_args_bits(struct pg_args *a, const uint64_t words[4])
{
	add_bits(next_arg(a), words);
}

/* ---- arrays ---- */

struct buf *pg_args_array(struct pg_args *a, enum pg_type type)
{
	struct buf *b = next_arg(a);

	add_i32(b, 1); /* one dimension */
	add_i32(b, 0);
	add_i32(b, type);
	add_i32(b, 0);
	add_i32(b, 1);
	return b;
}

static void count_one(struct buf *array)
{
	uint32_t wire;

	memcpy(&wire, array->ptr + HEAD_COUNT, sizeof wire);
	wire = htobe32(be32toh(wire) + 1);
	memcpy(array->ptr + HEAD_COUNT, &wire, sizeof wire);
}

void pg_args_put_size(struct buf *array, size_t len)
{
	count_one(array);
	add_i32(array, (int32_t)len);
}

static void put_null(struct buf *array)
{
	uint32_t wire = htobe32(1);

	count_one(array);
	memcpy(array->ptr + HEAD_NULLS, &wire, sizeof wire);
	add_i32(array, -1);
}

void pg_args_put_i64(struct buf *array, int64_t n)
{
	pg_args_put_size(array, sizeof n);
	add_i64(array, n);
}

void pg_args_put_i32(struct buf *array, int32_t n)
{
	pg_args_put_size(array, sizeof n);
	add_i32(array, n);
}

void pg_args_put_bool(struct buf *array, bool is)
{
	pg_args_put_size(array, 1);
	buf_add_char(array, (char)is);
}

void pg_args_put_str(struct buf *array, struct str s)
{
	if (!str_is(s)) {
		put_null(array);
		return;
	}
	pg_args_put_size(array, s.len);
	if (s.len)
		buf_add_str(array, s);
}

void pg_args_put_hash(struct buf *array, const struct sha256 *h)
{
	pg_args_put_size(array, SHA256_BYTES);
	buf_add(array, h->state, SHA256_BYTES);
}

void pg_args_put_bits(struct buf *array, const uint64_t words[4])
{
	pg_args_put_size(array, 4 + TYPES_BITS / 8);
	add_bits(array, words);
}

/* ---- for libpq ---- */

void pg_args_point(const struct pg_args *a, struct pg_args_pointers *ret)
{
	for (int i = 0; i < a->count; i++) {
		ret->values[i] = a->is_null[i] ? NULL : a->bytes[i].ptr ? a->bytes[i].ptr : "";
		ret->lengths[i] = (int)a->bytes[i].len;
		ret->formats[i] = 1;
	}
}
