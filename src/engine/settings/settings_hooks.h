#ifndef ENGINE_SETTINGS_SETTINGS_HOOKS_H
#define ENGINE_SETTINGS_SETTINGS_HOOKS_H
/*
 * Hooks of the settings and of directories, in the setup.
 */
#include "engine/engine_state.h"

void settings_hooks_take(
	struct engine *e); /* those that are asked in every session, into the setup */
size_t settings_hooks_list_at(const struct engine *e, struct str cwd, const struct hook_info **ret);
/* Those of a directory behind them; all of it lives in mem. */
void settings_hooks_fill(const struct engine *e, struct str cwd, struct arena *mem,
                         struct settings *s);
void settings_hooks_renew(struct engine *e, struct str cwd); /* a turn begins there */

#endif
