/*
 * Reads that the engine answers: from the folded world, or from the store's
 * rows.  They append nothing (GAP-52), and they wait like everything else
 * until what they show is durable.
 */
#include "core/session.h"
#include "core/view.h"
#include "engine/cursor.h"
#include "engine/internal.h"

/* ---- writing a reply ---- */

struct reply {
	struct request *r;
	struct buf out;
	struct json_writer w;
};

static void reply_begin(struct reply *p, struct request *r)
{
	*p = (struct reply){ .r = r };
	jw_init(&p->w, &p->out);
}

static void reply_end(struct reply *p)
{
	p->r->reply = arena_keep(p->r->mem, buf_str(&p->out));
	buf_done(&p->out);
	request_wait(p->r);
}

/* False: it is less, and the request has been answered so. */
static bool check_least(struct request *r, const char *name, bool is_given, int64_t value,
                        int64_t least)
{
	if (!is_given || value >= least)
		return true;
	request_fail(r, ERROR_CODE_INVALID_VALUE, "%s: at least %lld", name, (long long)least);
	request_answer(r);
	return false;
}

/* ---- from one world ---- */

static struct st_thread *thread_arg(struct request *r, struct str thread_id)
{
	return str_is(thread_id) ? world_thread(r->session->world, thread_id) :
	                           world_main_thread(r->session->world);
}

static void no_thread(struct request *r)
{
	request_fail(r, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
	request_wait(r);
}

static void get_session(struct request *r, const struct cmd_get_session *c)
{
	struct view_want want = { .window = c->has_window ? c->window : 0,
		                  .sections = c->sections.count ? &c->sections : NULL };
	struct reply p;

	if (!check_least(r, "window", c->has_window, c->window, 1))
		return;
	want.ack_count = channel_acks(r, r->session->id, &want.acks);
	reply_begin(&p, r);
	view_session_with(&p.w, r->session->world, policy_setup(r->session, r->mem, true), &want);
	reply_end(&p);
}

static void get_thread_read(struct request *r, const struct cmd_get_thread_read *c)
{
	struct st_thread *th = thread_arg(r, c->thread_id);
	struct view_want want = { .window = c->has_window ? c->window : 0 };
	struct reply p;

	if (!check_least(r, "window", c->has_window, c->window, 1))
		return;
	if (!th) {
		no_thread(r);
		return;
	}
	want.ack_count = channel_acks(r, r->session->id, &want.acks);
	reply_begin(&p, r);
	view_thread_with(&p.w, r->session->world, policy_setup(r->session, r->mem, false), th, &want);
	reply_end(&p);
}

static void explain_thread(struct request *r, const struct cmd_explain_thread *c)
{
	struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th) {
		no_thread(r);
		return;
	}
	reply_begin(&p, r);
	view_why(&p.w, r->session->world, th);
	reply_end(&p);
}

static void get_tool_inventory(struct request *r, const struct cmd_get_tool_inventory *c)
{
	struct reply p;

	if (str_is(c->thread_id) && !world_thread(r->session->world, c->thread_id)) {
		no_thread(r);
		return;
	}
	reply_begin(&p, r);
	view_inventory(&p.w, r->session->world, policy_setup(r->session, r->mem, true), c->thread_id,
	               c->mode);
	reply_end(&p);
}

static void get_environment(struct request *r, const struct cmd_get_execution_environment *c)
{
	struct reply p;

	if (str_is(c->thread_id) && !world_thread(r->session->world, c->thread_id)) {
		no_thread(r);
		return;
	}
	if (str_is(c->turn_id) && !world_turn(r->session->world, c->turn_id, NULL)) {
		request_fail(r, ERROR_CODE_TURN_NOT_FOUND, "%.*s is not a turn at hand",
		             STR_ARG(c->turn_id));
		request_answer(r);
		return;
	}
	cage_look(r->engine);
	reply_begin(&p, r);
	view_environment(&p.w, r->session->world, &r->engine->setup);
	reply_end(&p);
}

/* Those that need nothing but the session. */
static void get_summary(struct request *r)
{
	const struct world *world = r->session->world;
	struct reply p;

	reply_begin(&p, r);
	switch (r->command.command) {
	case COMMAND_GET_PERMISSION_SANDBOX_SUMMARY:
		cage_look(r->engine);
		view_permission(&p.w, world, &r->engine->setup);
		break;
	case COMMAND_GET_ARTIFACT_CHECKPOINT_SUMMARY:
		view_artifacts(&p.w, world);
		break;
	case COMMAND_GET_ROUTING_LIMIT_SUMMARY:
		view_routing(&p.w, world, &r->engine->setup);
		break;
	default:
		view_subagents_and_jobs(&p.w, world);
		break;
	}
	reply_end(&p);
}

static void get_context_boundary(struct request *r, const struct cmd_get_context_boundary *c)
{
	struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th) {
		no_thread(r);
		return;
	}
	reply_begin(&p, r);
	view_context(&p.w, r->session->world, th);
	reply_end(&p);
}

static void list_threads(struct request *r, const struct cmd_list_threads *c)
{
	const struct st_session *s = r->session->world->s;
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "threads");
	jw_arr(&p.w);
	for (uint32_t i = 0; i < s->threads.count; i++) {
		const struct st_thread *th = s->threads.items[i];

		if ((!c->kind || th->kind == c->kind) &&
		    (!c->status || view_thread_status(th) == c->status))
			view_thread_row(&p.w, th);
	}
	jw_arr_end(&p.w);
	JW_KINT(&p.w, "sequence", s->sequence);
	jw_obj_end(&p.w);
	reply_end(&p);
}

static void list_grants(struct request *r, const struct cmd_list_grants *c)
{
	struct clock *clock = r->engine->ports.clock;
	struct reply p;

	reply_begin(&p, r);
	view_grants(&p.w, r->session ? r->session->world : r->engine->shared, c->scope, clock->ops->wall_ms(clock));
	reply_end(&p);
}

static void list_rules(struct request *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct reply p;

	reply_begin(&p, r);
	view_rules(&p.w, r->session ? r->session->world : r->engine->shared, &r->engine->setup, mem);
	reply_end(&p);
}

static void list_queue(struct request *r, const struct cmd_list_queue *c)
{
	struct st_thread *th = thread_arg(r, c->thread_id);
	struct reply p;

	if (!th) {
		no_thread(r);
		return;
	}
	reply_begin(&p, r);
	view_queue_snapshot(&p.w, r->session->world, &r->engine->setup, th);
	reply_end(&p);
}

/* ---- from the rows ---- */

bool read_goes_on(struct store_read *read, struct str cursor)
{
	return !str_is(cursor) || cursor_read(cursor, &read->from_at, &read->from_key);
}

uint32_t page_size(bool has_limit, int64_t limit)
{
	return has_limit ? (uint32_t)MIN(limit, LIMIT_LIST_ROWS) : LIMIT_LIST_ROWS_DEFAULT;
}

/* False: the limit or the cursor is not one, and the request has been answered so. */
static bool ask_index(struct request *r, enum index_table table, bool has_limit, int64_t limit,
                      struct str cursor, void (*done)(struct store_read *))
{
	r->read = (struct store_read){ .kind = READ_INDEX, .table = table, .newest_first = true,
		                       .max_rows = page_size(has_limit, limit), .done = done,
		                       .owner = r };
	if (!check_least(r, "limit", has_limit, limit, 1))
		return false;
	if (read_goes_on(&r->read, cursor))
		return true;
	request_fail(r, ERROR_CODE_EXPIRED_CURSOR, "cursor: not one that this runtime gave out");
	request_answer(r);
	return false;
}

static void send_index(struct request *r)
{
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

bool index_failed(struct store_read *read)
{
	struct request *r = read->owner;

	if (read->result == OK || read->result == ERR_NOT_FOUND)
		return false;
	request_fail(r, ERROR_CODE_STORE_FAILED, "%s", read->error.message);
	store_read_done(read);
	request_answer(r);
	return true;
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
	r->reply = arena_keep(r->mem, buf_str(&p->out));
	buf_done(&p->out);
	store_read_done(read);
	request_answer(r);
}

static bool is_system(struct str session_id)
{
	return str_starts(session_id, STR("sess_system")) ||
	       str_starts(session_id, STR("sess_node_"));
}

static void sessions_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_list_sessions *c = r->args;
	struct reply p;

	if (index_failed(read))
		return;
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "sessions");
	jw_arr(&p.w);
	for (size_t i = 0; i < read->row_count; i++) {
		struct json body;

		if (!str_is(read->rows[i].body) || (is_system(read->rows[i].key) && !c->system))
			continue;
		if (c->has_archived && json_read_own(r->mem, read->rows[i].body, &body, NULL) == OK &&
		    json_bool(JSON_GET(body, "archived"), false) != c->archived)
			continue;
		jw_raw(&p.w, read->rows[i].body);
	}
	end_rows(&p, read);
}

static void list_sessions(struct request *r, const struct cmd_list_sessions *c)
{
	if (!ask_index(r, INDEX_SESSION, c->has_limit, c->limit, c->cursor, sessions_found))
		return;
	if (c->status)
		r->read.status = thread_status_word(c->status);
	r->read.parent = c->workspace_id;
	send_index(r);
}

static void actions_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct reply p;

	if (index_failed(read))
		return;
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "actions");
	jw_arr(&p.w);
	for (size_t i = 0; i < read->row_count; i++) {
		struct st_action *a = ARENA_NEW(r->mem, struct st_action);
		struct json body;

		if (json_read_own(r->mem, read->rows[i].body, &body, NULL) == OK &&
		    rec_read(r->mem, body, &st_action_desc, REC_OWN, a, NULL) == OK)
			view_action(&p.w, a, read->rows[i].session);
	}
	end_rows(&p, read);
}

static void list_actions(struct request *r, const struct cmd_list_actions *c)
{
	if (!ask_index(r, INDEX_ACTION, c->has_limit, c->limit, c->cursor, actions_found))
		return;
	r->read.newest_first = false; /* who waits longest stands first */
	r->read.session = c->session_id;
	r->read.parent = c->thread_id;
	r->read.status = action_status_word(c->status ? c->status : ACTION_STATUS_PENDING);
	send_index(r);
}

static void answered_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_respond_action *c = r->args;
	struct outcome d = { .mem = r->mem };
	struct st_action a = { 0 };
	struct json body;

	if (index_failed(read))
		return;
	if (read->row_count && str_eq(read->rows[0].session, c->session_id) &&
	    json_read_own(r->mem, read->rows[0].body, &body, NULL) == OK &&
	    rec_read(r->mem, body, &st_action_desc, REC_OWN, &a, NULL) == OK &&
	    !action_is_pending(&a)) {
		action_refuse_late(&d, &a);
		r->code = d.refusal;
		r->detail = d.detail;
		r->extra = d.extra;
	}
	store_read_done(read);
	request_answer(r);
}

void refuse_answer(struct request *r)
{
	const struct cmd_respond_action *c = r->args;

	if (!ask_index(r, INDEX_ACTION, false, 0, STR_NONE, answered_found))
		return;
	r->read.key = c->action_id;
	send_index(r);
}

/* Rows of tasks hold the state record; it is shown as a task of a world of one. */
static bool is_wanted(const struct cmd_list_tasks *c, const struct rec_task *t)
{
	bool is_shown = c->visibility ? t->visibility == c->visibility :
	                                t->visibility != VISIBILITY_HIDDEN;

	return is_shown &&
	       (!str_is(c->parent_task_id) || str_eq(c->parent_task_id, t->parent_task_id));
}

/* False: it is not one that was asked for. */
static bool write_task(struct request *r, struct json_writer *w, const struct index_found *row)
{
	struct st_task *t = ARENA_NEW(r->mem, struct st_task);
	struct world alone = { .mem = r->mem, .s = ARENA_NEW(r->mem, struct st_session) };
	struct json body;

	if (json_read_own(r->mem, row->body, &body, NULL) != OK ||
	    rec_read(r->mem, body, &st_task_desc, REC_OWN, t, NULL) != OK)
		return false;
	if (r->command.command == COMMAND_LIST_TASKS && !is_wanted(r->args, t->record))
		return false;
	alone.s->session_id = arena_keep(r->mem, row->session);
	view_task(w, &alone, t);
	return true;
}

/*
 * A filter that the rows' columns do not have is applied here, so one page
 * of the answer may take several of the table.
 */
struct task_page {
	struct buf rows; /* the objects so far, with commas */
	uint32_t found, wanted;
	struct str next;
};

static void task_page_done(struct request *r, struct task_page *page)
{
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "tasks");
	jw_raw(&p.w, arena_printf(r->mem, "[%.*s]", STR_ARG(buf_str(&page->rows))));
	if (r->session && r->session->state == SESSION_LIVE) {
		JW_KEY(&p.w, "summary");
		view_task_summary(&p.w, r->session->world);
	}
	JW_KOPT(&p.w, "nextCursor", page->next);
	jw_obj_end(&p.w);
	r->reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	buf_done(&page->rows);
	request_answer(r);
}

static void tasks_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct task_page *page = r->scratch;
	bool more = read->more;
	size_t at;

	if (read->result != OK && read->result != ERR_NOT_FOUND)
		buf_done(&page->rows);
	if (index_failed(read))
		return;
	for (at = 0; at < read->row_count && page->found < page->wanted; at++) {
		struct buf one = { 0 };
		struct json_writer w;

		jw_init(&w, &one);
		if (write_task(r, &w, &read->rows[at])) {
			if (page->found++)
				buf_add_char(&page->rows, ',');
			buf_add_str(&page->rows, buf_str(&one));
		}
		buf_done(&one);
	}
	if ((more || at < read->row_count) && at > 0) {
		const struct index_found *last = &read->rows[at - 1];

		page->next = cursor_text(r->mem, last->at, last->key);
		read->from_at = last->at;
		r->read.from_key = arena_keep(r->mem, last->key);
	} else {
		page->next = STR_NONE;
	}
	store_read_done(read);
	if (!str_is(page->next) || page->found == page->wanted) {
		task_page_done(r, page);
		return;
	}
	send_index(r);
}

static void list_tasks(struct request *r, const struct cmd_list_tasks *c)
{
	struct task_page *page = ARENA_NEW(r->mem, struct task_page);

	if (!ask_index(r, INDEX_TASK, c->has_limit, c->limit, c->cursor, tasks_found))
		return;
	page->wanted = r->read.max_rows;
	r->scratch = page;
	r->read.session = c->session_id;
	r->read.parent = c->thread_id;
	if (c->status)
		r->read.status = task_status_word(c->status);
	r->session = str_is(c->session_id) ? session_find(r->engine, c->session_id) : NULL;
	r->read.max_rows = LIMIT_LIST_ROWS;
	send_index(r);
}

static void end_task(struct reply *p)
{
	struct request *r = p->r;

	JW_KINT(&p->w, "sequence", r->session ? r->session->world->s->sequence : 0);
	jw_obj_end(&p->w);
	reply_end(p);
}

static void task_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_get_task *c = r->args;
	struct reply p;

	if (index_failed(read))
		return;
	if (!read->row_count || !str_eq(read->rows[0].session, c->session_id)) {
		request_fail(r, ERROR_CODE_TASK_NOT_FOUND, "%.*s is not a task of this session",
		             STR_ARG(c->task_id));
		store_read_done(read);
		request_answer(r);
		return;
	}
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "task");
	write_task(r, &p.w, &read->rows[0]);
	store_read_done(read);
	end_task(&p);
}

/* From the world as long as it is there, else from its row. */
static void get_task(struct request *r, const struct cmd_get_task *c)
{
	const struct world *world = r->session->world;
	const struct st_task *t = world_task(world, c->task_id);
	struct reply p;

	if (t) {
		reply_begin(&p, r);
		jw_obj(&p.w);
		JW_KEY(&p.w, "task");
		view_task(&p.w, world, t);
		JW_KEY(&p.w, "graph");
		view_task_tree(&p.w, world, t);
		JW_KEY(&p.w, "why");
		view_task_why(&p.w, world, t);
		end_task(&p);
		return;
	}
	if (!ask_index(r, INDEX_TASK, false, 0, STR_NONE, task_found))
		return;
	r->read.key = c->task_id;
	send_index(r);
}

/* ---- channels: of one session, or of all that are live ---- */

static void write_channels(struct request *r, struct json_writer *w, const struct session *s)
{
	const struct cmd_list_channels *c = r->args;
	struct view_want want = { 0 };

	if (s->state != SESSION_LIVE)
		return;
	want.ack_count = channel_acks(r, s->id, &want.acks);
	for (uint32_t i = 0; i < s->world->s->channels.count; i++) {
		const struct st_channel *ch = s->world->s->channels.items[i];

		if (!c->peer_role || ch->record->peer_role == c->peer_role)
			view_channel(w, ch, &want);
	}
}

static void list_channels(struct request *r)
{
	struct map_slot *slot;
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "channels");
	jw_arr(&p.w);
	if (r->session)
		write_channels(r, &p.w, r->session);
	for (size_t i = 0; !r->session && map_next(&r->engine->sessions, &i, &slot);)
		write_channels(r, &p.w, slot->value);
	jw_arr_end(&p.w);
	jw_obj_end(&p.w);
	reply_end(&p);
}

/* ---- events ---- */

static bool type_bits(struct request *r, const struct list_str *types, uint64_t bits[4])
{
	for (uint32_t i = 0; i < types->count; i++) {
		uint32_t type = enum_read(&enum_event_type, types->items[i]);

		if (str_ends(types->items[i], STR(".*"))) {
			struct str family = str_head(types->items[i], types->items[i].len - 1);

			for (uint32_t t = 1; t < EV_COUNT; t++)
				if (str_starts(event_type_word((enum event_type)t), family)) {
					bits[t / 64] |= 1ull << (t % 64);
					type = t;
				}
		}
		if (!type) {
			request_fail(r, ERROR_CODE_INVALID_VALUE, "types: '%.*s' is not an event class",
			             STR_ARG(types->items[i]));
			request_answer(r);
			return false;
		}
		bits[type / 64] |= 1ull << (type % 64);
	}
	return true;
}

static void events_found(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_list_events *c = r->args;
	struct reply p;

	if (read->result == OK && str_is(c->session_id) && !read->head_seq) {
		request_fail(r, ERROR_CODE_SESSION_NOT_FOUND, "there is no session %.*s",
		             STR_ARG(c->session_id));
		store_read_done(read);
		request_answer(r);
		return;
	}
	if (index_failed(read))
		return;
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "events");
	jw_arr(&p.w);
	for (size_t i = 0; i < read->event_count; i++) {
		struct str body = bytes_str(read->events[i].body);

		if (event_has(body, "threadId", c->thread_id) && event_has(body, "turnId", c->turn_id))
			jw_raw(&p.w, body);
	}
	jw_arr_end(&p.w);
	if (str_is(c->session_id))
		JW_KINT(&p.w, "lastSequence", (int64_t)read->scanned);
	JW_KBOOL(&p.w, "more", read->more);
	if (str_is(c->session_id) && read->floor_seq > read->after) {
		JW_KEY(&p.w, "gap");
		jw_obj(&p.w);
		JW_KINT(&p.w, "from", (int64_t)read->after + 1);
		JW_KINT(&p.w, "to", (int64_t)read->floor_seq);
		JW_KSTR(&p.w, "recoveryMode", recovery_mode_word(RECOVERY_MODE_RETENTION));
		jw_obj_end(&p.w);
	}
	JW_KSTR(&p.w, "nextCursor", cursor_position_text(r->mem, read->scanned));
	jw_obj_end(&p.w);
	r->reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	store_read_done(read);
	request_answer(r);
}

static void list_events(struct request *r, const struct cmd_list_events *c)
{
	uint64_t *bits = ARENA_ARRAY(r->mem, uint64_t, 4);
	uint64_t after = c->has_after ? (uint64_t)c->after : 0;

	if (!check_least(r, "limit", c->has_limit, c->limit, 1) ||
	    !check_least(r, "after", c->has_after, c->after, 0) || !type_bits(r, &c->types, bits))
		return;
	if (str_is(c->cursor) && !cursor_read_position(c->cursor, &after)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR, "cursor: not one that this runtime gave out");
		request_answer(r);
		return;
	}
	r->read = (struct store_read){
		.kind = str_is(c->session_id) ? READ_EVENTS : READ_ALL,
		.session = c->session_id,
		.after = after,
		.max_rows = c->has_limit ? page_size(true, c->limit) : LIMIT_LIST_ROWS,
		.types = c->types.count ? bits : NULL,
		.done = events_found,
		.owner = r,
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* ---- capabilities ---- */

static struct str state_of(enum event_type type)
{
	return event_classes[type].is_built ? STR("built") : STR("unavailable");
}

static void write_states(struct json_writer *w, bool commands)
{
	jw_obj(w);
	for (int i = 1; commands && i < COMMAND_COUNT; i++)
		jw_kstr(w, command_classes[i].name,
		        command_classes[i].is_built ? STR("built") : STR("unavailable"));
	for (int i = 1; !commands && i < EV_COUNT; i++)
		jw_kstr(w, event_classes[i].name, state_of((enum event_type)i));
	jw_obj_end(w);
}

static void write_model(struct json_writer *w, const struct setup_model *m, int64_t now)
{
	const struct setup_price *p = price_at(m, now);

	jw_obj(w);
	JW_KSTR(w, "provider", m->provider);
	JW_KSTR(w, "model", m->model);
	JW_KBOOL(w, "hasCredential", m->has_credential);
	JW_KBOOL(w, "priced", p != NULL);
	if (p) {
		JW_KEY(w, "inputPerMTok");
		jw_nano(w, p->input);
		JW_KEY(w, "outputPerMTok");
		jw_nano(w, p->output);
	}
	if (m->capabilities.len) {
		JW_KEY(w, "capabilities");
		jw_raw(w, m->capabilities);
	}
	if (m->window_tokens > 0)
		JW_KINT(w, "windowTokens", m->window_tokens);
	if (m->max_output_tokens > 0)
		JW_KINT(w, "maxOutputTokens", m->max_output_tokens);
	jw_obj_end(w);
}

/* Unknown until the first decision: asking starts whoever builds cages. */
static void write_cage(struct json_writer *w, const struct engine *e)
{
	const struct rec_sandbox_profile *cage = e->environment->sandbox_profile;
	bool is_there = cage->mode != SANDBOX_MODE_UNAVAILABLE;

	JW_KEY(w, "sandbox");
	jw_obj(w);
	JW_KSTR(w, "status", !e->has_looked ? STR("unknown") :
	                     is_there       ? STR("available") :
	                                      STR("unavailable"));
	if (e->has_looked) {
		JW_KSTR(w, "mode", sandbox_mode_word(cage->mode));
		JW_KSTR(w, "tier", cage->tier);
	}
	jw_obj_end(w);
}

static void get_capabilities(struct request *r)
{
	const struct engine *e = r->engine;
	struct reply p;
	struct json_writer *w = &p.w;

	reply_begin(&p, r);
	jw_obj(w);
	JW_KSTR(w, "name", STR("thole"));
	JW_KSTR(w, "version", STR(THOLE_VERSION));
	JW_KSTR(w, "runtimeId", e->runtime_id);
	JW_KSTR(w, "schemaVersion", SCHEMA_VERSION);
	JW_KSTR(w, "specVersion", STR("0.4.0"));
	JW_KEY(w, "layers");
	jw_obj(w);
	JW_KSTR(w, "core", STR("partial"));
	JW_KSTR(w, "limeProfile", STR("partial"));
	jw_obj_end(w);
	JW_KEY(w, "commands");
	write_states(w, true);
	JW_KEY(w, "events");
	write_states(w, false);
	JW_KEY(w, "views");
	jw_arr(w);
	for (size_t i = 0; i < view_class_count; i++)
		if (view_classes[i].is_built)
			jw_str(w, view_classes[i].name);
	jw_arr_end(w);
	JW_KEY(w, "transports");
	jw_arr(w);
	jw_str(w, STR("http_json"));
	jw_str(w, STR("sse"));
	jw_str(w, STR("json_rpc"));
	jw_str(w, STR("stdio"));
	jw_str(w, STR("websocket"));
	jw_str(w, STR("in_process"));
	jw_arr_end(w);
	write_cage(w, e);
	JW_KEY(w, "providers");
	jw_arr(w);
	for (size_t i = 0; i < e->setup.model_count; i++)
		write_model(w, &e->setup.models[i], e->ports.clock->ops->wall_ms(e->ports.clock));
	jw_arr_end(w);
	JW_KEY(w, "settings");
	jw_obj(w);
	JW_KSTR(w, "durability", durability_mode_word(e->settings.durability));
	JW_KINT(w, "deltaWindowMs", e->settings.delta_window_ms);
	JW_KSTR(w, "permissionMode", permission_mode_word(e->setup.mode));
	JW_KBOOL(w, "interactive", e->setup.is_interactive);
	jw_obj_end(w);
	JW_KEY(w, "limits");
	jw_obj(w);
	JW_KINT(w, "bodyBytes", LIMIT_BODY_BYTES);
	JW_KINT(w, "eventBytes", LIMIT_EVENT_BYTES);
	JW_KINT(w, "queueLength", LIMIT_QUEUE_LENGTH);
	JW_KINT(w, "pageRows", LIMIT_PAGE_ROWS);
	jw_obj_end(w);
	JW_KEY(w, "sections");
	jw_obj(w);
	JW_KSTR(w, "subagents", state_of(EV_SUBAGENT_SPAWNED));
	JW_KSTR(w, "jobs", state_of(EV_JOB_CREATED));
	JW_KSTR(w, "benchmark", state_of(EV_BENCHMARK_TRIAL_STARTED));
	JW_KSTR(w, "evidence", state_of(EV_EVIDENCE_CHANGED));
	JW_KSTR(w, "telemetry", e->setup.tracing ? STR("built") : STR("unavailable"));
	jw_obj_end(w);
	jw_obj_end(w);
	reply_end(&p);
}

bool read_command(struct request *r)
{
	switch (r->command.command) {
	case COMMAND_GET_CAPABILITIES:
		get_capabilities(r);
		return true;
	case COMMAND_LIST_MODELS:
		list_models(r, r->args);
		return true;
	case COMMAND_LIST_HOOKS:
		list_hooks(r);
		return true;
	case COMMAND_TRUST_HOOKS:
		trust_hooks(r, r->args);
		return true;
	case COMMAND_LIST_TOOL_SERVERS:
		list_tool_servers(r);
		return true;
	case COMMAND_TRUST_TOOL_SERVER:
		trust_tool_server(r, r->args);
		return true;
	case COMMAND_GET_SESSION:
		get_session(r, r->args);
		return true;
	case COMMAND_GET_THREAD_READ:
		get_thread_read(r, r->args);
		return true;
	case COMMAND_EXPLAIN_THREAD:
		explain_thread(r, r->args);
		return true;
	case COMMAND_GET_TOOL_INVENTORY:
		get_tool_inventory(r, r->args);
		return true;
	case COMMAND_GET_EXECUTION_ENVIRONMENT:
		get_environment(r, r->args);
		return true;
	case COMMAND_GET_PERMISSION_SANDBOX_SUMMARY:
	case COMMAND_GET_ARTIFACT_CHECKPOINT_SUMMARY:
	case COMMAND_GET_ROUTING_LIMIT_SUMMARY:
	case COMMAND_GET_SUBAGENT_JOB_SUMMARY:
		get_summary(r);
		return true;
	case COMMAND_GET_CONTEXT_BOUNDARY:
		get_context_boundary(r, r->args);
		return true;
	case COMMAND_LIST_THREADS:
		list_threads(r, r->args);
		return true;
	case COMMAND_LIST_GRANTS:
		list_grants(r, r->args);
		return true;
	case COMMAND_LIST_RULES:
		list_rules(r);
		return true;
	case COMMAND_LIST_QUEUE:
		list_queue(r, r->args);
		return true;
	case COMMAND_LIST_SESSIONS:
		list_sessions(r, r->args);
		return true;
	case COMMAND_LIST_ACTIONS:
		list_actions(r, r->args);
		return true;
	case COMMAND_LIST_TASKS:
		list_tasks(r, r->args);
		return true;
	case COMMAND_LIST_SUBAGENTS:
		list_subagents(r, r->args);
		return true;
	case COMMAND_WAIT_SUBAGENTS:
		wait_subagents(r, r->args);
		return true;
	case COMMAND_GET_JOB:
		get_job(r, r->args);
		return true;
	case COMMAND_LIST_JOBS:
		list_jobs(r, r->args);
		return true;
	case COMMAND_LIST_SCHEDULES:
		list_schedules(r, r->args);
		return true;
	case COMMAND_LIST_JOB_ITEMS:
		list_job_items(r, r->args);
		return true;
	case COMMAND_GET_TASK:
		get_task(r, r->args);
		return true;
	case COMMAND_LIST_PROCESSES:
		list_processes(r, r->args);
		return true;
	case COMMAND_LIST_CHANNELS:
		list_channels(r);
		return true;
	case COMMAND_ACK_EVENTS:
		channel_ack(r, r->args);
		return true;
	case COMMAND_LIST_EVENTS:
		list_events(r, r->args);
		return true;
	case COMMAND_VERIFY_LOG:
		verify_log(r, r->args);
		return true;
	case COMMAND_TRIM_LOG:
		keep_trim(r, r->args);
		return true;
	case COMMAND_ERASE_EVENT:
		keep_erase(r, r->args);
		return true;
	case COMMAND_REBUILD_SESSION:
		keep_rebuild(r, r->args);
		return true;
	case COMMAND_SUBSCRIBE_EVENTS:
	case COMMAND_UNSUBSCRIBE_EVENTS:
		/* A stream needs a connection that lasts: those who have one never come here. */
		request_fail(r, ERROR_CODE_UNAVAILABLE, "follow events with GET /v1/events, or over "
		                                        "JSON-RPC");
		request_answer(r);
		return true;
	case COMMAND_OPEN_CONSOLE:
	case COMMAND_PAIR_DEVICE:
	case COMMAND_LIST_DEVICES:
	case COMMAND_REVOKE_DEVICE:
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "the console and its devices belong to the faces; ask one of them");
		request_answer(r);
		return true;
	case COMMAND_GET_OUTPUT:
		output_read(r, r->args);
		return true;
	default:
		return false;
	}
}
