/* Spans: opening rows of `chunk` and `pack`, checking their chain, and making new ones. */
#include "store/postgres/pg_span.h"

#include <stdlib.h>

/* ---- reading ---- */

bool pg_span_head(struct arena *mem, const struct pg_rows *rows, int row, struct pg_span *ret)
{
	uint64_t position = (uint64_t)pg_conn_i64(rows, row, 4);
	struct str head = pg_conn_str(rows, row, 7);

	*ret = (struct pg_span){
		.pack_no = pg_conn_i64(rows, row, 0),
		.session_no = pg_conn_i64(rows, row, 1),
		.first_seq = (uint64_t)pg_conn_i64(rows, row, 2),
		.last_seq = (uint64_t)pg_conn_i64(rows, row, 3),
		.body = pg_conn_str(rows, row, 8),
		.journal = pg_conn_str(rows, row, 9),
	};
	return pg_conn_hash(rows, row, 5, &ret->prev_hash) &&
	       pg_conn_hash(rows, row, 6, &ret->last_hash) &&
	       (ret->pack_no ? pack_read_head(mem, head, position, &ret->pack)
	                     : pack_take_items(mem, head, position, &ret->pack)) &&
	       ret->pack.count == ret->last_seq - ret->first_seq + 1;
}

/* The number of bodies that match their marks; the last must also match the row's hash. */
static size_t count_chained(struct pg_span *s)
{
	struct sha256 hash = s->prev_hash;
	size_t at = 0;

	for (size_t i = 0; i < s->pack.count; i++) {
		const struct pack_item *item = &s->pack.items[i];

		hash = pack_link(&hash, item, str_of(s->pack.text.ptr + at, item->len));
		at += item->len;
		s->hashes[i] = hash;
		if (memcmp(hash.state, item->mark, sizeof item->mark) != 0)
			return i;
	}
	return s->pack.count - !sha256_eq(&hash, &s->last_hash);
}

/* The lengths of the head must add up to the text of a chunk too. */
static bool open_text(struct arena *mem, struct pg_span *s)
{
	uint64_t sum = 0;

	if (s->pack_no)
		return pack_read_text(mem, s->body, &s->pack);
	for (size_t i = 0; i < s->pack.count; i++)
		sum += s->pack.items[i].len;
	s->pack.text = s->body;
	return sum == s->body.len;
}

bool pg_span_text(struct arena *mem, struct pg_span *s)
{
	if (!open_text(mem, s))
		return false;
	s->hashes = ARENA_ARRAY(mem, struct sha256, s->pack.count);
	s->sound = count_chained(s);
	return s->sound == s->pack.count;
}

bool pg_span_journal(struct arena *mem, const struct pg_span *s, struct journal_rows *ret)
{
	return s->pack_no ? journal_rows_read_frame(mem, s->journal, ret)
	                  : journal_rows_take(mem, s->journal, ret);
}

struct event_row pg_span_row(const struct pg_span *s, size_t i, size_t at)
{
	const struct pack_item *item = &s->pack.items[i];

	return (struct event_row){
		.position = item->position,
		.seq = s->first_seq + i,
		.type = item->type,
		.hash = s->hashes[i],
		.body = bytes_new(str_of(s->pack.text.ptr + at, item->len)),
		.is_erased = item->is_erased,
		.digest = item->digest,
	};
}

/* ---- writing ---- */

void pg_span_begin(struct pg_span_builder *b, struct arena *mem, uint64_t first_seq,
                   const struct sha256 *prev_hash)
{
	*b = (struct pg_span_builder){ .mem = mem };
	b->span.first_seq = first_seq;
	b->span.last_seq = first_seq - 1;
	b->span.prev_hash = b->span.last_hash = *prev_hash;
}

void pg_span_done(struct pg_span_builder *b)
{
	buf_done(&b->text);
}

bool pg_span_add(struct pg_span_builder *b, struct pack_item item, struct str body,
                 const struct sha256 *hash)
{
	struct pg_span *s = &b->span;
	struct sha256 link = pack_link(&s->last_hash, &item, body);

	if (!sha256_eq(&link, hash))
		return false;
	if (s->pack.count == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 64;

		s->pack.items =
			arena_grow(b->mem, s->pack.items, b->cap * sizeof item, cap * sizeof item);
		s->hashes = arena_grow(b->mem, s->hashes, b->cap * sizeof link, cap * sizeof link);
		b->cap = cap;
	}
	memcpy(item.mark, link.state, sizeof item.mark);
	item.len = (uint32_t)body.len;
	s->hashes[s->pack.count] = s->last_hash = link;
	s->pack.items[s->pack.count++] = item;
	s->last_seq++;
	buf_add_str(&b->text, body);
	return true;
}

/* Damaged records are as good as none: their groups count as not recorded. */
bool pg_span_add_all(struct pg_span_builder *b, const struct pg_span *s, size_t from)
{
	struct journal_rows rows = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < s->pack.count; i++) {
		const struct pack_item *item = &s->pack.items[i];

		if (i >= from &&
		    !pg_span_add(b, *item, str_of(s->pack.text.ptr + at, item->len), &s->hashes[i]))
			return false;
		at += item->len;
	}
	if (!pg_span_journal(b->mem, s, &rows))
		return true;
	for (size_t i = 0; i < rows.count; i++)
		if (rows.items[i].seq >= s->first_seq + from)
			journal_rows_add(b->mem, &b->journal, rows.items[i]);
	return true;
}

void pg_span_types(const struct pack *p, uint64_t ret[4])
{
	memset(ret, 0, 4 * sizeof *ret);
	for (size_t i = 0; i < p->count; i++)
		if (p->items[i].type < 256)
			ret[p->items[i].type / 64] |= (uint64_t)1 << p->items[i].type % 64;
}

/* Rows are removed only if the new one holds the same. */
static bool reads_back(struct pg_span_builder *b, bool is_pack, const struct pg_span_bytes *bytes)
{
	uint64_t position = b->span.pack.items[0].position;
	struct pack again;

	if (is_pack ? !pack_read_head(b->mem, buf_str(&bytes->head), position, &again) ||
	                      again.count != b->span.pack.count ||
	                      !pack_read_text(b->mem, buf_str(&bytes->body), &again)
	            : !pack_take_items(b->mem, buf_str(&bytes->head), position, &again) ||
	                      again.count != b->span.pack.count)
		return false;
	for (size_t i = 0; i < again.count; i++) {
		const struct pack_item *x = &b->span.pack.items[i], *y = &again.items[i];

		if (x->position != y->position || x->type != y->type || x->len != y->len ||
		    x->is_erased != y->is_erased)
			return false;
	}
	return !is_pack || str_eq(again.text, buf_str(&b->text));
}

bool pg_span_write(struct pg_span_builder *b, bool is_pack, struct pg_span_bytes *ret)
{
	*ret = (struct pg_span_bytes){ 0 };
	b->span.pack.text = buf_str(&b->text);
	buf_add(&ret->hashes, b->span.hashes, b->span.pack.count * sizeof *b->span.hashes);
	if (is_pack) {
		pack_write(&b->span.pack, &ret->head, &ret->body);
		journal_rows_put_frame(&ret->journal, &b->journal);
	} else {
		pack_put_items(&b->span.pack, &ret->head);
		buf_add_str(&ret->body, buf_str(&b->text));
		journal_rows_put(&ret->journal, &b->journal);
	}
	return reads_back(b, is_pack, ret);
}

void pg_span_bytes_done(struct pg_span_bytes *bytes)
{
	buf_done(&bytes->head);
	buf_done(&bytes->body);
	buf_done(&bytes->journal);
	buf_done(&bytes->hashes);
}
