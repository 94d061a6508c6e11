/* Journal records as bytes: the distance to the record before, then key and body with lengths. */
#include "store/journal_rows.h"
#include "store/number_bytes.h"
#include "store/pack.h"

void journal_rows_add(struct arena *mem, struct journal_rows *rows, struct journal_row row)
{
	if (rows->count == rows->cap) {
		size_t cap = rows->cap ? rows->cap * 2 : 64;

		rows->items =
			arena_grow(mem, rows->items, rows->count * sizeof row, cap * sizeof row);
		rows->cap = cap;
	}
	rows->items[rows->count++] = row;
}

/* 0: absent; otherwise the length and one. */
void journal_rows_put_part(struct buf *out, struct str part)
{
	number_bytes_put(out, str_is(part) ? part.len + 1 : 0);
	if (part.len)
		buf_add_str(out, part);
}

bool journal_rows_take_part(struct str *from, struct str *ret)
{
	uint64_t n;

	*ret = STR_NONE;
	if (!number_bytes_take(from, &n) || n > from->len + 1)
		return false;
	if (n)
		*ret = str_of(from->ptr, n - 1);
	*from = str_skip(*from, n ? n - 1 : 0);
	return true;
}

void journal_rows_put(struct buf *out, const struct journal_rows *rows)
{
	uint64_t last = 0;

	for (size_t i = 0; i < rows->count; i++) {
		number_bytes_put(out, rows->items[i].seq - last);
		journal_rows_put_part(out, rows->items[i].key);
		journal_rows_put_part(out, rows->items[i].body);
		last = rows->items[i].seq;
	}
}

bool journal_rows_take(struct arena *mem, struct str plain, struct journal_rows *ret)
{
	struct journal_row row = { 0 };
	uint64_t n;

	while (plain.len) {
		if (!number_bytes_take(&plain, &n) || !journal_rows_take_part(&plain, &row.key) ||
		    !journal_rows_take_part(&plain, &row.body))
			return false;
		row.seq += n;
		journal_rows_add(mem, ret, row);
	}
	return true;
}

void journal_rows_put_frame(struct buf *out, const struct journal_rows *rows)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	journal_rows_put(&plain, rows);
	if (rows->count)
		pack_write_frame(out, buf_str(&plain));
}

bool journal_rows_read_frame(struct arena *mem, struct str frame, struct journal_rows *ret)
{
	struct str plain;

	if (!frame.len)
		return true;
	return pack_read_frame(mem, frame, &plain) && journal_rows_take(mem, plain, ret);
}

void journal_rows_erase(struct journal_rows *rows, uint64_t seq)
{
	struct journal_row *of = NULL;

	for (size_t i = 0; i < rows->count && rows->items[i].seq <= seq; i++)
		of = &rows->items[i];
	if (of)
		of->body = STR("");
}
