#ifndef APP_CLI_ADMIN_RPC_H
#define APP_CLI_ADMIN_RPC_H
/* Bytes between stdin and stdout and the daemon's socket. */
#include "app/cli/cli.h"

/* Until either side ends; the daemon reads first_line first.  Returns the exit code. */
int rpc_bridge(struct cli *c, const char *first_line);

#endif
