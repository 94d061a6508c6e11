/* Works on items of jobs of other nodes; node_job.h. */
#include "engine/nodes/node_job.h"

#include "core/gen/inputs.h"
#include "core/job/job_work.h"
#include "core/session/placement.h"
#include "base/os/id.h"
#include "engine/jobs/job_items.h"
#include "engine/nodes/node_handover.h"
#include "engine/nodes/nodes.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#define LOOK_MS 1000
#define OFFERS_MAX 64
/* A node that is silent is noticed by this.  A database that is away for less costs no attempt. */
#define LEASE_MS 30000
#define BEAT_MS 5000
#define AGAIN_MS 500
#define TRIES_MAX 40
/* So many items in a row that failed here: something is wrong with this node, or with the job. */
#define FAILURES_MAX 3
/* What the id of the session in which this node works has more than that of the job's. */
#define WORK_ID_BYTES 32

/* A job of another node. */
struct help {
	struct list node;
	struct engine *engine;
	struct arena *mem;
	struct str session; /* of the job */
	struct str offer_text;
	struct st_job_offer offer;
	struct str work_session;
	struct job_items *items; /* NULL: not read yet */
	struct slot *next;       /* taken and not begun; NULL: none */
	struct list slots;
	unsigned pass;
	unsigned failures; /* in a row */
	bool is_over;      /* nothing more is taken */
	bool is_refused;   /* this node cannot run its items */
};

/* An item. */
enum slot_stage {
	SLOT_ASKS,   /* take_job_item is under way */
	SLOT_READS,  /* its text is being read */
	SLOT_BEGINS, /* work_job_item is under way, or tried again soon */
	SLOT_RUNS,
	SLOT_ENDS, /* end_job_item is under way, or tried again soon */
};

struct slot {
	struct list node;
	struct help *help;
	struct arena *mem;
	enum slot_stage stage;
	struct control_call call, beat;
	bool is_calling, is_beating;
	bool is_over; /* no one waits for its turn */
	struct clock_timer beats, again;
	struct str session; /* in which it runs */
	struct str text, item_id, turn_id;
	int64_t index, attempt;
	int64_t asked_at, lease_until; /* mono, ms */
	struct cmd_end_job_item end;
	unsigned tries;
};

static struct node_jobs *jobs_of(const struct engine *e)
{
	return &e->nodes->jobs;
}

static int64_t now_of(const struct engine *e)
{
	return e->ports.clock->ops->mono_ms(e->ports.clock);
}

static struct str worker_of(struct engine *e, struct arena *mem)
{
	struct store *st = e->ports.store;

	const struct store_node *n = st->nodes->self(st);

	return job_work_worker(mem, n->name, n->incarnation);
}

/* Does this node take new work? */
static bool may_help(const struct engine *e)
{
	return e->is_ready && !e->is_stopping && !e->has_failed && !e->is_closing && !e->is_full &&
	       !e->is_away && !e->is_throttled && !e->options.config->store_read_only &&
	       !e->settings.caps.session && !node_handover_gives(e);
}

/* ---- ends ---- */

static void forget_call(struct engine *e, struct control_call *call, bool *is_calling)
{
	if (*is_calling)
		e->control.ops->forget(&e->control, call);
	*is_calling = false;
}

/* A session in which items run stays in memory: their ends are noticed there. */
static void count_items(struct engine *e, struct str id)
{
	struct session *s = e->is_closing ? NULL : session_find(e, id);

	if (!s)
		return;
	s->items = 0;
	LIST_EACH (&jobs_of(e)->helps, node) {
		struct help *h = LIST_ITEM(node, struct help, node);

		LIST_EACH (&h->slots, at) {
			struct slot *sl = LIST_ITEM(at, struct slot, node);

			s->items += sl->stage == SLOT_RUNS && str_eq(sl->session, id);
		}
	}
}

static void slot_free(struct slot *sl)
{
	struct engine *e = sl->help->engine;
	struct clock *c = e->ports.clock;

	forget_call(e, &sl->call, &sl->is_calling);
	forget_call(e, &sl->beat, &sl->is_beating);
	c->ops->stop(c, &sl->beats);
	c->ops->stop(c, &sl->again);
	if (sl->help->next == sl)
		sl->help->next = NULL;
	jobs_of(e)->items--;
	list_remove(&sl->node);
	count_items(e, sl->session);
	arena_free(sl->mem);
}

static void help_free(struct help *h)
{
	if (h->items)
		job_items_free(h->items);
	list_remove(&h->node);
	arena_free(h->mem);
}

/* Does anyone wait for this turn?  Of one that has just been submitted only the item is known. */
static bool is_awaited(const struct session *s, const struct st_turn *t)
{
	LIST_EACH (&jobs_of(s->engine)->helps, node) {
		struct help *h = LIST_ITEM(node, struct help, node);

		LIST_EACH (&h->slots, at) {
			struct slot *sl = LIST_ITEM(at, struct slot, node);
			bool is_its = str_is(sl->turn_id)
			                      ? str_eq(sl->turn_id, t->turn_id)
			                      : sl->stage == SLOT_BEGINS &&
			                                str_eq(sl->item_id, t->job_item_id);

			if (is_its && !sl->is_over && str_eq(sl->session, s->id))
				return true;
		}
	}
	return false;
}

static struct str unawaited_turn(const struct session *s)
{
	const struct st_session *st = s->state->s;

	for (uint32_t i = 0; i < st->threads.count; i++) {
		const struct st_turn *t = state_thread_active(st->threads.items[i]);

		if (t && t->stage != TURN_STAGE_STOPPING && job_work_is_foreign(s->state, t) &&
		    !(s->engine->nodes && is_awaited(s, t)))
			return t->turn_id;
	}
	return STR_NONE;
}

static void end_unawaited(struct session *s)
{
	struct str turn_id;

	while (s->phase == SESSION_LIVE && str_is(turn_id = unawaited_turn(s))) {
		uint64_t before = s->applied;
		struct decision *d = apply_begin(s, NULL);

		input_job_work_over(d, turn_id);
		apply_end(s, d);
		if (s->applied == before)
			break;
	}
}

/* If it has left memory, its load ends them. */
static void end_in(struct engine *e, struct str id)
{
	struct session *s = session_find(e, id);

	if (e->is_stopping || e->has_failed || e->is_closing)
		return;
	if (s && s->phase == SESSION_LIVE)
		end_unawaited(s);
	else if (!s)
		load_session(session_make(e, id, false));
}

/* No one waits for what the slot does. */
static void slot_drop(struct slot *sl)
{
	struct help *h = sl->help;
	struct engine *e = h->engine;
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str session = arena_keep(mem, sl->session);
	bool has_turn = str_is(sl->turn_id);

	if (sl->stage == SLOT_BEGINS && sl->is_calling) {
		sl->is_over = true; /* there will be a turn */
		return;
	}
	slot_free(sl);
	if (has_turn)
		end_in(e, session);
}

/* ---- calls ---- */

static void send_call(struct slot *sl, struct control_call *call, enum command command,
                      const void *args, struct str principal,
                      void (*done)(struct control_call *c, const struct control_answer *a))
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct engine *e = sl->help->engine;
	const struct command_class *class = &command_classes[command];

	*call = (struct control_call){
		.caller = { .principal = principal, .via = STR("node"), .scopes = SCOPES_ALL },
		.command = class->name,
		.params = rec_text(mem, class->args, args),
		.is_own = true,
		.done = done,
		.owner = sl,
	};
	e->control.ops->call(&e->control, call);
}

/* The job or the attempt has ended, or is no more. */
static bool is_gone(enum error_code code)
{
	return code == ERROR_CODE_ALREADY_ENDED || code == ERROR_CODE_FORBIDDEN ||
	       code == ERROR_CODE_JOB_NOT_FOUND || code == ERROR_CODE_SESSION_NOT_FOUND ||
	       code == ERROR_CODE_SESSION_DELETED || code == ERROR_CODE_JOB_ITEM_NOT_FOUND;
}

static bool read_reply(struct arena *mem, struct str body, const struct rec_desc *desc, void *ret)
{
	struct json doc;

	return json_read(mem, body, &doc, NULL) == OK &&
	       rec_read(mem, doc, desc, REC_OLDER, ret, NULL) == OK;
}

/* ---- the end of an item ---- */

static void take_next(struct help *h);

static void send_end(struct slot *sl);

static void try_again(struct slot *sl, void (*fire)(struct clock_timer *t))
{
	struct clock *c = sl->help->engine->ports.clock;

	sl->again.fire = fire;
	c->ops->start(c, &sl->again, AGAIN_MS);
}

static void end_again(struct clock_timer *t)
{
	send_end(OWNER_OF(t, struct slot, again));
}

static void on_ended(struct control_call *c, const struct control_answer *a)
{
	struct slot *sl = c->owner;
	struct help *h = sl->help;
	struct engine *e = h->engine;

	sl->is_calling = false;
	/* The owner cannot be reached, or changes. */
	if (a->code && !is_gone(a->code) && ++sl->tries < TRIES_MAX && !e->is_stopping &&
	    !e->has_failed) {
		try_again(sl, end_again);
		return;
	}
	slot_free(sl);
	take_next(h);
}

/* The heartbeats go on until it is recorded. */
static void send_end(struct slot *sl)
{
	sl->is_calling = true;
	send_call(sl, &sl->call, COMMAND_END_JOB_ITEM, &sl->end, STR("runtime"), on_ended);
}

/* Both absent: it completed without a word. */
static void slot_end(struct slot *sl, const struct rec_last_error *error, struct str output_ref,
                     int64_t cost_usd)
{
	struct help *h = sl->help;

	if (h->next == sl)
		h->next = NULL;
	sl->stage = SLOT_ENDS;
	sl->tries = 0;
	count_items(h->engine, sl->session);
	h->failures = error ? h->failures + 1 : 0;
	h->is_refused |= h->failures >= FAILURES_MAX;
	sl->end = (struct cmd_end_job_item){
		.session_id = h->session,
		.job_id = h->offer.job_id,
		.job_item_id = sl->item_id,
		.worker_id = worker_of(h->engine, sl->mem),
		.attempt = sl->attempt,
		.output_ref = str_is(output_ref) ? arena_keep(sl->mem, output_ref) : STR_NONE,
		.error = error ? rec_clone(sl->mem, &rec_last_error_desc, error) : NULL,
		.cost_usd = cost_usd,
		.has_cost_usd = cost_usd != 0,
	};
	send_end(sl);
}

static void slot_fail(struct slot *sl, enum error_category category, struct str message)
{
	struct rec_last_error error = {
		.category = category, .message = message, .retryable = true, .has_retryable = true
	};

	slot_end(sl, &error, STR_NONE, 0);
}

/* A turn that was stopped because no one seemed to wait for it is no decision of a person. */
static void end_with_turn(struct slot *sl, const struct st_turn *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	if (str_eq(t->stop_cause, JOB_WORK_OVER))
		slot_fail(sl, ERROR_CATEGORY_LOST, STR("the node lost it during this attempt"));
	else
		slot_end(sl, job_run_error_of(mem, t), t->last_message_ref, t->spent_usd);
}

/* An item of this session whose turn has ended. */
static struct slot *ended_slot(const struct session *s, const struct st_turn **ret)
{
	LIST_EACH (&jobs_of(s->engine)->helps, node) {
		struct help *h = LIST_ITEM(node, struct help, node);

		LIST_EACH (&h->slots, at) {
			struct slot *sl = LIST_ITEM(at, struct slot, node);

			if (sl->stage != SLOT_RUNS || !str_eq(sl->session, s->id))
				continue;
			*ret = state_turn(s->state, sl->turn_id, NULL);
			if (*ret && turn_is_over(*ret))
				return sl;
		}
	}
	return NULL;
}

/* A call may be answered at once, and end the slot and its job. */
void node_job_durable(struct session *s)
{
	const struct st_turn *t;
	struct slot *sl;

	if (!s->engine->nodes || !jobs_of(s->engine)->items)
		return;
	while (s->phase == SESSION_LIVE && s->applied == s->durable && (sl = ended_slot(s, &t)))
		end_with_turn(sl, t);
}

/* ---- heartbeats ---- */

static void on_beaten(struct control_call *c, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct slot *sl = c->owner;
	struct reply_heartbeat_job_item reply = { 0 };

	sl->is_beating = false;
	if (is_gone(a->code)) {
		slot_drop(sl);
		return;
	}
	if (a->code || !read_reply(mem, a->body, &reply_heartbeat_job_item_desc, &reply))
		return;
	if (reply.status != JOB_STATUS_RUNNING)
		slot_drop(sl);
	else
		sl->lease_until = sl->asked_at + LEASE_MS;
}

static void send_beat(struct slot *sl)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct help *h = sl->help;
	struct cmd_heartbeat_job_item beat = { .session_id = h->session,
		                               .job_id = h->offer.job_id,
		                               .job_item_id = sl->item_id,
		                               .worker_id = worker_of(h->engine, mem),
		                               .lease_ms = LEASE_MS,
		                               .has_lease_ms = true };

	sl->asked_at = now_of(h->engine);
	sl->is_beating = true;
	send_call(sl, &sl->beat, COMMAND_HEARTBEAT_JOB_ITEM, &beat, STR("runtime"), on_beaten);
}

/* Its session was evicted, or another node has it: nothing tells how the turn ends. */
static bool has_lost_turn(const struct slot *sl)
{
	const struct session *s = session_find(sl->help->engine, sl->session);

	return sl->stage == SLOT_RUNS &&
	       (!s || (s->phase == SESSION_LIVE && !state_turn(s->state, sl->turn_id, NULL)));
}

/* A lease that has run out here has run out at the owner, or soon will. */
static void on_beat(struct clock_timer *t)
{
	struct slot *sl = OWNER_OF(t, struct slot, beats);
	struct clock *c = sl->help->engine->ports.clock;

	if (now_of(sl->help->engine) >= sl->lease_until || has_lost_turn(sl)) {
		slot_drop(sl);
		return;
	}
	c->ops->start(c, &sl->beats, BEAT_MS);
	if (!sl->is_beating)
		send_beat(sl);
}

/* ---- the beginning of an item ---- */

static void begin(struct slot *sl);

static void begin_again(struct clock_timer *t)
{
	begin(OWNER_OF(t, struct slot, again));
}

/*
 * Its id continues that of the job's session: who can reach the one can reach the other.
 */
static void new_work_session(struct help *h)
{
	struct id_source ids = clock_ids(h->engine);

	h->work_session = arena_printf(h->mem, "%.*s_%.*s", STR_ARG(h->session),
	                               STR_ARG(id_make(h->mem, &ids, "w")));
}

/* Someone has deleted the session, or another node has it, where no one would wait for the turn. */
static bool has_no_session(enum error_code code)
{
	return code == ERROR_CODE_SESSION_DELETED || code == ERROR_CODE_SESSION_MOVED ||
	       code == ERROR_CODE_NODE_UNREACHABLE;
}

/*
 * What is in the way for a moment is waited for.  What this node cannot begin at all is left to
 * others.
 */
static void begin_failed(struct slot *sl, enum error_code code)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct help *h = sl->help;
	struct engine *e = h->engine;
	struct str session = arena_keep(mem, sl->session);

	if (sl->is_over) {
		slot_free(sl);
		end_in(e, session);
		return;
	}
	if (code && error_infos[code].retryable && !has_no_session(code) &&
	    ++sl->tries < TRIES_MAX && !e->is_stopping) {
		try_again(sl, begin_again);
		return;
	}
	if (has_no_session(code))
		new_work_session(h);
	else
		h->is_refused = true;
	slot_fail(sl, ERROR_CATEGORY_UNAVAILABLE,
	          arena_printf(mem, "%.*s could not begin it: %.*s", STR_ARG(worker_of(e, mem)),
	                       STR_ARG(error_infos[code].code)));
	/* It may have begun all the same. */
	end_in(e, session);
}

static void on_begun(struct control_call *c, const struct control_answer *a)
{
	struct slot *sl = c->owner;
	struct help *h = sl->help;
	struct reply_work_job_item reply = { 0 };
	struct session *s;

	sl->is_calling = false;
	if (a->code || !read_reply(sl->mem, a->body, &reply_work_job_item_desc, &reply)) {
		begin_failed(sl, a->code);
		return;
	}
	sl->turn_id = reply.turn_id;
	sl->stage = SLOT_RUNS;
	h->next = NULL;
	if (sl->is_over) {
		slot_drop(sl);
		return;
	}
	count_items(h->engine, sl->session);
	s = session_find(h->engine, sl->session);
	take_next(h);
	if (s)
		node_job_durable(s); /* it may have ended already */
}

static void begin(struct slot *sl)
{
	struct help *h = sl->help;
	const struct st_job_offer *o = &h->offer;
	struct cmd_work_job_item args = { .session_id = sl->session,
		                          .job_id = o->job_id,
		                          .job_item_id = sl->item_id,
		                          .text = sl->text,
		                          .output_schema = o->output_schema,
		                          .cwd = o->cwd,
		                          .model = o->model,
		                          .mode = o->permission_mode };

	sl->stage = SLOT_BEGINS;
	sl->is_calling = true;
	send_call(sl, &sl->call, COMMAND_WORK_JOB_ITEM, &args,
	          str_is(o->principal) ? o->principal : STR("runtime"), on_begun);
}

static void read_text(struct help *h);

static void read_again(struct clock_timer *t)
{
	read_text(OWNER_OF(t, struct slot, again)->help);
}

static void on_text(struct slot *sl, struct str text)
{
	struct help *h = sl->help;

	if (str_is(text)) {
		sl->text = arena_keep(sl->mem, text);
		begin(sl);
		return;
	}
	if (h->items->is_unavailable && ++sl->tries < TRIES_MAX && !h->engine->is_stopping) {
		try_again(sl, read_again);
		return;
	}
	h->is_refused = true;
	slot_fail(sl, ERROR_CATEGORY_UNAVAILABLE, STR("the item cannot be read"));
}

static void read_text(struct help *h)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct slot *sl = h->next;
	struct str text = STR_NONE;

	if ((size_t)sl->index >= h->items->count || job_items_text(h->items, mem, sl->index, &text))
		on_text(sl, text);
}

/* The slot may have been dropped meanwhile, and another item taken. */
static void on_arrived(struct job_items *it, int64_t index, struct str text)
{
	struct help *h = it->owner;
	struct slot *sl = h->next;

	if (!sl || sl->stage != SLOT_READS) {
		take_next(h);
	} else if (sl->index != index) {
		read_text(h);
	} else {
		on_text(sl, text);
	}
}

/* Before the first item is taken: what cannot be read costs no attempt. */
static void on_opened(struct job_items *it, const char *why)
{
	struct help *h = it->owner;

	if (why && it->is_unavailable) {
		job_items_free(it);
		h->items = NULL; /* the next look opens them */
		return;
	}
	h->is_refused |= why != NULL;
	take_next(h);
}

static void open_items(struct help *h)
{
	h->items = job_items_new(h->engine, h->offer.input_ref);
	h->items->owner = h;
	h->items->opened = on_opened;
	h->items->arrived = on_arrived;
	job_items_open(h->items, h->offer.instruction_ref);
}

/* ---- taking ---- */

/* An attempt at the same item that this node has lost and not noticed yet. */
static void drop_earlier(const struct slot *sl)
{
	LIST_EACH_SAFE (&sl->help->slots, node, next) {
		struct slot *other = LIST_ITEM(node, struct slot, node);

		if (other != sl && str_eq(other->item_id, sl->item_id) && other->stage != SLOT_ENDS)
			slot_drop(other);
	}
}

static void on_taken(struct control_call *c, const struct control_answer *a)
{
	struct slot *sl = c->owner;
	struct help *h = sl->help;
	struct clock *clock = h->engine->ports.clock;
	struct reply_take_job_item reply = { 0 };

	sl->is_calling = false;
	if (a->code || !read_reply(sl->mem, a->body, &reply_take_job_item_desc, &reply)) {
		h->is_over |= is_gone(a->code);
		slot_free(sl);
		return;
	}
	sl->item_id = reply.job_item_id;
	sl->index = reply.index;
	sl->attempt = reply.attempt;
	sl->lease_until = sl->asked_at + LEASE_MS;
	sl->stage = SLOT_READS;
	sl->beats.fire = on_beat;
	clock->ops->start(clock, &sl->beats, BEAT_MS);
	drop_earlier(sl);
	read_text(h);
}

/* The calls of this node itself may be loading the session, to find that another one owns it. */
static bool is_owned(struct engine *e, struct str id)
{
	const struct session *s = session_find(e, id);

	return s && s->phase == SESSION_LIVE;
}

static bool may_take(const struct help *h)
{
	return h->items && h->items->is_open && !h->items->is_busy && !h->next && !h->is_over &&
	       !h->is_refused && jobs_of(h->engine)->items < JOB_WORK_ITEMS_MAX &&
	       may_help(h->engine) && !is_owned(h->engine, h->session);
}

static void take_next(struct help *h)
{
	struct cmd_take_job_item args;
	struct arena *mem;
	struct slot *sl;

	if (!may_take(h))
		return;
	mem = arena_new_small();
	sl = ARENA_NEW(mem, struct slot);
	*sl = (struct slot){ .mem = mem,
		             .help = h,
		             .stage = SLOT_ASKS,
		             .session = arena_keep(mem, h->work_session),
		             .asked_at = now_of(h->engine) };
	list_add(&h->slots, &sl->node);
	jobs_of(h->engine)->items++;
	h->next = sl;
	args = (struct cmd_take_job_item){ .session_id = h->session,
		                           .job_id = h->offer.job_id,
		                           .worker_id = worker_of(h->engine, mem),
		                           .work_session_id = sl->session,
		                           .lease_ms = LEASE_MS };
	sl->is_calling = true;
	send_call(sl, &sl->call, COMMAND_TAKE_JOB_ITEM, &args, STR("runtime"), on_taken);
}

/* ---- offers ---- */

/* Without a placement a directory is the node's own, which has the same name on another. */
static bool is_fit(const struct engine *e, const struct st_job_offer *o)
{
	return o->placement ? placement_fits(o->placement, o->cwd, e->settings.place)
	                    : !str_is(o->cwd) || str_eq(o->cwd, e->settings.cwd);
}

static struct help *find(const struct engine *e, struct str job_id)
{
	LIST_EACH (&jobs_of(e)->helps, node) {
		struct help *h = LIST_ITEM(node, struct help, node);

		if (str_eq(h->offer.job_id, job_id))
			return h;
	}
	return NULL;
}

/* Other settings need another session. */
static void take_settings(struct help *h, struct str text, const struct st_job_offer *o)
{
	h->offer_text = arena_keep(h->mem, text);
	h->is_refused = false;
	h->failures = 0;
	h->offer = *(const struct st_job_offer *)rec_clone(h->mem, &st_job_offer_desc, o);
	new_work_session(h);
}

static struct help *help_new(struct engine *e, struct str session)
{
	struct arena *mem = arena_new_small();
	struct help *h = ARENA_NEW(mem, struct help);

	*h = (struct help){ .engine = e, .mem = mem, .session = arena_keep(mem, session) };
	list_init(&h->slots);
	list_add(&jobs_of(e)->helps, &h->node);
	return h;
}

static void take_row(struct engine *e, const struct index_found *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct st_job_offer *o = ARENA_NEW(mem, struct st_job_offer);
	struct json doc;
	struct help *h;

	if (json_read_trusted(mem, row->body, &doc, NULL) != OK ||
	    rec_read(mem, doc, &st_job_offer_desc, REC_OLDER, o, NULL) != OK)
		return;
	h = find(e, o->job_id);
	if (!h && (is_owned(e, row->session) || !is_fit(e, o) ||
	           row->session.len + WORK_ID_BYTES > ID_MAX))
		return;
	if (!h)
		h = help_new(e, row->session);
	if (!str_is(h->offer_text) || !str_eq(h->offer_text, row->body))
		take_settings(h, row->body, o);
	h->pass = jobs_of(e)->pass;
	h->is_over = false;
	if (h->items)
		take_next(h);
	else
		open_items(h);
}

/* Those whose offers were not there any more; nothing else frees one. */
static void end_pass(struct engine *e)
{
	LIST_EACH_SAFE (&jobs_of(e)->helps, node, next) {
		struct help *h = LIST_ITEM(node, struct help, node);

		if (h->pass == jobs_of(e)->pass)
			continue;
		h->is_over = true;
		if (list_is_empty(&h->slots) && !(h->items && h->items->is_busy))
			help_free(h);
	}
}

static void read_page(struct engine *e);

static void on_read(struct store_read *r)
{
	struct engine *e = r->owner;
	struct node_jobs *n = jobs_of(e);
	bool is_known = r->result == OK && may_help(e);
	bool has_more = is_known && r->more && r->row_count;

	n->is_reading = false;
	for (size_t i = 0; is_known && i < r->row_count; i++)
		take_row(e, &r->rows[i]);
	if (has_more) {
		arena_reset(n->page);
		n->from_at = r->rows[r->row_count - 1].at;
		n->from_key = arena_keep(n->page, r->rows[r->row_count - 1].key);
	}
	port_store_read_done(r);
	if (has_more) {
		read_page(e);
		return;
	}
	if (is_known)
		end_pass(e);
	if (!list_is_empty(&n->helps))
		node_job_look(e);
}

static void read_page(struct engine *e)
{
	struct node_jobs *n = jobs_of(e);
	struct store *st = e->ports.store;

	n->is_reading = true;
	n->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .parent = STR("job_offers"),
		                       .open_only = true,
		                       .max_rows = OFFERS_MAX,
		                       .from_at = n->from_at,
		                       .from_key = n->from_key,
		                       .done = on_read,
		                       .owner = e };
	st->ops->read(st, &n->read);
}

static void on_due(struct clock_timer *t)
{
	struct node_jobs *n = OWNER_OF(t, struct node_jobs, timer);
	struct engine *e = OWNER_OF(n, struct nodes, jobs)->engine;

	n->is_due = false;
	if (e->is_closing || e->has_failed || e->is_stopping)
		return;
	n->pass++;
	n->from_at = 0;
	n->from_key = STR_NONE;
	read_page(e);
}

void node_job_look(struct engine *e)
{
	struct node_jobs *n = jobs_of(e);

	if (!e->ports.link || n->is_due || n->is_reading || e->is_closing || e->has_failed ||
	    e->is_stopping)
		return;
	n->is_due = true;
	n->timer.fire = on_due;
	e->ports.clock->ops->start(e->ports.clock, &n->timer, LOOK_MS);
}

/* ---- the session in which it works ---- */

/* Turns that no one waits for are not resumed, and no answer goes to them. */
void node_job_load(struct session *s, enum load_phase phase)
{
	if (s->engine->options.config->store_read_only)
		return;
	if (phase == LOAD_RECOVERED || phase == LOAD_ARRIVES)
		end_unawaited(s);
	if (phase == LOAD_DONE && s->engine->nodes) {
		count_items(s->engine, s->id);
		node_job_durable(s);
	}
}

/* ---- start and end ---- */

void node_job_init(struct engine *e)
{
	list_init(&jobs_of(e)->helps);
	jobs_of(e)->page = arena_new_small();
}

void node_job_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &jobs_of(e)->timer);
	LIST_EACH_SAFE (&jobs_of(e)->helps, node, next) {
		struct help *h = LIST_ITEM(node, struct help, node);

		LIST_EACH_SAFE (&h->slots, at, next_slot)
			slot_free(LIST_ITEM(at, struct slot, node));
		help_free(h);
	}
	arena_free(jobs_of(e)->page);
}
