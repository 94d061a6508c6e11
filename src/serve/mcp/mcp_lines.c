/* Messages of an MCP client as lines. */
#include "serve/mcp/mcp_lines.h"

#include "base/memory.h"
#include "serve/mcp/mcp_op.h"

#define LINGER_MS 1000

static const struct serve_options *options_of(const struct mcp_lines *l)
{
	return &l->edge->serve->opt;
}

/* A client that sends and does not read waits, and so does one with too many open requests. */
static void set_reading(struct mcp_lines *l)
{
	bool is_full = l->open >= options_of(l)->in_flight_max ||
	               stream_write_pending(l->stream) > options_of(l)->client_buffer_max;

	if (l->is_closing || is_full == l->is_paused)
		return;
	l->is_paused = is_full;
	if (is_full)
		stream_pause(l->stream);
	else
		stream_resume(l->stream);
}

static void on_cut(struct loop_timer *t)
{
	mcp_lines_close(OWNER_OF(t, struct mcp_lines, soon));
}

/* A client that takes nothing for long is left: what waits for it must not grow without end. */
static void write_line(struct mcp_lines *l, struct str message)
{
	if (l->is_cut)
		return;
	if (stream_write_pending(l->stream) > 4 * options_of(l)->client_buffer_max) {
		l->is_cut = true;
		loop_timer_start(l->edge->serve->loop, &l->soon, 0, on_cut);
		return;
	}
	stream_write(l->stream, message);
	stream_write(l->stream, STR("\n"));
	set_reading(l);
}

/* ---- the end ---- */

static void free_lines(struct mcp_lines *l)
{
	l->is_closing = true;
	while (!list_is_empty(&l->ops))
		mcp_op_leave(LIST_ITEM(l->ops.next, struct mcp_op, node), false);
	loop_timer_stop(&l->soon);
	l->edge->serve->line_count--;
	list_remove(&l->node);
	buf_done(&l->in);
	buf_done(&l->cwd);
	mcp_session_done(&l->session);
	memory_free(l);
}

void mcp_lines_close(struct mcp_lines *l)
{
	struct stream *stream = l->stream;

	free_lines(l);
	stream_abandon(&stream);
}

static const struct stream_ops no_ops;

static void on_soon(struct loop_timer *t)
{
	struct mcp_lines *l = OWNER_OF(t, struct mcp_lines, soon);
	struct stream *stream = l->stream;
	int stall_ms = options_of(l)->stall_ms;

	free_lines(l);
	stream_own(stream, &no_ops, NULL);
	stream_finish(stream, stall_ms, LINGER_MS);
}

static void finish_if_done(struct mcp_lines *l)
{
	if (l->is_ended && !l->open && !l->is_closing && !l->is_cut)
		loop_timer_start(l->edge->serve->loop, &l->soon, 0, on_soon);
}

static void op_ended(struct mcp_lines *l, struct mcp_op *o)
{
	list_remove(&o->node);
	l->open--;
	set_reading(l);
	finish_if_done(l);
}

static void greeted(struct mcp_lines *l, const struct mcp_serve_can *can)
{
	l->can = *can;
}

static struct mcp_op *new_op(struct mcp_lines *l);

static const struct mcp_op_line_ops line_ops = {
	.write = write_line, .greeted = greeted, .ended = op_ended, .beside = new_op
};

static struct mcp_op *new_op(struct mcp_lines *l)
{
	struct mcp_op *o = mcp_op_new(l->edge, NULL, l, &l->caller);

	o->line_ops = &line_ops;
	o->greeted = l->can;
	o->session = &l->session;
	o->cwd = l->cwd.len ? buf_str(&l->cwd) : STR_NONE;
	list_add(&l->ops, &o->node);
	l->open++;
	return o;
}

/* ---- messages ---- */

static struct mcp_op *find_op(struct mcp_lines *l, struct arena *mem, struct str id)
{
	LIST_EACH (&l->ops, node) {
		struct mcp_op *o = LIST_ITEM(node, struct mcp_op, node);

		if (json_is(o->in.id) && str_eq(json_text(mem, o->in.id), id))
			return o;
	}
	return NULL;
}

/* True: the message says that a request is not wanted any more. */
static bool take_cancel(struct mcp_lines *l, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json message, id;
	struct mcp_op *o;

	if (str_find(line, STR("notifications/cancelled")) < 0 ||
	    json_read(mem, line, &message, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(message, "method")), STR("notifications/cancelled")))
		return false;
	id = JSON_GET(JSON_GET(message, "params"), "requestId");
	o = json_is(id) ? find_op(l, mem, json_text(mem, id)) : NULL;
	if (o)
		mcp_op_leave(o, true);
	return true;
}

static void take_line(struct mcp_lines *l, struct str line)
{
	struct mcp_op *o;

	if (!l->has_preface) {
		l->has_preface = true;
		if (str_starts(line, STR(MCP_LINES_PREFACE "/")))
			buf_add_str(&l->cwd, str_skip(line, strlen(MCP_LINES_PREFACE)));
		return;
	}
	line = str_trim(line);
	if (!line.len || take_cancel(l, line))
		return;
	o = new_op(l);
	l->edge->begin(o, line);
}

static void on_read(struct stream *s, struct str bytes)
{
	struct mcp_lines *l = stream_user(s);

	while (str_is(bytes)) {
		ptrdiff_t end = str_find(bytes, STR("\n"));

		buf_add_str(&l->in, end < 0 ? bytes : str_of(bytes.ptr, (size_t)end));
		if (l->in.len > options_of(l)->body_max) {
			mcp_lines_close(l); /* the end of the line is unknown */
			return;
		}
		if (end < 0)
			return;
		take_line(l, buf_str(&l->in));
		buf_clear(&l->in);
		bytes = str_skip(bytes, (size_t)end + 1);
		if (!bytes.len)
			return;
	}
}

/* A stream of changes has no end of its own. */
static void end_listening(struct mcp_lines *l)
{
	LIST_EACH_SAFE (&l->ops, node, next) {
		struct mcp_op *o = LIST_ITEM(node, struct mcp_op, node);

		if (o->listener)
			o->listener->end(o);
	}
}

void mcp_lines_drain(struct mcp_lines *l)
{
	l->is_ended = true;
	end_listening(l);
	finish_if_done(l);
}

static void on_eof(struct stream *s)
{
	mcp_lines_drain(stream_user(s));
}

static void on_gone(struct stream *s)
{
	mcp_lines_close(stream_user(s));
}

static void on_drain(struct stream *s)
{
	set_reading(stream_user(s));
}

static const struct stream_ops ops = {
	.on_read = on_read, .on_eof = on_eof, .on_gone = on_gone, .on_drain = on_drain
};

void mcp_lines_open(struct mcp_edge *edge, struct stream *stream, const struct caller *caller)
{
	struct mcp_lines *l = memory_zeroed(1, sizeof *l);

	l->edge = edge;
	l->stream = stream;
	l->caller = *caller;
	list_init(&l->ops);
	mcp_session_init(&l->session);
	list_add(&edge->lines, &l->node);
	edge->serve->line_count++;
	stream_low_water(stream, edge->serve->low_water);
	stream_own(stream, &ops, l);
	stream_resume(stream);
}
