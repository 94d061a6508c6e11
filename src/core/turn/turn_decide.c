/*
 * Commands on turns: submit, interrupt, resume.
 * spec: contracts/control-plane#turns
 */
#include "core/turn/turn.h"

#include "base/hash/sha256.h"
#include "base/utf8.h"
#include "core/budget/budget.h"
#include "core/channel/channel.h"
#include "core/gen/tables.h"
#include "core/session/labels.h"
#include "core/session/placement.h"
#include "core/session/session.h"
#include "core/session/trace.h"
#include "core/task/task.h"
#include "core/tool/client_tool.h"
#include "core/turn/queue.h"
#include "core/turn/turn_call.h"
#include "core/turn/turn_emit.h"

/* ---- submit ---- */

/*
 * What decide_submit_turn() collects before it emits: the place of the turn, its ids and how it is
 * delivered.
 */
struct submission {
	struct list_str labels;          /* of a new session */
	struct rec_placement *placement; /* the same */
	const struct st_thread *th;      /* NULL: created by this command */
	struct str thread_id, turn_id, task_id, run_id, attempt_id, step_id;
	struct turn_input input;
	/* of the command, else of the thread, else of the settings */
	enum delivery delivery;
	/* ACCEPTED: starts in this commit, or steers; QUEUED: waits behind another turn */
	enum status status;
	const struct st_turn *behind; /* the active turn, when there is one */
	const struct cmd_submit_turn *cmd;
	struct trace_start trace;
	int64_t first_sequence; /* of the events that this command adds to the turn */
};

static struct event *in_submission(struct event *ev, const struct submission *s)
{
	ev->thread_id = s->thread_id;
	ev->turn_id = s->turn_id;
	ev->task_id = s->task_id;
	ev->trace_id = s->trace.trace_id;
	ev->span_id = s->trace.span_id;
	return ev;
}

static struct str title_of(struct decision *d, struct str text)
{
	struct str first = str_trim(text);
	ptrdiff_t end = str_find_char(first, '\n');

	if (end > 0)
		first = str_head(first, (size_t)end);
	return utf8_preview(d->mem, first, 80);
}

/* spec: GAP-12 — every turn has an implicit task. */
static void emit_task(struct decision *d, struct submission *s)
{
	struct str title = title_of(d, s->input.text);
	struct rec_task *task = ARENA_NEW(d->mem, struct rec_task);

	s->task_id = decision_new_id(d, "task");
	*task = (struct rec_task){
		.task_id = s->task_id,
		.root_task_id = s->task_id,
		.session_id = d->session_id,
		.thread_id = s->thread_id,
		.turn_id = s->turn_id,
		.title = title,
		.objective = utf8_preview(d->mem, s->input.text, 1000),
		.task_kind = STR("chat"),
		.task_family = STR("turn"),
		.visibility = VISIBILITY_INTERNAL,
		.status = TASK_STATUS_DRAFT,
		.priority = STR("normal"),
		.requested_by = decision_actor(d),
		.owner = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME,
		              .runtime_id = d->settings->runtime_id),
		.created_at = d->now,
	};
	task->acceptance.items = ARENA_ARRAY(d->mem, struct rec_criterion *, 1);
	struct event *ev =
		EMIT(d, TASK_CREATED, task_created, .objective = task->objective, .implicit = true);

	in_submission(ev, s);
	ev->status = STATUS_DRAFT;
	ev->task = task;
	ev = in_submission(EMIT(d, TASK_ACCEPTED, task_accepted, .accepted_by = STR("runtime")), s);
	ev->status = STATUS_ACCEPTED;
	ev->task = KEPT(d, struct rec_task, .task_id = s->task_id, .status = TASK_STATUS_ACCEPTED);
}

/* Stores the texts that came with the command; the event names them. */
/* Naming a resource approves the read, so it has to come from a caller who may approve. */
static bool needs_rule(const struct decision *d, struct str ref)
{
	return str_starts(ref, STR("mcp:")) && d->call &&
	       !(d->call->caller.scopes & 1u << SCOPE_APPROVE);
}

static void keep_context(struct decision *d, const struct cmd_submit_turn *cmd,
                         struct rec_turn_options *o)
{
	for (uint32_t i = 0; i < cmd->context.count; i++) {
		struct rec_context_ref *r =
			rec_list_add(d->mem, &o->context, &rec_context_ref_desc);
		struct sha256 hash;

		*r = *cmd->context.items[i];
		r->needs_rule = needs_rule(d, r->ref);
		r->has_needs_rule = r->needs_rule;
		if (!str_is(r->text))
			continue;
		hash = sha256_of(r->text);
		r->sha256 = sha256_hex(d->mem, &hash);
		r->bytes = (int64_t)r->text.len;
		r->has_bytes = true;
		r->output_ref = decision_new_blob(d, STR("text/plain"), r->text);
		r->text = STR_NONE;
	}
}

/*
 * The text behind an outputRef is not read here: context.resolved repeats its hash and size as the
 * caller gave them.  False after a refusal.
 */
static bool check_context(struct decision *d, const struct cmd_submit_turn *cmd)
{
	for (uint32_t i = 0; i < cmd->context.count; i++) {
		const struct rec_context_ref *r = cmd->context.items[i];
		struct sha256 hash;

		if (str_is(r->text) || !str_is(r->output_ref))
			continue;
		if (!str_is(r->sha256) || !r->has_bytes) {
			decision_refuse(d, ERROR_CODE_MISSING_FIELD,
			                "context.%u: outputRef needs sha256 and bytes of its text",
			                i);
			return false;
		}
		if (!sha256_read_hex(r->sha256, &hash) || r->bytes < 0) {
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "context.%u: sha256 is 64 hexadecimal digits, and bytes "
			                "is not negative",
			                i);
			return false;
		}
	}
	return true;
}

/* A chain of delegations that is too long is cut here, whatever the agents before intended. */
static bool check_depth(struct decision *d, const struct cmd_submit_turn *cmd)
{
	if (cmd->delegation_depth >= 0 && cmd->delegation_depth <= LIMIT_DELEGATION_DEPTH)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "delegationDepth: at most %d delegations may follow each other",
	                LIMIT_DELEGATION_DEPTH);
	return false;
}

/*
 * Emits turn.submitted with everything that the run will need: later steps read the folded turn and
 * never the command.  Options are a separate record, so that a plain turn stays small.
 */
static void emit_submitted(struct decision *d, struct submission *s)
{
	const struct cmd_submit_turn *cmd = s->cmd;
	bool steers = s->delivery == DELIVERY_STEER && s->status == STATUS_ACCEPTED && s->behind;
	struct ev_turn_submitted p = {
		.status = s->status,
		.source = str_is(cmd->source) ? cmd->source : d->call->caller.via,
		.kind = TURN_KIND_USER,
		.delivery = s->delivery,
		.config_ref = d->settings->config_ref,
		.rules_ref = d->settings->rules_ref,
		.merged_into = steers ? s->behind->turn_id : STR_NONE,
		.trace = s->trace.origin,
		.delegation_depth = cmd->delegation_depth,
		.has_delegation_depth = cmd->has_delegation_depth,
	};

	turn_input_submit(d, &s->input, &p);
	if (cmd->has_budget_usd || str_is(cmd->model) || str_is(cmd->output_schema) ||
	    str_is(cmd->metadata) || cmd->fallback || str_is(cmd->task_kind) ||
	    cmd->requires.count || cmd->latency || cmd->effort || cmd->context.count ||
	    cmd->tools.count || cmd->call)
		p.options = KEPT(d, struct rec_turn_options, .budget_usd = cmd->budget_usd,
		                 .has_budget_usd = cmd->has_budget_usd, .model = cmd->model,
		                 .fallback = cmd->fallback, .task_kind = cmd->task_kind,
		                 .requires = cmd->requires, .latency = cmd->latency,
		                 .effort = cmd->effort, .output_schema = cmd->output_schema,
		                 .metadata = cmd->metadata);
	for (uint32_t i = 0; i < cmd->tools.count; i++)
		*(struct rec_client_tool *)rec_list_add(
			d->mem, &p.options->tools, &rec_client_tool_desc) = *cmd->tools.items[i];
	if (cmd->call) {
		p.kind = TURN_KIND_CALL;
		p.options->call = turn_call_kept(d, cmd->call);
	}
	/*
	 * Paths are stored as context of the turn: their files are read when the run is prepared,
	 * not when it is submitted, because a queued turn may start much later.
	 */
	if (s->input.paths.count && !p.options)
		p.options = KEPT(d, struct rec_turn_options, .model = cmd->model);
	if (p.options)
		keep_context(d, cmd, p.options);
	for (uint32_t i = 0; i < s->input.paths.count; i++) {
		struct rec_context_ref *file =
			rec_list_add(d->mem, &p.options->context, &rec_context_ref_desc);

		file->kind = CONTEXT_KIND_FILE;
		file->ref = arena_printf(d->mem, "file:%.*s", STR_ARG(s->input.paths.items[i]));
	}
	struct event *ev = in_submission(decision_emit_event(d, EV_TURN_SUBMITTED, &p), s);

	ev->run_id = s->run_id;
	ev->attempt_id = s->attempt_id;
	ev->status = s->status;
	ev->channel_id = d->call ? d->call->caller.channel_id : STR_NONE;
	if (s->status == STATUS_QUEUED && s->behind)
		ev->status_reason = arena_printf(d->mem, "thread is busy with %.*s",
		                                 STR_ARG(s->behind->turn_id));
	/* A steer opens its step with the request that takes it (turn_start.c). */
	if (!steers) {
		ev->step_id = decision_new_id(d, "step");
		ev->item = turn_item(d, ev->step_id, ITEM_KIND_USER_MESSAGE, 1, STATUS_COMPLETED);
	}
	decision_add_ref(d, ev, STR("input"), p.input_ref);
	decision_add_ref(d, ev, STR("config"), d->settings->config_ref);
	if (cmd->call)
		decision_add_ref(d, ev, STR("arguments"), p.options->call->arguments_ref);
	turn_input_emit_uploads(d, &s->input, ev);
}

/* spec: GAP-34 — queued turns: each change carries the whole order. */
static void emit_queued(struct decision *d, struct submission *s, uint32_t position)
{
	struct event *ev;
	struct ev_queue_changed q = {
		.change = QUEUE_CHANGE_ADDED,
		.queued_turn_id = s->turn_id,
		.policy = queue_rules(d, s->th),
		.position = position + 1,
		.has_position = true,
	};

	for (uint32_t i = 0; i < s->th->order.count; i++)
		rec_list_str_add(d->mem, &q.order, s->th->order.items[i]);
	rec_list_str_insert(d->mem, &q.order, position, s->turn_id);
	ev = in_submission(EMIT(d, TASK_QUEUED, task_queued, .reason = STR("thread_busy"),
	                        .behind = s->behind ? s->behind->turn_id : STR_NONE,
	                        .position = position + 1, .has_position = true),
	                   s);
	ev->status = STATUS_QUEUED;
	ev->task = KEPT(d, struct rec_task, .task_id = s->task_id, .status = TASK_STATUS_QUEUED);
	ev = in_submission(decision_emit_event(d, EV_QUEUE_CHANGED, &q), s);
	ev->queue_id = queue_id(d, s->th);
}

static void emit_budget(struct decision *d, struct submission *s)
{
	struct rec_limit_value *after =
		KEPT(d, struct rec_limit_value, .cap_usd = s->cmd->budget_usd, .has_cap_usd = true);

	struct event *ev =
		EMIT(d, LIMIT_CHANGED, limit_changed, .kind = LIMIT_KIND_BUDGET,
	             .scope = LIMIT_SCOPE_TURN, .source = LIMIT_SOURCE_COMMAND, .after = after);
	/*
	 * The turn does not exist before the fold; this copy carries the only field that the limits
	 * read.
	 */
	struct st_turn capped = { .cap_usd = s->cmd->budget_usd, .has_cap_usd = true };

	in_submission(ev, s);
	ev->limit_state = budget_limit_state(d, &capped);
}

static void submit_reply(struct decision *d, const struct submission *s)
{
	struct reply_submit_turn r = {
		.session_id = d->session_id,
		.thread_id = s->thread_id,
		.turn_id = s->turn_id,
		.task_id = s->task_id,
		.run_id = s->run_id,
		.status = s->status,
		.behind = s->behind ? s->behind->turn_id : STR_NONE,
		.first_sequence = s->first_sequence,
		.has_first_sequence = true,
	};

	d->reply = rec_text(d->mem, &reply_submit_turn_desc, &r);
}

/* Labels are given when a session is created; later ones would be lost without notice. */
static bool take_labels(struct decision *d, struct submission *s)
{
	if (!labels_take(d, &s->cmd->labels, &s->labels))
		return false;
	if (!s->labels.count || !session_exists(d->w))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "labels: the session exists; update_session changes its labels");
	return false;
}

static bool take_placement(struct decision *d, struct submission *s)
{
	const struct cmd_submit_turn *cmd = s->cmd;

	if (!cmd->placement)
		return true;
	if (!session_exists(d->w))
		return placement_take(d, cmd->placement,
		                      placement_dir(d->settings->place, cmd->placement, cmd->cwd),
		                      &s->placement);
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "placement: the session exists; update_session changes where it is");
	return false;
}

static void emit_session(struct decision *d, const struct submission *s)
{
	const struct cmd_submit_turn *cmd = s->cmd;

	session_emit(d,
	             &(struct session_birth){
			     .title = str_is(cmd->title) ? cmd->title : title_of(d, s->input.text),
			     .workspace_id = cmd->workspace_id,
			     .cwd = placement_dir(d->settings->place, cmd->placement, cmd->cwd),
			     .mode = cmd->mode,
			     .labels = s->labels,
			     .placement = s->placement });
}

/* Finds the thread of the submission; false when it was refused. */
static bool find_place(struct decision *d, struct submission *s)
{
	const struct cmd_submit_turn *cmd = s->cmd;
	bool is_new = !session_exists(d->w);

	s->thread_id = cmd->thread_id;
	if (!is_new)
		s->th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id)
		                               : state_main_thread(d->w);
	if (s->th)
		s->thread_id = s->th->thread_id;
	else if (cmd->create == CREATE_POLICY_NEVER) {
		decision_refuse(
			d, is_new ? ERROR_CODE_SESSION_NOT_FOUND : ERROR_CODE_THREAD_NOT_FOUND,
			"there is no such %s, and create is never", is_new ? "session" : "thread");
		return false;
	} else if (d->w->s->threads.count >= LIMIT_THREADS_PER_SESSION) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "a session has at most %d threads",
		                LIMIT_THREADS_PER_SESSION);
		return false;
	}
	s->behind = s->th ? state_thread_active(s->th) : NULL;
	/*
	 * Guards a client against a race: its message was written for a turn that has ended
	 * meanwhile.
	 */
	if (str_is(cmd->expected_turn_id) &&
	    !(s->behind && str_eq(s->behind->turn_id, cmd->expected_turn_id))) {
		decision_refuse(d, ERROR_CODE_TURN_MISMATCH, "the active turn is %.*s, not %.*s",
		                STR_ARG(s->behind ? s->behind->turn_id : STR("none")),
		                STR_ARG(cmd->expected_turn_id));
		return false;
	}
	return true;
}

/*
 * What a busy thread does with it: queue, refuse, steer or put first.  Sets delivery and status;
 * false after a refusal.  A thread is busy while a turn is active, while others wait, and while its
 * queue is held: a new turn must not overtake waiting ones.
 */
static bool deliver_to_thread(struct decision *d, struct submission *s)
{
	bool is_busy = s->th && (s->behind || s->th->order.count || s->th->held);

	s->delivery = s->cmd->delivery;
	if (!s->delivery && s->th && s->th->on_busy)
		s->delivery = rec_enum_read(&enum_delivery, on_busy_word(s->th->on_busy));
	if (!s->delivery)
		s->delivery = d->settings->on_busy;
	s->status = STATUS_ACCEPTED;
	if (!is_busy)
		return true;
	/* A stopping or lost turn cannot take more input. */
	if (s->delivery == DELIVERY_STEER &&
	    (!s->behind || s->behind->stage == TURN_STAGE_STOPPING ||
	     s->behind->stage == TURN_STAGE_LOST))
		s->delivery = DELIVERY_QUEUE;
	if (s->delivery == DELIVERY_REJECT) {
		decision_refuse(d, ERROR_CODE_THREAD_BUSY,
		                "the thread is busy with %.*s and delivery is reject",
		                STR_ARG(s->behind ? s->behind->turn_id : STR("queued turns")));
		d->extra = s->behind ? arena_printf(d->mem,
		                                    "{\"turnId\":\"%.*s\",\"policy\":\"reject\"}",
		                                    STR_ARG(s->behind->turn_id))
		                     : STR_NONE;
		return false;
	}
	if (s->delivery != DELIVERY_STEER)
		s->status = STATUS_QUEUED;
	if (s->status == STATUS_QUEUED && s->th->order.count >= LIMIT_QUEUE_LENGTH) {
		decision_refuse(d, ERROR_CODE_QUEUE_FULL, "%u turns wait on this thread already",
		                s->th->order.count);
		return false;
	}
	return true;
}

/* A steer becomes part of a turn that has its own tools, or its own call. */
static bool may_have_tools(struct decision *d, const struct submission *s)
{
	if (s->delivery == DELIVERY_STEER && s->behind && s->behind->kind == TURN_KIND_CALL) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "delivery: the turn %.*s is one call of a tool, and no model reads "
		                "what is added",
		                STR_ARG(s->behind->turn_id));
		return false;
	}
	if ((!s->cmd->tools.count && !s->cmd->call) || s->delivery != DELIVERY_STEER || !s->behind)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "%s: not with delivery steer, which adds to the turn %.*s",
	                s->cmd->call ? "call" : "tools", STR_ARG(s->behind->turn_id));
	return false;
}

/* Takes a field of `options` where the command has no argument of that name. */
#define TAKE(field, is_given)                                                                      \
	do {                                                                                       \
		if (is_given(o->field) && !is_given(c->field))                                     \
			c->field = o->field;                                                       \
	} while (0)
#define IS_SET(x) ((x) != 0)

static bool text_differs(struct str a, struct str b)
{
	return str_is(a) && str_is(b) && !str_eq(a, b);
}

/* Compares values: the order of members and blanks make no difference. */
static bool json_differs(struct arena *mem, struct str a, struct str b)
{
	struct json x, y;

	return text_differs(a, b) &&
	       (json_read_trusted(mem, a, &x, NULL) != OK ||
	        json_read_trusted(mem, b, &y, NULL) != OK || !json_equal(x, y));
}

static bool list_differs(const struct list_str *a, const struct list_str *b)
{
	if (!a->count || !b->count)
		return false;
	for (uint32_t i = 0; a->count == b->count && i < a->count; i++)
		if (!str_eq(a->items[i], b->items[i]))
			return true;
	return a->count != b->count;
}

static bool options_differ(struct arena *mem, const struct rec_submit_options *o,
                           const struct cmd_submit_turn *cmd)
{
	return text_differs(o->model, cmd->model) || text_differs(o->task_kind, cmd->task_kind) ||
	       (o->has_budget_usd && cmd->has_budget_usd && o->budget_usd != cmd->budget_usd) ||
	       (o->fallback && cmd->fallback && o->fallback != cmd->fallback) ||
	       (o->delivery && cmd->delivery && o->delivery != cmd->delivery) ||
	       (o->latency && cmd->latency && o->latency != cmd->latency) ||
	       (o->effort && cmd->effort && o->effort != cmd->effort) ||
	       (o->has_background && cmd->has_background && o->background != cmd->background) ||
	       json_differs(mem, o->output_schema, cmd->output_schema) ||
	       json_differs(mem, o->metadata, cmd->metadata) ||
	       list_differs(&o->requires, &cmd->requires);
}

/*
 * Merges both forms of an option; contradictory ones are refused.  Clients write an option at the
 * top level or inside `options`.  Returns the command itself, a merged copy, or NULL after a
 * refusal.
 */
static const struct cmd_submit_turn *with_options(struct decision *d,
                                                  const struct cmd_submit_turn *cmd)
{
	const struct rec_submit_options *o = cmd->options;
	struct cmd_submit_turn *c;

	if (!o)
		return cmd;
	if (options_differ(d->mem, o, cmd)) {
		decision_refuse(
			d, ERROR_CODE_INVALID_VALUE,
			"options: it says something else than the argument of the same name");
		return NULL;
	}
	c = decision_kept(d, cmd, sizeof *cmd);
	TAKE(model, str_is);
	TAKE(fallback, IS_SET);
	TAKE(task_kind, str_is);
	TAKE(latency, IS_SET);
	TAKE(effort, IS_SET);
	TAKE(delivery, IS_SET);
	TAKE(output_schema, str_is);
	TAKE(metadata, str_is);
	if (!c->requires.count)
	c->requires = o->requires;
	if (o->has_budget_usd) {
		c->budget_usd = o->budget_usd;
		c->has_budget_usd = true;
	}
	if (o->has_background) {
		c->background = o->background;
		c->has_background = true;
	}
	return c;
}

/*
 * On a new thread, as a task that can be retried, paused and delegated.  The task exists before its
 * turn: task_decide_background() queues it with the ids of its first turn, which starts when a task
 * slot is free. outputSchema, context, requires and tools are refused: only turns have them, and a task
 * may need several turns.
 */
static void submit_background(struct decision *d, struct submission *s)
{
	const struct cmd_submit_turn *cmd = s->cmd;
	struct task_background b = { .cmd = cmd, .input = &s->input };
	const struct rec_task *task;
	struct task_ids ids;

	if (str_is(cmd->output_schema) || cmd->context.count || cmd->requires.count ||
	    cmd->tools.count) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "background: not with outputSchema, context, requires or tools");
		return;
	}
	if (session_exists(d->w) && str_is(cmd->thread_id) && state_thread(d->w, cmd->thread_id)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "background: the task gets a new thread, but %.*s exists",
		                STR_ARG(cmd->thread_id));
		return;
	}
	if (d->w->s->threads.count >= LIMIT_THREADS_PER_SESSION) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "a session has at most %d threads",
		                LIMIT_THREADS_PER_SESSION);
		return;
	}
	if (!session_exists(d->w)) {
		if (str_is(cmd->session_id) && cmd->create == CREATE_POLICY_NEVER) {
			decision_refuse(d, ERROR_CODE_SESSION_NOT_FOUND,
			                "there is no such session, and create is never");
			return;
		}
		emit_session(d, s);
	}
	b.thread_id = s->thread_id = session_emit_thread(d, cmd->thread_id, STR("submit_turn"));
	if (!session_exists(d->w))
		channel_bind(d);
	b.turn_id = s->turn_id = str_is(cmd->turn_id) ? cmd->turn_id : decision_new_id(d, "turn");
	s->first_sequence = d->w->s->sequence + (int64_t)d->count + 1;
	task = task_decide_background(d, &b, &ids);
	if (!task)
		return;
	s->task_id = task->task_id;
	s->run_id = ids.run_id;
	s->status = STATUS_QUEUED;
	submit_reply(d, s);
}

/*
 * The order of events is fixed by GAP-31: session, thread, task, turn.  Everything that can be
 * refused is checked before the first event is emitted.
 */
void decide_submit_turn(struct decision *d, const struct cmd_submit_turn *given)
{
	const struct cmd_submit_turn *cmd = with_options(d, given);
	struct submission s = { .cmd = cmd, .input.takes_images = cmd && !cmd->background };

	if (!cmd)
		return;

	d->on_behalf_of = cmd->on_behalf_of;
	if (!session_mode_fits(d, cmd->mode) || !take_labels(d, &s) || !take_placement(d, &s) ||
	    !check_context(d, cmd))
		return;
	if (!turn_input_read(d, cmd->input, &s.input)) {
		decision_refuse(
			d, ERROR_CODE_INVALID_INPUT, "input: %.*s",
			STR_ARG(str_is(s.input.wrong)
		                        ? s.input.wrong
		                        : STR("text, or an array of {\"type\":\"text\",\"text\":…} "
		                              "and images, files and resources "
		                              "beside it, not empty")));
		return;
	}
	if (!client_tool_info_check(d, cmd) || !check_depth(d, cmd) ||
	    !turn_call_check(d, cmd, &s.input))
		return;
	if (cmd->background) {
		submit_background(d, &s);
		return;
	}
	if (!find_place(d, &s) || !deliver_to_thread(d, &s) || !may_have_tools(d, &s))
		return;
	if (!session_exists(d->w))
		emit_session(d, &s);
	if (!s.th)
		s.thread_id = session_emit_thread(d, cmd->thread_id,
		                                  session_exists(d->w) ? STR("submit_turn")
		                                                       : STR("session.created"));
	if (!session_exists(d->w))
		channel_bind(d);
	s.turn_id = str_is(cmd->turn_id) ? cmd->turn_id : decision_new_id(d, "turn");
	trace_begin(d, s.turn_id, &s.trace);
	/*
	 * Counted after the events of session and thread: a client that follows from here sees the
	 * turn from its first event.
	 */
	s.first_sequence = d->w->s->sequence + (int64_t)d->count + 1;
	if (s.delivery == DELIVERY_STEER && s.behind) {
		/* spec: GAP-57 — a steer has no separate task. */
		s.task_id = s.behind->task_id;
		s.run_id = s.behind->run_id;
		s.attempt_id = s.behind->attempt_id;
		emit_submitted(d, &s);
		submit_reply(d, &s);
		return;
	}
	s.run_id = decision_new_id(d, "run");
	s.attempt_id = decision_new_id(d, "att");
	emit_task(d, &s);
	emit_submitted(d, &s);
	if (cmd->has_budget_usd)
		emit_budget(d, &s);
	/* An interrupting turn goes first in the queue: it starts when the active one has ended. */
	if (s.status == STATUS_QUEUED)
		emit_queued(d, &s, s.delivery == DELIVERY_INTERRUPT ? 0 : s.th->order.count);
	/* CONTINUE: otherwise the stop would hold the queue, and the new turn with it. */
	if (s.delivery == DELIVERY_INTERRUPT && s.behind)
		turn_emit_interrupt(d, s.th, s.behind, STR("submit_turn"), QUEUE_POLICY_CONTINUE);
	submit_reply(d, &s);
}

/* ---- interrupt ---- */

static void interrupt_reply(struct decision *d, const struct st_thread *th, struct str turn_id,
                            struct str status)
{
	struct reply_interrupt_turn r = {
		.session_id = d->session_id,
		.thread_id = th->thread_id,
		.turn_id = turn_id,
		.status = status,
	};

	d->reply = rec_text(d->mem, &reply_interrupt_turn_desc, &r);
}

/*
 * Idempotent: a turn that is ending or has ended is answered with no_op, because a client cannot
 * know which of two stops came first.  A steer that waits to be merged is not stopped either.
 */
void decide_interrupt_turn(struct decision *d, const struct cmd_interrupt_turn *cmd)
{
	const struct st_thread *th = NULL;
	const struct st_turn *t = NULL;

	d->on_behalf_of = cmd->on_behalf_of;
	if (str_is(cmd->turn_id)) {
		t = state_turn(d->w, cmd->turn_id, &th);
		if (!t || (str_is(cmd->thread_id) && !str_eq(cmd->thread_id, th->thread_id))) {
			decision_refuse(d, ERROR_CODE_TURN_NOT_FOUND,
			                "%.*s is not an open turn here", STR_ARG(cmd->turn_id));
			return;
		}
	} else {
		th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id)
		                            : state_main_thread(d->w);
		if (!th) {
			decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND,
			                "there is no such thread here");
			return;
		}
		t = state_thread_active(th);
	}
	if (str_is(cmd->expected_turn_id) && !(t && str_eq(t->turn_id, cmd->expected_turn_id))) {
		decision_refuse(d, ERROR_CODE_TURN_MISMATCH, "the active turn is %.*s, not %.*s",
		                STR_ARG(t ? t->turn_id : STR("none")),
		                STR_ARG(cmd->expected_turn_id));
		return;
	}
	if (!t || turn_is_over(t) || t->stage == TURN_STAGE_STOPPING ||
	    t->stage == TURN_STAGE_MERGING) {
		interrupt_reply(d, th, t ? t->turn_id : STR_NONE, STR("no_op"));
		return;
	}
	if (t->stage == TURN_STAGE_QUEUED)
		queue_drop(d, th, t, STR("interrupt_turn"));
	else
		turn_emit_interrupt(d, th, t, str_is(cmd->reason) ? cmd->reason : STR("user"),
		                    cmd->queue_policy ? cmd->queue_policy
		                                      : queue_rules(d, th)->on_interrupt);
	interrupt_reply(d, th, t->turn_id, STR("accepted"));
}

/* ---- resume ---- */

/*
 * One command ends three kinds of waits: a run that a restart interrupted, a turn that waits for a
 * cap or a model, and a held queue.  A thread that waits for none of them is answered with its
 * state, not refused.
 */
void decide_resume_thread(struct decision *d, const struct cmd_resume_thread *cmd)
{
	const struct st_thread *th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id)
	                                                    : state_main_thread(d->w);
	struct reply_resume_thread r = { .session_id = d->session_id };

	if (!th) {
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		return;
	}
	const struct st_turn *t = state_thread_active(th);

	if (str_is(cmd->turn_id) && !(t && str_eq(t->turn_id, cmd->turn_id))) {
		decision_refuse(d, ERROR_CODE_TURN_MISMATCH, "the active turn is %.*s, not %.*s",
		                STR_ARG(t ? t->turn_id : STR("none")), STR_ARG(cmd->turn_id));
		return;
	}
	/*
	 * The token names one interruption.  Without this check, a delayed retry of the command
	 * could resume a later one that its sender has not seen.
	 */
	if (str_is(cmd->resume_token) &&
	    !(t && t->stage == TURN_STAGE_LOST &&
	      str_eq(cmd->resume_token, turn_resume_token(d->mem, t)))) {
		decision_refuse(
			d, ERROR_CODE_NOT_RESUMABLE,
			"resumeToken: it names nothing that waits to be resumed on this thread");
		return;
	}
	r.thread_id = th->thread_id;
	if (t && t->stage == TURN_STAGE_LOST) {
		const struct st_task *task = state_task(d->w, t->task_id);

		/* A cancelled task above it counts for it too: it ends instead. */
		bool is_withdrawn = task && task_cancelled_above(d, task);

		if (is_withdrawn)
			turn_emit_interrupt(d, th, t, STR("a task above it was cancelled"),
			                    queue_rules(d, th)->on_interrupt);
		else
			turn_emit_resume(d, th, t, STR("resume_thread"));
		r.turn_id = t->turn_id;
		r.status = is_withdrawn ? STR("stopped") : STR("resumed");
	} else if (t && t->stage == TURN_STAGE_WAITING) {
		/* The next step tries to reserve or to route again, and may wait again. */
		budget_emit_room(d, th, t, STR("room"));
		r.turn_id = t->turn_id;
		r.status = STR("resumed");
	} else if (th->held && th->order.count) {
		struct ev_queue_changed q = { .change = QUEUE_CHANGE_RELEASED,
			                      .policy = queue_rules(d, th),
			                      .requested_by = decision_actor(d) };

		q.order = decision_strings(d, th->order.count, th->order.items);
		decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th)->queue_id =
			queue_id(d, th);
		r.status = STR("released");
	} else {
		r.turn_id = t ? t->turn_id : STR_NONE;
		r.status = t ? STR("running") : STR("nothing_to_resume");
	}
	d->reply = rec_text(d->mem, &reply_resume_thread_desc, &r);
}
