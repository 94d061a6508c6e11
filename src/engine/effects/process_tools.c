/*
 * read_process, write_process, stop_process: a model's tools for its background
 * commands.  They belong to the engine, because only the session's state tells
 * which processes are its own.
 */
#include "base/gen/tool_args.h"
#include "core/gen/inputs.h"
#include "base/utf8.h"
#include "base/jw.h"
#include "core/process/process.h"
#include "engine/effects/processes.h"
#include "engine/gen/process_tools_table.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#define READ_BYTES 16384 /* of one reply by default */
#define READ_TAIL                                                                                  \
	3000 /* without an offset: the last bytes, few enough to fit inline into the result */
/* Interval of checks while a call waits for output or for an end. */
#define LOOK_MS 25

struct process_tools {
	struct toolset base;
	struct engine *engine;
	struct list calls;
};

struct tool_handle {
	struct list node;
	struct process_tools *set;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct clock_timer timer;
	struct str session_id, name, process_id, output_ref;
	struct json args;
	int64_t give_up_at; /* monotonic; 0: at once */
	bool is_cancelled, is_reading;
	struct blob_read read;
};

static void call_again(struct tool_handle *h, int64_t delay_ms)
{
	struct clock *c = h->set->engine->ports.clock;

	c->ops->start(c, &h->timer, delay_ms);
}

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
	h->sink.end(h->owner, e);
	call_free(h);
}

static void end_failed(struct tool_handle *h, struct tool_error error)
{
	struct tool_end end = { .executed = EXECUTED_NO, .survivors = -1 };

	tool_end_fail(&end, &error);
	call_end(h, &end);
}

static void end_cancelled(struct tool_handle *h)
{
	call_end(h, &(struct tool_end){
			    .cancelled = true, .executed = EXECUTED_PARTLY, .survivors = -1 });
}

static void end_said(struct tool_handle *h, struct str text, struct str structured)
{
	h->sink.output(h->owner, text);
	call_end(h, &(struct tool_end){
			    .executed = EXECUTED_YES, .structured = structured, .survivors = -1 });
}

/* NULL: the session has no such process, and the call has ended. */
static const struct st_process *process_of(struct tool_handle *h, struct session **ret)
{
	struct session *s = session_find(h->set->engine, h->session_id);
	const struct st_process *p =
		s && s->state ? process_live_find(s->state, h->process_id, NULL) : NULL;

	*ret = s;
	if (!p)
		end_failed(h, tool_error_no_process(h->mem, h->process_id));
	return p;
}

/* ---- reading ---- */

static struct str progress_of(struct tool_handle *h, const struct st_process *p, int64_t offset,
                              int64_t bytes, int64_t size)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "processId", p->process_id);
	JW_KSTR(&w, "status", process_status_word(p->status));
	if (p->has_exit_code)
		JW_KINT(&w, "exitCode", p->exit_code);
	JW_KINT(&w, "offset", offset);
	JW_KINT(&w, "nextOffset", offset + bytes);
	JW_KINT(&w, "outputBytes", size);
	jw_obj_end(&w);
	text = arena_keep(h->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static void read_output(struct tool_handle *h);

static void end_read(struct tool_handle *h, const struct st_process *p, struct str data,
                     int64_t offset, int64_t size)
{
	struct str head = arena_printf(h->mem, "[%.*s %.*s, bytes %lld to %lld of %lld]\n",
	                               STR_ARG(p->process_id),
	                               STR_ARG(process_status_word(p->status)), (long long)offset,
	                               (long long)(offset + (int64_t)data.len), (long long)size);
	struct str progress = progress_of(h, p, offset, (int64_t)data.len, size);

	h->sink.output(h->owner, head);
	end_said(h, data, progress);
}

/*
 * Without an offset the first read learns the size; if the output is long, a second one
 * reads its tail.  A call with a wait continues until there is output, the process has
 * ended or the time is over.  A page does not end inside a character.
 */
static void on_read(struct blob_read *b)
{
	struct tool_handle *h = b->owner;
	struct clock *c = h->set->engine->ports.clock;
	const struct st_process *p;
	struct session *s;
	struct tool_args_read_process a = tool_args_read_process(h->args);
	int64_t size = b->result == OK ? (int64_t)b->size : 0;
	int64_t from = a.has_offset ? a.offset
	               : b->offset  ? (int64_t)b->offset
	                            : MAX(size - READ_TAIL, 0);
	struct str data = STR("");

	h->is_reading = false;
	if (b->result == OK && (int64_t)b->offset == from) {
		data = process_output_text(h->set->engine, h->mem, b);
		size += (int64_t)(data.len - b->len);
		if ((int64_t)b->offset + b->len < size)
			data = str_head(data, data.len - utf8_unfinished(data));
	}
	bool is_elsewhere = b->result == OK && (int64_t)b->offset != from;

	port_blob_read_done(b);
	if (h->is_cancelled) {
		end_cancelled(h);
		return;
	}
	p = process_of(h, &s);
	if (!p)
		return;
	if (is_elsewhere) { /* its size is known now */
		h->read.offset = (uint64_t)from;
		read_output(h);
	} else if (!data.len && !process_is_over(p) && c->ops->mono_ms(c) < h->give_up_at) {
		call_again(h, LOOK_MS);
	} else {
		end_read(h, p, data, from, size);
	}
}

static void read_output(struct tool_handle *h)
{
	struct blobs *b = h->set->engine->ports.blobs;
	struct tool_args_read_process a = tool_args_read_process(h->args);
	uint64_t offset = a.has_offset ? (uint64_t)a.offset : h->read.offset;

	h->is_reading = true;
	h->read = (struct blob_read){ .ref = h->output_ref,
		                      .offset = offset,
		                      .max = READ_BYTES,
		                      .done = on_read,
		                      .owner = h };
	b->ops->read(b, &h->read);
}

static void read_process(struct tool_handle *h)
{
	struct session *s;
	const struct st_process *p = process_of(h, &s);

	if (!p)
		return;
	h->output_ref = arena_keep(h->mem, p->output_ref);
	read_output(h);
}

/* ---- writing ---- */

/* The bytes are written before the event, so that the log never claims input that was refused. */
static void write_process(struct tool_handle *h)
{
	struct processes *port = h->set->engine->ports.processes;
	struct tool_args_write_process a = tool_args_write_process(h->args);
	struct session *s;
	const struct st_process *p = process_of(h, &s);
	int64_t output_bytes;
	struct decision *d;
	struct error why;

	if (!p)
		return;
	output_bytes = p->output_bytes; /* applying may compact the state, and `p` with it */
	if (process_is_over(p) || !p->background) {
		end_failed(h, tool_error_process_over(h->mem, h->process_id));
		return;
	}
	if (port->ops->write(port, h->process_id, a.text, a.eof, &why) != OK) {
		end_failed(h, tool_error_process_takes_no_input(h->mem, h->process_id,
		                                                str_from(why.message)));
		return;
	}
	d = apply_begin(s, NULL);
	input_process_live_written(d, h->process_id, (int64_t)a.text.len, a.eof);
	apply_end(s, d);
	end_said(h,
	         arena_printf(h->mem, "%zu bytes written; its output stood at %lld.", a.text.len,
	                      (long long)output_bytes),
	         STR_NONE);
}

/* ---- stopping ---- */

/*
 * Called again until the process has ended.  Repeating the stop is harmless: the
 * supervisor keeps the earlier deadline.
 */
static void stop_process(struct tool_handle *h)
{
	static const struct rec_actor agent = { .kind = ACTOR_KIND_AGENT };
	struct process_run *x = processes_find(h->set->engine, h->process_id);
	struct session *s;
	const struct st_process *p = process_of(h, &s);

	if (!p)
		return;
	if (!process_is_over(p) && x && !h->is_cancelled) {
		processes_stop(x, TERMINATED_BY_PARENT, "stop_process", STR_NONE, &agent,
		               LIMIT_PROCESS_GRACE_MS);
		call_again(h, LOOK_MS);
		return;
	}
	if (process_is_over(p))
		end_said(h, arena_printf(h->mem, "%.*s has ended.", STR_ARG(h->process_id)),
		         progress_of(h, p, 0, p->output_bytes, p->output_bytes));
	else if (h->is_cancelled)
		end_cancelled(h);
	else
		end_failed(h, tool_error_process_unreachable(h->mem, h->process_id));
}

/* ---- the toolset ---- */

/* Calls run from a timer, because a toolset must not call back from inside start(). */
static void on_time(struct clock_timer *timer)
{
	static const struct {
		const char *name;
		void (*step)(struct tool_handle *h);
	} steps[] = { { "read_process", read_process },
		      { "write_process", write_process },
		      { "stop_process", stop_process } };
	struct tool_handle *h = OWNER_OF(timer, struct tool_handle, timer);

	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (str_eq(str_from(steps[i].name), h->name)) {
			steps[i].step(h);
			return;
		}
}

static size_t set_tools(struct toolset *t, const struct tool_info **ret)
{
	(void)t;
	*ret = process_tools_table;
	return COUNT_OF(process_tools_table);
}

static struct tool_handle *set_start(struct toolset *t, const struct tool_start *start,
                                     const struct tool_sink *sink, void *owner)
{
	struct process_tools *set = OWNER_OF(t, struct process_tools, base);
	struct clock *c = set->engine->ports.clock;
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct tool_args_read_process a; /* the other tools use only its processId */

	h->set = set;
	h->mem = mem;
	h->sink = *sink;
	h->owner = owner;
	h->timer.fire = on_time;
	h->session_id = arena_keep(mem, start->session_id);
	h->name = arena_keep(mem, start->name);
	list_add(&set->calls, &h->node);
	/* The schema was checked before the call got here. */
	if (json_read(mem, start->args, &h->args, NULL) != OK)
		h->args = (struct json){ NULL };
	a = tool_args_read_process(h->args);
	h->process_id = arena_keep(mem, a.process_id);
	h->give_up_at = a.wait_ms ? c->ops->mono_ms(c) + a.wait_ms : 0;
	call_again(h, 0);
	return h;
}

static void set_cancel(struct toolset *t, struct tool_handle *h)
{
	(void)t;
	h->is_cancelled = true;
	if (!h->is_reading)
		call_again(h, 0);
}

static void set_nothing(struct toolset *t, struct tool_handle *h)
{
	(void)t, (void)h; /* results are small */
}

static void set_close(struct toolset *t)
{
	struct process_tools *set = OWNER_OF(t, struct process_tools, base);

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

struct toolset *process_tools_new(struct engine *e)
{
	struct process_tools *set = ARENA_NEW(e->mem, struct process_tools);

	set->base.ops = &set_ops;
	set->engine = e;
	list_init(&set->calls);
	return &set->base;
}
