/* The rows of the core in the form of the store. */
#include "engine/engine_state.h"

void commit_rows_take(struct arena *mem, const struct rows *rows, struct slice *slice)
{
	static const enum index_table tables[] = {
		[ROW_SESSION] = INDEX_SESSION, [ROW_THREAD] = INDEX_THREAD, [ROW_TASK] = INDEX_TASK,
		[ROW_ACTION] = INDEX_ACTION,   [ROW_TIMER] = INDEX_TIMER,   [ROW_ID] = INDEX_ID,
		[ROW_ITEM] = INDEX_ITEM,       [ROW_OUTPUT] = INDEX_OUTPUT,
	};

	slice->rows = ARENA_ARRAY(mem, struct index_row, rows->count + 1);
	slice->row_count = rows->count;
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *r = &rows->items[i];

		slice->rows[i] = (struct index_row){
			.table = tables[r->table],
			.remove = r->remove,
			.key = r->key,
			.status = r->status,
			.parent = r->parent,
			.at = r->at,
			.open = r->open,
			.body = r->body,
		};
	}
}
