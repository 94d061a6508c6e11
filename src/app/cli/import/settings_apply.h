#ifndef APP_SETTINGS_APPLY_H
#define APP_SETTINGS_APPLY_H
/*
 * Settings of another program, added to the user's settings file.
 *
 * Only what means the same here is taken over; the rest is listed with the
 * reason.  What gives the agent more rights (rules that allow, tool servers,
 * hooks, modes without questions or without a sandbox) needs its own
 * approval or its own option.  Values of environment variables are never copied.
 */
#include "app/cli/import/import_find.h"

/*
 * Shows, asks and writes.  CODE_DECISION: no person could be asked, and nothing was changed.  With
 * --json the plan is a member of the object that the verb prints; *is_open: its bracket is written.
 */
int settings_apply(struct cli *c, const struct import_place *place, bool *is_open);

#endif
