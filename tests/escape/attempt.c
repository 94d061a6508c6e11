/*
 * One escape attempt, by name:
 *
 *	attempt NAME [ARGUMENT...]
 *
 * Exit code 42 says "I got it"; anything else says why not on stderr.  What
 * an attempt gains outside is looked at outside, by run.py; 42 alone counts
 * only where the power itself is the prize (a namespace, a keyring, a raw
 * socket).  Harmless by construction: nothing here destroys what it reaches.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define GOT_IT 42

static int failed(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

static int put(int fd, const char *text)
{
	if (fd < 0)
		return failed("open");
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return failed("write");
	return GOT_IT;
}

/* ---- files ---- */

static int do_write(char **a)
{
	return put(open(a[0], O_WRONLY | O_CREAT | O_TRUNC, 0666), "escaped\n");
}

static int do_append(char **a)
{
	return put(open(a[0], O_WRONLY | O_APPEND | O_CREAT, 0666), "escaped\n");
}

static int do_cat(char **a)
{
	char buf[4096];
	int fd = open(a[0], O_RDONLY | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof buf);

	if (len < 0)
		return failed(a[0]);
	return write(1, buf, (size_t)len) == len ? GOT_IT : 1;
}

static int do_openat(char **a)
{
	return put(openat(atoi(a[0]), a[1], O_WRONLY | O_CREAT, 0666), "escaped\n");
}

static int do_link(char **a)
{
	return link(a[0], a[1]) ? failed("link") : put(open(a[1], O_WRONLY | O_TRUNC), "escaped\n");
}

static int do_rename(char **a)
{
	return rename(a[0], a[1]) ? failed("rename") : GOT_IT;
}

static int do_exchange(char **a)
{
	return syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2 /* RENAME_EXCHANGE */)
	               ? failed("exchange")
	               : GOT_IT;
}

static int do_unlink(char **a)
{
	return unlink(a[0]) && rmdir(a[0]) ? failed("unlink") : GOT_IT;
}

static int do_truncate(char **a)
{
	return truncate(a[0], 0) ? failed("truncate") : GOT_IT;
}

static int do_mkdir(char **a)
{
	return mkdir(a[0], 0777) ? failed("mkdir") : GOT_IT;
}

static int do_symlink(char **a)
{
	return symlink(a[0], a[1]) ? failed("symlink") : GOT_IT;
}

static int do_mkfifo(char **a)
{
	return mkfifo(a[0], 0666) ? failed("mkfifo") : GOT_IT;
}

static int do_chmod(char **a)
{
	return chmod(a[1], (mode_t)strtoul(a[0], NULL, 8)) ? failed("chmod") : GOT_IT;
}

static int do_utimes(char **a)
{
	struct timeval t[2] = { { 1, 0 }, { 1, 0 } };

	return utimes(a[0], t) ? failed("utimes") : GOT_IT;
}

static int do_setxattr(char **a)
{
	return setxattr(a[0], a[1], "escaped", 7, 0) ? failed("setxattr") : GOT_IT;
}

static int do_tmpfile_link(char **a)
{
	char from[64];
	int fd = open(a[0], O_TMPFILE | O_WRONLY, 0666);

	if (put(fd, "escaped\n") != GOT_IT)
		return 1;
	snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW) ? failed("linkat")
	                                                                 : GOT_IT;
}

static int do_opath(char **a)
{
	char again[64];
	int fd = open(a[0], O_PATH);

	if (fd < 0)
		return failed("O_PATH");
	snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
	return put(open(again, O_WRONLY | O_TRUNC), "escaped\n");
}

static int do_openat2(char **a)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_WRONLY | O_CREAT, strtoul(a[0], NULL, 8), strtoul(a[1], NULL, 0) };
	int dir = open("/", O_PATH | O_DIRECTORY);

	return put((int)syscall(437, dir, a[2], &how, sizeof how), "escaped\n");
}

static int do_handle(char **a)
{
	/* the root directory of an ext file system is inode 2; others differ, and then it fails */
	struct {
		unsigned bytes;
		int type;
		uint32_t data[2];
	} h = { 8, 1, { 2, 0 } };
	int mount_fd = open(".", O_RDONLY | O_DIRECTORY);
	int fd = (int)syscall(SYS_open_by_handle_at, mount_fd, &h, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return failed("open_by_handle_at");
	return put(openat(fd, a[0] + 1, O_WRONLY | O_CREAT, 0666), "escaped\n");
}

static int do_reopen(char **a)
{
	return put(open(a[0], O_RDWR | O_TRUNC), "escaped\n");
}

static int do_creat_mode(char **a)
{
	int fd = open(a[1], O_WRONLY | O_CREAT | O_EXCL, (mode_t)strtoul(a[0], NULL, 8));

	return fd < 0 ? failed("open") : GOT_IT;
}

static int do_fchmodat2(char **a)
{
	return syscall(452, AT_FDCWD, a[1], strtoul(a[0], NULL, 8), 0) ? failed("fchmodat2")
	                                                               : GOT_IT;
}

static int do_mknod_mode(char **a)
{
	return mknod(a[1], S_IFREG | (mode_t)strtoul(a[0], NULL, 8), 0) ? failed("mknod") : GOT_IT;
}

static int do_mknod_dev(char **a)
{
	mode_t kind = a[0][0] == 'b' ? S_IFBLK : S_IFCHR;

	return mknod(a[3], kind | 0666, (dev_t)((atoi(a[1]) << 8) | atoi(a[2]))) ? failed("mknod")
	                                                                         : GOT_IT;
}

static int do_flip(char **a)
{
	/* a and b change places for ever, so that a path means one thing now and another then */
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2);
	return 1;
}

/* ---- mounts and namespaces ---- */

static int do_mount_bind(char **a)
{
	if (mount(a[0], a[1], NULL, MS_BIND | MS_REC, NULL))
		return failed("mount");
	return GOT_IT;
}

static int do_mount_tmpfs(char **a)
{
	return mount("none", a[0], "tmpfs", 0, NULL) ? failed("mount") : GOT_IT;
}

static int do_remount(char **a)
{
	return mount(NULL, a[0], NULL, MS_REMOUNT | MS_BIND, NULL) ? failed("remount") : GOT_IT;
}

static int do_umount(char **a)
{
	return umount2(a[0], MNT_DETACH) ? failed("umount") : GOT_IT;
}

static int do_open_tree(char **a)
{
	int fd = (int)syscall(428, AT_FDCWD, a[0], 1 /* OPEN_TREE_CLONE */);

	return fd < 0 ? failed("open_tree") : GOT_IT;
}

static int do_fsopen(char **a)
{
	return syscall(430, a[0], 0) < 0 ? failed("fsopen") : GOT_IT;
}

static int do_mount_setattr(char **a)
{
	struct {
		uint64_t set, clear, propagation, userns;
	} attr = { 0, 1 /* RDONLY */, 0, 0 };

	return syscall(442, AT_FDCWD, a[0], 0, &attr, sizeof attr) ? failed("mount_setattr")
	                                                           : GOT_IT;
}

static int do_chroot(char **a)
{
	mkdir("chroot.d", 0755);
	if (chroot("chroot.d"))
		return failed("chroot");
	for (int i = 0; i < 64; i++)
		if (chdir(".."))
			break;
	if (chroot("."))
		return failed("chroot .");
	return put(open(a[0], O_WRONLY | O_CREAT, 0666), "escaped\n");
}

static int do_pivot(char **a)
{
	(void)a;
	return syscall(SYS_pivot_root, ".", ".") ? failed("pivot_root") : GOT_IT;
}

static int do_unshare(char **a)
{
	return unshare((int)strtoul(a[0], NULL, 0)) ? failed("unshare") : GOT_IT;
}

static int do_clone(char **a)
{
	long pid = syscall(SYS_clone, strtoul(a[0], NULL, 0) | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid < 0 ? failed("clone") : GOT_IT;
}

static int do_clone3(char **a)
{
	uint64_t args[11] = { strtoul(a[0], NULL, 0) };

	args[4] = SIGCHLD;
	long pid = syscall(435, args, sizeof args);

	if (pid == 0)
		_exit(0);
	return pid < 0 ? failed("clone3") : GOT_IT;
}

static int do_setns(char **a)
{
	int fd = open(a[0], O_RDONLY);

	if (fd < 0)
		return failed(a[0]);
	return setns(fd, 0) ? failed("setns") : GOT_IT;
}

/* ---- other processes ---- */

static int do_ptrace(char **a)
{
	pid_t pid = atoi(a[0]);

	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		return failed("ptrace");
	ptrace(PTRACE_DETACH, pid, 0, 0);
	return GOT_IT;
}

static int do_vm_read(char **a)
{
	char buf[8];
	struct iovec mine = { buf, sizeof buf },
		     theirs = { (void *)strtoul(a[1], NULL, 0), sizeof buf };

	if (process_vm_readv(atoi(a[0]), &mine, 1, &theirs, 1, 0) < 0)
		return failed("process_vm_readv");
	return GOT_IT;
}

static int do_kill(char **a)
{
	return kill(atoi(a[0]), atoi(a[1])) ? failed("kill") : GOT_IT;
}

static int do_kill_all(char **a)
{
	(void)a;
	/* wakes a stopped process and does no other harm */
	return kill(-1, SIGCONT) ? failed("kill") : GOT_IT;
}

static int do_pidfd_kill(char **a)
{
	int fd = (int)syscall(434, atoi(a[0]), 0);

	if (fd < 0)
		return failed("pidfd_open");
	return syscall(424, fd, atoi(a[1]), NULL, 0) ? failed("pidfd_send_signal") : GOT_IT;
}

static int do_pidfd_getfd(char **a)
{
	int fd = (int)syscall(434, atoi(a[0]), 0);

	if (fd < 0)
		return failed("pidfd_open");
	return syscall(438, fd, 1, 0) < 0 ? failed("pidfd_getfd") : GOT_IT;
}

static int do_tgkill(char **a)
{
	return syscall(SYS_tgkill, atoi(a[0]), atoi(a[0]), atoi(a[1])) ? failed("tgkill") : GOT_IT;
}

static int do_sigqueue(char **a)
{
	return sigqueue(atoi(a[0]), atoi(a[1]), (union sigval){ 0 }) ? failed("sigqueue") : GOT_IT;
}

static int do_sigio(char **a)
{
	/* the kernel sends for us when the pipe becomes readable */
	int p[2];

	if (pipe(p) || fcntl(p[0], F_SETOWN, atoi(a[0])) || fcntl(p[0], F_SETSIG, atoi(a[1])) ||
	    fcntl(p[0], F_SETFL, O_ASYNC))
		return failed("F_SETOWN");
	put(p[1], "x");
	usleep(50000);
	return GOT_IT;
}

static int do_prlimit(char **a)
{
	struct rlimit none = { 7, 7 };

	return prlimit(atoi(a[0]), RLIMIT_NOFILE, &none, NULL) ? failed("prlimit") : GOT_IT;
}

static int do_renice(char **a)
{
	return setpriority(PRIO_PROCESS, (id_t)atoi(a[0]), 19) ? failed("setpriority") : GOT_IT;
}

static int do_renice_user(char **a)
{
	(void)a;
	return setpriority(PRIO_USER, 0, 1) ? failed("setpriority") : GOT_IT;
}

static int do_shm(char **a)
{
	int id = shmget((key_t)strtol(a[0], NULL, 0), 0, 0);
	char *at = id < 0 ? (char *)-1 : shmat(id, NULL, 0);

	if (at == (char *)-1)
		return failed("shm");
	printf("%s\n", at);
	return GOT_IT;
}

/* Leaves the session, the group and the parent, ignores what can be ignored, and beats. */
static int do_survive(char **a)
{
	for (int i = 0; i < 2; i++) {
		if (fork())
			_exit(0);
		setsid();
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int n = 1; n < 32; n++)
		signal(n, SIG_IGN);
	close(0);
	close(1);
	close(2);
	for (;;) {
		int fd = open(a[0], O_WRONLY | O_APPEND | O_CREAT, 0666);

		if (fd >= 0 && write(fd, ".", 1) == 1)
			close(fd);
		if (fork()) /* a moving target */
			_exit(0);
		usleep(10000);
	}
	return 1;
}

static int do_clone_parent(char **a)
{
	long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (pid)
		return 0;
	setsid();
	for (;;) {
		int fd = open(a[0], O_WRONLY | O_APPEND | O_CREAT, 0666);

		if (fd >= 0 && write(fd, ".", 1) == 1)
			close(fd);
		usleep(10000);
	}
	return 1;
}

/* ---- sockets ---- */

static int do_tcp(char **a)
{
	int six = strchr(a[0], ':') != NULL;
	int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a[1])) };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6,
		                   .sin6_port = htons((uint16_t)atoi(a[1])) };
	int r;

	inet_pton(AF_INET, a[0], &a4.sin_addr);
	inet_pton(AF_INET6, a[0], &a6.sin6_addr);
	if (fd < 0)
		return failed("socket");
	r = six ? connect(fd, (void *)&a6, sizeof a6) : connect(fd, (void *)&a4, sizeof a4);
	return r ? failed("connect") : put(fd, "escaped\n");
}

static int do_fastopen(char **a)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a[1])) };

	inet_pton(AF_INET, a[0], &to.sin_addr);
	if (fd < 0 ||
	    sendto(fd, "escaped\n", 8, 0x20000000 /* MSG_FASTOPEN */, (void *)&to, sizeof to) < 0)
		return failed("sendto");
	return GOT_IT;
}

static int do_udp(char **a)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a[1])) };

	inet_pton(AF_INET, a[0], &to.sin_addr);
	if (fd < 0 || sendto(fd, "escaped\n", 8, 0, (void *)&to, sizeof to) < 0)
		return failed("sendto");
	return GOT_IT;
}

static socklen_t stream_open_unix_address(struct sockaddr_un *un, const char *name)
{
	*un = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(un->sun_path, sizeof un->sun_path, "%s", name);
	if (name[0] != '@')
		return sizeof *un;
	un->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
}

static int do_unix(char **a)
{
	struct sockaddr_un un;
	socklen_t len = stream_open_unix_address(&un, a[0]);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (void *)&un, len))
		return failed("connect");
	return put(fd, "escaped\n");
}

static int do_unix_dgram(char **a)
{
	struct sockaddr_un un;
	socklen_t len = stream_open_unix_address(&un, a[1]);
	int type = atoi(a[0]), pair[2], fd;

	if (type < 10) {
		fd = socket(AF_UNIX, type, 0);
	} else {
		fd = socketpair(AF_UNIX, type - 10, 0, pair) ? -1 : pair[0];
	}
	if (fd < 0 || sendto(fd, "escaped\n", 8, 0, (void *)&un, len) < 0)
		return failed("sendto");
	return GOT_IT;
}

static int do_socket(char **a)
{
	/* the upper half of the register is ours: the kernel looks at the lower one */
	long domain = strtol(a[0], NULL, 0);

	return syscall(SYS_socket, domain, atol(a[1]), atol(a[2])) < 0 ? failed("socket") : GOT_IT;
}

static int do_vsock(char **a)
{
	struct {
		unsigned short family, reserved;
		unsigned port, cid;
		unsigned char zero[4];
	} to = { 40, 0, (unsigned)atoi(a[1]), (unsigned)atoi(a[0]), { 0 } };
	int fd = socket(40, SOCK_STREAM, 0);

	if (fd < 0)
		return failed("vsock");
	/* a refused connection still reached a host outside */
	if (connect(fd, (void *)&to, sizeof to) && errno != ECONNRESET && errno != ETIMEDOUT)
		return failed("connect");
	return GOT_IT;
}

static int do_listen(char **a)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a[0])) };

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd < 0 || bind(fd, (void *)&at, sizeof at) || listen(fd, 4))
		return failed("listen");
	sleep(2);
	return 1;
}

/* ---- the kernel ---- */

static int do_keyctl(char **a)
{
	char buf[256];
	long key = syscall(SYS_keyctl, 10 /* SEARCH */, -4 /* user keyring */, "user", a[0], 0);
	long len = key < 0 ? -1 : syscall(SYS_keyctl, 11 /* READ */, key, buf, sizeof buf);

	if (len < 0)
		return failed("keyctl");
	printf("%.*s\n", (int)len, buf);
	return GOT_IT;
}

static int do_add_key(char **a)
{
	return syscall(SYS_add_key, "user", a[0], "escaped", 7, -4) < 0 ? failed("add_key")
	                                                                : GOT_IT;
}

static int do_request_key(char **a)
{
	return syscall(SYS_request_key, "user", a[0], "", 0) < 0 ? failed("request_key") : GOT_IT;
}

static int do_tiocsti(char **a)
{
	unsigned long request = TIOCSTI | strtoul(a[1], NULL, 0);
	int fd = open(a[0], O_RDWR | O_NOCTTY);
	char c = 'x';

	if (fd < 0)
		return failed(a[0]);
	return syscall(SYS_ioctl, fd, request, &c) ? failed("TIOCSTI") : GOT_IT;
}

static int do_tioclinux(char **a)
{
	int fd = open(a[0], O_RDWR | O_NOCTTY);
	char c = 6;

	if (fd < 0)
		return failed(a[0]);
	/* on a pseudo-terminal an open kernel says ENOTTY; the filter says EPERM */
	return ioctl(fd, 0x541c, &c) && errno == EPERM ? failed("TIOCLINUX") : GOT_IT;
}

static int do_io_uring(char **a)
{
	char params[256] = { 0 };

	(void)a;
	return syscall(425, 4, params) < 0 ? failed("io_uring_setup") : GOT_IT;
}

static int do_userfaultfd(char **a)
{
	(void)a;
	return syscall(SYS_userfaultfd, O_CLOEXEC | 1) < 0 ? failed("userfaultfd") : GOT_IT;
}

static int do_bpf(char **a)
{
	struct {
		uint32_t type, key, value, entries, rest[28];
	} attr = { 2 /* ARRAY */, 4, 4, 1, { 0 } };

	(void)a;
	return syscall(SYS_bpf, 0, &attr, sizeof attr) < 0 ? failed("bpf") : GOT_IT;
}

static int do_perf(char **a)
{
	struct {
		uint32_t type, size;
		uint64_t config, rest[14];
	} attr = { 1 /* SOFTWARE */, 112, 0, { 0 } };

	(void)a;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0 ? failed("perf_event_open")
	                                                             : GOT_IT;
}

/* Calls whose only harmless form is a wrong one: the filter says EPERM before the kernel looks. */
static int do_syscall(char **a)
{
	long nr = strtol(a[0], NULL, 0), args[5] = { 0 };
	int no = atoi(a[1]);

	for (int i = 0; i < 5 && a[2 + i]; i++)
		args[i] = strtol(a[2 + i], NULL, 0);
	if (syscall(nr, args[0], args[1], args[2], args[3], args[4]) < 0 && errno == no)
		return failed("syscall");
	fprintf(stderr, "answered %s\n", strerror(errno));
	return GOT_IT;
}

static int do_adjtime(char **a)
{
	struct timex t = { .modes = ADJ_TICK, .tick = 10000 };

	(void)a;
	return adjtimex(&t) < 0 ? failed("adjtimex") : GOT_IT;
}

static int do_acct(char **a)
{
	int r = acct(a[0]);

	acct(NULL);
	return r ? failed("acct") : GOT_IT;
}

static int do_dmesg(char **a)
{
	char buf[64];

	(void)a;
	return syscall(SYS_syslog, 3, buf, sizeof buf) < 0 ? failed("syslog") : GOT_IT;
}

static int do_caps(char **a)
{
	struct {
		uint32_t version;
		int pid;
	} head = { 0x20080522, 0 };
	uint32_t data[6] = { 0 };

	(void)a;
	if (syscall(SYS_capget, &head, data))
		return failed("capget");
	printf("effective %x%08x permitted %x%08x inheritable %x%08x\n", data[3], data[0], data[4],
	       data[1], data[5], data[2]);
	return data[0] | data[1] | data[2] | data[3] | data[4] | data[5] ? GOT_IT : 1;
}

static int do_euid(char **a)
{
	printf("uid %d euid %d\n", getuid(), geteuid());
	return geteuid() == (uid_t)atoi(a[0]) ? GOT_IT : 1;
}

static int do_setuid0(char **a)
{
	(void)a;
	return setresuid(0, 0, 0) ? failed("setresuid") : GOT_IT;
}

/* ---- exhaustion ---- */

/*
 * Not faster than one in a millisecond: where a watch counts the processes, a busy machine lets it
 * look late, and the first two thousand would be over by then.
 */
static int do_forks(char **a)
{
	long want = atol(a[0]), done = 0;

	for (; done < want; done++) {
		pid_t pid = fork();

		usleep(pid > 0 ? 1000 : 0);

		if (pid < 0)
			break;
		if (pid == 0) {
			sleep(3);
			_exit(0);
		}
	}
	printf("%ld\n", done);
	return done == want ? GOT_IT : 1;
}

static int do_memory(char **a)
{
	long mib = atol(a[0]);

	for (long i = 0; i < mib; i++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		               -1, 0);

		if (p == MAP_FAILED)
			return failed("mmap");
		memset(p, 1, 1 << 20);
	}
	return GOT_IT;
}

static int do_memory_many(char **a)
{
	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			_exit(do_memory(a) == GOT_IT && sleep(2) == 0 ? 0 : 1);
	for (int i = 0; i < 8; i++) {
		int status;

		if (wait(&status) < 0 || status)
			return 1;
	}
	return GOT_IT;
}

static int do_fill(char **a)
{
	static char mib[1 << 20];
	long want = atol(a[1]);
	int fd = open(a[0], O_WRONLY | O_CREAT | O_TRUNC, 0666);

	for (long i = 0; i < want; i++)
		if (write(fd, mib, sizeof mib) != sizeof mib)
			return failed("write");
	return GOT_IT;
}

static int do_fds(char **a)
{
	long want = atol(a[0]);

	for (long i = 0; i < want; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return failed("open");
	return GOT_IT;
}

static int do_memfd_exec(char **a)
{
	char buf[65536], path[64];
	int from = open(a[0], O_RDONLY), to = (int)syscall(SYS_memfd_create, "x", 0);
	ssize_t len;

	while ((len = read(from, buf, sizeof buf)) > 0)
		if (write(to, buf, (size_t)len) != len)
			return failed("memfd");
	snprintf(path, sizeof path, "/proc/self/fd/%d", to);
	execv(path, a);
	return failed("execv");
}

static int do_fd_list(char **a)
{
	int got = 0;

	(void)a;
	for (int fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			printf("descriptor %d is open\n", fd);
			got = GOT_IT;
		}
	return got ? got : 1;
}

static const struct {
	const char *name;
	int (*run)(char **args);
	int args;
} attempts[] = {
	{ "write", do_write, 1 },
	{ "append", do_append, 1 },
	{ "cat", do_cat, 1 },
	{ "openat", do_openat, 2 },
	{ "link", do_link, 2 },
	{ "rename", do_rename, 2 },
	{ "exchange", do_exchange, 2 },
	{ "unlink", do_unlink, 1 },
	{ "truncate", do_truncate, 1 },
	{ "mkdir", do_mkdir, 1 },
	{ "symlink", do_symlink, 2 },
	{ "mkfifo", do_mkfifo, 1 },
	{ "chmod", do_chmod, 2 },
	{ "utimes", do_utimes, 1 },
	{ "setxattr", do_setxattr, 2 },
	{ "tmpfile-link", do_tmpfile_link, 2 },
	{ "opath", do_opath, 1 },
	{ "openat2", do_openat2, 3 },
	{ "handle", do_handle, 1 },
	{ "reopen", do_reopen, 1 },
	{ "creat-mode", do_creat_mode, 2 },
	{ "fchmodat2", do_fchmodat2, 2 },
	{ "mknod-mode", do_mknod_mode, 2 },
	{ "mknod-dev", do_mknod_dev, 4 },
	{ "flip", do_flip, 2 },
	{ "mount-bind", do_mount_bind, 2 },
	{ "mount-tmpfs", do_mount_tmpfs, 1 },
	{ "remount", do_remount, 1 },
	{ "umount", do_umount, 1 },
	{ "open-tree", do_open_tree, 1 },
	{ "fsopen", do_fsopen, 1 },
	{ "mount-setattr", do_mount_setattr, 1 },
	{ "chroot", do_chroot, 1 },
	{ "pivot", do_pivot, 0 },
	{ "unshare", do_unshare, 1 },
	{ "clone", do_clone, 1 },
	{ "clone3", do_clone3, 1 },
	{ "setns", do_setns, 1 },
	{ "ptrace", do_ptrace, 1 },
	{ "vm-read", do_vm_read, 2 },
	{ "kill", do_kill, 2 },
	{ "kill-all", do_kill_all, 0 },
	{ "pidfd-kill", do_pidfd_kill, 2 },
	{ "pidfd-getfd", do_pidfd_getfd, 1 },
	{ "tgkill", do_tgkill, 2 },
	{ "sigqueue", do_sigqueue, 2 },
	{ "sigio", do_sigio, 2 },
	{ "prlimit", do_prlimit, 1 },
	{ "renice", do_renice, 1 },
	{ "renice-user", do_renice_user, 0 },
	{ "shm", do_shm, 1 },
	{ "survive", do_survive, 1 },
	{ "clone-parent", do_clone_parent, 1 },
	{ "tcp", do_tcp, 2 },
	{ "fastopen", do_fastopen, 2 },
	{ "udp", do_udp, 2 },
	{ "unix", do_unix, 1 },
	{ "unix-dgram", do_unix_dgram, 2 },
	{ "socket", do_socket, 3 },
	{ "vsock", do_vsock, 2 },
	{ "listen", do_listen, 1 },
	{ "keyctl", do_keyctl, 1 },
	{ "add-key", do_add_key, 1 },
	{ "request-key", do_request_key, 1 },
	{ "tiocsti", do_tiocsti, 2 },
	{ "tioclinux", do_tioclinux, 1 },
	{ "io-uring", do_io_uring, 0 },
	{ "userfaultfd", do_userfaultfd, 0 },
	{ "bpf", do_bpf, 0 },
	{ "perf", do_perf, 0 },
	{ "syscall", do_syscall, 2 },
	{ "adjtime", do_adjtime, 0 },
	{ "acct", do_acct, 1 },
	{ "dmesg", do_dmesg, 0 },
	{ "caps", do_caps, 0 },
	{ "euid", do_euid, 1 },
	{ "setuid0", do_setuid0, 0 },
	{ "forks", do_forks, 1 },
	{ "memory", do_memory, 1 },
	{ "memory-many", do_memory_many, 1 },
	{ "fill", do_fill, 2 },
	{ "fds", do_fds, 1 },
	{ "memfd-exec", do_memfd_exec, 1 },
	{ "fd-list", do_fd_list, 0 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof attempts / sizeof *attempts; i++)
		if (!strcmp(argv[1], attempts[i].name) && argc - 2 >= attempts[i].args)
			return attempts[i].run(argv + 2);
	fprintf(stderr, "attempt: no such attempt, or too few arguments\n");
	return 3;
}
