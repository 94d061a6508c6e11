#ifndef HAND_SANDBOX_OPTIONS_H
#define HAND_SANDBOX_OPTIONS_H
/* The command line of sandbox-run. */
#include "hand/profile.h"

struct sandbox_options {
	struct arena *mem;
	struct profile_wish wish; /* without home, limits and tmp_dir */
	struct plan_limits limits;
	struct plan_list env; /* NAME=value */
	struct plan_list argv;
	bool json, plan_only, pty;
};

/* Ends the program with a message when they make no sense. */
void sandbox_options_read(struct sandbox_options *o, struct arena *mem, int argc, char **argv);

/* fmt has one %s, for what; control characters in it are made visible. */
NORETURN void sandbox_die(int code, const char *fmt, const char *what);

#endif
