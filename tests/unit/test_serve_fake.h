#ifndef TESTS_UNIT_TEST_SERVE_FAKE_H
#define TESTS_UNIT_TEST_SERVE_FAKE_H
/*
 * A control for tests of src/serve: commands answer from a table, at once or
 * when the test says so; events come from an array, like from a small log,
 * and are delivered from the loop.  It counts what it holds, so that a test
 * can see that nothing was left behind.
 */
#include "test_net_client.h"

#include "base/json.h"
#include "base/jw.h"
#include "base/memory.h"
#include "ports/clock.h"
#include "ports/control.h"

#define FAKE_EVENTS_MAX 4096

struct fake_event {
	struct control_event pub;
	struct str thread, turn;
};

struct subscription {
	struct list node;
	struct control_stream ask;
	size_t next; /* index into events */
	bool is_paused, is_caught_up;
};

struct fake_answer {
	const char *command;
	enum error_code code;
	int http;
	const char *body;
	int64_t retry_after_ms;
	bool is_replay;
};

struct fake {
	struct control control;
	struct loop_hook hook;
	struct loop *loop;
	struct arena *mem;
	const struct fake_answer *answers; /* ends with a NULL command */
	/* Asked first; true: it has filled the answer. */
	bool (*hook_answer)(struct fake *f, const struct control_call *c, struct control_answer *a);
	bool is_async; /* calls wait for fake_answer_all() */
	struct control_call *waiting[1024];
	size_t waiting_count;
	size_t calls, forgotten;
	/* of the last call */
	struct str command, params, key, principal, via, trace, channel;
	unsigned scopes;
	struct fake_event events[FAKE_EVENTS_MAX];
	size_t event_count;
	struct list subs;
	size_t sub_count, most_subs;
	size_t delivered;
	uint64_t floor; /* events of a session up to here are gone */
	struct control_channel channel_face;
	size_t channels;
	enum transport transport;
	enum disconnect_cause cause;
	struct str capability; /* the first one of the last enrolment */
	bool is_not_ready;
	uint64_t last_position;
	int64_t mono_ms;
	struct clock clock;
};

static struct fake *fake_of(struct control *c)
{
	return OWNER_OF(c, struct fake, control);
}

/* ---- commands ---- */

static void fake_answer(struct fake *f, struct control_call *call)
{
	struct control_answer a = { .http = 200, .body = STR("{}") };
	const struct fake_answer *row = f->answers;

	if (f->hook_answer && f->hook_answer(f, call, &a)) {
		call->done(call, &a);
		return;
	}
	while (row && row->command && !str_eq(call->command, str_from(row->command)))
		row++;
	if (row && row->command) {
		a.code = row->code;
		a.http = row->http;
		a.body = str_from(row->body);
		a.retry_after_ms = row->retry_after_ms;
		a.is_replay = row->is_replay;
	} else if (catalog_command_find(call->command) == COMMAND_ABSENT) {
		a.code = ERROR_CODE_UNKNOWN_COMMAND;
		a.http = 404;
		a.body = STR("{\"code\":\"unknown_command\",\"status\":404}");
	}
	if (a.code) {
		a.jsonrpc = error_infos[a.code].jsonrpc;
		a.title = error_infos[a.code].title;
	}
	call->done(call, &a);
}

static void fake_call(struct control *c, struct control_call *call)
{
	struct fake *f = fake_of(c);

	f->calls++;
	f->command = arena_keep(f->mem, call->command);
	f->params = arena_keep(f->mem, call->params);
	f->key = arena_keep(f->mem, call->key);
	f->principal = arena_keep(f->mem, call->caller.principal);
	f->via = arena_keep(f->mem, call->caller.via);
	f->trace = arena_keep(f->mem, call->caller.trace.trace_id);
	f->channel = arena_keep(f->mem, call->caller.channel_id);
	f->scopes = call->caller.scopes;
	if (!f->is_async) {
		fake_answer(f, call);
		return;
	}
	CHECK(f->waiting_count < COUNT_OF(f->waiting));
	f->waiting[f->waiting_count++] = call;
}

static void fake_forget(struct control *c, struct control_call *call)
{
	struct fake *f = fake_of(c);

	for (size_t i = 0; i < f->waiting_count; i++)
		if (f->waiting[i] == call) {
			f->waiting[i] = f->waiting[--f->waiting_count];
			f->forgotten++;
			return;
		}
	t_fail(__FILE__, __LINE__, "a call is forgotten that does not wait");
}

static inline void fake_answer_one(struct fake *f)
{
	struct control_call *call = f->waiting[0];

	memmove(f->waiting, f->waiting + 1, --f->waiting_count * sizeof f->waiting[0]);
	fake_answer(f, call);
}

static inline void fake_answer_all(struct fake *f)
{
	while (f->waiting_count)
		fake_answer_one(f);
}

/* ---- events ---- */

static inline struct bytes *fake_add(struct fake *f, const char *session, uint64_t seq,
                                     enum event_type type, const char *thread, const char *turn,
                                     size_t padding)
{
	struct fake_event *e = &f->events[f->event_count];
	struct buf body = { 0 };
	struct json_writer w;

	CHECK(f->event_count < FAKE_EVENTS_MAX);
	jw_init(&w, &body);
	jw_obj(&w);
	JW_KSTR(&w, "type", event_type_word(type));
	JW_KINT(&w, "sequence", (int64_t)seq);
	JW_KSTR(&w, "sessionId", str_from(session));
	if (padding) {
		char *pad = memory_zeroed(1, padding + 1);

		memset(pad, 'x', padding);
		JW_KSTR(&w, "pad", str_from(pad));
		free(pad);
	}
	jw_obj_end(&w);
	e->pub = (struct control_event){ .body = bytes_new(buf_str(&body)),
		                         .session = str_from(session),
		                         .seq = seq,
		                         .position = f->event_count + 101,
		                         .type = type };
	e->thread = str_from(thread);
	e->turn = str_from(turn);
	buf_done(&body);
	f->event_count++;
	return e->pub.body;
}

static bool fake_wants(const struct subscription *s, const struct fake_event *e)
{
	const struct control_stream *a = &s->ask;
	bool has_types = a->types[0] || a->types[1];

	return (!str_is(a->session) || str_eq(a->session, e->pub.session)) &&
	       (str_is(a->session) ? e->pub.seq : e->pub.position) > a->after &&
	       (!has_types || (a->types[e->pub.type / 64] >> (e->pub.type % 64) & 1)) &&
	       (!str_is(a->thread) || str_eq(a->thread, e->thread)) &&
	       (!str_is(a->turn) || str_eq(a->turn, e->turn));
}

static bool fake_has_session(const struct fake *f, struct str session)
{
	for (size_t i = 0; i < f->event_count; i++)
		if (str_eq(f->events[i].pub.session, session))
			return true;
	return !str_is(session);
}

static void fake_unsubscribe(struct control *c, struct subscription *s)
{
	struct fake *f = fake_of(c);

	list_remove(&s->node);
	f->sub_count--;
	free(s);
}

static void fake_end(struct fake *f, struct subscription *s, enum stream_end why)
{
	struct control_stream a = s->ask;

	fake_unsubscribe(&f->control, s);
	a.sink->end(a.owner, why);
}

/* Some events to one reader; the subscription may be gone after. */
static void fake_deliver(struct fake *f, struct subscription *s)
{
	struct control_stream *a = &s->ask;

	if (!fake_has_session(f, a->session)) {
		fake_end(f, s, STREAM_NO_SESSION);
		return;
	}
	if (f->floor && !s->next && a->after < f->floor && str_is(a->session)) {
		a->sink->gap(a->owner, a->after, f->floor, STR("retention"), STR("{\"at\":1}"));
		a->after = f->floor;
	}
	while (s->next < f->event_count && !s->is_paused) {
		const struct fake_event *e = &f->events[s->next++];
		struct control_event ev = e->pub;

		if (!fake_wants(s, e))
			continue;
		f->delivered++;
		ev.name = event_form_word(a->form); /* any word that tells it from the class */
		/* Paused first: the sink may not unsubscribe here, but may later. */
		s->is_paused = !a->sink->event(a->owner, &ev);
	}
	if (s->is_paused)
		return;
	if (!s->is_caught_up) {
		s->is_caught_up = true;
		a->sink->caught_up(a->owner, a->after);
	}
	if (!a->follow)
		fake_end(f, s, STREAM_CAUGHT_UP);
}

static bool fake_turn(struct loop_hook *h)
{
	struct fake *f = OWNER_OF(h, struct fake, hook);

	LIST_EACH_SAFE (&f->subs, node, next) {
		struct subscription *s = LIST_ITEM(node, struct subscription, node);

		if (!s->is_paused && (!s->is_caught_up || s->next < f->event_count))
			fake_deliver(f, s);
	}
	return false;
}

static struct subscription *fake_subscribe(struct control *c, const struct control_stream *ask)
{
	struct fake *f = fake_of(c);
	struct subscription *s = memory_zeroed(1, sizeof *s);

	s->ask = *ask;
	list_init(&s->node);
	list_add(&f->subs, &s->node);
	f->sub_count++;
	f->most_subs = MAX(f->most_subs, f->sub_count);
	return s;
}

static void fake_resume(struct control *c, struct subscription *s)
{
	(void)c;
	s->is_paused = false;
}

static inline void fake_end_all(struct fake *f, enum stream_end why)
{
	while (!list_is_empty(&f->subs))
		fake_end(f, LIST_ITEM(f->subs.next, struct subscription, node), why);
}

/* ---- the rest ---- */

static void fake_health(struct control *c, struct control_health *ret)
{
	struct fake *f = fake_of(c);

	*ret = (struct control_health){
		.ready = !f->is_not_ready,
		.reason = f->is_not_ready ? STR("the store is being read") : STR_NONE,
		.live_sessions = 3,
		.commands = f->calls,
		.events = f->event_count,
		.subscriptions = f->sub_count,
		.last_commit_us = 1500,
		.last_position = f->last_position,
		.started_ms = 1700000000123,
		.runtime_id = STR("rt_1"),
		.version = STR("9.8.7"),
	};
}

/* Knows one channel, chan_old with the token "again", and makes one, chan_1. */
static struct control_channel *fake_enrol(struct control *c, const struct control_enrol *e)
{
	struct fake *f = fake_of(c);

	if (str_is(e->channel_id) &&
	    (!str_eq(e->channel_id, STR("chan_old")) || !str_eq(e->resume_token, STR("again"))))
		return NULL;
	f->channels++;
	f->transport = e->transport;
	f->capability = arena_keep(f->mem, e->capability_count ? e->capabilities[0] : STR_NONE);
	f->channel_face.id = str_is(e->channel_id) ? STR("chan_old") : STR("chan_1");
	f->channel_face.resume_token = STR("next");
	return &f->channel_face;
}

static void fake_leave(struct control *c, struct control_channel *ch, enum disconnect_cause cause)
{
	struct fake *f = fake_of(c);

	CHECK(ch == &f->channel_face && f->channels > 0);
	f->channels--;
	f->cause = cause;
}

static uint64_t fake_acked(struct control *c, const struct control_channel *ch, struct str session)
{
	return str_eq(session, STR("sess_a")) ? 2 : 0;
}

static uint64_t fake_last_place(struct control *c, struct str reach)
{
	return OWNER_OF(c, struct fake, control)->last_position;
}

static const struct control_ops fake_ops = {
	.call = fake_call,
	.forget = fake_forget,
	.subscribe = fake_subscribe,
	.resume = fake_resume,
	.unsubscribe = fake_unsubscribe,
	.health = fake_health,
	.enrol = fake_enrol,
	.leave = fake_leave,
	.acked = fake_acked,
	.last_place = fake_last_place,
};

static int64_t fake_mono(struct clock *c)
{
	return OWNER_OF(c, struct fake, clock)->mono_ms;
}

static int64_t fake_wall(struct clock *c)
{
	return 1000000000000 + fake_mono(c);
}

/* Another one each time. */
static void fake_entropy(struct clock *c, uint8_t out[16])
{
	static uint8_t count;

	(void)c;
	memset(out, ++count, 16);
}

static const struct clock_ops fake_clock = { .mono_ms = fake_mono,
	                                     .wall_ms = fake_wall,
	                                     .entropy = fake_entropy };

static inline void fake_init(struct fake *f, struct loop *l)
{
	f->control.ops = &fake_ops;
	f->clock.ops = &fake_clock;
	f->loop = l;
	f->mem = arena_new();
	list_init(&f->subs);
	loop_before_sleep(l, &f->hook, fake_turn);
}

static inline void fake_done(struct fake *f)
{
	loop_hook_stop(&f->hook);
	for (size_t i = 0; i < f->event_count; i++)
		bytes_unref(f->events[i].pub.body);
	arena_free(f->mem);
}

#endif
