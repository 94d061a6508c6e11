/*
 * Numbers of processes inside and outside.  A pidfd of a process names its number in the /proc
 * through which its description is read.  Older kernels make no pidfd of a thread that is not the
 * first of its process; then every process of the same namespace is looked at, and the number
 * found is kept.
 */
#include "supervisor/kernel/process_files.h"

#include "base/os/sys.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT 64
#define TEXT_MAX 4096

static int outside = -1; /* the /proc outside; -1: the sandbox has its own */

static struct kept_thread {
	pid_t inner, outer;
} kept[KEPT];

void process_files_begin(bool has_own)
{
	if (!has_own)
		outside = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- text files of /proc ---- */

static bool read_text(const char *path, char text[TEXT_MAX])
{
	FD_SCOPE fd = openat(outside, path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);

	if (len < 0)
		return false;
	text[len] = 0;
	return true;
}

/* The last number of the line that begins with this name; 0: there is none, or the process has ended (-1). */
static pid_t last_number(const char *text, const char *name)
{
	const char *at = strstr(text, name), *end;

	if (!at)
		return 0;
	end = at + strcspn(at, "\n");
	while (end > at && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return end[-1] == '-' ? 0 : (pid_t)strtol(end, NULL, 10);
}

/* ---- the number outside ---- */

static pid_t number_of_pidfd(int fd)
{
	char path[64], text[TEXT_MAX];

	snprintf(path, sizeof path, "self/fdinfo/%d", fd);
	return read_text(path, text) ? last_number(text, "Pid:\t") : 0;
}

static bool is_of_this_sandbox(const char *process)
{
	char path[64];
	struct stat own, other;

	snprintf(path, sizeof path, "%.40s/ns/pid", process);
	return fstatat(outside, "self/ns/pid", &own, 0) == 0 &&
	       fstatat(outside, path, &other, 0) == 0 && own.st_ino == other.st_ino;
}

static pid_t number_inside(const char *thread)
{
	char path[64], text[TEXT_MAX];

	snprintf(path, sizeof path, "%.40s/status", thread);
	return read_text(path, text) ? last_number(text, "NSpid:\t") : 0;
}

static DIR *open_dir(const char *path)
{
	int fd = openat(outside, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		sys_close(&fd);
	return dir;
}

static pid_t find_in_process(const char *process, pid_t thread)
{
	char path[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *tasks;

	snprintf(path, sizeof path, "%.40s/task", process);
	tasks = open_dir(path);
	while (tasks && !found && (entry = readdir(tasks)))
		if (number_inside(entry->d_name) == thread)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	if (tasks)
		closedir(tasks);
	return found;
}

static pid_t find_everywhere(pid_t thread)
{
	DIR *processes = open_dir(".");
	struct dirent *entry;
	pid_t found = 0;

	while (processes && !found && (entry = readdir(processes)))
		if (strtol(entry->d_name, NULL, 10) > 0 && is_of_this_sandbox(entry->d_name))
			found = find_in_process(entry->d_name, thread);
	if (processes)
		closedir(processes);
	return found;
}

/* A number that was kept may belong to another thread by now. */
static pid_t find_thread(pid_t thread)
{
	struct kept_thread *k = &kept[thread % KEPT];
	char outer[16];

	snprintf(outer, sizeof outer, "%d", k->outer);
	if (k->inner != thread || number_inside(outer) != thread || !is_of_this_sandbox(outer))
		*k = (struct kept_thread){ thread, find_everywhere(thread) };
	return k->outer;
}

static pid_t number_outside(pid_t thread)
{
	FD_SCOPE fd = (int)syscall(SYS_pidfd_open, thread, 0);

	return fd >= 0 ? number_of_pidfd(fd) : find_thread(thread);
}

/* ---- files ---- */

int process_files_open(pid_t thread, const char *name)
{
	char path[64];
	pid_t number = outside < 0 ? thread : number_outside(thread);

	if (number <= 0)
		return -1;
	snprintf(path, sizeof path, "%s%d/%s", outside < 0 ? "/proc/" : "", number, name);
	return openat(outside, path, O_PATH | O_CLOEXEC);
}

bool process_files_path(int fd, char *room, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof link, "%sself/fd/%d", outside < 0 ? "/proc/" : "", fd);
	len = readlinkat(outside, link, room, size - 1);
	if (len <= 0)
		return false;
	room[len] = 0;
	return true;
}
