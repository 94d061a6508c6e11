#ifndef SUPERVISOR_SANDBOX_OPTIONS_H
#define SUPERVISOR_SANDBOX_OPTIONS_H
/* The command line of sandbox-run. */
#include "sandbox/sandbox_plan_make.h"

struct sandbox_options {
	struct arena *mem;
	struct sandbox_profile profile; /* without home, limits and tmp_dir */
	struct sandbox_limits limits;
	struct sandbox_paths env; /* NAME=value */
	struct sandbox_paths argv;
	int64_t parent; /* the command ends with this process; 0: with none */
	bool json, plan_only, pty;
};

/* Ends the program with a message when they make no sense. */
void sandbox_options_read(struct sandbox_options *o, struct arena *mem, int argc, char **argv);

/* fmt has one %s, for what; control characters in it are made visible. */
NORETURN void sandbox_options_die(int code, const char *fmt, const char *what);

#endif
