/*
 * Look-ups before a command can be decided: tasks that it names and that have
 * left the state are read back from their rows, and a worker that accepts any
 * task is directed to one.
 */
#include "engine/request/task_lookup.h"

#include "core/task/task.h"
#include "engine/engine_state.h"

/* ---- tasks that have left the state ---- */

static bool is_known(const struct request *r, struct str id)
{
	if (state_task(r->session->state, id))
		return true;
	for (size_t i = 0; i < r->found.looked_count; i++)
		if (str_eq(r->found.looked[i], id))
			return true;
	return false;
}

static const struct st_task *known_task(const struct request *r, struct str id)
{
	const struct st_task *t = state_task(r->session->state, id);

	for (size_t i = 0; !t && i < r->found.task_count; i++)
		if (str_eq(r->found.tasks[i]->record->task_id, id))
			t = r->found.tasks[i];
	return t;
}

/* A cancelled ancestor of a task counts also when it has left the state. */
static struct str next_above(const struct request *r, struct str id)
{
	const struct st_task *t = known_task(r, id);

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++) {
		struct str above = t->record->parent_task_id;

		if (!str_is(above) || !is_known(r, above))
			return above;
		t = known_task(r, above);
	}
	return STR_NONE;
}

/* The task that would be tried again. */
static struct str tried_again(const struct request *r)
{
	struct str thread_id = request_arg(r, "threadId");
	const struct state *w = r->session->state;
	const struct st_thread *th;
	const struct st_turn *t;

	if (r->command.command == COMMAND_RETRY_TASK)
		return request_arg(r, "taskId");
	if (r->command.command != COMMAND_RESUME_THREAD)
		return STR_NONE;
	th = str_is(thread_id) ? state_thread(w, thread_id) : state_main_thread(w);
	t = th ? state_thread_active(th) : NULL;
	return t && t->stage == TURN_STAGE_LOST ? t->task_id : STR_NONE;
}

/* The first task that the command names, or one above it, that has not been looked up. */
static struct str next_unknown(const struct request *r)
{
	static const char *const names[] = { "taskId", "fromTaskId", "toTaskId", "parentTaskId" };

	/* The id of a task to create names no task yet. */
	for (size_t i = r->command.command == COMMAND_CREATE_TASK ? 1 : 0; i < COUNT_OF(names);
	     i++) {
		struct str id = request_arg(r, names[i]);

		if (str_is(id) && !is_known(r, id))
			return id;
	}
	struct str again = tried_again(r);

	return str_is(again) ? next_above(r, again) : STR_NONE;
}

/* A task of another session is only named, and the decision refuses the command. */
static void keep_row(struct request *r, const struct index_found *row)
{
	struct st_task *t = ARENA_NEW(r->mem, struct st_task);
	struct json body;

	if (!str_eq(row->session, r->session->id)) {
		r->found.foreign = arena_keep(r->mem, row->key);
		return;
	}
	if (r->command.command == COMMAND_RETRY_JOB_ITEM) {
		struct rec_job_item *i = ARENA_NEW(r->mem, struct rec_job_item);

		if (json_read_trusted(r->mem, arena_keep(r->mem, row->body), &body, NULL) == OK &&
		    rec_read(r->mem, body, &rec_job_item_desc, REC_OLDER, i, NULL) == OK)
			r->found.item = i;
		return;
	}
	if (json_read_trusted(r->mem, arena_keep(r->mem, row->body), &body, NULL) == OK &&
	    rec_read(r->mem, body, &st_task_desc, REC_OLDER, t, NULL) == OK)
		r->found.tasks[r->found.task_count++] = t;
}

static void row_read(struct store_read *read)
{
	struct request *r = read->owner;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	if (read->row_count)
		keep_row(r, &read->rows[0]);
	port_store_read_done(read);
	request_continue(r);
}

/*
 * Reads one row at a time until next_unknown() finds no more; `looked` ends the loop for
 * tasks that do not exist.
 */
bool task_lookup_gather(struct request *r)
{
	bool is_item = r->command.command == COMMAND_RETRY_JOB_ITEM && !r->found.is_item_read;
	struct str id;

	if (!command_classes[r->command.command].mutates || !r->session)
		return false;
	id = is_item ? request_arg(r, "jobItemId") : next_unknown(r);
	if (!str_is(id))
		return false;
	/* Rows follow the log: a task that just ended has its row when that is durable. */
	if (r->session->applied > r->session->durable) {
		request_wait_durable(r);
		return true;
	}
	if (is_item)
		r->found.is_item_read = true;
	else
		r->found.looked[r->found.looked_count++] = id;
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = is_item ? INDEX_ITEM : INDEX_TASK,
		                       .key = id,
		                       .reach = r->caller.reach,
		                       .done = row_read,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
	return true;
}

/* ---- any task that waits for a worker ---- */

/* Matching tasks, best first; the command tries one after the other. */
struct candidates {
	struct str *tasks, *sessions;
	int *weights;
	size_t count, at;
};

static int weight_of(struct str priority)
{
	return str_eq(priority, STR("urgent")) ? 3
	       : str_eq(priority, STR("high")) ? 2
	       : str_eq(priority, STR("low"))  ? 0
	                                       : 1;
}

/*
 * Rows may be outdated, because they follow the log: the claim is decided against the
 * session's state and refused if the task is taken.
 */
static void add_candidate(struct request *r, struct candidates *c, const struct index_found *row)
{
	const struct cmd_claim_task *cmd = r->args;
	struct st_task *t = ARENA_NEW(r->mem, struct st_task);
	struct json body;
	size_t at;

	if (json_read_trusted(r->mem, row->body, &body, NULL) != OK ||
	    rec_read(r->mem, body, &st_task_desc, REC_OLDER, t, NULL) != OK ||
	    !task_wants_worker(t))
		return;
	if (str_is(cmd->task_kind) && !str_eq(cmd->task_kind, t->record->task_kind))
		return;
	/* Rows come oldest first; tasks of equal priority keep that order. */
	for (at = c->count; at > 0 && c->weights[at - 1] < weight_of(t->record->priority); at--) {
		c->tasks[at] = c->tasks[at - 1];
		c->sessions[at] = c->sessions[at - 1];
		c->weights[at] = c->weights[at - 1];
	}
	c->tasks[at] = arena_keep(r->mem, row->key);
	c->sessions[at] = arena_keep(r->mem, row->session);
	c->weights[at] = weight_of(t->record->priority);
	c->count++;
}

/* The command tries the next of them, or gets the empty reply. */
static void try_next(struct request *r)
{
	struct candidates *c = r->work;
	struct cmd_claim_task *cmd = r->args;

	if (c->at == c->count) {
		r->response.code = 0;
		r->response.reply = STR("{}");
		request_reply(r);
		return;
	}
	cmd->task_id = c->tasks[c->at];
	cmd->session_id = r->session_id = c->sessions[c->at++];
	r->found.looked_count = r->found.task_count = 0;
	request_restart(r);
}

static void read_waiting(struct request *r, int64_t from_at, struct str from_key);

static void waiting_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct candidates *c = ARENA_NEW(r->mem, struct candidates);

	if (request_read_failed(read))
		return;
	c->tasks = ARENA_ARRAY(r->mem, struct str, read->row_count + 1);
	c->sessions = ARENA_ARRAY(r->mem, struct str, read->row_count + 1);
	c->weights = ARENA_ARRAY(r->mem, int, read->row_count + 1);
	for (size_t i = 0; i < read->row_count; i++)
		add_candidate(r, c, &read->rows[i]);
	/* No task of this page is for this worker: the next page may have some. */
	if (!c->count && read->more && read->row_count) {
		int64_t at = read->rows[read->row_count - 1].at;
		struct str key = arena_keep(r->mem, read->rows[read->row_count - 1].key);

		port_store_read_done(read);
		read_waiting(r, at, key);
		return;
	}
	port_store_read_done(read);
	r->work = c;
	try_next(r);
}

/* Without a session in the command, tasks of all sessions are candidates. */
static void read_waiting(struct request *r, int64_t from_at, struct str from_key)
{
	const struct cmd_claim_task *cmd = r->args;

	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_TASK,
		                       .session = cmd->session_id,
		                       .status = task_status_word(TASK_STATUS_WAITING_RESOURCE),
		                       .from_at = from_at,
		                       .from_key = from_key,
		                       .reach = r->caller.reach,
		                       .done = waiting_read,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* Runs before the session is known, because the task decides the session. */
bool task_lookup_route(struct request *r)
{
	const struct cmd_claim_task *cmd = r->args;

	if (r->command.command != COMMAND_CLAIM_TASK ||
	    (str_is(cmd->session_id) && str_is(cmd->task_id)))
		return false;
	if (str_is(cmd->task_id)) {
		request_fail(r, ERROR_CODE_MISSING_FIELD,
		             "sessionId: a task is claimed in its session");
		request_reply(r);
		return true;
	}
	read_waiting(r, 0, STR_NONE);
	return true;
}

/* Another worker was faster: try the next task. */
bool task_lookup_refused(struct request *r)
{
	if (r->command.command != COMMAND_CLAIM_TASK || !r->work)
		return false;
	try_next(r);
	return true;
}
