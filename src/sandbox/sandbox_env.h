#ifndef SANDBOX_SANDBOX_ENV_H
#define SANDBOX_SANDBOX_ENV_H
/*
 * The environment of a command in a sandbox.  It starts empty, so that keys in
 * the daemon's environment stay there.
 */
#include "sandbox/sandbox_plan.h"

/* Of a list of directories as in PATH, those that the plan shows. */
struct str sandbox_env_path(struct arena *mem, const struct sandbox_plan *p, struct str path);

/*
 * From the caller's variables (NAME=value) only the allowed names, in the order
 * of `allowed`, then the call's own, which replace variables of the same name.
 */
void sandbox_env(struct arena *mem, char *const *from, const struct sandbox_paths *allowed,
                 const struct sandbox_paths *own, struct sandbox_paths *ret);

#endif
