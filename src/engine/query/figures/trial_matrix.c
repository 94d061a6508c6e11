/*
 * get_benchmark_matrix: the trials of a dataset by task and configuration.  The rows
 * of all trials are read page by page and added, so only the cells are in memory.
 */
#include "core/benchmark/matrix.h"
#include "engine/engine_state.h"
#include "engine/query/query.h"

#define CELLS_DEFAULT 500
#define CELLS_MAX 2000

static void write_cells(struct json_writer *w, const struct matrix *m)
{
	JW_KEY(w, "cells");
	jw_arr(w);
	for (struct matrix_cell *c = m->first; c; c = c->next)
		rec_write(w, &rec_trial_cell_desc, matrix_cell_row(c));
	jw_arr_end(w);
	JW_KINT(w, "omitted", m->omitted);
}

static void write_sets(struct json_writer *w, const struct matrix *m)
{
	JW_KEY(w, "datasets");
	jw_arr(w);
	for (size_t i = 0; i < m->set_count; i++)
		rec_write(w, &rec_trial_set_desc, m->sets[i]);
	jw_arr_end(w);
	JW_KINT(w, "trials", m->trials);
}

static void look_done(struct request *r, struct matrix *m)
{
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KOPT(&p.w, "datasetId", m->dataset_id);
	JW_KOPT(&p.w, "datasetVersion", m->dataset_version);
	write_cells(&p.w, m);
	write_sets(&p.w, m);
	jw_obj_end(&p.w);
	matrix_done(m);
	reply_end(&p);
}

static void add_row(struct matrix *m, const struct index_found *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct rec_trial_row t = { 0 };
	struct json body;

	if (json_read_trusted(mem, row->body, &body, NULL) == OK &&
	    rec_read(mem, body, &rec_trial_row_desc, REC_OLDER, &t, NULL) == OK && t.benchmark)
		matrix_add(m, mem, &t);
}

static void rows_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct matrix *m = r->work;
	bool has_more = read->more && read->row_count;

	if (read->result != OK && read->result != ERR_NOT_FOUND)
		matrix_done(m);
	if (request_read_failed(read))
		return;
	for (size_t i = 0; i < read->row_count; i++)
		add_row(m, &read->rows[i]);
	if (has_more) {
		const struct index_found *last = &read->rows[read->row_count - 1];

		read->from_at = last->at;
		read->from_key = arena_keep(m->mem, last->key);
	}
	port_store_read_done(read);
	if (has_more)
		r->engine->ports.store->ops->read(r->engine->ports.store, read);
	else
		look_done(r, m);
}

/* A version alone names no dataset. */
static bool is_dataset_named(struct request *r, const struct cmd_get_benchmark_matrix *c)
{
	if (str_is(c->dataset_id) || !str_is(c->dataset_version))
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "datasetVersion: datasetId is wanted with it");
	request_reply(r);
	return false;
}

void query_get_benchmark_matrix(struct request *r, const struct cmd_get_benchmark_matrix *c)
{
	struct matrix *m = ARENA_NEW(r->mem, struct matrix);

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1) || !is_dataset_named(r, c))
		return;
	matrix_init(m, r->mem, c->has_limit ? (size_t)MIN(c->limit, CELLS_MAX) : CELLS_DEFAULT);
	m->dataset_id = c->dataset_id;
	m->dataset_version = c->dataset_version;
	r->work = m;
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .parent = STR("trials"),
		                       .newest_first = true,
		                       .max_rows = LIMIT_LIST_ROWS,
		                       .done = rows_found,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}
