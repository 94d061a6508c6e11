/*
 * The log: runs that begin, end, are cancelled or answered.
 *
 * A stream of all sessions reports what happens from now on; the list of open tasks has what began
 * before.  Both may name the same run, which is taken once.
 */
#include "base/gen/limits.h"
#include "base/hash/trace_context.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "peer/peer_int.h"

#define RETRY_MS 500
#define FOREIGN_MS 2000
#define PAGE 100

/* A read command under way: a page of open tasks, or one task. */
struct peer_lookup {
	struct list node;
	struct peer_set *set;
	struct control_call call;
	struct buf params;
	struct str session_id; /* of one task; absent: a page */
	struct str trace;      /* traceparent of its run; may be absent */
	bool is_blind;         /* its reply says nothing */
	struct arena *mem;
};

static void list_page(struct peer_set *s, struct str cursor);
static void read_task(struct peer_set *s, struct str session_id, struct str task_id,
                      struct json event);
static struct peer_run *run_of_task(struct peer_set *s, struct str session_id, struct str task_id);
static struct peer_lookup *lookup_new(struct peer_set *s, struct str command);
static void lookup_send(struct peer_lookup *l);
static void follow_log(struct peer_set *s);

static void on_retry(struct loop_timer *t)
{
	follow_log(OWNER_OF(t, struct peer_set, retry));
}

static void try_later(struct peer_set *s)
{
	if (!s->is_stopping)
		loop_timer_start(s->o.loop, &s->retry, RETRY_MS, on_retry);
}

/*
 * Of several nodes the one that owns a session works on its delegations.  It may be another one
 * later, so tasks of other nodes are looked at again.
 */
static bool is_ours(struct peer_set *s, struct str session_id)
{
	const struct control_ops *ops = s->control->ops;

	return !ops->owns || ops->owns(s->control, session_id);
}

static void look_again(struct peer_set *s)
{
	if (!s->is_stopping)
		loop_timer_start(s->o.loop, &s->retry, FOREIGN_MS, on_retry);
}

/* ---- reading tasks ---- */

static void lookup_free(struct peer_lookup *l)
{
	list_remove(&l->node);
	buf_done(&l->params);
	arena_free(l->mem);
	memory_free(l);
}

/* The agent was removed from the settings, so its tasks cannot continue. */
static void fail_orphan(struct peer_set *s, struct str session_id, struct json task)
{
	struct json all = JSON_GET(task, "attempts"), last;
	struct peer_lookup *l;
	struct json_writer w;
	struct str name;

	if (!json_count(all))
		return;
	last = json_at(all, json_count(all) - 1);
	name = json_str(JSON_GET(JSON_GET(last, "worker"), "ref"));
	if (json_is(JSON_GET(last, "endedAt")) || peer_state_find_agent(s, name))
		return;
	l = lookup_new(s, STR("fail_task"));
	l->is_blind = true;
	l->call.caller.scopes |= SCOPE_BIT(SCOPE_WRITE);
	jw_init(&w, &l->params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "taskId", json_str(JSON_GET(task, "taskId")));
	JW_KSTR(&w, "runId", json_str(JSON_GET(last, "runId")));
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KSTR(&w, "category", STR("environment"));
	JW_KSTR(&w, "message",
	        arena_printf(l->mem, "The setting agents.remote has no agent %.*s any more",
	                     STR_ARG(str_is(name) ? name : STR("of that name"))));
	jw_obj_end(&w);
	jw_obj_end(&w);
	lookup_send(l);
}

static void add_task(struct peer_set *s, struct str session_id, struct json task, struct str trace)
{
	struct peer_run *r;

	if (s->run_count >= LIMIT_PEER_DELEGATIONS) {
		s->has_more = true;
		return;
	}
	r = peer_run_add(s, session_id, task);
	if (!r) {
		fail_orphan(s, session_id, task);
		return;
	}
	r->trace.parent = arena_keep(r->mem, trace);
	peer_recall_start(r);
	peer_state_later(r, 0);
}

static void take_page(struct peer_set *s, struct json v)
{
	struct json_iter it = json_iter(JSON_GET(v, "tasks"));
	struct str key, cursor = json_str(JSON_GET(v, "nextCursor"));
	struct json task;

	while (json_next(&it, &key, &task)) {
		struct str session_id = json_str(JSON_GET(task, "sessionId"));
		struct str task_id = json_str(JSON_GET(task, "taskId"));

		if (is_ours(s, session_id))
			add_task(s, session_id, task, STR_NONE);
		else if (!run_of_task(s, session_id, task_id))
			read_task(s, session_id, task_id, (struct json){ 0 });
	}
	if (str_is(cursor) && !s->has_more)
		list_page(s, cursor);
}

static void on_read(struct control_call *call, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct peer_lookup *l = call->owner;
	struct peer_set *s = l->set;
	bool is_page = !str_is(l->session_id);
	struct json v;
	struct error e;

	if (l->is_blind) {
		lookup_free(l);
		return;
	}
	if (!a->code && json_read_trusted(mem, a->body, &v, &e) == OK) {
		if (is_page)
			take_page(s, v);
		else if (is_ours(s, l->session_id))
			add_task(s, l->session_id, JSON_GET(v, "task"), l->trace);
		else
			look_again(s);
	} else if (is_page) {
		try_later(s);
	}
	lookup_free(l);
}

static struct peer_lookup *lookup_new(struct peer_set *s, struct str command)
{
	struct peer_lookup *l = memory_zeroed(1, sizeof *l);

	l->set = s;
	l->mem = arena_new_small();
	list_init(&l->node);
	list_add(&s->lookups, &l->node);
	l->call = (struct control_call){ .caller = { .principal = STR("owner"),
		                                     .via = STR("a2a"),
		                                     .scopes = SCOPE_BIT(SCOPE_READ) },
		                         .command = command,
		                         .done = on_read,
		                         .owner = l };
	return l;
}

static void lookup_send(struct peer_lookup *l)
{
	l->call.params = buf_str(&l->params);
	l->set->control->ops->call(l->set->control, &l->call);
}

static void list_page(struct peer_set *s, struct str cursor)
{
	struct peer_lookup *l = lookup_new(s, STR("list_tasks"));
	struct json_writer w;

	jw_init(&w, &l->params);
	jw_obj(&w);
	JW_KSTR(&w, "worker", STR("peer"));
	JW_KBOOL(&w, "open", true);
	JW_KINT(&w, "limit", PAGE);
	JW_KOPT(&w, "cursor", cursor);
	jw_obj_end(&w);
	lookup_send(l);
}

static void read_task(struct peer_set *s, struct str session_id, struct str task_id,
                      struct json event)
{
	struct peer_lookup *l = lookup_new(s, STR("get_task"));
	struct str trace_id = json_str(JSON_GET(event, "traceId"));
	struct str span_id = json_str(JSON_GET(event, "spanId"));
	struct json_writer w;

	l->session_id = arena_keep(l->mem, session_id);
	if (str_is(trace_id) && str_is(span_id))
		l->trace = trace_context_text(l->mem, trace_id, span_id, true);
	jw_init(&w, &l->params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "taskId", task_id);
	jw_obj_end(&w);
	lookup_send(l);
}

/* ---- events ---- */

static struct peer_run *run_of_task(struct peer_set *s, struct str session_id, struct str task_id)
{
	for (size_t i = 0; i < s->count; i++)
		LIST_EACH (&s->peers[i].runs, node) {
			struct peer_run *r = LIST_ITEM(node, struct peer_run, node);

			if (str_eq(r->task_id, task_id) && str_eq(r->session_id, session_id))
				return r;
		}
	return NULL;
}

static void run_ended(struct peer_run *r)
{
	/* Its own report ends a run as well: the reply to that follows. */
	if (r->command != PEER_COMMAND_END)
		r->is_gone = true;
	peer_call_drop(r);
	if (!r->command)
		peer_state_later(r, 0);
}

static void on_task_event(struct peer_set *s, enum event_type type, struct json event)
{
	struct str session_id = json_str(JSON_GET(event, "sessionId"));
	struct str task_id = json_str(JSON_GET(event, "taskId"));
	struct peer_run *r;

	if (type == EV_TASK_ATTEMPT_STARTED) {
		if (str_eq(json_str(JSON_GET(JSON_GET(event, "worker"), "kind")), STR("peer")))
			read_task(s, session_id, task_id, event);
		return;
	}
	r = str_is(task_id) ? run_of_task(s, session_id, task_id) : NULL;
	if (!r)
		return;
	if (type == EV_ACTION_RESOLVED) {
		peer_recall_take(r, event);
	} else if (type == EV_TASK_CANCEL_REQUESTED) {
		r->is_cancelling = true;
		peer_state_hurry(r);
	} else if (type == EV_TASK_PAUSED || type == EV_TASK_RESUMED) {
		r->is_paused = type == EV_TASK_PAUSED;
		peer_state_later(r, 0);
	} else if (str_eq(r->run_id, json_str(JSON_GET(event, "runId")))) {
		run_ended(r);
	}
}

static bool on_event(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct peer_set *s = owner;
	struct json event;

	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) == OK)
		on_task_event(s, ev->type, event);
	return true;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)to;
	(void)mode;
	(void)snapshot;
}

static void on_end(void *owner, enum stream_end why)
{
	struct peer_set *s = owner;

	(void)why;
	s->sub = NULL;
	try_later(s);
}

static const struct control_sink sink = { .event = on_event, .gap = on_gap, .end = on_end };

/* ---- start and stop ---- */

static void follow_log(struct peer_set *s)
{
	static const enum event_type types[] = {
		EV_TASK_ATTEMPT_STARTED,  EV_TASK_ATTEMPT_COMPLETED, EV_TASK_ATTEMPT_FAILED,
		EV_TASK_CANCEL_REQUESTED, EV_ACTION_RESOLVED,        EV_TASK_PAUSED,
		EV_TASK_RESUMED,
	};
	struct control_health health = { 0 };
	struct control_stream ask = { .follow = true, .sink = &sink, .owner = s };

	if (s->is_stopping)
		return;
	s->control->ops->health(s->control, &health);
	if (!health.ready) {
		try_later(s);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(types); i++)
		ask.types[types[i] / 64] |= (uint64_t)1 << (types[i] % 64);
	ask.after = health.last_position;
	/* Without agents nothing new begins; what is open of removed ones ends. */
	if (!s->sub && s->count)
		s->sub = s->control->ops->subscribe(s->control, &ask);
	if (!s->sub && s->count) {
		try_later(s);
		return;
	}
	if (list_is_empty(&s->lookups))
		list_page(s, STR_NONE);
}

void peer_log_start(struct peer_set *s)
{
	s->relist = follow_log;
	follow_log(s);
}

void peer_log_stop(struct peer_set *s)
{
	loop_timer_stop(&s->retry);
	if (s->sub)
		s->control->ops->unsubscribe(s->control, s->sub);
	s->sub = NULL;
	while (!list_is_empty(&s->lookups)) {
		struct peer_lookup *l = LIST_ITEM(s->lookups.next, struct peer_lookup, node);

		s->control->ops->forget(s->control, &l->call);
		lookup_free(l);
	}
}
