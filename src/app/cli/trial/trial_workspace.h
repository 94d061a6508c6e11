#ifndef APP_TRIAL_WORKSPACE_H
#define APP_TRIAL_WORKSPACE_H
/*
 * The workspace of a trial: a copy of the task's environment, in which the agent works.
 *
 * A verifier may change what it judges, and may be killed.  So the workspace is kept as the
 * agent left it while a verifier runs, and each attempt has a fresh copy.  A verifier
 * of a run that was killed, if it still runs, writes to a directory that is gone.
 */
#include "app/cli/trial/trial_plan.h"

/* dir: the folder of the trial.  Makes the workspace from the task unless there is one. */
bool trial_workspace_make(struct cli *c, const char *dir, const struct trial_task *t);
/* Before an attempt of the verifier: keeps the workspace, or makes it again from what was kept. */
bool trial_workspace_refresh(struct cli *c, const char *dir);
/* After it: the workspace is what the agent left. */
void trial_workspace_restore(struct cli *c, const char *dir);
/* Removes what a program that was killed left in the folder of the trial. */
void trial_workspace_sweep(struct cli *c, const char *dir);

#endif
