#ifndef APP_CLI_HOOKS_H
#define APP_CLI_HOOKS_H
/* What `thole trust` says about hooks, which have a trust of their own because they run programs. */
#include "app/cli/cli.h"

/* Prints the hooks of the project that are not trusted yet, and the command that trusts them. */
void cli_hooks_tell_untrusted(struct cli *c, const char *cwd);

#endif
