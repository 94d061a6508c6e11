/*
 * The protocol of supervisor/supervisor.h from the runtime's end.  Requests are
 * queued and sent as far as the kernel takes them; nothing here waits.
 */
#include "supervisor_client/supervisor_client.h"

#include "base/jw.h"
#include "base/os/clock.h"
#include "base/list.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET_MAX 65536
/* As in supervisor/fdpass.h; this folder cannot include it. */
#define FDS_MAX 8
#define SUPERVISOR_FD 3            /* in the supervisor */
#define EXIT_RECORD_MAX PACKET_MAX /* with the hosts that a job reached */

/* A request that the socket did not accept yet; owns its memfd. */
struct packet {
	struct list node;
	int fd; /* a memfd with the body, or -1 */
	size_t len;
	char data[];
};

struct supervisor_client {
	const struct supervisor_client_ops *ops;
	void *owner;
	int fd;
	pid_t pid; /* of our own supervisor, 0 after attaching */
	/* The number of the last request. */
	int64_t req;
	struct list out;
	struct arena *mem; /* of one packet */
	char text[PACKET_MAX];
};

/* ---- sending ---- */

static void packet_drop(struct packet *p)
{
	list_remove(&p->node);
	if (p->fd >= 0)
		close(p->fd);
	memory_free(p);
}

static ssize_t send_one(int fd, struct packet *p)
{
	struct iovec part = { p->data, p->len };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };

	if (p->fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof control.bytes;

		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

		*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
			               .cmsg_level = SOL_SOCKET,
			               .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(c), &p->fd, sizeof p->fd);
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * Sends in order and never waits: the daemon's loop must not depend on a supervisor that does not
 * read.
 */
static void flush(struct supervisor_client *c)
{
	while (c->fd >= 0 && !list_is_empty(&c->out)) {
		struct packet *p = LIST_ITEM(c->out.next, struct packet, node);

		if (send_one(c->fd, p) < 0) {
			if (errno == EINTR)
				continue;
			if (errno == EAGAIN || errno == ENOBUFS)
				return;
			/* a broken end is noticed by reading */
		}
		packet_drop(p);
	}
}

static void queue(struct supervisor_client *c, struct str text, int fd)
{
	struct packet *p = memory_alloc(sizeof *p + text.len);

	*p = (struct packet){ .fd = fd, .len = text.len };
	memcpy(p->data, text.ptr, text.len);
	list_add(&c->out, &p->node);
	flush(c);
}

/* A packet that is being written; request_begin() and request_send() enclose its members. */
struct request {
	struct buf text;
	struct json_writer w;
};

static void request_begin(struct supervisor_client *c, struct request *r, const char *type)
{
	*r = (struct request){ .text = { 0 } };
	jw_init(&r->w, &r->text);
	jw_obj(&r->w);
	JW_KSTR(&r->w, "type", str_from(type));
	JW_KINT(&r->w, "req", ++c->req);
}

/* A plan with many roots is larger than a packet: then it travels as a file. */
static int as_file(struct str text)
{
	int fd = memfd_create("thole-supervisor", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (write(fd, text.ptr, text.len) != (ssize_t)text.len ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * The supervisor takes the type from the body, so the short packet with the memfd says "run" for
 * all types.
 */
static int64_t request_send(struct supervisor_client *c, struct request *r)
{
	int fd = -1;

	jw_obj_end(&r->w);
	if (r->text.len > PACKET_MAX)
		fd = as_file(buf_str(&r->text));
	if (fd >= 0)
		queue(c, STR("{\"type\":\"run\",\"body\":\"fd\"}"), fd);
	else
		queue(c, buf_str(&r->text), -1);
	buf_done(&r->text);
	return c->req;
}

static int64_t send_simple(struct supervisor_client *c, const char *type, struct str id,
                           const char *key, int64_t value)
{
	struct request r;

	request_begin(c, &r, type);
	JW_KOPT(&r.w, "id", id);
	if (key)
		jw_kint(&r.w, str_from(key), value);
	return request_send(c, &r);
}

static void write_strings(struct json_writer *w, const struct sandbox_paths *l)
{
	jw_arr(w);
	for (size_t i = 0; i < l->count; i++)
		jw_str(w, l->at[i]);
	jw_arr_end(w);
}

int64_t supervisor_client_run(struct supervisor_client *c, const struct supervisor_run *q)
{
	struct request r;

	request_begin(c, &r, "run");
	JW_KSTR(&r.w, "id", q->id);
	JW_KEY(&r.w, "argv");
	write_strings(&r.w, &q->argv);
	JW_KEY(&r.w, "env");
	write_strings(&r.w, &q->env);
	JW_KSTR(&r.w, "stdin", q->pty ? STR("tty") : q->stdin_pipe ? STR("pipe") : STR("closed"));
	if (q->pty) {
		JW_KEY(&r.w, "pty");
		jw_obj(&r.w);
		JW_KINT(&r.w, "rows", q->rows ? q->rows : 24);
		JW_KINT(&r.w, "cols", q->cols ? q->cols : 80);
		jw_obj_end(&r.w);
	}
	JW_KBOOL(&r.w, "background", q->is_background);
	if (q->is_merged)
		JW_KSTR(&r.w, "stderr", STR("stdout"));
	JW_KOPT(&r.w, "spool", q->spool);
	JW_KEY(&r.w, "plan");
	sandbox_plan_write(&r.w, q->plan);
	return request_send(c, &r);
}

int64_t supervisor_client_signal(struct supervisor_client *c, struct str id, int signum)
{
	return send_simple(c, "signal", id, "signal", signum);
}

int64_t supervisor_client_kill(struct supervisor_client *c, struct str id, int64_t grace_ms)
{
	return send_simple(c, "kill", id, "graceMs", grace_ms);
}

int64_t supervisor_client_deny(struct supervisor_client *c, struct str cwd,
                               const struct sandbox_paths *rules)
{
	struct request r;

	request_begin(c, &r, "deny");
	JW_KSTR(&r.w, "cwd", cwd);
	JW_KEY(&r.w, "rules");
	write_strings(&r.w, rules);
	return request_send(c, &r);
}

int64_t supervisor_client_tell(struct supervisor_client *c, struct str id)
{
	return send_simple(c, "tell", id, NULL, 0);
}

int64_t supervisor_client_prepare(struct supervisor_client *c, struct str id)
{
	return send_simple(c, "prepare", id, NULL, 0);
}

int64_t supervisor_client_close_stdin(struct supervisor_client *c, struct str id)
{
	return send_simple(c, "closeStdin", id, NULL, 0);
}

int64_t supervisor_client_open(struct supervisor_client *c, struct str id)
{
	return send_simple(c, "open", id, NULL, 0);
}

int64_t supervisor_client_forget(struct supervisor_client *c, struct str id)
{
	return send_simple(c, "forget", id, NULL, 0);
}

int64_t supervisor_client_list(struct supervisor_client *c)
{
	return send_simple(c, "list", STR_NONE, NULL, 0);
}

int64_t supervisor_client_probe(struct supervisor_client *c, struct str home)
{
	struct request r;

	request_begin(c, &r, "probe");
	JW_KOPT(&r.w, "home", home);
	return request_send(c, &r);
}

int64_t supervisor_client_quit(struct supervisor_client *c, int64_t grace_ms)
{
	return send_simple(c, "quit", STR_NONE, "graceMs", grace_ms);
}

/* ---- receiving ---- */

struct incoming {
	struct supervisor_client *c;
	struct json msg;
	int fds[FDS_MAX]; /* taken ones are -1 */
	size_t fd_count;
};

/* Names and descriptors come in the same order. */
static int take_fd(struct incoming *in, struct str name)
{
	struct json_iter it = json_iter(JSON_GET(in->msg, "fds"));
	struct json item;
	struct str key;

	for (size_t i = 0; json_next(&it, &key, &item) && i < in->fd_count; i++)
		if (str_eq(json_str(item), name)) {
			int fd = in->fds[i];

			in->fds[i] = -1;
			return fd;
		}
	return -1;
}

static struct supervisor_started read_started(struct incoming *in)
{
	struct json m = in->msg;

	return (struct supervisor_started){ .id = json_str(JSON_GET(m, "id")),
		                            .pid = (pid_t)json_int(JSON_GET(m, "pid"), 0),
		                            .pidfd = take_fd(in, STR("pidfd")),
		                            .stdin_fd = take_fd(in, STR("stdin")),
		                            .stdout_fd = take_fd(in, STR("stdout")),
		                            .stderr_fd = take_fd(in, STR("stderr")),
		                            .pty_fd = take_fd(in, STR("pty")),
		                            .stdout_path = json_str(JSON_GET(m, "stdoutPath")),
		                            .stderr_path = json_str(JSON_GET(m, "stderrPath")) };
}

/* A member that is missing is not known: -1 survivors, no exit code. */
static struct supervisor_exit read_exit(struct json m)
{
	struct json code = JSON_GET(m, "exitCode");

	return (struct supervisor_exit){ .is_known = !json_is(JSON_GET(m, "exitState")),
		                         .has_code = json_is(code),
		                         .code = (int)json_int(code, -1),
		                         .signal = json_str(JSON_GET(m, "signal")),
		                         .cause = json_str(JSON_GET(m, "cause")),
		                         .is_escalated = json_bool(JSON_GET(m, "escalated"), false),
		                         .survivors = json_int(JSON_GET(m, "survivors"), -1),
		                         .duration_ms = json_int(JSON_GET(m, "durationMs"), 0),
		                         .max_rss_bytes = json_int(JSON_GET(m, "maxRssBytes"), 0),
		                         .cpu_ms = json_int(JSON_GET(m, "cpuMs"), 0),
		                         .was_full = json_bool(JSON_GET(m, "processesFull"), false),
		                         .stdout_bytes = json_int(JSON_GET(m, "stdoutBytes"), 0),
		                         .stderr_bytes = json_int(JSON_GET(m, "stderrBytes"), 0),
		                         .dropped_bytes = json_int(JSON_GET(m, "droppedBytes"), 0),
		                         .hosts = JSON_GET(m, "hosts") };
}

static void on_ready(struct incoming *in)
{
	in->c->ops->ready(in->c->owner, (pid_t)json_int(JSON_GET(in->msg, "pid"), 0));
}

static void on_started(struct incoming *in)
{
	struct supervisor_started s = read_started(in);

	in->c->ops->started(in->c->owner, &s);
}

static void on_opened(struct incoming *in)
{
	struct supervisor_started s = read_started(in);

	in->c->ops->opened(in->c->owner, &s);
}

static void on_refused(struct incoming *in)
{
	struct json m = in->msg;
	struct supervisor_refused r = { .id = json_str(JSON_GET(m, "id")),
		                        .kind = json_str(JSON_GET(m, "kind")),
		                        .reason = json_str(JSON_GET(m, "reason")),
		                        .err_name = json_str(JSON_GET(m, "errno")),
		                        .is_unsupported =
		                                json_bool(JSON_GET(m, "unsupported"), false),
		                        .req = json_int(JSON_GET(m, "req"), 0) };

	in->c->ops->refused(in->c->owner, &r);
}

static void on_violation(struct incoming *in)
{
	struct json m = in->msg;
	struct supervisor_violation v = { .id = json_str(JSON_GET(m, "id")),
		                          .kind = json_str(JSON_GET(m, "kind")),
		                          .operation = json_str(JSON_GET(m, "operation")),
		                          .call = json_str(JSON_GET(m, "syscall")),
		                          .rule = json_str(JSON_GET(m, "rule")),
		                          .address = json_str(JSON_GET(m, "address")),
		                          .path = json_str(JSON_GET(m, "path")),
		                          .host = json_str(JSON_GET(m, "host")),
		                          .err_name = json_str(JSON_GET(m, "errno")),
		                          .port = json_int(JSON_GET(m, "port"), 0),
		                          .count = json_int(JSON_GET(m, "count"), 1),
		                          .is_blocked = json_bool(JSON_GET(m, "blocked"), false),
		                          .has_fallback =
		                                  json_bool(JSON_GET(m, "fallback"), false) };

	in->c->ops->violation(in->c->owner, &v);
}

static void on_output(struct incoming *in)
{
	struct json m = in->msg;

	in->c->ops->output(in->c->owner, json_str(JSON_GET(m, "id")),
	                   json_int(JSON_GET(m, "stdoutBytes"), 0),
	                   json_int(JSON_GET(m, "stderrBytes"), 0));
}

static void on_exited(struct incoming *in)
{
	struct supervisor_exit x = read_exit(in->msg);

	in->c->ops->exited(in->c->owner, json_str(JSON_GET(in->msg, "id")), &x);
}

/* A list may take several packets; NULL is passed after the last one. */
static void on_listed(struct incoming *in)
{
	struct json_iter it = json_iter(JSON_GET(in->msg, "runs"));
	struct json m;
	struct str key;

	while (json_next(&it, &key, &m)) {
		struct supervisor_process p = {
			.id = json_str(JSON_GET(m, "id")),
			.state = json_str(JSON_GET(m, "state")),
			.is_background = json_bool(JSON_GET(m, "background"), false),
			.pid = (pid_t)json_int(JSON_GET(m, "pid"), 0),
			.started_at_ms = json_int(JSON_GET(m, "startedAtMs"), 0),
			.stdout_path = json_str(JSON_GET(m, "stdoutPath")),
			.stderr_path = json_str(JSON_GET(m, "stderrPath")),
			.stdout_bytes = json_int(JSON_GET(m, "stdoutBytes"), 0),
			.stderr_bytes = json_int(JSON_GET(m, "stderrBytes"), 0),
			.exit = read_exit(m)
		};

		in->c->ops->listed(in->c->owner, &p);
	}
	if (!json_bool(JSON_GET(in->msg, "more"), false))
		in->c->ops->listed(in->c->owner, NULL);
}

/* The answer to `attach` has the members of `ready` and of `listed`. */
static void on_attached(struct incoming *in)
{
	on_ready(in);
	on_listed(in);
}

static void on_probed(struct incoming *in)
{
	in->c->ops->probed(in->c->owner, JSON_GET(in->msg, "host"));
}

static void on_done(struct incoming *in)
{
	in->c->ops->done(in->c->owner, json_int(JSON_GET(in->msg, "req"), 0));
}

static void on_told(struct incoming *in)
{
	if (in->c->ops->told)
		in->c->ops->told(in->c->owner, json_str(JSON_GET(in->msg, "id")));
}

static void on_prepared(struct incoming *in)
{
	struct json m = in->msg;

	if (in->c->ops->prepared)
		in->c->ops->prepared(in->c->owner, json_str(JSON_GET(m, "id")),
		                     JSON_GET(m, "files"), json_str(JSON_GET(m, "reason")));
}

static void dispatch(struct incoming *in)
{
	static const struct {
		const char *type;
		void (*handle)(struct incoming *in);
	} types[] = {
		{ "ready", on_ready },       { "started", on_started },
		{ "refused", on_refused },   { "violation", on_violation },
		{ "output", on_output },     { "exited", on_exited },
		{ "listed", on_listed },     { "attached", on_attached },
		{ "probed", on_probed },     { "opened", on_opened },
		{ "done", on_done },         { "told", on_told },
		{ "prepared", on_prepared },
	};
	struct str type = json_str(JSON_GET(in->msg, "type"));

	/* an unknown type comes from a newer supervisor, and no answer is expected */
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (str_is(type) && str_eq(type, str_from(types[i].type))) {
			types[i].handle(in);
			return;
		}
}

static void reap(struct supervisor_client *c, int flags)
{
	if (c->pid > 0 && waitpid(c->pid, NULL, flags) != 0)
		c->pid = 0;
}

/*
 * The supervisor's end of the socket closed.  `gone` comes last, because its receiver may start
 * the next supervisor.
 */
static void connection_end(struct supervisor_client *c)
{
	close(c->fd);
	c->fd = -1;
	reap(c, WNOHANG);
	while (!list_is_empty(&c->out))
		packet_drop(LIST_ITEM(c->out.next, struct packet, node));
	c->ops->gone(c->owner);
}

static size_t take_fds(struct msghdr *msg, int *fds)
{
	size_t count = 0;

	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m))
		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_RIGHTS) {
			size_t n = (m->cmsg_len - CMSG_LEN(0)) / sizeof(int);

			for (size_t i = 0; i < n && count < FDS_MAX; i++)
				memcpy(&fds[count++], CMSG_DATA(m) + i * sizeof(int), sizeof(int));
		}
	return count;
}

/* False when there is nothing more for now. */
static bool receive(struct supervisor_client *c)
{
	struct incoming in = { .c = c };
	struct iovec part = { c->text, sizeof c->text };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * FDS_MAX)];
	} control;
	struct msghdr msg = { .msg_iov = &part,
		              .msg_iovlen = 1,
		              .msg_control = control.bytes,
		              .msg_controllen = sizeof control.bytes };
	ssize_t len = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct error e;

	if (len < 0 && errno == EINTR)
		return true;
	if (len < 0 && errno == EAGAIN)
		return false;
	if (len <= 0) {
		connection_end(c);
		return false;
	}
	in.fd_count = take_fds(&msg, in.fds);
	/*
	 * A packet that was truncated or cannot be parsed is dropped; its descriptors are closed
	 * below.
	 */
	if (!(msg.msg_flags & MSG_TRUNC) &&
	    json_read(c->mem, str_of(c->text, (size_t)len), &in.msg, &e) == OK)
		dispatch(&in);
	for (size_t i = 0; i < in.fd_count; i++)
		if (in.fds[i] >= 0)
			close(in.fds[i]);
	arena_reset(c->mem);
	return c->fd >= 0;
}

void supervisor_client_step(struct supervisor_client *c)
{
	if (c->fd < 0)
		return;
	flush(c);
	while (receive(c))
		;
}

int supervisor_client_fd(const struct supervisor_client *c)
{
	return c->fd;
}

bool supervisor_client_wants_write(const struct supervisor_client *c)
{
	return c->fd >= 0 && !list_is_empty(&c->out);
}

/* ---- starting and ending ---- */

static struct supervisor_client *client_new(int fd, pid_t pid,
                                            const struct supervisor_client_ops *ops, void *owner)
{
	struct supervisor_client *c = memory_alloc(sizeof *c);

	c->ops = ops;
	c->owner = owner;
	c->fd = fd;
	c->pid = pid;
	c->req = 0;
	c->mem = arena_new();
	list_init(&c->out);
	return c;
}

/*
 * Root, the daemon's own user, or the owner of the system's programs: in a user namespace the
 * host's root may have no number, and all of /usr belongs to the overflow user.
 */
static bool is_trusted_owner(uid_t uid)
{
	struct stat system;

	return uid == 0 || uid == geteuid() || (stat("/usr", &system) == 0 && uid == system.st_uid);
}

/* A user who can write the supervisor's program can run anything as the daemon's user. */
static enum err check_program(const char *path, struct error *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return fail_errno(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s", path);
	if (!S_ISREG(st.st_mode) || (st.st_mode & (S_IWGRP | S_IWOTH)) ||
	    !is_trusted_owner(st.st_uid))
		return fail(e, ERR_INVALID, "%s belongs to or can be written by others", path);
	return OK;
}

/*
 * Files that commands and file tools create belong to the user, so they get the user's umask.  A
 * daemon that has another umask passes the one it was started with in THOLE_USER_UMASK; otherwise
 * it is this process's.
 */
static mode_t user_umask(void)
{
	const char *told = getenv("THOLE_USER_UMASK");
	unsigned long mask = told ? strtoul(told, NULL, 8) : 01000;
	mode_t own;

	if (mask <= 0777)
		return (mode_t)mask;
	own = umask(077);
	umask(own);
	return own;
}

/*
 * posix_spawn(), so that the cost does not depend on the daemon's memory.  A new session keeps
 * the terminal's ^C and hangup away from the supervisor, and the environment is empty.
 */
static int spawn(const struct supervisor_options *o, int fd, pid_t *ret)
{
	char *argv[12] = { (char *)"thole-supervisor", (char *)"serve", (char *)"--fd",
		           (char *)"3" };
	char *envp[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	char mask[8];
	int n = 4, err;

	snprintf(mask, sizeof mask, "%04o", (unsigned)user_umask());
	argv[n++] = (char *)"--umask";
	argv[n++] = mask;
	if (o->dir) {
		argv[n++] = (char *)"--dir";
		argv[n++] = (char *)o->dir;
	}
	if (o->cgroup) {
		argv[n++] = (char *)"--cgroup";
		argv[n++] = (char *)o->cgroup;
	}
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, fd, SUPERVISOR_FD);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	err = posix_spawn(ret, o->path, &files, &attr, argv, envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

enum err supervisor_client_start(const struct supervisor_options *o,
                                 const struct supervisor_client_ops *ops, void *owner,
                                 struct supervisor_client **ret, struct error *e)
{
	enum err err = check_program(o->path, e);
	int pair[2];
	pid_t pid;

	if (err)
		return err;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_errno(e, ERR_IO, "socket for %s", o->path);
	/* dup2 onto itself would leave it closed on exec */
	if (pair[1] == SUPERVISOR_FD) {
		int other = fcntl(pair[1], F_DUPFD_CLOEXEC, SUPERVISOR_FD + 1);

		close(pair[1]);
		pair[1] = other;
	}
	int failed = pair[1] < 0 ? errno : spawn(o, pair[1], &pid);

	close(pair[1]);
	if (failed) {
		close(pair[0]);
		errno = failed;
		return fail_errno(e, ERR_IO, "start %s", o->path);
	}
	*ret = client_new(pair[0], pid, ops, owner);
	return OK;
}

static bool read_secret(const char *dir, char *buf, size_t size)
{
	char path[4096];
	ssize_t len;
	int fd;

	snprintf(path, sizeof path, "%s/hand.secret", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	len = read(fd, buf, size - 1);
	close(fd);
	if (len <= 0)
		return false;
	buf[len] = '\0';
	return true;
}

bool supervisor_client_is_there(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/hand.sock", dir);
	return access(path, F_OK) == 0;
}

/*
 * Returns when the request is sent; whether the secret was accepted shows when `attached` or
 * `gone` comes.
 */
enum err supervisor_client_attach(const char *dir, const struct supervisor_client_ops *ops,
                                  void *owner, struct supervisor_client **ret, struct error *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char secret[256];
	struct request r;

	if (!read_secret(dir, secret, sizeof secret))
		return fail_errno(e, ERR_NOT_FOUND, "no supervisor in %s", dir);

	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int at_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	/* by its descriptor: the path of a directory may be longer than a socket's may be */
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/hand.sock", at_fd);
	bool is_there =
		fd >= 0 && at_fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
	enum err err = is_there ? OK : fail_errno(e, ERR_NOT_FOUND, "no supervisor in %s", dir);

	if (at_fd >= 0)
		close(at_fd);
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}

	struct supervisor_client *c = client_new(fd, 0, ops, owner);

	request_begin(c, &r, "attach");
	JW_KSTR(&r.w, "secret", str_from(secret));
	request_send(c, &r);
	explicit_bzero(secret, sizeof secret);
	*ret = c;
	return OK;
}

/* Closing the socket is the order to end: the supervisor kills what is not background. */
void supervisor_client_free(struct supervisor_client *c, int wait_ms)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	for (int64_t end = clock_mono_ms() + wait_ms; c->pid > 0; poll(NULL, 0, 1)) {
		reap(c, WNOHANG);
		if (clock_mono_ms() >= end)
			break;
	}
	while (!list_is_empty(&c->out))
		packet_drop(LIST_ITEM(c->out.next, struct packet, node));
	arena_free(c->mem);
	memory_free(c);
}

enum err supervisor_client_exit_record(struct arena *mem, const char *dir, struct str id,
                                       struct supervisor_exit *ret, struct error *e)
{
	struct str path = arena_printf(mem, "%s/spool/%.*s.json", dir, STR_ARG(id));
	char *text = arena_alloc_raw(mem, EXIT_RECORD_MAX);
	int fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t len = fd < 0 ? -1 : read(fd, text, EXIT_RECORD_MAX);
	struct json v;
	enum err err;

	if (fd >= 0)
		close(fd);
	if (len < 0)
		return fail_errno(e, ERR_NOT_FOUND, "%s", path.ptr);
	err = json_read(mem, str_of(text, (size_t)len), &v, e);
	if (!err)
		*ret = read_exit(v);
	return err;
}
