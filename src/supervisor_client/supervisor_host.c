/*
 * Keeps one supervisor alive for a runtime and routes its reports to the owners of jobs by id.
 *
 *	none ──ready()──► attached to an earlier one, or started ──► probed ──► in use
 *	  ▲                                                                       │
 *	  └──────────────────── its socket ends: all jobs are `lost` ◄────────────┘
 */
#include "supervisor_client/supervisor_host.h"

#include "base/os/clock.h"
#include "base/path/foreign_file.h"
#include "base/os/log.h"
#include "net/watch.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define PLACEHOLDERS_MAX (4 << 20)
/* For answers of a supervisor that runs: on a busy machine they take seconds. */
#define PROBE_WAIT_MS 20000
#define END_WAIT_MS 3000
#define ATTACH_WAIT_MS 20000
#define ORPHAN_GRACE_MS 500

/* A background process that an earlier host left. */
struct orphan {
	struct orphan *next;
	struct str id;
	bool is_over, is_adopted;
	struct supervisor_exit exit;
};

struct supervisor_host {
	struct loop *loop;
	struct arena *mem;
	struct str path, home, dir;
	struct list jobs;
	/* Counts supervisors; plans made for one machine description are valid for one life. */
	uint64_t life;
	struct program_guard *guard;

	struct supervisor_client *client;
	struct watch watch;
	struct arena *machine_mem; /* of one supervisor's life */
	struct sandbox_host machine;
	struct orphan *orphans; /* in machine_mem */
	bool is_probed, is_gone, is_listed;
	bool keeps; /* a background process continues, so the supervisor is not waited for */
	struct error probe_error;
};

/* ---- what the supervisor says ---- */

static struct supervisor_job *find_job(struct supervisor_host *h, struct str id)
{
	LIST_EACH (&h->jobs, node) {
		struct supervisor_job *j = LIST_ITEM(node, struct supervisor_job, node);

		if (str_is(id) && str_eq(j->id, id))
			return j;
	}
	return NULL;
}

/* Before the callback: it may free the job. */
static void end_job(struct supervisor_job *j)
{
	list_remove(&j->node);
	j->is_running = false;
}

static void on_ready(void *owner, pid_t pid)
{
	(void)owner, (void)pid;
}

/*
 * A job that was dropped meanwhile has no owner; its descriptors are closed, and its process is
 * killed by the request that supervisor_host_drop() sent.
 */
static void on_started(void *owner, const struct supervisor_started *s)
{
	struct supervisor_job *j = find_job(owner, s->id);
	const int fds[] = { s->pidfd, s->stdin_fd, s->stdout_fd, s->stderr_fd, s->pty_fd };

	if (j) {
		j->ops->started(j, s);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void on_refused(void *owner, const struct supervisor_refused *r)
{
	struct supervisor_job *j = find_job(owner, r->id);

	if (!j)
		return;
	end_job(j);
	j->ops->refused(j, r);
}

static void on_violation(void *owner, const struct supervisor_violation *v)
{
	struct supervisor_job *j = find_job(owner, v->id);

	if (j && j->ops->violation)
		j->ops->violation(j, v);
}

static void on_told(void *owner, struct str id)
{
	struct supervisor_job *j = find_job(owner, id);

	if (j && j->ops->told)
		j->ops->told(j);
}

static void on_prepared(void *owner, struct str id, struct json files, struct str why)
{
	struct supervisor_job *j = find_job(owner, id);

	if (j && j->ops->prepared)
		j->ops->prepared(j, files, why);
}

static void on_exited(void *owner, struct str id, const struct supervisor_exit *x)
{
	struct supervisor_job *j = find_job(owner, id);

	if (!j)
		return;
	end_job(j);
	j->ops->exited(j, x);
}

static void on_probed(void *owner, struct json machine)
{
	struct supervisor_host *h = owner;

	h->is_probed =
		sandbox_host_read(h->machine_mem, machine, &h->machine, &h->probe_error) == OK;
	if (!h->is_probed)
		h->is_gone = true; /* another version: it cannot be used */
}

/*
 * All jobs move to a separate list first: a callback may start the next supervisor, whose jobs
 * are not lost.
 */
static void on_gone(void *owner)
{
	struct supervisor_host *h = owner;
	struct list lost;

	watch_stop(&h->watch);
	h->is_gone = true;
	list_init(&lost);
	while (!list_is_empty(&h->jobs)) {
		struct list *node = h->jobs.next;

		list_remove(node);
		list_add(&lost, node);
	}
	while (!list_is_empty(&lost)) {
		struct supervisor_job *j = LIST_ITEM(lost.next, struct supervisor_job, node);

		end_job(j);
		j->ops->lost(j);
	}
}

static void on_output(void *owner, struct str id, int64_t out, int64_t err)
{
	struct supervisor_job *j = find_job(owner, id);

	if (j && j->ops->output)
		j->ops->output(j, out + err);
}

static struct supervisor_exit keep_exit(struct arena *mem, const struct supervisor_exit *x)
{
	struct supervisor_exit kept = *x;

	kept.signal = arena_keep(mem, x->signal);
	kept.cause = arena_keep(mem, x->cause);
	/* The document of the packet is reset after the callback. */
	kept.hosts = (struct json){ NULL };
	if (json_is(x->hosts))
		(void)!json_read_trusted(mem, json_text(mem, x->hosts), &kept.hosts, NULL);
	return kept;
}

/* Foreground processes in the list are ending: the supervisor kills them when a daemon leaves. */
static void on_listed(void *owner, const struct supervisor_process *p)
{
	struct supervisor_host *h = owner;
	struct orphan *o;

	h->is_listed |= !p;
	if (!p || !p->is_background)
		return;
	o = ARENA_NEW(h->machine_mem, struct orphan);
	*o = (struct orphan){ .next = h->orphans,
		              .id = arena_keep(h->machine_mem, p->id),
		              .is_over = str_eq(p->state, STR("exited")),
		              .exit = keep_exit(h->machine_mem, &p->exit) };
	h->orphans = o;
}

static void on_done(void *owner, int64_t req)
{
	(void)owner, (void)req;
}

/* The descriptors of an adopted process; its owner handles them as a start. */
static void on_opened(void *owner, const struct supervisor_started *s)
{
	on_started(owner, s);
}

static const struct supervisor_client_ops supervisor_ops = { .ready = on_ready,
	                                                     .started = on_started,
	                                                     .refused = on_refused,
	                                                     .violation = on_violation,
	                                                     .output = on_output,
	                                                     .exited = on_exited,
	                                                     .listed = on_listed,
	                                                     .probed = on_probed,
	                                                     .opened = on_opened,
	                                                     .done = on_done,
	                                                     .gone = on_gone,
	                                                     .told = on_told,
	                                                     .prepared = on_prepared };

/* ---- its life ---- */

static void watch_client(struct supervisor_host *h);

static void on_watch(struct watch *w)
{
	struct supervisor_host *h = OWNER_OF(w, struct supervisor_host, watch);

	supervisor_client_step(h->client);
	watch_client(h);
}

/* Watches for writing as long as requests are queued. */
static void watch_client(struct supervisor_host *h)
{
	if (h->is_gone || supervisor_client_fd(h->client) < 0)
		return;
	if (!watch_start(h->loop, &h->watch, supervisor_client_fd(h->client),
	                 supervisor_client_wants_write(h->client), on_watch))
		log_line(LOG_ERROR, "exec", "the supervisor cannot be watched");
}

/*
 * Back to the state before a supervisor was started.  machine_mem goes with it, so the machine
 * description must not be used after a change of life.
 */
static void client_forget(struct supervisor_host *h)
{
	watch_stop(&h->watch);
	supervisor_client_free(h->client, 0);
	h->client = NULL;
	h->is_probed = h->is_gone = h->is_listed = false;
	h->orphans = NULL;
	h->probe_error = (struct error){ 0 };
	arena_free(h->machine_mem);
	h->machine_mem = NULL;
}

/*
 * Blocks the loop until *response is set, for at most wait_ms.  False: no answer in time; the
 * supervisor's end counts as an answer.
 */
static bool await_response(struct supervisor_host *h, const bool *response, int64_t wait_ms)
{
	int64_t end = clock_mono_ms() + wait_ms;

	while (!*response && !h->is_gone) {
		struct pollfd fd = { .fd = supervisor_client_fd(h->client), .events = POLLIN };
		int64_t left = end - clock_mono_ms();

		if (left <= 0)
			return false;
		poll(&fd, 1, (int)left);
		supervisor_client_step(h->client);
	}
	return true;
}

/* Without the answer no plan can be made. */
static enum err probe(struct supervisor_host *h, struct error *e)
{
	supervisor_client_probe(h->client, h->home);
	if (!await_response(h, &h->is_probed, PROBE_WAIT_MS))
		return fail(e, ERR_TIMEOUT, "%s does not answer", h->path.ptr);
	if (h->is_gone && h->probe_error.code)
		return fail(e, h->probe_error.code, "%s: %s", h->path.ptr, h->probe_error.message);
	return h->is_gone ? fail(e, ERR_CLOSED, "%s ended at once", h->path.ptr) : OK;
}

/* The supervisor that an earlier host left with what it looks after; false: there is none. */
static bool attach(struct supervisor_host *h)
{
	struct error ignored;

	if (!str_is(h->dir) ||
	    supervisor_client_attach(h->dir.ptr, &supervisor_ops, h, &h->client, &ignored) != OK)
		return false;
	if (await_response(h, &h->is_listed, ATTACH_WAIT_MS) && !h->is_gone)
		return true;
	client_forget(h);
	h->machine_mem = arena_new();
	return false;
}

/*
 * An earlier supervisor is preferred to a new one: two in one directory would replace each
 * other's socket.
 */
enum err supervisor_host_ready(struct supervisor_host *h, struct error *e)
{
	struct supervisor_options o = { .path = h->path.ptr, .dir = h->dir.ptr };
	enum err code;

	if (h->client && h->is_probed && !h->is_gone)
		return OK;
	client_forget(h);
	h->machine_mem = arena_new();
	code = attach(h) ? OK : supervisor_client_start(&o, &supervisor_ops, h, &h->client, e);
	if (!code)
		code = probe(h, e);
	if (code) {
		client_forget(h);
		return code;
	}
	h->life++;
	watch_client(h);
	return OK;
}

static struct str real_home(struct arena *mem)
{
	const char *home = getenv("HOME");
	char full[PATH_MAX];

	return home && realpath(home, full) ? arena_keep(mem, str_from(full)) : STR_NONE;
}

enum err supervisor_host_open(const struct supervisor_host_options *o, struct supervisor_host **ret,
                              struct error *e)
{
	struct arena *mem = arena_new();
	struct supervisor_host *h = ARENA_NEW(mem, struct supervisor_host);

	h->mem = mem;
	h->loop = o->loop;
	h->path = arena_keep(mem, o->path);
	h->dir = arena_keep(mem, o->dir);
	h->home = real_home(mem);
	list_init(&h->jobs);
	if (access(h->path.ptr, X_OK) != 0) {
		enum err code = fail_errno(e, ERR_NOT_FOUND, "%s", h->path.ptr);

		arena_free(mem);
		return code;
	}
	h->guard = program_guard_new(
		str_is(h->dir) ? arena_printf(mem, "%.*s.write-roots", STR_ARG(h->dir)) : STR_NONE);
	*ret = h;
	return OK;
}

struct program_guard *supervisor_host_guard(const struct supervisor_host *h)
{
	return h->guard;
}

/* The supervisor's own file, in the runtime's own directory. */
void supervisor_host_placeholders(const struct supervisor_host *h, struct arena *mem,
                                  struct sandbox_paths *ret)
{
	struct foreign_file f;
	struct error ignored;
	size_t lines = 0;

	*ret = (struct sandbox_paths){ 0 };
	if (!str_is(h->dir) || !h->client || h->is_gone ||
	    foreign_file_read(mem, h->dir, "placeholders", PLACEHOLDERS_MAX, &f, &ignored) != OK)
		return;
	for (size_t i = 0; i < f.text.len; i++)
		lines += f.text.ptr[i] == '\n';
	ret->at = ARENA_ARRAY(mem, struct str, lines + 1);
	while (f.text.len) {
		struct str line = str_cut(&f.text, '\n');

		if (line.len && ret->count <= lines)
			ret->at[ret->count++] = line;
	}
}

void supervisor_host_free(struct supervisor_host *h)
{
	if (!h)
		return;
	watch_stop(&h->watch);
	/*
	 * The supervisor's end is the end of everything it started; no process may be left when
	 * this returns.  With a process in the background it does not end.
	 */
	supervisor_client_free(h->client, h->keeps ? 0 : END_WAIT_MS);
	program_guard_free(h->guard);
	arena_free(h->machine_mem);
	arena_free(h->mem);
}

const struct sandbox_host *supervisor_host_machine(const struct supervisor_host *h)
{
	return &h->machine;
}

uint64_t supervisor_host_life(const struct supervisor_host *h)
{
	return h->life;
}

struct str supervisor_host_home(const struct supervisor_host *h)
{
	return h->home;
}

struct str supervisor_host_program(const struct supervisor_host *h)
{
	return h->machine.own_roots.count ? h->machine.own_roots.at[0] : h->path;
}

/* ---- jobs ---- */

void supervisor_host_run(struct supervisor_host *h, struct supervisor_job *j,
                         const struct supervisor_run *run)
{
	j->id = run->id;
	j->is_running = true;
	j->is_background = run->is_background;
	list_add(&h->jobs, &j->node);
	supervisor_client_run(h->client, run);
	watch_client(h);
}

void supervisor_host_kill(struct supervisor_host *h, struct supervisor_job *j, int64_t grace_ms)
{
	if (!j->is_running || h->is_gone)
		return;
	supervisor_client_kill(h->client, j->id, grace_ms);
	watch_client(h);
}

void supervisor_host_deny(struct supervisor_host *h, struct str cwd,
                          const struct sandbox_paths *rules)
{
	if (!h->client || h->is_gone)
		return;
	supervisor_client_deny(h->client, cwd, rules);
	watch_client(h);
}

void supervisor_host_tell(struct supervisor_host *h, struct supervisor_job *j)
{
	if (!j->is_running || h->is_gone)
		return;
	supervisor_client_tell(h->client, j->id);
	watch_client(h);
}

void supervisor_host_prepare(struct supervisor_host *h, struct supervisor_job *j)
{
	if (!j->is_running || h->is_gone)
		return;
	supervisor_client_prepare(h->client, j->id);
	watch_client(h);
}

/* The process is still killed after the job has left the list; its reports find no owner. */
void supervisor_host_drop(struct supervisor_host *h, struct supervisor_job *j)
{
	if (!j->is_running)
		return;
	supervisor_host_kill(h, j, 0);
	end_job(j);
}

/* ---- background ---- */

bool supervisor_host_has_background(const struct supervisor_host *h)
{
	return str_is(h->dir);
}

void supervisor_host_close_stdin(struct supervisor_host *h, struct supervisor_job *j)
{
	if (!j->is_running || h->is_gone)
		return;
	supervisor_client_close_stdin(h->client, j->id);
	watch_client(h);
}

void supervisor_host_leave(struct supervisor_host *h, struct supervisor_job *j)
{
	if (!j->is_running)
		return;
	h->keeps |= !h->is_gone;
	end_job(j);
}

void supervisor_host_forget(struct supervisor_host *h, struct str id)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	if (h->client && !h->is_gone) {
		supervisor_client_forget(h->client, id);
		watch_client(h);
	}
	/* of one that ended under an earlier supervisor this is all that is left */
	if (str_is(h->dir))
		unlink(arena_printf(mem, "%.*s/spool/%.*s.json", STR_ARG(h->dir), STR_ARG(id)).ptr);
}

/* The live supervisor knows first; if it has exited meanwhile, the exit record on disk does. */
enum supervisor_found supervisor_host_adopt(struct supervisor_host *h, struct supervisor_job *j,
                                            struct str id, struct arena *mem,
                                            struct supervisor_exit *ret_exit)
{
	struct error ignored;

	if (str_is(h->dir) && supervisor_host_ready(h, &ignored) == OK)
		for (struct orphan *o = h->orphans; o; o = o->next) {
			if (!str_eq(o->id, id))
				continue;
			o->is_adopted = true;
			if (o->is_over) {
				*ret_exit = keep_exit(mem, &o->exit);
				return SUPERVISOR_ENDED;
			}
			j->id = id;
			j->is_running = j->is_background = true;
			list_add(&h->jobs, &j->node);
			supervisor_client_open(h->client, id);
			watch_client(h);
			return SUPERVISOR_RUNS;
		}
	if (str_is(h->dir) &&
	    supervisor_client_exit_record(mem, h->dir.ptr, id, ret_exit, &ignored) == OK)
		return SUPERVISOR_ENDED;
	return SUPERVISOR_GONE;
}

/*
 * After recovery: a process that was not adopted belongs to no session, so nothing reads its
 * output or could stop it.
 */
void supervisor_host_settle(struct supervisor_host *h)
{
	struct error ignored;

	/* There is a supervisor only if background processes were left. */
	if (!h->client && (!str_is(h->dir) || !supervisor_client_is_there(h->dir.ptr) ||
	                   supervisor_host_ready(h, &ignored) != OK))
		return;
	for (struct orphan *o = h->orphans; o; o = o->next)
		if (!o->is_adopted && !o->is_over)
			supervisor_client_kill(h->client, o->id, ORPHAN_GRACE_MS);
		else if (!o->is_adopted)
			supervisor_client_forget(h->client, o->id);
	h->orphans = NULL;
	watch_client(h);
}
