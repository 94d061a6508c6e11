/*
 * read_output: a model reads on in an output of its session that was cut for it.
 *
 * The session's state knows the refs that were cut, so a ref of another session
 * is refused even if a model learned it somewhere.  Small outputs are blobs of
 * the store, large ones are files.
 */
#include "engine/effects/output_tools.h"

#include "base/gen/tool_args.h"
#include "base/utf8.h"
#include "engine/effects/processes.h"
#include "engine/gen/output_tools_table.h"
#include "engine/engine_state.h"

#define READ_BYTES 16000

struct output_tools {
	struct toolset base;
	struct engine *engine;
	struct list calls;
};

struct tool_handle {
	struct list node;
	struct output_tools *set;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct clock_timer timer; /* a toolset must not call back from inside start() */
	struct str session_id, ref;
	int64_t offset, limit;
	bool is_cancelled;
	bool is_reading; /* a callback of store or blobs is pending */
	struct store_read small;
	struct blob_read large;
};

static void call_free(struct tool_handle *h)
{
	struct clock *c = h->set->engine->ports.clock;

	c->ops->stop(c, &h->timer);
	list_remove(&h->node);
	arena_free(h->mem);
}

static void call_end(struct tool_handle *h, const struct tool_end *e)
{
	list_remove(&h->node);
	list_init(&h->node);
	h->sink.end(h->owner, e);
	call_free(h);
}

static void end_failed(struct tool_handle *h, struct tool_error error)
{
	struct tool_end end = { .executed = EXECUTED_NO, .survivors = -1 };

	tool_end_fail(&end, &error);
	call_end(h, &end);
}

/* The page as the model reads it: where it is, and whether more follows. */
static void end_page(struct tool_handle *h, struct str page, int64_t size)
{
	int64_t next = h->offset + (int64_t)page.len;

	if (h->is_cancelled) {
		call_end(h, &(struct tool_end){ .cancelled = true,
		                                .executed = EXECUTED_PARTLY,
		                                .survivors = -1 });
		return;
	}
	if (!utf8_is_valid(page)) {
		end_failed(h, tool_error_output_not_text());
		return;
	}
	h->sink.output(h->owner,
	               arena_printf(h->mem, "[bytes %lld to %lld of %lld%s]\n",
	                            (long long)h->offset, (long long)next, (long long)size,
	                            next < size ? "; more follows" : ""));
	h->sink.output(h->owner, page);
	call_end(h, &(struct tool_end){ .executed = EXECUTED_YES, .survivors = -1 });
}

/* A page neither begins nor ends inside a character. */
static struct str whole_characters(struct str page, bool is_last)
{
	while (page.len && ((unsigned char)page.ptr[0] & 0xc0) == 0x80)
		page = str_skip(page, 1);
	return is_last ? page : str_head(page, page.len - utf8_unfinished(page));
}

static void on_large(struct blob_read *b)
{
	struct tool_handle *h = b->owner;
	bool is_last = b->offset + b->len >= b->size;
	int64_t size = (int64_t)b->size;
	struct str data;

	h->is_reading = false;
	if (b->result != OK) {
		port_blob_read_done(b);
		end_failed(h, tool_error_output_gone());
		return;
	}
	data = whole_characters(process_output_text(h->set->engine, h->mem, b), is_last);
	port_blob_read_done(b);
	end_page(h, data, size);
}

static void read_large(struct tool_handle *h)
{
	struct blobs *b = h->set->engine->ports.blobs;

	if (!b) {
		end_failed(h, tool_error_output_gone());
		return;
	}
	h->is_reading = true;
	h->large = (struct blob_read){ .ref = h->ref,
		                       .offset = (uint64_t)h->offset,
		                       .max = (uint32_t)h->limit,
		                       .done = on_large,
		                       .owner = h };
	b->ops->read(b, &h->large);
}

static void on_small(struct store_read *r)
{
	struct tool_handle *h = r->owner;
	bool is_found = r->result == OK;
	struct str all = is_found ? arena_keep(h->mem, r->blob.data) : STR("");
	struct str page =
		str_head(str_skip(all, MIN((size_t)h->offset, all.len)), (size_t)h->limit);

	h->is_reading = false;
	port_store_read_done(r);
	if (is_found)
		end_page(h, whole_characters(page, (size_t)h->offset + page.len >= all.len),
		         (int64_t)all.len);
	else
		read_large(h);
}

static bool is_of_session(const struct session *s, struct str ref)
{
	return s && s->state && rec_list_str_find(&s->state->s->cut_outputs, ref) >= 0;
}

static void on_start(struct clock_timer *timer)
{
	struct tool_handle *h = OWNER_OF(timer, struct tool_handle, timer);
	struct engine *e = h->set->engine;

	if (h->is_cancelled) {
		end_page(h, STR(""), 0);
		return;
	}
	if (!is_of_session(session_find(e, h->session_id), h->ref)) {
		end_failed(h, tool_error_no_output());
		return;
	}
	h->is_reading = true;
	h->small = (struct store_read){
		.kind = READ_BLOB, .key = h->ref, .done = on_small, .owner = h
	};
	e->ports.store->ops->read(e->ports.store, &h->small);
}

/* ---- the toolset ---- */

static size_t set_tools(struct toolset *t, const struct tool_info **ret)
{
	(void)t;
	*ret = output_tools_table;
	return COUNT_OF(output_tools_table);
}

static struct tool_handle *set_start(struct toolset *t, const struct tool_start *start,
                                     const struct tool_sink *sink, void *owner)
{
	struct output_tools *set = OWNER_OF(t, struct output_tools, base);
	struct clock *c = set->engine->ports.clock;
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct tool_args_read_output a;
	struct json args = { NULL };

	/* The schema was checked before the call got here. */
	if (json_read(mem, start->args, &args, NULL) != OK)
		args = (struct json){ NULL };
	a = tool_args_read_output(args);
	*h = (struct tool_handle){ .set = set,
		                   .mem = mem,
		                   .sink = *sink,
		                   .owner = owner,
		                   .timer.fire = on_start,
		                   .session_id = arena_keep(mem, start->session_id),
		                   .ref = arena_keep(mem, a.output_ref),
		                   .offset = a.has_offset ? a.offset : 0,
		                   .limit = a.limit ? a.limit : READ_BYTES };
	list_add(&set->calls, &h->node);
	c->ops->start(c, &h->timer, 0);
	return h;
}

/* The page that is read now is dropped when it arrives. */
static void set_cancel(struct toolset *t, struct tool_handle *h)
{
	struct clock *c = h->set->engine->ports.clock;

	(void)t;
	h->is_cancelled = true;
	if (!h->is_reading)
		c->ops->start(c, &h->timer, 0);
}

static void set_nothing(struct toolset *t, struct tool_handle *h)
{
	(void)t, (void)h; /* results are small */
}

static void set_close(struct toolset *t)
{
	struct output_tools *set = OWNER_OF(t, struct output_tools, base);

	while (!list_is_empty(&set->calls))
		call_free(LIST_ITEM(set->calls.next, struct tool_handle, node));
}

static const struct toolset_ops set_ops = {
	.tools = set_tools,
	.start = set_start,
	.cancel = set_cancel,
	.pause = set_nothing,
	.resume = set_nothing,
	.close = set_close,
};

struct toolset *output_tools_new(struct engine *e)
{
	struct output_tools *set = ARENA_NEW(e->mem, struct output_tools);

	set->base.ops = &set_ops;
	set->engine = e;
	list_init(&set->calls);
	return &set->base;
}
