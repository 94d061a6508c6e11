/*
 * A set of slices as arrays, one for each column.
 *
 * What depends on order inside a set is decided by the place in these arrays: the last
 * write of an index row or an idempotency record counts, the first one of a blob.
 */
#include "store/postgres/pg_slice.h"

#include "store/journal_rows.h"
#include "store/pack.h"
#include "store/postgres/pg_span.h"

#include <assert.h>
#include <stdlib.h>

/* The sessions of the set whose slices matched, with their place in it. */
#define MATCHED                                                                                    \
	"m AS (SELECT u.place, s.session_no, s.last_seq"                                           \
	" FROM unnest($2::text[]) WITH ORDINALITY u(id, place)"                                    \
	" JOIN session s ON s.id = u.id WHERE s.mark = $1::bigint)"

/* The session has no owner, or one that has ended, or this node is its owner. */
#define IS_FREE(row)                                                                               \
	"(" row ".owner = $1::bigint OR " row ".owner = 0 OR EXISTS (SELECT FROM node n"           \
	" WHERE n.incarnation = " row ".owner AND n.ended_at IS NOT NULL))"

/* The idempotency record was stored by a node of another name. */
#define IS_OF_ANOTHER_THAN(row, me)                                                                \
	"EXISTS (SELECT FROM node w, node o WHERE w.incarnation = " row ".writer"                  \
	" AND o.incarnation = " me " AND w.name <> o.name)"
#define IS_OF_ANOTHER(row) IS_OF_ANOTHER_THAN(row, "$1::bigint")

/* clang-format off */
static const struct pg_sql statements[PG_STEPS] = {
	/*
	 * Marks of a node only grow, so a set that is late, over a connection that was given up, finds
	 * a later mark (reconnect/pg_fence.c).
	 *
	 * An owner has ended only if its row says so: the statement may be older than the start of a
	 * node whose claim it meets, and then it does not see that row.  A session that could be
	 * written when the statement began and was not has got another owner meanwhile.
	 *
	 * A session without an owner whose events this node cannot fold is not taken over.
	 */
	[PG_STEP_HEADS] = { "heads",
		"WITH live AS (SELECT count(*) AS n, max(rev) AS rev FROM node"
		" WHERE incarnation = $1::bigint AND ended_at IS NULL),"
		" gone AS MATERIALIZED (SELECT o.session_no FROM unnest($14::text[], $15::bigint[],"
		" $16::bytea[]) AS d(id, seq, hash) JOIN session o ON o.id = d.id"
		" AND o.last_seq = d.seq AND o.last_hash = d.hash WHERE " IS_FREE("o") " FOR UPDATE OF o),"
		" i AS MATERIALIZED (SELECT * FROM unnest($3::text[], $4::bigint[], $5::bytea[],"
		" $6::bigint[], $7::bytea[], $8::int[], $19::int[]) WITH ORDINALITY"
		" AS t(id, prev_seq, prev_hash, last_seq, last_hash, events, needs_rev, place)"
		" WHERE (SELECT n FROM live) = 1 AND (cardinality($14::text[]) = 0"
		" OR (SELECT count(*) FROM gone) = cardinality($14::text[]))"
		" AND NOT EXISTS (SELECT FROM unnest($17::int[], $18::bytea[]) AS k(slice, key)"
		" JOIN idem d ON d.key = k.key WHERE k.slice = t.place AND " IS_OF_ANOTHER("d") ")),"
		" old AS (UPDATE session s SET last_seq = i.last_seq, last_hash = i.last_hash,"
		" owner = $1::bigint, mark = $2::bigint,"
		" needs_rev = greatest(s.needs_rev, i.needs_rev) FROM i"
		" WHERE s.id = i.id AND " IS_FREE("s")
		" AND s.last_seq = i.prev_seq AND s.last_hash = i.prev_hash"
		" AND (s.mark < $2::bigint OR s.mark >> 40 <> $1::bigint)"
		" AND s.needs_rev <= (SELECT rev FROM live)"
		" RETURNING i.place, s.session_no),"
		" fresh AS (INSERT INTO session(id, owner, mark, last_seq, last_hash, needs_rev)"
		" SELECT i.id, $1::bigint, $2::bigint, i.last_seq, i.last_hash, i.needs_rev FROM i"
		" WHERE i.prev_seq = 0 AND i.prev_hash = decode(repeat('00', 32), 'hex')"
		" AND NOT EXISTS (SELECT FROM session s WHERE s.id = i.id)"
		" AND NOT EXISTS (SELECT FROM removed r WHERE r.id = i.id)"
		" ORDER BY i.place ON CONFLICT (id) DO NOTHING RETURNING id, session_no),"
		" hit AS (SELECT i.place::int, i.prev_seq, i.prev_hash, i.last_seq, i.last_hash, i.events,"
		" coalesce(old.session_no, fresh.session_no) AS no, old.session_no IS NULL AS is_new,"
		" sum(i.events) OVER (ORDER BY i.place) AS upto"
		" FROM i LEFT JOIN old ON old.place = i.place LEFT JOIN fresh ON fresh.id = i.id"
		" WHERE coalesce(old.session_no, fresh.session_no) IS NOT NULL),"
		" moved AS (UPDATE counter SET last_position = last_position + (SELECT max(upto) FROM hit)"
		" WHERE (SELECT max(upto) FROM hit) > 0"
		" RETURNING last_position - (SELECT max(upto) FROM hit) AS base),"
		" put AS (INSERT INTO chunk(session_no, first_seq, last_seq, position, last_position, types,"
		" prev_hash, last_hash, head, hashes, body, journal, writer)"
		" SELECT no, prev_seq + 1, last_seq, base + upto - events + 1, base + upto,"
		" ($9::bit(256)[])[place], prev_hash, last_hash, ($10::bytea[])[place],"
		" ($11::bytea[])[place], ($12::bytea[])[place], ($13::bytea[])[place], $1::bigint"
		" FROM hit, moved WHERE events > 0),"
		" miss AS MATERIALIZED (SELECT i.place::int, i.id, i.prev_seq, i.prev_hash FROM i"
		" WHERE NOT EXISTS (SELECT FROM hit WHERE hit.place = i.place))"
		" SELECT place, is_new, CASE WHEN events > 0 THEN (SELECT base FROM moved) + upto - events + 1"
		" END FROM hit UNION ALL SELECT 0, n = 1, NULL FROM live"
		" UNION ALL SELECT -i.place, false, NULL FROM miss i LEFT JOIN session s ON s.id = i.id"
		" WHERE CASE WHEN s.id IS NULL THEN i.prev_seq = 0"
		" AND i.prev_hash = decode(repeat('00', 32), 'hex')"
		" AND NOT EXISTS (SELECT FROM removed r WHERE r.id = i.id)"
		" ELSE NOT " IS_FREE("s") " OR (s.last_seq = i.prev_seq AND s.last_hash = i.prev_hash) END" },

	/* A ref that only a deleted session has counts as not there. */
	[PG_STEP_BLOBS] = { "blobs",
		"WITH " MATCHED ", b AS (SELECT t.*, m.session_no, m.last_seq FROM unnest($3::int[],"
		" $4::text[], $5::text[], $6::bytea[], $7::boolean[]) WITH ORDINALITY"
		" AS t(place, ref, media_type, data, is_again, no) JOIN m USING (place)),"
		" again AS (UPDATE blob SET seq = b.last_seq FROM b"
		" WHERE b.is_again AND blob.ref = b.ref AND blob.session_no = b.session_no)"
		" INSERT INTO blob(ref, session_no, seq, media_type, data)"
		" SELECT DISTINCT ON (ref) ref, session_no, last_seq, media_type, data FROM b"
		" WHERE NOT is_again ORDER BY ref, no"
		" ON CONFLICT (ref) DO UPDATE SET session_no = excluded.session_no, seq = excluded.seq,"
		" media_type = excluded.media_type, data = excluded.data"
		" WHERE blob.session_no IN (SELECT session_no FROM removed)" },

	/*
	 * A key that another node has stored since the first statement looked ends the transaction:
	 * it is sent again, and the first statement then leaves its slice out.
	 */
	[PG_STEP_IDEM] = { "idem",
		"WITH " MATCHED ", l AS MATERIALIZED (SELECT DISTINCT ON (key) key, body, session_no, seq, at,"
		" reply FROM unnest($3::int[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[],"
		" $8::bytea[]) WITH ORDINALITY AS t(place, key, body, seq, at, reply, no) JOIN m USING (place)"
		" ORDER BY key, no DESC),"
		" put AS (INSERT INTO idem(key, body, session_no, seq, at, reply, writer)"
		" SELECT key, body, session_no, seq, at, reply, $1::bigint >> 40 FROM l"
		" ON CONFLICT (key) DO UPDATE SET body = excluded.body, session_no = excluded.session_no,"
		" seq = excluded.seq, at = excluded.at, reply = excluded.reply, writer = excluded.writer"
		" WHERE NOT " IS_OF_ANOTHER_THAN("idem", "excluded.writer") " RETURNING 1)"
		" SELECT 1 / CASE WHEN (SELECT count(*) FROM put) = (SELECT count(*) FROM l)"
		" THEN 1 ELSE 0 END" },

	/*
	 * Without a hash the event is an older one, which is looked up.  A snapshot of another version is
	 * for the nodes of another program, and is kept while one of them lives.
	 */
	[PG_STEP_SNAPSHOTS] = { "snapshots",
		"WITH " MATCHED ", n AS (SELECT m.session_no, t.version, t.seq, t.body, coalesce(t.hash,"
		" (SELECT substr(c.hashes, ((t.seq - c.first_seq) * 32 + 1)::int, 32) FROM chunk c"
		" WHERE c.session_no = m.session_no AND c.first_seq <= t.seq AND c.last_seq >= t.seq),"
		" (SELECT p.last_hash FROM pack p WHERE p.session_no = m.session_no AND p.last_seq = t.seq),"
		" (SELECT floor_hash FROM session s WHERE s.session_no = m.session_no AND floor_seq = t.seq))"
		" AS hash FROM unnest($3::int[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[])"
		" AS t(place, version, seq, hash, body) JOIN m USING (place)),"
		" gone AS (DELETE FROM snapshot o USING n WHERE o.session_no = n.session_no"
		" AND o.version <> n.version AND n.hash IS NOT NULL AND NOT EXISTS (SELECT FROM node a, node b"
		" WHERE a.incarnation = $1::bigint >> 40 AND b.ended_at IS NULL"
		" AND (a.version, a.rev) <> (b.version, b.rev)))"
		" INSERT INTO snapshot(session_no, version, seq, hash, body)"
		" SELECT session_no, version, seq, hash, body FROM n WHERE hash IS NOT NULL"
		" ON CONFLICT (session_no, version) DO UPDATE SET seq = excluded.seq, hash = excluded.hash,"
		" body = excluded.body" },

	/*
	 * Differences, not balances: the owner's balances run ahead of what is durable.  A row that is
	 * closed belongs to a node that was found dead, and ends its transaction.
	 */
	[PG_STEP_MOVES] = { "moves",
		"WITH " MATCHED " INSERT INTO ledger(account, node, spent, reserved)"
		" SELECT account, $1::bigint >> 40, sum(spent)::bigint, sum(reserved)::bigint FROM unnest($3::int[],"
		" $4::text[], $5::bigint[], $6::bigint[]) AS t(place, account, spent, reserved)"
		" JOIN m USING (place) GROUP BY account"
		" ON CONFLICT (account, node) DO UPDATE SET"
		" spent = ledger.spent + excluded.spent / CASE WHEN ledger.is_closed THEN 0 ELSE 1 END,"
		" reserved = ledger.reserved + excluded.reserved" },

	[PG_STEP_CLEAR] = { "clear",
		"WITH " MATCHED " DELETE FROM idx USING m WHERE idx.session_no = m.session_no" },

	[PG_STEP_ROWS] = { "rows",
		"WITH " MATCHED ", l AS MATERIALIZED (SELECT DISTINCT ON (tbl, key) t.*, m.session_no"
		" FROM unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::bigint[],"
		" $9::boolean[], $10::bytea[], $11::boolean[]) WITH ORDINALITY"
		" AS t(place, tbl, key, status, parent, at, open, body, is_gone, no) JOIN m USING (place)"
		" ORDER BY tbl, key, no DESC),"
		" gone AS (DELETE FROM idx USING l WHERE l.is_gone AND idx.tbl = l.tbl AND idx.key = l.key)"
		" INSERT INTO idx(tbl, key, session_no, status, parent, at, open, body)"
		" SELECT tbl, key, session_no, status, parent, at, open, body FROM l WHERE NOT is_gone"
		" ON CONFLICT (tbl, key) DO UPDATE SET session_no = excluded.session_no,"
		" status = excluded.status, parent = excluded.parent, at = excluded.at,"
		" open = excluded.open, body = excluded.body" },

	[PG_STEP_PENDING] = { "pending_put",
		"WITH " MATCHED ", l AS MATERIALIZED (SELECT DISTINCT ON (session_no, kind, seq) t.*,"
		" m.session_no FROM unnest($3::int[], $4::int[], $5::bigint[], $6::text[], $7::boolean[])"
		" WITH ORDINALITY AS t(place, kind, seq, ref, is_done, no) JOIN m USING (place)"
		" ORDER BY session_no, kind, seq, no DESC),"
		" done AS (DELETE FROM pending p USING l WHERE l.is_done AND p.session_no = l.session_no"
		" AND p.kind = l.kind AND p.seq = l.seq)"
		" INSERT INTO pending(session_no, kind, seq, ref)"
		" SELECT session_no, kind, seq, ref FROM l WHERE NOT is_done"
		" ON CONFLICT (session_no, kind, seq) DO UPDATE SET ref = excluded.ref" },

	/* Their heads were compared by the first statement. */
	[PG_STEP_DELETE] = { "delete",
		"WITH " MATCHED ", d AS (SELECT DISTINCT ON (id) id, seq FROM unnest($3::text[], $4::bigint[])"
		" WITH ORDINALITY AS t(id, seq, no) WHERE EXISTS (SELECT FROM m) ORDER BY id, no),"
		" gone AS (DELETE FROM session s USING d WHERE s.id = d.id RETURNING s.session_no, s.id,"
		" s.last_seq, s.last_hash, s.floor_seq, d.seq),"
		" kept AS (INSERT INTO removed(session_no, id, last_seq, last_hash, removed_by)"
		" SELECT session_no, id, last_seq, last_hash, seq FROM gone),"
		" dropped AS (DELETE FROM pending p USING gone WHERE p.session_no = gone.session_no)"
		" SELECT count(*), coalesce(sum(last_seq - floor_seq), 0)::bigint FROM gone" },
};
/* clang-format on */

const struct pg_sql *pg_slice_sql(enum pg_step step)
{
	return &statements[step];
}

/* ---- sets ---- */

static bool deletes(const struct slice *sl)
{
	for (size_t i = 0; i < sl->pending_count; i++)
		if (sl->pending_ops[i].kind == MAINTENANCE_SWEEP)
			return true;
	return false;
}

bool pg_slice_fits(const struct pg_set *set, const struct slice *sl)
{
	if (!set->count)
		return true;
	if (set->count == PG_SLICE_SET || set->deletes || deletes(sl))
		return false;
	for (size_t i = 0; i < set->count; i++)
		if (str_eq(set->slices[i]->session, sl->session))
			return false;
	return true;
}

void pg_slice_add(struct pg_set *set, struct slice *sl)
{
	set->deletes = deletes(sl);
	set->slices[set->count++] = sl;
}

uint64_t pg_slice_weight(const struct slice *sl)
{
	uint64_t sum = sl->snapshot.len;

	for (size_t i = 0; i < sl->event_count; i++)
		sum += sl->events[i].body->len;
	for (size_t i = 0; i < sl->journal_count; i++)
		sum += sl->journal[i].key.len + sl->journal[i].body.len;
	for (size_t i = 0; i < sl->row_count; i++)
		sum += sl->rows[i].key.len + sl->rows[i].body.len;
	for (size_t i = 0; i < sl->blob_count; i++)
		sum += sl->blobs[i].data.len;
	return sum;
}

/* ---- events ---- */

/* The items of a slice as a head has them. */
static void events_pack(struct arena *mem, const struct slice *sl, struct pack *ret)
{
	*ret = (struct pack){ .items = ARENA_ARRAY(mem, struct pack_item, sl->event_count + 1),
		              .count = sl->event_count };
	for (size_t i = 0; i < sl->event_count; i++) {
		const struct store_event *ev = &sl->events[i];
		struct pack_item *item = &ret->items[i];

		*item = (struct pack_item){ .position = i, .type = ev->type, .len = ev->body->len };
		memcpy(item->mark, ev->hash.state, sizeof item->mark);
	}
}

static void put_head(struct buf *heads, struct buf *types, const struct slice *sl)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	CLEANUP(buf_done) struct buf head = { 0 };
	struct pack pack;
	uint64_t words[4];

	events_pack(mem, sl, &pack);
	pack_put_items(&pack, &head);
	pg_span_types(&pack, words);
	pg_args_put_str(heads, buf_str(&head));
	pg_args_put_bits(types, words);
}

static void put_bodies(struct buf *hashes, struct buf *bodies, const struct slice *sl)
{
	size_t sum = 0;

	for (size_t i = 0; i < sl->event_count; i++)
		sum += sl->events[i].body->len;
	pg_args_put_size(bodies, sum);
	pg_args_put_size(hashes, sl->event_count * SHA256_BYTES);
	for (size_t i = 0; i < sl->event_count; i++) {
		buf_add_str(bodies, bytes_str(sl->events[i].body));
		buf_add(hashes, sl->events[i].hash.state, SHA256_BYTES);
	}
}

static void put_journal(struct buf *journals, const struct slice *sl)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct journal_rows rows = { .items = sl->journal, .count = sl->journal_count };

	journal_rows_put(&plain, &rows);
	pg_args_put_str(journals, plain.len ? buf_str(&plain) : STR_NONE);
}

/* The heads that the sessions must have which a slice deletes; itself it cannot delete. */
static void put_deleted(const struct pg_set *set, struct pg_args *args)
{
	const struct slice *sl = set->slices[0];
	struct buf *ids = pg_args_array(args, PG_TEXT), *seqs = pg_args_array(args, PG_INT8),
		   *hashes = pg_args_array(args, PG_BYTEA);

	for (size_t i = 0; set->deletes && i < sl->pending_count; i++) {
		const struct pending_op *op = &sl->pending_ops[i];

		if (op->kind != MAINTENANCE_SWEEP)
			continue;
		pg_args_put_str(ids, op->ref);
		pg_args_put_i64(seqs, str_eq(op->ref, sl->session) ? -1 : (int64_t)op->last_seq);
		pg_args_put_hash(hashes, &op->last_hash);
	}
}

/* Whose idempotency records must not be stored by another node already. */
static void put_keys(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places = pg_args_array(args, PG_INT4), *keys = pg_args_array(args, PG_BYTEA);

	for (size_t i = 0; i < set->count; i++)
		for (const struct idem_row *r = set->slices[i]->idem; r; r = r->next) {
			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_hash(keys, &r->key);
		}
}

static bool heads_args(const struct pg_set *set, int64_t incarnation, struct pg_args *args)
{
	struct buf *ids, *prev_seqs, *prev_hashes, *last_seqs, *last_hashes, *counts, *types,
		*heads, *hashes, *bodies, *journals, *needs;

	pg_args_i64(args, incarnation);
	pg_args_i64(args, (int64_t)set->mark);
	ids = pg_args_array(args, PG_TEXT);
	prev_seqs = pg_args_array(args, PG_INT8);
	prev_hashes = pg_args_array(args, PG_BYTEA);
	last_seqs = pg_args_array(args, PG_INT8);
	last_hashes = pg_args_array(args, PG_BYTEA);
	counts = pg_args_array(args, PG_INT4);
	types = pg_args_array(args, PG_BIT);
	heads = pg_args_array(args, PG_BYTEA);
	hashes = pg_args_array(args, PG_BYTEA);
	bodies = pg_args_array(args, PG_BYTEA);
	journals = pg_args_array(args, PG_BYTEA);
	for (size_t i = 0; i < set->count; i++) {
		const struct slice *sl = set->slices[i];
		const struct store_event *last =
			sl->event_count ? &sl->events[sl->event_count - 1] : NULL;

		pg_args_put_str(ids, sl->session);
		pg_args_put_i64(prev_seqs, (int64_t)sl->prev_seq);
		pg_args_put_hash(prev_hashes, &sl->prev_hash);
		pg_args_put_i64(last_seqs, (int64_t)(last ? last->seq : sl->prev_seq));
		pg_args_put_hash(last_hashes, last ? &last->hash : &sl->prev_hash);
		pg_args_put_i32(counts, (int32_t)sl->event_count);
		put_head(heads, types, sl);
		put_bodies(hashes, bodies, sl);
		put_journal(journals, sl);
	}
	put_deleted(set, args);
	put_keys(set, args);
	needs = pg_args_array(args, PG_INT4);
	for (size_t i = 0; i < set->count; i++)
		pg_args_put_i32(needs, (int32_t)set->slices[i]->needs_rev);
	return true;
}

/* ---- what goes with the events ---- */

/* $1 and $2 of all later statements. */
static void put_sessions(const struct pg_set *set, struct pg_args *args)
{
	struct buf *ids;

	pg_args_i64(args, (int64_t)set->mark);
	ids = pg_args_array(args, PG_TEXT);
	for (size_t i = 0; i < set->count; i++)
		pg_args_put_str(ids, set->slices[i]->session);
}

static bool blobs_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *refs, *types, *datas, *agains;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	refs = pg_args_array(args, PG_TEXT);
	types = pg_args_array(args, PG_TEXT);
	datas = pg_args_array(args, PG_BYTEA);
	agains = pg_args_array(args, PG_BOOL);
	for (size_t i = 0; i < set->count; i++)
		for (size_t n = 0; n < set->slices[i]->blob_count; n++, count++) {
			const struct blob_row *b = &set->slices[i]->blobs[n];

			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_str(refs, b->ref);
			pg_args_put_str(types, b->media_type);
			pg_args_put_str(datas, str_is(b->data) ? b->data : STR(""));
			pg_args_put_bool(agains, b->is_again);
		}
	return count;
}

static bool idem_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *keys, *bodies, *seqs, *ats, *replies;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	keys = pg_args_array(args, PG_BYTEA);
	bodies = pg_args_array(args, PG_BYTEA);
	seqs = pg_args_array(args, PG_INT8);
	ats = pg_args_array(args, PG_INT8);
	replies = pg_args_array(args, PG_BYTEA);
	for (size_t i = 0; i < set->count; i++)
		for (const struct idem_row *r = set->slices[i]->idem; r; r = r->next, count++) {
			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_hash(keys, &r->key);
			pg_args_put_hash(bodies, &r->body);
			pg_args_put_i64(seqs, (int64_t)r->seq);
			pg_args_put_i64(ats, r->at);
			pg_args_put_str(replies, str_is(r->reply) ? r->reply : STR(""));
		}
	return count;
}

/* The chain's hash at the snapshot's event, if the slice tells it. */
static const struct sha256 *snapshot_hash(const struct slice *sl)
{
	if (sl->snapshot_seq == sl->prev_seq)
		return &sl->prev_hash;
	for (size_t i = 0; i < sl->event_count; i++)
		if (sl->events[i].seq == sl->snapshot_seq)
			return &sl->events[i].hash;
	return NULL;
}

static bool snapshots_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *versions, *seqs, *hashes, *bodies;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	versions = pg_args_array(args, PG_TEXT);
	seqs = pg_args_array(args, PG_INT8);
	hashes = pg_args_array(args, PG_BYTEA);
	bodies = pg_args_array(args, PG_BYTEA);
	for (size_t i = 0; i < set->count; i++) {
		const struct slice *sl = set->slices[i];
		const struct sha256 *hash = snapshot_hash(sl);

		if (!str_is(sl->snapshot))
			continue;
		count++;
		pg_args_put_i32(places, (int32_t)i + 1);
		pg_args_put_str(versions, sl->snapshot_version);
		pg_args_put_i64(seqs, (int64_t)sl->snapshot_seq);
		pg_args_put_str(hashes,
		                hash ? str_of((const char *)hash->state, SHA256_BYTES) : STR_NONE);
		pg_args_put_str(bodies, sl->snapshot);
	}
	return count;
}

static bool moves_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *accounts, *spent, *reserved;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	accounts = pg_args_array(args, PG_TEXT);
	spent = pg_args_array(args, PG_INT8);
	reserved = pg_args_array(args, PG_INT8);
	for (size_t i = 0; i < set->count; i++)
		for (size_t n = 0; n < set->slices[i]->move_count; n++, count++) {
			const struct ledger_move *m = &set->slices[i]->moves[n];

			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_str(accounts, m->account);
			pg_args_put_i64(spent, m->spent);
			pg_args_put_i64(reserved, m->reserved);
		}
	return count;
}

static bool clear_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *ids;
	size_t count = 0;

	pg_args_i64(args, (int64_t)set->mark);
	ids = pg_args_array(args, PG_TEXT);
	for (size_t i = 0; i < set->count; i++)
		if (set->slices[i]->clears_rows) {
			pg_args_put_str(ids, set->slices[i]->session);
			count++;
		}
	return count;
}

static bool rows_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *tables, *keys, *status, *parents, *ats, *opens, *bodies, *gone;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	tables = pg_args_array(args, PG_INT4);
	keys = pg_args_array(args, PG_TEXT);
	status = pg_args_array(args, PG_TEXT);
	parents = pg_args_array(args, PG_TEXT);
	ats = pg_args_array(args, PG_INT8);
	opens = pg_args_array(args, PG_BOOL);
	bodies = pg_args_array(args, PG_BYTEA);
	gone = pg_args_array(args, PG_BOOL);
	for (size_t i = 0; i < set->count; i++)
		for (size_t n = 0; n < set->slices[i]->row_count; n++, count++) {
			const struct index_row *r = &set->slices[i]->rows[n];

			assert(r->table < INDEX_TABLES && str_is(r->key));
			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_i32(tables, r->table);
			pg_args_put_str(keys, r->key);
			pg_args_put_str(status, r->status);
			pg_args_put_str(parents, r->parent);
			pg_args_put_i64(ats, r->at);
			pg_args_put_bool(opens, r->open);
			pg_args_put_str(bodies, r->body);
			pg_args_put_bool(gone, r->remove);
		}
	return count;
}

static bool pending_args(const struct pg_set *set, struct pg_args *args)
{
	struct buf *places, *kinds, *seqs, *refs, *done;
	size_t count = 0;

	put_sessions(set, args);
	places = pg_args_array(args, PG_INT4);
	kinds = pg_args_array(args, PG_INT4);
	seqs = pg_args_array(args, PG_INT8);
	refs = pg_args_array(args, PG_TEXT);
	done = pg_args_array(args, PG_BOOL);
	for (size_t i = 0; i < set->count; i++)
		for (size_t n = 0; n < set->slices[i]->pending_count; n++) {
			const struct pending_op *op = &set->slices[i]->pending_ops[n];

			if (op->kind == MAINTENANCE_SWEEP)
				continue;
			count++;
			pg_args_put_i32(places, (int32_t)i + 1);
			pg_args_put_i32(kinds, op->kind);
			pg_args_put_i64(seqs, (int64_t)op->seq);
			pg_args_put_str(refs, op->ref);
			pg_args_put_bool(done, op->is_done);
		}
	return count;
}

static bool delete_args(const struct pg_set *set, struct pg_args *args)
{
	const struct slice *sl = set->slices[0];
	struct buf *ids, *seqs;

	if (!set->deletes)
		return false;
	put_sessions(set, args);
	ids = pg_args_array(args, PG_TEXT);
	seqs = pg_args_array(args, PG_INT8);
	for (size_t i = 0; i < sl->pending_count; i++)
		if (sl->pending_ops[i].kind == MAINTENANCE_SWEEP) {
			pg_args_put_str(ids, sl->pending_ops[i].ref);
			pg_args_put_i64(seqs, (int64_t)sl->pending_ops[i].seq);
		}
	return true;
}

bool pg_slice_args(const struct pg_set *set, enum pg_step step, int64_t incarnation,
                   struct pg_args *args)
{
	static bool (*const fill[PG_STEPS])(const struct pg_set *set, struct pg_args *args) = {
		[PG_STEP_BLOBS] = blobs_args,         [PG_STEP_IDEM] = idem_args,
		[PG_STEP_SNAPSHOTS] = snapshots_args, [PG_STEP_MOVES] = moves_args,
		[PG_STEP_CLEAR] = clear_args,         [PG_STEP_ROWS] = rows_args,
		[PG_STEP_PENDING] = pending_args,     [PG_STEP_DELETE] = delete_args,
	};

	*args = (struct pg_args){ 0 };
	return step == PG_STEP_HEADS ? heads_args(set, incarnation, args) : fill[step](set, args);
}
