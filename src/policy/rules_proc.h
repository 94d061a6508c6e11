#ifndef POLICY_RULES_PROC_H
#define POLICY_RULES_PROC_H
/* Paths that each process sees differently: only the process itself can resolve them. */
#include "base/str.h"

/* Does a path, seen from dir, pass a link of /proc that depends on the process? */
enum rules_way {
	RULES_WAY_PLAIN,         /* no */
	RULES_WAY_OWN_DIRECTORY, /* /proc/self/cwd: the directory of the command; ret_rest follows */
	RULES_WAY_UNKNOWN,       /* it may lead anywhere */
};
enum rules_way rules_proc_way(struct str dir, struct str text, struct str *ret_rest);

#endif
