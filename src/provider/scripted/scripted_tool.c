/*
 * The scripted tools as a toolset: results, progress, failures and written files
 * as the script declares them, by timers of the given clock.
 */
#include "provider/scripted/scripted_parts.h"
#include "base/os/sys.h"

#include "schema/content_check.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "catalog/gen/vocab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Per turn of the loop, so that neither memory nor the loop feels a large result. */
#define OUTPUT_PIECE_MAX 65536
#define STEPS_PER_TURN 256

/*
 *   WAITING ──delayMs──► (file written) ──► OUTPUT ──► OVER ──► end, or hang until cancelled
 *
 * Progress has its own times, counted from the start; the end waits for the
 * last of it.  cancel() leads to the end from anywhere, one loop turn later.
 */
enum call_state { CALL_WAITING, CALL_OUTPUT, CALL_OVER };

/* One call; it lives in its own arena. */
struct tool_handle {
	struct list node;
	struct script_tools *tools;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct clock_timer timer;
	const struct script_result *result; /* NULL: there is no such tool */
	struct str name, cwd;
	struct script_vars vars;

	enum call_state state;
	int64_t started_ms;
	int64_t output_at_ms; /* since the start: when the next of it is due */
	size_t progress_at;
	size_t piece_at;
	int64_t sent_bytes; /* of a whole or repeated text */
	struct buf out;
	struct tool_change change; /* path is absent: it is no deliverable */
	struct error trouble;      /* with the file */
	bool has_begun, has_effect;

	bool is_busy;   /* inside a callback */
	bool is_closed; /* ... that closed the toolset */
	bool is_cancelled, is_paused;
};

/* ---- the file ---- */

/*
 * Opens the directory of path's last part below cwd and makes what is missing; -1 with
 * errno.  Part by part, because O_NOFOLLOW guards only the last part of a path.
 */
static int open_parent(const char *cwd, struct str path, char name[NAME_MAX + 1])
{
	int dir = open(cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (struct str rest = path; dir >= 0;) {
		struct str part = str_cut(&rest, '/');

		if (part.len > NAME_MAX) {
			close(dir);
			errno = ENAMETOOLONG;
			return -1;
		}
		if (part.len)
			memcpy(name, part.ptr, part.len);
		name[part.len] = '\0';
		if (!str_is(rest))
			break;
		if (!part.len || str_eq(part, STR(".")))
			continue;
		mkdirat(dir, name, 0755);

		/* no link is followed: one could lead out */
		int below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int saved = errno;

		close(dir);
		errno = saved;
		dir = below;
	}
	return dir;
}

/* Truncated after the check that it is a regular file: a device or a FIFO must not be touched. */
static int open_file(const char *cwd, struct str path)
{
	char name[NAME_MAX + 1];
	int dir = open_parent(cwd, path, name);
	int fd = -1;
	struct stat st;

	if (dir < 0)
		return -1;
	/* O_NONBLOCK: opening a FIFO would block the loop */
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || ftruncate(fd, 0))) {
		close(fd);
		fd = -1;
		errno = EINVAL;
	}

	int saved = errno;

	close(dir);
	errno = saved;
	return fd;
}

static enum err write_file(const char *cwd, struct str path, struct str text, struct error *e)
{
	int fd = open_file(cwd, path);
	bool is_written = fd >= 0 && sys_write_all(fd, text.ptr, text.len);

	if (fd >= 0 && close(fd))
		is_written = false;
	if (!is_written)
		return fail_errno(e, ERR_IO, "could not write %.*s", STR_ARG(path));
	return OK;
}

static struct str expanded(struct tool_handle *h, struct str text)
{
	buf_clear(&h->out);
	scripted_text_expand(&h->out, text, &h->vars);
	return arena_keep(h->mem, buf_str(&h->out));
}

/* The file is a deliverable: what the script declares of it is checked against its bytes. */
static void report_artifact(struct tool_handle *h, struct str path, struct str text, bool was_there)
{
	const struct script_result *r = h->result;
	struct content_declared is = { .name = path,
		                       .media_type = r->media_type,
		                       .schema = r->schema,
		                       .sha256 = r->sha256,
		                       .size = r->size,
		                       .has_size = r->has_size };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct sha256 hash = sha256_of(text);
	struct content_check found;
	struct json_writer w;

	content_check(h->mem, text, &is, &found);
	jw_init(&w, &out);
	content_check_write(&w, &found);
	h->change = (struct tool_change){ .path = path,
		                          .change = was_there ? ARTIFACT_CHANGE_UPDATED
		                                              : ARTIFACT_CHANGE_CREATED,
		                          .hash = sha256_hex(h->mem, &hash),
		                          .size = (int64_t)text.len,
		                          .media_type = found.media_type,
		                          .validation = arena_keep(h->mem, buf_str(&out)) };
}

/*
 * The path may come from the model's arguments, so it is checked after expansion.
 * Whether the file existed decides between "created" and "updated".
 */
static enum err make_file(struct tool_handle *h)
{
	const struct script_result *r = h->result;

	if (!str_is(r->file_path))
		return OK;

	struct str path = expanded(h, r->file_path);
	struct str text = expanded(h, r->file_text);

	buf_clear(&h->out);
	if (!h->cwd.len)
		return fail(&h->trouble, ERR_INVALID,
		            "there is no working directory to write into");
	if (!scripted_tool_read_path_is_inside(path))
		return fail(&h->trouble, ERR_INVALID,
		            "\"%.*s\" is not a relative path of a file without ..",
		            STR_ARG(utf8_head(path, 200)));
	bool was_there =
		access(arena_printf(h->mem, "%.*s/%.*s", STR_ARG(h->cwd), STR_ARG(path)).ptr,
	               F_OK) == 0;

	h->has_effect = true; /* also after an error, because part of the file may be written */
	if (write_file(h->cwd.ptr, path, text, &h->trouble))
		return h->trouble.code;
	if (r->is_artifact)
		report_artifact(h, path, text, was_there);
	return OK;
}

/* ---- output ---- */

static struct str next_of_whole(struct tool_handle *h, const struct script_text *t, bool *ret_more)
{
	if (!h->sent_bytes) {
		buf_clear(&h->out);
		if (t->is_literal)
			buf_add_str(&h->out, t->items[0]);
		else
			scripted_text_expand(&h->out, t->items[0], &h->vars);
	}

	struct str rest = str_skip(buf_str(&h->out), (size_t)h->sent_bytes);
	struct str piece = utf8_head(rest, OUTPUT_PIECE_MAX);

	h->sent_bytes += (int64_t)piece.len;
	*ret_more = piece.len < rest.len;
	return piece;
}

/* Whole repetitions, but for the last one, which is cut where the bytes end. */
static struct str next_of_repeat(struct tool_handle *h, const struct script_text *t, bool *ret_more)
{
	size_t want = (size_t)MIN(t->bytes - h->sent_bytes, OUTPUT_PIECE_MAX);

	buf_clear(&h->out);
	for (size_t whole = 0;; whole = h->out.len) {
		h->vars.n++;
		scripted_text_expand(&h->out, t->items[0], &h->vars);
		if (h->out.len < want)
			continue;
		*ret_more = t->bytes - h->sent_bytes > OUTPUT_PIECE_MAX;
		if (*ret_more && h->out.len > want) {
			h->out.len = whole; /* the next piece begins with it */
			h->vars.n--;
		}
		break;
	}

	struct str piece = utf8_head(buf_str(&h->out), want);

	h->sent_bytes += (int64_t)piece.len;
	return piece;
}

static struct str next_item(struct tool_handle *h, const struct script_text *t, bool *ret_more)
{
	buf_clear(&h->out);
	if (h->piece_at < t->count)
		scripted_text_expand(&h->out, t->items[h->piece_at++], &h->vars);
	*ret_more = h->piece_at < t->count;
	return buf_str(&h->out);
}

static struct str next_output(struct tool_handle *h, bool *ret_more)
{
	const struct script_text *t = &h->result->text;

	switch (t->kind) {
	case TEXT_WHOLE:
		return next_of_whole(h, t, ret_more);
	case TEXT_REPEAT:
		return next_of_repeat(h, t, ret_more);
	case TEXT_PIECES:
		return next_item(h, t, ret_more);
	case TEXT_NONE:
		break;
	}
	*ret_more = false;
	return STR_NONE;
}

/* ---- the end ---- */

static enum executed how_far(const struct tool_handle *h)
{
	return h->has_effect ? EXECUTED_PARTLY : EXECUTED_NO;
}

/*
 * A failure of the file comes before the failure that the script states, and says what
 * really happened.  How far a call got follows from its effects unless the script
 * states it.
 */
static void fill_failure(const struct tool_handle *h, struct tool_end *end)
{
	const struct script_result *r = h->result;

	end->failed = true;
	end->category = r ? ERROR_CATEGORY_TOOL_FAILED : ERROR_CATEGORY_UNKNOWN_TOOL;
	end->executed = how_far(h);
	if (!r || h->trouble.code) {
		end->message = str_from(h->trouble.message);
		return;
	}
	end->category = rec_enum_read(&enum_error_category, r->fail_category);
	end->message = r->fail_message;
	end->advice = r->fail_advice;
	end->retryable = r->fail_retryable;
	if (str_is(r->fail_executed))
		end->executed = rec_enum_read(&enum_executed, r->fail_executed);
}

static void fill_success(const struct tool_handle *h, struct tool_end *end)
{
	const struct script_result *r = h->result;

	end->executed = EXECUTED_YES;
	end->is_error = r->is_error;
	end->exit_code = (int)r->exit_code;
	end->has_exit_code = r->has_exit_code;
	end->structured = r->structured;
	end->changes = &h->change;
	end->change_count = str_is(h->change.path);
	end->parts = r->files;
	end->part_count = r->file_count;
}

static void handle_free(struct tool_handle *h)
{
	buf_done(&h->out);
	arena_free(h->mem);
}

/* A cancelled call ends as cancelled even if its output was complete. */
static void handle_finish(struct tool_handle *h)
{
	struct tool_end end = { 0 };

	if (h->is_cancelled) {
		end.cancelled = true;
		end.executed = h->has_begun ? EXECUTED_PARTLY : EXECUTED_NO;
	} else if (!h->result || h->trouble.code || h->result->fails) {
		fill_failure(h, &end);
	} else if (h->result->hangs) {
		return; /* until it is cancelled */
	} else {
		fill_success(h, &end);
	}
	list_remove(&h->node);
	h->sink.end(h->owner, &end);
	handle_free(h); /* the script itself may be closed by now */
}

/* ---- time ---- */

static int64_t elapsed_ms(const struct tool_handle *h)
{
	struct clock *clock = h->tools->clock;

	return clock->ops->mono_ms(clock) - h->started_ms;
}

static void arm_timer(struct tool_handle *h, int64_t delay_ms)
{
	struct clock *clock = h->tools->clock;

	clock->ops->start(clock, &h->timer, MAX(delay_ms, 0));
}

static const struct script_progress *next_progress(const struct tool_handle *h)
{
	const struct script_result *r = h->result;

	return h->progress_at < r->progress_count ? &r->progress[h->progress_at] : NULL;
}

/* After a callback: whether the call continues.  If not, h may be freed. */
static bool may_continue(struct tool_handle *h)
{
	h->is_busy = false;
	if (h->is_closed) {
		handle_free(h);
		return false;
	}
	return !h->is_cancelled && !h->is_paused;
}

static bool report_progress(struct tool_handle *h, const struct script_progress *p)
{
	h->progress_at++;
	h->has_effect = true;
	h->is_busy = true;
	h->sink.progress(h->owner, p->message, p->completed, p->total);
	return may_continue(h);
}

static bool report_output(struct tool_handle *h, int64_t now_ms)
{
	bool has_more;
	struct str piece = next_output(h, &has_more);

	h->state = has_more ? CALL_OUTPUT : CALL_OVER;
	h->output_at_ms = now_ms + h->result->every_ms;
	if (!piece.len)
		return true;
	h->has_effect = true;
	h->is_busy = true;
	h->sink.output(h->owner, piece);
	return may_continue(h);
}

/* One thing that is due; false when the turn of the loop, or the call, is over. */
static bool handle_step(struct tool_handle *h, int64_t now_ms)
{
	const struct script_progress *p = next_progress(h);

	if (p && p->after_ms <= now_ms)
		return report_progress(h, p);
	if (h->state != CALL_OVER && h->output_at_ms <= now_ms) {
		if (h->state == CALL_WAITING && make_file(h)) {
			handle_finish(h);
			return false;
		}
		if (!report_output(h, now_ms))
			return false;
		if (h->state == CALL_OUTPUT && h->output_at_ms <= now_ms) {
			arm_timer(h, 0); /* one piece each turn */
			return false;
		}
		return true;
	}
	if (h->state == CALL_OVER && !p) {
		handle_finish(h);
		return false;
	}

	int64_t due_ms = h->state == CALL_OVER ? p->after_ms : h->output_at_ms;

	arm_timer(h, (p ? MIN(due_ms, p->after_ms) : due_ms) - now_ms);
	return false;
}

/* All steps of one turn use one time, so that a slow callback does not make later steps due. */
static void on_time(struct clock_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	if (h->is_cancelled || !h->result) {
		handle_finish(h);
		return;
	}
	h->has_begun = true;

	int64_t now_ms = elapsed_ms(h);

	for (int i = 0; i < STEPS_PER_TURN; i++)
		if (!handle_step(h, now_ms))
			return;
	arm_timer(h, 0);
}

/* ---- the toolset ---- */

static size_t toolset_tools(struct toolset *port, const struct tool_info **ret)
{
	const struct script *s = OWNER_OF(port, struct script_tools, port)->script;

	*ret = s->tools;
	return s->tool_count;
}

#define COUNTS_MAX 4096

struct count {
	size_t calls;
	char key[];
};

static void forget_counts(struct script_tools *t)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&t->counts, &i, &slot);)
		free(slot->value);
	map_done(&t->counts);
	t->counts = (struct map){ 0 };
}

/*
 * How often this tool was called in this session before.  The table is dropped when it
 * is full: a tool with `results` then starts over, which only a very long test can see.
 */
static size_t count_call(struct script_tools *t, struct str session, struct str tool)
{
	size_t len = session.len + 1 + tool.len;
	struct count *new = memory_zeroed(1, sizeof *new + len + 1), *found;

	if (session.len)
		memcpy(new->key, session.ptr, session.len);
	new->key[session.len] = ' ';
	memcpy(new->key + session.len + 1, tool.ptr, tool.len);
	found = map_get(&t->counts, str_of(new->key, len));
	if (found) {
		free(new);
		return found->calls++;
	}
	if (t->counts.count == COUNTS_MAX)
		forget_counts(t);
	new->calls = 1;
	map_put(&t->counts, str_of(new->key, len), new);
	return 0;
}

/*
 * `results` are used one per call; the last one is repeated.  tools[0] is ask_user,
 * which has no result here.
 */
static const struct script_result *find_result(struct script_tools *t,
                                               const struct tool_start *start)
{
	const struct script *s = t->script;

	for (size_t i = 1; i < s->tool_count; i++) {
		const struct script_result *r = &s->results[i - 1];

		if (!str_eq(s->tools[i].name, start->name))
			continue;
		if (!r->each_count)
			return r;
		size_t before = count_call(t, start->session_id, start->name);

		return &r->each[MIN(before, r->each_count - 1)];
	}
	return NULL;
}

/* An unknown tool fails through the sink, like every other failure. */
static struct tool_handle *toolset_start(struct toolset *port, const struct tool_start *start,
                                         const struct tool_sink *sink, void *owner)
{
	struct script_tools *t = OWNER_OF(port, struct script_tools, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);

	*h = (struct tool_handle){
		.tools = t,
		.mem = mem,
		.sink = *sink,
		.owner = owner,
		.timer.fire = on_time,
		.result = find_result(t, start),
		.cwd = arena_keep(mem, start->cwd),
		.started_ms = t->clock->ops->mono_ms(t->clock),
	};
	if (h->result)
		h->output_at_ms = h->result->delay_ms;
	else
		fail(&h->trouble, ERR_NOT_FOUND, "the script runs no tool of the name %.*s",
		     STR_ARG(utf8_head(start->name, 100)));
	/* arguments that are no JSON have no members to show */
	if (json_read(mem, start->args, &h->vars.args, NULL))
		h->vars.args = (struct json){ NULL };
	list_add(&t->calls, &h->node);
	arm_timer(h, 0);
	return h;
}

/* The end comes from the timer, one turn later, because callbacks never come from inside a call. */
static void toolset_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->is_cancelled)
		return;
	h->is_cancelled = true;
	arm_timer(h, 0);
}

static void toolset_pause(struct toolset *port, struct tool_handle *h)
{
	struct script_tools *t = OWNER_OF(port, struct script_tools, port);

	if (h->is_paused || h->is_cancelled)
		return;
	h->is_paused = true;
	t->clock->ops->stop(t->clock, &h->timer);
}

static void toolset_resume(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (!h->is_paused)
		return;
	h->is_paused = false;
	if (!h->is_busy && !h->is_cancelled)
		arm_timer(h, 0); /* what is due is worked out there */
}

static void handle_drop(struct script_tools *t, struct tool_handle *h)
{
	list_remove(&h->node);
	t->clock->ops->stop(t->clock, &h->timer);
	if (h->is_busy)
		h->is_closed = true; /* freed when the callback returns */
	else
		handle_free(h);
}

static void toolset_close(struct toolset *port)
{
	struct script_tools *t = OWNER_OF(port, struct script_tools, port);

	LIST_EACH_SAFE (&t->calls, node, next)
		handle_drop(t, LIST_ITEM(node, struct tool_handle, node));
	forget_counts(t);
	t->closed(t);
}

static const struct toolset_ops toolset_ops = {
	.tools = toolset_tools,
	.start = toolset_start,
	.cancel = toolset_cancel,
	.pause = toolset_pause,
	.resume = toolset_resume,
	.close = toolset_close,
};

void scripted_tool_init(struct script_tools *t, struct clock *clock, const struct script *script,
                        void (*closed)(struct script_tools *t))
{
	*t = (struct script_tools){
		.port.ops = &toolset_ops,
		.clock = clock,
		.script = script,
		.closed = closed,
	};
	list_init(&t->calls);
}
