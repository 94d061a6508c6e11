/* A child starts with the signal mask of its parent, and verbs block signals to read them. */
#include "app/child.h"

#include <signal.h>

extern char **environ;

int child_start(const char *path, char *const argv[], const posix_spawn_file_actions_t *files,
                pid_t *ret)
{
	posix_spawnattr_t attr;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	code = path ? posix_spawn(ret, path, files, &attr, argv, environ)
	            : posix_spawnp(ret, argv[0], files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return code;
}
