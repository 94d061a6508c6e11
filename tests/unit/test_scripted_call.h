#ifndef TESTS_UNIT_TEST_SCRIPTED_CALL_H
#define TESTS_UNIT_TEST_SCRIPTED_CALL_H
/* Calls of a script's tools, and everything observed about them. */
#include "test_scripted_fixture.h"

#include "base/hash/sha256.h"

#include <malloc.h>

struct call {
	struct fixture *fixture;
	struct tool_handle *h;
	struct arena *mem;
	struct buf out;   /* the first 64 KiB */
	struct buf trace; /* progress and small output with their times */
	struct sha256_stream hash;
	uint64_t bytes;
	size_t pieces, largest, callbacks;
	int64_t started_ms, end_ms;
	bool is_starting, is_ended;
	struct tool_end end;
	struct str artifact;
	size_t most_heap;
	size_t cancel_in, pause_in, resume_in, close_in; /* the n-th callback */
};

static inline size_t heap_now(void)
{
	return mallinfo2().uordblks; /* nothing under ASan */
}

static inline void call_acts(struct call *c)
{
	struct toolset *t = c->fixture->t;

	c->callbacks++;
	if (c->callbacks == c->cancel_in)
		t->ops->cancel(t, c->h);
	if (c->callbacks == c->pause_in)
		t->ops->pause(t, c->h);
	if (c->callbacks == c->resume_in)
		t->ops->resume(t, c->h);
	if (c->callbacks == c->close_in) {
		c->fixture->t = NULL;
		t->ops->close(t);
	}
}

static inline void call_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended);
	buf_printf(&c->trace, "%lld %.*s %lld/%lld|",
	           (long long)(c->fixture->clock.now_ms - c->started_ms), STR_ARG(message),
	           (long long)completed, (long long)total);
	call_acts(c);
}

static inline void call_output(void *owner, struct str data)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended && data.len);
	c->pieces++;
	c->bytes += data.len;
	c->largest = MAX(c->largest, data.len);
	c->most_heap = MAX(c->most_heap, heap_now());
	sha256_more(&c->hash, data);
	if (c->out.len + data.len <= 65536)
		buf_add_str(&c->out, data);
	if (data.len < 100)
		buf_printf(&c->trace, "%lld >%.*s|",
		           (long long)(c->fixture->clock.now_ms - c->started_ms), STR_ARG(data));
	call_acts(c);
}

static inline void call_end(void *owner, const struct tool_end *end)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended);
	c->is_ended = true;
	c->end_ms = c->fixture->clock.now_ms - c->started_ms;
	c->end = *end;
	c->end.message = arena_keep(c->mem, end->message);
	c->end.advice = arena_keep(c->mem, end->advice);
	c->end.structured = arena_keep(c->mem, end->structured);
	c->artifact = end->change_count ? arena_keep(c->mem, end->changes[0].path) : STR_NONE;
}

static const struct tool_sink call_sink = { .progress = call_progress,
	                                    .output = call_output,
	                                    .end = call_end };

static inline void call_start_in(struct call *c, struct fixture *r, const char *name,
                                 const char *args, const char *cwd)
{
	struct tool_start start = { .call_id = STR("tool_1"),
		                    .name = str_from(name),
		                    .args = str_from(args),
		                    .cwd = str_from(cwd) };

	if (!c->mem)
		c->mem = arena_new();
	c->fixture = r;
	c->started_ms = r->clock.now_ms;
	sha256_begin(&c->hash);
	c->is_starting = true;
	c->h = r->t->ops->start(r->t, &start, &call_sink, c);
	c->is_starting = false;
}

static inline void call_start(struct call *c, struct fixture *r, const char *name)
{
	call_start_in(c, r, name, "{}", NULL);
}

static inline void call_done(struct call *c)
{
	buf_done(&c->out);
	buf_done(&c->trace);
	arena_free(c->mem);
}

#define CALL(c) CLEANUP(call_done) struct call c = { 0 }
#define TOOL(result) STR("{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":" result "}]}")

#endif
