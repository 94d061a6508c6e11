/*
 * The statements of a move.  Each `put` writes its rows and the progress of the move in one
 * statement, which is one transaction, and a second run of it changes nothing.
 */
#include "store/postgres/pg_move.h"

/* clang-format off */
/* Where the page before ended, where that is a number. */
#define NUMBER "coalesce(nullif($1::text, ''), '0')::bigint"
#define LIVING "session_no NOT IN (SELECT session_no FROM removed)"

/* Rows in the order of `key` until their `size` reaches a page. */
#define BOUNDED(columns, from, size, key)                                                          \
	"SELECT " columns ", " key "::text AS ended FROM (SELECT p.*, sum(" size ") OVER (ORDER BY " key    \
	") - " size " AS before FROM (" from " ORDER BY " key " LIMIT 2048) p) p"                  \
	" WHERE before < 4194304 ORDER BY " key

#define PROGRESS                                                                                   \
	"WITH progress AS (INSERT INTO meta(key, value) VALUES ('" STORE_MOVE_KEY "', $1::bytea)"  \
	" ON CONFLICT (key) DO UPDATE SET value = excluded.value)"

/* The next event gets a position behind these. */
#define COUNTED                                                                                    \
	", counted AS (UPDATE counter SET last_position = greatest(last_position,"                 \
	" (SELECT max(last_position) FROM given)))"

/* The next session gets a number that none has, nor had. */
#define NUMBERS                                                                                    \
	" SELECT setval(pg_get_serial_sequence('session', 'session_no'), greatest(1,"              \
	" (SELECT max(no) FROM given), (SELECT max(session_no) FROM session),"                      \
	" (SELECT max(session_no) FROM removed)))"

static const struct pg_move_sql statements[STORE_PART_INDEX + 1] = {
	[STORE_PART_SESSION] = {
		{ "take_session",
		  "SELECT session_no, id, last_seq, last_hash, floor_seq, floor_hash, floor_ref,"
		  " session_no::text AS ended FROM session WHERE session_no > " NUMBER
		  " ORDER BY session_no LIMIT 2048" },
		{ "put_session",
		  PROGRESS ", given AS (SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[],"
		  " $5::bytea[], $6::bigint[], $7::bytea[], $8::text[])"
		  " AS t(no, id, last_seq, last_hash, floor_seq, floor_hash, floor_ref)),"
		  " put AS (INSERT INTO session(session_no, id, last_seq, last_hash, floor_seq, floor_hash,"
		  " floor_ref, owner, mark, needs_rev) OVERRIDING SYSTEM VALUE SELECT given.*, 0, 0,"
		  /* Rows do not say what they need: what this program reads is enough. */
		  " (SELECT max(rev) FROM node WHERE ended_at IS NULL) FROM given"
		  " ON CONFLICT DO NOTHING)" NUMBERS },
		"itibibt" },

	[STORE_PART_REMOVED] = {
		{ "take_removed",
		  "SELECT session_no, id, last_seq, last_hash, removed_by, state::bigint,"
		  " session_no::text AS ended FROM removed WHERE session_no > " NUMBER
		  " ORDER BY session_no LIMIT 2048" },
		{ "put_removed",
		  PROGRESS ", given AS (SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[],"
		  " $5::bytea[], $6::bigint[], $7::bigint[]) AS t(no, id, last_seq, last_hash, removed_by, state)),"
		  " put AS (INSERT INTO removed(session_no, id, last_seq, last_hash, removed_by, state)"
		  " SELECT no, id, last_seq, last_hash, removed_by, state::int FROM given ON CONFLICT DO NOTHING)"
		  NUMBERS },
		"itibii" },

	[STORE_PART_PACK] = {
		{ "take_pack",
		  BOUNDED("session_no, first_seq, last_seq, position, last_position, span::bigint,"
		          " prev_hash, last_hash, head, body, journal",
		          "SELECT * FROM pack WHERE pack_no > " NUMBER " AND " LIVING,
		          "octet_length(body)", "pack_no") },
		{ "put_pack",
		  PROGRESS ", given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[],"
		  " $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::bytea[], $10::bytea[],"
		  " $11::bytea[], $12::bytea[]) AS t(no, first_seq, last_seq, position, last_position, span,"
		  " prev_hash, last_hash, head, body, journal))" COUNTED
		  " INSERT INTO pack(session_no, first_seq, last_seq, position, last_position,"
		  " span, prev_hash, last_hash, head, body, journal) SELECT no, first_seq, last_seq,"
		  " position, last_position, span::int, prev_hash, last_hash, head, body, journal"
		  " FROM given ON CONFLICT DO NOTHING" },
		"iiiiiibbbbb" },

	[STORE_PART_EVENT] = {
		{ "take_chunk",
		  BOUNDED("NULL::bigint, session_no, first_seq, last_seq, position, prev_hash, last_hash,"
		          " head, body, journal",
		          "SELECT * FROM chunk WHERE last_position > " NUMBER " AND " LIVING,
		          "octet_length(body)", "last_position") },
		{ "put_chunk_whole",
		  PROGRESS ", given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[],"
		  " $5::bigint[], $6::bigint[], $7::bit(256)[], $8::bytea[], $9::bytea[], $10::bytea[],"
		  " $11::bytea[], $12::bytea[], $13::bytea[]) AS t(session_no, first_seq, last_seq,"
		  " position, last_position, types, prev_hash, last_hash, head, hashes, body, journal))"
		  COUNTED
		  " INSERT INTO chunk(session_no, first_seq, last_seq, position, last_position, types,"
		  " prev_hash, last_hash, head, hashes, body, journal) SELECT * FROM given"
		  " ON CONFLICT DO NOTHING" },
		NULL },

	/* The newest one of a session. */
	[STORE_PART_SNAPSHOT] = {
		{ "take_snapshot",
		  BOUNDED("session_no, version, seq, hash, body",
		          "SELECT * FROM (SELECT DISTINCT ON (session_no) * FROM snapshot"
		          " WHERE session_no > " NUMBER " ORDER BY session_no, seq DESC) d",
		          "octet_length(body)", "session_no") },
		{ "put_snapshot",
		  PROGRESS " INSERT INTO snapshot(session_no, version, seq, hash, body)"
		  " SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[])"
		  " ON CONFLICT DO NOTHING" },
		"itibb" },

	[STORE_PART_BLOB] = {
		{ "take_blob",
		  BOUNDED("ref, coalesce(session_no, 0), coalesce(seq, -1), media_type, data",
		          "SELECT * FROM blob WHERE ref > $1::text", "octet_length(data)", "ref") },
		{ "put_blob",
		  PROGRESS " INSERT INTO blob(ref, session_no, seq, media_type, data)"
		  " SELECT ref, nullif(no, 0), nullif(seq, -1), media_type, data FROM unnest($2::text[],"
		  " $3::bigint[], $4::bigint[], $5::text[], $6::bytea[]) AS t(ref, no, seq, media_type, data)"
		  " ON CONFLICT DO NOTHING" },
		"tiitb" },

	[STORE_PART_IDEM] = {
		{ "take_idem",
		  "SELECT key, body, session_no, seq, at, reply, encode(key, 'hex') AS ended FROM idem"
		  " WHERE key > decode($1::text, 'hex') ORDER BY key LIMIT 2048" },
		{ "put_idem_rows",
		  PROGRESS " INSERT INTO idem(key, body, session_no, seq, at, reply)"
		  " SELECT * FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[],"
		  " $6::bigint[], $7::bytea[]) ON CONFLICT DO NOTHING" },
		"bbiiib" },

	/* What every node has moved, under the number of those that ended. */
	[STORE_PART_ACCOUNT] = {
		{ "take_account",
		  "SELECT account, sum(spent)::bigint, sum(reserved)::bigint, account AS ended FROM ledger"
		  " WHERE account > $1::text GROUP BY account ORDER BY account LIMIT 2048" },
		{ "put_account",
		  PROGRESS " INSERT INTO ledger(account, node, spent, reserved)"
		  " SELECT account, 0, spent, reserved FROM unnest($2::text[], $3::bigint[], $4::bigint[])"
		  " AS t(account, spent, reserved) ON CONFLICT DO NOTHING" },
		"tii" },

	/* Few, so they are one page. */
	[STORE_PART_PENDING] = {
		{ "take_pending",
		  "SELECT session_no, kind::bigint, seq, ref, session_no::text AS ended FROM pending"
		  " WHERE session_no > " NUMBER " ORDER BY session_no, seq" },
		{ "put_pending_rows",
		  PROGRESS " INSERT INTO pending(session_no, kind, seq, ref) SELECT no, kind::int, seq, ref"
		  " FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[])"
		  " AS t(no, kind, seq, ref) ON CONFLICT DO NOTHING" },
		"iiit" },

	[STORE_PART_META] = {
		{ "take_meta",
		  "SELECT key, value, key AS ended FROM meta WHERE key > $1::text AND key NOT IN"
		  " (" PG_MOVE_OWN_KEYS ") ORDER BY key LIMIT 2048" },
		{ "put_meta",
		  PROGRESS " INSERT INTO meta(key, value) SELECT * FROM unnest($2::text[], $3::bytea[])"
		  " ON CONFLICT DO NOTHING" },
		"tb" },

	/* An output without bytes has no chunk.  The row of the last chunk seals it. */
	[STORE_PART_OUTPUT] = {
		{ "take_output",
		  "SELECT o.ref, coalesce(c.no, 0), coalesce(c.data, ''), o.size, o.hash,"
		  " o.ref || ' ' || coalesce(c.no, 0) AS ended FROM output o LEFT JOIN output_chunk c USING (ref)"
		  " WHERE o.ref >= split_part($1::text, ' ', 1) AND (o.ref > split_part($1::text, ' ', 1)"
		  " OR coalesce(c.no, 0) > coalesce(nullif(split_part($1::text, ' ', 2), ''), '-1')::bigint)"
		  " ORDER BY o.ref, c.no LIMIT 16" },
		{ "put_output",
		  PROGRESS ", given AS (SELECT * FROM unnest($2::text[], $3::bigint[], $4::bytea[],"
		  " $5::bigint[], $6::bytea[]) AS t(ref, no, data, size, hash)),"
		  " chunks AS (INSERT INTO output_chunk(ref, no, data) SELECT ref, no, data FROM given"
		  " WHERE octet_length(data) > 0 ON CONFLICT (ref, no) DO UPDATE SET data = excluded.data)"
		  " INSERT INTO output(ref, size, hash) SELECT ref, size, hash FROM given"
		  " WHERE no * 262144 + octet_length(data) >= size ON CONFLICT DO NOTHING" },
		"tibib" },

	[STORE_PART_INDEX] = {
		{ "take_index",
		  "SELECT key, session_no, status, parent, at, open::int::bigint, body, key AS ended FROM idx"
		  " WHERE tbl = $2::bigint AND key > $1::text ORDER BY key LIMIT 2048" },
		{ "put_index",
		  PROGRESS " INSERT INTO idx(tbl, key, session_no, status, parent, at, open, body)"
		  " SELECT $9::bigint::int, key, no, status, parent, at, open <> 0, body FROM unnest("
		  "$2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[])"
		  " AS t(key, no, status, parent, at, open, body) ON CONFLICT DO NOTHING" },
		"tittiib" },
};
/* clang-format on */

static_assert(PG_MOVE_BYTES == 4194304 && STORE_PAGE_ROWS == 2048 && STORE_OUTPUT_CHUNK == 262144,
              "the statements name them as numbers");

const struct pg_move_sql *pg_move_sql(enum store_part part)
{
	return &statements[part < STORE_PART_INDEX ? part : STORE_PART_INDEX];
}
