/*
 * Ids that callers choose for new objects.  None of them may exist yet, except
 * a session or a thread that is to be used.  Of two concurrent requests with
 * the same id the second waits until the first is answered.
 */
#include "engine/engine_state.h"

/*
 * The runtime's own sessions and threads.  A caller that could create one of them would
 * write into the log that anchors and shared grants are read from.
 */
bool caller_ids_is_reserved(struct str id)
{
	return str_starts(id, STR("catalog_")) || str_starts(id, STR("sess_system")) ||
	       str_starts(id, STR("sess_node_")) || str_starts(id, STR("thr_system")) ||
	       str_starts(id, STR("thr_node_"));
}

static bool brings_id(struct request *r, struct str id, const char *kind)
{
	if (!str_is(id))
		return true;
	if (str_is(r->caller.reach) && strcmp(kind, "session") != 0 &&
	    (strcmp(kind, "thread") != 0 || r->command.command == COMMAND_FORK_THREAD)) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "the runtime chooses the id of a new %s for this token", kind);
		return false;
	}
	if (caller_ids_is_reserved(id)) {
		request_fail(r, ERROR_CODE_RESERVED_ID, "%.*s is reserved", STR_ARG(id));
		return false;
	}
	r->ids.ids[r->ids.count] = id;
	r->ids.kinds[r->ids.count++] = kind;
	return true;
}

/*
 * Notes the ids of objects that the command creates.  For session and thread the command
 * may also name an existing one; may_use() decides that when the id was looked up.
 */
bool caller_ids_take(struct request *r)
{
	if (r->command.command == COMMAND_START_BENCHMARK_TRIAL) {
		const struct cmd_start_benchmark_trial *c = r->args;

		if (!brings_id(r, c->benchmark->trial_id, "trial"))
			return false;
	}
	if (r->turn) {
		const struct cmd_submit_turn *c = r->turn;

		r->makes_session = c->create != CREATE_POLICY_NEVER;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->turn_id, "turn") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_CREATE_TASK) {
		const struct cmd_create_task *c = r->args;

		r->makes_session = c->create != CREATE_POLICY_NEVER;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->task_id, "task") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_CREATE_JOB) {
		const struct cmd_create_job *c = r->args;

		r->makes_session = true;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->job_id, "job");
	}
	if (r->command.command == COMMAND_WORK_JOB_ITEM) {
		const struct cmd_work_job_item *c = r->args;

		r->makes_session = true;
		return brings_id(r, c->session_id, "session");
	}
	if (r->command.command == COMMAND_CREATE_SCHEDULE) {
		const struct cmd_create_schedule *c = r->args;

		r->makes_session = true;
		return brings_id(r, c->session_id, "session") &&
		       brings_id(r, c->schedule_id, "schedule");
	}
	if (r->command.command == COMMAND_CREATE_SESSION) {
		const struct cmd_create_session *c = r->args;

		r->makes_session = true;
		return brings_id(r, c->session_id, "session") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_IMPORT_SESSION) {
		r->makes_session = true;
		return brings_id(r, ((const struct cmd_import_session *)r->args)->session_id,
		                 "session");
	}
	if (r->command.command == COMMAND_FORK_THREAD)
		return brings_id(r, ((const struct cmd_fork_thread *)r->args)->new_thread_id,
		                 "thread");
	return true;
}

/* ---- checking that they are free ---- */

static void release_id(struct request *r, size_t at)
{
	if (r->ids.is_held[at] && map_get(&r->engine->bringing, r->ids.ids[at]) == r)
		map_remove(&r->engine->bringing, r->ids.ids[at]);
	r->ids.is_held[at] = false;
}

/* Requests that waited for one of the ids check again. */
static void wake_behind(struct request *r)
{
	struct list woken;

	list_init(&woken);
	while (!list_is_empty(&r->ids.behind)) {
		struct list *node = r->ids.behind.next;

		list_remove(node);
		list_add(&woken, node);
	}
	while (!list_is_empty(&woken)) {
		struct request *other = LIST_ITEM(woken.next, struct request, node);

		list_remove(&other->node);
		request_continue(other);
	}
}

void caller_ids_release(struct request *r)
{
	for (size_t i = 0; i < r->ids.count; i++)
		release_id(r, i);
	wake_behind(r);
}

/* May the command use an existing id?  Sets the session of a thread. */
static bool may_use(struct request *r, struct str kind, struct str session)
{
	const char *wanted = r->ids.kinds[r->ids.at];

	if (!str_eq(kind, str_from(wanted)) ||
	    (str_is(r->session_id) && !str_eq(session, r->session_id)))
		return false;
	if (str_eq(kind, STR("session")))
		return r->command.command != COMMAND_CREATE_SESSION;
	if (!str_eq(kind, STR("thread")))
		return false;
	r->session_id = session;
	release_id(r, r->ids.at);
	wake_behind(r);
	return true;
}

/* Callers with a limited reach name what exists; foreign rows are not read (holders.h). */
static void refuse_missing(struct request *r)
{
	bool is_session = strcmp(r->ids.kinds[r->ids.at], "session") == 0;

	request_fail(r, is_session ? ERROR_CODE_SESSION_NOT_FOUND : ERROR_CODE_THREAD_NOT_FOUND,
	             "there is no %s %.*s", r->ids.kinds[r->ids.at],
	             STR_ARG(r->ids.ids[r->ids.at]));
	request_reply(r);
}

/* The row of an id tells what the id names and in which session. */
static void id_read(struct store_read *read)
{
	struct request *r = read->owner;
	bool is_taken = read->result == OK && read->row_count > 0;
	struct str kind = is_taken ? arena_keep(r->mem, read->rows[0].status) : STR_NONE;
	struct str where = is_taken ? arena_keep(r->mem, read->rows[0].session) : STR_NONE;

	if (request_read_failed(read))
		return;
	port_store_read_done(read);
	if (str_is(r->caller.reach) && !(is_taken && may_use(r, kind, where))) {
		refuse_missing(r);
		return;
	}
	if (!is_taken || may_use(r, kind, where)) {
		r->ids.at++;
		request_continue(r);
		return;
	}
	request_fail(r, ERROR_CODE_ID_CONFLICT, "%.*s names a %.*s already",
	             STR_ARG(r->ids.ids[r->ids.at]), STR_ARG(kind));
	request_reply(r);
}

/* True: another request uses the id, and this one waits for it. */
static bool waits_for_other(struct request *r, struct str id)
{
	struct request *holder = map_get(&r->engine->bringing, id);

	if (holder && holder != r) {
		/* A waiting request holds no id, so that two of them never wait for each other. */
		list_add(&holder->ids.behind, &r->node);
		r->ids.at = 0;
		caller_ids_release(r);
		return true;
	}
	map_put(&r->engine->bringing, id, r);
	r->ids.is_held[r->ids.at] = true;
	return false;
}

/*
 * One id per call; the read continues with the next.  Session ids are not held here:
 * requests for the same new session meet in the map of sessions (request.c).
 */
bool caller_ids_check(struct request *r)
{
	struct str id;

	if (r->ids.at == r->ids.count)
		return false;
	id = r->ids.ids[r->ids.at];
	if (strcmp(r->ids.kinds[r->ids.at], "session") != 0 && waits_for_other(r, id))
		return true;
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ID,
		                       .key = id,
		                       .reach = r->caller.reach,
		                       .done = id_read,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
	return true;
}
