/*
 * Background processes, behind ports/process.h.
 *
 *   tools_process_begin ──► refused ──► the call fails; nothing is left of it here
 *       │
 *       └──► started ──► the call ends, the process runs ─────► exited ──► reported, freed
 *                                        ▲
 *   find (of an earlier runtime) ────────┘
 *
 * The supervisor writes the output directly to the file of the output ref; only
 * an id, the writing end of the input and a few numbers are kept in memory.
 */
#include "tools/tools_int.h"

#include "base/jw.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define UNREAD_MANY (256 << 10) /* limit of input that the process has not read; more is refused */
#define UNREAD_MAX (4 << 20)
#define AGAIN_MS 10
#define END_OF_INPUT "\004" /* as a terminal has it */

struct process {
	struct list node;
	struct supervisor_job job;
	struct tools *tools;
	struct tool_handle *call; /* the starting call, until the process runs */
	int in_fd;                /* its input or its terminal, -1: none */
	bool is_opening;          /* found after a restart; its input is being opened */
	bool is_tty, is_closing, is_over, is_lost;
	unsigned short rows, cols; /* a size that was requested meanwhile; 0: none */
	struct buf unread;
	struct clock_timer timer; /* for pending input, or an end that was found */
	enum sandbox_network network;
	enum sandbox_tier tier;
	struct supervisor_exit exit;
	struct buf hosts; /* JSON: those that it reached through the proxy; empty: none */
	char signal[16];
	char id[];
};

static struct process *process_of(struct supervisor_job *j)
{
	return OWNER_OF(j, struct process, job);
}

static struct tools *tools_of(struct processes *port)
{
	return OWNER_OF(port, struct tools, processes);
}

static void close_input(struct process *p)
{
	if (p->in_fd >= 0)
		close(p->in_fd);
	p->in_fd = -1;
	buf_done(&p->unread);
}

static void on_time(struct clock_timer *timer);

static struct process *process_new(struct tools *t, struct str id)
{
	struct process *p = memory_zeroed(1, sizeof *p + id.len + 1);

	memcpy(p->id, id.ptr, id.len);
	p->tools = t;
	p->in_fd = -1;
	p->unread.max = UNREAD_MAX;
	p->timer.fire = on_time;
	list_add(&t->background, &p->node);
	return p;
}

static void process_free(struct process *p)
{
	struct clock *c = p->tools->o.clock;

	c->ops->stop(c, &p->timer);
	close_input(p);
	buf_done(&p->hosts);
	list_remove(&p->node);
	memory_free(p);
}

static struct process *find_process(struct tools *t, struct str id)
{
	LIST_EACH (&t->background, node) {
		struct process *p = LIST_ITEM(node, struct process, node);

		if (str_eq(str_from(p->id), id))
			return p;
	}
	return NULL;
}

static void process_arm(struct process *p, int64_t delay_ms)
{
	struct clock *c = p->tools->o.clock;

	c->ops->start(c, &p->timer, delay_ms);
}

/* ---- input ---- */

/* The supervisor holds a copy of the pipe for the next runtime, so closing ours is not enough. */
static void end_input(struct process *p)
{
	close_input(p);
	supervisor_host_close_stdin(p->tools->o.host, &p->job);
}

/* Writes pending input; the rest is tried again later, unless the reader has closed. */
static void push_input(struct process *p)
{
	if (p->is_opening)
		return;
	while (p->in_fd >= 0 && p->unread.len) {
		ssize_t n = write(p->in_fd, p->unread.ptr, p->unread.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			process_arm(p, AGAIN_MS);
			return;
		}
		if (n <= 0) {
			close_input(p);
			return;
		}
		buf_drop(&p->unread, (size_t)n);
	}
	buf_done(&p->unread);
	p->unread.max = UNREAD_MAX;
	if (!p->is_closing || p->in_fd < 0)
		return;
	if (!p->is_tty) {
		end_input(p);
		return;
	}
	/* a terminal's input cannot be closed, so its reader gets the end-of-input character */
	p->is_closing = false;
	buf_add_str(&p->unread, STR(END_OF_INPUT));
	push_input(p);
}

/* ---- what the supervisor says ---- */

/* Output goes to the file of the supervisor, so those descriptors are not needed here. */
static void take_input(struct process *p, const struct supervisor_started *s)
{
	if (s->pidfd >= 0)
		close(s->pidfd);
	if (s->stdout_fd >= 0)
		close(s->stdout_fd);
	if (s->stderr_fd >= 0)
		close(s->stderr_fd);
	if (p->in_fd >= 0)
		close(p->in_fd);
	p->is_tty = s->pty_fd >= 0;
	p->in_fd = p->is_tty ? s->pty_fd : s->stdin_fd;
	if (p->in_fd >= 0)
		fcntl(p->in_fd, F_SETFL, fcntl(p->in_fd, F_GETFL) | O_NONBLOCK);
}

static void set_size(struct process *p)
{
	struct winsize size = { .ws_row = p->rows, .ws_col = p->cols };

	if (p->is_tty && p->rows)
		ioctl(p->in_fd, TIOCSWINSZ, &size);
}

/*
 * Also called after port_find(), when the input of a process of an earlier runtime is open
 * again; then there is no call.
 */
static void process_started(struct supervisor_job *j, const struct supervisor_started *s)
{
	struct process *p = process_of(j);
	struct tool_handle *h = p->call;

	take_input(p, s);
	p->call = NULL;
	p->is_opening = false;
	set_size(p);
	push_input(p);
	if (h)
		tools_call_began(h, s->pid);
}

static void process_refused(struct supervisor_job *j, const struct supervisor_refused *r)
{
	struct process *p = process_of(j);
	struct tool_handle *h = p->call;

	/* First, because call_free() abandons a process that still names the call. */
	process_free(p);
	if (h)
		tools_call_not_begun(h, r);
}

/* The plan of the start is not kept; the advice needs only these two. */
static void process_violation(struct supervisor_job *j, const struct supervisor_violation *v)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct process *p = process_of(j);
	const struct sandbox_plan plan = { .tier = p->tier, .network = p->network };
	struct tools *t = p->tools;
	struct tool_violation told = tools_call_violation_of(mem, &plan, v);

	t->process_sink.violation(t->process_owner, str_from(p->id), &told);
}

static void process_output(struct supervisor_job *j, int64_t bytes)
{
	struct process *p = process_of(j);

	p->tools->process_sink.output(p->tools->process_owner, str_from(p->id), bytes);
}

static enum process_exit exit_of(const struct process *p)
{
	struct str cause = p->exit.cause;

	if (p->is_lost || !p->exit.is_known)
		return EXIT_UNSEEN;
	if (str_eq(cause, STR("killed")))
		return EXIT_BY_STOP;
	return tools_end_exit_by_cause(&p->exit);
}

/* Reports the end from the loop and frees the process. */
static void process_report_end(struct process *p)
{
	struct tools *t = p->tools;
	struct tool_end x = { .exit = exit_of(p),
		              .exit_code = p->exit.has_code ? p->exit.code : 0,
		              .signal = str_from(p->signal[0] ? p->signal : NULL),
		              .is_escalated = p->exit.is_escalated,
		              .survivors = p->is_lost ? -1 : p->exit.survivors,
		              .max_rss_bytes = p->exit.max_rss_bytes,
		              .cpu_ms = p->exit.cpu_ms,
		              .dropped_bytes = p->exit.dropped_bytes,
		              .was_full = p->exit.was_full,
		              .hosts = p->hosts.len ? buf_str(&p->hosts) : STR_NONE };

	list_remove(&p->node); /* before the callback, which must not find it any more */
	t->process_sink.exited(t->process_owner, str_from(p->id), &x);
	process_free(p);
}

/* Maps the cause to a static string, which outlives the message. */
static struct str cause_word(struct str cause)
{
	static const char *const words[] = { "exit",   "killed",    "timeout", "inactivity",
		                             "memory", "processes", "lost" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_is(cause) && str_eq(cause, str_from(words[i])))
			return str_from(words[i]);
	return STR("lost");
}

/* The report is freed after the callback, so strings move into the struct. */
static void keep_end(struct process *p, const struct supervisor_exit *x)
{
	p->exit = *x;
	p->exit.cause = cause_word(x->cause);
	p->exit.signal = STR_NONE;
	p->exit.hosts = (struct json){ NULL };
	if (json_is(x->hosts)) {
		struct json_writer w;

		jw_init(&w, &p->hosts);
		jw_value(&w, x->hosts);
	}
	if (str_is(x->signal))
		memcpy(p->signal, x->signal.ptr, MIN(x->signal.len, sizeof p->signal - 1));
	if (p->signal[0])
		p->exit.signal = str_from(p->signal);
	p->is_over = true;
	close_input(p);
}

static void process_exited(struct supervisor_job *j, const struct supervisor_exit *x)
{
	struct process *p = process_of(j);

	keep_end(p, x);
	process_report_end(p);
}

/*
 * The supervisor ended, and its processes with it.  A call that was starting one reports that;
 * otherwise the process has an end that was not seen.
 */
static void process_lost(struct supervisor_job *j)
{
	struct process *p = process_of(j);
	struct tool_handle *h = p->call;

	if (h) {
		process_free(p);
		tools_call_lost_before(h);
		return;
	}
	p->is_over = p->is_lost = true;
	process_report_end(p);
}

static const struct supervisor_job_ops job_ops = { .started = process_started,
	                                           .refused = process_refused,
	                                           .violation = process_violation,
	                                           .output = process_output,
	                                           .exited = process_exited,
	                                           .lost = process_lost };

static void on_time(struct clock_timer *timer)
{
	struct process *p = OWNER_OF(timer, struct process, timer);

	if (p->is_over)
		process_report_end(p);
	else
		push_input(p);
}

/* ---- for calls ---- */

void tools_process_begin(struct tool_handle *h, struct str process_id, struct str file,
                         struct supervisor_run *run)
{
	struct tools *t = h->tools;
	struct process *p = process_new(t, process_id);

	p->call = h;
	p->tier = h->plan.tier;
	p->network = h->plan.network;
	p->job.ops = &job_ops;
	run->id = str_from(p->id);
	run->is_background = true;
	run->spool = file;
	supervisor_host_run(t->o.host, &p->job, run);
}

void tools_process_abandon(struct tool_handle *h)
{
	LIST_EACH (&h->tools->background, node) {
		struct process *p = LIST_ITEM(node, struct process, node);

		if (p->call != h)
			continue;
		supervisor_host_drop(h->tools->o.host, &p->job);
		process_free(p);
		return;
	}
}

/* Background processes outlive the runtime; the next one finds them by id (port_find). */
void tools_process_leave_all(struct tools *t)
{
	LIST_EACH_SAFE (&t->background, node, next) {
		struct process *p = LIST_ITEM(node, struct process, node);

		supervisor_host_leave(t->o.host, &p->job);
		process_free(p);
	}
}

/* ---- the port ---- */

static void port_listen(struct processes *port, const struct process_sink *sink, void *owner)
{
	struct tools *t = tools_of(port);

	t->process_sink = *sink;
	t->process_owner = owner;
}

/* An end that happened while no runtime was there is reported from the loop, like any other. */
static bool port_find(struct processes *port, struct str id)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct tools *t = tools_of(port);
	struct process *p = process_new(t, id);
	struct supervisor_exit x;
	enum supervisor_found found;

	p->job.ops = &job_ops;
	found = supervisor_host_adopt(t->o.host, &p->job, str_from(p->id), mem, &x);
	if (found == SUPERVISOR_GONE) {
		process_free(p);
		return false;
	}
	p->is_opening = found == SUPERVISOR_RUNS;
	if (found == SUPERVISOR_ENDED) {
		keep_end(p, &x);
		process_arm(p, 0);
	}
	return true;
}

static void port_settle(struct processes *port)
{
	supervisor_host_settle(tools_of(port)->o.host);
}

/* A process whose starting call has not ended yet is not visible to others. */
static struct process *find_running(struct processes *port, struct str id)
{
	struct process *p = find_process(tools_of(port), id);

	return p && !p->is_over && !p->call ? p : NULL;
}

/* Before the write is recorded as an event: a write that cannot succeed is refused there. */
static enum err port_check(struct processes *port, struct str id, struct error *e)
{
	struct process *p = find_running(port, id);

	if (!p)
		return fail(e, ERR_NOT_FOUND, "it does not run");
	if ((p->in_fd < 0 && !p->is_opening) || p->is_closing)
		return fail(e, ERR_CLOSED, "its input is closed");
	if (p->unread.len > UNREAD_MANY)
		return fail(e, ERR_BUSY, "it has not read %zu bytes that it was given before",
		            p->unread.len);
	return OK;
}

static enum err port_write(struct processes *port, struct str id, struct str data, bool eof,
                           struct error *e)
{
	struct process *p = find_running(port, id);
	enum err code = port_check(port, id, e);

	if (code && code != ERR_BUSY) /* input that was accepted meanwhile still fits */
		return code;
	if (p->unread.len + data.len > UNREAD_MAX)
		return fail(e, ERR_BUSY, "it has not read %zu bytes that it was given before",
		            p->unread.len);
	buf_add_str(&p->unread, data);
	p->is_closing |= eof;
	push_input(p);
	return OK;
}

static enum err port_resize(struct processes *port, struct str id, int rows, int cols,
                            struct error *e)
{
	struct process *p = find_running(port, id);

	if (!p)
		return fail(e, ERR_NOT_FOUND, "it does not run");
	if (!p->is_opening && (!p->is_tty || p->in_fd < 0))
		return fail(e, ERR_UNSUPPORTED, "it has no terminal");
	/* While the terminal is being opened, the size is kept for set_size(). */
	p->rows = (unsigned short)rows;
	p->cols = (unsigned short)cols;
	if (!p->is_opening)
		set_size(p);
	return OK;
}

static void port_stop(struct processes *port, struct str id, int64_t grace_ms)
{
	struct process *p = find_running(port, id);

	if (p)
		supervisor_host_kill(p->tools->o.host, &p->job, grace_ms);
}

static void port_forget(struct processes *port, struct str id)
{
	supervisor_host_forget(tools_of(port)->o.host, id);
}

static size_t port_placeholders(struct processes *p, struct arena *mem, const struct str **ret)
{
	struct tools *t = OWNER_OF(p, struct tools, processes);
	struct sandbox_paths l;

	supervisor_host_placeholders(t->o.host, mem, &l);
	*ret = l.at;
	return l.count;
}

/* Rules that came after the start apply to running processes too. */
static void port_deny(struct processes *port, struct str cwd, struct str rules)
{
	struct tools *t = tools_of(port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_paths wanted;

	if (list_is_empty(&t->background))
		return;
	sandbox_plan_read_deny_rules(mem, rules, &wanted);
	if (wanted.count)
		supervisor_host_deny(t->o.host, cwd, &wanted);
}

const struct process_ops tools_process_ops = {
	.listen = port_listen,
	.find = port_find,
	.settle = port_settle,
	.check = port_check,
	.write = port_write,
	.resize = port_resize,
	.stop = port_stop,
	.forget = port_forget,
	.deny = port_deny,
	.placeholders = port_placeholders,
};
