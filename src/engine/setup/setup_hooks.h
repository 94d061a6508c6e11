#ifndef ENGINE_SETUP_SETUP_HOOKS_H
#define ENGINE_SETUP_SETUP_HOOKS_H
/*
 * Hooks of the settings and of directories, in the setup.
 */
#include "engine/state.h"

void setup_hooks_take(struct engine *e); /* those that are asked in every session, into the setup */
size_t setup_hooks_list_at(const struct engine *e, struct str cwd, const struct hook_info **ret);
/* Those of a directory behind them; all of it lives in mem. */
void setup_hooks_fill(const struct engine *e, struct str cwd, struct arena *mem, struct setup *s);
void setup_hooks_renew(struct engine *e, struct str cwd); /* a turn begins there */

#endif
