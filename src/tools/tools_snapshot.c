/*
 * Snapshots of a workspace around a command, so that its changes can be undone:
 * two calls of the file tool (filetool/snapshot/), each a process in a sandbox
 * that shows the workspace read-only and the directory of its snapshots to write.
 *
 *   start ──► (timer) ──► done            no place for snapshots, or no sandbox
 *     │
 *     └──► asked ──► started ──► exited ──► both streams at their end ──► done
 *
 * A snapshot that cannot be taken does not stop the command: the end of the call
 * says what undo does not cover.
 */
#include "tools/tools_snapshot.h"

#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "base/jw.h"

#include <unistd.h>

#define NAME_DIGITS 16
#define DRAIN_MS 2000

struct tools_snapshot {
	struct list node;
	struct supervisor_job job;
	struct tools *tools;
	struct arena *mem;
	struct sandbox_plan plan;
	struct clock_timer timer;
	struct str id, request;
	struct stream *in, *out, *err;
	struct buf before, report;
	struct str why; /* it failed; absent: it did not */
	bool is_exited, is_out_ended, is_err_ended, is_asked;
	tools_snapshot_done done;
	void *owner;
};

static void snapshot_free(struct tools_snapshot *s)
{
	struct clock *c = s->tools->o.clock;

	list_remove(&s->node);
	c->ops->stop(c, &s->timer);
	if (s->is_asked)
		supervisor_host_drop(s->tools->o.host, &s->job);
	stream_abandon(&s->in);
	stream_abandon(&s->out);
	stream_abandon(&s->err);
	buf_done(&s->before);
	buf_done(&s->report);
	arena_free(s->mem);
}

static void snapshot_fail(struct tools_snapshot *s, struct str why)
{
	if (!str_is(s->why))
		s->why = arena_keep(s->mem, why);
}

/* ---- the end ---- */

static void read_report(struct tools_snapshot *s, struct json *ret)
{
	struct json r;
	struct error e;

	if (str_is(s->why))
		return;
	if (s->report.overflowed || s->before.overflowed ||
	    json_read(s->mem, buf_str(&s->report), &r, &e) != OK)
		snapshot_fail(s, STR("the comparison of the workspace did not end in order"));
	else if (json_is(JSON_GET(r, "category")))
		snapshot_fail(s, json_str(JSON_GET(r, "message")));
	else
		*ret = JSON_GET(r, "structured");
}

static void snapshot_finish(struct tools_snapshot *s)
{
	struct tools_snapshot_end end = { 0 };

	read_report(s, &end.report);
	end.why = s->why;
	end.mem = s->mem;
	/* The first byte says that several files follow. */
	end.before = s->before.len ? str_skip(buf_str(&s->before), 1) : STR("");
	s->done(s->owner, &end);
	snapshot_free(s);
}

static void maybe_finish(struct tools_snapshot *s)
{
	if (s->is_exited && s->is_out_ended && s->is_err_ended)
		snapshot_finish(s);
}

/* A failure to report, or a pipe that does not end. */
static void on_time(struct clock_timer *t)
{
	snapshot_finish(OWNER_OF(t, struct tools_snapshot, timer));
}

static void arm_timer(struct tools_snapshot *s, int64_t delay_ms)
{
	struct clock *c = s->tools->o.clock;

	c->ops->start(c, &s->timer, delay_ms);
}

/* ---- what the process says ---- */

static void on_out(struct stream *s, struct str bytes)
{
	buf_add_str(&((struct tools_snapshot *)stream_user(s))->before, bytes);
}

static void on_err(struct stream *s, struct str bytes)
{
	buf_add_str(&((struct tools_snapshot *)stream_user(s))->report, bytes);
}

static void on_in(struct stream *s, struct str bytes)
{
	(void)s, (void)bytes;
}

static void on_out_end(struct stream *stream)
{
	struct tools_snapshot *s = stream_user(stream);

	s->is_out_ended = true;
	stream_abandon(&s->out);
	maybe_finish(s);
}

static void on_err_end(struct stream *stream)
{
	struct tools_snapshot *s = stream_user(stream);

	s->is_err_ended = true;
	stream_abandon(&s->err);
	maybe_finish(s);
}

static void on_in_end(struct stream *stream)
{
	struct tools_snapshot *s = stream_user(stream);

	stream_abandon(&s->in);
}

static const struct stream_ops out_ops = { .on_read = on_out, .on_gone = on_out_end };
static const struct stream_ops err_ops = { .on_read = on_err, .on_gone = on_err_end };
static const struct stream_ops in_ops = { .on_read = on_in, .on_gone = on_in_end };

static struct stream *open_stream(struct tools_snapshot *s, int fd, const struct stream_ops *ops)
{
	struct stream *stream = NULL;
	struct error e;

	if (fd < 0)
		return NULL;
	if (stream_open_fd(s->tools->o.loop, fd, &stream, &e) != OK) {
		snapshot_fail(s, str_from(e.message));
		return NULL;
	}
	stream_own(stream, ops, s);
	return stream;
}

static struct tools_snapshot *snapshot_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct tools_snapshot, job);
}

static void job_started(struct supervisor_job *j, const struct supervisor_started *st)
{
	struct tools_snapshot *s = snapshot_of(j);

	if (st->pidfd >= 0)
		close(st->pidfd);
	s->in = open_stream(s, st->stdin_fd, &in_ops);
	s->out = open_stream(s, st->stdout_fd, &out_ops);
	s->err = open_stream(s, st->stderr_fd, &err_ops);
	s->is_out_ended = !s->out;
	s->is_err_ended = !s->err;
	if (s->in)
		stream_write(s->in, s->request);
	if (s->out)
		stream_resume(s->out);
	if (s->err)
		stream_resume(s->err);
}

static void job_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	struct tools_snapshot *s = snapshot_of(j);

	snapshot_fail(s, r->reason);
	arm_timer(s, 0);
}

static void job_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	struct tools_snapshot *s = snapshot_of(j);

	s->is_exited = true;
	if (str_eq(x->cause, STR("timeout")))
		snapshot_fail(s, STR("the workspace is too large to be compared in time"));
	arm_timer(s, DRAIN_MS);
	maybe_finish(s);
}

static void job_lost(struct supervisor_job *j)
{
	struct tools_snapshot *s = snapshot_of(j);

	snapshot_fail(s, STR("the supervisor ended"));
	arm_timer(s, 0);
}

static const struct supervisor_job_ops job_ops = {
	.started = job_started, .refused = job_refused, .exited = job_exited, .lost = job_lost
};

/* ---- the beginning ---- */

struct str tools_snapshot_dir(struct tools *t, struct arena *mem, struct str cwd)
{
	struct sha256 hash = sha256_of(cwd);
	struct str all, one;

	if (!tools_cache_is_apart(t, cwd))
		return STR_NONE;
	all = arena_printf(mem, "%.*s/" TOOLS_SNAPSHOT_DIR, STR_ARG(t->o.cache_dir));
	one = arena_printf(mem, "%.*s/%.*s", STR_ARG(all),
	                   STR_ARG(str_head(sha256_hex(mem, &hash), NAME_DIGITS)));
	if (!tools_cache_make(t->o.cache_dir) || !tools_cache_make(all) || !tools_cache_make(one))
		return STR_NONE;
	tools_cache_touch(one);
	return one;
}

static struct str request_of(struct arena *mem, const struct tools_snapshot_wish *wish)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "tool", wish->is_compare ? STR("snapshot-compare") : STR("snapshot-take"));
	JW_KEY(&w, "args");
	jw_obj(&w);
	JW_KSTR(&w, "dir", wish->dir);
	JW_KSTR(&w, "call", wish->call_id);
	jw_obj_end(&w);
	JW_KSTR(&w, "cwd", wish->cwd);
	JW_KEY(&w, "roots");
	jw_arr(&w);
	jw_str(&w, wish->cwd);
	jw_arr_end(&w);
	JW_KEY(&w, "denied");
	jw_arr(&w);
	for (size_t i = 0; i < wish->plan->deny_rules.count; i++)
		jw_str(&w, wish->plan->deny_rules.at[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	buf_add_char(&text, '\n');
	return arena_keep(mem, buf_str(&text));
}

static void request_run(struct tools_snapshot *s)
{
	struct supervisor_host *host = s->tools->o.host;
	struct str file[] = { supervisor_host_program(host), STR("file-tool") };
	struct supervisor_run run = {
		.id = s->id, .plan = &s->plan, .argv = { file, COUNT_OF(file) }, .stdin_pipe = true
	};

	s->is_asked = true;
	s->job.ops = &job_ops;
	supervisor_host_run(host, &s->job, &run);
}

struct tools_snapshot *tools_snapshot_start(struct tools *t, const struct tools_snapshot_wish *wish,
                                            tools_snapshot_done done, void *owner)
{
	struct arena *mem = wish->mem;
	struct tools_snapshot *s = ARENA_NEW(mem, struct tools_snapshot);

	s->tools = t;
	s->mem = mem;
	s->done = done;
	s->owner = owner;
	s->timer.fire = on_time;
	s->before.max = TOOL_BEFORE_MAX;
	s->report.max = TOOL_REPORT_MAX;
	s->id = arena_printf(mem, "%.*s.%s", STR_ARG(wish->call_id),
	                     wish->is_compare ? "after" : "before");
	list_add(&t->snapshots, &s->node);
	if (str_is(wish->why))
		snapshot_fail(s, wish->why);
	if (str_is(s->why)) {
		arm_timer(s, 0);
		return s;
	}
	s->plan = *wish->plan;
	s->request = request_of(mem, wish);
	request_run(s);
	return s;
}

void tools_snapshot_drop(struct tools_snapshot *s)
{
	if (s)
		snapshot_free(s);
}

void tools_snapshot_drop_all(struct tools *t)
{
	LIST_EACH_SAFE (&t->snapshots, node, next)
		snapshot_free(LIST_ITEM(node, struct tools_snapshot, node));
}
