#ifndef APP_REMOTE_H
#define APP_REMOTE_H
/*
 * A daemon on another machine, over ssh.
 *
 * ssh authenticates the user there, so the daemon sees its own user at its
 * socket; no token and no port is needed.  Keys of the local environment are not
 * lent: they stay on this machine.
 */
#include "app/cli/cli.h"

/* --host, or THOLE_HOST; NULL: this machine. */
const char *remote_host(const struct cli *c);
/* Sets c->socket and c->remote_dir.  Refuses verbs that work on this machine's files. */
int remote_open(struct cli *c);
/* The connection broke: opens it again, without questions.  is_quiet: without messages, too. */
int remote_again(struct cli *c, bool is_quiet);
void remote_close(struct cli *c); /* also when nothing was opened */

#endif
