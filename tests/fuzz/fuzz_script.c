/* Any bytes as a script: it is refused with a message, or it runs. */
#include "provider/scripted/scripted.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>

#define TURNS_MAX 400 /* of the loop: enough to see the large things begin */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a clock: the earliest timer first ---- */

struct slot {
	struct list node;
	struct clock_timer *timer;
	int64_t due_ms;
};

struct clock_here {
	struct clock port;
	int64_t now_ms;
	struct list slots;
};

static int64_t now(struct clock *c)
{
	return OWNER_OF(c, struct clock_here, port)->now_ms;
}

static void stop(struct clock *c, struct clock_timer *t)
{
	struct slot *s = t->impl;

	(void)c;
	if (s)
		list_remove(&s->node);
	free(s);
	t->impl = NULL;
}

static void start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct clock_here *clock = OWNER_OF(c, struct clock_here, port);
	struct slot *s = memory_zeroed(1, sizeof *s);
	struct list *at = &clock->slots;

	assert(delay_ms >= 0);
	stop(c, t);
	*s = (struct slot){ .timer = t, .due_ms = clock->now_ms + delay_ms };
	while (at->prev != &clock->slots &&
	       LIST_ITEM(at->prev, struct slot, node)->due_ms > s->due_ms)
		at = at->prev;
	list_add_before(at, &s->node);
	t->impl = s;
}

static const struct clock_ops clock_ops = {
	.wall_ms = now, .mono_ms = now, .start = start, .stop = stop
};

static void run(struct clock_here *c)
{
	for (int i = 0; i < TURNS_MAX && !list_is_empty(&c->slots); i++) {
		struct slot *s = LIST_ITEM(c->slots.next, struct slot, node);
		struct clock_timer *t = s->timer;

		c->now_ms = s->due_ms;
		stop(&c->port, t);
		t->fire(t);
	}
}

/* ---- what comes back ---- */

static void piece(void *owner, enum model_piece kind, struct str text)
{
	(void)kind;
	assert(*(int *)owner == 0 && text.len && utf8_is_valid(text));
}

static void model_end(void *owner, const struct model_end *end)
{
	++*(int *)owner;
	assert(*(int *)owner == 1);
	assert(!end->failed || (end->category && end->message.len));
	assert(!end->usage.known || (end->usage.input >= end->usage.cached_input &&
	                             end->usage.output >= end->usage.reasoning));
}

static void progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	(void)completed;
	(void)total;
	assert(*(int *)owner == 0 && message.len);
}

static void output(void *owner, struct str data)
{
	assert(*(int *)owner == 0 && data.len && data.len <= 65536 && utf8_is_valid(data));
}

static void tool_end(void *owner, const struct tool_end *end)
{
	++*(int *)owner;
	assert(*(int *)owner == 1 && end->executed);
}

static const struct model_sink model_sink = { piece, model_end };
static const struct tool_sink tool_sink = { .progress = progress,
	                                    .output = output,
	                                    .end = tool_end };

/* ---- the run ---- */

static void run_requests(struct clock_here *clock, struct provider *p, struct str input)
{
	struct message messages[] = {
		{ .role = ROLE_USER, .text = input, .turn_id = STR("turn_1") },
		{ .role = ROLE_TOOL,
		  .text = input,
		  .turn_id = STR("turn_1"),
		  .tool_name = STR("t") },
	};
	int ends[6] = { 0 };

	for (uint32_t i = 0; i < COUNT_OF(ends); i++) {
		struct model_request req = {
			.session_id = STR("s"),
			.turn_id = STR("turn_1"),
			.messages = messages,
			.message_count = 1 + i % 2,
			.turn_number = 1 + i / 4,
			.request_number = 1 + i % 3,
			.attempt = 1 + i % 2,
		};
		struct model_handle *h = p->ops->start(p, &req, &model_sink, &ends[i]);

		p->ops->pause(p, h);
		if (i % 3)
			p->ops->resume(p, h);
		if (i == 4)
			p->ops->cancel(p, h);
	}
	run(clock);
}

static void run_tools(struct clock_here *clock, struct toolset *t)
{
	const struct tool_info *tools;
	size_t count = t->ops->tools(t, &tools);
	int ends[8] = { 0 };
	struct tool_handle *handles[COUNT_OF(ends)];

	count = MIN(count, COUNT_OF(ends));
	for (size_t i = 0; i < count; i++) {
		/* no working directory: nothing is written */
		struct tool_start s = { .name = tools[i].name,
			                .args = STR("{\"a\":\"b\",\"n\":[1]}") };

		handles[i] = t->ops->start(t, &s, &tool_sink, &ends[i]);
	}
	run(clock);
	for (size_t i = 0; i < count; i++)
		if (!ends[i])
			t->ops->cancel(t, handles[i]);
	run(clock);
	for (size_t i = 0; i < count; i++)
		assert(ends[i] == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct clock_here clock = { .port.ops = &clock_ops };
	struct str text = str_of(data ? (const char *)data : "", size);
	struct scripted_options o = { &clock.port, text };
	struct scripted *s;
	struct error e = { 0 };

	list_init(&clock.slots);
	if (scripted_open(&o, &s, &e)) {
		assert(e.code && e.message[0]);
		return 0;
	}

	struct provider *p = scripted_provider(s);
	struct toolset *t = scripted_tools(s);

	/* comments may hold anything, but users write text */
	run_requests(&clock, p, utf8_is_valid(text) ? utf8_head(text, 200) : STR("version"));
	p->ops->close(p);
	run_tools(&clock, t);
	t->ops->close(t);
	assert(list_is_empty(&clock.slots));
	return 0;
}
