#ifndef APP_TRIAL_STOP_H
#define APP_TRIAL_STOP_H
/*
 * Ends what the agent of a trial left running: turns of its subagents and background
 * processes.  A verifier that shares the workspace with them judges a moving target.
 */
#include "app/cli/cli.h"

/*
 * Asks for the end of everything that still runs in this session.  *ret_gone: nothing
 * does; otherwise call again.
 */
int trial_stop_rest(struct cli *c, struct str session, bool *ret_gone);

#endif
