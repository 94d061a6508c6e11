/* Lists from the store's rows, page by page: sessions, actions, tasks. */
#include "core/session/labels.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "base/jw.h"
#include "core/view/view.h"
#include "engine/query/query.h"
#include "engine/request/cursor.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

/* ---- pages ---- */

/* False: the limit or the cursor is invalid, and the request was refused. */
static bool prepare_index_read(struct request *r, enum index_table table, bool has_limit,
                               int64_t limit, struct str cursor, void (*done)(struct store_read *))
{
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = table,
		                       .newest_first = true,
		                       .max_rows = reply_page_size(has_limit, limit),
		                       .reach = r->caller.reach,
		                       .done = done,
		                       .owner = r };
	if (!reply_check_least(r, "limit", has_limit, limit, 1))
		return false;
	if (reply_from_cursor(&r->read, cursor))
		return true;
	request_fail(r, ERROR_CODE_EXPIRED_CURSOR, "cursor: not one that this runtime gave out");
	request_reply(r);
	return false;
}

static void send_index(struct request *r)
{
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void end_rows(struct reply *p, struct store_read *read)
{
	struct request *r = p->r;

	jw_arr_end(&p->w);
	if (read->more && read->row_count) {
		const struct index_found *last = &read->rows[read->row_count - 1];

		JW_KSTR(&p->w, "nextCursor", cursor_text(r->mem, last->at, last->key));
	}
	jw_obj_end(&p->w);
	r->response.reply = arena_keep(r->mem, buf_str(&p->out));
	buf_done(&p->out);
	port_store_read_done(read);
	request_reply(r);
}

/*
 * Filters without a column are applied here, so one page of the reply may take several pages of the
 * table; a request reads a bounded number of them.
 */
struct list_page {
	struct buf rows; /* the objects so far, with commas */
	uint32_t found, wanted, pages;
	struct str next;
};

static void page_add(struct list_page *page, struct str row)
{
	if (page->found++)
		buf_add_char(&page->rows, ',');
	buf_add_str(&page->rows, row);
}

/*
 * After the first `at` rows of a page of the table.  The cursor names the last row that was looked
 * at, shown or not.  False: the reply is due.
 */
static bool page_goes_on(struct list_page *page, struct store_read *read, size_t at)
{
	struct request *r = read->owner;

	page->next = STR_NONE;
	if ((read->more || at < read->row_count) && at > 0) {
		const struct index_found *last = &read->rows[at - 1];

		page->next = cursor_text(r->mem, last->at, last->key);
		read->from_at = last->at;
		r->read.from_key = arena_keep(r->mem, last->key);
	}
	port_store_read_done(read);
	return str_is(page->next) && page->found < page->wanted &&
	       ++page->pages < LIMIT_LIST_SCAN_PAGES;
}

/* ---- sessions ---- */

static void read_labels(struct arena *mem, struct json list, struct list_str *ret)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		rec_list_str_add(mem, ret, json_str(v));
}

/* Sessions of the runtime itself are shown only on request. */
static bool is_session_wanted(struct request *r, const struct index_found *row)
{
	const struct cmd_list_sessions *c = r->args;
	struct list_str labels = { 0 };
	struct json body;

	if (!str_is(row->body) || (session_place_is_own(row->key) && !c->system))
		return false;
	if (!c->has_archived && !c->labels.count)
		return true;
	if (json_read_trusted(r->mem, row->body, &body, NULL) != OK)
		return true;
	read_labels(r->mem, JSON_GET(body, "labels"), &labels);
	return (!c->has_archived || json_bool(JSON_GET(body, "archived"), false) == c->archived) &&
	       labels_fit(&labels, &c->labels);
}

/* The reply also tells how far recovery is: a session that waits for it is shown as it was. */
static void session_page_done(struct request *r, struct list_page *page)
{
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "sessions");
	jw_raw(&p.w, arena_printf(r->mem, "[%.*s]", STR_ARG(buf_str(&page->rows))));
	JW_KOPT(&p.w, "nextCursor", page->next);
	if (!str_is(r->caller.reach)) /* it counts the sessions of all */
		recovery_write(&p.w, r->engine);
	jw_obj_end(&p.w);
	r->response.reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	buf_done(&page->rows);
	request_reply(r);
}

static void sessions_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct list_page *page = r->work;
	size_t at;

	if (read->result != OK && read->result != ERR_NOT_FOUND)
		buf_done(&page->rows);
	if (request_read_failed(read))
		return;
	for (at = 0; at < read->row_count && page->found < page->wanted; at++)
		if (is_session_wanted(r, &read->rows[at]))
			page_add(page, read->rows[at].body);
	if (page_goes_on(page, read, at))
		send_index(r);
	else
		session_page_done(r, page);
}

void query_list_sessions(struct request *r, const struct cmd_list_sessions *c)
{
	struct list_page *page = ARENA_NEW(r->mem, struct list_page);

	if (!prepare_index_read(r, INDEX_SESSION, c->has_limit, c->limit, c->cursor,
	                        sessions_found))
		return;
	page->wanted = r->read.max_rows;
	r->work = page;
	if (c->status)
		r->read.status = thread_status_word(c->status);
	r->read.parent = c->workspace_id;
	if (c->labels.count)
		r->read.max_rows = LIMIT_LIST_ROWS;
	send_index(r);
}

/*
 * Rows hold the record of the state (REC_OLDER: maybe of an earlier version); the view is
 * written from that.
 */
static void actions_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct reply p;

	if (request_read_failed(read))
		return;
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "actions");
	jw_arr(&p.w);
	for (size_t i = 0; i < read->row_count; i++) {
		struct st_action *a = ARENA_NEW(r->mem, struct st_action);
		struct json body;

		if (json_read_trusted(r->mem, read->rows[i].body, &body, NULL) == OK &&
		    rec_read(r->mem, body, &st_action_desc, REC_OLDER, a, NULL) == OK)
			view_action(&p.w, a, read->rows[i].session);
	}
	end_rows(&p, read);
}

void query_list_actions(struct request *r, const struct cmd_list_actions *c)
{
	if (!prepare_index_read(r, INDEX_ACTION, c->has_limit, c->limit, c->cursor, actions_found))
		return;
	r->read.newest_first = false; /* the longest wait comes first */
	r->read.session = c->session_id;
	r->read.parent = c->thread_id;
	r->read.status = action_status_word(c->status ? c->status : ACTION_STATUS_PENDING);
	send_index(r);
}

/*
 * The decision that refuses is computed from the row, with the words that a live action
 * would get.
 */
static void answered_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_respond_action *c = r->args;
	struct decision d = { .mem = r->mem };
	struct st_action a = { 0 };
	struct json body;

	if (request_read_failed(read))
		return;
	if (read->row_count && str_eq(read->rows[0].session, c->session_id) &&
	    json_read_trusted(r->mem, read->rows[0].body, &body, NULL) == OK &&
	    rec_read(r->mem, body, &st_action_desc, REC_OLDER, &a, NULL) == OK &&
	    !action_is_pending(&a)) {
		action_refuse_late(&d, &a);
		r->response.code = d.refusal;
		r->response.detail = d.detail;
		r->response.extra = d.extra;
	}
	port_store_read_done(read);
	request_reply(r);
}

/*
 * An answered action has left the state.  The second of two people who answer should learn
 * who was first, not that there is no such action.
 */
bool lists_refused(struct request *r)
{
	const struct cmd_respond_action *c = r->args;

	if (r->command.command != COMMAND_RESPOND_ACTION ||
	    r->response.code != ERROR_CODE_ACTION_NOT_FOUND)
		return false;
	if (prepare_index_read(r, INDEX_ACTION, false, 0, STR_NONE, answered_found)) {
		r->read.key = c->action_id;
		send_index(r);
	}
	return true;
}

/* Rows of tasks hold the state record; it is shown in a state with one task. */
static bool is_worker_wanted(const struct cmd_list_tasks *c, const struct st_task *t)
{
	const struct rec_task_attempt *last =
		t->attempts.count ? t->attempts.items[t->attempts.count - 1] : NULL;

	if (c->worker && !(last && last->worker && last->worker->kind == c->worker))
		return false;
	return !c->open || !task_table_status_is_end(t->record->status);
}

static bool is_wanted(const struct cmd_list_tasks *c, const struct rec_task *t)
{
	bool is_shown =
		c->visibility ? t->visibility == c->visibility : t->visibility != VISIBILITY_HIDDEN;

	return is_shown && labels_fit(&t->labels, &c->labels) &&
	       (!str_is(c->parent_task_id) || str_eq(c->parent_task_id, t->parent_task_id));
}

/* False: the filter excludes it. */
static bool write_task(struct request *r, struct json_writer *w, const struct index_found *row)
{
	struct st_task *t = ARENA_NEW(r->mem, struct st_task);
	struct st_session *session = ARENA_NEW(r->mem, struct st_session);
	struct state alone = { .mem = r->mem, .s = session };
	struct json body;

	if (json_read_trusted(r->mem, row->body, &body, NULL) != OK ||
	    rec_read(r->mem, body, &st_task_desc, REC_OLDER, t, NULL) != OK)
		return false;
	if (r->command.command == COMMAND_LIST_TASKS &&
	    !(is_wanted(r->args, t->record) && is_worker_wanted(r->args, t)))
		return false;
	session->session_id = arena_keep(r->mem, row->session);
	view_task(w, &alone, t);
	return true;
}

static void task_page_done(struct request *r, struct list_page *page)
{
	const struct cmd_list_tasks *c = r->args;
	const struct session *s =
		str_is(c->session_id) ? session_find(r->engine, c->session_id) : NULL;
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "tasks");
	jw_raw(&p.w, arena_printf(r->mem, "[%.*s]", STR_ARG(buf_str(&page->rows))));
	if (s && s->phase == SESSION_LIVE) {
		JW_KEY(&p.w, "summary");
		view_task_summary(&p.w, s->state);
	}
	JW_KOPT(&p.w, "nextCursor", page->next);
	jw_obj_end(&p.w);
	r->response.reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	buf_done(&page->rows);
	request_reply(r);
}

static void tasks_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct list_page *page = r->work;
	size_t at;

	if (read->result != OK && read->result != ERR_NOT_FOUND)
		buf_done(&page->rows);
	if (request_read_failed(read))
		return;
	for (at = 0; at < read->row_count && page->found < page->wanted; at++) {
		struct buf one = { 0 };
		struct json_writer w;

		jw_init(&w, &one);
		if (write_task(r, &w, &read->rows[at]))
			page_add(page, buf_str(&one));
		buf_done(&one);
	}
	if (page_goes_on(page, read, at))
		send_index(r);
	else
		task_page_done(r, page);
}

void query_list_tasks(struct request *r, const struct cmd_list_tasks *c)
{
	struct list_page *page = ARENA_NEW(r->mem, struct list_page);

	if (!prepare_index_read(r, INDEX_TASK, c->has_limit, c->limit, c->cursor, tasks_found))
		return;
	page->wanted = r->read.max_rows;
	r->work = page;
	r->read.session = c->session_id;
	r->read.parent = c->thread_id;
	if (c->status)
		r->read.status = task_status_word(c->status);
	r->read.open_only = c->open;
	r->read.max_rows = LIMIT_LIST_ROWS;
	send_index(r);
}

static void end_task(struct reply *p)
{
	struct request *r = p->r;

	JW_KINT(&p->w, "sequence", r->session->state->s->sequence);
	jw_obj_end(&p->w);
	reply_end(p);
}

static void task_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_get_task *c = r->args;
	struct reply p;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	if (!read->row_count || !str_eq(read->rows[0].session, c->session_id)) {
		request_fail(r, ERROR_CODE_TASK_NOT_FOUND, "%.*s is not a task of this session",
		             STR_ARG(c->task_id));
		port_store_read_done(read);
		request_reply(r);
		return;
	}
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "task");
	write_task(r, &p.w, &read->rows[0]);
	port_store_read_done(read);
	end_task(&p);
}

/* From the state if the session is loaded, else from its row. */
void query_get_task(struct request *r, const struct cmd_get_task *c)
{
	const struct state *state = r->session->state;
	const struct st_task *t = state_task(state, c->task_id);
	struct reply p;

	if (t) {
		reply_begin(&p, r);
		jw_obj(&p.w);
		JW_KEY(&p.w, "task");
		view_task(&p.w, state, t);
		JW_KEY(&p.w, "graph");
		view_task_tree(&p.w, state, t);
		JW_KEY(&p.w, "why");
		view_explain_task(&p.w, state, &r->session->leases, t);
		end_task(&p);
		return;
	}
	if (!prepare_index_read(r, INDEX_TASK, false, 0, STR_NONE, task_found))
		return;
	r->read.key = c->task_id;
	request_hold(r);
	send_index(r);
}
