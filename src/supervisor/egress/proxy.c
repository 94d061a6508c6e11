/*
 * The life of the proxy process: its listener inside the sandbox's network, the
 * privileges it drops, and its end.
 *
 * The tally is shared memory that a compromised proxy could fill with anything,
 * so the supervisor copies rows and bounds every count.
 */
#include "supervisor/egress/proxy.h"

#include "base/os/sys.h"
#include "supervisor/egress/proxy_serve.h"
#include "supervisor/kernel/capabilities.h"
#include "supervisor/kernel/landlock.h"
#include "supervisor/program.h"
#include "supervisor/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define TITLE "thole-proxy"
#define BACKLOG 64
/* Two sockets per connection, and some for name resolution. */
#define FILES_MAX (2 * PROXY_CONNECTIONS_MAX + 64)

/* ---- inside the sandbox's network ---- */

enum err proxy_listen(int *ret, struct error *e)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons(PROXY_PORT),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	FD_SCOPE fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, BACKLOG) < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "a place for the proxy");
	*ret = fd;
	fd = -1;
	return OK;
}

/* ---- what the process gives up ---- */

/* What name resolution reads; the target of a link among them must be listed too. */
static const char *const readable[] = { "/etc",
	                                "/usr",
	                                "/lib",
	                                "/lib32",
	                                "/lib64",
	                                "/run/systemd/resolve",
	                                "/run/resolvconf",
	                                "/run/NetworkManager",
	                                "/run/nscd" };

static enum err close_files(struct error *e)
{
	struct str at[COUNT_OF(readable)];
	struct sandbox_plan p = { .tier = SANDBOX_LANDLOCK,
		                  .network = SANDBOX_NETWORK_FULL,
		                  .read_roots = { at, 0 } };
	int abi = landlock_abi();

	for (size_t i = 0; i < COUNT_OF(readable); i++)
		at[p.read_roots.count++] = str_from(readable[i]);
	/* Landlock is the second protection: without it the changed user is the only one. */
	return abi ? landlock_apply(&p, abi, NULL, e) : OK;
}

static void set_resource_limit(int what, rlim_t value)
{
	struct rlimit l = { value, value };

	setrlimit((__rlimit_resource_t)what, &l);
}

/*
 * In a user namespace without the number 61183 the process stays root; capabilities_drop() then
 * takes root's capabilities or fails.
 */
static void leave_root(void)
{
	if (geteuid() != 0 || setgroups(0, NULL) < 0)
		return;
	if (setresgid(SANDBOX_OUTSIDE_UID, SANDBOX_OUTSIDE_UID, SANDBOX_OUTSIDE_UID) == 0 &&
	    setresuid(SANDBOX_OUTSIDE_UID, SANDBOX_OUTSIDE_UID, SANDBOX_OUTSIDE_UID) < 0)
		_exit(1);
}

/* Everything that needs a privilege comes before capabilities_drop(). */
static bool drop_privileges(pid_t parent)
{
	struct error e;

	set_resource_limit(RLIMIT_CORE, 0);
	set_resource_limit(RLIMIT_NOFILE, FILES_MAX);
	leave_root();
	if (capabilities_drop(&e) != OK || close_files(&e) != OK)
		return false;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* cleared by a change of user, so it comes last; the parent may have gone meanwhile */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return getppid() == parent;
}

/*
 * Closes all descriptors but two: a control socket of a sandbox that stayed open here would keep
 * that sandbox alive after the supervisor's death.
 */
static void keep_only(int a, int b)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), low = MIN(a, b), high = MAX(a, b);

	for (int n = 0; n < 3 && null >= 0; n++)
		dup2(null, n);
	if (low > 3)
		close_range(3, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0U, 0);
}

/*
 * In the forked child.  The rules are read before the privileges are dropped; an error ends the
 * process, and then no host is reached.
 */
NORETURN static void proxy_main(pid_t parent, int listener, const struct sandbox_paths *allow,
                                struct proxy *p)
{
	struct arena *mem = arena_new();
	struct host_rules rules;
	struct error e;

	prctl(PR_SET_NAME, TITLE, 0, 0, 0);
	program_set_title(TITLE);
	keep_only(listener, p->news_fd);
	if (host_rule_read_all(mem, allow->at, allow->count, &rules, &e) != OK ||
	    !drop_privileges(parent))
		_exit(1);
	proxy_serve(&(struct proxy_place){ .listener = listener,
	                                   .news_fd = p->news_fd,
	                                   .head_ms = PROXY_HEAD_MS,
	                                   .idle_ms = PROXY_IDLE_MS,
	                                   .rules = &rules,
	                                   .tally = p->tally });
}

/* ---- the supervisor's side ---- */

/* MAP_SHARED across fork(): the counts survive the proxy, however it ends. */
static enum err make_tally(struct proxy *p, struct error *e)
{
	void *shared = mmap(NULL, sizeof *p->tally, PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return fail_errno(e, ERR_IO, "a tally of the proxy");
	p->tally = shared;
	p->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return p->news_fd < 0 ? fail_errno(e, ERR_IO, "news of the proxy") : OK;
}

/*
 * A pidfd and not the pid ends the proxy later: reap_strays() of the supervisor may reap it, and
 * then the number could be reused.
 */
enum err proxy_start(int listener, const struct sandbox_paths *allow, struct proxy *ret,
                     struct error *e)
{
	struct proxy p = { .pidfd = -1, .news_fd = -1 };
	pid_t parent = getpid();
	enum err err = make_tally(&p, e);

	if (!err) {
		p.pid = fork();
		if (p.pid == 0)
			proxy_main(parent, listener, allow, &p);
		if (p.pid < 0)
			err = fail_errno(e, ERR_IO, "start the proxy");
	}
	if (!err) {
		p.pidfd = sys_pidfd_open(p.pid); /* not reaped yet, so it is ours */
		if (p.pidfd < 0) {
			err = fail_errno(e, ERR_IO, "hold the proxy");
			kill(p.pid, SIGKILL);
			while (waitpid(p.pid, NULL, 0) < 0 && errno == EINTR)
				;
		}
	}
	if (err)
		proxy_done(&p);
	else
		*ret = p;
	return err;
}

void proxy_end(struct proxy *p)
{
	siginfo_t info;

	if (p->pidfd < 0)
		return;
	sys_pidfd_signal(p->pidfd, SIGKILL);
	while (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	sys_close(&p->pidfd);
}

void proxy_done(struct proxy *p)
{
	proxy_end(p);
	sys_close(&p->news_fd);
	if (p->tally)
		munmap(p->tally, sizeof *p->tally);
	p->tally = NULL;
}

/* ---- variables for commands ---- */

static bool is_named(const struct sandbox_paths *allow, struct str host)
{
	struct host_rule r;
	struct net_host h;

	if (!net_host_read(host, &h))
		return false;
	for (size_t i = 0; i < allow->count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();

		if (host_rule_read(mem, allow->at[i], &r, NULL) == OK && r.kind != HOST_RULE_ANY &&
		    !strcmp(r.host.text, h.text))
			return true;
	}
	return false;
}

/*
 * Hosts that bypass the proxy: the sandbox's own loopback, unless a rule of the plan names it,
 * which means the host's.
 */
static struct str no_proxy_hosts(struct arena *mem, const struct sandbox_paths *allow)
{
	static const char *const own[] = { "localhost", "127.0.0.1", "[::1]" };
	struct str out = STR("");

	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (!is_named(allow, str_from(own[i])))
			out = arena_printf(mem, "%.*s%s%.*s", STR_ARG(out), out.len ? "," : "",
			                   own[i][0] == '[' ? 3 : 16, own[i] + (own[i][0] == '['));
	return out;
}

void proxy_env(struct arena *mem, const struct sandbox_paths *allow, struct sandbox_paths *ret)
{
	static const char *const proxies[] = { "http_proxy", "https_proxy", "all_proxy",
		                               "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY" };
	static const char *const exceptions[] = { "no_proxy", "NO_PROXY" };
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, COUNT_OF(proxies) + 3), 0 };

	for (size_t i = 0; i < COUNT_OF(proxies); i++)
		l.at[l.count++] =
			arena_printf(mem, "%s=http://127.0.0.1:%d", proxies[i], PROXY_PORT);
	for (size_t i = 0; i < COUNT_OF(exceptions); i++)
		l.at[l.count++] = arena_printf(mem, "%s=%.*s", exceptions[i],
		                               STR_ARG(no_proxy_hosts(mem, allow)));
	/* Node ignores the proxy variables without this one */
	l.at[l.count++] = STR("NODE_USE_ENV_PROXY=1");
	*ret = l;
}
