/*
 * Hooks that are commands: the supervisor starts them, the input goes to their standard input,
 * and their output is read until they end.
 *
 * The run ends when three things have happened, in any order: the exit was reported, and both
 * output streams are at their end.  on_drained() bounds the wait for the streams.
 */
#include "hooks/hooks_int.h"

#include <unistd.h>

#define STOP_GRACE_MS 500
#define DRAIN_MS 1000

static void maybe_end(struct hook_handle *h)
{
	if (!h->is_over || h->out_stream || h->err_stream)
		return;
	if (h->exit.has_code)
		hooks_tell(h, &(struct hook_end){ .result = HOOK_ANSWERED,
		                                  .exit_code = h->exit.code,
		                                  .has_exit_code = true });
	else
		hooks_tell(h, &(struct hook_end){
				      .result = HOOK_BROKE,
				      .message = STR("it was ended before it could answer") });
}

/* ---- streams ---- */

static void on_unread(struct stream *s, struct str bytes)
{
	(void)s, (void)bytes;
}

/*
 * What exceeds the limit is counted and dropped: a hook that floods must not block on a full
 * pipe, because it would never end.
 */
static void on_out(struct stream *s, struct str bytes)
{
	struct hook_handle *h = stream_user(s);
	struct buf *b = s == h->out_stream ? &h->out : &h->err;
	struct str fits = str_head(bytes, b->max - b->len);

	buf_add_str(b, fits);
	h->left_out += (int64_t)(bytes.len - fits.len);
}

static void on_out_end(struct stream *s)
{
	struct hook_handle *h = stream_user(s);

	stream_abandon(s == h->out_stream ? &h->out_stream : &h->err_stream);
	maybe_end(h);
}

/* A hook that does not read its input closes it or exits; that is no error. */
static void on_in_end(struct stream *s)
{
	struct hook_handle *h = stream_user(s);

	stream_abandon(&h->in);
}

static const struct stream_ops out_ops = { .on_read = on_out, .on_gone = on_out_end };
static const struct stream_ops in_ops = { .on_read = on_unread,
	                                  .on_gone = on_in_end,
	                                  .on_drain = on_in_end };

static struct stream *open_stream(struct hook_handle *h, int fd, const struct stream_ops *ops)
{
	struct stream *s = NULL;
	struct error e;

	if (fd < 0 || stream_open_fd(h->set->o.loop, fd, &s, &e) != OK)
		return NULL;
	stream_own(s, ops, h);
	return s;
}

/* ---- the job ---- */

static struct hook_handle *run_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct hook_handle, job);
}

static void on_started(struct supervisor_job *j, const struct supervisor_started *s)
{
	struct hook_handle *h = run_of(j);

	if (s->pidfd >= 0)
		close(s->pidfd);
	h->in = open_stream(h, s->stdin_fd, &in_ops);
	h->out_stream = open_stream(h, s->stdout_fd, &out_ops);
	h->err_stream = open_stream(h, s->stderr_fd, &out_ops);
	if (h->in) {
		/* The input is closed after the JSON. */
		stream_low_water(h->in, 0);
		stream_write(h->in, h->input);
		if (!h->row->is_raw)
			stream_write(h->in, STR("\n"));
		stream_write_flush(h->in);
		if (!stream_write_pending(h->in))
			stream_abandon(&h->in);
	}
	if (h->out_stream)
		stream_resume(h->out_stream);
	if (h->err_stream)
		stream_resume(h->err_stream);
}

static void on_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	struct hook_handle *h = run_of(j);
	struct str reason = arena_keep(h->mem, r->reason);
	enum sandbox_tier tier = h->plan.tier;
	struct error e;

	/* as for tools: these roots do not support this tier, so a weaker one is tried */
	if (r->is_unsupported && tier > SANDBOX_NONE && !h->set->o.is_fail_closed &&
	    sandbox_plan_make_weaker(h->mem, supervisor_host_machine(h->set->o.host), &h->wish,
	                             tier, reason, &h->plan, &e) == OK) {
		supervisor_host_run(h->set->o.host, &h->job, &h->run);
		return;
	}
	hooks_tell(h, &(struct hook_end){ .result = HOOK_NOT_STARTED, .message = reason });
}

/* A process that the hook left behind holds its pipes open: only what was written so far counts. */
static void on_drained(struct loop_timer *t)
{
	struct hook_handle *h = OWNER_OF(t, struct hook_handle, timer);

	stream_abandon(&h->out_stream);
	stream_abandon(&h->err_stream);
	maybe_end(h);
}

/* The timer served as the deadline until now; from here it bounds the draining of the pipes. */
static void on_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	struct hook_handle *h = run_of(j);

	h->exit = *x;
	h->is_over = true;
	loop_timer_start(h->set->o.loop, &h->timer, DRAIN_MS, on_drained);
	maybe_end(h);
}

static void on_lost(struct supervisor_job *j)
{
	struct hook_handle *h = run_of(j);

	hooks_tell(h, &(struct hook_end){ .result = HOOK_BROKE,
	                                  .message = STR("the supervisor ended while it ran") });
}

static const struct supervisor_job_ops job_ops = {
	.started = on_started, .refused = on_refused, .exited = on_exited, .lost = on_lost
};

void hooks_command(struct hook_handle *h, struct str cwd)
{
	struct error e;

	if (!h->set->o.host) {
		hooks_trouble(h, STR("there is no thole-supervisor to start it"));
		return;
	}
	if (supervisor_host_ready(h->set->o.host, &e) != OK ||
	    hooks_rights_prepare(h, cwd, &e) != OK) {
		hooks_trouble(h, arena_keep(h->mem, str_from(e.message)));
		return;
	}
	h->job.ops = &job_ops;
	supervisor_host_run(h->set->o.host, &h->job, &h->run);
}

void hooks_command_stop(struct hook_handle *h)
{
	supervisor_host_kill(h->set->o.host, &h->job, STOP_GRACE_MS);
}

void hooks_command_drop(struct hook_handle *h)
{
	if (h->set->o.host)
		supervisor_host_drop(h->set->o.host, &h->job);
	stream_abandon(&h->in);
	stream_abandon(&h->out_stream);
	stream_abandon(&h->err_stream);
}
