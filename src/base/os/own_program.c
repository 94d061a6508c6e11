/* Finds the file of the running program: through /proc, or as the portable launcher named it. */
#include "base/os/own_program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path behind /proc/self/exe; false: it does not fit or cannot be read. */
static bool read_exe(char room[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", room, PATH_MAX - 1);

	if (len <= 0 || len == PATH_MAX - 1)
		return false;
	room[len] = 0;
	return true;
}

/* All loaders of glibc are called ld-linux*, and no program of ours is. */
static bool is_loader(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && strncmp(name + 1, "ld-linux", 8) == 0;
}

bool own_program_is_portable(void)
{
	char exe[PATH_MAX];

	return read_exe(exe) && is_loader(exe);
}

const char *own_program_path(char room[PATH_MAX])
{
	bool is_read = read_exe(room);

	if (is_read && is_loader(room) && program_invocation_name[0] == '/')
		is_read = snprintf(room, PATH_MAX, "%s", program_invocation_name) < PATH_MAX;
	if (!is_read || access(room, X_OK) != 0)
		snprintf(room, PATH_MAX, "%s", "/proc/self/exe");
	return room;
}
