/*
 * ListTasks: rows of list_tasks, newest first.  A state of A2A may be several of ours, so rows are
 * looked at one by one; a page takes as many calls as it needs.  The first page also counts all
 * tasks, and its token carries the number to the next ones.
 *
 *   COUNTING ──► ROWS ──► (folding, for artifacts or history) ──► replied
 */
#include "a2a/a2a_id.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "serve/a2a/a2a_op.h"

#define PAGE_DEFAULT 50
#define PAGE_FOLDED 10 /* with texts: a task may have a megabyte of them */
#define COUNT_ROWS 200

struct list_work {
	struct str session_id, thread_id; /* of the context; absent: all */
	enum a2a_state state;             /* A2A_STATE_NONE: any */
	int64_t total, wanted, found;
	struct str cursor; /* of list_tasks */
	bool is_counting, is_end;
	struct str *ids; /* SESSION~TASK, to be folded */
	size_t folded;
	struct buf rows;
};

static void drop_work(struct a2a_op *op)
{
	struct list_work *work = op->work;

	buf_done(&work->rows);
}

/* ---- tokens: TOTAL.CURSOR ---- */

static bool read_token(struct list_work *work, struct str token)
{
	struct str rest = token, total;

	if (!str_is(token))
		return true;
	total = str_cut(&rest, '.');
	work->cursor = rest;
	work->is_counting = false;
	return rest.len && str_to_i64(total, &work->total) && work->total >= 0;
}

/* ---- replying ---- */

static void reply_list(struct a2a_op *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct list_work *work = op->work;
	struct str token = STR("");
	struct json_writer w;

	if (!work->is_end && work->cursor.len)
		token = arena_printf(op->mem, "%lld.%.*s", (long long)work->total,
		                     STR_ARG(work->cursor));
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "tasks");
	jw_raw(&w, arena_printf(op->mem, "[%.*s]", STR_ARG(buf_str(&work->rows))));
	JW_KSTR(&w, "nextPageToken", token);
	JW_KINT(&w, "pageSize", work->wanted);
	JW_KINT(&w, "totalSize", work->total);
	jw_obj_end(&w);
	a2a_op_reply(op, buf_str(&out));
}

static void add_task(struct a2a_op *op, const struct a2a_task *t)
{
	struct list_work *work = op->work;
	struct a2a_task_shown shown = {
		.without_artifacts = !op->in->include_artifacts,
		.history = op->in->has_history_length ? op->in->history_length : 0,
	};
	struct json_writer w;

	if (work->rows.len)
		buf_add_char(&work->rows, ',');
	jw_init(&w, &work->rows);
	a2a_task_write(&w, t, &shown);
}

/* ---- folding each task of the page ---- */

static void fold_next(struct a2a_op *op);

static void on_folded(struct a2a_op *op)
{
	if (op->task.is_found) /* else it was removed meanwhile */
		add_task(op, &op->task);
	a2a_op_unfollow(op);
	fold_next(op);
}

static void fold_next(struct a2a_op *op)
{
	struct list_work *work = op->work;
	struct str session_id, task_id;

	if (work->folded == (size_t)work->found ||
	    !a2a_id_read(work->ids[work->folded++], &session_id, &task_id)) {
		reply_list(op);
		return;
	}
	a2a_op_follow(op, session_id, task_id, A2A_WAIT_READ, on_folded);
}

static bool wants_fold(const struct a2a_op *op)
{
	return op->in->include_artifacts ||
	       (op->in->has_history_length && op->in->history_length > 0);
}

/* ---- rows ---- */

static void read_rows(struct a2a_op *op);

/* False: it is older than the peer wants to see, and so is everything behind it. */
static bool take_row(struct a2a_op *op, struct json row)
{
	struct list_work *work = op->work;
	struct a2a_task t;
	int64_t at = 0;
	bool is_new = true;

	a2a_task_init(&t, json_str(JSON_GET(row, "sessionId")), json_str(JSON_GET(row, "taskId")),
	              STR(""));
	if (a2a_task_read_row(&t, row) && (!work->state || work->state == t.state)) {
		if (op->in->status_after_ms && clock_time_read(t.at, &at))
			is_new = at >= op->in->status_after_ms;
		if (is_new && work->is_counting) {
			work->total++;
		} else if (is_new) {
			if (wants_fold(op))
				work->ids[work->found] =
					a2a_id_make(op->mem, t.session_id, t.task_id);
			else
				add_task(op, &t);
			work->found++;
		}
	}
	a2a_task_done(&t);
	return is_new;
}

/* The rows of one call are used up before the next: its cursor is behind the last of them. */
static void on_rows(struct a2a_op *op, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct list_work *work = op->work;
	struct json reply, row;
	struct json_iter it;
	struct str key, next;

	if (a->code == ERROR_CODE_SESSION_NOT_FOUND) {
		reply_list(op); /* a context without tasks */
		return;
	}
	if (a->code || json_read_trusted(mem, a->body, &reply, NULL) != OK) {
		if (a->code == ERROR_CODE_EXPIRED_CURSOR)
			a2a_op_fail_field(op, "pageToken", STR("It is not one of this runtime"));
		else
			a2a_op_fail_answer(op, a);
		return;
	}
	it = json_iter(JSON_GET(reply, "tasks"));
	while (!work->is_end && json_next(&it, &key, &row))
		work->is_end = !take_row(op, row);
	next = json_str(JSON_GET(reply, "nextCursor"));
	work->cursor = arena_keep(op->mem, next);
	work->is_end |= !next.len;
	if (work->is_counting && (work->is_end || work->total >= LIMIT_A2A_COUNT)) {
		work->is_counting = work->is_end = false;
		work->total = MIN(work->total, LIMIT_A2A_COUNT);
		work->cursor = STR_NONE;
	} else if (!work->is_counting && (work->is_end || work->found == work->wanted)) {
		if (wants_fold(op))
			fold_next(op);
		else
			reply_list(op);
		return;
	}
	read_rows(op);
}

static void read_rows(struct a2a_op *op)
{
	struct list_work *work = op->work;
	struct str status = a2a_state_status(work->state);
	struct json_writer w;

	buf_clear(&op->params);
	jw_init(&w, &op->params);
	jw_obj(&w);
	JW_KOPT(&w, "sessionId", work->session_id);
	JW_KOPT(&w, "threadId", work->thread_id);
	JW_KOPT(&w, "status", status);
	JW_KOPT(&w, "cursor", work->cursor);
	JW_KINT(&w, "limit", work->is_counting ? COUNT_ROWS : work->wanted - work->found);
	jw_obj_end(&w);
	a2a_op_call(op, "list_tasks", STR_NONE, on_rows);
}

void a2a_list_begin(struct a2a_op *op)
{
	struct list_work *work = ARENA_NEW(op->mem, struct list_work);

	op->work = work;
	op->drop = drop_work;
	work->is_counting = true;
	work->wanted = op->in->page_size ? op->in->page_size : PAGE_DEFAULT;
	if (wants_fold(op))
		work->wanted = MIN(work->wanted, PAGE_FOLDED);
	work->ids = arena_alloc(op->mem, (size_t)work->wanted * sizeof *work->ids);
	if (str_is(op->in->status) && !str_eq(op->in->status, STR("TASK_STATE_UNSPECIFIED"))) {
		work->state = a2a_state_read(op->in->status);
		if (!work->state) {
			a2a_op_fail_field(op, "status", STR("There is no such state"));
			return;
		}
	}
	if (!read_token(work, op->in->page_token)) {
		a2a_op_fail_field(op, "pageToken", STR("It is not one of this runtime"));
		return;
	}
	if (str_is(op->in->context_id) &&
	    !a2a_id_read(op->in->context_id, &work->session_id, &work->thread_id)) {
		work->is_counting = false;
		work->is_end = true;
		reply_list(op);
		return;
	}
	read_rows(op);
}
