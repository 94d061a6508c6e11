/*
 * Protects the memory of a process that holds keys: other processes of the same
 * user cannot read it, and a crash writes no core file.
 */
#include "app/harden.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void harden(void)
{
	const struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}
