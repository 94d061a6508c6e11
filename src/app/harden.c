/*
 * Protects the memory of a process that holds keys: other processes of the same
 * user cannot read it, and a crash writes no core file.
 */
#include "app/harden.h"

#include "base/memory.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void harden(void)
{
	const struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

/* The loader keeps pointers to its own variables, LD_LIBRARY_PATH, say. */
void harden_environment(void)
{
	for (char **at = environ; at && *at; at++) {
		char *shown = *at;

		if (!strncmp(shown, "LD_", 3))
			continue;
		*at = memory_strdup(shown);
		explicit_bzero(shown, strlen(shown));
	}
}
