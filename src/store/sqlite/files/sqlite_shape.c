/*
 * Checks that the tables have the columns that this program uses.
 *
 * A damaged byte in the text of the schema renames a column.  Without this check
 * the first statement that uses the column would fail, long after the start.
 */
#include "store/sqlite/files/sqlite_files.h"

#include <stdio.h>

static const struct {
	const char *name, *columns;
	bool is_derived; /* it can be made again from the events */
} tables[] = {
	{ "meta", "key,value", false },
	{ "session", "session_no,id,last_seq,last_hash,floor_seq,floor_hash,floor_ref,sum", false },
	{ "event", "position,session_no,seq,type,hash,body,digest,sum,journal", false },
	{ "pack",
	  "pack_no,session_no,first_seq,last_seq,first_position,last_position,span,prev_hash,"
	  "last_hash,head,body,sum,journal",
	  false },
	{ "blob", "ref,session_no,media_type,data,seq,sum", false },
	{ "mark", "one,data", false },
	{ "snapshot", "session_no,seq,hash,version,body,sum", true },
	{ "idem", "key,body,session_no,seq,at,reply", true },
	{ "row_log", "no,rows,sum", true },
#define INDEX_COLUMNS "key,session_no,status,parent,at,open,body"
	{ "idx_session", INDEX_COLUMNS, true },
	{ "idx_thread", INDEX_COLUMNS, true },
	{ "idx_task", INDEX_COLUMNS, true },
	{ "idx_action", INDEX_COLUMNS, true },
	{ "idx_timer", INDEX_COLUMNS, true },
	{ "idx_id", INDEX_COLUMNS, true },
	{ "idx_item", INDEX_COLUMNS, true },
	{ "idx_output", INDEX_COLUMNS, true },
	{ "idx_usage", INDEX_COLUMNS, true },
};

static bool has_columns(const struct conn *c, size_t table)
{
	char sql[256];
	sqlite3_stmt *st = NULL;
	bool is_there;

	snprintf(sql, sizeof sql, "SELECT %s FROM %s LIMIT 0", tables[table].columns,
	         tables[table].name);
	is_there = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK;
	sqlite3_finalize(st);
	return is_there;
}

/* Dropped tables are made again with their rows, as if they had been missing. */
enum err sqlite_shape_check(const struct conn *c, const char *path, struct error *e)
{
	char sql[64];

	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		if (has_columns(c, i))
			continue;
		if (!tables[i].is_derived)
			return fail(e, ERR_STORE,
			            "%s is damaged: its table %s does not have the columns of "
			            "format %d; "
			            "restore a backup (thole restore)",
			            path, tables[i].name, STORE_FORMAT);
		snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", tables[i].name);
		if (sqlite3_exec(c->db, sql, NULL, NULL, NULL) != SQLITE_OK)
			return sqlite_conn_error(c, "cannot repair", e);
	}
	return OK;
}
