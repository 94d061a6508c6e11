/*
 * Tables and their versions.
 *
 * Ids, keys and words are text with the collation "C", so that every database sorts them
 * by bytes; what clients wrote is bytea, because PostgreSQL's text takes neither NUL nor
 * damaged UTF-8.  Hashes and packed text are kept out of compression (EXTERNAL).
 */
#include "store/postgres/pg_schema.h"

#include <stdio.h>
#include <unistd.h>

#define APPLICATION "thole"

/* clang-format off */
#define ZERO_HASH "'\\x0000000000000000000000000000000000000000000000000000000000000000'"
#define WORD " text COLLATE \"C\""

/*
 * Version n becomes n + 1 by steps[n].  A step once released is never changed.
 *
 * An additive step only adds columns with a default, and tables.  Programs that do not know them work
 * on, so it runs while such nodes live, in a transaction of its own that changes one table of those
 * that nodes use: with two, it and a statement of a node could each have what the other waits for.
 *
 * chunk: one row for each slice, not for each event.  `position` is that of its first event
 * in the order of all sessions; `xid` is kept for a cursor over several nodes.
 *
 * idx: all index tables in one, so that the rows of a batch are one statement.  Ids
 * (tbl = 5) are asked by key only; the indexes of lists leave them out.
 *
 * Format 2, for several nodes: a node has a name, which one living node has at a time, an
 * address and a heartbeat; `writer` is the node that wrote a chunk; a row of `keeping` is
 * locked while a step of maintenance works on that session.  `fence` is written by a node that
 * was cut off, so that it sees a commit confirmed (pg_start.c).
 *
 * Format 4: what each node may use of an account, and a row of `ledger` for each incarnation.
 *
 * Format 5: how far a node has followed the system session, whether it is about to end, and how far
 * its clock is off; outputs in an object store.
 *
 * Format 6: what a node has, for the placement of sessions.
 *
 * Format 7: which programs the nodes are; `upgrade` has how far the tables are ahead of `store.format`,
 * and the common revision.  Format 8: the revision that a session needs.
 */
static const char *const steps[PG_SCHEMA_FORMAT] = {
	"CREATE TABLE counter(one int PRIMARY KEY CHECK (one = 1), last_position bigint NOT NULL)"
	" WITH (fillfactor = 10);"
	"INSERT INTO counter VALUES (1, 0);"
	"CREATE TABLE meta(key" WORD " PRIMARY KEY, value bytea NOT NULL);"
	"CREATE TABLE node(incarnation bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
	" host text NOT NULL, pid bigint NOT NULL, version text NOT NULL,"
	" started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz);"
	"CREATE TABLE session(session_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
	" id" WORD " NOT NULL UNIQUE, owner bigint NOT NULL, mark bigint NOT NULL,"
	" last_seq bigint NOT NULL, last_hash bytea NOT NULL,"
	" floor_seq bigint NOT NULL DEFAULT 0, floor_hash bytea NOT NULL DEFAULT " ZERO_HASH ","
	" floor_ref" WORD ") WITH (fillfactor = 70);"
	"CREATE TABLE removed(session_no bigint PRIMARY KEY, id" WORD " NOT NULL UNIQUE,"
	" last_seq bigint NOT NULL, last_hash bytea NOT NULL, removed_by bigint NOT NULL,"
	" state int NOT NULL DEFAULT 0);"
	"CREATE INDEX removed_left ON removed(state) WHERE state < 3;"
	"CREATE TABLE chunk(session_no bigint NOT NULL, first_seq bigint NOT NULL,"
	" last_seq bigint NOT NULL, position bigint NOT NULL, last_position bigint NOT NULL,"
	" xid xid8 NOT NULL DEFAULT pg_current_xact_id(), types bit(256) NOT NULL,"
	" prev_hash bytea NOT NULL, last_hash bytea NOT NULL, hashes bytea NOT NULL,"
	" head bytea NOT NULL, body bytea NOT NULL, journal bytea,"
	" PRIMARY KEY (session_no, last_seq));"
	"ALTER TABLE chunk ALTER hashes SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;"
	"CREATE INDEX chunk_by_position ON chunk(last_position);"
	"CREATE TABLE pack(pack_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
	" session_no bigint NOT NULL, first_seq bigint NOT NULL, last_seq bigint NOT NULL,"
	" position bigint NOT NULL, last_position bigint NOT NULL, span int NOT NULL,"
	" prev_hash bytea NOT NULL, last_hash bytea NOT NULL,"
	" head bytea NOT NULL, body bytea NOT NULL, journal bytea, UNIQUE (session_no, last_seq));"
	"ALTER TABLE pack ALTER head SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL,"
	" ALTER journal SET STORAGE EXTERNAL;"
	"CREATE INDEX pack_by_position ON pack(span, position, last_position);"
	"CREATE INDEX pack_by_end ON pack(last_position);"
	"CREATE TABLE snapshot(session_no bigint NOT NULL, version" WORD " NOT NULL,"
	" seq bigint NOT NULL, hash bytea NOT NULL, body bytea NOT NULL,"
	" PRIMARY KEY (session_no, version));"
	"CREATE TABLE idem(key bytea PRIMARY KEY, body bytea NOT NULL, session_no bigint NOT NULL,"
	" seq bigint NOT NULL, at bigint NOT NULL, reply bytea NOT NULL);"
	"CREATE INDEX idem_by_at ON idem(at);"
	"CREATE TABLE blob(ref" WORD " PRIMARY KEY, session_no bigint, seq bigint,"
	" media_type text, data bytea NOT NULL);"
	"CREATE INDEX blob_by_session ON blob(session_no, seq);"
	"CREATE TABLE ledger(account" WORD " NOT NULL, node bigint NOT NULL DEFAULT 0,"
	" spent bigint NOT NULL, reserved bigint NOT NULL, PRIMARY KEY (account, node));"
	"CREATE TABLE pending(session_no bigint NOT NULL, kind int NOT NULL, seq bigint NOT NULL,"
	" ref" WORD ", PRIMARY KEY (session_no, kind, seq));"
	"CREATE TABLE idx(tbl int NOT NULL, key" WORD " NOT NULL, session_no bigint NOT NULL,"
	" status" WORD ", parent" WORD ", at bigint NOT NULL, open boolean NOT NULL, body bytea,"
	" PRIMARY KEY (tbl, key));"
	"CREATE INDEX idx_by_parent ON idx(tbl, parent, at, key) WHERE parent IS NOT NULL AND tbl <> 5;"
	"CREATE INDEX idx_by_session ON idx(session_no, tbl, at, key) WHERE tbl <> 5;"
	"CREATE INDEX idx_by_open ON idx(tbl, at, key) WHERE open;"
	"CREATE INDEX idx_by_at ON idx(tbl, at, key) WHERE tbl <> 5;",

	"UPDATE node SET ended_at = now() WHERE ended_at IS NULL;"
	"ALTER TABLE node ADD name" WORD " NOT NULL DEFAULT 'local', ADD address text,"
	" ADD heartbeat timestamptz NOT NULL DEFAULT clock_timestamp(),"
	" ADD is_dead boolean NOT NULL DEFAULT false;"
	"ALTER TABLE node SET (fillfactor = 50);"
	"CREATE UNIQUE INDEX node_by_name ON node(name) WHERE ended_at IS NULL;"
	"CREATE INDEX session_by_owner ON session(owner) WHERE owner <> 0;"
	"ALTER TABLE chunk ADD writer bigint NOT NULL DEFAULT 0;"
	"CREATE TABLE keeping(session_no bigint PRIMARY KEY);"
	"CREATE TABLE fence(incarnation bigint PRIMARY KEY, at timestamptz NOT NULL);",

	/* Outputs in chunks of 256 KiB; the row with size and hash seals one. */
	"CREATE TABLE output(ref" WORD " PRIMARY KEY, size bigint NOT NULL, hash bytea NOT NULL);"
	"CREATE TABLE output_chunk(ref" WORD " NOT NULL, no bigint NOT NULL, data bytea NOT NULL,"
	" PRIMARY KEY (ref, no));"
	"ALTER TABLE output_chunk ALTER data SET STORAGE EXTERNAL;"
	/* The incarnation that stored a key; 0: an earlier version. */
	"ALTER TABLE idem ADD writer bigint NOT NULL DEFAULT 0;",

	/* The row of node 0 is locked by each call about the account (nodes/pg_allot.c). */
	"CREATE TABLE allotment(account" WORD " NOT NULL, node bigint NOT NULL,"
	" amount bigint NOT NULL DEFAULT 0, want bigint NOT NULL DEFAULT 0,"
	" since timestamptz NOT NULL DEFAULT clock_timestamp(),"
	" asked_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (account, node))"
	" WITH (fillfactor = 50);"
	"CREATE INDEX allotment_wanted ON allotment(account) WHERE want > 0;"
	"ALTER TABLE ledger ADD is_closed boolean NOT NULL DEFAULT false;"
	"ALTER TABLE ledger SET (fillfactor = 50);",

	"ALTER TABLE node ADD seen bigint NOT NULL DEFAULT 0,"
	" ADD is_leaving boolean NOT NULL DEFAULT false,"
	" ADD clock_off_ms bigint NOT NULL DEFAULT 0;"
	/* The name of the object that has a sealed output; NULL: its chunks have it. */
	"ALTER TABLE output ADD object text;"
	/* Which parts of an output the object store has before it is sealed, and what is to be removed. */
	"CREATE TABLE output_growing(ref" WORD " PRIMARY KEY, object text, upload text,"
	" is_taken boolean NOT NULL DEFAULT false);"
	"CREATE TABLE output_part(ref" WORD " NOT NULL, no bigint NOT NULL, size bigint NOT NULL,"
	" etag text NOT NULL, PRIMARY KEY (ref, no));"
	"CREATE TABLE output_gone(ref" WORD " PRIMARY KEY, object text, upload text);",

	"ALTER TABLE node ADD place text;",

	/* Programs of before do not say theirs. */
	"CREATE TABLE upgrade(one int PRIMARY KEY CHECK (one = 1), tables int NOT NULL, rev int NOT NULL);"
	"INSERT INTO upgrade VALUES (1, 7, 0);"
	"ALTER TABLE node ADD rev int NOT NULL DEFAULT 0, ADD format int NOT NULL DEFAULT 6;",

	"ALTER TABLE session ADD needs_rev int NOT NULL DEFAULT 0;",
};

#define FIRST_WITH_UPGRADE 7 /* the first format whose tables have `upgrade` */

static bool is_additive(int64_t step)
{
	return step >= 6;
}

/* The first table: whose the schema is, and which format a program must know to use it. */
static const char make_first[] =
	"CREATE TABLE IF NOT EXISTS store(one int PRIMARY KEY CHECK (one = 1),"
	" application text NOT NULL, format int NOT NULL);"
	"INSERT INTO store VALUES (1, '" APPLICATION "', 0) ON CONFLICT DO NOTHING;";
/* clang-format on */

bool pg_schema_name_is_good(struct str name)
{
	if (!name.len || name.len > 40 || (name.ptr[0] >= '0' && name.ptr[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

enum err pg_schema_bad_name(struct error *e)
{
	return fail(e, ERR_INVALID,
	            "store_url: the name of a schema has at most 40 letters (a-z), digits and "
	            "underscores, and begins with a letter");
}

/* What is in the schema: nothing, the tables of this program, or something else. */
enum content { NOTHING, TABLES_ONLY, OURS };

static enum err look_inside(struct pg_conn *c, const char *schema, bool *ret_has_schema,
                            enum content *ret, struct error *e)
{
	static const struct pg_sql q = {
		"look_inside",
		"SELECT (SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1::text),"
		" count(*), count(*) FILTER (WHERE relname = 'store' AND EXISTS"
		" (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = r.oid AND attname = "
		"'application'))"
		" FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace"
		" WHERE nspname = $1::text AND relkind IN ('r', 'p', 'v', 'm', 'f')"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_from(schema));
	err = pg_conn_ask(c, &q, &args, &rows, e);
	if (err != OK)
		return err;
	*ret_has_schema = pg_conn_i64(&rows, 0, 0);
	*ret = pg_conn_i64(&rows, 0, 2) ? OURS : pg_conn_i64(&rows, 0, 1) ? TABLES_ONLY : NOTHING;
	pg_conn_rows_done(&rows);
	return OK;
}

static enum err refuse_foreign(const char *schema, struct error *e)
{
	return fail(
		e, ERR_STORE,
		"store_foreign: the schema %s holds the tables of another program. Choose another "
		"name with the setting store.schema",
		schema);
}

/* ---- which programs may use the tables ---- */

struct standing {
	int64_t format; /* that a program must know at least; 0: the schema is new */
	int64_t tables; /* that the tables have: more while nodes of an older program may live */
};

static enum err refuse_newer(const char *schema, int64_t format, struct error *e)
{
	return fail(e, ERR_STORE,
	            "store_format: the schema %s has format %lld, this program knows formats "
	            "up to %d. Use the newer program that wrote it",
	            schema, (long long)format, PG_SCHEMA_FORMAT);
}

static enum err read_tables(struct pg_conn *c, struct standing *st, struct error *e)
{
	static const struct pg_sql q = { "read_tables", "SELECT tables FROM upgrade" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(c, &q, &none, &rows, e);

	if (err == OK && rows.count)
		st->tables = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

/*
 * Locks the row, so that of several starts one runs the steps and the others wait for it.  What that
 * one did is seen by a later statement only.
 */
static enum err read_standing(struct pg_conn *c, const char *schema, struct standing *ret,
                              struct error *e)
{
	static const struct pg_sql q = { "read_format",
		                         "SELECT application, format, "
		                         "to_regclass(quote_ident(current_schema()) || '.upgrade')"
		                         " IS NOT NULL FROM store" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	bool has_upgrade = false;
	enum err err = pg_conn_run(c, "SELECT FROM store FOR UPDATE", e);

	if (err == OK)
		err = pg_conn_ask(c, &q, &none, &rows, e);
	if (err != OK)
		return err;
	if (rows.count != 1 || !str_eq(pg_conn_str(&rows, 0, 0), STR(APPLICATION))) {
		err = refuse_foreign(schema, e);
	} else {
		ret->format = ret->tables = pg_conn_i64(&rows, 0, 1);
		has_upgrade = pg_conn_bool(&rows, 0, 2);
	}
	pg_conn_rows_done(&rows);
	if (err == OK && ret->format > PG_SCHEMA_FORMAT)
		return refuse_newer(schema, ret->format, e);
	return err == OK && has_upgrade ? read_tables(c, ret, e) : err;
}

enum err pg_schema_admit(struct pg_conn *c, const char *schema, uint32_t rev, struct error *e)
{
	static const struct pg_sql q = { "admit",
		                         "SELECT s.format, u.rev FROM store s, upgrade u" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	int64_t format = 0, common = 0;
	enum err err = pg_conn_run(c, "SELECT FROM store FOR SHARE", e);

	if (err == OK) {
		err = pg_conn_ask(c, &q, &none, &rows, e);
		format = err == OK && rows.count ? pg_conn_i64(&rows, 0, 0) : 0;
		common = err == OK && rows.count ? pg_conn_i64(&rows, 0, 1) : 0;
		pg_conn_rows_done(&rows);
	}
	if (err == OK && format > PG_SCHEMA_FORMAT)
		return refuse_newer(schema, format, e);
	if (err == OK && common > rev)
		return fail(e, ERR_STORE,
		            "store_format: all nodes that use the schema %s have revision %lld by "
		            "now, this program has revision %u. Use the newer program",
		            schema, (long long)common, rev);
	return err;
}

/* ---- steps ---- */

/* How long a node of a program that cannot use the new tables is waited for. */
#define END_TRIES 40
#define END_PAUSE_US 25000

#define FIND_NODE                                                                                  \
	"SELECT coalesce(max(n.incarnation), 0) FROM node n JOIN"                                  \
	" pg_catalog.pg_stat_activity a ON a.datname = current_database()"                         \
	" AND a.application_name = 'thole/' || current_schema() || '/' || n.incarnation"           \
	" WHERE n.ended_at IS NULL"

/*
 * Such a node notices no change of its tables, and one of format 1 writes no heartbeat.  Its
 * connections have the incarnation in their name.
 */
static enum err find_old_node(struct pg_conn *c, const struct standing *st, int64_t needed,
                              int64_t *ret, struct error *e)
{
	static const struct pg_sql any = { "find_old_node", FIND_NODE };
	static const struct pg_sql old = { "find_older_node",
		                           FIND_NODE " AND n.format < $1::bigint" };
	bool says_format = st->tables >= FIRST_WITH_UPGRADE;
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	if (says_format)
		pg_args_i64(&args, needed);
	err = pg_conn_ask(c, says_format ? &old : &any, &args, &rows, e);
	if (err == OK)
		*ret = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err wait_for_old_node(struct pg_conn *c, const char *schema, const struct standing *st,
                                  int64_t needed, struct error *e)
{
	int64_t incarnation = 0;
	enum err err = find_old_node(c, st, needed, &incarnation, e);

	for (int tries = 0; err == OK && incarnation; tries++) {
		if (tries == END_TRIES)
			return fail(
				e, ERR_BUSY,
				"store_in_use: a node of an older program (incarnation %lld) "
				"uses the schema %s. Stop it; then this start changes the tables",
				(long long)incarnation, schema);
		usleep(END_PAUSE_US);
		/* Within a transaction the server shows activity as it was at the first look. */
		err = pg_conn_run(c, "SELECT pg_stat_clear_snapshot()", e);
		if (err == OK)
			err = find_old_node(c, st, needed, &incarnation, e);
	}
	return err;
}

/* The oldest format whose programs may use the tables after the steps that are left. */
static int64_t format_needed(const struct standing *st)
{
	for (int64_t i = st->tables; i < PG_SCHEMA_FORMAT; i++)
		if (!is_additive(i))
			return PG_SCHEMA_FORMAT;
	return PG_SCHEMA_BESIDE;
}

static enum err run_step(struct pg_conn *c, struct standing *st, struct error *e)
{
	char sql[64];
	enum err err = pg_conn_run(c, steps[st->tables], e);

	if (err != OK)
		return err;
	snprintf(sql, sizeof sql, "UPDATE upgrade SET tables = %lld", (long long)++st->tables);
	return st->tables >= FIRST_WITH_UPGRADE ? pg_conn_run(c, sql, e) : OK;
}

/* While this statement waits for a table, heartbeats wait behind it. */
#define LOCK_TIMEOUT "SET LOCAL lock_timeout = '200ms'"

static enum err run_steps(struct pg_conn *c, const char *schema, bool *ret_more, struct error *e)
{
	struct standing st;
	int64_t needed;
	char sql[96];
	enum err err = read_standing(c, schema, &st, e);

	*ret_more = false;
	if (err != OK)
		return err;
	needed = format_needed(&st);
	if (st.format && st.format < needed)
		err = wait_for_old_node(c, schema, &st, needed, e);
	if (err == OK && needed < PG_SCHEMA_FORMAT && st.tables < PG_SCHEMA_FORMAT) {
		err = pg_conn_run(c, LOCK_TIMEOUT, e);
		if (err == OK)
			err = run_step(c, &st, e);
	}
	while (err == OK && needed == PG_SCHEMA_FORMAT && st.tables < PG_SCHEMA_FORMAT)
		err = run_step(c, &st, e);
	*ret_more = st.tables < PG_SCHEMA_FORMAT;
	snprintf(sql, sizeof sql, "UPDATE store SET format = greatest(format, %lld)",
	         (long long)needed);
	return err == OK && st.format < needed ? pg_conn_run(c, sql, e) : err;
}

static enum err settle_once(struct pg_conn *c, const char *schema, bool has_schema, bool is_ours,
                            bool *ret_more, struct error *e)
{
	char sql[128];
	enum err err = pg_conn_run(c, "BEGIN", e);

	snprintf(sql, sizeof sql, "CREATE SCHEMA IF NOT EXISTS \"%s\"", schema);
	if (err == OK && !has_schema)
		err = pg_conn_run(c, sql, e);
	if (err == OK && !is_ours)
		err = pg_conn_run(c, make_first, e);
	if (err == OK)
		err = run_steps(c, schema, ret_more, e);
	if (err == OK)
		return pg_conn_run(c, "COMMIT", e);
	(void)!pg_conn_run(c, "ROLLBACK", NULL);
	return err;
}

/* A commit that waits for a standby holds its tables as long. */
#define STEP_TRIES 100
#define STEP_PAUSE_US 50000

static enum err settle(struct pg_conn *c, const char *schema, bool has_schema, bool is_ours,
                       struct error *e)
{
	bool more = true, is_busy;
	enum err err = OK;

	for (int tries = 0; more && tries < STEP_TRIES; tries++) {
		err = settle_once(c, schema, has_schema, is_ours, &more, e);
		is_busy = err == ERR_UNAVAILABLE &&
		          str_starts(str_from(e->message), STR("store_busy"));
		if (err != OK && (!is_ours || !is_busy))
			return err;
		has_schema = is_ours = true;
		if (err != OK)
			usleep(STEP_PAUSE_US);
		more |= err != OK;
	}
	return err;
}

enum err pg_schema_settle(struct pg_conn *c, const char *schema, bool only_existing,
                          struct error *e)
{
	bool has_schema = false;
	enum content content = NOTHING;
	enum err err = look_inside(c, schema, &has_schema, &content, e);

	if (err == OK && content == TABLES_ONLY)
		err = refuse_foreign(schema, e);
	if (err == OK && content == NOTHING && only_existing)
		err = fail(e, ERR_NOT_FOUND, "store_missing: there is no log in the schema %s",
		           schema);
	if (err != OK)
		return err;
	err = settle(c, schema, has_schema, content == OURS, e);
	/* Of two first starts at once one makes the tables, and the other fails because they are there. */
	if (err != OK && content == NOTHING &&
	    look_inside(c, schema, &has_schema, &content, NULL) == OK && content == OURS)
		err = settle(c, schema, true, true, e);
	return err;
}
