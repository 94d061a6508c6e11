#ifndef TESTS_UNIT_TEST_SCRIPTED_FIXTURE_H
#define TESTS_UNIT_TEST_SCRIPTED_FIXTURE_H
/* A script with a fake engine and a fake clock. */
#include "provider/scripted/scripted.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"
#include "lib/t.h"

#include <unistd.h>

/* ---- a clock that the test moves ---- */

struct fake_timer {
	struct list node;
	struct clock_timer *timer;
	int64_t due_ms;
};

struct fake_clock {
	struct clock port;
	int64_t now_ms;
	struct list timers; /* by due time; equal ones in the order they were started */
	size_t turns;       /* callbacks so far: each is one turn of the loop */
};

static inline int64_t fake_now(struct clock *c)
{
	return OWNER_OF(c, struct fake_clock, port)->now_ms;
}

static inline void fake_stop(struct clock *c, struct clock_timer *t)
{
	struct fake_timer *f = t->impl;

	(void)c;
	if (!f)
		return;
	list_remove(&f->node);
	free(f);
	t->impl = NULL;
}

static inline void fake_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct fake_clock *clock = OWNER_OF(c, struct fake_clock, port);
	struct fake_timer *f = memory_zeroed(1, sizeof *f);
	struct list *at = &clock->timers;

	CHECK(delay_ms >= 0);
	fake_stop(c, t);
	*f = (struct fake_timer){ .timer = t, .due_ms = clock->now_ms + delay_ms };
	while (at->prev != &clock->timers &&
	       LIST_ITEM(at->prev, struct fake_timer, node)->due_ms > f->due_ms)
		at = at->prev;
	list_add_before(at, &f->node);
	t->impl = f;
}

static const struct clock_ops fake_ops = {
	.wall_ms = fake_now, .mono_ms = fake_now, .start = fake_start, .stop = fake_stop
};

static inline void fake_init(struct fake_clock *c)
{
	*c = (struct fake_clock){ .port.ops = &fake_ops, .now_ms = 1000000 };
	list_init(&c->timers);
}

static inline bool fake_is_idle(const struct fake_clock *c)
{
	return list_is_empty(&c->timers);
}

/* One turn of the loop: the next timer, if it is due by then. */
static inline bool fake_turn(struct fake_clock *c, int64_t until_ms)
{
	if (fake_is_idle(c))
		return false;

	struct fake_timer *f = LIST_ITEM(c->timers.next, struct fake_timer, node);
	struct clock_timer *t = f->timer;

	if (f->due_ms > until_ms)
		return false;
	c->now_ms = f->due_ms;
	c->turns++;
	fake_stop(&c->port, t);
	t->fire(t);
	return true;
}

/* Lets time pass. */
static inline void fake_pass(struct fake_clock *c, int64_t ms)
{
	int64_t until_ms = c->now_ms + ms;

	while (fake_turn(c, until_ms))
		;
	c->now_ms = until_ms;
}

#define EVER ((int64_t)1 << 40)

/* Until nothing is left to happen. */
static inline void fake_run(struct fake_clock *c)
{
	while (fake_turn(c, EVER))
		;
}

/* ---- a script between a fake engine and a fake clock ---- */

struct fixture {
	struct fake_clock clock;
	struct scripted *s;
	struct provider *p;
	struct toolset *t;
	struct message messages[8];
	size_t message_count;
	struct model_request req;
};

static inline void fixture_open(struct fixture *r, struct str script)
{
	struct error e;
	struct scripted_options o = { .clock = &r->clock.port, .script_text = script };

	*r = (struct fixture){ .req = { .session_id = STR("sess_1"),
		                        .turn_id = STR("turn_1"),
		                        .turn_number = 1,
		                        .request_number = 1,
		                        .attempt = 1 } };
	fake_init(&r->clock);
	CHECK_OK(scripted_open(&o, &r->s, &e), &e);
	r->p = scripted_provider(r->s);
	r->t = scripted_tools(r->s);
}

static inline void fixture_close(struct fixture *r)
{
	if (r->p)
		r->p->ops->close(r->p);
	if (r->t)
		r->t->ops->close(r->t);
	r->p = NULL;
	r->t = NULL;
	CHECK(fake_is_idle(&r->clock));
}

static inline void fixture_says(struct fixture *r, struct message m)
{
	if (!str_is(m.turn_id))
		m.turn_id = r->req.turn_id;
	r->messages[r->message_count++] = m;
}

static inline void fixture_user(struct fixture *r, const char *text)
{
	fixture_says(r, (struct message){ .role = ROLE_USER, .text = str_from(text) });
}

static inline void fixture_result(struct fixture *r, const char *tool, const char *text,
                                  bool is_error)
{
	fixture_says(r, (struct message){ .role = ROLE_TOOL,
	                                  .text = str_from(text),
	                                  .tool_name = str_from(tool),
	                                  .is_error = is_error });
}

/* What came back of a request. */
struct response {
	struct fixture *fixture;
	struct model_handle *h;
	struct arena *mem;
	struct buf text, reasoning, args, kinds; /* kinds: t, r, a, one for each piece */
	struct buf trace;                        /* everything with its time */
	size_t pieces;
	size_t turn, this_turn, most_per_turn;
	int64_t at_ms[16]; /* of the first pieces, since the start */
	int64_t started_ms, end_ms;
	bool is_starting, is_ended;
	struct model_end end;
	/* what the engine does in the n-th piece, when n is not 0 */
	size_t cancel_in, pause_in, resume_in, close_in;
};

static inline void response_piece(void *owner, enum model_piece kind, struct str text)
{
	struct response *a = owner;
	struct provider *p = a->fixture->p;
	struct fake_clock *clock = &a->fixture->clock;
	int64_t at_ms = clock->now_ms - a->started_ms;

	CHECK(!a->is_starting && !a->is_ended && text.len);
	buf_add_str(kind == PIECE_TEXT        ? &a->text
	            : kind == PIECE_REASONING ? &a->reasoning
	                                      : &a->args,
	            text);
	buf_add_char(&a->kinds, "tra"[kind]);
	buf_printf(&a->trace, "%lld %d %.*s|", (long long)at_ms, kind, STR_ARG(text));
	if (a->pieces < COUNT_OF(a->at_ms))
		a->at_ms[a->pieces] = at_ms;
	a->pieces++;
	if (a->turn != clock->turns)
		a->this_turn = 0;
	a->turn = clock->turns;
	a->this_turn++;
	a->most_per_turn = MAX(a->most_per_turn, a->this_turn);
	if (a->pieces == a->cancel_in)
		p->ops->cancel(p, a->h);
	if (a->pieces == a->pause_in)
		p->ops->pause(p, a->h);
	if (a->pieces == a->resume_in)
		p->ops->resume(p, a->h);
	if (a->pieces == a->close_in) {
		a->fixture->p = NULL;
		p->ops->close(p);
	}
}

static inline void response_end(void *owner, const struct model_end *end)
{
	struct response *a = owner;
	struct model_call *calls;

	CHECK(!a->is_starting && !a->is_ended);
	a->is_ended = true;
	a->end_ms = a->fixture->clock.now_ms - a->started_ms;
	a->end = *end;
	a->end.native_stop = arena_keep(a->mem, end->native_stop);
	a->end.message = arena_keep(a->mem, end->message);
	a->end.raw = arena_keep(a->mem, end->raw);
	a->end.reasoning_summary = arena_keep(a->mem, end->reasoning_summary);
	calls = ARENA_ARRAY(a->mem, struct model_call, end->call_count + 1);
	for (size_t i = 0; i < end->call_count; i++)
		calls[i] = (struct model_call){
			.call_id = arena_keep(a->mem, end->calls[i].call_id),
			.name = arena_keep(a->mem, end->calls[i].name),
			.args = arena_keep(a->mem, end->calls[i].args),
		};
	a->end.calls = calls;
	buf_printf(&a->trace, "%lld end %.*s %.*s", (long long)a->end_ms,
	           STR_ARG(stop_reason_word(end->stop)), STR_ARG(end->raw));
}

static const struct model_sink response_sink = { response_piece, response_end };

static inline void response_start(struct response *a, struct fixture *r)
{
	if (!a->mem)
		a->mem = arena_new();
	a->fixture = r;
	a->started_ms = r->clock.now_ms;
	a->is_starting = true;
	r->req.messages = r->messages;
	r->req.message_count = r->message_count;
	a->h = r->p->ops->start(r->p, &r->req, &response_sink, a);
	a->is_starting = false;
}

static inline void response_done(struct response *a)
{
	buf_done(&a->text);
	buf_done(&a->reasoning);
	buf_done(&a->args);
	buf_done(&a->kinds);
	buf_done(&a->trace);
	arena_free(a->mem);
}

/* One user text, run to its end; the messages before it are forgotten. */
static inline void ask(struct response *a, struct fixture *r, const char *text)
{
	response_done(a);
	*a = (struct response){ 0 };
	r->message_count = 0;
	fixture_user(r, text);
	response_start(a, r);
	fake_run(&r->clock);
}

#define RIG(r, script)                                                                             \
	CLEANUP(fixture_close) struct fixture r;                                                   \
	fixture_open(&r, script)
#define ANSWER(a) CLEANUP(response_done) struct response a = { 0 }

/* A script of one reply to everything. */
#define ALWAYS(reply) STR("{\"version\":1,\"default\":" reply "}")

/* ---- files of the repository ---- */

static inline struct str read_whole(struct arena *mem, const char *path)
{
	FILE *f = fopen(path, "r");
	CLEANUP(buf_done) struct buf all = { 0 };
	char part[4096];
	size_t n;

	if (!f)
		return STR_NONE;
	while ((n = fread(part, 1, sizeof part, f)))
		buf_add(&all, part, n);
	fclose(f);
	return arena_keep(mem, buf_str(&all));
}

/* A path below the root of the sources, wherever the test is run from. */
static inline const char *source_path(struct arena *mem, const char *below)
{
	const char *tries[] = { "", "../", "../../", NULL };
	struct str here = str_from(__FILE__); /* .../tests/unit/test_scripted_fixture.h */
	ptrdiff_t at = str_find(here, STR("tests/unit/"));
	struct str path = STR_NONE;

	if (at > 0)
		path = arena_printf(mem, "%.*s%s", (int)at, here.ptr, below);
	for (size_t i = 0; (!str_is(path) || access(path.ptr, R_OK)) && tries[i]; i++)
		path = arena_printf(mem, "%s%s", tries[i], below);
	return path.ptr;
}

static inline struct str source(struct arena *mem, const char *below)
{
	struct str text = read_whole(mem, source_path(mem, below));

	if (!str_is(text))
		t_fail(__FILE__, __LINE__, "cannot read %s", below);
	return text;
}

static inline void arena_done(struct arena **mem)
{
	arena_free(*mem);
}
#define ARENA(mem) CLEANUP(arena_done) struct arena *mem = arena_new()

#define EXAMPLE(r, name)                                                                           \
	ARENA(example_mem);                                                                        \
	RIG(r, source(example_mem, "examples/scripts/" name))

#endif
