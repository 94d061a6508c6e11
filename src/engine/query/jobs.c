/* Queries about jobs (one, all, the items of one, page by page), schedules and trials. */
#include "core/job/job.h"
#include "base/jw.h"
#include "engine/query/query.h"
#include "engine/request/cursor.h"
#include "engine/engine_state.h"

static void send_reply(struct request *r, struct buf *out)
{
	r->response.reply = arena_keep(r->mem, buf_str(out));
	buf_done(out);
	request_wait(r);
}

static void not_found(struct request *r, struct str id)
{
	request_fail(r, ERROR_CODE_JOB_NOT_FOUND, "%.*s is not a job of this session", STR_ARG(id));
	request_reply(r);
}

/* ---- one ---- */

static void write_one(struct request *r, struct str record)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "job");
	jw_raw(&w, record);
	JW_KINT(&w, "sequence", r->session->state->s->sequence);
	jw_obj_end(&w);
	send_reply(r, &out);
}

/* Jobs share their table with items and schedules, so the parent is compared, too. */
static void job_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_get_job *c = r->args;
	struct str body;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	if (!read->row_count || !str_eq(read->rows[0].session, c->session_id) ||
	    !str_eq(read->rows[0].parent, STR("jobs"))) {
		port_store_read_done(read);
		not_found(r, c->job_id);
		return;
	}
	body = arena_keep(r->mem, read->rows[0].body);
	port_store_read_done(read);
	write_one(r, body);
}

/* An ended job has left the state and is read from its row. */
void query_get_job(struct request *r, const struct cmd_get_job *c)
{
	const struct st_job *j = job_find(r->session->state, c->job_id);

	if (j) {
		write_one(r, rec_text(r->mem, &rec_job_desc, j->record));
		return;
	}
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .key = c->job_id,
		                       .done = job_found,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* ---- all ---- */

/* With the session id, which a list across sessions needs and the log does not. */
static void write_job(struct json_writer *w, struct request *r, const struct index_found *row)
{
	struct rec_job *j = ARENA_NEW(r->mem, struct rec_job);
	struct json body;

	if (json_read_trusted(r->mem, arena_keep(r->mem, row->body), &body, NULL) != OK ||
	    rec_read(r->mem, body, &rec_job_desc, REC_TRUSTED, j, NULL) != OK)
		return;
	j->session_id = row->session;
	rec_write(w, &rec_job_desc, j);
}

/*
 * Jobs, schedules and trials share a table, each under its own parent word, which is also the
 * reply's member.  A row that was read by its key may be of another kind.
 */
static void write_rows(struct json_writer *w, struct request *r, struct store_read *read)
{
	jw_arr(w);
	for (size_t i = 0; i < read->row_count; i++)
		if (!str_eq(read->rows[i].parent, read->parent))
			continue;
		else if (str_eq(read->parent, STR("jobs")))
			write_job(w, r, &read->rows[i]);
		else
			jw_raw(w, read->rows[i].body);
	jw_arr_end(w);
	if (read->more && read->row_count) {
		const struct index_found *last = &read->rows[read->row_count - 1];

		JW_KSTR(w, "nextCursor", cursor_text(r->mem, last->at, last->key));
	}
}

static void list_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct buf out = { 0 };
	struct json_writer w;

	if (request_read_failed(read))
		return;
	jw_init(&w, &out);
	jw_obj(&w);
	jw_key(&w, read->parent);
	write_rows(&w, r, read);
	jw_obj_end(&w);
	port_store_read_done(read);
	send_reply(r, &out);
}

static void list_below(struct request *r, struct str parent, struct str session, struct str status,
                       uint32_t max_rows, struct str cursor)
{
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .parent = parent,
		                       .session = session,
		                       .status = status,
		                       .newest_first = true,
		                       .reach = r->caller.reach,
		                       .max_rows = max_rows,
		                       .done = list_found,
		                       .owner = r };
	if (!reply_from_cursor(&r->read, cursor)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR,
		             "cursor: not one that this runtime gave out");
		request_reply(r);
		return;
	}
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* One trial, by its key. */
static void find_trial(struct request *r, const struct cmd_list_benchmark_trials *c)
{
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .key = c->trial_id,
		                       .parent = STR("trials"),
		                       .reach = r->caller.reach,
		                       .done = list_found,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

void query_list_benchmark_trials(struct request *r, const struct cmd_list_benchmark_trials *c)
{
	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	if (str_is(c->trial_id))
		find_trial(r, c);
	else
		list_below(r, STR("trials"), c->session_id,
		           c->status ? status_word(c->status) : STR_NONE,
		           reply_page_size(c->has_limit, c->limit), c->cursor);
}

void query_list_jobs(struct request *r, const struct cmd_list_jobs *c)
{
	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	list_below(r, STR("jobs"), c->session_id, c->status ? job_status_word(c->status) : STR_NONE,
	           reply_page_size(c->has_limit, c->limit), c->cursor);
}

void query_list_schedules(struct request *r, const struct cmd_list_schedules *c)
{
	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	list_below(r, STR("schedules"), c->session_id,
	           c->status ? schedule_status_word(c->status) : STR_NONE,
	           reply_page_size(c->has_limit, c->limit), c->cursor);
}

/* ---- items ---- */

/* Items that have not begun have no row: they follow from the count. */
static void write_pending(struct json_writer *w, struct request *r, const struct rec_job *j,
                          int64_t i, uint32_t room, struct str *ret_next)
{
	for (; i < j->progress->total && room; i++, room--) {
		struct rec_job_item item = { .job_item_id = job_item_id(r->mem, j->job_id, i),
			                     .index = i,
			                     .status = JOB_ITEM_STATUS_PENDING };

		rec_write(w, &rec_job_item_desc, &item);
	}
	if (i < j->progress->total)
		*ret_next = cursor_text(r->mem, i - 1, job_item_id(r->mem, j->job_id, i - 1));
}

/*
 * Items begin in order, so the first one without a row follows the last row.  The job's own cursor
 * may be ahead of the rows: an item that has just begun would then be in neither part of the list.
 */
static int64_t first_pending(const struct store_read *read, const struct request *r)
{
	const struct cmd_list_job_items *c = r->args;
	const struct rec_job *j = r->work;
	int64_t from = str_is(c->cursor) ? read->from_at + 1 : 0;

	if (c->status)
		return MAX(from, j->item_cursor);
	return read->row_count ? read->rows[read->row_count - 1].at + 1 : from;
}

/*
 * Rows of items that have begun come first; the page is filled up with pending ones.  A
 * cursor holds the index of the last item, so both kinds continue from it.
 */
static void items_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_list_job_items *c = r->args;
	const struct rec_job *j = r->work;
	struct str next = STR_NONE;
	struct buf out = { 0 };
	struct json_writer w;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "items");
	jw_arr(&w);
	for (size_t i = 0; i < read->row_count; i++)
		jw_raw(&w, read->rows[i].body);
	if (read->more && read->row_count)
		next = cursor_text(r->mem, read->rows[read->row_count - 1].at,
		                   read->rows[read->row_count - 1].key);
	else if (!c->status || c->status == JOB_ITEM_STATUS_PENDING)
		write_pending(&w, r, j, first_pending(read, r),
		              (uint32_t)(reply_page_size(c->has_limit, c->limit) - read->row_count),
		              &next);
	jw_arr_end(&w);
	JW_KOPT(&w, "nextCursor", next);
	JW_KINT(&w, "sequence", r->session->state->s->sequence);
	jw_obj_end(&w);
	port_store_read_done(read);
	send_reply(r, &out);
}

/* r->work holds the job's record: items without rows are derived from its counters. */
static void read_items(struct request *r)
{
	const struct cmd_list_job_items *c = r->args;

	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .parent = c->job_id,
		                       .session = c->session_id,
		                       .max_rows = reply_page_size(c->has_limit, c->limit),
		                       .done = items_found,
		                       .owner = r };
	if (c->status)
		r->read.status = job_item_status_word(c->status);
	if (!reply_from_cursor(&r->read, c->cursor)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR,
		             "cursor: not one that this runtime gave out");
		request_reply(r);
		return;
	}
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void job_of_items(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_list_job_items *c = r->args;
	struct rec_job *j = ARENA_NEW(r->mem, struct rec_job);
	struct json body;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	if (!read->row_count || !str_eq(read->rows[0].session, c->session_id) ||
	    json_read_trusted(r->mem, arena_keep(r->mem, read->rows[0].body), &body, NULL) != OK ||
	    rec_read(r->mem, body, &rec_job_desc, REC_TRUSTED, j, NULL) != OK) {
		port_store_read_done(read);
		not_found(r, c->job_id);
		return;
	}
	port_store_read_done(read);
	r->work = j;
	read_items(r);
}

void query_list_job_items(struct request *r, const struct cmd_list_job_items *c)
{
	const struct st_job *j = job_find(r->session->state, c->job_id);

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	if (j) {
		r->work = rec_clone(r->mem, &rec_job_desc, j->record);
		read_items(r);
		return;
	}
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .key = c->job_id,
		                       .done = job_of_items,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}
