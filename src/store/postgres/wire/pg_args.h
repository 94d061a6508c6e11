#ifndef STORE_POSTGRES_WIRE_PG_ARGS_H
#define STORE_POSTGRES_WIRE_PG_ARGS_H
/*
 * The parameters of one statement, in PostgreSQL's binary format.
 *
 * A batch travels as a few arrays, one for each column, whatever its number of slices;
 * the statement turns them into rows with unnest().  Parameters are added in the order
 * $1, $2, ...  The bytes belong to the struct until pg_args_done().
 */
#include "base/buf.h"
#include "base/hash/sha256.h"

#define PG_ARGS_MAX 20

/* The numbers of types in PostgreSQL's catalogue, which never change. */
enum pg_type {
	PG_BOOL = 16,
	PG_BYTEA = 17,
	PG_INT8 = 20,
	PG_INT4 = 23,
	PG_TEXT = 25,
	PG_BIT = 1560,
};

struct pg_args {
	int count;
	struct buf bytes[PG_ARGS_MAX];
	bool is_null[PG_ARGS_MAX];
};

void pg_args_done(struct pg_args *a);

void pg_args_i64(struct pg_args *a, int64_t n);
/* text or bytea; an absent one is NULL. */
void pg_args_str(struct pg_args *a, struct str s);
void pg_args_hash(struct pg_args *a, const struct sha256 *h);
void pg_args_bool(struct pg_args *a, bool is);
/* 256 bits of four words, the lowest first. */
void pg_args_bits(struct pg_args *a, const uint64_t words[4]);

/* An empty array; elements are added with pg_args_put_*(). */
struct buf *pg_args_array(struct pg_args *a, enum pg_type type);
void pg_args_put_i64(struct buf *array, int64_t n);
void pg_args_put_i32(struct buf *array, int32_t n);
void pg_args_put_bool(struct buf *array, bool is);
void pg_args_put_str(struct buf *array, struct str s);
void pg_args_put_hash(struct buf *array, const struct sha256 *h);
void pg_args_put_bits(struct buf *array, const uint64_t words[4]);
/* An element of `len` bytes, which the caller adds to the array next. */
void pg_args_put_size(struct buf *array, size_t len);

/* What libpq takes; valid until the next change. */
struct pg_args_pointers {
	const char *values[PG_ARGS_MAX];
	int lengths[PG_ARGS_MAX], formats[PG_ARGS_MAX];
};
void pg_args_point(const struct pg_args *a, struct pg_args_pointers *ret);

#endif
