/* Helpers of every decision: emitting events, scopes, ids, blobs, refusals. */
#include "core/decision.h"

#include <stdarg.h>
#include <stdio.h>

const struct tool_info *decision_settings_tool(const struct settings *s, struct str name)
{
	for (size_t i = 0; i < s->tool_count; i++)
		if (str_eq(s->tools[i].name, name))
			return &s->tools[i];
	return NULL;
}

bool decision_settings_tool_is_for(const struct tool_info *t, struct str provider)
{
	return !str_is(t->only_for) || str_eq(t->only_for, provider);
}

bool decision_settings_tool_is_off(const struct tool_info *t, const struct list_str *servers)
{
	return str_starts(t->owner, STR("mcp:")) &&
	       rec_list_str_find(servers, str_skip(t->owner, 4)) >= 0;
}

size_t decision_settings_tools_for(const struct settings *s, struct str provider)
{
	size_t count = 0;

	for (size_t i = 0; i < s->tool_count; i++)
		count += decision_settings_tool_is_for(&s->tools[i], provider);
	return count;
}

const struct model_info *decision_settings_model(const struct settings *s, struct str provider,
                                                 struct str model)
{
	for (size_t i = 0; i < s->model_count; i++)
		if (str_eq(s->models[i].provider, provider) && str_eq(s->models[i].model, model))
			return &s->models[i];
	return NULL;
}

/* Prices are sorted by their first day: the last one that has begun applies. */
const struct model_price *decision_price_at(const struct model_info *m, int64_t now)
{
	const struct model_price *found = NULL;

	for (size_t i = 0; i < m->price_count; i++)
		if (m->prices[i].from_ms <= now)
			found = &m->prices[i];
	return found;
}

/* spec: contracts/control-plane#idempotency — the first event of a command carries its record. */
static struct rec_command_fact *command_record(struct decision *d)
{
	struct rec_command_fact *f = ARENA_NEW(d->mem, struct rec_command_fact);

	f->name = command_classes[d->call->command].name;
	f->principal = d->call->caller.principal;
	f->body_hash = d->call->body_hash;
	f->key_hash = d->call->key_hash;
	return f;
}

bool decision_is_leaving(struct decision *d)
{
	const struct ledger_view *l = d->ledger_view;
	const struct ledger_question q = { LEAVING_ACCOUNT, 1, 1, 1 };

	if (!l || !l->may_leave || !l->room || l->room(l->owner, &q) == LEDGER_HAS_ROOM)
		return false;
	d->awaits_room = true;
	return true;
}

/*
 * The first event of a command carries the command's record, for idempotency after a restart
 * (GAP-69).  The clock offset is added here, so that every decision that creates a session records
 * it.
 */
struct event *decision_emit_event(struct decision *d, enum event_type type, const void *payload)
{
	if (d->count == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 16;

		d->events = arena_grow(d->mem, d->events, d->count * sizeof *d->events,
		                       cap * sizeof *d->events);
		d->cap = cap;
	}
	struct event *ev = ARENA_NEW(d->mem, struct event);
	size_t size = event_classes[type].payload->size;
	void *copy = arena_alloc(d->mem, size);

	memcpy(copy, payload, size);
	if (type == EV_SESSION_CREATED && d->clock_offset) {
		struct ev_session_created *p = copy;

		p->clock_offset_ms = d->clock_offset;
		p->has_clock_offset_ms = true;
	}
	ev->type = type;
	ev->payload = copy;
	if (d->call && d->count == 0)
		ev->command = command_record(d);
	if (d->call)
		ev->request_id = d->call->request_id;
	d->events[d->count++] = ev;
	return ev;
}

/*
 * A later refusal replaces an earlier one; a caller that clears the refusal can emit again
 * (agent_tool.c).
 */
void decision_refuse(struct decision *d, enum error_code code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	d->refusal = code;
	d->detail = arena_keep(d->mem, str_from(text));
	d->count = 0;
	d->blob_count = 0;
}

struct str decision_new_id(struct decision *d, const char *prefix)
{
	return id_make(d->mem, d->ids, prefix);
}

void decision_keep_blob(struct decision *d, struct str ref, struct str media_type, struct str data)
{
	if (d->blob_count == d->blob_cap) {
		size_t cap = d->blob_cap ? d->blob_cap * 2 : 4;

		d->blobs = arena_grow(d->mem, d->blobs, d->blob_count * sizeof *d->blobs,
		                      cap * sizeof *d->blobs);
		d->blob_cap = cap;
	}
	d->blobs[d->blob_count++] =
		(struct new_blob){ ref, media_type, arena_keep(d->mem, data), false };
}

void decision_name_blob(struct decision *d, struct str ref)
{
	decision_keep_blob(d, ref, STR_NONE, STR_NONE);
	d->blobs[d->blob_count - 1].is_again = true;
}

struct str decision_new_blob(struct decision *d, struct str media_type, struct str data)
{
	struct str ref = decision_new_id(d, "out");

	decision_keep_blob(d, ref, media_type, data);
	return ref;
}

struct event *decision_in_thread(struct event *ev, const struct st_thread *th)
{
	ev->thread_id = th->thread_id;
	return ev;
}

struct event *decision_in_turn(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t)
{
	decision_in_thread(ev, th);
	ev->turn_id = t->turn_id;
	ev->task_id = t->task_id;
	ev->run_id = t->run_id;
	ev->attempt_id = t->attempt_id;
	ev->trace_id = t->trace_id;
	ev->span_id = t->span_id;
	return ev;
}

struct event *decision_in_call(struct event *ev, const struct st_thread *th,
                               const struct st_turn *t, const struct st_call *c)
{
	decision_in_turn(ev, th, t);
	ev->step_id = c->step_id;
	ev->tool_call_id = c->tool_call_id;
	if (str_is(c->span_id))
		ev->span_id = c->span_id;
	return ev;
}

/* The list of tools has the id of a call that does not exist. */
static struct str span_object(const struct event *ev)
{
	if (ev->hook_run)
		return ev->hook_run->hook_run_id;
	if (str_is(ev->process_id) && str_starts(event_type_word(ev->type), STR("process.")))
		return ev->process_id;
	if (str_is(ev->tool_call_id) && ev->type != EV_TOOL_CATALOG_RESOLVED)
		return ev->tool_call_id;
	return ev->model_request_id;
}

void decision_name_span(struct arena *mem, struct event *ev)
{
	struct str object = str_is(ev->trace_id) ? span_object(ev) : STR_NONE;

	if (str_is(object))
		ev->span_id = trace_context_span(mem, ev->trace_id, object);
}

/* Without a command the runtime itself acts: a step, a timer or an input. */
struct rec_actor *decision_actor(struct decision *d)
{
	struct rec_actor *a = ARENA_NEW(d->mem, struct rec_actor);

	if (!d->call) {
		a->kind = ACTOR_KIND_RUNTIME;
		return a;
	}
	a->kind = ACTOR_KIND_USER;
	a->via = d->call->caller.via;
	a->principal = d->call->caller.principal;
	a->channel_id = d->call->caller.channel_id;
	a->on_behalf_of = d->on_behalf_of;
	return a;
}

void *decision_kept(struct decision *d, const void *rec, size_t size)
{
	void *copy = arena_alloc(d->mem, size);

	memcpy(copy, rec, size);
	return copy;
}

/*
 * Allocates one item more than needed, so that items is never NULL: an empty list is written as [],
 * an absent one is left out.
 */
struct list_str decision_strings(struct decision *d, size_t count, const struct str *items)
{
	struct list_str l = { arena_alloc(d->mem, (count + 1) * sizeof *items), (uint32_t)count,
		              (uint32_t)count };

	if (count)
		memcpy(l.items, items, count * sizeof *items);
	return l;
}

void decision_add_ref(struct decision *d, struct event *ev, struct str name, struct str ref)
{
	rec_dict_put(d->mem, &ev->refs, name, ref);
}

struct str decision_workspace_of(const struct decision *d)
{
	return str_is(d->w->s->cwd) ? d->w->s->cwd : d->settings->cwd;
}
