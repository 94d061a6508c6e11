/*
 * The process's umask and title.  A child without an execve() of its own (an
 * init, a proxy) overwrites the arguments, which name directories of the host.
 */
#include "supervisor/program.h"

#include <string.h>

mode_t program_umask = 022;

static char *title_at;
static size_t title_size;

/*
 * The kernel places the arguments in one block, from argv[0] to the end of the last one.
 * /proc/PID/cmdline shows that block, so overwriting it changes what process lists show.
 */
void program_keep_title(int argc, char **argv)
{
	title_at = argv[0];
	title_size = argc ? (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]) : 0;
}

void program_set_title(const char *title)
{
	size_t len = strlen(title) + 1;

	if (title_size <= len)
		return;
	memset(title_at, 0, title_size);
	memcpy(title_at, title, len);
}
