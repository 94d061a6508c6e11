/* Counts each millisecond of turns once; the header has the order of what counts. */
#include "core/usage/time_use.h"

void time_use_init(struct time_use *u, struct arena *mem, struct str thread_id, size_t limit)
{
	*u = (struct time_use){ .mem = mem, .thread_id = thread_id, .limit = limit };
}

void time_use_done(struct time_use *u)
{
	map_done(&u->by_id);
}

/* ---- counting ---- */

static enum time_part part_of(const struct time_open *o)
{
	return o->models > 0      ? TIME_MODEL
	       : o->people > 0    ? TIME_PEOPLE
	       : o->tools > 0     ? TIME_TOOL
	       : o->resources > 0 ? TIME_RESOURCE
	                          : TIME_RUNTIME;
}

static void count_up_to(struct time_sum *s, int64_t now)
{
	if (s->open.turns > 0 && now > s->at)
		s->ms[part_of(&s->open)] += now - s->at;
	s->at = MAX(s->at, now);
}

/* The session has what its turns have. */
static void change(struct time_use *u, struct time_turn *t, struct time_open by)
{
	struct time_open *both[] = { &u->session.open, &t->sum.open };

	for (size_t i = 0; i < COUNT_OF(both); i++) {
		both[i]->turns += by.turns;
		both[i]->models += by.models;
		both[i]->people += by.people;
		both[i]->tools += by.tools;
		both[i]->resources += by.resources;
	}
}

static struct time_open open_of(enum time_part part, int by)
{
	return (struct time_open){ .models = part == TIME_MODEL ? by : 0,
		                   .people = part == TIME_PEOPLE ? by : 0,
		                   .tools = part == TIME_TOOL ? by : 0,
		                   .resources = part == TIME_RESOURCE ? by : 0 };
}

static void set_wait(struct time_use *u, struct time_turn *t, enum time_part part)
{
	change(u, t, open_of(t->waits, -1));
	change(u, t, open_of(part, 1));
	t->waits = part;
}

/* ---- turns ---- */

/* The memory of the oldest row that has ended, if the rows are at their limit. */
static struct time_turn *take_oldest(struct time_use *u)
{
	struct time_turn **at = &u->first, *before = NULL, *t;

	if (u->count < u->limit)
		return NULL;
	while (*at && !(*at)->ended_at) {
		before = *at;
		at = &before->next;
	}
	t = *at;
	if (!t)
		return NULL;
	*at = t->next;
	if (u->last == t)
		u->last = before;
	u->count--;
	u->omitted++;
	return t;
}

static void link_row(struct time_use *u, struct time_turn *t)
{
	if (u->last)
		u->last->next = t;
	else
		u->first = t;
	u->last = t;
	u->count++;
}

static void begin_turn(struct time_use *u, const struct event *ev)
{
	bool is_row = !str_is(u->thread_id) || str_eq(u->thread_id, ev->thread_id);
	const struct ev_turn_submitted *p = ev->payload;
	struct time_turn *t = is_row ? take_oldest(u) : NULL;

	if (!t)
		t = ARENA_NEW(u->mem, struct time_turn);
	*t = (struct time_turn){ .turn_id = arena_keep(u->mem, ev->turn_id),
		                 .thread_id = arena_keep(u->mem, ev->thread_id),
		                 .started_at = ev->timestamp,
		                 .sum.at = ev->timestamp,
		                 .waits = TIME_RUNTIME };
	map_put(&u->by_id, t->turn_id, t);
	if (is_row)
		link_row(u, t);
	change(u, t, (struct time_open){ .turns = 1 });
	if (p->status == STATUS_QUEUED)
		set_wait(u, t, TIME_RESOURCE); /* until turn.started */
}

/* Whatever is still open ends with its turn. */
static void end_turn(struct time_use *u, struct time_turn *t, int64_t now)
{
	struct time_open o = t->sum.open;

	change(u, t, (struct time_open){ -o.turns, -o.models, -o.people, -o.tools, -o.resources });
	t->ended_at = now;
	map_remove(&u->by_id, t->turn_id);
}

/* ---- events ---- */

static enum time_part wait_part(const struct ev_run_status *p)
{
	if (!p->wait)
		return TIME_RUNTIME;
	switch (p->wait->for_) {
	case WAIT_FOR_INPUT:
	case WAIT_FOR_PERMISSION:
	case WAIT_FOR_RESUME:
		return TIME_PEOPLE;
	case WAIT_FOR_CLEANUP:
		return TIME_RUNTIME;
	case WAIT_FOR_HOOK:
		return TIME_TOOL;
	default:
		return TIME_RESOURCE;
	}
}

/* What an event opens or closes. */
static struct time_open opened_by(enum event_type type)
{
	switch (type) {
	case EV_MODEL_REQUESTED:
		return open_of(TIME_MODEL, 1);
	case EV_MODEL_COMPLETED:
	case EV_MODEL_FAILED:
		return open_of(TIME_MODEL, -1);
	case EV_ACTION_REQUIRED:
		return open_of(TIME_PEOPLE, 1);
	case EV_ACTION_RESOLVED:
		return open_of(TIME_PEOPLE, -1);
	case EV_TOOL_STARTED:
	case EV_HOOK_STARTED:
		return open_of(TIME_TOOL, 1);
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
	case EV_HOOK_COMPLETED:
	case EV_HOOK_FAILED:
		return open_of(TIME_TOOL, -1);
	default:
		return (struct time_open){ 0 };
	}
}

static bool ends_wait(enum event_type type)
{
	return type == EV_TURN_STARTED || type == EV_MODEL_REQUESTED || type == EV_TOOL_STARTED ||
	       type == EV_TASK_RESUMED || type == EV_TASK_ATTEMPT_STARTED;
}

static void apply(struct time_use *u, struct time_turn *t, const struct event *ev)
{
	if (ends_wait(ev->type))
		set_wait(u, t, TIME_RUNTIME);
	if (ev->type == EV_RUN_STATUS)
		set_wait(u, t, wait_part(ev->payload));
	change(u, t, opened_by(ev->type));
	if (ev->type == EV_TURN_COMPLETED || ev->type == EV_TURN_FAILED)
		end_turn(u, t, ev->timestamp);
}

void time_use_add(struct time_use *u, const struct event *ev)
{
	struct time_turn *t = str_is(ev->turn_id) ? map_get(&u->by_id, ev->turn_id) : NULL;

	count_up_to(&u->session, ev->timestamp);
	if (!t && ev->type == EV_TURN_SUBMITTED)
		begin_turn(u, ev);
	if (!t)
		return;
	count_up_to(&t->sum, ev->timestamp);
	apply(u, t, ev);
}

/* ---- the result ---- */

void time_use_close(struct time_use *u, int64_t now)
{
	count_up_to(&u->session, now);
	/* Many may be open at the same time; the newest are shown. */
	for (; u->count > u->limit && u->first; u->count--, u->omitted++)
		u->first = u->first->next;
	for (struct time_turn *t = u->first; t; t = t->next)
		if (!t->ended_at)
			count_up_to(&t->sum, now);
}

void time_use_record(const struct time_sum *s, struct rec_time_use *ret)
{
	*ret = (struct rec_time_use){ .model_ms = s->ms[TIME_MODEL],
		                      .people_ms = s->ms[TIME_PEOPLE],
		                      .tool_ms = s->ms[TIME_TOOL],
		                      .resource_ms = s->ms[TIME_RESOURCE],
		                      .runtime_ms = s->ms[TIME_RUNTIME] };
	for (int i = 0; i < TIME_PARTS; i++)
		ret->duration_ms += s->ms[i];
}
