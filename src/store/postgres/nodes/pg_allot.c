/*
 * Allotments, on the keeper's thread and connection: one transaction for each account that is
 * settled.
 *
 * The row of node 0 is locked first, so the calls about one account come one after the other.
 * Rows of `ledger`, which every append changes, are only read; what a living node has used
 * counts by its allotment.  Before the allotment of an ended node is free, its row in `ledger` is
 * closed: a commit of that node that is still under way is then in it, or fails.
 */
#include "store/postgres/pg_store.h"

/* clang-format off */
static const struct pg_sql lock_sql = {
	"allot_lock",
	"INSERT INTO allotment(account, node) VALUES ($1::text, 0)"
	" ON CONFLICT (account, node) DO UPDATE SET amount = 0"
};

static const struct pg_sql close_sql = {
	"allot_close",
	"WITH gone AS (DELETE FROM allotment a USING node n WHERE a.account = $1::text"
	" AND n.incarnation = a.node AND n.ended_at IS NOT NULL RETURNING a.node)"
	" INSERT INTO ledger(account, node, spent, reserved, is_closed)"
	" SELECT $1::text, node, 0, 0, true FROM gone"
	" ON CONFLICT (account, node) DO UPDATE SET is_closed = true"
};

static const struct pg_sql allot_sql = {
	"allot",
	"WITH used AS (SELECT node, spent, reserved FROM ledger"
	" WHERE account = $1::text AND node <> $2::bigint),"
	" given AS (SELECT node, amount FROM allotment"
	" WHERE account = $1::text AND node <> $2::bigint AND node <> 0),"
	" taken AS (SELECT coalesce(sum(CASE WHEN given.node IS NULL THEN spent + reserved"
	" ELSE greatest(amount, coalesce(spent + reserved, 0)) END), 0)::bigint AS sum"
	" FROM used FULL JOIN given USING (node)),"
	" own AS (SELECT since FROM allotment"
	" WHERE account = $1::text AND node = $2::bigint AND want > 0),"
	" live AS (SELECT incarnation FROM node WHERE ended_at IS NULL),"
	" part AS (SELECT $3::bigint - taken.sum - $4::bigint AS free,"
	" (SELECT count(*) FROM live) AS nodes,"
	" EXISTS (SELECT FROM allotment o JOIN live ON o.node = incarnation"
	" WHERE o.account = $1::text AND o.node <> $2::bigint AND o.want > 0"
	" AND o.asked_at > clock_timestamp() - $6::bigint * interval '1 ms'"
	" AND (o.since, o.node) < (coalesce((SELECT since FROM own), clock_timestamp()), $2::bigint))"
	" AS is_behind FROM taken),"
	" new AS (SELECT CASE WHEN $5::bigint = 0 OR is_behind THEN 0"
	" ELSE greatest(0, least(free, greatest($5::bigint, free / nodes))) END AS more FROM part),"
	" put AS (INSERT INTO allotment AS a (account, node, amount, want, since, asked_at)"
	" SELECT $1::text, $2::bigint, $4::bigint + more, greatest($5::bigint - more, 0),"
	" clock_timestamp(), clock_timestamp() FROM new WHERE $2::bigint IN (SELECT incarnation FROM live)"
	" ON CONFLICT (account, node) DO UPDATE SET amount = excluded.amount, want = excluded.want,"
	" since = CASE WHEN a.want > 0 THEN a.since ELSE excluded.since END,"
	" asked_at = excluded.asked_at RETURNING amount)"
	" SELECT amount, (SELECT coalesce(sum(spent), 0) FROM used)::bigint,"
	" (SELECT coalesce(sum(reserved), 0) FROM used)::bigint, (SELECT count(*) FROM live) = 1 FROM put"
};
/* clang-format on */

static enum err lock(struct pg_conn *c, const struct store_allotment *a, struct error *e)
{
	struct pg_args args = { 0 };

	pg_args_str(&args, a->account);
	return pg_conn_tell(c, &lock_sql, &args, e);
}

static enum err close_ended(struct pg_conn *c, const struct store_allotment *a, struct error *e)
{
	struct pg_args args = { 0 };

	pg_args_str(&args, a->account);
	return pg_conn_tell(c, &close_sql, &args, e);
}

static enum err grant(struct pg_store *s, struct store_allotment *a, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, a->account);
	pg_args_i64(&args, s->incarnation);
	pg_args_i64(&args, a->cap);
	pg_args_i64(&args, a->keep);
	pg_args_i64(&args, a->want);
	pg_args_i64(&args, STORE_WISH_MS);
	err = pg_conn_ask(&s->keeper, &allot_sql, &args, &rows, e);
	if (err == OK && !rows.count)
		err = fail(e, ERR_BUSY, "store_node: this start of the node has ended");
	if (err == OK) {
		a->amount = pg_conn_i64(&rows, 0, 0);
		a->spent = pg_conn_i64(&rows, 0, 1);
		a->reserved = pg_conn_i64(&rows, 0, 2);
		a->is_alone = pg_conn_bool(&rows, 0, 3);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* A commit that hangs holds a row of the account; the caller asks again. */
static enum err allot_at_once(struct pg_store *s, struct store_allotment *a, struct error *e)
{
	struct pg_conn *c = &s->keeper;
	enum err err = pg_conn_run(c, "BEGIN", e);

	if (err == OK)
		err = pg_conn_run(c, "SET LOCAL lock_timeout = 1000", e);
	if (err == OK)
		err = lock(c, a, e);
	if (err == OK)
		err = close_ended(c, a, e);
	if (err == OK)
		err = grant(s, a, e);
	if (err == OK)
		return pg_conn_run(c, "COMMIT", e);
	(void)!pg_conn_run(c, "ROLLBACK", NULL);
	return err;
}

enum err pg_allot_work(struct pg_store *s, struct store_allotment *a, struct error *e)
{
	if (pg_state_is_dead(s, &a->error)) {
		a->result = a->error.code;
		return a->result;
	}
	a->result = allot_at_once(s, a, &a->error);
	if (!s->keeper.is_lost)
		return OK;
	*e = a->error;
	return ERR_UNAVAILABLE;
}
