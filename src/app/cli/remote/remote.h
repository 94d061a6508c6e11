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

#include <sys/types.h>

/* --host, or THOLE_HOST; NULL: this machine. */
const char *remote_host(const struct cli *c);
/* Sets c->socket and c->remote_dir.  Refuses verbs that work on this machine's files. */
int remote_open(struct cli *c);
/* The connection broke: opens it again, without questions.  is_quiet: without messages, too. */
int remote_again(struct cli *c, bool is_quiet);
/*
 * Starts `thole WORDS` there over the open connection; ends with NULL.  Its output goes to out.
 * has_terminal: it gets one, so that Ctrl-C reaches it.  False: that failed.
 */
bool remote_start(struct cli *c, const char *const words[], int out, bool has_terminal, pid_t *ret);
/* Runs it there and waits; its output goes to stderr.  Returns its exit code. */
int remote_run(struct cli *c, const char *const words[]);
void remote_close(struct cli *c); /* also when nothing was opened */

#endif
