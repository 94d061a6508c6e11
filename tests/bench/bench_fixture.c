#include "bench_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX 32
#define START_MS 10000
#define STOP_MS 20000

const char *bench_fixture_thole;
const char *bench_fixture_dir;

void die(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *text(const char *fmt, ...)
{
	static char ring[64][512];
	static unsigned at;
	char *out = ring[at++ % COUNT_OF(ring)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(out, sizeof ring[0], fmt, args);
	va_end(args);
	return out;
}

void bench_fixture_begin(int argc, char **argv)
{
	if (argc != 3)
		die("usage: %s THOLE DIR", argv[0]);
	bench_fixture_thole = argv[1];
	bench_fixture_dir = argv[2];
	if (mkdir(bench_fixture_dir, 0700) != 0 && errno != EEXIST)
		die("%s: %s", bench_fixture_dir, strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);
}

const char *bench_fixture_path(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", bench_fixture_dir, name) < 0)
		die("no memory");
	return path;
}

/* ---- time ---- */

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void nap_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double percentile(double *values, size_t count, double share)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof *values, by_value);
	return values[MIN((size_t)(share * (double)count), count - 1)];
}

double median(double *values, size_t count)
{
	return percentile(values, count, 0.5);
}

/* ---- floors ---- */

void floor_sync(double *ret_ms, size_t count)
{
	static const char page[4096] = { 1 };
	static int fd = -1;

	if (fd < 0)
		fd = open(bench_fixture_path("floor"), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC,
		          0600);
	for (size_t i = 0; i < count; i++) {
		int64_t began = now_ns();

		if (write(fd, page, sizeof page) != sizeof page || fdatasync(fd) != 0)
			die("%s/floor: %s", bench_fixture_dir, strerror(errno));
		ret_ms[i] = (double)(now_ns() - began) / 1e6;
	}
}

double floor_sync_ms(void)
{
	double took[50], best = 1e9;

	for (int i = 0; i < 8; i++) {
		floor_sync(took, COUNT_OF(took));
		best = MIN(best, median(took, COUNT_OF(took)));
	}
	return best;
}

double floor_spawn_ms(void)
{
	enum { TIMES = 100 };
	static double took[TIMES];
	char *args[] = { "true", NULL }, *env[] = { NULL };

	for (int i = 0; i < TIMES; i++) {
		int64_t began = now_ns();
		pid_t pid;

		if (posix_spawn(&pid, "/bin/true", NULL, NULL, args, env) != 0)
			die("/bin/true does not start");
		waitpid(pid, NULL, 0);
		took[i] = (double)(now_ns() - began) / 1e6;
	}
	return median(took, TIMES);
}

/* ---- rows ---- */

void row_print(const struct row *r)
{
	static const char *const words[] = { "no", "yes", "-" };
	const char *ratio = r->ratio > 0 ? text("%.2f", r->ratio) : "-";

	printf("row\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r->name, r->measured, r->floor ? r->floor : "-",
	       ratio, r->target ? r->target : "-", words[r->reached], r->note ? r->note : "");
}

/* ---- files ---- */

void bench_fixture_write(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(content, f) < 0 || fclose(f) != 0)
		die("%s: %s", path, strerror(errno));
}

void bench_fixture_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char name[1024];
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (lstat(name, &st) == 0 && S_ISDIR(st.st_mode))
			bench_fixture_remove(name);
		else
			unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static bool read_start(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	out[got < 0 ? 0 : got] = '\0';
	return got > 0;
}

/* ---- a daemon ---- */

static const char *log_of(const struct daemon *d)
{
	return text("%s.log", d->dir);
}

static void broke(const struct daemon *d, const char *what)
{
	char said[4096];

	read_start(log_of(d), said, sizeof said);
	die("the daemon on %s %s; it said:\n%s", d->dir, what, said);
}

void daemon_spawn(struct daemon *d, const char *dir, const char *script,
                  const char *const *settings)
{
	const char *args[ARGS_MAX] = { "thole", "serve", "--listen", "127.0.0.1:0", "--data", dir };
	/* Nothing of the caller's settings: the figures are of the defaults. */
	char *env[] = { "PATH=/usr/bin:/bin", (char *)text("HOME=%s.home", dir),
		        "THOLE_STRICT=append", NULL };
	int count = 6;
	posix_spawn_file_actions_t files;

	*d = (struct daemon){ 0 };
	snprintf(d->dir, sizeof d->dir, "%s", dir);
	snprintf(d->socket, sizeof d->socket, "%s/socket", dir);
	if (script) {
		args[count++] = "--script";
		args[count++] = script;
	}
	for (; settings && *settings && count < ARGS_MAX - 3; settings++) {
		args[count++] = "-c";
		args[count++] = *settings;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, log_of(d), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (posix_spawn(&d->pid, bench_fixture_thole, &files, NULL, (char **)args, env) != 0)
		die("%s does not start: %s", bench_fixture_thole, strerror(errno));
	posix_spawn_file_actions_destroy(&files);
}

static bool has_ended(struct daemon *d)
{
	return waitpid(d->pid, NULL, WNOHANG) == d->pid;
}

void daemon_start(struct daemon *d, const char *dir, const char *script,
                  const char *const *settings)
{
	int64_t until = now_ns() + START_MS * 1000000LL;
	char said[512];
	const char *at;

	daemon_spawn(d, dir, script, settings);
	while (!read_start(log_of(d), said, sizeof said) || !strchr(said, '\n')) {
		if (has_ended(d) || now_ns() > until)
			broke(d, "did not come up");
		nap_ms(1);
	}
	at = strstr(said, "http://127.0.0.1:");
	if (!at)
		broke(d, "did not say its address");
	d->port = atoi(at + strlen("http://127.0.0.1:"));
	if (!read_start(text("%s/token", dir), d->token, sizeof d->token))
		broke(d, "made no token");
	d->token[strcspn(d->token, "\n")] = '\0';
}

void daemon_stop(struct daemon *d)
{
	int64_t until = now_ns() + STOP_MS * 1000000LL;
	int status = 0;
	char said[16384];

	kill(d->pid, SIGTERM);
	while (waitpid(d->pid, &status, WNOHANG) != d->pid) {
		if (now_ns() > until) {
			kill(d->pid, SIGKILL);
			broke(d, "did not stop");
		}
		nap_ms(1);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		broke(d, text("ended with status %#x", (unsigned)status));
	read_start(log_of(d), said, sizeof said);
	if (strstr(said, "error"))
		fprintf(stderr, "%s: %s\n", log_of(d), said);
}

/* ---- what a process takes ---- */

struct memory memory_of(pid_t pid)
{
	FILE *f = fopen(text("/proc/%d/smaps_rollup", pid), "r");
	struct memory m = { 0 };
	char line[256];
	long kib;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Rss: %ld", &kib) == 1)
			m.rss_kib = (double)kib;
		else if (sscanf(line, "Private_Clean: %ld", &kib) == 1 ||
		         sscanf(line, "Private_Dirty: %ld", &kib) == 1)
			m.private_kib += (double)kib;
	if (f)
		fclose(f);
	return m;
}

double cpu_seconds_of(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char line[1024];
	const char *at;

	read_start(text("/proc/%d/stat", pid), line, sizeof line);
	at = strrchr(line, ')');
	if (at)
		sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

int descriptors_of(pid_t pid)
{
	DIR *dir = opendir(text("/proc/%d/fd", pid));
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count - 2; /* "." and ".." */
}
