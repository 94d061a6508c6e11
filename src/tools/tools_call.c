/*
 * One tool call, from the request to the supervisor to its end.
 *
 *   tools_call_start ──► (timer) ──► end                     failed before the supervisor was called
 *       │
 *       ├──► snapshot of the workspace ──┐                     a command that may write
 *       │                                ▼
 *       └──────────────────────────────► asked ──► refused ──► (timer) ──► end
 *              │
 *              └──► started ──► exited ──► both streams at their end ──► comparison ──► end
 *                      │
 *                      │ writing tools: B + content ──► sealed ──► "go" ──┐
 *                      ▲──────────────────────────────────────────────────┘
 *
 * cancel() leads to `exited` by killing the sandbox; the loss of the supervisor
 * leads to the end by the timer.
 */
#include "tools/tools_snapshot.h"

#include "base/gen/tool_args.h"
#include "base/jw.h"
#include "base/path/path.h"
#include "sandbox/sandbox_advice.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define CANCEL_GRACE_MS 500
#define DRAIN_MS 2000 /* for a pipe that outlives the last process of the sandbox */

static void call_free(struct tool_handle *h);
static void maybe_end(struct tool_handle *h);

static void call_arm(struct tool_handle *h, int64_t delay_ms)
{
	struct clock *c = h->tools->o.clock;

	c->ops->start(c, &h->timer, delay_ms);
}

void tools_call_fail(struct tool_handle *h, struct tool_error error)
{
	if (!str_is(h->error.category)) /* the first reason counts */
		h->error = error;
}

static void kill_sandbox(struct tool_handle *h, int64_t grace_ms)
{
	if (!h->is_running || h->is_over)
		return;
	supervisor_host_kill(h->tools->o.host, &h->job, grace_ms);
}

/* ---- streams ---- */

static void on_unread(struct stream *s, struct str bytes)
{
	(void)s, (void)bytes;
}

/* After a callback: whether the call still exists. */
static bool is_alive(struct tool_handle *h)
{
	h->is_busy = false;
	if (!h->is_closed)
		return true;
	call_free(h);
	return false;
}

/* False: the call was freed by the callback. */
static bool put_out(struct tool_handle *h, struct str data)
{
	int64_t room = h->plan.limits.max_output_bytes - h->out_bytes;
	struct str fits =
		str_head(data, room < (int64_t)data.len ? (size_t)MAX(room, 0) : data.len);

	h->out_bytes += (int64_t)fits.len;
	h->dropped_bytes += (int64_t)(data.len - fits.len);
	if (!fits.len)
		return true;
	h->is_busy = true;
	h->sink.output(h->owner, fits);
	return is_alive(h);
}

/* ---- the old content ---- */

/*
 * Before a writing tool changes a file, it sends the old content on its standard output and
 * waits.  Only when the blob with that content is sealed (durable) does it get "go" and writes.
 * So every change can be undone, whatever crashes afterwards.
 */

/* Of an approved call: the tool gets its temporary files from the supervisor. */
static bool is_prepared_outside(const struct tool_handle *h)
{
	return h->plan.opened_paths.count && sandbox_tier_has_namespaces(h->plan.tier);
}

static void allow_write(struct tool_handle *h)
{
	if (!h->in || h->is_cancelled || str_is(h->error.category))
		return;
	if (is_prepared_outside(h))
		supervisor_host_prepare(h->tools->o.host, &h->job);
	else
		stream_write(h->in, STR("go\n"));
}

/* Behind "go" comes one line: the list of temporary files. */
static void call_prepared(struct supervisor_job *j, struct json files, struct str why)
{
	struct tool_handle *h = OWNER_OF(j, struct tool_handle, job);

	if (!h->in || h->is_cancelled || str_is(h->error.category))
		return;
	if (str_is(why)) {
		tools_call_fail(h, tool_error_could_be_changed(h->mem, why));
		kill_sandbox(h, 0);
		return;
	}
	stream_write(h->in, arena_printf(h->mem, "go\n%.*s\n", STR_ARG(json_text(h->mem, files))));
}

static void on_sealed(void *owner, const struct blob_sealed *s)
{
	struct tool_handle *h = owner;

	h->kept = s->result == OK ? KEPT_SAFE : KEPT_FAILED;
	if (s->result != OK) {
		tools_call_fail(h,
		                tool_error_before_not_stored(h->mem, str_from(s->error.message)));
		kill_sandbox(h, 0);
	} else {
		allow_write(h);
	}
	maybe_end(h);
}

/* The first byte says which: N, there was no file; B, its content follows. */
static void keep_before(struct tool_handle *h, struct str bytes)
{
	struct blobs *b = h->tools->o.blobs;

	if (h->kept == KEPT_NOT && bytes.len) {
		h->kept = bytes.ptr[0] == 'N' ? KEPT_NEW : KEPT_GROWING;
		bytes = str_skip(bytes, 1);
		/* named after the call, so that recovery finds it after a crash */
		if (h->kept == KEPT_GROWING) {
			h->before_ref = arena_printf(h->mem, "before_%.*s", STR_ARG(h->id));
			h->writer = b->ops->open(b, h->before_ref);
		}
	}
	if (h->kept == KEPT_GROWING && bytes.len) {
		buf_add_str(&h->before, bytes);
		b->ops->write(b, h->writer, bytes);
	}
}

static void before_is_whole(struct tool_handle *h)
{
	struct blobs *b = h->tools->o.blobs;

	if (h->kept == KEPT_NEW)
		allow_write(h);
	if (h->kept != KEPT_GROWING)
		return;
	if (h->before.overflowed) {
		tools_call_fail(h, tool_error_before_too_large());
		kill_sandbox(h, 0);
	}
	h->kept = KEPT_SEALING;
	b->ops->seal(b, h->writer, on_sealed, h);
	h->writer = NULL;
}

/* ---- what the process says ---- */

static void on_out(struct stream *s, struct str bytes)
{
	struct tool_handle *h = stream_user(s);

	if (tools_need(h->row) == NEED_WRITE)
		keep_before(h, bytes);
	else
		put_out(h, bytes);
}

static void on_out_end(struct stream *s)
{
	struct tool_handle *h = stream_user(s);

	h->is_out_ended = true;
	stream_abandon(&h->out);
	if (tools_need(h->row) == NEED_WRITE)
		before_is_whole(h);
	maybe_end(h);
}

/* File tools report their result on standard error; standard output carries content. */
static void on_err(struct stream *s, struct str bytes)
{
	struct tool_handle *h = stream_user(s);

	buf_add_str(&h->report, bytes);
}

static void on_err_end(struct stream *s)
{
	struct tool_handle *h = stream_user(s);

	h->is_err_ended = true;
	stream_abandon(&h->err);
	maybe_end(h);
}

/* The tool has stopped reading its input; it reports the reason on its standard error. */
static void on_in_end(struct stream *s)
{
	struct tool_handle *h = stream_user(s);

	stream_abandon(&h->in);
}

static const struct stream_ops out_ops = { .on_read = on_out, .on_gone = on_out_end };
static const struct stream_ops err_ops = { .on_read = on_err, .on_gone = on_err_end };
static const struct stream_ops in_ops = { .on_read = on_unread, .on_gone = on_in_end };

static struct stream *open_stream(struct tool_handle *h, int fd, const struct stream_ops *ops)
{
	struct stream *s = NULL;
	struct error e;

	if (fd < 0)
		return NULL;
	if (stream_open_fd(h->tools->o.loop, fd, &s, &e) != OK) {
		tools_call_fail(h, tool_error_no_channel(h->mem, str_from(e.message)));
		kill_sandbox(h, 0);
		return NULL;
	}
	stream_own(s, ops, h);
	return s;
}

/* What sandboxes have made below the directory, and will remove. */
static void write_placeholders(struct tool_handle *h, struct json_writer *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_paths all;
	size_t count = 0;

	supervisor_host_placeholders(h->tools->o.host, mem, &all);
	JW_KEY(w, "placeholders");
	jw_arr(w);
	for (size_t i = 0; i < all.count && count < SANDBOX_PLAN_PATHS_MAX; i++) {
		if (!path_is_under(all.at[i], h->cwd))
			continue;
		jw_str(w, all.at[i]);
		count++;
	}
	jw_arr_end(w);
}

/* One line of JSON; the input stays open, because "go" follows for a writing tool. */
static void send_request(struct tool_handle *h)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "tool", h->row->name);
	JW_KEY(&w, "args");
	jw_value(&w, h->args);
	JW_KSTR(&w, "cwd", h->cwd);
	JW_KOPT(&w, "unsaved", h->unsaved);
	if (str_is(h->restore)) {
		JW_KEY(&w, "restore");
		jw_raw(&w, h->restore);
	}
	JW_KEY(&w, "roots");
	jw_arr(&w);
	jw_str(&w, h->cwd);
	jw_arr_end(&w);
	if (str_eq(h->row->name, STR("list_dir")))
		write_placeholders(h, &w);
	if (str_is(h->resolved)) {
		JW_KEY(&w, "resolved");
		jw_raw(&w, h->resolved);
	}
	/* A user puts back what was there before. */
	if (!str_is(h->restore) && h->plan.protected_paths.count) {
		JW_KEY(&w, "protected");
		jw_arr(&w);
		for (size_t i = 0; i < h->plan.protected_paths.count; i++)
			jw_str(&w, h->plan.protected_paths.at[i]);
		jw_arr_end(&w);
	}
	if (is_prepared_outside(h)) {
		JW_KEY(&w, "opened");
		jw_arr(&w);
		for (size_t i = 0; i < h->plan.opened_paths.count; i++)
			jw_str(&w, h->plan.opened_paths.at[i]);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	buf_add_char(&text, '\n');
	stream_write(h->in, buf_str(&text));
}

static struct tool_handle *call_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct tool_handle, job);
}

static void call_started(struct supervisor_job *j, const struct supervisor_started *s)
{
	struct tool_handle *h = call_of(j);

	h->is_started = true;
	h->pid = s->pid;
	if (s->pidfd >= 0)
		close(s->pidfd);
	h->in = open_stream(h, s->stdin_fd, &in_ops);
	h->out = open_stream(h, s->stdout_fd, &out_ops);
	h->err = open_stream(h, s->stderr_fd, &err_ops);
	h->is_out_ended = !h->out;
	h->is_err_ended = !h->err;
	if (h->in)
		send_request(h);
	if (h->row->is_command) {
		h->is_busy = true;
		h->sink.started(h->owner, h->pid);
		if (!is_alive(h))
			return;
	}
	if (h->out && !h->is_paused)
		stream_resume(h->out);
	if (h->err)
		stream_resume(h->err);
}

/* ---- how it ends ---- */

void tools_call_not_begun(struct tool_handle *h, const struct supervisor_refused *r)
{
	bool is_spawn = str_eq(r->kind, STR("spawn"));
	bool is_dir = str_is(tool_args_shell(h->args).cwd) && str_is(r->err_name) &&
	              (str_eq(r->err_name, STR("ENOENT")) || str_eq(r->err_name, STR("ENOTDIR")) ||
	               str_eq(r->err_name, STR("EACCES")));

	h->is_over = true;
	if (r->is_unsupported && !h->tools->o.is_fail_closed) {
		tools_plan_learn(h->tools, h, r->reason);
		tools_call_fail(h, tool_error_weaker_sandbox_next(h->mem, r->reason));
	} else if (is_spawn) {
		tools_call_fail(h, tool_error_not_started(h->mem, r->reason));
	} else if (is_dir) {
		tools_call_fail(h, tool_error_cwd_unusable(h->mem, r->reason));
	} else {
		tools_call_fail(h, tool_error_no_sandbox(h->mem, r->reason));
	}
	/* No stream was opened, so there is none to wait for. */
	h->is_out_ended = h->is_err_ended = true;
	call_arm(h, 0);
}

static void call_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	tools_call_not_begun(call_of(j), r);
}

bool tools_call_tell_violation(struct tool_handle *h, const struct tool_violation *v)
{
	/* a recursive listing meets hidden directories too: that is reported and does not fail the call */
	if (v->is_blocked && !v->has_fallback && !h->has_blocked &&
	    !str_eq(v->operation, STR("list"))) {
		h->has_blocked = true;
		h->refused_what =
			str_is(v->host)
				? arena_printf(h->mem, "%.*s to %.*s:%lld", STR_ARG(v->operation),
		                               STR_ARG(v->host), (long long)v->port)
				: arena_printf(h->mem, "%.*s%s%.*s", STR_ARG(v->operation),
		                               str_is(v->path) ? " of " : "", STR_ARG(v->path));
	}
	h->is_busy = true;
	h->sink.violation(h->owner, v);
	return is_alive(h);
}

/*
 * Adds to the supervisor's report what would allow the operation: advice for the person who is
 * asked.
 */
struct tool_violation tools_call_violation_of(struct arena *mem, const struct sandbox_plan *plan,
                                              const struct supervisor_violation *v)
{
	const struct sandbox_denial hit = { .kind = v->kind,
		                            .call = v->call,
		                            .host = v->host,
		                            .path = v->path,
		                            .address = v->address,
		                            .port = v->port };

	enum violation_kind kind = rec_enum_read(&enum_violation_kind, v->kind);
	struct tool_violation told = {
		.kind = kind ? kind : VIOLATION_KIND_PERMISSION,
		.operation = v->operation,
		.path = v->path,
		.host = v->host,
		.syscall = v->call,
		.err_name = v->err_name,
		.port = v->port,
		.count = v->count,
		.is_blocked = v->is_blocked,
		.has_fallback = v->has_fallback,
		.rule = v->rule,
		.address = v->address,
		.would_allow = sandbox_advice_rule(mem, plan, &hit),
		.needs = sandbox_advice_override(mem, &hit),
	};

	if (str_eq(v->kind, STR("filesystem")) && str_is(v->path))
		tools_deny_advise(mem, plan, &told);
	return told;
}

static void call_violation(struct supervisor_job *j, const struct supervisor_violation *v)
{
	struct tool_handle *h = call_of(j);
	struct tool_violation n = tools_call_violation_of(h->mem, &h->plan, v);

	if (!tools_call_tell_violation(h, &n))
		return;
}

/* The message is freed after the callback, so its texts are copied. */
static void call_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	struct tool_handle *h = call_of(j);

	h->exit = *x;
	h->exit.signal = arena_keep(h->mem, x->signal);
	h->exit.cause = arena_keep(h->mem, x->cause);
	h->exit.hosts = (struct json){ NULL };
	h->hosts = json_is(x->hosts) ? json_text(h->mem, x->hosts) : STR_NONE;
	h->is_over = true;
	stream_abandon(&h->in);
	/* A paused reader keeps the pipe full on purpose; the drain time starts when it resumes. */
	if (!h->is_paused)
		call_arm(h, DRAIN_MS);
	maybe_end(h);
}

void tools_call_lost_before(struct tool_handle *h)
{
	h->is_over = h->is_lost = true;
	call_arm(h, 0);
}

static void call_lost(struct supervisor_job *j)
{
	tools_call_lost_before(call_of(j));
}

static const struct supervisor_job_ops job_ops = { .started = call_started,
	                                           .refused = call_refused,
	                                           .violation = call_violation,
	                                           .prepared = call_prepared,
	                                           .exited = call_exited,
	                                           .lost = call_lost };

static void call_report(struct tool_handle *h)
{
	struct ending *x = &h->ending;

	if (x->has_violation && !tools_call_tell_violation(h, &x->violation))
		return;
	if (str_is(x->text) && !put_out(h, x->text))
		return;
	list_remove(&h->node);
	h->sink.end(h->owner, &x->end);
	call_free(h);
}

static void call_diagnosed(struct tool_handle *h, struct str text)
{
	if (str_is(text))
		h->ending.text = arena_printf(
			h->mem, "%.*s%.*s",
			STR_ARG(str_is(h->ending.text) ? h->ending.text : STR("")), STR_ARG(text));
	/* from the loop: the caller is still walking its list */
	call_arm(h, 0);
}

/* A change of files waits for diagnostics; the timer bounds that. */
static void call_finish(struct tool_handle *h)
{
	bool was_filled = h->has_ending;

	if (!was_filled || h->is_cancelled)
		tools_end_fill(h, &h->ending);
	h->has_ending = true;
	if (!was_filled && tools_diagnose_begin(h, call_diagnosed)) {
		call_arm(h, tools_diagnose_patience(h->tools));
		return;
	}
	tools_diagnose_drop(h);
	call_report(h);
}

/* The process continues in the background; the call ends with the report that it runs. */
void tools_call_began(struct tool_handle *h, pid_t pid)
{
	h->is_started = h->is_over = h->is_out_ended = h->is_err_ended = true;
	h->is_busy = true;
	h->sink.started(h->owner, pid);
	if (is_alive(h))
		call_finish(h);
}

/* ---- undo of a command ---- */

/* The message is freed after the callback, so what is needed later is copied. */
static void on_compared(void *owner, const struct tools_snapshot_end *end)
{
	struct tool_handle *h = owner;
	struct error e;

	h->cover.snapshot = NULL;
	h->cover.state = COVERED_DONE;
	if (!str_is(end->why) &&
	    json_read_trusted(h->mem, json_text(h->mem, end->report), &h->cover.changes, &e) == OK)
		buf_add_str(&h->before, end->before);
	h->cover.not_covered = tools_end_not_covered(h->mem, end->why, end->report);
	maybe_end(h);
}

/* Also when there can be none: done gets the reason. */
static struct tools_snapshot *start_snapshot(struct tools *t, struct tools_snapshot_wish *wish,
                                             struct str deny, tools_snapshot_done done, void *owner)
{
	struct arena *mem = arena_new();
	struct sandbox_plan *plan = ARENA_NEW(mem, struct sandbox_plan);
	struct error e;

	wish->mem = mem;
	wish->dir = tools_snapshot_dir(t, mem, wish->cwd);
	wish->plan = plan;
	if (!str_is(wish->dir))
		wish->why = STR("there is no directory for snapshots outside of the workspace "
		                "(sandbox.cache)");
	else if (supervisor_host_ready(t->o.host, &e) != OK ||
	         tools_plan_snapshot(t, mem, wish->cwd, deny.len ? deny : STR_NONE, wish->dir, plan,
	                             &e) != OK)
		wish->why = arena_keep(mem, str_from(e.message));
	return tools_snapshot_start(t, wish, done, owner);
}

static void compare_workspace(struct tool_handle *h)
{
	struct tools_snapshot_wish wish = { .call_id = h->id, .cwd = h->cwd, .is_compare = true };

	h->cover.state = COVERED_COMPARING;
	h->cover.snapshot = start_snapshot(h->tools, &wish, h->deny, on_compared, h);
}

/*
 * The end needs all of: the exit, both streams at their end, no blob being sealed, no
 * callback of this call on the stack, and of a command what it changed.
 */
static void maybe_end(struct tool_handle *h)
{
	if (!h->is_over || !h->is_out_ended || !h->is_err_ended || h->kept == KEPT_SEALING ||
	    h->is_busy || h->checker || h->cover.state == COVERED_TAKING ||
	    h->cover.state == COVERED_COMPARING)
		return;
	if (h->cover.state == COVERED_TAKEN && h->is_running)
		compare_workspace(h);
	else
		call_finish(h);
}

/* An error to report, a lost supervisor, or a pipe that does not end. */
static void on_time(struct clock_timer *timer)
{
	struct tool_handle *h = OWNER_OF(timer, struct tool_handle, timer);

	if (h->is_paused && h->out && !h->is_lost && !h->is_cancelled) {
		call_arm(h, DRAIN_MS);
		return;
	}
	stream_abandon(&h->in);
	stream_abandon(&h->out);
	stream_abandon(&h->err);
	h->is_over = h->is_out_ended = h->is_err_ended = true;
	tools_diagnose_drop(h);
	maybe_end(h);
}

static void call_free(struct tool_handle *h)
{
	struct clock *c = h->tools->o.clock;

	c->ops->stop(c, &h->timer);
	tools_diagnose_drop(h);
	tools_process_abandon(h);
	tools_snapshot_drop(h->cover.snapshot);
	supervisor_host_drop(h->tools->o.host, &h->job);
	stream_abandon(&h->in);
	stream_abandon(&h->out);
	stream_abandon(&h->err);
	buf_done(&h->report);
	buf_done(&h->before);
	if (h->row && tools_need(h->row) == NEED_SHELL)
		tools_cache_trim(h->tools);
	arena_free(h->mem);
}

/* ---- the port ---- */

static void request_run(struct tool_handle *h)
{
	struct tools *t = h->tools;
	bool is_shell = tools_need(h->row) == NEED_SHELL;
	struct tool_args_start_process a = tool_args_start_process(h->args);
	struct str shell[] = { tools_plan_shell(), STR("-c"), a.command };
	struct str file[] = { supervisor_host_program(t->o.host), STR("file-tool") };
	bool is_background = h->row->is_background;
	struct supervisor_run run = {
		.id = h->id,
		.plan = &h->plan,
		.argv = is_shell ? (struct sandbox_paths){ shell, COUNT_OF(shell) }
		                 : (struct sandbox_paths){ file, COUNT_OF(file) },
		.stdin_pipe = !is_shell || is_background,
		.pty = is_background && a.pty,
		.rows = (int)a.rows,
		.cols = (int)a.cols,
		.is_merged = is_shell
	};

	tools_plan_env(t, h, &run.env);
	h->is_running = true;
	if (is_background) {
		tools_process_begin(h, h->process_id,
		                    t->o.blobs->ops->raw(t->o.blobs, h->mem, h->output_ref), &run);
		return;
	}
	h->job.ops = &job_ops;
	supervisor_host_run(t->o.host, &h->job, &run);
}

static void on_taken(void *owner, const struct tools_snapshot_end *end)
{
	struct tool_handle *h = owner;

	h->cover.snapshot = NULL;
	h->cover.state = str_is(end->why) ? COVERED_NOT : COVERED_TAKEN;
	if (str_is(end->why))
		h->cover.not_covered = tools_end_not_covered(h->mem, end->why, end->report);
	request_run(h);
}

/* A command in the foreground that can write the workspace. */
static bool is_undoable(const struct tool_handle *h)
{
	return tools_need(h->row) == NEED_SHELL && !h->row->is_background &&
	       h->tools->o.takes_snapshots && h->plan.mode != SANDBOX_READ_ONLY;
}

static void call_begin(struct tool_handle *h)
{
	struct tools_snapshot_wish wish;

	if (!is_undoable(h)) {
		request_run(h);
		return;
	}
	h->cover.state = COVERED_TAKING;
	wish = (struct tools_snapshot_wish){ .call_id = h->id, .cwd = h->cwd };
	h->cover.snapshot = start_snapshot(h->tools, &wish, h->deny, on_taken, h);
}

static struct tool_error no_plan(struct arena *mem, enum err code, const struct error *e)
{
	struct str cause = str_from(e->message);

	return code == ERR_INVALID     ? tool_error_bad_request(mem, cause)
	       : code == ERR_NOT_FOUND ? tool_error_no_directory(mem, cause)
	                               : tool_error_no_sandbox(mem, cause);
}

struct tool_handle *tools_call_start(struct toolset *port, const struct tool_start *start,
                                     const struct tool_sink *sink, void *owner)
{
	struct tools *t = OWNER_OF(port, struct tools, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct error e;
	enum err err;

	h->tools = t;
	h->mem = mem;
	h->sink = *sink;
	h->owner = owner;
	h->timer.fire = on_time;
	h->id = arena_keep(mem, start->call_id);
	h->process_id = arena_keep(mem, start->process_id);
	h->unsaved = arena_keep(mem, start->unsaved);
	h->restore = arena_keep(mem, start->restore);
	h->resolved = arena_keep(mem, start->resolved);
	h->output_ref = arena_keep(mem, start->output_ref);
	h->deny = str_is(start->deny) ? arena_keep(mem, start->deny) : STR("");
	h->row = tools_find(t, start->name);
	h->is_unasked = start->is_unasked;
	h->trace = trace_context_keep(mem, start->trace);
	h->report.max = TOOL_REPORT_MAX;
	h->before.max = TOOL_BEFORE_MAX;
	list_add(&t->calls, &h->node);
	err = tools_plan_prepare(t, mem, start, &h->args, &h->cwd, &h->plan, &e);
	/* From now on a hook of the user's does not trust what lies there. */
	if (!err)
		program_guard_note(supervisor_host_guard(t->o.host), &h->plan);
	if (!h->row)
		tools_call_fail(h, tool_error_unknown_tool(mem, start->name));
	else if (err)
		tools_call_fail(h, no_plan(mem, err, &e));
	else if (h->row->is_background && !supervisor_host_has_background(t->o.host))
		tools_call_fail(h, tool_error_no_background());
	else
		call_begin(h);
	/* The caller does not have the handle yet, so the failure is reported from the loop. */
	if (!h->is_running && !h->cover.snapshot)
		call_arm(h, 0);
	return h;
}

/*
 * A command gets time to end in order; a file tool changes files atomically and is killed at
 * once.
 */
void tools_call_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->is_cancelled)
		return;
	h->is_cancelled = true;
	if (h->row && h->row->is_background) {
		tools_process_abandon(h);
		h->is_over = true;
	}
	/* It has not begun, and does not begin any more. */
	if (h->cover.state == COVERED_TAKING) {
		tools_snapshot_drop(h->cover.snapshot);
		h->cover.snapshot = NULL;
		h->cover.state = COVERED_NOT;
		h->is_over = h->is_out_ended = h->is_err_ended = true;
	}
	kill_sandbox(h, h->row && tools_need(h->row) == NEED_SHELL ? CANCEL_GRACE_MS : 0);
	/* unread output must not delay the end */
	if (h->is_paused)
		tools_call_resume(port, h);
	if (h->is_over)
		call_arm(h, 0);
}

void tools_call_pause(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->is_cancelled)
		return;
	h->is_paused = true;
	if (h->out)
		stream_pause(h->out);
}

void tools_call_resume(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (!h->is_paused)
		return;
	h->is_paused = false;
	if (h->out)
		stream_resume(h->out);
	if (h->is_over)
		call_arm(h, DRAIN_MS);
}

void tools_call_drop(struct tool_handle *h)
{
	list_remove(&h->node);
	h->is_closed = true; /* inside one of our callbacks: freed when that returns */
	if (!h->is_busy)
		call_free(h);
}

/* ---- after a crash ---- */

struct recovery {
	void (*done)(void *owner, const struct tool_end *end);
	void *owner;
};

static void on_recovered(void *owner, const struct tools_snapshot_end *found)
{
	struct recovery *r = owner;
	struct tool_end end = { 0 };

	if (!str_is(found->why))
		tools_end_changes(found->mem, found->report, found->before, &end);
	end.not_covered = tools_end_not_covered(found->mem, found->why, found->report);
	r->done(r->owner, &end);
}

void tools_call_recover(struct toolset *port, const struct tool_start *start,
                        void (*done)(void *owner, const struct tool_end *end), void *owner)
{
	struct tools *t = OWNER_OF(port, struct tools, port);
	struct recovery *r = ARENA_NEW(t->mem, struct recovery); /* a few bytes per crash */
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char full[PATH_MAX];
	bool is_there = realpath(arena_keep(mem, start->cwd).ptr, full) != NULL;
	struct tools_snapshot_wish wish = { .call_id = start->call_id,
		                            .cwd = is_there ? str_from(full) : start->cwd,
		                            .is_compare = true };

	*r = (struct recovery){ done, owner };
	start_snapshot(t, &wish, start->deny, on_recovered, r);
}
