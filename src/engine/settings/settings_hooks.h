#ifndef ENGINE_SETTINGS_SETTINGS_HOOKS_H
#define ENGINE_SETTINGS_SETTINGS_HOOKS_H
/*
 * Hooks of the configuration and of directories, in the settings.
 */
#include "engine/engine_state.h"

void settings_hooks_take(struct engine *e); /* adds the hooks of every session to the settings */
size_t settings_hooks_list_at(const struct engine *e, struct str cwd, const struct hook_info **ret);
/* Those of a directory after them; everything lives in mem.  Returns how many were added. */
size_t settings_hooks_fill(const struct engine *e, struct str cwd, struct arena *mem,
                           struct settings *s);
void settings_hooks_renew(struct engine *e, struct str cwd); /* a turn begins there */

#endif
