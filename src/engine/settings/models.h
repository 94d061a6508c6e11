#ifndef ENGINE_SETTINGS_MODELS_H
#define ENGINE_SETTINGS_MODELS_H
/*
 * The models of the configuration, added to the settings with their prices.
 */
#include "engine/engine_state.h"

enum err models_take(struct engine *e, struct error *err) MUST_USE;
/* Whether a model has a key is not part of the settings' record, because keys come and go. */
void models_look_for_keys(struct engine *e);

#endif
