/*
 * Checksums of stored rows: does the disk give back what was written?
 *
 * A sum covers every column of its row, so that a flipped bit anywhere in it
 * is found when the row is read, by this row alone: neither the rows before it
 * nor those of other sessions are needed.  A sum proves nothing against deliberate
 * changes; the chain of hashes does that.
 */
#define XXH_INLINE_ALL
#include "store/sqlite/sqlite_sum.h"

#include <xxhash.h>

/*
 * The length is part of the seed, so that moving a byte from one column to the next
 * changes the sum.
 */
static uint64_t add(uint64_t sum, const void *data, size_t len)
{
	return XXH3_64bits_withSeed(data, len, sum + len);
}

static uint64_t add_str(uint64_t sum, struct str s)
{
	return str_is(s) ? add(sum, s.ptr, s.len) : add(sum, "none", 4);
}

/* 32 bits: four bytes in the file, and one damaged row in four thousand million passes. */
static int64_t finish(uint64_t sum)
{
	return (int32_t)(uint32_t)(sum ^ sum >> 32);
}

int64_t sqlite_sum_event(const struct sum_event *ev)
{
	int64_t numbers[] = { ev->session_no, (int64_t)ev->position, (int64_t)ev->seq, ev->type };
	uint64_t sum = add(XXH3_64bits(ev->body.ptr, ev->body.len), numbers, sizeof numbers);

	return finish(add_str(add_str(sum, ev->hash), ev->digest));
}

int64_t sqlite_sum_pack(const struct sum_pack *p)
{
	int64_t numbers[] = { p->session_no, (int64_t)p->first_seq, (int64_t)p->last_seq,
		              (int64_t)p->first_position, (int64_t)p->last_position };
	uint64_t sum = add(XXH3_64bits(p->head.ptr, p->head.len), numbers, sizeof numbers);

	return finish(add_str(add_str(sum, p->prev_hash), p->last_hash));
}

/* ---- for rows that SQL writes: thole_sum(...) over any columns ---- */

/* Text and blobs count as in add_str(), numbers one by one as eight bytes. */
static uint64_t add_value(uint64_t sum, sqlite3_value *v)
{
	int64_t number;
	const void *data;

	switch (sqlite3_value_type(v)) {
	case SQLITE_NULL:
		return add(sum, "none", 4);
	case SQLITE_INTEGER:
		number = sqlite3_value_int64(v);
		return add(sum, &number, sizeof number);
	default:
		data = sqlite3_value_blob(v);
		return add(sum, data ? data : "", (size_t)sqlite3_value_bytes(v));
	}
}

static void sum_values(sqlite3_context *ctx, int count, sqlite3_value **values)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		sum = add_value(sum, values[i]);
	sqlite3_result_int64(ctx, finish(sum));
}

bool sqlite_sum_register(sqlite3 *db)
{
	return sqlite3_create_function(db, "thole_sum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
	                               NULL, sum_values, NULL, NULL) == SQLITE_OK;
}
