/*
 * A server that is a program: its sandboxed process and the pipes to it.
 *
 * The process belongs to thole-supervisor.  Every failure on the way takes the same path as the
 * death of a running process: mcp_server_fail().
 */
#include "base/os/clock.h"
#include "mcp/mcp_int.h"

#include <unistd.h>

#define LAST_WORDS_MS 500
#define PROBE_MS 10000 /* then it is started again and initialised in the older way */
#define FLOOD_WINDOW_MS 250
#define FLOOD_BYTES (16 << 20)
#define UNREAD_MAX (8 << 20) /* limit of input that the server has not read */

/* ---- its streams ---- */

static void on_unread(struct stream *st, struct str bytes)
{
	(void)st, (void)bytes;
}

static void on_calm(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, flood);

	s->flood_bytes = 0;
	s->flood_since = clock_mono_ms();
	if (s->out)
		stream_resume(s->out);
}

/* Slows down reading from a server that floods, so that others get their turn. */
static void limit_flood(struct mcp_server *s, size_t bytes)
{
	int64_t now = clock_mono_ms();

	if (now - s->flood_since > FLOOD_WINDOW_MS) {
		s->flood_since = now;
		s->flood_bytes = 0;
	}
	s->flood_bytes += (int64_t)bytes;
	if (s->flood_bytes <= FLOOD_BYTES)
		return;
	stream_pause(s->out);
	loop_timer_start(s->set->o.loop, &s->flood, FLOOD_WINDOW_MS, on_calm);
}

static void on_out(struct stream *st, struct str bytes)
{
	struct mcp_server *s = stream_user(st);

	mcp_protocol_feed(s->connection, bytes);
	limit_flood(s, bytes.len);
}

/* A server that only closes its output can no longer answer, so it counts as ended. */
static void on_hung_up(struct loop_timer *t)
{
	mcp_server_fail(OWNER_OF(t, struct mcp_server, patience), STR("it closed its output"));
}

static void on_out_end(struct stream *st)
{
	struct mcp_server *s = stream_user(st);

	stream_abandon(&s->out);
	if (!s->job.is_running)
		return; /* its exit was reported */
	/* its exit usually follows immediately and has the reason */
	loop_timer_start(s->set->o.loop, &s->patience, 200, on_hung_up);
}

/* Only the end of standard error is kept: it usually says why the process stopped. */
static void on_err(struct stream *st, struct str bytes)
{
	struct mcp_server *s = stream_user(st);

	if (bytes.len > MCP_STDERR_MAX)
		bytes = str_skip(bytes, bytes.len - MCP_STDERR_MAX);
	buf_add_str(&s->noise, bytes);
	if (s->noise.len > MCP_STDERR_MAX)
		buf_drop(&s->noise, s->noise.len - MCP_STDERR_MAX);
}

static void on_err_end(struct stream *st)
{
	struct mcp_server *s = stream_user(st);

	stream_abandon(&s->err);
	if (s->ended.len)
		mcp_server_fail(s, buf_str(&s->ended));
}

static void on_in_end(struct stream *st)
{
	struct mcp_server *s = stream_user(st);

	stream_abandon(&s->in);
}

static const struct stream_ops out_ops = { .on_read = on_out, .on_gone = on_out_end };
static const struct stream_ops err_ops = { .on_read = on_err, .on_gone = on_err_end };
static const struct stream_ops in_ops = { .on_read = on_unread, .on_gone = on_in_end };

static struct stream *open_stream(struct mcp_server *s, int fd, const struct stream_ops *ops)
{
	struct stream *st = NULL;
	struct error e;

	if (fd < 0 || stream_open_fd(s->set->o.loop, fd, &st, &e) != OK)
		return NULL;
	stream_own(st, ops, s);
	return st;
}

/* ---- its process ---- */

static struct mcp_server *server_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct mcp_server, job);
}

static void on_probed(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, patience);

	if (!mcp_protocol_is_probing(s->connection)) {
		mcp_server_wait(s, LIMIT_MCP_START_MS - PROBE_MS);
		return;
	}
	/*
	 * Some servers of the older protocol do not answer unknown methods.  The two ways are
	 * not tried at the same time, because a slow server would get both.
	 */
	s->greets_first = s->is_turning = true;
	mcp_server_fail(s, STR("it did not answer the probe"));
}

static void on_started(struct supervisor_job *j, const struct supervisor_started *st)
{
	struct mcp_server *s = server_of(j);
	bool is_known = s->c.version || s->greets_first;

	if (st->pidfd >= 0)
		close(st->pidfd);
	s->in = open_stream(s, st->stdin_fd, &in_ops);
	s->out = open_stream(s, st->stdout_fd, &out_ops);
	s->err = open_stream(s, st->stderr_fd, &err_ops);
	if (!s->in || !s->out) {
		mcp_server_fail(s, STR("its pipes cannot be used"));
		return;
	}
	mcp_server_converse(s);
	if (!is_known)
		loop_timer_start(s->set->o.loop, &s->patience, PROBE_MS, on_probed);
	stream_resume(s->out);
	if (s->err)
		stream_resume(s->err);
}

static void on_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	struct mcp_server *s = server_of(j);

	/* The next start uses a weaker tier, unless the settings require the full sandbox. */
	if (r->is_unsupported && !s->set->o.is_fail_closed) {
		s->has_weaker = true;
		s->refused_tier = s->plan.tier;
		s->refused_why = arena_keep(s->set->mem, r->reason);
	}
	mcp_server_fail(s, r->reason);
}

static void on_unheard(struct loop_timer *t)
{
	struct mcp_server *s = OWNER_OF(t, struct mcp_server, last_words);

	mcp_server_fail(s, buf_str(&s->ended));
}

/* What it said last may be in the pipe still; a child of it may keep that open, so not for long. */
static void on_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	struct mcp_server *s = server_of(j);

	buf_clear(&s->ended);
	if (x->has_code)
		buf_printf(&s->ended, "it ended with exit code %d", x->code);
	else
		buf_printf(&s->ended, "it was ended by %.*s",
		           STR_ARG(str_is(x->signal) ? x->signal : x->cause));
	if (s->err)
		loop_timer_start(s->set->o.loop, &s->last_words, LAST_WORDS_MS, on_unheard);
	else
		mcp_server_fail(s, buf_str(&s->ended));
}

static void on_lost(struct supervisor_job *j)
{
	mcp_server_fail(server_of(j), STR("the supervisor ended while it ran"));
}

static void on_violation(struct supervisor_job *j, const struct supervisor_violation *v)
{
	mcp_sandbox_violated(server_of(j), v);
}

static void on_told(struct supervisor_job *j)
{
	mcp_call_end_tell_all(server_of(j));
}

static const struct supervisor_job_ops job_ops = { .started = on_started,
	                                           .refused = on_refused,
	                                           .violation = on_violation,
	                                           .told = on_told,
	                                           .exited = on_exited,
	                                           .lost = on_lost };

/* ---- the transport ---- */

static void process_begin(struct mcp_server *s)
{
	struct mcp_set *set = s->set;
	struct supervisor_run run = { .plan = &s->plan, .stdin_pipe = true };
	struct error e;

	s->flood_bytes = 0;
	s->asked = s->told = 0;
	if (!set->o.host) {
		mcp_server_fail(s, STR("there is no thole-supervisor to start it"));
		return;
	}
	if (supervisor_host_ready(set->o.host, &e) != OK ||
	    mcp_sandbox_plan(s, s->mem, &s->plan, &e) != OK ||
	    mcp_sandbox_words(s, s->mem, &run.argv, &e) != OK) {
		mcp_server_fail(s, str_from(e.message));
		return;
	}
	mcp_sandbox_env(s, &run.env);
	/* Unique over all restarts and sets. */
	run.id = arena_printf(s->mem, "mcp_%.*s_%u_%u", STR_ARG(s->c.name), set->o.number,
	                      ++set->lives);
	s->job.ops = &job_ops;
	supervisor_host_run(set->o.host, &s->job, &run);
}

static void process_send(struct mcp_server *s, struct str line)
{
	if (!s->in)
		return;
	stream_write(s->in, line);
	if (stream_write_pending(s->in) > UNREAD_MAX)
		mcp_server_fail(s, STR("it does not read what it is sent"));
}

static void process_end(struct mcp_server *s)
{
	loop_timer_stop(&s->flood);
	if (s->set->o.host)
		supervisor_host_drop(s->set->o.host, &s->job);
	stream_abandon(&s->in);
	stream_abandon(&s->out);
	stream_abandon(&s->err);
}

const struct mcp_transport mcp_process_transport = { .begin = process_begin,
	                                             .send = process_send,
	                                             .end = process_end };
