#ifndef ENGINE_SETTINGS_SETTINGS_CHECK_H
#define ENGINE_SETTINGS_SETTINGS_CHECK_H
/*
 * Test runs (THOLE_STRICT=1) decide with settings that were read back from
 * their record.
 */
#include "engine/engine_state.h"

/* rules: the text behind settings.rules_ref; absent: there are none. */
void settings_check_reread(struct engine *e, struct str rules, struct decision *d);
void settings_check_free(struct engine *e);

#endif
