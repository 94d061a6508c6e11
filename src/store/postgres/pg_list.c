/*
 * Index rows: one by its key, or a page of a list.
 *
 * The statement is written for the filters that are present, so that the planner sees
 * which index fits; each form is prepared once for a connection.  The table's number is
 * part of the text, because the indexes of lists leave one table out.
 */
#include "store/postgres/pg_read.h"

/* What a deleted session used stays in the sums; no other row of it is seen. */
static bool keeps_removed(const struct store_read *r)
{
	return r->table == INDEX_USAGE;
}

/* Ids are ASCII, so no id that begins with the prefix is behind it with a DEL. */
#define WITHIN_REACH " AND s.id >= $6::text AND s.id < $6::text || chr(127)"

struct form {
	bool has_key, has_parent, has_session, has_status, has_open, has_reach, has_from, has_most,
		is_newest;
};

static struct form form_of(const struct store_read *r)
{
	bool has_key = str_is(r->key);

	return (struct form){
		.has_key = has_key,
		.has_parent = !has_key && str_is(r->parent),
		.has_session = !has_key && str_is(r->session),
		.has_status = !has_key && str_is(r->status),
		.has_open = !has_key && r->open_only,
		.has_reach = str_is(r->reach) && !keeps_removed(r),
		.has_from = !has_key && str_is(r->from_key),
		.has_most = !has_key && r->at_most,
		.is_newest = r->newest_first,
	};
}

static const char *form_where(struct arena *mem, const struct form *f)
{
	static const char *const session =
		" AND i.session_no = coalesce((SELECT session_no FROM session WHERE id = $3::text),"
		" (SELECT session_no FROM removed WHERE id = $3::text))";

	return arena_printf(mem, "%s%s%s%s%s%s%s%s", f->has_key ? " AND i.key = $1::text" : "",
	                    f->has_parent ? " AND i.parent = $2::text" : "",
	                    f->has_session ? session : "",
	                    f->has_status ? " AND i.status = $4::text" : "",
	                    f->has_open ? " AND i.open" : "", f->has_reach ? WITHIN_REACH : "",
	                    !f->has_from   ? ""
	                    : f->is_newest ? " AND (i.at, i.key) < ($7::bigint, $8::text)"
	                                   : " AND (i.at, i.key) > ($7::bigint, $8::text)",
	                    f->has_most ? " AND i.at <= $5::bigint" : "")
	        .ptr;
}

/*
 * Unused parameters still need a type, which the last condition gives them; the planner
 * removes it.
 */
static const char *form_text(struct arena *mem, const struct store_read *r, const struct form *f)
{
	static const char *const typed =
		" AND ($1::text IS NULL OR true) AND ($2::text IS NULL OR true)"
		" AND ($3::text IS NULL OR true) AND ($4::text IS NULL OR true)"
		" AND ($5::bigint IS NULL OR true) AND ($6::text IS NULL OR true)"
		" AND ($7::bigint IS NULL OR true) AND ($8::text IS NULL OR true)";
	bool keeps = keeps_removed(r);
	const char *order =
		f->is_newest ? " ORDER BY i.at DESC, i.key DESC" : " ORDER BY i.at, i.key";

	return arena_printf(mem,
	                    "SELECT i.key, %s, i.status, i.parent, i.at, i.open, %s FROM idx i%s"
	                    " WHERE i.tbl = %d%s%s%s LIMIT $9::bigint",
	                    keeps ? "coalesce(s.id, (SELECT id FROM removed o"
	                            " WHERE o.session_no = i.session_no))"
	                          : "s.id",
	                    r->without_body ? "NULL::bytea" : "i.body",
	                    keeps ? " LEFT JOIN session s ON s.session_no = i.session_no"
	                          : " JOIN session s ON s.session_no = i.session_no",
	                    (int)r->table, form_where(mem, f), typed, f->has_key ? "" : order)
	        .ptr;
}

/* The name under which the connection keeps the statement; it lives as long as the store. */
static struct pg_sql statement_of(struct pg_store *s, struct arena *mem, const struct store_read *r)
{
	struct form f = form_of(r);
	struct str name =
		arena_printf(mem, "list_%d_%d%d%d%d%d%d%d%d%d%d", (int)r->table, f.has_key,
	                     f.has_parent, f.has_session, f.has_status, f.has_open, f.has_reach,
	                     f.has_from, f.has_most, f.is_newest, r->without_body);

	if (!map_get(&s->reader.prepared, name))
		name = arena_keep(s->mem, name);
	return (struct pg_sql){ name.ptr, form_text(mem, r, &f) };
}

static void put_args(struct pg_args *args, const struct store_read *r, uint32_t max_rows)
{
	pg_args_str(args, r->key);
	pg_args_str(args, r->parent);
	pg_args_str(args, r->session);
	pg_args_str(args, r->status);
	pg_args_i64(args, r->at_most);
	pg_args_str(args, r->reach);
	pg_args_i64(args, r->from_at);
	pg_args_str(args, r->from_key);
	pg_args_i64(args, max_rows + 1);
}

static void take_rows(struct store_read *r, const struct pg_rows *rows)
{
	struct pg_page page = pg_page_of(r);

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	for (int i = 0; i < rows->count; i++) {
		struct str body = pg_conn_str(rows, i, 6);

		if (!pg_page_fits(&page, r->row_count, body.len)) {
			r->more = true;
			return;
		}
		page.bytes += body.len;
		r->rows[r->row_count++] = (struct index_found){
			.key = arena_keep(r->mem, pg_conn_str(rows, i, 0)),
			.session = arena_keep(r->mem, pg_conn_str(rows, i, 1)),
			.status = arena_keep(r->mem, pg_conn_str(rows, i, 2)),
			.parent = arena_keep(r->mem, pg_conn_str(rows, i, 3)),
			.at = pg_conn_i64(rows, i, 4),
			.open = pg_conn_bool(rows, i, 5),
			.body = arena_keep(r->mem, body),
		};
	}
}

/* A list of an unknown session is empty, not an error. */
enum err pg_list_read(struct pg_store *s, struct store_read *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pg_sql q = statement_of(s, mem, r);
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	put_args(&args, r, pg_page_of(r).max_rows);
	err = pg_conn_ask(&s->reader, &q, &args, &rows, &r->error);
	if (err == OK)
		take_rows(r, &rows);
	pg_conn_rows_done(&rows);
	return err;
}
