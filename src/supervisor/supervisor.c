/*
 * The supervisor's conversation with the runtime, and its background processes.
 *
 * One thread and one loop: requests come from the daemon's socket, reports from sandboxes.
 *
 *	          daemon's socket ends                  no job left
 *	SERVING ─────────────────────────► ORPHANED ────────────────► exit
 *	   ▲      foreground jobs end          │
 *	   └───────────────────────────────────┘
 *	          the next daemon attaches (reattach.h)
 *
 * `quit` and SIGTERM set is_quitting: background jobs end too, and no daemon may attach.
 */
#include "supervisor/supervisor.h"

#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "base/os/sys.h"
#include "supervisor/fdpass.h"
#include "supervisor/files/approved_files.h"
#include "supervisor/files/staged_file.h"
#include "supervisor/reattach.h"
#include "supervisor/sandbox_job.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define REATTACH_LOOK_MS 5000 /* without a daemon: is the socket still there? */
#define ORPHAN_GRACE_MS 300   /* for what the daemon left behind */
#define OUTPUT_EVERY_MS 250
#define LIST_PIECE 64 /* jobs per packet of a list */
/* A packet of a list ends behind so many bytes; the last job in it may have as many hosts. */
#define LIST_PIECE_BYTES (SUPERVISOR_PACKET_MAX / 2)
#define QUEUE_MAX 8192 /* packets that a daemon may leave unread; further ones are dropped */
#define LINGER_MS 1000 /* of unused placeholders, for the next call */

/* A packet that the socket did not accept yet.  Owns its descriptors until they are sent. */
struct packet {
	struct list node;
	size_t len;
	int fds[FDPASS_FDS_MAX];
	size_t fd_count;
	char data[];
};

struct supervisor {
	struct event_loop loop;
	struct arena *mem;  /* of one packet */
	struct arena *keep; /* of the supervisor */
	struct host host;
	bool is_probed;
	const char *cgroup_dir;

	struct event_loop_watch daemon, signals;
	struct reattach reattach;
	struct alarm output_alarm, sweep_alarm, reattach_alarm;
	struct list out; /* struct packet, waiting for the daemon to read */
	size_t out_count;

	const char *dir, *spool_dir;

	struct list runs; /* struct sandbox_job: live, and ended background ones */
	size_t job_count;
	bool output_pending, is_quitting;
};

static const struct sandbox_job_owner owner;

/*
 * DIR/placeholders: the paths of all placeholders, one per line, for `thole process ls`.
 * Replaced by a rename, so that a reader sees a complete list.
 */
static void write_placeholders(struct supervisor *s)
{
	static uint64_t noted;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str path, temp;

	if (!s->dir || noted == protected_paths_version())
		return;
	noted = protected_paths_version();
	protected_paths_list(&text);
	path = arena_printf(s->mem, "%s/placeholders", s->dir);
	temp = arena_printf(s->mem, "%s.new", path.ptr);

	FD_SCOPE fd = open(temp.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len ||
	    rename(temp.ptr, path.ptr) < 0)
		log_line(LOG_WARN, "supervisor", "cannot write %s: %s", path.ptr, strerror(errno));
}

/* ---- sending ---- */

static void drop_packet(struct supervisor *s, struct packet *p)
{
	for (size_t i = 0; i < p->fd_count; i++)
		close(p->fds[i]);
	list_remove(&p->node);
	s->out_count--;
	memory_free(p);
}

/* Sends in order; a packet that does not fit stops the queue until the socket is writable. */
static void flush_queue(struct supervisor *s)
{
	while (!list_is_empty(&s->out) && s->daemon.fd >= 0) {
		struct packet *p = LIST_ITEM(s->out.next, struct packet, node);

		if (fdpass_send(s->daemon.fd, p->data, p->len, p->fds, p->fd_count) < 0 &&
		    (errno == EAGAIN || errno == ENOBUFS)) {
			event_loop_want_write(&s->loop, &s->daemon, true);
			return;
		}
		/* Sent, or the daemon is gone: that is noticed when the socket is read. */
		drop_packet(s, p);
	}
	if (s->daemon.fd >= 0)
		event_loop_want_write(&s->loop, &s->daemon, false);
}

/*
 * Takes ownership of the descriptors.  Every packet goes through the queue, so the order of
 * reports about one job is the order in which they happened.
 */
static void send_packet(struct supervisor *s, const struct buf *text, const int *fds,
                        size_t fd_count)
{
	struct packet *p = memory_alloc(sizeof *p + text->len);

	*p = (struct packet){ .len = text->len, .fd_count = fd_count };
	memcpy(p->data, text->ptr, text->len);
	for (size_t i = 0; i < fd_count; i++)
		p->fds[i] = fds[i];
	list_add(&s->out, &p->node);
	s->out_count++;
	if (s->daemon.fd < 0 || s->out_count > QUEUE_MAX) {
		drop_packet(s, p);
		return;
	}
	flush_queue(s);
}

/* A packet that is being written.  response_begin() and response_send() enclose its members. */
struct response {
	struct supervisor *s;
	struct buf text;
	struct json_writer w;
};

static void response_begin(struct response *a, struct supervisor *s, const char *type,
                           struct json msg)
{
	*a = (struct response){ .s = s };
	jw_init(&a->w, &a->text);
	jw_obj(&a->w);
	JW_KSTR(&a->w, "type", str_from(type));
	if (json_type(JSON_GET(msg, "req")) == JSON_INT)
		JW_KINT(&a->w, "req", json_int(JSON_GET(msg, "req"), 0));
}

static void response_send(struct response *a, const int *fds, size_t fd_count)
{
	jw_obj_end(&a->w);
	send_packet(a->s, &a->text, fds, fd_count);
	buf_done(&a->text);
}

/*
 * `unsupported` tells the daemon that a weaker tier may work; other refusals are final for this
 * plan.
 */
static void send_refused(struct supervisor *s, struct json msg, struct str id, const char *kind,
                         const struct error *e)
{
	const char *name = e->os_errno ? strerrorname_np(e->os_errno) : NULL;
	struct response a;

	response_begin(&a, s, "refused", msg);
	if (id_is_valid(id))
		JW_KSTR(&a.w, "id", id);
	JW_KSTR(&a.w, "kind", str_from(kind));
	JW_KSTR(&a.w, "reason", str_from(e->message));
	if (name)
		JW_KSTR(&a.w, "errno", str_from(name));
	if (e->code == ERR_UNSUPPORTED)
		JW_KBOOL(&a.w, "unsupported", true);
	response_send(&a, NULL, 0);
}

static void send_done(struct supervisor *s, struct json msg, struct str id)
{
	struct response a;

	response_begin(&a, s, "done", msg);
	JW_KOPT(&a.w, "id", id);
	response_send(&a, NULL, 0);
}

/* ---- runs ---- */

/*
 * A linear search: at most SUPERVISOR_JOBS_MAX jobs, and requests are rare beside system calls.
 */
static struct sandbox_job *find_run(struct supervisor *s, struct str id)
{
	LIST_EACH (&s->runs, node) {
		struct sandbox_job *r = LIST_ITEM(node, struct sandbox_job, node);

		if (str_is(id) && str_eq(r->req.id, id))
			return r;
	}
	return NULL;
}

static void drop_run(struct supervisor *s, struct sandbox_job *r)
{
	s->job_count--;
	sandbox_job_free(r);
}

/*
 * Adds a descriptor to the packet: the job's own, or a copy if the job still needs it.  A
 * background job keeps its input and terminal, because the next daemon asks for them with `open`.
 */
static void add_fd(struct json_writer *w, int *fds, size_t *count, int *fd, const char *name,
                   bool keep)
{
	int given = keep ? fcntl(*fd, F_DUPFD_CLOEXEC, 3) : *fd;

	if (*fd < 0 || given < 0)
		return;
	jw_str(w, str_from(name));
	fds[(*count)++] = given;
	if (!keep)
		*fd = -1;
}

static void on_started(struct sandbox_job *r)
{
	struct supervisor *s = r->arg;
	bool keep = r->req.background;
	int fds[FDPASS_FDS_MAX];
	size_t count = 0;
	struct response a;

	response_begin(&a, s, "started", (struct json){ NULL });
	JW_KSTR(&a.w, "id", r->req.id);
	JW_KINT(&a.w, "pid", r->pid);
	JW_KEY(&a.w, "fds");
	jw_arr(&a.w);
	add_fd(&a.w, fds, &count, &r->command_fd, "pidfd", true);
	add_fd(&a.w, fds, &count, &r->stdin_fd, "stdin", keep);
	add_fd(&a.w, fds, &count, &r->stdout_fd, "stdout", false);
	add_fd(&a.w, fds, &count, &r->stderr_fd, "stderr", false);
	add_fd(&a.w, fds, &count, &r->pty_fd, "pty", keep);
	jw_arr_end(&a.w);
	if (r->req.background) {
		JW_KSTR(&a.w, "stdoutPath", r->out_path);
		JW_KOPT(&a.w, "stderrPath", r->err_path);
	}
	response_send(&a, fds, count);
}

static void maybe_end(struct supervisor *s);

/* Runs as long as an unused placeholder waits; after_job_end() starts it again. */
static void on_sweep(struct alarm *a)
{
	struct supervisor *s = OWNER_OF(a, struct supervisor, sweep_alarm);
	int64_t again_ms = protected_paths_cleanup_placeholders(LINGER_MS);

	write_placeholders(s);
	if (again_ms >= 0)
		event_loop_alarm(&s->loop, &s->sweep_alarm, again_ms, on_sweep);
}

/*
 * After each end: placeholders without users may be removed, and without a daemon the supervisor
 * may exit.
 */
static void after_job_end(struct supervisor *s)
{
	if (!s->sweep_alarm.is_set)
		event_loop_alarm(&s->loop, &s->sweep_alarm, LINGER_MS, on_sweep);
	maybe_end(s);
}

static void on_refused(struct sandbox_job *r, const struct error *e, bool is_spawn)
{
	struct supervisor *s = r->arg;

	approved_files_end(r);
	send_refused(s, (struct json){ NULL }, r->req.id, is_spawn ? "spawn" : "cage", e);
	sandbox_job_unlink(r, true);
	drop_run(s, r);
	after_job_end(s);
}

static void on_violation(struct sandbox_job *r, const struct report *v)
{
	struct response a;

	response_begin(&a, r->arg, "violation", (struct json){ NULL });
	JW_KSTR(&a.w, "id", r->req.id);
	sandbox_job_write_violation(&a.w, v);
	response_send(&a, NULL, 0);
}

/*
 * The exit record of a background process, for a daemon that starts after this supervisor has
 * exited.  fsync() before rename(): a name without content would read as a process without an
 * end.
 */
static void write_exit_record(struct sandbox_job *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str to = r->exit_record_path;
	struct str temp = arena_printf(r->mem, "%.*s.new", STR_ARG(to));
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "id", r->req.id);
	JW_KINT(&w, "startedAtMs", r->started_wall_ms);
	sandbox_job_write_exit(&w, r);
	jw_obj_end(&w);

	FD_SCOPE fd = open(temp.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len || fsync(fd) < 0 ||
	    rename(temp.ptr, to.ptr) < 0)
		log_line(LOG_WARN, "supervisor", "cannot write %s: %s", to.ptr, strerror(errno));
}

/*
 * A background job stays in the list with its exit until the daemon sends `forget`, which it does
 * when its event is durable (docs/decisions/0010).
 */
static void on_exited(struct sandbox_job *r)
{
	struct supervisor *s = r->arg;
	struct response a;

	approved_files_end(r);
	if (r->req.background)
		write_exit_record(r);
	response_begin(&a, s, "exited", (struct json){ NULL });
	JW_KSTR(&a.w, "id", r->req.id);
	sandbox_job_write_exit(&a.w, r);
	response_send(&a, NULL, 0);
	if (!r->req.background)
		drop_run(s, r);
	after_job_end(s);
}

/* Sizes only: the daemon reads the output from the file. */
static void on_output_alarm(struct alarm *al)
{
	struct supervisor *s = OWNER_OF(al, struct supervisor, output_alarm);

	LIST_EACH (&s->runs, node) {
		struct sandbox_job *r = LIST_ITEM(node, struct sandbox_job, node);
		struct response a;

		if (!r->output_is_news || s->daemon.fd < 0)
			continue;
		r->output_is_news = false;
		response_begin(&a, s, "output", (struct json){ NULL });
		JW_KSTR(&a.w, "id", r->req.id);
		JW_KINT(&a.w, "stdoutBytes", r->out_spool.written);
		JW_KINT(&a.w, "stderrBytes", r->err_spool.written);
		response_send(&a, NULL, 0);
	}
}

/* Coalesced to one packet per job and OUTPUT_EVERY_MS, however often the job writes. */
static void on_output(struct sandbox_job *r)
{
	struct supervisor *s = r->arg;

	r->output_is_news = true;
	if (!s->output_alarm.is_set && s->daemon.fd >= 0)
		event_loop_alarm(&s->loop, &s->output_alarm, OUTPUT_EVERY_MS, on_output_alarm);
}

static const struct sandbox_job_owner owner = { .started = on_started,
	                                        .refused = on_refused,
	                                        .violation = on_violation,
	                                        .output = on_output,
	                                        .staged = approved_files_answer,
	                                        .exited = on_exited };

/* ---- requests ---- */

/*
 * Probed once, at the first request that needs it: the probe clones several children, and the
 * machine does not change while the supervisor runs.
 */
static const struct host *host_of(struct supervisor *s)
{
	if (!s->is_probed)
		probe_host(s->keep, s->cgroup_dir, &s->host);
	s->is_probed = true;
	return &s->host;
}

/*
 * `started` or `refused` follows from a callback unless the job fails at once.  A refused start
 * may have created placeholders, so it is followed by after_job_end().
 */
static void do_run(struct supervisor *s, struct json msg)
{
	struct sandbox_job_request q;
	struct error e;
	struct sandbox_job *r;

	if (sandbox_job_request_read(s->mem, msg, &q, &e)) {
		send_refused(s, msg, json_str(JSON_GET(msg, "id")), "plan", &e);
		return;
	}
	if (find_run(s, q.id) || s->job_count >= SUPERVISOR_JOBS_MAX || s->is_quitting) {
		fail(&e, ERR_BUSY,
		     find_run(s, q.id) ? "this id is taken"
		     : s->is_quitting  ? "about to end"
		                       : "too many processes");
		send_refused(s, msg, q.id, "protocol", &e);
		return;
	}
	q.late_count = approved_files_late(s->mem, &q.plan, &q.late);
	if (sandbox_job_start(&s->loop, host_of(s), &q, s->spool_dir, &owner, s, &r, &e)) {
		send_refused(s, msg, q.id, "cage", &e);
		after_job_end(s);
		return;
	}
	list_add(&s->runs, &r->node);
	s->job_count++;
	write_placeholders(s);
}

static void do_signal(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	int64_t signum = json_int(JSON_GET(msg, "signal"), 0);
	struct error e;

	if (signum < 1 || signum >= NSIG) {
		fail(&e, ERR_INVALID, "signal: a number from 1 to %d", NSIG - 1);
		send_refused(s, msg, r->req.id, "protocol", &e);
		return;
	}
	sandbox_job_signal(r, (int)signum);
	send_done(s, msg, r->req.id);
}

static void do_kill(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	int64_t grace = json_int(JSON_GET(msg, "graceMs"), 2000);

	sandbox_job_kill(r, MAX(0, MIN(grace, 600000)), CAUSE_KILLED);
	send_done(s, msg, r->req.id);
}

/*
 * A deny rule that was added after processes were started.  Background processes below the
 * directory get it here; a call in the foreground keeps the plan that was recorded for it.
 */
static void do_deny(struct supervisor *s, struct json msg)
{
	struct str cwd = json_str(JSON_GET(msg, "cwd"));
	struct sandbox_paths rules;
	struct error e;

	if (!path_is_clean(cwd) ||
	    sandbox_plan_read_strings(s->mem, JSON_GET(msg, "rules"), "rules",
	                              SANDBOX_PLAN_PATHS_MAX, PATH_MAX, &rules, &e)) {
		if (!path_is_clean(cwd))
			fail(&e, ERR_INVALID, "cwd: not a canonical path");
		send_refused(s, msg, STR_NONE, "protocol", &e);
		return;
	}
	LIST_EACH (&s->runs, node) {
		struct sandbox_job *r = LIST_ITEM(node, struct sandbox_job, node);

		if (r->req.background && path_is_under(r->req.plan.cwd, cwd))
			sandbox_job_deny(r, &rules);
	}
	write_placeholders(s);
	send_done(s, msg, STR_NONE);
}

/*
 * A tool server answers a call while its process keeps running.  The denials of the proxy during
 * that call are reported here; `told` follows the violations, so the daemon knows that it has all
 * of them.
 */
static void do_tell(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	struct response a;

	egress_report_denied(&r->egress);
	response_begin(&a, s, "told", msg);
	JW_KSTR(&a.w, "id", r->req.id);
	response_send(&a, NULL, 0);
}

/* The daemon has gone meanwhile, or the tool has ended: then no client waits for it. */
static void on_prepared(void *arg, struct sandbox_job *tool, struct str why)
{
	struct response a;

	response_begin(&a, arg, "prepared", (struct json){ NULL });
	JW_KSTR(&a.w, "id", tool->req.id);
	if (str_is(why)) {
		JW_KSTR(&a.w, "reason", why);
	} else {
		JW_KEY(&a.w, "files");
		approved_files_write(&a.w, tool);
	}
	response_send(&a, NULL, 0);
}

/* A file tool is about to write what a person opened for it (plan.openedPaths). */
static void do_prepare(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	(void)msg;
	approved_files_begin(&s->runs, r, on_prepared, s);
}

static void do_close_stdin(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	sys_close(&r->stdin_fd);
	send_done(s, msg, r->req.id);
}

/*
 * For a daemon that attached later: the descriptors that `started` carried to the daemon before
 * it.
 */
static void do_open(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	int fds[FDPASS_FDS_MAX];
	size_t count = 0;
	struct response a;

	response_begin(&a, s, "opened", msg);
	JW_KSTR(&a.w, "id", r->req.id);
	JW_KEY(&a.w, "fds");
	jw_arr(&a.w);
	add_fd(&a.w, fds, &count, &r->command_fd, "pidfd", true);
	add_fd(&a.w, fds, &count, &r->stdin_fd, "stdin", true);
	add_fd(&a.w, fds, &count, &r->pty_fd, "pty", true);
	jw_arr_end(&a.w);
	response_send(&a, fds, count);
}

/* The daemon has recorded the end, so the supervisor's files about it can go. */
static void do_forget(struct supervisor *s, struct json msg, struct sandbox_job *r)
{
	struct error e;

	if (!r->is_ended) {
		fail(&e, ERR_BUSY, "it still runs");
		send_refused(s, msg, r->req.id, "protocol", &e);
		return;
	}
	sandbox_job_unlink(r, false);
	send_done(s, msg, r->req.id);
	drop_run(s, r);
}

static void write_run(struct json_writer *w, const struct sandbox_job *r)
{
	jw_obj(w);
	JW_KSTR(w, "id", r->req.id);
	JW_KSTR(w, "state",
	        r->is_ended     ? STR("exited")
	        : r->is_started ? STR("running")
	                        : STR("starting"));
	JW_KBOOL(w, "background", r->req.background);
	JW_KINT(w, "pid", r->pid);
	JW_KINT(w, "startedAtMs", r->started_wall_ms);
	if (r->req.background) {
		JW_KSTR(w, "stdoutPath", r->out_path);
		JW_KOPT(w, "stderrPath", r->err_path);
	}
	if (r->is_ended) {
		sandbox_job_write_exit(w, r);
	} else if (r->req.background) {
		JW_KINT(w, "stdoutBytes", r->out_spool.written);
		JW_KINT(w, "stderrBytes", r->err_spool.written);
		JW_KINT(w, "droppedBytes", r->out_spool.dropped + r->err_spool.dropped);
	}
	jw_obj_end(w);
}

/* At least one packet, even for an empty list: its `more: false` ends the list. */
static void send_list(struct supervisor *s, const char *type, struct json msg)
{
	struct list *node = s->runs.next;

	do {
		struct response a;

		response_begin(&a, s, type, msg);
		JW_KINT(&a.w, "version", 1);
		JW_KINT(&a.w, "pid", getpid());
		JW_KEY(&a.w, "runs");
		jw_arr(&a.w);
		for (int i = 0; i < LIST_PIECE && node != &s->runs && a.text.len < LIST_PIECE_BYTES;
		     i++, node = node->next)
			write_run(&a.w, LIST_ITEM(node, struct sandbox_job, node));
		jw_arr_end(&a.w);
		JW_KBOOL(&a.w, "more", node != &s->runs);
		response_send(&a, NULL, 0);
	} while (node != &s->runs);
}

static void do_probe(struct supervisor *s, struct json msg)
{
	struct response a;

	response_begin(&a, s, "probed", msg);
	JW_KEY(&a.w, "host");
	probe_write(&a.w, host_of(s), json_str(JSON_GET(msg, "home")));
	response_send(&a, NULL, 0);
}

/* Killing only sets alarms and sends orders, so the list does not change during the loop. */
static void end_all(struct supervisor *s, int64_t grace_ms, bool background_too)
{
	LIST_EACH (&s->runs, node) {
		struct sandbox_job *r = LIST_ITEM(node, struct sandbox_job, node);

		if (background_too || !r->req.background)
			sandbox_job_kill(r, grace_ms, CAUSE_KILLED);
	}
}

static void do_quit(struct supervisor *s, struct json msg)
{
	s->is_quitting = true;
	end_all(s, MAX(0, json_int(JSON_GET(msg, "graceMs"), 2000)), true);
	maybe_end(s);
}

/* Either on_run (a request about one job, which must exist) or alone is set. */
static void dispatch_request(struct supervisor *s, struct json msg)
{
	static const struct {
		const char *type;
		void (*on_run)(struct supervisor *s, struct json msg, struct sandbox_job *r);
		void (*alone)(struct supervisor *s, struct json msg);
	} verbs[] = {
		{ "run", NULL, do_run },         { "signal", do_signal, NULL },
		{ "kill", do_kill, NULL },       { "closeStdin", do_close_stdin, NULL },
		{ "open", do_open, NULL },       { "forget", do_forget, NULL },
		{ "probe", NULL, do_probe },     { "quit", NULL, do_quit },
		{ "tell", do_tell, NULL },       { "deny", NULL, do_deny },
		{ "prepare", do_prepare, NULL },
	};
	struct str type = json_str(JSON_GET(msg, "type")), id = json_str(JSON_GET(msg, "id"));
	struct error e;

	if (str_eq(type, STR("list"))) {
		send_list(s, "listed", msg);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (!str_eq(type, str_from(verbs[i].type)))
			continue;
		if (verbs[i].alone) {
			verbs[i].alone(s, msg);
			return;
		}

		struct sandbox_job *r = find_run(s, id);

		if (r) {
			verbs[i].on_run(s, msg, r);
		} else {
			fail(&e, ERR_NOT_FOUND, "no process of that id");
			send_refused(s, msg, id, "protocol", &e);
		}
		return;
	}
	fail(&e, ERR_UNSUPPORTED, "\"%.*s\" is not a request", STR_ARG(str_head(type, 64)));
	send_refused(s, msg, id, "protocol", &e);
}

/*
 * A large request: the text is in a memfd.  The seals guarantee that the daemon cannot change or
 * shorten it while it is read.
 */
static enum err read_body(struct supervisor *s, int fd, struct json *ret, struct error *e)
{
	const int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct stat st;

	if ((fcntl(fd, F_GET_SEALS) & sealed) != sealed)
		return fail(e, ERR_INVALID, "body: not a sealed memfd");
	if (fstat(fd, &st) < 0 || st.st_size > SUPERVISOR_BODY_MAX)
		return fail(e, ERR_TOO_LARGE, "body: more than %d bytes", SUPERVISOR_BODY_MAX);

	char *text = arena_alloc_raw(s->mem, (size_t)st.st_size + 1);

	if (pread(fd, text, (size_t)st.st_size, 0) != st.st_size)
		return fail_errno(e, ERR_IO, "body");
	return json_read(s->mem, str_of(text, (size_t)st.st_size), ret, e);
}

static void on_packet(struct supervisor *s, struct str text, const int *fds, size_t fd_count)
{
	struct json msg = { NULL }, body;
	struct error e;
	enum err err = json_read(s->mem, text, &msg, &e);

	if (!err && str_eq(json_str(JSON_GET(msg, "body")), STR("fd"))) {
		err = fd_count == 1 ? read_body(s, fds[0], &body, &e)
		                    : fail(&e, ERR_INVALID, "body: no descriptor");
		if (!err)
			msg = body;
	}
	for (size_t i = 0; i < fd_count; i++)
		close(fds[i]);
	if (err)
		send_refused(s, msg, json_str(JSON_GET(msg, "id")), "protocol", &e);
	else
		dispatch_request(s, msg);
}

/* ---- the daemon's end ---- */

/*
 * Packets that the daemon has not read are dropped: the next daemon gets the state from the list,
 * and exits of background jobs are in their exit records.
 */
static void detach_daemon(struct supervisor *s)
{
	event_loop_unwatch(&s->loop, &s->daemon);
	while (!list_is_empty(&s->out))
		drop_packet(s, LIST_ITEM(s->out.next, struct packet, node));
	end_all(s, ORPHAN_GRACE_MS, s->is_quitting);
}

/*
 * While no daemon is connected: if the directory was removed or another supervisor has taken its
 * place, no daemon can attach any more, so everything ends.
 */
static void on_reattach_check(struct alarm *a)
{
	struct supervisor *s = OWNER_OF(a, struct supervisor, reattach_alarm);

	if (s->daemon.fd >= 0)
		return;
	if (s->reattach.loop && !reattach_socket_is_valid(&s->reattach)) {
		s->is_quitting = true;
		end_all(s, ORPHAN_GRACE_MS, true);
		maybe_end(s);
	}
	event_loop_alarm(&s->loop, &s->reattach_alarm, REATTACH_LOOK_MS, on_reattach_check);
}

static void on_daemon_gone(struct supervisor *s)
{
	detach_daemon(s);
	maybe_end(s);
	if (!s->reattach_alarm.is_set)
		event_loop_alarm(&s->loop, &s->reattach_alarm, REATTACH_LOOK_MS, on_reattach_check);
}

/*
 * Called for readable and for writable.  One request per call, so that sandboxes get their turn
 * between the requests of a busy daemon.
 */
static void on_daemon(struct event_loop_watch *w)
{
	static char text[SUPERVISOR_PACKET_MAX];
	struct supervisor *s = OWNER_OF(w, struct supervisor, daemon);
	int fds[FDPASS_FDS_MAX];
	size_t count;
	ssize_t len;

	flush_queue(s);
	len = fdpass_receive(w->fd, text, sizeof text, fds, &count);
	if (len < 0 && errno == EAGAIN)
		return;
	if (len < 0 && errno == EMSGSIZE) {
		struct error e;

		fail(&e, ERR_TOO_LARGE, "a packet above %d bytes", SUPERVISOR_PACKET_MAX);
		send_refused(s, (struct json){ NULL }, STR_NONE, "protocol", &e);
		return;
	}
	if (len <= 0) {
		on_daemon_gone(s);
		return;
	}
	on_packet(s, str_of(text, (size_t)len), fds, count);
	arena_reset(s->mem);
}

static void attach_daemon(struct supervisor *s, int fd)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	event_loop_watch(&s->loop, &s->daemon, fd, on_daemon);
}

/* ---- the next daemon ---- */

/* The next daemon may connect before this loop has seen the end of the previous one's socket. */
static bool has_hung_up(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLHUP);
}

static bool on_guest(struct reattach *d, int fd)
{
	struct supervisor *s = OWNER_OF(d, struct supervisor, reattach);

	if (s->daemon.fd >= 0 && has_hung_up(s->daemon.fd))
		detach_daemon(s);
	if (s->daemon.fd >= 0 || s->is_quitting)
		return false;
	attach_daemon(s, fd);
	send_list(s, "attached", (struct json){ NULL });
	return true;
}

/*
 * Files of background processes hold raw output, so directories that other users may enter are
 * refused.
 */
static bool open_dir(struct supervisor *s)
{
	struct error e;

	if (!s->dir)
		return true;
	mkdir(s->dir, 0700);
	s->spool_dir = arena_printf(s->keep, "%s/spool", s->dir).ptr;
	mkdir(s->spool_dir, 0700);
	if (!reattach_is_private(s->dir) || !reattach_is_private(s->spool_dir)) {
		log_line(LOG_ERROR, "supervisor", "%s is not a directory of ours alone", s->dir);
		return false;
	}
	if (reattach_open(&s->reattach, &s->loop, s->keep, s->dir, on_guest, &e)) {
		log_line(LOG_ERROR, "supervisor", "%s", e.message);
		return false;
	}
	staged_file_begin(arena_printf(s->keep, "%s/staged", s->dir).ptr);
	return true;
}

/* ---- signals, start and end ---- */

/* An init must not be reaped here: its job waits for it by pidfd and needs its status. */
static bool is_init(struct supervisor *s, pid_t pid)
{
	LIST_EACH (&s->runs, node)
		if (LIST_ITEM(node, struct sandbox_job, node)->sandbox.pid == pid)
			return true;
	return false;
}

/*
 * Descendants of an init that was killed without a pid namespace become children of this process
 * (subreaper).  WNOWAIT looks at a dead child without reaping it; an init at the front stops the
 * loop until its job has reaped it.
 */
static void reap_strays(struct supervisor *s)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid ||
		    is_init(s, info.si_pid))
			return;
		waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG);
	}
}

static void on_signal(struct event_loop_watch *w)
{
	struct supervisor *s = OWNER_OF(w, struct supervisor, signals);
	struct signalfd_siginfo info;

	if (read(w->fd, &info, sizeof info) != sizeof info)
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap_strays(s);
		return;
	}
	s->is_quitting = true;
	end_all(s, ORPHAN_GRACE_MS, true);
	maybe_end(s);
}

static bool is_anything_alive(struct supervisor *s)
{
	LIST_EACH (&s->runs, node)
		if (!LIST_ITEM(node, struct sandbox_job, node)->is_ended)
			return true;
	return false;
}

/*
 * Exits when no job is alive and either no daemon is connected or the supervisor is quitting.
 * Ended background jobs do not count: their exit records are on disk.
 */
static void maybe_end(struct supervisor *s)
{
	reap_strays(s);
	if (is_anything_alive(s) || (s->daemon.fd >= 0 && !s->is_quitting))
		return;
	reattach_close(&s->reattach);
	protected_paths_cleanup_placeholders(0);
	write_placeholders(s);
	exit(0);
}

static bool take_signals(struct supervisor *s)
{
	sigset_t set;
	int fd;

	/*
	 * ^C in the terminal is for the daemon; the supervisor sees the end of its socket instead
	 */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* an ignored SIGCHLD would be inherited and lose exit codes */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return false;
	event_loop_watch(&s->loop, &s->signals, fd, on_signal);
	return true;
}

/*
 * `ready` is sent only when the supervisor can be found by a later daemon: a daemon that has seen
 * it may start background processes.
 */
int supervisor_serve(int fd, const char *dir, const char *cgroup_dir)
{
	static struct supervisor s;
	struct response a;

	s = (struct supervisor){ .mem = arena_new(),
		                 .keep = arena_new(),
		                 .dir = dir,
		                 .cgroup_dir = cgroup_dir,
		                 .daemon.fd = -1,
		                 .signals.fd = -1 };
	list_init(&s.out);
	list_init(&s.runs);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || !event_loop_init(&s.loop) ||
	    !take_signals(&s)) {
		log_line(LOG_ERROR, "supervisor", "cannot start: %s", strerror(errno));
		return 1;
	}
	if (!open_dir(&s))
		return 1;
	attach_daemon(&s, fd);
	response_begin(&a, &s, "ready", (struct json){ NULL });
	JW_KINT(&a.w, "version", 1);
	JW_KINT(&a.w, "pid", getpid());
	response_send(&a, NULL, 0);
	for (;;)
		event_loop_step(&s.loop);
}
